//! `notify.steps`: which notices are sent when, and that they are withdrawn.

use crate::daemon_questions;
use crate::support::daemon::Place;
use crate::support::running::RunningServer;
use crate::support::terminal::Terminal;
use crate::support::{CommandOutput, Folder, minimal, minimal_answers, until, written};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;

/// A server that takes everything; what it was sent.
struct Hook {
    url: String,
    seen: Arc<Mutex<Vec<Value>>>,
}

impl Hook {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut reader = BufReader::new(stream.unwrap());
                let mut length = 0;
                let mut line = String::new();
                while reader.read_line(&mut line).unwrap_or(0) > 2 {
                    if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap();
                    }
                    line.clear();
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                told.lock().unwrap().push(serde_json::from_slice(&body).unwrap_or_default());
                let _ = reader
                    .get_mut()
                    .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            }
        });
        Self { url, seen }
    }

    fn seen(&self) -> Vec<Value> {
        self.seen.lock().unwrap().clone()
    }
}

/// A project of a person with such a configuration.
fn project(config: &str) -> Folder {
    let folder = Folder::project();
    folder.write("home/.config/aide/config.toml", config);
    folder
}

fn command(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = folder.command(arguments);
    command.env("HOME", folder.join("home")).env("PATH", "/usr/bin:/bin");
    command
}

fn submit(folder: &Folder, further: &[&str]) -> RunningServer {
    let questions = minimal().to_string();
    let arguments: Vec<&str> =
        ["decide", "submit", "--port", "0", &questions].into_iter().chain(further.iter().copied()).collect();
    RunningServer::start(command(folder, &arguments))
}

fn records(folder: &Folder) -> usize {
    fs::read_dir(folder.join("home/.local/state/aide/notices")).map_or(0, |names| {
        names
            .filter(|name| name.as_ref().unwrap().path().extension().is_some_and(|end| end == "json"))
            .count()
    })
}

