//! `aide decide submit`

mod announcer;
mod beside;
mod deadline;
mod help;
mod input;
mod waiting;

use self::announcer::{Announcer, print_server, warn_of_isolation};
use self::waiting::Waiting;
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::detach::{self, BackgroundServer};
use crate::failure::{FAILED, Failure};
use crate::host::Host;
use crate::known;
use crate::link::{self, LastLink};
use crate::messages::Message;
use crate::notify::{self, Notifier};
use crate::offer::Offer;
use crate::outcome;
use crate::question_server::told_end;
use crate::server_flags::ServerFlags;
use crate::trust;
use app::BlankForm;
use clap::ArgMatches;
use decide::{Outcome, WaitEnd};
use model::{Ask, Ending, Origin, Questions};
use serde_json::json;
use settings::{Config, EffectiveValue, ServerSettings, WhenToNotify};
use std::env;
use std::ffi::{OsStr, OsString};
use std::time::Instant;
use store::{AskOutcome, Decisions, PendingSet, Project, Scope, ServerInfo};

/// `aide decide submit`
pub(crate) static COMMAND: Command = Command { name: "submit", build, run };

const INPUT: &str = "INPUT";

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
    let request = Request::read(context, project, &input, flags)?;
    let Request { config, settings, notify_when, deadline, offer, questions } = request;
    let decisions = project.decisions()?;
    let form = BlankForm::prepare(questions, context.language.page.unwrap_or_default());
    let Some(queue) = is_queued(context, flags, &decisions, form.questions())? else { return Ok(FAILED) };
    // From here on nothing is lost, whatever is killed.
    let asked = ask(&decisions, form.questions(), deadline, queue)?;
    known::note(project.root());
    let is_again = matches!(asked, AskOutcome::Again(_));
    // Of questions that were open before, the person knows already.
    let arrives = !is_again || flags.notify.is_some();
    let notifier = arrives.then(|| Notifier::new(context, project, &config, notify_when));
    // Where the same were asked before, their page may be open where their server was.
    let was_served = is_again && decisions.last_server().is_some_and(is_own);
    let (pending, replaced) = match asked {
        AskOutcome::Replacing { pending, replaced } => (pending, Some(replaced)),
        AskOutcome::Anew(pending) | AskOutcome::Again(pending) => (pending, None),
    };
    let session = pending.session.clone();
    notify::prepare(project, &session, notify_when);
    let questions = form.questions().input();
    let announcer = Announcer {
        context,
        project,
        session: &session,
        task: questions.task.clone(),
        items: questions.items.len(),
        notifier,
        is_staying: !flags.detach,
        last: LastLink::default(),
    };
    trust::warn(context, project, settings.ignored);
    let settings = settings.value;
    print_replaced(context, replaced.as_ref());
    print_queue(context, &decisions, &pending)?;
    let wants_own = offer.is_refused();
    let offer = (!was_served).then_some(offer);
    if flags.detach {
        let offer = offer.as_ref().map(|offer| (offer, settings.timeout));
        let served =
            detach::serve(context, project, &decisions, &session, (&flags.server, wants_own), offer)?;
        return detached(&announcer, &decisions, &pending, replaced.as_ref(), served, flags.json);
    }
    let deadline = settings.timeout.map(|timeout| Instant::now() + timeout);
    let project = project.clone();
    let host = Host { project, decisions, pending, form, settings, beside_daemon: wants_own };
    let session = &session;
    let (attended, by_daemon, next) = (false, false, None);
    let waiting = Waiting { context, session, host, announcer, offer, deadline, attended, by_daemon, next };
    finish(waiting, queue)
}

/// What is asked, and how; all of it is known before anything is written.
struct Request {
    config: Config,
    settings: EffectiveValue<ServerSettings>,
    /// Whether to notify the user, if a flag or a variable says so.
    notify_when: Option<WhenToNotify>,
    deadline: Option<String>,
    offer: Offer,
    questions: Questions,
}

