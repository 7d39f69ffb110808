//! `aide mcp`

mod backend;
mod help;

use crate::command_line::Command;
use crate::command_line::layout::{Layout, text};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::Message;
use backend::Program;
use clap::ArgMatches;
use mcp::Options;
use settings::forms::digits;
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use texts::Need;

/// `aide mcp`
pub(crate) static COMMAND: Command = Command { name: "mcp", build, run };

const HOLD: &str = "AIDE_MCP_HOLD";
/// A year, in seconds.
const LONGEST: i64 = 365 * 24 * 60 * 60;

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.value("project", "DIR", words.project))
        .arg(layout.value("hold", "SECONDS", words.hold))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let hold = match text(matches, "hold") {
        Some(given) => Some(seconds("--hold", given)?),
        None => {
            let set = env::var_os(HOLD).filter(|set| !set.is_empty());
            set.map(|set| seconds(HOLD, set)).transpose()?
        }
    };
    let project = text(matches, "project").map(PathBuf::from);
    // The folder is looked at when it is needed: an agent then reads what is wrong with it.
    let project = project.map(|project| match &context.folder {
        Ok(folder) => folder.join(project),
        Err(_) => project,
    });
    let backend = Arc::new(Program::new(context.lang_flag.clone()));
    mcp::serve(backend, Options { project, hold })
        .map_err(|error| Failure::new(Message::Internal { words: error.to_string() }, None))?;
    Ok(DONE)
}

/// How long a call is held.
fn seconds(name: &'static str, given: OsString) -> Result<Duration, Failure> {
    let seconds = given.to_str().and_then(digits).and_then(|digits| digits.parse::<i64>().ok());
    let refuse =
        || Failure::flag(name, given.to_string_lossy().into_owned(), Need::Integer { min: 1, max: LONGEST });
    let seconds = seconds.filter(|seconds| (1..=LONGEST).contains(seconds));
    seconds.and_then(|seconds| u64::try_from(seconds).ok()).map(Duration::from_secs).ok_or_else(refuse)
}
