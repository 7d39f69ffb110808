//! Decides the next work for a workflow: what takes no time is done here, on a draft; what takes long becomes a job.

mod dispatch;
mod overdue;
mod recovery;

pub(crate) use dispatch::{last_try, track_of};

use super::claimed::CANCEL_LIMIT;
use super::policy::{Load, Pick};
use super::queue::Demand;
use super::{ENGINE, Job, Shared};
use crate::aggregate::carry_out;
use crate::draft::Draft;
use crate::failure::Failure;
use crate::{checkpoints, decisions, waiting};
use aide_core::{Command, Context};
use dispatch::dispatch;
use journal::{Decision, Event, EventFilter, Millis, Query, Step, Task, ViewExt as _, Workflow};
use overdue::{held_up, overdue};
use protocol::workflow::{DecisionStatus, EventType, TaskState, Trigger, WorkflowState};
use recovery::recover;
use serde_json::Value;
use std::collections::BTreeSet;

/// The work of a workflow that is due.
#[derive(Default)]
pub(crate) struct Agenda {
    /// What is to run now: all of it, also what runs already.
    pub(crate) planned: Vec<PlannedJob>,
    /// The agents without which something cannot run until others have ended: the workflow is kept until then.
    pub(crate) lacks: BTreeSet<Demand>,
    /// How urgent it is that it lacks nothing.
    pub(crate) urgency: i64,
    /// When to look again although nothing has happened, while the workflow is kept.
    pub(crate) deadline: Option<Millis>,
    /// When to look again although nothing has happened, once it is given back.
    wake_at: Option<Millis>,
}

/// A job that is to run.
pub(crate) struct PlannedJob {
    pub(crate) job: Job,
    /// The agent that does it, if one can.
    pub(crate) agent: Option<String>,
    /// What kind of agent that is.
    pub(crate) kind: String,
}

impl Agenda {
    fn expire(&mut self, at: Millis) {
        self.deadline = Some(self.deadline.map_or(at, |known| known.min(at)));
    }

    /// Looks again then, be the workflow kept or given back by that time.
    fn wake(&mut self, at: Millis) {
        self.expire(at);
        self.wake_at = Some(self.wake_at.map_or(at, |known| known.min(at)));
    }
}

/// The agenda of a workflow. `running` is what runs for it, `load` what runs for all.
pub(crate) fn compute(
    shared: &Shared,
    draft: &mut Draft<'_>,
    id: &str,
    running: &[Job],
    load: &Load<'_>,
) -> Result<Agenda, Failure> {
    let Some(mut workflow) = draft.row::<Workflow>(&Workflow::key_of(id))? else {
        return Ok(Agenda::default());
    };
    let mut agenda = Agenda::default();
    if !checkpoints::is_interrupted(&workflow) {
        if workflow.engine != ENGINE && !workflow.state.is_terminal() {
            let error = format!("engine version {} cannot go on with version {}", ENGINE, workflow.engine);
            carry_out(draft, &mut workflow, Command::Park { error })?;
        } else {
            fill(shared, draft, &mut workflow, (running, load), &mut agenda)?;
        }
    }
    if !agenda.lacks.is_empty() {
        agenda.urgency = urgency(&workflow);
    }
    let kinds = agenda.lacks.iter().map(|lacking| lacking.kind.clone()).collect();
    if let Some(due) = waiting::note(draft, &mut workflow, &kinds, load.waits_since)? {
        agenda.expire(due);
    }
    if agenda.planned.is_empty() && agenda.lacks.is_empty() && workflow.wake_at != agenda.wake_at {
        workflow.wake_at = agenda.wake_at;
        draft.put(workflow);
    }
    Ok(agenda)
}

/// How urgent the workflow is for its user, by the understood intent.
fn urgency(workflow: &Workflow) -> i64 {
    match Context::read(&workflow.context).urgency() {
        Some("low") => 0,
        Some("high" | "urgent" | "critical") => 2,
        _ => 1,
    }
}

