//! Documents that a command is given: a file or standard input, up to a limit.

use crate::failure::Failure;
use crate::messages::Message;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind, Read};

const LIMIT_MIB: usize = 16;
const LIMIT: usize = LIMIT_MIB << 20;

/// Everything in the file that `argument` names; `-` is standard input.
pub(crate) fn read(argument: &OsStr) -> Result<Vec<u8>, Failure> {
    if argument == "-" {
        return limited(io::stdin().lock(), argument, None);
    }
    match File::open(argument) {
        Ok(file) if is_folder(&file) => {
            Err(Failure::new(Message::IsFolder { path: shortened(argument) }, Message::NameFile))
        }
        Ok(file) => limited(file, argument, None),
        Err(error) if names_nothing(&error) => {
            Err(Failure::new(Message::NoSuchFile { path: shortened(argument) }, Message::NameFile))
        }
        Err(error) => Err(unreadable(argument, error)),
    }
}

pub(crate) fn is_folder(file: &File) -> bool {
    file.metadata().is_ok_and(|found| found.is_dir())
}

/// Everything there is, up to the limit; `hint` is what to do about more. Neither a pipe nor a device says beforehand how much
/// that is.
pub(crate) fn limited(
    source: impl Read,
    argument: &OsStr,
    hint: impl Into<Option<Message>>,
) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let one_more = u64::try_from(LIMIT).unwrap_or(u64::MAX).saturating_add(1);
    source.take(one_more).read_to_end(&mut bytes).map_err(|error| unreadable(argument, error))?;
    if bytes.len() > LIMIT {
        return Err(Failure::new(Message::TooLarge { limit_mib: LIMIT_MIB }, hint));
    }
    Ok(bytes)
}

/// That a file cannot be read.
pub(crate) fn unreadable(argument: &OsStr, error: io::Error) -> Failure {
    Failure::new(Message::Unreadable { path: shortened(argument), error }, Message::CheckPermissions)
}

/// Whether there is no file of that name.
pub(crate) fn names_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename)
}

/// A path as a person gave it, short enough for one line.
pub(crate) fn shortened(argument: &OsStr) -> String {
    const MAX_CHARS: usize = 200;
    let text = argument.to_string_lossy();
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::shortened;
    use std::ffi::OsStr;

    #[test]
    fn long_paths_are_shortened() {
        assert_eq!(shortened(OsStr::new("a/b")), "a/b");
        assert_eq!(shortened(OsStr::new(&"路".repeat(500))), format!("{}…", "路".repeat(200)));
    }
}
