//! What is wrong with a DAG beyond its format (contract/plans §11), each with its place in the document.

use super::Graph;
use super::agents::targets;
use super::completion::makers;
use super::gate::Requirement;
use super::select::{matches_path, pattern_fits};
use crate::pattern::Pattern;
use protocol::agent::{
    Code, Command, Deliverable, FormatName, Id, MessageType, Node, NodeInput, NodeOutput, OnDependencyFailed,
    PlanManifest, RelPath, SelectorKind, TaskDag,
};
use std::collections::{BTreeMap, BTreeSet};

/// The commands of a plan as their author wrote them, by their tasks.
pub type Drafts = BTreeMap<Id, Command>;

/// What a DAG is looked at with.
#[derive(Debug, Clone, Copy, Default)]
pub struct Surroundings<'a> {
    /// What the plan is for.
    pub manifest: Option<&'a PlanManifest>,
    /// The commands; what they produce tells which files there will be.
    pub drafts: Option<&'a Drafts>,
    /// The agents that there are.
    pub agents: Option<&'a BTreeSet<Id>>,
    /// The names of agents that are files instead of folders.
    pub misplaced: Option<&'a BTreeSet<Id>>,
}

/// Something wrong with a DAG.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Which document.
    pub document: Document,
    /// Where, written `nodes[0].depends_on[1]`.
    pub path: String,
    /// What.
    pub flaw: Flaw,
}

/// The document that a finding is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Document {
    /// `task_dag.json`.
    Dag,
    /// `plan_manifest.json`.
    Manifest,
    /// The command of a task.
    Command,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flaw {
    /// Another node is the same task.
    DuplicateTask(Id),
    /// It depends on a task that is not there.
    UnknownDependency(Id),
    /// Each of these depends on the next one; the last one is the first again.
    Cycle(Vec<Id>),
    /// Another output of the task has this name.
    DuplicateOutput(Id),
    /// The task that is done instead is not there, or is the task itself.
    UnknownFallback(Id),
    /// Nothing is said that could be done instead.
    MissingFallback,
    /// The task that is done instead needs this one.
    FallbackNeedsTask(Id),
    /// There is no such agent.
    UnknownAgent(Id),
    /// Nothing in the plan makes this evidence.
    UnreachableEvidence(RelPath),
    /// Nothing in the plan gives a score of this kind.
    UnreachableThreshold(FormatName),
    /// Something must be shown, but not what.
    EmptyGate,
    /// The output has no recipient unless a rule fits, and none does.
    RoutingGap(Id),
    /// The rule is for everything: those after it never count.
    RuleShadows,
    /// The rule has no targets.
    RuleWithoutTarget,
    /// No task makes the deliverable.
    UnmadeDeliverable(String),
    /// There is no such task.
    UnknownTask(Id),
    /// No task makes what this one needs, or it is not delivered to its agent.
    UnreachableInput(String),
    /// What makes the input is not waited for.
    InputNotAwaited(Id),
    /// It is no pattern.
    BadPattern(String),
    /// The documents are of different plans.
    OtherPlan(Id),
    /// The task has no command.
    NoCommand(Id),
    /// The command makes an output that its task has not.
    UnknownOutput(Id),
    /// The id is too long for those of its commands.
    TaskIdTooLong(Id),
    /// An unknown member that is almost a known one.
    Misspelt {
        /// The name it has.
        found: String,
        /// The name that was most likely meant.
        meant: &'static str,
    },
    /// What should be the folder of an agent is a file.
    AgentIsFile(Id),
    /// The input is made, but not delivered to the task's agent.
    NotDelivered {
        /// The input.
        input: String,
        /// The task that makes it.
        maker: Id,
        /// The agent that does not get it.
        agent: Id,
    },
    /// Nothing that comes to the task's agent fits the selector of an input which is not required.
    EmptySelector(String),
    /// No output is one for the rule.
    RuleMatchesNothing(Id),
    /// The task judges something, and nothing comes to its agent.
    NothingToJudge(Id),
}

