//! `aide mcp --http`, and `/mcp` of the daemon, by a client that posts messages.

use crate::daemon_questions;
use crate::support::daemon::Place;
use crate::support::http::{ask, get};
use crate::support::mcp::{
    self, Agent, modern, only_open, port, questions, read_like_a_person, session, without_waiting,
};
use crate::support::mcp_http::Poster;
use crate::support::{BackgroundGuard, Folder, begin, until};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::Child;
use std::thread;

const TASKS: &str = "io.modelcontextprotocol/tasks";

/// A running `aide mcp --http`.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    #[track_caller]
    fn start(folder: &Folder, arguments: &[&str]) -> Self {
        let command = folder.command([&["mcp", "--http", "--port", "0"], arguments].concat());
        let mut child = begin(command);
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("→ MCP 地址: http://localhost:") && line.ends_with("/mcp\n"), "{line}");
        Self { child, port: port(&line) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn project() -> Folder {
    Folder::project_on_any_port()
}

#[track_caller]
fn answer(link: &str, session: &str) {
    mcp::answer(port(link), session);
}

fn is_delivered(folder: &Folder, session: &str) -> bool {
    folder.file(&format!("receipts/{session}.json")).get("delivered_at").is_some()
}

/// One of each generation.
fn clients(server: &Server) -> [Poster; 2] {
    [Poster::legacy(server.port, json!({})), Poster::modern(server.port, json!({}))]
}

#[test]
fn a_call_is_held_with_progress_until_the_person_has_answered() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let server = Server::start(&folder, &[]);
    for (client, name) in clients(&server).iter_mut().zip(["legacy", "modern"]) {
        let (id, link) = client.begin_asking("decide_submit", &questions(name));
        let session = only_open(&folder);
        answer(&link, &session);
        let told = client.answer(id)["result"]["structuredContent"].clone();
        assert_eq!(
            (&told["status"], &told["answers"][0]["labels"]),
            (&json!("answered"), &json!(["The second"])),
            "{told}"
        );
        assert_eq!(self::session(&told), session);
        assert!(!is_delivered(&folder, &session));
        // What it says next by the same connection it says once it has read that.
        client.call("decide_list", &json!({}));
        Agent::delivered(&folder, &session);
    }
}

#[test]
fn what_another_client_says_is_no_receipt() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let server = Server::start(&folder, &[]);
    for (name, mut client) in ["legacy", "modern"].into_iter().zip(clients(&server)) {
        let told = client.call("decide_submit", &without_waiting(name));
        let session = session(&told);
        answer(told["url"].as_str().unwrap(), &session);
        assert_eq!(client.call("decide_submit", &questions(name))["status"], "answered");
        // Of the same program, in the same project, at another connection.
        for mut other in clients(&server) {
            other.call("decide_list", &json!({}));
        }
        settle(&server, &folder, &format!("Settled {name}"));
        assert!(!is_delivered(&folder, &session), "{name}");
        // It may not have got it: the same questions have the same answer.
        let mut next = Poster::modern(server.port, json!({}));
        let told = next.call("decide_submit", &questions(name));
        assert_eq!((self::session(&told), &told["status"]), (session.clone(), &json!("answered")));
        next.call("decide_list", &json!({}));
        Agent::delivered(&folder, &session);
    }
}

/// Returns once whatever was to be written of earlier deliveries is written: they are written one after the other.
fn settle(server: &Server, folder: &Folder, task: &str) {
    let mut client = Poster::named(server.port, "settling", "1.0");
    let told = client.call("decide_submit", &without_waiting(task));
    let session = session(&told);
    answer(told["url"].as_str().unwrap(), &session);
    client.call("decide_submit", &questions(task));
    client.call("decide_list", &json!({}));
    Agent::delivered(folder, &session);
}

