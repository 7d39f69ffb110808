//! The page of the present task: its phases, its steps, what they have changed, what was decided meanwhile.

use crate::support::{Fixture, ITEMS, in_this_order};
use http::StatusCode;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Texts that would do harm where they were taken for HTML, an attribute or a script.
const HOSTILE: &str = "<script>alert(1)</script>\"' onload=alert(1) &lt; </style> \u{202e}";

fn entry(step: usize, action: &str, phase: &str, summary: &str, commit: Option<&str>) -> Value {
    let mut entry = json!({
        "timestamp": format!("2025-01-15T{:02}:{:02}:00+08:00", 10 + step / 60, step % 60),
        "action": action, "phase": phase, "step": step, "summary": summary,
    });
    if let Some(commit) = commit {
        entry["git_commit"] = commit.into();
    }
    entry
}

fn status(phase: &str, history: &[Value]) -> Value {
    json!({
        "task_id": "2025-01-15T10-00-00", "current_phase": phase, "current_step": history.len(),
        "started_at": "2025-01-15T10:00:00+08:00", "history": history,
    })
}

fn write(fixture: &Fixture, path: &str, text: &str) {
    let path = fixture.folder.path().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
}

fn begin(fixture: &Fixture, status: &Value) {
    write(fixture, ".aide/flow-status.json", &status.to_string());
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=Ann", "-c", "user.email=ann@example.com"]).args(arguments);
    let output = command.current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[tokio::test]
async fn without_a_task_it_says_so_and_no_other_page_leads_here() {
    let fixture = Fixture::new(ITEMS);
    let html = fixture.page("/flow?lang=en").await;
    in_this_order(
        &html,
        &["href=\"/?lang=en\"", "href=\"/history?lang=en\"", "No active task", "aide flow start"],
    );
    assert!(fixture.page("/flow").await.contains("无活跃任务"));
    for path in ["/", "/history"] {
        assert!(!fixture.page(path).await.contains("href=\"/flow"), "{path}");
    }
}

#[tokio::test]
async fn a_task_is_shown_phase_by_phase_with_what_was_decided_in_each() {
    let fixture = Fixture::new(ITEMS);
    let history = [
        entry(1, "start", "flow-design", "Begin login", None),
        entry(2, "next-part", "impl", "Design done", None),
        entry(3, "issue", "impl", "Few tests", None),
        entry(4, "back-part", "flow-design", "New wish", None),
    ];
    begin(&fixture, &status("flow-design", &history));
    let record = |time: &str, task: &str| {
        json!({
            "input": {"task": task, "source": "s", "items": []}, "output": {"decisions": []}, "completed_at": time,
        })
        .to_string()
    };
    write(
        &fixture,
        ".aide/decisions/2025-01-15T09-00-00.json",
        &record("2025-01-15T09:30:00+08:00", "Too early"),
    );
    write(
        &fixture,
        ".aide/decisions/2025-01-15T10-02-10.json",
        &record("2025-01-15T10:02:40+08:00", "Which login"),
    );
    let html = fixture.page("/flow?lang=en").await;
    in_this_order(
        &html,
        &[
            "Begin login",
            "2025-01-15T10-00-00",
            "task-optimize",
            "aria-current=\"step\">flow-design",
            "impl",
            "<h2>flow-design</h2>",
            "New wish",
            "back to phase",
            "<h2>impl</h2>",
            "href=\"/history/2025-01-15T10-02-10?lang=en\"",
            "Which login",
            "Few tests",
            "issue",
            "Design done",
            "2025-01-15 10:02",
            "<h2>flow-design</h2>",
            "Begin login",
        ],
    );
    assert!(!html.contains("Too early"), "it belongs to no phase: {html}");
    for path in ["/", "/history"] {
        assert!(fixture.page(path).await.contains("href=\"/flow?lang=zh\""), "{path}");
    }
}

#[tokio::test]
async fn each_commit_leads_to_its_diff_and_says_what_it_has_changed() {
    let fixture = Fixture::new(ITEMS);
    let folder = fixture.folder.path();
    git(folder, &["init", "-q"]);
    write(&fixture, "src/a b.rs", "one\ntwo\n");
    write(&fixture, "pic.png", "\0\u{1}");
    write(&fixture, ".aide/flow-status.json", "{}");
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "-m", "x"]);
    let first = git(folder, &["rev-parse", "HEAD"]);
    write(&fixture, "src/a b.rs", "one\n");
    git(folder, &["commit", "-q", "-a", "-m", "y\n\nAide-Step: 2025-01-15T10-00-00/2"]);
    let second = git(folder, &["rev-parse", "HEAD"]);
    let history = [
        entry(1, "start", "impl", "Begin", Some(&first)),
        // The newest entry does not know its commit.
        entry(2, "next-step", "impl", "Less", None),
    ];
    begin(&fixture, &status("impl", &history));
    let html = fixture.page("/flow?lang=en").await;
    in_this_order(
        &html,
        &[
            &format!("git show {}", &second[..7]),
            "1 file",
            "src/a b.rs",
            "+0",
            "−1",
            &format!("git show {}", &first[..7]),
            "pic.png",
            "binary",
            "src/a b.rs",
            "+2",
            "−0",
        ],
    );
    assert!(!html.contains("flow-status.json"), "{html}");
    // A value that is not a hash is not looked up.
    let history = [entry(1, "start", "impl", "Begin", Some("--output=/tmp/x"))];
    begin(&fixture, &status("impl", &history));
    assert!(fixture.page("/flow").await.contains("git show --outpu"));
}

