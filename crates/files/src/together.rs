//! Several files of the person's own, changed together: all of them, or none.
//!
//! Every new content is written beside its file and forced to the disk before the first file changes. Then they take their
//! places one by one, each by exchanging names with the old file, so that what was there is looked at once more, and goes back
//! if it is not what the change was made from, or if anything after it fails. Links are not followed: a path is given from a
//! folder on, by names. Only one process at a time may do this, or clear away what one that was killed has left ([`sweep`]).

use crate::dir::{Dir, Identity};
use crate::{FileError, sys};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::path::{Path, PathBuf};

/// As any program creates them: the umask has the last word.
const FILE_MODE: Mode = Mode::from_raw_mode(0o666);
const FOLDER_MODE: Mode = Mode::from_raw_mode(0o777);
const PRIVATE_FOLDER: Mode = Mode::from_raw_mode(0o700);

/// Where a file is: below a folder, by names that are no links.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileLocation {
    /// The folder that the names begin in.
    pub root: PathBuf,
    /// The folders on the way, and the file.
    pub names: Vec<String>,
}

impl FileLocation {
    /// The path of the file.
    pub fn path(&self) -> PathBuf {
        self.names.iter().fold(self.root.clone(), |path, name| path.join(name))
    }

    fn split(&self) -> (&str, &[String]) {
        self.names.split_last().map_or(("", &[]), |(name, folders)| (name.as_str(), folders))
    }
}

/// A file as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSnapshot {
    /// Its content.
    pub bytes: Vec<u8>,
    /// Who may do what with it.
    pub mode: Mode,
    identity: Option<Identity>,
}

/// One file, and what becomes of it.
#[derive(Debug, Clone)]
pub struct Edit {
    /// Where it is.
    pub spot: FileLocation,
    /// What the change was made from; `None` where nothing was.
    pub before: Option<FileSnapshot>,
    /// The new content; `None` removes the file.
    pub after: Option<Vec<u8>>,
    /// Whether a new file, and the folders made for it, belong to their owner alone.
    pub is_private: bool,
}

/// Nothing was changed, but for what is named.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct NotApplied {
    /// What went wrong.
    pub error: FileError,
    /// The files that could not be put back.
    pub left: Vec<PathBuf>,
}

/// Reads a file; `None` when there is none. `limit` is in bytes.
///
/// # Errors
///
/// When a link or no regular file has the name, when the file is larger, and whatever the disk says.
pub fn look(spot: &FileLocation, limit: u64) -> Result<Option<FileSnapshot>, FileError> {
    let (name, folders) = spot.split();
    let root = Dir::open(&spot.root)?;
    let Some(dir) = root.folder_at(folders.iter().map(String::as_str))? else { return Ok(None) };
    let identity = dir.identity(name)?;
    let Some((bytes, mode)) = dir.read_with_mode(name, limit)? else { return Ok(None) };
    Ok(Some(FileSnapshot { bytes, mode, identity }))
}

/// Applies all of `edits`, or none. Returns the folders that were created, the outermost first.
///
/// # Errors
///
/// [`FileError::Changed`] when a file is not what its change was made from, else whatever the disk says.
pub fn apply(edits: &[Edit]) -> Result<Vec<PathBuf>, NotApplied> {
    let mut work = EditBatch::default();
    match work.run(edits) {
        Ok(()) => Ok(work.finish()),
        Err(error) => Err(NotApplied { error, left: work.undo() }),
    }
}

/// Whether a process that was killed has left anything beside a file.
pub fn has_leftovers(spot: &FileLocation) -> bool {
    beside(spot).is_ok_and(|found| found.is_some_and(|(_, names)| !names.is_empty()))
}

/// Removes what it has left.
///
/// # Errors
///
/// Whatever the disk says.
pub fn sweep(spot: &FileLocation) -> Result<(), FileError> {
    let Some((dir, names)) = beside(spot)? else { return Ok(()) };
    for name in names {
        dir.unlink(&name)?;
    }
    Ok(())
}

/// The folder of a file, and the names in it that only [`apply`] gives.
fn beside(spot: &FileLocation) -> Result<Option<(Dir, Vec<String>)>, FileError> {
    let (name, folders) = spot.split();
    let Some(dir) = Dir::open(&spot.root)?.folder_at(folders.iter().map(String::as_str))? else {
        return Ok(None);
    };
    let prefix = format!(".{name}.aide-");
    let mut names = dir.names()?;
    names.retain(|left| left.starts_with(&prefix) && left.ends_with(".tmp"));
    Ok(Some((dir, names)))
}

