//! Why a daemon does not run.

use files::FileError;
use journal::JournalError;
use server::BindError;
use std::io;
use workflow::Failure;

/// Why a daemon does not run, or has ended without a signal.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// Its folder, its registration or its log cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// It cannot listen where its clients look for it.
    #[error("{error}")]
    NotBound {
        /// The port of which purpose.
        port: DaemonPort,
        /// The reason.
        error: BindError,
    },
    /// Its journal cannot be opened.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// What the last daemon has left in the journal cannot be taken over.
    #[error(transparent)]
    Workflow(#[from] Failure),
    /// The system refuses what it cannot do without, such as a thread, or a server has ended by itself.
    #[error(transparent)]
    System(#[from] io::Error),
}

/// The ports of a daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DaemonPort {
    /// That of pages and API.
    Http,
    /// That of WebSockets.
    WebSocket,
}

impl DaemonError {
    /// The same as [`Self::System`] of an error that is none of the system's own.
    pub(crate) fn other(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::System(io::Error::other(error))
    }
}
