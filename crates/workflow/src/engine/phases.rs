//! The phases but execution (contract/workflows §6.3): each asks one agent, and goes where its answer leads.

mod ask;
mod facts;
mod plan;
mod review;
mod route;
mod understand;

pub(crate) use ask::ask;

use super::agenda::is_current;
use super::proposal::Proposal;
use super::track::{StopReason, Track};
use super::{Job, Shared};
use crate::aggregate::{drive, update};
use crate::answers;
use crate::draft::{Draft, EventScope};
use crate::failure::Failure;
use crate::rows;
use crate::stages;
use aide_core::TriggerPayload;
use aide_core::decision::DecisionReason;
use aide_core::decision::NewDecision;
use journal::{Decision, Lease, Query, Task, ViewExt as _, Workflow};
use llm::{Cancellation, Provider};
use protocol::workflow::{
    DecisionTreeNode, MissingResource, OrchestratorState, RecoveryQuestion, ResourceShortage, SingleStage,
    SystemError, Trigger, WorkflowState, WorkflowUpdate,
};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// One phase that is being done.
struct PhaseExecution<'a> {
    shared: &'a Shared,
    track: Track<'a>,
    workflow: Workflow,
    /// The phase, if the workflow consists of it alone.
    stage: Option<SingleStage>,
    agent: String,
    provider: Arc<dyn Provider>,
}

/// Runs the phase that a workflow has entered by this event, with this agent, which needs a provider.
pub(crate) fn run(
    shared: &Shared,
    lease: &Lease,
    job: &Job,
    (entered, agent, kind): (i64, Option<&str>, &str),
    cancellation: &Cancellation,
) -> Result<(), StopReason> {
    let workflow = {
        let view = shared.runtime.journal.view()?;
        rows::workflow(&Draft::new(&*view, &*shared.runtime.world), &lease.workflow)?
    };
    let Some(agent) = agent.map(str::to_owned) else { return nobody(shared, lease, job, kind) };
    let provider = shared.providers.get(&agent).cloned().ok_or(StopReason::Unwanted)?;
    let name = format!("{}@{entered}", workflow.state);
    let track = Track::open(shared, lease, cancellation, job, name, None)?;
    let stage = stages::stage_of(&workflow).filter(|stage| stage.phase() == workflow.state);
    let mut phase = PhaseExecution { shared, track, workflow, stage, agent, provider };
    match phase.workflow.state {
        WorkflowState::SemanticUnderstanding => phase.understand(),
        WorkflowState::RoutingDecision | WorkflowState::ReplanEvaluation => phase.route(),
        WorkflowState::PlanLoop => phase.plan(),
        WorkflowState::Review => phase.review(),
        _ => Ok(()),
    }
}

/// No agent qualifies, nor will one: fails the workflow.
fn nobody(shared: &Shared, lease: &Lease, job: &Job, kind: &str) -> Result<(), StopReason> {
    let made = shared.runtime.make(lease, |draft| {
        let mut workflow = rows::workflow(draft, &lease.workflow)?;
        if !is_current(draft, &workflow, job)? {
            return Ok(());
        }
        let reason = RecoveryQuestion::ResourcesMissing { resources: kind }.to_string();
        let told = ResourceShortage {
            task_id: None,
            missing_resources: vec![MissingResource {
                kind: kind.to_owned(),
                capabilities: None,
                min_level: None,
            }],
            reason: reason.clone(),
            suggestion: String::new(),
        };
        draft.emit(EventScope::workflow(&workflow), told);
        let payload = TriggerPayload::of_last_error(&reason);
        drive(draft, &mut workflow, Trigger::ErrorOccurred, payload)
    })?;
    made.ok_or(StopReason::Unwanted)
}

