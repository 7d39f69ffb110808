//! `aide decide submit`

use crate::args::SubmitFlags;
use crate::attend;
use crate::context::{Context, DONE};
use crate::detach::{self, Started};
use crate::failure::{FAILED, Failure};
use crate::host::Host;
use crate::input;
use crate::link::{self, News, Told};
use crate::messages::Message;
use crate::notify::{self, Notifier, Question};
use crate::outcome;
use crate::trust;
use app::BlankForm;
use decide::End;
use model::{Ending, SessionId};
use serde_json::json;
use std::env;
use std::ffi::OsStr;
use std::thread;
use std::time::{Duration, Instant};
use store::{Asked, Decisions, Pending, Project, ServerInfo};

/// How long the server of replaced questions may take to notice, and to end.
const HANDOVER: Duration = Duration::from_secs(5);
/// How often to look whether it has.
const HANDOVER_LOOK: Duration = Duration::from_millis(10);

pub(super) fn run(context: &Context, input: &OsStr, flags: &SubmitFlags) -> Result<u8, Failure> {
    let project = context.project()?;
    let layers = context.layers()?;
    let config = layers.config()?;
    let settings = trust::server_settings(project, layers, flags)?;
    let wish = notify::wish(flags.notify.as_deref(), |name| env::var_os(name))?;
    let questions = input::questions(input)?;
    input::warn_of_slips(context, &questions);
    let decisions = project.decisions()?;
    let form = BlankForm::prepare(questions, context.language.page.unwrap_or_default());
    // From here on nothing is lost, whatever is killed.
    let asked = decisions.ask(form.questions())?;
    // Of questions that were open before, the person knows already.
    let arrives = !matches!(asked, Asked::Again(_)) || flags.notify.is_some();
    let notifier = arrives.then(|| Notifier::new(context, project, &config, wish));
    let questions = form.questions().input();
    let (task, items) = (questions.task.clone(), questions.items.len());
    let notify = |server: &ServerInfo| {
        if let Some(notifier) = &notifier {
            notifier.tell(context, &Question { server, task: &task, items });
        }
    };
    let (pending, replaced) = match asked {
        Asked::Replacing { pending, replaced } => (pending, Some(replaced)),
        Asked::Anew(pending) | Asked::Again(pending) => (pending, None),
    };
    trust::warn(context, project, settings.ignored);
    let settings = settings.value;
    if let Some(Pending { session, task, .. }) = &replaced {
        let what = Message::ReplacedOpen { session: session.clone(), task: task.clone() };
        context.output.warning_with(&what, &Message::SeeReplaced { session: session.clone() });
    }
    if flags.detach {
        return detached(context, project, &decisions, &pending, replaced.as_ref(), flags, notify);
    }
    let deadline = settings.timeout.map(|timeout| Instant::now() + timeout);
    let project = project.clone();
    let mut host = Host { project, decisions, pending, form, settings };
    let mut told = Told::default();
    let mut attended;
    let mut tell = |server: &ServerInfo| match told.news_of(server) {
        Some(News::First) => {
            tell_waiting(context, server);
            notify(server);
        }
        Some(News::Other) => context.output.info(&Message::OpenLink { url: link::of(server) }),
        None => {}
    };
    let end = loop {
        let served = server_of(&host.decisions, &host.pending.session)?;
        attended = matches!(served, Served::By(_));
        host.settings.timeout = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        match served {
            // The same questions are waiting already: one server is enough for both commands.
            Served::By(server) => {
                let ready = || tell(&server);
                let timeout = host.settings.timeout;
                match attend::attend(&host.decisions, &host.pending.session, timeout, ready)? {
                    // It was killed. The page that is open will find this process in its place.
                    End::Abandoned => {}
                    end => break end,
                }
            }
            Served::Nobody => match host.run(context, &mut tell)? {
                End::Elsewhere => {}
                end => break end,
            },
            Served::Replaced => break replaced_end(),
        }
    };
    Ok(told_end(context, &host.decisions, &host.pending.session, end, attended))
}

fn tell_waiting(context: &Context, server: &ServerInfo) {
    context.output.info(&Message::ServerStarted);
    context.output.info(&Message::OpenLink { url: link::of(server) });
    context.output.info(&Message::Waiting);
}

