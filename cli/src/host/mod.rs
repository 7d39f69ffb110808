//! The server of a project in this process, from the first free port to the last farewell.

mod gathered;
mod resident;

pub(crate) use gathered::GatheredHost;
pub(crate) use resident::Resident;

use crate::context::Context;
use crate::failure::Failure;
use crate::messages::Message;
use crate::notify::Steps;
use crate::signals::Signals;
use crate::{known, trust, user_files};
use app::{BlankForm, Hall, TimeLimit};
use decide::{LOOK_INTERVAL, WaitEnd};
use files::Registration;
use model::{Ending, SessionId};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use server::{Access, BindError, BoundSockets, Key, Limits, ServeError};
use settings::{Auth, ConfigError, FlowConfig, ServerSettings};
use std::convert::Infallible;
use std::future::{self, Future};
use std::io;
use std::mem;
use std::process;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use store::{Decisions, PendingSet, Place, Project, Scope, Secret, ServerClaimOutcome, ServerInfo};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// How long a server that was killed may take to give its port back after its lock.
const PORT_AFTER_LOCK: Duration = Duration::from_secs(1);
/// How long the server stays at most for pages that do not know the end: their answers were sent at the same moment as those that were
/// accepted, and they cannot hear of the end while they send. They would take the server for one that is going to come back, or
/// without script show the browser's own error.
const LINGER: Duration = Duration::from_secs(3);
/// How often to look whether they know it by now.
const LINGER_POLL_INTERVAL: Duration = Duration::from_millis(10);
/// How often to try it. The system sends no notification when a port becomes free.
const PORT_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// What is served, and how.
pub(crate) struct Host {
    pub(crate) project: Project,
    pub(crate) decisions: Decisions,
    pub(crate) pending: PendingSet,
    pub(crate) form: Arc<BlankForm>,
    pub(crate) settings: ServerSettings,
    /// Whether it serves beside the user's daemon where that shows questions of the project: others then know the daemon.
    pub(crate) beside_daemon: bool,
}

/// How serving came to its end.
pub(crate) struct HostOutcome {
    pub(crate) end: WaitEnd,
    /// Questions that were open beside those that have ended, and now need a server.
    pub(crate) next: Option<SessionId>,
}

impl Host {
    /// Serves until the questions end, the time is up or a signal comes. `ready` is called once the page can be fetched.
    pub(crate) fn run(
        &self,
        context: &Context,
        ready: impl FnOnce(&ServerInfo),
    ) -> Result<HostOutcome, Failure> {
        // Before the port: else two that want to go on where a server was take its port from each other, and the one that
        // serves in the end is not where the open pages look for it.
        let claim = match self.decisions.claim_server()? {
            ServerClaimOutcome::Ours(claim) => Some(claim),
            ServerClaimOutcome::AlreadyRunning(other) if self.beside_daemon && other.scope == Scope::User => {
                None
            }
            ServerClaimOutcome::AlreadyRunning(_) => {
                return Ok(HostOutcome { end: WaitEnd::Elsewhere, next: None });
            }
        };
        let session = Some(self.pending.session.clone());
        let BoundServer { bound, info, access } =
            BoundServer::new(&self.project, &self.decisions, &self.settings, session)?;
        let mut registration = claim.map(|claim| claim.register(&info)).transpose()?;
        let limit = self.settings.timeout.map(|span| Arc::new(TimeLimit::new(span)));
        let (hall, ended) = Hall::new(
            self.project.clone(),
            self.decisions.clone(),
            self.pending.clone(),
            Arc::clone(&self.form),
            context.language.page,
        );
        let runtime = server::runtime().map_err(|error| failed(&error))?;
        let hosted = runtime.block_on(async {
            let signals = Signals::listen().map_err(|error| failed(&error))?;
            let hall = Arc::new(
                hall.limited_by(limit.clone())
                    .with_flow(flow_config)
                    .with_undo(undo)
                    .with_search(user_files::search_cache()),
            );
            // The process ends with the session: taking a thousand items apart would only delay that.
            mem::forget(Arc::clone(&hall));
            let server = Server::start(bound, Arc::clone(&hall), access);
            ready(&info);
            let mut steps = Steps::printing(context);
            let looked_at = looked_at(&hall, &info, &mut steps);
            let end = tokio::select! {
                end = wait(server, &hall, ended, limit, signals, looked_at) => end,
                never = self.make_known(&info, &mut registration) => match never {},
            };
            steps.end(&hall);
            end.map(|end| (end, hall.next_session()))
        });
        // Whatever still runs (half a request, an idle connection) has had its time.
        runtime.shutdown_background();
        if self.settings.needs_login() {
            self.decisions.remove_opener();
        }
        // The daemon shows what is open beside.
        let is_known = registration.is_some();
        if let Some(registration) = registration {
            match &hosted {
                // The questions, or those in their place, are still open, or others are: their server is looked for here.
                Ok((WaitEnd::Ended(Ending::Replaced(_)), _)) => registration.leave_file(),
                Ok((WaitEnd::Ended(_), _)) if self.has_others() => registration.leave_file(),
                Ok((WaitEnd::Ended(_), _)) => drop(registration),
                _ => registration.leave_file(),
            }
        }
        let (end, left) = hosted?;
        let next = match &end {
            WaitEnd::Ended(Ending::Replaced(_)) => None,
            _ if !is_known => None,
            WaitEnd::Ended(_) => left.or_else(|| self.next_queued()),
            _ => None,
        };
        Ok(HostOutcome { end, next })
    }

