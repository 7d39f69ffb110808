//! One run of a program.

use crate::Cancellation;
use crate::running::GroupRegistration;
use crate::termination::{KILL_LIMIT, POLL_INTERVAL, reap, signal_group};
use crate::tree::TreeTermination;
use rustix::process::Signal;
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};
use watchdog::Wait;

/// How much of what a program says is kept, in bytes: the end of it.
pub const MAX_OUTPUT: usize = 64 << 10;

/// How much a program may write to its standard output by default, in bytes.
pub const MAX_STDOUT: usize = 16 << 20;

/// How long a program may take by default to end once it was asked to.
pub const GRACE: Duration = Duration::from_secs(10);

/// How long it may take to start a program: its file, and the folder that it is to work in, may be on a disk that does not
/// answer.
const START_LIMIT: Duration = Duration::from_secs(30);

/// How long nothing must be said after a program has ended, unless its streams are closed.
const SILENCE: Duration = Duration::from_millis(100);

/// A program that is to be run to its end.
#[derive(Debug)]
pub struct Program {
    pub(crate) command: Command,
    pub(crate) limit: Option<Limit>,
    pub(crate) grace: Duration,
    pub(crate) max_stdout: usize,
    pub(crate) max_line: Option<usize>,
    pub(crate) leaves_nothing: bool,
    /// Ends it, with all that it has started, in the process group of the caller.
    pub(crate) ended_by: Option<Cancellation>,
}

/// When a program is ended that does not end.
#[derive(Debug)]
pub(crate) struct Limit {
    pub(crate) time: Duration,
    pub(crate) cancellation: Cancellation,
}

/// How a program ended.
#[derive(Debug)]
pub struct ProgramEnd {
    /// Its exit code, or the signal that has ended it.
    pub status: ExitStatus,
    /// What it said last on both streams, in the order in which it was said, and at most [`MAX_OUTPUT`] bytes of it.
    pub output: Vec<u8>,
    /// The programs that were being waited for when it was cancelled by [`Program::ended_by`]; empty when it was not.
    pub awaited: Vec<String>,
}

/// Why there is nothing to be said of how a program ended.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It could not be started, or not be waited for.
    #[error("cannot run: {0}")]
    NotStarted(#[from] io::Error),
    /// It took too long, and was ended.
    #[error("took too long")]
    TimedOut,
}

impl From<RunError> for io::Error {
    fn from(error: RunError) -> Self {
        match error {
            RunError::NotStarted(error) => error,
            RunError::TimedOut => io::ErrorKind::TimedOut.into(),
        }
    }
}

impl Program {
    /// The program that `command` starts, with what it says of arguments, folder, variables and standard input. Its output
    /// is collected. It belongs to the caller's process group, hears a Ctrl-C in the terminal, and has all the time it
    /// needs.
    pub fn new(command: Command) -> Self {
        Self {
            command,
            limit: None,
            grace: GRACE,
            max_stdout: MAX_STDOUT,
            max_line: None,
            leaves_nothing: false,
            ended_by: None,
        }
    }

