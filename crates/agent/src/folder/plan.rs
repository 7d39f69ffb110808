//! One plan's part of an agent's folder.

use super::{AgentFolder, Trace, archive_name};
use crate::clock::{Clock, id};
use crate::hash;
use files::{Dir, FileError, FileType, Lock, durable, json, line_log};
use protocol::agent::{
    Ack, Alert, AlertSource, Code, Extra, Format, HumanRequest, Id, InputIndex, SchemaVersion, Sha256,
    TaskState, Text,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// So large may an envelope be, in bytes.
pub(crate) const ENVELOPE_LIMIT: u64 = 16 << 20;
const INDEX: &str = "input_index.json";
/// How deep files may lie that are looked for by a pattern.
const MAX_DEPTH: usize = 32;

/// One of the four logs (contract/plans §2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogName {
    /// What happens.
    Activity,
    /// What was chosen, and why.
    DecisionLog,
    /// What went wrong.
    ErrorChains,
    /// What an LLM was asked, without the words: how much, how long, what it cost.
    LlmCalls,
}

/// A line of a log: what it is called, and what else is known.
#[derive(Debug)]
pub struct Event<'e> {
    /// What happens.
    pub event: &'e str,
    /// The task, the message and whatever else is known.
    pub fields: Value,
}

/// One plan's part of an agent's folder, with all the folders that contract/plans §2.1 names.
#[derive(Debug)]
pub struct PlanFolder<'a> {
    pub(crate) agent: &'a AgentFolder,
    /// The plan.
    pub(crate) id: Id,
    pub(crate) inbox: Dir,
    pub(crate) pending: Dir,
    pub(crate) processed: Dir,
    pub(crate) deadletter: Dir,
    pub(crate) outbox: Dir,
    pub(crate) workspace: Dir,
    pub(crate) inputs: Dir,
    logs: Dir,
}

/// What was found under the key of a command that has ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct KeyRecord {
    pub(crate) schema_version: String,
    pub(crate) idempotency_key: String,
    /// The hash of what the command says.
    pub(crate) command_sha256: Sha256,
    /// The message whose trace has the result.
    pub(crate) message_id: Id,
}

impl<'a> PlanFolder<'a> {
    pub(super) fn open(agent: &'a AgentFolder, id: Id) -> Result<Self, FileError> {
        let plan = id.as_str();
        let inbox = agent.root.ensure_folders(["inbox", plan])?;
        let workspace = agent.root.ensure_folders(["workspace", plan])?;
        Ok(Self {
            pending: inbox.ensure_folder(".pending")?,
            processed: inbox.ensure_folder(".processed")?,
            deadletter: inbox.ensure_folder(".deadletter")?,
            outbox: agent.root.ensure_folders(["outbox", plan])?,
            inputs: workspace.ensure_folder("inputs")?,
            logs: agent.root.ensure_folder("logs")?,
            agent,
            id,
            inbox,
            workspace,
        })
    }

    /// Which plan it is.
    pub fn id(&self) -> &Id {
        &self.id
    }

    /// Where messages arrive.
    pub fn inbox_path(&self) -> &std::path::Path {
        self.inbox.path()
    }

    /// Where inputs lie.
    pub fn inputs_path(&self) -> &std::path::Path {
        self.inputs.path()
    }

    /// Where inputs and the files of tasks lie.
    pub fn workspace_path(&self) -> &std::path::Path {
        self.workspace.path()
    }

    pub(crate) fn lock(&self) -> &Lock {
        &self.agent.lock
    }

    /// The folder that a task works in, where its inputs are looked for as well.
    pub(crate) fn task(&self, task: &Id) -> Result<Dir, FileError> {
        self.workspace.ensure_folders(["tasks", task.as_str()])
    }

