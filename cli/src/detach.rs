//! Background server: a process of this same program that outlives the process that started it.

use crate::context::Context;
use crate::failure::{FAILED, Failure, FailureKind};
use crate::messages::Message;
use crate::offer::Offer;
use crate::question_server::{QuestionServer, server_of};
use crate::server_flags::ServerFlags;
use crate::{this_program, trust};
use model::SessionId;
use server::BindError;
use std::io::{self, BufRead, BufReader};
use std::process::{ChildStdin, Command, Output, Stdio};
use std::thread;
use std::time::Duration;
use store::{Decisions, Project, Scope, ServerInfo};

/// What the process in the background says once its page can be fetched; behind it what it says of itself, where it serves beside
/// the daemon and others do not know it.
const READY: &str = "ready";
/// Tells the process in the background to serve also where the user's daemon does.
pub(crate) const BESIDE_DAEMON: &str = "beside-daemon";
const BESIDE_DAEMON_FLAG: &str = "--beside-daemon";
/// What it says when the address or the ports cannot be had.
const NO_ADDRESS: &str = "no address";

/// What has become of a process in the background.
pub(crate) enum StartOutcome {
    Serves(Box<ServerInfo>),
    /// The questions were answered, closed or replaced within this moment.
    Over,
    /// It could not serve, which was told, with this exit code.
    Failed(u8),
}

/// What has become of one attempt to start it.
enum StartAttempt {
    /// It has run, and whatever is wrong was told.
    Done(StartOutcome),
    /// The address or the ports cannot be had; the errors of the process in the background, and its exit code.
    NoAddress { errors: String, code: u8 },
}

/// Who serves questions in the background.
pub(crate) enum BackgroundServer {
    /// A server that was there.
    Before(Box<ServerInfo>),
    /// One that was started for them.
    Now(Box<ServerInfo>),
    /// The questions have ended.
    Over,
    /// It could not serve, which was told, with this exit code.
    Failed(u8),
}

/// Has the questions `session` served in the background: by the process that serves them, by the person's daemon where `offer` is one
/// for so long, or by a new process, which serves beside the daemon if `beside_daemon`.
pub(crate) fn serve(
    context: &Context,
    project: &Project,
    decisions: &Decisions,
    session: &SessionId,
    (flags, beside_daemon): (&ServerFlags, bool),
    offer: Option<(&Offer, Option<Duration>)>,
) -> Result<BackgroundServer, Failure> {
    let mut served = server_of(decisions, session)?.unless_beside_daemon(beside_daemon);
    if let (Some((offer, wait)), QuestionServer::Missing) = (offer, &served)
        && offer.make(project, session, wait)
    {
        served = server_of(decisions, session)?;
    }
    Ok(match served {
        QuestionServer::By(server) => BackgroundServer::Before(Box::new(server)),
        QuestionServer::Ended(_) => BackgroundServer::Over,
        QuestionServer::Missing => {
            match start(context, project, decisions, session, (flags, beside_daemon))? {
                StartOutcome::Serves(server) => BackgroundServer::Now(server),
                StartOutcome::Over => BackgroundServer::Over,
                StartOutcome::Failed(code) => BackgroundServer::Failed(code),
            }
        }
    })
}

/// Starts `aide decide serve` for the questions `session` and waits until the page can be fetched.
///
/// Until then its errors are this command's: they are printed, and its exit code is the result. What it has to say
/// later goes to `decisions/server.log`, see [`ready`].
pub(crate) fn start(
    context: &Context,
    project: &Project,
    decisions: &Decisions,
    session: &SessionId,
    flags: (&ServerFlags, bool),
) -> Result<StartOutcome, Failure> {
    Ok(match try_start(context, project, decisions, session, flags)? {
        StartAttempt::Done(started) => started,
        StartAttempt::NoAddress { errors, code } => {
            context.output.relay(&errors);
            StartOutcome::Failed(code)
        }
    })
}

fn try_start(
    context: &Context,
    project: &Project,
    decisions: &Decisions,
    session: &SessionId,
    (flags, beside_daemon): (&ServerFlags, bool),
) -> Result<StartAttempt, Failure> {
    let mut command = Command::new(this_program::executable().map_err(|error| failed(&error))?);
    command.args(["decide", "serve", &session.to_string(), "--lang", context.language.setting()]);
    command
        .args(beside_daemon.then_some(BESIDE_DAEMON_FLAG))
        .args(flags.written())
        .current_dir(project.root());
    // Inherited, they would keep a reader of this command's output waiting for the end of the server.
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    this_program::keep_descriptors();
    let mut child = command.spawn().map_err(|error| failed(&error))?;
    let mut line = String::new();
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout).read_line(&mut line).map_err(|error| failed(&error))?;
    }
    if let Some(rest) = line.trim_end().strip_prefix(READY) {
        let server = match rest.trim_start() {
            "" => served_by(decisions, session)?,
            info => Some(serde_json::from_str(info).map_err(|error| failed(&error.into()))?),
        };
        // It may end before this process does, and must be reaped. If no thread can be started, it is not.
        let _ = thread::Builder::new().spawn(move || child.wait());
        return Ok(StartAttempt::Done(
            server.map_or(StartOutcome::Over, |server| StartOutcome::Serves(Box::new(server))),
        ));
    }
    let Output { status, stderr, .. } = child.wait_with_output().map_err(|error| failed(&error))?;
    // It serves nothing that has ended, and need not say so. The person may have answered since it was started.
    if has_ended(decisions, session)? {
        return Ok(StartAttempt::Done(StartOutcome::Over));
    }
    let errors = String::from_utf8_lossy(&stderr);
    if errors.is_empty() {
        return Err(Failure::new(Message::ServerFailed { words: status.to_string() }, Message::SubmitAgain));
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok()).filter(|code| *code > 0);
    let code = code.unwrap_or(FAILED);
    if line.trim_end() == NO_ADDRESS {
        return Ok(StartAttempt::NoAddress { errors: errors.into_owned(), code });
    }
    context.output.relay(&errors);
    Ok(StartAttempt::Done(StartOutcome::Failed(code)))
}

