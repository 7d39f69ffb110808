//! What has arrived may still be being written: it is left until it has been still for a moment. What was put aside because it
//! was not whole, and is whole by now, comes back.

use crate::folder::{ENVELOPE_LIMIT, PlanFolder, walk};
use crate::hash;
use files::{Dir, FileError, FileType, durable};
use protocol::agent::{Envelope, Format, Mode};
use serde::de::IgnoredAny;
use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

/// The clock of a file system may stand still for so long: two changes within it may have the same time.
const GRAIN: Duration = Duration::from_secs(1);

/// How long to leave the file `name` until it has been still for `settle`; `None` if it is still, or gone.
///
/// # Errors
///
/// Whatever the disk says.
pub(crate) fn unsettled(dir: &Dir, name: &str, settle: Duration) -> Result<Option<Duration>, FileError> {
    let Some(times) = dir.times(name)? else { return Ok(None) };
    // A copied file may have any time, also one in the future.
    let written = times.modified.min(times.changed);
    let still = SystemTime::now().duration_since(written).unwrap_or_default();
    Ok(settle.checked_sub(still).filter(|left| !left.is_zero()))
}

/// Whether `bytes`, the content of the file `name`, are only the beginning of a document whose author may still be writing:
/// the JSON text ends too early, and the file has changed within the last `settle`.
///
/// # Errors
///
/// Whatever the disk says.
pub(crate) fn is_being_written(
    dir: &Dir,
    name: &str,
    bytes: &[u8],
    settle: Duration,
) -> Result<bool, FileError> {
    let ends_early = serde_json::from_slice::<IgnoredAny>(bytes).is_err_and(|error| error.is_eof());
    Ok(ends_early && unsettled(dir, name, settle)?.is_some())
}

/// What is known of the messages that were put aside, so as not to look at them again.
#[derive(Debug, Default)]
pub(crate) struct SetAsideMessages {
    /// Those that have come back.
    returned: BTreeSet<String>,
    /// When a payload file in the inbox had last changed, at the last look. Only a later change can make a message whole.
    looked_until: Option<SystemTime>,
}

impl SetAsideMessages {
    /// Takes back what was put aside and is a whole message by now: it was written to since, or the last of its files came.
    /// Each name once: what is put aside again stays.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub(crate) fn take_back(&mut self, plan: &PlanFolder<'_>) -> Result<(), FileError> {
        let names = plan.put_aside()?;
        let newest = if names.is_empty() { None } else { newest_payload(plan)? };
        let has_new_payload = newest > self.looked_until;
        for name in names {
            let Some(times) = plan.deadletter.times(&name)? else { continue };
            // Moving it there has changed it later than it was written.
            let is_written = times.modified >= times.changed;
            let may_be_whole = has_new_payload && newest >= Some(times.changed);
            if !is_written && !may_be_whole || self.returned.contains(&name) {
                continue;
            }
            let bytes = match plan.deadletter.read(&name, ENVELOPE_LIMIT) {
                Ok(Some(bytes)) => bytes,
                Ok(None) | Err(FileError::TooLarge { .. }) => continue,
                Err(error) => return Err(error),
            };
            let Ok(envelope) = Envelope::parse_for(&bytes, Mode::Direct) else { continue };
            if !is_written && !has_come(plan, &envelope, times.changed)? {
                continue;
            }
            // Without what it got when it was taken.
            let taken_as = format!("{}__", envelope.message_id);
            let original = name.strip_prefix(&taken_as).unwrap_or(&name);
            if plan.inbox.kind(original)?.is_none() {
                durable::move_file(plan.lock(), &plan.deadletter, &name, &plan.inbox, original)?;
                self.returned.insert(name);
            }
        }
        self.looked_until =
            newest.filter(|newest| SystemTime::now().duration_since(*newest).is_ok_and(|it| it > GRAIN));
        Ok(())
    }
}

/// When the last of the files in the inbox that are no messages was changed.
fn newest_payload(plan: &PlanFolder<'_>) -> Result<Option<SystemTime>, FileError> {
    let mut newest = None;
    for way in walk(&plan.inbox)? {
        let Some((name, folders)) = way.split_last() else { continue };
        if folders.is_empty() && name.ends_with(".msg.json") {
            continue;
        }
        let folder = match plan.inbox.folder_at(folders.iter().map(String::as_str)) {
            Ok(Some(folder)) => folder,
            // It was moved meanwhile.
            Ok(None) | Err(FileError::Symlink { .. } | FileError::NotAFolder { .. }) => continue,
            Err(error) => return Err(error),
        };
        newest = newest.max(folder.times(name)?.map(|times| times.changed));
    }
    Ok(newest)
}

/// Whether all files of a message are there as they were sent, and one of them has been only since `put_aside`: it was not
/// whole then.
fn has_come(plan: &PlanFolder<'_>, envelope: &Envelope, put_aside: SystemTime) -> Result<bool, FileError> {
    let mut is_late = false;
    for file in envelope.files() {
        let mut way: Vec<&str> = file.path.components().collect();
        let Some(name) = way.pop() else { return Ok(false) };
        let folder = match plan.inbox.folder_at(way) {
            Ok(Some(folder)) => folder,
            Ok(None) | Err(FileError::Symlink { .. } | FileError::NotAFolder { .. }) => return Ok(false),
            Err(error) => return Err(error),
        };
        if folder.kind(name)? != Some(FileType::RegularFile) {
            return Ok(false);
        }
        let is_as_sent = hash::of_file(&folder, name)?.is_some_and(|(found, _)| found == file.sha256);
        if !is_as_sent {
            return Ok(false);
        }
        is_late |= folder.times(name)?.is_some_and(|times| times.changed >= put_aside);
    }
    Ok(is_late)
}
