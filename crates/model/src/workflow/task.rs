//! How far a task of a workflow has come.

use super::macros::names;

names! {
    /// How far a task of a workflow has come.
    TaskState {
        /// It waits for other tasks.
        Created = "created",
        /// It can be given to an agent.
        Ready = "ready",
        /// It is on its way to one.
        Dispatching = "dispatching",
        /// One has taken it.
        Dispatched = "dispatched",
        /// Nobody has taken it.
        DispatchFailed = "dispatch_failed",
        /// It is being done.
        Running = "running",
        /// It is done, and nobody has judged it yet.
        ExecutionSucceeded = "execution_succeeded",
        /// It was begun, and came to nothing.
        ExecutionFailed = "execution_failed",
        /// It is being judged.
        Reviewing = "reviewing",
        /// It has to be done again.
        ReworkRequired = "rework_required",
        /// It cannot be done.
        Blocked = "blocked",
        /// It is done, and accepted.
        Done = "done",
    }
}

names! {
    /// How far it has come with a task between whoever has given it and whoever is to do it.
    AssignmentPhase {
        /// It was given to an agent, which has not begun.
        Assigned = "assigned",
        /// It waits for an agent.
        Queued = "queued",
        /// The agent is at it.
        Started = "started",
        /// It is done, and was not judged yet.
        Reviewing = "reviewing",
        /// It waits for an agent again: what came of it before was not good enough.
        Retry = "retry",
        /// It is done, and accepted.
        Passed = "passed",
        /// It has come to nothing.
        Failed = "failed",
        /// Nobody wants it any more.
        Closed = "closed",
    }
}

names! {
    /// What can happen to a task.
    TaskTrigger {
        /// All that it needs is done.
        DepsSatisfied = "deps_satisfied",
        /// It was sent to an agent.
        OrchestratorDispatch = "orchestrator_dispatch",
        /// The agent has taken it.
        DispatchAck = "dispatch_ack",
        /// The agent has refused it.
        DispatchNack = "dispatch_nack",
        /// The agent has said nothing.
        Timeout = "timeout",
        /// There was no agent.
        NoResource = "no_resource",
        /// The agent has begun.
        TaskExecutionStarted = "task_execution_started",
        /// It may be sent again.
        RecoverableRetry = "recoverable_retry",
        /// It is of no use to send it again.
        Unrecoverable = "unrecoverable",
        /// It has come further.
        TaskProgress = "task_progress",
        /// It has a result.
        TaskExecutionResultSuccess = "task_execution_result_success",
        /// It has failed.
        TaskExecutionResultFailure = "task_execution_result_failure",
        /// It is to be done again, maybe by somebody else.
        RetryOrReassign = "retry_or_reassign",
        /// Its result is to be judged.
        ReviewRequested = "review_requested",
        /// Its result is accepted.
        ReviewPass = "review_pass",
        /// Its result is not accepted.
        ReviewReject = "review_reject",
        /// It is to be done again, be it otherwise.
        ReplanOrRetry = "replan_or_retry",
    }
}

