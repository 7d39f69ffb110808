//! How far each task has come (contract/plans §11.2 to §11.4): what its agent says of its last command, and what the plan makes
//! of it.

mod after;
mod inputs;
mod question;

pub(crate) use question::{AGAIN, instructed, latest_first, retried};
pub use question::{HumanAnswer, Instruction, Question, QuestionSubject, Reviewer};

use super::agents::assignee;
use super::gate::{self, Evidence, GateVerdict, Requirement};
use super::select::{Arrivals, ResolvedInputs, Scores};
use super::{Drafts, Graph};
use protocol::agent::{
    Command, Extra, HumanDecision, Id, Node, OnDependencyFailed, PlanManifest, State, Timestamp,
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
        assignee(node, reexecutions)
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

    /// Whether a task makes nothing more of itself.
    fn is_over(&mut self, node: &'a Node) -> bool {
        self.progress_of(node).state.is_terminal() || self.is_done_by_agent(node)
    }
}

fn at(node: &Node, state: State, why: StateReason) -> NodeProgress {
    NodeProgress { task_id: node.task_id.clone(), state, why, replaced_by: None, by_default: Vec::new() }
}
