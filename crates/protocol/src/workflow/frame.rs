//! Frames that a client sends over a WebSocket (contract/workflows §4.1).

use super::ErrorCode;
use serde_json::{Map, Value, json};

/// A frame from a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientFrame {
    /// Adds to the client's subscription; empty or absent members change nothing.
    Subscribe {
        /// Event types, with `*` for any characters.
        types: Vec<String>,
        /// Event groups.
        groups: Vec<String>,
        /// Id of the workflow to which events are restricted.
        workflow: Option<String>,
        /// Id of the session to which events are restricted.
        session: Option<String>,
        /// Sequence number of the event after which to start.
        since: Option<i64>,
    },
    /// Removes entries from the client's subscription; if none are named, all of them.
    Unsubscribe {
        /// Event types, as subscribed.
        types: Vec<String>,
        /// Event groups, as subscribed.
        groups: Vec<String>,
    },
    /// Requests a pong.
    Ping,
}

/// Reason why a frame is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadFrame {
    /// The frame is not a JSON object.
    NotJson,
    /// The type is unknown.
    UnknownType,
    /// The types or groups are not arrays of strings.
    Lists,
    /// The workflow id or session id is not a string.
    Names,
    /// `since` is not a valid sequence number.
    Since,
}

impl ClientFrame {
    /// Parses a frame.
    ///
    /// # Errors
    ///
    /// When the frame is invalid.
    pub fn parse(text: &str) -> Result<Self, BadFrame> {
        let Ok(Value::Object(message)) = serde_json::from_str(text) else { return Err(BadFrame::NotJson) };
        match message.get("type").and_then(Value::as_str) {
            Some("subscribe") => {
                let (types, groups) = lists(&message)?;
                Ok(Self::Subscribe {
                    types,
                    groups,
                    workflow: name(&message, "workflowId")?,
                    session: name(&message, "sessionId")?,
                    since: since(&message)?,
                })
            }
            Some("unsubscribe") => {
                let (types, groups) = lists(&message)?;
                Ok(Self::Unsubscribe { types, groups })
            }
            Some("ping") => Ok(Self::Ping),
            _ => Err(BadFrame::UnknownType),
        }
    }

    /// Returns the frame as sent.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Subscribe { types, groups, workflow, session, since } => {
                let mut frame = json!({ "type": "subscribe", "events": types, "groups": groups });
                for (member, value) in [("workflowId", workflow), ("sessionId", session)] {
                    if let Some(value) = value {
                        frame[member] = json!(value);
                    }
                }
                if let Some(since) = since {
                    frame["since"] = json!(since);
                }
                frame
            }
            Self::Unsubscribe { types, groups } => {
                json!({ "type": "unsubscribe", "events": types, "groups": groups })
            }
            Self::Ping => json!({ "type": "ping" }),
        }
    }
}

impl BadFrame {
    /// Returns the error message for the client.
    pub fn to_json(self) -> Value {
        let invalid = ErrorCode::InvalidRequest.name();
        let (code, words) = match self {
            Self::NotJson => (ErrorCode::InvalidJson.name(), "Invalid JSON"),
            Self::UnknownType => ("UNKNOWN_MESSAGE_TYPE", "Unknown message type"),
            Self::Lists => (invalid, "events and groups must be arrays of strings"),
            Self::Names => (invalid, "workflowId and sessionId must be strings"),
            Self::Since => (invalid, "since must be a number"),
        };
        json!({ "type": "error", "error": words, "code": code })
    }
}

/// The event types, from both members that can name them, and the groups.
fn lists(message: &Map<String, Value>) -> Result<(Vec<String>, Vec<String>), BadFrame> {
    let mut types = texts(message, "types")?;
    types.extend(texts(message, "events")?);
    Ok((types, texts(message, "groups")?))
}

/// An array of strings; empty if absent.
fn texts(message: &Map<String, Value>, name: &str) -> Result<Vec<String>, BadFrame> {
    match message.get(name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(texts)) => {
            let texts = texts.iter().map(|text| text.as_str().map(str::to_owned));
            texts.collect::<Option<Vec<_>>>().ok_or(BadFrame::Lists)
        }
        Some(_) => Err(BadFrame::Lists),
    }
}

/// A string; `None` if absent.
fn name(message: &Map<String, Value>, name: &str) -> Result<Option<String>, BadFrame> {
    match message.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(BadFrame::Names),
    }
}

fn since(message: &Map<String, Value>) -> Result<Option<i64>, BadFrame> {
    match message.get("since") {
        None | Some(Value::Null) => Ok(None),
        Some(since) => since.as_i64().filter(|since| *since >= 0).map(Some).ok_or(BadFrame::Since),
    }
}

#[cfg(test)]
mod tests {
    use super::{BadFrame, ClientFrame};

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn frames_are_understood_and_sent_as_they_mean() {
        let everything = ClientFrame::Subscribe {
            types: texts(&["task_*"]),
            groups: texts(&["PHASE"]),
            workflow: Some("wf".to_owned()),
            session: Some("s".to_owned()),
            since: Some(7),
        };
        let nothing = ClientFrame::Unsubscribe { types: Vec::new(), groups: Vec::new() };
        for frame in [everything, nothing, ClientFrame::Ping] {
            assert_eq!(ClientFrame::parse(&frame.to_json().to_string()), Ok(frame));
        }
        let both = r#"{"type":"subscribe","types":["a"],"events":["b"],"groups":null,"since":null}"#;
        let expected = ClientFrame::Subscribe {
            types: texts(&["a", "b"]),
            groups: Vec::new(),
            workflow: None,
            session: None,
            since: None,
        };
        assert_eq!(ClientFrame::parse(both), Ok(expected));
    }

    #[test]
    fn what_means_nothing_is_told_why() {
        for (text, bad) in [
            ("", BadFrame::NotJson),
            ("[]", BadFrame::NotJson),
            ("{}", BadFrame::UnknownType),
            (r#"{"type":"x"}"#, BadFrame::UnknownType),
            (r#"{"type":"subscribe","events":"a"}"#, BadFrame::Lists),
            (r#"{"type":"unsubscribe","groups":[1]}"#, BadFrame::Lists),
            (r#"{"type":"subscribe","workflowId":1}"#, BadFrame::Names),
            (r#"{"type":"subscribe","since":-1}"#, BadFrame::Since),
            (r#"{"type":"subscribe","since":"1"}"#, BadFrame::Since),
        ] {
            assert_eq!(ClientFrame::parse(text), Err(bad), "{text}");
        }
    }
}
