//! `aide decide submit`

use super::{Context, DONE};
use crate::args::SubmitFlags;
use crate::attend::{self, Attended};
use crate::detach;
use crate::failure::{FAILED, Failure};
use crate::host::{End, Host};
use crate::input;
use crate::messages::Message;
use crate::settings::Settings;
use app::BlankForm;
use model::Ending;
use serde_json::json;
use std::env;
use std::ffi::OsStr;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use store::{Decisions, Pending, Project, ServerInfo};

/// How long the server of replaced questions may take to notice, and to end.
const HANDOVER: Duration = Duration::from_secs(5);
/// How often to look whether it has.
const HANDOVER_LOOK: Duration = Duration::from_millis(10);

pub(super) fn run(context: &Context, input: &OsStr, flags: &SubmitFlags) -> Result<u8, Failure> {
    let project = context.project()?;
    let config = project.config()?.decide;
    let settings = Settings::resolve(flags, |name| env::var_os(name), &config, &project.config_file())?;
    let questions = input::questions(input)?;
    let decisions = project.decisions()?;
    let form = BlankForm::prepare(questions, context.language.page.unwrap_or_default());
    // From here on nothing is lost, whatever is killed.
    let pending = decisions.ask(form.questions())?.pending();
    if flags.detach {
        return detached(context, &project, &decisions, &pending, flags);
    }
    let host = Host { project, decisions, pending, form, settings };
    let mut told = false;
    let mut tell = |server: &ServerInfo| {
        if !told {
            told = true;
            tell_waiting(context, server);
        }
    };
    let end = loop {
        match server_of(&host.decisions, &host.pending)? {
            // The same questions are waiting already: one server is enough for both commands.
            Some(server) => {
                tell(&server);
                let watch = host.decisions.watch(host.pending.session.clone());
                match attend::attend(&host.decisions, watch, host.settings.timeout)? {
                    Attended::End(end) => break end,
                    // It was killed. The page that is open will find this process in its place.
                    Attended::Abandoned => {}
                }
            }
            None => match host.run(context, &mut tell)? {
                End::Elsewhere => {}
                end => break end,
            },
        }
    };
    Ok(told_end(context, end))
}

fn tell_waiting(context: &Context, server: &ServerInfo) {
    context.output.info(&Message::ServerStarted);
    context.output.info(&Message::OpenLink { url: server.url.clone() });
    context.output.info(&Message::Waiting);
}

fn told_end(context: &Context, end: End) -> u8 {
    let (message, code) = match end {
        End::Ended(Ending::Decided(_)) => {
            context.output.ok(&Message::Decided);
            return DONE;
        }
        End::Ended(Ending::Returned(returned)) => {
            (Message::WasReturned { message: returned.message }, FAILED)
        }
        End::Ended(Ending::Cancelled) => (Message::WasCancelled, FAILED),
        End::Replaced => (Message::WasReplaced, FAILED),
        End::TimedOut | End::Elsewhere => (Message::TimedOut, FAILED),
        End::Interrupted(code) => (Message::Interrupted, code),
    };
    context.output.warning(&message);
    code
}

/// The server that serves these questions, if one does. One that serves others has been told by their being replaced,
/// and is waited for.
fn server_of(decisions: &Decisions, pending: &Pending) -> Result<Option<ServerInfo>, Failure> {
    let deadline = Instant::now() + HANDOVER;
    loop {
        match decisions.live_server()? {
            Some(ServerInfo { pid, url, session_id, .. }) if session_id != pending.session => {
                if Instant::now() >= deadline {
                    return Err(Failure::new(Message::ServerStuck { pid, url }, Message::EndProcess));
                }
                thread::sleep(HANDOVER_LOOK);
            }
            server => return Ok(server),
        }
    }
}

fn detached(
    context: &Context,
    project: &Project,
    decisions: &Decisions,
    pending: &Pending,
    flags: &SubmitFlags,
) -> Result<u8, Failure> {
    let server = match server_of(decisions, pending)? {
        Some(server) => server,
        None => match detach::start(context, project, decisions, flags)? {
            Ok(server) => server,
            Err(code) => return Ok(code),
        },
    };
    if flags.json {
        let told = json!({ "session_id": server.session_id, "url": server.url, "pid": server.pid });
        context.output.json(&told.to_string())?;
    } else {
        context.output.info(&Message::ServerStarted);
        context.output.info(&Message::OpenLink { url: server.url });
        context.output.info(&Message::FetchLater);
    }
    Ok(DONE)
}

/// `aide decide serve`: the server of the pending questions, as a process of its own. Not meant to be called by hand.
pub(super) fn serve(context: &Context, flags: &SubmitFlags) -> Result<u8, Failure> {
    // Away from the terminal it was started in, so that neither its end nor its Ctrl-C is this process's. The leader of a
    // group cannot leave it; then it is on its own already.
    let _ = rustix::process::setsid();
    let project = context.project()?;
    let config = project.config()?.decide;
    let settings = Settings::resolve(flags, |name| env::var_os(name), &config, &project.config_file())?;
    let decisions = project.decisions()?;
    let Some((pending, questions)) = decisions.pending_questions()? else {
        return Err(Failure::new(Message::NoPending, Message::SubmitFirst));
    };
    let form = BlankForm::prepare(questions, context.language.page.unwrap_or_default());
    let host = Host { project, decisions, pending, form: Arc::clone(&form), settings };
    let ready = |_: &ServerInfo| context.output.line(detach::READY);
    match host.run(context, ready)? {
        End::Elsewhere => {
            // Whoever asked for a server has one.
            context.output.line(detach::READY);
            Ok(DONE)
        }
        End::TimedOut => {
            context.output.warning(&Message::TimedOut);
            Ok(FAILED)
        }
        End::Interrupted(code) => Ok(code),
        End::Ended(_) | End::Replaced => Ok(DONE),
    }
}
