//! `aide orchestrate`

mod prompt;
mod watch;

use super::{given, help};
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::input_file;
use crate::messages::{DaemonMessage, Message};
use crate::remote::{self, Remote, Trouble};
use clap::ArgMatches;
use client::Retry;
use model::workflow::requests::MessageRequest;
use serde_json::json;
use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::time::Duration;
use texts::Need;

const TASK: &str = "TASK";
/// Who begins workflows.
pub(super) const TARGET: &str = "finger-orchestrator";
/// How often a daemon is looked for that is gone.
const INTERVAL: Duration = Duration::from_millis(500);
/// For how long, in seconds, if nobody says.
const USUAL_PATIENCE: u32 = 30;
/// The same, for whoever cannot say.
pub(super) const USUAL_RETRY: Retry = Retry { interval: INTERVAL, attempts: USUAL_PATIENCE * 2 };
/// And at most: a day.
const MAX_PATIENCE: u32 = 86_400;

/// `aide orchestrate`
pub(crate) static COMMAND: Command = Command { name: "orchestrate", build, run };

/// What is printed while the workflow goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// The lines of the contract.
    Text,
    /// Each event as a line of JSON.
    Json,
    /// Each event as a server tells it.
    Stream,
    /// Nothing.
    Silent,
}

/// How a workflow is watched.
struct How {
    mode: Mode,
    /// Whether what is declared for the case that nobody answers is the answer.
    takes_defaults: bool,
    retry: Retry,
}

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let usage = "{finger} orchestrate [OPTIONS] [TASK]";
    layout
        .shared_command(COMMAND.name, words.orchestrate, usage, words.orchestrate_after)
        .arg(layout.positional(TASK, words.task).allow_hyphen_values(true))
        .arg(layout.value("file", "FILE", words.task_file))
        .arg(layout.value("session", "SESSION", words.session).short('s'))
        .arg(layout.flag("watch", words.watch).short('w').conflicts_with("blocking"))
        .arg(layout.flag("stream", words.stream).conflicts_with_all(["blocking", "json"]))
        .arg(layout.flag("blocking", words.blocking))
        .arg(layout.flag("yes", words.yes).short('y'))
        .arg(layout.value("reconnect", "SECONDS", words.reconnect))
        .args(remote::flags(layout))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    remote::ask(context, matches, async |remote| {
        let how = How::read(matches, remote.json)?;
        let message = message(context, matches)?;
        match how {
            Some(how) => watch::watch(remote, &how, &message).await,
            None => begin(remote, &message).await,
        }
    })
}

impl How {
    /// `None` if nobody watches.
    fn read(matches: &ArgMatches, json: bool) -> Result<Option<Self>, Failure> {
        let mode = if is_set(matches, "blocking") {
            Mode::Silent
        } else if is_set(matches, "stream") {
            Mode::Stream
        } else if !is_set(matches, "watch") {
            return Ok(None);
        } else if json {
            Mode::Json
        } else {
            Mode::Text
        };
        let patience = patience(matches)?;
        let retry = Retry { interval: INTERVAL, attempts: patience * 2 };
        Ok(Some(Self { mode, takes_defaults: is_set(matches, "yes"), retry }))
    }
}

fn patience(matches: &ArgMatches) -> Result<u32, Failure> {
    let Some(given) = text(matches, "reconnect") else { return Ok(USUAL_PATIENCE) };
    let seconds = given.to_str().and_then(|text| text.parse().ok());
    seconds.filter(|seconds| *seconds <= MAX_PATIENCE).ok_or_else(|| {
        let need = Need::Integer { min: 0, max: MAX_PATIENCE.into() };
        Failure::flag("--reconnect", given.to_string_lossy().into_owned(), need)
    })
}

/// What is to be done: from the arguments, from a file, or from whatever writes into standard input.
fn task(matches: &ArgMatches) -> Result<String, Failure> {
    let read = |argument: &OsStr| -> Result<String, Failure> {
        Ok(String::from_utf8_lossy(&input_file::read(argument)?).trim().to_owned())
    };
    let task = match (given(matches, TASK), text(matches, "file")) {
        (Some(_), Some(_)) => {
            let command = COMMAND.name.to_owned();
            let two = Message::daemon(DaemonMessage::TwoTasks);
            return Err(Failure::usage(two, Message::SeeHelp { command: format!("aide {command}") }));
        }
        (Some(task), None) => task,
        (None, Some(file)) => read(&file)?,
        (None, None) if io::stdin().is_terminal() => String::new(),
        (None, None) => read(OsStr::new("-"))?,
    };
    if model::is_blank(&task) {
        let missing = Message::MissingArgument { argument: format!("<{TASK}>") };
        return Err(Failure::usage(missing, Message::SeeHelp { command: format!("aide {}", COMMAND.name) }));
    }
    Ok(task)
}

fn message(context: &Context, matches: &ArgMatches) -> Result<MessageRequest, Failure> {
    let folder = context.project()?.root().to_string_lossy().into_owned();
    let mut said = json!({ "content": task(matches)? });
    match given(matches, "session") {
        Some(session) => said["sessionId"] = session.into(),
        // A session that is there has its own.
        None => said["projectPath"] = folder.into(),
    }
    Ok(MessageRequest {
        target: TARGET.to_owned(),
        message: said,
        blocking: None,
        sender: Some("cli".to_owned()),
        callback_id: None,
    })
}

async fn begin(remote: &Remote<'_>, message: &MessageRequest) -> Result<u8, Trouble> {
    let accepted = remote.client.send(message).await?;
    if remote.json {
        remote.json(&json!(accepted))?;
    } else {
        remote.line(&format!("Workflow started: {}", accepted.workflow_id.unwrap_or_default()));
    }
    Ok(DONE)
}
