//! What the daemon answers: the bodies of contract/workflows §3, and of what they leave open.

use super::macros::object;
use super::{
    AgentState, AssignmentPhase, SimpleStatus, TaskState, TaskStatus, ToolName, ToolPolicy, WaitingFor,
    WorkflowState,
};
use serde_json::{Map, Value};

object! {
    /// A message was taken.
    MessageAccepted {
        /// Always true.
        success: bool,
        /// The message.
        message_id: String,
        /// `queued`; `completed` for a sender that has waited, and where the message came again, what has become of it.
        status: String,
        /// Whether somebody still has to look at it.
        queued: bool,
        /// The workflow that it has begun, or was said to.
        workflow_id: Option<String>,
        /// The session.
        session_id: Option<String>,
        /// What came of it, for a sender that has waited, or has sent it again.
        result: Option<Value>,
        /// True when the daemon has no provider that could begin the workflow: it stays where it is until a client drives it.
        /// Absent otherwise.
        unattended: Option<bool>,
    }
}

object! {
    /// A phase was done, or is to be done.
    StageAnswer {
        /// Always true.
        success: bool,
        /// What came of the phase; where that is not waited for, `messageId`, `workflowId`, `sessionId` and `status`.
        result: Value,
        /// The message that has begun it.
        message_id: String,
        /// The workflow that it is.
        workflow_id: Option<String>,
        /// The session.
        session_id: Option<String>,
    }
}

object! {
    /// Something was done to a workflow.
    WorkflowAnswer {
        /// Always true.
        success: bool,
        /// The workflow.
        workflow_id: String,
        /// Its phase in one word; absent where it is not said.
        status: Option<SimpleStatus>,
        /// Its phase; absent where it is not said.
        state: Option<WorkflowState>,
        /// The decision that was answered by it.
        ask_resolution: Option<AskResolution>,
    }
}

object! {
    /// What was said to a workflow was the answer to a decision.
    AskResolution {
        /// Whether it is the answer.
        ok: bool,
        /// The decision.
        request_id: String,
        /// The answer.
        answer: String,
        /// The option that was chosen.
        selected_option: Option<String>,
        /// When.
        responded_at: String,
    }
}

object! {
    /// Something has happened to a workflow.
    TransitionAnswer {
        /// Always true.
        success: bool,
        /// Its phase now.
        current_state: WorkflowState,
        /// What is known of it.
        context: Map<String, Value>,
    }
}

object! {
    /// A workflow, in a list.
    WorkflowSummary {
        /// Its name.
        id: String,
        /// The same.
        workflow_id: String,
        /// Its session.
        session_id: String,
        /// Its phase in one word.
        status: SimpleStatus,
        /// Its phase.
        fsm_state: WorkflowState,
        /// How many tasks it has.
        task_count: u64,
        /// How many of them have a result.
        completed_tasks: u64,
        /// How many have failed.
        failed_tasks: u64,
        /// When it began.
        created_at: String,
        /// When it last changed.
        updated_at: String,
        /// What is to be done.
        user_task: String,
        /// The folder of its session's project; absent when it has none.
        project_path: Option<String>,
        /// True when it was cancelled; absent otherwise. Its phase is `failed` then.
        cancelled: Option<bool>,
        /// Why it has failed; absent otherwise.
        error: Option<String>,
        /// True while it is interrupted: the daemon was away, and nothing goes on until it is resumed. Absent otherwise.
        interrupted: Option<bool>,
        /// How many decisions wait for a person; absent when that is none.
        pending_decisions: Option<u64>,
        /// What it waits for beside a person; absent when that is nothing.
        waiting_for: Option<Vec<WaitingFor>>,
    }
}

object! {
    /// Everything about a workflow, as of one moment.
    StateSnapshot {
        /// The workflow.
        workflow_id: String,
        /// Its session.
        session_id: String,
        /// Its phase.
        fsm_state: WorkflowState,
        /// The same in one word.
        simplified_status: SimpleStatus,
        /// The phase that was paused, while it is.
        previous_state: Option<WorkflowState>,
        /// Its tasks.
        tasks: Vec<TaskSnapshot>,
        /// The agents that work for it.
        agents: Vec<AgentSnapshot>,
        /// What is known of it.
        context: Map<String, Value>,
        /// What is to be done.
        user_task: String,
        /// How often it was planned.
        round: u64,
        /// The phases that it has been in, the last 200 at most. Those of a workflow that has ended are forgotten with its
        /// events.
        history: Vec<PhaseEntry>,
        /// The decision that it waits for.
        pending_decision: Option<String>,
        /// What it waits for beside a person; absent when that is nothing.
        waiting_for: Option<Vec<WaitingFor>>,
        /// What came of it.
        output: Option<Value>,
        /// What went wrong.
        error: Option<String>,
        /// When this was so.
        timestamp: String,
    }
}

