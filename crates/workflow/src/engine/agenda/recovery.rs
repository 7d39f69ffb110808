//! Asks the user about a task that has failed for good, and carries out the answer.

use crate::aggregate::{carry_out, drive, instruct};
use crate::decisions;
use crate::draft::Draft;
use crate::engine::prompt::quoted;
use crate::failure::Failure;
use aide_core::{Command, Context, Review, TriggerPayload};
use journal::{Decision, Task, Workflow};
use protocol::workflow::{DecisionStatus, Route, TaskState, Trigger, WorkflowState};

/// The first task that has failed for good.
pub(super) fn failed(tasks: &[Task]) -> Option<Task> {
    let is_failed = |task: &&Task| matches!(task.state, TaskState::ExecutionFailed | TaskState::Blocked);
    tasks.iter().find(is_failed).cloned()
}

/// Ends a workflow because of a task that has failed for good.
pub(super) fn fail(draft: &mut Draft<'_>, workflow: &mut Workflow, task: &Task) -> Result<(), Failure> {
    let payload = TriggerPayload::of_last_error(task.error.as_deref().unwrap_or("unknown"));
    drive(draft, workflow, Trigger::ErrorOccurred, payload)
}

/// Asks the user how to continue.
pub(crate) fn ask(draft: &mut Draft<'_>, workflow: &mut Workflow, task: &Task) -> Result<(), Failure> {
    let error = task.error.as_deref().unwrap_or("?");
    let context = format!("{}\n\n{}", task.description, quoted(error));
    carry_out(draft, workflow, Command::AskAboutFailure { task: task.id.clone(), context }).map(drop)
}

/// Goes on as a person has said after something has failed.
pub(super) fn recover(draft: &mut Draft<'_>, workflow: &mut Workflow) -> Result<(), Failure> {
    let context = Context::read(&workflow.context);
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
    carry_out(draft, workflow, Command::UseRecovery)?;
    let said = decision.as_ref().map(decisions::answer_to).unwrap_or_default();
    let tasks = draft.tasks(&workflow.id)?;
    // A user who sends the question back with a note wants a retry that heeds it.
    let Some(answer @ ("continue" | "replan")) = said.choice_or("continue") else {
        let error = failed(&tasks).and_then(|task| task.error).unwrap_or_else(|| "aborted".to_owned());
        let payload = TriggerPayload::of_last_error(&error);
        return drive(draft, workflow, Trigger::ErrorOccurred, payload);
    };
    if let Some(note) = said.note.clone() {
        instruct(draft, workflow, note)?;
    }
    if workflow.state == WorkflowState::Review {
        let mut review = Review::default();
        review.set_tasks(Some(Vec::new()));
        review.set_feedback(answer);
        let payload = TriggerPayload::default().with_review(review);
        drive(draft, workflow, Trigger::ReviewRejected, payload)?;
    }
    if answer == "continue" {
        return carry_out(draft, workflow, Command::RetryFailed).map(drop);
    }
    let payload = TriggerPayload::default();
    drive(draft, workflow, Trigger::MajorChangeDetected, payload)?;
    let payload = TriggerPayload::of_route(Route::FullReplan);
    drive(draft, workflow, Trigger::RoutingDecided, payload)
}
