//! The terminal while the form is on it, and its return to what it was.

use super::canvas::Canvas;
use super::view::Frame;
use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::execute;
use crossterm::terminal::{
    self, Clear, ClearType, DisableLineWrap, EnableLineWrap, EnterAlternateScreen, LeaveAlternateScreen,
};
use ratatui_core::layout::Size;
use std::io::{self, Write};
use std::panic;

/// Of a terminal that does not say.
const USUAL: Size = Size { width: 80, height: 24 };
/// Larger than any; each cell takes memory.
const LARGEST: Size = Size { width: 1000, height: 1000 };

/// The terminal is the form's until this is dropped, in whichever way that comes about.
pub(crate) struct Screen(Canvas);

impl Screen {
    pub(crate) fn enter(in_colour: bool) -> io::Result<Self> {
        give_back_before_a_panic();
        terminal::enable_raw_mode()?;
        // Dropped when the rest fails.
        let screen = Self(Canvas::new(in_colour, measure()));
        // A line that the terminal takes to be wider than it is would push all others out of their places.
        execute!(
            io::stdout().lock(),
            EnterAlternateScreen,
            EnableBracketedPaste,
            DisableLineWrap,
            Hide,
            Clear(ClearType::All)
        )?;
        Ok(screen)
    }

    pub(crate) fn size(&self) -> Size {
        self.0.size()
    }

    /// Takes note of a new size. Of what the terminal has made of the old rows nothing is left.
    pub(crate) fn resize(&mut self) -> io::Result<()> {
        self.0.clear(measure());
        execute!(io::stdout().lock(), Clear(ClearType::All))
    }

    /// Draws what has changed since the last frame, in one piece: no half of it is seen.
    pub(crate) fn draw(&mut self, frame: Frame) -> io::Result<()> {
        send(&self.0.draw(frame.lines.into(), frame.cursor)?)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// As it was before. Once too often does no harm.
fn give_back() {
    // A terminal that is gone needs nothing any more.
    let _ = execute!(io::stdout().lock(), DisableBracketedPaste, EnableLineWrap, Show, LeaveAlternateScreen);
    let _ = terminal::disable_raw_mode();
}

/// What a panic says would be lost with the screen it is said on.
fn give_back_before_a_panic() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |what| {
        give_back();
        before(what);
    }));
}

/// In one piece.
pub(super) fn send(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

pub(super) fn measure() -> Size {
    terminal::size().map_or(USUAL, usable)
}

fn usable((width, height): (u16, u16)) -> Size {
    if width == 0 || height == 0 {
        return USUAL;
    }
    Size { width: width.min(LARGEST.width), height: height.min(LARGEST.height) }
}

#[cfg(test)]
mod tests {
    use super::{LARGEST, USUAL, usable};
    use ratatui_core::layout::Size;

    #[test]
    fn whatever_size_a_terminal_says_there_is_something_to_draw_on() {
        let cases = [
            ((132, 43), Size::new(132, 43)),
            ((0, 24), USUAL),
            ((80, 0), USUAL),
            ((u16::MAX, u16::MAX), LARGEST),
        ];
        for (said, expected) in cases {
            assert_eq!(usable(said), expected);
        }
    }
}
