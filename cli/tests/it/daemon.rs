//! `finger daemon`, which is `aide daemon`: its beginning, its end, and what is found in between.

use crate::support::daemon::Place;
use crate::support::http::{ask, get};
use crate::support::{CommandOutput, begin, until};
use rustix::fs::{FlockOperation, fcntl_lock};
use rustix::process::{Signal, geteuid};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// Ends a child with the test.
struct ChildGuard(Child);

impl Drop for ChildGuard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Ending the daemon names what it has shown and leaves open.
#[test]
fn its_end_says_how_many_questions_stay_open() {
    let place = Place::started();
    let workflow = place.begin("a");
    place
        .finger(["decision", "create", "Which?", "--workflow", &workflow])
        .succeeded_with("Decision created: ");
    let stopped = place.finger(["daemon", "stop"]);
    assert_eq!((stopped.code, &*stopped.stdout), (Some(0), "Daemon stopped\n"));
    assert_eq!(
        stopped.stderr,
        "⚠ 1 set of questions stays open\n  hint: aide daemon start shows them again\n"
    );
}

#[test]
fn it_is_started_found_and_stopped() {
    let place = Place::new();
    place.finger(["daemon", "status"]).succeeded("Daemon is stopped\n");
    place.finger(["daemon", "stop"]).succeeded("No PID file found, daemon not running\n");
    // Nothing has come into being by that.
    assert!(!place.state().exists());
    place.start();
    let told = place.told();
    let pid = told["pid"].as_u64().unwrap();
    assert_eq!(fs::read_to_string(place.state().join("daemon.pid")).unwrap(), format!("{pid}\n"));
    // No other user can read the files there.
    assert_eq!(fs::metadata(place.state()).unwrap().permissions().mode() & 0o777, 0o700);
    for file in ["daemon.json", "daemon.pid", "daemon.log", "journal.db"] {
        let mode = fs::metadata(place.state().join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    // It is healthy, on both ports and for clients without a key.
    let health = get(place.http_port(), "/health");
    assert_eq!((health.status, &health.json()["status"]), (200, &json!("healthy")));
    // A second one finds the first.
    let again = place.finger(["daemon", "start", "--http-port", "0", "--ws-port", "0"]);
    again.succeeded(&format!("Daemon already running with PID {pid}\n"));
    assert_eq!(place.told(), told);
    let status = place.finger(["daemon", "status"]);
    let address = format!("API: http://127.0.0.1:{}\n", place.http_port());
    assert_eq!((status.code, &*status.stderr), (Some(0), ""));
    assert!(
        status.stdout.starts_with("Daemon is running\n") && status.stdout.contains(&address),
        "{}",
        status.stdout
    );
    let status = place.json(["daemon", "status", "--json"]);
    assert_eq!(
        (&status["pid"], &status["isRunning"], &status["answers"]),
        (&json!(pid), &json!(true), &json!(true))
    );
    assert_eq!((&status["httpPort"], &status["wsPort"]), (&told["http_port"], &told["ws_port"]));
    assert!(status["modules"]["inputs"].to_string().contains("finger-orchestrator"), "{status}");
    place.finger(["daemon", "stop"]).succeeded("Daemon stopped\n");
    for file in ["daemon.json", "daemon.pid"] {
        assert!(!place.state().join(file).exists(), "{file}");
    }
    let status = place.json(["daemon", "status", "-j"]);
    assert_eq!((&status["pid"], &status["isRunning"]), (&Value::Null, &json!(false)));
    let log = place.finger(["daemon", "logs"]).stdout;
    assert!(log.contains("started") && log.contains("ended"), "{log}");
}

#[test]
fn its_load_is_shown_in_both_languages_and_to_prometheus_once_that_is_configured() {
    let place = Place::started();
    assert_eq!(get(place.http_port(), "/metrics").status, 404);
    place.finger(["daemon", "stop"]).succeeded("Daemon stopped\n");
    place.folder.write("home/.config/aide/config.toml", "[daemon]\nmetrics = true\n");
    place.start();
    place.begin("a");
    let status = place.finger(["daemon", "status"]);
    assert_eq!((status.code, &*status.stderr), (Some(0), ""));
    for line in
        ["Workflows: running 1, paused 0\n", "Open decisions: 0\n", "Subscribers: WebSocket 0, SSE 0\n"]
    {
        assert!(status.stdout.contains(line), "{}", status.stdout);
    }
    let in_chinese = place.finger(["--lang", "zh", "daemon", "status"]).stdout;
    assert!(in_chinese.contains("\n工作流: 进行中 1，已暂停 0\n"), "{in_chinese}");
    let load = place.json(["daemon", "status", "--json"])["load"].clone();
    let health = get(place.http_port(), "/health").json()["load"].clone();
    for member in ["workflows", "decisions", "agentQueue", "outbox", "requests", "subscribers", "journal"] {
        assert!(!load[member].is_null() && load[member] == health[member], "{member}: {load} {health}");
    }
    let metrics = get(place.http_port(), "/metrics");
    assert_eq!(metrics.status, 200);
    assert!(metrics.text().contains("\naide_workflows_running 1\n"), "{}", metrics.text());
}

#[test]
fn both_names_of_the_program_mean_the_same_daemon() {
    let place = Place::started();
    let aide = |arguments: &[&str]| {
        let mut command = place.folder.command(arguments);
        command.env("FINGER_HOME", place.state()).env("AIDE_LANG", "en");
        CommandOutput::new(command.output().unwrap())
    };
    let workflow = place.begin("as finger");
    aide(&["workflow", "list"]).succeeded_with(&format!("- {workflow}: semantic_understanding (planning), "));
    let begun = aide(&["orchestrate", "as aide", "--json"]);
    assert_eq!(begun.code, Some(0), "{}", begun.stderr);
    assert_eq!(place.json(["list", "--json"]).as_array().unwrap().len(), 2);
    aide(&["daemon", "stop"]).succeeded("Daemon stopped\n");
    place.finger(["list"]).failed_with(3, "✗ no daemon answers at http://localhost:1: ");
}

#[test]
fn a_port_that_is_taken_is_named_and_nobody_is_harmed() {
    let place = Place::new();
    let occupant = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = occupant.local_addr().unwrap().port().to_string();
    for (arguments, flag) in [
        (["--http-port", &port, "--ws-port", "0"], "--http-port"),
        (["--http-port", "0", "--ws-port", &port], "--ws-port"),
    ] {
        let refused = place.finger(["daemon", "start"].into_iter().chain(arguments));
        refused.failed_with(1, &format!("✗ cannot start the server: port {port} is in use\n"));
        assert!(refused.stderr.contains(flag), "{}", refused.stderr);
        place.finger(["daemon", "status"]).succeeded("Daemon is stopped\n");
    }
    // The process that holds the port still holds it.
    drop(std::net::TcpStream::connect(occupant.local_addr().unwrap()).unwrap());
    assert!(occupant.accept().is_ok());
}

#[test]
fn of_many_that_are_started_at_once_one_runs() {
    let place = Place::new();
    let start = || begin(place.command(["daemon", "start", "--http-port", "0", "--ws-port", "0"]));
    let starting: Vec<Child> = (0..6).map(|_| start()).collect();
    let told: Vec<CommandOutput> =
        starting.into_iter().map(|child| CommandOutput::new(child.wait_with_output().unwrap())).collect();
    let pid = place.told()["pid"].clone();
    for one in &told {
        assert_eq!((one.code, &*one.stderr), (Some(0), ""), "{one:?}");
        let is_told =
            [format!("Daemon started with PID {pid}\n"), format!("Daemon already running with PID {pid}\n")];
        assert!(is_told.contains(&one.stdout), "{one:?}");
    }
    assert_eq!(told.iter().filter(|one| one.stdout.starts_with("Daemon started")).count(), 1, "{told:?}");
}

#[test]
fn what_was_acknowledged_outlives_a_kill() {
    let place = Place::started();
    let workflow = place.begin("搜索 deepseek");
    place.signal(Signal::KILL);
    until("its end is noticed", || place.finger(["daemon", "status"]).stdout == "Daemon is stopped\n");
    place.finger(["list"]).failed_with(3, "✗ no daemon answers at ");
    // Its pid proves nothing and must not be trusted.
    place.finger(["daemon", "stop"]).succeeded("Invalid PID file removed\n");
    place.start();
    let state = place.json(["status", &workflow, "--json"]);
    assert_eq!(
        (&state["fsmState"], &state["userTask"]),
        (&json!("semantic_understanding"), &json!("搜索 deepseek"))
    );
    // It is not gone on with unasked, but can be.
    let session = state["sessionId"].as_str().unwrap();
    let resumable = place.finger(["sessions", "--resumable"]);
    resumable.succeeded(&format!("  1. {session}: \"搜索 deepseek\" (progress: 0%)\n"));
    let resumed = place.finger(["resume-session", session]);
    resumed.succeeded(&format!(
        "[{session}] resuming...\n[{session}] current phase: semantic_understanding\n[{session}] going on...\n"
    ));
    place.finger(["resume-session", session]).failed_with_after(1, "✗ ");
    // Each event once, without a gap.
    let events = place.finger(["events", "--since", "0", "--json"]).stdout;
    let numbers: Vec<u64> = events
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["seq"].as_u64().unwrap())
        .collect();
    let expected: Vec<u64> = (1..=numbers.len() as u64).collect();
    assert_eq!(numbers, expected);
}

#[test]
fn sigterm_says_farewell_to_whoever_listens() {
    let place = Place::started();
    let mut listener = place.command(["events", "--follow"]);
    let mut listener = ChildGuard(listener.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
    let mut lines = BufReader::new(listener.0.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "Connected. Subscribing...");
    let workflow = place.begin("a");
    let is_told = |line: String| line.contains("] phase_transition: {\"from\":\"idle\"").then_some(line);
    assert!(lines.by_ref().map(Result::unwrap).find_map(is_told).is_some());
    place.signal(Signal::TERM);
    assert_eq!(lines.map(Result::unwrap).collect::<Vec<_>>(), ["Connection closed"]);
    assert_eq!(listener.0.wait().unwrap().code(), Some(0));
    until("it has not ended", || !place.state().join("daemon.json").exists());
    // What was under way has its checkpoint.
    place.start();
    let session = place.json(["status", &workflow, "--json"])["sessionId"].as_str().unwrap().to_owned();
    assert_eq!(place.json(["checkpoint", &session])["checkpoint"]["workflowId"], json!(workflow));
}

#[test]
fn in_the_foreground_it_stays_until_it_is_told_to_end() {
    for (signal, code) in [(Signal::TERM, 0), (Signal::INT, 130)] {
        let place = Place::new();
        let mut command =
            place.command(["daemon", "start", "--foreground", "--http-port", "0", "--ws-port", "0"]);
        let mut daemon = ChildGuard(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
        let mut stdout = BufReader::new(daemon.0.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert_eq!(line, format!("Daemon started with PID {}\n", daemon.0.id()));
        let running = format!("Daemon already running with PID {}\n", daemon.0.id());
        place.finger(["daemon", "start", "--foreground"]).succeeded(&running);
        place.signal(signal);
        assert_eq!(daemon.0.wait().unwrap().code(), Some(code));
        let mut log = String::new();
        daemon.0.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        assert!(log.contains("started") && log.contains("ended"), "{log}");
        assert!(!place.state().join("daemon.log").exists());
    }
}

/// Whether this port has a connection. `port` is written as in `/proc/net/tcp`: the remote end, and that it is established.
fn is_connected_to(port: &str) -> bool {
    fs::read_to_string("/proc/net/tcp").unwrap().contains(port)
}

#[test]
fn one_that_answers_nobody_and_ends_meanwhile_gives_way_to_the_next() {
    for flag in [None, Some("--foreground")] {
        let place = Place::started();
        let port = format!(":{:04X} 01", place.told()["http_port"].as_u64().unwrap());
        // It has its lock and its port, as one has that was killed and that the system has not done away with yet.
        place.signal(Signal::STOP);
        let mut command = place.command(["daemon", "start", "--http-port", "0", "--ws-port", "0"]);
        let mut next =
            ChildGuard(command.args(flag).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
        until("it asks nobody", || next.0.try_wait().unwrap().is_some() || is_connected_to(&port));
        place.signal(Signal::KILL);
        let mut line = String::new();
        BufReader::new(next.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, format!("Daemon started with PID {}\n", place.told()["pid"]));
        place.finger(["daemon", "stop"]).succeeded("Daemon stopped\n");
    }
}

#[test]
fn one_that_is_told_to_end_before_it_is_ready_ends_well() {
    for (signal, code) in [(Signal::TERM, 0), (Signal::INT, 130)] {
        let place = Place::started();
        place.finger(["daemon", "stop"]).succeeded("Daemon stopped\n");
        // Who holds this keeps it from opening its journal.
        let journal = place.state().join("journal.db");
        let journal = fs::File::options().read(true).write(true).open(journal).unwrap();
        fcntl_lock(&journal, FlockOperation::NonBlockingLockExclusive).unwrap();
        let mut command =
            place.command(["daemon", "start", "--foreground", "--http-port", "0", "--ws-port", "0"]);
        let mut daemon = ChildGuard(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
        until("it is not found", || place.state().join("daemon.json").exists());
        place.signal(signal);
        assert_eq!(daemon.0.wait().unwrap().code(), Some(code));
        let mut told = String::new();
        daemon.0.stdout.take().unwrap().read_to_string(&mut told).unwrap();
        assert_eq!(told, "");
        drop(journal);
        place.finger(["daemon", "status"]).succeeded("Daemon is stopped\n");
        place.start();
    }
}

#[test]
fn restart_is_another_one_with_the_same_state() {
    let place = Place::started();
    let (workflow, before) = (place.begin("a"), place.told()["pid"].clone());
    let restarted = place.finger(["daemon", "restart", "--http-port", "0", "--ws-port", "0"]);
    let after = place.told()["pid"].clone();
    restarted.succeeded(&format!("Daemon stopped\nDaemon started with PID {after}\n"));
    assert_ne!(before, after);
    place.finger(["list"]).succeeded_with(&format!("- {workflow}: semantic_understanding (interrupted), "));
}

/// It is said at once that they are interrupted, and written to the journal meanwhile.
#[test]
fn the_log_says_how_far_the_recovery_is_after_a_kill() {
    let place = Place::started();
    let workflows = ["a", "b", "c"].map(|task| place.begin(task));
    place.kill();
    place.start();
    let list = place.finger(["list"]).stdout;
    for workflow in workflows {
        assert!(list.contains(&format!("- {workflow}: semantic_understanding (interrupted), ")), "{list}");
    }
    let log = || fs::read_to_string(place.state().join("daemon.log")).unwrap();
    until("the recovery does not end", || log().contains("recovering workflows done=3 total=3"));
}

#[test]
fn restart_keeps_the_flags_of_start_unless_others_are_given() {
    let place = Place::new();
    let link = "http://questions.test:1";
    let flags = ["--http-port", "0", "--ws-port", "0", "--bind", "localhost", "--url", link];
    let started = place.finger(["daemon", "start"].into_iter().chain(flags));
    assert_eq!(started.code, Some(0), "{}", started.stderr);
    let before = place.told();
    // The environment names other ports, as it does for every command of these tests.
    for restarted in [&["daemon", "restart"][..], &["daemon", "restart", "--force"]] {
        let restarted = place.finger(restarted);
        assert_eq!(restarted.code, Some(0), "{}", restarted.stderr);
        let after = place.told();
        for member in ["http_port", "ws_port", "bind", "url"] {
            assert_eq!(after[member], before[member], "{member}");
        }
        assert_ne!(after["pid"], before["pid"]);
    }
    // A flag of `restart` wins, and is kept from then on.
    let other = "http://other.test:1";
    for arguments in [&["daemon", "restart", "--url", other][..], &["daemon", "restart"]] {
        assert_eq!(place.finger(arguments).code, Some(0));
        let after = place.told();
        assert_eq!((&after["url"], &after["http_port"]), (&json!(other), &before["http_port"]));
    }
    // One that was killed has left behind how it was started.
    place.signal(Signal::KILL);
    until("its end is noticed", || place.finger(["daemon", "status"]).stdout == "Daemon is stopped\n");
    assert_eq!(place.finger(["daemon", "restart"]).code, Some(0));
    let after = place.told();
    assert_eq!((&after["url"], &after["http_port"]), (&json!(other), &before["http_port"]));
    // What has ended in order is not known any more.
    place.finger(["daemon", "stop"]).succeeded("Daemon stopped\n");
    place.start();
    assert_ne!(place.told()["url"], json!(other));
}

#[test]
fn one_that_does_not_end_by_itself_is_ended() {
    let place = Place::started();
    place.signal(Signal::STOP);
    place.finger(["daemon", "stop"]).succeeded("Daemon stopped\n");
    place.start();
    place.signal(Signal::STOP);
    place.finger(["daemon", "stop", "--force"]).succeeded("Daemon stopped\n");
    place.finger(["daemon", "status"]).succeeded("Daemon is stopped\n");
    assert!(!place.state().join("daemon.pid").exists());
}

#[test]
fn a_journal_that_cannot_be_read_is_told_and_left_alone() {
    let place = Place::started();
    place.begin("a");
    place.finger(["daemon", "stop"]).succeeded("Daemon stopped\n");
    let journal = place.state().join("journal.db");
    let whole = fs::read(&journal).unwrap();
    let mut broken = whole.clone();
    broken[..64].fill(0xff);
    fs::write(&journal, &broken).unwrap();
    let arguments = ["daemon", "start", "--http-port", "0", "--ws-port", "0"];
    place.finger(arguments).failed_with(1, "✗ the journal is damaged: ");
    assert_eq!(fs::read(&journal).unwrap(), broken);
    place.finger(["daemon", "status"]).succeeded("Daemon is stopped\n");
    fs::write(&journal, whole).unwrap();
    place.start();
}

#[test]
fn a_backup_holds_what_was_there_and_replaces_nothing() {
    let place = Place::new();
    place.finger(["daemon", "backup", "copy.db"]).failed_with(1, "✗ there is no journal to copy: ");
    place.start();
    let workflow = place.begin("kept");
    let nowhere = place.folder.path().canonicalize().unwrap().join("work/nowhere");
    let told = place.finger(["daemon", "backup", "nowhere/copy.db"]);
    told.failed(1, &format!("✗ no such folder: {}\n", nowhere.display()));
    let told = place.finger(["daemon", "backup", "copy.db"]);
    let copy = place.folder.join("work/copy.db");
    told.succeeded(&format!("Backup written to {}\n", copy.display()));
    assert_eq!(fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
    place.finger(["daemon", "backup", "copy.db"]).failed_with(1, "✗ the file already exists: ");
    place.begin("lost");
    place.finger(["daemon", "stop"]).succeeded("Daemon stopped\n");
    place.finger(["daemon", "backup", "later.db"]).succeeded_with("Backup written to ");
    // It is brought back as the help says.
    for file in ["journal.db", "journal.db-wal", "journal.db-shm"] {
        let _ = fs::remove_file(place.state().join(file));
    }
    fs::rename(&copy, place.state().join("journal.db")).unwrap();
    place.start();
    place.finger(["list"]).succeeded_with(&format!("- {workflow}: semantic_understanding (interrupted), "));
}

#[test]
fn logs_are_shown_from_their_end() {
    let place = Place::new();
    let log = place.state().join("daemon.log");
    let missing = place.finger(["daemon", "logs"]);
    missing.failed(1, &format!("✗ Log file not found: {}\n", log.display()));
    fs::create_dir(place.state()).unwrap();
    let lines: String = (1..=60).map(|number| format!("line {number}\n")).collect();
    fs::write(&log, &lines).unwrap();
    let last = |count: usize| lines.split_inclusive('\n').skip(60 - count).collect::<String>();
    place.finger(["daemon", "logs"]).succeeded(&last(50));
    place.finger(["daemon", "logs", "-n", "2"]).succeeded(&last(2));
    place.finger(["daemon", "logs", "--lines=0"]).succeeded("");
    place.finger(["daemon", "logs", "-n", "x"]).failed_with(2, "✗ bad value for argument --lines: \"x\" ");
    let mut command = place.command(["daemon", "logs", "-f", "-n", "1"]);
    let mut follower = ChildGuard(command.stdout(Stdio::piped()).spawn().unwrap());
    let mut followed = BufReader::new(follower.0.stdout.take().unwrap()).lines();
    assert_eq!(followed.next().unwrap().unwrap(), "line 60");
    fs::write(&log, lines.clone() + "line 61\n").unwrap();
    assert_eq!(followed.next().unwrap().unwrap(), "line 61");
    // What others have said there does nothing to a terminal.
    fs::write(&log, "\u{1b}[2J\n").unwrap();
    place.finger(["daemon", "logs"]).succeeded("\\u{1b}[2J\n");
}

#[test]
fn where_it_listens_is_said_by_flag_variable_and_the_persons_own_file() {
    let place = Place::new();
    let free = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (one, other) = (free(), free());
    place
        .folder
        .write("home/.config/aide/config.toml", format!("[daemon]\nhttp_port = {one}\nws_port = 0\n"));
    // A project has no say in it.
    place.folder.write("work/.aide/config.toml", "[daemon]\nhttp_port = 1\nbind = \"0.0.0.0\"\n");
    let mut command = place.command_on_configured_ports(["daemon", "start"]);
    let started = CommandOutput::new(command.output().unwrap());
    assert_eq!((started.code, place.http_port()), (Some(0), one), "{}", started.stderr);
    assert_eq!(place.told()["bind"], json!("127.0.0.1"));
    place.finger(["daemon", "stop"]).succeeded("Daemon stopped\n");
    let mut command = place.command_on_configured_ports(["daemon", "start"]);
    command.env("FINGER_HTTP_PORT", other.to_string()).env("PORT", "1");
    assert_eq!(command.status().unwrap().code(), Some(0));
    assert_eq!(place.http_port(), other);
    place.finger(["daemon", "stop"]).succeeded("Daemon stopped\n");
    for (arguments, told) in [
        (
            ["--http-port", "x"],
            "✗ bad value for argument --http-port: \"x\" is not an integer from 0 to 65535\n",
        ),
        (["--bind", "example.com"], "✗ bad value for argument --bind: \"example.com\" "),
        (["--url", "x"], "✗ bad value for argument --url: \"x\" "),
    ] {
        place.finger(["daemon", "start"].into_iter().chain(arguments)).failed_with(2, told);
    }
    let mut command = place.command(["daemon", "start"]);
    let refused = CommandOutput::new(command.env("FINGER_LOG_LEVEL", "loud").output().unwrap());
    refused.failed_with(1, "✗ ");
    assert!(refused.stderr.contains("FINGER_LOG_LEVEL"), "{}", refused.stderr);
    let mut command = place.command(["daemon", "status"]);
    let refused = CommandOutput::new(command.env("FINGER_HOME", "state").output().unwrap());
    refused.failed_with(1, "✗ FINGER_HOME is not an absolute path: state\n");
    // Others could write there.
    fs::set_permissions(place.state(), fs::Permissions::from_mode(0o777)).unwrap();
    place.finger(["daemon", "start"]).failed_with(1, "✗ other users can write to this folder: ");
}

#[test]
fn without_a_variable_its_state_is_where_such_things_belong() {
    let place = Place::new();
    let mut command = place.command(["daemon", "start", "--http-port=0", "--ws-port=0"]);
    command.env_remove("FINGER_HOME").env("XDG_STATE_HOME", place.folder.join("states"));
    assert_eq!(command.status().unwrap().code(), Some(0));
    let state = place.folder.join("states/aide/daemon");
    assert!(state.join("daemon.json").exists());
    let mut command = place.command(["daemon", "stop"]);
    command.env("FINGER_HOME", state);
    CommandOutput::new(command.output().unwrap()).succeeded("Daemon stopped\n");
}

#[test]
fn another_address_needs_what_only_its_user_has() {
    let place = Place::new();
    let arguments = ["daemon", "start", "--bind", "0.0.0.0", "--http-port", "0", "--ws-port", "0"];
    assert_eq!(place.finger(arguments).code, Some(0));
    let port = place.http_port();
    let refused = get(port, "/api/v1/workflows");
    assert_eq!((refused.status, &refused.json()["code"]), (401, &json!("UNAUTHORIZED")));
    let bearer = format!("Authorization: Bearer {}\r\n", place.told()["secret"].as_str().unwrap());
    assert_eq!(ask(port, "GET", "/api/v1/workflows", &bearer).status, 200);
    // The program finds the secret by itself, and shows it to no other server.
    let workflow = place.begin("a");
    let listed = format!("- {workflow}: semantic_understanding (planning), ");
    place.finger(["list", "--base-url", &format!("http://127.0.0.1:{port}")]).succeeded_with(&listed);
    // It holds this address, and not the other one that the name may stand for: another process may listen there.
    let url = format!("http://[::1]:{port}");
    if let Ok(squatter) = TcpListener::bind(("::1", port)) {
        assert!(!shown_to(&place, &squatter, &url).contains("authorization"));
    }
    let elsewhere = place.finger(["list", "--base-url", &format!("http://localhost:{port}")]);
    assert_eq!((elsewhere.code, &*elsewhere.stdout), (Some(1), ""), "{}", elsewhere.stderr);
    let thief = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://localhost:{}", thief.local_addr().unwrap().port());
    assert!(!shown_to(&place, &thief, &url).contains("authorization"));
}

/// What a command sends to a listener that does not respond.
#[track_caller]
fn shown_to(place: &Place, listener: &TcpListener, url: &str) -> String {
    let asking = ChildGuard(begin(place.command(["list", "--base-url", url])));
    let (mut stream, _) = listener.accept().unwrap();
    let mut head = [0; 2048];
    let length = stream.read(&mut head).unwrap();
    let head = String::from_utf8_lossy(&head[..length]).to_lowercase();
    assert!(head.starts_with("get /api/v1/workflows"), "{head}");
    drop(asking);
    head
}

/// Where the tests run as root, there are other users.
#[test]
fn other_users_of_the_machine_are_kept_out_of_api_and_sockets() {
    if !cfg!(target_os = "linux") || !geteuid().is_root() {
        return;
    }
    let place = Place::started();
    let as_other = |port: u64, path: &str, further: &str| {
        let script = "exec 3<>/dev/tcp/127.0.0.1/$0; printf '%b' \"$1\" >&3; head -c 4096 <&3";
        let request = format!(
            "GET {path} HTTP/1.1\\r\\nHost: localhost:{port}\\r\\n{further}Connection: close\\r\\n\\r\\n"
        );
        let mut command = Command::new("timeout");
        command
            .args(["20", "bash", "-c", script, &port.to_string(), &request])
            .uid(12345)
            .gid(12345)
            .current_dir("/");
        command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin");
        String::from_utf8_lossy(&command.output().unwrap().stdout).into_owned()
    };
    let told = place.told();
    let (http, ws) = (told["http_port"].as_u64().unwrap(), told["ws_port"].as_u64().unwrap());
    let upgrade = "Upgrade: websocket\\r\\nConnection: upgrade\\r\\nSec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\n";
    for (port, path, further) in [
        (http, "/", ""),
        (http, "/health", ""),
        (http, "/api/v1/workflows", ""),
        (http, "/api/v1/events/stream", ""),
        (http, "/ws", upgrade),
        (ws, "/", upgrade),
    ] {
        let answer = as_other(port, path, further);
        assert!(
            answer.starts_with("HTTP/1.1 403 ") || answer.starts_with("HTTP/1.1 401 "),
            "{path}: {answer}"
        );
    }
    let bearer = format!("Authorization: Bearer {}\\r\\n", told["secret"].as_str().unwrap());
    assert!(as_other(http, "/health", &bearer).starts_with("HTTP/1.1 200 "));
}
