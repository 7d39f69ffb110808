//! Lists: whole, as they are read, or a part of them.
//!
//! What reads a list has a thread and a view of the journal for as long as its client takes the list, and computes a page only
//! when the client has taken the one before. So a list needs the memory of a few pages, however long it is, and slow clients hold
//! up none but other lists. Of all lists, one page is computed at a time: the rest of the machine is for what is short.

use super::Shared;
use super::call::{Call, not_read, refusal_of};
use crate::answer::refusal_response;
use crate::gate::Endpoint;
use app::{ReadError, ReadPool};
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue};
use journal::Sqlite;
use protocol::workflow::{ErrorCode, Refusal};
use serde::Serialize;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use watchdog::Wait;
use workflow::{Failure, ListRange};

/// How much of a list can be asked for with `limit`.
const MAX_LIMIT: u32 = 1000;

/// How long a client may take nothing, before its list is broken off.
const TAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a whole list may take, before it is broken off: others wait for its turn.
const LIST_TIMEOUT: Duration = Duration::from_secs(120);

/// How much is sent at once, in bytes: a slow client takes so much in time, but not a page.
const PIECE: usize = 64 * 1024;

/// The header with the cursor of what comes behind a part of a list.
const NEXT_CURSOR: HeaderName = HeaderName::from_static("next-cursor");

/// The turns of those that read lists.
#[derive(Debug, Clone)]
pub(super) struct ListTurns {
    /// As many as there are views for long reads.
    lists: Arc<Semaphore>,
    /// One: for the page that is computed.
    page: Arc<Semaphore>,
}

impl Default for ListTurns {
    fn default() -> Self {
        Self { lists: Arc::new(Semaphore::new(Sqlite::LONG_READERS)), page: Arc::new(Semaphore::new(1)) }
    }
}

/// What reads a list, and returns the cursor of what comes behind.
type ReadList = fn(&Call, &ListRange, &mut ListWriter) -> ReadEnd;

type ReadEnd = Result<Option<String>, Failure>;

/// What is read on the way to the client.
enum Part {
    /// A piece of a page.
    Text {
        text: String,
        ends_page: bool,
    },
    /// The rest, and the cursor of what comes behind.
    End(String, Option<String>),
    Failed(Failure),
}

/// Receives the entries of a list, as the thread that reads them finds them.
pub(super) struct ListWriter {
    /// What is not sent yet.
    text: String,
    is_first: bool,
    /// Where pages are sent to; `None` for a part of a list, which is short.
    client: Option<ListClient>,
    failure: Option<Failure>,
}

/// A client that takes a list page by page.
struct ListClient {
    parts: Sender<Part>,
    runtime: Handle,
    page: Arc<Semaphore>,
    /// The turn to compute, between two pages.
    turn: Option<OwnedSemaphorePermit>,
    /// How long the client may take nothing.
    patience: Duration,
    /// When the list must have been taken.
    deadline: Instant,
    /// Whether something could not be sent: what comes behind it must not be sent either.
    is_broken: bool,
}

impl ListWriter {
    fn new(client: Option<ListClient>) -> Self {
        Self { text: String::new(), is_first: true, client, failure: None }
    }

