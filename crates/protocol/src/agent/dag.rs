//! `task_dag.json`: the tasks of a plan, their dependencies, their agents, and the recipients of their outputs.

use super::macros::{document, document_names};
use super::read::{Place, Reader, is_missing};
use super::{DagVersion, Id, NonEmpty, RelPath, Rule, Score, Sha256, Text, Timestamp};
use serde_json::{Map, Value};

document_names! {
    /// Criterion by which an input is selected.
    SelectorKind {
        /// Path of a file.
        ByFileName = "by_file_name",
        /// Pattern of paths.
        ByGlob = "by_glob",
        /// Name of the output.
        ByOutputName = "by_output_name",
        /// Type and subtype of the message.
        ByMessageType = "by_message_type",
    }
}

document_names! {
    /// Choice among several matching inputs.
    PickPolicy {
        /// The input that was delivered last.
        LatestByDeliveredAt = "latest_by_delivered_at",
        /// The input that was delivered first.
        FirstSeen = "first_seen",
        /// The input whose hash is allowed.
        BySha256 = "by_sha256",
        /// The input with the highest score.
        HighestScore = "highest_score",
    }
}

document_names! {
    /// Consequence for a task when a dependency has failed.
    OnDependencyFailed {
        /// The task is skipped.
        Skip = "SKIP",
        /// The task waits for a person.
        Block = "BLOCK",
        /// The planner is asked for a new plan.
        ReplanRequest = "REPLAN_REQUEST",
        /// Another task is executed instead.
        Fallback = "FALLBACK",
    }
}

document_names! {
    /// Versioning of an output that is produced again.
    VersioningMode {
        /// All versions are kept, by message id.
        ImmutableByMessageId = "immutable_by_message_id",
        /// Only the latest version is current.
        KeepLatest = "keep_latest",
        /// A version with other content is refused.
        RejectOnChange = "reject_on_change",
        /// The latest version replaces the file of the same name.
        OverwriteByName = "overwrite_by_name",
        /// Each version has a version tag.
        SemverTagged = "semver_tagged",
    }
}

document_names! {
    /// Handling of an output that is produced again.
    ConflictPolicy {
        /// A version with the same content is accepted as a duplicate.
        AcceptDuplicateIfSameHash = "accept_duplicate_if_same_hash",
        /// A version with other content is dead-lettered.
        DeadletterOnChange = "deadletter_on_change",
    }
}

document! {
    /// The tasks of a plan, their dependencies, their agents, and the recipients of their outputs.
    TaskDag {
        /// Version of this format.
        schema_version: DagVersion,
        /// Id of the plan.
        plan_id: Id,
        /// Creation time; absent if unknown.
        created_at: Option<Timestamp>,
        /// The tasks.
        nodes: NonEmpty<Node>,
        /// Recipients of outputs for which the task names none; the first matching rule applies.
        routing_rules: Option<Vec<RoutingRule>>,
    }
}

document! {
    /// A task in a DAG.
    Node {
        /// Id of the task.
        task_id: Id,
        /// Display name of the task; absent if there is none.
        name: Option<String>,
        /// Id of the agent that executes the task.
        assigned_agent_id: Id,
        /// Ids of the tasks that must be completed first.
        depends_on: Vec<Id>,
        /// Inputs of the task; absent if `required_inputs` is used or there are none.
        inputs: Option<Vec<NodeInput>>,
        /// Paths or patterns of the required files. Ignored if `inputs` is present.
        required_inputs: Option<Vec<RelPath>>,
        /// Handling of failures; absent for the default.
        failure_policy: Option<FailurePolicy>,
        /// Conditions for completing the task; absent if there are none.
        gates: Option<Gates>,
        /// Outputs of the task.
        outputs: Vec<NodeOutput>,
    }
}

document! {
    /// An input of a task.
    NodeInput {
        /// Name of the input.
        name: Text,
        /// Selector of the input.
        selector: Selector,
        /// Whether the task cannot start without the input.
        required: bool,
        /// Choice among several matching inputs.
        pick_policy: PickPolicy,
    }
    check check_input
}

document! {
    /// Selector of an input.
    #[cfg_attr(feature = "schema", schemars(transform = demand_by_kind))]
    Selector {
        /// Criterion of the selector.
        kind as "type": SelectorKind,
        /// Path, pattern or output name; required unless the type is `by_message_type`.
        value: Option<Text>,
        /// Type of the message; required for `by_message_type`.
        type_value: Option<Text>,
        /// Subtype of the message; required for `by_message_type`.
        subtype_value: Option<Text>,
        /// Allowed hashes; required for the pick policy `by_sha256`.
        allowed_hashes: Option<NonEmpty<Sha256>>,
    }
    check check_selector
}

document! {
    /// Handling of failures.
    FailurePolicy {
        /// Consequence for the task when a dependency has failed; absent for the default.
        on_dependency_failed: Option<OnDependencyFailed>,
        /// Maximum number of repeated executions; defaults to the value of the plan.
        max_reexecute_times: Option<u64>,
        /// Id of the agent that executes the task again; defaults to the same agent.
        reexecute_target_agent_id: Option<Id>,
        /// Id of the task that is executed instead; absent if there is none.
        fallback_task_id: Option<Id>,
    }
}

document! {
    /// Conditions for completing a task.
    Gates {
        /// Whether the gate is enforced.
        required: Option<bool>,
        /// Files required as evidence; absent if there are none.
        evidence_required: Option<Vec<RelPath>>,
        /// Minimum scores; absent if there are none.
        thresholds: Option<Thresholds>,
    }
}

document! {
    /// Minimum scores, from 0 to 100.
    Thresholds {
        /// Minimum score of a DAG review; absent if there is none.
        dag_review_min_score: Option<Score>,
        /// Minimum score of an artifact validation; absent if there is none.
        artifact_validation_min_score: Option<Score>,
    }
}

document! {
    /// An output of a task.
    NodeOutput {
        /// Name of the output.
        name: Id,
        /// Media type; absent if not specified.
        content_type: Option<String>,
        /// Ids of the agents that receive the output.
        deliver_to: Vec<Id>,
        /// Whether the output is a deliverable of the plan.
        deliverable: Option<bool>,
        /// Key that stays the same when the output is produced again.
        idempotency_key: Text,
        /// Handling of an output that is produced again; absent for the default.
        versioning: Option<Versioning>,
    }
}

document! {
    /// Handling of an output that is produced again.
    Versioning {
        /// Versioning of the output; absent for the default.
        mode: Option<VersioningMode>,
        /// Handling of conflicts between versions; absent for the default.
        conflict_policy: Option<ConflictPolicy>,
        /// Version tag of the output; absent if there is none.
        tag: Option<Text>,
    }
}

document! {
    /// Recipients of outputs for which the task names none.
    RoutingRule {
        /// Outputs that the rule applies to.
        matches as "match": RouteMatch,
        /// Ids of the agents that receive the outputs.
        deliver_to: Vec<Id>,
    }
}

document! {
    /// Conditions of a routing rule; all members that are present must match.
    RouteMatch {
        /// Name of the output; any if absent.
        output_name: Option<Id>,
        /// Media type; any if absent.
        content_type: Option<Text>,
        /// Version tag; any if absent.
        tag: Option<Text>,
    }
}

impl TaskDag {
    /// Returns the task with this id.
    pub fn node(&self, task_id: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.task_id == *task_id)
    }
}

impl Node {
    /// Returns the output with this name.
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

/// Adds the requirements of each selector type to the schema.
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
