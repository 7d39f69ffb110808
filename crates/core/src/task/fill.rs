//! The steps that a client may leave out.

use TaskState::{
    Blocked, DispatchFailed, Dispatched, Dispatching, Done, ExecutionFailed, ExecutionSucceeded, Ready,
    Reviewing, ReworkRequired, Running,
};
use protocol::workflow::{TaskState, TaskTrigger};

/// A trigger, and the state that it leads to.
type Step = (TaskTrigger, TaskState);

/// The ways of an attempt. All begin in `ready`, and none goes beyond a result into another attempt.
const WAYS: [&[Step]; 4] = [
    &[
        (TaskTrigger::OrchestratorDispatch, Dispatching),
        (TaskTrigger::DispatchAck, Dispatched),
        (TaskTrigger::TaskExecutionStarted, Running),
        (TaskTrigger::TaskExecutionResultSuccess, ExecutionSucceeded),
        (TaskTrigger::ReviewRequested, Reviewing),
        (TaskTrigger::ReviewPass, Done),
    ],
    &[
        (TaskTrigger::OrchestratorDispatch, Dispatching),
        (TaskTrigger::DispatchAck, Dispatched),
        (TaskTrigger::TaskExecutionStarted, Running),
        (TaskTrigger::TaskExecutionResultSuccess, ExecutionSucceeded),
        (TaskTrigger::ReviewRequested, Reviewing),
        (TaskTrigger::ReviewReject, ReworkRequired),
    ],
    &[
        (TaskTrigger::OrchestratorDispatch, Dispatching),
        (TaskTrigger::DispatchAck, Dispatched),
        (TaskTrigger::TaskExecutionStarted, Running),
        (TaskTrigger::TaskExecutionResultFailure, ExecutionFailed),
    ],
    &[
        (TaskTrigger::OrchestratorDispatch, Dispatching),
        (TaskTrigger::DispatchNack, DispatchFailed),
        (TaskTrigger::Unrecoverable, Blocked),
    ],
];

/// The states from which another attempt begins, each with the trigger that leads to `ready`.
const AGAIN: [(TaskState, TaskTrigger); 3] = [
    (ExecutionFailed, TaskTrigger::RetryOrReassign),
    (DispatchFailed, TaskTrigger::RecoverableRetry),
    (ReworkRequired, TaskTrigger::ReplanOrRetry),
];

/// Returns the triggers that lead from one state to another; clients may leave out all but the last. `None` if there are none.
pub fn steps_between(from: TaskState, to: TaskState) -> Option<Vec<TaskTrigger>> {
    if from == to {
        return Some(Vec::new());
    }
    if let Some(steps) = section(from, to) {
        return Some(steps);
    }
    let (_, again) = AGAIN.iter().find(|(state, _)| *state == from)?;
    let attempt = if to == Ready { Vec::new() } else { section(Ready, to)? };
    Some([*again].into_iter().chain(attempt).collect())
}

/// The part of a way that lies between two states.
fn section(from: TaskState, to: TaskState) -> Option<Vec<TaskTrigger>> {
    WAYS.iter().find_map(|way| {
        let passed = |state: TaskState| way.iter().position(|(_, passed)| *passed == state);
        let begin = if from == Ready { 0 } else { passed(from)? + 1 };
        let part = way.get(begin..=passed(to)?)?;
        (!part.is_empty()).then(|| part.iter().map(|(trigger, _)| *trigger).collect())
    })
}
