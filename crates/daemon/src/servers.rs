//! The two servers of a daemon, and what the system gives them.

use crate::error::{DaemonError, DaemonPort};
use crate::world::Machine;
use app::Hall;
use client::{DaemonRegistration, PROTOCOL, Secret};
use protocol::agent::Timestamp;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use server::{Access, Api, BoundSockets, Key, Limits, ServeError};
use settings::DaemonSettings;
use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::process;
use std::sync::Arc;
use std::task::Poll;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use workflow::World;

/// How many files a daemon may have open, where the system lets it.
const FILES: u64 = 8192;
/// How many connections it takes on: a thousand programs that listen, and as many that ask.
const CONNECTIONS: usize = 4096;
/// How many of them may be held.
const HELD: usize = 2048;

/// The sockets that a daemon listens on.
pub(crate) struct Ports {
    http: BoundSockets,
    ws: BoundSockets,
}

impl Ports {
    /// Takes exactly the configured ports: clients look for the daemon there.
    pub(crate) fn take(settings: &DaemonSettings) -> Result<Self, DaemonError> {
        let bind = |number, port| {
            let bound = server::bind_exactly(&settings.host, number);
            bound.map_err(|error| DaemonError::NotBound { port, error })
        };
        let http = bind(settings.http_port, DaemonPort::Http)?;
        Ok(Self { http, ws: bind(settings.ws_port, DaemonPort::WebSocket)? })
    }

    /// Returns the numbers of the port of pages and API and of that of WebSockets.
    pub(crate) fn numbers(&self) -> (u16, u16) {
        (self.http.port, self.ws.port)
    }

    /// Returns what the daemon says of itself. `restarted` is what it was stuck with before, and `flags` what a restart keeps.
    pub(crate) fn info(
        &self,
        settings: &DaemonSettings,
        key: &Key,
        restarted: Option<String>,
        flags: BTreeMap<String, String>,
    ) -> DaemonRegistration {
        let (http, ws) = (reach(self.http.host, self.http.port), reach(self.ws.host, self.ws.port));
        DaemonRegistration {
            pid: process::id(),
            http_port: self.http.port,
            ws_port: self.ws.port,
            http_url: format!("http://{http}"),
            ws_url: format!("ws://{ws}"),
            url: if settings.url.is_empty() { self.http.default_url() } else { settings.url.clone() },
            bind: settings.host.clone(),
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started_at: Timestamp::from_unix_millis(Machine.now()).as_str().to_owned(),
            restarted,
            flags: Some(flags),
            secret: Secret(key.to_hex()),
        }
    }
}

/// Where a program of this machine reaches what listens at an address.
fn reach(host: IpAddr, port: u16) -> SocketAddr {
    let host = match host {
        IpAddr::V4(v4) if v4.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(v6) if v6.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        host => host,
    };
    SocketAddr::new(host, port)
}

/// Both servers, each on its own task.
pub(crate) struct Servers {
    tasks: Vec<JoinHandle<Result<(), ServeError>>>,
    stop: watch::Sender<bool>,
}

impl Servers {
    /// Starts them, on the runtime that this is called in.
    pub(crate) fn start(
        ports: Ports,
        settings: &DaemonSettings,
        key: &Key,
        hall: &Arc<Hall>,
        (api, mcp): (&Api, &Arc<mcp::Http>),
    ) -> Self {
        let access = |bound: &BoundSockets| {
            let (host, port, url) = (bound.host, bound.port, settings.url.as_str());
            if settings.is_loopback() {
                Access::owned_surely(host, port, url, key.clone())
            } else {
                Access::guarded(host, port, url, key.clone())
            }
        };
        let http = server::daemon_router(Arc::clone(hall), access(&ports.http), api.clone(), Some(mcp));
        let ws = server::socket_router(Arc::clone(hall), access(&ports.ws), api.clone());
        let (stop, stopped) = watch::channel(false);
        let tasks = [(ports.http, http), (ports.ws, ws)].map(|(bound, router)| {
            let mut stopped = stopped.clone();
            let stopped = async move {
                // A sender that is gone says the same.
                let _ = stopped.wait_for(|stopped| *stopped).await;
            };
            tokio::spawn(server::serve(bound, router, limits(), stopped))
        });
        Self { tasks: tasks.into(), stop }
    }

    /// Completes when one of them has ended by itself.
    pub(crate) async fn failure(&mut self) -> io::Error {
        let ended = poll_fn(|context| {
            for task in &mut self.tasks {
                if let Poll::Ready(ended) = Pin::new(task).poll(context) {
                    return Poll::Ready(ended);
                }
            }
            Poll::Pending
        });
        match ended.await {
            Ok(Ok(())) => io::Error::other("stopped"),
            Ok(Err(error)) => io::Error::other(error),
            Err(error) => io::Error::other(error),
        }
    }

    /// Ends both, and waits for their farewells.
    pub(crate) async fn end(&mut self) {
        self.stop.send_replace(true);
        for task in &mut self.tasks {
            if !task.is_finished() {
                let _ = task.await;
            }
        }
    }
}

/// How much a daemon takes on: what the system gives it.
fn limits() -> Limits {
    let descriptors = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    // Both servers share them, and the journal and the projects need some.
    let share = usize::try_from(descriptors / 2).unwrap_or(usize::MAX).saturating_sub(32).max(64);
    Limits { connections: share.min(CONNECTIONS), held: (share / 2).min(HELD), ..Limits::default() }
}

/// Lets this process have as many files open as it may.
pub(crate) fn raise_limit() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(FILES, |maximum| maximum.min(FILES));
    if current.is_some_and(|current| current < wanted) {
        // Without them it takes on fewer.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
    }
}
