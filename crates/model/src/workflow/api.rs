//! Response bodies of the daemon: those of contract/workflows §3, and those that the contract leaves open.

use super::macros::object;
use super::{
    AgentState, AssignmentPhase, SimpleStatus, TaskState, TaskStatus, ToolName, ToolPolicy, WaitingFor,
    WorkflowState,
};
use serde_json::{Map, Value};

object! {
    /// A message was accepted.
    MessageAccepted {
        /// Always true.
        success: bool,
        /// Id of the message.
        message_id: String,
        /// `queued`; `completed` if the sender waited for the result; the final status if a message that has ended was sent
        /// again.
        status: String,
        /// Whether the message still has to be processed.
        queued: bool,
        /// Id of the workflow that the message started or was addressed to; absent if there is none.
        workflow_id: Option<String>,
        /// Id of the session; absent if there is none.
        session_id: Option<String>,
        /// Result of the message; present only if the sender waited for it, or sent again a message that has ended.
        result: Option<Value>,
        /// True if the daemon has no provider that could start the workflow, which then stays in its phase until a client drives
        /// it; absent otherwise.
        unattended: Option<bool>,
    }
}

object! {
    /// Result of a single phase, or acceptance of the request for it.
    StageAnswer {
        /// Always true.
        success: bool,
        /// Result of the phase; if the request does not wait for it: `messageId`, `workflowId`, `sessionId` and `status`.
        result: Value,
        /// Id of the message that started the phase.
        message_id: String,
        /// Id of the workflow that consists of this phase.
        workflow_id: Option<String>,
        /// Id of the session.
        session_id: Option<String>,
    }
}

object! {
    /// A workflow was changed.
    WorkflowAnswer {
        /// Always true.
        success: bool,
        /// Id of the workflow.
        workflow_id: String,
        /// Simplified status of the workflow; absent if the operation does not report it.
        status: Option<SimpleStatus>,
        /// Phase of the workflow; absent if the operation does not report it.
        state: Option<WorkflowState>,
        /// The decision that the input answered; absent if it answered none.
        ask_resolution: Option<AskResolution>,
    }
}

object! {
    /// Answer to a decision, given as input to its workflow.
    AskResolution {
        /// Whether the input was accepted as the answer.
        ok: bool,
        /// Id of the decision.
        request_id: String,
        /// The answer as text.
        answer: String,
        /// Label of the first selected option; absent if none was selected.
        selected_option: Option<String>,
        /// Time of the answer (ISO 8601, UTC).
        responded_at: String,
    }
}

object! {
    /// A trigger was applied to a workflow.
    TransitionAnswer {
        /// Always true.
        success: bool,
        /// Phase of the workflow after the trigger.
        current_state: WorkflowState,
        /// Context of the workflow.
        context: Map<String, Value>,
    }
}

object! {
    /// Summary of a workflow, as listed.
    WorkflowSummary {
        /// Id of the workflow.
        id: String,
        /// Same as `id`.
        workflow_id: String,
        /// Id of the session.
        session_id: String,
        /// Simplified status.
        status: SimpleStatus,
        /// Current phase.
        fsm_state: WorkflowState,
        /// Number of tasks.
        task_count: u64,
        /// Number of completed tasks.
        completed_tasks: u64,
        /// Number of failed tasks.
        failed_tasks: u64,
        /// Creation time (ISO 8601, UTC).
        created_at: String,
        /// Time of the last change (ISO 8601, UTC).
        updated_at: String,
        /// Task of the workflow, as the user stated it.
        user_task: String,
        /// Project folder of the session; absent if it has none.
        project_path: Option<String>,
        /// True if the workflow was cancelled, in which case its phase is `failed`; absent otherwise.
        cancelled: Option<bool>,
        /// Why the workflow failed; absent if it has not failed or was cancelled.
        error: Option<String>,
        /// True while the workflow is interrupted: the daemon was stopped, and the workflow does not continue until it is
        /// resumed. Absent otherwise.
        interrupted: Option<bool>,
        /// Number of pending decisions; absent if there are none.
        pending_decisions: Option<u64>,
        /// What the workflow waits for other than a user; absent if nothing.
        waiting_for: Option<Vec<WaitingFor>>,
    }
}

