//! How many connections there are, and which of them leaves when there are too many.

use crate::gate::Busy;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use tokio::task::AbortHandle;

/// The most connections at a time, beside those that are just being answered.
const LIMIT: usize = 128;

/// The connections, in the order they came.
#[derive(Debug, Default)]
pub(crate) struct Guests(Mutex<Vec<Guest>>);

#[derive(Debug)]
struct Guest {
    busy: Busy,
    task: AbortHandle,
}

impl Guests {
    /// Adds the connection that `task` serves. At the limit the oldest one that waits for no answer is cut off: it is
    /// idle, still sends, or does not read. So slow connections, however many, keep nobody out (slowloris). Answers
    /// take no time; those who wait for one need no limit.
    pub(crate) fn admit(&self, busy: Busy, task: AbortHandle) {
        let mut guests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        guests.retain(|guest| !guest.task.is_finished());
        if guests.len() >= LIMIT
            && let Some(position) = guests.iter().position(|guest| !guest.busy.0.load(Ordering::Acquire))
        {
            guests.remove(position).task.abort();
        }
        guests.push(Guest { busy, task });
    }
}

#[cfg(test)]
mod tests {
    use super::{Guests, LIMIT};
    use crate::gate::Busy;
    use std::future::pending;
    use std::sync::atomic::Ordering;
    use tokio::task::{JoinHandle, spawn, yield_now};

    /// A connection that stays, and whether it waits for an answer.
    fn admit(guests: &Guests, busy: bool) -> JoinHandle<()> {
        let state = Busy::default();
        state.0.store(busy, Ordering::Release);
        let connection = spawn(pending());
        guests.admit(state, connection.abort_handle());
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
        let guests = Guests::default();
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
        let guests = Guests::default();
        let mut crowd: Vec<_> = (0..LIMIT).map(|_| admit(&guests, true)).collect();
        crowd.push(admit(&guests, false));
        assert_eq!(gone(&crowd).await, [0; 0]);
        crowd.push(admit(&guests, false));
        assert_eq!(gone(&crowd).await, [LIMIT]);
    }
}
