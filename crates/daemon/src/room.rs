//! A project whose questions the daemon shows: its thread, which alone touches its disk, and what `server.json` says there.

use crate::patient_desk::silent;
use app::{ProjectRoom, TimeLimit};
use files::Registration;
use model::SessionId;
use server::HostError;
use std::collections::BTreeMap;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use store::{Decisions, ServerClaimOutcome, ServerInfo, StoreError};
use watchdog::{Mutex, Rank, Worker};

/// How long questions may be without a server before this one takes them: a new asker wants to serve its own.
const GRACE: Duration = Duration::from_secs(2);
/// How long the disk of a project may take for one look: the other projects are looked at after it.
pub(crate) const LOOK_LIMIT: Duration = Duration::from_millis(500);
/// How long it is left alone when it takes longer. Its other callers need it meanwhile, if it is only slow.
const SLOW_RETRY: Duration = Duration::from_secs(5);

/// A project. All that touches its disk is done on its own thread.
pub(crate) struct Room {
    pub(crate) place: ProjectRoom,
    /// What is said of this server here.
    pub(crate) server: ServerInfo,
    is_host: bool,
    /// Taken on the room's own thread alone.
    hosted: Mutex<HostedProject>,
    /// When it is looked at again, while its disk does not answer.
    pub(crate) due: Mutex<Option<Instant>>,
    pub(crate) worker: Arc<Worker>,
}

/// What is known of a project's server.
#[derive(Default)]
struct HostedProject {
    /// While this is it.
    registered: Option<(Registration, ServerInfo)>,
    /// Since when something is open there without a server.
    unserved: Option<Instant>,
    /// The sets whose asker waits only for a limited time.
    limits: BTreeMap<SessionId, Arc<TimeLimit>>,
    /// Whether this server is ending, and must not register for a project again.
    has_left: bool,
}

/// What was seen in a project.
pub(crate) enum ProjectPresence {
    /// It is there. The time limits of these sets are no longer needed.
    There(Vec<SessionId>),
    /// Its folder is gone.
    Gone,
}

impl Room {
    /// Returns the project at `place`, in which `server` is said of this server, and whose disk `worker` works on. `is_host` says
    /// whether this server shows what others ask.
    pub(crate) fn new(place: ProjectRoom, server: ServerInfo, is_host: bool, worker: Arc<Worker>) -> Self {
        let server = ServerInfo { room: place.name.clone(), ..server };
        let hosted = Mutex::new(Rank::Project, "a project", HostedProject::default());
        let due = Mutex::new(Rank::Leaf, "the next look at a project", None);
        Self { place, server, is_host, hosted, due, worker }
    }

    pub(crate) fn name(&self) -> &str {
        &self.place.name
    }

    /// Whether this server is the one that is known in the project. One whose disk does not answer is not.
    pub(crate) fn is_server(self: &Arc<Self>) -> bool {
        let room = Arc::clone(self);
        self.worker.run(LOOK_LIMIT, move || room.hosted.lock().registered.is_some()).unwrap_or_default()
    }

    fn decisions(&self) -> &Decisions {
        &self.place.decisions
    }

    /// Looks at it; `None` when its disk does not answer, and as long as it is left alone for that.
    pub(crate) fn look(self: &Arc<Self>) -> Option<Result<ProjectPresence, StoreError>> {
        let due = *self.due.lock();
        if due.is_some_and(|due| Instant::now() < due) {
            return None;
        }
        let room = Arc::clone(self);
        let outcome = self.worker.run(LOOK_LIMIT, move || room.see());
        let project = self.place.project.root().display();
        match (&outcome, due) {
            (None, None) => tracing::warn!(%project, "the disk of a project does not answer"),
            (Some(_), Some(_)) => tracing::info!(%project, "the disk of a project answers again"),
            _ => {}
        }
        *self.due.lock() = outcome.is_none().then(|| Instant::now() + SLOW_RETRY);
        outcome
    }

    /// Looks at it, on its own thread.
    fn see(&self) -> Result<ProjectPresence, StoreError> {
        let mut hosted = self.hosted.lock();
        if !self.place.project.root().is_dir() {
            hosted.registered = None;
            return Ok(ProjectPresence::Gone);
        }
        let open = self.decisions().open_list()?;
        if open.is_empty() {
            // The next server may use any address.
            (hosted.registered, hosted.unserved) = (None, None);
            hosted.limits.clear();
            return Ok(ProjectPresence::There(Vec::new()));
        }
        let over = hosted.over(&open.iter().map(|pending| &pending.session).collect::<Vec<_>>());
        for session in &over {
            hosted.limits.remove(session);
        }
        // What does not work now may another time.
        if let Err(error) = self.serve(&mut hosted) {
            tracing::debug!(%error, room = self.name(), "server");
        }
        Ok(ProjectPresence::There(over))
    }

