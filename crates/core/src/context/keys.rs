//! Names of the members of a context, and of what a trigger brings (contract/workflows §5.3).

/// What arrived while the workflow was paused; it is judged when the workflow resumes.
pub(super) const RECORDED: &str = "recordedWhilePaused";

/// The daemon was down while the workflow was in progress, and the workflow has not been resumed.
pub(super) const INTERRUPTED: &str = "interrupted";

/// The decision that the workflow waits for.
pub(super) const AWAITED: &str = "awaitedDecision";

/// The decision that says how the workflow continues after a task has failed.
pub(super) const RECOVERY: &str = "recoveryDecision";

/// The workflow was cancelled.
pub(super) const CANCELLED: &str = "cancelled";

/// How often running work was broken off by a hard pause.
pub(super) const BREAKS: &str = "breaks";

/// Paths of the images of the task.
pub(super) const IMAGES: &str = "images";

/// The only phase of a workflow of one phase.
pub(super) const STAGE: &str = "stage";

/// The only agent that may do the task of a workflow of one phase.
pub(super) const STAGE_AGENT: &str = "stageAgent";

/// The agent that does nothing else until a workflow of one phase has ended.
pub(super) const STAGE_AWAITED_BY: &str = "stageAwaitedBy";

/// Kinds of agents that the workflow waits for.
pub(super) const WAITING_FOR: &str = "waitingForAgents";

/// Why the last attempt at the phase failed, before the next one.
pub(super) const PHASE_FAILURE: &str = "phaseFailure";

/// Members that only the daemon sets: a client cannot set these.
pub(super) const RESERVED: [&str; 12] = [
    RECORDED,
    INTERRUPTED,
    AWAITED,
    RECOVERY,
    CANCELLED,
    BREAKS,
    IMAGES,
    STAGE,
    STAGE_AGENT,
    STAGE_AWAITED_BY,
    WAITING_FOR,
    PHASE_FAILURE,
];

/// What a reviewer is to judge, in a workflow of one phase.
pub(super) const PROPOSAL: &str = "proposal";

/// The state of the workflow that the session was about before, in a workflow of one phase.
pub(super) const BEFORE: &str = "before";

/// The agent that has planned the tasks.
pub(super) const PLANNED_BY: &str = "plannedBy";

/// What each task must deliver, if the planner says so, by the ids of the tasks.
pub(super) const DELIVERABLES: &str = "deliverables";

pub(super) const INTENT: &str = "intent";
pub(super) const ROUTING: &str = "routing";
pub(super) const ROUTE: &str = "route";
pub(super) const PLAN: &str = "plan";
pub(super) const OUTPUT: &str = "output";

/// No task that has failed can be tried again.
pub(super) const RETRIES_EXHAUSTED: &str = "retriesExhausted";

/// Another plan may help.
pub(super) const REPLANNABLE: &str = "replannable";

pub(super) const LAST_ERROR: &str = "lastError";

/// What the user has answered to the decision that the workflow waited for.
pub(super) const DECISION: &str = "decision";

pub(super) const DECISION_ID: &str = "decisionId";
pub(super) const DECISION_NOTE: &str = "decisionNote";

pub(super) const REVIEW: &str = "review";

/// In a review: the tasks to redo.
pub(super) const REVIEW_TASKS: &str = "tasks";

/// In a review: why, in words.
pub(super) const FEEDBACK: &str = "feedback";

/// In a review: what is to be fixed.
pub(super) const REQUIRED_FIXES: &str = "requiredFixes";

/// In a review: what the user has said of it.
pub(super) const PERSON_SAYS: &str = "personSays";

pub(super) const MISSING_RESOURCES: &str = "missingResources";
pub(super) const REASON: &str = "reason";
pub(super) const SUGGESTION: &str = "suggestion";
pub(super) const DESCRIPTION: &str = "description";

pub(super) const TASKS: &str = "tasks";
pub(super) const TASK: &str = "taskId";
pub(super) const AGENT: &str = "agentId";
pub(super) const RESULT: &str = "result";
pub(super) const ERROR: &str = "error";
pub(super) const RETRYABLE: &str = "retryable";
pub(super) const PROGRESS: &str = "progress";
pub(super) const MESSAGE: &str = "message";

/// Members that concern only the trigger that brings them: they are not stored.
pub(super) const PASSING: [&str; 8] = [TASKS, TASK, AGENT, RESULT, ERROR, RETRYABLE, PROGRESS, MESSAGE];

pub(super) const THOUGHT: &str = "thought";
pub(super) const ACTION: &str = "action";
pub(super) const OBSERVATION: &str = "observation";
pub(super) const ROUND: &str = "round";
pub(super) const PARAMS: &str = "params";
pub(super) const SUCCESS: &str = "success";

/// The same for the progress of a task: the step of its agent.
pub(super) const PASSING_STEP: [&str; 6] = [THOUGHT, ACTION, OBSERVATION, ROUND, PARAMS, SUCCESS];
