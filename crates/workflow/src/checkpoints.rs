//! Checkpoints of sessions: their rows, and resuming from them.

use crate::aggregate::{carry_out, into_task, workflow_of};
use crate::draft::{Draft, EventScope};
use crate::failure::{Failure, unwritable};
use crate::rows;
use aide_core::checkpoint::{self, ResumeCandidate, check_resumption, resume_context, resume_phase};
use aide_core::{Command, Context};
use journal::{Checkpoint, Query, Session, View, ViewExt as _, Workflow};
use protocol::workflow::api::{SessionCheckpoint, SessionResumption};
use protocol::workflow::{ErrorCode, EventType, PhaseTransition, Refusal, SessionResumed, WorkflowState};

/// How many checkpoints of a workflow stay.
pub(crate) const KEPT: usize = 10;

/// Resumes a session, as [`resume_session`](crate::Runtime::resume_session) does.
pub(crate) fn resume_in(
    draft: &mut Draft<'_>,
    id: &str,
    checkpoint: Option<&str>,
) -> Result<SessionResumption, Failure> {
    let mut session = rows::session(draft, id)?;
    let mut open = draft.find(&Query::workflows_of(id))?;
    open.retain(|workflow| !workflow.state.is_terminal());
    let found = match checkpoint {
        Some(name) => {
            let row = draft.look::<Checkpoint>(&Checkpoint::key_of(name))?;
            Some(row.filter(|row| row.session == id).ok_or_else(|| none(id))?)
        }
        None => match left(draft.view(), &open)?.into_iter().next() {
            Some(left) => Some(left),
            None => draft.view().first(Query::checkpoints_of(id))?,
        },
    };
    let running = open.iter().find(|workflow| !is_left(workflow));
    let workflow = found.as_ref().and_then(|row| row.workflow.as_deref());
    let workflow = workflow.map(|workflow| rows::workflow(draft, workflow)).transpose()?;
    let check = check_resumption(id, workflow.as_ref().map(candidate), running.map(candidate));
    let row = match found.ok_or_else(|| none(id)).and_then(|row| check.map(|()| row)) {
        Ok(row) => row,
        // What is running was only quiet.
        Err(_) if session.paused && checkpoint.is_none() => {
            unpause(draft, &mut session, None)?;
            return Ok(plain(id));
        }
        Err(refusal) => return Err(refusal.into()),
    };
    unpause(draft, &mut session, Some(&row.id))?;
    let body = body_of(&row)?;
    let Some(mut workflow) = workflow else {
        let phase = resume_phase(&body);
        return Ok(resumption(row, None, phase, body));
    };
    let last = draft.view().first(Query::checkpoints_of_workflow(&workflow.id))?;
    let is_last = last.is_none_or(|last| last.id == row.id);
    carry_out(draft, &mut workflow, Command::ResumeFrom { checkpoint: Box::new(body.clone()), is_last })?;
    let phase = workflow.state;
    Ok(resumption(row, Some(workflow.id), phase, body))
}

/// Returns what the resumption of a workflow depends on.
fn candidate(workflow: &Workflow) -> ResumeCandidate<'_> {
    let is_interrupted = is_interrupted(workflow);
    ResumeCandidate { id: &workflow.id, state: workflow.state, is_interrupted }
}

pub(crate) fn is_under_way(workflow: &Workflow) -> bool {
    candidate(workflow).is_under_way()
}

/// Whether the workflow has no driver.
pub(crate) fn is_left(workflow: &Workflow) -> bool {
    candidate(workflow).is_left()
}

/// Whether the daemon was down while the workflow was in progress, and it has not been resumed since.
pub(crate) fn is_interrupted(workflow: &Workflow) -> bool {
    Context::may_be_interrupted(&workflow.context) && Context::read(&workflow.context).is_interrupted()
}

/// Whether the end of the daemon interrupts the workflow. That of a pause is kept for agents that are still at work.
pub(crate) fn is_driven(workflow: &Workflow) -> bool {
    let is_open = !workflow.state.is_terminal();
    is_open && (workflow.state == WorkflowState::Paused || is_under_way(workflow))
}

