//! An answer belongs to the questions it was given to: several who ask in one project.

use crate::support::http::{exchange, get, head, post_json};
use crate::support::terminal::Terminal;
use crate::support::{BackgroundGuard, CommandOutput, Folder, minimal, minimal_answers, until};
use serde_json::{Value, json};
use std::time::Duration;

/// Questions of their own, with one option called `value`.
fn asked(task: &str, value: &str) -> Value {
    json!({
        "task": task,
        "source": "test.md",
        "items": [{
            "id": 1,
            "title": task,
            "options": [{"value": value, "label": value}, {"value": "neither", "label": "neither"}],
        }],
    })
}

/// Asks in the background; the session and all that was said.
fn detach(folder: &Folder, input: &Value) -> (String, CommandOutput) {
    let finished =
        folder.aide(["--lang", "en", "decide", "submit", "--detach", "--port", "0", &input.to_string()]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    (folder.session(), finished)
}

fn port(folder: &Folder) -> u16 {
    folder.file("server.json")["port"].as_u64().unwrap().try_into().unwrap()
}

fn answer(folder: &Folder, value: &str) {
    let port = port(folder);
    let answers = json!({"decisions": [{"id": 1, "chosen": value}]}).to_string();
    assert_eq!(post_json(port, "/api/submit", &answers).status, 200);
    until("the server ends", || !folder.decision("server.json").exists());
}

fn english(folder: &Folder, command: &str) -> CommandOutput {
    folder.aide(["--lang", "en", "decide"].into_iter().chain(command.split(' ')))
}

fn result_of(value: &str) -> String {
    format!("{{\"decisions\":[{{\"id\":1,\"chosen\":\"{value}\"}}]}}\n")
}

#[test]
fn nobody_gets_the_answer_to_the_questions_of_another() {
    let folder = Folder::project();
    let (a, _) = detach(&folder, &asked("Which database?", "postgres"));
    let waiting = crate::support::begin(folder.command(["--lang", "en", "decide", "wait", &a]));
    let (b, told) = detach(&folder, &asked("May I drop tables?", "yes"));
    assert_eq!(
        told.stderr,
        format!(
            "⚠ Replaced unanswered questions: {a} (Which database?)\n  hint: the command that waits for them ends; run aide decide show {a} to see them\n"
        )
    );
    answer(&folder, "yes");

    let replaced = format!(
        "✗ newer questions have replaced these: {b} (May I drop tables?)\n  hint: these were not answered; submit them again once the newer ones have been decided\n"
    );
    let waited = CommandOutput::new(waiting.wait_with_output().unwrap());
    assert_eq!((waited.code, &*waited.stdout), (Some(1), ""));
    assert!(waited.stderr.ends_with(&replaced), "{waited:?}");
    english(&folder, &format!("wait {a}")).failed(1, &replaced);
    english(&folder, &format!("result {a}")).failed(1, &replaced);
    english(&folder, &format!("wait {b}")).succeeded(&result_of("yes"));
    english(&folder, &format!("result {b}")).succeeded(&result_of("yes"));
    // Without a name the newest are meant, which is said.
    for command in ["wait", "result"] {
        let newest = english(&folder, command);
        assert_eq!((newest.code, newest.stdout), (Some(0), result_of("yes")));
        assert_eq!(newest.stderr, format!("→ Session {b}: May I drop tables?\n"));
    }
}

#[test]
fn what_was_replaced_is_not_gone() {
    let folder = Folder::project();
    let (a, _) = detach(&folder, &asked("Which database?", "postgres"));
    let (b, _) = detach(&folder, &asked("May I drop tables?", "yes"));
    let list = english(&folder, "list");
    let at = folder.file(&format!("{a}.json"))["completed_at"].as_str().unwrap().to_owned();
    list.succeeded(&format!(
        "{b}  pending  May I drop tables? (1 question)\n{a}  replaced  Which database? (1 question, {at})\n"
    ));
    let list: Value = serde_json::from_str(&english(&folder, "list --json").stdout).unwrap();
    let entry = json!({"session_id": a, "status": "replaced", "task": "Which database?", "items": 1, "completed_at": at, "replaced_by": b});
    assert_eq!(list[1], entry);
    english(&folder, &format!("show {a}")).succeeded(&format!(
        "{a}  replaced  Which database? (1 question, {at})\n  replaced by {b}\n  1. Which database?: postgres / neither\n"
    ));
    let shown: Value = serde_json::from_str(&english(&folder, &format!("show {a} --json")).stdout).unwrap();
    assert_eq!((&shown["replaced_by"], &shown["input"]["task"]), (&json!(b), &json!("Which database?")));
    for command in ["wait", "result"] {
        let typed = english(&folder, &format!("{command} {a} --json"));
        let expected = json!({"status": "replaced", "session_id": a});
        assert_eq!((typed.code, typed.stdout, &*typed.stderr), (Some(1), format!("{expected}\n"), ""));
    }
    // It was never answered, so there is nothing to export, and a page has it.
    english(&folder, &format!("export {a}")).failed_with(1, "✗ ");
    let port = port(&folder);
    let page = get(port, &format!("/history/{a}?lang=en"));
    assert_eq!(page.status, 200);
    assert!(page.text().contains(&format!("<a href=\"/history/{b}?lang=en\">{b}</a>")), "{}", page.text());
    assert!(get(port, "/history?lang=en").text().contains(&format!("/history/{a}?lang=en")));
    english(&folder, "cancel").succeeded("✓ Questions cancelled\n");
}

#[test]
fn each_of_a_chain_knows_what_came_next() {
    let folder = Folder::project();
    let sessions: Vec<_> =
        ["one", "two", "three"].iter().map(|task| detach(&folder, &asked(task, "yes")).0).collect();
    for (earlier, (later, task)) in sessions.iter().zip([(&sessions[1], "two"), (&sessions[2], "three")]) {
        let told = format!("✗ newer questions have replaced these: {later} ({task})\n");
        english(&folder, &format!("result {earlier}")).failed_with(1, &told);
    }
    answer(&folder, "yes");
    english(&folder, &format!("wait {}", sessions[2])).succeeded(&result_of("yes"));
}

#[test]
fn an_earlier_answer_is_there_while_others_are_open() {
    let folder = Folder::project();
    let (a, _) = detach(&folder, &asked("Which database?", "postgres"));
    answer(&folder, "postgres");
    let (b, told) = detach(&folder, &asked("May I drop tables?", "yes"));
    // What was answered is not replaced.
    assert_eq!(told.stderr, "");
    english(&folder, &format!("wait {a}")).succeeded(&result_of("postgres"));
    english(&folder, &format!("result {a}")).succeeded(&result_of("postgres"));
    // Whatever is wrong with the open ones.
    std::fs::write(folder.decision("pending.json"), "{").unwrap();
    english(&folder, &format!("result {a}")).succeeded(&result_of("postgres"));
    assert_ne!(a, b);
}

#[test]
fn a_session_that_never_was_is_not_waited_for() {
    let folder = Folder::project();
    detach(&folder, &minimal());
    for session in ["2001-01-01T00-00-00", "../x", "x"] {
        for command in ["wait", "result"] {
            let told =
                format!("✗ no such session: {session}\n  hint: run aide decide list to see all sessions\n");
            english(&folder, &format!("{command} {session}")).failed(1, &told);
        }
    }
    english(&folder, "cancel").succeeded("✓ Questions cancelled\n");
}

#[test]
fn a_program_is_told_what_it_has_replaced() {
    let folder = Folder::project();
    let (a, first) = detach(&folder, &asked("Which database?", "postgres"));
    assert!(
        first.stdout.ends_with(&format!("→ Session {a}: run aide decide wait {a} to get the answer\n")),
        "{first:?}"
    );
    let input = asked("May I drop tables?", "yes").to_string();
    let typed = folder.aide(["decide", "submit", "--detach", "--json", "--port", "0", &input]);
    let told: Value = serde_json::from_str(&typed.stdout).unwrap();
    assert_eq!(told["replaced"], json!({"session_id": a, "task": "Which database?"}));
    assert_eq!(told["session_id"], folder.session());
    assert!(
        typed.stderr.starts_with(&format!("⚠ 取代了尚未回答的待定项: {a}（Which database?）\n")),
        "{typed:?}"
    );
    // Asked again, they replace nothing.
    let again = folder.aide(["decide", "submit", "--detach", "--json", "--port", "0", &input]);
    let told: Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!((told.get("replaced"), &*again.stderr), (None, ""));
    english(&folder, "cancel").succeeded("✓ Questions cancelled\n");
}

/// After a kill, the end of a time limit or a restart of the computer.
#[test]
fn questions_that_nobody_serves_are_open_whoever_is_asked() {
    let folder = Folder::project();
    folder.submit(&minimal()).kill();
    let session = folder.session();
    let advice = format!(
        "the questions are still open, but no server is running: run aide decide wait {session} to restart it"
    );
    english(&folder, &format!("result {session}"))
        .failed(1, &format!("✗ no decision yet\n  hint: {advice}\n"));
    for command in ["list".to_owned(), format!("show {session}")] {
        let told = english(&folder, &command);
        assert!(told.stdout.starts_with(&format!("{session}  pending (no server is running)  ")), "{told:?}");
        assert_eq!((told.code, told.stderr), (Some(0), format!("→ {advice}\n")));
    }
    let list: Value = serde_json::from_str(&english(&folder, "list --json").stdout).unwrap();
    let typed: Value = serde_json::from_str(&english(&folder, "result --json").stdout).unwrap();
    assert_eq!((&list[0]["status"], &typed["status"]), (&json!("unserved"), &json!("unserved")));
    // And `wait` does what they advise.
    let waited = english(&folder, &format!("wait {session} --timeout 1"));
    assert_eq!(waited.code, Some(75), "{waited:?}");
    assert!(
        waited.stderr.starts_with("→ No server was running; it has been restarted\n→ Open: "),
        "{waited:?}"
    );
    let list = english(&folder, "list");
    assert!(list.stdout.starts_with(&format!("{session}  pending  ")) && list.stderr.is_empty(), "{list:?}");
    let port = port(&folder);
    assert_eq!(post_json(port, "/api/submit", &minimal_answers().to_string()).status, 200);
    english(&folder, &format!("wait {session}")).succeeded(&result_of("a"));
}

/// Killing the asking process, or letting its time run out, changes nothing.
#[test]
fn the_end_of_a_submit_says_how_to_go_on() {
    let folder = Folder::project();
    let limited = folder.submit_with(&minimal(), &["--timeout", "1", "--lang", "en"]);
    limited.finish().failed_and_kept(1, "⚠ Timed out, the server has been stopped\n");
    let waited = english(&folder, "wait --timeout 1");
    assert_eq!(waited.code, Some(75), "{waited:?}");
    english(&folder, "cancel").succeeded("✓ Questions cancelled\n");
}

/// Whatever the timing, a client that waits for a session gets its own answer, or learns what replaced it.
#[test]
fn many_who_ask_at_once_never_get_each_others_answer() {
    let folder = Folder::project();
    let askers: Vec<_> = (0..6)
        .map(|number| {
            let input = asked(&format!("task {number}"), &format!("value-{number}")).to_string();
            let submit = ["decide", "submit", "--detach", "--json", "--port", "0", &input];
            crate::support::begin(folder.command(submit))
        })
        .collect();
    let mut sessions = Vec::new();
    for (number, asker) in askers.into_iter().enumerate() {
        let finished = CommandOutput::new(asker.wait_with_output().unwrap());
        if finished.code == Some(0) {
            let told: Value = serde_json::from_str(&finished.stdout).unwrap();
            sessions.push((number, told["session_id"].as_str().unwrap().to_owned()));
        } else {
            assert!(finished.stderr.contains("待定项已被新的提交取代"), "{finished:?}");
        }
    }
    let newest = folder.pending()["task"].as_str().unwrap().strip_prefix("task ").unwrap().to_owned();
    let waiting: Vec<_> = sessions
        .iter()
        .map(|(number, session)| {
            (*number, crate::support::begin(folder.command(["decide", "wait", session])))
        })
        .collect();
    answer(&folder, &format!("value-{newest}"));
    for (number, waiting) in waiting {
        let finished = CommandOutput::new(waiting.wait_with_output().unwrap());
        if number.to_string() == newest {
            assert_eq!((finished.code, finished.stdout), (Some(0), result_of(&format!("value-{newest}"))));
        } else {
            assert_eq!((finished.code, &*finished.stdout), (Some(1), ""), "{finished:?}");
            assert!(finished.stderr.contains("✗ 待定项已被新的提交取代: "), "{finished:?}");
        }
    }
}

/// A person sends one question back. What they have answered of the others is filled in when a corrected set is asked.
#[test]
fn a_corrected_set_keeps_the_answers_to_the_other_questions() {
    let item = |id: u64, title: &str| json!({"id": id, "title": title, "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]});
    let input = |second: &str| json!({"task": "Login", "source": "task.md", "items": [item(1, "First?"), item(2, second), item(3, "Third?")]});
    for queue in [&[][..], &["--queue"]] {
        let folder = Folder::project();
        let _background = BackgroundGuard(&folder);
        let ask = |input: &Value| {
            let input = input.to_string();
            let arguments =
                [&["decide", "submit", "--detach", "--json", "--port", "0", &input], queue].concat();
            let told: Value = serde_json::from_str(&folder.aide(arguments).stdout).unwrap();
            let url = told["url"].as_str().unwrap().to_owned();
            let port =
                url.strip_prefix("http://localhost:").unwrap().split('/').next().unwrap().parse().unwrap();
            (told["session_id"].as_str().unwrap().to_owned(), port)
        };
        let (session, port): (String, u16) = ask(&input("Which one?"));
        let body = format!(
            "session={session}&item-1=1&item-2=0&note-3=later&return-message=Which+of+what%3F&return-item=2&action=return"
        );
        let headers = format!(
            "Connection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n",
            body.len()
        );
        let answered =
            exchange(port, &(head("POST", "/submit", port, &headers) + &body), Duration::from_secs(20))
                .unwrap();
        assert_eq!(answered.status, 200, "{}", answered.text());
        until("the server ends", || !folder.decision("server.json").exists());
        let record = folder.file(&format!("{session}.json"));
        assert_eq!(record["returned"]["items"], json!([2]));
        assert_eq!(
            record["_meta"]["filled_in"],
            json!([
                {"id": 1, "options": [1], "via": "form", "at": record["_meta"]["filled_in"][0]["at"]},
                {"id": 3, "note": "later"}
            ])
        );
        // Item 2 is another question now; item 1 is the same, and its answer is there.
        let (corrected, port) = ask(&input("Which database?"));
        let page = get(port, &format!("/d/{corrected}")).text().to_owned();
        assert_eq!(page.matches(" checked").count(), 1, "{page}");
        assert!(page.contains("later</textarea>"), "{page}");
        let answers = json!({"decisions": [{"id": 1, "chosen": "b"}, {"id": 2, "chosen": "a"}, {"id": 3, "chosen": "a"}]});
        let posted = post_json(port, &format!("/d/{corrected}/api/submit"), &answers.to_string());
        assert_eq!(posted.status, 200, "{}", posted.text());
        until("the server ends", || !folder.decision("server.json").exists());
        // What is answered does not come back.
        let (_, port) = ask(&input("Which cache?"));
        let page = get(port, "/").text().to_owned();
        assert!(page.contains("Which cache?"), "{page}");
    }
}

/// At a terminal the user decides what becomes of questions that are still open; a program's are replaced, as documented.
#[test]
fn at_a_terminal_open_questions_are_not_replaced_unasked() {
    let folder = Folder::project();
    let _background = BackgroundGuard(&folder);
    let (open, _) = detach(&folder, &asked("Which database?", "postgres"));
    let input = asked("May I drop tables?", "yes").to_string();
    let run = |key: &str| {
        let home = folder.join("home");
        let variables = [("HOME", home.to_str().unwrap()), ("TERM", "dumb")];
        let arguments = ["--lang", "en", "decide", "submit", "--detach", "--port", "0", &input];
        let mut terminal = Terminal::start(&folder, &arguments, &variables);
        terminal.until("q: leave");
        assert!(terminal.screen().contains(&format!("Questions are still open: {open}")));
        terminal.press(key);
        terminal.finish().0
    };
    let sessions = || {
        let list: Vec<Value> =
            serde_json::from_str(&folder.aide(["decide", "list", "--json"]).stdout).unwrap();
        let state = |entry: &Value| (entry["task"].as_str().unwrap().to_owned(), entry["status"].clone());
        list.iter().map(state).collect::<Vec<_>>()
    };
    let entry = |task: &str, state: &str| (task.to_owned(), json!(state));
    assert_eq!(run("q\n"), Some(1));
    assert_eq!(sessions(), [entry("Which database?", "pending")]);
    assert_eq!(run("\n"), Some(0));
    assert_eq!(sessions(), [entry("Which database?", "pending"), entry("May I drop tables?", "pending")]);
    assert_eq!(run("r\n"), Some(0));
    assert!(sessions().contains(&entry("Which database?", "replaced")), "{:?}", sessions());
}
