//! The body of an answer over HTTP, watched until the client has all of it.

use crate::delivery::{Arrivals, Delivery, Post, RequestKey};
use crate::message::contains;
use crate::tasks::TaskSubscription;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::combinators::BoxBody;
use serde_json::Value;
use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// A body that is not watched.
pub(crate) type Message = BoxBody<Bytes, Infallible>;

/// An answer on its way.
pub(crate) struct DeliveryWatch {
    pub(crate) delivery: Arc<Delivery>,
    pub(crate) asked: RequestKey,
    /// Of a client without a session.
    pub(crate) post: Option<Arc<Post>>,
    pub(crate) arrivals: Arrivals,
}

impl DeliveryWatch {
    /// The connection has taken all of it: who has fetched the answer has it.
    fn is_written(&self) {
        if self.post.as_ref().is_some_and(|post| post.fetches) {
            self.arrivals.note(self.delivery.fetched(&self.asked));
        } else {
            self.arrivals.note(self.delivery.written(&self.asked));
        }
    }
}

/// The body of an answer. It ends the waiting when it is dropped.
pub struct AnswerBody {
    body: Message,
    /// Until the client has all of it.
    watched: Option<DeliveryWatch>,
    /// The tasks of a subscription that was not acknowledged yet.
    followed: Option<TaskSubscription>,
}

impl AnswerBody {
    /// One that is not watched.
    pub(crate) fn new(body: Message) -> Self {
        Self { body, watched: None, followed: None }
    }

    /// One that is watched until the client has all of it. `followed` are the tasks of the subscription that it acknowledges.
    pub(crate) fn watched(body: Message, watched: DeliveryWatch, followed: Option<TaskSubscription>) -> Self {
        Self { body, watched: Some(watched), followed }
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let mut polled = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &mut polled
            && let Some(followed) = self.followed.take()
            && let Some(data) = frame.data_mut()
        {
            match acknowledged(&followed, data) {
                Some(changed) => *data = changed,
                None => self.followed = Some(followed),
            }
        }
        if let (Poll::Ready(Some(Ok(frame))), Some(watched)) = (&polled, &self.watched)
            // In a text the quotes would be escaped.
            && frame.data_ref().is_some_and(|data| contains(data, b"\"result\":"))
        {
            watched.delivery.wrote_to(&watched.asked, watched.post.as_ref());
        }
        if (matches!(polled, Poll::Ready(None)) || self.body.is_end_stream())
            && let Some(watched) = self.watched.take()
        {
            watched.is_written();
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl fmt::Debug for AnswerBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer").finish_non_exhaustive()
    }
}

impl Drop for AnswerBody {
    fn drop(&mut self) {
        if let Some(watched) = &self.watched {
            watched.arrivals.note(watched.delivery.refuse(&watched.asked));
        }
    }
}

/// An event that acknowledges a subscription, with the tasks in it; `None` for any other.
fn acknowledged(followed: &TaskSubscription, event: &[u8]) -> Option<Bytes> {
    let text = std::str::from_utf8(event).ok()?;
    let data = text.lines().find_map(|line| line.strip_prefix("data:"))?;
    let before: Value = serde_json::from_str(data.trim()).ok()?;
    let mut message = before.clone();
    followed.acknowledge(&mut message);
    (message != before).then(|| Bytes::from(text.replacen(data, &format!(" {message}"), 1)))
}
