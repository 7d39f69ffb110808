//! What agents write into files, and what a daemon reports of workflows. One program for all of these tests: it is
//! compiled and linked once.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod agent;
mod workflow;
