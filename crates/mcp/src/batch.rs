//! Several messages at once. One revision has that, and those after it have taken it away again.

use crate::answer_body::{AnswerBody, Message};
use crate::message::is_id;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Response, StatusCode};
use http_body::{Body, Frame};
use http_body_util::{BodyExt, Empty};
use rmcp::model::ErrorCode;
use serde_json::Value;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The revision that has batches.
pub(crate) const REVISION: &str = "2025-03-26";
/// How many messages one may have over HTTP.
const MAX_MESSAGES: usize = 100;
/// A message that begins a connection is shorter than this.
const MAX_BEGINNING: usize = 64 << 10;

/// Why a message is not taken.
#[derive(Debug)]
pub(crate) struct RejectedMessage {
    pub(crate) id: Option<Value>,
    pub(crate) code: ErrorCode,
    pub(crate) words: String,
}

/// What is said of a batch in another revision.
pub(crate) fn not_taken(remedy: &str) -> String {
    format!("batches are accepted only in revision {REVISION}: {remedy}")
}

/// Whether a body is a batch, well-formed or not.
pub(crate) fn is_batch(body: &[u8]) -> bool {
    body.trim_ascii_start().first() == Some(&b'[')
}

/// Whether a connection that begins with this message has batches.
pub(crate) fn is_begun_by(body: &[u8]) -> bool {
    let message: Option<Value> =
        if body.len() < MAX_BEGINNING { serde_json::from_slice(body).ok() } else { None };
    message.is_some_and(|message| {
        message["method"] == "initialize" && message["params"]["protocolVersion"] == REVISION
    })
}

/// What is wrong with a message of a batch that would be right by itself; `None` where nothing is.
pub(crate) fn misplaced(message: &Value) -> Option<RejectedMessage> {
    if message.get("method").is_none_or(|method| method != "initialize") {
        return None;
    }
    let id = message.get("id").filter(|id| is_id(id)).cloned();
    let words = "initialize must be sent alone, not in a batch".to_owned();
    Some(RejectedMessage { id, code: ErrorCode::INVALID_REQUEST, words })
}

/// Reads the messages of a batch. The error says what is wrong with it as a whole.
pub(crate) fn read(body: &[u8]) -> Result<Vec<Result<Bytes, RejectedMessage>>, String> {
    let messages: Vec<Value> =
        serde_json::from_slice(body).map_err(|error| format!("the batch is not JSON: {error}"))?;
    if messages.is_empty() {
        return Err("the batch is empty".to_owned());
    }
    if messages.len() > MAX_MESSAGES {
        return Err(format!(
            "a batch has at most {MAX_MESSAGES} messages, but this one has {}",
            messages.len()
        ));
    }
    Ok(messages.into_iter().map(read_one).collect())
}

fn read_one(message: Value) -> Result<Bytes, RejectedMessage> {
    if let Some(refused) = misplaced(&message) {
        return Err(refused);
    }
    if !message.is_object() {
        let words = "a message must be a JSON object".to_owned();
        return Err(RejectedMessage { id: None, code: ErrorCode::INVALID_REQUEST, words });
    }
    Ok(message.to_string().into())
}

/// Makes one answer of those to the messages of a batch: a stream of what each of them says, as it says it.
pub(crate) async fn merge(answers: Vec<Response<AnswerBody>>) -> Response<AnswerBody> {
    let mut merged = Vec::new();
    for answer in answers {
        let (parts, body) = answer.into_parts();
        let is = |kind: &str| {
            let given = parts.headers.get(CONTENT_TYPE).and_then(|given| given.to_str().ok());
            given.is_some_and(|given| given.starts_with(kind))
        };
        if parts.status == StatusCode::ACCEPTED {
            continue;
        }
        if is("text/event-stream") {
            merged.push(BatchPart::Stream(Box::pin(body)));
        } else if is("application/json") {
            let Ok(message) = body.collect().await;
            merged.push(BatchPart::Whole(event(&message.to_bytes())));
        } else {
            // Something is wrong with the request itself, and so with each of them.
            return Response::from_parts(parts, body);
        }
    }
    if merged.is_empty() {
        let mut accepted = Response::new(AnswerBody::new(Empty::new().boxed()));
        *accepted.status_mut() = StatusCode::ACCEPTED;
        return accepted;
    }
    let body: Message = BatchBody { parts: merged, next: 0 }.boxed();
    let mut answer = Response::new(AnswerBody::new(body));
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    answer
}

