//! Questions of projects: those that were handed over, and all others asked in a project that the daemon is concerned with.
//!
//! The questions are kept in the project's folder, which alone says how they end. The daemon shows them, and says so in
//! `server.json` of that folder, as every server does: so the asker finds it, waits, and takes over if it is killed.

use crate::patient_desk::{PatientDesk, silent};
use crate::program::Notices;
use crate::room::{LOOK_LIMIT, ProjectPresence, Room};
use app::{Hall, ProjectRoom, SetId, TimeLimit};
use client::DaemonRegistration;
use decide::LOOK_INTERVAL;
use model::SessionId;
use server::{HostError, QuestionHost};
use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use store::{Project, Scope, ServerInfo};
use watchdog::{Guard, Mutex, Rank, Worker};
use workflow::{Failure, JournalDesk, Runtime, project_id};

/// The name of the room in which workflows ask.
pub const WORKFLOWS: &str = "workflow";
/// How often to look for projects that something new has to do with.
const REFRESH: Duration = Duration::from_secs(1);
/// How often to look again at those that are not there, or where nothing was ever asked.
const RETRY: Duration = Duration::from_secs(10);
/// How long it may take when questions are offered: less than the asker waits for the daemon.
const OFFER_LIMIT: Duration = Duration::from_secs(3);
/// How long all projects together may take when the daemon ends.
const LEAVE_LIMIT: Duration = Duration::from_secs(2);

/// The questions of projects.
pub(crate) struct Questions {
    hall: Arc<Hall>,
    runtime: Arc<Runtime>,
    /// What is said of this server in every project, but for what is the project's own.
    server: ServerInfo,
    /// Whether it shows what others ask, instead of only letting people see and answer it.
    is_host: bool,
    /// Held over no access to a project's disk, which may not answer.
    known: Mutex<KnownRooms>,
    /// Reads what the inbox shows.
    inbox: Worker,
    /// Tells the person of questions that stay open, on a thread of its own.
    notices: (Arc<std::sync::Mutex<Box<dyn Notices>>>, Worker),
    /// Whether this server ends.
    is_ending: AtomicBool,
}

#[derive(Default)]
struct KnownRooms {
    rooms: HashMap<String, Arc<Room>>,
    /// The folders that the journal names, each with its room, or when it was last looked at in vain.
    roots: HashMap<PathBuf, Result<String, Instant>>,
    /// The threads of folders without a room that did not answer. There is no second one for the same folder.
    silent: HashMap<PathBuf, Arc<Worker>>,
}

impl fmt::Debug for Questions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Questions(…)")
    }
}

impl Questions {
    /// Shows in `hall` the questions of workflows, and later those of projects. `is_login_needed` says whether even this user
    /// needs a link with a login.
    ///
    /// # Errors
    ///
    /// When there can be no more threads.
    pub(crate) fn new(
        hall: Arc<Hall>,
        runtime: Arc<Runtime>,
        daemon: &DaemonRegistration,
        is_login_needed: bool,
        is_host: bool,
        notices: Box<dyn Notices>,
    ) -> io::Result<Self> {
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
        let known = Mutex::new(Rank::Projects, "the list of projects", KnownRooms::default());
        let inbox = Worker::start("inbox".to_owned())?;
        let notices = (Arc::new(std::sync::Mutex::new(notices)), Worker::start("notices".to_owned())?);
        Ok(Self { hall, runtime, server, is_host, known, inbox, notices, is_ending: AtomicBool::new(false) })
    }

