//! `aide decide open`

mod all;
mod help;
mod phone;

use crate::browser::{self, Plan};
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::detach::{self, StartOutcome};
use crate::failure::{FAILED, Failure};
use crate::link;
use crate::messages::Message;
use crate::network;
use crate::offer::Offer;
use crate::opener;
use crate::outcome;
use crate::qr;
use crate::server_flags::ServerFlags;
use clap::ArgMatches;
use decide::{DecideError, Outcome};
use model::SessionId;
use settings::forms::is_loopback;
use std::env;
use std::ffi::{OsStr, OsString};
use store::{Decisions, Project, ServerInfo};

/// `aide decide open`
pub(crate) static COMMAND: Command = Command { name: "open", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.flag("all", words.all))
        .arg(layout.flag("link", words.link))
        .arg(layout.flag("qr", words.qr))
        .arg(layout.flag("phone", words.phone).conflicts_with("link"))
        .arg(layout.value("host", "ADDRESS", words.host).requires("phone"))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    // Then nothing is started: a link is printed that lets another person in as well.
    context.warn_of_slips();
    let only_link = is_set(matches, "link");
    let has_qr = is_set(matches, "qr");
    let phone = is_set(matches, "phone").then(|| text(matches, "host"));
    if is_set(matches, "all") {
        return all::open(context, only_link, has_qr, phone);
    }
    let project = context.project()?;
    let decisions = project.decisions()?;
    let session = match decide::to_answer(&decisions, None) {
        Err(DecideError::NothingAsked) => return Err(outcome::none_open(&decisions)),
        session => session?,
    };
    match decide::outcome(&decisions, &session)? {
        Outcome::Pending { .. } | Outcome::Unserved { .. } => {}
        // There is no page any more; the result says how it ended.
        _ => return Err(nothing_open()),
    }
    let server = match decisions.live_server()? {
        Some(server) if decide::serves(&decisions, &server, &session) => server,
        _ => match detach::bring_back(context, project, &decisions, &session)? {
            StartOutcome::Serves(server) => *server,
            StartOutcome::Over => return Err(nothing_open()),
            StartOutcome::Failed(code) => return Ok(code),
        },
    };
    if let Some(host) = phone {
        return phone::serve(context, vec![(project.clone(), decisions)], host);
    }
    if !network::can_reach(&server) {
        return elsewhere(context, project, &session, server);
    }
    if only_link || has_qr {
        let url = if only_link { link::login(&server) } else { link::for_session(&server, &session) };
        let code = print_link(context, &url, has_qr)?;
        if has_qr {
            hint_at_phone(context, &url);
        }
        return Ok(code);
    }
    // Also when a browser shows it: the person may want another one.
    context.output.info(&Message::OpenLink { url: link::for_session(&server, &session) });
    show(context, &decisions, &server, &server.link_to(&session))
}

/// Has a browser show `page` of `server`, where there is one; the exit code. Its link was told before.
pub(crate) fn show(
    context: &Context,
    decisions: &Decisions,
    server: &ServerInfo,
    page: &str,
) -> Result<u8, Failure> {
    // A ticket of its own: the browser uses it up.
    let shown = if link::needs_login(server) { opener::url(decisions) } else { page.to_owned() };
    let variable = |name: &str| env::var_os(name);
    match browser::plan(&shown, server.port, variable) {
        // The link leads to this machine as it is, or by a way known to the user who configured it.
        Plan::Forward { .. } if !is_loopback(&server.bind) || !server.configured_url.is_empty() => Ok(DONE),
        Plan::Start(commands) => match start(decisions, server, &commands)? {
            Some(program) => {
                let program = program.to_string_lossy().into_owned();
                context.output.info(&Message::BrowserStarted { program });
                Ok(DONE)
            }
            None => {
                context.output.warning(&Message::NoBrowser);
                Ok(FAILED)
            }
        },
        Plan::Forward { command } => {
            context.output.info(&Message::ForwardPort { command });
            Ok(DONE)
        }
        Plan::Nothing => {
            context.output.warning(&Message::NoBrowser);
            Ok(FAILED)
        }
    }
}

/// Tells where else the questions of a server that cannot be reached are shown: on the pages of the person's daemon, which knows
/// the project from then on.
fn elsewhere(
    context: &Context,
    project: &Project,
    session: &SessionId,
    server: ServerInfo,
) -> Result<u8, Failure> {
    let out_of_reach = Message::OutOfReach { url: server.url };
    let Some(pages) = Offer::new(context, &ServerFlags::default(), false)?.pages(project, session) else {
        return Err(Failure::new(out_of_reach, Message::AnswerInTerminal { session: session.clone() }));
    };
    context.output.warning(&out_of_reach);
    context.output.info(&Message::OpenLink { url: pages });
    Ok(DONE)
}

/// A camera reads a link to this machine as well, and leads nowhere.
fn hint_at_phone(context: &Context, url: &str) {
    let host = url.split_once("://").map_or(url, |(_, rest)| rest);
    if ["localhost", "127.", "[::1]"].iter().any(|local| host.starts_with(local)) {
        context.output.notice(&Message::AddPhone);
    }
}

/// Prints a link, `has_qr` also as a QR code, and starts no browser.
fn print_link(context: &Context, url: &str, has_qr: bool) -> Result<u8, Failure> {
    let lines = (has_qr && qr::can_be_shown()).then(|| qr::lines(url)).flatten();
    if let Some(lines) = &lines {
        context.output.picture(lines);
    }
    context.output.info(&Message::OpenLink { url: url.to_owned() });
    if has_qr && lines.is_none() {
        context.output.warning(&Message::NoQr);
    }
    Ok(DONE)
}

/// There is no page any more; the result says how the questions ended.
fn nothing_open() -> Failure {
    Failure::new(Message::NothingOpen, Message::SeeResult)
}

fn start<'c>(
    decisions: &Decisions,
    server: &ServerInfo,
    commands: &'c [Vec<OsString>],
) -> Result<Option<&'c OsStr>, Failure> {
    if link::needs_login(server) {
        opener::write(decisions, &link::login(server))?;
    }
    Ok(browser::start(commands))
}
