//! The clock, in the two forms files use.

use chrono::{DateTime, Local, NaiveDateTime, TimeDelta};
use std::time::Duration;

/// The form of session ids: `2025-01-15T10-30-00`.
const SECOND: &str = "%Y-%m-%dT%H-%M-%S";

/// The present moment as local time with offset, whole seconds: `2025-01-15T10:30:00+08:00`.
pub fn now() -> String {
    Moment::now().timestamp()
}

/// The present moment, in milliseconds since 1970.
pub(crate) fn unix_millis() -> i64 {
    Local::now().timestamp_millis()
}

/// A moment, in milliseconds since 1970, as local time in the form of session ids: `2025-01-15T10-30-00`.
pub fn local_second(millis: i64) -> String {
    let moment = DateTime::from_timestamp_millis(millis).unwrap_or_default();
    Moment(moment.with_timezone(&Local)).second()
}

/// A moment, in milliseconds since 1970, in the form of [`now`].
pub fn timestamp_of(millis: i64) -> String {
    let moment = DateTime::from_timestamp_millis(millis).unwrap_or_default();
    Moment(moment.with_timezone(&Local)).timestamp()
}

/// The local time of day, to the second, of a moment as RFC 3339 writes it; `None` when it is none.
pub fn local_time(moment: &str) -> Option<String> {
    let moment = Moment::parse(moment)?;
    Some(moment.0.format("%H:%M:%S").to_string())
}

/// The local time of day after `wait`, to the second: `10:30:00`.
pub fn time_of_day(wait: Duration) -> String {
    let wait = TimeDelta::from_std(wait).unwrap_or(TimeDelta::MAX);
    let time = Local::now().checked_add_signed(wait);
    time.map_or_else(String::new, |time| time.format("%H:%M:%S").to_string())
}

/// The moment `wait` from now, in the form of [`now`]; `None` when there is none so late.
pub fn after(wait: Duration) -> Option<String> {
    let wait = TimeDelta::from_std(wait).ok()?;
    Some(Moment(Local::now().checked_add_signed(wait)?).timestamp())
}

/// Converts a time with an offset (RFC 3339) to the form of [`now`]; `None` if it is no such time.
pub fn moment(text: &str) -> Option<String> {
    Moment::parse(text).map(|moment| moment.timestamp())
}

/// Whether `time` is not before `start`, both in the form of [`now`]. What is no time is not.
pub fn is_since(time: &str, start: &str) -> bool {
    seconds_between(start, time).is_some()
}

/// The whole seconds from one time to a later one, both in the form of [`now`]; `None` when one of them is not, or when
/// the clock was set back in between.
pub fn seconds_between(earlier: &str, later: &str) -> Option<u64> {
    let parse = |text| DateTime::parse_from_rfc3339(text).ok();
    u64::try_from((parse(later)? - parse(earlier)?).num_seconds()).ok()
}

/// One reading of the clock, so that a session's name and its creation time agree.
#[derive(Debug)]
pub(crate) struct Moment(DateTime<Local>);

impl Moment {
    pub(crate) fn now() -> Self {
        Self(Local::now())
    }

    /// Reads the form of [`now`].
    pub(crate) fn parse(text: &str) -> Option<Self> {
        DateTime::parse_from_rfc3339(text).ok().map(|time| Self(time.with_timezone(&Local)))
    }

    /// Reads the form of session ids, whatever comes after it.
    pub(crate) fn parse_second(text: &str) -> Option<Self> {
        let (time, _) = NaiveDateTime::parse_and_remainder(text, SECOND).ok()?;
        // An hour that the clock shows twice is taken to be the later one: what is deleted is rather too young.
        time.and_local_timezone(Local).latest().map(Self)
    }

    /// How long ago `earlier` was; `None` when it is still to come.
    pub(crate) fn since(&self, earlier: &Self) -> Option<Duration> {
        (self.0 - earlier.0).to_std().ok()
    }

    /// The form of [`now`].
    pub(crate) fn timestamp(&self) -> String {
        self.0.format("%Y-%m-%dT%H:%M:%S%:z").to_string()
    }

    /// The form of session ids: `2025-01-15T10-30-00`.
    pub(crate) fn second(&self) -> String {
        self.0.format(SECOND).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::{Moment, now, seconds_between, time_of_day};
    use chrono::DateTime;
    use model::SessionId;
    use std::time::Duration;

    #[test]
    fn times_are_whole_seconds_with_an_offset() {
        let text = now();
        assert_eq!(text.len(), "2025-01-15T10:30:00+08:00".len(), "{text}");
        assert!(DateTime::parse_from_rfc3339(&text).is_ok(), "{text}");
    }

    #[test]
    fn a_time_of_day_is_within_the_day() {
        let now = time_of_day(Duration::ZERO);
        assert_eq!(time_of_day(Duration::from_secs(24 * 60 * 60)).len(), now.len());
        assert_eq!(now.len(), "10:30:00".len(), "{now}");
        assert_eq!(time_of_day(Duration::MAX), "");
    }

    #[test]
    fn time_passes_across_offsets_but_not_backwards() {
        let (morning, later) = ("2025-01-15T10:30:00+08:00", "2025-01-15T02:31:05+00:00");
        assert_eq!(seconds_between(morning, later), Some(65));
        assert_eq!(seconds_between(later, morning), None);
        assert_eq!(seconds_between("", later), None);
    }

    #[test]
    fn both_forms_are_read_back() {
        let moment = Moment::now();
        for read in [Moment::parse(&moment.timestamp()), Moment::parse_second(&moment.second())] {
            assert_eq!(read.map(|read| read.timestamp()), Some(moment.timestamp()));
        }
        let numbered = Moment::parse_second("2025-01-15T10-30-00-12");
        assert_eq!(numbered.map(|read| read.second()).as_deref(), Some("2025-01-15T10-30-00"));
        assert!(
            Moment::parse("2025-01-15").is_none() && Moment::parse_second("2025-13-15T10-30-00").is_none()
        );
    }

    #[test]
    fn both_forms_name_the_same_second() {
        let moment = Moment::now();
        let id: Result<SessionId, _> = moment.second().parse();
        assert_eq!(Ok(moment.timestamp()[..19].replace(':', "-")), id.map(String::from));
    }
}
