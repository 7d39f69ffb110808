//! `.aide/format.json`: which format the files of a project have, so that an older program leaves alone what it does not know.

use crate::StoreError;
use crate::layout::AIDE;
use files::{Dir, FileError, FileFormat, Lock, durable, json};

/// The name of the file.
pub(crate) const FILE: &str = "format.json";
/// How large the file may be, in bytes. A later program may say more in it.
const LIMIT: u64 = 64 << 10;
/// The format that this program writes, and the latest that it reads. A project without the file has the first.
const FORMAT: FileFormat = FileFormat::FIRST;

/// Opens the `.aide/` of the project `root`. Nothing is changed in one that a later program has written.
pub(crate) fn open(root: &Dir) -> Result<Dir, StoreError> {
    let aide = root.folder(AIDE)?.ok_or_else(|| StoreError::NoAideFolder { path: root.path_of(AIDE) })?;
    check(&aide)?;
    Ok(aide.ours()?)
}

/// That this program knows the format of the files in `aide`.
pub(crate) fn check(aide: &Dir) -> Result<(), StoreError> {
    let Some(bytes) = aide.read(FILE, LIMIT)? else { return Ok(()) };
    FORMAT.known(aide.path(), json::parse(FILE, &bytes)?)?;
    Ok(())
}

/// Notes the format of a new project.
pub(crate) fn note(lock: &Lock, aide: &Dir) -> Result<(), FileError> {
    durable::publish_once(lock, aide, FILE, &json::text(aide, FILE, &FORMAT.object([]), LIMIT)?)?;
    Ok(())
}