/// The answer to one message of a batch.
enum BatchPart {
    Stream(Pin<Box<AnswerBody>>),
    Whole(Bytes),
}

/// All of them.
struct BatchBody {
    parts: Vec<BatchPart>,
    /// The one that has its turn: what one of them says a lot keeps none of the others waiting.
    next: usize,
}

impl Body for BatchBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let mut waiting = 0;
        while waiting < self.parts.len() {
            let position = self.next % self.parts.len();
            let polled = match &mut self.parts[position] {
                BatchPart::Whole(message) => {
                    let message = std::mem::take(message);
                    self.parts.swap_remove(position);
                    return Poll::Ready(Some(Ok(Frame::data(message))));
                }
                BatchPart::Stream(answer) => answer.as_mut().poll_frame(context),
            };
            match polled {
                Poll::Pending => {
                    waiting += 1;
                    self.next = position + 1;
                }
                Poll::Ready(None) => {
                    self.parts.swap_remove(position);
                    waiting = 0;
                }
                Poll::Ready(Some(Ok(frame))) => {
                    self.next = position + 1;
                    waiting = 0;
                    if let Some(said) = frame.into_data().ok().and_then(|data| said(&data)) {
                        return Poll::Ready(Some(Ok(Frame::data(said))));
                    }
                }
            }
        }
        if self.parts.is_empty() { Poll::Ready(None) } else { Poll::Pending }
    }
}

/// What an event says to the client, or what keeps the connection alive. The numbers of events are those of one stream only.
fn said(event: &[u8]) -> Option<Bytes> {
    if event.starts_with(b":") {
        return Some(Bytes::copy_from_slice(event));
    }
    let text = std::str::from_utf8(event).ok()?;
    let data = text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
    let said: Vec<_> = data.filter(|data| !data.is_empty()).collect();
    (!said.is_empty()).then(|| self::event(said.join("\ndata: ").as_bytes()))
}

fn event(message: &[u8]) -> Bytes {
    [b"data: ", message, b"\n\n"].concat().into()
}

#[cfg(test)]
mod tests {
    use super::{is_batch, is_begun_by, read, said};

    #[test]
    fn a_batch_is_told_from_a_message() {
        for (body, expected) in [("[]", true), (" \n [5", true), ("{}", false), ("", false), ("5", false)] {
            assert_eq!(is_batch(body.as_bytes()), expected, "{body}");
        }
        let begins = |revision: &str| {
            let message = format!(r#"{{"method":"initialize","params":{{"protocolVersion":"{revision}"}}}}"#);
            is_begun_by(message.as_bytes())
        };
        assert!(begins("2025-03-26") && !begins("2025-06-18") && !is_begun_by(b"[]"));
    }

    #[test]
    fn each_message_is_taken_or_refused_by_itself() {
        let read = read(br#"[{"id":1,"method":"ping"},5,{"id":2,"method":"initialize"}]"#).unwrap();
        let told: Vec<_> = read
            .into_iter()
            .map(|message| message.map_err(|refused| refused.id.map(|id| id.to_string())))
            .collect();
        let expected = [Ok(r#"{"id":1,"method":"ping"}"#.into()), Err(None), Err(Some("2".to_owned()))];
        assert_eq!(told, expected);
    }

    #[test]
    fn of_an_event_only_the_message_is_left() {
        let left = |event: &str| said(event.as_bytes()).map(|said| String::from_utf8(said.to_vec()).unwrap());
        assert_eq!(
            left("id: 0/1\nevent: message\ndata: {\"a\":1}\n\n").as_deref(),
            Some("data: {\"a\":1}\n\n")
        );
        assert_eq!(left("id: 0\nretry: 3000\ndata:\n\n"), None);
        assert_eq!(left(":\n\n").as_deref(), Some(":\n\n"));
    }
}
