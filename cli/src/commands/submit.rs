//! `aide decide submit`

use super::{Context, DONE};
use crate::args::SubmitFlags;
use crate::failure::{FAILED, Failure};
use crate::input;
use crate::messages::Message;
use crate::settings::Settings;
use app::{BlankForm, Session};
use server::{Bound, ServeError};
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::future;
use std::io;
use std::mem;
use std::process;
use std::sync::Arc;
use std::time::Duration;
use store::{Decisions, ServerInfo};
use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub(super) fn run(context: &Context, input: &OsStr, flags: &SubmitFlags) -> Result<u8, Failure> {
    let project = context.project()?;
    let config = project.config()?.decide;
    let settings = Settings::resolve(flags, |name| env::var_os(name), &config, &project.config_file())?;
    let questions = input::questions(input)?;
    let decisions = project.decisions()?;
    let form = BlankForm::prepare(questions, context.language.page.unwrap_or_default());
    warn_of_other_server(context, &decisions);
    // From here on nothing is lost, whatever is killed.
    let pending = decisions.begin(form.questions())?;

    let bound = server::bind(&settings.host, settings.port)?;
    let link = if settings.url.is_empty() { bound.default_url() } else { settings.url.clone() };
    let info = ServerInfo {
        pid: process::id(),
        port: bound.port,
        url: link.clone(),
        started_at: store::now(),
        session_id: pending.session.clone(),
    };
    let presence = decisions.announce(&info)?;
    let (session, decided) = Session::new(project, decisions, pending.session, form, context.language.page);

    let runtime = runtime().map_err(|error| failed(&error))?;
    let outcome = runtime.block_on(async {
        let signals = Signals::listen().map_err(|error| failed(&error))?;
        let session = Arc::new(session);
        // The process ends with the session: taking a thousand items apart would only delay that.
        mem::forget(Arc::clone(&session));
        let server = Server::start(bound, session, settings.url);
        context.output.info(&Message::ServerStarted);
        context.output.info(&Message::OpenLink { url: link });
        context.output.info(&Message::Waiting);
        wait(server, decided, settings.timeout, signals).await
    });
    // Whatever still runs (half a request, an idle connection) has had its time.
    runtime.shutdown_background();
    drop(presence);

    let (message, code) = match outcome? {
        Outcome::Decided => {
            context.output.ok(&Message::Decided);
            return Ok(DONE);
        }
        Outcome::TimedOut => (Message::TimedOut, FAILED),
        Outcome::Interrupted(code) => (Message::Interrupted, code),
    };
    context.output.warning(&message);
    Ok(code)
}

/// Two servers of one project do not disturb each other, but only the later questions get a result.
fn warn_of_other_server(context: &Context, decisions: &Decisions) {
    // That the older one cannot be asked about is no reason not to start.
    if let Ok(Some(ServerInfo { pid, url, .. })) = decisions.live_server() {
        context.output.warning(&Message::OtherServer { pid, url });
    }
}

/// How waiting ended.
enum Outcome {
    Decided,
    TimedOut,
    /// By a signal, with its exit code.
    Interrupted(u8),
}

/// The server on its own task, and the means to stop it.
struct Server {
    task: JoinHandle<Result<(), ServeError>>,
    stop: oneshot::Sender<()>,
}

impl Server {
    fn start(bound: Bound, session: Arc<Session>, url: String) -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        let task = tokio::spawn(async move {
            let stopped = async {
                // A sender that is gone says the same.
                let _ = stopped.await;
            };
            server::serve(bound, session, &url, stopped).await
        });
        Self { task, stop }
    }
}

/// Waits for the answer, the end of the time or a signal, then for the server to say its farewells.
async fn wait(
    mut server: Server,
    mut decided: oneshot::Receiver<()>,
    timeout: Option<Duration>,
    mut signals: Signals,
) -> Result<Outcome, Failure> {
    let outcome = tokio::select! {
        biased;
        // Without a sender there can be no answer any more; the server's end says why.
        Ok(()) = &mut decided => Outcome::Decided,
        ended = &mut server.task => return Err(ended_early(ended)),
        code = signals.next() => Outcome::Interrupted(code),
        () = elapsed(timeout) => Outcome::TimedOut,
    };
    // The server may have ended by itself in this very moment.
    let _ = server.stop.send(());
    tokio::select! {
        ended = &mut server.task => {
            if let (Ok(Err(error)), false) = (&ended, matches!(outcome, Outcome::Decided)) {
                return Err(server_failed(error.to_string()));
            }
        }
        // Who asks twice does not want to wait for farewells.
        _ = signals.next() => {}
    }
    // An answer that was accepted during the farewells stands.
    Ok(if decided.try_recv().is_ok() { Outcome::Decided } else { outcome })
}

async fn elapsed(timeout: Option<Duration>) {
    match timeout {
        Some(timeout) => tokio::time::sleep(timeout).await,
        None => future::pending().await,
    }
}

/// The signals that end the program cleanly.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
    /// Not there when whoever started the program wants it to outlive its terminal (`nohup`).
    hangup: Option<Signal>,
}

impl Signals {
    fn listen() -> io::Result<Self> {
        let hangup = if ignored(SignalKind::hangup()) { None } else { Some(signal(SignalKind::hangup())?) };
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup,
        })
    }

    /// The exit code of the next one.
    async fn next(&mut self) -> u8 {
        let hangup = async {
            match &mut self.hangup {
                Some(signal) => signal.recv().await,
                None => future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => 130,
            _ = self.terminate.recv() => 143,
            _ = hangup => 129,
        }
    }
}

/// True when the process was started with this signal ignored, where the system tells.
fn ignored(kind: SignalKind) -> bool {
    let ignored = fs::read_to_string("/proc/self/status").ok().and_then(|status| {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    });
    let bit = u32::try_from(kind.as_raw_value() - 1).unwrap_or(u32::MAX);
    ignored.and_then(|mask| mask.checked_shr(bit)).is_some_and(|mask| mask & 1 == 1)
}

fn runtime() -> io::Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()
}

fn ended_early(ended: Result<Result<(), ServeError>, tokio::task::JoinError>) -> Failure {
    server_failed(match ended {
        Ok(Ok(())) => "stopped".to_owned(),
        Ok(Err(error)) => error.to_string(),
        Err(error) => error.to_string(),
    })
}

fn failed(error: &io::Error) -> Failure {
    server_failed(error.to_string())
}

fn server_failed(words: String) -> Failure {
    Failure::new(Message::ServerFailed { words }, Message::SubmitAgain)
}
