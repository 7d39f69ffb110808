//! One set of questions being asked: what page, server functions and API share.

use crate::page::{closed_html, decided_html};
use crate::{BlankForm, ChosenItem, Farewell, SubmitFailure, TimeLimit};
use decide::{OpenSet, Refusal};
use http::StatusCode;
use model::{AnswerSheet, DecideOutput, DecisionRecord, Ending, Questions, Returned, SessionId, Via};
use settings::{ConfigError, FlowConfig};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use store::{Decisions, Pending, Project, SourceHashes};
use texts::{Explain, Lang};
use tokio::sync::{Semaphore, oneshot, watch};
use tokio::time::timeout;

/// What stands in the place of an answer that was not given: in every language the same.
const LEFT_OPEN: &str = "—";

/// How long a page is kept waiting for news at most: less than the gate and usual proxies wait for an answer.
const HOLD: Duration = Duration::from_secs(25);
/// How many pages may wait at a time. The others are answered at once and ask again later. A browser has six connections to
/// a server at most: however many tabs it shows, one is left to submit by.
const HELD_PAGES: usize = 5;

/// The open questions and where the answer goes.
#[derive(Debug)]
pub struct Session {
    project: Project,
    decisions: Decisions,
    pending: Pending,
    form: Arc<BlankForm>,
    /// `None` follows the browser.
    lang: Option<Lang>,
    limit: Option<Arc<TimeLimit>>,
    flow_config: LoadFlow,
    /// Completed, once, when a submission has won and is on disk.
    ended: Mutex<Option<oneshot::Sender<Ending>>>,
    /// Whether pages that wait for news are to look now.
    closing: watch::Sender<bool>,
    /// The end that came in here, for the pages that wait: none need read it from the disk.
    won: OnceLock<Ending>,
    held_pages: Semaphore,
}

/// Reads what the configuration says of tasks.
struct LoadFlow(Box<dyn Fn() -> Result<FlowConfig, ConfigError> + Send + Sync>);

impl fmt::Debug for LoadFlow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LoadFlow")
    }
}

impl Session {
    /// Opens the questions of `form`, which were stored as `pending`. `lang` is the language of the page; `None` follows
    /// the browser. The receiver is completed when somebody here has ended them.
    pub fn new(
        project: Project,
        decisions: Decisions,
        pending: Pending,
        form: Arc<BlankForm>,
        lang: Option<Lang>,
    ) -> (Self, oneshot::Receiver<Ending>) {
        let (sender, receiver) = oneshot::channel();
        let ended = Mutex::new(Some(sender));
        let flow_config = LoadFlow(Box::new(|| Ok(FlowConfig::default())));
        let session = Self {
            project,
            decisions,
            pending,
            form,
            lang,
            limit: None,
            flow_config,
            ended,
            closing: watch::Sender::new(false),
            won: OnceLock::new(),
            held_pages: Semaphore::new(HELD_PAGES),
        };
        (session, receiver)
    }

    /// The same with a limit that the person is told of, and may put off.
    #[must_use]
    pub fn limited_by(self, limit: Option<Arc<TimeLimit>>) -> Self {
        Self { limit, ..self }
    }

    /// The same with a way to read what the configuration says of tasks, which only their page asks for.
    #[must_use]
    pub fn with_flow(
        self,
        load: impl Fn() -> Result<FlowConfig, ConfigError> + Send + Sync + 'static,
    ) -> Self {
        Self { flow_config: LoadFlow(Box::new(load)), ..self }
    }

