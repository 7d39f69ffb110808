//! Which addresses are on the public internet, and which lead into a network that a stranger must not see.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Networks outside the public internet, each with the length of its prefix: IANA's registry of special addresses.
const SPECIAL_V4: &[(Ipv4Addr, u32)] = &[
    // "This network".
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    // Private.
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    // Shared by the customers of a provider.
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    // Loopback.
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // Link-local, with what clouds tell their machines.
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    // Protocols.
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    // Documentation.
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    // The way to IPv6 of former times.
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    // Measurements.
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    // Multicast, what is reserved, and broadcast.
    (Ipv4Addr::new(224, 0, 0, 0), 3),
];

/// The same among the addresses of the internet (`2000::/3`). All others are not public: loopback, link-local, unique local,
/// multicast, those that embed an IPv4 address (`::ffff:0:0/96`), and those that lead to one (`64:ff9b::/96`).
const SPECIAL_V6: &[(Ipv6Addr, u32)] = &[
    // Protocols, Teredo among them.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    // Documentation.
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    // 6to4, which leads to any address of IPv4.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];
const INTERNET_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Whether an address is one of the internet: not of this machine, nor of a network behind which it stands.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            !SPECIAL_V4.iter().any(|(network, length)| (bits(address) ^ bits(*network)) >> (32 - length) == 0)
        }
        IpAddr::V6(address) => {
            let is_in = |(network, length): (Ipv6Addr, u32)| {
                (address.to_bits() ^ network.to_bits()) >> (128 - length) == 0
            };
            is_in(INTERNET_V6) && !SPECIAL_V6.iter().copied().any(is_in)
        }
    }
}

fn bits(address: Ipv4Addr) -> u32 {
    address.to_bits()
}

#[cfg(test)]
mod tests {
    use super::is_public;
    use std::net::IpAddr;

    #[test]
    fn what_is_of_the_internet_is_public() {
        for address in [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:4700:4700::1111",
            "2a00:1450:4001:80b::200e",
            "2001:4860:4860::8888",
            "2003::1",
        ] {
            assert!(is_public(address.parse::<IpAddr>().unwrap()), "{address}");
        }
    }

    #[test]
    fn what_is_of_this_machine_or_of_its_networks_is_not() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.8.8.8",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.170",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            // In another form: of IPv4.
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::ffff:0:127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::8.8.8.8",
            "64:ff9b:1::10.0.0.1",
            "2002:7f00:1::",
            "2002:a00:1::1",
            "2001::1",
            "2001:db8::1",
            "3fff::1",
            "100::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(address.parse::<IpAddr>().unwrap()), "{address}");
        }
    }
}
