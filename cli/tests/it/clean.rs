//! `aide decide clean`: what goes, what stays, and that nothing goes unasked.

use crate::support::{Folder, minimal};
use serde_json::{Value, json};
use std::fs;

/// A project with three records of long ago, one of these cannot be read, and open questions.
fn project() -> Folder {
    let folder = Folder::project();
    for (session, content) in [
        ("2020-01-01T10-00-00", record("2020-01-01T10:00:00+00:00")),
        ("2020-01-02T10-00-00", "{".to_owned()),
        ("2020-01-03T10-00-00", record("2999-01-01T10:00:00+00:00")),
    ] {
        folder.write(&format!(".aide/decisions/{session}.json"), content);
    }
    let mut pending = minimal();
    pending["_meta"] =
        json!({"session_id": "2020-01-04T10-00-00", "created_at": "2020-01-04T10:00:00+00:00"});
    folder.write(".aide/decisions/pending.json", pending.to_string());
    folder
}

fn record(completed_at: &str) -> String {
    json!({"input": minimal(), "output": {"decisions": [{"id": 1, "chosen": "a"}]}, "completed_at": completed_at})
        .to_string()
}

fn records(folder: &Folder) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder.join(".aide/decisions"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("20"))
        .collect();
    names.sort();
    names
}

#[test]
fn without_a_limit_it_is_a_usage_error() {
    let folder = project();
    let before = folder.tree();
    folder.aide(["decide", "clean"]).failed(
        2,
        "✗ 至少需要 --keep 与 --older-than 之一\n  建议: 执行 aide decide clean --help 查看用法\n",
    );
    folder
        .aide(["decide", "clean", "--keep", "-1"])
        .failed(2, "✗ 参数 --keep 的值无效: \"-1\"，必须为记录的数量\n  建议: 0 表示只保留最近一次提交\n");
    folder.aide(["decide", "clean", "--older-than", "30"]).failed(
        2,
        "✗ 参数 --older-than 的值无效: \"30\"，必须为秒（s）、分（m）、小时（h）、天（d）或周（w）的数量\n  建议: 例如 12h、30d 或 2w\n",
    );
    assert_eq!(folder.tree(), before);
}

#[test]
fn a_dry_run_lists_and_removes_nothing() {
    let folder = project();
    let before = folder.tree();
    folder.aide(["decide", "clean", "--keep", "1", "--dry-run"]).succeeded(
        "2020-01-02T10-00-00  无法读取\n\
         2020-01-01T10-00-00  已决策  测试任务（1 项，2020-01-01T10:00:00+00:00）\n\
         → 将删除 2 份记录\n",
    );
    let finished = folder.aide(["decide", "clean", "--older-than", "1d", "--dry-run", "--json"]);
    finished.succeeded("{\"removed\":[\"2020-01-02T10-00-00\",\"2020-01-01T10-00-00\"],\"dry_run\":true}\n");
    folder.aide(["decide", "clean", "--keep", "3", "--dry-run"]).succeeded("→ 没有可删除的记录\n");
    assert_eq!(without_lock(folder.tree()), without_lock(before));
}

/// The lock's file comes with the first command that writes, and says nothing.
fn without_lock<V>(
    mut tree: std::collections::BTreeMap<std::path::PathBuf, V>,
) -> std::collections::BTreeMap<std::path::PathBuf, V> {
    tree.retain(|path, _| !path.ends_with(".lock"));
    tree
}

#[test]
fn without_a_terminal_it_needs_consent() {
    let folder = project();
    let refused =
        "✗ 没有终端，无法询问是否删除这些记录\n  建议: 加上 --yes 直接删除，或用 --dry-run 只查看\n";
    folder.aide(["decide", "clean", "--keep", "0"]).failed(1, refused);
    folder.aide(["decide", "clean", "--keep", "0", "--json"]).failed(1, refused);
    assert_eq!(records(&folder).len(), 3);
    // Where nothing would go there is nothing to ask.
    folder.aide(["decide", "clean", "--keep", "3"]).succeeded("→ 没有可删除的记录\n");
}

#[test]
fn with_consent_the_records_are_gone_and_the_open_questions_are_not() {
    let folder = project();
    let pending = fs::read(folder.decision("pending.json")).unwrap();
    folder.aide(["decide", "clean", "--older-than", "2w", "--yes"]).succeeded("✓ 已删除 2 份记录\n");
    assert_eq!(records(&folder), ["2020-01-03T10-00-00.json"]);
    let finished = folder.aide(["decide", "clean", "--keep", "0", "--yes", "--json"]);
    finished.succeeded("{\"removed\":[\"2020-01-03T10-00-00\"],\"dry_run\":false}\n");
    assert_eq!(records(&folder), [""; 0]);
    assert_eq!(fs::read(folder.decision("pending.json")).unwrap(), pending);
    let list: Value = serde_json::from_str(&folder.aide(["decide", "list", "--json"]).stdout).unwrap();
    assert_eq!(list[0]["status"], "unserved");
}

#[test]
fn the_answer_to_the_questions_asked_last_is_never_removed() {
    let folder = project();
    folder.write(".aide/decisions/2020-01-04T10-00-00.json", record("2020-01-04T10:05:00+00:00"));
    folder
        .aide(["decide", "clean", "--keep", "0", "--older-than", "0h", "--yes"])
        .succeeded("✓ 已删除 2 份记录\n");
    assert_eq!(records(&folder), ["2020-01-03T10-00-00.json", "2020-01-04T10-00-00.json"]);
    folder.result().succeeded("{\"decisions\":[{\"id\":1,\"chosen\":\"a\"}]}\n");
}

#[test]
fn with_damaged_questions_nothing_is_removed() {
    let folder = project();
    folder.write(".aide/decisions/pending.json", "{");
    folder.aide(["decide", "clean", "--keep", "0", "--yes"]).failed_with(1, "✗ 无法解析 pending.json: ");
    assert_eq!(records(&folder).len(), 3);
}
