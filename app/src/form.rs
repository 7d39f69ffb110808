//! One set of questions, wherever it lies: what page, server functions and API share.

use crate::signals::Signals;
use crate::{BlankForm, ChosenItem, SetId, TimeLimit};
use decide::{Desk, Halt, OpenSet, Submission, SubmitError, Watch};
use model::{
    Answer, AnswerSheet, Attachments, DecideOutput, DecisionRecord, Ending, ItemKind, Questions, Returned,
    SessionId, Via,
};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;
use store::{AttachError, Delivery, PendingSet, Project, SourceHashes, StoreError, Upload};
use texts::{Lang, named_file};
use watchdog::{Mutex, Rank};

/// What stands in the place of an answer that was not given: in every language the same.
const LEFT_OPEN: &str = "—";

/// A set of questions, and where its answer goes.
#[derive(Debug)]
pub struct Form {
    id: SetId,
    project: Option<Project>,
    desk: Arc<dyn Desk>,
    pending: PendingSet,
    blank: Arc<BlankForm>,
    limit: RwLock<Option<Arc<TimeLimit>>>,
    signals: Arc<Signals>,
    /// Held while the disk is read, by one thread at a time that looks at this set.
    watch: Mutex<Box<dyn Watch>>,
    /// How the set ended, once this process knows.
    ending: OnceLock<Ending>,
    /// What a search looks through, in Chinese and in English.
    searched: [OnceLock<String>; 2],
}

impl Form {
    pub(crate) fn new(
        id: SetId,
        project: Option<Project>,
        desk: Arc<dyn Desk>,
        (pending, blank): (PendingSet, Arc<BlankForm>),
        limit: Option<Arc<TimeLimit>>,
        signals: Arc<Signals>,
    ) -> Self {
        let watch = Mutex::new(Rank::Set, "a set of questions", desk.watch(&pending.session));
        let limit = RwLock::new(limit);
        Self {
            id,
            project,
            desk,
            pending,
            blank,
            limit,
            signals,
            watch,
            ending: OnceLock::new(),
            searched: Default::default(),
        }
    }

    pub(crate) fn set_limit(&self, limit: Option<Arc<TimeLimit>>) {
        *self.limit.write().unwrap_or_else(PoisonError::into_inner) = limit;
    }

    /// What it is called on this server.
    pub fn id(&self) -> &SetId {
        &self.id
    }

    /// The name of the session.
    pub fn session(&self) -> &SessionId {
        &self.pending.session
    }

    /// The head of the questions.
    pub fn pending(&self) -> &PendingSet {
        &self.pending
    }

    /// The project the questions are about, if they are about one.
    pub fn project(&self) -> Option<&Project> {
        self.project.as_ref()
    }

    /// The folder of that project, as text.
    pub(crate) fn project_root(&self) -> Option<String> {
        self.project().map(|project| project.root().display().to_string())
    }

    /// The questions.
    pub fn questions(&self) -> &Questions {
        self.blank.questions()
    }

    /// Task, source and titles as they are shown in `lang`, in lower case, each on a line of its own.
    pub(crate) fn searched(&self, lang: Lang) -> &str {
        let [zh, en] = &self.searched;
        let searched = if lang == Lang::Zh { zh } else { en };
        searched.get_or_init(|| {
            let input = lang.questions(self.questions().input());
            let titles = input.items.iter().map(|item| item.title.as_str());
            let fields: Vec<_> = [input.task.as_str(), &input.source].into_iter().chain(titles).collect();
            fields.join("\n").to_lowercase()
        })
    }

    /// How long the questions are served.
    pub fn time_limit(&self) -> Option<Arc<TimeLimit>> {
        self.limit.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the files were that the questions name.
    pub(crate) fn sources(&self) -> &SourceHashes {
        &self.pending.sources
    }

    /// The HTML of each item for which nothing was given yet.
    pub(crate) fn untouched_items(&self, lang: Lang) -> impl Iterator<Item = &str> {
        self.blank.items(lang)
    }

    /// What was given so far for these questions.
    pub fn draft(&self) -> AnswerSheet {
        let mut draft = self.desk.draft(&self.pending, self.questions());
        self.settle(&mut draft);
        draft
    }

    /// When what [`Self::draft`] returns was last changed; `None` when that is nothing.
    pub fn draft_saved_at(&self) -> Option<String> {
        self.desk.draft_saved_at(&self.pending, self.questions())
    }

    fn open_set(&self) -> OpenSet<'_> {
        OpenSet { desk: &*self.desk, pending: &self.pending, questions: self.questions() }
    }

