//! The kernel's answer about one socket (`sock_diag(7)`), in a few microseconds however many sockets there are.

use super::{Entry, LISTEN, Source, nobody};
use netlink_packet_core::{ErrorBuffer, NLM_F_REQUEST, NetlinkBuffer, NetlinkMessage, Parseable};
use netlink_packet_sock_diag::inet::{ExtensionFlags, InetRequest, InetResponseHeader, SocketId, StateFlags};
use netlink_packet_sock_diag::{AF_INET, AF_INET6, IPPROTO_TCP, SOCK_DIAG_BY_FAMILY, SockDiagMessage};
use rustix::fd::OwnedFd;
use rustix::net::netlink::{SOCK_DIAG, SocketAddrNetlink};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, sendto, socket_with};
use std::io;
use std::net::SocketAddr;
use std::num::NonZeroI32;
use std::sync::{Mutex, PoisonError};

const NLMSG_ERROR: u16 = 2;
const ENOENT: NonZeroI32 = NonZeroI32::new(-2).unwrap();
const ANY_INTERFACE: u32 = 0;
const ANY_COOKIE: [u8; 8] = [0xff; 8];
/// More than an answer is long.
const ANSWER: usize = 1024;
/// How many answers to abandoned questions are skipped.
const STALE: usize = 16;

#[derive(Debug)]
pub(super) struct SockDiag {
    /// The socket to the kernel, and the number of the last question.
    socket: Mutex<(OwnedFd, u32)>,
}

impl SockDiag {
    /// # Errors
    ///
    /// Where there is no such thing, or it is not allowed.
    pub(super) fn open() -> io::Result<Self> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::NETLINK, SocketType::DGRAM, flags, Some(SOCK_DIAG))?;
        Ok(Self { socket: Mutex::new((socket, 0)) })
    }
}

impl Source for SockDiag {
    fn find(&self, own: SocketAddr, other: Option<SocketAddr>) -> io::Result<Option<Entry>> {
        let mut socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner);
        socket.1 = socket.1.wrapping_add(1);
        let (socket, number) = (&socket.0, socket.1);
        let asked = request(number, own, other.unwrap_or_else(|| nobody(own)));
        sendto(socket, &asked, SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
        // The kernel answers before it returns.
        for _ in 0..STALE {
            let mut buffer = [0; ANSWER];
            let (length, _) = recv(socket, &mut buffer, RecvFlags::DONTWAIT)?;
            let answer = buffer.get(..length).unwrap_or_default();
            if let Some(answer) = read(answer, number) {
                let entry = answer?;
                return Ok(entry.filter(|found| found.is_of(own, other)).map(|found| found.entry));
            }
        }
        Err(io::ErrorKind::InvalidData.into())
    }

    fn is_quick(&self) -> bool {
        true
    }
}

/// A socket that the kernel has found. Where no connection has these ends, it takes one that listens there.
struct FoundSocket {
    own: SocketAddr,
    other: SocketAddr,
    entry: Entry,
}

impl FoundSocket {
    fn is_of(&self, own: SocketAddr, other: Option<SocketAddr>) -> bool {
        self.own == own
            && match other {
                Some(other) => self.other == other && self.entry.state != LISTEN,
                None => self.entry.state == LISTEN,
            }
    }
}

/// Returns the request for one socket.
fn request(number: u32, own: SocketAddr, other: SocketAddr) -> Vec<u8> {
    let request = InetRequest {
        family: if own.is_ipv4() { AF_INET } else { AF_INET6 },
        protocol: IPPROTO_TCP,
        extensions: ExtensionFlags::empty(),
        states: StateFlags::all(),
        socket_id: SocketId {
            source_port: own.port(),
            destination_port: other.port(),
            source_address: own.ip(),
            destination_address: other.ip(),
            interface_id: ANY_INTERFACE,
            cookie: ANY_COOKIE,
        },
    };
    let mut message = NetlinkMessage::from(SockDiagMessage::InetRequest(request));
    message.header.flags = NLM_F_REQUEST;
    message.header.sequence_number = number;
    message.finalize();
    let mut bytes = vec![0; message.buffer_len()];
    message.serialize(&mut bytes);
    bytes
}

/// Reads the answer to request `number`; `None` for an answer to another request.
fn read(answer: &[u8], number: u32) -> Option<io::Result<Option<FoundSocket>>> {
    let message = NetlinkBuffer::new_checked(answer).ok()?;
    if message.sequence_number() != number {
        return None;
    }
    let payload = message.payload();
    Some(match message.message_type() {
        SOCK_DIAG_BY_FAMILY => found(payload).map(Some),
        NLMSG_ERROR => match ErrorBuffer::new_checked(payload).ok().and_then(|error| error.code()) {
            Some(ENOENT) => Ok(None),
            Some(code) => Err(io::Error::from_raw_os_error(code.get().wrapping_neg())),
            None => Err(io::ErrorKind::InvalidData.into()),
        },
        _ => Err(io::ErrorKind::InvalidData.into()),
    })
}

fn found(payload: &[u8]) -> io::Result<FoundSocket> {
    let InetResponseHeader { state, socket_id, uid, inode, .. } = InetResponseHeader::parse(payload)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    Ok(FoundSocket {
        own: SocketAddr::new(socket_id.source_address.to_canonical(), socket_id.source_port),
        other: SocketAddr::new(socket_id.destination_address.to_canonical(), socket_id.destination_port),
        entry: Entry { uid, inode, state },
    })
}

#[cfg(test)]
mod tests {
    use super::{found, read, request};
    use proptest::prelude::{any, proptest};
    use std::net::SocketAddr;

    proptest! {
        #[test]
        fn no_answer_is_too_strange(bytes in proptest::collection::vec(any::<u8>(), 0..200), number: u32) {
            let _ = found(&bytes);
            let _ = read(&bytes, number);
            // With a header that is an answer to this request, so that the rest is looked at.
            for kind in [super::SOCK_DIAG_BY_FAMILY, super::NLMSG_ERROR] {
                let mut answer = Vec::new();
                answer.extend(u32::try_from(16 + bytes.len()).unwrap().to_ne_bytes());
                answer.extend(kind.to_ne_bytes());
                answer.extend(0_u16.to_ne_bytes());
                answer.extend(number.to_ne_bytes());
                answer.extend(0_u32.to_ne_bytes());
                answer.extend(&bytes);
                assert!(read(&answer, number).is_some());
            }
        }
    }

    #[test]
    fn a_request_has_the_form_of_the_kernel() {
        let address = |text: &str| text.parse::<SocketAddr>().unwrap();
        for (own, other) in [("127.0.0.1:3721", "127.0.0.1:40000"), ("[::1]:3721", "[::1]:40000")] {
            let request = request(7, address(own), address(other));
            assert_eq!(request.len(), 72);
            assert_eq!(request[24..28], [0x0e, 0x89, 0x9c, 0x40]);
        }
    }
}
