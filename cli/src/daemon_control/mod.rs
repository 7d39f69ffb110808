//! The resident process as commands see it: the flags that it takes, its start in the background, its end, and what it says of
//! itself. What it does is `crates/daemon`.

mod flags;
mod launch;

pub(crate) use flags::{DaemonFlags, settings};
pub(crate) use launch::{
    DaemonReport, IN_BACKGROUND, LaunchOutcome, READY, StopOutcome, answering, look, start, stop,
};
