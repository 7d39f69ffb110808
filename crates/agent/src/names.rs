//! Texts that stand in many lines of a log are kept once.

use protocol::agent::{Id, Timestamp};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The texts that many lines share: agents, tasks, outputs, the time of a pass. A plan has few of them, however many
/// messages there are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    ids: BTreeSet<Id>,
    subtypes: BTreeSet<Arc<str>>,
    /// The last one: a pass has one time for all that it delivers.
    time: Option<Timestamp>,
}

impl Names {
    /// The id that is written so; `None` if it is none.
    pub(crate) fn id(&mut self, text: &str) -> Option<Id> {
        if let Some(known) = self.ids.get(text) {
            return Some(known.clone());
        }
        let id: Id = text.parse().ok()?;
        self.ids.insert(id.clone());
        Some(id)
    }

    /// A text as it is.
    pub(crate) fn subtype(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.subtypes.get(text) {
            return Arc::clone(known);
        }
        let text: Arc<str> = text.into();
        self.subtypes.insert(Arc::clone(&text));
        text
    }

    /// The time, as it is written.
    pub(crate) fn time(&mut self, time: &Timestamp) -> Timestamp {
        match &self.time {
            Some(known) if known.as_str() == time.as_str() => known.clone(),
            _ => self.time.insert(time.clone()).clone(),
        }
    }
}
#[cfg(test)]
mod tests {
    use super::Names;
    use std::sync::Arc;

    #[test]
    fn what_stands_in_many_lines_is_kept_once() {
        let mut names = Names::default();
        let first = names.id("agent_a").unwrap();
        let again = names.id("agent_a").unwrap();
        assert!(std::ptr::eq(first.as_str(), again.as_str()));
        assert_eq!(names.id("*"), None);
        assert!(Arc::ptr_eq(&names.subtype("a note"), &names.subtype("a note")));
        // The same moment, written in two ways, stays as each was written.
        let times = ["2026-01-12T09:00:00Z", "2026-01-12T10:00:00+01:00", "2026-01-12T09:00:00Z"];
        for text in times {
            assert_eq!(names.time(&text.parse().unwrap()).as_str(), text);
        }
    }
}
