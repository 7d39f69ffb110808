//! All questions that a server shows, those of one project or of several.
//!
//! # Several sets are open
//!
//! `pending.json` is the *slot*: a plain `submit` asks there, and replaces the earlier questions. `submit --queue`, `aide mcp`
//! and agents ask beside it by `Decisions::put` (`crates/store/src/decisions/own.rs`): in a file of their own, which is written
//! once and removed when the record exists. A key finds the same set again. Both are a `PendingSet` with a `Place`; the asker and
//! the deadline are in `_meta` (`Origin`, `deadline`). `Desk` is the common interface of the keepers of sets: the folder
//! (`Decisions`), the folder of a project whose disk may not answer (`PatientDesk`), and the journal of a daemon (`JournalDesk`).
//!
//! A server shows all sets of its project, and ends with the set that it was started for (`ServerInfo`: `session_id`, `scope`).
//! Every other command of the project waits for that server as long as the set is open (`decide::serves`). When it has ended, a
//! process in the background continues with the next set, on the same port: `serve` by itself, `submit` through
//! `detach::hand_over`. A waiting asker does the same if no other process does. `Hall` remembers which sets it has seen besides
//! its own, because the asker of a later set serves that set itself.
//!
//! `Hall` finds a set by its address (`SetId`, `/d/SESSION`); the pages send this address with every request. `/` is the form
//! while one set is open, otherwise the inbox, and a result page leads to the oldest remaining set. `/api/items` and
//! `/api/submit` refer to the slot. None of this is in the page of a single set, to the byte.
//!
//! A deadline that has passed is an end. The first process that looks records it (`deadline.rs`); `publish` records it in place
//! of an answer that arrives too late.

mod inbox;
mod room;

pub use inbox::InboxPage;
pub(crate) use inbox::age;
pub use room::ProjectRoom;

use crate::signals::Signals;
use crate::{BlankForm, Form, OtherPages, PlanFolders, ReadPool, SetId, TimeLimit};
use agent::plan::{Folders, PlanError};
use decide::{Desk, Ended, SearchCache};
use model::{DecisionRecord, Ending, SessionId};
use room::Room;
use settings::{ConfigError, FlowConfig};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};
use store::{Decisions, Delivery, PendingSet, Place, Project, StoreError};
use texts::Lang;
use tokio::sync::{Semaphore, oneshot, watch};
use tokio::time::timeout;

/// How long a page is kept waiting for news at most: less than the gate and usual proxies wait for an answer.
const HOLD: Duration = Duration::from_secs(25);
/// How many pages may wait at a time. The others are answered at once and ask again later. A browser has six connections to
/// a server at most: however many tabs it shows, one is left to submit by.
const HELD_PAGES: usize = 5;
/// How many ended sets are remembered, so that their pages can show how they ended.
const ENDED_FORMS: usize = 256;

/// What a server shows.
#[derive(Debug)]
pub struct Hall {
    /// The one without a name is where the server was started; a daemon has none.
    rooms: RwLock<Vec<Arc<Room>>>,
    /// The set that the server was started for, and ends with; `None` for one that stays.
    own: Option<Arc<Form>>,
    /// `None` follows the browser.
    lang: Option<Lang>,
    flow_config: LoadFlow,
    undo: LoadUndo,
    search: Option<SearchCache>,
    plan_folders: Option<PlanFolders>,
    /// Whether there are pages of workflows.
    has_workflows: bool,
    /// Those that were looked at.
    forms: Mutex<HashMap<SetId, Arc<Form>>>,
    /// The other sets that were open the last time that the own one was.
    others: Mutex<Vec<SetId>>,
    signals: Arc<Signals>,
    /// The open sets that a browser has shown.
    looked_at: Mutex<HashSet<SetId>>,
    /// What was open at the last look.
    open_sets: Mutex<Arc<inbox::OpenSets>>,
    /// Sent to those who wait for a change of the inbox, when they should look.
    inbox: watch::Sender<()>,
    /// When it is to be looked at again.
    inbox_due: Mutex<Option<Instant>>,
    held_pages: Semaphore,
    reads: ReadPool,
}

/// Reads what the configuration says of tasks.
struct LoadFlow(Box<FlowReader>);

type FlowReader = dyn Fn(&Project) -> Result<FlowConfig, ConfigError> + Send + Sync;

impl fmt::Debug for LoadFlow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LoadFlow")
    }
}

/// Reads for how long a submission can be taken back.
struct LoadUndo(Box<UndoReader>);

