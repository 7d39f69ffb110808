//! Forms that bring files (`multipart/form-data`), part by part as they arrive: nothing is kept but what is looked at.

use crate::gate::{Rejection, body_rejection, discard};
use axum::body::{Body, Bytes};
use futures_util::Stream;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use http_body::Body as _;
use multer::{Field, Multipart};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use tokio::runtime::Handle;

/// How much may stand before the content of a part: its head, or what is before the first. A name of a file that a system
/// takes is far shorter.
const HEAD_LIMIT: usize = 32 * 1024;
/// How much is handed to the parser at a time.
const SLICE: usize = 16 * 1024;

/// The parts of a form.
#[derive(Debug)]
pub(crate) struct Parts {
    inner: Multipart<'static>,
    head: Arc<HeadLimit>,
    /// How many more there may be.
    left: usize,
}

/// One part; it is read to its end, or [`Part::skip`]ped, before the next is asked for.
#[derive(Debug)]
pub(crate) struct Part {
    field: Field<'static>,
}

/// Why a form cannot be read to its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum PartError {
    /// The body is not within its limits, or no form.
    Rejected(Rejection),
    TooManyParts,
    /// A field that is no file is too large.
    TooLong,
}

impl Parts {
    /// The parts of `body`, at most `most`.
    ///
    /// # Errors
    ///
    /// When the head names no boundary between them.
    pub(crate) fn new(headers: &HeaderMap, body: Body, most: usize) -> Result<Self, PartError> {
        let malformed = PartError::Rejected(Rejection::Malformed);
        let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let boundary = media_type.and_then(|value| multer::parse_boundary(value).ok()).ok_or(malformed)?;
        let head = Arc::new(HeadLimit::default());
        let slices = Slices { body, rest: Bytes::new(), is_waiting: false, head: Arc::clone(&head) };
        Ok(Self { inner: Multipart::new(slices, boundary), head, left: most })
    }

    /// The next part; `None` at the end.
    ///
    /// # Errors
    ///
    /// When there is none to be had.
    pub(crate) async fn next(&mut self) -> Result<Option<Part>, PartError> {
        self.head.begin();
        let next = self.inner.next_field().await.map_err(PartError::from_multer)?;
        self.head.end();
        let Some(field) = next else { return Ok(None) };
        self.left = self.left.checked_sub(1).ok_or(PartError::TooManyParts)?;
        Ok(Some(Part { field }))
    }
}

impl Part {
    /// The name of the field.
    pub(crate) fn name(&self) -> &str {
        self.field.name().unwrap_or_default()
    }

    /// The name of the file, where it is one. Empty when it has none.
    pub(crate) fn file_name(&self) -> Option<&str> {
        self.field.file_name()
    }

    /// The next bytes; `None` at the end.
    ///
    /// # Errors
    ///
    /// When the body ends before that.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, PartError> {
        self.field.chunk().await.map_err(PartError::from_multer)
    }

    /// All of it as text, at most `most` bytes, which are then fewer.
    ///
    /// # Errors
    ///
    /// [`PartError::TooLong`], and as [`Self::chunk`].
    pub(crate) async fn text(mut self, most: &mut usize) -> Result<String, PartError> {
        let mut bytes = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            *most = most.checked_sub(chunk.len()).ok_or(PartError::TooLong)?;
            bytes.extend_from_slice(&chunk);
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Reads the rest of it, and keeps nothing.
    ///
    /// # Errors
    ///
    /// As [`Self::chunk`].
    pub(crate) async fn skip(mut self) -> Result<(), PartError> {
        while self.chunk().await?.is_some() {}
        Ok(())
    }
}

impl PartError {
    fn from_multer(error: multer::Error) -> Self {
        let multer::Error::StreamReadFailed(error) = error else {
            return Self::Rejected(Rejection::Malformed);
        };
        // What is no error of the body is a head without end.
        let rejection = error.downcast::<axum::Error>().map(|error| body_rejection(*error));
        Self::Rejected(rejection.unwrap_or(Rejection::Malformed))
    }
}

/// How much more may come until the content of a part begins.
#[derive(Debug)]
struct HeadLimit(AtomicUsize);

impl HeadLimit {
    const NONE: usize = usize::MAX;

    fn begin(&self) {
        self.0.store(HEAD_LIMIT, Ordering::Relaxed);
    }

    fn end(&self) {
        self.0.store(Self::NONE, Ordering::Relaxed);
    }

    /// Whether so much more may come.
    fn takes(&self, count: usize) -> bool {
        match self.0.load(Ordering::Relaxed) {
            Self::NONE => true,
            left if left < count => false,
            left => {
                self.0.store(left - count, Ordering::Relaxed);
                true
            }
        }
    }
}

impl Default for HeadLimit {
    fn default() -> Self {
        Self(AtomicUsize::new(HEAD_LIMIT))
    }
}

/// A head goes on and on.
#[derive(Debug, thiserror::Error)]
#[error("the head of a part is too long")]
struct EndlessHead;

/// The body in small slices. The parser takes all that is ready before it hands on anything: after each slice nothing is, so
/// that no more of a fast body than that lies in its buffer.
struct Slices {
    body: Body,
    rest: Bytes,
    is_waiting: bool,
    head: Arc<HeadLimit>,
}