/// Removes the folder at `path`, if it is there and empty.
pub fn remove_empty_folder(path: &Path) {
    if let (Some(parent), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str()))
        && let Ok(dir) = Dir::open(parent)
    {
        // One that is in use stays.
        let _ = dir.remove_folder(name);
    }
}

/// A file that is about to change, or has.
struct EditTarget {
    dir: Dir,
    name: String,
    /// The new content before it is at its place, the old one afterwards.
    aside: String,
    /// Whether anything may have the name `aside`.
    has_aside: bool,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Untouched,
    /// The old file is aside, the new one at its place.
    Exchanged,
    /// There was none.
    Created,
    /// It is aside, and nothing at its place.
    Removed,
}

#[derive(Default)]
struct EditBatch {
    places: Vec<EditTarget>,
    /// With the folder that each is in.
    folders: Vec<(Dir, String)>,
}

impl EditBatch {
    fn run(&mut self, edits: &[Edit]) -> Result<(), FileError> {
        for (number, edit) in edits.iter().enumerate() {
            self.stage(edit, number)?;
        }
        for (index, edit) in edits.iter().enumerate() {
            self.exchange(index, edit)?;
        }
        for place in &self.places {
            place.dir.sync()?;
        }
        Ok(())
    }

    /// Writes the new content beside the file.
    fn stage(&mut self, edit: &Edit, number: usize) -> Result<(), FileError> {
        let (name, folders) = edit.spot.split();
        let dir = self.ensure(&edit.spot.root, folders, edit.is_private)?;
        let aside = format!(".{name}.aide-{number}.tmp");
        dir.unlink(&aside)?;
        let is_changed = dir.identity(name)? != edit.before.as_ref().and_then(|seen| seen.identity);
        if is_changed {
            return Err(FileError::Changed { path: dir.path_of(name) });
        }
        self.places.push(EditTarget {
            dir,
            name: name.to_owned(),
            aside,
            has_aside: edit.after.is_some(),
            state: State::Untouched,
        });
        let Some(place) = self.places.last() else { return Ok(()) };
        match &edit.after {
            Some(bytes) => place.write(bytes, edit),
            None => Ok(()),
        }
    }

    /// Opens a folder, created where it is missing.
    fn ensure(&mut self, root: &Path, names: &[String], is_private: bool) -> Result<Dir, FileError> {
        let mode = if is_private { PRIVATE_FOLDER } else { FOLDER_MODE };
        let mut dir = Dir::open(root)?;
        for name in names {
            dir = match dir.folder(name)? {
                Some(folder) => folder,
                None => {
                    self.folders.push((dir.again()?, name.clone()));
                    dir.ensure_folder_as(name, mode)?
                }
            };
        }
        Ok(dir)
    }

    /// Gives a file its new content, unless it is another one by now.
    fn exchange(&mut self, index: usize, edit: &Edit) -> Result<(), FileError> {
        let Some(place) = self.places.get_mut(index) else { return Ok(()) };
        let changed = FileError::Changed { path: place.dir.path_of(&place.name) };
        match (&edit.before, &edit.after) {
            (None, None) => return Ok(()),
            (None, Some(_)) => {
                place.has_aside = true;
                if !place.create()? {
                    return Err(changed);
                }
                place.state = State::Created;
                return Ok(());
            }
            (Some(_), Some(_)) => {
                place.swap()?;
                place.state = State::Exchanged;
            }
            (Some(_), None) => {
                place.take_away()?;
                place.has_aside = true;
                place.state = State::Removed;
            }
        }
        // What is aside now is what was replaced.
        let limit = u64::MAX - 1;
        let found = place.dir.read_with_mode(&place.aside, limit)?;
        let is_expected =
            edit.before.as_ref().zip(found).is_some_and(|(seen, (bytes, _))| seen.bytes == bytes);
        if is_expected { Ok(()) } else { Err(changed) }
    }

