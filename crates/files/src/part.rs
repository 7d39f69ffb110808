//! Files that are too large to be held in memory: written piece by piece, beside where they get their name.

use crate::dir::{Dir, OWNER_ONLY};
use crate::lock::Lock;
use crate::{FileError, sys};
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::fs::File;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How the name of a part begins and ends. No other file of ours is called so.
const PREFIX: &str = ".part-";
const SUFFIX: &str = ".tmp";

/// A file that is still being written. Removed when dropped.
///
/// The lock of the folder is needed only to begin and to end it; writing in between may take any time. Meanwhile the file itself
/// is locked: a part whose lock is free has no writer, and [`remove_dead`] removes it.
#[derive(Debug)]
pub struct Part {
    dir: Arc<Dir>,
    name: String,
    file: File,
    /// Whether `name` still has to be removed.
    left: bool,
}

impl Part {
    /// Begins a file in `dir`, under a name for which `is_taken` says no: a process may have the number of an earlier one,
    /// which has left names of its own somewhere.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn create(_: &Lock, dir: Arc<Dir>, is_taken: impl Fn(&str) -> bool) -> Result<Self, FileError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("{PREFIX}{}-{number}{SUFFIX}", process::id());
            if is_taken(&name) {
                continue;
            }
            match sys::openat(dir.handle(), &name, flags, OWNER_ONLY) {
                // Left by another process of this number, or being written by one that has it in another container.
                Err(Errno::EXIST) => {}
                Err(error) => return Err(dir.io(&name, error)),
                Ok(file) => {
                    let part = Self { dir, name, file, left: true };
                    sys::try_lock(&part.file).map_err(|error| part.dir.io(&part.name, error))?;
                    return Ok(part);
                }
            }
        }
    }

    /// Adds `bytes` at its end.
    ///
    /// # Errors
    ///
    /// Whatever the disk says. How much was written is not known then, and the file is good for nothing.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        sys::write_all(&self.file, bytes).map_err(|error| self.dir.io(&self.name, error))
    }

    /// Makes its content durable.
    ///
    /// # Errors
    ///
    /// Whatever the disk says. That is final.
    pub fn sync(&self) -> Result<(), FileError> {
        sys::sync(&self.file).map_err(|error| self.dir.io(&self.name, error))
    }

    /// What it is called as long as it has no other name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Lets it stay under [`Self::name`] from now on.
    pub fn keep(mut self, _: &Lock) {
        self.left = false;
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if self.left {
            // Nothing depends on it: it is swept later.
            let _ = self.dir.unlink(&self.name);
        }
    }
}

/// Whether `name` is one that a [`Part`] may have.
pub fn is_part(name: &str) -> bool {
    let number = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
    number.is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
    })
}

/// Gives the file `from` the name `to`, in the place of whatever file has that. [`Dir::sync`] makes that durable.
///
/// # Errors
///
/// When something else than a file has the name `to`, and whatever the disk says.
pub fn rename(_: &Lock, dir: &Dir, from: &str, to: &str) -> Result<(), FileError> {
    dir.accept_file(to)?;
    sys::renameat(dir.handle(), from, to).map_err(|error| dir.io(to, error))
}

/// Removes the file `name`, unless it is a part that is still being written.
///
/// # Errors
///
/// Any error of the file system.
pub fn remove_dead(_: &Lock, dir: &Dir, name: &str) -> Result<bool, FileError> {
    if is_part(name)
        && let Some(file) = dir.file(name)?
        && !sys::try_lock(&file).map_err(|error| dir.io(name, error))?
    {
        return Ok(false);
    }
    dir.unlink(name)
}

#[cfg(test)]
mod tests {
    use super::{Part, is_part, remove_dead, rename};
    use crate::dir::Dir;
    use crate::lock::Lock;
    use std::cell::Cell;
    use std::fs;
    use std::sync::Arc;

    #[test]
    fn a_part_is_removed_unless_it_is_kept_or_still_written() {
        let folder = tempfile::tempdir().unwrap();
        let dir = Arc::new(Dir::open(folder.path()).unwrap());
        let lock = Lock::take(&dir).unwrap();
        let begin = || {
            let mut part = Part::create(&lock, Arc::clone(&dir), |_| false).unwrap();
            part.write(b"a").unwrap();
            part.write(b"bc").unwrap();
            part
        };
        let part = begin();
        let name = part.name().to_owned();
        assert!(is_part(&name));
        assert!(!remove_dead(&lock, &dir, &name).unwrap(), "somebody writes it");
        drop(part);
        assert!(!folder.path().join(&name).exists());

        let part = begin();
        part.sync().unwrap();
        let name = part.name().to_owned();
        part.keep(&lock);
        assert_eq!(fs::read(folder.path().join(&name)).unwrap(), b"abc");
        rename(&lock, &dir, &name, "x").unwrap();
        assert_eq!(fs::read(folder.path().join("x")).unwrap(), b"abc");

        let dead = ".part-1-1.tmp";
        fs::write(folder.path().join(dead), "half").unwrap();
        assert!(remove_dead(&lock, &dir, dead).unwrap());
        fs::create_dir(folder.path().join("folder")).unwrap();
        assert!(rename(&lock, &dir, "x", "folder").is_err());
    }

    #[test]
    fn two_parts_do_not_meet() {
        let folder = tempfile::tempdir().unwrap();
        let dir = Arc::new(Dir::open(folder.path()).unwrap());
        let lock = Lock::take(&dir).unwrap();
        let one = Part::create(&lock, Arc::clone(&dir), |_| false).unwrap();
        let two = Part::create(&lock, Arc::clone(&dir), |_| false).unwrap();
        assert_ne!(one.name(), two.name());
        let first = Cell::new(true);
        let three = Part::create(&lock, Arc::clone(&dir), |name| {
            assert!(is_part(name));
            first.replace(false)
        });
        assert!(three.is_ok() && !first.get(), "another name than the first, which is taken");
    }

    #[test]
    fn other_names_are_no_parts() {
        for name in ["a", ".part-", ".part-1-1.tmp.pdf", ".part-a.tmp", "part-1-1.tmp", ".part-../x.tmp"] {
            assert!(!is_part(name), "{name}");
        }
    }
}
