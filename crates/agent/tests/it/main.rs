//! Commands in agents' folders, with a fake LLM and a clock that stands still. The number in a name is the section of the
//! rules that it holds to.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod assignment;
mod execution;
mod faults;
mod flood;
mod gateway;
mod ground;
mod heartbeat;
mod hostile;
mod ingest;
mod inputs;
mod meanwhile;
mod plan;
mod plan_faults;
mod sequences;
mod support;
mod waiting;
