//! A program as a filter: it gets its input, and standard output and standard error are kept apart.

use crate::captured::CapturedOutput;
use crate::program::{MAX_OUTPUT, Program, keep_end, start, wait_for_end};
use crate::running::GroupRegistration;
use crate::termination::{CANCEL_GRACE, KILL_LIMIT, reap, signal_group};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio, ioctl_fionread};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, waitid};
use std::io::{self, ErrorKind, PipeReader, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How much is written or read at once.
const CHUNK: usize = 64 << 10;

/// Why a program has no output. What it said until then is kept: the last [`MAX_OUTPUT`] bytes of each stream.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// It could not be started, or not be waited for.
    #[error("cannot run: {0}")]
    NotStarted(#[from] io::Error),
    /// It took too long, and was ended.
    #[error("took too long")]
    TimedOut {
        /// What it wrote to its standard output.
        stdout: Vec<u8>,
        /// What it said on its standard error.
        stderr: Vec<u8>,
    },
    /// It was cancelled, and was ended if it had been started.
    #[error("cancelled")]
    Cancelled {
        /// What it said on its standard error.
        stderr: Vec<u8>,
    },
    /// It wrote more to its standard output than it may, and was ended.
    #[error("more than {limit} bytes of output")]
    TooMuch {
        /// How much it may write, in bytes.
        limit: usize,
        /// What it said on its standard error.
        stderr: Vec<u8>,
    },
}

/// What ends a program before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StopReason {
    TimedOut,
    Cancelled,
    TooMuch,
}

/// How far its end has come.
#[derive(Debug, Clone, Copy)]
enum StopStage {
    Running,
    /// It was asked to end, and has time until then.
    Asked(StopReason, Instant),
    /// It was killed, and ends in this moment, unless it waits for a disk: then it is not waited for after that.
    Killed(StopReason, Instant),
}

impl Program {
    /// Runs it to its end with `input` as its standard input, which it need not read. It has a process group of its own.
    ///
    /// When its time is up, when it is cancelled and when it writes more than it may, it is asked to end (`SIGTERM`), with all
    /// that it has started; what is left of them when it has ended, or after the time that it gets for that, is killed. One that is cancelled gets a second
    /// at most.
    /// What it leaves running when it ends by itself goes on, and is not waited for, unless it is to leave nothing
    /// ([`leaving_nothing`](Self::leaving_nothing)): then it is killed.
    ///
    /// # Errors
    ///
    /// When it cannot be started, and when it was ended before its time.
    pub fn output(self, input: &[u8]) -> Result<Output, OutputError> {
        // The arguments are not logged: they may hold secrets.
        let name = self.command.get_program().to_owned();
        let started = Instant::now();
        let result = self.talk(input, started);
        let took = started.elapsed();
        match &result {
            Ok(output) => tracing::debug!(program = ?name, status = %output.status, ?took, "program ended"),
            Err(error) => tracing::warn!(program = ?name, %error, ?took, "program did not exit by itself"),
        }
        result
    }

