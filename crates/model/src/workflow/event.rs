//! What is told of workflows while it happens: each kind of event with its group and its payload.

use super::macros::{names, object};
use super::{SimpleStatus, TaskStatus, Trigger, WorkflowState};
use serde_json::Value;

names! {
    /// A group of events, for whoever does not want to name each.
    EventGroup {
        /// Sessions.
        Session = "SESSION",
        /// Tasks.
        Task = "TASK",
        /// Calls of tools.
        Tool = "TOOL",
        /// What is said.
        Dialog = "DIALOG",
        /// How far it has come.
        Progress = "PROGRESS",
        /// Phases of workflows.
        Phase = "PHASE",
        /// Agents of the pool.
        Resource = "RESOURCE",
        /// What a person is asked, and answers.
        HumanInLoop = "HUMAN_IN_LOOP",
        /// What concerns the daemon itself.
        System = "SYSTEM",
        /// Every event.
        All = "ALL",
    }
}

/// Every event: its variant, its name, its group and the members of its payload. A member of type `Option` may be absent.
macro_rules! events {
    ($(
        $(#[$meta:meta])*
        $name:ident = $text:literal in $group:ident {
            $( $(#[$field_meta:meta])* $field:ident : $type:ty, )*
        }
    )*) => {
        names! {
            /// The type of an event.
            EventType {
                $( $(#[$meta])* $name = $text, )*
            }
        }

        impl EventType {
            /// Returns the group that it belongs to.
            pub fn group(self) -> EventGroup {
                match self { $( Self::$name => EventGroup::$group, )* }
            }
        }

        /// An event: what happened.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Event {
            $( $(#[$meta])* $name($name), )*
        }

        impl Event {
            /// Returns its type.
            pub fn kind(&self) -> EventType {
                match self { $( Self::$name(_) => EventType::$name, )* }
            }

            /// Returns its payload as JSON.
            pub fn payload(&self) -> String {
                let written = match self { $( Self::$name(payload) => serde_json::to_string(payload), )* };
                written.expect("a payload has no maps, whose keys could be refused")
            }

            /// Reads the payload of an event of this type.
            ///
            /// # Errors
            ///
            /// When it is not such a payload.
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

            object! {
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
    /// A session has begun.
    SessionCreated = "session_created" in Session {
        /// What it is called.
        name: String,
        /// Its folder.
        project_path: String,
        /// How many messages it has.
        message_count: Option<u64>,
    }
    /// A session goes on.
    SessionResumed = "session_resumed" in Session {
        /// From which checkpoint.
        checkpoint_id: Option<String>,
        /// How many messages it has.
        message_count: u64,
    }
    /// A session is paused.
    SessionPaused = "session_paused" in Session {
        /// Why.
        reason: Option<String>,
    }
    /// The messages of a session were put together into fewer.
    SessionCompressed = "session_compressed" in Session {
        /// How many messages there were.
        original_size: u64,
        /// How many there are.
        compressed_size: u64,
        /// What stands for those that are gone.
        summary: String,
    }
    /// An agent has begun a task.
    TaskStarted = "task_started" in Task {
        /// The task.
        task_id: String,
        /// The agent.
        agent_id: Option<String>,
        /// What is to be done.
        description: String,
    }
    /// A task has come further.
    TaskProgress = "task_progress" in Task {
        /// The task.
        task_id: String,
        /// Of a hundred.
        progress: u8,
        /// In words.
        message: Option<String>,
    }
    /// A task is done.
    TaskCompleted = "task_completed" in Task {
        /// The task.
        task_id: String,
        /// The agent.
        agent_id: Option<String>,
        /// What came of it.
        result: Option<Value>,
        /// How long it took, in milliseconds.
        duration: Option<u64>,
    }
    /// A task has failed.
    TaskFailed = "task_failed" in Task {
        /// The task.
        task_id: String,
        /// The agent.
        agent_id: Option<String>,
        /// What went wrong.
        error: String,
        /// Whether it may be tried again.
        retryable: Option<bool>,
    }
    /// A task cannot go on.
    TaskBlocked = "task_blocked" in Task {
        /// The task.
        task_id: String,
        /// Why.
        reason: String,
        /// When it may go on.
        estimated_start_time: Option<String>,
        /// How much it is worth to go on.
        benefit_score: Option<f64>,
    }
    /// An agent calls a tool.
    ToolCall = "tool_call" in Tool {
        /// The call.
        tool_id: String,
        /// The tool.
        tool_name: String,
        /// The agent.
        agent_id: String,
        /// What the tool is given.
        input: Value,
    }
    /// A tool has answered.
    ToolResult = "tool_result" in Tool {
        /// The call.
        tool_id: String,
        /// The tool.
        tool_name: String,
        /// The agent.
        agent_id: String,
        /// What it has answered.
        output: Value,
        /// How long it took, in milliseconds.
        duration: u64,
    }
    /// A tool has failed.
    ToolError = "tool_error" in Tool {
        /// The call.
        tool_id: String,
        /// The tool.
        tool_name: String,
        /// The agent.
        agent_id: String,
        /// What went wrong.
        error: String,
        /// How long it took, in milliseconds.
        duration: u64,
    }
    /// A person has said something.
    UserMessage = "user_message" in Dialog {
        /// The message.
        message_id: String,
        /// What was said.
        content: String,
        /// What came with it.
        attachments: Option<Vec<Value>>,
    }
    /// An agent is saying something.
    AssistantChunk = "assistant_chunk" in Dialog {
        /// The message.
        message_id: String,
        /// What was said since the last one.
        content: String,
    }
    /// An agent has said something.
    AssistantComplete = "assistant_complete" in Dialog {
        /// The message.
        message_id: String,
        /// All of it.
        content: String,
        /// Why it stopped.
        stop_reason: Option<String>,
    }
    /// An agent has come a step further.
    AgentStepCompleted = "agent_step_completed" in Dialog {
        /// The agent.
        agent_id: Option<String>,
        /// Which step, from 1.
        round: u64,
        /// What it thought.
        thought: String,
        /// What it did.
        action: String,
        /// What it saw then.
        observation: Option<String>,
        /// Whether that worked.
        success: bool,
    }
    /// There is a plan, or another one.
    PlanUpdated = "plan_updated" in Progress {
        /// The plan.
        plan_id: String,
        /// Which one, from 1.
        version: u64,
        /// How many tasks it has.
        task_count: u64,
        /// How many of them are done.
        completed_count: u64,
    }
    /// A workflow has come further.
    WorkflowProgress = "workflow_progress" in Progress {
        /// Of a hundred.
        overall_progress: u8,
        /// Who is at work.
        active_agents: Vec<String>,
        /// How many tasks have not begun, or are under way.
        pending_tasks: u64,
        /// How many are done.
        completed_tasks: u64,
        /// How many have failed.
        failed_tasks: u64,
        /// How many wait for an agent.
        queued_tasks: Option<u64>,
    }
    /// A workflow has entered a phase.
    PhaseTransition = "phase_transition" in Phase {
        /// The phase before.
        from: WorkflowState,
        /// The phase now.
        to: WorkflowState,
        /// What has happened.
        trigger: Option<Trigger>,
        /// Why the review has rejected the result: the beginning of what the reviewer says, on one line.
        reason: Option<String>,
        /// In which round: how often it was planned, once it was.
        round: Option<u64>,
        /// The checkpoint that it goes on from.
        checkpoint_id: Option<String>,
    }
    /// What a phase has come to is in files.
    PhaseOutputSaved = "phase_output_saved" in Phase {
        /// The phase.
        phase: String,
        /// The main file.
        output_path: String,
        /// All of them.
        files: Vec<String>,
    }
    /// What was decided on the way, and why.
    DecisionTreeNode = "decision_tree_node" in Phase {
        /// The phase.
        phase: String,
        /// In which round.
        round: u64,
        /// What was thought.
        thought: String,
        /// What was done.
        action: String,
        /// With what.
        params: Value,
        /// What was seen then.
        observation: Option<String>,
        /// Which files came of it.
        output_files: Option<Vec<String>>,
    }
    /// An agent of the pool is used otherwise than before.
    ResourceUpdate = "resource_update" in Resource {
        /// The agent.
        resource_id: String,
        /// What it is doing.
        status: String,
        /// For which session.
        session_id: Option<String>,
        /// For which workflow.
        workflow_id: Option<String>,
    }
    /// Nobody can do what has to be done.
    ResourceShortage = "resource_shortage" in Resource {
        /// The task.
        task_id: Option<String>,
        /// What is missing.
        missing_resources: Vec<MissingResource>,
        /// Why.
        reason: String,
        /// What would help.
        suggestion: String,
    }
    /// A workflow waits for a person.
    WaitingForUser = "waiting_for_user" in HumanInLoop {
        /// Why: `resource_shortage`, `confirmation_required`, `ambiguous_input` or `error_recovery`.
        reason: String,
        /// What is missing.
        missing_resources: Option<Vec<MissingResource>>,
        /// What would help.
        suggestion: Option<String>,
        /// What the person can choose from.
        options: Vec<WaitingOption>,
        /// What else is known.
        context: Option<Value>,
    }
    /// A person is asked.
    UserDecisionRequired = "user_decision_required" in HumanInLoop {
        /// The decision.
        decision_id: String,
        /// The workflow that waits for it.
        workflow_id: Option<String>,
        /// The question.
        message: String,
        /// What can be chosen; absent when the answer is free.
        options: Option<Vec<String>>,
    }
    /// A person has decided, or nobody will.
    UserDecisionReceived = "user_decision_received" in HumanInLoop {
        /// The decision.
        decision_id: String,
        /// The answer as it was given; `timeout`, `cancelled` and `returned` where there is none.
        decision: String,
        /// The options that were chosen.
        selected: Vec<String>,
        /// What was provided.
        resources: Option<Vec<Value>>,
        /// What else is known.
        context: Option<Value>,
    }
    /// Something went wrong in the daemon itself.
    SystemError = "system_error" in System {
        /// What.
        error: String,
        /// Where.
        component: String,
        /// Whether it goes on.
        recoverable: bool,
    }
    /// What an agent is doing has changed.
    AgentUpdate = "agent_update" in Progress {
        /// The agent.
        agent_id: String,
        /// `idle`, `running`, `paused` or `error`.
        status: String,
        /// How busy it is, of a hundred.
        load: Option<u8>,
        /// The task that it does.
        current_task_id: Option<String>,
        /// The step that it has done.
        step: Option<AgentStep>,
    }
    /// What a workflow is doing has changed.
    WorkflowUpdate = "workflow_update" in Progress {
        /// The workflow.
        workflow_id: String,
        /// Its phase in one word.
        status: SimpleStatus,
        /// The tasks that have changed.
        task_updates: Vec<TaskUpdate>,
        /// The agents that have changed.
        agent_updates: Vec<AgentChange>,
        /// What is being thought.
        orchestrator_state: Option<OrchestratorState>,
        /// Its phase.
        fsm_state: Option<WorkflowState>,
        /// What a person has said to it.
        user_input: Option<String>,
        /// The decision that it waits for, or that one of its tasks does.
        pending_decision: Option<String>,
        /// What it waits for beside a person.
        waiting_for: Option<Vec<WaitingFor>>,
    }
}

object! {
    /// Something other than a person that a workflow waits for. Events tell of `agent` only, the state of a workflow of all.
    #[derive(Default)]
    WaitingFor {
        /// `agent`: agents that other workflows use; `model`: a provider's answer; `tool`: a tool that runs; `errand`: an agent
        /// with a folder of its own; `provider`: a provider for the daemon's agents, which have none, or a client that drives it;
        /// `retry`: the next attempt at its phase, which has failed.
        kind as "type": String,
        /// The kind of agent.
        agent_type: Option<String>,
        /// The workflows that use agents of that kind.
        used_by: Option<Vec<String>>,
        /// The agent that works.
        agent_id: Option<String>,
        /// The phase that it works on.
        phase: Option<WorkflowState>,
        /// The task that it works on.
        task_id: Option<String>,
        /// The provider that was asked, or the tool that runs.
        name: Option<String>,
        /// The model that was asked, where one is configured.
        model: Option<String>,
        /// Since when.
        since: Option<String>,
        /// How many characters of the answer have arrived.
        characters: Option<u64>,
        /// How many tokens of the answer were written, where the provider says so.
        tokens: Option<u64>,
        /// How often the provider was asked, where that was more than once.
        attempt: Option<u64>,
        /// Why the last attempt has brought no answer, while the next one is waited for.
        error: Option<String>,
        /// When the next attempt begins.
        retry_at: Option<String>,
    }
}

object! {
    /// What nobody has.
    MissingResource {
        /// The kind of agent, or a capability.
        kind as "type": String,
        /// What it would have to be able to do.
        capabilities: Option<Vec<String>>,
        /// How well it would have to be able to do something of that, from 1 to 10.
        min_level: Option<u64>,
    }
}

object! {
    /// What a person can choose.
    WaitingOption {
        /// Its name.
        id: String,
        /// What the person reads.
        label: String,
        /// A longer explanation.
        description: Option<String>,
    }
}

object! {
    /// A step of an agent.
    AgentStep {
        /// What it thought.
        thought: String,
        /// What it did.
        action: String,
        /// What it saw then.
        observation: Option<String>,
        /// Which step, from 1.
        round: Option<u64>,
        /// With what it did it.
        params: Option<Value>,
        /// Whether that worked.
        success: Option<bool>,
    }
}

object! {
    /// A task that has changed.
    TaskUpdate {
        /// The task.
        id: String,
        /// How far it has come, in a word.
        status: TaskStatus,
        /// Who does it.
        assignee: Option<String>,
    }
}

object! {
    /// An agent that has changed.
    AgentChange {
        /// The agent.
        id: String,
        /// `idle`, `running` or `error`.
        status: String,
    }
}

object! {
    /// What is being thought of a workflow.
    OrchestratorState {
        /// In which round.
        round: u64,
        /// What.
        thought: String,
    }
}
