//! What the program does, line by line on standard error, for a person who looks for a mistake. Silent unless `AIDE_LOG` is
//! set, but for a daemon.

use settings::LogLevel;
use std::env;
use std::fs::File;
use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::prelude::*;

/// Says what is to be said: a level such as `debug`, or one for each part (`server=debug,process=info`).
const VARIABLE: &str = "AIDE_LOG";

/// How many lines wait until they are written; more are left out.
const QUEUE: usize = 4096;

/// How long the last lines are waited for.
const FLUSH: Duration = Duration::from_secs(1);

/// The lines of a daemon.
static LINES: OnceLock<Lines> = OnceLock::new();

/// Starts it for a daemon, which says what it does: so much as `level` wants, to `file` where there is one, unless the
/// variable wants something else. From now on a thread of its own writes, so that a pipe that is not read, or a disk that does
/// not answer, stops the log and nothing else.
///
/// # Errors
///
/// When there can be no more threads.
pub(crate) fn start_at(level: LogLevel, file: Option<File>) -> io::Result<()> {
    let level = match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    let to: Box<dyn Write + Send> = match file {
        Some(file) if !is_wanted() => Box::new(file),
        _ => Box::new(io::stderr()),
    };
    // A second one in this process is none.
    let _ = LINES.set(Lines::start(to)?);
    write(Targets::new().with_default(level));
    Ok(())
}

/// Starts it, if the variable is set. Without it nothing is prepared at all.
pub(crate) fn start() {
    let Some(wanted) = env::var_os(VARIABLE).filter(|_| is_wanted()) else { return };
    // A person who has mistyped a level sees everything.
    let targets = wanted.to_str().and_then(|wanted| wanted.parse().ok());
    write(targets.unwrap_or_else(|| Targets::new().with_default(LevelFilter::TRACE)));
}

/// Waits until what was said is written, one second at most.
pub(crate) fn flush() {
    if let Some(lines) = LINES.get() {
        lines.flush();
    }
}

fn is_wanted() -> bool {
    env::var_os(VARIABLE).is_some_and(|wanted| !wanted.is_empty())
}

fn write(targets: Targets) {
    let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(|| Writer);
    // There is no other one in this process.
    let _ = tracing_subscriber::registry().with(lines.with_filter(targets)).try_init();
}

/// Writes a line where it belongs.
struct Writer;

impl Write for Writer {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        match LINES.get() {
            Some(lines) => lines.add(line),
            None => io::stderr().write_all(line)?,
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

enum Entry {
    Line(Vec<u8>),
    /// Answered once all lines before it are written.
    Flush(SyncSender<()>),
}

/// A queue of lines, which one thread writes.
struct Lines {
    queue: SyncSender<Entry>,
    /// How many lines were left out since the last one that was not.
    left_out: AtomicU64,
}

impl Lines {
    fn start(to: impl Write + Send + 'static) -> io::Result<Self> {
        let (queue, entries) = sync_channel(QUEUE);
        thread::Builder::new().name("log".to_owned()).spawn(move || write_all(&entries, to))?;
        Ok(Self { queue, left_out: AtomicU64::new(0) })
    }

    fn add(&self, line: &[u8]) {
        let left_out = self.left_out.swap(0, Ordering::Relaxed);
        let mut whole = Vec::with_capacity(line.len());
        if left_out > 0 {
            whole.extend_from_slice(format!("({} left out)\n", texts::en_count(left_out, "line")).as_bytes());
        }
        whole.extend_from_slice(line);
        if self.queue.try_send(Entry::Line(whole)).is_err() {
            self.left_out.fetch_add(left_out + 1, Ordering::Relaxed);
        }
    }

    fn flush(&self) {
        let (written, all_written) = sync_channel(1);
        // A full queue is one that is not written.
        if self.queue.try_send(Entry::Flush(written)).is_ok() {
            let _ = all_written.recv_timeout(FLUSH);
        }
    }
}

fn write_all(entries: &Receiver<Entry>, mut to: impl Write) {
    for entry in entries {
        match entry {
            // There is no other place to tell what is wrong with it.
            Entry::Line(line) => drop(to.write_all(&line)),
            Entry::Flush(written) => drop(written.send(())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Lines, QUEUE};
    use std::io::{self, BufRead, BufReader};

    #[test]
    fn a_pipe_that_is_not_read_stops_the_log_alone_and_what_is_left_out_is_told() -> io::Result<()> {
        let (reader, writer) = io::pipe()?;
        let lines = Lines::start(writer)?;
        // Much more than the pipe and the queue hold.
        let line = [vec![b'x'; 1023], vec![b'\n']].concat();
        for _ in 0..QUEUE * 2 {
            lines.add(&line);
        }
        lines.flush();
        let mut read = BufReader::new(reader).lines();
        let (mut written, mut left_out) = (0, 0);
        let mut is_again = false;
        while !is_again {
            let line = read.next().transpose()?.unwrap_or_default();
            // If the pipe takes lines while more are added, there may be several such counts.
            let note = line.strip_prefix('(').and_then(|rest| rest.strip_suffix(" left out)"));
            match note.and_then(|note| note.split_once(" line")) {
                Some((count, _)) => left_out += count.parse::<usize>().map_err(io::Error::other)?,
                None if line == "again" => is_again = true,
                None => {
                    assert_eq!(line.len(), 1023, "{line}");
                    written += 1;
                }
            }
            // By now there is room in the queue.
            if written == QUEUE && !is_again {
                lines.add(b"again\n");
            }
        }
        assert!(left_out > 0);
        assert_eq!(written + left_out, 2 * QUEUE);
        Ok(())
    }
}
