//! `aide orchestrate`

use super::{given, help, said};
use crate::command_line::Command;
use crate::command_line::layout::Layout;
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::remote::{self, Remote, Trouble};
use clap::ArgMatches;
use model::workflow::requests::MessageRequest;
use serde_json::json;

const TASK: &str = "TASK";
/// Who begins workflows.
const TARGET: &str = "finger-orchestrator";

/// `aide orchestrate`
pub(crate) static COMMAND: Command = Command { name: "orchestrate", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let usage = "{finger} orchestrate [OPTIONS] TASK";
    layout
        .shared_command(COMMAND.name, words.orchestrate, usage, words.orchestrate_after)
        .arg(said(layout, TASK, words.task))
        .arg(layout.value("session", "SESSION", words.session).short('s'))
        .args(remote::flags(layout))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    remote::ask(context, matches, async |remote| begin(remote, &message(context, matches)?).await)
}

fn message(context: &Context, matches: &ArgMatches) -> Result<MessageRequest, Failure> {
    let folder = context.project()?.root().to_string_lossy().into_owned();
    let mut said = json!({ "content": given(matches, TASK).unwrap_or_default() });
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
