//! `aide flow show`

use super::{FlowContext, to_json};
use crate::context::DONE;
use crate::failure::Failure;
use crate::messages::{FlowMessage, Message};
use crate::output::{Output, Tone};
use flow::FlowError;
use model::flow::{Action, FlowStatus, HistoryEntry};
use std::ffi::OsStr;

pub(super) fn run(scene: &FlowContext<'_>, task: Option<&OsStr>, json: bool) -> Result<u8, Failure> {
    let status = find(scene, task)?;
    let output = &scene.context.output;
    if json {
        output.json(&to_json(&status).to_string())?;
        return Ok(DONE);
    }
    let info = |message| output.info(&Message::flow(message));
    info(FlowMessage::TaskId { task: status.task_id.to_string() });
    info(FlowMessage::PresentPhase { phase: status.current_phase.clone() });
    info(FlowMessage::PresentStep { step: status.current_step });
    info(FlowMessage::StartedAt { time: status.started_at.clone() });
    info(FlowMessage::History);
    for (index, entry) in status.history.iter().enumerate() {
        print_entry(output, index, entry)?;
    }
    Ok(DONE)
}

/// The task that is meant: the present one, unless another is named.
pub(super) fn find(scene: &FlowContext<'_>, task: Option<&OsStr>) -> Result<FlowStatus, Failure> {
    let (project, config) = (scene.project, &scene.config);
    let found = match task {
        None => {
            let present = flow::present(project, config)?;
            return present.ok_or_else(|| FlowError::NoTask.into());
        }
        Some(task) => match task.to_str().and_then(|task| task.parse().ok()) {
            // What is no name has no file.
            None => None,
            Some(id) => flow::task(project, config, &id)?,
        },
    };
    let number = || task?.to_str()?.parse().ok();
    let found = match (found, number()) {
        (None, Some(number)) => by_number(scene, number)?,
        (found, _) => found,
    };
    found.ok_or_else(|| {
        let task = task.map(|task| task.to_string_lossy().into_owned()).unwrap_or_default();
        Failure::new(Message::flow(FlowMessage::UnknownTask { task }), Message::flow(FlowMessage::SeeTasks))
    })
}

/// Returns the task that `aide flow list` shows with this number.
fn by_number(scene: &FlowContext<'_>, number: usize) -> Result<Option<FlowStatus>, Failure> {
    let (present, earlier) = flow::tasks(scene.project, &scene.config)?;
    let tasks = present.map(Ok).into_iter().chain(earlier.into_iter().map(|task| task.status));
    let listed = number.checked_sub(1).and_then(|index| tasks.into_iter().nth(index));
    Ok(listed.transpose()?)
}

/// Prints an entry of the history. A person sees at once which of them are errors and issues.
pub(super) fn print_entry(output: &Output, index: usize, entry: &HistoryEntry) -> Result<(), Failure> {
    let message = Message::flow(line(index, entry));
    match tone(entry.action).filter(|_| output.is_terminal()) {
        Some(tone) => output.marked_entry(tone, &message),
        None => output.entry(2, &message),
    }
}

fn tone(action: Action) -> Option<Tone> {
    match action {
        Action::Error => Some(Tone::Failure),
        Action::Issue => Some(Tone::Warning),
        _ => None,
    }
}

fn line(index: usize, entry: &HistoryEntry) -> FlowMessage {
    FlowMessage::Entry {
        number: index + 1,
        time: entry.timestamp.clone(),
        action: entry.action.code(),
        phase: entry.phase.clone(),
        step: entry.step,
        summary: entry.summary.clone(),
        hash: entry.git_commit.clone().unwrap_or_default(),
    }
}
