//! The state of the current task, and of earlier tasks.
//!
//! Each task has a file of its own in `logs/`, so that the tasks of two branches merge. `flow-status.json` is a copy of
//! the current task's file: it belongs to the checkout, not to a branch, and is not versioned.
//!
//! A new state is first written beside the old one, and takes its place before its commit is made, because the user's
//! hooks for that commit look at it. The replaced state is kept until then: after a kill in between, the next process
//! either completes the change or puts the old state back.

use crate::clock::Moment;
use crate::layout::{AIDE, DECISIONS};
use crate::{StoreError, format, init};
use files::{ActionLock, ActionLockError, Dir, FileError, Identity, Lock, durable, json};
use model::SessionId;
use model::flow::{FlowStatus, FlowStatusError, TaskId};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const STATUS: &str = "flow-status.json";
/// The second name of the file that a new state has replaced.
const ASIDE: &str = "flow-status.former.json.tmp";
const LOGS: &str = "logs";
const BACK_REQUEST: &str = "back-confirm-state.json";
const ACTION_LOCK: &str = "flow.lock";

/// The files of tasks below `.aide/`.
#[derive(Debug)]
pub struct FlowFiles {
    aide: Dir,
    logs: Dir,
    decisions: Dir,
}

/// A state that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FlowFileError {
    /// The folder or the file cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file is not the state of a task.
    #[error("{file} is not the state of a task")]
    Status {
        /// The file, relative to the project.
        file: String,
        /// What is wrong with it.
        error: FlowStatusError,
    },
}

impl From<FileError> for FlowFileError {
    fn from(error: FileError) -> Self {
        Self::Store(error.into())
    }
}

/// A task that another one has taken the place of.
#[derive(Debug)]
pub struct EarlierTask {
    /// Its name.
    pub id: TaskId,
    /// Its state, if its file can be read.
    pub status: Result<FlowStatus, FlowFileError>,
}

/// A request to go back that still needs confirmation: the contents of `back-confirm-state.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackRequest {
    /// What the confirmation must name.
    pub pending_key: String,
    /// The phase to go back to.
    pub target_part: String,
    /// Why.
    pub reason: String,
    /// Local time with offset, whole seconds.
    pub created_at: String,
}

/// The names of files in `.aide/logs/` that an action writes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Logs {
    /// That of the task before, where one begins.
    pub archive: Option<String>,
    /// That of the task itself; `None` where an earlier version wrote the action.
    pub own: Option<String>,
}

impl Logs {
    /// All of them.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.archive.iter().chain(&self.own).map(String::as_str)
    }
}

/// A state that is written beside the old one.
#[derive(Debug)]
pub struct StagedState {
    /// Its bytes, as its two files will have them.
    pub status: Vec<u8>,
    /// The bytes of the former task's file.
    pub archive: Option<Vec<u8>>,
    /// The files in `.aide/logs/`.
    pub logs: Logs,
}

/// What stood in the place of a new state.
#[derive(Debug, Default)]
pub struct FormerState {
    /// The bytes of `flow-status.json`.
    pub status: Option<Arc<Vec<u8>>>,
    /// Those of the former task's file in `.aide/logs/`.
    pub archive: Option<Arc<Vec<u8>>>,
    /// Those of the task's own file there.
    pub own: Option<Arc<Vec<u8>>>,
}

/// The files of the current task as they were read, so that those which are still the same need not be read again.
#[derive(Debug, Default)]
pub struct SeenFiles {
    status: Option<SeenFile>,
    /// The task's own file, and its name.
    own: Option<(String, SeenFile)>,
}

#[derive(Debug)]
struct SeenFile {
    /// Which file it was, in which state; determined before it was read.
    identity: Identity,
    bytes: Arc<Vec<u8>>,
}

/// What `flow-status.json` says, and the file that its task has in `.aide/logs/`.
#[derive(Debug)]
pub struct Checkout {
    /// What `flow-status.json` says.
    pub status: FlowStatus,
    /// The task's own file.
    pub own: TaskFile,
    /// The files that were read.
    pub seen: SeenFiles,
}

