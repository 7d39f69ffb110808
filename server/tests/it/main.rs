//! The server from outside: its routes without a socket, and itself on real ones. One program for all of these tests: it is
//! compiled and linked once.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod api;
mod below;
mod connections;
mod contract;
mod corpus;
mod corpus_daemon;
mod endpoints;
mod errors;
mod flow;
mod gate;
mod history;
mod homeless;
mod inbox;
mod lists;
mod load;
mod looks;
mod many;
mod mcp;
mod open_sets;
mod openapi;
mod page;
mod plans;
mod race;
mod sequences;
mod serve;
mod sockets;
mod stages;
mod streams;
mod support;
mod uploads;
mod waiters;
#[path = "../../../crates/workflow/tests/it/whole.rs"]
mod whole;
mod workflows;
