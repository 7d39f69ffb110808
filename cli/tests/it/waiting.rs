//! Waiting that survives: other commands, kills, limits, and answers that are none.

use crate::support::http::{connect, get, head, post_json, read};
use crate::support::running::RunningServer;
use crate::support::{
    BackgroundGuard, CommandOutput, Folder, full, full_answers, minimal, minimal_answers, remove_folder,
    server, until,
};
use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs::{self, OpenOptions};
use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::OpenOptionsExt;
use std::process::Command;

const DECIDED: &str = "✓ 决策已完成\n";
const RESULT: &str = "{\"decisions\":[{\"id\":1,\"chosen\":\"a\"}]}\n";
/// How `show` lists the questions of [`minimal`].
const ASKED: &str = "  1. 测试问题: 选项A / 选项B\n";
const REPLACED: &str = "⚠ 待定项已被新的提交取代";
const TIMED_OUT: &str = "⚠ 服务超时，已自动关闭\n";

fn port(folder: &Folder) -> u16 {
    server(folder).unwrap()["port"].as_u64().unwrap().try_into().unwrap()
}

/// The server's process.
fn pid(folder: &Folder) -> i64 {
    server(folder).unwrap()["pid"].as_i64().unwrap()
}

/// Waits for a server that is not the process `former`. What it says of itself, it says before it can be reached.
fn until_served_by_another(folder: &Folder, former: i64, port: u16) {
    until("another server", || server(folder).is_some_and(|server| server["pid"] != former));
    until("its port", || TcpStream::connect(("127.0.0.1", port)).is_ok());
}

fn detach(folder: &Folder) -> CommandOutput {
    folder.aide(["decide", "submit", "--detach", "--port", "0", &minimal().to_string()])
}

/// A command that goes on while the test does something.
fn begin(folder: &Folder, arguments: &[&str]) -> std::process::Child {
    crate::support::begin(folder.command(arguments))
}

/// `aide decide wait`, once it waits: its first line says so, of which the mark is read here.
fn begin_waiting(folder: &Folder, further: &[&str]) -> std::process::Child {
    let mut waiting = begin(folder, &[&["decide", "wait"], further].concat());
    let mut mark = [0; "→".len()];
    waiting.stderr.as_mut().unwrap().read_exact(&mut mark).unwrap();
    waiting
}

fn end(child: std::process::Child) -> CommandOutput {
    CommandOutput::new(child.wait_with_output().unwrap())
}

fn form(port: u16, body: &str) -> crate::support::http::Response {
    use std::io::Write;
    let mut stream = connect(port);
    let headers = format!(
        "Connection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n",
        body.len()
    );
    stream.write_all((head("POST", "/submit", port, &headers) + body).as_bytes()).unwrap();
    read(stream)
}

#[test]
fn detached_it_returns_at_once_and_serves_on() {
    let folder = Folder::project();
    let _background = BackgroundGuard(&folder);
    let finished = detach(&folder);
    let (port, session) = (port(&folder), folder.session());
    finished.succeeded(&format!(
        "→ Web 服务已启动\n→ 请访问: http://localhost:{port}\n→ 会话 {session}: 执行 aide decide wait {session} 等待并获取结果\n"
    ));
    assert_eq!(get(port, "/").status, 200);
    folder.result().failed_with(1, "✗ 尚无决策结果\n  建议: 请等待用户");
    assert_eq!(post_json(port, "/api/submit", &minimal_answers().to_string()).status, 200);
    until("the server ends", || !folder.decision("server.json").exists());
    folder.result().succeeded(RESULT);
}

#[test]
fn detached_it_can_tell_a_program() {
    let folder = Folder::project();
    let _background = BackgroundGuard(&folder);
    let finished =
        folder.aide(["decide", "submit", "--detach", "--json", "--port", "0", &minimal().to_string()]);
    let server = server(&folder).unwrap();
    let told = json!({"session_id": folder.session(), "url": server["url"], "pid": server["pid"]});
    finished.succeeded(&format!("{told}\n"));
    folder.aide(["decide", "submit", "--json", "{}"]).failed_with(2, "✗ 缺少参数: --detach");
}

#[test]
fn what_a_detached_server_cannot_do_is_told_by_who_started_it() {
    let folder = Folder::project();
    folder.write(".aide/config.toml", "[decide]\nbind = \"example.com\"\n");
    detach(&folder).failed_with(1, "✗ ");
    let occupied = crate::support::ports::Ports::hold();
    folder.write(".aide/config.toml", "");
    let finished = folder.aide([
        "decide",
        "submit",
        "--detach",
        "--port",
        &occupied.first.to_string(),
        &minimal().to_string(),
    ]);
    finished.failed(
        1,
        &format!(
            "✗ 无法启动服务: 端口 {}-{} 均被占用\n  建议: 关闭占用端口的程序，或在配置中指定其他端口\n",
            occupied.first,
            occupied.first + 9
        ),
    );
    assert!(!folder.decision("server.json").exists());
}