/// The file that a task has in `.aide/logs/`, beside `flow-status.json`.
#[derive(Debug)]
pub enum TaskFile {
    /// It says the same.
    Same,
    /// It has another history: something else than an action has changed it, such as another branch.
    Other(Box<FlowStatus>),
    /// There is none: it is on another branch, or an earlier version has written the state.
    Missing,
}

impl FlowFiles {
    pub(crate) fn open(root: &Path) -> Result<Self, StoreError> {
        let root = Dir::open(root)?;
        let aide = format::open(&root)?;
        let logs = aide.ensure_folder(LOGS)?;
        let decisions = aide.ensure_folder(DECISIONS)?;
        // It only keeps runtime files out of git: without the right to write, reading must still work.
        let _ = init::create_ignore_file(&aide, &decisions);
        Ok(Self { aide, logs, decisions })
    }

    /// Waits for the lock that actions on this project hold, for at most `wait`. In a repository, the
    /// repository's lock is taken instead: several projects may share it.
    ///
    /// # Errors
    ///
    /// [`ActionLockError::Held`] if another process holds it for longer, else any disk error.
    pub fn action_lock(&self, wait: Duration, purpose: &str) -> Result<ActionLock, ActionLockError> {
        ActionLock::take(&self.aide, ACTION_LOCK, wait, purpose)
    }

    /// What `flow-status.json` says: the current task, unless something else than an action has changed the files since.
    ///
    /// # Errors
    ///
    /// When there is a file and it cannot be read.
    pub fn present(&self) -> Result<Option<FlowStatus>, FlowFileError> {
        read(&self.aide, STATUS, &flow_status_path())
    }

    /// The same, compared with the task's own file.
    ///
    /// # Errors
    ///
    /// When one of the files is there and cannot be read.
    pub fn checkout(&self) -> Result<Option<Checkout>, FlowFileError> {
        self.checkout_with(|bytes| FlowStatus::parse(bytes))
    }

    /// The same to add an entry, which takes less if there are many.
    ///
    /// # Errors
    ///
    /// As [`Self::checkout`].
    pub fn checkout_to_extend(&self) -> Result<Option<Checkout>, FlowFileError> {
        self.checkout_with(FlowStatus::parse_to_extend)
    }

    fn checkout_with(
        &self,
        read_status: impl Fn(&Arc<Vec<u8>>) -> Result<FlowStatus, FlowStatusError>,
    ) -> Result<Option<Checkout>, FlowFileError> {
        let identity = self.aide.identity(STATUS)?;
        let Some(bytes) = json::read_bytes(&self.aide, STATUS)?.map(Arc::new) else { return Ok(None) };
        let path = flow_status_path();
        let status = read_status(&bytes).map_err(|error| not_a_status(&bytes, &path, error))?;
        let name = archive_name(&status.task_id);
        let own_identity = self.logs.identity(&name)?;
        let (own, own_bytes) = match self.logs.has(&name, &bytes)? {
            None => (TaskFile::Missing, None),
            Some(true) => (TaskFile::Same, Some(Arc::clone(&bytes))),
            Some(false) => match json::read_bytes(&self.logs, &name)?.map(Arc::new) {
                None => (TaskFile::Missing, None),
                Some(found) => {
                    let path = flow_archive_path(&name);
                    let own = read_status(&found).map_err(|error| not_a_status(&found, &path, error))?;
                    let is_same = is_same_entry(&own, &status);
                    (if is_same { TaskFile::Same } else { TaskFile::Other(Box::new(own)) }, Some(found))
                }
            },
        };
        let seen_file = |(identity, bytes)| SeenFile { identity, bytes };
        let seen = SeenFiles {
            status: identity.map(|identity| SeenFile { identity, bytes }),
            own: own_identity.zip(own_bytes).map(|seen| (name, seen_file(seen))),
        };
        Ok(Some(Checkout { status, own, seen }))
    }

    /// The state in `bytes`, which are those of the present task's file.
    ///
    /// # Errors
    ///
    /// When they are none.
    pub fn parse(&self, bytes: &[u8]) -> Result<FlowStatus, FlowFileError> {
        parse(bytes, &flow_status_path())
    }