#[test]
fn a_client_that_connects_for_each_request_has_got_what_it_was_answered_before() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let server = Server::start(&folder, &[]);
    let mut client = Poster::modern(server.port, json!({}));
    let told = client.call("decide_submit", &without_waiting("Connects"));
    let session = session(&told);
    answer(told["url"].as_str().unwrap(), &session);
    client.reconnect();
    assert_eq!(client.call("decide_submit", &questions("Connects"))["status"], "answered");
    client.reconnect();
    // Neither another client, nor one that begins, nor one in another project.
    Poster::named(server.port, "other", "1.0").call("decide_list", &json!({}));
    Poster::named(server.port, "test", "2.0").call("decide_list", &json!({}));
    Poster::modern(server.port, json!({})).request("server/discover", json!({}));
    let elsewhere = project();
    let there = json!({ "project": elsewhere.path() });
    Poster::modern(server.port, json!({})).call("decide_list", &there);
    let mut with_key = Poster::modern(server.port, json!({}));
    with_key.further = "Authorization: Bearer x\r\n".to_owned();
    with_key.call("decide_list", &json!({}));
    settle(&server, &folder, "Settled");
    assert!(!is_delivered(&folder, &session));
    client.call("decide_list", &json!({}));
    Agent::delivered(&folder, &session);
}

#[test]
fn who_fetches_an_answer_has_got_it() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let server = Server::start(&folder, &[]);
    for tool in ["decide_result", "decide_wait"] {
        let mut client = Poster::modern(server.port, json!({}));
        let told = client.call("decide_submit", &without_waiting(tool));
        let session = session(&told);
        client.reconnect();
        assert_eq!(client.call("decide_result", &json!({ "session_id": session }))["status"], "pending");
        answer(told["url"].as_str().unwrap(), &session);
        assert!(!is_delivered(&folder, &session));
        client.reconnect();
        assert_eq!(client.call(tool, &json!({ "session_id": session }))["status"], "answered");
        Agent::delivered(&folder, &session);
    }
}

#[test]
fn batches_are_taken_in_the_one_revision_that_has_them() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let server = Server::start(&folder, &[]);
    let ping = |id: u64| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    let notification = json!({ "jsonrpc": "2.0", "method": "notifications/x" });
    let mut submit = json!({
        "jsonrpc": "2.0", "id": 8, "method": "tools/call",
        "params": { "name": "decide_submit", "arguments": questions("Batch"), "_meta": { "progressToken": "p" } },
    });
    let mut client = Poster::speaking(server.port, "2025-03-26", json!({}));
    client.post(&json!([ping(7), submit, 5, notification, { "jsonrpc": "2.0", "id": 9, "method": "initialize", "params": {} }]));
    let head = client.head();
    assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")), "{head:?}");
    let mut said = Vec::new();
    let mut link = None;
    while let Some(message) = client.message() {
        if message["method"] == "notifications/progress" && link.is_none() {
            link = Some(message["params"]["message"].as_str().unwrap().to_owned());
            answer(link.as_deref().unwrap(), &only_open(&folder));
        }
        if message.get("method").is_none() {
            let status = message["result"]["structuredContent"]["status"].as_str().map(str::to_owned);
            said.push((message["id"].as_u64(), message["error"]["code"].as_i64(), status));
        }
    }
    said.sort();
    let refused = Some(-32600);
    let answered = Some("answered".to_owned());
    let expected =
        [(None, refused, None), (Some(7), None, None), (Some(8), None, answered), (Some(9), refused, None)];
    assert_eq!(said, expected);
    // Nothing is answered to what asks for nothing.
    client.post_accepted(&json!([notification, notification]));
    for (batch, words) in [(json!([]), "empty"), (json!(vec![ping(1); 101]), "at most 100")] {
        client.post(&batch);
        assert_eq!(client.head().status, 400);
        let refused = client.message().unwrap();
        client.rest();
        assert!(refused["error"]["message"].as_str().unwrap().contains(words), "{refused}");
    }
    // The others do not have them, whatever the header says.
    submit["params"]["arguments"] = questions("Not asked");
    let mut others = Vec::from(clients(&server));
    others.push(Poster::speaking(server.port, "2025-11-25", json!({})));
    for mut other in others {
        other.post(&json!([ping(7), submit]));
        assert_eq!(other.head().status, 400);
        let refused = other.message().unwrap();
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&Value::Null, &json!(-32600)), "{refused}");
        assert!(refused["error"]["message"].as_str().unwrap().contains("2025-03-26"), "{refused}");
    }
    assert_eq!(client.call("decide_list", &json!({ "query": "Not asked" }))["decisions"], json!([]));
}

