//! By which names this server may be addressed, and whether a login is needed.

use crate::login::Login;
use crate::{ConnectionInfo, Key};
use app::site;
use http::Uri;
use http::uri::Authority;
use std::net::IpAddr;

/// The exact authorities (`Host`) and origins (`Origin`) of this server. Everything else is another site, or
/// another name for this machine in the hands of another site (DNS rebinding).
#[derive(Debug)]
pub struct Access {
    authorities: Vec<String>,
    origins: Vec<String>,
    /// The port, if the server listens on all addresses of the machine: then its name is the local address of the connection.
    everywhere: Option<u16>,
    login: Option<Login>,
    open_to: OpenTo,
    /// The path of the link, see [`app::site`].
    root: &'static str,
}

/// Who needs no login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpenTo {
    Everyone,
    /// The programs of the user that runs this server, and of root; where that cannot be found out, everybody.
    Owner,
    /// Like [`Self::Owner`], but an unknown owner is not let in.
    KnownOwner,
    NoOne,
}

/// The names that stand for both loopback addresses, which are held together or not at all.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

impl Access {
    /// Without a login, for a server that listens on the loopback address `host`; any other address would let no client in.
    ///
    /// Its names are the three spellings of loopback with `port`, the address that was bound, and the one in `url` if that is a
    /// loopback name or an IP address: a tunnel or a forwarded port. The owner of any other name could make it point here.
    pub fn open(host: IpAddr, port: u16, url: &str) -> Self {
        Self::new(host, port, url, None, OpenTo::Everyone)
    }

    /// Without a login for the user that runs this server, and with one for other users of this machine: the holder of the key
    /// lets them in. Where the owner of a connection is unknown, no login is needed. The names are those of [`Self::open`].
    pub fn owned(host: IpAddr, port: u16, url: &str, key: Key) -> Self {
        Self::new(host, port, url, Some(Login::new(key, port)), OpenTo::Owner)
    }

    /// The same as [`Self::owned`], but where the owner of a connection cannot be found out, a login is needed: what is served
    /// acts for its user.
    pub fn owned_surely(host: IpAddr, port: u16, url: &str, key: Key) -> Self {
        Self::new(host, port, url, Some(Login::new(key, port)), OpenTo::KnownOwner)
    }

    /// With a login: the holder of the key lets people in. Any name in `url` is one of this server's, because pointing it here
    /// does not replace the login.
    pub fn guarded(host: IpAddr, port: u16, url: &str, key: Key) -> Self {
        Self::new(host, port, url, Some(Login::new(key, port)), OpenTo::NoOne)
    }

    fn new(host: IpAddr, port: u16, url: &str, login: Option<Login>, open_to: OpenTo) -> Self {
        // A client on another machine has no owner here.
        let open_to = if host.is_loopback() { open_to } else { OpenTo::NoOne };
        let mut access = Self {
            authorities: Vec::new(),
            origins: Vec::new(),
            everywhere: host.is_unspecified().then_some(port),
            login,
            open_to,
            root: match site::root_of(url) {
                "" => "",
                // A process has few servers.
                root => Box::leak(root.into()),
            },
        };
        let bound = literal(host);
        if LOOPBACK.contains(&bound.as_str()) {
            for name in LOOPBACK {
                access.allow("http", &format!("{name}:{port}"));
            }
        } else if !host.is_unspecified() {
            access.allow("http", &format!("{bound}:{port}"));
        }
        if let Ok(uri) = url.parse::<Uri>()
            && let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority())
            && access.would_allow(authority.as_str())
        {
            access.allow(scheme, &authority.as_str().to_ascii_lowercase());
        }
        access
    }

    fn allow(&mut self, scheme: &str, authority: &str) {
        // Browsers leave out the port that the scheme has by itself.
        let usual = if scheme == "https" { ":443" } else { ":80" };
        let authority = authority.strip_suffix(usual).unwrap_or(authority);
        self.authorities.push(authority.to_owned());
        self.origins.push(format!("{scheme}://{authority}"));
    }

    /// Whether a link with `authority` makes that one of the names of this server. Without a login for everybody, only an
    /// address does: the owner of a name could make it point here.
    pub(crate) fn would_allow(&self, authority: &str) -> bool {
        let needs_login = self.login.is_some() && self.open_to == OpenTo::NoOne;
        needs_login || authority.parse::<Authority>().is_ok_and(|authority| is_address(authority.host()))
    }

    /// What the addresses of this server begin with, as browsers have them.
    pub(crate) fn root(&self) -> &'static str {
        self.root
    }

    /// Who keeps the door; `None` when there is no way in by it.
    pub(crate) fn login(&self) -> Option<&Login> {
        self.login.as_ref()
    }

    /// Who may come in without a login, of those who may address this server.
    pub(crate) fn open_to(&self) -> OpenTo {
        self.open_to
    }

    pub(crate) fn knows_authority(&self, authority: &str, connection: Option<ConnectionInfo>) -> bool {
        self.authorities.iter().any(|known| known.eq_ignore_ascii_case(authority))
            || self.is_where_it_came_to(authority, connection)
    }

    pub(crate) fn knows_origin(&self, origin: &str, connection: Option<ConnectionInfo>) -> bool {
        self.origins.iter().any(|known| known == origin)
            || origin.strip_prefix("http://").is_some_and(|authority| {
                // Browsers write it in lower case.
                !authority.contains(|c: char| c.is_ascii_uppercase())
                    && self.is_where_it_came_to(authority, connection)
            })
    }

    /// Whether `authority` is the local address of this connection: an IP address, which cannot be pointed elsewhere.
    fn is_where_it_came_to(&self, authority: &str, connection: Option<ConnectionInfo>) -> bool {
        let (Some(port), Some(connection)) = (self.everywhere, connection) else { return false };
        let host = match port {
            80 => authority.strip_suffix(":80").unwrap_or(authority),
            _ => match authority.strip_suffix(&format!(":{port}")) {
                Some(host) => host,
                None => return false,
            },
        };
        let local = connection.local.to_canonical();
        if local.is_loopback() && LOOPBACK.iter().any(|name| host.eq_ignore_ascii_case(name)) {
            return true;
        }
        host.eq_ignore_ascii_case(&literal(local))
    }
}