/// The last checkpoint of each of these workflows that was left, the latest first.
pub(crate) fn left(view: &dyn View, open: &[Workflow]) -> Result<Vec<Checkpoint>, Failure> {
    let mut found = Vec::new();
    for workflow in open.iter().filter(|workflow| is_left(workflow)) {
        found.extend(view.first(Query::checkpoints_of_workflow(&workflow.id))?);
    }
    found.sort_by_key(|row| std::cmp::Reverse(row.no));
    Ok(found)
}

fn unpause(draft: &mut Draft<'_>, session: &mut Session, checkpoint: Option<&str>) -> Result<(), Failure> {
    session.paused = false;
    session.updated = draft.now();
    draft.put(session.clone());
    let message_count = rows::message_count(draft.view(), &session.id)?;
    let told = SessionResumed { checkpoint_id: checkpoint.map(str::to_owned), message_count };
    draft.emit(EventScope { session: Some(&session.id), ..EventScope::default() }, told);
    Ok(())
}

fn resumption(
    row: Checkpoint,
    workflow_id: Option<String>,
    phase: WorkflowState,
    body: SessionCheckpoint,
) -> SessionResumption {
    SessionResumption {
        success: true,
        session_id: row.session,
        workflow_id,
        checkpoint_id: Some(row.id),
        resume_phase: Some(phase),
        resume_context: Some(resume_context(body)),
    }
}

fn plain(session: &str) -> SessionResumption {
    SessionResumption {
        success: true,
        session_id: session.to_owned(),
        workflow_id: None,
        checkpoint_id: None,
        resume_phase: None,
        resume_context: None,
    }
}

pub(crate) fn none(session: &str) -> Refusal {
    Refusal::new(ErrorCode::CheckpointNotFound, "No checkpoint found for session").with("sessionId", session)
}

pub(crate) fn body_of(row: &Checkpoint) -> Result<SessionCheckpoint, Failure> {
    serde_json::from_str(&row.body).map_err(|error| unwritable(&error))
}

/// Makes a checkpoint of a workflow as it is in the draft.
pub(crate) fn make(draft: &mut Draft<'_>, workflow: &str) -> Result<(), Failure> {
    let workflow = rows::workflow(draft, workflow)?;
    let tasks: Vec<_> = draft.tasks(&workflow.id)?.into_iter().map(into_task).collect();
    let transitions = draft.past_events(&workflow.id, EventType::PhaseTransition)?;
    let transitions = transitions
        .into_iter()
        .filter_map(|(at, payload)| Some((at, serde_json::from_str::<PhaseTransition>(&payload).ok()?)));
    let context = Context::read(&workflow.context);
    let id = name(draft, &workflow.session)?;
    let state = (&workflow_of(&workflow), context, &*tasks);
    let body = checkpoint::body(id, state, transitions, draft.now());
    let kept = draft.view().find(&Query::checkpoints_of_workflow(&workflow.id))?;
    for old in kept.iter().skip(KEPT - 1) {
        draft.remove(Checkpoint::key_of(&old.id));
    }
    let last = draft.view().first(Query::checkpoints_of(&workflow.session))?.map_or(0, |last| last.no);
    let no = last + 1 + draft.made_checkpoints(&workflow.session);
    put(draft, &body, no, Some(workflow.state))
}

/// Writes a checkpoint as the one of this number in its session.
pub(crate) fn put(
    draft: &mut Draft<'_>,
    body: &SessionCheckpoint,
    no: i64,
    state: Option<WorkflowState>,
) -> Result<(), Failure> {
    draft.put(Checkpoint {
        id: body.checkpoint_id.clone(),
        session: body.session_id.clone(),
        no,
        workflow: body.workflow_id.clone(),
        at: draft.now(),
        state,
        progress: i64::try_from(checkpoint::progress(body)).unwrap_or(100),
        body: serde_json::to_string(body).map_err(|error| unwritable(&error))?,
    });
    Ok(())
}

/// `chk-<session>-<milliseconds>`, and `…-2`, `…-3` for more in the same millisecond.
pub(crate) fn name(draft: &Draft<'_>, session: &str) -> Result<String, Failure> {
    let first = format!("chk-{session}-{}", draft.now());
    let mut name = first.clone();
    let mut number = 1;
    // Also of those that are made in the same change.
    while draft.row::<Checkpoint>(&Checkpoint::key_of(&name))?.is_some() {
        number += 1;
        name = format!("{first}-{number}");
    }
    Ok(name)
}
