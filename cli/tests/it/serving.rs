//! A server that ends: by an answer, by signals, whatever is connected; and who wins.

use crate::support::http::{Response, ask, connect, get, head, post_head, read};
use crate::support::running::RunningServer;
use crate::support::{CommandOutput, Folder, minimal, minimal_answers};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::process::Command;
use std::sync::Barrier;
use std::thread;

const DECIDED: &str = "✓ 决策已完成\n";
const INTERRUPTED: &str = "⚠ 服务已中断\n";

#[test]
fn what_is_counted_is_what_needs_an_answer_and_says_so() {
    let folder = Folder::project();
    let item = |id: u64| {
        json!({"id": id, "title": format!("question {id}"), "required": id < 5,
            "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]})
    };
    let items: Vec<Value> = (1..6).map(item).collect();
    let running = folder.submit(&json!({"task": "t", "source": "s", "items": items}));
    for (lang, words) in [("en", "0 of 4 required answered"), ("zh", "必答项已完成 0/4 项")] {
        let page = get(running.port, &format!("/?lang={lang}"));
        assert!(page.text().contains(words), "{words}: {}", page.text());
    }
}

#[test]
fn signals_end_it_with_their_code() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let folder = Folder::project();
        let mut command = Command::new("env");
        // The tests may have been started with nohup.
        command.args([
            "--default-signal=HUP,INT",
            env!("CARGO_BIN_EXE_aide"),
            "decide",
            "submit",
            "--port",
            "0",
        ]);
        command.arg(minimal().to_string()).current_dir(folder.path());
        let running = RunningServer::start(command);
        let pending = folder.tree();
        running.signal(signal);
        running.finish().failed_and_kept(code, INTERRUPTED);
        // What it says of where it was is left for the next one.
        assert_eq!(folder.tree(), pending, "{signal:?}");
    }
}

#[test]
fn in_english() {
    let folder = Folder::project();
    let running = folder.submit_with(&minimal(), &["--lang", "en"]);
    assert_eq!(
        running.printed,
        format!(
            "→ Web server started\n→ Open: http://localhost:{}\n→ Waiting for the decision...\n",
            running.port
        )
    );
    running.signal(Signal::INT);
    running.finish().failed_and_kept(130, "⚠ Interrupted, the server has been stopped\n");
    let running = folder.submit_with(&minimal(), &["--lang", "en"]);
    assert_eq!(running.answer(&minimal_answers()).status, 200);
    running.finish().succeeded("✓ The decision has been made\n");
}

#[test]
fn nohup_is_honoured() {
    let folder = Folder::project();
    let mut command = Command::new("env");
    command.args(["--ignore-signal=HUP", env!("CARGO_BIN_EXE_aide"), "decide", "submit", "--port", "0"]);
    command.arg(minimal().to_string()).current_dir(folder.path());
    let running = RunningServer::start(command);
    running.signal(Signal::HUP);
    assert_eq!(running.answer(&minimal_answers()).status, 200);
    running.finish().succeeded(DECIDED);
}

#[test]
fn a_second_signal_is_not_waited_for() {
    let folder = Folder::project();
    let running = folder.submit(&minimal());
    let _half = half_a_body(running.port);
    running.signal(Signal::INT);
    running.signal(Signal::TERM);
    let finished = running.finish();
    assert!(matches!(finished.code, Some(130 | 143)), "{finished:?}");
    assert_eq!(&*finished.stdout, "");
    finished.kept(INTERRUPTED);
}

/// A POST of which the end never comes.
fn half_a_body(port: u16) -> std::net::TcpStream {
    let mut stream = connect(port);
    stream.write_all((post_head(port, "/api/submit", 100) + "{\"decisions\"").as_bytes()).unwrap();
    stream
}

#[test]
fn no_connection_keeps_it_from_ending() {
    let folder = Folder::project();
    for by_signal in [false, true] {
        let running = folder.submit(&minimal());
        let silent = connect(running.port);
        let mut idle = connect(running.port);
        idle.write_all(head("GET", "/api/items", running.port, "").as_bytes()).unwrap();
        let mut beginning = [0; 12];
        idle.read_exact(&mut beginning).unwrap();
        assert_eq!(&beginning, b"HTTP/1.1 200");
        let mut half_a_head = connect(running.port);
        half_a_head.write_all(b"GET / HTTP/1.1\r\nHost: loc").unwrap();
        let half_a_body = half_a_body(running.port);
        let mut never_read = connect(running.port);
        never_read.write_all(head("GET", "/", running.port, "").as_bytes()).unwrap();
        if by_signal {
            running.signal(Signal::TERM);
            running.finish().failed_and_kept(143, INTERRUPTED);
        } else {
            assert_eq!(running.answer(&minimal_answers()).status, 200);
            running.finish().succeeded(DECIDED);
        }
        drop((silent, idle, half_a_head, half_a_body, never_read));
    }
}

#[test]
fn of_two_answers_at_once_one_wins() {
    for _ in 0..10 {
        let folder = Folder::project();
        let running = folder.submit(&minimal());
        let port = running.port;
        let together = Barrier::new(2);
        let answer = |chosen: &str| {
            let body = json!({"decisions": [{"id": 1, "chosen": chosen}]}).to_string();
            let mut stream = connect(port);
            let length = format!(
                "Connection: close\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
                body.len()
            );
            stream.write_all(head("POST", "/api/submit", port, &length).as_bytes()).unwrap();
            // The server asks for the body: from here on both requests are its own to answer.
            let mut asked = [0; 25];
            stream.read_exact(&mut asked).unwrap();
            assert_eq!(&asked, b"HTTP/1.1 100 Continue\r\n\r\n");
            together.wait();
            stream.write_all(body.as_bytes()).unwrap();
            read(stream)
        };
        let (a, b) = thread::scope(|scope| {
            let a = scope.spawn(|| answer("a"));
            let b = scope.spawn(|| answer("b"));
            (a.join().unwrap(), b.join().unwrap())
        });
        let mut statuses = [a.status, b.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409], "{} / {}", a.text(), b.text());
        running.finish().succeeded(DECIDED);
        let winner = if a.status == 200 { "a" } else { "b" };
        assert_eq!(folder.record()["output"]["decisions"][0]["chosen"], winner);
    }
}

