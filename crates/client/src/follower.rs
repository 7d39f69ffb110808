//! Events across lost connections: the client reconnects by itself and misses nothing.

use crate::{Client, ClientError, Events, Frame, Subscription};
use serde_json::{Map, Value};
use std::time::Duration;
use tokio::time::Instant;

/// How long one attempt to be there again may take.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(10);

/// How a connection that was lost is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How long it is waited before each attempt.
    pub interval: Duration,
    /// How many attempts there are; none if it is not to be tried again. One that waits for an answer in vain counts for as many as
    /// there could have been in its time.
    pub attempts: u32,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { interval: Duration::from_secs(3), attempts: 10 }
    }
}

impl RetryPolicy {
    /// How many attempts begin within `time`, if each fails at once.
    fn in_time(self, time: Duration) -> u32 {
        let times = time.as_nanos() / self.interval.as_nanos().max(1);
        u32::try_from(times).unwrap_or(u32::MAX)
    }
}

/// What [`Follower::next`] returns.
#[derive(Debug, Clone, PartialEq)]
pub enum FollowUpdate {
    /// Something has happened: the envelope as it was told.
    Event(Map<String, Value>),
    /// Events were missed, because they are not kept any more; the oldest that are begin with this number.
    Gap(i64),
    /// The connection was lost, and is being tried again.
    Lost,
    /// The daemon does not answer. The connection is given up, and is being tried again.
    Silent,
    /// It is there again; nothing was missed.
    Back,
}

/// Events as they happen, each once, in the order of their numbers, across connections. Waiting for the next one can be given up
/// at any moment without losing any.
pub struct Follower<L> {
    /// Where the daemon is to be found now; `None` while that is not known. One that was started again may be elsewhere.
    locate: L,
    client: Client,
    wanted: Subscription,
    retry: RetryPolicy,
    /// `None` while the connection is lost.
    events: Option<Events>,
    /// Whether the caller has found that the daemon does not answer.
    is_silent: bool,
    /// How often it was tried in vain to be there again, and when it is tried next.
    failed: u32,
    due: Instant,
}

impl Client {
    /// Listens from now on, or from where the subscription begins. `locate` finds the daemon after the connection was lost.
    ///
    /// # Errors
    ///
    /// When the daemon cannot be reached, and when the subscription is refused.
    pub async fn follow<L: FnMut() -> Option<Client>>(
        &self,
        mut wanted: Subscription,
        retry: RetryPolicy,
        locate: L,
    ) -> Result<Follower<L>, ClientError> {
        if wanted.since.is_none() {
            // Where the first connection is lost before anything was told, the next one begins here.
            let last = self.history(&[("limit", "1")]).await?;
            let seq = last.last().and_then(|event| event.get("seq")).and_then(Value::as_i64);
            wanted.since = Some(seq.unwrap_or_default());
        }
        let events = Some(self.events(wanted.clone()).await?);
        let client = self.clone();
        let (is_silent, failed, due) = (false, 0, Instant::now());
        Ok(Follower { locate, client, wanted, retry, events, is_silent, failed, due })
    }
}

impl<L: FnMut() -> Option<Client>> Follower<L> {
    /// The daemon as it was found last.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Whether the connection is lost, and is being tried again.
    pub fn is_lost(&self) -> bool {
        self.events.is_none()
    }

    /// The number of the last event that was told.
    pub fn at(&self) -> Option<i64> {
        self.events.as_ref().map_or(self.wanted.since, Events::at)
    }

    /// Wants nothing but the events of this workflow from now on, also of those that have come and were not told yet.
    pub fn narrow(&mut self, workflow: &str) {
        self.wanted.workflow = Some(workflow.to_owned());
        if let Some(events) = &mut self.events {
            events.narrow(workflow);
        }
    }

    /// Has the connection given up, because the daemon has not answered a request: [`Self::next`] does not find that out anew.
    pub fn give_up(&mut self) {
        self.is_silent = self.events.is_some();
    }

    /// What happens next. It does not end by itself: that a daemon says farewell is that the connection is lost.
    ///
    /// # Errors
    ///
    /// When what is there cannot be understood, or refuses to tell, and when all attempts to be there again were in vain.
    pub async fn next(&mut self) -> Result<FollowUpdate, ClientError> {
        if let Some(events) = &mut self.events {
            let next = match self.is_silent {
                // What has come before counts all the same.
                true => events.ready().map(Some).ok_or_else(|| self.client.unresponsive()),
                false => events.next().await,
            };
            let lost = match next {
                Ok(Some(Frame::Event(event))) => return Ok(FollowUpdate::Event(event)),
                Ok(Some(Frame::Gap(oldest))) => return Ok(FollowUpdate::Gap(oldest)),
                Ok(None) => self.client.unreachable("the connection was closed".to_owned()),
                Err(error) if error.may_pass() => error,
                Err(error) => return Err(error),
            };
            self.wanted.since = events.at();
            (self.events, self.is_silent) = (None, false);
            if self.retry.attempts == 0 {
                return Err(lost);
            }
            (self.failed, self.due) = (0, Instant::now() + self.retry.interval);
            let is_silent = matches!(lost, ClientError::Unresponsive { .. });
            return Ok(if is_silent { FollowUpdate::Silent } else { FollowUpdate::Lost });
        }
        loop {
            tokio::time::sleep_until(self.due).await;
            let begun = Instant::now();
            match self.attempt().await {
                Ok(events) => {
                    self.events = Some(events);
                    return Ok(FollowUpdate::Back);
                }
                Err(error) if error.may_pass() => {
                    let counts = match error {
                        ClientError::Unresponsive { .. } | ClientError::TimedOut { .. } => {
                            self.retry.in_time(begun.elapsed()).saturating_add(1)
                        }
                        _ => 1,
                    };
                    self.failed = self.failed.saturating_add(counts);
                    if self.failed >= self.retry.attempts {
                        return Err(error);
                    }
                    self.due = Instant::now() + self.retry.interval;
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn attempt(&mut self) -> Result<Events, ClientError> {
        if let Some(client) = (self.locate)() {
            self.client = client;
        }
        match tokio::time::timeout(ATTEMPT_TIMEOUT, self.client.events(self.wanted.clone())).await {
            Ok(events) => events,
            Err(_) => Err(ClientError::TimedOut { after: ATTEMPT_TIMEOUT }),
        }
    }
}
