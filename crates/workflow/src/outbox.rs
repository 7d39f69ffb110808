//! What is still to be done outside of the journal: it was decided together with what made it necessary, and is done until it
//! has worked. Doing it twice is as good as doing it once.

use crate::disks;
use crate::draft::Draft;
use crate::failure::{Failure, unwritable};
use journal::Outbox;
use model::DecisionRecord;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};
use store::{Project, StoreError};
use watchdog::{Mutex, Rank};

/// The kind of what publishes how a decision ended in the history of its project.
const RECORD: &str = "record";

/// A record, and the project whose history it belongs in.
#[derive(Serialize, Deserialize)]
struct Publication<'a> {
    root: &'a str,
    #[serde(borrow)]
    record: &'a RawValue,
}

/// Puts a record into the outbox, to be published as JSON in the project in this folder.
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

/// The threads that publish, one for each project with something due.
pub(crate) struct Publishers {
    sender: Sender<PublishResult>,
    /// What they have done, also after it was given up.
    done: Mutex<Receiver<PublishResult>>,
}

/// The id of an entry, and whether it was published.
type PublishResult = (String, Result<(), StoreError>);

impl Default for Publishers {
    fn default() -> Self {
        let (sender, done) = channel();
        Self { sender, done: Mutex::new(Rank::Leaf, "what was published", done) }
    }
}

impl Publishers {
    /// Publishes the records of `due`, those of all projects side by side, until `limit` has passed. Returns what was published,
    /// including what an earlier call gave up and has been published since.
    pub(crate) fn publish(&self, due: Vec<Outbox>, limit: Duration) -> Vec<PublishResult> {
        let deadline = Instant::now() + limit;
        let mut projects: BTreeMap<PathBuf, Vec<Outbox>> = BTreeMap::new();
        for row in due {
            let root = serde_json::from_str(&row.body).map(|Publication { root, .. }| root.into());
            projects.entry(root.unwrap_or_default()).or_default().push(row);
        }
        let started: Vec<_> = projects
            .into_iter()
            .map(|(root, rows)| {
                let sender = self.sender.clone();
                disks::start(&root, move || {
                    for Outbox { id, body, .. } in rows {
                        // There is no receiver only when the runtime is gone.
                        let _ = sender.send((id, publish_record(&body)));
                    }
                })
            })
            .collect();
        for project in started {
            let _ = project.wait(deadline.saturating_duration_since(Instant::now()));
        }
        self.done.lock().try_iter().collect()
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
