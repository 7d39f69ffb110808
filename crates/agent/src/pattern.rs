//! Patterns of file names (contract/plans §3.1), as regular expressions: these take a time that grows with pattern and path alone.

use regex_lite::{Regex, escape};
use std::iter::Peekable;
use std::str::Chars;

/// A pattern of paths.
#[derive(Debug)]
pub(crate) struct Pattern(Regex);

impl Pattern {
    /// Reads a pattern of delivered files; `None` if it is none. Besides `*`, `?` and `[…]` it knows `{…,…}`, `**` for any number of
    /// folders, and `\` before a character that means itself.
    pub(crate) fn new(text: &str) -> Option<Self> {
        Self::read(text, true)
    }

    /// Reads what an input of a command is called, where braces and backslashes are letters; `None` if it has nothing of a pattern,
    /// or is a wrong one.
    pub(crate) fn of_name(text: &str) -> Option<Self> {
        if text.contains(['*', '?', '[']) { Self::read(text, false) } else { None }
    }

    /// Whether it fits the path as a whole, or its last part.
    pub(crate) fn fits(&self, path: &str) -> bool {
        self.0.is_match(path) || path.rsplit('/').next().is_some_and(|name| self.0.is_match(name))
    }

    fn read(text: &str, has_braces: bool) -> Option<Self> {
        let mut reader = Reader { rest: text.chars().peekable(), last: None, depth: 0, read: String::new() };
        reader.read.push_str("^(?s:");
        while let Some(c) = reader.rest.next() {
            let before = reader.last.replace(c);
            match c {
                '*' => reader.stars(before),
                '?' => reader.read.push_str("[^/]"),
                '[' => reader.class()?,
                '{' | '}' | ',' | '\\' if has_braces => reader.brace(c)?,
                c => reader.literal(c),
            }
        }
        reader.read.push_str(")$");
        // Reports what is not closed as well.
        Regex::new(&reader.read).ok().map(Self)
    }
}

struct Reader<'t> {
    rest: Peekable<Chars<'t>>,
    /// The last character that was taken, outside of brackets.
    last: Option<char>,
    /// How many braces are open.
    depth: usize,
    read: String,
}

