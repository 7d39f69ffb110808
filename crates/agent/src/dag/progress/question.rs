//! Questions to people about tasks, and the tasks that their answers are for.

use crate::dag::Choice;
use crate::dag::gate::{Evidence, Requirement};
use crate::dag::select::Ambiguity;
use protocol::agent::{HumanDecision, Id, Timestamp};
use std::collections::BTreeMap;

/// What a person has said to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HumanAnswer {
    /// The decision.
    pub decision: HumanDecision,
    /// The key of what was chosen, or the answer in the person's own words.
    pub selected: Option<String>,
    /// Whether none of the options was chosen, but something else written.
    pub in_own_words: bool,
}

impl HumanAnswer {
    /// Whether to try the failed command again: that was chosen, or the answer says how to do it. `seq` is the number of the
    /// failed command, 0 if there was none: then nothing can be tried again.
    pub(super) fn wants_another_try(&self, seq: u64) -> bool {
        seq > 0 && (self.selected.as_deref() == Some(AGAIN) || self.in_own_words)
    }
}

/// What the user has written for the next attempts at a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// When.
    pub written_at: Timestamp,
    /// The number of its command. Of two instructions of one second, the one about the later command is the latest.
    pub seq: u64,
    /// The words.
    pub text: String,
}

/// A question to a person.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The task.
    pub task_id: Id,
    /// What about.
    pub about: QuestionSubject,
    /// The number of the command that it is about.
    pub seq: u64,
}

/// The key of the choice that has a failed task tried again.
pub(crate) const AGAIN: &str = "again";

/// What a person is asked about.
#[derive(Debug, Clone, PartialEq)]
pub enum QuestionSubject {
    /// A dependency has failed: continue without it?
    Dependency(Id),
    /// Several files fit an input: which one? `INPUT_AMBIGUOUS`.
    Input(Ambiguity),
    /// The work is still not good enough: take it as it is?
    Gate(Vec<Evidence>),
    /// These judgements are missing, and their reviewers have ended: continue without them?
    Evidence {
        /// The judgements.
        missing: Vec<Requirement>,
        /// Their reviewers that can be tried again.
        reviewers: Vec<Reviewer>,
    },
    /// The planner cannot be reached: what now?
    Replan(Id),
}

/// A task that was to judge another one, and has ended without.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reviewer {
    /// The task.
    pub task_id: Id,
    /// The number of its command.
    pub seq: u64,
    /// Whether that has failed.
    pub has_failed: bool,
}

impl Question {
    /// Returns the task whose failure it is about, if it is about one.
    pub fn failed(&self) -> Option<&Id> {
        match &self.about {
            QuestionSubject::Dependency(failed) | QuestionSubject::Replan(failed) => Some(failed),
            QuestionSubject::Evidence { reviewers, .. } => {
                reviewers.iter().find(|reviewer| reviewer.has_failed).map(|reviewer| &reviewer.task_id)
            }
            QuestionSubject::Input(_) | QuestionSubject::Gate(_) => None,
        }
    }

    /// Returns the key under which it is asked once.
    pub fn key(&self) -> String {
        let Self { task_id, seq, .. } = self;
        match &self.about {
            QuestionSubject::Dependency(failed) => format!("dependency:{task_id}:{failed}:{seq}"),
            QuestionSubject::Input(ambiguity) => {
                let choices: Vec<String> = ambiguity.candidates.iter().map(Choice::key).collect();
                format!("input:{task_id}:{}:{}", ambiguity.input_name, choices.join(";"))
            }
            QuestionSubject::Gate(_) => format!("gate:{task_id}:{seq}"),
            QuestionSubject::Evidence { missing, reviewers } => {
                let names: Vec<&str> = missing.iter().map(Requirement::name).collect();
                let names = names.join(",");
                if reviewers.is_empty() {
                    return format!("evidence:{task_id}:{seq}:{names}");
                }
                let reviewers: Vec<String> =
                    reviewers.iter().map(|one| format!("{}={}", one.task_id, one.seq)).collect();
                format!("review:{task_id}:{seq}:{}:{names}", reviewers.join(","))
            }
            QuestionSubject::Replan(failed) => format!("replan:{task_id}:{failed}:{seq}"),
        }
    }
}

/// Returns the failed tasks that people, when asked about them, have wanted to be tried again, with the numbers of the commands
/// that had failed.
pub(crate) fn retried(asked: &BTreeMap<String, Option<HumanAnswer>>) -> BTreeMap<Id, u64> {
    let mut retried = BTreeMap::new();
    for (key, answer) in asked {
        let Some(answer) = answer else { continue };
        for (failed, seq) in failures_in(key).into_iter().filter(|(_, seq)| answer.wants_another_try(*seq)) {
            let known: &mut u64 = retried.entry(failed).or_insert(seq);
            *known = seq.max(*known);
        }
    }
    retried
}

/// The tasks whose failure a question is about, with the numbers of their commands, by the key of the question.
fn failures_in(key: &str) -> Vec<(Id, u64)> {
    let parts: Vec<&str> = key.split(':').collect();
    match parts[..] {
        ["dependency" | "replan", _, failed, seq, ..] => {
            failed.parse().ok().zip(seq.parse().ok()).into_iter().collect()
        }
        ["review", _, _, reviewers, ..] => reviewers
            .split(',')
            .filter_map(|one| one.split_once('='))
            .filter_map(|(task, seq)| task.parse().ok().zip(seq.parse().ok()))
            .collect(),
        _ => Vec::new(),
    }
}

/// Puts what was written in its order, the latest first.
pub(crate) fn latest_first(one: &Instruction, other: &Instruction) -> std::cmp::Ordering {
    (&other.written_at, other.seq).cmp(&(&one.written_at, one.seq))
}

/// Returns the tasks that the instruction in an answer is for, with the numbers of the commands it is about (0 if there is none):
/// the tasks that are tried again, else the one that was asked about.
pub(crate) fn instructed(key: &str, answer: &HumanAnswer) -> Vec<(Id, u64)> {
    let mut failures = failures_in(key);
    let failed_seq = failures.first().map(|(_, seq)| *seq);
    failures.retain(|(_, seq)| answer.wants_another_try(*seq));
    if !failures.is_empty() {
        return failures;
    }
    let mut parts = key.split(':').skip(1);
    let task = parts.next().and_then(|task| task.parse().ok());
    let seq = parts.next().and_then(|seq| seq.parse().ok()).or(failed_seq).unwrap_or(0);
    task.map(|task| (task, seq)).into_iter().collect()
}
