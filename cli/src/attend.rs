//! Waiting for questions that another process serves.

use crate::failure::Failure;
use crate::host::failed;
use crate::signals::Signals;
use decide::WaitEnd;
use model::SessionId;
use std::time::Duration;
use store::Decisions;

/// Waits until the questions end, the time is up, a signal comes or the server is gone. `ready` is called once signals
/// are listened to.
pub(crate) fn attend(
    decisions: &Decisions,
    session: &SessionId,
    timeout: Option<Duration>,
    ready: impl FnOnce(),
) -> Result<WaitEnd, Failure> {
    let runtime = crate::host::thread_runtime().map_err(|error| failed(&error))?;
    runtime.block_on(async {
        let mut signals = Signals::listen().map_err(|error| failed(&error))?;
        ready();
        Ok(decide::wait(decisions, session, timeout, signals.next()).await?)
    })
}
