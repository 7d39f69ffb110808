//! The daemon itself, from its lock to its farewells.

use crate::agents::Crew;
use crate::error::DaemonError;
use crate::logs::Logs;
use crate::program::{LogTo, Program, Signals};
use crate::questions::{Questions, Watcher};
use crate::recovery::{RETRY, Recovery};
use crate::servers::{Ports, Servers, raise_limit};
use crate::stuck;
use crate::upkeep::Upkeep;
use crate::world::Machine;
use app::Hall;
use client::DaemonRegistration;
use files::{ClaimOutcome, Dir, Lock, durable};
use journal::{Event, Journal, Sqlite};
use server::{Api, Feed, Key, QuestionHost};
use settings::{DaemonSettings, ShowQuestions};
use std::fs::File;
use std::future::pending;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::Handle;
use watchdog::Watchdog;
use workflow::{Courier, Couriers, DaemonTools, Engine, FolderCourier, Providers, Runtime, Waker, World};

/// For people, who look for such a file; nothing here believes it.
const PID_FILE: &str = "daemon.pid";

/// The result of an attempt to be the daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DaemonOutcome {
    /// There is one already.
    AlreadyRunning,
    /// It has run, and was ended by this signal, as [`Signals::next`] numbers it.
    Ended(u8),
}

/// Runs the daemon whose state is in `dir` until a signal comes.
///
/// # Errors
///
/// When it cannot start, or a server of it has ended by itself. Nothing of it runs any more then.
pub fn run<P: Program>(
    program: &P,
    dir: &Arc<Dir>,
    settings: &DaemonSettings,
    crew: &Crew,
    log: LogTo,
) -> Result<DaemonOutcome, DaemonError> {
    // Before the ports: a second daemon must report the first one, and not that the ports are taken.
    let claim = match DaemonRegistration::claim(dir)? {
        ClaimOutcome::Ours(claim) => claim,
        ClaimOutcome::AlreadyRunning(_) => return Ok(DaemonOutcome::AlreadyRunning),
    };
    let log = begin_log(program, log, dir, settings)?;
    crew.log();
    raise_limit();
    let ports = Ports::take(settings)?;
    let key = Key::generate().map_err(DaemonError::other)?;
    let (http_port, ws_port) = ports.numbers();
    let flags = program.kept_flags(http_port, ws_port);
    let info = ports.info(settings, &key, program.restarted(), flags);
    let tokio = server::runtime()?;
    // Before the daemon is registered, so that no signal is missed.
    let mut signals = tokio.block_on(async { program.signals() })?;
    // From here on it is found; clients that come now wait until the journal is open.
    let registration = info.register(dir, claim)?;
    let opened = tokio.block_on(open_unless_signalled(dir, crew, &mut signals));
    let (feed, runtime, waker) = match opened {
        Ok(opened) => opened?,
        Err(signal) => {
            // What is half done in the journal is undone, or done again, by the next one.
            tokio.shutdown_background();
            drop(registration);
            tracing::info!("stopped before it was ready");
            return Ok(DaemonOutcome::Ended(signal));
        }
    };
    let daemon =
        Daemon { program, settings, crew, dir, log: log.as_ref(), key: &key, info: &info, runtime: &runtime };
    let ended = tokio.block_on(daemon.serve(ports, (feed, waker), &mut signals));
    // Whatever still runs (half a request, an idle connection) has had its time.
    tokio.shutdown_background();
    drop(runtime);
    // A file that stays behind is recognised as stale.
    let _ = dir.unlink(PID_FILE);
    drop(registration);
    let signal = ended?;
    tracing::info!("ended");
    Ok(DaemonOutcome::Ended(signal))
}

/// Starts the log; returns its file if it is written to one.
fn begin_log(
    program: &impl Program,
    log: LogTo,
    dir: &Dir,
    settings: &DaemonSettings,
) -> Result<Option<File>, DaemonError> {
    let log = match log {
        LogTo::Terminal => None,
        LogTo::File => Some(Logs::begin(dir)?),
    };
    let copy = log.as_ref().map(File::try_clone).transpose()?;
    program.start_log(settings.log_level, copy)?;
    Ok(log)
}

/// Opens the journal. The error is a signal that has arrived before the journal was open.
async fn open_unless_signalled(
    dir: &Arc<Dir>,
    crew: &Crew,
    signals: &mut impl Signals,
) -> Result<Result<OpenJournal, DaemonError>, u8> {
    let (dir, crew) = (Arc::clone(dir), crew.clone());
    tokio::select! {
        biased;
        signal = signals.next() => Err(signal),
        opened = tokio::task::spawn_blocking(move || open(&dir, &crew)) => {
            Ok(opened.unwrap_or_else(|error| Err(DaemonError::other(error))))
        }
    }
}

/// A daemon whose journal is open.
struct Daemon<'d, P> {
    program: &'d P,
    settings: &'d DaemonSettings,
    crew: &'d Crew,
    dir: &'d Dir,
    /// The log, if it is a file.
    log: Option<&'d File>,
    key: &'d Key,
    info: &'d DaemonRegistration,
    runtime: &'d Arc<Runtime>,
}

