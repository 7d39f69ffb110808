//! Whether a document is of a format that is named.

use protocol::agent::{FormatName, Mode};
use serde_json::Value;

/// All problems of a document, each on one line; of many, the first ones.
pub(crate) fn problems(format: FormatName, value: &Value) -> Vec<String> {
    const SHOWN: usize = 20;
    let mut found = Vec::new();
    for problem in format.problems(value, Mode::Routed).iter().take(SHOWN) {
        let path = if problem.path.is_empty() { "the document" } else { &problem.path };
        found.push(format!("{path}: {:?}", problem.rule));
    }
    found
}
