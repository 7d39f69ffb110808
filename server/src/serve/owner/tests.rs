use super::proc_net::{ProcNet, find_in};
use super::{
    ConnectionEnds, Entry, LISTEN, Owner, Owners, PeerOwner, Source, Users, canonical, inode, knows_listener,
    names_everybody,
};
use proptest::prelude::{Strategy, any, prop_assert_eq, proptest};
use std::fmt::Write;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

const US: u32 = 1000;
const THIS: Users = Users { us: US, nameless: Some(65534) };

fn entry(uid: u32, inode: u32, state: u8) -> Option<Entry> {
    Some(Entry { uid, inode, state })
}

#[test]
fn only_what_is_certain_lets_in() {
    let ours = entry(US, 7, 1);
    for (there, here, expected) in [
        (entry(US, 8, 1), ours, Owner::Us),
        (entry(0, 8, 1), ours, Owner::Root),
        (entry(1001, 8, 1), ours, Owner::Other),
        (entry(65534, 8, 1), ours, Owner::Unknown),
        // Said its last word, and still listens.
        (entry(US, 8, 5), ours, Owner::Us),
        (entry(US, 8, 1), entry(US, 7, 8), Owner::Us),
        // Gone: the kernel reports root for sockets without an owner.
        (None, ours, Owner::Other),
        (entry(0, 0, 5), ours, Owner::Other),
        (entry(US, 0, 5), ours, Owner::Other),
        (entry(65534, 0, 6), ours, Owner::Other),
        // Only about to be connected, in place of the earlier client.
        (entry(US, 8, 2), ours, Owner::Other),
        (entry(US, 8, 3), ours, Owner::Other),
        (entry(US, 8, LISTEN), ours, Owner::Other),
        // The addresses are another connection's by now.
        (entry(US, 8, 1), None, Owner::Other),
        (entry(US, 8, 1), entry(US, 9, 1), Owner::Other),
        (entry(US, 8, 1), entry(US, 0, 1), Owner::Other),
    ] {
        assert_eq!(THIS.owner(there, here, 7), expected, "{there:?} {here:?}");
    }
    // Where every user has a number, each number is a user's.
    let all = Users { us: US, nameless: None };
    assert_eq!(all.owner(entry(65534, 8, 1), ours, 7), Owner::Other);
    // Where we have none ourselves, so may others.
    let nobody = Users { us: 65534, nameless: Some(65534) };
    assert_eq!(nobody.owner(entry(65534, 8, 1), ours, 7), Owner::Unknown);
}

#[test]
fn containers_are_told_by_their_map() {
    assert!(names_everybody("         0          0 4294967295\n"));
    assert!(!names_everybody("         0       1000          1\n"));
    assert!(!names_everybody("         0       1000          1\n         1     100000      65536\n"));
    assert!(!names_everybody(""));
    assert!(!names_everybody("rubbish"));
    assert!(names_everybody("0 0 1000\n1000 1000 4294966295\n"));
}

const HEAD: &str =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

/// An address as the kernel writes it.
fn hex(address: SocketAddr) -> String {
    let mut text = String::new();
    let bytes = match address.ip() {
        IpAddr::V4(v4) => v4.octets().to_vec(),
        IpAddr::V6(v6) => v6.octets().to_vec(),
    };
    for word in bytes.chunks_exact(4) {
        write!(text, "{:08X}", u32::from_ne_bytes(word.try_into().unwrap())).unwrap();
    }
    write!(text, ":{:04X}", address.port()).unwrap();
    text
}

fn line(number: usize, own: SocketAddr, other: SocketAddr, entry: Entry) -> String {
    let Entry { uid, inode, state } = entry;
    let (own, other) = (hex(own), hex(other));
    format!(
        "{number:4}: {own} {other} {state:02X} 00000000:00000000 00:00000000 00000000 {uid:5}        0 {inode} 1 0000000000000000 20 4 30 10 -1\n"
    )
}

