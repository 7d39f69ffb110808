//! Waiting for the end of questions that another process serves, or that this one does.

use crate::{Desk, Watch, serves};
use model::{Ending, SessionId};
use std::future::{self, Future};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use store::{Decisions, StoreError};

/// How often to look for what other processes have done. Shorter than a person notices.
pub const LOOK_INTERVAL: Duration = Duration::from_millis(200);

/// How waiting came to its end.
#[derive(Debug)]
pub enum WaitEnd {
    /// The questions have ended.
    Ended(Ending),
    /// The time is up, and they are still open.
    TimedOut,
    /// The caller was interrupted, with a number that is its own.
    Interrupted(u8),
    /// The questions are no longer served, and are still open.
    Abandoned,
    /// Another process serves this project.
    Elsewhere,
}

/// Waits until the questions end, the time is up, the caller is `interrupted` or the server is gone.
///
/// # Errors
///
/// When it cannot be told whether they have ended before the server was gone.
pub async fn wait(
    decisions: &Decisions,
    session: &SessionId,
    timeout: Option<Duration>,
    interrupted: impl Future<Output = u8>,
) -> Result<WaitEnd, StoreError> {
    let mut watch = Desk::watch(decisions, session);
    tokio::select! {
        biased;
        code = interrupted => return Ok(WaitEnd::Interrupted(code)),
        ending = changed(&mut *watch) => return Ok(WaitEnd::Ended(ending)),
        () = abandoned(decisions, session) => {}
        () = time_is_up(decisions, session, timeout) => return Ok(WaitEnd::TimedOut),
    }
    // A server that has done its work is gone as well.
    Ok(watch.look()?.map_or(WaitEnd::Abandoned, WaitEnd::Ended))
}

/// Completes when another process has ended the questions or asked others.
pub async fn changed(watch: &mut dyn Watch) -> Ending {
    loop {
        tokio::time::sleep(LOOK_INTERVAL).await;
        // What cannot be read now may be repaired; a request for the result returns the error.
        if let Ok(Some(ending)) = watch.look() {
            return ending;
        }
    }
}

/// Completes after `timeout`; never without one.
pub async fn elapsed(timeout: Option<Duration>) {
    match timeout {
        Some(timeout) => tokio::time::sleep(timeout).await,
        None => future::pending().await,
    }
}

/// Completes after `timeout`, and not before the person's last word on it: who answers may put it off.
async fn time_is_up(decisions: &Decisions, session: &SessionId, timeout: Option<Duration>) {
    elapsed(timeout).await;
    loop {
        // What cannot be read is not put off.
        let server = decisions.live_server().ok().flatten();
        let Some(limit) = server.and_then(|server| server.limits.get(session).copied()) else { return };
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let left = u64::try_from(limit)
            .unwrap_or_default()
            .saturating_sub(u64::try_from(since.as_millis()).unwrap_or(u64::MAX));
        if left == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(left)).await;
    }
}

/// Completes when there is no server of these questions.
async fn abandoned(decisions: &Decisions, session: &SessionId) {
    loop {
        tokio::time::sleep(LOOK_INTERVAL).await;
        // What cannot be read now may be in the middle of a change.
        if let Ok(server) = decisions.live_server()
            && server.is_none_or(|server| !serves(decisions, &server, session))
        {
            return;
        }
    }
}
