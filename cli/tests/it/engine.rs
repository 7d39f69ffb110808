//! Workflows that a daemon drives by itself: with the agents of `examples/orchestrate`, which need no model.

use crate::support::daemon::Place;
use crate::support::http::{connect, first_frame, get, head, web_socket};
use crate::support::until;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("examples/orchestrate").join(name)
}

/// A daemon whose agents are those of the example.
#[track_caller]
pub(crate) fn started() -> Place {
    started_with(|provider| provider)
}

/// The same, with a provider that was changed.
#[track_caller]
pub(crate) fn started_with(change: impl FnOnce(String) -> String) -> Place {
    let place = Place::new();
    let provider = change(fs::read_to_string(example("provider.sh")).unwrap());
    place.folder.write("provider.sh", provider);
    let (provider, search) = (place.folder.join("provider.sh"), example("search.sh"));
    let config = format!(
        "[daemon]\nprovider = \"example\"\n\n\
         [daemon.tools]\nsearch_command = [\"/bin/sh\", \"{}\"]\n\n\
         [[agent.providers]]\nname = \"example\"\nkind = \"command\"\ncommand = \"/bin/sh\"\nargs = [\"{}\"]\n",
        search.display(),
        provider.display(),
    );
    place.folder.write("home/.config/aide/config.toml", config);
    place.start();
    place
}

const TASK: &str = "搜索 deepseek 最新发布";

const ENGLISH_TASK: &str = "Search for the latest deepseek release";

/// A user who watches in the language of contract/terminal §7.1 and has typed both answers before they are asked.
#[track_caller]
fn watch(place: &Place, answers: &str) -> Child {
    watch_in(place, "zh", TASK, answers)
}

/// The same with another language and task.
#[track_caller]
fn watch_in(place: &Place, lang: &str, task: &str, answers: &str) -> Child {
    let mut command = place.command(["orchestrate", task, "--watch"]);
    command.env("AIDE_LANG", lang);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.as_mut().unwrap().write_all(answers.as_bytes()).unwrap();
    child
}

/// What was printed, with the time and the name of the workflow of contract/terminal §7.1.
fn as_documented(output: &str) -> (String, String) {
    let id = |line: &str| line.split_once("Workflow completed: ").map(|(_, id)| id.to_owned());
    let workflow = output.lines().find_map(id).unwrap_or_default();
    let line = |line: &str| match line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((time, rest)) if time.len() == 8 => format!("[10:00:00] {rest}"),
        _ => line.to_owned(),
    };
    // On a busy machine there are additional lines about what takes long.
    let lines = output.lines().map(line).filter(|line| !line.starts_with("[10:00:00] Waiting for "));
    let lines: Vec<String> = lines.collect();
    (lines.join("\n").replace(&workflow, "wf-123") + "\n", workflow)
}

/// What a README shows of a session was printed so, in this order, but for the time and what it leaves out.
#[track_caller]
fn assert_is_recorded(readme: &str, task: &str, output: &str) {
    let start = format!("$ aide orchestrate \"{task}\" --watch\n");
    let shown = readme.split_once(&start).and_then(|(_, rest)| rest.split_once("```")).unwrap().0;
    let mut rest = output;
    for part in as_documented(shown).0.split('…').map(str::trim).filter(|part| !part.is_empty()) {
        rest = rest.split_once(part).unwrap_or_else(|| panic!("{part} is not in {rest}")).1;
    }
}

