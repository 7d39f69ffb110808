//! One agent's folder (contract/plans §2.1). The process that opens it is its only runtime: a lock keeps others out.

mod names;
mod plan;
mod trace;
mod unstored;

pub(crate) use names::{archive_name, artifact_name};
pub(crate) use plan::{ENVELOPE_LIMIT, KeyRecord, StoredDocument, ack_name, alert, filled, walk};
pub use plan::{Event, LogName, PlanFolder};
pub(crate) use trace::{
    InputTrace, OutputTrace, PublishedFile, PublishedMessage, RequestTrace, Trace, TraceStatus, UsedFile,
};

use unstored::UnstoredAnswers;

use files::{ActionLock, ActionLockError, Dir, FileError, Holder, Lock, durable};
use protocol::agent::{AgentProfile, Format, FormatError, HeartbeatConfig, Id};
use std::path::{Path, PathBuf};

/// What agents' folders lie in, below a project's `.aide/`.
pub const AGENTS: &str = "agents";
const RUNTIME: &str = ".runtime";
const LOCK: &str = "heartbeat.lock";
const PROFILE: &str = "agent_profile.json";
const CONFIG: &str = "heartbeat_config.json";
const GITIGNORE: &str = ".gitignore";
/// So large may a profile or a configuration be, in bytes.
const CONFIG_LIMIT: u64 = 1 << 20;

/// Users who version their agents want the agents themselves, not the messages between them.
const IGNORE_TEXT: &str = "\
# 运行时文件，不纳入版本管理。
# Files of a running agent, not to be versioned.
/inbox/
/outbox/
/workspace/
/logs/
/.runtime/
/status_heartbeat.json
/agent_state.json
*.tmp
";

/// An agent's folder, held by this process.
#[derive(Debug)]
pub struct AgentFolder {
    pub(crate) root: Dir,
    pub(crate) lock: Lock,
    /// Keeps other runtimes out.
    _runtime: ActionLock,
    id: Id,
    profile: AgentProfile,
    config: Option<HeartbeatConfig>,
    pub(crate) unstored: UnstoredAnswers,
}

/// Why an agent's folder was not opened.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// There is no such folder.
    #[error("no such folder: {}", path.display())]
    Missing {
        /// As it was named.
        path: PathBuf,
    },
    /// Another runtime has it.
    #[error("held by another program: {}", path.display())]
    Held {
        /// The folder.
        path: PathBuf,
        /// Who has it.
        holder: Holder,
    },
    /// Nothing says which agent it is, and its name can be no id.
    #[error("not the id of an agent: {name}")]
    NotAnId {
        /// Its name.
        name: String,
    },
    /// What says who the agent is, or how it works, is wrong.
    #[error("invalid: {}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: FormatError,
    },
    /// The disk refuses, or something else stands where a file or folder should.
    #[error(transparent)]
    File(#[from] FileError),
}

impl AgentFolder {
    /// Opens the folder `path` for a runtime that does `purpose`.
    ///
    /// # Errors
    ///
    /// When another runtime has it, when its files do not say who the agent is, and whatever the disk says.
    pub fn open(path: &Path, purpose: &str) -> Result<Self, FolderError> {
        let missing = |error: FileError| match error {
            FileError::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                FolderError::Missing { path: path.to_owned() }
            }
            error => error.into(),
        };
        let root = Dir::open(path).map_err(missing)?;
        let profile: Option<AgentProfile> = read(&root, PROFILE)?;
        let config: Option<HeartbeatConfig> = read(&root, CONFIG)?;
        let named = profile.as_ref().and_then(|profile| profile.agent_id.clone());
        let id = match named.or_else(|| config.as_ref().map(|config| config.agent_id.clone())) {
            Some(id) => id,
            None => id_of(path)?,
        };
        let runtime = root.ensure_folder(RUNTIME)?;
        let held =
            ActionLock::take(&runtime, LOCK, ActionLock::BRIEFLY, purpose).map_err(|error| match error {
                ActionLockError::Held(holder) => FolderError::Held { path: path.to_owned(), holder },
                ActionLockError::File(error) => error.into(),
            })?;
        let lock = Lock::take(&runtime)?;
        if root.kind(GITIGNORE)?.is_none() {
            durable::publish_once(&lock, &root, GITIGNORE, IGNORE_TEXT.as_bytes())?;
        }
        let profile = match profile {
            Some(profile) => profile,
            None => Format::from_value(&serde_json::json!({})).map_err(|problems| FolderError::Invalid {
                path: root.path_of(PROFILE),
                error: FormatError::Invalid(problems),
            })?,
        };
        Ok(Self { root, lock, _runtime: held, id, profile, config, unstored: UnstoredAnswers::default() })
    }

    /// Which agent it is.
    pub fn id(&self) -> &Id {
        &self.id
    }

    /// Who the agent is.
    pub fn profile(&self) -> &AgentProfile {
        &self.profile
    }

    /// How the agent works, if anything says so.
    pub fn config(&self) -> Option<&HeartbeatConfig> {
        self.config.as_ref()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.root.path()
    }

    /// The part of one plan, with all its folders.
    ///
    /// # Errors
    ///
    /// When something else stands where a folder should, and whatever the disk says.
    pub fn plan(&self, plan: &Id) -> Result<PlanFolder<'_>, FileError> {
        PlanFolder::open(self, plan.clone())
    }
}