#[tokio::test]
async fn a_long_task_has_pages() {
    let fixture = Fixture::new(ITEMS);
    let history: Vec<_> = (1..=120)
        .map(|step| {
            entry(
                step,
                "next-step",
                if step < 70 { "impl" } else { "verify" },
                &format!("step {step} "),
                None,
            )
        })
        .collect();
    begin(&fixture, &status("verify", &history));
    let steps = |html: &str| html.matches("id=\"step-").count();
    let first = fixture.page("/flow?lang=en").await;
    in_this_order(&first, &["<h2>verify</h2>", "step 120 ", "step 71 ", "rel=\"next\""]);
    assert!(!first.contains("<h2>impl</h2>") && !first.contains("rel=\"prev\""));
    let second = fixture.page("/flow?lang=en&page=2").await;
    in_this_order(
        &second,
        &[
            "<h2>verify</h2>",
            "step 70 ",
            "<h2>impl</h2>",
            "step 69 ",
            "step 21 ",
            "rel=\"prev\"",
            "rel=\"next\"",
        ],
    );
    let third = fixture.page("/flow?lang=en&page=3").await;
    in_this_order(&third, &["<h2>impl</h2>", "step 20 ", "step 1 ", "rel=\"prev\""]);
    assert_eq!([steps(&first), steps(&second), steps(&third)], [50, 50, 20]);
    for path in ["/flow?page=4", "/flow?page=99999999999999999999", "/flow?page=0", "/flow?page=x"] {
        fixture.page(path).await;
    }
}

#[tokio::test]
async fn a_change_is_seen_by_its_version() {
    let fixture = Fixture::new(ITEMS);
    let version = async || {
        let answer = fixture.get("/flow/version").await;
        answer.assert_guarded("/flow/version");
        assert_eq!(answer.status, StatusCode::OK);
        answer.text()
    };
    let nothing = version().await;
    begin(&fixture, &status("impl", &[entry(1, "start", "impl", "Begin", None)]));
    let begun = version().await;
    assert_ne!(nothing, begun);
    assert_eq!(begun, version().await);
    let html = fixture.page("/flow").await;
    assert!(html.contains(&format!("data-version=\"{begun}\"")), "{html}");
    let body = r#"{"decisions":[{"id":1,"chosen":"a"},{"id":2,"chosen":"b"}]}"#;
    assert_eq!(fixture.post_json("/api/submit", body).await.status, StatusCode::OK);
    assert_ne!(begun, version().await);
}

#[tokio::test]
async fn a_state_that_cannot_be_read_is_named() {
    let fixture = Fixture::new(ITEMS);
    write(&fixture, ".aide/flow-status.json", "{");
    for path in ["/flow", "/flow/version"] {
        let answer = fixture.get(path).await;
        assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR, "{path}");
        answer.assert_guarded(path);
        assert!(answer.text().contains(".aide/flow-status.json"), "{path}: {}", answer.text());
    }
    // The questions are answered all the same.
    fixture.page("/").await;
}