    /// Writes what stands before the entries, or behind them.
    pub(super) fn write(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Writes a page of entries, and waits until the client takes it; says whether it does.
    pub(super) fn page<T: Serialize>(&mut self, entries: Vec<T>) -> ControlFlow<()> {
        for entry in entries {
            if !std::mem::take(&mut self.is_first) {
                self.text.push(',');
            }
            match serde_json::to_string(&entry) {
                Ok(entry) => self.text.push_str(&entry),
                Err(error) => {
                    let refusal = Refusal::new(ErrorCode::InternalError, error.to_string());
                    self.failure = Some(refusal.into());
                    return ControlFlow::Break(());
                }
            }
        }
        let Some(client) = &mut self.client else { return ControlFlow::Continue(()) };
        client.turn = None;
        match self.text.is_empty() {
            // Whether anything takes the list shows when something is sent, and there may be nothing for long.
            true => client.is_broken |= client.parts.is_closed() || client.left().is_zero(),
            false => client.send_page(&std::mem::take(&mut self.text)),
        }
        if client.is_broken {
            return ControlFlow::Break(());
        }
        client.take_turn();
        ControlFlow::Continue(())
    }

    /// Reads a list to its end; returns what was not sent, and the cursor of what comes behind.
    fn run(&mut self, read: impl FnOnce(&mut Self) -> ReadEnd) -> Result<(String, Option<String>), Failure> {
        let next = read(self)?;
        match self.failure.take() {
            Some(failure) => Err(failure),
            None => Ok((std::mem::take(&mut self.text), next)),
        }
    }
}

impl ListClient {
    fn new(parts: Sender<Part>, page: Arc<Semaphore>, patience: Duration, limit: Duration) -> Self {
        let deadline = Instant::now() + limit;
        Self { parts, runtime: Handle::current(), page, turn: None, patience, deadline, is_broken: false }
    }

    /// How much of the time for the whole list is left.
    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Sends the client a list, to its end or until it does not take it.
    fn give(mut self, read: impl FnOnce(&mut ListWriter) -> ReadEnd) {
        self.take_turn();
        let mut writer = ListWriter::new(Some(self));
        let end = match writer.run(read) {
            Ok((rest, next)) => Part::End(rest, next),
            Err(failure) => Part::Failed(failure),
        };
        if let Some(client) = &mut writer.client {
            client.send(end);
        }
    }

    /// Sends a page in pieces.
    fn send_page(&mut self, page: &str) {
        let mut rest = page;
        while !rest.is_empty() {
            let end = (0..=PIECE.min(rest.len())).rev().find(|end| rest.is_char_boundary(*end));
            let (piece, behind) = rest.split_at(end.unwrap_or(rest.len()));
            rest = behind;
            self.send(Part::Text { text: piece.to_owned(), ends_page: rest.is_empty() });
        }
    }

    /// Sends a part, unless it is too late, or one before it was not taken in time.
    fn send(&mut self, part: Part) {
        self.turn = None;
        self.is_broken |= self.left().is_zero();
        if self.is_broken {
            return;
        }
        let (parts, patience) = (&self.parts, self.patience.min(self.left()));
        let _wait = Wait::bounded("a client that takes a list", patience);
        // Made where there is a clock.
        let sent = self.runtime.block_on(async { timeout(patience, parts.send(part)).await });
        self.is_broken = !matches!(sent, Ok(Ok(())));
    }

