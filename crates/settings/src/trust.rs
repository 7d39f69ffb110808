//! What a person has said about a project, kept outside of it.
//!
//! A configuration comes with a repository, and a repository may be a stranger's. What could hurt is honoured only
//! after the person has seen it (`aide trust`), as with direnv: a record names the project's path and the very content,
//! so that a later change has to be seen as well.

use files::{Dir, FileError, FileType, Lock, durable};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Below the folder for state of this user's programs.
const FOLDERS: [&str; 2] = ["aide", "trust"];
/// How long a record may be, in bytes: it is a path.
const RECORD_LIMIT: u64 = 1 << 16;

/// The records of one user.
#[derive(Debug, Clone)]
pub struct Trust {
    state: PathBuf,
}

/// What is trusted, in its project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject<'a> {
    /// The configuration, byte by byte.
    Config(&'a str),
    /// The settings that a server was started with, for restarting it: they are then read from the project's folder,
    /// where a stranger could have put them.
    Server {
        /// The address.
        bind: &'a str,
        /// The link.
        url: &'a str,
        /// Whether a login is needed.
        auth: &'a str,
    },
}

impl Trust {
    /// The records below `state`, the user's folder for the state of programs (`XDG_STATE_HOME`).
    pub fn below(state: &Path) -> Self {
        Self { state: state.to_owned() }
    }

    /// Whether `subject` of the project in `root` was trusted. What cannot be read was not.
    pub fn allows(&self, root: &Path, subject: Subject<'_>) -> bool {
        let name = record_name(root, subject);
        self.open()
            .ok()
            .flatten()
            .is_some_and(|dir| matches!(dir.kind(&name), Ok(Some(FileType::RegularFile))))
    }

    /// Trusts `subject` of the project in `root` from now on.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn allow(&self, root: &Path, subject: Subject<'_>) -> Result<(), FileError> {
        let mut dir = Dir::ensure(&self.state)?;
        for folder in FOLDERS {
            dir = dir.ensure_folder(folder)?;
        }
        let lock = Lock::take(&dir)?;
        durable::publish_once(&lock, &dir, &record_name(root, subject), root.as_os_str().as_bytes())?;
        Ok(())
    }

    /// Forgets all that was trusted of the project in `root`; false when nothing was.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn revoke(&self, root: &Path) -> Result<bool, FileError> {
        let Some(dir) = self.open()? else { return Ok(false) };
        let _lock = Lock::take(&dir)?;
        let mut revoked = false;
        for name in dir.names()? {
            let is_ours = || dir.read(&name, RECORD_LIMIT).ok().flatten();
            if is_record(&name) && is_ours().is_some_and(|path| path == root.as_os_str().as_bytes()) {
                revoked |= dir.unlink(&name)?;
            }
        }
        Ok(revoked)
    }

    /// The folder, if it is there and no other user could have written into it.
    fn open(&self) -> Result<Option<Dir>, FileError> {
        let path = FOLDERS.iter().fold(self.state.clone(), |path, folder| path.join(folder));
        let dir = match Dir::open(&path) {
            Ok(dir) => dir,
            Err(FileError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        Ok(dir.is_private()?.then_some(dir))
    }
}

fn is_record(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Each part is preceded by its length, so that no two subjects have the same text.
fn record_name(root: &Path, subject: Subject<'_>) -> String {
    let parts: &[&[u8]] = match subject {
        Subject::Config(text) => &[b"config", text.as_bytes()],
        Subject::Server { bind, url, auth } => &[b"server", bind.as_bytes(), url.as_bytes(), auth.as_bytes()],
    };
    let mut digest = Sha256::new();
    for part in [root.as_os_str().as_bytes()].iter().chain(parts) {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
    let mut name = String::with_capacity(64);
    for byte in digest.finalize() {
        // Writing into a string does not fail.
        let _ = write!(name, "{byte:02x}");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::{Subject, Trust, record_name};
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    const CONFIG: Subject<'_> = Subject::Config("[decide]\nurl = \"http://x\"\n");

    #[test]
    fn a_record_is_of_one_project_and_one_content() {
        let state = tempfile::tempdir().unwrap();
        let trust = Trust::below(&state.path().join("not/there/yet"));
        let (here, there) = (Path::new("/p"), Path::new("/q"));
        assert!(!trust.allows(here, CONFIG));
        trust.allow(here, CONFIG).unwrap();
        trust.allow(here, CONFIG).unwrap();
        assert!(trust.allows(here, CONFIG));
        assert!(!trust.allows(there, CONFIG));
        assert!(!trust.allows(here, Subject::Config("[decide]\nurl = \"http://y\"\n")));
        let server = Subject::Server { bind: "0.0.0.0", url: "", auth: "auto" };
        assert!(!trust.allows(here, server));
        trust.allow(here, server).unwrap();
        trust.allow(there, CONFIG).unwrap();
        assert!(trust.revoke(here).unwrap());
        assert!(!trust.allows(here, CONFIG) && !trust.allows(here, server));
        assert!(trust.allows(there, CONFIG));
        assert!(!trust.revoke(here).unwrap());
    }

    #[test]
    fn the_parts_of_a_name_do_not_run_together() {
        let name = |bind, url| record_name(Path::new("/p"), Subject::Server { bind, url, auth: "" });
        assert_ne!(name("a", "bc"), name("ab", "c"));
        assert_eq!(name("a", "bc"), name("a", "bc"));
        assert_ne!(
            record_name(Path::new("/p"), Subject::Config("x")),
            record_name(Path::new("/px"), Subject::Config(""))
        );
    }

    #[test]
    fn s52_records_are_the_owners_alone_and_those_that_are_not_say_nothing() {
        let state = tempfile::tempdir().unwrap();
        let trust = Trust::below(&state.path().join("state"));
        trust.allow(Path::new("/p"), CONFIG).unwrap();
        let folder = state.path().join("state/aide/trust");
        for (path, mode) in [
            (state.path().join("state"), 0o700),
            (folder.clone(), 0o700),
            (folder.join(record_name(Path::new("/p"), CONFIG)), 0o600),
        ] {
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode, "{}", path.display());
        }
        // Any user could have put the record there.
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(!trust.allows(Path::new("/p"), CONFIG));
    }

    #[test]
    fn a_symlink_is_no_record() {
        let state = tempfile::tempdir().unwrap();
        let trust = Trust::below(state.path());
        trust.allow(Path::new("/q"), CONFIG).unwrap();
        let folder = state.path().join("aide/trust");
        std::os::unix::fs::symlink("/etc/passwd", folder.join(record_name(Path::new("/p"), CONFIG))).unwrap();
        assert!(!trust.allows(Path::new("/p"), CONFIG));
    }
}
