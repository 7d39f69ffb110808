//! Kills at any moment of `aide flow`: afterwards the action is done or not, and the next one needs no repair.

use crate::support::chance::Chance;
use crate::support::repository::Repository;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Kills in all, half of them of `aide` alone. Each takes a good half second of two cores; `scripts/soak` asks for more.
const ROUNDS: u64 = 80;

fn rounds() -> u64 {
    ROUNDS / 2 * u64::from(effort::factor())
}

/// A repository in which actions are killed, and what was recorded in it.
struct Scene {
    repository: Repository,
    chance: Chance,
    /// The summaries of the entries that must be there, all tasks in the order of time.
    recorded: Vec<String>,
    /// How long an action takes.
    duration: Duration,
    number: u64,
}

impl Scene {
    fn new() -> Self {
        let repository = Repository::with_task();
        // A hook takes its time, so that a kill often meets git in the middle of a commit.
        repository.hook(
            "pre-commit",
            "git diff --cached --quiet; git ls-files >/dev/null; git update-index -q --refresh",
        );
        let recorded = vec!["开始".to_owned()];
        let duration = Duration::ZERO;
        let mut scene = Self { repository, chance: Chance::new(), recorded, duration, number: 0 };
        let began = Instant::now();
        for _ in 0..3 {
            let (arguments, summary) = scene.action(None);
            let told = scene.repository.aide(&arguments);
            assert_eq!(told.code, Some(0), "{told:?}");
            scene.recorded.push(summary);
        }
        scene.duration = began.elapsed() / 3;
        scene
    }

    /// Any action that is possible in this phase, and its summary; some files have changed. `None`: it is possible in any.
    fn action(&mut self, phase: Option<&str>) -> (Vec<String>, String) {
        self.number += 1;
        let summary = format!("第 {} 个", self.number);
        for file in 0..3 {
            self.repository.write(&format!("file-{file}"), format!("{} {file}", self.number));
        }
        let action = match (self.chance.below(7), phase.unwrap_or_default()) {
            (0, _) => "start impl",
            (1, "impl") => "next-part verify",
            (1 | 2, "verify") => "back-part impl",
            (3, _) => "back-step",
            (4, _) => "issue",
            (5, _) => "error",
            _ => "next-step",
        };
        let words = ["flow"].into_iter().chain(action.split(' ')).map(str::to_owned);
        (words.chain([summary.clone()]).collect(), summary)
    }

    /// One action that is killed at any moment, with git or without.
    fn kill(&mut self, is_group: bool) {
        let phase = self.repository.state()["current_phase"].as_str().unwrap().to_owned();
        let (arguments, summary) = self.action(Some(&phase));
        let mut command = self.repository.command(&arguments);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).spawn().unwrap();
        let moment = self.duration.as_micros() as u64 * 5 / 4;
        // Not to wait for anything: this is the moment that is tried.
        thread::sleep(Duration::from_micros(self.chance.below(moment)));
        kill(&mut child, is_group);
        // Not every program that looks waits for the other.
        match self.chance.below(4) {
            0 => drop(self.repository.try_git(["status", "--porcelain"])),
            1 => assert_eq!(self.repository.flow(["status", "--json"]).code, Some(0)),
            _ => {}
        }
        // The task's phase is not known yet.
        let (next, after) = self.action(None);
        let told = self.repository.aide(&next);
        assert_eq!(told.code, Some(0), "seed {}, {arguments:?} then {next:?}: {told:?}", self.chance.0);
        let found = self.entries();
        let has_killed = found.iter().any(|(found, _)| *found == summary);
        self.recorded.extend(has_killed.then_some(summary));
        self.recorded.push(after);
        let summaries: Vec<_> = found.iter().map(|(summary, _)| summary.clone()).collect();
        assert_eq!(summaries, self.recorded, "seed {}", self.chance.0);
    }

    /// The entries of all tasks in the order of time, with their commits.
    fn entries(&self) -> Vec<(String, String)> {
        let folder = self.repository.join(".aide/logs");
        let mut archives: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        archives.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        let mut tasks: Vec<Value> =
            archives.iter().map(|path| serde_json::from_slice(&fs::read(path).unwrap()).unwrap()).collect();
        // What follows the seconds is a number.
        tasks.sort_by_key(|task| {
            let id = task["task_id"].as_str().unwrap();
            (id[..19].to_owned(), id[19..].trim_start_matches('-').parse::<u32>().unwrap_or(1))
        });
        // The file of the current task does not know its latest commit.
        let current: Value = serde_json::from_str(&self.repository.flow(["show", "--json"]).stdout).unwrap();
        tasks.retain(|task| task["task_id"] != current["task_id"]);
        tasks.push(current);
        let mut entries = Vec::new();
        for task in tasks {
            for entry in task["history"].as_array().unwrap() {
                let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
                entries.push((text("summary"), text("git_commit")));
            }
        }
        entries
    }

    /// Every entry has the commit that says so, and every commit but the first an entry.
    fn check(&self) {
        let log = self.repository.git(["log", "--reverse", "--format=%H %s"]);
        let commits: Vec<_> = log
            .lines()
            .skip(1)
            .map(|line| {
                let (hash, subject) = line.split_once(' ').unwrap();
                (subject.rsplit_once(": ").unwrap().1.to_owned(), hash.to_owned())
            })
            .collect();
        assert_eq!(self.entries(), commits, "seed {}", self.chance.0);
        assert_eq!(self.repository.unclean(), "");
        assert_eq!(self.repository.left(), [""; 0]);
        self.repository.git(["fsck", "--strict"]);
        let summaries: BTreeSet<_> = self.recorded.iter().collect();
        assert_eq!(summaries.len(), self.recorded.len(), "nothing was recorded twice");
    }
}