type UndoReader = dyn Fn(&Project) -> Option<Duration> + Send + Sync;

impl fmt::Debug for LoadUndo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LoadUndo")
    }
}

impl Hall {
    /// Shows the questions of `project`. The server is started for those of `blank`, which were stored as `pending`, and ends
    /// with them. `lang` is the language of the pages; `None` follows the browser. The receiver completes when this process has
    /// ended them.
    pub fn new(
        project: Project,
        decisions: Decisions,
        pending: PendingSet,
        blank: Arc<BlankForm>,
        lang: Option<Lang>,
    ) -> (Self, oneshot::Receiver<Ending>) {
        let own = SetId { room: String::new(), session: pending.session.clone() };
        let (signals, receiver) = Signals::new(own.clone());
        let desk: Arc<dyn Desk> = Arc::new(decisions.clone());
        let place = Some(project.clone());
        let form = Form::new(own, place, desk, (pending, blank), None, Arc::clone(&signals));
        (Self::around(Some(Arc::new(form)), project, decisions, lang, signals), receiver)
    }

    /// Shows the questions of `project`, whichever are open, and ends with none of them. `lang` is the language of the pages;
    /// `None` follows the browser.
    pub fn resident(project: Project, decisions: Decisions, lang: Option<Lang>) -> Self {
        Self::around(None, project, decisions, lang, Arc::default())
    }

    /// Belongs to no project, and ends with no questions. `lang` is the language of the pages; `None` follows the browser.
    pub fn without_home(lang: Option<Lang>) -> Self {
        Self::empty(None, lang, Arc::default())
    }

    fn around(
        own: Option<Arc<Form>>,
        project: Project,
        decisions: Decisions,
        lang: Option<Lang>,
        signals: Arc<Signals>,
    ) -> Self {
        Self {
            plan_folders: Some(PlanFolders::for_project(&project)),
            rooms: RwLock::new(vec![Arc::new(Room::of_project(ProjectRoom {
                name: String::new(),
                project,
                decisions,
            }))]),
            ..Self::empty(own, lang, signals)
        }
    }

    fn empty(own: Option<Arc<Form>>, lang: Option<Lang>, signals: Arc<Signals>) -> Self {
        Self {
            plan_folders: None,
            has_workflows: false,
            rooms: RwLock::default(),
            own,
            lang,
            flow_config: LoadFlow(Box::new(|_| Ok(FlowConfig::default()))),
            undo: LoadUndo(Box::new(|_| None)),
            search: None,
            forms: Mutex::default(),
            others: Mutex::default(),
            signals,
            looked_at: Mutex::default(),
            open_sets: Mutex::default(),
            inbox: watch::Sender::default(),
            inbox_due: Mutex::default(),
            held_pages: Semaphore::new(HELD_PAGES),
            reads: ReadPool::default(),
        }
    }

    /// The same with a limit for the questions that the server ends with. The page shows the limit, and the user may extend it.
    #[must_use]
    pub fn limited_by(self, limit: Option<Arc<TimeLimit>>) -> Self {
        if let Some(own) = &self.own {
            own.set_limit(limit);
        }
        self
    }

    /// The same with a way to read what the configuration of a project says of tasks, which only their page asks for.
    #[must_use]
    pub fn with_flow(
        self,
        load: impl Fn(&Project) -> Result<FlowConfig, ConfigError> + Send + Sync + 'static,
    ) -> Self {
        Self { flow_config: LoadFlow(Box::new(load)), ..self }
    }

    /// The same with a way to read for how long a submission in a project can be taken back; `None` where it cannot.
    #[must_use]
    pub fn with_undo(self, load: impl Fn(&Project) -> Option<Duration> + Send + Sync + 'static) -> Self {
        Self { undo: LoadUndo(Box::new(load)), ..self }
    }

    /// The same with a cache for the search in earlier decisions.
    #[must_use]
    pub fn with_search(self, search: Option<SearchCache>) -> Self {
        Self { search, ..self }
    }

    /// The cache for the search in earlier decisions.
    pub fn search_cache(&self) -> Option<&SearchCache> {
        self.search.as_ref()
    }

    /// For how long a submission for `form` can be taken back.
    pub fn undo_of(&self, form: &Form) -> Option<Duration> {
        (self.undo.0)(form.project()?)
    }

    /// Shows the questions of another project as well, whose sets carry its name in their addresses: letters and digits. False
    /// when a room has that name already.
    pub fn add_project(&self, room: ProjectRoom) -> bool {
        self.add(Room::of_project(room))
    }

