//! `aide decide answer`

mod help;
mod several;

use crate::command_line::Command;
use crate::command_line::layout::{self, Layout, is_set};
use crate::context::{Context, DONE};
use crate::failure::{FAILED, Failure};
use crate::messages::Message;
use crate::outcome;
use crate::terminal::{self, Exit, QuestionSet};
use clap::{ArgAction, ArgMatches};
use decide::{DecideError, OpenSet};
use model::{DecideOutput, Ending, Via};
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal as _};

const PROVIDE: &str = "provide";
/// The flag of a process that [`several`] starts: its user comes back to the list.
const RETURNS: &str = "returns";

/// `aide decide answer`
pub(crate) static COMMAND: Command = Command { name: "answer", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.session().help(words.session))
        .arg(layout.flag(RETURNS, "").hide(true))
        .arg(layout.value(PROVIDE, "FILE[:AGENT]", words.provide).action(ArgAction::Append))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let project = context.project()?;
    let decisions = project.decisions()?;
    let is_provided = matches.contains_id(PROVIDE);
    // A person at a terminal sees which questions these are.
    let is_seen = io::stdin().is_terminal() && !is_provided;
    let named = layout::session(matches);
    let named = named.as_deref().map(OsStr::to_string_lossy);
    if is_seen && named.is_none() && several::open(&decisions)?.len() > 1 {
        return several::run(context, &decisions);
    }
    let found = match is_seen {
        true => decide::to_answer(&decisions, named.as_deref()),
        false => decide::only_one_to_answer(&decisions, named.as_deref()),
    };
    let session = match found {
        Err(DecideError::NothingAsked) => return Err(outcome::none_open(&decisions)),
        found => found?,
    };
    let (pending, questions) = match decide::open_questions(&decisions, &session) {
        // Who names no set asks for one that is open, not how an earlier one has ended.
        Err(DecideError::Ended { .. }) if named.is_none() => {
            return Err(Failure::new(Message::NothingOpen, Message::SeeShow));
        }
        found => found?,
    };
    let open = OpenSet { desk: &decisions, pending: &pending, questions: &questions };
    let asked = QuestionSet { project, open };
    let provided = match matches.get_many::<OsString>(PROVIDE) {
        Some(files) => terminal::provide(context, &asked, files.cloned())?,
        None => None,
    };
    let exit = match provided {
        Some(output) => Exit::Decided(output),
        None => terminal::answer(context, &asked)?,
    };
    let kept = || match asked.has_no_draft() {
        true => Message::NothingAnswered { session: session.clone() },
        false => Message::AnswersKept { session: session.clone() },
    };
    let (ending, message) = match exit {
        Exit::Decided(output) => (Ending::Decided(output), Message::Decided),
        Exit::SentBack(returned) => (Ending::Returned(returned), Message::SentBack),
        Exit::Left => {
            context.output.info(&kept());
            return Ok(FAILED);
        }
        Exit::NoInput => return Err(Failure::new(Message::NoMoreInput, kept())),
        Exit::Ended(ending) => return Err(DecideError::ended(&decisions, &session, ending).into()),
        Exit::Interrupted(code) => {
            context.output.warning(&kept());
            return Ok(code);
        }
    };
    let record = open.end(ending, Via::Terminal)?;
    context.output.ok(&message);
    if !is_set(matches, RETURNS)
        && let Some((next, count)) = decide::others_open(&decisions, &session)?
    {
        // What was just left for later comes first.
        let next = record.output().and_then(DecideOutput::remainder).cloned().unwrap_or(next);
        context.output.notice(&Message::AnswerNext { session: next, count });
    }
    Ok(DONE)
}
