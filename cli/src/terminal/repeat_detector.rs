//! Keys that are held down. A terminal sends them again and again, and does not tell that from pressing them.

use super::form::Key;
use std::time::{Duration, Instant};

/// The first repeat of a key comes up to two thirds of a second after it, the others come faster.
const REPEAT: Duration = Duration::from_millis(700);

/// The key that came last.
#[derive(Debug, Default)]
pub(super) struct RepeatDetector {
    last: Option<(Key, Instant)>,
}

impl RepeatDetector {
    /// Whether `key`, which comes `now`, may be the last one held down.
    pub(super) fn is_repeat(&mut self, key: &Key, now: Instant) -> bool {
        let last = self.last.replace((key.clone(), now));
        last.is_some_and(|(last, at)| last == *key && now.saturating_duration_since(at) < REPEAT)
    }
}

#[cfg(test)]
mod tests {
    use super::{REPEAT, RepeatDetector};
    use crate::terminal::form::Key;
    use std::time::{Duration, Instant};

    #[test]
    fn the_same_key_soon_again_may_be_held_down() {
        let (mut held, start) = (RepeatDetector::default(), Instant::now());
        let mut at = |key: Key, millis: u64| held.is_repeat(&key, start + Duration::from_millis(millis));
        // The first repeat is late, and no number of repeats is a new key.
        assert_eq!([0, 600, 630, 660].map(|millis| at(Key::Enter, millis)), [false, true, true, true]);
        assert!(!at(Key::Char('x'), 670));
        assert!(!at(Key::Enter, 680));
        let later = 680 + u64::try_from(REPEAT.as_millis()).unwrap();
        assert!(!at(Key::Enter, later));
    }
}
