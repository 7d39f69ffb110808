//! `aide init`

mod help;

use crate::command_line::Command;
use crate::command_line::layout::Layout;
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::Message;
use crate::{known, user_files};
use clap::ArgMatches;

/// `aide init`
pub(crate) static COMMAND: Command = Command { name: "init", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout.command(COMMAND.name, words.about, words.usage, words.after)
}

fn run(context: &Context, _: &ArgMatches) -> Result<u8, Failure> {
    context.warn_of_slips();
    // The current folder itself, also inside another project: it becomes one of its own.
    let user = user_files::config();
    let report = store::init_below(context.folder()?, user.as_deref(), context.language.given)?;
    known::note(context.folder()?);
    if report.config_created {
        context.output.ok(&Message::ConfigCreated);
    }
    context.output.ok(&match context.config_files.layers_read().unknown_keys().is_empty() {
        true => Message::Initialised,
        false => Message::InitialisedWithSlips,
    });
    // A configuration that was there before is kept: what is asked for holds for this command alone.
    if let Some(given) = context.language.given
        && !report.config_created
        && context.config_files.lang().unwrap_or_default() != given
    {
        let lang = given.name().to_owned();
        context.output.info(&Message::ConfigKept { lang });
    }
    if context.language.offers_english {
        context.output.notice(&Message::OfferEnglish);
    }
    Ok(DONE)
}
