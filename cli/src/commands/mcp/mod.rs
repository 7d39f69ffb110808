//! `aide mcp`

mod backend;
mod help;
mod http;

use crate::command_line::Command;
use crate::command_line::layout::{Layout, text};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::Message;
use crate::user_files;
use backend::Program;
use clap::ArgMatches;
use mcp::{Elicit, Options, WAKE};
use settings::forms::digits;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use texts::Need;

pub(super) use http::for_daemon;

/// `aide mcp`
pub(crate) static COMMAND: Command = Command { name: "mcp", build, run };

const HOLD: &str = "AIDE_MCP_HOLD";
const ELICIT: &str = "AIDE_MCP_ELICIT";
const MODES: &[&str] = &["auto", "url", "off"];
/// A year, in seconds.
const MAX_HOLD: i64 = 365 * 24 * 60 * 60;

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.value("project", "DIR", words.project))
        .arg(layout.value("hold", "SECONDS", words.hold))
        .arg(layout.value("elicit", "MODE", words.elicit))
        .arg(layout.flag("http", words.http))
        .arg(layout.value("port", "PORT", words.port).requires("http"))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let hold = match text(matches, "hold") {
        Some(given) => Some(seconds("--hold", given)?),
        None => {
            let set = env::var_os(HOLD).filter(|set| !set.is_empty());
            set.map(|set| seconds(HOLD, set)).transpose()?
        }
    };
    let elicit = match text(matches, "elicit") {
        Some(given) => mode("--elicit", &given)?,
        None => {
            let set = env::var_os(ELICIT).filter(|set| !set.is_empty());
            set.map(|set| mode(ELICIT, &set)).transpose()?.unwrap_or_default()
        }
    };
    let project = text(matches, "project").map(PathBuf::from);
    // The folder is looked at when it is needed: an agent then reads what is wrong with it.
    let project = project.map(|project| match &context.folder {
        Ok(folder) => folder.join(project),
        Err(_) => project,
    });
    let search = user_files::search_cache();
    let options = Options { project, hold, elicit, search, ..Options::default() };
    let backend = Arc::new(Program::new(context.lang_flag.clone()));
    if matches.get_flag("http") {
        return http::serve(context, backend, options, text(matches, "port"));
    }
    let wakes = env::var_os(WAKE).is_some_and(|set| set == "1");
    mcp::serve(backend, Options { wakes, ..options })
        .map_err(|error| Failure::new(Message::Internal { words: error.to_string() }, None))?;
    Ok(DONE)
}

/// Which clients show the link to the page.
fn mode(name: &'static str, given: &OsStr) -> Result<Elicit, Failure> {
    match given.to_str() {
        Some("auto") => Ok(Elicit::Auto),
        Some("url") => Ok(Elicit::Url),
        Some("off") => Ok(Elicit::Off),
        _ => Err(Failure::flag(name, given.to_string_lossy().into_owned(), Need::OneOf(MODES))),
    }
}

/// How long a call is held.
fn seconds(name: &'static str, given: OsString) -> Result<Duration, Failure> {
    let seconds = given.to_str().and_then(digits).and_then(|digits| digits.parse::<i64>().ok());
    let refuse =
        || Failure::flag(name, given.to_string_lossy().into_owned(), Need::Integer { min: 1, max: MAX_HOLD });
    let seconds = seconds.filter(|seconds| (1..=MAX_HOLD).contains(seconds));
    seconds.and_then(|seconds| u64::try_from(seconds).ok()).map(Duration::from_secs).ok_or_else(refuse)
}
