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
    /// It is UTF-16, as some programs of Windows write files.
    Utf16,
    /// It is not UTF-8.
    NotUtf8 {
        /// Bytes before the first wrong one.
        offset: usize,
    },
    /// A merge has left both versions in the text, between its marks.
    Conflict,
    /// The parser's own words, with line and column.
    Json(String),
}

/// Returns `bytes` without the byte order mark that some editors begin a file with.
pub(crate) fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)
}

/// Reads the bytes of a document.
///
/// # Errors
///
/// [`SyntaxError`] if they are not one JSON value in UTF-8.
pub fn read(bytes: &[u8]) -> Result<Value, SyntaxError> {
    if is_utf16(bytes) {
        return Err(SyntaxError::Utf16);
    }
    let bytes = without_byte_order_mark(bytes);
    let text =
        std::str::from_utf8(bytes).map_err(|error| SyntaxError::NotUtf8 { offset: error.valid_up_to() })?;
    if text.trim().is_empty() {
        return Err(SyntaxError::Empty);
    }
    parse(text).map_err(|error| {
        if is_conflict(text) { SyntaxError::Conflict } else { SyntaxError::Json(error.to_string()) }
    })
}

/// Whether a merge has left its marks in a text, each at the beginning of a line.
fn is_conflict(text: &str) -> bool {
    let mut lines = text.lines();
    ["<<<<<<< ", "=======", ">>>>>>> "].iter().all(|mark| lines.any(|line| line.starts_with(mark)))
}

/// Whether a document begins as one in UTF-16 does: with its mark, or with what a document begins with in two bytes, of which one is zero.
fn is_utf16(bytes: &[u8]) -> bool {
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => true,
        [0, first, ..] | [first, 0, ..] => b"{[ \t\r\n".contains(first),
        _ => false,
    }
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