    /// Accepts the answers of a page. Returns the end that they make; [`Self::chosen_of`] says it in words. They can be taken
    /// back for `undo`, where that is configured, and make the end after it.
    ///
    /// # Errors
    ///
    /// When they are not accepted, as with all that follows.
    pub fn submit_sheet(
        self: &Arc<Self>,
        sheet: &AnswerSheet,
        via: Via,
        undo: Option<Duration>,
    ) -> Result<Ending, SubmitError> {
        let mut sheet = Cow::Borrowed(sheet);
        if self.asks_for_files() {
            self.settle(sheet.to_mut());
        }
        let by_page = is_page(via);
        let Some(wait) = undo else { return self.end(by_page, |open| open.submit_sheet(&sheet, via)) };
        match self.open_set().hold_sheet(&sheet, via, wait)? {
            Submission::Recorded(record) => Ok(self.ended(record.ending, by_page)),
            Submission::Held(output) => {
                self.look_after(wait);
                Ok(Ending::Decided(output))
            }
        }
    }

    /// Takes back a submission that is held. False when there is none, or it has become the end.
    ///
    /// # Errors
    ///
    /// When that could not be written.
    pub fn take_back(&self) -> Result<bool, SubmitError> {
        self.desk.take_back(self.session()).map_err(SubmitError::Storage)
    }

    /// For how long a submission can still be taken back; `None` when none is held.
    pub fn held_for(&self) -> Option<Duration> {
        self.desk.held_for(self.session())
    }

    /// What became of the answer; `None` where that is not known.
    pub fn delivery(&self) -> Option<Delivery> {
        self.desk.delivery(self.session())
    }

    /// Why an answer leads to nothing until a person resumes what asked; `None` where it does.
    pub fn halt(&self) -> Option<Halt> {
        self.desk.halt(&self.pending)
    }

    /// The end that a submission makes which can still be taken back; `None` when none is held.
    pub fn held(&self) -> Option<Ending> {
        self.held_for()?;
        // What is held is what was kept as a draft.
        let output = self.draft().decide(self.questions().input(), &self.attachments().ok()?);
        output.ok().map(Ending::Decided)
    }

    /// Looks after `wait`, when what is held has become the end: no other process may be looking.
    fn look_after(self: &Arc<Self>, wait: Duration) {
        let form = Arc::clone(self);
        tokio::spawn(async move {
            tokio::time::sleep(wait).await;
            // One that was taken back meanwhile and submitted again is looked after as well.
            let _ = tokio::task::spawn_blocking(move || form.look()).await;
        });
    }

    /// Sends back the questions, instead of answering them. Returns what was said, as it is kept.
    ///
    /// # Errors
    ///
    /// When that is not accepted.
    pub fn send_back(&self, returned: &Returned, via: Via) -> Result<Returned, SubmitError> {
        self.end(is_page(via), |open| open.send_back(returned, via)).map(|ending| match ending {
            Ending::Returned(returned) => returned,
            _ => Returned::default(),
        })
    }

    /// Accepts a documented submission (`POST /api/submit`).
    ///
    /// # Errors
    ///
    /// When it is not accepted.
    pub fn submit_json(&self, body: &str) -> Result<(), SubmitError> {
        self.end(false, |open| open.submit_json(body)).map(drop)
    }

    /// Keeps an incomplete sheet.
    ///
    /// # Errors
    ///
    /// When it cannot be kept.
    pub fn save_draft(&self, sheet: &AnswerSheet, via: Via) -> Result<(), SubmitError> {
        self.open_set().save_draft(&sheet.without_empty_words(self.questions().input()), via)
    }

    /// The files that are attached to these questions.
    ///
    /// # Errors
    ///
    /// When that cannot be read.
    pub fn attachments(&self) -> Result<Attachments, StoreError> {
        self.desk.attachments(self.session())
    }

    /// Begins to attach a file called `name` elsewhere to the item `item`, in the place of one of the same name. It counts
    /// once [`Upload::finish`] has returned.
    ///
    /// # Errors
    ///
    /// When it cannot be attached.
    pub fn attach(&self, item: u64, name: &str) -> Result<Upload, AttachError> {
        self.desk.attach(&self.pending, self.questions(), item, name)
    }

    /// Takes away the file `name` of the item `item`. False when no such file is attached, or when the questions have
    /// ended.
    ///
    /// # Errors
    ///
    /// When it could not be taken away.
    pub fn detach(&self, item: u64, name: &str) -> Result<bool, StoreError> {
        self.desk.detach(&self.pending, item, name)
    }