object! {
    /// How far a task has come.
    TaskSnapshot {
        /// Its name.
        id: String,
        /// How far it has come.
        fsm_state: TaskState,
        /// The same in a word.
        simplified_status: TaskStatus,
        /// Who does it.
        assignee: Option<String>,
    }
}

object! {
    /// What an agent is doing.
    AgentSnapshot {
        /// Its name.
        id: String,
        /// What it is doing.
        fsm_state: AgentState,
        /// The same in a word.
        simplified_status: String,
    }
}

object! {
    /// A phase that a workflow has entered.
    PhaseEntry {
        /// The phase.
        state: WorkflowState,
        /// When.
        timestamp: String,
        /// Because of what.
        trigger: Option<String>,
    }
}

object! {
    /// All snapshots.
    Snapshots {
        /// One per workflow, what changed last first.
        snapshots: Vec<StateSnapshot>,
    }
}

object! {
    /// A task.
    TaskNode {
        /// Its name.
        id: String,
        /// What is to be done.
        description: String,
        /// Who is to do it: `executor` or `reviewer`.
        kind as "type": String,
        /// How far it has come, in a word.
        status: TaskStatus,
        /// How far it has come.
        fsm_state: TaskState,
        /// The tasks that it needs.
        dependencies: Vec<String>,
        /// The tasks that need it.
        dependents: Vec<String>,
        /// What whoever does it must be able to do.
        required_capabilities: Vec<String>,
        /// How well whoever does it must be able to do something of that, from 1 to 10.
        min_level: Option<u64>,
        /// Who does it.
        assignee: Option<String>,
        /// How long it is expected to take, in milliseconds.
        estimated_duration: Option<u64>,
        /// Until when it must be done.
        deadline: Option<String>,
        /// When it was begun.
        started_at: Option<String>,
        /// When it ended.
        completed_at: Option<String>,
        /// What came of it.
        result: Option<Value>,
        /// What went wrong.
        error: Option<String>,
        /// Who has given it to whom; absent while it waits for other tasks.
        assignment: Option<Assignment>,
    }
}

object! {
    /// A task between whoever has given it and whoever is to do it.
    Assignment {
        /// The workflow.
        epic_id: String,
        /// The task.
        task_id: String,
        /// Who has given it.
        assigner_agent_id: String,
        /// Who is to do it, where that is said.
        assignee_agent_id: Option<String>,
        /// How far that has come.
        phase: AssignmentPhase,
        /// How often it was begun.
        attempt: u64,
    }
}

object! {
    /// What a workflow has come to.
    WorkflowOutput {
        /// The workflow.
        workflow_id: String,
        /// The result, in words or as JSON.
        output: Value,
        /// The file that it is in, relative to the project.
        path: Option<String>,
    }
}

object! {
    /// A decision was asked for.
    DecisionCreated {
        /// Its name.
        decision_id: String,
        /// `pending`.
        status: String,
        /// Until when it can be answered.
        expires_at: Option<String>,
    }
}

object! {
    /// A decision was answered.
    DecisionAnswered {
        /// Always true.
        success: bool,
        /// The decision.
        decision_id: String,
        /// The answer as it was given.
        response: String,
        /// The chosen options.
        selected: Vec<String>,
        /// The workflow that waited for it.
        workflow_id: Option<String>,
    }
}

object! {
    /// Questions of a project are shown to people.
    QuestionsHosted {
        /// Always true.
        success: bool,
        /// The set of questions.
        set_id: String,
        /// The link to it.
        url: String,
    }
}

object! {
    /// A call of a tool that a person is asked to allow.
    ConsentView {
        /// The tool.
        tool: ToolName,
        /// What it is called with, whole.
        params: Map<String, Value>,
        /// What can be answered, in the order of the numbers.
        answers: Vec<ConsentAnswer>,
    }
}

object! {
    /// An answer to whether a tool may be used.
    ConsentAnswer {
        /// What is answered: `Y`, `n` or `always`.
        answer: String,
        /// What it does: `allow_call` (this call alone), `allow_tool` (every call of this tool until the workflow ends) or
        /// `deny`.
        effect: String,
    }
}

