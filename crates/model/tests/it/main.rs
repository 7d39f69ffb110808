//! What agents and people send, from outside. One program for all of these tests: it is compiled and linked once.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod answers;
mod dialog;
mod flow;
mod names;
mod questions;
mod respond;
mod rules;
mod schema;
mod session;
mod slips;
mod support;
