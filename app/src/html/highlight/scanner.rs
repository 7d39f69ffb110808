//! Finds what is coloured in a text. Every step moves on, and none looks twice at the same place, so that the time is
//! that of one pass whatever the text holds.

use super::languages::{Code, Language, Quote};
use std::ops::Range;

/// What a piece of source text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Comment,
    Keyword,
    Text,
    Number,
    /// A function where it is called, a type, or the key of a value.
    Name,
}

/// A coloured piece, in bytes. It may span lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: Kind,
}

/// How many kinds of quotes a language may have.
pub(super) const MAX_QUOTES: usize = 8;

/// The pieces that touch `wanted`, in their order. The scan begins at `from`, which is the beginning of a line.
pub(super) fn tokens(language: Language, text: &str, from: usize, wanted: Range<usize>) -> Vec<Token> {
    let mut scanner = Scanner {
        text,
        bytes: text.as_bytes(),
        at: from,
        wanted,
        before: b'\n',
        endless: [0; MAX_QUOTES],
        endless_regex: 0,
        in_tag: false,
    };
    let mut tokens = Vec::new();
    while scanner.at < scanner.wanted.end {
        let start = scanner.at;
        let kind = match language {
            Language::Code(code) => scanner.code(code),
            Language::Markup => scanner.markup(),
            Language::Markdown => scanner.markdown(),
        };
        let end = scanner.at;
        if let Some(last) = scanner.bytes[start..end].iter().rfind(|byte| !matches!(byte, b' ' | b'\t')) {
            scanner.before = *last;
        }
        if let Some(kind) = kind.filter(|_| end > scanner.wanted.start) {
            tokens.push(Token { start, end, kind });
        }
    }
    tokens
}

/// Code within a line of Markdown.
const CODE: Quote = Quote { open: "`", close: "`", escapes: false, lines: false };

struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    /// Always between two characters.
    at: usize,
    wanted: Range<usize>,
    /// The last byte that is no space.
    before: u8,
    /// Up to where a quote of each kind is known to have no end.
    endless: [usize; MAX_QUOTES],
    endless_regex: usize,
    in_tag: bool,
}

