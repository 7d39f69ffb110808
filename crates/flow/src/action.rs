//! One action, from the wish to the commit.
//!
//! 1. **Taking the lock.** `flow::act` (`crates/flow/src/action.rs`) finds the repository (`Repository::open`) and takes the
//!    `ActionLock` in `.git/aide/` (`ActionGuard::enter`), waiting for up to `LOCK_TIMEOUT`. Every git that it starts gets the
//!    lock's file as standard input, so that a git that outlives a killed `aide` still holds the lock. If a journal exists, the
//!    interrupted action is finished first: completed if its commit was made, else discarded.
//! 2. **Checking.** `Change::new` asks `Phases` (`crates/model/src/flow`) whether the phase may follow, `Repository::check`
//!    whether a commit can be made here at all.
//! 3. **Running hooks.** `hooks::before` checks the decisions that the phase requires, the change log and PlantUML, and runs the
//!    configured programs as far as they are trusted (`flow_config` in `cli/src/trust.rs`).
//! 4. **Preparing.** The new state is staged beside the old one (`FlowFiles::stage`), the old one is copied beside the journal,
//!    and the journal is linked as `index.lock`: other git processes keep off the index, and the lock is recognisable as ours.
//!    The copy of the index gets the user's changes (`flow.git.add_strategy`, `flow.commit`) without new files that look like
//!    secrets (`secret.rs`), unless `Consent` covers them (`survey.rs`), and the new state, unless that is ignored. Then the new
//!    state replaces the old one, because the user's hooks may read it; `aide` itself still answers with the old one
//!    (`transaction::former`).
//! 5. **Committing.** `git commit` runs on the copy, with the user's hooks. The action counts from the moment the branch moves.
//!    Then the copy replaces the index, and lock and journal are removed. After a failure before that moment, the old state is
//!    restored, and everything is as before.
//! 6. **The commit of the newest entry** cannot be in the file, which is part of that commit: `commit_lookup::commit` finds it by
//!    its trailer, and the next action records it. `.git/aide/newest.json` caches the commit, or that an entry has none.

use crate::change::{Change, Request};
use crate::commit_lookup;
use crate::current::current;
use crate::error::{FlowError, GitError};
use crate::git::Repository;
use crate::hooks;
use crate::nested;
use crate::notice::Notice;
use crate::survey::{self, Consent, CreatedCommit};
use crate::transaction::{ActionGuard, CommitPlan, LOCK_TIMEOUT};
use files::ActionLock;
use model::flow::{Action, FlowStatus, Phases, Summary, commit_subject};
use process::Cancellation;
use settings::{AddStrategy, FlowConfig};
use std::mem;
use std::path::PathBuf;
use store::{FlowFiles, Project, SeenFiles};

/// What was recorded.
#[derive(Debug)]
pub struct ActionReport {
    /// The state of the task.
    pub status: FlowStatus,
    /// The commit, if one was made.
    pub commit: Option<CreatedCommit>,
    /// What was changed before the task began and is in its commit, from the project's root.
    pub changed_before: Vec<PathBuf>,
    /// New files that look like secrets and were left out of the commit, from the project's root.
    pub left_out: Vec<PathBuf>,
    /// The commit that a killed action had made.
    pub recovered: Option<CreatedCommit>,
    /// What is to be told besides.
    pub notices: Vec<Notice>,
}

/// Who keeps others from acting at the same time.
enum Exclusion {
    Repository(Repository, ActionGuard),
    Files { _lock: ActionLock, why_no_git: Option<GitError> },
}

impl Exclusion {
    fn repository(&self) -> Option<&Repository> {
        match self {
            Self::Repository(repository, _) => Some(repository),
            Self::Files { .. } => None,
        }
    }
}

