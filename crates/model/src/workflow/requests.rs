//! What the daemon is asked: the bodies of requests, of contract/workflows §3 and of what it leaves open.

use super::macros::object;
use super::{ToolPolicy, Trigger};
use serde_json::{Map, Value};

/// The module that drives workflows, as the target of a message.
pub const ORCHESTRATOR: &str = "finger-orchestrator";

object! {
    /// Something is said to a module.
    MessageRequest {
        /// The module: `finger-orchestrator` begins a workflow.
        target: String,
        /// What is said: a text, or an object with `content`; also `sessionId`, `projectPath`, `workflowId` and `images`.
        message: Value,
        /// Whether the answer is waited for.
        blocking: Option<bool>,
        /// Who says it.
        sender: Option<String>,
        /// A name by which the message is found again.
        callback_id: Option<String>,
    }
}

object! {
    /// Something is said to a workflow.
    InputRequest {
        /// The workflow.
        workflow_id: String,
        /// What is said; what is no text is kept as JSON.
        input: Value,
    }
}

object! {
    /// A workflow is to be paused.
    PauseRequest {
        /// The workflow.
        workflow_id: String,
        /// Whether what is running is broken off.
        hard: Option<bool>,
    }
}

object! {
    /// A workflow.
    WorkflowRequest {
        /// Its name.
        workflow_id: String,
    }
}

object! {
    /// Something has happened to a workflow.
    TransitionRequest {
        /// What.
        trigger: Trigger,
        /// What is known now: `intent`, `route`, `plan`, `tasks`, `review`, `output`, `decision`, `lastError` and whatever else.
        /// It is kept if the trigger is not refused.
        context: Option<Map<String, Value>>,
        /// The session; it is known already.
        session_id: Option<String>,
    }
}

object! {
    /// A person is to be asked.
    DecisionRequest {
        /// The question.
        message: String,
        /// What can be chosen; without options the answer is any text.
        options: Option<Vec<String>>,
        /// The workflow that waits for it.
        workflow_id: Option<String>,
        /// The session.
        session_id: Option<String>,
        /// The task that waits for it.
        task_id: Option<String>,
        /// The agent that waits for it.
        agent_id: Option<String>,
        /// What stands for no answer.
        default as "default": Option<String>,
        /// Whether several options can be chosen; if nothing is said they can, unless they are a yes and a no.
        multi_select: Option<bool>,
        /// How long it can be answered, in milliseconds; for ever if nothing is said.
        timeout_ms: Option<u64>,
        /// Why it matters, as Markdown.
        context: Option<String>,
    }
}

object! {
    /// The answer to a decision.
    RespondRequest {
        /// The text of an option, its number, several of them (`1,3`, `1-3`), `Y` or `n`; any text where there are no options.
        response: String,
        /// How the answer came in: `terminal` by the command line, by default `api`.
        via: Option<String>,
    }
}

object! {
    /// Questions that lie open in the folder of a project, and are to be shown.
    QuestionsRequest {
        /// The folder of the project: an absolute path.
        project_path: String,
        /// The name of the set of questions.
        set_id: String,
        /// For how long somebody waits for the answer, in milliseconds; for ever, if absent.
        timeout_ms: Option<i64>,
    }
}

object! {
    /// A new session.
    SessionRequest {
        /// What it is called; as its folder, if nothing is said.
        name: Option<String>,
        /// Its folder, an absolute path.
        project_path: Option<String>,
    }
}

object! {
    /// The session that is meant from now on.
    CurrentSessionRequest {
        /// The session.
        session_id: String,
    }
}

object! {
    /// Something is said in a session.
    SessionMessageRequest {
        /// What.
        content: String,
        /// Who: `user`, `assistant`, `system` or `orchestrator`; `user` if nothing is said.
        role: Option<String>,
    }
}

object! {
    /// A session is to go on.
    ResumeRequest {
        /// The checkpoint to go on from; the last one if nothing is said.
        checkpoint_id: Option<String>,
    }
}

object! {
    /// A session is to go on, as it was said before.
    NamedResumeRequest {
        /// The session.
        session_id: String,
        /// The checkpoint to go on from; the last one if nothing is said.
        checkpoint_id: Option<String>,
    }
}

