//! Tasks that were begun and do not continue: they have timed out, they wait, or their agent is busy.

use super::{Agenda, job_of, last_transitions, takes_results, waits};
use crate::agent_row;
use crate::aggregate::{carry_out, drive};
use crate::draft::Draft;
use crate::engine::policy::Load;
use crate::engine::queue::Demand;
use crate::engine::{Job, Shared};
use crate::failure::Failure;
use aide_core::{Command, TriggerPayload};
use journal::{Agent, Decision, Query, Task, Workflow};
use protocol::workflow::{TaskState, Trigger};
use std::collections::BTreeSet;

/// The tasks that were begun and cannot continue: those that wait for the user, whose agents are free for other work meanwhile,
/// and those that were answered and whose agent is busy with other work by now.
pub(super) fn held_up(
    shared: &Shared,
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    (running, load): (&[Job], &Load<'_>),
    agenda: &mut Agenda,
) -> Result<BTreeSet<String>, Failure> {
    let mut held_up = BTreeSet::new();
    if !takes_results(workflow) {
        return Ok(held_up);
    }
    for task in draft.tasks(&workflow.id)? {
        let Some((job, agent)) = job_of(shared, &task) else { continue };
        if running.contains(&job) {
            continue;
        }
        let is_waiting = waits(draft, &workflow.id, &task.id)?;
        if is_waiting && has_task(draft, workflow, &task, agent)? {
            let (task, agent) = (task.id.clone(), agent.to_owned());
            carry_out(draft, workflow, Command::LayAside { task, agent })?;
        }
        if is_waiting || !take_back(shared, draft, workflow, (&task, agent), load, agenda)? {
            held_up.insert(task.id);
        }
    }
    Ok(held_up)
}

/// Whether an agent of the pool does this task.
fn has_task(draft: &Draft<'_>, workflow: &Workflow, task: &Task, agent: &str) -> Result<bool, Failure> {
    let row = draft.row::<Agent>(&Agent::key_of(agent))?;
    Ok(row.is_some_and(|row| agent_row::agent_of(&row).has_task(&workflow.id, &task.id)))
}

/// Gives the agent of a task back to it; false while others use it, such as another task that was given it just before.
fn take_back(
    shared: &Shared,
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    (task, agent): (&Task, &str),
    load: &Load<'_>,
    agenda: &mut Agenda,
) -> Result<bool, Failure> {
    let Some(row) = draft.row::<Agent>(&Agent::key_of(agent))? else { return Ok(true) };
    let agent = agent_row::agent_of(&row);
    if shared.couriers.contains_key(&agent.id) || agent.has_task(&workflow.id, &task.id) {
        return Ok(true);
    }
    let is_free = agent.is_free_for(&workflow.id) && load.is_free(&agent.id);
    if is_free && load.has_room(shared, draft, &agent.kind)? {
        let (task, agent) = (task.id.clone(), agent.id);
        carry_out(draft, workflow, Command::TakeUp { task, agent })?;
        return Ok(true);
    }
    agenda.lacks.insert(Demand::for_task(&agent.kind, BTreeSet::from([agent.id])));
    Ok(false)
}

/// Tasks that have had their time have failed (contract/workflows §6.1). It is counted while an agent is at work, not while a
/// person is asked.
pub(super) fn overdue(
    shared: &Shared,
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    agenda: &mut Agenda,
) -> Result<(), Failure> {
    let decided = draft.find(&Query::decisions(Some(&workflow.id), None))?;
    for task in draft.tasks(&workflow.id)? {
        let Some(started) = task.started.filter(|_| task.state == TaskState::Running) else { continue };
        let Some(name) = task.agent.as_ref().filter(|agent| shared.drives(agent)) else { continue };
        if waits(draft, &workflow.id, &task.id)? {
            continue;
        }
        // Nor while it waits for its agent, which others use since.
        let agent = draft.look::<Agent>(&Agent::key_of(name))?;
        if agent.as_ref().is_some_and(|agent| !agent_row::agent_of(agent).has_task(&workflow.id, &task.id)) {
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
        let words = format!("TIMEOUT: not done after {} s", shared.limits.task_timeout / 1000);
        let payload =
            TriggerPayload::of_task(&task.id).with_agent(name).with_error(&words).with_retryable(is_left);
        drive(draft, workflow, Trigger::TaskFailed, payload)?;
        if is_left {
            carry_out(draft, workflow, Command::Retry { task: task.id })?;
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