/// Does what `request` asks for, or nothing. New files that look like secrets are committed as far as there is `consent`. A
/// `cancellation` ends the programs of hooks, which hear no Ctrl-C: the action is refused then.
///
/// # Errors
///
/// Why nothing was done.
pub fn act(
    project: &Project,
    config: &FlowConfig,
    request: &Request,
    consent: &Consent,
    cancellation: &Cancellation,
) -> Result<ActionReport, FlowError> {
    let files = project.flow()?;
    let summary = Summary::new(&request.summary).map_err(FlowError::Summary)?;
    let phases = Phases::new(&config.phases);
    let purpose = request.action.code();
    tracing::debug!(action = purpose, "action begins");
    let mut exclusion = exclude_others(project, &files, config, purpose)?;
    if let Exclusion::Repository(repository, _) = &mut exclusion {
        repository.cancel_by(cancellation);
    }
    let mut checkout = files.checkout_to_extend()?;
    let seen = checkout.as_mut().map(|checkout| mem::take(&mut checkout.seen)).unwrap_or_default();
    let repository = exclusion.repository();
    let latest = repository.map(commit_lookup::latest).transpose()?.flatten();
    let present = current(&files, repository, latest.as_ref(), checkout)?;
    let change = Change::new(request, phases, present.as_ref())?;

    let mut notices = Vec::new();
    if let Some(repository) = repository {
        repository.check(config.git.allow_detached)?;
    }
    let mut changed_before = changes_before(repository, config, request.action);
    let former_commit = match (repository, &present) {
        (Some(repository), Some(present)) => commit_lookup::commit_of(repository, present, latest)?,
        _ => None,
    };
    let context = hooks::HookContext {
        project,
        config,
        repository,
        status: present.as_ref(),
        newest: former_commit.as_deref(),
        change: &change,
        summary: &summary,
        cancellation,
    };
    hooks::before(&context, &mut notices)?;

    let present = with_commit(present, former_commit);
    let (mut status, former) = next_status(&files, repository, &change, &summary, present)?;
    notices.extend(former.as_ref().and_then(|former| interrupted(former, phases)));
    let subject = commit_subject(request.action, &change.to, &summary);
    let former = former.as_ref();
    let entry = Entry { files: &files, seen: &seen, config, status: &status, former, subject: &subject };
    let recorded = entry.record(exclusion, consent, &mut notices)?;
    let Recorded { commit, recovered, left_out } = recorded;
    if commit.is_none() {
        changed_before.clear();
    }
    changed_before.retain(|path| !left_out.contains(path));
    if request.action == Action::Start {
        // It was about the task before; one that stays can be cancelled.
        let _ = files.forget_back_request();
    }
    if let (Some(commit), Some(entry)) = (&commit, status.history.last_mut()) {
        entry.git_commit = Some(commit.hash.clone());
    }
    hooks::after(config, &change, &mut notices);
    Ok(ActionReport { status, commit, changed_before, left_out, recovered, notices })
}

/// Waits until no other action runs, and recovers from one that was killed.
fn exclude_others(
    project: &Project,
    files: &FlowFiles,
    config: &FlowConfig,
    purpose: &str,
) -> Result<Exclusion, FlowError> {
    let mut why_no_git = None;
    if config.git.enabled {
        match Repository::open(project.root()) {
            Ok(mut repository) => {
                let guard = ActionGuard::enter(&mut repository, purpose, LOCK_TIMEOUT)?;
                return Ok(Exclusion::Repository(repository, guard));
            }
            Err(error) if config.git.required => return Err(error.into()),
            Err(error) => why_no_git = Some(error),
        }
    }
    let _lock = files.action_lock(LOCK_TIMEOUT, purpose)?;
    Ok(Exclusion::Files { _lock, why_no_git })
}