    /// The files that [`Self::publish`] replaces. Those of `seen` are read again only if they have changed since.
    ///
    /// # Errors
    ///
    /// When there is one and it cannot be read.
    pub fn former(&self, logs: &Logs, seen: &SeenFiles) -> Result<FormerState, FileError> {
        let read = |dir: &Dir, name: &str, seen: Option<&SeenFile>| match seen {
            Some(seen) if dir.identity(name)?.as_ref() == Some(&seen.identity) => {
                Ok::<_, FileError>(Some(Arc::clone(&seen.bytes)))
            }
            _ => Ok(json::read_bytes(dir, name)?.map(Arc::new)),
        };
        let read_log = |name: &Option<String>| {
            let Some(name) = name else { return Ok(None) };
            let seen = seen.own.as_ref().filter(|(own, _)| own == name).map(|(_, seen)| seen);
            read(&self.logs, name, seen)
        };
        let (archive, own) = (read_log(&logs.archive)?, read_log(&logs.own)?);
        Ok(FormerState { status: read(&self.aide, STATUS, seen.status.as_ref())?, archive, own })
    }

    /// Takes [`Self::publish`] back, as far as it has come, and forgets what was staged.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn restore(&self, former: &FormerState, logs: &Logs) -> Result<(), FileError> {
        let lock = Lock::take(&self.decisions)?;
        self.forget(&lock, logs);
        for (name, bytes) in [(&logs.archive, &former.archive), (&logs.own, &former.own)] {
            if let Some(name) = name {
                put_back(&lock, &self.logs, &aside_name(name), name, bytes.as_deref())?;
            }
        }
        put_back(&lock, &self.aide, ASIDE, STATUS, former.status.as_deref())?;
        self.settle(logs)
    }

    /// Keeps the files that are replaced under second names, so that [`Self::restore`] needs no space on the disk.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn set_aside(&self, logs: &Logs) -> Result<(), FileError> {
        let lock = Lock::take(&self.decisions)?;
        for name in logs.names() {
            durable::link_aside(&lock, &self.logs, name, &aside_name(name))?;
        }
        durable::link_aside(&lock, &self.aide, STATUS, ASIDE)
    }

    /// Forgets the second names: the new state stays.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn settle(&self, logs: &Logs) -> Result<(), FileError> {
        for name in logs.names() {
            self.logs.unlink(&aside_name(name))?;
        }
        self.aide.unlink(ASIDE).map(drop)
    }

    /// Writes `staged`, unless the state is there: it may have been changed or removed since.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn ensure(&self, status: &FlowStatus, staged: &StagedState) -> Result<(), FileError> {
        let name = archive_name(&status.task_id);
        // It may be laid out in another way.
        let says_the_same = |dir: &Dir, name: &str| {
            let found = json::read_bytes(dir, name).ok().flatten();
            found.is_some_and(|found| FlowStatus::parse(&found).is_ok_and(|found| found == *status))
        };
        let is_there = |dir: &Dir, name: &str| match dir.has(name, &staged.status) {
            Ok(Some(false)) => says_the_same(dir, name),
            has => has.is_ok_and(|has| has == Some(true)),
        };
        if is_there(&self.aide, STATUS) && is_there(&self.logs, &name) {
            return Ok(());
        }
        self.stage(staged)?;
        self.publish(&staged.logs)
    }

    /// The earlier tasks, the latest first. Those that cannot be read are here as well.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read.
    pub fn earlier(&self) -> Result<Vec<EarlierTask>, FileError> {
        let mut tasks = Vec::new();
        for (id, name) in self.archives()? {
            // One may have been removed since the folder was read.
            if let Some(status) = read(&self.logs, &name, &format!("{AIDE}/{LOGS}/{name}")).transpose() {
                tasks.push(EarlierTask { id, status });
            }
        }
        Ok(tasks)
    }

    /// The earlier task `task`.
    ///
    /// # Errors
    ///
    /// When its file cannot be read.
    pub fn earlier_task(&self, task: &TaskId) -> Result<Option<FlowStatus>, FlowFileError> {
        let found = self.archives()?.into_iter().find(|(found, _)| found == task);
        let Some((_, name)) = found else { return Ok(None) };
        read(&self.logs, &name, &format!("{AIDE}/{LOGS}/{name}"))
    }

    /// The task that began last, of those whose files can be read.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read, or a file is in conflict.
    pub fn latest_task(&self) -> Result<Option<FlowStatus>, FlowFileError> {
        for (_, name) in self.archives()? {
            match read(&self.logs, &name, &flow_archive_path(&name)) {
                Err(FlowFileError::Status { .. }) => {}
                Err(error) => return Err(error),
                Ok(None) => {}
                Ok(status) => return Ok(status),
            }
        }
        Ok(None)
    }

    /// A name for a task that begins now: later than that of any other.
    ///
    /// # Errors
    ///
    /// When the clock or a file name is at the end of time.
    pub fn next_task_id(&self, present: Option<&TaskId>) -> Result<TaskId, StoreError> {
        let earlier = self.archives()?.into_iter().filter_map(|(task, _)| task.time());
        let last = earlier.chain(present.and_then(TaskId::time)).max();
        let id = SessionId::next(&Moment::now().second(), last.as_ref());
        id.map(TaskId::from).map_err(|_| StoreError::NoSessionLeft)
    }

    /// The bytes that the files of `status`, and that of `former` in `.aide/logs/`, will have.
    ///
    /// # Errors
    ///
    /// When they would become larger than such a file may be.
    pub fn prepare(
        &self,
        status: &FlowStatus,
        former: Option<&FlowStatus>,
    ) -> Result<StagedState, FileError> {
        let logs = Logs {
            archive: former.map(|former| archive_name(&former.task_id)),
            own: Some(archive_name(&status.task_id)),
        };
        let archive = former.zip(logs.archive.as_deref());
        let archive = archive.map(|(former, name)| text(&self.logs, name, former)).transpose()?;
        Ok(StagedState { status: text(&self.aide, STATUS, status)?, archive, logs })
    }

    /// Writes `staged` beside the current state, durably. The current state does not change.
    ///
    /// # Errors
    ///
    /// Whatever the disk says; what was written is removed again.
    pub fn stage(&self, staged: &StagedState) -> Result<(), FileError> {
        // Without it, git may be told of what belongs to this checkout.
        let _ = init::ensure_ignore_file(&self.aide, &self.decisions);
        let lock = Lock::take(&self.decisions)?;
        // Nothing else would ever clear away what a kill has left of an archive.
        durable::sweep(&lock, &self.logs, &self.logs.names()?);
        let stage = |name: &Option<String>, bytes: Option<&[u8]>| match (name, bytes) {
            (Some(name), Some(bytes)) => durable::stage(&lock, &self.logs, name, bytes),
            _ => Ok(()),
        };
        let written = stage(&staged.logs.archive, staged.archive.as_deref())
            .and_then(|()| stage(&staged.logs.own, Some(&staged.status)))
            .and_then(|()| durable::stage(&lock, &self.aide, STATUS, &staged.status));
        if written.is_err() {
            self.forget(&lock, &staged.logs);
        }
        written
    }

    /// Moves staged files into place, the tasks' own files first. Files already in place are skipped, so that another
    /// process can finish a half-done move.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn publish(&self, logs: &Logs) -> Result<(), FileError> {
        let lock = Lock::take(&self.decisions)?;
        for name in logs.names() {
            durable::publish_staged(&lock, &self.logs, name)?;
        }
        durable::publish_staged(&lock, &self.aide, STATUS)
    }

    fn forget(&self, lock: &Lock, logs: &Logs) {
        // What stays is removed by the next write, and never read.
        durable::sweep_one(lock, &self.aide, STATUS);
        for name in logs.names() {
            durable::sweep_one(lock, &self.logs, name);
        }
    }

    /// The wish to go back that waits for its confirmation.
    ///
    /// # Errors
    ///
    /// When there is a file and it cannot be read.
    pub fn back_request(&self) -> Result<Option<BackRequest>, FileError> {
        json::read(&self.aide, BACK_REQUEST)
    }

    /// Notes a wish to go back.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn request_back(&self, request: &BackRequest) -> Result<(), FileError> {
        let bytes = json::text(&self.aide, BACK_REQUEST, request, json::MAX_JSON)?;
        let lock = Lock::take(&self.decisions)?;
        durable::replace(&lock, &self.aide, BACK_REQUEST, &bytes)
    }

    /// Forgets the wish to go back; false when there was none.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn forget_back_request(&self) -> Result<bool, FileError> {
        let lock = Lock::take(&self.decisions)?;
        let removed = durable::remove(&lock, &self.aide, BACK_REQUEST)?;
        self.aide.sync()?;
        Ok(removed)
    }

    /// The files of earlier tasks, the latest first. Where one task has two, that of the present naming counts.
    fn archives(&self) -> Result<Vec<(TaskId, String)>, FileError> {
        let mut found: Vec<(TaskId, String)> = Vec::new();
        for name in self.logs.names()? {
            let Some(task) = archived_task(&name) else { continue };
            match found.iter_mut().find(|(known, _)| *known == task) {
                Some((_, known)) if name == archive_name(&task) => *known = name,
                Some(_) => {}
                None => found.push((task, name)),
            }
        }
        found.sort_by(|(one, _), (other, _)| other.cmp(one));
        Ok(found)
    }
}

