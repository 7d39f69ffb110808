//! Makes the complete commands that are due (contract/plans §10.4, §11). Commands are made only here.

use super::progress::{BUILT_ON, QuestionSubject, REEXECUTE_COUNT};
use super::select::{ResolvedInputs, compile_inputs, delivered, place_of};
use super::{Evidence, Facts, Instruction, NodeProgress, Question, Requirement, StateReason};
use protocol::agent::{
    Command, DagRef, Envelope, Extra, Id, MessageType, Node, NonEmpty, Payload, RelPath, ReplanReason,
    ReplanRecommendation, ReplanRequest, ReplanTrigger, ResolvedInput, SchemaVersion, Sha256, Text,
    Timestamp,
};
use serde_json::json;
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

/// Where the name of the input with a judgement begins.
pub const JUDGEMENT: &str = "judgement";

/// The member by which a command asks to improve the task's former result: its agent gets that result as well.
pub(crate) const IMPROVES: &str = "improves_former_result";
/// How much of the user's instructions a prompt has, in bytes, the latest first. A longer instruction is cut at its end.
const INSTRUCTIONS: usize = 32 << 10;

/// The issuer, its DAG, and the numbers of the earlier commands.
#[derive(Debug, Clone, Copy)]
pub struct Issuer<'a> {
    /// The agent that sends the commands.
    pub agent: &'a Id,
    /// The hash of the active DAG.
    pub dag_sha256: &'a Sha256,
    /// Its revision.
    pub revision: Option<u64>,
    /// The highest number that any command of a task has had, for whatever DAG.
    pub last_seqs: &'a BTreeMap<Id, u64>,
    /// The agent that is asked for another plan; `None` if there is none to be reached.
    pub planner: Option<&'a Id>,
}

/// A step of a plan.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Send this command.
    Issue(Box<Envelope>),
    /// Ask a person, once.
    Ask(Question),
    /// Ask for another plan, once: under this key.
    Replan {
        /// The key of the question.
        key: String,
        /// The request.
        request: Box<ReplanRequest>,
    },
    /// Judgements are overdue: report which ones are missing.
    Default {
        /// The task.
        task_id: Id,
        /// The judgements that did not come.
        missing: Vec<String>,
    },
    /// The task has no command, or its id is too long for one: lint refuses that.
    CannotIssue(Id),
}

/// Returns the steps that are due. The same facts give the same steps again: a command that was sent must be among the
/// [`Facts::work`] next time, even if it is only in the outbox. `ids` gives a message its id.
pub fn steps(
    facts: &Facts<'_>,
    progress: &[NodeProgress],
    issuer: &Issuer<'_>,
    ids: &mut dyn FnMut(&str) -> Id,
) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut issued = BTreeSet::new();
    for one in progress {
        let Some(node) = facts.graph.node(&one.task_id) else { continue };
        if !one.by_default.is_empty() && facts.asked.get(&default_key(one)).is_none() {
            steps.push(Step::Default { task_id: one.task_id.clone(), missing: one.by_default.clone() });
        }
        match &one.why {
            StateReason::Start(inputs) if issued.insert(node.task_id.clone()) => {
                let count = facts.work.get(&node.task_id).map_or(0, |work| work.reexecutions);
                let compiled = inputs.clone();
                let inputs = Inputs { compiled, judgements: &[], count, asked_about: &node.task_id };
                steps.push(issue(facts, node, inputs, issuer, ids));
            }
            StateReason::Again(evidence) if issued.insert(node.task_id.clone()) => {
                steps.push(again(facts, node, (evidence, &node.task_id), issuer, ids));
            }
            StateReason::Judged { tasks, evidence } => {
                for node in tasks.iter().filter_map(|task| facts.graph.node(task)) {
                    if issued.insert(node.task_id.clone()) {
                        steps.push(again(facts, node, (evidence, &one.task_id), issuer, ids));
                    }
                }
            }
            StateReason::Person(question) => ask(facts, question.clone(), &mut steps),
            StateReason::Replan(failed) => {
                let seq = facts.seq(failed).unwrap_or(0);
                let question = Question {
                    task_id: node.task_id.clone(),
                    about: QuestionSubject::Replan(failed.clone()),
                    seq,
                };
                match issuer.planner {
                    None => ask(facts, question, &mut steps),
                    Some(planner) if !facts.asked.contains_key(&question.key()) => {
                        let request = Box::new(replan(facts, node, failed, planner, ids("replan")));
                        steps.push(Step::Replan { key: question.key(), request });
                    }
                    Some(_) => {}
                }
            }
            StateReason::GateMissing(missing) if !one.state.is_terminal() => {
                let lost = lost(facts, progress, node, missing);
                let is_on_its_way = !facts.in_transit.is_empty();
                if lost.len() == missing.len() && !is_on_its_way {
                    ask(facts, facts.question_about_review(node, lost), &mut steps);
                }
            }
            _ => {}
        }
    }
    steps
}

