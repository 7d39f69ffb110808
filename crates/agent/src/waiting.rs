//! A command is followed to its end, while it waits for inputs that others send.

use crate::execution::{Blocker, CommandEnd, ExecutionError, Executor, Progress, Work};
use std::time::Duration;

/// The longest time without a look: whatever wakes may be missed.
const RESCAN: Duration = Duration::from_secs(10);

/// Sleeps until something may have come.
pub trait Waker {
    /// Sleeps for at most this long, until something may have come or the waiter is to end.
    fn sleep(&mut self, at_most: Duration);
}

/// How following a command has ended.
#[derive(Debug)]
pub enum Finish {
    /// The command has ended.
    Ended(Box<CommandEnd>),
    /// Its inputs are missing, and the caller does not wait for them.
    Missing(Blocker),
    /// It was interrupted, and continues when it is followed again.
    Interrupted,
}

/// Follows `work` to its end; not beyond missing inputs without a `waker`. What arrives meanwhile for its plan is filed.
///
/// # Errors
///
/// What keeps the command from going on. It has not ended then.
pub fn finish(
    executor: &Executor<'_>,
    work: &Work,
    mut waker: Option<&mut dyn Waker>,
    mut blocked: impl FnMut(&Blocker),
) -> Result<Finish, ExecutionError> {
    let plan = executor.folder.plan(&work.envelope.plan_id)?;
    loop {
        executor.file_arrived(&plan)?;
        let waits = match executor.advance(work)? {
            Progress::Ended(ended) => return Ok(Finish::Ended(ended)),
            Progress::Interrupted => return Ok(Finish::Interrupted),
            Progress::Blocked(waits) => waits,
        };
        let Some(waker) = waker.as_deref_mut() else { return Ok(Finish::Missing(waits)) };
        blocked(&waits);
        if executor.cancellation.is_cancelled() {
            return Ok(Finish::Interrupted);
        }
        // A second too late is harmless, one too early would look in vain.
        let until = waits.until.map_or(RESCAN, |until| until + Duration::from_millis(50));
        waker.sleep(until.min(RESCAN));
        if executor.cancellation.is_cancelled() {
            return Ok(Finish::Interrupted);
        }
    }
}
