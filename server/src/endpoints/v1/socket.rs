//! Events over a WebSocket (contract/workflows §4).

use super::{Api, Shared};
use crate::InFlight;
use crate::answer::refusal_response;
use crate::feed::{FeedMessage, Follower};
use app::ReadPool;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{Extension, State};
use axum::response::Response;
use futures_util::{FutureExt as _, SinkExt as _};
use protocol::agent::Timestamp;
use protocol::workflow::{ClientFrame, ErrorCode, Refusal, SelectionFull};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};
use workflow::Failure;

/// The largest frame that a client may send, in bytes.
const MAX_MESSAGE: usize = 64 << 10;
/// How often a client is asked whether it is still there. It is not, once it has not answered twice.
const PING: Duration = Duration::from_secs(20);
/// How long a client may take to read one frame.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);
/// How many events that are ready are sent before the next message of the client is handled.
const BATCH: usize = 256;
/// How much is read, and written, at a time, in bytes: there may be very many clients.
const BUFFER: usize = 4 << 10;
/// How much is written at most before the client reads, in bytes.
const MAX_BUFFER: usize = 2 << 20;

/// `GET /ws`, and all there is where nothing but sockets is served.
pub(super) async fn upgrade(
    State(shared): State<Arc<Shared>>,
    in_flight: Option<Extension<InFlight>>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let refused = |code, words: &str| refusal_response(&Refusal::new(code, words));
    let Some(api) = shared.api.clone() else { return refused(ErrorCode::NotFound, "Not Found") };
    let Ok(upgrade) = upgrade else {
        return refused(ErrorCode::InvalidRequest, "This is a WebSocket: an upgrade is needed");
    };
    // Without a connection it is a test's.
    let in_flight = in_flight.map(|Extension(in_flight)| in_flight).unwrap_or_default();
    let Some(hold) = in_flight.hold() else {
        return refused(ErrorCode::Unavailable, "Too many clients are connected");
    };
    upgrade
        .max_message_size(MAX_MESSAGE)
        .max_frame_size(MAX_MESSAGE)
        .read_buffer_size(BUFFER)
        .write_buffer_size(BUFFER)
        .max_write_buffer_size(MAX_BUFFER)
        .on_upgrade(move |socket| async move {
            let counted = api.clients.socket();
            let mut client = Client::new(socket, api, shared.hall.reads());
            let end = tokio::select! {
                end = client.serve() => end,
                () = in_flight.ending() => Some(CloseReason::new(close_code::AWAY, "")),
            };
            if let Some(CloseReason { code, reason }) = end {
                let close = Message::Close(Some(CloseFrame { code, reason }));
                let _ = timeout(SEND_TIMEOUT, client.socket.send(close)).await;
            }
            drop((hold, counted));
        })
}

/// How a connection ends, when the server ends it.
struct CloseReason {
    code: u16,
    reason: Utf8Bytes,
}

impl CloseReason {
    fn new(code: u16, reason: impl Into<Utf8Bytes>) -> Self {
        Self { code, reason: reason.into() }
    }
}

struct Client {
    socket: WebSocket,
    follower: Follower,
    api: Api,
}

impl Client {
    fn new(socket: WebSocket, api: Api, reads: &ReadPool) -> Self {
        let follower = Follower::from_now(api.log(reads), crate::feed::Filter::default());
        Self { socket, follower, api }
    }

    /// Until the client goes, or has to.
    async fn serve(&mut self) -> Option<CloseReason> {
        let client =
            format!("client_{}_{:07x}", self.api.runtime.now(), self.api.runtime.unguessable() & 0x0fff_ffff);
        let welcome = json!({ "type": "client_id_assigned", "clientId": client, "timestamp": self.now() });
        self.send(welcome.to_string().into()).await?;
        let mut pings = interval_at(Instant::now() + PING, PING);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut unanswered = 0;
        loop {
            tokio::select! {
                received = self.socket.recv() => {
                    unanswered = 0;
                    match received {
                        None => return None,
                        Some(Err(error)) => return violation(&error),
                        Some(Ok(Message::Text(text))) => {
                            if let Err(end) = self.send_ready().await {
                                return end;
                            }
                            let answer = self.take(&text);
                            self.send(answer.to_string().into()).await?;
                        }
                        Some(Ok(Message::Binary(_))) => {
                            return Some(CloseReason::new(close_code::UNSUPPORTED, "text is expected"));
                        }
                        Some(Ok(Message::Close(_))) => return None,
                        // Answered by themselves.
                        Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    }
                }
                news = self.follower.next() => {
                    if let Err(end) = self.send_batch(news).await {
                        return end;
                    }
                }
                _ = pings.tick() => {
                    if unanswered == 2 {
                        return Some(CloseReason::new(close_code::POLICY, "no answer to pings"));
                    }
                    unanswered += 1;
                    timeout(SEND_TIMEOUT, self.socket.send(Message::Ping(Vec::new().into()))).await.ok()?.ok()?;
                }
            }
        }
    }

