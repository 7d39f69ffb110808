//! `aide orchestrate`

mod prompt;
mod unattended;
mod watch;
mod work;

use super::{given, help, input};
use crate::command_line::layout::{Layout, is_set, text};
use crate::command_line::{Command, remote_flags};
use crate::context::{Context, DONE};
use crate::failure::{Failure, RemoteError};
use crate::known;
use crate::remote::{self, Remote};
use clap::{Arg, ArgAction, ArgMatches};
use client::RetryPolicy;
use protocol::workflow::requests::{MessageRequest, ORCHESTRATOR};
use serde_json::{Map, Value, json};
use std::ffi::OsString;
use std::time::Duration;
use texts::Need;

pub(super) use unattended::with_remedy;

const TASK: &str = "TASK";
/// How often a daemon is looked for that is gone.
const INTERVAL: Duration = Duration::from_millis(500);
/// For how long by default, in seconds.
const DEFAULT_TIMEOUT: u32 = 30;
/// The same, for commands without such an option.
pub(super) const DEFAULT_RETRY: RetryPolicy =
    RetryPolicy { interval: INTERVAL, attempts: DEFAULT_TIMEOUT * 2 };
/// And at most: a day.
const MAX_TIMEOUT: u32 = 86_400;

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
    /// What one phase comes to, once it has ended; decisions are asked on a terminal.
    Stage,
}

/// How a workflow is watched.
struct WatchOptions {
    mode: Mode,
    /// Whether the default declared for an unanswered decision is the answer.
    takes_defaults: bool,
    retry: RetryPolicy,
}

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let usage = "{finger} orchestrate [OPTIONS] [TASK]";
    layout
        .shared_command(COMMAND.name, words.orchestrate, usage, words.orchestrate_after)
        .arg(layout.positional(TASK, words.task).allow_hyphen_values(true))
        .arg(layout.value("file", "FILE", words.task_file))
        .arg(image(layout))
        .arg(layout.value("session", "SESSION", words.session).short('s'))
        .arg(layout.flag("watch", words.watch).short('w').conflicts_with("blocking"))
        .arg(layout.flag("stream", words.stream).conflicts_with_all(["blocking", "json"]))
        .arg(layout.flag("blocking", words.blocking))
        .arg(layout.flag("yes", words.yes).short('y'))
        .arg(layout.value("reconnect", "SECONDS", words.reconnect))
        .args(remote_flags(layout))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    remote::ask(context, matches, async |remote| {
        let how = WatchOptions::read(matches, remote.json)?;
        let task = input::read(matches, &[TASK], &format!("<{TASK}>"), COMMAND.name)?;
        let mut members = Map::from_iter([("content".to_owned(), json!(task))]);
        show(context, matches, &mut members)?;
        let message = message(context, matches, ORCHESTRATOR, members)?;
        match how {
            Some(how) => watch::watch(remote, &how, &message).await,
            None => begin(remote, &message).await,
        }
    })
}

impl WatchOptions {
    /// `None` if the workflow is not watched.
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
        let retry = RetryPolicy { interval: INTERVAL, attempts: patience * 2 };
        Ok(Some(Self { mode, takes_defaults: is_set(matches, "yes"), retry }))
    }
}

fn patience(matches: &ArgMatches) -> Result<u32, Failure> {
    let Some(given) = text(matches, "reconnect") else { return Ok(DEFAULT_TIMEOUT) };
    let seconds = given.to_str().and_then(|text| text.parse().ok());
    seconds.filter(|seconds| *seconds <= MAX_TIMEOUT).ok_or_else(|| {
        let need = Need::Integer { min: 0, max: MAX_TIMEOUT.into() };
        Failure::flag("--reconnect", given.to_string_lossy().into_owned(), need)
    })
}

/// The images that come with words.
pub(super) fn image(layout: Layout) -> Arg {
    let words = layout.pick(&help::ZH, &help::EN);
    layout.value("image", "FILE", words.image).action(ArgAction::Append)
}

/// Adds them to what is said, each as it is found from here.
pub(super) fn show(
    context: &Context,
    matches: &ArgMatches,
    members: &mut Map<String, Value>,
) -> Result<(), Failure> {
    let Some(images) = matches.get_many::<OsString>("image") else { return Ok(()) };
    let folder = context.folder()?;
    let shown = |path: &OsString| {
        let path = folder.join(path);
        // Without `..`, which leads nowhere in a project.
        path.canonicalize().unwrap_or(path).to_string_lossy().into_owned()
    };
    let images = images.map(|path| Value::from(shown(path)));
    members.insert("images".to_owned(), images.collect());
    Ok(())
}

/// What is sent to a module: what is said, and where it belongs.
pub(super) fn message(
    context: &Context,
    matches: &ArgMatches,
    target: &str,
    members: Map<String, Value>,
) -> Result<MessageRequest, Failure> {
    let root = context.project()?.root();
    known::note(root);
    let folder = root.to_string_lossy().into_owned();
    let mut message = Value::Object(members);
    match given(matches, "session") {
        Some(session) => message["sessionId"] = session.into(),
        // A session that is there has its own.
        None => message["projectPath"] = folder.into(),
    }
    Ok(MessageRequest {
        target: target.to_owned(),
        message,
        blocking: None,
        sender: Some("cli".to_owned()),
        callback_id: None,
    })
}

/// Begins a phase alone, waits until it has ended, and tells what came of it.
pub(super) async fn stage(remote: &Remote<'_>, message: &MessageRequest) -> Result<u8, RemoteError> {
    let how = WatchOptions { mode: Mode::Stage, takes_defaults: false, retry: DEFAULT_RETRY };
    watch::watch(remote, &how, message).await
}

async fn begin(remote: &Remote<'_>, message: &MessageRequest) -> Result<u8, RemoteError> {
    let accepted = remote.client.send(message).await?;
    if remote.json {
        remote.json(&json!(accepted))?;
    } else {
        remote.line(&format!("Workflow started: {}", accepted.workflow_id.clone().unwrap_or_default()));
    }
    unattended::print(remote, &accepted);
    Ok(DONE)
}
