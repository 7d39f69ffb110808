//! `aide orchestrate --watch`: what a person sees of a workflow, to the letter of contract/terminal §7, while another program
//! drives it.

use crate::support::daemon::{Place, without_notice};
use crate::support::http::{get, post_json};
use crate::support::terminal::Terminal;
use crate::support::until;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// What contract/terminal §7.1 prints, with what a program cannot know in its place: times are those of the example, and the
/// workflow is called as there.
pub(crate) const DOCUMENT: &str = "\
[10:00:00] Connecting to daemon...
[10:00:00] Connected
[10:00:00] Starting workflow...
[10:00:00] Phase: idle → semantic_understanding
[10:00:00] Phase: semantic_understanding → routing_decision
[10:00:00] Phase: routing_decision → plan_loop
[10:00:00] Plan created: 3 tasks
[10:00:00] Phase: plan_loop → execution
[10:00:00] Task 1: dispatching → running

❓ 检测到网络访问，是否继续？(Y/n)
> Y

[10:00:00] Decision: Y
[10:00:00] Task 1: running → completed
[10:00:00] Task 2: dispatching → running

❓ 找到 5 篇论文，选择哪些？
  1. paper1.pdf
  2. paper2.pdf
  3. paper3.pdf
> 1,3

[10:00:00] Decision: 1,3
[10:00:00] Task 2: running → completed
[10:00:00] Task 3: dispatching → running
[10:00:00] Task 3: running → completed
[10:00:00] Phase: execution → review
[10:00:00] Review: passed
[10:00:00] Phase: review → completed
[10:00:00] Workflow completed: wf-123
[10:00:00] Output saved to: ./deepseek/report.md
";

/// Everything before the first thing that is driven.
const BEGINNING: &str = "\
[10:00:00] Connecting to daemon...
[10:00:00] Connected
[10:00:00] Starting workflow...
[10:00:00] Phase: idle → semantic_understanding
";

/// A stream of the program, as it is written.
struct CapturedStream {
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl CapturedStream {
    fn read(mut stream: impl Read + Send + 'static) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&bytes);
        let reader = thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = stream.read(&mut buffer) {
                into.lock().unwrap().extend_from_slice(&buffer[..length]);
            }
        });
        Self { bytes, reader }
    }

    fn so_far(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().unwrap()).into_owned()
    }

    fn end(self) -> String {
        self.reader.join().unwrap();
        String::from_utf8(Arc::into_inner(self.bytes).unwrap().into_inner().unwrap()).unwrap()
    }
}

/// A client that watches a workflow, and the program that drives it.
struct WatchingClient<'p> {
    place: &'p Place,
    child: Child,
    input: Option<ChildStdin>,
    output: Option<CapturedStream>,
    errors: Option<CapturedStream>,
    workflow: String,
}

/// How it has ended.
struct WatchResult {
    workflow: String,
    code: Option<i32>,
    output: String,
    errors: String,
}

impl<'p> WatchingClient<'p> {
    /// Begins it with `--watch` and these arguments; what it reads is for [`Self::say`].
    #[track_caller]
    fn begin(place: &'p Place, arguments: &[&str]) -> Self {
        let all = ["orchestrate", "搜索 deepseek 最新发布", "--watch"];
        Self::start(place, place.command(all.iter().chain(arguments)))
    }

    #[track_caller]
    fn start(place: &'p Place, command: Command) -> Self {
        Self::of_saying(place, command, "")
    }

    /// The same for a command that reads the task from its input.
    #[track_caller]
    fn of_saying(place: &'p Place, mut command: Command, task: &str) -> Self {
        let before = place.json(["list", "--json"]).as_array().unwrap().len();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (output, errors) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let (output, errors) = (Some(CapturedStream::read(output)), Some(CapturedStream::read(errors)));
        let input = child.stdin.take();
        let mut watching = Self { place, child, input, output, errors, workflow: String::new() };
        watching.say(task);
        until("it does not begin", || {
            let all = place.json(["list", "--json"]);
            let is_there = all.as_array().unwrap().len() > before;
            if is_there {
                watching.workflow = all[0]["id"].as_str().unwrap().to_owned();
            }
            is_there
        });
        watching
    }

    fn so_far(&self) -> String {
        told(&self.output.as_ref().unwrap().so_far(), &self.workflow)
    }

    /// Waits until exactly this has been printed.
    #[track_caller]
    fn until(&self, expected: &str) {
        let mut so_far = String::new();
        until("it is not printed", || {
            so_far = self.so_far();
            so_far == expected || so_far.len() > expected.len()
        });
        assert_eq!(so_far, expected);
    }

    #[track_caller]
    fn until_error(&self, text: &str) {
        until(text, || self.errors.as_ref().unwrap().so_far().contains(text));
    }

    fn say(&mut self, text: &str) {
        self.input.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
    }

    #[track_caller]
    fn post(&self, path: &str, body: &Value) -> Value {
        let answer = post_json(self.place.http_port(), &format!("/api/v1/{path}"), &body.to_string());
        assert_eq!(answer.status, 200, "{body}: {}", answer.text());
        answer.json()
    }

    #[track_caller]
    fn happen(&self, trigger: &str, context: Value) {
        let body = json!({ "trigger": trigger, "context": context });
        self.post(&format!("workflow/{}/transition", self.workflow), &body);
    }

    /// Comes as far as the execution of three tasks, one after the other.
    #[track_caller]
    fn plan(&self) {
        self.happen("intent_analyzed", json!({}));
        self.happen("routing_decided", json!({ "route": "full_replan" }));
        let tasks = json!([
            { "id": "task-1", "description": "搜索" },
            { "id": "task-2", "description": "选择", "dependencies": ["task-1"] },
            { "id": "task-3", "description": "写报告", "dependencies": ["task-2"] },
        ]);
        self.happen("plan_created", json!({ "tasks": tasks }));
    }

    #[track_caller]
    fn task(&self, trigger: &str, number: u8) {
        self.happen(trigger, json!({ "taskId": format!("task-{number}"), "agentId": "executor-general" }));
    }

    /// Asks for a decision; its name.
    #[track_caller]
    fn ask(&self, message: &str, options: &[&str], further: Value) -> String {
        let mut body = json!({ "workflowId": self.workflow, "message": message });
        if !options.is_empty() {
            body["options"] = json!(options);
        }
        body.as_object_mut().unwrap().extend(further.as_object().unwrap().clone());
        self.post("decision", &body)["decisionId"].as_str().unwrap().to_owned()
    }

    /// Waits until a decision has ended; how, and with which answer.
    #[track_caller]
    fn decided(&self, id: &str) -> (String, Value) {
        let decided = get(self.place.http_port(), &format!("/api/v1/decision/{id}?wait=30")).json();
        (decided["status"].as_str().unwrap().to_owned(), decided["response"].clone())
    }

