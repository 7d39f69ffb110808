//! Response bodies of the daemon: those of contract/workflows §3, and those that the contract leaves open.

mod agents;
mod decisions;
mod load;
mod messages;
mod sessions;
mod workflows;

pub use agents::{AgentCapabilities, AgentView, Capability, ToolPolicyAnswer, ToolView};
pub use decisions::{
    AskResolution, ConsentAnswer, ConsentView, DecisionAnswered, DecisionCreated, DecisionView, Decisions,
    QuestionsHosted,
};
pub use load::{
    AgentQueueLoad, Backlog, CommitBucket, CommitLoad, DaemonLoad, JournalSize, ReaderLoad, SubscriberLoad,
    WorkflowLoad,
};
pub use messages::{MailboxMessage, MessageAccepted, StageAnswer};
pub use sessions::{
    CheckpointPhase, LatestCheckpoint, MessageView, ResumableSession, ResumableSessions, ResumeContext,
    SessionCheckpoint, SessionResumption, SessionView, TaskProgressEntry,
};
pub use workflows::{
    AgentSnapshot, Assignment, PhaseEntry, Snapshots, StateSnapshot, TaskNode, TaskSnapshot,
    TransitionAnswer, WorkflowAnswer, WorkflowOutput, WorkflowSummary,
};
