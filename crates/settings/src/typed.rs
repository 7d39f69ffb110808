//! Values as they are typed: on a command line, or in a variable of the environment.

use crate::{ConfigValue, Key, Kind, PhasesFault, forms, phases_fault};
use std::ffi::OsStr;

/// Why a text is no value of a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAValue {
    /// It is not UTF-8.
    #[error("not UTF-8")]
    NotUtf8,
    /// It is not what the kind of the key asks for.
    #[error("not of its kind")]
    WrongKind,
    /// It is no list of phases.
    #[error(transparent)]
    Phases(PhasesFault),
}

impl Key {
    /// Reads `text` as a value of this key. A string is taken as it is, without quotes.
    ///
    /// # Errors
    ///
    /// When it is none.
    pub fn read(&self, text: &OsStr) -> Result<ConfigValue, NotAValue> {
        let text = text.to_str().ok_or(NotAValue::NotUtf8)?;
        let string =
            |fits: bool| fits.then(|| ConfigValue::Text(text.to_owned())).ok_or(NotAValue::WrongKind);
        match self.kind {
            Kind::Boolean if text.eq_ignore_ascii_case("true") => Ok(ConfigValue::Boolean(true)),
            Kind::Boolean if text.eq_ignore_ascii_case("false") => Ok(ConfigValue::Boolean(false)),
            Kind::Boolean => Err(NotAValue::WrongKind),
            Kind::Integer { min, max } => {
                let digits = forms::digits(text.strip_prefix('-').unwrap_or(text));
                let number = digits.and_then(|_| text.parse::<i64>().ok());
                let number = number.filter(|number| (min..=max).contains(number));
                number.map(ConfigValue::Integer).ok_or(NotAValue::WrongKind)
            }
            Kind::Text => string(true),
            Kind::OneOf(allowed) => string(allowed.contains(&text)),
            Kind::Address => string(forms::address(text).is_some()),
            Kind::Link => string(forms::is_link(text)),
            Kind::Texts => list(text).map(ConfigValue::texts).ok_or(NotAValue::WrongKind),
            Kind::Phases => {
                let names = list(text).ok_or(NotAValue::WrongKind)?;
                let names: Vec<String> = names.iter().map(|name| name.trim().to_owned()).collect();
                phases_fault(&names)
                    .map_or_else(|| Ok(ConfigValue::texts(&names)), |fault| Err(NotAValue::Phases(fault)))
            }
            // They are for a person's own hand.
            Kind::Tables | Kind::Map => Err(NotAValue::WrongKind),
        }
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
    use super::NotAValue::{self, NotUtf8, Phases, WrongKind};
    use crate::{PhasesFault, known};
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::OsStringExt;

    fn typed(key: &str, text: &str) -> Result<String, NotAValue> {
        known(key).unwrap().read(OsStr::new(text)).map(|value| value.to_string())
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
    fn what_is_none_is_refused() {
        for (key, text, refusal) in [
            ("flow.back_confirm", "yes", WrongKind),
            ("flow.back_confirm", "", WrongKind),
            ("decide.port", "65536", WrongKind),
            ("decide.port", "-1", WrongKind),
            ("decide.port", "+1", WrongKind),
            ("decide.port", "1.0", WrongKind),
            ("decide.timeout", "99999999999999999999", WrongKind),
            ("decide.bind", "example.com", WrongKind),
            ("decide.url", "x", WrongKind),
            ("decide.auth", "Never", WrongKind),
            ("general.lang", "de", WrongKind),
            ("notify.when", "", WrongKind),
            ("flow.git.add_strategy", "dot", WrongKind),
            ("flow.plantuml.glob", "[1]", WrongKind),
            ("flow.plantuml.glob", "['a'", WrongKind),
            ("flow.plantuml.glob", "['a']\nx = 1", WrongKind),
            ("flow.plantuml.glob", "a,,b", WrongKind),
            ("flow.phases", "[]", Phases(PhasesFault::Empty)),
            ("flow.phases", "", Phases(PhasesFault::Empty)),
            ("flow.phases", "[' ']", Phases(PhasesFault::Blank)),
            ("flow.phases", "a,b,a", Phases(PhasesFault::Repeated("a".to_owned()))),
        ] {
            assert_eq!(typed(key, text), Err(refusal), "{key} {text}");
        }
        let not_text = OsString::from_vec(vec![0xff]);
        assert_eq!(known("decide.url").unwrap().read(&not_text), Err(NotUtf8));
    }
}
