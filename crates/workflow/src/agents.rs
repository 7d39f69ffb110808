//! The agents of the pool: what they are able to do, and what they are doing.

use crate::draft::{Draft, EventScope, iso};
use crate::failure::Failure;
use aide_core::task::Task;
use aide_core::{Fitness, Requirement};
use journal::{Agent, Query, View, ViewExt as _, Workflow};
use model::workflow::api::{AgentView, Capability};
use model::workflow::{AgentState, AgentStep, AgentTrigger, AgentUpdate, ResourceStatus, ResourceUpdate};
use std::collections::BTreeSet;

/// An agent to be added to the pool.
#[derive(Debug, Clone)]
pub struct PoolAgent {
    /// Its name.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// What kind of agent: `executor`, `orchestrator`, `reviewer`, `searcher`, `tool`, `api` or `database`.
    pub kind: String,
    /// What it is able to do, and how well, from 1 to 10.
    pub capabilities: Vec<(String, u64)>,
}

impl PoolAgent {
    /// The agents that there are unless a person says otherwise.
    pub fn usual() -> Vec<Self> {
        let agent = |id: &str, name: &str, kind: &str, capabilities: &[(&str, u64)]| Self {
            id: id.to_owned(),
            name: name.to_owned(),
            kind: kind.to_owned(),
            capabilities: capabilities.iter().map(|(name, level)| ((*name).to_owned(), *level)).collect(),
        };
        vec![
            agent(
                "orchestrator-default",
                "Default Orchestrator",
                "orchestrator",
                &[("planning", 8), ("coordination", 9)],
            ),
            agent(
                "executor-general",
                "General Executor",
                "executor",
                &[("web_search", 8), ("file_ops", 9), ("shell_exec", 7)],
            ),
            agent(
                "executor-research",
                "Research Executor",
                "executor",
                &[("web_search", 10), ("data_analysis", 8), ("report_generation", 9)],
            ),
            agent(
                "executor-coding",
                "Coding Executor",
                "executor",
                &[("code_generation", 9), ("file_ops", 10), ("shell_exec", 8)],
            ),
            agent(
                "reviewer-default",
                "Default Reviewer",
                "reviewer",
                &[("code_review", 8), ("quality_check", 9)],
            ),
        ]
    }
}

/// Applies these steps of a task to its agent. Agents outside the pool are ignored, and so are steps that do not fit the agent's
/// state or belong to another task.
pub(crate) fn works(
    draft: &mut Draft<'_>,
    id: &str,
    workflow: &Workflow,
    task: &Task,
    steps: &[AgentTrigger],
) -> Result<(), Failure> {
    let Some(mut agent) = draft.row::<Agent>(&Agent::key_of(id))? else { return Ok(()) };
    let mut is_noted = false;
    for step in steps {
        let fits = match step {
            AgentTrigger::DispatchAck => is_free_for(&agent, workflow) || does(&agent, workflow, &task.id),
            _ => does(&agent, workflow, &task.id),
        };
        let Some(state) = agent.state.next(*step).filter(|_| fits) else { continue };
        is_noted = true;
        agent.state = state;
        if *step == AgentTrigger::DispatchAck && !does(&agent, workflow, &task.id) {
            agent.session = Some(workflow.session.clone());
            agent.workflow = Some(workflow.id.clone());
            agent.task = Some(task.id.clone());
            agent.deployed = Some(draft.now());
            agent.deployments += 1;
        }
        if *step == AgentTrigger::TaskExecutionResultFailure {
            agent.errors += 1;
            let reason = task.error.clone().filter(|error| !model::is_blank(error));
            agent.last_error = Some(reason.unwrap_or_else(|| format!("{} of {}", task.id, workflow.id)));
            agent.last_error_at = Some(draft.now());
            // It may be used again: it was the task that has failed.
            agent.state = agent.state.next(AgentTrigger::RecoverOrReset).unwrap_or(agent.state);
        }
    }
    if !is_noted {
        return Ok(());
    }
    agent.status = match agent.state {
        AgentState::Idle => ResourceStatus::Available,
        AgentState::Reserved => ResourceStatus::Deployed,
        AgentState::Running => ResourceStatus::Busy,
        AgentState::Error => ResourceStatus::Error,
        AgentState::Released => ResourceStatus::Released,
    };
    if agent.state == AgentState::Idle {
        (agent.session, agent.workflow, agent.task, agent.deployed) = (None, None, None, None);
    }
    agent.beat = Some(draft.now());
    emit_update(draft, &agent, workflow, &task.id);
    draft.put(agent);
    Ok(())
}