/// Whether `aide`, a folder `.aide/`, has the file of a task in its `logs/`.
pub(crate) fn has_tasks(aide: &Path) -> bool {
    let entries = fs::read_dir(aide.join(LOGS)).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .any(|name| archived_task(&name).is_some())
}

/// The state file's path from the project's root.
pub fn flow_status_path() -> String {
    format!("{AIDE}/{STATUS}")
}

/// The path of a task's own file `name`, from the project's root.
pub fn flow_archive_path(name: &str) -> String {
    format!("{AIDE}/{LOGS}/{name}")
}

/// The path of the own file of `task`, from the project's root.
pub fn flow_task_path(task: &TaskId) -> String {
    flow_archive_path(&archive_name(task))
}

fn archive_name(task: &TaskId) -> String {
    format!("flow-status.{task}.json")
}

/// The task that a file in `.aide/logs/` is of, also in the naming of earlier implementations.
fn archived_task(name: &str) -> Option<TaskId> {
    let name = name.strip_suffix(".json")?;
    let task = name.strip_prefix("flow-status.").or_else(|| name.strip_suffix("-status"))?;
    task.parse().ok()
}

/// The second name of a file in `.aide/logs/` that a new state replaces.
fn aside_name(name: &str) -> String {
    format!("{}.former.json.tmp", name.strip_suffix(".json").unwrap_or(name))
}

