//! Login, where one is needed.
//!
//! A [`Key`] belongs to one server and is known only to programs of the same user. Its holders make tickets: links that let a
//! person in once, within ten minutes. Opening a link does not use it up, because chats and scanners open links as well: its page
//! has a button, which sends the ticket. The server recognizes its tickets by their seal, so it need not be asked for one, and
//! nothing is sent to another process that may listen on its port. A ticket becomes a cookie. Neither reveals anything about the
//! key, which scripts send as a bearer token.

use app::site;
use hmac::{Hmac, KeyInit, Mac};
use http::HeaderMap;
use http::header::COOKIE;
use sha2::Sha256;
use std::collections::HashMap;
use std::fmt::{self, Write};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use subtle::ConstantTimeEq;

/// Where tickets are used; the rest of the path is the ticket.
pub(crate) const TICKET_PATH: &str = "/t/";
/// How long a ticket lets in, in seconds.
const TICKET_LIFE: u64 = 600;
/// How far ahead of this one the clock may have been that a ticket was made by, in seconds.
const CLOCK_SLACK: u64 = 60;
/// So many wrong tickets may come from one address within [`WRONG_WINDOW`].
const WRONG_LIMIT: u32 = 5;
/// In seconds.
const WRONG_WINDOW: u64 = 60;
/// How many addresses are remembered for their wrong tickets.
const WRONG_ADDRESSES: usize = 1024;

/// The parts of a ticket: when it was made, what makes it another one than all others, and the seal of both.
const TIME: usize = 4;
const NONCE: usize = 12;
const SEAL: usize = 16;

/// The secret of one server: 32 bytes from the system.
#[derive(Clone)]
pub struct Key([u8; 32]);

/// Why there is no secret: the system has no random bytes to give.
#[derive(Debug, thiserror::Error)]
#[error("no random bytes: {0}")]
pub struct NoRandomness(#[from] getrandom::Error);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

impl Key {
    /// A new one.
    ///
    /// # Errors
    ///
    /// When the system has no random bytes.
    pub fn generate() -> Result<Self, NoRandomness> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// The one that [`Self::to_hex`] wrote.
    pub fn from_hex(text: &str) -> Option<Self> {
        unhex(text).map(Self)
    }

    /// As text: the bearer token of scripts.
    pub fn to_hex(&self) -> String {
        hex(&self.0)
    }

    /// A link that lets one person in, beside the link `url` to the page.
    ///
    /// # Errors
    ///
    /// When the system has no random bytes.
    pub fn link(&self, url: &str) -> Result<String, NoRandomness> {
        let ticket = self.ticket_at(now())?;
        let server = match url.split_once("://") {
            Some((scheme, rest)) => {
                let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
                format!("{scheme}://{authority}{}", site::root_of(url))
            }
            None => url.to_owned(),
        };
        Ok(format!("{server}{TICKET_PATH}{ticket}"))
    }

    fn ticket_at(&self, now: u64) -> Result<String, NoRandomness> {
        let mut ticket = [0; TIME + NONCE + SEAL];
        // Good until 2106.
        ticket[..TIME].copy_from_slice(&u32::try_from(now).unwrap_or(u32::MAX).to_be_bytes());
        getrandom::fill(&mut ticket[TIME..TIME + NONCE])?;
        let seal = self.derive(b"ticket", &ticket[..TIME + NONCE]);
        ticket[TIME + NONCE..].copy_from_slice(&seal[..SEAL]);
        Ok(hex(&ticket))
    }

    /// 32 bytes that cannot be made without the key, different for each `purpose`.
    fn derive(&self, purpose: &[u8], of: &[u8]) -> [u8; 32] {
        // The block of the hash is longer than the key, so every one is accepted.
        let Ok(mac) = Hmac::<Sha256>::new_from_slice(&self.0) else { return [0; 32] };
        // No purpose is the beginning of another.
        mac.chain_update(purpose).chain_update(b"\0").chain_update(of).finalize().into_bytes().into()
    }
}

/// Why a ticket does not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadTicket {
    /// It was not made for this server.
    Wrong,
    /// It was valid once: it has been used, or is too old.
    Over,
    /// Too many wrong ones came from the same address.
    TooMany,
}

/// What a ticket is shown for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// To find out whether it would let in: the link was opened, be it by a preview or a scanner.
    Examine,
    /// To come in, which uses it up.
    Enter,
}

