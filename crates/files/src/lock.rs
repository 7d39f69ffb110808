//! The lock for changing a folder of ours.

use crate::dir::Dir;
use crate::{FileError, sys};
use rustix::fs::OFlags;
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::thread;
use std::time::{Duration, Instant};

const NAME: &str = ".lock";
/// How long to wait for the holder of the lock. It is held for a few writes to the disk: a process that holds it longer has
/// stopped working on them.
const DEADLINE: Duration = Duration::from_secs(10);
/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// Held by one process and one thread at a time; given back when dropped, also by a kill.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the lock of `dir`, for ten seconds at most. The file is never deleted: otherwise one process could hold the old
    /// file's lock and another the new one's.
    ///
    /// # Errors
    ///
    /// [`FileError::Busy`] when another process holds it all the time.
    pub fn take(dir: &Dir) -> Result<Self, FileError> {
        Self::take_within(dir, DEADLINE)
    }

    /// Takes the lock of the file `name` in `dir`, for something that lasts; `None` where another process holds it for all of
    /// `wait`.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn of_file(dir: &Dir, name: &str, wait: Duration) -> Result<Option<Self>, FileError> {
        Ok(match take_file(dir, name, wait)? {
            LockFile::Taken(file) => Some(Self { _file: file }),
            LockFile::Held(_) => None,
        })
    }

    fn take_within(dir: &Dir, limit: Duration) -> Result<Self, FileError> {
        match take_file(dir, NAME, limit)? {
            LockFile::Taken(file) => Ok(Self { _file: file }),
            LockFile::Held(_) => Err(FileError::Busy { path: dir.path_of(NAME) }),
        }
    }
}

/// An open file whose lock was wanted.
pub(crate) enum LockFile {
    /// It is ours.
    Taken(File),
    /// Another process held it all the time.
    Held(File),
}

/// Waits for the lock of the file `name` in `dir` for at most `wait`.
pub(crate) fn take_file(dir: &Dir, name: &str, wait: Duration) -> Result<LockFile, FileError> {
    let deadline = Instant::now() + wait;
    let mut pause = Duration::from_millis(1);
    loop {
        let file = dir.open_file(name, OFlags::RDWR | OFlags::CREATE)?;
        if sys::try_lock(&file).map_err(|error| dir.io(name, error))? {
            // Another process may have cleaned up the folder in between.
            if same_file(dir, name, &file)? {
                return Ok(LockFile::Taken(file));
            }
        } else if Instant::now() < deadline {
            // The system's own waiting has no limit.
            thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        } else {
            return Ok(LockFile::Held(file));
        }
    }
}

/// Runs `act` under the lock if it is free at this moment.
pub(crate) fn if_free(dir: &Dir, act: impl FnOnce()) {
    let file = dir.open_file(NAME, OFlags::RDWR | OFlags::CREATE);
    if let Ok(file) = file
        && let Ok(true) = sys::try_lock(&file)
        && let Ok(true) = same_file(dir, NAME, &file)
    {
        act();
    }
}

/// True when `name` in `dir` is the very file that is open as `file`.
pub(crate) fn same_file(dir: &Dir, name: &str, file: &File) -> Result<bool, FileError> {
    let Some(present) = dir.file(name)? else { return Ok(false) };
    let identity = |file: &File| {
        sys::metadata(file).map(|data| (data.dev(), data.ino())).map_err(|error| dir.io(name, error))
    };
    Ok(identity(&present)? == identity(file)?)
}

#[cfg(test)]
mod tests {
    use super::{Lock, NAME};
    use crate::FileError;
    use crate::dir::Dir;
    use std::time::Duration;

    #[test]
    fn one_holder_at_a_time_and_nobody_waits_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let dir = Dir::open(folder.path()).unwrap();
        let held = Lock::take(&dir).unwrap();
        match Lock::take_within(&dir, Duration::from_millis(30)) {
            Err(FileError::Busy { path }) => assert_eq!(path, folder.path().join(NAME)),
            other => panic!("{other:?}"),
        }
        drop(held);
        Lock::take_within(&dir, Duration::ZERO).unwrap();
    }

    #[test]
    fn who_waits_gets_it_next() {
        let folder = tempfile::tempdir().unwrap();
        let dir = Dir::open(folder.path()).unwrap();
        let held = Lock::take(&dir).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| Lock::take(&dir).map(drop));
            drop(held);
            waiting.join().unwrap().unwrap();
        });
    }
}
