//! The state of a workflow as a value: how it is read from the rows of a draft, and how its events are written back.

use crate::draft::Draft;
use crate::failure::Failure;
use crate::{agent_row, agents, decisions, rows};
use aide_core::{Command, Context, Event, MailEnding, Moment, NeededAgents, State, TriggerPayload, task};
use journal::{Agent, Decision, Instruction, Query, Task, Workflow};
use protocol::workflow::{MailStatus, Trigger, WorkflowUpdate};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Something that is to happen to a workflow.
#[derive(Debug, Clone)]
pub struct Transition {
    /// What.
    pub trigger: Trigger,
    /// What is known of it: kept if it happens.
    pub context: Map<String, Value>,
}

/// Carries out a command: what follows from it is written into the draft and into `workflow`, and returned. `workflow` may hold
/// changes that are not in the draft yet; they are written only if the command changes the workflow.
pub(crate) fn carry_out(
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    command: Command,
) -> Result<Vec<Event>, Failure> {
    let (mut state, rows) = load(draft, workflow, |tasks| command.needed_agents(tasks))?;
    let named = command.decision().map(str::to_owned).into_iter().chain(state.context.decisions());
    for id in named.collect::<Vec<_>>() {
        if state.decision(&id).is_none()
            && let Some(row) = draft.row::<Decision>(&Decision::key_of(&id))?
        {
            state.decisions.push(decisions::decision_of(row));
        }
    }
    if let Some(task) = command.task_without_round() {
        state.last_round = draft.last_step(&workflow.id, task)?;
    }
    let moment = Moment { now: draft.now(), seed: draft.world().random() };
    let before = cfg!(debug_assertions).then(|| state.clone());
    let events = aide_core::decide(state, moment, command)?;
    write(draft, workflow, &rows, &events)?;
    if let Some(before) = before {
        let agents = before.pool.iter().map(|agent| agent.id.clone()).collect();
        let (written, _) = load(draft, workflow, |_| NeededAgents::Named(agents))?;
        let expected = events.iter().fold(before, applied);
        assert_eq!(essence(expected), essence(written), "the rows hold what the events say");
    }
    Ok(events)
}

/// Carries out a transition by the driver of a workflow.
pub(crate) fn drive(
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    trigger: Trigger,
    payload: TriggerPayload,
) -> Result<(), Failure> {
    carry_out(draft, workflow, Command::drive(trigger, payload)).map(drop)
}

/// Returns the event that reports a workflow as a whole.
pub(crate) fn update(draft: &Draft<'_>, workflow: &Workflow) -> Result<WorkflowUpdate, Failure> {
    Ok(overview(draft, workflow)?.update(draft.now()))
}

fn applied(mut state: State, event: &Event) -> State {
    state.apply(event);
    state
}

/// Returns a state without what is not read again: how decisions have ended.
fn essence(state: State) -> State {
    let decisions = state.pending().cloned().collect();
    State { decisions, last_round: 0, ..state }
}

/// What the rows hold besides the values that were read from them.
struct LoadedRows {
    /// The versions of the tasks.
    tasks: HashMap<String, i64>,
    agents: HashMap<String, Agent>,
}

/// Reads a workflow without its tasks and agents.
fn overview(draft: &Draft<'_>, workflow: &Workflow) -> Result<State, Failure> {
    let pending = decisions::pending(draft, &workflow.id)?;
    Ok(State {
        workflow: workflow_of(workflow),
        context: Context::read(&workflow.context),
        tasks: Vec::new(),
        decisions: pending.into_iter().map(decisions::decision_of).collect(),
        pool: Vec::new(),
        last_round: 0,
    })
}

/// Reads a workflow; `needed` says which agents are needed besides those that work for it.
fn load(
    draft: &Draft<'_>,
    workflow: &Workflow,
    needed: impl FnOnce(&[task::Task]) -> NeededAgents,
) -> Result<(State, LoadedRows), Failure> {
    let tasks = draft.tasks(&workflow.id)?;
    let versions = tasks.iter().map(|task| (task.id.clone(), task.version)).collect();
    let tasks: Vec<task::Task> = tasks.into_iter().map(into_task).collect();
    let agents = pool(draft, workflow, needed(&tasks))?;
    let pool = agents.iter().map(agent_row::agent_of).collect();
    let agents = agents.into_iter().map(|agent| (agent.id.clone(), agent)).collect();
    let rows = LoadedRows { tasks: versions, agents };
    Ok((State { tasks, pool, ..overview(draft, workflow)? }, rows))
}

/// Reads the agents that work for a workflow, and those that are needed besides. No other row is read: one that cannot be read
/// stops only the commands that need it.
fn pool(draft: &Draft<'_>, workflow: &Workflow, needed: NeededAgents) -> Result<Vec<Agent>, Failure> {
    let needed = match needed {
        NeededAgents::All => return draft.find(&Query::agents()),
        NeededAgents::Named(needed) => needed,
    };
    let mut agents = draft.agents_of(&workflow.id)?;
    for id in needed {
        if agents.iter().all(|agent| agent.id != id) {
            agents.extend(draft.row::<Agent>(&Agent::key_of(&id))?);
        }
    }
    agents.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(agents)
}

