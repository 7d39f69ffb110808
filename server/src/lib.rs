//! HTTP: the request gate, the routes, the embedded front end, and a server that ends when it is told to.
//!
//! Nothing here prints, and nothing here knows what a valid decision is.

mod access;
mod assets;
mod bind;
mod compress;
mod flow;
mod gate;
mod guests;
mod headers;
mod history;
mod login;
mod routes;
mod serve;

pub use access::{Access, Ends};
pub use bind::{BindError, Bound, bind};
pub use login::{Key, NoRandomness};
pub use routes::router;
pub use serve::{ServeError, serve};
