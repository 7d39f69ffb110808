//! Files that grow by one line at a time, and begin anew when they have become too long.

use crate::dir::Dir;
use crate::lock::Lock;
use crate::{FileError, durable, sys};
use rustix::fs::OFlags;

/// When a log begins anew, and how many older ones are kept: `name.1` is the one before, `name.2` the one before that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rotation {
    /// So large may a log become, in bytes.
    pub max_bytes: u64,
    /// So many older ones are kept.
    pub keep: u32,
}

impl Default for Rotation {
    fn default() -> Self {
        Self { max_bytes: 10 << 20, keep: 4 }
    }
}

/// Adds `line` to the file `name` of `dir`, durably. What a killed writer has left of a line ends there: it is a line of its
/// own, which is none of a log's, and the next one is whole.
///
/// # Errors
///
/// When `name` is a symlink or no regular file, and when the disk refuses. Half of the line may be there then.
pub fn append(lock: &Lock, dir: &Dir, name: &str, line: &str, rotation: Rotation) -> Result<(), FileError> {
    rotate(lock, dir, name, rotation)?;
    let is_new = dir.kind(name)?.is_none();
    let file = dir.open_file(name, OFlags::RDWR | OFlags::CREATE | OFlags::APPEND)?;
    let io = |error| dir.io(name, error);
    let is_torn = sys::last_byte(&file).map_err(io)?.is_some_and(|byte| byte != b'\n');
    let mut bytes = Vec::with_capacity(line.len() + 2);
    if is_torn {
        bytes.push(b'\n');
    }
    // A line break would make two of it.
    bytes.extend(line.bytes().map(|byte| if byte == b'\n' { b' ' } else { byte }));
    bytes.push(b'\n');
    sys::write_all(&file, &bytes).map_err(io)?;
    sys::sync(&file).map_err(io)?;
    if is_new { dir.sync() } else { Ok(()) }
}

fn rotate(lock: &Lock, dir: &Dir, name: &str, rotation: Rotation) -> Result<(), FileError> {
    if dir.size(name)?.is_none_or(|size| size < rotation.max_bytes) {
        return Ok(());
    }
    dir.accept_file(name)?;
    let older = |number: u32| format!("{name}.{number}");
    if rotation.keep == 0 {
        dir.unlink(name)?;
        return dir.sync();
    }
    for number in (1..rotation.keep).rev() {
        durable::move_file(lock, dir, &older(number), dir, &older(number + 1))?;
    }
    durable::move_file(lock, dir, name, dir, &older(1)).map(drop)
}

#[cfg(test)]
mod tests {
    use super::{Rotation, append};
    use crate::dir::Dir;
    use crate::lock::Lock;
    use std::fs;

    #[test]
    fn what_a_killed_writer_has_left_spoils_no_other_line() {
        let folder = tempfile::tempdir().unwrap();
        let dir = Dir::open(folder.path()).unwrap();
        let lock = Lock::take(&dir).unwrap();
        let log = |line| append(&lock, &dir, "a.jsonl", line, Rotation::default()).unwrap();
        log("{\"a\":1}");
        fs::write(folder.path().join("a.jsonl"), "{\"a\":1}\n{\"a\":").unwrap();
        log("{\"a\":\n2}");
        let text = fs::read_to_string(folder.path().join("a.jsonl")).unwrap();
        assert_eq!(text, "{\"a\":1}\n{\"a\":\n{\"a\": 2}\n");
    }

    #[test]
    fn a_long_log_begins_anew_and_the_oldest_goes() {
        let folder = tempfile::tempdir().unwrap();
        let dir = Dir::open(folder.path()).unwrap();
        let lock = Lock::take(&dir).unwrap();
        for number in 0..9 {
            let rotation = Rotation { max_bytes: 4, keep: 2 };
            append(&lock, &dir, "a", &format!("{number}"), rotation).unwrap();
        }
        let read = |name| fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!([read("a"), read("a.1"), read("a.2")], ["8\n", "6\n7\n", "4\n5\n"]);
        assert!(!folder.path().join("a.3").exists());
    }

    #[test]
    fn a_log_is_a_regular_file() {
        let folder = tempfile::tempdir().unwrap();
        let dir = Dir::open(folder.path()).unwrap();
        let lock = Lock::take(&dir).unwrap();
        std::os::unix::fs::symlink("/dev/null", folder.path().join("link")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            folder.path().join("pipe"),
            rustix::fs::FileType::Fifo,
            crate::OWNER_ONLY,
            0,
        )
        .unwrap();
        for name in ["link", "pipe"] {
            assert!(append(&lock, &dir, name, "x", Rotation::default()).is_err(), "{name}");
        }
    }
}