fn fill(
    shared: &Shared,
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    (running, load): (&[Job], &Load<'_>),
    agenda: &mut Agenda,
) -> Result<(), Failure> {
    if workflow.state.is_terminal() {
        return Ok(());
    }
    if matches!(workflow.state, WorkflowState::Execution | WorkflowState::Review) {
        recover(draft, workflow)?;
    }
    overdue(shared, draft, workflow, agenda)?;
    let held_up = held_up(shared, draft, workflow, (running, load), agenda)?;
    if workflow.state == WorkflowState::Execution {
        dispatch(shared, draft, workflow, load, agenda)?;
    }
    // Running tasks continue during a pause. In any other phase their results are not taken: they are interrupted, and continue
    // from there once tasks are done again.
    for task in draft.tasks(&workflow.id)?.into_iter().filter(|_| takes_results(workflow)) {
        if let Some((job, agent)) = job_of(shared, &task).filter(|_| !held_up.contains(&task.id)) {
            agenda.planned.push(PlannedJob { job, agent: Some(agent.to_owned()), kind: task.kind.clone() });
        }
    }
    if workflow.state == WorkflowState::Paused {
        // An agent that is asked already may answer.
        let job = phase_job(draft, workflow)?;
        if running.contains(&job) {
            agenda.planned.push(PlannedJob { job, agent: None, kind: String::new() });
        }
    }
    let is_phase = matches!(
        workflow.state,
        WorkflowState::SemanticUnderstanding
            | WorkflowState::RoutingDecision
            | WorkflowState::PlanLoop
            | WorkflowState::Review
            | WorkflowState::ReplanEvaluation
    );
    if is_phase {
        let kind = if workflow.state == WorkflowState::Review { "reviewer" } else { "orchestrator" };
        let job = phase_job(draft, workflow)?;
        let is_asked = decisions::pending(draft, &workflow.id)?.iter().any(|asked| asked.task.is_none());
        match workflow.wake_at.filter(|at| workflow.failures > 0 && *at > draft.now()) {
            _ if running.contains(&job) => {
                agenda.planned.push(PlannedJob { job, agent: None, kind: kind.to_owned() });
            }
            _ if is_asked => {}
            Some(later) => agenda.wake_at = Some(later),
            None => {
                let agent = match load.pick_agent(shared, draft, kind)? {
                    Pick::Agent(agent) => Some(agent),
                    Pick::Nothing => None,
                    Pick::Busy(agents) => {
                        // What still ends of the phase before wakes the workflow by itself, unless it never ends.
                        if running.iter().any(|job| matches!(job, Job::Phase { .. })) {
                            agenda.expire(draft.now().saturating_add(CANCEL_LIMIT));
                        } else {
                            agenda.lacks.insert(Demand::for_phase(kind, agents));
                        }
                        return Ok(());
                    }
                };
                agenda.planned.push(PlannedJob { job, agent, kind: kind.to_owned() });
            }
        }
    }
    Ok(())
}

/// The job that does a task which was given to an agent here, and that agent.
fn job_of<'t>(shared: &Shared, task: &'t Task) -> Option<(Job, &'t str)> {
    let (true, Some(dispatch), Some(agent)) = (task.state.is_in_flight(), &task.dispatch, &task.agent) else {
        return None;
    };
    // An agent with a folder says by itself that it has begun.
    let is_ours = shared.couriers.contains_key(agent)
        || task.state == TaskState::Running && shared.providers.contains_key(agent);
    is_ours.then(|| (Job::Task { id: task.id.clone(), dispatch: dispatch.clone() }, agent.as_str()))
}

/// Whether the result of a job is still one that the workflow wants.
pub(crate) fn is_current(draft: &Draft<'_>, workflow: &Workflow, job: &Job) -> Result<bool, Failure> {
    Ok(match job {
        Job::Phase { .. } => !workflow.state.is_terminal() && phase_job(draft, workflow)? == *job,
        Job::Task { .. } if !takes_results(workflow) => false,
        Job::Task { id, dispatch } => draft
            .row::<Task>(&Task::key_of(&workflow.id, id))?
            .is_some_and(|task| task.state.is_in_flight() && task.dispatch.as_ref() == Some(dispatch)),
    })
}

/// Whether a workflow is in a phase in which tasks are done, or paused.
fn takes_results(workflow: &Workflow) -> bool {
    matches!(workflow.state, WorkflowState::Execution | WorkflowState::Paused)
}

/// The job of a workflow's phase, or of the phase in which it continues after a pause.
fn phase_job(draft: &Draft<'_>, workflow: &Workflow) -> Result<Job, Failure> {
    Ok(Job::Phase { entered: entered(draft, workflow)?, breaks: Context::read(&workflow.context).breaks() })
}

/// The number of the event by which a workflow has entered its phase, or the phase in which it continues after a pause. A phase
/// that is entered again has another number.
fn entered(draft: &Draft<'_>, workflow: &Workflow) -> Result<i64, Failure> {
    let mut most = 1;
    loop {
        let events = last_transitions(draft, workflow, most)?;
        match events.iter().find(|event| !is_of_pause(&event.payload)) {
            Some(event) => return Ok(event.seq),
            None if events.len() < most as usize => return Ok(0),
            None => most *= 16,
        }
    }
}

/// Whether a change of phase begins a pause, or ends one with a return to the phase before.
fn is_of_pause(payload: &str) -> bool {
    let told: Value = serde_json::from_str(payload).unwrap_or_default();
    let is = |key: &str, name: &str| told[key].as_str() == Some(name);
    let paused = WorkflowState::Paused.name();
    is("to", paused) || is("from", paused) && is("trigger", Trigger::ResumeRequested.name())
}

/// The last events by which a workflow has changed its phase, the last first.
fn last_transitions(draft: &Draft<'_>, workflow: &Workflow, most: u32) -> Result<Vec<Event>, Failure> {
    let filter = EventFilter {
        kinds: Some(vec![EventType::PhaseTransition]),
        workflow: Some(workflow.id.clone()),
        newest: true,
        ..EventFilter::after(0, most)
    };
    Ok(draft.view().events(&filter)?)
}

/// Whether a task waits for what a person has not decided yet, or has decided in a pause that is not over.
pub(super) fn waits(draft: &Draft<'_>, workflow: &str, task: &str) -> Result<bool, Failure> {
    let last = draft.find(&Query::last_steps_of(workflow).for_task(task).limit(1))?.pop();
    let Some(Step { answer: None, outcome: Some(decision), .. }) = last else { return Ok(false) };
    let Some(decision) = draft.look::<Decision>(&Decision::key_of(&decision))? else { return Ok(false) };
    if decision.status == DecisionStatus::Pending {
        return Ok(true);
    }
    let workflow = draft.look::<Workflow>(&Workflow::key_of(workflow))?;
    Ok(workflow.is_some_and(|workflow| workflow.state == WorkflowState::Paused))
}
