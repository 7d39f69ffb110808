//! `aide hook`, against what agents write to their hooks.

use crate::support::http::{exchange, get, head, post_form, post_head};
use crate::support::mcp::Agent;
use crate::support::{BackgroundGuard, CommandOutput, Folder, server, until};
use crate::uploads::attach;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

/// What Claude Code writes before it calls AskUserQuestion.
fn ask(folder: &Folder, call: &str, questions: &Value) -> Value {
    json!({
        "session_id": "0b1c", "transcript_path": "/tmp/0b1c.jsonl", "cwd": folder.path(), "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "AskUserQuestion", "tool_use_id": call,
        "tool_input": { "questions": questions },
    })
}

fn framework(question: &str) -> Value {
    json!({
        "question": question, "header": "Framework", "multiSelect": false,
        "options": [
            { "label": "React (Recommended)", "description": "Known", "preview": "<b>React</b>" },
            { "label": "Vue", "description": "Smaller" },
        ],
    })
}

fn hook(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = folder.command(["--lang", "en", "hook"].iter().chain(arguments));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Starts a hook with what an agent writes.
fn begin(folder: &Folder, arguments: &[&str], given: &str) -> Child {
    let mut child = hook(folder, arguments).spawn().unwrap();
    child.stdin.take().unwrap().write_all(given.as_bytes()).unwrap();
    child
}

fn run(folder: &Folder, arguments: &[&str], given: &str) -> CommandOutput {
    CommandOutput::new(begin(folder, arguments, given).wait_with_output().unwrap())
}

fn end(child: Child) -> CommandOutput {
    CommandOutput::new(child.wait_with_output().unwrap())
}

/// The sessions that are open, in their order.
fn open(folder: &Folder) -> Vec<String> {
    let Ok(names) = fs::read_dir(folder.decision("open")) else { return Vec::new() };
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names = names
        .filter_map(|name| name.strip_suffix(".json").filter(|name| !name.contains('.')).map(str::to_owned));
    let mut open: Vec<_> =
        names.filter(|session| !folder.decision(&format!("{session}.json")).exists()).collect();
    open.sort();
    open
}

/// Waits until so many sets are open and their page is served.
#[track_caller]
fn asked(folder: &Folder, count: usize) -> (Vec<String>, u16) {
    until("the questions are shown", || {
        open(folder).len() == count
            && server(folder).is_some_and(|server| {
                let port = u16::try_from(server["port"].as_u64().unwrap()).unwrap();
                TcpStream::connect(("127.0.0.1", port)).is_ok()
            })
    });
    let port = server(folder).unwrap()["port"].as_u64().unwrap();
    (open(folder), u16::try_from(port).unwrap())
}

#[track_caller]
fn answer(port: u16, session: &str, decisions: &Value) {
    let body = json!({ "decisions": decisions }).to_string();
    let request = post_head(port, &format!("/d/{session}/api/submit"), body.len()) + &body;
    // A server whose own questions have ended makes place for one for the others, and takes no new connection until that is there.
    let mut answered = None;
    until("the page is served", || {
        answered = exchange(port, &request, Duration::from_secs(10)).ok();
        answered.is_some()
    });
    assert_eq!(answered.unwrap().status, 200);
}

fn record(folder: &Folder, session: &str) -> Value {
    folder.file(&format!("{session}.json"))
}

/// The page of a session that has ended says so. The server may be another one by now.
#[track_caller]
fn shows(folder: &Folder, session: &str, lang: &str, words: &str) {
    until(words, || {
        let Some(port) = server(folder).and_then(|server| u16::try_from(server["port"].as_u64()?).ok())
        else {
            return false;
        };
        let request = head("GET", &format!("/history/{session}?lang={lang}"), port, "Connection: close\r\n");
        exchange(port, &request, Duration::from_secs(5)).is_ok_and(|page| page.text().contains(words))
    });
}

fn receipt(folder: &Folder, session: &str) -> Value {
    folder.file(&format!("receipts/{session}.json"))
}

const ASK: &[&str] = &["ask-user-question"];

#[test]
fn what_is_answered_on_the_page_is_the_answer_to_the_dialog() {
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    let questions = json!([
        framework("Which framework?"),
        {
            "question": "Which parts?", "header": "Parts", "multiSelect": true,
            "options": [{ "label": "API", "description": "" }, { "label": "UI", "description": "" }],
        },
        framework("And later?"),
    ]);
    let given = ask(&folder, "toolu_1", &questions);
    let child = begin(&folder, ASK, &given.to_string());
    let (sessions, port) = asked(&folder, 1);
    let page = get(port, "/").text().to_owned();
    assert!(page.contains("<b>React</b>") && page.contains("Which framework?"), "{page}");
    // Who asks, and until when, stands there.
    assert!(
        page.contains("claude-code")
            && folder.file(&format!("open/{}.json", sessions[0]))["_meta"]["deadline"].is_string()
    );
    answer(
        port,
        &sessions[0],
        &json!([
            { "id": 1, "chosen": "React (Recommended)", "note": "as ever" },
            { "id": 2, "chosen": ["API", "UI"], "other": "docs, too" },
            { "id": 3, "chosen": null, "other": "ask me in May" },
        ]),
    );
    let finished = end(child);
    assert_eq!((finished.code, &*finished.stderr), (Some(0), ""));
    let printed: Value = serde_json::from_str(&finished.stdout).unwrap();
    let expected = json!({ "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "allow",
        "updatedInput": {
            "questions": questions,
            "answers": {
                "Which framework?": "React (Recommended)",
                "Which parts?": "API, UI, docs, too",
                "And later?": "ask me in May",
            },
            "annotations": { "Which framework?": { "preview": "<b>React</b>", "notes": "as ever" } },
        },
    } });
    assert_eq!(printed, expected);
    assert!(receipt(&folder, &sessions[0])["delivered_at"].is_string());
}

