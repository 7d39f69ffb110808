//! Text in columns: as wide as a terminal shows it, and safe to show there.

use texts::terminal_safe;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// A tab moves on by so many columns.
const TAB: &str = "    ";
/// Marks that belong to what stands before them.
const CLOSING: &str = "，。、；：？！）》」』】〉”’…,.;:?!)";
/// Marks that belong to what comes after them.
const OPENING: &str = "（《「『【〈“‘(";

/// `text` on lines no wider than `width`. Its own lines stay lines; one that is too long goes on below, as far to the
/// right as it began, and behind the mark of a list.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    text.lines().flat_map(|line| wrap_line(&safe(line), width.max(1))).collect()
}

/// `text` on one line no wider than `width`; `…` stands for what does not fit.
pub(crate) fn clip(text: &str, width: usize) -> String {
    let text = safe(&model::on_one_line(text));
    if text.width() <= width {
        return text;
    }
    let mut clipped = String::new();
    let mut columns = 1;
    for cluster in text.graphemes(true) {
        columns += cluster.width();
        if columns > width {
            break;
        }
        clipped.push_str(cluster);
    }
    if width > 0 {
        clipped.push('…');
    }
    clipped
}

/// How many columns `text` takes.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// `text` with nothing in it that a terminal obeys, tabs included.
pub(crate) fn safe(text: &str) -> String {
    terminal_safe(&text.replace('\t', TAB)).into_owned()
}

fn wrap_line(line: &str, width: usize) -> Vec<String> {
    let line = line.trim_end();
    if line.width() <= width {
        return vec![line.to_owned()];
    }
    let hanging = " ".repeat(hanging(line).min(width / 2));
    let mut lines = Vec::new();
    let mut current = String::new();
    // Where `current` may be cut: behind this many bytes.
    let mut cut = None;
    let mut before = "";
    for cluster in line.graphemes(true) {
        let is_text = current.len() > hanging.len() && !current.trim_start().is_empty();
        if is_text && may_break(before, cluster) {
            cut = Some(current.len());
        }
        if current.width() + cluster.width() > width && is_text {
            if cluster == " " {
                // It would only stand at the end of the line.
                before = cluster;
                continue;
            }
            let rest = current.split_off(cut.unwrap_or(current.len()));
            lines.push(current.trim_end().to_owned());
            current = format!("{hanging}{}", rest.trim_start());
            cut = None;
        }
        current.push_str(cluster);
        before = cluster;
    }
    lines.push(current.trim_end().to_owned());
    lines
}

/// How far a line is indented, with the mark of a list item.
fn hanging(line: &str) -> usize {
    let text = line.trim_start_matches(' ');
    let indent = line.len() - text.len();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let mark = match text.as_bytes().get(digits..) {
        Some([b'.' | b')', b' ', ..]) if digits > 0 => digits + 2,
        Some([b'-' | b'*' | b'+' | b'>', b' ', ..]) if digits == 0 => 2,
        _ => 0,
    };
    indent + mark
}

/// Between words, and beside characters of scripts that are written without spaces.
fn may_break(before: &str, after: &str) -> bool {
    if before.is_empty() || after == " " {
        return false;
    }
    let is_wide = |cluster: &str| cluster.width() > 1;
    let is_bound = CLOSING.contains(after) || OPENING.contains(before);
    before == " " || before == "-" || (is_wide(before) || is_wide(after)) && !is_bound
}

#[cfg(test)]
mod tests {
    use super::{clip, columns, wrap};

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrap("one two three four", 9), ["one two", "three", "four"]);
        assert_eq!(wrap("exactly 10", 10), ["exactly 10"]);
        assert_eq!(wrap("unbreakable", 4), ["unbr", "eaka", "ble"]);
        assert_eq!(wrap("a\n\nb", 4), ["a", "", "b"]);
    }

    #[test]
    fn chinese_breaks_anywhere_but_before_its_marks() {
        assert_eq!(wrap("需要选择认证方式", 8), ["需要选择", "认证方式"]);
        assert_eq!(wrap("需要选择，然后继续", 9), ["需要选", "择，然后", "继续"]);
        assert_eq!(wrap("用 JWT（无状态）好", 8), ["用 JWT", "（无状", "态）好"]);
    }

    #[test]
    fn lists_and_indents_hang() {
        assert_eq!(wrap("- one two three", 9), ["- one two", "  three"]);
        assert_eq!(wrap("  12. one two", 11), ["  12. one", "     two"]);
        assert_eq!(wrap("    code code", 9), ["    code", "    code"]);
    }

    #[test]
    fn nothing_is_wider_than_asked_for() {
        let text = "认证 authentication，👨‍👩‍👧 e\u{301}tat — https://example.com/a/very/long/path 结束。";
        for width in 2..60 {
            for line in wrap(text, width) {
                assert!(columns(&line) <= width, "{width}: {line:?}");
            }
            assert!(columns(&clip(text, width)) <= width);
        }
    }

    #[test]
    fn what_a_terminal_obeys_is_shown() {
        assert_eq!(wrap("a\u{1b}[2Jb", 20), ["a\\u{1b}[2Jb"]);
        assert_eq!(wrap("\ta\u{202e}b\r\n", 20), ["    a\\u{202e}b"]);
        assert_eq!(clip("a\nb\u{7}", 20), "a b\\u{7}");
    }

    #[test]
    fn what_does_not_fit_is_marked() {
        assert_eq!(clip("认证方式", 8), "认证方式");
        assert_eq!(clip("认证方式", 7), "认证方…");
        assert_eq!(clip("认证方式", 6), "认证…");
        assert_eq!(clip("abc", 0), "");
    }
}
