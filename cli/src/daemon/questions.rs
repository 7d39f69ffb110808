//! Questions of projects: those that were handed over, and whatever else is asked in a project that something has to do with.
//!
//! The questions lie in the project's folder, which alone says how they end. The daemon shows them, and says in `server.json` of
//! that folder that it does, as every server does: so whoever asks finds it, waits, and takes over if it is killed.

use app::{Hall, ProjectRoom, SetId, TimeLimit};
use client::Registered;
use decide::LOOK_INTERVAL;
use files::Registration;
use model::SessionId;
use server::{QuestionHost, Unhosted};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use store::{ClaimedServer, Project, Scope, ServerInfo, StoreError};
use workflow::{Failure, JournalDesk, Runtime, project_id};

/// The name of the room in which workflows ask.
const WORKFLOWS: &str = "workflow";
/// How often to look for projects that something new has to do with.
const REFRESH: Duration = Duration::from_secs(1);
/// How often to look again at those that are not there, or where nothing was ever asked.
const RETRY: Duration = Duration::from_secs(10);
/// How long questions may be without a server before this one is it: whoever has just asked wants to be theirs.
const GRACE: Duration = Duration::from_secs(2);

/// The questions of projects.
pub(super) struct Questions {
    hall: Arc<Hall>,
    runtime: Arc<Runtime>,
    /// What is said of this server in every project, but for what is the project's own.
    server: ServerInfo,
    /// Whether it shows what others ask, instead of only letting people see and answer it.
    is_host: bool,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    rooms: HashMap<String, Hosted>,
    /// The folders that the journal names, each with its room, or when it was last looked at in vain.
    roots: HashMap<PathBuf, Result<String, Instant>>,
}

/// A project, and what is known of its server.
struct Hosted {
    place: ProjectRoom,
    /// While this is it.
    told: Option<(Registration, ServerInfo)>,
    /// Since when something is open there that nobody shows.
    unserved: Option<Instant>,
    /// The sets for whose answer somebody waits only so long.
    limits: BTreeMap<SessionId, Arc<TimeLimit>>,
}

impl fmt::Debug for Questions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Questions(…)")
    }
}

impl Questions {
    /// Shows in `hall` what workflows ask, and then what is asked in projects. `is_login_needed` is whether even this user has to
    /// come by a link that lets in.
    pub(super) fn new(
        hall: Arc<Hall>,
        runtime: Arc<Runtime>,
        daemon: &Registered,
        is_login_needed: bool,
        is_host: bool,
    ) -> Self {
        hall.add_desk(WORKFLOWS, Arc::new(JournalDesk::new(Arc::clone(&runtime))));
        let server = ServerInfo {
            pid: daemon.pid,
            port: daemon.http_port,
            url: daemon.url.clone(),
            started_at: store::now(),
            scope: Scope::User,
            bind: daemon.bind.clone(),
            auth: if is_login_needed { "always" } else { "auto" }.to_owned(),
            ..ServerInfo::default()
        };
        Self { hall, runtime, server, is_host, known: Mutex::default() }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes on the project in this folder, if it is one. Returns its room.
    fn take_on(&self, known: &mut Known, project: Project) -> Result<String, StoreError> {
        let root = project.root().to_string_lossy().into_owned();
        let name = project_id(&root);
        if !known.rooms.contains_key(&name) {
            let place = ProjectRoom { name: name.clone(), decisions: project.decisions()?, project };
            self.hall.add_project(place.clone());
            let hosted = Hosted { place, told: None, unserved: None, limits: BTreeMap::new() };
            known.rooms.insert(name.clone(), hosted);
        }
        Ok(name)
    }

    /// Looks for projects that something new has to do with, and for those that are gone.
    fn refresh(&self) -> Result<(), Failure> {
        let roots = self.runtime.projects()?;
        let mut known = self.known();
        let gone: Vec<_> = known
            .rooms
            .values()
            .filter(|hosted| !hosted.place.project.root().is_dir())
            .map(Hosted::name)
            .collect();
        for name in gone {
            self.hall.remove_project(&name);
            known.rooms.remove(&name);
            known.roots.retain(|_, room| room.as_ref() != Ok(&name));
        }
        for root in roots {
            let is_known = match known.roots.get(&root) {
                None => false,
                Some(Ok(_)) => true,
                Some(Err(looked)) => looked.elapsed() < RETRY,
            };
            if !is_known {
                let project = Project::discover(&root).map_err(drop);
                let room = project.and_then(|project| self.take_on(&mut known, project).map_err(drop));
                known.roots.insert(root, room.map_err(|()| Instant::now()));
            }
        }
        Ok(())
    }

    /// Looks at every project: whether something is asked that nobody shows, whether nothing is asked any more, and how long
    /// somebody waits.
    fn look(&self) {
        for hosted in self.known().rooms.values_mut() {
            // What does not work now may another time.
            if let Err(error) = hosted.look(self) {
                tracing::debug!(%error, room = hosted.place.name, "look");
            }
        }
        self.hall.look();
    }

    fn told(&self, room: &str) -> ServerInfo {
        ServerInfo { room: room.to_owned(), ..self.server.clone() }
    }

    /// Says in no project any more that this server is there.
    pub(super) fn leave(&self) {
        for hosted in self.known().rooms.values_mut() {
            hosted.told = None;
        }
    }
}

impl Hosted {
    fn name(&self) -> String {
        self.place.name.clone()
    }