#[test]
fn a_note_without_a_choice_and_the_files_that_were_attached_are_handed_on() {
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    let files = json!({ "question": "Which logo?", "header": "Logo", "kind": "files", "max": 3 });
    let mut optional = framework("Which framework?");
    optional["required"] = json!(false);
    let given = ask(&folder, "toolu_1", &json!([files, optional, framework("And later?")]));
    let child = begin(&folder, ASK, &given.to_string());
    let (sessions, port) = asked(&folder, 1);
    assert_eq!(attach(port, &sessions[0], "logo.svg", b"<svg/>").status, 200);
    answer(
        port,
        &sessions[0],
        &json!([{ "id": 1, "chosen": null }, { "id": 2, "chosen": null, "note": "Ask Kim" }, { "id": 3, "chosen": "Vue" }]),
    );
    let printed: Value = serde_json::from_str(&end(child).stdout).unwrap();
    let told = &printed["hookSpecificOutput"]["updatedInput"];
    let path = format!(".aide/decisions/files/{}/1/logo.svg", sessions[0]);
    assert_eq!(fs::read(folder.join(&path)).unwrap(), b"<svg/>");
    assert_eq!(told["answers"], json!({ "Which logo?": path, "And later?": "Vue" }));
    assert_eq!(told["annotations"], json!({ "Which framework?": { "notes": "Ask Kim" } }));
}

#[test]
fn what_is_sent_back_is_a_refusal_with_the_reason() {
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    let asked_twice = json!([framework("Which framework?"), framework("And later?")]);
    let child = begin(&folder, ASK, &ask(&folder, "toolu_1", &asked_twice).to_string());
    let (sessions, port) = asked(&folder, 1);
    let body = format!("session={}&return-message=Of+what%3F&return-item=2&action=return", sessions[0]);
    assert_eq!(post_form(port, "/submit", &body).status, 200);
    let finished = end(child);
    let printed: Value = serde_json::from_str(&finished.stdout).unwrap();
    let told = &printed["hookSpecificOutput"];
    assert_eq!((&told["permissionDecision"], finished.code), (&json!("deny"), Some(0)));
    let reason = told["permissionDecisionReason"].as_str().unwrap();
    assert!(reason.contains("sent them back (\"And later?\"): Of what?\n"), "{reason}");
}

#[test]
fn gemini_is_refused_with_the_answers() {
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    let questions = json!([
        { "question": "Which?", "header": "Choice", "type": "choice", "options": [
            { "label": "A", "description": "a" }, { "label": "B", "description": "b" },
        ] },
        { "question": "Sure?", "header": "Sure", "type": "yesno" },
        { "question": "Name?", "header": "Name", "type": "text", "placeholder": "x" },
    ]);
    let given = json!({
        "session_id": "g", "transcript_path": "", "cwd": folder.path(), "hook_event_name": "BeforeTool",
        "timestamp": "2026-11-25T10:00:00Z", "tool_name": "ask_user", "tool_input": { "questions": questions },
    });
    let child = begin(&folder, ASK, &given.to_string());
    let (sessions, port) = asked(&folder, 1);
    answer(
        port,
        &sessions[0],
        &json!([
            { "id": 1, "chosen": "B" }, { "id": 2, "chosen": "Yes", "note": "n" }, { "id": 3, "chosen": null, "other": "x" },
        ]),
    );
    let printed: Value = serde_json::from_str(&end(child).stdout).unwrap();
    assert_eq!(printed["decision"], "deny");
    let reason = printed["reason"].as_str().unwrap();
    let answers: Value = serde_json::from_str(&reason[reason.find('{').unwrap()..]).unwrap();
    let expected = json!({ "answers": {
        "0": { "question": "Which?", "answer": "B" },
        "1": { "question": "Sure?", "answer": "Yes", "notes": "n" },
        "2": { "question": "Name?", "answer": "x" },
    } });
    assert_eq!(answers, expected);
}

