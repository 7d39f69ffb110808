//! Who connects: on loopback the programs of the user that runs the server come in, and other users of the machine need a
//! link. Where the tests run as root, there are other users; elsewhere only what one user can see is tried.

use crate::support::http::{self, Response, parse};
use crate::support::running::RunningServer;
use crate::support::{CommandOutput, Folder, minimal, minimal_answers};
use rustix::process::{Signal, geteuid};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Users that need not exist to run programs.
const ONE: u32 = 12345;
const OTHER: u32 = 54321;

/// Whether programs can be run as other users.
fn has_other_users() -> bool {
    cfg!(target_os = "linux") && geteuid().is_root()
}

/// Sends a request to `port` as the user `uid`, and reads the answer.
fn ask_as(uid: u32, port: u16, request: &str) -> Response {
    parse(run_as(uid, "exec 3<>/dev/tcp/127.0.0.1/$0; cat >&3; cat <&3", port, request))
}

fn run_as(uid: u32, script: &str, port: u16, input: &str) -> Vec<u8> {
    let mut command = Command::new("bash");
    command.args(["-c", script, &port.to_string()]).uid(uid).gid(uid).current_dir("/").env_clear();
    command.env("PATH", "/usr/local/bin:/usr/bin:/bin").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap().stdout
}

fn get_as(uid: u32, port: u16, path: &str, headers: &str) -> Response {
    ask_as(uid, port, &http::head("GET", path, port, &format!("Connection: close\r\n{headers}")))
}

fn post_as(uid: u32, port: u16, path: &str, headers: &str) -> Response {
    ask_as(uid, port, &answers(port, path, headers))
}

/// A request that answers the questions.
fn answers(port: u16, path: &str, headers: &str) -> String {
    let body = minimal_answers().to_string();
    http::post_head(port, path, body.len()).replace("\r\n\r\n", &format!("\r\n{headers}\r\n")) + &body
}

/// Gives a folder with everything in it to a user.
fn give(path: &Path, uid: u32) {
    chown(path, Some(uid), Some(uid)).unwrap();
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            give(&entry.unwrap().path(), uid);
        }
    }
}

/// The link that `aide decide open --link` prints; its path.
fn ticket(folder: &Folder, port: u16) -> String {
    let printed = folder.aide(["decide", "open", "--link"]);
    assert_eq!((printed.code, &*printed.stderr), (Some(0), ""));
    let link = printed.stdout.strip_prefix("→ 请访问: ").unwrap().trim_end();
    let path = link.strip_prefix(&format!("http://localhost:{port}")).unwrap();
    assert!(path.starts_with("/t/") && path.len() == 67, "{link}");
    path.to_owned()
}

fn stop(running: RunningServer) {
    running.signal(Signal::TERM);
    assert_eq!(running.finish().code, Some(143));
}

#[test]
fn the_user_that_runs_it_needs_no_login_and_can_let_others_in() {
    let folder = Folder::project();
    let running = folder.submit(&minimal());
    let port = running.port;
    assert_eq!(running.url, format!("http://localhost:{port}"), "the documented link");
    assert_eq!(http::get(port, "/").status, 200);
    let result: Value = serde_json::from_str(&folder.aide(["decide", "result", "--json"]).stdout).unwrap();
    assert_eq!(result["url"], running.url);
    let (one, other) = (ticket(&folder, port), ticket(&folder, port));
    assert_ne!(one, other);
    for path in [one, other] {
        assert_eq!(http::enter(port, &path).status, 200);
        assert_eq!(http::enter(port, &path).status, 401, "a link works once");
    }
    assert_eq!(running.answer(&minimal_answers()).status, 200);
    running.finish().succeeded("✓ 决策已完成\n");
}

#[test]
fn where_nobody_needs_a_login_the_link_has_no_ticket() {
    let folder = Folder::project();
    let running = folder.submit_with(&minimal(), &["--auth", "never"]);
    let printed = folder.aide(["decide", "open", "--link"]);
    printed.succeeded(&format!("→ 请访问: {}\n", running.url));
    if has_other_users() {
        assert_eq!(get_as(ONE, running.port, "/", "").status, 200);
    }
    stop(running);
}

