//! Starting and ending the daemon from another process.

use super::flags::{DaemonFlags, LANG_NOT_GIVEN};
use crate::context::Context;
use crate::failure::{FAILED, Failure, RemoteError, UNREACHABLE};
use crate::messages::{DaemonMessage, Message};
use crate::this_program;
use crate::user_daemon::Place;
use client::{Client, ClientError, DaemonRegistration, PROTOCOL};
use daemon::remove_pid_file;
use protocol::workflow::api::DaemonLoad;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// What the process in the background says once it is ready.
pub(crate) const READY: &str = "ready";
/// Tells the process that it is the one in the background.
pub(crate) const IN_BACKGROUND: (&str, &str) = ("FINGER_DAEMON", "1");
/// How long a daemon that has reported that it is ready, or that runs already, may take to answer, unless it answers nothing at
/// all ([`ClientError::Unresponsive`]).
const ANSWER: Duration = Duration::from_secs(10);
/// How long one that is only looked at may take.
const LOOK_LIMIT: Duration = Duration::from_secs(5);
/// How long a daemon may take to end by itself.
const GRACE: Duration = Duration::from_secs(5);
/// How long the system may take to end it.
const KILL: Duration = Duration::from_secs(5);
/// How often to check whether it has. Its end is the release of a lock, which sends no notification.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The result of starting a daemon.
pub(crate) enum LaunchOutcome {
    /// It runs, and answers.
    Now(DaemonRegistration),
    /// One has run before, and answers.
    Before(DaemonRegistration),
    /// It could not be started, and an error was printed; the exit code.
    Failed(u8),
}

/// The result of stopping a daemon.
pub(crate) enum StopOutcome {
    /// It has ended.
    Now,
    /// None has run, but what an earlier one has left is removed.
    Remains,
    /// None has run.
    Before,
}

/// Starts the daemon in the background unless it runs, and waits until it answers.
pub(crate) fn start(context: &Context, place: &Place, flags: &DaemonFlags) -> Result<LaunchOutcome, Failure> {
    if let Some(running) = answering(place)? {
        return Ok(LaunchOutcome::Before(running));
    }
    let mut command = Command::new(this_program::executable().map_err(|error| failed(&error))?);
    command.args(["daemon", "start", "--foreground"]);
    if flags.lang.is_none() {
        command.args(["--lang", context.language.setting()]).env(LANG_NOT_GIVEN.0, LANG_NOT_GIVEN.1);
    }
    // A daemon keeps no folder from being removed.
    command.args(flags.written()).current_dir("/").env(IN_BACKGROUND.0, IN_BACKGROUND.1);
    // Inherited, they would keep a reader of this command's output waiting for the end of the daemon.
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    this_program::keep_descriptors();
    let mut child = command.spawn().map_err(|error| failed(&error))?;
    let mut line = String::new();
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout).read_line(&mut line).map_err(|error| failed(&error))?;
    }
    if line.trim_end() == READY {
        let running = place.running()?.ok_or_else(ended_early)?;
        let is_ours = running.pid == child.id();
        let deadline = Instant::now() + ANSWER;
        loop {
            match await_answer(&running) {
                Ok(()) => break,
                // On a busy machine its first answer may take longer than that of a daemon which has answered before.
                Err(trouble) if is_silent(&trouble) && is_ours && Instant::now() < deadline => {}
                Err(trouble) => return Err(remote_failure(&running, trouble)),
            }
        }
        return Ok(if is_ours { LaunchOutcome::Now(running) } else { LaunchOutcome::Before(running) });
    }
    let Output { status, stderr, .. } = child.wait_with_output().map_err(|error| failed(&error))?;
    let errors = String::from_utf8_lossy(&stderr);
    if errors.is_empty() {
        return Err(failed(&status));
    }
    context.output.relay(&errors);
    let code = status.code().and_then(|code| u8::try_from(code).ok()).filter(|code| *code > 0);
    Ok(LaunchOutcome::Failed(code.unwrap_or(FAILED)))
}

/// Ends the daemon and waits until it has: by asking, and where that does not help, or `force` is wanted, without.
pub(crate) fn stop(place: &Place, force: bool) -> Result<StopOutcome, Failure> {
    let Some(dir) = place.open()? else { return Ok(StopOutcome::Before) };
    let Some(running) = DaemonRegistration::find(&dir)? else {
        return Ok(if remove_pid_file(&dir) { StopOutcome::Remains } else { StopOutcome::Before });
    };
    let ended_within = |limit: Duration| -> Result<bool, Failure> {
        let deadline = Instant::now() + limit;
        loop {
            // Another one that was started meanwhile is not this one.
            if DaemonRegistration::find(&dir)?.is_none_or(|found| found.pid != running.pid) {
                return Ok(true);
            }
            if Instant::now() >= deadline {
                return Ok(false);
            }
            thread::sleep(POLL_INTERVAL);
        }
    };
    if !force {
        send(&running, Signal::TERM)?;
        if ended_within(GRACE)? {
            return Ok(StopOutcome::Now);
        }
    }
    send(&running, Signal::KILL)?;
    if !ended_within(KILL)? {
        return Err(Failure::new(Message::daemon(DaemonMessage::DoesNotEnd { pid: running.pid }), None));
    }
    remove_pid_file(&dir);
    Ok(StopOutcome::Now)
}