#[test]
fn what_cannot_be_asked_is_left_to_the_agent_without_a_word() {
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    let before = folder.tree();
    let good = ask(&folder, "t", &json!([framework("Which?")]));
    let with = |pointer: &str, value: Value| {
        let mut given = good.clone();
        *given.pointer_mut(pointer).unwrap() = value;
        given.to_string()
    };
    for given in [
        String::new(),
        "{".to_owned(),
        "[]".to_owned(),
        "\u{1}".repeat(4096),
        good.to_string()[..good.to_string().len() / 2].to_owned(),
        with("/hook_event_name", json!("PostToolUse")),
        with("/tool_name", json!("Bash")),
        with("/tool_name", json!("ask_user")),
        with("/tool_input", json!(null)),
        with("/tool_input/questions", json!([])),
        with("/tool_input/questions", json!("Which?")),
        with("/tool_input/questions/0/question", json!(" ")),
        with("/tool_input/questions/0/options", json!([{ "label": "one" }])),
        // Answers go by the text of the question.
        with("/tool_input/questions", json!([framework("Which?"), framework("Which?")])),
    ] {
        run(&folder, ASK, &given).succeeded("");
    }
    assert_eq!(folder.tree(), before);
    // Neither a project nor a work tree: nothing is made.
    let elsewhere = Folder::empty();
    run(&elsewhere, ASK, &ask(&elsewhere, "t", &json!([framework("Which?")])).to_string()).succeeded("");
    assert!(elsewhere.tree().is_empty());
    // No server is to be had: what was asked is withdrawn.
    let refused = Folder::project();
    let mut command = hook(&refused, ASK);
    // An address of documents, which no machine has.
    command.env("AIDE_DECIDE_BIND", "192.0.2.1");
    let mut child = command.spawn().unwrap();
    let given = ask(&refused, "t", &json!([framework("Which?")])).to_string();
    child.stdin.take().unwrap().write_all(given.as_bytes()).unwrap();
    end(child).succeeded("");
    assert_eq!(open(&refused), Vec::<String>::new());
    // A flag that makes no sense is an error, and does not refuse the call as exit code 2 would.
    let told = run(&folder, &["ask-user-question", "--timeout", "0"], &good.to_string());
    assert_eq!((told.code, &*told.stdout), (Some(1), ""), "{told:?}");
}

#[test]
fn a_work_tree_without_aide_becomes_a_project() {
    let folder = Folder::empty();
    let _background = BackgroundGuard(&folder);
    fs::create_dir_all(folder.join(".git")).unwrap();
    fs::create_dir_all(folder.join("src")).unwrap();
    let mut given = ask(&folder, "t", &json!([framework("Which?")]));
    given["cwd"] = json!(folder.join("src"));
    let mut command = hook(&folder, ASK);
    command.env("AIDE_DECIDE_PORT", "0");
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(given.to_string().as_bytes()).unwrap();
    let (sessions, port) = asked(&folder, 1);
    answer(port, &sessions[0], &json!([{ "id": 1, "chosen": "Vue" }]));
    let finished = end(child);
    assert!(finished.stdout.contains("\"Which?\":\"Vue\""));
    assert_eq!(finished.stderr, format!("→ created {}\n", folder.join(".aide").display()));
}

#[test]
fn a_hook_that_gives_up_withdraws_its_questions() {
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    let given = ask(&folder, "t", &json!([framework("Which?")])).to_string();
    let child = begin(&folder, &["ask-user-question", "--timeout", "2"], &given);
    let (sessions, _) = asked(&folder, 1);
    end(child).succeeded("");
    assert!(record(&folder, &sessions[0])["expired_at"].is_string(), "{}", record(&folder, &sessions[0]));
    assert_eq!(open(&folder), Vec::<String>::new());
}

#[test]
fn whatever_ends_a_hook_its_questions_are_withdrawn() {
    for (name, signal) in [("kill", Signal::KILL), ("term", Signal::TERM), ("interrupt", Signal::INT)] {
        let folder = Folder::project_on_any_port();
        let _background = BackgroundGuard(&folder);
        let given = ask(&folder, name, &json!([framework("Which?")])).to_string();
        let child = begin(&folder, ASK, &given);
        let (sessions, _) = asked(&folder, 1);
        kill_process(Pid::from_child(&child), signal).unwrap();
        let finished = end(child);
        assert_eq!(finished.stdout, "", "{name}");
        until("they are withdrawn", || open(&folder).is_empty());
        assert_eq!(record(&folder, &sessions[0])["cancelled"], true, "{name}");
    }
}

#[test]
fn an_agent_that_reads_no_answer_any_more_has_its_questions_withdrawn() {
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    let given = ask(&folder, "t", &json!([framework("Which?")])).to_string();
    let mut child = begin(&folder, ASK, &given);
    let (sessions, _) = asked(&folder, 1);
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(record(&folder, &sessions[0])["cancelled"], true);
}

#[test]
fn a_page_whose_server_is_killed_comes_back() {
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    let child = begin(&folder, ASK, &ask(&folder, "t", &json!([framework("Which?")])).to_string());
    let (_, before) = asked(&folder, 1);
    let pid = server(&folder).unwrap()["pid"].as_i64().unwrap();
    kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), Signal::KILL).unwrap();
    until("another one serves", || server(&folder).is_some_and(|server| server["pid"] != pid));
    let (sessions, port) = asked(&folder, 1);
    assert_eq!(port, before);
    answer(port, &sessions[0], &json!([{ "id": 1, "chosen": "Vue" }]));
    assert!(end(child).stdout.contains("\"Which?\":\"Vue\""));
}