impl<P: Program> Daemon<'_, P> {
    /// Serves until a signal arrives, then ends everything it has started. Returns the signal.
    async fn serve(
        &self,
        ports: Ports,
        (feed, waker): (Feed, Waker),
        signals: &mut P::Signals,
    ) -> Result<u8, DaemonError> {
        let hall = Arc::new(self.program.hall().with_workflows());
        let questions = self.host_questions(&hall)?;
        let mut api = Api::new(Arc::clone(self.runtime), feed).with_metrics(self.settings.metrics);
        if self.is_host() {
            api = api.with_host(Arc::clone(&questions) as Arc<dyn QuestionHost>);
        }
        let mcp = self.program.mcp()?;
        let mut servers = Servers::start(ports, self.settings, self.key, &hall, (&api, &mcp));
        self.announce();
        let watcher = Watcher::start(questions)?;
        let upkeep = Upkeep::start(Arc::clone(self.runtime), self.settings.keep_events)?;
        let recovery = Recovery::start(Arc::clone(self.runtime))?;
        let is_ending = Arc::new(AtomicBool::new(false));
        let watchdog = self.watch(&hall, waker.clone(), &is_ending)?;
        let mut engine = None;
        let signal = tokio::select! {
            biased;
            error = servers.failure() => Err(error.into()),
            signal = signals.next() => Ok(signal),
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
        signal
    }

    /// Starts to drive workflows, if that is configured, once the claims of the last daemon are released: clients need not wait
    /// for that, because finding the claims reads all workflows. Returns only if that fails.
    async fn start_engine(&self, waker: Waker, engine: &mut Option<Engine>) -> DaemonError {
        if let Err(error) = self.release_claims().await {
            return error;
        }
        if self.crew.is_driven() {
            match drive(self.runtime, self.crew, waker) {
                Ok(driving) => *engine = Some(driving),
                Err(error) => return error.into(),
            }
        }
        pending().await
    }

    /// Releases the claims of the last daemon. An error of the journal, such as a full disk, does not end a daemon that serves
    /// clients already: it is tried again.
    async fn release_claims(&self) -> Result<(), DaemonError> {
        let mut known = String::new();
        loop {
            let runtime = Arc::clone(self.runtime);
            let released = tokio::task::spawn_blocking(move || runtime.release_claims()).await;
            let Err(error) = released.map_err(DaemonError::other)? else { return Ok(()) };
            let error = error.to_string();
            if known != error {
                tracing::error!(error, "claims of the last daemon");
                known = error;
            }
            tokio::time::sleep(RETRY).await;
        }
    }

    /// Whether the daemon shows questions that programs offer to it.
    fn is_host(&self) -> bool {
        self.settings.decide == ShowQuestions::Auto
    }

    fn host_questions(&self, hall: &Arc<Hall>) -> io::Result<Arc<Questions>> {
        let questions = Questions::new(
            Arc::clone(hall),
            Arc::clone(self.runtime),
            self.info,
            // Only on Linux can the owner of a calling program be determined.
            !self.settings.is_loopback() || !cfg!(target_os = "linux"),
            self.is_host(),
            self.program.notices(),
        );
        questions.map(Arc::new)
    }

    /// Reports that the daemon is ready: to the log, to the file with its process id, and to the program.
    fn announce(&self) {
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
            None => self.program.ready(info),
        }
    }

    /// Starts the watchdog over the threads; it watches the engine's thread by the engine's `waker`.
    fn watch(&self, hall: &Hall, waker: Waker, is_ending: &Arc<AtomicBool>) -> io::Result<Watchdog> {
        let tokio = Handle::current();
        let watched =
            stuck::WatchTargets { tokio: &tokio, reads: hall.reads(), runtime: self.runtime, engine: waker };
        let limit = Duration::from_secs(self.settings.stall_limit.into());
        stuck::watch(limit, watched, Arc::clone(is_ending), P::end_stuck)
    }
}

/// Ends the servers and their connections.
async fn end_connections(watcher: Watcher, hall: &Hall, servers: &mut Servers, signals: &mut impl Signals) {
    // The askers look for another server, or serve themselves.
    drop(watcher);
    hall.close();
    tokio::select! {
        () = servers.end() => {}
        // A second signal skips the farewells.
        _ = signals.next() => {}
    }
}

/// An open journal: the feed of its events, the runtime on it, and the waker of the engine.
type OpenJournal = (Feed, Arc<Runtime>, Waker);

/// Opens the journal, and leaves what was under way when the last daemon ended.
fn open(dir: &Dir, crew: &Crew) -> Result<OpenJournal, DaemonError> {
    let (feed, publish) = Feed::start(0)?;
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

fn write_pid(dir: &Dir, pid: u32) {
    let write = || {
        let lock = Lock::take(dir)?;
        durable::replace(&lock, dir, PID_FILE, format!("{pid}\n").as_bytes())
    };
    if let Err(error) = write() {
        tracing::warn!(%error, "{PID_FILE} cannot be written");
    }
}

/// Removes the file with the process id of a daemon that no longer runs from its folder `dir`; returns whether there was one.
pub fn remove_pid_file(dir: &Dir) -> bool {
    dir.unlink(PID_FILE).unwrap_or_default()
}
