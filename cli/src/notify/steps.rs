//! Steps: what is done when questions stay open and the person does not look at them (`notify.steps`).
//!
//! The process that serves the questions carries them, from time to time as it looks at the questions anyway. Nothing waits for
//! a channel but a thread of its own, which there is only while it has something to send.
//!
//! The process that serves calls `notify/steps.rs` when it checks its sets. It runs the steps of `notify.steps` for a set that no
//! page has shown (`Hall::was_looked_at`), and has `notice` withdraw the notification once the set has ended. `notify/records.rs`
//! records what was sent in the person's state folder, so that a later server neither repeats nor forgets it.

use super::one_line;
use super::records::{Record, RecordStore, StepRecord};
use crate::browser::{self, Plan};
use crate::context::Context;
use crate::messages::Message;
use crate::output::Output;
use crate::this_program;
use crate::{link, opener, user_files};
use app::{Form, Hall, SetId};
use decide::State;
use model::{DecideOption, SessionId};
use notice::{ClickAction, Notice, Question};
use settings::{Channel, ConfigFiles, NotifyConfig};
use std::collections::{HashMap, HashSet};
use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};
use store::{Project, ServerInfo};
use texts::Lang;

/// How often to look for steps whose time has come.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How many questions a notice holds at most, how many options of each, and how long each of these texts may be.
const MAX_QUESTIONS: usize = 5;
const MAX_OPTIONS: usize = 6;
const MAX_TEXT: usize = 120;

/// Reports what went wrong with a channel.
pub(crate) type Report = Arc<dyn Fn(&Message) + Send + Sync>;

/// The steps of all questions that a process serves.
pub(crate) struct Steps {
    lang: Lang,
    report: Report,
    config: WatchedConfig,
    kept: RecordStore,
    looked: Option<Instant>,
    sets: HashMap<SetId, ActiveSet>,
    /// A channel that does not answer keeps no other one waiting.
    workers: HashMap<usize, Sender<Job>>,
    /// The channels whose failure was told.
    failed: Arc<Mutex<HashSet<usize>>>,
}

/// What is configured, read again when the file has changed.
struct WatchedConfig {
    file: Option<PathBuf>,
    last_stamp: Option<Option<(SystemTime, u64)>>,
    config: NotifyConfig,
}

/// A set of questions that is carried.
struct ActiveSet {
    name: String,
    created_at: String,
    record: Arc<Mutex<Record>>,
    /// The steps that were begun here, and those of earlier servers that have arrived.
    done: HashSet<usize>,
    /// Whether the questions are still open.
    is_wanted: Arc<AtomicBool>,
    in_flight: Arc<AtomicUsize>,
}

/// One notice for one channel.
struct Job {
    step: usize,
    channel: Channel,
    notice: Notice,
    clicks: ClickAction,
    name: String,
    record: Arc<Mutex<Record>>,
    is_wanted: Arc<AtomicBool>,
    in_flight: Arc<AtomicUsize>,
}

impl Steps {
    /// Those of a command that prints warnings to its own terminal or log.
    pub(crate) fn printing(context: &Context) -> Self {
        let output: Output = context.output.clone();
        Self::reporting(context.language.messages, Arc::new(move |message| output.warning(message)))
    }

    /// Those of a process that says what goes wrong by `report`.
    pub(crate) fn reporting(lang: Lang, report: Report) -> Self {
        Self {
            lang,
            report,
            config: WatchedConfig {
                file: user_files::config(),
                last_stamp: None,
                config: NotifyConfig::default(),
            },
            kept: RecordStore::below(user_files::state()),
            looked: None,
            sets: HashMap::new(),
            workers: HashMap::new(),
            failed: Arc::default(),
        }
    }

    /// Does what is due for the questions of `hall`. `served_by` says as what this process serves a set; `None` where another
    /// one does.
    pub(crate) fn look(&mut self, hall: &Hall, served_by: impl Fn(&SetId) -> Option<ServerInfo>) {
        let is_first = self.looked.is_none();
        if self.looked.is_some_and(|looked| looked.elapsed() < POLL_INTERVAL) {
            return;
        }
        self.looked = Some(Instant::now());
        self.config.refresh(&self.report);
        if self.config.config.steps.is_empty() && self.sets.is_empty() {
            return;
        }
        if is_first {
            self.sweep();
        }
        let open = hall.open();
        self.settle(hall, &open, true);
        for set in open {
            let Some(server) = served_by(&set) else { continue };
            let Some(form) = hall.form(&set) else { continue };
            self.carry(&set, &form);
            self.note_looks(hall, &set);
            self.begin_due(&set, &form, &server);
        }
    }

