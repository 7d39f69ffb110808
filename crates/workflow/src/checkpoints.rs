//! Checkpoints of sessions, and resuming from them.

use crate::aggregate::carry_out;
use crate::draft::{Draft, EventScope, iso};
use crate::failure::{Failure, unwritable};
use crate::rows;
use crate::tasks;
use aide_core::{Command, Context, Rewind};
use journal::{Checkpoint, Query, Session, Task, View, ViewExt as _, Workflow};
use protocol::workflow::api::{
    CheckpointPhase, ResumeContext, SessionCheckpoint, SessionResumption, TaskProgressEntry,
};
use protocol::workflow::{
    ErrorCode, EventType, PhaseTransition, Refusal, SessionResumed, TaskState, TaskStatus, WorkflowState,
};
use serde_json::{Map, Value, json};

/// How many checkpoints of a workflow stay.
pub(crate) const KEPT: usize = 10;

/// How often a task may be begun.
const MAX_ATTEMPTS: u64 = 3;

/// What a caller knows of a session, for a checkpoint.
#[derive(Debug, Clone)]
pub struct NewCheckpoint {
    /// The session.
    pub session_id: String,
    /// The task, in the user's words.
    pub original_task: String,
    /// How far its tasks have come.
    pub task_progress: Vec<TaskProgressEntry>,
    /// What its agents are doing, by name.
    pub agent_states: Map<String, Value>,
    /// What else is known.
    pub context: Map<String, Value>,
}

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
    let from =
        found.as_ref().map_or(Ok(ResumePoint::Nothing), |row| resume_point(draft, id, row, running))?;
    match (from, found) {
        (ResumePoint::Refused(_) | ResumePoint::Nothing, _) | (_, None)
            if session.paused && checkpoint.is_none() =>
        {
            // What is running was only quiet.
            unpause(draft, &mut session, None)?;
            Ok(plain(id))
        }
        (ResumePoint::Refused(refusal), _) => Err(refusal.into()),
        (ResumePoint::Nothing, _) | (_, None) => Err(none(id).into()),
        (ResumePoint::Session, Some(row)) => {
            unpause(draft, &mut session, Some(&row.id))?;
            let body = body_of(&row)?;
            let phase = resume_phase(&body);
            Ok(resumption(row, None, phase, body))
        }
        (ResumePoint::Workflow(mut workflow), Some(row)) => {
            unpause(draft, &mut session, Some(&row.id))?;
            let body = body_of(&row)?;
            let last = draft.view().first(Query::checkpoints_of_workflow(&workflow.id))?;
            let is_earlier = last.is_some_and(|last| last.id != row.id);
            let rewind = is_earlier.then(|| {
                Box::new(Rewind { tasks: body.task_progress.clone(), context: body.context.clone() })
            });
            let (checkpoint, phase) = (row.id.clone(), resume_phase(&body));
            carry_out(draft, &mut workflow, Command::ResumeFrom { checkpoint, phase, rewind })?;
            let phase = workflow.state;
            Ok(resumption(row, Some(workflow.id), phase, body))
        }
    }
}

pub(crate) fn is_under_way(workflow: &Workflow) -> bool {
    !matches!(workflow.state, WorkflowState::Idle | WorkflowState::Paused) && !is_left(workflow)
}

/// Whether the workflow has no driver.
pub(crate) fn is_left(workflow: &Workflow) -> bool {
    workflow.state == WorkflowState::Paused || is_interrupted(workflow)
}

/// Whether the daemon was down while the workflow was in progress, and it has not been resumed since.
pub(crate) fn is_interrupted(workflow: &Workflow) -> bool {
    Context::read(&workflow.context).is_interrupted()
}

/// What is resumed from a checkpoint.
enum ResumePoint {
    Workflow(Workflow),
    /// What a caller knows of a session, which may drive it on from there.
    Session,
    Refused(Refusal),
    Nothing,
}