/// The judgements that a task lacks and that no reviewer will give: all who could have failed, or there are none.
fn lost(
    facts: &Facts<'_>,
    progress: &[NodeProgress],
    node: &Node,
    missing: &[Requirement],
) -> Vec<Requirement> {
    let is_lost = |requirement: &&Requirement| {
        let mut judges = super::gate::producers(facts.graph.dag(), facts.drafts, requirement);
        judges.all(|judge| {
            let judge = progress.iter().find(|other| other.task_id == judge.task_id);
            judge.is_none_or(|judge| judge.task_id == node.task_id || judge.state.is_terminal())
        })
    };
    missing.iter().filter(is_lost).cloned().collect()
}

/// Whether a question of the plan that was asked under this key is still one. What only waits for something that is on its way
/// is no other question.
pub(crate) fn is_still_asked(facts: &Facts<'_>, progress: &[NodeProgress], key: &str) -> bool {
    progress.iter().any(|one| {
        let question = |about, seq| Question { task_id: one.task_id.clone(), about, seq };
        match &one.why {
            StateReason::Person(question) => question.key() == key,
            StateReason::Replan(failed) => {
                question(QuestionSubject::Replan(failed.clone()), facts.seq(failed).unwrap_or(0)).key() == key
            }
            StateReason::GateMissing(missing) if !one.state.is_terminal() => {
                let Some(node) = facts.graph.node(&one.task_id) else { return false };
                let lost = lost(facts, progress, node, missing);
                lost.len() == missing.len() && facts.question_about_review(node, lost).key() == key
            }
            _ => false,
        }
    })
}

/// Returns the key under which it is said once that a judgement was taken as given.
pub fn default_key(progress: &NodeProgress) -> String {
    format!("default:{}:{}", progress.task_id, progress.by_default.join(","))
}

fn ask(facts: &Facts<'_>, question: Question, steps: &mut Vec<Step>) {
    if !facts.asked.contains_key(&question.key()) {
        steps.push(Step::Ask(question));
    }
}

struct Inputs<'e> {
    compiled: ResolvedInputs,
    judgements: &'e [Evidence],
    /// How often the task is done again with this command.
    count: u64,
    /// The task that people were asked about: itself, or the one whose gate was not passed.
    asked_about: &'e Id,
}

fn again(
    facts: &Facts<'_>,
    node: &Node,
    (evidence, asked_about): (&[Evidence], &Id),
    issuer: &Issuer<'_>,
    ids: &mut dyn FnMut(&str) -> Id,
) -> Step {
    let count = facts.work.get(&node.task_id).map_or(0, |work| work.reexecutions) + 1;
    let agent = facts.agent(node, count);
    let compiled = compile_inputs(node, agent, facts.arrived, &facts.scores(), &chosen(facts, node));
    issue(facts, node, Inputs { compiled, judgements: evidence, count, asked_about }, issuer, ids)
}

/// What people have chosen for the inputs of a task.
fn chosen(facts: &Facts<'_>, node: &Node) -> BTreeMap<String, String> {
    let mut chosen = BTreeMap::new();
    for input in node.inputs.iter().flatten() {
        let prefix = format!("input:{}:{}:", node.task_id, input.name);
        let answers = facts.asked.iter().filter(|(key, _)| key.starts_with(&prefix));
        if let Some(selected) =
            answers.filter_map(|(_, answer)| answer.as_ref()?.selected.clone()).next_back()
        {
            chosen.insert(input.name.to_string(), selected);
        }
    }
    chosen
}