object! {
    /// A decision.
    DecisionView {
        /// Its name.
        decision_id: String,
        /// The workflow that waits for it.
        workflow_id: Option<String>,
        /// The session.
        session_id: Option<String>,
        /// Its name as a set of questions, by which `aide decide show` finds it.
        set_id: Option<String>,
        /// The task that waits for it.
        task_id: Option<String>,
        /// The agent that waits for it.
        agent_id: Option<String>,
        /// The question.
        message: String,
        /// What can be chosen; absent when the answer is free. A call of a tool can also be answered with `always`: see
        /// `consent`.
        options: Option<Vec<String>>,
        /// True when the answer can also be in the person's own words; absent otherwise.
        allow_other: Option<bool>,
        /// What it is about, as Markdown.
        context: Option<String>,
        /// The call of a tool that is to be allowed; absent when it is about anything else.
        consent: Option<ConsentView>,
        /// What stands for no answer.
        default as "default": Option<String>,
        /// Whether several options can be chosen.
        multi_select: bool,
        /// When it was asked.
        created_at: String,
        /// Until when it can be answered.
        expires_at: Option<String>,
        /// `pending`, `answered`, `expired`, `cancelled` or `returned`.
        status: String,
        /// The answer as it was given.
        response: Option<String>,
        /// The chosen options.
        selected: Vec<String>,
        /// What the person has said beside the answer; where it was sent back, why.
        note: Option<String>,
        /// When it ended.
        responded_at: Option<String>,
        /// How the answer came in.
        responded_by: Option<String>,
    }
}

object! {
    /// Decisions, as they were asked.
    Decisions {
        /// The decisions.
        decisions: Vec<DecisionView>,
    }
}

object! {
    /// A session.
    SessionView {
        /// Its name.
        id: String,
        /// What it is called.
        name: String,
        /// Its folder.
        project_path: String,
        /// `active` or `paused`.
        status: String,
        /// When it began.
        created_at: String,
        /// When it last changed.
        updated_at: String,
        /// When somebody last looked at it.
        last_accessed_at: String,
        /// How many messages it has.
        message_count: u64,
        /// Its workflows that have not ended.
        active_workflows: Vec<String>,
    }
}

object! {
    /// What was said in a session.
    MessageView {
        /// Its name.
        id: String,
        /// Who said it.
        role: String,
        /// What.
        content: String,
        /// When.
        timestamp: String,
        /// The workflow that it was said to.
        workflow_id: Option<String>,
    }
}

object! {
    /// A session that can be gone on with.
    ResumableSession {
        /// The session.
        id: String,
        /// What is to be done.
        task: String,
        /// How much is done, of a hundred.
        progress: u64,
        /// When it had come so far.
        timestamp: String,
        /// The workflow.
        workflow_id: Option<String>,
        /// The phase that it would go on in.
        phase: Option<WorkflowState>,
        /// The checkpoint.
        checkpoint_id: String,
        /// How many tasks are left.
        pending_tasks: u64,
    }
}

object! {
    /// The sessions that can be gone on with.
    ResumableSessions {
        /// The sessions, what changed last first.
        sessions: Vec<ResumableSession>,
    }
}

object! {
    /// How far a session had come.
    SessionCheckpoint {
        /// Its name.
        checkpoint_id: String,
        /// The session.
        session_id: String,
        /// The workflow.
        workflow_id: Option<String>,
        /// When it was made.
        timestamp: String,
        /// What is to be done.
        original_task: String,
        /// Its tasks.
        task_progress: Vec<TaskProgressEntry>,
        /// The tasks that have a result.
        completed_task_ids: Vec<String>,
        /// The tasks that have failed.
        failed_task_ids: Vec<String>,
        /// The tasks that are left.
        pending_task_ids: Vec<String>,
        /// What the agents were doing, by name.
        agent_states: Map<String, Value>,
        /// The phases that the workflow has been in.
        phase_history: Option<Vec<CheckpointPhase>>,
        /// What else is known.
        context: Map<String, Value>,
    }
}

