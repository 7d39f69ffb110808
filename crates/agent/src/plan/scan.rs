//! What lies in the outboxes of agents for a plan.

use super::PlanError;
use super::folders::Folders;
use super::ledger::Source;
use crate::folder::ENVELOPE_LIMIT;
use crate::hash;
use crate::routing::{OutgoingMessage, PayloadFile, UnreadableMessage};
use crate::settling::is_being_written;
use files::{Dir, FileError, FileType, Identity, json};
use protocol::agent::{Code, Envelope, Format, Id, MessageType, PayloadPath, Sha256, TaskState};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Where a message lies that everything was said about.
pub(super) const SENT: &str = ".sent";
const MESSAGE: &str = ".msg.json";
/// What says how far a task is.
const STATE: &str = "task_state_";

/// A message in an outbox.
#[derive(Debug)]
pub(super) struct Message {
    identity: Identity,
    pub(super) sha256: Sha256,
    pub(super) envelope: Result<Envelope, UnreadableMessage>,
    /// Whether one of the same name and content was put away before.
    pub(super) sent_before: bool,
}

/// The messages in outboxes, by agent and name. Those that have not changed are not read again.
pub(super) type Messages = BTreeMap<(Id, String), Message>;

/// Agents' reports on a plan. An agent that reports a task as done has already sent the outputs: so reports are read first,
/// and messages after them. In the other order, a task would seem to have made nothing, or nothing for any recipient.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// The outboxes, by their agents.
    pub(super) outboxes: BTreeMap<Id, Dir>,
    /// Everything but messages, by agent and name.
    pub(super) documents: BTreeSet<(Id, String)>,
    /// How far tasks are, by agent and name.
    states: BTreeMap<(Id, String), TaskState>,
    /// Whether there was any message.
    pub(super) has_messages: bool,
}

/// Looks through the outboxes, in the order of the agents and of the names.
pub(super) fn scan(folders: &Folders, plan: &Id) -> Result<Scan, PlanError> {
    let mut scan = Scan::default();
    for agent in folders.agents()? {
        // One agent's folder that is no folder is that agent's matter.
        let outbox = match folders.outbox(&agent, plan) {
            Ok(Some(outbox)) => outbox,
            Ok(None) | Err(FileError::Symlink { .. } | FileError::NotAFolder { .. }) => continue,
            Err(error) => return Err(error.into()),
        };
        for name in files(&outbox)? {
            if name.ends_with(MESSAGE) {
                scan.has_messages = true;
                continue;
            }
            let key = (agent.clone(), name);
            if key.1.starts_with(STATE) {
                let bytes = outbox.read(&key.1, json::MAX_JSON).ok().flatten();
                let state = bytes.and_then(|bytes| TaskState::parse(&bytes).ok());
                // An agent reports only its own progress.
                if let Some(state) = state.filter(|state| state.agent_id == agent) {
                    scan.states.insert(key.clone(), state);
                }
            }
            scan.documents.insert(key);
        }
        scan.outboxes.insert(agent, outbox);
    }
    Ok(scan)
}

impl Scan {
    /// What an agent says of a task.
    pub(super) fn state(&self, agent: &Id, task: &Id) -> Option<&TaskState> {
        self.states.get(&(agent.clone(), format!("{STATE}{task}.json")))
    }

    /// Brings the messages up to date, but for those that end too early and have changed within `settle`; whether there was one.
    pub(super) fn messages(&self, known: &mut Messages, settle: Duration) -> Result<bool, FileError> {
        let (mut found, mut is_unsettled) = (Messages::new(), false);
        for (agent, outbox) in &self.outboxes {
            let mut sent = None;
            for name in files(outbox)?.into_iter().filter(|name| name.ends_with(MESSAGE)) {
                let Some(identity) = outbox.identity(&name)? else { continue };
                let key = (agent.clone(), name);
                if let Some(message) = known.remove(&key).filter(|message| message.identity == identity) {
                    found.insert(key, message);
                    continue;
                }
                if sent.is_none() {
                    sent = Some(outbox.folder(SENT)?);
                }
                let sent = sent.as_ref().and_then(Option::as_ref);
                match read(outbox, sent, (&key.1, identity), settle)? {
                    ScannedMessage::Message(message) => {
                        found.insert(key, *message);
                    }
                    ScannedMessage::Unsettled => is_unsettled = true,
                    ScannedMessage::Nothing => {}
                }
            }
        }
        *known = found;
        Ok(is_unsettled)
    }
}

