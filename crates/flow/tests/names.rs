//! Names of tasks and files that git would take for patterns.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use flow::{ActionReport, Consent, FlowError, Request};
use model::flow::{Action, FlowStatus};
use process::Cancellation;
use settings::{AddStrategy, FlowConfig};
use std::fs;
use std::path::Path;
use std::process::Command;
use store::{Project, flow_task_path};
use tempfile::TempDir;

fn git(root: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git").arg("-C").arg(root).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A repository with a project in this folder of it; an empty name is the repository itself.
fn repository(folder: &str) -> (TempDir, Project) {
    let top = tempfile::tempdir().unwrap();
    git(top.path(), &["init", "-q"]);
    git(top.path(), &["config", "user.name", "Ann"]);
    git(top.path(), &["config", "user.email", "ann@example.com"]);
    git(top.path(), &["config", "gc.auto", "0"]);
    let root = top.path().join(folder);
    fs::create_dir_all(&root).unwrap();
    store::init(&root).unwrap();
    let project = Project::at(&root).unwrap();
    (top, project)
}

fn config(add_strategy: AddStrategy) -> FlowConfig {
    let mut config = FlowConfig { phases: ["a", "b"].map(str::to_owned).to_vec(), ..FlowConfig::default() };
    config.git.enabled = true;
    config.git.add_strategy = add_strategy;
    config.changelog.enabled = false;
    config
}

fn act(
    project: &Project,
    config: &FlowConfig,
    action: Action,
    phase: Option<&str>,
) -> Result<ActionReport, FlowError> {
    let request = Request { action, phase: phase.map(str::to_owned), summary: "x".to_owned() };
    flow::act(project, config, &request, &Consent::none(), &Cancellation::default())
}

fn status(root: &Path) -> FlowStatus {
    FlowStatus::parse(&fs::read(root.join(".aide/flow-status.json")).unwrap()).unwrap()
}

/// Patterns that match this name, none of which is the name.
fn patterns_of(name: &str) -> [String; 3] {
    let (first, rest) = name.split_at(1);
    [format!("{}*", &name[..2]), format!("?{rest}"), format!("[{first}]{rest}")]
}

#[test]
fn the_id_of_a_task_is_no_pattern_for_the_files_of_other_tasks() {
    let config = config(AddStrategy::Staged);
    for at in 0..3 {
        let (top, project) = repository("");
        let root = top.path();
        act(&project, &config, Action::Start, Some("a")).unwrap();
        let first = status(root);
        let path = root.join(".aide/flow-status.json");
        let id = &patterns_of(first.task_id.as_str())[at];
        let text = fs::read_to_string(&path).unwrap().replace(first.task_id.as_str(), id);
        fs::write(&path, text).unwrap();
        assert_eq!(status(root).task_id.as_str(), id);
        // The user has changed the file of the other task, and not added it.
        let other = flow_task_path(&first.task_id);
        let text = fs::read_to_string(root.join(&other)).unwrap();
        fs::write(root.join(&other), format!("{text}\n")).unwrap();
        act(&project, &config, Action::NextStep, None).unwrap();
        let own = flow_task_path(&status(root).task_id);
        let committed = git(root, &["show", "-z", "--name-only", "--format=", "HEAD"]);
        assert!(committed.split('\0').any(|name| name == own), "{id}: {committed}");
        assert_eq!(git(root, &["diff", "-z", "--name-only", "--cached"]), "", "{id}");
        assert_eq!(git(root, &["diff", "-z", "--name-only"]), format!("{other}\0"), "{id}");
    }
}

#[test]
fn a_file_that_is_left_out_takes_no_other_with_it() {
    let key =
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----\n";
    for secret in patterns_of("note.txt") {
        let (top, project) = repository("");
        let root = top.path();
        fs::write(root.join("note.txt"), "x").unwrap();
        fs::write(root.join(&secret), key).unwrap();
        act(&project, &config(AddStrategy::All), Action::Start, Some("a")).unwrap();
        let committed = git(root, &["show", "-z", "--name-only", "--format=", "HEAD"]);
        assert!(committed.split('\0').any(|name| name == "note.txt"), "{secret}: {committed}");
        assert_eq!(git(root, &["status", "-z", "--porcelain"]), format!("?? {secret}\0"));
    }
}

#[test]
fn the_name_of_the_change_log_is_no_pattern() {
    for name in patterns_of("log.md") {
        let (top, project) = repository("");
        let root = top.path();
        let mut config = config(AddStrategy::All);
        config.phases = ["docs", "finish"].map(str::to_owned).to_vec();
        config.changelog.enabled = true;
        config.changelog.required = true;
        config.changelog.path.clone_from(&name);
        fs::write(root.join(&name), "1").unwrap();
        fs::write(root.join("log.md"), "1").unwrap();
        git(root, &["add", "-A"]);
        git(root, &["commit", "-q", "-m", "before"]);
        act(&project, &config, Action::Start, Some("docs")).unwrap();
        // Another file that it matches.
        fs::write(root.join("log.md"), "2").unwrap();
        let error = act(&project, &config, Action::NextPart, Some("finish")).unwrap_err();
        assert!(matches!(error, FlowError::Hook(_)), "{name}: {error:?}");
        fs::write(root.join(&name), "2").unwrap();
        act(&project, &config, Action::NextPart, Some("finish")).unwrap();
    }
}

/// The changes of a step are shown without the file of the state, which changes with each; but with that of another project.
#[test]
fn the_folder_of_a_project_is_no_pattern() {
    for folder in patterns_of("shop") {
        let (top, project) = repository(&folder);
        fs::write(project.root().join("a.txt"), "x\n").unwrap();
        act(&project, &config(AddStrategy::All), Action::Start, Some("a")).unwrap();
        let head = git(top.path(), &["rev-parse", "HEAD"]).trim().to_owned();
        let changes = flow::changes(&project, &[&head]).unwrap();
        let state = format!("{folder}/.aide/flow-status.json");
        let paths: Vec<&str> = changes[&head].iter().map(|file| file.path.as_str()).collect();
        assert!(paths.contains(&&*format!("{folder}/a.txt")), "{paths:?}");
        assert!(!paths.contains(&&*state), "{paths:?}");
        fs::create_dir_all(top.path().join("shop/.aide")).unwrap();
        fs::write(top.path().join("shop/.aide/flow-status.json"), "x\n").unwrap();
        git(top.path(), &["add", "-A"]);
        git(top.path(), &["commit", "-q", "-m", "another project"]);
        let head = git(top.path(), &["rev-parse", "HEAD"]).trim().to_owned();
        let changes = flow::changes(&project, &[&head]).unwrap();
        let paths: Vec<&str> = changes[&head].iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["shop/.aide/flow-status.json"], "{folder}");
    }
}