    fn known(&self) -> Guard<'_, KnownRooms> {
        self.known.lock()
    }

    fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed)
    }

    /// Returns the room of the project in the folder `root`, which is taken on if it is new; otherwise why there is none. `at`
    /// says which project that is. All of it takes `limit` at most.
    fn find(
        &self,
        root: &Path,
        limit: Duration,
        at: fn(&Path) -> io::Result<Project>,
    ) -> Result<Arc<Room>, String> {
        let deadline = Instant::now() + limit;
        let given = project_id(&root.to_string_lossy());
        let known = {
            let known = self.known();
            let of_room = known.rooms.get(&given).map(|room| &room.worker);
            of_room.or_else(|| known.silent.get(root)).cloned()
        };
        let worker = match known {
            Some(worker) => worker,
            None => Arc::new(Worker::start(format!("p-{given}")).map_err(|error| error.to_string())?),
        };
        let gave_up = || {
            let mut known = self.known();
            if !known.rooms.contains_key(&given) {
                known.silent.insert(root.to_owned(), Arc::clone(&worker));
            }
            silent(root).to_string()
        };
        let useless = |error: &dyn fmt::Display| {
            self.known().silent.remove(root);
            error.to_string()
        };
        let path = root.to_owned();
        let project = worker.run(limit, move || at(&path)).ok_or_else(gave_up)?;
        let project = project.map_err(|error| useless(&error))?;
        let name = project_id(&project.root().to_string_lossy());
        if let Some(room) = self.known().rooms.get(&name) {
            return Ok(Arc::clone(room));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let open = move || project.decisions().map(|decisions| (project, decisions));
        let opened = worker.run(left, open).ok_or_else(gave_up)?;
        let (project, decisions) = opened.map_err(|error| useless(&error))?;
        let place = ProjectRoom { name, project, decisions };
        let room = Arc::new(Room::new(place, self.server.clone(), self.is_host, Arc::clone(&worker)));
        Ok(self.take_on(root, room))
    }

    /// Takes on a project that was found in the folder `root`, unless another thread has. Returns its room.
    fn take_on(&self, root: &Path, room: Arc<Room>) -> Arc<Room> {
        let mut known = self.known();
        known.silent.remove(root);
        if let Some(known) = known.rooms.get(room.name()) {
            return Arc::clone(known);
        }
        let desk = Arc::new(room.place.decisions.clone());
        let desk = PatientDesk::new(room.place.project.root(), desk, Arc::clone(&room.worker));
        self.hall.add_project_through(room.place.clone(), Arc::new(desk));
        known.rooms.insert(room.name().to_owned(), Arc::clone(&room));
        room
    }

    /// Looks for projects that something new has to do with.
    fn refresh(&self) -> Result<(), Failure> {
        for root in self.runtime.projects()? {
            let is_known = match self.known().roots.get(&root) {
                None => false,
                Some(Ok(_)) => true,
                Some(Err(looked)) => looked.elapsed() < RETRY,
            };
            if is_known {
                continue;
            }
            if self.is_ending() {
                break;
            }
            let found = self.find(&root, LOOK_LIMIT, Project::discover);
            if let Err(error) = &found {
                tracing::debug!(error, "project");
            }
            let room = found.map(|room| room.name().to_owned()).map_err(|_| Instant::now());
            self.known().roots.insert(root, room);
        }
        self.forget_answered();
        Ok(())
    }

    /// Ends the threads of folders that answer again and that are not in the journal: nothing else looks at them.
    fn forget_answered(&self) {
        let silent: Vec<_> = {
            let known = self.known();
            let unknown = known.silent.iter().filter(|(root, _)| !known.roots.contains_key(*root));
            unknown.map(|(root, worker)| (root.clone(), Arc::clone(worker))).collect()
        };
        for (root, worker) in silent {
            if worker.run(LOOK_LIMIT, || ()).is_some() {
                self.known().silent.remove(&root);
            }
        }
    }

    /// Looks at every project: whether questions are open without a server, whether none are open now, and how long the asker
    /// waits. A project whose disk does not answer is skipped.
    fn look(&self) {
        let rooms: Vec<_> = self.known().rooms.values().cloned().collect();
        for room in &rooms {
            if self.is_ending() {
                return;
            }
            match room.look() {
                None => continue,
                Some(Ok(ProjectPresence::Gone)) => {
                    self.forget(room);
                    continue;
                }
                Some(Ok(ProjectPresence::There(over))) => {
                    for session in over {
                        self.hall.limit(&SetId::new(room.name(), session), None);
                    }
                }
                // What does not work now may another time.
                Some(Err(error)) => tracing::debug!(%error, room = room.name(), "look"),
            }
            self.hall.look_in(room.name());
        }
        self.hall.look_in(WORKFLOWS);
        let hall = Arc::clone(&self.hall);
        // If it takes longer, it continues.
        let _ = self.inbox.run(LOOK_LIMIT, move || hall.look_at_inbox());
        self.look_at_notices();
    }

    /// Tells the person of questions that stay open, and that this server shows.
    fn look_at_notices(&self) {
        let (notices, worker) = &self.notices;
        let rooms: HashMap<String, Arc<Room>> = self.known().rooms.clone();
        let (notices, hall, server) = (Arc::clone(notices), Arc::clone(&self.hall), self.server.clone());
        let look = move || {
            let served_by = |set: &SetId| match rooms.get(set.room()) {
                Some(room) => room.is_server().then(|| room.server.clone()),
                None if set.room() == WORKFLOWS => {
                    Some(ServerInfo { room: WORKFLOWS.to_owned(), ..server.clone() })
                }
                None => None,
            };
            notices.lock().unwrap_or_else(PoisonError::into_inner).look(&hall, &served_by);
        };
        // If it takes longer, it continues.
        let _ = worker.run(LOOK_LIMIT, look);
    }

    /// Shows a project no longer.
    fn forget(&self, room: &Room) {
        let mut known = self.known();
        self.hall.remove_project(room.name());
        known.rooms.remove(room.name());
        known.roots.retain(|_, name| name.as_deref() != Ok(room.name()));
    }

    /// Unregisters this server in all projects.
    pub(crate) fn leave(&self) {
        let deadline = Instant::now() + LEAVE_LIMIT;
        let rooms: Vec<_> = self.known().rooms.values().cloned().collect();
        for room in rooms {
            room.leave(deadline);
        }
    }
}

