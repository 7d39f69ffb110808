//! Whether the person can reach what a server of questions serves.

use std::env;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;
use store::ServerInfo;

/// How long a server on this machine may take to accept a connection.
const CONNECT_LIMIT: Duration = Duration::from_secs(1);
/// The interfaces of the network that this process is in; Linux has it.
const INTERFACES: &str = "/proc/self/net/dev";

/// Returns whether this process has a network of its own without a way out, as many sandboxes give their programs. A browser outside
/// reaches no server in it. `AIDE_REMOTE=0` says that the person is in it as well.
pub(crate) fn is_isolated() -> bool {
    let is_inside = env::var_os("AIDE_REMOTE").is_some_and(|value| value == "0");
    !is_inside && fs::read_to_string(INTERFACES).is_ok_and(|interfaces| has_only_loopback(&interfaces))
}

/// Whether a table of interfaces names none but loopback.
fn has_only_loopback(interfaces: &str) -> bool {
    let mut names = interfaces.lines().filter_map(|line| Some(line.split_once(':')?.0.trim()));
    names.next() == Some("lo") && names.next().is_none()
}

/// Returns whether `server`, which runs, accepts connections from here.
pub(crate) fn can_reach(server: &ServerInfo) -> bool {
    let host = match server.bind.parse() {
        Ok(IpAddr::V4(host)) if host.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        Ok(IpAddr::V6(host)) if host.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        Ok(host) => host,
        // Of a server that does not say where it listens.
        Err(_) => Ipv4Addr::LOCALHOST.into(),
    };
    TcpStream::connect_timeout(&SocketAddr::new(host, server.port), CONNECT_LIMIT).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{can_reach, has_only_loopback};
    use std::net::TcpListener;
    use store::ServerInfo;

    const HEAD: &str = "Inter-|   Receive    |  Transmit\n face |bytes packets|bytes packets\n";

    #[test]
    fn a_network_without_a_way_out_has_nothing_but_loopback() {
        assert!(has_only_loopback(&format!("{HEAD}    lo:  100 1 100 1\n")));
        assert!(!has_only_loopback(&format!("{HEAD}    lo:  100 1 100 1\n  eth0: 5 1 5 1\n")));
        assert!(!has_only_loopback(HEAD));
        assert!(!has_only_loopback(""));
    }

    #[test]
    fn a_server_is_reached_where_it_listens() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        for bind in ["127.0.0.1", "0.0.0.0", ""] {
            let server = ServerInfo { port, bind: bind.to_owned(), ..ServerInfo::default() };
            assert!(can_reach(&server), "{bind}");
        }
        drop(listener);
        assert!(!can_reach(&ServerInfo { port, bind: "127.0.0.1".to_owned(), ..ServerInfo::default() }));
    }
}
