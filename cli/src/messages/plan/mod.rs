//! What is said about plans.

mod en;
mod run;
mod zh;

pub(crate) use run::RunMessage;

use agent::dag::Finding;
use agent::plan::Happened;
use model::SyntaxError;
use model::agent::{BlockedSummary, Code, Extra, Id, Problem, Timestamp};
use serde_json::Value;
use std::path::PathBuf;
use texts::{Explain, Lang};

/// One line for people: what happened to a plan, how it stands, or what to do about it.
#[derive(Debug)]
pub(crate) enum PlanMessage {
    // The folders.
    NoAgents {
        path: PathBuf,
    },
    MakeAgents,
    UnknownPlan {
        name: String,
    },
    KnownPlans {
        names: Vec<String>,
    },
    NoPlans,
    ActivateOne,
    UnknownAgent {
        name: String,
    },
    KnownAgents {
        names: Vec<String>,
    },

    // What an author has written.
    NoSuchFolder {
        path: PathBuf,
    },
    NoDag {
        path: PathBuf,
    },
    WhatAPlanIs,
    NotJson {
        file: String,
        error: SyntaxError,
    },
    Broken {
        file: String,
        problem: Problem,
    },
    Found {
        finding: Finding,
    },
    IsValid {
        plan: Id,
        tasks: usize,
        hints: usize,
    },
    HasErrors {
        errors: usize,
        hints: usize,
    },
    NotActivated {
        errors: usize,
    },
    MendAndRepeat,
    Activated {
        plan: Id,
        revision: u64,
        sha256: String,
        tasks: usize,
        was_active: bool,
    },
    NextRun,

    // What happens.
    Event {
        plan: Id,
        happened: Box<Happened>,
    },
    NothingToDo,
    Trouble {
        plan: Id,
        why: Box<dyn Explain>,
    },
    Paused {
        plan: Id,
        code: Code,
    },

    // How it stands.
    NotYetSeen {
        plan: Id,
    },
    Plan {
        plan: Id,
        updated_at: Timestamp,
    },
    Summary {
        total: usize,
        completed: usize,
        running: usize,
        failed: usize,
        skipped: usize,
        blocked: BlockedSummary,
    },
    ReviewGate {
        status: String,
        score: Option<String>,
    },
    ReleaseGate {
        status: String,
    },
    OpenRequest {
        request: Id,
        title: Option<String>,
    },
    GivenUp {
        plan: Id,
        count: usize,
    },

    // Messages that were given up.
    DeadLetter {
        letter: Id,
        time: Timestamp,
        code: String,
        file: String,
        message: Option<String>,
        is_retriable: Option<bool>,
    },
    NoDeadLetters,
    NotGivenUp {
        name: String,
    },
    SeeDeadLetters {
        plan: Id,
    },
    ReplayRequested {
        message: String,
    },
    NextTick,

    // The release.
    Released {
        release: Id,
        is_approved: bool,
    },
    EvidenceMissing {
        name: String,
    },
    EvidenceRejected {
        name: String,
        why: String,
    },
    NoManifest {
        plan: Id,
    },
    AddManifest,

    /// What happens while plans are carried out.
    Run(RunMessage),
}

impl PlanMessage {
    /// In words.
    pub(crate) fn tell(&self, lang: Lang) -> String {
        match (self, lang) {
            (Self::Run(message), _) => message.tell(lang),
            (_, Lang::Zh) => zh::tell(self),
            (_, Lang::En) => en::tell(self),
        }
    }

    /// What stands above the columns of the table of tasks.
    pub(crate) fn columns(lang: Lang) -> [&'static str; 6] {
        match lang {
            Lang::Zh => ["任务", "状态", "agent", "自", "重做", "等待"],
            Lang::En => ["task", "state", "agent", "since", "repeated", "waits for"],
        }
    }

    /// What stands above the scores.
    pub(crate) fn score_column(lang: Lang) -> &'static str {
        match lang {
            Lang::Zh => "评分",
            Lang::En => "score",
        }
    }

    /// What a task waits for.
    pub(crate) fn waits_for(lang: Lang, blocking: &Extra) -> String {
        let reason = blocking.get("reason").and_then(Value::as_str).unwrap_or_default();
        let words = match lang {
            Lang::Zh => zh::reason(reason),
            Lang::En => en::reason(reason),
        };
        let all = ["missing", "tasks", "task_id", "input"].iter().filter_map(|key| blocking.get(*key));
        let names: Vec<String> = all.flat_map(names_in).collect();
        let words = words.unwrap_or(reason);
        match (words.is_empty(), names.is_empty()) {
            (_, true) => words.to_owned(),
            (true, false) => names.join(", "),
            (false, false) => format!("{words}: {}", names.join(", ")),
        }
    }
}

/// The names in what an agent or the monitor says is missing: texts, or objects with one.
fn names_in(value: &Value) -> Vec<String> {
    match value {
        Value::String(name) => vec![name.clone()],
        Value::Array(all) => all.iter().flat_map(names_in).collect(),
        Value::Object(object) => {
            let name = ["name", "path", "input_name"].iter().find_map(|key| object.get(*key));
            name.map(names_in).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