fn kill(child: &mut Child, is_group: bool) {
    if is_group {
        // It may have ended in this very moment.
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    } else {
        let _ = child.kill();
    }
    child.wait().unwrap();
}

fn kill_many(is_group: bool) {
    let mut scene = Scene::new();
    for round in 0..rounds() {
        scene.kill(is_group);
        if round % 10 == 9 {
            scene.check();
        }
    }
    scene.check();
    let actions = scene.number - 3;
    let done = scene.recorded.len() as u64 - 4;
    // Half of the actions were not killed; of the others some were done and some not. How many depends on how busy the
    // machine is.
    assert!(done > actions / 2 && done < actions, "{done} of {actions}");
}

#[test]
fn whoever_kills_aide_leaves_the_action_done_or_not() {
    kill_many(false);
}

#[test]
fn whoever_kills_aide_and_git_leaves_the_action_done_or_not() {
    kill_many(true);
}

/// With references in tables, if git knows of them.
fn with_tables() -> Repository {
    let repository = Repository::with_task();
    fs::remove_dir_all(repository.join(".git")).unwrap();
    fs::remove_file(repository.join(".aide/flow-status.json")).unwrap();
    fs::remove_dir_all(repository.join(".aide/logs")).unwrap();
    if repository.try_git(["init", "-q", "--ref-format=reftable"]).code != Some(0) {
        repository.git(["init", "-q"]);
    }
    repository.flow(["start", "impl", "开始", "--yes"]).succeeded("✓ 任务开始: impl\n");
    repository
}

/// The one moment at which a killed git leaves locks on the branch, and those before and after it.
#[test]
fn locks_that_a_killed_git_has_left_on_the_branch_are_removed() {
    for (tables, moment, is_done) in [
        (false, "prepared", false),
        (false, "committed", true),
        (true, "prepared", false),
        (true, "committed", true),
    ] {
        let repository = if tables { with_tables() } else { Repository::with_task() };
        repository.write("new", "new");
        // Aide, git and the hook are one group.
        let kill = format!("[ \"$1\" = {moment} ] && kill -9 0; exit 0");
        repository.hook("reference-transaction", &kill);
        let mut command = repository.command(["flow", "next-step", "一"]);
        let mut child = command.process_group(0).spawn().unwrap();
        assert_eq!(child.wait().unwrap().code(), None, "killed");
        assert!(!repository.left().is_empty(), "{moment}");
        let locks = [".git/refs/heads/main.lock", ".git/reftable/tables.list.lock"];
        let is_locked = locks.into_iter().any(|lock| repository.join(lock).exists());
        assert_eq!(is_locked, !is_done, "{moment}");
        fs::remove_file(repository.join(".git/hooks/reference-transaction")).unwrap();

        repository.flow(["next-step", "二"]).succeeded("");
        let log = repository.git(["log", "-2", "--format=%s"]);
        let former = if is_done { "一" } else { "开始" };
        assert_eq!(log, format!("[aide] impl: 二\n[aide] impl: {former}"), "{moment}");
        assert_eq!(repository.state()["current_step"], if is_done { 3 } else { 2 }, "{moment}");
        assert_eq!((repository.unclean(), repository.left().len()), (String::new(), 0), "{moment}");
    }
}

/// As git advises users who find its index locked.
#[test]
fn what_was_staged_after_the_lock_was_taken_away_by_hand_stays_staged() {
    let repository = Repository::with_task();
    repository.configure("[flow.git]\nadd_strategy = \"staged\"\n");
    repository.write("both", "first");
    repository.git(["add", "-A"]);
    repository.hook("post-commit", "kill -9 0");
    let mut child = repository.command(["flow", "next-step", "一"]).process_group(0).spawn().unwrap();
    assert_eq!(child.wait().unwrap().code(), None, "killed");
    fs::remove_file(repository.join(".git/hooks/post-commit")).unwrap();
    fs::remove_file(repository.join(".git/index.lock")).unwrap();
    repository.write("staged", "staged");
    repository.git(["add", "staged"]);
    repository.write("staged", "and changed again");
    assert_eq!(repository.flow(["status", "--json"]).code, Some(0));
    assert_eq!(repository.unclean(), "AM staged");
    assert_eq!(repository.left(), [""; 0]);
    repository.flow(["next-step", "二"]).succeeded("");
    assert_eq!(repository.git(["show", "HEAD:staged"]), "staged");
    assert_eq!(repository.git(["show", "HEAD:both"]), "first");
    assert_eq!(
        (repository.unclean(), &repository.state()["current_step"]),
        (" M staged".to_owned(), &3.into())
    );
}