#[test]
fn another_user_of_the_machine_comes_in_by_a_link_alone() {
    if !has_other_users() {
        return;
    }
    let folder = Folder::project();
    let running = folder.submit(&minimal());
    let port = running.port;
    for path in ["/", "/index.html", "/history", "/flow"] {
        let page = get_as(ONE, port, path, "");
        assert_eq!(page.status, 401, "{path}");
        let text = page.text();
        assert!(text.contains("另一位用户") && text.contains("aide decide open --link"), "{text}");
        assert!(!text.contains("测试任务"), "{text}");
    }
    let items = get_as(ONE, port, "/api/items", "");
    assert_eq!((items.status, items.header("www-authenticate")), (401, "Bearer"));
    assert!(items.json()["detail"].as_str().unwrap().contains("aide decide open --link"));
    for path in ["/api/submit", "/fn/submit", "/fn/draft", "/fn/listen"] {
        assert_eq!(post_as(ONE, port, path, "").status, 401, "{path}");
    }
    // What only root or its own user could say of itself.
    for headers in ["X-Forwarded-For: 127.0.0.1\r\n", "Authorization: Bearer 0\r\n", "Cookie: aide=1\r\n"] {
        assert_eq!(post_as(ONE, port, "/api/submit", headers).status, 401, "{headers}");
    }
    // The connection is closed before its owner can be looked up.
    for _ in 0..20 {
        run_as(
            ONE,
            "exec 3<>/dev/tcp/127.0.0.1/$0; cat >&3; exec 3>&-",
            port,
            &answers(port, "/api/submit", ""),
        );
        run_as(ONE, "cat >/dev/tcp/127.0.0.1/$0", port, &answers(port, "/api/submit", ""));
    }
    assert!(!folder.decision(&format!("{}.json", folder.session())).exists());
    assert_eq!(http::get(port, "/").status, 200, "the user that runs it");

    let link = ticket(&folder, port);
    assert_eq!(get_as(ONE, port, &link, "").status, 200, "the page with the button");
    let page = ask_as(ONE, port, &http::enter_request(port, &link));
    assert_eq!(page.status, 200);
    let cookie = format!("Cookie: {}\r\n", page.header("set-cookie").split(';').next().unwrap());
    assert!(get_as(ONE, port, "/", &cookie).text().contains("测试任务"));
    assert_eq!(post_as(ONE, port, "/api/submit", &cookie).status, 403, "a cookie without an origin");
    let origin = format!("{cookie}Origin: http://localhost:{port}\r\n");
    assert_eq!(post_as(ONE, port, "/api/submit", &origin).status, 200);
    running.finish().succeeded("✓ 决策已完成\n");
}

#[test]
fn the_user_that_runs_it_and_root_come_in_and_a_third_does_not() {
    if !has_other_users() {
        return;
    }
    let folder = Folder::project();
    // Where the user may run it, whatever folder the tests were built in.
    let program = folder.join("aide");
    let built = env!("CARGO_BIN_EXE_aide");
    fs::hard_link(built, &program).or_else(|_| fs::copy(built, &program).map(|_| ())).unwrap();
    give(&folder.join(".aide"), ONE);
    chown(folder.path(), Some(ONE), Some(ONE)).unwrap();
    let mut command = Command::new(&program);
    command.args(["decide", "submit", &minimal().to_string(), "--port", "0"]).current_dir(folder.path());
    command.env_clear().uid(ONE).gid(ONE).stdin(Stdio::null());
    let running = RunningServer::start(command);
    let port = running.port;
    assert_eq!(get_as(OTHER, port, "/", "").status, 401);
    assert_eq!(post_as(OTHER, port, "/api/submit", "").status, 401);
    assert_eq!(http::get(port, "/").status, 200, "root");
    assert_eq!(get_as(ONE, port, "/", "").status, 200);
    assert_eq!(post_as(ONE, port, "/api/submit", "").status, 200);
    running.finish().succeeded("✓ 决策已完成\n");
}

/// Agents act for their user: another one needs the secret.
#[test]
fn agents_of_other_users_need_the_secret_of_an_mcp_server() {
    let folder = Folder::project();
    let secret = "0f".repeat(32);
    let serve = |secret: &str| {
        let mut command = folder.command(["--lang", "en", "mcp", "--http", "--port", "0"]);
        command.env("AIDE_MCP_SECRET", secret).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    for wrong in ["0f", &"0g".repeat(32)] {
        let refused = CommandOutput::new(serve(wrong).wait_with_output().unwrap());
        refused.failed(2, "✗ AIDE_MCP_SECRET must be 64 hexadecimal digits\n");
    }
    let mut serving = serve(&secret);
    let mut line = String::new();
    BufReader::new(serving.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let port = line.trim_end().strip_suffix("/mcp").and_then(|url| url.rsplit_once(':')).unwrap().1;
    let port: u16 = port.parse().unwrap();
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;
    let request = |headers: &str| {
        let headers =
            format!("Accept: application/json, text/event-stream\r\nConnection: close\r\n{headers}\r\n");
        http::post_head(port, "/mcp", body.len()).replace("\r\n\r\n", &format!("\r\n{headers}")) + body
    };
    assert_eq!(http::exchange(port, &request(""), Duration::from_secs(10)).unwrap().status, 200);
    if has_other_users() {
        assert_eq!(ask_as(ONE, port, &request("")).status, 401);
        let bearer = format!("Authorization: Bearer {secret}\r\n");
        assert_eq!(ask_as(ONE, port, &request(&bearer)).status, 200);
    }
    serving.kill().unwrap();
    serving.wait().unwrap();
}
