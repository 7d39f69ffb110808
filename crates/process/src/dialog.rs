//! Programs that are spoken with: a line goes in, and lines come out.

use crate::program::{Program, start};
use crate::running::GroupRegistration;
use crate::termination::{POLL_INTERVAL, reap, signal_group};
use rustix::process::Signal;
use std::io::{self, BufRead as _, BufReader, ErrorKind, Read, Write as _};
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long a line may be, in bytes, unless the caller says otherwise.
const MAX_LINE: usize = 4 << 20;
/// How many lines are read before they are asked for.
const MAX_UNHEARD: usize = 16;
/// How much of what it prints as errors is kept, in bytes: the beginning.
const MAX_ERRORS: u64 = 16 << 10;

/// A program that runs, in a process group of its own. When this is dropped it is killed, with all that it has started.
#[derive(Debug)]
pub struct Dialog {
    child: Option<Child>,
    stdin: ChildStdin,
    lines: Receiver<Option<String>>,
    /// What it has printed as errors, once it has closed that stream or printed too much.
    errors: Receiver<String>,
    leader: u32,
    _running: GroupRegistration,
}

/// Why there is no line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// None came in time.
    #[error("no line came in time")]
    Silent,
    /// It is too long, or was cut off.
    #[error("a line is too long or not whole")]
    Broken,
    /// The program has closed its output.
    #[error("the output has ended")]
    Over,
}

impl Program {
    /// Starts it to speak with it.
    ///
    /// # Errors
    ///
    /// When it cannot be started.
    pub fn dialog(self) -> io::Result<Dialog> {
        use std::os::unix::process::CommandExt as _;
        let Self { mut command, max_line, .. } = self;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child = start(command)?;
        let running = GroupRegistration::note(child.id());
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = (stdin, stdout, stderr) else {
            signal_group(child.id(), Signal::KILL);
            reap(child);
            return Err(ErrorKind::BrokenPipe.into());
        };
        let max_line = max_line.unwrap_or(MAX_LINE);
        // What is not heard is not read: a program that says too much waits.
        let (sender, lines) = sync_channel(MAX_UNHEARD);
        thread::spawn(move || read_lines(stdout, max_line, |line| sender.send(line).is_ok()));
        let (keeper, errors) = channel();
        thread::spawn(move || {
            let mut reader = BufReader::new(stderr);
            let mut text = Vec::new();
            let _ = (&mut reader).take(MAX_ERRORS).read_to_end(&mut text);
            let _ = keeper.send(String::from_utf8_lossy(&text).into_owned());
            // What more it says is read, so that it can go on.
            let _ = io::copy(&mut reader, &mut io::sink());
        });
        Ok(Dialog { leader: child.id(), child: Some(child), stdin, lines, errors, _running: running })
    }

    /// Starts it, and waits for nothing. It hears no Ctrl-C, and what it says goes nowhere.
    ///
    /// # Errors
    ///
    /// When it cannot be started.
    pub fn leave(self) -> io::Result<()> {
        use std::os::unix::process::CommandExt as _;
        let mut command = self.command;
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let mut child = start(command)?;
        // Its end has to be taken note of. Without a thread to be had, it is not.
        let _ = thread::Builder::new().spawn(move || child.wait());
        Ok(())
    }
}

impl Dialog {
    /// Says a line. One that is larger than a pipe is waited for until it is read.
    ///
    /// # Errors
    ///
    /// When the program does not read any more.
    pub fn say(&mut self, line: &str) -> io::Result<()> {
        self.stdin.write_all(format!("{line}\n").as_bytes())?;
        self.stdin.flush()
    }