/// Reserves an agent for a task: it is given no other task.
pub(crate) fn reserve(
    draft: &mut Draft<'_>,
    id: &str,
    workflow: &Workflow,
    task: &str,
) -> Result<(), Failure> {
    let Some(mut agent) = draft.row::<Agent>(&Agent::key_of(id))? else { return Ok(()) };
    agent.status = ResourceStatus::Deployed;
    agent.session = Some(workflow.session.clone());
    agent.workflow = Some(workflow.id.clone());
    agent.task = Some(task.to_owned());
    agent.deployed = Some(draft.now());
    agent.deployments += 1;
    emit_resource(draft, &agent);
    draft.put(agent);
    Ok(())
}

/// An agent has not taken the task that it was sent.
pub(crate) fn silent(
    draft: &mut Draft<'_>,
    id: &str,
    workflow: &Workflow,
    task: &str,
    error: &str,
) -> Result<(), Failure> {
    let agent = draft.row::<Agent>(&Agent::key_of(id))?;
    if let Some(mut agent) = agent.filter(|agent| does(agent, workflow, task)) {
        agent.errors += 1;
        agent.last_error = Some(error.to_owned());
        agent.last_error_at = Some(draft.now());
        free(draft, &mut agent);
    }
    Ok(())
}

/// Records a step that an agent has done for a task, whether or not it is in the pool.
pub(crate) fn steps(
    draft: &mut Draft<'_>,
    id: &str,
    workflow: &Workflow,
    task: &str,
    step: AgentStep,
) -> Result<(), Failure> {
    let agent = draft.row::<Agent>(&Agent::key_of(id))?.filter(|agent| does(agent, workflow, task));
    if let Some(mut agent) = agent {
        agent.state = agent.state.next(AgentTrigger::AgentStepCompleted).unwrap_or(agent.state);
        agent.beat = Some(draft.now());
        draft.put(agent);
    }
    let told = AgentUpdate {
        agent_id: id.to_owned(),
        status: AgentState::Running.simple().to_owned(),
        load: Some(100),
        current_task_id: Some(task.to_owned()),
        step: Some(step),
    };
    draft.emit(EventScope { task: Some(task), agent: Some(id), ..EventScope::workflow(workflow) }, told);
    Ok(())
}

/// Whether it does this task.
pub(crate) fn does(agent: &Agent, workflow: &Workflow, task: &str) -> bool {
    agent.workflow.as_deref() == Some(&*workflow.id) && agent.task.as_deref() == Some(task)
}

/// Whether the agent is unused.
pub(crate) fn is_free(agent: &Agent) -> bool {
    agent.status == ResourceStatus::Available && agent.workflow.is_none()
}

/// Whether the agent can take a task of this workflow: it is unused, or deployed to the workflow.
pub(crate) fn is_free_for(agent: &Agent, workflow: &Workflow) -> bool {
    let is_usable = matches!(agent.status, ResourceStatus::Available | ResourceStatus::Deployed);
    is_usable && agent.task.is_none() && agent.workflow.as_ref().is_none_or(|id| *id == workflow.id)
}

/// The agent for a task that states required capabilities but names no agent: the best free agent of its kind that has them all.
/// An agent that already has the task keeps it.
pub(crate) fn fitting(
    draft: &Draft<'_>,
    workflow: &Workflow,
    task: &Task,
) -> Result<Option<String>, Failure> {
    let requirement = requirement_of(task);
    if !requirement.is_said() {
        return Ok(None);
    }
    let mut best: Option<(Fitness, Agent)> = None;
    for agent in draft.find(&Query::agents())? {
        if does(&agent, workflow, &task.id) {
            return Ok(Some(agent.id));
        }
        let fitness = requirement.met_by(&agent.kind, &capabilities_of(&agent));
        if let Some(fitness) = fitness.filter(|_| is_free_for(&agent, workflow))
            && best.as_ref().is_none_or(|(most, _)| fitness > *most)
        {
            best = Some((fitness, agent));
        }
    }
    Ok(best.map(|(_, agent)| agent.id))
}

/// The agents that have a task.
pub(crate) fn at_work(draft: &Draft<'_>) -> Result<Vec<Agent>, Failure> {
    let mut agents = draft.find(&Query::agents())?;
    agents.retain(|agent| agent.task.is_some());
    Ok(agents)
}

/// The agents that have no task.
pub(crate) fn idle(view: &dyn View) -> Result<BTreeSet<String>, Failure> {
    let agents = view.find(&Query::agents())?;
    Ok(agents.into_iter().filter(|agent| agent.task.is_none()).map(|agent| agent.id).collect())
}

/// Whether an agent can do a task.
pub(crate) enum Availability {
    /// This one, now.
    Free(Box<Agent>),
    /// An agent can, later.
    Busy,
    /// No agent can.
    Unavailable,
}