    /// Makes `sheet` say of the items that ask for files what is there: that they are answered where enough is attached.
    pub fn settle(&self, sheet: &mut AnswerSheet) {
        if !self.asks_for_files() {
            return;
        }
        // Read errors are reported on attaching and on submitting.
        let attached = self.attachments().unwrap_or_default();
        let items = self.questions().input().items.iter();
        for item in items.filter(|item| item.kind == ItemKind::Files) {
            let count = attached.get(&item.id).map_or(0, Vec::len);
            let options = if count > 0 && count >= item.file_bounds().0 { vec![0] } else { Vec::new() };
            match sheet.answers.iter_mut().find(|answer| answer.id == item.id) {
                Some(answer) => answer.options = options,
                None if options.is_empty() => {}
                None => sheet.answers.push(Answer { id: item.id, options, ..Answer::default() }),
            }
        }
    }

    fn asks_for_files(&self) -> bool {
        self.questions().input().items.iter().any(|item| item.kind == ItemKind::Files)
    }

    /// Whether the questions can still be answered, as far as is known here. The disk is asked only where the server is
    /// about to end, which it does when there is something to see.
    ///
    /// # Errors
    ///
    /// [`SubmitError::Ended`].
    pub fn check_open(&self) -> Result<(), SubmitError> {
        match self.ending() {
            Some(ending) => Err(SubmitError::Ended(ending.clone())),
            None if !self.signals.is_closing() => Ok(()),
            // The time is up, or the disk cannot be read, which answering reports.
            None => self.look().map_or(Ok(()), |ending| Err(SubmitError::Ended(ending))),
        }
    }

    /// How the questions ended, if this process knows.
    pub fn ending(&self) -> Option<&Ending> {
        self.ending.get()
    }

    /// The set that asks what was left for later, where a part of these was answered.
    pub(crate) fn remainder(&self) -> Option<SessionId> {
        match self.ending()? {
            Ending::Decided(output) => output.remainder().cloned(),
            _ => None,
        }
    }

    /// Looks whether others have ended them.
    pub fn look(&self) -> Option<Ending> {
        // An unreadable file may be repaired; the client that asks for the result gets the error.
        self.try_look().ok().flatten()
    }

    /// The same, and says when that cannot be read.
    pub(crate) fn try_look(&self) -> Result<Option<Ending>, StoreError> {
        if let Some(ending) = self.ending() {
            return Ok(Some(ending.clone()));
        }
        let ending = self.watch.lock().look()?;
        if let Some(ending) = &ending {
            self.know(ending);
        }
        Ok(ending)
    }

    /// The one place where an end is accepted. The record is durable before anything else learns of it. `by_page` as in
    /// [`Signals::ended`].
    fn end(
        &self,
        by_page: bool,
        submit: impl FnOnce(OpenSet<'_>) -> Result<DecisionRecord, SubmitError>,
    ) -> Result<Ending, SubmitError> {
        Ok(self.ended(submit(self.open_set())?.ending, by_page))
    }

    fn ended(&self, ending: Ending, by_page: bool) -> Ending {
        self.know(&ending);
        self.signals.ended(&self.id, &ending, by_page);
        ending
    }

    fn know(&self, ending: &Ending) {
        // Questions end once, so that nothing else is there.
        if self.ending.set(ending.clone()).is_ok() {
            self.signals.change();
        }
    }

    /// The answers of `ending` as a person reads them in `lang`; none where it has none.
    pub fn chosen_of(&self, ending: &Ending, lang: Lang) -> Vec<ChosenItem> {
        match ending {
            Ending::Decided(output) => self.chosen(output, lang),
            _ => Vec::new(),
        }
    }

    /// The answers as a person reads them in `lang`.
    pub(crate) fn chosen(&self, output: &DecideOutput, lang: Lang) -> Vec<ChosenItem> {
        let input = lang.questions(self.questions().input());
        let items: HashMap<u64, _> = input.items.iter().map(|item| (item.id, item)).collect();
        let chosen = output.decisions.iter().filter_map(|decision| {
            let item = items.get(&decision.id)?;
            let labels = item.options.iter().filter(|option| decision.chosen.has(&option.value));
            let labels = labels.map(|option| option.label.clone()).chain(decision.other.clone());
            let labels: Vec<_> =
                labels.chain(decision.files.iter().map(|file| named_file(&file.name, file.size))).collect();
            Some(ChosenItem {
                title: item.title.clone(),
                label: if labels.is_empty() { LEFT_OPEN.to_owned() } else { labels.join(" · ") },
                note: decision.note.clone().unwrap_or_default(),
            })
        });
        chosen.collect()
    }
}

/// Whether a page that a browser shows has sent something.
fn is_page(via: Via) -> bool {
    matches!(via, Via::Page | Via::Form)
}
