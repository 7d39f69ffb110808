//! `aide decide submit` while it waits.

use super::CommandOutput;
use super::http::{Response, post_json};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// Far longer than anything takes; a test fails rather than hangs.
const LIMIT: Duration = Duration::from_secs(60);

/// A server whose link was printed.
#[derive(Debug)]
pub(crate) struct RunningServer {
    child: Option<Child>,
    stdout: Option<BufReader<ChildStdout>>,
    stderr: Receiver<String>,
    /// The three lines, or as many as were read.
    pub(crate) printed: String,
    /// The link.
    pub(crate) url: String,
    /// The port in it; 0 when it has none.
    pub(crate) port: u16,
}

impl RunningServer {
    /// Starts the program and reads its three lines.
    pub(crate) fn start(command: Command) -> Self {
        Self::printing(command, 3)
    }

    /// Starts the program and reads so many lines, the second of which has the link.
    pub(crate) fn printing(command: Command, lines: usize) -> Self {
        Self::attempt(command, lines).unwrap_or_else(|ended| panic!("ended early: {ended:?}"))
    }

    /// The same; what the program left if it ended before it had printed the lines.
    pub(crate) fn attempt(mut command: Command, lines: usize) -> Result<Self, CommandOutput> {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut pipe = child.stderr.take().unwrap();
        let (sender, stderr) = channel();
        thread::spawn(move || {
            let mut text = String::new();
            let _ = pipe.read_to_string(&mut text);
            sender.send(text)
        });
        let mut printed = String::new();
        for _ in 0..lines {
            if stdout.read_line(&mut printed).unwrap() == 0 {
                let stderr = stderr.recv_timeout(LIMIT).unwrap();
                return Err(CommandOutput { code: child.wait().unwrap().code(), stdout: printed, stderr });
            }
        }
        let url = printed.lines().nth(1).unwrap().split_once(": ").unwrap().1.to_owned();
        let port = url.rsplit_once(':').and_then(|(_, port)| port.split('/').next()?.parse().ok());
        let port = port.unwrap_or_default();
        Ok(Self { child: Some(child), stdout: Some(stdout), stderr, printed, url, port })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(self.child.as_ref().unwrap()), signal).unwrap();
    }

    /// Closes the reading end of standard output.
    pub(crate) fn close_stdout(&mut self) {
        self.stdout = None;
    }

    pub(crate) fn answer(&self, answers: &Value) -> Response {
        post_json(self.port, "/api/submit", &answers.to_string())
    }

    /// The next line on standard output.
    pub(crate) fn line(&mut self) -> String {
        let mut stdout = self.stdout.take().unwrap();
        let (sender, read) = channel();
        thread::spawn(move || {
            let mut line = String::new();
            let _ = stdout.read_line(&mut line);
            sender.send((line, stdout))
        });
        let (line, stdout) = read.recv_timeout(LIMIT).expect("no further line");
        self.stdout = Some(stdout);
        line
    }

    /// Waits for the end, and collects what was printed after the three lines.
    pub(crate) fn finish(mut self) -> CommandOutput {
        let (sender, ended) = channel();
        let mut child = self.child.take().unwrap();
        let pid = Pid::from_child(&child);
        thread::spawn(move || sender.send(child.wait()));
        let Ok(status) = ended.recv_timeout(LIMIT) else {
            let _ = kill_process(pid, Signal::KILL);
            panic!("did not end");
        };
        let mut stdout = String::new();
        if let Some(mut pipe) = self.stdout.take() {
            pipe.read_to_string(&mut stdout).unwrap();
        }
        let stderr = self.stderr.recv_timeout(LIMIT).unwrap();
        CommandOutput { code: status.unwrap().code(), stdout, stderr }
    }

    /// Ends it at once, as nothing can be done about.
    pub(crate) fn kill(mut self) {
        let mut child = self.child.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
