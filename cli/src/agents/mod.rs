//! Shared by the commands that run agents: what answers for agents, what wakes them, and how their events are reported.

pub(crate) mod calls;
pub(crate) mod current;
pub(crate) mod events;
pub(crate) mod interrupted_questions;
pub(crate) mod people;
mod provider_hook;
pub(crate) mod providers;
pub(crate) mod wake;
