//! Accepting, answering, and ending.
//!
//! `axum::serve` (0.8) installs no timer, so half a request would be waited for without end, and its drain waits
//! for such a request as well. This loop knows which connections have an answer under way and waits for these.

use crate::gate::{Busy, Writes};
use crate::guests::Guests;
use crate::routes::counted;
use crate::{Access, Bound, Ends};
use app::Session;
use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How long the head of a request may take, and how long a connection may be idle.
const HEAD_DEADLINE: Duration = Duration::from_secs(10);
/// The largest head of a request, in bytes.
const HEAD_LIMIT: usize = 16 * 1024;
/// The most header fields of a request.
const HEADER_LIMIT: usize = 64;
/// How long an answer under way may take to leave when the server ends.
const DRAIN_DEADLINE: Duration = Duration::from_millis(500);
/// How long a request that has arrived may take to be noticed: a second tab that was a moment slower is told so,
/// instead of being cut off.
const ARRIVAL_GRACE: Duration = Duration::from_millis(1);
/// How long bytes that are already written may take to leave.
const FLUSH_DEADLINE: Duration = Duration::from_millis(30);
/// How many connections the standard library lets wait to be accepted.
const BACKLOG: usize = 128;
/// How long to wait when the system has no more sockets to give.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Why serving could not begin.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen: {0}")]
pub struct ServeError(#[from] io::Error);

/// Serves the questions of `session` until `stop` completes; then lets answers under way leave and returns.
///
/// `access` says who may come in. A client can connect before this is first polled: the sockets listen already.
pub async fn serve(
    bound: Bound,
    session: Arc<Session>,
    access: Access,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError> {
    let writes = Writes::default();
    let router = counted(session, access, writes.clone());
    let (stopping, stopped) = watch::channel(false);
    let guests = Arc::new(Guests::new(bound.host.is_loopback()));
    let mut loops = JoinSet::new();
    for listener in bound.listeners {
        let listener = TcpListener::from_std(listener)?;
        loops.spawn(accept(listener, router.clone(), Arc::clone(&guests), stopped.clone()));
    }
    stop.await;
    // The receivers live in the loops; without any there is nobody to tell.
    let _ = stopping.send(true);
    while loops.join_next().await.is_some() {}
    // Whoever was cut off may have an answer under way that is still to become the record.
    writes.finish().await;
    Ok(())
}

async fn accept(listener: TcpListener, router: Router, guests: Arc<Guests>, stopped: watch::Receiver<bool>) {
    let mut connections = JoinSet::new();
    let mut ended = pin!(until_stopped(stopped.clone()));
    loop {
        tokio::select! {
            () = &mut ended => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    let busy = Busy::default();
                    let connection = connection(stream, router.clone(), busy.clone(), stopped.clone());
                    guests.admit(busy, peer.ip(), connections.spawn(connection));
                }
                // Out of file descriptors, most likely: those in use must first be given back.
                Err(_) => {
                    guests.make_room();
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
        }
        while connections.try_join_next().is_some() {}
    }
    // Who was connected before the end is answered; who comes later finds nobody. The backlog that was asked for when
    // the socket was made is no longer than this.
    for _ in 0..BACKLOG {
        let Ok(Ok((stream, _))) = tokio::time::timeout(Duration::ZERO, listener.accept()).await else {
            break;
        };
        connections.spawn(connection(stream, router.clone(), Busy::default(), stopped.clone()));
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// Completes when the server is told to end; also when the teller is gone.
async fn until_stopped(mut stopped: watch::Receiver<bool>) {
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

async fn connection(stream: TcpStream, router: Router, busy: Busy, stopped: watch::Receiver<bool>) {
    // Answers are small and awaited; a delay to fill packets would only be seen as slowness.
    let _ = stream.set_nodelay(true);
    let (Ok(local), Ok(peer)) = (stream.local_addr(), stream.peer_addr()) else { return };
    let ends = Ends { local: local.ip(), peer: peer.ip() };
    let asked = Arc::new(AtomicBool::new(false));
    let service = {
        let (busy, asked) = (busy.clone(), Arc::clone(&asked));
        service_fn(move |request| {
            asked.store(true, Ordering::Release);
            answer(router.clone(), request, ends, busy.clone())
        })
    };
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_DEADLINE)
        .max_headers(HEADER_LIMIT)
        .max_buf_size(HEAD_LIMIT)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    tokio::select! {
        // A client that breaks off, or breaks the protocol, ends its own connection only.
        _ = &mut connection => return,
        () = until_stopped(stopped) => {}
    }
    let arrived = tokio::time::timeout(ARRIVAL_GRACE, &mut connection).await;
    if arrived.is_ok() || !asked.load(Ordering::Acquire) {
        return;
    }
    connection.as_mut().graceful_shutdown();
    let deadline = if busy.0.load(Ordering::Acquire) { DRAIN_DEADLINE } else { FLUSH_DEADLINE };
    // Past the deadline the connection is cut: the other side does not read.
    let _ = tokio::time::timeout(deadline, connection).await;
}

async fn answer(
    router: Router,
    request: http::Request<Incoming>,
    ends: Ends,
    busy: Busy,
) -> Result<http::Response<Body>, Infallible> {
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(busy.clone());
    request.extensions_mut().insert(ends);
    let response = tower::ServiceExt::oneshot(router, request).await?;
    // It is only sent from here on.
    busy.0.store(false, Ordering::Release);
    Ok(response)
}
