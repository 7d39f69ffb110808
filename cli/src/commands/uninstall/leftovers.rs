//! What aide has written into a folder of the person's own.

use crate::failure::Failure;
use crate::messages::{FolderKind, Message, UninstallMessage};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A folder, and what in it is aide's. What else lies there is left.
pub(super) struct Leftovers {
    kind: FolderKind,
    path: PathBuf,
    names: &'static [&'static str],
}

/// The names of a daemon's files.
const DAEMON: &[&str] = &[
    ".lock",
    "daemon.json",
    "daemon.pid",
    "daemon.log",
    "daemon.log.1",
    "journal.db",
    "journal.db-shm",
    "journal.db-wal",
    ".journal.db.new",
];
const STATE: &[&str] = &[".lock", "daemon", "mcp-clients.json", "notices", "projects.json", "setup", "trust"];
const CONFIGURATION: &[&str] = &[".lock", "config.toml"];

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
        self.names.iter().any(|name| self.path.join(name).symlink_metadata().is_ok())
    }

    /// How much it is. What cannot be read counts nothing.
    pub(super) fn bytes(&self) -> u64 {
        self.names.iter().map(|name| size(&self.path.join(name))).sum()
    }

    /// Removes it, and the folder where nothing else lies in it. Returns what else does.
    pub(super) fn remove(&self) -> Result<Vec<PathBuf>, Failure> {
        for name in self.names {
            let path = self.path.join(name);
            remove_whole(&path).map_err(|error| failure(&path, error))?;
        }
        let mut left: Vec<PathBuf> = match fs::read_dir(&self.path) {
            Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
            Err(_) => return Ok(Vec::new()),
        };
        left.sort();
        // A link to a folder elsewhere is the person's own.
        let is_folder = fs::symlink_metadata(&self.path).is_ok_and(|found| found.is_dir());
        if left.is_empty() && is_folder {
            fs::remove_dir(&self.path).map_err(|error| failure(&self.path, error))?;
        }
        Ok(left)
    }
}

/// That something could not be removed.
pub(super) fn failure(path: &Path, error: io::Error) -> Failure {
    let what = UninstallMessage::CannotRemove { path: path.to_owned(), error };
    Failure::new(Message::uninstall(what), Message::uninstall(UninstallMessage::RepeatIt))
}

/// Removes a file, a link or a folder with all that is in it; nothing where there is none.
pub(super) fn remove_whole(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

fn size(path: &Path) -> u64 {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => {
            fs::read_dir(path).into_iter().flatten().flatten().map(|entry| size(&entry.path())).sum()
        }
        Ok(found) => found.len(),
        Err(_) => 0,
    }
}
