//! The link that a person opens.

use crate::user_daemon;
use client::DaemonRegistration;
use model::SessionId;
use server::Key;
use settings::forms::is_loopback;
use store::{Scope, Secret, ServerInfo};

/// The link to the questions `session` on `server`, for a user who may run this program. If that user needs a login, the link
/// works once, so each call makes a new one.
pub(crate) fn for_session(server: &ServerInfo, session: &SessionId) -> String {
    if needs_login(server) { login(server) } else { server.link_to(session) }
}

/// The same to all that there is.
pub(crate) fn home(server: &ServerInfo) -> String {
    if needs_login(server) { login(server) } else { server.url.clone() }
}

/// A login link for one use by anyone, if there is a login at all: this program makes it itself, from the secret that the server
/// has left for programs of the same user.
pub(crate) fn login(server: &ServerInfo) -> String {
    let key = match server.scope {
        // What lets into a daemon lets drive it as well: it stands in no project's folder.
        Scope::User => user_daemon::secret_of(server),
        Scope::Session | Scope::Project => Some(server.secret.clone()),
    };
    let key = key.and_then(|secret| Key::from_hex(&secret.0));
    // Without random bytes there is no ticket; the page then says how to get one.
    key.and_then(|key| key.link(&server.url).ok()).unwrap_or_else(|| server.url.clone())
}

/// The link to all that the daemon `running` shows. Where everybody needs a login it lets in once, so that each time it is another
/// one.
pub(crate) fn of_daemon(running: &DaemonRegistration) -> String {
    let key = Key::from_hex(&running.secret.0).filter(|_| !is_loopback(&running.bind));
    // Without random bytes there is no ticket; the page then says how to get one.
    key.and_then(|key| key.link(&running.url).ok()).unwrap_or_else(|| running.url.clone())
}

/// Whether `server` asks everybody for a login, the user that runs it as well.
pub(crate) fn needs_login(server: &ServerInfo) -> bool {
    match &*server.auth {
        "always" => true,
        "never" => false,
        "auto" => !is_loopback(&server.bind),
        // The file does not say.
        _ => !server.secret.is_empty(),
    }
}

/// Which link a person was told last.
#[derive(Debug, Default)]
pub(crate) struct LastLink(Option<(String, Option<Secret>)>);

/// What is new about a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkChange {
    /// It is the first.
    First,
    /// The previous link leads elsewhere, or no longer lets anyone in.
    Other,
}

impl LastLink {
    /// Records that the link to `server` is printed now; `None` if it was printed before. A link with the login of another server
    /// is a different link.
    pub(crate) fn news_of(&mut self, server: &ServerInfo) -> Option<LinkChange> {
        let this = (server.url.clone(), needs_login(server).then(|| server.secret.clone()));
        if self.0.as_ref() == Some(&this) {
            return None;
        }
        Some(if self.0.replace(this).is_none() { LinkChange::First } else { LinkChange::Other })
    }
}
