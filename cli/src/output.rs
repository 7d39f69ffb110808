//! The only place that prints.
//!
//! Standard output has results and the documented `→` and `✓` lines, standard error all else. Whatever is printed
//! was made safe for a terminal, and a message is one line, whatever texts it quotes.

use crate::failure::Failure;
use crate::messages::Message;
use anstyle::{AnsiColor, Style};
use crossterm::Command;
use crossterm::cursor::MoveTo;
use crossterm::terminal::{Clear, ClearType};
use serde_json::{Map, Value, json};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use texts::{Explanation, Lang, json_safe, terminal_safe};

/// How many problems of one input are printed; a user corrects the first ones and tries again.
const MAX_PROBLEMS: usize = 50;

/// Both streams, in one language.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    lang: Lang,
    colours: (bool, bool),
    /// Where it goes instead of the streams.
    captured: Option<Captured>,
    /// Whether it goes from there onto the terminal on standard output.
    is_drawn: bool,
}

/// What would have been printed: results, and all else.
pub(crate) type Captured = Arc<Mutex<(String, String)>>;

/// What kind of news the outcome of a command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Ok,
    Warning,
    Failure,
}

/// The mark at the beginning of a line, and its colour.
pub(crate) type Mark = (&'static str, AnsiColor);

const INFO: Mark = ("→", AnsiColor::Cyan);
const OK: Mark = ("✓", AnsiColor::Green);
const WARNING: Mark = ("⚠", AnsiColor::Yellow);
const FAILURE: Mark = ("✗", AnsiColor::Red);

impl Output {
    pub(crate) fn new(
        lang: Lang,
        arguments: &[OsString],
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Self {
        let wanted = colours_wanted(arguments, variable);
        let colours = (wanted && io::stdout().is_terminal(), wanted && io::stderr().is_terminal());
        Self { lang, colours, captured: None, is_drawn: false }
    }

    /// One that prints nothing, for a process whose streams belong to another program: what was printed is in `captured`.
    pub(crate) fn captured(lang: Lang, captured: Captured) -> Self {
        Self { lang, colours: (false, false), captured: Some(captured), is_drawn: false }
    }

    /// Returns the same streams in another language.
    pub(crate) fn in_language(&self, lang: Lang) -> Self {
        Self { lang, ..self.clone() }
    }

    /// Returns one that prints the same, without colours, into `Captured`, for what is drawn onto this terminal from there.
    pub(crate) fn drawn(&self) -> (Self, Captured) {
        let captured = Captured::default();
        let output = Self {
            lang: self.lang,
            colours: (false, false),
            captured: Some(Arc::clone(&captured)),
            is_drawn: self.is_terminal(),
        };
        (output, captured)
    }

    /// The language of what is printed.
    pub(crate) fn lang(&self) -> Lang {
        self.lang
    }

    /// `→ …` on standard output. A missing reader is no error.
    pub(crate) fn info(&self, message: &Message) {
        self.status(INFO, message);
    }

    /// `→ …` on standard error, beside a result on standard output.
    pub(crate) fn notice(&self, message: &Message) {
        self.err(&self.marked(INFO, message, self.colours.1));
    }

    /// A message without a mark on standard output, as part of what was asked for. `indent` is in columns.
    pub(crate) fn entry(&self, indent: usize, message: &Message) -> Result<(), Failure> {
        self.result(&format!("{:indent$}{}\n", "", one_line(&message.render(self.lang))))
    }

    /// The same of a message that quotes what a person wrote: each line of it stays a line, two columns further to the right.
    pub(crate) fn paragraph(&self, indent: usize, message: &Message) -> Result<(), Failure> {
        self.hanging(indent, indent + 2, message)
    }

    /// The same with the further lines at the column `further`.
    pub(crate) fn hanging(&self, indent: usize, further: usize, message: &Message) -> Result<(), Failure> {
        let text = message.render(self.lang);
        let mut lines = text.trim_end().lines();
        let first = lines.next().unwrap_or_default();
        let mut paragraph = format!("{:indent$}{}\n", "", one_line(first));
        for line in lines {
            let line = one_line(line);
            let indent = if line.is_empty() { 0 } else { further };
            paragraph.push_str(&format!("{:indent$}{line}\n", ""));
        }
        self.result(&paragraph)
    }

    /// A message without a mark on standard output, with the mark of its tone in front of it instead of an indent.
    pub(crate) fn marked_entry(&self, tone: Tone, message: &Message) -> Result<(), Failure> {
        self.result(&self.marked(mark(tone), message, self.colours.0))
    }

    /// What to do about the entry before, on standard output.
    pub(crate) fn advice(&self, hint: &Message) -> Result<(), Failure> {
        self.result(&self.hint(&hint.render(self.lang)))
    }

    /// A word for a program on standard output.
    pub(crate) fn line(&self, word: &str) {
        // If this fails, the reader has gone away.
        let _ = self.out(&format!("{word}\n"));
    }

    /// A line of a contract on standard output, the same in every language, with quoted text made harmless. A missing reader is
    /// no error.
    pub(crate) fn plain(&self, line: &str) {
        self.line(&one_line(line));
    }

    /// A question on standard error, whose answer is to be typed behind it.
    pub(crate) fn ask(&self, question: &Message) {
        self.err(&format!("{} ", one_line(&question.render(self.lang))));
    }

    /// A text on standard output, behind which something is to be typed.
    pub(crate) fn prompt(&self, text: &str) -> Result<(), Failure> {
        self.result(&terminal_safe(text))
    }

    /// Rings the bell of the terminal, where there is one.
    pub(crate) fn bell(&self) {
        const BELL: &str = "\u{7}";
        if self.captured.is_some() {
            return;
        }
        if io::stderr().is_terminal() {
            self.err(BELL);
        } else if let Ok(terminal) = File::options().write(true).open("/dev/tty") {
            // A user may sit there although an agent reads the output.
            let _ = write(terminal, BELL);
        }
    }

    /// A picture of characters on standard output, light on dark whatever the terminal's own colours are.
    pub(crate) fn picture(&self, lines: &[String]) {
        let style = if self.colours.0 {
            Style::new().fg_color(Some(AnsiColor::BrightWhite.into())).bg_color(Some(AnsiColor::Black.into()))
        } else {
            Style::new()
        };
        let text: String = lines.iter().map(|line| format!("{style}{line}{style:#}\n")).collect();
        let _ = self.out(&text);
    }

    /// Whether both streams are a terminal that a person sits at: an agent that reads them gets nothing but text.
    pub(crate) fn has_own_terminal(&self) -> bool {
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        self.captured.is_none() && !is_dumb && io::stdout().is_terminal() && io::stderr().is_terminal()
    }

    /// A sequence for the terminal, where there is one ([`Self::has_own_terminal`]).
    pub(crate) fn to_terminal(&self, sequence: &str) {
        if self.has_own_terminal() {
            self.err(sequence);
        }
    }

    /// Whether colours may be used on standard output.
    pub(crate) fn in_colour(&self) -> bool {
        self.colours.0
    }

    /// What another process of this program has said, on standard error.
    pub(crate) fn relay(&self, text: &str) {
        self.err(&terminal_safe(text));
    }

    /// `✓ …` on standard output. A missing reader is no error.
    pub(crate) fn ok(&self, message: &Message) {
        self.status(OK, message);
    }

    /// What a command that succeeded has to say, on standard output, with the mark of its tone.
    pub(crate) fn outcome(&self, tone: Tone, message: &Message) {
        self.status(mark(tone), message);
    }

    /// Makes the terminal on standard output empty, for what is shown anew.
    pub(crate) fn clear(&self) {
        // Home, and everything below; what was there before can still be scrolled to.
        let mut text = String::new();
        let _ = MoveTo(0, 0).write_ansi(&mut text);
        let _ = Clear(ClearType::All).write_ansi(&mut text);
        let _ = self.out(&text);
    }

    /// Whether a person reads what is printed on standard error, on a terminal where a line can be rewritten.
    pub(crate) fn has_error_terminal(&self) -> bool {
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        self.captured.is_none() && !is_dumb && io::stderr().is_terminal()
    }

    /// How far work is, on standard error, with what it takes to rewrite the line.
    pub(crate) fn progress(&self, text: &str) {
        self.err(text);
    }

    /// Whether a person reads what is printed.
    pub(crate) fn is_terminal(&self) -> bool {
        self.is_drawn || self.captured.is_none() && io::stdout().is_terminal()
    }

    /// `⚠ …` on standard error.
    pub(crate) fn warning(&self, message: &Message) {
        self.err(&self.marked(WARNING, message, self.colours.1));
    }

    /// What went wrong, as a warning.
    pub(crate) fn warning_of(&self, failure: &Failure) {
        self.err(&marked(WARNING, &failure.explain(self.lang).what, self.colours.1));
    }

    /// What went wrong, as a warning, then what to do.
    pub(crate) fn warning_about(&self, failure: &Failure) {
        self.err(&self.warning_text(failure, self.colours.1));
    }

    /// The same on standard output, as what was asked for.
    pub(crate) fn entry_about(&self, failure: &Failure) -> Result<(), Failure> {
        self.result(&self.warning_text(failure, self.colours.0))
    }

    fn warning_text(&self, failure: &Failure, in_colour: bool) -> String {
        let Explanation { what, hint, lines, .. } = failure.explain(self.lang);
        let mut text = marked(WARNING, &what, in_colour);
        text.extend(hint.map(|hint| self.hint(&hint)));
        text.extend(lines.iter().map(|line| format!("  {}\n", one_line(line))));
        text
    }

    /// A warning, then what to do.
    pub(crate) fn warning_with(&self, message: &Message, hint: &Message) {
        let mut text = self.marked(WARNING, message, self.colours.1);
        text.push_str(&self.hint(&hint.render(self.lang)));
        self.err(&text);
    }

    /// `→ …` on standard output, as what was asked for.
    pub(crate) fn found(&self, message: &Message) -> Result<(), Failure> {
        self.result(&self.marked(INFO, message, self.colours.0))
    }

    /// `✗ …` on standard error, then what to do, then what else is wrong.
    pub(crate) fn failure(&self, failure: &Failure) {
        let Explanation { what, quote, hint, lines } = failure.explain(self.lang);
        let mut text = marked(FAILURE, &what, self.colours.1);
        if let Some(quote) = quote {
            text.push_str(&format!("  {}\n", one_line(&quote)));
        }
        if let Some(hint) = hint {
            text.push_str(&self.hint(&hint));
        }
        let mut line = |indented: String| {
            text.push_str("  ");
            text.push_str(&one_line(&indented));
            text.push('\n');
        };
        lines.into_iter().for_each(&mut line);
        if !failure.more.is_empty() {
            line(Message::MoreProblems { count: failure.more.len() }.render(self.lang));
            for problem in failure.more.iter().take(MAX_PROBLEMS) {
                line(format!("- {}", texts::problem(self.lang, problem)));
            }
            if let Some(count) = failure.more.len().checked_sub(MAX_PROBLEMS).filter(|count| *count > 0) {
                line(format!("- {}", Message::ProblemsLeftOut { count }.render(self.lang)));
            }
        }
        self.err(&text);
    }

    /// What went wrong as one line of JSON on standard error: `error`, the exit code as `code`, and `details`. `words` stand for
    /// the error where they are part of a contract.
    pub(crate) fn failure_json(&self, failure: &Failure, words: Option<String>, details: Map<String, Value>) {
        let words = words.unwrap_or_else(|| failure.explain(self.lang).what);
        let line = json!({ "error": words, "code": failure.code, "details": details });
        self.err(&format!("{}\n", json_safe(&line.to_string())));
    }

    /// Compact JSON and nothing else on standard output. A reader who has gone away has seen enough.
    pub(crate) fn json(&self, json: &str) -> Result<(), Failure> {
        self.result(&format!("{}\n", json_safe(json)))
    }

    /// What an agent reads, on standard output. Returns whether it could be written.
    pub(crate) fn hand_over(&self, json: &str) -> bool {
        self.out(&format!("{}\n", json_safe(json))).is_ok()
    }

    /// What wakes an agent, on standard error. Returns whether it could be written.
    pub(crate) fn wake(&self, text: &str) -> bool {
        self.captured.is_none() && write(io::stderr().lock(), &terminal_safe(text)).is_ok()
    }

    /// Text of several lines on standard output.
    pub(crate) fn text(&self, text: &str) -> Result<(), Failure> {
        self.result(&terminal_safe(text))
    }

    fn result(&self, text: &str) -> Result<(), Failure> {
        match self.out(text) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::cannot_print(error)),
            _ => Ok(()),
        }
    }

    fn hint(&self, hint: &str) -> String {
        let label = match self.lang {
            Lang::Zh => "建议",
            Lang::En => "hint",
        };
        format!("  {label}: {}\n", one_line(hint))
    }

    fn status(&self, mark: Mark, message: &Message) {
        // The page is served and the answer kept whether or not this line is read.
        let _ = self.out(&self.marked(mark, message, self.colours.0));
    }

    fn out(&self, text: &str) -> io::Result<()> {
        match &self.captured {
            Some(captured) => {
                captured.lock().unwrap_or_else(PoisonError::into_inner).0.push_str(text);
                Ok(())
            }
            None => write(io::stdout().lock(), text),
        }
    }

    fn err(&self, text: &str) {
        match &self.captured {
            Some(captured) => captured.lock().unwrap_or_else(PoisonError::into_inner).1.push_str(text),
            None => {
                // There is no other place to report that this failed.
                let _ = write(io::stderr().lock(), text);
            }
        }
    }

    fn marked(&self, mark: Mark, message: &Message, in_colour: bool) -> String {
        marked(mark, &message.render(self.lang), in_colour)
    }
}

