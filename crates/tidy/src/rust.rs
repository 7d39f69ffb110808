//! The tokens of a Rust source, as far as the rules need them.

use ra_ap_rustc_lexer::{FrontmatterAllowed, TokenKind, tokenize};
use std::ops::Range;

/// Words that items begin with, in which a comma may stand anywhere.
const ITEMS: [&str; 14] = [
    "async",
    "const",
    "enum",
    "extern",
    "fn",
    "impl",
    "macro_rules",
    "mod",
    "static",
    "struct",
    "trait",
    "type",
    "unsafe",
    "use",
];

/// A kind of token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An identifier or a keyword.
    Ident,
    /// A string, a character or a number.
    Literal,
    /// One sign.
    Sign(char),
    /// A lifetime and other things that no rule looks at.
    Other,
}

/// A token that is neither space nor comment.
#[derive(Debug, Clone, Copy)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Whether it belongs to an item that only tests compile.
    pub is_test: bool,
    /// The line it begins on, from 1.
    pub line: u32,
    start: u32,
    end: u32,
}

impl Token {
    /// Returns its text in `source`, which is the text it was found in.
    pub fn text<'a>(&self, source: &'a str) -> &'a str {
        source.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// A comment, which may have several lines.
#[derive(Debug, Clone)]
pub struct Comment {
    /// The line it begins on, from 1.
    pub line: usize,
    range: Range<usize>,
}

impl Comment {
    /// Returns its text in `source`, with its signs.
    pub fn text<'a>(&self, source: &'a str) -> &'a str {
        source.get(self.range.clone()).unwrap_or_default()
    }
}

/// A Rust source.
#[derive(Debug, Default)]
pub struct Rust {
    /// Its tokens.
    pub tokens: Vec<Token>,
    /// Its comments.
    pub comments: Vec<Comment>,
}

impl Rust {
    /// Takes a source apart.
    pub fn new(source: &str) -> Self {
        let mut rust = Self::default();
        let (mut start, mut line) = (0_usize, 1_u32);
        for token in tokenize(source, FrontmatterAllowed::No) {
            let end = start + token.len as usize;
            let text = source.get(start..end).unwrap_or_default();
            match token.kind {
                TokenKind::Whitespace => {}
                TokenKind::LineComment { .. } | TokenKind::BlockComment { .. } => {
                    rust.comments.push(Comment { line: line as usize, range: start..end });
                }
                kind => {
                    let kind = match kind {
                        TokenKind::Ident | TokenKind::RawIdent => Kind::Ident,
                        TokenKind::Literal { .. } => Kind::Literal,
                        TokenKind::Lifetime { .. } => Kind::Other,
                        _ => text.chars().next().map_or(Kind::Other, Kind::Sign),
                    };
                    rust.tokens.push(Token {
                        kind,
                        is_test: false,
                        line,
                        start: start as u32,
                        end: end as u32,
                    });
                }
            }
            let lines = text.bytes().filter(|byte| *byte == b'\n').count() as u32;
            line += lines;
            start = end;
        }
        rust.mark_tests(source);
        rust
    }

    /// Returns whether token `index` is the sign `sign`.
    pub fn is_sign(&self, index: usize, sign: char) -> bool {
        self.tokens.get(index).is_some_and(|token| token.kind == Kind::Sign(sign))
    }

