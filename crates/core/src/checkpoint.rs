//! Checkpoints: what they hold, and how a session or a workflow continues from one (contract/workflows §8.3, §8.4).

use crate::task::Task;
use crate::workflow::Workflow;
use crate::{Context, Millis};
use protocol::agent::Timestamp;
use protocol::workflow::api::{CheckpointPhase, ResumeContext, SessionCheckpoint, TaskProgressEntry};
use protocol::workflow::{
    ErrorCode, PhaseTransition, Refusal, TaskState, TaskStatus, Trigger, WorkflowState,
};
use serde_json::{Map, Value, json};

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

impl NewCheckpoint {
    /// Returns what the checkpoint holds.
    pub fn body(&self, id: String, now: Millis) -> SessionCheckpoint {
        let named = |wanted: &[&str]| {
            let tasks = self.task_progress.iter().filter(|task| wanted.contains(&task.status.as_str()));
            tasks.map(|task| task.task_id.clone()).collect()
        };
        SessionCheckpoint {
            checkpoint_id: id,
            session_id: self.session_id.clone(),
            workflow_id: None,
            timestamp: iso(now),
            original_task: self.original_task.clone(),
            task_progress: self.task_progress.clone(),
            completed_task_ids: named(&["completed", "skipped"]),
            failed_task_ids: named(&["failed"]),
            pending_task_ids: named(&["pending", "in_progress"]),
            agent_states: self.agent_states.clone(),
            phase_history: None,
            context: self.context.clone(),
        }
    }
}

/// Returns what the checkpoint of a workflow holds. `transitions` are those between its phases, each with its time.
pub fn body(
    id: String,
    (workflow, context, tasks): (&Workflow, Context, &[Task]),
    transitions: impl IntoIterator<Item = (Millis, PhaseTransition)>,
    now: Millis,
) -> SessionCheckpoint {
    let named = |wanted: &[TaskStatus]| {
        let tasks = tasks.iter().filter(|task| wanted.contains(&task.state.simple()));
        tasks.map(|task| task.id.clone()).collect()
    };
    SessionCheckpoint {
        checkpoint_id: id,
        session_id: workflow.session.clone(),
        workflow_id: Some(workflow.id.clone()),
        timestamp: iso(now),
        original_task: workflow.task.clone(),
        task_progress: tasks.iter().map(Task::progress_entry).collect(),
        completed_task_ids: named(&[TaskStatus::Completed]),
        failed_task_ids: named(&[TaskStatus::Failed]),
        pending_task_ids: named(&[
            TaskStatus::Pending,
            TaskStatus::Ready,
            TaskStatus::InProgress,
            TaskStatus::Blocked,
        ]),
        agent_states: agent_states(tasks),
        phase_history: Some(phase_history(transitions, workflow.previous)),
        context: context.into_members(),
    }
}

fn agent_states(tasks: &[Task]) -> Map<String, Value> {
    let in_flight = tasks.iter().filter(|task| task.state.is_in_flight());
    let states = in_flight.filter_map(|task| {
        let agent = task.agent.clone()?;
        let state = json!({
            "agentId": agent, "currentTaskId": task.id, "status": "running", "round": task.attempt,
        });
        Some((agent, state))
    });
    states.collect()
}

/// Returns the phases that a workflow has entered. A paused workflow continues in the phase before the pause.
fn phase_history(
    transitions: impl IntoIterator<Item = (Millis, PhaseTransition)>,
    paused_in: Option<WorkflowState>,
) -> Vec<CheckpointPhase> {
    let phases = transitions.into_iter().map(|(at, transition)| CheckpointPhase {
        phase: transition.to.name().to_owned(),
        timestamp: iso(at),
        action: transition.trigger.map_or("resume_session", Trigger::name).to_owned(),
        checkpoint_id: transition.checkpoint_id,
    });
    let mut history: Vec<CheckpointPhase> = phases.collect();
    if let Some(previous) = paused_in {
        history.retain(|phase| phase.phase != WorkflowState::Paused.name());
        debug_assert!(history.last().is_none_or(|last| last.phase == previous.name()));
    }
    history
}

impl Task {
    /// Returns how far the task has come, as a checkpoint says it.
    fn progress_entry(&self) -> TaskProgressEntry {
        let status = match self.state {
            TaskState::ExecutionFailed => "failed",
            state if state.is_in_flight() => "in_progress",
            state if state.simple() == TaskStatus::Completed => "completed",
            _ => "pending",
        };
        TaskProgressEntry {
            task_id: self.id.clone(),
            description: self.description.clone(),
            status: status.to_owned(),
            assigned_agent: self.agent.clone(),
            started_at: self.started.map(iso),
            completed_at: self.finished.map(iso),
            result: self.progress_result(status),
            iteration_count: u64::try_from(self.attempt).unwrap_or_default(),
            max_iterations: MAX_ATTEMPTS,
            kind: Some(self.kind.clone()),
            dependencies: Some(self.needs.clone()),
            required_capabilities: Some(self.capabilities.clone()),
            min_level: self.min_level,
        }
    }

