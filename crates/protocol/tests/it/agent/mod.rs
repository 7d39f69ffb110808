//! What agents tell one another.

mod catalog;
mod codes;
mod commands;
mod dags;
mod envelopes;
