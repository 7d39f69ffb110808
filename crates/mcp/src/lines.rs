//! Lines of JSON from a stream: whole ones, and of those that are too long or broken the id, so that the client that sent one is
//! answered.

use serde_json::Value;
use std::io::{self, BufRead};

/// How long a line may be, in bytes. Questions have at most 16 MiB; escaped, they may be longer.
pub(crate) const MAX_LINE: usize = 32 << 20;

/// One line.
#[derive(Debug, PartialEq)]
pub(crate) enum Line {
    /// A whole one, without its end.
    Whole(Vec<u8>),
    /// One that is too long, and the id that was found in it.
    TooLong(Option<Value>),
}

/// Reads lines until the stream or `take` ends. The last one need not have an end. Each comes with the moment at which its end was
/// read, as `clock` tells it.
pub(crate) fn read_lines<M: Copy>(
    mut input: impl BufRead,
    mut clock: impl FnMut() -> M,
    mut take: impl FnMut(Line, M) -> bool,
) -> io::Result<()> {
    let mut line = Vec::new();
    let mut skipped: Option<IdFinder> = None;
    // Until nothing of what was read last is left.
    let mut read_at = None;
    loop {
        let buffer = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            buffer => buffer?,
        };
        let moment = *read_at.get_or_insert_with(&mut clock);
        let is_over = buffer.is_empty();
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let part = &buffer[..end.unwrap_or(buffer.len())];
        let used = part.len() + usize::from(end.is_some());
        match &mut skipped {
            Some(finder) => finder.feed(part),
            None if line.len() + part.len() > MAX_LINE => {
                let mut finder = IdFinder::default();
                finder.feed(&line);
                finder.feed(part);
                skipped = Some(finder);
                line = Vec::new();
            }
            None => line.extend_from_slice(part),
        }
        if used == buffer.len() {
            read_at = None;
        }
        input.consume(used);
        if end.is_none() && !is_over {
            continue;
        }
        let read = match skipped.take() {
            Some(finder) => Line::TooLong(finder.into_id()),
            None => Line::Whole(std::mem::take(&mut line)),
        };
        let is_empty = matches!(&read, Line::Whole(line) if line.trim_ascii().is_empty());
        if !is_empty && !take(read, moment) || is_over {
            return Ok(());
        }
    }
}

/// Finds the member `id` of an object that need not be whole, and need not be kept.
#[derive(Debug, Default)]
pub(crate) struct IdFinder {
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    /// Whether the next text of the object itself is the name of a member.
    at_name: bool,
    /// The text that is being read, as far as it can be an id or the name of one.
    text: Vec<u8>,
    /// Whether the member that is being read is the id.
    is_id: bool,
    id: Option<Value>,
}

/// Longer ids than this are not looked for.
const MAX_ID: usize = 256;

impl IdFinder {
    /// Reads on.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    fn step(&mut self, byte: u8) {
        if self.in_string {
            if self.depth == 1 && self.text.len() < MAX_ID {
                self.text.push(byte);
            }
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.text.clear();
                if self.depth == 1 {
                    self.text.push(byte);
                }
            }
            b'{' | b'[' => {
                self.depth += 1;
                self.at_name = self.depth == 1 && byte == b'{';
                self.is_id = false;
                self.text.clear();
            }
            b'}' | b']' => {
                self.end_member();
                self.depth = self.depth.saturating_sub(1);
            }
            b',' if self.depth == 1 => {
                self.end_member();
                self.at_name = true;
            }
            b':' if self.depth == 1 && self.at_name => {
                self.is_id = self.text == b"\"id\"";
                self.at_name = false;
                self.text.clear();
            }
            byte if self.depth == 1 && !byte.is_ascii_whitespace() && self.text.len() < MAX_ID => {
                self.text.push(byte);
            }
            _ => {}
        }
    }

    fn end_member(&mut self) {
        if self.depth == 1 && self.is_id {
            let id = serde_json::from_slice(&self.text).ok();
            self.id = id.filter(|id: &Value| id.is_string() || id.is_i64());
        }
        self.is_id = false;
        self.text.clear();
    }

    /// Returns what was found.
    pub(crate) fn into_id(self) -> Option<Value> {
        self.id
    }

    /// Returns the id in `bytes`.
    pub(crate) fn find(bytes: &[u8]) -> Option<Value> {
        let mut finder = Self::default();
        finder.feed(bytes);
        // The object may be cut off right behind it; a number may be cut off itself.
        if finder.is_id && finder.text.starts_with(b"\"") {
            finder.end_member();
        }
        finder.into_id()
    }
}

#[cfg(test)]
mod tests {
    use super::{IdFinder, Line, MAX_LINE, read_lines};
    use serde_json::{Value, json};
    use std::io::BufReader;

    fn lines(input: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        let clock = || ();
        read_lines(BufReader::with_capacity(64, input), clock, |line, ()| {
            lines.push(line);
            true
        })
        .unwrap();
        lines
    }

    #[test]
    fn lines_that_are_read_together_have_one_moment() {
        let (mut count, mut moments) = (0, Vec::new());
        let clock = || {
            count += 1;
            count
        };
        let input = b"{}\n{}\n{\"a\":1}\n{}\n";
        read_lines(BufReader::with_capacity(8, &input[..]), clock, |_, moment| {
            moments.push(moment);
            true
        })
        .unwrap();
        assert_eq!(moments, [1, 1, 2, 3]);
    }

    #[test]
    fn lines_end_with_a_newline_or_with_the_stream() {
        let whole = |text: &str| Line::Whole(text.as_bytes().to_vec());
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"{}\n\n \r\n[1]\n{\"a\""), [whole("{}"), whole("[1]"), whole("{\"a\"")]);
    }

    #[test]
    fn a_line_that_is_too_long_has_its_id_and_the_next_one_is_read() {
        let filler = "x".repeat(MAX_LINE);
        for id in [json!(7), json!("a\"b"), Value::Null] {
            let text = format!(
                "{{\"method\":\"m\",\"params\":{{\"id\":1,\"a\":\"{filler}\"}},\"id\":{id}}}\n{{}}\n"
            );
            let read = lines(text.as_bytes());
            assert_eq!(
                read,
                [Line::TooLong(Some(id).filter(|id| !id.is_null())), Line::Whole(b"{}".to_vec())]
            );
        }
    }

    #[test]
    fn the_id_is_found_in_what_is_broken() {
        for (text, id) in [
            (r#"{"id":5,"method":"#, Some(json!(5))),
            (r#"{"jsonrpc":"2.0","params":{"id":9},"id": "x" ,"#, Some(json!("x"))),
            (r#"{"id":"x""#, Some(json!("x"))),
            // There may be more of it.
            (r#"{"id":12"#, None),
            (r#"{"params":{"id":9}"#, None),
            (r#"[{"id":9}]"#, None),
            (r#"{"a":"id","b":":3"}"#, None),
            (r#"{"id":1.5}"#, None),
            ("}}]]\"", None),
        ] {
            assert_eq!(IdFinder::find(text.as_bytes()), id, "{text}");
        }
    }
}
