//! `aide mcp`, by a client that writes lines.

use crate::daemon_questions;
use crate::support::daemon::Place;
use crate::support::http::{get, post_json};
use crate::support::mcp::{
    Agent, answer, modern, only_open, port, questions, read_like_a_person, session, without_waiting,
};
use crate::support::repository::Repository;
use crate::support::{BackgroundGuard, Folder, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs;

const TASKS: &str = "io.modelcontextprotocol/tasks";

fn project() -> Folder {
    Folder::project_on_any_port()
}

#[test]
fn every_revision_is_spoken() {
    let folder = project();
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut agent = Agent::start(folder.command(["mcp"]), Value::Null);
        let params = json!({
            "protocolVersion": revision, "capabilities": {}, "clientInfo": { "name": "x", "version": "1" },
        });
        let begun = agent.request("initialize", params);
        let result = &begun["result"];
        assert_eq!(
            (&result["protocolVersion"], &result["serverInfo"]["name"]),
            (&json!(revision), &json!("aide"))
        );
        assert!(result["instructions"].as_str().unwrap().starts_with("Use these tools whenever the user"));
        has_all_tools(&agent.request("tools/list", json!({})));
        assert_eq!(agent.request("ping", json!({}))["result"], json!({}));
        assert_eq!(agent.end(), (Some(0), String::new()), "{revision}");
    }
    let mut agent = Agent::modern(&folder, &[], json!({}));
    let found = agent.request("server/discover", json!({}));
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2024-11-05")), "{found}");
    let listed = agent.request("tools/list", json!({}));
    assert_eq!(listed["result"]["resultType"], "complete");
    has_all_tools(&listed);
    for removed in ["ping", "logging/setLevel", "resources/subscribe"] {
        let unknown = agent.request(removed, json!({}));
        assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    }
    assert_eq!(agent.end(), (Some(0), String::new()));
}

#[track_caller]
fn has_all_tools(listed: &Value) {
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let expected = [
        "decide_submit",
        "decide_wait",
        "decide_result",
        "decide_list",
        "decide_amend",
        "decide_cancel",
        "flow_status",
        "flow_record",
    ];
    assert_eq!(names, expected);
}

#[test]
fn a_client_that_only_looks_leaves_without_a_word() {
    let folder = project();
    for begun in [false, true] {
        let mut agent = Agent::modern(&folder, &[], json!({}));
        if begun {
            agent.request("server/discover", json!({}));
        }
        assert_eq!(agent.end(), (Some(0), String::new()), "{begun}");
    }
}

#[test]
fn a_call_is_held_until_the_person_has_answered() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let mut agent = Agent::legacy(&folder, &[], json!({}));
    let (id, port) = agent.begin_asking("decide_submit", &questions("Held"));
    let session = only_open(&folder);
    let asked = folder.file(&format!("open/{session}.json"));
    assert_eq!(asked["_meta"]["origin"], json!({ "asker": "mcp", "client": "test", "version": "1.0" }));
    let page = get(port, "/").text().to_owned();
    assert!(page.contains("由 test 1.0 提问"), "{page}");
    answer(port, &session);
    let told = agent.told(id);
    let expected = json!([{
        "id": 1, "title": "Which one?", "chosen": ["b"], "labels": ["The second"], "note": "because", "via": "api",
    }]);
    assert_eq!((&told["status"], &told["answers"]), (&json!("answered"), &expected), "{told}");
    assert_eq!(told["summary"], "Which one?: The second (note: because)");
    assert_eq!(session, self::session(&told));
    assert!(told.get("url").is_none() && told["next"].is_string() && told["waited_seconds"].is_u64());
    // A client that has heard of it speaks again.
    assert_eq!(folder.file(&format!("receipts/{session}.json")).get("delivered_at"), None);
    let listed = agent.call("decide_list", &json!({ "query": "held" }));
    Agent::delivered(&folder, &session);
    assert_eq!(listed["decisions"][0]["summary"], told["summary"], "{listed}");
    assert_eq!(agent.call("decide_result", &json!({ "session_id": session }))["answers"], expected);
    let record = folder.file(&format!("{session}.json"));
    assert_eq!(record["_meta"]["origin"]["client"], "test");
}

#[test]
fn a_call_that_takes_too_long_is_gone_on_with() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let mut agent = Agent::modern(&folder, &["--hold", "1"], json!({}));
    let told = agent.call("decide_submit", &questions("Long"));
    let session = session(&told);
    assert_eq!(told["status"], "pending", "{told}");
    assert!(told["next"].as_str().unwrap().contains(&format!("decide_wait with session_id {session}")));
    let port = port(told["url"].as_str().unwrap());
    // The same questions are the same set.
    assert_eq!(self::session(&agent.call("decide_submit", &questions("Long"))), session);
    let waited = agent.call("decide_wait", &json!({ "session_id": session, "timeout_seconds": 1 }));
    assert_eq!((&waited["status"], &waited["waited_seconds"]), (&json!("pending"), &json!(1)), "{waited}");
    answer(port, &session);
    assert_eq!(agent.call("decide_wait", &json!({ "session_id": session }))["status"], "answered");
}

#[test]
fn an_answer_that_may_not_have_arrived_is_given_again() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let mut agent = Agent::legacy(&folder, &[], json!({}));
    let (_, port) = agent.begin_asking("decide_submit", &questions("Lost"));
    let session = only_open(&folder);
    // Neither the page nor the questions know that it was killed.
    agent.kill();
    assert!(get(port, "/").text().contains("Lost"));
    let mut agent = Agent::legacy(&folder, &[], json!({}));
    let (_, again) = agent.begin_asking("decide_submit", &questions("Lost"));
    assert_eq!((again, only_open(&folder)), (port, session.clone()));
    agent.kill();
    answer(port, &session);
    // It is read, and the client dies before it could say anything.
    let mut agent = Agent::legacy(&folder, &[], json!({}));
    let told = agent.call("decide_submit", &questions("Lost"));
    assert_eq!((&told["status"], self::session(&told)), (&json!("answered"), session.clone()), "{told}");
    agent.kill();
    let mut agent = Agent::legacy(&folder, &[], json!({}));
    let told = agent.call("decide_submit", &questions("Lost"));
    assert_eq!((&told["status"], self::session(&told)), (&json!("answered"), session.clone()), "{told}");
    let message = told["message"].as_str().unwrap();
    assert!(message.starts_with("Answered before this call, at 20"), "{told}");
    agent.request("ping", json!({}));
    Agent::delivered(&folder, &session);
    // It has it: the same questions are new ones.
    let told = agent.call("decide_submit", &without_waiting("Lost"));
    assert_eq!(told["status"], "pending", "{told}");
    assert_ne!(self::session(&told), session);
}

