//! `task_dag.json`: who does what after what, and who gets what comes of it.

use super::macros::{names, object};
use super::read::{Place, Reader, is_missing};
use super::{DagVersion, Filled, Id, RelPath, Rule, Score, Sha256, Text, Timestamp};
use serde_json::{Map, Value};

names! {
    /// By what an input is found.
    SelectorKind {
        /// The path of a file.
        ByFileName = "by_file_name",
        /// A pattern of paths.
        ByGlob = "by_glob",
        /// The output that it is.
        ByOutputName = "by_output_name",
        /// The type and subtype of its message.
        ByMessageType = "by_message_type",
    }
}

names! {
    /// Which one is taken of several that fit.
    PickPolicy {
        /// The one that was delivered last.
        LatestByDeliveredAt = "latest_by_delivered_at",
        /// The one that was delivered first.
        FirstSeen = "first_seen",
        /// The one whose hash is allowed.
        BySha256 = "by_sha256",
        /// The one that was judged best.
        HighestScore = "highest_score",
    }
}

names! {
    /// What becomes of a task when one that it depends on has failed.
    OnDependencyFailed {
        /// It is left out.
        Skip = "SKIP",
        /// It waits for a person.
        Block = "BLOCK",
        /// The planner is asked for another plan.
        ReplanRequest = "REPLAN_REQUEST",
        /// Another task is done instead.
        Fallback = "FALLBACK",
    }
}

names! {
    /// What becomes of an output that comes again.
    VersioningMode {
        /// All of them are kept, by their messages.
        ImmutableByMessageId = "immutable_by_message_id",
        /// The latest counts.
        KeepLatest = "keep_latest",
        /// Another content is refused.
        RejectOnChange = "reject_on_change",
        /// The latest takes the name.
        OverwriteByName = "overwrite_by_name",
        /// Each has a version.
        SemverTagged = "semver_tagged",
    }
}

names! {
    /// What is done with an output that comes again.
    ConflictPolicy {
        /// The same content is fine.
        AcceptDuplicateIfSameHash = "accept_duplicate_if_same_hash",
        /// Another content is dead-lettered.
        DeadletterOnChange = "deadletter_on_change",
    }
}

object! {
    /// Who does what after what, and who gets what comes of it.
    TaskDag {
        /// The version of this format.
        schema_version: DagVersion,
        /// The plan.
        plan_id: Id,
        /// When it was made.
        created_at: Option<Timestamp>,
        /// The tasks.
        nodes: Filled<Node>,
        /// Who gets the outputs for which no task says so; the first rule that fits counts.
        routing_rules: Option<Vec<RoutingRule>>,
    }
}

object! {
    /// A task.
    Node {
        /// Its id.
        task_id: Id,
        /// What people call it.
        name: Option<String>,
        /// Who does it.
        assigned_agent_id: Id,
        /// The tasks that must be done before.
        depends_on: Vec<Id>,
        /// What it needs.
        inputs: Option<Vec<NodeInput>>,
        /// The files that it needs, or patterns of them. With `inputs`, nobody looks at it.
        required_inputs: Option<Vec<RelPath>>,
        /// What happens when something fails.
        failure_policy: Option<FailurePolicy>,
        /// What must be shown before it counts as done.
        gates: Option<Gates>,
        /// What comes of it.
        outputs: Vec<NodeOutput>,
    }
}

object! {
    /// What a task needs.
    NodeInput {
        /// What it is called.
        name: Text,
        /// By what it is found.
        selector: Selector,
        /// Whether the task cannot begin without.
        required: bool,
        /// Which one is taken of several that fit.
        pick_policy: PickPolicy,
    }
    check check_input
}

object! {
    /// By what an input is found.
    #[cfg_attr(feature = "schema", schemars(transform = demand_by_kind))]
    Selector {
        /// By which of these.
        kind as "type": SelectorKind,
        /// The path, the pattern, or the output.
        value: Option<Text>,
        /// The type of the message.
        type_value: Option<Text>,
        /// The subtype of the message.
        subtype_value: Option<Text>,
        /// The hashes that are allowed.
        allowed_hashes: Option<Filled<Sha256>>,
    }
    check check_selector
}

