//! An agent of the pool: what it is doing, and which agent gets a task (contract/workflows §5.6, §6.1).

use crate::scope::Scope;
use crate::task::Task;
use crate::{Fitness, Millis, Requirement};
use protocol::workflow::api::Capability;
use protocol::workflow::{
    AgentState, AgentTrigger, AgentUpdate, ErrorCode, Refusal, ResourceStatus, ResourceUpdate,
};

/// An agent of the pool.
#[derive(Debug, Clone, PartialEq)]
pub struct Agent {
    /// Its ID.
    pub id: String,
    /// The kind of agent.
    pub kind: String,
    /// What it is able to do, and how well.
    pub capabilities: Vec<Capability>,
    /// Its state.
    pub state: AgentState,
    /// Its availability.
    pub status: ResourceStatus,
    /// What it was given.
    pub work: Option<Work>,
    /// How often it was given something.
    pub deployments: i64,
    /// How many of its tasks have failed.
    pub errors: i64,
    /// The last of these failures.
    pub last_error: Option<AgentError>,
    /// When it was last active.
    pub last_active: Option<Millis>,
}

/// What an agent was given: a task, or a workflow whose tasks it may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// The session of the workflow.
    pub session: String,
    /// The workflow.
    pub workflow: String,
    /// The task; `None` if it has none yet.
    pub task: Option<String>,
    /// Since when; `None` if that is not known.
    pub since: Option<Millis>,
}

/// A failure of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentError {
    /// Why its task has failed.
    pub reason: String,
    /// When that was.
    pub at: Millis,
}

/// A task for an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkOrder<'a> {
    /// The session of the workflow.
    pub session: &'a str,
    /// The workflow of the task.
    pub workflow: &'a str,
    /// The task.
    pub task: &'a str,
}

/// Returns the refusal of a request about an agent that is not in the pool.
pub fn missing(id: &str) -> Refusal {
    Refusal::new(ErrorCode::AgentNotFound, "Agent not found").with("agentId", id)
}

impl WorkOrder<'_> {
    fn since(self, now: Millis) -> Work {
        Work {
            session: self.session.to_owned(),
            workflow: self.workflow.to_owned(),
            task: Some(self.task.to_owned()),
            since: Some(now),
        }
    }
}

impl Agent {
    /// Returns the task that it has.
    pub fn task(&self) -> Option<&str> {
        self.work.as_ref()?.task.as_deref()
    }

    /// Whether it has this task.
    pub fn has_task(&self, workflow: &str, task: &str) -> bool {
        self.task() == Some(task) && self.works_for(workflow)
    }

    /// Whether it was given to this workflow.
    pub fn works_for(&self, workflow: &str) -> bool {
        self.work.as_ref().is_some_and(|work| work.workflow == workflow)
    }

    /// Whether it is unused.
    pub fn is_free(&self) -> bool {
        self.status == ResourceStatus::Available && self.work.is_none()
    }

    /// Whether it can take a task of this workflow: it is unused, or deployed to the workflow.
    pub fn is_free_for(&self, workflow: &str) -> bool {
        let is_usable = matches!(self.status, ResourceStatus::Available | ResourceStatus::Deployed);
        let is_deployed_here = |work: &Work| work.workflow == workflow && work.task.is_none();
        is_usable && self.work.as_ref().is_none_or(is_deployed_here)
    }

    /// Returns the agent after these steps of its task, which has failed with `error` if it has failed. Steps that do not fit the
    /// state of the agent or concern another task are ignored; `None` if all are.
    pub fn after_steps(
        &self,
        order: WorkOrder<'_>,
        error: Option<&str>,
        steps: &[AgentTrigger],
        now: Millis,
    ) -> Option<Self> {
        let mut agent = self.clone();
        let mut is_changed = false;
        for step in steps {
            let has_task = agent.has_task(order.workflow, order.task);
            let is_accepted = *step == AgentTrigger::DispatchAck && !has_task;
            let fits = has_task || is_accepted && agent.is_free_for(order.workflow);
            let Some(state) = agent.state.next(*step).filter(|_| fits) else { continue };
            is_changed = true;
            agent.state = state;
            if is_accepted {
                agent.work = Some(order.since(now));
                agent.deployments += 1;
            }
            if *step == AgentTrigger::TaskExecutionResultFailure {
                let reason = error.filter(|error| !model::is_blank(error)).map(str::to_owned);
                let reason = reason.unwrap_or_else(|| format!("{} of {}", order.task, order.workflow));
                agent.fail(reason, now);
                // It can be used again: its task has failed, not the agent.
                agent.state = agent.state.next(AgentTrigger::RecoverOrReset).unwrap_or(agent.state);
            }
        }
        if !is_changed {
            return None;
        }
        agent.status = status_in(agent.state);
        if agent.state == AgentState::Idle {
            agent.work = None;
        }
        agent.last_active = Some(now);
        Some(agent)
    }

    fn fail(&mut self, reason: String, now: Millis) {
        self.errors += 1;
        self.last_error = Some(AgentError { reason, at: now });
    }

    /// Returns the agent after a step within its task.
    #[must_use]
    pub fn after_step(self, now: Millis) -> Self {
        let state = self.state.next(AgentTrigger::AgentStepCompleted).unwrap_or(self.state);
        Self { state, last_active: Some(now), ..self }
    }

    /// Returns the agent reserved for a task: it gets no other one.
    #[must_use]
    pub fn reserved(self, order: WorkOrder<'_>, now: Millis) -> Self {
        self.given(order.since(now))
    }