#[test]
fn a_client_that_gives_up_ends_the_waiting_alone() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let mut agent = Agent::legacy(&folder, &[], json!({}));
    let (id, port) = agent.begin_asking("decide_submit", &questions("Cancelled"));
    let cancelled = json!({ "requestId": id, "reason": "too long" });
    agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled }));
    let session = only_open(&folder);
    assert_eq!(agent.call("decide_result", &json!({ "session_id": session }))["status"], "pending");
    answer(port, &session);
    // Nothing was sent for that call, and the answer is still to be had.
    let told = agent.call("decide_submit", &questions("Cancelled"));
    assert_eq!((&told["status"], self::session(&told)), (&json!("answered"), session));
}

#[test]
fn a_server_that_is_killed_is_brought_back_while_a_call_is_held() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let mut agent = Agent::legacy(&folder, &[], json!({}));
    let (id, port) = agent.begin_asking("decide_submit", &questions("Killed"));
    let server = folder.file("server.json")["pid"].as_i64().unwrap();
    kill_process(Pid::from_raw(i32::try_from(server).unwrap()).unwrap(), Signal::KILL).unwrap();
    until("another one serves", || folder.file("server.json")["pid"] != server);
    let session = only_open(&folder);
    until("it answers", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
    answer(port, &session);
    assert_eq!(agent.told(id)["status"], "answered");
}

#[test]
fn sets_queue_are_replaced_or_refused() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let mut agent = Agent::modern(&folder, &[], json!({}));
    let with = |task: &str, if_open: &str| {
        let mut questions = without_waiting(task);
        questions["if_open"] = if_open.into();
        questions
    };
    let first = agent.call("decide_submit", &with("first", "replace"));
    assert_eq!(first["status"], "pending", "{first}");
    let second = agent.call("decide_submit", &with("second", "queue"));
    assert_eq!(second["status"], "queued", "{second}");
    let refused = agent.refused("decide_submit", &with("third", "fail"));
    assert!(refused.starts_with("Other questions are open (2), so nothing was asked"), "{refused}");
    let third = agent.call("decide_submit", &with("third", "replace"));
    let replaced = agent.call("decide_result", &json!({ "session_id": session(&first) }));
    assert_eq!(replaced["status"], "replaced");
    assert!(replaced["summary"].as_str().unwrap().ends_with(&session(&third)), "{replaced}");
    let listed = agent.call("decide_list", &json!({}));
    let tasks: Vec<_> =
        listed["decisions"].as_array().unwrap().iter().map(|set| set["task"].clone()).collect();
    assert_eq!(tasks, [json!("second"), json!("third")]);
    let found = agent.call("decide_list", &json!({ "query": "THIRD one" }));
    let found: Vec<_> = found["decisions"].as_array().unwrap().iter().map(|set| &set["task"]).collect();
    assert_eq!(found, [&json!("third")]);
    let none = agent.call("decide_list", &json!({ "query": "fourth" }));
    assert_eq!((&none["status"], &none["decisions"]), (&json!("none"), &json!([])), "{none}");
    let cancelled = agent.call("decide_cancel", &json!({ "session_id": session(&second) }));
    assert_eq!(cancelled["status"], "cancelled");
    assert_eq!(
        agent.call("decide_cancel", &json!({ "session_id": session(&second) }))["status"],
        "cancelled"
    );
    // The same questions are found where they are.
    for if_open in ["queue", "replace", "fail"] {
        assert_eq!(
            session(&agent.call("decide_submit", &with("third", if_open))),
            session(&third),
            "{if_open}"
        );
    }
    let wrong = agent.refused("decide_submit", &with("x", "whatever"));
    assert_eq!(wrong, "if_open must be queue, replace or fail, not \"whatever\"");
}

#[test]
fn a_correction_takes_the_place_of_open_questions() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let mut agent = Agent::modern(&folder, &[], json!({}));
    let mut asked = without_waiting("Amended");
    let mut second = asked["items"][0].clone();
    second["id"] = 2.into();
    second["title"] = "And which other?".into();
    asked["items"].as_array_mut().unwrap().push(second);
    let first = agent.call("decide_submit", &asked);
    let (session, port) = (session(&first), port(first["url"].as_str().unwrap()));
    asked["items"][1]["title"] = "And which one else?".into();
    asked["session_id"] = session.as_str().into();
    let amended = agent.call("decide_amend", &asked);
    let new = self::session(&amended);
    assert_eq!(amended["status"], "pending", "{amended}");
    assert_ne!(new, session);
    assert_eq!(agent.call("decide_wait", &json!({ "session_id": session }))["status"], "replaced");
    // Once more is no other set, and the result says how it ended.
    asked["session_id"] = new.as_str().into();
    assert_eq!(self::session(&agent.call("decide_amend", &asked)), new);
    let both = json!({ "decisions": [{ "id": 1, "chosen": "a" }, { "id": 2, "chosen": "a" }] });
    assert_eq!(post_json(port, &format!("/d/{new}/api/submit"), &both.to_string()).status, 200);
    asked["items"][1]["title"] = "Too late?".into();
    assert_eq!(agent.call("decide_amend", &asked)["status"], "answered");
}

