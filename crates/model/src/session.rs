//! Names of sessions: `YYYY-MM-DDTHH-MM-SS`, and `…-2`, `…-3` for further ones within the same second.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// The name of one set of questions, from the clock (contract/storage §1.4).
///
/// Ordered by time, then by number; the written form of `…-10` sorts before `…-2`, this type does not.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SessionId {
    /// `YYYY-MM-DDTHH-MM-SS`, digits checked, calendar not.
    second: String,
    /// 1 for the first within the second, which is not written.
    number: u32,
}

/// A text that is not a session id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionIdError;

impl SessionId {
    /// The next id at the moment `second` (`YYYY-MM-DDTHH-MM-SS`), later than `last` in every case: within the
    /// same second, and when the clock was set back.
    pub fn next(second: &str, last: Option<&Self>) -> Result<Self, SessionIdError> {
        let now: Self = second.parse()?;
        Ok(match last {
            Some(last) if now.second <= last.second => {
                Self { second: last.second.clone(), number: last.number.saturating_add(1) }
            }
            _ => now,
        })
    }

    /// The id so many numbers later, within the same second.
    #[must_use]
    pub fn later(&self, numbers: u32) -> Self {
        Self { second: self.second.clone(), number: self.number.saturating_add(numbers) }
    }

    /// Two numbers in the order of ids, faster to compare: the digits of the second, and the number within it.
    pub fn sort_key(&self) -> (u64, u32) {
        let digits = self.second.bytes().filter(u8::is_ascii_digit);
        (digits.fold(0, |value, digit| value * 10 + u64::from(digit - b'0')), self.number)
    }

    /// The moment that it is named after: `YYYY-MM-DDTHH-MM-SS`.
    pub fn second(&self) -> &str {
        &self.second
    }
}

impl FromStr for SessionId {
    type Err = SessionIdError;

    fn from_str(text: &str) -> Result<Self, SessionIdError> {
        const SHAPE: &[u8] = b"0000-00-00T00-00-00";
        let (second, rest) = text.split_at_checked(SHAPE.len()).ok_or(SessionIdError)?;
        let fits = second.bytes().zip(SHAPE).all(|(byte, shape)| match shape {
            b'0' => byte.is_ascii_digit(),
            literal => byte == *literal,
        });
        let number = match rest.strip_prefix('-') {
            None if rest.is_empty() => 1,
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0') => {
                digits.parse().ok().filter(|number| *number >= 2).ok_or(SessionIdError)?
            }
            _ => return Err(SessionIdError),
        };
        if fits { Ok(Self { second: second.to_owned(), number }) } else { Err(SessionIdError) }
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.second)?;
        if self.number > 1 {
            write!(f, "-{}", self.number)?;
        }
        Ok(())
    }
}

impl Ord for SessionId {
    fn cmp(&self, other: &Self) -> Ordering {
        self.second.cmp(&other.second).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for SessionId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl TryFrom<String> for SessionId {
    type Error = SessionIdError;

    fn try_from(text: String) -> Result<Self, SessionIdError> {
        text.parse()
    }
}

impl From<SessionId> for String {
    fn from(id: SessionId) -> Self {
        id.to_string()
    }
}

impl fmt::Display for SessionIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a session id (YYYY-MM-DDTHH-MM-SS)")
    }
}

impl std::error::Error for SessionIdError {}