    #[track_caller]
    fn respond(&self, id: &str, response: &str) {
        self.post(&format!("decision/{id}/respond"), &json!({ "response": response }));
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for the end, with the time and the workflow of the example in what was printed.
    fn end(self) -> WatchResult {
        let workflow = self.workflow.clone();
        let watched = self.end_as_it_is();
        WatchResult { output: told(&watched.output, &workflow), ..watched }
    }

    /// The same with what was printed as it was.
    fn end_as_it_is(mut self) -> WatchResult {
        // A client that still reads does not end by itself: its input stays as it is until then.
        let code = self.child.wait().unwrap().code();
        let (output, errors) = (self.output.take().unwrap().end(), self.errors.take().unwrap().end());
        WatchResult { workflow: self.workflow.clone(), code, output, errors: without_notice(&errors) }
    }
}

impl Drop for WatchingClient<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What was printed, with the time of the example and its name of the workflow. Only what has the form of a time is one.
fn told(output: &str, workflow: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in output.split('\n') {
        let is_time = |time: &str| {
            time.len() == 8
                && time
                    .bytes()
                    .enumerate()
                    .all(|(at, byte)| if matches!(at, 2 | 5) { byte == b':' } else { byte.is_ascii_digit() })
        };
        let timed = line.strip_prefix('[').and_then(|rest| rest.split_once("] "));
        lines.push(match timed {
            Some((time, rest)) if is_time(time) => format!("[10:00:00] {rest}"),
            _ => line.to_owned(),
        });
    }
    let told = lines.join("\n");
    if workflow.is_empty() { told } else { told.replace(workflow, "wf-123") }
}

/// The example of contract/terminal §7.1, driven by a program; its two decisions are answered by the caller.
fn drive(watching: &WatchingClient<'_>) {
    watching.plan();
    watching.task("task_started", 1);
    let network = watching.ask("检测到网络访问，是否继续？", &["Y", "n"], json!({ "taskId": "task-1" }));
    assert_eq!(watching.decided(&network), ("answered".to_owned(), json!("Y")));
    watching.task("task_completed", 1);
    watching.task("task_started", 2);
    let papers = ["paper1.pdf", "paper2.pdf", "paper3.pdf"];
    let papers = watching.ask("找到 5 篇论文，选择哪些？", &papers, json!({ "taskId": "task-2" }));
    assert_eq!(watching.decided(&papers), ("answered".to_owned(), json!("1,3")));
    watching.task("task_completed", 2);
    watching.task("task_started", 3);
    watching.task("task_completed", 3);
    watching.happen("review_passed", json!({ "output": { "path": "./deepseek/report.md" } }));
}

#[test]
fn the_session_of_the_document_is_printed_to_the_letter() {
    let place = Place::started();
    for lang in ["zh", "en"] {
        let mut command = place.command(["orchestrate", "搜索 deepseek 最新发布", "--watch"]);
        command.env("AIDE_LANG", lang);
        let mut watching = WatchingClient::start(&place, command);
        watching.say("Y\n1,3\n");
        drive(&watching);
        let watched = watching.end();
        assert_eq!((watched.code, &*watched.errors), (Some(0), ""));
        assert_eq!(watched.output, DOCUMENT);
    }
}

#[test]
fn a_question_is_withdrawn_when_somebody_answers_elsewhere() {
    let place = Place::started();
    let mut watching = WatchingClient::begin(&place, &[]);
    let decision = watching.ask("Go on?", &["Y", "n"], json!({}));
    let asked = format!("{BEGINNING}\n❓ Go on? (Y/n)\n> ");
    watching.until(&asked);
    // What happens meanwhile is seen, and the question stays.
    watching.happen("intent_analyzed", json!({}));
    let asked = asked + "\n[10:00:00] Phase: semantic_understanding → routing_decision\n> ";
    watching.until(&asked);
    watching.respond(&decision, "n");
    let withdrawn = asked + "\n\n[10:00:00] Decision: n\n";
    watching.until(&withdrawn);
    // No input was typed: the next line is for the next question.
    watching.say("a report\n");
    let decision = watching.ask("What?", &[], json!({}));
    assert_eq!(watching.decided(&decision), ("answered".to_owned(), json!("a report")));
    watching.until(&(withdrawn + "\n❓ What?\n> a report\n\n[10:00:00] Decision: a report\n"));
}

#[test]
fn questions_are_asked_one_after_the_other() {
    let place = Place::started();
    let mut watching = WatchingClient::begin(&place, &[]);
    let ask = |message: &str| watching.ask(message, &["Y", "n"], json!({}));
    let (first, second, third) = (ask("First?"), ask("Second?"), ask("Third?"));
    let expected = format!("{BEGINNING}\n❓ First? (Y/n)\n> ");
    watching.until(&expected);
    // One that was not asked yet is answered elsewhere.
    watching.respond(&second, "n");
    let expected = expected + "\n[10:00:00] Decision: n\n> ";
    watching.until(&expected);
    watching.say("\n");
    assert_eq!(watching.decided(&first), ("answered".to_owned(), json!("Y")));
    watching.until(&(expected + "\n\n[10:00:00] Decision: Y\n\n❓ Third? (Y/n)\n> "));
    watching.say("no\n");
    assert_eq!(watching.decided(&third), ("answered".to_owned(), json!("no")));
}

#[test]
fn where_input_ends_at_a_question_it_stays_open() {
    let place = Place::started();
    let mut watching = WatchingClient::begin(&place, &[]);
    drop(watching.input.take());
    // It does not matter as long as no question is asked.
    watching.plan();
    let decision = watching.ask("Go on?", &["Y", "n"], json!({}));
    let watched = watching.end();
    assert!(watched.output.ends_with("\n\n❓ Go on? (Y/n)\n> \n"), "{}", watched.output);
    assert_eq!(watched.code, Some(6));
    assert!(watched.errors.starts_with(&format!("✗ no input; the decision stays open: {decision}\n")));
    assert!(place.finger(["decision", "list"]).stdout.contains(&decision));
    place.finger(["decision", "respond", &decision, "Y"]).succeeded("Decision: Y\n");
}

#[test]
fn a_line_of_a_pipe_that_is_no_answer_ends_it() {
    let place = Place::started();
    let mut watching = WatchingClient::begin(&place, &[]);
    watching.say("maybe\nY\n");
    let decision = watching.ask("Go on?", &["Y", "n"], json!({}));
    let watched = watching.end();
    assert_eq!(watched.code, Some(2), "{}", watched.errors);
    assert!(watched.output.ends_with("❓ Go on? (Y/n)\n> maybe\n"), "{}", watched.output);
    assert!(watched.errors.starts_with("✗ type Y or n\n  hint: "), "{}", watched.errors);
    // The line behind it was meant for another question.
    assert!(place.finger(["decision", "list"]).stdout.contains(&format!("- {decision}: pending Go on?")));
}

#[test]
fn yes_takes_what_is_declared_and_asks_for_the_rest() {
    let place = Place::started();
    let mut watching = WatchingClient::begin(&place, &["--yes"]);
    let declared = watching.ask("Which?", &["a", "b"], json!({ "default": "b" }));
    assert_eq!(watching.decided(&declared), ("answered".to_owned(), json!("b")));
    let expected = format!("{BEGINNING}\n❓ Which?\n  1. a\n  2. b\n> b\n\n[10:00:00] Decision: b\n");
    watching.until(&expected);
    let open = watching.ask("And now?", &["a", "b"], json!({}));
    let expected = expected + "\n❓ And now?\n  1. a\n  2. b\n> ";
    watching.until(&expected);
    watching.say("2\n");
    assert_eq!(watching.decided(&open), ("answered".to_owned(), json!("2")));
    // The answer that Enter stands for is not a declared default: it does not approve a command.
    let command = watching.ask("检测到命令执行（make），是否继续？", &["Y", "n"], json!({}));
    let expected = expected + "2\n\n[10:00:00] Decision: b\n\n❓ 检测到命令执行（make），是否继续？(Y/n)\n> ";
    watching.until(&expected);
    watching.say("n\n");
    assert_eq!(watching.decided(&command), ("answered".to_owned(), json!("n")));
}

#[test]
fn how_a_workflow_ends_is_the_exit_code() {
    let place = Place::started();
    let watch = |arguments: &[&str]| {
        let watching = WatchingClient::begin(&place, arguments);
        watching.plan();
        watching.task("task_started", 1);
        watching
    };
    let failed = |watched: &WatchResult, code: i32, error: &str, end: &str| {
        assert_eq!((watched.code, &*watched.errors), (Some(code), error), "{}", watched.output);
        assert!(watched.output.ends_with(end), "{}", watched.output);
    };
    // Failed once, done again, failed for good: 5.
    let watching = watch(&[]);
    watching.happen("task_failed", json!({ "taskId": "task-1", "error": "no network", "retryable": true }));
    watching.task("task_started", 1);
    watching.happen("error_occurred", json!({ "lastError": "no\nnetwork" }));
    let end = "\
[10:00:00] Task 1: dispatching → running
[10:00:00] Task 1: running → failed
[10:00:00] Task 1: failed → dispatching
[10:00:00] Task 1: dispatching → running
[10:00:00] Phase: execution → failed
[10:00:00] Workflow failed: wf-123
";
    let hint = format!(
        "→ aide workflow events {} shows what has happened\n→ aide provider check NAME tries a provider by itself\n",
        watching.workflow
    );
    failed(&watching.end(), 5, &format!("Error: no\\nnetwork\n{hint}"), end);
    // Cancelled while a question is open: 6.
    let watching = watch(&[]);
    watching.ask("Go on?", &["Y", "n"], json!({}));
    until("the question is withdrawn", || watching.so_far().ends_with("> "));
    place.finger(["cancel", &watching.workflow]).succeeded_with("Workflow cancelled");
    let end = "\
\n❓ Go on? (Y/n)
>\x20

[10:00:00] Phase: execution → failed
[10:00:00] Workflow cancelled: wf-123
";
    failed(&watching.end(), 6, "", end);
    // No answer in time: 7.
    let watching = WatchingClient::begin(&place, &[]);
    watching.happen("intent_analyzed", json!({}));
    watching.happen("routing_decided", json!({ "route": "wait_user_decision" }));
    let decision = watching.ask("Go on?", &["Y", "n"], json!({ "timeoutMs": 1 }));
    let end = "Decision: timeout\n[10:00:00] Phase: wait_user_decision → failed\n[10:00:00] Workflow failed: wf-123\n";
    assert_eq!(watching.decided(&decision).0, "expired");
    failed(&watching.end(), 7, "Error: TIMEOUT\n", end);
    // No agent can do it, and the user gives up: 4.
    let mut watching = watch(&[]);
    let missing = json!([{ "type": "web_search" }]);
    watching.happen("resource_missing", json!({ "taskId": "task-2", "missingResources": missing }));
    watching.say("abort\n");
    let end = "[10:00:00] Decision: abort\n[10:00:00] Phase: wait_user_decision → failed\n[10:00:00] Workflow failed: wf-123\n";
    // What is to be configured is said with the question, and at the end.
    let remedy = "Web search needs a program or an address of yours: set `daemon.tools.search_command` or \
                  `daemon.tools.search_url` in your own configuration (`aide config path`), then run `aide daemon restart`.";
    let asked = format!(
        "→ what you are asked about:\n  │ 选择\n  │\n  │ {remedy} After that, resume the workflow (`aide workflow resume`) and \
         answer `continue`.\n  continue  Try it again\n  replan    Make a new plan\n  abort     End the workflow\n"
    );
    let error = format!("Error: No agent can do the task: web_search is missing\n→ {remedy}\n");
    failed(&watching.end(), 4, &(asked + &error), end);
}

#[test]
fn a_review_that_rejects_is_told_before_what_is_done_again() {
    let place = Place::started();
    let watching = WatchingClient::begin(&place, &[]);
    watching.plan();
    let done: Vec<Value> =
        (1..=3).map(|number| json!({ "id": format!("task-{number}"), "status": "completed" })).collect();
    watching.happen("task_completed", json!({ "tasks": done }));
    watching.happen(
        "review_rejected",
        json!({ "review": { "tasks": ["task-3"], "feedback": "no sources\nare named" } }),
    );
    watching.task("task_started", 3);
    let end = "\
[10:00:00] Phase: execution → review
[10:00:00] Review: rejected
[10:00:00] Reason: no sources are named
[10:00:00] Phase: review → execution
[10:00:00] Task 3: dispatching → running
";
    until("it is not told", || watching.so_far().ends_with(end));
}

#[test]
fn other_signals_end_it_as_well_and_it_says_what_it_was_waiting_for() {
    let place = Place::started();
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129)] {
        let watching = WatchingClient::begin(&place, &[]);
        watching.until(BEGINNING);
        watching.signal(signal);
        let watched = watching.end();
        let awaited = format!(
            "✗ interrupted\n  it was waiting for: workflow {} (in semantic_understanding)\n",
            watched.workflow
        );
        assert_eq!((watched.code, &*watched.errors), (Some(code), &*awaited));
        let state = place.json(["status", &watched.workflow, "--json"]);
        assert_eq!(state["fsmState"], "semantic_understanding", "{state}");
    }
    let watching = WatchingClient::begin(&place, &["--json"]);
    until("it has not begun", || watching.so_far().contains("phase_transition"));
    watching.signal(Signal::TERM);
    let watched = watching.end();
    let told: Value = serde_json::from_str(&watched.errors).unwrap();
    let awaited = format!("it was waiting for: workflow {} (in semantic_understanding)", watched.workflow);
    assert_eq!((watched.code, &told["code"]), (Some(143), &json!(143)), "{told}");
    assert_eq!(told["details"]["lines"], json!([awaited]), "{told}");
}