#[test]
fn a_daemon_shows_what_agents_ask() {
    let (place, folder) = (Place::started(), project());
    let mut agent = Agent::start(daemon_questions::command(&place, &folder, &["mcp"]), modern(json!({})));
    let told = agent.call("decide_submit", &without_waiting("Daemon"));
    let origin = format!("http://localhost:{}", place.http_port());
    let path = told["url"].as_str().unwrap().strip_prefix(&origin).unwrap_or_else(|| panic!("{told}"));
    assert!(path.starts_with("/d/"), "{told}");
    assert_eq!(daemon_questions::answer(place.http_port(), path).status, 200);
    let told = agent.call("decide_wait", &json!({ "session_id": session(&told) }));
    assert_eq!(told["answers"][0]["labels"], json!(["The first"]), "{told}");
}

#[test]
fn questions_of_the_dialog_are_taken() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let mut agent = Agent::modern(&folder, &[], json!({}));
    let asked = json!({
        "questions": [{
            "question": "Which framework?", "header": "Framework", "multiSelect": false,
            "options": [
                { "label": "React (Recommended)", "description": "" }, { "label": "Vue", "description": "Small" },
            ],
        }],
        "wait": false,
    });
    let told = agent.call("decide_submit", &asked);
    let set = folder.file(&format!("open/{}.json", session(&told)));
    assert_eq!(
        (&set["task"], &set["items"][0]["recommend"]),
        (&json!("Which framework?"), &json!("React (Recommended)"))
    );
}

#[test]
fn all_that_is_wrong_is_told_and_nothing_is_written() {
    let repository = Repository::bare_folder();
    let folder = &repository.folder;
    repository.git(["init", "-q"]);
    let mut agent = Agent::legacy(folder, &[], json!({}));
    let wrong = json!({ "task": "", "items": [{ "id": 1, "title": "x", "options": [{ "value": "a" }] }] });
    let refused = agent.refused("decide_submit", &wrong);
    for told in ["4 problems", "- task ", "- source ", "- items[0].options ", "- items[0].options[0].label "]
    {
        assert!(refused.contains(told), "{told}: {refused}");
    }
    let dialog = json!({ "questions": [{ "question": "x", "options": ["a"] }] });
    let refused = agent.refused("decide_submit", &dialog);
    assert!(refused.contains("- questions[0].options "), "{refused}");
    let wrong_type = json!({ "task": "x", "source": "x", "items": [{ "id": 1, "title": 5, "options": [] }] });
    let refused = agent.refused("decide_submit", &wrong_type);
    assert!(
        refused.contains("see the schema of the tool's input") && !refused.contains("aide decide"),
        "{refused}"
    );
    assert!(!folder.join(".aide").exists());
    for (tool, arguments, told) in [
        ("decide_wait", json!({}), "session_id is missing"),
        (
            "decide_wait",
            json!({ "session_id": "x" }),
            "There is no session x in this project. Call decide_list",
        ),
        ("decide_result", json!({ "session_id": "2001-01-01T00-00-00" }), "There is no session 2001"),
        ("decide_wait", json!({ "session_id": 5 }), "session_id must be a string"),
        ("decide_list", json!({ "project": "/nowhere" }), "The project /nowhere cannot be used"),
        ("flow_record", json!({ "action": "explode" }), "There is no action \"explode\""),
        ("flow_record", json!({ "action": "start" }), "phase is missing"),
    ] {
        let refused = agent.refused(tool, &arguments);
        assert!(refused.starts_with(told), "{tool} {arguments}: {refused}");
    }
    assert_eq!(agent.call("decide_list", &json!({}))["status"], "none");
    assert!(!folder.join(".aide").exists());
    let outside = Folder::empty();
    let mut agent = Agent::legacy(&outside, &[], json!({}));
    let refused = agent.refused("decide_submit", &questions("x"));
    assert!(refused.contains("is not inside a git work tree. Run `aide init`"), "{refused}");
    assert!(!outside.join(".aide").exists());
}

#[test]
fn a_git_work_tree_becomes_a_project_with_its_first_question() {
    let repository = Repository::bare_folder();
    let folder = &repository.folder;
    repository.git(["init", "-q", "-b", "main"]);
    fs::create_dir(folder.join("below")).unwrap();
    let mut command = folder.command(["mcp"]);
    command.env("AIDE_PROJECT", folder.join("below")).env("AIDE_DECIDE_PORT", "0");
    let _background = BackgroundGuard(folder);
    let mut agent = Agent::start(command, modern(json!({})));
    let told = agent.call("decide_submit", &without_waiting("First"));
    let root = folder.path().canonicalize().unwrap();
    assert_eq!(told["message"], format!("Created .aide in {}, as `aide init` does.", root.display()));
    let set = folder.file(&format!("open/{}.json", session(&told)));
    assert_eq!(set["_meta"]["origin"]["branch"], "main");
}

#[test]
fn the_project_is_the_first_that_is_named() {
    let [here, flag, variable, claude, root, argument] = [(); 6].map(|()| project());
    let place = |folder: &Folder| folder.path().to_str().unwrap().to_owned();
    let mut questions = without_waiting("Where");
    let mut folders = vec![(&here, "")];
    folders.extend([(&root, "roots"), (&claude, "CLAUDE_PROJECT_DIR"), (&variable, "AIDE_PROJECT")]);
    folders.extend([(&flag, "--project"), (&argument, "project")]);
    for (position, (folder, _)) in folders.iter().enumerate() {
        let named: Vec<_> = folders[..=position].iter().map(|(_, name)| *name).collect();
        let flags = [
            vec!["mcp".to_owned()],
            if named.contains(&"--project") { vec![format!("--project={}", place(&flag))] } else { vec![] },
        ]
        .concat();
        let mut command = here.command(flags);
        for (variable, set) in [("CLAUDE_PROJECT_DIR", &claude), ("AIDE_PROJECT", &variable)] {
            if named.contains(&variable) {
                command.env(variable, set.path());
            }
        }
        if named.contains(&"project") {
            questions["project"] = place(&argument).into();
        }
        let _background = BackgroundGuard(folder);
        let mut agent = Agent::start(command, Value::Null);
        let capabilities = if named.contains(&"roots") { json!({ "roots": {} }) } else { json!({}) };
        let begin = json!({
            "protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": { "name": "x", "version": "1" },
        });
        agent.request("initialize", begin);
        let id = agent.begin("tools/call", json!({ "name": "decide_submit", "arguments": questions }));
        let mut told = agent.read();
        if told["method"] == "roots/list" {
            assert_eq!(named.last(), Some(&"roots"));
            let roots = json!([{ "uri": format!("file://{}", place(&root)) }]);
            agent.send(&json!({ "jsonrpc": "2.0", "id": told["id"], "result": { "roots": roots } }));
            told = agent.answer(id);
        }
        let told = session(&told["result"]["structuredContent"]);
        assert!(folder.decision(&format!("open/{told}.json")).exists(), "{named:?}");
    }
}

