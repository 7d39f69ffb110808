//! A single phase (contract/workflows §3.8): a workflow that enters that phase at once and ends with its result. So it is stored,
//! has steps, events, decisions and costs, and continues after a crash, as any other workflow.

use crate::agents;
use crate::draft::Draft;
use crate::failure::Failure;
use crate::{rows, sessions};
use aide_core::{Context, TriggerPayload};
use journal::{Agent, Query, Session, Workflow};
use protocol::workflow::{ErrorCode, Refusal, SingleStage};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The member of a message for a reviewer that has what is to be judged.
const PROPOSAL: &str = "proposal";

/// The setting that says who answers for agents.
const SETTING: &str = "daemon.provider";

/// The task of a workflow that does only that.
const TASK: &str = "task-1";

/// How large the input may be, in bytes of JSON; the context of the workflow must hold its result as well.
const MAX_BROUGHT: usize = 512 << 10;

/// How long the words may be by which a workflow is listed that was begun by something else than words, in characters.
const MAX_TITLE: usize = 200;

/// All modules that do one phase.
pub(crate) fn modules() -> impl Iterator<Item = &'static str> {
    SingleStage::ALL.iter().map(|stage| stage.module())
}

/// The phase that a module does.
pub(crate) fn stage_of_module(module: &str) -> Option<SingleStage> {
    SingleStage::ALL.iter().copied().find(|stage| stage.module() == module)
}

/// The phase that is all that a workflow is for, if it is only for one.
pub(crate) fn stage_of(workflow: &Workflow) -> Option<SingleStage> {
    Context::read(&workflow.context).stage()
}

/// What a message asks one phase for.
pub(crate) struct StageRequest {
    stage: SingleStage,
    /// In words.
    pub(crate) task: String,
    context: Context,
    /// What comes with the first transition.
    pub(crate) payload: TriggerPayload,
    /// Whether the workflow waits for the named agent if that is busy.
    may_queue: bool,
}

impl StageRequest {
    /// Reads a message: an object, or for a phase that is about words, those alone.
    ///
    /// # Errors
    ///
    /// When it does not say what the phase is about.
    pub(crate) fn read(stage: SingleStage, message: &Value) -> Result<Self, Refusal> {
        let mut context = Context::single(stage);
        let mut payload = TriggerPayload::default();
        let may_queue = match message.get("queueOnBusy") {
            None | Some(Value::Null | Value::Bool(true)) => true,
            Some(Value::Bool(false)) => false,
            Some(_) => return Err(Refusal::invalid("queueOnBusy must be true or false", "queueOnBusy")),
        };
        let task = match stage {
            SingleStage::Understand => {
                words(message, &["input", "content", "text"], "Missing input", "input")?
            }
            SingleStage::Plan | SingleStage::Execute => {
                words(message, &["task", "content", "text"], "Missing task", "task")?
            }
            SingleStage::Route => {
                let intent = match message.get("intentAnalysis") {
                    None | Some(Value::Null) => {
                        return Err(Refusal::missing("Missing intentAnalysis", "intentAnalysis"));
                    }
                    Some(Value::Object(intent)) => json!(intent),
                    Some(_) => {
                        return Err(Refusal::invalid("intentAnalysis must be an object", "intentAnalysis"));
                    }
                };
                let goal = intent["normalizedIntent"]["goal"].as_str().map(str::to_owned);
                let task = goal.unwrap_or_else(|| title(&intent));
                context.set_intent(sized(intent, "intentAnalysis")?);
                task
            }
            SingleStage::Review => {
                let is_blank = |value: &Value| match value {
                    Value::Null => true,
                    Value::String(text) => model::is_blank(text),
                    _ => false,
                };
                let proposal = message.get(PROPOSAL).filter(|proposal| !is_blank(proposal));
                let proposal = proposal.ok_or_else(|| Refusal::missing("Missing proposal", PROPOSAL))?;
                let task = title(proposal);
                context.set_proposal(sized(proposal.clone(), PROPOSAL)?);
                task
            }
        };
        if stage == SingleStage::Execute {
            match message.get("agent") {
                None | Some(Value::Null) => {}
                Some(Value::String(agent)) if !model::is_blank(agent) => {
                    context.set_stage_agent(agent);
                }
                Some(_) => return Err(Refusal::invalid("agent must be a string", "agent")),
            }
            payload = payload.with_tasks(vec![json!({ "id": TASK, "description": task })]);
        }
        Ok(Self { stage, task, context, payload, may_queue })
    }

