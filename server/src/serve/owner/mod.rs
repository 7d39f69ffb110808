//! Whose program is at the other end of a connection from this machine.
//!
//! The kernel knows the user of every socket. It is asked for the other end of the connection, and then for this end: as
//! long as that is still ours, the addresses of both belong to no other connection. Where the kernel does not know our own
//! sockets (another system, a sandbox with a network of its own making), it is not asked about others.

mod proc_net;
#[cfg(target_os = "linux")]
mod sock_diag;

use std::fmt::Debug;
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::timeout;
use watchdog::Wait;

/// Whose a program is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The user's that runs this server.
    Us,
    /// The system administrator's, who can do whatever we can.
    Root,
    /// Another user's; also if the program hides it, by being gone already.
    Other,
    /// That cannot be found out here.
    Unknown,
}

/// The owner of the other end of a connection. Every request from a server on loopback carries it as an extension; it is looked
/// up on demand, once per connection.
#[derive(Debug, Clone)]
pub struct PeerOwner(Arc<Lookup>);

#[derive(Debug)]
struct Lookup {
    owner: OnceCell<Owner>,
    connection: Option<(Arc<Owners>, ConnectionEnds)>,
}

/// A connection: the addresses of both ends, and the inode of the socket here.
#[derive(Debug, Clone, Copy)]
struct ConnectionEnds {
    here: SocketAddr,
    there: SocketAddr,
    inode: u32,
}

/// What the kernel says of one socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    uid: u32,
    /// 0 when no program has it any more.
    inode: u32,
    /// As in the kernel's `tcp_states.h`.
    state: u8,
}

/// The state of a socket that listens.
const LISTEN: u8 = 10;
/// Both ends agree that there is a connection, though one of them may have said its last word.
const CONNECTED: [u8; 6] = [1, 4, 5, 8, 9, 11];
/// How often an entry is looked for that should be there: a table that changes while it is read can lack one.
const ATTEMPTS: usize = 3;

/// How long the kernel may take to answer.
const DEADLINE: Duration = Duration::from_secs(10);

/// Where the kernel's word is to be had.
trait Source: Debug + Send + Sync {
    /// The socket of this machine with these two ends; one that listens has no other end.
    fn find(&self, own: SocketAddr, other: Option<SocketAddr>) -> io::Result<Option<Entry>>;

    /// Whether that takes no longer than a few microseconds.
    fn is_quick(&self) -> bool;
}

/// Finds owners.
#[derive(Debug)]
pub(super) struct Owners {
    source: Box<dyn Source>,
    users: Users,
}

/// What the numbers of users mean.
#[derive(Debug, Clone, Copy)]
struct Users {
    us: u32,
    /// Stands for everybody who has no number here, as in a container.
    nameless: Option<u32>,
}

impl Owners {
    /// Returns a way to find owners; `None` if the kernel does not know `listeners`, which are ours.
    ///
    /// It is settled before clients can connect, so that none can make it fail: once there is a way, a client whose lookup fails
    /// is a stranger.
    pub(super) fn known_to(listeners: &[TcpListener]) -> Option<Arc<Self>> {
        let sources = [
            #[cfg(target_os = "linux")]
            sock_diag::SockDiag::open().ok().map(|source| Box::new(source) as Box<dyn Source>),
            Some(Box::new(proc_net::ProcNet::of_this_process()) as Box<dyn Source>),
        ];
        let knows = |source: &dyn Source| listeners.iter().all(|listener| knows_listener(source, listener));
        let source = sources.into_iter().flatten().find(|source| knows(&**source));
        let way = match &source {
            Some(source) if source.is_quick() => "sock_diag",
            Some(_) => "/proc/net",
            None => "none",
        };
        tracing::debug!(way, "method for finding the owner of a connection");
        let source = source?;
        Some(Arc::new(Self { source, users: Users::here() }))
    }

    fn owner(&self, ends: ConnectionEnds) -> Owner {
        let mut owner = Owner::Other;
        for _ in 0..ATTEMPTS {
            // In this order, see above.
            let there = self.source.find(ends.there, Some(ends.here)).ok().flatten();
            let here = self.source.find(ends.here, Some(ends.there)).ok().flatten();
            owner = self.users.owner(there, here, ends.inode);
            if there.is_some() && here.is_some() {
                break;
            }
        }
        owner
    }
}

