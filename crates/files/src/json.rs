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
    limited(dir, name, bytes, limit)
}

/// Returns `bytes`, which the file `name` in `dir` is to have, if they are at most `limit`.
///
/// # Errors
///
/// [`FileError::TooLarge`] when they are more.
pub fn limited(dir: &Dir, name: &str, bytes: Vec<u8>, limit: u64) -> Result<Vec<u8>, FileError> {
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
/// [`FileError::Conflict`] when a merge has left two versions there, [`FileError::Corrupt`] when they are something else.
pub fn parse<'de, T: Deserialize<'de>>(name: &str, bytes: &'de [u8]) -> Result<T, FileError> {
    serde_json::from_slice(bytes).map_err(|error| unreadable(name, bytes, &error))
}

/// That `bytes` of the file `name` are not what they should be: in conflict, or in the words of the parser.
pub fn unreadable(file: &str, bytes: &[u8], error: &serde_json::Error) -> FileError {
    if is_conflict(bytes) { FileError::Conflict { file: file.to_owned() } } else { corrupt(file, error) }
}

/// Whether a merge has left its marks in a text.
pub fn is_conflict(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n');
    let marks = [&b"<<<<<<< "[..], b"=======", b">>>>>>> "];
    marks.iter().all(|mark| lines.any(|line| line.starts_with(mark)))
}

/// That the file `name` is not what it should be, in the words of the parser.
pub fn corrupt(file: &str, error: &serde_json::Error) -> FileError {
    FileError::Corrupt { file: file.to_owned(), message: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::is_conflict;

    #[test]
    fn only_all_three_marks_in_order_are_a_conflict() {
        let both = "{\n<<<<<<< HEAD\n  \"a\": 1\n=======\n  \"a\": 2\n>>>>>>> other\n}\n";
        assert!(is_conflict(both.as_bytes()));
        // As `merge.conflictStyle = diff3` and Windows write them.
        assert!(is_conflict(b"<<<<<<< a\r\n1\r\n||||||| b\r\n0\r\n=======\r\n2\r\n>>>>>>> c\r\n"));
        for text in ["", "{", "=======\n<<<<<<< a\n>>>>>>> b\n", "{\"a\": \"<<<<<<< HEAD\"}\n=======\n"] {
            assert!(!is_conflict(text.as_bytes()), "{text}");
        }
    }
}