#[test]
fn a_stream_that_is_closed_ends_the_waiting_alone() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let server = Server::start(&folder, &[]);
    let mut client = Poster::modern(server.port, json!({}));
    let (_, link) = client.begin_asking("decide_submit", &questions("Closed"));
    let session = only_open(&folder);
    client.reconnect();
    assert_eq!(client.call("decide_result", &json!({ "session_id": session }))["status"], "pending");
    answer(&link, &session);
    let told = client.call("decide_submit", &questions("Closed"));
    assert_eq!((&told["status"], self::session(&told)), (&json!("answered"), session));
}

#[test]
fn what_the_server_held_when_it_was_killed_goes_on() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let mut server = Server::start(&folder, &[]);
    let mut client = Poster::modern(server.port, json!({}));
    let (_, link) = client.begin_asking("decide_submit", &questions("Killed"));
    server.child.kill().unwrap();
    let session = only_open(&folder);
    assert!(get(port(&link), "/").text().contains("Killed"));
    answer(&link, &session);
    let server = Server::start(&folder, &[]);
    let mut client = Poster::legacy(server.port, json!({}));
    let told = client.call("decide_submit", &questions("Killed"));
    assert_eq!((&told["status"], self::session(&told)), (&json!("answered"), session));
}

#[test]
fn it_ends_at_once_whatever_it_holds() {
    use rustix::process::{Pid, Signal, kill_process};
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let mut server = Server::start(&folder, &[]);
    let mut held: Vec<_> = clients(&server).into();
    for (client, name) in held.iter_mut().zip(["legacy", "modern"]) {
        client.begin_asking("decide_submit", &questions(name));
    }
    let pid = Pid::from_raw(i32::try_from(server.child.id()).unwrap()).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    until("it has ended", || server.child.try_wait().unwrap().is_some());
    assert_eq!(server.child.wait().unwrap().code(), Some(143));
}

#[test]
fn there_is_nothing_but_the_one_address() {
    let folder = project();
    let server = Server::start(&folder, &[]);
    for path in ["/", "/history", "/api/items", "/app.wasm", "/mcp/x"] {
        assert_eq!(get(server.port, path).status, 404, "{path}");
    }
    let refused = ask(server.port, "PUT", "/mcp", "");
    assert_eq!((refused.status, refused.header("allow")), (405, "POST, GET, DELETE"));
    let mut client = Poster::modern(server.port, json!({}));
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} }).to_string();
    client.post_bytes(message.as_bytes(), "Origin: http://evil.test\r\n");
    assert_eq!(client.head().status, 403);
    assert!(!folder.decision("open").exists());
}

#[test]
fn tasks_are_answered_to_those_alone_that_know_them() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let server = Server::start(&folder, &[]);
    let capabilities = json!({ "extensions": { (TASKS): {} } });
    let mut client = Poster::modern(server.port, capabilities.clone());
    let begun =
        client.request("tools/call", json!({ "name": "decide_submit", "arguments": questions("Task") }));
    let id = begun["result"]["taskId"].as_str().unwrap_or_else(|| panic!("{begun}")).to_owned();
    let session = only_open(&folder);
    let mut other = Poster::modern(server.port, capabilities);
    for forged in [session.clone(), format!("{session}.{}", "0".repeat(32)), format!("{id}0"), "x".to_owned()]
    {
        for method in ["tasks/get", "tasks/cancel"] {
            let refused = other.request(method, json!({ "taskId": forged }));
            assert_eq!(refused["error"]["code"], -32602, "{forged}: {refused}");
        }
    }
    answer(begun["result"]["statusMessage"].as_str().unwrap(), &session);
    let done = other.request("tasks/get", json!({ "taskId": id }));
    assert_eq!(done["result"]["result"]["structuredContent"]["status"], "answered", "{done}");
}

