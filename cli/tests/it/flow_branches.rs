//! Tasks and decisions on several branches: they merge, each checkout has its own current ones, and a conflict that is left
//! is called one.

use crate::support::repository::Repository;
use crate::support::{CommandOutput, begin};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

fn run(repository: &Repository, folder: &Path, arguments: &[&str]) -> CommandOutput {
    CommandOutput::new(repository.command(arguments).current_dir(folder).output().unwrap())
}

fn run_json(repository: &Repository, folder: &Path, arguments: &[&str]) -> Value {
    let told = run(repository, folder, arguments);
    assert_eq!(told.code, Some(0), "{told:?}");
    serde_json::from_str(&told.stdout).unwrap()
}

/// The summary of the step that was recorded last in the current task.
fn latest(repository: &Repository, folder: &Path) -> Value {
    run_json(repository, folder, &["flow", "status", "--json"])["latest"]["summary"].clone()
}

/// Asks a question; its session.
fn ask(repository: &Repository, title: &str) -> String {
    let options = json!([{"value": "yes", "label": "Yes"}, {"value": "no", "label": "No"}]);
    let items = json!([{"id": 1, "title": title, "options": options}]);
    let input = json!({"task": title, "source": "task.md", "items": items}).to_string();
    let told = repository.aide(["decide", "submit", "--detach", "--json", "--port", "0", &input]);
    assert_eq!(told.code, Some(0), "{told:?}");
    let told: Value = serde_json::from_str(&told.stdout).unwrap();
    told["session_id"].as_str().unwrap().to_owned()
}

/// Answers it with its second option.
fn answer(repository: &Repository) {
    let mut command = repository.command(["decide", "answer"]);
    command.stdin(Stdio::piped());
    let mut child = begin(command);
    let _ = child.stdin.take().unwrap().write_all(b"2\n\ny\n");
    let told = CommandOutput::new(child.wait_with_output().unwrap());
    assert_eq!(told.code, Some(0), "{told:?}");
}

/// Two tasks on a new branch, the first one ended, with a question that is answered in each.
fn work_on(repository: &Repository, branch: &str) -> Vec<String> {
    repository.git(["switch", "-q", "-c", branch, "main"]);
    let mut sessions = Vec::new();
    for task in ["one", "two"] {
        let name = format!("{branch} {task}");
        assert_eq!(repository.flow(["start", "impl", &name]).code, Some(0));
        sessions.push(ask(repository, &name));
        answer(repository);
        repository.write(&format!("{branch}-{task}.txt"), &name);
        repository.flow(["next-step", &format!("{name} step")]).succeeded("");
    }
    assert_eq!(repository.unclean(), "");
    sessions
}

#[test]
fn what_two_branches_have_recorded_merges() {
    let repository = Repository::new();
    repository.flow(["start", "finish", "before"]).succeeded("✓ 任务开始: finish\n");
    let sessions = [work_on(&repository, "a"), work_on(&repository, "b")].concat();
    let here = repository.path();

    // Each branch has its own current task, and the answer that was given last is still the last one of this checkout.
    assert_eq!(latest(&repository, here), "b two step");
    repository.git(["switch", "-q", "a"]);
    assert_eq!(latest(&repository, here), "a two step");
    assert_eq!(repository.folder.result().code, Some(0));
    let listed = run_json(&repository, here, &["decide", "list", "--json"]);
    assert!(listed.as_array().unwrap().iter().all(|set| set["status"] == "answered"), "{listed}");

    let merged = repository.try_git(["merge", "-q", "--no-edit", "b"]);
    assert_eq!((merged.code, &*merged.stderr), (Some(0), ""), "{merged:?}");
    assert_eq!(repository.unclean(), "");
    assert_eq!(latest(&repository, here), "a two step");
    let tasks = run_json(&repository, here, &["flow", "list", "--json"]);
    assert_eq!(tasks.as_array().unwrap().len(), 5, "{tasks}");
    for session in &sessions {
        let record = run_json(&repository, here, &["decide", "show", session, "--json"]);
        assert_eq!(record["output"]["decisions"][0]["chosen"], "no", "{record}");
    }

    // The task goes on, and every commit of the other branch's is known.
    repository.flow(["next-step", "after the merge"]).succeeded("");
    assert_eq!(repository.subject(), "[aide] impl: after the merge");
    assert_eq!(repository.unclean(), "");
    let of_b = repository.git(["log", "-1", "--format=%H", "b"]);
    let task = repository.git(["log", "-1", "--format=%(trailers:key=Aide-Step,valueonly)", "b"]);
    let shown = run_json(&repository, here, &["flow", "show", task.split('/').next().unwrap(), "--json"]);
    assert_eq!(shown["history"][1]["git_commit"], of_b, "{shown}");

    // A clone goes on with the task of its branch.
    let clone = repository.home().join("clone");
    repository.git(["clone", "-q", "-b", "a", ".", clone.to_str().unwrap()]);
    assert_eq!(latest(&repository, &clone), "after the merge");
    assert_eq!(run(&repository, &clone, &["flow", "next-step", "in the clone"]).code, Some(0));
    assert_eq!(latest(&repository, &clone), "in the clone");
}

