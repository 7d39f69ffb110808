//! What others say, made short.

use crate::terminal::shown;
use serde_json::Value;

/// How much of a text is quoted, in characters.
const MAX_WORDS: usize = 300;

/// The beginning of a text on one line, without control characters.
pub(crate) fn one_line(text: &str) -> String {
    // Text that is not shown need not be looked at.
    let mut line = String::new();
    let mut length = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        let space = if length > 0 { " " } else { "" };
        for c in space.chars().chain(word.chars()) {
            if length >= MAX_WORDS {
                line.push('…');
                return line;
            }
            line.push(c);
            length += 1;
        }
    }
    line
}

/// The end of what a program says: its last lines, on one line.
pub(crate) fn last_line(bytes: &[u8]) -> String {
    let text = shown(&String::from_utf8_lossy(bytes));
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    one_line(&lines.get(lines.len().saturating_sub(3)..).unwrap_or_default().join(" "))
}

/// What a program says of its failure: its last line that is called an error, and what follows it unless that is a reminder of
/// how it is used; its last lines, where none is called so.
pub(crate) fn last_words(bytes: &[u8]) -> String {
    const ERRORS: &[&str] = &["error:", "error ", "fatal:", "fatal error", "[error]", "panic"];
    const USAGE: &[&str] = &["usage:", "for more information", "tip:", "run with --help"];
    let begins = |line: &str, starts: &[&str]| {
        let line = line.trim_start().to_ascii_lowercase();
        starts.iter().any(|start| line.starts_with(start))
    };
    let text = String::from_utf8_lossy(bytes);
    let text = shown(&text);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let Some(error) = lines.iter().rposition(|line| begins(line, ERRORS)) else { return last_line(bytes) };
    let usage = lines.iter().skip(error).position(|line| begins(line, USAGE));
    let end = usage.map_or(lines.len(), |usage| error + usage);
    one_line(&lines.get(error..end.min(error + 4)).unwrap_or_default().join(" "))
}

/// What happened, and what others have said of it, which comes last.
pub(crate) fn with_words(what: &str, said: &str) -> String {
    if said.is_empty() { what.to_owned() } else { format!("{what}: {said}") }
}

/// The sentence in an error, in whichever of the usual forms it comes.
pub(crate) fn error_message(error: &Value) -> Option<String> {
    let text = match error {
        Value::String(text) => text.as_str(),
        Value::Object(error) => {
            let told = ["message", "error", "detail", "msg"].iter().find_map(|name| error.get(*name));
            return match told? {
                Value::Null => None,
                Value::String(text) => Some(quoted_message(text).unwrap_or_else(|| one_line(text))),
                Value::Object(inner) => error_message(&Value::Object(inner.clone()))
                    .or_else(|| Some(one_line(&Value::Object(inner.clone()).to_string()))),
                other => Some(one_line(&other.to_string())),
            };
        }
        _ => return None,
    };
    Some(one_line(text))
}

/// The sentence in an error that stands as JSON in a text of another one.
fn quoted_message(text: &str) -> Option<String> {
    let text = text.trim();
    let quoted = text.starts_with('{').then(|| serde_json::from_str(text).ok()).flatten()?;
    error_message(&quoted)
}

#[cfg(test)]
mod tests {
    use super::{MAX_WORDS, error_message, last_line, last_words, one_line};

    #[test]
    fn words_are_one_short_line() {
        assert_eq!(one_line(" a\r\n\tb \u{1b}[31mred\u{7} "), "a b [31mred");
        assert_eq!(one_line(&"界".repeat(MAX_WORDS)), "界".repeat(MAX_WORDS));
        assert_eq!(one_line(&"界".repeat(MAX_WORDS + 1)), "界".repeat(MAX_WORDS) + "…");
        // Nor does the space between two words come on top.
        assert_eq!(one_line(&("界".repeat(MAX_WORDS) + " x")), "界".repeat(MAX_WORDS) + "…");
        assert_eq!(last_line(b"1\n2\n\n3\n4\xff\n\n"), "2 3 4\u{fffd}");
        assert_eq!(last_line(b""), "");
        assert_eq!(last_line(b"\x1b[31mnot in a trusted directory\x1b[0m\n"), "not in a trusted directory");
        let usage = "error: unexpected argument '--x' found\n\n  tip: a similar one exists\n\nUsage: codex exec [OPTIONS]\n\n\
                     For more information, try '--help'.\n";
        assert_eq!(last_words(usage.as_bytes()), "error: unexpected argument '--x' found");
        assert_eq!(
            last_words(b"Loading\n\x1b[31mError:\x1b[0m no model\n  at main\n"),
            "Error: no model at main"
        );
        assert_eq!(last_words(b"1\n2\n3\n4\n"), "2 3 4");
    }

    #[test]
    fn errors_are_told_in_many_forms() {
        for (error, message) in [
            (r#"{"error":{"message":"too\nmany","type":"x"}}"#, Some("too many")),
            (r#"{"error":"too many"}"#, Some("too many")),
            (r#"{"message":"too many"}"#, Some("too many")),
            (r#"{"detail":[{"loc":["body"],"msg":"no"}]}"#, Some(r#"[{"loc":["body"],"msg":"no"}]"#)),
            (r#"{"message":"{\"error\":{\"code\":401,\"message\":\"bad key\"}}"}"#, Some("bad key")),
            (r#"{"message":"{not JSON"}"#, Some("{not JSON")),
            (r#"{"error":{"code":5}}"#, Some(r#"{"code":5}"#)),
            (r#"{"error":null}"#, None),
            (r#"{"ok":1}"#, None),
            ("[1]", None),
        ] {
            let found = serde_json::from_str(error).ok().and_then(|error| error_message(&error));
            assert_eq!(found.as_deref(), message, "{error}");
        }
    }
}