#[test]
fn the_session_of_the_document_runs_and_leaves_its_report() {
    let place = started();
    let mut watching = watch(&place, "Y\n1,3\n");
    let (mut output, mut errors) = (String::new(), String::new());
    watching.stdout.take().unwrap().read_to_string(&mut output).unwrap();
    watching.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    // Which search is asked about stands beside what is printed.
    let search = "→ 要您决策的是:\n  │ WEB_SEARCH\n  │ query:\n";
    assert_eq!((watching.wait().unwrap().code(), errors.matches('→').count()), (Some(0), 1), "{output}");
    assert!(errors.starts_with(search) && errors.contains("  │     deepseek"), "{errors}");
    let (output, workflow) = as_documented(&output);
    assert_eq!(output, crate::watch::DOCUMENT);
    assert_is_recorded(include_str!("../../../README.zh.md"), TASK, &output);
    place.finger(["output", &workflow]).succeeded("Report saved to: ./deepseek/report.md\n");
    let report = fs::read_to_string(place.folder.join("work/deepseek/report.md")).unwrap();
    assert_eq!(report, "# deepseek\n\nWhat the chosen papers say.\n");
    // What was asked and answered is in the history of events, in the order in which it was printed.
    let history = place.finger(["events", "--json", "--limit", "1000"]).stdout;
    let events: Vec<Value> = history.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds = |wanted: &str| events.iter().filter(|event| event["type"] == wanted).count();
    assert_eq!((kinds("phase_transition"), kinds("user_decision_received")), (6, 2), "{history}");
    assert_eq!((kinds("tool_result"), kinds("tool_error")), (2, 0), "{history}");
    // Agents that have nothing to do are idle, without a load.
    let page = get(place.http_port(), &format!("/workflows/{workflow}?lang=en"));
    let agents = page
        .text()
        .split_once("id=\"agents\"")
        .and_then(|(_, rest)| rest.split_once("</section>"))
        .unwrap()
        .0;
    assert!(agents.contains(">idle<") && !agents.contains("load"), "{agents}");
}

#[test]
fn the_session_of_the_english_readme_is_in_english() {
    let place = started();
    let watched = watch_in(&place, "en", ENGLISH_TASK, "Y\n1,3\n").wait_with_output().unwrap();
    let (output, _) = as_documented(&String::from_utf8(watched.stdout).unwrap());
    assert_eq!(watched.status.code(), Some(0), "{output}");
    assert!(!output.contains(|c| ('\u{2E80}'..='\u{9FFF}').contains(&c)), "{output}");
    assert_is_recorded(include_str!("../../../README.md"), ENGLISH_TASK, &output);
}

#[test]
fn a_person_agrees_in_their_own_language_to_one_call_or_to_the_tool() {
    let place = started();
    let watching = watch_in(&place, "en", ENGLISH_TASK, "");
    let asked = |count: usize| {
        let mut decisions = Vec::new();
        until("the question", || {
            let pending = place.json(["decision", "list", "--json"]);
            decisions = pending["decisions"].as_array().unwrap().clone();
            decisions.len() == count
        });
        decisions.remove(0)
    };
    let network = asked(1);
    let id = network["decisionId"].as_str().unwrap();
    assert_eq!(
        (&network["message"], &network["options"]),
        (&json!("检测到网络访问，是否继续？"), &json!(["Y", "n"]))
    );
    let workflow = network["workflowId"].as_str().unwrap();
    let listed = format!(
        "- {id}: pending Allow network access?\n  Workflow: {workflow}\n  Task: task-1\n  Call: WEB_SEARCH\n    \
         query:\n        latest deepseek release\n  1. Y       Allow this call\n  2. n       Deny\n  \
         3. always  Allow WEB_SEARCH for this workflow\n"
    );
    place.finger(["decision", "list"]).succeeded(&listed);
    place.finger(["decision", "respond", id, "always"]).succeeded("Decision: always\n");
    let papers = asked(1);
    place
        .finger(["decision", "respond", papers["decisionId"].as_str().unwrap(), "1,3"])
        .succeeded("Decision: 1,3\n");
    let watched = watching.wait_with_output().unwrap();
    let (output, errors) =
        (String::from_utf8(watched.stdout).unwrap(), String::from_utf8(watched.stderr).unwrap());
    assert_eq!(watched.status.code(), Some(0), "{output}{errors}");
    assert!(
        output.contains("❓ Allow network access? (Y/n)\n> ") && output.contains("Decision: always\n"),
        "{output}"
    );
    let whole = "→ what you are asked about:\n  │ WEB_SEARCH\n  │ query:\n  │     latest deepseek release\n  \
                 Y       Allow this call\n  n       Deny\n  always  Allow WEB_SEARCH for this workflow\n";
    assert!(errors.starts_with(whole), "{errors}");
}