#[test]
fn eight_dialogs_at_once_get_eight_answers() {
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    // The same questions as well: each waits for its own.
    let text = |index: usize| format!("Which, {}?", index / 2);
    let children: Vec<_> = (0..8)
        .map(|index| {
            let given = ask(&folder, &format!("toolu_{index}"), &json!([framework(&text(index))]));
            begin(&folder, ASK, &given.to_string())
        })
        .collect();
    let (sessions, port) = asked(&folder, 8);
    for (number, session) in sessions.iter().enumerate() {
        answer(port, session, &json!([{ "id": 1, "chosen": null, "other": format!("answer {number}") }]));
    }
    let mut got: Vec<_> = children
        .into_iter()
        .enumerate()
        .map(|(index, child)| {
            let printed: Value = serde_json::from_str(&end(child).stdout).unwrap();
            let answers =
                printed["hookSpecificOutput"]["updatedInput"]["answers"].as_object().unwrap().clone();
            assert_eq!(answers.keys().collect::<Vec<_>>(), [&text(index)]);
            answers[&text(index)].as_str().unwrap().to_owned()
        })
        .collect();
    got.sort();
    assert_eq!(got, (0..8).map(|number| format!("answer {number}")).collect::<Vec<_>>());
}

/// Starts `aide mcp` for a client of this name.
fn client(folder: &Folder, name: &str) -> Agent {
    let mut agent = Agent::start(folder.command(["mcp"]), Value::Null);
    agent.request("initialize", json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": name, "version": "1.0" },
    }));
    agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    agent
}

/// A question of a client that waits, or does not.
fn question(task: &str, waits: bool) -> Value {
    let options = json!([{ "value": "a", "label": "A" }, { "value": "b", "label": "B" }]);
    json!({
        "task": task, "source": "s", "wait": waits, "items": [{ "id": 1, "title": "Which?", "options": options }],
    })
}

/// Asks by `aide mcp` as a client of this name, and returns the session and what the call said.
fn submit(folder: &Folder, name: &str, task: &str) -> (String, Value) {
    let mut agent = client(folder, name);
    let told = agent.call("decide_submit", &question(task, false));
    agent.end();
    (told["session_id"].as_str().unwrap().to_owned(), told)
}

/// What Claude Code writes after a call.
fn after_call(folder: &Folder, session: &str, told: &Value) -> String {
    json!({
        "session_id": session, "transcript_path": "/tmp/x.jsonl", "cwd": folder.path(), "permission_mode": "default",
        "hook_event_name": "PostToolUse", "tool_name": "mcp__aide__decide_submit", "tool_use_id": "toolu_1",
        "tool_input": { "task": "t" }, "tool_response": [{ "type": "text", "text": told.to_string() }],
    })
    .to_string()
}

fn after_turn(folder: &Folder, session: &str) -> String {
    json!({
        "session_id": session, "transcript_path": "/tmp/x.jsonl", "cwd": folder.path(), "permission_mode": "default",
        "hook_event_name": "Stop", "stop_hook_active": false,
    })
    .to_string()
}

const WAKE: &[&str] = &["wake"];

/// What a hook that wakes says of each set.
#[track_caller]
fn woken(finished: &CommandOutput) -> Vec<Value> {
    assert_eq!((finished.code, &*finished.stdout), (Some(2), ""), "{finished:?}");
    let mut lines = finished.stderr.lines();
    assert!(lines.next().unwrap().starts_with("aide: "), "{finished:?}");
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Waits until a hook waits for the answer to a session, or several do.
fn waits(folder: &Folder, session: &str, count: usize) {
    until("a hook waits", || {
        let names = fs::read_dir(folder.decision("receipts")).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with(session) && name.ends_with(".waker")).count() == count
    });
}

#[test]
fn an_answer_wakes_the_session_that_asked_once() {
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    let (session, told) = submit(&folder, "claude-code", "Woken");
    // As long as others are open, there is a page.
    submit(&folder, "another", "Other");
    let waiting = begin(&folder, WAKE, &after_call(&folder, "s1", &told));
    waits(&folder, &session, 1);
    // One waits already, and another session has asked nothing.
    run(&folder, WAKE, &after_call(&folder, "s1", &told)).succeeded("");
    run(&folder, WAKE, &after_turn(&folder, "s1")).succeeded("");
    run(&folder, WAKE, &after_turn(&folder, "s2")).succeeded("");
    let port = u16::try_from(server(&folder).unwrap()["port"].as_u64().unwrap()).unwrap();
    answer(port, &session, &json!([{ "id": 1, "chosen": "b" }]));
    let finished = end(waiting);
    shows(&folder, &session, "en", "The answer was delivered to Claude Code");
    shows(&folder, &session, "zh", "答案已送达 Claude Code");
    let told_now = woken(&finished);
    assert_eq!((&told_now[0]["status"], &told_now[0]["session_id"]), (&json!("answered"), &json!(session)));
    // As decide_result tells it.
    let mut agent = Agent::legacy(&folder, &[], json!({}));
    assert_eq!(told_now, [agent.call("decide_result", &json!({ "session_id": session }))]);
    let receipt = receipt(&folder, &session);
    assert!(receipt["delivered_at"].is_string() && receipt["wakes"]["s1"].is_string(), "{receipt}");
    for given in [after_call(&folder, "s1", &told), after_turn(&folder, "s1")] {
        run(&folder, WAKE, &given).succeeded("");
    }
}

