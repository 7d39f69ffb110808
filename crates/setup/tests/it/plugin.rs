//! The plugin in the repository: made from one source, and as those who read it want it.

use serde_json::Value;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

#[test]
fn the_files_are_up_to_date() {
    let is_update = env::var_os("UPDATE_DOCS").is_some_and(|value| !value.is_empty());
    for (path, text) in setup::plugin::files() {
        let file = root().join(path);
        if is_update && fs::read_to_string(&file).unwrap_or_default() != text {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, &text).unwrap();
        }
        let found = fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(found, text, "{path}: run UPDATE_DOCS=1 cargo nextest run -p setup");
    }
}

#[test]
fn nothing_else_is_in_the_folder() {
    fn collect(folder: &Path, all: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                collect(&entry.path(), all);
            } else {
                all.push(entry.path());
            }
        }
    }
    let mut found = Vec::new();
    collect(&root().join("plugin"), &mut found);
    let known: Vec<PathBuf> = setup::plugin::files().iter().map(|(path, _)| root().join(path)).collect();
    assert_eq!(found.iter().filter(|path| !known.contains(path)).collect::<Vec<_>>(), Vec::<&PathBuf>::new());
}

/// Those of Agent Plugins 1.0.0, as published.
#[test]
fn the_portable_manifests_fit_the_published_schemas() {
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas");
    let read = |file: &Path| -> Value { serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap() };
    for name in ["plugin", "mcp"] {
        let schema = jsonschema::validator_for(&read(&schemas.join(format!("{name}.schema.json")))).unwrap();
        let manifest = read(&root().join(format!("plugin/{name}.json")));
        let problems: Vec<String> = schema.iter_errors(&manifest).map(|error| error.to_string()).collect();
        assert!(problems.is_empty(), "{name}.json: {problems:?}");
        let mut wrong = manifest;
        wrong["timeout"] = 1.into();
        assert!(!schema.is_valid(&wrong), "the schema of {name}.json is closed");
    }
}

/// As the format of skills has it.
#[test]
fn the_skill_has_a_head_that_every_agent_reads() {
    let (head, body) = setup::SKILL.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
    let mut keys = Vec::new();
    for line in head.lines() {
        let (key, value) = line.split_once(": ").unwrap();
        // A value in plain style may hold neither.
        assert!(!value.contains(": ") && !value.contains(" #"), "{line}");
        keys.push(key);
        match key {
            "name" => assert_eq!(value, "aide"),
            "description" => assert!((1..=1024).contains(&value.chars().count())),
            "compatibility" => assert!(value.chars().count() <= 500),
            _ => {}
        }
    }
    assert_eq!(keys, ["name", "description", "license", "compatibility"]);
    assert!(body.lines().count() < 500);
    for status in ["answered", "pending", "queued", "returned", "replaced", "cancelled", "expired", "none"] {
        assert!(body.contains(&format!("| `{status}` |")), "{status}");
    }
    for tool in [
        "decide_submit",
        "decide_wait",
        "decide_result",
        "decide_list",
        "decide_amend",
        "decide_cancel",
        "flow_status",
        "flow_record",
    ] {
        assert!(body.contains(&format!("`{tool}`")), "{tool}");
    }
}
