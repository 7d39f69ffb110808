//! What aide has written into a folder of the person's own.

use crate::failure::Failure;
use crate::messages::{FolderKind, Message, UninstallMessage};
use files::whole;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A folder, and what in it is aide's. What else lies there is left.
pub(super) struct Leftovers {
    kind: FolderKind,
    path: PathBuf,
    names: &'static [&'static str],
}

/// What keeps writers of a folder apart.
const LOCK: &str = ".lock";
/// The names of a daemon's files.
const DAEMON: &[&str] = &[
    LOCK,
    "daemon.json",
    "daemon.pid",
    "daemon.log",
    "daemon.log.1",
    "journal.db",
    "journal.db-shm",
    "journal.db-wal",
    ".journal.db.new",
];
const STATE: &[&str] =
    &[LOCK, "daemon", "mcp-clients.json", "notices", "projects.json", "search", "setup", "trust"];
const CONFIGURATION: &[&str] = &[LOCK, "config.toml"];

impl Leftovers {
    pub(super) fn state(path: PathBuf) -> Self {
        Self { kind: FolderKind::State, path, names: STATE }
    }

    /// The folder of a daemon that is not with the other state.
    pub(super) fn daemon(path: PathBuf) -> Self {
        Self { kind: FolderKind::Daemon, path, names: DAEMON }
    }

    pub(super) fn configuration(path: PathBuf) -> Self {
        Self { kind: FolderKind::Configuration, path, names: CONFIGURATION }
    }

    pub(super) fn kind(&self) -> FolderKind {
        self.kind
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn is_there(&self) -> bool {
        // A lock alone may be that of another program.
        let is_there = |name: &&str| self.path.join(name).symlink_metadata().is_ok();
        self.names.iter().filter(|name| **name != LOCK).any(is_there)
    }

    /// How much it is. What cannot be read counts nothing.
    pub(super) fn bytes(&self) -> u64 {
        self.names.iter().map(|name| whole::size(&self.path.join(name))).sum()
    }

    /// Removes it, and the folder where nothing else lies in it. Returns what else does.
    pub(super) fn remove(&self) -> Result<Vec<PathBuf>, Failure> {
        for name in self.names {
            let path = self.path.join(name);
            whole::remove(&path).map_err(|error| failure(&path, error))?;
        }
        let mut left: Vec<PathBuf> = match fs::read_dir(&self.path) {
            Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
            Err(_) => return Ok(Vec::new()),
        };
        left.sort();
        whole::remove_if_empty(&self.path).map_err(|error| failure(&self.path, error))?;
        Ok(left)
    }
}

/// That something could not be removed.
pub(super) fn failure(path: &Path, error: io::Error) -> Failure {
    let what = UninstallMessage::CannotRemove { path: path.to_owned(), error };
    Failure::new(Message::uninstall(what), Message::uninstall(UninstallMessage::RepeatIt))
}
