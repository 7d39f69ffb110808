//! Whether a client has got an answer: it said something else after it was sent.
//!
//! That it is the same client is known of the one on standard input, within a session, and of a connection. One of the newest revision
//! over HTTP has no session, and may use a new connection for each request. What it was answered has arrived when the connection of
//! that, which had no other request, was closed and a client that shows the same credentials, has the same name and version and means
//! the same project goes on; or when it has fetched the whole answer by `decide_result`, `decide_wait` or `tasks/get`.

use model::SessionId;
use rmcp::model::RequestId;
use rmcp::service::{RequestContext, RoleServer};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use store::Decisions;
use tokio::sync::{mpsc, oneshot};

/// For the task that writes down what has arrived.
#[derive(Debug)]
pub(crate) enum Arrival {
    /// This answer has.
    Answer(Parcel),
    /// A call goes on once everything before is written down.
    Noted(oneshot::Sender<()>),
}

/// Where [`Arrival`]s go.
#[derive(Debug, Clone)]
pub(crate) struct Arrivals(mpsc::UnboundedSender<Arrival>);

impl Arrivals {
    /// Returns it with the other end.
    pub(crate) fn new() -> (Self, mpsc::UnboundedReceiver<Arrival>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self(sender), receiver)
    }

    /// Has these written down, soon.
    pub(crate) fn note(&self, arrived: impl IntoIterator<Item = Parcel>) {
        for parcel in arrived {
            // Where the receiver is gone, the same questions are answered once more.
            let _ = self.0.send(Arrival::Answer(parcel));
        }
    }

    /// Waits until everything that was noted before is written down.
    pub(crate) async fn noted(&self) {
        let (done, noted) = oneshot::channel();
        if self.0.send(Arrival::Noted(done)).is_ok() {
            let _ = noted.await;
        }
    }
}

/// The answer to a set of questions, on its way to a client.
#[derive(Debug, Clone)]
pub(crate) struct Parcel {
    pub(crate) decisions: Arc<Decisions>,
    pub(crate) session: SessionId,
    pub(crate) stage: Stage,
}

/// How far it has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The result is written.
    Written,
    /// The client does not want it, and may not have read it.
    Refused,
    /// The client has it.
    Arrived,
}

impl Parcel {
    fn at(self, stage: Stage) -> Self {
        Self { stage, ..self }
    }
}

/// One client, as far as one can be told from another.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Speaker {
    /// The one on standard input.
    Stdio,
    /// The one of a session over HTTP.
    Session(Arc<str>),
    /// The one that uses a connection for HTTP: what it asks next it asks once it has read what it was answered before.
    Connection(u64),
}

/// A connection for HTTP.
#[derive(Debug, Clone, Default)]
pub struct Connection {
    /// No other one of this process has the same.
    pub number: u64,
    /// Whether the request is the first that came by it.
    pub is_new: bool,
    /// Whatever there is as long as the connection is.
    pub presence: Weak<()>,
}

impl Connection {
    fn is_closed(&self) -> bool {
        self.presence.strong_count() == 0
    }
}

/// A request over HTTP of a client without a session.
#[derive(Debug, Clone)]
pub(crate) struct Post {
    pub(crate) caller: Caller,
    pub(crate) connection: Connection,
    /// Whether its client has just begun, and cannot know of anything before.
    pub(crate) begins: bool,
    /// Whether it asks for the answer to known questions: with the whole of that its client has it.
    pub(crate) fetches: bool,
}

/// A client without a session, as far as it can be told from others that use a new connection for each request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caller {
    /// Derived from what it shows to be let in.
    pub(crate) credentials: u64,
    pub(crate) name: String,
    pub(crate) version: String,
    /// The project that it names.
    pub(crate) project: Option<String>,
}

/// A request of a client.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct RequestKey {
    pub(crate) speaker: Speaker,
    pub(crate) request: Request,
}

/// Which of its requests it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Request {
    /// By the id that the client has given it.
    Line(RequestId),
    /// By its number here: clients of different connections may use the same ids.
    Post(u64),
}

impl RequestKey {
    /// Returns the request that `context` belongs to.
    pub(crate) fn from_context(context: &RequestContext<RoleServer>) -> Self {
        let parts = context.extensions.get::<http::request::Parts>();
        parts
            .and_then(|parts| parts.extensions.get::<Self>())
            .cloned()
            .unwrap_or_else(|| Self::line(&context.id))
    }

    /// Returns the request `id` on standard input.
    pub(crate) fn line(id: &RequestId) -> Self {
        Self { speaker: Speaker::Stdio, request: Request::Line(id.clone()) }
    }
}