    pub(crate) fn trace(&self, message: &Id) -> Result<Trace<'_>, FileError> {
        Ok(Trace { dir: self.workspace.ensure_folders(["trace", message.as_str()])?, lock: self.lock() })
    }

    /// What became of a message; `None` before it was taken, and when it cannot be read. One that has ended may have been
    /// put away by the router.
    pub(crate) fn ack(&self, message: &Id) -> Result<Option<Ack>, FileError> {
        let name = ack_name(message);
        let bytes = match (self.outbox.read(&name, json::MAX_JSON)?, self.outbox.folder(".sent")?) {
            (None, Some(sent)) => sent.read(&name, json::MAX_JSON)?,
            (bytes, _) => bytes,
        };
        Ok(bytes.and_then(|bytes| Ack::parse(&bytes).ok()).filter(|ack| ack.message_id == *message))
    }

    pub(crate) fn write_ack(&self, ack: &Ack) -> Result<(), FileError> {
        self.write(&self.outbox, &ack_name(&ack.message_id), ack)
    }

    /// How far a task has come.
    pub(crate) fn task_state(&self, task: &Id) -> Result<StoredDocument<TaskState>, FileError> {
        Ok(match self.outbox.read(&state_name(task), json::MAX_JSON)? {
            None => StoredDocument::Nothing,
            Some(bytes) => match TaskState::parse(&bytes) {
                Ok(state) => StoredDocument::Found(Box::new(state)),
                Err(_) => StoredDocument::Corrupt,
            },
        })
    }

    pub(crate) fn write_task_state(&self, state: &TaskState) -> Result<(), FileError> {
        self.write(&self.outbox, &state_name(&state.task_id), state)
    }

    /// The inputs that have come, none if there is no index or it cannot be read: the files are still found by their
    /// places.
    pub(crate) fn index(&self) -> Result<Option<InputIndex>, FileError> {
        let bytes = self.inputs.read(INDEX, json::MAX_JSON)?;
        Ok(bytes.and_then(|bytes| InputIndex::parse(&bytes).ok()))
    }

    pub(crate) fn write_index(&self, index: &InputIndex) -> Result<(), FileError> {
        self.write(&self.inputs, INDEX, index)
    }

    pub(crate) fn key_record(&self, key: &str) -> Result<Option<KeyRecord>, FileError> {
        match self.workspace.folder("keys")? {
            Some(keys) => json::read(&keys, &key_name(key)),
            None => Ok(None),
        }
    }

    pub(crate) fn write_key_record(&self, record: &KeyRecord) -> Result<(), FileError> {
        let keys = self.workspace.ensure_folder("keys")?;
        self.write(&keys, &key_name(&record.idempotency_key), record)
    }

    /// Asks a person, once: a request that is there, or has been, stays as it is.
    pub(crate) fn ask_person(&self, request: &HumanRequest) -> Result<(), FileError> {
        let name = format!("human_intervention_request_{}.json", request.request_id);
        self.publish_once(&name, request)
    }

    /// Publishes an alert for observers, once per id.
    pub(crate) fn alert(&self, alert: &Alert) -> Result<(), FileError> {
        self.publish_once(&format!("alert_{}.json", alert.alert_id), alert)
    }

    fn publish_once(&self, name: &str, value: &impl Serialize) -> Result<(), FileError> {
        let is_sent = match self.outbox.folder(".sent")? {
            Some(sent) => sent.kind(name)?.is_some(),
            None => false,
        };
        if is_sent {
            return Ok(());
        }
        let text = json::text(&self.outbox, name, value, json::MAX_JSON)?;
        durable::publish_once(self.lock(), &self.outbox, name, &text).map(drop)
    }

    fn write(&self, dir: &Dir, name: &str, value: &impl Serialize) -> Result<(), FileError> {
        let text = json::text(dir, name, value, json::MAX_JSON)?;
        durable::replace(self.lock(), dir, name, &text)
    }

    /// Clears away the halves of files that killed writers have left for others to find.
    pub(crate) fn sweep(&self) -> Result<(), FileError> {
        for dir in [&self.outbox, &self.pending] {
            durable::sweep(self.lock(), dir, &dir.names()?);
        }
        Ok(())
    }

    /// The envelopes in the inbox itself, by their names (contract/plans §2.4).
    pub(crate) fn arrived(&self) -> Result<Vec<String>, FileError> {
        envelopes(&self.inbox)
    }

    /// The envelopes that were put aside, by their names.
    pub(crate) fn put_aside(&self) -> Result<Vec<String>, FileError> {
        envelopes(&self.deadletter)
    }

    /// What is named like an envelope in the inbox and is no regular file, by their names.
    pub(crate) fn odd(&self) -> Result<Vec<String>, FileError> {
        let entries = self.inbox.entries()?.into_iter();
        let odd =
            entries.filter(|(name, kind)| *kind != FileType::RegularFile && name.ends_with(".msg.json"));
        Ok(odd.map(|(name, _)| name).collect())
    }

    /// The envelopes that were taken and have not ended, by their names.
    pub(crate) fn taken(&self) -> Result<Vec<String>, FileError> {
        envelopes(&self.pending)
    }

    /// The envelope that was taken as `message`, with its name.
    pub(crate) fn taken_as(&self, message: &Id) -> Result<Option<(String, Vec<u8>)>, FileError> {
        find(&self.pending, message)
    }

    /// The envelope of a message that has ended, with its name.
    pub(crate) fn ended_as(&self, message: &Id) -> Result<Option<(String, Vec<u8>)>, FileError> {
        find(&self.processed, message)
    }

    /// Takes an envelope from the inbox (contract/plans §6.3); `None` if another process has it.
    pub(crate) fn claim(&self, name: &str, message: &Id) -> Result<Option<String>, FileError> {
        let mut taken = archive_name(message, name);
        let mut number = 1;
        while self.pending.kind(&taken)?.is_some() {
            // Before the ending, which makes the file an envelope.
            taken = archive_name(message, &name.replace(".msg.json", &format!("__dup_{number}.msg.json")));
            number += 1;
        }
        let moved = durable::move_file(self.lock(), &self.inbox, name, &self.pending, &taken)?;
        Ok(moved.then_some(taken))
    }

    /// Puts the envelope of a message that has ended away.
    pub(crate) fn put_away(&self, taken: &str) -> Result<(), FileError> {
        durable::move_file(self.lock(), &self.pending, taken, &self.processed, taken).map(drop)
    }

    /// Adds a line to a log. A log that cannot be written does not stop the work.
    pub(crate) fn log(&self, clock: &dyn Clock, log: LogName, event: &Event<'_>) {
        let mut line = json!({
            "time": clock.now(),
            "agent_id": self.agent.id(),
            "plan_id": self.id,
            "event": event.event,
        });
        if let (Value::Object(line), Value::Object(fields)) = (&mut line, &event.fields) {
            line.extend(fields.iter().map(|(key, value)| (key.clone(), value.clone())));
        }
        let rotation = line_log::Rotation::default();
        let added = line_log::append(self.lock(), &self.logs, log.file(), &line.to_string(), rotation);
        if let Err(error) = added {
            tracing::warn!(%error, log = log.file(), "cannot write to a log");
        }
    }
}

