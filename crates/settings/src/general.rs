//! `[general]` and `[decide]`, as the files say them.

use crate::Spanned;
use std::str::FromStr;

/// What `aide init` writes: every key that a project may have, in a comment, with its default. No key is set, so that it
/// hides nothing of the user's own configuration.
pub const DEFAULT_CONFIG: &str = include_str!("default.toml");

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
    pub bind: Spanned,
    /// `decide.url`: the link to print instead of the address; empty when there is none.
    pub url: Spanned,
    /// `decide.auth`: whether the page needs a login.
    pub auth: Spanned,
    /// `decide.timeout`: how long to wait for an answer, in seconds; 0 waits for ever.
    pub timeout: u64,
    /// `decide.undo`: for how long the person can take back a submission, in seconds; 0 not at all.
    pub undo: u32,
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
            bind: Spanned::default_text("127.0.0.1"),
            url: Spanned::default_text(""),
            auth: Spanned::default_text("auto"),
            timeout: 0,
            undo: 0,
        }
    }
}