#[test]
fn a_planner_that_insists_on_what_no_agent_can_do_has_a_person_asked() {
    let place = started_with(|provider| provider.replace("[\"web_search\"]", "[\"telepathy\"]"));
    let watching = watch_in(&place, "en", ENGLISH_TASK, "abort\n").wait_with_output().unwrap();
    let output = String::from_utf8(watching.stdout).unwrap();
    let asked = "❓ No agent can do the task: telepathy is missing. How should the workflow continue?\n";
    assert!(output.contains(asked), "{output}");
    assert!(output.contains("Phase: execution → wait_user_decision\n"), "{output}");
    let errors = String::from_utf8(watching.stderr).unwrap();
    assert!(errors.ends_with("Error: No agent can do the task: telepathy is missing\n"), "{errors}");
    assert_eq!(watching.status.code(), Some(4), "{output}");
}

/// Until the file `go` is there.
const HELD: &str = "while [ -e \"$0\" ] && [ ! -e \"$HOME/go\" ]; do sleep 0.05; done\n";

#[test]
fn what_a_model_does_is_told_while_it_works() {
    let place = started_with(|provider| provider.replace("say TASK_PLAN", &format!("{HELD}say TASK_PLAN")));
    let mut watching = watch(&place, "");
    let mut lines = BufReader::new(watching.stdout.take().unwrap());
    let mut seen = String::new();
    while !seen.contains("Waiting for ") {
        assert_ne!(lines.read_line(&mut seen).unwrap(), 0, "{seen}");
    }
    let line = seen.lines().last().unwrap().split_once("] ").unwrap().1;
    let seconds =
        line.strip_prefix("Waiting for example (").and_then(|rest| rest.split_once(", plan_loop), "));
    assert!(seconds.is_some_and(|(_, seconds)| seconds.ends_with(" s")), "{line}");
    let workflow = place.json(["list", "--json"])[0]["id"].as_str().unwrap().to_owned();
    let waits = &place.json(["status", &workflow, "--json"])["waitingFor"][0];
    assert_eq!(
        (&waits["type"], &waits["name"], &waits["phase"]),
        (&json!("model"), &json!("example"), &json!("plan_loop"))
    );
    let status = place.finger(["status", &workflow]).stdout;
    let agent = waits["agentId"].as_str().unwrap();
    assert!(status.contains(&format!("Waiting for: example ({agent}, plan_loop), ")), "{status}");
    let page = get(place.http_port(), &format!("/workflows/{workflow}?lang=en"));
    let page = page.text();
    assert!(page.contains(&format!("{agent} has asked example")) && page.contains("data-counts"), "{page}");
    // A signal that ends the wait says for what.
    kill_process(Pid::from_child(&watching), Signal::TERM).unwrap();
    let ended = watching.wait_with_output().unwrap();
    let errors = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(143), "{errors}");
    assert!(errors.contains(&format!("{workflow}（plan_loop）: example ({agent}, plan_loop)\n")), "{errors}");
    place.folder.write("home/go", "");
    until("it is planned, and a person is asked", || {
        let state = place.json(["status", &workflow, "--json"]);
        state["fsmState"] == "execution" && state["waitingFor"] == Value::Null
    });
}

#[test]
fn a_daemon_that_is_killed_goes_on_where_it_was_once_somebody_says_so() {
    // Killed while a person is asked, for the first and for the second time, and while the agents work.
    for at in ["❓ 检测到", "❓ 找到", "Task 1: running → completed"] {
        let place = started();
        let mut watching = watch(&place, if at.starts_with("❓ 检") { "" } else { "Y\n" });
        let mut lines = BufReader::new(watching.stdout.take().unwrap());
        let mut seen = String::new();
        while !seen.contains(at) {
            assert_ne!(lines.read_line(&mut seen).unwrap(), 0, "{at}: {seen}");
        }
        watching.kill().unwrap();
        watching.wait().unwrap();
        place.signal(Signal::KILL);
        until("it is gone", || !place.finger(["daemon", "status"]).stdout.contains("running"));
        place.start();
        let sessions = place.json(["sessions", "--resumable", "--json"]);
        let session =
            sessions["sessions"][0]["id"].as_str().unwrap_or_else(|| panic!("{sessions}")).to_owned();
        let resumed = place.finger(["resume-session", &session]);
        assert_eq!(resumed.code, Some(0), "{at}: {resumed:?}");
        let workflow = place.json(["list", "--json"])[0]["id"].as_str().unwrap().to_owned();
        until("its end", || {
            let pending = place.json(["decision", "list", "--json"]);
            if let Some(decision) = pending["decisions"].as_array().and_then(|decisions| decisions.first()) {
                let (id, is_network) = (
                    decision["decisionId"].as_str().unwrap(),
                    decision["message"] == "检测到网络访问，是否继续？",
                );
                place.finger(["decision", "respond", id, if is_network { "Y" } else { "1,3" }]);
            }
            let state: Value = place.json(["status", &workflow, "--json"]);
            state["fsmState"] == "completed"
        });
        place.finger(["output", &workflow]).succeeded("Report saved to: ./deepseek/report.md\n");
    }
}