#[test]
fn whatever_comes_in_is_answered() {
    let folder = project();
    let mut agent = Agent::start(folder.command(["mcp"]), Value::Null);
    // Before it has begun as well.
    agent.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }),
    );
    agent.send(&json!({ "jsonrpc": "2.0", "id": 77, "result": {} }));
    agent.send_line(b"\xff\xfe nonsense");
    let refused = agent.read();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&Value::Null, &json!(-32700)), "{refused}");
    let begin = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "\u{1b}[2J", "version": "1" },
    });
    assert!(agent.request("initialize", begin)["result"].is_object());
    let long = "x".repeat(40 << 20);
    let lines = [
        (
            format!(r#"{{"method":"tools/call","params":{{"a":"{long}"}},"jsonrpc":"2.0","id":"long"}}"#),
            json!("long"),
            -32600,
        ),
        (r#"{"jsonrpc":"2.0","id":50,"method":"tools/list","params""#.to_owned(), json!(50), -32700),
        ("[]".to_owned(), Value::Null, -32600),
        ("5".to_owned(), Value::Null, -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#.to_owned(), Value::Null, -32600),
        (r#"{"id":51,"method":"ping"}"#.to_owned(), json!(51), -32600),
        (r#"{"jsonrpc":"2.0","id":52,"method":7}"#.to_owned(), json!(52), -32600),
        (
            r#"{"jsonrpc":"2.0","id":53,"method":"tools/call","params":{"name":7}}"#.to_owned(),
            json!(53),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":54,"method":"tools/call","params":{"name":"explode"}}"#.to_owned(),
            json!(54),
            -32602,
        ),
        (r#"{"jsonrpc":"2.0","id":55,"method":"explode"}"#.to_owned(), json!(55), -32601),
        (
            r#"{"jsonrpc":"2.0","id":56,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}"#
                .to_owned(),
            json!(56),
            -32002,
        ),
        (
            r#"{"jsonrpc":"2.0","id":57,"method":"prompts/get","params":{"name":"x"}}"#.to_owned(),
            json!(57),
            -32602,
        ),
    ];
    for (line, id, code) in lines {
        agent.send_line(line.as_bytes());
        let refused = agent.read();
        let line = line.chars().take(100).collect::<String>();
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&id, &json!(code)), "{line}: {refused}");
        assert!(refused["error"]["message"].as_str().is_some_and(|words| words.len() > 10), "{refused}");
    }
    assert_eq!(agent.end(), (Some(0), String::new()));
}

#[test]
fn batches_are_taken_in_the_one_revision_that_has_them() {
    const BATCH: &[u8] =
        br#"[{"jsonrpc":"2.0","id":60,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},
                              {"jsonrpc":"2.0","id":61,"method":"tools/list","params":null},5,
                              {"jsonrpc":"2.0","id":62,"method":"initialize","params":{}}]"#;
    let batch: Vec<u8> = BATCH.iter().copied().filter(|byte| *byte != b'\n').collect();
    let folder = project();
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut agent = Agent::start(folder.command(["mcp"]), Value::Null);
        agent.request(
            "initialize",
            json!({
                "protocolVersion": revision, "capabilities": {}, "clientInfo": { "name": "x", "version": "1" },
            }),
        );
        agent.send_line(&batch);
        if revision == "2025-03-26" {
            let mut answered = [(); 4].map(|()| {
                let answer = agent.read();
                (answer["id"].as_u64(), answer["error"]["code"].as_i64())
            });
            answered.sort_unstable();
            let refused = Some(-32600);
            assert_eq!(answered, [(None, refused), (Some(60), None), (Some(61), None), (Some(62), refused)]);
        } else {
            let refused = agent.read();
            assert_eq!(
                (&refused["id"], &refused["error"]["code"]),
                (&Value::Null, &json!(-32600)),
                "{refused}"
            );
            assert!(refused["error"]["message"].as_str().unwrap().contains("2025-03-26"), "{refused}");
        }
        assert_eq!(agent.request("ping", json!({}))["result"], json!({}), "{revision}");
    }
    let mut agent = Agent::modern(&folder, &[], json!({}));
    agent.request("server/discover", json!({}));
    agent.send_line(&batch);
    assert_eq!(agent.read()["error"]["code"], -32600);
}

#[test]
fn ten_thousand_requests_at_once_are_all_answered() {
    const COUNT: u64 = 10_000;
    let folder = project();
    let mut agent = Agent::legacy(&folder, &[], json!({}));
    let line = |id: u64| match id % 3 {
        0 => json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }),
        1 => {
            json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "decide_result", "arguments": { "session_id": "x" } } })
        }
        _ => json!({ "jsonrpc": "2.0", "id": id, "method": "prompts/list" }),
    };
    let lines: String = (1000..1000 + COUNT).map(|id| format!("{}\n", line(id))).collect();
    // It goes on reading while its answers are not read, up to a bound: the client that sends must read meanwhile.
    let mut input = agent.take_input();
    let sender = std::thread::spawn(move || {
        std::io::Write::write_all(&mut input, lines.as_bytes()).unwrap();
        input
    });
    let mut ids: Vec<_> = (0..COUNT).map(|_| agent.read()["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    assert!(ids.into_iter().eq(1000..1000 + COUNT));
    drop(sender.join().unwrap());
    assert_eq!(agent.end(), (Some(0), String::new()));
}

#[test]
fn a_task_outlasts_the_process_and_belongs_to_one_client() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let capabilities = json!({ "extensions": { (TASKS): {} } });
    let mut agent = Agent::modern(&folder, &[], capabilities.clone());
    let begun =
        agent.request("tools/call", json!({ "name": "decide_submit", "arguments": questions("Task") }));
    let task = &begun["result"];
    assert_eq!((&task["resultType"], &task["status"]), (&json!("task"), &json!("working")), "{begun}");
    assert_eq!((&task["ttlMs"], &task["pollIntervalMs"]), (&Value::Null, &json!(2000)));
    let port = port(task["statusMessage"].as_str().unwrap());
    let id = task["taskId"].as_str().unwrap().to_owned();
    let session = only_open(&folder);
    agent.kill();
    let mut agent = Agent::modern(&folder, &[], capabilities.clone());
    let get = |id: &str| json!({ "taskId": id });
    assert_eq!(agent.request("tasks/get", get(&id))["result"]["status"], "working");
    for forged in [session.clone(), format!("{session}.{}", "0".repeat(32)), format!("{id}0"), "x".to_owned()]
    {
        for method in ["tasks/get", "tasks/cancel"] {
            let refused = agent.request(method, get(&forged));
            assert_eq!(refused["error"]["code"], -32602, "{forged}: {refused}");
        }
    }
    answer(port, &session);
    let done = agent.request("tasks/get", get(&id));
    let result = &done["result"];
    assert_eq!(
        (&result["status"], &result["resultType"]),
        (&json!("completed"), &json!("complete")),
        "{done}"
    );
    assert_eq!(result["result"]["structuredContent"]["status"], "answered", "{done}");
    // Waiting is a task as well.
    let first = agent.call("decide_submit", &without_waiting("Ended"));
    let waiting = json!({ "name": "decide_wait", "arguments": { "session_id": self::session(&first) } });
    let waiting = agent.request("tools/call", waiting);
    assert_eq!(waiting["result"]["resultType"], "task", "{waiting}");
    // To end a task is not to take back the questions.
    let begun =
        agent.request("tools/call", json!({ "name": "decide_submit", "arguments": questions("Ended") }));
    let id = begun["result"]["taskId"].as_str().unwrap().to_owned();
    assert_eq!(agent.request("tasks/cancel", get(&id))["result"]["resultType"], "complete");
    assert_eq!(agent.request("tasks/get", get(&id))["result"]["status"], "cancelled");
    let listed = agent.call("decide_list", &json!({}));
    assert_eq!((&listed["decisions"][0]["task"], &listed["status"]), (&json!("Ended"), &json!("pending")));
}

