//! HTTP: the request gate, the endpoints, the embedded front end, and a server with a graceful shutdown.
//!
//! Nothing here prints, and nothing here knows what a valid decision is.
//!
//! # Where things are
//!
//! HTTP: `endpoints/` has the table of all endpoints and their handlers, `endpoints/v1/` those that only a daemon has; `feed/`
//! sends events to subscribed clients; gate, login, headers, embedded assets; `serve/` knows nothing of questions: ports,
//! `Limits`, connections, shutdown.

mod access;
mod answer;
mod assets;
mod compress;
mod endpoints;
mod feed;
mod gate;
mod headers;
mod login;
mod multipart;
mod serve;

pub use access::Access;
pub use endpoints::{
    Api, EndpointInfo, HostError, QuestionHost, daemon_endpoints, daemon_pages, daemon_router, endpoints,
    mcp_endpoints, mcp_router, router, socket_router,
};
pub use feed::Feed;
pub use login::{Key, NoRandomness};
pub use serve::{
    BindError, BoundSockets, ConnectionInfo, Hold, InFlight, Limits, Owner, PeerOwner, ServeError,
    WriteError, bind, bind_exactly, outward, runtime, serve,
};
