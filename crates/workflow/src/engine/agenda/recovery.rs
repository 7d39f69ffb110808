//! Asks the user about a task that has failed for good, and carries out the answer.

use crate::decisions::{self, NewDecision};
use crate::draft::Draft;
use crate::engine::prompt::quoted;
use crate::failure::Failure;
use crate::steer::{self, Initiator};
use crate::{input, tasks};
use aide_core::decision::DecisionReason;
use aide_core::{Context, Review, TriggerPayload};
use journal::{Decision, Task, Workflow};
use model::workflow::{DecisionStatus, RecoveryQuestion, Route, TaskState, Trigger, WorkflowState};

/// The first task that has failed for good.
pub(super) fn failed(tasks: &[Task]) -> Option<Task> {
    let is_failed = |task: &&Task| matches!(task.state, TaskState::ExecutionFailed | TaskState::Blocked);
    tasks.iter().find(is_failed).cloned()
}

/// Ends a workflow because of a task that has failed for good.
pub(super) fn fail(draft: &mut Draft<'_>, workflow: &mut Workflow, task: &Task) -> Result<(), Failure> {
    let payload = TriggerPayload::of_last_error(task.error.as_deref().unwrap_or("unknown"));
    steer::apply(draft, workflow, Trigger::ErrorOccurred, &payload, Initiator::Driver)
}

/// Asks the user how to continue.
pub(crate) fn ask(draft: &mut Draft<'_>, workflow: &mut Workflow, task: &Task) -> Result<(), Failure> {
    let error = task.error.as_deref().unwrap_or("?");
    let new = NewDecision {
        workflow_id: Some(workflow.id.clone()),
        context: Some(format!("{}\n\n{}", task.description, quoted(error))),
        ..decisions::recovery(RecoveryQuestion::TaskFailed { number: &task.no.to_string() })
    };
    let decision = decisions::create(draft, &new, Some(workflow), DecisionReason::Recovery)?;
    let mut context = Context::read(&workflow.context);
    context.set_recovery(&decision.id);
    steer::write(draft, workflow, context);
    Ok(())
}

/// Goes on as a person has said after something has failed.
pub(super) fn recover(draft: &mut Draft<'_>, workflow: &mut Workflow) -> Result<(), Failure> {
    let mut context = Context::read(&workflow.context);
    let Some(id) = context.recovery().map(str::to_owned) else {
        // A reviewer can judge results, not failures.
        return match failed(&draft.tasks(&workflow.id)?).filter(|_| workflow.state == WorkflowState::Review) {
            Some(task) => ask(draft, workflow, &task),
            None => Ok(()),
        };
    };
    let decision = draft.row::<Decision>(&Decision::key_of(&id))?;
    let status = decision.as_ref().map(|decision| decision.status);
    if status == Some(DecisionStatus::Pending) {
        return Ok(());
    }
    context.clear_recovery();
    steer::write(draft, workflow, context);
    let said = decision.as_ref().map(decisions::answer_to).unwrap_or_default();
    let tasks = draft.tasks(&workflow.id)?;
    // A user who sends the question back with a note wants a retry that heeds it.
    let Some(answer @ ("continue" | "replan")) = said.choice_or("continue") else {
        let error = failed(&tasks).and_then(|task| task.error).unwrap_or_else(|| "aborted".to_owned());
        let payload = TriggerPayload::of_last_error(&error);
        return steer::apply(draft, workflow, Trigger::ErrorOccurred, &payload, Initiator::Driver);
    };
    if let Some(note) = said.note.clone() {
        input::instruct(draft, workflow, note)?;
    }
    if workflow.state == WorkflowState::Review {
        let mut review = Review::default();
        review.set_tasks(Some(Vec::new()));
        review.set_feedback(answer);
        let payload = TriggerPayload::default().with_review(review);
        steer::apply(draft, workflow, Trigger::ReviewRejected, &payload, Initiator::Driver)?;
    }
    if answer == "continue" {
        return tasks::retry_failed(draft, workflow);
    }
    let payload = TriggerPayload::default();
    steer::apply(draft, workflow, Trigger::MajorChangeDetected, &payload, Initiator::Driver)?;
    let payload = TriggerPayload::of_route(Route::FullReplan);
    steer::apply(draft, workflow, Trigger::RoutingDecided, &payload, Initiator::Driver)
}
