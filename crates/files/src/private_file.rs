//! A file only for its owner, at a path that a user has named, for other code to fill.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// A new file that is empty. Removed when it is dropped, unless it was kept by [`PrivateFile::sync`].
#[derive(Debug)]
pub struct PrivateFile {
    file: File,
    path: PathBuf,
    is_kept: bool,
}

/// Creates the file `path`, empty, unless something has that name.
///
/// # Errors
///
/// When something has the name, and whatever the disk says.
pub fn create(path: &Path) -> io::Result<PrivateFile> {
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    Ok(PrivateFile { file, path: path.to_owned(), is_kept: false })
}

impl PrivateFile {
    /// Makes it durable, with its name, and keeps it.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn sync(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
        self.is_kept = true;
        Ok(())
    }
}

impl Drop for PrivateFile {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = fs::remove_file(&self.path);
        }
    }
}
