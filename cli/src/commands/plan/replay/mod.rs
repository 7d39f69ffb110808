//! `aide plan replay`

mod help;

use super::folders::{self, PLAN, Paths};
use super::user;
use crate::clock::SystemClock;
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::{Message, PlanMessage};
use agent::plan::Folders;
use clap::ArgMatches;
use protocol::agent::{DeadLetter, Id};
use serde_json::json;

/// `aide plan replay`
pub(crate) static COMMAND: Command = Command { name: "replay", build, run };

const MESSAGE: &str = "MESSAGE";

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(folders::plan(layout).required(true))
        .arg(layout.positional(MESSAGE, words.message).required_unless_present("list"))
        .arg(layout.value("reason", "TEXT", words.reason))
        .arg(layout.flag("list", words.list).conflicts_with_all([MESSAGE, "reason"]))
        .args(folders::flags(layout))
        .arg(layout.flag("json", words.json))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let paths = Paths::from_args(context, matches)?;
    let given = text(matches, PLAN).unwrap_or_default();
    let is_list = is_set(matches, "list");
    // Listing writes nothing.
    let folders = if is_list { paths.look()? } else { Some(paths.open()?) };
    let plan = folders::known(folders.as_ref(), &given)?;
    let Some(folders) = folders else { return Ok(DONE) };
    let json = is_set(matches, "json");
    if is_list {
        list(context, &folders.dead_letters(&plan)?, json)?;
    } else {
        let message = text(matches, MESSAGE).unwrap_or_default().to_string_lossy().into_owned();
        let reason = text(matches, "reason").map(|reason| reason.to_string_lossy().into_owned());
        replay(context, &folders, &plan, (message, reason), json)?;
    }
    Ok(DONE)
}

fn list(context: &Context, letters: &[DeadLetter], json: bool) -> Result<(), Failure> {
    if json {
        return context.output.json(&json!({ "deadletters": letters }).to_string());
    }
    if letters.is_empty() {
        context.output.info(&Message::plan(PlanMessage::NoDeadLetters));
    }
    for letter in letters {
        let message = PlanMessage::DeadLetter {
            letter: letter.deadletter_id.clone(),
            time: letter.created_at.clone(),
            code: letter.reason.code.to_string(),
            file: letter.original.file_name.to_string(),
            message: letter.original.message_id.clone(),
            is_retriable: letter.actions.as_ref().and_then(|actions| actions.retriable),
        };
        context.output.entry(0, &Message::plan(message))?;
    }
    Ok(())
}

fn replay(
    context: &Context,
    folders: &Folders,
    plan: &Id,
    (name, reason): (String, Option<String>),
    json: bool,
) -> Result<(), Failure> {
    let Some(request) = folders.replay(plan, &name, (reason, user()), &SystemClock)? else {
        let hint = Message::plan(PlanMessage::SeeDeadLetters { plan: plan.clone() });
        return Err(Failure::new(Message::plan(PlanMessage::NotGivenUp { name }), hint));
    };
    if json {
        return context.output.json(&json!(request).to_string());
    }
    let message = request.message_id.to_string();
    context.output.ok(&Message::plan(PlanMessage::ReplayRequested { message }));
    context.output.info(&Message::plan(PlanMessage::NextTick));
    Ok(())
}