    /// Tells what has happened, and what else is ready, a frame each and all of them in one write; why the connection ends, if it
    /// does.
    async fn send_batch(&mut self, first: Result<FeedMessage, Failure>) -> Result<(), Option<CloseReason>> {
        self.feed_news(first).await?;
        for _ in 1..BATCH {
            match self.follower.next().now_or_never() {
                Some(news) => self.feed_news(news).await?,
                None => break,
            }
        }
        self.flush().await.ok_or(None)
    }

    /// Puts what has happened before what is written next; why the connection ends, if it does.
    async fn feed_news(&mut self, news: Result<FeedMessage, Failure>) -> Result<(), Option<CloseReason>> {
        let text = match news {
            Ok(FeedMessage::Event(feed_event)) => feed_event.envelope.clone(),
            Ok(FeedMessage::Gap(oldest)) => {
                json!({ "type": "replay_gap", "oldestSeq": oldest }).to_string().into()
            }
            Ok(FeedMessage::Lagged(seq)) => {
                return Err(Some(CloseReason::new(close_code::AGAIN, json!({ "seq": seq }).to_string())));
            }
            Err(error) => {
                tracing::error!(%error, "events");
                let at = json!({ "seq": self.follower.at() }).to_string();
                return Err(Some(CloseReason::new(close_code::ERROR, at)));
            }
        };
        self.feed(text).await.ok_or(None)
    }

    /// Sends the rest of the batch that the last event belongs to: a client that has seen a workflow end asks whether that is
    /// all, and relies on the answer.
    async fn send_ready(&mut self) -> Result<(), Option<CloseReason>> {
        self.follower.wait_for_batch();
        for _ in 0..BATCH {
            match timeout(Duration::ZERO, self.follower.next()).await {
                Ok(news) => self.feed_news(news).await?,
                Err(_) => break,
            }
        }
        self.flush().await.ok_or(None)
    }

    /// Puts a frame before what is written next, and writes if that is much. `None` when the client is gone, or does not read.
    async fn feed(&mut self, text: Utf8Bytes) -> Option<()> {
        timeout(SEND_TIMEOUT, self.socket.feed(Message::Text(text))).await.ok()?.ok()
    }

    /// Writes what was put. `None` when the client is gone, or does not read.
    async fn flush(&mut self) -> Option<()> {
        timeout(SEND_TIMEOUT, self.socket.flush()).await.ok()?.ok()
    }

    /// `None` when the client is gone, or does not read.
    async fn send(&mut self, text: Utf8Bytes) -> Option<()> {
        timeout(SEND_TIMEOUT, self.socket.send(Message::Text(text))).await.ok()?.ok()
    }

    fn now(&self) -> String {
        Timestamp::from_unix_millis(self.api.runtime.now()).as_str().to_owned()
    }

    /// Does what the client says, and returns the answer.
    fn take(&mut self, text: &str) -> Value {
        match ClientFrame::parse(text) {
            Ok(ClientFrame::Subscribe { types, groups, workflow, session, since }) => {
                let changed = self.follower.change(|filter| {
                    if !(types.is_empty() && groups.is_empty()) {
                        filter.selection.add(&types, &groups)?;
                    }
                    filter.workflow = workflow.or(filter.workflow.take());
                    filter.session = session.or(filter.session.take());
                    Ok::<_, SelectionFull>(())
                });
                if let Err(full) = changed {
                    let code = ErrorCode::InvalidRequest.name();
                    return json!({ "type": "error", "error": full.to_string(), "code": code });
                }
                if let Some(since) = since {
                    self.follower.rewind(since);
                }
                json!({ "type": "subscribe_confirmed", "types": types, "groups": groups, "timestamp": self.now() })
            }
            Ok(ClientFrame::Unsubscribe { types, groups }) => {
                self.follower.change(|filter| filter.selection.remove(&types, &groups));
                json!({ "type": "unsubscribe_confirmed", "timestamp": self.now() })
            }
            Ok(ClientFrame::Ping) => json!({ "type": "pong", "timestamp": self.now() }),
            Err(bad) => bad.to_json(),
        }
    }
}

/// What a client sends that no client may.
fn violation(error: &axum::Error) -> Option<CloseReason> {
    let words = error.to_string();
    // The library tells it in words alone.
    words.contains("too long").then(|| CloseReason::new(close_code::SIZE, ""))
}
