//! `aide decide schema`

mod help;

use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use clap::ArgMatches;
use model::{ANSWERS_SCHEMA, QUESTIONS_SCHEMA};

/// `aide decide schema`
pub(crate) static COMMAND: Command = Command { name: "schema", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.flag("answers", words.answers))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let answers = is_set(matches, "answers");
    context.output.text(if answers { ANSWERS_SCHEMA } else { QUESTIONS_SCHEMA })?;
    Ok(DONE)
}
