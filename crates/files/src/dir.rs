//! Folders held open, and access to their entries by name.
//!
//! A path is resolved anew on every use, and any process with write access to one of its folders can redirect it in between. A
//! handle cannot be redirected: everything in a folder of ours is opened relative to one, one name at a time, following no
//! symlink.

use crate::{FileError, sys};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;
use std::fmt;
use std::fs::{DirBuilder, File};
use std::io;
use std::ops::Range;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The mode of a file of ours: it belongs to its owner alone.
pub const OWNER_ONLY: Mode = Mode::from_raw_mode(0o600);
const FOLDER_MODE: Mode = Mode::from_raw_mode(0o700);

/// An open folder.
#[derive(Debug)]
pub struct Dir {
    handle: File,
    /// For error messages only.
    path: PathBuf,
}

/// When a file was written to, and changed in any way: moved, for example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Times {
    /// The last time that it was written to, unless a program has set another one.
    pub modified: SystemTime,
    /// The last time that it was changed, also by moving it.
    pub changed: SystemTime,
}

/// Tells a file from the one that takes its place, and from itself after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// Device and number. Wide enough for what any system has.
    inode: (i128, i128),
    /// Seconds and nanoseconds.
    changed: (i128, i128),
}

impl Identity {
    /// The identity as bytes, for a cache that is compared with it later; of a wider number its lower 64 bits.
    pub fn to_bytes(&self) -> [u8; 32] {
        let ((device, number), (seconds, nanoseconds)) = (self.inode, self.changed);
        let mut bytes = [0; 32];
        for (place, part) in bytes.chunks_exact_mut(8).zip([device, number, seconds, nanoseconds]) {
            place.copy_from_slice(&part.to_le_bytes()[..8]);
        }
        bytes
    }

    /// A name for the file or folder itself that stays the same when it is changed or moved on its disk.
    pub fn inode_name(&self) -> String {
        let (device, number) = self.inode;
        format!("{device:x}-{number:x}")
    }

    /// Whether another change would be seen: the last one is at least `grain` ago, within which a file system may give two changes
    /// the same time.
    pub fn is_settled(&self, grain: Duration) -> bool {
        let (seconds, nanoseconds) = self.changed;
        let parts = (u64::try_from(seconds), u32::try_from(nanoseconds));
        let (Ok(seconds), Ok(nanoseconds)) = parts else { return false };
        let changed = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds);
        SystemTime::now().duration_since(changed).is_ok_and(|age| age >= grain)
    }

    /// Whether the time of the change is finer than a millisecond: then two changes that have the same one came within a few ticks
    /// of the system's clock.
    pub fn is_fine(&self) -> bool {
        self.changed.1 % 1_000_000 != 0
    }
}

/// A text that is another one for every other file and state.
impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { inode: (device, number), changed: (seconds, nanoseconds) } = self;
        write!(f, "{device}.{number}.{seconds}.{nanoseconds}")
    }
}