fn issue(
    facts: &Facts<'_>,
    node: &Node,
    inputs: Inputs<'_>,
    issuer: &Issuer<'_>,
    ids: &mut dyn FnMut(&str) -> Id,
) -> Step {
    let cannot = || Step::CannotIssue(node.task_id.clone());
    let Some(draft) = facts.drafts.get(&node.task_id) else { return cannot() };
    let known = issuer.last_seqs.get(&node.task_id).copied();
    let seq = known.max(facts.seq(&node.task_id)).unwrap_or(0) + 1;
    let task = &node.task_id;
    let Ok(command_id) = format!("cmd_{task}_{seq:03}").parse::<Id>() else { return cannot() };
    let sha256 = Text::from(*issuer.dag_sha256);
    let plan_id = &facts.graph.dag().plan_id;
    let idempotency_key = Some(format!("{plan_id}:{task}:{command_id}"));
    let count = inputs.count;
    let mut extra = draft.extra.clone();
    if count > 0 {
        extra.insert(REEXECUTE_COUNT.to_owned(), json!(count));
    }
    let prompt = instructed(facts, &draft.prompt, task, inputs.asked_about);
    if seq > 1 && (!inputs.judgements.is_empty() || prompt != draft.prompt) {
        extra.insert(IMPROVES.to_owned(), json!(true));
    }
    let built_on: BTreeMap<&Id, u64> =
        node.depends_on.iter().filter_map(|id| Some((id, facts.seq(id)?))).collect();
    if !built_on.is_empty() {
        extra.insert(BUILT_ON.to_owned(), json!(built_on));
    }
    let command = Command {
        schema_version: SchemaVersion::CURRENT,
        command_id: command_id.clone(),
        plan_id: plan_id.clone(),
        task_id: task.clone(),
        command_seq: Some(seq),
        dag_ref: Some(DagRef { sha256, revision: issuer.revision, extra: Extra::new() }),
        resolved_inputs: resolved_inputs(facts, node, draft, &inputs, facts.agent(node, count)),
        idempotency_key: idempotency_key.clone(),
        prompt,
        extra,
        ..draft.clone()
    };
    Step::Issue(Box::new(Envelope {
        schema_version: SchemaVersion::CURRENT,
        message_id: ids("msg"),
        plan_id: plan_id.clone(),
        task_id: Some(task.clone()),
        output_name: None,
        command_id: Some(command_id),
        producer_agent_id: issuer.agent.clone(),
        kind: MessageType::Command,
        subtype: None,
        created_at: facts.now.clone(),
        idempotency_key,
        routing: None,
        correlation: None,
        payload: Payload { command: Some(Box::new(command)), files: None, extra: Extra::new() },
        extra: Extra::new(),
    }))
}

/// The prompt of a task, with what the user has written for its next attempts: every agent reads it there.
fn instructed(facts: &Facts<'_>, prompt: &Text, task: &Id, asked_about: &Id) -> Text {
    let mut all: Vec<&Instruction> = facts.instructions.get(task).into_iter().flatten().collect();
    if asked_about != task {
        all.extend(facts.instructions.get(asked_about).into_iter().flatten());
        all.sort_by(|a, b| super::latest_first(a, b));
    }
    let mut size = 0;
    let mut lines = Vec::new();
    for one in all {
        let text = one.text.trim();
        size += text.len();
        if size > INSTRUCTIONS && !lines.is_empty() {
            break;
        }
        let (kept, cut) = text.split_at(text.floor_char_boundary(INSTRUCTIONS));
        let kept = kept.replace('\n', "\n   ");
        let note = if cut.is_empty() {
            String::new()
        } else {
            format!(" … ({} more bytes were left out)", cut.len())
        };
        lines.push(format!("{}. {kept}{note}", lines.len() + 1));
    }
    if lines.is_empty() {
        return prompt.clone();
    }
    let text = format!(
        "{}\n\n## User instructions (highest priority)\n\nThe user wrote these instructions for the task, latest first. They \
         take precedence over everything else here; if two of them conflict, the first one wins.\n\n{}",
        prompt.trim_end(),
        lines.join("\n")
    );
    text.parse().unwrap_or_else(|_| prompt.clone())
}

