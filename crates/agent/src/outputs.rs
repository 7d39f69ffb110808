//! Which files a command makes, and what is in them (contract/plans §8.6): data in, data out.

use crate::answer::{Answer, Violation, text_of};
use crate::formats::problems;
use protocol::agent::{
    Code, Command, FormatName, Id, NonEmpty, Produced, ProducedFile, ResultDocument, Score,
};
use serde_json::{Value, json};

const RESULT: &str = "result";

/// A file to write.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Content {
    pub(crate) file: ProducedFile,
    pub(crate) bytes: Vec<u8>,
}

/// An output with its files.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Output {
    pub(crate) name: Id,
    pub(crate) files: Vec<Content>,
}

/// The outputs of a command, with any score: those that are predefined, else one of its own.
pub(crate) fn predefined(command: &Command) -> Vec<Produced> {
    match command.produces.as_deref() {
        Some(produced) if !produced.is_empty() => produced.to_vec(),
        _ => own(command).into_iter().collect(),
    }
}

/// The outputs that are made with this score.
pub(crate) fn chosen(command: &Command, score: Option<&Score>) -> Vec<Produced> {
    match command.produces.as_deref() {
        Some(produced) if !produced.is_empty() => command.produced_with(score).cloned().collect(),
        _ => own(command).into_iter().collect(),
    }
}

/// `result_<command_id>.json`
fn own(command: &Command) -> Option<Produced> {
    let path = format!("result_{}.json", command.command_id).parse().ok()?;
    let content_type = Some("application/json".to_owned());
    let file = ProducedFile { path, content_type, format: None, extra: Default::default() };
    Some(Produced {
        output_name: RESULT.parse().ok()?,
        files: NonEmpty::one(file),
        when: None,
        extra: Default::default(),
    })
}

/// Whether a file has JSON in it.
fn is_json(file: &ProducedFile) -> bool {
    match &file.content_type {
        Some(media_type) => media_type.split(';').next().unwrap_or_default().trim() == "application/json",
        None => file.path.ends_with(".json"),
    }
}

/// Whether the answer must have the content of each file by itself.
pub(crate) fn takes_files(outputs: &[Produced]) -> bool {
    outputs.iter().map(|output| output.files.len()).sum::<usize>() > 1
}

/// Looks whether `answer` has what `outputs` need.
///
/// # Errors
///
/// What is missing, or not of the format that is named.
pub(crate) fn check(command: &Command, outputs: &[Produced], answer: &Answer) -> Result<(), Violation> {
    let (asked_for, many) = (takes_files(&predefined(command)), takes_files(outputs));
    let mut seen = std::collections::HashSet::new();
    for file in outputs.iter().flat_map(|output| &output.files) {
        if !seen.insert(&*file.path) {
            let detail = format!("two outputs have the file {}", file.path);
            return Err(Violation::new(Code::OutputCollision, detail));
        }
        let value = match answer.files.get(file.path.as_str()) {
            Some(value) if asked_for || file.format.is_some() => value,
            _ if many => {
                let detail = format!("`files` lacks {}", Value::from(file.path.as_str()));
                return Err(Violation::new(Code::OutputMissing, detail));
            }
            _ => &answer.result,
        };
        if let Some(format) = file.format {
            let document = document_of(value)
                .map(|document| completed(document, format, answer, &JudgementContext::new(command)));
            let document = document.ok_or_else(|| {
                let detail = format!("{} is not JSON, but must have the format {format}", file.path);
                Violation::new(Code::LlmOutputInvalid, detail)
            })?;
            let found = problems(format, &document);
            if !found.is_empty() {
                let detail =
                    format!("{} does not match the format {format}: {}", file.path, found.join("; "));
                return Err(Violation::new(Code::LlmOutputInvalid, detail));
            }
        }
    }
    Ok(())
}

/// The outputs with what is in their files. They were checked.
pub(crate) fn contents(
    command: &Command,
    outputs: Vec<Produced>,
    answer: &Answer,
    document: &ResultDocument,
) -> Result<Vec<Output>, serde_json::Error> {
    let asked_for = takes_files(&predefined(command));
    let content = |file: &ProducedFile| -> Result<Content, serde_json::Error> {
        let own = answer.files.get(file.path.as_str()).filter(|_| asked_for || file.format.is_some());
        let bytes = match (own, file.format) {
            (value, Some(format)) => {
                let value = value.unwrap_or(&answer.result);
                let known = JudgementContext {
                    agent: &document.agent_id,
                    at: document.finished_at.as_str(),
                    ..JudgementContext::new(command)
                };
                pretty(&completed(
                    document_of(value).unwrap_or_else(|| value.clone()),
                    format,
                    answer,
                    &known,
                ))?
            }
            (Some(Value::String(text)), None) => text.clone().into_bytes(),
            (Some(value), None) => pretty(value)?,
            (None, None) if is_json(file) => pretty(document)?,
            (None, None) => text_of(&answer.result).into_bytes(),
        };
        let mut file = file.clone();
        if file.content_type.is_none() && (is_json(&file) || file.format.is_some()) {
            file.content_type = Some("application/json".to_owned());
        }
        Ok(Content { file, bytes })
    };
    let output = |output: Produced| -> Result<Output, serde_json::Error> {
        let files = output.files.iter().map(content).collect::<Result<_, _>>()?;
        Ok(Output { name: output.output_name, files })
    };
    outputs.into_iter().map(output).collect()
}