#[test]
fn refused_answers_do_not_end_it() {
    let folder = Folder::project();
    let running = folder.submit(&minimal());
    for (body, detail) in [
        (json!([]), "输出数据必须为对象"),
        (json!({}), "decisions 必须为至少 1 个元素的数组，当前缺失"),
        (json!({"decisions": [1]}), "decisions[0] 必须为对象，实际为 1"),
        (json!({"decisions": [{"id": "1", "chosen": "a"}]}), "decisions[0].id 必须为整数，实际为 \"1\""),
        (json!({"decisions": [{"id": 1, "chosen": ""}]}), "decisions[0].chosen 不能为空，实际为 \"\""),
        (
            json!({"decisions": [{"id": 1, "chosen": "a", "note": 1}]}),
            "decisions[0].note 必须为字符串，实际为 1",
        ),
        (json!({"decisions": [{"id": 1, "chosen": "a"}, {"id": 1, "chosen": "a"}]}), "待定项 1 的决策重复"),
        (json!({"decisions": [{"id": 1, "chosen": "a"}, {"id": 9, "chosen": "a"}]}), "存在未知的待定项 9"),
        (json!({"decisions": [{"id": 1, "chosen": "x"}]}), "待定项 1 的决策值无效: x"),
    ] {
        let response = running.answer(&body);
        assert_eq!(response.status, 400, "{body}");
        let refusal = response.json();
        assert_eq!(refusal["error"], "决策数据无效", "{body}");
        assert!(refusal["detail"].as_str().unwrap().contains(detail), "{body}: {refusal}");
    }
    assert_eq!(get(running.port, "/api/items").status, 200);
    assert_eq!(running.answer(&minimal_answers()).status, 200);
    running.finish().succeeded(DECIDED);
}

#[test]
fn nobody_has_to_read_what_it_prints() {
    let folder = Folder::project();
    let mut running = folder.submit(&minimal());
    running.close_stdout();
    assert_eq!(running.answer(&minimal_answers()).status, 200);
    running.finish().succeeded("");
    assert_eq!(folder.record()["output"], minimal_answers());
}

#[test]
fn server_json_says_where_it_is_and_goes_with_it() {
    let folder = Folder::project();
    let running = folder.submit(&minimal());
    let text = std::fs::read(folder.decision("server.json")).unwrap();
    let info: Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(info["pid"], running.pid());
    assert_eq!(info["port"], running.port);
    assert_eq!(info["url"], running.url);
    assert_eq!(info["session_id"], folder.session());
    assert_eq!(running.answer(&minimal_answers()).status, 200);
    running.finish().succeeded(DECIDED);
    assert!(!folder.decision("server.json").exists());
}

#[test]
fn other_loopback_addresses_are_in_the_link() {
    let folder = Folder::project();
    let running = folder.submit_with(&minimal(), &["--bind", "127.0.0.7"]);
    assert_eq!(running.url, format!("http://127.0.0.7:{}", running.port));
}

/// Any other reason is reported as such, and not as "in use".
#[test]
fn an_address_that_cannot_be_had_is_no_busy_port() {
    let folder = Folder::project();
    // Without IPv6 in its network, or without any loopback at all, a machine has no such address.
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--net", env!("CARGO_BIN_EXE_aide"), "decide", "submit"]);
    command.args(["--bind", "::1", &minimal().to_string()]).current_dir(folder.path()).env_clear();
    let Ok(output) = command.output() else { return };
    let finished = CommandOutput::new(output);
    if finished.stderr.starts_with("unshare") {
        return;
    }
    finished.failed(
        1,
        "✗ 无法启动服务: 无法监听 [::1]:3721: 本机没有此地址 (os error 99)\n  建议: 在配置中指定其他地址或端口\n",
    );
}

/// Presses the button of a page without script.
fn press(port: u16, body: &str) -> Response {
    let headers = format!(
        "Connection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n",
        body.len()
    );
    let mut stream = connect(port);
    stream.write_all((head("POST", "/submit", port, &headers) + body).as_bytes()).unwrap();
    read(stream)
}

/// A page that a browser shows and that does not listen, be it without script or on a busy machine, hears of it as well.
#[test]
fn a_page_that_does_not_listen_is_told_what_has_become_of_its_answers() {
    let folder = Folder::project();
    let running = folder.submit(&minimal());
    let browser = "Sec-Fetch-Dest: document\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Site: none\r\n";
    for _ in 0..2 {
        assert_eq!(ask(running.port, "GET", "/?lang=en", browser).status, 200);
    }
    let body = format!("session={}&lang=en&action=submit&item-1=0", folder.session());
    let first = press(running.port, &body);
    assert_eq!(first.status, 200, "{}", first.text());
    // The server has ended the questions, and stays until the other page knows it.
    let second = press(running.port, &body);
    assert_eq!(second.status, 409, "{}", second.text());
    running.finish().succeeded(DECIDED);
}