    /// Returns the identifier that token `index` is.
    pub fn ident<'a>(&self, index: usize, source: &'a str) -> Option<&'a str> {
        self.tokens.get(index).filter(|token| token.kind == Kind::Ident).map(|token| token.text(source))
    }

    /// Returns the index of the bracket that closes the one at `open`, or the last token.
    pub fn closing(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        for (index, token) in self.tokens.iter().enumerate().skip(open) {
            match token.kind {
                Kind::Sign('(' | '[' | '{') => depth += 1,
                Kind::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
                _ => continue,
            }
            if depth == 0 {
                return index;
            }
        }
        self.tokens.len().saturating_sub(1)
    }

    /// Returns the last token of the item, field or statement that begins at `start`: its `;`, the end of its block, or the comma
    /// behind a field.
    fn item_end(&self, start: usize, source: &str) -> usize {
        let mut first = start;
        if self.ident(first, source) == Some("pub") {
            first = if self.is_sign(first + 1, '(') { self.closing(first + 1) + 1 } else { first + 1 };
        }
        let is_item = self.ident(first, source).is_some_and(|word| ITEMS.contains(&word));
        let mut index = first;
        while let Some(token) = self.tokens.get(index) {
            match token.kind {
                Kind::Sign(';') => return index,
                Kind::Sign(',') if !is_item => return index,
                Kind::Sign('{') => return self.closing(index),
                // The end of what the item stands in.
                Kind::Sign(')' | ']' | '}') => return index.saturating_sub(1),
                Kind::Sign('(' | '[') => index = self.closing(index),
                _ => {}
            }
            index += 1;
        }
        self.tokens.len().saturating_sub(1)
    }

    /// Returns the names of the modules in files of their own that only tests compile.
    pub fn test_modules<'a>(&self, source: &'a str) -> Vec<&'a str> {
        let mut names = Vec::new();
        for (index, token) in self.tokens.iter().enumerate() {
            if token.is_test && self.ident(index, source) == Some("mod") && self.is_sign(index + 2, ';') {
                names.extend(self.ident(index + 1, source));
            }
        }
        names
    }

    /// Returns how many lines belong to items that only tests compile.
    pub fn test_lines(&self) -> usize {
        let mut count = 0;
        let mut index = 0;
        while let Some(first) = self.tokens.get(index) {
            let length = self.tokens.iter().skip(index).take_while(|token| token.is_test).count();
            if length == 0 {
                index += 1;
                continue;
            }
            let last = self.tokens.get(index + length - 1).map_or(first.line, |token| token.line);
            count += (last - first.line + 1) as usize;
            index += length;
        }
        count
    }

    /// Marks every item behind `#[cfg(test)]`, `#[cfg(all(test, …))]` and `#[test]`.
    fn mark_tests(&mut self, source: &str) {
        let mut index = 0;
        while index < self.tokens.len() {
            let is_inner = self.is_sign(index + 1, '!');
            let open = if is_inner { index + 2 } else { index + 1 };
            if !self.is_sign(index, '#') || !self.is_sign(open, '[') {
                index += 1;
                continue;
            }
            let close = self.closing(open);
            if !self.is_for_tests(open + 1, close, source) {
                index = close + 1;
                continue;
            }
            let end = if is_inner {
                self.tokens.len().saturating_sub(1)
            } else {
                self.attributed_end(close + 1, source)
            };
            for token in self.tokens.iter_mut().take(end + 1).skip(index) {
                token.is_test = true;
            }
            index = end + 1;
        }
    }

    /// Whether the attribute between `start` and `end` says that only tests compile the item.
    fn is_for_tests(&self, start: usize, end: usize, source: &str) -> bool {
        let idents = || (start..end).filter_map(|index| self.ident(index, source));
        match self.ident(start, source) {
            Some("test") => start + 1 == end,
            Some("cfg") => {
                idents().any(|ident| ident == "test") && !idents().any(|ident| matches!(ident, "not" | "any"))
            }
            _ => false,
        }
    }

    /// The end of the item at `start`, before which more attributes may stand.
    fn attributed_end(&self, mut start: usize, source: &str) -> usize {
        while self.is_sign(start, '#') && self.is_sign(start + 1, '[') {
            start = self.closing(start + 1) + 1;
        }
        self.item_end(start, source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_literals_is_no_code_and_no_comment() {
        let source = "let a = \"// no {\"; let b = r#\"\" /* no */\"#; let c = '\"'; /* one /* in */ two \
            */ fn x<'a>() {} // yes";
        let rust = Rust::new(source);
        let comments: Vec<_> = rust.comments.iter().map(|comment| comment.text(source)).collect();
        assert_eq!(comments, ["/* one /* in */ two */", "// yes"]);
        let idents: Vec<_> = (0..rust.tokens.len()).filter_map(|index| rust.ident(index, source)).collect();
        assert_eq!(idents, ["let", "a", "let", "b", "let", "c", "fn", "x"]);
    }

    #[test]
    fn lines_are_counted_through_strings_and_comments() {
        let source = "/* a\nb */\nlet x = \"\n\n\";\nlet y = 1;";
        let rust = Rust::new(source);
        let lines: Vec<_> = rust.tokens.iter().map(|token| token.line).collect();
        assert_eq!(lines, [3, 3, 3, 3, 5, 6, 6, 6, 6, 6]);
    }

    #[test]
    fn what_only_tests_compile_is_marked() {
        let source = "fn a() {}\n#[cfg(test)]\n#[allow(x)]\nmod tests {\n    fn b() {}\n}\n\
            #[cfg(not(test))]\nfn c() {}\n\
                      #[cfg(all(test, unix))]\nuse x::{y, z};\n#[cfg(any(test, feature = \"t\"))]\nfn d() \
                      {}\n#[cfg(test)]\nfn e<A, B>() {}\nfn f() {}\n";
        let rust = Rust::new(source);
        let functions: Vec<_> = (0..rust.tokens.len())
            .filter(|index| rust.ident(*index, source) == Some("fn"))
            .map(|index| (rust.ident(index + 1, source).unwrap(), rust.tokens[index].is_test))
            .collect();
        assert_eq!(
            functions,
            [("a", false), ("b", true), ("c", false), ("d", false), ("e", true), ("f", false)]
        );
        assert_eq!(rust.test_lines(), 9);
    }
}