/// Returns the files that were changed before the task began and would be in its commit.
fn changes_before(repository: Option<&Repository>, config: &FlowConfig, action: Action) -> Vec<PathBuf> {
    match repository {
        // Before hooks make files of their own. It is only told; git fails below if it cannot be used.
        Some(repository) if action == Action::Start => {
            survey::changed_before(repository, config.strategy()).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// Enters the commit of the last entry, which is known by now.
fn with_commit(present: Option<FlowStatus>, commit: Option<String>) -> Option<FlowStatus> {
    present.map(|mut present| {
        if let Some(entry) = present.history.last_mut() {
            entry.git_commit = entry.git_commit.take().or(commit);
        }
        present
    })
}

/// Returns the status after the action, and the task before it if another one begins.
fn next_status(
    files: &FlowFiles,
    repository: Option<&Repository>,
    change: &Change,
    summary: &Summary,
    present: Option<FlowStatus>,
) -> Result<(FlowStatus, Option<FlowStatus>), FlowError> {
    let now = store::now();
    match (change.action, present) {
        (Action::Start, former) => {
            let others = repository.map(commit_lookup::tasks).unwrap_or_default();
            let known = others.iter().chain(former.as_ref().map(|former| &former.task_id)).max();
            let task = files.next_task_id(known)?;
            Ok((FlowStatus::start(task, &now, &change.to, summary), former))
        }
        (_, None) => Err(FlowError::NoTask),
        (action, Some(mut present)) => {
            present.record(action, &now, &change.to, summary);
            Ok((present, None))
        }
    }
}

/// Returns the notice that a task was interrupted: another one begins, and it is not in its last phase.
fn interrupted(former: &FlowStatus, phases: Phases<'_>) -> Option<Notice> {
    if phases.names().last() == Some(&former.current_phase) {
        return None;
    }
    let (task, phase) = (former.task_id.to_string(), former.current_phase.clone());
    Some(Notice::Interrupted { task, phase })
}

/// The entry to record, and where.
struct Entry<'a> {
    files: &'a FlowFiles,
    /// The files as they were read.
    seen: &'a SeenFiles,
    config: &'a FlowConfig,
    status: &'a FlowStatus,
    former: Option<&'a FlowStatus>,
    /// The first line of the commit message.
    subject: &'a str,
}

/// The result of recording an entry.
#[derive(Default)]
struct Recorded {
    commit: Option<CreatedCommit>,
    recovered: Option<CreatedCommit>,
    left_out: Vec<PathBuf>,
}

impl Entry<'_> {
    /// Commits the entry, or only writes it where there is no repository.
    fn record(
        &self,
        exclusion: Exclusion,
        consent: &Consent,
        notices: &mut Vec<Notice>,
    ) -> Result<Recorded, FlowError> {
        match exclusion {
            Exclusion::Repository(repository, guard) => self.commit(&repository, &guard, consent, notices),
            Exclusion::Files { _lock, why_no_git } => {
                self.write()?;
                notices.extend(why_no_git.map(Notice::NotCommitted));
                Ok(Recorded::default())
            }
        }
    }

    /// Commits the entry. If git fails and is not required, the entry is only written.
    fn commit(
        &self,
        repository: &Repository,
        guard: &ActionGuard,
        consent: &Consent,
        notices: &mut Vec<Notice>,
    ) -> Result<Recorded, FlowError> {
        let recovered = guard.recovered.as_ref().map(|commit| survey::committed(repository, commit));
        let strategy = self.config.strategy();
        let untracked = match strategy {
            AddStrategy::All => survey::untracked(repository)?,
            AddStrategy::Tracked | AddStrategy::Staged => Vec::new(),
        };
        let nested = nested::repositories(repository, &untracked)?;
        let secrets = survey::withheld(&survey::secrets(repository, &untracked), consent);
        let left = [&*nested, &*secrets].concat();
        let (subject, seen) = (self.subject, self.seen);
        let plan = CommitPlan { subject, config: &self.config.git, strategy, left_out: &left, seen };
        match guard.record(repository, self.files, self.status, self.former, &plan) {
            Ok(commit) => {
                if !nested.is_empty() {
                    let paths = nested.iter().map(|path| path.to_string_lossy().into_owned()).collect();
                    notices.push(Notice::RepositoriesLeftOut { paths });
                }
                let commit = commit.map(|commit| survey::committed(repository, &commit));
                Ok(Recorded { commit, recovered, left_out: secrets })
            }
            Err(FlowError::Git(error))
                if !self.config.git.required && !matches!(error, GitError::Interrupted { .. }) =>
            {
                self.write()?;
                notices.push(Notice::NotCommitted(error));
                Ok(Recorded { commit: None, recovered, left_out: Vec::new() })
            }
            Err(error) => Err(error),
        }
    }

    /// Writes the state without a commit.
    fn write(&self) -> Result<(), FlowError> {
        let staged = self.files.prepare(self.status, self.former)?;
        self.files.stage(&staged)?;
        self.files.publish(&staged.logs)?;
        Ok(())
    }
}