object! {
    /// How far a task had come.
    TaskProgressEntry {
        /// The task.
        task_id: String,
        /// What is to be done.
        description: String,
        /// `pending`, `in_progress`, `completed`, `failed` or `skipped`.
        status: String,
        /// Who does it.
        assigned_agent: Option<String>,
        /// When it was begun.
        started_at: Option<String>,
        /// When it ended.
        completed_at: Option<String>,
        /// What came of it.
        result: Option<Value>,
        /// How often it was begun.
        iteration_count: u64,
        /// How often it may be.
        max_iterations: u64,
        /// Who is to do it: `executor` or `reviewer`.
        kind as "type": Option<String>,
        /// The tasks that it needs.
        dependencies: Option<Vec<String>>,
        /// What whoever does it must be able to do.
        required_capabilities: Option<Vec<String>>,
        /// How well whoever does it must be able to do something of that, from 1 to 10.
        min_level: Option<u64>,
    }
}

object! {
    /// A phase that a workflow had entered.
    CheckpointPhase {
        /// The phase.
        phase: String,
        /// When.
        timestamp: String,
        /// Because of what.
        action: String,
        /// The checkpoint that it went on from.
        checkpoint_id: Option<String>,
    }
}

object! {
    /// What whoever goes on with a session should know.
    ResumeContext {
        /// How far it had come.
        checkpoint: SessionCheckpoint,
        /// The same in words, as Markdown.
        summary: String,
        /// What is to be done next.
        next_actions: Vec<String>,
        /// How much is done, of a hundred.
        estimated_progress: u64,
    }
}

object! {
    /// The last checkpoint of a session.
    LatestCheckpoint {
        /// The checkpoint.
        checkpoint: SessionCheckpoint,
        /// What whoever goes on should know.
        resume_context: ResumeContext,
    }
}

object! {
    /// A session goes on.
    SessionResumption {
        /// Always true.
        success: bool,
        /// The session.
        session_id: String,
        /// The workflow that goes on; absent when the session was only paused.
        workflow_id: Option<String>,
        /// The checkpoint.
        checkpoint_id: Option<String>,
        /// The phase that it goes on in.
        resume_phase: Option<WorkflowState>,
        /// What whoever goes on should know.
        resume_context: Option<ResumeContext>,
    }
}

object! {
    /// An agent of the pool.
    AgentView {
        /// Its name.
        id: String,
        /// What kind of agent it is.
        kind as "type": String,
        /// What it is called.
        name: String,
        /// Whether it can be used.
        status: String,
        /// What it is doing.
        fsm_state: AgentState,
        /// What it is able to do.
        capabilities: Vec<String>,
        /// The session that it works for.
        session_id: Option<String>,
        /// The workflow that it works for.
        workflow_id: Option<String>,
        /// The task that it does.
        task_id: Option<String>,
        /// Since when it is used.
        deployed_at: Option<String>,
        /// How often it was used.
        total_deployments: u64,
        /// How often it has failed.
        error_count: u64,
        /// What went wrong last.
        last_error_reason: Option<String>,
        /// When.
        last_error_at: Option<String>,
    }
}

object! {
    /// What an agent is able to do.
    AgentCapabilities {
        /// The agent.
        agent_id: String,
        /// The names.
        capabilities: Vec<String>,
        /// The same with how well.
        details: Vec<Capability>,
    }
}

object! {
    /// Something that an agent is able to do.
    Capability {
        /// Its name.
        kind as "type": String,
        /// How well, from 1 to 10.
        level: u64,
    }
}

object! {
    /// A message to a module.
    MailboxMessage {
        /// Its name.
        id: String,
        /// The module.
        target: String,
        /// The message.
        content: Value,
        /// `pending`, `processing`, `completed` or `failed`.
        status: String,
        /// What came of it.
        result: Option<Value>,
        /// What went wrong.
        error: Option<String>,
        /// When it came.
        created_at: String,
        /// When it last changed.
        updated_at: String,
        /// Who sent it.
        sender: Option<String>,
        /// The name that the sender gave it.
        callback_id: Option<String>,
        /// The workflow that it has begun.
        workflow_id: Option<String>,
    }
}

object! {
    /// What an agent can do beside thinking.
    ToolView {
        /// Its name.
        name: ToolName,
        /// Whether it may be used.
        policy: ToolPolicy,
        /// What is configured; `policy` is something else once a person has said so.
        configured: ToolPolicy,
        /// The parameters that a call of it must have.
        parameters: Vec<String>,
        /// Whether what it needs beside a project is there: a search has to be configured.
        available: bool,
    }
}

object! {
    /// Whether a tool may be used was said.
    ToolPolicyAnswer {
        /// Always true.
        success: bool,
        /// The tool.
        name: ToolName,
        /// Whether it may be used.
        policy: ToolPolicy,
    }
}