    /// Takes over what no server shows.
    fn serve(&self, hosted: &mut HostedProject) -> Result<(), StoreError> {
        if hosted.registered.is_some() {
            return self.register(hosted);
        }
        if !self.is_host || self.decisions().live_server()?.is_some() {
            hosted.unserved = None;
            return Ok(());
        }
        if hosted.unserved.get_or_insert_with(Instant::now).elapsed() >= GRACE {
            self.register(hosted)?;
        }
        Ok(())
    }

    /// Records that this server shows the questions here, and how long their askers wait, unless that is recorded already.
    /// Records nothing if another server is there.
    fn register(&self, hosted: &mut HostedProject) -> Result<(), StoreError> {
        if hosted.has_left {
            return Ok(());
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut info = self.server.clone();
        let limits = hosted.limits.iter().map(|(session, limit)| {
            (session.clone(), i64::try_from((now + limit.left()).as_millis()).unwrap_or(i64::MAX))
        });
        info.limits = limits.collect();
        match &mut hosted.registered {
            Some((registration, known)) => {
                if !is_same(&known.limits, &info.limits) {
                    self.decisions().update_server(registration, &info)?;
                    *known = info;
                }
            }
            None => {
                if let ServerClaimOutcome::Ours(claim) = self.decisions().claim_server()? {
                    hosted.registered = Some((claim.register(&info)?, info));
                }
            }
        }
        hosted.unserved = None;
        Ok(())
    }

    /// Shows the set `session` for so long. Returns the link to it; `None` if its disk does not answer before `deadline`.
    pub(crate) fn host(
        self: &Arc<Self>,
        session: &SessionId,
        limit: Option<Arc<TimeLimit>>,
        deadline: Instant,
    ) -> Option<Result<String, HostError>> {
        let (room, session) = (Arc::clone(self), session.clone());
        let left = deadline.saturating_duration_since(Instant::now());
        self.worker.run(left, move || room.host_here(&session, limit, deadline))
    }

    /// The same on its own thread.
    fn host_here(
        &self,
        session: &SessionId,
        limit: Option<Arc<TimeLimit>>,
        deadline: Instant,
    ) -> Result<String, HostError> {
        let unusable = |error: StoreError| HostError::Unusable(error.to_string());
        let open = self.decisions().open_list().map_err(unusable)?;
        if open.iter().all(|pending| pending.session != *session) {
            return Err(HostError::Missing);
        }
        if Instant::now() >= deadline {
            // The asker has got that error, and shows the questions itself now.
            return Err(unusable(silent(self.place.project.root())));
        }
        let mut hosted = self.hosted.lock();
        match limit {
            Some(limit) => hosted.limits.insert(session.clone(), limit),
            None => hosted.limits.remove(session),
        };
        self.register(&mut hosted).map_err(unusable)?;
        match (&hosted.registered, self.decisions().live_server()) {
            (Some((_, server)), _) => Ok(server.link_to(session)),
            (None, Ok(Some(other))) => Err(HostError::Elsewhere(other.url)),
            (None, Ok(None)) => Err(HostError::Missing),
            (None, Err(error)) => Err(unusable(error)),
        }
    }

    /// Unregisters this server here, before `deadline`.
    pub(crate) fn leave(self: &Arc<Self>, deadline: Instant) {
        let left = deadline.saturating_duration_since(Instant::now());
        let room = Arc::clone(self);
        // Where the disk does not answer, the end of the process says the same.
        let _ = self.worker.run(LOOK_LIMIT.min(left), move || room.hosted.lock().leave());
    }
}

impl HostedProject {
    /// The limits that are no longer needed: they are reached, or their questions have ended.
    fn over(&self, open: &[&SessionId]) -> Vec<SessionId> {
        let limits = self.limits.iter();
        let over = limits.filter(|(session, limit)| limit.left().is_zero() || !open.contains(session));
        over.map(|(session, _)| session.clone()).collect()
    }

    /// Says no more that this server is there.
    fn leave(&mut self) {
        self.registered = None;
        self.has_left = true;
    }
}

impl Drop for HostedProject {
    fn drop(&mut self) {
        // Where this is still said, the disk does not answer: to take it back would wait for that, on any thread.
        if let Some((registration, _)) = self.registered.take() {
            let _ = ManuallyDrop::new(registration);
        }
    }
}

/// Whether two readings of the clock say the same: between them it was read again.
fn is_same(known: &BTreeMap<SessionId, i64>, now: &BTreeMap<SessionId, i64>) -> bool {
    const SLACK: u64 = 100;
    known.len() == now.len()
        && known.iter().zip(now).all(|(known, now)| known.0 == now.0 && known.1.abs_diff(*now.1) < SLACK)
}
