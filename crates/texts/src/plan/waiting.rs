//! What a task waits for, in a line.

use super::{en, zh};
use crate::Lang;
use model::agent::Extra;
use serde_json::Value;

/// What a task waits for: the reason, and the names of what is missing. An agent has written it, so it may be anything.
pub fn task_waits_for(lang: Lang, blocking: &Extra) -> String {
    let reason = blocking.get("reason").and_then(Value::as_str).unwrap_or_default();
    let words = match lang {
        Lang::Zh => zh::reason(reason),
        Lang::En => en::reason(reason),
    };
    let all = ["missing", "tasks", "task_id", "input"].iter().filter_map(|key| blocking.get(*key));
    let names: Vec<String> = all.flat_map(names_in).collect();
    let words = words.unwrap_or(reason);
    match (words.is_empty(), names.is_empty()) {
        (_, true) => words.to_owned(),
        (true, false) => names.join(", "),
        (false, false) => format!("{words}: {}", names.join(", ")),
    }
}

/// The names in what an agent or the monitor says is missing: texts, or objects with one.
fn names_in(value: &Value) -> Vec<String> {
    match value {
        Value::String(name) => vec![name.clone()],
        Value::Array(all) => all.iter().flat_map(names_in).collect(),
        Value::Object(object) => {
            let name = ["name", "path", "input_name"].iter().find_map(|key| object.get(*key));
            name.map(names_in).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::task_waits_for;
    use crate::Lang;
    use serde_json::{Value, json};

    /// Agents write objects there, the monitor names.
    #[test]
    fn what_a_task_waits_for_is_told_with_its_names() {
        let waits = |lang, value: Value| task_waits_for(lang, value.as_object().unwrap());
        let missing = json!({ "reason": "MISSING_INPUTS", "missing": [{ "name": "a.md" }, "b.md"] });
        assert_eq!(waits(Lang::En, missing.clone()), "missing inputs: a.md, b.md");
        assert_eq!(waits(Lang::Zh, missing), "缺少输入: a.md, b.md");
        assert_eq!(waits(Lang::En, json!({ "reason": "OTHER" })), "OTHER");
        assert_eq!(waits(Lang::En, json!({ "tasks": ["a"] })), "a");
        assert_eq!(waits(Lang::En, json!({})), "");
    }
}
