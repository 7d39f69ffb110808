//! Messages to modules: their handlers and their status.

use crate::agents::held_up_by;
use crate::aggregate::carry_out;
use crate::draft::Draft;
use crate::failure::Failure;
use crate::ids;
use crate::images::MessageImages;
use crate::lists::{self, ListKey, ListRange};
use crate::runtime::{RequestKey, Runtime};
use crate::sessions::{self, NewSession};
use crate::stages;
use crate::{input, rows};
use aide_core::{Command, OpeningMessage, PhaseRequest, SendingAgent};
use journal::{Agent, Mailbox, Millis, Query, Session, ViewExt as _, Workflow};
use model::Via;
use protocol::workflow::api::{MailboxMessage, MessageAccepted};
use protocol::workflow::requests::ORCHESTRATOR;
use protocol::workflow::{ErrorCode, MailStatus, Refusal, SingleStage};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// All the names that the driver of workflows has had.
const ORCHESTRATOR_NAMES: [&str; 4] =
    [ORCHESTRATOR, "orchestrator-loop", "orchestrator", "finger-orchestrator-gateway"];

/// The modules that return the message.
const ECHO: [&str; 2] = ["echo-input", "echo-output"];

/// The name of the list in its cursors.
const MAIL: &str = "mail";

/// How many messages wait for a module at most.
const MAX_WAITING: usize = 100;

/// A message to send.
#[derive(Debug, Clone)]
pub struct NewMessage {
    /// To whom.
    pub target: String,
    /// What: any JSON.
    pub message: Value,
    /// By whom.
    pub sender: Option<String>,
    /// Whether the sender waits until the message has been processed.
    pub is_awaited: bool,
    /// The name that the sender gives it; the same name is the same message.
    pub callback_id: Option<String>,
}

impl Runtime {
    /// Takes a message. One to the orchestrator begins a workflow, which exists when this returns, or is input to the workflow
    /// that it names; one to the agent of a phase begins a workflow of that phase alone.
    ///
    /// # Errors
    ///
    /// When there is no recipient, or nothing in the message.
    pub fn send(&self, request: Option<&RequestKey>, new: &NewMessage) -> Result<String, Failure> {
        // What is said to a workflow too late answers nothing.
        self.expire_decisions()?;
        let images = if shows_images(&new.target) {
            let root = new.message.get("projectPath").and_then(Value::as_str);
            self.named_images(&new.message, session_named(&new.message), root)?
        } else {
            MessageImages::default()
        };
        self.act(request, |draft| take(draft, new, &self.answered, &images))
    }