#[cfg(target_endian = "little")]
#[test]
fn a_table_is_read_as_the_kernel_writes_it() {
    let table = format!(
        "{HEAD}   0: 0100007F:0E89 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 21001 1 0 100 0 0 10 0\n\
         \x20  1: 0100007F:0E89 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1000        0 21002 1 0 20 4 30 10 -1\n\
         \x20  2: 0100007F:9C40 0100007F:0E89 01 00000000:00000000 02:000005DC 00000000  1001        0 21003 2 0 20 4 30 10 -1\n"
    );
    let tcp6 = format!(
        "{HEAD}   0: 00000000000000000000000001000000:0E89 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 31001 1 0 100 0 0 10 0\n\
         \x20  1: 0000000000000000FFFF00000100007F:9C41 0000000000000000FFFF00000100007F:0E89 01 00000000:00000000 00:00000000 00000000  1002        0 31002 1 0 20 4 30 10 -1\n"
    );
    let address = |text: &str| text.parse::<SocketAddr>().unwrap();
    let here = address("127.0.0.1:3721");
    let find = |table: &str, own, other| find_in(table.as_bytes(), own, other).unwrap();
    assert_eq!(find(&table, here, None), entry(1000, 21001, LISTEN));
    assert_eq!(find(&table, address("127.0.0.1:40000"), Some(here)), entry(1001, 21003, 1));
    assert_eq!(find(&table, here, Some(address("127.0.0.1:40000"))), entry(1000, 21002, 1));
    assert_eq!(find(&table, here, Some(address("127.0.0.1:40001"))), None);
    assert_eq!(find(&tcp6, address("[::1]:3721"), None), entry(0, 31001, LISTEN));
    // IPv4, spoken by a socket for IPv6.
    assert_eq!(find(&tcp6, address("127.0.0.1:40001"), Some(here)), entry(1002, 31002, 1));
}

fn some_address() -> impl Strategy<Value = SocketAddr> {
    let ip = proptest::prop_oneof![
        any::<std::net::Ipv4Addr>().prop_map(IpAddr::from),
        any::<std::net::Ipv6Addr>().prop_map(IpAddr::from),
        any::<std::net::Ipv4Addr>().prop_map(|v4| v4.to_ipv6_mapped().into()),
    ];
    (ip, any::<u16>()).prop_map(|(ip, port)| SocketAddr::new(ip, port))
}

proptest! {
    #[test]
    fn a_socket_is_found_among_any_others(
        others in proptest::collection::vec((some_address(), some_address(), any::<u32>(), any::<u32>(), 1_u8..12), 0..40),
        rubbish in proptest::collection::vec(any::<u8>(), 0..300),
        own in some_address(),
        other in some_address(),
        uid: u32,
        inode: u32,
        position: proptest::sample::Index,
    ) {
        let wanted = Entry { uid, inode, state: 1 };
        let mut lines: Vec<Vec<u8>> = Vec::new();
        for (number, (own, other, uid, inode, state)) in others.into_iter().enumerate() {
            lines.push(line(number, own, other, Entry { uid, inode, state }).into_bytes());
        }
        let mut rubbish = rubbish;
        rubbish.push(b'\n');
        lines.push(rubbish);
        let without = lines.concat();
        lines.insert(position.index(lines.len() + 1), line(0, own, other, wanted).into_bytes());
        let (own, other) = (canonical(own), canonical(other));
        let found = find_in(&*lines.concat(), own, Some(other)).unwrap();
        if find_in(&*without, own, Some(other)).unwrap().is_none() {
            prop_assert_eq!(found, Some(wanted));
        }
    }

    #[test]
    fn no_table_is_too_strange(bytes in proptest::collection::vec(any::<u8>(), 0..2000), own in some_address()) {
        let _ = find_in(&*bytes, own, None);
    }
}

#[test]
fn a_large_table_is_read_to_its_end() {
    let own: SocketAddr = "127.0.0.1:40000".parse().unwrap();
    let here: SocketAddr = "127.0.0.1:3721".parse().unwrap();
    let mut table = HEAD.to_owned();
    for number in 0..100_000_u32 {
        let other = SocketAddr::new(IpAddr::from([10, 0, 0, 1]), u16::try_from(number % 65_536).unwrap());
        table.push_str(&line(0, other, here, Entry { uid: number, inode: number, state: 1 }));
    }
    table.push_str(&line(0, own, here, Entry { uid: US, inode: 3, state: 1 }));
    assert_eq!(find_in(table.as_bytes(), own, Some(here)).unwrap(), entry(US, 3, 1));
}

/// The ways that this system has.
fn sources() -> Vec<Box<dyn Source>> {
    let mut sources: Vec<Box<dyn Source>> = Vec::new();
    #[cfg(target_os = "linux")]
    sources.extend(super::sock_diag::SockDiag::open().ok().map(|source| Box::new(source) as Box<dyn Source>));
    if cfg!(target_os = "linux") {
        sources.push(Box::new(ProcNet::of_this_process()));
    }
    sources
}