#[test]
fn after_a_reset_the_task_stands_where_its_branch_does() {
    let repository = Repository::with_task();
    repository.flow(["next-step", "one"]).succeeded("");
    repository.flow(["next-step", "two"]).succeeded("");
    repository.git(["reset", "-q", "--hard", "HEAD~1"]);
    assert_eq!(latest(&repository, repository.path()), "one");
    repository.flow(["next-step", "another two"]).succeeded("");
    assert_eq!(repository.state()["current_step"], 3);
    assert_eq!(repository.state()["history"][2]["summary"], "another two");
    // Before the task there was none.
    repository.git(["switch", "-q", "-c", "new", ":/begin"]);
    repository.flow(["next-step", "x"]).failed_with(1, "✗ 未找到流程状态，请先运行：aide flow start");
    repository.flow(["status"]).succeeded("→ 无活跃任务\n");
}

#[test]
fn tasks_that_begin_within_a_second_in_two_work_trees_have_different_names() {
    let repository = Repository::new();
    let other = repository.home().join("other");
    repository.git(["worktree", "add", "-q", "-b", "other", other.to_str().unwrap()]);
    for _ in 0..3 {
        for folder in [repository.path(), &other] {
            assert_eq!(run(&repository, folder, &["flow", "start", "finish", "x"]).code, Some(0));
        }
    }
    let merged = repository.try_git(["merge", "-q", "--no-edit", "other"]);
    assert_eq!((merged.code, &*merged.stderr), (Some(0), ""), "{merged:?}");
    let files = repository.git(["ls-files", ".aide/logs"]);
    assert_eq!(files.lines().count(), 6, "{files}");
}

#[test]
fn a_question_that_was_answered_on_another_branch_stays_answered() {
    let repository = Repository::new();
    repository.git(["switch", "-q", "-c", "a"]);
    let session = ask(&repository, "on a");
    answer(&repository);
    repository.git(["add", "-A"]);
    repository.git(["commit", "-qm", "answered"]);
    repository.git(["switch", "-q", "main"]);
    assert!(!repository.folder.decision(&format!("{session}.json")).exists());
    repository.folder.result().succeeded("{\"decisions\":[{\"id\":1,\"chosen\":\"no\"}]}\n");
    // The next question replaces nothing, and the answer of the branch arrives unharmed.
    let next = ask(&repository, "on main");
    answer(&repository);
    assert!(next > session);
    assert!(!repository.folder.decision(&format!("{session}.json")).exists());
    repository.git(["add", "-A"]);
    repository.git(["commit", "-qm", "answered here"]);
    let merged = repository.try_git(["merge", "-q", "--no-edit", "a"]);
    assert_eq!((merged.code, &*merged.stderr), (Some(0), ""), "{merged:?}");
    for session in [&session, &next] {
        let record = run_json(&repository, repository.path(), &["decide", "show", session, "--json"]);
        assert_eq!(record["output"]["decisions"][0]["chosen"], "no", "{record}");
    }
}

const MARKED: &str = "{\n<<<<<<< HEAD\n  \"a\": 1\n=======\n  \"a\": 2\n>>>>>>> other\n}\n";

/// The error says that there is a conflict and names both ways out; it does not suggest to delete anything.
#[track_caller]
fn says_conflict(told: &CommandOutput, file: &str) {
    assert_ne!(told.code, Some(0), "{told:?}");
    assert!(told.stderr.contains(&format!("{file} 有合并冲突")), "{told:?}");
    for way in [format!("git checkout --ours -- {file}"), format!("git checkout --theirs -- {file}")] {
        assert!(told.stderr.contains(&way), "{told:?}");
    }
    assert!(
        !told.stderr.contains("删除") && !told.stderr.contains("重新执行 aide decide submit"),
        "{told:?}"
    );
}

