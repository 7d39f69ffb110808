//! Commands: complete ones as their authors write them, and the rules of contract/plans §5 for routed ones.

use model::Found;
use protocol::agent::{Code, Command, Format, FormatError, Mode, Problem, Score, leading_code};
use serde_json::{Value, json};

/// Complete direct commands (contract/plans §5.2).
const COMPLETE: [&str; 4] = [
    include_str!("document/minimal.json"),
    include_str!("document/consensus.json"),
    include_str!("document/delivery.json"),
    include_str!("document/summary.json"),
];

/// Parts of commands, which need the members that they lack.
const FRAGMENTS: [&str; 4] = [
    include_str!("document/branching.json"),
    include_str!("document/fragment_consensus.json"),
    include_str!("document/fragment_quality.json"),
    include_str!("document/fragment_summary.json"),
];

pub(crate) fn routed() -> Value {
    json!({
        "schema_version": "1.0",
        "command_id": "cmd_task_consensus_001",
        "plan_id": "plan_7f3e91ab",
        "task_id": "task_consensus",
        "command_seq": 1,
        "dag_ref": { "sha256": format!("sha256:{}", "0f".repeat(32)), "revision": 1 },
        "prompt": "Judge how far the reviewers agree.",
        "required_inputs": ["feedback_*.json"],
        "produces": [
            { "output_name": "report", "files": [{ "path": "report.json", "format": "dag_review_result" }] }
        ],
        "wait_for_inputs": true,
        "score_required": true,
        "score_criteria": "0-100",
        "timeout": 3600
    })
}

/// `path code` of every problem.
fn problems(value: &Value, mode: Mode) -> Vec<String> {
    let problems = Command::from_value_for(value, mode).err().unwrap_or_default();
    problems.iter().map(|problem| format!("{} {}", problem.path, problem.code())).collect()
}

/// A routed command with one member set, or removed.
fn with(path: &str, value: Value) -> Value {
    let mut command = routed();
    let (parent, key) = path.rsplit_once('/').unwrap();
    let parent = command.pointer_mut(parent).unwrap();
    match (parent, value) {
        (Value::Object(object), Value::Null) => drop(object.shift_remove(key)),
        (parent, value) => parent[key] = value,
    }
    command
}

#[test]
fn the_four_complete_commands_of_the_document_are_valid_unchanged() {
    for text in COMPLETE {
        let command = Command::parse_for(text.as_bytes(), Mode::Direct).unwrap();
        assert_eq!(command.seq(), 1);
        assert_eq!(serde_json::to_value(&command).unwrap(), serde_json::from_str::<Value>(text).unwrap());
    }
}

#[test]
fn the_documents_commands_are_not_routed() {
    for text in COMPLETE {
        let Err(FormatError::Invalid(problems)) = Command::parse(text.as_bytes()) else { panic!("{text}") };
        assert!(problems.iter().any(|problem| problem.path == "dag_ref"), "{problems:?}");
        assert!(problems.iter().any(|problem| problem.path == "command_id" || problem.path == "task_id"));
    }
}

#[test]
fn a_fragment_is_refused_with_every_field_that_it_lacks() {
    let needed = [
        "schema_version",
        "command_id",
        "plan_id",
        "task_id",
        "prompt",
        "required_inputs",
        "wait_for_inputs",
        "score_required",
        "timeout",
    ];
    for text in FRAGMENTS {
        let value: Value = serde_json::from_str(text).unwrap();
        let Err(FormatError::Invalid(found)) = Command::parse_for(text.as_bytes(), Mode::Direct) else {
            panic!("{text}")
        };
        assert!(found.iter().all(|problem| problem.found == Found::Missing), "{found:?}");
        let paths: Vec<&str> = found.iter().map(|problem| problem.path.as_str()).collect();
        let mut missing: Vec<&str> = needed.iter().copied().filter(|key| value.get(key).is_none()).collect();
        if value["score_required"] == true {
            missing.push("score_criteria");
        }
        assert_eq!(paths, missing);
    }
}

