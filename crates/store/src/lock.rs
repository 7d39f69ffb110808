//! The lock that whoever changes `.aide/` holds.

use crate::dir::Dir;
use crate::{StoreError, sys};
use rustix::fs::OFlags;
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::thread;
use std::time::{Duration, Instant};

const NAME: &str = ".lock";
/// How long to wait for whoever holds the lock. It is held for a few writes to the disk: whoever has it longer does not
/// work on it any more.
const DEADLINE: Duration = Duration::from_secs(10);
/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// Held by one process and one thread at a time; given back when dropped, also by a kill.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the lock of `decisions`, for ten seconds at most. The file stays for ever: were it deleted, one process
    /// could hold the old file's lock and another the new one's.
    ///
    /// # Errors
    ///
    /// [`StoreError::Busy`] when somebody else holds it all the time.
    pub(crate) fn take(decisions: &Dir) -> Result<Self, StoreError> {
        Self::take_within(decisions, DEADLINE)
    }

    fn take_within(decisions: &Dir, limit: Duration) -> Result<Self, StoreError> {
        let deadline = Instant::now() + limit;
        let mut pause = Duration::from_millis(1);
        loop {
            let file = decisions.open_file(NAME, OFlags::RDWR | OFlags::CREATE)?;
            if sys::try_lock(&file).map_err(|error| decisions.io(NAME, error))? {
                // Somebody may have cleaned the folder up in between.
                if same_file(decisions, NAME, &file)? {
                    return Ok(Self { _file: file });
                }
            } else if Instant::now() < deadline {
                // The system's own waiting has no limit.
                thread::sleep(pause);
                pause = (pause * 2).min(LONGEST_PAUSE);
            } else {
                return Err(StoreError::Busy { path: decisions.path_of(NAME) });
            }
        }
    }
}

/// Does `act` under the lock if nobody holds it at this moment.
pub(crate) fn if_free(decisions: &Dir, act: impl FnOnce()) {
    let file = decisions.open_file(NAME, OFlags::RDWR | OFlags::CREATE);
    if let Ok(file) = file
        && let Ok(true) = sys::try_lock(&file)
        && let Ok(true) = same_file(decisions, NAME, &file)
    {
        act();
    }
}

/// True when `name` in `dir` is the very file that is open as `file`.
pub(crate) fn same_file(dir: &Dir, name: &str, file: &File) -> Result<bool, StoreError> {
    let Some(present) = dir.file(name)? else { return Ok(false) };
    let identity = |file: &File| {
        sys::metadata(file).map(|data| (data.dev(), data.ino())).map_err(|error| dir.io(name, error))
    };
    Ok(identity(&present)? == identity(file)?)
}

#[cfg(test)]
mod tests {
    use super::{Lock, NAME};
    use crate::StoreError;
    use crate::dir::Dir;
    use std::time::Duration;

    #[test]
    fn one_holder_at_a_time_and_nobody_waits_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let dir = Dir::open(folder.path()).unwrap();
        let held = Lock::take(&dir).unwrap();
        match Lock::take_within(&dir, Duration::from_millis(30)) {
            Err(StoreError::Busy { path }) => assert_eq!(path, folder.path().join(NAME)),
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
