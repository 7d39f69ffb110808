//! What agents of the pool do for the tasks of a workflow.

use crate::agent::{self, Agent};
use crate::event::Event;
use crate::scope::Scope;
use crate::scratch::Scratch;
use crate::task::Task;
use crate::workflow::Workflow;
use protocol::workflow::{
    AgentState, AgentStep, AgentTrigger, AgentUpdate, ErrorCode, Refusal, ResourceStatus,
};

/// Applies these steps of a task to its agent. Agents outside the pool are ignored, and so are steps that do not fit the agent's
/// state or belong to another task.
pub(super) fn works(scratch: &mut Scratch, id: &str, task: &Task, steps: &[AgentTrigger]) {
    let state = scratch.state();
    let Some(agent) = state.agent(id) else { return };
    let after = agent.after_steps(state.order(&task.id), task.error.as_deref(), steps, scratch.now());
    let Some(agent) = after else { return };
    let scope = Scope::of(&state.workflow).task(&task.id).agent(Some(id));
    scratch.publish(scope, agent.update());
    scratch.record(Event::AgentChanged(Box::new(agent)));
}

/// Reserves an agent for a task: it is given no other task.
pub(super) fn reserve(scratch: &mut Scratch, id: &str, task: &str) {
    let state = scratch.state();
    let Some(agent) = state.agent(id) else { return };
    let agent = agent.clone().reserved(state.order(task), scratch.now());
    publish_availability(scratch, &agent, &agent);
    scratch.record(Event::AgentChanged(Box::new(agent)));
}

/// Frees an agent that has not accepted the task that was sent to it.
pub(super) fn give_up(scratch: &mut Scratch, id: &str, task: &str, error: &str) {
    if let Some(agent) = scratch.state().agent_at(id, task) {
        let agent = agent.clone().unresponsive(error, scratch.now());
        free(scratch, &agent);
    }
}

/// Reports a step that an agent has done for a task, whether or not it is in the pool.
pub(super) fn step(scratch: &mut Scratch, id: &str, task: &str, step: AgentStep) {
    let state = scratch.state();
    let scope = Scope::of(&state.workflow).task(task).agent(Some(id));
    if let Some(agent) = state.agent_at(id, task) {
        let agent = agent.clone().after_step(scratch.now());
        scratch.record(Event::AgentChanged(Box::new(agent)));
    }
    let update = AgentUpdate {
        agent_id: id.to_owned(),
        status: AgentState::Running.simple().to_owned(),
        load: Some(100),
        current_task_id: Some(task.to_owned()),
        step: Some(step),
    };
    scratch.publish(scope, update);
}

/// Takes a task from its agent, if the agent does it.
pub(super) fn leave(scratch: &mut Scratch, id: &str, task: &str) {
    if let Some(agent) = scratch.state().agent_at(id, task).cloned() {
        free(scratch, &agent);
    }
}

/// Unassigns an agent.
pub(super) fn free(scratch: &mut Scratch, agent: &Agent) {
    if let Some(freed) = agent.freed() {
        publish_availability(scratch, &freed, agent);
        scratch.record(Event::AgentChanged(Box::new(freed)));
    }
}

/// Gives an agent to the workflow, for its tasks.
pub(super) fn deploy(scratch: &mut Scratch, id: &str, session: &str) -> Result<(), Refusal> {
    let state = scratch.state();
    let Workflow { id: workflow, state: phase, .. } = &state.workflow;
    if phase.is_terminal() {
        return Err(Refusal::new(ErrorCode::WorkflowTerminal, "Workflow has ended").at(*phase));
    }
    if state.workflow.session != session {
        return Err(Refusal::invalid("Workflow belongs to another session", "workflowId"));
    }
    let agent = state.agent(id).ok_or_else(|| agent::missing(id))?;
    if agent.status != ResourceStatus::Available {
        let words = "Resource not available or already deployed";
        let refusal = Refusal::new(ErrorCode::ResourceBusy, words).with("resourceId", id);
        return Err(refusal.with("status", agent.status.name()));
    }
    let now = scratch.now();
    let agent = agent.clone().deployed(session, workflow, now);
    scratch.record(Event::AgentChanged(Box::new(agent.clone())));
    scratch.change(|workflow| workflow.updated = now);
    publish_availability(scratch, &agent, &agent);
    Ok(())
}

/// Takes an agent from the workflow, if it works for the workflow.
pub(super) fn release(scratch: &mut Scratch, id: &str) {
    let state = scratch.state();
    let is_ours = |agent: &&Agent| agent.works_for(&state.workflow.id);
    if let Some(agent) = state.agent(id).filter(is_ours).cloned() {
        free(scratch, &agent);
    }
}

/// Publishes the availability of an agent to the workflow for which `at_work` works.
fn publish_availability(scratch: &mut Scratch, agent: &Agent, at_work: &Agent) {
    scratch.publish(at_work.availability_scope(), agent.resource_update(at_work.work.as_ref()));
}