#[test]
fn an_answer_that_was_faster_than_the_hook_wakes_as_well() {
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    let (session, told) = submit(&folder, "claude-code", "Fast");
    let port = u16::try_from(server(&folder).unwrap()["port"].as_u64().unwrap()).unwrap();
    answer(port, &session, &json!([{ "id": 1, "chosen": "b" }]));
    // Both events at once, several times over: one of them brings it.
    let children: Vec<_> = (0..4)
        .flat_map(|_| [after_call(&folder, "s1", &told), after_turn(&folder, "s1")])
        .map(|given| begin(&folder, WAKE, &given))
        .collect();
    let ended: Vec<_> = children.into_iter().map(end).collect();
    assert_eq!(ended.iter().filter(|ended| ended.code == Some(2)).count(), 1, "{ended:?}");
    assert!(ended.iter().all(|ended| ended.code == Some(2) || ended.stderr.is_empty()), "{ended:?}");
}

#[test]
fn a_turn_that_ends_is_woken_with_all_that_was_answered() {
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    let mut sessions = Vec::new();
    for task in ["one", "two", "three"] {
        let (session, told) = submit(&folder, "claude-code", task);
        // The hook of the call is gone, as when Claude Code was started anew.
        let mut waiting = begin(&folder, WAKE, &after_call(&folder, "s1", &told));
        waits(&folder, &session, 1);
        waiting.kill().unwrap();
        waiting.wait().unwrap();
        sessions.push(session);
    }
    let port = u16::try_from(server(&folder).unwrap()["port"].as_u64().unwrap()).unwrap();
    for session in &sessions[..2] {
        answer(port, session, &json!([{ "id": 1, "chosen": "a" }]));
    }
    let told = woken(&run(&folder, WAKE, &after_turn(&folder, "s1")));
    assert_eq!(
        told.iter().map(|told| told["session_id"].as_str().unwrap()).collect::<Vec<_>>(),
        sessions[..2]
    );
    // The next turn waits for the last.
    let waiting = begin(&folder, WAKE, &after_turn(&folder, "s1"));
    waits(&folder, &sessions[2], 1);
    answer(port, &sessions[2], &json!([{ "id": 1, "chosen": "a" }]));
    assert_eq!(woken(&end(waiting))[0]["session_id"], sessions[2].as_str());
}

#[test]
fn two_sessions_that_asked_the_same_are_both_woken() {
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    let (session, told) = submit(&folder, "claude-code", "Same");
    let waiting: Vec<_> =
        ["s1", "s2"].iter().map(|agent| begin(&folder, WAKE, &after_call(&folder, agent, &told))).collect();
    waits(&folder, &session, 2);
    let port = u16::try_from(server(&folder).unwrap()["port"].as_u64().unwrap()).unwrap();
    answer(port, &session, &json!([{ "id": 1, "chosen": "a" }]));
    for waiting in waiting {
        assert_eq!(woken(&end(waiting)).len(), 1);
    }
}

#[test]
fn a_session_that_has_ended_is_not_woken_and_its_answer_is_kept() {
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    let (session, told) = submit(&folder, "claude-code", "Ended");
    let (other, _) = submit(&folder, "x", "Other");
    submit(&folder, "another", "Open");
    let mut waiting = begin(&folder, WAKE, &after_call(&folder, "s1", &told));
    waits(&folder, &session, 1);
    // Claude Code does not read any more.
    drop(waiting.stderr.take());
    assert_eq!(waiting.wait().unwrap().code(), Some(0));
    let port = u16::try_from(server(&folder).unwrap()["port"].as_u64().unwrap()).unwrap();
    answer(port, &other, &json!([{ "id": 1, "chosen": "a" }]));
    answer(port, &session, &json!([{ "id": 1, "chosen": "a" }]));
    assert_eq!(receipt(&folder, &session).get("delivered_at"), None);
    shows(&folder, &session, "en", "The session of Claude Code has ended; the answer is kept");
    shows(&folder, &other, "en", "x has not fetched the answer yet; it is kept");
    // Taken up again, it gets it.
    assert_eq!(woken(&run(&folder, WAKE, &after_turn(&folder, "s1"))).len(), 1);
}

#[test]
fn corrected_questions_are_waited_for_in_the_place_of_the_first() {
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    let (session, told) = submit(&folder, "claude-code", "Corrected");
    let waiting = begin(&folder, WAKE, &after_call(&folder, "s1", &told));
    waits(&folder, &session, 1);
    let mut agent = Agent::legacy(&folder, &[], json!({}));
    let amended = agent.call("decide_amend", &json!({
        "session_id": session, "task": "Corrected", "source": "s",
        "items": [{ "id": 1, "title": "Which one?", "options": [{ "value": "c", "label": "C" }, { "value": "d", "label": "D" }] }],
    }));
    let by = amended["session_id"].as_str().unwrap().to_owned();
    waits(&folder, &by, 1);
    let (_, port) = asked(&folder, 1);
    answer(port, &by, &json!([{ "id": 1, "chosen": "d" }]));
    assert_eq!(woken(&end(waiting))[0]["answers"][0]["chosen"], json!(["d"]));
}