/// What is known of a document that judges something, whichever agent writes it.
#[derive(Clone, Copy)]
struct JudgementContext<'k> {
    command: &'k Command,
    agent: &'k str,
    at: &'k str,
}

impl<'k> JudgementContext<'k> {
    /// From a command alone, with a placeholder agent and time, to check that everything else is there.
    fn new(command: &'k Command) -> Self {
        Self { command, agent: "agent", at: "1970-01-01T00:00:00Z" }
    }
}

/// Fills in what a document that judges something must have and what the agent need not invent: its version and ids, who has
/// judged, when, what, and the score of the answer. What it says itself stays.
fn completed(document: Value, format: FormatName, answer: &Answer, known: &JudgementContext<'_>) -> Value {
    let Some((id, agent, at)) = judgement_keys(format) else { return document };
    let Value::Object(mut members) = document else { return document };
    let command = known.command;
    let kind = if format == FormatName::DagReviewResult { "review" } else { "validation" };
    let mut given = vec![
        ("schema_version", json!("1.0")),
        ("plan_id", json!(command.plan_id)),
        (id, json!(format!("{kind}_{}", command.command_id).chars().take(Id::MAX).collect::<String>())),
        (agent, json!(known.agent)),
        (at, json!(known.at)),
    ];
    match format {
        FormatName::ArtifactValidationResult | FormatName::BuildValidationResult => {
            given.push(("subject", subject_of(command)));
        }
        FormatName::DeployValidationResult => given.push(("environment", json!({}))),
        _ => {}
    }
    if let Some(score) = &answer.score {
        given.push(("score", json!(score)));
    }
    for (key, value) in given {
        if members.get(key).is_none_or(Value::is_null) {
            members.insert(key.to_owned(), value);
        }
    }
    Value::Object(members)
}

/// What is judged, if the command says so: its only input. The plan knows which task has made it.
fn subject_of(command: &Command) -> Value {
    match command.resolved_inputs.as_deref() {
        Some([only]) => match only.extra.get("sha256") {
            Some(sha256) => json!({ "path": only.paths.iter().next(), "sha256": sha256 }),
            None => json!({}),
        },
        _ => json!({}),
    }
}

/// The members of a format of evidence that say which one it is, who has judged, and when; `None` of any other format.
pub(crate) fn judgement_keys(format: FormatName) -> Option<(&'static str, &'static str, &'static str)> {
    match format {
        FormatName::DagReviewResult => Some(("review_id", "reviewer_agent_id", "reviewed_at")),
        FormatName::ArtifactValidationResult
        | FormatName::BuildValidationResult
        | FormatName::DeployValidationResult
        | FormatName::SmokeTestResult
        | FormatName::E2eTestResult
        | FormatName::SecurityScanResult => Some(("validation_id", "validator_agent_id", "validated_at")),
        _ => None,
    }
}

/// A document, which an LLM may have given as a text.
fn document_of(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => {
            let text = text.trim();
            let inside = text.strip_prefix("```json").and_then(|text| text.strip_suffix("```"));
            serde_json::from_str(inside.unwrap_or(text)).ok()
        }
        value => Some(value.clone()),
    }
}