#[test]
fn a_task_that_went_on_on_two_branches_is_in_conflict_until_one_side_is_taken() {
    let repository = Repository::with_task();
    let task = repository.state()["task_id"].as_str().unwrap().to_owned();
    repository.git(["switch", "-q", "-c", "other"]);
    repository.flow(["next-step", "theirs"]).succeeded("");
    repository.git(["switch", "-q", "main"]);
    repository.flow(["next-step", "ours"]).succeeded("");
    assert_eq!(repository.try_git(["merge", "-q", "other"]).code, Some(1));
    let file = format!(".aide/logs/flow-status.{task}.json");
    assert_eq!(repository.unclean(), format!("UU {file}"));
    for arguments in [&["status"][..], &["show"], &["list"], &["next-step", "x"], &["start", "impl", "x"]] {
        says_conflict(&repository.aide(["flow"].iter().chain(arguments)), &file);
    }
    for (side, summary) in [("--theirs", "theirs"), ("--ours", "ours")] {
        repository.git(["checkout", "-q", side, "--", &file]);
        assert_eq!(latest(&repository, repository.path()), summary);
    }
    repository.git(["add", &file]);
    repository.git(["commit", "-q", "--no-edit"]);
    repository.flow(["next-step", "goes on"]).succeeded("");
    assert_eq!(repository.state()["history"][1]["summary"], "ours");
}

