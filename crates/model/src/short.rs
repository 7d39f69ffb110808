//! Texts of others, made short for a line of ours.

/// A text on one line: each run of white space is one space.
pub fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// The first `most` characters of a text, and `…` if there are more.
pub fn beginning(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{beginning, on_one_line};

    #[test]
    fn white_space_is_one_space_and_none_at_the_ends() {
        assert_eq!(on_one_line("  a\n\n\tb\u{3000}c "), "a b c");
        assert_eq!(on_one_line(" \n"), "");
    }

    #[test]
    fn a_text_is_cut_between_characters_and_only_if_it_is_longer() {
        assert_eq!(beginning("长长", 2), "长长");
        assert_eq!(beginning("长长长", 2), "长长…");
        assert_eq!((beginning("", 0), beginning("a", 0)), (String::new(), "…".to_owned()));
    }
}
