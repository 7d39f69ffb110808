//! The plan in its author's folder, with all that is wrong with it.

use super::folders::Paths;
use super::result::shown;
use crate::context::Context;
use crate::failure::Failure;
use crate::messages::{AgainMessage, Message, PlanMessage};
use agent::dag::{Document, Finding, Flaw};
use agent::plan::{AuthoredPlan, InvalidFile, PlanError, ReadOutcome, TASK_DAG, authored};
use files::FileError;
use protocol::agent::{Code, FormatError};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use texts::{Lang, plan_document};

/// Something that is wrong with a plan.
pub(super) struct Entry {
    file: String,
    path: String,
    code: Code,
    pub(super) is_fatal: bool,
    /// Its author has named a file that a person is to provide.
    pub(super) is_for_person: bool,
    pub(super) message: PlanMessage,
}

/// The result of checking a plan.
pub(super) struct Review {
    /// The plan, if its files can be read.
    pub(super) plan: Option<Box<AuthoredPlan>>,
    /// What is wrong, in the order of the files.
    pub(super) entries: Vec<Entry>,
}

impl Review {
    /// Reads the plan in a folder, and looks for what is wrong with it among the agents that there are.
    pub(super) fn read(folder: &Path, paths: &Paths) -> Result<Self, Failure> {
        let (agents, misplaced) = paths.agents_and_files()?;
        let read = authored(folder).map_err(|error| match error {
            PlanError::Missing { path } => failure(PlanMessage::NoSuchFolder { path }),
            PlanError::File(FileError::NotAFolder { path }) => file_for_folder(&path),
            error => error.into(),
        })?;

        Ok(match read {
            ReadOutcome::NoDag => return Err(failure(PlanMessage::NoDag { path: folder.to_owned() })),
            ReadOutcome::Wrong(wrong, slips) => {
                let slips = slips.into_iter().map(found);
                Self { plan: None, entries: wrong.into_iter().flat_map(broken).chain(slips).collect() }
            }
            ReadOutcome::Plan(plan) => {
                let entries = plan.lint(&agents, &misplaced).into_iter().map(found).collect();
                Self { plan: Some(plan), entries }
            }
        })
    }

    /// How much keeps the plan from being carried out.
    pub(super) fn errors(&self) -> usize {
        self.entries.iter().filter(|entry| entry.is_fatal).count()
    }

    /// How much may be meant.
    pub(super) fn hints(&self) -> usize {
        self.entries.len() - self.errors()
    }

    /// What is wrong, for programs; the words in `lang`.
    pub(super) fn to_json(&self, lang: Lang) -> Value {
        let entries = self.entries.iter().map(|entry| {
            json!({
                "file": entry.file,
                "path": entry.path,
                "code": entry.code.name(),
                "fatal": entry.is_fatal,
                "message": entry.message.render(lang),
            })
        });
        json!({
            "plan_id": self.plan.as_ref().map(|plan| plan.dag.plan_id.clone()),
            "valid": self.errors() == 0,
            "findings": entries.collect::<Vec<_>>(),
        })
    }
}

/// How many folders are looked through for plans, and how deep below the project's.
const MAX_FOLDERS: usize = 1000;
const MAX_DEPTH: usize = 4;

/// Returns the folder of the plan that a command is about: the one that is named, or the only one with a plan inside of that; else the
/// only one that there is, which is the current folder or one in it, or a folder of the project.
pub(super) fn folder(
    context: &Context,
    named: Option<OsString>,
    command: &'static str,
) -> Result<PathBuf, Failure> {
    let mut found = match named.map(PathBuf::from) {
        None => plans_near(context)?,
        Some(named) if named.join(TASK_DAG).exists() || !named.is_dir() => return Ok(named),
        Some(named) => match plans_in(&named, MAX_DEPTH) {
            inside if inside.is_empty() => return Ok(named),
            inside => inside,
        },
    };
    match (found.pop(), found.is_empty()) {
        (Some(path), true) => {
            context.output.notice(&Message::again(AgainMessage::PlanTaken { path: path.clone() }));
            Ok(path)
        }
        (Some(last), false) => {
            found.push(last);
            let path = found[0].clone();
            let what = Message::again(AgainMessage::SeveralHere { folders: found });
            Err(Failure::usage(what, Message::again(AgainMessage::NameFolder { command, path })))
        }
        (None, _) => {
            let what = Message::again(AgainMessage::NoPlanHere { command });
            Err(Failure::usage(what, Message::again(AgainMessage::MakeOne { command })))
        }
    }
}