    /// Removes what is of no use any more.
    fn finish(self) -> Vec<PathBuf> {
        for place in &self.places {
            if place.has_aside {
                // Nothing depends on it.
                let _ = place.dir.unlink(&place.aside);
            }
        }
        self.folders.iter().map(|(dir, name)| dir.path_of(name)).collect()
    }

    /// Puts everything back, and returns what could not be.
    fn undo(mut self) -> Vec<PathBuf> {
        let mut left = Vec::new();
        for place in self.places.iter_mut().rev() {
            if place.undo().is_err() {
                left.push(place.dir.path_of(&place.name));
            } else if place.has_aside {
                let _ = place.dir.unlink(&place.aside);
            }
            let _ = place.dir.sync();
        }
        for (dir, name) in self.folders.iter().rev() {
            let _ = dir.remove_folder(name);
        }
        left
    }
}

impl EditTarget {
    fn io(&self, error: Errno) -> FileError {
        self.dir.io(&self.name, error)
    }

    fn write(&self, bytes: &[u8], edit: &Edit) -> Result<(), FileError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = if edit.is_private { crate::OWNER_ONLY } else { FILE_MODE };
        let write = || {
            let file = sys::openat(self.dir.handle(), &self.aside, flags, mode)?;
            if let Some(seen) = &edit.before {
                self.keep_owner(&file)?;
                sys::fchmod(&file, seen.mode & Mode::from_raw_mode(0o777))?;
            }
            sys::write_all(&file, bytes)?;
            sys::sync(&file)
        };
        write().map_err(|error| self.io(error))
    }

    /// Root changes another user's file without taking it over.
    fn keep_owner(&self, file: &File) -> Result<(), Errno> {
        let old = sys::statat(self.dir.handle(), &self.name)?;
        let new = rustix::fs::fstat(file)?;
        if (old.st_uid, old.st_gid) == (new.st_uid, new.st_gid) {
            return Ok(());
        }
        let (user, group) = (rustix::fs::Uid::from_raw(old.st_uid), rustix::fs::Gid::from_raw(old.st_gid));
        match rustix::fs::fchown(file, Some(user), Some(group)) {
            // Another group of the same user's may be out of reach; another user's file is not replaced.
            Err(Errno::PERM) if old.st_uid == new.st_uid => Ok(()),
            result => result,
        }
    }

    /// False when something has the name by now.
    fn create(&self) -> Result<bool, FileError> {
        let dir = self.dir.handle();
        let created = match sys::rename_new(dir, &self.aside, &self.name) {
            Err(Errno::NOSYS | Errno::INVAL | Errno::OPNOTSUPP) => sys::linkat(dir, &self.aside, &self.name),
            result => result,
        };
        match created {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            Err(error) => Err(self.io(error)),
        }
    }

    /// What is aside takes the place of the file, and the file goes aside.
    fn swap(&self) -> Result<(), FileError> {
        let dir = self.dir.handle();
        match sys::exchange(dir, &self.aside, &self.name) {
            Err(Errno::NOSYS | Errno::INVAL | Errno::OPNOTSUPP) => {}
            result => return result.map_err(|error| self.io(error)),
        }
        // Not every file system can exchange names.
        let third = format!(".{}.aide-old.tmp", self.name);
        let steps = || {
            sys::renameat(dir, &self.name, &third)?;
            if let Err(error) = sys::renameat(dir, &self.aside, &self.name) {
                sys::renameat(dir, &third, &self.name)?;
                return Err(error);
            }
            sys::renameat(dir, &third, &self.aside)
        };
        steps().map_err(|error| self.io(error))
    }

    fn take_away(&self) -> Result<(), FileError> {
        sys::renameat(self.dir.handle(), &self.name, &self.aside).map_err(|error| self.io(error))
    }

    fn undo(&mut self) -> Result<(), FileError> {
        match std::mem::replace(&mut self.state, State::Untouched) {
            State::Untouched => {}
            State::Created => {
                self.dir.unlink(&self.name)?;
            }
            State::Exchanged => self.swap()?,
            State::Removed => {
                let moved = sys::renameat(self.dir.handle(), &self.aside, &self.name);
                moved.map_err(|error| self.io(error))?;
                self.has_aside = false;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Edit, FileLocation, FileSnapshot, apply, look};
    use crate::FileError;
    use std::fs;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
    use std::path::Path;
    use tempfile::TempDir;

    fn spot(folder: &Path, path: &str) -> FileLocation {
        FileLocation { root: folder.to_owned(), names: path.split('/').map(str::to_owned).collect() }
    }

    fn edit(folder: &Path, path: &str, after: Option<&str>) -> Edit {
        let spot = spot(folder, path);
        let before = look(&spot, 1000).unwrap();
        Edit { spot, before, after: after.map(|text| text.as_bytes().to_vec()), is_private: false }
    }

    fn tree(folder: &Path) -> Vec<(String, Vec<u8>)> {
        let mut all = Vec::new();
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            if entry.file_type().unwrap().is_dir() {
                all.push((format!("{name}/"), Vec::new()));
                all.extend(
                    tree(&entry.path()).into_iter().map(|(below, bytes)| (format!("{name}/{below}"), bytes)),
                );
            } else {
                all.push((name, fs::read(entry.path()).unwrap()));
            }
        }
        all.sort();
        all
    }

    fn scene() -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "old a").unwrap();
        fs::write(folder.path().join("b"), "old b").unwrap();
        folder
    }

    #[test]
    fn all_are_changed_and_keep_their_modes() {
        let folder = scene();
        let path = folder.path();
        fs::set_permissions(path.join("a"), fs::Permissions::from_mode(0o444)).unwrap();
        let edits =
            [edit(path, "a", Some("new a")), edit(path, "b", None), edit(path, "c/d/e", Some("new e"))];
        assert_eq!(apply(&edits).unwrap(), [path.join("c"), path.join("c/d")]);
        let names: Vec<_> =
            tree(path).into_iter().map(|(name, bytes)| (name, String::from_utf8(bytes).unwrap())).collect();
        let expected = [("a", "new a"), ("c/", ""), ("c/d/", ""), ("c/d/e", "new e")];
        assert_eq!(names, expected.map(|(name, text)| (name.to_owned(), text.to_owned())));
        assert_eq!(fs::metadata(path.join("a")).unwrap().mode() & 0o777, 0o444);
    }

    #[test]
    fn one_that_has_changed_meanwhile_leaves_all_as_they_were() {
        for path_of_change in ["a", "b", "c/d"] {
            let folder = scene();
            let path = folder.path();
            let edits = [edit(path, "a", Some("new")), edit(path, "b", None), edit(path, "c/d", Some("new"))];
            fs::create_dir(path.join("c")).unwrap();
            fs::write(path.join(path_of_change), "another program's").unwrap();
            let before = tree(path);
            let refused = apply(&edits).unwrap_err();
            assert!(
                matches!(&refused.error, FileError::Changed { path: found } if *found == path.join(path_of_change))
            );
            assert!(refused.left.is_empty());
            assert_eq!(tree(path), before);
        }
    }

    /// Written to in place, between the last look and the exchange: time and inode may be those that were seen.
    #[test]
    fn the_content_that_is_replaced_is_looked_at_once_more() {
        let folder = scene();
        let path = folder.path();
        let mut edits = [edit(path, "a", Some("new")), edit(path, "b", Some("new"))];
        let seen = edits[1].before.as_mut().unwrap();
        *seen = FileSnapshot { bytes: b"what it never was".to_vec(), ..seen.clone() };
        let before = tree(path);
        assert!(matches!(apply(&edits).unwrap_err().error, FileError::Changed { .. }));
        assert_eq!(tree(path), before);
    }

    #[test]
    fn links_are_not_followed() {
        let folder = scene();
        let outside = scene();
        symlink(outside.path().join("a"), folder.path().join("link")).unwrap();
        symlink(outside.path(), folder.path().join("way")).unwrap();
        assert!(matches!(look(&spot(folder.path(), "link"), 100), Err(FileError::Symlink { .. })));
        assert!(matches!(look(&spot(folder.path(), "way/a"), 100), Err(FileError::Symlink { .. })));
    }

    #[test]
    fn a_private_file_belongs_to_its_owner_alone() {
        let folder = scene();
        let edits = [Edit { is_private: true, ..edit(folder.path(), "c/d", Some("new")) }];
        apply(&edits).unwrap();
        let mode = |path: &str| fs::metadata(folder.path().join(path)).unwrap().mode() & 0o777;
        assert_eq!((mode("c"), mode("c/d")), (0o700, 0o600));
    }
}