fn send(running: &DaemonRegistration, signal: Signal) -> Result<(), Failure> {
    let pid = i32::try_from(running.pid).ok().and_then(Pid::from_raw).ok_or_else(ended_early)?;
    match kill_process(pid, signal) {
        // It has ended by itself.
        Ok(()) | Err(Errno::SRCH) => Ok(()),
        Err(error) => Err(failed(&std::io::Error::from(error))),
    }
}

/// Returns the daemon that already runs. One that was killed a moment ago does not answer, yet seems to run until the system has
/// released its lock. One that accepts the request and does not answer is not asked again.
pub(crate) fn answering(place: &Place) -> Result<Option<DaemonRegistration>, Failure> {
    let deadline = Instant::now() + ANSWER;
    loop {
        let Some(running) = place.running()? else { return Ok(None) };
        match await_answer(&running) {
            Ok(()) => return Ok(Some(running)),
            Err(trouble)
                if running.protocol != PROTOCOL || is_silent(&trouble) || Instant::now() >= deadline =>
            {
                return Err(remote_failure(&running, trouble));
            }
            Err(_) => thread::sleep(POLL_INTERVAL),
        }
    }
}

/// Waits until a daemon answers.
fn await_answer(running: &DaemonRegistration) -> Result<(), RemoteError> {
    ask(running, ANSWER, async |client| client.health().await).map(drop)
}

/// What a daemon says of itself.
pub(crate) struct DaemonReport {
    /// How much it has to do, which it says even while its journal is stuck; `None` from a daemon of an earlier version.
    pub(crate) load: Option<DaemonLoad>,
    /// Its modules.
    pub(crate) modules: Result<Value, Failure>,
}

/// Asks a daemon about itself.
///
/// # Errors
///
/// When it does not answer at all.
pub(crate) fn look(running: &DaemonRegistration) -> Result<DaemonReport, Failure> {
    let failed = |trouble| remote_failure(running, trouble);
    let health = ask(running, LOOK_LIMIT, async |client| client.health().await).map_err(failed)?;
    let load = health.get("load").and_then(|load| serde_json::from_value(load.clone()).ok());
    let modules = ask(running, LOOK_LIMIT, async |client| client.modules().await).map_err(failed);
    Ok(DaemonReport { load, modules })
}

fn ask(
    running: &DaemonRegistration,
    limit: Duration,
    question: impl AsyncFnOnce(Client) -> Result<Value, ClientError>,
) -> Result<Value, RemoteError> {
    if running.protocol != PROTOCOL {
        let version = running.version.clone();
        return Err(RemoteError::Here(Failure::new(
            Message::daemon(DaemonMessage::OtherVersion { version }),
            Message::daemon(DaemonMessage::Restart),
        )));
    }
    let address = running.address().map_err(Failure::from)?;
    let client = Client::new(address, Some(limit))?;
    let runtime = crate::host::thread_runtime().map_err(|error| failed(&error))?;
    Ok(runtime.block_on(question(client))?)
}

/// Whether the daemon answers nothing at all.
fn is_silent(trouble: &RemoteError) -> bool {
    matches!(trouble, RemoteError::Client(ClientError::Unresponsive { .. }))
}

/// Says what is wrong with the daemon, and what to do about it.
fn remote_failure(running: &DaemonRegistration, trouble: RemoteError) -> Failure {
    let pid = running.pid;
    match trouble {
        RemoteError::Client(ClientError::Unresponsive { .. }) => {
            let what = Message::daemon(DaemonMessage::DoesNotAnswer { pid });
            Failure::new(what, Message::daemon(DaemonMessage::EndStuck)).with_code(UNREACHABLE)
        }
        RemoteError::Client(error) => {
            Failure::from(error).with_hint(Message::daemon(DaemonMessage::SeeLogs { pid }))
        }
        RemoteError::Here(failure) => failure,
    }
}

fn ended_early() -> Failure {
    Failure::new(Message::daemon(DaemonMessage::EndedEarly), Message::daemon(DaemonMessage::SeeLog))
}

fn failed(error: &dyn std::fmt::Display) -> Failure {
    Failure::new(Message::ServerFailed { words: error.to_string() }, None)
}
