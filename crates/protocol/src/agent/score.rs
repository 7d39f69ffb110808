//! Scores.

use super::Rule;
use super::macros::leaf_schema;
use super::read::{Member, Place, Reader};
use serde::{Serialize, Serializer};
use serde_json::{Number, Value};
use std::cmp::Ordering;
use std::fmt;

/// A score from 0 to 100, written as read.
#[derive(Debug, Clone)]
pub struct Score(Number);

/// A number not below `LEAST`.
#[derive(Debug, Clone, PartialEq)]
pub struct AtLeast<const LEAST: u64>(Number);

impl Score {
    /// Returns the score; `None` if the number is out of range.
    pub fn new(number: &Number) -> Option<Self> {
        let value = number.as_f64()?;
        (0.0..=100.0).contains(&value).then(|| Self(number.clone()))
    }

    /// Returns the number.
    pub fn value(&self) -> f64 {
        self.0.as_f64().unwrap_or_default()
    }
}

impl<const LEAST: u64> AtLeast<LEAST> {
    /// Returns the number.
    pub fn value(&self) -> f64 {
        self.0.as_f64().unwrap_or_default()
    }
}

/// Formatted as in a message: `85`, not `85.0`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.value())
    }
}

impl PartialEq for Score {
    fn eq(&self, other: &Self) -> bool {
        self.value() == other.value()
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.value().partial_cmp(&other.value())
    }
}

impl TryFrom<f64> for Score {
    type Error = f64;

    fn try_from(value: f64) -> Result<Self, f64> {
        Number::from_f64(value).as_ref().and_then(Self::new).ok_or(value)
    }
}

impl Member for Score {
    fn read(reader: &mut Reader, place: &Place<'_>, value: Option<&Value>) -> Option<Self> {
        let read = value.and_then(Value::as_number).and_then(Self::new);
        if read.is_none() {
            reader.note(place, Rule::IsScore, value);
        }
        read
    }
}

impl<const LEAST: u64> Member for AtLeast<LEAST> {
    fn read(reader: &mut Reader, place: &Place<'_>, value: Option<&Value>) -> Option<Self> {
        let number = value.and_then(Value::as_number);
        let read = number.filter(|number| number.as_f64().is_some_and(|float| float >= LEAST as f64));
        if read.is_none() {
            reader.note(place, Rule::IsNumber { least: LEAST }, value);
        }
        read.cloned().map(Self)
    }
}

impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<const LEAST: u64> Serialize for AtLeast<LEAST> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

leaf_schema!(Score, { "type": "number", "minimum": 0, "maximum": 100 });
leaf_schema!(AtLeast<0>, { "type": "number", "minimum": 0 });
leaf_schema!(AtLeast<1>, { "type": "number", "minimum": 1 });

#[cfg(test)]
mod tests {
    use super::Score;

    #[test]
    fn a_score_is_told_without_what_says_nothing() {
        for (score, told) in [(85.0, "85"), (0.0, "0"), (62.5, "62.5"), (100.0, "100")] {
            assert_eq!(Score::try_from(score).unwrap().to_string(), told);
        }
        for none in [-1.0, 100.1, f64::NAN, f64::INFINITY] {
            assert!(Score::try_from(none).is_err());
        }
    }
}
