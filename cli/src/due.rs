//! When a slow operation is reported: soon after it has begun, and then less and less often.

use std::collections::HashMap;

/// After how many seconds it is reported. Later it is reported every minute.
const TOLD_AFTER: [u64; 4] = [5, 15, 30, 60];

/// Something that is under way.
#[derive(Debug)]
pub(crate) struct Work<T> {
    /// The same for the same work, and for no other.
    pub(crate) key: String,
    /// How long it has taken, in seconds.
    pub(crate) age: u64,
    /// The attempt that has failed last, while the next one is waited for.
    pub(crate) failed: Option<u64>,
    /// The report.
    pub(crate) what: T,
}

/// What was reported of each operation.
#[derive(Debug, Default)]
pub(crate) struct Due {
    known: HashMap<String, ReportState>,
}

#[derive(Debug, Clone, Copy, Default)]
struct ReportState {
    /// How long it had taken then, in seconds.
    age: Option<u64>,
    /// The attempt whose failure was reported.
    failed: Option<u64>,
}

impl Due {
    /// Returns the reports that are due, of all operations that are under way.
    pub(crate) fn take_due<T>(&mut self, works: impl IntoIterator<Item = Work<T>>) -> Vec<T> {
        let mut known = HashMap::new();
        let mut due = Vec::new();
        for Work { key, age, failed, what } in works {
            let mut state = self.known.get(&key).copied().unwrap_or_default();
            if next_after(state.age) <= age || failed.is_some() && failed != state.failed {
                state = ReportState { age: Some(age), failed: failed.or(state.failed) };
                due.push(what);
            }
            known.insert(key, state);
        }
        self.known = known;
        due
    }
}

/// When the next report is due after one at this age, in seconds.
fn next_after(reported: Option<u64>) -> u64 {
    let Some(reported) = reported else { return TOLD_AFTER[0] };
    TOLD_AFTER.into_iter().find(|after| *after > reported).unwrap_or_else(|| (reported / 60 + 1) * 60)
}

#[cfg(test)]
mod tests {
    use super::{Due, Work, next_after};

    fn work(age: u64, failed: Option<u64>) -> [Work<u64>; 1] {
        [Work { key: "a".to_owned(), age, failed, what: age }]
    }

    #[test]
    fn it_is_told_less_and_less_often() {
        let next = |told: &u64| Some(next_after(Some(*told)));
        let told: Vec<u64> = std::iter::successors(Some(next_after(None)), next).take(7).collect();
        assert_eq!(told, [5, 15, 30, 60, 120, 180, 240]);
        // It was looked late.
        assert_eq!(next_after(Some(75)), 120);
    }

    #[test]
    fn what_takes_a_moment_only_is_not_told() {
        let mut due = Due::default();
        let told: Vec<usize> = [0, 1, 7, 8, 15].map(|age| due.take_due(work(age, None)).len()).into();
        assert_eq!(told, [0, 0, 1, 0, 1]);
        // It has ended, and the next one has begun.
        due.take_due::<u64>([]);
        assert_eq!(due.take_due(work(1, None)), Vec::<u64>::new());
    }

    #[test]
    fn a_failed_attempt_is_told_once() {
        let mut due = Due::default();
        let told = [Some(1), Some(1), None, Some(2)].map(|failed| due.take_due(work(0, failed)).len());
        assert_eq!(told, [1, 0, 0, 1]);
    }
}
