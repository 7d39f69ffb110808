//! What the program does, line by line on standard error, for whoever looks for a mistake. Silent unless `AIDE_LOG` is set.

use settings::LogLevel;
use std::env;
use std::fs::File;
use std::io;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::prelude::*;

/// Says what is to be said: a level such as `debug`, or one for each part (`server=debug,process=info`).
const VARIABLE: &str = "AIDE_LOG";

/// Starts it for a daemon, which says what it does: so much as `level` wants, to `file` where there is one, unless the
/// variable wants something else.
pub(crate) fn start_at(level: LogLevel, file: Option<File>) {
    let level = match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    // The second one in this process is none.
    let targets = Targets::new().with_default(level);
    match file {
        Some(file) => write(targets, file),
        None => write(targets, io::stderr),
    }
}

/// Starts it, if anybody wants to hear it. Without the variable nothing is prepared at all.
pub(crate) fn start() {
    let Some(wanted) = env::var_os(VARIABLE).filter(|wanted| !wanted.is_empty()) else { return };
    // Whoever has mistyped a level hears everything.
    let targets = wanted.to_str().and_then(|wanted| wanted.parse().ok());
    let targets = targets.unwrap_or_else(|| Targets::new().with_default(LevelFilter::TRACE));
    write(targets, io::stderr);
}

fn write(targets: Targets, to: impl for<'w> MakeWriter<'w> + Send + Sync + 'static) {
    let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(to);
    // There is no other one in this process.
    let _ = tracing_subscriber::registry().with(lines.with_filter(targets)).try_init();
}
