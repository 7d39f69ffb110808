//! Records of decisions, of which a test writes many.

use serde_json::{Value, json};

const NOW: &str = "2025-01-15T10:30:00+08:00";

/// A record with an answer.
pub(crate) fn record(task: &str, note: &str) -> Value {
    let options = json!([{ "value": "a", "label": "A" }, { "value": "b", "label": "B" }]);
    json!({
        "input": { "task": task, "source": "s", "items": [{ "id": 1, "title": "Which?", "options": options }] },
        "output": { "decisions": [{ "id": 1, "chosen": "a", "note": note }], "completed_at": NOW },
        "completed_at": NOW,
    })
}

/// The name of the session that was asked so many seconds after midnight.
pub(crate) fn name(number: usize) -> String {
    format!("2025-01-15T{:02}-{:02}-{:02}", number / 3600, number / 60 % 60, number % 60)
}
