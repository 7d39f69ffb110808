//! `task_state_<task_id>.json`: state of a task.

use super::macros::{document, document_names};
use super::{Extra, Id, SchemaVersion, Text, Timestamp};
use serde_json::Value;

document_names! {
    /// State of a task.
    State {
        /// The task waits for other tasks.
        Pending = "PENDING",
        /// The task can start.
        Ready = "READY",
        /// The task is running.
        Running = "RUNNING",
        /// The task waits for files.
        BlockedWaitingInput = "BLOCKED_WAITING_INPUT",
        /// The task waits for a review.
        BlockedWaitingReview = "BLOCKED_WAITING_REVIEW",
        /// The task waits for a person.
        BlockedWaitingHuman = "BLOCKED_WAITING_HUMAN",
        /// The task has failed.
        Failed = "FAILED",
        /// The task was skipped.
        Skipped = "SKIPPED",
        /// The task is completed.
        Completed = "COMPLETED",
    }
}

document! {
    /// State of a task, written by its agent.
    TaskState {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// Id of the plan.
        plan_id: Id,
        /// Id of the task.
        task_id: Id,
        /// Id of the agent that works on the task.
        agent_id: Id,
        /// State of the task.
        state: State,
        /// Time of the last change of state.
        updated_at: Timestamp,
        /// Id of the current message; absent if there is none.
        message_id: Option<Id>,
        /// Id of the current command; absent if there is none.
        command_id: Option<Id>,
        /// Sequence number of the command; absent if there is none. The state of an older command says nothing about a newer one.
        command_seq: Option<u64>,
        /// What the task waits for; absent if nothing.
        blocking: Option<Blocking>,
        /// Progress of the task; absent if unknown.
        progress: Option<Progress>,
        /// Result of the task; absent if there is none.
        result: Option<Extra>,
    }
}

document! {
    /// What a task waits for.
    Blocking {
        /// Reason for the wait; absent if unknown.
        reason: Option<Text>,
        /// Start of the wait; neither a restart nor a request to a person resets it. Absent if unknown.
        started_at: Option<Timestamp>,
        /// Missing items, as names or as objects with details; absent if unknown.
        missing: Option<Vec<Value>>,
        /// Id of the request to a person; absent if there is none.
        request_id: Option<Id>,
    }
}

document! {
    /// Progress of a task.
    Progress {
        /// Progress in percent, from 0 to 100; absent if unknown.
        percent: Option<super::Score>,
        /// Description of the progress; absent if there is none.
        note: Option<String>,
    }
}

impl State {
    /// Whether the task waits for files, a review or a person.
    pub fn is_blocked(self) -> bool {
        matches!(self, Self::BlockedWaitingInput | Self::BlockedWaitingReview | Self::BlockedWaitingHuman)
    }

    /// Whether the state is final.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Failed | Self::Skipped | Self::Completed)
    }
}
