//! `*.msg.json`: messages between agents.

use super::command::Command;
use super::macros::{document, leaf_schema};
use super::read::{Member, Place, Reader, is_missing};
use super::{
    Extra, Format, FormatError, Id, Mode, NonEmpty, PayloadPath, Problem, Rule, SchemaVersion, Sha256,
    Timestamp,
};
use model::strict;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// Type of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageType {
    /// A command, executed by the agent of its task.
    Command,
    /// An output of a task, for its recipients.
    Artifact,
}

impl MessageType {
    /// Returns the name used in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Artifact => "artifact",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Self::Command, Self::Artifact].into_iter().find(|kind| kind.name() == name)
    }
}

impl Serialize for MessageType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// An unknown type has its own code, different from that of a missing type.
impl Member for MessageType {
    fn read(reader: &mut Reader, place: &Place<'_>, value: Option<&Value>) -> Option<Self> {
        let text = String::read(reader, place, value)?;
        let found = Self::named(&text);
        if found.is_none() {
            reader.note(place, Rule::IsMessageType, value);
        }
        found
    }
}

leaf_schema!(MessageType, { "type": "string", "enum": ["command", "artifact"] });

document! {
    /// A message: a command to an agent, or files for their recipients.
    #[cfg_attr(feature = "schema", schemars(transform = demand_by_type))]
    Envelope {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// Id by which duplicates, acknowledgements and deliveries are matched.
        message_id: Id,
        /// Id of the plan.
        plan_id: Id,
        /// Id of the task that the command is for, or that produced the artifact.
        task_id: Option<Id>,
        /// Name of the task's output; required for an artifact.
        output_name: Option<Id>,
        /// Id of the command; required for a command.
        command_id: Option<Id>,
        /// Id of the sending agent.
        producer_agent_id: Id,
        /// Type of the message.
        kind as "type": MessageType,
        /// Kind of artifact, as named by its producer; inputs can be selected by it. Absent if there is none.
        subtype: Option<String>,
        /// Creation time. Not used for ordering.
        created_at: Timestamp,
        /// Identifies one of several attempts, for people only; absent if there is none.
        idempotency_key: Option<String>,
        /// Payload of the message.
        payload: Payload,
        /// Intended recipients; ignored for routing. Absent if there are none.
        routing: Option<Extra>,
        /// Context that the message belongs to; absent if there is none.
        correlation: Option<Extra>,
    }
    check check_envelope
}

document! {
    /// Payload of a message: a command, files, or both.
    Payload {
        /// The command; required for a command message.
        command: Option<Box<Command>>,
        /// The files, stored next to the message; required for an artifact.
        files: Option<NonEmpty<FileRef>>,
    }
}

document! {
    /// A file of a message.
    FileRef {
        /// Path relative to the folder of the message.
        path: PayloadPath,
        /// Hash of the file's bytes.
        sha256: Sha256,
        /// Media type; absent if not specified.
        content_type: Option<String>,
        /// Size in bytes; absent if unknown.
        size_bytes: Option<u64>,
    }
}

impl Envelope {
    /// Returns the files of the payload; empty if there are none.
    pub fn files(&self) -> &[FileRef] {
        self.payload.files.as_deref().unwrap_or_default()
    }

    /// Returns the command; `None` if the message is not a command.
    pub fn command(&self) -> Option<&Command> {
        self.payload.command.as_deref().filter(|_| self.kind == MessageType::Command)
    }
}