#[test]
fn who_watches_a_workflow_that_its_agents_have_given_up_is_told_why() {
    let place = Place::new();
    let script = place.folder.join("home/provider.sh");
    place.folder.write("home/provider.sh", "echo 'the key is wrong' >&2; exit 1\n");
    let config = format!(
        "[daemon]\nprovider = \"broken\"\n\n[daemon.tools]\nsearch_command = [\"/bin/sh\", \"{}\"]\n\n\
         [[agent.providers]]\nname = \"broken\"\nkind = \"command\"\ncommand = \"/bin/sh\"\nargs = [\"{}\"]\n",
        example("search.sh").display(),
        script.display(),
    );
    place.folder.write("home/.config/aide/config.toml", config);
    place.start();
    let begin = |arguments: &[&str]| {
        let mut command = place.command(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Program(command.spawn().unwrap())
    };
    let mut all = vec![begin(&["orchestrate", "a", "--watch"]), begin(&["orchestrate", "b", "--blocking"])];
    until("they have begun", || place.json(["list", "--json"]).as_array().unwrap().len() == 2);
    let workflows = place.json(["list", "--json"]);
    let ids: Vec<&str> =
        workflows.as_array().unwrap().iter().map(|workflow| workflow["id"].as_str().unwrap()).collect();
    all.push(begin(&["status", "--follow", ids[0]]));
    for Program(child) in &mut all {
        let mut errors = BufReader::new(child.stderr.take().unwrap()).lines();
        let what = errors.next().unwrap().unwrap();
        let beginning = "⚠ the workflow is interrupted, and goes on once it is resumed: LLM_ERROR: ";
        assert!(what.starts_with(beginning), "{what}");
        let hint = errors.next().unwrap().unwrap();
        assert!(hint.starts_with("  hint: run aide workflow resume wf-"), "{hint}");
        // The watching command continues.
        assert_eq!(child.try_wait().unwrap(), None);
    }
    let state = place.json(["status", ids[0], "--json"]);
    assert!(state["error"].as_str().unwrap().starts_with("LLM_ERROR: "), "{state}");
    // What was wrong is put right, and it goes on.
    fs::copy(example("provider.sh"), &script).unwrap();
    place.finger(["resume-session", state["sessionId"].as_str().unwrap()]).succeeded_with("[");
    until("it does not go on", || {
        place.json(["status", ids[0], "--json"])["fsmState"] != "semantic_understanding"
    });
    assert_eq!(place.json(["status", ids[0], "--json"])["error"], Value::Null);
}

#[test]
fn who_waits_for_a_phase_that_a_daemon_has_left_is_told_to_resume_it() {
    let place = Place::new();
    // The provider never finishes.
    place.folder.write("home/provider.sh", "touch \"$(dirname \"$0\")/asked\"; exec sleep 20\n");
    let script = place.folder.join("home/provider.sh");
    let config = format!(
        "[daemon]\nprovider = \"slow\"\n\n\
         [[agent.providers]]\nname = \"slow\"\nkind = \"command\"\ncommand = \"/bin/sh\"\nargs = [\"{}\"]\n",
        script.display(),
    );
    place.folder.write("home/.config/aide/config.toml", config);
    place.start();
    let mut command = place.command(["understand", "a"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut waiting = Program(command.spawn().unwrap());
    until("nobody is asked", || place.folder.join("home/asked").exists());
    place.signal(Signal::KILL);
    until("it is gone", || !place.finger(["daemon", "status"]).stdout.contains("running"));
    place.start();
    let mut errors = BufReader::new(waiting.0.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(
        errors.next().as_deref(),
        Some("⚠ the workflow is interrupted, and goes on once it is resumed")
    );
    let hint = errors.next().unwrap();
    assert!(hint.starts_with("  hint: run aide workflow resume wf-"), "{hint}");
    assert_eq!(waiting.0.try_wait().unwrap(), None);
}

#[test]
fn a_daemon_with_agents_that_nobody_answers_for_leaves_workflows_to_clients() {
    let place = Place::started();
    let workflow = place.begin(TASK);
    let state = place.json(["status", &workflow, "--json"]);
    assert_eq!(state["fsmState"], "semantic_understanding", "{state}");
}

/// A provider's answers: the plan is one contract, which only the agent with the folder can write.
const PLANNER: &str = r#"prompt=$(cat)
say() {
    printf '{"thought": "so", "action": "%s", "params": %s, "expectedOutcome": "so", "risk": {"level": "low"}, "confidence": 95}' "$1" "$2"
}
case $prompt in
'You understand'*) say INTENT_ANALYSIS '{"normalizedIntent": {"goal": "a contract"}}' ;;
'You plan'*) say TASK_PLAN '{"tasks": [{"id": "task-1", "description": "Write the contract",
    "requiredCapabilities": ["contracts"], "deliverable": "one page"}]}' ;;
