//! Commands to agents.

use super::macros::document;
use super::read::{Place, Reader, is_missing};
use super::{FormatName, Id, NonEmpty, PayloadPath, RelPath, Rule, SchemaVersion, Score, Text};
use serde_json::{Map, Value};
use std::num::NonZeroU64;

document! {
    /// A command: the work of an agent, with its inputs and outputs. It names no recipient, because the DAG defines the delivery.
    #[cfg_attr(feature = "schema", schemars(transform = demand_criteria))]
    Command {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// `cmd_<task>_<number>` for a routed command; for one that is run directly, any id that begins with `cmd_`.
        #[cfg_attr(feature = "schema", schemars(extend("pattern" = "^cmd_.+_[0-9]{3,}$")))]
        command_id: Id,
        /// Id of the plan.
        plan_id: Id,
        /// Id of the task in the DAG.
        task_id: Id,
        /// Sequence number among the commands of the task: a command with a higher number supersedes this one.
        #[cfg_attr(feature = "schema", schemars(required))]
        command_seq: Option<u64>,
        /// The DAG that the command was made for.
        #[cfg_attr(feature = "schema", schemars(required))]
        dag_ref: Option<DagRef>,
        /// Instructions for the LLM. They must be complete, including how to score.
        prompt: Text,
        /// Paths or patterns of the required files. Ignored if `resolved_inputs` is present.
        required_inputs: Vec<RelPath>,
        /// The required files, as resolved by the DAG; absent if not resolved.
        resolved_inputs: Option<Vec<ResolvedInput>>,
        /// Outputs of the command; absent if there are none.
        produces: Option<Vec<Produced>>,
        /// Whether the command waits until all inputs are available.
        wait_for_inputs: bool,
        /// Whether the LLM must give a score.
        score_required: bool,
        /// Criteria of the score; required if `score_required` is true.
        score_criteria: Option<String>,
        /// Maximum time to wait for the inputs, in seconds.
        timeout: NonZeroU64,
        /// Key under which the command is executed only once; absent if there is none.
        idempotency_key: Option<String>,
        /// Message on success; absent if there is none.
        on_complete: Option<OnComplete>,
        /// Message on failure; absent if there is none.
        on_failure: Option<OnFailure>,
    }
    check check_command
}

document! {
    /// The DAG that a command was made for.
    DagRef {
        /// Hash of the DAG file.
        sha256: Text,
        /// Revision of the DAG; absent if unknown.
        revision: Option<u64>,
    }
}

document! {
    /// An input of a command, as resolved by the DAG.
    ResolvedInput {
        /// Name of the input.
        input_name: Text,
        /// Whether the command requires the input.
        required: bool,
        /// Possible paths of the input; any one of them suffices.
        paths: NonEmpty<RelPath>,
        /// Description for a person who is asked for the input; absent if there is none.
        description: Option<String>,
        /// Confidentiality of the input; absent if not specified.
        sensitivity: Option<String>,
    }
}

document! {
    /// An output of a command.
    Produced {
        /// Name of the output in the DAG.
        output_name: Id,
        /// Files of the output.
        files: NonEmpty<ProducedFile>,
        /// Scores for which the output is produced; any score if absent.
        when: Option<ScoreRange>,
    }
}

document! {
    /// A file that a command produces.
    ProducedFile {
        /// Path relative to the folder of the message.
        path: PayloadPath,
        /// Media type; absent if not specified.
        content_type: Option<String>,
        /// Format that the file must satisfy; absent if there is none.
        format: Option<FormatName>,
    }
}

document! {
    /// Range of scores, including both bounds.
    ScoreRange {
        /// Lower bound, from 0 to 100; no bound if absent.
        min_score: Option<Score>,
        /// Upper bound, from 0 to 100; no bound if absent.
        max_score: Option<Score>,
    }
    check check_range
}

document! {
    /// Message on success of a command.
    OnComplete {
        /// Template with the placeholders `{result}` and `{score}`; absent if there is none.
        message_template: Option<String>,
    }
}

document! {
    /// Message on failure of a command.
    OnFailure {
        /// Template with the placeholder `{error}`; absent if there is none.
        message_template: Option<String>,
    }
}

impl Command {
    /// Returns the sequence number: `command_seq`, otherwise the number at the end of the id, otherwise 0.
    pub fn seq(&self) -> u64 {
        let id = self.command_id.as_str();
        let digits = id.len() - id.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        self.command_seq.unwrap_or_else(|| id[id.len() - digits..].parse().unwrap_or(0))
    }

