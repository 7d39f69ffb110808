//! A folder with a project's configuration and the person's own.

use settings::ConfigFiles;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

pub(crate) struct Folder {
    _folder: TempDir,
    pub(crate) project: PathBuf,
    pub(crate) user: PathBuf,
}

impl Folder {
    /// With nothing in it but the folder that the project's file belongs in.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join(".aide")).unwrap();
        Self { project: root.join(".aide/config.toml"), user: root.join("own.toml"), _folder: folder }
    }

    pub(crate) fn with(project: &str, user: &str) -> Self {
        let folder = Self::new();
        fs::write(&folder.project, project).unwrap();
        fs::write(&folder.user, user).unwrap();
        folder
    }

    /// Both files, to be read anew.
    pub(crate) fn files(&self) -> ConfigFiles {
        ConfigFiles::new(Some(self.project.clone()), Some(self.user.clone()))
    }
}
