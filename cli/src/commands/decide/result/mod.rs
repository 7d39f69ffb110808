//! `aide decide result`

mod help;

use crate::command_line::Command;
use crate::command_line::layout::{self, Layout, is_set};
use crate::context::Context;
use crate::failure::Failure;
use crate::outcome;
use clap::ArgMatches;

/// `aide decide result`
pub(crate) static COMMAND: Command = Command { name: "result", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.session())
        .arg(layout.json())
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    // It has to be fast: of what it does not read anyway it does not warn.
    context.warn_of_slips_read();
    let decisions = context.project()?.decisions()?;
    let session = outcome::asked_for(context, &decisions, layout::session(matches).as_deref())?;
    let json = is_set(matches, "json");
    let Some(session) = session else { return outcome::print_none(context, &decisions, COMMAND.name, json) };
    outcome::print(decide::outcome(&decisions, &session)?, context, &decisions, Some(&session), json)
}