#[test]
fn ctrl_c_and_a_time_limit_end_it_and_nothing_else() {
    let place = Place::started();
    let watching = WatchingClient::begin(&place, &[]);
    let decision = watching.ask("Go on?", &["Y", "n"], json!({}));
    watching.until(&format!("{BEGINNING}\n❓ Go on? (Y/n)\n> "));
    watching.signal(Signal::INT);
    let watched = watching.end();
    let (workflow, asked) = (watched.workflow, &decision);
    let awaited =
        format!("✗ interrupted\n  it was waiting for: the user's decision {asked} of workflow {workflow}\n");
    assert_eq!((watched.code, &*watched.errors), (Some(6), &*awaited));
    assert!(watched.output.ends_with("> \n"), "{}", watched.output);
    assert!(place.finger(["decision", "list"]).stdout.contains(&decision));
    let states = place.finger(["list"]).stdout;
    assert!(states.contains(": semantic_understanding (waiting for you), "), "{states}");
    assert!(states.ends_with("\n  Waiting for: 1 decision\n"), "{states}");
    let watched = place.finger(["orchestrate", "a", "--watch", "--timeout", "1"]);
    assert_eq!(watched.code, Some(7), "{}", watched.stdout);
    let errors = without_notice(&watched.stderr);
    assert!(errors.starts_with("✗ no answer within 1 s\n  hint: "), "{errors}");
    assert!(errors.contains("\n  it was waiting for: workflow wf-"), "{errors}");
}

