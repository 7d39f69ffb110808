//! `ack_<message_id>.json`: acknowledgement of a message.

use super::macros::{document, document_names};
use super::{Extra, Id, SchemaVersion, Timestamp};

document_names! {
    /// Status of an acknowledged message.
    AckStatus {
        /// The agent has accepted the message.
        Consumed = "CONSUMED",
        /// The request was fulfilled.
        Succeeded = "SUCCEEDED",
        /// The request could not be fulfilled.
        Failed = "FAILED",
    }
}

document! {
    /// Acknowledgement of a message, written by the agent that accepted it: first on acceptance, then with the outcome.
    Ack {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// Id of the plan.
        plan_id: Id,
        /// Id of the message.
        message_id: Id,
        /// Id of the message's task; absent if there is none.
        task_id: Option<Id>,
        /// Id of the command; absent if the message is not a command.
        command_id: Option<Id>,
        /// Sequence number of the command; absent if unknown.
        command_seq: Option<u64>,
        /// Id of the agent that accepted the message.
        consumer_agent_id: Id,
        /// Status of the message.
        status: AckStatus,
        /// Time of acceptance; never changes.
        consumed_at: Timestamp,
        /// End time; absent before the end.
        finished_at: Option<Timestamp>,
        /// Outcome, usually `{"ok": …, "details": …}`; absent if there is none.
        result: Option<Extra>,
    }
}

impl AckStatus {
    /// Whether the status is final.
    pub fn is_terminal(self) -> bool {
        self != Self::Consumed
    }
}
