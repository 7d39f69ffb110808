//! What an agent is to do.

use super::macros::object;
use super::read::{Place, Reader, is_missing};
use super::{Filled, FormatName, Id, PayloadPath, RelPath, Rule, SchemaVersion, Score, Text};
use serde_json::{Map, Value};
use std::num::NonZeroU64;

object! {
    /// A command: what an agent is to do with which inputs, and what it makes of them. It names no target; delivery is the
    /// DAG's.
    #[cfg_attr(feature = "schema", schemars(transform = demand_criteria))]
    Command {
        /// The version of this format.
        schema_version: SchemaVersion,
        /// `cmd_<task>_<number>` if it is routed; run directly, anything that begins with `cmd_`.
        #[cfg_attr(feature = "schema", schemars(extend("pattern" = "^cmd_.+_[0-9]{3,}$")))]
        command_id: Id,
        /// The plan.
        plan_id: Id,
        /// The task of the DAG.
        task_id: Id,
        /// Its number among the commands of the task: a higher one supersedes it.
        #[cfg_attr(feature = "schema", schemars(required))]
        command_seq: Option<u64>,
        /// The DAG that it was made for.
        #[cfg_attr(feature = "schema", schemars(required))]
        dag_ref: Option<DagRef>,
        /// What to do, for the LLM. Everything that is wanted is said here, how to score as well.
        prompt: Text,
        /// The files that it needs, or patterns of them. With `resolved_inputs`, nobody looks at it.
        required_inputs: Vec<RelPath>,
        /// The files that it needs, as the DAG has settled them.
        resolved_inputs: Option<Vec<ResolvedInput>>,
        /// The files that it makes.
        produces: Option<Vec<Produced>>,
        /// Whether it waits until all inputs are there.
        wait_for_inputs: bool,
        /// Whether the LLM gives a score.
        score_required: bool,
        /// How it is scored.
        score_criteria: Option<String>,
        /// How long it waits for its inputs, in seconds.
        timeout: NonZeroU64,
        /// Under which it is executed once.
        idempotency_key: Option<String>,
        /// What is said when it has succeeded.
        on_complete: Option<OnComplete>,
        /// What is said when it has failed.
        on_failure: Option<OnFailure>,
    }
    check check_command
}

object! {
    /// The DAG that a command was made for.
    DagRef {
        /// The hash of its file.
        sha256: Text,
        /// Its revision.
        revision: Option<u64>,
    }
}

object! {
    /// An input of a command, as the DAG has settled it.
    ResolvedInput {
        /// What it is called.
        input_name: Text,
        /// Whether the command needs it.
        required: bool,
        /// Where it may be found: any one of them will do.
        paths: Filled<RelPath>,
        /// What it is, for a person who is asked for it.
        description: Option<String>,
        /// How secret it is.
        sensitivity: Option<String>,
    }
}

object! {
    /// An output of a command.
    Produced {
        /// Its name in the DAG.
        output_name: Id,
        /// Its files.
        files: Filled<ProducedFile>,
        /// The scores with which it is made; with any, if nothing is said.
        when: Option<ScoreRange>,
    }
}

object! {
    /// A file that a command makes.
    ProducedFile {
        /// Where it lies, from the folder of the message.
        path: PayloadPath,
        /// Its media type.
        content_type: Option<String>,
        /// The format that it must satisfy.
        format: Option<FormatName>,
    }
}

object! {
    /// Scores between two bounds, both among them.
    ScoreRange {
        /// At least.
        min_score: Option<Score>,
        /// At most.
        max_score: Option<Score>,
    }
    check check_range
}

object! {
    /// What is said when a command has succeeded.
    OnComplete {
        /// With `{result}` and `{score}`.
        message_template: Option<String>,
    }
}

object! {
    /// What is said when a command has failed.
    OnFailure {
        /// With `{error}`.
        message_template: Option<String>,
    }
}

impl Command {
    /// Returns its number: the one it names, or else the one that its id ends with, or else 0.
    pub fn seq(&self) -> u64 {
        let id = self.command_id.as_str();
        let digits = id.len() - id.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        self.command_seq.unwrap_or_else(|| id[id.len() - digits..].parse().unwrap_or(0))
    }

    /// Returns the outputs that are made with this score.
    pub fn produced_with(&self, score: Option<&Score>) -> impl Iterator<Item = &Produced> {
        let produced = self.produces.iter().flatten();
        produced.filter(move |output| output.when.as_ref().is_none_or(|when| when.holds(score)))
    }
}

impl ScoreRange {
    /// Whether the score is between the bounds. No score is between none.
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

/// What the id of a command says about the command.
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

/// Commands once named their targets. One that still does would be delivered elsewhere than it believes.
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

/// Whoever scores needs to know how, in a schema.
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
