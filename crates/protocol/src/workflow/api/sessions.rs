//! Sessions, their messages and their checkpoints.

use crate::workflow::WorkflowState;
use crate::workflow::macros::payload;
use serde_json::{Map, Value};

payload! {
    /// A session.
    SessionView {
        /// Id of the session.
        id: String,
        /// Name of the session.
        name: String,
        /// Path of the project folder.
        project_path: String,
        /// `active` or `paused`.
        status: String,
        /// Creation time (ISO 8601, UTC).
        created_at: String,
        /// Time of the last change (ISO 8601, UTC).
        updated_at: String,
        /// Time of the last access (ISO 8601, UTC).
        last_accessed_at: String,
        /// Number of messages.
        message_count: u64,
        /// Ids of the workflows that have not ended.
        active_workflows: Vec<String>,
    }
}

payload! {
    /// A message of a session.
    MessageView {
        /// Id of the message.
        id: String,
        /// Role of the author.
        role: String,
        /// Text of the message.
        content: String,
        /// Time of the message (ISO 8601, UTC).
        timestamp: String,
        /// Id of the workflow that the message was addressed to; absent if there is none.
        workflow_id: Option<String>,
    }
}

payload! {
    /// A session that can be resumed from a checkpoint.
    ResumableSession {
        /// Id of the session.
        id: String,
        /// Task of the session.
        task: String,
        /// Progress in percent, from 0 to 100.
        progress: u64,
        /// Creation time of the checkpoint (ISO 8601, UTC).
        timestamp: String,
        /// Id of the workflow; absent if there is none.
        workflow_id: Option<String>,
        /// Phase in which the workflow would resume; absent if there is none.
        phase: Option<WorkflowState>,
        /// Id of the checkpoint.
        checkpoint_id: String,
        /// Number of remaining tasks.
        pending_tasks: u64,
    }
}

payload! {
    /// List of sessions that can be resumed.
    ResumableSessions {
        /// The sessions, most recently changed first.
        sessions: Vec<ResumableSession>,
    }
}

payload! {
    /// Checkpoint of a session.
    SessionCheckpoint {
        /// Id of the checkpoint.
        checkpoint_id: String,
        /// Id of the session.
        session_id: String,
        /// Id of the workflow; absent if there is none.
        workflow_id: Option<String>,
        /// Creation time (ISO 8601, UTC).
        timestamp: String,
        /// Task of the session.
        original_task: String,
        /// Progress of each task.
        task_progress: Vec<TaskProgressEntry>,
        /// Ids of the completed tasks.
        completed_task_ids: Vec<String>,
        /// Ids of the failed tasks.
        failed_task_ids: Vec<String>,
        /// Ids of the remaining tasks.
        pending_task_ids: Vec<String>,
        /// States of the agents, by agent id.
        agent_states: Map<String, Value>,
        /// Phases that the workflow has entered; absent if they are unknown.
        phase_history: Option<Vec<CheckpointPhase>>,
        /// Additional context.
        context: Map<String, Value>,
    }
}

payload! {
    /// Progress of a task at a checkpoint.
    TaskProgressEntry {
        /// Id of the task.
        task_id: String,
        /// Description of the work.
        description: String,
        /// `pending`, `in_progress`, `completed`, `failed` or `skipped`.
        status: String,
        /// Id of the assigned agent; absent if none is assigned.
        assigned_agent: Option<String>,
        /// Start time (ISO 8601); absent before the start.
        started_at: Option<String>,
        /// End time (ISO 8601); absent before the end.
        completed_at: Option<String>,
        /// Result of the task; absent if there is none.
        result: Option<Value>,
        /// Number of attempts so far.
        iteration_count: u64,
        /// Maximum number of attempts.
        max_iterations: u64,
        /// Type of agent that executes the task: `executor` or `reviewer`; absent if unknown.
        kind as "type": Option<String>,
        /// Ids of the tasks that this task depends on; absent if unknown.
        dependencies: Option<Vec<String>>,
        /// Capabilities that the assigned agent must have; absent if unknown.
        required_capabilities: Option<Vec<String>>,
        /// Minimum level, from 1 to 10, that the assigned agent must have in at least one of these capabilities; absent if there
        /// is none.
        min_level: Option<u64>,
    }
}

payload! {
    /// A phase that a workflow had entered before a checkpoint.
    CheckpointPhase {
        /// The phase.
        phase: String,
        /// Time of entry (ISO 8601, UTC).
        timestamp: String,
        /// Trigger of the transition, or `resume_session`.
        action: String,
        /// Id of the checkpoint that the workflow was resumed from; absent if there is none.
        checkpoint_id: Option<String>,
    }
}

payload! {
    /// Context for resuming a session.
    ResumeContext {
        /// The checkpoint to resume from.
        checkpoint: SessionCheckpoint,
        /// Summary of the checkpoint, as Markdown.
        summary: String,
        /// Suggested next actions, as text.
        next_actions: Vec<String>,
        /// Progress in percent, from 0 to 100.
        estimated_progress: u64,
    }
}

payload! {
    /// Latest checkpoint of a session.
    LatestCheckpoint {
        /// The checkpoint.
        checkpoint: SessionCheckpoint,
        /// Context for resuming the session.
        resume_context: ResumeContext,
    }
}

payload! {
    /// A session was resumed.
    SessionResumption {
        /// Always true.
        success: bool,
        /// Id of the session.
        session_id: String,
        /// Id of the resumed workflow; absent if the session was only paused.
        workflow_id: Option<String>,
        /// Id of the checkpoint; absent if none was used.
        checkpoint_id: Option<String>,
        /// Phase in which the workflow resumes; absent if no workflow resumes.
        resume_phase: Option<WorkflowState>,
        /// Context for resuming the session; absent if no checkpoint was used.
        resume_context: Option<ResumeContext>,
    }
}