#[test]
fn without_a_daemon_it_is_3_after_the_first_line() {
    let place = Place::new();
    let watched = place.finger(["orchestrate", "a", "--watch", "--base-url", "http://127.0.0.1:1"]);
    assert_eq!(watched.code, Some(3));
    assert_eq!(told(&watched.stdout, ""), "[10:00:00] Connecting to daemon...\n");
    assert!(watched.stderr.starts_with("✗ no daemon answers at http://127.0.0.1:1: "), "{}", watched.stderr);
}

#[test]
fn a_daemon_that_is_killed_and_started_again_is_found_again() {
    let place = Place::started();
    let mut watching = WatchingClient::begin(&place, &[]);
    watching.plan();
    watching.task("task_started", 1);
    let network = watching.ask("检测到网络访问，是否继续？", &["Y", "n"], json!({ "taskId": "task-1" }));
    until("the question is withdrawn", || watching.so_far().ends_with("> "));
    place.signal(Signal::KILL);
    watching.until_error("⚠ the connection to the daemon is lost; trying again\n");
    // Typed while no daemon is there to take it.
    watching.say("Y\n");
    // It listens on other ports then.
    place.start();
    assert_eq!(watching.decided(&network), ("answered".to_owned(), json!("Y")));
    watching.until_error("⚠ connected again; nothing was missed\n");
    watching.task("task_started", 1);
    // In the same way without a question, and while much happens that is not seen.
    place.finger(["daemon", "stop"]).succeeded("Daemon stopped\n");
    place.start();
    watching.task("task_started", 1);
    for _ in 0..300 {
        watching.happen("task_progress", json!({ "taskId": "task-1", "progress": 50 }));
    }
    watching.task("task_completed", 1);
    for number in [2, 3] {
        watching.task("task_started", number);
        watching.task("task_completed", number);
    }
    watching.happen("review_passed", json!({}));
    let watched = watching.end();
    assert_eq!(watched.code, Some(0), "{}", watched.errors);
    let lines: Vec<&str> =
        watched.output.lines().filter(|line| line.contains("Task 2") || line.contains("Phase")).collect();
    let phase = |from: &str, to: &str| format!("[10:00:00] Phase: {from} → {to}");
    assert_eq!(
        lines,
        [
            &*phase("idle", "semantic_understanding"),
            &*phase("semantic_understanding", "routing_decision"),
            &*phase("routing_decision", "plan_loop"),
            &*phase("plan_loop", "execution"),
            "[10:00:00] Task 2: dispatching → running",
            "[10:00:00] Task 2: running → completed",
            &*phase("execution", "review"),
            &*phase("review", "completed"),
        ]
    );
    assert_eq!(watched.output.matches("Decision: Y\n").count(), 1, "{}", watched.output);
    assert_eq!(watched.output.matches("❓").count(), 1, "{}", watched.output);
}

#[test]
fn whoever_is_asked_sees_what_the_question_leaves_out() {
    let place = Place::started();
    let mut watching = WatchingClient::begin(&place, &[]);
    let mut ask = |message: &str, context: &str| {
        let decision = watching.ask(message, &["Y", "n"], json!({ "context": context }));
        watching.say("n\n");
        assert_eq!(watching.decided(&decision).0, "answered");
    };
    // All of it stands in the question.
    ask("检测到命令执行（make test），是否继续？", "`SHELL_EXEC`\n\ncommand:\n\n```text\nmake test\n```\n");
    let url = "https://example.org/?key=\u{202e}1\u{1b}[2J";
    ask("检测到网络访问，是否继续？", &format!("`FETCH_URL`\n\nurl:\n\n```text\n{url}\n```\n"));
    let long: String = (1..=30).map(|number| format!("line {number}\n")).collect();
    let asked: String = (1..=30).map(|number| format!("line {number} ")).collect();
    ask(
        &format!("检测到命令执行（{}），是否继续？", asked.trim_end()),
        &format!("`SHELL_EXEC`\n\ncommand:\n\n```text\n{}\n```\n", long.trim_end()),
    );
    let workflow = watching.workflow.clone();
    place.finger(["cancel", &workflow]).succeeded_with("Workflow cancelled");
    let watched = watching.end_as_it_is();
    let lines: String = (1..=30).map(|number| format!("  │     line {number}\n")).collect();
    let answers = |tool: &str| format!("  Y  Allow {tool} for this workflow\n  n  Deny\n");
    assert_eq!(
        watched.errors,
        format!(
            "→ what you are asked about:\n  │ SHELL_EXEC\n  │ command:\n  │     make test\n{}\
             → what you are asked about:\n  │ FETCH_URL\n  │ url:\n  \
             │     https://example.org/?key=\\u{{202e}}1\\u{{1b}}[2J\n{}\
             → what you are asked about:\n  │ SHELL_EXEC\n  │ command:\n{lines}{}",
            answers("SHELL_EXEC"),
            answers("FETCH_URL"),
            answers("SHELL_EXEC"),
        )
    );
    // What is printed of the workflow stays as it is.
    let output = told(&watched.output, &workflow);
    assert!(
        output.contains("semantic_understanding\n\n❓ Allow running a command (make test)? (Y/n)\n> n\n\n")
    );
    assert!(output.contains("Decision: n\n\n❓ Allow network access? (Y/n)\n> n\n\n"), "{output}");
}

