//! Lines on a terminal that are shown anew whenever they change: what stays is not written again, and a new size of the terminal
//! is followed.

use super::canvas::Canvas;
use super::screen;
use super::text::{columns, wrap};
use crate::failure::Failure;
use crate::output::{Output, mark_of};
use crossterm::cursor::MoveTo;
use crossterm::queue;
use crossterm::terminal::{Clear, ClearType};
use ratatui_core::layout::{Position, Size};
use ratatui_core::style::Color;
use ratatui_core::text::{Line, Span, Text};
use rustix::process::Signal as Resumed;
use std::sync::PoisonError;
use std::time::Duration;
use std::{io, iter, mem};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time;

/// A change of the size comes in many steps while a window is dragged.
const SETTLE: Duration = Duration::from_millis(20);

/// Shows it on an output: on a terminal in the place of what was shown before, else below it.
pub(crate) struct Live<'o> {
    output: &'o Output,
    drawing: Option<Drawing>,
}

/// What stands on a terminal.
struct Drawing {
    in_colour: bool,
    /// `None` while that is something else.
    canvas: Option<Canvas>,
}

/// What happens to a terminal without the program.
pub(crate) struct Disturbances {
    resized: Signal,
    /// After a stop, during which a shell has used the terminal.
    resumed: Signal,
}

impl<'o> Live<'o> {
    /// `for_people` is false for what only programs read.
    pub(crate) fn new(output: &'o Output, for_people: bool) -> Self {
        let is_drawn = for_people && output.is_terminal();
        let drawing = is_drawn.then(|| Drawing { in_colour: output.in_colour(), canvas: None });
        Self { output, drawing }
    }

    /// Whether it is shown on a terminal.
    pub(crate) fn is_on_terminal(&self) -> bool {
        self.drawing.is_some()
    }

    /// Something else was written to the terminal: what is shown next is written from the beginning.
    pub(crate) fn forget(&mut self) {
        if let Some(drawing) = &mut self.drawing {
            drawing.canvas = None;
        }
    }

    /// Shows what `print` prints. What has no room on the screen is printed instead: a terminal keeps its beginning for
    /// scrolling, and a link that it breaks is still one link.
    pub(crate) fn show(&mut self, print: impl Fn(&Output) -> Result<(), Failure>) -> Result<(), Failure> {
        let Some(drawing) = &mut self.drawing else { return print(self.output) };
        let (output, printed) = self.output.drawn();
        print(&output)?;
        let text = mem::take(&mut printed.lock().unwrap_or_else(PoisonError::into_inner).0);
        match drawing.draw(&text, screen::measure()).map_err(Failure::cannot_print)? {
            Some(bytes) => screen::send(&bytes).map_err(Failure::cannot_print),
            None => {
                self.output.clear();
                print(self.output)
            }
        }
    }
}

impl Disturbances {
    /// Needs a runtime.
    pub(crate) fn listen() -> io::Result<Self> {
        let resumed = signal(SignalKind::from_raw(Resumed::CONT.as_raw()))?;
        Ok(Self { resized: signal(SignalKind::window_change())?, resumed })
    }

    /// Waits until what was shown does not stand on the terminal any more as it was.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.resized.recv() => time::sleep(SETTLE).await,
            _ = self.resumed.recv() => {}
        }
    }
}

impl Drawing {
    /// `None` if `text` has no room on a screen of `size`, with a row for the cursor below it.
    fn draw(&mut self, text: &str, size: Size) -> io::Result<Option<Vec<u8>>> {
        let width = usize::from(size.width);
        let breaks_link = text.lines().any(|line| line.contains("://") && columns(line) > width);
        let rows: Vec<Line<'_>> = text.lines().flat_map(|line| rows(line, width)).collect();
        let below = u16::try_from(rows.len()).ok().filter(|below| *below < size.height && !breaks_link);
        let Some(below) = below else {
            self.canvas = None;
            return Ok(None);
        };
        let mut bytes = Vec::new();
        if self.canvas.as_ref().is_none_or(|canvas| canvas.size() != size) {
            queue!(bytes, MoveTo(0, 0), Clear(ClearType::All))?;
            self.canvas = None;
        }
        let canvas = self.canvas.get_or_insert_with(|| Canvas::new(self.in_colour, size));
        bytes.extend(canvas.draw(Text::from(rows), Some(Position::new(0, below)))?);
        Ok(Some(bytes))
    }
}

