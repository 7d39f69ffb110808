//! Asks the user about a task that has failed for good, and carries out the answer.

use crate::decisions::{self, DecisionReason, NewDecision, UserAnswer};
use crate::draft::Draft;
use crate::engine::prompt::quoted;
use crate::failure::Failure;
use crate::steer::{self, Initiator};
use crate::{context_keys, input, rows, tasks};
use journal::{Decision, Task, Workflow};
use model::workflow::{DecisionStatus, RecoveryQuestion, TaskState, Trigger, WorkflowState};
use serde_json::{Map, Value, json};

/// The first task that has failed for good.
pub(super) fn failed(tasks: &[Task]) -> Option<Task> {
    let is_failed = |task: &&Task| matches!(task.state, TaskState::ExecutionFailed | TaskState::Blocked);
    tasks.iter().find(is_failed).cloned()
}

/// Ends a workflow because of a task that has failed for good.
pub(super) fn fail(draft: &mut Draft<'_>, workflow: &mut Workflow, task: &Task) -> Result<(), Failure> {
    let mut known = Map::new();
    known.insert("lastError".to_owned(), json!(task.error.as_deref().unwrap_or("unknown")));
    steer::apply(draft, workflow, Trigger::ErrorOccurred, &known, Initiator::Driver)
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
    let mut context = rows::context_of(workflow);
    context.insert(context_keys::RECOVERY.to_owned(), json!(decision.id));
    steer::write(draft, workflow, context);
    Ok(())
}

/// Goes on as a person has said after something has failed.
pub(super) fn recover(draft: &mut Draft<'_>, workflow: &mut Workflow) -> Result<(), Failure> {
    let mut context = rows::context_of(workflow);
    let asked = context.get(context_keys::RECOVERY).and_then(Value::as_str).map(str::to_owned);
    let Some(id) = asked else {
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
    context.shift_remove(context_keys::RECOVERY);
    steer::write(draft, workflow, context);
    let said = decision.as_ref().map(UserAnswer::from_decision).unwrap_or_default();
    let tasks = draft.tasks(&workflow.id)?;
    // A user who sends the question back with a note wants a retry that heeds it.
    let Some(answer @ ("continue" | "replan")) = said.choice_or("continue") else {
        let error = failed(&tasks).and_then(|task| task.error).unwrap_or_else(|| "aborted".to_owned());
        let mut known = Map::new();
        known.insert("lastError".to_owned(), json!(error));
        return steer::apply(draft, workflow, Trigger::ErrorOccurred, &known, Initiator::Driver);
    };
    if let Some(note) = said.note.clone() {
        input::instruct(draft, workflow, note)?;
    }
    if workflow.state == WorkflowState::Review {
        let mut known = Map::new();
        known.insert("review".to_owned(), json!({ "tasks": [], "feedback": answer }));
        steer::apply(draft, workflow, Trigger::ReviewRejected, &known, Initiator::Driver)?;
    }
    if answer == "continue" {
        return tasks::retry_failed(draft, workflow);
    }
    steer::apply(draft, workflow, Trigger::MajorChangeDetected, &Map::new(), Initiator::Driver)?;
    let mut known = Map::new();
    known.insert("route".to_owned(), json!("full_replan"));
    steer::apply(draft, workflow, Trigger::RoutingDecided, &known, Initiator::Driver)
}