    /// Lets it know these variables of this process alone, beside those that its command sets itself.
    #[must_use]
    pub fn with_environment(mut self, names: &[&str]) -> Self {
        let set: Vec<(OsString, OsString)> =
            self.command.get_envs().filter_map(|(name, value)| Some((name.into(), value?.into()))).collect();
        self.command.env_clear();
        let known = names.iter().filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?)));
        self.command.envs(known.chain(set));
        self
    }

    /// Ends it after `time`, or when `cancellation` says so, with all that it has started: it has a process group of its
    /// own, and so hears no Ctrl-C.
    #[must_use]
    pub fn limited_to(mut self, time: Duration, cancellation: &Cancellation) -> Self {
        self.command.process_group(0);
        self.limit = Some(Limit { time, cancellation: cancellation.clone() });
        self
    }

    /// Ends it when `cancellation` says so, with all that it has started, while it stays in the caller's process group: a
    /// program in another one could not ask at the terminal. It is asked first, and killed a second later.
    #[must_use]
    pub fn ended_by(mut self, cancellation: &Cancellation) -> Self {
        self.ended_by = Some(cancellation.clone());
        self
    }

    /// Gives it this long to end by itself when [`output`](Self::output) has asked it to, instead of [`GRACE`].
    #[must_use]
    pub fn with_grace(self, grace: Duration) -> Self {
        Self { grace, ..self }
    }

    /// Lets it answer so many bytes in [`output`](Self::output), instead of [`MAX_STDOUT`].
    #[must_use]
    pub fn with_max_stdout(self, max_stdout: usize) -> Self {
        Self { max_stdout, ..self }
    }

    /// Leaves out each line of its answer in [`output`](Self::output) that is longer than so many bytes, and says so in its
    /// place. It does not count towards [`MAX_STDOUT`].
    #[must_use]
    pub fn with_max_line(self, max_line: usize) -> Self {
        Self { max_line: Some(max_line), ..self }
    }

    /// Ends what it leaves running in its process group as well, when [`output`](Self::output) has seen its end.
    #[must_use]
    pub fn leaving_nothing(self) -> Self {
        Self { leaves_nothing: true, ..self }
    }

    /// Runs it to its end, but waits for nothing that it leaves running and that could still say something. One that was
    /// cancelled ends by the signal that has ended it.
    ///
    /// # Errors
    ///
    /// When it cannot be started, and when its time was up.
    pub fn run(self) -> Result<ProgramEnd, RunError> {
        // The arguments are not logged: they may hold secrets.
        let name = self.command.get_program().to_owned();
        let started = Instant::now();
        let result = self.run_to_end();
        let took = started.elapsed();
        match &result {
            Ok(ended) => tracing::debug!(program = ?name, status = %ended.status, ?took, "program ended"),
            Err(error) => tracing::warn!(program = ?name, %error, ?took, "program did not exit by itself"),
        }
        result
    }

    fn run_to_end(self) -> Result<ProgramEnd, RunError> {
        let Self { mut command, limit, ended_by, .. } = self;
        let mut asked: Option<TreeTermination> = None;
        // One pipe for both streams keeps the order in which things are said.
        let (stream, writer) = io::pipe()?;
        command.stdout(writer.try_clone()?).stderr(writer);
        let started = Instant::now();
        let _wait = limit.as_ref().map(|limit| wait_for_end(limit.time, Duration::ZERO));
        // With it goes this process's end of the pipe, which would never end else.
        let mut child = start(command)?;
        // Without a limit it belongs to this process's own group.
        let _running = limit.is_some().then(|| GroupRegistration::note(child.id()));
        let (sender, words) = mpsc::channel();
        thread::spawn(move || read(stream, |bytes| sender.send(bytes).is_ok()));
        let mut output = Vec::new();
        let status = loop {
            match words.recv_timeout(POLL_INTERVAL) {
                Ok(bytes) => keep_end(&mut output, &bytes),
                Err(RecvTimeoutError::Timeout) => {}
                // It has closed both streams, and may still run.
                Err(RecvTimeoutError::Disconnected) => thread::sleep(POLL_INTERVAL),
            }
            if let Some(status) = child.try_wait()? {
                break status;
            }
            match &mut asked {
                None if ended_by.as_ref().is_some_and(Cancellation::is_cancelled) => {
                    let ending = TreeTermination::begin(child.id());
                    asked = Some(ending);
                }
                Some(ending) => ending.go_on(child.id()),
                None => {}
            }
            if let Some(limit) = &limit {
                let is_late = started.elapsed() >= limit.time;
                if is_late || limit.cancellation.is_cancelled() {
                    signal_group(child.id(), Signal::KILL);
                }
                if is_late {
                    reap(child);
                    return Err(RunError::TimedOut);
                }
            }
        };
        // What it has left running keeps the pipe open; that is not waited for.
        while let Ok(bytes) = words.recv_timeout(SILENCE) {
            keep_end(&mut output, &bytes);
        }
        output.drain(..output.len().saturating_sub(MAX_OUTPUT));
        let awaited = asked.map(TreeTermination::finish).unwrap_or_default();
        Ok(ProgramEnd { status, output, awaited })
    }
}

/// Puts on record that this thread waits for a program that is ended after `time`, and gets `grace` for that.
pub(crate) fn wait_for_end(time: Duration, grace: Duration) -> Wait {
    let limit = START_LIMIT.saturating_add(time).saturating_add(grace).saturating_add(KILL_LIMIT);
    Wait::bounded("the end of a program", limit)
}

/// Starts a program, on a thread that is given up when that takes too long. One that starts later is killed.
///
/// # Errors
///
/// When it cannot be started, or has not been in time.
pub(crate) fn start(command: Command) -> io::Result<Child> {
    start_within(START_LIMIT, move || {
        let mut command = command;
        let child = command.spawn()?;
        tracing::debug!(program = ?command.get_program(), pid = child.id(), "program started");
        Ok(child)
    })
}

fn start_within(
    limit: Duration,
    spawn: impl FnOnce() -> io::Result<Child> + Send + 'static,
) -> io::Result<Child> {
    // Nothing is between both ends: what is not taken in time comes back to the thread.
    let (sender, started) = mpsc::sync_channel(0);
    let run = move || {
        if let Err(mpsc::SendError(Ok(mut late))) = sender.send(spawn()) {
            let _ = late.kill();
            let _ = late.wait();
        }
    };
    thread::Builder::new().name("program".to_owned()).spawn(run)?;
    started.recv_timeout(limit).unwrap_or_else(|_| {
        Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the disk of the program or of its folder does not answer",
        ))
    })
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

