//! A file is copied whole or not at all, however large it is, and what was copied is what was meant.

use crate::hash::Hasher;
use files::{Dir, FileError, FileType, Lock, Part, part};
use protocol::agent::Sha256;
use std::sync::Arc;

/// Copies the file `name` of `from`, which has this hash, to the file `to` of `into`; nothing to do where that is the same.
///
/// # Errors
///
/// When the file has changed, when something else than a regular file has one of the names, and when the disk refuses.
pub(crate) fn copy(
    lock: &Lock,
    (from, name): (&Dir, &str),
    (into, to): (&Arc<Dir>, &str),
    expected: &Sha256,
) -> Result<(), FileError> {
    match into.kind(to)? {
        Some(FileType::RegularFile) => {
            let there = crate::hash::of_file(into, to)?;
            if there.is_some_and(|(there, _)| there == *expected) {
                return into.sync();
            }
        }
        None => {}
        Some(FileType::Symlink) => return Err(FileError::Symlink { path: into.path_of(to) }),
        Some(_) => return Err(FileError::NotAFile { path: into.path_of(to) }),
    }
    for left in into.names()?.iter().filter(|name| part::is_part(name)) {
        part::remove_dead(lock, into, left)?;
    }
    let mut copied = Part::create(lock, Arc::clone(into), |_| false)?;
    let mut hasher = Hasher::default();
    let size = from.read_in_pieces(name, u64::MAX, |piece| {
        hasher.add(piece);
        copied.write(piece)
    })?;
    if size.is_none() || hasher.end() != *expected {
        // It was changed since it was looked at.
        return Err(FileError::Corrupt {
            file: name.to_owned(),
            message: "changed while it was copied".to_owned(),
        });
    }
    copied.sync()?;
    part::rename(lock, into, copied.name(), to)?;
    copied.keep(lock);
    into.sync()
}
