//! Decides the next work for a workflow: what takes no time is done here, on a draft; what takes long becomes a job.

use super::policy::{CapacityLimit, Load};
use super::{ENGINE, Job, Shared, park};
use crate::agents;
use crate::checkpoints;
use crate::context_keys;
use crate::decisions::{self, DecisionReason, NewDecision, UserAnswer};
use crate::draft::Draft;
use crate::failure::Failure;
use crate::requirement::Requirement;
use crate::stages;
use crate::steer::{self, Initiator};
use crate::tasks;
use crate::waiting;
use journal::{Agent, Decision, Event, EventFilter, Millis, Query, Step, Task, ViewExt as _, Workflow};
use model::workflow::{
    AgentTrigger, DecisionStatus, EventType, RecoveryQuestion, SingleStage, TaskState, Trigger, WorkflowState,
};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// How soon it is looked again for an agent that is used elsewhere.
const BUSY_RETRY: Millis = 500;

/// The work of a workflow that is due.
#[derive(Default)]
pub(crate) struct Agenda {
    /// What is to run now: all of it, also what runs already.
    pub(crate) planned: Vec<PlannedJob>,
    /// The kinds of agents without which something cannot run until others have ended: the workflow is kept until then.
    pub(crate) lacks: BTreeSet<String>,
    /// The kinds of agents at their limit.
    pub(crate) full: BTreeSet<String>,
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
    /// Looks again once others have ended here, or soon: others may be at work elsewhere.
    fn wait_for(&mut self, kind: &str, why: Option<CapacityLimit>, now: Millis) {
        self.lacks.insert(kind.to_owned());
        if why == Some(CapacityLimit::ForAll) {
            self.full.insert(kind.to_owned());
        }
        self.expire(now.saturating_add(BUSY_RETRY));
    }

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
            let words = format!("engine version {} cannot go on with version {}", ENGINE, workflow.engine);
            park(draft, &mut workflow, &words)?;
        } else {
            fill(shared, draft, &mut workflow, (running, load), &mut agenda)?;
        }
    }
    if !agenda.lacks.is_empty() {
        agenda.urgency = urgency(&workflow);
    }
    waiting::note(draft, &mut workflow, &agenda.lacks, load.waits_since)?;
    if agenda.planned.is_empty() && agenda.lacks.is_empty() && workflow.wake_at != agenda.wake_at {
        workflow.wake_at = agenda.wake_at;
        draft.put(workflow);
    }
    Ok(agenda)
}