/// A printed line on as many rows as it takes. Its mark has its colour; what another row begins with is no mark.
fn rows(line: &str, width: usize) -> impl Iterator<Item = Line<'static>> {
    let mut rows = wrap(line, width).into_iter();
    let first = rows.next().unwrap_or_default();
    let marked = mark_of(line).and_then(|(mark, colour)| {
        let mark_alone = Span::styled(mark, Color::from(colour));
        Some(Line::from(vec![mark_alone, Span::raw(first.strip_prefix(mark)?.to_owned())]))
    });
    iter::once(marked.unwrap_or_else(|| Line::from(first))).chain(rows.map(Line::from))
}

#[cfg(test)]
mod tests {
    use super::Drawing;
    use ratatui_core::layout::Size;

    const SIZE: Size = Size { width: 20, height: 6 };

    fn drawing() -> Drawing {
        Drawing { in_colour: true, canvas: None }
    }

    fn terminal(size: Size) -> vt100::Parser {
        vt100::Parser::new(size.height.try_into().unwrap(), size.width.try_into().unwrap(), 0)
    }

    #[test]
    fn what_is_shown_takes_the_place_of_what_was() {
        let (mut terminal, mut drawing) = (terminal(SIZE), drawing());
        terminal.process("$ aide\r\nwarning\r\n".as_bytes());
        for text in ["→ 方案: p\na  运行中  agent_a\n\nend\n", "→ 方案: p\na  完成\n", "\n"] {
            terminal.process(&drawing.draw(text, SIZE).unwrap().unwrap());
            assert_eq!(terminal.screen().contents(), text.trim_end());
            let below = u16::try_from(text.lines().count()).unwrap();
            assert_eq!(
                (terminal.screen().cursor_position(), terminal.screen().hide_cursor()),
                ((below, 0), false)
            );
        }
    }

    #[test]
    fn what_stays_is_not_written_again() {
        let mut drawing = drawing();
        drawing.draw("one\ntwo\n", SIZE).unwrap();
        let written = String::from_utf8(drawing.draw("one\n2\n", SIZE).unwrap().unwrap()).unwrap();
        assert!(written.contains('2') && !written.contains("one"), "{written:?}");
    }

    #[test]
    fn another_size_is_drawn_from_the_beginning() {
        let mut drawing = drawing();
        drawing.draw("one\ntwo\n", SIZE).unwrap();
        let wide = Size { width: 30, height: 8 };
        let mut terminal = terminal(wide);
        terminal.process("one two three four".as_bytes());
        terminal.process(&drawing.draw("one\ntwo\n", wide).unwrap().unwrap());
        assert_eq!(terminal.screen().contents(), "one\ntwo");
    }

    #[test]
    fn what_has_no_room_is_not_drawn() {
        let mut drawing = drawing();
        let cases = [
            ("1\n2\n3\n4\n5\n", true),
            ("1\n2\n3\n4\n5\n6\n", false),
            ("1\n2\n3\n4\none two three four five\n", false),
            ("see http://host/path", true),
            ("see http://host/path/", false),
        ];
        for (text, has_room) in cases {
            assert_eq!(drawing.draw(text, SIZE).unwrap().is_some(), has_room, "{text:?}");
        }
        // Meanwhile that stands there.
        let mut terminal = terminal(SIZE);
        terminal.process("see http://host/path/".as_bytes());
        terminal.process(&drawing.draw("1\n2\n", SIZE).unwrap().unwrap());
        assert_eq!(terminal.screen().contents(), "1\n2");
    }

    #[test]
    fn only_the_beginning_of_a_line_has_a_mark() {
        let (mut terminal, mut drawing) = (terminal(SIZE), drawing());
        let text = "✓ done by the agents ✓ all\n  ✓ x\n✓y\n\tz\n";
        terminal.process(&drawing.draw(text, SIZE).unwrap().unwrap());
        assert_eq!(terminal.screen().contents(), "✓ done by the agents\n✓ all\n  ✓ x\n✓y\n    z");
        let cells = (0..5).flat_map(|row| (0..20).map(move |column| (row, column)));
        let is_coloured = |(row, column): &(u16, u16)| {
            terminal.screen().cell(*row, *column).unwrap().fgcolor() != vt100::Color::Default
        };
        assert_eq!(cells.filter(is_coloured).collect::<Vec<_>>(), [(0, 0)]);
    }
}
