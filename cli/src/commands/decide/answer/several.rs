//! Several open sets, and a user at a terminal who has named none: they choose one, answer it, and come back for the next.
//!
//! Each set is answered by a process of its own: the reader of a form ends with its process.

use super::{COMMAND, RETURNS};
use crate::context::{Context, DONE};
use crate::failure::{FAILED, Failure};
use crate::host::failed;
use crate::messages::Message;
use crate::signals::Signals;
use crate::this_program;
use decide::Entry;
use model::SessionId;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{self, Write as _};
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;
use store::Decisions;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

/// The sets that can be answered, the oldest first.
pub(super) fn open(decisions: &Decisions) -> Result<Vec<Entry>, Failure> {
    Ok(decide::list_open(decisions)?)
}

/// Lets the user answer one after the other until they leave or none is open; the exit code.
pub(super) fn run(context: &Context, decisions: &Decisions) -> Result<u8, Failure> {
    let runtime = crate::host::thread_runtime().map_err(|error| failed(&error))?;
    let signals = runtime.block_on(async { Signals::listen() }).map_err(|error| failed(&error))?;
    let mut sitting = AnswerSession { context, runtime, signals, reading: None };
    let mut has_answered = false;
    loop {
        let open = open(decisions)?;
        let chosen = match open.as_slice() {
            [] => return Ok(DONE),
            // The choice was made when there were others.
            [last] if has_answered && sitting.reading.is_none() => SetChoice::Set(last.session.clone()),
            open => sitting.choose(open, decisions)?,
        };
        let session = match chosen {
            SetChoice::Set(session) => session,
            SetChoice::Changed => continue,
            SetChoice::Nothing => return Ok(if has_answered { DONE } else { FAILED }),
            SetChoice::Interrupted(code) => return Ok(code),
        };
        match sitting.answer(&session)? {
            DONE => has_answered = true,
            // The user has left this set: they choose another, or the same again.
            FAILED if open.len() > 1 => {}
            code => return Ok(code),
        }
    }
}

enum SetChoice {
    Set(SessionId),
    /// Other sets are open by now.
    Changed,
    Nothing,
    Interrupted(u8),
}

struct AnswerSession<'a> {
    context: &'a Context,
    runtime: Runtime,
    signals: Signals,
    /// The line that is being typed: reading it cannot be broken off.
    reading: Option<oneshot::Receiver<io::Result<Option<String>>>>,
}

/// What came while a line was being typed.
enum TypedInput {
    Line(Option<String>),
    Signal(u8),
    Nothing,
}

impl AnswerSession<'_> {
    /// Lists the sets, and asks for the number of one; no longer than these are the ones that are open.
    fn choose(&mut self, listed: &[Entry], decisions: &Decisions) -> Result<SetChoice, Failure> {
        let output = &self.context.output;
        for (index, entry) in listed.iter().enumerate() {
            let lang = self.context.language.messages;
            let (task, items) = (lang.task(&entry.task, &entry.origin).into_owned(), entry.items);
            output.entry(2, &Message::SetToAnswer { number: index + 1, task, items })?;
        }
        loop {
            output.text(&format!(
                "{} ",
                Message::WhichSet { count: listed.len() }.render(self.context.language.messages)
            ))?;
            io::stdout().flush().map_err(|error| failed(&error))?;
            let line = loop {
                match self.line()? {
                    TypedInput::Line(line) => break line,
                    TypedInput::Signal(code) => return Ok(SetChoice::Interrupted(code)),
                    TypedInput::Nothing => {
                        let sessions = |entries: &[Entry]| -> Vec<SessionId> {
                            entries.iter().map(|entry| entry.session.clone()).collect()
                        };
                        if sessions(&open(decisions)?) != sessions(listed) {
                            output.text("\n")?;
                            output.notice(&Message::SetsChanged);
                            return Ok(SetChoice::Changed);
                        }
                    }
                }
            };
            let line = line.as_deref().map(str::trim);
            let number = match line {
                // The end of the input.
                None | Some("q") => return Ok(SetChoice::Nothing),
                Some("") => Some(1),
                Some(text) => text.parse::<usize>().ok(),
            };
            let entry = number.and_then(|number| listed.get(number.checked_sub(1)?));
            if let Some(entry) = entry {
                return Ok(SetChoice::Set(entry.session.clone()));
            }
            // Keys that move a cursor elsewhere type nothing that could be read.
            let typed = line.unwrap_or_default().chars().take_while(|c| !c.is_control()).collect();
            output.warning(&Message::NoSuchSet { typed, count: listed.len() });
        }
    }

    /// Waits for a line that is typed, for a signal, or for a moment.
    fn line(&mut self) -> Result<TypedInput, Failure> {
        if self.reading.is_none() {
            let (sender, read) = oneshot::channel();
            thread::Builder::new()
                .spawn(move || {
                    let mut line = String::new();
                    let length = io::stdin().read_line(&mut line);
                    let _ = sender.send(length.map(|length| (length > 0).then_some(line)));
                })
                .map_err(|error| failed(&error))?;
            self.reading = Some(read);
        }
        let Self { runtime, signals, reading, .. } = self;
        let Some(reading) = reading else { return Ok(TypedInput::Nothing) };
        let typed = runtime.block_on(async {
            tokio::select! {
                biased;
                code = signals.next() => Ok(TypedInput::Signal(code)),
                line = reading => line.unwrap_or(Ok(None)).map(TypedInput::Line),
                () = tokio::time::sleep(POLL_INTERVAL) => Ok(TypedInput::Nothing),
            }
        });
        if !matches!(typed, Ok(TypedInput::Nothing)) {
            self.reading = None;
        }
        typed.map_err(|error| failed(&error))
    }

    /// Runs `aide decide answer` for one set; its exit code.
    fn answer(&mut self, session: &SessionId) -> Result<u8, Failure> {
        let mut command = Command::new(this_program::executable().map_err(|error| failed(&error))?);
        let session = session.to_string();
        command.args(["decide", COMMAND.name, &session, &format!("--{RETURNS}")]);
        command.args(["--lang", self.context.language.setting()]);
        let mut child: Child = command.spawn().map_err(|error| failed(&error))?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let (sender, mut ended) = oneshot::channel();
        thread::Builder::new()
            .spawn(move || _ = sender.send(child.wait()))
            .map_err(|error| failed(&error))?;
        let Self { runtime, signals, .. } = self;
        let status = runtime.block_on(async {
            loop {
                tokio::select! {
                    biased;
                    status = &mut ended => break status,
                    code = signals.next() => if let (Some(signal), Some(pid)) = (passed_on(code), pid) {
                        let _ = kill_process(pid, signal);
                    },
                }
            }
        });
        let status = status.map_err(io::Error::other).flatten().map_err(|error| failed(&error))?;
        Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(FAILED))
    }
}

/// How often is looked whether other sets are open.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The signal that the process which answers has to get from this one, by the exit code that [`Signals`] gives it. Ctrl-C comes to
/// both from the terminal; that it is closed comes to the first process of its session alone.
fn passed_on(code: u8) -> Option<Signal> {
    match code {
        129 => Some(Signal::HUP),
        143 => Some(Signal::TERM),
        _ => None,
    }
}