/// Keeps what is said, and forgets the beginning of it from time to time.
pub(crate) fn keep_end(output: &mut Vec<u8>, bytes: &[u8]) {
    output.extend_from_slice(bytes);
    if output.len() > 2 * MAX_OUTPUT {
        output.drain(..output.len() - MAX_OUTPUT);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

    use super::{MAX_OUTPUT, Program, RunError, start_within};
    use crate::Cancellation;
    use std::fs;
    use std::os::unix::process::ExitStatusExt;
    use std::path::Path;
    use std::process::{Command, Stdio};
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    const LONG: Duration = Duration::from_secs(60);

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.arg("-c").arg(script).stdin(Stdio::null());
        command
    }

    /// The process whose number is in `file` is gone, or only waits to be reaped.
    fn is_gone(file: &Path) -> bool {
        let pid = fs::read_to_string(file).unwrap();
        let status = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        status.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('Z'))
    }

    #[test]
    fn what_it_says_is_heard_in_order_and_its_code_is_told() {
        let ended = Program::new(shell("echo a; echo b >&2; echo c; exit 3")).run().unwrap();
        assert_eq!((ended.status.code(), &*ended.output), (Some(3), &b"a\nb\nc\n"[..]));
    }

    #[test]
    fn only_the_end_of_what_it_says_is_kept() {
        let ended = Program::new(shell("yes x | head -c 1000000; echo end")).run().unwrap();
        assert_eq!(ended.output.len(), MAX_OUTPUT);
        assert!(ended.output.ends_with(b"x\nend\n"));
    }

    #[test]
    fn one_that_cannot_be_started_is_told() {
        let error = Program::new(Command::new("/nowhere/program")).run().unwrap_err();
        assert!(
            matches!(&error, RunError::NotStarted(error) if error.kind() == std::io::ErrorKind::NotFound)
        );
    }

    #[test]
    fn one_that_does_not_start_in_time_is_not_waited_for_and_killed_when_it_does() {
        let (go, gone) = mpsc::channel::<()>();
        let (pid, started) = mpsc::channel();
        let spawn = move || {
            let _ = gone.recv();
            let child = shell("sleep 600").spawn()?;
            pid.send(child.id()).unwrap();
            Ok(child)
        };
        let error = start_within(Duration::from_millis(50), spawn).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
        drop(go);
        let folder = format!("/proc/{}", started.recv().unwrap());
        // It is waited for as well.
        while Path::new(&folder).exists() {
            thread::yield_now();
        }
    }

    #[test]
    fn after_its_time_it_is_ended() {
        let late = Program::new(shell("sleep 600"));
        let late = late.limited_to(Duration::from_millis(50), &Cancellation::default());
        assert!(matches!(late.run(), Err(RunError::TimedOut)));
    }

    #[test]
    fn a_cancellation_ends_its_own_run_with_all_that_was_started_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let (new, pid) = (folder.path().join("new"), folder.path().join("pid"));
        let cancellation = Cancellation::default();
        let script = format!("sleep 600 & echo $! > {0}; mv {0} {1}; wait", new.display(), pid.display());
        let running = Program::new(shell(&script)).limited_to(LONG, &cancellation);
        thread::scope(|scope| {
            let running = scope.spawn(|| running.run().unwrap());
            while !pid.exists() {
                thread::yield_now();
            }
            cancellation.cancel();
            assert_eq!(running.join().unwrap().status.signal(), Some(9));
        });
        while !is_gone(&pid) {
            thread::yield_now();
        }
        let other = Program::new(shell("exit 0")).limited_to(LONG, &Cancellation::default());
        assert!(other.run().unwrap().status.success());
    }

    /// As git does that waits for a signature: both are in the group of the caller.
    #[test]
    fn one_in_the_group_of_its_caller_is_ended_with_all_that_it_has_started() {
        for deaf in ["", "trap '' TERM; "] {
            let folder = tempfile::tempdir().unwrap();
            let (new, pid) = (folder.path().join("new"), folder.path().join("pid"));
            let cancellation = Cancellation::default();
            let script = format!(
                "{deaf}sh -c '{deaf}echo $$ > {0}; mv {0} {1}; sleep 600; :'; exit $?",
                new.display(),
                pid.display()
            );
            let running = Program::new(shell(&script)).ended_by(&cancellation);
            thread::scope(|scope| {
                let running = scope.spawn(|| running.run().unwrap());
                while !pid.exists() {
                    thread::yield_now();
                }
                cancellation.cancel();
                let ended = running.join().unwrap();
                assert!(!ended.status.success());
                assert!(!ended.awaited.is_empty(), "{ended:?}");
            });
            while !is_gone(&pid) {
                thread::yield_now();
            }
        }
    }

    #[test]
    fn what_it_leaves_running_is_not_waited_for() {
        let ended = Program::new(shell("sleep 600 & echo $!")).run().unwrap();
        let left = String::from_utf8(ended.output).unwrap();
        Command::new("kill").arg(left.trim()).status().unwrap();
    }

    #[test]
    fn it_knows_the_listed_variables_and_its_own() {
        let mut command = shell("env");
        command.env("OWN", "1");
        let ended = Program::new(command).with_environment(&["PATH", "NOT_THERE"]).run().unwrap();
        let output = String::from_utf8(ended.output).unwrap();
        let mut names: Vec<_> = output.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
        // The shell's own.
        names.retain(|name| !["PWD", "SHLVL", "_", "OLDPWD"].contains(name));
        names.sort_unstable();
        assert_eq!(names, ["OWN", "PATH"]);
    }
}
