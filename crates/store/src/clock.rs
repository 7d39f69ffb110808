//! The clock, in the two forms files use.

use chrono::{DateTime, Local};

/// The present moment as local time with offset, whole seconds: `2025-01-15T10:30:00+08:00`.
pub fn now() -> String {
    Moment::now().timestamp()
}

/// One reading of the clock, so that a session's name and its creation time agree.
pub(crate) struct Moment(DateTime<Local>);

impl Moment {
    pub(crate) fn now() -> Self {
        Self(Local::now())
    }

    /// The form of [`now`].
    pub(crate) fn timestamp(&self) -> String {
        self.0.format("%Y-%m-%dT%H:%M:%S%:z").to_string()
    }

    /// The form of session ids: `2025-01-15T10-30-00`.
    pub(crate) fn second(&self) -> String {
        self.0.format("%Y-%m-%dT%H-%M-%S").to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::{Moment, now};
    use chrono::DateTime;
    use model::SessionId;

    #[test]
    fn times_are_whole_seconds_with_an_offset() {
        let text = now();
        assert_eq!(text.len(), "2025-01-15T10:30:00+08:00".len(), "{text}");
        assert!(DateTime::parse_from_rfc3339(&text).is_ok(), "{text}");
    }

    #[test]
    fn both_forms_name_the_same_second() {
        let moment = Moment::now();
        let id: Result<SessionId, _> = moment.second().parse();
        assert_eq!(Ok(moment.timestamp()[..19].replace(':', "-")), id.map(String::from));
    }
}
