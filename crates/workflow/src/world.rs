//! What is outside of the journal: the clock, and unguessable numbers.

use journal::Millis;

/// What is outside.
pub trait World: Send + Sync {
    /// Returns the present moment.
    fn now(&self) -> Millis;

    /// Returns an unguessable number.
    fn random(&self) -> u64;

    /// Returns a moment as local time, for the name of a set of questions: `2025-01-15T10-30-00`.
    fn local_second(&self, at: Millis) -> String;

    /// Returns a moment as local time with offset, in whole seconds: `2025-01-15T10:30:00+08:00`.
    fn local_time(&self, at: Millis) -> String;
}
