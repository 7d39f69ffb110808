//! The message and the exit code of every failure. Which error has which code is decided only here.

use crate::messages::{DaemonMessage, Message, bind};
use agent::gateway::GatewayError;
use agent::plan::PlanError;
use agent::{ExecutionError, FolderError};
use client::{BadUrl, ClientError};
use daemon::{DaemonError, DaemonPort};
use decide::DecideError;
use files::FileError;
use flow::{BackError, FlowError};
use journal::JournalError;
use model::{InputError, Problem};
use protocol::agent::FormatError;
use protocol::workflow::ErrorCode;
use server::BindError;
use settings::{BadSetting, ConfigError, ConfigErrors, SettingError, Source};
use setup::SetupError;
use std::io;
use store::{FlowFileError, InitError, StoreError};
use texts::{BadFlag, Explain, Explanation, Lang, Need, RefusedEdit, RefusedValue};

/// Exit code of a failure.
pub(crate) const FAILED: u8 = 1;
/// Exit code when the wait has timed out and the questions are still open, or when inputs are missing and are not awaited
/// (`EX_TEMPFAIL` of sysexits.h).
pub(crate) const STILL_PENDING: u8 = 75;
/// Exit code of a command line that was not understood.
pub(crate) const USAGE: u8 = 2;
/// Exit code where no daemon answers (contract/terminal §6.3, like those below).
pub(crate) const UNREACHABLE: u8 = 3;
/// Exit code where there is no such workflow, or whatever was named.
pub(crate) const MISSING: u8 = 4;
/// Exit code when a workflow has failed.
pub(crate) const TASK_FAILED: u8 = 5;
/// Exit code when the person does not want to wait any longer, or a workflow was cancelled.
pub(crate) const CANCELLED: u8 = 6;
/// Exit code when something has taken too long.
pub(crate) const TIMED_OUT: u8 = 7;

/// `✗ what`, the line it is about, `建议: hint`, and what else is wrong with the same input.
#[derive(Debug)]
pub(crate) struct Failure {
    pub what: FailureKind,
    /// What to do, where the error does not know it, or the command knows better.
    pub hint: Option<Box<Message>>,
    /// What belongs to it and takes lines of its own.
    pub lines: Vec<Message>,
    pub more: Vec<Problem>,
    pub code: u8,
}

/// What went wrong.
#[derive(Debug)]
pub(crate) enum FailureKind {
    /// Something that only a command knows.
    Message(Box<Message>),
    /// An error of a library.
    Error(Box<dyn Explain>),
    /// No port could be held.
    NotBound(BindError),
}

impl Failure {
    pub(crate) fn new(what: Message, hint: impl Into<Option<Message>>) -> Self {
        Self { hint: hint.into().map(Box::new), ..Self::from_kind(FailureKind::Message(Box::new(what))) }
    }

    fn from_kind(what: FailureKind) -> Self {
        Self { what, hint: None, lines: Vec::new(), more: Vec::new(), code: FAILED }
    }

    fn error(error: impl Explain + 'static) -> Self {
        Self::from_kind(FailureKind::Error(Box::new(error)))
    }

    /// The same with other advice than the error's own.
    pub(crate) fn with_hint(self, hint: Message) -> Self {
        Self { hint: Some(Box::new(hint)), ..self }
    }

    /// The same with another exit code.
    pub(crate) fn with_code(self, code: u8) -> Self {
        Self { code, ..self }
    }

    /// A command line that was not understood.
    pub(crate) fn usage(what: Message, hint: Message) -> Self {
        Self { code: USAGE, ..Self::new(what, hint) }
    }

    /// A flag with a wrong value, which is a matter of usage.
    pub(crate) fn flag(flag: &'static str, value: String, need: Need) -> Self {
        Self { code: USAGE, ..Self::error(BadFlag { flag, value, need }) }
    }

    pub(crate) fn cannot_print(error: io::Error) -> Self {
        Self::new(Message::CannotPrint { error }, None)
    }