    /// Makes sure that there is an agent for it among `answered`, the agents that an engine answers for.
    ///
    /// # Errors
    ///
    /// When there is none, or not the named one.
    pub(crate) fn check(&self, draft: &Draft<'_>, answered: &BTreeSet<String>) -> Result<(), Failure> {
        let kind = match self.stage {
            SingleStage::Understand | SingleStage::Route | SingleStage::Plan => "orchestrator",
            SingleStage::Execute => "executor",
            SingleStage::Review => "reviewer",
        };
        let named = self.context.stage_agent();
        if let Some(id) = named {
            let agent = draft.look::<Agent>(&Agent::key_of(id))?.ok_or_else(|| rows::agent_missing(id))?;
            if agent.kind != kind {
                let refusal = Refusal::invalid(format!("agent must be one of type {kind}"), "agent");
                return Err(refusal.with("type", agent.kind).into());
            }
            if !self.may_queue && !agents::agent_of(&agent).is_free() {
                let words = format!("target agent busy: {id}");
                return Err(Refusal::new(ErrorCode::ResourceBusy, words).with("agentId", id).into());
            }
        }
        let is_meant = |agent: &Agent| {
            agent.kind == kind && answered.contains(&agent.id) && named.is_none_or(|name| name == agent.id)
        };
        if draft.find(&Query::agents())?.iter().any(is_meant) {
            return Ok(());
        }
        let who = named.map_or_else(|| format!("an agent of type {kind}"), |name| format!("agent {name}"));
        let refusal = Refusal::new(ErrorCode::ProviderMissing, format!("No provider answers for {who}"));
        let refusal = refusal.with("type", kind).with("setting", SETTING);
        Err(match named {
            Some(name) => refusal.with("agentId", name).into(),
            None => refusal.into(),
        })
    }

    /// Images come with the words.
    pub(crate) fn shows(&mut self, images: Vec<String>) {
        self.context.set_images(images);
    }

    /// Records the sender if it is an agent.
    ///
    /// # Errors
    ///
    /// When it waits for that, and would wait for itself, be it by way of others (contract/workflows §6.5).
    pub(crate) fn is_sent_by(
        &mut self,
        draft: &Draft<'_>,
        sender: &str,
        is_awaited: bool,
    ) -> Result<(), Failure> {
        if self.stage != SingleStage::Execute || draft.look::<Agent>(&Agent::key_of(sender))?.is_none() {
            return Ok(());
        }
        self.context.set_planned_by(sender);
        if !is_awaited {
            return Ok(());
        }
        self.context.set_stage_awaited_by(sender);
        let Some(target) = self.context.stage_agent() else { return Ok(()) };
        let is_at_work = |id: &str| -> Result<bool, Failure> {
            Ok(draft.look::<Agent>(&Agent::key_of(id))?.is_some_and(|agent| agent.task.is_some()))
        };
        if !is_at_work(sender)? || !is_at_work(target)? {
            return Ok(());
        }
        let mut waiting = vec![sender.to_owned()];
        loop {
            let Some(last) = waiting.last().filter(|last| *last != target) else {
                let chain = waiting.iter().rev().map(String::as_str).collect::<Vec<_>>().join(" → ");
                let words = format!("dispatch deadlock risk: {chain} → {target}");
                return Err(Refusal::new(ErrorCode::ResourceBusy, words).with("agentId", target).into());
            };
            match waits_for(draft, last)? {
                Some(next) if !waiting.contains(&next) => waiting.push(next),
                _ => return Ok(()),
            }
        }
    }

    /// Begins a workflow for it, which has not entered the phase yet.
    pub(crate) fn begin(&self, draft: &mut Draft<'_>, session: &Session) -> Result<Workflow, Failure> {
        let mut context = self.context.clone();
        if let Some(before) = before(draft, &session.id, None)? {
            context.set_before(before);
        }
        let workflow = sessions::begin_workflow(draft, session, &self.task);
        Ok(Workflow { context: context.into_json(), ..workflow })
    }
}

/// The agent that does nothing else until this one has done its task, if any; none is held up by one that has no task.
fn waits_for(draft: &Draft<'_>, agent: &str) -> Result<Option<String>, Failure> {
    let row = draft.look::<Agent>(&Agent::key_of(agent))?;
    let Some(workflow) = row.filter(|agent| agent.task.is_some()).and_then(|agent| agent.workflow) else {
        return Ok(None);
    };
    let workflow = draft.look::<Workflow>(&Workflow::key_of(&workflow))?;
    let context = workflow.as_ref().map(|workflow| Context::read(&workflow.context)).unwrap_or_default();
    Ok(context.stage_awaited_by().map(str::to_owned))
}

