//! A daemon that is there and does not answer: here one that is stopped, as a debugger or a full swap does it.

use crate::support::daemon::Place;
use crate::support::running::RunningServer;
use crate::support::{CommandOutput, Folder, minimal, minimal_answers};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::thread;

/// A daemon that is stopped, until the end of the test at the latest.
struct StoppedDaemon(Place);

impl StoppedDaemon {
    #[track_caller]
    fn new() -> Self {
        let place = Place::started();
        place.signal(Signal::STOP);
        Self(place)
    }
}

impl Drop for StoppedDaemon {
    fn drop(&mut self) {
        // Before its place ends it: a process that stays stopped is nothing that a test leaves behind.
        if self.0.state().join("daemon.json").exists() {
            self.0.signal(Signal::CONT);
        }
    }
}

#[test]
fn its_status_says_that_it_does_not_answer_and_what_to_do() {
    let silent = StoppedDaemon::new();
    let place = &silent.0;
    let pid = place.told()["pid"].clone();
    // All at the same time: each waits until it is sure.
    let commands = [
        &["daemon", "status"][..],
        &["daemon", "status", "--json"],
        &["--lang", "zh", "daemon", "status"],
        // No second one is started.
        &["daemon", "start", "--http-port", "0", "--ws-port", "0"],
    ];
    let [status, in_json, in_chinese, started] = thread::scope(|scope| {
        commands.map(|command| scope.spawn(move || place.finger(command))).map(|asked| asked.join().unwrap())
    });
    let told = format!(
        "✗ the daemon (PID {pid}) does not answer\n  hint: run aide daemon logs to see why, and aide daemon restart to \
         restart it, or aide daemon stop; when it is stuck for longer than daemon.stall_limit (60 s by default), it restarts by \
         itself\n"
    );
    assert_eq!((status.code, &*status.stderr), (Some(3), &*told));
    assert!(status.stdout.starts_with(&format!("Daemon is running\nPID: {pid}\n")), "{}", status.stdout);
    assert_eq!((in_json.code, &*in_json.stderr), (Some(3), ""));
    let found: Value = serde_json::from_str(&in_json.stdout).unwrap();
    assert_eq!(
        (&found["isRunning"], &found["answers"], &found["problem"], &found["modules"]),
        (
            &json!(true),
            &json!(false),
            &json!(format!("the daemon (PID {pid}) does not answer")),
            &Value::Null
        )
    );
    let told = format!("✗ 守护进程（PID {pid}）没有应答\n  建议: 执行 aide daemon logs 查看原因");
    assert!(in_chinese.stderr.starts_with(&told), "{}", in_chinese.stderr);
    started.failed_with(3, &format!("✗ the daemon (PID {pid}) does not answer\n"));
    // What the advice names helps.
    place.finger(["daemon", "stop"]).succeeded("Daemon stopped\n");
    place.start();
    let well = place.json(["daemon", "status", "--json"]);
    assert_eq!((&well["answers"], &well["problem"]), (&json!(true), &Value::Null));
}

#[test]
fn whatever_asks_it_says_so_and_ends_with_3() {
    let silent = StoppedDaemon::new();
    let place = &silent.0;
    let told = format!(
        "✗ the daemon at {} does not answer\n  hint: run aide daemon status for details, or aide daemon \
         restart to restart it\n",
        place.told()["http_url"].as_str().unwrap()
    );
    let commands = [
        &["list"][..],
        &["orchestrate", "a"],
        &["orchestrate", "a", "--blocking"],
        &["status", "wf-1", "--follow"],
        &["events", "--follow"],
        &["decision", "create", "Go on?", "--wait"],
        &["orchestrate", "a", "--watch"],
        &["list", "--json"],
    ];
    // All at the same time: each waits until it is sure.
    let mut done: Vec<CommandOutput> = thread::scope(|scope| {
        let asked = commands.map(|command| scope.spawn(move || place.finger(command)));
        asked.into_iter().map(|asked| asked.join().unwrap()).collect()
    });
    let (in_json, watched) = (done.pop().unwrap(), done.pop().unwrap());
    done.iter().for_each(|done| done.failed(3, &told));
    assert_eq!((watched.code, watched.stderr), (Some(3), told));
    assert!(watched.stdout.ends_with("] Connecting to daemon...\n"), "{}", watched.stdout);
    let found: Value = serde_json::from_str(&in_json.stderr).unwrap();
    assert_eq!((in_json.code, &found["code"]), (Some(3), &json!(3)));
}

#[test]
fn questions_are_served_by_the_program_that_asks_them() {
    let silent = StoppedDaemon::new();
    let folder = Folder::project();
    folder.aide(["config", "set", "decide.port", "0"]).succeeded_with("");
    let mut command = folder.command(["decide", "submit", &minimal().to_string()]);
    command.env("FINGER_HOME", silent.0.state()).env("HOME", silent.0.folder.join("home"));
    let running = RunningServer::start(command);
    assert_ne!(running.port, silent.0.http_port());
    assert_eq!(crate::support::server(&folder).unwrap()["pid"], running.pid());
    // Nor does the daemon take them over once it goes on, though it may find the request.
    silent.0.signal(Signal::CONT);
    silent.0.json(["list", "--json"]);
    assert_eq!(running.answer(&minimal_answers()).status, 200);
    running.finish().succeeded("✓ 决策已完成\n");
}
