//! The commit of an action: all of it, or none.
//!
//! What is needed to continue after a kill is in a *journal* in the repository's own folder. In order:
//!
//! 1. The new state is written beside the old one (`FlowFiles::stage`), and a copy of the old one beside the journal.
//! 2. The journal is written, and linked as `index.lock`: as long as it is there, no other git touches the index, and it
//!    can be told from the lock of any other.
//! 3. A copy of the index gets the changes and the new state; the user's own is not touched.
//! 4. The new state takes the place of the old one, for the user's hooks may look at it, format it, add all files again or
//!    hide those that differ from the index.
//! 5. `git commit` commits the copy. Moving the branch is the one moment at which the action happens.
//! 6. The copy takes the place of the index; lock and journal are removed.
//!
//! A process that finds a journal looks for the commit that it announces: if it was made, the process does the rest of step 6,
//! else it puts the old state back and removes what was prepared. So does the action itself when git fails, for it may do so
//! after the commit. Until then [`former`] gives the state to readers. The lock of the action is held by every git that was
//! started, so that no process looks for the commit while one still runs.

use crate::commit_lookup;
use crate::error::{FlowError, GitError};
use crate::git::{AIDE, Repository, last_words, not_started};
use files::{ActionLock, ExternalDir, FileError};
use model::flow::{FlowStatus, STEP_TRAILER, step_name};
use process::Program;
use serde::{Deserialize, Serialize};
use settings::{AddStrategy, FlowGit};
use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use store::{
    FlowFiles, FormerState, Logs, Project, SeenFiles, StagedState, flow_archive_path, flow_status_path,
    pending_path,
};

const ACTION_LOCK: &str = "flow.lock";
const JOURNAL: &str = "journal.json";
/// The copy of the index.
const INDEX: &str = "index";
const JOURNAL_LIMIT: u64 = 1 << 16;
/// The copy of the state that is replaced, and those of the files in `.aide/logs/` should there be any.
const FORMER: [&str; 3] = ["status.json", "archive.json", "own.json"];
/// Larger than any of them.
const FORMER_LIMIT: u64 = 1 << 30;
/// How long to wait for other actions, and for other users of the index.
pub(crate) const LOCK_TIMEOUT: Duration = Duration::from_secs(3);
/// How long a git that was killed may have left a branch locked before its lock is taken for abandoned. A living one holds
/// it for moments.
const ABANDONED: Duration = Duration::from_millis(500);
/// The same of the lock that all work trees share: to pack a great many references takes a while.
const PACKING: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(10);

/// Excludes files written beside others, which may no longer be in `.aide/.gitignore`. Begins with no folder, because
/// git refuses to be told to leave out what it ignores anyway.
const STAGED: &str = ":(exclude,glob)**/.aide/**/flow-status*.json.tmp";

/// What is needed for recovery after a kill.
#[derive(Debug, Serialize, Deserialize)]
struct Journal {
    /// What the index lock says to people who wonder about it.
    about: String,
    /// The process, so that no two journals are alike.
    pid: u32,
    /// The entry, as the trailer of its commit names it.
    step: String,
    /// The project, which is one of several in the repository perhaps.
    root: PathBuf,
    /// Its path from the top of the work tree.
    prefix: String,
    /// What was checked out before; `None` before the first commit.
    head: Option<String>,
    /// The name of the former task's file.
    archive: Option<String>,
    /// The name of the task's own file; an earlier version wrote none.
    #[serde(default)]
    own: Option<String>,
    /// Which of the files had a former version: as many as it wrote.
    former: Vec<bool>,
}

impl Journal {
    fn logs(&self) -> Logs {
        Logs { archive: self.archive.clone(), own: self.own.clone() }
    }
}

/// How an action is to be committed.
#[derive(Debug)]
pub(crate) struct CommitPlan<'a> {
    /// The first line of the message.
    pub(crate) subject: &'a str,
    pub(crate) config: &'a FlowGit,
    /// Which files are added.
    pub(crate) strategy: AddStrategy,
    /// What is not added all the same, relative to the project.
    pub(crate) left_out: &'a [PathBuf],
    /// The state's files as they were read.
    pub(crate) seen: &'a SeenFiles,
}