/// Keeps the door of one server.
#[derive(Debug)]
pub(crate) struct Login {
    key: Key,
    bearer: String,
    cookie_name: String,
    cookie: String,
    /// The tickets that were used, with the time after which they would not be good any more.
    used: Mutex<HashMap<[u8; NONCE], u64>>,
    /// From where wrong tickets came: how many, since when.
    wrong: Mutex<HashMap<Option<IpAddr>, (u32, u64)>>,
}

impl Login {
    pub(crate) fn new(key: Key, port: u16) -> Self {
        let name = hex(&key.derive(b"name", b"")[..4]);
        Self {
            bearer: key.to_hex(),
            // Cookies are shared by all ports of a host: each server has a name of its own.
            cookie_name: format!("aide_{port}_{name}"),
            cookie: hex(&key.derive(b"cookie", b"")),
            key,
            used: Mutex::default(),
            wrong: Mutex::default(),
        }
    }

    /// Returns whether `ticket`, which came from `peer`, would let in. It is not used up.
    pub(crate) fn examine(&self, ticket: &str, peer: Option<IpAddr>) -> Result<(), BadTicket> {
        let now = now();
        self.count_guess(self.check(ticket, now, Purpose::Examine), peer, now)
    }

    /// Uses up `ticket`, which came from `peer`.
    pub(crate) fn enter(&self, ticket: &str, peer: Option<IpAddr>) -> Result<(), BadTicket> {
        self.enter_at(ticket, peer, now())
    }

    fn enter_at(&self, ticket: &str, peer: Option<IpAddr>, now: u64) -> Result<(), BadTicket> {
        self.count_guess(self.check(ticket, now, Purpose::Enter), peer, now)
    }

    /// Counts a wrong ticket from `peer`, and returns whether too many came from there.
    fn count_guess(
        &self,
        result: Result<(), BadTicket>,
        peer: Option<IpAddr>,
        now: u64,
    ) -> Result<(), BadTicket> {
        // Valid and old tickets came from us; only guesses are counted, and only they are held back: no client can lock another
        // out.
        if result != Err(BadTicket::Wrong) {
            return result;
        }
        let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        wrong.retain(|_, (_, since)| now.abs_diff(*since) < WRONG_WINDOW);
        if wrong.get(&peer).is_some_and(|(count, _)| *count >= WRONG_LIMIT) {
            return Err(BadTicket::TooMany);
        }
        if wrong.len() < WRONG_ADDRESSES || wrong.contains_key(&peer) {
            wrong.entry(peer).or_insert((0, now)).0 += 1;
        }
        result
    }

    fn check(&self, ticket: &str, now: u64, purpose: Purpose) -> Result<(), BadTicket> {
        let ticket: [u8; TIME + NONCE + SEAL] = unhex(ticket).ok_or(BadTicket::Wrong)?;
        let (sealed, seal) = ticket.split_at(TIME + NONCE);
        if !bool::from(self.key.derive(b"ticket", sealed)[..SEAL].ct_eq(seal)) {
            return Err(BadTicket::Wrong);
        }
        let (made, nonce) = sealed.split_at(TIME);
        let made = u64::from(u32::from_be_bytes(made.try_into().map_err(|_| BadTicket::Wrong)?));
        let nonce: [u8; NONCE] = nonce.try_into().map_err(|_| BadTicket::Wrong)?;
        if now > made + TICKET_LIFE || made > now + CLOCK_SLACK {
            return Err(BadTicket::Over);
        }
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        // With slack for a clock that goes back a little.
        used.retain(|_, until| now <= *until + CLOCK_SLACK);
        if used.contains_key(&nonce) {
            return Err(BadTicket::Over);
        }
        if purpose == Purpose::Enter {
            used.insert(nonce, made + TICKET_LIFE);
        }
        Ok(())
    }

    /// Whether `value` of an `Authorization` header is that of a program that knows the key.
    pub(crate) fn knows_bearer(&self, value: &str) -> bool {
        let token = match value.split_once(' ') {
            Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token,
            _ => return false,
        };
        bool::from(token.as_bytes().ct_eq(self.bearer.as_bytes()))
    }

    /// Whether one of the cookies is ours. Another program on this host may have set more of the same name.
    pub(crate) fn knows_cookie(&self, headers: &HeaderMap) -> bool {
        let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let ours = pairs.filter(|(name, _)| *name == self.cookie_name);
        ours.fold(false, |known, (_, value)| {
            known | bool::from(value.as_bytes().ct_eq(self.cookie.as_bytes()))
        })
    }

