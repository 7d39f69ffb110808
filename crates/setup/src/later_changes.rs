//! What was changed in a file since aide wrote it.

use serde_json::Value;
use similar::{DiffTag, TextDiff};

/// At most so many are named.
const MAX_CHANGES: usize = 20;

/// One thing that was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaterChange {
    /// A key, with those it is in.
    Key(String),
    /// Lines of the file as it is now; the second is the last.
    Lines(usize, usize),
}

/// What differs between what was written and what is there: keys where both can be read, else lines.
pub(crate) fn changes(read: impl Fn(&str) -> Option<Value>, written: &str, now: &str) -> Vec<LaterChange> {
    let mut all = Vec::new();
    if let (Some(written), Some(now)) = (read(written), read(now)) {
        keys(&written, &now, "", &mut all);
    }
    if all.is_empty() {
        let diff = TextDiff::from_lines(written, now);
        let changed = diff.ops().iter().filter(|change| change.tag() != DiffTag::Equal);
        all.extend(changed.map(|change| {
            let range = change.new_range();
            LaterChange::Lines(range.start + 1, range.end.max(range.start + 1))
        }));
    }
    all.truncate(MAX_CHANGES);
    all
}

fn keys(old: &Value, new: &Value, path: &str, all: &mut Vec<LaterChange>) {
    let (Some(before), Some(after)) = (old.as_object(), new.as_object()) else {
        if old != new {
            all.push(LaterChange::Key(path.to_owned()));
        }
        return;
    };
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    for (name, value) in after {
        match before.get(name) {
            Some(old) => keys(old, value, &below(name), all),
            None => all.push(LaterChange::Key(below(name))),
        }
    }
    all.extend(
        before.keys().filter(|name| !after.contains_key(*name)).map(|name| LaterChange::Key(below(name))),
    );
}