/// `attended` when the server is another process, which goes on.
fn told_end(context: &Context, decisions: &Decisions, session: &SessionId, end: End, attended: bool) -> u8 {
    let (message, hint, code) = match end {
        End::Ended(Ending::Decided(_)) => {
            context.output.ok(&Message::Decided);
            return DONE;
        }
        End::Ended(Ending::Returned(returned)) => {
            (Message::WasReturned { message: returned.message }, None, FAILED)
        }
        End::Ended(Ending::Cancelled) => (Message::WasCancelled, None, FAILED),
        End::Ended(Ending::Replaced(_)) => {
            let by = decide::replacement(decisions, session);
            // Without others in their place they were removed, by whomever.
            let hint = by.as_ref().map(|_| Message::AskAgainLater);
            (Message::WasReplaced { by }, hint, FAILED)
        }
        End::TimedOut | End::Elsewhere | End::Abandoned if attended => {
            (Message::StoppedWaiting, None, FAILED)
        }
        End::TimedOut | End::Elsewhere | End::Abandoned => {
            (Message::TimedOut, Some(Message::GoOnWaiting { session: session.clone() }), FAILED)
        }
        End::Interrupted(code) if attended => (Message::StoppedWaiting, None, code),
        End::Interrupted(code) => {
            (Message::Interrupted, Some(Message::GoOnWaiting { session: session.clone() }), code)
        }
    };
    match hint {
        Some(hint) => context.output.warning_with(&message, &hint),
        None => context.output.warning(&message),
    }
    code
}

/// Others are in their place, or they were taken away.
fn replaced_end() -> End {
    End::Ended(Ending::Replaced(None))
}

/// Who serves a set of questions.
enum Served {
    By(ServerInfo),
    Nobody,
    /// Others were asked in its place, and these are served.
    Replaced,
}

/// Who serves the questions `session`. A server of earlier ones has been told by their being replaced, and is waited for.
fn server_of(decisions: &Decisions, session: &SessionId) -> Result<Served, Failure> {
    let deadline = Instant::now() + HANDOVER;
    loop {
        let Some(server) = decisions.live_server()? else { return Ok(Served::Nobody) };
        if server.session_id == *session {
            return Ok(Served::By(server));
        }
        if decide::pending(decisions)?.is_none_or(|pending| pending.session != *session) {
            return Ok(Served::Replaced);
        }
        if Instant::now() >= deadline {
            let ServerInfo { pid, url, .. } = server;
            return Err(Failure::new(Message::ServerStuck { pid, url }, Message::EndProcess));
        }
        thread::sleep(HANDOVER_LOOK);
    }
}

fn detached(
    context: &Context,
    project: &Project,
    decisions: &Decisions,
    pending: &Pending,
    replaced: Option<&Pending>,
    flags: &SubmitFlags,
    notify: impl Fn(&ServerInfo),
) -> Result<u8, Failure> {
    let server = match server_of(decisions, &pending.session)? {
        Served::By(server) => server,
        Served::Nobody => match detach::start(context, project, decisions, &pending.session, flags)? {
            Started::Serves(server) => server,
            Started::Over => {
                let session = &pending.session;
                let outcome = decide::outcome(decisions, session)?;
                return outcome::tell(outcome, context, decisions, Some(session), flags.json);
            }
            Started::Failed(code) => return Ok(code),
        },
        Served::Replaced => return Ok(told_end(context, decisions, &pending.session, replaced_end(), false)),
    };
    if flags.json {
        let mut told =
            json!({ "session_id": server.session_id, "url": link::of(&server), "pid": server.pid });
        if let Some(Pending { session, task, .. }) = replaced {
            told["replaced"] = json!({ "session_id": session, "task": task });
        }
        context.output.json(&told.to_string())?;
    } else {
        context.output.info(&Message::ServerStarted);
        context.output.info(&Message::OpenLink { url: link::of(&server) });
        context.output.info(&Message::FetchLater { session: server.session_id.clone() });
    }
    notify(&server);
    Ok(DONE)
}

/// `aide decide serve`: the server of the questions `session`, as a process of its own. Not meant to be called by hand.
pub(super) fn serve(context: &Context, session: &OsStr, flags: &SubmitFlags) -> Result<u8, Failure> {
    // Away from the terminal it was started in, so that neither its end nor its Ctrl-C is this process's. The leader of a
    // group cannot leave it; then it is on its own already.
    let _ = rustix::process::setsid();
    let project = context.project()?.clone();
    // Whoever called has warned.
    let settings = trust::server_settings(&project, context.layers()?, flags)?.value;
    let decisions = project.decisions()?;
    let session = outcome::session(&decisions, Some(session))?;
    let found = decisions.pending_questions()?.filter(|(pending, _)| pending.session == session);
    let Some((pending, questions)) = found else {
        return Ok(told_end(context, &decisions, &session, replaced_end(), false));
    };
    let form = BlankForm::prepare(questions, context.language.page.unwrap_or_default());
    let host = Host { project, decisions, pending, form, settings };
    loop {
        let end = match server_of(&host.decisions, &session)? {
            Served::By(_) => {
                // Whoever asked for a server has one.
                detach::is_served(context);
                return Ok(DONE);
            }
            Served::Nobody => host
                .run(context, |_| detach::ready(context, &host.decisions))
                .inspect_err(|failure| detach::not_served(context, failure))?,
            Served::Replaced => replaced_end(),
        };
        match end {
            End::Elsewhere => {}
            // Nobody may read any more what is said of this end; the record says it to all.
            End::Ended(ending) if !matches!(ending, Ending::Replaced(_)) => return Ok(DONE),
            end => return Ok(told_end(context, &host.decisions, &session, end, false)),
        }
    }
}
