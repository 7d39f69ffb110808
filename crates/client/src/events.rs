//! Events as they happen.

use crate::silence::{ProbeResult, Probes, QUIET};
use crate::{Client, ClientError};
use futures_util::{SinkExt, StreamExt};
use protocol::workflow::{ClientFrame, EventType, Selection};
use reqwest::Url;
use reqwest::header::AUTHORIZATION;
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};

/// How long nothing is heard before the client asks for a sign of life over the connection: with a ping, which costs less than a probe.
/// If there is none for [`QUIET`] in all, the daemon is probed.
const PING: Duration = Duration::from_secs(1);

/// Which events are wanted; all where nothing is named.
#[derive(Debug, Clone, Default)]
pub struct Subscription {
    /// Types, with `*` for any characters.
    pub events: Vec<String>,
    /// Groups of types.
    pub groups: Vec<String>,
    /// Those of this workflow alone.
    pub workflow: Option<String>,
    /// Those of this session alone.
    pub session: Option<String>,
    /// The number of the event after which to begin; `None` begins now.
    pub since: Option<i64>,
}

/// What a daemon tells.
#[derive(Debug, Clone, PartialEq)]
pub enum Frame {
    /// Something has happened: the envelope as it was told.
    Event(Map<String, Value>),
    /// Events that were asked for are not kept any more; the oldest that are begin with this number.
    Gap(i64),
}

/// Events as they happen, in the order of their numbers, each once. A client that was too slow reconnects by itself and misses
/// nothing. Waiting for the next event can be cancelled at any moment without losing any.
pub struct Events {
    client: Client,
    wanted: Subscription,
    selection: Selection,
    socket: Socket,
    pulse: Liveness,
    /// Whether the socket was closed because this was too slow, and another one is to be opened.
    is_left: bool,
    ready: VecDeque<Frame>,
    /// The number of the last event that was told.
    at: Option<i64>,
}

type Socket = WebSocketStream<Transport>;

/// When the daemon was heard, and what was done since to hear from it. It outlives each wait for an event, because a wait may be given up
/// often.
struct Liveness {
    /// When anything has come last, pings and their answers as well, or the daemon has answered a probe.
    at: Instant,
    /// Whether a ping was sent since.
    is_pinged: bool,
    /// The probe that is under way.
    probe: Option<Pin<Box<dyn Future<Output = ProbeResult> + Send>>>,
    probes: Probes,
}

impl Liveness {
    fn new() -> Self {
        Self { at: Instant::now(), is_pinged: false, probe: None, probes: Probes::default() }
    }
}

impl Client {
    /// Listens from now on, or from where the subscription begins.
    ///
    /// # Errors
    ///
    /// When the daemon cannot be reached, and when the subscription is refused.
    pub async fn events(&self, wanted: Subscription) -> Result<Events, ClientError> {
        let mut selection = Selection::default();
        if !(wanted.events.is_empty() && wanted.groups.is_empty()) {
            let full = |full: protocol::workflow::SelectionFull| self.unintelligible(full.to_string());
            selection.add(&wanted.events, &wanted.groups).map_err(full)?;
        }
        self.in_time(async {
            let socket = self.open_socket().await?;
            let at = wanted.since;
            let client = self.clone();
            let ready = VecDeque::new();
            let pulse = Liveness::new();
            let mut events = Events { client, wanted, selection, socket, pulse, is_left: false, ready, at };
            events.subscribe().await?;
            Ok(events)
        })
        .await
    }

    async fn open_socket(&self) -> Result<Socket, ClientError> {
        self.while_alive(self.shake_hands()).await
    }