/// A moment, in the order of what was read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LogicalTime(u64);

/// The most results whose arrival is watched. Of older ones it stays unknown: a client on a connection that has ended says nothing
/// more.
const MAX_WRITTEN: usize = 4096;

/// So many requests are known to be refused before their result was made.
const MAX_REFUSED: usize = 256;

/// For how long after a result a cancellation may have crossed it. Libraries cancel later as well, for instance all requests of a
/// session at its end, and have read the results of those long before.
const CROSSES: Duration = Duration::from_millis(250);

/// What is on its way.
#[derive(Debug, Default)]
pub(crate) struct Delivery(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    last: u64,
    /// By the request whose result has them.
    promised: HashMap<RequestKey, Vec<Parcel>>,
    /// Their results are being written, or were.
    written: HashMap<RequestKey, WrittenResult>,
    /// The latest requests of which no result is wanted, the newest last.
    refused: VecDeque<RequestKey>,
}

#[derive(Debug)]
struct WrittenResult {
    /// Since when.
    at: LogicalTime,
    since: Instant,
    parcels: Vec<Parcel>,
    /// The request, where its client has no session.
    post: Option<Arc<Post>>,
    /// Whether its client has said something else, if it was that: its connection was still open.
    is_heard: bool,
}

impl State {
    fn now(&mut self) -> LogicalTime {
        self.last += 1;
        LogicalTime(self.last)
    }
}

impl Delivery {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns this moment: later than all before it.
    pub(crate) fn now(&self) -> LogicalTime {
        self.state().now()
    }

    /// Notes that the result of a request has an answer. False where the client has refused that result already.
    #[must_use = "a hook has to bring what is refused"]
    pub(crate) fn promise(&self, asked: RequestKey, parcel: Parcel) -> bool {
        let mut state = self.state();
        if state.refused.contains(&asked) {
            return false;
        }
        state.promised.entry(asked).or_default().push(parcel);
        true
    }

    /// Notes that the result of a request is being written.
    pub(crate) fn wrote(&self, asked: &RequestKey) {
        self.wrote_to(asked, None);
    }

    /// The same; `post` is the request where its client has no session.
    pub(crate) fn wrote_to(&self, asked: &RequestKey, post: Option<&Arc<Post>>) {
        let mut state = self.state();
        if let Some(parcels) = state.promised.remove(asked) {
            let now = state.now();
            if state.written.len() >= MAX_WRITTEN {
                let oldest = state.written.iter().min_by_key(|(_, written)| written.at);
                if let Some(oldest) = oldest.map(|(asked, _)| asked.clone()) {
                    state.written.remove(&oldest);
                }
            }
            let since = Instant::now();
            let written = WrittenResult { at: now, since, parcels, post: post.cloned(), is_heard: false };
            state.written.insert(asked.clone(), written);
        }
    }

    /// Returns what the result of a request has, which was written whole.
    pub(crate) fn written(&self, asked: &RequestKey) -> Vec<Parcel> {
        let state = self.state();
        let parcels = state.written.get(asked).map(|written| written.parcels.clone()).unwrap_or_default();
        parcels.into_iter().map(|parcel| parcel.at(Stage::Written)).collect()
    }

    /// Notes that the client does not want the result of a request, and may not have read it. Returns what that has.
    #[must_use = "a hook has to bring it"]
    pub(crate) fn refuse(&self, asked: &RequestKey) -> Vec<Parcel> {
        let mut state = self.state();
        let promised = state.promised.remove(asked).unwrap_or_default();
        let written = state.written.remove(asked).map(|written| written.parcels).unwrap_or_default();
        // The result may still be made.
        if state.refused.len() >= MAX_REFUSED {
            state.refused.pop_front();
        }
        state.refused.push_back(asked.clone());
        promised.into_iter().chain(written).map(|parcel| parcel.at(Stage::Refused)).collect()
    }

    /// Notes that the client has cancelled a request, `now`. Returns what it may not have read.
    #[must_use = "a hook has to bring it"]
    pub(crate) fn cancelled(&self, asked: &RequestKey, now: Instant) -> Vec<Parcel> {
        let sent = self.state().written.get(asked).map(|written| written.since);
        let has_crossed = sent.is_none_or(|since| now.saturating_duration_since(since) < CROSSES);
        // What is not refused is neither known to be read: the client may still ask for it.
        if has_crossed { self.refuse(asked) } else { Vec::new() }
    }

