//! Non-blank strings.

use super::Rule;
use super::macros::{leaf_schema, text};
use model::is_blank;
use std::fmt;
use std::str::FromStr;

/// A string that is neither empty nor blank.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(String);

/// The string is blank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlankText;

impl FromStr for Text {
    type Err = BlankText;

    fn from_str(text: &str) -> Result<Self, BlankText> {
        if is_blank(text) { Err(BlankText) } else { Ok(Self(text.to_owned())) }
    }
}

/// The name of a code is never blank.
impl From<super::Code> for Text {
    fn from(code: super::Code) -> Self {
        Self(code.name().to_owned())
    }
}

/// A hash is never blank.
impl From<super::Sha256> for Text {
    fn from(hash: super::Sha256) -> Self {
        Self(hash.to_string())
    }
}

impl fmt::Display for BlankText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("blank")
    }
}

impl std::error::Error for BlankText {}

text!(Text, |BlankText| Rule::NotBlank);
leaf_schema!(Text, { "type": "string", "minLength": 1 });