#[test]
fn what_a_type_does_not_know_is_kept_in_its_order() {
    let mut value = routed();
    value["on_complete"] =
        json!({ "notes": "branching is the DAG's", "a": 1, "message_template": "{result}" });
    value["zebra"] = json!({ "deep": [1, 2.5, null] });
    value["ant"] = json!(null);
    let command = Command::from_value(&value).unwrap();
    assert_eq!(command.on_complete.as_ref().unwrap().extra["notes"], "branching is the DAG's");
    assert_eq!(serde_json::to_value(&command).unwrap(), value);
    assert_eq!(command.extra.keys().collect::<Vec<_>>(), ["zebra", "ant"]);
}

#[test]
fn no_command_names_a_target_wherever_it_stands() {
    let mut value = routed();
    value["send_to"] = json!(["agent_a"]);
    value["on_complete"] = json!({ "send_to_condition": [{ "min_score": 70, "send_to": "agent_b" }] });
    value["produces"][0]["send_to"] = json!("agent_c");
    value["my notes"] = json!([{ "send_to": null }]);
    for mode in [Mode::Direct, Mode::Routed] {
        assert_eq!(
            problems(&value, mode),
            [
                "produces[0].send_to SCHEMA_INVALID",
                "send_to SCHEMA_INVALID",
                "on_complete.send_to_condition SCHEMA_INVALID",
                "[\"my notes\"][0].send_to SCHEMA_INVALID",
            ]
        );
    }
}

#[test]
fn a_routed_command_agrees_with_its_id() {
    assert_eq!(problems(&routed(), Mode::Routed), [""; 0]);
    for (path, value, expected) in [
        ("/command_seq", Value::Null, "command_seq COMMAND_SEQ_MISSING"),
        ("/command_seq", json!(2), "command_seq COMMAND_SEQ_MISMATCH"),
        ("/command_id", json!("cmd_task_consensus"), "command_id COMMAND_SEQ_INVALID_FORMAT"),
        ("/command_id", json!("cmd_task_consensus_01"), "command_id COMMAND_SEQ_INVALID_FORMAT"),
        ("/command_id", json!("cmd__001"), "command_id COMMAND_SEQ_INVALID_FORMAT"),
        ("/command_id", json!("task_consensus_001"), "command_id COMMAND_SEQ_INVALID_FORMAT"),
        ("/command_id", json!("cmd_task_consensus_99999999999999999999"), "command_seq COMMAND_SEQ_MISMATCH"),
        ("/command_id", json!("cmd_task_other_001"), "task_id COMMAND_TASK_MISMATCH"),
        ("/task_id", json!("task_other"), "task_id COMMAND_TASK_MISMATCH"),
        ("/dag_ref", Value::Null, "dag_ref SCHEMA_INVALID"),
        ("/schema_version", json!("2.0"), "schema_version SCHEMA_VERSION_UNSUPPORTED"),
        ("/schema_version", json!("0.9"), "schema_version SCHEMA_VERSION_UNSUPPORTED"),
        ("/schema_version", json!("1"), "schema_version SCHEMA_INVALID"),
        ("/schema_version", json!(1.0), "schema_version SCHEMA_INVALID"),
        ("/timeout", json!(0), "timeout SCHEMA_INVALID"),
        ("/timeout", json!(1.5), "timeout SCHEMA_INVALID"),
        ("/timeout", json!("60"), "timeout SCHEMA_INVALID"),
        ("/prompt", json!(" \n"), "prompt SCHEMA_INVALID"),
        ("/plan_id", json!("../x"), "plan_id SCHEMA_INVALID"),
        ("/wait_for_inputs", json!("true"), "wait_for_inputs SCHEMA_INVALID"),
        ("/score_criteria", Value::Null, "score_criteria SCHEMA_INVALID"),
        ("/required_inputs", json!("a"), "required_inputs SCHEMA_INVALID"),
        ("/required_inputs", json!(["a", 1]), "required_inputs[1] SCHEMA_INVALID"),
        ("/required_inputs", json!(["../a"]), "required_inputs[0] UNSAFE_PATH"),
        (
            "/resolved_inputs",
            json!([{ "input_name": "a", "required": true, "paths": [] }]),
            "resolved_inputs[0].paths SCHEMA_INVALID",
        ),
        ("/produces/0/files", json!([]), "produces[0].files SCHEMA_INVALID"),
        ("/produces/0/files", json!([{ "path": "ack_x.json" }]), "produces[0].files[0].path UNSAFE_PATH"),
        (
            "/produces/0/files",
            json!([{ "path": "a", "format": "x" }]),
            "produces[0].files[0].format SCHEMA_INVALID",
        ),
        ("/produces/0/when", json!({ "min_score": 101 }), "produces[0].when.min_score SCHEMA_INVALID"),
        ("/produces/0/when", json!({ "max_score": -1 }), "produces[0].when.max_score SCHEMA_INVALID"),
        (
            "/produces/0/when",
            json!({ "min_score": 80, "max_score": 70 }),
            "produces[0].when.min_score SCHEMA_INVALID",
        ),
    ] {
        assert_eq!(problems(&with(path, value.clone()), Mode::Routed), [expected], "{path} {value}");
    }
    // A newer minor version is tried.
    assert!(Command::from_value(&with("/schema_version", json!("1.7"))).is_ok());
}

