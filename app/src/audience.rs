//! The pages that show the set that a server ends with.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A page stops waiting for news when it sends its answers. So long may these take to arrive.
const ON_THEIR_WAY: Duration = Duration::from_secs(1);

/// Counts the pages that wait for news of one set, and those that stopped a moment ago.
#[derive(Debug, Default)]
pub(crate) struct Audience(Mutex<Pages>);

#[derive(Debug, Default)]
struct Pages {
    waiting: usize,
    /// When pages stopped waiting, in order.
    left: VecDeque<Instant>,
    /// One of them has ended the set by its answers.
    one_knows: bool,
}

/// A page that waits. It stops when this is dropped.
#[derive(Debug)]
pub(crate) struct Present<'a>(&'a Audience);

impl Audience {
    /// Counts a page until the guard is dropped.
    pub(crate) fn enter(&self) -> Present<'_> {
        let mut pages = self.pages();
        pages.waiting += 1;
        // It has stopped just now, to wait again.
        pages.left.pop_back();
        drop(pages);
        Present(self)
    }

    /// One of the pages has ended the set.
    pub(crate) fn know(&self) {
        self.pages().one_knows = true;
    }

    /// Whether there are pages that may not know the end of the set.
    pub(crate) fn has_others(&self) -> bool {
        let pages = self.pages();
        pages.waiting + pages.left.len() > usize::from(pages.one_knows)
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while pages.left.front().is_some_and(|left| left.elapsed() > ON_THEIR_WAY) {
            pages.left.pop_front();
        }
        pages
    }
}

impl Drop for Present<'_> {
    fn drop(&mut self) {
        let mut pages = self.0.pages();
        pages.waiting -= 1;
        pages.left.push_back(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::Audience;

    #[test]
    fn the_page_that_ended_the_set_is_no_other_page() {
        let audience = Audience::default();
        assert!(!audience.has_others());
        let (one, other) = (audience.enter(), audience.enter());
        // It sends its answers.
        drop(one);
        audience.know();
        assert!(audience.has_others());
        drop(other);
        // Its answers may be on their way.
        assert!(audience.has_others());
    }

    #[test]
    fn a_page_that_waits_again_is_the_same_page() {
        let audience = Audience::default();
        drop(audience.enter());
        let _again = audience.enter();
        audience.know();
        assert!(!audience.has_others());
    }

    #[test]
    fn a_set_that_its_only_page_has_ended_has_no_other() {
        let audience = Audience::default();
        drop(audience.enter());
        assert!(audience.has_others());
        audience.know();
        assert!(!audience.has_others());
    }
}
