//! Where a daemon is.

use crate::Secret;
use reqwest::Url;

/// Where a daemon is asked, and with what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Where it answers over HTTP.
    pub(crate) http: Url,
    /// Where its WebSockets are.
    pub(crate) ws: Url,
    /// What lets a program in.
    pub(crate) secret: Secret,
}

/// A text that is no address of a daemon.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no address of a daemon")]
pub struct BadUrl(pub String);

impl Address {
    /// An HTTP address, such as `http://localhost:8080`, and one for WebSockets, by default `/ws` of the same place. `secret` is
    /// empty where none is required.
    ///
    /// # Errors
    ///
    /// When one of them is not an address of its kind.
    pub fn new(http: &str, ws: Option<&str>, secret: Secret) -> Result<Self, BadUrl> {
        let http = parse(http, ["http", "https"])?;
        let ws = match ws {
            Some(ws) => parse(ws, ["ws", "wss"])?,
            None => sockets_of(&http),
        };
        Ok(Self { http, ws, secret })
    }

    /// The same with what lets a program in.
    #[must_use]
    pub fn with_secret(self, secret: Secret) -> Self {
        Self { secret, ..self }
    }

    /// Whether only the daemon at `own` can be here: the same host and its ports. `holds_both` means that it listens on both
    /// loopback addresses, so that no other process can be behind any spelling of them.
    pub(crate) fn leads_to(&self, own: &Self, holds_both: bool) -> bool {
        let is_one_of = |url: &Url, all: &[&Url]| {
            all.iter().any(|one| {
                let is_same_host = url.host() == one.host()
                    || holds_both && [url, one].into_iter().all(|url| is_usual_loopback(url.host_str()));
                let is_same_port = url.port_or_known_default() == one.port_or_known_default();
                is_same_host && is_same_port && !matches!(url.scheme(), "https" | "wss")
            })
        };
        is_one_of(&self.http, &[&own.http]) && is_one_of(&self.ws, &[&own.ws, &own.http])
    }

    /// Where it answers over HTTP, as a person writes it.
    pub fn http(&self) -> &str {
        self.http.as_str().trim_end_matches('/')
    }

    /// Where its WebSockets are, as a person writes it.
    pub fn ws(&self) -> &str {
        self.ws.as_str().trim_end_matches('/')
    }
}

fn parse(text: &str, schemes: [&str; 2]) -> Result<Url, BadUrl> {
    let bad = || BadUrl(text.to_owned());
    let url: Url = text.parse().map_err(|_| bad())?;
    let is_one = schemes.contains(&url.scheme()) && url.has_host() && !url.cannot_be_a_base();
    is_one.then_some(url).ok_or_else(bad)
}

/// Whether this is a spelling of the loopback addresses that a daemon listens on. Other users may listen on the other loopback
/// addresses.
fn is_usual_loopback(host: Option<&str>) -> bool {
    matches!(host, Some("localhost" | "127.0.0.1" | "[::1]"))
}

fn sockets_of(http: &Url) -> Url {
    let mut url = http.clone();
    let scheme = if http.scheme() == "https" { "wss" } else { "ws" };
    // Both are of the same kind, so that one can become the other.
    let _ = url.set_scheme(scheme);
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().push("ws");
    }
    url
}

#[cfg(test)]
mod tests {
    use super::{Address, BadUrl};
    use crate::Secret;

    #[test]
    fn sockets_are_at_the_same_place_unless_another_is_named() {
        for (http, ws, expected) in [
            ("http://localhost:8080", None, ("http://localhost:8080", "ws://localhost:8080/ws")),
            ("https://aide.example/x/", None, ("https://aide.example/x", "wss://aide.example/x/ws")),
            ("http://[::1]:1", Some("ws://localhost:8081"), ("http://[::1]:1", "ws://localhost:8081")),
        ] {
            let address = Address::new(http, ws, Secret::default());
            assert_eq!(address.as_ref().map(|found| (found.http(), found.ws())), Ok(expected));
        }
    }

    fn address(http: &str, ws: Option<&str>) -> Address {
        Address::new(http, ws, Secret::default()).unwrap_or_else(|bad| panic!("{bad}"))
    }

    #[test]
    fn the_same_daemon_has_several_spellings() {
        let own = address("http://127.0.0.1:8080", Some("ws://127.0.0.1:8081"));
        for (http, ws, expected) in [
            ("http://127.0.0.1:8080", None, true),
            ("http://localhost:8080", None, true),
            ("http://[::1]:8080/", None, true),
            ("http://localhost:8080", Some("ws://localhost:8081"), true),
            ("http://localhost:8080", Some("ws://localhost:8082"), false),
            ("http://localhost:8080", Some("ws://example.com:8081"), false),
            ("http://localhost:8081", None, false),
            ("https://localhost:8080", None, false),
            // It holds two addresses of the loopback, and not the rest of them.
            ("http://127.0.0.2:8080", None, false),
            ("http://localhost:8080", Some("ws://127.0.0.2:8081"), false),
            ("http://10.0.0.5:8080", None, false),
            ("http://example.com:8080", None, false),
        ] {
            assert_eq!(address(http, ws).leads_to(&own, true), expected, "{http} {ws:?}");
        }
    }

    #[test]
    fn one_that_listens_on_one_address_has_one_spelling() {
        for (host, others) in [
            ("127.0.0.1", ["localhost", "[::1]", "127.0.0.2"]),
            ("127.0.0.2", ["localhost", "[::1]", "127.0.0.1"]),
            ("[::1]", ["localhost", "127.0.0.1", "[::2]"]),
        ] {
            let at = |host: &str, other: &str| {
                let (http, ws) = (format!("http://{host}:8080"), format!("ws://{other}:8081"));
                address(&http, Some(&ws))
            };
            let own = at(host, host);
            assert!(own.leads_to(&own, false), "{host}");
            assert!(address(&format!("http://{host}:8080"), None).leads_to(&own, false), "{host}");
            for other in others {
                assert!(!at(other, host).leads_to(&own, false), "{host} {other}");
                assert!(!at(host, other).leads_to(&own, false), "{host} {other}");
            }
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for (http, ws) in [
            ("", None),
            ("localhost:8080", None),
            ("ws://localhost", None),
            ("http://localhost", Some("http://localhost")),
            ("file:///etc/passwd", None),
        ] {
            let bad = ws.unwrap_or(http).to_owned();
            assert_eq!(Address::new(http, ws, Secret::default()), Err(BadUrl(bad)));
        }
    }
}
