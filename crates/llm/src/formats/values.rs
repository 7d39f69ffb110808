//! The JSON among the lines that a program prints.

use crate::{Answer, BadAnswer};
use serde_json::{Deserializer, Value};

/// How often a value over several lines is looked for in vain.
const MAX_ATTEMPTS: u32 = 8;

/// Hands over each JSON object and array that begins a line, one per line or one over several, and returns the lines that
/// are none of that.
pub(super) fn each(raw: &[u8], mut take: impl FnMut(Value)) -> Vec<String> {
    let mut notes = Vec::new();
    let mut attempts = 0;
    let mut rest = raw.strip_prefix("\u{feff}".as_bytes()).unwrap_or(raw);
    while !rest.is_empty() {
        let (line, after) = split_line(rest);
        let trimmed = line.trim_ascii();
        let begins = matches!(trimmed.first(), Some(b'{' | b'['));
        match begins.then(|| serde_json::from_slice(trimmed)) {
            Some(Ok(value)) => take(value),
            Some(Err(error)) if error.is_eof() && attempts < MAX_ATTEMPTS => {
                attempts += 1;
                let mut values = Deserializer::from_slice(rest).into_iter();
                if let Some(Ok(value)) = values.next() {
                    take(value);
                    let (_, behind) = rest.split_at_checked(values.byte_offset()).unwrap_or((rest, b""));
                    let (left, next) = split_line(behind);
                    Answer::note(&mut notes, left);
                    rest = next;
                    continue;
                }
                Answer::note(&mut notes, line);
            }
            Some(Err(_)) | None => Answer::note(&mut notes, line),
        }
        rest = after;
    }
    notes
}

/// The first line without its end, and what comes after it.
fn split_line(text: &[u8]) -> (&[u8], &[u8]) {
    match text.iter().position(|byte| *byte == b'\n') {
        Some(end) => (text.get(..end).unwrap_or_default(), text.get(end + 1..).unwrap_or_default()),
        None => (text, b""),
    }
}

/// Why there is no result, when none was found in `raw`.
pub(super) fn no_result(raw: &[u8], notes: &[String]) -> BadAnswer {
    match std::str::from_utf8(raw) {
        Err(error) => BadAnswer::NotUtf8 { at: error.valid_up_to() },
        Ok(_) => BadAnswer::NoResult { said: notes.last().cloned().unwrap_or_default() },
    }
}

#[cfg(test)]
mod tests {
    use super::each;

    fn values(text: &str) -> (Vec<String>, Vec<String>) {
        let mut values = Vec::new();
        let notes = each(text.as_bytes(), |value| values.push(value.to_string()));
        (values, notes)
    }

    #[test]
    fn values_are_found_among_other_lines() {
        for (text, found, notes) in [
            ("{\"a\":1}\r\n[2]\n", &["{\"a\":1}", "[2]"][..], &[][..]),
            ("hello\n {\"a\":\n [1,\n 2]}\nbye\n{}", &["{\"a\":[1,2]}", "{}"], &["hello", "bye"]),
            ("{\"a\":\n1} tail\n{}", &["{\"a\":1}", "{}"], &["tail"]),
            ("{\"a\":1\n{}\n3\n\"x\"\n", &["{}"], &["{\"a\":1", "3", "\"x\""]),
            ("", &[], &[]),
            ("{", &[], &["{"]),
            ("\u{feff}{\"a\":1}\n", &["{\"a\":1}"], &[]),
        ] {
            let (values, others) = values(text);
            assert_eq!(
                (&values[..], &others[..]),
                (
                    &found.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>()[..],
                    &notes.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>()[..]
                ),
                "{text}"
            );
        }
    }

    #[test]
    fn a_long_line_hides_nothing_behind_it() {
        let long = "x".repeat(2 << 20);
        let (found, _) = values(&format!("{long}\n{{\"a\":\"{long}\"}}\n[1]\n"));
        assert_eq!((found.len(), found[0].len(), &*found[1]), (2, long.len() + 8, "[1]"));
    }

    #[test]
    fn what_never_ends_is_given_up_soon() {
        let text = "[{},\n".repeat(400_000);
        assert!(!each(text.as_bytes(), drop).is_empty());
    }
}
