//! The key that somebody may have meant.

use crate::messages::Message;
use store::KEYS;

/// What to do about a key that is none.
pub(super) fn hint(key: &str) -> Message {
    nearest(key).map_or(Message::SeeKeys, |near| Message::NearKey { key: near })
}

/// The key that is written almost as `text`, or whose last name is.
fn nearest(text: &str) -> Option<&'static str> {
    let text = text.to_lowercase().replace('-', "_");
    let near = |name: &str| {
        let distance = distance(name, &text);
        (distance <= 1 + name.len() / 6).then_some(distance)
    };
    let whole = KEYS.iter().filter_map(|key| Some((near(key.name)?, key.name)));
    let last = KEYS.iter().filter_map(|key| Some((near(key.name.rsplit('.').next()?)?, key.name)));
    whole.min().or_else(|| last.min()).map(|(_, name)| name)
}

/// How many letters have to be changed, added or left out.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (index, a) in a.chars().enumerate() {
        let mut diagonal = index;
        let mut left = index + 1;
        for (cell, b) in row.iter_mut().skip(1).zip(b.chars()) {
            left = (left + 1).min(*cell + 1).min(diagonal + usize::from(a != b));
            diagonal = std::mem::replace(cell, left);
        }
        if let Some(first) = row.first_mut() {
            *first = index + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn distances() {
        for (a, b, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("port", "prot", 2),
            ("port", "ports", 1),
            ("天地", "天", 1),
        ] {
            assert_eq!((distance(a, b), distance(b, a)), (expected, expected), "{a} {b}");
        }
    }

    #[test]
    fn what_somebody_may_have_meant() {
        for (text, expected) in [
            ("decide.prot", Some("decide.port")),
            ("decide.Port", Some("decide.port")),
            ("decide.port", Some("decide.port")),
            ("port", Some("decide.port")),
            ("lang", Some("general.lang")),
            ("flow.back-confirm", Some("flow.back_confirm")),
            ("flow.git.enable", Some("flow.git.enabled")),
            ("flow.hook", Some("flow.hooks")),
            ("task.source", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(nearest(text), expected, "{text}");
        }
    }
}