object! {
    /// What happens when something fails.
    FailurePolicy {
        /// What becomes of the task when one that it depends on has failed.
        on_dependency_failed: Option<OnDependencyFailed>,
        /// How often it may be done again; what the plan says, if nothing is said here.
        max_reexecute_times: Option<u64>,
        /// Who does it again; the same agent, if nothing is said.
        reexecute_target_agent_id: Option<Id>,
        /// Which task is done instead.
        fallback_task_id: Option<Id>,
    }
}

object! {
    /// What must be shown before a task counts as done.
    Gates {
        /// Whether the gate is enforced.
        required: Option<bool>,
        /// The files that show it.
        evidence_required: Option<Vec<RelPath>>,
        /// The scores that are needed.
        thresholds: Option<Thresholds>,
    }
}

object! {
    /// Scores that are needed.
    Thresholds {
        /// Of a review of the DAG.
        dag_review_min_score: Option<Score>,
        /// Of an artifact.
        artifact_validation_min_score: Option<Score>,
    }
}

object! {
    /// What comes of a task.
    NodeOutput {
        /// What it is called.
        name: Id,
        /// Its media type.
        content_type: Option<String>,
        /// Who gets it.
        deliver_to: Vec<Id>,
        /// Whether it is what the plan is for.
        deliverable: Option<bool>,
        /// What stays the same when it comes again.
        idempotency_key: Text,
        /// What happens when it comes again.
        versioning: Option<Versioning>,
    }
}

object! {
    /// What happens when an output comes again.
    Versioning {
        /// How a new version is handled.
        mode: Option<VersioningMode>,
        /// What is done with it.
        conflict_policy: Option<ConflictPolicy>,
        /// Its version.
        tag: Option<Text>,
    }
}

object! {
    /// Who gets the outputs for which no task says so.
    RoutingRule {
        /// Which outputs.
        matches as "match": RouteMatch,
        /// Who gets them.
        deliver_to: Vec<Id>,
    }
}

object! {
    /// Which outputs a rule is for: all that is said must fit.
    RouteMatch {
        /// What it is called.
        output_name: Option<Id>,
        /// Its media type.
        content_type: Option<Text>,
        /// Its version.
        tag: Option<Text>,
    }
}

impl TaskDag {
    /// Returns the task of this id.
    pub fn node(&self, task_id: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.task_id == *task_id)
    }
}

impl Node {
    /// Returns the output of this name.
    pub fn output(&self, name: &str) -> Option<&NodeOutput> {
        self.outputs.iter().find(|output| output.name == *name)
    }
}

fn check_selector(reader: &mut Reader, place: &Place<'_>, object: &Map<String, Value>) {
    let kind = object.get("type").and_then(Value::as_str).and_then(SelectorKind::named);
    let needed: &[&str] = match kind {
        None => &[],
        Some(SelectorKind::ByMessageType) => &["type_value", "subtype_value"],
        Some(_) => &["value"],
    };
    for key in needed {
        reader.demand(place, object, key, Rule::IsString);
    }
}

fn check_input(reader: &mut Reader, place: &Place<'_>, object: &Map<String, Value>) {
    let by_hash = object.get("pick_policy").and_then(Value::as_str) == Some(PickPolicy::BySha256.name());
    let selector = object.get("selector").and_then(Value::as_object);
    if by_hash && selector.is_some_and(|selector| is_missing(selector.get("allowed_hashes"))) {
        reader.note(&place.key("selector").key("allowed_hashes"), Rule::NeedsHashes, None);
    }
}

/// What the kinds of selectors need, in a schema.
#[cfg(feature = "schema")]
fn demand_by_kind(schema: &mut schemars::Schema) {
    let text = serde_json::json!({ "type": "string" });
    let rules = serde_json::json!({
        "if": { "properties": { "type": { "const": "by_message_type" } } },
        "then": {
            "required": ["type_value", "subtype_value"],
            "properties": { "type_value": text, "subtype_value": text }
        },
        "else": { "required": ["value"], "properties": { "value": text } }
    });
    if let Value::Object(rules) = rules {
        for (key, rule) in rules {
            schema.insert(key, rule);
        }
    }
}
