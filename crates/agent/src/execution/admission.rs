//! Takes commands that are given directly.

use super::{CommandAdmission, ExecutionError, Executor, Work, content_of};
use crate::clock::stamped;
use crate::folder::archive_name;
use crate::hash;
use files::durable;
use protocol::agent::{Command, Envelope, Extra, Format, MessageType, Mode, Order, Payload, SchemaVersion};
use serde_json::Value;
use std::cell::Cell;

/// What marks a message that was made from a command which came without one.
const DIRECT: &str = "direct";
const SOURCE: &str = "source";

impl Executor<'_> {
    /// Takes a command that is given directly. If it was taken before, it continues where it was left, or has ended.
    ///
    /// # Errors
    ///
    /// When its id belongs to another message, and whatever the disk says.
    pub fn accept(&self, order: Order, bytes: &[u8]) -> Result<CommandAdmission, ExecutionError> {
        let plan = match &order {
            Order::Envelope(envelope) => &envelope.plan_id,
            Order::Bare(command) => &command.plan_id,
        };
        self.folder.plan(plan)?.sweep()?;
        match order {
            Order::Envelope(envelope) => self.accept_envelope(*envelope, bytes),
            Order::Bare(command) => self.accept_bare(*command),
        }
    }

    fn accept_envelope(&self, envelope: Envelope, bytes: &[u8]) -> Result<CommandAdmission, ExecutionError> {
        let plan = self.folder.plan(&envelope.plan_id)?;
        let message = envelope.message_id.clone();
        let known = match plan.taken_as(&message)? {
            Some(known) => Some(known),
            None => plan.ended_as(&message)?,
        };
        if known.as_ref().is_some_and(|(_, known)| !says_the_same(known, bytes)) {
            return Err(ExecutionError::MessageReused { message_id: message });
        }
        if let Some(ended) = self.ended(&plan, &message)? {
            return Ok(CommandAdmission::Ended(Box::new(ended)));
        }
        let taken = archive_name(&message, &format!("{}.msg.json", command_name(&envelope)));
        let taken = match plan.taken_as(&message)? {
            Some((taken, _)) => taken,
            None => {
                durable::replace(plan.lock(), &plan.pending, &taken, bytes)?;
                taken
            }
        };
        // It was read as one that has a command.
        Work::new(envelope, taken)
            .map(|work| CommandAdmission::Work(Box::new(work)))
            .ok_or(ExecutionError::MessageReused { message_id: message })
    }

    /// A command without a message: work that was begun with the same command and has not ended is continued.
    fn accept_bare(&self, command: Command) -> Result<CommandAdmission, ExecutionError> {
        let plan = self.folder.plan(&command.plan_id)?;
        let content = content_of(&command)?;
        for taken in plan.taken()? {
            let bytes = plan.pending.read(&taken, crate::folder::ENVELOPE_LIMIT)?.unwrap_or_default();
            let Ok(envelope) = Envelope::parse_for(&bytes, Mode::Direct) else { continue };
            let is_direct =
                envelope.correlation.as_ref().is_some_and(|it| it.get(SOURCE) == Some(&DIRECT.into()));
            let same = match envelope.command() {
                Some(other) if is_direct => content_of(other)? == content,
                _ => false,
            };
            if !same {
                continue;
            }
            // One that has ended, and was only not put away, is another one.
            if self.ended(&plan, &envelope.message_id)?.is_some() {
                continue;
            }
            if let Some(work) = Work::new(envelope, taken) {
                return Ok(CommandAdmission::Work(Box::new(work)));
            }
        }
        let now = self.clock.now();
        let message_id = stamped("msg", &now, self.clock.random());
        let correlation = [(SOURCE.to_owned(), Value::from(DIRECT))].into_iter().collect();
        let envelope = Envelope {
            schema_version: SchemaVersion::CURRENT,
            message_id: message_id.clone(),
            plan_id: command.plan_id.clone(),
            task_id: Some(command.task_id.clone()),
            output_name: None,
            command_id: Some(command.command_id.clone()),
            producer_agent_id: self.folder.id().clone(),
            kind: MessageType::Command,
            subtype: None,
            created_at: now,
            idempotency_key: command.idempotency_key.clone(),
            payload: Payload { command: Some(Box::new(command.clone())), files: None, extra: Extra::new() },
            routing: None,
            correlation: Some(correlation),
            extra: Extra::new(),
        };
        let taken = archive_name(&message_id, &format!("{}.msg.json", command.command_id));
        let mut bytes = serde_json::to_vec_pretty(&envelope)?;
        bytes.push(b'\n');
        durable::replace(plan.lock(), &plan.pending, &taken, &bytes)?;
        Ok(CommandAdmission::Work(Box::new(Work { envelope, command, taken, spent: Cell::default() })))
    }
}

fn command_name(envelope: &Envelope) -> String {
    envelope.command_id.as_ref().map_or_else(|| "command".to_owned(), ToString::to_string)
}

/// Whether two files are the same message, however it is laid out.
fn says_the_same(one: &[u8], other: &[u8]) -> bool {
    let content = |bytes| serde_json::from_slice::<Value>(bytes).ok().map(|value| hash::of_content(&value));
    one == other || content(one).is_some_and(|one| Some(one) == content(other))
}
