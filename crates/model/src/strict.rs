//! JSON into [`Value`], refusing what the standard reader would silently repair: an object that names a member
//! twice. serde_json keeps the last one, so the person would decide about something the agent did not mean.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Value};
use std::fmt;

/// Why a text is not JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SyntaxError {
    /// Nothing but white space.
    Empty,
    /// It starts with a byte order mark, which JSON does not allow.
    ByteOrderMark,
    /// It is not UTF-8.
    NotUtf8 {
        /// Bytes before the first wrong one.
        offset: usize,
    },
    /// The parser's own words, with line and column.
    Json(String),
}

/// Reads the bytes of a document.
pub(crate) fn read(bytes: &[u8]) -> Result<Value, SyntaxError> {
    if bytes.starts_with("\u{feff}".as_bytes()) {
        return Err(SyntaxError::ByteOrderMark);
    }
    let text =
        std::str::from_utf8(bytes).map_err(|error| SyntaxError::NotUtf8 { offset: error.valid_up_to() })?;
    if text.trim().is_empty() {
        return Err(SyntaxError::Empty);
    }
    parse(text).map_err(|error| SyntaxError::Json(error.to_string()))
}

/// Reads a whole document. Nesting is limited to serde_json's 128 levels.
pub(crate) fn parse(text: &str) -> serde_json::Result<Value> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Strict.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(element) = elements.next_element_seed(Strict)? {
            array.push(element);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            match object.entry(key) {
                Entry::Occupied(first) => {
                    return Err(A::Error::custom(format_args!("duplicate key {:?}", first.key())));
                }
                Entry::Vacant(place) => {
                    place.insert(members.next_value_seed(Strict)?);
                }
            }
        }
        Ok(Value::Object(object))
    }
}
