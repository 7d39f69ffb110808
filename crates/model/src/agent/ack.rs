//! `ack_<message_id>.json`: what has become of a message.

use super::macros::{names, object};
use super::{Extra, Id, SchemaVersion, Timestamp};

names! {
    /// How far a message has come.
    AckStatus {
        /// The agent has taken it.
        Consumed = "CONSUMED",
        /// What it asked for is done.
        Succeeded = "SUCCEEDED",
        /// What it asked for could not be done.
        Failed = "FAILED",
    }
}

object! {
    /// What has become of a message, written by the agent that has taken it: first that it has, then how it ended.
    Ack {
        /// The version of this format.
        schema_version: SchemaVersion,
        /// The plan.
        plan_id: Id,
        /// The message.
        message_id: Id,
        /// The task of the message.
        task_id: Option<Id>,
        /// The command, if it was one.
        command_id: Option<Id>,
        /// The number of the command.
        command_seq: Option<u64>,
        /// Who has taken it.
        consumer_agent_id: Id,
        /// How far it has come.
        status: AckStatus,
        /// When it was taken; this never changes.
        consumed_at: Timestamp,
        /// When it ended.
        finished_at: Option<Timestamp>,
        /// What came of it: usually `{"ok": …, "details": …}`.
        result: Option<Extra>,
    }
}

impl AckStatus {
    /// Whether it has ended.
    pub fn is_terminal(self) -> bool {
        self != Self::Consumed
    }
}
