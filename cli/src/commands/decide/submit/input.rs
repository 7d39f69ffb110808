//! Where the questions come from: the argument itself, standard input, or a file.

use crate::command_line::is_json;
use crate::context::Context;
use crate::failure::Failure;
use crate::input_file::{is_folder, limited, names_nothing, shortened, unreadable};
use crate::messages::Message;
use model::{InputError, Questions, Slip};
use std::ffi::OsStr;
use std::fs::File;
use std::io;

/// Maximum number of reported slips; a slip made once is made in every question.
const MAX_SLIPS: usize = 10;

/// Reads and checks the questions that `argument` gives or names.
pub(crate) fn questions(argument: &OsStr) -> Result<Questions, Failure> {
    let (bytes, file) = if is_json(argument) {
        (argument.as_encoded_bytes().to_vec(), None)
    } else if argument == "-" {
        (limited(io::stdin().lock(), argument, Message::SendLess)?, None)
    } else {
        match File::open(argument) {
            Ok(file) => (read_file(file, argument)?, Some(argument)),
            Err(error) if names_nothing(&error) => return no_such_file(argument),
            Err(error) => return Err(unreadable(argument, error)),
        }
    };
    Questions::parse(&bytes).map_err(|error| refused(error, &bytes, file))
}

/// Warns of members that are almost known ones: they are kept, and mean nothing.
pub(crate) fn warn_of_slips(context: &Context, questions: &Questions) {
    for message in told_slips(questions.slips()) {
        context.output.warning(&message);
    }
}

/// Warns of a deadline among the questions, which has no effect there.
pub(super) fn warn_of_deadline(context: &Context, questions: &Questions) {
    if let Some(deadline) = questions.document().get("deadline") {
        let when = deadline.as_str().map_or_else(|| deadline.to_string(), str::to_owned);
        context.output.warning_with(&Message::DeadlineIgnored, &Message::UseDeadlineFlag { when });
    }
}

/// What is wrong with the questions, in which file, and the slips that may be the reason.
fn refused(error: InputError, bytes: &[u8], file: Option<&OsStr>) -> Failure {
    let slips = match error {
        InputError::Syntax(_) => Vec::new(),
        InputError::Invalid(_) => model::slips(bytes),
    };
    let mut failure = Failure::from(error);
    failure.lines.extend(file.map(|file| Message::InFile { path: shortened(file) }));
    failure.lines.extend(told_slips(slips));
    failure
}

fn told_slips(mut slips: Vec<Slip>) -> Vec<Message> {
    let left_out = slips.len().saturating_sub(MAX_SLIPS);
    slips.truncate(MAX_SLIPS);
    let further = (left_out > 0).then_some(Message::SlipsLeftOut { count: left_out });
    slips.into_iter().map(|slip| Message::Slip { slip }).chain(further).collect()
}

fn read_file(file: File, argument: &OsStr) -> Result<Vec<u8>, Failure> {
    if is_folder(&file) {
        let what = Message::IsFolder { path: shortened(argument) };
        return Err(Failure::new(what, Message::GiveFile));
    }
    limited(file, argument, Message::SendLess)
}

/// A path that names nothing, or a text that is no JSON, which the parser explains.
fn no_such_file(argument: &OsStr) -> Result<Questions, Failure> {
    if looks_like_path(argument) {
        return Err(Failure::new(Message::NoSuchFile { path: shortened(argument) }, Message::CheckPath));
    }
    // `null` is valid JSON, and no object.
    Questions::parse(argument.as_encoded_bytes()).map_err(InputError::into)
}

fn looks_like_path(argument: &OsStr) -> bool {
    let text = argument.to_string_lossy();
    if text.contains('\n') || text.trim_start().starts_with(['[', '"']) {
        return false;
    }
    let extension = text.rsplit_once('.').map_or("", |(_, extension)| extension);
    let has_extension = extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.len() <= 8
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    // One word is the name of a file without its extension, unless JSON has the same word.
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        && !["null", "true", "false"].contains(&&*text);
    text.contains(['/', '\\']) || has_extension || is_word
}

#[cfg(test)]
mod tests {
    use super::looks_like_path;
    use std::ffi::OsStr;

    #[test]
    fn paths_and_texts() {
        for path in [
            "a.json",
            "./x",
            "a/b",
            "C:\\x",
            "items.JSON",
            ".json",
            "中文.txt",
            "questions",
            "my-questions_2",
        ] {
            assert!(looks_like_path(OsStr::new(path)), "{path:?}");
        }
        for text in [
            "invalid json",
            "",
            "null",
            "true",
            "1.5",
            "2",
            "a.",
            "[\"a/b\"]",
            "\"a.json\"",
            "x\n/y",
            "end. Next",
        ] {
            assert!(!looks_like_path(OsStr::new(text)), "{text:?}");
        }
    }
}
