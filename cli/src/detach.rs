//! A server in the background: a process of this same program that outlives whoever started it.

use crate::args::SubmitFlags;
use crate::commands::Context;
use crate::failure::Failure;
use crate::messages::Message;
use std::env;
use std::io::{self, BufRead, BufReader};
use std::process::{Command, Stdio};
use store::{Decisions, Project, ServerInfo};

/// What the process in the background says once its page can be fetched.
pub(crate) const READY: &str = "ready";

/// Starts `aide decide serve` for the pending questions and waits until the page can be fetched.
///
/// Until then its errors are this command's: they are printed, and its exit code is the result. What it has to say
/// later goes to `decisions/server.log`.
pub(crate) fn start(
    context: &Context,
    project: &Project,
    decisions: &Decisions,
    flags: &SubmitFlags,
) -> Result<Result<ServerInfo, u8>, Failure> {
    let log = decisions.new_server_log()?;
    let mut command = Command::new(env::current_exe().map_err(|error| failed(&error))?);
    command.args(["decide", "serve"]).args(flags.written()).current_dir(project.root());
    // An inherited pipe would keep whoever reads this command's output waiting for the end of the server.
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
    let mut child = command.spawn().map_err(|error| failed(&error))?;
    let mut line = String::new();
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout).read_line(&mut line).map_err(|error| failed(&error))?;
    }
    if line.trim_end() == READY
        && let Some(server) = decisions.live_server()?
    {
        return Ok(Ok(server));
    }
    let status = child.wait().map_err(|error| failed(&error))?;
    let said = decisions.server_log()?;
    if said.is_empty() {
        return Err(Failure::new(Message::ServerFailed { words: status.to_string() }, Message::SubmitAgain));
    }
    context.output.relay(&said);
    Ok(Err(status.code().and_then(|code| u8::try_from(code).ok()).filter(|code| *code > 0).unwrap_or(1)))
}

/// Starts a server for questions whose own was killed, where a page that is still open looks for it. What it has to do is
/// to be there for as long as somebody may answer.
pub(crate) fn bring_back(
    context: &Context,
    project: &Project,
    decisions: &Decisions,
) -> Result<Result<ServerInfo, u8>, Failure> {
    let port = decisions.last_server().map(|server| server.port.to_string().into());
    let endless = SubmitFlags { port, timeout: Some("0".into()), ..SubmitFlags::default() };
    start(context, project, decisions, &endless)
}

fn failed(error: &io::Error) -> Failure {
    Failure::new(Message::ServerFailed { words: error.to_string() }, Message::SubmitAgain)
}
