//! The gate of a task that its agent has done (contract/plans §11.4).

use super::question::{HumanAnswer, Question, QuestionSubject};
use super::{LastCommand, NodeProgress, Pass, StateReason, at};
use crate::dag::gate::{self, Evidence, GateVerdict, Requirement};
use protocol::agent::{FormatName, HumanDecision, Id, Node, ReviewDecision, State};
use std::collections::BTreeSet;

impl<'a> Pass<'_, 'a> {
    pub(super) fn after_work(&mut self, node: &'a Node, work: &LastCommand) -> NodeProgress {
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
    pub(super) fn without_review(&self, node: &Node, missing: Vec<Requirement>) -> Option<NodeProgress> {
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
    pub(super) fn short(&self, node: &'a Node, seq: u64, short: Vec<&Evidence>) -> Option<NodeProgress> {
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
}
