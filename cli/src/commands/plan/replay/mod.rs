//! `aide plan replay`

mod help;

use super::folders;
use crate::clock::SystemClock;
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::{Message, PlanMessage};
use clap::ArgMatches;

/// `aide plan replay`
pub(crate) static COMMAND: Command = Command { name: "replay", build, run };

const MESSAGE: &str = "MESSAGE";

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let command = layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.positional(folders::PLAN, words.plan).required(true))
        .arg(layout.positional(MESSAGE, words.message).required_unless_present("list"))
        .arg(layout.value("reason", "TEXT", words.reason))
        .arg(layout.flag("list", words.list).conflicts_with(MESSAGE))
        .arg(layout.flag("json", words.json));
    folders::flags(layout, command)
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let folders = folders::open(context, matches)?;
    let Some(plan) = folders::plan(&folders, matches)? else { return Ok(DONE) };
    let Some(message) = text(matches, MESSAGE) else {
        let letters = folders.dead_letters(&plan)?;
        if is_set(matches, "json") {
            context.output.json(&serde_json::json!(letters).to_string())?;
            return Ok(DONE);
        }
        if letters.is_empty() {
            context.output.info(&Message::plan(PlanMessage::NoDeadLetters));
        }
        for letter in letters {
            let line = PlanMessage::DeadLetter {
                id: letter.deadletter_id.to_string(),
                code: letter.reason.code.to_string(),
                file: letter.original.file_name.to_string(),
                time: letter.created_at.to_string(),
            };
            context.output.entry(0, &Message::plan(line))?;
        }
        return Ok(DONE);
    };
    let name = message.to_string_lossy().into_owned();
    let reason = text(matches, "reason").map(|reason| reason.to_string_lossy().into_owned());
    let operator = std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).ok();
    match folders.replay(&plan, &name, (reason, operator), &SystemClock)? {
        Some(request) if is_set(matches, "json") => context.output.json(&folders::json(&request)?)?,
        Some(request) => {
            let message = request.message_id.to_string();
            context.output.ok(&Message::plan(PlanMessage::WillReplay { message }));
        }
        None => {
            let what = PlanMessage::UnknownDeadLetter { name };
            return Err(Failure::new(Message::plan(what), Message::plan(PlanMessage::ListDeadLetters)));
        }
    }
    Ok(DONE)
}
