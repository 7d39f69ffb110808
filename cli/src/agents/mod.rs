//! What the commands share that run agents: who answers for them, what wakes them, and how it is told what they do.

pub(crate) mod calls;
pub(crate) mod current;
pub(crate) mod events;
pub(crate) mod interrupted_questions;
pub(crate) mod people;
mod provider_hook;
pub(crate) mod providers;
pub(crate) mod wake;