fn marked((mark, colour): Mark, text: &str, in_colour: bool) -> String {
    let style = if in_colour { Style::new().fg_color(Some(colour.into())) } else { Style::new() };
    format!("{style}{mark}{style:#} {}\n", one_line(text))
}

/// The mark at the beginning of a printed line.
pub(crate) fn mark_of(line: &str) -> Option<Mark> {
    let is_marked = |(mark, _): &Mark| line.strip_prefix(mark).is_some_and(|rest| rest.starts_with(' '));
    [INFO, OK, WARNING, FAILURE].into_iter().find(is_marked)
}

fn mark(tone: Tone) -> Mark {
    match tone {
        Tone::Ok => OK,
        Tone::Warning => WARNING,
        Tone::Failure => FAILURE,
    }
}

/// In one piece, so that lines of several processes do not mix.
fn write(mut stream: impl Write, text: &str) -> io::Result<()> {
    stream.write_all(text.as_bytes())?;
    stream.flush()
}

/// What a message quotes must not look like a message of its own.
fn one_line(text: &str) -> String {
    terminal_safe(text).replace('\n', "\\n")
}

/// Asked before the command line is understood, because that can fail, and then says why.
fn colours_wanted(arguments: &[OsString], variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let mut flags = arguments.iter().take_while(|argument| *argument != "--");
    !flags.any(|flag| flag == "--no-color")
        && variable("NO_COLOR").is_none_or(|value| value.is_empty())
        && variable("TERM").is_none_or(|term| term != "dumb")
}

