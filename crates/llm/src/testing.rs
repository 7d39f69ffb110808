//! What the tests of all providers need.

use crate::{Environment, Ledger, LlmError, RecordedAnswer, RecordedRequest};
use process::Cancellation;
use std::cell::RefCell;
use std::io;
use std::time::Duration;

/// A ledger that can be inspected, and that fails when a test wants it to.
#[derive(Debug, Default)]
pub(crate) struct TestLedger {
    pub(crate) entries: RefCell<Vec<String>>,
    pub(crate) is_closed_to_requests: bool,
    pub(crate) is_closed_to_answers: bool,
}

impl TestLedger {
    pub(crate) fn entries(&self) -> Vec<String> {
        self.entries.borrow().clone()
    }

    fn write(&self, entry: String, is_closed: bool) -> io::Result<()> {
        if is_closed {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.entries.borrow_mut().push(entry);
        Ok(())
    }
}

impl Ledger for TestLedger {
    fn request(&self, request: &RecordedRequest<'_>) -> io::Result<()> {
        self.write(format!("request {request:?}"), self.is_closed_to_requests)
    }

    fn answer(&self, answer: &RecordedAnswer<'_>) -> io::Result<()> {
        let raw = String::from_utf8_lossy(answer.raw);
        self.write(format!("answer {} {}: {raw}", answer.attempt, answer.format), self.is_closed_to_answers)
    }

    fn failure(&self, attempt: u32, error: &LlmError) {
        self.entries.borrow_mut().push(format!("failure {attempt}: {error}"));
    }
}

/// Variables for a test, with the path to programs.
pub(crate) fn environment(variables: &[(&str, &str)]) -> Environment {
    let path = std::env::var("PATH").unwrap_or_default();
    variables.iter().copied().chain([("PATH", path.as_str())]).collect()
}

thread_local! {
    static PAUSES: RefCell<Vec<Duration>> = const { RefCell::new(Vec::new()) };
}

/// Does not wait, and says how long it would have.
pub(crate) fn record_pause(cancellation: &Cancellation, pause: Duration) -> bool {
    PAUSES.with_borrow_mut(|pauses| pauses.push(pause));
    cancellation.is_cancelled()
}

/// How long would have been waited since the last time.
pub(crate) fn pauses() -> Vec<Duration> {
    PAUSES.take()
}
