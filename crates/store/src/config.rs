//! `.aide/config.toml`.

use crate::StoreError;
use crate::dir::Dir;
use crate::project::{AIDE, open_root};
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use toml_edit::{Document, Item, TableLike};

/// What `aide init` writes: every key this program reads, with its default.
pub const DEFAULT_CONFIG: &str = include_str!("default.toml");

pub(crate) const FILE: &str = "config.toml";
/// How large the file may be, in bytes.
pub(crate) const LIMIT: u64 = 1 << 20;
/// Ten years, in seconds: longer than any wait, short of any overflow.
const MAX_TIMEOUT: i64 = 315_360_000;
/// How much of a wrong value is quoted, in characters.
const MAX_QUOTE: usize = 60;

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
}

/// Why the configuration cannot be used, and where it says so.
#[derive(Debug, thiserror::Error)]
#[error("{}: {kind}", file.display())]
pub struct ConfigError {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1, when it is a matter of one.
    pub line: Option<usize>,
    /// The key, such as `decide.port`, when it is a matter of one.
    pub key: Option<&'static str>,
    /// What is wrong.
    pub kind: ConfigErrorKind,
}

/// What is wrong with a configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigErrorKind {
    /// The operating system refused.
    #[error(transparent)]
    Io(io::Error),
    /// The file, or `.aide` itself, is a symlink; it was not followed.
    #[error("is a symlink")]
    Symlink,
    /// The file is no regular file.
    #[error("not a regular file")]
    NotAFile,
    /// `.aide` is no folder.
    #[error("not a folder")]
    NotAFolder,
    /// The file is larger than a configuration is.
    #[error("larger than {limit} bytes")]
    TooLarge {
        /// How large it may be, in bytes.
        limit: u64,
    },
    /// The text is not UTF-8.
    #[error("not UTF-8")]
    NotUtf8,
    /// The text is no TOML.
    #[error("{message}")]
    Syntax {
        /// The parser's own words.
        message: String,
    },
    /// A value of another type stands there.
    #[error("expected {expected}, found {found}")]
    WrongType {
        /// The TOML type that is expected: `boolean`, `integer`, `string` or `table`.
        expected: &'static str,
        /// What stands there, as it is written; shortened when it is long.
        found: String,
    },
    /// A number is too small or too large.
    #[error("expected {min} to {max}, found {found}")]
    OutOfRange {
        /// The smallest allowed.
        min: i64,
        /// The largest allowed.
        max: i64,
        /// What stands there.
        found: i64,
    },
    /// A text is none of those that mean something.
    #[error("expected one of {allowed:?}, found {found:?}")]
    NotOneOf {
        /// Those that do.
        allowed: &'static [&'static str],
        /// What stands there.
        found: String,
    },
}

impl LangSetting {
    /// What may be written for a setting.
    pub const NAMES: &'static [&'static str] = &["zh", "en", "auto"];
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
        Self { text: text.to_owned(), line: None }
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

fn read_file(root: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    let aide: Option<Dir> = open_root(root)?.folder(AIDE)?;
    match aide {
        None => Ok(None),
        Some(aide) => aide.read(FILE, LIMIT),
    }
}

fn refused(error: StoreError, config: PathBuf) -> ConfigError {
    let (file, kind) = match error {
        StoreError::Symlink { path } => (path, ConfigErrorKind::Symlink),
        StoreError::NotAFile { path } => (path, ConfigErrorKind::NotAFile),
        StoreError::NotAFolder { path } => (path, ConfigErrorKind::NotAFolder),
        StoreError::TooLarge { path, limit } => (path, ConfigErrorKind::TooLarge { limit }),
        StoreError::Io { path, source } => (path, ConfigErrorKind::Io(source)),
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
    let document = parse_document(text, path)?;
    let reader = Reader { text, path, root: document.as_item() };
    let default = Config::default();
    Ok(Config {
        lang: reader.lang("general.lang")?.unwrap_or(default.lang),
        gitignore_aide: reader.boolean("general.gitignore_aide")?.unwrap_or(default.gitignore_aide),
        decide: DecideConfig {
            port: reader.integer("decide.port", 0..=u16::MAX.into())?.unwrap_or(default.decide.port),
            bind: reader.located("decide.bind")?.unwrap_or(default.decide.bind),
            url: reader.located("decide.url")?.unwrap_or(default.decide.url),
            auth: reader.located("decide.auth")?.unwrap_or(default.decide.auth),
            timeout: reader.integer("decide.timeout", 0..=MAX_TIMEOUT)?.unwrap_or(default.decide.timeout),
        },
        notify_line: reader.section_line("notify"),
    })
}

/// The text as TOML; `path` only names it in errors.
pub(crate) fn parse_document<'t>(text: &'t str, path: &Path) -> Result<Document<&'t str>, ConfigError> {
    Document::parse(text).map_err(|error| ConfigError {
        file: path.to_owned(),
        line: error
            .span()
            .and_then(|span| text.get(..span.start))
            .map(|before| line_after(before.as_bytes())),
        key: None,
        kind: ConfigErrorKind::Syntax { message: error.message().to_owned() },
    })
}

