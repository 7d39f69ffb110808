//! Begins a workflow, as a whole or for a single phase (contract/workflows §3.1, §3.8).

use super::Initiator;
use super::transition::transition;
use crate::agent::{self, Agent};
use crate::event::Event;
use crate::scratch::Scratch;
use crate::state::State;
use crate::{Context, TriggerPayload};
use protocol::workflow::{ErrorCode, Refusal, SingleStage, Trigger, UserMessage};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The setting that says which provider answers for agents.
const SETTING: &str = "daemon.provider";

/// The only task of a workflow for the phase `execute`.
const TASK: &str = "task-1";

/// A message that begins a workflow.
#[derive(Debug, Clone)]
pub struct OpeningMessage {
    /// Its ID.
    pub id: String,
    /// Whether its session is paused.
    pub is_session_paused: bool,
    /// The paths of the images that come with it, or why they cannot be shown.
    pub images: Result<Vec<String>, Refusal>,
    /// The phase, if the workflow consists of it alone.
    pub phase: Option<Box<PhaseRequest>>,
}

/// What a workflow of one phase is to do.
#[derive(Debug, Clone)]
pub struct PhaseRequest {
    /// The phase.
    pub stage: SingleStage,
    /// What it is about besides words: the understood intent to route, or the proposal to review.
    pub subject: Option<Value>,
    /// The agent that is to do the task.
    pub agent: Option<String>,
    /// Whether the workflow waits for this agent while it is busy.
    pub may_queue: bool,
    /// The agent that has sent the message, if it was one.
    pub sender: Option<SendingAgent>,
    /// The agents for which a provider answers.
    pub answered: BTreeSet<String>,
    /// The state of the workflow that the session was about before.
    pub before: Option<Value>,
}

/// An agent that has a task done by another one.
#[derive(Debug, Clone)]
pub struct SendingAgent {
    /// Its ID.
    pub id: String,
    /// Whether it does nothing else until the workflow has ended.
    pub is_waiting: bool,
    /// The agents that do nothing else until its present task has ended, each because it waits for the one before.
    pub held_up: Vec<String>,
}

/// The kind of agent that does a phase.
fn kind_of(stage: SingleStage) -> &'static str {
    match stage {
        SingleStage::Understand | SingleStage::Route | SingleStage::Plan => "orchestrator",
        SingleStage::Execute => "executor",
        SingleStage::Review => "reviewer",
    }
}

/// Begins the workflow of a message.
pub(super) fn begin(scratch: &mut Scratch, message: OpeningMessage) -> Result<(), Refusal> {
    if let Some(request) = &message.phase {
        request.check_agent(scratch.state())?;
        request.check_deadlock(scratch.state())?;
    }
    let workflow = &scratch.state().workflow;
    if message.is_session_paused {
        let refusal = Refusal::new(ErrorCode::SessionBusy, "Session is paused");
        return Err(refusal.with("sessionId", &*workflow.session));
    }
    let said = workflow.task.clone();
    let (mut context, mut payload) = (Context::default(), TriggerPayload::default());
    if let Some(request) = &message.phase {
        context = request.context();
        if request.stage == SingleStage::Execute {
            payload = payload.with_tasks(vec![json!({ "id": TASK, "description": said })]);
        }
    }
    context.set_images(message.images?);
    if let Some(before) = message.phase.and_then(|request| request.before) {
        context.set_before(before);
    }
    scratch.record(Event::ContextChanged(Box::new(context)));
    scratch.announce(UserMessage { message_id: message.id, content: said, attachments: None });
    transition(scratch, Trigger::UserInputReceived, &payload, Initiator::Other)
}

impl PhaseRequest {
    fn context(&self) -> Context {
        let mut context = Context::single(self.stage);
        match (self.stage, &self.subject) {
            (SingleStage::Route, Some(intent)) => context.set_intent(intent.clone()),
            (_, Some(proposal)) => context.set_proposal(proposal.clone()),
            _ => {}
        }
        if let Some(agent) = &self.agent {
            context.set_stage_agent(agent);
        }
        if let Some(sender) = &self.sender {
            context.set_planned_by(&sender.id);
            if sender.is_waiting {
                context.set_stage_awaited_by(&sender.id);
            }
        }
        context
    }

    /// Checks that a provider answers for an agent that can do the phase, and for the named one if one is named.
    fn check_agent(&self, state: &State) -> Result<(), Refusal> {
        let kind = kind_of(self.stage);
        if let Some(id) = &self.agent {
            let agent = state.agent(id).ok_or_else(|| agent::missing(id))?;
            if agent.kind != kind {
                let refusal = Refusal::invalid(format!("agent must be one of type {kind}"), "agent");
                return Err(refusal.with("type", &*agent.kind));
            }
            if !self.may_queue && !agent.is_free() {
                let words = format!("target agent busy: {id}");
                return Err(Refusal::new(ErrorCode::ResourceBusy, words).with("agentId", &**id));
            }
        }
        let is_able = |agent: &Agent| {
            let is_meant = self.agent.as_ref().is_none_or(|id| *id == agent.id);
            agent.kind == kind && is_meant && self.answered.contains(&agent.id)
        };
        if state.pool.iter().any(is_able) {
            return Ok(());
        }
        let named = self.agent.as_deref();
        let who = named.map_or_else(|| format!("an agent of type {kind}"), |id| format!("agent {id}"));
        let refusal = Refusal::new(ErrorCode::ProviderMissing, format!("No provider answers for {who}"));
        let refusal = refusal.with("type", kind).with("setting", SETTING);
        Err(match named {
            Some(id) => refusal.with("agentId", id),
            None => refusal,
        })
    }

    /// Checks that the sender does not wait for itself, directly or through others (contract/workflows §6.5).
    fn check_deadlock(&self, state: &State) -> Result<(), Refusal> {
        let Some(sender) = self.sender.as_ref().filter(|sender| sender.is_waiting) else { return Ok(()) };
        let Some(target) = &self.agent else { return Ok(()) };
        // An agent without a task holds up no other.
        let is_at_work = |id: &str| state.agent(id).is_some_and(|agent| agent.task().is_some());
        if !is_at_work(&sender.id) || !is_at_work(target) {
            return Ok(());
        }
        let waiting: Vec<&String> = [&sender.id].into_iter().chain(&sender.held_up).collect();
        let Some(last) = waiting.iter().position(|id| *id == target) else { return Ok(()) };
        let chain: Vec<&str> = waiting[..=last].iter().rev().map(|id| id.as_str()).collect();
        let words = format!("dispatch deadlock risk: {} → {target}", chain.join(" → "));
        Err(Refusal::new(ErrorCode::ResourceBusy, words).with("agentId", &**target))
    }
}
