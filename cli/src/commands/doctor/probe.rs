//! A server of the Model Context Protocol on its standard streams, asked as an agent asks it. Whatever it does, the answer comes
//! within a deadline.

use process::{Dialog, LineError, Program};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// How long a line may be, in bytes.
const MAX_LINE: usize = 4 << 20;
/// How much is quoted of what a program prints, in characters.
const MAX_QUOTE: usize = 120;
/// How long a program that has closed its output may take to end, and to say why.
const END_LIMIT: Duration = Duration::from_millis(500);
/// The revisions: that with a handshake, and that without one.
pub(super) const LEGACY: &str = "2025-06-18";
const MODERN: &str = "2026-07-28";

/// A program that runs. It ends with this.
pub(super) struct Probe {
    program: Dialog,
    next: u64,
    client: &'static str,
}

/// What went wrong.
#[derive(Debug)]
pub(super) enum ProbeError {
    NotStarted(io::Error),
    /// No answer came in time.
    Silent,
    /// Something else than the protocol was printed.
    Garbage(String),
    /// It has ended; what it said.
    Ended(String),
    /// The call was refused.
    Refused(String),
}

/// What arrives while an answer is waited for.
pub(super) enum Event {
    /// Progress of a call.
    Progress,
    Answer(Value),
}

impl Probe {
    /// Starts a program with exactly this environment. `client` is the name by which the agent calls itself.
    pub(super) fn start(
        program: &str,
        arguments: &[String],
        environment: &[(OsString, OsString)],
        folder: &Path,
        client: &'static str,
    ) -> Result<Self, ProbeError> {
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs(environment.iter().cloned()).current_dir(folder);
        let program =
            Program::new(command).with_max_line(MAX_LINE).dialog().map_err(ProbeError::NotStarted)?;
        Ok(Self { program, next: 1, client })
    }

    /// The handshake of the older revisions.
    pub(super) fn initialize(&mut self, limit: Duration) -> Result<Value, ProbeError> {
        let params = json!({
            "protocolVersion": LEGACY,
            "capabilities": {},
            "clientInfo": { "name": self.client, "version": "0" },
        });
        let result = self.call("initialize", params, limit)?;
        self.notify("notifications/initialized")?;
        Ok(result)
    }

    /// What a request of the modern revision says of its client.
    pub(super) fn modern_meta(&self) -> Value {
        json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientInfo": { "name": self.client, "version": "0" },
            "io.modelcontextprotocol/clientCapabilities": {},
        })
    }

    /// Asks, and waits for the answer.
    pub(super) fn call(&mut self, method: &str, params: Value, limit: Duration) -> Result<Value, ProbeError> {
        let deadline = Instant::now() + limit;
        let id = self.send(method, params)?;
        loop {
            if let Event::Answer(result) = self.wait(id, deadline)? {
                return Ok(result);
            }
        }
    }

    /// Asks. Returns the number of the request.
    pub(super) fn send(&mut self, method: &str, params: Value) -> Result<u64, ProbeError> {
        let id = self.next;
        self.next += 1;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        Ok(id)
    }

    fn notify(&mut self, method: &str) -> Result<(), ProbeError> {
        self.write(&json!({ "jsonrpc": "2.0", "method": method }))
    }

    fn write(&mut self, message: &Value) -> Result<(), ProbeError> {
        // Small enough for the pipe: this waits for nothing.
        self.program.say(&message.to_string()).map_err(|_| self.ended())
    }

    /// Waits for the answer to the request `id`, or for progress.
    pub(super) fn wait(&mut self, id: u64, deadline: Instant) -> Result<Event, ProbeError> {
        loop {
            let line = match self.program.hear(deadline) {
                Ok(line) => line,
                Err(LineError::Broken) => return Err(ProbeError::Garbage("…".to_owned())),
                Err(LineError::Silent) => return Err(ProbeError::Silent),
                Err(LineError::Over) => return Err(self.ended()),
            };
            let message: Option<Value> = serde_json::from_str(&line).ok();
            let Some(message) = message.filter(|message| message.get("jsonrpc").is_some()) else {
                return Err(ProbeError::Garbage(quoted(&line)));
            };
            if message.get("method").is_some() {
                if let Some(asked) = message.get("id") {
                    // A server may ask its client; this one can do nothing.
                    let error = json!({ "code": -32601, "message": "not supported" });
                    self.write(&json!({ "jsonrpc": "2.0", "id": asked, "error": error }))?;
                    continue;
                }
                if message.get("method").is_some_and(|method| method == "notifications/progress") {
                    return Ok(Event::Progress);
                }
                continue;
            }
            if message.get("id").and_then(Value::as_u64) != Some(id) {
                continue;
            }
            if let Some(error) = message.get("error") {
                return Err(ProbeError::Refused(quoted(&error.to_string())));
            }
            return Ok(Event::Answer(message.get("result").cloned().unwrap_or_default()));
        }
    }

    /// Why it has ended.
    fn ended(&mut self) -> ProbeError {
        let (status, errors) = self.program.end(Instant::now() + END_LIMIT);
        let last = errors.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let status = status.map(|status| status.to_string()).unwrap_or_default();
        ProbeError::Ended(quoted(format!("{status} {last}").trim()))
    }
}

/// The beginning of what a program said, on one line.
fn quoted(text: &str) -> String {
    let line: String = text.trim().chars().filter(|c| !c.is_control()).collect();
    let mut characters = line.chars();
    let mut short: String = characters.by_ref().take(MAX_QUOTE).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
}
