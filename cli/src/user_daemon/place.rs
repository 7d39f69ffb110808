//! Where a daemon keeps its state.

use crate::failure::Failure;
use crate::messages::{DaemonMessage, Message};
use crate::user_files;
use client::DaemonRegistration;
use files::{Dir, FileError};
use std::env;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Names the folder for the state, all of it.
const VARIABLE: &str = "FINGER_HOME";
/// Below the folder for the state of programs.
const FOLDER: &str = "aide/daemon";

/// A folder for the state of one daemon, be it there or not.
pub(crate) struct Place(PathBuf);

impl Place {
    /// That of this user: `$FINGER_HOME`, else `aide/daemon` below `$XDG_STATE_HOME`.
    pub(crate) fn of_user() -> Result<Self, Failure> {
        Self::by(|name| env::var_os(name), user_files::state())
    }

    fn by(variable: impl Fn(&str) -> Option<OsString>, state: Option<PathBuf>) -> Result<Self, Failure> {
        let named = variable(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
        match named {
            Some(path) if path.is_absolute() => Ok(Self(path)),
            // It would be another one in each folder.
            Some(path) => Err(Failure::new(
                Message::daemon(DaemonMessage::RelativeHome { path }),
                Message::daemon(DaemonMessage::NameFullPath),
            )),
            None => state.map(|state| Self(state.join(FOLDER))).ok_or_else(|| {
                Failure::new(
                    Message::daemon(DaemonMessage::NoHome),
                    Message::daemon(DaemonMessage::NameFullPath),
                )
            }),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Opens it, creating it if it is missing. No other user may write there.
    pub(crate) fn make(&self) -> Result<Arc<Dir>, Failure> {
        Ok(Arc::new(Dir::ensure(&self.0)?.ours()?))
    }

    /// Opens it; `None` if it is not there.
    pub(crate) fn open(&self) -> Result<Option<Dir>, Failure> {
        match Dir::open(&self.0) {
            Ok(dir) => Ok(Some(dir.ours()?)),
            Err(FileError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The daemon that runs here, if one does.
    pub(crate) fn running(&self) -> Result<Option<DaemonRegistration>, Failure> {
        match self.open()? {
            Some(dir) => Ok(DaemonRegistration::find(&dir)?),
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Place;
    use std::path::{Path, PathBuf};

    #[test]
    fn the_state_is_where_it_is_named_or_belongs() {
        let path = |home: Option<&str>, state: Option<&str>| {
            let place = Place::by(|_| home.map(Into::into), state.map(PathBuf::from));
            place.ok().map(|place| place.0)
        };
        assert_eq!(path(Some("/f"), Some("/s")).as_deref(), Some(Path::new("/f")));
        assert_eq!(path(None, Some("/s")).as_deref(), Some(Path::new("/s/aide/daemon")));
        assert_eq!(path(Some(""), Some("/s")).as_deref(), Some(Path::new("/s/aide/daemon")));
        assert_eq!(path(Some("f"), Some("/s")), None);
        assert_eq!(path(None, None), None);
    }
}