'You review'*) say REVIEW_APPROVE '{"approved": true, "riskLevel": "low"}' ;;
*) exit 1 ;;
esac
"#;

/// Answers for the agent with the folder: records that it was asked, and waits for the file `go`.
const LAWYER: &str = r#"cat > "$(dirname "$0")/prompt"
echo asked >> "$(dirname "$0")/asked"
while [ -e "$0" ] && [ ! -e "$(dirname "$0")/go" ]; do sleep 0.05; done
echo '{"result": "The contract."}'
"#;

/// A program that ends with its test.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn an_agent_with_a_folder_is_waited_for_by_a_daemon_that_was_killed_and_asked_once() {
    let place = Place::new();
    let agent = place.folder.join("agents/legal");
    fs::create_dir_all(&agent).unwrap();
    place.folder.write("agents/legal/agent_profile.json", r#"{"provider": "lawyer"}"#);
    place.folder.write("home/planner.sh", PLANNER);
    place.folder.write("home/lawyer.sh", LAWYER);
    let home = place.folder.join("home");
    let provider = |name: &str| {
        let script = home.join(format!("{name}.sh"));
        format!(
            "[[agent.providers]]\nname = \"{name}\"\nkind = \"command\"\ncommand = \"/bin/sh\"\nargs = [\"{}\"]\n",
            script.display()
        )
    };
    let config = format!(
        "{}{}[daemon]\nprovider = \"planner\"\n[[daemon.agents]]\nid = \"legal\"\ncapabilities = [\"contracts\"]\n\
         folder = \"{}\"\n",
        provider("planner"),
        provider("lawyer"),
        agent.display(),
    );
    place.folder.write("home/.config/aide/config.toml", config);
    place.start();
    let mut runner = Command::new(env!("CARGO_BIN_EXE_aide"));
    runner.args(["agent", "run", "--agent"]).arg(&agent).env_clear().env("HOME", &home);
    let runner = runner.env("PATH", "/usr/bin:/bin").stdout(Stdio::null()).spawn().unwrap();
    let _runner = Program(runner);
    let workflow = place.begin("A contract for Ann");
    until("the agent works", || home.join("asked").exists());
    place.signal(Signal::KILL);
    until("it is gone", || !place.finger(["daemon", "status"]).stdout.contains("running"));
    place.start();
    let sessions = place.json(["sessions", "--resumable", "--json"]);
    let session = sessions["sessions"][0]["id"].as_str().unwrap().to_owned();
    let resumed = place.finger(["resume-session", &session]);
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    fs::write(home.join("go"), "").unwrap();
    until("its end", || place.json(["status", &workflow, "--json"])["fsmState"] == "completed");
    assert_eq!(fs::read_to_string(home.join("asked")).unwrap(), "asked\n");
    let prompt = fs::read_to_string(home.join("prompt")).unwrap();
    for told in ["Write the contract", "one page", "A contract for Ann"] {
        assert!(prompt.contains(told), "{told}: {prompt}");
    }
    let history = place.finger(["events", "--json", "--limit", "1000"]).stdout;
    let events: Vec<Value> = history.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let completed: Vec<&Value> = events.iter().filter(|event| event["type"] == "task_completed").collect();
    assert_eq!(completed.len(), 1, "{history}");
    assert_eq!(completed[0]["payload"]["result"]["output"], "The contract.", "{}", completed[0]);
    // The command names whose it is.
    let plans = fs::read_dir(agent.join("inbox")).unwrap().map(|plan| plan.unwrap().path());
    let commands: Vec<PathBuf> = plans
        .flat_map(|plan| fs::read_dir(plan.join(".processed")).unwrap().map(|name| name.unwrap().path()))
        .filter(|path| path.is_file())
        .collect();
    assert_eq!(commands.len(), 1, "{commands:?}");
    let message: Value = serde_json::from_slice(&fs::read(&commands[0]).unwrap()).unwrap();
    let command = &message["payload"]["command"];
    assert_eq!((&command["workflow_id"], &command["workflow_task_id"]), (&workflow.into(), &"task-1".into()));
    assert_eq!(command["dispatch_id"], message["plan_id"]);
}

