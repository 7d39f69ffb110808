//! How far each task has come (contract/plans §11.2 to §11.4): what its agent says of its last command, and what the plan makes
//! of it.

use super::gate::{self, Evidence, GateVerdict, Requirement};
use super::select::{
    Ambiguity, Arrivals, ResolvedInputs, Scores, compile_inputs, matches_path, pattern_fits,
};
use super::{Drafts, Graph};
use model::agent::{
    Command, Extra, FormatName, HumanDecision, Id, Node, OnDependencyFailed, PlanManifest, ReviewDecision,
    SelectorKind, State, Timestamp,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// How often a task may be done again if nothing is said (contract/plans §11.3).
const MAX_REEXECUTE_TIMES: u64 = 3;
/// Where a command says how often its task was done again.
pub(super) const REEXECUTE_COUNT: &str = "reexecute_count";
/// Where a command says which commands of its dependencies it builds on.
pub(super) const BUILT_ON: &str = "built_on";

/// What is known of a task's last command: the one with the highest number among those for the active DAG, wherever it lies
/// between the issuer's outbox and the archive.
#[derive(Debug, Clone, PartialEq)]
pub struct LastCommand {
    /// The command.
    pub command_id: Id,
    /// Its number.
    pub seq: u64,
    /// The state of the command at its agent; `READY` until the agent takes it.
    pub state: State,
    /// Since when.
    pub updated_at: Timestamp,
    /// What it waits for.
    pub blocking: Option<Extra>,
    /// How often the task was done again because of a gate.
    pub reexecutions: u64,
    /// The numbers of the commands of its dependencies whose outputs it builds on.
    pub built_on: BTreeMap<String, u64>,
    /// Why it has failed, if its agent says so.
    pub failure: Option<String>,
}

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
    fn wants_another_try(&self, seq: u64) -> bool {
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

/// All that is known of a plan.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// Its tasks; without cycles.
    pub graph: &'a Graph<'a>,
    /// What it is for.
    pub manifest: Option<&'a PlanManifest>,
    /// The commands as their author wrote them.
    pub drafts: &'a Drafts,
    /// The last commands, by their tasks.
    pub work: &'a BTreeMap<Id, LastCommand>,
    /// What was delivered.
    pub arrived: &'a dyn Arrivals,
    /// What was judged.
    pub evidence: &'a [Evidence],
    /// What people were asked, by [`Question::key`], and have answered.
    pub asked: &'a BTreeMap<String, Option<HumanAnswer>>,
    /// The tasks to do again, with the numbers of their commands.
    pub retried: &'a BTreeMap<Id, u64>,
    /// What the user has written for the next attempts at tasks, the latest first.
    pub instructions: &'a BTreeMap<Id, Vec<Instruction>>,
    /// The tasks with messages that are not settled: not all of what they have made is delivered.
    pub in_transit: &'a BTreeSet<Id>,
    /// The present moment.
    pub now: &'a Timestamp,
}

/// How far a task has come.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeProgress {
    /// The task.
    pub task_id: Id,
    /// How far.
    pub state: State,
    /// Why.
    pub why: StateReason,
    /// The task that is done instead.
    pub replaced_by: Option<Id>,
    /// The judgements that did not come in time and were taken as given.
    pub by_default: Vec<String>,
}

