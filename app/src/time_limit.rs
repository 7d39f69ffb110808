//! How long the questions are served.

use std::time::{Duration, Instant};
use tokio::sync::watch;

/// A limit that the person at the page may put off. It never answers anything: when it is reached, the server ends and
/// the questions stay open.
#[derive(Debug)]
pub struct TimeLimit {
    span: Duration,
    end: watch::Sender<Instant>,
}

impl TimeLimit {
    /// A limit that is reached after `span`.
    pub fn new(span: Duration) -> Self {
        Self { span, end: watch::Sender::new(Instant::now() + span) }
    }

    /// What is left of it.
    pub fn left(&self) -> Duration {
        self.end.borrow().saturating_duration_since(Instant::now())
    }

    /// Begins again.
    pub fn extend(&self) {
        self.end.send_replace(Instant::now() + self.span);
    }

    /// Completes when it is reached.
    pub async fn reached(&self) {
        loop {
            let left = self.left();
            if left.is_zero() {
                return;
            }
            // It may be put off meanwhile; then there is something left when this has passed.
            tokio::time::sleep(left).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TimeLimit;
    use std::time::Duration;

    #[tokio::test]
    async fn a_limit_that_is_put_off_is_reached_later() {
        let span = Duration::from_millis(200);
        let limit = TimeLimit::new(span);
        let before = limit.left();
        assert!(before <= span);
        tokio::time::sleep(Duration::from_millis(50)).await;
        let late = limit.left();
        assert!(late < before);
        limit.extend();
        let (put_off, began) = (limit.left(), std::time::Instant::now());
        assert!(put_off > late);
        limit.reached().await;
        assert!(limit.left().is_zero() && began.elapsed() >= put_off);
    }
}
