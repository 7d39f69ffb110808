//! Questions of projects and workflows on one page, the daemon's, whichever client asks and whatever becomes of it.

use crate::support::daemon::Place;
use crate::support::http::{Response, connect, get, head, post_json, read};
use crate::support::running::RunningServer;
use crate::support::{
    BackgroundGuard, CommandOutput, Folder, begin, minimal, minimal_answers, remove_folder, server, until,
};
use rustix::process::{Pid, Signal, geteuid, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

pub(crate) const DECIDED: &str = "✓ 决策已完成\n";
const RESULT: &str = "{\"decisions\":[{\"id\":1,\"chosen\":\"a\"}]}\n";

/// A command in a project of a user who has this daemon.
pub(crate) fn command(place: &Place, folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = folder.command(arguments);
    command.env("FINGER_HOME", place.state()).env("HOME", place.folder.join("home"));
    command
}

fn aide(place: &Place, folder: &Folder, arguments: &[&str]) -> CommandOutput {
    CommandOutput::new(command(place, folder, arguments).output().unwrap())
}

pub(crate) fn submit(place: &Place, folder: &Folder, further: &[&str]) -> RunningServer {
    let input = minimal().to_string();
    RunningServer::start(command(place, folder, &[&["decide", "submit", &input], further].concat()))
}

/// The path of the link to a set on the daemon, which its lines must have.
#[track_caller]
pub(crate) fn path_on(place: &Place, running: &RunningServer) -> String {
    let origin = format!("http://localhost:{}", place.http_port());
    let lines = format!("→ Web 服务正在运行\n→ 请访问: {}\n→ 等待用户完成决策...\n", running.url);
    assert_eq!(running.printed, lines);
    let path = running.url.strip_prefix(&origin).unwrap_or_else(|| panic!("{}", running.url));
    let (room, session) = path.strip_prefix("/d/").and_then(|set| set.split_once('.')).expect(path);
    assert!(room.len() == 10 && session.starts_with("20"), "{path}");
    path.to_owned()
}

pub(crate) fn answer(port: u16, path: &str) -> Response {
    post_json(port, &format!("{path}/api/submit"), &minimal_answers().to_string())
}

/// Answers the project's set at its server, as a user with the link does.
pub(crate) fn answer_where_it_is(folder: &Folder) -> u16 {
    let Some(told) = server(folder) else { return 0 };
    let (port, session) = (told["port"].as_u64().unwrap(), folder.session());
    let path = match told["room"].as_str() {
        Some(room) => format!("/d/{room}.{session}/api/submit"),
        None => "/api/submit".to_owned(),
    };
    let port = u16::try_from(port).unwrap();
    let Ok(mut stream) = std::net::TcpStream::connect(("127.0.0.1", port)) else { return 0 };
    let body = minimal_answers().to_string();
    let sent = crate::support::http::post_head(port, &path, body.len()) + &body;
    if stream.write_all(sent.as_bytes()).is_err() {
        return 0;
    }
    let mut bytes = Vec::new();
    let _ = std::io::Read::read_to_end(&mut stream, &mut bytes);
    let line = String::from_utf8_lossy(&bytes);
    line.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
}

#[test]
fn what_is_submitted_is_shown_by_the_daemon_and_the_asker_goes_on() {
    let (place, folder) = (Place::started(), Folder::project_on_any_port());
    let running = submit(&place, &folder, &[]);
    let (port, path) = (place.http_port(), path_on(&place, &running));
    let told = server(&folder).unwrap();
    assert_eq!((&told["scope"], &told["pid"]), (&json!("user"), &place.told()["pid"]));
    assert_eq!(
        (told.get("secret"), told.get("session_id")),
        (None, None),
        "it is in the folder of a project"
    );
    assert!(get(port, &path).text().contains("id=\"items-container\""));
    let inbox = get(port, "/");
    assert!(inbox.text().contains(&format!("href=\"{path}?lang=en\"")), "{}", inbox.text());
    let name = folder.path().file_name().unwrap().to_str().unwrap();
    assert!(inbox.text().contains(&format!("<code>{name}</code>")), "{}", inbox.text());
    assert_eq!(answer(port, &path).status, 200);
    let finished = running.finish();
    finished.succeeded(DECIDED);
    aide(&place, &folder, &["decide", "result"]).about_the_newest().succeeded(RESULT);
    // Any process may become the next server.
    until("the daemon is not the project's server any more", || !folder.decision("server.json").exists());
    // What has ended is seen there, and in the project's history.
    let ended = get(port, &path);
    assert_eq!(ended.status, 303);
    let (room, session) = path.strip_prefix("/d/").unwrap().split_once('.').unwrap();
    let record = format!("/p/{room}/history/{session}");
    assert_eq!(ended.header("location"), format!("{record}?lang=en"));
    for page in [&record, &format!("/p/{room}/history"), &format!("/p/{room}/flow"), &format!("{record}.md")]
    {
        assert_eq!(get(port, page).status, 200, "{page}");
    }
    assert!(get(port, &format!("/p/{room}/history")).text().contains(&format!("href=\"{record}?lang=en\"")));
    assert_eq!(get(port, "/p/0123456789/history").status, 404);
}

#[test]
fn who_wants_a_server_of_their_own_has_one() {
    let place = Place::started();
    let own = |flags: &[&str], variables: &[(&str, &str)]| {
        let folder = Folder::project_on_any_port();
        let input = minimal().to_string();
        let mut command = command(&place, &folder, &[&["decide", "submit", &input], flags].concat());
        command.envs(variables.iter().copied());
        let running = RunningServer::start(command);
        assert!(running.port != place.http_port(), "{flags:?} {variables:?}: {}", running.url);
        assert_eq!(running.answer(&minimal_answers()).status, 200);
        running.finish().succeeded(DECIDED);
    };
    for flags in [&["--port", "0"][..], &["--no-daemon"], &["--bind", "localhost"], &["--auth", "auto"]] {
        own(flags, &[]);
    }
    for variable in
        [("AIDE_DECIDE_PORT", "0"), ("AIDE_DECIDE_BIND", "127.0.0.1"), ("AIDE_DECIDE_AUTH", "auto")]
    {
        own(&[], &[variable]);
    }
    // Where no daemon of theirs is.
    own(&[], &[("FINGER_HOME", "/nonexistent")]);
    let configuration = place.folder.join("home/.config/aide");
    fs::create_dir_all(&configuration).unwrap();
    fs::write(configuration.join("config.toml"), "[daemon]\ndecide = \"never\"\n").unwrap();
    own(&[], &[]);
}

#[test]
fn who_wants_a_server_of_their_own_has_one_beside_a_daemon_that_shows_questions_of_the_project() {
    let (place, folder) = (Place::started(), Folder::project_on_any_port());
    let first = submit(&place, &folder, &["--queue"]);
    let path = path_on(&place, &first);
    let mut input = minimal();
    input["task"] = json!("the second");
    let input = input.to_string();
    for flags in [&["--no-daemon"][..], &["--port", "0"]] {
        let arguments = [&["decide", "submit", &input], flags].concat();
        let own = RunningServer::start(command(&place, &folder, &arguments));
        assert!(own.port != 0 && own.port != place.http_port(), "{}", own.printed);
        assert!(own.printed.starts_with("→ Web 服务已启动\n"), "{}", own.printed);
        // It is one server that others know: the daemon, which shows these questions as well.
        assert_eq!(server(&folder).unwrap()["pid"], place.told()["pid"]);
        assert!(get(own.port, "/").text().contains("the second"));
        until("the daemon shows them as well", || get(place.http_port(), "/").text().contains("the second"));
        assert_eq!(own.answer(&minimal_answers()).status, 200);
        let finished = own.finish();
        assert_eq!((finished.code, &*finished.stdout), (Some(0), DECIDED), "{}", finished.stderr);
        until("the daemon knows it", || !get(place.http_port(), "/").text().contains("the second"));
    }
    // In the background likewise; and where the daemon ends, it is the server that others know.
    let arguments = ["decide", "submit", "--no-daemon", "--detach", "--json", &input];
    let detached = aide(&place, &folder, &arguments);
    let told: Value = serde_json::from_str(&detached.stdout).unwrap_or_else(|_| panic!("{detached:?}"));
    let port: u16 = told["url"].as_str().unwrap().rsplit_once(':').unwrap().1.parse().unwrap();
    assert_ne!((&told["pid"], port), (&place.told()["pid"], place.http_port()));
    assert_eq!(answer(place.http_port(), &path).status, 200);
    let finished = first.finish();
    assert_eq!((finished.code, &*finished.stdout), (Some(0), DECIDED), "{}", finished.stderr);
    assert!(get(port, "/").text().contains("the second"));
    place.signal(Signal::TERM);
    until("the other one is known", || server(&folder).is_some_and(|server| server["pid"] == told["pid"]));
    assert_eq!(post_json(port, "/api/submit", &minimal_answers().to_string()).status, 200);
    let session = told["session_id"].as_str().unwrap();
    aide(&place, &folder, &["decide", "wait", session]).succeeded(RESULT);
}

#[test]
fn a_daemon_that_was_told_to_show_nothing_is_not_asked_and_says_so() {
    let place = Place::new();
    let configuration = place.folder.join("home/.config/aide");
    fs::create_dir_all(&configuration).unwrap();
    fs::write(configuration.join("config.toml"), "[daemon]\ndecide = \"never\"\n").unwrap();
    place.start();
    let folder = Folder::project_on_any_port();
    folder.aide(["decide", "submit", "--detach", "--port", "0", &minimal().to_string()]);
    let _background = BackgroundGuard(&folder);
    let body = json!({ "projectPath": folder.path(), "setId": folder.session() });
    let refused = post_json(place.http_port(), "/api/v1/questions", &body.to_string());
    assert_eq!((refused.status, &refused.json()["code"]), (404, &json!("NOT_FOUND")));
}

#[test]
fn a_daemon_that_is_killed_or_ended_leaves_the_questions_to_whoever_asked() {
    for signal in [Signal::KILL, Signal::TERM] {
        let (place, folder) = (Place::started(), Folder::project_on_any_port());
        let mut running = submit(&place, &folder, &[]);
        let of_daemon = place.http_port();
        path_on(&place, &running);
        place.signal(signal);
        let line = running.line();
        let port: u16 = line.trim_end().rsplit_once(':').unwrap().1.parse().unwrap();
        assert_eq!(line, format!("→ 请访问: http://localhost:{port}\n"));
        // Its port stays free for it.
        assert_ne!(port, of_daemon);
        place.start();
        assert_eq!(post_json(port, "/api/submit", &minimal_answers().to_string()).status, 200);
        running.finish().succeeded(DECIDED);
        aide(&place, &folder, &["decide", "result"]).about_the_newest().succeeded(RESULT);
    }
}

#[test]
fn killed_at_any_moment_of_asking_nothing_is_lost() {
    let place = Place::new();
    let input = minimal().to_string();
    let mut shown_by_daemon = 0;
    for round in 0..30_u64 {
        let folder = Folder::project_on_any_port();
        place.start();
        let asking = begin(command(&place, &folder, &["decide", "submit", &input]));
        let is_shown = || server(&folder).is_some_and(|told| told["scope"] == "user");
        // The rounds go over the whole of it: understood, written down, offered, shown, waited for. How far that is after a
        // time depends on the machine, so every fifth round is one in which it is shown.
        if round % 5 == 4 {
            until("it is shown", is_shown);
            shown_by_daemon += 1;
        } else {
            thread::sleep(Duration::from_micros(round * 1500));
            shown_by_daemon += usize::from(is_shown());
        }
        // Once it is killed, the one who asks shows it at any moment.
        place.signal(Signal::KILL);
        until("it is answered", || {
            folder.decision("pending.json").exists() && answer_where_it_is(&folder) == 200
        });
        let ended = CommandOutput::new(asking.wait_with_output().unwrap());
        assert_eq!(ended.code, Some(0), "round {round}: {ended:?}");
        assert!(ended.stdout.ends_with(DECIDED), "round {round}: {ended:?}");
        aide(&place, &folder, &["decide", "result"]).about_the_newest().succeeded(RESULT);
    }
    assert!(shown_by_daemon < 30, "always killed too late to be of use");
}

#[test]
fn a_time_limit_is_told_to_the_daemon_and_can_be_put_off_there() {
    let (place, folder) = (Place::started(), Folder::project_on_any_port());
    let running = submit(&place, &folder, &["--timeout", "1"]);
    path_on(&place, &running);
    let ended = running.finish();
    assert_eq!((ended.code, &*ended.stdout), (Some(1), ""));
    ended.kept("⚠ 服务超时，已自动关闭\n");
    // The questions stay, and can be answered.
    let running = submit(&place, &folder, &["--timeout", "600"]);
    let (port, path, session) = (place.http_port(), path_on(&place, &running), folder.session());
    let limit = || server(&folder).and_then(|told| told["limits"][&session].as_i64());
    until("the limit is told", || limit().is_some());
    let before = limit().unwrap();
    let set = path.strip_prefix("/d/").unwrap();
    let body = json!({ "session": set, "lang": "zh", "sheet": { "answers": [] }, "extend": true });
    until("it is put off", || {
        assert_eq!(post_json(port, "/fn/draft", &body.to_string()).status, 200);
        limit().is_some_and(|limit| limit > before)
    });
    assert_eq!(answer(port, &path).status, 200);
    running.finish().succeeded(DECIDED);
}

#[test]
fn a_command_that_asks_the_same_again_tells_the_daemon_its_time_limit() {
    let (place, folder) = (Place::started(), Folder::project_on_any_port());
    let first = submit(&place, &folder, &[]);
    let path = path_on(&place, &first);
    let again = submit(&place, &folder, &["--timeout", "600"]);
    let session = folder.session();
    until("the limit is told", || server(&folder).is_some_and(|told| told["limits"][&session].is_i64()));
    assert_eq!(answer(place.http_port(), &path).status, 200);
    for asking in [first, again] {
        asking.finish().succeeded(DECIDED);
    }
}

#[test]
fn in_the_background_the_daemon_is_the_server_and_whoever_waits_gets_the_answer() {
    let (place, folder) = (Place::started(), Folder::project_on_any_port());
    let input = minimal().to_string();
    let detached = aide(&place, &folder, &["decide", "submit", "--detach", "--json", &input]);
    let told: Value = serde_json::from_str(&detached.stdout).unwrap();
    assert_eq!((detached.code, &told["pid"]), (Some(0), &place.told()["pid"]));
    let url = told["url"].as_str().unwrap();
    let path = url.strip_prefix(&format!("http://localhost:{}", place.http_port())).unwrap();
    let session = told["session_id"].as_str().unwrap();
    let pending = aide(&place, &folder, &["decide", "wait", session, "--timeout", "1", "--json"]);
    let still: Value = serde_json::from_str(&pending.stdout).unwrap();
    assert_eq!((pending.code, &still["status"], &still["url"]), (Some(75), &json!("pending"), &told["url"]));
    let waiting = begin(command(&place, &folder, &["decide", "wait", session]));
    assert_eq!(answer(place.http_port(), path).status, 200);
    let waited = CommandOutput::new(waiting.wait_with_output().unwrap());
    assert_eq!((waited.code, &*waited.stdout), (Some(0), RESULT));
}

#[test]
fn questions_that_nobody_shows_are_shown_by_the_daemon() {
    let (place, folder) = (Place::started(), Folder::project_on_any_port());
    // A session names the project.
    let begun = CommandOutput::new(command(&place, &folder, &["orchestrate", "x"]).output().unwrap());
    assert_eq!(begun.code, Some(0), "{begun:?}");
    let own = folder.submit(&minimal());
    let inbox = || get(place.http_port(), "/").text().to_owned();
    // Who has a server of their own is in the inbox as well.
    until("it is in the inbox", || inbox().contains(&folder.session()));
    own.signal(Signal::KILL);
    drop(own);
    until("the daemon shows it", || server(&folder).is_some_and(|told| told["scope"] == "user"));
    assert_eq!(answer_where_it_is(&folder), 200);
    aide(&place, &folder, &["decide", "result"]).about_the_newest().succeeded(RESULT);
}

#[test]
fn one_tab_shows_what_projects_agents_and_workflows_ask() {
    let place = Place::started();
    let port = place.http_port();
    let (one, two) = (Folder::project_on_any_port(), Folder::project_on_any_port());
    let version = || get(port, "/inbox/version").text().to_owned();
    // An open page is notified as soon as a question is asked.
    let seen = version();
    let held = thread::spawn({
        let path = format!("/inbox/version?seen={seen}");
        move || {
            read({
                let mut stream = connect(port);
                stream.write_all(head("GET", &path, port, "Connection: close\r\n").as_bytes()).unwrap();
                stream
            })
        }
    });
    let first = submit(&place, &one, &[]);
    assert_ne!(held.join().unwrap().text(), seen);
    let second = submit(&place, &two, &["--queue"]);
    let begun = CommandOutput::new(command(&place, &two, &["orchestrate", "写报告"]).output().unwrap());
    let workflow = begun.stdout.strip_prefix("Workflow started: ").unwrap().trim_end().to_owned();
    let asked = place.json([
        "decision",
        "create",
        "去还是留？",
        "--option",
        "去",
        "--option",
        "留",
        "--workflow",
        &workflow,
        "--json",
    ]);
    let id = asked["decisionId"].as_str().unwrap();
    let inbox = get(port, "/").text().to_owned();
    let positions: Vec<_> = [&path_on(&place, &first), &path_on(&place, &second), "/d/workflow."]
        .iter()
        .map(|path| inbox.find(&format!("href=\"{path}")).unwrap_or_else(|| panic!("{path}: {inbox}")))
        .collect();
    // The oldest first, as far as their names tell.
    let sets = inbox.split("href=\"/d/").skip(1).map(|rest| rest.split('?').next().unwrap());
    assert!(sets.map(|set| set.split_once('.').unwrap().1).is_sorted(), "{inbox}");
    assert!(inbox.contains(&format!("workflow {workflow}")), "{inbox}");
    assert!(inbox.contains("<title>(3) "), "{inbox}");
    // A decision is answered like everything else, and the next one follows.
    let at = positions[2] + "href=\"".len();
    let path: String = inbox[at..].chars().take_while(|c| *c != '?').collect();
    let page = get(port, &path).text().to_owned();
    assert!(page.contains("去还是留？"), "{page}");
    let session = path.strip_prefix("/d/workflow.").unwrap();
    let body = format!("session=workflow.{session}&item-1=1&action=submit");
    let mut stream = connect(port);
    let headers = format!(
        "Connection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n",
        body.len()
    );
    stream.write_all((head("POST", "/submit", port, &headers) + &body).as_bytes()).unwrap();
    let farewell = read(stream);
    assert_eq!(farewell.status, 200, "{}", farewell.text());
    assert!(farewell.text().contains("id=\"next-set\""), "{}", farewell.text());
    let told = get(port, &format!("/api/v1/decision/{id}")).json();
    assert_eq!((&told["status"], &told["response"]), (&json!("answered"), &json!("留")));
    assert_eq!(told["respondedBy"], "form");
    // It stands in the history of its project, and is seen where it was asked.
    let is_published = || {
        // Under another name, where the project has asked something in the same second.
        let listed = aide(&place, &two, &["decide", "list", "--json"]).stdout;
        let listed: Value = serde_json::from_str(&listed).unwrap();
        let sets = listed.as_array().unwrap();
        sets.iter().any(|set| set["origin"]["workflow"] == json!(workflow) && set["status"] == "answered")
    };
    until("it is published", is_published);
    assert_eq!(get(port, &format!("/p/workflow/history/{session}")).status, 200);
    for (running, folder) in [(first, &one), (second, &two)] {
        assert_eq!(answer(port, &path_on(&place, &running)).status, 200);
        let ended = running.finish();
        assert_eq!((ended.code, &*ended.stdout), (Some(0), DECIDED), "{folder:?}");
    }
}

/// Gives a folder with everything in it to a user.
fn give(path: &Path, uid: u32) {
    chown(path, Some(uid), Some(uid)).unwrap();
    if path.is_dir() && !path.is_symlink() {
        for entry in fs::read_dir(path).unwrap() {
            give(&entry.unwrap().path(), uid);
        }
    }
}

/// A program may not listen: here, because no user but root may use the port. A sandbox refuses in the same way. Runs where the
/// tests run as root, which can run programs as another user.
#[test]
fn who_may_not_listen_is_shown_by_the_daemon_that_knows_the_project() {
    const USER: u32 = 12345;
    if !geteuid().is_root() {
        return;
    }
    let (place, folder) = (Place::new(), Folder::project_on_any_port());
    fs::write(folder.join(".aide/config.toml"), "[decide]\nport = 80\n").unwrap();
    give(place.folder.path(), USER);
    give(folder.path(), USER);
    let as_user = |mut command: Command| {
        command.uid(USER).gid(USER);
        command
    };
    let started =
        as_user(place.command(["daemon", "start", "--http-port", "0", "--ws-port", "0"])).output().unwrap();
    assert!(started.status.success(), "{started:?}");
    let begun = as_user(command(&place, &folder, &["orchestrate", "x"])).output().unwrap();
    assert!(begun.status.success(), "{begun:?}");
    let input = minimal().to_string();
    let mut sandboxed = as_user(command(&place, &folder, &["decide", "submit", &input]));
    // It cannot reach the daemon either.
    sandboxed.env("FINGER_HOME", folder.join("none"));
    let running = RunningServer::start(sandboxed);
    let path = path_on(&place, &running);
    assert_eq!(post_as(USER, place.http_port(), &format!("{path}/api/submit")), 200);
    running.finish().succeeded(DECIDED);
    // Without a daemon that serves the project, the error is printed.
    let stopped = as_user(place.command(["daemon", "stop"])).output().unwrap();
    assert!(stopped.status.success(), "{stopped:?}");
    let refused = as_user(command(&place, &folder, &["decide", "submit", &input])).output().unwrap();
    CommandOutput::new(refused).failed_with_after(1, "✗ 无法启动服务: 无法监听 127.0.0.1:80: ");
}

/// The status of an answer that a user gives.
fn post_as(uid: u32, port: u16, path: &str) -> u16 {
    let body = minimal_answers().to_string();
    let request = crate::support::http::post_head(port, path, body.len()) + &body;
    let script = "exec 3<>/dev/tcp/127.0.0.1/$0; printf %s \"$1\" >&3; head -n 1 <&3";
    let mut command = Command::new("bash");
    command.args(["-c", script, &port.to_string(), &request]).uid(uid).gid(uid).current_dir("/");
    let said = command.output().unwrap().stdout;
    String::from_utf8(said).unwrap().split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
fn sixty_four_projects_ask_at_once_and_each_gets_its_own_answer() {
    let place = Place::started();
    let folders: Vec<_> = (0..64).map(|_| Folder::project_on_any_port()).collect();
    let input = minimal().to_string();
    let asking: Vec<_> =
        folders.iter().map(|folder| begin(command(&place, folder, &["decide", "submit", &input]))).collect();
    for folder in &folders {
        until("it is answered", || {
            folder.decision("pending.json").exists() && answer_where_it_is(folder) == 200
        });
    }
    for (child, folder) in asking.into_iter().zip(&folders) {
        let ended = CommandOutput::new(child.wait_with_output().unwrap());
        assert_eq!((ended.code, ended.stdout.ends_with(DECIDED)), (Some(0), true), "{ended:?}");
        aide(&place, folder, &["decide", "result"]).about_the_newest().succeeded(RESULT);
    }
}

#[test]
fn a_project_that_is_gone_is_not_shown_any_more() {
    let (place, folder) = (Place::started(), Folder::project_on_any_port());
    let running = submit(&place, &folder, &[]);
    let (port, path) = (place.http_port(), path_on(&place, &running));
    let name = folder.path().file_name().unwrap().to_str().unwrap().to_owned();
    let pid = Pid::from_raw(running.pid().try_into().unwrap()).unwrap();
    assert!(get(port, "/").text().contains(&name));
    remove_folder(folder.path());
    until("it is not shown any more", || !get(port, "/").text().contains(&name));
    assert_ne!(get(port, &path).status, 200);
    let _ = kill_process(pid, Signal::KILL);
}

/// A server in a sandbox runs, and cannot be reached from outside where it says.
#[test]
fn open_leads_to_the_daemon_where_a_server_cannot_be_reached() {
    let (place, folder) = (Place::started(), Folder::project());
    let running = submit(&place, &folder, &["--no-daemon", "--port", "0"]);
    let mut told = server(&folder).unwrap();
    told["port"] = json!(1);
    told["url"] = json!("http://localhost:1");
    fs::write(folder.decision("server.json"), told.to_string()).unwrap();

    let opened = aide(&place, &folder, &["decide", "open"]);
    let pages = format!("http://localhost:{}", place.http_port());
    assert_eq!((opened.code, &*opened.stdout), (Some(0), &*format!("→ 请访问: {pages}\n")), "{opened:?}");
    assert!(
        opened.stderr.starts_with("⚠ 从这里无法访问这些待定项的服务: http://localhost:1，"),
        "{opened:?}"
    );
    assert!(get(place.http_port(), "/").text().contains("测试任务"));
    // Without a daemon.
    let opened = folder.aide(["decide", "open"]);
    opened.failed_with(1, "✗ 从这里无法访问这些待定项的服务: http://localhost:1，");
    assert!(
        opened.stderr.ends_with("，在终端中回答\n") && opened.stderr.contains("aide decide answer 20"),
        "{opened:?}"
    );
    assert_eq!(running.answer(&minimal_answers()).status, 200);
    running.finish().succeeded(DECIDED);
}

#[test]
fn a_program_in_a_network_of_its_own_says_that_its_link_opens_only_there() {
    let folder = Folder::project();
    let input = minimal().to_string();
    // Linux alone, and root alone, has such networks.
    let program = env!("CARGO_BIN_EXE_aide");
    let script = format!("ip link set lo up && exec '{program}' decide submit --detach --port 0 \"$0\"");
    let inside = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["-n", "sh", "-c", script, &input]).current_dir(folder.path());
        command.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").output()
    };
    if !inside("ip link set lo up").is_ok_and(|made| made.status.success()) {
        return;
    }
    let _background = BackgroundGuard(&folder);
    let submitted = CommandOutput::new(inside(&script).unwrap());
    assert_eq!(submitted.code, Some(0), "{submitted:?}");
    assert!(submitted.stderr.starts_with("⚠ 此程序的网络与外界隔离"), "{submitted:?}");
    folder.aide(["decide", "open"]).failed_with(1, "✗ 从这里无法访问这些待定项的服务: ");
    let finished = folder.answer("1\n\ny\n");
    assert_eq!(finished.code, Some(0), "{finished:?}");
    folder.result().succeeded(RESULT);
}