/// Why a task is where it is.
#[derive(Debug, Clone, PartialEq)]
pub enum StateReason {
    /// Its agent says so.
    Agent,
    /// These tasks are not done.
    Dependencies(Vec<Id>),
    /// These inputs are still being made or delivered.
    Inputs(Vec<String>),
    /// It can begin, with these inputs.
    Start(ResolvedInputs),
    /// It is done only if another cannot be.
    Dormant,
    /// A dependency has failed or was left out.
    DependencyFailed(Id),
    /// Another plan is needed.
    Replan(Id),
    /// What the gate asks for is not there.
    GateMissing(Vec<Requirement>),
    /// It was judged, and must be done again.
    Again(Vec<Evidence>),
    /// What it judges, or was built from, must be done again.
    Judged {
        /// The tasks.
        tasks: Vec<Id>,
        /// The judgement.
        evidence: Vec<Evidence>,
    },
    /// A person is asked.
    Person(Question),
    /// A person has decided.
    Decided,
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
                let choices: Vec<String> = ambiguity.candidates.iter().map(super::Choice::key).collect();
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

impl LastCommand {
    /// Returns what is known of a command.
    pub fn new(command: &Command, state: State, updated_at: Timestamp, blocking: Option<Extra>) -> Self {
        let built_on = command.extra.get(BUILT_ON).and_then(Value::as_object).into_iter().flatten();
        Self {
            command_id: command.command_id.clone(),
            seq: command.seq(),
            state,
            updated_at,
            blocking,
            reexecutions: reexecutions(command),
            built_on: built_on.filter_map(|(task, seq)| Some((task.clone(), seq.as_u64()?))).collect(),
            failure: None,
        }
    }
}

/// Returns how often its task was done again when the command was issued.
pub fn reexecutions(command: &Command) -> u64 {
    command.extra.get(REEXECUTE_COUNT).and_then(Value::as_u64).unwrap_or(0)
}

impl Facts<'_> {
    /// Whether the last command of a task builds on what has been done again since.
    pub fn is_stale(&self, task_id: &Id) -> bool {
        self.work.get(task_id).is_some_and(|work| {
            let changed = |(task, seq): (&String, &u64)| self.seq(task).is_some_and(|now| now != *seq);
            work.built_on.iter().any(changed)
        })
    }

    /// Whether the last command of a task must be done again.
    fn is_retried(&self, task_id: &Id) -> bool {
        let seq = self.work.get(task_id).map(|work| work.seq);
        seq.is_some() && self.retried.get(task_id).copied() == seq
    }

    /// Returns the number of a task's last command.
    pub(super) fn seq(&self, task_id: &str) -> Option<u64> {
        self.work.iter().find(|(task, _)| **task == *task_id).map(|(_, work)| work.seq)
    }

    /// Returns the question whether a task counts without the `missing` judgements, which will never be given.
    pub(super) fn question_about_review(&self, node: &Node, missing: Vec<Requirement>) -> Question {
        let judges = self.graph.dag().nodes.iter().filter(|judge| {
            let is_wanted = |one| gate::producers(self.graph.dag(), self.drafts, one).any(|it| it == *judge);
            judge.task_id != node.task_id && missing.iter().any(is_wanted)
        });
        let reviewers = judges.filter_map(|judge| {
            let work = self.work.get(&judge.task_id).filter(|work| work.state.is_terminal())?;
            let has_failed = work.state == State::Failed;
            Some(Reviewer { task_id: judge.task_id.clone(), seq: work.seq, has_failed })
        });
        let about = QuestionSubject::Evidence { reviewers: reviewers.collect(), missing };
        Question { task_id: node.task_id.clone(), about, seq: self.seq(&node.task_id).unwrap_or(0) }
    }

    /// Returns how often a task may be done again: what it says, or else its plan (contract/plans §11.3).
    pub fn max_reexecutions(&self, node: &Node) -> u64 {
        let own = node.failure_policy.as_ref().and_then(|policy| policy.max_reexecute_times);
        let plans = || self.manifest?.policies.as_ref()?.max_reexecute_times;
        own.or_else(plans).unwrap_or(MAX_REEXECUTE_TIMES)
    }

