//! Whether a client has got an answer: it said something else after it was sent.

use model::SessionId;
use rmcp::model::RequestId;
use rmcp::service::{RequestContext, RoleServer};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::Decisions;

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

/// A request of a client.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Asked {
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

impl Asked {
    /// Returns the request that `context` belongs to.
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Self {
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
pub(crate) struct Moment(u64);

/// The most results whose arrival is watched. Of older ones it stays unknown: a client on a connection that has ended says nothing
/// more.
const MAX_WRITTEN: usize = 4096;

/// What is on its way.
#[derive(Debug, Default)]
pub(crate) struct Delivery(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    last: u64,
    /// By the request whose result has them.
    promised: HashMap<Asked, Vec<Parcel>>,
    /// Their results are being written, or were, since this moment.
    written: HashMap<Asked, (Moment, Vec<Parcel>)>,
}

impl State {
    fn now(&mut self) -> Moment {
        self.last += 1;
        Moment(self.last)
    }
}

impl Delivery {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns this moment: later than all before it.
    pub(crate) fn now(&self) -> Moment {
        self.state().now()
    }

    /// Notes that the result of a request has an answer.
    pub(crate) fn promise(&self, asked: Asked, parcel: Parcel) {
        self.state().promised.entry(asked).or_default().push(parcel);
    }

    /// Notes that the result of a request is being written.
    pub(crate) fn wrote(&self, asked: &Asked) {
        let mut state = self.state();
        if let Some(parcels) = state.promised.remove(asked) {
            let now = state.now();
            if state.written.len() >= MAX_WRITTEN {
                let oldest = state.written.iter().min_by_key(|(_, (written, _))| *written);
                if let Some(oldest) = oldest.map(|(asked, _)| asked.clone()) {
                    state.written.remove(&oldest);
                }
            }
            state.written.insert(asked.clone(), (now, parcels));
        }
    }

    /// Returns what the result of a request has, which was written whole.
    pub(crate) fn written(&self, asked: &Asked) -> Vec<Parcel> {
        let state = self.state();
        let parcels = state.written.get(asked).map(|(_, parcels)| parcels.clone()).unwrap_or_default();
        parcels.into_iter().map(|parcel| parcel.at(Stage::Written)).collect()
    }

    /// Notes that the client does not want the result of a request, and may not have read it. Returns what that has.
    #[must_use = "a hook has to bring it"]
    pub(crate) fn refuse(&self, asked: &Asked) -> Vec<Parcel> {
        let mut state = self.state();
        let promised = state.promised.remove(asked).unwrap_or_default();
        let written = state.written.remove(asked).map(|(_, parcels)| parcels).unwrap_or_default();
        promised.into_iter().chain(written).map(|parcel| parcel.at(Stage::Refused)).collect()
    }

    /// Returns what has arrived at a client that said something else. What it said was read at the moment `read`: what was written
    /// later it cannot have known.
    pub(crate) fn arrived(&self, speaker: &Speaker, read: Moment) -> Vec<Parcel> {
        let mut state = self.state();
        if state.written.is_empty() {
            return Vec::new();
        }
        let has_arrived = |asked: &Asked, written: &mut (Moment, Vec<Parcel>)| {
            asked.speaker == *speaker && written.0 < read
        };
        state.written.extract_if(has_arrived).flat_map(|(_, (_, parcels))| parcels).collect()
    }
}
