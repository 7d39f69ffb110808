//! Finding a port, by holding it.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket};

/// How many ports are tried: the configured one and the nine after it.
const ATTEMPTS: u16 = 10;

/// Sockets that listen, all on the same port.
#[derive(Debug)]
pub struct BoundSockets {
    /// The port, never 0.
    pub port: u16,
    /// The address that was asked for.
    pub host: IpAddr,
    pub(crate) listeners: Vec<TcpListener>,
}

/// Why no port could be held.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Other processes listen on all of them.
    #[error("ports {first}-{last} are in use")]
    Busy {
        /// The first that was tried.
        first: u16,
        /// The last that was tried.
        last: u16,
    },
    /// Neither `localhost` nor an IP address.
    #[error("{host} is not an IP address")]
    BadHost {
        /// What was asked for.
        host: String,
    },
    /// The system refused for another reason than that the port is taken.
    #[error("{address}: {source}")]
    Os {
        /// The address.
        address: SocketAddr,
        /// The reason.
        source: io::Error,
    },
}

impl BindError {
    fn is_taken(&self) -> bool {
        matches!(self, Self::Os { source, .. } if source.kind() == io::ErrorKind::AddrInUse)
    }
}

impl BoundSockets {
    /// The link to print when none is configured.
    pub fn default_url(&self) -> String {
        match self.host {
            IpAddr::V4(Ipv4Addr::LOCALHOST) | IpAddr::V6(Ipv6Addr::LOCALHOST) => {
                format!("http://localhost:{}", self.port)
            }
            host if host.is_unspecified() => format!("http://{}", SocketAddr::new(outward(host), self.port)),
            host => format!("http://{}", SocketAddr::new(host, self.port)),
        }
    }
}

/// The address of this machine that others reach, as far as the system's routes tell; loopback when it has no other. `host` is the
/// unspecified address of a protocol.
pub fn outward(host: IpAddr) -> IpAddr {
    let (loopback, elsewhere): (IpAddr, IpAddr) = match host {
        // Addresses reserved for documentation, which no host has. Nothing is sent: connecting a datagram socket only
        // chooses a route.
        IpAddr::V4(_) => (Ipv4Addr::LOCALHOST.into(), Ipv4Addr::new(192, 0, 2, 1).into()),
        IpAddr::V6(_) => (Ipv6Addr::LOCALHOST.into(), Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1).into()),
    };
    let route = || -> io::Result<IpAddr> {
        let socket = UdpSocket::bind(SocketAddr::new(host, 0))?;
        socket.connect(SocketAddr::new(elsewhere, 9))?;
        Ok(socket.local_addr()?.ip())
    };
    route().ok().filter(|address| !address.is_unspecified()).unwrap_or(loopback)
}

/// Holds the first free port from `port` on; 0 lets the system choose one.
///
/// `localhost`, `127.0.0.1` and `::1` hold the port on both loopback addresses, so that no other process can be behind the word
/// `localhost` in the printed link. The port `last`, where an open page may look for its server, is tried first if it is a
/// candidate.
pub fn bind(host: &str, port: u16, last: Option<u16>) -> Result<BoundSockets, BindError> {
    let address = bind_address(host)?;
    first_free(port, last, |candidate| hold(address, candidate))
}

/// Holds this port of the address, and no other; 0 takes any free one.
///
/// # Errors
///
/// When it cannot be had.
pub fn bind_exactly(host: &str, port: u16) -> Result<BoundSockets, BindError> {
    match bind_address(host)? {
        address if port == 0 => first_free(0, None, |candidate| hold(address, candidate)),
        address => hold(address, port).map_err(|error| match error.is_taken() {
            true => BindError::Busy { first: port, last: port },
            false => error,
        }),
    }
}

