//! `aide decide cancel`

mod help;

use crate::command_line::Command;
use crate::command_line::layout::Layout;
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::Message;
use clap::ArgMatches;
use model::Via;

/// `aide decide cancel`
pub(crate) static COMMAND: Command = Command { name: "cancel", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout.command(COMMAND.name, words.about, words.usage, words.after)
}

fn run(context: &Context, _: &ArgMatches) -> Result<u8, Failure> {
    decide::cancel(&context.project()?.decisions()?, Via::Terminal)?;
    context.output.ok(&Message::WasCancelled);
    Ok(DONE)
}
