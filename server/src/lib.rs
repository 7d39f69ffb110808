//! HTTP: the request gate, the routes, the embedded front end, and a server that ends when it is told to.
//!
//! Nothing here prints, and nothing here knows what a valid decision is.

mod access;
mod assets;
mod compress;
mod flow;
mod gate;
mod headers;
mod history;
mod login;
mod routes;
mod serve;

pub use access::Access;
pub use login::{Key, NoRandomness};
pub use routes::router;
pub use serve::{BindError, Bound, ConnectionInfo, Hold, InFlight, Limits, ServeError, Write, bind, serve};