impl LogName {
    /// Its file in `logs/`.
    pub fn file(self) -> &'static str {
        match self {
            Self::Activity => "activity.jsonl",
            Self::DecisionLog => "decision_log.jsonl",
            Self::ErrorChains => "error_chains.jsonl",
            Self::LlmCalls => "llm_calls.jsonl",
        }
    }
}

/// A document that may be there.
pub(crate) enum StoredDocument<T> {
    Nothing,
    Corrupt,
    Found(Box<T>),
}

/// An alert about `code`, under an id that is the same for the same `about`.
pub(crate) fn alert(
    plan: &PlanFolder<'_>,
    clock: &dyn Clock,
    code: Code,
    about: &str,
    source: (Option<&Id>, Option<&Id>),
    message: &str,
    details: Extra,
) -> Alert {
    let now = clock.now();
    let digest = hash::sha256(format!("{code} {about}").as_bytes());
    let text = |text: &str, instead: &str| text.parse::<Text>().or_else(|_| instead.parse());
    let (task, command) = source;
    Alert {
        schema_version: SchemaVersion::CURRENT,
        alert_id: id(&format!("alert_{}_{}", code.name().to_lowercase(), &digest.hex()[..16])),
        plan_id: plan.id.clone(),
        severity: code.severity(),
        kind: filled(text(code.name(), "ALERT")),
        created_at: now,
        source: Some(AlertSource {
            agent_id: Some(plan.agent.id().to_string()),
            task_id: task.map(ToString::to_string),
            command_id: command.map(ToString::to_string),
            extra: Extra::new(),
        }),
        message: filled(text(message, code.name())),
        details: Some(details),
        extra: Extra::new(),
    }
}