/// Returns only the profile, for callers that need its provider before opening the folder.
///
/// # Errors
///
/// When the folder cannot be read, or its profile is wrong.
pub fn profile_in(path: &Path) -> Result<Option<AgentProfile>, FolderError> {
    read(&Dir::open(path)?, PROFILE)
}

fn read<T: Format>(root: &Dir, name: &str) -> Result<Option<T>, FolderError> {
    let Some(bytes) = root.read(name, CONFIG_LIMIT)? else { return Ok(None) };
    let parsed = T::parse(&bytes);
    parsed.map(Some).map_err(|error| FolderError::Invalid { path: root.path_of(name), error })
}

/// The id that a folder's own name is.
fn id_of(path: &Path) -> Result<Id, FolderError> {
    let io = |source| FolderError::File(FileError::Io { path: path.to_owned(), source });
    let resolved = path.canonicalize().map_err(io)?;
    let name = resolved.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.parse().map_err(|_| FolderError::NotAnId { name })
}

#[cfg(test)]
mod tests {
    use super::{AgentFolder, FolderError};
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn one_runtime_has_a_folder_and_the_next_is_told_who() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent_a");
        fs::create_dir(&path).unwrap();
        let held = AgentFolder::open(&path, "agent exec").unwrap();
        match AgentFolder::open(&path, "agent run") {
            Err(FolderError::Held { holder, .. }) => {
                assert_eq!((holder.pid, &*holder.purpose), (Some(std::process::id()), "agent exec"));
            }
            other => panic!("{other:?}"),
        }
        drop(held);
        AgentFolder::open(&path, "agent run").unwrap();
    }

    #[test]
    fn its_name_is_its_id_unless_its_files_say_otherwise() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent_a");
        fs::create_dir(&path).unwrap();
        assert_eq!(*AgentFolder::open(&path, "x").unwrap().id(), *"agent_a");
        let config = r#"{"schema_version":"1.0","agent_id":"agent_b","poll_interval_seconds":2}"#;
        fs::write(path.join("heartbeat_config.json"), config).unwrap();
        assert_eq!(*AgentFolder::open(&path, "x").unwrap().id(), *"agent_b");
        fs::write(path.join("agent_profile.json"), r#"{"agent_id":"agent_c","prompt":"You review."}"#)
            .unwrap();
        let opened = AgentFolder::open(&path, "x").unwrap();
        assert_eq!((&**opened.id(), opened.profile().prompt()), ("agent_c", Some("You review.")));
        drop(opened);
        fs::write(path.join("agent_profile.json"), "[]").unwrap();
        assert!(matches!(AgentFolder::open(&path, "x"), Err(FolderError::Invalid { .. })));
        let odd = folder.path().join("not an id");
        fs::create_dir(&odd).unwrap();
        assert!(matches!(AgentFolder::open(&odd, "x"), Err(FolderError::NotAnId { .. })));
        assert!(matches!(
            AgentFolder::open(&folder.path().join("nowhere"), "x"),
            Err(FolderError::Missing { .. })
        ));
    }

    #[test]
    fn git_sees_what_the_agent_is_and_not_its_traffic() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent_a");
        fs::create_dir(&path).unwrap();
        drop(AgentFolder::open(&path, "x").unwrap());
        let ignored = fs::read_to_string(path.join(".gitignore")).unwrap();
        for line in ["/inbox/", "/outbox/", "/workspace/", "/logs/", "/.runtime/"] {
            assert!(ignored.lines().any(|found| found == line), "{line}");
        }
        assert!(!ignored.contains("agent_profile"));
        fs::write(path.join(".gitignore"), "mine\n").unwrap();
        drop(AgentFolder::open(&path, "x").unwrap());
        assert_eq!(fs::read_to_string(path.join(".gitignore")).unwrap(), "mine\n");
    }

    #[test]
    fn no_symlink_is_followed_inside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent_a");
        fs::create_dir(&path).unwrap();
        symlink(folder.path(), path.join("outbox")).unwrap();
        let opened = AgentFolder::open(&path, "x").unwrap();
        assert!(opened.plan(&"plan_a".parse().unwrap()).is_err());
    }
}
