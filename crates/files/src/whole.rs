//! Removing what is no longer wanted, as a whole.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Removes a file, a link, or a folder with all that is in it. No link is followed. Where nothing is, nothing is done.
///
/// # Errors
///
/// Whatever the disk says; some of a folder may be gone by then.
pub fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Removes a folder in which nothing is. A link to a folder stays.
///
/// # Errors
///
/// Whatever the disk says.
pub fn remove_if_empty(folder: &Path) -> io::Result<()> {
    let is_folder = fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir());
    if is_folder && fs::read_dir(folder)?.next().is_none() {
        fs::remove_dir(folder)?;
    }
    Ok(())
}

/// How much a file is, or all files in a folder, in bytes. What cannot be read counts nothing.
pub fn size(path: &Path) -> u64 {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => {
            fs::read_dir(path).into_iter().flatten().flatten().map(|entry| size(&entry.path())).sum()
        }
        Ok(found) => found.len(),
        Err(_) => 0,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]
mod tests {
    use super::{remove, remove_if_empty, size};
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_link_is_removed_and_what_it_leads_to_stays() {
        let root = tempfile::tempdir().unwrap();
        let [folder, link, file] = ["folder", "link", "folder/file"].map(|name| root.path().join(name));
        fs::create_dir(&folder).unwrap();
        fs::write(&file, "four").unwrap();
        symlink(&folder, &link).unwrap();
        assert_eq!((size(&folder), size(&root.path().join("none"))), (4, 0));
        remove_if_empty(&link).unwrap();
        remove_if_empty(&folder).unwrap();
        assert!(link.is_symlink() && file.exists());
        remove(&link).unwrap();
        assert!(!link.is_symlink() && file.exists());
        remove(&file).unwrap();
        remove_if_empty(&folder).unwrap();
        assert!(!folder.exists());
        remove(&folder).unwrap();
    }
}