/// How urgent the workflow is for its user, by the understood intent.
fn urgency(workflow: &Workflow) -> i64 {
    let context = steer::context_of(workflow);
    let intent = context.get("intent").and_then(|intent| intent.get("normalizedIntent"));
    match intent.and_then(|intent| intent.get("urgency")?.as_str()) {
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
            None => match load.pick_agent(shared, draft, kind)? {
                Ok(agent) => agenda.planned.push(PlannedJob { job, agent, kind: kind.to_owned() }),
                // What still ends of the phase before wakes the workflow by itself.
                Err(_) if running.iter().any(|job| matches!(job, Job::Phase { .. })) => {}
                Err(full) => agenda.wait_for(kind, Some(full), draft.now()),
            },
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

/// The tasks that were begun and cannot continue: those that wait for the user, whose agents are free for other work meanwhile,
/// and those that were answered and whose agent is busy with other work by now.
fn held_up(
    shared: &Shared,
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    (running, load): (&[Job], &Load<'_>),
    agenda: &mut Agenda,
) -> Result<BTreeSet<String>, Failure> {
    let mut held_up = BTreeSet::new();
    for task in draft.tasks(&workflow.id)?.into_iter().filter(|_| takes_results(workflow)) {
        let Some((job, agent)) = job_of(shared, &task) else { continue };
        if running.contains(&job) {
            continue;
        }
        let is_waiting = waits(draft, &workflow.id, &task.id)?;
        if is_waiting {
            agents::leave(draft, agent, workflow, &task.id)?;
        }
        if is_waiting || !take_back(shared, draft, workflow, (&task, agent), load, agenda)? {
            held_up.insert(task.id);
        }
    }
    Ok(held_up)
}

/// Gives the agent of a task back to it; false while others use it, such as another task that was given it just before.
fn take_back(
    shared: &Shared,
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    (task, agent): (&Task, &str),
    load: &Load<'_>,
    agenda: &mut Agenda,
) -> Result<bool, Failure> {
    let Some(agent) = draft.row::<Agent>(&Agent::key_of(agent))? else { return Ok(true) };
    if shared.couriers.contains_key(&agent.id) || agents::does(&agent, workflow, &task.id) {
        return Ok(true);
    }
    let mut why = None;
    if agents::is_free_for(&agent, workflow) && load.is_free(&agent.id) {
        match load.room(shared, draft, &agent.kind)? {
            Ok(()) => {
                let steps = [AgentTrigger::DispatchAck, AgentTrigger::TaskExecutionStarted];
                agents::works(draft, &agent.id, workflow, task, &steps)?;
                return Ok(true);
            }
            Err(full) => why = Some(full),
        }
    }
    agenda.wait_for(&agent.kind, why, draft.now());
    Ok(false)
}

/// Tasks that have had their time have failed (contract/workflows §6.1). It is counted while an agent is at work, not while a
/// person is asked.
fn overdue(
    shared: &Shared,
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    agenda: &mut Agenda,
) -> Result<(), Failure> {
    let decided = draft.find(&Query::decisions(Some(&workflow.id), None))?;
    for task in draft.tasks(&workflow.id)? {
        let Some(started) = task.started.filter(|_| task.state == TaskState::Running) else { continue };
        let Some(agent) = task.agent.as_ref().filter(|agent| shared.drives(agent)) else { continue };
        if waits(draft, &workflow.id, &task.id)? {
            continue;
        }
        // Nor while it waits for its agent, which others use since.
        let agent = draft.look::<Agent>(&Agent::key_of(agent))?;
        if agent.as_ref().is_some_and(|agent| !agents::does(agent, workflow, &task.id)) {
            continue;
        }
        let had = agent.and_then(|agent| agent.deployed);
        let for_task = decided.iter().filter(|decision| decision.task.as_ref() == Some(&task.id));
        let since = for_task.filter_map(|decision| decision.ended).max().unwrap_or(started).max(started);
        let since = had.map_or(since, |had| since.max(had));
        let mut due = since.saturating_add(shared.limits.task_timeout);
        if due <= draft.now() {
            // It may have waited for what another task had asked already, and a decision that was answered in a pause is used
            // when that is over.
            let waited = asked_by(draft, &workflow.id, &task.id)?.into_iter().filter_map(|asked| asked.ended);
            let resumed = match waited.max() {
                Some(answered) => {
                    last_transitions(draft, workflow, 1)?.first().map(|event| event.at.max(answered))
                }
                None => None,
            };
            due = resumed.unwrap_or(since).max(since).saturating_add(shared.limits.task_timeout);
        }
        if due > draft.now() {
            agenda.expire(due);
            continue;
        }
        let is_left = task.attempt <= shared.limits.retries;
        let mut known = Map::new();
        known.insert("taskId".to_owned(), json!(task.id));
        known.insert("agentId".to_owned(), json!(task.agent));
        let words = format!("TIMEOUT: not done after {} s", shared.limits.task_timeout / 1000);
        known.insert("error".to_owned(), json!(words));
        known.insert("retryable".to_owned(), json!(is_left));
        steer::apply(draft, workflow, Trigger::TaskFailed, &known, Initiator::Driver)?;
        if is_left {
            tasks::retry(draft, workflow, &task.id)?;
        }
    }
    Ok(())
}

/// The decisions that a task has waited for, whichever agent asked.
fn asked_by(draft: &Draft<'_>, workflow: &str, task: &str) -> Result<Vec<Decision>, Failure> {
    let steps = draft.find(&Query::steps_of(workflow).for_task(task).with_outcome())?;
    let asked = steps.into_iter().filter_map(|step| step.outcome);
    let found = asked.map(|decision| draft.look::<Decision>(&Decision::key_of(&decision)));
    Ok(found.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
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
    Ok(Job::Phase { entered: entered(draft, workflow)?, breaks: steer::breaks(workflow) })
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

/// Gives tasks to agents, as many as there are.
fn dispatch(
    shared: &Shared,
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    load: &Load<'_>,
    agenda: &mut Agenda,
) -> Result<(), Failure> {
    let tasks = draft.tasks(&workflow.id)?;
    if tasks.is_empty() {
        // There are no tasks to execute.
        return steer::apply(draft, workflow, Trigger::MajorChangeDetected, &Map::new(), Initiator::Driver);
    }
    let context = steer::context_of(workflow);
    let named = context.get(context_keys::STAGE_AGENT).and_then(Value::as_str);
    let mut is_waiting = false;
    for task in &tasks {
        if task.state != TaskState::Ready {
            is_waiting |= task.state.is_in_flight();
            continue;
        }
        // What is done again may be needed by what is done again as well.
        if !tasks::has_all(task, &tasks) {
            continue;
        }
        let failed = task.finished.filter(|_| task.error.is_some());
        let again = failed.map(|failed| failed.saturating_add(shared.limits.after(task.attempt)));
        let is_undeliverable = tasks::is_undeliverable(task, shared.limits.retries);
        if let Some(at) = again.filter(|at| *at > draft.now() && !is_undeliverable) {
            agenda.wake(at);
            is_waiting = true;
            continue;
        }
        let availability = if is_undeliverable {
            agents::Availability::Unavailable
        } else {
            let is_meant = |agent: &Agent, needed: &[String]| {
                named.is_none_or(|name| name == agent.id)
                    && shared.drives(&agent.id)
                    && !needed.iter().any(|capability| shared.lacks(&agent.id, capability))
            };
            agents::find_available(draft, workflow, task, is_meant, |agent| load.is_free(&agent.id))?
        };
        let why = match availability {
            agents::Availability::Free(agent) => match load.room(shared, draft, &agent.kind)? {
                Ok(()) => {
                    begin(shared, draft, workflow, task, &agent)?;
                    is_waiting = true;
                    continue;
                }
                Err(full) => Some(full),
            },
            agents::Availability::Busy => None,
            agents::Availability::Unavailable if is_waiting => continue,
            agents::Availability::Unavailable => return shortage(draft, workflow, task),
        };
        if named.is_some() && has_queued_too_long(shared, draft, workflow, task, agenda)? {
            let error = Some("dispatch queue timeout".to_owned());
            return fail(draft, workflow, &Task { error, ..task.clone() });
        }
        agenda.wait_for(&task.kind, why, draft.now());
        is_waiting = true;
    }
    if is_waiting || steer::context_of(workflow).contains_key(context_keys::RECOVERY) {
        return Ok(());
    }
    match failed(&draft.tasks(&workflow.id)?) {
        // The caller of a single task knows best how to continue.
        Some(task) if stages::stage_of(workflow) == Some(SingleStage::Execute) => {
            fail(draft, workflow, &task)
        }
        Some(task) => ask(draft, workflow, &task),
        None => steer::apply(draft, workflow, Trigger::TaskCompleted, &Map::new(), Initiator::Driver),
    }
}

/// Whether a task has waited longer than the limit for the only agent that may do it (contract/workflows §6.5).
fn has_queued_too_long(
    shared: &Shared,
    draft: &Draft<'_>,
    workflow: &Workflow,
    task: &Task,
    agenda: &mut Agenda,
) -> Result<bool, Failure> {
    // It waits since it could be done: since the workflow was begun or resumed, or the task has failed.
    let entered = last_transitions(draft, workflow, 1)?.first().map(|event| event.at);
    let since = entered.max(task.finished).unwrap_or(workflow.created);
    let due = since.saturating_add(shared.limits.queue_timeout);
    agenda.expire(due);
    Ok(due <= draft.now())
}

/// No agent qualifies for a task, nor will one: asks the user.
fn shortage(draft: &mut Draft<'_>, workflow: &mut Workflow, task: &Task) -> Result<(), Failure> {
    let requirement = Requirement::for_task(task);
    let mut known = Map::new();
    known.insert("missingResources".to_owned(), json!([requirement.missing()]));
    known.insert("taskId".to_owned(), json!(task.id));
    let resources = requirement.lacking();
    let question = RecoveryQuestion::ResourcesMissing { resources: &resources };
    known.insert("reason".to_owned(), json!(question.to_string()));
    if let Some(error) = &task.error {
        known.insert("suggestion".to_owned(), json!(error));
    }
    // A person who answers `continue` wants the task to have all its tries again.
    draft.put(Task { attempt: 0, ..task.clone() });
    steer::apply(draft, workflow, Trigger::ResourceMissing, &known, Initiator::Driver)
}

/// Gives a task to an agent. A try that was interrupted continues where it was; any other begins anew.
fn begin(
    shared: &Shared,
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    task: &Task,
    agent: &Agent,
) -> Result<(), Failure> {
    let is_broken_off = task.dispatch.is_some() && task.finished.is_none();
    if shared.couriers.contains_key(&agent.id) {
        tasks::dispatch(draft, workflow, task, &agent.id)?;
    } else {
        let mut known = Map::new();
        known.insert("taskId".to_owned(), json!(task.id));
        known.insert("agentId".to_owned(), json!(agent.id));
        steer::apply(draft, workflow, Trigger::TaskStarted, &known, Initiator::Driver)?;
    }
    let last = last_try(draft, &workflow.id, &task.id)?;
    if last == 0 || !is_broken_off {
        let written = draft.find(&Query::last_steps_of(&workflow.id).limit(1))?.pop();
        let no = written.map_or(1, |step| step.no + 1).max(draft.next_step(&workflow.id));
        draft.put(Step {
            workflow: workflow.id.clone(),
            no,
            attempt: 1,
            task: Some(task.id.clone()),
            name: format!("{}/begin", track_of(&task.id, last + 1)),
            request_sha256: crate::runtime::sha256(task.description.as_bytes()),
            request: task.description.clone(),
            // The error of the previous try, for the agent: the new try clears it in the task's row.
            answer: Some(json!(task.error).to_string()),
            outcome: None,
            tokens: None,
            started: draft.now(),
            finished: Some(draft.now()),
            version: 0,
        });
    }
    Ok(())
}

/// The steps of a try at a task are called so.
pub(crate) fn track_of(task: &str, number: u64) -> String {
    format!("{task}#{number}")
}

/// The number of the last try at a task; 0 if there was none.
pub(crate) fn last_try(draft: &Draft<'_>, workflow: &str, task: &str) -> Result<u64, Failure> {
    let steps = draft.find(&Query::last_steps_of(workflow).for_task(task))?;
    let number = |step: &Step| {
        let name = step.name.strip_suffix("/begin")?;
        name.strip_prefix(task)?.strip_prefix('#')?.parse::<u64>().ok()
    };
    Ok(steps.iter().find_map(number).unwrap_or_default())
}

/// The first task that has failed for good.
fn failed(tasks: &[Task]) -> Option<Task> {
    let is_failed = |task: &&Task| matches!(task.state, TaskState::ExecutionFailed | TaskState::Blocked);
    tasks.iter().find(is_failed).cloned()
}

/// Ends a workflow because of a task that has failed for good.
fn fail(draft: &mut Draft<'_>, workflow: &mut Workflow, task: &Task) -> Result<(), Failure> {
    let mut known = Map::new();
    known.insert("lastError".to_owned(), json!(task.error.as_deref().unwrap_or("unknown")));
    steer::apply(draft, workflow, Trigger::ErrorOccurred, &known, Initiator::Driver)
}

/// Asks the user how to continue.
pub(crate) fn ask(draft: &mut Draft<'_>, workflow: &mut Workflow, task: &Task) -> Result<(), Failure> {
    let error = task.error.as_deref().unwrap_or("?");
    let new = NewDecision {
        workflow_id: Some(workflow.id.clone()),
        context: Some(format!("{}\n\n{}", task.description, super::prompt::quoted(error))),
        ..decisions::recovery(RecoveryQuestion::TaskFailed { number: &task.no.to_string() })
    };
    let decision = decisions::create(draft, &new, Some(workflow), DecisionReason::Recovery)?;
    let mut context = steer::context_of(workflow);
    context.insert(context_keys::RECOVERY.to_owned(), json!(decision.id));
    steer::write(draft, workflow, context);
    Ok(())
}

/// Goes on as a person has said after something has failed.
fn recover(draft: &mut Draft<'_>, workflow: &mut Workflow) -> Result<(), Failure> {
    let mut context = steer::context_of(workflow);
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
        steer::instruct(draft, workflow, note)?;
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
