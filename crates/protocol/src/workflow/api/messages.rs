//! Messages to modules, and what they are answered with.

use crate::workflow::macros::payload;
use serde_json::Value;

payload! {
    /// A message was accepted.
    MessageAccepted {
        /// Always true.
        success: bool,
        /// Id of the message.
        message_id: String,
        /// `queued`; `completed` if the sender waited for the result; the final status if a message that has ended was sent
        /// again.
        status: String,
        /// Whether the message still has to be processed.
        queued: bool,
        /// Id of the workflow that the message started or was addressed to; absent if there is none.
        workflow_id: Option<String>,
        /// Id of the session; absent if there is none.
        session_id: Option<String>,
        /// Result of the message; present only if the sender waited for it, or sent again a message that has ended.
        result: Option<Value>,
        /// True if the daemon has no provider that could start the workflow, which then stays in its phase until a client drives
        /// it; absent otherwise.
        unattended: Option<bool>,
    }
}

payload! {
    /// Result of a single phase, or acceptance of the request for it.
    StageAnswer {
        /// Always true.
        success: bool,
        /// Result of the phase; if the request does not wait for it: `messageId`, `workflowId`, `sessionId` and `status`.
        result: Value,
        /// Id of the message that started the phase.
        message_id: String,
        /// Id of the workflow that consists of this phase.
        workflow_id: Option<String>,
        /// Id of the session.
        session_id: Option<String>,
    }
}

payload! {
    /// A message to a module.
    MailboxMessage {
        /// Id of the message.
        id: String,
        /// Module that the message is addressed to.
        target: String,
        /// Content of the message.
        content: Value,
        /// `pending`, `processing`, `completed` or `failed`.
        status: String,
        /// Result of the message; absent if there is none.
        result: Option<Value>,
        /// Error of the message; absent if there is none.
        error: Option<String>,
        /// Time at which the message was received (ISO 8601, UTC).
        created_at: String,
        /// Time of the last change (ISO 8601, UTC).
        updated_at: String,
        /// Sender of the message; absent if unknown.
        sender: Option<String>,
        /// Id that the sender assigned to the message; absent if there is none.
        callback_id: Option<String>,
        /// Id of the workflow that the message started; absent if there is none.
        workflow_id: Option<String>,
    }
}