impl PhaseExecution<'_> {
    /// Asks a person, once, and waits.
    fn ask_user(&mut self, new: &NewDecision, why: DecisionReason) -> Result<Decision, StopReason> {
        let id = self.workflow.id.clone();
        let question = json!(new.message);
        self.track.ask_user("ask", &question, |draft| {
            let mut workflow = rows::workflow(draft, &id)?;
            let new = NewDecision { workflow_id: Some(id.clone()), ..new.clone() };
            let decision = answers::create(draft, &new, Some(&mut workflow), why.clone(), false)?;
            Ok(decision.id)
        })
    }

    fn tasks(&self) -> Result<Vec<Task>, StopReason> {
        let view = self.shared.runtime.journal.view()?;
        Ok(view.find(&Query::tasks_of(&self.workflow.id))?)
    }

    /// If the workflow consists of this phase alone, the result of the phase is the output of the workflow.
    fn with_result(&self, payload: TriggerPayload, result: impl FnOnce() -> Value) -> TriggerPayload {
        if self.stage.is_some() { payload.with_output(result()) } else { payload }
    }

    /// Emits the proposal, and applies it as `trigger`.
    fn go(&self, proposal: &Proposal, trigger: Trigger, payload: &TriggerPayload) -> Result<(), StopReason> {
        self.settle(Ok(proposal), trigger, payload)
    }

    fn settle(
        &self,
        asked: Result<&Proposal, &String>,
        trigger: Trigger,
        payload: &TriggerPayload,
    ) -> Result<(), StopReason> {
        self.commit(|draft, workflow| {
            match asked {
                Ok(proposal) => self.emit_proposal(draft, workflow, proposal)?,
                // Why it is not accepted stands nowhere else.
                Err(problem) => {
                    let (error, component) = (problem.clone(), "review".to_owned());
                    let trouble = SystemError { error, component, recoverable: true };
                    draft.emit(EventScope::workflow(workflow), trouble);
                }
            }
            workflow.failures = 0;
            drive(draft, workflow, trigger, payload.clone())
        })
    }

    /// Why the phase cannot continue: whose answer is unusable, and what is wrong with it.
    fn unusable(&self, problem: &str) -> String {
        format!("cannot use what {} answers as {}: {problem}", self.provider.name(), self.agent)
    }

    /// It cannot be done.
    fn fail(&self, error: &str) -> Result<(), StopReason> {
        let payload = TriggerPayload::of_last_error(error);
        self.commit(|draft, workflow| drive(draft, workflow, Trigger::ErrorOccurred, payload.clone()))
    }

    /// Changes the workflow if it is still in the phase of this result. A paused workflow is not: its steps are replayed after
    /// the pause, without asking again.
    fn commit(
        &self,
        change: impl Fn(&mut Draft<'_>, &mut Workflow) -> Result<(), Failure>,
    ) -> Result<(), StopReason> {
        self.track.begin_by(|draft| {
            let mut workflow = rows::workflow(draft, &self.workflow.id)?;
            change(draft, &mut workflow)
        })
    }

    fn emit_proposal(
        &self,
        draft: &mut Draft<'_>,
        workflow: &Workflow,
        proposal: &Proposal,
    ) -> Result<(), Failure> {
        let round = u64::try_from(workflow.round).unwrap_or_default();
        let about = EventScope { agent: Some(&self.agent), ..EventScope::workflow(workflow) };
        draft.emit(
            about,
            DecisionTreeNode {
                phase: workflow.state.name().to_owned(),
                round,
                thought: proposal.thought.clone(),
                action: proposal.action.clone(),
                params: Value::Object(proposal.params.clone()),
                observation: None,
                output_files: None,
            },
        );
        let orchestrator_state = Some(OrchestratorState { round, thought: proposal.thought.clone() });
        let update = WorkflowUpdate { orchestrator_state, ..update(draft, workflow)? };
        draft.emit(EventScope::workflow(workflow), update);
        Ok(())
    }
}

/// These members of an object, if it has them.
fn picked(object: &Map<String, Value>, members: &[&str]) -> Value {
    let member = |name: &&str| Some(((*name).to_owned(), object.get(*name)?.clone()));
    Value::Object(members.iter().filter_map(member).collect())
}
