//! Members of a workflow's context that only the daemon sets (contract/workflows §5.3).

/// What arrived while the workflow was paused; it is judged when the workflow resumes.
pub(crate) const RECORDED: &str = "recordedWhilePaused";

/// The daemon was down while the workflow was in progress, and the workflow has not been resumed.
pub(crate) const INTERRUPTED: &str = "interrupted";

/// The decision that the workflow waits for.
pub(crate) const AWAITED: &str = "awaitedDecision";

/// The decision that says how the workflow continues after a task has failed.
pub(crate) const RECOVERY: &str = "recoveryDecision";

/// The workflow was cancelled.
pub(crate) const CANCELLED: &str = "cancelled";

/// How often running work was broken off by a hard pause.
pub(crate) const BREAKS: &str = "breaks";

/// Paths of the images of the task.
pub(crate) const IMAGES: &str = "images";

/// The only phase of a workflow of one phase.
pub(crate) const STAGE: &str = "stage";

/// The only agent that may do the task of a workflow of one phase.
pub(crate) const STAGE_AGENT: &str = "stageAgent";

/// The agent that does nothing else until a workflow of one phase has ended.
pub(crate) const STAGE_AWAITED_BY: &str = "stageAwaitedBy";

/// Kinds of agents that the workflow waits for.
pub(crate) const WAITING_FOR: &str = "waitingForAgents";

/// Why the last attempt at the phase failed, before the next one.
pub(crate) const PHASE_FAILURE: &str = "phaseFailure";

/// All of them: a client cannot set these.
pub(crate) const RESERVED: [&str; 12] = [
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
