//! `aide decide open --all`: what is open in all projects, on one page.

use super::{hint_at_phone, nothing_open, phone, print_link};
use crate::browser::{self, Plan};
use crate::context::{Context, DONE};
use crate::everywhere::{OpenOverview, OpenProject};
use crate::failure::{FAILED, Failure};
use crate::host::GatheredHost;
use crate::link;
use crate::messages::Message;
use crate::offer::Offer;
use crate::server_flags::ServerFlags;
use settings::ServerSettings;
use std::env;
use std::ffi::OsString;

/// Opens the pages of the person's daemon, which then knows every project; without a daemon, serves all projects in this process
/// until nothing is open any more.
pub(super) fn open(
    context: &Context,
    only_link: bool,
    has_qr: bool,
    phone: Option<Option<OsString>>,
) -> Result<u8, Failure> {
    let found = OpenOverview::look(context);
    for root in &found.silent {
        context.output.warning(&Message::ProjectSilent { root: root.clone() });
    }
    if found.is_empty() {
        return Err(nothing_open());
    }
    let rooms = || found.projects.iter().map(|open| (open.project.clone(), open.decisions.clone())).collect();
    if let Some(host) = phone {
        return phone::serve(context, rooms(), host);
    }
    if let Some((running, _)) = &found.daemon {
        let offer = Offer::new(context, &ServerFlags::default(), false)?;
        // One set is enough for it to know the project. Where the person wants no daemon to show questions, this command does.
        let is_shown = |open: &OpenProject| {
            open.entries.first().is_none_or(|entry| offer.pages(&open.project, &entry.session).is_some())
        };
        if found.projects.iter().all(is_shown) {
            let url = link::of_daemon(running);
            return show(context, &url, running.http_port, only_link, has_qr);
        }
    }
    // Every project is shown here: what one of them configures does not count.
    let layers = context.config_files.user_layers()?;
    let settings = ServerSettings::resolve(layers, |_| None, |name| env::var_os(name), |_| false)?.value;
    let gathered = GatheredHost {
        rooms: rooms(),
        host: "127.0.0.1".to_owned(),
        port: settings.port,
        needs_login: false,
    };
    gathered.run(context, |info, _| {
        let url = if only_link { link::login(info) } else { info.url.clone() };
        let shown = show(context, &url, info.port, only_link, has_qr)?;
        context.output.info(&Message::ShownTogether);
        Ok(shown)
    })
}

/// Prints the link, and has a browser show it where there is one.
fn show(context: &Context, url: &str, port: u16, only_link: bool, has_qr: bool) -> Result<u8, Failure> {
    print_link(context, url, has_qr)?;
    if has_qr {
        hint_at_phone(context, url);
    }
    if only_link || has_qr {
        return Ok(DONE);
    }
    match browser::plan(url, port, |name| env::var_os(name)) {
        Plan::Start(commands) => match browser::start(&commands) {
            Some(program) => {
                let program = program.to_string_lossy().into_owned();
                context.output.info(&Message::BrowserStarted { program });
                return Ok(DONE);
            }
            None => context.output.warning(&Message::NoBrowser),
        },
        Plan::Forward { command } => {
            context.output.info(&Message::ForwardPort { command });
            return Ok(DONE);
        }
        Plan::Nothing => context.output.warning(&Message::NoBrowser),
    }
    Ok(FAILED)
}
