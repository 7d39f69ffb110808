//! The version of what the inbox shows.

use crate::Form;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use store::seconds_between;

/// Names what the inbox shows of `forms`, so that a change of it is seen.
pub fn inbox_version(forms: &[Arc<Form>]) -> String {
    // The same in every run of the program: a page may be older than the server.
    let mut hasher = DefaultHasher::new();
    let now = store::now();
    for form in forms {
        (form.id().to_string(), form.draft_saved_at(), age(form, &now)).hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

/// How long ago a set was asked, in seconds: whole minutes, from an hour on whole hours, from a day on whole days. The page shows
/// no finer unit.
pub(crate) fn age(form: &Form, now: &str) -> Option<u64> {
    let seconds = seconds_between(&form.pending().created_at, now)?;
    let unit = [86_400, 3_600].into_iter().find(|unit| seconds >= *unit).unwrap_or(60);
    Some(seconds / unit * unit)
}