fn bind_address(host: &str) -> Result<IpAddr, BindError> {
    match host {
        "localhost" => Ok(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        host => host
            .trim_start_matches('[')
            .trim_end_matches(']')
            .parse()
            .map_err(|_| BindError::BadHost { host: host.to_owned() }),
    }
}

fn first_free<T>(
    port: u16,
    preferred: Option<u16>,
    hold: impl Fn(u16) -> Result<T, BindError>,
) -> Result<T, BindError> {
    let last = port.saturating_add(ATTEMPTS - 1);
    let preferred = preferred.filter(|preferred| port == 0 || (port..=last).contains(preferred));
    // With port 0 each attempt is another port of the system's choice.
    let others: Vec<u16> = if port == 0 { vec![0; usize::from(ATTEMPTS)] } else { (port..=last).collect() };
    let candidates = preferred.into_iter().chain(others);
    let mut busy = BindError::Busy { first: port, last };
    for candidate in candidates {
        match hold(candidate) {
            Err(error) if error.is_taken() => {
                // The caller did not request the ports that the system chose; the system's error says more than a range.
                if port == 0 {
                    busy = error;
                }
            }
            held => return held,
        }
    }
    Err(busy)
}

fn hold(host: IpAddr, port: u16) -> Result<BoundSockets, BindError> {
    let first = listen(SocketAddr::new(host, port))?;
    let address = SocketAddr::new(host, port);
    let port = first.local_addr().map_err(|source| BindError::Os { address, source })?.port();
    let other: Option<IpAddr> = match host {
        IpAddr::V4(Ipv4Addr::LOCALHOST) => Some(Ipv6Addr::LOCALHOST.into()),
        IpAddr::V6(Ipv6Addr::LOCALHOST) => Some(Ipv4Addr::LOCALHOST.into()),
        _ => None,
    };
    let mut listeners = vec![first];
    match other.map(|other| listen(SocketAddr::new(other, port))) {
        Some(Ok(listener)) => listeners.push(listener),
        Some(Err(error)) if error.is_taken() => return Err(error),
        // Without the other protocol, no process can be behind the other address either.
        Some(Err(_)) | None => {}
    }
    Ok(BoundSockets { port, host, listeners })
}

fn listen(address: SocketAddr) -> Result<TcpListener, BindError> {
    let listener = TcpListener::bind(address).map_err(|source| BindError::Os { address, source })?;
    listener.set_nonblocking(true).map_err(|source| BindError::Os { address, source })?;
    Ok(listener)
}

#[cfg(test)]
mod tests {
    use super::{BindError, bind, bind_exactly, first_free};
    use std::cell::RefCell;
    use std::io::ErrorKind;
    use std::net::{SocketAddr, TcpListener};

    /// The ports that are tried, and what is said, when the system refuses each of them with `kind`.
    fn refused(port: u16, kind: ErrorKind) -> (Vec<u16>, BindError) {
        let tried = RefCell::new(Vec::new());
        let outcome = first_free(port, None, |candidate| -> Result<(), BindError> {
            tried.borrow_mut().push(candidate);
            let address = ([127, 0, 0, 1], candidate).into();
            Err(BindError::Os { address, source: kind.into() })
        });
        (tried.into_inner(), outcome.unwrap_err())
    }

    #[test]
    fn ten_ports_are_tried() {
        let (tried, error) = refused(3721, ErrorKind::AddrInUse);
        assert_eq!(tried, (3721..=3730).collect::<Vec<_>>());
        assert!(matches!(error, BindError::Busy { first: 3721, last: 3730 }), "{error}");
        let (tried, error) = refused(65_530, ErrorKind::AddrInUse);
        assert_eq!(tried, (65_530..=65_535).collect::<Vec<_>>());
        assert!(matches!(error, BindError::Busy { first: 65_530, last: 65_535 }), "{error}");
        let (tried, error) = refused(80, ErrorKind::PermissionDenied);
        assert_eq!(tried, [80]);
        assert!(matches!(error, BindError::Os { .. }), "{error}");
    }

    #[test]
    fn a_system_without_free_ports_says_so_itself() {
        let (tried, error) = refused(0, ErrorKind::AddrInUse);
        assert_eq!(tried, [0; 10]);
        assert!(
            matches!(&error, BindError::Os { source, .. } if source.kind() == ErrorKind::AddrInUse),
            "{error}"
        );
    }

    #[test]
    fn a_port_taken_on_either_loopback_address_is_passed_over() {
        for taken in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(occupant) = TcpListener::bind(taken) else { continue };
            let port = occupant.local_addr().unwrap().port();
            if port > 65_000 {
                continue;
            }
            let bound = bind("127.0.0.1", port, Some(port)).unwrap();
            assert!(bound.port > port && bound.port < port + 10, "{taken}: {}", bound.port);
        }
    }

    #[test]
    fn exactly_one_port_is_tried_where_no_other_will_do() {
        let occupant = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = occupant.local_addr().unwrap().port();
        let refused = bind_exactly("127.0.0.1", port).unwrap_err();
        assert!(
            matches!(refused, BindError::Busy { first, last } if (first, last) == (port, port)),
            "{refused}"
        );
        drop(occupant);
        assert_eq!(bind_exactly("127.0.0.1", port).unwrap().port, port);
        assert_ne!(bind_exactly("127.0.0.1", 0).unwrap().port, 0);
        assert!(matches!(bind_exactly("example.com", 0), Err(BindError::BadHost { .. })));
    }

    #[test]
    fn addresses_are_bound_and_names_are_not() {
        assert!(matches!(bind("example.com", 0, None), Err(BindError::BadHost { .. })));
        assert_ne!(bind("localhost", 0, None).unwrap().port, 0);
    }

    #[test]
    fn the_link_of_a_server_on_all_addresses_names_one_that_can_be_reached() {
        let bound = bind("0.0.0.0", 0, None).unwrap();
        assert_eq!(bound.listeners.len(), 1);
        let url = bound.default_url();
        let address: SocketAddr = url.strip_prefix("http://").unwrap().parse().unwrap();
        assert!(address.is_ipv4() && !address.ip().is_unspecified() && address.port() == bound.port, "{url}");
        // An address of this machine: no other can be bound.
        TcpListener::bind((address.ip(), 0)).unwrap();
    }

    #[test]
    fn the_last_port_is_taken_again_where_it_may_be() {
        let tried = |port, last| {
            let tried = RefCell::new(Vec::new());
            let hold = |candidate| -> Result<(), BindError> {
                tried.borrow_mut().push(candidate);
                Ok(())
            };
            first_free(port, Some(last), hold).unwrap();
            tried.into_inner()
        };
        assert_eq!(tried(3721, 3725), [3725]);
        assert_eq!(tried(0, 40_000), [40_000]);
        assert_eq!(tried(3721, 3731), [3721]);
        assert_eq!(tried(3721, 80), [3721]);
    }
}
