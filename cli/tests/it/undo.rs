//! Taking back a submission: `decide.undo`.

use crate::support::http::{get, post_form, post_json};
use crate::support::running::RunningServer;
use crate::support::{Folder, minimal};
use serde_json::{Value, json};
use std::fs;

/// A project whose configuration holds submissions for so many seconds, and questions that are waited for.
fn waiting(seconds: u32) -> (Folder, RunningServer) {
    let folder = Folder::project();
    folder.aide(["config", "set", "decide.undo", &seconds.to_string()]).succeeded_with("✓");
    let waiting = folder.submit(&minimal());
    (folder, waiting)
}

/// As the page does it.
fn submit(folder: &Folder, port: u16, option: u32) -> String {
    let sheet = json!({"answers": [{"id": 1, "options": [option]}]});
    let call = json!({"session": folder.session(), "lang": "zh", "sheet": sheet});
    let answer = post_json(port, "/fn/submit", &call.to_string());
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.text().to_owned()
}

fn chosen(folder: &Folder) -> Value {
    serde_json::from_str::<Value>(&folder.result().stdout).unwrap()["decisions"][0]["chosen"].clone()
}

#[test]
fn a_submission_counts_after_its_time() {
    let (folder, waiting) = waiting(1);
    let page = submit(&folder, waiting.port, 1);
    assert!(page.contains("撤回提交") && page.contains("1 秒内可以撤回并修改"), "{page}");
    waiting.finish().succeeded("✓ 决策已完成\n");
    assert_eq!(chosen(&folder), "b");
}

#[test]
fn it_can_be_taken_back_and_changed_while_the_command_waits() {
    let (folder, waiting) = waiting(60);
    submit(&folder, waiting.port, 1);
    // Loaded anew, the page still says so, and leads back.
    let page = get(waiting.port, "/").text().to_owned();
    assert!(page.contains("决策已提交") && page.contains("value=\"take-back\""), "{page}");
    folder.result().failed_with(1, "✗ 尚无决策结果\n");
    let form = format!("session={}&action=take-back", folder.session());
    let back = post_form(waiting.port, "/submit", &form);
    assert_eq!(back.status, 200);
    assert!(back.text().contains("checked") && back.text().contains("id=\"decide\""), "{}", back.text());
    let again = post_form(waiting.port, "/submit", &form);
    assert!(again.text().contains("id=\"decide\""), "pressed twice: {}", again.text());
    submit(&folder, waiting.port, 0);
    // A script need not wait: its answer is the last word.
    let answer = json!({"decisions": [{"id": 1, "chosen": "b"}]}).to_string();
    assert_eq!(post_json(waiting.port, "/api/submit", &answer).status, 200);
    waiting.finish().succeeded("✓ 决策已完成\n");
    assert_eq!(chosen(&folder), "b");
}

/// Killed while the submission can be taken back: it is found, and counts.
#[test]
fn a_kill_loses_no_submission() {
    let (folder, waiting) = waiting(60);
    submit(&folder, waiting.port, 1);
    waiting.kill();
    folder.result().failed_with(1, "✗ ");
    let path = folder.decision(&format!("open/{}.held.json", folder.session()));
    let mut held: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    held["due"] = json!(0);
    fs::write(path, held.to_string()).unwrap();
    assert_eq!(chosen(&folder), "b");
    assert_eq!(folder.record()["_meta"]["via"], "page");
}

/// The agent gives up while the person's answer can be taken back: the answer stands.
#[test]
fn an_answer_comes_before_a_cancellation() {
    let (folder, waiting) = waiting(60);
    submit(&folder, waiting.port, 1);
    let cancelled = folder.aide(["decide", "cancel", &folder.session()]);
    assert_eq!(cancelled.code, Some(1), "{cancelled:?}");
    waiting.finish().succeeded("✓ 决策已完成\n");
    assert_eq!(chosen(&folder), "b");
}
