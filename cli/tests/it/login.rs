//! Where a login is needed: a one-time link, a cookie, a token for scripts, and no other way in.

use crate::support::http::{self, Response, ask, get, post_json};
use crate::support::running::RunningServer;
use crate::support::{CommandOutput, Folder, minimal, minimal_answers};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs;
use std::net::UdpSocket;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

const DECIDED: &str = "✓ 决策已完成\n";

fn server(folder: &Folder) -> Value {
    serde_json::from_slice(&fs::read(folder.decision("server.json")).unwrap()).unwrap()
}

fn port(folder: &Folder) -> u16 {
    u16::try_from(server(folder)["port"].as_u64().unwrap()).unwrap()
}

fn guarded(folder: &Folder, further: &[&str]) -> RunningServer {
    let mut running = folder.submit_with(&minimal(), further);
    running.port = port(folder);
    running
}

/// The path of a link, which must lead to `origin`.
fn ticket<'l>(link: &'l str, origin: &str) -> &'l str {
    let path = link.strip_prefix(origin).unwrap_or_else(|| panic!("{link} does not lead to {origin}"));
    assert!(path.starts_with("/t/") && path.len() == 67, "{link}");
    path
}

/// Opens a link, comes in, and gives the cookie.
fn enter(port: u16, path: &str) -> String {
    let door = get(port, path);
    assert_eq!((door.status, door.header("set-cookie"), door.header("refresh")), (200, "", ""));
    assert!(door.text().contains("<form method=\"post\">"), "{}", door.text());
    let page = http::enter(port, path);
    assert_eq!(page.status, 200, "{}", page.text());
    let (pair, attributes) = page.header("set-cookie").split_once("; ").unwrap();
    assert_eq!(attributes, "Path=/; HttpOnly; SameSite=Strict");
    assert_eq!(page.header("refresh"), "0; url=/");
    pair.to_owned()
}

fn with_cookie(port: u16, path: &str, cookie: &str) -> Response {
    ask(port, "GET", path, &format!("Cookie: {cookie}\r\n"))
}

fn origin(port: u16) -> String {
    format!("http://localhost:{port}")
}

#[test]
fn the_link_lets_in_once_and_the_cookie_stays() {
    let folder = Folder::project();
    let running = guarded(&folder, &["--auth", "always"]);
    let path = ticket(&running.url, &origin(running.port)).to_owned();
    let refused = get(running.port, "/");
    assert_eq!(refused.status, 401);
    assert!(
        refused.text().contains("需要登录") && !refused.text().contains("测试任务"),
        "{}",
        refused.text()
    );
    assert_eq!(get(running.port, "/api/items").status, 401);
    assert_eq!(running.answer(&minimal_answers()).status, 401);

    // A preview, a scanner and a prefetch look at it first.
    for _ in 0..3 {
        assert_eq!(get(running.port, &path).status, 200);
    }
    let cookie = enter(running.port, &path);
    let page = with_cookie(running.port, "/", &cookie);
    assert_eq!(page.status, 200);
    assert!(page.text().contains("测试任务"));
    let again = get(running.port, &path);
    assert_eq!(again.status, 401);
    assert!(again.text().contains("此链接已失效"), "{}", again.text());
    assert_eq!(http::enter(running.port, &path).status, 401);
    // Who is in already may use the link again.
    assert_eq!(with_cookie(running.port, &path, &cookie).status, 200);
    running.signal(Signal::TERM);
    assert_eq!(running.finish().code, Some(143));
}

