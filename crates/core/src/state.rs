//! State of a workflow: everything that its transitions depend on and change.

use crate::agent::{Agent, WorkOrder};
use crate::decision::{Decision, is_due};
use crate::event::Event;
use crate::table::{TransitionOutcome, next};
use crate::task::Task;
use crate::workflow::Workflow;
use crate::{Context, Millis};
use protocol::workflow::{DecisionStatus, Refusal, TaskState, Trigger, WorkflowUpdate};

/// A workflow with its tasks and decisions, and the agents that a command may concern.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// The workflow.
    pub workflow: Workflow,
    /// Its context.
    pub context: Context,
    /// Its tasks, in its order.
    pub tasks: Vec<Task>,
    /// Its pending decisions in the order in which they were asked, and other decisions that its context or the command names.
    pub decisions: Vec<Decision>,
    /// The agents that work for it and those that the command [needs](crate::Command::needed_agents), by ID.
    pub pool: Vec<Agent>,
    /// The number of the last step of the task that the command is about; 0 if there is none.
    pub last_round: u64,
}

/// Returns the decision that a workflow waits for, else the oldest pending one: `pending` are IDs with the times of expiry.
pub fn pending_decision<'a>(
    awaited: Option<&str>,
    pending: impl Iterator<Item = (&'a str, Option<Millis>)>,
    now: Millis,
) -> Option<String> {
    let open: Vec<&str> =
        pending.filter(|(_, expires)| !is_due(*expires, now)).map(|(decision, _)| decision).collect();
    let found = open.iter().find(|decision| Some(**decision) == awaited).or(open.first());
    found.map(|decision| (*decision).to_owned())
}

impl State {
    /// Applies an event.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::WorkflowChanged(workflow) => self.workflow.clone_from(workflow),
            Event::ContextChanged(context) => self.context.clone_from(context),
            Event::TaskChanged(task) => {
                match self.tasks.iter_mut().find(|known| known.id == task.id) {
                    Some(known) => known.clone_from(task),
                    None => self.tasks.push((**task).clone()),
                }
                if !self.tasks.is_sorted_by_key(|task| task.no) {
                    self.tasks.sort_by_key(|task| task.no);
                }
            }
            Event::TaskRemoved(id) => self.tasks.retain(|task| task.id != *id),
            Event::AgentChanged(agent) => {
                if let Some(known) = self.pool.iter_mut().find(|known| known.id == agent.id) {
                    known.clone_from(agent);
                }
            }
            Event::DecisionAsked(decision) => self.decisions.push((**decision).clone()),
            Event::DecisionEnded { decision, resolution, .. } => {
                if let Some(known) = self.decisions.iter_mut().find(|known| known.id == *decision) {
                    known.status = resolution.status;
                    known.response.clone_from(&resolution.response);
                    known.selected.clone_from(&resolution.selected);
                }
            }
            Event::Instructed(_) | Event::MailEnded(_) | Event::CheckpointDue | Event::Published(..) => {}
        }
    }

    /// Returns where a trigger leads with this context, which may not be stored yet.
    ///
    /// # Errors
    ///
    /// When it leads nowhere.
    pub(crate) fn next(&self, trigger: Trigger, context: &Context) -> Result<TransitionOutcome, Refusal> {
        let states: Vec<TaskState> = self.tasks.iter().map(|task| task.state).collect();
        let Workflow { state, previous, .. } = self.workflow;
        let next = next(state, previous, trigger, &context.guards(&states));
        next.map_err(|why| self.workflow.refused(why, trigger))
    }

    /// Returns the event that reports the workflow as a whole.
    pub fn update(&self, now: Millis) -> WorkflowUpdate {
        let pending = self.pending().map(|decision| (&*decision.id, decision.expires));
        WorkflowUpdate {
            workflow_id: self.workflow.id.clone(),
            status: self.workflow.state.simple(),
            task_updates: Vec::new(),
            agent_updates: Vec::new(),
            orchestrator_state: None,
            fsm_state: Some(self.workflow.state),
            user_input: None,
            pending_decision: pending_decision(self.context.awaited(), pending, now),
            waiting_for: None,
        }
    }

    /// Returns a task.
    pub fn task(&self, id: &str) -> Option<&Task> {
        self.tasks.iter().find(|task| task.id == id)
    }

    /// Returns an agent.
    pub fn agent(&self, id: &str) -> Option<&Agent> {
        self.pool.iter().find(|agent| agent.id == id)
    }

    /// Returns an agent if it does this task.
    pub fn agent_at(&self, id: &str, task: &str) -> Option<&Agent> {
        self.agent(id).filter(|agent| agent.has_task(&self.workflow.id, task))
    }

    /// Returns a task of the workflow as work for an agent.
    pub(crate) fn order<'a>(&'a self, task: &'a str) -> WorkOrder<'a> {
        WorkOrder { session: &self.workflow.session, workflow: &self.workflow.id, task }
    }

    /// Returns a decision.
    pub fn decision(&self, id: &str) -> Option<&Decision> {
        self.decisions.iter().find(|decision| decision.id == id)
    }

    /// Returns the pending decisions of the workflow in the order in which they were asked.
    pub fn pending(&self) -> impl Iterator<Item = &Decision> {
        let is_ours = |decision: &&Decision| decision.workflow.as_ref() == Some(&self.workflow.id);
        let is_pending = |decision: &&Decision| decision.status == DecisionStatus::Pending;
        self.decisions.iter().filter(is_ours).filter(is_pending)
    }
}
