//! `aide flow back-step --restore`: the files as they were at a step, in a work tree of their own.

use crate::support::CommandOutput;
use crate::support::repository::Repository;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// With a task of four steps, each of which writes `a.txt`.
fn worked() -> Repository {
    let repository = Repository::with_task();
    for step in 2..=4 {
        repository.write("a.txt", format!("step {step}\n"));
        repository.flow(["next-step", &format!("step {step}")]).succeeded("");
    }
    repository
}

/// What is shown, from what is said.
fn shown(told: &CommandOutput) -> PathBuf {
    assert_eq!((told.code, &*told.stderr), (Some(0), ""), "{told:?}");
    let line =
        told.stdout.lines().find(|line| line.starts_with("✓ 步骤 ")).unwrap_or_else(|| panic!("{told:?}"));
    line.split_once("时的文件: ").unwrap().1.into()
}

fn content(path: &std::path::Path) -> String {
    fs::read_to_string(path.join("a.txt")).unwrap()
}

#[test]
fn the_files_of_the_step_before_are_shown_beside_the_project() {
    let repository = worked();
    repository.write("a.txt", "not committed\n");
    let before = repository.snapshot();
    let told = repository.flow(["back-step", "--restore"]);
    let path = shown(&told);
    let hash = repository.git(["rev-parse", "HEAD^"]);
    assert_eq!(
        told.stdout,
        format!(
            "✓ 步骤 3（{}）时的文件: {}\n→ 删除: git worktree remove {}\n",
            &hash[..7],
            path.display(),
            path.display()
        )
    );
    assert_eq!(content(&path), "step 3\n");
    // The project is as it was, and nothing was recorded.
    assert_eq!((repository.snapshot(), content(repository.path())), (before, "not committed\n".to_owned()));
    // Doing it again changes nothing, not even what was changed there.
    fs::write(path.join("a.txt"), "tried\n").unwrap();
    assert_eq!(repository.flow(["back-step", "--restore"]), told);
    assert_eq!(content(&path), "tried\n");
    // Also where the user has deleted it by hand.
    fs::remove_dir_all(&path).unwrap();
    assert_eq!(repository.flow(["back-step", "--restore"]), told);
    assert_eq!(content(&path), "step 3\n");
    // As it says.
    repository.git(["worktree", "remove", path.to_str().unwrap()]);
    assert!(!path.exists());
    assert_eq!(repository.git(["worktree", "list"]).lines().count(), 1);
}

#[test]
fn a_step_back_can_be_recorded_and_shown_at_once() {
    let repository = worked();
    let path = shown(&repository.flow(["back-step", "--restore", "wrong way"]));
    assert_eq!(repository.subject(), "[aide] impl back-step: wrong way");
    assert_eq!((content(&path), content(repository.path())), ("step 3\n".to_owned(), "step 4\n".to_owned()));
    // It is the step that the task is back at.
    assert_eq!(shown(&repository.flow(["back-step", "--restore"])), path);
    // One further.
    assert_eq!(content(&shown(&repository.flow(["back-step", "again", "--restore"]))), "step 2\n");
    let told = repository.flow(["back-step", "and again", "--restore", "--json"]);
    let json: Value = serde_json::from_str(&told.stdout).unwrap();
    assert_eq!((&json["action"], &json["restored"]["step"]), (&json!("back-step"), &json!(1)));
    assert!(!PathBuf::from(json["restored"]["path"].as_str().unwrap()).join("a.txt").exists());
    // A step by its number; what was not recorded is JSON of its own.
    let told = repository.flow(["back-step", "--restore=4", "--json"]);
    let json: Value = serde_json::from_str(&told.stdout).unwrap();
    assert_eq!(json["restored"]["git_commit"], repository.git(["rev-parse", "HEAD~3"]));
    assert_eq!(content(json["restored"]["path"].as_str().unwrap().as_ref()), "step 4\n");
    assert_eq!(repository.unclean(), "");
}