    /// Takes back what was told of questions that have ended, before this process does.
    pub(crate) fn end(&mut self, hall: &Hall) {
        if !self.sets.is_empty() {
            self.settle(hall, &hall.open(), false);
        }
    }

    /// `open` are those that are. Those that have ended are taken back once nothing is under way for them, unless nothing can be
    /// waited for.
    fn settle(&mut self, hall: &Hall, open: &[SetId], can_wait: bool) {
        let ended: Vec<SetId> = self.sets.keys().filter(|set| !open.contains(set)).cloned().collect();
        let mut is_told = false;
        for set in ended {
            let Some(carried) = self.sets.get(&set) else { continue };
            carried.is_wanted.store(false, Ordering::Relaxed);
            if can_wait && carried.in_flight.load(Ordering::Acquire) > 0 {
                continue;
            }
            let mut record = lock(&carried.record);
            if record.steps.is_empty() {
                self.kept.remove(&carried.name);
            } else {
                let ending = hall.record(&set).ok().flatten().map(|record| record.ending);
                // What leaves no record has made way for others.
                let state = ending.map_or(State::Replaced, |ending| State::from_ending(&ending));
                record.ended = Some(state.code().to_owned());
                self.kept.save(&carried.name, &record);
                is_told = true;
            }
            drop(record);
            self.sets.remove(&set);
        }
        if is_told {
            start_withdrawing();
        }
    }

    /// Takes back what earlier servers have told of questions that ended without them.
    fn sweep(&self) {
        if self.kept.names().iter().any(|name| self.kept.load(name).is_some_and(|record| has_ended(&record)))
        {
            start_withdrawing();
        }
    }

    /// Begins to carry a set, from where an earlier server has left it.
    fn carry(&mut self, set: &SetId, form: &Form) {
        if self.sets.contains_key(set) {
            return;
        }
        let project = form.project().map(|project| project.root().to_owned());
        let name = RecordStore::name(project.as_deref(), set.session());
        let record = self.kept.load(&name).unwrap_or_else(|| Record {
            project,
            session: set.session().to_string(),
            id: format!("aide-{name}"),
            ..Record::default()
        });
        let done = record.steps.iter().filter(|step| step.handle.is_some()).map(|step| step.step).collect();
        let carried = ActiveSet {
            name,
            created_at: form.pending().created_at.clone(),
            record: Arc::new(Mutex::new(record)),
            done,
            is_wanted: Arc::new(AtomicBool::new(true)),
            in_flight: Arc::default(),
        };
        self.sets.insert(set.clone(), carried);
    }

    /// Notes that the person has looked at a set.
    fn note_looks(&self, hall: &Hall, set: &SetId) {
        let Some(carried) = self.sets.get(set).filter(|_| hall.was_looked_at(set)) else { return };
        let mut record = lock(&carried.record);
        if !record.is_looked_at {
            record.is_looked_at = true;
            self.kept.save(&carried.name, &record);
        }
    }

    fn begin_due(&mut self, set: &SetId, form: &Form, server: &ServerInfo) {
        let Some(carried) = self.sets.get_mut(set) else { return };
        {
            let record = lock(&carried.record);
            if record.is_silent || record.is_looked_at {
                return;
            }
        }
        let age = store::seconds_between(&carried.created_at, &store::now()).unwrap_or_default();
        for (step, configured) in self.config.config.steps.iter().enumerate() {
            if configured.after.as_secs() > age || carried.done.contains(&step) {
                continue;
            }
            // Who has filled something in, be it in the terminal, has looked.
            if form.draft_saved_at().is_some_and(|saved| store::is_since(&saved, &carried.created_at)) {
                let mut record = lock(&carried.record);
                record.is_looked_at = true;
                self.kept.save(&carried.name, &record);
                return;
            }
            carried.done.insert(step);
            // Its terminal is the asker's.
            if configured.how == Channel::Terminal {
                continue;
            }
            let begun = StepRecord { step, how: configured.how.name().to_owned(), handle: None };
            let mut record = lock(&carried.record);
            // One that an earlier server had begun when it was killed.
            record.steps.retain(|known| known.step != step);
            record.steps.push(begun);
            let (id, has_details) = (record.id.clone(), self.config.config.details);
            let notice = notice(self.lang, form, server, set.session(), id, has_details);
            record.content = notice.content();
            self.kept.save(&carried.name, &record);
            drop(record);
            carried.in_flight.fetch_add(1, Ordering::AcqRel);
            let job = Job {
                step,
                channel: configured.how.clone(),
                notice,
                clicks: clicks(self.lang, form, server, set.session()),
                name: carried.name.clone(),
                record: Arc::clone(&carried.record),
                is_wanted: Arc::clone(&carried.is_wanted),
                in_flight: Arc::clone(&carried.in_flight),
            };
            let worker = self.workers.entry(step).or_insert_with(|| {
                worker(self.kept.clone(), Arc::clone(&self.report), Arc::clone(&self.failed))
            });
            if let Err(unsent) = worker.send(job) {
                // Without a thread to be had, the next server tries it.
                unsent.0.in_flight.fetch_sub(1, Ordering::AcqRel);
            }
        }
    }
}