    /// Returns the modules that take messages.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    pub fn modules(&self) -> Result<Value, Failure> {
        let agents = self.agents()?;
        let module = |id: &str, kind: &str, name: &str| json!({ "id": id, "type": kind, "name": name });
        let mut modules = vec![module(ORCHESTRATOR, "orchestrator", "Orchestrator")];
        modules.extend(stages::modules().map(|id| module(id, "stage", id)));
        modules.extend(ECHO.iter().map(|id| module(id, "echo", id)));
        modules.extend(agents.iter().map(|agent| module(&agent.id, "agent", &agent.name)));
        let mut inputs =
            vec![json!({ "id": ORCHESTRATOR, "routes": [] }), json!({ "id": ECHO[0], "routes": [] })];
        inputs.extend(stages::modules().map(|id| json!({ "id": id, "routes": [] })));
        inputs.extend(agents.iter().map(|agent| json!({ "id": agent.id, "routes": [] })));
        Ok(json!({ "inputs": inputs, "outputs": [{ "id": ECHO[1] }], "modules": modules }))
    }

    /// Returns messages: to this module, in this state, or all; the latest first.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    pub fn mail(
        &self,
        target: Option<&str>,
        status: Option<MailStatus>,
        limit: u32,
    ) -> Result<Vec<MailboxMessage>, Failure> {
        Ok(self.part_of_mail(target, status, &ListRange { limit: Some(limit), cursor: None })?.0)
    }

    /// Returns a part of the messages, the latest first, and the cursor of what comes behind it.
    ///
    /// # Errors
    ///
    /// When they cannot be read, and when the cursor is not one of this list.
    pub fn part_of_mail(
        &self,
        target: Option<&str>,
        status: Option<MailStatus>,
        range: &ListRange,
    ) -> Result<(Vec<MailboxMessage>, Option<String>), Failure> {
        let view = self.journal.view()?;
        let list = ListKey::new(MAIL, &[("target", target), ("status", status.map(MailStatus::name))]);
        let (found, next) = lists::rows(&*view, &list, &Query::mail(target, status), range)?;
        Ok((found.iter().map(view_of).collect(), next))
    }

    /// Returns a message.
    ///
    /// # Errors
    ///
    /// When there is none, or it cannot be read.
    pub fn mail_by_id(&self, id: &str) -> Result<MailboxMessage, Failure> {
        let found = self.journal.view()?.row::<Mailbox>(&Mailbox::key_of(id))?;
        Ok(view_of(&found.ok_or_else(not_found)?))
    }

    /// Returns the message that its sender has given this name.
    ///
    /// # Errors
    ///
    /// When there is none, or it cannot be read.
    pub fn mail_by_callback(&self, callback: &str) -> Result<MailboxMessage, Failure> {
        let found = self.journal.view()?.first(Query::mail_called(callback))?;
        Ok(view_of(&found.ok_or_else(not_found)?))
    }

    /// Deletes messages: of this module, or of all; in this state, or those that have ended.
    ///
    /// # Errors
    ///
    /// When they are being processed, or it cannot be written.
    pub fn clear_mail(
        &self,
        request: Option<&RequestKey>,
        target: Option<&str>,
        status: Option<MailStatus>,
    ) -> Result<String, Failure> {
        if status == Some(MailStatus::Processing) {
            return Err(Refusal::invalid("Messages that somebody is at stay", "status").into());
        }
        self.act(request, |draft| {
            let ended = [MailStatus::Completed, MailStatus::Failed];
            for status in status.as_ref().map_or(&ended[..], std::slice::from_ref) {
                for mail in draft.find(&Query::mail(target, Some(*status)))? {
                    draft.remove(Mailbox::key_of(&mail.id));
                }
            }
            Ok(json!({ "success": true, "message": "Mailbox cleaned up" }))
        })
    }

    /// Removes messages that ended before this moment, at most `at_most`; returns how many.
    pub(crate) fn forget_mail(&self, before: Millis, at_most: u32) -> Result<u64, Failure> {
        let mut forgotten = 0;
        for status in [MailStatus::Completed, MailStatus::Failed] {
            let old = self.journal.view()?.find(&Query::mail_until(status, before - 1).limit(at_most))?;
            if old.is_empty() {
                continue;
            }
            self.act(None, |draft| {
                old.iter().for_each(|mail| draft.remove(Mailbox::key_of(&mail.id)));
                Ok(())
            })?;
            forgotten += old.len() as u64;
        }
        Ok(forgotten)
    }
}

fn not_found() -> Refusal {
    Refusal::new(ErrorCode::MessageNotFound, "Message not found")
}

/// The handler of a message.
enum MessageHandler {
    Orchestrator,
    Stage(SingleStage),
    Echo,
    Agent,
}

/// Whether what is sent to this module can come with images.
fn shows_images(target: &str) -> bool {
    ORCHESTRATOR_NAMES.contains(&target)
        || stages::stage_of_module(target).is_some_and(|stage| stage == SingleStage::Understand)
}

fn take(
    draft: &mut Draft<'_>,
    new: &NewMessage,
    answered: &BTreeSet<String>,
    images: &MessageImages,
) -> Result<MessageAccepted, Failure> {
    if let Some(callback) = &new.callback_id
        && let Some(before) = draft.find(&Query::mail_called(callback))?.pop()
    {
        return repeated(draft, &before, new);
    }
    let handler = handler_of(draft, &new.target)?;
    let mut mail = new_mail(draft, new);
    let accepted = match handler {
        MessageHandler::Echo => {
            mail.status = MailStatus::Completed;
            mail.result = Some(json!({ "handler": new.target, "received": new.message }).to_string());
            accepted(&mail, None)
        }
        MessageHandler::Agent => {
            check_queue(draft, &new.target)?;
            accepted(&mail, None)
        }
        MessageHandler::Orchestrator => {
            let session = orchestrate(draft, new, &mut mail, images)?;
            let begins = mail.status == MailStatus::Processing;
            MessageAccepted {
                unattended: (begins && !is_attended(draft, answered)?).then_some(true),
                ..accepted(&mail, Some(session))
            }
        }
        MessageHandler::Stage(stage) => {
            let session = begin_stage(draft, new, stage, &mut mail, answered, images)?;
            accepted(&mail, Some(session))
        }
    };
    draft.put(mail);
    Ok(accepted)
}

