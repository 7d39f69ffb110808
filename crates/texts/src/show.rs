//! How a value that was found appears within a sentence: on one line, and short.

use model::{ItemKind, Path};

/// Longer values are cut here; a sentence must stay readable.
const MAX_CHARS: usize = 60;

/// Compact JSON, shortened.
pub(crate) fn json(value: &str) -> String {
    shorten(value.chars())
}

/// A text without quotes around it.
pub(crate) fn plain(text: &str) -> String {
    shorten(text.chars().flat_map(|c| escaped(c, false)))
}

/// A text in quotes.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", shorten(text.chars().flat_map(|c| escaped(c, true))))
}

/// `1, 2, 3`, shortened to the first ids of many.
pub(crate) fn ids(ids: &[u64]) -> String {
    const MOST_IDS: usize = 50;
    let mut text: Vec<_> = ids.iter().take(MOST_IDS).map(u64::to_string).collect();
    if ids.len() > MOST_IDS {
        text.push("…".to_owned());
    }
    text.join(", ")
}

/// `"choice", "text"` and so on, with this between them.
pub(crate) fn kinds(separator: &str) -> String {
    ItemKind::ALL.map(|kind| format!("\"{}\"", kind.name())).join(separator)
}

/// `1` or `1-3`.
pub(crate) fn range(least: usize, most: usize) -> String {
    if least == most { least.to_string() } else { format!("{least}-{most}") }
}

/// A member of the object at `path`, with an arbitrary name.
pub(crate) fn member(path: &Path, name: &str) -> String {
    let path = path.to_string();
    let dot = if path.is_empty() { "" } else { "." };
    format!("{path}{dot}{}", plain(name))
}

/// A value must not end the line it stands in, nor the quotes around it.
fn escaped(c: char, in_quotes: bool) -> impl Iterator<Item = char> {
    let escape = c.is_control() || in_quotes && matches!(c, '"' | '\\');
    let both = (escape.then(|| c.escape_default()), (!escape).then_some(c));
    both.0.into_iter().flatten().chain(both.1)
}

fn shorten(mut chars: impl Iterator<Item = char>) -> String {
    let mut text: String = chars.by_ref().take(MAX_CHARS).collect();
    if chars.next().is_some() {
        text.pop();
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{ids, json, plain, quoted};

    #[test]
    fn values_are_short_and_on_one_line() {
        assert_eq!(json("[1,2]"), "[1,2]");
        assert_eq!(json(&"长".repeat(60)), "长".repeat(60));
        assert_eq!(json(&"长".repeat(61)), format!("{}…", "长".repeat(59)));
        assert_eq!(plain("a \"b\"\nc\u{1b}"), "a \"b\"\\nc\\u{1b}");
        assert_eq!(quoted("a \"b\\\"\n"), r#""a \"b\\\"\n""#);
        assert_eq!(ids(&[1, 2]), "1, 2");
        assert!(ids(&Vec::from_iter(1..=51)).ends_with("49, 50, …"));
    }
}
