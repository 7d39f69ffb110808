//! `aide hook`: what agents call by themselves. One file for each command below it.
//!
//! An agent reads what a hook prints and its exit code as a decision. So whatever goes wrong here is said by nothing but silence:
//! the agent then does what it does without a hook.

mod agent;
mod dialog;
mod guard;
mod help;
mod stop;
mod wait;
mod wake;

use crate::command_line::Command;
use crate::command_line::layout::{Layout, text};
use crate::context::Context;
use crate::failure::{FAILED, Failure};
use clap::ArgMatches;
use settings::forms::digits;
use std::env;
use std::ffi::OsStr;
use std::time::Duration;
use texts::Need;

/// `aide hook`
pub(crate) static COMMAND: Command = Command { name: "hook", build, run };

/// What agents call, in the order of the help.
static COMMANDS: [&Command; 3] = [&dialog::COMMAND, &wake::COMMAND, &guard::COMMAND];

/// How long a hook waits, in seconds: a little less than `aide setup` has the agent wait for it.
const USUAL: u64 = setup::HOOK_SECONDS - 10;
const TIMEOUT: &str = "AIDE_HOOK_TIMEOUT";
/// A year, in seconds.
const MAX_LIMIT: u64 = 365 * 24 * 60 * 60;

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let command = layout.command(COMMAND.name, words.about, words.usage, words.after);
    command.subcommands(COMMANDS.map(|command| (command.build)(layout)))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    Command::run_one_of(&COMMANDS, context, matches)
}

/// How long to wait. A variable that makes no sense says nothing; a flag does, and does not refuse the agent's call.
fn limit(matches: &ArgMatches) -> Result<Duration, Failure> {
    let seconds = |given: &OsStr| {
        let seconds = given.to_str().and_then(digits).and_then(|digits| digits.parse::<u64>().ok());
        seconds.filter(|seconds| (1..=MAX_LIMIT).contains(seconds)).map(Duration::from_secs)
    };
    if let Some(given) = text(matches, "timeout") {
        let max = i64::try_from(MAX_LIMIT).unwrap_or(i64::MAX);
        let refuse = || {
            let need = Need::Integer { min: 1, max };
            Failure::flag("--timeout", given.to_string_lossy().into_owned(), need).with_code(FAILED)
        };
        return seconds(&given).ok_or_else(refuse);
    }
    let set = env::var_os(TIMEOUT).and_then(|set| seconds(&set));
    Ok(set.unwrap_or(Duration::from_secs(USUAL)))
}