/// The right to act in a repository, after everything that a kill had left undone was brought to an end.
#[derive(Debug)]
pub(crate) struct ActionGuard {
    _lock: ActionLock,
    folder: ExternalDir,
    /// The commit of a killed action that was brought to its end.
    pub(crate) recovered: Option<String>,
}

impl ActionGuard {
    /// Waits for other actions to end, for at most `wait`. The repository is the one of before, as it is now.
    pub(crate) fn enter(
        repository: &mut Repository,
        purpose: &str,
        wait: Duration,
    ) -> Result<Self, FlowError> {
        let folder = ExternalDir::below(&repository.git_dir, &[AIDE])?;
        let lock = folder.action_lock(ACTION_LOCK, wait, purpose)?;
        let held = lock.file().map_err(not_started)?;
        // The previous holder may have committed meanwhile.
        *repository = Repository::open(&repository.root)?;
        repository.hold(held);
        let mut guard = Self { _lock: lock, folder, recovered: None };
        guard.sweep();
        if guard.recover(repository)? {
            let held = guard._lock.file().map_err(not_started)?;
            *repository = Repository::open(&repository.root)?;
            repository.hold(held);
        }
        Ok(guard)
    }

    /// Removes partial files that killed actions have left. The holder of the lock is alone here.
    fn sweep(&self) {
        let names = self.folder.names().unwrap_or_default();
        for name in names.iter().filter(|name| name.starts_with(".aide-") && name.ends_with(".tmp")) {
            // Nothing depends on it.
            let _ = self.folder.remove(name);
        }
    }

    /// Records `status`, which has a new entry, and `former` as an earlier task. The commit that was made, if one was.
    pub(crate) fn record(
        &self,
        repository: &Repository,
        files: &FlowFiles,
        status: &FlowStatus,
        former: Option<&FlowStatus>,
        plan: &CommitPlan<'_>,
    ) -> Result<Option<String>, FlowError> {
        let staged = files.prepare(status, former)?;
        let step = step_name(&status.task_id, status.current_step);
        let former = files.former(&staged.logs, plan.seen)?;
        let journal = Journal {
            about: "aide flow is committing; the next aide flow command removes this when it was killed"
                .to_owned(),
            pid: std::process::id(),
            step: step.clone(),
            root: repository.root.clone(),
            prefix: repository.prefix.clone(),
            head: repository.head.clone(),
            archive: staged.logs.archive.clone(),
            own: staged.logs.own.clone(),
            former: vec![former.status.is_some(), former.archive.is_some(), former.own.is_some()],
        };
        files.stage(&staged)?;
        let mut bytes =
            serde_json::to_vec_pretty(&journal).map_err(|error| self.io(JOURNAL, error.into()))?;
        bytes.push(b'\n');
        let committed = self
            .keep(&former)
            .and_then(|()| self.folder.create(JOURNAL, &bytes))
            .map_err(FlowError::from)
            .and_then(|_| self.lock_index(repository, &bytes).map_err(FlowError::from))
            .and_then(|()| self.commit(repository, files, &staged, &step, plan));
        // A hook may have removed folders, too.
        let project = Project::at(&repository.root).map_err(|source| self.io(JOURNAL, source))?;
        let files = &project.flow()?;
        let commit = match committed {
            Ok(commit) => commit,
            // What came after the commit may have failed, or git was interrupted in it.
            Err(error) => match self.made(repository, &journal)? {
                Some(commit) => Some(commit),
                None => {
                    self.abandon(repository, files, &former, &journal, &bytes)?;
                    return Err(error);
                }
            },
        };
        // Before the copy of the index is gone, by which a commit without a trailer is known.
        commit_lookup::note(&self.folder, &journal.prefix, step, commit.as_deref());
        files.ensure(status, &staged)?;
        self.complete(repository, files, &journal, &bytes)?;
        Ok(commit)
    }

