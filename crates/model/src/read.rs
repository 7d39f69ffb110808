//! Reading members of a JSON document and noting every broken rule on the way.

use crate::path::Place;
use crate::{Found, MAX_SAFE_INTEGER, Problem, Rule, is_blank};
use serde_json::{Map, Value};

/// Collects problems while a document is read. Each reader returns `None` after it has noted why.
#[derive(Default)]
pub(crate) struct Reader {
    problems: Vec<Problem>,
}

impl Reader {
    pub(crate) fn note(&mut self, path: &Place<'_>, rule: Rule, found: Option<&Value>) {
        self.problems.push(Problem { path: path.to_path(), rule, found: Found::of(found) });
    }

    /// True while nothing was noted.
    pub(crate) fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    pub(crate) fn into_problems(self) -> Vec<Problem> {
        self.problems
    }

    /// A string, possibly blank.
    pub(crate) fn string(&mut self, path: &Place<'_>, value: Option<&Value>) -> Option<String> {
        match value {
            Some(Value::String(text)) => Some(text.clone()),
            other => {
                self.note(path, Rule::IsString, other);
                None
            }
        }
    }

    /// A string in which something is written.
    pub(crate) fn written(&mut self, path: &Place<'_>, value: Option<&Value>) -> Option<String> {
        let text = self.string(path, value)?;
        if is_blank(&text) {
            self.note(path, Rule::NotBlank, value);
            return None;
        }
        Some(text)
    }

    /// A whole number from 1 to [`MAX_SAFE_INTEGER`]; `1.0` is one, `"1"` and `true` are not.
    pub(crate) fn positive(&mut self, path: &Place<'_>, value: Option<&Value>) -> Option<u64> {
        let rule = match whole_number(value) {
            None => Rule::IsInteger,
            Some(number) if number <= 0 => Rule::IsPositive,
            Some(number) => match u64::try_from(number) {
                Ok(number) if number <= MAX_SAFE_INTEGER => return Some(number),
                _ => Rule::IsSafeInteger,
            },
        };
        self.note(path, rule, value);
        None
    }

    /// A whole number within bounds.
    pub(crate) fn between(
        &mut self,
        path: &Place<'_>,
        value: &Value,
        least: usize,
        most: usize,
    ) -> Option<usize> {
        let number = whole_number(Some(value));
        let within = number.and_then(|number| usize::try_from(number).ok());
        let within = within.filter(|number| (least..=most).contains(number));
        if within.is_none() {
            let rule = if number.is_none() { Rule::IsInteger } else { Rule::IsBetween { least, most } };
            self.note(path, rule, Some(value));
        }
        within
    }

    /// An object.
    pub(crate) fn object<'v>(
        &mut self,
        path: &Place<'_>,
        value: Option<&'v Value>,
        rule: Rule,
    ) -> Option<&'v Map<String, Value>> {
        match value {
            Some(Value::Object(object)) => Some(object),
            other => {
                self.note(path, rule, other);
                None
            }
        }
    }

    /// An array with at least one element.
    pub(crate) fn filled_array<'v>(
        &mut self,
        path: &Place<'_>,
        value: Option<&'v Value>,
    ) -> Option<&'v [Value]> {
        match value {
            Some(Value::Array(array)) if !array.is_empty() => Some(array),
            other => {
                self.note(path, Rule::IsFilledArray, other);
                None
            }
        }
    }
}

/// The member `key`, with `null` read as absent.
pub(crate) fn optional<'v>(object: &'v Map<String, Value>, key: &str) -> Option<&'v Value> {
    object.get(key).filter(|value| !value.is_null())
}

fn whole_number(value: Option<&Value>) -> Option<i128> {
    let Some(Value::Number(number)) = value else { return None };
    if let Some(unsigned) = number.as_u64() {
        return Some(unsigned.into());
    }
    if let Some(signed) = number.as_i64() {
        return Some(signed.into());
    }
    // A float-to-integer cast saturates, so a huge value stays huge.
    number.as_f64().filter(|float| float.fract() == 0.0).map(|float| float as i128)
}