    /// Returns who does a task, and who does it again.
    pub fn agent<'n>(&self, node: &'n Node, reexecutions: u64) -> &'n Id {
        crate::routing::assignee(node, reexecutions)
    }

    /// Returns the tasks whose outputs a task that names no inputs works with: those that it depends on, be it by way of others,
    /// and those that are done instead of them.
    pub(super) fn before(&self, node: &Node) -> BTreeSet<&str> {
        let mut before = self.graph.ancestors(&node.task_id);
        let fallbacks = before.iter().filter_map(|task| self.graph.node(task)).filter_map(|node| {
            let fallback = node.failure_policy.as_ref()?.fallback_task_id.as_ref()?;
            Some(self.graph.node(fallback)?.task_id.as_str())
        });
        let fallbacks: Vec<&str> = fallbacks.filter(|task| *task != node.task_id.as_str()).collect();
        before.extend(fallbacks);
        before
    }

    fn answer(&self, question: &Question) -> Option<&HumanAnswer> {
        self.asked.get(&question.key())?.as_ref()
    }

    /// The judgements that still apply: the judging task has not been commanded again since, and the judged task has not been
    /// redone.
    fn current(&self, judged: &Id) -> Vec<&Evidence> {
        let is_current = |one: &&Evidence| match (self.work.get(&one.task_id), self.graph.node(&one.task_id))
        {
            (Some(work), Some(_)) => {
                one.command_id.as_ref().is_none_or(|command| *command == work.command_id)
                    && !self.is_stale(&one.task_id)
            }
            (None, Some(_)) => false,
            // From outside of the plan, perhaps a person's.
            (_, None) => {
                let done = self.work.get(judged).filter(|work| work.state == State::Completed);
                done.is_none_or(|work| work.reexecutions == 0 || one.delivered_at >= work.updated_at)
            }
        };
        let of_subject = |one: &&Evidence| {
            let is_other = |subject: &Id| subject != judged && self.graph.node(subject).is_some();
            let is_ancestor = |subject: &Id| self.graph.is_after(judged, subject);
            one.subject.as_ref().is_none_or(|subject| !is_other(subject) || is_ancestor(subject))
        };
        self.evidence.iter().filter(is_current).filter(of_subject).collect()
    }

    pub(super) fn scores(&self) -> Scores {
        let mut scores = Scores::new();
        for one in self.evidence {
            let Some(score) = &one.score else { continue };
            for hash in &one.judged {
                let best = scores.entry(*hash).or_insert_with(|| score.clone());
                if *best < *score {
                    *best = score.clone();
                }
            }
        }
        scores
    }
}

/// Returns how far the tasks have come, each after those that it depends on. `None` if tasks depend on one another: lint
/// refuses such a DAG.
pub fn progress(facts: &Facts<'_>) -> Option<Vec<NodeProgress>> {
    let order = facts.graph.order()?;
    let scores = facts.scores();
    let mut pass = Pass { facts, scores, done: BTreeMap::new(), open: BTreeSet::new() };
    Some(order.into_iter().map(|node| pass.progress_of(node)).collect())
}

/// What a dependency means for a task.
enum Dependency {
    Done,
    Open,
    Failed,
    Skipped,
}

struct Pass<'p, 'a> {
    facts: &'p Facts<'a>,
    scores: Scores,
    done: BTreeMap<Id, NodeProgress>,
    /// Those that are being looked at: a fallback may lead back.
    open: BTreeSet<Id>,
}