/// Returns the handler of messages to this module.
fn handler_of(draft: &Draft<'_>, target: &str) -> Result<MessageHandler, Failure> {
    if ORCHESTRATOR_NAMES.contains(&target) {
        Ok(MessageHandler::Orchestrator)
    } else if let Some(stage) = stages::stage_of_module(target) {
        Ok(MessageHandler::Stage(stage))
    } else if ECHO.contains(&target) {
        Ok(MessageHandler::Echo)
    } else if draft.look::<Agent>(&Agent::key_of(target))?.is_some() {
        Ok(MessageHandler::Agent)
    } else {
        let words = format!("Module {target} not registered as input or output");
        Err(Refusal::new(ErrorCode::ModuleNotFound, words).with("target", target).into())
    }
}

fn new_mail(draft: &Draft<'_>, new: &NewMessage) -> Mailbox {
    let now = draft.now();
    Mailbox {
        id: ids::timed("msg", now, draft.world()),
        target: new.target.clone(),
        sender: new.sender.clone(),
        callback: new.callback_id.clone(),
        content: new.message.to_string(),
        status: MailStatus::Pending,
        result: None,
        error: None,
        workflow: None,
        created: now,
        updated: now,
        version: 0,
    }
}

/// Refuses a message to an agent that has too many waiting messages.
fn check_queue(draft: &Draft<'_>, target: &str) -> Result<(), Failure> {
    let waiting = Query::mail(Some(target), Some(MailStatus::Pending));
    if draft.find(&waiting.limit(u32::try_from(MAX_WAITING).unwrap_or(u32::MAX)))?.len() >= MAX_WAITING {
        let refusal = Refusal::new(ErrorCode::QueueFull, format!("target agent busy: {target}"));
        return Err(refusal.with("target", target).with("limit", MAX_WAITING).into());
    }
    Ok(())
}

/// Begins a workflow of one phase; returns its session.
fn begin_stage(
    draft: &mut Draft<'_>,
    new: &NewMessage,
    stage: SingleStage,
    mail: &mut Mailbox,
    answered: &BTreeSet<String>,
    images: &MessageImages,
) -> Result<String, Failure> {
    let (task, request) = stages::read(stage, &new.message)?;
    let is_for_agent = request.agent.is_some();
    let sender = new.sender.as_deref().filter(|_| stage == SingleStage::Execute);
    let sender =
        sender.map(|id| sending_agent(draft, id, new.is_awaited, is_for_agent)).transpose()?.flatten();
    let session = session_of(draft, &new.message)?;
    let before = stages::before(draft, &session.id, None)?;
    let request = PhaseRequest { sender, answered: answered.clone(), before, ..request };
    begin(draft, mail, &session, &task, images, Some(request))?;
    Ok(session.id)
}

/// Returns the sender of a message if it is an agent.
fn sending_agent(
    draft: &Draft<'_>,
    id: &str,
    is_waiting: bool,
    is_for_agent: bool,
) -> Result<Option<SendingAgent>, Failure> {
    if draft.look::<Agent>(&Agent::key_of(id))?.is_none() {
        return Ok(None);
    }
    let held_up = if is_waiting && is_for_agent { held_up_by(draft, id)? } else { Vec::new() };
    Ok(Some(SendingAgent { id: id.to_owned(), is_waiting, held_up }))
}

/// Whether a provider answers for an agent that can begin a workflow.
fn is_attended(draft: &Draft<'_>, answered: &BTreeSet<String>) -> Result<bool, Failure> {
    let able = draft.find_readable(&Query::agents_of_kind("orchestrator"))?;
    Ok(able.iter().any(|agent| answered.contains(&agent.id)))
}

/// Begins a workflow, or gives it an instruction; returns its session.
fn orchestrate(
    draft: &mut Draft<'_>,
    new: &NewMessage,
    mail: &mut Mailbox,
    images: &MessageImages,
) -> Result<String, Failure> {
    let text = text_of(&new.message)
        .ok_or_else(|| Refusal::missing("Missing target or message", "message.content"))?;
    let member = |key: &str| new.message.get(key).and_then(Value::as_str);
    if let Some(id) = member("workflowId") {
        let mut workflow = rows::workflow(draft, id)?;
        input::take_input(draft, &mut workflow, &text, Via::Api)?;
        mail.status = MailStatus::Completed;
        mail.workflow = Some(workflow.id.clone());
        return Ok(workflow.session);
    }
    let session = session_of(draft, &new.message)?;
    begin(draft, mail, &session, &text, images, None)?;
    Ok(session.id)
}