    async fn shake_hands(&self) -> Result<Socket, ClientError> {
        let url = &self.address().ws;
        let unreachable =
            |reason: String| ClientError::Unreachable { url: self.address().ws().to_owned(), reason };
        let transport = Transport::open(url).await.map_err(|error| unreachable(error.to_string()))?;
        let request = url.as_str().into_client_request();
        let mut request = request.map_err(|error| unreachable(error.to_string()))?;
        if let Some(value) = self.authorization() {
            request.headers_mut().insert(AUTHORIZATION, value);
        }
        match tokio_tungstenite::client_async(request, transport).await {
            Ok((socket, _)) => Ok(socket),
            Err(Error::Http(response)) => {
                let status = response.status().as_u16();
                let body = response.body().as_deref().unwrap_or_default();
                match serde_json::from_slice(body) {
                    Ok(refusal) => Err(ClientError::Refused { status, refusal: Box::new(refusal) }),
                    Err(_) => Err(unreachable(format!("HTTP {status}"))),
                }
            }
            Err(error) => Err(unreachable(error.to_string())),
        }
    }
}

impl Events {
    /// What happens next; `None` once the daemon has said farewell.
    ///
    /// # Errors
    ///
    /// When the connection breaks off, and when the daemon does not answer any more.
    pub async fn next(&mut self) -> Result<Option<Frame>, ClientError> {
        loop {
            if let Some(frame) = self.ready() {
                return Ok(Some(frame));
            }
            if self.is_left {
                self.socket = self.client.open_socket().await?;
                self.pulse = Liveness::new();
                self.subscribe().await?;
                self.is_left = false;
            }
            match self.receive().await? {
                ServerMessage::Said(message) => self.take(message),
                ServerMessage::TooSlow(seq) => {
                    // So far everything was told, also what was not wanted.
                    self.at = self.at.max(seq);
                    self.is_left = true;
                }
                ServerMessage::Farewell => return Ok(None),
            }
        }
    }

    /// What has come already and was not told yet.
    pub(crate) fn ready(&mut self) -> Option<Frame> {
        self.ready.pop_front()
    }

    /// Wants nothing but the events of this workflow from now on, also of those that have come and were not told yet.
    pub fn narrow(&mut self, workflow: &str) {
        self.wanted.workflow = Some(workflow.to_owned());
        self.ready.retain(|frame| match frame {
            Frame::Event(event) => event.get("workflowId").and_then(Value::as_str) == Some(workflow),
            Frame::Gap(_) => true,
        });
    }

    /// The number of the last event that was told.
    pub fn at(&self) -> Option<i64> {
        self.at
    }

    /// Sends the subscription and waits until it is confirmed. Before that, the daemon sends all events.
    async fn subscribe(&mut self) -> Result<(), ClientError> {
        let Subscription { events, groups, workflow, session, .. } = &self.wanted;
        let is_all = events.is_empty() && groups.is_empty();
        let frame = ClientFrame::Subscribe {
            types: if is_all { vec!["*".to_owned()] } else { events.clone() },
            groups: groups.clone(),
            workflow: workflow.clone(),
            session: session.clone(),
            since: self.at,
        };
        let sent = self.socket.send(Message::text(frame.to_json().to_string())).await;
        sent.map_err(|error| self.client.unreachable(error.to_string()))?;
        let rewinds = self.at.is_some();
        loop {
            let ServerMessage::Said(said) = self.receive().await? else {
                return Err(self.client.unreachable("the connection was closed".to_owned()));
            };
            match said.get("type").and_then(Value::as_str) {
                Some("subscribe_confirmed") => return Ok(()),
                Some("error") => {
                    let words = said.get("error").and_then(Value::as_str).unwrap_or_default();
                    return Err(self.client.unintelligible(words.to_owned()));
                }
                // All of it comes again.
                _ if rewinds => {}
                _ => self.take(said),
            }
        }
    }

    fn take(&mut self, message: Map<String, Value>) {
        let kind = message.get("type").and_then(Value::as_str).unwrap_or_default();
        if kind == "replay_gap" {
            let oldest = message.get("oldestSeq").and_then(Value::as_i64).unwrap_or_default();
            self.ready.push_back(Frame::Gap(oldest));
            return;
        }
        let Some(seq) = message.get("seq").and_then(Value::as_i64) else { return };
        // Event types of later versions go to subscribers to all events.
        let is_wanted = match EventType::named(kind) {
            Some(kind) => self.selection.has(kind),
            None => self.wanted.events.is_empty() && self.wanted.groups.is_empty(),
        };
        let is = |name: &str, wanted: &Option<String>| {
            wanted.is_none() || message.get(name).and_then(Value::as_str) == wanted.as_deref()
        };
        let is_new = self.at.is_none_or(|at| seq > at);
        if is_new
            && is_wanted
            && is("workflowId", &self.wanted.workflow)
            && is("sessionId", &self.wanted.session)
        {
            self.at = Some(seq);
            self.ready.push_back(Frame::Event(message));
        }
    }

