//! The resident process: where its state is, how it is started, found and ended, and what it does.

mod agents;
mod launch;
mod logs;
mod patient_desk;
mod process;
mod questions;
mod restart;
mod settings;
mod upkeep;
mod world;

pub(crate) use agents::Crew;
pub(crate) use launch::{
    DaemonReport, IN_BACKGROUND, LaunchOutcome, READY, RECOVERING, StopOutcome, answering, look, start, stop,
};
pub(crate) use logs::Logs;
pub(crate) use process::{DaemonOutcome, LogTo, RecoveryReport, run};
pub(crate) use questions::WORKFLOWS;
pub(crate) use settings::{DaemonFlags, settings};
