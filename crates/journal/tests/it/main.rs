//! What the daemon keeps, from outside. One program for all of these tests: it is compiled and linked once.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod content;
mod damage;
mod durable;
mod errors;
mod full;
mod kills;
mod load;
mod power;
mod rows;
mod sequences;
mod support;
mod together;
mod worker;
mod write;