/// Whether the questions `session` have ended, or are gone.
fn has_ended(decisions: &Decisions, session: &SessionId) -> Result<bool, Failure> {
    Ok(decide::record(decisions, session)?.is_some() || !decide::is_there(decisions, session)?)
}

/// Who serves the questions `session` now.
pub(crate) fn served_by(decisions: &Decisions, session: &SessionId) -> Result<Option<ServerInfo>, Failure> {
    let server = decisions.live_server()?;
    Ok(server.filter(|server| decide::serves(decisions, server, session)))
}

/// In the background process: reports that its page can be fetched. From here on no process reads its output: errors go
/// to `decisions/server.log`. Only the serving process opens it, so starting another one loses no messages.
pub(crate) fn ready(context: &Context, decisions: &Decisions, beside_daemon: Option<&ServerInfo>) {
    // Without a log it has nowhere to say that there is none.
    if let Ok(log) = decisions.new_server_log() {
        let _ = rustix::stdio::dup2_stderr(log);
    }
    match beside_daemon.and_then(|info| serde_json::to_string(info).ok()) {
        Some(info) => context.output.line(&format!("{READY} {info}")),
        None => is_served(context),
    }
}

/// Says, in the process in the background, that the page can be fetched, be it its own or another one's.
pub(crate) fn is_served(context: &Context) {
    context.output.line(READY);
}

/// Says, in the process in the background, why it will not serve, when another address may help.
pub(crate) fn not_served(context: &Context, failure: &Failure) {
    if matches!(failure.what, FailureKind::NotBound(BindError::Busy { .. } | BindError::Os { .. })) {
        context.output.line(NO_ADDRESS);
    }
}

/// Restarts the server of the questions `session`, which ended before them, as it was: a page that is still open looks
/// for it at the old address. It only has to be there for as long as the questions can be answered, so if the old
/// address is gone, it is started as it is configured now.
///
/// If they had no server, or the daemon's, the user's daemon is asked first.
pub(crate) fn bring_back(
    context: &Context,
    project: &Project,
    decisions: &Decisions,
    session: &SessionId,
) -> Result<StartOutcome, Failure> {
    let before = decisions.last_server().filter(|server| server.scope != Scope::User);
    if before.is_none()
        && Offer::new(context, &ServerFlags::default(), false)?.make(project, session, None)
        && let Some(server) = served_by(decisions, session)?
    {
        return Ok(StartOutcome::Serves(Box::new(server)));
    }
    let flags = || ServerFlags { timeout: Some("0".into()), ..ServerFlags::default() };
    if let Some(last) = before {
        let before = trust::as_before(project, &last, flags());
        // If the previous settings fail, no error is shown: the user cannot change them. Errors in the configuration are shown
        // below.
        if let StartAttempt::Done(started) =
            try_start(context, project, decisions, session, (&before, false))?
        {
            return Ok(started);
        }
    }
    start(context, project, decisions, session, (&flags(), false))
}

/// Starts a server for the questions `session`, which are open beside others that have just ended here, and does not wait for it:
/// a page leads on to them. If it does not start, the waiter for these questions starts one, or the user does.
pub(crate) fn hand_over(context: &Context, project: &Project, decisions: &Decisions, session: &SessionId) {
    let flags = ServerFlags { timeout: Some("0".into()), ..ServerFlags::default() };
    let flags = match decisions.last_server().filter(|last| last.scope != Scope::User) {
        Some(last) => trust::as_before(project, &last, flags),
        None => flags,
    };
    let Ok(program) = this_program::executable() else { return };
    let mut command = Command::new(program);
    command.args(["decide", "serve", &session.to_string(), "--lang", context.language.setting()]);
    command.args(flags.written()).current_dir(project.root());
    this_program::keep_descriptors();
    let _ = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}

/// Starts a process of this program that reads what this one writes, and outlives it.
pub(crate) fn listen(project: &Project, arguments: &[&str]) -> io::Result<ChildStdin> {
    let mut command = Command::new(this_program::executable()?);
    command.args(arguments).current_dir(project.root());
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    this_program::keep_descriptors();
    command.spawn()?.stdin.take().ok_or_else(|| io::ErrorKind::BrokenPipe.into())
}

fn failed(error: &io::Error) -> Failure {
    Failure::new(Message::ServerFailed { words: error.to_string() }, Message::SubmitAgain)
}
