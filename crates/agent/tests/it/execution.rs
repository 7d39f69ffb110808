//! A command from its acceptance to its end (contract/plans §8).

use crate::support::{Agent, PLAN, command, message};
use agent::{Finish, sha256};
use llm::LlmError;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

const GOOD: &str = r#"{"result":"mostly agree","score":85,"score_explanation":"why"}"#;

#[test]
fn s8_1_a_command_becomes_files_messages_and_an_acknowledgement() {
    let agent = Agent::answering(GOOD);
    agent.write("agent_profile.json", r#"{"prompt":"You are a reviewer."}"#);
    agent.input("feedback_a.json", "AAA");
    let ended = agent.ended(&message(json!({
        "required_inputs": ["feedback_*.json"], "score_required": true, "score_criteria": "agreement",
        "on_complete": {"message_template": "done: {result}, {score}"},
    })));
    assert_eq!((&*ended.message, ended.failure, ended.from_record), ("done: mostly agree, 85", None, false));
    let prompts = agent.provider.prompts.lock().unwrap();
    for part in ["You are a reviewer.", "AAA", "Do it.", "agreement"] {
        assert!(prompts[0].contains(part), "{part}");
    }
    let ack = agent.json(&format!("outbox/{PLAN}/ack_msg_command.json"));
    assert_eq!(
        (
            &ack["status"],
            &ack["result"]["ok"],
            &ack["result"]["details"]["message"],
            &ack["consumer_agent_id"]
        ),
        (&json!("SUCCEEDED"), &json!(true), &json!("done: mostly agree, 85"), &json!("agent_a"))
    );
    assert_eq!(ack["result"]["details"]["inputs"][0]["sha256"], json!(sha256(b"AAA")));
    assert_eq!(agent.state()["state"], "COMPLETED");
    assert_eq!(agent.list(&format!("inbox/{PLAN}/.pending")), Vec::<String>::new());
    assert_eq!(agent.list(&format!("inbox/{PLAN}/.processed")), ["msg_command__cmd_task_a_001.msg.json"]);
}

#[test]
fn s8_6_the_envelope_names_its_files_and_its_parent() {
    let agent = Agent::answering(GOOD);
    agent.ended(&message(json!({"score_required": true, "score_criteria": "x"})));
    agent.published_is_whole();
    let envelopes = agent.in_outbox("artifact_task_a_result_msg_");
    let [envelope] = envelopes.as_slice() else { panic!("{:?}", agent.outbox()) };
    assert_eq!(
        (
            &envelope["type"],
            &envelope["output_name"],
            &envelope["producer_agent_id"],
            &envelope["idempotency_key"]
        ),
        (&json!("artifact"), &json!("result"), &json!("agent_a"), &json!(format!("{PLAN}:task_a:result")))
    );
    assert_eq!(envelope["payload"]["files"][0]["path"], "result_cmd_task_a_001.json");
    assert_eq!(
        envelope["correlation"],
        json!({"trace_id": "trace_1", "parent_message_id": "msg_command", "parent_command_id": "cmd_task_a_001"})
    );
    let document = agent.json(&format!("outbox/{PLAN}/result_cmd_task_a_001.json"));
    for (key, value) in [
        ("result", json!("mostly agree")),
        ("score", json!(85)),
        ("score_explanation", json!("why")),
        ("message", json!("mostly agree")),
        ("agent_id", json!("agent_a")),
        ("command_seq", json!(1)),
        ("started_at", json!("2026-01-12T09:00:00Z")),
    ] {
        assert_eq!(document[key], value, "{key}");
    }
}

#[test]
fn s8_4_an_answer_is_repaired_once() {
    let agent = Agent::with(|prompt| {
        Ok(if prompt.contains("# Correction") { GOOD.into() } else { b"no json at all".to_vec() })
    });
    let scored = json!({"score_required": true, "score_criteria": "x"});
    assert_eq!(agent.ended(&message(scored.clone())).failure, None);
    assert_eq!(agent.asked(), 2);
    for (answer, code) in [
        ("no json", "LLM_OUTPUT_INVALID"),
        (r#"{"result":"r"}"#, "SCORE_MISSING"),
        (r#"{"result":"r","score":"high"}"#, "SCORE_MISSING"),
        (r#"{"result":"r","score":8"#, "LLM_OUTPUT_INVALID"),
        (r#"{"result":"r","score":101}"#, "SCORE_OUT_OF_RANGE"),
    ] {
        let agent = Agent::answering(answer);
        assert_eq!(agent.fails(&message(scored.clone())), code, "{answer}");
        assert_eq!(agent.asked(), 2, "{answer}");
        // A failure publishes nothing that could be taken for an input.
        assert_eq!(agent.in_outbox("artifact_").len(), 0);
        assert_eq!(agent.json(&format!("outbox/{PLAN}/ack_msg_command.json"))["status"], "FAILED");
        assert_eq!(agent.state()["state"], "FAILED");
    }
}

#[test]
fn s8_4_a_low_score_is_a_result() {
    let agent = Agent::answering(r#"{"result":"bad","score":0}"#);
    let ended = agent.ended(&message(json!({"score_required": true, "score_criteria": "x"})));
    assert_eq!((ended.failure, ended.document.unwrap().score.unwrap().value()), (None, 0.0));
    assert_eq!(ended.warnings, ["score_explanation is missing"]);
}

#[test]
fn s8_5_what_an_answer_says_is_not_expanded() {
    let agent = Agent::answering(r#"{"result":"{score} {error}"}"#);
    let ended = agent.ended(&message(
        json!({"on_complete": {"message_template": "{result}/{score}/{other}", "notes": "x"}}),
    ));
    assert_eq!(ended.message, "{score} {error}//{other}");
    assert_eq!(ended.warnings.len(), 1);
    let agent = Agent::with(|_| {
        Err(LlmError::Failed {
            program: "llm".into(),
            status: ExitStatus::from_raw(256),
            said: "{error}".into(),
            unpassed: Vec::new(),
        })
    });
    let ended = agent.ended(&message(json!({"on_failure": {"message_template": "oh: {error}"}})));
    assert!(ended.message.starts_with("oh: LLM_FAILED: llm failed (exit code 1)"), "{}", ended.message);
    assert!(ended.message.ends_with("{error}"), "{}", ended.message);
}

#[test]
fn the_score_chooses_the_output_and_the_format_holds() {
    let alert = json!({
        "schema_version": "1.0", "alert_id": "a", "plan_id": "p", "severity": "LOW", "type": "X",
        "created_at": "2026-01-12T09:00:00Z", "message": "m",
    });
    let produces = json!({"score_required": true, "score_criteria": "x", "produces": [
        {"output_name": "good", "files": [{"path": "good.md"}], "when": {"min_score": 80}},
        {"output_name": "bad", "files": [{"path": "bad.json", "format": "alert"}], "when": {"max_score": 79}},
    ]});
    let agent =
        Agent::answering(json!({"result": "r", "score": 90, "files": {"good.md": "G", "bad.json": "B"}}));
    agent.ended(&message(produces.clone()));
    assert_eq!(fs::read(agent.path.join(format!("outbox/{PLAN}/good.md"))).unwrap(), b"G");
    assert!(!agent.outbox().contains(&"bad.json".to_owned()));
    let agent = Agent::answering(json!({"result": "r", "score": 10, "files": {"bad.json": alert}}));
    agent.ended(&message(produces.clone()));
    assert_eq!(agent.json(&format!("outbox/{PLAN}/bad.json")), alert);
    let agent =
        Agent::answering(json!({"result": "r", "score": 10, "files": {"bad.json": {"alert_id": "a"}}}));
    assert_eq!(agent.fails(&message(produces.clone())), "LLM_OUTPUT_INVALID");
    let repaired = agent.provider.prompts.lock().unwrap()[1].clone();
    assert!(repaired.contains("severity"), "{repaired}");
    let agent = Agent::answering(json!({"result": "r", "score": 79.5}));
    assert_eq!(agent.ended(&message(produces)).failure, None);
    assert_eq!(agent.in_outbox("artifact_").len(), 0);
}

#[test]
fn a_review_of_a_dag_is_a_valid_one() {
    let produces = json!({"produces": [
        {"output_name": "review", "files": [{"path": "review.json", "format": "dag_review_result"}]},
    ]});
    let agent = Agent::answering(json!({"result": {"review_id": "r"}}));
    assert_eq!(agent.fails(&message(produces)), "LLM_OUTPUT_INVALID");
}

#[test]
fn s8_6_several_files_come_with_the_answer_or_it_fails() {
    let produces =
        json!({"produces": [{"output_name": "o", "files": [{"path": "a.md"}, {"path": "d/b.md"}]}]});
    let agent = Agent::answering(json!({"result": "r", "files": {"a.md": "A", "d/b.md": "B"}}));
    agent.ended(&message(produces.clone()));
    agent.published_is_whole();
    assert_eq!(fs::read(agent.path.join(format!("outbox/{PLAN}/d/b.md"))).unwrap(), b"B");
    let agent = Agent::answering(json!({"result": "r", "files": {"a.md": "A"}}));
    assert_eq!(agent.fails(&message(produces)), "OUTPUT_MISSING");
}

#[test]
fn s8_6_another_tasks_file_is_not_overwritten() {
    let produces = json!({"produces": [{"output_name": "o", "files": [{"path": "a.md"}]}]});
    let agent = Agent::answering(json!({"result": "mine"}));
    agent.ended(&message(produces.clone()));
    let mut other = message(produces.clone());
    other["message_id"] = json!("msg_other");
    other["task_id"] = json!("task_b");
    other["payload"]["command"]["task_id"] = json!("task_b");
    // The same bytes are no collision, others of the same task neither.
    assert_eq!(agent.ended(&other).failure, None);
    let theirs = Agent::answering(json!({"result": "theirs"}));
    fs::remove_dir_all(&theirs.path).unwrap();
    fs::rename(&agent.path, &theirs.path).unwrap();
    let mut again = message(produces.clone());
    again["message_id"] = json!("msg_again");
    again["task_id"] = json!("task_c");
    again["payload"]["command"]["task_id"] = json!("task_c");
    assert_eq!(theirs.fails(&again), "OUTPUT_COLLISION");
    assert_eq!(fs::read(theirs.path.join(format!("outbox/{PLAN}/a.md"))).unwrap(), b"mine");
}

#[test]
fn a_key_that_has_ended_is_answered_from_its_record() {
    let agent = Agent::answering(json!({"result": "r"}));
    let keyed = json!({"idempotency_key": "plan:task:cmd"});
    let first = agent.ended(&message(keyed.clone()));
    let mut again = message(keyed.clone());
    again["message_id"] = json!("msg_again");
    let second = agent.ended(&again);
    assert_eq!((agent.asked(), second.from_record, &second.message), (1, true, &first.message));
    assert_eq!(second.document, first.document);
    assert_eq!(agent.in_outbox("artifact_").len(), 1);
    assert_eq!(agent.json(&format!("outbox/{PLAN}/ack_msg_again.json"))["status"], "SUCCEEDED");
    // Without a message as well, and laid out otherwise.
    let bare: Value = serde_json::from_str(&command(keyed).to_string()).unwrap();
    assert!(agent.ended(&bare).from_record);
    let other = json!({"idempotency_key": "plan:task:cmd", "prompt": "Do something else."});
    assert_eq!(agent.fails(&command(other)), "IDEMPOTENCY_KEY_REUSED");
    // That failure is not what the key stands for.
    assert!(agent.ended(&again).failure.is_none());
    assert_eq!(agent.asked(), 1);
}

#[test]
fn a_key_whose_llm_has_not_answered_may_be_tried_again() {
    let is_down = std::sync::atomic::AtomicBool::new(true);
    let agent = Agent::with(move |_| match is_down.swap(false, std::sync::atomic::Ordering::Relaxed) {
        true => Err(LlmError::Connect { target: "x".into(), message: "refused".into() }),
        false => Ok(b"fine".to_vec()),
    });
    let keyed = command(json!({"idempotency_key": "k"}));
    assert_eq!(agent.fails(&keyed), "LLM_FAILED");
    assert_eq!(agent.ended(&keyed).message, "fine");
}

#[test]
fn s6_3_a_message_that_has_ended_is_not_executed_again() {
    let agent = Agent::answering("r");
    agent.ended(&message(json!({})));
    assert!(agent.ended(&message(json!({}))).from_record);
    assert_eq!(agent.asked(), 1);
    let error = agent.try_exec(&message(json!({"prompt": "Other."}))).unwrap_err();
    assert!(error.contains("msg_command"), "{error}");
}

#[test]
fn a_command_without_a_message_is_a_new_one_once_it_has_ended() {
    let agent = Agent::answering("r");
    agent.ended(&command(json!({})));
    agent.ended(&command(json!({})));
    assert_eq!(agent.asked(), 2);
    assert_eq!(agent.list(&format!("inbox/{PLAN}/.processed")).len(), 2);
}

#[test]
fn an_interrupted_command_is_parked_and_goes_on() {
    let agent = Agent::answering("r");
    agent.cancellation.cancel();
    assert!(matches!(agent.exec(&command(json!({}))), Finish::Interrupted));
    assert_eq!((agent.state()["state"].as_str().unwrap(), agent.asked()), ("READY", 0));
    let again = Agent { cancellation: Default::default(), ..agent };
    assert_eq!(again.ended(&command(json!({}))).message, "r");
    assert_eq!(again.in_outbox("ack_").len(), 1);
}

#[test]
fn s8_6_messages_that_are_published_are_enough_to_finish() {
    let agent = Agent::answering(GOOD);
    let scored = message(json!({"score_required": true, "score_criteria": "x"}));
    agent.ended(&scored);
    // As if it had been killed after the last message, and the trace were lost.
    let plan = PLAN;
    fs::remove_dir_all(agent.path.join(format!("workspace/{plan}/trace"))).unwrap();
    let name = format!("outbox/{plan}/ack_msg_command.json");
    let mut ack = agent.json(&name);
    ack["status"] = json!("CONSUMED");
    agent.write(&name, ack.to_string());
    let processed = agent.path.join(format!("inbox/{plan}/.processed/msg_command__cmd_task_a_001.msg.json"));
    let pending = agent.path.join(format!("inbox/{plan}/.pending/msg_command__cmd_task_a_001.msg.json"));
    fs::rename(processed, pending).unwrap();
    assert_eq!(agent.ended(&scored).message, "mostly agree");
    assert_eq!((agent.asked(), agent.in_outbox("artifact_").len()), (1, 1));
}

#[test]
fn the_four_logs_tell_what_happens_without_the_words() {
    let agent = Agent::answering("r");
    agent.input("a.md", "secret words");
    agent.ended(&message(json!({"required_inputs": ["a.md"]})));
    let calls = agent.lines("llm_calls.jsonl");
    assert_eq!(calls.len(), 1);
    let prompt = agent.provider.prompts.lock().unwrap()[0].clone();
    assert_eq!(calls[0]["prompt_sha256"], json!(sha256(prompt.as_bytes())));
    assert_eq!((&calls[0]["provider"], &calls[0]["response_time_ms"]), (&json!("fake"), &json!(5)));
    assert!(!calls[0].to_string().contains("secret words"));
    assert_eq!(agent.lines("activity.jsonl").len(), 2);
    assert!(agent.lines("decision_log.jsonl").len() >= 2);
    assert_eq!(agent.lines("error_chains.jsonl").len(), 0);
}