/// Shows the page in a browser.
fn look(url: &str) {
    let address = url.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(address.replace("localhost", "127.0.0.1")).unwrap();
    let request = format!(
        "GET / HTTP/1.1\r\nhost: {address}\r\nsec-fetch-dest: document\r\nsec-fetch-mode: navigate\r\n\
         sec-fetch-site: none\r\naccept: text/html\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[test]
fn a_webhook_is_told_and_told_again_once_the_questions_are_answered() {
    let hook = Hook::start();
    let folder = project(&format!("[notify]\nsteps = [{{ how = \"webhook\", url = \"{}\" }}]\n", hook.url));
    let waiting = submit(&folder, &[]);
    until("the notice arrives", || hook.seen().len() == 1);
    assert_eq!(records(&folder), 1);
    waiting.answer(&minimal_answers());
    let url = waiting.url.clone();
    waiting.finish().succeeded("✓ 决策已完成\n");
    until("it is withdrawn", || hook.seen().len() == 2);
    let [asked, withdrawn] = &hook.seen()[..] else { panic!() };
    assert_eq!(
        (&asked["event"], &asked["task"], &asked["items"]),
        (&json!("asked"), &json!("测试任务"), &json!(1))
    );
    assert_eq!((&asked["url"], asked.get("questions")), (&json!(url), None));
    assert_eq!((&withdrawn["event"], &withdrawn["status"]), (&json!("withdrawn"), &json!("answered")));
    assert_eq!(asked["id"], withdrawn["id"]);
    until("nothing is left", || records(&folder) == 0);
}

#[test]
fn a_body_of_the_persons_own_is_filled_in_when_the_notice_is_withdrawn() {
    let hook = Hook::start();
    let body = "body = { text = \"{event} {items} {status} {task}: {title}, {url}\" }";
    let folder =
        project(&format!("[notify]\nsteps = [{{ how = \"webhook\", url = \"{}\", {body} }}]\n", hook.url));
    let waiting = submit(&folder, &[]);
    until("the notice arrives", || hook.seen().len() == 1);
    let url = waiting.url.clone();
    waiting.answer(&minimal_answers());
    waiting.finish().succeeded("✓ 决策已完成\n");
    until("it is withdrawn", || hook.seen().len() == 2);
    let said = format!("测试任务: aide: 1 个待定项等待您决策, {url}");
    let texts: Vec<_> = hook.seen().iter().map(|seen| seen["text"].as_str().unwrap().to_owned()).collect();
    assert_eq!(texts, [format!("asked 1 pending {said}"), format!("withdrawn 1 answered {said}")]);
}

#[test]
fn a_server_that_is_brought_back_tells_nothing_twice_and_takes_back_what_was_told() {
    let hook = Hook::start();
    let folder = project(&format!(
        "[notify]\ndetails = true\nsteps = [{{ how = \"webhook\", url = \"{}\" }}]\n",
        hook.url
    ));
    let waiting = submit(&folder, &[]);
    until("the notice arrives", || folder_has_arrived(&folder));
    let title = &minimal()["items"][0]["title"];
    assert_eq!(&hook.seen()[0]["questions"][0]["title"], title);
    waiting.kill();
    let brought_back = submit(&folder, &[]);
    look(&brought_back.url);
    until("the server that was brought back looks at its steps", || {
        kept(&folder).iter().any(|record| record["looked_at"] == true)
    });
    assert_eq!(hook.seen().len(), 1, "{:?}", hook.seen());
    assert_eq!(brought_back.answer(&minimal_answers()).status, 200);
    brought_back.finish().succeeded("✓ 决策已完成\n");
    until("it is withdrawn", || hook.seen().iter().any(|seen| seen["event"] == "withdrawn"));
    let events: Vec<_> = hook.seen().iter().map(|seen| seen["event"].clone()).collect();
    assert_eq!(events, ["asked", "withdrawn"]);
}

/// Whether the record says that the notice has arrived.
fn folder_has_arrived(folder: &Folder) -> bool {
    kept(folder).iter().any(|record| record.to_string().contains("\"handle\":\"\""))
}

/// What is kept of notices.
fn kept(folder: &Folder) -> Vec<Value> {
    let names = fs::read_dir(folder.join("home/.local/state/aide/notices")).into_iter().flatten();
    // One that is being written is none yet.
    let paths = names
        .map(|name| name.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"));
    paths.filter_map(|path| serde_json::from_slice(&fs::read(path).ok()?).ok()).collect()
}

#[test]
fn a_page_that_was_looked_at_ends_the_steps() {
    let hook = Hook::start();
    let folder = project(&format!(
        "[notify]\nsteps = [{{ after = \"2s\", how = \"webhook\", url = \"{}\" }}]\n",
        hook.url
    ));
    let seen = submit(&folder, &[]);
    look(&seen.url);
    let other = project(&format!(
        // Later than the other, so much that its server has looked again meanwhile.
        "[notify]\nsteps = [{{ after = \"4s\", how = \"webhook\", url = \"{}\" }}]\n",
        hook.url
    ));
    let unseen = submit(&other, &[]);
    until("the other notice arrives", || !hook.seen().is_empty());
    assert_eq!(hook.seen().len(), 1);
    assert_eq!(hook.seen()[0]["url"], json!(unseen.url));
    for waiting in [seen, unseen] {
        waiting.answer(&minimal_answers());
        waiting.finish().succeeded("✓ 决策已完成\n");
    }
}

#[test]
fn neither_a_refusal_nor_a_repository_reaches_a_channel() {
    let hook = Hook::start();
    let steps = format!("[notify]\nsteps = [{{ how = \"webhook\", url = \"{}\" }}]\n", hook.url);
    let refused = project(&steps);
    let stranger = project("");
    stranger.write(".aide/config.toml", &steps);
    let told = project(&steps);
    // A server looks at its steps when it begins, and one that began later has told what there was.
    let waiting = [submit(&refused, &["--notify", "none"]), submit(&stranger, &[]), submit(&told, &[])];
    let url = waiting[2].url.clone();
    until("the notice of the last one arrives", || hook.seen().iter().any(|seen| seen["url"] == *url));
    for waiting in waiting {
        waiting.answer(&minimal_answers());
        assert_eq!(waiting.finish().code, Some(0));
    }
    until("it is withdrawn", || hook.seen().iter().any(|seen| seen["event"] == "withdrawn"));
    let seen: Vec<_> = hook.seen().iter().map(|seen| (seen["event"].clone(), seen["id"].clone())).collect();
    assert_eq!(seen, [(json!("asked"), seen[0].1.clone()), (json!("withdrawn"), seen[0].1.clone())]);
}

#[test]
fn a_channel_that_fails_is_told_once_and_keeps_nothing_waiting() {
    let folder = Folder::project();
    // The last one comes after further looks at those that fail.
    let done = json!(folder.join("done"));
    let steps = format!(
        "[notify]\nsteps = [{{ how = \"webhook\", url_env = \"NO_SUCH\" }}, {{ how = \"command\", command = \
         [\"/no/such\"] }}, {{ after = \"3s\", how = \"command\", command = [\"touch\", {done}] }}]\n"
    );
    folder.write("home/.config/aide/config.toml", steps);
    let waiting = submit(&folder, &[]);
    until("the last step is done", || folder.join("done").exists());
    waiting.answer(&minimal_answers());
    let finished = waiting.finish();
    assert_eq!(finished.code, Some(0));
    let mut lines: Vec<_> = finished.stderr.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "⚠ 无法通知您（how = \"command\"）: /no/such: 不存在 (os error 2)",
            "⚠ 无法通知您（how = \"webhook\"）: NO_SUCH 中没有所需的值",
        ]
    );
}

fn script(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_click_on_the_notification_opens_the_page_and_an_answer_closes_it() {
    let folder = project("[notify]\nsteps = [{ how = \"desktop\" }]\n");
    let file = |name: &str| folder.join(name);
    // Shows a notification, and says that it was clicked when the test has "clicked".
    script(
        &file("bin/notify-send"),
        &format!(
            "echo \"$*\" > '{}'\necho 42\nwhile [ -e \"$0\" ] && [ ! -e '{}' ]; do sleep 0.05; done\necho default",
            file("shown").display(),
            file("click").display()
        ),
    );
    script(&file("bin/gdbus"), &format!("echo \"$*\" > '{}'", file("closed").display()));
    script(&file("bin/browser"), &format!("echo \"$*\" > '{}'", file("opened").display()));
    let questions = minimal().to_string();
    let mut command = command(&folder, &["decide", "submit", "--port", "0", &questions]);
    command.env("PATH", format!("{}:/usr/bin:/bin", file("bin").display()));
    command.env("AIDE_BROWSER", file("bin/browser"));
    let waiting = RunningServer::start(command);
    let shown = written(&file("shown"));
    let expected = "--app-name=aide --print-id --wait --action=default=打开 --action=open=打开 -- aide: 1 个待定项等待您决策 测试任务";
    assert_eq!(shown, format!("{expected}\n{}\n", waiting.url));
    fs::write(file("click"), "").unwrap();
    assert_eq!(written(&file("opened")), format!("{}\n", waiting.url));
    waiting.answer(&minimal_answers());
    waiting.finish().succeeded("✓ 决策已完成\n");
    assert_eq!(
        written(&file("closed")),
        "call --session --dest org.freedesktop.Notifications --object-path /org/freedesktop/Notifications --method \
         org.freedesktop.Notifications.CloseNotification 42\n"
    );
}

#[test]
fn the_terminal_of_the_command_shows_a_notification_and_pipes_get_none() {
    let folder = project("[notify]\nsteps = [{ how = \"terminal\" }]\n");
    let home = folder.join("home");
    let questions = minimal().to_string();
    let arguments = ["decide", "submit", "--port", "0", &questions];
    let mut terminal =
        Terminal::start(&folder, &arguments, &[("TERM", "xterm"), ("HOME", home.to_str().unwrap())]);
    terminal.until("等待用户完成决策");
    terminal.until_written("测试任务 http://");
    terminal.signal(rustix::process::Signal::INT);
    let (code, terminal) = terminal.finish();
    assert_eq!(code, Some(130));
    let written = String::from_utf8_lossy(&terminal.written).into_owned();
    assert_eq!(
        written.matches("\u{1b}]9;aide: 1 个待定项等待您决策: 测试任务 http://").count(),
        1,
        "{written:?}"
    );
    let other = project("[notify]\nsteps = [{ how = \"terminal\" }]\n");
    let waiting = submit(&other, &[]);
    waiting.answer(&minimal_answers());
    let finished = waiting.finish();
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_daemon_carries_the_steps_of_the_questions_that_it_shows() {
    let hook = Hook::start();
    let place = Place::new();
    let config = format!("[notify]\nsteps = [{{ how = \"webhook\", url = \"{}\" }}]\n", hook.url);
    place.folder.write("home/.config/aide/config.toml", config);
    place.start();
    let folder = Folder::project();
    let waiting = daemon_questions::submit(&place, &folder, &[]);
    let path = daemon_questions::path_on(&place, &waiting);
    until("the notice arrives", || hook.seen().len() == 1);
    assert_eq!(hook.seen()[0]["url"], json!(waiting.url));
    // What is open is opened on its pages.
    let mut open = daemon_questions::command(&place, &folder, &["decide", "open", "--all"]);
    let opened = CommandOutput::new(open.env("AIDE_BROWSER", "true").output().unwrap());
    opened.succeeded(&format!("→ 请访问: http://localhost:{}\n→ 已启动 true\n", place.http_port()));
    assert_eq!(daemon_questions::answer(place.http_port(), &path).status, 200);
    waiting.finish().succeeded("✓ 决策已完成\n");
    until("it is withdrawn", || hook.seen().len() == 2);
    assert_eq!(hook.seen()[1]["status"], json!("answered"));
}
