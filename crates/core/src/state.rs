//! State of a workflow: everything that its transitions depend on and change.

use crate::agent::{Agent, WorkOrder};
use crate::decision::Decision;
use crate::event::Event;
use crate::task::Task;
use crate::{Context, Millis, TransitionRefusal};
use model::workflow::{DecisionStatus, Refusal, TaskState, Trigger, WorkflowState};

/// A workflow with its tasks, its decisions and the agents that there are.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// The workflow.
    pub workflow: Workflow,
    /// Its tasks, in its order.
    pub tasks: Vec<Task>,
    /// Its pending decisions in the order in which they were asked, and other decisions that its context or the command names.
    pub decisions: Vec<Decision>,
    /// All agents, by ID.
    pub pool: Vec<Agent>,
    /// The number of the last step of the task that the command is about; 0 if there is none.
    pub last_round: u64,
}

/// A workflow as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Workflow {
    /// Its ID.
    pub id: String,
    /// Its session.
    pub session: String,
    /// Its phase.
    pub state: WorkflowState,
    /// The phase before the pause, while it is paused.
    pub previous: Option<WorkflowState>,
    /// What is to be done, in words.
    pub task: String,
    /// Its context.
    pub context: Context,
    /// How often it was planned.
    pub round: i64,
    /// Why it has failed.
    pub error: Option<String>,
    /// Its output, as JSON.
    pub output: Option<String>,
    /// Whether it was cancelled.
    pub cancelled: bool,
    /// When its driver looks at it again; `None` if never.
    pub wake_at: Option<Millis>,
    /// When it last changed.
    pub updated: Millis,
}

impl Workflow {
    /// Returns the refusal of a trigger.
    pub fn refused(&self, why: TransitionRefusal, trigger: Trigger) -> Refusal {
        why.refusal(trigger, self.state, self.cancelled)
    }
}

impl State {
    /// Applies an event.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::WorkflowChanged(workflow) => self.workflow.clone_from(workflow),
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
            Event::MailEnded(_) | Event::CheckpointDue | Event::Published(..) => {}
        }
    }

    /// Returns a task.
    pub fn task(&self, id: &str) -> Option<&Task> {
        self.tasks.iter().find(|task| task.id == id)
    }

    /// Returns the states of the tasks.
    pub fn task_states(&self) -> Vec<TaskState> {
        self.tasks.iter().map(|task| task.state).collect()
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
