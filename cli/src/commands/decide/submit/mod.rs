//! `aide decide submit`

mod beside;
mod deadline;
mod help;
mod input;

use crate::attend;
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::daemon::Offer;
use crate::detach::{self, BackgroundServer};
use crate::failure::{FAILED, Failure, FailureKind};
use crate::host::{Host, HostOutcome};
use crate::known;
use crate::link::{self, LastLink, LinkChange};
use crate::messages::Message;
use crate::network;
use crate::notify::{self, Notifier, Question};
use crate::outcome;
use crate::question_server::{QuestionServer, server_of, told_end};
use crate::server_flags::ServerFlags;
use crate::trust;
use app::BlankForm;
use clap::ArgMatches;
use decide::{LOOK_INTERVAL, Outcome, WaitEnd};
use model::{Ask, Ending, Origin, SessionId};
use serde_json::json;
use server::BindError;
use std::env;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::process;
use std::thread;
use std::time::{Duration, Instant};
use store::{AskOutcome, Decisions, PendingSet, Scope, ServerInfo};

/// `aide decide submit`
pub(crate) static COMMAND: Command = Command { name: "submit", build, run };

const INPUT: &str = "INPUT";

/// How long a daemon may take to see questions that it was not told of.
const SHOWN_SOON: Duration = Duration::from_secs(6);

/// The flags, as given.
#[derive(Debug, Default, PartialEq, Eq)]
struct Flags {
    server: ServerFlags,
    notify: Option<OsString>,
    no_daemon: bool,
    queue: bool,
    deadline: Option<OsString>,
    detach: bool,
    json: bool,
}

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.positional(INPUT, words.input).required(true))
        .args(ServerFlags::arguments(layout))
        .arg(layout.flag("no-daemon", words.no_daemon))
        .arg(layout.value("notify", "HOW", words.notify))
        .arg(layout.flag("queue", words.queue))
        .arg(layout.value("deadline", "WHEN", words.deadline))
        .arg(layout.flag("detach", words.detach))
        .arg(layout.flag("json", words.detach_json).requires("detach"))
}

