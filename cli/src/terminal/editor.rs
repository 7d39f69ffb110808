//! A text that is being typed, of several lines.

use super::text::{columns, safe};
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

/// So many bytes and no more. Far above any note, far below what a record may hold.
const LIMIT: usize = 64 << 10;

/// A text and the place in it where typing goes on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Editor {
    text: String,
    /// In bytes, always between two clusters.
    cursor: usize,
}

/// The text as rows of a given width, and where the cursor stands among them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Rows {
    pub(crate) rows: Vec<String>,
    /// Column and row.
    pub(crate) cursor: (usize, usize),
}

impl Editor {
    /// The cursor is at the end.
    pub(crate) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), cursor: text.len() }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Puts `text` in. Of the control characters only line breaks and tabs mean anything in a text.
    pub(crate) fn insert(&mut self, text: &str) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\t', "    ");
        for c in text.chars().filter(|c| *c == '\n' || !c.is_control()) {
            if self.text.len() + c.len_utf8() > LIMIT {
                return;
            }
            self.text.insert(self.cursor, c);
            self.cursor += c.len_utf8();
        }
    }

    pub(crate) fn backspace(&mut self) {
        let start = self.before(self.cursor);
        self.text.replace_range(start..self.cursor, "");
        self.cursor = start;
    }

    pub(crate) fn delete(&mut self) {
        let end = self.after(self.cursor);
        self.text.replace_range(self.cursor..end, "");
    }

    /// Removes what stands before the cursor on its line.
    pub(crate) fn delete_to_start(&mut self) {
        let start = self.line_start();
        self.text.replace_range(start..self.cursor, "");
        self.cursor = start;
    }

    /// Removes the word before the cursor.
    pub(crate) fn delete_word(&mut self) {
        let line = &self.text[self.line_start()..self.cursor];
        let start = line.split_word_bound_indices().rfind(|(_, word)| !word.trim().is_empty());
        let start = self.line_start() + start.map_or(0, |(start, _)| start);
        self.text.replace_range(start..self.cursor, "");
        self.cursor = start;
    }

    pub(crate) fn left(&mut self) {
        self.cursor = self.before(self.cursor);
    }

    pub(crate) fn right(&mut self) {
        self.cursor = self.after(self.cursor);
    }

    pub(crate) fn home(&mut self) {
        self.cursor = self.line_start();
    }

    pub(crate) fn end(&mut self) {
        self.cursor = self.line_end();
    }

    /// To the line above; from the first one to its beginning.
    pub(crate) fn up(&mut self) {
        let start = self.line_start();
        if start == 0 {
            self.cursor = 0;
            return;
        }
        let column = columns(&self.text[start..self.cursor]);
        self.cursor = start - 1;
        self.move_to_column(column);
    }

    /// To the line below; from the last one to its end.
    pub(crate) fn down(&mut self) {
        let end = self.line_end();
        if end == self.text.len() {
            self.cursor = end;
            return;
        }
        let column = columns(&self.text[self.line_start()..self.cursor]);
        self.cursor = end + 1;
        self.move_to_column(column);
    }

    /// The text on rows of at most `width` columns.
    pub(crate) fn rows(&self, width: usize) -> Rows {
        let mut rows = vec![String::new()];
        let mut cursor = (0, 0);
        let mut column = 0;
        for (start, cluster) in self.text.grapheme_indices(true) {
            let shown = safe(cluster);
            let wraps = cluster != "\n" && column > 0 && column + columns(&shown) > width;
            if wraps {
                rows.push(String::new());
                column = 0;
            }
            if start == self.cursor {
                cursor = (column, rows.len() - 1);
            }
            if cluster == "\n" {
                rows.push(String::new());
                column = 0;
                continue;
            }
            column += columns(&shown);
            if let Some(row) = rows.last_mut() {
                row.push_str(&shown);
            }
        }
        if self.cursor == self.text.len() {
            if column >= width && column > 0 {
                rows.push(String::new());
                column = 0;
            }
            cursor = (column, rows.len() - 1);
        }
        Rows { rows, cursor }
    }

    fn line_start(&self) -> usize {
        self.text[..self.cursor].rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self) -> usize {
        self.text[self.cursor..].find('\n').map_or(self.text.len(), |at| self.cursor + at)
    }

    /// Within the cursor's line.
    fn move_to_column(&mut self, column: usize) {
        let start = self.line_start();
        let line = &self.text[start..self.line_end()];
        let mut reached = 0;
        let at = line.grapheme_indices(true).find(|(_, cluster)| {
            reached += columns(cluster);
            reached > column
        });
        self.cursor = start + at.map_or(line.len(), |(at, _)| at);
    }

    fn before(&self, place: usize) -> usize {
        let mut cursor = GraphemeCursor::new(place, self.text.len(), true);
        cursor.prev_boundary(&self.text, 0).ok().flatten().unwrap_or_default()
    }

    fn after(&self, place: usize) -> usize {
        let mut cursor = GraphemeCursor::new(place, self.text.len(), true);
        cursor.next_boundary(&self.text, 0).ok().flatten().unwrap_or(self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::{Editor, LIMIT};

    /// The text with `|` at the cursor.
    fn shown(editor: &Editor) -> String {
        format!("{}|{}", &editor.text[..editor.cursor], &editor.text[editor.cursor..])
    }

    fn at(text: &str) -> Editor {
        let (before, after) = text.split_once('|').unwrap();
        Editor { text: format!("{before}{after}"), cursor: before.len() }
    }

    #[test]
    fn keys_change_the_text_where_the_cursor_is() {
        type Case = (&'static str, fn(&mut Editor), &'static str);
        let cases: &[Case] = &[
            ("ab|c", Editor::backspace, "a|c"),
            ("|a", Editor::backspace, "|a"),
            ("a|bc", Editor::delete, "a|c"),
            ("a|", Editor::delete, "a|"),
            ("👨‍👩‍👧|x", Editor::backspace, "|x"),
            ("e\u{301}|", Editor::left, "|e\u{301}"),
            ("|认证", Editor::right, "认|证"),
            ("ab\ncd|e", Editor::home, "ab\n|cde"),
            ("a|b\ncd", Editor::end, "ab|\ncd"),
            ("ab\ncd|e", Editor::up, "ab|\ncde"),
            ("认证\nab|c", Editor::up, "认|证\nabc"),
            ("a|b", Editor::up, "|ab"),
            ("ab|c\nd", Editor::down, "abc\nd|"),
            ("a|b", Editor::down, "ab|"),
            ("x\nab cd|e", Editor::delete_to_start, "x\n|e"),
            ("ab cd |", Editor::delete_word, "ab |"),
            ("ab\n|", Editor::delete_word, "ab\n|"),
        ];
        for (before, key, after) in cases {
            let mut editor = at(before);
            key(&mut editor);
            assert_eq!(shown(&editor), *after, "{before}");
        }
    }

    #[test]
    fn what_is_put_in_is_text() {
        let mut editor = at("a|d");
        editor.insert("b\r\nc\u{1b}[2J\u{7f}\t!");
        assert_eq!(shown(&editor), "ab\nc[2J    !|d");
    }

    #[test]
    fn it_has_an_end() {
        let mut editor = Editor::default();
        editor.insert(&"长".repeat(LIMIT));
        assert!(editor.text.len() <= LIMIT);
    }

    #[test]
    fn rows_are_no_wider_than_asked_for_and_know_the_cursor() {
        let rows = at("abc认|证\nd").rows(5);
        assert_eq!(rows.rows, ["abc认", "证", "d"]);
        assert_eq!(rows.cursor, (0, 1));
        let rows = at("abcde|").rows(5);
        assert_eq!((rows.rows.len(), rows.cursor), (2, (0, 1)));
        let rows = at("ab|\n").rows(5);
        assert_eq!(rows.cursor, (2, 0));
        let rows = at("a\u{202e}|").rows(20);
        assert_eq!((&*rows.rows[0], rows.cursor), ("a\\u{202e}", (9, 0)));
    }
}
