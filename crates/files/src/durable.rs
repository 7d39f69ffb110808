//! The two ways a file comes to be: replaced as a whole, or published once.
//!
//! Both write a temporary file beside the target, force it to the disk, give it its name and force the name to the
//! disk. A process killed anywhere in between leaves the old file, or none, and a temporary one that the next write
//! clears away. An error of fsync is final: the kernel may have dropped the data, and asking again would succeed.
//!
//! There are two ways to write a file, both in `crates/files/src/durable.rs`: replace as a whole, and publish once. Each writes a
//! temporary file beside the target, fsyncs it, gives it its name, and fsyncs the folder, with the lock held. Only `server.json`
//! is not fsynced, because a restart makes it void; `server.log` is a plain log. Every system call goes through
//! `crates/files/src/sys.rs`, where tests count, fail and record it (`fault.rs`; the proofs are in `crates/store/src/proof`).
//! Files have mode 0600, folders 0700.

use crate::dir::{Dir, OWNER_ONLY};
use crate::lock::Lock;
use crate::{FileError, sys};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;

/// Puts `bytes` in the place of the file `name`, or creates it.
///
/// # Errors
///
/// When `name` is a symlink or no regular file, and when the disk refuses. The old file then still has its name,
/// unless only the last step failed, making the new name durable.
pub fn replace(lock: &Lock, dir: &Dir, name: &str, bytes: &[u8]) -> Result<(), FileError> {
    replace_via(lock, dir, &temporary_name(name), name, OWNER_ONLY, bytes)
}

/// [`replace`] by way of a temporary file of a given name and mode, for a file that is not ours alone.
///
/// # Errors
///
/// As [`replace`].
pub fn replace_via(
    lock: &Lock,
    dir: &Dir,
    temporary: &str,
    name: &str,
    mode: Mode,
    bytes: &[u8],
) -> Result<(), FileError> {
    dir.accept_file(name)?;
    let temporary = Temporary::write(lock, dir, temporary, mode, bytes)?;
    temporary.sync()?;
    temporary.rename(name)?;
    dir.sync()
}

/// Puts `bytes` in the place of the file `name` and returns it open, after `prepare` was called on it and before it
/// had its name. As whole as [`replace`], but not forced to the disk: for what a restart makes void anyway.
pub(crate) fn replace_open(
    lock: &Lock,
    dir: &Dir,
    name: &str,
    bytes: &[u8],
    prepare: impl FnOnce(&File) -> Result<(), FileError>,
) -> Result<File, FileError> {
    dir.accept_file(name)?;
    let temporary = Temporary::write(lock, dir, &temporary_name(name), OWNER_ONLY, bytes)?;
    prepare(&temporary.file)?;
    let file = temporary.file.try_clone().map_err(|error| dir.io(name, error))?;
    temporary.rename(name)?;
    Ok(file)
}

/// Puts `bytes` in the place of the file `name` as a whole, but does not force them to the disk: for a cache that is checked
/// when it is read.
///
/// # Errors
///
/// As [`replace`].
pub fn replace_cache(lock: &Lock, dir: &Dir, name: &str, bytes: &[u8]) -> Result<(), FileError> {
    replace_open(lock, dir, name, bytes, |_| Ok(())).map(drop)
}

/// Creates the file `name` with `bytes`, unless something has that name: then it stays as it is, and the result is
/// false.
///
/// # Errors
///
/// When the disk refuses. Nothing has the name then, unless only the last step failed, making it durable.
pub fn publish_once(lock: &Lock, dir: &Dir, name: &str, bytes: &[u8]) -> Result<bool, FileError> {
    let temporary = Temporary::write(lock, dir, &temporary_name(name), OWNER_ONLY, bytes)?;
    temporary.sync()?;
    let published = temporary.publish(name)?;
    // Also for the loser: the winner may have been killed before its own sync.
    dir.sync()?;
    Ok(published)
}

/// Writes `bytes` beside the file `name`, durably, for [`publish_staged`] to put in its place.
///
/// # Errors
///
/// When `name` is a symlink or no regular file, and when the disk refuses. Nothing has changed then.
pub fn stage(lock: &Lock, dir: &Dir, name: &str, bytes: &[u8]) -> Result<(), FileError> {
    dir.accept_file(name)?;
    let mut temporary = Temporary::write(lock, dir, &temporary_name(name), OWNER_ONLY, bytes)?;
    temporary.sync()?;
    dir.sync()?;
    temporary.left = false;
    Ok(())
}

