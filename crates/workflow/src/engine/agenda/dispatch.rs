//! Gives tasks to agents.

use super::recovery::{ask, fail, failed};
use super::{Agenda, last_transitions};
use crate::aggregate::{carry_out, drive};
use crate::draft::Draft;
use crate::engine::Shared;
use crate::engine::policy::Load;
use crate::engine::queue::Demand;
use crate::failure::Failure;
use crate::{agents, aggregate, stages};
use aide_core::agent::Agent;
use aide_core::{Command, Context, Requirement, TriggerPayload};
use journal::{Query, Step, Task, Workflow};
use protocol::workflow::{RecoveryQuestion, SingleStage, TaskState, TaskStatus, Trigger};
use serde_json::json;
use std::collections::HashSet;

/// Gives tasks to agents, as many as there are.
pub(super) fn dispatch(
    shared: &Shared,
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    load: &Load<'_>,
    agenda: &mut Agenda,
) -> Result<(), Failure> {
    let tasks = draft.tasks(&workflow.id)?;
    if tasks.is_empty() {
        // There are no tasks to execute.
        let payload = TriggerPayload::default();
        return drive(draft, workflow, Trigger::MajorChangeDetected, payload);
    }
    let context = Context::read(&workflow.context);
    let named = context.stage_agent();
    let mut is_waiting = false;
    let done = done_in(&tasks);
    for task in &tasks {
        if task.state != TaskState::Ready {
            is_waiting |= task.state.is_in_flight();
            continue;
        }
        // What is done again may be needed by what is done again as well.
        let value = aggregate::task_of(task);
        if !value.needs_are_met(|id| done.contains(id)) {
            continue;
        }
        let failed = task.finished.filter(|_| task.error.is_some());
        let again = failed.map(|failed| failed.saturating_add(shared.limits.after(task.attempt)));
        let is_undeliverable = value.is_undeliverable(shared.limits.retries);
        if let Some(at) = again.filter(|at| *at > draft.now() && !is_undeliverable) {
            agenda.wake(at);
            is_waiting = true;
            continue;
        }
        let is_eligible = |agent: &Agent, needed: &[String]| {
            named.is_none_or(|name| name == agent.id)
                && shared.drives(&agent.id)
                && !needed.iter().any(|capability| shared.lacks(&agent.id, capability))
        };
        let availability = if is_undeliverable {
            agents::Availability::Unavailable
        } else {
            agents::find_available(draft, workflow, &value, is_eligible, |agent| load.is_free(&agent.id))?
        };
        match availability {
            agents::Availability::Free(agent) if load.has_room(shared, draft, &agent.kind)? => {
                begin(shared, draft, workflow, task, &agent)?;
                is_waiting = true;
                continue;
            }
            agents::Availability::Free(_) | agents::Availability::Busy => {}
            agents::Availability::Unavailable if is_waiting => continue,
            agents::Availability::Unavailable => return shortage(draft, workflow, task),
        }
        if named.is_some() && has_queued_too_long(shared, draft, workflow, task, agenda)? {
            let error = Some("dispatch queue timeout".to_owned());
            return fail(draft, workflow, &Task { error, ..task.clone() });
        }
        agenda.lacks.insert(Demand::for_task(&task.kind, agents::capable(draft, &value, is_eligible)?));
        is_waiting = true;
    }
    if is_waiting || Context::read(&workflow.context).is_recovering() {
        return Ok(());
    }
    match failed(&draft.tasks(&workflow.id)?) {
        // The caller of a single task knows best how to continue.
        Some(task) if stages::stage_of(workflow) == Some(SingleStage::Execute) => {
            fail(draft, workflow, &task)
        }
        Some(task) => ask(draft, workflow, &task),
        None => {
            let payload = TriggerPayload::default();
            drive(draft, workflow, Trigger::TaskCompleted, payload)
        }
    }
}

/// The tasks that are done.
fn done_in(tasks: &[Task]) -> HashSet<&str> {
    let done = tasks.iter().filter(|task| task.state.simple() == TaskStatus::Completed);
    done.map(|task| &*task.id).collect()
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
    let requirement = Requirement::of(&aggregate::task_of(task));
    let resources = requirement.lacking();
    let question = RecoveryQuestion::ResourcesMissing { resources: &resources };
    let mut payload = TriggerPayload::of_task(&task.id)
        .with_missing_resources(&[requirement.missing()])
        .with_reason(&question.to_string());
    if let Some(error) = &task.error {
        payload = payload.with_suggestion(error);
    }
    // A person who answers `continue` wants the task to have all its tries again.
    draft.put(Task { attempt: 0, ..task.clone() });
    drive(draft, workflow, Trigger::ResourceMissing, payload)
}

/// Gives a task to an agent. A try that was interrupted continues where it was; any other begins anew.
fn begin(
    shared: &Shared,
    draft: &mut Draft<'_>,
    workflow: &mut Workflow,
    task: &Task,
    agent: &Agent,
) -> Result<(), Failure> {
    let is_interrupted = aggregate::task_of(task).is_interrupted();
    if shared.couriers.contains_key(&agent.id) {
        let (task, agent) = (task.id.clone(), agent.id.clone());
        carry_out(draft, workflow, Command::Dispatch { task, agent })?;
    } else {
        let payload = TriggerPayload::of_task(&task.id).with_agent(&agent.id);
        drive(draft, workflow, Trigger::TaskStarted, payload)?;
    }
    let last = last_try(draft, &workflow.id, &task.id)?;
    if last == 0 || !is_interrupted {
        let written = draft.find(&Query::last_steps_of(&workflow.id).limit(1))?.pop();
        let no = written.map_or(1, |step| step.no + 1).max(draft.next_step(&workflow.id));
        draft.put(Step {
            workflow: workflow.id.clone(),
            no,
            attempt: 1,
            task: Some(task.id.clone()),
            name: format!("{}/begin", track_of(&task.id, last + 1)),
            request_sha256: crate::ids::sha256(task.description.as_bytes()),
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
