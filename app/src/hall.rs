//! All questions that a server shows, those of one project or of several.

use crate::signals::Signals;
use crate::{BlankForm, Elsewhere, Form, PlanFolders, SetId, TimeLimit};
use agent::plan::{Folders, PlanError};
use decide::Desk;
use model::{Ending, SessionId};
use settings::{ConfigError, FlowConfig};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::{Decisions, Pending, Place, Project};
use texts::Lang;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

/// How long a page is kept waiting for news at most: less than the gate and usual proxies wait for an answer.
const HOLD: Duration = Duration::from_secs(25);
/// How many pages may wait at a time. The others are answered at once and ask again later. A browser has six connections to
/// a server at most: however many tabs it shows, one is left to submit by.
const HELD_PAGES: usize = 5;
/// How many sets that have ended are remembered, so that their pages are told how.
const ENDED_FORMS: usize = 256;

/// What a server shows.
#[derive(Debug)]
pub struct Hall {
    /// The one without a name is where the server was started; a daemon has none.
    rooms: Vec<Room>,
    /// The set that the server was started for, and ends with; `None` for one that stays.
    own: Option<Arc<Form>>,
    /// `None` follows the browser.
    lang: Option<Lang>,
    flow_config: LoadFlow,
    plan_folders: Option<PlanFolders>,
    /// Those that were looked at.
    forms: Mutex<HashMap<SetId, Arc<Form>>>,
    /// The other sets that were open the last time that the own one was.
    others: Mutex<Vec<SetId>>,
    signals: Arc<Signals>,
    held_pages: Semaphore,
}

/// A project, and what is asked in it.
#[derive(Debug, Clone)]
struct Room {
    name: String,
    project: Project,
    decisions: Decisions,
}

/// Reads what the configuration says of tasks.
struct LoadFlow(Box<dyn Fn() -> Result<FlowConfig, ConfigError> + Send + Sync>);

impl fmt::Debug for LoadFlow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LoadFlow")
    }
}

