//! The terminal while the form is on it, and its return to what it was.

use super::view::{Frame, Line, Size, Tone};
use anstyle::{AnsiColor, Effects, Style};
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::terminal::{
    Clear, ClearType, DisableLineWrap, EnableLineWrap, EnterAlternateScreen, LeaveAlternateScreen,
};
use crossterm::{Command, terminal};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::panic;

/// Of a terminal that does not say.
const USUAL: Size = Size { columns: 80, rows: 24 };

/// The terminal is the form's until this is dropped, in whichever way that comes about.
pub(crate) struct Screen {
    in_colour: bool,
    size: Size,
    /// What stands on it, line by line.
    drawn: Vec<String>,
}

impl Screen {
    pub(crate) fn enter(in_colour: bool) -> io::Result<Self> {
        give_back_before_a_panic();
        terminal::enable_raw_mode()?;
        // Dropped when the rest fails.
        let screen = Self { in_colour, size: measure(), drawn: Vec::new() };
        let mut text = String::new();
        // A line that the terminal takes to be wider than it is would push all others out of their places.
        all(
            &mut text,
            &[&EnterAlternateScreen, &EnableBracketedPaste, &DisableLineWrap, &Hide, &Clear(ClearType::All)],
        );
        send(&text)?;
        Ok(screen)
    }

    pub(crate) fn size(&self) -> Size {
        self.size
    }

    /// Takes note of a new size.
    pub(crate) fn resize(&mut self) {
        self.size = measure();
        self.drawn.clear();
    }

    /// Draws what has changed since the last frame.
    pub(crate) fn draw(&mut self, frame: &Frame) -> io::Result<()> {
        let mut text = String::new();
        all(&mut text, &[&Hide]);
        if self.drawn.len() != frame.lines.len() {
            all(&mut text, &[&Clear(ClearType::All)]);
            self.drawn.clear();
        }
        let lines: Vec<String> = frame.lines.iter().map(|line| self.styled(line)).collect();
        for (row, line) in lines.iter().enumerate() {
            if self.drawn.get(row) != Some(line) {
                all(&mut text, &[&at(0, row), &Clear(ClearType::CurrentLine)]);
                text.push_str(line);
            }
        }
        if let Some((column, row)) = frame.cursor {
            all(&mut text, &[&at(column, row), &Show]);
        }
        self.drawn = lines;
        send(&text)
    }

    fn styled(&self, line: &Line) -> String {
        let mut text = String::new();
        for (tone, piece) in &line.0 {
            let style = self.style(*tone);
            let _ = write!(text, "{style}{piece}{style:#}");
        }
        text
    }

    fn style(&self, tone: Tone) -> Style {
        let (effects, colour) = match tone {
            Tone::Plain => (Effects::new(), None),
            Tone::Strong => (Effects::BOLD, None),
            Tone::Faint => (Effects::DIMMED, None),
            Tone::Accent => (Effects::BOLD, Some(AnsiColor::Cyan)),
            Tone::Good => (Effects::new(), Some(AnsiColor::Green)),
            Tone::Bad => (Effects::new(), Some(AnsiColor::Red)),
            Tone::Alert => (Effects::BOLD, Some(AnsiColor::Yellow)),
        };
        let colour = colour.filter(|_| self.in_colour);
        Style::new().effects(effects).fg_color(colour.map(Into::into))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// As it was before. Once too often does no harm.
fn give_back() {
    let mut text = String::new();
    all(&mut text, &[&DisableBracketedPaste, &EnableLineWrap, &Show, &LeaveAlternateScreen]);
    // A terminal that is gone needs nothing any more.
    let _ = send(&text);
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

fn measure() -> Size {
    let Ok((columns, rows)) = terminal::size() else { return USUAL };
    if columns == 0 || rows == 0 { USUAL } else { Size { columns: columns.into(), rows: rows.into() } }
}

fn at(column: usize, row: usize) -> MoveTo {
    let narrow = |number| u16::try_from(number).unwrap_or(u16::MAX);
    MoveTo(narrow(column), narrow(row))
}

fn all(text: &mut String, commands: &[&dyn Ansi]) {
    commands.iter().for_each(|command| command.write_to(text));
}

/// [`Command`] as an object.
trait Ansi {
    fn write_to(&self, text: &mut String);
}

impl<C: Command> Ansi for C {
    fn write_to(&self, text: &mut String) {
        // Writing to a string cannot fail.
        let _ = self.write_ansi(text);
    }
}

fn send(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}