impl WatchedConfig {
    fn refresh(&mut self, report: &Report) {
        let stamp = self.file.as_ref().and_then(|file| file.metadata().ok());
        let stamp = stamp.and_then(|metadata| Some((metadata.modified().ok()?, metadata.len())));
        if self.last_stamp == Some(stamp) {
            return;
        }
        self.last_stamp = Some(stamp);
        match read_config(self.file.clone()) {
            Ok(config) => self.config = config,
            Err(failure) => report(&Message::NoticesUnread { failure: Box::new(failure) }),
        }
    }
}

fn read_config(file: Option<PathBuf>) -> Result<NotifyConfig, crate::failure::Failure> {
    Ok(ConfigFiles::new(None, file).user_layers()?.notify()?)
}

fn lock(record: &Mutex<Record>) -> std::sync::MutexGuard<'_, Record> {
    record.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread of one step. It ends with the process.
fn worker(kept: RecordStore, report: Report, failed: Arc<Mutex<HashSet<usize>>>) -> Sender<Job> {
    let (sender, jobs) = channel::<Job>();
    let work = move || {
        for job in jobs {
            let is_wanted = || job.is_wanted.load(Ordering::Relaxed);
            let sent = if is_wanted() {
                notice::send(&job.channel, &job.notice, &job.clicks, &is_wanted)
            } else {
                Err(notice::Undelivered::Unwanted)
            };
            let mut record = lock(&job.record);
            let begun = record.steps.iter_mut().find(|begun| begun.step == job.step);
            match sent {
                Ok(sent) => {
                    if let Some(begun) = begun {
                        begun.handle = Some(sent.handle);
                    }
                }
                Err(failure) => {
                    record.steps.retain(|begun| begun.step != job.step);
                    let is_news = || failed.lock().unwrap_or_else(PoisonError::into_inner).insert(job.step);
                    if !matches!(failure, notice::Undelivered::Unwanted) && is_news() {
                        report(&Message::NoticeFailed { how: job.channel.name(), failure });
                    }
                }
            }
            kept.save(&job.name, &record);
            drop(record);
            job.in_flight.fetch_sub(1, Ordering::AcqRel);
        }
    };
    let _ = thread::Builder::new().name("notices".to_owned()).spawn(work);
    sender
}

/// The notice of a set.
pub(super) fn notice(
    lang: Lang,
    form: &Form,
    server: &ServerInfo,
    session: &SessionId,
    id: String,
    has_details: bool,
) -> Notice {
    let input = lang.questions(form.questions().input());
    let option = |option: &DecideOption| shorten(&option.label);
    let questions = input.items.iter().filter(|_| has_details).take(MAX_QUESTIONS).map(|item| Question {
        title: shorten(&item.title),
        options: item.options.iter().take(MAX_OPTIONS).map(option).collect(),
    });
    let project = form.project().and_then(|project| Some(project.root().file_name()?.to_string_lossy()));
    Notice {
        id,
        title: Message::NotifyTitle { items: input.items.len() }.render(lang),
        task: shorten(&input.task),
        items: input.items.len(),
        session: session.to_string(),
        project: project.map(|name| one_line(&name)).unwrap_or_default(),
        url: server.link_to(session),
        entry: link::for_session(server, session),
        questions: questions.collect(),
    }
}

fn shorten(text: &str) -> String {
    model::beginning(&one_line(text), MAX_TEXT)
}

