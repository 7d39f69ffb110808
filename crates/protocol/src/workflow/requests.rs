//! Request bodies of the daemon: those of contract/workflows §3, and those that the contract leaves open.

use super::macros::payload;
use super::{ToolPolicy, Trigger};
use serde_json::{Map, Value};

/// Module that drives workflows, as the target of a message.
pub const ORCHESTRATOR: &str = "finger-orchestrator";

payload! {
    /// Sends a message to a module.
    MessageRequest {
        /// Module that the message is addressed to; `finger-orchestrator` starts a workflow.
        target: String,
        /// The message: a text, or an object with `content` and optionally `sessionId`, `projectPath`, `workflowId` and `images`.
        message: Value,
        /// Whether to wait for the result.
        blocking: Option<bool>,
        /// Sender of the message.
        sender: Option<String>,
        /// Id assigned by the sender, by which the message can be looked up.
        callback_id: Option<String>,
    }
}

payload! {
    /// Sends input to a workflow.
    InputRequest {
        /// Id of the workflow.
        workflow_id: String,
        /// The input; anything other than text is stored as JSON.
        input: Value,
    }
}

payload! {
    /// Pauses a workflow.
    PauseRequest {
        /// Id of the workflow.
        workflow_id: String,
        /// Whether to abort work in progress.
        hard: Option<bool>,
    }
}

payload! {
    /// Selects a workflow.
    WorkflowRequest {
        /// Id of the workflow.
        workflow_id: String,
    }
}

payload! {
    /// Applies a trigger to a workflow.
    TransitionRequest {
        /// The trigger.
        trigger: Trigger,
        /// Additions to the context: `intent`, `route`, `plan`, `tasks`, `review`, `output`, `decision`, `lastError` and any
        /// other members. They are stored unless the trigger is refused.
        context: Option<Map<String, Value>>,
        /// Id of the session; not required, because the workflow determines it.
        session_id: Option<String>,
    }
}

payload! {
    /// Requests a decision from a user.
    DecisionRequest {
        /// The question.
        message: String,
        /// Options to choose from; without options, the answer is free text.
        options: Option<Vec<String>>,
        /// Id of the workflow that waits for the decision.
        workflow_id: Option<String>,
        /// Id of the session.
        session_id: Option<String>,
        /// Id of the task that waits for the decision.
        task_id: Option<String>,
        /// Id of the agent that waits for the decision.
        agent_id: Option<String>,
        /// Answer that applies if none is given.
        default as "default": Option<String>,
        /// Whether several options can be selected; defaults to true, except for a yes/no question.
        multi_select: Option<bool>,
        /// Time limit for the answer, in milliseconds; no limit if absent.
        timeout_ms: Option<u64>,
        /// Background of the question, as Markdown.
        context: Option<String>,
    }
}

payload! {
    /// Answers a decision.
    RespondRequest {
        /// The text of an option, its number, several numbers (`1,3`, `1-3`), `Y` or `n`; any text if there are no options.
        response: String,
        /// Channel of the answer: `api` (default), or `terminal` for the command line.
        via: Option<String>,
    }
}

payload! {
    /// Shows a pending set of questions from the folder of a project.
    QuestionsRequest {
        /// Absolute path of the project folder.
        project_path: String,
        /// Id of the set of questions.
        set_id: String,
        /// How long the client waits for the answer, in milliseconds; without limit if absent.
        timeout_ms: Option<i64>,
    }
}

payload! {
    /// Creates a session.
    SessionRequest {
        /// Name of the session; defaults to the name of its folder.
        name: Option<String>,
        /// Absolute path of the project folder.
        project_path: Option<String>,
    }
}

payload! {
    /// Selects the current session.
    CurrentSessionRequest {
        /// Id of the session.
        session_id: String,
    }
}

payload! {
    /// Adds a message to a session.
    SessionMessageRequest {
        /// Text of the message.
        content: String,
        /// Role of the author: `user` (default), `assistant`, `system` or `orchestrator`.
        role: Option<String>,
    }
}

payload! {
    /// Resumes a session.
    ResumeRequest {
        /// Id of the checkpoint to resume from; defaults to the latest.
        checkpoint_id: Option<String>,
    }
}

payload! {
    /// Resumes a session that the body names (earlier form of the request).
    NamedResumeRequest {
        /// Id of the session.
        session_id: String,
        /// Id of the checkpoint to resume from; defaults to the latest.
        checkpoint_id: Option<String>,
    }
}

payload! {
    /// Creates a checkpoint of a session from the state known to the caller.
    CheckpointRequest {
        /// Id of the session.
        session_id: String,
        /// Task of the session.
        original_task: String,
        /// Progress of each task.
        task_progress: Vec<TaskProgressRequest>,
        /// States of the agents, by agent id.
        agent_states: Option<Map<String, Value>>,
        /// Additional context.
        context: Option<Map<String, Value>>,
    }
}

