//! What a task waits for, and why it has failed, in a line.

use super::{en, zh};
use crate::Lang;
use agent::monitor::FAILURE;
use protocol::agent::{Extra, TaskStatus};
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

/// Why a task has failed, as far as that is known: an agent may have written it, so it may be anything.
pub fn task_failure(lang: Lang, task: &TaskStatus) -> Option<String> {
    let failure = task.extra.get(FAILURE)?;
    let text = |key| failure.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    if let Some(cause) = text("cause") {
        return Some(cause.to_owned());
    }
    let reason = text("reason")?;
    let words = match lang {
        Lang::Zh => zh::reason(reason),
        Lang::En => en::reason(reason),
    };
    Some(words.unwrap_or(reason).to_owned())
}

/// The names in what an agent or the monitor says is missing: texts, or objects with one.
pub(super) fn names_in(value: &Value) -> Vec<String> {
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
