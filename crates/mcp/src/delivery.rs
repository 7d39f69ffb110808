//! Whether a client has got an answer: it said something else after it was sent.

use model::SessionId;
use rmcp::model::RequestId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::Decisions;

/// The answer to a set of questions, on its way to a client.
#[derive(Debug, Clone)]
pub(crate) struct Parcel {
    pub(crate) decisions: Arc<Decisions>,
    pub(crate) session: SessionId,
}

/// What is on its way.
#[derive(Debug, Default)]
pub(crate) struct Delivery(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// By the request whose result has them.
    promised: HashMap<RequestId, Vec<Parcel>>,
    /// Their results are being written, or were.
    written: HashMap<RequestId, Vec<Parcel>>,
}

impl Delivery {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the result of the request `id` has an answer.
    pub(crate) fn promise(&self, id: &RequestId, parcel: Parcel) {
        self.state().promised.entry(id.clone()).or_default().push(parcel);
    }

    /// Notes that the result of the request `id` is being written.
    pub(crate) fn wrote(&self, id: &RequestId) {
        let mut state = self.state();
        if let Some(parcels) = state.promised.remove(id) {
            state.written.insert(id.clone(), parcels);
        }
    }

    /// Notes that the client does not want the result of the request `id`, and may not have read it.
    pub(crate) fn refuse(&self, id: &RequestId) {
        let mut state = self.state();
        state.promised.remove(id);
        state.written.remove(id);
    }

    /// Returns what has arrived, once the client has said something else.
    pub(crate) fn arrived(&self) -> Vec<Parcel> {
        let mut state = self.state();
        if state.written.is_empty() {
            return Vec::new();
        }
        std::mem::take(&mut state.written).into_values().flatten().collect()
    }
}
