//! The resident process: what it does from the claim of its lock to its orderly end.
//!
//! The daemon is a process of the program `aide`, which calls [`run`]. It claims `daemon.json`, takes exactly the configured
//! ports, registers itself, opens the journal, from when on workflows that were running are interrupted
//! (`Runtime::begin_recovery`), and serves `server::daemon_router` on one port and `server::socket_router` on the other. The lock
//! of `daemon.json` shows that it runs (`client::DaemonRegistration`), and is released however the process ends. The command that
//! starts it in the background is another process, which waits until `/health` answers (`cli/src/daemon_control/launch.rs`). On
//! SIGTERM, requests end, sockets are closed with 1001, and every running workflow gets a checkpoint. Commands call the daemon
//! through `crates/client` (`cli/src/remote.rs`), which uses only the public API. Order and files are those of contract/workflows
//! §1.
//!
//! Nothing here prints, words anything for people or ends the process. What the daemon needs of the program comes through the
//! trait [`Program`]; why it does not run is a [`DaemonError`], which the program words. The log is in English, by `tracing`.
//!
//! # Where things are
//!
//! `run.rs` has the order of all this, `servers.rs` the ports and the two servers. One thread writes the interruptions
//! (`recovery.rs`), one ends decisions whose time is up and deletes old events and answers (`upkeep.rs`), one looks at the
//! questions of projects (`questions.rs`; each project is a `room.rs`, with a desk that does not wait for its disk,
//! `patient_desk.rs`), and a watchdog at all others (`stuck.rs`). `agents.rs` has the agents that the engine drives workflows
//! with, `logs.rs` the file of the log.
//!
//! # A question is handed to the daemon
//!
//! Only the name of a folder and of a set is handed over: the questions are in the project's `.aide/`, and that alone determines
//! how they end. So there is no moment in which a kill could lose them.
//!
//! 1. **The set is offered.** `submit` has written the questions as usual. If no process serves them, and no flag asks for a
//!    server of its own, it offers them to the daemon of the same user (`cli/src/offer.rs`, `POST /api/v1/questions`), with the
//!    time for which it waits.
//! 2. **The set is shown.** `Questions` (`questions.rs`) adds the project as a room of the `Hall`, named after the beginning of
//!    the hash of its folder, claims `server.json` there like every server, and writes into it the name of the room and the time
//!    until which the asker waits. The file does not contain the secret of the daemon.
//! 3. **The command waits.** `submit` finds a server of its session and waits (`cli/src/attend.rs`), as for any server. When the
//!    person extends the time limit, the daemon records that, and the waiting command reads the record when its own time is up.
//! 4. **The set ends.** The record is published in the folder, whichever way the answer came. The daemon releases `server.json`
//!    once no question is open there. If the daemon is killed instead, its lock is gone, and `submit` serves the page itself, on
//!    a port other than the daemon's.
//!
//! A thread of the daemon (`Watcher`) checks all rooms five times a second: for questions that no process serves, which it serves
//! after two seconds; for questions that were answered elsewhere; and for changes that open inboxes show (`Hall::inbox_news`). It
//! learns of projects from the sessions in the journal. Workflows ask in a room of their own: `JournalDesk` is the same interface
//! over the journal. The end of such a decision is also published in the history of its project: the change that ends the
//! decision puts the record into the outbox, and `Runtime::deliver` takes it from there until `Decisions::adopt` has stored it,
//! once.

mod agents;
mod error;
mod logs;
mod patient_desk;
mod program;
mod questions;
mod recovery;
mod room;
mod run;
mod servers;
mod stuck;
mod upkeep;
mod world;

pub use agents::Crew;
pub use error::{DaemonError, DaemonPort};
pub use logs::{LogCursor, Logs};
pub use program::{LogTo, Notices, Program, Signals, Stuck};
pub use questions::WORKFLOWS;
pub use run::{DaemonOutcome, remove_pid_file, run};