/// The name of the session that a message is for.
fn session_named(message: &Value) -> Option<&str> {
    let member = message.get("sessionId").and_then(Value::as_str);
    member.or_else(|| message.get("metadata")?.get("sessionId")?.as_str())
}

/// The session that a message names, or a new one.
fn session_of(draft: &mut Draft<'_>, message: &Value) -> Result<Session, Failure> {
    let member = |key: &str| message.get(key).and_then(Value::as_str);
    let mut session = match session_named(message) {
        Some(id) => rows::session(draft, id)?,
        None => {
            let project_path = member("projectPath").map(str::to_owned);
            sessions::begin(draft, &NewSession { name: None, project_path })?
        }
    };
    session.updated = draft.now();
    session.accessed = draft.now();
    draft.put(session.clone());
    Ok(session)
}

/// Begins a workflow with this task, or for this phase alone.
fn begin(
    draft: &mut Draft<'_>,
    mail: &mut Mailbox,
    session: &Session,
    task: &str,
    images: &MessageImages,
    request: Option<PhaseRequest>,
) -> Result<(), Failure> {
    let mut workflow = sessions::begin_workflow(draft, session, task);
    // The message and what follows refer to the row.
    draft.put(workflow.clone());
    sessions::put_opening(draft, &workflow, &mail.id)?;
    let message = OpeningMessage {
        id: mail.id.clone(),
        is_session_paused: session.paused,
        images: images.paths(),
        phase: request.map(Box::new),
    };
    carry_out(draft, &mut workflow, Command::Begin(Box::new(message)))?;
    mail.status = MailStatus::Processing;
    mail.workflow = Some(workflow.id);
    Ok(())
}

/// The task of a message, as text.
fn text_of(message: &Value) -> Option<String> {
    let text = match message {
        Value::String(text) => Some(text.as_str()),
        message => ["content", "task", "text"].iter().find_map(|key| message.get(key)?.as_str()),
    };
    text.map(str::trim).filter(|text| !model::is_blank(text)).map(str::to_owned)
}

/// The same message again: it is not taken twice.
fn repeated(draft: &Draft<'_>, before: &Mailbox, new: &NewMessage) -> Result<MessageAccepted, Failure> {
    let content: Option<Value> = serde_json::from_str(&before.content).ok();
    if before.target != new.target || content.as_ref() != Some(&new.message) {
        let words = "callbackId was used for another message";
        return Err(Refusal::new(ErrorCode::IdempotencyConflict, words).with("field", "callbackId").into());
    }
    let workflow = before.workflow.as_deref().map(Workflow::key_of);
    let workflow = workflow.map(|key| draft.look::<Workflow>(&key)).transpose()?.flatten();
    let accepted = accepted(before, workflow.map(|workflow| workflow.session));
    Ok(match before.status {
        MailStatus::Pending | MailStatus::Processing => accepted,
        status => MessageAccepted {
            status: status.name().to_owned(),
            queued: false,
            result: before.result.as_deref().and_then(|result| serde_json::from_str(result).ok()),
            ..accepted
        },
    })
}

fn accepted(mail: &Mailbox, session_id: Option<String>) -> MessageAccepted {
    MessageAccepted {
        success: true,
        message_id: mail.id.clone(),
        status: "queued".to_owned(),
        queued: true,
        workflow_id: mail.workflow.clone(),
        session_id,
        result: None,
        unattended: None,
    }
}

fn view_of(mail: &Mailbox) -> MailboxMessage {
    let json = |text: &String| serde_json::from_str(text).unwrap_or(Value::Null);
    MailboxMessage {
        id: mail.id.clone(),
        target: mail.target.clone(),
        content: json(&mail.content),
        status: mail.status.name().to_owned(),
        result: mail.result.as_ref().map(json),
        error: mail.error.clone(),
        created_at: crate::draft::iso(mail.created),
        updated_at: crate::draft::iso(mail.updated),
        sender: mail.sender.clone(),
        callback_id: mail.callback.clone(),
        workflow_id: mail.workflow.clone(),
    }
}
