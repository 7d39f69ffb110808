//! What a provider does while a request is under way, for those who wait for its answer.

use crate::{AnswerProgress, Ledger, LlmError, Provider, RecordedAnswer, RecordedRequest, Reply, Request};
use process::Cancellation;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A request that is under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InFlight {
    /// The provider's name.
    pub provider: String,
    /// The model, if one is named.
    pub model: Option<String>,
    /// When it was sent for the first time.
    pub since: Instant,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// How much of the answer to this attempt has arrived.
    pub received: AnswerProgress,
    /// Why the last attempt has brought no answer, and when the next one begins, while that is waited for.
    pub retry: Option<(String, Instant)>,
}

/// The request that is under way, if there is one. Clones share it, so another thread can look at it.
#[derive(Debug, Clone, Default)]
pub struct Activity(Arc<Mutex<Option<InFlight>>>);

impl Activity {
    /// Returns the request that is under way; `None` while there is none.
    pub fn current(&self) -> Option<InFlight> {
        self.lock().clone()
    }

    /// Asks `provider`, and shows here what it does meanwhile.
    ///
    /// # Errors
    ///
    /// Those of [`Provider::ask`].
    pub fn ask(
        &self,
        provider: &dyn Provider,
        request: &Request,
        ledger: &dyn Ledger,
        cancellation: &Cancellation,
    ) -> Result<Reply, LlmError> {
        let _end = ActivityGuard(self);
        provider.ask(request, &ActivityLedger { activity: self, ledger }, cancellation)
    }

    fn lock(&self) -> MutexGuard<'_, Option<InFlight>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut InFlight)) {
        if let Some(in_flight) = &mut *self.lock() {
            change(in_flight);
        }
    }
}

/// Ends what is shown when it is dropped.
struct ActivityGuard<'a>(&'a Activity);

impl Drop for ActivityGuard<'_> {
    fn drop(&mut self) {
        *self.0.lock() = None;
    }
}

/// A ledger that shows what is recorded in it.
struct ActivityLedger<'w> {
    activity: &'w Activity,
    ledger: &'w dyn Ledger,
}

impl Ledger for ActivityLedger<'_> {
    fn request(&self, request: &RecordedRequest<'_>) -> io::Result<()> {
        self.ledger.request(request)?;
        let mut in_flight = self.activity.lock();
        let since = in_flight.as_ref().map_or_else(Instant::now, |before| before.since);
        *in_flight = Some(InFlight {
            provider: request.provider.to_owned(),
            model: request.model.map(str::to_owned),
            since,
            attempt: request.attempt,
            received: AnswerProgress::default(),
            retry: None,
        });
        Ok(())
    }

    fn answer(&self, answer: &RecordedAnswer<'_>) -> io::Result<()> {
        self.ledger.answer(answer)
    }

    fn failure(&self, attempt: u32, error: &LlmError) {
        self.ledger.failure(attempt, error);
    }

    fn received(&self, received: AnswerProgress) {
        self.activity.change(|in_flight| in_flight.received = received);
        self.ledger.received(received);
    }

    fn retrying(&self, error: &LlmError, pause: Duration) {
        let retry = Instant::now().checked_add(pause).map(|at| (error.describe(), at));
        self.activity.change(|in_flight| in_flight.retry = retry);
        self.ledger.retrying(error, pause);
    }
}
