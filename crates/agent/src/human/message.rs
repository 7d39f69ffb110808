//! The messages that bring what a person has answered to agents (contract/plans §13).

use super::GATEWAY;
use crate::clock::id;
use crate::hash;
use protocol::agent::{
    Envelope, Extra, FileRef, HumanRequest, Id, MessageType, NonEmpty, Payload, PayloadPath, SchemaVersion,
    Sha256, Timestamp,
};

/// As whose output a person's answers are delivered.
const TASK: &str = "human_gateway";

/// A file for an agent.
pub(crate) struct InjectedFile {
    pub(crate) path: PayloadPath,
    pub(crate) sha256: Sha256,
    pub(crate) to: Id,
}

/// The message that brings a file, or an answer, to the agent that asked: made from the request, it is the same each time, so
/// that an agent that has it from one program takes it from no other.
pub(crate) fn envelope_of(request: &HumanRequest, gift: &InjectedFile) -> Envelope {
    let file = FileRef {
        path: gift.path.clone(),
        sha256: gift.sha256,
        content_type: None,
        size_bytes: None,
        extra: Extra::new(),
    };
    let name = format!("msg_human_{}_{}_{}", request.request_id, gift.to, &gift.sha256.hex()[..12]);
    // Several files of the same bytes are still several.
    let about = hash::sha256(gift.path.as_bytes());
    // The same each time, so that the message is the same.
    let (request_id, created_at) = (request.request_id.clone(), request.created_at.clone());
    let message_id = id(&format!("{name}_{}", &about.hex()[..6]));
    artifact(message_id, &request.plan_id, (request_id, TASK), GATEWAY, (created_at, file))
}

/// A name of ours that is known to be an id.
#[expect(clippy::expect_used, reason = "constant names of letters and underscores are ids")]
pub(crate) fn filled_id(name: &'static str) -> Id {
    name.parse().expect("an id")
}

/// A message of the system itself that brings one file, as an output of this name of a task that every plan has.
pub(crate) fn artifact(
    message_id: Id,
    plan_id: &Id,
    (output_name, task): (Id, &'static str),
    producer: &'static str,
    (created_at, file): (Timestamp, FileRef),
) -> Envelope {
    Envelope {
        schema_version: SchemaVersion::CURRENT,
        message_id,
        plan_id: plan_id.clone(),
        task_id: Some(filled_id(task)),
        output_name: Some(output_name),
        command_id: None,
        producer_agent_id: filled_id(producer),
        kind: MessageType::Artifact,
        subtype: Some(task.to_owned()),
        created_at,
        idempotency_key: None,
        payload: Payload { command: None, files: Some(NonEmpty::one(file)), extra: Extra::new() },
        routing: None,
        correlation: None,
        extra: Extra::new(),
    }
}
