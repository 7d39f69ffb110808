//! The daemon itself, from its lock to its farewells.

use super::agents::Crew;
use super::questions::{Questions, Watcher};
use super::recovery::{RETRY, Recovery};
use super::world::Machine;
use super::{DaemonFlags, Logs, restart};
use crate::context::{Context, DONE};
use crate::daemon::upkeep::Upkeep;
use crate::failure::Failure;
use crate::messages::{DaemonMessage, Message};
use crate::signals::Signals;
use crate::user_daemon::Place;
use crate::user_files;
use app::Hall;
use client::{DaemonRegistration, PROTOCOL, Secret};
use files::{ClaimOutcome, Dir, Lock, durable};
use journal::{Event, Journal, Sqlite};
use protocol::agent::Timestamp;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use server::{Access, Api, BoundSockets, Feed, Key, Limits, QuestionHost, ServeError};
use settings::{DaemonSettings, ShowQuestions};
use std::ffi::OsString;
use std::fs::File;
use std::future::pending;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use watchdog::Watchdog;
use workflow::{Courier, Couriers, DaemonTools, Engine, FolderCourier, Providers, Runtime, Waker, World};

/// For people, who look for such a file; nothing here believes it.
const PID_FILE: &str = "daemon.pid";
/// How many files a daemon may have open, where the system lets it.
const FILES: u64 = 8192;
/// How many connections it takes on: a thousand programs that listen, and as many that ask.
const CONNECTIONS: usize = 4096;
/// How many of them may be held.
const HELD: usize = 2048;
/// The exit code of a process that a SIGTERM has ended, as [`Signals`] has it.
const TERMINATED: u8 = 143;

/// The result of an attempt to be the daemon.
pub(crate) enum DaemonOutcome {
    /// There is one already.
    AlreadyRunning,
    /// It has run, and ended with this exit code.
    Ended(u8),
}

/// Where a daemon says what it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogTo {
    /// Standard error.
    Terminal,
    /// `daemon.log`; once it is ready, standard error as well.
    File,
}

/// Starts what a daemon answers agents by, given the language that was asked for.
type StartMcp = fn(Option<OsString>) -> io::Result<Arc<mcp::Http>>;

/// Runs until a signal comes. `ready` is called once everybody can be answered.
pub(crate) fn run(
    context: &Context,
    place: &Place,
    (settings, flags): (&DaemonSettings, &DaemonFlags),
    (crew, start_mcp): (&Crew, StartMcp),
    log: LogTo,
    ready: impl FnOnce(&DaemonRegistration),
) -> Result<DaemonOutcome, Failure> {
    let dir = place.make()?;
    // Before the ports: a second daemon must report the first one, and not that the ports are taken.
    let claim = match DaemonRegistration::claim(&dir)? {
        ClaimOutcome::Ours(claim) => claim,
        ClaimOutcome::AlreadyRunning(_) => return Ok(DaemonOutcome::AlreadyRunning),
    };
    let log = begin_log(log, &dir, settings)?;
    crew.log();
    raise_limit();
    let ports = Ports::take(settings)?;
    let key = Key::generate().map_err(|error| failed(&error))?;
    let info = ports.info(settings, flags, &key);
    let tokio = server::runtime().map_err(|error| failed(&error))?;
    // Before the daemon is registered, so that no signal is missed.
    let mut signals = tokio.block_on(async { Signals::listen() }).map_err(|error| failed(&error))?;
    // From here on it is found; clients that come now wait until the journal is open.
    let registration = info.register(&dir, claim)?;
    let opened = tokio.block_on(open_unless_signalled(&dir, crew, &mut signals));
    let (feed, runtime, waker) = match opened {
        Ok(opened) => opened?,
        Err(code) => {
            // What is half done in the journal is undone, or done again, by the next one.
            tokio.shutdown_background();
            drop(registration);
            tracing::info!("stopped before it was ready");
            return Ok(DaemonOutcome::Ended(exit_code(code)));
        }
    };
    let daemon = Daemon {
        context,
        settings,
        crew,
        start_mcp,
        dir: &dir,
        log: log.as_ref(),
        key: &key,
        info: &info,
        runtime: &runtime,
    };
    let ended = tokio.block_on(daemon.serve(ports, (feed, waker), &mut signals, ready));
    // Whatever still runs (half a request, an idle connection) has had its time.
    tokio.shutdown_background();
    drop(runtime);
    // A file that stays behind is recognised as stale.
    let _ = dir.unlink(PID_FILE);
    drop(registration);
    let code = ended?;
    tracing::info!("ended");
    Ok(DaemonOutcome::Ended(exit_code(code)))
}

