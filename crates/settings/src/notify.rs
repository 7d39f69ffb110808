//! `[notify]`, as the person's own file says it.

use crate::Spanned;
use std::path::PathBuf;
use std::time::Duration;

/// What the person's own file says of being told of questions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NotifyConfig {
    /// `notify.when`.
    pub when: Option<Spanned>,
    /// `notify.command`: a program and its arguments; empty when there is none.
    pub command: Vec<String>,
    /// `notify.details`: whether a notice holds the questions and their options.
    pub details: bool,
    /// `notify.steps`, in the order of the file.
    pub steps: Vec<NotifyStep>,
}

/// One step: what is done when questions have been open for so long, and the person has not looked at them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotifyStep {
    /// How long they have been open.
    pub after: Duration,
    /// What is done.
    pub how: Channel,
}

/// The channel of a notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Channel {
    /// A notification of the desktop.
    Desktop,
    /// A notification of the terminal that the command was started in (OSC 9).
    Terminal,
    /// A program and its arguments.
    Command(Vec<String>),
    /// A request to an address.
    Webhook(Webhook),
    /// A topic of ntfy.
    Ntfy(Ntfy),
}

/// A request to an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// The address.
    pub url: Reference,
    /// What lets in, sent as a bearer token.
    pub token: Option<Reference>,
    /// The members of the JSON object that is sent, with placeholders; empty for the usual object.
    pub body: Vec<(String, String)>,
}

/// A topic of ntfy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ntfy {
    /// The address of the server.
    pub server: Reference,
    /// The topic.
    pub topic: Reference,
    /// What lets in, sent as a bearer token.
    pub token: Option<Reference>,
}

/// A text that stands in the file, or elsewhere because it is secret.
#[derive(Clone, PartialEq, Eq)]
pub enum Reference {
    /// The text itself.
    Text(String),
    /// In this variable of the environment.
    Variable(String),
    /// In this file, whose first line it is.
    File(PathBuf),
}

impl std::fmt::Debug for Reference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            // An address or a topic may be secret.
            Self::Text(_) => f.write_str("Text(…)"),
            Self::Variable(name) => f.debug_tuple("Variable").field(name).finish(),
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
        }
    }
}

impl Channel {
    /// What may be written for `how`.
    pub const NAMES: &'static [&'static str] = &["desktop", "terminal", "command", "webhook", "ntfy"];

    /// As it is written.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Desktop => "desktop",
            Self::Terminal => "terminal",
            Self::Command(_) => "command",
            Self::Webhook(_) => "webhook",
            Self::Ntfy(_) => "ntfy",
        }
    }
}
