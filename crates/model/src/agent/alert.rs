//! `alert_*.json`: something that somebody should know.

use super::macros::object;
use super::{Extra, Id, SchemaVersion, Severity, Text, Timestamp};

object! {
    /// Something that somebody should know.
    Alert {
        /// The version of this format.
        schema_version: SchemaVersion,
        /// Its own id.
        alert_id: Id,
        /// The plan.
        plan_id: Id,
        /// How bad it is.
        severity: Severity,
        /// What it is: mostly the name of a code.
        kind as "type": Text,
        /// When it happened.
        created_at: Timestamp,
        /// Where it happened.
        source: Option<AlertSource>,
        /// What happened, in words.
        message: Text,
        /// What else is known.
        details: Option<Extra>,
    }
}

object! {
    /// Where something happened.
    AlertSource {
        /// The agent.
        agent_id: Option<String>,
        /// The task.
        task_id: Option<String>,
        /// The command.
        command_id: Option<String>,
    }
}
