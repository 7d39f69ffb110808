//! Several askers in one project: sets that wait for their turn, deadlines, and what leads from one to the next.

use crate::support::http::{get, head, post_json};
use crate::support::ports::Ports;
use crate::support::running::RunningServer;
use crate::support::terminal::Terminal;
use crate::support::{BackgroundGuard, CommandOutput, Folder, minimal, minimal_answers, server, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

const DECIDED: &str = "✓ 决策已完成\n";
const RESULT: &str = "{\"decisions\":[{\"id\":1,\"chosen\":\"a\"}]}\n";

fn questions(task: &str) -> Value {
    let mut questions = minimal();
    questions["task"] = task.into();
    questions
}

fn queue(folder: &Folder, task: &str) -> RunningServer {
    folder.submit_with(&questions(task), &["--queue"])
}

/// The open sets, in their order: session and task.
fn open(folder: &Folder) -> Vec<(String, String)> {
    let listed: Value = serde_json::from_str(&folder.aide(["decide", "list", "--json"]).stdout).unwrap();
    let is_open = |entry: &&Value| ["pending", "unserved"].contains(&entry["status"].as_str().unwrap());
    let text = |entry: &Value, key: &str| entry[key].as_str().unwrap().to_owned();
    let open = listed.as_array().unwrap().iter().filter(is_open);
    open.map(|entry| (text(entry, "session_id"), text(entry, "task"))).collect()
}

/// The session of a task.
fn session_of(folder: &Folder, task: &str) -> String {
    let open = open(folder);
    open.iter().find(|(_, other)| other == task).unwrap_or_else(|| panic!("{task}: {open:?}")).0.clone()
}

/// A queued asker has its answer, after so many others that were asked before it.
#[track_caller]
fn has_answer(finished: &CommandOutput, before: usize, session: &str) {
    let before = if before > 0 { format!("→ 前面还有 {before} 组待定项\n") } else { String::new() };
    let told = format!("{before}→ 获取结果: aide decide result {session}\n");
    assert_eq!((finished.code, &*finished.stderr), (Some(0), &*told));
    assert!(finished.stdout.ends_with(DECIDED), "{finished:?}");
}

#[test]
fn what_was_only_queued_is_shown() {
    let folder = Folder::project();
    folder.aide(["decide", "show"]).failed_with(1, "✗ 未找到待定项数据\n");
    let first = queue(&folder, "first");
    let second = queue(&folder, "second");
    let session = session_of(&folder, "first");
    let shown = folder.aide(["decide", "show"]).stdout;
    assert!(shown.starts_with(&format!("{session}  待决策  first（1 项）\n")), "{shown}");
    for waiting in [first, second] {
        waiting.kill();
    }
}

#[test]
fn without_a_name_the_only_set_is_meant_and_of_several_one_is_to_be_named() {
    let folder = Folder::project();
    let first = queue(&folder, "first");
    let one = session_of(&folder, "first");
    folder.aide(["decide", "result"]).failed_with(1, &format!("→ 会话 {one}: first\n"));
    let second = queue(&folder, "second");
    let two = session_of(&folder, "second");
    for command in ["cancel", "result", "wait"] {
        folder.aide(["decide", command]).failed(
            1,
            &format!(
                "✗ 有 2 组待定项，未指明回答哪一组\n  建议: 请在命令之后指明其中一个会话\n  {one}: first\n  {two}: second\n"
            ),
        );
    }
    folder.aide(["decide", "cancel", &two]).succeeded("✓ 待定项已取消\n");
    folder.aide(["decide", "cancel"]).succeeded("✓ 待定项已取消\n");
    // How the questions of others have ended is found by their name alone, which is said.
    for command in ["result", "wait", "export"] {
        folder.aide(["decide", command]).failed(
            1,
            &format!(
                "✗ 未找到待定项数据\n  建议: 指明会话: aide decide {command} {two} 或 aide decide {command} {one}\n"
            ),
        );
    }
    folder.aide(["--lang", "en", "decide", "result"]).failed(
        1,
        &format!("✗ no questions are open\n  hint: name the set: aide decide result {two} or aide decide result {one}\n"),
    );
    let told: Value = serde_json::from_str(&folder.aide(["decide", "result", "--json"]).stdout).unwrap();
    assert_eq!(told["status"], "none");
    for arguments in [&["cancel"][..], &["answer"], &["open"], &["open", "--qr"]] {
        folder
            .aide(["decide"].iter().chain(arguments))
            .failed(1, "✗ 没有等待决策的待定项\n  建议: 执行 aide decide list 查看全部会话\n");
    }
    for waiting in [first, second] {
        assert_eq!(waiting.finish().code, Some(1));
    }
}

/// An asker in the slot learns of others that the page shows before, too.
#[test]
fn what_comes_before_is_told_to_every_asker() {
    let folder = Folder::project_on_any_port();
    let first = queue(&folder, "first");
    let second = questions("second").to_string();
    let told = folder.aide(["decide", "submit", "--detach", &second]);
    assert_eq!((told.code, &*told.stderr), (Some(0), "→ 前面还有 1 组待定项\n"), "{told:?}");
    first.kill();
}

/// The list of sets is that of the moment: it changes with what is open, and takes numbers alone.
#[test]
fn the_list_of_sets_follows_what_is_open() {
    let folder = Folder::project();
    let (first, second) = (queue(&folder, "first"), queue(&folder, "second"));
    let two = session_of(&folder, "second");
    let mut terminal = Terminal::start(&folder, &["decide", "answer"], &[("TERM", "xterm-256color")]);
    terminal.until("2. second");
    terminal.press("\u{1b}[B\n");
    terminal.until("⚠ 请输入 1 至 2 的编号，或输入 q 离开");
    folder.aide(["decide", "cancel", &two]).succeeded("✓ 待定项已取消\n");
    terminal.until("→ 等待决策的待定项已有变化:\n  1. first");
    terminal.press("1\n");
    terminal.until("第 1 项，共 1 项");
    terminal.press("\u{3}");
    assert_eq!(terminal.finish().0, Some(130));
    first.kill();
    second.finish();
}

/// The kernel tells the first process of a session alone that its terminal is gone.
#[test]
fn a_set_that_was_chosen_from_the_list_is_left_when_the_terminal_is_closed() {
    let folder = Folder::project();
    let (first, second) = (queue(&folder, "first"), queue(&folder, "second"));
    let mut terminal = Terminal::start(&folder, &["decide", "answer"], &[("TERM", "xterm-256color")]);
    terminal.until("2. second");
    terminal.press("1\n");
    terminal.until("第 1 项，共 1 项");
    terminal.signal(Signal::HUP);
    assert_eq!(terminal.finish().0, Some(129));
    first.kill();
    second.kill();
}

#[test]
fn each_asker_gets_its_own_answer_from_one_page() {
    let folder = Folder::project();
    let first = folder.submit(&questions("first"));
    let second = queue(&folder, "second");
    let third = queue(&folder, "third");
    assert_eq!((second.port, third.port), (first.port, first.port));
    let tasks: Vec<_> = open(&folder).into_iter().map(|(_, task)| task).collect();
    assert_eq!(tasks, ["first", "second", "third"]);
    let inbox = get(first.port, "/").text().to_owned();
    assert!(inbox.contains("3 组待定项</h1>"), "{inbox}");
    // Each waits for its own, and `result` stays with the slot.
    folder.result().failed_with(1, "✗ 尚无决策结果\n");
    let third_session = session_of(&folder, "third");
    let path = format!("/d/{third_session}/api/submit");
    assert_eq!(post_json(first.port, &path, &minimal_answers().to_string()).status, 200);
    has_answer(&third.finish(), 2, &third_session);
    folder.aide(["decide", "result", &third_session]).succeeded(RESULT);
    folder.result().failed_with(1, "✗ 尚无决策结果\n");
    // Plain questions take the place of plain ones only.
    let (port, former) = (first.port, folder.session());
    let next = folder.submit_with(&questions("next"), &["--port", &port.to_string()]);
    assert!(first.finish().stderr.starts_with("⚠ 待定项已被新的提交取代"));
    let tasks: Vec<_> = open(&folder).into_iter().map(|(_, task)| task).collect();
    assert_eq!(tasks, ["second", "next"]);
    folder.aide(["decide", "result", &former]).failed_with(1, "✗ 待定项已被新的提交取代");
    assert_eq!(next.answer(&minimal_answers()).status, 200);
    let next = next.finish();
    assert_eq!((next.code, &*next.stdout), (Some(0), DECIDED), "{next:?}");
    // The remaining client finds a server, and so does the page.
    let second_session = session_of(&folder, "second");
    let _background = BackgroundGuard(&folder);
    until("another server", || TcpStream::connect(("127.0.0.1", port)).is_ok());
    let path = format!("/d/{second_session}/api/submit");
    assert_eq!(post_json(port, &path, &minimal_answers().to_string()).status, 200);
    has_answer(&second.finish(), 1, &second_session);
    assert!(open(&folder).is_empty());
    until("no server is left", || server(&folder).is_none());
}

#[test]
fn answers_that_name_none_of_several_sets_are_refused() {
    let folder = Folder::project();
    let (first, second) = (folder.submit(&questions("first")), queue(&folder, "second"));
    let open = open(&folder);
    let listed = format!("  {}: first\n  {}: second\n", open[0].0, open[1].0);
    folder.write("a.txt", "a");
    for arguments in [&["--lang", "en"][..], &["--lang", "en", "--provide", "a.txt"]] {
        let refused = folder.answer_with(arguments, "1\n\ny\n");
        let told = "✗ 2 sets of questions are open, and no session is given\n  hint: name one: aide decide answer SESSION\n";
        refused.failed(1, &format!("{told}{listed}"));
    }
    folder.result().failed_with(1, "✗ 尚无决策结果\n");
    for (asked, (session, _)) in [first, second].into_iter().zip(&open) {
        assert_eq!(folder.answer_with(&[session], "1\n\ny\n").code, Some(0));
        assert_eq!(asked.finish().code, Some(0));
    }
}

#[test]
fn questions_that_come_as_a_server_ends_are_served_all_the_same() {
    let folder = Folder::project();
    let _background = BackgroundGuard(&folder);
    let ask = |task: &str, more: &[&str]| {
        let input = questions(task).to_string();
        let arguments = ["decide", "submit", "--detach", "--json", "--port", "0", &input];
        let told = folder.aide(arguments.iter().chain(more));
        assert_eq!(told.code, Some(0), "{told:?}");
        serde_json::from_str::<Value>(&told.stdout).unwrap()["session_id"].as_str().unwrap().to_owned()
    };
    let mut first = ask("first", &[]);
    for round in 0..10 {
        let second = ask(&format!("task {round}"), &["--queue"]);
        // The server has not looked since.
        assert_eq!(folder.aide(["decide", "cancel", &first]).code, Some(0));
        until("a server that ends with the second", || {
            server(&folder).is_some_and(|server| server["session_id"] == *second)
        });
        let port = u16::try_from(server(&folder).unwrap()["port"].as_u64().unwrap()).unwrap();
        until("its page", || {
            try_get(port, &format!("/d/{second}")).is_some_and(|page| page.contains(&format!("task {round}")))
        });
        first = second;
    }
}

#[test]
fn of_sixty_four_askers_each_gets_its_answer_in_order_and_none_gets_two() {
    const ASKERS: usize = 64;
    let folder = Folder::project();
    // No other process gets the port while one server makes room for the next.
    let mut ports = Ports::hold();
    ports.release(0);
    let port = ports.first;
    let ask = |number: usize| {
        let input = questions(&format!("task {number}")).to_string();
        let mut command =
            folder.command(["decide", "submit", "--queue", "--port", &port.to_string(), &input]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let askers: Vec<Child> = (0..ASKERS).map(ask).collect();
    until("all are open", || open(&folder).len() == ASKERS);
    until("a server", || server(&folder).is_some());
    let waiting = open(&folder);
    assert_eq!(server(&folder).unwrap()["port"], port);
    let _background = BackgroundGuard(&folder);
    // The inbox names the first; each answer leads to the next.
    let mut path = next_path(get(port, "/").text()).unwrap();
    let mut answered = Vec::new();
    loop {
        let session = path.trim_start_matches("/d/").to_owned();
        // The server of the questions before may be about to make room for the next.
        let mut page = String::new();
        until("the next page", || {
            page = try_get(port, &path).unwrap_or_default();
            page.contains(&format!("value=\"{session}\""))
        });
        let note = format!("note-1=answer+{}", answered.len());
        let fields = format!("session={session}&item-1=0&{note}");
        let mut farewell = String::new();
        until("the answer is taken", || {
            farewell = try_post_form(port, &fields).unwrap_or_default();
            !farewell.is_empty()
        });
        assert!(farewell.contains("决策已提交"), "{farewell}");
        answered.push(session);
        match next_path(&farewell) {
            Some(next) => path = next,
            None => break,
        }
    }
    let asked: Vec<_> = waiting.iter().map(|(session, _)| session.clone()).collect();
    assert_eq!(answered, asked);
    for (number, asker) in askers.into_iter().enumerate() {
        let finished = CommandOutput::new(asker.wait_with_output().unwrap());
        let place = waiting.iter().position(|(_, task)| *task == format!("task {number}")).unwrap();
        has_answer(&finished, place, &waiting[place].0);
        let answer = json!({"decisions": [{"id": 1, "chosen": "a", "note": format!("answer {place}")}]});
        folder.aide(["decide", "result", &waiting[place].0]).succeeded(&format!("{answer}\n"));
    }
    until("no server is left", || server(&folder).is_none());
}

#[test]
fn whoever_takes_over_keeps_the_address_however_many_want_to() {
    let folder = Folder::project();
    let mut ports = Ports::hold();
    ports.release(0);
    let port = ports.first;
    let queue = |number: usize| {
        let input = questions(&format!("task {number}"));
        folder.submit_with(&input, &["--queue", "--port", &port.to_string()])
    };
    // So many that two of them look at the same moment, again and again.
    let mut askers: Vec<_> = (0..64).map(queue).collect();
    while askers.len() > 1 {
        // It is known before its page answers, and found by its lock as long as it runs.
        until("a server", || {
            server(&folder).is_some_and(|server| askers.iter().any(|asker| server["pid"] == asker.pid()))
        });
        let serving = server(&folder).unwrap();
        assert_eq!(serving["port"], port, "{} askers", askers.len());
        let position = askers.iter().position(|asker| serving["pid"] == asker.pid()).unwrap();
        askers.remove(position).kill();
    }
}

/// The first address of a set in a page.
fn next_path(page: &str) -> Option<String> {
    let start = page.find("href=\"/d/")? + "href=\"".len();
    let path = page[start..].split(['?', '"']).next()?;
    Some(path.to_owned())
}

fn try_get(port: u16, path: &str) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.write_all(head("GET", path, port, "Connection: close\r\n").as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

/// `None` where no server took it.
fn try_post_form(port: u16, fields: &str) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    let headers = format!(
        "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\nConnection: close\r\n",
        fields.len()
    );
    stream.write_all((head("POST", "/submit", port, &headers) + fields).as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    (!answer.is_empty()).then_some(answer)
}

#[test]
fn the_same_questions_are_one_set_and_a_killed_asker_finds_it_again() {
    let folder = Folder::project();
    let first = queue(&folder, "same");
    let again = queue(&folder, "same");
    assert_eq!(open(&folder).len(), 1);
    let session = session_of(&folder, "same");
    let port = first.port;
    first.kill();
    // The other one serves them now, at the same address.
    until("another server", || server(&folder).is_some_and(|server| server["pid"] == again.pid()));
    until("its port", || TcpStream::connect(("127.0.0.1", port)).is_ok());
    again.kill();
    let listed = folder.aide(["decide", "list"]);
    assert_eq!(listed.stdout, format!("{session}  待决策（没有服务在运行）  same（1 项）\n"));
    assert!(listed.stderr.contains(&format!("aide decide wait {session}")), "{listed:?}");
    let mut command = folder.command(["decide", "wait", &session]);
    let waiting = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let _background = BackgroundGuard(&folder);
    until("it is back", || try_get(port, "/").is_some_and(|page| page.contains(&session)));
    assert_eq!(
        post_json(port, &format!("/d/{session}/api/submit"), &minimal_answers().to_string()).status,
        200
    );
    let finished = CommandOutput::new(waiting.wait_with_output().unwrap());
    assert_eq!((finished.code, &*finished.stdout), (Some(0), RESULT), "{finished:?}");
    // Nothing was ever in the slot.
    assert!(!folder.decision("pending.json").exists());
    folder.aide(["decide", "result"]).failed_with(1, "✗ ");
}

#[test]
fn every_command_knows_every_set() {
    let folder = Folder::project();
    let _background = BackgroundGuard(&folder);
    let detach = |task: &str, further: &[&str]| {
        let input = questions(task).to_string();
        let arguments = ["decide", "submit", "--detach", "--json", "--port", "0", &input];
        let finished = folder.aide([&arguments, further].concat());
        assert_eq!(finished.code, Some(0), "{finished:?}");
        serde_json::from_str::<Value>(&finished.stdout).unwrap()["session_id"].as_str().unwrap().to_owned()
    };
    let slot = detach("slot", &[]);
    let one = detach("one", &["--queue"]);
    let two = detach("two", &["--queue", "--deadline", "1w"]);
    let shown = folder.aide(["decide", "show", &one]);
    assert!(shown.code == Some(0) && shown.stdout.contains("one"), "{shown:?}");
    let shown = folder.aide(["decide", "show", "--json", &two]);
    let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!(shown["task"], "two", "{shown}");
    assert_eq!(folder.aide(["decide", "result", "--json", &one]).code, Some(1));
    let link = folder.aide(["decide", "open", "--link"]);
    assert!(link.code == Some(0) && link.stdout.starts_with("→ 请访问: http://localhost:"), "{link:?}");
    // In the terminal, what is left is named.
    let answered = folder.answer_with(&[&slot], "1\n\ny\n");
    assert_eq!(answered.code, Some(0), "{answered:?}");
    let left = format!("→ 还有 2 组待定项等待决策: aide decide answer {one}\n");
    assert!(answered.stderr.ends_with(&left), "{answered:?}");
    folder.aide(["decide", "result", &slot]).succeeded(RESULT);
    let answered = folder.answer_with(&[&one], "1\n\ny\n");
    assert_eq!(answered.code, Some(0), "{answered:?}");
    folder.aide(["decide", "result", &one]).succeeded(RESULT);
    let cancelled = folder.aide(["decide", "cancel", &two]);
    cancelled.succeeded("✓ 待定项已取消\n");
    folder.aide(["decide", "cancel", &two]).failed_with(1, "✗ 待定项已取消\n");
    let told = "✗ 待定项已取消\n  建议: 再次提出同样的问题之前，请先询问用户\n";
    folder.aide(["decide", "result", &two]).failed(1, told);
    let exported = folder.aide(["decide", "export", &one]);
    assert!(exported.code == Some(0) && exported.stdout.contains("one"), "{exported:?}");
    let removed = folder.aide(["decide", "clean", "--keep", "0", "--yes", "--json"]);
    let removed: Value = serde_json::from_str(&removed.stdout).unwrap();
    // The newest set stays, and so do the questions that were not queued, which `result` shows.
    assert_eq!(removed["removed"], json!([one]));
}

#[test]
fn a_list_right_after_the_end_of_a_set_says_that_the_next_ones_are_served() {
    let folder = Folder::project();
    let _background = BackgroundGuard(&folder);
    let detach = |task: &str| {
        let input = questions(task).to_string();
        let finished =
            folder.aide(["decide", "submit", "--detach", "--queue", "--json", "--port", "0", &input]);
        serde_json::from_str::<Value>(&finished.stdout).unwrap()["session_id"].as_str().unwrap().to_owned()
    };
    let sets = ["first", "second", "third"].map(detach);
    for ended in &sets[..2] {
        folder.aide(["decide", "cancel", ended]).succeeded("✓ 待定项已取消\n");
        let listed: Value = serde_json::from_str(&folder.aide(["decide", "list", "--json"]).stdout).unwrap();
        let states: Vec<_> = listed.as_array().unwrap().iter().map(|entry| &entry["status"]).collect();
        assert!(states.iter().all(|state| **state != "unserved"), "{listed}");
    }
}

#[test]
fn a_deadline_ends_the_waiting_and_is_no_answer() {
    let folder = Folder::project();
    let running = folder.submit_with(&questions("soon"), &["--deadline", "1s"]);
    let session = folder.session();
    let deadline = folder.pending()["_meta"]["deadline"].as_str().unwrap().to_owned();
    let told = format!("截止时间已过，没有得到回答: {deadline}\n");
    running.finish().failed(1, &format!("⚠ {told}"));
    folder.result().failed_with(1, &format!("✗ {told}"));
    let result = folder.aide(["decide", "result", "--json", &session]);
    let expected = json!({"status": "expired", "session_id": session, "deadline": deadline});
    assert_eq!((result.code, result.stdout), (Some(1), format!("{expected}\n")));
    let record = folder.record();
    assert_eq!((&record["expired_at"], &record["output"]), (&json!(deadline), &Value::Null));
    assert_eq!(record["_meta"]["via"], "clock");
    // No client has to be there to see it.
    let queued = folder.aide([
        "decide",
        "submit",
        "--queue",
        "--detach",
        "--port",
        "0",
        "--deadline",
        "1s",
        &questions("unseen").to_string(),
    ]);
    assert_eq!(queued.code, Some(0), "{queued:?}");
    let _background = BackgroundGuard(&folder);
    let pid = server(&folder).unwrap()["pid"].as_i64().unwrap();
    kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), Signal::KILL).unwrap();
    until("it has expired", || folder.aide(["decide", "list"]).stdout.contains("已过期  unseen"));
    assert!(open(&folder).is_empty());
    for wrong in ["", "0s", "2", "yesterday", "2001-01-15T10:30:00+08:00"] {
        let refused = folder.aide(["decide", "submit", "--deadline", wrong, &minimal().to_string()]);
        assert_eq!(refused.code, Some(2), "{wrong}: {refused:?}");
        assert!(refused.stderr.starts_with("✗ 参数 --deadline 的值无效"), "{refused:?}");
    }
}

/// A person who names no set chooses from those that are open, answers one, and comes back for the next.
#[test]
fn at_a_terminal_one_set_is_answered_after_the_other() {
    let folder = Folder::project();
    let (first, second) = (folder.submit(&questions("first")), queue(&folder, "second"));
    let third = queue(&folder, "third");
    let home = folder.join("home");
    let variables = [("HOME", home.to_str().unwrap()), ("TERM", "dumb")];
    let mut terminal = Terminal::start(&folder, &["--lang", "en", "decide", "answer"], &variables);
    terminal.until("Which set? 1 to 3");
    let screen = terminal.screen();
    assert!(
        screen.contains("  1. first (1 question)\n  2. second (1 question)\n  3. third (1 question)"),
        "{screen}"
    );
    // What is no number of a set is asked again, and says so.
    terminal.press("9\n");
    terminal.until("⚠ there is no set 9: type a number from 1 to 3, or q to leave");
    terminal.press("2\n");
    terminal.until("second");
    terminal.press("1\n\ny\n");
    terminal.until("Which set? 1 to 2");
    assert_eq!(second.finish().code, Some(0));
    terminal.press("\n1\n\ny\n");
    assert_eq!(first.finish().code, Some(0));
    // The last one needs no choice. Leaving it ends the command, with a hint how to go on.
    let (session, _) = &open(&folder)[0];
    terminal.until("third");
    terminal.press("1\n\nn\n");
    let (code, terminal) = terminal.finish();
    assert_eq!(code, Some(1));
    let hint = format!("run aide decide answer {session} to continue");
    assert!(String::from_utf8_lossy(&terminal.written).contains(&hint), "{}", terminal.screen());
    assert_eq!(folder.answer_with(&[session], "1\n\ny\n").code, Some(0));
    assert_eq!(third.finish().code, Some(0));
}

#[test]
fn who_cancels_what_has_ended_is_led_to_what_is_open() {
    let folder = Folder::project();
    let waiting = folder.submit(&questions("first"));
    assert_eq!(folder.answer("1\n\ny\n").code, Some(0));
    assert_eq!(waiting.finish().code, Some(0));
    let queued = queue(&folder, "second");
    let open = session_of(&folder, "second");
    let cancelled = folder.aide(["--lang", "en", "decide", "cancel"]);
    assert_eq!(cancelled.code, Some(1));
    let hint =
        format!("✗ the user has already decided\n  hint: others are open: aide decide cancel {open}\n");
    assert!(cancelled.stderr.ends_with(&hint), "{cancelled:?}");
    folder.aide(["decide", "cancel", &open]).succeeded("✓ 待定项已取消\n");
    assert_eq!(queued.finish().code, Some(1));
}
