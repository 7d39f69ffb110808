//! What can go wrong with files and folders.

use std::io;
use std::path::PathBuf;

/// Why a file or a folder could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// A symlink stands where a file or folder of ours should; it was not followed.
    #[error("is a symlink: {}", path.display())]
    Symlink {
        /// The symlink.
        path: PathBuf,
    },
    /// The folder is another user's, or everybody may write to it.
    #[error("others can write to it: {}", path.display())]
    NotOurs {
        /// The folder.
        path: PathBuf,
    },
    /// Something else stands where a folder should.
    #[error("not a folder: {}", path.display())]
    NotAFolder {
        /// What stands there.
        path: PathBuf,
    },
    /// Something else stands where a regular file should.
    #[error("not a regular file: {}", path.display())]
    NotAFile {
        /// What stands there.
        path: PathBuf,
    },
    /// A file is larger than it may be, or would become so.
    #[error("larger than {limit} bytes: {}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// How large it may be, in bytes.
        limit: u64,
    },
    /// A file is not the JSON it should be.
    #[error("cannot read {file}: {message}")]
    Corrupt {
        /// The file's name within its folder.
        file: String,
        /// The parser's own words.
        message: String,
    },
    /// A merge has left both versions in a file, between its marks.
    #[error("merge conflict in {file}")]
    Conflict {
        /// The file's name within its folder, or its path from the project's root.
        file: String,
    },
    /// A file is not what it was when it was read.
    #[error("changed meanwhile: {}", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A later program has written the file or folder, in a format that this one does not know. Nothing was changed.
    #[error("{} needs aide {needs}", path.display())]
    Newer {
        /// The file or folder.
        path: PathBuf,
        /// The oldest program that reads it, such as `0.3.0`.
        needs: String,
    },
    /// Another program holds the lock, for longer than any write takes.
    #[error("held by another program: {}", path.display())]
    Busy {
        /// The lock file.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Its words.
        source: io::Error,
    },
}

impl FileError {
    /// Whether nothing can be written to this disk for now: there is no room, or it is read-only.
    pub fn is_disk_refusing(&self) -> bool {
        let Self::Io { source, .. } = self else { return false };
        refuses_writing(source)
    }
}

/// Whether the operating system says that nothing can be written for now.
pub fn refuses_writing(error: &io::Error) -> bool {
    use io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | ReadOnlyFilesystem)
}