    /// Returns what has arrived at a client that said something else. What it said was read at the moment `read`: what was written
    /// later it cannot have known.
    pub(crate) fn arrived(&self, speaker: &Speaker, read: LogicalTime) -> Vec<Parcel> {
        let mut state = self.state();
        if state.written.is_empty() {
            return Vec::new();
        }
        let has_arrived =
            |asked: &RequestKey, written: &mut WrittenResult| asked.speaker == *speaker && written.at < read;
        state.written.extract_if(has_arrived).flat_map(|(_, written)| written.parcels).collect()
    }

    /// Returns what has arrived at the client of `post`, which was read at the moment `read`, where that client connects for each
    /// request: the connection of the answer had no other one, and is closed. Where it is still open, [`Self::closed`] tells later;
    /// the other value says whether there is such an answer.
    pub(crate) fn arrived_by(&self, post: &Post, read: LogicalTime) -> (Vec<Parcel>, bool) {
        let mut state = self.state();
        if state.written.is_empty() || post.begins {
            return (Vec::new(), false);
        }
        let mut is_open = false;
        let has_arrived = |_: &RequestKey, written: &mut WrittenResult| {
            let is_theirs = written.post.as_ref().is_some_and(|asked| {
                asked.connection.is_new
                    && asked.connection.number != post.connection.number
                    && asked.caller == post.caller
            });
            if !is_theirs || written.at >= read {
                return false;
            }
            written.is_heard = true;
            let is_closed = written.post.as_ref().is_some_and(|asked| asked.connection.is_closed());
            is_open |= !is_closed;
            is_closed
        };
        let arrived = state.written.extract_if(has_arrived);
        let arrived = arrived.flat_map(|(_, written)| written.parcels).collect();
        (arrived, is_open)
    }

    /// Returns what has arrived at clients that had said something else before the connection of the answer was known to be closed.
    pub(crate) fn closed(&self) -> Vec<Parcel> {
        let has_arrived = |_: &RequestKey, written: &mut WrittenResult| {
            written.is_heard && written.post.as_ref().is_some_and(|asked| asked.connection.is_closed())
        };
        let mut state = self.state();
        state.written.extract_if(has_arrived).flat_map(|(_, written)| written.parcels).collect()
    }

    /// Returns what a client has fetched that has got the whole result of a request.
    pub(crate) fn fetched(&self, asked: &RequestKey) -> Vec<Parcel> {
        self.state().written.remove(asked).map(|written| written.parcels).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::{CROSSES, Delivery, LogicalTime, Parcel, RequestKey, Speaker, Stage};
    use model::SessionId;
    use rmcp::model::RequestId;
    use std::sync::Arc;
    use std::time::Instant;
    use store::{Decisions, Project, init};
    use tempfile::TempDir;

    #[test]
    fn a_cancellation_takes_an_answer_back_only_while_it_may_have_crossed_it() {
        let folder = TempDir::new().unwrap();
        init(folder.path()).unwrap();
        let decisions: Arc<Decisions> = Arc::new(Project::at(folder.path()).unwrap().decisions().unwrap());
        let session: SessionId = "2026-01-02T03-04-05".parse().unwrap();
        let (stage, of) = (Stage::Arrived, Arc::clone(&decisions));
        let parcel = || Parcel { decisions: Arc::clone(&of), session: session.clone(), stage };
        let delivery = Delivery::default();
        let stages =
            |parcels: Vec<Parcel>| parcels.into_iter().map(|parcel| parcel.stage).collect::<Vec<_>>();
        let asked = |number| RequestKey::line(&RequestId::Number(number));
        assert!(delivery.promise(asked(1), parcel()));
        let refused = stages(delivery.cancelled(&asked(1), Instant::now()));
        assert_eq!(refused, [Stage::Refused], "before the result");
        assert!(delivery.promise(asked(2), parcel()));
        let before = Instant::now();
        delivery.wrote(&asked(2));
        assert_eq!(stages(delivery.cancelled(&asked(2), before)), [Stage::Refused], "on the way");
        assert!(delivery.promise(asked(3), parcel()));
        delivery.wrote(&asked(3));
        assert_eq!(stages(delivery.cancelled(&asked(3), Instant::now() + CROSSES)), [], "long after it");
        // It is still noted once the client says something.
        assert_eq!(stages(delivery.arrived(&Speaker::Stdio, LogicalTime(u64::MAX))), [Stage::Arrived]);
        // While the result is made: nothing is on its way then.
        assert_eq!(stages(delivery.cancelled(&asked(4), Instant::now())), []);
        assert!(!delivery.promise(asked(4), parcel()) && delivery.promise(asked(5), parcel()));
    }
}
