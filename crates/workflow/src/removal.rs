//! Removes sessions and workflows, with everything that belongs to them.

use crate::draft::Draft;
use crate::failure::Failure;
use crate::{decisions, rows};
use aide_core::decision::Resolution;
use journal::{Checkpoint, Decision, Instruction, Message, Query, Session, Step, Task, Workflow};
use model::Via;
use protocol::workflow::{DecisionStatus, ErrorCode, Refusal};

/// Removes a session whose workflows have all ended.
pub(crate) fn remove_session(draft: &mut Draft<'_>, id: &str) -> Result<(), Failure> {
    rows::session(draft, id)?;
    let workflows = draft.find(&Query::workflows_of(id))?;
    if let Some(open) = workflows.iter().find(|workflow| !workflow.state.is_terminal()) {
        let refusal = Refusal::new(ErrorCode::SessionBusy, "Session has a workflow that has not ended");
        return Err(refusal.with("workflowId", &*open.id).at(open.state).into());
    }
    for message in draft.find(&Query::messages_of(id))? {
        draft.remove(Message::key_of(id, message.no));
    }
    for checkpoint in draft.find(&Query::checkpoints_of(id))? {
        draft.remove(Checkpoint::key_of(&checkpoint.id));
    }
    for workflow in &workflows {
        forget(draft, &workflow.id)?;
    }
    for decision in draft.find(&Query::decisions_of(id))? {
        if decision.status == DecisionStatus::Pending {
            decisions::end(draft, decision.clone(), &Resolution::cancelled(), Via::Api)?;
        }
        draft.remove(Decision::key_of(&decision.id));
    }
    draft.remove(Session::key_of(id));
    Ok(())
}

/// Removes a workflow that has ended and has no open decision, and its session if nothing else belongs to that.
pub(crate) fn remove_workflow(draft: &mut Draft<'_>, id: &str) -> Result<(), Failure> {
    let workflow = rows::workflow(draft, id)?;
    let busy = |words: &str| {
        let refusal = Refusal::new(ErrorCode::WorkflowActive, words);
        refusal.with("workflowId", id).at(workflow.state)
    };
    if !workflow.state.is_terminal() {
        return Err(busy("Workflow has not ended").into());
    }
    if let Some(open) = decisions::pending(draft, id)?.first() {
        let refusal = busy("Workflow has an open decision");
        return Err(refusal.with("decisionId", &*open.id).into());
    }
    for checkpoint in draft.find(&Query::checkpoints_of_workflow(id))? {
        draft.remove(Checkpoint::key_of(&checkpoint.id));
    }
    forget(draft, id)?;
    let session = &workflow.session;
    if is_alone_in(draft, id, session)? {
        for message in draft.find(&Query::messages_of(session))? {
            draft.remove(Message::key_of(session, message.no));
        }
        draft.remove(Session::key_of(session));
    }
    Ok(())
}

/// Whether nothing else belongs to the session of a workflow.
fn is_alone_in(draft: &Draft<'_>, id: &str, session: &str) -> Result<bool, Failure> {
    let is_ours = |workflow: &Option<String>| workflow.as_deref() == Some(id);
    Ok(draft.look::<Session>(&Session::key_of(session))?.is_some()
        && draft.find(&Query::workflows_of(session))?.iter().all(|other| other.id == id)
        && draft.find(&Query::messages_of(session))?.iter().all(|message| is_ours(&message.workflow))
        && draft.find(&Query::decisions_of(session))?.iter().all(|decision| is_ours(&decision.workflow))
        && draft.find(&Query::checkpoints_of(session))?.iter().all(|point| is_ours(&point.workflow)))
}

/// Removes a workflow with everything that is about it alone.
fn forget(draft: &mut Draft<'_>, id: &str) -> Result<(), Failure> {
    for task in draft.find(&Query::tasks_of(id))? {
        draft.remove(Task::key_of(id, &task.id));
    }
    for step in draft.find(&Query::steps_of(id))? {
        draft.remove(Step::key_of(id, step.no, step.attempt));
    }
    for said in draft.find(&Query::instructions_of(id))? {
        draft.remove(Instruction::key_of(id, said.no));
    }
    for decision in draft.find(&Query::decisions(Some(id), None))? {
        draft.remove(Decision::key_of(&decision.id));
    }
    draft.remove(Workflow::key_of(id));
    Ok(())
}
