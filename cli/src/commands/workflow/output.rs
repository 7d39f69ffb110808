//! `aide workflow output`

use super::{WORKFLOW, given, help, workflow};
use crate::command_line::layout::Layout;
use crate::command_line::{Command, remote_flags};
use crate::context::{Context, DONE};
use crate::failure::{Failure, RemoteError};
use crate::messages::{DaemonMessage, Message};
use crate::remote::{self, Remote};
use clap::ArgMatches;
use client::{Client, ClientError};
use protocol::workflow::ErrorCode;
use protocol::workflow::api::StateSnapshot;
use serde_json::{Value, json};
use std::path::{Component, Path, PathBuf};

/// `aide workflow output`
pub(super) static COMMAND: Command = Command { name: "output", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .shared_command(
            COMMAND.name,
            words.output,
            "{workflow} output [OPTIONS] WORKFLOW",
            words.output_after,
        )
        .arg(workflow(layout))
        .args(remote_flags(layout))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let name = given(matches, WORKFLOW).unwrap_or_default();
    remote::ask(context, matches, async |remote| {
        if remote.json {
            remote.json(&json!(remote.client.output(&name).await?))?;
        } else {
            print(remote, &remote.client, &name, AbsenceMeaning::IsMissing).await?;
        }
        Ok(DONE)
    })
}

/// What it means that a workflow has no output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AbsenceMeaning {
    /// What was asked for is not there.
    IsMissing,
    /// There is nothing to tell.
    IsNothing,
}

/// Prints the output of a workflow.
pub(super) async fn print(
    remote: &Remote<'_>,
    client: &Client,
    workflow: &str,
    absent: AbsenceMeaning,
) -> Result<(), RemoteError> {
    let output = match client.output(workflow).await {
        Err(ClientError::Refused { status: 404, .. }) if absent == AbsenceMeaning::IsNothing => return Ok(()),
        Err(error) => return Err(with_next_step(workflow, error)),
        Ok(output) => output,
    };
    match (&output.path, &output.output) {
        (Some(path), _) => {
            remote.line(&format!("Report saved to: {}", told_path(remote, client, workflow, path).await?));
        }
        (None, Value::String(text)) => remote.text(text)?,
        (None, value) => remote.json(value)?,
    }
    Ok(())
}

/// Where the output of a workflow is.
pub(super) enum OutputLocation {
    /// In this file, named from the folder of the project.
    As(String),
    /// With the daemon.
    InJournal,
    /// There is none, or the daemon is gone.
    Nothing,
}

impl OutputLocation {
    /// Asks the daemon.
    pub(super) async fn fetch(client: &Client, workflow: &str) -> Self {
        match client.output(workflow).await {
            Ok(output) => output.path.map_or(Self::InJournal, Self::As),
            Err(_) => Self::Nothing,
        }
    }

    /// The line that leads to it.
    pub(super) async fn line(
        self,
        remote: &Remote<'_>,
        client: &Client,
        workflow: &str,
    ) -> Result<Option<String>, RemoteError> {
        Ok(match self {
            Self::As(path) => {
                let path = told_path(remote, client, workflow, &path).await?;
                Some(format!("Output saved to: {path}"))
            }
            Self::InJournal => Some(format!("To see the output: aide workflow output {workflow}")),
            Self::Nothing => None,
        })
    }
}

/// The failure of a workflow without a result, with the command that says more of it.
fn with_next_step(workflow: &str, error: ClientError) -> RemoteError {
    match &error {
        ClientError::Refused { refusal, .. } if refusal.code == ErrorCode::OutputNotFound => {
            let hint = Message::daemon(DaemonMessage::SeeWorkflow { workflow: workflow.to_owned() });
            Failure::from(error).with_hint(hint).into()
        }
        _ => error.into(),
    }
}

/// The path of a file of a workflow as it is written in the current folder.
pub(super) async fn told_path(
    remote: &Remote<'_>,
    client: &Client,
    workflow: &str,
    path: &str,
) -> Result<String, RemoteError> {
    let path = project(client, workflow).await?.join(path);
    Ok(seen_from(remote.context.folder.as_ref().ok(), &path))
}

/// Whether a workflow that has failed was cancelled.
pub(super) fn is_cancelled(state: &StateSnapshot) -> bool {
    state.context.get("cancelled").and_then(Value::as_bool).unwrap_or_default()
}

/// The folder of a workflow's session, to which its files are relative; empty where it has none.
async fn project(client: &Client, workflow: &str) -> Result<PathBuf, RemoteError> {
    let state = client.state(workflow).await?;
    match client.session(&state.session_id).await {
        Ok(session) => Ok(session.project_path.into()),
        // The result is kept longer than the session.
        Err(ClientError::Refused { status: 404, .. }) => Ok(PathBuf::new()),
        Err(error) => Err(error.into()),
    }
}

/// A path as it is written in the folder `here`: below it with `./` in front, elsewhere in full.
fn seen_from(here: Option<&PathBuf>, path: &Path) -> String {
    let path: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
    // What belongs to no folder may belong to this one.
    let below = if path.is_absolute() {
        here.and_then(|here| path.strip_prefix(here).ok())
    } else {
        (!path.starts_with("..")).then_some(path.as_path())
    };
    match below {
        Some(below) => format!("./{}", below.display()),
        None => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::seen_from;
    use std::path::{Path, PathBuf};

    #[test]
    fn a_path_is_told_as_it_is_written_where_it_is_asked_for() {
        let here = PathBuf::from("/home/ada/shop");
        for (path, told) in [
            ("/home/ada/shop/./deepseek/report.md", "./deepseek/report.md"),
            ("/home/ada/shop/report.md", "./report.md"),
            ("/home/ada/other/report.md", "/home/ada/other/report.md"),
            ("/home/ada/shopping/report.md", "/home/ada/shopping/report.md"),
            ("./deepseek/report.md", "./deepseek/report.md"),
            ("deepseek/report.md", "./deepseek/report.md"),
            ("../report.md", "../report.md"),
        ] {
            assert_eq!(seen_from(Some(&here), Path::new(path)), told, "{path}");
        }
        // Where there is no such folder any more.
        assert_eq!(seen_from(None, Path::new("/home/ada/shop/report.md")), "/home/ada/shop/report.md");
    }
}
