//! `aide schema`: the formats of agents, listed, printed and checked.

use crate::support::{CommandOutput, Folder};
use serde_json::Value;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

/// The names that are listed.
fn names(folder: &Folder) -> Vec<String> {
    let list = folder.aide(["schema"]);
    assert_eq!((list.code, &*list.stderr), (Some(0), ""));
    list.stdout.lines().map(|line| line.split(' ').next().unwrap().to_owned()).collect()
}

fn en(folder: &Folder, arguments: &[&str]) -> CommandOutput {
    folder.aide(["--lang", "en"].iter().chain(arguments))
}

#[test]
fn every_format_is_listed_with_its_file() {
    let folder = Folder::empty();
    let list = folder.aide(["schema"]);
    insta::assert_snapshot!(list.stdout);
    assert_eq!(en(&folder, &["schema"]).stdout, list.stdout);
    assert!(folder.tree().is_empty());
}

/// With the program alone, a stranger gets schemas and examples that fit each other.
#[test]
fn every_example_fits_its_schema_and_passes_its_check() {
    let folder = Folder::empty();
    for name in names(&folder) {
        let schema: Value = serde_json::from_str(&folder.aide(["schema", &name]).stdout).unwrap();
        let example = folder.aide(["schema", &name, "--example"]).stdout;
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        assert!(validator.is_valid(&serde_json::from_str(&example).unwrap()), "{name}");
        folder.write("x.json", &example);
        let checked = folder.aide(["schema", &name, "--check", "x.json"]);
        checked.succeeded(&format!("✓ x.json: 有效（{name}）\n"));
        // Nothing is needed of the object that an empty one would have.
        folder.write("x.json", "[]");
        assert_eq!(folder.aide(["schema", &name, "--check", "x.json"]).code, Some(1), "{name}");
    }
}

#[test]
fn a_check_tells_all_problems() {
    let folder = Folder::empty();
    folder.write("c.json", r#"{"prompt": "…", "score_required": false, "send_to": "agent_b", "produces": [{"files": [{"path": "../x"}]}]}"#);
    en(&folder, &["schema", "command", "--check", "c.json"]).failed(
        1,
        "✗ invalid data: schema_version must be a string, but is missing [SCHEMA_INVALID]
  hint: run aide schema command --example to see a valid one
  11 more problems:
  - command_id must be a string, but is missing [SCHEMA_INVALID]
  - plan_id must be a string, but is missing [SCHEMA_INVALID]
  - task_id must be a string, but is missing [SCHEMA_INVALID]
  - required_inputs must be an array, but is missing [SCHEMA_INVALID]
  - produces[0].output_name must be a string, but is missing [SCHEMA_INVALID]
  - produces[0].files[0].path must not lead upwards with .., but is \"../x\" [UNSAFE_PATH]
  - wait_for_inputs must be true or false, but is missing [SCHEMA_INVALID]
  - timeout must be an integer from 1 to 9007199254740991, but is missing [SCHEMA_INVALID]
  - dag_ref must be an object, but is missing [SCHEMA_INVALID]
  - command_seq must be given for a command of a plan, but is missing [COMMAND_SEQ_MISSING]
  - send_to is not allowed: no command names a target; the DAG says who gets what [SCHEMA_INVALID]
",
    );
    folder.write("a.json", "{\"type\": 1}");
    let finished = folder.aide(["schema", "ack", "--check", "a.json"]);
    finished.failed_with(1, "✗ 数据验证失败: schema_version 必须为字符串，当前缺失 [SCHEMA_INVALID]\n  建议: 执行 aide schema ack --example 查看有效示例\n  另有 5 个问题:\n");
}

#[test]
fn a_command_that_is_run_directly_is_checked_as_such() {
    let folder = Folder::empty();
    let example = folder.aide(["schema", "dag_review_request.cmd", "--example"]).stdout;
    folder.write("c.json", &example);
    en(&folder, &["schema", "command.cmd", "--check", "c.json"]).succeeded("✓ c.json: valid (command.cmd)\n");
    en(&folder, &["schema", "command", "--check", "c.json"])
        .failed_with(1, "✗ invalid data: dag_ref must be an object, but is missing [SCHEMA_INVALID]\n");
}

#[test]
fn what_is_checked_can_come_from_anywhere() {
    let folder = Folder::empty();
    let example = folder.aide(["schema", "ack", "--example"]).stdout;
    let mut command = folder.command(["schema", "ack", "--check", "-", "--lang", "en"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(example.as_bytes()).unwrap();
    CommandOutput::new(child.wait_with_output().unwrap()).succeeded("✓ -: valid (ack)\n");
    for (file, told) in [
        (
            "gone.json",
            "✗ no such file: gone.json\n  hint: give the path of a JSON file, or - for standard input\n",
        ),
        (
            ".",
            "✗ the input is a folder, not a file: .\n  hint: give the path of a JSON file, or - for standard input\n",
        ),
    ] {
        en(&folder, &["schema", "ack", "--check", file]).failed(1, told);
    }
    folder.write("twice.json", "{\"a\": 1, \"a\": 2}");
    en(&folder, &["schema", "ack", "--check", "twice.json"])
        .failed_with(1, "✗ cannot parse the JSON: duplicate key");
    File::create(folder.join("large.json")).unwrap().set_len(1 << 40).unwrap();
    en(&folder, &["schema", "ack", "--check", "large.json"])
        .failed(1, "✗ the input is too large: more than 16 MiB\n");
}

#[test]
fn what_is_no_format_is_told() {
    let folder = Folder::empty();
    en(&folder, &["schema", "akc"])
        .failed(2, "✗ unknown format: akc\n  hint: run aide schema to see all formats\n");
    assert_eq!(en(&folder, &["schema", "ack", "--example", "--check", "x"]).code, Some(2));
    assert_eq!(en(&folder, &["schema", "--example"]).code, Some(2));
    assert_eq!(en(&folder, &["schema", "--check", "x"]).code, Some(2));
}

#[test]
fn the_contract_names_every_format() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/contract/plans.md");
    let text = fs::read_to_string(path).unwrap();
    // contract/plans §15.
    let (_, formats) = text.split_once("\n## 15 ").unwrap();
    let (formats, _) = formats.split_once("\n## 16 ").unwrap();
    for name in names(&Folder::empty()) {
        assert!(formats.contains(&format!("`{name}`")), "no {name}");
    }
}

#[test]
fn what_a_member_says_is_a_sentence() {
    let folder = Folder::empty();
    let schema = folder.aide(["schema", "task_dag"]).stdout;
    for sentence in ["Whether the gate is enforced.", "Versioning of the output; absent for the default."] {
        assert!(schema.contains(sentence), "{sentence}");
    }
}