payload! {
    /// Progress of a task.
    TaskProgressRequest {
        /// Id of the task.
        task_id: String,
        /// Description of the work.
        description: Option<String>,
        /// `pending`, `in_progress`, `completed`, `failed` or `skipped`.
        status: String,
        /// Id of the assigned agent.
        assigned_agent: Option<String>,
        /// Start time (ISO 8601).
        started_at: Option<String>,
        /// End time (ISO 8601).
        completed_at: Option<String>,
        /// Result of the task.
        result: Option<Value>,
        /// Number of attempts so far.
        iteration_count: Option<u64>,
        /// Maximum number of attempts.
        max_iterations: Option<u64>,
    }
}

payload! {
    /// Removes messages.
    ClearRequest {
        /// Removes only messages to this module.
        target: Option<String>,
        /// Removes only messages with this status: `pending`, `completed` or `failed`; defaults to the latter two.
        status: Option<String>,
    }
}

payload! {
    /// Assigns an agent to a workflow.
    DeployRequest {
        /// Id of the agent.
        resource_id: String,
        /// Id of the session.
        session_id: String,
        /// Id of the workflow.
        workflow_id: String,
    }
}

payload! {
    /// Releases an agent.
    ReleaseRequest {
        /// Id of the agent.
        resource_id: String,
    }
}

payload! {
    /// Sets the policy of a tool.
    ToolPolicyRequest {
        /// The new policy.
        policy: ToolPolicy,
    }
}

payload! {
    /// Analyzes the intent of a user's input.
    UnderstandRequest {
        /// The input.
        input: String,
        /// Images that belong to the input: paths of at most 8 project files, each PNG, JPEG, GIF or WebP, and at most 5 MiB.
        images: Option<Vec<String>>,
        /// Id of the session; a new session is created if absent.
        session_id: Option<String>,
        /// Absolute path of the project folder of the new session.
        project_path: Option<String>,
        /// Whether to wait for the result; defaults to true.
        blocking: Option<bool>,
    }
}

payload! {
    /// Decides on the route of a workflow.
    RouteRequest {
        /// Result of the intent analysis.
        intent_analysis: Map<String, Value>,
        /// Id of the session; a new session is created if absent.
        session_id: Option<String>,
        /// Absolute path of the project folder of the new session.
        project_path: Option<String>,
        /// Whether to wait for the result; defaults to true.
        blocking: Option<bool>,
    }
}

payload! {
    /// Plans a task.
    PlanRequest {
        /// Description of the task.
        task: String,
        /// Id of the session; a new session is created if absent.
        session_id: Option<String>,
        /// Absolute path of the project folder of the new session.
        project_path: Option<String>,
        /// Whether to wait for the result; defaults to true.
        blocking: Option<bool>,
    }
}

payload! {
    /// Executes a task with one agent, without a plan.
    ExecuteRequest {
        /// Description of the task.
        task: String,
        /// Id of the agent that executes the task; defaults to any free agent that qualifies.
        agent: Option<String>,
        /// Whether to wait, for at most five minutes, if that agent is busy; defaults to true.
        queue_on_busy: Option<bool>,
        /// Id of the requesting agent, if the sender is an agent; an agent cannot wait for itself, even indirectly.
        sender: Option<String>,
        /// Id of the session; a new session is created if absent.
        session_id: Option<String>,
        /// Absolute path of the project folder of the new session.
        project_path: Option<String>,
        /// Whether to wait for the result; defaults to false.
        blocking: Option<bool>,
    }
}

payload! {
    /// Reviews a proposal or finished work.
    ReviewRequest {
        /// The proposal, as text or any other JSON; results in its `tasks` are reviewed like those of a workflow.
        proposal: Value,
        /// Id of the session; a new session is created if absent.
        session_id: Option<String>,
        /// Absolute path of the project folder of the new session.
        project_path: Option<String>,
        /// Whether to wait for the result; defaults to true.
        blocking: Option<bool>,
    }
}

payload! {
    /// Starts a workflow.
    OrchestrateRequest {
        /// Task of the workflow.
        task: String,
        /// Images that belong to the task: paths of at most 8 project files, each PNG, JPEG, GIF or WebP, and at most 5 MiB.
        images: Option<Vec<String>>,
        /// Id of the session; a new session is created if absent.
        session_id: Option<String>,
        /// Absolute path of the project folder of the new session.
        project_path: Option<String>,
        /// Whether to wait for the end of the workflow; defaults to false.
        watch: Option<bool>,
    }
}
