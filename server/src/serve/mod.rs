//! Accepting, answering, and ending: for any router, whatever it is about.
//!
//! `axum::serve` (0.8) installs no timer, so half a request would be waited for without end, and its drain waits
//! for such a request as well. This loop knows which connections have an answer under way ([`InFlight`]) and waits for
//! these.
//!
//! `axum::serve` (0.8) has no deadline for a partial request and would wait for one at shutdown, so `serve.rs` has its own accept
//! loop on hyper, for any router. With the `InFlight` that every request carries, a router reports its work in progress, and the
//! loop sees the traffic of the sockets. It waits for a response that is being made, within a limit; for the response of a
//! request that writes it always waits, and until the last byte has been accepted for sending, as long as its client reads. A
//! held request (`Hold`), or an upgraded connection, gets a final message and has a limit of its own. An idle connection, a
//! partial request or a held one never delays the shutdown.

mod bind;
mod connections;
mod in_flight;
mod limits;
mod owner;
mod progress;

pub use bind::{BindError, BoundSockets, bind, bind_exactly, outward};
pub(crate) use in_flight::ServerInFlight;
#[cfg(test)]
pub(crate) use in_flight::WRITE_DEADLINE;
pub use in_flight::{Hold, InFlight, WriteError};
pub use limits::Limits;
pub use owner::{Owner, PeerOwner};

use axum::Router;
use axum::body::Body;
use connections::Connections;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use owner::Owners;
use progress::{RequestBody, ResponseBody, Socket};
use std::convert::Infallible;
use std::future::{Future, pending};
use std::io;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// How long a request that has arrived may take to be noticed when the server ends, on a connection that had others before.
const ARRIVAL_GRACE: Duration = Duration::from_millis(1);
/// A connection that is older and has asked for nothing yet is one that a browser keeps ready. A younger one has a client
/// that is just about to ask: it was a moment slower than the request that ended the server, and wants to know.
const FRESH: Duration = Duration::from_millis(500);
/// Two connections within this time may be those of clients that race.
const RACE: Duration = Duration::from_millis(100);
/// How long none of them may come before the server ends in a race.
const RACE_PAUSE: Duration = Duration::from_millis(25);
/// How many connections the standard library lets wait to be accepted.
const BACKLOG: usize = 128;
/// How long to wait when the system has no more sockets to give.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Why serving could not begin.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen: {0}")]
pub struct ServeError(#[from] io::Error);

/// Both ends of the connection that a request came by. Every request carries it as an extension.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionInfo {
    /// The address here.
    pub local: IpAddr,
    /// The address there.
    pub peer: IpAddr,
}

/// What the connections of a server share.
#[derive(Debug)]
struct Server {
    router: Router,
    limits: Limits,
    in_flight: Arc<ServerInFlight>,
    connections: Connections,
    /// Where only this machine can come, and the owners of its sockets can be found.
    owners: Option<Arc<Owners>>,
}

/// How long a thread for work that may wait is kept when it has nothing to do. Idle threads take turns: within tokio's ten
/// seconds, a few calls a second reach all threads of a burst, which then stay for good, each with what it has allocated.
const IDLE: Duration = Duration::from_millis(50);

/// Returns the runtime of a process that serves.
///
/// # Errors
///
/// When there can be no more threads.
pub fn runtime() -> io::Result<Runtime> {
    Builder::new_multi_thread().worker_threads(2).thread_keep_alive(IDLE).enable_all().build()
}

