//! Records of the router: a line of `deliveries.jsonl` for each delivery, a file for each dead letter, and the requests to
//! deliver a message again.

use super::macros::{document, document_names};
use super::read::{Place, Reader};
use super::{Id, Recipient, Rule, SchemaVersion, Text, Timestamp};
use serde_json::{Map, Value};

document_names! {
    /// Status of a delivery.
    DeliveryStatus {
        /// The message is in the inbox.
        Delivered = "DELIVERED",
        /// The message was already delivered.
        SkippedDuplicate = "SKIPPED_DUPLICATE",
        /// A newer command supersedes the message.
        SkippedSuperseded = "SKIPPED_SUPERSEDED",
        /// The message could not be delivered; the delivery may be retried.
        Failed = "FAILED",
        /// The message was dead-lettered.
        Deadlettered = "DEADLETTERED",
    }
}

document_names! {
    /// Suggested handling of a dead letter.
    SuggestedNext {
        /// A person should look at the message.
        Alert = "alert",
        /// The message may be delivered again.
        ManualReplay = "manual_replay",
        /// The message can be dropped.
        Drop = "drop",
    }
}

document! {
    /// A delivery to one agent.
    #[cfg_attr(feature = "schema", schemars(transform = demand_successor))]
    Delivery {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// Id of the delivery.
        delivery_id: Id,
        /// Id of the plan.
        plan_id: Id,
        /// Id of the message, or the name of its file if it has no id.
        message_id: Text,
        /// Hash of the message's file; absent if unknown.
        envelope_sha256: Option<Text>,
        /// Id of the message's task; absent if there is none.
        task_id: Option<String>,
        /// Id of the command; absent if there is none.
        command_id: Option<String>,
        /// Name of the output; absent if there is none.
        output_name: Option<String>,
        /// Id of the sending agent.
        from_agent_id: Id,
        /// Id of the receiving agent, or `*` if there is no single recipient.
        to_agent_id: Recipient,
        /// Time of the delivery.
        delivered_at: Timestamp,
        /// Status of the delivery.
        status: DeliveryStatus,
        /// Payload of the message; absent if there is none.
        payload: Option<DeliveredPayload>,
        /// Reason why the delivery was skipped; absent if it was not.
        skip_reason: Option<String>,
        /// Whether a newer command supersedes the message.
        superseded: Option<bool>,
        /// Id of the newer command's message; required if the status is `SKIPPED_SUPERSEDED`.
        superseded_by_message_id: Option<String>,
        /// Id of the newer command; required if the status is `SKIPPED_SUPERSEDED`.
        superseded_by_command_id: Option<String>,
        /// Sequence number of the newer command; required if the status is `SKIPPED_SUPERSEDED`.
        superseded_by_command_seq: Option<u64>,
        /// Error of the delivery; absent if there is none.
        error: Option<DeliveryError>,
    }
    check check_delivery
}

document! {
    /// Payload of a delivered message.
    DeliveredPayload {
        /// Files of the payload; absent if there are none.
        files: Option<Vec<DeliveredFile>>,
    }
}

document! {
    /// A file of a delivered message.
    DeliveredFile {
        /// Path relative to the folder of the message.
        path: Text,
        /// Hash of the file's bytes.
        sha256: Text,
    }
}

document! {
    /// Error of a delivery.
    DeliveryError {
        /// Code of the error; absent if there is none.
        code: Option<String>,
        /// Description of the error; absent if there is none.
        message: Option<String>,
        /// File that caused the error; absent if there is none.
        file: Option<String>,
    }
}

document! {
    /// A dead letter: a message that the router could not deliver.
    DeadLetter {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// Id of the plan.
        plan_id: Id,
        /// Id of the dead letter.
        deadletter_id: Id,
        /// Time at which the message was dead-lettered.
        created_at: Timestamp,
        /// Reason for dead-lettering.
        reason: DeadReason,
        /// The original message.
        original: DeadOriginal,
        /// Possible actions; absent if unknown.
        actions: Option<DeadActions>,
    }
}

document! {
    /// Reason why a message was dead-lettered.
    DeadReason {
        /// Code of the reason.
        code: Text,
        /// Description of the reason.
        message: Text,
    }
}

document! {
    /// The original of a dead letter.
    DeadOriginal {
        /// Name of the message's file.
        file_name: Text,
        /// Id of the message; absent if it has none.
        message_id: Option<String>,
        /// Id of the sending agent; absent if unknown.
        producer_agent_id: Option<String>,
    }
}

document! {
    /// Possible actions for a dead letter.
    DeadActions {
        /// Whether the message can be delivered again.
        retriable: Option<bool>,
        /// Suggested handling; absent if there is none.
        suggested_next: Option<SuggestedNext>,
    }
}

document! {
    /// Request to deliver a message again, unchanged.
    ReplayRequest {
        /// Id of the dead letter; absent if there is none.
        deadletter_id: Option<Id>,
        /// Id of the message.
        message_id: Text,
        /// Reason for the request; absent if there is none.
        reason: Option<String>,
        /// Name of the requester; absent if unknown.
        operator: Option<String>,
        /// Time of the request.
        time: Timestamp,
    }
}

const SUCCESSOR: [(&str, Rule); 3] = [
    ("superseded_by_message_id", Rule::IsString),
    ("superseded_by_command_id", Rule::IsString),
    ("superseded_by_command_seq", Rule::IsInteger { least: 0 }),
];

/// A superseded delivery must name its successor.
fn check_delivery(reader: &mut Reader, place: &Place<'_>, object: &Map<String, Value>) {
    let status = object.get("status").and_then(Value::as_str).and_then(DeliveryStatus::named);
    if status == Some(DeliveryStatus::SkippedSuperseded) {
        for (key, rule) in SUCCESSOR {
            reader.demand(place, object, key, rule);
        }
    }
}

/// Adds the same requirement to the schema.
#[cfg(feature = "schema")]
fn demand_successor(schema: &mut schemars::Schema) {
    let keys = SUCCESSOR.map(|(key, _)| key);
    let status = serde_json::json!({ "properties": { "status": { "const": "SKIPPED_SUPERSEDED" } } });
    schema.insert("if".to_owned(), status);
    let not_null = serde_json::json!({ "not": { "type": "null" } });
    let properties: Map<String, Value> =
        keys.iter().map(|key| ((*key).to_owned(), not_null.clone())).collect();
    schema.insert("then".to_owned(), serde_json::json!({ "required": keys, "properties": properties }));
}
