//! What is said about plans.

mod again;
mod en;
mod run;
mod zh;

pub(crate) use again::AgainMessage;
pub(crate) use run::RunMessage;

use agent::dag::Finding;
use agent::plan::PlanEvent;
use model::{SessionId, SyntaxError};
use protocol::agent::{BlockedSummary, Code, Id, Problem, Timestamp};
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
    ServeAgain,
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
        happened: Box<PlanEvent>,
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
        updated_at: String,
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
        title: String,
        /// The questions, once they were asked.
        session: Option<SessionId>,
    },
    /// The answer is there, and no command has taken it yet.
    AnsweredRequest {
        title: String,
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
    /// Plans that are begun, tried again, and looked at for what came of them.
    Again(AgainMessage),
}

impl PlanMessage {
    /// In words.
    pub(crate) fn render(&self, lang: Lang) -> String {
        match (self, lang) {
            (Self::Run(message), _) => message.render(lang),
            (Self::Again(message), _) => message.render(lang),
            (_, Lang::Zh) => zh::render(self),
            (_, Lang::En) => en::render(self),
        }
    }
}

#[cfg(test)]
mod tests;
