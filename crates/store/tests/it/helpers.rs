//! A project to work in, and questions to ask.

use model::{
    AnswerSheet, Attachments, Chosen, DecideOutput, Decision, Ending, Origin, Questions, SessionId, Via,
};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use store::{Decisions, PendingSet, Place, Project, PublishOutcome, SourceHashes, StoreError};
use tempfile::TempDir;

/// A session that has not ended, later than any that a test asks.
pub(crate) const SESSION: &str = "2999-01-15T10-30-00";

/// A deadline that has passed.
pub(crate) const LONG_AGO: &str = "2001-01-15T10:30:00+08:00";

/// A fresh project, initialised.
pub(crate) struct Fixture {
    _folder: TempDir,
    pub(crate) project: Project,
    pub(crate) decisions: Decisions,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        Self::at(tempfile::tempdir().unwrap())
    }

    /// In memory, where that can be had: for what need not wait for a disk.
    pub(crate) fn in_memory() -> Self {
        Self::at(TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap())
    }

    fn at(folder: TempDir) -> Self {
        store::init(folder.path()).unwrap();
        let project = Project::at(folder.path()).unwrap();
        let decisions = project.decisions().unwrap();
        Self { _folder: folder, project, decisions }
    }

    pub(crate) fn root(&self) -> &Path {
        self.project.root()
    }

    pub(crate) fn ask(&self, questions: &Questions) -> Result<PendingSet, StoreError> {
        ask(&self.decisions, questions)
    }

    /// The path of a file in `.aide/decisions/`.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.root().join(".aide/decisions").join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap()
    }

    /// The names in `.aide/decisions/`, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        names(&self.root().join(".aide/decisions"))
    }
}

/// The names in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

impl Fixture {
    /// What stands in `pending.json`, without `_meta`.
    pub(crate) fn pending_document(&self) -> serde_json::Map<String, Value> {
        let mut document: serde_json::Map<String, Value> =
            serde_json::from_slice(&std::fs::read(self.file("pending.json")).unwrap()).unwrap();
        document.shift_remove("_meta");
        document
    }
}

/// The smallest valid questions, told apart by their task.
pub(crate) fn questions(task: &str) -> Questions {
    parse(&json!({
        "task": task,
        "source": "task-now.md",
        "items": [{
            "id": 1,
            "title": "认证方式",
            "options": [{"value": "jwt", "label": "JWT"}, {"value": "session", "label": "Session"}],
        }],
    }))
}

/// Many kilobytes of questions.
pub(crate) fn large_questions(task: &str) -> Questions {
    let items: Vec<Value> = (1..=60)
        .map(|id| {
            json!({
                "id": id,
                "title": format!("{task} {id}"),
                "context": "上下文 context ".repeat(20),
                "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}],
            })
        })
        .collect();
    parse(&json!({"task": task, "source": "s", "items": items}))
}

pub(crate) fn parse(document: &Value) -> Questions {
    Questions::parse(document.to_string().as_bytes()).unwrap()
}

/// The same questions as [`questions`], and an item 2 that asks for files.
pub(crate) fn with_files(task: &str) -> Questions {
    let mut document = Value::Object(questions(task).document().clone());
    let files = json!({"id": 2, "title": "files", "kind": "files", "required": false});
    document["items"].as_array_mut().unwrap().push(files);
    parse(&document)
}

/// The answer to them, with a note.
pub(crate) fn answered_with_files(note: &str, attached: &Attachments) -> Ending {
    let mut output = output("jwt", note);
    let files = attached.get(&2).cloned().unwrap_or_default();
    output.decisions.push(Decision { id: 2, files, ..Decision::default() });
    Ending::Decided(output)
}

/// The answer `chosen` to item 1, with a note.
pub(crate) fn output(chosen: &str, note: &str) -> DecideOutput {
    DecideOutput::complete(vec![Decision {
        id: 1,
        chosen: Chosen::One(chosen.to_owned()),
        other: None,
        files: Vec::new(),
        note: Some(note.to_owned()),
    }])
}

/// Asks, whether or not the same is pending.
pub(crate) fn ask(decisions: &Decisions, questions: &Questions) -> Result<PendingSet, StoreError> {
    decisions.ask(questions).map(store::AskOutcome::pending)
}

/// Answers the questions of `session`.
pub(crate) fn publish(
    decisions: &Decisions,
    session: &SessionId,
    questions: &Questions,
    output: DecideOutput,
    via: Via,
) -> Result<PublishOutcome, StoreError> {
    decisions.publish(&slot(session), questions, Ending::Decided(output), via)
}

/// Questions of this name in the slot.
pub(crate) fn slot(session: impl ToString) -> PendingSet {
    PendingSet {
        session: session.to_string().parse().unwrap(),
        place: Place::Slot,
        created_at: store::now(),
        deadline: None,
        origin: Origin::Decide,
        task: String::new(),
        sources: SourceHashes::default(),
    }
}

/// What is kept in the slot.
pub(crate) fn draft(decisions: &Decisions, questions: &Questions) -> AnswerSheet {
    decisions.draft(&slot(SESSION), questions)
}

/// How many times the usual is tried.
pub(crate) fn factor() -> u64 {
    u64::from(effort::factor())
}
