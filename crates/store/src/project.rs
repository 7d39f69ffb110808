//! Where a project is.

use crate::layout::{AIDE, CONFIG, DECISIONS};
use crate::{Decisions, EditConfigError, Excerpt, FlowFiles, SourceFile, StoreError, format};
use files::{Dir, Lock};
use settings::{ConfigChange, ConfigEdit, ConfigFiles};
use std::io;
use std::path::{Path, PathBuf};

/// A project, known by its root folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    root: PathBuf,
}

impl Project {
    /// The project that `cwd` is in: `cwd` itself when it has an `.aide/`, so that a parent never takes it over;
    /// else the nearest folder upwards with a task in progress, else the nearest with a configuration, else `cwd`.
    ///
    /// # Errors
    ///
    /// When `cwd` cannot be resolved.
    pub fn discover(cwd: &Path) -> io::Result<Self> {
        let cwd = cwd.canonicalize()?;
        if cwd.join(AIDE).is_dir() {
            return Ok(Self { root: cwd });
        }
        let with_task = cwd.ancestors().find(|folder| has_task(folder));
        let configured = || cwd.ancestors().find(|folder| folder.join(AIDE).join(CONFIG).is_file());
        let root = with_task.or_else(configured).unwrap_or(&cwd);
        Ok(Self { root: root.to_owned() })
    }

    /// The project whose root is `root`.
    ///
    /// # Errors
    ///
    /// When `root` cannot be resolved.
    pub fn at(root: &Path) -> io::Result<Self> {
        Ok(Self { root: root.canonicalize()? })
    }

    /// The root folder, absolute and without symlinks.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// That this program knows the format of what is in `.aide/`, where there is one.
    ///
    /// # Errors
    ///
    /// [`FileError::Newer`](files::FileError::Newer) when a later program has written it; else when that cannot be read.
    pub fn check_format(&self) -> Result<(), StoreError> {
        match Dir::open(&self.root)?.folder(AIDE)? {
            Some(aide) => format::check(&aide),
            None => Ok(()),
        }
    }

    /// Returns the configuration of this project, and the person's own in the file `user`, both still to be read.
    pub fn config_files(&self, user: Option<PathBuf>) -> ConfigFiles {
        ConfigFiles::new(Some(self.config_file()), user)
    }

    /// Sets or takes out a key of the configuration. One that is missing begins with the defaults, when a key is set.
    ///
    /// # Errors
    ///
    /// [`StoreError::NoAideFolder`] before `aide init`; when the file cannot be read, changed or written. It is then as
    /// it was.
    pub fn edit_config(&self, change: ConfigChange<'_>) -> Result<ConfigEdit, EditConfigError> {
        let root = Dir::open(&self.root)?;
        let aide = format::open(&root)?;
        let lock = Lock::take(&aide.ensure_folder(DECISIONS)?.ours()?)?;
        Ok(settings::edit(&aide, &lock, CONFIG, change)?)
    }

    /// The file of the configuration, whether it is there or not.
    pub fn config_file(&self) -> PathBuf {
        self.root.join(AIDE).join(CONFIG)
    }

    /// The decisions. Creates `.aide/decisions/` when it is missing, but not `.aide/`.
    ///
    /// # Errors
    ///
    /// [`StoreError::NoAideFolder`] before `aide init`; else when a folder cannot be opened or made.
    pub fn decisions(&self) -> Result<Decisions, StoreError> {
        Decisions::open(&self.root)
    }

    /// The same for commands that only read them: no existing file is changed.
    ///
    /// # Errors
    ///
    /// As [`Self::decisions`].
    pub fn look_at_decisions(&self) -> Result<Decisions, StoreError> {
        Decisions::look_at(&self.root)
    }

    /// Whether a task is in progress, as far as can be told without reading its state.
    pub fn has_task(&self) -> bool {
        has_task(&self.root)
    }

    /// The states of tasks. Creates `.aide/logs/` when it is missing, but not `.aide/`.
    ///
    /// # Errors
    ///
    /// As [`Self::decisions`].
    pub fn flow(&self) -> Result<FlowFiles, StoreError> {
        FlowFiles::open(&self.root)
    }

    /// The file `file`, when it can be shown: a UTF-8 text of at most 4 MiB inside the project, reached without any
    /// symlink.
    pub fn source(&self, file: &str) -> Option<SourceFile> {
        SourceFile::read(&Dir::open(&self.root).ok()?, file)
    }

    /// The bytes of the picture `file`, when it can be shown: at most [`model::MAX_PICTURE`] bytes, and reached as
    /// [`Self::source`] reaches a file. What kind of picture they are is for the caller to look at.
    pub fn picture(&self, file: &str) -> Option<Vec<u8>> {
        crate::source::read(&Dir::open(&self.root).ok()?, file, model::MAX_PICTURE)
    }

    /// The lines `location` names, when they can be shown.
    pub fn excerpt(&self, location: &model::Location) -> Option<Excerpt> {
        self.source(&location.file)?.excerpt(location.start, location.end)
    }
}

/// Whether a folder has a task: that of this checkout or, in a fresh clone, those of the branch.
fn has_task(root: &Path) -> bool {
    root.join(crate::flow_status_path()).is_file() || crate::flow::has_tasks(&root.join(AIDE))
}