#[test]
fn each_asker_of_the_same_questions_has_a_task_of_its_own() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let mut agents: Vec<_> =
        (0..2).map(|_| Agent::modern(&folder, &[], json!({ "extensions": { (TASKS): {} } }))).collect();
    let submit = json!({ "name": "decide_submit", "arguments": questions("Shared") });
    let begun: Vec<_> = agents
        .iter_mut()
        .map(|agent| agent.request("tools/call", submit.clone())["result"].clone())
        .collect();
    let mut ids: Vec<_> = begun.iter().map(|task| task["taskId"].as_str().unwrap().to_owned()).collect();
    let session = only_open(&folder);
    let wait = json!({ "name": "decide_wait", "arguments": { "session_id": session } });
    let waiting = agents[1].request("tools/call", wait);
    ids.push(waiting["result"]["taskId"].as_str().unwrap().to_owned());
    for id in &ids {
        let token = id.strip_prefix(&format!("{session}.")).unwrap_or_else(|| panic!("{id}"));
        assert!(token.len() == 32 && ids.iter().filter(|other| *other == id).count() == 1, "{ids:?}");
    }
    let status = |agent: &mut Agent, id: &str| {
        agent.request("tasks/get", json!({ "taskId": id }))["result"]["status"].clone()
    };
    agents[0].request("tasks/cancel", json!({ "taskId": ids[0] }));
    let found: Vec<_> = ids.iter().map(|id| status(&mut agents[1], id)).collect();
    assert_eq!(found, ["cancelled", "working", "working"]);
    // The one that has ended its waiting may begin another one, and the first stays ended.
    let again = agents[0].request("tools/call", submit);
    ids.push(again["result"]["taskId"].as_str().unwrap().to_owned());
    answer(port(begun[0]["statusMessage"].as_str().unwrap()), &session);
    let found: Vec<_> = ids.iter().map(|id| status(&mut agents[1], id)).collect();
    assert_eq!(found, ["cancelled", "completed", "completed", "completed"]);
}

#[test]
fn what_is_counted_agrees_with_its_number() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let mut agent = Agent::legacy(&folder, &[], json!({}));
    for (task, found) in [
        ("Counted first", "1 earlier decision that matches"),
        ("Counted second", "2 earlier decisions that match"),
    ] {
        let told = agent.call("decide_submit", &without_waiting(task));
        answer(port(told["url"].as_str().unwrap()), &session(&told));
        let listed = agent.call("decide_list", &json!({ "query": "counted" }));
        assert_eq!(listed["summary"], format!("0 open sets of questions; {found}"));
    }
}

#[test]
fn a_task_is_given_to_those_alone_that_take_one() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let mut agent = Agent::modern(&folder, &["--hold", "1"], json!({}));
    assert_eq!(agent.call("decide_submit", &questions("No task"))["status"], "pending");
    // The extension of the same name on a legacy connection is another one.
    let mut agent = Agent::legacy(&folder, &["--hold", "1"], json!({ "extensions": { (TASKS): {} } }));
    assert_eq!(agent.call("decide_submit", &questions("No task"))["status"], "pending");
}