    /// Returns the next line, which must come by `deadline`.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn hear(&self, deadline: Instant) -> Result<String, LineError> {
        match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(Some(line)) => Ok(line),
            Ok(None) => Err(LineError::Broken),
            Err(RecvTimeoutError::Timeout) => Err(LineError::Silent),
            Err(RecvTimeoutError::Disconnected) => Err(LineError::Over),
        }
    }

    /// Waits for its end, at most until `deadline`: how it ended, if it did, and what it has printed as errors.
    pub fn end(&mut self, deadline: Instant) -> (Option<ExitStatus>, String) {
        let status = loop {
            let Some(child) = &mut self.child else { break None };
            match child.try_wait() {
                Ok(Some(status)) => break Some(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(POLL_INTERVAL),
                _ => break None,
            }
        };
        // Its last words may still be on their way; a program that it has left behind may keep the stream open.
        let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(100));
        (status, self.errors.recv_timeout(left).unwrap_or_default())
    }
}

impl Drop for Dialog {
    fn drop(&mut self) {
        signal_group(self.leader, Signal::KILL);
        if let Some(child) = self.child.take() {
            reap(child);
        }
    }
}

/// Hands on each line without its end; `None` for one that is too long or not whole. Ends with the stream, or when `take` does.
fn read_lines(stream: impl Read, max_line: usize, mut take: impl FnMut(Option<String>) -> bool) {
    let mut reader = BufReader::new(stream);
    let limit = u64::try_from(max_line).unwrap_or(u64::MAX);
    loop {
        let mut line = Vec::new();
        let read = (&mut reader).take(limit).read_until(b'\n', &mut line);
        let line = match read {
            Ok(0) | Err(_) => return,
            Ok(_) => line.strip_suffix(b"\n").map(|line| String::from_utf8_lossy(line).into_owned()),
        };
        if !take(line) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

    use super::LineError;
    use crate::Program;
    use std::path::Path;
    use std::process::Command;
    use std::thread;
    use std::time::{Duration, Instant};

    fn shell(script: &str) -> Program {
        let mut command = Command::new("sh");
        command.arg("-c").arg(script);
        Program::new(command)
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(30)
    }

    #[test]
    fn a_line_goes_in_and_lines_come_out() {
        let mut dialog =
            shell("read a; echo \"got $a\"; read b; echo \"and $b\"; echo why >&2; exit 3").dialog().unwrap();
        dialog.say("one").unwrap();
        assert_eq!(dialog.hear(soon()).unwrap(), "got one");
        assert_eq!(dialog.hear(Instant::now()), Err(LineError::Silent));
        dialog.say("two").unwrap();
        assert_eq!(dialog.hear(soon()).unwrap(), "and two");
        assert_eq!(dialog.hear(soon()), Err(LineError::Over));
        let (status, errors) = dialog.end(soon());
        assert_eq!((status.unwrap().code(), &*errors), (Some(3), "why\n"));
    }

    #[test]
    fn what_is_no_line_is_told() {
        let dialog = shell("printf 'abcdefgh\\nab\\nxy'").with_max_line(4).dialog().unwrap();
        let heard: Vec<_> = (0..5).map(|_| dialog.hear(soon())).collect();
        let broken = Err(LineError::Broken);
        assert_eq!(heard, [broken.clone(), broken.clone(), Ok(String::new()), Ok("ab".to_owned()), broken]);
    }

    #[test]
    fn it_ends_with_its_caller_and_takes_along_what_it_has_started() {
        let dialog = shell("sleep 600 & echo $!; wait").dialog().unwrap();
        let started = dialog.hear(soon()).unwrap();
        drop(dialog);
        let stat = Path::new("/proc").join(started).join("stat");
        let is_gone = || {
            let stat = std::fs::read_to_string(&stat).unwrap_or_default();
            stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('Z'))
        };
        while !is_gone() {
            thread::yield_now();
        }
    }

    #[test]
    fn one_that_is_left_runs_on_by_itself() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("done");
        shell(&format!("echo aside; echo aside >&2; cat; touch {}", file.display())).leave().unwrap();
        while !file.exists() {
            thread::yield_now();
        }
        assert!(Program::new(Command::new("/no/such")).leave().is_err());
    }
}