impl Finding {
    /// Returns the error code.
    pub fn code(&self) -> Code {
        match self.flaw {
            Flaw::DuplicateTask(_) => Code::DagDuplicateTask,
            Flaw::UnknownDependency(_) => Code::DagUnknownDependency,
            Flaw::Cycle(_) => Code::DagCycle,
            Flaw::DuplicateOutput(_) => Code::DagDuplicateOutput,
            Flaw::UnknownFallback(_) | Flaw::MissingFallback | Flaw::FallbackNeedsTask(_) => {
                Code::DagUnknownFallback
            }
            Flaw::UnknownAgent(_) | Flaw::AgentIsFile(_) => Code::TargetAgentNotFound,
            Flaw::RoutingGap(_) | Flaw::RuleWithoutTarget => Code::RoutingNoTarget,
            Flaw::UnknownTask(_) => Code::DagTaskNotFound,
            Flaw::UnknownOutput(_) => Code::DagOutputNotFound,
            _ => Code::DagInvalid,
        }
    }

    /// Whether the flaw stops the plan. Other flaws may be intended: a person can still provide what no task makes.
    pub fn is_fatal(&self) -> bool {
        !matches!(
            self.flaw,
            Flaw::RoutingGap(_)
                | Flaw::RuleShadows
                | Flaw::UnreachableInput(_)
                | Flaw::InputNotAwaited(_)
                | Flaw::Misspelt { .. }
                | Flaw::NotDelivered { .. }
                | Flaw::EmptySelector(_)
                | Flaw::RuleMatchesNothing(_)
                | Flaw::NothingToJudge(_)
        )
    }
}

/// The longest that `cmd_<task>_<number>` adds to the id of a task.
const COMMAND_ID_EXTRA: usize = "cmd_".len() + "_0000".len();

/// Returns all that is wrong with a DAG, in the order of the document.
pub fn lint(dag: &TaskDag, around: Surroundings<'_>) -> Vec<Finding> {
    let graph = Graph::new(dag);
    let mut lint = Lint { graph: &graph, around, findings: Vec::new() };
    lint.tasks();
    lint.cycles();
    lint.rules();
    lint.manifest();
    lint.commands();
    lint.findings
}

struct Lint<'a> {
    graph: &'a Graph<'a>,
    around: Surroundings<'a>,
    findings: Vec<Finding>,
}

impl<'a> Lint<'a> {
    fn note(&mut self, path: String, flaw: Flaw) {
        self.findings.push(Finding { document: Document::Dag, path, flaw });
    }