#[test]
fn whatever_is_posted_is_answered() {
    let folder = project();
    let server = Server::start(&folder, &[]);
    let mut client = Poster::modern(server.port, json!({}));
    let headers = "MCP-Protocol-Version: 2026-07-28\r\n";
    for (body, id, code) in [
        ("\u{fffd} nonsense", Value::Null, -32700),
        (r#"{"jsonrpc":"2.0","id":50,"method":"tools/list","params""#, json!(50), -32700),
        ("[]", Value::Null, -32600),
        ("5", Value::Null, -32600),
        ("", Value::Null, -32700),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, Value::Null, -32600),
        (r#"{"id":51,"method":"ping"}"#, json!(51), -32600),
        (r#"{"jsonrpc":"2.0","id":52,"method":7}"#, json!(52), -32600),
        (r#"{"jsonrpc":"2.0","id":53}"#, json!(53), -32600),
    ] {
        client.post_bytes(body.as_bytes(), headers);
        let head = client.head();
        let refused = client.message().unwrap();
        client.rest();
        assert_eq!(head.status, 400, "{body}: {refused}");
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&id, &json!(code)), "{body}: {refused}");
        assert!(refused["error"]["message"].as_str().is_some_and(|words| words.len() > 10), "{refused}");
    }
    for (method, params, code) in [
        ("explode", json!({}), -32601),
        ("tools/call", json!({ "name": "explode" }), -32602),
        ("resources/read", json!({ "uri": "file:///etc/passwd" }), -32602),
        ("prompts/get", json!({ "name": "x" }), -32602),
        ("tasks/get", json!({ "taskId": "x" }), -32021),
        (
            "tools/call",
            json!({ "name": "decide_submit", "arguments": questions("x"), "requestState": "rs1.x.y" }),
            -32602,
        ),
    ] {
        let refused = client.request(method, params);
        assert_eq!(refused["error"]["code"], code, "{method}: {refused}");
    }
    let refused =
        client.request("tools/call", json!({ "name": "decide_wait", "arguments": { "session_id": "x" } }));
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    // A session that there is not.
    client.post_bytes(br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, "Mcp-Session-Id: unknown\r\n");
    assert_eq!(client.head().status, 404);
    client.reconnect();
    // More than is taken.
    client.post_bytes(format!(r#"{{"a":"{}"}}"#, "x".repeat(40 << 20)).as_bytes(), headers);
    assert_eq!(client.head().status, 413);
    client.reconnect();
    assert_eq!(client.call("decide_list", &json!({}))["status"], "none");
    assert!(!folder.decision("open").exists());
}

#[test]
fn many_clients_at_once_are_all_answered() {
    const CLIENTS: usize = 100;
    const REQUESTS: usize = 20;
    let folder = project();
    let server = Server::start(&folder, &[]);
    let port = server.port;
    let clients: Vec<_> = (0..CLIENTS)
        .map(|number| {
            thread::spawn(move || {
                let mut client = if number % 10 == 0 {
                    Poster::legacy(port, json!({}))
                } else {
                    Poster::modern(port, json!({}))
                };
                for _ in 0..REQUESTS {
                    let listed = client.request("prompts/list", json!({}));
                    assert_eq!(listed["result"]["prompts"][0]["name"], "ask", "{listed}");
                }
            })
        })
        .collect();
    for client in clients {
        client.join().unwrap();
    }
}

#[test]
fn at_the_daemon_each_call_names_its_project() {
    let (place, folder) = (Place::started(), project());
    let mut client = Poster::modern(place.http_port(), json!({}));
    // What belongs to a project cannot say which.
    let listed = client.request("resources/list", json!({}));
    let uris: Vec<_> =
        listed["result"]["resources"].as_array().unwrap().iter().map(|it| &it["uri"]).collect();
    assert_eq!(uris, [&json!("skill://aide/SKILL.md")]);
    let templates = client.request("resources/templates/list", json!({}));
    assert_eq!(templates["result"]["resourceTemplates"], json!([]));
    assert_eq!(client.request("prompts/list", json!({}))["result"]["prompts"], json!([]));
    for (method, params) in
        [("resources/read", json!({ "uri": "aide://open" })), ("prompts/get", json!({ "name": "ask" }))]
    {
        let refused = client.request(method, params);
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    let skill = client.request("resources/read", json!({ "uri": "skill://aide/SKILL.md" }));
    assert!(
        skill["result"]["contents"][0]["text"].as_str().is_some_and(|text| text.contains("decide_submit"))
    );
    for (project, told) in [
        (Value::Null, "`project` is missing: this server belongs to no project"),
        (json!("x"), "`project` must be an absolute path, not \"x\""),
        (json!("/nowhere"), "The project /nowhere cannot be used"),
    ] {
        let mut asked = without_waiting("Daemon");
        asked["project"] = project;
        let answer = client.request("tools/call", json!({ "name": "decide_submit", "arguments": asked }));
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(answer["result"]["isError"] == true && text.starts_with(told), "{answer}");
    }
    let mut asked = questions("Daemon");
    asked["project"] = folder.path().to_str().unwrap().into();
    let (id, link) = client.begin_asking("decide_submit", &asked);
    let origin = format!("http://localhost:{}", place.http_port());
    let path = link.split(&origin).nth(1).unwrap_or_else(|| panic!("{link}"));
    assert!(path.starts_with("/d/"), "{link}");
    assert_eq!(daemon_questions::answer(place.http_port(), path).status, 200);
    let told = client.answer(id)["result"]["structuredContent"].clone();
    assert_eq!(told["answers"][0]["labels"], json!(["The first"]), "{told}");
    // A foreign page is no client, and what the sockets have for themselves is no address of agents.
    client.post_bytes(b"{}", "Origin: http://evil.test\r\n");
    assert_eq!(client.head().status, 403);
}

#[test]
fn what_a_client_calls_itself_is_text() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let server = Server::start(&folder, &[]);
    let hostile = "\u{1b}[2J<script>alert(1)</script>\u{202e}\n";
    let mut client = Poster::named(server.port, hostile, &"9".repeat(10_000));
    let told = client.call("decide_submit", &without_waiting("Named"));
    let origin = &folder.file(&format!("open/{}.json", session(&told)))["_meta"]["origin"];
    assert_eq!(origin["client"], "[2J<script>alert(1)</script>");
    assert_eq!(origin["version"].as_str().unwrap().len(), 80);
    let page = get(port(told["url"].as_str().unwrap()), "/").text().to_owned();
    assert!(page.contains("[2J&lt;script&gt;alert(1)") && !page.contains("<script>alert(1)"), "{page}");
}

#[test]
fn a_client_with_a_session_shows_the_link_and_closes_what_has_ended() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let server = Server::start(&folder, &[]);
    let mut client = Poster::legacy(server.port, json!({ "elicitation": { "url": {} } }));
    let (id, link) = client.begin_asking("decide_submit", &questions("Shown"));
    let asked = client.message().unwrap();
    assert_eq!(
        (&asked["method"], &asked["params"]["mode"]),
        (&json!("elicitation/create"), &json!("url")),
        "{asked}"
    );
    read_like_a_person();
    let reply = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "action": "decline" } });
    client.beside().post_accepted(&reply);
    let session = only_open(&folder);
    answer(&link, &session);
    let told = client.answer(id);
    assert_eq!(told["result"]["structuredContent"]["status"], "answered", "{told}");
    // Of another client a reply is no reply.
    let mut other = Poster::legacy(server.port, json!({}));
    other.post_accepted(&reply);
    assert_eq!(other.call("decide_list", &json!({}))["status"], "none");
}

