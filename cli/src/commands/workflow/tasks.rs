//! `aide workflow tasks`

use super::{WORKFLOW, given, help, workflow};
use crate::command_line::layout::Layout;
use crate::command_line::{Command, remote_flags};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::remote;
use clap::ArgMatches;
use serde_json::json;

/// `aide workflow tasks`
pub(super) static COMMAND: Command = Command { name: "tasks", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .shared_command(COMMAND.name, words.tasks, "{workflow} tasks [OPTIONS] WORKFLOW", "")
        .arg(workflow(layout))
        .args(remote_flags(layout))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let name = given(matches, WORKFLOW).unwrap_or_default();
    remote::ask(context, matches, async |remote| {
        let tasks = remote.client.tasks(&name).await?;
        if remote.json {
            remote.json(&json!(tasks))?;
        } else {
            for task in tasks {
                remote.line(&format!("- {}: {} {}", task.id, task.status, task.description));
            }
        }
        Ok(DONE)
    })
}
