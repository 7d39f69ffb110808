//! `.aide/config.toml`, and the person's own file below it.

mod edit;
mod error;
pub(crate) mod file;
mod flow;
pub(crate) mod keys;
mod layer;
mod layers;
mod value;

pub use edit::{EditError, set_in, unset_in};
pub use error::{ConfigError, ConfigErrorKind, PhasesFault};
pub use file::{ConfigChange, ConfigEdit};
pub use flow::{
    AddStrategy, ChangelogHook, FlowConfig, FlowGit, FlowHook, HookPoint, OnMissing, PlantUmlHook,
    RequiredDecision, Requirement, phases_fault,
};
pub use layer::Origin;
pub(crate) use layer::{Layer, Reader};
pub(crate) use layers::lang;
pub use layers::{Layers, Said};
pub use value::{ConfigValue, key_text};

use crate::project::AIDE;
use files::{Dir, FileError};
use layer::line_after;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use toml_edit::Key as Name;

/// What `aide init` writes: every key this program reads, with its default.
pub const DEFAULT_CONFIG: &str = include_str!("../default.toml");

/// Returns [`DEFAULT_CONFIG`] with another language.
pub(crate) fn defaults_in(lang: LangSetting) -> String {
    let line = |lang: LangSetting| format!("\nlang = \"{}\"\n", lang.name());
    DEFAULT_CONFIG.replacen(&line(LangSetting::default()), &line(lang), 1)
}

pub(crate) const FILE: &str = "config.toml";
/// How large the file may be, in bytes.
pub(crate) const LIMIT: u64 = 1 << 20;
/// The configuration of a project. Keys of other programs and versions are left alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// `general.lang`.
    pub lang: LangSetting,
    /// `general.gitignore_aide`: `aide init` keeps `.aide/` out of git.
    pub gitignore_aide: bool,
    /// `[decide]`.
    pub decide: DecideConfig,
    /// The line of a `[notify]`, which only the person's own configuration may have: it says what to start.
    pub notify_line: Option<usize>,
}

/// The language of messages and of the page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LangSetting {
    /// Chinese.
    #[default]
    Zh,
    /// English.
    En,
    /// What the locale or the browser asks for.
    Auto,
}

/// A text that is none of [`LangSetting::NAMES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a language setting")]
pub struct UnknownLang;

/// How questions are put to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecideConfig {
    /// `decide.port`: the port to listen on; 0 takes any free one.
    pub port: u16,
    /// `decide.bind`: the address to listen on.
    pub bind: Located,
    /// `decide.url`: the link to print instead of the address; empty when there is none.
    pub url: Located,
    /// `decide.auth`: whether the page needs a login.
    pub auth: Located,
    /// `decide.timeout`: how long to wait for an answer, in seconds; 0 waits for ever.
    pub timeout: u64,
}

/// A text as written. What it means is known where it is used; if it means nothing there, the line belongs to the
/// complaint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The text.
    pub text: String,
    /// Its line in the file, from 1; `None` for a default.
    pub line: Option<usize>,
    /// Whose file it stands in; `None` for a default.
    pub origin: Option<Origin>,
}

impl LangSetting {
    /// What may be written for a setting.
    pub const NAMES: &'static [&'static str] = &["zh", "en", "auto"];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Zh => "zh",
            Self::En => "en",
            Self::Auto => "auto",
        }
    }
}

impl FromStr for LangSetting {
    type Err = UnknownLang;

    fn from_str(text: &str) -> Result<Self, UnknownLang> {
        match text {
            "zh" => Ok(Self::Zh),
            "en" => Ok(Self::En),
            "auto" => Ok(Self::Auto),
            _ => Err(UnknownLang),
        }
    }
}

impl Default for DecideConfig {
    fn default() -> Self {
        Self {
            port: 3721,
            bind: Located::default_text("127.0.0.1"),
            url: Located::default_text(""),
            auth: Located::default_text("auto"),
            timeout: 0,
        }
    }
}

impl Located {
    fn default_text(text: &str) -> Self {
        Self { text: text.to_owned(), line: None, origin: None }
    }
}