/// The warning for a workflow without a driver.
fn interrupted(workflow: &str) -> String {
    format!(
        "⚠ the workflow is interrupted, and goes on once it is resumed\n  \
         hint: run aide workflow resume {workflow}\n"
    )
}

#[test]
fn who_watches_a_workflow_that_a_daemon_has_left_is_told_to_resume_it() {
    let place = Place::started();
    let begin = |arguments: &[&str]| {
        let all = ["orchestrate", "a", "--reconnect", "60"];
        WatchingClient::start(&place, place.command(all.iter().chain(arguments)))
    };
    let all = [&["--watch"][..], &["--blocking"], &["--stream"], &["--watch", "--json"]].map(begin);
    let session = |watching: &WatchingClient<'_>| -> String {
        let state = place.json(["status", &watching.workflow, "--json"]);
        state["sessionId"].as_str().unwrap().to_owned()
    };
    let in_json = all[3].workflow.clone();
    let told = |watching: &WatchingClient<'_>| match watching.workflow == in_json {
        true => format!(
            "{{\"type\":\"interrupted\",\"workflowId\":\"{}\",\"sessionId\":\"{}\",\"error\":null}}\n",
            watching.workflow,
            session(watching)
        ),
        false => interrupted(&watching.workflow),
    };
    all[0].plan();
    // Said once, also where the daemon is started twice.
    for _ in 0..2 {
        place.signal(Signal::KILL);
        all[0].until_error("⚠ the connection to the daemon is lost; trying again\n");
        place.start();
        all.iter().for_each(|watching| watching.until_error(&told(watching)));
    }
    let state = place.finger(["status", &all[0].workflow]);
    let stood = format!(
        "Workflow: {}\nStatus: executing (interrupted)\nPhase: execution (interrupted)\nTasks: 0/3 completed\n",
        all[0].workflow
    );
    assert_eq!((&*state.stdout, state.stderr), (&*stood, interrupted(&all[0].workflow)));
    for watching in all {
        let said = told(&watching);
        // Another client resumes it, and it is watched to its end.
        place.finger(["resume-session", &session(&watching)]).succeeded_with("[");
        place.finger(["cancel", &watching.workflow]).succeeded_with("Workflow cancelled");
        let watched = watching.end_as_it_is();
        assert_eq!(watched.code, Some(6), "{}", watched.errors);
        assert_eq!(watched.errors.matches(&said).count(), 1, "{}", watched.errors);
        assert!(!watched.output.contains("interrupted,"), "{}", watched.output);
    }
}

#[test]
fn an_open_question_is_asked_again_once_the_daemon_is_back() {
    let place = Place::started();
    let mut watching = WatchingClient::begin(&place, &["--reconnect", "60"]);
    watching.plan();
    let decision = watching.ask("Which one?", &["a", "b"], json!({}));
    until("it is asked", || watching.so_far().ends_with("❓ Which one?\n  1. a\n  2. b\n> "));
    place.signal(Signal::KILL);
    watching.until_error("⚠ the connection to the daemon is lost; trying again\n");
    place.start();
    let told = interrupted(&watching.workflow);
    watching.until_error(&told);
    until("it is asked again", || {
        watching.so_far().matches("❓ Which one?\n  1. a\n  2. b\n> ").count() == 2
    });
    watching.say("2\n");
    assert_eq!(watching.decided(&decision), ("answered".to_owned(), json!("2")));
    // An answer does not resume it, and that is said.
    let errors = || watching.errors.as_ref().unwrap().so_far();
    until("it is said again", || errors().matches(&told).count() == 2);
}

#[test]
fn a_daemon_that_does_not_come_back_is_3() {
    let place = Place::started();
    let watching = WatchingClient::begin(&place, &["--reconnect", "0"]);
    watching.until(BEGINNING);
    place.signal(Signal::KILL);
    let watched = watching.end();
    assert_eq!((watched.code, &*watched.output), (Some(3), BEGINNING));
    assert!(watched.errors.starts_with("✗ no daemon answers at "), "{}", watched.errors);
    place.start();
    let watching = WatchingClient::begin(&place, &["--reconnect", "1"]);
    watching.until(BEGINNING);
    place.signal(Signal::KILL);
    let watched = watching.end();
    assert_eq!((watched.code, &*watched.output), (Some(3), BEGINNING), "{}", watched.errors);
    place.finger(["orchestrate", "a", "--watch", "--reconnect", "-1"]).failed_with(2, "✗ ");
}

#[test]
fn a_daemon_that_falls_silent_is_told_and_waited_for() {
    let place = Place::started();
    let end_at_once = WatchingClient::begin(&place, &["--reconnect", "0"]);
    end_at_once.until(BEGINNING);
    let watching = WatchingClient::begin(&place, &[]);
    watching.until(BEGINNING);
    place.signal(Signal::STOP);
    watching.until_error("⚠ the daemon does not answer; trying again\n");
    let watched = end_at_once.end();
    assert_eq!((watched.code, &*watched.output), (Some(3), BEGINNING));
    let told = format!("✗ the daemon at {} does not answer\n", place.told()["http_url"].as_str().unwrap());
    assert!(watched.errors.starts_with(&told), "{}", watched.errors);
    place.signal(Signal::CONT);
    watching.until_error("⚠ connected again; nothing was missed\n");
    watching.plan();
    place.finger(["cancel", &watching.workflow]).succeeded_with("Workflow cancelled");
    let watched = watching.end();
    assert_eq!(watched.code, Some(6), "{}", watched.errors);
    assert!(watched.output.contains("Plan created: 3 tasks\n"), "{}", watched.output);
}

#[test]
fn events_are_streamed_or_told_as_json_until_the_end() {
    let place = Place::started();
    let finish = |watching: &WatchingClient<'_>| {
        watching.plan();
        watching.task("task_started", 1);
        let decision = watching.ask("Go on?", &["Y", "n"], json!({ "taskId": "task-1" }));
        assert_eq!(watching.decided(&decision).0, "answered");
        for number in 1..=3 {
            watching.task("task_completed", number);
        }
        watching.happen("review_passed", json!({ "output": "a report" }));
    };
    let history = |workflow: &str| -> Vec<Value> {
        let told = place.finger(["events", "--json", workflow]).stdout;
        let all: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let last = all.iter().position(|event| event["payload"]["to"] == json!("completed")).unwrap();
        all[..=last].to_vec()
    };
    let mut watching = WatchingClient::begin(&place, &["--json"]);
    watching.say("Y\n");
    finish(&watching);
    let workflow = watching.workflow.clone();
    let watched = watching.end_as_it_is();
    assert_eq!((watched.code, &*watched.errors), (Some(0), ""));
    let told: Vec<Value> = watched.output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(told, history(&workflow));
    // The same as server-sent events.
    let mut watching = WatchingClient::start(&place, place.command(["orchestrate", "a", "--stream"]));
    watching.say("Y\n");
    finish(&watching);
    let workflow = watching.workflow.clone();
    let watched = watching.end_as_it_is();
    assert_eq!((watched.code, &*watched.errors), (Some(0), ""));
    let mut expected: String = history(&workflow)
        .iter()
        .map(|event| format!("event: {}\ndata: {}\n\n", event["type"].as_str().unwrap(), event["payload"]))
        .collect();
    expected += &format!("event: done\ndata: {{\"workflowId\":\"{workflow}\",\"status\":\"completed\"}}\n\n");
    assert_eq!(watched.output, expected);
}