fn write(
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    rows: &LoadedRows,
    events: &[Event],
) -> Result<(), Failure> {
    let mut is_changed = false;
    for event in events {
        is_changed |= matches!(event, Event::WorkflowChanged(_) | Event::ContextChanged(_));
        match event {
            Event::WorkflowChanged(value) => *workflow = workflow_row(workflow, value),
            Event::ContextChanged(context) => workflow.context = (**context).clone().into_json(),
            Event::TaskChanged(task) => {
                let version = rows.tasks.get(&task.id).copied().unwrap_or_default();
                draft.put(task_row(&workflow.id, (**task).clone(), version));
            }
            Event::TaskRemoved(id) => draft.remove(Task::key_of(&workflow.id, id)),
            Event::AgentChanged(agent) => {
                if let Some(row) = rows.agents.get(&agent.id) {
                    agents::put(draft, row.clone(), (**agent).clone());
                }
            }
            Event::DecisionAsked(decision) => decisions::put_asked(draft, decision)?,
            Event::DecisionEnded { decision, resolution, via } => {
                let row = draft.row::<Decision>(&Decision::key_of(decision))?;
                let row = row.ok_or_else(|| decisions::not_found(decision))?;
                decisions::put_ended(draft, row, resolution, *via)?;
            }
            Event::Instructed(text) => instruct(draft, workflow, text.clone())?,
            Event::MailEnded(ending) => end_mail(draft, workflow, ending)?,
            Event::CheckpointDue => draft.keep(&workflow.id),
            Event::Published(scope, event) => draft.emit(rows::scope_of(scope), (**event).clone()),
        }
    }
    if is_changed {
        draft.put(workflow.clone());
    }
    Ok(())
}

/// What a person has said is used by the next prompt, once.
pub(crate) fn instruct(draft: &mut Draft<'_>, workflow: &Workflow, text: String) -> Result<(), Failure> {
    let said = draft.find(&Query::instructions_of(&workflow.id))?;
    let no = said.last().map_or(1, |last| last.no + 1);
    draft.put(Instruction { workflow: workflow.id.clone(), no, text, used_by: None, version: 0 });
    Ok(())
}

/// Ends the messages that have begun a workflow.
fn end_mail(draft: &mut Draft<'_>, workflow: &Workflow, ending: &MailEnding) -> Result<(), Failure> {
    for mut mail in draft.find(&Query::mail_of(&workflow.id))? {
        if mail.status != MailStatus::Processing {
            continue;
        }
        match ending {
            MailEnding::Completed(output) => {
                mail.status = MailStatus::Completed;
                mail.result = Some(output.clone());
            }
            MailEnding::Failed(error) => {
                mail.status = MailStatus::Failed;
                mail.error.clone_from(error);
            }
        }
        mail.updated = draft.now();
        draft.put(mail);
    }
    Ok(())
}

/// Returns the value of a row, without its context.
pub(crate) fn workflow_of(row: &Workflow) -> aide_core::Workflow {
    aide_core::Workflow {
        id: row.id.clone(),
        session: row.session.clone(),
        state: row.state,
        previous: row.previous,
        task: row.task.clone(),
        round: row.round,
        error: row.error.clone(),
        output: row.output.clone(),
        cancelled: row.cancelled,
        failures: row.failures,
        wake_at: row.wake_at,
        updated: row.updated,
    }
}

fn workflow_row(row: &Workflow, value: &aide_core::Workflow) -> Workflow {
    let value = value.clone();
    Workflow {
        state: value.state,
        previous: value.previous,
        round: value.round,
        error: value.error,
        output: value.output,
        cancelled: value.cancelled,
        failures: value.failures,
        wake_at: value.wake_at,
        updated: value.updated,
        ..row.clone()
    }
}

/// Returns the value of a row that is used further.
pub(crate) fn task_of(row: &Task) -> task::Task {
    into_task(row.clone())
}

/// Returns the value of a row.
pub(crate) fn into_task(row: Task) -> task::Task {
    task::Task {
        id: row.id,
        no: row.no,
        description: row.description,
        kind: row.kind,
        state: row.state,
        needs: rows::names(&row.needs),
        capabilities: rows::names(&row.capabilities),
        min_level: row.min_level.and_then(|level| u64::try_from(level).ok()),
        agent: row.agent,
        dispatch: row.dispatch,
        attempt: row.attempt,
        rejections: row.rejections,
        due: row.due,
        estimate: row.estimate,
        started: row.started,
        finished: row.finished,
        result: row.result,
        error: row.error,
    }
}

/// Returns the row of a value.
pub(crate) fn task_row(workflow: &str, task: task::Task, version: i64) -> Task {
    Task {
        workflow: workflow.to_owned(),
        id: task.id,
        no: task.no,
        description: task.description,
        kind: task.kind,
        state: task.state,
        needs: Value::from(task.needs).to_string(),
        capabilities: Value::from(task.capabilities).to_string(),
        min_level: task.min_level.and_then(|level| i64::try_from(level).ok()),
        agent: task.agent,
        dispatch: task.dispatch,
        attempt: task.attempt,
        rejections: task.rejections,
        due: task.due,
        estimate: task.estimate,
        started: task.started,
        finished: task.finished,
        result: task.result,
        error: task.error,
        version,
    }
}