    fn talk(self, input: &[u8], started: Instant) -> Result<Output, OutputError> {
        let Self { mut command, limit, grace, max_stdout, max_line, leaves_nothing, .. } = self;
        let cancellation = limit.as_ref().map(|limit| limit.cancellation.clone()).unwrap_or_default();
        if cancellation.is_cancelled() {
            return Err(OutputError::Cancelled { stderr: Vec::new() });
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let (wake, waker) = io::pipe()?;
        let cancel_waker = waker.try_clone()?;
        let _wait = limit.as_ref().map(|limit| wait_for_end(limit.time, grace));
        let mut child = start(command)?;
        let _running = GroupRegistration::note(child.id());
        let _listener = cancellation.on_cancel(move || {
            let _ = (&cancel_waker).write(b"c");
        });
        let leader = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        thread::spawn(move || {
            wait_until_ended(leader);
            let _ = (&waker).write(b"e");
        });
        let mut talk = Exchange {
            input,
            wake,
            stage: StopStage::Running,
            deadline: limit.and_then(|limit| started.checked_add(limit.time)),
            grace,
            max_stdout,
            stdout: CapturedOutput::new(max_line),
            stderr: Vec::new(),
        };
        let ended = talk.until_the_end(&mut child);
        // Its number is not reused before it is waited for.
        if leaves_nothing || ended.is_err() || !matches!(talk.stage, StopStage::Running) {
            signal_group(child.id(), Signal::KILL);
        }
        let Exchange { stage, stdout, mut stderr, .. } = talk;
        let mut stdout = stdout.into_bytes();
        stderr.drain(..stderr.len().saturating_sub(MAX_OUTPUT));
        if let Err(error) = ended {
            reap(child);
            return Err(error.into());
        }
        let reason = match stage {
            // It has ended.
            StopStage::Running => return Ok(Output { status: child.wait()?, stdout, stderr }),
            StopStage::Asked(reason, _) | StopStage::Killed(reason, _) => reason,
        };
        reap(child);
        Err(match reason {
            StopReason::TimedOut => {
                stdout.drain(..stdout.len().saturating_sub(MAX_OUTPUT));
                OutputError::TimedOut { stdout, stderr }
            }
            StopReason::Cancelled => OutputError::Cancelled { stderr },
            StopReason::TooMuch => OutputError::TooMuch { limit: max_stdout, stderr },
        })
    }
}

/// Returns when the program has ended, and leaves its end to be noted by others.
fn wait_until_ended(leader: Option<Pid>) {
    let Some(leader) = leader else { return };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while matches!(waitid(WaitId::Pid(leader), options), Err(Errno::INTR)) {}
}

/// What is said between this process and a program.
struct Exchange<'i> {
    /// What is still to be written.
    input: &'i [u8],
    /// Brings a byte when it has ended, and another one when it is cancelled.
    wake: PipeReader,
    stage: StopStage,
    deadline: Option<Instant>,
    grace: Duration,
    max_stdout: usize,
    stdout: CapturedOutput,
    stderr: Vec<u8>,
}

