//! A folder of the person's own, that files are added to.
//!
//! It may have come with a stranger's repository: what has a name there need not be a file, and a symlink on the way
//! need not lead where the person looks.

use crate::action_lock::{ActionLock, ActionLockError};
use crate::dir::Dir;
use crate::{FileError, sys};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process;
use std::time::Duration;

/// As any program creates them: the umask has the last word.
const FILE_MODE: Mode = Mode::from_raw_mode(0o666);
const FOLDER_MODE: Mode = Mode::from_raw_mode(0o777);

/// An open folder.
#[derive(Debug)]
pub struct ExternalDir {
    dir: Dir,
}

impl ExternalDir {
    /// The folder that the person has named, created when it is missing; symlinks on the way are theirs.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn named(path: &Path) -> Result<Self, FileError> {
        fs::create_dir_all(path).map_err(|source| FileError::Io { path: path.to_owned(), source })?;
        Ok(Self { dir: Dir::open(path)? })
    }

    /// The folder below `root` that `names` lead to, created when it is missing. No symlink is followed.
    ///
    /// # Errors
    ///
    /// When a symlink or no folder has one of the names, and whatever the disk says.
    pub fn below(root: &Path, names: &[&str]) -> Result<Self, FileError> {
        let mut dir = Dir::open(root)?;
        for name in names {
            dir = dir.ensure_folder_as(name, FOLDER_MODE)?;
        }
        Ok(Self { dir })
    }

    /// The path of `name` in here.
    pub fn path_of(&self, name: &str) -> PathBuf {
        self.dir.path_of(name)
    }

    /// That nothing has the name `name`, where something must.
    pub fn missing(&self, name: &str) -> FileError {
        self.dir.missing(name)
    }

    /// The names in here that are UTF-8, in no order.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn names(&self) -> Result<Vec<String>, FileError> {
        self.dir.names()
    }

    /// The first bytes of the file `name`, at most `limit`; `None` when it is no regular file or cannot be read.
    pub fn beginning(&self, name: &str, limit: u64) -> Option<Vec<u8>> {
        sys::read(&self.dir.file(name).ok()??, limit).ok()
    }

    /// The bytes of the file `name`, at most `limit`; `None` when nothing has that name.
    ///
    /// # Errors
    ///
    /// When it is no regular file or larger, and whatever the disk says.
    pub fn read(&self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, FileError> {
        self.dir.read(name, limit)
    }

    /// Removes the file `name`, durably; false when there was none.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn remove(&self, name: &str) -> Result<bool, FileError> {
        let removed = self.dir.unlink(name)?;
        self.dir.sync()?;
        Ok(removed)
    }

    /// Waits for the lock `name` in here for at most `wait`.
    ///
    /// # Errors
    ///
    /// [`ActionLockError::Held`] when another program holds it for longer, else any error of the file system.
    pub fn action_lock(
        &self,
        name: &str,
        wait: Duration,
        purpose: &str,
    ) -> Result<ActionLock, ActionLockError> {
        ActionLock::take(&self.dir, name, wait, purpose)
    }

    /// Creates the file `name` with `bytes`, unless something has that name: then the result is false. It has its name
    /// only once all of it is on the disk.
    ///
    /// # Errors
    ///
    /// Whatever the disk says; nothing then has the name, unless only the last step failed, making it durable.
    pub fn create(&self, name: &str, bytes: &[u8]) -> Result<bool, FileError> {
        let (temporary, file) = self.temporary().map_err(|error| self.dir.io(name, error))?;
        let published = sys::write_all(&file, bytes)
            .and_then(|()| sys::sync(&file))
            .and_then(|()| self.give_name(&temporary, name))
            .map_err(|error| self.dir.io(name, error));
        // It has its name, or is of no use.
        let removed = self.dir.unlink(&temporary);
        if !published? {
            return Ok(false);
        }
        removed?;
        self.dir.sync()?;
        Ok(true)
    }

    /// Puts `bytes` in the place of the regular file `name`, which keeps its mode, or creates it. It has its new contents only
    /// once all of them are on the disk.
    ///
    /// # Errors
    ///
    /// When a symlink or no regular file has that name, and whatever the disk says. The old file then still has its name,
    /// unless only the last step failed, making the new one durable.
    pub fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), FileError> {
        let dir = &self.dir;
        dir.accept_file(name)?;
        let (temporary, file) = self.temporary().map_err(|error| dir.io(name, error))?;
        let replaced = (|| {
            match sys::statat(dir.handle(), name) {
                // Keeps the permissions, but not setuid and setgid: the new contents must not run as another user.
                Ok(found) => sys::fchmod(&file, Mode::from_raw_mode(found.st_mode & 0o777))?,
                Err(Errno::NOENT) => {}
                Err(error) => return Err(error),
            }
            sys::write_all(&file, bytes)?;
            sys::sync(&file)?;
            sys::renameat(dir.handle(), &temporary, name)
        })();
        if let Err(error) = replaced {
            // It is of no use; that it could not be written says more than that it could not be removed.
            let _ = dir.unlink(&temporary);
            return Err(dir.io(name, error));
        }
        dir.sync()
    }

    /// Copies the user's file `from` to the name `name` in here, with its modification time.
    ///
    /// # Errors
    ///
    /// Any error of the file system.
    pub fn copy_in(&self, from: &Path, name: &str) -> io::Result<()> {
        let to = self.path_of(name);
        let changed = fs::metadata(from)?.modified()?;
        fs::copy(from, &to)?;
        OpenOptions::new().write(true).open(to)?.set_modified(changed)
    }

    /// Lets the file `name`, whose contents are `bytes`, be at `path` as well, unless something is there: then the result is
    /// false. Where there are no links, a new file with the same contents is made.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn link_out(&self, name: &str, bytes: &[u8], path: &Path) -> io::Result<bool> {
        let linked = match fs::hard_link(self.path_of(name), path) {
            Err(error) if !matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::NotFound) => {
                let created = OpenOptions::new().write(true).create_new(true).open(path);
                created.and_then(|mut file| file.write_all(bytes))
            }
            linked => linked,
        };
        match linked {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Replaces the user's file `path` with the file `name`.
    ///
    /// # Errors
    ///
    /// Any error of the file system.
    pub fn move_out(&self, name: &str, path: &Path) -> io::Result<()> {
        fs::rename(self.path_of(name), path)
    }

    /// Creates a file with a name that no reader looks for. No lock is held here, so an existing file may be in use.
    fn temporary(&self) -> Result<(String, File), Errno> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut number = 0_u64;
        loop {
            let name = format!(".aide-{}-{number}.tmp", process::id());
            match sys::openat(self.dir.handle(), &name, flags, FILE_MODE) {
                Ok(file) => return Ok((name, file)),
                Err(Errno::EXIST) => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// False when something has the name already.
    fn give_name(&self, temporary: &str, name: &str) -> Result<bool, Errno> {
        let named = match sys::linkat(self.dir.handle(), temporary, name) {
            // There are file systems without links (FAT); then it is moved.
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS) => {
                sys::rename_new(self.dir.handle(), temporary, name)
            }
            linked => linked,
        };
        match named {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ExternalDir;
    use crate::FileError;
    use std::fs;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    #[test]
    fn a_file_that_is_replaced_keeps_its_mode_and_becomes_nobody_else() {
        let folder = tempfile::tempdir().unwrap();
        let dir = ExternalDir::named(folder.path()).unwrap();
        let path = folder.path().join("run.sh");
        dir.replace("run.sh", b"old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o4751)).unwrap();
        // A process that has it open continues to read the old file.
        let other = folder.path().join("other name");
        fs::hard_link(&path, &other).unwrap();
        dir.replace("run.sh", b"new").unwrap();
        assert_eq!((fs::read(&path).unwrap(), fs::read(other).unwrap()), (b"new".to_vec(), b"old".to_vec()));
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o751);
        let mut names = dir.names().unwrap();
        names.sort_unstable();
        assert_eq!(names, ["other name", "run.sh"]);
    }

    #[test]
    fn nothing_but_a_regular_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::NamedTempFile::new().unwrap();
        let dir = ExternalDir::named(folder.path()).unwrap();
        symlink(outside.path(), folder.path().join("link")).unwrap();
        fs::create_dir(folder.path().join("folder")).unwrap();
        assert!(matches!(dir.replace("link", b"x"), Err(FileError::Symlink { .. })));
        assert!(matches!(dir.replace("folder", b"x"), Err(FileError::NotAFile { .. })));
        assert_eq!(fs::read(outside.path()).unwrap(), b"");
        assert_eq!(dir.names().unwrap().len(), 2);
    }
}
