//! `aide decide cancel`

mod help;

use crate::command_line::Command;
use crate::command_line::layout::{self, Layout};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::Message;
use crate::outcome;
use clap::ArgMatches;
use decide::DecideError;
use model::Via;

/// `aide decide cancel`
pub(crate) static COMMAND: Command = Command { name: "cancel", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout.command(COMMAND.name, words.about, words.usage, words.after).arg(layout.session())
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let decisions = context.project()?.decisions()?;
    let session = match layout::session(matches) {
        Some(name) => outcome::session(&decisions, Some(&name))?,
        None => {
            let latest = decide::latest(&decisions).map_err(outcome::name_one)?;
            let (session, task) = latest.ok_or_else(|| outcome::none_open(&decisions))?;
            // Of several, it is said which one.
            if decide::others_open(&decisions, &session).is_ok_and(|others| others.is_some()) {
                context.output.notice(&Message::Newest { session: session.clone(), task });
            }
            session
        }
    };
    decide::cancel(&decisions, &session, Via::Terminal).map_err(|error| {
        let is_named = layout::session(matches).is_some();
        let open = if is_named { Vec::new() } else { outcome::open_sets(&decisions) };
        match (&error, open.is_empty()) {
            (DecideError::Ended { .. }, false) => {
                Failure::from(error).with_hint(Message::CancelOpen { sessions: open })
            }
            _ => error.into(),
        }
    })?;
    context.output.ok(&Message::WasCancelled);
    Ok(DONE)
}
