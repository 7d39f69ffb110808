//! Input of the user to a workflow.

use crate::aggregate::carry_out;
use crate::answers;
use crate::draft::Draft;
use crate::failure::Failure;
use aide_core::{Command, Event};
use journal::Workflow;
use model::Via;
use protocol::workflow::api::WorkflowAnswer;
use protocol::workflow::{SimpleStatus, WorkflowState};

pub(crate) fn take_input(
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    input: &str,
    via: Via,
) -> Result<WorkflowAnswer, Failure> {
    let events = carry_out(draft, workflow, Command::Input { text: input.to_owned(), via })?;
    // Others may end with the one that was answered.
    let ask_resolution = events.into_iter().find_map(|event| match event {
        Event::DecisionEnded { decision, resolution, .. } => {
            Some(answers::resolution_for_client(decision, &resolution, draft.now()))
        }
        _ => None,
    });
    Ok(WorkflowAnswer { ask_resolution, ..answer(workflow, None, None) })
}

/// The answer to a request about a workflow as a whole.
pub(crate) fn answer(
    workflow: &Workflow,
    status: Option<SimpleStatus>,
    state: Option<WorkflowState>,
) -> WorkflowAnswer {
    WorkflowAnswer { success: true, workflow_id: workflow.id.clone(), status, state, ask_resolution: None }
}
