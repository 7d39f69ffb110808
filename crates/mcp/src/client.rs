//! Who asks, and how long its calls may take.

use rmcp::model::{Implementation, ProtocolVersion};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
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
    pub(crate) fn from_context(context: &RequestContext<RoleServer>) -> Self {
        let info = context.client_info();
        let (name, version) =
            info.map(|Implementation { name, version, .. }| (name, version)).unwrap_or_default();
        Self { name: harmless(&name), version: harmless(&version) }
    }
}

impl Client {
    /// Whether the time does not count while it shows something to the person.
    pub(crate) fn stops_its_clock(&self) -> bool {
        self.name == "codex-mcp-client"
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
/// Of so many clients something is known.
const MAX_LEARNED: usize = 100;
/// A hold is never shorter.
const MIN_HOLD: Duration = Duration::from_secs(5);
/// A call that is given up earlier may have been ended by a person who pressed a key. A clock ends the next one after the same time.
const EARLY_CANCEL: Duration = Duration::from_secs(40);
/// How exact a clock is.
const CLOCK_TOLERANCE: Duration = Duration::from_millis(500);

/// How long calls of clients are held.
#[derive(Debug, Default)]
pub(crate) struct HoldTimes {
    /// What the person says.
    configured: Option<Duration>,
    /// `None` until what was learned before has been read.
    learned: Mutex<Option<HashMap<Client, LearnedHold>>>,
    /// Calls that were given up soon: by a client with a short clock, or by a person.
    suspected: Mutex<HashMap<Client, Duration>>,
}

/// What is known of a client of which nothing is known beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LearnedHold {
    hold: Duration,
    /// It has given up once: a longer hold is not tried any more.
    is_cut: bool,
}

impl HoldTimes {
    pub(crate) fn new(configured: Option<Duration>) -> Self {
        Self { configured, ..Self::default() }
    }

    /// Whether what was learned before is needed for `client`, and has not been read yet.
    pub(crate) fn needs_memory(&self, client: &Client) -> bool {
        self.configured.is_none() && known(client, true).is_none() && self.lock().is_none()
    }

    /// Takes what [`Self::lasted`] or [`Self::was_cut`] has returned earlier, maybe in another process.
    pub(crate) fn recall(&self, text: &str) {
        self.lock().get_or_insert_with(|| read(text));
    }

    /// Returns how long a call of `client` is held; `reports` when it gets progress meanwhile.
    pub(crate) fn hold_for(&self, client: &Client, reports: bool) -> Duration {
        if let Some(configured) = self.configured {
            return configured;
        }
        known(client, reports).unwrap_or_else(|| {
            let learned = self.lock();
            learned.as_ref().and_then(|learned| learned.get(client)).map_or(FIRST, |learned| learned.hold)
        })
    }

    /// Notes that a call of `client` was held for as long as was meant, and the client was still there. Returns what is to be
    /// kept of it, where that is news.
    pub(crate) fn lasted(&self, client: &Client) -> Option<String> {
        self.learn(client, |before| {
            let before = before.unwrap_or(LearnedHold { hold: FIRST, is_cut: false });
            if before.is_cut { before } else { LearnedHold { hold: (before.hold * 2).min(DAY), ..before } }
        })
    }

    /// Notes that `client` has given up a call after so long. Returns what is to be kept.
    pub(crate) fn was_cut(&self, client: &Client, after: Duration) -> Option<String> {
        if after < EARLY_CANCEL && !self.is_clock(client, after) {
            return None;
        }
        let hold = (after * 4 / 5).max(MIN_HOLD);
        self.learn(client, |_| LearnedHold { hold, is_cut: true })
    }

    /// Whether the last call that was given up soon took as long.
    fn is_clock(&self, client: &Client, after: Duration) -> bool {
        let mut suspected = self.suspected.lock().unwrap_or_else(PoisonError::into_inner);
        if suspected.len() >= MAX_LEARNED {
            suspected.clear();
        }
        let before = suspected.insert(client.clone(), after);
        after >= MIN_HOLD && before.is_some_and(|before| before.abs_diff(after) <= CLOCK_TOLERANCE)
    }

    fn learn(
        &self,
        client: &Client,
        next: impl FnOnce(Option<LearnedHold>) -> LearnedHold,
    ) -> Option<String> {
        if self.configured.is_some() || known(client, true).is_some() {
            return None;
        }
        let mut learned = self.lock();
        let learned = learned.get_or_insert_default();
        let before = learned.get(client).copied();
        let after = next(before);
        if before == Some(after) {
            return None;
        }
        if learned.len() >= MAX_LEARNED && before.is_none() {
            learned.clear();
        }
        learned.insert(client.clone(), after);
        Some(written(&[(client.clone(), after)]))
    }