impl Flags {
    fn read(matches: &ArgMatches) -> Self {
        Self {
            server: ServerFlags::read(matches),
            no_daemon: is_set(matches, "no-daemon"),
            notify: text(matches, "notify"),
            queue: is_set(matches, "queue"),
            deadline: text(matches, "deadline"),
            detach: is_set(matches, "detach"),
            json: is_set(matches, "json"),
        }
    }
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let (input, flags) = (text(matches, INPUT).unwrap_or_default(), &Flags::read(matches));
    let project = context.project()?;
    let layers = context.layers()?;
    let config = layers.config()?;
    let settings = trust::server_settings(project, layers, &flags.server)?;
    let wish = notify::wish(flags.notify.as_deref(), |name| env::var_os(name))?;
    let deadline = flags.deadline.as_deref().map(deadline::read).transpose()?;
    let offer = Offer::new(context, &flags.server, flags.no_daemon)?;
    offer.note_version(context);
    let questions = input::questions(&input)?;
    input::warn_of_slips(context, &questions);
    if deadline.is_none() {
        input::warn_of_deadline(context, &questions);
    }
    let decisions = project.decisions()?;
    let form = BlankForm::prepare(questions, context.language.page.unwrap_or_default());
    let queue = flags.queue
        || match beside::choose(context, &decisions, form.questions())? {
            beside::Choice::Replace => false,
            beside::Choice::Queue => true,
            beside::Choice::Leave => {
                context.output.info(&Message::NothingAsked);
                return Ok(FAILED);
            }
        };
    // From here on nothing is lost, whatever is killed.
    let ask = Ask { questions: form.questions(), origin: Origin::Decide, deadline };
    let asked = if queue {
        // The same questions are the same set, as they are in the slot.
        decisions.put(ask, form.questions().fingerprint())?
    } else {
        decisions.ask(ask)?
    };
    known::note(project.root());
    // Of questions that were open before, the person knows already.
    let arrives = !matches!(asked, AskOutcome::Again(_)) || flags.notify.is_some();
    let notifier = arrives.then(|| Notifier::new(context, project, &config, wish));
    let questions = form.questions().input();
    let (task, items) = (questions.task.clone(), questions.items.len());
    // Where the same were asked before, their page may be open where their server was.
    let was_served = matches!(asked, AskOutcome::Again(_)) && decisions.last_server().is_some_and(is_own);
    let (pending, replaced) = match asked {
        AskOutcome::Replacing { pending, replaced } => (pending, Some(replaced)),
        AskOutcome::Anew(pending) | AskOutcome::Again(pending) => (pending, None),
    };
    let session = pending.session.clone();
    notify::prepare(project, &session, wish);
    let notify = |server: &ServerInfo| {
        if let Some(notifier) = &notifier {
            let question = Question { server, session: &session, task: &task, items };
            notifier.notify(context, &question);
            notifier.notify_terminal(context, project, &question, !flags.detach);
        }
    };
    trust::warn(context, project, settings.ignored);
    let settings = settings.value;
    if let Some(PendingSet { session, task, .. }) = &replaced {
        let what = Message::ReplacedOpen { session: session.clone(), task: task.clone() };
        context.output.warning_with(&what, &Message::SeeReplaced { session: session.clone() });
    }
    print_queue(context, &decisions, &pending)?;
    let wants_own = offer.is_refused();
    let mut offer = (!was_served).then_some(offer);
    if flags.detach {
        let offer = offer.as_ref().map(|offer| (offer, settings.timeout));
        let served =
            detach::serve(context, project, &decisions, &session, (&flags.server, wants_own), offer)?;
        return detached(context, &decisions, &pending, replaced.as_ref(), served, flags.json, notify);
    }
    let deadline = settings.timeout.map(|timeout| Instant::now() + timeout);
    let project = project.clone();
    let mut host = Host { project, decisions, pending, form, settings, beside_daemon: wants_own };
    let mut told = LastLink::default();
    let mut attended;
    let mut by_daemon = false;
    let mut next = None;
    let mut tell = |server: &ServerInfo| match told.news_of(server) {
        Some(LinkChange::First) => {
            print_waiting(context, server, &session);
            notify(server);
        }
        Some(LinkChange::Other) => {
            context.output.info(&Message::OpenLink { url: link::for_session(server, &session) })
        }
        None => {}
    };
    let end = loop {
        let served = server_of(&host.decisions, &session)?.unless_beside_daemon(host.beside_daemon);
        attended = matches!(served, QuestionServer::By(_));
        host.settings.timeout = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        match served {
            // The same questions are waiting already: one server is enough for both commands.
            QuestionServer::By(server) => {
                by_daemon = server.scope == Scope::User;
                // Its page says for how long they are waited for.
                if by_daemon
                    && host.settings.timeout.is_some()
                    && let Some(offer) = offer.take()
                {
                    offer.make(&host.project, &session, host.settings.timeout);
                }
                let ready = || tell(&server);
                let timeout = host.settings.timeout;
                match attend::attend(&host.decisions, &session, timeout, ready)? {
                    // It was killed. The page that is open will find this process in its place.
                    WaitEnd::Abandoned => {}
                    end => break end,
                }
            }
            // Once: who does not show them when asked does not when asked again.
            QuestionServer::Nobody
                if offer
                    .take()
                    .is_some_and(|offer| offer.make(&host.project, &session, host.settings.timeout)) => {}
            QuestionServer::Nobody => match host.run(context, &mut tell) {
                Ok(HostOutcome { end: WaitEnd::Elsewhere, .. }) => {}
                Ok(hosted) => {
                    next = hosted.next;
                    break hosted.end;
                }
                // A daemon that knows the project shows them.
                Err(failure) if is_forbidden(&failure) && is_shown_soon(&host.decisions, &session)? => {
                    host.beside_daemon = false;
                }
                Err(failure) => return Err(failure),
            },
            QuestionServer::Ended(ending) => break WaitEnd::Ended(ending),
        }
    };
    let decisions = &host.decisions;
    if let Some(next) = next {
        detach::hand_over(context, &host.project, decisions, &next);
    }
    let is_decided = matches!(end, WaitEnd::Ended(Ending::Decided(_)));
    // The time that the daemon was told is that of this command.
    let attended = attended && !(by_daemon && matches!(end, WaitEnd::TimedOut));
    let code = told_end(context, decisions, &session, end, attended);
    if queue && is_decided {
        // Without a name, `result` tells of what was submitted without `--queue`.
        context.output.notice(&Message::SeeResultOf { session });
    }
    Ok(code)
}

/// Whether a server was that of those who asked, and no daemon.
fn is_own(server: ServerInfo) -> bool {
    server.scope != Scope::User
}

/// Whether this program may not listen, as in a sandbox.
fn is_forbidden(failure: &Failure) -> bool {
    matches!(&failure.what, FailureKind::NotBound(BindError::Os { source, .. }) if source.kind() == ErrorKind::PermissionDenied)
}

