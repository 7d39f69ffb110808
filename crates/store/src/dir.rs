//! Folders held open, and what is found in them by name.
//!
//! A path is resolved anew on every use, and whoever can write one of its folders can turn it elsewhere in between.
//! A handle cannot be turned: everything below `.aide/` is opened relative to one, one name at a time, following no
//! symlink.

use crate::{StoreError, sys};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Files belong to their owner alone.
pub(crate) const FILE_MODE: Mode = Mode::from_raw_mode(0o600);
const FOLDER_MODE: Mode = Mode::from_raw_mode(0o700);

/// An open folder.
#[derive(Debug)]
pub(crate) struct Dir {
    handle: File,
    /// For error messages only.
    path: PathBuf,
}

/// Tells a file from the one that takes its place, and from itself after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Device and number. Wide enough for what any system has.
    inode: (i128, i128),
    /// Seconds and nanoseconds.
    changed: (i128, i128),
}

impl Dir {
    /// Opens the folder a person named; symlinks on the way are his.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self { handle: sys::open_folder(path, flags)?, path: path.to_owned() })
    }

    pub(crate) fn handle(&self) -> &File {
        &self.handle
    }

    /// The path of `name` in here.
    pub(crate) fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub(crate) fn io(&self, name: &str, error: impl Into<io::Error>) -> StoreError {
        StoreError::Io { path: self.path_of(name), source: error.into() }
    }

    /// Opens the folder `name`; `None` when nothing has that name.
    pub(crate) fn folder(&self, name: &str) -> Result<Option<Self>, StoreError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match sys::openat(&self.handle, name, flags, Mode::empty()) {
            Ok(handle) => Ok(Some(Self { handle, path: self.path_of(name) })),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(self.refusal(name, error, FileType::Directory)),
        }
    }

    /// Passes this folder on if nobody but its owner and his group can write to it, and the owner is not another user.
    /// What is root's is nobody else's, and root may use what is anybody's: a project is often mounted so.
    pub(crate) fn ours(self) -> Result<Self, StoreError> {
        let io = |source| StoreError::Io { path: self.path.clone(), source };
        let found = self.handle.metadata().map_err(io)?;
        let user = rustix::process::geteuid().as_raw();
        let is_another_users = found.uid() != user && found.uid() != 0 && user != 0;
        if is_another_users || found.mode() & 0o002 != 0 {
            return Err(StoreError::NotOurs { path: self.path });
        }
        Ok(self)
    }

    /// Opens the folder `name`, durably created when nothing has that name.
    pub(crate) fn ensure_folder(&self, name: &str) -> Result<Self, StoreError> {
        self.ensure_folder_as(name, FOLDER_MODE)
    }

    /// The same with another mode, for a folder that is not ours alone.
    pub(crate) fn ensure_folder_as(&self, name: &str, mode: Mode) -> Result<Self, StoreError> {
        if let Some(folder) = self.folder(name)? {
            return Ok(folder);
        }
        match sys::mkdirat(&self.handle, name, mode) {
            // Another process may have been faster.
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(self.io(name, error)),
        }
        let folder = self.folder(name)?.ok_or_else(|| self.io(name, Errno::NOENT))?;
        folder.sync()?;
        self.sync()?;
        Ok(folder)
    }

    /// The folder that this one is in, wherever both are now.
    pub(crate) fn parent(&self) -> Result<Self, StoreError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle =
            sys::openat(&self.handle, "..", flags, Mode::empty()).map_err(|error| self.own(error))?;
        Ok(Self { handle, path: self.path.parent().unwrap_or(&self.path).to_owned() })
    }

    /// Opens the regular file `name` for reading; `None` when nothing has that name.
    pub(crate) fn file(&self, name: &str) -> Result<Option<File>, StoreError> {
        match self.open_file(name, OFlags::RDONLY) {
            Ok(file) => Ok(Some(file)),
            Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens `name` as a regular file. Does not block, whatever has that name.
    pub(crate) fn open_file(&self, name: &str, flags: OFlags) -> Result<File, StoreError> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = match sys::openat(&self.handle, name, flags, FILE_MODE) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Err(self.io(name, Errno::NOENT)),
            Err(error) => return Err(self.refusal(name, error, FileType::RegularFile)),
        };
        let found = sys::metadata(&file).map_err(|error| self.io(name, error))?;
        if found.is_file() { Ok(file) } else { Err(StoreError::NotAFile { path: self.path_of(name) }) }
    }

    /// Reads the regular file `name`; `None` when nothing has that name. `limit` is in bytes.
    pub(crate) fn read(&self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(file) = self.file(name)? else { return Ok(None) };
        self.read_open(name, &file, limit).map(Some)
    }

    /// Reads an already open file of this folder.
    pub(crate) fn read_open(&self, name: &str, file: &File, limit: u64) -> Result<Vec<u8>, StoreError> {
        // The size is not asked for: the file may be growing.
        let bytes = sys::read(file, limit.saturating_add(1)).map_err(|error| self.io(name, error))?;
        if u64::try_from(bytes.len()).is_ok_and(|length| length <= limit) {
            Ok(bytes)
        } else {
            Err(StoreError::TooLarge { path: self.path_of(name), limit })
        }
    }

    /// What has the name `name`, without following it.
    pub(crate) fn kind(&self, name: &str) -> Result<Option<FileType>, StoreError> {
        match sys::statat(&self.handle, name) {
            Ok(stat) => Ok(Some(FileType::from_raw_mode(stat.st_mode))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(self.io(name, error)),
        }
    }

    /// Which file has the name `name`, and in which state; `None` when nothing has.
    pub(crate) fn identity(&self, name: &str) -> Result<Option<Identity>, StoreError> {
        match sys::statat(&self.handle, name) {
            Ok(stat) => Ok(Some(Identity {
                inode: (stat.st_dev.into(), stat.st_ino.into()),
                changed: (stat.st_ctime.into(), stat.st_ctime_nsec.into()),
            })),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(self.io(name, error)),
        }
    }

    /// Accepts `name` as the place of a regular file: one is there, or nothing.
    pub(crate) fn accept_file(&self, name: &str) -> Result<(), StoreError> {
        match self.kind(name)? {
            None | Some(FileType::RegularFile) => Ok(()),
            Some(FileType::Symlink) => Err(StoreError::Symlink { path: self.path_of(name) }),
            Some(_) => Err(StoreError::NotAFile { path: self.path_of(name) }),
        }
    }

    /// The names in here that are UTF-8, in no order.
    pub(crate) fn names(&self) -> Result<Vec<String>, StoreError> {
        sys::names(&self.handle).map_err(|error| self.own(error))
    }

    /// Removes the name `name`; false when there was none.
    pub(crate) fn unlink(&self, name: &str) -> Result<bool, StoreError> {
        match sys::unlinkat(&self.handle, name) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(self.io(name, error)),
        }
    }

    /// Makes the names in here durable.
    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        sys::sync(&self.handle).map_err(|error| self.own(error))
    }

    /// An error of the folder itself.
    fn own(&self, error: Errno) -> StoreError {
        StoreError::Io { path: self.path.clone(), source: error.into() }
    }

    /// Which kind of error the refusal to open `name` is.
    fn refusal(&self, name: &str, error: Errno, wanted: FileType) -> StoreError {
        let path = self.path_of(name);
        match self.kind(name) {
            Ok(Some(FileType::Symlink)) => StoreError::Symlink { path },
            Ok(Some(found)) if found != wanted => match wanted {
                FileType::Directory => StoreError::NotAFolder { path },
                _ => StoreError::NotAFile { path },
            },
            _ => StoreError::Io { path, source: error.into() },
        }
    }
}
