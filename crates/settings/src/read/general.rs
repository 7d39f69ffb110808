//! `[general]` and `[decide]`.

use crate::layer::{Layer, Origin};
use crate::{Config, ConfigError, DecideConfig, LangSetting, Layers, keys};
use std::path::Path;

/// Reads the text of a configuration; `path` only names it in errors.
///
/// # Errors
///
/// When it is no TOML, or a key of ours has a wrong value.
pub fn parse_config(text: &str, path: &Path) -> Result<Config, ConfigError> {
    let layer = Layer::parse(text, path, Origin::Project)?;
    Layers::new(Some(&layer), None).config()
}

impl Layers<'_> {
    /// What is said in general and of asking a person.
    ///
    /// # Errors
    ///
    /// When a key has a wrong value.
    pub fn config(&self) -> Result<Config, ConfigError> {
        let default = Config::default();
        Ok(Config {
            lang: self.lang()?.unwrap_or(default.lang),
            gitignore_aide: self.boolean(&keys::GENERAL_GITIGNORE_AIDE)?.unwrap_or(default.gitignore_aide),
            decide: DecideConfig {
                port: self.integer(&keys::DECIDE_PORT)?.unwrap_or(default.decide.port),
                bind: self.spanned(&keys::DECIDE_BIND)?.unwrap_or(default.decide.bind),
                url: self.spanned(&keys::DECIDE_URL)?.unwrap_or(default.decide.url),
                auth: self.spanned(&keys::DECIDE_AUTH)?.unwrap_or(default.decide.auth),
                timeout: self.integer(&keys::DECIDE_TIMEOUT)?.unwrap_or(default.decide.timeout),
                undo: self.integer(&keys::DECIDE_UNDO)?.unwrap_or(default.decide.undo),
            },
            notify_line: self.notify_line()?,
        })
    }

    /// The language.
    pub(crate) fn lang(&self) -> Result<Option<LangSetting>, ConfigError> {
        self.choice(&keys::GENERAL_LANG, |text| text.parse().ok())
    }

    /// Where a project has what only the person's own file may have.
    fn notify_line(&self) -> Result<Option<usize>, ConfigError> {
        let found = self.project.map(|layer| layer.find("notify")).transpose()?.flatten();
        Ok(found.map(|found| found.line().unwrap_or(1)))
    }
}
