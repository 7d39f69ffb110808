//! What a program writes to its standard output, as far as it is kept.

/// The bytes that are kept, without lines that are too long.
#[derive(Debug)]
pub(crate) struct CapturedOutput {
    kept: Vec<u8>,
    max_line: Option<usize>,
    /// Where the last line begins in `kept`.
    line: usize,
    /// How long the last line is by now, where it is too long to be kept.
    left_out: Option<usize>,
}

impl CapturedOutput {
    /// Nothing yet. No line is too long if there is no `max_line`, in bytes.
    pub(crate) fn new(max_line: Option<usize>) -> Self {
        Self { kept: Vec::new(), max_line, line: 0, left_out: None }
    }

    /// How many bytes are kept.
    pub(crate) fn len(&self) -> usize {
        self.kept.len()
    }

    /// Takes what was written.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let Some(max_line) = self.max_line else {
            self.kept.extend_from_slice(bytes);
            return;
        };
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let is_end = piece.ends_with(b"\n");
            let length = piece.len() - usize::from(is_end);
            let line = self.left_out.unwrap_or(self.kept.len() - self.line) + length;
            if line > max_line {
                self.kept.truncate(self.line);
                self.left_out = Some(line);
            } else {
                self.kept.extend_from_slice(piece);
            }
            if is_end {
                self.end_line();
            }
        }
    }

    /// All that is kept.
    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        self.end_line();
        self.kept
    }

    fn end_line(&mut self) {
        if let Some(length) = self.left_out.take() {
            self.kept.extend_from_slice(format!("[a line of {length} bytes was left out]\n").as_bytes());
        }
        self.line = self.kept.len();
    }
}
