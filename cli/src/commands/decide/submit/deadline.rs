//! `--deadline`: until when questions can be answered.

use crate::failure::Failure;
use settings::forms::span;
use std::ffi::OsStr;
use texts::Need;

/// Returns the moment that `given` means: so long from now (`45s`, `30m`, `2h`, `3d`, `1w`), or a time with its offset
/// (RFC 3339). It is not over yet.
///
/// # Errors
///
/// When it means none.
pub(super) fn read(given: &OsStr) -> Result<String, Failure> {
    let moment = given.to_str().and_then(|text| match span(text) {
        Some(span) => store::after(span),
        None => store::moment(text).filter(|moment| !store::is_since(&store::now(), moment)),
    });
    let refuse = || Failure::flag("--deadline", given.to_string_lossy().into_owned(), Need::Deadline);
    moment.ok_or_else(refuse)
}

#[cfg(test)]
mod tests {
    use super::read;
    use settings::forms::span;
    use std::ffi::OsStr;
    use std::time::Duration;

    #[test]
    fn spans_have_a_unit_and_moments_are_still_to_come() {
        for (text, seconds) in [("45s", 45), ("30m", 1800), ("2h", 7200), ("3d", 259_200), ("1w", 604_800)] {
            assert_eq!(span(text), Some(Duration::from_secs(seconds)), "{text}");
        }
        let read = |text: &str| read(OsStr::new(text)).ok();
        for text in
            ["", "2", "h", "0s", "-2h", "2 h", "1.5h", "2H", "99999999999999999999h", "9999999999999w"]
        {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read("2001-01-15T10:30:00+08:00"), None);
        assert_eq!(read("2999-01-15 10:30"), None);
        let later = read("2999-01-15T10:30:00+00:00").unwrap();
        assert_eq!(store::seconds_between("2999-01-15T10:30:00+00:00", &later), Some(0));
        assert!(store::seconds_between(&store::now(), &read("2h").unwrap()).is_some_and(|left| left >= 7198));
    }
}