    /// The same through another desk than the project's own folder, such as one that gives up a disk that does not answer.
    pub fn add_project_through(&self, place: ProjectRoom, desk: Arc<dyn Desk>) -> bool {
        self.add(Room::new(&place.name.clone(), desk, Some(place)))
    }

    /// Shows the questions of another desk as well, which are about no project in particular.
    pub fn add_desk(&self, name: &str, desk: Arc<dyn Desk>) -> bool {
        self.add(Room::new(name, desk, None))
    }

    fn add(&self, room: Room) -> bool {
        let mut rooms = self.rooms.write().unwrap_or_else(PoisonError::into_inner);
        let is_new = rooms.iter().all(|known| known.name != room.name);
        if is_new {
            rooms.push(Arc::new(room));
        }
        is_new
    }

    /// Shows the questions of a project no longer.
    pub fn remove_project(&self, name: &str) {
        let mut rooms = self.rooms.write().unwrap_or_else(PoisonError::into_inner);
        rooms.retain(|room| room.name != name);
        drop(rooms);
        self.forms().retain(|set, _| set.room != name);
    }

    /// Where all that is shown is read.
    pub fn reads(&self) -> &ReadPool {
        &self.reads
    }

    fn rooms(&self) -> Vec<Arc<Room>> {
        self.rooms.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn room(&self, name: &str) -> Option<Arc<Room>> {
        self.rooms().into_iter().find(|room| room.name == name)
    }

    /// The same with plans that are elsewhere than in the project.
    #[must_use]
    pub fn with_plans(self, folders: PlanFolders) -> Self {
        Self { plan_folders: Some(folders), ..self }
    }

    /// The same beside the pages of workflows, which a daemon has.
    #[must_use]
    pub fn with_workflows(self) -> Self {
        Self { has_workflows: true, ..self }
    }

    /// Opens the folders of plans to look; `None` where there was never a plan.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn look_at_plans(&self) -> Result<Option<Folders>, PlanError> {
        self.plan_folders.as_ref().map_or(Ok(None), PlanFolders::look)
    }

    /// Where else there is something to see, where no set is open but those that are shown.
    pub fn elsewhere(&self) -> OtherPages {
        self.elsewhere_in(self.project_room("").as_ref())
    }

    /// The same on a page of the project `room`.
    pub fn elsewhere_in(&self, room: Option<&ProjectRoom>) -> OtherPages {
        OtherPages {
            waiting: 0,
            room: room.map(|room| room.name.clone()).unwrap_or_default(),
            has_history: room.is_some(),
            has_task: room.is_some_and(|room| room.project.has_task()),
            has_plans: self.plan_folders.as_ref().is_some_and(PlanFolders::have_plans),
            has_workflows: self.has_workflows,
        }
    }

    /// Where else there is something to see than the set `set`.
    pub fn elsewhere_than(&self, set: &SetId) -> OtherPages {
        let waiting = self.open().iter().filter(|other| *other != set).count();
        OtherPages { waiting, ..self.elsewhere_in(self.project_room(&set.room).as_ref()) }
    }

