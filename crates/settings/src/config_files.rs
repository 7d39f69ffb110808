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

    /// What those files say that were read already and are TOML. Reads none.
    pub fn layers_read(&self) -> Layers<'_> {
        fn read(file: Option<&ConfigFile>) -> Option<&Layer> {
            file?.layer.get()?.as_ref().ok()?.as_ref()
        }
        Layers::new(read(self.project.as_ref()), read(self.user.as_ref()))
    }

    /// The language that is configured, as far as that can be read: a mistake is reported by the command that reads the rest, in
    /// that language. The user's file is only asked where the project's names none.
    pub fn lang(&self) -> Option<LangSetting> {
        let of = |layers: Layers<'_>| layers.lang().ok().flatten();
        let project = match self.project_layer() {
            Ok(project) => of(Layers::new(project, None)),
            Err(_) => lang_in_broken(self.project.as_ref(), project_bytes),
        };
        project.or_else(|| match self.user_layers() {
            Ok(user) => of(user),
            Err(_) => lang_in_broken(self.user.as_ref(), user_bytes),
        })
    }

    /// Whether one of the files is there and cannot be read or is no TOML.
    pub fn is_broken(&self) -> bool {
        self.layers().is_err()
    }

    /// Where the person's own file is, or would be.
    pub fn user_file(&self) -> Option<&Path> {
        self.user.as_ref().map(|file| file.path.as_path())
    }

    fn project_layer(&self) -> Result<Option<&Layer>, ConfigError> {
        layer_of(self.project.as_ref(), Origin::Project, project_bytes)
    }

    fn user_layer(&self) -> Result<Option<&Layer>, ConfigError> {
        layer_of(self.user.as_ref(), Origin::User, user_bytes)
    }
}

/// Reads the bytes of a file; `None` when nothing has that name.
type Reader = fn(&Path) -> Result<Option<Vec<u8>>, ConfigError>;

fn layer_of(file: Option<&ConfigFile>, origin: Origin, read: Reader) -> Result<Option<&Layer>, ConfigError> {
    let Some(file) = file else { return Ok(None) };
    let parsed = || {
        let Some(bytes) = read(&file.path)? else { return Ok(None) };
        Layer::parse(&read_text(bytes, &file.path)?, &file.path, origin).map(Some)
    };
    match file.layer.get_or_init(parsed) {
        Ok(layer) => Ok(layer.as_ref()),
        Err(error) => Err(error.clone()),
    }
}

/// The language that a file names which is no TOML: the first line that says so, wherever the mistake is.
fn lang_in_broken(file: Option<&ConfigFile>, read: Reader) -> Option<LangSetting> {
    let bytes = read(&file?.path).ok()??;
    let mut section = "";
    for line in String::from_utf8_lossy(&bytes).lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            let is_general = header.split(']').next().map(str::trim) == Some("general");
            section = if is_general { "general" } else { "other" };
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        if !matches!((section, key.trim()), ("", "general.lang") | ("general", "lang")) {
            continue;
        }
        let value = value.split('#').next().unwrap_or_default().trim();
        let named = value.trim_matches(['"', '\'']).parse();
        if named.is_ok() {
            return named.ok();
        }
    }
    None
}

fn project_bytes(path: &Path) -> Result<Option<Vec<u8>>, ConfigError> {
    read_without_symlinks(path).map_err(|error| refused(error, path))
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
fn user_bytes(path: &Path) -> Result<Option<Vec<u8>>, ConfigError> {
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
    Ok(Some(bytes))
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

    use super::ConfigFiles;
    use crate::LangSetting;
    use std::fs;

    #[test]
    fn the_language_of_a_broken_file_is_found_where_it_stands() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        for (text, lang) in [
            ("general.lang = \"en\"\n= x\n", Some(LangSetting::En)),
            (
                "[daemon]\nlang = 'zh'\n[daemon]\n[ general ] # mine\nlang = 'en' # or zh\n",
                Some(LangSetting::En),
            ),
            ("[general]\nlang = \"auto\"\nlang = \"en\"\n", Some(LangSetting::Auto)),
            ("[general]\n# lang = \"en\"\n[\n", None),
            ("[general]\nlang = 1\n[\n", None),
            ("[general]\nlang = \"en\n", Some(LangSetting::En)),
        ] {
            fs::write(&file, text).unwrap();
            let files = ConfigFiles::new(None, Some(file.clone()));
            assert_eq!((files.lang(), files.is_broken()), (lang, true), "{text}");
        }
        fs::write(&file, "[general]\nlang = \"en\"\n").unwrap();
        let files = ConfigFiles::new(None, Some(file));
        assert_eq!((files.lang(), files.is_broken()), (Some(LangSetting::En), false));
    }
}
