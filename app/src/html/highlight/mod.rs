//! Source text in a few colours, as classes.
//!
//! A scanner of our own, because it has to be light: it needs no table in memory before the first line, and passes over
//! the lines above an excerpt at the speed of a copy. It knows comments, strings, numbers and words, which is what the
//! eye looks for in some lines beside a question; it does not know grammar.

mod languages;
mod scanner;

use super::escape::escape_into;
use scanner::{Kind, Token};
use std::ops::Range;

/// How far above the wanted lines scanning begins, in bytes: a comment or string that began further up is not seen.
const LOOK_BACK: usize = 128 << 10;

/// Lines longer than this many bytes stay plain: they were not written by hand, and each word would become an element.
const LONG_LINE: usize = 2000;

/// The `count` lines of `text` from `first_line`, counted from 1, as HTML without line ends. Whatever they hold, the
/// characters of the HTML are those of the text. `file` is its name.
pub(super) fn highlight(file: &str, text: &str, first_line: u64, count: usize) -> Vec<String> {
    let lines = lines(text, first_line, count);
    let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return Vec::new() };
    let tokens = match languages::from_path(file) {
        Some(language) => {
            scanner::tokens(language, text, look_back(text, first.start), first.start..last.end)
        }
        None => Vec::new(),
    };
    let mut tokens = &tokens[..];
    let mut html = Vec::with_capacity(lines.len());
    for line in lines {
        // A token may go on in the next line.
        let passed = tokens.iter().take_while(|token| token.end <= line.start).count();
        tokens = &tokens[passed..];
        html.push(render(text, line, tokens));
    }
    html
}

/// Where the lines are, without their ends.
fn lines(text: &str, first_line: u64, count: usize) -> Vec<Range<usize>> {
    let skipped = usize::try_from(first_line.saturating_sub(1)).unwrap_or(usize::MAX);
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let bare = line.strip_suffix('\n').unwrap_or(line);
            let bare = bare.strip_suffix('\r').unwrap_or(bare);
            let range = start..start + bare.len();
            start += line.len();
            range
        })
        .skip(skipped)
        .take(count)
        .collect()
}

/// The beginning of a line not much more than [`LOOK_BACK`] above `position`.
fn look_back(text: &str, position: usize) -> usize {
    let above = &text.as_bytes()[..position.saturating_sub(LOOK_BACK)];
    above.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1)
}

fn render(text: &str, line: Range<usize>, tokens: &[Token]) -> String {
    let mut html = String::with_capacity(2 * line.len());
    let mut at = line.start;
    if line.len() <= LONG_LINE {
        for token in tokens.iter().take_while(|token| token.start < line.end) {
            let (start, end) = (token.start.max(line.start), token.end.min(line.end));
            escape_into(&mut html, &text[at..start]);
            html.push_str("<span class=\"");
            html.push_str(class(token.kind));
            html.push_str("\">");
            escape_into(&mut html, &text[start..end]);
            html.push_str("</span>");
            at = end;
        }
    }
    escape_into(&mut html, &text[at..line.end]);
    html
}

fn class(kind: Kind) -> &'static str {
    match kind {
        Kind::Comment => "com",
        Kind::Keyword => "key",
        Kind::Text => "str",
        Kind::Number => "num",
        Kind::Name => "nam",
    }
}

#[cfg(test)]
mod tests;
