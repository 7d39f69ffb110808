//! The configuration of the person, for what no repository may decide: programs to start.

use crate::config::file::edit_user;
use crate::config::{LIMIT, Layer, Origin, Reader, read_text};
use crate::{ConfigChange, ConfigEdit, ConfigError, ConfigErrorKind, EditError, Located};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// What the person has configured for all projects. Keys of other programs and versions are left alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserConfig {
    /// Where it is, or would be.
    pub file: PathBuf,
    /// `notify.when`: how to tell of questions, unless somebody says otherwise.
    pub notify: Option<Located>,
    /// `notify.command`: a program and its arguments; empty when there is none.
    pub notify_command: Vec<String>,
}

/// Reads the configuration in `file`; empty when nothing has that name.
///
/// # Errors
///
/// When the file cannot be read, is no TOML, or has a key of ours with a wrong value.
pub fn user_config(file: &Path) -> Result<UserConfig, ConfigError> {
    let layer = user_layer(file)?;
    let reader = Reader { layers: layer.as_slice(), passed_over: &[] };
    Ok(UserConfig {
        file: file.to_owned(),
        notify: reader.located("notify.when")?,
        notify_command: reader.texts("notify.command")?.unwrap_or_default(),
    })
}

/// Sets or takes out a key of the person's own configuration in `file`. One that is missing is created, readable by the
/// person alone, when a key is set.
///
/// # Errors
///
/// When the file cannot be read, changed or written. It is then as it was.
pub fn edit_user_config(file: &Path, change: ConfigChange<'_>) -> Result<ConfigEdit, EditError> {
    edit_user(file, change)
}

/// The person's own file; `None` when nothing has that name. Symlinks on the way are theirs.
pub(crate) fn user_layer(file: &Path) -> Result<Option<Layer>, ConfigError> {
    let failed = |kind| ConfigError { file: file.to_owned(), line: None, key: None, kind };
    let found = match File::open(file) {
        Ok(found) => found,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(failed(ConfigErrorKind::Io(error))),
    };
    let mut bytes = Vec::new();
    found.take(LIMIT + 1).read_to_end(&mut bytes).map_err(|error| failed(ConfigErrorKind::Io(error)))?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > LIMIT) {
        return Err(failed(ConfigErrorKind::TooLarge { limit: LIMIT }));
    }
    Layer::parse(&read_text(bytes, file)?, file, Origin::User).map(Some)
}
