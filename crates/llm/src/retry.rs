//! When an endpoint is asked again.

use crate::Limits;
use std::time::{Duration, SystemTime};

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

/// How long to wait before the attempt that comes after `attempt`: any time up to a limit that doubles each time, so that
/// those who failed together do not come back together. `dice` is as good as any number.
pub(crate) fn backoff(limits: &Limits, attempt: u32, dice: u32) -> Duration {
    let doubled =
        2_u32.checked_pow(attempt.saturating_sub(1)).and_then(|times| limits.backoff.checked_mul(times));
    let longest = doubled.unwrap_or(limits.max_backoff).min(limits.max_backoff);
    longest.mul_f64(f64::from(dice) / f64::from(u32::MAX))
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
        assert_eq!(backoff(&limits, 3, 0), Duration::ZERO);
        assert_eq!(backoff(&limits, 3, u32::MAX / 2).as_millis(), 2000);
    }
}
