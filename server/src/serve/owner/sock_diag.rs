//! The kernel's answer about one socket (`sock_diag(7)`), in a few microseconds however many sockets there are.

use super::{Entry, LISTEN, Source, nobody};
use rustix::fd::OwnedFd;
use rustix::net::netlink::{SOCK_DIAG, SocketAddrNetlink};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, sendto, socket_with};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Mutex, PoisonError};

const AF_INET: u8 = 2;
const AF_INET6: u8 = 10;
const IPPROTO_TCP: u8 = 6;
const SOCK_DIAG_BY_FAMILY: u16 = 20;
const NLM_F_REQUEST: u16 = 1;
const NLMSG_ERROR: u16 = 2;
const ENOENT: i32 = -2;
/// The length of a `nlmsghdr`.
const HEADER: usize = 16;
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
        let asked = question(number, own, other.unwrap_or_else(|| nobody(own)));
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
struct Found {
    own: SocketAddr,
    other: SocketAddr,
    entry: Entry,
}

impl Found {
    fn is_of(&self, own: SocketAddr, other: Option<SocketAddr>) -> bool {
        self.own == own
            && match other {
                Some(other) => self.other == other && self.entry.state != LISTEN,
                None => self.entry.state == LISTEN,
            }
    }
}

/// A `nlmsghdr` and an `inet_diag_req_v2`.
fn question(number: u32, own: SocketAddr, other: SocketAddr) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(72);
    bytes.extend(72_u32.to_ne_bytes());
    bytes.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    bytes.extend(NLM_F_REQUEST.to_ne_bytes());
    bytes.extend(number.to_ne_bytes());
    bytes.extend([0; 4]);
    let family = if own.is_ipv4() { AF_INET } else { AF_INET6 };
    bytes.extend([family, IPPROTO_TCP, 0, 0]);
    bytes.extend(u32::MAX.to_ne_bytes());
    bytes.extend(own.port().to_be_bytes());
    bytes.extend(other.port().to_be_bytes());
    for address in [own, other] {
        match address.ip() {
            IpAddr::V4(v4) => {
                bytes.extend(v4.octets());
                bytes.extend([0; 12]);
            }
            IpAddr::V6(v6) => bytes.extend(v6.octets()),
        }
    }
    // Any interface, any cookie.
    bytes.extend([0; 4]);
    bytes.extend([0xff; 8]);
    bytes
}

/// The answer to the question `number`; `None` when it is another one's.
fn read(answer: &[u8], number: u32) -> Option<io::Result<Option<Found>>> {
    if u32_at(answer, 8) != Some(number) {
        return None;
    }
    Some(match u16_at(answer, 4) {
        Some(SOCK_DIAG_BY_FAMILY) => {
            found(answer.get(HEADER..).unwrap_or_default()).map(Some).ok_or(io::ErrorKind::InvalidData.into())
        }
        Some(NLMSG_ERROR) => match u32_at(answer, HEADER).map(u32::cast_signed) {
            Some(ENOENT) => Ok(None),
            Some(error) => Err(io::Error::from_raw_os_error(error.wrapping_neg())),
            None => Err(io::ErrorKind::InvalidData.into()),
        },
        _ => Err(io::ErrorKind::InvalidData.into()),
    })
}

/// An `inet_diag_msg`.
fn found(message: &[u8]) -> Option<Found> {
    let (family, state) = (*message.first()?, *message.get(1)?);
    let port = |at: usize| Some(u16::from_be_bytes(message.get(at..at + 2)?.try_into().ok()?));
    let address = |at: usize| -> Option<IpAddr> {
        let bytes: [u8; 16] = message.get(at..at + 16)?.try_into().ok()?;
        match family {
            AF_INET => Some(Ipv4Addr::new(bytes[0], bytes[1], bytes[2], bytes[3]).into()),
            AF_INET6 => Some(Ipv6Addr::from(bytes).to_canonical()),
            _ => None,
        }
    };
    Some(Found {
        own: SocketAddr::new(address(8)?, port(4)?),
        other: SocketAddr::new(address(24)?, port(6)?),
        entry: Entry { uid: u32_at(message, 64)?, inode: u32_at(message, 68)?, state },
    })
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::{found, question, read};
    use proptest::prelude::{any, proptest};
    use std::net::SocketAddr;

    proptest! {
        #[test]
        fn no_answer_is_too_strange(bytes in proptest::collection::vec(any::<u8>(), 0..200), number: u32) {
            let _ = found(&bytes);
            let _ = read(&bytes, number);
        }
    }

    #[test]
    fn a_question_has_the_kernels_form() {
        let address = |text: &str| text.parse::<SocketAddr>().unwrap();
        for (own, other) in [("127.0.0.1:3721", "127.0.0.1:40000"), ("[::1]:3721", "[::1]:40000")] {
            let question = question(7, address(own), address(other));
            assert_eq!(question.len(), 72);
            assert_eq!(question[24..28], [0x0e, 0x89, 0x9c, 0x40]);
        }
    }
}