/// Returns the text of `status` for the file `name`.
fn text(dir: &Dir, name: &str, status: &FlowStatus) -> Result<Vec<u8>, FileError> {
    let text = status.to_text().map_err(|error| json::corrupt(name, &error))?;
    json::limited(dir, name, text, json::MAX_JSON)
}

/// Whether the newest entry is the same one. Its commit may be known in one of them alone.
fn is_same_entry(one: &FlowStatus, other: &FlowStatus) -> bool {
    let entry = |status: &FlowStatus| {
        status
            .newest()
            .map(|entry| (entry.step, entry.action, entry.timestamp.clone(), entry.summary.clone()))
    };
    one.history.len() == other.history.len() && entry(one) == entry(other)
}

/// Lets the file `name` have `bytes` again, or not be there: where they are kept as `aside`, without a write.
fn put_back(
    lock: &Lock,
    dir: &Dir,
    aside: &str,
    name: &str,
    bytes: Option<&Vec<u8>>,
) -> Result<(), FileError> {
    if let Some(bytes) = bytes
        && dir.has(aside, bytes).is_ok_and(|has| has == Some(true))
    {
        durable::move_back(lock, dir, aside, name)?;
    }
    put(lock, dir, name, bytes.map(Vec::as_slice))
}

/// Lets the file `name` have `bytes`, or not be there.
fn put(lock: &Lock, dir: &Dir, name: &str, bytes: Option<&[u8]>) -> Result<(), FileError> {
    // Not written when it is as it should be: then it has not changed either.
    if json::read_bytes(dir, name).is_ok_and(|found| found.as_deref() == bytes) {
        return Ok(());
    }
    match bytes {
        Some(bytes) => durable::replace(lock, dir, name, bytes),
        None => durable::remove(lock, dir, name).and_then(|_| dir.sync()),
    }
}

