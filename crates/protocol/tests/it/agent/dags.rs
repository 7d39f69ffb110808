//! DAGs and what else plans are made of: rules between members.

use protocol::agent::{CatalogEntry, Format, FormatName, Judgement, TaskDag, leading_code};
use serde_json::{Value, json};

fn example(name: &str) -> Value {
    serde_json::from_str(CatalogEntry::named(name).unwrap().example).unwrap()
}

/// `path code` of every problem of the example with one member set.
fn problems(name: &str, pointer: &str, value: Value) -> Vec<String> {
    let mut document = example(name);
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    document.pointer_mut(parent).unwrap()[key] = value;
    let problems = CatalogEntry::named(name).unwrap().problems(&document);
    problems.iter().map(|problem| format!("{} {}", problem.path, problem.code())).collect()
}

#[test]
fn a_dag_is_of_version_1_1() {
    for (version, code) in [
        ("1.0", "DAG_SCHEMA_VERSION_UNSUPPORTED"),
        ("2.1", "DAG_SCHEMA_VERSION_UNSUPPORTED"),
        ("1", "SCHEMA_INVALID"),
    ] {
        let expected = format!("schema_version {code}");
        assert_eq!(problems("task_dag", "/schema_version", json!(version)), [expected], "{version}");
    }
    assert_eq!(problems("task_dag", "/schema_version", json!("1.2")), [""; 0]);
    let mut dag = example("task_dag");
    dag["schema_version"] = json!("2.0");
    dag["nodes"] = json!([]);
    let code = leading_code(&TaskDag::from_value(&dag).unwrap_err()).unwrap();
    assert_eq!(code.name(), "DAG_SCHEMA_VERSION_UNSUPPORTED");
}

#[test]
fn a_selector_says_what_it_selects_by() {
    let inputs = "/nodes/2/inputs/0/selector";
    let at = "nodes[2].inputs[0].selector";
    assert_eq!(
        problems("task_dag", inputs, json!({ "type": "by_glob" })),
        [format!("{at}.value SCHEMA_INVALID")]
    );
    assert_eq!(
        problems("task_dag", inputs, json!({ "type": "by_message_type", "value": "x" })),
        [format!("{at}.type_value SCHEMA_INVALID"), format!("{at}.subtype_value SCHEMA_INVALID")]
    );
    assert_eq!(
        problems("task_dag", "/nodes/2/inputs/0/pick_policy", json!("by_sha256")),
        [format!("{at}.allowed_hashes SCHEMA_INVALID")]
    );
}

#[test]
fn whoever_is_superseded_is_so_by_somebody() {
    for key in ["superseded_by_message_id", "superseded_by_command_id", "superseded_by_command_seq"] {
        let found = problems("delivery_log_entry", &format!("/{key}"), Value::Null);
        assert_eq!(found, [format!("{key} SCHEMA_INVALID")]);
    }
    let mut line = example("delivery_log_entry");
    line["status"] = json!("DELIVERED");
    line["superseded_by_message_id"] = Value::Null;
    assert_eq!(CatalogEntry::named("delivery_log_entry").unwrap().problems(&line), []);
}

#[test]
fn a_dag_names_tasks_and_outputs() {
    let dag = TaskDag::from_value(&example("task_dag")).unwrap();
    let node = dag.node("task_review").unwrap();
    assert!(node.output("review").unwrap().deliver_to.is_empty());
    assert!(node.output("nonsense").is_none());
    assert!(dag.node("nonsense").is_none());
}

#[test]
fn evidence_is_judged_whatever_its_format() {
    for (name, passed, score) in [
        ("dag_review_result", true, Some(85.0)),
        ("artifact_validation_result", true, Some(91.0)),
        ("build_validation_result", true, None),
        ("deploy_validation_result", true, None),
        ("smoke_test_result", true, None),
        ("e2e_test_result", false, Some(64.5)),
        ("security_scan_result", true, None),
    ] {
        let format = FormatName::named(name).unwrap();
        let judgement = Judgement::from_value(format, &example(name)).unwrap().unwrap();
        assert_eq!(judgement.passed, passed, "{name}");
        assert_eq!(judgement.score.map(|score| score.value()), score, "{name}");
        assert!(Judgement::from_value(format, &json!({})).unwrap().is_err());
    }
    assert!(Judgement::from_value(FormatName::Ack, &example("ack")).is_none());
}