impl QuestionHost for Questions {
    fn host(&self, root: &Path, session: &SessionId, wait: Option<Duration>) -> Result<String, HostError> {
        let deadline = Instant::now() + OFFER_LIMIT;
        let room = self.find(root, OFFER_LIMIT, Project::at).map_err(HostError::Unusable)?;
        let limit = wait.map(|wait| Arc::new(TimeLimit::new(wait)));
        let hosted = room.host(session, limit.clone(), deadline);
        let hosted =
            hosted.ok_or_else(|| HostError::Unusable(silent(room.place.project.root()).to_string()))?;
        if hosted != Err(HostError::Missing) {
            self.hall.limit(&SetId::new(room.name(), session.clone()), limit);
        }
        hosted
    }
}

/// The thread that looks. Ends when it is dropped, and this server with it in every project.
pub(crate) struct Watcher {
    questions: Arc<Questions>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher {
    pub(crate) fn start(questions: Arc<Questions>) -> io::Result<Self> {
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
        self.questions.is_ending.store(true, Ordering::Relaxed);
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // What has panicked has ended as well.
            let _ = thread.join();
        }
        self.questions.leave();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]
mod tests {
    use super::{HostError, Notices, Questions};
    use crate::world::Machine;
    use app::{Hall, SetId};
    use client::{DaemonRegistration, Secret};
    use files::Dir;
    use journal::Sqlite;
    use model::{Questions as Asked, SessionId};
    use server::QuestionHost;
    use std::collections::BTreeMap;
    use std::sync::Arc;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::time::Duration;
    use store::{Project, ServerInfo};
    use tempfile::TempDir;
    use watchdog::Worker;
    use workflow::Runtime;