fn read(dir: &Dir, name: &str, file: &str) -> Result<Option<FlowStatus>, FlowFileError> {
    json::read_bytes(dir, name)?.map(|bytes| parse(&bytes, file)).transpose()
}

fn parse(bytes: &[u8], file: &str) -> Result<FlowStatus, FlowFileError> {
    FlowStatus::parse(bytes).map_err(|error| not_a_status(bytes, file, error))
}

/// The error of a file whose bytes are no state.
fn not_a_status(bytes: &[u8], file: &str, error: FlowStatusError) -> FlowFileError {
    let file = file.to_owned();
    if json::is_conflict(bytes) {
        FileError::Conflict { file }.into()
    } else {
        FlowFileError::Status { file, error }
    }
}

#[cfg(test)]
mod tests {
    use super::{FlowFiles, SeenFiles, StagedState};
    use files::fault::{self, Fault};
    use model::flow::{FlowStatus, Summary};
    use rustix::io::Errno;
    use std::fs;
    use std::path::Path;

    fn staged(files: &FlowFiles, phase: &str, former: Option<&FlowStatus>) -> (FlowStatus, StagedState) {
        let task = format!("2025-01-15T10-30-0{}", u8::from(former.is_some())).parse().unwrap();
        let summary = Summary::new("x").unwrap();
        let status = FlowStatus::start(task, "2025-01-15T10:30:00+08:00", phase, &summary);
        let staged = files.prepare(&status, former).unwrap();
        (status, staged)
    }

    fn publish(files: &FlowFiles, staged: &StagedState) -> Result<(), files::FileError> {
        files.stage(staged)?;
        files.set_aside(&staged.logs)?;
        files.publish(&staged.logs)
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Whichever call fails, or is the last before a kill.
    #[test]
    fn what_was_published_is_put_back_wherever_it_stopped() {
        let faults = [Fault::Fails(Errno::NOSPC), Fault::FailsDone(Errno::IO), Fault::Killed];
        let mut runs = 0;
        for (fault, is_another_task) in faults.into_iter().flat_map(|fault| [(fault, false), (fault, true)]) {
            for turn in 0.. {
                let folder = tempfile::tempdir().unwrap();
                crate::init(folder.path()).unwrap();
                let open = || FlowFiles::open(folder.path()).unwrap();
                let files = open();
                let (status, old) = staged(&files, "old", None);
                publish(&files, &old).unwrap();
                files.settle(&old.logs).unwrap();
                let aide = folder.path().join(".aide");
                let before = (names(&aide), names(&aide.join("logs")));
                let (_, new) = staged(&files, "new", is_another_task.then_some(&status));
                let former = files.former(&new.logs, &SeenFiles::default()).unwrap();
                let own = fs::read(aide.join("logs/flow-status.2025-01-15T10-30-00.json")).unwrap();

                fault::fail(turn, fault);
                let published = publish(&files, &new);
                let came = fault::fail_no_more();
                assert!(published.is_ok() || came);
                open().restore(&former, &new.logs).unwrap();
                assert_eq!(fs::read(aide.join("flow-status.json")).unwrap(), old.status, "{fault:?} {turn}");
                let restored = fs::read(aide.join("logs/flow-status.2025-01-15T10-30-00.json")).unwrap();
                assert_eq!(restored, own, "{fault:?} {turn}");
                assert_eq!((names(&aide), names(&aide.join("logs"))), before, "{fault:?} {turn}");
                runs += 1;
                if !came {
                    break;
                }
            }
        }
        assert!(runs > 100, "{runs}");
    }
}
