//! What the files say, as it is used: each view of them has a type of its own.

mod agent;
mod crew;
mod daemon;
mod flow;
mod general;
mod notify;

pub(crate) use agent::PROVIDER_MEMBERS;
pub(crate) use crew::CREW_MEMBERS;
pub use general::parse_config;
pub(crate) use notify::STEP_MEMBERS;
