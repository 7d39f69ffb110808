//! What the program does, line by line on standard error, for whoever looks for a mistake. Silent unless `AIDE_LOG` is set.

use std::env;
use std::io;
use tracing_subscriber::EnvFilter;

/// Says what is to be said: a level such as `debug`, or one for each part (`server=debug,process=info`).
const VARIABLE: &str = "AIDE_LOG";

/// Starts it, if anybody wants to hear it. Without the variable nothing is prepared at all.
pub(crate) fn start() {
    let Some(wanted) = env::var_os(VARIABLE).filter(|wanted| !wanted.is_empty()) else { return };
    // What it does not understand it names, and passes over.
    let filter = EnvFilter::builder().parse_lossy(wanted.to_string_lossy());
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(io::stderr);
    // There is no other one in this process.
    let _ = lines.try_init();
}