/// What to do where no plan is active: to activate one that lies there, else to write one.
pub(super) fn how_to_begin(context: &Context) -> Result<Message, Failure> {
    let found = plans_near(context)?.into_iter().next();
    Ok(match found {
        Some(path) => Message::again(AgainMessage::ActivateFound { path }),
        None => Message::plan(PlanMessage::ActivateOne),
    })
}

/// The folders with plans, as they are named from the current folder: that and those in it, else those of the project.
fn plans_near(context: &Context) -> Result<Vec<PathBuf>, Failure> {
    let here = context.folder()?;
    let mut found = plans_in(here, 1);
    if found.is_empty()
        && let Ok(project) = context.project()
    {
        found = plans_in(project.root(), MAX_DEPTH);
    }
    let named = |path: PathBuf| match shown(&path, here) {
        name if name.is_empty() => PathBuf::from("."),
        name => PathBuf::from(name),
    };
    Ok(found.into_iter().map(named).collect())
}

/// `folder`, if a plan is in it, and the folders in it that have plans, down to `depth`.
fn plans_in(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let is_passed_over = |entry: &DirEntry| {
        let name = entry.file_name();
        name.to_string_lossy().starts_with('.') || name == "node_modules" || name == "target"
    };
    let (mut all, mut level) = (vec![folder.to_owned()], vec![folder.to_owned()]);
    for _ in 0..depth {
        let mut inside = Vec::new();
        for folder in level {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let folders = entries.filter(|entry| !is_passed_over(entry)).map(|entry| entry.path());
            inside.extend(folders.filter(|path| path.is_dir()).take(MAX_FOLDERS - all.len() - inside.len()));
        }
        all.extend_from_slice(&inside);
        level = inside;
    }
    all.retain(|folder| folder.join(TASK_DAG).is_file());
    all.sort();
    all
}

/// That something is a file where a folder is needed. A plan's own file is often named instead of its folder.
pub(super) fn file_for_folder(path: &Path) -> Failure {
    let is_of_plan = path.extension().is_some_and(|extension| extension == "json");
    let folder = path.parent().filter(|folder| is_of_plan && !folder.as_os_str().is_empty());
    let hint = match folder {
        Some(folder) => AgainMessage::NameItsFolder { path: folder.to_owned() },
        None if is_of_plan => AgainMessage::NameItsFolder { path: ".".into() },
        None => AgainMessage::MustBeFolder,
    };
    let what = AgainMessage::IsFile { path: path.to_owned() };
    Failure::new(Message::again(what), Message::again(hint))
}

fn failure(message: PlanMessage) -> Failure {
    Failure::new(Message::plan(message), Message::plan(PlanMessage::WhatAPlanIs))
}

/// The rules of its format that a file breaks.
fn broken(InvalidFile { file, error }: InvalidFile) -> Vec<Entry> {
    match error {
        FormatError::Syntax(error) => vec![Entry {
            file: file.clone(),
            path: String::new(),
            code: Code::SchemaInvalid,
            is_fatal: true,
            is_for_person: false,
            message: PlanMessage::NotJson { file, error },
        }],
        FormatError::Invalid(problems) => problems
            .into_iter()
            .map(|problem| Entry {
                file: file.clone(),
                path: problem.path.clone(),
                code: problem.code(),
                is_fatal: true,
                is_for_person: false,
                message: PlanMessage::Broken { file: file.clone(), problem },
            })
            .collect(),
    }
}

fn found(finding: Finding) -> Entry {
    Entry {
        file: plan_document(finding.document).to_owned(),
        path: finding.path.clone(),
        code: finding.code(),
        is_fatal: finding.is_fatal(),
        is_for_person: finding.document == Document::Command
            && matches!(finding.flaw, Flaw::UnreachableInput(_)),
        message: PlanMessage::Found { finding },
    }
}