    /// What the configuration says of tasks now.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn flow_config(&self) -> Result<FlowConfig, ConfigError> {
        (self.flow_config.0)()
    }

    /// How long somebody listens.
    pub fn time_limit(&self) -> Option<&TimeLimit> {
        self.limit.as_deref()
    }

    /// The project the questions come from.
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// The name of the session.
    pub fn id(&self) -> &SessionId {
        &self.pending.session
    }

    /// The head of the questions.
    pub(crate) fn pending(&self) -> &Pending {
        &self.pending
    }

    /// The questions.
    pub fn questions(&self) -> &Questions {
        self.form.questions()
    }

    /// What the files were that the questions name.
    pub(crate) fn sources(&self) -> &SourceHashes {
        &self.pending.sources
    }

    /// The HTML of each item for which nothing was given yet.
    pub(crate) fn untouched_items(&self, lang: Lang) -> impl Iterator<Item = &str> {
        self.form.items(lang)
    }

    /// The decisions of the project, ended and open.
    pub fn decisions(&self) -> &Decisions {
        &self.decisions
    }

    /// Somebody has come in; the file that led here has served.
    pub fn has_visitor(&self) {
        self.decisions.remove_opener();
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

    /// When what [`Session::draft`] returns was last changed; `None` when that is nothing.
    pub fn draft_saved_at(&self) -> Option<String> {
        self.decisions.draft_saved_at(self.questions())
    }

    fn open_set(&self) -> OpenSet<'_> {
        OpenSet { decisions: &self.decisions, pending: &self.pending, questions: self.questions() }
    }

    /// Accepts the answers of a page that shows the questions `session`. Returns them as a person reads them.
    pub fn submit_sheet(
        &self,
        session: &str,
        sheet: &AnswerSheet,
        via: Via,
    ) -> Result<Vec<ChosenItem>, Refusal> {
        self.end(|open| open.submit_sheet(session, sheet, via)).map(|ending| self.chosen_of(&ending))
    }

    /// Sends back the questions `session`, instead of answering them. Returns what was said, as it is kept.
    pub fn send_back(&self, session: &str, returned: &Returned, via: Via) -> Result<Returned, Refusal> {
        self.end(|open| open.send_back(session, returned, via)).map(|ending| match ending {
            Ending::Returned(returned) => returned,
            _ => Returned::default(),
        })
    }

    /// Accepts a documented submission (`POST /api/submit`).
    pub fn submit_json(&self, body: &str) -> Result<(), Refusal> {
        self.end(|open| open.submit_json(body)).map(drop)
    }

    /// Keeps an incomplete sheet.
    pub fn save_draft(&self, session: &str, sheet: &AnswerSheet, via: Via) -> Result<(), Refusal> {
        self.open_set().save_draft(session, &sheet.without_empty_words(self.questions().input()), via)
    }

    /// Whether a page that shows the questions `session` shows these.
    pub fn check_current(&self, session: &str) -> Result<(), Refusal> {
        self.open_set().check_current(session)
    }

    /// Whether a page that shows the questions `session` can still answer them. The disk is asked only when the server is
    /// about to end: whoever serves watches it, and ends when there is something to see.
    pub fn check_open(&self, session: &str) -> Result<(), Refusal> {
        self.check_current(session)?;
        if !*self.closing.borrow() {
            return Ok(());
        }
        if let Some(ending) = self.won.get() {
            return Err(Refusal::Ended(ending.clone()));
        }
        match self.decisions.watch(self.id().clone()).look() {
            Ok(Some(ending)) => Err(Refusal::Ended(ending)),
            // The time is up, or what cannot be read is told to whoever answers.
            Ok(None) | Err(_) => Ok(()),
        }
    }

    /// Completes when a page should look whether its questions are still open: when the server is about to end, or after
    /// some time. At once when too many wait already.
    pub async fn news(&self) {
        let Ok(_held) = self.held_pages.try_acquire() else { return };
        let mut closing = self.closing.subscribe();
        // That it took too long is no news.
        let _ = timeout(HOLD, closing.wait_for(|closing| *closing)).await;
    }

    /// Lets the pages that wait for news look now, and those that come later not wait: the server is about to end.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    /// The one place where an end is accepted. The record is durable before anybody is told.
    fn end(
        &self,
        submit: impl FnOnce(OpenSet<'_>) -> Result<DecisionRecord, Refusal>,
    ) -> Result<Ending, Refusal> {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let ending = submit(self.open_set())?.ending;
        // Questions end once, so that nothing is there yet.
        let _ = self.won.set(ending.clone());
        if let Some(sender) = ended.take() {
            // Nobody listens any more when the command is already on its way out; the record stands.
            let _ = sender.send(ending.clone());
        }
        Ok(ending)
    }

    /// The answers of `ending` as a person reads them; none where it has none.
    pub fn chosen_of(&self, ending: &Ending) -> Vec<ChosenItem> {
        match ending {
            Ending::Decided(output) => self.chosen(output),
            _ => Vec::new(),
        }
    }

    /// The answers as a person reads them.
    fn chosen(&self, output: &DecideOutput) -> Vec<ChosenItem> {
        let items: HashMap<u64, _> =
            self.questions().input().items.iter().map(|item| (item.id, item)).collect();
        let chosen = output.decisions.iter().filter_map(|decision| {
            let item = items.get(&decision.id)?;
            let labels = item.options.iter().filter(|option| decision.chosen.has(&option.value));
            let labels: Vec<_> =
                labels.map(|option| option.label.as_str()).chain(decision.other.as_deref()).collect();
            Some(ChosenItem {
                title: item.title.clone(),
                label: if labels.is_empty() { LEFT_OPEN.to_owned() } else { labels.join(" · ") },
                note: decision.note.clone().unwrap_or_default(),
            })
        });
        chosen.collect()
    }
}