fn resume_point(
    draft: &Draft<'_>,
    session: &str,
    row: &Checkpoint,
    running: Option<&Workflow>,
) -> Result<ResumePoint, Failure> {
    let busy = |workflow: &Workflow| {
        let words = "Session is already running";
        let refusal = Refusal::new(ErrorCode::SessionBusy, words).with("sessionId", session);
        ResumePoint::Refused(refusal.with("workflowId", &*workflow.id).at(workflow.state))
    };
    let Some(workflow) = &row.workflow else { return Ok(running.map_or(ResumePoint::Session, busy)) };
    let workflow = rows::workflow(draft, workflow)?;
    Ok(if !workflow.state.is_terminal() {
        if is_left(&workflow) { ResumePoint::Workflow(workflow) } else { busy(&workflow) }
    } else if let Some(running) = running {
        busy(running)
    } else {
        let words = "Session is not resumable";
        let refusal = Refusal::new(ErrorCode::SessionNotResumable, words).with("sessionId", session);
        ResumePoint::Refused(refusal.at(workflow.state))
    })
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

/// The phase in which a session continues.
pub(crate) fn resume_phase(checkpoint: &SessionCheckpoint) -> WorkflowState {
    let last = checkpoint.phase_history.as_ref().and_then(|history| history.last());
    let named = last.and_then(|last| WorkflowState::named(&last.phase));
    let named = named.filter(|state| !state.is_terminal() && *state != WorkflowState::Paused);
    // A workflow for a single phase can only continue in that one.
    if let Some(stage) = Context::stage_in(&checkpoint.context) {
        stage.phase()
    } else if !checkpoint.failed_task_ids.is_empty() {
        WorkflowState::PlanLoop
    } else if let Some(state) = named {
        state
    } else if checkpoint.task_progress.iter().any(|task| task.status == "in_progress") {
        WorkflowState::Execution
    } else if checkpoint.pending_task_ids.is_empty() && !checkpoint.completed_task_ids.is_empty() {
        WorkflowState::Review
    } else {
        WorkflowState::SemanticUnderstanding
    }
}

/// Makes a checkpoint of a workflow as it is in the draft.
pub(crate) fn make(draft: &mut Draft<'_>, workflow: &str) -> Result<(), Failure> {
    let workflow = rows::workflow(draft, workflow)?;
    let tasks = draft.tasks(&workflow.id)?;
    let mut history = Vec::new();
    for (at, payload) in draft.past_events(&workflow.id, EventType::PhaseTransition)? {
        let Ok(told) = serde_json::from_str::<PhaseTransition>(&payload) else { continue };
        history.push(CheckpointPhase {
            phase: told.to.name().to_owned(),
            timestamp: iso(at),
            action: told.trigger.map_or("resume_session", protocol::workflow::Trigger::name).to_owned(),
            checkpoint_id: told.checkpoint_id,
        });
    }
    // A paused workflow continues in the phase before the pause.
    if let Some(previous) = workflow.previous {
        history.retain(|phase| phase.phase != WorkflowState::Paused.name());
        debug_assert!(history.last().is_none_or(|last| last.phase == previous.name()));
    }
    let now = draft.now();
    let id = name(draft, &workflow.session)?;
    let progress = tasks::progress(&tasks);
    let of = |wanted: &[TaskStatus]| {
        let tasks = tasks.iter().filter(|task| wanted.contains(&task.state.simple()));
        tasks.map(|task| task.id.clone()).collect::<Vec<_>>()
    };
    let mut agent_states = Map::new();
    for task in tasks.iter().filter(|task| task.state.is_in_flight()) {
        if let Some(agent) = &task.agent {
            let state = json!({
                "agentId": agent, "currentTaskId": task.id, "status": "running", "round": task.attempt,
            });
            agent_states.insert(agent.clone(), state);
        }
    }
    let body = SessionCheckpoint {
        checkpoint_id: id.clone(),
        session_id: workflow.session.clone(),
        workflow_id: Some(workflow.id.clone()),
        timestamp: iso(now),
        original_task: workflow.task.clone(),
        task_progress: tasks.iter().map(entry).collect(),
        completed_task_ids: of(&[TaskStatus::Completed]),
        failed_task_ids: of(&[TaskStatus::Failed]),
        pending_task_ids: of(&[
            TaskStatus::Pending,
            TaskStatus::Ready,
            TaskStatus::InProgress,
            TaskStatus::Blocked,
        ]),
        agent_states,
        phase_history: Some(history),
        context: Context::read(&workflow.context).into_members(),
    };
    let kept = draft.view().find(&Query::checkpoints_of_workflow(&workflow.id))?;
    for old in kept.iter().skip(KEPT - 1) {
        draft.remove(Checkpoint::key_of(&old.id));
    }
    let last = draft.view().first(Query::checkpoints_of(&workflow.session))?.map_or(0, |last| last.no);
    draft.put(Checkpoint {
        id,
        session: workflow.session.clone(),
        no: last + 1 + draft.made_checkpoints(&workflow.session),
        workflow: Some(workflow.id.clone()),
        at: now,
        state: Some(workflow.state),
        progress: i64::try_from(progress).unwrap_or(100),
        body: serde_json::to_string(&body).map_err(|error| unwritable(&error))?,
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

fn entry(task: &Task) -> TaskProgressEntry {
    let status = match task.state {
        TaskState::ExecutionFailed => "failed",
        state if state.is_in_flight() => "in_progress",
        state if state.simple() == TaskStatus::Completed => "completed",
        _ => "pending",
    };
    let output = task.result.as_deref().and_then(|result| serde_json::from_str::<Value>(result).ok());
    let result = match (status, output, &task.error) {
        ("completed", output, _) => {
            let mut result = json!({ "success": true });
            if let Some(output) = output {
                result["output"] = output;
            }
            Some(result)
        }
        ("failed", _, error) => Some(json!({ "success": false, "error": error.clone().unwrap_or_default() })),
        _ => None,
    };
    TaskProgressEntry {
        task_id: task.id.clone(),
        description: task.description.clone(),
        status: status.to_owned(),
        assigned_agent: task.agent.clone(),
        started_at: task.started.map(iso),
        completed_at: task.finished.map(iso),
        result,
        iteration_count: u64::try_from(task.attempt).unwrap_or_default(),
        max_iterations: MAX_ATTEMPTS,
        kind: Some(task.kind.clone()),
        dependencies: Some(rows::names(&task.needs)),
        required_capabilities: Some(rows::names(&task.capabilities)),
        min_level: task.min_level.and_then(|level| u64::try_from(level).ok()),
    }
}

/// What the resuming client should know.
pub(crate) fn resume_context(checkpoint: SessionCheckpoint) -> ResumeContext {
    let all = checkpoint.task_progress.len() as u64;
    let done = checkpoint.completed_task_ids.len() as u64;
    let estimated_progress = (200 * done + all).checked_div(2 * all).unwrap_or_default();
    let mut next_actions = Vec::new();
    for task in checkpoint.task_progress.iter().filter(|task| task.status == "in_progress") {
        next_actions.push(format!(
            "Continue task \"{}\" (currently {}, round {})",
            task.description, task.status, task.iteration_count
        ));
    }
    for task in checkpoint.task_progress.iter().filter(|task| task.status == "pending") {
        next_actions.push(format!("Start pending task: {}", task.description));
    }
    if !checkpoint.failed_task_ids.is_empty() {
        let count = checkpoint.failed_task_ids.len();
        next_actions.push(format!("Review {count} failed task(s) for potential retry"));
    }
    if next_actions.is_empty() && all > 0 {
        next_actions.push("All tasks completed - session can be finalized".to_owned());
    }
    let mut summary = format!(
        "# Session Resume Summary\n\nTask: {}\n\nProgress: {estimated_progress}% ({done}/{all} tasks)\n",
        checkpoint.original_task
    );
    for task in &checkpoint.task_progress {
        summary.push_str(&format!("\n- {}: {} ({})", task.task_id, task.description, task.status));
    }
    if all > 0 {
        summary.push('\n');
    }
    ResumeContext { checkpoint, summary, next_actions, estimated_progress }
}
