//! `aide decide withdraw`: takes back notices of questions that have ended, as a process of its own. Not meant to be called by hand.

use crate::command_line::Command;
use crate::command_line::layout::Layout;
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::notify;
use clap::ArgMatches;
use std::env;

/// `aide decide withdraw`
pub(crate) static COMMAND: Command = Command { name: "withdraw", build, run };

fn build(_: Layout) -> clap::Command {
    clap::Command::new(COMMAND.name).hide(true).disable_help_flag(true)
}

fn run(_: &Context, _: &ArgMatches) -> Result<u8, Failure> {
    // Away from the terminal that it was started in, as a server in the background is.
    let _ = rustix::process::setsid();
    let _ = env::set_current_dir("/");
    notify::withdraw();
    Ok(DONE)
}
