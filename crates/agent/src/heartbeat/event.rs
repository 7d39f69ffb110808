//! Events during a tick, as data: the program that runs the heartbeat words them.

use crate::execution::{CommandEnd, CommandFailure, HumanWait};
use protocol::agent::{Code, Id};
use std::time::Duration;

/// Something that has happened.
#[derive(Debug)]
pub struct Event {
    /// For which plan; `None` when it is about the agent.
    pub plan_id: Option<Id>,
    /// What it is.
    pub what: EventKind,
}

/// The command that something has happened to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRef {
    /// The task.
    pub task_id: Id,
    /// The command.
    pub command_id: Id,
    /// Its number among the commands of the task.
    pub command_seq: u64,
    /// The message that it came with.
    pub message_id: Id,
}

/// What has happened.
#[derive(Debug)]
pub enum EventKind {
    /// A command was taken. It is acknowledged, and executed as soon as it can be.
    Taken(CommandRef),
    /// The files of an artifact have become inputs.
    Filed {
        /// The message.
        message_id: Id,
        /// Who has made it.
        task_id: Option<Id>,
        /// Which output it is.
        output_name: Option<Id>,
        /// Its files.
        paths: Vec<String>,
    },
    /// A command waits. Told again only when it waits for something else.
    Waits {
        /// Which one.
        about: CommandRef,
        /// What for.
        names: Vec<String>,
        /// The request to a person, once there is one.
        asked: Option<HumanWait>,
        /// After which time something happens even if nothing comes.
        until: Option<Duration>,
    },
    /// A command has succeeded or failed.
    Ended {
        /// Which one.
        about: CommandRef,
        /// How.
        ended: Box<CommandEnd>,
    },
    /// A command was not executed, for a later one of its task has overtaken it.
    Superseded {
        /// Which one.
        about: CommandRef,
        /// As its acknowledgement says.
        failed: CommandFailure,
    },
    /// A command was interrupted, and continues later.
    Parked(CommandRef),
    /// A message came again, and was put away.
    Duplicate {
        /// Which one.
        message_id: Id,
    },
    /// A message was put aside, with an alert.
    PutAside {
        /// The name of its file.
        name: String,
        /// Why.
        code: Code,
        /// What was found.
        detail: String,
    },
    /// Something stays where it is and does not delay the rest. It is tried again, and reported once.
    Skipped {
        /// The name of the file or folder.
        name: String,
        /// What was found.
        detail: String,
    },
}