/// Whether another process shows the questions `session` soon. Taking a lock sends no notification, so this polls.
fn is_shown_soon(decisions: &Decisions, session: &SessionId) -> Result<bool, Failure> {
    let deadline = Instant::now() + SHOWN_SOON;
    loop {
        match server_of(decisions, session)? {
            QuestionServer::Nobody if Instant::now() < deadline => thread::sleep(LOOK_INTERVAL),
            QuestionServer::Nobody => return Ok(false),
            QuestionServer::By(_) | QuestionServer::Ended(_) => return Ok(true),
        }
    }
}

/// Tells how many are open before these.
fn print_queue(context: &Context, decisions: &Decisions, pending: &PendingSet) -> Result<(), Failure> {
    let before = decisions.open_sets()?.iter().filter(|set| set.session < pending.session).count();
    if before > 0 {
        context.output.notice(&Message::Queued { count: before });
    }
    Ok(())
}

fn print_waiting(context: &Context, server: &ServerInfo, session: &SessionId) {
    print_server(context, server.pid == process::id());
    context.output.info(&Message::OpenLink { url: link::for_session(server, session) });
    context.output.info(&Message::Waiting);
    warn_of_isolation(context, server);
}

/// Tells whether the server was started for this command, or another process serves its questions.
fn print_server(context: &Context, is_new: bool) {
    context.output.info(if is_new { &Message::ServerStarted } else { &Message::ServerRuns });
}

/// Warns that a browser outside cannot reach `server`. A daemon is outside already: the user has started it.
fn warn_of_isolation(context: &Context, server: &ServerInfo) {
    if server.scope != Scope::User && network::is_isolated() {
        context.output.warning_with(&Message::Isolated, &Message::AnswerOutside);
    }
}

fn detached(
    context: &Context,
    decisions: &Decisions,
    pending: &PendingSet,
    replaced: Option<&PendingSet>,
    served: BackgroundServer,
    json: bool,
    notify: impl Fn(&ServerInfo),
) -> Result<u8, Failure> {
    let (server, is_new) = match served {
        BackgroundServer::Before(server) => (*server, false),
        BackgroundServer::Now(server) => (*server, true),
        BackgroundServer::Over => return over(context, decisions, pending, json),
        BackgroundServer::Failed(code) => return Ok(code),
    };
    let url = link::for_session(&server, &pending.session);
    if json {
        let mut told = json!({ "session_id": pending.session, "url": url, "pid": server.pid });
        if let Some(PendingSet { session, task, .. }) = replaced {
            told["replaced"] = json!({ "session_id": session, "task": task });
        }
        context.output.json(&told.to_string())?;
    } else {
        print_server(context, is_new);
        context.output.info(&Message::OpenLink { url });
        context.output.info(&Message::FetchLater { session: pending.session.clone() });
    }
    warn_of_isolation(context, &server);
    notify(&server);
    Ok(DONE)
}

/// Tells how questions ended before their page could be shown: the answers as `result` prints them, all else as a failure.
fn over(context: &Context, decisions: &Decisions, pending: &PendingSet, json: bool) -> Result<u8, Failure> {
    let session = &pending.session;
    match decide::record(decisions, session)?.map(|record| record.ending) {
        Some(ending @ Ending::Decided(_)) => {
            outcome::print(Outcome::Ended(ending), context, decisions, Some(session), json)
        }
        ending => {
            let ending = ending.unwrap_or(Ending::Replaced(None));
            Ok(told_end(context, decisions, session, WaitEnd::Ended(ending), false))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Flags, INPUT};
    use crate::command_line::layout::text;
    use crate::command_line::read;
    use crate::server_flags::ServerFlags;

    #[test]
    fn the_arguments_are_read() {
        for (words, input, port) in [
            (&["decide", "submit", "a.json"][..], "a.json", None),
            (&["decide", "submit", "-"], "-", None),
            (&["decide", "submit", "--port", "0", "{}"], "{}", Some("0")),
            (&["decide", "submit", "--port=-1", "--", "--x"], "--x", Some("-1")),
            (&["decide", "{}"], "{}", None),
            (&["decide", "--lang", "zh", " \n{}", "--port", "1"], " \n{}", Some("1")),
            (&["decide", "--port", "1", "\u{feff}{"], "\u{feff}{", Some("1")),
            (&["decide", "--", "{}"], "{}", None),
        ] {
            let matches = read(words).unwrap_or_else(|| panic!("{words:?}"));
            assert_eq!(text(&matches, INPUT), Some(input.into()), "{words:?}");
            let server = ServerFlags { port: port.map(Into::into), ..ServerFlags::default() };
            assert_eq!(Flags::read(&matches), Flags { server, ..Flags::default() }, "{words:?}");
        }
    }
}
