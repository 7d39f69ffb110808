//! Ports that no other process takes while a test runs.

use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};

/// Ten ports in a row, held.
#[derive(Debug)]
pub(crate) struct Ports {
    pub(crate) first: u16,
    held: Vec<Vec<TcpListener>>,
}

impl Ports {
    /// Below the ports that the system gives out, so that only another search like this one competes; those begin at
    /// different places.
    pub(crate) fn hold() -> Self {
        let start = 12_000 + u16::try_from(std::process::id() % 1000).unwrap() * 10;
        (start..30_000)
            .step_by(10)
            .find_map(|first| {
                let held = (first..first + 10).map(hold).collect::<Option<Vec<_>>>()?;
                Some(Self { first, held })
            })
            .unwrap()
    }

    /// Gives one of them back, counted from 0.
    pub(crate) fn release(&mut self, index: usize) {
        self.held[index].clear();
    }
}

/// Both loopback addresses, where there are both.
fn hold(port: u16) -> Option<Vec<TcpListener>> {
    let mut held = vec![TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok()?];
    match TcpListener::bind((Ipv6Addr::LOCALHOST, port)) {
        Ok(listener) => held.push(listener),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => return None,
        Err(_) => {}
    }
    Some(held)
}