    /// What the browser shall keep until it is closed, for the addresses of this server alone: others may share the host.
    pub(crate) fn set_cookie(&self) -> String {
        let (name, value, path) = (&self.cookie_name, &self.cookie, site::address("/"));
        format!("{name}={value}; Path={path}; HttpOnly; SameSite=Strict")
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing into a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Only what [`hex`] writes.
fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != N * 2 {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let digit = |digit: u8| match digit {
            b'0'..=b'9' => Some(digit - b'0'),
            b'a'..=b'f' => Some(digit - b'a' + 10),
            _ => None,
        };
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::{BadTicket, Key, Login, TICKET_LIFE, WRONG_LIMIT, WRONG_WINDOW, unhex};
    use http::{HeaderMap, HeaderValue};
    use std::net::IpAddr;
    use std::thread;

    const NOW: u64 = 1_800_000_000;

    fn login() -> (Key, Login) {
        let key = Key::generate().unwrap();
        (key.clone(), Login::new(key, 3721))
    }

    fn peer(last: u8) -> Option<IpAddr> {
        Some([10, 0, 0, last].into())
    }

    #[test]
    fn s41_a_ticket_lets_in_once_and_not_for_long() {
        let (key, login) = login();
        let ticket = key.ticket_at(NOW).unwrap();
        assert_eq!(login.enter_at(&ticket, None, NOW), Ok(()));
        assert_eq!(login.enter_at(&ticket, None, NOW), Err(BadTicket::Over));
        assert_eq!(login.enter_at(&ticket, peer(1), NOW + TICKET_LIFE), Err(BadTicket::Over));
        let ticket = key.ticket_at(NOW).unwrap();
        assert_eq!(login.enter_at(&ticket, None, NOW + TICKET_LIFE + 1), Err(BadTicket::Over));
        assert_eq!(login.enter_at(&ticket, None, NOW - 61), Err(BadTicket::Over));
        assert_eq!(login.enter_at(&ticket, None, NOW + TICKET_LIFE), Ok(()));
        // A clock that goes back brings no ticket back.
        assert_eq!(login.enter_at(&ticket, None, NOW), Err(BadTicket::Over));
    }

    #[test]
    fn a_ticket_that_is_examined_is_not_used_up() {
        let (key, login) = login();
        let ticket = key.ticket_at(super::now()).unwrap();
        for _ in 0..10 {
            assert_eq!(login.examine(&ticket, None), Ok(()));
        }
        assert_eq!(login.enter(&ticket, None), Ok(()));
        assert_eq!(login.examine(&ticket, None), Err(BadTicket::Over));
        // Guesses are counted, in whatever way they are made.
        for _ in 0..WRONG_LIMIT {
            assert_eq!(login.examine("0", peer(1)), Err(BadTicket::Wrong));
        }
        assert_eq!(login.enter("0", peer(1)), Err(BadTicket::TooMany));
        assert_eq!(login.examine("0", peer(1)), Err(BadTicket::TooMany));
    }

    #[test]
    fn s41_of_sixty_four_who_use_a_ticket_one_comes_in() {
        let (key, login) = login();
        for _ in 0..50 {
            let ticket = key.ticket_at(NOW).unwrap();
            let entered = thread::scope(|scope| {
                let all: Vec<_> =
                    (0..64).map(|_| scope.spawn(|| login.enter_at(&ticket, None, NOW).is_ok())).collect();
                all.into_iter().map(|one| usize::from(one.join().unwrap())).sum::<usize>()
            });
            assert_eq!(entered, 1);
        }
    }

    #[test]
    fn s40_nothing_but_a_ticket_is_one() {
        let (key, login) = login();
        let ticket = key.ticket_at(NOW).unwrap();
        let flipped = |at: usize| {
            let mut text = ticket.clone().into_bytes();
            text[at] = if text[at] == b'0' { b'1' } else { b'0' };
            String::from_utf8(text).unwrap()
        };
        let other = Key::generate().unwrap().ticket_at(NOW).unwrap();
        let mut bad = vec![
            String::new(),
            ticket[..62].to_owned(),
            format!("{ticket}00"),
            format!(" {ticket}"),
            "0".repeat(64),
            "é".repeat(32),
            other,
        ];
        if ticket != ticket.to_uppercase() {
            bad.push(ticket.to_uppercase());
        }
        bad.extend((0..64).map(flipped));
        for (index, text) in bad.iter().enumerate() {
            // From so many addresses that none is stopped.
            let from = peer(u8::try_from(index).unwrap());
            assert_eq!(login.enter_at(text, from, NOW), Err(BadTicket::Wrong), "{text:?}");
        }
        assert_eq!(login.enter_at(&ticket, None, NOW), Ok(()));
    }

    #[test]
    fn s40_guesses_are_stopped_by_their_address() {
        let (key, login) = login();
        for _ in 0..WRONG_LIMIT {
            assert_eq!(login.enter_at("x", peer(1), NOW), Err(BadTicket::Wrong));
        }
        let ticket = key.ticket_at(NOW).unwrap();
        assert_eq!(login.enter_at("x", peer(1), NOW), Err(BadTicket::TooMany));
        assert_eq!(login.enter_at("y", peer(1), NOW + WRONG_WINDOW - 1), Err(BadTicket::TooMany));
        // Others are not stopped, nor the same one for ever.
        assert_eq!(login.enter_at("x", peer(2), NOW), Err(BadTicket::Wrong));
        assert_eq!(login.enter_at(&ticket, peer(1), NOW + WRONG_WINDOW), Ok(()));
        // Tickets that were good are no guesses.
        for _ in 0..2 * WRONG_LIMIT {
            assert_eq!(login.enter_at(&ticket, peer(3), NOW), Err(BadTicket::Over));
        }
    }

    #[test]
    fn s40_nothing_but_the_token_is_the_token() {
        let (key, login) = login();
        let token = key.to_hex();
        for good in [format!("Bearer {token}"), format!("bearer {token}")] {
            assert!(login.knows_bearer(&good), "{good}");
        }
        for bad in [
            String::new(),
            "Bearer".to_owned(),
            "Bearer ".to_owned(),
            token.clone(),
            format!("Basic {token}"),
            format!("Bearer  {token}"),
            format!("Bearer {token} "),
            format!("Bearer {}", &token[..63]),
            format!("Bearer {token}0"),
            format!("Bearer {}", login.cookie),
            format!("Bearer {}", Key::generate().unwrap().to_hex()),
            format!("Bearer {}", "g".repeat(64)),
        ] {
            assert!(!login.knows_bearer(&bad), "{bad}");
        }
    }

    #[test]
    fn s44_the_cookie_is_for_this_server_and_out_of_reach_of_scripts() {
        let (key, login) = login();
        let set = login.set_cookie();
        let (pair, attributes) = set.split_once("; ").unwrap();
        assert_eq!(attributes, "Path=/; HttpOnly; SameSite=Strict");
        let (name, value) = pair.split_once('=').unwrap();
        assert!(name.starts_with("aide_3721_") && name.len() == 18, "{name}");
        assert_eq!(value.len(), 64);
        assert!(!set.contains(&key.to_hex()));
        let headers = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.append("cookie", HeaderValue::from_str(text).unwrap());
            headers
        };
        for good in [pair.to_owned(), format!("a=b; {pair}"), format!("{name}=x; {pair};c=d")] {
            assert!(login.knows_cookie(&headers(&good)), "{good}");
        }
        let other = Login::new(Key::generate().unwrap(), 3721);
        for bad in [
            format!("{name}="),
            format!("{name}={}", &value[..63]),
            format!("{name}={value}0"),
            format!("{name}={}", value.replace(|c: char| c.is_ascii_lowercase(), "A")),
            format!("x{pair}"),
            format!("aide_3721={value}"),
            format!("{name}={}", key.to_hex()),
            format!("{name}={}", other.cookie),
        ] {
            assert!(!login.knows_cookie(&headers(&bad)), "{bad}");
        }
    }

    #[test]
    fn a_link_leads_to_the_door_below_the_path_of_the_link() {
        let key = Key::generate().unwrap();
        for (url, beginning) in [
            ("http://10.0.0.5:3721", "http://10.0.0.5:3721/t/"),
            ("https://aide.example/x?y#z", "https://aide.example/x/t/"),
            ("http://[::1]:80/", "http://[::1]:80/t/"),
        ] {
            let link = key.link(url).unwrap();
            let ticket = link.strip_prefix(beginning).unwrap_or_else(|| panic!("{link}"));
            let login = Login::new(key.clone(), 1);
            assert_eq!(login.enter(ticket, None), Ok(()));
        }
        assert_ne!(key.link("http://x").unwrap(), key.link("http://x").unwrap());
    }

    #[test]
    fn a_key_can_be_written_down_and_is_not_shown() {
        let key = Key::generate().unwrap();
        let text = key.to_hex();
        assert_eq!(Key::from_hex(&text).unwrap().0, key.0);
        assert!(Key::from_hex(&text[..62]).is_none() && Key::from_hex("").is_none());
        assert_eq!(format!("{key:?}"), "Key(…)");
        assert_eq!(unhex::<1>("fF"), None);
        assert_eq!(unhex::<2>("00ff"), Some([0, 255]));
    }
}