/// Finds an agent for a task: the best free one of its kind that has all required capabilities and that `is_meant`, which gets
/// these capabilities, accepts. After a failure another agent is preferred.
pub(crate) fn find_available(
    draft: &Draft<'_>,
    workflow: &Workflow,
    task: &Task,
    is_meant: impl Fn(&Agent, &[String]) -> bool,
    is_idle: impl Fn(&Agent) -> bool,
) -> Result<Availability, Failure> {
    let requirement = requirement_of(task);
    let mut best: Option<((bool, bool, Fitness), Agent)> = None;
    let mut is_there = false;
    let is_broken_off = task.is_broken_off();
    for agent in draft.find(&Query::agents())? {
        let Some(fitness) = requirement.met_by(&agent.kind, &capabilities_of(&agent)) else { continue };
        if !is_meant(&agent, &requirement.capabilities) {
            continue;
        }
        is_there = true;
        if is_free_for(&agent, workflow) && is_idle(&agent) {
            let is_other = task.error.is_none() || task.agent.as_ref() != Some(&agent.id);
            // The agent that was doing it continues.
            let was_at_it = is_broken_off && task.agent.as_ref() == Some(&agent.id);
            let rank = (was_at_it, is_other, fitness);
            if best.as_ref().is_none_or(|(most, _)| rank > *most) {
                best = Some((rank, agent));
            }
        }
    }
    Ok(match best {
        Some((_, agent)) => Availability::Free(Box::new(agent)),
        None if is_there => Availability::Busy,
        None => Availability::Unavailable,
    })
}

/// A task is taken from its agent, if that does it.
pub(crate) fn leave(draft: &mut Draft<'_>, id: &str, workflow: &Workflow, task: &str) -> Result<(), Failure> {
    let agent = draft.row::<Agent>(&Agent::key_of(id))?;
    if let Some(mut agent) = agent.filter(|agent| does(agent, workflow, task)) {
        free(draft, &mut agent);
    }
    Ok(())
}

/// Unassigns the agent.
pub(crate) fn free(draft: &mut Draft<'_>, agent: &mut Agent) {
    if is_free(agent) {
        return;
    }
    agent.state = AgentState::Idle;
    agent.status = ResourceStatus::Available;
    emit_resource(draft, agent);
    (agent.session, agent.workflow, agent.task, agent.deployed) = (None, None, None, None);
    draft.put(agent.clone());
}

pub(crate) fn emit_resource(draft: &mut Draft<'_>, agent: &Agent) {
    let about = EventScope {
        session: agent.session.as_deref(),
        workflow: agent.workflow.as_deref(),
        task: None,
        agent: Some(&agent.id),
    };
    let told = ResourceUpdate {
        resource_id: agent.id.clone(),
        status: agent.status.name().to_owned(),
        session_id: agent.session.clone(),
        workflow_id: agent.workflow.clone(),
    };
    draft.emit(about, told);
}

fn emit_update(draft: &mut Draft<'_>, agent: &Agent, workflow: &Workflow, task: &str) {
    let told = AgentUpdate {
        agent_id: agent.id.clone(),
        status: agent.state.simple().to_owned(),
        load: Some(if agent.task.is_some() { 100 } else { 0 }),
        current_task_id: agent.task.clone(),
        step: None,
    };
    draft.emit(
        EventScope { task: Some(task), agent: Some(&agent.id), ..EventScope::workflow(workflow) },
        told,
    );
}

pub(crate) fn capabilities_of(agent: &Agent) -> Vec<Capability> {
    serde_json::from_str(&agent.capabilities).unwrap_or_default()
}

/// Returns what a task requires of its agent.
pub(crate) fn requirement_of(task: &Task) -> Requirement {
    Requirement::new(&task.kind, task.capabilities.clone(), task.min_level, &task.description)
}

pub(crate) fn view_of(agent: &Agent) -> AgentView {
    AgentView {
        id: agent.id.clone(),
        kind: agent.kind.clone(),
        name: agent.name.clone(),
        status: agent.status.name().to_owned(),
        fsm_state: agent.state,
        capabilities: capabilities_of(agent).into_iter().map(|capability| capability.kind).collect(),
        session_id: agent.session.clone(),
        workflow_id: agent.workflow.clone(),
        task_id: agent.task.clone(),
        deployed_at: agent.deployed.map(iso),
        total_deployments: u64::try_from(agent.deployments).unwrap_or_default(),
        error_count: u64::try_from(agent.errors).unwrap_or_default(),
        last_error_reason: agent.last_error.clone(),
        last_error_at: agent.last_error_at.map(iso),
    }
}
