//! Text from elsewhere, made safe to print.
//!
//! A terminal obeys control characters, and directional marks make a line read differently from what it says. Both
//! could come in with an agent's questions, a file name or a record.

use std::borrow::Cow;
use std::fmt::Write as _;

/// `text` with every character that a terminal would obey, or that reorders what is read, written as `\u{…}`. Line
/// feed and tab stay.
pub fn terminal_safe(text: &str) -> Cow<'_, str> {
    escape(
        text,
        |c| is_control(c) && !matches!(c, '\n' | '\t') || is_deceptive(c),
        |out, c| write!(out, "\\u{{{:x}}}", u32::from(c)),
    )
}

/// Compact JSON with the same characters escaped as JSON escapes them: the value stays what it is. C0 needs nothing,
/// a JSON writer has escaped it already.
pub fn json_safe(json: &str) -> Cow<'_, str> {
    // All of these lie in the Basic Multilingual Plane, so one escape is enough. None has a meaning in JSON, so
    // each stands inside a string.
    escape(
        json,
        |c| is_control(c) && c >= '\u{7f}' || is_deceptive(c),
        |out, c| write!(out, "\\u{:04x}", u32::from(c)),
    )
}

fn escape(
    text: &str,
    unsafe_to_print: impl Fn(char) -> bool,
    escaped: impl Fn(&mut String, char) -> std::fmt::Result,
) -> Cow<'_, str> {
    if !text.chars().any(&unsafe_to_print) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if unsafe_to_print(c) {
            // Writing to a string cannot fail.
            let _ = escaped(&mut out, c);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// C0, DEL and C1.
fn is_control(c: char) -> bool {
    c.is_control()
}

/// Characters that change the direction or the line of what follows.
fn is_deceptive(c: char) -> bool {
    matches!(c,
        '\u{061C}' | '\u{200E}' | '\u{200F}' // directional marks
        | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' // embedding, override, isolate
        | '\u{2028}' | '\u{2029}') // line and paragraph separator
}

#[cfg(test)]
mod tests {
    use super::{json_safe, terminal_safe};
    use proptest::prelude::*;
    use std::borrow::Cow;

    #[test]
    fn ordinary_text_is_not_copied() {
        for text in ["", "中文 👨‍👩‍👧 “x”\n\tа", "a\u{a0}b\u{feff}"] {
            assert!(matches!(terminal_safe(text), Cow::Borrowed(same) if same == text), "{text:?}");
            assert!(matches!(json_safe(text), Cow::Borrowed(same) if same == text), "{text:?}");
        }
    }

    #[test]
    fn what_a_terminal_obeys_is_shown() {
        for (text, shown) in [
            ("\u{1b}[2J", "\\u{1b}[2J"),
            ("a\rb\0", "a\\u{d}b\\u{0}"),
            ("\u{7f}\u{9b}31m", "\\u{7f}\\u{9b}31m"),
            ("\u{202e}txt.exe\u{202c}", "\\u{202e}txt.exe\\u{202c}"),
            (
                "\u{2066}\u{2069}\u{2028}\u{2029}\u{200e}\u{200f}",
                "\\u{2066}\\u{2069}\\u{2028}\\u{2029}\\u{200e}\\u{200f}",
            ),
        ] {
            assert_eq!(terminal_safe(text), shown);
        }
    }

    #[test]
    fn json_is_escaped_as_json() {
        assert_eq!(json_safe("{\"a\":\"\u{7f}\u{85}\u{202e}\"}"), r#"{"a":"\u007f\u0085\u202e"}"#);
    }

    /// Mostly characters of the kinds that matter.
    fn texts() -> impl Strategy<Value = String> {
        let c = prop_oneof![
            any::<char>(),
            (0_u32..0xa0).prop_map(|c| char::from_u32(c).unwrap_or('x')),
            (0x2000_u32..0x2070).prop_map(|c| char::from_u32(c).unwrap_or('x')),
        ];
        proptest::collection::vec(c, 0..40).prop_map(String::from_iter)
    }

    fn obeyed(c: char) -> bool {
        let c = u32::from(c);
        matches!(c, 0..=8 | 11..=31 | 0x7f..=0x9f | 0x200e | 0x200f | 0x2028..=0x202e | 0x2066..=0x2069 | 0x61c)
    }

    proptest! {
        #[test]
        fn nothing_a_terminal_obeys_is_left(text in texts()) {
            let safe = terminal_safe(&text);
            prop_assert!(!safe.chars().any(obeyed), "{safe:?}");
            // What was harmless is still there, in its order.
            let kept: String = text.chars().filter(|c| !obeyed(*c)).collect();
            let mut rest = safe.chars();
            prop_assert!(kept.chars().all(|c| rest.any(|shown| shown == c)));
        }

        #[test]
        fn json_keeps_its_value(text in texts(), key in texts()) {
            let value = serde_json::json!({ key: [text] });
            let json = value.to_string();
            let safe = json_safe(&json);
            prop_assert!(!safe.chars().any(|c| obeyed(c) || c == '\n'), "{safe:?}");
            prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).ok(), Some(value));
        }
    }
}
