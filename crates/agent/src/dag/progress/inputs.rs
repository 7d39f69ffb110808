//! The inputs of a task whose dependencies are done.

use super::question::{Question, QuestionSubject};
use super::{NodeProgress, Pass, StateReason, at};
use crate::dag::agents::targets;
use crate::dag::lint::produced_paths;
use crate::dag::select::{compile_inputs, matches_path, pattern_fits};
use protocol::agent::{Id, Node, SelectorKind, State};
use std::collections::BTreeMap;

impl<'a> Pass<'_, 'a> {
    pub(super) fn inputs(&mut self, node: &'a Node) -> NodeProgress {
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
            .filter(|output| targets(facts.graph.dag(), output, &[], None).contains(&agent));
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
                        let paths = produced_paths(facts.drafts, &maker.task_id, &output.name);
                        paths.is_some_and(|paths| paths.iter().any(|path| matches_path(selector, path)))
                    }
                },
                None => {
                    let paths = produced_paths(facts.drafts, &maker.task_id, &output.name);
                    paths.is_some_and(|paths| paths.iter().any(|path| pattern_fits(name, path)))
                }
            });
            if makes && (facts.in_transit.contains(&maker.task_id) || !self.is_over(maker)) {
                return true;
            }
        }
        false
    }
}