    fn dag(&self) -> &'a TaskDag {
        self.graph.dag()
    }

    fn tasks(&mut self) {
        let mut tasks = BTreeSet::new();
        for (index, node) in self.dag().nodes.iter().enumerate() {
            let place = format!("nodes[{index}]");
            if !tasks.insert(&node.task_id) {
                self.note(format!("{place}.task_id"), Flaw::DuplicateTask(node.task_id.clone()));
            }
            if node.task_id.len() + COMMAND_ID_EXTRA > Id::MAX {
                self.note(format!("{place}.task_id"), Flaw::TaskIdTooLong(node.task_id.clone()));
            }
            self.agent(&node.assigned_agent_id, format!("{place}.assigned_agent_id"));
            for (at, dependency) in node.depends_on.iter().enumerate() {
                if self.graph.node(dependency).is_none() {
                    self.note(
                        format!("{place}.depends_on[{at}]"),
                        Flaw::UnknownDependency(dependency.clone()),
                    );
                }
            }
            self.inputs(node, &place);
            self.wanted_files(
                node,
                node.required_inputs.as_deref().filter(|_| node.inputs.is_none()).unwrap_or_default(),
                &format!("{place}.required_inputs"),
            );
            self.judge(node, &place);
            self.failure_policy(node, &place);
            self.gates(node, &place);
            self.outputs(node, &place);
        }
    }

    fn agent(&mut self, agent: &Id, path: String) {
        if self.around.agents.is_some_and(|agents| !agents.contains(agent)) {
            let is_file = self.around.misplaced.is_some_and(|misplaced| misplaced.contains(agent));
            let flaw = if is_file { Flaw::AgentIsFile } else { Flaw::UnknownAgent };
            self.note(path, flaw(agent.clone()));
        }
    }

    fn inputs(&mut self, node: &Node, place: &str) {
        for (at, input) in node.inputs.iter().flatten().enumerate() {
            let path = format!("{place}.inputs[{at}].selector");
            if input.selector.kind == SelectorKind::ByGlob
                && let Some(pattern) = &input.selector.value
                && Pattern::new(pattern).is_none()
            {
                self.note(format!("{path}.value"), Flaw::BadPattern(pattern.to_string()));
                continue;
            }
            let Some((makers, elsewhere)) = self.makers(input, node) else { continue };
            if makers.is_empty() {
                let name = input.name.to_string();
                let flaw = match elsewhere {
                    Some(maker) => Flaw::NotDelivered {
                        input: name,
                        maker: maker.clone(),
                        agent: node.assigned_agent_id.clone(),
                    },
                    None if input.required => Flaw::UnreachableInput(name),
                    None => Flaw::EmptySelector(name),
                };
                self.note(path, flaw);
                continue;
            }
            let awaited = self.graph.ancestors(&node.task_id);
            let unawaited = |maker: &&Id| !awaited.contains(maker.as_str()) && **maker != node.task_id;
            // A judgement returns to the judged task, so the order of the tasks does not wait for it.
            let comes_back = |maker: &&Id| self.graph.is_after(maker, &node.task_id);
            let first = makers.iter().copied().filter(unawaited).find(|maker| !comes_back(maker)).cloned();
            if let Some(maker) = first.filter(|_| input.required) {
                self.note(path, Flaw::InputNotAwaited(maker));
            }
        }
    }

    /// The tasks that make an input and whose output is delivered to the node's agent, and one that makes it for others only;
    /// `None` if that cannot be determined.
    fn makers(&self, input: &NodeInput, node: &Node) -> Option<(Vec<&'a Id>, Option<&'a Id>)> {
        let value = input.selector.value.as_deref().unwrap_or_default();
        let (mut makers, mut elsewhere) = (Vec::new(), None);
        for maker in self.dag().nodes.iter() {
            for output in &maker.outputs {
                let fits = match input.selector.kind {
                    SelectorKind::ByOutputName => output.name == *value,
                    SelectorKind::ByFileName | SelectorKind::ByGlob => {
                        let files = produced_paths(self.around.drafts?, &maker.task_id, &output.name)?;
                        files.iter().any(|path| matches_path(&input.selector, path))
                    }
                    // The maker gives its messages their subtypes. No message is of another type.
                    SelectorKind::ByMessageType => {
                        let kind = input.selector.type_value.as_deref().unwrap_or_default();
                        if [MessageType::Command, MessageType::Artifact]
                            .iter()
                            .any(|known| known.name() == kind)
                        {
                            return None;
                        }
                        false
                    }
                };
                if fits && self.reaches(output, node) {
                    makers.push(&maker.task_id);
                } else if fits && maker.task_id != node.task_id {
                    elsewhere = elsewhere.or(Some(&maker.task_id));
                }
            }
        }
        makers.dedup();
        Some((makers, elsewhere))
    }

    /// Whether an output is delivered to the agent of a task.
    fn reaches(&self, output: &NodeOutput, node: &Node) -> bool {
        targets(self.dag(), output, &[], None).contains(&&node.assigned_agent_id)
    }

    /// The files that a task wants by their names, and that no task delivers to its agent.
    fn wanted_files(&mut self, node: &Node, files: &[RelPath], place: &str) {
        let Some(drafts) = self.around.drafts else { return };
        for (at, file) in files.iter().enumerate() {
            let mut makers = self.dag().nodes.iter().filter(|maker| maker.task_id != node.task_id);
            let could_come = makers.any(|maker| {
                maker.outputs.iter().filter(|output| self.reaches(output, node)).any(|output| {
                    let paths = produced_paths(drafts, &maker.task_id, &output.name);
                    paths.is_none_or(|paths| paths.iter().any(|path| pattern_fits(file, path)))
                })
            });
            if !could_come {
                self.note(format!("{place}[{at}]"), Flaw::UnreachableInput(file.to_string()));
            }
        }
    }

    /// A task that judges something must get something to judge.
    fn judge(&mut self, node: &Node, place: &str) {
        let Some(draft) = self.around.drafts.and_then(|drafts| drafts.get(&node.task_id)) else { return };
        let mut files = draft.produces.iter().flatten().flat_map(|produced| produced.files.iter());
        let judges = files.any(|file| {
            let format = file.format.or_else(|| super::gate::format_of_name(&file.path));
            format.is_some_and(|format| super::evidence_formats().any(|one| one == format))
        });
        let names = node.inputs.iter().flatten().count()
            + node.required_inputs.iter().flatten().count()
            + draft.required_inputs.len()
            + draft.resolved_inputs.iter().flatten().count();
        let before = self.graph.ancestors(&node.task_id);
        let mut makers = before.iter().filter_map(|task| self.graph.node(task));
        let gets_something = node.inputs.is_none()
            && makers.any(|maker| maker.outputs.iter().any(|output| self.reaches(output, node)));
        if judges && names == 0 && !gets_something {
            self.note(place.to_owned(), Flaw::NothingToJudge(node.task_id.clone()));
        }
    }

    fn failure_policy(&mut self, node: &Node, place: &str) {
        let Some(policy) = &node.failure_policy else { return };
        if let Some(agent) = &policy.reexecute_target_agent_id {
            self.agent(agent, format!("{place}.failure_policy.reexecute_target_agent_id"));
        }
        let path = format!("{place}.failure_policy.fallback_task_id");
        match &policy.fallback_task_id {
            Some(fallback) if self.graph.node(fallback).is_none() || *fallback == node.task_id => {
                self.note(path, Flaw::UnknownFallback(fallback.clone()));
            }
            Some(fallback) if self.graph.is_after(fallback, &node.task_id) => {
                self.note(path, Flaw::FallbackNeedsTask(fallback.clone()));
            }
            None if policy.on_dependency_failed == Some(OnDependencyFailed::Fallback) => {
                self.note(path, Flaw::MissingFallback);
            }
            _ => {}
        }
    }

    fn gates(&mut self, node: &Node, place: &str) {
        let Some(gates) = &node.gates else { return };
        let path = format!("{place}.gates");
        let requirements = super::gate::requirements(gates);
        if requirements.is_empty() && gates.required == Some(true) {
            self.note(path, Flaw::EmptyGate);
            return;
        }
        // Without the commands, the files to be made are unknown.
        let Some(drafts) = self.around.drafts else { return };
        let mut listed = 0;
        for requirement in requirements {
            let is_made = super::gate::producers(self.dag(), drafts, &requirement).next().is_some();
            let (path, flaw) = match requirement {
                Requirement::File { path: file, .. } => {
                    listed += 1;
                    (format!("{path}.evidence_required[{}]", listed - 1), Flaw::UnreachableEvidence(file))
                }
                Requirement::Score { format, .. } => {
                    let name = super::gate::threshold_name(format);
                    (format!("{path}.thresholds.{name}"), Flaw::UnreachableThreshold(format))
                }
            };
            if !is_made {
                self.note(path, flaw);
            }
        }
    }

    fn outputs(&mut self, node: &Node, place: &str) {
        let mut names = BTreeSet::new();
        for (at, output) in node.outputs.iter().enumerate() {
            let path = format!("{place}.outputs[{at}]");
            if !names.insert(&output.name) {
                self.note(format!("{path}.name"), Flaw::DuplicateOutput(output.name.clone()));
            }
            for (to, agent) in output.deliver_to.iter().enumerate() {
                self.agent(agent, format!("{path}.deliver_to[{to}]"));
            }
            // A deliverable is archived, so it needs no recipient.
            let is_for_archive = output.deliverable == Some(true)
                || self.around.manifest.is_some_and(|manifest| {
                    let is_named = |deliverable: &Deliverable| {
                        makers(self.dag(), self.around.drafts, deliverable)
                            .iter()
                            .any(|(maker, name)| maker.task_id == node.task_id && **name == output.name)
                    };
                    manifest.deliverables.iter().any(is_named)
                });
            if !is_for_archive && targets(self.dag(), output, &[], None).is_empty() {
                self.note(format!("{path}.deliver_to"), Flaw::RoutingGap(output.name.clone()));
            }
        }
    }

    fn cycles(&mut self) {
        for cycle in self.graph.cycles() {
            let first =
                self.dag().nodes.iter().position(|node| node.task_id == *cycle[0]).unwrap_or_default();
            let cycle = self.graph.way_around(&cycle).into_iter().cloned().collect();
            self.note(format!("nodes[{first}].depends_on"), Flaw::Cycle(cycle));
        }
    }

    fn rules(&mut self) {
        let rules = self.dag().routing_rules.as_deref().unwrap_or_default();
        for (index, rule) in rules.iter().enumerate() {
            let place = format!("routing_rules[{index}]");
            if rule.deliver_to.is_empty() {
                self.note(format!("{place}.deliver_to"), Flaw::RuleWithoutTarget);
            }
            for (at, agent) in rule.deliver_to.iter().enumerate() {
                self.agent(agent, format!("{place}.deliver_to[{at}]"));
            }
            let wanted = &rule.matches;
            let is_for_all =
                wanted.output_name.is_none() && wanted.content_type.is_none() && wanted.tag.is_none();
            let outputs = || self.dag().nodes.iter().flat_map(|node| node.outputs.iter());
            if let Some(name) = &wanted.output_name
                && !outputs().any(|output| output.name == *name)
            {
                self.note(format!("{place}.match.output_name"), Flaw::RuleMatchesNothing(name.clone()));
            }
            if is_for_all && index + 1 < rules.len() {
                self.note(format!("{place}.match"), Flaw::RuleShadows);
            }
        }
    }

    fn manifest(&mut self) {
        let Some(manifest) = self.around.manifest else { return };
        let from = self.findings.len();
        if manifest.plan_id != self.dag().plan_id {
            self.note("plan_id".to_owned(), Flaw::OtherPlan(manifest.plan_id.clone()));
        }
        for (index, agent) in manifest.agents.iter().enumerate().filter(|(_, agent)| agent.required) {
            self.agent(&agent.agent_id, format!("agents[{index}].agent_id"));
        }
        for (index, deliverable) in manifest.deliverables.iter().enumerate() {
            let place = format!("deliverables[{index}]");
            let task = deliverable.from_task_id.as_ref();
            if let Some(task) = task.filter(|task| self.graph.node(task).is_none()) {
                self.note(format!("{place}.from_task_id"), Flaw::UnknownTask(task.clone()));
                continue;
            }
            let makers = makers(self.dag(), self.around.drafts, deliverable);
            if makers.is_empty() {
                self.note(format!("{place}.name"), Flaw::UnmadeDeliverable(deliverable.name.to_string()));
            }
            let evidence =
                deliverable.accept_if.iter().flat_map(|accept| accept.evidence_required.iter().flatten());
            for (at, file) in evidence.enumerate() {
                self.evidence(file, format!("{place}.accept_if.evidence_required[{at}]"));
            }
        }
        let policies = manifest.policies.as_ref();
        let release = policies.and_then(|policies| policies.release_gates_required.as_deref());
        for (at, file) in release.unwrap_or_default().iter().enumerate() {
            self.evidence(file, format!("policies.release_gates_required[{at}]"));
        }
        for finding in &mut self.findings[from..] {
            finding.document = Document::Manifest;
        }
    }

    /// The release itself and its record are written by the release, not by a task.
    fn evidence(&mut self, file: &RelPath, path: String) {
        let Some(drafts) = self.around.drafts else { return };
        if matches!(file.file_name(), "release_manifest.json" | "decision_record.json") {
            return;
        }
        let requirement = Requirement::file(file);
        if super::gate::producers(self.dag(), drafts, &requirement).next().is_none() {
            self.note(path, Flaw::UnreachableEvidence(file.clone()));
        }
    }

    fn commands(&mut self) {
        let Some(drafts) = self.around.drafts else { return };
        let from = self.findings.len();
        for node in self.dag().nodes.iter() {
            let place = node.task_id.to_string();
            let Some(command) = drafts.get(&node.task_id) else {
                self.note(place, Flaw::NoCommand(node.task_id.clone()));
                continue;
            };
            if command.plan_id != self.dag().plan_id {
                self.note(format!("{place}.plan_id"), Flaw::OtherPlan(command.plan_id.clone()));
            }
            if command.resolved_inputs.is_none() {
                self.wanted_files(node, &command.required_inputs, &format!("{place}.required_inputs"));
            }
            for (at, produced) in command.produces.iter().flatten().enumerate() {
                if node.output(&produced.output_name).is_none() {
                    let path = format!("{place}.produces[{at}].output_name");
                    self.note(path, Flaw::UnknownOutput(produced.output_name.clone()));
                }
            }
        }
        for task in drafts.keys().filter(|task| self.graph.node(task).is_none()) {
            self.findings.push(Finding {
                document: Document::Command,
                path: format!("{task}.task_id"),
                flaw: Flaw::UnknownTask(task.clone()),
            });
        }
        for finding in &mut self.findings[from..] {
            finding.document = Document::Command;
        }
    }
}

/// The files of an output according to the command; `None` if it does not say.
pub(super) fn produced_paths<'a>(drafts: &'a Drafts, task: &Id, output: &Id) -> Option<Vec<&'a str>> {
    let produces = drafts.get(task)?.produces.as_ref()?;
    let of_output = produces.iter().filter(|produced| produced.output_name == *output);
    Some(of_output.flat_map(|produced| &produced.files).map(|file| file.path.as_str()).collect())
}
