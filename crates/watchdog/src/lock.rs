//! A mutex with a rank.

use crate::rank::{Rank, RankGuard, check};
use crate::wait::Wait;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex as StdMutex, MutexGuard, PoisonError, TryLockError};

/// A mutex that keeps the order of locks, and whose waits are on record. It outlives a panic of its holder.
#[derive(Debug)]
pub struct Mutex<T> {
    rank: Rank,
    name: &'static str,
    inner: StdMutex<T>,
}

/// What a [`Mutex`] guards, for one thread.
#[derive(Debug)]
pub struct Guard<'m, T> {
    // Given back before the thread says so.
    inner: MutexGuard<'m, T>,
    _held: RankGuard,
}

impl<T> Mutex<T> {
    /// Returns one that is named in records of waits.
    pub const fn new(rank: Rank, name: &'static str, value: T) -> Self {
        Self { rank, name, inner: StdMutex::new(value) }
    }

    /// Waits until no other thread has it.
    ///
    /// # Panics
    ///
    /// Where assertions are compiled in, when the thread holds something of the same or a higher rank.
    pub fn lock(&self) -> Guard<'_, T> {
        check(self.rank, self.name);
        let inner = match self.inner.try_lock() {
            Ok(inner) => inner,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                let _wait = Wait::begin(self.name);
                self.inner.lock().unwrap_or_else(PoisonError::into_inner)
            }
        };
        Guard { inner, _held: RankGuard::take(self.rank, self.name) }
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inner
    }
}

#[cfg(test)]
mod tests {
    use super::Mutex;
    use crate::rank::Rank;
    use std::thread;

    #[test]
    fn a_value_outlives_the_panic_of_its_holder() {
        let mutex = Mutex::new(Rank::Leaf, "a number", 1);
        thread::scope(|scope| {
            let holder = scope.spawn(|| {
                let mut number = mutex.lock();
                *number = 2;
                panic!("on purpose");
            });
            assert!(holder.join().is_err());
        });
        assert_eq!(*mutex.lock(), 2);
    }

    #[test]
    #[should_panic(expected = "while it holds \"a leaf\"")]
    fn nothing_is_taken_under_a_leaf() {
        let (leaf, other) = (Mutex::new(Rank::Leaf, "a leaf", ()), Mutex::new(Rank::Leaf, "another", ()));
        let _held = leaf.lock();
        let _other = other.lock();
    }
}
