//! `AIDE_LOG`: nothing without it, and with it nothing that is secret.

use crate::support::http::{ask, get};
use crate::support::repository::Repository;
use crate::support::running::RunningServer;
use crate::support::{Folder, minimal, until};
use serde_json::{Value, json};
use std::fs;

const NOTE: &str = "a-note-that-nobody-else-reads";

/// Starts a server with a login, with this value of `AIDE_LOG`.
fn submit(folder: &Folder, log: Option<&str>) -> RunningServer {
    let arguments = ["decide", "submit", &minimal().to_string(), "--port", "0", "--auth", "always"];
    let mut command = folder.command(arguments);
    if let Some(log) = log {
        command.env("AIDE_LOG", log);
    }
    let mut running = RunningServer::start(command);
    running.port = u16::try_from(folder.file("server.json")["port"].as_u64().unwrap()).unwrap();
    running
}

/// Comes in by the link, is refused, answers; the link, the cookie, the key and the answer are returned beside what was
/// said about all that.
fn answered(folder: &Folder, log: Option<&str>) -> (String, Vec<String>) {
    let running = submit(folder, log);
    let port = running.port;
    let server: Value = folder.file("server.json");
    let secret = server["secret"].as_str().unwrap().to_owned();
    let ticket = running.url.rsplit_once('/').unwrap().1.to_owned();
    assert_eq!(get(port, "/").status, 401);
    assert_eq!(get(port, &format!("/t/{ticket}")).status, 200);
    let page = crate::support::http::enter(port, &format!("/t/{ticket}"));
    let cookie = page.header("set-cookie").split(';').next().unwrap().to_owned();
    assert_eq!(get(port, &format!("/T/{ticket}?{ticket}")).status, 404);
    assert_eq!(ask(port, "GET", "/api/items", &format!("Authorization: Bearer {secret}x\r\n")).status, 401);
    let chosen = minimal()["items"][0]["options"][0]["value"].clone();
    let body = json!({"decisions": [{"id": 1, "chosen": chosen, "note": NOTE}]}).to_string();
    let mut stream = crate::support::http::connect(port);
    let request = crate::support::http::post_head(port, "/api/submit", body.len())
        .replace("\r\n\r\n", &format!("\r\nAuthorization: Bearer {secret}\r\n\r\n"));
    std::io::Write::write_all(&mut stream, (request + &body).as_bytes()).unwrap();
    assert_eq!(crate::support::http::read(stream).status, 200);
    let finished = running.finish();
    assert_eq!((finished.code, &*finished.stdout), (Some(0), "✓ 决策已完成\n"));
    let value = cookie.split_once('=').unwrap().1.to_owned();
    (finished.stderr, vec![secret, ticket, value, NOTE.to_owned()])
}

#[test]
fn nothing_is_said_unless_it_is_wanted() {
    for log in [None, Some(""), Some("off"), Some("error"), Some("process=debug")] {
        let (said, _) = answered(&Folder::project(), log);
        assert_eq!(said, "", "{log:?}");
    }
}

#[test]
fn every_request_is_told_and_no_secret() {
    for log in ["debug", "trace", "server=debug"] {
        let folder = Folder::project();
        let (said, secrets) = answered(&folder, Some(log));
        for expected in [
            "DEBUG server::serve: connection accepted peer=127.0.0.1:",
            "DEBUG server::gate: request refused reason=NotLoggedIn(Page)",
            "request answered method=GET endpoint=\"/\" status=401",
            "request answered method=GET endpoint=\"/t/{ticket}\" status=200",
            "request answered method=POST endpoint=\"/t/{ticket}\" status=200",
            "request answered method=GET endpoint=\"none\" status=404",
            "request answered method=POST endpoint=\"/api/submit\" status=200 took=",
            "server has stopped",
        ] {
            assert!(said.contains(expected), "{log}: {expected} in {said}");
        }
        for secret in secrets {
            assert!(!said.contains(&secret), "{log}: {said}");
        }
        assert!(!said.contains('\u{1b}') && !said.contains("测试任务"), "{said}");
    }
}

#[test]
fn a_server_in_the_background_says_it_in_its_own_file() {
    let folder = Folder::project();
    let arguments = ["decide", "submit", "--detach", &minimal().to_string(), "--port", "0"];
    let started = folder.command(arguments).env("AIDE_LOG", "server=debug").output().unwrap();
    assert!(started.status.success(), "{started:?}");
    let port = u16::try_from(folder.file("server.json")["port"].as_u64().unwrap()).unwrap();
    assert_eq!(get(port, "/").status, 200);
    until("a line about the request", || {
        fs::read_to_string(folder.decision("server.log")).is_ok_and(|said| said.contains("request answered"))
    });
    assert_eq!(folder.aide(["decide", "cancel"]).code, Some(0));
}

#[test]
fn programs_are_named_without_their_arguments() {
    let repository = Repository::new();
    let started = repository
        .command(["flow", "start", "impl", NOTE])
        .env("AIDE_LOG", "process=debug,flow=debug")
        .output()
        .unwrap();
    let said = String::from_utf8(started.stderr).unwrap();
    for expected in [
        "DEBUG process::program: program started program=\"git\" pid=",
        "DEBUG process::program: program ended program=\"git\" status=exit status: 0 took=",
        "DEBUG flow::action: action begins action=\"start\"",
    ] {
        assert!(said.contains(expected), "{expected} in {said}");
    }
    assert!(!said.contains(NOTE), "{said}");
    assert!(!said.contains("server"), "{said}");
}
