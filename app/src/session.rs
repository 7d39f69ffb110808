//! One set of questions being asked: what page, server functions and API share.

use crate::{BlankForm, ChosenItem, Outcome, SubmitFailure};
use http::StatusCode;
use model::{AnswerSheet, DecideOutput, DecisionRecord, Problem, Questions, SessionId, Via, parse_output};
use std::sync::{Arc, Mutex, PoisonError};
use store::{Decisions, Project, Published, StoreError};
use texts::Lang;
use tokio::sync::oneshot;

/// The open questions and where the answer goes.
#[derive(Debug)]
pub struct Session {
    project: Project,
    decisions: Decisions,
    id: SessionId,
    form: Arc<BlankForm>,
    /// `None` follows the browser.
    lang: Option<Lang>,
    /// Completed, once, when a submission has won and is on disk.
    decided: Mutex<Option<oneshot::Sender<()>>>,
}

/// Why a submission was not accepted.
#[derive(Debug)]
pub enum Refusal {
    /// The body is not JSON; the parser's words.
    NotJson(String),
    /// The answers do not fit the questions.
    Invalid(Vec<Problem>),
    /// The page shows other questions than these.
    Stale,
    /// Somebody was first; the record that stands, beside what it says to a person.
    AlreadyDecided(Box<DecisionRecord>, Outcome),
    /// The answer could not be written.
    Storage(StoreError),
}

impl Session {
    /// Opens the questions of `form`, which were stored as `id`. `lang` is the language of the page; `None` follows the
    /// browser. The receiver is completed when a submission has won.
    pub fn new(
        project: Project,
        decisions: Decisions,
        id: SessionId,
        form: Arc<BlankForm>,
        lang: Option<Lang>,
    ) -> (Self, oneshot::Receiver<()>) {
        let (sender, receiver) = oneshot::channel();
        let decided = Mutex::new(Some(sender));
        (Self { project, decisions, id, form, lang, decided }, receiver)
    }

    /// The project the questions come from.
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// The name of the session.
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// The questions.
    pub fn questions(&self) -> &Questions {
        self.form.questions()
    }

    /// The HTML of each item for which nothing was given yet.
    pub(crate) fn untouched_items(&self, lang: Lang) -> &[String] {
        self.form.items(lang)
    }

    /// What was given so far for these questions.
    pub fn draft(&self) -> AnswerSheet {
        self.decisions.draft(self.questions())
    }

    /// The language to speak: what was asked for, else the configured one, else what the browser accepts.
    pub fn language(&self, asked: Option<&str>, accept_language: Option<&str>) -> Lang {
        asked
            .and_then(|code| code.parse().ok())
            .or(self.lang)
            .or_else(|| accept_language.and_then(Lang::from_accept_language))
            .unwrap_or(Lang::Zh)
    }

    /// Accepts the answers of a page that shows the questions `session`.
    pub fn submit_sheet(&self, session: &str, sheet: &AnswerSheet, via: Via) -> Result<Outcome, Refusal> {
        self.check_current(session)?;
        let output = sheet.decide(self.questions().input()).map_err(Refusal::Invalid)?;
        self.publish(&output, via)
    }

    /// Accepts a documented submission (`POST /api/submit`).
    pub fn submit_json(&self, body: &str) -> Result<Outcome, Refusal> {
        let output = parse_output(body, self.questions().input()).map_err(|error| match error {
            Ok(problems) => Refusal::Invalid(problems),
            Err(words) => Refusal::NotJson(words),
        })?;
        self.publish(&output, Via::Api)
    }

    /// Keeps an incomplete sheet.
    pub fn save_draft(&self, session: &str, sheet: &AnswerSheet) -> Result<(), Refusal> {
        self.check_current(session)?;
        if self.decided.lock().unwrap_or_else(PoisonError::into_inner).is_none() {
            // The decision has removed the draft; a late one must not bring it back.
            return Ok(());
        }
        self.decisions.save_draft(self.questions(), sheet).map_err(Refusal::Storage)
    }

    fn check_current(&self, session: &str) -> Result<(), Refusal> {
        if session.parse() == Ok(self.id.clone()) { Ok(()) } else { Err(Refusal::Stale) }
    }

    /// The one place where an answer is accepted. The record is durable before anybody is told.
    fn publish(&self, output: &DecideOutput, via: Via) -> Result<Outcome, Refusal> {
        let mut decided = self.decided.lock().unwrap_or_else(PoisonError::into_inner);
        match self.decisions.publish(&self.id, self.questions(), output, via).map_err(Refusal::Storage)? {
            Published::Won(record) => {
                if let Some(sender) = decided.take() {
                    // Nobody listens any more when the command is already on its way out; the record stands.
                    let _ = sender.send(());
                }
                Ok(self.outcome(&record.output))
            }
            Published::Lost(record) => {
                let outcome = self.outcome(&record.output);
                Err(Refusal::AlreadyDecided(Box::new(record), outcome))
            }
        }
    }

    fn outcome(&self, output: &DecideOutput) -> Outcome {
        let chosen = output.decisions.iter().filter_map(|decision| {
            let item = self.questions().input().items.iter().find(|item| item.id == decision.id)?;
            let label = item
                .options
                .iter()
                .find(|option| option.value == decision.chosen)
                .map_or(&decision.chosen, |option| &option.label);
            Some(ChosenItem {
                title: item.title.clone(),
                label: label.clone(),
                note: decision.note.clone().unwrap_or_default(),
            })
        });
        Outcome { chosen: chosen.collect() }
    }
}

impl Refusal {
    /// The HTTP status that says the same.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::NotJson(_) | Self::Invalid(_) => StatusCode::BAD_REQUEST,
            Self::Stale | Self::AlreadyDecided(..) => StatusCode::CONFLICT,
            Self::Storage(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The sentence for a person or a script.
    pub fn detail(&self, lang: Lang) -> String {
        match self {
            Self::NotJson(words) => words.clone(),
            Self::Invalid(problems) => {
                let sentences: Vec<_> =
                    problems.iter().map(|problem| texts::problem(lang, problem)).collect();
                sentences.join(lang.page().separator)
            }
            Self::Stale => lang.page().stale.to_owned(),
            Self::AlreadyDecided(..) => lang.page().decided_elsewhere.to_owned(),
            Self::Storage(error) => error.to_string(),
        }
    }

    pub(crate) fn into_failure(self, lang: Lang) -> SubmitFailure {
        match self {
            Self::AlreadyDecided(_, outcome) => SubmitFailure::AlreadyDecided(outcome),
            Self::Stale => SubmitFailure::Stale(lang.page().stale_hint.to_owned()),
            refusal => SubmitFailure::Refused(refusal.detail(lang)),
        }
    }
}

/// Makes `session` reachable for the server functions called within this reactive owner.
pub fn provide_session(session: Arc<Session>) {
    leptos::prelude::provide_context(session);
}
