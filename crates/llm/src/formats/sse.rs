//! Server-sent events, as far as they carry data.

/// Reads a stream of events, however it is cut into pieces.
#[derive(Debug, Default)]
pub struct SseParser {
    /// The line so far.
    line: Vec<u8>,
    /// The lines of data so far, each with its end.
    data: Vec<u8>,
    is_after_return: bool,
    is_after_first_line: bool,
}

impl SseParser {
    /// Reads on, and hands over the data of each event that is complete.
    pub fn push(&mut self, bytes: &[u8], take: &mut impl FnMut(&[u8])) {
        let mut rest = bytes;
        while let Some(&first) = rest.first() {
            if self.is_after_return && first == b'\n' {
                rest = rest.get(1..).unwrap_or_default();
            }
            self.is_after_return = false;
            let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.line.extend_from_slice(rest);
                return;
            };
            self.line.extend_from_slice(rest.get(..end).unwrap_or_default());
            self.is_after_return = rest.get(end) == Some(&b'\r');
            rest = rest.get(end + 1..).unwrap_or_default();
            self.end_line(take);
        }
    }

    /// The stream has ended, perhaps without the empty line that ends its last event.
    pub fn finish(&mut self, take: &mut impl FnMut(&[u8])) {
        if !self.line.is_empty() {
            self.end_line(take);
        }
        self.end_event(take);
    }

    fn end_line(&mut self, take: &mut impl FnMut(&[u8])) {
        let mut line = self.line.as_slice();
        if !self.is_after_first_line {
            line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        }
        self.is_after_first_line = true;
        if line.is_empty() {
            self.end_event(take);
        } else {
            let colon = line.iter().position(|byte| *byte == b':');
            let (name, value) = match colon {
                Some(colon) => (line.get(..colon), line.get(colon + 1..)),
                None => (Some(line), None),
            };
            if name == Some(b"data") {
                let value = value.unwrap_or_default();
                self.data.extend_from_slice(value.strip_prefix(b" ").unwrap_or(value));
                self.data.push(b'\n');
            }
        }
        self.line.clear();
    }

    fn end_event(&mut self, take: &mut impl FnMut(&[u8])) {
        if let Some(data) = self.data.strip_suffix(b"\n") {
            take(data);
        }
        self.data.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::SseParser;
    use proptest::prelude::*;

    fn events<'p>(pieces: impl IntoIterator<Item = &'p [u8]>) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        let mut take = |data: &[u8]| found.push(data.to_vec());
        let mut events = SseParser::default();
        for piece in pieces {
            events.push(piece, &mut take);
        }
        events.finish(&mut take);
        found
    }

    #[test]
    fn data_is_found_in_every_form() {
        for (text, expected) in [
            ("data: a\n\ndata: b\n\n", &["a", "b"][..]),
            ("data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"]),
            ("data: a\r\rdata: b\r\r", &["a", "b"]),
            (": comment\n\n:\ndata: a\nid: 1\nevent: x\nretry: 3\n\n", &["a"]),
            ("data: a\ndata\ndata:b\ndata:  c\n\n", &["a\n\nb\n c"]),
            ("\u{feff}data: a\n\n\u{feff}data: b\n\n", &["a"]),
            ("data: a", &["a"]),
            ("data: a\n", &["a"]),
            ("\n\n\nid: 1\n\n", &[]),
            ("data:\n\n", &[""]),
            ("datax: a\n\nDATA: a\n\n data: a\n\n", &[]),
            ("", &[]),
        ] {
            let expected: Vec<_> = expected.iter().map(|data| data.as_bytes().to_vec()).collect();
            assert_eq!(events([text.as_bytes()]), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn how_a_stream_is_cut_does_not_matter(
            pieces in prop::collection::vec(
                prop_oneof![
                    prop::sample::select(vec!["data", "data: ", ":", "\n", "\r", "\r\n", "\n\n", " ", "\u{feff}", "x", "[DONE]", "id: 1"])
                        .prop_map(|text| text.as_bytes().to_vec()),
                    prop::collection::vec(any::<u8>(), 0..4),
                ],
                0..40,
            ),
            size in 1..8_usize,
        ) {
            let whole = pieces.concat();
            let expected = events([whole.as_slice()]);
            prop_assert_eq!(&events(whole.chunks(size)), &expected);
            prop_assert_eq!(&events(pieces.iter().map(Vec::as_slice)), &expected);
        }
    }
}
