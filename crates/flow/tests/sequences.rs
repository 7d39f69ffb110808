//! Random actions against a model of phases and steps: what it allows is done, all else changes nothing.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use flow::{Consent, FlowError, Request};
use model::flow::{Action, FlowStatus};
use process::Cancellation;
use proptest::prelude::*;
use settings::FlowConfig;
use std::fs;
use std::path::Path;
use std::process::Command;
use store::Project;

const PHASES: [&str; 4] = ["a", "flow-design", "c", "finish"];

/// What should have been recorded.
#[derive(Debug, Clone, Default)]
struct Model {
    tasks: Vec<Vec<(Action, usize)>>,
}

impl Model {
    /// Whether the action is possible; then it is recorded.
    fn act(&mut self, action: Action, phase: Option<usize>) -> bool {
        if action == Action::Start {
            let Some(phase) = phase else { return false };
            self.tasks.push(vec![(action, phase)]);
            return true;
        }
        let Some(task) = self.tasks.last_mut() else { return false };
        let Some((_, present)) = task.last().copied() else { return false };
        let next = match (action, phase) {
            (Action::NextPart, Some(phase)) if phase == present + 1 => phase,
            (Action::BackPart, Some(phase)) if phase < present => phase,
            (Action::NextPart | Action::BackPart, _) => return false,
            _ => present,
        };
        task.push((action, next));
        true
    }
}

fn any_step() -> impl Strategy<Value = (Action, usize)> {
    // Index 4 is no phase.
    let action = prop_oneof![
        1 => Just(Action::Start),
        3 => Just(Action::NextStep),
        4 => Just(Action::NextPart),
        2 => Just(Action::BackPart),
        1 => Just(Action::BackStep),
        1 => Just(Action::Issue),
        1 => Just(Action::Error),
    ];
    (action, 0..=PHASES.len())
}

fn config(with_git: bool) -> FlowConfig {
    let mut config = FlowConfig { phases: PHASES.map(str::to_owned).to_vec(), ..FlowConfig::default() };
    config.git.enabled = with_git;
    config
}

fn state(root: &Path) -> Option<Vec<u8>> {
    fs::read(root.join(".aide/flow-status.json")).ok()
}

fn git(root: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git").arg("-C").arg(root).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Does `steps` in a folder of their own; the history must be the model's after each.
fn run(steps: &[(Action, usize)], with_git: bool) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    store::init(root).unwrap();
    if with_git {
        git(root, &["init", "-q"]);
        git(root, &["config", "user.name", "Ann"]);
        git(root, &["config", "user.email", "ann@example.com"]);
        git(root, &["config", "gc.auto", "0"]);
    }
    let project = Project::at(root).unwrap();
    let config = config(with_git);
    let mut model = Model::default();
    let mut commits = 0;
    for (number, (action, phase)) in steps.iter().enumerate() {
        let before = state(root);
        let allowed = model.act(*action, (*phase < PHASES.len()).then_some(*phase));
        let name = PHASES.get(*phase).copied().unwrap_or("nowhere").to_owned();
        let request = Request { action: *action, phase: Some(name), summary: format!("step {number}") };
        let done = flow::act(&project, &config, &request, &Consent::none(), &Cancellation::default());
        assert_eq!(done.is_ok(), allowed, "{number}: {action:?} {phase}: {done:?}");
        match done {
            Ok(done) => {
                commits += 1;
                assert_eq!(done.commit.is_some(), with_git);
            }
            Err(error) => {
                assert!(matches!(error, FlowError::Phase(_) | FlowError::NoTask), "{error:?}");
                assert_eq!(state(root), before, "nothing is written");
            }
        }
        let Some(bytes) = state(root) else { continue };
        let found = FlowStatus::parse(&bytes).unwrap();
        let task = model.tasks.last().unwrap();
        let history: Vec<_> =
            found.history.iter().map(|entry| (entry.action, &*entry.phase, entry.step)).collect();
        let expected: Vec<_> =
            task.iter().zip(1..).map(|((action, phase), step)| (*action, PHASES[*phase], step)).collect();
        assert_eq!(history, expected);
        assert_eq!(
            (found.current_step, &*found.current_phase),
            (task.len() as u64, expected[task.len() - 1].1)
        );
    }
    let (present, earlier) = flow::tasks(&project, &config).unwrap();
    assert_eq!(usize::from(present.is_some()) + earlier.len(), model.tasks.len());
    for (task, expected) in earlier.iter().rev().zip(&model.tasks) {
        let status = task.status.as_ref().unwrap();
        assert_eq!(status.history.len(), expected.len());
        assert_eq!(status.history.iter().all(|entry| entry.git_commit.is_some()), with_git);
    }
    if with_git && commits > 0 {
        assert_eq!(git(root, &["rev-list", "--count", "HEAD"]).trim(), commits.to_string());
        assert_eq!(git(root, &["status", "--porcelain"]), "");
        let present = present.unwrap();
        assert_eq!(
            present.newest().unwrap().git_commit.as_deref(),
            Some(git(root, &["rev-parse", "HEAD"]).trim())
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]
    #[test]
    fn three_hundred_sequences_are_recorded_as_the_model_says(steps in proptest::collection::vec(any_step(), 1..25)) {
        run(&steps, false);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]
    #[test]
    fn and_with_commits(steps in proptest::collection::vec(any_step(), 1..12)) {
        run(&steps, true);
    }
}