/// Starts the log; returns its file if it is written to one.
fn begin_log(log: LogTo, dir: &Dir, settings: &DaemonSettings) -> Result<Option<File>, Failure> {
    let log = match log {
        LogTo::Terminal => None,
        LogTo::File => Some(Logs::begin(dir)?),
    };
    let copy = log.as_ref().map(File::try_clone).transpose().map_err(|error| failed(&error))?;
    crate::log::start_at(settings.log_level, copy).map_err(|error| failed(&error))?;
    Ok(log)
}

/// Opens the journal. The error is the code of a signal that has arrived before the journal was open.
async fn open_unless_signalled(
    dir: &Arc<Dir>,
    crew: &Crew,
    signals: &mut Signals,
) -> Result<Result<OpenJournal, Failure>, u8> {
    let (dir, crew) = (Arc::clone(dir), crew.clone());
    tokio::select! {
        biased;
        code = signals.next() => Err(code),
        opened = tokio::task::spawn_blocking(move || open(&dir, &crew)) => {
            Ok(opened.unwrap_or_else(|error| Err(failed(&error))))
        }
    }
}

/// A daemon whose journal is open.
struct Daemon<'d> {
    context: &'d Context,
    settings: &'d DaemonSettings,
    crew: &'d Crew,
    start_mcp: StartMcp,
    dir: &'d Dir,
    /// The log, if it is a file.
    log: Option<&'d File>,
    key: &'d Key,
    info: &'d DaemonRegistration,
    runtime: &'d Arc<Runtime>,
}

