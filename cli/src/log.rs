//! What the program does, line by line on standard error, for whoever looks for a mistake. Silent unless `AIDE_LOG` is set.

use std::env;
use std::io;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::prelude::*;

/// Says what is to be said: a level such as `debug`, or one for each part (`server=debug,process=info`).
const VARIABLE: &str = "AIDE_LOG";

/// Starts it, if anybody wants to hear it. Without the variable nothing is prepared at all.
pub(crate) fn start() {
    let Some(wanted) = env::var_os(VARIABLE).filter(|wanted| !wanted.is_empty()) else { return };
    // Whoever has mistyped a level hears everything.
    let targets = wanted.to_str().and_then(|wanted| wanted.parse().ok());
    let targets = targets.unwrap_or_else(|| Targets::new().with_default(LevelFilter::TRACE));
    let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(io::stderr);
    // There is no other one in this process.
    let _ = tracing_subscriber::registry().with(lines.with_filter(targets)).try_init();
}
