//! The resident process: where its state is, how it is started, found and ended, and what it does.
//!
//! The daemon is a process of the same program (`cli/src/daemon/process.rs`). It claims `daemon.json`, takes exactly the
//! configured ports, registers itself, opens the journal, from when on workflows that were running are interrupted
//! (`Runtime::begin_recovery`), and serves `server::daemon_router` on one port and `server::socket_router` on the other. The lock
//! of `daemon.json` shows that it runs (`client::Registered`), and is released however the process ends. `aide daemon start` is
//! another process (`cli/src/daemon_control/launch.rs`): it starts this one in the background, and waits until `/health` answers.
//! A thread writes the interruptions (`recovery.rs`), another ends decisions whose time is up and deletes old events and answers
//! (`upkeep.rs`). On SIGTERM, requests end, sockets are closed with 1001, and every running workflow gets a checkpoint. Commands
//! call the daemon through `crates/client` (`cli/src/remote.rs`), which uses only the public API.
//!
//! # A question is handed to the daemon
//!
//! Only the name of a folder and of a set is handed over: the questions are in the project's `.aide/`, and that alone determines
//! how they end. So there is no moment in which a kill could lose them.
//!
//! 1. **The set is offered.** `submit` has written the questions as usual. If no process serves them, and no flag asks for a
//!    server of its own, it offers them to the daemon of the same user (`Offer::make`, `POST /api/v1/questions`), with the time
//!    for which it waits.
//! 2. **The set is shown.** `Questions` (`cli/src/daemon/questions.rs`) adds the project as a room of the `Hall`, named after the
//!    beginning of the hash of its folder, claims `server.json` there like every server, and writes into it the name of the room
//!    and the time until which the asker waits. The file does not contain the secret of the daemon.
//! 3. **The command waits.** `submit` finds a server of its session and waits (`attend.rs`), as for any server. When the person
//!    extends the time limit, the daemon records that, and the waiting command reads the record when its own time is up.
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
mod process;
mod program;
mod questions;
mod recovery;
mod servers;
mod stuck;
mod upkeep;
mod world;

pub(crate) use agents::Crew;
pub(crate) use error::{DaemonError, DaemonPort};
pub(crate) use logs::Logs;
pub(crate) use process::{DaemonOutcome, remove_pid_file, run};
pub(crate) use program::{LogTo, Notices, Program, Signals, Stuck};
pub(crate) use questions::WORKFLOWS;
