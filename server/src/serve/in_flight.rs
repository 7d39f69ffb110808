//! What is under way on a connection: the router says it, and the loop that serves goes by it.

use super::Limits;
use std::borrow::Cow;
use std::future::Future;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout};
use watchdog::Wait;

/// How long a write waits for its turn.
pub(crate) const WRITE_DEADLINE: Duration = Duration::from_secs(30);

/// What one connection has under way. Every request carries it as an extension.
///
/// A connection is idle, or an answer is being made, or a request is held open. An idle one makes room for others and is
/// cut off when the server ends; an answer is waited for; what is held stays as long as the server does.
#[derive(Debug, Clone)]
pub struct InFlight {
    connection: Arc<Connection>,
    server: Arc<ServerInFlight>,
}

#[derive(Debug)]
struct Connection {
    number: u64,
    stage: Mutex<Stage>,
    holds: AtomicUsize,
    /// How many requests it has brought.
    requests: AtomicU64,
    /// Of the loop that serves it, as long as that does.
    presence: OnceLock<Weak<()>>,
    /// Tells the loop that serves of every change.
    changed: Notify,
}

/// How far the last request of a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// There is none, or its answer has left.
    Idle,
    /// Its head is there, and not all of its body was read.
    Begun {
        /// Since when the body is waited for, once it is.
        waits: Option<Instant>,
    },
    /// All of it is there, and its answer is being made.
    Answering {
        /// Whether the answer says that something was written.
        writes: bool,
    },
    /// The answer is being sent.
    Leaving {
        /// Whether all of it was handed on to be sent.
        is_whole: bool,
    },
}

impl Default for Connection {
    fn default() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let (holds, changed) = (AtomicUsize::default(), Notify::new());
        let (requests, presence) = (AtomicU64::default(), OnceLock::new());
        Self { number, stage: Mutex::new(Stage::Idle), holds, requests, presence, changed }
    }
}

impl Connection {
    /// Changes the stage to the one that follows from it, if one does.
    fn advance(&self, next: impl FnOnce(Stage) -> Option<Stage>) {
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(next) = next(*stage) {
            *stage = next;
            drop(stage);
            self.changed.notify_one();
        }
    }

    fn stage(&self) -> Stage {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What all connections of a server have under way.
#[derive(Debug)]
pub(crate) struct ServerInFlight {
    writes: Arc<Semaphore>,
    holds: Arc<Semaphore>,
    hold_limit: usize,
    ending: watch::Sender<bool>,
}

/// Why something was not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// Its turn did not come in time. It was not begun.
    #[error("not started in time")]
    Late,
    /// It has panicked, or the process ends.
    #[error("the thread that writes has ended")]
    Lost,
}

/// A request that is held open, or a connection that was upgraded: it is not idle, nothing waits for it when the server
/// ends, and there is a limit of its own. It ends when this is dropped.
#[derive(Debug)]
pub struct Hold {
    in_flight: InFlight,
    _permit: OwnedSemaphorePermit,
}

impl ServerInFlight {
    /// The most writes at a time. They wait for one lock in any case.
    pub(crate) const WRITE_LIMIT: u32 = 64;

    pub(crate) fn new(hold_limit: usize) -> Arc<Self> {
        Arc::new(Self {
            writes: Arc::new(Semaphore::new(Self::WRITE_LIMIT as usize)),
            holds: Arc::new(Semaphore::new(hold_limit)),
            hold_limit,
            ending: watch::Sender::new(false),
        })
    }

    /// A connection of this server.
    pub(crate) fn connection(self: &Arc<Self>) -> InFlight {
        InFlight { connection: Arc::default(), server: Arc::clone(self) }
    }

    /// Tells all that the server ends.
    pub(crate) fn end(&self) {
        self.ending.send_replace(true);
    }

    /// Completes when the server begins to shut down.
    pub(crate) async fn ending(&self) {
        // The sender lives as long as this.
        let _ = self.ending.subscribe().wait_for(|ending| *ending).await;
    }

    /// Waits until nothing is being written any more.
    pub(crate) async fn written(&self) {
        // It is never closed.
        let _ = self.writes.acquire_many(Self::WRITE_LIMIT).await;
    }

