//! What a model thinks before it answers, where it stands in the answer: drafts are no decisions.

/// How a draft begins and ends.
const TAGS: &[(&str, &str)] = &[
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("[THINK]", "[/THINK]"),
];

/// The answer without the drafts before it. One that does not end stays: nothing says where the answer begins.
pub(super) fn without(text: &str) -> &str {
    let mut rest = text;
    while let Some(after) = after_draft(rest) {
        rest = after;
    }
    if rest.len() < text.len() { rest.trim_start() } else { text }
}

fn after_draft(text: &str) -> Option<&str> {
    let start = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    for (open, close) in TAGS {
        if let Some(inside) = start.strip_prefix(open) {
            return inside.find(close).and_then(|end| inside.get(end + close.len()..));
        }
    }
    // Some templates begin within the draft. A line of its own is no part of a JSON text.
    if start.starts_with(['{', '[']) {
        return None;
    }
    let closes = |line: &str| TAGS.iter().any(|(_, close)| line.trim() == *close);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        if closes(line) {
            return text.get(at..);
        }
        if TAGS.iter().any(|(open, _)| line.contains(open)) {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn drafts_before_an_answer_are_no_part_of_it() {
        for (text, answer) in [
            ("<think>\nA draft: {\"score\": 1}\n</think>\n\n42", "42"),
            (" \u{feff}<think>a</think><thinking>b</thinking> 42\n", "42\n"),
            ("[THINK]a[/THINK]42", "42"),
            ("Let me see.\n</think>\n\n42", "42"),
            ("<think></think>42", "42"),
            // Words about the tags are words.
            ("Use `<think>` and\n</think>\nas tags", "Use `<think>` and\n</think>\nas tags"),
            ("{\"result\": \"a </think> b\"}", "{\"result\": \"a </think> b\"}"),
            ("The tag </think> ends it.", "The tag </think> ends it."),
            ("<think>never closed", "<think>never closed"),
            (" 42 ", " 42 "),
            ("", ""),
        ] {
            assert_eq!(without(text), answer, "{text}");
        }
    }
}