    /// Returns the agent deployed to a workflow, for its tasks.
    #[must_use]
    pub fn deployed(self, session: &str, workflow: &str, now: Millis) -> Self {
        let (session, workflow) = (session.to_owned(), workflow.to_owned());
        self.given(Work { session, workflow, task: None, since: Some(now) })
    }

    fn given(self, work: Work) -> Self {
        let deployments = self.deployments + 1;
        Self { status: ResourceStatus::Deployed, work: Some(work), deployments, ..self }
    }

    /// Returns the agent without its work; `None` if it is free.
    pub fn freed(&self) -> Option<Self> {
        let free =
            Self { state: AgentState::Idle, status: ResourceStatus::Available, work: None, ..self.clone() };
        (!self.is_free()).then_some(free)
    }

    /// Returns the agent after it has not accepted a task that was sent to it.
    #[must_use]
    pub fn unresponsive(mut self, error: &str, now: Millis) -> Self {
        self.fail(error.to_owned(), now);
        self
    }

    /// Returns the event that reports what it is doing.
    pub fn update(&self) -> AgentUpdate {
        let task = self.task();
        AgentUpdate {
            agent_id: self.id.clone(),
            status: self.state.simple().to_owned(),
            load: Some(if task.is_some() { 100 } else { 0 }),
            current_task_id: task.map(str::to_owned),
            step: None,
        }
    }

    /// Returns what events about its availability concern: the workflow for which it works.
    pub fn availability_scope(&self) -> Scope {
        let work = self.work.as_ref();
        Scope {
            session: work.map(|work| work.session.clone()),
            workflow: work.map(|work| work.workflow.clone()),
            task: None,
            agent: Some(self.id.clone()),
        }
    }

    /// Returns the event that reports its availability, for the workflow of this work.
    pub fn resource_update(&self, work: Option<&Work>) -> ResourceUpdate {
        ResourceUpdate {
            resource_id: self.id.clone(),
            status: self.status.name().to_owned(),
            session_id: work.map(|work| work.session.clone()),
            workflow_id: work.map(|work| work.workflow.clone()),
        }
    }
}

/// The availability of an agent that takes the steps of its task.
fn status_in(state: AgentState) -> ResourceStatus {
    match state {
        AgentState::Idle => ResourceStatus::Available,
        AgentState::Reserved => ResourceStatus::Deployed,
        AgentState::Running => ResourceStatus::Busy,
        AgentState::Error => ResourceStatus::Error,
        AgentState::Released => ResourceStatus::Released,
    }
}

/// Whether an agent can do a task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Availability<'a> {
    /// This one, now.
    Free(&'a Agent),
    /// An agent can, later.
    Busy,
    /// No agent can.
    Unavailable,
}

/// Returns the agent for a task that states required capabilities but names no agent: the best free agent of its kind that has
/// them all. An agent that already has the task keeps it.
pub fn best_agent<'a>(pool: &'a [Agent], workflow: &str, task: &Task) -> Option<&'a Agent> {
    if !task.states_needs() {
        return None;
    }
    let requirement = Requirement::of(task);
    let mut best: Option<(Fitness, &Agent)> = None;
    for agent in pool {
        if agent.has_task(workflow, &task.id) {
            return Some(agent);
        }
        let fitness = requirement.met_by(&agent.kind, &agent.capabilities);
        if let Some(fitness) = fitness.filter(|_| agent.is_free_for(workflow))
            && best.is_none_or(|(most, _)| fitness > most)
        {
            best = Some((fitness, agent));
        }
    }
    best.map(|(_, agent)| agent)
}

/// Returns the agents that can do a task, now or later: those of its kind that have all required capabilities and that
/// `is_eligible`, which gets these capabilities, accepts.
pub fn capable_agents<'a>(
    pool: &'a [Agent],
    task: &Task,
    is_eligible: impl Fn(&Agent, &[String]) -> bool,
) -> Vec<&'a Agent> {
    let requirement = Requirement::of(task);
    let is_capable = |agent: &&Agent| {
        requirement.met_by(&agent.kind, &agent.capabilities).is_some()
            && is_eligible(agent, &requirement.capabilities)
    };
    pool.iter().filter(is_capable).collect()
}

/// Finds an agent for a task: the best free one of its kind that has all required capabilities and that `is_eligible`, which gets
/// these capabilities, accepts. After a failure another agent is preferred. `is_idle` states whether an agent may begin now.
pub fn find_available<'a>(
    pool: &'a [Agent],
    workflow: &str,
    task: &Task,
    is_eligible: impl Fn(&Agent, &[String]) -> bool,
    is_idle: impl Fn(&Agent) -> bool,
) -> Availability<'a> {
    let requirement = Requirement::of(task);
    let mut best: Option<((bool, bool, Fitness), &Agent)> = None;
    let mut is_there = false;
    for agent in pool {
        let Some(fitness) = requirement.met_by(&agent.kind, &agent.capabilities) else { continue };
        if !is_eligible(agent, &requirement.capabilities) {
            continue;
        }
        is_there = true;
        if agent.is_free_for(workflow) && is_idle(agent) {
            let is_same = task.agent.as_ref() == Some(&agent.id);
            let is_other = task.error.is_none() || !is_same;
            // The agent whose attempt was broken off continues it.
            let rank = (task.is_interrupted() && is_same, is_other, fitness);
            if best.is_none_or(|(most, _)| rank > most) {
                best = Some((rank, agent));
            }
        }
    }
    match best {
        Some((_, agent)) => Availability::Free(agent),
        None if is_there => Availability::Busy,
        None => Availability::Unavailable,
    }
}
