//! `aide flow` by many at once: one after the other, each wholly, or not at all.

use crate::support::repository::Repository;
use crate::support::{CommandOutput, until};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const BUSY: &str = "✗ 状态文件被占用";

fn spawn(mut command: Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn summaries(state: &Value) -> Vec<String> {
    let entries = state["history"].as_array().unwrap().iter();
    entries.map(|entry| entry["summary"].as_str().unwrap().to_owned()).collect()
}

/// A commit that does not end before the file `go` is there. It says where it is by the file `slow`.
fn slow(repository: &Repository) {
    repository.write(".git/info/exclude", "go\nslow\n");
    repository.hook("pre-commit", ": >slow; while [ ! -e go ]; do sleep 0.01; done");
}

#[test]
fn sixty_four_steps_at_once_are_recorded_once_each_or_say_who_is_busy() {
    let repository = Repository::with_task();
    let children: Vec<_> = (0..64)
        .map(|number| (number, spawn(repository.command(["flow", "next-step", &format!("第 {number} 步")]))))
        .collect();
    let mut recorded = BTreeSet::new();
    for (number, child) in children {
        let told = CommandOutput::new(child.wait_with_output().unwrap()).without_commit();
        match told.code {
            Some(0) => {
                told.succeeded("");
                recorded.insert(format!("第 {number} 步"));
            }
            _ => told.failed_with(1, BUSY),
        }
    }
    assert!(!recorded.is_empty());
    let state = repository.state();
    let steps = &summaries(&state)[1..];
    assert_eq!(steps.len(), recorded.len());
    assert_eq!(steps.iter().cloned().collect::<BTreeSet<_>>(), recorded);
    let numbers: Vec<_> =
        state["history"].as_array().unwrap().iter().map(|entry| entry["step"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=steps.len() as u64 + 1).collect::<Vec<_>>());
    // In the order of the commits, each of which has one entry.
    let log = repository.git(["log", "--reverse", "--format=%s", "HEAD~1"]);
    let subjects: Vec<_> = log.lines().skip(2).map(|subject| subject.replace("[aide] impl: ", "")).collect();
    assert_eq!(subjects, steps[..steps.len() - 1]);
    assert_eq!((repository.unclean(), repository.left().len()), (String::new(), 0));
    repository.flow(["next-step", "之后"]).succeeded("");
}

#[test]
fn whoever_has_waited_three_seconds_says_who_is_busy_and_with_what() {
    let repository = Repository::with_task();
    slow(&repository);
    let former = repository.snapshot().state;
    let first = spawn(repository.command(["flow", "issue", "慢"]));
    until("the hook", || repository.join("slow").exists());
    let began = Instant::now();
    let told = repository.flow(["next-step", "快"]);
    let holder = format!("{BUSY}（进程 {} 正在执行 aide flow issue）\n  建议: 请稍后重试\n", first.id());
    told.failed(1, &holder);
    assert!(began.elapsed() >= Duration::from_secs(3));
    // A reader does not wait for the hook, which runs until `go` is there, and sees the previous state.
    let shown: Value = serde_json::from_str(&repository.flow(["status", "--json"]).stdout).unwrap();
    assert_eq!((&shown["latest"]["summary"], &shown["current_step"]), (&"开始".into(), &1.into()));
    let shown: Value = serde_json::from_str(&repository.flow(["list", "--json"]).stdout).unwrap();
    assert_eq!(shown[0]["step"], 1);
    assert_ne!(repository.snapshot().state, former, "the hook sees what is committed");
    repository.write("go", "");
    CommandOutput::new(first.wait_with_output().unwrap()).without_commit().succeeded("");
    repository.flow(["next-step", "快"]).succeeded("");
    assert_eq!(summaries(&repository.state()), ["开始", "慢", "快"]);
}

#[test]
fn whoever_waits_less_goes_on_by_himself() {
    let repository = Repository::with_task();
    slow(&repository);
    let first = spawn(repository.command(["flow", "next-step", "一"]));
    until("the hook", || repository.join("slow").exists());
    let second = spawn(repository.command(["flow", "next-part", "verify", "二"]));
    repository.write("go", "");
    CommandOutput::new(first.wait_with_output().unwrap()).without_commit().succeeded("");
    CommandOutput::new(second.wait_with_output().unwrap()).without_commit().succeeded("✓ 进入环节: verify\n");
    assert_eq!(summaries(&repository.state()), ["开始", "一", "二"]);
}

/// Git holds the lease as long as it runs, so that no other process takes its commit for one that was not made.
#[test]
fn a_git_that_outlives_its_aide_is_waited_for() {
    let repository = Repository::with_task();
    slow(&repository);
    let mut killed = spawn(repository.command(["flow", "next-step", "一"]));
    until("the hook", || repository.join("slow").exists());
    killed.kill().unwrap();
    killed.wait().unwrap();
    repository.flow(["next-step", "二"]).failed_with(1, &format!("{BUSY}（进程 {} ", killed.id()));
    let second = spawn(repository.command(["flow", "next-step", "二"]));
    repository.write("go", "");
    CommandOutput::new(second.wait_with_output().unwrap()).without_commit().succeeded("");
    assert_eq!(summaries(&repository.state()), ["开始", "一", "二"]);
    assert_eq!((repository.unclean(), repository.left().len()), (String::new(), 0));
}

/// A manual `git commit` fails while another process holds the index, and has then committed nothing.
#[test]
fn commits_by_hand_at_the_same_time_lose_nothing() {
    let repository = Repository::with_task();
    let by_hand = |number: usize| {
        let mut git = Command::new("git");
        repository.equip(&mut git);
        git.args(["commit", "-q", "--allow-empty", "-m", &format!("by hand {number}")]);
        CommandOutput::new(git.output().unwrap()).code == Some(0)
    };
    let (mine, theirs) = thread::scope(|scope| {
        let mine = scope.spawn(|| {
            (0..100).filter(|number| by_hand(*number)).map(|n| format!("by hand {n}")).collect::<Vec<_>>()
        });
        let mut theirs = Vec::new();
        for number in 0..15 {
            repository.write("file", number.to_string());
            let told = repository.flow(["next-step", &number.to_string()]);
            // The branch may have moved while git ran its hooks.
            match told.code {
                Some(0) => theirs.push(format!("[aide] impl: {number}")),
                _ => told.failed_with(1, "✗ git "),
            }
        }
        (mine.join().unwrap(), theirs)
    });
    assert!(!mine.is_empty() && !theirs.is_empty(), "{mine:?} {theirs:?}");
    let log = repository.git(["log", "--reverse", "--format=%s"]);
    let of = |beginning: &str| -> Vec<_> {
        log.lines().skip(2).filter(|subject| subject.starts_with(beginning)).map(str::to_owned).collect()
    };
    assert_eq!((of("by hand"), of("[aide]")), (mine, theirs.clone()));
    assert_eq!(summaries(&repository.state()).len(), theirs.len() + 1);
    assert_eq!(repository.left(), [""; 0]);
    repository.flow(["next-step", "之后"]).succeeded("");
    assert_eq!(repository.unclean(), "");
    repository.git(["fsck", "--strict"]);
}

#[test]
fn a_commit_by_hand_that_is_being_written_and_an_action_do_not_meet() {
    let repository = Repository::with_task();
    repository.write("README.md", "by hand");
    repository.git(["add", "-A"]);
    slow(&repository);
    let mut git = Command::new("git");
    repository.equip(&mut git);
    git.args(["commit", "-q", "-m", "by hand"]);
    let by_hand = spawn(git);
    until("the hook", || repository.join("slow").exists());
    fs::remove_file(repository.join(".git/hooks/pre-commit")).unwrap();
    repository.flow(["next-step", "一"]).succeeded("");
    repository.write("go", "");
    // Git itself sees that the branch has moved. What was staged is in the other commit.
    let told = CommandOutput::new(by_hand.wait_with_output().unwrap());
    assert!(told.code != Some(0) && told.stderr.contains("cannot lock ref 'HEAD'"), "{told:?}");
    assert_eq!(repository.git(["show", "HEAD:README.md"]), "by hand");
    assert_eq!((repository.subject(), repository.unclean()), ("[aide] impl: 一".to_owned(), String::new()));
}

#[test]
fn two_projects_in_one_repository_at_once_record_everything() {
    let repository = Repository::new();
    let projects = ["one", "two"];
    thread::scope(|scope| {
        for project in projects {
            repository.write(&format!("{project}/.aide/config.toml"), "");
            let repository = &repository;
            scope.spawn(move || {
                let run = |arguments: &[&str]| {
                    let mut command = repository.command(arguments);
                    let told =
                        CommandOutput::new(command.current_dir(repository.join(project)).output().unwrap());
                    assert_eq!(told.code, Some(0), "{told:?}");
                    told.stdout
                };
                run(&["flow", "start", "impl", project]);
                for number in 0..10 {
                    repository.write(&format!("{project}/file"), number.to_string());
                    run(&["flow", "next-step", &format!("{project} {number}")]);
                }
                let shown: Value = serde_json::from_str(&run(&["flow", "show", "--json"])).unwrap();
                for entry in shown["history"].as_array().unwrap() {
                    let commit = entry["git_commit"].as_str().unwrap();
                    let subject = repository.git(["log", "-1", "--format=%s", commit]);
                    assert_eq!(subject, format!("[aide] impl: {}", entry["summary"].as_str().unwrap()));
                    let files = repository.git(["show", "--name-only", "--format=", commit]);
                    assert!(files.lines().all(|file| file.starts_with(project)), "{files}");
                }
            });
        }
    });
    assert_eq!(repository.git(["rev-list", "--count", "HEAD"]), "23");
    assert_eq!((repository.unclean(), repository.left().len()), (String::new(), 0));
}