impl Dir {
    /// Opens the folder a person named; symlinks on the way are theirs.
    ///
    /// # Errors
    ///
    /// [`FileError::Io`] when it cannot be opened as a folder.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = sys::open_folder(path, flags);
        let handle = opened.map_err(|error| FileError::Io { path: path.to_owned(), source: error.into() })?;
        Ok(Self { handle, path: path.to_owned() })
    }

    /// Opens the folder `path`, created for its owner alone, with those it is in, when it is missing.
    ///
    /// # Errors
    ///
    /// [`FileError::Io`] when it cannot be created or opened.
    pub fn ensure(path: &Path) -> Result<Self, FileError> {
        let created = DirBuilder::new().recursive(true).mode(0o700).create(path);
        created.map_err(|source| FileError::Io { path: path.to_owned(), source })?;
        Self::open(path)
    }

    pub(crate) fn handle(&self) -> &File {
        &self.handle
    }

    /// The path of `name` in here.
    pub fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// That nothing has the name `name`, where something must.
    pub fn missing(&self, name: &str) -> FileError {
        self.io(name, io::ErrorKind::NotFound)
    }

    pub(crate) fn io(&self, name: &str, error: impl Into<io::Error>) -> FileError {
        FileError::Io { path: self.path_of(name), source: error.into() }
    }

    /// Opens the folder `name`; `None` when nothing has that name.
    ///
    /// # Errors
    ///
    /// When a symlink or anything else has that name, and whatever the disk says.
    pub fn folder(&self, name: &str) -> Result<Option<Self>, FileError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match sys::openat(&self.handle, name, flags, Mode::empty()) {
            Ok(handle) => Ok(Some(Self { handle, path: self.path_of(name) })),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(self.refusal(name, error, FileType::Directory)),
        }
    }

    /// Returns this folder if only its owner and group can write to it, and the owner is not another user. Root does not count as
    /// another user, and root may use the folders of all users: a project is often mounted so.
    ///
    /// # Errors
    ///
    /// [`FileError::NotOurs`] otherwise.
    pub fn ours(self) -> Result<Self, FileError> {
        let io = |source| FileError::Io { path: self.path.clone(), source };
        let found = self.handle.metadata().map_err(io)?;
        let user = rustix::process::geteuid().as_raw();
        let is_another_users = found.uid() != user && found.uid() != 0 && user != 0;
        if is_another_users || found.mode() & 0o002 != 0 {
            return Err(FileError::NotOurs { path: self.path });
        }
        Ok(self)
    }

    /// Whether this folder belongs to this user, and no other user may write to it.
    ///
    /// # Errors
    ///
    /// Any error of the file system.
    pub fn is_private(&self) -> Result<bool, FileError> {
        let io = |source| FileError::Io { path: self.path.clone(), source };
        let found = self.handle.metadata().map_err(io)?;
        Ok(found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o022 == 0)
    }

    /// Opens the folder `name`, durably created for its owner alone when nothing has that name.
    ///
    /// # Errors
    ///
    /// When a symlink or anything else has that name, and whatever the disk says.
    pub fn ensure_folder(&self, name: &str) -> Result<Self, FileError> {
        self.ensure_folder_as(name, FOLDER_MODE)
    }

    /// Opens the folder that `names` lead to from here; `None` when one of them is missing.
    ///
    /// # Errors
    ///
    /// As [`Self::folder`].
    pub fn folder_at<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Result<Option<Self>, FileError> {
        let mut dir = self.again()?;
        for name in names {
            match dir.folder(name)? {
                Some(folder) => dir = folder,
                None => return Ok(None),
            }
        }
        Ok(Some(dir))
    }

    /// The same, where each that is missing is durably created.
    ///
    /// # Errors
    ///
    /// As [`Self::ensure_folder`].
    pub fn ensure_folders<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Result<Self, FileError> {
        let mut dir = self.again()?;
        for name in names {
            dir = dir.ensure_folder(name)?;
        }
        Ok(dir)
    }

    /// This folder, opened once more.
    ///
    /// # Errors
    ///
    /// Whatever the system says.
    pub fn again(&self) -> Result<Self, FileError> {
        let handle =
            self.handle.try_clone().map_err(|source| FileError::Io { path: self.path.clone(), source })?;
        Ok(Self { handle, path: self.path.clone() })
    }

    /// The path of this folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The same with another mode, for a folder that is not ours alone.
    pub(crate) fn ensure_folder_as(&self, name: &str, mode: Mode) -> Result<Self, FileError> {
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
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn parent(&self) -> Result<Self, FileError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle =
            sys::openat(&self.handle, "..", flags, Mode::empty()).map_err(|error| self.own(error))?;
        Ok(Self { handle, path: self.path.parent().unwrap_or(&self.path).to_owned() })
    }

    /// Opens the regular file `name` for reading; `None` when nothing has that name.
    pub(crate) fn file(&self, name: &str) -> Result<Option<File>, FileError> {
        match self.open_file(name, OFlags::RDONLY) {
            Ok(file) => Ok(Some(file)),
            Err(FileError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens `name` as a regular file. Does not block, whatever has that name.
    pub(crate) fn open_file(&self, name: &str, flags: OFlags) -> Result<File, FileError> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = match sys::openat(&self.handle, name, flags, OWNER_ONLY) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Err(self.io(name, Errno::NOENT)),
            Err(error) => return Err(self.refusal(name, error, FileType::RegularFile)),
        };
        let found = sys::metadata(&file).map_err(|error| self.io(name, error))?;
        if found.is_file() { Ok(file) } else { Err(FileError::NotAFile { path: self.path_of(name) }) }
    }

    /// Reads the regular file `name`; `None` when nothing has that name. `limit` is in bytes.
    ///
    /// # Errors
    ///
    /// When something else has that name, when the file is larger, and whatever the disk says.
    pub fn read(&self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, FileError> {
        let Some(file) = self.file(name)? else { return Ok(None) };
        self.read_open(name, &file, limit).map(Some)
    }

    /// Whether the regular file `name` has exactly these bytes; `None` when nothing has that name. It is read no further than the
    /// first difference, and not kept.
    ///
    /// # Errors
    ///
    /// When something else has that name, and whatever the disk says.
    pub fn has(&self, name: &str, bytes: &[u8]) -> Result<Option<bool>, FileError> {
        enum Stop {
            Differs,
            Failed(FileError),
        }
        impl From<FileError> for Stop {
            fn from(error: FileError) -> Self {
                Self::Failed(error)
            }
        }
        let mut left = bytes;
        let read = self.read_range(name, 0..u64::MAX, |piece| {
            left = left.strip_prefix(piece).ok_or(Stop::Differs)?;
            Ok(())
        });
        match read {
            Ok(is_there) => Ok(is_there.then_some(left.is_empty())),
            Err(Stop::Differs) => Ok(Some(false)),
            Err(Stop::Failed(error)) => Err(error),
        }
    }

    /// As [`Self::read`], beside the mode of the file.
    ///
    /// # Errors
    ///
    /// As [`Self::read`].
    pub fn read_with_mode(&self, name: &str, limit: u64) -> Result<Option<(Vec<u8>, Mode)>, FileError> {
        let Some(file) = self.file(name)? else { return Ok(None) };
        let found = sys::metadata(&file).map_err(|error| self.io(name, error))?;
        Ok(Some((self.read_open(name, &file, limit)?, sys::mode(&found))))
    }

    /// The file `name`, made when nothing has that name, for a program that adds to it at its end.
    ///
    /// # Errors
    ///
    /// When a symlink or no regular file has that name, and whatever the disk says.
    pub fn log(&self, name: &str) -> Result<File, FileError> {
        self.open_file(name, OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND)
    }

    /// The same, emptied.
    ///
    /// # Errors
    ///
    /// As [`Self::log`].
    pub fn empty_log(&self, name: &str) -> Result<File, FileError> {
        let file = self.log(name)?;
        sys::truncate(&file).map_err(|error| self.io(name, error))?;
        Ok(file)
    }

    /// Reads an already open file of this folder.
    pub(crate) fn read_open(&self, name: &str, file: &File, limit: u64) -> Result<Vec<u8>, FileError> {
        // The size is not asked for: the file may be growing.
        let bytes = sys::read(file, limit.saturating_add(1)).map_err(|error| self.io(name, error))?;
        if u64::try_from(bytes.len()).is_ok_and(|length| length <= limit) {
            Ok(bytes)
        } else {
            Err(FileError::TooLarge { path: self.path_of(name), limit })
        }
    }

    /// What has the name `name`, without following it.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn kind(&self, name: &str) -> Result<Option<FileType>, FileError> {
        match sys::statat(&self.handle, name) {
            Ok(stat) => Ok(Some(FileType::from_raw_mode(stat.st_mode))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(self.io(name, error)),
        }
    }

    /// How large the file `name` is, in bytes; `None` when nothing has that name.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn size(&self, name: &str) -> Result<Option<u64>, FileError> {
        match sys::statat(&self.handle, name) {
            Ok(stat) => Ok(Some(stat.st_size.try_into().unwrap_or_default())),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(self.io(name, error)),
        }
    }

    /// When the file `name` was written to and changed in any way; `None` when nothing has that name.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn times(&self, name: &str) -> Result<Option<Times>, FileError> {
        let time = |seconds: i128, nanoseconds: i128| {
            let (seconds, nanoseconds) =
                (u64::try_from(seconds).unwrap_or_default(), u32::try_from(nanoseconds).unwrap_or_default());
            SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds)
        };
        match sys::statat(&self.handle, name) {
            Ok(stat) => Ok(Some(Times {
                modified: time(stat.st_mtime.into(), stat.st_mtime_nsec.into()),
                changed: time(stat.st_ctime.into(), stat.st_ctime_nsec.into()),
            })),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(self.io(name, error)),
        }
    }

    /// Which file has the name `name`, and in which state; `None` when nothing has.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn identity(&self, name: &str) -> Result<Option<Identity>, FileError> {
        match sys::statat(&self.handle, name) {
            Ok(stat) => Ok(Some(Identity {
                inode: (stat.st_dev.into(), stat.st_ino.into()),
                changed: (stat.st_ctime.into(), stat.st_ctime_nsec.into()),
            })),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(self.io(name, error)),
        }
    }

    /// The identity of this folder: it is another one when a name in here was added, removed or replaced.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn own_identity(&self) -> Result<Identity, FileError> {
        let found = sys::metadata(&self.handle).map_err(|error| self.own(error))?;
        Ok(Identity {
            inode: (found.dev().into(), found.ino().into()),
            changed: (found.ctime().into(), found.ctime_nsec().into()),
        })
    }

    /// Accepts `name` as the place of a regular file: one is there, or nothing.
    pub(crate) fn accept_file(&self, name: &str) -> Result<(), FileError> {
        match self.kind(name)? {
            None | Some(FileType::RegularFile) => Ok(()),
            Some(FileType::Symlink) => Err(FileError::Symlink { path: self.path_of(name) }),
            Some(_) => Err(FileError::NotAFile { path: self.path_of(name) }),
        }
    }

    /// The names in here that are UTF-8, in no order.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn names(&self) -> Result<Vec<String>, FileError> {
        self.pick_names(|name| Some(name.to_owned()))
    }

    /// What `pick` makes of the names in here that are UTF-8, in no order. It may be called for a name again.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn pick_names<T>(&self, pick: impl FnMut(&str) -> Option<T>) -> Result<Vec<T>, FileError> {
        sys::pick_names(&self.handle, pick).map_err(|error| self.own(error))
    }

    /// The names in here that are UTF-8, in their order, each with what has it. No symlink is followed.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn entries(&self) -> Result<Vec<(String, FileType)>, FileError> {
        let mut entries = sys::entries(&self.handle).map_err(|error| self.own(error))?;
        for (name, kind) in &mut entries {
            // Not every file system says it beside the name.
            if *kind == FileType::Unknown {
                *kind = self.kind(name)?.unwrap_or(FileType::Unknown);
            }
        }
        entries.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        Ok(entries)
    }

    /// Gives the bytes of the regular file `name` to `take`, piece by piece, however large it is; `None` when nothing has
    /// that name, else how many bytes there were.
    ///
    /// # Errors
    ///
    /// When something else has that name, when the file is larger than `limit`, what `take` says, and whatever the disk
    /// says. Some pieces may have been taken then.
    pub fn read_in_pieces<E: From<FileError>>(
        &self,
        name: &str,
        limit: u64,
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<Option<u64>, E> {
        let mut total = 0_u64;
        let is_there = self.read_range(name, 0..u64::MAX, |piece| {
            total = total.saturating_add(u64::try_from(piece.len()).unwrap_or(u64::MAX));
            if total > limit {
                return Err(FileError::TooLarge { path: self.path_of(name), limit }.into());
            }
            take(piece)
        })?;
        Ok(is_there.then_some(total))
    }

    /// Gives a part of the regular file `name` to `take`, piece by piece, as far as it is there; false when nothing has that
    /// name.
    ///
    /// # Errors
    ///
    /// When something else has that name, what `take` says, and whatever the disk says. Some pieces may have been taken then.
    pub fn read_range<E: From<FileError>>(
        &self,
        name: &str,
        range: Range<u64>,
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<bool, E> {
        const PIECE: usize = 1 << 16;
        let Some(file) = self.file(name)? else { return Ok(false) };
        let mut buffer = vec![0; PIECE];
        let mut at = range.start;
        while at < range.end {
            let wanted = usize::try_from(range.end - at).map_or(PIECE, |left| left.min(PIECE));
            let length =
                sys::read_piece(&file, &mut buffer[..wanted], at).map_err(|error| self.io(name, error))?;
            if length == 0 {
                break;
            }
            at = at.saturating_add(u64::try_from(length).unwrap_or(u64::MAX));
            take(&buffer[..length])?;
        }
        Ok(true)
    }

    /// Removes the name `name`; false when there was none. [`Self::sync`] makes that durable.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn unlink(&self, name: &str) -> Result<bool, FileError> {
        match sys::unlinkat(&self.handle, name) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(self.io(name, error)),
        }
    }

    /// Removes the empty folder `name`; false when there was none, or when it is not empty. [`Self::sync`] makes that
    /// durable.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn remove_folder(&self, name: &str) -> Result<bool, FileError> {
        match sys::rmdirat(&self.handle, name) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT | Errno::NOTEMPTY | Errno::EXIST) => Ok(false),
            Err(error) => Err(self.refusal(name, error, FileType::Directory)),
        }
    }

    /// Makes the names in here durable.
    ///
    /// # Errors
    ///
    /// Whatever the disk says. That is final: asking again would succeed, and the names may be lost all the same.
    pub fn sync(&self) -> Result<(), FileError> {
        sys::sync(&self.handle).map_err(|error| self.own(error))
    }

    /// An error of the folder itself.
    fn own(&self, error: Errno) -> FileError {
        FileError::Io { path: self.path.clone(), source: error.into() }
    }

    /// Which kind of error the refusal to open `name` is.
    fn refusal(&self, name: &str, error: Errno, wanted: FileType) -> FileError {
        let path = self.path_of(name);
        match self.kind(name) {
            Ok(Some(FileType::Symlink)) => FileError::Symlink { path },
            Ok(Some(found)) if found != wanted => match wanted {
                FileType::Directory => FileError::NotAFolder { path },
                _ => FileError::NotAFile { path },
            },
            _ => FileError::Io { path, source: error.into() },
        }
    }
}