#[test]
fn the_token_of_scripts_is_in_the_file_and_nowhere_else() {
    let folder = Folder::project();
    let git =
        |arguments: &[&str]| Command::new("git").args(arguments).current_dir(folder.path()).output().unwrap();
    assert!(git(&["init", "-q"]).status.success());
    let running = guarded(&folder, &["--auth", "always"]);
    let secret = server(&folder)["secret"].as_str().unwrap().to_owned();
    assert_eq!(secret.len(), 64);
    let mode = fs::metadata(folder.decision("server.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    // S43: what was printed, the arguments, the environment, the pages, what git takes.
    let port = running.port;
    let proc = |file: &str| fs::read(format!("/proc/{}/{file}", running.pid())).unwrap();
    let cookie = enter(port, ticket(&running.url, &origin(port)));
    assert!(git(&["add", "-A"]).status.success());
    let staged = String::from_utf8(git(&["ls-files"]).stdout).unwrap();
    assert!(staged.contains(".aide/config.toml") && !staged.contains("server.json"), "{staged}");
    let bearer = format!("Authorization: Bearer {secret}\r\n");
    let pages = ["/", "/api/items", "/favicon.svg", "/nothing", "/t/x"];
    let mut places = vec![
        running.printed.clone().into_bytes(),
        proc("cmdline"),
        proc("environ"),
        git(&["diff", "--cached"]).stdout,
    ];
    for page in pages {
        for headers in ["", &*format!("Cookie: {cookie}\r\n"), &bearer] {
            let answer = ask(port, "GET", page, headers);
            places.push(format!("{:?}", answer.headers).into_bytes());
            places.push(answer.body);
        }
    }
    for place in &places {
        assert!(!place.windows(64).any(|window| window == secret.as_bytes()), "{}", place.escape_ascii());
    }

    assert_eq!(ask(port, "GET", "/api/items", &bearer).status, 200);
    // A request with a token is judged by the token alone.
    let wrong = format!("Authorization: Bearer {}\r\nCookie: {cookie}\r\n", "0".repeat(64));
    assert_eq!(ask(port, "GET", "/api/items", &wrong).status, 401);
    running.signal(Signal::TERM);
    let told = running.finish();
    assert!(!told.stderr.contains(&secret) && !told.stdout.contains(&secret));
}

/// S25: another server of this host gets the cookie as well, but a browser that it misleads names its origin.
#[test]
fn s25_a_cookie_alone_changes_nothing() {
    let folder = Folder::project();
    let running = guarded(&folder, &["--auth", "always"]);
    let port = running.port;
    let cookie = enter(port, ticket(&running.url, &origin(port)));
    let body = minimal_answers().to_string();
    let post = |headers: &str| {
        let mut stream = crate::support::http::connect(port);
        let length = body.len();
        let headers = format!(
            "Connection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{headers}"
        );
        let request = crate::support::http::head("POST", "/api/submit", port, &headers) + &body;
        std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
        crate::support::http::read(stream)
    };
    let cookie = format!("Cookie: {cookie}\r\n");
    assert_eq!(post(&cookie).status, 403);
    assert_eq!(post(&format!("{cookie}Origin: http://localhost:1\r\n")).status, 403);
    let same_site = format!("{cookie}Origin: http://localhost:{port}\r\nSec-Fetch-Site: same-site\r\n");
    assert_eq!(post(&same_site).status, 403);
    assert_eq!(folder.result().code, Some(1));
    assert_eq!(post(&format!("{cookie}Origin: http://localhost:{port}\r\n")).status, 200);
    running.finish().succeeded(DECIDED);
}

#[test]
fn a_script_answers_with_the_token_alone() {
    let folder = Folder::project();
    let running = guarded(&folder, &["--auth", "always"]);
    let bearer = format!("Authorization: Bearer {}\r\n", server(&folder)["secret"].as_str().unwrap());
    let answer = running.answer(&minimal_answers());
    assert_eq!((answer.status, answer.header("www-authenticate")), (401, "Bearer"));
    assert!(answer.json()["detail"].as_str().unwrap().contains("server.json"), "{}", answer.text());
    let body = minimal_answers().to_string();
    let mut stream = crate::support::http::connect(running.port);
    let request = crate::support::http::post_head(running.port, "/api/submit", body.len())
        .replace("\r\n\r\n", &format!("\r\n{bearer}\r\n"));
    std::io::Write::write_all(&mut stream, (request + &body).as_bytes()).unwrap();
    assert_eq!(crate::support::http::read(stream).status, 200);
    running.finish().succeeded(DECIDED);
}

/// S42: a new server has a new secret; logged-in clients learn how to log in again, and do.
#[test]
fn s42_a_restart_logs_out_and_every_command_has_a_way_in() {
    let folder = Folder::project();
    let first = guarded(&folder, &["--auth", "always"]);
    let port = first.port;
    let old_cookie = enter(port, ticket(&first.url, &origin(port)));
    let old_secret = server(&folder)["secret"].as_str().unwrap().to_owned();
    let old_link = folder.aide(["decide", "result", "--json"]);
    let old_link: Value = serde_json::from_str(&old_link.stdout).unwrap();
    let old_path = ticket(old_link["url"].as_str().unwrap(), &origin(port)).to_owned();
    first.kill();

    let waited = folder.aide(["decide", "wait", "--timeout", "1"]).about_the_newest();
    assert_eq!(waited.code, Some(75), "{waited:?}");
    assert_eq!(self::port(&folder), port);
    assert_eq!(server(&folder)["auth"], "always");
    assert_ne!(server(&folder)["secret"], old_secret.as_str());
    for (path, headers) in [
        ("/", format!("Cookie: {old_cookie}\r\n")),
        ("/api/items", format!("Authorization: Bearer {old_secret}\r\n")),
        (&*old_path, String::new()),
    ] {
        assert_eq!(ask(port, "GET", path, &headers).status, 401, "{path}");
    }
    // The page sends this request by itself, and shows the message of the answer.
    let asked = post_json(port, "/fn/draft", "{}");
    assert_eq!(asked.status, 401);
    let told = asked.json()["Stale"].as_str().unwrap().to_owned();
    assert!(told.contains("aide decide open") && told.contains("答案已保存"), "{told}");
    assert!(get(port, "/").text().contains("aide decide open"));

    let link = waited.stderr.lines().find_map(|line| line.strip_prefix("→ 请访问: ")).unwrap();
    let mut links = vec![link.to_owned()];
    let json =
        |arguments: &[&str]| -> Value { serde_json::from_str(&folder.aide(arguments).stdout).unwrap() };
    links.push(json(&["decide", "wait", "--timeout", "1", "--json"])["url"].as_str().unwrap().to_owned());
    links.push(json(&["decide", "result", "--json"])["url"].as_str().unwrap().to_owned());
    let submit = ["decide", "submit", "--detach", "--json", &minimal().to_string()];
    links.push(json(&submit)["url"].as_str().unwrap().to_owned());
    links.push(folder.submit_with(&minimal(), &["--timeout", "1"]).url.clone());
    let opened = folder.aide(["decide", "open"]);
    links.push(opened.stdout.strip_prefix("→ 请访问: ").unwrap().trim_end().to_owned());
    for link in links {
        let cookie = enter(port, ticket(&link, &origin(port)));
        assert_eq!(with_cookie(port, "/", &cookie).status, 200);
    }
    folder.aide(["decide", "cancel"]).succeeded("✓ 待定项已取消\n");
}

/// The successor of a killed server has another key: the link printed before no longer lets anyone in.
#[test]
fn who_takes_over_prints_the_link_that_lets_in_now() {
    let folder = Folder::project();
    let first = guarded(&folder, &["--auth", "always"]);
    let mut second = guarded(&folder, &["--auth", "always"]);
    let port = first.port;
    first.kill();
    let line = second.line();
    let link = line.strip_prefix("→ 请访问: ").unwrap_or_else(|| panic!("{line:?}")).trim_end();
    assert_eq!(get(port, ticket(&second.url, &origin(port))).status, 401);
    enter(port, ticket(link, &origin(port)));
    second.signal(Signal::TERM);
    second.finish().failed_and_kept(143, "⚠ 服务已中断\n");
}

/// The browser gets the name of a file that only its owner can read.
#[test]
fn s43_a_browser_is_opened_without_the_link_in_its_arguments() {
    let folder = Folder::project();
    let running = guarded(&folder, &["--auth", "always"]);
    let script = "#!/bin/sh\nprintf %s \"$1\" > shown\ncp .aide/decisions/open.html copy.html\n\
                  stat -c %a .aide/decisions/open.html > mode\n";
    folder.write("show", script);
    fs::set_permissions(folder.join("show"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = folder.command(["decide", "open"]);
    let opened = CommandOutput::new(command.env("BROWSER", folder.join("show")).output().unwrap());
    assert_eq!(opened.code, Some(0), "{opened:?}");
    let file = folder.decision("open.html").canonicalize().unwrap();
    assert_eq!(fs::read_to_string(folder.join("shown")).unwrap(), format!("file://{}", file.display()));
    assert_eq!(fs::read_to_string(folder.join("mode")).unwrap(), "600\n");
    let html = fs::read_to_string(folder.join("copy.html")).unwrap();
    let link = html.split("url=").nth(1).unwrap().split('"').next().unwrap();
    enter(running.port, ticket(link, &origin(running.port)));
    assert!(!file.exists(), "it has served");

    // Over SSH the program that is wished for is one of this machine, and reads the file as well.
    fs::remove_file(folder.join("shown")).unwrap();
    let mut command = folder.command(["decide", "open"]);
    command.envs([("BROWSER", folder.join("show").display().to_string()), ("AIDE_REMOTE", "1".to_owned())]);
    let opened = CommandOutput::new(command.output().unwrap());
    assert_eq!((opened.code, &*opened.stderr), (Some(0), ""), "{opened:?}");
    assert_eq!(fs::read_to_string(folder.join("shown")).unwrap(), format!("file://{}", file.display()));
}

/// An address of this machine that is not loopback, where it has one.
fn own_address() -> Option<String> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    Some(socket.local_addr().ok()?.ip())
        .filter(|ip| !ip.is_loopback() && !ip.is_unspecified())
        .map(|ip| ip.to_string())
}

#[test]
fn on_all_addresses_a_login_is_needed() {
    let folder = Folder::project();
    let running = guarded(&folder, &["--bind", "0.0.0.0"]);
    let port = running.port;
    let host = own_address().unwrap_or_else(|| "127.0.0.1".to_owned());
    let path = ticket(&running.url, &format!("http://{host}:{port}")).to_owned();
    assert_eq!(get(port, "/").status, 401);
    let cookie = enter(port, &path);
    assert_eq!(with_cookie(port, "/", &cookie).status, 200);
    // Other names are none of this server's, with or without a login.
    for name in ["evil.test", "0.0.0.0", "10.99.99.99"] {
        let mut stream = crate::support::http::connect(port);
        let request =
            format!("GET / HTTP/1.1\r\nHost: {name}:{port}\r\nConnection: close\r\nCookie: {cookie}\r\n\r\n");
        std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
        assert_eq!(crate::support::http::read(stream).status, 421, "{name}");
    }
}

#[test]
fn no_login_on_an_address_that_others_reach_is_refused() {
    let folder = Folder::project();
    let before = folder.tree();
    let input = minimal().to_string();
    folder.aide(["decide", "submit", &input, "--bind", "0.0.0.0", "--auth", "never"]).failed(
        2,
        "✗ 参数 --auth 的值无效: \"never\"，不能用于其他机器可访问的地址\n  建议: 请用 auto 或 always，或监听 127.0.0.1，远程访问可用 ssh -L 转发端口\n",
    );
    assert_eq!(folder.tree(), before);
    folder.write(".aide/config.toml", "[decide]\nbind = \"::\"\nauth = \"never\"\n");
    let state = folder.join("state");
    let aide = |arguments: &[&str]| {
        CommandOutput::new(folder.command(arguments).env("XDG_STATE_HOME", &state).output().unwrap())
    };
    // What cannot be trusted can be seen.
    for arguments in [&["trust"][..], &["trust", "--show"]] {
        let refused = aide(arguments);
        assert_eq!(
            (refused.code, &*refused.stdout),
            (Some(1), "  decide.bind = \"::\"\n  decide.auth = \"never\"\n"),
            "{refused:?}"
        );
        assert!(
            refused.stderr.contains(" 第 3 行: decide.auth 不能用于其他机器可访问的地址，实际为 \"never\""),
            "{refused:?}"
        );
    }
    assert!(!state.exists(), "nothing was trusted");
    // A flag makes it right.
    drop(folder.submit_with(&minimal(), &["--bind", "::1"]));
    assert_eq!(json!(folder.pending()["task"]), json!("测试任务"));
}