/// Puts what was staged in the place of the file `name`. When nothing is staged, it has happened already, and is only made
/// durable.
///
/// # Errors
///
/// When the disk refuses.
pub fn publish_staged(_: &Lock, dir: &Dir, name: &str) -> Result<(), FileError> {
    match sys::renameat(dir.handle(), &temporary_name(name), name) {
        Ok(()) | Err(Errno::NOENT) => dir.sync(),
        Err(error) => Err(dir.io(name, error)),
    }
}

/// Gives the file `name` a second name, which nothing has afterwards if there is no such file.
///
/// # Errors
///
/// When the disk refuses. Where there are no links, there is no second name.
pub fn link_aside(_: &Lock, dir: &Dir, name: &str, aside: &str) -> Result<(), FileError> {
    dir.unlink(aside)?;
    match sys::linkat(dir.handle(), name, aside) {
        Ok(()) | Err(Errno::NOENT | Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS) => Ok(()),
        Err(error) => Err(dir.io(aside, error)),
    }
}

/// Lets the file `aside` take the place of the file `name`.
///
/// # Errors
///
/// When the disk refuses.
pub fn move_back(_: &Lock, dir: &Dir, aside: &str, name: &str) -> Result<(), FileError> {
    sys::renameat(dir.handle(), aside, name).map_err(|error| dir.io(name, error))?;
    dir.sync()
}

/// Moves the file `from` of `dir` into the folder `into`, where it takes the place of the file `to`; false when there is no
/// such file. Both folders are durable afterwards.
///
/// # Errors
///
/// When something else than a regular file has one of the names, and when the disk refuses. The file is then in the one
/// folder or in the other.
pub fn move_file(_: &Lock, dir: &Dir, from: &str, into: &Dir, to: &str) -> Result<bool, FileError> {
    if dir.kind(from)?.is_none() {
        return Ok(false);
    }
    dir.accept_file(from)?;
    into.accept_file(to)?;
    match sys::move_to(dir.handle(), from, into.handle(), to) {
        Ok(()) => {}
        // Another process was faster.
        Err(Errno::NOENT) => return Ok(false),
        Err(error) => return Err(into.io(to, error)),
    }
    // First where it is now: after a power failure it may have both names, but not none.
    into.sync()?;
    dir.sync()?;
    Ok(true)
}

/// Removes the file `name` and what an interrupted write has left of it; false when there was no file. The caller makes
/// that durable with [`Dir::sync`], once for many files.
///
/// # Errors
///
/// When the disk refuses.
pub fn remove(_: &Lock, dir: &Dir, name: &str) -> Result<bool, FileError> {
    dir.unlink(&temporary_name(name))?;
    dir.unlink(name)
}

/// Clears away the halves of JSON files that killed writers have left in `dir`, whose names are `names`. The next write
/// of the same file does so as well, but the record of questions that were replaced is never written again.
pub fn sweep(_: &Lock, dir: &Dir, names: &[String]) {
    for name in names.iter().filter(|name| name.ends_with(".json.tmp")) {
        // Nothing depends on it.
        let _ = dir.unlink(name);
    }
}

/// Clears away the half of the file `name`, which is not JSON, that a killed writer has left in `dir`.
pub fn sweep_one(_: &Lock, dir: &Dir, name: &str) {
    let _ = dir.unlink(&temporary_name(name));
}

fn temporary_name(name: &str) -> String {
    format!("{name}.tmp")
}

/// A complete file that does not have its name yet. Removed when dropped.
struct Temporary<'d> {
    dir: &'d Dir,
    name: String,
    file: File,
    /// Whether `name` still has to be removed.
    left: bool,
}

impl<'d> Temporary<'d> {
    /// The lock makes the fixed name safe: there is no other writer, so a leftover is not in use.
    fn write(_: &Lock, dir: &'d Dir, name: &str, mode: Mode, bytes: &[u8]) -> Result<Self, FileError> {
        dir.unlink(name)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = sys::openat(dir.handle(), name, flags, mode).map_err(|error| dir.io(name, error))?;
        let temporary = Self { dir, name: name.to_owned(), file, left: true };
        if mode != OWNER_ONLY {
            // The umask has a say in what open creates, but a file that is replaced keeps its mode.
            sys::fchmod(&temporary.file, mode).map_err(|error| dir.io(name, error))?;
        }
        sys::write_all(&temporary.file, bytes).map_err(|error| dir.io(name, error))?;
        Ok(temporary)
    }

