//! Reads JSON as models write it, and finds where it ends too early.

use serde_json::{Map, Value};

/// What begins at a brace.
#[derive(Debug, PartialEq)]
pub(super) enum Object {
    /// An object, and how many bytes of the text it takes.
    Whole(Map<String, Value>, usize),
    /// An object without its end.
    Unfinished,
    /// None.
    Other,
}

/// Reads what `text` begins with: JSON, but for commas before a closing bracket.
pub(super) fn object(text: &str) -> Object {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    match stream.next() {
        Some(Ok(Value::Object(object))) => return Object::Whole(object, stream.byte_offset()),
        Some(Err(error)) if error.is_eof() && begins_with_a_name(text) => return Object::Unfinished,
        Some(Ok(_)) | None => return Object::Other,
        Some(Err(_)) => {}
    }
    if !begins_with_a_name(text) {
        return Object::Other;
    }
    let Some(length) = length_of(text) else { return Object::Other };
    match serde_json::from_str(&without_commas(&text[..length])) {
        Ok(Value::Object(object)) => Object::Whole(object, length),
        _ => Object::Other,
    }
}

/// Whether a code fence is opened and not closed, however fences within fences are read.
pub(super) fn ends_in_a_fence(text: &str) -> bool {
    let fences = text.lines().filter_map(|line| {
        let line = line.trim_start();
        let length = line.len() - line.trim_start_matches('`').len();
        (length >= 3).then(|| (length, !line[length..].trim().is_empty()))
    });
    // As Markdown has it, and as models nest them.
    let (mut open, mut nested) = (None, Vec::new());
    for (length, has_language) in fences {
        open = match open {
            None => Some(length),
            Some(outer) if !has_language && length >= outer => None,
            open => open,
        };
        match nested.last() {
            Some(inner) if !has_language && length >= *inner => drop(nested.pop()),
            _ => nested.push(length),
        }
    }
    open.is_some() && !nested.is_empty()
}

/// Prose has braces as well.
fn begins_with_a_name(text: &str) -> bool {
    text.strip_prefix('{').is_some_and(|inside| inside.trim_start().starts_with('"'))
}

/// How long the text is up to the bracket that closes its first.
fn length_of(text: &str) -> Option<usize> {
    let (mut depth, mut is_string, mut is_escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            b'{' | b'[' if !is_string => depth += 1,
            b'}' | b']' if !is_string => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The text without commas that stand before a closing bracket.
fn without_commas(text: &str) -> String {
    let (mut out, mut is_string, mut is_escaped) = (String::with_capacity(text.len()), false, false);
    for c in text.chars() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_string => is_escaped = true,
            '"' => is_string = !is_string,
            '}' | ']' if !is_string => {
                out.truncate(out.trim_end().len());
                if out.ends_with(',') {
                    out.pop();
                }
            }
            _ => {}
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Object, ends_in_a_fence, object};
    use serde_json::{Value, json};

    fn whole(value: &Value, length: usize) -> Object {
        Object::Whole(value.as_object().unwrap().clone(), length)
    }

    #[test]
    fn an_object_is_whole_or_its_end_is_missing_or_it_is_none() {
        assert_eq!(object("{\"a\":1} and more"), whole(&json!({"a": 1}), 7));
        let commas = "{\"a\": [1, {\"b\": \"x,}\",},\n],\n}";
        assert_eq!(object(commas), whole(&json!({"a": [1, {"b": "x,}"}]}), commas.len()));
        for unfinished in ["{\"a\":", "{ \"a\": {\"b\": 1}", "{\"a\": \"b", "{\"a"] {
            assert_eq!(object(unfinished), Object::Unfinished, "{unfinished}");
        }
        for other in ["{", "{project} and \"x\"", "{\"a\" so", "{not json", "[1]", ""] {
            assert_eq!(object(other), Object::Other, "{other}");
        }
    }

    #[test]
    fn a_fence_that_is_not_closed_is_found() {
        for open in ["```sh\nls", "a\n```\nb\n```\n```json\n{", "````md\n```\nx\n```\n"] {
            assert!(ends_in_a_fence(open), "{open}");
        }
        for closed in [
            "",
            "```sh\nls\n```",
            "````md\n```sh\nls\n```\n````",
            "```md\n```sh\nls\n```\n```",
            "a ```b``` c",
            "```\na\n```\n\n```\nb\n```\n",
        ] {
            assert!(!ends_in_a_fence(closed), "{closed}");
        }
    }
}
