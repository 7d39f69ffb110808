//! What has arrived may still be being written: it is left until it has been still for a moment. What was put aside because it
//! was not whole, and is whole by now, comes back.

use crate::execution::Executor;
use crate::folder::{ENVELOPE_LIMIT, PlanFolder};
use files::{Dir, FileError, durable};
use model::agent::{Envelope, Format, Mode};
use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

impl Executor<'_> {
    /// How long the file `name` is to be left, because it was written to a moment ago; `None` if it is still, or gone.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub(crate) fn unsettled(&self, dir: &Dir, name: &str) -> Result<Option<Duration>, FileError> {
        let Some(times) = dir.times(name)? else { return Ok(None) };
        // A copied file may have any time, also one in the future.
        let written = times.modified.min(times.changed);
        let still = SystemTime::now().duration_since(written).unwrap_or_default();
        Ok(self.rules.settle.checked_sub(still).filter(|left| !left.is_zero()))
    }
}

/// Takes back what was put aside and was written to since, if it is a message by now. Each name once: what is put aside again
/// stays.
///
/// # Errors
///
/// Whatever the disk says.
pub(crate) fn take_back(plan: &PlanFolder<'_>, taken: &mut BTreeSet<String>) -> Result<(), FileError> {
    for name in plan.put_aside()? {
        let Some(times) = plan.deadletter.times(&name)? else { continue };
        // Moving it there has changed it later than it was written.
        if times.modified < times.changed || taken.contains(&name) || plan.inbox.kind(&name)?.is_some() {
            continue;
        }
        let bytes = match plan.deadletter.read(&name, ENVELOPE_LIMIT) {
            Ok(Some(bytes)) => bytes,
            Ok(None) | Err(FileError::TooLarge { .. }) => continue,
            Err(error) => return Err(error),
        };
        if Envelope::parse_for(&bytes, Mode::Direct).is_ok() {
            durable::move_file(plan.lock(), &plan.deadletter, &name, &plan.inbox, &name)?;
            taken.insert(name);
        }
    }
    Ok(())
}