/// The terminal is closed, the agent's shell kills its group: the server is in neither.
#[test]
fn a_detached_server_is_nobodys_child() {
    let folder = Folder::project();
    let _background = BackgroundGuard(&folder);
    detach(&folder);
    let pid = server(&folder).unwrap()["pid"].as_u64().unwrap();
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    // state ppid pgrp session
    assert_eq!((fields[2], fields[3]), (&*pid.to_string(), &*pid.to_string()), "{stat}");
}

#[test]
fn wait_prints_the_result_when_it_is_there() {
    let folder = Folder::project();
    let _background = BackgroundGuard(&folder);
    detach(&folder);
    let waiting = begin(&folder, &["decide", "wait"]);
    let typed = begin(&folder, &["decide", "wait", "--json", "--timeout", "60"]);
    let (port, session) = (port(&folder), folder.session());
    assert_eq!(post_json(port, "/api/submit", &minimal_answers().to_string()).status, 200);
    let finished = end(waiting).about_the_newest();
    let link = format!("→ 请访问: http://localhost:{port}\n");
    assert_eq!((finished.code, &*finished.stdout), (Some(0), RESULT));
    assert!(finished.stderr.is_empty() || finished.stderr == link, "{finished:?}");
    let typed = end(typed);
    let expected =
        json!({"status": "answered", "session_id": session, "decisions": [{"id": 1, "chosen": "a"}]});
    assert_eq!((typed.code, serde_json::from_str(&typed.stdout).ok()), (Some(0), Some(expected)));
    // And once more, when there is nothing to wait for.
    folder.aide(["decide", "wait"]).about_the_newest().succeeded(RESULT);
}

#[test]
fn waiting_has_an_end_of_its_own() {
    let folder = Folder::project();
    let _background = BackgroundGuard(&folder);
    folder.aide(["decide", "wait"]).failed_with(1, "✗ 未找到待定项数据");
    detach(&folder);
    let port = port(&folder);
    let finished = folder.aide(["decide", "wait", "--timeout", "1"]).about_the_newest();
    finished.failed(
        75,
        &format!(
            "→ 请访问: http://localhost:{port}\n⚠ 用户尚未完成决策: http://localhost:{port}，可再次执行 aide decide wait {} 继续等待\n",
            folder.session()
        ),
    );
    let finished = folder.aide(["decide", "wait", "--timeout", "1", "--json"]);
    let expected = json!({"status": "pending", "session_id": folder.session(), "url": format!("http://localhost:{port}")});
    assert_eq!((finished.code, finished.stdout), (Some(75), format!("{expected}\n")));
    folder.aide(["decide", "wait", "--timeout", "x"]).failed_with(2, "✗ 参数 --timeout 的值无效");
    assert_eq!(get(port, "/").status, 200, "whoever waits in vain leaves the page alone");
}

#[test]
fn a_killed_waiter_changes_nothing() {
    let folder = Folder::project();
    let _background = BackgroundGuard(&folder);
    detach(&folder);
    for signal in [Signal::KILL, Signal::TERM, Signal::INT] {
        let waiting = begin_waiting(&folder, &[]);
        kill_process(Pid::from_child(&waiting), signal).unwrap();
        let _ = end(waiting);
        assert_eq!(get(port(&folder), "/").status, 200, "{signal:?}");
    }
    assert_eq!(post_json(port(&folder), "/api/submit", &minimal_answers().to_string()).status, 200);
    folder.aide(["decide", "wait"]).about_the_newest().succeeded(RESULT);
}

#[test]
fn wait_brings_a_killed_server_back_where_it_was() {
    let folder = Folder::project();
    let _background = BackgroundGuard(&folder);
    let running = folder.submit(&minimal());
    let (port_before, session) = (running.port, folder.session());
    let typed = form(port_before, &format!("session={session}&item-1=1&note-1=kept&action=show"));
    assert_eq!(typed.status, 200);
    let first = pid(&folder);
    running.kill();

    let waiting = begin(&folder, &["decide", "wait", "--timeout", "60"]);
    until_served_by_another(&folder, first, port_before);
    assert_eq!(folder.session(), session);
    let page = get(port_before, "/");
    assert!(page.text().contains("kept</textarea>") && page.text().contains(" checked"), "{}", page.text());
    // Killed again, while a client waits.
    let second = pid(&folder);
    kill_process(Pid::from_raw(i32::try_from(second).unwrap()).unwrap(), Signal::KILL).unwrap();
    until_served_by_another(&folder, second, port_before);
    assert_eq!(form(port_before, &format!("session={session}&item-1=0")).status, 200);
    let finished = end(waiting);
    assert_eq!((finished.code, &*finished.stdout), (Some(0), RESULT));
}

