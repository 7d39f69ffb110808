//! A moment, for people.

use crate::html::markup::IntoMarkup;
use leptos::prelude::*;

/// `2025-01-15T10:35:00+08:00` as `2025-01-15 10:35`, the whole of it for machines; any other text as it is.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Time(moment: &str) -> impl IntoView + use<> {
    match short(moment) {
        Some(text) => view! { <time datetime=moment.to_owned()>{text}</time> }.into_markup(),
        None => moment.to_owned().into_markup(),
    }
}

/// `2025-01-15T10:35:00+08:00` as `10:35` on the day of `now`, with its date on any other; any other text as it is.
pub(super) fn today(moment: &str, now: &str) -> String {
    let text = short(moment).unwrap_or_else(|| moment.to_owned());
    match text.split_once(' ') {
        Some((day, time)) if now.starts_with(day) => time.to_owned(),
        _ => text,
    }
}

fn short(moment: &str) -> Option<String> {
    const SHAPE: &[u8] = b"0000-00-00T00:00:";
    let fits = moment.len() > SHAPE.len()
        && moment.bytes().zip(SHAPE).all(|(byte, shape)| match shape {
            b'0' => byte.is_ascii_digit(),
            literal => byte == *literal,
        });
    fits.then(|| moment[..SHAPE.len() - 1].replace('T', " "))
}

#[cfg(test)]
mod tests {
    use super::{short, today};

    #[test]
    fn a_moment_is_shortened_and_nothing_else_is() {
        assert_eq!(short("2025-01-15T10:35:07+08:00").as_deref(), Some("2025-01-15 10:35"));
        assert_eq!(short("2025-01-15"), None);
        assert_eq!(short("十五日十点三十五分钟左右吧"), None);
        assert_eq!(short(""), None);
    }

    #[test]
    fn the_day_is_named_unless_it_is_today() {
        let moment = "2025-01-15T10:35:07+08:00";
        assert_eq!(today(moment, "2025-01-15T23:59:59+08:00"), "10:35");
        assert_eq!(today(moment, "2025-01-16T00:00:00+08:00"), "2025-01-15 10:35");
        assert_eq!(today("昨天 晚上", "2025-01-15T23:59:59+08:00"), "昨天 晚上");
    }
}
