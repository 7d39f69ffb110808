//! The daemon of this user, as it is found: where its state is, and what it says of itself.

mod place;

pub(crate) use place::Place;

use crate::context::Context;
use crate::messages::{DaemonMessage, Message};
use client::{DaemonRegistration, PROTOCOL};
use store::{Secret, ServerInfo};

/// Returns this user's daemon, if one runs with this program's protocol. Errors in its folder do not concern callers that ask for
/// something else.
pub(crate) fn running() -> Option<DaemonRegistration> {
    let running = Place::of_user().ok()?.running().ok()??;
    (running.protocol == PROTOCOL).then_some(running)
}

/// The secret of the daemon that `server` describes, if it is this user's daemon.
pub(crate) fn secret_of(server: &ServerInfo) -> Option<Secret> {
    let running =
        running().filter(|running| running.pid == server.pid && running.http_port == server.port)?;
    Some(Secret(running.secret.0))
}

/// Says that the daemon is not of this program's version, where that is so.
pub(crate) fn note_version(context: &Context, running: &DaemonRegistration) {
    let program = env!("CARGO_PKG_VERSION");
    if running.version != program {
        let daemon = running.version.clone();
        context.output.notice(&Message::daemon(DaemonMessage::VersionDiffers { daemon, program }));
    }
}