object! {
    /// Complete state of a workflow at one point in time.
    StateSnapshot {
        /// Id of the workflow.
        workflow_id: String,
        /// Id of the session.
        session_id: String,
        /// Current phase.
        fsm_state: WorkflowState,
        /// Simplified status.
        simplified_status: SimpleStatus,
        /// Phase before the pause; absent unless the workflow is paused.
        previous_state: Option<WorkflowState>,
        /// Tasks of the workflow.
        tasks: Vec<TaskSnapshot>,
        /// Agents assigned to the workflow.
        agents: Vec<AgentSnapshot>,
        /// Context of the workflow.
        context: Map<String, Value>,
        /// Task of the workflow, as the user stated it.
        user_task: String,
        /// Number of times the workflow was planned.
        round: u64,
        /// Phases that the workflow has entered, at most the last 200, oldest first. Those of an ended workflow are removed
        /// together with its events.
        history: Vec<PhaseEntry>,
        /// Id of the pending decision; absent if there is none.
        pending_decision: Option<String>,
        /// What the workflow waits for other than a user; absent if nothing.
        waiting_for: Option<Vec<WaitingFor>>,
        /// Result of the workflow; absent if there is none yet.
        output: Option<Value>,
        /// Error of the workflow; absent if there is none.
        error: Option<String>,
        /// Time of the last change, at which this state was reached (ISO 8601, UTC).
        timestamp: String,
    }
}

object! {
    /// State of a task.
    TaskSnapshot {
        /// Id of the task.
        id: String,
        /// State of the task.
        fsm_state: TaskState,
        /// Simplified status of the task.
        simplified_status: TaskStatus,
        /// Id of the assigned agent; absent if none is assigned.
        assignee: Option<String>,
    }
}

object! {
    /// State of an agent.
    AgentSnapshot {
        /// Id of the agent.
        id: String,
        /// State of the agent.
        fsm_state: AgentState,
        /// Simplified status: `idle`, `running` or `error`.
        simplified_status: String,
    }
}

object! {
    /// A phase that a workflow has entered.
    PhaseEntry {
        /// The phase.
        state: WorkflowState,
        /// Time of entry (ISO 8601, UTC).
        timestamp: String,
        /// Trigger of the transition; absent if there was none.
        trigger: Option<String>,
    }
}

object! {
    /// Snapshots of all workflows.
    Snapshots {
        /// One snapshot per workflow, most recently changed first.
        snapshots: Vec<StateSnapshot>,
    }
}

object! {
    /// A task of a workflow.
    TaskNode {
        /// Id of the task.
        id: String,
        /// Description of the work.
        description: String,
        /// Type of agent that executes the task: `executor` or `reviewer`.
        kind as "type": String,
        /// Simplified status.
        status: TaskStatus,
        /// State of the task.
        fsm_state: TaskState,
        /// Ids of the tasks that this task depends on.
        dependencies: Vec<String>,
        /// Ids of the tasks that depend on this task.
        dependents: Vec<String>,
        /// Capabilities that the assigned agent must have.
        required_capabilities: Vec<String>,
        /// Minimum level, from 1 to 10, that the assigned agent must have in at least one of these capabilities; absent if there
        /// is none.
        min_level: Option<u64>,
        /// Id of the assigned agent; absent if none is assigned.
        assignee: Option<String>,
        /// Estimated duration in milliseconds; absent if there is no estimate.
        estimated_duration: Option<u64>,
        /// Deadline of the task (ISO 8601, UTC); absent if there is none.
        deadline: Option<String>,
        /// Start time (ISO 8601, UTC); absent before the start.
        started_at: Option<String>,
        /// End time (ISO 8601, UTC); absent before the end.
        completed_at: Option<String>,
        /// Result of the task; absent if there is none.
        result: Option<Value>,
        /// Error of the task; absent if there is none.
        error: Option<String>,
        /// Assignment of the task; absent while it waits for other tasks.
        assignment: Option<Assignment>,
    }
}