impl<'a> Pass<'_, 'a> {
    fn progress_of(&mut self, node: &'a Node) -> NodeProgress {
        if let Some(done) = self.done.get(&node.task_id) {
            return done.clone();
        }
        if !self.open.insert(node.task_id.clone()) {
            return at(node, State::Pending, StateReason::Dependencies(Vec::new()));
        }
        let progress = self.look_at(node);
        self.open.remove(&node.task_id);
        self.done.insert(node.task_id.clone(), progress.clone());
        progress
    }

    fn look_at(&mut self, node: &'a Node) -> NodeProgress {
        let work = self.facts.work.get(&node.task_id);
        match work.filter(|_| !self.facts.is_stale(&node.task_id)) {
            Some(work) if work.state == State::Failed && self.facts.is_retried(&node.task_id) => {
                self.before_work(node)
            }
            Some(work) if work.state == State::Completed => {
                let progress = self.after_work(node, work);
                match progress.state {
                    State::Failed if self.facts.is_retried(&node.task_id) => {
                        let evidence = self.facts.current(&node.task_id).into_iter().cloned().collect();
                        at(node, State::Ready, StateReason::Again(evidence))
                    }
                    // It is done, and is wanted anew: what was built on it follows.
                    State::Completed if self.facts.is_retried(&node.task_id) => self.before_work(node),
                    _ => progress,
                }
            }
            Some(work) => at(node, work.state, StateReason::Agent),
            None => self.dormant(node).unwrap_or_else(|| self.before_work(node)),
        }
    }

    /// A task on which nothing depends, and which others fall back on, is done only if it is called for.
    fn dormant(&mut self, node: &'a Node) -> Option<NodeProgress> {
        let graph = self.facts.graph;
        let falls_back = |other: &&Node| {
            let policy = other.failure_policy.as_ref();
            policy.is_some_and(|policy| {
                policy.on_dependency_failed == Some(OnDependencyFailed::Fallback)
                    && policy.fallback_task_id.as_ref() == Some(&node.task_id)
            })
        };
        let callers: Vec<&'a Node> = graph.dag().nodes.iter().filter(falls_back).collect();
        if callers.is_empty() || !graph.dependents(&node.task_id).is_empty() {
            return None;
        }
        let callers: Vec<NodeProgress> = callers.into_iter().map(|caller| self.progress_of(caller)).collect();
        if callers.iter().any(|caller| caller.replaced_by.as_ref() == Some(&node.task_id)) {
            return None;
        }
        let is_over = callers.iter().all(|caller| caller.state.is_terminal());
        Some(at(node, if is_over { State::Skipped } else { State::Pending }, StateReason::Dormant))
    }

    fn dependency(&mut self, node: &Node, dependency: &'a Node) -> Dependency {
        let progress = self.progress_of(dependency);
        match progress.state {
            State::Completed => Dependency::Done,
            State::Failed => Dependency::Failed,
            State::Skipped => match progress.replaced_by.and_then(|by| self.facts.graph.node(&by)) {
                None => Dependency::Skipped,
                Some(by) => match self.progress_of(by).state {
                    State::Completed => Dependency::Done,
                    State::Failed => Dependency::Failed,
                    State::Skipped => Dependency::Skipped,
                    _ => Dependency::Open,
                },
            },
            // A task that judges the dependency, or leads to one that does, cannot wait for the judgement.
            State::BlockedWaitingReview
                if self.is_done_by_agent(dependency) && self.leads_to_judge(node, dependency) =>
            {
                Dependency::Done
            }
            _ => Dependency::Open,
        }
    }

    fn is_done_by_agent(&self, node: &Node) -> bool {
        let work = self.facts.work.get(&node.task_id);
        work.is_some_and(|work| work.state == State::Completed) && !self.facts.is_stale(&node.task_id)
    }

    fn leads_to_judge(&self, node: &Node, judged: &Node) -> bool {
        let Some(gates) = &judged.gates else { return false };
        let (graph, drafts) = (self.facts.graph, self.facts.drafts);
        gate::requirements(gates).iter().any(|requirement| {
            gate::producers(graph.dag(), drafts, requirement)
                .any(|judge| judge.task_id == node.task_id || graph.is_after(&judge.task_id, &node.task_id))
        })
    }

    fn before_work(&mut self, node: &'a Node) -> NodeProgress {
        let mut waits_for = Vec::new();
        for id in &node.depends_on {
            let Some(dependency) = self.facts.graph.node(id) else {
                waits_for.push(id.clone());
                continue;
            };
            let failed = match self.dependency(node, dependency) {
                Dependency::Done => continue,
                Dependency::Open => {
                    waits_for.push(id.clone());
                    continue;
                }
                Dependency::Failed => self.without(node, id, OnDependencyFailed::Block),
                Dependency::Skipped => self.without(node, id, OnDependencyFailed::Skip),
            };
            if let Some(failed) = failed {
                return failed;
            }
        }
        if !waits_for.is_empty() {
            return at(node, State::Pending, StateReason::Dependencies(waits_for));
        }
        if let Some(blocked) = self.entry_gate(node) {
            return blocked;
        }
        self.inputs(node)
    }

    /// The state of a task whose dependency will never be done; `None` if the task continues without it. By default, a person
    /// decides about a failure, and a task is skipped if its dependency was.
    fn without(&mut self, node: &'a Node, failed: &Id, default: OnDependencyFailed) -> Option<NodeProgress> {
        let policy = node.failure_policy.as_ref();
        let fallback = policy.and_then(|policy| policy.fallback_task_id.as_ref());
        let fallback = fallback.filter(|id| self.facts.graph.node(id).is_some() && **id != node.task_id);
        let why = StateReason::DependencyFailed(failed.clone());
        match policy.and_then(|policy| policy.on_dependency_failed).unwrap_or(default) {
            OnDependencyFailed::Skip => Some(at(node, State::Skipped, why)),
            OnDependencyFailed::Fallback if let Some(fallback) = fallback => {
                Some(NodeProgress { replaced_by: Some(fallback.clone()), ..at(node, State::Skipped, why) })
            }
            OnDependencyFailed::ReplanRequest => {
                let about = QuestionSubject::Replan(failed.clone());
                let seq = self.facts.seq(failed).unwrap_or(0);
                let question = Question { task_id: node.task_id.clone(), about, seq };
                match self.facts.answer(&question).map(|answer| answer.decision) {
                    None => Some(at(node, State::BlockedWaitingReview, StateReason::Replan(failed.clone()))),
                    Some(HumanDecision::Reject) => Some(at(node, State::Failed, StateReason::Decided)),
                    Some(_) if self.facts.answer(&question).is_some_and(|it| it.wants_another_try(seq)) => {
                        Some(at(node, State::Pending, StateReason::Dependencies(vec![failed.clone()])))
                    }
                    Some(_) => None,
                }
            }
            OnDependencyFailed::Block | OnDependencyFailed::Fallback => {
                let seq = self.facts.seq(failed).unwrap_or(0);
                let about = QuestionSubject::Dependency(failed.clone());
                self.ask(node, Question { task_id: node.task_id.clone(), about, seq })
                    .err()
                    .map(|blocked| *blocked)
            }
        }
    }

    /// Asks a person: `Ok` if the task continues.
    fn ask(&self, node: &Node, question: Question) -> Result<Option<String>, Box<NodeProgress>> {
        match self.facts.answer(&question) {
            Some(answer) if answer.decision == HumanDecision::Reject => {
                Err(Box::new(at(node, State::Failed, StateReason::Decided)))
            }
            // It is being tried again.
            Some(answer)
                if let QuestionSubject::Dependency(failed) = &question.about
                    && answer.wants_another_try(question.seq) =>
            {
                Err(Box::new(at(node, State::Pending, StateReason::Dependencies(vec![failed.clone()]))))
            }
            Some(answer) => Ok(answer.selected.clone()),
            None => Err(Box::new(at(node, State::BlockedWaitingHuman, StateReason::Person(question)))),
        }
    }

    /// A gate whose evidence is made before the task itself is one before it.
    fn is_entry_gate(&self, node: &Node, requirements: &[Requirement]) -> bool {
        let (graph, drafts) = (self.facts.graph, self.facts.drafts);
        let mut judges = requirements
            .iter()
            .flat_map(|requirement| gate::producers(graph.dag(), drafts, requirement))
            .peekable();
        judges.peek().is_some() && judges.all(|judge| graph.is_after(&node.task_id, &judge.task_id))
    }

    fn entry_gate(&mut self, node: &'a Node) -> Option<NodeProgress> {
        let requirements = gate::requirements(node.gates.as_ref()?);
        if !self.is_entry_gate(node, &requirements) {
            return None;
        }
        match gate::judge(&requirements, &self.facts.current(&node.task_id)) {
            GateVerdict::Passed(_) => None,
            GateVerdict::Missing(missing) => self.without_review(node, missing),
            GateVerdict::Short(short) => self.short(node, 0, short),
        }
    }

    fn after_work(&mut self, node: &'a Node, work: &LastCommand) -> NodeProgress {
        let completed = at(node, State::Completed, StateReason::Agent);
        let Some(gates) = &node.gates else { return completed };
        let requirements = gate::requirements(gates);
        if requirements.is_empty() || self.is_entry_gate(node, &requirements) {
            return completed;
        }
        match gate::judge(&requirements, &self.facts.current(&node.task_id)) {
            GateVerdict::Passed(_) => completed,
            GateVerdict::Missing(missing) => self.unjudged(node, work, missing),
            GateVerdict::Short(short) => self.short(node, work.seq, short).unwrap_or(completed),
        }
    }

    /// A judgement that does not come in time may be taken as given (contract/plans §11.6).
    fn unjudged(&self, node: &Node, work: &LastCommand, missing: Vec<Requirement>) -> NodeProgress {
        let waited = self.facts.now.seconds_since(&work.updated_at);
        let defaults = missing.iter().map(|requirement| self.default_for(requirement, waited));
        let decision =
            defaults.collect::<Option<Vec<ReviewDecision>>>().and_then(|all| all.into_iter().max());
        let names = || missing.iter().map(|requirement| requirement.name().to_owned()).collect();
        // `APPROVE` comes before `REVISE` and `REJECT`: the strictest counts.
        let progress = match decision {
            Some(ReviewDecision::Approve) => at(node, State::Completed, StateReason::Agent),
            Some(ReviewDecision::Revise) => self.again(node, work.seq, Vec::new()),
            Some(ReviewDecision::Reject) => {
                at(node, State::Failed, StateReason::GateMissing(missing.clone()))
            }
            None => {
                let waiting = self.without_review(node, missing);
                return waiting.unwrap_or_else(|| at(node, State::Completed, StateReason::Decided));
            }
        };
        NodeProgress { by_default: names(), ..progress }
    }

    /// The state of a task whose judgements are missing; `None` if a person lets it continue without them.
    fn without_review(&self, node: &Node, missing: Vec<Requirement>) -> Option<NodeProgress> {
        let question = self.facts.question_about_review(node, missing.clone());
        let QuestionSubject::Evidence { reviewers, .. } = &question.about else { return None };
        // Before reviewers were named, the question was kept without them.
        let unnamed = QuestionSubject::Evidence { missing: missing.clone(), reviewers: Vec::new() };
        let unnamed = Question { about: unnamed, ..question.clone() };
        let answer = self.facts.answer(&question).or_else(|| self.facts.answer(&unnamed));
        let is_tried_again =
            |answer: &HumanAnswer| reviewers.iter().any(|one| answer.wants_another_try(one.seq));
        match answer {
            Some(answer) if answer.decision == HumanDecision::Reject => {
                Some(at(node, State::Failed, StateReason::Decided))
            }
            Some(answer) if !is_tried_again(answer) => None,
            _ => Some(at(node, State::BlockedWaitingReview, StateReason::GateMissing(missing))),
        }
    }

    fn default_for(&self, requirement: &Requirement, waited: i64) -> Option<ReviewDecision> {
        let timeouts = self.facts.manifest?.policies.as_ref()?.timeouts.as_ref()?;
        let timeout = match requirement.format() {
            Some(FormatName::DagReviewResult) => timeouts.dag_review.as_ref()?,
            _ => timeouts.artifact_validation.as_ref()?,
        };
        let is_over = waited >= i64::try_from(timeout.timeout_seconds?.get()).unwrap_or(i64::MAX);
        timeout.default_decision.filter(|_| is_over)
    }

    /// Handles evidence that falls short: what was judged is done again, or a person is asked. `None` if a person takes it as it
    /// is.
    fn short(&self, node: &'a Node, seq: u64, short: Vec<&Evidence>) -> Option<NodeProgress> {
        let evidence: Vec<Evidence> = short.into_iter().cloned().collect();
        let judged = self.judged(node, &evidence);
        if judged == [&node.task_id] {
            let again = self.again(node, seq, evidence);
            let is_taken = again.why == StateReason::Decided && again.state == State::Completed;
            return (!is_taken).then_some(again);
        }
        let tasks: Vec<Id> = judged.into_iter().cloned().collect();
        let is_used_up = tasks.iter().any(|task| {
            let done = self.facts.work.get(task).map_or(0, |work| work.reexecutions);
            self.facts.graph.node(task).is_none_or(|node| done >= self.facts.max_reexecutions(node))
        });
        let again = StateReason::Judged { tasks: tasks.clone(), evidence: evidence.clone() };
        if is_used_up {
            // The number of what was judged: what is done again is another question.
            let seq = tasks.iter().filter_map(|task| self.facts.seq(task)).max().unwrap_or(seq);
            let question =
                Question { task_id: node.task_id.clone(), about: QuestionSubject::Gate(evidence), seq };
            return match self.facts.answer(&question).map(|answer| answer.decision) {
                None => Some(at(node, State::BlockedWaitingHuman, StateReason::Person(question))),
                Some(HumanDecision::Approve) => None,
                Some(HumanDecision::Reject) => Some(at(node, State::Failed, StateReason::Decided)),
                Some(HumanDecision::Provide | HumanDecision::Clarify) => {
                    Some(at(node, State::BlockedWaitingReview, again))
                }
            };
        }
        Some(at(node, State::BlockedWaitingReview, again))
    }

    /// What a judgement is about: what it says itself, else the task of the gate if the judge came after it, else what the
    /// judge was given.
    fn judged(&self, node: &'a Node, evidence: &[Evidence]) -> Vec<&'a Id> {
        let graph = self.facts.graph;
        let mut judged = BTreeSet::new();
        for one in evidence {
            let judge = graph.node(&one.task_id);
            if let Some(subject) = one.subject.as_ref().and_then(|subject| graph.node(subject)) {
                judged.insert(&subject.task_id);
            } else if let Some(judge) = judge
                && (judge.task_id == node.task_id || graph.is_after(&node.task_id, &judge.task_id))
            {
                let given = judge.depends_on.iter().filter_map(|id| graph.node(id));
                judged.extend(given.map(|node| &node.task_id).filter(|id| self.facts.work.contains_key(*id)));
            } else {
                judged.insert(&node.task_id);
            }
        }
        if judged.is_empty() { vec![&node.task_id] } else { judged.into_iter().collect() }
    }

    /// Does the task itself again, as often as it may.
    fn again(&self, node: &Node, seq: u64, evidence: Vec<Evidence>) -> NodeProgress {
        let done = self.facts.work.get(&node.task_id).map_or(0, |work| work.reexecutions);
        if done < self.facts.max_reexecutions(node) {
            return at(node, State::Ready, StateReason::Again(evidence));
        }
        let question =
            Question { task_id: node.task_id.clone(), about: QuestionSubject::Gate(evidence.clone()), seq };
        match self.facts.answer(&question).map(|answer| answer.decision) {
            None => at(node, State::BlockedWaitingHuman, StateReason::Person(question)),
            Some(HumanDecision::Approve) => at(node, State::Completed, StateReason::Decided),
            Some(HumanDecision::Reject) => at(node, State::Failed, StateReason::Decided),
            Some(HumanDecision::Provide | HumanDecision::Clarify) => {
                at(node, State::Ready, StateReason::Again(evidence))
            }
        }
    }

    fn inputs(&mut self, node: &'a Node) -> NodeProgress {
        let facts = self.facts;
        let reexecutions = facts.work.get(&node.task_id).map_or(0, |work| work.reexecutions);
        let agent = facts.agent(node, reexecutions);
        let mut chosen = BTreeMap::new();
        let mut compiled = compile_inputs(node, agent, facts.arrived, &self.scores, &chosen);
        for ambiguity in compiled.ambiguous.clone() {
            let name = ambiguity.input_name.clone();
            let seq = facts.work.get(&node.task_id).map_or(0, |work| work.seq);
            let question =
                Question { task_id: node.task_id.clone(), about: QuestionSubject::Input(ambiguity), seq };
            match self.ask(node, question.clone()) {
                Ok(Some(selected)) => {
                    chosen.insert(name, selected);
                }
                Ok(None) => return at(node, State::BlockedWaitingHuman, StateReason::Person(question)),
                Err(blocked) => return *blocked,
            }
        }
        if !chosen.is_empty() {
            compiled = compile_inputs(node, agent, facts.arrived, &self.scores, &chosen);
            if let Some(ambiguity) = compiled.ambiguous.first() {
                let about = QuestionSubject::Input(ambiguity.clone());
                let question = Question { task_id: node.task_id.clone(), about, seq: 0 };
                return at(node, State::BlockedWaitingHuman, StateReason::Person(question));
            }
        }
        let mut still_made: Vec<String> =
            compiled.missing.iter().filter(|name| self.is_still_made(node, name)).cloned().collect();
        still_made.extend(self.on_their_way(node, agent));
        if still_made.is_empty() {
            // The agent waits for inputs that no task in the plan will make, and finally asks a person.
            at(node, State::Ready, StateReason::Start(compiled))
        } else {
            at(node, State::Pending, StateReason::Inputs(still_made))
        }
    }

    /// The outputs that a task which names no inputs is to work with and that are still to be delivered to its agent.
    fn on_their_way(&self, node: &Node, agent: &Id) -> Vec<String> {
        let facts = self.facts;
        if node.inputs.is_some() {
            return Vec::new();
        }
        let before = facts.before(node);
        let makers = facts.in_transit.iter().filter(|task| before.contains(task.as_str()));
        let outputs = makers
            .filter_map(|task| facts.graph.node(task))
            .flat_map(|maker| &maker.outputs)
            .filter(|output| crate::routing::targets(facts.graph.dag(), output, &[], None).contains(&agent));
        outputs.map(|output| output.name.to_string()).collect()
    }

    /// Whether a task that could make an input is not done, or what it has made is still on its way.
    fn is_still_made(&mut self, node: &'a Node, name: &str) -> bool {
        let facts = self.facts;
        let selector =
            node.inputs.iter().flatten().find(|input| input.name == *name).map(|input| &input.selector);
        for maker in facts.graph.dag().nodes.iter() {
            if maker.task_id == node.task_id || facts.graph.is_after(&maker.task_id, &node.task_id) {
                continue;
            }
            let makes = maker.outputs.iter().any(|output| match selector {
                Some(selector) => match selector.kind {
                    SelectorKind::ByOutputName => selector.value.as_deref() == Some(output.name.as_str()),
                    // The maker cannot be determined, so only outputs in transit count.
                    SelectorKind::ByMessageType => facts.in_transit.contains(&maker.task_id),
                    SelectorKind::ByFileName | SelectorKind::ByGlob => {
                        let paths = super::lint::produced_paths(facts.drafts, &maker.task_id, &output.name);
                        paths.is_some_and(|paths| paths.iter().any(|path| matches_path(selector, path)))
                    }
                },
                None => {
                    let paths = super::lint::produced_paths(facts.drafts, &maker.task_id, &output.name);
                    paths.is_some_and(|paths| paths.iter().any(|path| pattern_fits(name, path)))
                }
            });
            if makes && (facts.in_transit.contains(&maker.task_id) || !self.is_over(maker)) {
                return true;
            }
        }
        false
    }

    /// Whether a task makes nothing more of itself.
    fn is_over(&mut self, node: &'a Node) -> bool {
        self.progress_of(node).state.is_terminal() || self.is_done_by_agent(node)
    }
}

fn at(node: &Node, state: State, why: StateReason) -> NodeProgress {
    NodeProgress { task_id: node.task_id.clone(), state, why, replaced_by: None, by_default: Vec::new() }
}