/// Where the configuration of the project in `root` is, or would be.
pub(crate) fn file(root: &Path) -> PathBuf {
    root.join(AIDE).join(FILE)
}

/// Reads the configuration of the project in `root`; the defaults when it has none.
pub(crate) fn load(root: &Path) -> Result<Config, ConfigError> {
    load_with_text(root).map(|(config, _)| config)
}

/// The same, beside the text it was read from; empty when there is none.
pub(crate) fn load_with_text(root: &Path) -> Result<(Config, String), ConfigError> {
    let path = file(root);
    match read_file(root) {
        Ok(None) => Ok((Config::default(), String::new())),
        Ok(Some(bytes)) => {
            let text = read_text(bytes, &path)?;
            parse_config(&text, &path).map(|config| (config, text))
        }
        Err(error) => Err(refused(error, path)),
    }
}

/// The bytes of a configuration as text; `path` only names it in errors.
pub(crate) fn read_text(bytes: Vec<u8>, path: &Path) -> Result<String, ConfigError> {
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = Some(line_after(before));
        ConfigError { file: path.to_owned(), line, key: None, kind: ConfigErrorKind::NotUtf8 }
    })
}

fn read_file(root: &Path) -> Result<Option<Vec<u8>>, FileError> {
    match Dir::open(root)?.folder(AIDE)? {
        None => Ok(None),
        Some(aide) => aide.read(FILE, LIMIT),
    }
}

fn refused(error: FileError, config: PathBuf) -> ConfigError {
    let (file, kind) = match error {
        FileError::Symlink { path } => (path, ConfigErrorKind::Symlink),
        FileError::NotAFile { path } => (path, ConfigErrorKind::NotAFile),
        FileError::NotAFolder { path } => (path, ConfigErrorKind::NotAFolder),
        FileError::TooLarge { path, limit } => (path, ConfigErrorKind::TooLarge { limit }),
        FileError::Io { path, source } => (path, ConfigErrorKind::Io(source)),
        // Not met when a file is only read.
        other => (config, ConfigErrorKind::Io(io::Error::other(other))),
    };
    ConfigError { file, line: None, key: None, kind }
}

/// Reads the text of a configuration; `path` only names it in errors.
///
/// # Errors
///
/// When it is no TOML, or a key of ours has a wrong value.
pub fn parse_config(text: &str, path: &Path) -> Result<Config, ConfigError> {
    let layer = Layer::parse(text, path, Origin::Project)?;
    read(&Reader { layers: std::slice::from_ref(&layer), passed_over: &[] })
}

fn read(reader: &Reader<'_>) -> Result<Config, ConfigError> {
    let default = Config::default();
    Ok(Config {
        lang: reader.choice("general.lang", |text| text.parse().ok())?.unwrap_or(default.lang),
        gitignore_aide: reader.boolean("general.gitignore_aide")?.unwrap_or(default.gitignore_aide),
        decide: DecideConfig {
            port: reader.integer("decide.port")?.unwrap_or(default.decide.port),
            bind: reader.located("decide.bind")?.unwrap_or(default.decide.bind),
            url: reader.located("decide.url")?.unwrap_or(default.decide.url),
            auth: reader.located("decide.auth")?.unwrap_or(default.decide.auth),
            timeout: reader.integer("decide.timeout")?.unwrap_or(default.decide.timeout),
        },
        notify_line: notify_line(reader.layers)?,
    })
}

/// The names in a key as it is written, such as `a."b c"`; `None` when it is none.
pub fn key_names(text: &str) -> Option<Vec<String>> {
    let names = Name::parse(text).ok()?;
    Some(names.iter().map(|name| name.get().to_owned()).collect())
}

/// Where a project has what only the person's own file may have.
fn notify_line(layers: &[Layer]) -> Result<Option<usize>, ConfigError> {
    let project = layers.iter().find(|layer| layer.origin == Origin::Project);
    let found = project.map(|layer| layer.find("notify")).transpose()?.flatten();
    Ok(found.map(|found| found.line().unwrap_or(1)))
}
