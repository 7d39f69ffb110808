//! Telling a daemon that is slow from one that does not answer.
//!
//! A slow answer is waited for. Once a request has waited for [`QUIET`], the client asks `GET /api/v1/modules` on a new
//! connection: if that is answered, the daemon is alive and the request goes on waiting, with another such probe after the same
//! time; if not, the request ends as [`ClientError::Unresponsive`].

use crate::{Client, ClientError};
use std::future::Future;
use std::pin::pin;
use std::time::Duration;
use tokio::time::timeout;

/// How long an answer is waited for before the client probes whether the daemon answers at all.
pub(crate) const QUIET: Duration = Duration::from_millis(1500);
/// How long a probe waits for its answer. Together with [`QUIET`] it is less than the 5 s within which a client must say that the daemon
/// does not answer.
const PROBE: Duration = Duration::from_millis(3300);
/// How many probes in a row may fail to connect. A daemon that ends takes no connections any more, and has 5 s for the answers that it
/// still owes.
const MAX_FAILED: u32 = 4;

/// What a probe has found.
#[derive(Debug)]
pub(crate) enum ProbeResult {
    /// The daemon answers.
    Answered,
    /// There was no connection, with the reason.
    Failed(String),
    /// There was no answer in time.
    Silent,
}

/// Probes of one wait.
#[derive(Debug, Default)]
pub(crate) struct Probes {
    /// How many have failed since the last that was answered.
    failed: u32,
}

impl Probes {
    /// Whether to go on waiting after this probe.
    ///
    /// # Errors
    ///
    /// When the daemon does not answer, or too many probes in a row have found no daemon.
    pub(crate) fn judge(&mut self, client: &Client, found: ProbeResult) -> Result<(), ClientError> {
        match found {
            ProbeResult::Answered => self.failed = 0,
            ProbeResult::Failed(reason) => {
                self.failed += 1;
                if self.failed == MAX_FAILED {
                    return Err(client.unreachable(reason));
                }
            }
            ProbeResult::Silent => return Err(client.unresponsive()),
        }
        Ok(())
    }
}

impl Client {
    /// Waits for an answer as long as the daemon answers other requests.
    ///
    /// # Errors
    ///
    /// [`ClientError::Unresponsive`] when it answers nothing, and whatever `answer` fails with.
    pub(crate) async fn while_alive<T>(
        &self,
        answer: impl Future<Output = Result<T, ClientError>>,
    ) -> Result<T, ClientError> {
        let mut answer = pin!(answer);
        let mut probes = Probes::default();
        loop {
            if let Ok(done) = timeout(QUIET, &mut answer).await {
                return done;
            }
            tokio::select! {
                biased;
                done = &mut answer => return done,
                found = self.probe() => probes.judge(self, found)?,
            }
        }
    }

    /// Asks on a new connection whether the daemon answers. Any answer will do, a refusal as well.
    pub(crate) fn probe(&self) -> impl Future<Output = ProbeResult> + Send + use<> {
        let answer = self.probe_request().send();
        async move {
            match timeout(PROBE, answer).await {
                Ok(Ok(_)) => ProbeResult::Answered,
                Ok(Err(error)) => ProbeResult::Failed(crate::connection::reason(error)),
                Err(_) => ProbeResult::Silent,
            }
        }
    }
}
