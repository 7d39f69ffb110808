//! Waiting for questions that another process serves.

use crate::failure::Failure;
use crate::host::{End, LOOK, changed, elapsed, failed};
use crate::signals::Signals;
use model::SessionId;
use std::time::Duration;
use store::Decisions;

/// How attending came to its end.
#[derive(Debug)]
pub(crate) enum Attended {
    /// Something has happened.
    End(End),
    /// Nobody serves the questions any more, and they are still open.
    Abandoned,
}

/// Waits until the questions end, the time is up, a signal comes or the server is gone. `ready` is called once signals
/// are listened to.
pub(crate) fn attend(
    decisions: &Decisions,
    session: &SessionId,
    timeout: Option<Duration>,
    ready: impl FnOnce(),
) -> Result<Attended, Failure> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| failed(&error))?;
    let mut watch = decisions.watch(session.clone());
    let end = runtime.block_on(async {
        let mut signals = Signals::listen().map_err(|error| failed(&error))?;
        ready();
        Ok::<_, Failure>(tokio::select! {
            biased;
            code = signals.next() => Some(End::Interrupted(code)),
            change = changed(&mut watch) => Some(change.into()),
            () = abandoned(decisions, session) => None,
            () = elapsed(timeout) => Some(End::TimedOut),
        })
    })?;
    match end {
        Some(end) => Ok(Attended::End(end)),
        // A server that has done its work is gone as well.
        None => Ok(watch.look()?.map_or(Attended::Abandoned, |change| Attended::End(change.into()))),
    }
}

/// Completes when there is no server of these questions.
async fn abandoned(decisions: &Decisions, session: &SessionId) {
    loop {
        tokio::time::sleep(LOOK).await;
        // What cannot be read now may be in the middle of a change.
        if let Ok(server) = decisions.live_server()
            && server.is_none_or(|server| server.session_id != *session)
        {
            return;
        }
    }
}