    const ITEMS: &str = r#"{"task":"t","source":"s","items":[{"id":1,"title":"x",
        "options":[{"value":"a","label":"A"},{"value":"b","label":"B"}]}]}"#;

    struct NoNotices;

    impl Notices for NoNotices {
        fn look(&mut self, _: &Hall, _: &dyn Fn(&SetId) -> Option<ServerInfo>) {}
    }

    struct Scene {
        questions: Questions,
        hall: Arc<Hall>,
        _state: TempDir,
    }

    fn scene() -> Scene {
        let state = tempfile::tempdir().unwrap();
        let journal = Sqlite::open(&Dir::open(state.path()).unwrap(), Box::new(|_| {})).unwrap();
        let runtime = Arc::new(Runtime::new(Arc::new(journal), Arc::new(Machine)));
        let hall = Arc::new(Hall::without_home(None));
        let daemon = DaemonRegistration {
            pid: 1,
            http_port: 1,
            ws_port: 2,
            http_url: "http://127.0.0.1:1".to_owned(),
            ws_url: "ws://127.0.0.1:2".to_owned(),
            url: "http://localhost:1".to_owned(),
            bind: "127.0.0.1".to_owned(),
            protocol: client::PROTOCOL,
            version: String::new(),
            started_at: String::new(),
            restarted: None,
            flags: Some(BTreeMap::new()),
            secret: Secret(String::new()),
        };
        let questions = Questions::new(Arc::clone(&hall), runtime, &daemon, false, true, Box::new(NoNotices));
        let questions = questions.unwrap();
        Scene { questions, hall, _state: state }
    }

    /// A project in which something is asked.
    fn asked() -> (TempDir, SessionId) {
        let folder = tempfile::tempdir().unwrap();
        store::init(folder.path()).unwrap();
        let decisions = Project::at(folder.path()).unwrap().decisions().unwrap();
        let asked = decisions.ask(&Asked::parse(ITEMS.as_bytes()).unwrap()).unwrap();
        (folder, asked.pending().session)
    }

    /// Lets the thread of a project wait for the end of the channel.
    fn hang(worker: &Worker) -> Sender<()> {
        let (free, dead): (_, Receiver<()>) = channel();
        assert_eq!(worker.run(Duration::from_millis(1), move || dead.recv()), None);
        free
    }

    #[test]
    fn what_is_asked_on_a_dead_disk_is_not_shown_until_it_answers_and_all_else_is() {
        let Scene { questions, hall, _state } = scene();
        let ((dead, of_dead), (folder, session)) = (asked(), asked());
        let root = dead.path().canonicalize().unwrap();
        questions.host(&root, &of_dead, None).unwrap();
        let room = questions.known().rooms.values().next().cloned().unwrap();
        let free = hang(&room.worker);
        let Err(HostError::Unusable(why)) = questions.host(&root, &of_dead, None) else { panic!("shown") };
        assert_eq!(why, format!("{}: the disk does not answer", root.display()));
        let url = questions.host(folder.path(), &session, None).unwrap();
        questions.look();
        let open = |hall: &Hall| hall.open().into_iter().map(|set| set.session().clone()).collect::<Vec<_>>();
        assert_eq!(open(&hall), std::slice::from_ref(&session));
        assert!(url.ends_with(&session.to_string()), "{url}");
        assert!(room.due.lock().is_some(), "it is looked at as often as the others");
        // It has not left there, and does not wait for that either.
        questions.leave();
        drop(free);
        // The thread is free as soon as the system has ended what it waited for.
        while room.worker.run(Duration::from_secs(60), || ()).is_none() {}
        *room.due.lock() = None;
        questions.look();
        assert!(room.due.lock().is_none());
        assert!(hall.form(&SetId::new(room.name(), of_dead)).is_some());
        assert_eq!(open(&hall).len(), 2);
    }

    #[test]
    fn a_folder_that_does_not_answer_has_one_thread_however_often_it_is_looked_for() {
        let Scene { questions, .. } = scene();
        let (folder, _) = asked();
        let root = folder.path().canonicalize().unwrap();
        let (free, dead) = channel::<()>();
        let worker = Arc::new(Worker::start("p-dead".to_owned()).unwrap());
        assert_eq!(worker.run(Duration::from_millis(1), move || dead.recv()), None);
        questions.known().silent.insert(root.clone(), Arc::clone(&worker));
        let long = Duration::from_secs(60);
        // At once: nothing is waited for that would reach the limit.
        assert!(questions.find(&root, long, Project::discover).is_err());
        questions.forget_answered();
        assert!(Arc::ptr_eq(&questions.known().silent[&root], &worker));
        drop(free);
        while worker.run(long, || ()).is_none() {}
        let room = questions.find(&root, long, Project::discover).unwrap();
        assert!(Arc::ptr_eq(&room.worker, &worker));
        assert!(questions.known().silent.is_empty());
    }
}