/// What came of it and is no file is said to be where it is.
#[test]
fn the_end_names_the_command_that_shows_the_output() {
    let place = Place::started();
    let watching = WatchingClient::begin(&place, &[]);
    watching.plan();
    for number in 1..=3 {
        watching.task("task_started", number);
        watching.task("task_completed", number);
    }
    watching.happen("review_passed", json!({ "output": "a report" }));
    let workflow = watching.workflow.clone();
    let status = place.finger(["status", &workflow]).stdout;
    assert!(status.ends_with(&format!("\nTo see the output: aide workflow output {workflow}\n")), "{status}");
    let slip = place.finger(["result", &workflow]);
    assert!(slip.code == Some(2) && slip.stderr.contains("did you mean output?"), "{slip:?}");
    let watched = watching.end();
    let end =
        "[10:00:00] Workflow completed: wf-123\n[10:00:00] To see the output: aide workflow output wf-123\n";
    assert!(watched.code == Some(0) && watched.output.ends_with(end), "{}", watched.output);
}

#[test]
fn who_waits_in_silence_is_told_the_result() {
    let place = Place::started();
    let finish = |watching: &WatchingClient<'_>, output: Value| {
        watching.plan();
        let done: Vec<Value> =
            (1..=3).map(|number| json!({ "id": format!("task-{number}"), "status": "completed" })).collect();
        watching.happen("task_completed", json!({ "tasks": done }));
        watching.happen("review_passed", json!({ "output": output }));
    };
    let begin = |arguments: &[&str]| {
        let all = ["orchestrate", "a", "--blocking"];
        WatchingClient::start(&place, place.command(all.iter().chain(arguments)))
    };
    for (output, told) in [
        (json!("a report"), "a report\n"),
        (json!({ "path": "deepseek/report.md" }), "Report saved to: ./deepseek/report.md\n"),
        (Value::Null, ""),
    ] {
        let watching = begin(&[]);
        finish(&watching, output);
        let watched = watching.end();
        assert_eq!((watched.code, &*watched.output, &*watched.errors), (Some(0), told, ""));
    }
    let watching = begin(&["--json"]);
    finish(&watching, json!("a report"));
    let watched = watching.end();
    let told: Value = serde_json::from_str(&watched.output).unwrap();
    assert_eq!((&told["status"], &told["result"]), (&json!("completed"), &json!("a report")));
    assert_eq!((&told["workflowId"], &told["queued"]), (&json!("wf-123"), &json!(false)));
    let watching = begin(&["--json"]);
    watching.happen("error_occurred", json!({ "lastError": "no network" }));
    let watched = watching.end();
    assert_eq!((watched.code, &*watched.output), (Some(5), ""));
    let told: Value = serde_json::from_str(&watched.errors).unwrap();
    assert_eq!((&told["error"], &told["code"]), (&json!("no network"), &json!(5)));
    // The user is not asked, but declared defaults are taken, and nothing else.
    let watching = begin(&["--yes"]);
    let left = watching.ask("Go on?", &["Y", "n"], json!({}));
    let decision = watching.ask("And then?", &["Y", "n"], json!({ "default": "n" }));
    assert_eq!(watching.decided(&decision), ("answered".to_owned(), json!("n")));
    assert!(place.finger(["decision", "list"]).stdout.contains(&left));
}

#[test]
fn who_waits_in_silence_is_told_that_a_decision_waits() {
    let place = Place::started();
    let begin = |arguments: &[&str]| {
        let all = ["orchestrate", "a", "--blocking"];
        WatchingClient::start(&place, place.command(all.iter().chain(arguments)))
    };
    // Also with --yes, where nothing is declared that could be taken.
    for arguments in [&[][..], &["--yes"]] {
        let watching = begin(arguments);
        let decision = watching.ask("Go on?", &["Y", "n"], json!({}));
        // Its own page, or that of its workflow while it has none.
        let told = format!(
            "⚠ waiting for your decision: Go on?\n  hint: answer on its page: http://localhost:{}/",
            place.http_port()
        );
        let command = format!(", or run aide workflow decision respond {decision} ANSWER\n");
        watching.until_error(&command);
        watching.respond(&decision, "Y");
        watching.happen("error_occurred", json!({ "lastError": "no network" }));
        let watched = watching.end();
        let (before, after) = watched.errors.split_once(&command).unwrap();
        assert!(before.starts_with(&told) && !before[told.len()..].contains('\n'), "{before}");
        assert_eq!(after, "Error: no network\n");
    }
    let watching = begin(&["--json"]);
    let decision = watching.ask("Go on?", &["Y", "n"], json!({}));
    watching.until_error("Go on?\"}\n");
    let errors = watching.errors.as_ref().unwrap().so_far();
    let told: Value = serde_json::from_str(errors.lines().last().unwrap()).unwrap();
    let expected = json!({ "type": "user_decision_required", "workflowId": watching.workflow, "decisionId": decision,
        "message": "Go on?" });
    assert_eq!(told, expected);
}