#[test]
fn an_answer_given_while_a_server_is_brought_back_is_the_result() {
    let folder = Folder::project();
    folder.submit(&minimal()).kill();
    // A process that reads its configuration from a pipe waits there.
    let config = folder.join("home/.config/aide/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    assert!(Command::new("mkfifo").arg(&config).status().unwrap().success());
    let mut command = folder.command(["decide", "wait", "--timeout", "60"]);
    command.env("HOME", folder.join("home"));
    let waiting = crate::support::begin(command);
    let children = format!("/proc/{0}/task/{0}/children", waiting.id());
    let has_started = || fs::read_to_string(&children).is_ok_and(|children| !children.is_empty());
    let mut answered = false;
    until("the end of it", || {
        let mut open = OpenOptions::new();
        if let Ok(pipe) = open.write(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(&config) {
            if has_started() && !answered {
                assert_eq!(folder.answer("1\n\ny\n").code, Some(0));
                answered = true;
            }
            // The file is empty.
            drop(pipe);
        }
        answered && !has_started()
    });
    end(waiting).about_the_newest().succeeded(RESULT);
}

#[test]
fn the_same_questions_share_one_server() {
    let folder = Folder::project();
    let first = folder.submit(&minimal());
    let session = folder.session();
    let second = folder.submit(&minimal());
    let printed = first.printed.replace("Web 服务已启动", "Web 服务正在运行");
    assert_eq!((&second.url, &second.printed), (&first.url, &printed));
    assert_eq!(folder.session(), session);
    assert_eq!(second.answer(&minimal_answers()).status, 200);
    first.finish().succeeded(DECIDED);
    second.finish().succeeded(DECIDED);
    folder.result().succeeded(RESULT);
    // Asked after that, they are new.
    let third = folder.submit(&minimal());
    assert_ne!(folder.session(), session);
    third.signal(Signal::INT);
    let _ = third.finish();
}

#[test]
fn who_shares_a_server_takes_it_over_when_it_is_killed() {
    let folder = Folder::project();
    let first = folder.submit(&minimal());
    let (port, session) = (first.port, folder.session());
    let second = folder.submit(&minimal());
    let former = pid(&folder);
    first.kill();
    until_served_by_another(&folder, former, port);
    assert_eq!(pid(&folder), i64::from(second.pid()));
    assert_eq!(form(port, &format!("session={session}&item-1=0")).status, 200);
    second.finish().succeeded(DECIDED);
    folder.result().succeeded(RESULT);
}

#[test]
fn other_questions_take_the_place_and_the_port() {
    let folder = Folder::project();
    let first = folder.submit(&minimal());
    let earlier = folder.session();
    let waiting = begin_waiting(&folder, &[]);
    let second = folder.submit_with(&full(), &["--port", &first.port.to_string()]);
    assert_eq!(second.port, first.port);
    let by = format!("待定项已被新的提交取代: {}（实现用户认证模块）\n", folder.session());
    let advice = "  建议: 这些待定项没有得到回答；新的待定项完成后，可再次提交它们\n";
    first.finish().failed(1, &format!("⚠ {by}{advice}"));
    let waited = end(waiting);
    assert_eq!((waited.code, &*waited.stdout), (Some(1), ""));
    assert!(waited.stderr.ends_with(&format!("✗ {by}{advice}")), "{waited:?}");
    // The open page still shows the earlier questions; its submission is refused with a message.
    let stale = form(second.port, &format!("session={earlier}&item-1=0"));
    assert_eq!(stale.status, 409);
    assert!(stale.text().contains("此页面已过期"), "{}", stale.text());
    assert_eq!(second.answer(&full_answers()).status, 200);
    let second_end = second.finish();
    assert_eq!((second_end.code, &*second_end.stdout), (Some(0), DECIDED));
    let told = format!("⚠ 取代了尚未回答的待定项: {earlier}（测试任务）\n");
    assert!(second_end.stderr.starts_with(&told), "{second_end:?}");
}

#[test]
fn sent_back_is_no_answer() {
    let folder = Folder::project();
    let running = folder.submit(&minimal());
    let session = folder.session();
    let body = format!("session={session}&return-message=%E5%85%88%E9%97%AE%E6%B3%95%E5%8A%A1&action=return");
    assert_eq!(form(running.port, &body).status, 200);
    running.finish().failed(1, "⚠ 用户退回了待定项: 先问法务\n");
    folder.result().failed(
        1,
        "✗ 用户已退回待定项: 先问法务\n  建议: 根据用户的说明修改待定项，再重新执行 aide decide submit '<json>'\n",
    );
    let typed = folder.aide(["decide", "result", "--json"]).about_the_newest();
    let expected = json!({"status": "returned", "session_id": session, "message": "先问法务"});
    assert_eq!((typed.code, typed.stdout, typed.stderr), (Some(1), format!("{expected}\n"), String::new()));
    folder.aide(["decide", "wait"]).about_the_newest().failed_with(1, "✗ 用户已退回待定项: 先问法务\n");
    let shown = folder.aide(["decide", "show"]);
    assert_eq!(shown.code, Some(0));
    assert!(shown.stdout.ends_with(&format!("  退回原因: 先问法务\n{ASKED}")), "{}", shown.stdout);
}

#[test]
fn what_is_cancelled_is_asked_no_more() {
    let folder = Folder::project();
    folder.aide(["decide", "cancel"]).failed_with(1, "✗ 未找到待定项数据");
    let running = folder.submit(&minimal());
    folder.aide(["decide", "cancel"]).succeeded("✓ 待定项已取消\n");
    running.finish().failed(1, "⚠ 待定项已取消\n");
    folder.result().failed_with(1, "✗ 待定项已取消\n");
    folder
        .aide(["decide", "cancel"])
        .failed(1, "✗ 待定项已取消\n  建议: 执行 aide decide list 查看尚未回答的待定项\n");
    let shown = folder.aide(["decide", "show"]);
    assert!(shown.code == Some(0) && shown.stdout.ends_with(ASKED), "{shown:?}");
    let typed = folder.aide(["decide", "result", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&typed.stdout).unwrap()["status"], "cancelled");

    let running = folder.submit(&minimal());
    assert_eq!(running.answer(&minimal_answers()).status, 200);
    running.finish().succeeded(DECIDED);
    folder.aide(["decide", "cancel"]).failed_with(1, "✗ 用户已完成决策\n");
    folder.result().succeeded(RESULT);
}

#[test]
fn every_state_has_its_word() {
    let status = |folder: &Folder| {
        let finished = folder.aide(["decide", "result", "--json"]);
        let told: Value = serde_json::from_str(&finished.stdout).unwrap();
        (finished.code.unwrap(), told["status"].as_str().unwrap().to_owned())
    };
    let folder = Folder::project();
    assert_eq!(status(&folder), (1, "none".to_owned()));
    let running = folder.submit(&minimal());
    assert_eq!(status(&folder), (1, "pending".to_owned()));
    running.kill();
    assert_eq!(status(&folder), (1, "unserved".to_owned()));
    let running = folder.submit(&minimal());
    assert_eq!(running.answer(&minimal_answers()).status, 200);
    running.finish().succeeded(DECIDED);
    assert_eq!(status(&folder), (0, "answered".to_owned()));
    folder.submit(&full()).kill();
    assert_eq!(status(&folder), (1, "expired".to_owned()));
}

#[test]
fn a_page_of_the_list_names_the_next_one() {
    let folder = Folder::project();
    let ended = "2025-01-15T10:31:00+08:00";
    let input = json!({ "task": "t", "source": "s", "items": [] });
    let record = json!({ "input": input, "cancelled": true, "completed_at": ended }).to_string();
    for second in 0..51 {
        folder.write(&format!(".aide/decisions/2025-01-15T10-30-{second:02}.json"), &record);
    }
    let listed = |arguments: &[&str]| {
        let listed = folder.aide(["decide", "list"].iter().chain(arguments));
        assert_eq!(listed.code, Some(0), "{}", listed.stderr);
        (listed.stdout.lines().count(), listed.stderr)
    };
    assert_eq!(listed(&["--page=1"]), (50, "→ 更早的待定项: aide decide list --page 2\n".to_owned()));
    let english = listed(&["--page=1", "--lang=en"]);
    assert_eq!(english, (50, "→ earlier questions: aide decide list --page 2\n".to_owned()));
    assert_eq!(listed(&["--page=2"]), (1, String::new()));
    assert_eq!(listed(&["--page=1", "--json"]), (1, String::new()));
    assert_eq!(listed(&[]), (51, String::new()));
}

#[test]
fn list_and_show_tell_what_was_asked_and_answered() {
    let folder = Folder::project();
    folder.aide(["decide", "list"]).succeeded("→ 还没有待定项\n");
    folder.aide(["decide", "list", "--json"]).succeeded("[]\n");
    folder.aide(["decide", "list", "--page", "1"]).succeeded("→ 还没有待定项\n");
    folder.aide(["decide", "list", "--page", "2"]).succeeded("→ 这一页没有待定项\n");
    for page in ["0", "-1", "x", "4294967296"] {
        assert_eq!(folder.aide(["decide", "list", &format!("--page={page}")]).code, Some(2), "{page}");
    }
    folder.aide(["decide", "show"]).failed_with(1, "✗ 未找到待定项数据");

    let running = folder.submit(&full());
    let first = folder.session();
    assert_eq!(running.answer(&full_answers()).status, 200);
    running.finish().succeeded(DECIDED);
    let completed = folder.record()["completed_at"].as_str().unwrap().to_owned();
    let running = folder.submit(&minimal());
    let second = folder.session();

    folder.aide(["decide", "list"]).succeeded(&format!(
        "{second}  待决策  测试任务（1 项）\n{first}  已决策  实现用户认证模块（2 项，{completed}）\n"
    ));
    let listed: Value = serde_json::from_str(&folder.aide(["decide", "list", "--json"]).stdout).unwrap();
    assert_eq!(
        listed,
        json!([
            {"session_id": second, "status": "pending", "task": "测试任务", "items": 1},
            {"session_id": first, "status": "answered", "task": "实现用户认证模块", "items": 2, "completed_at": completed},
        ])
    );
    folder
        .aide(["decide", "show"])
        .succeeded(&format!("{second}  待决策  测试任务（1 项）\n  1. 测试问题: 选项A / 选项B\n"));
    folder.aide(["decide", "show", &first]).succeeded(&format!(
        "{first}  已决策  实现用户认证模块（2 项，{completed}）\n\
         \x20 1. 认证方式选择 → JWT（采纳推荐，接口，{completed}）\n\
         \x20 2. 密码加密算法 → bcrypt（采纳推荐，接口，{completed}）\n\
         \x20    备注: 团队更熟悉 bcrypt\n"
    ));
    let shown: Value =
        serde_json::from_str(&folder.aide(["decide", "show", "--json", &first]).stdout).unwrap();
    let file = fs::read(folder.decision(&format!("{first}.json"))).unwrap();
    assert_eq!(shown, serde_json::from_slice::<Value>(&file).unwrap());
    for unknown in ["2020-01-01T00-00-00", "../../etc/passwd", ""] {
        folder.aide(["decide", "show", unknown]).failed_with(1, "✗ 没有此会话: ");
    }
    running.kill();
}

#[test]
fn show_tells_what_the_files_were() {
    let folder = Folder::project();
    folder.write("a.md", "abc");
    let mut input = minimal();
    input["items"][0]["location"] = json!({"file": "a.md", "start": 1, "end": 1});
    let running = folder.submit(&input);
    let shown: Value = serde_json::from_str(&folder.aide(["decide", "show", "--json"]).stdout).unwrap();
    let hash = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(shown["_meta"]["sources"], json!({"a.md": hash}));
    running.kill();
}

/// Another one's broken file is no reason to hide the rest.
#[test]
fn a_broken_record_is_listed_as_such() {
    let folder = Folder::project();
    folder.write(".aide/decisions/2020-01-01T00-00-00.json", "{");
    folder.write(".aide/decisions/2020-01-02T00-00-00.json/x", "a folder");
    std::os::unix::fs::symlink("/etc/passwd", folder.decision("2020-01-03T00-00-00.json")).unwrap();
    folder.aide(["decide", "list"]).succeeded(
        "2020-01-03T00-00-00  无法读取\n2020-01-02T00-00-00  无法读取\n2020-01-01T00-00-00  无法读取\n",
    );
    folder.aide(["decide", "show", "2020-01-01T00-00-00"]).failed_with(1, "✗ ");
}

/// A server that is stopped neither serves nor makes room.
#[test]
fn a_server_that_does_not_end_is_named() {
    let folder = Folder::project();
    let stopped = folder.submit(&minimal());
    stopped.signal(Signal::STOP);
    let replaced = folder.session();
    let finished = folder.aide(["decide", "submit", "--port", "0", &full().to_string()]);
    finished.failed(
        1,
        &format!(
            "⚠ 取代了尚未回答的待定项: {replaced}（测试任务）\n  建议: 等待它们的程序会得知此事；执行 aide decide show {replaced} 查看\n✗ 无法启动服务: 此项目原有的服务 {}（进程 {}）没有退出\n  建议: 结束该进程后重新执行\n",
            stopped.url,
            stopped.pid()
        ),
    );
    stopped.signal(Signal::CONT);
    stopped.finish().failed_with(1, REPLACED);
}

#[test]
fn many_at_once_have_one_server() {
    let folder = Folder::project();
    let _background = BackgroundGuard(&folder);
    let input = minimal().to_string();
    let children: Vec<_> = (0..8)
        .map(|_| begin(&folder, &["decide", "submit", "--detach", "--json", "--port", "0", &input]))
        .collect();
    let told: Vec<Value> = children
        .into_iter()
        .map(|child| {
            let finished = end(child);
            assert_eq!(finished.code, Some(0), "{finished:?}");
            serde_json::from_str(&finished.stdout).unwrap()
        })
        .collect();
    assert!(told.iter().all(|other| *other == told[0]), "{told:?}");
}

#[test]
fn the_time_that_is_up_decides_nothing() {
    let folder = Folder::project();
    let mut command = folder.command(["decide", "submit", "--port", "0", "--timeout", "1"]);
    command.arg(minimal().to_string());
    RunningServer::start(command).finish().failed_and_kept(1, TIMED_OUT);
    assert_eq!(folder.aide(["decide", "list"]).stdout.matches("待决策").count(), 1);
}

#[test]
fn decisions_are_written_down_once() {
    let folder = Folder::project();
    folder.aide(["decide", "export"]).failed_with(1, "✗ 未找到待定项数据");
    let running = folder.submit(&full());
    let session = folder.session();
    folder
        .aide(["decide", "export"])
        .failed_with(1, &format!("✗ {session} 没有决策可导出\n  建议: 其中的待定项尚未回答"));
    folder
        .aide(["decide", "export", "2020-01-15T10-30-00"])
        .failed_with(1, "✗ 没有此会话: 2020-01-15T10-30-00");
    assert_eq!(running.answer(&full_answers()).status, 200);
    running.finish().succeeded(DECIDED);

    let document = folder.aide(["decide", "export"]);
    assert_eq!((document.code, &*document.stderr), (Some(0), ""));
    assert!(
        document.stdout.starts_with("# 实现用户认证模块\n\n- 来源: task-now.md\n"),
        "{}",
        document.stdout
    );
    assert!(
        document.stdout.contains("- JWT (**已选**, 推荐, 评分 85)\n  - \\+ 无状态\n"),
        "{}",
        document.stdout
    );
    assert!(document.stdout.ends_with("备注:\n\n> 团队更熟悉 bcrypt\n"), "{}", document.stdout);

    // Beside what is there, from a subfolder of the project, and only once.
    folder.write("docs/decisions/0007-older.md", "# Older\n");
    folder.write("sub/x", "");
    let root = folder.path().canonicalize().unwrap();
    let file = |name: &str| root.join("docs/decisions").join(name).display().to_string();
    let (first, second) = (file("0008-认证方式选择.md"), file("0009-密码加密算法.md"));
    let export = || {
        let mut command = folder.command(["decide", "export", "--format", "adr", &session]);
        CommandOutput::new(command.current_dir(folder.join("sub")).output().unwrap())
    };
    export().succeeded(&format!("✓ 已写入 {first}\n✓ 已写入 {second}\n"));
    let written = fs::read_to_string(&first).unwrap();
    assert!(written.contains("Chosen option: \"JWT\". It was recommended.\n"), "{written}");
    fs::write(&first, written.replace("accepted", "superseded")).unwrap();
    let before = folder.tree();
    export().succeeded(&format!("→ 此前已导出: {first}\n→ 此前已导出: {second}\n"));
    assert_eq!(folder.tree(), before);

    let elsewhere = folder.aide(["decide", "export", "--format", "adr", "--dir", "adr"]);
    elsewhere.succeeded("✓ 已写入 adr/0001-认证方式选择.md\n✓ 已写入 adr/0002-密码加密算法.md\n");
    folder
        .aide(["decide", "export", "--format", "pdf"])
        .failed_with(2, "✗ 参数 --format 的值无效: \"pdf\"，必须为 md 或 adr");
    folder.write("file", "");
    folder
        .aide(["decide", "export", "--format", "adr", "--dir", "file/x"])
        .failed_with(1, "✗ 读写失败: file/x: ");
}

#[test]
fn the_page_is_opened_where_somebody_sees_it() {
    let folder = Folder::project();
    let _background = BackgroundGuard(&folder);
    folder.aide(["decide", "open"]).failed_with(1, "✗ 未找到待定项数据");
    detach(&folder);
    let url = format!("http://localhost:{}", port(&folder));
    let link = format!("→ 请访问: {url}\n");
    let open = |variables: &[(&str, &str)]| {
        let mut command = folder.command(["decide", "open"]);
        CommandOutput::new(command.envs(variables.iter().copied()).output().unwrap())
    };
    // The first that cannot be started, and the one that fails, are passed over.
    folder.write("show", "#!/bin/sh\necho \"$@\" > shown\n");
    let show = folder.join("show");
    fs::set_permissions(&show, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let show = show.display();
    let wish = format!("no-such-browser:/bin/false:{show} --at %s now");
    open(&[("BROWSER", &wish)]).succeeded(&format!("{link}→ 已启动 {show}\n"));
    assert_eq!(fs::read_to_string(folder.join("shown")).unwrap(), format!("--at {url} now\n"));

    let nobody = open(&[]);
    assert_eq!((nobody.code, &*nobody.stdout), (Some(1), &*link));
    assert_eq!(nobody.stderr, "⚠ 这里没有可用的浏览器，请自行打开上面的链接\n");
    let afar = open(&[("SSH_CONNECTION", "10.0.0.9 50000 10.0.0.5 22"), ("USER", "ann")]);
    let port = port(&folder);
    afar.succeeded(&format!(
        "{link}→ 请在您自己的电脑上执行 ssh -L {port}:localhost:{port} ann@10.0.0.5，再打开上面的链接\n"
    ));

    // Its SSH listens elsewhere.
    let afar = open(&[("SSH_CONNECTION", "10.0.0.9 50000 10.0.0.5 2222"), ("USER", "ann")]);
    afar.succeeded(&format!(
        "{link}→ 请在您自己的电脑上执行 ssh -L {port}:localhost:{port} -p 2222 ann@10.0.0.5，再打开上面的链接\n"
    ));

    assert_eq!(post_json(port, "/api/submit", &minimal_answers().to_string()).status, 200);
    open(&[]).failed(1, "✗ 没有等待决策的待定项\n  建议: 执行 aide decide result 查看\n");
}

/// The user who configures a link ensures that it leads here.
#[test]
fn a_configured_link_needs_no_forwarding() {
    let folder = Folder::project();
    let running = folder.submit_with(&minimal(), &["--url", "https://aide.example/"]);
    let mut command = folder.command(["decide", "open"]);
    command.env("SSH_CONNECTION", "10.0.0.9 50000 10.0.0.5 22");
    CommandOutput::new(command.output().unwrap()).succeeded("→ 请访问: https://aide.example/\n");
    running.kill();
}

/// A start that fails tells its own caller, and leaves alone what the server that runs has to say.
#[test]
fn the_log_belongs_to_who_serves() {
    let folder = Folder::project();
    let log = folder.decision("server.log");
    fs::write(&log, "of the server that runs\n").unwrap();
    // Beyond it, there is no port to try.
    let _taken = TcpListener::bind(("127.0.0.1", u16::MAX)).unwrap();
    let start =
        |port: &str| folder.aide(["decide", "submit", "--detach", "--port", port, &minimal().to_string()]);
    start("65535").failed_with(1, "✗ 无法启动服务: 端口 65535 已被占用\n");
    assert_eq!(fs::read_to_string(&log).unwrap(), "of the server that runs\n");

    let _background = BackgroundGuard(&folder);
    assert_eq!(start("0").code, Some(0));
    assert_eq!(fs::read_to_string(&log).unwrap(), "");
    let server = Pid::from_raw(i32::try_from(pid(&folder)).unwrap()).unwrap();
    kill_process(server, Signal::TERM).unwrap();
    until("its farewell", || fs::read_to_string(&log).unwrap().starts_with("⚠ 服务已中断\n"));
}

/// A client that gets a session gets its own.
#[test]
fn two_who_ask_different_things_at_once_do_not_get_each_others_answer() {
    let folder = Folder::project();
    let _background = BackgroundGuard(&folder);
    for _ in 0..4 {
        let submit = |input: &Value| {
            begin(&folder, &["decide", "submit", "--detach", "--json", "--port", "0", &input.to_string()])
        };
        let both = [(submit(&minimal()), "测试任务"), (submit(&full()), "实现用户认证模块")];
        for (child, task) in both {
            let finished = end(child);
            if finished.code == Some(0) {
                let told: Value = serde_json::from_str(&finished.stdout).unwrap();
                if told["session_id"] == folder.session() {
                    assert_eq!(folder.pending()["task"], task);
                }
            } else {
                assert_eq!((finished.code, &*finished.stdout), (Some(1), ""), "{}", finished.stderr);
                assert!(finished.stderr.contains(REPLACED), "{}", finished.stderr);
            }
        }
        let result = folder.aide(["decide", "result", "--json"]);
        assert!(result.stdout.starts_with("{\"status\":\"pending\""), "{result:?}");
    }
}

#[test]
fn the_page_of_other_questions_is_nobodys_to_wait_for() {
    let folder = Folder::project();
    let stopped = folder.submit(&minimal());
    stopped.signal(Signal::STOP);
    folder
        .aide(["decide", "submit", "--detach", "--port", "0", &full().to_string()])
        .failed_with(1, "⚠ 取代了尚未回答的待定项: ");
    let waited = folder.aide(["decide", "wait", "--timeout", "60", "--json"]).about_the_newest();
    assert_eq!((waited.code, &*waited.stdout), (Some(1), ""));
    assert!(waited.stderr.starts_with("✗ 无法启动服务: 此项目原有的服务 "), "{}", waited.stderr);
    stopped.signal(Signal::CONT);
    stopped.finish().failed_with(1, REPLACED);
}

/// However it ended, the process that brings it back finds port, address, link and language again.
#[test]
fn a_server_comes_back_as_it_was() {
    for signal in [Signal::TERM, Signal::INT, Signal::KILL] {
        let folder = Folder::project();
        let _background = BackgroundGuard(&folder);
        let further = ["--lang", "en", "--bind", "::1", "--url", "http://127.0.0.1:8080/"];
        // Where it may be noted that this link was the user's own wish.
        let state = folder.join("state");
        let input = minimal().to_string();
        let mut command =
            folder.command(["decide", "submit", &input, "--port", "0"].iter().copied().chain(further));
        command.env("XDG_STATE_HOME", &state);
        let running = RunningServer::start(command);
        let before = server(&folder).unwrap();
        running.signal(signal);
        let _ = running.finish();
        let mut command = folder.command(["decide", "wait", "--timeout", "1", "--lang", "en"]);
        let waited = CommandOutput::new(command.env("XDG_STATE_HOME", &state).output().unwrap());
        assert_eq!(waited.code, Some(75), "{waited:?}");
        let told = "→ No server was running; it has been restarted\n→ Open: http://127.0.0.1:8080/\n";
        assert!(waited.about_the_newest().stderr.starts_with(told));
        let after = server(&folder).unwrap();
        assert_ne!(after["pid"], before["pid"]);
        for same in ["port", "url", "bind", "configured_url", "session_id"] {
            assert_eq!(after[same], before[same], "{signal:?} {same}");
        }
        assert!(get(port(&folder), "/").text().contains("<html lang=\"en\""), "{signal:?}");
    }
}

#[test]
fn who_attends_stops_alone() {
    let folder = Folder::project();
    let _background = BackgroundGuard(&folder);
    detach(&folder);
    let attending = folder.submit_with(&minimal(), &["--timeout", "1"]);
    let told = attending.finish();
    assert!(told.stderr.starts_with("⚠ 等待时限已到，网页仍由另一个进程提供\n  建议: "), "{told:?}");
    assert!(told.code == Some(1) && told.stderr.contains("aide decide wait "), "{told:?}");
    let attending = folder.submit(&minimal());
    attending.signal(Signal::INT);
    attending.finish().failed(130, "⚠ 已停止等待，网页仍由另一个进程提供\n");
    assert_eq!(get(port(&folder), "/").status, 200);
}

#[test]
fn a_waiting_program_is_told_that_it_waits_in_vain() {
    let folder = Folder::project();
    let _background = BackgroundGuard(&folder);
    detach(&folder);
    let session = folder.session();
    let waiting = begin_waiting(&folder, &["--json"]);
    folder.aide(["decide", "submit", "--detach", "--port", "0", &full().to_string()]);
    let waited = end(waiting);
    let expected = json!({"status": "replaced", "session_id": session});
    assert_eq!((waited.code, waited.stdout), (Some(1), format!("{expected}\n")));
}

#[test]
fn a_server_ends_with_its_folder() {
    let folder = Folder::project();
    let running = folder.submit(&minimal());
    remove_folder(&folder.join(".aide"));
    running.finish().failed(1, &format!("{REPLACED}\n"));
}
