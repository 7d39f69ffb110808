//! JSON as it stands in files: UTF-8, two spaces, `\n` at the end.

use crate::StoreError;
use crate::dir::Dir;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// How large a JSON file may be when it is read, in bytes.
pub(crate) const READ_LIMIT: u64 = 64 << 20;

/// The text of the file `name` in `dir`, at most `limit` bytes.
pub(crate) fn write(
    dir: &Dir,
    name: &str,
    value: &impl Serialize,
    limit: u64,
) -> Result<Vec<u8>, StoreError> {
    let mut bytes = serde_json::to_vec_pretty(value).map_err(|error| corrupt(name, &error))?;
    bytes.push(b'\n');
    if u64::try_from(bytes.len()).is_ok_and(|length| length <= limit) {
        Ok(bytes)
    } else {
        Err(StoreError::TooLarge { path: dir.path_of(name), limit })
    }
}

/// The value in the file `name`; `None` when there is no such file.
pub(crate) fn read<T: DeserializeOwned>(dir: &Dir, name: &str) -> Result<Option<T>, StoreError> {
    let Some(bytes) = read_bytes(dir, name)? else { return Ok(None) };
    serde_json::from_slice(&bytes).map(Some).map_err(|error| corrupt(name, &error))
}

/// The text of the file `name`; `None` when there is no such file.
pub(crate) fn read_bytes(dir: &Dir, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
    dir.read(name, READ_LIMIT)
}

pub(crate) fn corrupt(file: &str, error: &serde_json::Error) -> StoreError {
    StoreError::Corrupt { file: file.to_owned(), message: error.to_string() }
}