/// An event: its number, its type, and what it says.
type Fact = (i64, String, Value);

fn fact(envelope: &Value) -> Fact {
    let kind = envelope["type"].as_str().unwrap().to_owned();
    (envelope["seq"].as_i64().unwrap(), kind, envelope["payload"].clone())
}

/// The events that a WebSocket receives, up to the one of this number.
fn told_by_socket(mut stream: TcpStream, last: i64) -> Vec<Fact> {
    let (mut bytes, mut facts): (Vec<u8>, Vec<Fact>) = (Vec::new(), Vec::new());
    while facts.last().is_none_or(|(seq, ..)| *seq < last) {
        if let Some((opcode, payload, after)) = first_frame(&bytes) {
            let told: Value =
                if opcode == 1 { serde_json::from_slice(payload).unwrap() } else { Value::Null };
            let left = after.len();
            bytes.drain(..bytes.len() - left);
            if told.get("seq").is_some() {
                facts.push(fact(&told));
            }
            continue;
        }
        let mut more = [0; 4096];
        let read = stream.read(&mut more).unwrap();
        assert_ne!(read, 0, "{facts:?}");
        bytes.extend(&more[..read]);
    }
    facts
}

/// The server-sent events, up to the one of this number.
fn told_by_stream(stream: TcpStream, last: i64) -> Vec<Fact> {
    let mut lines = BufReader::new(stream).lines();
    let mut facts: Vec<Fact> = Vec::new();
    let (mut seq, mut kind) = (0, String::new());
    while facts.last().is_none_or(|(seq, ..)| *seq < last) {
        let line = lines.next().unwrap().unwrap();
        match line.split_once(": ") {
            Some(("id", number)) => seq = number.parse().unwrap(),
            Some(("event", name)) => name.clone_into(&mut kind),
            Some(("data", data)) => facts.push((seq, kind.clone(), serde_json::from_str(data).unwrap())),
            // A head, the size of a chunk, or nothing.
            _ => {}
        }
    }
    facts
}

/// What stands in the log of events of the page, as it happened: number, type and what is shown of it.
fn told_by_page(port: u16, workflow: &str) -> Vec<(i64, String, String)> {
    let mut path = format!("/workflows/{workflow}?lang=en");
    let mut rows = Vec::new();
    loop {
        let html = get(port, &path).text().to_owned();
        let (_, log) = html.split_once("id=\"events\"").unwrap();
        for row in log.split("<li data-seq=\"").skip(1) {
            let (seq, row) = row.split_once("\" data-type=\"").unwrap();
            let (kind, row) = row.split_once('"').unwrap();
            let (_, shown) = row.split_once("class=\"detail\">").unwrap();
            let shown = shown.split("</li>").next().unwrap();
            rows.push((seq.parse().unwrap(), kind.to_owned(), shown.to_owned()));
        }
        let Some((before, _)) = log.split_once("\" rel=\"next\"") else { break };
        path = before.rsplit_once("href=\"").unwrap().1.replace("&amp;", "&");
        path.truncate(path.find('#').unwrap());
    }
    rows.reverse();
    rows
}

