//! Ids that are used in file names.

use super::Rule;
use super::macros::{leaf_schema, text};
use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Id of a plan, task, agent, message, command, output and so on: letters, digits, `.`, `_` and `-`, not beginning with a dot, at
/// most [`Id::MAX`] characters. A clone shares the text, because a router remembers every id it has seen.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(Arc<str>);

/// The text is not a valid [`Id`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdError;

impl Id {
    /// Maximum length.
    pub const MAX: usize = 128;
}

impl FromStr for Id {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let fits = (1..=Self::MAX).contains(&text.len())
            && !text.starts_with('.')
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'));
        if fits { Ok(Self(text.into())) } else { Err(IdError) }
    }
}

/// Ids are ordered like their texts.
impl Borrow<str> for Id {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for IdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not an id: letters, digits, '.', '_' and '-', no dot in front, at most {}", Id::MAX)
    }
}

impl std::error::Error for IdError {}

text!(Id, |IdError| Rule::IsId);
leaf_schema!(Id, { "type": "string", "pattern": "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$" });

/// Recipient of a message: an agent, or `*` if there is no single one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Recipient(String);

impl Recipient {
    /// Returns `*`: no single recipient.
    pub fn nobody() -> Self {
        Self("*".to_owned())
    }

    /// Returns the agent; `None` for `*`.
    pub fn agent(&self) -> Option<Id> {
        self.0.parse().ok()
    }
}

impl From<Id> for Recipient {
    fn from(agent: Id) -> Self {
        Self(agent.into())
    }
}

impl FromStr for Recipient {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        if text == "*" { Ok(Self::nobody()) } else { Ok(Self::from(text.parse::<Id>()?)) }
    }
}

text!(Recipient, |IdError| Rule::IsId);
leaf_schema!(Recipient, { "type": "string", "pattern": "^(\\*|[A-Za-z0-9_-][A-Za-z0-9._-]{0,127})$" });

#[cfg(test)]
mod tests {
    use super::{Id, Recipient};

    #[test]
    fn an_id_can_be_part_of_a_files_name() {
        let longest = "x".repeat(128);
        for good in ["a", "plan_7f3e91ab", "requirements.md", "-", "_", "A-b_c.1", &longest] {
            assert_eq!(good.parse::<Id>().unwrap().as_str(), good);
        }
        let too_long = "x".repeat(129);
        for bad in ["", ".", "..", ".a", "a/b", "a\\b", "a b", "a\0", "名", "a:b", "*", "a\n", &too_long] {
            assert!(bad.parse::<Id>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_recipient_is_an_agent_or_nobody_in_particular() {
        assert_eq!("*".parse::<Recipient>().unwrap().agent(), None);
        assert_eq!("agent_a".parse::<Recipient>().unwrap().agent().unwrap(), "agent_a");
        assert!("**".parse::<Recipient>().is_err());
    }
}