/// A text that is known not to be blank.
#[expect(clippy::expect_used, reason = "the names of codes are not blank")]
pub(crate) fn filled<E: std::fmt::Debug>(text: Result<Text, E>) -> Text {
    text.expect("a text that is not blank")
}

pub(crate) fn ack_name(message: &Id) -> String {
    format!("ack_{message}.json")
}

fn state_name(task: &Id) -> String {
    format!("task_state_{task}.json")
}

fn key_name(key: &str) -> String {
    format!("{}.json", hash::sha256(key.as_bytes()).hex())
}

fn envelopes(dir: &Dir) -> Result<Vec<String>, FileError> {
    let entries = dir.entries()?.into_iter();
    let files = entries.filter(|(name, kind)| *kind == FileType::RegularFile && name.ends_with(".msg.json"));
    Ok(files.map(|(name, _)| name).collect())
}

/// The id that a message has, whatever else it says.
fn id_in(bytes: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(bytes).ok()?;
    value.get("message_id").and_then(Value::as_str).map(str::to_owned)
}

fn find(dir: &Dir, message: &Id) -> Result<Option<(String, Vec<u8>)>, FileError> {
    let beginning = format!("{message}__");
    for name in envelopes(dir)? {
        if !name.starts_with(&beginning) {
            continue;
        }
        // Something that is none may have such a name, and another id may begin so.
        let bytes = match dir.read(&name, ENVELOPE_LIMIT) {
            Ok(Some(bytes)) => bytes,
            Ok(None) | Err(FileError::TooLarge { .. }) => continue,
            Err(error) => return Err(error),
        };
        if id_in(&bytes).as_deref() == Some(message.as_str()) {
            return Ok(Some((name, bytes)));
        }
    }
    Ok(None)
}

/// The regular files below `dir`, as their names on the way there, in their order. Nothing hidden, and no symlink.
pub(crate) fn walk(dir: &Dir) -> Result<Vec<Vec<String>>, FileError> {
    let mut found = Vec::new();
    walk_into(dir, &mut Vec::new(), &mut found)?;
    Ok(found)
}

fn walk_into(dir: &Dir, way: &mut Vec<String>, found: &mut Vec<Vec<String>>) -> Result<(), FileError> {
    for (name, kind) in dir.entries()? {
        let is_hidden = name.starts_with('.') && name != ".env" && !name.starts_with(".env.");
        if is_hidden || name.ends_with(".tmp") {
            continue;
        }
        way.push(name);
        match kind {
            FileType::RegularFile => found.push(way.clone()),
            FileType::Directory if way.len() < MAX_DEPTH => {
                let name = way.last().map(String::as_str).unwrap_or_default();
                if let Some(folder) = dir.folder(name)? {
                    walk_into(&folder, way, found)?;
                }
            }
            _ => {}
        }
        way.pop();
    }
    Ok(())
}