/// What the page shows at least of an event.
fn shown_of(kind: &str, payload: &Value) -> Vec<String> {
    let members: &[&str] = match kind {
        "user_message" | "assistant_complete" => &["content"],
        "task_started" => &["taskId", "description"],
        "task_completed" => &["taskId"],
        "tool_call" | "tool_result" => &["toolName"],
        "user_decision_required" => &["message"],
        "user_decision_received" => &["decision"],
        "agent_step_completed" => &["thought", "action"],
        "phase_output_saved" => &["outputPath"],
        _ => &[],
    };
    // What an agent answers is JSON, of which the sentence says what it chose and why.
    let answer = payload["content"].as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let (members, payload) = match answer.as_ref().filter(|answer| answer["thought"].is_string()) {
        Some(answer) if kind == "assistant_complete" => (&["action", "thought"][..], answer),
        // What is asked about a tool, and what the answer does, is said in the reader's language.
        _ if kind == "user_decision_received" && payload["context"]["effect"].is_string() => {
            (&[][..], payload)
        }
        _ if kind == "user_decision_required"
            && payload["message"].as_str().is_some_and(|message| message.starts_with("检测到")) =>
        {
            (&[][..], payload)
        }
        _ => (members, payload),
    };
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    // Of a long text the beginning.
    let words =
        members.iter().map(|name| payload[*name].as_str().unwrap().chars().take(60).collect::<String>());
    words.map(|words| escaped(words.trim())).collect()
}

#[test]
fn the_same_run_is_told_to_everybody_in_the_same_order() {
    let place = started();
    let port = place.http_port();
    let socket = web_socket(u16::try_from(place.told()["ws_port"].as_u64().unwrap()).unwrap());
    let mut stream = connect(port);
    stream.write_all(head("GET", "/api/v1/events/stream?since=0", port, "").as_bytes()).unwrap();
    let mut watching = watch(&place, "Y\n1,3\n");
    let mut output = String::new();
    watching.stdout.take().unwrap().read_to_string(&mut output).unwrap();
    assert_eq!(watching.wait().unwrap().code(), Some(0), "{output}");
    let (_, workflow) = as_documented(&output);

    let history = get(port, "/api/v1/events/history?since=0&limit=1000").json();
    let envelopes = history["events"].as_array().unwrap();
    let facts: Vec<Fact> = envelopes.iter().map(fact).collect();
    let last = facts.last().unwrap().0;
    let numbers: Vec<i64> = facts.iter().map(|(seq, ..)| *seq).collect();
    assert_eq!(numbers, (1..=last).collect::<Vec<_>>(), "none is left out");
    assert!(facts.len() > 50, "{}", facts.len());
    assert_eq!(told_by_socket(socket, last), facts);
    assert_eq!(told_by_stream(stream, last), facts);

    let of_workflow = envelopes.iter().filter(|envelope| envelope["workflowId"] == json!(workflow));
    let of_workflow: Vec<Fact> = of_workflow.map(fact).collect();
    let page = told_by_page(port, &workflow);
    let order = |rows: &mut dyn Iterator<Item = (i64, String)>| rows.collect::<Vec<_>>();
    assert_eq!(
        order(&mut page.iter().map(|(seq, kind, _)| (*seq, kind.clone()))),
        order(&mut of_workflow.iter().map(|(seq, kind, _)| (*seq, kind.clone()))),
    );
    for ((seq, kind, shown), (.., payload)) in page.iter().zip(&of_workflow) {
        for words in shown_of(kind, payload) {
            assert!(shown.contains(&words), "{seq} {kind}: {words} is not in {shown}");
        }
    }
}