object! {
    /// How far a session has come, as its caller knows.
    CheckpointRequest {
        /// The session.
        session_id: String,
        /// What is to be done.
        original_task: String,
        /// Its tasks.
        task_progress: Vec<TaskProgressRequest>,
        /// What the agents are doing, by name.
        agent_states: Option<Map<String, Value>>,
        /// What else is known.
        context: Option<Map<String, Value>>,
    }
}

object! {
    /// How far a task has come.
    TaskProgressRequest {
        /// The task.
        task_id: String,
        /// What is to be done.
        description: Option<String>,
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
        iteration_count: Option<u64>,
        /// How often it may be.
        max_iterations: Option<u64>,
    }
}

object! {
    /// Messages are to be forgotten.
    ClearRequest {
        /// Those to this module alone.
        target: Option<String>,
        /// Those that have come so far alone: `pending`, `completed` or `failed`; the last two if nothing is said.
        status: Option<String>,
    }
}

object! {
    /// An agent is to be given to a workflow.
    DeployRequest {
        /// The agent.
        resource_id: String,
        /// The session.
        session_id: String,
        /// The workflow.
        workflow_id: String,
    }
}

object! {
    /// An agent is to be taken back.
    ReleaseRequest {
        /// The agent.
        resource_id: String,
    }
}

object! {
    /// Whether a tool may be used is said.
    ToolPolicyRequest {
        /// Whether it may.
        policy: ToolPolicy,
    }
}

object! {
    /// Words of a person are to be understood.
    UnderstandRequest {
        /// The words.
        input: String,
        /// Images that come with them: up to 8 paths of files of the project, PNG, JPEG, GIF or WebP, of 5 MiB at most.
        images: Option<Vec<String>>,
        /// The session; a new one if nothing is said.
        session_id: Option<String>,
        /// The folder of the new session, an absolute path.
        project_path: Option<String>,
        /// Whether the result is waited for; it is if nothing is said.
        blocking: Option<bool>,
    }
}

object! {
    /// Where to go on is to be decided.
    RouteRequest {
        /// What is wanted, as it was understood.
        intent_analysis: Map<String, Value>,
        /// The session; a new one if nothing is said.
        session_id: Option<String>,
        /// The folder of the new session, an absolute path.
        project_path: Option<String>,
        /// Whether the result is waited for; it is if nothing is said.
        blocking: Option<bool>,
    }
}

object! {
    /// A task is to be planned.
    PlanRequest {
        /// What is to be done.
        task: String,
        /// The session; a new one if nothing is said.
        session_id: Option<String>,
        /// The folder of the new session, an absolute path.
        project_path: Option<String>,
        /// Whether the result is waited for; it is if nothing is said.
        blocking: Option<bool>,
    }
}

object! {
    /// A task is to be done by one agent, without a plan.
    ExecuteRequest {
        /// What is to be done.
        task: String,
        /// The agent that does it; whoever is free and able if nothing is said.
        agent: Option<String>,
        /// Whether that agent is waited for where it does something else, for five minutes at most; it is if nothing is said.
        queue_on_busy: Option<bool>,
        /// The agent that has it done, if it is one: none can wait for itself, be it by way of others.
        sender: Option<String>,
        /// The session; a new one if nothing is said.
        session_id: Option<String>,
        /// The folder of the new session, an absolute path.
        project_path: Option<String>,
        /// Whether the result is waited for; it is not if nothing is said.
        blocking: Option<bool>,
    }
}

object! {
    /// What somebody proposes, or has done, is to be judged.
    ReviewRequest {
        /// What is proposed: a text or any other JSON. Results of `tasks` in it are judged as those of a workflow.
        proposal: Value,
        /// The session; a new one if nothing is said.
        session_id: Option<String>,
        /// The folder of the new session, an absolute path.
        project_path: Option<String>,
        /// Whether the result is waited for; it is if nothing is said.
        blocking: Option<bool>,
    }
}

object! {
    /// A workflow is to be begun.
    OrchestrateRequest {
        /// What is to be done.
        task: String,
        /// Images that come with it: up to 8 paths of files of the project, PNG, JPEG, GIF or WebP, of 5 MiB at most.
        images: Option<Vec<String>>,
        /// The session; a new one if nothing is said.
        session_id: Option<String>,
        /// The folder of the new session, an absolute path.
        project_path: Option<String>,
        /// Whether its end is waited for; it is not if nothing is said.
        watch: Option<bool>,
    }
}
