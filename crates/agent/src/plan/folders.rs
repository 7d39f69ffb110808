//! The two folders that plans lie in (contract/plans §2): `agents/` with what agents tell one another, and `system_runtime/` with
//! what the system knows, which no agent reads or writes.

use super::PlanError;
use super::documents::{ACTIVE_DAG_REF, TASK_DAG};
use super::observe::PLAN_STATUS;
use crate::human::GATEWAY;
use files::{ActionLock, ActionLockError, Dir, FileError, FileType, Lock, durable, json};
use protocol::agent::{Format, Id};
use std::collections::BTreeSet;
use std::path::Path;

/// What the system's own folder is called, below a project's `.aide/`.
pub const RUNTIME: &str = "system_runtime";
const ROUTER_LOCK: &str = "router.lock";
const GITIGNORE: &str = ".gitignore";
/// Everything in there is made while plans are carried out.
const IGNORE_TEXT: &str = "*\n";
/// Of agents, git sees what they are, and not what they tell one another.
const AGENTS_IGNORE_TEXT: &str = "\
/*/inbox/
/*/outbox/
/*/workspace/
/*/logs/
/*/.runtime/
/*/status_heartbeat.json
*.tmp
";

/// The folders of the agents and of the system.
#[derive(Debug)]
pub struct Folders {
    pub(crate) agents: Dir,
    pub(super) runtime: Dir,
}

impl Folders {
    /// Opens both. The folder of the agents must exist, the folder of the system is created.
    ///
    /// # Errors
    ///
    /// When there is no folder of agents, and whatever the disk says.
    pub fn open(agents: &Path, runtime: &Path) -> Result<Self, PlanError> {
        let folders = Self { agents: existing(agents)?, runtime: Dir::ensure(runtime)? };
        for (dir, text) in [(&folders.runtime, IGNORE_TEXT), (&folders.agents, AGENTS_IGNORE_TEXT)] {
            if dir.kind(GITIGNORE)?.is_none() {
                durable::publish_once(&folders.lock()?, dir, GITIGNORE, text.as_bytes())?;
            }
        }
        Ok(folders)
    }

    /// Makes the folder by which people are asked, for a program that asks them. Where something else has its name, it stays,
    /// and requests wait with an alert.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn ensure_gateway(&self) -> Result<(), FileError> {
        if self.agents.kind(GATEWAY)?.is_none() {
            self.agents.ensure_folder(GATEWAY)?;
        }
        Ok(())
    }

    /// Where the agents are.
    pub fn agents_path(&self) -> &Path {
        self.agents.path()
    }

    /// Opens both to look at them, and makes nothing; `None` if the system has no folder yet, so that it knows of no plan.
    ///
    /// # Errors
    ///
    /// When there is no folder of agents, and whatever the disk says.
    pub fn look(agents: &Path, runtime: &Path) -> Result<Option<Self>, PlanError> {
        let agents = existing(agents)?;
        match existing(runtime) {
            Ok(runtime) => Ok(Some(Self { agents, runtime })),
            Err(PlanError::Missing { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Keeps others from writing in the system's folder, for as long as a few writes take.
    pub(crate) fn lock(&self) -> Result<Lock, FileError> {
        Lock::take(&self.runtime)
    }

    /// Keeps others from routing, for as long as it is held.
    pub(super) fn route(&self, purpose: &str) -> Result<ActionLock, PlanError> {
        ActionLock::take(&self.runtime, ROUTER_LOCK, ActionLock::BRIEFLY, purpose).map_err(
            |error| match error {
                ActionLockError::Held(holder) => {
                    PlanError::Held { path: self.runtime.path().to_owned(), holder }
                }
                ActionLockError::File(error) => error.into(),
            },
        )
    }

    /// The agents that have a folder.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn agents(&self) -> Result<BTreeSet<Id>, FileError> {
        folders_in(&self.agents)
    }

    /// The plans that were activated. A command that is executed by hand makes folders as well, and no plan.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn plans(&self) -> Result<BTreeSet<Id>, FileError> {
        let mut plans = BTreeSet::new();
        let Some(known) = self.runtime.folder("plans")? else { return Ok(plans) };
        for plan in folders_in(&known)? {
            if let Some(folder) = known.folder(plan.as_str())?
                && is_activated(&folder)?
            {
                plans.insert(plan);
            }
        }
        Ok(plans)
    }

    /// Every name under which something lies: the plans, and what agents were given by hand.
    pub(super) fn all_names(&self) -> Result<BTreeSet<Id>, FileError> {
        let mut plans = match self.runtime.folder("plans")? {
            Some(known) => folders_in(&known)?,
            None => BTreeSet::new(),
        };
        for agent in self.agents()? {
            // A broken folder of one agent does not stop the others.
            if let Ok(Some(outbox)) = self.agents.folder_at([agent.as_str(), "outbox"]) {
                plans.extend(folders_in(&outbox)?);
            }
        }
        Ok(plans)
    }

    /// What the system knows of a plan; `None` if that is nothing.
    pub(super) fn plan(&self, plan: &Id) -> Result<Option<Dir>, FileError> {
        self.runtime.folder_at(["plans", plan.as_str()])
    }

    /// A folder of the system about a plan, which is made if it is not there.
    pub(super) fn ensure<'n>(&self, way: impl IntoIterator<Item = &'n str>) -> Result<Dir, FileError> {
        self.runtime.ensure_folders(way)
    }

    /// The outbox of an agent for a plan; `None` if there is none.
    pub(super) fn outbox(&self, agent: &Id, plan: &Id) -> Result<Option<Dir>, FileError> {
        self.agents.folder_at([agent.as_str(), "outbox", plan.as_str()])
    }

    /// The inbox of an agent for a plan, which is made if it is not there.
    pub(super) fn inbox(&self, agent: &Id, plan: &Id) -> Result<Dir, FileError> {
        self.agents.ensure_folders([agent.as_str(), "inbox", plan.as_str()])
    }
}

/// Whether the system's folder of a plan is one of a plan that was activated: something names its DAG, there is
/// one, or how it stood is written down.
pub(super) fn is_activated(plan: &Dir) -> Result<bool, FileError> {
    for name in [ACTIVE_DAG_REF, TASK_DAG, PLAN_STATUS] {
        if plan.kind(name)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the agents that have a folder in `agents`, without making anything.
///
/// # Errors
///
/// When there is no such folder, and whatever the disk says.
pub fn agents_in(agents: &Path) -> Result<BTreeSet<Id>, PlanError> {
    Ok(folders_in(&existing(agents)?)?)
}

/// Returns the names in `agents` that could be agents and are files.
///
/// # Errors
///
/// When there is no such folder, and whatever the disk says.
pub fn misplaced_in(agents: &Path) -> Result<BTreeSet<Id>, PlanError> {
    let entries = existing(agents)?.entries()?.into_iter();
    let files = entries.filter(|(_, kind)| *kind != FileType::Directory);
    Ok(files.filter_map(|(name, _)| name.parse().ok()).collect())
}

/// Opens a folder that must be there.
pub(super) fn existing(path: &Path) -> Result<Dir, PlanError> {
    match Dir::open(path) {
        Err(FileError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            Err(PlanError::Missing { path: path.to_owned() })
        }
        Err(FileError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotADirectory => {
            Err(FileError::NotAFolder { path: path.to_owned() }.into())
        }
        dir => Ok(dir?),
    }
}

fn folders_in(dir: &Dir) -> Result<BTreeSet<Id>, FileError> {
    let entries = dir.entries()?.into_iter();
    let folders = entries.filter(|(_, kind)| *kind == FileType::Directory);
    Ok(folders.filter_map(|(name, _)| name.parse().ok()).collect())
}

/// Reads a document; `None` if there is none.
pub(super) fn read<T: Format>(dir: &Dir, name: &str) -> Result<Option<T>, PlanError> {
    let Some(bytes) = dir.read(name, json::MAX_JSON)? else { return Ok(None) };
    T::parse(&bytes).map(Some).map_err(|error| PlanError::Invalid { path: dir.path_of(name), error })
}