    fn sync(&self) -> Result<(), FileError> {
        sys::sync(&self.file).map_err(|error| self.dir.io(&self.name, error))
    }

    fn rename(mut self, name: &str) -> Result<(), FileError> {
        sys::renameat(self.dir.handle(), &self.name, name).map_err(|error| self.dir.io(name, error))?;
        self.left = false;
        Ok(())
    }

    fn publish(self, name: &str) -> Result<bool, FileError> {
        match sys::linkat(self.dir.handle(), &self.name, name) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            Err(error) => Err(self.dir.io(name, error)),
        }
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if self.left {
            // Nothing depends on it: the next write begins by removing it.
            let _ = self.dir.unlink(&self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::move_file;
    use crate::dir::Dir;
    use crate::lock::Lock;
    use crate::{FileError, FileType};
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_file_is_moved_into_another_folder_once() {
        let folder = tempfile::tempdir().unwrap();
        let dir = Dir::open(folder.path()).unwrap();
        let lock = Lock::take(&dir).unwrap();
        let into = dir.ensure_folders(["a", "b"]).unwrap();
        fs::write(folder.path().join("x"), "1").unwrap();
        assert!(move_file(&lock, &dir, "x", &into, "y").unwrap());
        assert!(!move_file(&lock, &dir, "x", &into, "y").unwrap());
        assert_eq!(fs::read(folder.path().join("a/b/y")).unwrap(), b"1");
        assert!(dir.folder_at(["a", "c"]).unwrap().is_none());
    }

    #[test]
    fn nothing_but_files_is_moved_and_no_symlink_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let dir = Dir::open(folder.path()).unwrap();
        let lock = Lock::take(&dir).unwrap();
        let into = dir.ensure_folder("into").unwrap();
        symlink("/etc/passwd", folder.path().join("link")).unwrap();
        symlink("/etc", folder.path().join("out")).unwrap();
        fs::write(folder.path().join("x"), "1").unwrap();
        assert!(matches!(move_file(&lock, &dir, "link", &into, "y"), Err(FileError::Symlink { .. })));
        assert!(matches!(move_file(&lock, &dir, "into", &into, "y"), Err(FileError::NotAFile { .. })));
        assert!(matches!(move_file(&lock, &dir, "x", &dir, "link"), Err(FileError::Symlink { .. })));
        assert!(matches!(dir.ensure_folders(["out", "y"]), Err(FileError::Symlink { .. })));
    }

    #[test]
    fn a_file_is_read_in_pieces_up_to_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let dir = Dir::open(folder.path()).unwrap();
        fs::write(folder.path().join("x"), vec![7; 200_000]).unwrap();
        let mut pieces = Vec::new();
        let take = |piece: &[u8]| {
            pieces.push(piece.len());
            Ok::<_, FileError>(())
        };
        assert_eq!(dir.read_in_pieces("x", 200_000, take).unwrap(), Some(200_000));
        assert_eq!(pieces.iter().sum::<usize>(), 200_000);
        assert!(pieces.iter().all(|piece| *piece <= 1 << 16));
        let refused = dir.read_in_pieces("x", 199_999, |_| Ok::<_, FileError>(()));
        assert!(matches!(refused, Err(FileError::TooLarge { limit: 199_999, .. })));
        assert_eq!(dir.read_in_pieces("y", 1, |_| Ok::<_, FileError>(())).unwrap(), None);
    }

    #[test]
    fn entries_say_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let dir = Dir::open(folder.path()).unwrap();
        fs::write(folder.path().join("b"), "").unwrap();
        fs::create_dir(folder.path().join("a")).unwrap();
        symlink("b", folder.path().join("c")).unwrap();
        let expected = [("a", FileType::Directory), ("b", FileType::RegularFile), ("c", FileType::Symlink)];
        assert_eq!(dir.entries().unwrap(), expected.map(|(name, kind)| (name.to_owned(), kind)));
    }
}
