//! `aide workflow list`

use super::help;
use crate::command_line::Command;
use crate::command_line::layout::Layout;
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::remote;
use clap::ArgMatches;
use serde_json::json;

/// `aide workflow list`
pub(super) static COMMAND: Command = Command { name: "list", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .shared_command(COMMAND.name, words.list, "{workflow} list [OPTIONS]", "")
        .args(remote::flags(layout))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    remote::ask(context, matches, async |remote| {
        let workflows = remote.client.workflows().await?;
        if remote.json {
            remote.json(&json!(workflows))?;
        } else {
            for workflow in workflows {
                remote.line(&format!("- {}: {} ({})", workflow.id, workflow.fsm_state, workflow.status));
            }
        }
        Ok(DONE)
    })
}
