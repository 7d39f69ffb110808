//! `aide workflow output`

use super::{WORKFLOW, given, help, workflow};
use crate::command_line::Command;
use crate::command_line::layout::Layout;
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::remote;
use clap::ArgMatches;
use serde_json::{Value, json};

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
        .args(remote::flags(layout))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let name = given(matches, WORKFLOW).unwrap_or_default();
    remote::ask(context, matches, async |remote| {
        let output = remote.client.output(&name).await?;
        match (&output.path, &output.output) {
            _ if remote.json => remote.json(&json!(output))?,
            (Some(path), _) => remote.line(&format!("Report saved to: {path}")),
            (None, Value::String(text)) => remote.text(text)?,
            (None, value) => remote.json(value)?,
        }
        Ok(DONE)
    })
}