impl Scanner<'_> {
    fn looking_at(&self, text: &str) -> bool {
        self.bytes[self.at..].starts_with(text.as_bytes())
    }

    fn line_end(&self) -> usize {
        self.find("\n", self.at)
    }

    /// Where `text` is, from `start` on; else the end of everything.
    fn find(&self, text: &str, start: usize) -> usize {
        self.text[start..].find(text).map_or(self.bytes.len(), |found| start + found)
    }

    /// After `text`, from `start` on.
    fn after(&self, text: &str, start: usize) -> usize {
        (self.find(text, start) + text.len()).min(self.bytes.len())
    }

    /// The end of a run of bytes for which `belongs` holds, which it does for all or no bytes of a character.
    fn run(&self, start: usize, belongs: impl Fn(u8) -> bool) -> usize {
        let length = self.bytes[start..].iter().take_while(|byte| belongs(**byte)).count();
        start + length
    }

    /// Takes one piece of a program; `None` when it has no colour.
    fn code(&mut self, code: &Code) -> Option<Kind> {
        let start = self.at;
        let first = self.bytes[start];
        // The longer mark first: `--[[` begins with `--`.
        if let Some((open, close)) = code.block_comments.iter().find(|(open, _)| self.looking_at(open)) {
            self.at = self.comment_end(open, close, code.nested_comments);
            return Some(Kind::Comment);
        }
        let spaced = start == 0 || self.bytes[start - 1].is_ascii_whitespace();
        if (spaced || !code.spaced_comments) && code.line_comments.iter().any(|mark| self.looking_at(mark)) {
            self.at = self.line_end();
            return Some(Kind::Comment);
        }
        if let Some(end) = code.raw_strings.then(|| self.raw_string_end()).flatten() {
            self.at = end;
            return Some(Kind::Text);
        }
        if code.lifetimes && first == b'\'' {
            return self.char_or_lifetime();
        }
        for (index, quote) in code.quotes.iter().enumerate().take(MAX_QUOTES) {
            if self.looking_at(quote.open)
                && let Some(end) = self.text_end(index, quote)
            {
                self.at = end;
                return Some(if self.is_key(code) { Kind::Name } else { Kind::Text });
            }
        }
        if code.regexes && first == b'/' && self.before_is(b"(,=:[!&|?{;+\n") {
            return self.regex();
        }
        if first.is_ascii_digit() {
            return self.number();
        }
        let is_word = |byte: u8| is_word(byte) || code.word_bytes.contains(&byte);
        if is_word(first) {
            self.at = self.run(start, is_word);
            // What is not seen needs no kind.
            return if self.at > self.wanted.start { self.word(code, start) } else { None };
        }
        self.at += 1;
        let marked =
            code.keyword_marks.contains(&first) && self.bytes.get(self.at).copied().is_some_and(is_word);
        if marked {
            self.at = self.run(self.at, is_word);
            return Some(Kind::Keyword);
        }
        None
    }

    fn before_is(&self, bytes: &[u8]) -> bool {
        bytes.contains(&self.before)
    }

    fn comment_end(&self, open: &str, close: &str, nested: bool) -> usize {
        let mut at = self.at + open.len();
        if !nested {
            return self.after(close, at);
        }
        let mut depth = 1_usize;
        while depth > 0 && at < self.bytes.len() {
            let rest = &self.bytes[at..];
            if rest.starts_with(close.as_bytes()) {
                depth -= 1;
                at += close.len();
            } else if rest.starts_with(open.as_bytes()) {
                depth += 1;
                at += open.len();
            } else {
                at += 1;
            }
        }
        // Ended by the end of the text, or after `close`.
        at
    }

    /// `r"…"`, `r#"…"#` and so on, also with `b` or `c` before.
    fn raw_string_end(&self) -> Option<usize> {
        let mut at = self.at;
        if at > 0 && is_word(self.bytes[at - 1]) {
            return None;
        }
        if matches!(self.bytes[at], b'b' | b'c') {
            at += 1;
        }
        if self.bytes.get(at) != Some(&b'r') {
            return None;
        }
        let hashes = self.run(at + 1, |byte| byte == b'#');
        if self.bytes.get(hashes) != Some(&b'"') {
            return None;
        }
        let close = format!("\"{}", &self.text[at + 1..hashes]);
        Some(self.after(&close, hashes + 1))
    }

    /// `'a'`, or the `'` of `'a`.
    fn char_or_lifetime(&mut self) -> Option<Kind> {
        let mut rest = self.text[self.at + 1..].chars();
        let end = match rest.next() {
            // The longest is `\u{10ffff}`.
            Some('\\') => {
                let length =
                    self.bytes[self.at + 1..].iter().take(12).skip(2).position(|byte| *byte == b'\'');
                length.map(|length| self.at + length + 4)
            }
            Some(letter) if rest.next() == Some('\'') => Some(self.at + letter.len_utf8() + 2),
            _ => None,
        };
        self.at = end.unwrap_or(self.at + 1);
        end.map(|_| Kind::Text)
    }

    /// `None` when the line ends before the text does: then it is no quote, but perhaps an apostrophe.
    fn text_end(&mut self, index: usize, quote: &Quote) -> Option<usize> {
        if self.at < self.endless[index] {
            return None;
        }
        let close = quote.close.as_bytes();
        let mut at = self.at + quote.open.len();
        loop {
            match self.bytes.get(at) {
                None if quote.lines => return Some(self.bytes.len()),
                None => break,
                Some(b'\n') if !quote.lines => break,
                // The second byte may be within a character, where no mark is found; the end is after one.
                Some(b'\\') if quote.escapes => at += 2,
                Some(_) if self.bytes[at..].starts_with(close) => return Some(at + close.len()),
                Some(_) => at += 1,
            }
        }
        self.endless[index] = at;
        None
    }

    fn regex(&mut self) -> Option<Kind> {
        let mut at = self.at + 1;
        let mut in_class = false;
        if self.at >= self.endless_regex {
            loop {
                match self.bytes.get(at) {
                    None | Some(b'\n') => break,
                    Some(b'\\') => at += 1,
                    Some(b'[') => in_class = true,
                    Some(b']') => in_class = false,
                    Some(b'/') if !in_class => {
                        self.at = self.run(at + 1, |byte| byte.is_ascii_alphabetic());
                        return Some(Kind::Text);
                    }
                    Some(_) => {}
                }
                at += 1;
            }
            self.endless_regex = at;
        }
        self.at += 1;
        None
    }

    fn number(&mut self) -> Option<Kind> {
        self.at = self.run(self.at, is_word);
        while self.bytes.get(self.at) == Some(&b'.')
            && self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit)
        {
            self.at = self.run(self.at + 1, is_word);
        }
        Some(Kind::Number)
    }

    fn word(&self, code: &Code, start: usize) -> Option<Kind> {
        let word = &self.text[start..self.at];
        let known = |keyword: &str| match code.any_case {
            true => keyword.eq_ignore_ascii_case(word),
            false => keyword == word,
        };
        if self.is_key(code) {
            return Some(Kind::Name);
        }
        if code.keywords.split_ascii_whitespace().any(known) {
            return Some(Kind::Keyword);
        }
        let next = self.bytes.get(self.at).copied();
        let called = next == Some(b'(')
            || code.macros && next == Some(b'!') && self.bytes.get(self.at + 1) != Some(&b'=');
        let typed = word.starts_with(|letter: char| letter.is_ascii_uppercase())
            && word.contains(|letter: char| letter.is_ascii_lowercase());
        (code.names && (called || typed)).then_some(Kind::Name)
    }

    /// Whether what was just taken is followed by the mark between a key and its value.
    fn is_key(&self, code: &Code) -> bool {
        let Some(mark) = code.key_mark else { return false };
        let at = self.run(self.at, |byte| byte == b' ');
        self.bytes.get(at) == Some(&mark)
            // `http://` is no key.
            && self.bytes.get(at + 1).is_none_or(|next| *next != b'/')
    }

    /// HTML and what looks like it: tags, and what they say in quotes.
    fn markup(&mut self) -> Option<Kind> {
        let start = self.at;
        let first = self.bytes[start];
        if self.looking_at("<!--") {
            self.at = self.after("-->", start);
            return Some(Kind::Comment);
        }
        if !self.in_tag {
            let named = self.run(start + 1, |byte| matches!(byte, b'/' | b'!' | b'?'));
            self.in_tag = first == b'<' && self.bytes.get(named).copied().is_some_and(is_word);
            self.at = match self.in_tag {
                true => self.run(named, is_name),
                false => self.run(start + 1, |byte| byte != b'<'),
            };
            return self.in_tag.then_some(Kind::Keyword);
        }
        self.at += 1;
        match first {
            b'>' => self.in_tag = false,
            b'"' | b'\'' => {
                self.at = self.after(if first == b'"' { "\"" } else { "'" }, self.at);
                return Some(Kind::Text);
            }
            _ if is_word(first) => {
                self.at = self.run(start, is_name);
                return Some(Kind::Name);
            }
            _ => {}
        }
        None
    }

    /// Headings and code.
    fn markdown(&mut self) -> Option<Kind> {
        let start = self.at;
        if start == 0 || self.bytes[start - 1] == b'\n' {
            for fence in ["```", "~~~"] {
                if self.looking_at(fence) {
                    self.at = self.after(&format!("\n{fence}"), start);
                    return Some(Kind::Text);
                }
            }
            let marks = self.run(start, |byte| byte == b'#');
            if (1..=6).contains(&(marks - start)) && self.bytes.get(marks) == Some(&b' ') {
                self.at = self.line_end();
                return Some(Kind::Keyword);
            }
        }
        if self.looking_at("<!--") {
            self.at = self.after("-->", start);
            return Some(Kind::Comment);
        }
        if self.looking_at(CODE.open)
            && let Some(end) = self.text_end(0, &CODE)
        {
            self.at = end;
            return Some(Kind::Text);
        }
        self.at = self.run(start + 1, |byte| !matches!(byte, b'\n' | b'`' | b'<'));
        // The next line is looked at from its beginning.
        if self.bytes[start] == b'\n' {
            self.at = start + 1;
        }
        None
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// What the names of tags and attributes are made of.
fn is_name(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'-' | b':' | b'.' | b'@')
}