/// An address as it stands in an authority.
fn literal(address: IpAddr) -> String {
    match address {
        IpAddr::V4(v4) => v4.to_string(),
        IpAddr::V6(v6) => format!("[{v6}]"),
    }
}

/// True for names that others cannot point at this machine.
fn is_address(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::{Access, OpenTo};
    use crate::{ConnectionInfo, Key};

    fn ends(local: &str) -> Option<ConnectionInfo> {
        Some(ConnectionInfo { local: local.parse().unwrap(), peer: [10, 0, 0, 9].into() })
    }

    #[test]
    fn everywhere_a_connection_knows_the_address_it_came_to_alone() {
        let key = Key::generate().unwrap();
        let access = Access::guarded([0, 0, 0, 0].into(), 3721, "https://aide.example/x", key);
        for (authority, local, expected) in [
            ("10.0.0.5:3721", "10.0.0.5", true),
            ("10.0.0.5:3721", "::ffff:10.0.0.5", true),
            ("10.0.0.6:3721", "10.0.0.5", false),
            ("10.0.0.5:3722", "10.0.0.5", false),
            ("10.0.0.5", "10.0.0.5", false),
            ("[fd00::5]:3721", "fd00::5", true),
            ("[FD00::5]:3721", "fd00::5", true),
            ("[fd00:0::5]:3721", "fd00::5", false),
            ("0.0.0.0:3721", "10.0.0.5", false),
            ("localhost:3721", "127.0.0.1", true),
            ("127.0.0.1:3721", "127.0.0.1", true),
            ("localhost:3721", "10.0.0.5", false),
            ("127.0.0.1:3721", "10.0.0.5", false),
            ("evil.test:3721", "10.0.0.5", false),
            ("aide.example", "10.0.0.5", true),
        ] {
            assert_eq!(access.knows_authority(authority, ends(local)), expected, "{authority} at {local}");
        }
        assert!(!access.knows_authority("10.0.0.5:3721", None));
        assert!(access.knows_origin("http://10.0.0.5:3721", ends("10.0.0.5")));
        assert!(access.knows_origin("https://aide.example", ends("10.0.0.5")));
        for origin in
            ["https://10.0.0.5:3721", "http://10.0.0.6:3721", "10.0.0.5:3721", "null", "http://aide.example"]
        {
            assert!(!access.knows_origin(origin, ends("10.0.0.5")), "{origin}");
        }
    }

    #[test]
    fn where_others_could_come_nothing_is_open() {
        let key = || Key::generate().unwrap();
        assert_eq!(Access::open([127, 0, 0, 1].into(), 1, "").open_to(), OpenTo::Everyone);
        assert_eq!(Access::open([0, 0, 0, 0].into(), 1, "").open_to(), OpenTo::NoOne);
        assert_eq!(Access::open([10, 0, 0, 5].into(), 1, "").open_to(), OpenTo::NoOne);
        assert_eq!(Access::guarded([127, 0, 0, 1].into(), 1, "", key()).open_to(), OpenTo::NoOne);
        assert_eq!(Access::owned([127, 0, 0, 1].into(), 1, "", key()).open_to(), OpenTo::Owner);
        assert_eq!(Access::owned([0, 0, 0, 0].into(), 1, "", key()).open_to(), OpenTo::NoOne);
        assert_eq!(Access::owned_surely([127, 0, 0, 1].into(), 1, "", key()).open_to(), OpenTo::KnownOwner);
        assert_eq!(Access::owned_surely([10, 0, 0, 5].into(), 1, "", key()).open_to(), OpenTo::NoOne);
    }

    #[test]
    fn who_is_let_in_without_a_login_must_know_the_name_by_its_own() {
        let url = "http://aide.example:3721";
        let key = Key::generate().unwrap();
        // Another site's name could be made to point here, and its page would be the owner's browser.
        let owned = Access::owned([127, 0, 0, 1].into(), 3721, url, key.clone());
        assert!(!owned.knows_authority("aide.example:3721", None));
        let guarded = Access::guarded([127, 0, 0, 1].into(), 3721, url, key);
        assert!(guarded.knows_authority("aide.example:3721", None));
    }
}