#[test]
fn resources_are_read_completed_and_followed() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let mut agent = Agent::legacy(&folder, &[], json!({}));
    let told = agent.call("decide_submit", &without_waiting("Resource"));
    let (session, port) = (session(&told), port(told["url"].as_str().unwrap()));
    let read = |agent: &mut Agent, uri: &str| -> Value {
        let read = agent.request("resources/read", json!({ "uri": uri }));
        serde_json::from_str(
            read["result"]["contents"][0]["text"].as_str().unwrap_or_else(|| panic!("{read}")),
        )
        .unwrap()
    };
    assert_eq!(read(&mut agent, "aide://open")["open"][0]["session_id"], session);
    assert_eq!(read(&mut agent, "aide://flow")["task_id"], Value::Null);
    let uri = format!("aide://decisions/{session}");
    let set = read(&mut agent, &uri);
    assert_eq!((&set["status"], &set["questions"]["task"]), (&json!("pending"), &json!("Resource")));
    let reference = json!({ "type": "ref/resource", "uri": "aide://decisions/{session_id}" });
    let complete = json!({ "ref": reference, "argument": { "name": "session_id", "value": "2" } });
    let completed = agent.request("completion/complete", complete);
    assert_eq!(completed["result"]["completion"]["values"], json!([session]), "{completed}");
    assert_eq!(
        agent.request("resources/list", json!({}))["result"]["resources"].as_array().unwrap().len(),
        3
    );
    let prompts = agent.request("prompts/list", json!({}));
    assert_eq!(prompts["result"]["prompts"][1]["name"], "decided", "{prompts}");
    agent.request("resources/subscribe", json!({ "uri": uri }));
    answer(port, &session);
    let updated = agent.read();
    assert_eq!(
        (&updated["method"], &updated["params"]["uri"]),
        (&json!("notifications/resources/updated"), &json!(uri))
    );
    agent.request("resources/unsubscribe", json!({ "uri": uri }));
    let prompt = json!({ "name": "decided", "arguments": { "query": "resource" } });
    let prompt = agent.request("prompts/get", prompt);
    let text = prompt["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("Which one?: The second (note: because)"), "{text}");
    // The newest revision follows by another way.
    let mut agent = Agent::modern(&folder, &[], json!({}));
    let told = agent.call("decide_submit", &without_waiting("Followed"));
    let (session, port) = (self::session(&told), self::port(told["url"].as_str().unwrap()));
    let uri = format!("aide://decisions/{session}");
    let id = agent.begin(
        "subscriptions/listen",
        json!({ "notifications": { "resourceSubscriptions": [uri, "aide://open", "file:///x"] } }),
    );
    let acknowledged = agent.read();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged", "{acknowledged}");
    assert_eq!(acknowledged["params"]["notifications"]["resourceSubscriptions"], json!([uri, "aide://open"]));
    // Followed resources are checked every second, and changes are reported from the second check on.
    let is_update = |message: &Value| message["method"] == "notifications/resources/updated";
    let mut number = 0;
    let mut is_followed = false;
    while !is_followed {
        number += 1;
        let arguments = without_waiting(&format!("Change {number}"));
        let id = agent.begin("tools/call", json!({ "name": "decide_submit", "arguments": arguments }));
        loop {
            let message = agent.read();
            is_followed |= is_update(&message) && message["params"]["uri"] == "aide://open";
            if message["id"] == id {
                break;
            }
        }
    }
    answer(port, &session);
    let updated = loop {
        let message = agent.read();
        if is_update(&message) && message["params"]["uri"] != "aide://open" {
            break message;
        }
    };
    assert_eq!(
        (&updated["method"], &updated["params"]["uri"]),
        (&json!("notifications/resources/updated"), &json!(uri)),
        "{id}"
    );
}

#[test]
fn steps_of_a_task_are_recorded() {
    let repository = Repository::new();
    let command = repository.command(["mcp"]);
    let mut agent = Agent::start(command, modern(json!({})));
    assert_eq!(agent.call("flow_status", &json!({}))["task_id"], Value::Null);
    let start = json!({ "action": "start", "phase": "impl", "summary": "--begin" });
    let begun = agent.request("tools/call", json!({ "name": "flow_record", "arguments": start }));
    assert_eq!(begun["result"]["structuredContent"]["summary"], "--begin", "{begun}");
    assert_eq!(agent.call("flow_status", &json!({}))["current_phase"], "impl");
    let wrong = json!({ "action": "next-part", "phase": "nowhere", "summary": "x" });
    let refused = agent.refused("flow_record", &wrong);
    assert!(refused.contains("Unknown phase: nowhere"), "{refused}");
}

#[test]
fn flags_are_checked() {
    let folder = project();
    for flag in [
        &["--hold=0"][..],
        &["--hold=x"],
        &["--hold=-1"],
        &["--elicit=form"],
        &["--elicit="],
        &["--port=1"],
        &["--http", "--port=x"],
        &["--http", "--port=65536"],
    ] {
        assert_eq!(folder.aide([&["mcp"], flag].concat()).code, Some(2), "{flag:?}");
    }
    let mut command = folder.command(["mcp"]);
    let refused = command.env("AIDE_MCP_ELICIT", "form").output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("AIDE_MCP_ELICIT"));
    let mut command = folder.command(["mcp"]);
    let refused = command.env("AIDE_MCP_HOLD", "soon").output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("AIDE_MCP_HOLD"));
}

/// What a client that shows links declares.
fn shows_links() -> Value {
    json!({ "elicitation": { "form": {}, "url": {} } })
}

/// Reads the request to show the link; its id, and the name of the dialog.
#[track_caller]
fn elicited(agent: &mut Agent, port: u16) -> (Value, String) {
    let asked = agent.read();
    let params = &asked["params"];
    assert_eq!((&asked["method"], &params["mode"]), (&json!("elicitation/create"), &json!("url")), "{asked}");
    let url = params["url"].as_str().unwrap();
    // The address of the page, and nothing that lets in.
    assert!(url.starts_with(&format!("http://localhost:{port}")) && !url.contains("/t/"), "{asked}");
    assert!(params["message"].as_str().unwrap().contains("Shown"), "{asked}");
    (asked["id"].clone(), params["elicitationId"].as_str().unwrap().to_owned())
}