impl Stream for Slices {
    type Item = Result<Bytes, Box<dyn std::error::Error + Send + Sync>>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if std::mem::take(&mut this.is_waiting) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        while this.rest.is_empty() {
            match std::task::ready!(Pin::new(&mut this.body).poll_frame(context)) {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(error.into()))),
                // A frame without data is a trailer, which is ignored.
                Some(Ok(frame)) => this.rest = frame.into_data().unwrap_or_default(),
            }
        }
        let slice = this.rest.split_to(this.rest.len().min(SLICE));
        if !this.head.takes(slice.len()) {
            return Poll::Ready(Some(Err(EndlessHead.into())));
        }
        this.is_waiting = true;
        Poll::Ready(Some(Ok(slice)))
    }
}

impl Drop for Slices {
    /// Who is refused before all is sent is to be able to read why.
    fn drop(&mut self) {
        let body = std::mem::replace(&mut self.body, Body::empty());
        if let Ok(runtime) = Handle::try_current()
            && !body.is_end_stream()
        {
            runtime.spawn(discard(body));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{HEAD_LIMIT, PartError, Parts, Rejection};
    use axum::body::{Body, Bytes};
    use futures_util::stream;
    use http::header::CONTENT_TYPE;
    use http::{HeaderMap, HeaderValue};
    use std::convert::Infallible;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn headers(media_type: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(media_type))])
    }

    fn parts(body: impl Into<Body>, most: usize) -> Parts {
        Parts::new(&headers("multipart/form-data; boundary=x"), body.into(), most).unwrap()
    }

    /// Each part as name, name of the file, content.
    async fn read(mut parts: Parts) -> Result<Vec<(String, Option<String>, String)>, PartError> {
        let mut all = Vec::new();
        while let Some(part) = parts.next().await? {
            let (name, file) = (part.name().to_owned(), part.file_name().map(str::to_owned));
            all.push((name, file, part.text(&mut 1_000_000).await?));
        }
        Ok(all)
    }

    const TWO: &str = "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\n--x\r\n\
                       Content-Disposition: form-data; name=\"b\"; filename=\"名.txt\"\r\n\
                       Content-Type: text/plain\r\n\r\ntwo\r\n\r\n--x--\r\n";

    #[tokio::test]
    async fn parts_are_read_wherever_they_are_cut() {
        let expected = vec![
            ("a".to_owned(), None, "one".to_owned()),
            ("b".to_owned(), Some("名.txt".to_owned()), "two\r\n".to_owned()),
        ];
        for size in [1, 2, 3, 7, 64, TWO.len()] {
            let chunks: Vec<_> = TWO.as_bytes().chunks(size).map(Bytes::copy_from_slice).collect();
            let body = Body::from_stream(stream::iter(chunks.into_iter().map(Ok::<_, Infallible>)));
            assert_eq!(read(parts(body, 2)).await.as_ref(), Ok(&expected), "{size}");
        }
        assert_eq!(read(parts(TWO, 1)).await, Err(PartError::TooManyParts));
        // Cut off anywhere.
        for length in 0..TWO.len() - 2 {
            let cut = read(parts(TWO.as_bytes()[..length].to_vec(), 2)).await;
            assert_eq!(cut, Err(PartError::Rejected(Rejection::Malformed)), "{length}");
        }
    }

    #[tokio::test]
    async fn no_boundary_is_no_form() {
        for media_type in
            ["multipart/form-data", "multipart/form-data; boundary", "multipart/form-data; boundary=\"", ""]
        {
            let parts = Parts::new(&headers(media_type), Body::empty(), 1);
            assert_eq!(parts.unwrap_err(), PartError::Rejected(Rejection::Malformed), "{media_type}");
        }
    }

    #[tokio::test]
    async fn a_head_or_a_preamble_without_end_is_cut_off() {
        for begin in ["", "--x\r\nContent-Disposition: form-data; name=\""] {
            let fed = Arc::new(AtomicUsize::new(0));
            let count = Arc::clone(&fed);
            let endless = stream::repeat_with(move || {
                count.fetch_add(1000, Ordering::Relaxed);
                Ok::<_, Infallible>(Bytes::from(vec![b'a'; 1000]))
            });
            let begin = stream::iter([Ok(Bytes::from_static(begin.as_bytes()))]);
            let body = Body::from_stream(futures_util::StreamExt::chain(begin, endless));
            let mut parts = parts(body, 1);
            let refused = parts.next().await.map(drop);
            assert_eq!(refused, Err(PartError::Rejected(Rejection::Malformed)));
            assert!(fed.load(Ordering::Relaxed) <= HEAD_LIMIT + 2000);
        }
    }

    #[tokio::test]
    async fn no_more_is_taken_from_a_fast_body_than_is_handed_on() {
        let fed = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&fed);
        let endless = stream::repeat_with(move || {
            count.fetch_add(1 << 20, Ordering::Relaxed);
            Ok::<_, Infallible>(Bytes::from(vec![b'a'; 1 << 20]))
        });
        let begin = "--x\r\nContent-Disposition: form-data; name=\"a\"; filename=\"a\"\r\n\r\n";
        let begin = stream::iter([Ok(Bytes::from_static(begin.as_bytes()))]);
        let mut parts = parts(Body::from_stream(futures_util::StreamExt::chain(begin, endless)), 1);
        let mut part = parts.next().await.unwrap().unwrap();
        let mut read = 0;
        while read < 16 << 20 {
            read += part.chunk().await.unwrap().unwrap().len();
            assert!(fed.load(Ordering::Relaxed) <= read + (2 << 20), "{read}");
        }
    }

    #[tokio::test]
    async fn what_is_not_looked_at_is_passed_over() {
        let mut parts = parts(TWO, 2);
        parts.next().await.unwrap().unwrap().skip().await.unwrap();
        let mut left = 3;
        let text = parts.next().await.unwrap().unwrap().text(&mut left).await;
        assert_eq!(text, Err(PartError::TooLong));
    }
}