#[tokio::test]
async fn hostile_texts_are_shown_as_texts() {
    let fixture = Fixture::new(ITEMS);
    let mut history = [entry(1, "start", HOSTILE, HOSTILE, Some(HOSTILE))];
    history[0]["timestamp"] = HOSTILE.into();
    let mut status = status(HOSTILE, &history);
    status["started_at"] = HOSTILE.into();
    begin(&fixture, &status);
    let html = fixture.page("/flow").await;
    assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{html}");
    // Those of every page, and this one's own.
    assert!(!html.contains("<script>") && html.matches("</style").count() == 3, "{html}");
    let tags = html.split('<').skip(1).filter_map(|rest| rest.split('>').next());
    for tag in tags {
        let outside: String = tag.split('"').step_by(2).collect();
        assert!(!outside.contains("onload"), "{tag}");
    }
}

/// A task of the past, as it is archived.
fn archive(fixture: &Fixture, task: &str, history: &[Value]) {
    let mut status = status("impl", history);
    status["task_id"] = task.into();
    write(fixture, &format!(".aide/logs/flow-status.{task}.json"), &status.to_string());
}

#[tokio::test]
async fn past_tasks_are_listed_below_the_present_one_each_with_its_steps() {
    let fixture = Fixture::new(ITEMS);
    let steps = [
        entry(1, "start", "impl", "Begin payment", None),
        entry(2, "next-step", "impl", "Model of a payment", None),
    ];
    archive(&fixture, "2025-01-14T10-00-00", &steps);
    archive(&fixture, "2025-01-13T10-00-00", &[entry(1, "start", "impl", HOSTILE, None)]);
    write(&fixture, ".aide/logs/flow-status.2025-01-12T10-00-00.json", "{");
    begin(&fixture, &status("impl", &[entry(1, "start", "impl", "Begin login", None)]));
    let html = fixture.page("/flow?lang=en").await;
    in_this_order(
        &html,
        &[
            "Begin login",
            "Past tasks",
            "href=\"/flow/2025-01-14T10-00-00?lang=en\"",
            "Begin payment",
            "2 steps",
            "href=\"/flow/2025-01-13T10-00-00?lang=en\"",
            "&lt;script&gt;",
            "1 step",
            "2025-01-12T10-00-00",
            "Cannot read the task",
        ],
    );
    assert!(!html.contains("Model of a payment"), "{html}");
    let past = fixture.page("/flow/2025-01-14T10-00-00?lang=en").await;
    in_this_order(
        &past,
        &[
            // The same page in the other language, and the way back.
            "href=\"/flow/2025-01-14T10-00-00?lang=zh\"",
            "Begin payment",
            "This task is archived",
            "href=\"/flow?lang=en\"",
            "1 min",
            "id=\"step-2\"",
            "Model of a payment",
            "id=\"step-1\"",
        ],
    );
    assert!(!past.contains("Past tasks") && !past.contains("/flow/version"), "{past}");
    assert!(!past.contains("http-equiv=\"refresh\""), "nothing about it changes: {past}");
    assert!(fixture.page("/flow/2025-01-14T10-00-00").await.contains("此任务已归档"));
    // The present one has an address of this kind as well; what is no task has none.
    assert!(fixture.page("/flow/2025-01-15T10-00-00?lang=en").await.contains("Begin login"));
    for (path, status) in [
        ("/flow/2025-01-11T10-00-00", StatusCode::NOT_FOUND),
        ("/flow/x", StatusCode::NOT_FOUND),
        ("/flow/2025-01-12T10-00-00", StatusCode::INTERNAL_SERVER_ERROR),
    ] {
        let answer = fixture.get(path).await;
        assert_eq!(answer.status, status, "{path}");
        answer.assert_guarded(path);
    }
}

#[tokio::test]
async fn of_very_many_tasks_the_latest_are_listed_and_the_rest_counted() {
    let fixture = Fixture::new(ITEMS);
    for number in 0..103 {
        let task = format!("2024-01-15T{:02}-{:02}-00", number / 60, number % 60);
        archive(&fixture, &task, &[entry(1, "start", "impl", &format!("Task {number}."), None)]);
    }
    begin(&fixture, &status("impl", &[entry(1, "start", "impl", "Begin login", None)]));
    let html = fixture.page("/flow?lang=en").await;
    in_this_order(&html, &["Task 102.", "Task 3.", "3 older tasks: aide flow list"]);
    assert!(!html.contains("Task 2."), "{html}");
}
