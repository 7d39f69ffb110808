//! `[daemon]`: where the resident process listens, and what it keeps. Only the person's own file has a say in it.

use crate::forms;
use std::str::FromStr;

/// Checked values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DaemonSettings {
    /// The port of HTTP; 0 takes any free one.
    pub http_port: u16,
    /// The port that has nothing but WebSockets; 0 takes any free one.
    pub ws_port: u16,
    /// `localhost` or an IP address.
    pub host: String,
    /// The link by which people come; empty when it is made from the port.
    pub url: String,
    /// How much the log says.
    pub log_level: LogLevel,
    /// How many events are kept at least. Those of workflows that have not ended are kept in any case.
    pub keep_events: u64,
    /// How long a thread may wait until the daemon is stuck and begins anew, in seconds.
    pub stall_limit: u32,
    /// Whether it shows the questions of `aide decide submit`.
    pub decide: ShowQuestions,
    /// Whether it has `/metrics`.
    pub metrics: bool,
}

/// Whether a daemon shows the questions of `aide decide submit`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ShowQuestions {
    /// If the asker names no address of its own.
    #[default]
    Auto,
    /// Everybody shows their own.
    Never,
}

/// A text that is none of [`ShowQuestions::NAMES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("neither auto nor never")]
pub struct UnknownShowQuestions;

impl ShowQuestions {
    /// What may be written.
    pub const NAMES: &'static [&'static str] = &["auto", "never"];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Never => "never",
        }
    }
}

impl FromStr for ShowQuestions {
    type Err = UnknownShowQuestions;

    fn from_str(text: &str) -> Result<Self, UnknownShowQuestions> {
        [Self::Auto, Self::Never].into_iter().find(|one| one.name() == text).ok_or(UnknownShowQuestions)
    }
}

/// How much a log says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LogLevel {
    /// What has failed.
    Error,
    /// What is not as it should be as well.
    Warn,
    /// What was begun and ended as well.
    #[default]
    Info,
    /// Every request as well.
    Debug,
    /// Everything.
    Trace,
}

/// A text that is none of [`LogLevel::NAMES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a level")]
pub struct UnknownLevel;

impl LogLevel {
    /// What may be written for a level.
    pub const NAMES: &'static [&'static str] = &["error", "warn", "info", "debug", "trace"];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        }
    }
}

impl FromStr for LogLevel {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Self, UnknownLevel> {
        let all = [Self::Error, Self::Warn, Self::Info, Self::Debug, Self::Trace];
        all.into_iter().find(|level| level.name() == text).ok_or(UnknownLevel)
    }
}

impl Default for DaemonSettings {
    fn default() -> Self {
        Self {
            http_port: 8080,
            ws_port: 8081,
            host: "127.0.0.1".to_owned(),
            url: String::new(),
            log_level: LogLevel::default(),
            keep_events: 100_000,
            stall_limit: 60,
            decide: ShowQuestions::default(),
            metrics: false,
        }
    }
}

impl DaemonSettings {
    /// Whether only this machine can come.
    pub fn is_loopback(&self) -> bool {
        forms::is_loopback(&self.host)
    }
}