/// A connection within this process: the listener, both ends, and the one here as it is looked for.
fn connected(listener: TcpListener, to: SocketAddr) -> (TcpListener, TcpStream, TcpStream, ConnectionEnds) {
    let client = TcpStream::connect(to).unwrap();
    let (server, there) = listener.accept().unwrap();
    let here = canonical(server.local_addr().unwrap());
    let ends = ConnectionEnds { here, there: canonical(there), inode: inode(&server).unwrap() };
    (listener, client, server, ends)
}

#[test]
fn real_sockets_are_found_in_every_way_and_lost_when_they_are_closed() {
    for address in ["127.0.0.1:0", "[::1]:0", "127.0.0.2:0"] {
        for source in sources() {
            let Ok(listener) = TcpListener::bind(address) else { continue };
            let to = listener.local_addr().unwrap();
            assert!(knows_listener(&*source, &listener), "{source:?} {address}");
            let (listener, client, server, ends) = connected(listener, to);
            let users = Users { us: rustix::process::geteuid().as_raw(), nameless: None };
            let owners = Owners { source, users };
            assert_eq!(owners.owner(ends), Owner::Us, "{owners:?}");
            // The same socket under the number of another.
            assert_eq!(owners.owner(ConnectionEnds { inode: ends.inode ^ 1, ..ends }), Owner::Other);
            let stranger = Users { us: users.us.wrapping_add(1), nameless: None };
            let owners = Owners { source: owners.source, users: stranger };
            let expected = if users.us == 0 { Owner::Root } else { Owner::Other };
            assert_eq!(owners.owner(ends), expected);
            // Said its last word.
            client.shutdown(std::net::Shutdown::Write).unwrap();
            assert_eq!(owners.owner(ends), expected);
            // Closed before the lookup: then the kernel may name root as the owner.
            drop(client);
            assert_eq!(owners.owner(ends), Owner::Other, "{owners:?}");
            drop((listener, server));
        }
    }
}

#[test]
fn ipv4_is_found_when_a_socket_for_ipv6_speaks_it() {
    for source in sources() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let mapped = format!("[::ffff:127.0.0.1]:{port}").parse().unwrap();
        if TcpListener::bind("[::1]:0").is_err() {
            return;
        }
        let (_listener, _client, _server, ends) = connected(listener, mapped);
        let owners =
            Owners { source, users: Users { us: rustix::process::geteuid().as_raw(), nameless: None } };
        assert_eq!(owners.owner(ends), Owner::Us, "{owners:?}");
    }
}

#[test]
fn where_the_kernel_does_not_know_our_own_sockets_nobody_is_looked_for() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let empty = ProcNet::at(folder.path().to_owned());
    assert!(!knows_listener(&empty, &listener));
    // The table of another network, where another process listens at this address.
    let address = listener.local_addr().unwrap();
    let theirs = line(0, address, "0.0.0.0:0".parse().unwrap(), Entry { uid: US, inode: 1, state: LISTEN });
    std::fs::write(folder.path().join("tcp"), HEAD.to_owned() + &theirs).unwrap();
    assert!(!knows_listener(&empty, &listener));
    if cfg!(target_os = "linux") {
        assert!(Owners::known_to(&[listener]).is_some());
    }
}

/// Fails, as when there are no descriptors left.
#[derive(Debug)]
struct BrokenSource;

impl Source for BrokenSource {
    fn find(&self, _: SocketAddr, _: Option<SocketAddr>) -> io::Result<Option<Entry>> {
        Err(io::ErrorKind::Other.into())
    }

    fn is_quick(&self) -> bool {
        false
    }
}

#[tokio::test]
async fn whoever_makes_it_fail_is_a_stranger() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let to = listener.local_addr().unwrap();
    let (_listener, _client, server, _) = connected(listener, to);
    server.set_nonblocking(true).unwrap();
    let server = tokio::net::TcpStream::from_std(server).unwrap();
    let owners = Arc::new(Owners { source: Box::new(BrokenSource), users: THIS });
    assert_eq!(PeerOwner::lookup(&server, Some(&owners)).get().await, Owner::Other);
    assert_eq!(PeerOwner::lookup(&server, None).get().await, Owner::Unknown);
}