names! {
    /// How far a task has come, in a word.
    TaskStatus {
        /// It waits for other tasks.
        Pending = "pending",
        /// It cannot go on.
        Blocked = "blocked",
        /// It can begin.
        Ready = "ready",
        /// Somebody is at it.
        InProgress = "in_progress",
        /// It has a result.
        Completed = "completed",
        /// It has none.
        Failed = "failed",
    }
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct TaskRule {
    /// How far the task has come.
    pub from: TaskState,
    /// What happens; any of these.
    pub triggers: &'static [TaskTrigger],
    /// How far it has come then.
    pub to: TaskState,
}

/// What can happen to a task in which state.
pub const TASK_RULES: &[TaskRule] = &[
    rule(TaskState::Created, &[TaskTrigger::DepsSatisfied], TaskState::Ready),
    rule(TaskState::Ready, &[TaskTrigger::OrchestratorDispatch], TaskState::Dispatching),
    rule(TaskState::Dispatching, &[TaskTrigger::DispatchAck], TaskState::Dispatched),
    rule(
        TaskState::Dispatching,
        &[TaskTrigger::DispatchNack, TaskTrigger::Timeout, TaskTrigger::NoResource],
        TaskState::DispatchFailed,
    ),
    rule(TaskState::Dispatched, &[TaskTrigger::TaskExecutionStarted], TaskState::Running),
    rule(TaskState::DispatchFailed, &[TaskTrigger::RecoverableRetry], TaskState::Ready),
    rule(TaskState::DispatchFailed, &[TaskTrigger::Unrecoverable], TaskState::Blocked),
    rule(TaskState::Running, &[TaskTrigger::TaskProgress], TaskState::Running),
    rule(TaskState::Running, &[TaskTrigger::TaskExecutionResultSuccess], TaskState::ExecutionSucceeded),
    rule(TaskState::Running, &[TaskTrigger::TaskExecutionResultFailure], TaskState::ExecutionFailed),
    rule(TaskState::ExecutionFailed, &[TaskTrigger::RetryOrReassign], TaskState::Ready),
    rule(TaskState::ExecutionSucceeded, &[TaskTrigger::ReviewRequested], TaskState::Reviewing),
    rule(TaskState::Reviewing, &[TaskTrigger::ReviewPass], TaskState::Done),
    rule(TaskState::Reviewing, &[TaskTrigger::ReviewReject], TaskState::ReworkRequired),
    rule(TaskState::ReworkRequired, &[TaskTrigger::ReplanOrRetry], TaskState::Ready),
];

const fn rule(from: TaskState, triggers: &'static [TaskTrigger], to: TaskState) -> TaskRule {
    TaskRule { from, triggers, to }
}

impl TaskState {
    /// Returns how far the task has come after `trigger`; `None` when that cannot happen now.
    pub fn next(self, trigger: TaskTrigger) -> Option<Self> {
        let rule = TASK_RULES.iter().find(|rule| rule.from == self && rule.triggers.contains(&trigger));
        rule.map(|rule| rule.to)
    }

    /// Returns the state of a task whose agent is gone: it can be given to another. Unchanged if it had none.
    #[must_use]
    pub fn interrupted(self) -> Self {
        match self {
            Self::Dispatching | Self::Dispatched | Self::Running => Self::Ready,
            state => state,
        }
    }

    /// Whether an agent has it.
    pub fn is_in_flight(self) -> bool {
        matches!(self, Self::Dispatching | Self::Dispatched | Self::Running)
    }

    /// Whether nothing more happens to it by itself.
    pub fn has_ended(self) -> bool {
        matches!(
            self,
            Self::ExecutionSucceeded | Self::ExecutionFailed | Self::Reviewing | Self::Blocked | Self::Done
        )
    }

    /// Returns it in a word, as lists of tasks tell it.
    pub fn status(self) -> TaskStatus {
        match self {
            Self::Created => TaskStatus::Pending,
            state => state.simple(),
        }
    }

    /// Returns how far it has come with its assignment, if it is one already. `was_tried` says that it was begun before;
    /// `is_over` that its workflow has ended.
    pub fn assignment(self, was_tried: bool, is_over: bool) -> Option<AssignmentPhase> {
        Some(match self {
            Self::Done => AssignmentPhase::Passed,
            Self::ExecutionFailed | Self::DispatchFailed | Self::Blocked => AssignmentPhase::Failed,
            _ if is_over => AssignmentPhase::Closed,
            Self::Created => return None,
            Self::Ready if was_tried => AssignmentPhase::Retry,
            Self::Ready => AssignmentPhase::Queued,
            Self::Dispatching | Self::Dispatched => AssignmentPhase::Assigned,
            Self::Running => AssignmentPhase::Started,
            Self::ExecutionSucceeded | Self::Reviewing => AssignmentPhase::Reviewing,
            Self::ReworkRequired => AssignmentPhase::Retry,
        })
    }

    /// Returns it in a word, as the state of a workflow tells it.
    pub fn simple(self) -> TaskStatus {
        match self {
            Self::Created | Self::Ready => TaskStatus::Ready,
            Self::Dispatching | Self::Dispatched | Self::Running => TaskStatus::InProgress,
            Self::DispatchFailed | Self::ReworkRequired | Self::Blocked => TaskStatus::Blocked,
            Self::ExecutionFailed => TaskStatus::Failed,
            Self::ExecutionSucceeded | Self::Reviewing | Self::Done => TaskStatus::Completed,
        }
    }
}
