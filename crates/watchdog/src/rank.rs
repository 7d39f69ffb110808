//! The order of locks.

use std::cell::RefCell;
use std::marker::PhantomData;

/// What a thread can hold, in the order in which it takes it: holding one, it takes those below only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// The list of the projects whose questions a daemon shows.
    Projects,
    /// One of these projects.
    Project,
    /// A set of questions that is looked at.
    Set,
    /// The folder of a message router.
    Router,
    /// A view of the journal.
    View,
    /// Something for which a thread waits for no other: it takes nothing else while it holds it.
    Leaf,
}

thread_local! {
    static HELD: RefCell<Vec<(Rank, &'static str)>> = const { RefCell::new(Vec::new()) };
}

/// Says that this thread holds something, until it is dropped, on the same thread.
#[derive(Debug)]
pub struct RankGuard {
    rank: Rank,
    name: &'static str,
    /// It belongs to its thread.
    thread: PhantomData<*const ()>,
}

impl RankGuard {
    /// Notes that this thread has something of this rank.
    ///
    /// # Panics
    ///
    /// Where [`check`] does.
    pub fn take(rank: Rank, name: &'static str) -> Self {
        check(rank, name);
        HELD.with_borrow_mut(|held| held.push((rank, name)));
        Self { rank, name, thread: PhantomData }
    }
}

/// Checks that this thread may take something of this rank, before it waits for it.
///
/// # Panics
///
/// Where assertions are compiled in, when the thread holds something of the same or a higher rank.
pub fn check(rank: Rank, name: &'static str) {
    if !cfg!(debug_assertions) {
        return;
    }
    let highest = HELD.with_borrow(|held| held.iter().max_by_key(|(rank, _)| *rank).copied());
    if let Some((highest, holds)) = highest {
        assert!(highest < rank, "takes {name:?} ({rank:?}) while it holds {holds:?} ({highest:?})");
    }
}

impl Drop for RankGuard {
    fn drop(&mut self) {
        HELD.with_borrow_mut(|held| {
            if let Some(at) = held.iter().rposition(|one| *one == (self.rank, self.name)) {
                held.remove(at);
            }
        });
    }
}

/// Whether this thread holds something of this rank.
pub fn holds(rank: Rank) -> bool {
    HELD.with_borrow(|held| held.iter().any(|one| one.0 == rank))
}

/// The names of what this thread holds.
pub(crate) fn names() -> Vec<&'static str> {
    HELD.with_borrow(|held| held.iter().map(|(_, name)| *name).collect())
}

#[cfg(test)]
mod tests {
    use super::{Rank, RankGuard, holds, names};

    #[test]
    fn what_is_held_is_known_until_it_is_given_back_in_any_order() {
        let (room, view) = (RankGuard::take(Rank::Project, "a room"), RankGuard::take(Rank::View, "a view"));
        assert_eq!(names(), ["a room", "a view"]);
        assert!(holds(Rank::View) && !holds(Rank::Leaf));
        drop(room);
        assert_eq!(names(), ["a view"]);
        drop(view);
        assert!(!holds(Rank::View));
    }

    #[test]
    #[should_panic(expected = "takes \"a room\" (Project) while it holds \"a view\" (View)")]
    fn a_thread_that_breaks_the_order_panics_alone() {
        let _view = RankGuard::take(Rank::View, "a view");
        let _room = RankGuard::take(Rank::Project, "a room");
    }

    #[test]
    #[should_panic(expected = "while it holds")]
    fn nothing_is_taken_twice() {
        let _first = RankGuard::take(Rank::View, "a view");
        let _second = RankGuard::take(Rank::View, "another view");
    }
}
