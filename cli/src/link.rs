//! The link that a person opens.

use server::Key;
use store::ServerInfo;

/// The link to the page of `server`. Where a login is needed it lets in once, so that each time it is another one: this
/// program makes it by itself, from the secret that the server has left for programs of the same user.
pub(crate) fn of(server: &ServerInfo) -> String {
    let key = Key::from_hex(&server.secret.0);
    // Without random bytes there is no ticket; the page then says how to get one.
    key.and_then(|key| key.link(&server.url).ok()).unwrap_or_else(|| server.url.clone())
}
