//! What single values must look like, wherever they are given: in a file, in a variable, by a flag.

use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;
use std::time::Duration;

/// Whether the page asks users who they are (`decide.auth`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Auth {
    /// Where other machines can come.
    #[default]
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

/// When and how a user is notified of questions (`notify.when`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WhenToNotify {
    /// Not at all.
    #[default]
    None,
    /// By the terminal's bell.
    Bell,
    /// By a notification of the desktop.
    Desktop,
    /// By the program that `notify.command` names.
    Command,
}

/// A text that is none of those that mean something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not one of the known values")]
pub struct UnknownName;

impl Auth {
    /// What may be written.
    pub const NAMES: &'static [&'static str] = &["auto", "always", "never"];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }
    }
}

impl FromStr for Auth {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        [Self::Auto, Self::Always, Self::Never]
            .into_iter()
            .find(|auth| auth.name() == text)
            .ok_or(UnknownName)
    }
}

impl WhenToNotify {
    /// What may be written.
    pub const NAMES: &'static [&'static str] = &["none", "bell", "desktop", "command"];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Bell => "bell",
            Self::Desktop => "desktop",
            Self::Command => "command",
        }
    }
}

impl FromStr for WhenToNotify {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let all = [Self::None, Self::Bell, Self::Desktop, Self::Command];
        all.into_iter().find(|when| when.name() == text).ok_or(UnknownName)
    }
}

/// Returns an address to listen on in the form it is always written in: `localhost` or an IP address. `None` when
/// `text` is neither.
pub fn address(text: &str) -> Option<String> {
    if text.eq_ignore_ascii_case("localhost") {
        return Some("localhost".to_owned());
    }
    let literal = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    Some(literal.parse::<IpAddr>().ok()?.to_canonical().to_string())
}

/// Whether an address that [`address`] returned is this machine alone.
pub fn is_loopback(address: &str) -> bool {
    address == "localhost" || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Returns a span of time as it is written: a number of seconds (`s`), minutes (`m`), hours (`h`), days (`d`) or weeks (`w`).
pub fn span(text: &str) -> Option<Duration> {
    const UNITS: [(&str, u64); 5] = [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400), ("w", 604_800)];
    let (number, seconds) =
        UNITS.into_iter().find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)))?;
    let seconds = digits(number)?.parse::<u64>().ok()?.checked_mul(seconds)?;
    (seconds > 0).then_some(Duration::from_secs(seconds))
}

/// Whether `text` is empty, or a link that can be printed and opened.
pub fn is_link(text: &str) -> bool {
    let printable = !text.chars().any(|c| c.is_whitespace() || c.is_control());
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    let leads_somewhere = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).is_some_and(is_authority);
    text.is_empty() || printable && leads_somewhere
}

/// A host and perhaps a port. A host name may have letters beyond ASCII: browsers translate it.
fn is_authority(text: &str) -> bool {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((address, port)) if address.parse::<Ipv6Addr>().is_ok() => ("", port),
            _ => return false,
        },
        None => match text.find(':') {
            Some(colon) if colon > 0 => text.split_at(colon),
            Some(_) => return false,
            None if text.is_empty() => return false,
            None => (text, ""),
        },
    };
    // With an `@` all before it is a name to log in with: `http://localhost@example.com` is not this machine.
    let host_is_good =
        !host.contains(|c: char| c.is_ascii() && !(c.is_ascii_alphanumeric() || "-._".contains(c)));
    let port_is_good = match port.strip_prefix(':') {
        Some(number) => {
            digits(number).and_then(|number| number.parse::<u16>().ok()).is_some_and(|port| port > 0)
        }
        None => port.is_empty(),
    };
    host_is_good && port_is_good
}

/// Returns `text` if it is a number as people write it; the standard library also reads `+1`.
pub fn digits(text: &str) -> Option<&str> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then_some(text)
}