    fn take_turn(&mut self) {
        let _wait = Wait::begin("the turn to read a page of a list");
        self.turn = self.runtime.block_on(Arc::clone(&self.page).acquire_owned()).ok();
    }
}

/// What lists something, as a whole or in parts.
pub(super) fn list(path: &'static str, read: ReadList) -> Endpoint<Arc<Shared>> {
    Endpoint::ask(path, move |call: Call| async move { respond(call, read).await }).waiting()
}

/// The text of a list, and the cursor of the next part.
type ListText = (String, Option<String>);

/// What lists something of which only the last entries are given where no `limit` says otherwise.
pub(super) fn limited(
    path: &'static str,
    read: fn(&Call) -> Result<ListText, Failure>,
) -> Endpoint<Arc<Shared>> {
    Endpoint::ask(path, move |call: Call| async move {
        match read(&call) {
            Ok((body, next)) => whole(body, next),
            Err(failure) => refusal_response(&refusal_of(failure)),
        }
    })
}

/// The range that a request asks for.
pub(super) fn range_of(call: &Call) -> Result<ListRange, Refusal> {
    let limit = match call.query("limit") {
        Some(_) => Some(call.number("limit", MAX_LIMIT, MAX_LIMIT)?),
        None => None,
    };
    Ok(ListRange { limit, cursor: cursor_of(call) })
}

/// The cursor that a request goes on with.
pub(super) fn cursor_of(call: &Call) -> Option<String> {
    call.query("cursor").map(str::to_owned)
}

async fn respond(call: Call, read: ReadList) -> Response {
    let range = match range_of(&call) {
        Ok(range) => range,
        Err(refusal) => return refusal_response(&refusal),
    };
    if range.limit.is_some() {
        let reads = call.reads.clone();
        let read = move |writer: &mut ListWriter| read(&call, &range, writer);
        let part = reads.run("a part of a list", move || ListWriter::new(None).run(read)).await;
        return match part.map_err(not_read).and_then(|part| part) {
            Ok((body, next)) => whole(body, next),
            Err(failure) => refusal_response(&refusal_of(failure)),
        };
    }
    let late = || refusal_response(&refusal_of(not_read(ReadError::Late)));
    let turns = call.api.lists.clone();
    // It is never closed.
    let Ok(Ok(turn)) = timeout(ReadPool::DEADLINE, Arc::clone(&turns.lists).acquire_owned()).await else {
        return late();
    };
    let (sender, mut parts) = channel(1);
    let client = ListClient::new(sender, turns.page, TAKE_TIMEOUT, LIST_TIMEOUT);
    let reading = spawn_blocking(move || {
        let _turn = turn;
        client.give(|writer| read(&call, &range, writer));
    });
    drop(reading);
    match timeout(ReadPool::DEADLINE, beginning(&mut parts)).await {
        Err(_) => late(),
        Ok(Beginning::Whole(body, next)) => whole(body, next),
        Ok(Beginning::Failed(failure)) => refusal_response(&refusal_of(failure)),
        Ok(Beginning::Long(text)) => stream(text, parts),
    }
}

/// How a list begins.
enum Beginning {
    /// With all of it.
    Whole(String, Option<String>),
    /// With this, and more comes.
    Long(String),
    Failed(Failure),
}

/// Takes two pages, or the whole list if it is not longer.
async fn beginning(parts: &mut Receiver<Part>) -> Beginning {
    let mut text = String::new();
    let mut pages = 0;
    loop {
        match parts.recv().await {
            Some(Part::Text { text: more, ends_page }) => {
                text.push_str(&more);
                pages += usize::from(ends_page);
                if pages == 2 {
                    return Beginning::Long(text);
                }
            }
            Some(Part::End(rest, next)) => {
                text.push_str(&rest);
                return Beginning::Whole(text, next);
            }
            Some(Part::Failed(failure)) => return Beginning::Failed(failure),
            None => return Beginning::Failed(Failure::Lost),
        }
    }
}

fn whole(body: String, next: Option<String>) -> Response {
    let mut response = ([(CONTENT_TYPE, "application/json")], body).into_response();
    if let Some(next) = next.and_then(|next| HeaderValue::try_from(next).ok()) {
        response.headers_mut().insert(NEXT_CURSOR, next);
    }
    response
}

/// What the list begins with, and the rest as it is read. Where that fails, the response is broken off.
fn stream(text: String, parts: Receiver<Part>) -> Response {
    let rest = futures_util::stream::unfold(Some(parts), |parts| async move {
        let mut parts = parts?;
        match parts.recv().await {
            Some(Part::Text { text, .. }) => Some((Ok(text), Some(parts))),
            Some(Part::End(text, _)) => Some((Ok(text), None)),
            Some(Part::Failed(failure)) => {
                // As it is logged where it is answered.
                let refusal = refusal_of(failure);
                Some((Err(io::Error::other(refusal.to_string())), None))
            }
            None => Some((Err(io::ErrorKind::UnexpectedEof.into()), None)),
        }
    });
    let first = futures_util::stream::once(async { Ok::<_, io::Error>(text) });
    let body = Body::from_stream(futures_util::StreamExt::chain(first, rest));
    ([(CONTENT_TYPE, "application/json")], body).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::to_bytes;
    use tokio::sync::oneshot;

    fn client(patience: Duration, limit: Duration) -> (ListClient, Receiver<Part>) {
        let (sender, parts) = channel(1);
        (ListClient::new(sender, Arc::new(Semaphore::new(1)), patience, limit), parts)
    }

    /// Writes so many pages of one entry, while they are taken.
    fn write_pages(writer: &mut ListWriter, count: usize) -> ReadEnd {
        writer.write("[");
        for page in 0..count {
            if writer.page(vec![page]).is_break() {
                break;
            }
        }
        writer.write("]");
        Ok(None)
    }

    /// contract/workflows §3: a list is broken off if nothing of it is taken in time, and has no end then, even if its client
    /// goes on.
    #[tokio::test]
    async fn a_list_that_is_not_taken_in_time_has_no_end() {
        let (client, mut parts) = client(Duration::from_millis(200), LIST_TIMEOUT);
        let (sender, late) = oneshot::channel();
        let read = move |writer: &mut ListWriter| {
            let end = write_pages(writer, 9);
            sender.send(()).unwrap();
            end
        };
        let reading = spawn_blocking(move || client.give(read));
        let Beginning::Long(text) = beginning(&mut parts).await else { panic!("it has more pages") };
        late.await.unwrap();
        let body = to_bytes(stream(text, parts).into_body(), usize::MAX).await;
        assert!(body.is_err(), "{body:?}");
        reading.await.unwrap();
    }

    /// A list of which no entry is looked for is not read to its end for a client that has gone.
    #[tokio::test]
    async fn a_client_that_has_gone_is_noticed_where_there_is_nothing_to_send() {
        let (client, parts) = client(TAKE_TIMEOUT, LIST_TIMEOUT);
        drop(parts);
        let read = |writer: &mut ListWriter| {
            assert!(writer.page(Vec::<u8>::new()).is_break());
            Ok(None)
        };
        spawn_blocking(move || client.give(read)).await.unwrap();
    }

    /// contract/workflows §3: a list is broken off after a time, even if something of it is always taken.
    #[tokio::test]
    async fn a_list_that_takes_too_long_has_no_end() {
        let (client, mut parts) = client(TAKE_TIMEOUT, Duration::from_millis(100));
        let reading = spawn_blocking(move || client.give(|writer| write_pages(writer, usize::MAX)));
        let Beginning::Long(text) = beginning(&mut parts).await else { panic!("it has more pages") };
        let body = to_bytes(stream(text, parts).into_body(), usize::MAX).await;
        assert!(body.is_err(), "{body:?}");
        reading.await.unwrap();
    }

    /// A page is sent in pieces, and is one page for all that.
    #[tokio::test]
    async fn a_large_page_is_sent_in_pieces() {
        let (client, mut parts) = client(TAKE_TIMEOUT, LIST_TIMEOUT);
        let text = "世".repeat(PIECE);
        let expected = format!("[\"{text}\"]");
        let read = move |writer: &mut ListWriter| {
            writer.write("[");
            let _ = writer.page(vec![text]);
            writer.write("]");
            Ok(None)
        };
        let reading = spawn_blocking(move || client.give(read));
        let mut found = String::new();
        let mut pages = 0;
        while let Some(part) = parts.recv().await {
            match part {
                Part::Text { text, ends_page } => {
                    assert!(text.len() <= PIECE);
                    found.push_str(&text);
                    pages += usize::from(ends_page);
                }
                Part::End(text, _) => found.push_str(&text),
                Part::Failed(failure) => panic!("{failure:?}"),
            }
        }
        assert!(found == expected);
        assert_eq!(pages, 1);
        reading.await.unwrap();
    }

    #[tokio::test]
    async fn a_list_that_is_taken_has_its_end() {
        let (client, mut parts) = client(TAKE_TIMEOUT, LIST_TIMEOUT);
        let reading = spawn_blocking(move || client.give(|writer| write_pages(writer, 9)));
        let Beginning::Long(text) = beginning(&mut parts).await else { panic!("it has more pages") };
        let body = to_bytes(stream(text, parts).into_body(), usize::MAX).await.unwrap();
        assert_eq!(body, "[0,1,2,3,4,5,6,7,8]");
        reading.await.unwrap();
    }
}
