//! A client of `/mcp` that posts messages, one connection for all of them.

use super::http::connect;
use super::mcp::modern;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// A client, and its connection.
pub(crate) struct Poster {
    port: u16,
    stream: BufReader<TcpStream>,
    /// Of a client of an earlier revision.
    session: Option<String>,
    /// Which that is.
    revision: String,
    /// Further header lines of every request.
    pub(crate) further: String,
    meta: Value,
    next_id: u64,
    /// What has been read of the answer that is under way.
    body: Body,
}

/// How an answer's body comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Body {
    Over,
    Whole(usize),
    Chunks,
}

/// The head of an answer.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
}

impl Head {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| &**value)
    }
}

impl Poster {
    /// One of the newest revision.
    pub(crate) fn modern(port: u16, capabilities: Value) -> Self {
        Self::new(port, modern(capabilities))
    }

    /// One of an earlier revision, with its session.
    #[track_caller]
    pub(crate) fn legacy(port: u16, capabilities: Value) -> Self {
        Self::speaking(port, "2025-06-18", capabilities)
    }

    /// One of this revision, with its session.
    #[track_caller]
    pub(crate) fn speaking(port: u16, revision: &str, capabilities: Value) -> Self {
        let mut poster = Self::new(port, Value::Null);
        revision.clone_into(&mut poster.revision);
        let begin = json!({
            "protocolVersion": revision, "capabilities": capabilities,
            "clientInfo": { "name": "test", "version": "1.0" },
        });
        let id = poster.send("initialize", begin);
        let head = poster.head();
        assert_eq!(head.status, 200, "{head:?}");
        poster.session = Some(head.header("mcp-session-id").unwrap().to_owned());
        assert_eq!(poster.answer(id)["result"]["protocolVersion"], revision);
        poster.notify("notifications/initialized", json!({}));
        poster
    }

    /// The same client, by another connection.
    pub(crate) fn beside(&self) -> Self {
        let mut beside = Self::new(self.port, self.meta.clone());
        beside.session.clone_from(&self.session);
        beside.revision.clone_from(&self.revision);
        beside.next_id = 1000;
        beside
    }

    /// One of the newest revision, by another name.
    pub(crate) fn named(port: u16, name: &str, version: &str) -> Self {
        let mut meta = modern(json!({}));
        meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": name, "version": version });
        Self::new(port, meta)
    }

    fn new(port: u16, meta: Value) -> Self {
        let stream = BufReader::new(connect(port));
        let (revision, further) = (String::new(), String::new());
        Self { port, stream, session: None, revision, further, meta, next_id: 1, body: Body::Over }
    }

    /// Has what follows come by a new connection.
    pub(crate) fn reconnect(&mut self) {
        self.stream = BufReader::new(connect(self.port));
        self.body = Body::Over;
    }