/// The files in an outbox that are complete.
fn files(outbox: &Dir) -> Result<Vec<String>, FileError> {
    let complete = |(name, kind): &(String, FileType)| {
        *kind == FileType::RegularFile && !name.ends_with(".tmp") && !name.starts_with('.')
    };
    Ok(outbox.entries()?.into_iter().filter(complete).map(|(name, _)| name).collect())
}

/// What was read of a message's file.
enum ScannedMessage {
    Message(Box<Message>),
    /// Its author may still be writing it.
    Unsettled,
    /// It is gone, or no file.
    Nothing,
}

fn read(
    outbox: &Dir,
    sent: Option<&Dir>,
    (name, identity): (&str, Identity),
    settle: Duration,
) -> Result<ScannedMessage, FileError> {
    let whole = |message| Ok(ScannedMessage::Message(Box::new(message)));
    let bytes = match outbox.read(name, ENVELOPE_LIMIT) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Ok(ScannedMessage::Nothing),
        // It is not read whole to say that it is no message.
        Err(FileError::TooLarge { .. }) => {
            let unreadable = UnreadableMessage { code: Code::EnvelopeParseError, message_id: None };
            let sha256 = hash::sha256(format!("{name} {identity:?}").as_bytes());
            return whole(Message { identity, sha256, envelope: Err(unreadable), sent_before: false });
        }
        Err(FileError::NotAFile { .. } | FileError::Symlink { .. }) => return Ok(ScannedMessage::Nothing),
        Err(error) => return Err(error),
    };
    if is_being_written(outbox, name, &bytes, settle)? {
        return Ok(ScannedMessage::Unsettled);
    }
    let sha256 = hash::sha256(&bytes);
    let envelope = Envelope::parse(&bytes).map_err(|error| {
        let id = serde_json::from_slice::<Value>(&bytes).ok();
        let id = id.as_ref().and_then(|value| value.get("message_id")?.as_str().map(str::to_owned));
        UnreadableMessage::new(&error, id)
    });
    let sent_before = match sent {
        Some(sent) if sent.kind(name)? == Some(FileType::RegularFile) => {
            hash::of_file(sent, name)?.is_some_and(|(before, _)| before == sha256)
        }
        _ => false,
    };
    whole(Message { identity, sha256, envelope, sent_before })
}

/// What lies where a file of a message should.
///
/// # Errors
///
/// Whatever the disk says: nothing can be said of the file for now.
pub(super) fn payload(outbox: &Dir, path: &PayloadPath) -> Result<PayloadFile, FileError> {
    let mut way: Vec<&str> = path.components().collect();
    let Some(name) = way.pop() else { return Ok(PayloadFile::Unsafe) };
    let folder = match outbox.folder_at(way) {
        Ok(Some(folder)) => folder,
        Ok(None) => return Ok(PayloadFile::Missing),
        Err(FileError::Symlink { .. } | FileError::NotAFolder { .. }) => return Ok(PayloadFile::Unsafe),
        Err(error) => return Err(error),
    };
    Ok(match folder.kind(name)? {
        Some(FileType::RegularFile) => hash::of_file(&folder, name)?
            .map_or(PayloadFile::Missing, |(sha256, _)| PayloadFile::Present(sha256)),
        None => PayloadFile::Missing,
        Some(_) => PayloadFile::Unsafe,
    })
}

/// Stands for a payload that is not looked up.
pub(super) fn nothing() -> PayloadFile {
    PayloadFile::Missing
}

impl Message {
    /// What the log calls the message.
    pub(super) fn source(&self, key: &(Id, String), plan_id: &Id) -> Source {
        let id = self.outgoing(plan_id, key, false, &|_| nothing()).message_id().to_owned();
        (id, key.0.clone(), key.1.clone(), self.sha256.to_string())
    }

    /// Whether it brings what a task has made.
    pub(super) fn is_artifact(&self) -> bool {
        self.envelope.as_ref().is_ok_and(|envelope| envelope.kind == MessageType::Artifact)
    }

    /// As the router looks at it.
    pub(super) fn outgoing<'a>(
        &'a self,
        plan_id: &'a Id,
        (owner, name): &'a (Id, String),
        replay: bool,
        payload: &'a dyn Fn(&PayloadPath) -> PayloadFile,
    ) -> OutgoingMessage<'a> {
        OutgoingMessage {
            owner,
            plan_id,
            name,
            sha256: &self.sha256,
            envelope: self.envelope.as_ref(),
            sent_before: self.sent_before,
            replay,
            payload,
        }
    }
}
