//! The kernel's tables of sockets, `/proc/net/tcp` and `tcp6`: for systems that do not answer about single sockets. They are
//! read as a whole, which takes milliseconds.

use super::{Entry, LISTEN, Source, canonical, nobody};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;

#[derive(Debug)]
pub(super) struct ProcNet {
    folder: PathBuf,
}

impl ProcNet {
    /// The tables of the network that this process is in.
    pub(super) fn of_this_process() -> Self {
        Self { folder: "/proc/net".into() }
    }

    #[cfg(test)]
    pub(super) fn at(folder: PathBuf) -> Self {
        Self { folder }
    }
}

impl Source for ProcNet {
    fn find(&self, own: SocketAddr, other: Option<SocketAddr>) -> io::Result<Option<Entry>> {
        // A socket for IPv6 may speak IPv4 as well.
        let tables: &[&str] = if own.is_ipv4() { &["tcp", "tcp6"] } else { &["tcp6"] };
        for table in tables {
            let file = match File::open(self.folder.join(table)) {
                Err(error) if *table == "tcp6" && error.kind() == io::ErrorKind::NotFound => continue,
                opened => opened?,
            };
            if let Some(entry) = find_in(BufReader::with_capacity(64 * 1024, file), own, other)? {
                return Ok(Some(entry));
            }
        }
        Ok(None)
    }

    fn is_quick(&self) -> bool {
        false
    }
}

/// Looks through a table. However long it is, only one line of it is kept.
pub(super) fn find_in(
    mut table: impl BufRead,
    own: SocketAddr,
    other: Option<SocketAddr>,
) -> io::Result<Option<Entry>> {
    let is_listening = other.is_none();
    let other = other.unwrap_or_else(|| nobody(own));
    let mut line = Vec::new();
    loop {
        line.clear();
        if table.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let entry = str::from_utf8(&line).ok().and_then(parse);
        if let Some((this, that, entry)) = entry
            && (this, that) == (own, other)
            && (entry.state == LISTEN) == is_listening
        {
            return Ok(Some(entry));
        }
    }
}

/// One line: `sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode …`.
fn parse(line: &str) -> Option<(SocketAddr, SocketAddr, Entry)> {
    let mut fields = line.split_ascii_whitespace().skip(1);
    let own = address(fields.next()?)?;
    let other = address(fields.next()?)?;
    let state = u8::from_str_radix(fields.next()?, 16).ok()?;
    let uid = fields.nth(3)?.parse().ok()?;
    let inode: u64 = fields.nth(1)?.parse().ok()?;
    let inode = u32::try_from(inode & u64::from(u32::MAX)).ok()?;
    Some((own, other, Entry { uid, inode, state }))
}

/// An address as words of 32 bits, each in the order of this machine, and a port.
fn address(text: &str) -> Option<SocketAddr> {
    let (ip, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let word = |at: usize| {
        let digits = ip.get(at * 8..at * 8 + 8)?;
        Some(u32::from_str_radix(digits, 16).ok()?.to_ne_bytes())
    };
    let ip: IpAddr = match ip.len() {
        8 => Ipv4Addr::from(word(0)?).into(),
        32 => {
            let mut bytes = [0; 16];
            for (at, four) in bytes.chunks_exact_mut(4).enumerate() {
                four.copy_from_slice(&word(at)?);
            }
            Ipv6Addr::from(bytes).into()
        }
        _ => return None,
    };
    Some(canonical(SocketAddr::new(ip, port)))
}
