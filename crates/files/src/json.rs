//! JSON as it stands in files: UTF-8, two spaces, `\n` at the end.

use crate::FileError;
use crate::dir::Dir;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// How large a JSON file may be when it is read, in bytes.
pub const MAX_JSON: u64 = 64 << 20;

/// Returns the text that the file `name` in `dir` is to have, at most `limit` bytes. Writes nothing.
///
/// # Errors
///
/// [`FileError::TooLarge`] when it is longer.
pub fn text(dir: &Dir, name: &str, value: &impl Serialize, limit: u64) -> Result<Vec<u8>, FileError> {
    let mut bytes = serde_json::to_vec_pretty(value).map_err(|error| corrupt(name, &error))?;
    bytes.push(b'\n');
    if u64::try_from(bytes.len()).is_ok_and(|length| length <= limit) {
        Ok(bytes)
    } else {
        Err(FileError::TooLarge { path: dir.path_of(name), limit })
    }
}

/// The value in the file `name`, of at most [`MAX_JSON`] bytes; `None` when there is no such file.
///
/// # Errors
///
/// [`FileError::Corrupt`] when it is something else, and as [`Dir::read`].
pub fn read<T: DeserializeOwned>(dir: &Dir, name: &str) -> Result<Option<T>, FileError> {
    let Some(bytes) = read_bytes(dir, name)? else { return Ok(None) };
    parse(name, &bytes).map(Some)
}

/// The text of the file `name`, of at most [`MAX_JSON`] bytes; `None` when there is no such file.
///
/// # Errors
///
/// As [`Dir::read`].
pub fn read_bytes(dir: &Dir, name: &str) -> Result<Option<Vec<u8>>, FileError> {
    dir.read(name, MAX_JSON)
}

/// The value that `bytes` of the file `name` are.
///
/// # Errors
///
/// [`FileError::Corrupt`] when they are something else.
pub fn parse<'de, T: Deserialize<'de>>(name: &str, bytes: &'de [u8]) -> Result<T, FileError> {
    serde_json::from_slice(bytes).map_err(|error| corrupt(name, &error))
}

/// That the file `name` is not what it should be, in the words of the parser.
pub fn corrupt(file: &str, error: &serde_json::Error) -> FileError {
    FileError::Corrupt { file: file.to_owned(), message: error.to_string() }
}
