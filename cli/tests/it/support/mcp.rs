//! A client of `aide mcp` that writes and reads lines.

use super::http::post_json;
use super::{Folder, until};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

/// A running `aide mcp`, and its client.
pub(crate) struct Agent {
    pub(crate) child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next_id: u64,
    /// What every request says of itself; nothing in the earlier revisions.
    meta: Value,
}

/// `_meta` of a request of the newest revision.
pub(crate) fn modern(capabilities: Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1.0" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

impl Agent {
    /// Begins with a handshake, as all but the newest revision have it.
    pub(crate) fn legacy(folder: &Folder, arguments: &[&str], capabilities: Value) -> Self {
        let mut agent = Self::start(folder.command(with_mcp(arguments)), Value::Null);
        let begun = agent.request(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18", "capabilities": capabilities,
                "clientInfo": { "name": "test", "version": "1.0" },
            }),
        );
        assert_eq!(begun["result"]["protocolVersion"], "2025-06-18", "{begun}");
        agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        agent
    }

    /// Begins without one.
    pub(crate) fn modern(folder: &Folder, arguments: &[&str], capabilities: Value) -> Self {
        Self::start(folder.command(with_mcp(arguments)), modern(capabilities))
    }

    /// Begins with nothing.
    pub(crate) fn start(mut command: Command, meta: Value) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output, next_id: 1, meta }
    }

    /// Where its input is written, for another thread.
    pub(crate) fn take_input(&mut self) -> ChildStdin {
        self.input.take().unwrap()
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    pub(crate) fn send_line(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
    }

    /// The next message.
    #[track_caller]
    pub(crate) fn read(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "it has ended");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// The next message; `None` when it has ended.
    pub(crate) fn try_read(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.output.read_line(&mut line).ok()?;
        // It may have been killed in the middle of one.
        serde_json::from_str(&line).ok()
    }

    /// Sends a message, if it can.
    pub(crate) fn try_send(&mut self, message: &Value) -> Option<()> {
        let input = self.input.as_mut()?;
        input.write_all(format!("{message}\n").as_bytes()).ok()
    }

    /// Sends a request and returns its id.
    pub(crate) fn begin(&mut self, method: &str, mut params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        for (name, value) in self.meta.as_object().into_iter().flatten() {
            params["_meta"][name] = value.clone();
        }
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Sends a request and returns what it is answered.
    #[track_caller]
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer(id)
    }

    /// The answer to the request `id`; whatever else comes is passed over.
    #[track_caller]
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.read();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    /// Sends a call that asks for progress.
    pub(crate) fn begin_call(&mut self, tool: &str, arguments: &Value) -> u64 {
        let params = json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": "p" } });
        self.begin("tools/call", params)
    }

    /// Sends a call, and returns it with the link that its first progress has.
    #[track_caller]
    pub(crate) fn begin_asking(&mut self, tool: &str, arguments: &Value) -> (u64, u16) {
        let id = self.begin_call(tool, arguments);
        let told = self.read();
        assert_eq!(told["method"], "notifications/progress", "{told}");
        assert_eq!(
            (&told["params"]["progressToken"], &told["params"]["progress"]),
            (&json!("p"), &json!(1.0))
        );
        (id, port(told["params"]["message"].as_str().unwrap()))
    }

    /// Calls a tool, and returns what it says.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let id = self.begin("tools/call", json!({ "name": tool, "arguments": arguments }));
        self.told(id)
    }

    /// What the call `id` says. The same stands in its text.
    #[track_caller]
    pub(crate) fn told(&mut self, id: u64) -> Value {
        let answer = self.answer(id);
        let result = &answer["result"];
        assert_ne!(result["isError"], json!(true), "{answer}");
        let told = result["structuredContent"].clone();
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, told);
        told
    }

    /// Calls a tool that fails, and returns why.
    #[track_caller]
    pub(crate) fn refused(&mut self, tool: &str, arguments: &Value) -> String {
        let answer = self.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Kills it.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Ends its input, and returns the exit code and what it said on standard error.
    pub(crate) fn end(&mut self) -> (Option<i32>, String) {
        drop(self.input.take());
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code(), said)
    }

    /// Waits until it knows that a client has got the answer of `session`.
    pub(crate) fn delivered(folder: &Folder, session: &str) {
        let receipt = format!("receipts/{session}.json");
        until("it is delivered", || folder.file(&receipt).get("delivered_at").is_some());
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn with_mcp<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [&["mcp"], arguments].concat()
}

/// Questions about `task`: one, with two options.
pub(crate) fn questions(task: &str) -> Value {
    json!({
        "task": task,
        "source": "notes.md",
        "items": [{
            "id": 1,
            "title": "Which one?",
            "options": [{ "value": "a", "label": "The first" }, { "value": "b", "label": "The second" }],
        }],
    })
}

/// The same as arguments of a call that is not held.
pub(crate) fn without_waiting(task: &str) -> Value {
    let mut questions = questions(task);
    questions["wait"] = false.into();
    questions
}

/// Answers a session on its page.
#[track_caller]
pub(crate) fn answer(port: u16, session: &str) {
    let path = format!("/d/{session}/api/submit");
    let body = json!({ "decisions": [{ "id": 1, "chosen": "b", "note": "because" }] }).to_string();
    assert_eq!(post_json(port, &path, &body).status, 200);
}

/// The session that a call tells of.
#[track_caller]
pub(crate) fn session(told: &Value) -> String {
    told["session_id"].as_str().unwrap_or_else(|| panic!("{told}")).to_owned()
}

/// The one set that is open.
#[track_caller]
pub(crate) fn only_open(folder: &Folder) -> String {
    let names = fs::read_dir(folder.decision("open")).unwrap();
    let mut names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .find_map(|name| name.strip_suffix(".json").filter(|name| !name.contains('.')).map(str::to_owned))
        .unwrap()
}

/// Lets so much time pass as a person needs to read what a client shows: what comes back sooner cannot have been read.
pub(crate) fn read_like_a_person() {
    thread::sleep(Duration::from_millis(1100));
}

/// The port in a text with a link.
#[track_caller]
pub(crate) fn port(text: &str) -> u16 {
    let after = text.split("http://localhost:").nth(1).unwrap_or_else(|| panic!("{text}"));
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}
