//! Waiting for questions that another process serves.

use crate::failure::Failure;
use crate::host::{End, LOOK, changed, elapsed, failed};
use crate::signals::Signals;
use std::time::Duration;
use store::{Decisions, Watch};

/// How attending came to its end.
#[derive(Debug)]
pub(crate) enum Attended {
    /// Something has happened.
    End(End),
    /// Nobody serves the questions any more, and they are still open.
    Abandoned,
}

/// Waits until the questions end, the time is up, a signal comes or the server is gone.
pub(crate) fn attend(
    decisions: &Decisions,
    mut watch: Watch,
    timeout: Option<Duration>,
) -> Result<Attended, Failure> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| failed(&error))?;
    let end = runtime.block_on(async {
        let mut signals = Signals::listen().map_err(|error| failed(&error))?;
        Ok::<_, Failure>(tokio::select! {
            biased;
            code = signals.next() => Some(End::Interrupted(code)),
            change = changed(&mut watch) => Some(change.into()),
            () = abandoned(decisions) => None,
            () = elapsed(timeout) => Some(End::TimedOut),
        })
    })?;
    match end {
        Some(end) => Ok(Attended::End(end)),
        // A server that has done its work is gone as well.
        None => Ok(watch.look()?.map_or(Attended::Abandoned, |change| Attended::End(change.into()))),
    }
}

/// Completes when there is no server.
async fn abandoned(decisions: &Decisions) {
    loop {
        tokio::time::sleep(LOOK).await;
        if let Ok(None) = decisions.live_server() {
            return;
        }
    }
}