impl Reader<'_> {
    fn literal(&mut self, c: char) {
        self.read.push_str(&escape(c.encode_utf8(&mut [0; 4])));
    }

    /// One star or several, of which the first has been taken, behind `before`.
    fn stars(&mut self, before: Option<char>) {
        let is_double = self.rest.next_if_eq(&'*').is_some();
        while self.rest.next_if_eq(&'*').is_some() {}
        let begins = match before {
            None | Some('/') => true,
            Some('{' | ',') => self.depth > 0,
            Some(_) => false,
        };
        let ends = match self.rest.peek() {
            None => true,
            Some(',' | '}') => self.depth > 0,
            Some(_) => false,
        };
        if is_double && begins && ends {
            self.read.push_str(".*");
        } else if is_double && begins && self.rest.next_if_eq(&'/').is_some() {
            self.last = Some('/');
            self.read.push_str("(?:.*/)?");
        } else {
            self.read.push_str("[^/]*");
        }
    }

    /// Characters of which one is there, or none, as far as the bracket that closes them; the first one does not.
    fn class(&mut self) -> Option<()> {
        self.read.push('[');
        if self.rest.next_if(|c| matches!(c, '!' | '^')).is_some() {
            self.read.push('^');
        }
        let mut first = true;
        loop {
            let low = self.rest.next()?;
            if low == ']' && !first {
                break;
            }
            first = false;
            self.literal(low);
            // A minus at the end is a character like others.
            let mut ahead = self.rest.clone();
            if ahead.next() == Some('-') && ahead.peek().is_some_and(|high| *high != ']') {
                self.read.push('-');
                self.rest = ahead;
                let high = self.rest.next()?;
                self.literal(high);
            }
        }
        self.read.push(']');
        Some(())
    }

    /// What only has a meaning where there are braces.
    fn brace(&mut self, c: char) -> Option<()> {
        match c {
            '{' => {
                self.depth += 1;
                self.read.push_str("(?:");
            }
            '}' => {
                self.depth = self.depth.checked_sub(1)?;
                self.read.push(')');
            }
            ',' if self.depth > 0 => self.read.push('|'),
            '\\' => {
                let meant = self.rest.next()?;
                self.literal(meant);
            }
            c => self.literal(c),
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of these paths the pattern fits; `None` if it is none.
    fn fitting<'p>(pattern: Option<Pattern>, paths: &[&'p str]) -> Option<Vec<&'p str>> {
        Some(
            paths.iter().copied().filter(|path| pattern.as_ref().is_some_and(|one| one.fits(path))).collect(),
        )
        .filter(|_| pattern.is_some())
    }

    /// Whatever it is that is read: a pattern of files, or the name of an input.
    #[test]
    fn s3_1_a_pattern_fits_the_whole_path_or_its_last_part() {
        let paths =
            ["a.md", "b.md", "ab.md", "x/a.md", "x/y/a.md", "第一章.md", "!a.md", "a", "x-y", "(a+b)|c$"];
        for (pattern, expected) in [
            ("*.md", &["a.md", "b.md", "ab.md", "x/a.md", "x/y/a.md", "第一章.md", "!a.md"][..]),
            ("?.md", &["a.md", "b.md", "x/a.md", "x/y/a.md"]),
            ("第?章.md", &["第一章.md"]),
            ("[第x]*章.md", &["第一章.md"]),
            ("x/*", &["x/a.md"]),
            ("x?a.md", &[]),
            ("*/*/*", &["x/y/a.md"]),
            ("**", &paths),
            ("**/a.md", &["a.md", "x/a.md", "x/y/a.md"]),
            ("x/**", &["x/a.md", "x/y/a.md"]),
            ("x/**/a.md", &["x/a.md", "x/y/a.md"]),
            ("**/**/y/**/**", &["x/y/a.md"]),
            ("a**", &["a.md", "ab.md", "x/a.md", "x/y/a.md", "a"]),
            ("[ab].md", &["a.md", "b.md", "x/a.md", "x/y/a.md"]),
            ("[a-a].md", &["a.md", "x/a.md", "x/y/a.md"]),
            ("[!a].md", &["b.md"]),
            ("[^a].md", &["b.md"]),
            ("[!]].md", &["a.md", "b.md", "x/a.md", "x/y/a.md"]),
            ("x[a-]y", &["x-y"]),
            ("x[-a]y", &["x-y"]),
            ("!?.md", &["!a.md"]),
            ("(a+b)|c[$]", &["(a+b)|c$"]),
            ("*b)|c$", &["(a+b)|c$"]),
            ("[&&~~+--]*", &[]),
            ("*A.md", &[]),
        ] {
            assert_eq!(fitting(Pattern::new(pattern), &paths).as_deref(), Some(expected), "{pattern}");
            assert_eq!(fitting(Pattern::of_name(pattern), &paths).as_deref(), Some(expected), "{pattern}");
        }
    }

    #[test]
    fn braces_and_backslashes_are_letters_in_the_name_of_an_input() {
        let paths = ["a.md", "a.txt", "a.*", "{a,b}.md", "a\\b.md", "a,b.md", "x/b.md"];
        for (pattern, expected, as_name) in [
            ("*.{md,txt}", &["a.md", "a.txt", "{a,b}.md", "a\\b.md", "a,b.md", "x/b.md"][..], &[][..]),
            ("{a,{b,c}}.m*", &["a.md", "x/b.md"], &[]),
            ("{x/**,a}.?d", &["a.md", "x/b.md"], &[]),
            ("a.\\*", &["a.*"], &[]),
            ("?,b.md", &["a,b.md"], &["a,b.md"]),
            ("{a,b}.*", &["a.md", "a.txt", "a.*", "x/b.md"], &["{a,b}.md"]),
            ("\\{a,b\\}.*", &["{a,b}.md"], &[]),
            ("a\\*", &[], &["a\\b.md"]),
            ("*[\\]b.md", &["a\\b.md"], &["a\\b.md"]),
            ("*[{]*[}]*", &["{a,b}.md"], &["{a,b}.md"]),
        ] {
            assert_eq!(fitting(Pattern::new(pattern), &paths).as_deref(), Some(expected), "{pattern}");
            assert_eq!(fitting(Pattern::of_name(pattern), &paths).as_deref(), Some(as_name), "{pattern}");
        }
    }

    #[test]
    fn what_is_not_closed_or_goes_backwards_is_no_pattern() {
        for pattern in ["[", "a[", "[]", "[!]", "[a", "[b-a]", "a[-"] {
            assert!(Pattern::new(pattern).is_none(), "{pattern}");
            assert!(Pattern::of_name(pattern).is_none(), "{pattern}");
        }
        for pattern in ["{a", "a}", "{a,{b}", "{a}}", "a\\"] {
            assert!(Pattern::new(pattern).is_none(), "{pattern}");
        }
        for name in ["a.md", "{a,b}", "a\\", "}"] {
            assert!(Pattern::of_name(name).is_none(), "{name}");
        }
    }

    /// A pattern that would take many tries, one after the other, is as long as a path can be.
    #[test]
    fn no_pattern_takes_more_than_its_length_times_that_of_the_path() {
        let path = format!("{}/x", "a".repeat(1000));
        assert!(!Pattern::new(&format!("{}b/x", "*a".repeat(300))).unwrap().fits(&path));
        let braces = format!("{}b", "{a,aa,a?}".repeat(100));
        assert!(!Pattern::new(&braces).unwrap().fits(&path));
        assert!(Pattern::new(&"{".repeat(1024)).is_none());
    }
}
