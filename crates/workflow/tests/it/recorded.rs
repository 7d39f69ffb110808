//! The complete log of every scene in which nothing happens by chance, its events in their order and all its rows, is what it was
//! when the digests were taken.
//!
//! With `AIDE_RECORDED=FOLDER` the texts are written into that folder instead of being compared, so that those of two versions
//! can be, by `diff`; `sha256sum *.txt` in that folder prints what belongs in `recorded.sha256`.

use journal::{Cell, EventFilter, Journal, Query, Row, Table, View, ViewExt, Workflow};
use protocol::workflow::WorkflowState;
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::path::Path;
use std::{cell, fs, thread};

const DIGESTS: &str = include_str!("recorded.sha256");

/// The modules of tests whose scenes are recorded: no engine runs in them, and no two threads.
const MODULES: [&str; 7] = ["checkpoints", "decisions", "driving", "messages", "pauses", "removal", "tasks"];

/// Scenes in which threads compete, or workflows or decisions are handled in the order of the names that were drawn for
/// them.
const BY_CHANCE: [&str; 4] = [
    "however_many_were_under_way_each_can_be_gone_on_with",
    "of_64_answers_one_wins",
    "time_runs_out",
    "what_comes_to_a_workflow_while_it_ends_does_not_outlive_it",
];

thread_local! {
    /// How many scenes of this test have ended.
    static SCENES: cell::Cell<usize> = const { cell::Cell::new(0) };
}

/// Compares the log of a scene that ends with the recorded one, if the scene belongs to a test that is recorded.
pub(crate) fn end_scene(journal: &dyn Journal) {
    let test = thread::current().name().unwrap_or_default().to_owned();
    let Some((module, name)) = test.split_once("::") else { return };
    if thread::panicking() || !MODULES.contains(&module) || BY_CHANCE.contains(&name) {
        return;
    }
    let number = SCENES.get() + 1;
    SCENES.set(number);
    check(&format!("{module}-{name}-{number}"), &log(journal, ""));
}

/// Compares a text with the recorded one.
pub(crate) fn check(name: &str, text: &str) {
    let file = format!("{name}.txt");
    if let Ok(folder) = std::env::var("AIDE_RECORDED") {
        return fs::write(Path::new(&folder).join(file), text).unwrap();
    }
    let digest: String = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
    let line = format!("{digest}  {file}");
    assert!(DIGESTS.lines().any(|known| known == line), "another log than recorded: {line}");
}

/// These answers and everything that a journal holds, without what only the number of draws or writes decides: names are
/// numbered in the order of their appearance, and versions and the names of events are left out.
pub(crate) fn log(journal: &dyn Journal, answers: &str) -> String {
    let view = journal.view().unwrap();
    let mut names = Names::default();
    let mut text = String::new();
    for event in view.events(&EventFilter::after(0, u32::MAX)).unwrap() {
        let about = [event.session, event.workflow, event.task, event.agent].map(Option::unwrap_or_default);
        let (seq, at, kind, about) = (event.seq, event.at, event.kind.name(), about.join("|"));
        let line = format!("{seq} {at} {kind} {about} {}", event.payload);
        writeln!(text, "{}", names.number(&line)).unwrap();
    }
    text.push_str(&names.number(answers));
    let view = &*view;
    let sessions = rows(view, &mut text, &mut names, &Query::sessions());
    let workflows = rows(view, &mut text, &mut names, &Query::workflows());
    check_driven(view, &workflows);
    rows(view, &mut text, &mut names, &Query::projects());
    rows(view, &mut text, &mut names, &Query::agents());
    rows(view, &mut text, &mut names, &Query::decisions(None, None));
    rows(view, &mut text, &mut names, &Query::mail(None, None));
    rows(view, &mut text, &mut names, &Query::outbox());
    rows(view, &mut text, &mut names, &Query::tools());
    rows(view, &mut text, &mut names, &Query::requests());
    for session in sessions {
        rows(view, &mut text, &mut names, &Query::messages_of(&session.id));
        rows(view, &mut text, &mut names, &Query::checkpoints_of(&session.id));
    }
    for workflow in workflows {
        rows(view, &mut text, &mut names, &Query::tasks_of(&workflow.id));
        rows(view, &mut text, &mut names, &Query::steps_of(&workflow.id));
        rows(view, &mut text, &mut names, &Query::instructions_of(&workflow.id));
    }
    text
}

/// Checks that a daemon which starts finds the workflows that it has to interrupt.
fn check_driven(view: &dyn View, workflows: &[Workflow]) {
    let found = view.find(&Query::driven_workflows()).unwrap();
    let found: HashSet<_> = found.iter().map(|workflow| &workflow.id).collect();
    for workflow in workflows {
        let context: serde_json::Value = serde_json::from_str(&workflow.context).unwrap();
        let is_driven = match workflow.state {
            WorkflowState::Idle | WorkflowState::Completed | WorkflowState::Failed => false,
            WorkflowState::Paused => true,
            _ => context.get("interrupted") != Some(&true.into()),
        };
        assert_eq!(found.contains(&workflow.id), is_driven, "{workflow:?}");
    }
}

/// Adds these rows to the text, in an order that does not depend on names; returns them in it.
fn rows<R: Row + TryFrom<journal::Record> + Clone>(
    view: &dyn View,
    text: &mut String,
    names: &mut Names,
    query: &Query<R>,
) -> Vec<R> {
    let mut found: Vec<(String, R)> = Vec::new();
    for row in view.find(query).unwrap() {
        let mut cells = row.cells();
        if row.version().is_some() {
            cells.pop();
        }
        if R::TABLE == Table::Workflow {
            // Whether it is driven, which follows from the others.
            cells.pop();
        }
        let cells = cells.into_iter().map(|cell| match cell {
            Cell::Null => "-".to_owned(),
            Cell::Integer(number) => number.to_string(),
            Cell::Text(text) => text,
        });
        found.push((cells.collect::<Vec<_>>().join("|"), row));
    }
    found.sort_by_cached_key(|(line, _)| names.known(line));
    let write = |(line, row): (String, R)| {
        writeln!(text, "{:?} {}", R::TABLE, names.number(&line)).unwrap();
        row
    };
    found.into_iter().map(write).collect()
}

/// Names that were drawn, in the order of their appearance.
#[derive(Default)]
struct Names(HashMap<String, usize>);

impl Names {
    /// Numbers the names in a text.
    fn number(&mut self, text: &str) -> String {
        in_words(text, |word| {
            let next = self.0.len() + 1;
            *self.0.entry(word.to_owned()).or_insert(next)
        })
    }

    /// The same without new ones, which have no number.
    fn known(&self, text: &str) -> String {
        in_words(text, |word| self.0.get(word).copied().unwrap_or_default())
    }
}

/// Replaces the words of a text that are names by their numbers.
fn in_words(text: &str, mut number: impl FnMut(&str) -> usize) -> String {
    const BEGINNINGS: [&str; 9] =
        ["chk", "decision", "dispatch", "evt", "msg", "plan", "record", "session", "wf"];
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    let mut numbered = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let end = rest[start..].find(|letter| !is_part(letter)).map_or(rest.len(), |length| start + length);
        let word = &rest[start..end];
        numbered.push_str(&rest[..start]);
        match word.split_once('-') {
            Some((beginning, _)) if BEGINNINGS.contains(&beginning) => {
                write!(numbered, "{beginning}#{}", number(word)).unwrap();
            }
            _ => numbered.push_str(word),
        }
        rest = &rest[end..];
    }
    numbered + rest
}
