//! A daemon whose disk is full: it refuses changes and says so, reads on, and goes on when there is room.

use crate::support::Folder;
use crate::support::disk::unshare;
use crate::support::http::{connect, get, head, read};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

/// A shell that has a small disk for the state of a daemon. It says one line per command: its exit code, and what it printed.
struct Disk {
    folder: Folder,
    shell: Child,
    lines: BufReader<ChildStdout>,
    /// The daemon that was started last.
    pid: Option<Pid>,
}

const PRELUDE: &str = r#"
mount -t tmpfs -o size=2m,mode=700 none disk || exit
say() { "$@" >out 2>err; echo "$? $(tr '\n' ' ' <out)"; }
while read -r line; do eval "$line"; done
"#;

impl Disk {
    fn new(flags: &str) -> Self {
        let folder = Folder::empty();
        fs::create_dir(folder.join("disk")).unwrap();
        fs::create_dir(folder.join("home")).unwrap();
        let mut shell = Command::new("unshare")
            .args([flags, "sh", "-c", PRELUDE])
            .current_dir(folder.path())
            .env("AIDE", env!("CARGO_BIN_EXE_aide"))
            .env("AIDE_LANG", "en")
            .env("FINGER_HOME", folder.join("disk"))
            .env("HOME", folder.join("home"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(shell.stdout.take().unwrap());
        Self { folder, shell, lines, pid: None }
    }

    /// Runs a command to its end; its exit code and what it printed.
    fn say(&mut self, command: &str) -> (u8, String) {
        writeln!(self.shell.stdin.as_mut().unwrap(), "say {command}").unwrap();
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        let (code, printed) = line.split_once(' ').unwrap();
        (code.parse().unwrap(), printed.trim_end().to_owned())
    }

    fn stderr(&self) -> String {
        fs::read_to_string(self.folder.join("err")).unwrap()
    }

    /// Starts a daemon; its port.
    fn start(&mut self) -> u16 {
        let (code, told) = self.say("\"$AIDE\" daemon start --http-port 0 --ws-port 0");
        assert_eq!(code, 0, "{told} {}", self.stderr());
        let told: Value = serde_json::from_str(&self.say("cat disk/daemon.json").1).unwrap();
        self.pid = Pid::from_raw(i32::try_from(told["pid"].as_i64().unwrap()).unwrap());
        u16::try_from(told["http_port"].as_u64().unwrap()).unwrap()
    }

    fn stop(&mut self) {
        assert_eq!(self.say("\"$AIDE\" daemon stop"), (0, "Daemon stopped".to_owned()), "{}", self.stderr());
        self.pid = None;
    }

    /// Takes all room but this.
    fn fill(&mut self, free: u64) {
        // It ends when nothing more can be written.
        assert_eq!(self.say("dd if=/dev/zero of=disk/filler bs=4096").0, 1);
        assert_eq!(self.say(&format!("truncate -s -{free} disk/filler")).0, 0);
    }

    fn free(&mut self) {
        assert_eq!(self.say("rm disk/filler").0, 0);
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if let Some(pid) = self.pid {
            let _ = kill_process(pid, Signal::KILL);
        }
        drop(self.shell.stdin.take());
        let _ = self.shell.wait();
    }
}

/// Asks for a change, by a key of its own; what was answered, which is of the one or the other form.
fn post(port: u16, path: &str, key: &str, body: &Value) -> Result<Value, Value> {
    let body = body.to_string();
    let headers = format!(
        "Connection: close\r\nContent-Type: application/json\r\nIdempotency-Key: {key}\r\nContent-Length: {}\r\n",
        body.len()
    );
    let mut stream = connect(port);
    stream.write_all((head("POST", path, port, &headers) + &body).as_bytes()).unwrap();
    let answer = read(stream);
    assert!(answer.header("content-type").starts_with("application/json"), "{}", answer.text());
    match answer.status {
        200 => Ok(answer.json()),
        status => {
            assert_eq!(status, 500, "{path}: {}", answer.text());
            Err(answer.json())
        }
    }
}

fn begin(port: u16, task: &str) -> Result<Value, Value> {
    let message = json!({ "target": "finger-orchestrator", "message": { "content": task } });
    post(port, "/api/v1/message", task, &message)
}

/// How many events there are, each by its number.
fn events(port: u16) -> usize {
    let answer = get(port, "/api/v1/events/history?since=0&limit=1000");
    assert_eq!(answer.status, 200, "{}", answer.text());
    let answer = answer.json();
    let events = answer["events"].as_array().unwrap();
    assert!(events.iter().zip(1_u64..).all(|(event, seq)| event["seq"] == seq), "a number is left out");
    events.len()
}

/// The tasks of all workflows, sorted.
fn tasks(port: u16) -> Vec<String> {
    let answer = get(port, "/api/v1/workflows");
    assert_eq!(answer.status, 200, "{}", answer.text());
    let listed = answer.json();
    let workflows = listed.as_array().unwrap().iter();
    let mut tasks: Vec<_> =
        workflows.map(|workflow| workflow["userTask"].as_str().unwrap().to_owned()).collect();
    tasks.sort();
    tasks
}

#[test]
fn a_full_disk_refuses_changes_and_reads_on_and_when_it_is_free_again_all_goes_on() {
    let Some(flags) = unshare() else { return };
    for free in [0, 3, 40] {
        let mut disk = Disk::new(flags);
        let port = disk.start();
        let first = begin(port, "first").unwrap();
        let (workflow, session) =
            (first["workflowId"].as_str().unwrap(), first["sessionId"].as_str().unwrap());
        let question = json!({ "workflowId": workflow, "message": "?", "options": ["a", "b"] });
        let asked = post(port, "/api/v1/decision", "asked", &question).unwrap();
        let decision = asked["decisionId"].as_str().unwrap();
        let mut done = vec!["first".to_owned()];

        disk.fill(free * 4096);
        let full = json!({
            "error": "The journal cannot be used: full",
            "code": "INTERNAL_ERROR",
            "details": { "reason": "full" }
        });
        let late = loop {
            let task = format!("task {}", done.len());
            match begin(port, &task) {
                Ok(_) => done.push(task),
                Err(error) => {
                    assert_eq!(error, full);
                    break task;
                }
            }
            assert!(done.len() < 500, "it is never full");
        };
        // What has failed has left room in the log of changes, which a smaller change may fit into.
        disk.fill(0);
        for number in 0.. {
            let small = post(port, "/api/v1/sessions", &format!("small {number}"), &json!({ "name": "x" }));
            if let Err(error) = small {
                assert_eq!(error, full);
                break;
            }
            assert!(number < 500, "it is never full");
        }
        let before = events(port);
        // Whatever changes something.
        let transition = format!("/api/v1/workflow/{workflow}/transition");
        let answer = format!("/api/v1/decision/{decision}/respond");
        let changes = [
            (
                "/api/v1/message",
                json!({ "target": "orchestrator", "message": { "content": "x".repeat(60_000) } }),
            ),
            (
                &*transition,
                json!({ "trigger": "intent_analyzed", "context": { "note": "x".repeat(60_000) } }),
            ),
            (
                "/api/v1/decision",
                json!({ "workflowId": workflow, "message": "x".repeat(16_000), "context": "x".repeat(60_000) }),
            ),
            ("/api/v1/workflow/input", json!({ "workflowId": workflow, "input": "a" })),
            (&*answer, json!({ "response": "a" })),
            ("/api/v1/workflow/pause", json!({ "workflowId": workflow })),
            ("/api/v1/workflow/cancel", json!({ "workflowId": workflow })),
            ("/api/v1/sessions", json!({ "name": "x".repeat(10_000) })),
        ];
        for (path, body) in &changes {
            assert_eq!(post(port, path, path, body), Err(full.clone()), "{path}, {free} free");
        }
        // Whatever only looks.
        for path in [
            "/health",
            "/",
            "/api/v1/workflows/state",
            &format!("/api/v1/workflows/{workflow}/state"),
            &format!("/api/v1/workflows/{workflow}/tasks"),
            "/api/v1/sessions",
            &format!("/api/v1/sessions/{session}"),
            &format!("/api/v1/sessions/{session}/messages"),
            &format!("/api/v1/sessions/{session}/checkpoint/latest"),
            "/api/v1/sessions/resumable",
            "/api/v1/decision",
            &format!("/api/v1/decision/{decision}"),
            "/api/v1/mailbox",
            "/api/v1/agents",
            "/api/v1/resources",
            "/api/v1/modules",
            "/api/v1/openapi.json",
        ] {
            let answer = get(port, path);
            assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        }
        done.sort();
        assert_eq!((events(port), tasks(port)), (before, done.clone()), "nothing was half done");
        let decided = get(port, &format!("/api/v1/decision/{decision}")).json();
        assert_eq!(decided["status"], "pending");

        disk.free();
        // A refusal is not remembered as the answer to a key.
        begin(port, &late).unwrap();
        done.push(late);
        // The input is the answer.
        for (path, body) in [&changes[3], &changes[5]] {
            post(port, path, path, body).unwrap_or_else(|error| panic!("{path}: {error}"));
        }
        assert!(events(port) > before);
        done.sort();
        assert_eq!(tasks(port), done);

        // Whether it ends by itself or not.
        let known = events(port);
        if free == 0 {
            disk.stop();
        } else {
            kill_process(disk.pid.unwrap(), Signal::KILL).unwrap();
        }
        let port = disk.start();
        assert_eq!((events(port), tasks(port)), (known, done));
        begin(port, "last").unwrap();
        assert!(events(port) > known);
        disk.stop();
    }
}

#[test]
fn a_daemon_that_ends_on_a_full_disk_is_started_when_there_is_room() {
    let Some(flags) = unshare() else { return };
    for is_killed in [false, true] {
        let mut disk = Disk::new(flags);
        let port = disk.start();
        begin(port, "first").unwrap();
        disk.fill(0);
        let mut done = vec!["first".to_owned()];
        while begin(port, &format!("task {}", done.len())).is_ok() {
            done.push(format!("task {}", done.len()));
        }
        let known = events(port);
        if is_killed {
            kill_process(disk.pid.unwrap(), Signal::KILL).unwrap();
        } else {
            disk.stop();
        }
        // What was freed by its end is taken as well.
        assert_eq!(disk.say("dd if=/dev/zero of=disk/rest bs=1024").0, 1);
        let (code, told) = disk.say("\"$AIDE\" daemon start --http-port 0 --ws-port 0");
        assert_eq!(code, 1, "{told} {}", disk.stderr());
        assert!(disk.stderr().contains("No space left on device"), "{}", disk.stderr());
        assert_eq!(disk.say("rm disk/rest disk/filler").0, 0);
        let port = disk.start();
        done.sort();
        assert_eq!((events(port), tasks(port)), (known, done));
        begin(port, "last").unwrap();
        disk.stop();
    }
}
