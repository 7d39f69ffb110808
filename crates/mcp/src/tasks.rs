//! Tasks: calls that their client does not wait for, but asks about. Each is a set of questions, and known by its receipt, so
//! that it outlasts this process.

use crate::backend::ToolFailure;
use model::SessionId;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// How often a client is to ask.
pub(crate) const POLL_MILLIS: u64 = 2000;

/// How many tasks a client may follow by one subscription.
const MAX_FOLLOWED: usize = 100;
/// Where a subscription names them.
const IDS: &str = "taskIds";
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

/// The tasks that a subscription is to follow. Nothing is sent about those that its client does not know.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TaskSubscription(pub(crate) Vec<String>);

impl TaskSubscription {
    /// Reads them from the parameters of `subscriptions/listen`; `None` where there are none.
    pub(crate) fn read(params: Option<&Value>) -> Option<Self> {
        let ids = params?.get("notifications")?.get(IDS)?.as_array()?;
        let ids = ids.iter().filter_map(Value::as_str).filter(|id| TaskId::read(id).is_some());
        let ids: Vec<_> = ids.take(MAX_FOLLOWED).map(str::to_owned).collect();
        (!ids.is_empty()).then_some(Self(ids))
    }

    /// Adds them to the message that says what is followed.
    pub(crate) fn acknowledge(&self, message: &mut Value) {
        if message.get("method").and_then(Value::as_str) == Some(ACKNOWLEDGED) {
            message["params"]["notifications"][IDS] = json!(self.0);
        }
    }
}

/// The name of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TaskId {
    pub(crate) session: SessionId,
    /// It cannot be guessed.
    pub(crate) token: String,
    /// The project, where it is not that of calls that name none.
    pub(crate) project: Option<PathBuf>,
}

impl TaskId {
    /// Reads one.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let (session, token) = (parts.next()?.parse().ok()?, parts.next()?.to_owned());
        let project = parts.next().map(|hex| from_hex(hex).map(PathBuf::from));
        let project = match project {
            Some(path) => Some(path?),
            None => None,
        };
        parts.next().is_none().then_some(Self { session, token, project })
    }

    /// Writes it.
    pub(crate) fn text(&self) -> String {
        let Self { session, token, project } = self;
        let path = project.as_deref().and_then(Path::to_str);
        path.map_or_else(
            || format!("{session}.{token}"),
            |path| format!("{session}.{token}.{}", to_hex(path.as_bytes())),
        )
    }
}

/// Whether two tokens are the same, in a time that does not depend on how much of them is.
pub(crate) fn is_token(known: &str, given: &str) -> bool {
    let differences = known.bytes().zip(given.bytes()).fold(0, |found, (a, b)| found | (a ^ b));
    known.len() == given.len() && differences == 0
}

/// Makes a token of 128 bits.
pub(crate) fn token() -> Result<String, ToolFailure> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| ToolFailure { what: error.to_string(), hint: None })?;
    Ok(to_hex(&bytes))
}

fn to_hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing into a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn from_hex(text: &str) -> Option<String> {
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return None };
    let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Vec<u8> = pairs.iter().map(byte).collect::<Option<_>>()?;
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::{TaskId, is_token, token};

    #[test]
    fn names_of_tasks_are_read_as_they_are_written() {
        let token = token().unwrap();
        for project in [None, Some("/home/me/\u{4e2d}.x".into())] {
            let id =
                TaskId { session: "2025-01-15T10-30-00-2".parse().unwrap(), token: token.clone(), project };
            assert_eq!(TaskId::read(&id.text()), Some(id));
        }
        for text in ["", "x", "2025-01-15T10-30-00", "2025-01-15T10-30-00.a.zz", "2025-01-15T10-30-00.a.61.b"]
        {
            assert_eq!(TaskId::read(text), None, "{text}");
        }
    }

    #[test]
    fn tokens_are_compared_whole() {
        assert!(is_token("ab", "ab"));
        for other in ["", "a", "abc", "ac", "xb"] {
            assert!(!is_token("ab", other), "{other}");
        }
    }
}