fn knows_listener(source: &dyn Source, listener: &TcpListener) -> bool {
    let (Ok(address), Some(inode)) = (listener.local_addr(), inode(listener)) else { return false };
    let found = source.find(address, None);
    matches!(found, Ok(Some(entry)) if entry.inode == inode && entry.state == LISTEN)
}

/// The number of a socket, as the kernel's tables have it.
fn inode(socket: impl AsFd) -> Option<u32> {
    let inode = rustix::fs::fstat(socket).ok()?.st_ino;
    u32::try_from(inode & u64::from(u32::MAX)).ok()
}

impl Users {
    fn here() -> Self {
        let nameless = fs::read_to_string("/proc/sys/kernel/overflowuid").ok();
        let nameless = nameless.and_then(|number| number.trim().parse().ok()).unwrap_or(65534);
        let has_all = fs::read_to_string("/proc/self/uid_map").is_ok_and(|map| names_everybody(&map));
        Self { us: rustix::process::geteuid().as_raw(), nameless: (!has_all).then_some(nameless) }
    }

    /// Whose the end `there` is of a connection of which `here` should be our socket with the number `inode`.
    fn owner(self, there: Option<Entry>, here: Option<Entry>, inode: u32) -> Owner {
        let (Some(there), Some(here)) = (there, here) else { return Owner::Other };
        // The user of a socket that no program holds is unknown; a socket about to be connected may not be the other end of ours.
        if here.inode != inode || there.inode == 0 || !CONNECTED.contains(&there.state) {
            return Owner::Other;
        }
        match there.uid {
            uid if Some(uid) == self.nameless => Owner::Unknown,
            uid if uid == self.us => Owner::Us,
            0 => Owner::Root,
            _ => Owner::Other,
        }
    }
}

/// Whether each user of the system has a number here, going by the text of `uid_map`.
fn names_everybody(map: &str) -> bool {
    let counts = map.lines().filter_map(|line| line.split_whitespace().nth(2)?.parse::<u64>().ok());
    counts.sum::<u64>() >= u64::from(u32::MAX)
}

impl PeerOwner {
    /// The owner is known already.
    pub fn known(owner: Owner) -> Self {
        Self(Arc::new(Lookup { owner: OnceCell::new_with(Some(owner)), connection: None }))
    }

    /// The owner of the other end of `stream`.
    pub(super) fn lookup(stream: &tokio::net::TcpStream, owners: Option<&Arc<Owners>>) -> Self {
        let Some(owners) = owners else { return Self::known(Owner::Unknown) };
        let (Ok(here), Ok(there), Some(inode)) = (stream.local_addr(), stream.peer_addr(), inode(stream))
        else {
            return Self::known(Owner::Other);
        };
        let ends = ConnectionEnds { here: canonical(here), there: canonical(there), inode };
        Self(Arc::new(Lookup { owner: OnceCell::new(), connection: Some((Arc::clone(owners), ends)) }))
    }

    /// The owner.
    pub async fn get(&self) -> Owner {
        *self.0.owner.get_or_init(|| self.look_up_and_say()).await
    }

    async fn look_up_and_say(&self) -> Owner {
        let owner = self.look_up().await;
        tracing::debug!(?owner, "owner of a connection");
        owner
    }

    async fn look_up(&self) -> Owner {
        let Some((owners, ends)) = &self.0.connection else { return Owner::Other };
        if owners.source.is_quick() {
            return owners.owner(*ends);
        }
        let (owners, ends) = (Arc::clone(owners), *ends);
        let found = tokio::task::spawn_blocking(move || {
            let _wait = Wait::begin("the owner of a connection");
            owners.owner(ends)
        });
        // The lookup does not panic, and a server that is ending answers no requests.
        timeout(DEADLINE, found).await.map_or(Owner::Other, |found| found.unwrap_or(Owner::Other))
    }
}

/// The address as the kernel has it for the protocol that is really spoken.
fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

/// No address, in the protocol of `own`.
fn nobody(own: SocketAddr) -> SocketAddr {
    let ip: IpAddr = match own.ip() {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    SocketAddr::new(ip, 0)
}

#[cfg(test)]
mod tests;
