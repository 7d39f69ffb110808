//! What agents tell one another.

mod commands;
mod envelopes;
