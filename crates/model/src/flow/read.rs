//! Reads the state of a task, telling what is wrong with one that is not.
//!
//! Ten thousand entries are read in a few milliseconds: known keys are not copied, and values are not kept in a tree.

use super::{Action, FlowStatus, HistoryEntry, TaskId, written};
use crate::{MAX_SAFE_INTEGER, is_blank};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;

/// Why a text is not the state of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FlowStatusError {
    /// It is no JSON.
    Syntax {
        /// The parser's own words.
        message: String,
    },
    /// A value breaks a rule.
    Invalid {
        /// The key, with its place in the history: `history[3].step`.
        path: String,
        /// The rule.
        rule: StatusRule,
    },
}

/// What a value of the state of a task must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusRule {
    /// An object.
    Object,
    /// A text that is not blank.
    Text,
    /// The name of a task, which becomes part of a file's name.
    TaskName,
    /// A whole number, not negative, that every reader of JSON keeps exact.
    Integer,
    /// A list.
    List,
    /// One of the documented actions.
    Action,
    /// A text, or missing.
    TextOrMissing,
    /// There only once.
    Once,
}

impl FlowStatus {
    /// Reads the contents of `flow-status.json` to add to them: as [`Self::parse`], but the earlier entries stay text where they
    /// are written as they would be again.
    ///
    /// # Errors
    ///
    /// As [`Self::parse`].
    pub fn parse_to_extend(text: &Arc<Vec<u8>>) -> Result<Self, FlowStatusError> {
        written::read(text).map_or_else(|| Self::parse(text), Ok)
    }

    /// Reads the contents of `flow-status.json`.
    ///
    /// # Errors
    ///
    /// When it is no JSON, or not the state of a task.
    pub fn parse(text: &[u8]) -> Result<Self, FlowStatusError> {
        let syntax = |message| FlowStatusError::Syntax { message };
        // Once for all of it is faster than for each text in it.
        let text = std::str::from_utf8(text).map_err(|error| syntax(error.to_string()))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let read: RawStatus = serde_json::from_str(text).map_err(|error| syntax(error.to_string()))?;
        read.checked()
    }
}

impl HistoryEntry {
    /// Reads one entry, the one at `index`.
    pub(super) fn parse(text: &str, index: usize) -> Option<Self> {
        serde_json::from_str::<RawEntry>(text).ok()?.checked(index).ok()
    }
}

/// A value as far as it matters.
#[derive(Debug, Default)]
enum Raw {
    #[default]
    Missing,
    Text(String),
    Integer(u64),
    Other,
}

#[derive(Debug, Default)]
struct RawStatus {
    is_object: bool,
    /// A key that is there twice.
    twice: Option<&'static str>,
    task_id: Raw,
    current_phase: Raw,
    current_step: Raw,
    started_at: Raw,
    history: RawHistory,
    others: Map<String, Value>,
}

#[derive(Debug, Default)]
enum RawHistory {
    #[default]
    Other,
    /// Checked as it is read, so that ten thousand entries are kept only once.
    List(Result<Vec<HistoryEntry>, FlowStatusError>),
}

#[derive(Debug, Default)]
struct RawEntry {
    is_object: bool,
    twice: Option<&'static str>,
    timestamp: Raw,
    action: Raw,
    phase: Raw,
    step: Raw,
    summary: Raw,
    git_commit: Raw,
    others: Map<String, Value>,
}

impl RawStatus {
    fn checked(self) -> Result<FlowStatus, FlowStatusError> {
        if !self.is_object {
            return Err(invalid(String::new(), StatusRule::Object));
        }
        if let Some(key) = self.twice {
            return Err(invalid(key.to_owned(), StatusRule::Once));
        }
        let top = |key: &'static str| move || key.to_owned();
        let task_id = self.task_id.text(top("task_id"))?;
        let task_id: TaskId =
            task_id.parse().map_err(|_| invalid("task_id".to_owned(), StatusRule::TaskName))?;
        let RawHistory::List(history) = self.history else {
            return Err(invalid("history".to_owned(), StatusRule::List));
        };
        Ok(FlowStatus {
            task_id,
            current_phase: self.current_phase.text(top("current_phase"))?,
            current_step: self.current_step.integer(top("current_step"))?,
            started_at: self.started_at.text(top("started_at"))?,
            history: history?.into(),
            others: self.others,
        })
    }
}

impl RawEntry {
    fn checked(self, index: usize) -> Result<HistoryEntry, FlowStatusError> {
        let at = |key: &'static str| move || format!("history[{index}].{key}");
        if !self.is_object {
            return Err(invalid(format!("history[{index}]"), StatusRule::Object));
        }
        if let Some(key) = self.twice {
            return Err(invalid(at(key)(), StatusRule::Once));
        }
        let action = self.action.text(at("action"))?;
        Ok(HistoryEntry {
            timestamp: self.timestamp.text(at("timestamp"))?,
            action: Action::from_code(&action).ok_or_else(|| invalid(at("action")(), StatusRule::Action))?,
            phase: self.phase.text(at("phase"))?,
            step: self.step.integer(at("step"))?,
            summary: self.summary.text(at("summary"))?,
            git_commit: match self.git_commit {
                Raw::Missing => None,
                Raw::Text(commit) => Some(commit),
                Raw::Integer(_) | Raw::Other => {
                    return Err(invalid(at("git_commit")(), StatusRule::TextOrMissing));
                }
            },
            others: (!self.others.is_empty()).then(|| Box::new(self.others)),
        })
    }
}