#[test]
fn run_directly_a_command_needs_no_number_but_its_task() {
    let direct = |path, value| problems(&with(path, value), Mode::Direct);
    for (path, value) in [
        ("/command_seq", Value::Null),
        ("/command_seq", json!(7)),
        ("/dag_ref", Value::Null),
        ("/command_id", json!("cmd_review_consensus")),
        ("/task_id", json!("task_other")),
    ] {
        assert_eq!(direct(path, value), [""; 0], "{path}");
    }
    assert_eq!(direct("/task_id", Value::Null), ["task_id SCHEMA_INVALID"]);
    assert_eq!(direct("/command_id", json!("review")), ["command_id SCHEMA_INVALID"]);
    for (id, seq) in [("cmd_a_012", 12), ("cmd_a", 0), ("cmd_a7", 7), ("cmd_99999999999999999999", 0)] {
        let mut value = with("/command_seq", Value::Null);
        value["command_id"] = json!(id);
        assert_eq!(Command::from_value_for(&value, Mode::Direct).unwrap().seq(), seq, "{id}");
    }
}

#[test]
fn outputs_are_chosen_by_score() {
    let mut value = routed();
    value["produces"] = json!([
        { "output_name": "always", "files": [{ "path": "a" }] },
        { "output_name": "good", "files": [{ "path": "b" }], "when": { "min_score": 70 } },
        { "output_name": "bad", "files": [{ "path": "c" }], "when": { "max_score": 69.5 } },
    ]);
    let command = Command::from_value(&value).unwrap();
    let names = |score: Option<f64>| -> Vec<String> {
        let score = score.map(|score| Score::try_from(score).unwrap());
        command.produced_with(score.as_ref()).map(|output| output.output_name.to_string()).collect()
    };
    assert_eq!(names(Some(70.0)), ["always", "good"]);
    assert_eq!(names(Some(69.5)), ["always", "bad"]);
    assert_eq!(names(Some(69.7)), ["always"]);
    value["score_required"] = json!(false);
    assert_eq!(
        problems(&value, Mode::Direct),
        ["produces[1].when SCHEMA_INVALID", "produces[2].when SCHEMA_INVALID"]
    );
}

#[test]
fn the_leading_code_is_the_one_that_a_reader_meets_first() {
    let code = |value: &Value| -> Option<Code> {
        let problems: Vec<Problem> = Command::from_value(value).err().unwrap_or_default();
        leading_code(&problems)
    };
    let mut value = routed();
    value["command_seq"] = json!(2);
    assert_eq!(code(&value), Some(Code::CommandSeqMismatch));
    value["timeout"] = json!(0);
    assert_eq!(code(&value), Some(Code::SchemaInvalid));
    value["schema_version"] = json!("2.0");
    assert_eq!(code(&value), Some(Code::SchemaVersionUnsupported));
    assert_eq!(code(&routed()), None);
    assert_eq!(Command::parse(b"{").unwrap_err().code(), Code::EnvelopeParseError);
    assert_eq!(Command::parse(br#"{"a":1,"a":2}"#).unwrap_err().code(), Code::EnvelopeParseError);
}