    fn progress_result(&self, status: &str) -> Option<Value> {
        match status {
            "completed" => {
                let mut result = json!({ "success": true });
                let output =
                    self.result.as_deref().and_then(|result| serde_json::from_str::<Value>(result).ok());
                if let Some(output) = output {
                    result["output"] = output;
                }
                Some(result)
            }
            "failed" => Some(json!({ "success": false, "error": self.error.clone().unwrap_or_default() })),
            _ => None,
        }
    }
}

/// A workflow, as far as its resumption depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResumeCandidate<'a> {
    /// Its ID.
    pub id: &'a str,
    /// Its phase.
    pub state: WorkflowState,
    /// Whether the daemon was down while it was in progress, and it has not been resumed.
    pub is_interrupted: bool,
}

impl ResumeCandidate<'_> {
    /// Whether it has no driver.
    pub fn is_left(self) -> bool {
        self.state == WorkflowState::Paused || self.is_interrupted
    }

    /// Whether it has a driver, and has begun.
    pub fn is_under_way(self) -> bool {
        self.state != WorkflowState::Idle && !self.is_left()
    }

    fn busy(self, session: &str) -> Refusal {
        let refusal = Refusal::new(ErrorCode::SessionBusy, "Session is already running");
        refusal.with("sessionId", session).with("workflowId", self.id).at(self.state)
    }
}

/// Checks whether a session can continue from a checkpoint of this workflow, if it is one of a workflow. `running` is a workflow
/// of the session that has a driver.
///
/// # Errors
///
/// When the workflow or another one runs, or when the workflow has ended.
pub fn check_resumption(
    session: &str,
    workflow: Option<ResumeCandidate<'_>>,
    running: Option<ResumeCandidate<'_>>,
) -> Result<(), Refusal> {
    let open = workflow.filter(|workflow| !workflow.state.is_terminal());
    match (open, workflow, running) {
        (Some(open), ..) if open.is_left() => Ok(()),
        (Some(running), ..) | (None, _, Some(running)) => Err(running.busy(session)),
        (None, Some(ended), None) => {
            let refusal = Refusal::new(ErrorCode::SessionNotResumable, "Session is not resumable");
            Err(refusal.with("sessionId", session).at(ended.state))
        }
        (None, None, None) => Ok(()),
    }
}

/// Returns the phase in which a session continues.
pub fn resume_phase(checkpoint: &SessionCheckpoint) -> WorkflowState {
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

/// Returns the progress of a session in percent: 0 if there are no tasks.
pub fn progress(checkpoint: &SessionCheckpoint) -> u64 {
    let (all, done) = (checkpoint.task_progress.len() as u64, checkpoint.completed_task_ids.len() as u64);
    (200 * done + all).checked_div(2 * all).unwrap_or_default()
}

/// Returns what the client that resumes a session should know.
pub fn resume_context(checkpoint: SessionCheckpoint) -> ResumeContext {
    ResumeContext {
        summary: summary(&checkpoint),
        next_actions: next_actions(&checkpoint),
        estimated_progress: progress(&checkpoint),
        checkpoint,
    }
}

fn next_actions(checkpoint: &SessionCheckpoint) -> Vec<String> {
    let with_status =
        |status: &'static str| checkpoint.task_progress.iter().filter(move |task| task.status == status);
    let mut actions = Vec::new();
    for TaskProgressEntry { description, status, iteration_count, .. } in with_status("in_progress") {
        actions
            .push(format!("Continue task \"{description}\" (currently {status}, round {iteration_count})"));
    }
    for task in with_status("pending") {
        actions.push(format!("Start pending task: {}", task.description));
    }
    if !checkpoint.failed_task_ids.is_empty() {
        let count = checkpoint.failed_task_ids.len();
        actions.push(format!("Review {count} failed task(s) for potential retry"));
    }
    if actions.is_empty() && !checkpoint.task_progress.is_empty() {
        actions.push("All tasks completed - session can be finalized".to_owned());
    }
    actions
}

fn summary(checkpoint: &SessionCheckpoint) -> String {
    let (task, percent) = (&checkpoint.original_task, progress(checkpoint));
    let (all, done) = (checkpoint.task_progress.len(), checkpoint.completed_task_ids.len());
    let mut summary =
        format!("# Session Resume Summary\n\nTask: {task}\n\nProgress: {percent}% ({done}/{all} tasks)\n");
    for TaskProgressEntry { task_id, description, status, .. } in &checkpoint.task_progress {
        summary.push_str(&format!("\n- {task_id}: {description} ({status})"));
    }
    if all > 0 {
        summary.push('\n');
    }
    summary
}

/// A time as checkpoints have it.
fn iso(at: Millis) -> String {
    Timestamp::from_unix_millis(at).as_str().to_owned()
}
