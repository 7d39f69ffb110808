//! What the router writes down: a line of `deliveries.jsonl` for each delivery, a file for each message that it gives up,
//! and what it is asked to deliver again.

use super::macros::{names, object};
use super::read::{Place, Reader};
use super::{Id, Recipient, Rule, SchemaVersion, Text, Timestamp};
use serde_json::{Map, Value};

names! {
    /// What has become of a message on its way.
    DeliveryStatus {
        /// It lies in the inbox.
        Delivered = "DELIVERED",
        /// It was delivered before.
        SkippedDuplicate = "SKIPPED_DUPLICATE",
        /// A newer command is there.
        SkippedSuperseded = "SKIPPED_SUPERSEDED",
        /// It could not be delivered, and may be tried again.
        Failed = "FAILED",
        /// It was given up.
        Deadlettered = "DEADLETTERED",
    }
}

names! {
    /// What is best done about a message that was given up.
    SuggestedNext {
        /// Somebody should look.
        Alert = "alert",
        /// It may be delivered again.
        ManualReplay = "manual_replay",
        /// Nothing.
        Drop = "drop",
    }
}

object! {
    /// A delivery to one agent.
    #[cfg_attr(feature = "schema", schemars(transform = demand_successor))]
    Delivery {
        /// The version of this format.
        schema_version: SchemaVersion,
        /// Its own id.
        delivery_id: Id,
        /// The plan.
        plan_id: Id,
        /// The message, or its file if it names none.
        message_id: Text,
        /// The hash of its file.
        envelope_sha256: Option<Text>,
        /// The task of the message.
        task_id: Option<String>,
        /// The command.
        command_id: Option<String>,
        /// The output.
        output_name: Option<String>,
        /// Who sent it.
        from_agent_id: Id,
        /// Who got it.
        to_agent_id: Recipient,
        /// When.
        delivered_at: Timestamp,
        /// What has become of it.
        status: DeliveryStatus,
        /// What it carries.
        payload: Option<DeliveredPayload>,
        /// Why it was left out.
        skip_reason: Option<String>,
        /// Whether a newer command is there.
        superseded: Option<bool>,
        /// The message of the newer command.
        superseded_by_message_id: Option<String>,
        /// The newer command.
        superseded_by_command_id: Option<String>,
        /// The number of the newer command.
        superseded_by_command_seq: Option<u64>,
        /// What went wrong.
        error: Option<DeliveryError>,
    }
    check check_delivery
}

object! {
    /// What a delivered message carries.
    DeliveredPayload {
        /// Its files.
        files: Option<Vec<DeliveredFile>>,
    }
}

object! {
    /// A file of a delivered message.
    DeliveredFile {
        /// Where it lies, from the folder of the message.
        path: Text,
        /// The hash of its bytes.
        sha256: Text,
    }
}

object! {
    /// What went wrong with a delivery.
    DeliveryError {
        /// Its code.
        code: Option<String>,
        /// In words.
        message: Option<String>,
        /// The file that it went wrong with.
        file: Option<String>,
    }
}

object! {
    /// A message that was given up.
    DeadLetter {
        /// The version of this format.
        schema_version: SchemaVersion,
        /// The plan.
        plan_id: Id,
        /// Its own id.
        deadletter_id: Id,
        /// When it was given up.
        created_at: Timestamp,
        /// Why.
        reason: DeadReason,
        /// The message.
        original: DeadOriginal,
        /// What can be done about it.
        actions: Option<DeadActions>,
    }
}

object! {
    /// Why a message was given up.
    DeadReason {
        /// Its code.
        code: Text,
        /// In words.
        message: Text,
    }
}

object! {
    /// The message that was given up.
    DeadOriginal {
        /// The name of its file.
        file_name: Text,
        /// Its id, if it has one.
        message_id: Option<String>,
        /// Who sent it.
        producer_agent_id: Option<String>,
    }
}

object! {
    /// What can be done about a message that was given up.
    DeadActions {
        /// Whether it can be delivered again.
        retriable: Option<bool>,
        /// What is best done.
        suggested_next: Option<SuggestedNext>,
    }
}

object! {
    /// That a message is to be delivered again, as it is.
    ReplayRequest {
        /// What was given up.
        deadletter_id: Option<Id>,
        /// The message.
        message_id: Text,
        /// Why.
        reason: Option<String>,
        /// Who wants it.
        operator: Option<String>,
        /// When.
        time: Timestamp,
    }
}

const SUCCESSOR: [(&str, Rule); 3] = [
    ("superseded_by_message_id", Rule::IsString),
    ("superseded_by_command_id", Rule::IsString),
    ("superseded_by_command_seq", Rule::IsInteger { least: 0 }),
];

/// Whoever is superseded is so by somebody.
fn check_delivery(reader: &mut Reader, place: &Place<'_>, object: &Map<String, Value>) {
    let status = object.get("status").and_then(Value::as_str).and_then(DeliveryStatus::named);
    if status == Some(DeliveryStatus::SkippedSuperseded) {
        for (key, rule) in SUCCESSOR {
            reader.demand(place, object, key, rule);
        }
    }
}

/// The same in a schema.
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