    /// What the configuration of a project says of tasks now.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn flow_config(&self, project: &Project) -> Result<FlowConfig, ConfigError> {
        (self.flow_config.0)(project)
    }

    /// The project that is called so here; the empty name is that of the project that the server was started in.
    pub fn project_room(&self, name: &str) -> Option<ProjectRoom> {
        self.room(name)?.place.clone()
    }

    /// All projects, by their folders.
    pub fn project_rooms(&self) -> Vec<ProjectRoom> {
        let mut rooms: Vec<_> = self.rooms().iter().filter_map(|room| room.place.clone()).collect();
        rooms.sort_by(|a, b| a.project.root().cmp(b.project.root()));
        rooms
    }

    /// The project that the server was started in, if it was in one.
    pub fn project(&self) -> Option<Project> {
        Some(self.project_room("")?.project)
    }

    /// Its decisions, ended and open.
    pub fn decisions(&self) -> Option<Decisions> {
        Some(self.project_room("")?.decisions)
    }

    /// The questions that the server was started for, and ends with, if there are any. They may have ended.
    pub fn own(&self) -> Option<&Arc<Form>> {
        self.own.as_ref()
    }

    /// Notes that a visitor has arrived: the file that led here has served its purpose.
    pub fn has_visitor(&self) {
        if let Some(decisions) = self.decisions() {
            decisions.remove_opener();
        }
    }

    /// The language to speak: what was asked for, else the configured one, else what the browser accepts.
    pub fn language(&self, asked: Option<&str>, accept_language: Option<&str>) -> Lang {
        asked
            .and_then(|code| code.parse().ok())
            .or(self.lang)
            .or_else(|| accept_language.and_then(Lang::from_accept_language))
            .unwrap_or(Lang::Zh)
    }

    /// The names of all sets that are open, the oldest first; one that cannot be read is left out.
    pub fn open(&self) -> Vec<SetId> {
        self.open_sets().sets.clone()
    }

    /// How many that are.
    pub fn open_count(&self) -> usize {
        self.open_sets().sets.len()
    }

    /// All sets that are open, the oldest first.
    pub fn open_forms(&self) -> Vec<Arc<Form>> {
        self.open().iter().filter_map(|set| self.form(set)).filter(|form| form.ending().is_none()).collect()
    }

    /// The set to answer after `set`, and how many are open beside that.
    pub fn next_after(&self, set: &SetId) -> Option<(Arc<Form>, usize)> {
        let others: Vec<_> = self.open().into_iter().filter(|other| other != set).collect();
        Some((others.iter().find_map(|other| self.form(other))?, others.len()))
    }

    /// The set `set`, whether it is open or has ended here; `None` when this server does not know it.
    pub fn form(&self, set: &SetId) -> Option<Arc<Form>> {
        if let Some(own) = self.own.as_ref().filter(|own| own.id() == set) {
            return Some(Arc::clone(own));
        }
        if let Some(form) = self.forms().get(set) {
            return Some(Arc::clone(form));
        }
        let room = self.room(&set.room)?;
        if room.desk.record(&set.session).is_ok_and(|record| record.is_some()) {
            return None;
        }
        let (pending, questions) = room.desk.get(&set.session).ok().flatten()?;
        let project = match &room.place {
            Some(place) => Some(place.project.clone()),
            None => room.desk.project(&pending),
        };
        let (desk, signals) = (Arc::clone(&room.desk), Arc::clone(&self.signals));
        let read = (pending, BlankForm::new(questions));
        let form = Arc::new(Form::new(set.clone(), project, desk, read, None, signals));
        let mut forms = self.forms();
        if forms.len() >= ENDED_FORMS {
            forms.retain(|_, form| form.ending().is_none());
        }
        // Another request may have been faster.
        let form = Arc::clone(forms.entry(set.clone()).or_insert(form));
        drop(forms);
        // It may have ended since it was read.
        room.look_later(&set.session);
        Some(form)
    }

    /// The set of that name.
    pub fn form_named(&self, name: &str) -> Option<Arc<Form>> {
        self.form(&name.parse().ok()?)
    }

    /// How the set of that name has ended, before this server knew it; `None` for one that has not, or never was.
    pub fn ending_of(&self, name: &str) -> Option<Ending> {
        let set: SetId = name.parse().ok()?;
        Some(self.room(&set.room)?.desk.record(&set.session).ok().flatten()?.ending)
    }

    /// How the set `set` has ended, as it is kept.
    ///
    /// # Errors
    ///
    /// When its record cannot be read.
    pub fn record(&self, set: &SetId) -> Result<Option<DecisionRecord>, StoreError> {
        self.room(&set.room).map_or(Ok(None), |room| room.desk.record(&set.session))
    }

    /// What became of the answer to the set `set`; `None` where that is not known.
    pub fn delivery(&self, set: &SetId) -> Option<Delivery> {
        self.room(&set.room)?.desk.delivery(&set.session)
    }

    /// The questions in the slot, which the documented paths mean. Where the server was started for them, it stays with
    /// those: answers are never given to others than were shown.
    pub fn slot(&self) -> Option<Arc<Form>> {
        if let Some(own) = self.own.as_ref().filter(|own| own.pending().place == Place::Slot) {
            return Some(Arc::clone(own));
        }
        let session = self.decisions()?.pending().ok().flatten()?.session;
        self.form(&SetId { room: String::new(), session })
    }

    /// Checks what other processes have done to the sets and notifies the pages that wait. Returns how the own set ended, if it
    /// has.
    pub fn look(&self) -> Option<Ending> {
        self.rooms().iter().for_each(|room| self.look_at(room));
        self.look_at_inbox();
        let own = self.own.as_ref()?;
        let ending = own.look();
        if ending.is_none() {
            *self.others() = self.open().into_iter().filter(|set| set != own.id()).collect();
        }
        ending
    }

    /// Looks at the sets of one room alone.
    pub fn look_in(&self, room: &str) {
        if let Some(room) = self.room(room) {
            self.look_at(&room);
        }
    }

    fn look_at(&self, room: &Room) {
        let ended = room.to_look_at();
        let forms: Vec<_> = {
            let forms = self.forms();
            let all = forms.iter().filter(|(set, _)| set.room == room.name);
            match ended {
                Ended::These(sessions) => {
                    let sets = sessions.into_iter().map(|session| SetId::new(&room.name, session));
                    sets.filter_map(|set| forms.get(&set).map(Arc::clone)).collect()
                }
                Ended::AllBut(open) => {
                    let others = all.filter(|(set, _)| !open.contains(&set.session));
                    others.map(|(_, form)| Arc::clone(form)).collect()
                }
                Ended::Any => all.map(|(_, form)| Arc::clone(form)).collect(),
            }
        };
        for form in forms {
            if form.try_look().is_err() {
                room.look_later(form.session());
            }
        }
    }

    /// Sets how long the client waits for the answer to the set `set`, which the user may extend; `None` for ever.
    pub fn limit(&self, set: &SetId, limit: Option<Arc<TimeLimit>>) {
        if let Some(form) = self.form(set) {
            form.set_limit(limit);
        }
    }

    /// The oldest set of the server's own project that was open beside the own one when that was last, and is still.
    pub fn next_session(&self) -> Option<SessionId> {
        let open = self.open();
        let mut others = self.others().clone().into_iter();
        others.find(|set| set.room.is_empty() && open.contains(set)).map(|set| set.session)
    }

    fn others(&self) -> MutexGuard<'_, Vec<SetId>> {
        self.others.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Completes when a page of `form` should look whether it is still open: when it has ended, when the server is about to
    /// end, or after some time. At once when too many wait already.
    pub async fn news(&self, form: &Form) {
        let present = self.is_own(form).then(|| self.signals.audience.enter());
        let Ok(_held) = self.held_pages.try_acquire() else { return };
        // That it took too long is no news.
        let _ = timeout(HOLD, self.signals.heard(|| form.ending().is_some())).await;
        if let Some(present) = present.filter(|_| form.ending().is_some()) {
            present.learn_end();
        }
    }

    /// A browser shows the sets `shown`, on a page of their own or in the inbox.
    pub fn note_looks<'s>(&self, shown: impl IntoIterator<Item = &'s SetId>) {
        let mut looked_at = self.looked_at.lock().unwrap_or_else(PoisonError::into_inner);
        let mut is_new = false;
        for set in shown {
            if !looked_at.contains(set) {
                looked_at.insert(set.clone());
                is_new = true;
            }
        }
        if is_new && looked_at.len() > ENDED_FORMS {
            drop(looked_at);
            let open: HashSet<SetId> = self.open().into_iter().collect();
            self.looked_at.lock().unwrap_or_else(PoisonError::into_inner).retain(|set| open.contains(set));
        }
    }

    /// Whether a browser has shown the set `set` since this server began.
    pub fn was_looked_at(&self, set: &SetId) -> bool {
        self.looked_at.lock().unwrap_or_else(PoisonError::into_inner).contains(set)
    }

    /// A browser shows a page of `form`, which waits for news once it can.
    pub fn page_was_opened(&self, form: &Form) {
        if self.is_own(form) {
            self.signals.audience.open();
        }
    }

    /// What a page of `form` has sent was refused because the set has ended: that page knows the end.
    pub fn page_knows_end(&self, form: &Form) {
        if self.is_own(form) {
            self.signals.audience.know();
        }
    }

    fn is_own(&self, form: &Form) -> bool {
        self.own.as_ref().is_some_and(|own| own.id() == form.id())
    }

    /// Whether pages show the set that the server ends with beside the one that ended it, or did a moment ago, and may not know
    /// that it has: their answers may be on their way. As long as the server runs, it replies to them how the set ended.
    pub fn has_other_pages(&self) -> bool {
        self.signals.audience.has_others()
    }

    /// Lets the pages that wait for news look now, and those that come later not wait: the server is about to end.
    pub fn close(&self) {
        self.signals.close();
    }

    fn forms(&self) -> MutexGuard<'_, HashMap<SetId, Arc<Form>>> {
        self.forms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes `hall` reachable for the server functions called within this reactive owner.
pub fn provide_hall(hall: Arc<Hall>) {
    leptos::prelude::provide_context(hall);
}
