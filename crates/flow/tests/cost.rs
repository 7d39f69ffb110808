//! What a step costs when much has been recorded before it, in bytes that are read and written: they do not depend on the
//! machine.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use flow::{Consent, Request};
use model::flow::{Action, FlowStatus, Summary};
use process::Cancellation;
use settings::FlowConfig;
use std::fs;
use std::path::Path;
use std::process::Command;
use store::Project;

const TASK: &str = "2025-01-15T10-30-00";

fn git(root: &Path, arguments: &[&str]) {
    let output = Command::new("git").arg("-C").arg(root).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// How many bytes this process has read and written, and those that it has waited for.
fn transferred() -> [u64; 2] {
    let counts = fs::read_to_string("/proc/self/io").unwrap();
    let count =
        |name| counts.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().parse().unwrap();
    ["rchar:", "wchar:"].map(count)
}

/// Records a step after `entries` others. Returns the size of the state before, and how many bytes the step has read and written.
fn cost_of_step(entries: usize) -> (u64, [u64; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    store::init(root).unwrap();
    git(root, &["init", "-q"]);
    for (key, value) in [("user.name", "Ann"), ("user.email", "ann@example.com"), ("gc.auto", "0")] {
        git(root, &["config", key, value]);
    }
    let summary = Summary::new("a step of the task, which does something").unwrap();
    let now = "2025-01-15T10:30:00+08:00";
    let mut status = FlowStatus::start(TASK.parse().unwrap(), now, "impl", &summary);
    for _ in 1..entries {
        status.record(Action::NextStep, now, "impl", &summary);
    }
    let mut bytes = serde_json::to_vec_pretty(&status).unwrap();
    bytes.push(b'\n');
    fs::write(root.join(".aide/flow-status.json"), &bytes).unwrap();
    fs::write(root.join(format!(".aide/logs/flow-status.{TASK}.json")), &bytes).unwrap();
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "-m", &format!("x\n\nAide-Step: {TASK}/{entries}")]);

    let project = Project::at(root).unwrap();
    let request = Request { action: Action::NextStep, phase: None, summary: "one more".to_owned() };
    let before = transferred();
    let report =
        flow::act(&project, &FlowConfig::default(), &request, &Consent::none(), &Cancellation::default());
    let after = transferred();
    assert!(report.unwrap().commit.is_some());
    assert_eq!(fs::read_dir(root.join(".git/aide")).unwrap().count(), 2, "the lock and the note");
    (u64::try_from(bytes.len()).unwrap(), [after[0] - before[0], after[1] - before[1]])
}

/// The two files of the state are written once each, as are the copies of their former versions, and git adds its compressed one.
/// They are read once each before, and compared once each after the commit: a hook may have changed them.
#[test]
fn a_step_reads_and_writes_the_history_no_more_often_than_the_format_says() {
    let ((less, cost), (more, higher)) = (cost_of_step(1_000), cost_of_step(10_000));
    let [read, written] = [0, 1].map(|at| (higher[at] - cost[at]) as f64 / (more - less) as f64);
    assert!((4.0..4.4).contains(&written), "{written} times the history written");
    assert!((3.9..4.2).contains(&read), "{read} times the history read");
}
