//! Answering in the terminal.
//!
//! `form` is what the person has given and where they are, without a screen; `view` draws it into lines; `canvas` finds what
//! of these has changed, `screen` brings it onto the terminal and gives that back; `full` ties them together. `plain` asks line
//! by line instead, where there is no terminal to draw on. What was given is only accepted by who called. `live` shows, for
//! other commands, what changes by itself.

mod attach;
mod canvas;
mod drafts;
mod editor;
mod form;
mod full;
mod inbox;
mod live;
mod plain;
mod provide;
mod repeat_detector;
mod screen;
mod text;
mod view;

use crate::context::Context;
use crate::failure::Failure;
use crate::messages::Message;
use decide::OpenSet;
use form::Form;
pub(crate) use live::{Disturbances, Live};
use model::{DecideInput, DecideOutput, Ending, ItemKind, Returned};
use provide::{AttachedFile, Misfit};
use std::borrow::Cow;
use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::Path;
use store::Project;

/// What is to be answered.
pub(crate) struct QuestionSet<'a> {
    pub(crate) project: &'a Project,
    pub(crate) open: OpenSet<'a>,
}

impl<'a> QuestionSet<'a> {
    /// The questions as this user reads them; ids and values are those of the questions.
    pub(crate) fn input(&self, context: &Context) -> Cow<'a, DecideInput> {
        context.language.messages.questions(self.open.questions.input())
    }
}

/// How the person has left.
#[derive(Debug)]
pub(crate) enum Exit {
    /// With all answers.
    Decided(DecideOutput),
    /// Without, and with a reason.
    SentBack(Returned),
    /// For now.
    Left,
    /// The input is at its end, or makes no sense.
    NoInput,
    /// The questions were ended or replaced elsewhere.
    Ended(Ending),
    /// By a signal, with its exit code.
    Interrupted(u8),
}

/// Lets the person answer: on the whole screen where there is one, else line by line.
pub(crate) fn answer(context: &Context, asked: &QuestionSet<'_>) -> Result<Exit, Failure> {
    if can_draw(|name| env::var_os(name)) { full::run(context, asked) } else { plain::run(context, asked) }
}

/// Attaches files named on the command line. Returns the answers if nothing else was asked: a mere draft is not submitted without
/// being seen.
pub(crate) fn provide(
    context: &Context,
    asked: &QuestionSet<'_>,
    files: impl Iterator<Item = OsString>,
) -> Result<Option<DecideOutput>, Failure> {
    let (questions, origin) = (asked.open.questions, &asked.open.pending.origin);
    let kept = || Message::AnswersKept { session: asked.open.pending.session.clone() };
    let mut places = Vec::new();
    // All have a place before the first is attached.
    for file in files {
        let provided = AttachedFile::read(file, Path::exists);
        let place = provided.place(questions, origin);
        places.push((place.map_err(|misfit| unfit(&provided, misfit))?, provided.file));
    }
    let input = questions.input();
    // Whatever is given now is the answer, also when the same was attached before and not kept as one.
    let mut before = asked.attachments()?;
    before.retain(|item, _| places.iter().all(|(place, _)| place.item != *item));
    let mut form = Form::new(input, &asked.draft()).with_attached(before);
    for (place, file) in places {
        let path = Path::new(&file);
        let attached = asked.attach_as(place.item, path, &place.name, context.language.messages);
        let attached = attached.map_err(|why| Failure::new(Message::NotProvided { why }, kept()))?;
        context.output.info(&Message::Provided { file: attached });
    }
    form.attach(asked.attachments()?);
    asked.keep(&form)?;
    let only_files = input.items.iter().all(|item| item.kind == ItemKind::Files);
    if !only_files {
        return Ok(None);
    }
    Ok(form.sheet().decide(input, form.attached()).ok())
}

fn unfit(provided: &AttachedFile, misfit: Misfit) -> Failure {
    let file = provided.file.to_string_lossy().into_owned();
    match misfit {
        Misfit::NoFiles => Failure::new(Message::NoFilesAsked { file }, Message::AnswerWithoutFiles),
        Misfit::NotFor { agent } => {
            Failure::new(Message::NotAskedFor { file, agent }, Message::LeaveAgentOut)
        }
        Misfit::Unwanted { names } => {
            Failure::new(Message::FileUnwanted { file }, Message::FilesWanted { names })
        }
        Misfit::Several { titles } => {
            let message = Message::FileWantedTwice { file: file.clone(), titles };
            Failure::new(message, Message::SayForWhom { file })
        }
    }
}

fn can_draw(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let capable = variable("TERM").is_some_and(|term| !term.is_empty() && term != "dumb");
    capable && io::stdin().is_terminal() && io::stdout().is_terminal()
}
