//! Values as they are typed on a command line or stand in a variable.

use crate::failure::Failure;
use crate::messages::{Message, Need};
use crate::settings;
use std::ffi::OsStr;
use store::{ConfigValue, Key, Kind, phases_fault};

/// Why a text is no value of a key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    Needs(Need),
    Phases(store::PhasesFault),
}

/// Reads `text` as the value of `key`. A string is taken as it is, without quotes.
pub(super) fn read(key: &Key, text: &OsStr) -> Result<ConfigValue, Refusal> {
    let needs = || Refusal::Needs(need(key));
    let text = text.to_str().ok_or(Refusal::Needs(Need::Utf8))?;
    let string = |fits: bool| if fits { Ok(ConfigValue::Text(text.to_owned())) } else { Err(needs()) };
    match key.kind {
        Kind::Boolean if text.eq_ignore_ascii_case("true") => Ok(ConfigValue::Boolean(true)),
        Kind::Boolean if text.eq_ignore_ascii_case("false") => Ok(ConfigValue::Boolean(false)),
        Kind::Boolean => Err(needs()),
        Kind::Integer { min, max } => {
            // The standard library also reads `+1`.
            let number = if text.starts_with('+') { None } else { text.parse::<i64>().ok() };
            let number = number.filter(|number| (min..=max).contains(number));
            number.map(ConfigValue::Integer).ok_or_else(needs)
        }
        Kind::Text => string(true),
        Kind::OneOf(allowed) => string(allowed.contains(&text)),
        Kind::Address => string(settings::is_host(text)),
        Kind::Link => string(settings::is_url(text)),
        Kind::Texts => list(text).map(ConfigValue::texts).ok_or_else(needs),
        Kind::Phases => {
            let names = list(text).ok_or_else(needs)?;
            let names: Vec<String> = names.iter().map(|name| name.trim().to_owned()).collect();
            phases_fault(&names)
                .map_or_else(|| Ok(ConfigValue::texts(&names)), |fault| Err(Refusal::Phases(fault)))
        }
        Kind::Tables => Err(needs()),
    }
}

/// The same with what is to be said when it is none.
pub(super) fn checked(key: &'static Key, text: &OsStr) -> Result<ConfigValue, Failure> {
    read(key, text).map_err(|refusal| {
        let what = match refusal {
            Refusal::Phases(fault) => Message::BadPhases { fault },
            Refusal::Needs(need) => {
                Message::BadValue { key: key.name, value: text.to_string_lossy().into_owned(), need }
            }
        };
        Failure::new(what, Message::DefaultIs { value: key.default() })
    })
}

/// What the value of a key must be.
pub(super) fn need(key: &Key) -> Need {
    match (key.name, key.kind) {
        ("decide.port", _) => Need::Port,
        ("decide.timeout", _) => Need::Timeout,
        ("decide.auth", _) => Need::Auth,
        ("general.lang", _) => Need::Language,
        ("notify.when", _) => Need::Notify,
        (_, Kind::Boolean) => Need::Boolean,
        (_, Kind::Integer { min, max }) => Need::Integer { min, max },
        (_, Kind::OneOf(allowed)) => Need::OneOf(allowed),
        (_, Kind::Address) => Need::Host,
        (_, Kind::Link) => Need::Url,
        (_, Kind::Text) => Need::Utf8,
        (_, Kind::Texts | Kind::Phases | Kind::Tables) => Need::List,
    }
}

/// A list as TOML writes it, or its texts with commas between them.
fn list(text: &str) -> Option<Vec<String>> {
    let trimmed = text.trim();
    if trimmed.starts_with('[') {
        return ConfigValue::parse(trimmed)?.into_texts();
    }
    let parts: Vec<String> = trimmed.split(',').map(|part| part.trim().to_owned()).collect();
    match parts.as_slice() {
        [only] if only.is_empty() => Some(Vec::new()),
        parts if parts.iter().any(String::is_empty) => None,
        _ => Some(parts),
    }
}

#[cfg(test)]
mod tests {
    use super::{Refusal, read};
    use crate::messages::Need;
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::OsStringExt;
    use store::{PhasesFault, known};

    fn typed(key: &str, text: &str) -> Result<String, Refusal> {
        read(known(key).unwrap(), OsStr::new(text)).map(|value| value.to_string())
    }

    #[test]
    fn values_have_the_type_of_their_key() {
        for (key, text, value) in [
            ("flow.back_confirm", "TRUE", "true"),
            ("flow.back_confirm", "false", "false"),
            ("decide.port", "0", "0"),
            ("decide.port", "065", "65"),
            ("decide.bind", "[::1]", "\"[::1]\""),
            ("decide.url", "", "\"\""),
            ("plantuml.jar_path", "\"C:\\new\"", "\"\\\"C:\\\\new\\\"\""),
            ("flow.changelog.path", "true", "\"true\""),
            ("flow.git.add_strategy", "staged", "\"staged\""),
            ("flow.phases", "a, b", "[\"a\", \"b\"]"),
            ("flow.phases", "[\"a,1\", ' b ']", "[\"a,1\", \"b\"]"),
            ("flow.plantuml.glob", "", "[]"),
            ("flow.plantuml.glob", "[]", "[]"),
            ("notify.command", "[\n'say',]", "[\"say\"]"),
        ] {
            assert_eq!(typed(key, text).as_deref(), Ok(value), "{key} {text}");
        }
    }

    #[test]
    fn what_is_none_is_refused_with_what_is_needed() {
        let list = || Refusal::Needs(Need::List);
        for (key, text, refusal) in [
            ("flow.back_confirm", "yes", Refusal::Needs(Need::Boolean)),
            ("flow.back_confirm", "", Refusal::Needs(Need::Boolean)),
            ("decide.port", "65536", Refusal::Needs(Need::Port)),
            ("decide.port", "-1", Refusal::Needs(Need::Port)),
            ("decide.port", "+1", Refusal::Needs(Need::Port)),
            ("decide.port", "1.0", Refusal::Needs(Need::Port)),
            ("decide.timeout", "99999999999999999999", Refusal::Needs(Need::Timeout)),
            ("decide.bind", "example.com", Refusal::Needs(Need::Host)),
            ("decide.url", "x", Refusal::Needs(Need::Url)),
            ("decide.auth", "Never", Refusal::Needs(Need::Auth)),
            ("general.lang", "de", Refusal::Needs(Need::Language)),
            ("notify.when", "", Refusal::Needs(Need::Notify)),
            ("flow.git.add_strategy", "dot", Refusal::Needs(Need::OneOf(&["all", "tracked", "staged"]))),
            ("flow.plantuml.glob", "[1]", list()),
            ("flow.plantuml.glob", "['a'", list()),
            ("flow.plantuml.glob", "['a']\nx = 1", list()),
            ("flow.plantuml.glob", "a,,b", list()),
            ("flow.phases", "[]", Refusal::Phases(PhasesFault::Empty)),
            ("flow.phases", "", Refusal::Phases(PhasesFault::Empty)),
            ("flow.phases", "[' ']", Refusal::Phases(PhasesFault::Blank)),
            ("flow.phases", "a,b,a", Refusal::Phases(PhasesFault::Repeated("a".to_owned()))),
        ] {
            assert_eq!(typed(key, text), Err(refusal), "{key} {text}");
        }
        let not_text = OsString::from_vec(vec![0xff]);
        assert_eq!(read(known("decide.url").unwrap(), &not_text), Err(Refusal::Needs(Need::Utf8)));
    }
}