    fn look(&mut self, questions: &Questions) -> Result<(), StoreError> {
        let open = self.place.decisions.open_sets()?;
        if open.is_empty() {
            // The next server is free to be where it wants to.
            (self.told, self.unserved) = (None, None);
            self.limits.clear();
            return Ok(());
        }
        for session in self.over(&open.iter().map(|pending| &pending.session).collect::<Vec<_>>()) {
            self.limits.remove(&session);
            questions.hall.limit(&SetId::new(&self.place.name, session), None);
        }
        if self.told.is_some() {
            return self.tell(questions);
        }
        if !questions.is_host || self.place.decisions.live_server()?.is_some() {
            self.unserved = None;
            return Ok(());
        }
        if self.unserved.get_or_insert_with(Instant::now).elapsed() >= GRACE {
            self.tell(questions)?;
        }
        Ok(())
    }

    /// The limits that are of no use any more: that are reached, or whose questions have ended.
    fn over(&self, open: &[&SessionId]) -> Vec<SessionId> {
        let limits = self.limits.iter();
        let over = limits.filter(|(session, limit)| limit.left().is_zero() || !open.contains(session));
        over.map(|(session, _)| session.clone()).collect()
    }

    /// Says that this server shows what is asked here, and how long somebody waits for it, if that is not said yet. Nothing is
    /// said where another server is there.
    fn tell(&mut self, questions: &Questions) -> Result<(), StoreError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut info = questions.told(&self.place.name);
        let limits = self.limits.iter().map(|(session, limit)| {
            (session.clone(), i64::try_from((now + limit.left()).as_millis()).unwrap_or(i64::MAX))
        });
        info.limits = limits.collect();
        match &mut self.told {
            Some((registration, told)) => {
                if !is_same(&told.limits, &info.limits) {
                    self.place.decisions.update_server(registration, &info)?;
                    *told = info;
                }
            }
            None => {
                if let ClaimedServer::Ours(claim) = self.place.decisions.claim_server()? {
                    self.told = Some((claim.register(&info)?, info));
                }
            }
        }
        self.unserved = None;
        Ok(())
    }
}

/// Whether two readings of the clock say the same: between them it was read again.
fn is_same(told: &BTreeMap<SessionId, i64>, now: &BTreeMap<SessionId, i64>) -> bool {
    const SLACK: u64 = 100;
    told.len() == now.len()
        && told.iter().zip(now).all(|(told, now)| told.0 == now.0 && told.1.abs_diff(*now.1) < SLACK)
}

impl QuestionHost for Questions {
    fn host(&self, root: &Path, session: &SessionId, wait: Option<Duration>) -> Result<String, Unhosted> {
        let unusable = |error: &dyn fmt::Display| Unhosted::Unusable(error.to_string());
        let project = Project::at(root).map_err(|error| unusable(&error))?;
        let mut known = self.known();
        let name = self.take_on(&mut known, project).map_err(|error| unusable(&error))?;
        let Some(hosted) = known.rooms.get_mut(&name) else { return Err(Unhosted::Missing) };
        let decisions = hosted.place.decisions.clone();
        let open = decisions.open_sets().map_err(|error| unusable(&error))?;
        if open.iter().all(|pending| pending.session != *session) {
            return Err(Unhosted::Missing);
        }
        let set = SetId::new(&name, session.clone());
        let limit = wait.map(|wait| Arc::new(TimeLimit::new(wait)));
        self.hall.limit(&set, limit.clone());
        match limit {
            Some(limit) => hosted.limits.insert(session.clone(), limit),
            None => hosted.limits.remove(session),
        };
        hosted.tell(self).map_err(|error| unusable(&error))?;
        match (&hosted.told, decisions.live_server()) {
            (Some((_, told)), _) => Ok(told.link_to(session)),
            (None, Ok(Some(other))) => Err(Unhosted::Elsewhere(other.url)),
            (None, Ok(None)) => Err(Unhosted::Missing),
            (None, Err(error)) => Err(unusable(&error)),
        }
    }
}

/// The thread that looks. Ends when it is dropped, and this server with it in every project.
pub(super) struct Watcher {
    questions: Arc<Questions>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher {
    pub(super) fn start(questions: Arc<Questions>) -> io::Result<Self> {
        let (stop, stopped) = channel();
        let watched = Arc::clone(&questions);
        let thread = thread::Builder::new().name("questions".to_owned()).spawn(move || {
            let mut refreshed = None::<Instant>;
            loop {
                if refreshed.is_none_or(|refreshed| refreshed.elapsed() >= REFRESH) {
                    refreshed = Some(Instant::now());
                    if let Err(error) = watched.refresh() {
                        tracing::debug!(%error, "projects");
                    }
                }
                watched.look();
                if stopped.recv_timeout(LOOK_INTERVAL) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        })?;
        Ok(Self { questions, stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // What has panicked has ended as well.
            let _ = thread.join();
        }
        self.questions.leave();
    }
}
