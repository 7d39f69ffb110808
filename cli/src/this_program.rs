//! This program: where its file is, and what a process of it that is started does not get.

use crate::failure::Failure;
use crate::messages::{Message, SetupMessage};
use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// Keeps what this process was started with from the processes that it starts from now on: a descriptor of the caller's, such
/// as a lock of `flock`, would stay open until the server in the background ends.
pub(crate) fn keep_descriptors() {
    close_fds::set_fds_cloexec_threadsafe(3, &[]);
}

/// Where this program is. An upgrade may have put another one in its place while this one runs; Linux still has it then,
/// elsewhere it is the other one that is started.
pub(crate) fn executable() -> io::Result<PathBuf> {
    let named = current_program()?;
    let is_gone = !named.exists();
    Ok(if is_gone && cfg!(target_os = "linux") { PathBuf::from("/proc/self/exe") } else { named })
}

/// The file of this program, be it there or not. Where the system does not say, as in a container without `/proc`, it is what this
/// process was called by.
fn current_program() -> io::Result<PathBuf> {
    env::current_exe().or_else(|error| {
        let called = env::args_os().next().map(PathBuf::from);
        let found =
            called.and_then(|called| found_by(&called, &env::current_dir().ok()?, env::var_os("PATH")));
        found.ok_or(error)
    })
}

/// The program that a shell in `folder` finds by a name or a path, with `search` as its `PATH`.
pub(crate) fn found_by(called: &Path, folder: &Path, search: Option<OsString>) -> Option<PathBuf> {
    let is_name = called.components().count() == 1 && !called.is_absolute();
    let places: Vec<PathBuf> = match search {
        Some(search) if is_name => env::split_paths(&search).collect(),
        _ if is_name => Vec::new(),
        _ => vec![PathBuf::new()],
    };
    places.iter().map(|place| folder.join(place).join(called)).find(|program| program.is_file())
}

/// The file of this program, for what names it beyond the end of this process.
///
/// # Errors
///
/// When it is not known, or is there no longer.
pub(crate) fn file() -> Result<PathBuf, Failure> {
    let path = current_program().unwrap_or_default();
    if path.is_file() { Ok(path) } else { Err(gone(path)) }
}

/// That others cannot start this program.
pub(crate) fn gone(path: PathBuf) -> Failure {
    let what = Message::setup(SetupMessage::ProgramGone { path });
    Failure::new(what, Message::setup(SetupMessage::StartAgain))
}

#[cfg(test)]
mod tests {
    use super::found_by;
    use std::fs;
    use std::path::{Path, PathBuf};

    #[test]
    fn a_program_is_found_as_a_shell_finds_it() {
        let place = tempfile::tempdir().unwrap();
        let bin = place.path().join("bin");
        fs::create_dir_all(bin.join("other")).unwrap();
        fs::write(bin.join("aide"), "").unwrap();
        let found = |called: &str, folder: &Path, search: Option<String>| {
            found_by(Path::new(called), folder, search.map(Into::into))
                .map(|path| fs::canonicalize(path).unwrap())
        };
        let program = Some(fs::canonicalize(bin.join("aide")).unwrap());
        let search = Some(format!("/nowhere:{}", bin.display()));
        assert_eq!(found("aide", place.path(), search.clone()), program);
        assert_eq!(found("aide", place.path(), Some("/nowhere:bin".to_owned())), program);
        assert_eq!(found("bin/aide", place.path(), None), program);
        assert_eq!(found("../aide", &bin.join("other"), None), program);
        assert_eq!(found(bin.join("aide").to_str().unwrap(), Path::new("/"), None), program);
        // A folder, a name that is nowhere, and a name that only the current folder has.
        for (called, folder) in [("other", &bin), ("edia", &bin), ("aide", &PathBuf::from("/"))] {
            assert_eq!(found(called, folder, search.clone().filter(|_| called != "aide")), None, "{called}");
        }
    }
}
