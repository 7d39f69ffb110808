//! When a provider is asked again.

use crate::cause::Cause;
use crate::{AnswerStage, BadAnswer, Ledger, Limits, LlmError};
use process::Cancellation;
use std::time::{Duration, Instant, SystemTime};

/// Waits before a provider is asked again, and says whether it need not be.
pub(crate) type PauseFn = fn(&Cancellation, Duration) -> bool;

/// How often one question was asked.
#[derive(Debug)]
pub(crate) struct Retries<'r> {
    pub(crate) limits: &'r Limits,
    pub(crate) timeout: Duration,
    pub(crate) pause: PauseFn,
    pub(crate) cancellation: &'r Cancellation,
    started: Instant,
    tried: u32,
}

impl<'r> Retries<'r> {
    pub(crate) fn new(
        limits: &'r Limits,
        timeout: Duration,
        pause: PauseFn,
        cancellation: &'r Cancellation,
    ) -> Self {
        Self { limits, timeout, pause, cancellation, started: Instant::now(), tried: 0 }
    }

    /// Returns how much time is left.
    pub(crate) fn left(&self) -> Duration {
        self.timeout.saturating_sub(self.started.elapsed())
    }

    /// Waits until it is time to ask again, and reports the wait to `ledger`.
    ///
    /// # Errors
    ///
    /// The error itself, if asking again would not help, if it was asked as often as it may be, or if there is no time left.
    pub(crate) fn wait(&mut self, ledger: &dyn Ledger, error: LlmError) -> Result<(), LlmError> {
        self.tried += 1;
        if self.tried >= attempts(&error, self.limits) {
            return Err(match error {
                LlmError::TimedOut { awaited: AnswerStage::End, said, .. } => {
                    LlmError::TimedOut { awaited: AnswerStage::End, after: self.timeout, said }
                }
                error => error,
            });
        }
        let pause = match &error {
            LlmError::Http { retry_after: Some(time), .. } => *time,
            _ => backoff(self.limits, self.tried, getrandom::u32().unwrap_or(u32::MAX)),
        };
        if pause >= self.left() {
            return Err(error);
        }
        ledger.retrying(&error, pause);
        if (self.pause)(self.cancellation, pause) { Err(LlmError::Cancelled) } else { Ok(()) }
    }
}

/// How often is asked, with the first time, what fails like this.
fn attempts(error: &LlmError, limits: &Limits) -> u32 {
    match (error, error.cause()) {
        // There is no time left.
        (LlmError::TimedOut { .. }, _) => 1,
        (_, Cause::Busy) => limits.busy_attempts,
        (LlmError::Http { .. } | LlmError::Connect { .. }, Cause::Fault) => limits.attempts,
        (LlmError::Cut { .. } | LlmError::Failed { .. }, Cause::Fault) => limits.cut_attempts,
        (LlmError::BadAnswer(BadAnswer::Unfinished { .. } | BadAnswer::Refused { .. }), Cause::Fault) => {
            limits.cut_attempts
        }
        _ => 1,
    }
}

/// What `Retry-After` says: a number of seconds, or a time. `None` when it is neither.
pub(crate) fn retry_after(header: &str, now: SystemTime) -> Option<Duration> {
    let header = header.trim();
    if !header.is_empty() && header.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number of more digits than fit is a long time as well.
        return Some(Duration::from_secs(header.parse().unwrap_or(u64::from(u32::MAX))));
    }
    let at = httpdate::parse_http_date(header).ok()?;
    Some(at.duration_since(now).unwrap_or_default())
}

/// How long to wait before the attempt that comes after `attempt`: from half of a time that doubles each time to all of it, so
/// that those who failed together do not come back together. `dice` is as good as any number.
pub(crate) fn backoff(limits: &Limits, attempt: u32, dice: u32) -> Duration {
    let doubled =
        2_u32.checked_pow(attempt.saturating_sub(1)).and_then(|times| limits.backoff.checked_mul(times));
    let longest = doubled.unwrap_or(limits.max_backoff).min(limits.max_backoff);
    longest.mul_f64(0.5 + 0.5 * f64::from(dice) / f64::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::{backoff, retry_after};
    use crate::Limits;
    use std::time::{Duration, SystemTime};

    #[test]
    fn both_forms_of_retry_after_are_read() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        for (header, expected) in [
            ("120", seconds(120)),
            (" 0 ", seconds(0)),
            ("99999999999999999999", seconds(u64::from(u32::MAX))),
            ("Sun, 06 Nov 1994 08:49:40 GMT", seconds(3)),
            ("Sun, 06 Nov 1994 08:49:30 GMT", seconds(0)),
            ("Sunday, 06-Nov-94 08:49:40 GMT", seconds(3)),
            ("soon", None),
            ("-1", None),
            ("1.5", None),
            ("", None),
        ] {
            assert_eq!(retry_after(header, now), expected, "{header:?}");
        }
    }

    #[test]
    fn pauses_grow_up_to_a_limit() {
        let limits = Limits::default();
        let longest = |attempt| backoff(&limits, attempt, u32::MAX).as_secs();
        assert_eq!([1, 2, 3, 4, 5, 6, 40, u32::MAX].map(longest), [1, 2, 4, 8, 16, 30, 30, 30]);
        assert_eq!(backoff(&limits, 3, 0).as_millis(), 2000);
        assert_eq!(backoff(&limits, 3, u32::MAX / 2).as_millis(), 3000);
        // Busy for a minute is waited for.
        let shortest: Duration = (1..limits.busy_attempts).map(|attempt| backoff(&limits, attempt, 0)).sum();
        assert!(shortest >= Duration::from_secs(40), "{shortest:?}");
    }
}