impl Request {
    /// Reads the settings and the questions, and warns of members without effect.
    fn read(context: &Context, project: &Project, input: &OsStr, flags: &Flags) -> Result<Self, Failure> {
        let layers = context.layers()?;
        let config = layers.config()?;
        let settings = trust::server_settings(project, layers, &flags.server)?;
        let notify_when = notify::when_requested(flags.notify.as_deref(), |name| env::var_os(name))?;
        let deadline = flags.deadline.as_deref().map(deadline::read).transpose()?;
        let offer = Offer::new(context, &flags.server, flags.no_daemon)?;
        offer.note_version(context);
        let questions = input::questions(input)?;
        input::warn_of_slips(context, &questions);
        if deadline.is_none() {
            input::warn_of_deadline(context, &questions);
        }
        Ok(Self { config, settings, notify_when, deadline, offer, questions })
    }
}

/// Whether `questions` are queued behind open ones, by the flag or by the user's choice; `None` if the user does not want to ask
/// them.
fn is_queued(
    context: &Context,
    flags: &Flags,
    decisions: &Decisions,
    questions: &Questions,
) -> Result<Option<bool>, Failure> {
    if flags.queue {
        return Ok(Some(true));
    }
    Ok(match beside::choose(context, decisions, questions)? {
        beside::Choice::Replace => Some(false),
        beside::Choice::Queue => Some(true),
        beside::Choice::Leave => {
            context.output.info(&Message::NothingAsked);
            None
        }
    })
}

fn ask(
    decisions: &Decisions,
    questions: &Questions,
    deadline: Option<String>,
    queue: bool,
) -> Result<AskOutcome, Failure> {
    let ask = Ask { questions, origin: Origin::Decide, deadline };
    Ok(if queue {
        // The same questions are the same set, as they are in the slot.
        decisions.put(ask, questions.fingerprint())?
    } else {
        decisions.ask(ask)?
    })
}

/// Waits for the end of the questions and reports it. Returns the exit code.
fn finish(mut waiting: Waiting<'_>, queue: bool) -> Result<u8, Failure> {
    let end = waiting.run()?;
    let Waiting { context, session, host, attended, by_daemon, next, .. } = waiting;
    let decisions = &host.decisions;
    if let Some(next) = next {
        detach::hand_over(context, &host.project, decisions, &next);
    }
    let is_decided = matches!(end, WaitEnd::Ended(Ending::Decided(_)));
    // The time that the daemon was told is that of this command.
    let attended = attended && !(by_daemon && matches!(end, WaitEnd::TimedOut));
    let code = told_end(context, decisions, session, end, attended);
    if queue && is_decided {
        // Without a name, `result` tells of what was submitted without `--queue`.
        context.output.notice(&Message::SeeResultOf { session: host.pending.session });
    }
    Ok(code)
}

/// Whether a server was that of those who asked, and no daemon.
fn is_own(server: ServerInfo) -> bool {
    server.scope != Scope::User
}

/// Warns that these questions have replaced open ones, if they have.
fn print_replaced(context: &Context, replaced: Option<&PendingSet>) {
    if let Some(PendingSet { session, task, .. }) = replaced {
        let what = Message::ReplacedOpen { session: session.clone(), task: task.clone() };
        context.output.warning_with(&what, &Message::SeeReplaced { session: session.clone() });
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

fn detached(
    announcer: &Announcer<'_>,
    decisions: &Decisions,
    pending: &PendingSet,
    replaced: Option<&PendingSet>,
    served: BackgroundServer,
    json: bool,
) -> Result<u8, Failure> {
    let context = announcer.context;
    let (server, is_new) = match served {
        BackgroundServer::Before(server) => (*server, false),
        BackgroundServer::Now(server) => (*server, true),
        BackgroundServer::Over => return over(context, decisions, pending, json),
        BackgroundServer::Failed(code) => return Ok(code),
    };
    let url = link::for_session(&server, &pending.session);
    if json {
        let mut started = json!({ "session_id": pending.session, "url": url, "pid": server.pid });
        if let Some(PendingSet { session, task, .. }) = replaced {
            started["replaced"] = json!({ "session_id": session, "task": task });
        }
        context.output.json(&started.to_string())?;
    } else {
        print_server(context, is_new);
        context.output.info(&Message::OpenLink { url });
        context.output.info(&Message::FetchLater { session: pending.session.clone() });
    }
    warn_of_isolation(context, &server);
    announcer.notify(&server);
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