    async fn receive(&mut self) -> Result<ServerMessage, ClientError> {
        loop {
            let said = match self.hear().await? {
                None | Some(Err(Error::ConnectionClosed)) => return Ok(ServerMessage::Farewell),
                Some(Err(error)) => return Err(self.client.unreachable(error.to_string())),
                Some(Ok(said)) => said,
            };
            match said {
                Message::Text(text) => match serde_json::from_str(text.as_str()) {
                    Ok(message) => return Ok(ServerMessage::Said(message)),
                    Err(error) => return Err(self.client.unintelligible(error.to_string())),
                },
                Message::Close(Some(frame)) if frame.code == CloseCode::Again => {
                    let told: Option<Value> = serde_json::from_str(frame.reason.as_str()).ok();
                    return Ok(ServerMessage::TooSlow(told.and_then(|told| told.get("seq")?.as_i64())));
                }
                Message::Close(_) => return Ok(ServerMessage::Farewell),
                Message::Ping(_) | Message::Pong(_) | Message::Binary(_) | Message::Frame(_) => {}
            }
        }
    }

    /// What the socket brings next. Where it brings nothing, the daemon is asked for a sign of life: over this connection first, then by a
    /// probe.
    async fn hear(&mut self) -> Result<SocketItem, ClientError> {
        let Self { client, socket, pulse, .. } = self;
        loop {
            if let Some(probe) = &mut pulse.probe {
                tokio::select! {
                    biased;
                    brought = socket.next() => {
                        *pulse = Liveness::new();
                        return Ok(brought);
                    }
                    found = probe => {
                        (pulse.at, pulse.is_pinged, pulse.probe) = (Instant::now(), false, None);
                        pulse.probes.judge(client, found)?;
                    }
                }
                continue;
            }
            let due = pulse.at + if pulse.is_pinged { QUIET } else { PING };
            tokio::select! {
                biased;
                brought = socket.next() => {
                    *pulse = Liveness::new();
                    return Ok(brought);
                }
                () = sleep_until(due) => {}
            }
            if pulse.is_pinged {
                pulse.probe = Some(Box::pin(client.probe()));
            } else {
                pulse.is_pinged = true;
                // A connection that takes nothing more is as good as one that brings nothing; what is wrong with it, reading tells.
                let _ = timeout_at(pulse.at + QUIET, socket.send(Message::Ping(Vec::new().into()))).await;
            }
        }
    }
}

/// What a socket brings: `None` at its end.
type SocketItem = Option<Result<Message, Error>>;

enum ServerMessage {
    Said(Map<String, Value>),
    /// With the number of the last event that was told before.
    TooSlow(Option<i64>),
    Farewell,
}

/// What a socket is made of.
enum Transport {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Transport {
    async fn open(url: &Url) -> std::io::Result<Self> {
        let invalid = || std::io::Error::from(std::io::ErrorKind::InvalidInput);
        let host = url.host_str().ok_or_else(invalid)?;
        let literal = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let port = url.port_or_known_default().ok_or_else(invalid)?;
        let stream = TcpStream::connect((literal, port)).await?;
        stream.set_nodelay(true)?;
        if url.scheme() != "wss" {
            return Ok(Self::Plain(stream));
        }
        let config = outbound::tls(url).map_err(std::io::Error::other)?;
        let name = ServerName::try_from(literal.to_owned()).map_err(std::io::Error::other)?;
        let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await?;
        Ok(Self::Tls(Box::new(stream)))
    }
}

impl AsyncRead for Transport {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Transport {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(context),
            Self::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
