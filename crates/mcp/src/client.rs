//! Who asks, and how long its calls may take.

use rmcp::model::{Implementation, ProtocolVersion};
use rmcp::service::{RequestContext, RoleServer};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// So many characters of what a client says of itself are kept.
const MAX_NAME: usize = 80;

/// A client, as it describes itself in a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Client {
    pub(crate) name: String,
    pub(crate) version: String,
}

impl Client {
    /// Returns the one that has sent a request.
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Self {
        let info = context.client_info();
        let (name, version) =
            info.map(|Implementation { name, version, .. }| (name, version)).unwrap_or_default();
        Self { name: harmless(&name), version: harmless(&version) }
    }
}

/// A text that stays on its line, and is short.
fn harmless(text: &str) -> String {
    let printable = text.chars().filter(|c| !c.is_control() && !is_invisible(*c));
    printable.take(MAX_NAME).collect::<String>().trim().to_owned()
}

/// Characters that change how others are read.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Whether a request is one of the modern revision, which names it itself.
pub(crate) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.meta.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Inside the minute that the usual library gives a call.
const FIRST: Duration = Duration::from_secs(45);
/// What a client tells of a call that it gives up is no shorter than this.
const LEAST: Duration = Duration::from_secs(10);

/// How long calls of clients are held.
#[derive(Debug, Default)]
pub(crate) struct Holds {
    /// What the person says.
    configured: Option<Duration>,
    learned: Mutex<HashMap<Client, Learned>>,
}

/// What is known of a client of which nothing is known beforehand.
#[derive(Debug, Clone, Copy)]
struct Learned {
    hold: Duration,
    /// It has given up once: a longer hold is not tried any more.
    is_cut: bool,
}

impl Holds {
    pub(crate) fn new(configured: Option<Duration>) -> Self {
        Self { configured, ..Self::default() }
    }

    /// Returns how long a call of `client` is held; `reports` when it is told of progress meanwhile.
    pub(crate) fn of(&self, client: &Client, reports: bool) -> Duration {
        if let Some(configured) = self.configured {
            return configured;
        }
        known(client, reports).unwrap_or_else(|| {
            let learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
            learned.get(client).map_or(FIRST, |learned| learned.hold)
        })
    }

    /// Notes that a call of `client` was held for as long as was meant, and the client was still there.
    pub(crate) fn lasted(&self, client: &Client) {
        let mut learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = learned.entry(client.clone()).or_insert(Learned { hold: FIRST, is_cut: false });
        if !entry.is_cut {
            entry.hold = (entry.hold * 2).min(DAY);
        }
    }

    /// Notes that `client` has given up a call after so long.
    pub(crate) fn was_cut(&self, client: &Client, after: Duration) {
        let mut learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        let hold = (after * 4 / 5).max(LEAST);
        learned.insert(client.clone(), Learned { hold, is_cut: true });
    }
}

/// How long clients that are known let a call take, a little less than that.
fn known(client: &Client, reports: bool) -> Option<Duration> {
    let seconds = match &*client.name {
        // Its clock begins again with every progress.
        "claude-code" if reports => return Some(DAY),
        "claude-code" => 25 * 60,
        "opencode" if reports => return Some(DAY),
        "opencode" => 50,
        "codex-mcp-client" => 290,
        "gemini-cli-mcp-client" => 590,
        "Visual Studio Code" => 290,
        "Zed" => 50,
        _ => return None,
    };
    Some(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::{Client, Holds, harmless};
    use std::time::Duration;

    fn client(name: &str) -> Client {
        Client { name: name.to_owned(), version: "1".to_owned() }
    }

    #[test]
    fn what_a_client_says_of_itself_is_made_harmless() {
        assert_eq!(harmless(" a\u{1b}[2J\n\u{202e}b "), "a[2Jb");
        assert_eq!(harmless(&"x".repeat(1000)).len(), 80);
    }

    #[test]
    fn the_hold_of_an_unknown_client_grows_until_it_gives_up() {
        let (holds, client) = (Holds::default(), client("x"));
        assert_eq!(holds.of(&client, true), Duration::from_secs(45));
        holds.lasted(&client);
        holds.lasted(&client);
        assert_eq!(holds.of(&client, true), Duration::from_secs(180));
        holds.was_cut(&client, Duration::from_secs(100));
        holds.lasted(&client);
        assert_eq!(holds.of(&client, true), Duration::from_secs(80));
    }

    #[test]
    fn what_is_known_or_configured_is_followed() {
        let holds = Holds::default();
        assert_eq!(holds.of(&client("codex-mcp-client"), true), Duration::from_secs(290));
        assert!(holds.of(&client("claude-code"), true) > holds.of(&client("claude-code"), false));
        let holds = Holds::new(Some(Duration::from_secs(5)));
        assert_eq!(holds.of(&client("claude-code"), true), Duration::from_secs(5));
    }
}
