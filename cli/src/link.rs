//! The link that a person opens.

use server::Key;
use store::{Secret, ServerInfo};

/// The link to the page of `server`. Where a login is needed it lets in once, so that each time it is another one: this
/// program makes it by itself, from the secret that the server has left for programs of the same user.
pub(crate) fn of(server: &ServerInfo) -> String {
    let key = Key::from_hex(&server.secret.0);
    // Without random bytes there is no ticket; the page then says how to get one.
    key.and_then(|key| key.link(&server.url).ok()).unwrap_or_else(|| server.url.clone())
}

/// Which link a person was told last.
#[derive(Debug, Default)]
pub(crate) struct Told(Option<(String, Secret)>);

/// What is new about a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum News {
    /// It is the first.
    First,
    /// The one that was told before leads elsewhere, or lets nobody in any more.
    Other,
}

impl Told {
    /// Notes that the link to `server` is told now; `None` when it was told before. A link to another server's login is
    /// another one.
    pub(crate) fn news_of(&mut self, server: &ServerInfo) -> Option<News> {
        let this = (server.url.clone(), server.secret.clone());
        if self.0.as_ref() == Some(&this) {
            return None;
        }
        Some(if self.0.replace(this).is_none() { News::First } else { News::Other })
    }
}