#[test]
fn a_client_with_a_short_clock_shows_the_link_and_no_reply_is_an_answer() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let mut agent = Agent::legacy(&folder, &[], shows_links());
    for reply in [
        json!({ "result": { "action": "decline" } }),
        json!({ "result": { "action": "cancel" } }),
        json!({ "result": { "action": "accept", "content": { "chosen": "a" } } }),
    ] {
        let (id, port) = agent.begin_asking("decide_submit", &questions(&format!("Shown {reply}")));
        let (asked, dialog) = elicited(&mut agent, port);
        read_like_a_person();
        let mut reply = reply.clone();
        reply["jsonrpc"] = "2.0".into();
        reply["id"] = asked;
        agent.send(&reply);
        let session = only_open(&folder);
        assert_eq!(agent.call("decide_result", &json!({ "session_id": session }))["status"], "pending");
        answer(port, &session);
        let complete = agent.read();
        assert_eq!(
            (&complete["method"], &complete["params"]),
            (&json!("notifications/elicitation/complete"), &json!({ "elicitationId": dialog })),
            "{complete}"
        );
        assert_eq!(agent.told(id)["status"], "answered");
    }
}

#[test]
fn a_link_that_no_person_can_have_seen_is_not_shown_again() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let mut agent = Agent::legacy(&folder, &[], shows_links());
    for is_first in [true, false] {
        let (id, port) = agent.begin_asking("decide_submit", &questions(&format!("Shown {is_first}")));
        if is_first {
            let (asked, _) = elicited(&mut agent, port);
            agent.send(&json!({ "jsonrpc": "2.0", "id": asked, "result": { "action": "accept" } }));
        }
        let session = only_open(&folder);
        agent.request("ping", json!({}));
        answer(port, &session);
        let mut told = agent.read();
        if is_first {
            assert_eq!(told["method"], "notifications/elicitation/complete", "{told}");
            told = agent.read();
        }
        assert_eq!(
            (&told["id"], &told["result"]["structuredContent"]["status"]),
            (&json!(id), &json!("answered"))
        );
    }
}

#[test]
fn links_are_shown_by_those_alone_that_can_and_should() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let form = json!({ "elicitation": {} });
    for (arguments, capabilities) in [
        (vec![], form),
        (vec!["--elicit", "off"], shows_links()),
        // Waiting costs it nothing.
        (vec!["--hold", "600"], shows_links()),
    ] {
        let mut agent = Agent::legacy(&folder, &arguments, capabilities);
        let (id, port) = agent.begin_asking("decide_submit", &questions("Not shown"));
        let session = only_open(&folder);
        agent.request("ping", json!({}));
        answer(port, &session);
        let told = agent.read();
        assert_eq!(told["id"], id, "{arguments:?}: {told}");
        agent.request("ping", json!({}));
        Agent::delivered(&folder, &session);
    }
    let mut agent = Agent::legacy(&folder, &["--elicit", "url", "--hold", "600"], shows_links());
    let (_, port) = agent.begin_asking("decide_submit", &questions("Shown"));
    elicited(&mut agent, port);
}

#[test]
fn a_dialog_that_is_open_at_the_end_of_a_call_is_closed() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let mut agent = Agent::legacy(&folder, &["--hold", "1"], shows_links());
    let (id, port) = agent.begin_asking("decide_submit", &questions("Shown"));
    let (asked, dialog) = elicited(&mut agent, port);
    let cancelled = agent.read();
    assert_eq!(
        (&cancelled["method"], &cancelled["params"]["requestId"]),
        (&json!("notifications/cancelled"), &asked),
        "{cancelled}"
    );
    let told = agent.told(id);
    assert_eq!(told["status"], "pending", "{told}");
    let session = session(&told);
    answer(port, &session);
    // The next call finds the end of what was shown.
    let id = agent.begin_call("decide_wait", &json!({ "session_id": session }));
    assert_eq!(agent.read()["params"], json!({ "elicitationId": dialog }));
    assert_eq!(agent.told(id)["status"], "answered");
}

#[test]
fn a_client_of_the_newest_revision_shows_the_link_before_it_waits() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let mut agent = Agent::modern(&folder, &["--elicit", "url"], shows_links());
    let call = json!({ "name": "decide_submit", "arguments": questions("Shown") });
    let sent = agent.request("tools/call", call.clone());
    let result = &sent["result"];
    assert_eq!(result["resultType"], "input_required", "{sent}");
    let request = &result["inputRequests"]["page"];
    assert_eq!(
        (&request["method"], &request["params"]["mode"]),
        (&json!("elicitation/create"), &json!("url"))
    );
    let port = port(request["params"]["url"].as_str().unwrap());
    let state = result["requestState"].as_str().unwrap().to_owned();
    let session = only_open(&folder);
    let again = |task: &str, state: &str| {
        json!({
            "name": "decide_submit", "arguments": questions(task), "requestState": state,
            "inputResponses": { "page": { "action": "decline" } },
        })
    };
    for (task, state) in [("Shown", format!("{state}A")), ("Shown", "x".to_owned()), ("Other", state.clone())]
    {
        let refused = agent.request("tools/call", again(task, &state));
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        assert!(
            refused["error"]["message"].as_str().unwrap().starts_with("requestState was not"),
            "{refused}"
        );
    }
    assert_eq!(only_open(&folder), session);
    read_like_a_person();
    let mut params = again("Shown", &state);
    params["_meta"] = json!({ "progressToken": "p" });
    let id = agent.begin("tools/call", params);
    assert_eq!(agent.read()["method"], "notifications/progress");
    answer(port, &session);
    let told = agent.told(id);
    assert_eq!((&told["status"], self::session(&told)), (&json!("answered"), session));
    // By itself it is not asked to: its call can take as long as it needs.
    let mut agent = Agent::modern(&folder, &["--hold", "1"], shows_links());
    assert_eq!(agent.call("decide_submit", &questions("Held"))["status"], "pending");
}

#[test]
fn a_client_that_is_woken_does_not_wait() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let mut command = folder.command(["mcp"]);
    command.env("AIDE_MCP_WAKE", "1");
    let mut agent = Agent::start(command, modern(json!({})));
    let told = agent.call("decide_submit", &questions("Woken"));
    assert_eq!(told["status"], "pending", "{told}");
    let next = told["next"].as_str().unwrap();
    assert!(next.contains("end your turn: the answer will be delivered to you"), "{next}");
    assert!(!next.contains("decide_wait"), "{next}");
    // If it wants to wait, it can.
    let mut waiting = questions("Woken");
    waiting["wait"] = true.into();
    let (id, port) = agent.begin_asking("decide_submit", &waiting);
    answer(port, &session(&told));
    assert_eq!(agent.told(id)["status"], "answered");
}

