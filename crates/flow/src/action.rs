//! One action, from the wish to the commit.

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
use std::path::PathBuf;
use store::{FlowFiles, Project};

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

/// Does what `request` asks for, or nothing. New files that look like secrets are committed as far as there is `consent`. A `cancellation` ends the programs of hooks, which hear no Ctrl-C: the action
/// is refused then.
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
    let checkout = files.checkout()?;
    let repository = match &exclusion {
        Exclusion::Repository(repository, _) => Some(repository),
        Exclusion::Files { .. } => None,
    };
    let latest = repository.map(commit_lookup::latest).transpose()?.flatten();
    let present = current(&files, repository, latest.as_ref(), checkout)?;
    let change = Change::new(request, phases, present.as_ref())?;

    let mut notices = Vec::new();
    if let Some(repository) = repository {
        repository.check(config.git.allow_detached)?;
    }
    let strategy = config.strategy();
    let mut changed_before = match repository {
        // Before hooks make files of their own. It is only told; git fails below if it cannot be used.
        Some(repository) if request.action == Action::Start => {
            survey::changed_before(repository, strategy).unwrap_or_default()
        }
        _ => Vec::new(),
    };
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

    let now = store::now();
    // The commit that the last entry stood for has become known.
    let present = present.map(|mut present| {
        if let Some(entry) = present.history.last_mut() {
            entry.git_commit = entry.git_commit.take().or(former_commit);
        }
        present
    });
    let (mut status, former) = match (request.action, present) {
        (Action::Start, former) => {
            let others = repository.map(commit_lookup::tasks).unwrap_or_default();
            let known = others.iter().chain(former.as_ref().map(|former| &former.task_id)).max();
            let task = files.next_task_id(known)?;
            (FlowStatus::start(task, &now, &change.to, &summary), former)
        }
        (_, None) => return Err(FlowError::NoTask),
        (action, Some(mut present)) => {
            present.record(action, &now, &change.to, &summary);
            (present, None)
        }
    };
    if let Some(former) = &former
        && phases.names().last() != Some(&former.current_phase)
    {
        let (task, phase) = (former.task_id.to_string(), former.current_phase.clone());
        notices.push(Notice::Interrupted { task, phase });
    }
    let subject = commit_subject(request.action, &change.to, &summary);
    let (mut recovered, mut left_out) = (None, Vec::new());
    let commit = match exclusion {
        Exclusion::Repository(repository, guard) => {
            recovered = guard.recovered.as_ref().map(|commit| survey::committed(&repository, commit));
            let untracked = match strategy {
                AddStrategy::All => survey::untracked(&repository)?,
                AddStrategy::Tracked | AddStrategy::Staged => Vec::new(),
            };
            let nested = nested::repositories(&repository, &untracked)?;
            let secrets = survey::withheld(&survey::secrets(&repository, &untracked), consent);
            let left = [&*nested, &*secrets].concat();
            let plan = CommitPlan { subject: &subject, config: &config.git, strategy, left_out: &left };
            let recorded = guard.record(&repository, &files, &status, former.as_ref(), &plan);
            if recorded.is_ok() {
                if !nested.is_empty() {
                    let paths = nested.iter().map(|path| path.to_string_lossy().into_owned()).collect();
                    notices.push(Notice::RepositoriesLeftOut { paths });
                }
                changed_before.retain(|path| !secrets.contains(path));
                left_out = secrets;
            }
            match recorded {
                Err(FlowError::Git(error))
                    if !config.git.required && !matches!(error, GitError::Interrupted { .. }) =>
                {
                    write(&files, &status, former.as_ref())?;
                    notices.push(Notice::NotCommitted(error));
                    None
                }
                recorded => recorded?.map(|commit| survey::committed(&repository, &commit)),
            }
        }
        Exclusion::Files { _lock, why_no_git } => {
            write(&files, &status, former.as_ref())?;
            notices.extend(why_no_git.map(Notice::NotCommitted));
            None
        }
    };
    if commit.is_none() {
        changed_before.clear();
    }
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

/// Writes the state without a commit.
fn write(files: &FlowFiles, status: &FlowStatus, former: Option<&FlowStatus>) -> Result<(), FlowError> {
    let staged = files.prepare(status, former)?;
    files.stage(&staged)?;
    files.publish(&staged.logs)?;
    Ok(())
}
