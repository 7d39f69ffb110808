//! What is meant for a terminal in what a program prints: colours, movements of the cursor, overwritten words.

/// A text as a terminal would show it, without the codes.
pub(crate) fn shown(text: &str) -> String {
    // One after the other: a search for one letter is much faster, and most answers have none.
    if !['\u{1b}', '\u{8}', '\r'].into_iter().any(|code| text.contains(code)) {
        return text.to_owned();
    }
    let mut seen = String::with_capacity(text.len());
    let mut line = Vec::new();
    let mut column = 0_usize;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => match rest.next() {
                Some('[') => {
                    let mut count = String::new();
                    let code = loop {
                        match rest.next() {
                            Some(c @ '\u{40}'..='\u{7e}') => break c,
                            Some(c) => count.push(c),
                            None => break 'm',
                        }
                    };
                    let number = count.parse::<usize>();
                    match code {
                        // Back, forward, to a column; erase to the end, or all, of the line.
                        'D' => column = column.saturating_sub(number.unwrap_or(1).max(1)),
                        'C' => column = (column + number.unwrap_or(1).max(1)).min(line.len()),
                        'G' => column = number.unwrap_or(1).saturating_sub(1).min(line.len()),
                        'K' if number == Ok(2) => {
                            line.clear();
                            column = 0;
                        }
                        'K' if number != Ok(1) => line.truncate(column),
                        _ => {}
                    }
                }
                // A title, or a link: up to a bell or `ESC \\`.
                Some(']') => loop {
                    match rest.next() {
                        Some('\u{1b}') => {
                            rest.next();
                            break;
                        }
                        Some('\u{7}') | None => break,
                        Some(_) => {}
                    }
                },
                _ => {}
            },
            '\u{8}' => column = column.saturating_sub(1),
            '\r' if rest.peek() == Some(&'\n') => {}
            '\r' => column = 0,
            '\n' => {
                seen.extend(line.drain(..));
                seen.push('\n');
                column = 0;
            }
            c => {
                match line.get_mut(column) {
                    Some(place) => *place = c,
                    None => line.push(c),
                }
                column += 1;
            }
        }
    }
    seen.extend(line);
    seen
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn what_a_terminal_would_show_is_left() {
        for (text, expected) in [
            ("no codes\tat all\n", "no codes\tat all\n"),
            ("\u{1b}[1mbold\u{1b}[0m", "bold"),
            ("\u{1b}[?25l\u{1b}[?2026hwords\u{1b}[?25h", "words"),
            // ollama takes a word back that does not fit, and begins a new line with it.
            ("a long wo\u{1b}[2D\u{1b}[K\nword", "a long \nword"),
            ("10 %\r20 %\rdone\u{1b}[K\n42", "done\n42"),
            ("a\r\nb", "a\nb"),
            ("\u{1b}]0;title\u{7}42", "42"),
            ("\u{1b}[2K\u{1b}[1G42", "42"),
            ("42\u{1b}[", "42"),
        ] {
            assert_eq!(shown(text), expected, "{text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_codes_are_read(text in "[\\x1b\\x08\r\n\\[\\]0-9a-zKDCG]{0,60}") {
            let seen = shown(&text);
            proptest::prop_assert!(!seen.contains(['\u{8}', '\r']), "{:?}", seen);
        }
    }
}