#[test]
fn a_task_comes_from_an_argument_a_pipe_or_a_file() {
    let place = Place::started();
    fs::write(place.folder.join("work/task.txt"), "from a file\n").unwrap();
    let last = || place.json(["list", "--json"])[0]["userTask"].clone();
    place.finger(["orchestrate", "--file", "task.txt"]).succeeded_with("Workflow started: ");
    assert_eq!(last(), json!("from a file"));
    for arguments in [&["orchestrate"][..], &["orchestrate", "--file", "-"]] {
        let mut child =
            place.command(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let task = format!("from a pipe {}", arguments.len());
        child.stdin.take().unwrap().write_all(format!("{task}\n").as_bytes()).unwrap();
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
        assert_eq!(last(), json!(task));
    }
    place.finger(["orchestrate"]).failed_with(2, "✗ missing argument: <TASK>\n");
    place.finger(["orchestrate", "--file", "none.txt"]).failed_with(1, "✗ ");
    let two = "✗ TASK and --file cannot both be given\n";
    place.finger(["orchestrate", "a", "--file", "task.txt"]).failed_with(2, two);
    place.finger(["orchestrate", "a", "--watch", "--blocking"]).failed_with(2, "✗ ");
    place.finger(["orchestrate", "a", "--stream", "--json"]).failed_with(2, "{");
}

#[test]
fn what_agents_say_is_no_command_for_the_terminal_and_no_line_of_its_own() {
    let place = Place::started();
    let mut watching = WatchingClient::begin(&place, &[]);
    watching.say("n\n");
    let decision = watching.ask("a\u{1b}[2J\n[10:00:00] Decision: Y", &["Y\u{7}", "n"], json!({}));
    assert_eq!(watching.decided(&decision).0, "answered");
    watching.until(&format!(
        "{BEGINNING}\n❓ a\\u{{1b}}[2J\\n[10:00:00] Decision: Y\n  1. Y\\u{{7}}\n  2. n\n> n\n\n[10:00:00] Decision: n\n"
    ));
}

/// The same in a terminal of its own.
fn terminal(place: &Place, arguments: &[&str]) -> Terminal {
    let (state, home) = (place.state(), place.folder.join("home"));
    let variables =
        [("FINGER_HOME", state.to_str().unwrap()), ("HOME", home.to_str().unwrap()), ("AIDE_LANG", "en")];
    let all: Vec<&str> = ["orchestrate", "a", "--watch"].iter().chain(arguments).copied().collect();
    Terminal::start(&place.folder, &all, &variables)
}

#[test]
fn somebody_at_a_terminal_is_asked_until_there_is_an_answer() {
    let place = Place::started();
    let ask = |message: &str| {
        let workflow = place.json(["list", "--json"])[0]["id"].as_str().unwrap().to_owned();
        let created = place.finger([
            "decision",
            "create",
            message,
            "--option",
            "a",
            "--option",
            "b",
            "--workflow",
            &workflow,
        ]);
        created.stdout.strip_prefix("Decision created: ").unwrap().trim_end().to_owned()
    };
    let mut terminal = terminal(&place, &[]);
    terminal.until("Phase: idle → semantic_understanding");
    let first = ask("Which one?");
    terminal.until("❓ Which one?\n  1. a\n  2. b\n> ");
    let open = place.json(["decision", "list", "--json"]);
    let set = open["decisions"][0]["setId"].as_str().unwrap();
    for (typed, question) in [("c", "> c"), ("", "> "), ("1,4", "> 1,4")] {
        terminal.press(&format!("{typed}\n"));
        terminal.until(&format!(
            "{question}\n⚠ type numbers from 1 to 2, such as 1 or 1,2, or an option's words\n  hint: to add a note in \
             your own words or to send it back, answer on its page: http://localhost:{}/d/workflow.{set}\n> ",
            place.http_port()
        ));
    }
    // Half a line is typed when another client answers: it does not begin the next answer.
    terminal.press("1,");
    terminal.until("> 1,");
    place.finger(["decision", "respond", &first, "my own"]).failed_with(
        2,
        &format!(
            "✗ type numbers from 1 to 2, such as 1 or 1,2, or an option's words\n  hint: to add a note in your own words or to send it back, answer on its page: \
             http://localhost:{}/d/workflow.{set}\n",
            place.http_port()
        ),
    );
    // What is said to the workflow answers its question.
    let workflow = place.json(["list", "--json"])[0]["id"].as_str().unwrap().to_owned();
    place.finger(["input", &workflow, "ten pages at most"]).failed_with(
        2,
        &format!(
            "✗ Response names no option\n  hint: nothing was sent, because a question is open: Which one? (answer it first: \
             http://localhost:{}/d/workflow.{set}; then send the text again)\n",
            place.http_port()
        ),
    );
    assert!(get(place.http_port(), &format!("/d/workflow.{set}")).text().contains("Which one?"));
    place.finger(["decision", "respond", &first, "2"]).succeeded("Decision: b\n");
    terminal.until("] Decision: b");
    ask("And now?");
    terminal.until("❓ And now?\n  1. a\n  2. b\n> ");
    terminal.press("1\n");
    // In words, whatever was typed for it; and it was typed. The other answer stands on the screen already.
    terminal.until("] Decision: a");
    let second = &place.json(["decision", "list", "--all", "--json"])["decisions"][1];
    assert_eq!((&second["response"], &second["respondedBy"]), (&json!("1"), &json!("terminal")));
    // The end of input at a question, and Ctrl-C: it stays open.
    let third = ask("Still?");
    terminal.until("❓ Still?\n  1. a\n  2. b\n> ");
    terminal.press("\u{4}");
    let (code, terminal) = terminal.finish();
    assert_eq!(code, Some(6), "{}", terminal.screen());
    assert!(terminal.screen().contains(&format!("✗ no input; the decision stays open: {third}")));
    let mut terminal = self::terminal(&place, &[]);
    terminal.until("Phase: idle → semantic_understanding");
    let fourth = ask("And here?");
    terminal.until("❓ And here?\n  1. a\n  2. b\n> ");
    terminal.press("\u{3}");
    let (code, terminal) = terminal.finish();
    assert_eq!(code, Some(6), "{}", terminal.screen());
    let pending = place.finger(["decision", "list"]).stdout;
    assert!(pending.contains(&third) && pending.contains(&fourth), "{pending}");
}

#[test]
fn what_is_approved_stands_above_its_question_in_a_terminal() {
    let place = Place::started();
    let mut terminal = terminal(&place, &[]);
    terminal.until("Phase: idle → semantic_understanding");
    let workflow = place.json(["list", "--json"])[0]["id"].as_str().unwrap().to_owned();
    let asked = json!({
        "workflowId": workflow, "message": "检测到网络访问，是否继续？", "options": ["Y", "n"],
        "context": "`WEB_SEARCH`\n\nquery:\n\n```text\ndeepseek\n```\n",
    });
    assert_eq!(post_json(place.http_port(), "/api/v1/decision", &asked.to_string()).status, 200);
    terminal.until(
        "→ what you are asked about:\n  │ WEB_SEARCH\n  │ query:\n  │     deepseek\n  \
         Y  Allow WEB_SEARCH for this workflow\n  n  Deny\n\n❓ Allow network access? (Y/n)\n>",
    );
    terminal.press("n\n");
    terminal.until("] Decision: n");
    terminal.press("\u{3}");
    terminal.finish();
}

#[test]
fn a_conversation_begins_workflows_answers_and_steers() {
    let place = Place::started();
    let mut talking = WatchingClient::of_saying(&place, place.command(["repl"]), "a report\n");
    let prompt = format!("[{}] > ", &talking.workflow[..8]);
    let mut expected = format!(
        "Finger REPL v{}\nType /help for available commands\n\nConnecting to daemon...\nConnected ✓\n\
         > a report\n✓ Workflow started: wf-123\n{prompt}\n\
         [10:00:00] Phase: idle → semantic_understanding\n{prompt}",
        env!("CARGO_PKG_VERSION")
    );
    talking.until(&expected);
    let unknown = "Unknown command: /wait\nType /help for available commands";
    let paused = format!("✓ Workflow paused\n{prompt}\n[10:00:00] Phase: semantic_understanding → paused");
    let resumed = format!("✓ Workflow resumed\n{prompt}\n[10:00:00] Phase: paused → semantic_understanding");
    for (line, answer) in [
        ("/status", "Status: planning (semantic_understanding)"),
        ("/list", "- wf-123: semantic_understanding (planning)"),
        ("briefer, please", "✓ Input sent"),
        ("/wait", unknown),
        ("/pause", &paused),
        ("/resume", &resumed),
    ] {
        talking.say(&format!("{line}\n"));
        expected += &format!("{line}\n{answer}\n{prompt}");
        talking.until(&expected);
    }
    // A decision is answered by the next line.
    let decision = talking.ask("Which?", &["a", "b"], json!({}));
    expected += &format!("\n\n❓ Which?\n  1. a\n  2. b\n{prompt}");
    talking.until(&expected);
    talking.say("2\n");
    expected += &format!("2\n✓ Input sent\n{prompt}\n[10:00:00] Decision: b\n{prompt}");
    talking.until(&expected);
    assert_eq!(talking.decided(&decision), ("answered".to_owned(), json!("2")));
    // An error is printed for what is refused, and the session continues.
    talking.say("/switch wf-x\n");
    talking.until_error("✗ No such workflow\n");
    expected += &format!("/switch wf-x\n{prompt}");
    talking.until(&expected);
    // A user who leaves and comes back is asked the open question.
    let open = talking.ask("And now?", &["Y", "n"], json!({}));
    expected += &format!("\n\n❓ And now? (Y/n)\n{prompt}");
    talking.until(&expected);
    let workflow = talking.workflow.clone();
    talking.say(&format!("/new\n/status\n/switch {workflow}\n"));
    expected += "/new\n✓ Ready for a new workflow\n> /status\nNo workflow\n> /switch wf-123\n";
    expected += &format!("✓ Switched to workflow wf-123\n\n❓ And now? (Y/n)\n{prompt}");
    talking.until(&expected);
    talking.respond(&open, "n");
    expected += &format!("\n[10:00:00] Decision: n\n{prompt}");
    talking.until(&expected);
    talking.say("/json\n");
    expected += &format!("/json\n✓ Output: json\n{prompt}");
    talking.until(&expected);
    talking.happen("intent_analyzed", json!({}));
    until("no event is told", || talking.so_far().ends_with(&format!("}}\n{prompt}")));
    let told = talking.so_far()[expected.len()..].trim_start().lines().next().unwrap().to_owned();
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(
        (&told["type"], &told["payload"]["to"]),
        (&json!("phase_transition"), &json!("routing_decision"))
    );
    talking.say("/text\n/cancel\n");
    let end = format!(
        "/text\n✓ Output: text\n{prompt}/cancel\n✓ Workflow cancelled\n{prompt}\n\
         [10:00:00] Phase: routing_decision → failed\n[10:00:00] Workflow cancelled: wf-123\n> "
    );
    until("it does not end", || talking.so_far().ends_with(&end));
    talking.say("/exit\n");
    let ended = talking.end();
    assert_eq!(ended.code, Some(0), "{}", ended.errors);
    assert!(ended.output.ends_with("> /exit\nGoodbye!\n"), "{}", ended.output);
}

#[test]
fn of_several_decisions_a_conversation_answers_the_one_that_is_named() {
    let place = Place::started();
    let mut talking = WatchingClient::of_saying(&place, place.command(["repl"]), "a report\n");
    let asked: Vec<String> =
        ["Which?", "And which?"].map(|message| talking.ask(message, &["a", "b"], json!({}))).into();
    until("both are asked", || talking.so_far().contains("❓ And which?"));
    // What names none is an answer to none.
    talking.say("2\n");
    for decision in &asked {
        talking.until_error(decision);
    }
    talking.say("/answer\n");
    until("it is told how", || talking.so_far().contains("Usage: /answer DECISION ANSWER"));
    talking.say(&format!("/answer {} c\n", asked[0]));
    talking.until_error(
        "✗ type numbers from 1 to 2, such as 1 or 1,2, or an option's words\n  hint: to add a note in your own words",
    );
    for (decision, (answer, chosen)) in asked.iter().rev().zip([("1", "1"), ("b", "b")]) {
        talking.say(&format!("/answer {decision} {answer}\n"));
        assert_eq!(talking.decided(decision), ("answered".to_owned(), json!(chosen)));
    }
    until("both are told", || talking.so_far().matches("✓ Answer sent").count() == 2);
    talking.say("/exit\n");
    assert_eq!(talking.end().code, Some(0));
}

#[test]
fn a_conversation_shows_what_is_approved_and_tells_of_a_workflow_that_nobody_goes_on_with() {
    let place = Place::started();
    let mut talking = WatchingClient::of_saying(&place, place.command(["repl"]), "a report\n");
    let context = "`WEB_SEARCH`\n\nquery:\n\n```text\ndeepseek\n```\n";
    let decision = talking.ask("检测到网络访问，是否继续？", &["Y", "n"], json!({ "context": context }));
    talking.until_error(
        "→ what you are asked about:\n  │ WEB_SEARCH\n  │ query:\n  │     deepseek\n  Y  Allow WEB_SEARCH for this workflow\n  n  Deny\n",
    );
    until("the question is withdrawn", || talking.so_far().contains("❓ Allow network access? (Y/n)\n"));
    talking.respond(&decision, "n");
    place.signal(Signal::KILL);
    talking.until_error("⚠ the connection to the daemon is lost; trying again\n");
    place.start();
    talking.until_error(
        "⚠ the workflow is interrupted, and goes on once it is resumed\n  hint: run aide workflow resume wf-",
    );
    talking.say("/exit\n");
    let talked = talking.end();
    assert_eq!(talked.code, Some(0), "{}", talked.errors);
    assert_eq!(talked.errors.matches("interrupted").count(), 1, "{}", talked.errors);
}

#[test]
fn a_conversation_ends_with_its_input_and_needs_a_daemon() {
    let place = Place::started();
    let left = place.finger(["repl"]);
    assert_eq!((left.code, &*left.stderr), (Some(0), ""));
    assert!(left.stdout.ends_with("Connected ✓\n> \nGoodbye!\n"), "{}", left.stdout);
    place
        .finger(["repl", "--base-url", "http://127.0.0.1:1"])
        .failed_with_after(3, "✗ no daemon answers at ");
    for (lang, words) in
        [("en", "/exit, /quit  Leave; the workflow continues\n"), ("zh", "/clear        清屏\n")]
    {
        let mut command = place.command(["repl"]);
        let mut child =
            command.env("AIDE_LANG", lang).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all("/help\n".as_bytes()).unwrap();
        let told = child.wait_with_output().unwrap();
        assert!(String::from_utf8(told.stdout).unwrap().contains(words), "{lang}");
    }
}