/// Answers what comes to the sockets `bound` by `router` until `stop` completes; then lets answers under way leave, and
/// returns.
///
/// A client can connect before this is first polled: the sockets listen already. Each request carries its connection's
/// [`ConnectionInfo`], [`PeerOwner`] and [`InFlight`]; by the last a router says what is to be waited for, and what is not.
///
/// # Errors
///
/// When the system cannot watch the sockets.
pub async fn serve(
    bound: BoundSockets,
    router: Router,
    limits: Limits,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError> {
    let in_flight = ServerInFlight::new(limits.held);
    let connections = Connections::new(&limits, bound.host.is_loopback());
    let owners = if bound.host.is_loopback() { Owners::known_to(&bound.listeners) } else { None };
    let server = Arc::new(Server { router, limits, in_flight, connections, owners });
    let mut loops = JoinSet::new();
    for listener in bound.listeners {
        loops.spawn(accept(TcpListener::from_std(listener)?, Arc::clone(&server)));
    }
    stop.await;
    tracing::debug!("server is stopping");
    server.in_flight.end();
    let ended = Instant::now();
    while loops.join_next().await.is_some() {}
    // What outlives its connection: an upgraded one. It was told of the end at the same time as the held requests, so it has the
    // same deadline: `aide daemon stop` kills a daemon that takes 5 s to end.
    let _ = tokio::time::timeout_at(ended + server.limits.flush_deadline, server.in_flight.released()).await;
    // A client that was cut off may have sent an answer that is still to be written.
    server.in_flight.written().await;
    tracing::debug!("server has stopped");
    Ok(())
}

/// When the last two connections were accepted.
#[derive(Debug, Default)]
struct Arrivals {
    last: Option<Instant>,
    before: Option<Instant>,
}

impl Arrivals {
    fn note(&mut self) {
        self.before = self.last.replace(Instant::now());
    }

    /// Whether both have come just now.
    fn are_frequent(&self) -> bool {
        self.before.is_some_and(|before| before.elapsed() < RACE)
    }
}

async fn accept(listener: TcpListener, server: Arc<Server>) {
    let mut tasks = JoinSet::new();
    let mut ended = pin!(server.in_flight.ending());
    let mut arrivals = Arrivals::default();
    loop {
        tokio::select! {
            () = &mut ended => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    tracing::debug!(%peer, "connection accepted");
                    arrivals.note();
                    let in_flight = server.in_flight.connection();
                    let task = tasks.spawn(connection(stream, Arc::clone(&server), in_flight.clone()));
                    server.connections.admit(in_flight, peer.ip(), task);
                }
                // Out of file descriptors, most likely: those in use must first be given back.
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    server.connections.make_room();
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
        }
        while tasks.try_join_next().is_some() {}
    }
    // A client that was connected before the end is answered; a later one is refused, unless others have just come: clients that race
    // for the same answer connect one after the other. The backlog that was asked for when the socket was made is no longer
    // than this.
    let pause = if arrivals.are_frequent() { RACE_PAUSE } else { Duration::ZERO };
    for _ in 0..BACKLOG {
        let Ok(Ok((stream, _))) = tokio::time::timeout(pause, listener.accept()).await else {
            break;
        };
        tasks.spawn(connection(stream, Arc::clone(&server), server.in_flight.connection()));
    }
    drop(listener);
    while tasks.join_next().await.is_some() {}
}

async fn connection(stream: TcpStream, server: Arc<Server>, in_flight: InFlight) {
    // Answers are small and awaited; a delay to fill packets would only be seen as slowness.
    let _ = stream.set_nodelay(true);
    let (Ok(local), Ok(peer)) = (stream.local_addr(), stream.peer_addr()) else { return };
    let info = ConnectionInfo { local: local.ip(), peer: peer.ip() };
    let owner = PeerOwner::lookup(&stream, server.owners.as_ref());
    let _presence = in_flight.present();
    let began = Instant::now();
    let asked = Arc::new(AtomicBool::new(false));
    let first_request = Arc::new(Notify::new());
    let service = {
        let (router, in_flight) = (server.router.clone(), in_flight.clone());
        let (asked, first_request) = (Arc::clone(&asked), Arc::clone(&first_request));
        service_fn(move |request: http::Request<Incoming>| {
            if !asked.swap(true, Ordering::AcqRel) {
                first_request.notify_one();
            }
            in_flight.begun();
            let mut request = request.map(|body| Body::new(RequestBody::new(body, in_flight.clone())));
            request.extensions_mut().insert(info);
            request.extensions_mut().insert(owner.clone());
            answer(router.clone(), request, in_flight.clone())
        })
    };
    let limits = &server.limits;
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_deadline)
        .max_headers(limits.head_fields)
        .max_buf_size(limits.head_bytes)
        .serve_connection(TokioIo::new(Socket::new(stream, in_flight.clone())), service)
        .with_upgrades();
    let mut connection = pin!(connection);
    tokio::select! {
        // A client that breaks off, or breaks the protocol, ends its own connection only.
        ended = &mut connection => {
            match ended {
                Ok(()) => tracing::debug!(%peer, "connection ended"),
                Err(error) => tracing::debug!(%peer, %error, "connection failed"),
            }
            return;
        }
        () = server.in_flight.ending() => {}
    }
    let is_fresh = !asked.load(Ordering::Acquire) && began.elapsed() < FRESH;
    let grace = if is_fresh { limits.arrival_deadline } else { ARRIVAL_GRACE };
    tokio::select! {
        // The connection first: a process that was not scheduled for a while finds the grace over and the request there.
        biased;
        _ = &mut connection => return,
        () = first_request.notified(), if is_fresh => {}
        () = tokio::time::sleep(grace) => {}
    }
    if !asked.load(Ordering::Acquire) {
        return;
    }
    connection.as_mut().graceful_shutdown();
    let ended = Instant::now();
    loop {
        let deadline = in_flight.awaited_until(ended, limits);
        let late = async {
            match deadline {
                Some(deadline) => tokio::time::sleep_until(deadline).await,
                None => pending().await,
            }
        };
        tokio::select! {
            biased;
            _ = &mut connection => return,
            () = in_flight.changed() => {}
            () = late => break,
        }
    }
    tracing::debug!(%peer, "connection closed: the server is stopping");
}

async fn answer(
    router: Router,
    mut request: http::Request<Body>,
    in_flight: InFlight,
) -> Result<http::Response<Body>, Infallible> {
    request.extensions_mut().insert(in_flight.clone());
    let response = tower::ServiceExt::oneshot(router, request).await?;
    in_flight.answered();
    Ok(response.map(|body| Body::new(ResponseBody::new(body, in_flight))))
}