object! {
    /// Assignment of a task by one agent to another.
    Assignment {
        /// Id of the workflow.
        epic_id: String,
        /// Id of the task.
        task_id: String,
        /// Id of the agent that assigns the task.
        assigner_agent_id: String,
        /// Id of the agent that the task is assigned to; absent if there is none.
        assignee_agent_id: Option<String>,
        /// Phase of the assignment.
        phase: AssignmentPhase,
        /// Number of attempts so far.
        attempt: u64,
    }
}

object! {
    /// Result of a workflow.
    WorkflowOutput {
        /// Id of the workflow.
        workflow_id: String,
        /// The result, as text or JSON.
        output: Value,
        /// Path of the result file, relative to the project folder; absent if there is no file.
        path: Option<String>,
    }
}

object! {
    /// A decision was created.
    DecisionCreated {
        /// Id of the decision.
        decision_id: String,
        /// Always `pending`.
        status: String,
        /// Deadline for the answer (ISO 8601, UTC); absent if there is none.
        expires_at: Option<String>,
    }
}

object! {
    /// A decision was answered.
    DecisionAnswered {
        /// Always true.
        success: bool,
        /// Id of the decision.
        decision_id: String,
        /// The answer as given.
        response: String,
        /// Labels of the selected options; empty for a free-text answer.
        selected: Vec<String>,
        /// Id of the workflow that waited for the decision; absent if none did.
        workflow_id: Option<String>,
    }
}

object! {
    /// A set of questions of a project is shown to users.
    QuestionsHosted {
        /// Always true.
        success: bool,
        /// Id of the set of questions.
        set_id: String,
        /// URL of the set of questions.
        url: String,
    }
}

object! {
    /// A tool call that needs the user's consent.
    ConsentView {
        /// Name of the tool.
        tool: ToolName,
        /// Complete parameters of the call.
        params: Map<String, Value>,
        /// Possible answers, in the order in which the options are numbered.
        answers: Vec<ConsentAnswer>,
    }
}

object! {
    /// A possible answer to a request for consent.
    ConsentAnswer {
        /// The answer: `Y`, `n` or `always`.
        answer: String,
        /// Effect of the answer: `allow_call` (only this call), `allow_tool` (every call of this tool until the workflow ends) or
        /// `deny`.
        effect: String,
    }
}

object! {
    /// A decision that is requested from a user.
    DecisionView {
        /// Id of the decision.
        decision_id: String,
        /// Id of the workflow that waits for the decision; absent if none does.
        workflow_id: Option<String>,
        /// Id of the session; absent if there is none.
        session_id: Option<String>,
        /// Id of the decision as a set of questions, for `aide decide show`.
        set_id: Option<String>,
        /// Id of the task that waits for the decision; absent if none does.
        task_id: Option<String>,
        /// Id of the agent that waits for the decision; absent if none does.
        agent_id: Option<String>,
        /// The question.
        message: String,
        /// Options; absent if the answer is free text. A tool call can also be answered with `always`: see `consent`.
        options: Option<Vec<String>>,
        /// True if the user can also answer in their own words; absent otherwise.
        allow_other: Option<bool>,
        /// Background of the question, as Markdown; absent if there is none.
        context: Option<String>,
        /// The tool call that needs consent; absent if the decision is about anything else.
        consent: Option<ConsentView>,
        /// Answer that applies if none is given; absent if there is no default.
        default as "default": Option<String>,
        /// Whether several options can be selected.
        multi_select: bool,
        /// Creation time (ISO 8601, UTC).
        created_at: String,
        /// Deadline for the answer (ISO 8601, UTC); absent if there is none.
        expires_at: Option<String>,
        /// `pending`, `answered`, `expired`, `cancelled` or `returned`.
        status: String,
        /// The answer as given; absent if there is none.
        response: Option<String>,
        /// Labels of the selected options; empty if none is selected.
        selected: Vec<String>,
        /// Note that the user added to the answer, or the reason why the decision was returned; absent if there is none.
        note: Option<String>,
        /// Time at which the decision ended (ISO 8601, UTC); absent while it is pending.
        responded_at: Option<String>,
        /// Channel of the answer: `page`, `form`, `api`, `terminal` or `clock`; absent while the decision is pending.
        responded_by: Option<String>,
    }
}

