//! Events of workflows: each type with its group and its payload.

use super::macros::{payload, payload_names};
use super::{SimpleStatus, TaskStatus, Trigger, WorkflowState};
use serde_json::Value;

payload_names! {
    /// A group of event types, so that a client need not name each type.
    EventGroup {
        /// Events about sessions.
        Session = "SESSION",
        /// Events about tasks.
        Task = "TASK",
        /// Events about tool calls.
        Tool = "TOOL",
        /// Messages of users and agents.
        Dialog = "DIALOG",
        /// Progress of workflows.
        Progress = "PROGRESS",
        /// Phases of workflows.
        Phase = "PHASE",
        /// Agents in the pool.
        Resource = "RESOURCE",
        /// Decisions requested from a user, and their answers.
        HumanInLoop = "HUMAN_IN_LOOP",
        /// Events about the daemon itself.
        System = "SYSTEM",
        /// All events.
        All = "ALL",
    }
}

/// All events: variant, name, group and payload members of each. A member of type `Option` may be absent.
macro_rules! events {
    ($(
        $(#[$meta:meta])*
        $name:ident = $text:literal in $group:ident {
            $( $(#[$field_meta:meta])* $field:ident : $type:ty, )*
        }
    )*) => {
        payload_names! {
            /// Type of an event.
            EventType {
                $( $(#[$meta])* $name = $text, )*
            }
        }

        impl EventType {
            /// Returns the group of the event type.
            pub fn group(self) -> EventGroup {
                match self { $( Self::$name => EventGroup::$group, )* }
            }
        }

        /// An event with its payload.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Event {
            $( $(#[$meta])* $name($name), )*
        }

        impl Event {
            /// Returns the event type.
            pub fn kind(&self) -> EventType {
                match self { $( Self::$name(_) => EventType::$name, )* }
            }

            /// Returns the payload as JSON.
            pub fn payload(&self) -> String {
                let written = match self { $( Self::$name(payload) => serde_json::to_string(payload), )* };
                written.expect("a payload has no maps, whose keys could be refused")
            }

            /// Reads the payload of an event of this type.
            ///
            /// # Errors
            ///
            /// When the payload is invalid.
            pub fn read(kind: EventType, payload: &str) -> serde_json::Result<Self> {
                match kind { $( EventType::$name => serde_json::from_str(payload).map(Self::$name), )* }
            }
        }

        $(
            impl From<$name> for Event {
                fn from(payload: $name) -> Self {
                    Self::$name(payload)
                }
            }

            payload! {
                $(#[$meta])*
                $name { $( $(#[$field_meta])* $field : $type, )* }
            }
        )*

        /// Returns the JSON Schema of the payload of each event.
        #[cfg(feature = "schema")]
        pub fn payload_schemas(generator: &mut schemars::SchemaGenerator) -> Vec<(EventType, schemars::Schema)> {
            vec![$( (EventType::$name, generator.subschema_for::<$name>()), )*]
        }
    };
}

events! {
    /// A session was created.
    SessionCreated = "session_created" in Session {
        /// Name of the session.
        name: String,
        /// Path of the project folder; empty if the session has none.
        project_path: String,
        /// Number of messages; absent if the session is new.
        message_count: Option<u64>,
    }
    /// A session was resumed.
    SessionResumed = "session_resumed" in Session {
        /// Id of the checkpoint that the session was resumed from; absent if none was used.
        checkpoint_id: Option<String>,
        /// Number of messages.
        message_count: u64,
    }
    /// A session was paused.
    SessionPaused = "session_paused" in Session {
        /// Reason for the pause; absent if none is given.
        reason: Option<String>,
    }
    /// The messages of a session were compressed.
    SessionCompressed = "session_compressed" in Session {
        /// Number of messages before.
        original_size: u64,
        /// Number of messages after.
        compressed_size: u64,
        /// Summary that replaces the removed messages.
        summary: String,
    }
    /// An agent has started a task.
    TaskStarted = "task_started" in Task {
        /// Id of the task.
        task_id: String,
        /// Id of the agent; absent if unknown.
        agent_id: Option<String>,
        /// Description of the work.
        description: String,
    }
    /// A task has progressed.
    TaskProgress = "task_progress" in Task {
        /// Id of the task.
        task_id: String,
        /// Progress in percent, from 0 to 100.
        progress: u8,
        /// Description of the progress; absent if there is none.
        message: Option<String>,
    }
    /// A task was completed.
    TaskCompleted = "task_completed" in Task {
        /// Id of the task.
        task_id: String,
        /// Id of the agent; absent if unknown.
        agent_id: Option<String>,
        /// Result of the task; absent if there is none.
        result: Option<Value>,
        /// Duration in milliseconds; absent if unknown.
        duration: Option<u64>,
    }
    /// A task has failed.
    TaskFailed = "task_failed" in Task {
        /// Id of the task.
        task_id: String,
        /// Id of the agent; absent if unknown.
        agent_id: Option<String>,
        /// Description of the error.
        error: String,
        /// Whether the task can be retried; absent if unknown.
        retryable: Option<bool>,
    }
    /// A task is blocked.
    TaskBlocked = "task_blocked" in Task {
        /// Id of the task.
        task_id: String,
        /// Reason for the block.
        reason: String,
        /// Estimated time at which the task can continue; absent if unknown.
        estimated_start_time: Option<String>,
        /// Estimated benefit of continuing the task; absent if unknown.
        benefit_score: Option<f64>,
    }
    /// An agent has called a tool.
    ToolCall = "tool_call" in Tool {
        /// Id of the call.
        tool_id: String,
        /// Name of the tool.
        tool_name: String,
        /// Id of the agent.
        agent_id: String,
        /// Input of the tool.
        input: Value,
    }
    /// A tool call has succeeded.
    ToolResult = "tool_result" in Tool {
        /// Id of the call.
        tool_id: String,
        /// Name of the tool.
        tool_name: String,
        /// Id of the agent.
        agent_id: String,
        /// Output of the tool.
        output: Value,
        /// Duration in milliseconds.
        duration: u64,
    }
    /// A tool call has failed.
    ToolError = "tool_error" in Tool {
        /// Id of the call.
        tool_id: String,
        /// Name of the tool.
        tool_name: String,
        /// Id of the agent.
        agent_id: String,
        /// Description of the error.
        error: String,
        /// Duration in milliseconds.
        duration: u64,
    }
    /// A user has sent a message.
    UserMessage = "user_message" in Dialog {
        /// Id of the message.
        message_id: String,
        /// Text of the message.
        content: String,
        /// Attachments of the message; absent if there are none.
        attachments: Option<Vec<Value>>,
    }
    /// Part of a message that an agent is writing.
    AssistantChunk = "assistant_chunk" in Dialog {
        /// Id of the message.
        message_id: String,
        /// Text since the previous chunk.
        content: String,
    }
    /// An agent has completed a message.
    AssistantComplete = "assistant_complete" in Dialog {
        /// Id of the message.
        message_id: String,
        /// Complete text of the message.
        content: String,
        /// Reason why the agent stopped; absent if unknown.
        stop_reason: Option<String>,
    }
    /// An agent has completed a step.
    AgentStepCompleted = "agent_step_completed" in Dialog {
        /// Id of the agent; absent if unknown.
        agent_id: Option<String>,
        /// Number of the step, from 1.
        round: u64,
        /// Reasoning of the agent.
        thought: String,
        /// Action of the agent.
        action: String,
        /// Observation after the action; absent if there is none.
        observation: Option<String>,
        /// Whether the action succeeded.
        success: bool,
    }
    /// A plan was created or replaced.
    PlanUpdated = "plan_updated" in Progress {
        /// Id of the plan.
        plan_id: String,
        /// Version of the plan, from 1.
        version: u64,
        /// Number of tasks.
        task_count: u64,
        /// Number of completed tasks.
        completed_count: u64,
    }
    /// A workflow has progressed.
    WorkflowProgress = "workflow_progress" in Progress {
        /// Progress in percent, from 0 to 100.
        overall_progress: u8,
        /// Ids of the working agents.
        active_agents: Vec<String>,
        /// Number of tasks that have neither completed nor failed.
        pending_tasks: u64,
        /// Number of completed tasks.
        completed_tasks: u64,
        /// Number of failed tasks.
        failed_tasks: u64,
        /// Number of tasks that wait for an agent; absent if unknown.
        queued_tasks: Option<u64>,
    }
    /// A workflow has entered a phase.
    PhaseTransition = "phase_transition" in Phase {
        /// Previous phase.
        from: WorkflowState,
        /// New phase.
        to: WorkflowState,
        /// Trigger of the transition; absent if there was none.
        trigger: Option<Trigger>,
        /// Beginning of the reviewer's feedback, on one line, if the review rejected the result; absent otherwise.
        reason: Option<String>,
        /// Number of the round, i.e. how often the workflow was planned; absent before the first plan.
        round: Option<u64>,
        /// Id of the checkpoint that the workflow was resumed from; absent if there is none.
        checkpoint_id: Option<String>,
    }
    /// The result of a phase was saved to files.
    PhaseOutputSaved = "phase_output_saved" in Phase {
        /// The phase.
        phase: String,
        /// Path of the main file.
        output_path: String,
        /// Paths of all files.
        files: Vec<String>,
    }
    /// A decision that an agent made during a phase, with its reasoning.
    DecisionTreeNode = "decision_tree_node" in Phase {
        /// The phase.
        phase: String,
        /// Number of the round.
        round: u64,
        /// Reasoning of the agent.
        thought: String,
        /// Action of the agent.
        action: String,
        /// Parameters of the action.
        params: Value,
        /// Observation after the action; absent if there is none.
        observation: Option<String>,
        /// Paths of the files that the action produced; absent if there are none.
        output_files: Option<Vec<String>>,
    }
    /// The use of an agent in the pool has changed.
    ResourceUpdate = "resource_update" in Resource {
        /// Id of the agent.
        resource_id: String,
        /// Availability: `available`, `deployed`, `busy`, `blocked`, `error` or `released`.
        status: String,
        /// Id of the session that the agent is assigned to; absent if there is none.
        session_id: Option<String>,
        /// Id of the workflow that the agent is assigned to; absent if there is none.
        workflow_id: Option<String>,
    }
    /// No agent can do the required work.
    ResourceShortage = "resource_shortage" in Resource {
        /// Id of the task; absent if there is none.
        task_id: Option<String>,
        /// Requirements that no agent meets.
        missing_resources: Vec<MissingResource>,
        /// Reason for the shortage.
        reason: String,
        /// Suggested remedy.
        suggestion: String,
    }
    /// A workflow waits for a user.
    WaitingForUser = "waiting_for_user" in HumanInLoop {
        /// Reason: `resource_shortage`, `confirmation_required`, `ambiguous_input` or `error_recovery`.
        reason: String,
        /// Requirements that no agent meets; absent if there are none.
        missing_resources: Option<Vec<MissingResource>>,
        /// Suggested remedy; absent if there is none.
        suggestion: Option<String>,
        /// Options that the user can choose from.
        options: Vec<WaitingOption>,
        /// Additional context; absent if there is none.
        context: Option<Value>,
    }
    /// A decision is requested from a user.
    UserDecisionRequired = "user_decision_required" in HumanInLoop {
        /// Id of the decision.
        decision_id: String,
        /// Id of the workflow that waits for the decision; absent if none does.
        workflow_id: Option<String>,
        /// The question.
        message: String,
        /// Options; absent if the answer is free text.
        options: Option<Vec<String>>,
    }
    /// A decision was answered, or has ended without an answer.
    UserDecisionReceived = "user_decision_received" in HumanInLoop {
        /// Id of the decision.
        decision_id: String,
        /// The answer as given; `timeout`, `cancelled` or `returned` if there is none.
        decision: String,
        /// Labels of the selected options; empty if none is selected.
        selected: Vec<String>,
        /// Provided resources; absent if there are none.
        resources: Option<Vec<Value>>,
        /// Additional context; absent if there is none.
        context: Option<Value>,
    }
    /// An error has occurred in the daemon itself.
    SystemError = "system_error" in System {
        /// Description of the error.
        error: String,
        /// Component in which the error occurred.
        component: String,
        /// Whether the daemon continues.
        recoverable: bool,
    }
    /// The state of an agent has changed.
    AgentUpdate = "agent_update" in Progress {
        /// Id of the agent.
        agent_id: String,
        /// `idle`, `running`, `paused` or `error`.
        status: String,
        /// Load in percent, from 0 to 100; absent if unknown.
        load: Option<u8>,
        /// Id of the current task; absent if there is none.
        current_task_id: Option<String>,
        /// The completed step; absent if there is none.
        step: Option<AgentStep>,
    }
    /// The state of a workflow has changed.
    WorkflowUpdate = "workflow_update" in Progress {
        /// Id of the workflow.
        workflow_id: String,
        /// Simplified status.
        status: SimpleStatus,
        /// The changed tasks.
        task_updates: Vec<TaskUpdate>,
        /// The changed agents.
        agent_updates: Vec<AgentChange>,
        /// Reasoning of the orchestrator; absent if there is none.
        orchestrator_state: Option<OrchestratorState>,
        /// Current phase; absent if it is not reported.
        fsm_state: Option<WorkflowState>,
        /// Input of the user; absent if there is none.
        user_input: Option<String>,
        /// Id of the pending decision of the workflow or of one of its tasks; absent if there is none.
        pending_decision: Option<String>,
        /// What the workflow waits for other than a user; absent if nothing.
        waiting_for: Option<Vec<WaitingFor>>,
    }
}

payload! {
    /// Something other than a user that a workflow waits for. Events report only `agent`; the state of a workflow reports all
    /// types.
    #[derive(Default)]
    WaitingFor {
        /// `agent`: agents that other workflows use; `model`: the answer of a provider; `tool`: a running tool; `errand`: an
        /// agent with its own folder; `provider`: a provider for the daemon's agents, which have none, or a client that drives
        /// the workflow; `retry`: the next attempt at the phase, which has failed.
        kind as "type": String,
        /// Type of the required agents; only for `agent`.
        agent_type: Option<String>,
        /// Ids of the workflows that use agents of that type; absent if there are none.
        used_by: Option<Vec<String>>,
        /// Id of the working agent; absent if there is none.
        agent_id: Option<String>,
        /// Phase that the agent works on, or that is retried; absent otherwise.
        phase: Option<WorkflowState>,
        /// Id of the task that the agent works on; absent if there is none.
        task_id: Option<String>,
        /// Name of the requested provider, or of the running tool; absent otherwise.
        name: Option<String>,
        /// Name of the requested model; absent if none is configured.
        model: Option<String>,
        /// Start time of the call or errand (ISO 8601, UTC); absent for `agent`, `provider` and `retry`.
        since: Option<String>,
        /// Number of characters of the answer received so far; absent if there are none.
        characters: Option<u64>,
        /// Number of output tokens so far; absent if the provider does not report it.
        tokens: Option<u64>,
        /// Number of attempts so far; absent for a first request to a provider.
        attempt: Option<u64>,
        /// Error of the last attempt; present only while the next attempt is pending.
        error: Option<String>,
        /// Time of the next attempt (ISO 8601, UTC); absent if none is pending.
        retry_at: Option<String>,
    }
}

payload! {
    /// A requirement that no agent meets.
    MissingResource {
        /// A type of agent, or a capability.
        kind as "type": String,
        /// Capabilities that the agent would need; absent if there are none.
        capabilities: Option<Vec<String>>,
        /// Minimum level, from 1 to 10, that the agent would need in at least one of these capabilities; absent if there is none.
        min_level: Option<u64>,
    }
}

payload! {
    /// An option that a user can choose.
    WaitingOption {
        /// Id of the option.
        id: String,
        /// Label that the user sees.
        label: String,
        /// Longer explanation; absent if there is none.
        description: Option<String>,
    }
}

payload! {
    /// A step of an agent.
    AgentStep {
        /// Reasoning of the agent.
        thought: String,
        /// Action of the agent.
        action: String,
        /// Observation after the action; absent if there is none.
        observation: Option<String>,
        /// Number of the step, from 1; absent if unknown.
        round: Option<u64>,
        /// Parameters of the action; absent if there are none.
        params: Option<Value>,
        /// Whether the action succeeded; absent if unknown.
        success: Option<bool>,
    }
}

payload! {
    /// A task that has changed.
    TaskUpdate {
        /// Id of the task.
        id: String,
        /// Simplified status of the task.
        status: TaskStatus,
        /// Id of the assigned agent; absent if none is assigned.
        assignee: Option<String>,
    }
}

payload! {
    /// An agent that has changed.
    AgentChange {
        /// Id of the agent.
        id: String,
        /// `idle`, `running` or `error`.
        status: String,
    }
}

payload! {
    /// Reasoning of the orchestrator about a workflow.
    OrchestratorState {
        /// Number of the round.
        round: u64,
        /// The reasoning, as text.
        thought: String,
    }
}