    /// Makes this server known as soon as no other is.
    async fn make_known(&self, info: &ServerInfo, registration: &mut Option<Registration>) -> Infallible {
        loop {
            if registration.is_some() {
                future::pending::<()>().await;
            }
            tokio::time::sleep(LOOK_INTERVAL).await;
            // What cannot be written now may be another time.
            if let Ok(ServerClaimOutcome::Ours(claim)) = self.decisions.claim_server() {
                *registration = claim.register(info).ok();
            }
        }
    }

    /// Whether other questions are open.
    fn has_others(&self) -> bool {
        decide::others_open(&self.decisions, &self.pending.session).is_ok_and(|others| others.is_some())
    }

    /// The oldest of the queued questions that are open. Commands leave theirs to this server until its own have ended, so they may
    /// have come since the last look; that of a plain `submit` starts a server as it is configured.
    fn next_queued(&self) -> Option<SessionId> {
        let open = self.decisions.open_sets().unwrap_or_default();
        open.into_iter().find(|set| set.place == Place::Own).map(|set| set.session)
    }
}

/// The task configuration of `project`, read on demand. A mistake there must not prevent questions from being asked.
pub(crate) fn flow_config(project: &Project) -> Result<FlowConfig, ConfigError> {
    // Read anew: the file may have been edited since.
    let files = project.config_files(user_files::config());
    Ok(trust::flow_config(project, files.layers()?)?.value)
}

/// For how long a submission for `project` can be taken back. An error in the configuration must not prevent an answer.
pub(crate) fn undo(project: &Project) -> Option<Duration> {
    let files = project.config_files(user_files::config());
    let undo = files.layers().and_then(|layers| layers.config()).ok()?.decide.undo;
    (undo > 0).then(|| Duration::from_secs(undo.into()))
}

/// A server before it serves: its sockets, what it publishes about itself, and who has access.
struct BoundServer {
    bound: BoundSockets,
    info: ServerInfo,
    access: Access,
}

impl BoundServer {
    /// Takes the port, the one that the last server had if it can. `session` is what the server ends with.
    fn new(
        project: &Project,
        decisions: &Decisions,
        settings: &ServerSettings,
        session: Option<SessionId>,
    ) -> Result<Self, Failure> {
        // That of a daemon is the daemon's, which may come again.
        let last = decisions.last_server().filter(|server| server.scope != Scope::User);
        let bound = bind(&settings.host, settings.port, last.as_ref())?;
        let link = if settings.url.is_empty() { bound.default_url() } else { settings.url.clone() };
        // Also where the person needs no login: other users of the machine do.
        let key = match settings.auth {
            Auth::Never => None,
            Auth::Auto | Auth::Always => {
                Some(Key::generate().map_err(|error| server_failed(error.to_string()))?)
            }
        };
        let info = ServerInfo {
            pid: process::id(),
            port: bound.port,
            url: link,
            started_at: store::now(),
            session_id: session,
            scope: Scope::Project,
            bind: settings.host.clone(),
            configured_url: settings.url.clone(),
            auth: settings.auth.name().to_owned(),
            secret: Secret(key.as_ref().map(Key::to_hex).unwrap_or_default()),
            ..ServerInfo::default()
        };
        trust::remember(project, settings);
        known::note(project.root());
        let (host, port, url) = (bound.host, bound.port, &settings.url);
        let access = match key {
            Some(key) if settings.needs_login() => Access::guarded(host, port, url, key),
            Some(key) => Access::owned(host, port, url, key),
            None => Access::open(host, port, url),
        };
        Ok(Self { bound, info, access })
    }
}

/// Takes the port of the `last` server if possible. A killed server releases its lock a moment before its port: without waiting
/// for that, its successor would serve where open pages do not look, or nowhere.
fn bind(host: &str, port: u16, last: Option<&ServerInfo>) -> Result<BoundSockets, BindError> {
    let deadline = Instant::now() + PORT_AFTER_LOCK;
    loop {
        // Before the attempt: what ends after a look at it has not given its port back in time.
        let dying = last.is_some_and(|last| exists(last.pid));
        let bound = server::bind(host, port, last.map(|last| last.port));
        let as_before = match (&bound, last) {
            (Ok(bound), Some(last)) => bound.port == last.port,
            (Err(error), Some(_)) => !matches!(error, BindError::Busy { .. }),
            (_, None) => true,
        };
        if as_before || !dying || Instant::now() >= deadline {
            return bound;
        }
        // Before the next attempt: it may have got one of the ports after it.
        drop(bound);
        thread::sleep(PORT_POLL_INTERVAL);
    }
}

/// Whether there is a process with this number, of whomever.
fn exists(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH))
}