/// Checks the requirements of each message type that the schema of the members alone would miss.
fn check_envelope(reader: &mut Reader, place: &Place<'_>, object: &Map<String, Value>) {
    let payload = object.get("payload").and_then(Value::as_object);
    let in_payload = |key| payload.and_then(|payload| payload.get(key));
    match object.get("type").and_then(Value::as_str).and_then(MessageType::named) {
        Some(MessageType::Command) => {
            reader.demand(place, object, "task_id", Rule::IsId);
            reader.demand(place, object, "command_id", Rule::IsId);
            if payload.is_some() && is_missing(in_payload("command")) {
                reader.note(&place.key("payload").key("command"), Rule::IsObject, None);
            }
        }
        Some(MessageType::Artifact) => {
            reader.demand(place, object, "task_id", Rule::IsId);
            reader.demand(place, object, "output_name", Rule::IsId);
            if payload.is_some() && is_missing(in_payload("files")) {
                reader.note(&place.key("payload").key("files"), Rule::IsFilledArray, None);
            }
        }
        None => {}
    }
    let payload_place = place.key("payload");
    if let Some(files) = in_payload("files").and_then(Value::as_array) {
        check_unique_paths(reader, &payload_place.key("files"), files);
    }
    if let Some(command) = in_payload("command").and_then(Value::as_object) {
        let command_place = payload_place.key("command");
        for key in ["plan_id", "task_id", "command_id"] {
            let (Some(Value::String(outside)), Some(inside)) = (object.get(key), command.get(key)) else {
                continue;
            };
            if inside.is_string() && inside != outside {
                let rule = Rule::SameAsEnvelope { envelope: outside.clone() };
                reader.note(&command_place.key(key), rule, Some(inside));
            }
        }
    }
}

/// Two files cannot have the same path.
fn check_unique_paths(reader: &mut Reader, place: &Place<'_>, files: &[Value]) {
    let mut seen = std::collections::HashSet::new();
    for (index, file) in files.iter().enumerate() {
        let path = file.get("path").filter(|path| path.is_string());
        if path.is_some_and(|path| !seen.insert(path.as_str())) {
            reader.note(&place.index(index).key("path"), Rule::IsUnique, path);
        }
    }
}

/// A command that is run directly, with or without an envelope.
#[derive(Debug, Clone, PartialEq)]
pub enum Order {
    /// With an envelope.
    Envelope(Box<Envelope>),
    /// Without an envelope.
    Bare(Box<Command>),
}

impl Order {
    /// Reads the bytes of a file.
    ///
    /// # Errors
    ///
    /// When the file is not JSON, or neither a command nor a command message.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let value = strict::read(bytes).map_err(FormatError::Syntax)?;
        Self::from_value(&value).map_err(FormatError::Invalid)
    }

    /// Reads a document. A document with a payload or message id is read as an envelope.
    ///
    /// # Errors
    ///
    /// All its problems.
    pub fn from_value(value: &Value) -> Result<Self, Vec<Problem>> {
        let is_envelope = ["payload", "message_id"].iter().any(|key| value.get(key).is_some());
        if !is_envelope {
            return Command::from_value_for(value, Mode::Direct).map(Box::new).map(Self::Bare);
        }
        let envelope = Envelope::from_value_for(value, Mode::Direct)?;
        if envelope.kind == MessageType::Command {
            return Ok(Self::Envelope(Box::new(envelope)));
        }
        let mut reader = Reader::new(Mode::Direct);
        let rule = Rule::IsOneOf { names: &["command"] };
        reader.note(&Place::Root.key("type"), rule, value.get("type"));
        Err(reader.into_problems())
    }

    /// Returns the command.
    pub fn command(&self) -> Option<&Command> {
        match self {
            Self::Envelope(envelope) => envelope.command(),
            Self::Bare(command) => Some(command),
        }
    }
}

/// Adds the requirements of each message type to the schema.
#[cfg(feature = "schema")]
fn demand_by_type(schema: &mut schemars::Schema) {
    let text = serde_json::json!({ "type": "string" });
    let rules = serde_json::json!([
        {
            "if": { "properties": { "type": { "const": "command" } } },
            "then": {
                "required": ["task_id", "command_id"],
                "properties": {
                    "task_id": text, "command_id": text,
                    "payload": { "required": ["command"], "properties": { "command": { "type": "object" } } }
                }
            }
        },
        {
            "if": { "properties": { "type": { "const": "artifact" } } },
            "then": {
                "required": ["task_id", "output_name"],
                "properties": {
                    "task_id": text, "output_name": text,
                    "payload": { "required": ["files"], "properties": { "files": { "type": "array" } } }
                }
            }
        }
    ]);
    schema.insert("allOf".to_owned(), rules);
}
