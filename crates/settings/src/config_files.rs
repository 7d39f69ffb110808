//! The two files that hold for a command, each read once.

use crate::error::{ConfigError, ConfigErrorKind};
use crate::layer::Layer;
use crate::{LangSetting, Layers, Origin};
use files::{Dir, FileError};
use std::cell::OnceCell;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How large a file may be, in bytes.
pub(crate) const LIMIT: u64 = 1 << 20;

/// The configuration of a project, and the person's own below it. Each is read when it is first asked for, and then not
/// again: all that is said during one command is of the same content.
#[derive(Debug)]
pub struct ConfigFiles {
    project: Option<ConfigFile>,
    user: Option<ConfigFile>,
}

#[derive(Debug)]
struct ConfigFile {
    path: PathBuf,
    layer: OnceCell<Result<Option<Layer>, ConfigError>>,
}

impl ConfigFiles {
    /// The file `project`, reached without symlinks from the folder above its own, and the file `user`. Either may be
    /// missing.
    pub fn new(project: Option<PathBuf>, user: Option<PathBuf>) -> Self {
        let file = |path| ConfigFile { path, layer: OnceCell::new() };
        Self { project: project.map(file), user: user.map(file) }
    }

    /// What both say.
    ///
    /// # Errors
    ///
    /// When a file is there and cannot be read or is no TOML.
    pub fn layers(&self) -> Result<Layers<'_>, ConfigError> {
        Ok(Layers::new(self.project_layer()?, self.user_layer()?))
    }

    /// What the person's own file says.
    ///
    /// # Errors
    ///
    /// When it is there and cannot be read or is no TOML.
    pub fn user_layers(&self) -> Result<Layers<'_>, ConfigError> {
        Ok(Layers::new(None, self.user_layer()?))
    }

    /// The language that is configured, as far as that can be read: a mistake is told by whoever reads the rest, in some
    /// language. The person's file is only asked where the project's does not say one.
    pub fn lang(&self) -> Option<LangSetting> {
        let of = |layers: Layers<'_>| layers.lang().ok().flatten();
        let project = self.project_layer().ok().flatten();
        of(Layers::new(project, None)).or_else(|| of(self.user_layers().ok()?))
    }

    /// Where the person's own file is, or would be.
    pub fn user_file(&self) -> Option<&Path> {
        self.user.as_ref().map(|file| file.path.as_path())
    }

    fn project_layer(&self) -> Result<Option<&Layer>, ConfigError> {
        layer_of(self.project.as_ref(), read_project_file)
    }

    fn user_layer(&self) -> Result<Option<&Layer>, ConfigError> {
        layer_of(self.user.as_ref(), read_user_file)
    }
}

fn layer_of(
    file: Option<&ConfigFile>,
    read: fn(&Path) -> Result<Option<Layer>, ConfigError>,
) -> Result<Option<&Layer>, ConfigError> {
    let Some(file) = file else { return Ok(None) };
    match file.layer.get_or_init(|| read(&file.path)) {
        Ok(layer) => Ok(layer.as_ref()),
        Err(error) => Err(error.clone()),
    }
}

fn read_project_file(path: &Path) -> Result<Option<Layer>, ConfigError> {
    let refused = |error| refused(error, path);
    let Some(bytes) = read_without_symlinks(path).map_err(refused)? else { return Ok(None) };
    Layer::parse(&read_text(bytes, path)?, path, Origin::Project).map(Some)
}

/// The bytes of a file, whose folder may be a stranger's as well; `None` when one of both is missing.
fn read_without_symlinks(path: &Path) -> Result<Option<Vec<u8>>, FileError> {
    let folder = path.parent().unwrap_or(path);
    let above = folder.parent().unwrap_or(folder);
    let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    match Dir::open(above)?.folder(&name(folder))? {
        None => Ok(None),
        Some(folder) => folder.read(&name(path), LIMIT),
    }
}

/// The person's own file; `None` when nothing has that name. Symlinks on the way are theirs.
fn read_user_file(path: &Path) -> Result<Option<Layer>, ConfigError> {
    let failed = |kind| ConfigError { file: path.to_owned(), line: None, key: None, kind };
    let io_failed = |error: io::Error| failed(ConfigErrorKind::Io(Arc::new(error)));
    let found = match File::open(path) {
        Ok(found) => found,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(io_failed(error)),
    };
    let mut bytes = Vec::new();
    found.take(LIMIT + 1).read_to_end(&mut bytes).map_err(io_failed)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > LIMIT) {
        return Err(failed(ConfigErrorKind::TooLarge { limit: LIMIT }));
    }
    Layer::parse(&read_text(bytes, path)?, path, Origin::User).map(Some)
}

/// The bytes of a configuration as text; `path` only names it in errors.
pub(crate) fn read_text(bytes: Vec<u8>, path: &Path) -> Result<String, ConfigError> {
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = Some(crate::layer::line_after(before));
        ConfigError { file: path.to_owned(), line, key: None, kind: ConfigErrorKind::NotUtf8 }
    })
}

pub(crate) fn refused(error: FileError, config: &Path) -> ConfigError {
    let (file, kind) = match error {
        FileError::Symlink { path } => (path, ConfigErrorKind::Symlink),
        FileError::NotAFile { path } => (path, ConfigErrorKind::NotAFile),
        FileError::NotAFolder { path } => (path, ConfigErrorKind::NotAFolder),
        FileError::TooLarge { path, limit } => (path, ConfigErrorKind::TooLarge { limit }),
        FileError::Io { path, source } => (path, ConfigErrorKind::Io(Arc::new(source))),
        // Not met when a file is only read.
        other => (config.to_owned(), ConfigErrorKind::Io(Arc::new(io::Error::other(other)))),
    };
    ConfigError { file, line: None, key: None, kind }
}
