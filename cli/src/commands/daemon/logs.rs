//! `aide daemon logs`

use super::help;
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::{DaemonMessage, Message};
use crate::user_daemon::Place;
use clap::ArgMatches;
use daemon::Logs;
use files::FileError;
use std::io;
use std::thread;
use std::time::Duration;
use texts::Need;

/// How many lines are shown by default.
const USUAL: usize = 50;
/// How often to look for more.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// `aide daemon logs`
pub(super) static COMMAND: Command = Command { name: "logs", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .shared_command(COMMAND.name, words.logs, "{finger} daemon logs [OPTIONS]", words.logs_after)
        .arg(layout.flag("follow", words.follow).short('f'))
        .arg(layout.value("lines", "COUNT", words.lines).short('n'))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let count = match text(matches, "lines") {
        None => USUAL,
        Some(given) => given.to_str().and_then(|given| given.parse().ok()).ok_or_else(|| {
            Failure::flag(
                "--lines",
                given.to_string_lossy().into_owned(),
                Need::Integer { min: 0, max: i64::MAX },
            )
        })?,
    };
    let logs = Logs::below(Place::of_user()?.path());
    let (lines, mut reading) = logs.last_lines(count).map_err(|error| unreadable(&logs, error))?;
    context.output.text(&lines)?;
    while is_set(matches, "follow") {
        thread::sleep(POLL_INTERVAL);
        // One that is being replaced is there the next time.
        let more = reading.more().unwrap_or_default();
        if !more.is_empty() {
            context.output.text(&more)?;
        }
    }
    Ok(DONE)
}

/// That the log cannot be read, or is not there.
fn unreadable(logs: &Logs, error: io::Error) -> Failure {
    let path = logs.path().to_owned();
    match error.kind() {
        io::ErrorKind::NotFound => Failure::new(Message::daemon(DaemonMessage::NoLog { path }), None),
        _ => FileError::Io { path, source: error }.into(),
    }
}