#[test]
fn every_file_in_conflict_is_called_so_by_what_reads_it() {
    let repository = Repository::new();
    let session = ask(&repository, "x");
    answer(&repository);
    let record = format!(".aide/decisions/{session}.json");
    let kept = fs::read(repository.join(&record)).unwrap();
    repository.write(&record, MARKED);
    for arguments in [&["result", &session][..], &["show", &session], &["wait", &session]] {
        says_conflict(&repository.aide(["decide"].iter().chain(arguments)), &record);
    }
    let listed = repository.aide(["decide", "list"]);
    assert!(listed.stdout.contains("无法读取"), "{listed:?}");
    says_conflict(&CommandOutput { code: Some(1), ..listed }, &record);
    repository.write(&record, kept);

    let pending = ".aide/decisions/pending.json";
    let kept = fs::read(repository.join(pending)).unwrap();
    repository.write(pending, MARKED);
    let input = json!({"task": "y", "source": "s", "items": [{"id": 1, "title": "y", "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]}]});
    for arguments in [
        &["result"][..],
        &["submit", "--detach", "--port", "0", &input.to_string()],
        &["clean", "--keep", "0", "--yes"],
    ] {
        says_conflict(&repository.aide(["decide"].iter().chain(arguments)), pending);
    }
    says_conflict(&CommandOutput { code: Some(1), ..repository.aide(["decide", "list"]) }, pending);
    assert_eq!(fs::read(repository.join(pending)).unwrap(), MARKED.as_bytes());
    repository.write(pending, kept);

    repository.write(".aide/agents/worker/agent_profile.json", MARKED);
    let told = repository.aide(["agent", "run", "--agent", "worker", "--once"]);
    assert!(told.code == Some(1) && told.stderr.contains("agent_profile.json"), "{told:?}");
    assert!(told.stderr.contains("有合并冲突") && told.stderr.contains("--theirs"), "{told:?}");

    let config = repository.join(".aide/config.toml").canonicalize().unwrap();
    let text = fs::read_to_string(&config).unwrap();
    let sides = "<<<<<<< HEAD\n[flow]\nphases = [\"a\"]\n=======\n[flow]\nphases = [\"b\"]\n>>>>>>> other\n";
    fs::write(&config, format!("{text}{sides}")).unwrap();
    for arguments in [&["config", "list"][..], &["flow", "status"], &["decide", "submit", "{}"]] {
        let told = repository.aide(arguments);
        assert_eq!(told.code, Some(1), "{told:?}");
        assert!(told.stderr.contains("config.toml: 有合并冲突"), "{told:?}");
        assert!(told.stderr.contains(&format!("git checkout --ours -- {}", config.display())), "{told:?}");
    }
}

/// As an earlier version has left it: what belongs to the checkout is versioned, and no task but archived ones has a file.
fn of_earlier_version() -> Repository {
    let repository = Repository::with_task();
    let task = repository.state()["task_id"].as_str().unwrap().to_owned();
    ask(&repository, "x");
    answer(&repository);
    let ignored = fs::read_to_string(repository.join(".aide/.gitignore")).unwrap();
    let new = ["flow-status.json", "decisions/pending.json", "decisions/*.ended"];
    let ignored: Vec<&str> = ignored.lines().filter(|line| !new.contains(line)).collect();
    repository.write(".aide/.gitignore", ignored.join("\n") + "\n");
    fs::remove_file(repository.join(&format!(".aide/logs/flow-status.{task}.json"))).unwrap();
    for name in fs::read_dir(repository.join(".aide/decisions")).unwrap() {
        let path = name.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "ended") {
            fs::remove_file(path).unwrap();
        }
    }
    repository.git(["add", "-A"]);
    repository.git(["commit", "-q", "--amend", "--no-edit"]);
    let files = repository.git(["ls-files", ".aide"]);
    assert!(files.contains(".aide/flow-status.json") && files.contains("pending.json"), "{files}");
    repository
}

#[test]
fn a_project_of_an_earlier_version_goes_on_and_its_next_action_takes_out_what_belongs_to_the_checkout() {
    let repository = of_earlier_version();
    assert_eq!(latest(&repository, repository.path()), "开始");
    // A branch that goes on as before.
    repository.git(["branch", "old"]);
    repository.flow(["next-step", "一"]).succeeded("");
    assert_eq!(repository.unclean(), "");
    let files = repository.git(["ls-files", ".aide"]);
    assert!(!files.contains(".aide/flow-status.json") && !files.contains("pending.json"), "{files}");
    assert!(files.contains(".aide/logs/flow-status."), "{files}");
    assert_eq!(repository.state()["current_step"], 2);
    repository.folder.result().succeeded("{\"decisions\":[{\"id\":1,\"chosen\":\"no\"}]}\n");
    // There and back.
    repository.git(["switch", "-q", "old"]);
    assert_eq!(latest(&repository, repository.path()), "开始");
    repository.git(["switch", "-q", "main"]);
    assert_eq!(latest(&repository, repository.path()), "一");
    repository.flow(["next-step", "二"]).succeeded("");
    assert_eq!(repository.state()["current_step"], 3);
}

#[test]
fn a_task_that_git_does_not_see_is_the_same_on_every_branch() {
    let repository = Repository::without_commits();
    repository.write(".gitignore", ".aide/\n");
    repository.write("a", "a");
    repository.flow(["start", "impl", "一", "--yes"]).succeeded("✓ 任务开始: impl\n");
    repository.git(["switch", "-q", "-c", "other"]);
    repository.write("b", "b");
    repository.git(["add", "-A"]);
    repository.git(["commit", "-qm", "by hand"]);
    assert_eq!(latest(&repository, repository.path()), "一");
    repository.flow(["next-step", "二"]).succeeded("");
    assert_eq!(repository.state()["current_step"], 2);
    repository.git(["switch", "-q", "main"]);
    assert_eq!(latest(&repository, repository.path()), "二");
}

/// Their hooks rewrite messages: no commit can be found by its trailer.
#[test]
fn a_task_whose_commits_cannot_be_told_goes_on() {
    let repository = Repository::new();
    repository.hook("commit-msg", "echo rewritten > \"$1\"");
    repository.flow(["start", "impl", "一"]).succeeded("✓ 任务开始: impl\n");
    repository.git(["commit", "-q", "--allow-empty", "-m", "by hand"]);
    repository.flow(["next-step", "二"]).succeeded("");
    repository.git(["commit", "-q", "--allow-empty", "-m", "by hand"]);
    assert_eq!(latest(&repository, repository.path()), "二");
    // After a task whose commits can be told.
    repository.hook("commit-msg", "exit 0");
    assert_eq!(repository.flow(["start", "finish", "三"]).code, Some(0));
    repository.hook("commit-msg", "echo rewritten > \"$1\"");
    repository.flow(["start", "impl", "四"]).succeeded("✓ 任务开始: impl\n");
    repository.git(["commit", "-q", "--allow-empty", "-m", "by hand"]);
    assert_eq!(latest(&repository, repository.path()), "四");
}

#[test]
fn who_does_not_have_the_state_ignored_keeps_it_versioned() {
    let repository = Repository::without_commits();
    let ignored = fs::read_to_string(repository.join(".aide/.gitignore")).unwrap();
    repository.write(".aide/.gitignore", format!("{ignored}!flow-status.json\n"));
    repository.flow(["start", "impl", "一"]).succeeded("✓ 任务开始: impl\n");
    assert!(repository.git(["ls-files"]).contains(".aide/flow-status.json"));
    assert_eq!(repository.unclean(), "");
}