    /// Returns the outputs that are produced for this score.
    pub fn produced_with(&self, score: Option<&Score>) -> impl Iterator<Item = &Produced> {
        let produced = self.produces.iter().flatten();
        produced.filter(move |output| output.when.as_ref().is_none_or(|when| when.holds(score)))
    }
}

impl ScoreRange {
    /// Whether the score is within the range. Without a score, it is not.
    pub fn holds(&self, score: Option<&Score>) -> bool {
        score.is_some_and(|score| {
            self.min_score.as_ref().is_none_or(|least| least <= score)
                && self.max_score.as_ref().is_none_or(|most| score <= most)
        })
    }
}

fn check_command(reader: &mut Reader, place: &Place<'_>, object: &Map<String, Value>) {
    let is_scored = object.get("score_required") == Some(&Value::Bool(true));
    if is_scored {
        reader.demand(place, object, "score_criteria", Rule::IsString);
    }
    check_id(reader, place, object);
    if reader.is_strict() {
        reader.demand(place, object, "dag_ref", Rule::IsObject);
        reader.demand(place, object, "command_seq", Rule::SeqGiven);
    }
    if object.get("score_required") == Some(&Value::Bool(false)) {
        let produced = object.get("produces").and_then(Value::as_array).into_iter().flatten();
        for (index, output) in produced.enumerate() {
            let when = output.get("when");
            if !is_missing(when) {
                reader.note(&place.key("produces").index(index).key("when"), Rule::NeedsScore, when);
            }
        }
    }
    check_no_target(reader, place, object);
}

/// Checks that the command agrees with its id.
fn check_id(reader: &mut Reader, place: &Place<'_>, object: &Map<String, Value>) {
    let value = object.get("command_id");
    let Some(id) = value.and_then(Value::as_str).and_then(|id| id.parse::<Id>().ok()) else { return };
    let Some(rest) = id.strip_prefix("cmd_") else {
        let rule = if reader.is_strict() { Rule::SeqInId } else { Rule::IsCommandId };
        return reader.note(&place.key("command_id"), rule, value);
    };
    if !reader.is_strict() {
        return;
    }
    let parts = rest.rsplit_once('_').filter(|(task, number)| {
        !task.is_empty() && number.len() >= 3 && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    let Some((task, number)) = parts else {
        return reader.note(&place.key("command_id"), Rule::SeqInId, value);
    };
    let seq = object.get("command_seq");
    if let Some(Value::Number(given)) = seq
        && number.parse() != Ok(given.as_f64().unwrap_or_default() as u64)
    {
        reader.note(&place.key("command_seq"), Rule::SeqMatchesId { in_id: number.to_owned() }, seq);
    }
    let task_id = object.get("task_id");
    if task_id.is_some_and(|given| given.is_string() && given != task) {
        reader.note(&place.key("task_id"), Rule::TaskMatchesId { in_id: task.to_owned() }, task_id);
    }
}

/// Commands once named their recipients. One that still does would be delivered elsewhere than it expects.
fn check_no_target(reader: &mut Reader, place: &Place<'_>, object: &Map<String, Value>) {
    for (key, value) in object {
        let place = place.key(key);
        if matches!(key.as_str(), "send_to" | "send_to_condition") {
            reader.note(&place, Rule::NamesNoTarget, Some(value));
        } else {
            check_no_target_in(reader, &place, value);
        }
    }
}

fn check_no_target_in(reader: &mut Reader, place: &Place<'_>, value: &Value) {
    match value {
        Value::Object(object) => check_no_target(reader, place, object),
        Value::Array(array) => {
            for (index, value) in array.iter().enumerate() {
                check_no_target_in(reader, &place.index(index), value);
            }
        }
        _ => {}
    }
}

fn check_range(reader: &mut Reader, place: &Place<'_>, object: &Map<String, Value>) {
    let bound = |key| object.get(key).and_then(Value::as_f64);
    if let (Some(least), Some(most)) = (bound("min_score"), bound("max_score"))
        && least > most
    {
        reader.note(&place.key("min_score"), Rule::MinNotAboveMax, object.get("min_score"));
    }
}

/// Requires `score_criteria` in the schema of a command that requires a score: a score needs criteria.
#[cfg(feature = "schema")]
fn demand_criteria(schema: &mut schemars::Schema) {
    schema.insert(
        "if".to_owned(),
        serde_json::json!({ "properties": { "score_required": { "const": true } } }),
    );
    let criteria = serde_json::json!({ "score_criteria": { "type": "string" } });
    schema.insert(
        "then".to_owned(),
        serde_json::json!({ "required": ["score_criteria"], "properties": criteria }),
    );
}