impl Daemon<'_> {
    /// Serves until a signal arrives, then ends everything it has started. Returns the code of the signal.
    async fn serve(
        &self,
        ports: Ports,
        (feed, waker): (Feed, Waker),
        signals: &mut Signals,
        ready: impl FnOnce(&DaemonRegistration),
    ) -> Result<u8, Failure> {
        let hall = self.new_hall();
        let questions = self.host_questions(&hall)?;
        let mut api = Api::new(Arc::clone(self.runtime), feed).with_metrics(self.settings.metrics);
        if self.is_host() {
            api = api.with_host(Arc::clone(&questions) as Arc<dyn QuestionHost>);
        }
        let mcp = (self.start_mcp)(self.context.lang_flag.clone()).map_err(|error| failed(&error))?;
        let mut servers = Servers::start(ports, self.settings, self.key, &hall, (&api, &mcp));
        self.announce(ready);
        let watcher = Watcher::start(questions).map_err(|error| failed(&error))?;
        let upkeep = Upkeep::start(Arc::clone(self.runtime), self.settings.keep_events)
            .map_err(|error| failed(&error))?;
        let recovery = Recovery::start(Arc::clone(self.runtime)).map_err(|error| failed(&error))?;
        let is_ending = Arc::new(AtomicBool::new(false));
        let watchdog = self.watch(&hall, waker.clone(), &is_ending)?;
        let mut engine = None;
        let code = tokio::select! {
            biased;
            error = servers.failure() => Err(failed(&error)),
            code = signals.next() => Ok(code),
            error = self.start_engine(waker, &mut engine) => Err(error),
        };
        is_ending.store(true, Ordering::Release);
        tracing::info!("ends");
        end_connections(watcher, &hall, &mut servers, signals).await;
        // Before the checkpoints: what it breaks off is as if it had not been begun.
        drop(engine);
        drop(recovery);
        drop(upkeep);
        let kept = self.runtime.checkpoint_all();
        if let Err(error) = &kept {
            tracing::error!(%error, "cannot write checkpoints");
        }
        drop(watchdog);
        code
    }

    /// Starts to drive workflows, if that is configured, once the claims of the last daemon are released: clients need not wait
    /// for that, because finding the claims reads all workflows. Returns only if that fails.
    async fn start_engine(&self, waker: Waker, engine: &mut Option<Engine>) -> Failure {
        if let Err(failure) = self.release_claims().await {
            return failure;
        }
        if self.crew.is_driven() {
            match drive(self.runtime, self.crew, waker) {
                Ok(driving) => *engine = Some(driving),
                Err(error) => return failed(&error),
            }
        }
        pending().await
    }

    /// Releases the claims of the last daemon. An error of the journal, such as a full disk, does not end a daemon that serves
    /// clients already: it is tried again.
    async fn release_claims(&self) -> Result<(), Failure> {
        let mut known = String::new();
        loop {
            let runtime = Arc::clone(self.runtime);
            let released = tokio::task::spawn_blocking(move || runtime.release_claims()).await;
            let Err(error) = released.map_err(|error| failed(&error))? else { return Ok(()) };
            let error = error.to_string();
            if known != error {
                tracing::error!(error, "claims of the last daemon");
                known = error;
            }
            tokio::time::sleep(RETRY).await;
        }
    }

    fn new_hall(&self) -> Arc<Hall> {
        let hall = Hall::without_home(self.context.language.page);
        let hall = hall
            .with_flow(crate::host::flow_config)
            .with_undo(crate::host::undo)
            .with_search(user_files::search_cache())
            .with_workflows();
        Arc::new(hall)
    }

    /// Whether the daemon shows questions that programs offer to it.
    fn is_host(&self) -> bool {
        self.settings.decide == ShowQuestions::Auto
    }

    fn host_questions(&self, hall: &Arc<Hall>) -> Result<Arc<Questions>, Failure> {
        let questions = Questions::new(
            Arc::clone(hall),
            Arc::clone(self.runtime),
            self.info,
            // Only on Linux can the owner of a calling program be determined.
            !self.settings.is_loopback() || !cfg!(target_os = "linux"),
            self.is_host(),
            self.context.language.messages,
        );
        Ok(Arc::new(questions.map_err(|error| failed(&error))?))
    }

    /// Reports that the daemon is ready: to the log, to the file with its process id, and to the command that has started it.
    fn announce(&self, ready: impl FnOnce(&DaemonRegistration)) {
        let info = self.info;
        write_pid(self.dir, info.pid);
        tracing::info!(pid = info.pid, http = info.http_url, ws = info.ws_url, "started");
        if let Some(log) = self.log {
            // From here on no process reads its output.
            let _ = rustix::stdio::dup2_stderr(log);
        }
        match &info.restarted {
            // The command that started it has ended.
            Some(reason) => tracing::warn!(reason, "restarted"),
            None => ready(info),
        }
    }

    /// Starts the watchdog over the threads; it watches the engine's thread by the engine's `waker`.
    fn watch(&self, hall: &Hall, waker: Waker, is_ending: &Arc<AtomicBool>) -> Result<Watchdog, Failure> {
        let tokio = Handle::current();
        let watched = restart::WatchTargets {
            tokio: &tokio,
            reads: hall.reads(),
            runtime: self.runtime,
            engine: waker,
        };
        let limit = Duration::from_secs(self.settings.stall_limit.into());
        restart::watch(limit, watched, Arc::clone(is_ending)).map_err(|error| failed(&error))
    }
}

/// Ends the servers and their connections.
async fn end_connections(watcher: Watcher, hall: &Hall, servers: &mut Servers, signals: &mut Signals) {
    // The askers look for another server, or serve themselves.
    drop(watcher);
    hall.close();
    tokio::select! {
        () = servers.end() => {}
        // A second signal skips the farewells.
        _ = signals.next() => {}
    }
}

