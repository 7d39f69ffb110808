//! By which names this server may be addressed.

use http::Uri;

/// The exact authorities (`Host`) and origins (`Origin`) of this server. Everything else is another site, or
/// another name for this machine in the hands of another site (DNS rebinding).
#[derive(Debug, Clone)]
pub struct Access {
    authorities: Vec<String>,
    origins: Vec<String>,
}

impl Access {
    /// The three spellings of loopback with `port`, the address that was bound, and the one in `url` if that is
    /// a loopback name or an IP address: a tunnel or a forwarded port. A name of a `url` is not added, because
    /// the configuration may come from a stranger's repository, and a name can be made to point here.
    pub fn new(host: std::net::IpAddr, port: u16, url: &str) -> Self {
        let mut access = Self { authorities: Vec::new(), origins: Vec::new() };
        let bound = match host {
            std::net::IpAddr::V4(v4) => v4.to_string(),
            std::net::IpAddr::V6(v6) => format!("[{v6}]"),
        };
        // The three names stand for both addresses, which are held together or not at all.
        let names: &[&str] = match bound.as_str() {
            "127.0.0.1" | "[::1]" => &["localhost", "127.0.0.1", "[::1]"],
            other => &[other],
        };
        for name in names {
            access.allow("http", &format!("{name}:{port}"));
        }
        if let Ok(uri) = url.parse::<Uri>()
            && let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority())
            && is_address(authority.host())
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

    pub(crate) fn knows_authority(&self, authority: &str) -> bool {
        self.authorities.iter().any(|known| known.eq_ignore_ascii_case(authority))
    }

    pub(crate) fn knows_origin(&self, origin: &str) -> bool {
        self.origins.iter().any(|known| known == origin)
    }
}

/// True for names that nobody else can point at this machine.
fn is_address(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || bare.parse::<std::net::IpAddr>().is_ok()
}