    /// Copies what is about to be replaced.
    fn keep(&self, former: &FormerState) -> Result<(), FileError> {
        for (name, bytes) in FORMER.iter().zip([&former.status, &former.archive, &former.own]) {
            self.folder.remove(name)?;
            if let Some(bytes) = bytes {
                self.folder.create(name, bytes)?;
            }
        }
        Ok(())
    }

    /// Commits what is to be committed, by way of a copy of the index. `None` when there is nothing.
    fn commit(
        &self,
        repository: &Repository,
        files: &FlowFiles,
        staged: &StagedState,
        step: &str,
        plan: &CommitPlan<'_>,
    ) -> Result<Option<String>, FlowError> {
        let CommitPlan { subject, config, strategy, left_out, .. } = *plan;
        let index = self.folder.path_of(INDEX);
        // As of the same time: what was changed in the very second in which git wrote it is compared by content, and a
        // later time would have git believe that nothing was.
        match self.folder.copy_in(&repository.index, INDEX) {
            Ok(()) => {}
            // Before anything was ever added.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                repository.run(Some(&index), &["read-tree", "--empty"])?;
            }
            Err(error) => return Err(self.io(INDEX, error).into()),
        }
        let mut arguments: Vec<OsString> = match strategy {
            AddStrategy::All => ["add", "-A", "--", ".", STAGED].map(OsString::from).into(),
            AddStrategy::Tracked => ["add", "-u", "--", "."].map(OsString::from).into(),
            AddStrategy::Staged => Vec::new(),
        };
        arguments.extend(left_out.iter().map(|path| {
            let mut without = OsString::from(":(exclude,literal)");
            without.push(path);
            without
        }));
        if !arguments.is_empty()
            && let Err(error) = repository.run(Some(&index), &arguments)
            // Git minds that none of the files is tracked.
            && (strategy != AddStrategy::Tracked || !repository.list(&["ls-files", "-z"])?.is_empty())
        {
            return Err(error.into());
        }
        let mut is_recorded = false;
        for name in staged.logs.names() {
            is_recorded |= self.add_staged(repository, &index, &flow_archive_path(name))?;
        }
        is_recorded |= self.release(repository, &index, is_recorded, strategy)?;
        files.set_aside(&staged.logs)?;
        files.publish(&staged.logs)?;
        let is_changed =
            || Ok::<_, GitError>(!repository.says(Some(&index), &["diff", "--cached", "--quiet"])?);
        if !is_recorded && !config.allow_empty_commit && !is_changed()? {
            return Ok(None);
        }
        let trailer = format!("{STEP_TRAILER}: {step}");
        // The message is UTF-8, whatever others write.
        let mut arguments = vec!["-c", "i18n.commitEncoding=UTF-8", "commit", "-q", "--cleanup=whitespace"];
        arguments.extend(["-m", subject, "-m", &trailer]);
        if config.allow_empty_commit {
            arguments.push("--allow-empty");
        }
        // In the user's own language: his hooks may speak it.
        let mut command = repository.command(Some(&index)).map_err(not_started)?;
        command.args(&arguments);
        // What a hook has left running may hold its streams for ever.
        let ended = repository.ended_by(Program::new(command)).run();
        let ended = ended.map_err(|error| not_started(error.into()))?;
        if !ended.status.success() && !ended.awaited.is_empty() {
            let command = "git commit".to_owned();
            return Err(GitError::Interrupted { command, programs: ended.awaited }.into());
        }
        if !ended.status.success() {
            return Err(refused(repository, last_words(&ended.output)).into());
        }
        let head = repository.ask(&["rev-parse", "-q", "--verify", "HEAD"])?;
        Ok(head)
    }

    /// Takes what belongs to this checkout out of `index`, where an earlier version has put it; who does not have it ignored
    /// keeps it there. True when the state itself is recorded.
    fn release(
        &self,
        repository: &Repository,
        index: &Path,
        is_recorded: bool,
        strategy: AddStrategy,
    ) -> Result<bool, GitError> {
        let (status, pending) = (flow_status_path(), pending_path());
        let list = ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard", "--", &status, &pending];
        let output = repository.output(Some(index), &list)?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut paths: Vec<&str> = text.split('\0').filter(|path| !path.is_empty()).collect();
        let is_released = is_recorded && paths.contains(&&*status);
        let is_own_file = |path: &&str| *path == status && is_released;
        paths.retain(|path| is_own_file(path) || *path == pending && strategy != AddStrategy::Staged);
        if !paths.is_empty() {
            let mut arguments = vec!["update-index", "--force-remove", "--"];
            arguments.extend(paths);
            repository.run(Some(index), &arguments)?;
        }
        if is_released { Ok(true) } else { self.add_staged(repository, index, &status) }
    }

    /// Puts the file that is staged beside `path` into `index` under the name `path`; false when it is to stay out of git.
    fn add_staged(&self, repository: &Repository, index: &Path, path: &str) -> Result<bool, GitError> {
        // Says no to what is ignored but tracked all the same.
        if repository.says(Some(index), &["check-ignore", "-q", "--", path])? {
            return Ok(false);
        }
        let hash = repository.ask(&[
            "hash-object",
            "-w",
            &format!("--path={path}"),
            "--",
            &format!("{path}.tmp"),
        ])?;
        let Some(hash) = hash else {
            return Err(GitError::Failed { command: "git hash-object".to_owned(), words: path.to_owned() });
        };
        // This one path counts from the top of the work tree.
        let entry = format!("100644,{hash},{}{path}", repository.prefix);
        repository.run(Some(index), &["update-index", "--add", "--cacheinfo", &entry])?;
        Ok(true)
    }

    /// Step 6 of the transaction; what of it is done already is passed over.
    fn complete(
        &self,
        repository: &Repository,
        files: &FlowFiles,
        journal: &Journal,
        bytes: &[u8],
    ) -> Result<(), FlowError> {
        let logs = journal.logs();
        files.publish(&logs)?;
        files.settle(&logs)?;
        let index = self.folder.path_of(INDEX);
        if index.exists() {
            self.add_changed(repository, &index, &logs)?;
            if is_lock(&index_lock(repository), bytes) {
                self.folder.move_out(INDEX, &repository.index).map_err(|error| self.io(INDEX, error))?;
            } else {
                // Another process has removed the lock and continued; its index is newer, but does not know this commit.
                let before = match &journal.head {
                    Some(before) => Some(before.clone()),
                    None => repository.ask(&["hash-object", "-t", "tree", "/dev/null"])?,
                };
                // What was put there since stays, unless the commit has another version of it.
                let merge = ["read-tree", "-i", "-m", &before.unwrap_or_default(), "HEAD"];
                if !repository.output(None, &merge)?.status.success() {
                    repository.run(None, &["reset", "-q"])?;
                }
            }
        }
        self.clear(repository, bytes)
    }

    /// Updates `index` where it has another version of the state's files: after the commit, a hook or we may have written them.
    fn add_changed(&self, repository: &Repository, index: &Path, logs: &Logs) -> Result<(), GitError> {
        let mut list: Vec<_> = ["ls-files", "-z", "--modified", "--"].map(str::to_owned).into();
        // The id of a task may have a `*` in it.
        let paths = logs.names().map(flow_archive_path).chain([flow_status_path()]);
        list.extend(paths.map(|path| format!(":(literal){path}")));
        let output = repository.output(Some(index), &list)?;
        // Only those that it knows: it reads a large file before it refuses it.
        let text = String::from_utf8_lossy(&output.stdout);
        let changed = text.split('\0').filter(|path| !path.is_empty());
        let mut arguments = vec!["update-index", "--"];
        arguments.extend(changed);
        if arguments.len() > 2 {
            // A file may be gone again.
            let _ = repository.output(Some(index), &arguments)?;
        }
        Ok(())
    }

    /// Puts back what was replaced, and forgets what was prepared.
    fn abandon(
        &self,
        repository: &Repository,
        files: &FlowFiles,
        former: &FormerState,
        journal: &Journal,
        bytes: &[u8],
    ) -> Result<(), FlowError> {
        files.restore(former, &journal.logs())?;
        self.clear(repository, bytes)
    }

    /// Removes the copy of the index, the lock of the index, the journal, and last what the journal needs.
    fn clear(&self, repository: &Repository, journal: &[u8]) -> Result<(), FlowError> {
        self.folder.remove(INDEX)?;
        self.folder.remove(&format!("{INDEX}.lock"))?;
        let lock = index_lock(repository);
        if is_lock(&lock, journal) {
            fs::remove_file(&lock).map_err(|source| GitError::Io { path: lock, source })?;
        }
        self.folder.remove(JOURNAL)?;
        for name in FORMER {
            self.folder.remove(name)?;
        }
        Ok(())
    }

    /// Keeps every other git from the index. Polls while one is at work: its lock is a mere file, whose removal sends no
    /// notification.
    fn lock_index(&self, repository: &Repository, journal: &[u8]) -> Result<(), GitError> {
        let lock = index_lock(repository);
        let deadline = Instant::now() + LOCK_TIMEOUT;
        loop {
            match self.folder.link_out(JOURNAL, journal, &lock) {
                Ok(true) => return Ok(()),
                Err(source) => return Err(GitError::Io { path: lock, source }),
                Ok(false) if Instant::now() < deadline => thread::sleep(PAUSE),
                Ok(false) => return Err(GitError::IndexLocked { path: lock }),
            }
        }
    }

    /// Brings to an end what a killed action has left; true when there was something.
    fn recover(&mut self, repository: &Repository) -> Result<bool, FlowError> {
        let Some(bytes) = self.folder.read(JOURNAL, JOURNAL_LIMIT)? else {
            return Ok(false);
        };
        // It has its name only since all of it was on the disk.
        let journal: Journal =
            serde_json::from_slice(&bytes).map_err(|error| self.io(JOURNAL, error.into()))?;
        unlock_branch(repository, &self.folder.path_of(JOURNAL));
        // The project may have been removed since; its commit stays.
        let project = Project::at(&journal.root);
        let files = match project.ok().map(|project| project.flow()) {
            Some(Ok(files)) => files,
            _ => {
                self.clear(repository, &bytes)?;
                return Ok(true);
            }
        };
        match self.made(repository, &journal)? {
            Some(commit) => {
                commit_lookup::note(&self.folder, &journal.prefix, journal.step.clone(), Some(&commit));
                self.complete(repository, &files, &journal, &bytes)?;
                self.recovered = Some(commit);
            }
            None => {
                let former = kept(&self.folder, &journal)?;
                self.abandon(repository, &files, &former, &journal, &bytes)?;
            }
        }
        Ok(true)
    }

    /// The commit that `journal` announces, if it was made.
    fn made(&self, repository: &Repository, journal: &Journal) -> Result<Option<String>, GitError> {
        let head = repository.ask(&["rev-parse", "-q", "--verify", "HEAD"])?;
        if head.is_none() || head == journal.head {
            return Ok(None);
        }
        let range =
            journal.head.as_ref().map_or_else(|| "HEAD".to_owned(), |before| format!("{before}..HEAD"));
        if let Some(commit) = commit_lookup::find(repository, &[&range], &journal.step)? {
            return Ok(Some(commit));
        }
        // A hook may have rewritten its message; its files are those of the copy.
        let index = self.folder.path_of(INDEX);
        if !index.exists() {
            return Ok(None);
        }
        let tree = repository.output(Some(&index), &["write-tree"])?;
        let commits = repository.run(None, &["log", "--no-show-signature", "--format=%T %H", &range])?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        let (tree, commits) = (text(&tree.stdout), text(&commits.stdout));
        let found = commits.lines().filter_map(|line| line.split_once(' ')).find(|(found, _)| *found == tree);
        Ok(found.map(|(_, commit)| commit.to_owned()))
    }

    fn io(&self, name: &str, source: io::Error) -> GitError {
        GitError::Io { path: self.folder.path_of(name), source }
    }
}