    fn lock(&self) -> MutexGuard<'_, Option<HashMap<Client, LearnedHold>>> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds `news` to what is `kept`, which other processes may have written meanwhile: both are as [`Backend::remember`] has them.
///
/// [`Backend::remember`]: crate::Backend::remember
pub fn with_learned(kept: &str, news: &str) -> String {
    let mut all = entries(kept);
    for (client, after) in entries(news) {
        let at = all.iter().position(|(known, _)| *known == client);
        let before = at.map(|at| all.remove(at).1);
        let learned = match before {
            // Another process has seen it give up.
            Some(before) if before.is_cut && !after.is_cut => before,
            Some(before) if !before.is_cut && !after.is_cut => {
                LearnedHold { hold: before.hold.max(after.hold), ..after }
            }
            _ => after,
        };
        all.push((client, learned));
    }
    // What was learned longest ago goes.
    written(&all[all.len().saturating_sub(MAX_LEARNED)..])
}

/// What was learned, as JSON. What is no such thing says nothing.
fn read(text: &str) -> HashMap<Client, LearnedHold> {
    entries(text).into_iter().collect()
}

fn entries(text: &str) -> Vec<(Client, LearnedHold)> {
    let entries: Vec<Value> = serde_json::from_str(text).unwrap_or_default();
    let entry = |entry: &Value| {
        let text = |name: &str| entry.get(name).and_then(Value::as_str).map(harmless);
        let client = Client { name: text("client")?, version: text("version")? };
        let hold = Duration::from_secs(entry.get("hold")?.as_u64()?).clamp(MIN_HOLD, DAY);
        Some((client, LearnedHold { hold, is_cut: entry.get("is_cut")?.as_bool()? }))
    };
    entries.iter().filter_map(entry).take(MAX_LEARNED).collect()
}

fn written(learned: &[(Client, LearnedHold)]) -> String {
    let entry = |(client, learned): &(Client, LearnedHold)| {
        let Client { name, version } = client;
        json!({ "client": name, "version": version, "hold": learned.hold.as_secs(), "is_cut": learned.is_cut })
    };
    learned.iter().map(entry).collect::<Value>().to_string()
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
    use super::{Client, HoldTimes, MAX_LEARNED, harmless, with_learned};
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
        let (holds, client) = (HoldTimes::default(), client("x"));
        assert_eq!(holds.hold_for(&client, true), Duration::from_secs(45));
        holds.lasted(&client);
        holds.lasted(&client);
        assert_eq!(holds.hold_for(&client, true), Duration::from_secs(180));
        holds.was_cut(&client, Duration::from_secs(100));
        assert_eq!(holds.lasted(&client), None);
        assert_eq!(holds.hold_for(&client, true), Duration::from_secs(80));
    }

    #[test]
    fn a_short_clock_is_learned_and_a_person_is_none() {
        let (holds, client) = (HoldTimes::default(), client("x"));
        let cut = |millis| holds.was_cut(&client, Duration::from_millis(millis)).is_some();
        assert!(![900, 1000, 7000, 20_000, 12_000].map(cut).contains(&true));
        assert_eq!(holds.hold_for(&client, true), Duration::from_secs(45));
        assert!(cut(12_100));
        assert_eq!(holds.hold_for(&client, true), Duration::from_millis(9680));
        assert!(!cut(9000) && cut(9010));
        let next = HoldTimes::default();
        next.recall(&holds.was_cut(&client, Duration::from_secs(50)).unwrap());
        assert_eq!(next.hold_for(&client, true), Duration::from_secs(40));
    }

    #[test]
    fn what_was_learned_is_known_to_the_next_process() {
        let (holds, client) = (HoldTimes::default(), client("x"));
        let kept = holds.lasted(&client).unwrap();
        let next = HoldTimes::default();
        assert!(next.needs_memory(&client));
        next.recall(&kept);
        assert!(!next.needs_memory(&client));
        assert_eq!(next.hold_for(&client, true), Duration::from_secs(90));
        for nonsense in ["", "{", "{}", "[5]", r#"[{"client":"x","version":"1","hold":-1,"is_cut":true}]"#] {
            let next = HoldTimes::default();
            next.recall(nonsense);
            assert_eq!(next.hold_for(&client, true), Duration::from_secs(45), "{nonsense}");
        }
    }

    #[test]
    fn what_processes_have_learned_of_clients_is_put_together() {
        let [one, other] = ["x", "y"].map(client);
        let lasted = |times: usize, client: &Client| {
            let holds = HoldTimes::default();
            (0..times).filter_map(|_| holds.lasted(client)).last().unwrap()
        };
        let cut = HoldTimes::default().was_cut(&one, Duration::from_secs(100)).unwrap();
        let hold = |kept: &str, client: &Client| {
            let holds = HoldTimes::default();
            holds.recall(kept);
            holds.hold_for(client, true).as_secs()
        };
        let both = with_learned(&with_learned("", &lasted(1, &one)), &lasted(2, &other));
        assert_eq!((hold(&both, &one), hold(&both, &other)), (90, 180));
        let longer = with_learned(&with_learned(&both, &lasted(3, &one)), &lasted(1, &one));
        assert_eq!((hold(&longer, &one), hold(&longer, &other)), (360, 180));
        let given_up = with_learned(&with_learned(&longer, &cut), &lasted(3, &one));
        assert_eq!((hold(&given_up, &one), hold(&given_up, &other)), (80, 180));
        let many = (0..=MAX_LEARNED)
            .fold(both, |kept, number| with_learned(&kept, &lasted(1, &client(&number.to_string()))));
        assert_eq!((hold(&many, &one), hold(&many, &client("100"))), (45, 90));
        assert_eq!(with_learned("{", "nonsense"), "[]");
    }

    #[test]
    fn what_is_known_or_configured_is_followed() {
        let holds = HoldTimes::default();
        assert_eq!(holds.hold_for(&client("codex-mcp-client"), true), Duration::from_secs(290));
        assert!(holds.hold_for(&client("claude-code"), true) > holds.hold_for(&client("claude-code"), false));
        let holds = HoldTimes::new(Some(Duration::from_secs(5)));
        assert_eq!(holds.hold_for(&client("claude-code"), true), Duration::from_secs(5));
    }
}
