//! Versions of formats.

use super::Rule;
use super::macros::leaf_schema;
use super::read::{Member, Place, Reader};
use serde_json::Value;
use std::fmt;

/// Version of a document, `MAJOR.MINOR`: major version [`Version::MAJOR`], minor version at least `LEAST`. Later minor versions
/// are accepted as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version<const LEAST: u32>(u32);

/// Version of every document except a DAG: `1.0`.
pub type SchemaVersion = Version<0>;
/// Version of a DAG: `1.1`.
pub type DagVersion = Version<1>;

impl<const LEAST: u32> Version<LEAST> {
    /// The only major version.
    pub const MAJOR: u32 = 1;
    /// The version that this program writes.
    pub const CURRENT: Self = Self(LEAST);

    /// Returns the minor version.
    pub fn minor(self) -> u32 {
        self.0
    }
}

impl<const LEAST: u32> Default for Version<LEAST> {
    fn default() -> Self {
        Self::CURRENT
    }
}

impl<const LEAST: u32> fmt::Display for Version<LEAST> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", Self::MAJOR, self.0)
    }
}

fn number(text: &str) -> Option<u32> {
    let is_written_once = text == "0" || !text.starts_with(['0', '+']);
    text.parse().ok().filter(|_| is_written_once)
}

impl<const LEAST: u32> Member for Version<LEAST> {
    fn read(reader: &mut Reader, place: &Place<'_>, value: Option<&Value>) -> Option<Self> {
        let Some(Value::String(text)) = value else {
            reader.note(place, Rule::IsString, value);
            return None;
        };
        let numbers = text.split_once('.').and_then(|(major, minor)| Some((number(major)?, number(minor)?)));
        let rule = match numbers {
            None => Rule::IsVersion,
            Some((major, minor)) if major == Self::MAJOR && minor >= LEAST => return Some(Self(minor)),
            Some(_) if LEAST == 0 => Rule::VersionSupported { newest: "1.0", dag: false },
            Some(_) => Rule::VersionSupported { newest: "1.1", dag: true },
        };
        reader.note(place, rule, value);
        None
    }
}

impl<const LEAST: u32> serde::Serialize for Version<LEAST> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

leaf_schema!(Version<0>, { "type": "string", "pattern": "^1[.](0|[1-9][0-9]*)$" });
leaf_schema!(Version<1>, { "type": "string", "pattern": "^1[.][1-9][0-9]*$" });