impl Exchange<'_> {
    /// Returns when the program has ended and all that it had written until then is read, or when it was killed and does not
    /// end.
    fn until_the_end(&mut self, child: &mut Child) -> io::Result<()> {
        let (mut stdin, mut stdout, mut stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        for stream in [
            stdin.as_ref().map(AsFd::as_fd),
            stdout.as_ref().map(AsFd::as_fd),
            stderr.as_ref().map(AsFd::as_fd),
            Some(self.wake.as_fd()),
        ] {
            stream.map_or(Ok(()), |stream| ioctl_fionbio(stream, true))?;
        }
        let mut buffer = vec![0; CHUNK];
        loop {
            if self.input.is_empty() {
                // Closed: it need not wait for more.
                stdin = None;
            }
            let timer = self.timer(child.id());
            if matches!(self.stage, StopStage::Killed(_, until) if until <= Instant::now()) {
                return Ok(());
            }
            let wait = timer.map(|at| timespec(at.saturating_duration_since(Instant::now())));
            // In this order; what is closed is left out.
            let streams = [
                stdin.as_ref().map(|stream| PollFd::new(stream, PollFlags::OUT)),
                stdout.as_ref().map(|stream| PollFd::new(stream, PollFlags::IN)),
                stderr.as_ref().map(|stream| PollFd::new(stream, PollFlags::IN)),
                Some(PollFd::new(&self.wake, PollFlags::IN)),
            ];
            let is_open = streams.each_ref().map(Option::is_some);
            let mut open: Vec<PollFd<'_>> = streams.into_iter().flatten().collect();
            match poll(&mut open, wait.as_ref()) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let mut happened = open.iter().map(|stream| !stream.revents().is_empty());
            let [to_write, to_read, to_hear, woken] =
                is_open.map(|is_open| is_open && happened.next().unwrap_or(false));
            if to_write && !self.write(&mut stdin) {
                stdin = None;
            }
            if to_read {
                let is_open = take(&mut stdout, &mut buffer, |bytes| self.keep_answer(bytes))?;
                stdout = stdout.filter(|_| is_open);
            }
            if to_hear {
                let is_open = take(&mut stderr, &mut buffer, |bytes| keep_end(&mut self.stderr, bytes))?;
                stderr = stderr.filter(|_| is_open);
            }
            if self.stdout.len() > self.max_stdout {
                self.end(child.id(), StopReason::TooMuch);
            }
            if woken {
                let mut bytes = [0; 2];
                let count = match self.wake.read(&mut bytes) {
                    Err(error) if is_later(&error) => 0,
                    count => count?,
                };
                let bytes = bytes.get(..count).unwrap_or_default();
                if bytes.contains(&b'c') {
                    self.end(child.id(), StopReason::Cancelled);
                }
                if bytes.contains(&b'e') {
                    // Others may still write, and for ever: what is there now is all that the program itself has said.
                    take_rest(&mut stdout, &mut buffer, |bytes| self.keep_answer(bytes))?;
                    take_rest(&mut stderr, &mut buffer, |bytes| keep_end(&mut self.stderr, bytes))?;
                    if self.stdout.len() > self.max_stdout {
                        self.end(child.id(), StopReason::TooMuch);
                    }
                    return Ok(());
                }
            }
        }
    }

    /// Does what is due, and says when to look again.
    fn timer(&mut self, leader: u32) -> Option<Instant> {
        let now = Instant::now();
        match self.stage {
            StopStage::Running if self.deadline.is_some_and(|deadline| deadline <= now) => {
                self.end(leader, StopReason::TimedOut);
                self.timer(leader)
            }
            StopStage::Running => self.deadline,
            StopStage::Asked(reason, until) if until <= now => {
                signal_group(leader, Signal::KILL);
                self.stage = StopStage::Killed(reason, now + KILL_LIMIT);
                self.timer(leader)
            }
            StopStage::Asked(_, until) | StopStage::Killed(_, until) => Some(until),
        }
    }

    /// Asks it to end, unless it was asked before.
    fn end(&mut self, leader: u32, reason: StopReason) {
        if matches!(self.stage, StopStage::Running) {
            signal_group(leader, Signal::TERM);
            let now = Instant::now();
            // A user, or a machine that shuts down, does not wait for long.
            let grace = if matches!(reason, StopReason::Cancelled) {
                self.grace.min(CANCEL_GRACE)
            } else {
                self.grace
            };
            self.stage = StopStage::Asked(reason, now.checked_add(grace).unwrap_or(now));
        }
    }

    /// Writes what goes in; false when it will not read any more.
    fn write(&mut self, stdin: &mut Option<ChildStdin>) -> bool {
        let Some(stdin) = stdin else { return false };
        let chunk = self.input.get(..CHUNK).unwrap_or(self.input);
        match stdin.write(chunk) {
            Ok(written) => {
                self.input = self.input.get(written..).unwrap_or_default();
                true
            }
            // It need not read what it was given.
            Err(error) => is_later(&error),
        }
    }

    /// One that ends is listened to, but what it still says is no answer.
    fn keep_answer(&mut self, bytes: &[u8]) {
        if matches!(self.stage, StopStage::Running) {
            self.stdout.push(bytes);
        }
    }
}

