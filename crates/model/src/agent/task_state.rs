//! `task_state_<task_id>.json`: how far a task has come.

use super::macros::{names, object};
use super::{Extra, Id, SchemaVersion, Text, Timestamp};
use serde_json::Value;

names! {
    /// How far a task has come.
    State {
        /// It waits for other tasks.
        Pending = "PENDING",
        /// It can begin.
        Ready = "READY",
        /// It is being worked on.
        Running = "RUNNING",
        /// It waits for files.
        BlockedWaitingInput = "BLOCKED_WAITING_INPUT",
        /// It waits for a review.
        BlockedWaitingReview = "BLOCKED_WAITING_REVIEW",
        /// It waits for a person.
        BlockedWaitingHuman = "BLOCKED_WAITING_HUMAN",
        /// It has failed.
        Failed = "FAILED",
        /// It is left out.
        Skipped = "SKIPPED",
        /// It is done.
        Completed = "COMPLETED",
    }
}

object! {
    /// How far a task has come, written by its agent.
    TaskState {
        /// The version of this format.
        schema_version: SchemaVersion,
        /// The plan.
        plan_id: Id,
        /// The task.
        task_id: Id,
        /// Who works on it.
        agent_id: Id,
        /// How far it has come.
        state: State,
        /// When it came so far.
        updated_at: Timestamp,
        /// The message that it works on.
        message_id: Option<Id>,
        /// The command that it works on.
        command_id: Option<Id>,
        /// The number of the command: an older one says nothing about a newer.
        command_seq: Option<u64>,
        /// What it waits for.
        blocking: Option<Blocking>,
        /// How much of it is done.
        progress: Option<Progress>,
        /// What came of it.
        result: Option<Extra>,
    }
}

object! {
    /// What a task waits for.
    Blocking {
        /// Why it waits.
        reason: Option<Text>,
        /// Since when; neither a restart nor a request to a person begins anew.
        started_at: Option<Timestamp>,
        /// What is missing: names, or what is known of each.
        missing: Option<Vec<Value>>,
        /// What a person was asked.
        request_id: Option<Id>,
    }
}

object! {
    /// How much is done.
    Progress {
        /// Of a hundred.
        percent: Option<super::Score>,
        /// In words.
        note: Option<String>,
    }
}

impl State {
    /// Whether it waits for files, a review or a person.
    pub fn is_blocked(self) -> bool {
        matches!(self, Self::BlockedWaitingInput | Self::BlockedWaitingReview | Self::BlockedWaitingHuman)
    }

    /// Whether it has ended.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Failed | Self::Skipped | Self::Completed)
    }
}
