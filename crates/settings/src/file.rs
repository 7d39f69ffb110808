//! The files that a key is set in, or taken out of.

use crate::config_files::{LIMIT, read_text, refused};
use crate::edit::{self as text, EditError};
use crate::layer::{Layer, Origin};
use crate::{ConfigError, ConfigErrorKind, ConfigValue, DEFAULT_CONFIG, Key, Layers};
use files::{Dir, FileError, Lock, Mode, OWNER_ONLY, durable};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Beside the person's own file, whose folder is not ours alone.
const USER_TEMPORARY: &str = ".config.toml.aide-tmp";

/// What is to be done to a file.
#[derive(Debug, Clone, Copy)]
pub enum ConfigChange<'a> {
    /// A key of ours gets a value.
    Set(&'static Key, &'a ConfigValue),
    /// A key, by its names, is taken out; it need not be one of ours.
    Unset(&'a [&'a str]),
}

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigEdit {
    /// The file.
    pub file: PathBuf,
    /// What it said; the defaults, where there was none.
    pub before: String,
    /// What it says now; `None` when nothing had to be written.
    pub after: Option<String>,
}

/// Changes the project's configuration `name` in the folder `dir`, whose lock is held. One that is missing begins with the
/// defaults, when a key is set.
///
/// # Errors
///
/// When the file cannot be read, changed or written. It is then as it was.
pub fn edit(dir: &Dir, lock: &Lock, name: &str, change: ConfigChange<'_>) -> Result<ConfigEdit, EditError> {
    let place = Place { dir, name, path: dir.path_of(name), origin: Origin::Project };
    place.edit(lock, &format!("{name}.tmp"), change)
}

/// Changes the person's own configuration in the file `path`. One that is missing is created, readable by the person
/// alone, when a key is set. Symlinks on the way, and the file itself as one, are theirs: what they lead to is changed.
///
/// # Errors
///
/// When the file cannot be read, changed or written. It is then as it was.
pub fn edit_user_file(path: &Path, change: ConfigChange<'_>) -> Result<ConfigEdit, EditError> {
    let failed = |source: io::Error| FileError::Io { path: path.to_owned(), source };
    let folder = path.parent().ok_or_else(|| failed(ErrorKind::InvalidInput.into()))?;
    // An error of one of its folders is reported for the file.
    let told = |error| match error {
        FileError::Io { source, .. } => failed(source),
        other => other,
    };
    let opened = match change {
        ConfigChange::Set(..) => Dir::ensure(folder),
        ConfigChange::Unset(_) => Dir::open(folder),
    };
    let lock = match opened.map_err(told) {
        Ok(folder) => Lock::take(&folder)?,
        // There is nothing to be taken out.
        Err(FileError::Io { source, .. })
            if matches!(source.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
        {
            return Ok(ConfigEdit { file: path.to_owned(), before: String::new(), after: None });
        }
        Err(error) => return Err(error.into()),
    };
    let target = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => path.to_owned(),
        _ => path.canonicalize().map_err(failed)?,
    };
    let (Some(folder), Some(name)) = (target.parent(), target.file_name().and_then(|name| name.to_str()))
    else {
        return Err(failed(ErrorKind::InvalidInput.into()).into());
    };
    let dir = Dir::open(folder).map_err(told)?;
    let place = Place { dir: &dir, name, path: path.to_owned(), origin: Origin::User };
    place.edit(&lock, USER_TEMPORARY, change)
}

/// A file in an open folder.
struct Place<'p> {
    dir: &'p Dir,
    name: &'p str,
    /// The path as shown in errors.
    path: PathBuf,
    origin: Origin,
}

impl Place<'_> {
    fn edit(self, lock: &Lock, temporary: &str, change: ConfigChange<'_>) -> Result<ConfigEdit, EditError> {
        let found = self.read()?;
        let is_new = found.is_none();
        let (before, mode) = match (found, change, self.origin) {
            (Some(found), ..) => found,
            (None, ConfigChange::Set(..), Origin::Project) => (DEFAULT_CONFIG.to_owned(), OWNER_ONLY),
            (None, ..) => (String::new(), OWNER_ONLY),
        };
        let layer = Layer::parse(&before, &self.path, self.origin)?;
        let after = match change {
            ConfigChange::Set(key, value) => text::set(&layer, key.name, value)?,
            ConfigChange::Unset(names) => text::unset(&layer, names)?,
        };
        // The defaults may say it already, but they have to stand there.
        let after = after.or_else(|| (is_new && !before.is_empty()).then(|| before.clone()));
        match &after {
            Some(after) => {
                self.check(&layer, after)?;
                durable::replace_via(lock, self.dir, temporary, self.name, mode, after.as_bytes())?;
            }
            // It may be what a killed one has left, and not be on the disk yet.
            None => self.dir.sync()?,
        }
        Ok(ConfigEdit { file: self.path, before, after })
    }

    /// The text and the mode of the file; `None` when nothing has that name.
    fn read(&self) -> Result<Option<(String, Mode)>, EditError> {
        let refused = |error| refused(error, &self.path);
        let found = self.dir.read_with_mode(self.name, LIMIT).map_err(refused)?;
        let Some((bytes, mode)) = found else { return Ok(None) };
        Ok(Some((read_text(bytes, &self.path)?, mode)))
    }

    /// What was good stays good. A file with mistakes may keep them: they are mended one by one.
    fn check(&self, before: &Layer, after: &str) -> Result<(), EditError> {
        if u64::try_from(after.len()).is_ok_and(|length| length > LIMIT) {
            let kind = ConfigErrorKind::TooLarge { limit: LIMIT };
            return Err(ConfigError { file: self.path.clone(), line: None, key: None, kind }.into());
        }
        let checked = |layer: &Layer| {
            let alone = Layers::new(Some(layer), None);
            alone.config().and_then(|_| alone.flow()).map(drop)
        };
        let after = Layer::parse(after, &self.path, self.origin)?;
        match checked(&after) {
            Err(error) if checked(before).is_ok() => Err(error.into()),
            _ => Ok(()),
        }
    }
}
