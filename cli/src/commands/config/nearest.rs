//! The key that somebody may have meant.

use crate::messages::Message;
use model::edit_distance;
use settings::KEYS;

/// What to do about a key that is none.
pub(super) fn hint(key: &str) -> Message {
    nearest(key).map_or(Message::SeeKeys, |near| Message::NearKey { key: near })
}

/// The key that is written almost as `text`, or whose last name is.
fn nearest(text: &str) -> Option<&'static str> {
    let text = text.to_lowercase().replace('-', "_");
    // The name of a section is none of a key, even where a key of another section is called so.
    if KEYS.iter().any(|key| key.name.strip_prefix(&text).is_some_and(|rest| rest.starts_with('.'))) {
        return None;
    }
    let near = |name: &str| {
        let distance = edit_distance(name, &text);
        (distance <= 1 + name.len() / 6).then_some(distance)
    };
    let whole = KEYS.iter().filter_map(|key| Some((near(key.name)?, key.name)));
    let last = KEYS.iter().filter_map(|key| Some((near(key.name.rsplit('.').next()?)?, key.name)));
    whole.min().or_else(|| last.min()).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::nearest;

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
            ("decide", None),
            ("task.source", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(nearest(text), expected, "{text}");
        }
    }
}