    /// Sends a request and returns its id.
    pub(crate) fn send(&mut self, method: &str, mut params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        for (name, value) in self.meta.as_object().into_iter().flatten() {
            params["_meta"][name] = value.clone();
        }
        self.post(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Sends a notification, and reads that it was accepted.
    #[track_caller]
    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.post_accepted(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a message that is no request, and reads that it was accepted.
    #[track_caller]
    pub(crate) fn post_accepted(&mut self, message: &Value) {
        self.post(message);
        let head = self.head();
        assert_eq!(head.status, 202, "{head:?}");
        self.rest();
    }

    /// Sends a message.
    pub(crate) fn post(&mut self, message: &Value) {
        let method = message["method"].as_str().unwrap_or_default();
        let mut headers = String::new();
        if let Some(session) = &self.session {
            headers = format!("Mcp-Session-Id: {session}\r\n");
            // The first revision over HTTP does not have it.
            if self.revision != "2025-03-26" {
                headers += &format!("MCP-Protocol-Version: {}\r\n", self.revision);
            }
        } else if !self.meta.is_null() {
            headers = format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n");
            let params = &message["params"];
            let name = ["name", "uri", "taskId"].into_iter().find_map(|name| params[name].as_str());
            if let Some(name) = name.filter(|_| method != "completion/complete") {
                headers += &format!("Mcp-Name: {name}\r\n");
            }
        }
        self.post_bytes(message.to_string().as_bytes(), &headers);
    }

    /// Sends a body.
    pub(crate) fn post_bytes(&mut self, body: &[u8], headers: &str) {
        assert_eq!(self.body, Body::Over, "the last answer has not been read");
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost:{}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n{headers}{}\r\n",
            self.port,
            body.len(),
            self.further,
        );
        let stream = self.stream.get_mut();
        stream.write_all(head.as_bytes()).unwrap();
        // One that is refused is not read to its end.
        let _ = stream.write_all(body);
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        assert!(line.ends_with('\n'), "the connection has ended: {line}");
        line.trim_end().to_owned()
    }

    /// Reads the head of the answer.
    pub(crate) fn head(&mut self) -> Head {
        let status = self.line().split(' ').nth(1).unwrap().parse().unwrap();
        let mut headers = Vec::new();
        loop {
            let line = self.line();
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').unwrap();
            headers.push((name.to_lowercase(), value.trim().to_owned()));
        }
        let head = Head { status, headers };
        self.body = match head.header("content-length") {
            Some(length) => Body::Whole(length.parse().unwrap()),
            None => Body::Chunks,
        };
        head
    }

    /// The next part of the body; `None` at its end.
    fn part(&mut self) -> Option<Vec<u8>> {
        let size = match self.body {
            Body::Over => return None,
            Body::Whole(size) => {
                self.body = Body::Over;
                size
            }
            Body::Chunks => usize::from_str_radix(&self.line(), 16).unwrap(),
        };
        let mut part = vec![0; size];
        self.stream.read_exact(&mut part).unwrap();
        if self.body == Body::Chunks {
            self.line();
            if size == 0 {
                self.body = Body::Over;
            }
        }
        (size > 0).then_some(part)
    }

    /// Reads the answer to its end.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        while let Some(part) = self.part() {
            rest.extend(part);
        }
        rest
    }

    /// The next message of the answer; `None` at its end. Whatever keeps it alive is passed over.
    pub(crate) fn message(&mut self) -> Option<Value> {
        loop {
            let part = String::from_utf8(self.part()?).unwrap();
            if part.starts_with('{') {
                return Some(serde_json::from_str(&part).unwrap());
            }
            let data = part.lines().find_map(|line| line.strip_prefix("data:"));
            if let Some(data) = data.map(str::trim).filter(|data| !data.is_empty()) {
                return Some(serde_json::from_str(data).unwrap_or_else(|error| panic!("{error}: {part}")));
            }
        }
    }

    /// What the request `id` is answered; whatever else comes is passed over.
    #[track_caller]
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        while let Some(message) = self.message() {
            if message["id"] == id && message.get("method").is_none() {
                self.rest();
                return message;
            }
        }
        panic!("there was no answer to {id}");
    }

    /// Sends a request and returns what it is answered.
    #[track_caller]
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.head();
        self.answer(id)
    }

    /// Calls a tool, and returns what it says.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert_ne!(answer["result"]["isError"], json!(true), "{answer}");
        answer["result"]["structuredContent"].clone()
    }

    /// Sends a call that asks for progress, and returns it with what is said first.
    #[track_caller]
    pub(crate) fn begin_asking(&mut self, tool: &str, arguments: &Value) -> (u64, String) {
        let params = json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": "p" } });
        let id = self.send("tools/call", params);
        let head = self.head();
        assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")), "{head:?}");
        let told = self.message().unwrap();
        assert_eq!(told["method"], "notifications/progress", "{told}");
        (id, told["params"]["message"].as_str().unwrap().to_owned())
    }
}