/// The words that a message consists of, or has under one of these names.
fn words(message: &Value, names: &[&str], missing: &str, field: &str) -> Result<String, Refusal> {
    let text = match message {
        Value::String(text) => Some(text.as_str()),
        message => names.iter().find_map(|name| message.get(name)?.as_str()),
    };
    let text = text.map(str::trim).filter(|text| !model::is_blank(text));
    text.map(str::to_owned).ok_or_else(|| Refusal::missing(missing, field))
}

fn sized(value: Value, field: &str) -> Result<Value, Refusal> {
    if value.to_string().len() > MAX_BROUGHT {
        return Err(Refusal::invalid(format!("{field} is too large"), field).with("limit", MAX_BROUGHT));
    }
    Ok(value)
}

/// The words by which something else than words is listed: those that it has, or its beginning.
fn title(value: &Value) -> String {
    let said = ["task", "goal", "description", "summary", "thought"]
        .iter()
        .find_map(|name| value.get(name)?.as_str().filter(|text| !model::is_blank(text)))
        .or(value.as_str());
    let text = said.map_or_else(|| value.to_string(), |text| text.trim().to_owned());
    match text.char_indices().nth(MAX_TITLE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// How the last workflow of a session stands that was for more than one phase, but for the one named: what is said may be about
/// it.
pub(crate) fn before(
    draft: &Draft<'_>,
    session: &str,
    except: Option<&str>,
) -> Result<Option<Value>, Failure> {
    let rows = draft.find(&Query::workflows_of(session))?;
    let others = rows.iter().filter(|row| stage_of(row).is_none() && Some(&*row.id) != except);
    let Some(row) = others.max_by_key(|row| row.created) else {
        return Ok(None);
    };
    let tasks = draft.tasks(&row.id)?;
    let task = |task: &journal::Task| json!({ "id": task.id, "description": task.description, "status": task.state.simple().name() });
    let tasks: Vec<Value> = tasks.iter().map(task).collect();
    Ok(Some(json!({ "workflowId": row.id, "task": row.task, "phase": row.state.name(), "tasks": tasks })))
}

#[cfg(test)]
mod tests {
    use super::StageRequest;
    use protocol::workflow::{ErrorCode, SingleStage};
    use serde_json::{Value, json};

    fn read(stage: SingleStage, message: Value) -> Result<String, (ErrorCode, String)> {
        let asked = StageRequest::read(stage, &message);
        asked.map(|asked| asked.task).map_err(|refusal| (refusal.code, refusal.error))
    }

    #[test]
    fn what_a_phase_is_about_must_be_there() {
        let missing = |what: &str| Err((ErrorCode::MissingField, format!("Missing {what}")));
        for (stage, what) in [
            (SingleStage::Understand, "input"),
            (SingleStage::Route, "intentAnalysis"),
            (SingleStage::Plan, "task"),
            (SingleStage::Execute, "task"),
            (SingleStage::Review, "proposal"),
        ] {
            for message in [json!({}), json!({ what: null }), json!(null), json!(" ")] {
                assert_eq!(read(stage, message.clone()), missing(what), "{stage} {message}");
            }
        }
        assert_eq!(read(SingleStage::Review, json!({ "proposal": "\n" })), missing("proposal"));
        let invalid = Err((ErrorCode::InvalidRequest, "intentAnalysis must be an object".to_owned()));
        assert_eq!(read(SingleStage::Route, json!({ "intentAnalysis": "x" })), invalid);
        let invalid = Err((ErrorCode::InvalidRequest, "agent must be a string".to_owned()));
        assert_eq!(read(SingleStage::Execute, json!({ "task": "x", "agent": 1 })), invalid);
        let large = json!({ "proposal": "x".repeat(1 << 20) });
        assert_eq!(read(SingleStage::Review, large).unwrap_err().1, "proposal is too large");
    }

    #[test]
    fn it_is_listed_by_words() {
        assert_eq!(read(SingleStage::Plan, json!(" x ")), Ok("x".to_owned()));
        assert_eq!(read(SingleStage::Understand, json!({ "input": "x" })), Ok("x".to_owned()));
        let intent = json!({ "intentAnalysis": { "normalizedIntent": { "goal": "a report" } } });
        assert_eq!(read(SingleStage::Route, intent), Ok("a report".to_owned()));
        assert_eq!(
            read(SingleStage::Review, json!({ "proposal": { "task": "t", "a": 1 } })),
            Ok("t".to_owned())
        );
        assert_eq!(read(SingleStage::Review, json!({ "proposal": [1] })), Ok("[1]".to_owned()));
        let long = read(SingleStage::Review, json!({ "proposal": "路".repeat(500) })).unwrap();
        assert_eq!(long, format!("{}…", "路".repeat(200)));
    }
}