impl Raw {
    fn text(self, path: impl FnOnce() -> String) -> Result<String, FlowStatusError> {
        match self {
            Self::Text(text) if !is_blank(&text) => Ok(text),
            _ => Err(invalid(path(), StatusRule::Text)),
        }
    }

    fn integer(self, path: impl FnOnce() -> String) -> Result<u64, FlowStatusError> {
        match self {
            Self::Integer(number) if number <= MAX_SAFE_INTEGER => Ok(number),
            _ => Err(invalid(path(), StatusRule::Integer)),
        }
    }
}

fn invalid(path: String, rule: StatusRule) -> FlowStatusError {
    FlowStatusError::Invalid { path, rule }
}

/// Everything that is no object, no list, no text and no number reads as `$other`.
macro_rules! other_scalars {
    ($other:expr) => {
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($other)
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok($other)
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok($other)
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($other)
        }
    };
}

/// Everything that is no object, no list and neither text nor number.
macro_rules! other_texts_and_numbers {
    ($other:expr) => {
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok($other)
        }
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok($other)
        }
    };
}

/// Reads a list of anything to its end.
fn skip_list<'de, A: SeqAccess<'de>>(mut list: A) -> Result<(), A::Error> {
    while list.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

/// Reads an object to its end.
fn skip_object<'de, A: MapAccess<'de>>(mut object: A) -> Result<(), A::Error> {
    while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(())
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Raw;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }
            other_scalars!(Raw::Other);
            fn visit_u64<E>(self, number: u64) -> Result<Raw, E> {
                Ok(Raw::Integer(number))
            }
            fn visit_str<E>(self, text: &str) -> Result<Raw, E> {
                Ok(Raw::Text(text.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Raw, A::Error> {
                skip_list(list).map(|()| Raw::Other)
            }
            fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Raw, A::Error> {
                skip_object(object).map(|()| Raw::Other)
            }
        }
        deserializer.deserialize_any(Any)
    }
}

impl<'de> Deserialize<'de> for RawHistory {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = RawHistory;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }
            other_scalars!(RawHistory::Other);
            other_texts_and_numbers!(RawHistory::Other);
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<RawHistory, A::Error> {
                let mut entries = Vec::new();
                let mut wrong = None;
                while let Some(entry) = list.next_element::<RawEntry>()? {
                    // What comes after a mistake has to be JSON all the same.
                    if wrong.is_none() {
                        match entry.checked(entries.len()) {
                            Ok(entry) => entries.push(entry),
                            Err(error) => wrong = Some(error),
                        }
                    }
                }
                Ok(RawHistory::List(wrong.map_or(Ok(entries), Err)))
            }
            fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<RawHistory, A::Error> {
                skip_object(object).map(|()| RawHistory::Other)
            }
        }
        deserializer.deserialize_any(List)
    }
}

/// A key that is not copied when it is known.
enum Key {
    Known(usize),
    Other(String),
}

/// Reads a key of the list it is made with.
struct KeyOf(&'static [&'static str]);

impl<'de> serde::de::DeserializeSeed<'de> for KeyOf {
    type Value = Key;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Key, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeyOf {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Key, E> {
        let known = self.0.iter().position(|known| *known == key);
        Ok(known.map_or_else(|| Key::Other(key.to_owned()), Key::Known))
    }
}

/// An object with known keys: where each of them goes, and the rest into `others`.
macro_rules! object {
    ($type:ident { $($key:literal => $field:ident),* $(,)? }) => {
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                const KEYS: &[&str] = &[$($key),*];
                struct Object;
                impl<'de> Visitor<'de> for Object {
                    type Value = $type;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str("an object")
                    }
                    other_scalars!($type::default());
                    other_texts_and_numbers!($type::default());
                    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<$type, A::Error> {
                        skip_list(list).map(|()| $type::default())
                    }
                    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<$type, A::Error> {
                        let mut read = $type { is_object: true, ..$type::default() };
                        let mut seen = [false; KEYS.len()];
                        while let Some(key) = object.next_key_seed(KeyOf(KEYS))? {
                            let key = match key {
                                Key::Known(index) => {
                                    if std::mem::replace(&mut seen[index], true) {
                                        read.twice = Some(KEYS[index]);
                                    }
                                    KEYS[index]
                                }
                                Key::Other(key) => {
                                    read.others.insert(key, object.next_value()?);
                                    continue;
                                }
                            };
                            match key {
                                $($key => read.$field = object.next_value()?,)*
                                _ => {}
                            }
                        }
                        Ok(read)
                    }
                }
                deserializer.deserialize_any(Object)
            }
        }
    };
}

object!(RawStatus {
    "task_id" => task_id,
    "current_phase" => current_phase,
    "current_step" => current_step,
    "started_at" => started_at,
    "history" => history,
});

object!(RawEntry {
    "timestamp" => timestamp,
    "action" => action,
    "phase" => phase,
    "step" => step,
    "summary" => summary,
    "git_commit" => git_commit,
});
