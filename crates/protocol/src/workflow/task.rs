//! States of a task of a workflow, and their transitions.

use super::macros::payload_names;

payload_names! {
    /// State of a task of a workflow.
    TaskState {
        /// The task waits for other tasks.
        Created = "created",
        /// The task can be dispatched to an agent.
        Ready = "ready",
        /// The task is being dispatched to an agent.
        Dispatching = "dispatching",
        /// An agent has accepted the task.
        Dispatched = "dispatched",
        /// No agent has accepted the task.
        DispatchFailed = "dispatch_failed",
        /// The task is being executed.
        Running = "running",
        /// The task was executed and has not been reviewed yet.
        ExecutionSucceeded = "execution_succeeded",
        /// The execution has failed.
        ExecutionFailed = "execution_failed",
        /// The result is being reviewed.
        Reviewing = "reviewing",
        /// The task must be executed again.
        ReworkRequired = "rework_required",
        /// The task cannot be executed.
        Blocked = "blocked",
        /// The task is completed and accepted.
        Done = "done",
    }
}

payload_names! {
    /// Phase of a task's assignment by one agent to another.
    AssignmentPhase {
        /// The task is assigned to an agent that has not started it.
        Assigned = "assigned",
        /// The task waits for an agent.
        Queued = "queued",
        /// The agent is working on the task.
        Started = "started",
        /// The task was executed and is awaiting review.
        Reviewing = "reviewing",
        /// The task waits for an agent again, because the previous result was not good enough.
        Retry = "retry",
        /// The task is completed and accepted.
        Passed = "passed",
        /// The task has failed.
        Failed = "failed",
        /// The task is no longer needed.
        Closed = "closed",
    }
}

payload_names! {
    /// Trigger of a state transition of a task.
    TaskTrigger {
        /// All dependencies are completed.
        DepsSatisfied = "deps_satisfied",
        /// The task was dispatched to an agent.
        OrchestratorDispatch = "orchestrator_dispatch",
        /// The agent has accepted the task.
        DispatchAck = "dispatch_ack",
        /// The agent has refused the task.
        DispatchNack = "dispatch_nack",
        /// The agent has not responded.
        Timeout = "timeout",
        /// No agent was available.
        NoResource = "no_resource",
        /// The agent has started the task.
        TaskExecutionStarted = "task_execution_started",
        /// The task can be dispatched again.
        RecoverableRetry = "recoverable_retry",
        /// Dispatching the task again is pointless.
        Unrecoverable = "unrecoverable",
        /// The task has progressed.
        TaskProgress = "task_progress",
        /// The task has a result.
        TaskExecutionResultSuccess = "task_execution_result_success",
        /// The task has failed.
        TaskExecutionResultFailure = "task_execution_result_failure",
        /// The task is to be executed again, possibly by another agent.
        RetryOrReassign = "retry_or_reassign",
        /// A review of the result is requested.
        ReviewRequested = "review_requested",
        /// The review has accepted the result.
        ReviewPass = "review_pass",
        /// The review has rejected the result.
        ReviewReject = "review_reject",
        /// The task is to be executed again, possibly in a different way.
        ReplanOrRetry = "replan_or_retry",
    }
}

payload_names! {
    /// Simplified status of a task.
    TaskStatus {
        /// The task waits for other tasks.
        Pending = "pending",
        /// The task cannot continue.
        Blocked = "blocked",
        /// The task can start.
        Ready = "ready",
        /// An agent is working on the task.
        InProgress = "in_progress",
        /// The task has a result.
        Completed = "completed",
        /// The task has failed.
        Failed = "failed",
    }
}

/// One row of [`TASK_RULES`].
#[derive(Debug, Clone, Copy)]
pub struct TaskRule {
    /// State before the trigger.
    pub from: TaskState,
    /// The triggers; any of them applies.
    pub triggers: &'static [TaskTrigger],
    /// State after the trigger.
    pub to: TaskState,
}

/// All transitions of a task.
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
    /// Returns the state after `trigger`; `None` if the transition is not allowed.
    pub fn next(self, trigger: TaskTrigger) -> Option<Self> {
        let rule = TASK_RULES.iter().find(|rule| rule.from == self && rule.triggers.contains(&trigger));
        rule.map(|rule| rule.to)
    }

    /// Returns the state of a task whose agent is gone: `ready`, so that it can be dispatched to another agent. Unchanged if no
    /// agent had the task.
    #[must_use]
    pub fn interrupted(self) -> Self {
        match self {
            Self::Dispatching | Self::Dispatched | Self::Running => Self::Ready,
            state => state,
        }
    }

    /// Whether the task is dispatched to an agent or running.
    pub fn is_in_flight(self) -> bool {
        matches!(self, Self::Dispatching | Self::Dispatched | Self::Running)
    }

    /// Whether the state no longer changes by itself.
    pub fn has_ended(self) -> bool {
        matches!(
            self,
            Self::ExecutionSucceeded | Self::ExecutionFailed | Self::Reviewing | Self::Blocked | Self::Done
        )
    }

    /// Returns the simplified status, as in lists of tasks.
    pub fn status(self) -> TaskStatus {
        match self {
            Self::Created => TaskStatus::Pending,
            state => state.simple(),
        }
    }

    /// Returns the phase of the assignment; `None` if the task is not assigned yet. `was_tried` states that the task was started
    /// before; `is_over` that its workflow has ended.
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

    /// Returns the simplified status, as in the state of a workflow.
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
