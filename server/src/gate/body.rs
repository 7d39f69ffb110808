//! Bodies: how much of them is read, and how fast they must come.

use super::Rejection;
use super::rules::BodyLimits;
use crate::InFlight;
use axum::body::{Body, Bytes};
use http::header::EXPECT;
use http::request::Parts;
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::BodyExt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep_until};

/// How much of a body that is too large is read and thrown away.
const DISCARD_LIMIT: usize = 16 * 1_048_576;
/// How long a body may take to bring the next [`PACE`] bytes.
const PAUSE: Duration = Duration::from_secs(5);
/// 1 KiB for each second.
const PACE: usize = 5 * 1024;

/// The body of a request, read as a whole.
///
/// # Errors
///
/// When it is too large or too slow, or breaks off.
pub(super) async fn read(parts: &Parts, mut body: Body, limits: BodyLimits) -> Result<Body, Rejection> {
    body = declared(parts, body, limits)?;
    let collected = tokio::time::timeout(limits.deadline, collect(&mut body, limits.bytes));
    let collected = collected.await.unwrap_or(Err(Rejection::TooSlow));
    if let Err(Rejection::TooLarge(_)) = collected {
        tokio::spawn(discard(body));
    }
    collected.map(Body::from)
}

/// The body of a request, to be read as it comes, within the same limits. If it exceeds them, the body has an error, which
/// [`rejection`] returns. `in_flight` is notified when the body is complete.
///
/// # Errors
///
/// When it says in advance that it is too large.
pub(super) fn stream(
    parts: &Parts,
    body: Body,
    limits: BodyLimits,
    in_flight: InFlight,
) -> Result<Body, Rejection> {
    let inner = declared(parts, body, limits)?;
    let (pace, end) = (Pace::new(), Instant::now() + limits.deadline);
    let alarm = Box::pin(sleep_until(pace.deadline().min(end)));
    Ok(Body::new(LimitedBody { inner, limits, count: 0, pace, end, alarm, in_flight }))
}

/// Why a body that was handed on as it came could not be read to its end.
pub(crate) fn rejection(error: axum::Error) -> Rejection {
    error.into_inner().downcast::<BodyError>().map_or(Rejection::Malformed, |error| error.0)
}

/// Refuses a body that is too large by what it says of itself.
fn declared(parts: &Parts, body: Body, limits: BodyLimits) -> Result<Body, Rejection> {
    if body.size_hint().lower() <= limits.bytes as u64 {
        return Ok(body);
    }
    // A client that sends `Expect` is not told to continue, and sends no body.
    if !parts.headers.contains_key(EXPECT) {
        tokio::spawn(discard(body));
    }
    Err(Rejection::TooLarge(limits.bytes))
}

/// A body that is read as it comes.
struct LimitedBody {
    inner: Body,
    limits: BodyLimits,
    count: usize,
    pace: Pace,
    /// When all of it must be there.
    end: Instant,
    /// When the next bytes must be there, or all of them.
    alarm: Pin<Box<Sleep>>,
    in_flight: InFlight,
}

/// Why such a body ends early.
#[derive(Debug, thiserror::Error)]
#[error("the body is not within its limits")]
struct BodyError(Rejection);

impl http_body::Body for LimitedBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = self.get_mut();
        let frame = match Pin::new(&mut this.inner).poll_frame(context) {
            Poll::Ready(Some(Ok(frame))) => frame,
            Poll::Ready(Some(Err(_))) => return Poll::Ready(Some(Err(BodyError(Rejection::Malformed)))),
            Poll::Ready(None) => {
                this.in_flight.answering();
                return Poll::Ready(None);
            }
            Poll::Pending => {
                let late = |()| Some(Err(BodyError(Rejection::TooSlow)));
                return this.alarm.as_mut().poll(context).map(late);
            }
        };
        this.count += frame.data_ref().map_or(0, Bytes::len);
        if this.count > this.limits.bytes {
            let rest = std::mem::replace(&mut this.inner, Body::empty());
            tokio::spawn(discard(rest));
            return Poll::Ready(Some(Err(BodyError(Rejection::TooLarge(this.limits.bytes)))));
        }
        this.pace.has_brought(this.count);
        this.alarm.as_mut().reset(this.pace.deadline().min(this.end));
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// The whole body, as long as it keeps the pace and the limit.
async fn collect(body: &mut Body, limit: usize) -> Result<Bytes, Rejection> {
    let mut bytes = Vec::new();
    let mut pace = Pace::new();
    loop {
        let frame =
            tokio::time::timeout_at(pace.deadline(), body.frame()).await.map_err(|_| Rejection::TooSlow)?;
        let Some(frame) = frame else { return Ok(bytes.into()) };
        // A frame without data is a trailer, which is ignored.
        let Ok(data) = frame.map_err(|_| Rejection::Malformed)?.into_data() else { continue };
        if bytes.len() + data.len() > limit {
            return Err(Rejection::TooLarge(limit));
        }
        bytes.extend_from_slice(&data);
        pace.has_brought(bytes.len());
    }
}

/// Reads what is left of a body that is too large while the answer is on its way: many clients send all before they read,
/// and would find the connection reset instead of the answer. Ends where a body that is read would, and at a limit of its
/// own; then the connection is cut.
pub(crate) async fn discard(mut body: Body) {
    let all = async {
        let (mut count, mut pace) = (0, Pace::new());
        while count < DISCARD_LIMIT {
            let frame = tokio::time::timeout_at(pace.deadline(), body.frame()).await;
            let Ok(Some(Ok(frame))) = frame else { return };
            count += frame.data_ref().map_or(0, Bytes::len);
            pace.has_brought(count);
        }
    };
    // Either way there is nothing more to do.
    let _ = tokio::time::timeout(BodyLimits::default().deadline, all).await;
}

/// Whether a body comes as fast as it must.
struct Pace {
    since: Instant,
    expected: usize,
}

impl Pace {
    fn new() -> Self {
        Self { since: Instant::now(), expected: PACE }
    }

    /// When the next bytes must be there.
    fn deadline(&self) -> Instant {
        self.since + PAUSE
    }

    fn has_brought(&mut self, count: usize) {
        if count >= self.expected {
            *self = Self { since: Instant::now(), expected: count + PACE };
        }
    }
}