#[cfg(test)]
mod tests {
    use super::{Output, colours_wanted, one_line};
    use crate::messages::Message;
    use std::ffi::OsString;
    use texts::Lang;

    #[test]
    fn colours_can_be_refused() {
        let variables = |set: &'static [(&str, &str)]| {
            move |name: &str| set.iter().find(|(set, _)| *set == name).map(|(_, value)| value.into())
        };
        let words = |words: &[&str]| -> Vec<OsString> { words.iter().map(Into::into).collect() };
        assert!(colours_wanted(&[], variables(&[])));
        assert!(colours_wanted(&[], variables(&[("NO_COLOR", ""), ("TERM", "xterm")])));
        assert!(!colours_wanted(&[], variables(&[("NO_COLOR", "1")])));
        assert!(!colours_wanted(&[], variables(&[("TERM", "dumb")])));
        assert!(!colours_wanted(&words(&["--no-color", "list"]), variables(&[])));
        assert!(!colours_wanted(&words(&["workflow", "list", "--no-color"]), variables(&[])));
        assert!(colours_wanted(&words(&["orchestrate", "--", "--no-color"]), variables(&[])));
    }

    #[test]
    fn colour_is_on_the_mark_alone() {
        let output = Output { lang: Lang::En, colours: (true, true), captured: None, is_drawn: false };
        let line = output.marked(super::OK, &Message::Decided, true);
        assert_eq!(line, "\u{1b}[32m✓\u{1b}[0m The decision has been made\n");
        assert_eq!(output.marked(super::OK, &Message::Decided, false), "✓ The decision has been made\n");
    }

    #[test]
    fn a_message_stays_on_its_line() {
        assert_eq!(one_line("a\n✓ done\u{1b}[1A\r"), "a\\n✓ done\\u{1b}[1A\\u{d}");
    }
}
