//! How many connections there are, and which of them leaves when there are too many.

use crate::gate::Busy;
use std::net::IpAddr;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use tokio::task::AbortHandle;

/// The most connections at a time, beside those that are just being answered: enough for hundreds of requests that
/// arrive in one moment, and well below the 1,024 descriptors that most systems give a process. Where there are fewer,
/// half of them: an answer needs some as well, to be written down.
const LIMIT: usize = 640;
/// The most of them from one address, where others than this machine can come.
const PEER_LIMIT: usize = 32;

/// The connections, in the order they came.
#[derive(Debug)]
pub(crate) struct Guests {
    present: Mutex<Vec<Guest>>,
    limit: usize,
    peer_limit: usize,
}

#[derive(Debug)]
struct Guest {
    busy: Busy,
    peer: IpAddr,
    task: AbortHandle,
}

impl Guests {
    /// `alone` when nobody but this machine can come: then all have one address.
    pub(crate) fn new(alone: bool) -> Self {
        let descriptors = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        let limit =
            descriptors.and_then(|all| usize::try_from(all / 2).ok()).map_or(LIMIT, |half| half.min(LIMIT));
        Self { present: Mutex::default(), limit, peer_limit: if alone { limit } else { PEER_LIMIT } }
    }

    /// Adds the connection from `peer` that `task` serves. At a limit the oldest one that waits for no answer is cut
    /// off: it is idle, still sends, or does not read. So slow connections, however many, keep nobody out (slowloris).
    /// Answers take no time; those who wait for one need no limit.
    pub(crate) fn admit(&self, busy: Busy, peer: IpAddr, task: AbortHandle) {
        let mut guests = self.present.lock().unwrap_or_else(PoisonError::into_inner);
        guests.retain(|guest| !guest.task.is_finished());
        let peer = peer.to_canonical();
        if guests.iter().filter(|guest| guest.peer == peer).count() >= self.peer_limit {
            cut_off_oldest(&mut guests, |guest| guest.peer == peer);
        } else if guests.len() >= self.limit {
            cut_off_oldest(&mut guests, |_| true);
        }
        guests.push(Guest { busy, peer, task });
    }

    /// Cuts off one connection: the system has none to give any more.
    pub(crate) fn make_room(&self) {
        let mut guests = self.present.lock().unwrap_or_else(PoisonError::into_inner);
        guests.retain(|guest| !guest.task.is_finished());
        cut_off_oldest(&mut guests, |_| true);
    }
}

fn cut_off_oldest(guests: &mut Vec<Guest>, of: impl Fn(&Guest) -> bool) {
    let idle = |guest: &Guest| of(guest) && !guest.busy.0.load(Ordering::Acquire);
    if let Some(position) = guests.iter().position(idle) {
        guests.remove(position).task.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::{Guests, LIMIT, PEER_LIMIT};
    use crate::gate::Busy;
    use std::future::pending;
    use std::sync::atomic::Ordering;
    use tokio::task::{JoinHandle, spawn, yield_now};

    fn admit(guests: &Guests, busy: bool) -> JoinHandle<()> {
        admit_from(guests, 1, busy)
    }

    /// A connection from `10.0.0.peer` that stays, and whether it waits for an answer.
    fn admit_from(guests: &Guests, peer: u8, busy: bool) -> JoinHandle<()> {
        let state = Busy::default();
        state.0.store(busy, Ordering::Release);
        let connection = spawn(pending());
        guests.admit(state, [10, 0, 0, peer].into(), connection.abort_handle());
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
        let guests = Guests::new(true);
        let mut crowd: Vec<_> = (0..LIMIT).map(|position| admit(&guests, position < 2)).collect();
        assert_eq!(gone(&crowd).await, [0; 0]);
        crowd.push(admit(&guests, false));
        assert_eq!(gone(&crowd).await, [2]);
        // One that has ended by itself makes room as well.
        crowd[7].abort();
        assert_eq!(gone(&crowd).await, [2, 7]);
        crowd.push(admit(&guests, false));
        assert_eq!(gone(&crowd).await, [2, 7]);
        crowd.push(admit(&guests, false));
        assert_eq!(gone(&crowd).await, [2, 3, 7]);
    }

    #[tokio::test]
    async fn who_waits_for_an_answer_stays() {
        let guests = Guests::new(true);
        let mut crowd: Vec<_> = (0..LIMIT).map(|_| admit(&guests, true)).collect();
        crowd.push(admit(&guests, false));
        assert_eq!(gone(&crowd).await, [0; 0]);
        crowd.push(admit(&guests, false));
        assert_eq!(gone(&crowd).await, [LIMIT]);
    }

    #[tokio::test]
    async fn where_others_can_come_nobody_takes_all_the_room() {
        let guests = Guests::new(false);
        let mut crowd = vec![admit_from(&guests, 2, false)];
        crowd.extend((0..PEER_LIMIT).map(|_| admit_from(&guests, 1, false)));
        assert_eq!(gone(&crowd).await, [0; 0]);
        crowd.push(admit_from(&guests, 1, false));
        assert_eq!(gone(&crowd).await, [1]);
        // The others count for themselves, up to the limit of all.
        crowd.extend(
            (0..LIMIT - PEER_LIMIT - 1)
                .map(|other| admit_from(&guests, u8::try_from(3 + other / 30).unwrap(), false)),
        );
        assert_eq!(gone(&crowd).await, [1]);
        crowd.push(admit_from(&guests, 9, false));
        assert_eq!(gone(&crowd).await, [0, 1]);
    }

    #[tokio::test]
    async fn s64_without_descriptors_the_oldest_leaves() {
        let guests = Guests::new(true);
        let crowd = [admit(&guests, true), admit(&guests, false), admit(&guests, false)];
        guests.make_room();
        assert_eq!(gone(&crowd).await, [1]);
        guests.make_room();
        guests.make_room();
        assert_eq!(gone(&crowd).await, [1, 2]);
    }
}