#[test]
fn the_withdrawal_of_a_person_wakes_and_that_of_the_agent_does_not() {
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    let (session, told) = submit(&folder, "claude-code", "Withdrawn");
    let waiting = begin(&folder, WAKE, &after_call(&folder, "s1", &told));
    waits(&folder, &session, 1);
    let mut agent = Agent::legacy(&folder, &[], json!({}));
    agent.call("decide_cancel", &json!({ "session_id": session }));
    end(waiting).succeeded("");
    let (session, told) = submit(&folder, "claude-code", "Cancelled");
    let waiting = begin(&folder, WAKE, &after_call(&folder, "s1", &told));
    waits(&folder, &session, 1);
    assert_eq!(folder.aide(["decide", "cancel", &session]).code, Some(0));
    assert_eq!(woken(&end(waiting))[0]["status"], "cancelled");
}

#[test]
fn a_hook_with_nothing_to_bring_says_nothing() {
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    let (session, told) = submit(&folder, "claude-code", "Open");
    for given in [
        String::new(),
        "{".to_owned(),
        json!({ "session_id": "s1", "hook_event_name": "SessionStart", "cwd": folder.path() }).to_string(),
        after_call(&folder, "s1", &json!({ "status": "answered", "session_id": session })),
        after_call(&folder, "s1", &json!({ "status": "pending", "session_id": "../../x" })),
        after_turn(&folder, "s1"),
    ] {
        run(&folder, WAKE, &given).succeeded("");
    }
    let elsewhere = Folder::empty();
    run(&elsewhere, WAKE, &after_call(&elsewhere, "s1", &told)).succeeded("");
    assert!(elsewhere.tree().is_empty());
    run(&folder, &["wake", "--timeout", "1"], &after_call(&folder, "s1", &told)).succeeded("");
    assert_eq!(open(&folder), [session]);
    let unknown = run(&folder, &["wake", "--agent", "emacs"], &after_turn(&folder, "s1"));
    unknown.failed(1, "✗ no such agent: emacs\n  hint: agents: claude codex cursor\n");
}

/// The port of the page.
#[track_caller]
fn port(folder: &Folder) -> u16 {
    u16::try_from(server(folder).unwrap()["port"].as_u64().unwrap()).unwrap()
}

/// What Codex writes at the end of a turn.
fn turn_of_codex(folder: &Folder) -> String {
    json!({
        "session_id": "c1", "turn_id": "1", "cwd": folder.path(), "hook_event_name": "Stop", "stop_hook_active": false,
    })
    .to_string()
}

const WAKE_CODEX: &[&str] = &["wake", "--agent", "codex"];

/// The answers that a hook brings to Codex.
fn brought_to_codex(folder: &Folder) -> usize {
    let finished = run(folder, WAKE_CODEX, &turn_of_codex(folder));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let printed = serde_json::from_str::<Value>(&finished.stdout).ok();
    printed.map_or(0, |printed| printed["reason"].as_str().unwrap().lines().count() - 1)
}

/// Has Codex ask by a call that is held until the person has answered; returns the call and the session.
fn answered_by_call(folder: &Folder, agent: &mut Agent) -> (u64, String) {
    let (call, _) = agent.begin_asking("decide_submit", &question("Held", true));
    let session = open(folder)[1].clone();
    answer(port(folder), &session, &json!([{ "id": 1, "chosen": "b" }]));
    assert_eq!(agent.told(call)["status"], "answered");
    assert_eq!(brought_to_codex(folder), 0, "{}", receipt(folder, &session));
    (call, session)
}

#[test]
fn what_a_call_has_brought_is_not_repeated_at_the_end_of_a_turn() {
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    submit(&folder, "another", "As long as it is open, there is a page");
    let mut agent = client(&folder, "codex-mcp-client");
    // By the call that asks, by one that waits, and by one that fetches.
    let (_, session) = answered_by_call(&folder, &mut agent);
    // A client that has nothing more to say is not said to have left it.
    shows(&folder, &session, "en", "The answer was sent to Codex");
    for tool in ["decide_wait", "decide_result"] {
        let told = agent.call("decide_submit", &question(tool, false));
        let session = told["session_id"].as_str().unwrap();
        answer(port(&folder), session, &json!([{ "id": 1, "chosen": "b" }]));
        assert_eq!(agent.call(tool, &json!({ "session_id": session }))["status"], "answered");
        assert_eq!(brought_to_codex(&folder), 0, "{tool}: {}", receipt(&folder, session));
    }
    agent.end();
    assert_eq!(brought_to_codex(&folder), 0);
}

#[test]
fn a_cancellation_long_after_the_result_takes_no_answer_back() {
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    submit(&folder, "another", "As long as it is open, there is a page");
    let mut agent = client(&folder, "codex-mcp-client");
    let (call, session) = answered_by_call(&folder, &mut agent);
    // As a library does that cancels all requests of its session when that ends.
    thread::sleep(Duration::from_millis(400));
    let cancelled = json!({ "requestId": call });
    agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled }));
    agent.end();
    assert_eq!(brought_to_codex(&folder), 0, "{}", receipt(&folder, &session));
    shows(&folder, &session, "en", "The answer was sent to Codex");
}