    /// In words, but for the further problems.
    pub(crate) fn explain(&self, lang: Lang) -> Explanation {
        let mut explanation = match &self.what {
            FailureKind::Message(message) => Explanation::new(message.render(lang)),
            FailureKind::Error(error) => error.explain(lang),
            FailureKind::NotBound(error) => bind::explain(error, lang),
        };
        if let Some(hint) = &self.hint {
            explanation.hint = Some(hint.render(lang));
        }
        explanation.lines.extend(self.lines.iter().map(|line| line.render(lang)));
        explanation
    }
}

/// Where a message quotes it.
impl Explain for Failure {
    fn zh(&self) -> Explanation {
        self.explain(Lang::Zh)
    }

    fn en(&self) -> Explanation {
        self.explain(Lang::En)
    }
}

/// Why something was not done that a daemon was asked for.
pub(crate) enum RemoteError {
    /// The daemon says so, or does not answer.
    Client(ClientError),
    /// Something here.
    Here(Failure),
}

impl From<ClientError> for RemoteError {
    fn from(error: ClientError) -> Self {
        Self::Client(error)
    }
}

impl From<Failure> for RemoteError {
    fn from(failure: Failure) -> Self {
        Self::Here(failure)
    }
}

/// Errors whose own message is shown, without additional advice.
macro_rules! told_as_they_are {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::error(error)
            }
        })*
    };
}

told_as_they_are! {
    agent::CommandFailure, BackError, ConfigError, ConfigErrors, DecideError, ExecutionError, FileError, FlowError, FlowFileError,
    FolderError, FormatError, GatewayError, InitError, JournalError, PlanError, RefusedEdit, RefusedValue, SetupError, StoreError,
    workflow::Failure,
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        let more = match &error {
            InputError::Syntax(_) => Vec::new(),
            InputError::Invalid(problems) => problems.iter().skip(1).cloned().collect(),
        };
        Self { more, ..Self::error(error) }
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let code = match &error {
            ClientError::Unreachable { .. } | ClientError::Unresponsive { .. } => UNREACHABLE,
            ClientError::TimedOut { .. } => TIMED_OUT,
            ClientError::Refused { status: 400, .. } => USAGE,
            ClientError::Refused { status: 404, .. } => MISSING,
            ClientError::Refused { refusal, .. } if refusal.code == ErrorCode::ProviderMissing => MISSING,
            ClientError::Refused { status: 504, .. } => TIMED_OUT,
            ClientError::Refused { .. } | ClientError::Unintelligible { .. } => FAILED,
        };
        Self { code, ..Self::error(error) }
    }
}

impl From<BadUrl> for Failure {
    fn from(error: BadUrl) -> Self {
        Self { code: USAGE, ..Self::error(error) }
    }
}

impl From<BadSetting> for Failure {
    fn from(error: BadSetting) -> Self {
        let code = match error.at {
            Source::Flag(_) => USAGE,
            Source::Variable(_) | Source::File { .. } | Source::Default => FAILED,
        };
        Self { code, ..Self::error(error) }
    }
}

impl From<SettingError> for Failure {
    fn from(error: SettingError) -> Self {
        match error {
            SettingError::Config(error) => error.into(),
            SettingError::Bad(error) => error.into(),
        }
    }
}

impl From<DaemonError> for Failure {
    fn from(error: DaemonError) -> Self {
        match error {
            DaemonError::File(error) => error.into(),
            DaemonError::NotBound { port, error } => {
                let flag = match port {
                    DaemonPort::Http => "--http-port",
                    DaemonPort::WebSocket => "--ws-port",
                };
                Self::from(error).with_hint(Message::daemon(DaemonMessage::OtherPort { flag }))
            }
            DaemonError::Journal(error) => error.into(),
            DaemonError::Workflow(error) => error.into(),
            DaemonError::System(error) => Self::new(Message::ServerFailed { words: error.to_string() }, None),
        }
    }
}

impl From<BindError> for Failure {
    fn from(error: BindError) -> Self {
        Self::from_kind(FailureKind::NotBound(error))
    }
}
