//! Non-empty lists.

use super::Rule;
use super::read::{Member, Place, Reader};
use serde::Serialize;
use serde_json::Value;
use std::ops::Deref;

/// A list with at least one element.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct NonEmpty<T>(Vec<T>);

impl<T> NonEmpty<T> {
    /// Returns the list; `None` if it is empty.
    pub fn new(elements: Vec<T>) -> Option<Self> {
        if elements.is_empty() { None } else { Some(Self(elements)) }
    }

    /// Returns a list of one element.
    pub fn one(element: T) -> Self {
        Self(vec![element])
    }

    /// Returns the elements.
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<T> Deref for NonEmpty<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<'f, T> IntoIterator for &'f NonEmpty<T> {
    type Item = &'f T;
    type IntoIter = std::slice::Iter<'f, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<T> IntoIterator for NonEmpty<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<T: Member> Member for NonEmpty<T> {
    fn read(reader: &mut Reader, place: &Place<'_>, value: Option<&Value>) -> Option<Self> {
        if value.and_then(Value::as_array).is_none_or(Vec::is_empty) {
            reader.note(place, Rule::IsFilledArray, value);
            return None;
        }
        Vec::read(reader, place, value).map(Self)
    }
}

#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> schemars::JsonSchema for NonEmpty<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Filled_of_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let element = generator.subschema_for::<T>();
        schemars::json_schema!({ "type": "array", "minItems": 1, "items": element })
    }
}
