//! Times in documents.

use super::Rule;
use super::macros::{leaf_schema, text_like};
use chrono::{DateTime, Datelike as _, NaiveDate, Timelike as _, Utc};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

const NANOS: u32 = 1_000_000_000;

/// A time in ISO 8601 with a time zone, such as `2026-01-12T09:00:00Z`. It is written as read, but compared as a time: as texts,
/// `09:00:00Z` would come after `09:00:00.5Z`. A clone shares the text.
#[derive(Debug, Clone)]
pub struct Timestamp(Arc<str>, Instant);

/// Seconds since 1970, and nanoseconds.
type Instant = (i64, u32);

/// The text is not a valid [`Timestamp`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimestampError;

impl Timestamp {
    /// Returns the time this many seconds after the beginning of 1970, in UTC.
    pub fn from_unix(seconds: i64) -> Self {
        Self::from_unix_nanos(seconds, 0)
    }

    /// Returns the time this many seconds and nanoseconds after the beginning of 1970, in UTC, to the microsecond.
    pub fn from_unix_nanos(seconds: i64, nanos: u32) -> Self {
        // A year must have four digits to be written.
        let seconds = seconds.clamp(-62_167_219_200, 253_402_300_799);
        let micros = nanos.min(NANOS - 1) / 1000;
        let time = DateTime::<Utc>::from_timestamp(seconds, 0).unwrap_or_default();
        let (year, month, day) = (time.year(), time.month(), time.day());
        let (hour, minute, second) = (time.hour(), time.minute(), time.second());
        // `format` of chrono interprets a pattern: every event is written here.
        let mut text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
        if micros > 0 {
            text.push_str(&format!(".{micros:06}"));
        }
        text.push('Z');
        Self(text.into(), (seconds, micros * 1000))
    }

    /// Returns the time this many milliseconds after the beginning of 1970, in UTC, always written with milliseconds.
    pub fn from_unix_millis(millis: i64) -> Self {
        let whole = Self::from_unix(millis.div_euclid(1000));
        let millis = u32::try_from(millis.rem_euclid(1000)).unwrap_or_default();
        let text = format!("{}.{millis:03}Z", whole.as_str().trim_end_matches('Z'));
        Self(text.into(), (whole.1.0, millis * 1_000_000))
    }

    /// Returns the completed milliseconds since the beginning of 1970.
    pub fn unix_millis(&self) -> i64 {
        self.1.0 * 1000 + i64::from(self.1.1 / 1_000_000)
    }

    /// Returns the text as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the whole seconds since the beginning of 1970.
    pub fn unix_seconds(&self) -> i64 {
        self.1.0
    }

    /// Returns the nanoseconds after [`Timestamp::unix_seconds`].
    pub fn subsec_nanos(&self) -> u32 {
        self.1.1
    }

    /// Returns the number of whole seconds since `earlier`; negative if the time is before it.
    pub fn seconds_since(&self, earlier: &Self) -> i64 {
        self.1.0 - earlier.1.0 - i64::from(self.1.1 < earlier.1.1)
    }
}

impl FromStr for Timestamp {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<Self, TimestampError> {
        let instant = instant_of(text.as_bytes()).ok_or(TimestampError)?;
        Ok(Self(text.into(), instant))
    }
}

/// Takes `count` digits from the front.
fn digits(text: &mut &[u8], count: usize) -> Option<u32> {
    let (digits, rest) = text.split_at_checked(count)?;
    *text = rest;
    digits
        .iter()
        .try_fold(0, |number, digit| digit.is_ascii_digit().then(|| number * 10 + u32::from(digit - b'0')))
}

fn expect(text: &mut &[u8], expected: &[u8]) -> Option<()> {
    let (first, rest) = text.split_first()?;
    *text = rest;
    expected.contains(first).then_some(())
}

/// Reads the form of the contract, which RFC 3339 readers do not take as it is: digits beyond nanoseconds, no leap second.
fn instant_of(mut text: &[u8]) -> Option<Instant> {
    let text = &mut text;
    let year = digits(text, 4)?;
    expect(text, b"-")?;
    let month = digits(text, 2)?;
    expect(text, b"-")?;
    let day = digits(text, 2)?;
    expect(text, b"Tt ")?;
    let hour = digits(text, 2)?;
    expect(text, b":")?;
    let minute = digits(text, 2)?;
    expect(text, b":")?;
    let second = digits(text, 2)?;
    let date = NaiveDate::from_ymd_opt(year.try_into().ok()?, month, day)?;
    let time = date.and_hms_opt(hour, minute, second)?.and_utc();
    let nanos = fraction(text)?;
    let offset = offset(text)?;
    text.is_empty().then_some((time.timestamp() - offset, nanos))
}

