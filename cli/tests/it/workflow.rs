//! `finger`, and `aide workflow`: what a daemon is asked, and the exit codes of contract/terminal §6.3.

use crate::support::daemon::Place;
use crate::support::http::{get, post_json};
use crate::support::{CommandOutput, begin, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Stdio};
use std::time::Duration;

/// Lets something happen to a workflow, as any program could.
#[track_caller]
fn transition(place: &Place, workflow: &str, trigger: &str, context: &Value) {
    let body = json!({ "trigger": trigger, "context": context }).to_string();
    let answer = post_json(place.http_port(), &format!("/api/v1/workflow/{workflow}/transition"), &body);
    assert_eq!(answer.status, 200, "{trigger}: {}", answer.text());
}

/// A workflow with two tasks, of which the first has a result.
fn executing(place: &Place) -> String {
    let workflow = place.begin("搜索 deepseek");
    transition(place, &workflow, "intent_analyzed", &json!({}));
    transition(place, &workflow, "routing_decided", &json!({ "route": "full_replan" }));
    let tasks = json!([
        { "id": "task-1", "description": "搜索" },
        { "id": "task-2", "description": "写报告", "dependencies": ["task-1"] },
    ]);
    transition(place, &workflow, "plan_created", &json!({ "tasks": tasks }));
    workflow
}