fn pretty(value: &impl serde::Serialize) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = serde_json::to_vec_pretty(value)?;
    bytes.push(b'\n');
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::{check, chosen, contents};
    use crate::answer::Answer;
    use protocol::agent::{Code, Command, Format, Mode, Produced, ResultDocument};
    use serde_json::{Value, json};

    fn command(produces: Value, score_required: bool) -> Command {
        let command = json!({
            "schema_version": "1.0", "command_id": "cmd_a", "plan_id": "p", "task_id": "a", "prompt": "Do it.",
            "required_inputs": [], "wait_for_inputs": false, "score_required": score_required,
            "score_criteria": "x", "timeout": 1, "produces": produces,
        });
        Command::from_value_for(&command, Mode::Direct).unwrap()
    }

    fn answer(text: &str) -> Answer {
        Answer::parse(text, false).unwrap()
    }

    fn document() -> ResultDocument {
        ResultDocument::from_value(&json!({
            "schema_version": "1.0", "plan_id": "p", "task_id": "a", "command_id": "cmd_a", "command_seq": 0,
            "agent_id": "agent_a", "result": "r", "message": "m", "inputs": [],
            "started_at": "2026-01-12T09:00:00Z", "finished_at": "2026-01-12T09:00:00Z",
        }))
        .unwrap()
    }

    fn names(outputs: &[Produced]) -> Vec<&str> {
        outputs.iter().map(|output| output.output_name.as_str()).collect()
    }

    #[test]
    fn s8_6_without_produces_there_is_a_result() {
        for produces in [Value::Null, json!([])] {
            let command = command(produces, false);
            let outputs = chosen(&command, None);
            assert_eq!(names(&outputs), ["result"]);
            let made = contents(&command, outputs, &answer("r"), &document()).unwrap();
            assert_eq!(made[0].files[0].file.path.as_str(), "result_cmd_a.json");
            let written: Value = serde_json::from_slice(&made[0].files[0].bytes).unwrap();
            assert_eq!((&written["result"], &written["command_id"]), (&json!("r"), &json!("cmd_a")));
        }
    }

    #[test]
    fn s8_6_one_file_is_the_document_or_the_text() {
        for (file, is_document) in [
            (json!({"path": "a.txt", "content_type": "application/json"}), true),
            (json!({"path": "a.json", "content_type": "application/json; charset=utf-8"}), true),
            (json!({"path": "a.json"}), true),
            (json!({"path": "a.json", "content_type": "text/plain"}), false),
            (json!({"path": "a.md"}), false),
        ] {
            let command = command(json!([{"output_name": "o", "files": [file]}]), false);
            let made = contents(&command, chosen(&command, None), &answer("the text"), &document()).unwrap();
            assert_eq!(made[0].files[0].bytes != b"the text", is_document, "{file}");
        }
    }

    #[test]
    fn s8_6_several_files_come_with_the_answer() {
        let produces = json!([
            {"output_name": "o", "files": [{"path": "a.md"}, {"path": "d/b.json"}]},
            {"output_name": "q", "files": [{"path": "c.md"}]},
        ]);
        let command = command(produces, false);
        let outputs = chosen(&command, None);
        let good = answer(r#"{"result":"r","files":{"a.md":"A","d/b.json":{"b":1},"c.md":"","other":"x"}}"#);
        check(&command, &outputs, &good).unwrap();
        let made = contents(&command, outputs.clone(), &good, &document()).unwrap();
        assert_eq!(made[0].files[0].bytes, b"A");
        assert_eq!(made[0].files[1].bytes, b"{\n  \"b\": 1\n}\n");
        assert_eq!((made.len(), made[1].files.len()), (2, 1));
        let lacking = answer(r#"{"result":"r","files":{"a.md":"A","c.md":"C"}}"#);
        let violation = check(&command, &outputs, &lacking).unwrap_err();
        assert_eq!(violation.code, Code::OutputMissing);
        assert!(violation.detail.contains("d/b.json"));
    }

    #[test]
    fn the_score_chooses_among_predefined_outputs() {
        let file = json!([{"path": "a.md"}]);
        let produces = json!([
            {"output_name": "always", "files": [{"path": "b.md"}]},
            {"output_name": "good", "files": file, "when": {"min_score": 80}},
            {"output_name": "bad", "files": file, "when": {"max_score": 79.5}},
        ]);
        let command = command(produces, true);
        let of = |score: f64| names(&chosen(&command, Some(&score.try_into().unwrap()))).join(" ");
        assert_eq!([of(80.0), of(79.5), of(79.7)], ["always good", "always bad", "always"]);
    }

    #[test]
    fn two_outputs_cannot_be_one_file() {
        let produces = json!([
            {"output_name": "o", "files": [{"path": "a.md"}]},
            {"output_name": "q", "files": [{"path": "a.md"}]},
        ]);
        let command = command(produces, false);
        let outputs = chosen(&command, None);
        let both = answer(r#"{"result":"r","files":{"a.md":"A"}}"#);
        assert_eq!(check(&command, &outputs, &both).unwrap_err().code, Code::OutputCollision);
    }

    #[test]
    fn a_file_satisfies_the_format_that_is_named() {
        let produces = json!([{"output_name": "o", "files": [{"path": "i.json", "format": "alert"}]}]);
        let command = command(produces, false);
        let outputs = chosen(&command, None);
        let alert = json!({
            "schema_version": "1.0", "alert_id": "alert_1", "plan_id": "p", "severity": "HIGH", "type": "X",
            "created_at": "2026-01-12T09:00:00Z", "message": "m",
        });
        for good in [
            json!({"result": alert}),
            json!({"result": alert.to_string()}),
            json!({"result": "see", "files": {"i.json": alert}}),
        ] {
            let good = answer(&good.to_string());
            check(&command, &outputs, &good).unwrap();
            let made = contents(&command, outputs.clone(), &good, &document()).unwrap();
            assert_eq!(serde_json::from_slice::<Value>(&made[0].files[0].bytes).unwrap(), alert);
        }
        for bad in [json!({"result": "text"}), json!({"result": {"schema_version": "1.0"}})] {
            let violation = check(&command, &outputs, &answer(&bad.to_string())).unwrap_err();
            assert_eq!(violation.code, Code::LlmOutputInvalid, "{bad}");
        }
    }
}