/// Opens the page where a notification was clicked.
fn clicks(lang: Lang, form: &Form, server: &ServerInfo, session: &SessionId) -> ClickAction {
    let (project, server, session) = (form.project().cloned(), server.clone(), session.clone());
    let open = move || {
        let decisions = project.as_ref().and_then(|project: &Project| project.decisions().ok());
        let url = match decisions.filter(|_| link::needs_login(&server)) {
            // Others can read a program's arguments: a browser is given a file that leads on.
            Some(decisions) => match opener::write(&decisions, &link::login(&server)) {
                Ok(()) => opener::url(&decisions),
                Err(_) => return,
            },
            None => server.link_to(&session),
        };
        if let Plan::Start(commands) = browser::plan(&url, server.port, |name| env::var_os(name)) {
            browser::start(&commands);
        }
    };
    ClickAction { label: Message::OpenPage.render(lang), open: Arc::new(open) }
}

/// Whether the questions of a record have ended.
fn has_ended(record: &Record) -> bool {
    if record.ended.is_some() {
        return true;
    }
    ended_as(record).is_some()
}

/// How the questions of a record have ended, as their project says it; `None` while they are open, or when it says nothing.
fn ended_as(record: &Record) -> Option<&'static str> {
    let root = record.project.as_deref()?;
    let session: SessionId = record.session.parse().ok()?;
    let Ok(project) = Project::at(root) else {
        // A disk that is not there now may come back; a folder that was removed does not.
        let is_gone = root.parent().is_some_and(std::path::Path::is_dir);
        return is_gone.then(|| State::Replaced.code());
    };
    let decisions = project.decisions().ok()?;
    match decisions.record(&session).ok()? {
        Some(record) => Some(State::from_ending(&record.ending).code()),
        None if decide::is_there(&decisions, &session).ok()? => None,
        None => Some(State::Replaced.code()),
    }
}

/// Starts the process that takes back what was told of questions that have ended: nothing waits for it.
fn start_withdrawing() {
    let Ok(program) = this_program::executable() else { return };
    this_program::keep_descriptors();
    let mut command = Command::new(program);
    command.args(["decide", "withdraw"]);
    let started = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if let Ok(mut child) = started {
        // A server that stays has to take note of its end. Without a thread to be had, nothing does.
        let _ = thread::Builder::new().spawn(move || child.wait());
    }
}

/// Takes back what was told of all questions that have ended.
pub(crate) fn withdraw() {
    let kept = RecordStore::below(user_files::state());
    let config = read_config(user_files::config()).unwrap_or_default();
    for name in kept.names() {
        let Some(record) = kept.load(&name).filter(has_ended) else { continue };
        let status =
            record.ended.clone().or_else(|| ended_as(&record).map(str::to_owned)).unwrap_or_default();
        // Of several processes that do this, one takes it.
        if !kept.remove(&name) {
            continue;
        }
        for begun in &record.steps {
            let as_configured = config.steps.get(begun.step).filter(|step| step.how.name() == begun.how);
            // The steps may have been put into another order meanwhile.
            let step =
                as_configured.or_else(|| config.steps.iter().find(|step| step.how.name() == begun.how));
            let Some(step) = step else { continue };
            let (id, session, content) = (&record.id, &record.session, &record.content);
            let ended = notice::EndedNotice { id, session, status: &status, content };
            let sent = notice::SentNotice { handle: begun.handle.clone().unwrap_or_default() };
            if let Err(error) = notice::withdraw(&step.how, &ended, &sent) {
                tracing::warn!(how = begun.how, %error, "cannot withdraw a notice");
            }
        }
    }
}

/// Keeps notices of the set `session` from being sent.
pub(super) fn silence(project: &Project, session: &SessionId) {
    // Without steps there is nothing to keep.
    if !read_config(user_files::config()).is_ok_and(|config| !config.steps.is_empty()) {
        return;
    }
    let kept = RecordStore::below(user_files::state());
    let name = RecordStore::name(Some(project.root()), session);
    let record = kept.load(&name).unwrap_or_else(|| Record {
        project: Some(project.root().to_owned()),
        session: session.to_string(),
        id: format!("aide-{name}"),
        ..Record::default()
    });
    kept.save(&name, &Record { is_silent: true, ..record });
}

/// Whether the person has looked at the set `session`, as far as its server has noted it.
pub(super) fn was_looked_at(project: &Project, session: &SessionId) -> bool {
    let record =
        RecordStore::below(user_files::state()).load(&RecordStore::name(Some(project.root()), session));
    record.is_some_and(|record| record.is_looked_at)
}