/// A problem or an error that was recorded is no step that could be taken back, or be back at.
#[test]
fn what_was_only_noted_is_no_step_to_go_back_to() {
    let repository = worked();
    repository.flow(["issue", "few tests"]).succeeded("");
    repository.flow(["error", "boom"]);
    let told = repository.aide(["flow", "back-step", "step 4 was wrong"]);
    assert_eq!((told.code, &*told.stdout), (Some(0), ""));
    assert!(told.stderr.contains("→ 已回到步骤 3: step 3\n"), "{told:?}");
    let back_at = |repository: &Repository| {
        let told = repository.flow(["status", "--json"]);
        serde_json::from_str::<Value>(&told.stdout).unwrap()["back_at"].clone()
    };
    assert_eq!(back_at(&repository), json!(3));
    assert_eq!(content(&shown(&repository.flow(["back-step", "--restore"]))), "step 3\n");
    repository.flow(["issue", "another"]);
    assert_eq!(back_at(&repository), json!(3));
    repository.flow(["next-step", "other way"]);
    assert_eq!(back_at(&repository), json!(null));
}

#[test]
fn flow_is_not_confused_there() {
    let repository = worked();
    let path = shown(&repository.flow(["back-step", "--restore"]));
    let there = |arguments: &[&str]| {
        let mut command = repository.command(["flow"].iter().chain(arguments));
        CommandOutput::new(command.current_dir(&path).output().unwrap())
    };
    let (before, head) = (repository.snapshot(), repository.head());
    // It is another checkout: the task as it was at that step.
    let status: Value = serde_json::from_str(&there(&["status", "--json"]).stdout).unwrap();
    assert_eq!((&status["current_step"], &status["latest"]["summary"]), (&json!(3), &json!("step 3")));
    for action in [&["next-step", "x"][..], &["start", "impl", "x"]] {
        let told = there(action);
        assert!(told.code == Some(1) && told.stderr.contains("detached"), "{told:?}");
    }
    assert_eq!((repository.snapshot(), repository.head()), (before, head));
    // Nor is the project: the work tree is nothing to commit, or to name.
    repository.write("b.txt", "b\n");
    let told = repository.aide(["flow", "next-step", "further"]);
    assert!(told.code == Some(0) && told.stderr.lines().count() == 1, "{told:?}");
    assert_eq!(repository.unclean(), "");
    let listed: Value = serde_json::from_str(&repository.flow(["list", "--json"]).stdout).unwrap();
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["step"]), (1, &json!(5)));
}

#[test]
fn flow_is_not_confused_where_git_does_not_see_the_project_folder() {
    let repository = Repository::without_commits();
    repository.write(".gitignore", ".aide/\n");
    repository.write("a.txt", "step 1\n");
    repository.flow(["start", "impl", "begin", "--yes"]).succeeded("✓ 任务开始: impl\n");
    repository.write("a.txt", "step 2\n");
    repository.flow(["next-step", "step 2"]).succeeded("");
    let path = shown(&repository.flow(["back-step", "--restore"]));
    assert_eq!(content(&path), "step 1\n");
    let before = repository.snapshot();
    let mut command = repository.command(["flow", "next-step", "there"]);
    let told = CommandOutput::new(command.current_dir(&path).output().unwrap());
    assert_eq!(told.code, Some(1), "{told:?}");
    assert_eq!(repository.snapshot(), before);
}

#[test]
fn what_cannot_be_shown_is_said() {
    let repository = Repository::new();
    repository.flow(["back-step", "--restore"]).failed_with(1, "✗ 未找到流程状态");
    repository.flow(["start", "impl", "begin"]).succeeded("✓ 任务开始: impl\n");
    repository
        .flow(["back-step", "--restore"])
        .failed(1, "✗ 没有更早的步骤\n  建议: aide flow show 列出各个步骤；--restore=1 查看第一步时的文件\n");
    repository.flow(["back-step", "--restore=7"]).failed(1, "✗ 没有步骤 7\n  建议: 此任务的步骤为 1 至 1\n");
    assert_eq!(repository.flow(["back-step", "--restore=x"]).code, Some(2));
    // A step back from the first one is recorded, and led to none.
    let told = repository.aide(["flow", "back-step", "oops"]);
    assert_eq!((told.code, &*told.stdout), (Some(0), ""));
    assert!(told.stderr.ends_with("→ 已回退到第一步之前，没有更早的步骤\n"), "{}", told.stderr);
    // Without it, the text is needed as ever.
    assert_eq!(repository.flow(["back-step"]).code, Some(2));
    assert!(!repository.join(".aide/steps").exists());
}
