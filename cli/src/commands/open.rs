//! `aide decide open`

use super::{Context, DONE};
use crate::browser::{self, Plan};
use crate::detach;
use crate::failure::{FAILED, Failure};
use crate::messages::Message;
use crate::outcome::{self, Outcome};
use std::env;

pub(super) fn run(context: &Context) -> Result<u8, Failure> {
    let project = context.project()?;
    let decisions = project.decisions()?;
    let Some(pending) = outcome::pending(&decisions)? else {
        return Outcome::None.tell(context, None, false);
    };
    match outcome::of(&decisions, &pending.session)? {
        Outcome::Pending { .. } | Outcome::Unserved { .. } => {}
        // There is no page any more; the result says how it ended.
        _ => return Err(Failure::new(Message::NothingOpen, Message::SeeResult)),
    }
    let server = match decisions.live_server()? {
        Some(server) if server.session_id == pending.session => server,
        _ => match detach::bring_back(context, &project, &decisions, &pending.session)? {
            Ok(server) => server,
            Err(code) => return Ok(code),
        },
    };
    // Also when a browser shows it: the person may want another one.
    context.output.info(&Message::OpenLink { url: server.url.clone() });
    match browser::plan(&server.url, server.port, |name| env::var_os(name)) {
        Plan::Start(commands) => match browser::start(&commands) {
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