/// The number of the line that comes after `before`, from 1.
fn line_after(before: &[u8]) -> usize {
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}

/// Reads keys written `section.name`; a missing one is `None`.
pub(crate) struct Reader<'t> {
    pub(crate) text: &'t str,
    pub(crate) path: &'t Path,
    pub(crate) root: &'t Item,
}

impl<'t> Reader<'t> {
    fn boolean(&self, key: &'static str) -> Result<Option<bool>, ConfigError> {
        let Some(item) = self.item(key)? else { return Ok(None) };
        item.as_bool().map(Some).ok_or_else(|| self.wrong_type(key, "boolean", item))
    }

    fn string(&self, key: &'static str) -> Result<Option<String>, ConfigError> {
        Ok(self.located(key)?.map(|located| located.text))
    }

    /// A list of texts, none of them missing.
    pub(crate) fn strings(&self, key: &'static str) -> Result<Option<Vec<String>>, ConfigError> {
        let Some(item) = self.item(key)? else { return Ok(None) };
        let wrong = || self.wrong_type(key, "array of strings", item);
        let array = item.as_array().ok_or_else(wrong)?;
        let texts = array.iter().map(|value| value.as_str().map(str::to_owned));
        texts.collect::<Option<Vec<_>>>().map(Some).ok_or_else(wrong)
    }

    pub(crate) fn located(&self, key: &'static str) -> Result<Option<Located>, ConfigError> {
        let Some(item) = self.item(key)? else { return Ok(None) };
        let text = item.as_str().ok_or_else(|| self.wrong_type(key, "string", item))?;
        Ok(Some(Located { text: text.to_owned(), line: self.line(item) }))
    }

    fn lang(&self, key: &'static str) -> Result<Option<LangSetting>, ConfigError> {
        let Some(text) = self.string(key)? else { return Ok(None) };
        text.parse().map(Some).map_err(|UnknownLang| {
            let found = shorten(&text);
            self.error(
                key,
                self.item(key).ok().flatten(),
                ConfigErrorKind::NotOneOf { allowed: LangSetting::NAMES, found },
            )
        })
    }

    fn integer<N: TryFrom<i64>>(
        &self,
        key: &'static str,
        range: RangeInclusive<i64>,
    ) -> Result<Option<N>, ConfigError> {
        let Some(item) = self.item(key)? else { return Ok(None) };
        let found = item.as_integer().ok_or_else(|| self.wrong_type(key, "integer", item))?;
        let number = if range.contains(&found) { N::try_from(found).ok() } else { None };
        number.map(Some).ok_or_else(|| {
            let (min, max) = range.into_inner();
            self.error(key, Some(item), ConfigErrorKind::OutOfRange { min, max, found })
        })
    }

    fn item(&self, key: &'static str) -> Result<Option<&'t Item>, ConfigError> {
        let (section, name) = key.split_once('.').unwrap_or(("", key));
        let Some(item) = self.root.as_table_like().and_then(|root| root.get(section)) else {
            return Ok(None);
        };
        let table: &dyn TableLike =
            item.as_table_like().ok_or_else(|| self.wrong_type(section_of(key), "table", item))?;
        Ok(table.get(name))
    }

    /// The line that a section begins on.
    fn section_line(&self, section: &str) -> Option<usize> {
        let item = self.root.as_table_like()?.get(section)?;
        Some(self.line(item).unwrap_or(1))
    }

    fn wrong_type(&self, key: &'static str, expected: &'static str, item: &Item) -> ConfigError {
        let found = item.span().and_then(|span| self.text.get(span)).unwrap_or(item.type_name());
        self.error(key, Some(item), ConfigErrorKind::WrongType { expected, found: shorten(found) })
    }

    fn error(&self, key: &'static str, item: Option<&Item>, kind: ConfigErrorKind) -> ConfigError {
        let line = item.and_then(|item| self.line(item));
        ConfigError { file: self.path.to_owned(), line, key: Some(key), kind }
    }

    fn line(&self, item: &Item) -> Option<usize> {
        let before = self.text.get(..item.span()?.start)?;
        Some(line_after(before.as_bytes()))
    }
}

fn section_of(key: &'static str) -> &'static str {
    key.split_once('.').map_or(key, |(section, _)| section)
}

fn shorten(text: &str) -> String {
    let mut characters = text.chars();
    let mut short: String = characters.by_ref().take(MAX_QUOTE).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
}
