//! How many connections there are, and which of them leaves when there are too many.

use super::{InFlight, Limits};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use tokio::task::AbortHandle;

/// The connections, in the order they came.
#[derive(Debug)]
pub(crate) struct Connections {
    present: Mutex<Vec<Connection>>,
    limit: usize,
    peer_limit: usize,
}

#[derive(Debug)]
struct Connection {
    in_flight: InFlight,
    peer: IpAddr,
    task: AbortHandle,
}

impl Connections {
    /// `alone` if only this machine can connect: then all connections have one address.
    pub(crate) fn new(limits: &Limits, alone: bool) -> Self {
        let limit = limits.connections;
        Self { present: Mutex::default(), limit, peer_limit: if alone { limit } else { limits.per_peer } }
    }

    /// Adds the connection from `peer` that `task` serves. At a limit the oldest one that waits for nothing is cut off:
    /// it is idle, still sends, or does not read. So slow connections, however many, keep no client out (slowloris).
    /// Answers take no time, so connections that wait for one need no limit; held ones have their own.
    pub(crate) fn admit(&self, in_flight: InFlight, peer: IpAddr, task: AbortHandle) {
        let mut present = self.present.lock().unwrap_or_else(PoisonError::into_inner);
        present.retain(|connection| !connection.task.is_finished());
        let peer = peer.to_canonical();
        if present.iter().filter(|connection| connection.peer == peer).count() >= self.peer_limit {
            cut_off_oldest(&mut present, |connection| connection.peer == peer);
        } else if present.len() >= self.limit {
            cut_off_oldest(&mut present, |_| true);
        }
        present.push(Connection { in_flight, peer, task });
    }

    /// Cuts off one connection: the system has none to give any more.
    pub(crate) fn make_room(&self) {
        let mut present = self.present.lock().unwrap_or_else(PoisonError::into_inner);
        present.retain(|connection| !connection.task.is_finished());
        cut_off_oldest(&mut present, |_| true);
    }
}

fn cut_off_oldest(present: &mut Vec<Connection>, of: impl Fn(&Connection) -> bool) {
    let idle = |connection: &Connection| of(connection) && connection.in_flight.is_idle();
    if let Some(position) = present.iter().position(idle) {
        let connection = present.remove(position);
        tracing::debug!(peer = %connection.peer, "connection closed: too many connections");
        connection.task.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::{Connections, InFlight, Limits};
    use std::future::pending;
    use tokio::task::{JoinHandle, spawn, yield_now};

    const LIMIT: usize = 640;
    const PEER_LIMIT: usize = 32;

    /// No connections yet; `alone` if only this machine can connect.
    fn connections(alone: bool) -> Connections {
        let limits = Limits { connections: LIMIT, per_peer: PEER_LIMIT, ..Limits::default() };
        Connections::new(&limits, alone)
    }

    fn admit(connections: &Connections, busy: bool) -> JoinHandle<()> {
        admit_from(connections, 1, busy)
    }

    /// A connection from `10.0.0.peer` that stays, and whether it waits for an answer.
    fn admit_from(connections: &Connections, peer: u8, busy: bool) -> JoinHandle<()> {
        let state = InFlight::default();
        if busy {
            state.answering();
        }
        let connection = spawn(pending());
        connections.admit(state, [10, 0, 0, peer].into(), connection.abort_handle());
        connection
    }

    /// The positions of those that were cut off.
    async fn gone(connections: &[JoinHandle<()>]) -> Vec<usize> {
        // A task that was cut off ends in its next turn; each of ours gives one to others at least.
        for _ in connections {
            yield_now().await;
        }
        (0..connections.len()).filter(|position| connections[*position].is_finished()).collect()
    }

    #[tokio::test]
    async fn the_oldest_that_waits_for_nothing_leaves() {
        let connections = connections(true);
        let mut crowd: Vec<_> = (0..LIMIT).map(|position| admit(&connections, position < 2)).collect();
        assert_eq!(gone(&crowd).await, [0; 0]);
        crowd.push(admit(&connections, false));
        assert_eq!(gone(&crowd).await, [2]);
        // One that has ended by itself makes room as well.
        crowd[7].abort();
        assert_eq!(gone(&crowd).await, [2, 7]);
        crowd.push(admit(&connections, false));
        assert_eq!(gone(&crowd).await, [2, 7]);
        crowd.push(admit(&connections, false));
        assert_eq!(gone(&crowd).await, [2, 3, 7]);
    }

    #[tokio::test]
    async fn who_waits_for_an_answer_stays() {
        let connections = connections(true);
        let mut crowd: Vec<_> = (0..LIMIT).map(|_| admit(&connections, true)).collect();
        crowd.push(admit(&connections, false));
        assert_eq!(gone(&crowd).await, [0; 0]);
        crowd.push(admit(&connections, false));
        assert_eq!(gone(&crowd).await, [LIMIT]);
    }

    #[tokio::test]
    async fn where_others_can_come_nobody_takes_all_the_room() {
        let connections = connections(false);
        let mut crowd = vec![admit_from(&connections, 2, false)];
        crowd.extend((0..PEER_LIMIT).map(|_| admit_from(&connections, 1, false)));
        assert_eq!(gone(&crowd).await, [0; 0]);
        crowd.push(admit_from(&connections, 1, false));
        assert_eq!(gone(&crowd).await, [1]);
        // The others count for themselves, up to the limit of all.
        crowd.extend(
            (0..LIMIT - PEER_LIMIT - 1)
                .map(|other| admit_from(&connections, u8::try_from(3 + other / 30).unwrap(), false)),
        );
        assert_eq!(gone(&crowd).await, [1]);
        crowd.push(admit_from(&connections, 9, false));
        assert_eq!(gone(&crowd).await, [0, 1]);
    }

    #[tokio::test]
    async fn s64_without_descriptors_the_oldest_leaves() {
        let connections = connections(true);
        let crowd = [admit(&connections, true), admit(&connections, false), admit(&connections, false)];
        connections.make_room();
        assert_eq!(gone(&crowd).await, [1]);
        connections.make_room();
        connections.make_room();
        assert_eq!(gone(&crowd).await, [1, 2]);
    }
}