/// Digits beyond nanoseconds are ignored.
fn fraction(text: &mut &[u8]) -> Option<u32> {
    let Some(rest) = text.strip_prefix(b".") else { return Some(0) };
    let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = rest.split_at(count);
    *text = rest;
    let mut scale = NANOS;
    let nanos = digits.iter().take(9).fold(0, |nanos, digit| {
        scale /= 10;
        nanos + u32::from(digit - b'0') * scale
    });
    (count > 0).then_some(nanos)
}

/// Offset in seconds east of Greenwich.
fn offset(text: &mut &[u8]) -> Option<i64> {
    let (sign, rest) = text.split_first()?;
    *text = rest;
    let sign = match sign {
        b'Z' | b'z' => return Some(0),
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let hours = digits(text, 2)?;
    expect(text, b":")?;
    let minutes = digits(text, 2)?;
    (hours <= 23 && minutes <= 59).then_some(sign * i64::from(hours * 3600 + minutes * 60))
}

impl PartialEq for Timestamp {
    fn eq(&self, other: &Self) -> bool {
        self.1 == other.1
    }
}

impl Eq for Timestamp {}

impl Hash for Timestamp {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.1.hash(state);
    }
}

impl Ord for Timestamp {
    fn cmp(&self, other: &Self) -> Ordering {
        self.1.cmp(&other.1)
    }
}

impl PartialOrd for Timestamp {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for TimestampError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a time like 2026-01-12T09:00:00Z")
    }
}

impl std::error::Error for TimestampError {}

text_like!(Timestamp, |TimestampError| Rule::IsTimestamp);
leaf_schema!(Timestamp, {
    "type": "string",
    "format": "date-time",
    "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$"
});

#[cfg(test)]
mod tests {
    use super::Timestamp;

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn times_are_compared_as_times() {
        assert!(time("2026-01-12T09:00:00.5Z") > time("2026-01-12T09:00:00Z"));
        assert!("2026-01-12T09:00:00.5Z" < "2026-01-12T09:00:00Z");
        assert_eq!(time("2026-01-12T17:00:00+08:00"), time("2026-01-12T09:00:00.000Z"));
        assert_eq!(time("2026-01-12T17:00:00+08:00").as_str(), "2026-01-12T17:00:00+08:00");
        assert_eq!(time("2026-01-12T09:01:00Z").seconds_since(&time("2026-01-12T09:00:00.1Z")), 59);
        assert_eq!(time("2026-01-12T09:00:00Z").seconds_since(&time("2026-01-12T09:00:00.1Z")), -1);
    }

    #[test]
    fn a_time_is_made_from_a_clock() {
        for (seconds, nanos, text) in [
            (0, 0, "1970-01-01T00:00:00Z"),
            (1_768_208_400, 0, "2026-01-12T09:00:00Z"),
            (1_768_208_400, 250_000_999, "2026-01-12T09:00:00.250000Z"),
            (951_782_399, 0, "2000-02-28T23:59:59Z"),
            (951_782_400, 0, "2000-02-29T00:00:00Z"),
            (-1, 0, "1969-12-31T23:59:59Z"),
            (i64::MAX, 0, "9999-12-31T23:59:59Z"),
            (i64::MIN, 0, "0000-01-01T00:00:00Z"),
        ] {
            let made = Timestamp::from_unix_nanos(seconds, nanos);
            assert_eq!(made.as_str(), text);
            assert_eq!(time(text), made);
        }
        assert_eq!(time("2026-01-12T09:00:00.123456789999Z").subsec_nanos(), 123_456_789);
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for bad in [
            "",
            "2026-01-12",
            "2026-01-12T09:00:00",
            "2026-01-12T09:00Z",
            "2026-02-29T09:00:00Z",
            "2026-00-12T09:00:00Z",
            "2026-13-12T09:00:00Z",
            "2026-01-00T09:00:00Z",
            "2026-01-12T24:00:00Z",
            "2026-01-12T09:60:00Z",
            "2026-01-12T09:00:60Z",
            "2026-01-12T09:00:00.Z",
            "2026-01-12T09:00:00ZZ",
            "2026-01-12T09:00:00+0800",
            "2026-01-12T09:00:00+24:00",
            "+2026-01-12T09:00:00Z",
            "２０２６-01-12T09:00:00Z",
        ] {
            assert!(bad.parse::<Timestamp>().is_err(), "{bad:?}");
        }
    }
}
