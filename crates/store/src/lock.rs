//! The lock that whoever changes `.aide/` holds.

use crate::StoreError;
use crate::dir::Dir;
use rustix::fs::OFlags;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;

const NAME: &str = ".lock";

/// Held by one process and one thread at a time; given back when dropped, also by a kill.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the lock of `decisions`. The file stays for ever: were it deleted, one process could hold the old
    /// file's lock and another the new one's.
    pub(crate) fn take(decisions: &Dir) -> Result<Self, StoreError> {
        loop {
            let file = decisions.open_file(NAME, OFlags::RDWR | OFlags::CREATE)?;
            lock(&file).map_err(|error| decisions.io(NAME, error))?;
            // Somebody may have cleaned the folder up while we waited.
            if same_file(decisions, NAME, &file)? {
                return Ok(Self { _file: file });
            }
        }
    }
}

/// Does `act` under the lock if nobody holds it at this moment.
pub(crate) fn if_free(decisions: &Dir, act: impl FnOnce()) {
    let file = decisions.open_file(NAME, OFlags::RDWR | OFlags::CREATE);
    if let Ok(file) = file
        && file.try_lock().is_ok()
        && let Ok(true) = same_file(decisions, NAME, &file)
    {
        act();
    }
}

fn lock(file: &File) -> io::Result<()> {
    loop {
        match file.lock() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// True when `name` in `dir` is the very file that is open as `file`.
pub(crate) fn same_file(dir: &Dir, name: &str, file: &File) -> Result<bool, StoreError> {
    let Some(present) = dir.file(name)? else { return Ok(false) };
    let identity = |file: &File| {
        file.metadata().map(|data| (data.dev(), data.ino())).map_err(|error| dir.io(name, error))
    };
    Ok(identity(&present)? == identity(file)?)
}
