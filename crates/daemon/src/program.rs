//! What the daemon needs of the program that it is part of.

use app::{Hall, SetId};
use client::DaemonRegistration;
use settings::LogLevel;
use std::collections::BTreeMap;
use std::fs::File;
use std::future::Future;
use std::io;
use std::sync::Arc;
use store::ServerInfo;

/// The program that the daemon is part of. The daemon itself prints nothing, and ends no process.
pub trait Program {
    /// What [`Self::signals`] returns.
    type Signals: Signals;

    /// Starts to write what the daemon logs: to `file`, else to standard error, as much as `level` says.
    ///
    /// # Errors
    ///
    /// When there can be no more threads.
    fn start_log(&self, level: LogLevel, file: Option<File>) -> io::Result<()>;

    /// Begins to listen for the signals that end the daemon. Called within a runtime of tokio.
    ///
    /// # Errors
    ///
    /// When the system cannot report them.
    fn signals(&self) -> io::Result<Self::Signals>;

    /// Returns the flags that a restart keeps, for a daemon that has taken these ports, as [`DaemonRegistration::flags`] has
    /// them.
    fn kept_flags(&self, http_port: u16, ws_port: u16) -> BTreeMap<String, String>;

    /// Returns what the daemon was stuck with whose place this one has taken in the same process: the reason of
    /// [`Stuck::Serving`].
    fn restarted(&self) -> Option<String>;

    /// Returns an empty hall of pages, with all that the person and the projects have configured for it.
    fn hall(&self) -> Hall;

    /// Returns what notifies the person of open questions.
    fn notices(&self) -> Box<dyn Notices>;

    /// Starts what answers coding agents at `/mcp`.
    ///
    /// # Errors
    ///
    /// When there can be no more threads.
    fn mcp(&self) -> io::Result<Arc<mcp::Http>>;

    /// Called once when every client can be answered; not after a restart, whose caller has ended.
    fn ready(&self, daemon: &DaemonRegistration);

    /// Called, on a thread of its own, when the daemon waits without end. It cannot end by itself any more: the program is to
    /// end the process, or to begin anew in it.
    fn end_stuck(stuck: Stuck);
}

/// The signals that end the daemon.
pub trait Signals {
    /// Returns the number of the next signal, by which [`DaemonOutcome::Ended`](crate::DaemonOutcome::Ended) names it.
    fn next(&mut self) -> impl Future<Output = u8>;
}

/// Notifies the person of questions that stay open.
pub trait Notices: Send {
    /// Sends what is due for the open questions of `hall`. `served_by` returns as what the daemon serves a set; `None` where
    /// another server does. Called several times a second, on a thread of its own.
    fn look(&mut self, hall: &Hall, served_by: &dyn Fn(&SetId) -> Option<ServerInfo>);
}

/// A daemon that waits without end. All that was acknowledged is in the journal, and what it waits for is in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stuck {
    /// It serves. The programs that it has started were killed.
    Serving {
        /// What it waits for, in words.
        reason: String,
    },
    /// It was to end, and has not.
    Ending,
}

/// Where a daemon writes its log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogTo {
    /// To standard error.
    Terminal,
    /// To `daemon.log`; once it is ready, what is written to standard error as well.
    File,
}
