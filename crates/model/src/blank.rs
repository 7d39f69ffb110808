//! What counts as nothing written.

/// True when a reader would see nothing: no characters, or only white space, control characters and characters
/// that Unicode defines to be invisible.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(is_invisible)
}

/// White space, and what Unicode defines to be invisible.
pub(crate) fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c,
            '\u{00AD}' // soft hyphen
            | '\u{034F}' // combining grapheme joiner
            | '\u{061C}' // Arabic letter mark
            | '\u{115F}' | '\u{1160}' | '\u{3164}' | '\u{FFA0}' // Hangul fillers
            | '\u{17B4}' | '\u{17B5}' // Khmer inherent vowels
            | '\u{180B}'..='\u{180F}' // Mongolian separators
            | '\u{200B}'..='\u{200F}' // zero width, directional marks
            | '\u{202A}'..='\u{202E}' // directional embedding
            | '\u{2060}'..='\u{206F}' // word joiner, invisible operators
            | '\u{2800}' // Braille blank
            | '\u{FE00}'..='\u{FE0F}' // variation selectors
            | '\u{FEFF}' // byte order mark
            | '\u{FFF9}'..='\u{FFFB}' // interlinear annotation
            | '\u{E0000}'..='\u{E0FFF}') // tags, further variation selectors
}

#[cfg(test)]
mod tests {
    use super::is_blank;

    #[test]
    fn blank_is_blank_in_unicode() {
        for blank in
            ["", " ", "\t\n", "\u{3000}", "\u{a0}\u{2003}", "\u{200b}\u{feff}", "\u{3164}", "\u{2800}"]
        {
            assert!(is_blank(blank), "{blank:?}");
        }
        for written in ["a", " 中 ", "0", "👍🏽", "\u{200b}x", "。"] {
            assert!(!is_blank(written), "{written:?}");
        }
    }
}
