//! Where a project is.

use crate::{
    Config, ConfigChange, ConfigEdit, ConfigError, Decisions, EditError, Excerpt, FlowFiles, LangSetting,
    Layers, SourceFile, StoreError, config,
};
use files::Dir;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) const AIDE: &str = ".aide";

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
        let nearest = |file: &str| cwd.ancestors().find(|folder| folder.join(AIDE).join(file).is_file());
        let root = nearest("flow-status.json").or_else(|| nearest("config.toml")).unwrap_or(&cwd);
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

    /// The configuration; the defaults when there is no `.aide/config.toml`.
    ///
    /// # Errors
    ///
    /// When the file is there and cannot be read, is no TOML, or has a key of ours with a wrong value.
    pub fn config(&self) -> Result<Config, ConfigError> {
        config::load(&self.root)
    }

    /// The configuration beside the very text it was read from, for whoever asks whether it is trusted; an empty one
    /// without a file.
    ///
    /// # Errors
    ///
    /// As [`Self::config`].
    pub fn config_with_text(&self) -> Result<(Config, String), ConfigError> {
        config::load_with_text(&self.root)
    }

    /// The configuration, and below it the person's own in the file `user`. Either may be missing.
    ///
    /// # Errors
    ///
    /// When a file is there and cannot be read or is no TOML.
    pub fn layers(&self, user: Option<&Path>) -> Result<Layers, ConfigError> {
        Layers::read(&self.root, user)
    }

    /// Sets or takes out a key of the configuration. One that is missing begins with the defaults, when a key is set.
    ///
    /// # Errors
    ///
    /// [`StoreError::NoAideFolder`] before `aide init`; when the file cannot be read, changed or written. It is then as
    /// it was.
    pub fn edit_config(&self, change: ConfigChange<'_>) -> Result<ConfigEdit, EditError> {
        config::file::edit_project(&self.root, change)
    }

    /// The file that [`Self::config`] reads, whether it is there or not.
    pub fn config_file(&self) -> PathBuf {
        config::file(&self.root)
    }

    /// The decisions. Creates `.aide/decisions/` when it is missing, but not `.aide/`.
    ///
    /// # Errors
    ///
    /// [`StoreError::NoAideFolder`] before `aide init`; else when a folder cannot be opened or made.
    pub fn decisions(&self) -> Result<Decisions, StoreError> {
        Decisions::open(&self.root)
    }

    /// Whether a task is in progress, as far as can be told without reading its state.
    pub fn has_task(&self) -> bool {
        self.root.join(crate::flow_status_path()).is_file()
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

    /// The lines `location` names, when they can be shown.
    pub fn excerpt(&self, location: &model::Location) -> Option<Excerpt> {
        self.source(&location.file)?.excerpt(location.start, location.end)
    }
}

/// The language that `project` is configured for, or the person with the file `user`, as far as that can be read.
pub fn lang(project: Option<&Project>, user: Option<&Path>) -> Option<LangSetting> {
    config::lang(project.map(Project::root), user)
}