/// What `journal` says was replaced.
fn kept(folder: &ExternalDir, journal: &Journal) -> Result<FormerState, FileError> {
    let read = |at: usize| match FORMER.get(at) {
        Some(name) if journal.former.get(at) == Some(&true) => {
            // It was there before the journal was, and stays as long as that.
            let bytes = folder.read(name, FORMER_LIMIT)?.ok_or_else(|| folder.missing(name))?;
            Ok(Some(Arc::new(bytes)))
        }
        _ => Ok(None),
    };
    Ok(FormerState { status: read(0)?, archive: read(1)?, own: read(2)? })
}

/// The state of the project, by the bytes of its file, as it is as long as an action is not done: `None` when nothing is
/// under way here.
pub(crate) fn former(repository: &Repository) -> Option<FormerState> {
    let folder = ExternalDir::named(&repository.git_dir.join(AIDE)).ok()?;
    let bytes = folder.read(JOURNAL, JOURNAL_LIMIT).ok()??;
    let journal: Journal = serde_json::from_slice(&bytes).ok()?;
    if journal.root != repository.root { None } else { kept(&folder, &journal).ok() }
}

/// Git's lock of the index.
fn index_lock(repository: &Repository) -> PathBuf {
    let mut lock = repository.index.clone().into_os_string();
    lock.push(".lock");
    lock.into()
}