/// The exit code of a daemon that a signal has ended.
fn exit_code(code: u8) -> u8 {
    // SIGTERM is the regular way to stop a daemon.
    if code == TERMINATED { DONE } else { code }
}

/// An open journal: the feed of its events, the runtime on it, and the waker of the engine.
type OpenJournal = (Feed, Arc<Runtime>, Waker);

/// Opens the journal, and leaves what was under way when the last daemon ended.
fn open(dir: &Dir, crew: &Crew) -> Result<OpenJournal, Failure> {
    let (feed, publish) = Feed::start(0).map_err(|error| failed(&error))?;
    let waker = Waker::default();
    let woken = waker.clone();
    let listener = Box::new(move |events: &[Arc<Event>]| {
        publish(events);
        woken.wake(events.iter().filter_map(|event| event.workflow.as_deref()));
    });
    let journal: Arc<dyn Journal> = Arc::new(Sqlite::open(dir, listener)?);
    let runtime = Runtime::new(journal, Arc::new(Machine)).with_tools(crew.tools.clone());
    let folders = crew.folders.keys().filter(|_| crew.is_driven());
    let runtime = runtime.with_answered(crew.providers.keys().chain(folders).cloned());
    feed.begin_at(runtime.log()?.last);
    runtime.set_pool(&crew.pool)?;
    runtime.begin_recovery()?;
    Ok((feed, Arc::new(runtime), waker))
}

/// Begins to drive workflows, with those who answer for the agents.
fn drive(runtime: &Arc<Runtime>, crew: &Crew, waker: Waker) -> io::Result<Engine> {
    let providers: Providers =
        crew.providers.iter().map(|(agent, provider)| (agent.clone(), Arc::clone(provider))).collect();
    let world: Arc<dyn World> = Arc::new(Machine);
    let courier = |(agent, folder): (&String, &PathBuf)| {
        let courier = FolderCourier::new(folder, Arc::clone(&world))?;
        Some((agent.clone(), Arc::new(courier) as Arc<dyn Courier>))
    };
    let couriers: Couriers = crew.folders.iter().filter_map(courier).collect();
    let (agents, folders): (Vec<_>, Vec<_>) = (providers.keys().collect(), couriers.keys().collect());
    tracing::info!(?agents, ?folders, "driving workflows");
    let tools = Arc::new(DaemonTools::new(Arc::clone(runtime)));
    Engine::start(Arc::clone(runtime), (providers, couriers), tools, crew.pace, waker)
}

/// The sockets that a daemon listens on.
struct Ports {
    http: BoundSockets,
    ws: BoundSockets,
}

impl Ports {
    /// Takes exactly the configured ports: clients look for the daemon there.
    fn take(settings: &DaemonSettings) -> Result<Self, Failure> {
        let bind = |port, flag| {
            server::bind_exactly(&settings.host, port).map_err(|error| {
                Failure::from(error).with_hint(Message::daemon(DaemonMessage::OtherPort { flag }))
            })
        };
        Ok(Self { http: bind(settings.http_port, "--http-port")?, ws: bind(settings.ws_port, "--ws-port")? })
    }

    fn info(&self, settings: &DaemonSettings, flags: &DaemonFlags, key: &Key) -> DaemonRegistration {
        let (http, ws) = (reach(self.http.host, self.http.port), reach(self.ws.host, self.ws.port));
        DaemonRegistration {
            pid: process::id(),
            http_port: self.http.port,
            ws_port: self.ws.port,
            http_url: format!("http://{http}"),
            ws_url: format!("ws://{ws}"),
            url: if settings.url.is_empty() { self.http.default_url() } else { settings.url.clone() },
            bind: settings.host.clone(),
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started_at: Timestamp::from_unix_millis(Machine.now()).as_str().to_owned(),
            restarted: restart::reason(),
            flags: Some(flags.kept(self.http.port, self.ws.port)),
            secret: Secret(key.to_hex()),
        }
    }
}

