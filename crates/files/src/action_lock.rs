//! A lock that may be held for long, and that says by whom.
//!
//! Unlike [`crate::Lock`], which is held for a few writes: an action waits for the user's own git and for what his hooks
//! start. Its file can be handed to those programs, and then it is held until the last of them has ended, even when the
//! one that took it is killed.

use crate::FileError;
use crate::dir::Dir;
use crate::lock::{LockFile, take_file};
use crate::sys;
use std::fs::File;
use std::process;
use std::time::Duration;

/// How much is read of who holds it, in bytes.
const LIMIT: u64 = 256;

/// Held until it is dropped here and in every program that was given its file.
#[derive(Debug)]
pub struct ActionLock {
    file: File,
}

/// Who holds such a lock, as far as that was written down.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Holder {
    /// The process that took it. It may have ended since and another program hold it.
    pub pid: Option<u32>,
    /// What for.
    pub purpose: String,
}

/// Why such a lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum ActionLockError {
    /// Another program holds it.
    #[error("held by another program")]
    Held(Holder),
    /// Its file could not be opened or locked.
    #[error(transparent)]
    File(#[from] FileError),
}

impl ActionLock {
    /// How long to wait for a lock that is kept for as long as a program runs: a program that is killed while it starts
    /// another one has it for a moment longer, and one that has just taken it has not said yet who it is.
    pub const BRIEFLY: Duration = Duration::from_millis(500);

    /// The file that is locked, for a program that is to hold it as well.
    ///
    /// # Errors
    ///
    /// Whatever the system says.
    pub fn file(&self) -> std::io::Result<File> {
        self.file.try_clone()
    }

    /// Waits for the lock `name` in `dir` for at most `wait`. The file is never deleted, like that of any lock.
    ///
    /// # Errors
    ///
    /// [`ActionLockError::Held`] when another program holds it for longer, else any error of the file system.
    pub fn take(dir: &Dir, name: &str, wait: Duration, purpose: &str) -> Result<Self, ActionLockError> {
        match take_file(dir, name, wait)? {
            LockFile::Taken(file) => {
                // Who cannot be named is still there.
                let _ = sys::truncate(&file);
                let _ = sys::write_all(&file, format!("{} {purpose}\n", process::id()).as_bytes());
                Ok(Self { file })
            }
            LockFile::Held(file) => {
                Err(ActionLockError::Held(Holder::read(&sys::read(&file, LIMIT).unwrap_or_default())))
            }
        }
    }
}

impl Holder {
    fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let line = text.lines().next().unwrap_or_default();
        let (pid, purpose) = line.split_once(' ').unwrap_or((line, ""));
        Self { pid: pid.parse().ok(), purpose: purpose.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::{ActionLock, ActionLockError, Holder};
    use crate::dir::Dir;
    use std::process::{self, Command};
    use std::time::Duration;

    #[test]
    fn who_holds_it_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let dir = Dir::open(folder.path()).unwrap();
        let take = || ActionLock::take(&dir, "x.lock", Duration::from_millis(20), "next-step");
        let held = take().unwrap();
        let holder = Holder { pid: Some(process::id()), purpose: "next-step".to_owned() };
        assert!(matches!(take(), Err(ActionLockError::Held(found)) if found == holder));
        drop(held);
        drop(take().unwrap());
    }

    #[test]
    fn a_program_that_was_given_the_file_holds_it_as_well() {
        let folder = tempfile::tempdir().unwrap();
        let dir = Dir::open(folder.path()).unwrap();
        let take = |wait| ActionLock::take(&dir, "x.lock", Duration::from_millis(wait), "x");
        let held = take(0).unwrap();
        let mut child = Command::new("sleep").arg("60").stdin(held.file().unwrap()).spawn().unwrap();
        drop(held);
        assert!(matches!(take(20), Err(ActionLockError::Held(_))));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(take(0).is_ok());
    }

    #[test]
    fn any_file_names_nobody_or_somebody() {
        for (bytes, pid, purpose) in [
            (&b""[..], None, ""),
            (b"12 a b\nc", Some(12), "a b"),
            (b"\xff x", None, "x"),
            (b"7", Some(7), ""),
        ] {
            assert_eq!(Holder::read(bytes), Holder { pid, purpose: purpose.to_owned() });
        }
    }
}
