//! Reading of a document's members, with every broken rule recorded.

use super::{Mode, Problem, Rule};
use model::{Found, MAX_SAFE_INTEGER};
use serde::de::{Deserialize, Deserializer, Error};
use serde_json::{Map, Value};
use std::fmt::Write;
use std::num::NonZeroU64;

/// Path of a value while a document is read: a chain of steps on the stack.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place<'p> {
    Root,
    Key(&'p Place<'p>, &'p str),
    Index(&'p Place<'p>, usize),
}

impl<'p> Place<'p> {
    pub(crate) fn key(&'p self, key: &'p str) -> Self {
        Self::Key(self, key)
    }

    pub(crate) fn index(&'p self, index: usize) -> Self {
        Self::Index(self, index)
    }

    fn write(self, path: &mut String) {
        match self {
            Self::Root => {}
            Self::Key(parent, key) => {
                parent.write(path);
                let is_plain = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
                if !is_plain {
                    // A string cannot be refused.
                    let _ = write!(path, "[{}]", Value::from(key));
                    return;
                }
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(key);
            }
            Self::Index(parent, index) => {
                parent.write(path);
                let _ = write!(path, "[{index}]");
            }
        }
    }
}

/// Collects problems while a document is read.
pub(crate) struct Reader {
    problems: Vec<Problem>,
    mode: Mode,
}

/// Validates rules across several members of an object.
pub(crate) type Check = fn(&mut Reader, &Place<'_>, &Map<String, Value>);

impl Reader {
    pub(crate) fn new(mode: Mode) -> Self {
        Self { problems: Vec::new(), mode }
    }

    /// Whether the requirements of routed commands apply.
    pub(crate) fn is_strict(&self) -> bool {
        self.mode == Mode::Routed
    }

    pub(crate) fn note(&mut self, place: &Place<'_>, rule: Rule, found: Option<&Value>) {
        let mut path = String::new();
        place.write(&mut path);
        self.problems.push(Problem { path, rule, found: Found::of(found) });
    }

    pub(crate) fn into_problems(self) -> Vec<Problem> {
        self.problems
    }

    pub(crate) fn object<'v>(
        &mut self,
        place: &Place<'_>,
        value: Option<&'v Value>,
    ) -> Option<&'v Map<String, Value>> {
        let object = value.and_then(Value::as_object);
        if object.is_none() {
            self.note(place, Rule::IsObject, value);
        }
        object
    }

    /// Requires a member to be present; its value, if present, has already been validated.
    pub(crate) fn demand(&mut self, place: &Place<'_>, object: &Map<String, Value>, key: &str, rule: Rule) {
        if is_missing(object.get(key)) {
            self.note(&place.key(key), rule, None);
        }
    }
}

/// Whether the value is absent or `null`.
pub(crate) fn is_missing(value: Option<&Value>) -> bool {
    value.is_none_or(Value::is_null)
}

/// Returns all members except those with these names.
pub(crate) fn others(object: &Map<String, Value>, keys: &[&str]) -> Map<String, Value> {
    let others = object.iter().filter(|(key, _)| !keys.contains(&key.as_str()));
    others.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// A value in a document. Reading returns `None` after recording the reason.
pub(crate) trait Member: Sized {
    fn read(reader: &mut Reader, place: &Place<'_>, value: Option<&Value>) -> Option<Self>;

    /// Whether the member is omitted when written.
    fn is_absent(&self) -> bool {
        false
    }
}

/// Reads a whole document.
pub(crate) fn read<T: Member>(value: &Value, mode: Mode) -> Result<T, Vec<Problem>> {
    let mut reader = Reader::new(mode);
    let read = T::read(&mut reader, &Place::Root, Some(value));
    let problems = reader.into_problems();
    read.filter(|_| problems.is_empty()).ok_or(problems)
}

/// Reads through serde; the first problem becomes the error.
pub(crate) fn deserialize<'de, T: Member, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let value = Value::deserialize(deserializer)?;
    read(&value, Mode::Direct).map_err(|problems| {
        let problem = problems.first().map(|problem| format!("{}: {:?}", problem.path, problem.rule));
        D::Error::custom(problem.unwrap_or_default())
    })
}

impl<T: Member> Member for Option<T> {
    fn read(reader: &mut Reader, place: &Place<'_>, value: Option<&Value>) -> Option<Self> {
        if is_missing(value) { Some(None) } else { T::read(reader, place, value).map(Some) }
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T: Member> Member for Box<T> {
    fn read(reader: &mut Reader, place: &Place<'_>, value: Option<&Value>) -> Option<Self> {
        T::read(reader, place, value).map(Self::new)
    }
}

impl<T: Member> Member for Vec<T> {
    fn read(reader: &mut Reader, place: &Place<'_>, value: Option<&Value>) -> Option<Self> {
        let Some(Value::Array(array)) = value else {
            reader.note(place, Rule::IsArray, value);
            return None;
        };
        // One that is wrong does not hide the next.
        let elements = array.iter().enumerate();
        let read: Vec<Option<T>> =
            elements.map(|(index, value)| T::read(reader, &place.index(index), Some(value))).collect();
        read.into_iter().collect()
    }
}

impl Member for String {
    fn read(reader: &mut Reader, place: &Place<'_>, value: Option<&Value>) -> Option<Self> {
        let text = value.and_then(Value::as_str);
        if text.is_none() {
            reader.note(place, Rule::IsString, value);
        }
        text.map(str::to_owned)
    }
}

impl Member for bool {
    fn read(reader: &mut Reader, place: &Place<'_>, value: Option<&Value>) -> Option<Self> {
        let read = value.and_then(Value::as_bool);
        if read.is_none() {
            reader.note(place, Rule::IsBoolean, value);
        }
        read
    }
}

/// `1.0` is an integer, as in JSON Schema; an integer that not every reader represents exactly is not accepted.
fn whole_number(value: Option<&Value>) -> Option<u64> {
    let Some(Value::Number(number)) = value else { return None };
    let float = || number.as_f64().filter(|float| float.fract() == 0.0 && *float >= 0.0);
    // The cast saturates, so a huge value stays too large.
    number.as_u64().or_else(|| float().map(|float| float as u64)).filter(|number| *number <= MAX_SAFE_INTEGER)
}

impl Member for u64 {
    fn read(reader: &mut Reader, place: &Place<'_>, value: Option<&Value>) -> Option<Self> {
        let read = whole_number(value);
        if read.is_none() {
            reader.note(place, Rule::IsInteger { least: 0 }, value);
        }
        read
    }
}

impl Member for NonZeroU64 {
    fn read(reader: &mut Reader, place: &Place<'_>, value: Option<&Value>) -> Option<Self> {
        let read = whole_number(value).and_then(Self::new);
        if read.is_none() {
            reader.note(place, Rule::IsInteger { least: 1 }, value);
        }
        read
    }
}

impl Member for Map<String, Value> {
    fn read(reader: &mut Reader, place: &Place<'_>, value: Option<&Value>) -> Option<Self> {
        reader.object(place, value).cloned()
    }
}

impl Member for Value {
    fn read(reader: &mut Reader, place: &Place<'_>, value: Option<&Value>) -> Option<Self> {
        if is_missing(value) {
            reader.note(place, Rule::IsGiven, value);
        }
        value.cloned()
    }
}