#[test]
fn the_skill_is_read_like_a_resource() {
    let folder = project();
    for mut agent in [Agent::legacy(&folder, &[], json!({})), Agent::modern(&folder, &[], json!({}))] {
        let listed = agent.request("skills/list", json!({}));
        let skill = &listed["result"]["skills"][0];
        assert_eq!(
            (&skill["uri"], &skill["frontmatter"]["name"]),
            (&json!("skill://aide/SKILL.md"), &json!("aide"))
        );
        let got = agent.request("skills/get", json!({ "uri": skill["uri"] }));
        assert_eq!(&got["result"]["skill"], skill, "{got}");
        let read = agent.request("resources/read", json!({ "uri": skill["uri"] }));
        let content = &read["result"]["contents"][0];
        let text = content["text"].as_str().unwrap();
        let kept = format!("{}/../plugin/skills/aide/SKILL.md", env!("CARGO_MANIFEST_DIR"));
        assert_eq!(text, fs::read_to_string(kept).unwrap());
        assert_eq!(
            (&content["mimeType"], &skill["resources"][0]["size"]),
            (&json!("text/markdown"), &json!(text.len()))
        );
        let unknown = agent.request("skills/get", json!({ "uri": "skill://other/SKILL.md" }));
        assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    }
}

#[test]
fn the_end_of_a_task_is_pushed_to_those_alone_that_know_it() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let capabilities = json!({ "extensions": { (TASKS): {} } });
    let mut agent = Agent::modern(&folder, &[], capabilities);
    let begun =
        agent.request("tools/call", json!({ "name": "decide_submit", "arguments": questions("Pushed") }));
    let id = begun["result"]["taskId"].as_str().unwrap().to_owned();
    let port = port(begun["result"]["statusMessage"].as_str().unwrap());
    let session = only_open(&folder);
    let forged = format!("{session}.{}", "0".repeat(32));
    let ids = json!({ "notifications": { "taskIds": [id, forged, "x"] } });
    let listen = agent.begin("subscriptions/listen", ids);
    let acknowledged = agent.read();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged", "{acknowledged}");
    // What is unknown is accepted as well, and never heard of: a refusal would say something of it.
    assert_eq!(acknowledged["params"]["notifications"]["taskIds"], json!([id, forged]));
    answer(port, &session);
    let pushed = agent.read();
    let params = &pushed["params"];
    assert_eq!(pushed["method"], "notifications/tasks", "{pushed}");
    assert_eq!((&params["taskId"], &params["status"]), (&json!(id), &json!("completed")), "{pushed}");
    assert_eq!(params["_meta"]["io.modelcontextprotocol/subscriptionId"], listen, "{pushed}");
    assert_eq!(params["result"]["structuredContent"]["status"], "answered", "{pushed}");
    agent.call("decide_list", &json!({}));
    Agent::delivered(&folder, &session);
}

/// A consent is for once: the person is asked again, also where the client has said nothing in between.
#[test]
fn the_same_questions_behind_their_answer_are_asked_again() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let mut agent = Agent::legacy(&folder, &["--hold", "600"], json!({}));
    let mut sessions = Vec::new();
    for _ in 0..10 {
        let (id, port) = agent.begin_asking("decide_submit", &questions("May I delete it?"));
        let session = only_open(&folder);
        answer(port, &session);
        let told = agent.told(id);
        assert_eq!((&told["status"], self::session(&told)), (&json!("answered"), session.clone()), "{told}");
        assert!(!sessions.contains(&session), "{session}");
        sessions.push(session);
    }
}

#[test]
fn what_was_asked_before_an_answer_was_sent_is_no_receipt() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let mut agent = Agent::legacy(&folder, &[], json!({}));
    let told = agent.call("decide_submit", &without_waiting("Pipelined"));
    let session = session(&told);
    answer(port(told["url"].as_str().unwrap()), &session);
    let call = json!({ "name": "decide_submit", "arguments": questions("Pipelined") });
    let call = json!({ "jsonrpc": "2.0", "id": 90, "method": "tools/call", "params": call });
    // In one piece, so that all of it was read before any of it is answered.
    let pings: String =
        (91..99).map(|id| format!("\n{}", json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }))).collect();
    agent.send_line(format!("{call}{pings}").as_bytes());
    let mut answered: Vec<_> = (90..99).map(|_| agent.read()["id"].as_u64().unwrap()).collect();
    answered.sort_unstable();
    assert!(answered.into_iter().eq(90..99));
    // What was noted until then is written when it ends.
    assert_eq!(agent.end(), (Some(0), String::new()));
    assert_eq!(folder.file(&format!("receipts/{session}.json")).get("delivered_at"), None);
    let mut agent = Agent::legacy(&folder, &[], json!({}));
    assert_eq!(agent.call("decide_submit", &questions("Pipelined"))["status"], "answered");
    agent.request("ping", json!({}));
    Agent::delivered(&folder, &session);
}

#[test]
fn a_part_of_the_answers_says_that_the_rest_is_open() {
    let folder = project();
    let _background = BackgroundGuard(&folder);
    let mut agent = Agent::modern(&folder, &[], json!({}));
    let mut asked = without_waiting("Partial");
    let mut second = asked["items"][0].clone();
    second["id"] = 2.into();
    asked["items"].as_array_mut().unwrap().push(second);
    asked["partial"] = true.into();
    let told = agent.call("decide_submit", &asked);
    let session = session(&told);
    answer(port(told["url"].as_str().unwrap()), &session);
    let told = agent.call("decide_result", &json!({ "session_id": session }));
    assert_eq!(
        (&told["status"], told["answers"].as_array().unwrap().len()),
        (&json!("answered"), 1),
        "{told}"
    );
    let next = told["next"].as_str().unwrap();
    let rest = only_open(&folder);
    let expected =
        format!("the user will answer item 2 later. For those call decide_wait with session_id {rest}");
    assert!(next.contains(&expected), "{next}");
    let waited = agent.call("decide_list", &json!({}));
    assert_eq!(waited["decisions"][0]["session_id"], json!(rest), "{waited}");
}