/// Where a program of this machine reaches what listens at an address.
fn reach(host: IpAddr, port: u16) -> SocketAddr {
    let host = match host {
        IpAddr::V4(v4) if v4.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(v6) if v6.is_unspecified() => IpAddr::V6(std::net::Ipv6Addr::LOCALHOST),
        host => host,
    };
    SocketAddr::new(host, port)
}

/// Both servers, each on its own task.
struct Servers {
    tasks: Vec<JoinHandle<Result<(), ServeError>>>,
    stop: watch::Sender<bool>,
}

impl Servers {
    fn start(
        ports: Ports,
        settings: &DaemonSettings,
        key: &Key,
        hall: &Arc<Hall>,
        (api, mcp): (&Api, &Arc<mcp::Http>),
    ) -> Self {
        let access = |bound: &BoundSockets| {
            let (host, port, url) = (bound.host, bound.port, settings.url.as_str());
            if settings.is_loopback() {
                Access::owned_surely(host, port, url, key.clone())
            } else {
                Access::guarded(host, port, url, key.clone())
            }
        };
        let http = server::daemon_router(Arc::clone(hall), access(&ports.http), api.clone(), Some(mcp));
        let ws = server::socket_router(Arc::clone(hall), access(&ports.ws), api.clone());
        let (stop, stopped) = watch::channel(false);
        let tasks = [(ports.http, http), (ports.ws, ws)].map(|(bound, router)| {
            let mut stopped = stopped.clone();
            let stopped = async move {
                // A sender that is gone says the same.
                let _ = stopped.wait_for(|stopped| *stopped).await;
            };
            tokio::spawn(server::serve(bound, router, limits(), stopped))
        });
        Self { tasks: tasks.into(), stop }
    }

    /// Completes when one of them has ended by itself.
    async fn failure(&mut self) -> io::Error {
        let ended = std::future::poll_fn(|context| {
            for task in &mut self.tasks {
                if let std::task::Poll::Ready(ended) = std::pin::Pin::new(task).poll(context) {
                    return std::task::Poll::Ready(ended);
                }
            }
            std::task::Poll::Pending
        });
        match ended.await {
            Ok(Ok(())) => io::Error::other("stopped"),
            Ok(Err(error)) => io::Error::other(error),
            Err(error) => io::Error::other(error),
        }
    }

    /// Ends both, and waits for their farewells.
    async fn end(&mut self) {
        self.stop.send_replace(true);
        for task in &mut self.tasks {
            if !task.is_finished() {
                let _ = task.await;
            }
        }
    }
}

/// How much a daemon takes on: what the system gives it.
fn limits() -> Limits {
    let descriptors = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    // Both servers share them, and the journal and the projects need some.
    let share = usize::try_from(descriptors / 2).unwrap_or(usize::MAX).saturating_sub(32).max(64);
    Limits { connections: share.min(CONNECTIONS), held: (share / 2).min(HELD), ..Limits::default() }
}

/// Lets this process have as many files open as it may.
fn raise_limit() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(FILES, |maximum| maximum.min(FILES));
    if current.is_some_and(|current| current < wanted) {
        // Without them it takes on fewer.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
    }
}

fn write_pid(dir: &Dir, pid: u32) {
    let write = || {
        let lock = Lock::take(dir)?;
        durable::replace(&lock, dir, PID_FILE, format!("{pid}\n").as_bytes())
    };
    if let Err(error) = write() {
        tracing::warn!(%error, "{PID_FILE} cannot be written");
    }
}

/// Removes the pid file of a daemon that no longer runs; returns whether there was one.
pub(super) fn remove_pid_file(dir: &Dir) -> bool {
    dir.unlink(PID_FILE).unwrap_or_default()
}

fn failed(error: &dyn std::fmt::Display) -> Failure {
    Failure::new(Message::ServerFailed { words: error.to_string() }, None)
}
