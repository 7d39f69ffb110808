//! `aide flow` in every state that a repository can be in: what is recorded, what is refused, and that nothing is lost.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod support;

use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, SystemTime};
use support::repository::Repository;
use support::{Finished, until};

fn set_time(path: &Path, time: SystemTime) {
    fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

/// A stash that cannot be applied leaves files in conflict, and nothing that is going on.
fn stash_conflict(repository: &Repository) {
    repository.write("f", "one");
    repository.git(["add", "-A"]);
    repository.git(["commit", "-qm", "one"]);
    repository.write("f", "two");
    repository.git(["stash", "-q"]);
    repository.write("f", "three");
    repository.git(["commit", "-qam", "three"]);
    repository.try_git(["stash", "pop", "-q"]);
}

/// Git compares by content what was changed in the second in which the index was written.
#[test]
fn a_change_in_the_very_second_of_the_former_commit_is_in_the_next_one() {
    let repository = Repository::with_task();
    // So that size and second are all that git compares, whatever time it is.
    repository.git(["config", "core.trustctime", "false"]);
    repository.git(["config", "core.checkStat", "minimal"]);
    let time = SystemTime::now() - Duration::from_secs(3600);
    let write = |text: &str| {
        repository.write("a.txt", text);
        set_time(&repository.join("a.txt"), time);
    };
    write("one");
    repository.flow(["next-step", "一"]).succeeded("");
    set_time(&repository.join(".git/index"), time);
    write("two");
    repository.flow(["next-step", "二"]).succeeded("");
    assert_eq!(repository.git(["show", "HEAD:a.txt"]), "two");
}

/// A Ctrl-C that comes while such a hook runs does the same.
#[test]
fn an_action_is_done_when_its_commit_is_whatever_becomes_of_git_then() {
    let repository = Repository::with_task();
    repository.hook("post-commit", "kill -9 $PPID");
    repository.write("a.txt", "a");
    repository.flow(["next-step", "一"]).succeeded("");
    assert_eq!((repository.subject(), repository.unclean()), ("[aide] impl: 一".to_owned(), String::new()));
    assert_eq!(repository.state()["current_step"], 2);
    assert_eq!(repository.left(), [""; 0]);
}

#[test]
fn a_killed_action_is_completed_also_when_a_hook_has_rewritten_its_message() {
    let repository = Repository::with_task();
    repository.hook("commit-msg", "echo ours >\"$1\"");
    // Git is the child of aide.
    repository.hook("post-commit", "kill -9 $(ps -o ppid= -p $PPID)");
    repository.write("a.txt", "a");
    assert_eq!(repository.flow(["next-step", "一"]).code, None, "killed");
    fs::remove_file(repository.join(".git/hooks/post-commit")).unwrap();
    until("the end of git", || repository.try_git(["log", "-1", "--format=%s"]).stdout == "ours\n");
    repository.flow(["next-step", "二"]).succeeded("");
    let state = repository.state();
    assert_eq!((&state["current_step"], &state["history"][1]["summary"]), (&json!(3), &json!("一")));
    assert_eq!(state["history"][1]["git_commit"], repository.git(["rev-parse", "HEAD^"]));
    assert_eq!((repository.unclean(), repository.left().len()), (String::new(), 0));
}

#[test]
fn the_newest_commit_is_found_wherever_its_message_says_so() {
    let repository = Repository::with_task();
    repository.hook("commit-msg", "printf '\nTICKET-1\n' >>\"$1\"");
    repository.flow(["next-step", "一"]).succeeded("");
    fs::remove_file(repository.join(".git/hooks/commit-msg")).unwrap();
    // Rewritten, together with others, and one more on top.
    repository.git(["reset", "-q", "--soft", "HEAD~2"]);
    repository.git(["commit", "-q", "-m", "all\n\n* [aide] impl: 一\n\n    Aide-Step: x/20\n\n* two"]);
    let newest = |step: u64| {
        let task = repository.state()["task_id"].as_str().unwrap().to_owned();
        (format!("one\n\n  Aide-Step: {task}/{step}\n\nand more"), format!("Aide-Step: {task}/{step}0"))
    };
    let (message, other) = newest(2);
    repository.git(["commit", "-q", "--amend", "-m", &message]);
    let commit = repository.head();
    repository.git(["commit", "-q", "--allow-empty", "-m", &other]);
    let status: Value = serde_json::from_str(&repository.flow(["status", "--json"]).stdout).unwrap();
    assert_eq!(status["latest"]["git_commit"], commit);
    repository.flow(["next-step", "二"]).succeeded("");
    assert_eq!(repository.state()["history"][1]["git_commit"], commit);
}

#[test]
fn the_newest_commit_is_found_on_a_branch_that_is_not_checked_out_any_more() {
    for leave in [&["checkout", "-q", "--orphan", "new"][..], &["symbolic-ref", "HEAD", "refs/heads/older"]] {
        let repository = Repository::with_task();
        let commit = repository.head();
        repository.git(["branch", "older", "HEAD^"]);
        repository.git(leave);
        repository.flow(["next-step", "一"]).succeeded("");
        assert_eq!(repository.state()["history"][0]["git_commit"], commit);
    }
}

/// The project is a folder of the repository, and the variables are those of a hook in a linked work tree.
#[test]
fn what_an_outer_git_says_of_its_repository_does_not_count() {
    let repository = Repository::new();
    repository.write("sub/.aide/config.toml", "");
    let git_dir = repository.git_dir();
    let mut start = repository.command(["flow", "start", "impl", "一"]);
    start.env("GIT_DIR", &git_dir).env("GIT_INDEX_FILE", git_dir.join("other")).env("GIT_PREFIX", "x/");
    start.env("GIT_LITERAL_PATHSPECS", "1");
    let told = Finished::of(start.current_dir(repository.join("sub")).output().unwrap());
    told.succeeded("✓ 任务开始: impl\n");
    assert_eq!(repository.unclean(), "");
    let files = repository.git(["ls-tree", "-r", "--name-only", "HEAD"]);
    assert!(files.contains("README.md\nsub/.aide/.gitignore\n"), "{files}");
    assert!(!git_dir.join("other").exists());

    // Whoever says where the files are as well means it.
    let repository = Repository::without_commits();
    fs::rename(repository.join(".git"), repository.home().join("dotfiles")).unwrap();
    let mut start = repository.command(["flow", "start", "impl", "一"]);
    start.env("GIT_DIR", repository.home().join("dotfiles")).env("GIT_WORK_TREE", repository.path());
    Finished::of(start.output().unwrap()).succeeded("✓ 任务开始: impl\n");
}

#[test]
fn files_of_the_user_that_are_named_as_ours_are_committed() {
    let repository = Repository::with_task();
    for name in ["flow-status.json.tmp", "docs/flow-status-2.json.tmp", "Cargo.lock", "index.lock", "aide/x"] {
        repository.write(name, name);
    }
    // Ours are left out also where nobody ignores them.
    repository.write(".aide/.gitignore", "decisions/.lock\n");
    repository.write(".gitignore", "!*.tmp\n");
    repository.flow(["next-step", "一"]).succeeded("");
    let files = repository.git(["show", "--name-only", "--format=", "HEAD"]);
    let expected = [
        ".aide/.gitignore",
        ".aide/flow-status.json",
        ".gitignore",
        "Cargo.lock",
        "aide/x",
        "docs/flow-status-2.json.tmp",
        "flow-status.json.tmp",
        "index.lock",
    ];
    assert_eq!(files.lines().collect::<Vec<_>>(), expected);
    assert_eq!(repository.unclean(), "");
}

#[test]
fn where_only_tracked_files_are_committed_there_need_not_be_any() {
    let repository = Repository::without_commits();
    repository.configure("[flow.git]\nadd_strategy = \"tracked\"\n");
    repository.flow(["start", "impl", "一"]).succeeded("✓ 任务开始: impl\n");
    assert_eq!(repository.git(["ls-files"]), ".aide/flow-status.json");
    // A file that cannot be added is still an error.
    repository.write("a", "a");
    repository.git(["add", "a"]);
    repository.git(["config", "filter.broken.clean", "false"]);
    repository.git(["config", "filter.broken.required", "true"]);
    repository.write(".gitattributes", "a filter=broken\n");
    repository.write("a", "b");
    repository.flow(["next-step", "二"]).failed_with(1, "✗ git add 失败:\n");
}

#[test]
fn messages_are_utf_8_in_a_repository_with_another_encoding() {
    let repository = Repository::with_task();
    repository.git(["config", "i18n.commitEncoding", "GBK"]);
    repository.git(["config", "i18n.logOutputEncoding", "GBK"]);
    repository.flow(["next-step", "中文"]).succeeded("");
    assert_eq!(repository.git(["log", "-1", "--encoding=UTF-8", "--format=%s"]), "[aide] impl: 中文");
    repository.flow(["next-step", "二"]).succeeded("");
    assert_eq!(repository.state()["history"][1]["git_commit"], repository.git(["rev-parse", "HEAD^"]));
}

/// Git's answers are lines of UTF-8; guessing at others led to a commit of a path that does not exist.
#[test]
fn a_project_in_a_folder_that_git_cannot_name_in_a_line_is_refused() {
    for name in [OsStr::from_bytes(b"a\nb"), OsStr::from_bytes(b"a\xffb")] {
        for top in ["", "below"] {
            let repository = Repository::bare_folder();
            let project = repository.join(top).join(name);
            fs::create_dir_all(&project).unwrap();
            let run = |arguments: &[&str]| {
                let mut command = repository.command(arguments);
                Finished::of(command.current_dir(&project).output().unwrap())
            };
            repository.git([OsStr::new("init"), "-q".as_ref(), if top.is_empty() { project.as_ref() } else { top.as_ref() }]);
            run(&["init"]);
            let before = repository.snapshot_of(&project);
            run(&["flow", "start", "impl", "一"]).failed_with(1, "✗ git rev-parse 失败:\n");
            assert_eq!(repository.snapshot_of(&project), before);
        }
    }
}

#[test]
fn files_in_conflict_anywhere_are_named() {
    let repository = Repository::with_task();
    repository.write("sub/.aide/config.toml", "");
    stash_conflict(&repository);
    let mut start = repository.command(["flow", "start", "impl", "一"]);
    let told = Finished::of(start.current_dir(repository.join("sub")).output().unwrap());
    told.failed_with(1, "✗ 文件有冲突尚未解决: ../f\n");
}

/// They may well start within a second.
#[test]
fn two_projects_in_one_repository_keep_their_commits_apart() {
    let repository = Repository::new();
    repository.hook("commit-msg", "echo ours >\"$1\"");
    let run = |project: &str, arguments: &[&str]| {
        let mut command = repository.command(arguments);
        let told = Finished::of(command.current_dir(repository.join(project)).output().unwrap());
        assert_eq!(told.code, Some(0), "{told:?}");
        told.stdout
    };
    let projects = ["a", "b", "c"];
    for project in projects {
        repository.write(&format!("{project}/.aide/config.toml"), "");
        run(project, &["flow", "start", "impl", project]);
    }
    let mut tasks = Vec::new();
    for project in projects {
        let commit = repository.git(["log", "-1", "--format=%H", "--", project]);
        let shown: Value = serde_json::from_str(&run(project, &["flow", "show", "--json"])).unwrap();
        assert_eq!(shown["history"][0]["git_commit"], commit, "{project}");
        tasks.push(shown["task_id"].as_str().unwrap().to_owned());
    }
    assert!(tasks.is_sorted() && tasks[0] != tasks[1] && tasks[1] != tasks[2], "{tasks:?}");
}

/// `git clean` in a hook removes the new state, which lies beside the old one, and `.aide/decisions` with it; a hook that
/// looks at the files as they will be committed puts it into the place of the old one.
#[test]
fn a_hook_may_clear_away_what_git_ignores_and_check_out_what_will_be_committed() {
    for (hook, code) in [("git clean -fdxq", 0), ("git clean -fdxq; exit 1", 1), ("git checkout -f -- .; exit 1", 1)] {
        let repository = Repository::with_task();
        let before = repository.snapshot();
        repository.hook("pre-commit", hook);
        let told = repository.flow(["next-step", "一"]);
        assert_eq!(told.code, Some(code), "{hook}: {told:?}");
        if code == 1 {
            assert_eq!(repository.snapshot(), before, "{hook}");
            fs::remove_file(repository.join(".git/hooks/pre-commit")).unwrap();
            repository.flow(["next-step", "一"]).succeeded("");
        }
        assert_eq!((&repository.state()["current_step"], repository.unclean()), (&json!(2), String::new()), "{hook}");
        assert_eq!(repository.left(), [""; 0], "{hook}");
    }
}