object! {
    /// List of decisions.
    Decisions {
        /// The decisions.
        decisions: Vec<DecisionView>,
    }
}

object! {
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

object! {
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

object! {
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

object! {
    /// List of sessions that can be resumed.
    ResumableSessions {
        /// The sessions, most recently changed first.
        sessions: Vec<ResumableSession>,
    }
}

object! {
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

object! {
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

object! {
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

object! {
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

object! {
    /// Latest checkpoint of a session.
    LatestCheckpoint {
        /// The checkpoint.
        checkpoint: SessionCheckpoint,
        /// Context for resuming the session.
        resume_context: ResumeContext,
    }
}

object! {
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

object! {
    /// An agent in the pool.
    AgentView {
        /// Id of the agent.
        id: String,
        /// Type of the agent.
        kind as "type": String,
        /// Name of the agent.
        name: String,
        /// Availability: `available`, `deployed`, `busy`, `blocked`, `error` or `released`.
        status: String,
        /// State of the agent.
        fsm_state: AgentState,
        /// Names of the agent's capabilities.
        capabilities: Vec<String>,
        /// Id of the session that the agent is assigned to; absent if there is none.
        session_id: Option<String>,
        /// Id of the workflow that the agent is assigned to; absent if there is none.
        workflow_id: Option<String>,
        /// Id of the agent's current task; absent if there is none.
        task_id: Option<String>,
        /// Time of the current deployment (ISO 8601, UTC); absent if there is none.
        deployed_at: Option<String>,
        /// Total number of deployments.
        total_deployments: u64,
        /// Total number of failures.
        error_count: u64,
        /// Reason of the last failure; absent if there was none.
        last_error_reason: Option<String>,
        /// Time of the last failure (ISO 8601, UTC); absent if there was none.
        last_error_at: Option<String>,
    }
}

object! {
    /// Capabilities of an agent.
    AgentCapabilities {
        /// Id of the agent.
        agent_id: String,
        /// Names of the capabilities.
        capabilities: Vec<String>,
        /// The capabilities with their levels.
        details: Vec<Capability>,
    }
}

object! {
    /// A capability of an agent.
    Capability {
        /// Name of the capability.
        kind as "type": String,
        /// Level of the capability, from 1 to 10.
        level: u64,
    }
}

object! {
    /// A message to a module.
    MailboxMessage {
        /// Id of the message.
        id: String,
        /// Module that the message is addressed to.
        target: String,
        /// Content of the message.
        content: Value,
        /// `pending`, `processing`, `completed` or `failed`.
        status: String,
        /// Result of the message; absent if there is none.
        result: Option<Value>,
        /// Error of the message; absent if there is none.
        error: Option<String>,
        /// Time at which the message was received (ISO 8601, UTC).
        created_at: String,
        /// Time of the last change (ISO 8601, UTC).
        updated_at: String,
        /// Sender of the message; absent if unknown.
        sender: Option<String>,
        /// Id that the sender assigned to the message; absent if there is none.
        callback_id: Option<String>,
        /// Id of the workflow that the message started; absent if there is none.
        workflow_id: Option<String>,
    }
}

object! {
    /// A tool that agents can call.
    ToolView {
        /// Name of the tool.
        name: ToolName,
        /// Policy in effect.
        policy: ToolPolicy,
        /// Configured policy, which differs from `policy` if a user has overridden it.
        configured: ToolPolicy,
        /// Required parameters of a call.
        parameters: Vec<String>,
        /// Whether everything that the tool needs besides a project is available: web search requires configuration.
        available: bool,
    }
}

object! {
    /// The policy of a tool was set.
    ToolPolicyAnswer {
        /// Always true.
        success: bool,
        /// Name of the tool.
        name: ToolName,
        /// Policy in effect.
        policy: ToolPolicy,
    }
}
