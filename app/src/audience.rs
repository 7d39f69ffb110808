//! The pages that show the set that a server ends with.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A page that has stopped waiting asks again, or has been closed. So long may its next request take to arrive.
const ON_THEIR_WAY: Duration = Duration::from_secs(1);

/// So long may a page take from its request until it waits for news: a busy machine, or a browser without script, where it never
/// does.
const GETS_READY: Duration = Duration::from_secs(60);

/// Counts the pages that wait for news of one set, those that stopped a moment ago, and those that do not wait yet.
#[derive(Debug, Default)]
pub(crate) struct Audience(Mutex<Pages>);

#[derive(Debug, Default)]
struct Pages {
    waiting: usize,
    /// When pages stopped waiting, in order.
    left: VecDeque<Instant>,
    /// When pages were opened that do not wait yet, in order.
    opened: VecDeque<Instant>,
    /// How many of those that wait know the end already, by the answer to what they have sent.
    knowing: usize,
}

/// A page that waits. It stops when this is dropped.
#[derive(Debug)]
pub(crate) struct WaitingPage<'a> {
    audience: &'a Audience,
    knows_end: bool,
}

impl WaitingPage<'_> {
    /// The page hears how the set has ended.
    pub(crate) fn learn_end(mut self) {
        self.knows_end = true;
    }
}

impl Audience {
    /// A page is shown. It waits for news once it can.
    pub(crate) fn open(&self) {
        self.pages().opened.push_back(Instant::now());
    }

    /// Counts a page until the guard is dropped.
    pub(crate) fn enter(&self) -> WaitingPage<'_> {
        let mut pages = self.pages();
        pages.waiting += 1;
        // It has stopped just now, to wait again, or was opened just now, after the one that it takes the place of.
        pages.left.pop_back();
        pages.opened.pop_back();
        drop(pages);
        WaitingPage { audience: self, knows_end: false }
    }

    /// One of the pages has ended the set by what it has sent, or has learnt of its end so.
    pub(crate) fn know(&self) {
        let mut pages = self.pages();
        if pages.left.pop_back().is_none() && pages.opened.pop_back().is_none() {
            pages.knowing += 1;
        }
    }

    /// Whether there are pages that may not know the end of the set.
    pub(crate) fn has_others(&self) -> bool {
        let pages = self.pages();
        pages.waiting + pages.left.len() + pages.opened.len() > pages.knowing
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while pages.left.front().is_some_and(|left| left.elapsed() > ON_THEIR_WAY) {
            pages.left.pop_front();
        }
        while pages.opened.front().is_some_and(|opened| opened.elapsed() > GETS_READY) {
            pages.opened.pop_front();
        }
        pages
    }
}

impl Drop for WaitingPage<'_> {
    fn drop(&mut self) {
        let mut pages = self.audience.pages();
        pages.waiting -= 1;
        if pages.knowing > 0 {
            pages.knowing -= 1;
        } else if !self.knows_end {
            pages.left.push_back(Instant::now());
        }
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
    fn a_page_that_does_not_wait_yet_is_another_page_until_it_is_told() {
        let audience = Audience::default();
        audience.open();
        audience.open();
        assert!(audience.has_others());
        // One of them is sent without script.
        audience.know();
        assert!(audience.has_others());
        // The other one waits by now, and hears of the end.
        let other = audience.enter();
        assert!(audience.has_others());
        other.learn_end();
        assert!(!audience.has_others());
    }

    #[test]
    fn a_page_that_sends_before_it_was_seen_to_leave_is_counted_once() {
        let audience = Audience::default();
        let (one, other) = (audience.enter(), audience.enter());
        audience.know();
        assert!(audience.has_others());
        drop(one);
        assert!(audience.has_others());
        other.learn_end();
        assert!(!audience.has_others());
    }

    #[test]
    fn a_page_that_is_loaded_again_takes_the_place_of_the_one_before() {
        let audience = Audience::default();
        audience.open();
        let before = audience.enter();
        audience.open();
        drop(before);
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
