//! Bodies: how much of them is read, and how fast they must come.

use super::Rejection;
use super::rules::BodyLimits;
use axum::body::{Body, Bytes};
use http::header::EXPECT;
use http::request::Parts;
use http_body::Body as _;
use http_body_util::BodyExt;
use std::time::Duration;
use tokio::time::Instant;

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
    let collected = if body.size_hint().lower() > limits.bytes as u64 {
        // Whoever asks first is not invited, and sends nothing.
        if parts.headers.contains_key(EXPECT) {
            return Err(Rejection::TooLarge);
        }
        Err(Rejection::TooLarge)
    } else {
        tokio::time::timeout(limits.deadline, collect(&mut body, limits.bytes))
            .await
            .unwrap_or(Err(Rejection::TooSlow))
    };
    if collected == Err(Rejection::TooLarge) {
        tokio::spawn(discard(body, limits.deadline));
    }
    collected.map(Body::from)
}

/// The whole body, as long as it keeps the pace and the limit.
async fn collect(body: &mut Body, limit: usize) -> Result<Bytes, Rejection> {
    let mut bytes = Vec::new();
    let mut pace = Pace::new();
    loop {
        let frame =
            tokio::time::timeout_at(pace.deadline(), body.frame()).await.map_err(|_| Rejection::TooSlow)?;
        let Some(frame) = frame else { return Ok(bytes.into()) };
        // What is no data is a trailer, which nobody reads.
        let Ok(data) = frame.map_err(|_| Rejection::Malformed)?.into_data() else { continue };
        if bytes.len() + data.len() > limit {
            return Err(Rejection::TooLarge);
        }
        bytes.extend_from_slice(&data);
        pace.has_brought(bytes.len());
    }
}

/// Reads what is left of a body that is too large while the answer is on its way: many clients send all before they read,
/// and would find the connection reset instead of the answer. Ends where a body that is read would, and at a limit of its
/// own; then the connection is cut.
async fn discard(mut body: Body, deadline: Duration) {
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
    let _ = tokio::time::timeout(deadline, all).await;
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
