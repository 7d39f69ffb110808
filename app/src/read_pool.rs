//! Where reads are done, beside the threads that serve.
//!
//! Two threads serve, and neither waits for the disk, the journal or a lock that is held during such a wait. A request that reads
//! has one of [`ReadPool::LIMIT`] turns on other threads, a request that writes one of as many others (`InFlight::write`), and
//! each is recorded while it runs. The watchdog restarts the daemon for a write that does not end, and for reads once they have
//! taken all turns: a single read may wait for the dead disk of one project. A read without an answer is refused with 503 after
//! [`ReadPool::DEADLINE`], including the time of waiting for a turn; its thread cannot be ended and keeps the turn until the
//! system lets go of the thread. A write is refused in the same way if it gets no turn; once begun, it is waited for. Requests
//! that need no disk (`Class::Instant`: `/health`, assets, refusals of the gate) are answered even when all turns are taken. A
//! request that is held, or streams its body, is run by a thread that serves, and has a turn only for its reads and writes.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use watchdog::Wait;

/// Threads for reads, which may wait for the disk or for the journal: a thread that serves must do neither. Clones share
/// their turns.
#[derive(Debug, Clone)]
pub struct ReadPool {
    turns: Arc<Semaphore>,
}

/// Why something was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadError {
    /// It was not done within [`ReadPool::DEADLINE`], its turn included.
    Late,
    /// It has panicked, or the process ends.
    Lost,
}

impl ReadPool {
    /// How many reads there are at a time.
    pub const LIMIT: usize = 64;
    /// How long a read is waited for.
    pub const DEADLINE: Duration = Duration::from_secs(30);

    /// Does `read` in its turn, on a thread that may wait. `name` stands for it in records of waits.
    ///
    /// What takes too long goes on, because no thread can be ended that waits for the system, and keeps its turn until then. The
    /// watchdog tells of it and does not restart the process for it: it may be the dead disk of one project. A read of the
    /// journal that does not end has a record of its own.
    ///
    /// # Errors
    ///
    /// When it takes too long, or panics.
    pub async fn run<T: Send + 'static>(
        &self,
        name: impl Into<Cow<'static, str>>,
        read: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ReadError> {
        let name = name.into();
        let done = async {
            // It is never closed.
            let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(|_| ReadError::Lost)?;
            let done = spawn_blocking(move || {
                let _turn = turn;
                let _wait = Wait::bounded(name, Duration::MAX);
                read()
            });
            done.await.map_err(|_| ReadError::Lost)
        };
        timeout(Self::DEADLINE, done).await.unwrap_or(Err(ReadError::Late))
    }
}

impl Default for ReadPool {
    fn default() -> Self {
        Self { turns: Arc::new(Semaphore::new(Self::LIMIT)) }
    }
}

#[cfg(test)]
mod tests {
    use super::{ReadError, ReadPool};
    use std::future::{Future as _, poll_fn};
    use std::pin::pin;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::task::Poll;
    use tokio::task::JoinHandle;
    use tokio::time::advance;

    /// As many reads as there can be at a time, each until its sender is dropped. All have begun.
    async fn full(pool: &ReadPool) -> (Vec<Sender<()>>, Vec<JoinHandle<Result<(), ReadError>>>) {
        let (begun, mut all) = tokio::sync::mpsc::unbounded_channel();
        let read = |_| {
            let (end, ended): (Sender<()>, Receiver<()>) = channel();
            let (pool, begun) = (pool.clone(), begun.clone());
            let reading = tokio::spawn(async move {
                let read = move || {
                    begun.send(()).unwrap();
                    let _ = ended.recv();
                };
                pool.run("a disk", read).await
            });
            (end, reading)
        };
        let reads = (0..ReadPool::LIMIT).map(read).unzip();
        for _ in 0..ReadPool::LIMIT {
            all.recv().await.unwrap();
        }
        reads
    }

    #[tokio::test(start_paused = true)]
    async fn a_read_without_a_turn_is_late_and_one_that_does_not_end_keeps_its_turn() {
        let pool = ReadPool::default();
        let (ends, reads) = full(&pool).await;
        let mut late = pin!(pool.run("another disk", || ()));
        assert!(poll_fn(|context| Poll::Ready(late.as_mut().poll(context).is_pending())).await);
        advance(ReadPool::DEADLINE).await;
        assert_eq!(late.await, Err(ReadError::Late));
        for read in reads {
            assert_eq!(read.await.unwrap(), Err(ReadError::Late));
        }
        assert_eq!(pool.turns.available_permits(), 0);
        drop(ends);
        assert_eq!(pool.run("another disk", || 1).await, Ok(1));
    }

    #[tokio::test]
    async fn a_read_that_panics_gives_its_turn_back() {
        let pool = ReadPool::default();
        for _ in 0..=ReadPool::LIMIT {
            let lost: Result<(), _> = pool.run("a disk", || panic!("on purpose")).await;
            assert_eq!(lost, Err(ReadError::Lost));
        }
        assert_eq!(pool.turns.available_permits(), ReadPool::LIMIT);
    }
}