/// The inputs of a command: the selected files or, without a selection, all files that the tasks before it have delivered; the
/// inputs that no task makes (the agent waits for them); further inputs that the author of the command wants; and the judgement.
/// `None` if there are none of these: then `required_inputs` count, which may be patterns.
fn resolved_inputs(
    facts: &Facts<'_>,
    node: &Node,
    draft: &Command,
    inputs: &Inputs<'_>,
    agent: &Id,
) -> Option<Vec<ResolvedInput>> {
    let mut resolved = inputs.compiled.resolved.clone();
    let is_given = node.inputs.is_none() && draft.resolved_inputs.is_none();
    if is_given {
        resolved = delivered(&facts.before(node), agent, facts.arrived);
    }
    for name in &inputs.compiled.missing {
        resolved.extend(awaited(facts, node, name));
    }
    for wanted in draft.resolved_inputs.iter().flatten() {
        if !resolved.iter().any(|known| known.input_name == wanted.input_name) {
            resolved.push(wanted.clone());
        }
    }
    if resolved.is_empty() && inputs.judgements.is_empty() {
        return draft.resolved_inputs.clone();
    }
    // An array of them replaces the list of names: what is wanted there must not be lost.
    for path in draft.required_inputs.iter() {
        let is_known = |known: &ResolvedInput| {
            if is_given {
                // A pattern may want more than what was given.
                return known.paths.iter().any(|known| known == path);
            }
            known.input_name == **path
                || known.paths.iter().any(|known| super::select::pattern_fits(path, known.file_name()))
        };
        if draft.resolved_inputs.is_none() && !resolved.iter().any(is_known) {
            resolved.extend(input(path, true, path.clone()));
        }
    }
    let files = LazyCell::new(|| facts.arrived.for_agent(agent));
    for (at, one) in inputs.judgements.iter().enumerate() {
        let arrived = files.iter().find(|file| file.message_id == one.message_id && file.path == one.path);
        let name = if at == 0 { JUDGEMENT.to_owned() } else { format!("{JUDGEMENT}_{}", at + 1) };
        let path = arrived.map_or_else(|| one.path.clone(), |file| place_of(file, &files));
        // One that is delivered to others only cannot be waited for.
        if let Some(mut judgement) = input(&name, arrived.is_some(), path) {
            let score = one.score.as_ref().map_or_else(String::new, |score| format!(", score {score}"));
            judgement.description = Some(format!("{}{score}", one.decision));
            judgement.extra.insert("message_id".to_owned(), json!(one.message_id));
            judgement.extra.insert("sha256".to_owned(), json!(one.sha256));
            resolved.push(judgement);
        }
    }
    Some(resolved)
}

/// An input that is not there: by the names that it could have.
fn awaited(facts: &Facts<'_>, node: &Node, name: &str) -> Option<ResolvedInput> {
    let selector =
        node.inputs.iter().flatten().find(|input| input.name == *name).map(|input| &input.selector);
    let Some(selector) = selector else {
        return input(name, true, name.parse().ok()?);
    };
    let value = selector.value.as_deref().or(selector.subtype_value.as_deref()).unwrap_or(name);
    let of_output = facts.drafts.values().flat_map(|draft| draft.produces.iter().flatten());
    let files = of_output
        .filter(|produced| {
            selector.kind == protocol::agent::SelectorKind::ByOutputName && produced.output_name == *value
        })
        .flat_map(|produced| &produced.files);
    let mut paths: Vec<RelPath> = files.map(|file| RelPath::from(file.path.clone())).collect();
    if paths.is_empty() {
        paths.push(value.parse().ok()?);
    }
    let mut awaited = input(name, true, paths[0].clone())?;
    awaited.paths = NonEmpty::new(paths)?;
    Some(awaited)
}

fn input(name: &str, required: bool, path: RelPath) -> Option<ResolvedInput> {
    Some(ResolvedInput {
        input_name: name.parse().ok()?,
        required,
        paths: NonEmpty::one(path),
        description: None,
        sensitivity: None,
        extra: Extra::new(),
    })
}

fn replan(facts: &Facts<'_>, node: &Node, failed: &Id, planner: &Id, request_id: Id) -> ReplanRequest {
    let now: &Timestamp = facts.now;
    ReplanRequest {
        schema_version: SchemaVersion::CURRENT,
        request_id,
        plan_id: facts.graph.dag().plan_id.clone(),
        created_at: now.clone(),
        trigger: Some(ReplanTrigger {
            kind: Some("DEPENDENCY_FAILED".to_owned()),
            failed_task_id: Some(failed.clone()),
            downstream_task_id: Some(node.task_id.clone()),
            extra: Extra::new(),
        }),
        reason: ReplanReason {
            code: Some("DEPENDENCY_FAILED".to_owned()),
            message: Some(format!("{} cannot begin: {failed} has failed", node.task_id)),
            extra: Extra::new(),
        },
        recommendation: None::<ReplanRecommendation>,
        deliver_to_agent_id: planner.clone(),
        extra: Extra::new(),
    }
}