/// The lines that a command prints while the test goes on.
struct Lines {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Lines {
    fn start(mut command: std::process::Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    #[track_caller]
    fn next(&mut self) -> String {
        self.lines.next().expect("no more lines").unwrap()
    }

    /// The last lines, and the exit code.
    fn end(mut self) -> (Vec<String>, Option<i32>) {
        let rest = self.lines.by_ref().map(Result::unwrap).collect();
        (rest, self.child.wait().unwrap().code())
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

/// Words that newcomers did not understand, where they stand now.
#[test]
fn pause_says_what_it_does_on_the_page_and_in_the_help() {
    let place = Place::started();
    let workflow = place.begin("Write a report");
    let page = get(place.http_port(), &format!("/workflows/{workflow}?lang=en"));
    let words = "Pause finishes the current step. Pause now stops it; the step restarts on resume.";
    assert!(page.text().contains(words) && !page.text().contains("come to its end"), "{}", page.text());
    let zh = get(place.http_port(), &format!("/workflows/{workflow}?lang=zh"));
    assert!(zh.text().contains("暂停") && !zh.text().contains("Pause finishes"), "{}", zh.text());
    let help = place.finger(["pause", "--help"]).stdout;
    assert!(help.contains("The current step is finished, and no new step begins."), "{help}");
    assert!(help.contains("Stop the current step; it restarts on resume"), "{help}");
}

#[test]
fn a_workflow_is_begun_seen_steered_and_ended() {
    let place = Place::started();
    let workflow = executing(&place);
    let id = workflow.as_str();
    place.finger(["list"]).succeeded_with(&format!("- {id}: execution (executing), "));
    let told = format!("Workflow: {id}\nStatus: executing\nPhase: execution\nTasks: 0/2 completed\n");
    place.finger(["status", id]).succeeded(&told);
    place.finger(["tasks", id]).succeeded("- task-1: ready 搜索\n- task-2: pending 写报告\n");
    place.finger(["pause", id]).succeeded(&format!("Workflow paused: {id}\n"));
    // 409 is 1.
    place.finger(["pause", id]).failed_with(1, "✗ Workflow is already paused\n");
    let refused = place.finger(["pause", id, "--json"]);
    assert_eq!((refused.code, &*refused.stdout), (Some(1), ""));
    let told: Value = serde_json::from_str(&refused.stderr).unwrap();
    assert_eq!((&told["error"], &told["code"]), (&json!("Workflow is already paused"), &json!(1)));
    assert_eq!(told["details"]["code"], json!("WORKFLOW_ALREADY_PAUSED"));
    place.finger(["resume", id]).succeeded(&format!("Workflow resumed: {id}\n"));
    place.finger(["resume", id]).failed_with(1, "✗ ");
    place.finger(["pause", "--hard", id]).succeeded(&format!("Workflow paused: {id}\n"));
    place.finger(["resume", id]).succeeded(&format!("Workflow resumed: {id}\n"));
    let sent = format!("Input sent: {{\"success\":true,\"workflowId\":\"{id}\"}}\n");
    place.finger(["input", id, "briefer, please"]).succeeded(&sent);
    // No result yet: 404 is 4.
    let none = place.finger(["output", id]);
    none.failed_with(4, "✗ Workflow has no output\n  hint: aide workflow status ");
    assert!(
        none.stderr.contains(&format!("aide workflow status {id} shows its progress")),
        "{}",
        none.stderr
    );
    place.finger(["cancel", id]).succeeded(&format!("Workflow cancelled: {id}\n"));
    let again = place.finger(["cancel", id]);
    again.failed_with(1, "✗ Workflow has ended\n");
    assert!(again.stderr.contains("\n  currentState: cancelled\n"), "{}", again.stderr);
    let told = place.finger(["cancel", id, "--json"]).stderr;
    assert!(told.contains("\"currentState\":\"failed\"") && told.contains("\"cancelled\":true"), "{told}");
    place.finger(["input", id, "too late"]).failed_with(1, "✗ ");
    for arguments in
        [["status", "wf-x"], ["tasks", "wf-x"], ["output", "wf-x"], ["pause", "wf-x"], ["checkpoint", "s"]]
    {
        place.finger(arguments).failed_with(4, "✗ ");
    }
}

#[test]
fn everything_that_can_be_listed_is_there_as_json_as_well() {
    let place = Place::started();
    let id = executing(&place);
    assert_eq!(place.json(["list", "--json"])[0]["workflowId"], json!(id));
    assert_eq!(place.json(["status", &id, "-j"])["fsmState"], json!("execution"));
    assert_eq!(place.json(["tasks", &id, "--json"])[1]["dependencies"], json!(["task-1"]));
    assert_eq!(place.json(["agents", "--json"])[0]["id"], json!("executor-coding"));
    assert_eq!(place.json(["resources", "--json"])["count"], json!(5));
    let session = place.json(["sessions", "--json"])[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(place.json(["checkpoint", &session])["checkpoint"]["sessionId"], json!(session));
    let agents = place.finger(["agents"]);
    agents.succeeded_with("- executor-coding: available (executor)\n");
    let resources = place.finger(["resources"]);
    resources.succeeded_with("Available Resources (5):\n- executor-coding: available (executor)\n");
    // A session is called as its folder is; below it stand its workflows.
    place.finger(["sessions"]).succeeded_with(&format!("- {session}: work (active)\n  wf-"));
    // Another workflow in the same session; a message is found by its name as well.
    let begun = place.json(["orchestrate", "b", "--session", &session, "--json"]);
    assert_eq!((&begun["sessionId"], &begun["success"]), (&json!(session), &json!(true)));
    let message = begun["messageId"].as_str().unwrap();
    let told = place.finger(["status", message]);
    told.succeeded_with(&format!("Message: {message}\nStatus: "));
    place.finger(["orchestrate", "c", "-s", "session-x"]).failed_with(4, "✗ Session not found\n");
}

#[test]
fn a_workflow_that_stands_still_says_how_it_goes_on() {
    let place = Place::started();
    let workflow = executing(&place);
    let create = ["decision", "create", "Go on?", "--option", "Y", "--option", "n", "--workflow", &workflow];
    let created = place.finger(create);
    let id = created.stdout.strip_prefix("Decision created: ").unwrap().trim_end().to_owned();
    let refused = place.finger(["resume", &workflow]);
    let answer = format!("aide workflow decision respond {id} ANSWER\n");
    assert!(refused.code == Some(1) && refused.stderr.contains(&answer), "{refused:?}");
    place.finger(["pause", &workflow]).succeeded(&format!("Workflow paused: {workflow}\n"));
    let again = place.finger(["pause", &workflow]);
    assert!(again.stderr.contains("aide workflow resume\n"), "{again:?}");
    let told = format!(
        "⚠ the workflow is paused, and goes on once it is resumed\n  hint: run aide workflow resume {workflow}\n"
    );
    place.finger(["decision", "respond", &id, "Y"]).succeeded_and_said("Decision: Y\n", &told);
    let resumed = format!("  To resume: aide workflow resume {workflow}\n");
    assert!(place.finger(["list"]).stdout.ends_with(&resumed));
    assert!(place.finger(["status", &workflow]).stdout.ends_with(resumed.trim_start()));
    // What is said to it ends the pause, as the contract has it, and that is said.
    let said = place.finger(["input", &workflow, "be short"]);
    let ended = "→ this has ended the pause: the workflow begins anew with what you say\n";
    assert_eq!((said.code, &*said.stderr), (Some(0), ended), "{}", said.stdout);
    let running =
        "✗ Workflow is not paused\n  hint: it is already running; aide workflow status shows its progress\n";
    place.finger(["resume", &workflow]).failed_with(1, running);
    assert_eq!(place.finger(["input", &workflow, "and clear"]).stderr, "");
}

#[test]
fn decisions_are_asked_answered_and_waited_for() {
    let place = Place::started();
    let workflow = executing(&place);
    let arguments = ["decision", "create", "检测到网络访问，是否继续？", "--option", "Y", "--option", "n"];
    let create = || arguments.iter().copied().chain(["--workflow", &workflow]);
    let created = place.finger(create());
    let id = created.stdout.strip_prefix("Decision created: ").unwrap().trim_end().to_owned();
    let listed =
        format!("- {id}: pending 检测到网络访问，是否继续？\n  Workflow: {workflow}\n  1. Y\n  2. n\n");
    place.finger(["decision", "list"]).succeeded(&listed);
    place.finger(["decision", "list", "--workflow", &workflow]).succeeded(&listed);
    place.finger(["decision", "list", "--workflow", "wf-x"]).succeeded_and_said("", "No pending decisions\n");
    let pending = place.finger(["status", &workflow]).stdout;
    let asked = format!(
        "Decision: 检测到网络访问，是否继续？\n  1. Y\n  2. n\n  To answer: aide workflow decision respond {id} ANSWER\n"
    );
    assert!(pending.contains("\nStatus: waiting for you\nPhase: execution\n"), "{pending}");
    assert!(pending.ends_with(&asked), "{pending}");
    let line = place.finger(["list"]).stdout;
    assert!(line.starts_with(&format!("- {workflow}: execution (waiting for you), started ")), "{line}");
    // What is no answer is 400, which is 2.
    let refused = place.finger(["decision", "respond", &id, "maybe"]);
    assert!(refused.code == Some(2) && refused.stderr.starts_with("✗ type Y or n\n  hint: "), "{refused:?}");
    place.finger(["decision", "respond", &id, "Y"]).succeeded("Decision: Y\n");
    place.finger(["decision", "respond", &id, "n"]).failed_with(1, "✗ ");
    place.finger(["decision", "respond", "decision-x", "n"]).failed_with(4, "✗ ");
    place.finger(["decision", "list"]).succeeded_and_said("", "No pending decisions\n");
    place.finger(["decision", "list", "--all"]).succeeded_with(&format!("- {id}: answered "));
    // Of several, the part that is none of them is named.
    let three = ["a", "b", "c"].into_iter().flat_map(|option| ["--option", option]);
    let created = place.finger(["decision", "create", "Which?"].into_iter().chain(three));
    let several = created.stdout.strip_prefix("Decision created: ").unwrap().trim_end();
    place.finger(["decision", "list"]).succeeded(&format!(
        "- {several}: pending Which?\n  1. a\n  2. b\n  3. c\n  one or several, such as 1,2\n"
    ));
    let refused = place.finger(["decision", "respond", several, "a,d"]);
    let told =
        "✗ there is no option d; type numbers from 1 to 3, such as 1 or 1,3, or an option's words\n  hint: ";
    assert!(refused.code == Some(2) && refused.stderr.starts_with(told), "{refused:?}");
    place.finger(["decision", "respond", several, "a,3"]).succeeded("Decision: a,3\n");
    // A waiting client gets the answer.
    let waiting = begin(place.command(create().chain(["--wait"])));
    let pending = || place.finger(["decision", "list"]).stdout;
    until("nobody is asked", || !pending().is_empty());
    let id = pending()[2..].split(':').next().unwrap().to_owned();
    place.finger(["decision", "respond", &id, "2"]).succeeded("Decision: n\n");
    let answered = CommandOutput::new(waiting.wait_with_output().unwrap());
    assert_eq!((answered.code, &*answered.stdout), (Some(0), "Decision: n\n"));
    // The question expires, or the client's wait times out: 7.
    let expired = place.finger(create().chain(["--wait", "--expires", "1"]));
    assert_eq!((expired.code, &*expired.stdout), (Some(7), ""), "{}", expired.stderr);
    assert!(expired.stderr.ends_with("Decision: expired\n"), "{}", expired.stderr);
    let tired = place.finger(create().chain(["--wait", "--timeout", "0.3"]));
    assert_eq!((tired.code, &*tired.stdout), (Some(7), ""));
    assert!(tired.stderr.contains("✗ no answer within 0.3 s\n"), "{}", tired.stderr);
    for bad in [["--expires", "0"], ["--timeout", "0"], ["--timeout", "x"]] {
        place.finger(create().chain(bad)).failed_with(2, "✗ bad value for argument ");
    }
}

#[test]
fn events_are_told_as_they_were_and_as_they_come() {
    let place = Place::started();
    let (one, other) = (place.begin("one"), place.begin("other"));
    let history = |further: &[&str]| -> Vec<Value> {
        let told = place.finger(["events", "--json"].iter().chain(further)).stdout;
        told.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let all = history(&[]);
    assert_eq!(
        all.iter().map(|event| event["seq"].as_u64().unwrap()).collect::<Vec<_>>(),
        (1..=all.len() as u64).collect::<Vec<_>>()
    );
    let of = |events: &[Value]| -> Vec<String> {
        events.iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
    };
    assert!(history(&[&one]).iter().all(|event| event["workflowId"] == json!(one)));
    assert_eq!(of(&history(&["--types", "phase_*", &one])), ["phase_transition"]);
    assert_eq!(
        of(&history(&["--types", "phase_transition,user_message", &one])),
        ["user_message", "phase_transition"]
    );
    assert_eq!(of(&history(&["--group", "PHASE", &one])), ["phase_transition"]);
    // Both together are as over a socket: one or the other.
    assert_eq!(
        of(&history(&["--group", "PHASE", "-t", "user_message", &one])),
        ["user_message", "phase_transition"]
    );
    assert_eq!(history(&["--limit", "1"]), all[all.len() - 1..]);
    assert_eq!(history(&["--since", "1", "--limit", "1"]), all[1..2]);
    for follow in [None, Some("--follow")] {
        let args = ["events", "--group", "PHASE,NOBODY"].into_iter().chain(follow);
        let refused = "✗ bad value for argument --group: \"NOBODY\" is not one of SESSION, TASK, ";
        place.finger(args).failed_with(2, refused);
    }
    assert_eq!(history(&["--types", "nothing"]), [0; 0].map(|_: i32| Value::Null));
    let lines = place.finger(["events", &one, "--types", "phase_transition"]).stdout;
    let expected = "] phase_transition: {\"from\":\"idle\",\"to\":\"semantic_understanding\",\"trigger\":\"user_input_received\"}\n";
    assert!(lines.starts_with('[') && lines.ends_with(expected) && lines.lines().count() == 1, "{lines}");
    // As they come: of one workflow, of some types.
    let command = place.command(["events", &one, "--follow", "-t", "phase_*"]);
    let mut following = Lines::start(command);
    assert_eq!(following.next(), format!("Connected. Subscribing to workflow {one}..."));
    let mut limited = Lines::start(place.command(["events", "-f", "--json", "--limit", "2", "--since", "0"]));
    assert_eq!(serde_json::from_str::<Value>(&limited.next()).unwrap(), all[0]);
    assert_eq!(limited.end(), (vec![all[1].to_string()], Some(0)));
    place.finger(["pause", &other]).succeeded_with("Workflow paused");
    place.finger(["pause", &one]).succeeded_with("Workflow paused");
    let line = following.next();
    assert!(line.contains("\"from\":\"semantic_understanding\",\"to\":\"paused\""), "{line}");
    place.finger(["daemon", "stop"]).succeeded("Daemon stopped\n");
    assert_eq!(following.end(), (vec!["Connection closed".to_owned()], Some(0)));
    // The daemon is gone: 3.
    place.finger(["events", "--follow"]).failed_with(3, "✗ no daemon answers at ws://localhost:1: ");
}

#[test]
fn a_workflow_is_followed_to_its_end_which_is_the_exit_code() {
    let place = Place::started();
    for (trigger, code, phase) in
        [("cancel", 6, "cancelled"), ("fail", 5, "failed"), ("complete", 0, "completed")]
    {
        let workflow = executing(&place);
        let mut following = Lines::start(place.command(["status", "--follow", &workflow]));
        assert_eq!(following.next(), format!("Workflow: {workflow}"));
        assert_eq!(following.next(), "Status: executing");
        match trigger {
            "cancel" => place.finger(["cancel", &workflow]).succeeded_with("Workflow cancelled"),
            "fail" => transition(&place, &workflow, "error_occurred", &json!({ "lastError": "no network" })),
            _ => {
                let done = json!([
                    { "id": "task-1", "status": "completed" },
                    { "id": "task-2", "status": "completed" },
                ]);
                transition(&place, &workflow, "task_completed", &json!({ "tasks": done }));
                transition(&place, &workflow, "review_passed", &json!({ "output": "a report" }));
            }
        }
        let (lines, ended) = following.end();
        assert_eq!(ended, Some(code), "{trigger}: {lines:?}");
        assert!(lines.contains(&format!("Phase: {phase}")), "{trigger}: {lines:?}");
        if trigger == "complete" {
            place.finger(["output", &workflow]).succeeded("a report\n");
        }
    }
}

#[test]
fn what_was_not_understood_is_2_and_nobody_is_asked() {
    let place = Place::new();
    for arguments in [
        &["nothing"][..],
        &["status"],
        &["orchestrate"],
        &["decision", "respond", "d"],
        &["pause", "w", "--soft"],
        &["list", "--base-url", "localhost:8080"],
        &["events", "--limit", "0"],
        &["events", "--since", "-1"],
        &["decide", "list"],
    ] {
        place.finger(arguments).failed_with(2, "✗ ");
    }
    place.finger(["--version"]).succeeded(&format!("finger {}\n", env!("CARGO_PKG_VERSION")));
    let help = place.finger(["--help"]).stdout;
    assert!(help.contains("Usage: finger [OPTIONS] <COMMAND>") && help.contains("orchestrate"), "{help}");
    let help = place.finger(["status", "--help"]).stdout;
    assert!(help.contains("Usage: finger status [OPTIONS] NAME"), "{help}");
    let help = place.folder.aide(["workflow", "status", "--help"]).stdout;
    assert!(help.contains("aide workflow status [选项] NAME"), "{help}");
}

#[test]
fn who_waits_in_vain_is_told_by_the_exit_code() {
    let place = Place::new();
    // No daemon: 3.
    place
        .finger(["list", "--base-url", "http://127.0.0.1:1"])
        .failed_with(3, "✗ no daemon answers at http://127.0.0.1:1: ");
    // Also for a user without any folders.
    let mut command = place.command(["list"]);
    command.env_clear().env("AIDE_LANG", "en").env("FINGER_HTTP_PORT", "1");
    CommandOutput::new(command.output().unwrap())
        .failed_with(3, "✗ no daemon answers at http://localhost:1: ");
    // A server that never answers: 7, and Ctrl-C is 6.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    place
        .finger(["list", "--base-url", &url, "--timeout", "0.2"])
        .failed_with(7, "✗ no answer within 0.2 s\n");
    let waiting = begin(place.command(["list", "--base-url", &url]));
    silent.accept().unwrap();
    let (connection, _) = silent.accept().unwrap();
    kill_process(Pid::from_child(&waiting), Signal::INT).unwrap();
    let interrupted = CommandOutput::new(waiting.wait_with_output().unwrap());
    let awaited =
        format!("it was waiting for: the daemon's answer (ws://{}/ws)", silent.local_addr().unwrap());
    interrupted.failed(6, &format!("✗ interrupted\n  {awaited}\n"));
    drop(connection);
    // Something else than a daemon: 1.
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", other.local_addr().unwrap());
    let asking = begin(place.command(["list", "--base-url", &url]));
    let (mut stream, _) = other.accept().unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut head = [0; 2048];
    let _ = std::io::Read::read(&mut stream, &mut head).unwrap();
    let page = "<html>hello</html>";
    let answer =
        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{page}", page.len());
    std::io::Write::write_all(&mut stream, answer.as_bytes()).unwrap();
    drop(stream);
    CommandOutput::new(asking.wait_with_output().unwrap())
        .failed_with(1, &format!("✗ {url} sent an unexpected response: "));
}

#[test]
fn options_of_every_command_stand_before_it_as_well() {
    let place = Place::started();
    let workflow = place.begin("a");
    let listed = format!("- {workflow}: semantic_understanding (planning), ");
    // From where no daemon is known.
    let elsewhere = Place::new();
    let url = format!("http://localhost:{}", place.http_port());
    let nobody = "http://127.0.0.1:1";
    elsewhere.finger(["--base-url", &url, "list"]).succeeded_with(&listed);
    elsewhere
        .finger(["--base-url", nobody, "list"])
        .failed_with(3, "✗ no daemon answers at http://127.0.0.1:1: ");
    // What is said last counts.
    elsewhere.finger(["--base-url", nobody, "list", "--base-url", &url]).succeeded_with(&listed);
    elsewhere
        .finger(["--base-url", &url, "decision", "--timeout", "20", "list"])
        .succeeded_and_said("", "No pending decisions\n");
    for json in ["--json", "-j"] {
        let told = elsewhere.json([json, "--base-url", &url, "list"]);
        assert_eq!(told[0]["workflowId"], json!(workflow));
    }
    assert_eq!(place.json(["--json", "daemon", "status"])["isRunning"], json!(true));
    place
        .finger(["--ws-url", "ws://127.0.0.1:1", "events", "-f"])
        .failed_with(3, "✗ no daemon answers at ws://127.0.0.1:1: ");
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent_url = format!("http://{}", silent.local_addr().unwrap());
    elsewhere
        .finger(["--timeout", "0.2", "--base-url", &silent_url, "list"])
        .failed_with(7, "✗ no answer within 0.2 s\n");
    place.finger(["--no-color", "list"]).succeeded_with(&listed);
    place.finger(["list", "--no-color"]).succeeded_with(&listed);
    place.finger(["--timeout", "x", "list"]).failed_with(2, "✗ bad value for argument --timeout");
    // The help names them where they mean something.
    for (arguments, is_told) in [
        (&["--help"][..], true),
        (&["list", "--help"], true),
        (&["decision", "--help"], false),
        (&["daemon", "start", "--help"], false),
    ] {
        let help = place.finger(arguments).stdout;
        for flag in ["--json", "--timeout", "--base-url", "--ws-url", "--no-color"] {
            assert_eq!(help.contains(flag), is_told, "{flag}: {help}");
        }
    }
    // Under the other name they belong to the commands about workflows.
    let aide = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_aide"));
        command.args(arguments).current_dir(place.folder.join("work")).env_clear().env("AIDE_LANG", "en");
        CommandOutput::new(command.env("HOME", place.folder.join("home")).output().unwrap())
    };
    aide(&["workflow", "list", "--base-url", &url, "--no-color"]).succeeded_with(&listed);
    aide(&["orchestrate", "--no-color", "--base-url", nobody, "b"]).failed_with(3, "✗ ");
    aide(&["--base-url", &url, "workflow", "list"]).failed_with(2, "✗ unknown argument: --base-url\n");
}

#[test]
fn a_daemon_is_found_by_the_addresses_of_flags_and_variables() {
    let place = Place::started();
    place.begin("a");
    let elsewhere = Place::new();
    let (http, ws) = (place.told()["http_url"].clone(), place.told()["ws_url"].clone());
    let follow = |variable: Option<&str>, further: &[&str]| {
        let mut command = elsewhere.command(["events", "-f", "--since", "0", "--limit", "1", "--json"]);
        command.args(further).env("FINGER_HTTP_URL", http.as_str().unwrap());
        command.envs(variable.map(|url| ("FINGER_WS_URL", url)));
        CommandOutput::new(command.output().unwrap())
    };
    let ws = ws.as_str().unwrap();
    let nobody = "{\"error\":\"no daemon answers at ws://127.0.0.1:1: ";
    for (variable, flag, is_found) in [
        // Where it has WebSockets itself.
        (None, &[][..], true),
        (Some(ws), &[], true),
        (None, &["--ws-url", ws], true),
        (Some("ws://127.0.0.1:1"), &[], false),
        (None, &["--ws-url", "ws://127.0.0.1:1"], false),
        (Some("ws://127.0.0.1:1"), &["--ws-url", ws], true),
        (Some(ws), &["--ws-url", "ws://127.0.0.1:1"], false),
    ] {
        let told = follow(variable, flag);
        if is_found {
            assert_eq!(
                (told.code, told.stdout.lines().count()),
                (Some(0), 1),
                "{variable:?} {flag:?}: {}",
                told.stderr
            );
        } else {
            told.failed_with(3, nobody);
        }
    }
    follow(None, &["--ws-url", "http://localhost:8081"]).failed_with(2, "{\"error\":");
}

#[test]
fn a_message_leads_to_its_workflow_by_either_of_its_names() {
    let place = Place::started();
    let send = |target: &str, callback: &str| -> Value {
        let message = json!({ "target": target, "message": { "content": "a" }, "callbackId": callback });
        let answer = post_json(place.http_port(), "/api/v1/message", &message.to_string());
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    };
    for name in ["messageId", "callbackId"] {
        let callback = format!("cli-1-{}", name.to_lowercase());
        let sent = send("finger-orchestrator", &callback);
        let (message, workflow) = (sent["messageId"].as_str().unwrap(), sent["workflowId"].as_str().unwrap());
        let name = if name == "messageId" { message } else { &callback };
        let told = format!("Message: {message}\nStatus: processing\nWorkflow: {workflow}\n");
        place.finger(["status", name]).succeeded(&told);
        assert_eq!(place.json(["status", "--json", name])["callbackId"], json!(callback));
        let mut following = Lines::start(place.command(["status", "--follow", name]));
        assert_eq!(following.next(), format!("Workflow: {workflow}"));
        place.finger(["cancel", workflow]).succeeded_with("Workflow cancelled");
        let (lines, ended) = following.end();
        assert_eq!(ended, Some(6), "{lines:?}");
    }
    // For a message that has begun no workflow, its own state is printed.
    let echoed = send("echo-input", "cli-1-echo");
    let told = format!(
        "Message: {}\nStatus: completed\n\
         Result: {{\"handler\":\"echo-input\",\"received\":{{\"content\":\"a\"}}}}\n",
        echoed["messageId"].as_str().unwrap()
    );
    place.finger(["status", "--follow", "cli-1-echo"]).succeeded(&told);
    place.finger(["status", "--follow", "cli-1-x"]).failed_with(4, "✗ No such workflow\n");
}

#[test]
fn what_a_person_says_may_begin_with_a_hyphen() {
    let place = Place::started();
    let workflow = place.begin("- a list");
    assert_eq!(place.json(["list", "--json"])[0]["userTask"], json!("- a list"));
    let sent = format!("Input sent: {{\"success\":true,\"workflowId\":\"{workflow}\"}}\n");
    place.finger(["input", &workflow, "-x"]).succeeded(&sent);
    let created = place.finger(["decision", "create", "-x", "--workflow", &workflow]);
    let id = created.stdout.strip_prefix("Decision created: ").unwrap().trim_end().to_owned();
    assert_eq!(place.json(["decision", "list", "--json"])["decisions"][0]["message"], json!("-x"));
    place.finger(["decision", "respond", &id, "-1"]).succeeded("Decision: -1\n");
    // Flags are still known, and a word too many is none of them.
    place.finger(["input", "--json", &workflow, "--", "--json"]).succeeded_with("{\"success\":true");
    for arguments in [
        &["orchestrate", "a", "--wacth"][..],
        &["orchestrate", "--wacth", "a"],
        &["input", "--x", &workflow, "a"],
    ] {
        place.finger(arguments).failed_with(2, "✗ unknown argument: ");
    }
}

#[test]
fn with_json_every_error_is_json() {
    let place = Place::new();
    for (arguments, code) in [
        (&["list", "--json", "--timeout", "x"][..], 2),
        (&["list", "--json", "--base-url", "localhost:8080"], 2),
        (&["list", "--json", "--ws-url", "http://localhost"], 2),
        (&["events", "--json", "--limit", "0"], 2),
        (&["decision", "create", "a", "--json", "--expires", "0"], 2),
        (&["status", "-j"], 2),
        (&["list", "--json", "--x"], 2),
        (&["list", "--json", "--base-url", "http://127.0.0.1:1"], 3),
    ] {
        let refused = place.finger(arguments);
        assert_eq!((refused.code, &*refused.stdout), (Some(code), ""), "{arguments:?}");
        let told: Value =
            serde_json::from_str(&refused.stderr).unwrap_or_else(|_| panic!("{}", refused.stderr));
        assert_eq!(told["code"], json!(code), "{told}");
        assert!(told["error"].as_str().is_some_and(|words| !words.is_empty()), "{told}");
    }
    let refused = place.folder.aide(["workflow", "status", "--json", "--lang", "en"]);
    assert_eq!((refused.code, &*refused.stdout), (Some(2), ""));
    assert_eq!(refused.stderr, "{\"error\":\"missing argument: <NAME>\",\"code\":2,\"details\":{}}\n");
}

#[test]
fn the_time_limit_is_that_of_the_whole_command() {
    let place = Place::started();
    let workflow = place.begin("a");
    for command in [["events", "--follow"], ["status", "--follow"]] {
        let mut following = place.command(command);
        following.args([&*workflow, "--timeout", "1"]);
        let mut following = following.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        // Something happens more often than that.
        let mut calls = ["pause", "resume"].iter().cycle();
        until("it is followed for ever", || {
            let call = calls.next().unwrap();
            place.finger([call, &*workflow]).succeeded_with("Workflow ");
            following.try_wait().unwrap().is_some()
        });
        let ended = CommandOutput::new(following.wait_with_output().unwrap());
        ended.failed_with(7, "✗ no answer within 1 s\n");
        // The next one begins with a workflow that goes on.
        if calls.next() == Some(&"resume") {
            place.finger(["resume", &workflow]).succeeded_with("Workflow resumed");
        }
    }
}

#[test]
fn a_file_is_told_as_it_is_written_where_it_is_asked_for() {
    let place = Place::started();
    let workflow = executing(&place);
    let done = json!([{ "id": "task-1", "status": "completed" }, { "id": "task-2", "status": "completed" }]);
    transition(&place, &workflow, "task_completed", &json!({ "tasks": done }));
    let report = json!({ "path": "deepseek/report.md", "output": "a report" });
    transition(&place, &workflow, "review_passed", &json!({ "output": report }));
    place.finger(["output", &workflow]).succeeded("Report saved to: ./deepseek/report.md\n");
    let told = json!({ "workflowId": workflow, "output": "a report", "path": "deepseek/report.md" });
    assert_eq!(place.json(["output", &workflow, "--json"]), told);
    let project = std::fs::canonicalize(place.folder.join("work")).unwrap();
    std::fs::create_dir(project.join("deepseek")).unwrap();
    for (folder, told) in [
        (project.join("deepseek"), "./report.md".to_owned()),
        (project.parent().unwrap().to_owned(), "./work/deepseek/report.md".to_owned()),
        (place.folder.join("home"), project.join("deepseek/report.md").display().to_string()),
    ] {
        let mut command = place.command(["output", &workflow]);
        let output = CommandOutput::new(command.current_dir(folder).output().unwrap());
        output.succeeded(&format!("Report saved to: {told}\n"));
    }
}

/// Answers each request with the next of these, and ends.
fn answering(answers: Vec<String>) -> (String, std::thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let answering = std::thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            read_request(&mut stream);
            std::io::Write::write_all(&mut stream, answer.as_bytes()).unwrap();
        }
    });
    (url, answering)
}

#[test]
fn what_a_daemon_answers_is_the_exit_code() {
    let place = Place::new();
    for (status, body, code, told) in [
        (504, json!({ "error": "Too late", "code": "TIMEOUT", "details": {} }), 7, "✗ Too late\n"),
        (500, json!({ "error": "Disk full", "code": "INTERNAL_ERROR", "details": {} }), 1, "✗ Disk full\n"),
        (409, json!({ "error": "Busy", "code": "SESSION_BUSY", "details": {} }), 1, "✗ Busy\n"),
        (400, json!({ "error": "Bad", "code": "INVALID_REQUEST", "details": {} }), 2, "✗ Bad\n"),
        (404, json!({ "error": "None", "code": "SESSION_NOT_FOUND", "details": {} }), 4, "✗ None\n"),
        // Something in between, which has no codes.
        (502, json!("no gateway"), 1, "✗ http://127.0.0.1:"),
        (504, json!("no gateway"), 7, "✗ "),
    ] {
        let body = body.to_string();
        let head = format!("HTTP/1.1 {status} -\r\nContent-Length: {}\r\nConnection: close", body.len());
        let (url, answering) = answering(vec![format!("{head}\r\n\r\n{body}")]);
        place.finger(["list", "--base-url", &url]).failed_with(code, told);
        answering.join().unwrap();
    }
    // A connection that breaks off before there is an answer, each time that it is tried.
    let (url, answering) = answering(vec![String::new(); 3]);
    place.finger(["list", "--base-url", &url]).failed_with(3, &format!("✗ no daemon answers at {url}: "));
    answering.join().unwrap();
    // A host name that does not exist.
    let url = "http://nobody.invalid:8080";
    place.finger(["list", "--base-url", url]).failed_with(3, &format!("✗ no daemon answers at {url}: "));
}

#[test]
fn a_connection_that_is_lost_on_the_way_is_3() {
    let place = Place::started();
    let workflow = place.begin("a");
    let follow = |command: &str| Lines::start(place.command([command, "--follow", &workflow]));
    let (mut events, mut status) = (follow("events"), follow("status"));
    assert_eq!(events.next(), format!("Connected. Subscribing to workflow {workflow}..."));
    assert_eq!(status.next(), format!("Workflow: {workflow}"));
    place.signal(Signal::KILL);
    for following in [events, status] {
        let (lines, ended) = following.end();
        assert_eq!(ended, Some(3), "{lines:?}");
    }
}

#[test]
fn a_session_goes_on_from_the_checkpoint_that_is_named() {
    let place = Place::started();
    executing(&place);
    let session = place.json(["sessions", "--json"])[0]["id"].as_str().unwrap().to_owned();
    let checkpoint =
        || place.json(["checkpoint", &session])["checkpoint"]["checkpointId"].as_str().unwrap().to_owned();
    let earlier = checkpoint();
    let workflow = place.json(["list", "--json"])[0]["id"].as_str().unwrap().to_owned();
    place.finger(["pause", &workflow]).succeeded_with("Workflow paused");
    assert_ne!(checkpoint(), earlier);
    place.signal(Signal::KILL);
    until("it has not ended", || place.finger(["daemon", "status"]).stdout == "Daemon is stopped\n");
    place.start();
    place.finger(["resume-session", &session, "--checkpoint", "chk-x"]).failed_with_after(4, "✗ ");
    let resumed = place.json(["resume-session", &session, "--checkpoint", &earlier, "--json"]);
    assert_eq!((&resumed["checkpointId"], &resumed["sessionId"]), (&json!(earlier), &json!(session)));
}

#[test]
fn a_session_whose_workflows_have_ended_is_given_another_task() {
    let place = Place::started();
    let workflow = place.begin("a");
    let session = place.json(["sessions", "--json"])[0]["id"].as_str().unwrap().to_owned();
    place.finger(["cancel", &workflow]).succeeded_with("Workflow cancelled");
    let told = format!(
        "✗ Session is not resumable\n  hint: its workflows have ended; aide orchestrate --session {session} TASK starts another task in it"
    );
    place.finger(["resume-session", &session]).failed_with_after(1, &told);
}

#[test]
fn a_request_that_breaks_off_is_done_once() {
    let place = Place::started();
    // A proxy between both drops the first answer to each request.
    let between = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://localhost:{}", between.local_addr().unwrap().port());
    let port = place.http_port();
    let asking = begin(place.command(["orchestrate", "once", "--base-url", &url]));
    let mut answers = Vec::new();
    for attempt in 0..2 {
        let (mut client, _) = between.accept().unwrap();
        let request = read_request(&mut client);
        // The name that is asked for is another one there.
        let request = request.replace(url.trim_start_matches("http://"), &format!("localhost:{port}"));
        let mut daemon = crate::support::http::connect(port);
        std::io::Write::write_all(
            &mut daemon,
            request.replacen("\r\n", "\r\nConnection: close\r\n", 1).as_bytes(),
        )
        .unwrap();
        let mut answer = Vec::new();
        std::io::Read::read_to_end(&mut daemon, &mut answer).unwrap();
        if attempt == 1 {
            std::io::Write::write_all(&mut client, &answer).unwrap();
        }
        answers.push(answer);
    }
    let done = CommandOutput::new(asking.wait_with_output().unwrap());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let workflows = place.json(["list", "--json"]);
    assert_eq!(workflows.as_array().unwrap().len(), 1, "{workflows}");
    done.succeeded_with(&format!("Workflow started: {}\n", workflows[0]["id"].as_str().unwrap()));
}

/// A request with its whole body.
fn read_request(stream: &mut std::net::TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let length = std::io::Read::read(stream, &mut piece).unwrap();
        bytes.extend_from_slice(&piece[..length]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let expected = head
                .lines()
                .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= expected.unwrap_or(0) {
                return text;
            }
        }
    }
}

/// The example of the documents, with a person who answers.
#[test]
fn the_example_takes_a_workflow_to_its_result() {
    let place = Place::started();
    let script =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("examples/drive/drive.sh");
    let drive = || {
        let mut command = std::process::Command::new("sh");
        command.arg(&script).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
        command.env("FINGER_HTTP_URL", format!("http://localhost:{}", place.http_port()));
        Lines::start(command)
    };
    for (answer, code, end) in [
        (
            "Y",
            0,
            &[
                "→ execution",
                "→ execution",
                "→ review",
                "→ completed",
                "Report saved to: ./deepseek/report.md",
            ][..],
        ),
        ("n", 1, &["→ failed"]),
    ] {
        let mut driven = drive();
        let workflow = driven.next().strip_prefix("Workflow ").unwrap().to_owned();
        for phase in ["routing_decision", "plan_loop", "execution", "execution"] {
            assert_eq!(driven.next(), format!("→ {phase}"));
        }
        let asked = driven.next();
        let decision =
            asked.strip_prefix("Asked: aide workflow decision respond ").unwrap().strip_suffix(" Y").unwrap();
        place.finger(["decision", "respond", decision, answer]).succeeded(&format!("Decision: {answer}\n"));
        assert_eq!(driven.next(), format!("Answered: {answer}"));
        let (lines, ended) = driven.end();
        assert_eq!((lines.iter().map(String::as_str).collect::<Vec<_>>(), ended), (end.to_vec(), Some(code)));
        let output = place.finger(["output", &workflow]);
        if code == 0 {
            output.succeeded("Report saved to: ./deepseek/report.md\n");
        } else {
            output.failed_with(4, "✗ ");
        }
    }
}
