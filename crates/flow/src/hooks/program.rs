//! Runs a program that a hook needs, for a limited time.

use crate::error::HookError;
use crate::git::last_words;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Whether nobody wants to wait any more.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Ends the program of a hook that is running, with all that it has started, and every later one: it is in a process group
/// of its own, and hears no Ctrl-C. The action is refused then.
pub fn interrupt() {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// How a program ended.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    /// What it said last.
    pub(crate) words: String,
}

/// How often to look whether it has ended.
const PAUSE: Duration = Duration::from_millis(5);

/// How long nothing must be said after a program has ended, unless its streams are closed.
const SILENCE: Duration = Duration::from_millis(100);

/// Runs `command`, called `name` in errors. After `seconds`, it and all that it has started are ended.
pub(super) fn run(mut command: Command, name: &str, seconds: u64) -> Result<Ended, HookError> {
    command.stdin(Stdio::null()).process_group(0);
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let ended = collect(command, |group| {
        if INTERRUPTED.load(Ordering::Relaxed) {
            end(group);
        }
        let is_late = Instant::now() >= deadline;
        if is_late {
            end(group);
        }
        is_late
    });
    match ended {
        Ok(Some(ended)) => Ok(ended),
        Ok(None) => Err(HookError::TimedOut { command: name.to_owned(), seconds }),
        Err(source) => Err(HookError::NotStarted { command: name.to_owned(), source }),
    }
}

/// Runs `command` to its end, but waits for nothing that it leaves running and that could still say something. `look` is
/// called with its process all the time, and says whether it was ended: then there is no result.
pub(crate) fn collect(mut command: Command, look: impl Fn(u32) -> bool) -> io::Result<Option<Ended>> {
    // One pipe for both streams keeps the order in which things are said.
    let (stream, writer) = io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    let mut child = command.spawn()?;
    // Else the pipe would never end.
    drop(command);
    let (sender, words) = mpsc::channel();
    thread::spawn(move || read(stream, |bytes| sender.send(bytes).is_ok()));
    let mut said = Vec::new();
    let status = loop {
        match words.recv_timeout(PAUSE) {
            Ok(bytes) => keep(&mut said, bytes),
            Err(RecvTimeoutError::Timeout) => {}
            // It has closed both streams, and may still run.
            Err(RecvTimeoutError::Disconnected) => thread::sleep(PAUSE),
        }
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if look(child.id()) {
            let _ = child.wait();
            return Ok(None);
        }
    };
    // What it has left running keeps the pipe open; that is not waited for.
    while let Ok(bytes) = words.recv_timeout(SILENCE) {
        keep(&mut said, bytes);
    }
    Ok(Some(Ended { status, words: last_words(&said) }))
}

/// Ends a program and all that it has started.
fn end(group: u32) {
    let group = i32::try_from(group).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        // It may have ended in this very moment.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

fn read(mut stream: impl Read, mut take: impl FnMut(Vec<u8>) -> bool) {
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