impl Hall {
    /// Shows the questions of `project`. The server is started for those of `blank`, which were stored as `pending`, and ends
    /// with them. `lang` is the language of the pages; `None` follows the browser. The receiver is completed when somebody
    /// here has ended them.
    pub fn new(
        project: Project,
        decisions: Decisions,
        pending: Pending,
        blank: Arc<BlankForm>,
        lang: Option<Lang>,
    ) -> (Self, oneshot::Receiver<Ending>) {
        let own = SetId { room: String::new(), session: pending.session.clone() };
        let (signals, receiver) = Signals::new(own.clone());
        let desk: Arc<dyn Desk> = Arc::new(decisions.clone());
        let form = Form::new(own, project.clone(), desk, (pending, blank), None, Arc::clone(&signals));
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
            plan_folders: Some(PlanFolders::of(&project)),
            rooms: vec![Room { name: String::new(), project, decisions }],
            ..Self::empty(own, lang, signals)
        }
    }

    fn empty(own: Option<Arc<Form>>, lang: Option<Lang>, signals: Arc<Signals>) -> Self {
        Self {
            plan_folders: None,
            rooms: Vec::new(),
            own,
            lang,
            flow_config: LoadFlow(Box::new(|| Ok(FlowConfig::default()))),
            forms: Mutex::default(),
            others: Mutex::default(),
            signals,
            held_pages: Semaphore::new(HELD_PAGES),
        }
    }

    /// The same with a limit for the questions that the server ends with; the person is told of it, and may put it off.
    #[must_use]
    pub fn limited_by(mut self, limit: Option<Arc<TimeLimit>>) -> Self {
        if let Some(own) = self.own.as_mut().and_then(Arc::get_mut) {
            own.set_limit(limit);
        }
        self
    }

    /// The same with a way to read what the configuration says of tasks, which only their page asks for.
    #[must_use]
    pub fn with_flow(
        self,
        load: impl Fn() -> Result<FlowConfig, ConfigError> + Send + Sync + 'static,
    ) -> Self {
        Self { flow_config: LoadFlow(Box::new(load)), ..self }
    }

    /// The same with the questions of another project, whose sets carry `name` in their addresses: letters and digits.
    #[must_use]
    pub fn with_room(mut self, name: &str, project: Project, decisions: Decisions) -> Self {
        self.rooms.push(Room { name: name.to_owned(), project, decisions });
        self
    }

    /// The same with plans that are elsewhere than in the project.
    #[must_use]
    pub fn with_plans(self, folders: PlanFolders) -> Self {
        Self { plan_folders: Some(folders), ..self }
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
    pub fn elsewhere(&self) -> Elsewhere {
        let home = self.home();
        Elsewhere {
            waiting: 0,
            has_history: home.is_some(),
            has_task: home.is_some_and(|home| home.project.has_task()),
            has_plans: self.plan_folders.as_ref().is_some_and(PlanFolders::have_plans),
        }
    }

    /// Where else there is something to see than the set `set`.
    pub fn elsewhere_than(&self, set: &SetId) -> Elsewhere {
        let waiting = self.open().iter().filter(|other| *other != set).count();
        Elsewhere { waiting, ..self.elsewhere() }
    }

    /// What the configuration says of tasks now.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn flow_config(&self) -> Result<FlowConfig, ConfigError> {
        (self.flow_config.0)()
    }

    /// The project that the server was started in, if it was in one.
    pub fn project(&self) -> Option<&Project> {
        Some(&self.home()?.project)
    }

    /// Its decisions, ended and open.
    pub fn decisions(&self) -> Option<&Decisions> {
        Some(&self.home()?.decisions)
    }

    fn home(&self) -> Option<&Room> {
        self.rooms.first().filter(|room| room.name.is_empty())
    }

    /// The questions that the server was started for, and ends with, if there are any. They may have ended.
    pub fn own(&self) -> Option<&Arc<Form>> {
        self.own.as_ref()
    }

    /// Somebody has come in; the file that led here has served.
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
        let mut open = Vec::new();
        for room in &self.rooms {
            // What cannot be read now may be in the middle of a change.
            for pending in room.decisions.open_sets().unwrap_or_default() {
                open.push(SetId { room: room.name.clone(), session: pending.session });
            }
        }
        open.sort_by(|a, b| a.session.cmp(&b.session));
        open
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
        let room = self.rooms.iter().find(|room| room.name == set.room)?;
        if room.decisions.record(&set.session).is_ok_and(|record| record.is_some()) {
            return None;
        }
        let (pending, questions) = room.decisions.set(&set.session).ok().flatten()?;
        let desk: Arc<dyn Desk> = Arc::new(room.decisions.clone());
        let read = (pending, BlankForm::new(questions));
        let signals = Arc::clone(&self.signals);
        let form = Arc::new(Form::new(set.clone(), room.project.clone(), desk, read, None, signals));
        let mut forms = self.forms();
        if forms.len() >= ENDED_FORMS {
            forms.retain(|_, form| form.ending().is_none());
        }
        // Another request may have been faster.
        Some(Arc::clone(forms.entry(set.clone()).or_insert(form)))
    }

    /// The set of that name.
    pub fn form_named(&self, name: &str) -> Option<Arc<Form>> {
        self.form(&name.parse().ok()?)
    }

    /// How the set of that name has ended, before this server knew it; `None` for one that has not, or never was.
    pub fn ending_of(&self, name: &str) -> Option<Ending> {
        let set: SetId = name.parse().ok()?;
        let room = self.rooms.iter().find(|room| room.name == set.room)?;
        Some(room.decisions.record(&set.session).ok().flatten()?.ending)
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

    /// Looks what others have done to the sets; how the own one has ended, if it has. The pages that wait are told.
    pub fn look(&self) -> Option<Ending> {
        let forms: Vec<_> = self.forms().values().map(Arc::clone).collect();
        for form in forms {
            form.look();
        }
        let own = self.own.as_ref()?;
        let ending = own.look();
        if ending.is_none() {
            *self.others() = self.open().into_iter().filter(|set| set != own.id()).collect();
        }
        ending
    }

    /// The oldest set of the server's own project that was open beside the own one, and is still. One that was asked later has
    /// somebody who serves it.
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
        let Ok(_held) = self.held_pages.try_acquire() else { return };
        // That it took too long is no news.
        let _ = timeout(HOLD, self.signals.heard(|| form.ending().is_some())).await;
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