/// The server on its own task, and the means to stop it.
struct Server {
    task: JoinHandle<Result<(), ServeError>>,
    stop: oneshot::Sender<()>,
}

impl Server {
    fn start(bound: BoundSockets, hall: Arc<Hall>, access: Access) -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        let task = tokio::spawn(async move {
            let stopped = async {
                // A sender that is gone says the same.
                let _ = stopped.await;
            };
            server::serve(bound, server::router(hall, access), Limits::default(), stopped).await
        });
        Self { task, stop }
    }

    /// Ends it, and waits for its farewells. `has_ended` when the questions have.
    async fn end(mut self, hall: &Hall, has_ended: bool, signals: &mut Signals) -> Result<(), Failure> {
        // Open pages learn from this server how it ended; there will be no other.
        hall.close();
        if has_ended && hall.has_other_pages() {
            let all_know = async {
                while hall.has_other_pages() {
                    tokio::time::sleep(LINGER_POLL_INTERVAL).await;
                }
            };
            tokio::select! {
                // A page that does not know it by then never will.
                _ = tokio::time::timeout(LINGER, all_know) => {}
                // Who asks twice does not want to wait for other pages.
                _ = signals.next() => return Ok(()),
            }
        }
        // The server may have ended by itself in this very moment.
        let _ = self.stop.send(());
        tokio::select! {
            stopped = &mut self.task => match stopped {
                Ok(Err(error)) => Err(server_failed(error.to_string())),
                _ => Ok(()),
            },
            // Who asks twice does not want to wait for farewells.
            _ = signals.next() => Ok(()),
        }
    }
}

/// Waits for the end of the questions or of the time or for a signal, then for the server to say its farewells.
async fn wait(
    mut server: Server,
    hall: &Hall,
    mut ended: oneshot::Receiver<Ending>,
    limit: Option<Arc<TimeLimit>>,
    mut signals: Signals,
    ended_elsewhere: impl Future<Output = Ending>,
) -> Result<WaitEnd, Failure> {
    let reached = async {
        match limit {
            Some(limit) => limit.reached().await,
            None => future::pending().await,
        }
    };
    let end = tokio::select! {
        biased;
        // Without a sender there can be no answer any more; the server's end says why.
        Ok(ending) = &mut ended => WaitEnd::Ended(ending),
        stopped = &mut server.task => return Err(stopped_early(stopped)),
        code = signals.next() => WaitEnd::Interrupted(code),
        ending = ended_elsewhere => WaitEnd::Ended(ending),
        () = reached => WaitEnd::TimedOut,
    };
    let farewells = server.end(hall, matches!(end, WaitEnd::Ended(_)), &mut signals).await;
    if !matches!(end, WaitEnd::Ended(_)) {
        farewells?;
    }
    // An answer that was accepted during the farewells stands.
    Ok(ended.try_recv().map_or(end, WaitEnd::Ended))
}

/// Completes when another process has ended the questions that the server was started for. The pages of other sets are notified
/// when these end. Meanwhile the steps of notification run.
async fn looked_at(hall: &Hall, info: &ServerInfo, steps: &mut Steps) -> Ending {
    loop {
        steps.look(hall, |_| Some(info.clone()));
        tokio::time::sleep(LOOK_INTERVAL).await;
        if let Some(ending) = hall.look() {
            return ending;
        }
    }
}

/// Returns the runtime of a command that waits, and does nothing beside that: it has no thread of its own.
pub(crate) fn thread_runtime() -> io::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

fn stopped_early(stopped: Result<Result<(), ServeError>, tokio::task::JoinError>) -> Failure {
    server_failed(match stopped {
        Ok(Ok(())) => "stopped".to_owned(),
        Ok(Err(error)) => error.to_string(),
        Err(error) => error.to_string(),
    })
}

pub(crate) fn failed(error: &io::Error) -> Failure {
    server_failed(error.to_string())
}

fn server_failed(words: String) -> Failure {
    Failure::new(Message::ServerFailed { words }, Message::SubmitAgain)
}

#[cfg(test)]
mod tests {
    use super::bind;
    use std::net::TcpListener;
    use std::process::{self, Command};
    use std::thread;
    use std::time::Duration;
    use store::ServerInfo;

    #[test]
    fn the_port_of_a_server_that_is_about_to_end_is_waited_for() {
        let occupant = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = occupant.local_addr().unwrap().port();
        // It exists, as one does that has given back its lock and not yet its port.
        let last = ServerInfo { pid: process::id(), port, ..ServerInfo::default() };
        thread::scope(|scope| {
            scope.spawn(move || {
                thread::sleep(Duration::from_millis(50));
                drop(occupant);
            });
            assert_eq!(bind("127.0.0.1", 0, Some(&last)).unwrap().port, port);
        });
    }

    #[test]
    fn a_port_that_another_program_has_is_passed_over() {
        let occupant = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = occupant.local_addr().unwrap().port();
        let mut ended = Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        // Whether its server has ended, or another process has its number now.
        for pid in [ended.id(), process::id()] {
            let last = ServerInfo { pid, port, ..ServerInfo::default() };
            assert_ne!(bind("127.0.0.1", 0, Some(&last)).unwrap().port, port);
        }
    }
}
