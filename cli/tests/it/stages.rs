//! Phases alone, `finger understand` and its like: the real program, with the agents of `examples/orchestrate`.

use crate::engine::{started, started_with};
use crate::support::daemon::Place;
use crate::support::{CommandOutput, until};
use client::{Address, Client, Secret};
use protocol::workflow::requests::{
    ExecuteRequest, PlanRequest, ReviewRequest, RouteRequest, UnderstandRequest,
};
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

const UNDERSTOOD: &str = "[CLI] Result: {\"normalizedIntent\":{\"goal\":\"a report about deepseek\",\"action\":\"create\",\
                          \"scope\":\"full_task\"},\"confidence\":95.0}\n";
const ROUTED: &str = "[CLI] Result: {\"route\":\"full_replan\",\"confidence\":95.0,\
                      \"payload\":{\"reason\":\"nothing is planned yet\"},\"requiresConfirmation\":false}\n";
const REVIEWED: &str =
    "[CLI] Result: {\"approved\":true,\"score\":90,\"feedback\":\"complete\",\"riskLevel\":\"low\"}\n";
const TASK: &str = "搜索 deepseek 最新发布";

/// Runs it to its end, with this on standard input.
#[track_caller]
fn piped(place: &Place, arguments: &[&str], input: &str) -> CommandOutput {
    let mut command = place.command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    CommandOutput::new(child.wait_with_output().unwrap())
}