/// The HTTP status that says the same as `refusal`.
pub fn status_of(refusal: &Refusal) -> StatusCode {
    match refusal {
        Refusal::NotJson(_) | Refusal::Invalid(_) | Refusal::NoReason => StatusCode::BAD_REQUEST,
        Refusal::Stale | Refusal::Ended(_) => StatusCode::CONFLICT,
        Refusal::Storage(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The sentence for a person or a script.
pub fn detail_of(refusal: &Refusal, lang: Lang) -> String {
    let words = lang.page();
    match refusal {
        Refusal::NotJson(error) => texts::syntax(lang, error),
        Refusal::Invalid(problems) => {
            let sentences: Vec<_> = problems.iter().map(|problem| texts::problem(lang, problem)).collect();
            sentences.join(words.separator)
        }
        Refusal::Stale | Refusal::Ended(Ending::Replaced(_)) => words.stale.to_owned(),
        Refusal::Ended(Ending::Decided(_)) => words.decided_elsewhere.to_owned(),
        Refusal::Ended(Ending::Returned(returned)) => {
            texts::fill(words.returned_elsewhere, &[("message", &returned.message)])
        }
        Refusal::Ended(Ending::Cancelled) => words.cancelled_hint.to_owned(),
        Refusal::NoReason => words.return_missing.to_owned(),
        Refusal::Storage(error) => error.explain(lang).what,
    }
}

/// The same for the hydrated page, which shows `session`.
pub(crate) fn failure_of(refusal: Refusal, session: &Session, lang: Lang) -> SubmitFailure {
    match refusal {
        Refusal::Ended(Ending::Decided(output)) => {
            SubmitFailure::Ended(decided_html(lang, Farewell::DecidedElsewhere, session.chosen(&output)))
        }
        Refusal::Stale | Refusal::Ended(Ending::Replaced(_)) => {
            SubmitFailure::Stale(lang.page().stale_hint.to_owned())
        }
        Refusal::Ended(ending) => SubmitFailure::Ended(closed_html(lang, &ending)),
        refusal => SubmitFailure::Refused(detail_of(&refusal, lang)),
    }
}

/// Makes `session` reachable for the server functions called within this reactive owner.
pub fn provide_session(session: Arc<Session>) {
    leptos::prelude::provide_context(session);
}
