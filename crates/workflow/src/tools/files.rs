//! Files of the project, read and written.

use super::Toolbox;
use super::error::ToolError;
use super::place::place;
use crate::disks;
use ::files::{Dir, ExternalDir, FileError};
use serde_json::{Value, json};
use std::path::Path;

impl Toolbox {
    /// The folder of the project.
    pub(super) fn project(&self) -> Result<&Path, ToolError> {
        self.folder.as_deref().ok_or(ToolError::NoProject)
    }

    pub(super) fn read_file(&self, path: &str) -> Result<Value, ToolError> {
        let (name, limit) = (path.to_owned(), self.limits.read);
        let bytes = self.on_disk(move |root| read_bytes(root, &name, limit))?;
        let content = String::from_utf8(bytes).map_err(|_| ToolError::NotText)?;
        Ok(json!({ "path": path, "content": content }))
    }

    pub(super) fn write_file(&self, path: &str, content: &str) -> Result<Value, ToolError> {
        let (name, text, limit) = (path.to_owned(), content.to_owned(), self.limits.write);
        self.on_disk(move |root| write(root, &name, &text, limit))?;
        Ok(json!({ "path": path, "bytes": content.len() }))
    }

    /// Does something in the folder of the project, and gives it up if the disk does not answer: the task continues.
    fn on_disk<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Path) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let root = self.project()?.to_owned();
        let done = disks::run(&root.clone(), self.limits.file, move || work(&root));
        done.unwrap_or(Err(ToolError::TimedOut(self.limits.file)))
    }
}

fn write(root: &Path, path: &str, content: &str, limit: usize) -> Result<(), ToolError> {
    let found = place(root, path)?;
    if content.len() > limit {
        return Err(ToolError::TooLarge { limit });
    }
    let failed = |source| ToolError::File { path: path.to_owned(), source };
    let folder = ExternalDir::below(root, &found.folders).map_err(failed)?;
    folder.replace(found.name, content.as_bytes()).map_err(failed)
}

/// The bytes of a file of the project in `root`, if there are not more than `limit`.
pub(crate) fn read_bytes(root: &Path, path: &str, limit: u64) -> Result<Vec<u8>, ToolError> {
    let found = place(root, path)?;
    let failed = |source| ToolError::File { path: path.to_owned(), source };
    let folder = Dir::open(root).and_then(|root| root.folder_at(found.folders)).map_err(failed)?;
    let bytes = folder.map(|folder| folder.read(found.name, limit)).transpose();
    bytes.map_err(failed)?.flatten().ok_or_else(|| failed(missing(path)))
}

fn missing(path: &str) -> FileError {
    FileError::Io {
        path: path.into(),
        source: std::io::Error::new(std::io::ErrorKind::NotFound, "no such file"),
    }
}