#[test]
fn the_end_of_a_task_is_pushed() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let server = Server::start(&folder, &[]);
    let mut client = Poster::modern(server.port, json!({ "extensions": { (TASKS): {} } }));
    let begun =
        client.request("tools/call", json!({ "name": "decide_submit", "arguments": questions("Pushed") }));
    let id = begun["result"]["taskId"].as_str().unwrap().to_owned();
    let link = begun["result"]["statusMessage"].as_str().unwrap().to_owned();
    let listen = client.send("subscriptions/listen", json!({ "notifications": { "taskIds": [id] } }));
    client.head();
    let acknowledged = client.message().unwrap();
    assert_eq!(acknowledged["params"]["notifications"]["taskIds"], json!([id]), "{acknowledged}");
    answer(&link, &only_open(&folder));
    let pushed = client.message().unwrap();
    assert_eq!(
        (&pushed["method"], &pushed["params"]["taskId"], &pushed["params"]["status"]),
        (&json!("notifications/tasks"), &json!(id), &json!("completed")),
        "{pushed}"
    );
    assert_eq!(pushed["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], listen);
    // The header names the task as well.
    let mut client = client.beside();
    let meta = modern(json!({ "extensions": { (TASKS): {} } }));
    let params = json!({ "taskId": id, "_meta": meta });
    let get = json!({ "jsonrpc": "2.0", "id": 5, "method": "tasks/get", "params": params });
    let headers = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tasks/get\r\nMcp-Name: other\r\n";
    client.post_bytes(get.to_string().as_bytes(), headers);
    assert_eq!(client.head().status, 400);
    let refused = client.answer(5);
    assert_eq!(refused["error"]["code"], -32020, "{refused}");
}
