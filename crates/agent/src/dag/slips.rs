//! Unknown members of a plan's documents that are almost known ones: they are kept as they are, and mean nothing,
//! so that a misspelt gate is none.

use super::gate::{evidence_formats, threshold_name};
use super::lint::{Document, Finding, Flaw};
use model::nearest_member;
use protocol::agent::{
    Acceptance, Command, Deliverable, FailurePolicy, Gates, Node, NodeInput, NodeOutput, OnComplete,
    OnFailure, PlanAgent, PlanManifest, Policies, Produced, ProducedFile, ResolvedInput, RouteMatch,
    RoutingRule, ScoreRange, Selector, TaskDag, Thresholds, Timeouts, Versioning,
};
use serde_json::{Map, Value};

/// What an object of a document may have, and what its members are in turn.
struct Shape {
    members: &'static [&'static str],
    /// What it may have besides.
    more: &'static [&'static str],
    /// The objects, or lists of objects, among its members.
    inside: &'static [(&'static str, &'static Shape)],
}

const fn leaf(members: &'static [&'static str]) -> Shape {
    Shape { members, more: &[], inside: &[] }
}

const fn shape(members: &'static [&'static str], inside: &'static [(&'static str, &'static Shape)]) -> Shape {
    Shape { members, more: &[], inside }
}

static SELECTOR: Shape = leaf(Selector::MEMBERS);
static INPUT: Shape = shape(NodeInput::MEMBERS, &[("selector", &SELECTOR)]);
static POLICY: Shape = leaf(FailurePolicy::MEMBERS);
static THRESHOLDS: Shape = leaf(Thresholds::MEMBERS);
static GATES: Shape = shape(Gates::MEMBERS, &[("thresholds", &THRESHOLDS)]);
static VERSIONING: Shape = leaf(Versioning::MEMBERS);
static OUTPUT: Shape = shape(NodeOutput::MEMBERS, &[("versioning", &VERSIONING)]);
static NODE: Shape = shape(
    Node::MEMBERS,
    &[("inputs", &INPUT), ("failure_policy", &POLICY), ("gates", &GATES), ("outputs", &OUTPUT)],
);
static MATCH: Shape = leaf(RouteMatch::MEMBERS);
static RULE: Shape = shape(RoutingRule::MEMBERS, &[("match", &MATCH)]);
static DAG: Shape = Shape {
    members: TaskDag::MEMBERS,
    more: &["notes"],
    inside: &[("nodes", &NODE), ("routing_rules", &RULE)],
};

static AGENT: Shape = leaf(PlanAgent::MEMBERS);
static ACCEPTANCE: Shape = leaf(Acceptance::MEMBERS);
static DELIVERABLE: Shape = shape(Deliverable::MEMBERS, &[("accept_if", &ACCEPTANCE)]);
static TIMEOUTS: Shape = leaf(Timeouts::MEMBERS);
static POLICIES: Shape =
    Shape { members: Policies::MEMBERS, more: &["planner_agent_id"], inside: &[("timeouts", &TIMEOUTS)] };
static MANIFEST: Shape = Shape {
    members: PlanManifest::MEMBERS,
    more: &["planner_agent_id", "notes"],
    inside: &[("agents", &AGENT), ("deliverables", &DELIVERABLE), ("policies", &POLICIES)],
};

static RESOLVED: Shape = leaf(ResolvedInput::MEMBERS);
static RANGE: Shape = leaf(ScoreRange::MEMBERS);
static FILE: Shape = leaf(ProducedFile::MEMBERS);
static PRODUCED: Shape = shape(Produced::MEMBERS, &[("files", &FILE), ("when", &RANGE)]);
static COMPLETE: Shape = Shape { members: OnComplete::MEMBERS, more: &["notes"], inside: &[] };
static FAILURE: Shape = Shape { members: OnFailure::MEMBERS, more: &["notes"], inside: &[] };
static COMMAND: Shape = Shape {
    members: Command::MEMBERS,
    more: &["notes", "retry_times", "payload_hash"],
    inside: &[
        ("resolved_inputs", &RESOLVED),
        ("produces", &PRODUCED),
        ("on_complete", &COMPLETE),
        ("on_failure", &FAILURE),
    ],
};

/// Returns the misspelt members of a document, valid or not.
pub(crate) fn slips(document: Document, value: &Value) -> Vec<Finding> {
    let (shape, path) = match document {
        Document::Dag => (&DAG, String::new()),
        Document::Manifest => (&MANIFEST, String::new()),
        Document::Command => {
            (&COMMAND, value.get("task_id").and_then(Value::as_str).unwrap_or_default().to_owned())
        }
    };
    let mut findings = Vec::new();
    look(shape, value, &path, &mut |path, flaw| findings.push(Finding { document, path, flaw }));
    findings
}

fn look(shape: &Shape, value: &Value, path: &str, note: &mut dyn FnMut(String, Flaw)) {
    match value {
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate().filter(|(_, element)| element.is_object()) {
                look(shape, element, &format!("{path}[{index}]"), note);
            }
        }
        Value::Object(members) => of_object(shape, members, path, note),
        _ => {}
    }
}

fn of_object(shape: &Shape, members: &Map<String, Value>, path: &str, note: &mut dyn FnMut(String, Flaw)) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    for (key, value) in members {
        if let Some((_, inside)) = shape.inside.iter().find(|(name, _)| name == key) {
            look(inside, value, &below(key), note);
        }
        let is_threshold = || evidence_formats().any(|format| threshold_name(format) == key);
        if shape.members.contains(&key.as_str()) || shape.more.contains(&key.as_str()) || is_threshold() {
            continue;
        }
        let is_missing = |name: &&str| members.get(*name).is_none_or(Value::is_null);
        let missing: Vec<&'static str> =
            shape.members.iter().copied().filter(|name| is_missing(name)).collect();
        if let Some(meant) = nearest_member(key, &missing) {
            note(below(key), Flaw::Misspelt { found: key.clone(), meant });
        }
    }
}