/// Whether the lock of the index is ours.
fn is_lock(lock: &Path, journal: &[u8]) -> bool {
    fs::read(lock).is_ok_and(|found| found == journal)
}

/// Removes the locks that a killed git has left on the branch, or while it ended its commit. No git of ours runs any more, for it
/// would hold the lock of the action; and no other git still holds a lock that it took before the journal was written. A lock
/// that is made in the meantime is another one, and stays.
fn unlock_branch(repository: &Repository, journal: &Path) {
    let packed = repository.common_dir.join("packed-refs.lock");
    // After the branch, `git commit` removes the reference that an earlier merge may have left, wherever it is kept.
    let mut locks = vec![
        repository.git_dir.join("HEAD.lock"),
        repository.git_dir.join("AUTO_MERGE.lock"),
        packed.clone(),
    ];
    locks.extend(repository.tables().map(|tables| tables.join("tables.list.lock")));
    if let Some(branch) = &repository.branch {
        locks.push(repository.common_dir.join(format!("{branch}.lock")));
    }
    let Ok(begun) = fs::metadata(journal).and_then(|journal| journal.modified()) else { return };
    let identity = |lock: &Path| {
        let found = fs::metadata(lock).ok()?;
        Some((found.dev(), found.ino(), found.modified().ok()?))
    };
    let mut locks: Vec<_> =
        locks.into_iter().filter_map(|lock| identity(&lock).map(|identity| (lock, identity))).collect();
    locks.retain(|(_, (_, _, modified))| *modified >= begun);
    let since = Instant::now();
    while !locks.is_empty() {
        locks.retain(|(lock, seen)| {
            let is_there = identity(lock).as_ref() == Some(seen);
            let patience = if *lock == packed { PACKING } else { ABANDONED };
            if is_there && since.elapsed() >= patience {
                // If it stays, git says so.
                let _ = fs::remove_file(lock);
                return false;
            }
            is_there
        });
        if !locks.is_empty() {
            thread::sleep(PAUSE);
        }
    }
}

/// Why `git commit` refused, as far as it can be told.
fn refused(repository: &Repository, words: String) -> GitError {
    let knows = |variable| repository.ask(&["var", variable]).ok().flatten().is_some();
    if knows("GIT_AUTHOR_IDENT") && knows("GIT_COMMITTER_IDENT") {
        return GitError::Failed { command: "git commit".to_owned(), words };
    }
    GitError::NoIdentity { words }
}