fn is_later(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// Reads once; false at the end of the stream.
fn take(stream: &mut Option<impl Read>, buffer: &mut [u8], keep: impl FnOnce(&[u8])) -> io::Result<bool> {
    let Some(stream) = stream else { return Ok(false) };
    match stream.read(buffer) {
        Ok(0) => Ok(false),
        Ok(length) => {
            keep(buffer.get(..length).unwrap_or_default());
            Ok(true)
        }
        Err(error) if is_later(&error) => Ok(true),
        Err(error) => Err(error),
    }
}

/// Reads what is there now.
fn take_rest<S: Read + AsFd>(
    stream: &mut Option<S>,
    buffer: &mut [u8],
    mut keep: impl FnMut(&[u8]),
) -> io::Result<()> {
    let Some(stream) = stream else { return Ok(()) };
    let mut left = ioctl_fionread(&*stream)?;
    while left > 0 {
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        match stream.read(buffer.get_mut(..most).unwrap_or_default()) {
            Ok(0) => break,
            Ok(length) => {
                keep(buffer.get(..length).unwrap_or_default());
                left = left.saturating_sub(length as u64);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Rounded up, so that the next look is not a moment too early.
fn timespec(time: Duration) -> Timespec {
    let time = time.saturating_add(Duration::from_micros(1));
    Timespec { tv_sec: time.as_secs().try_into().unwrap_or(i64::MAX), tv_nsec: time.subsec_nanos().into() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

    use super::OutputError;
    use crate::{Cancellation, MAX_OUTPUT, Program};
    use std::fs;
    use std::os::unix::process::ExitStatusExt;
    use std::path::Path;
    use std::process::Command;
    use std::thread;
    use std::time::Duration;

    const LONG: Duration = Duration::from_secs(600);
    const SHORT: Duration = Duration::from_millis(50);

    fn shell(script: &str) -> Program {
        let mut command = Command::new("sh");
        command.arg("-c").arg(script);
        Program::new(command)
    }

    /// The code, the answer and what was said beside it.
    fn run_program(program: Program, input: &[u8]) -> (Option<i32>, String, String) {
        let output = program.output(input).unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }

    fn result_of(code: i32, stdout: &str, stderr: &str) -> (Option<i32>, String, String) {
        (Some(code), stdout.to_owned(), stderr.to_owned())
    }

    /// Waits until the processes whose numbers are in `file` are gone, or only wait to be reaped.
    fn wait_until_gone(file: &Path) {
        for pid in fs::read_to_string(file).unwrap().split_whitespace() {
            let is_gone = || {
                let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
                status.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('Z'))
            };
            while !is_gone() {
                thread::yield_now();
            }
        }
    }

    #[test]
    fn it_reads_its_input_and_its_streams_are_told_apart() {
        let program = shell("read line; echo \"got $line\"; echo aside >&2; cat; exit 3");
        assert_eq!(run_program(program, b"a\nb"), result_of(3, "got a\nb", "aside\n"));
        assert_eq!(run_program(shell("cat"), b""), result_of(0, "", ""));
    }

    #[test]
    fn more_than_a_pipe_holds_goes_in_and_out_at_once() {
        let input: Vec<u8> = (0..4_000_000_u32).map(|number| (number % 251) as u8).collect();
        let output = shell("tee /dev/stderr").output(&input).unwrap();
        assert!(output.stdout == input);
        assert_eq!(output.stderr, input[input.len() - MAX_OUTPUT..]);
    }

    #[test]
    fn it_need_not_read_its_input() {
        let input = vec![b'x'; 1 << 20];
        assert_eq!(run_program(shell("exec <&-; echo done"), &input), result_of(0, "done\n", ""));
        assert_eq!(run_program(shell("exit 4"), &input), result_of(4, "", ""));
        assert_eq!(run_program(shell("head -c 5"), &input), result_of(0, "xxxxx", ""));
    }

    #[test]
    fn it_may_close_its_streams_and_go_on() {
        assert_eq!(run_program(shell("exec >&- 2>&-; cat >/dev/null; exit 5"), b"x"), result_of(5, "", ""));
    }

    #[test]
    fn one_that_answers_too_much_is_ended_and_nothing_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let program = shell(&format!("echo $$ >{}; echo why >&2; exec yes", file.display()));
        let error = program.with_max_stdout(1 << 20).output(b"").unwrap_err();
        let OutputError::TooMuch { limit, stderr } = error else { panic!("{error:?}") };
        assert_eq!((limit, &*stderr), (1 << 20, &b"why\n"[..]));
        wait_until_gone(&file);
        // The limit also holds for a program that ends before its output is read, and output of exactly the limit fits.
        let exact = |limit| shell("head -c 4096 /dev/zero").with_max_stdout(limit).output(b"");
        assert!(matches!(exact(4095), Err(OutputError::TooMuch { limit: 4095, .. })));
        assert_eq!(exact(4096).unwrap().stdout.len(), 4096);
    }

    #[test]
    fn after_its_time_it_is_ended() {
        let late = shell("echo partial; exec sleep 600").limited_to(SHORT, &Cancellation::default());
        assert!(matches!(late.output(b""), Err(OutputError::TimedOut { .. })));
    }

    #[test]
    fn what_it_said_on_both_streams_before_its_time_was_up_is_kept() {
        let late = shell("echo 'waiting for network'; echo aside >&2; exec sleep 600");
        let late = late.limited_to(Duration::from_secs(3), &Cancellation::default());
        let error = late.output(b"").unwrap_err();
        let OutputError::TimedOut { stdout, stderr } = error else { panic!("{error:?}") };
        assert_eq!((&*stdout, &*stderr), (&b"waiting for network\n"[..], &b"aside\n"[..]));
    }

    #[test]
    fn a_line_that_is_too_long_is_left_out_and_what_follows_is_kept() {
        let script = "echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; printf 'last'";
        let output = shell(script).with_max_stdout(4096).with_max_line(1024).output(b"").unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text, "first\n[a line of 3000000 bytes was left out]\nlast");
        // Without its end as well.
        let output = shell("head -c 3000000 /dev/zero").with_max_stdout(4096).with_max_line(1024).output(b"");
        assert_eq!(output.unwrap().stdout, b"[a line of 3000000 bytes was left out]\n");
    }

    #[test]
    fn one_that_does_not_hear_is_killed_with_all_that_it_has_started() {
        let folder = tempfile::tempdir().unwrap();
        let (new, file) = (folder.path().join("new"), folder.path().join("pids"));
        let script = format!(
            "trap '' TERM; sleep 600 & echo $$ $! >{0}; mv {0} {1}; while :; do wait; done",
            new.display(),
            file.display()
        );
        let cancellation = Cancellation::default();
        // After a cancellation the program gets less time than otherwise.
        let program = shell(&script).limited_to(LONG, &cancellation).with_grace(Duration::from_secs(3600));
        thread::scope(|scope| {
            let running = scope.spawn(|| program.output(b"").unwrap_err());
            while !file.exists() {
                thread::yield_now();
            }
            cancellation.cancel();
            assert!(matches!(running.join().unwrap(), OutputError::Cancelled { .. }));
        });
        wait_until_gone(&file);
    }

    #[test]
    fn what_a_program_that_hears_leaves_behind_is_killed() {
        let folder = tempfile::tempdir().unwrap();
        let (new, file) = (folder.path().join("new"), folder.path().join("pid"));
        let script = format!(
            "(trap '' TERM; : >{0}.deaf; exec sleep 600) & trap 'echo asked >&2; exit' TERM; \
             until [ -e {0}.deaf ]; do :; done; echo $! >{0}; mv {0} {1}; wait",
            new.display(),
            file.display()
        );
        let cancellation = Cancellation::default();
        // Were it waited for, the test would never end.
        let program = shell(&script).limited_to(LONG, &cancellation).with_grace(LONG);
        thread::scope(|scope| {
            let running = scope.spawn(|| program.output(b"").unwrap_err());
            while !file.exists() {
                thread::yield_now();
            }
            cancellation.cancel();
            let error = running.join().unwrap();
            // Before that, the shell may say that `mv` was asked as well.
            assert!(
                matches!(&error, OutputError::Cancelled { stderr } if stderr.ends_with(b"asked\n")),
                "{error:?}"
            );
        });
        wait_until_gone(&file);
    }

    #[test]
    fn one_that_is_cancelled_before_is_not_started() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("started");
        let cancellation = Cancellation::default();
        cancellation.cancel();
        let program = shell(&format!("touch {}", file.display())).limited_to(LONG, &cancellation);
        assert!(matches!(program.output(b""), Err(OutputError::Cancelled { .. })));
        assert!(!file.exists());
    }

    #[test]
    fn what_it_leaves_running_is_not_waited_for_and_what_it_said_itself_is_complete() {
        let output = shell("sleep 600 & echo $!; head -c 60000 /dev/zero >&2").output(b"").unwrap();
        assert_eq!(output.stderr.len(), 60000);
        let left = String::from_utf8(output.stdout).unwrap();
        assert!(Command::new("kill").arg(left.trim()).status().unwrap().success());
        // A program that never stops writing ends once its output has no reader.
        let (code, stdout, _) = run_program(shell("echo first; yes & exit 6"), b"");
        assert_eq!(code, Some(6));
        assert!(stdout.starts_with("first\n"));
    }

    #[test]
    fn one_that_is_to_leave_nothing_takes_along_what_it_has_started() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let script = format!("(trap '' TERM HUP; exec sleep 600) & echo $! >{}", file.display());
        assert!(shell(&script).leaving_nothing().output(b"").unwrap().status.success());
        wait_until_gone(&file);
    }

    #[test]
    fn its_signal_and_a_missing_one_are_told() {
        assert_eq!(shell("kill -9 $$").output(b"x").unwrap().status.signal(), Some(9));
        let missing = Program::new(Command::new("/nowhere/program")).output(b"x").unwrap_err();
        assert!(
            matches!(&missing, OutputError::NotStarted(error) if error.kind() == std::io::ErrorKind::NotFound)
        );
    }
}
