//! Runs a program that a hook needs, for a limited time.

use crate::error::HookError;
use crate::git::last_words;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// How a program ended.
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    /// What it said last.
    pub(super) words: String,
}

/// How often to look whether it has ended.
const PAUSE: Duration = Duration::from_millis(5);

/// Runs `command`, called `name` in errors. After `seconds`, it and all that it has started are ended.
pub(super) fn run(mut command: Command, name: &str, seconds: u64) -> Result<Ended, HookError> {
    let not_started = |source| HookError::NotStarted { command: name.to_owned(), source };
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().map_err(not_started)?;
    let (sender, words) = mpsc::channel();
    for stream in [
        child.stdout.take().map(|stream| Box::new(stream) as Box<dyn Read + Send>),
        child.stderr.take().map(|stream| Box::new(stream) as Box<dyn Read + Send>),
    ]
    .into_iter()
    .flatten()
    {
        let sender = sender.clone();
        thread::spawn(move || read(stream, |bytes| sender.send(bytes).is_ok()));
    }
    drop(sender);
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let mut said = Vec::new();
    let status = loop {
        match words.recv_timeout(PAUSE) {
            Ok(bytes) => keep(&mut said, bytes),
            Err(RecvTimeoutError::Timeout) => {}
            // Both streams are closed; it may still run.
            Err(RecvTimeoutError::Disconnected) => thread::sleep(PAUSE),
        }
        if let Some(status) = child.try_wait().map_err(not_started)? {
            break status;
        }
        if Instant::now() >= deadline {
            end(child.id());
            let _ = child.wait();
            return Err(HookError::TimedOut { command: name.to_owned(), seconds });
        }
    };
    // What it has left running keeps the streams open; that is not waited for.
    while let Ok(bytes) = words.recv_timeout(PAUSE) {
        keep(&mut said, bytes);
    }
    Ok(Ended { status, words: last_words(&said) })
}

/// Ends a program and all that it has started.
fn end(group: u32) {
    let group = i32::try_from(group).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        // It may have ended in this very moment.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

fn read(mut stream: Box<dyn Read + Send>, mut take: impl FnMut(Vec<u8>) -> bool) {
    let mut buffer = [0; 8192];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return,
            Ok(length) => {
                if !take(buffer[..length].to_vec()) {
                    return;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// Only the end of what is said is ever shown.
fn keep(said: &mut Vec<u8>, bytes: Vec<u8>) {
    const LIMIT: usize = 64 << 10;
    said.extend(bytes);
    if said.len() > 2 * LIMIT {
        said.drain(..said.len() - LIMIT);
    }
}