    /// Waits until nothing is held any more.
    pub(crate) async fn released(&self) {
        let all = u32::try_from(self.hold_limit).unwrap_or(u32::MAX);
        // It is never closed.
        let _ = self.holds.acquire_many(all).await;
    }
}

impl InFlight {
    /// Returns the number of the connection. No other one of this process has it.
    pub fn connection(&self) -> u64 {
        self.connection.number
    }

    /// Returns what is dropped when the connection ends.
    pub fn presence(&self) -> Weak<()> {
        self.connection.presence.get().cloned().unwrap_or_default()
    }

    /// Has the connection end when what is returned is dropped.
    pub(crate) fn present(&self) -> Arc<()> {
        let presence = Arc::new(());
        // It is one connection's, and that begins once.
        let _ = self.connection.presence.set(Arc::downgrade(&presence));
        presence
    }

    /// Whether the request that is under way is the first of the connection.
    pub fn is_first_request(&self) -> bool {
        self.connection.requests.load(Ordering::Acquire) <= 1
    }

    /// The head of a request has arrived.
    pub(crate) fn begun(&self) {
        self.connection.requests.fetch_add(1, Ordering::AcqRel);
        self.connection.advance(|_| Some(Stage::Begun { waits: None }));
    }

    /// The client has to send more of its request.
    pub(crate) fn waits_for_client(&self) {
        self.connection.advance(|stage| match stage {
            Stage::Begun { waits: None } => Some(Stage::Begun { waits: Some(Instant::now()) }),
            _ => None,
        });
    }

    /// A request has arrived as a whole: from here on its answer is waited for, until it is there.
    pub fn answering(&self) {
        self.connection.advance(|stage| match stage {
            Stage::Answering { .. } => None,
            _ => Some(Stage::Answering { writes: false }),
        });
    }

    /// The answer is there; it is only sent from here on.
    pub(crate) fn answered(&self) {
        self.connection.advance(|_| Some(Stage::Leaving { is_whole: false }));
    }

    /// All of the answer was handed on to be sent.
    pub(crate) fn is_handed_on(&self) {
        self.connection.advance(|stage| match stage {
            Stage::Leaving { .. } => Some(Stage::Leaving { is_whole: true }),
            _ => None,
        });
    }

    /// The system has taken some of what is to be sent.
    pub(crate) fn has_sent(&self) {
        self.connection.changed.notify_one();
    }

    /// The system has taken all that was handed on.
    pub(crate) fn has_sent_all(&self) {
        self.connection.advance(|stage| match stage {
            Stage::Leaving { is_whole: true } => Some(Stage::Idle),
            _ => None,
        });
    }

    /// Completes when the connection goes on.
    pub(crate) async fn changed(&self) {
        self.connection.changed.notified().await;
    }

    /// Until when the end of the server, which came at `ended`, waits for the connection as it is now; `None` as long as it takes.
    pub(crate) fn awaited_until(&self, ended: Instant, limits: &Limits) -> Option<Instant> {
        let now = Instant::now();
        if self.is_held() {
            return Some(now + limits.flush_deadline);
        }
        match self.connection.stage() {
            Stage::Idle => Some(now + limits.flush_deadline),
            Stage::Begun { waits: Some(since) } => Some(since.max(ended) + limits.arrival_deadline),
            // A write is waited for in any case, and lost would be only how it ended.
            Stage::Answering { writes: true } => None,
            Stage::Begun { waits: None } | Stage::Answering { writes: false } => {
                Some(now + limits.drain_deadline)
            }
            // Each part that is taken gives time for the next one, up to what an answer has as a whole.
            Stage::Leaving { .. } => Some((now + limits.stall_deadline).min(ended + limits.drain_deadline)),
        }
    }

    /// The request is one that is held open; `None` when too many are.
    pub fn hold(&self) -> Option<Hold> {
        let permit = Arc::clone(&self.server.holds).try_acquire_owned().ok()?;
        self.connection.holds.fetch_add(1, Ordering::AcqRel);
        Some(Hold { in_flight: self.clone(), _permit: permit })
    }

