//! A screen as cells. What is drawn on it is written for the rows that have changed.

use ratatui_core::backend::{Backend, ClearType};
use ratatui_core::buffer::{Buffer, Cell};
use ratatui_core::layout::{Position, Rect, Size};
use ratatui_core::style::Color;
use ratatui_core::text::Text;
use ratatui_core::widgets::Widget;
use ratatui_crossterm::CrosstermBackend;
use std::{io, iter};

/// What stands on a screen that was empty.
#[derive(Debug)]
pub(crate) struct Canvas {
    in_colour: bool,
    drawn: Buffer,
}

impl Canvas {
    pub(crate) fn new(in_colour: bool, size: Size) -> Self {
        Self { in_colour, drawn: empty(size) }
    }

    pub(crate) fn size(&self) -> Size {
        self.drawn.area.as_size()
    }

    /// Nothing stands on the screen any more, which may have another size.
    pub(crate) fn clear(&mut self, size: Size) {
        self.drawn = empty(size);
    }

    /// What brings `text` onto the screen, and the cursor to its place; without one it is hidden.
    pub(crate) fn draw(&mut self, text: Text<'_>, cursor: Option<Position>) -> io::Result<Vec<u8>> {
        let mut next = empty(self.size());
        text.render(next.area, &mut next);
        if !self.in_colour {
            next.content.iter_mut().for_each(|cell| cell.fg = Color::Reset);
        }
        let mut bytes = Vec::new();
        let mut backend = CrosstermBackend::new(&mut bytes);
        backend.hide_cursor()?;
        let width = usize::from(next.area.width);
        let rows = iter::zip(self.drawn.content.chunks_mut(width), next.content.chunks(width));
        for (row, (drawn, next)) in (0..).zip(rows) {
            // A character may be wider on the terminal than here: of a row that changes, nothing stays.
            if drawn != next {
                backend.set_cursor_position((0, row))?;
                backend.clear_region(ClearType::CurrentLine)?;
                drawn.fill(Cell::EMPTY);
            }
        }
        backend.draw(self.drawn.diff_iter(&next))?;
        if let Some(cursor) = cursor {
            backend.set_cursor_position(cursor)?;
            backend.show_cursor()?;
        }
        self.drawn = next;
        Ok(bytes)
    }
}

/// A terminal without columns or rows has one of each.
fn empty(size: Size) -> Buffer {
    Buffer::empty(Rect::new(0, 0, size.width.max(1), size.height.max(1)))
}

#[cfg(test)]
mod tests {
    use super::Canvas;
    use ratatui_core::layout::{Position, Size};
    use ratatui_core::style::{Color, Modifier, Style};
    use ratatui_core::text::{Line, Span, Text};

    const SIZE: Size = Size { width: 10, height: 3 };

    fn terminal() -> vt100::Parser {
        vt100::Parser::new(SIZE.height.try_into().unwrap(), SIZE.width.try_into().unwrap(), 0)
    }

    #[test]
    fn whatever_was_there_before_the_screen_shows_what_is_drawn() {
        let mut terminal = terminal();
        let mut canvas = Canvas::new(true, SIZE);
        // This terminal takes the family to be wider than it is here.
        let family = "👨‍👩‍👧 a\n👨‍👩‍👧b\n👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧";
        let frames = [
            "认证方式\nabc",
            "a认证 b\nabc",
            "认 x\n\nd",
            "",
            "e\u{301}t\n，。\n长长长长长",
            "0123456789\nabc",
        ];
        for frame in frames {
            for text in [frame, family, frame] {
                terminal.process(&canvas.draw(Text::raw(text), None).unwrap());
            }
            assert_eq!(terminal.screen().contents(), frame, "{frame:?}");
        }
    }

    #[test]
    fn only_rows_that_change_are_written() {
        let mut canvas = Canvas::new(true, SIZE);
        let mut draw =
            |text: &'static str| String::from_utf8(canvas.draw(Text::raw(text), None).unwrap()).unwrap();
        draw("one\ntwo");
        let written = draw("one\nthree");
        assert!(written.contains("three") && !written.contains("one"), "{written:?}");
        let written = draw("one\nthree");
        assert!(!written.contains("three"), "{written:?}");
    }

    #[test]
    fn the_cursor_is_shown_only_where_something_is_typed() {
        let (mut terminal, mut canvas) = (terminal(), Canvas::new(true, SIZE));
        for cursor in [Some((3, 1)), None, Some((0, 2))] {
            let bytes = canvas.draw(Text::raw("a"), cursor.map(Position::from)).unwrap();
            terminal.process(&bytes);
            let screen = terminal.screen();
            let shown = (!screen.hide_cursor()).then(|| screen.cursor_position());
            assert_eq!(shown, cursor.map(|(column, row)| (row, column)));
        }
    }

    #[test]
    fn without_colours_what_is_bold_stays_bold() {
        let style = Style::new().fg(Color::Red).add_modifier(Modifier::BOLD);
        for (in_colour, expected) in [(true, vt100::Color::Idx(1)), (false, vt100::Color::Default)] {
            let (mut terminal, mut canvas) = (terminal(), Canvas::new(in_colour, SIZE));
            let line = Line::from(Span::styled("a", style));
            terminal.process(&canvas.draw(line.into(), None).unwrap());
            let cell = terminal.screen().cell(0, 0).unwrap();
            assert_eq!((cell.contents(), cell.bold(), cell.fgcolor()), ("a", true, expected));
        }
    }

    /// A text that was not made safe before.
    #[test]
    fn no_text_is_a_sequence_for_the_terminal() {
        let (mut terminal, mut canvas) = (terminal(), Canvas::new(true, SIZE));
        let bytes = canvas.draw(Text::raw("a\u{1b}[2J\u{9b}c\u{7}b"), None).unwrap();
        assert!(!bytes.contains(&7), "{bytes:?}");
        terminal.process(&bytes);
        assert_eq!(terminal.screen().contents(), "a[2Jcb");
    }
}
