//! What is still to be done outside of the journal: it was decided together with what made it necessary, and is done until it
//! has worked. Doing it twice is as good as doing it once.

use crate::draft::Draft;
use crate::failure::Failure;
use crate::runtime::{Runtime, unwritable};
use journal::{Find, Outbox, ViewExt as _};
use model::DecisionRecord;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::path::Path;
use store::{Project, StoreError};

/// The kind of what publishes how a decision ended in the history of its project.
const RECORD: &str = "record";
/// How much is done at a time.
const AT_A_TIME: u32 = 64;
/// How long something is put off at most, in seconds.
const LONGEST_PAUSE: i64 = 300;

/// A record, and the project whose history it belongs in.
#[derive(Serialize, Deserialize)]
struct Publication<'a> {
    root: &'a str,
    #[serde(borrow)]
    record: &'a RawValue,
}

/// Notes that a record is to be published: JSON, in the project in this folder.
pub(crate) fn publish(
    draft: &mut Draft<'_>,
    decision: &str,
    root: &str,
    record: &str,
) -> Result<(), Failure> {
    let record = serde_json::from_str(record).map_err(|error| unwritable(&error))?;
    let body = serde_json::to_string(&Publication { root, record }).map_err(|error| unwritable(&error))?;
    let (id, next) = (format!("{RECORD}-{decision}"), draft.now());
    draft.put(Outbox { id, kind: RECORD.to_owned(), body, attempts: 0, next, version: 0 });
    Ok(())
}

impl Runtime {
    /// Does what is still to be done outside, and is due. What does not work is tried again later, each time later than before.
    /// Returns what did not work.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read or written.
    pub fn deliver(&self) -> Result<Vec<String>, Failure> {
        let due = self.journal.view()?.find(&Find::outbox_due(self.world.now()).limit(AT_A_TIME))?;
        let mut troubles = Vec::new();
        for Outbox { id, body, .. } in due {
            let done = publish_record(&body);
            self.act(None, |draft| {
                let key = Outbox::key_of(&id);
                let Some(mut row) = draft.row::<Outbox>(&key)? else { return Ok(()) };
                if done.is_ok() {
                    draft.remove(key);
                } else {
                    row.attempts += 1;
                    let pause = 1_i64.checked_shl(u32::try_from(row.attempts).unwrap_or(63)).unwrap_or(0);
                    let pause = if (1..LONGEST_PAUSE).contains(&pause) { pause } else { LONGEST_PAUSE };
                    row.next = draft.now() + 1000 * pause;
                    draft.put(row);
                }
                Ok(())
            })?;
            if let Err(error) = done {
                troubles.push(format!("{id}: {error}"));
            }
        }
        Ok(troubles)
    }
}

/// Takes a record into the history of its project, once. A project that is gone, or that has no such history, wants none.
fn publish_record(body: &str) -> Result<(), StoreError> {
    let Ok(Publication { root, record }) = serde_json::from_str(body) else { return Ok(()) };
    let Ok(project) = Project::discover(Path::new(root)) else { return Ok(()) };
    let Ok(record): Result<DecisionRecord, _> = store::read_record(record.get().as_bytes()) else {
        return Ok(());
    };
    match project.decisions() {
        Ok(decisions) => decisions.adopt(&record).map(drop),
        Err(StoreError::NoAideFolder { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}