    /// Does `write` in its turn, on a thread that may wait. `name` stands for it in records of waits. Once begun it has no
    /// deadline: it goes on whatever becomes of the request, and the server does not end before it has.
    ///
    /// # Errors
    ///
    /// When its turn does not come within 30 seconds, or when it panics.
    pub async fn write<T: Send + 'static>(
        &self,
        name: impl Into<Cow<'static, str>>,
        write: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, WriteError> {
        self.connection.advance(|stage| match stage {
            Stage::Answering { writes: false } => Some(Stage::Answering { writes: true }),
            _ => None,
        });
        let turn = timeout(WRITE_DEADLINE, Arc::clone(&self.server.writes).acquire_owned()).await;
        // It is never closed.
        let turn = turn.map_err(|_| WriteError::Late)?.map_err(|_| WriteError::Lost)?;
        let name = name.into();
        let done = spawn_blocking(move || {
            let _turn = turn;
            let _wait = Wait::begin(name);
            write()
        });
        done.await.map_err(|_| WriteError::Lost)
    }

    /// Does `work`, which writes as well, soon and on a thread that may wait. The server does not end before it is done, unless
    /// very much is being written.
    pub(crate) fn write_later(&self, work: impl FnOnce() + Send + 'static) {
        let turn = Arc::clone(&self.server.writes).try_acquire_owned();
        let work = move || {
            let _turn = turn;
            let _wait = Wait::begin("what is left to be written");
            work();
        };
        match Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(work)),
            Err(_) => work(),
        }
    }

    /// Completes when the server begins to shut down. Held requests then have a moment for their last message.
    pub async fn ending(&self) {
        self.server.ending().await;
    }

    /// Whether the server shuts down.
    pub(crate) fn is_ending(&self) -> bool {
        *self.server.ending.borrow()
    }

    /// Whether no answer is being made and no request held.
    pub(crate) fn is_idle(&self) -> bool {
        !self.is_answering() && !self.is_held()
    }

    /// Whether an answer is being made that the end waits for.
    #[cfg(test)]
    pub(crate) fn is_awaited(&self) -> bool {
        self.is_answering() && !self.is_held()
    }

    fn is_answering(&self) -> bool {
        matches!(self.connection.stage(), Stage::Answering { .. })
    }

    fn is_held(&self) -> bool {
        self.connection.holds.load(Ordering::Acquire) > 0
    }
}

impl Default for InFlight {
    /// A connection that is no server's.
    fn default() -> Self {
        ServerInFlight::new(Limits::default().held).connection()
    }
}

impl Hold {
    /// Does `work` until it is done or the server ends; then it is dropped, and `None` is returned.
    pub async fn until_the_end<T>(self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            done = work => Some(done),
            () = self.in_flight.ending() => None,
        }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.in_flight.connection.holds.fetch_sub(1, Ordering::AcqRel);
        self.in_flight.connection.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::ServerInFlight;

    #[tokio::test]
    async fn an_answer_is_waited_for_and_what_is_held_is_not() {
        let server = ServerInFlight::new(2);
        let (one, other) = (server.connection(), server.connection());
        assert!(one.is_idle() && !one.is_awaited());
        one.answering();
        assert!(!one.is_idle() && one.is_awaited());
        assert!(other.is_idle());
        let hold = one.hold().unwrap();
        assert!(!one.is_idle() && !one.is_awaited());
        // The head of an answer that goes on.
        one.answered();
        assert!(!one.is_idle() && !one.is_awaited());
        drop(hold);
        assert!(one.is_idle());
    }

    #[tokio::test]
    async fn only_so_much_is_held() {
        let server = ServerInFlight::new(2);
        let (one, other) = (server.connection(), server.connection());
        let (first, _second) = (one.hold().unwrap(), other.hold().unwrap());
        assert!(one.hold().is_none());
        drop(first);
        assert!(one.hold().is_some());
    }

    #[tokio::test]
    async fn what_is_held_ends_with_the_server() {
        let server = ServerInFlight::new(1);
        let connection = server.connection();
        let hold = connection.hold().unwrap();
        assert_eq!(hold.until_the_end(async { 1 }).await, Some(1));
        let hold = connection.hold().unwrap();
        server.end();
        assert_eq!(hold.until_the_end(std::future::pending::<()>()).await, None);
        server.released().await;
        // It also completes for a later call.
        connection.ending().await;
    }
}