#[test]
fn what_no_call_has_brought_is_brought_at_the_end_of_a_turn() {
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    submit(&folder, "another", "As long as it is open, there is a page");
    let choose = |session: &str| answer(port(&folder), session, &json!([{ "id": 1, "chosen": "b" }]));
    // It was told that the questions are open.
    let mut agent = client(&folder, "codex-mcp-client");
    let told = agent.call("decide_submit", &question("Told", false));
    choose(told["session_id"].as_str().unwrap());
    assert_eq!(brought_to_codex(&folder), 1);
    // It has given up its call.
    let (call, _) = agent.begin_asking("decide_submit", &question("Given up", true));
    let session = open(&folder)[1].clone();
    let cancelled = json!({ "requestId": call });
    agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled }));
    until("it waits no more", || !receipt(&folder, &session).to_string().contains("\"waits\""));
    choose(&session);
    assert_eq!(brought_to_codex(&folder), 1);
    // Another process of it has come back for the answer, and was killed while its call waited.
    let told = agent.call("decide_submit", &question("Killed", false));
    let session = told["session_id"].as_str().unwrap().to_owned();
    agent.end();
    let mut agent = client(&folder, "codex-mcp-client");
    agent.begin_asking("decide_wait", &json!({ "session_id": session }));
    assert_eq!(brought_to_codex(&folder), 0);
    agent.child.kill().unwrap();
    agent.child.wait().unwrap();
    choose(&session);
    assert_eq!(brought_to_codex(&folder), 1);
    assert_eq!(brought_to_codex(&folder), 0);
}

#[test]
fn two_programs_that_ask_the_same_both_get_the_answer_once() {
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    submit(&folder, "another", "As long as it is open, there is a page");
    let (session, _) = submit(&folder, "codex-mcp-client", "Same");
    let mut other = client(&folder, "claude-code");
    let (call, _) = other.begin_asking("decide_submit", &question("Same", true));
    answer(port(&folder), &session, &json!([{ "id": 1, "chosen": "b" }]));
    assert_eq!(other.told(call)["status"], "answered");
    other.end();
    assert_eq!(receipt(&folder, &session)["client"], "claude-code");
    assert_eq!(brought_to_codex(&folder), 1);
    assert_eq!(brought_to_codex(&folder), 0);
}

#[test]
fn a_session_is_not_woken_with_what_a_call_has_brought() {
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    submit(&folder, "another", "As long as it is open, there is a page");
    let mut agent = client(&folder, "claude-code");
    let told = agent.call("decide_submit", &question("Fetched", false));
    let session = told["session_id"].as_str().unwrap();
    let mut hook = begin(&folder, WAKE, &after_call(&folder, "s1", &told));
    waits(&folder, session, 1);
    // Claude Code was started anew meanwhile.
    hook.kill().unwrap();
    hook.wait().unwrap();
    answer(port(&folder), session, &json!([{ "id": 1, "chosen": "b" }]));
    assert_eq!(agent.call("decide_result", &json!({ "session_id": session }))["status"], "answered");
    run(&folder, WAKE, &after_turn(&folder, "s1")).succeeded("");
    // A call waits beside the hook: of both the call has it.
    let told = agent.call("decide_submit", &question("Waited for", false));
    let session = told["session_id"].as_str().unwrap();
    let hook = begin(&folder, WAKE, &after_call(&folder, "s1", &told));
    waits(&folder, session, 1);
    let (call, _) = agent.begin_asking("decide_wait", &json!({ "session_id": session }));
    answer(port(&folder), session, &json!([{ "id": 1, "chosen": "b" }]));
    assert_eq!(agent.told(call)["status"], "answered");
    end(hook).succeeded("");
    run(&folder, WAKE, &after_turn(&folder, "s1")).succeeded("");
    // The call is given up: the hook has it.
    let told = agent.call("decide_submit", &question("Given up", false));
    let session = told["session_id"].as_str().unwrap();
    let hook = begin(&folder, WAKE, &after_call(&folder, "s1", &told));
    waits(&folder, session, 1);
    let (call, _) = agent.begin_asking("decide_wait", &json!({ "session_id": session }));
    let cancelled = json!({ "requestId": call });
    agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled }));
    until("it waits no more", || !receipt(&folder, session).to_string().contains("\"waits\""));
    answer(port(&folder), session, &json!([{ "id": 1, "chosen": "b" }]));
    assert_eq!(woken(&end(hook))[0]["session_id"], session);
}