#[test]
fn four_phases_print_their_results_from_arguments_pipes_and_files() {
    let place = started();
    place.folder.write("work/task.txt", format!("{TASK}\n"));
    place.folder.write("work/intent.json", r#"{"normalizedIntent": {"goal": "a report"}}"#);
    place.folder.write("work/proposal.json", r#"{"task": "write it"}"#);

    place.finger(["understand", TASK]).succeeded(UNDERSTOOD);
    place.finger(["understand", "--file", "task.txt"]).succeeded(UNDERSTOOD);
    piped(&place, &["understand"], TASK).succeeded(UNDERSTOOD);

    let intent = r#"{"normalizedIntent": {"goal": "a report"}}"#;
    place.finger(["route", "--intent", intent]).succeeded(ROUTED);
    place.finger(["route", "--file", "intent.json"]).succeeded(ROUTED);
    piped(&place, &["route"], intent).succeeded(ROUTED);

    for planned in [
        place.finger(["plan", TASK]),
        place.finger(["plan", "--file", "task.txt"]),
        piped(&place, &["plan", "--file", "-"], TASK),
    ] {
        assert_eq!((planned.code, &*planned.stderr), (Some(0), ""), "{}", planned.stdout);
        let plan: Value =
            serde_json::from_str(planned.stdout.strip_prefix("[CLI] Result: ").unwrap()).unwrap();
        let ids: Vec<&Value> = plan["tasks"].as_array().unwrap().iter().map(|task| &task["id"]).collect();
        assert_eq!(ids, ["task-1", "task-2", "task-3"]);
    }

    place.finger(["review", "--proposal", r#"{"task": "write it"}"#]).succeeded(REVIEWED);
    place.finger(["review", "--file", "proposal.json"]).succeeded(REVIEWED);
    piped(&place, &["review"], "\"write it\"").succeeded(REVIEWED);

    // Each of them is a workflow, of the folder that it was begun in.
    let workflows = place.json(["list", "--json"]);
    let workflows = workflows.as_array().unwrap();
    assert_eq!(workflows.len(), 12);
    assert!(workflows.iter().all(|workflow| workflow["fsmState"] == "completed"), "{workflows:?}");
    let session = workflows[0]["sessionId"].as_str().unwrap();
    let sessions = place.json(["sessions", "--json"]);
    let session = sessions.as_array().unwrap().iter().find(|row| row["id"] == session).unwrap();
    assert!(session["projectPath"].as_str().unwrap().ends_with("/work"), "{session}");
    // By its own name as by the other.
    let aide = place.folder.join("aide");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_aide"), &aide).unwrap();
    let command = place.command(["workflow", "understand", TASK]);
    let mut by_aide = std::process::Command::new(&aide);
    by_aide.args(command.get_args()).current_dir(command.get_current_dir().unwrap()).env_clear();
    by_aide.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    CommandOutput::new(by_aide.output().unwrap()).succeeded(UNDERSTOOD);
}

#[test]
fn what_one_phase_prints_as_json_goes_into_the_next() {
    let place = started();
    let understood = place.finger(["understand", TASK, "--json"]);
    let answer: Value = serde_json::from_str(&understood.stdout).unwrap();
    assert_eq!((&answer["success"], understood.stdout.lines().count()), (&json!(true), 1));
    assert_eq!(answer["result"]["normalizedIntent"]["goal"], "a report about deepseek");
    let (workflow, session) = (answer["workflowId"].as_str().unwrap(), answer["sessionId"].as_str().unwrap());
    place.finger(["status", answer["messageId"].as_str().unwrap()]).succeeded(&format!(
        "Message: {}\nStatus: completed\nWorkflow: {workflow}\nResult: {}\n",
        answer["messageId"].as_str().unwrap(),
        answer["result"],
    ));
    let routed = piped(&place, &["route", "-s", session, "--json"], &understood.stdout);
    let routed: Value = serde_json::from_str(&routed.stdout).unwrap();
    assert_eq!((&routed["result"]["route"], &routed["sessionId"]), (&json!("full_replan"), &json!(session)));
    let state = place.json(["status", routed["workflowId"].as_str().unwrap(), "--json"]);
    assert_eq!(state["context"]["intent"], answer["result"]);
    assert_eq!(state["userTask"], "a report about deepseek");
}

#[test]
fn a_task_alone_asks_a_person_and_its_result_is_found_again() {
    let place = started();
    let begun = place.finger(["execute", "--task", TASK, "--agent", "executor-research"]);
    assert_eq!((begun.code, &*begun.stderr), (Some(0), ""));
    let mut lines = begun.stdout.lines();
    let message = lines.next().unwrap().strip_prefix("Message queued: ").unwrap();
    let workflow = lines.next().unwrap().strip_prefix("Workflow started: ").unwrap();
    assert_eq!(lines.next(), None);
    let mut decision = Value::Null;
    until("a decision", || {
        decision = place.json(["decision", "list", "--json"])["decisions"][0].clone();
        !decision.is_null()
    });
    assert_eq!(decision["message"], "检测到网络访问，是否继续？");
    assert_eq!(decision["workflowId"], *workflow);
    let standing = place.finger(["status", message]);
    standing.succeeded(&format!("Message: {message}\nStatus: processing\nWorkflow: {workflow}\n"));
    place.finger(["decision", "respond", decision["decisionId"].as_str().unwrap(), "Y"]);
    until("its end", || place.json(["status", workflow, "--json"])["fsmState"] == "completed");
    let state = place.json(["status", workflow, "--json"]);
    assert_eq!(state["tasks"][0]["assignee"], "executor-research");
    place.finger(["status", message]).succeeded(&format!(
        "Message: {message}\nStatus: completed\nWorkflow: {workflow}\n\
         Result: {{\"output\":\"paper1.pdf, paper2.pdf, paper3.pdf\"}}\n"
    ));
    place.finger(["output", workflow]).succeeded("{\"output\":\"paper1.pdf, paper2.pdf, paper3.pdf\"}\n");
}

#[test]
fn whoever_waits_for_a_task_gets_its_result() {
    let place = started();
    // What is typed beforehand answers the decision.
    let done = piped(&place, &["execute", TASK, "--blocking"], "Y\n");
    let result = "[CLI] Result: {\"output\":\"paper1.pdf, paper2.pdf, paper3.pdf\"}\n";
    assert_eq!((done.code, &*done.stdout), (Some(0), result), "{}", done.stderr);
    // Without a terminal the question is only named: the user may answer on the page meanwhile.
    let told =
        "⚠ waiting for your decision: Allow network access?\n  hint: answer on its page: http://localhost:";
    assert!(done.stderr.starts_with(told), "{}", done.stderr);
    // The agent receives the refusal; it has no other way here.
    let refused = piped(&place, &["execute", TASK, "--blocking", "--json"], "n\n");
    let answer: Value = serde_json::from_str(&refused.stdout).unwrap();
    assert_eq!(answer["result"]["output"], "paper1.pdf, paper2.pdf, paper3.pdf");
    let events = place.finger(["events", "--json", "--limit", "1000"]).stdout;
    assert_eq!(events.matches("\"type\":\"tool_result\"").count(), 1, "{events}");
}

#[test]
fn an_agent_that_is_busy_is_not_waited_for_by_whoever_does_not_want_that() {
    // At work, and not waiting for a person: it would be free then.
    let at_work = "prompt=$(cat)\nuntil [ -e \"$0.go\" ] || [ ! -e \"$0\" ]; do sleep 0.1; done\n";
    let place = started_with(|provider| provider.replace("prompt=$(cat)\n", at_work));
    let begun = place.finger(["execute", TASK, "--agent", "executor-research"]);
    assert_eq!(begun.code, Some(0), "{begun:?}");
    until("the agent works", || place.finger(["agents"]).stdout.contains("executor-research: busy"));
    let busy = place.finger(["execute", TASK, "--agent", "executor-research", "--no-queue"]);
    busy.failed(1, "✗ target agent busy: executor-research\n  agentId: executor-research\n");
    let free = place.finger(["execute", TASK, "--agent", "executor-general", "--no-queue"]);
    assert_eq!(free.code, Some(0), "{free:?}");
    let alone = place.finger(["execute", TASK, "--no-queue"]);
    assert_eq!(alone.code, Some(2), "{alone:?}");
    place.folder.write("provider.sh.go", "");
}

#[test]
fn images_of_the_project_come_with_a_task() {
    let place = started();
    place.folder.write("work/shots/a.png", b"\x89PNG\r\n\x1a\n");
    place.folder.write("work/b.gif", b"GIF89a");
    place.folder.write("c.png", b"\x89PNG\r\n\x1a\n");
    place
        .finger(["understand", TASK, "--image", "shots/../b.gif", "--image", "shots/a.png"])
        .succeeded(UNDERSTOOD);
    let image = place.folder.path().join("work/shots/a.png").canonicalize().unwrap();
    let state =
        place.json(["status", place.json(["list", "--json"])[0]["workflowId"].as_str().unwrap(), "--json"]);
    assert_eq!(state["context"]["images"][1], *image.to_str().unwrap());
    for (image, why) in [("nothing.png", "no such file"), ("../c.png", "outside"), ("task.txt", "not a PNG")]
    {
        place.folder.write("work/task.txt", TASK);
        let refused = place.finger(["orchestrate", TASK, "--image", image]);
        assert_eq!((refused.code, &*refused.stdout), (Some(2), ""), "{}", refused.stderr);
        assert!(
            refused.stderr.contains(why) && refused.stderr.contains("field: images"),
            "{}",
            refused.stderr
        );
    }
    assert_eq!(place.json(["list", "--json"]).as_array().unwrap().len(), 1);
}

#[test]
fn what_makes_no_sense_is_a_matter_of_usage() {
    let place = started();
    let hint = |command: &str| format!("  hint: run aide workflow {command} --help\n");
    for (arguments, what, command) in [
        (&["understand"][..], "missing argument: <INPUT>", "understand"),
        (&["plan"], "missing argument: <TASK>", "plan"),
        (&["execute"], "missing argument: <TASK>", "execute"),
        (&["route"], "missing argument: --intent <JSON>", "route"),
        (&["review"], "missing argument: --proposal <JSON>", "review"),
        (&["plan", " "], "missing argument: <TASK>", "plan"),
        (&["plan", "x", "--file", "y"], "TASK and --file cannot both be given", "plan"),
        (
            &["review", "--proposal", "1", "--file", "y"],
            "--proposal <JSON> and --file cannot both be given",
            "review",
        ),
        (&["execute", "x", "--task", "y"], "argument given more than once: <TASK>", "execute"),
        (
            &["route", "--intent", "{"],
            "--intent is not JSON: EOF while parsing an object at line 1 column 1",
            "route",
        ),
    ] {
        place.finger(arguments).failed(2, &format!("✗ {what}\n{}", hint(command)));
    }
    // What the daemon does not understand is one as well.
    let refused = place.finger(["route", "--intent", "[]"]);
    refused.failed(2, "✗ intentAnalysis must be an object\n  field: intentAnalysis\n");
    let missing = place.finger(["plan", "--file", "nothing.txt"]);
    assert_eq!((missing.code, &*missing.stdout), (Some(1), ""), "{}", missing.stderr);
    assert_eq!(place.json(["list", "--json"]), json!([]));
}

#[test]
fn what_is_missing_has_an_exit_code_of_its_own() {
    let place = started();
    let nobody = place.finger(["execute", "x", "--agent", "nobody"]);
    nobody.failed(4, "✗ Agent not found\n  agentId: nobody\n");
    let reviewer = place.finger(["execute", "x", "--agent", "reviewer-default"]);
    assert_eq!(reviewer.code, Some(2), "{reviewer:?}");
    let session = place.finger(["plan", "x", "-s", "nothing"]);
    session.failed(
        4,
        "✗ Session not found\n  hint: run aide workflow sessions to see all sessions\n  sessionId: nothing\n",
    );
}

#[tokio::test]
async fn a_program_in_rust_has_each_phase_done() {
    let place = started();
    let http = format!("http://localhost:{}", place.http_port());
    let address = Address::new(&http, None, Secret::default()).unwrap();
    let client = Client::new(address, Some(Duration::from_secs(60))).unwrap();

    let (input, blocking) = (TASK.to_owned(), None);
    let understand =
        UnderstandRequest { input, images: None, session_id: None, project_path: None, blocking };
    let understood = client.understand(&understand).await.unwrap();
    assert_eq!(understood.result["normalizedIntent"]["goal"], "a report about deepseek");
    let intent_analysis = understood.result.as_object().unwrap().clone();
    let session_id = || understood.session_id.clone();
    let route = RouteRequest { intent_analysis, session_id: session_id(), project_path: None, blocking };
    let routed = client.route(&route).await.unwrap();
    assert_eq!((&routed.result["route"], routed.session_id), (&json!("full_replan"), session_id()));
    let task = || TASK.to_owned();
    let plan = PlanRequest { task: task(), session_id: session_id(), project_path: None, blocking };
    let planned = client.plan(&plan).await.unwrap();
    assert_eq!(planned.result["tasks"].as_array().unwrap().len(), 3);
    let proposal = json!("write it");
    let review = ReviewRequest { proposal, session_id: session_id(), project_path: None, blocking };
    assert_eq!(client.review(&review).await.unwrap().result["approved"], true);
    // Without being told to wait, it does not.
    let session_id = session_id();
    let execute = ExecuteRequest {
        task: task(),
        agent: None,
        queue_on_busy: None,
        sender: None,
        session_id,
        project_path: None,
        blocking,
    };
    let begun = client.execute(&execute).await.unwrap();
    let workflow = begun.workflow_id.unwrap();
    assert_eq!(begun.result["workflowId"], *workflow);
    assert_eq!(client.state(&workflow).await.unwrap().workflow_id, workflow);
}

#[test]
fn without_a_provider_it_is_said_what_to_do() {
    let place = Place::started();
    for (arguments, kind) in [
        (&["understand", "x"][..], "orchestrator"),
        (&["route", "--intent", "{}"], "orchestrator"),
        (&["plan", "x"], "orchestrator"),
        (&["execute", "x"], "executor"),
        (&["execute", "x", "--blocking"], "executor"),
        (&["review", "--proposal", "1"], "reviewer"),
    ] {
        place.finger(arguments).failed(
            4,
            &format!(
                "    agent.providers = [{{ name = \"claude\", kind = \"command\", preset = \"claude\" }}]\n    [daemon]\n    \
                 provider = \"claude\"\n✗ No provider answers for an agent of type {kind}\n  \
                 hint: add the three lines above to your own configuration (aide config path), then run aide daemon restart\n  type: {kind}\n  setting: daemon.provider\n"
            ),
        );
    }
    let told = place.finger(["plan", "x", "--json"]);
    let error: Value = serde_json::from_str(&told.stderr).unwrap();
    assert_eq!((told.code, &error["code"]), (Some(4), &json!(4)));
    assert_eq!(error["error"], "No provider answers for an agent of type orchestrator");
    assert_eq!(
        error["details"],
        json!({ "code": "PROVIDER_MISSING", "type": "orchestrator", "setting": "daemon.provider" })
    );
    assert_eq!(place.json(["list", "--json"]), json!([]));
}

#[test]
fn agents_with_folders_alone_drive_nothing_and_are_given_nothing() {
    let place = Place::new();
    let agents =
        "[[daemon.agents]]\nid = \"legal\"\nfolder = \"/srv/agents/legal\"\ncapabilities = [\"contracts\"]\n";
    place.folder.write("home/.config/aide/config.toml", agents);
    place.start();
    for arguments in [&["execute", "x", "--agent", "legal"][..], &["execute", "x", "--blocking"]] {
        let refused = place.finger(arguments);
        assert_eq!(refused.code, Some(4), "{}", refused.stderr);
        assert!(refused.stderr.contains("✗ No provider answers for"), "{}", refused.stderr);
    }
    assert_eq!(place.json(["list", "--json"]), json!([]));
}

#[test]
fn a_phase_that_fails_ends_with_5_and_says_why() {
    let place = Place::new();
    let provider = "[daemon]\nprovider = \"bad\"\n\n[[agent.providers]]\nname = \"bad\"\nkind = \"command\"\n\
                    command = \"/bin/sh\"\nargs = [\"-c\", \"cat >/dev/null; echo no\"]\n";
    place.folder.write("home/.config/aide/config.toml", provider);
    place.start();
    let failed = place.finger(["plan", "x"]);
    let why = "the answer has no JSON object that can be read\n";
    assert_eq!(failed.code, Some(5), "{}", failed.stderr);
    assert!(failed.stderr.starts_with("Error: cannot use what bad answers as "), "{}", failed.stderr);
    let remedy = "→ A workflow needs one JSON object in each answer. Let the provider's program print one, or set \
                  `daemon.provider` to another provider; then try it with `aide workflow understand \"say hello\"`.\n";
    assert!(failed.stderr.ends_with(&format!(": {why}{remedy}")), "{}", failed.stderr);
    let failed = place.finger(["execute", "x", "--blocking", "--json"]);
    let told: Value = serde_json::from_str(&failed.stderr).unwrap();
    assert_eq!((failed.code, &told["code"]), (Some(5), &json!(5)));
    assert_eq!(told["error"], "proposal_error: the answer has no JSON object that can be read");
    // A review that cannot be understood has accepted nothing.
    place.finger(["review", "--proposal", "1"]).succeeded(
        "[CLI] Result: {\"approved\":false,\"feedback\":\"the answer has no JSON object that can be read\"}\n",
    );
}

#[test]
fn without_a_daemon_nothing_is_done() {
    let place = Place::new();
    let nobody = place.finger(["plan", "x"]);
    assert_eq!((nobody.code, &*nobody.stdout), (Some(3), ""), "{}", nobody.stderr);
}
