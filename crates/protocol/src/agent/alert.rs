//! `alert_*.json`: an event that needs attention.

use super::macros::document;
use super::{Extra, Id, SchemaVersion, Severity, Text, Timestamp};

document! {
    /// An event that needs attention.
    Alert {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// Id of the alert.
        alert_id: Id,
        /// Id of the plan.
        plan_id: Id,
        /// Severity of the event.
        severity: Severity,
        /// Type of the event, usually the name of a code.
        kind as "type": Text,
        /// Time of the event.
        created_at: Timestamp,
        /// Source of the event; absent if unknown.
        source: Option<AlertSource>,
        /// Description of the event.
        message: Text,
        /// Additional details; absent if there are none.
        details: Option<Extra>,
    }
}

document! {
    /// Source of an event.
    AlertSource {
        /// Id of the agent; absent if there is none.
        agent_id: Option<String>,
        /// Id of the task; absent if there is none.
        task_id: Option<String>,
        /// Id of the command; absent if there is none.
        command_id: Option<String>,
    }
}
