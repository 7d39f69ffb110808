//! How sessions, decisions, messages and agents of the pool stand.

use super::macros::names;

names! {
    /// Whose a session is.
    SessionKind {
        /// A person's.
        User = "user",
        /// The daemon's own.
        System = "system",
    }
}

names! {
    /// How a decision stands.
    DecisionStatus {
        /// Nobody has decided.
        Pending = "pending",
        /// Somebody has.
        Answered = "answered",
        /// Nobody has in time.
        Expired = "expired",
        /// Nobody wants to know any more.
        Cancelled = "cancelled",
        /// A person has sent it back.
        Returned = "returned",
    }
}

names! {
    /// How a message stands.
    MailStatus {
        /// Nobody has looked at it.
        Pending = "pending",
        /// Somebody is at it.
        Processing = "processing",
        /// It has its result.
        Completed = "completed",
        /// It has none.
        Failed = "failed",
    }
}

names! {
    /// Whether an agent of the pool can be used.
    ResourceStatus {
        /// It can.
        Available = "available",
        /// It was given to somebody.
        Deployed = "deployed",
        /// It is at work.
        Busy = "busy",
        /// It waits for something.
        Blocked = "blocked",
        /// It has failed.
        Error = "error",
        /// It was given back, and nobody is given it.
        Released = "released",
    }
}