#[test]
fn the_rest_of_an_answer_wakes_the_session_as_well() {
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    submit(&folder, "another", "As long as it is open, there is a page");
    let parts = |waits: bool| {
        let mut asked = question("In parts", waits);
        asked["partial"] = json!(true);
        let mut second = asked["items"][0].clone();
        second["id"] = json!(2);
        second["title"] = json!("And which?");
        asked["items"].as_array_mut().unwrap().push(second);
        asked
    };
    let mut agent = client(&folder, "claude-code");
    let told = agent.call("decide_submit", &parts(false));
    agent.end();
    let session = told["session_id"].as_str().unwrap();
    let hook = begin(&folder, WAKE, &after_call(&folder, "s1", &told));
    waits(&folder, session, 1);
    answer(port(&folder), session, &json!([{ "id": 1, "chosen": "b" }]));
    let told = woken(&end(hook));
    let next = told[0]["next"].as_str().unwrap();
    assert!(next.contains("item 2 later. Their answer will be delivered to you"), "{next}");
    let rest = folder.file(&format!("{session}.json"))["output"]["open"]["session_id"].clone();
    let rest = rest.as_str().unwrap_or_else(|| panic!("{}", folder.file(&format!("{session}.json"))));
    let hook = begin(&folder, WAKE, &after_turn(&folder, "s1"));
    waits(&folder, rest, 1);
    answer(port(&folder), rest, &json!([{ "id": 2, "chosen": "a" }]));
    assert_eq!(woken(&end(hook))[0]["session_id"], rest);
    run(&folder, WAKE, &after_turn(&folder, "s1")).succeeded("");
    // Codex gets it at the end of a later turn.
    let mut agent = client(&folder, "codex-mcp-client");
    let (call, _) = agent.begin_asking("decide_submit", &parts(true));
    let session = open(&folder)[1].clone();
    answer(port(&folder), &session, &json!([{ "id": 1, "chosen": "b" }]));
    let told = agent.told(call);
    let rest = open(&folder)[1].clone();
    let next = told["next"].as_str().unwrap();
    assert!(next.ends_with(&format!("For those call decide_wait with session_id {rest}.")), "{next}");
    assert_eq!(brought_to_codex(&folder), 0);
    answer(port(&folder), &rest, &json!([{ "id": 2, "chosen": "a" }]));
    assert_eq!(brought_to_codex(&folder), 1);
    assert_eq!(brought_to_codex(&folder), 0);
}

#[test]
fn codex_and_cursor_get_at_the_end_of_a_turn_what_was_answered() {
    for (agent, client, given, text) in [
        (
            "codex",
            "codex-mcp-client",
            json!({ "session_id": "c1", "turn_id": "1", "hook_event_name": "Stop", "stop_hook_active": false }),
            ["decision", "reason"],
        ),
        (
            "cursor",
            "cursor-vscode",
            json!({ "conversation_id": "c1", "generation_id": "g", "hook_event_name": "stop", "status": "completed" }),
            ["", "followup_message"],
        ),
    ] {
        let folder = Folder::project_on_any_port();
        let _background = BackgroundGuard(&folder);
        let mut given = given;
        given["cwd"] = json!(folder.path());
        given["workspace_roots"] = json!([folder.path()]);
        let arguments = ["wake", "--agent", agent];
        let (session, _) = submit(&folder, client, "Asked");
        submit(&folder, "another", "By another");
        run(&folder, &arguments, &given.to_string()).succeeded("");
        let port = u16::try_from(server(&folder).unwrap()["port"].as_u64().unwrap()).unwrap();
        for session in open(&folder) {
            answer(port, &session, &json!([{ "id": 1, "chosen": "b" }]));
        }
        if agent == "cursor" {
            let mut aborted = given.clone();
            aborted["status"] = "aborted".into();
            run(&folder, &arguments, &aborted.to_string()).succeeded("");
        }
        // Several turns that end at once: one of them goes on.
        let children: Vec<_> = (0..4).map(|_| begin(&folder, &arguments, &given.to_string())).collect();
        let ended: Vec<_> = children.into_iter().map(end).filter(|ended| !ended.stdout.is_empty()).collect();
        assert_eq!(ended.len(), 1, "{ended:?}");
        let printed: Value = serde_json::from_str(&ended[0].stdout).unwrap();
        let told = printed[text[1]].as_str().unwrap();
        assert!(told.contains(&session) && told.lines().count() == 2, "{told}");
        assert!(text[0].is_empty() || printed[text[0]] == "block");
        assert!(receipt(&folder, &session)["delivered_at"].is_string());
        run(&folder, &arguments, &given.to_string()).succeeded("");
    }
}

/// Killed at random moments: every answer is delivered in the end, and none twice.
#[test]
fn a_hook_that_is_killed_loses_no_answer() {
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    for round in 0..12_u64 {
        let (session, told) = submit(&folder, "claude-code", &format!("round {round}"));
        let port = u16::try_from(server(&folder).unwrap()["port"].as_u64().unwrap()).unwrap();
        let mut waiting = begin(&folder, WAKE, &after_call(&folder, "s1", &told));
        waits(&folder, &session, 1);
        answer(port, &session, &json!([{ "id": 1, "chosen": "a" }]));
        thread::sleep(Duration::from_millis(round * 20));
        waiting.kill().unwrap();
        let mut said = String::new();
        waiting.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let is_woken = waiting.wait().unwrap().code() == Some(2);
        let next = run(&folder, WAKE, &after_turn(&folder, "s1"));
        let is_noted = receipt(&folder, &session)["delivered_at"].is_string();
        assert!(is_noted && (is_woken || next.code == Some(2) || !said.is_empty()), "{round}: {next:?}");
        assert!(!(is_woken && next.code == Some(2)), "{round}: twice");
    }
}
