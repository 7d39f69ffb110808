//! Statuses of sessions, decisions, messages and agents in the pool.

use super::macros::payload_names;

payload_names! {
    /// Owner of a session.
    SessionKind {
        /// A user.
        User = "user",
        /// The daemon itself.
        System = "system",
    }
}

payload_names! {
    /// Status of a decision.
    DecisionStatus {
        /// The decision has no answer yet.
        Pending = "pending",
        /// The decision was answered.
        Answered = "answered",
        /// The deadline passed without an answer.
        Expired = "expired",
        /// The decision is no longer needed.
        Cancelled = "cancelled",
        /// A user has returned the decision without an answer.
        Returned = "returned",
    }
}

payload_names! {
    /// Status of a message.
    MailStatus {
        /// The message has not been processed yet.
        Pending = "pending",
        /// The message is being processed.
        Processing = "processing",
        /// The message was processed and has a result.
        Completed = "completed",
        /// Processing of the message has failed.
        Failed = "failed",
    }
}

payload_names! {
    /// Availability of an agent in the pool.
    ResourceStatus {
        /// The agent can be assigned.
        Available = "available",
        /// The agent is assigned to a workflow.
        Deployed = "deployed",
        /// The agent is working.
        Busy = "busy",
        /// The agent is blocked.
        Blocked = "blocked",
        /// The agent has failed.
        Error = "error",
        /// The agent was released and cannot be assigned.
        Released = "released",
    }
}
