//! The `aide` command as its users run it. One program for all of these tests: it is compiled and linked once.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod agent;
mod agent_run;
mod answer;
mod attacks;
mod checklist;
mod clean;
mod config;
mod daemon;
mod daemon_disk;
mod daemon_kills;
mod daemon_questions;
mod disk;
mod export;
mod flow;
mod flow_disk;
mod flow_hooks;
mod flow_kills;
mod flow_parallel;
mod flow_states;
mod init;
mod input;
mod load;
mod logging;
mod login;
mod notify;
mod owner;
mod plan;
mod plan_kills;
mod plan_run;
mod plan_serve;
mod queue;
mod result;
mod schema;
mod serving;
mod sessions;
mod settings;
mod support;
mod trust;
mod uploads;
mod usage;
mod validation;
mod waiting;
mod watch;
mod workflow;
