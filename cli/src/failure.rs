//! Every failure as a person is told it, and its exit code. Which error means what is decided here and nowhere else.

pub(crate) mod flow;

use crate::messages::{Message, Need};
use decide::DecideError;
use files::FileError;
use model::{Ending, InputError, Problem};
use server::BindError;
use settings::{BadSetting, ConfigError, ConfigErrorKind, SettingError, Source};
use std::io;
use store::{InitError, StoreError};

/// Exit code of a failure.
pub(crate) const FAILED: u8 = 1;
/// Exit code when the time to wait is over and the questions are still open (`EX_TEMPFAIL` of sysexits.h).
pub(crate) const STILL_PENDING: u8 = 75;
/// Exit code of a command line that was not understood.
pub(crate) const USAGE: u8 = 2;

/// `✗ what`, the line it is about, `建议: hint`, and what else is wrong with the same input.
#[derive(Debug)]
pub(crate) struct Failure {
    pub what: Box<Message>,
    /// The line of a file that it is about.
    pub quote: Option<String>,
    pub hint: Option<Box<Message>>,
    /// What belongs to it and takes lines of its own.
    pub lines: Vec<Message>,
    pub more: Vec<Problem>,
    pub code: u8,
}

impl Failure {
    pub(crate) fn new(what: Message, hint: impl Into<Option<Message>>) -> Self {
        Self {
            what: Box::new(what),
            quote: None,
            hint: hint.into().map(Box::new),
            lines: Vec::new(),
            more: Vec::new(),
            code: FAILED,
        }
    }

    /// A command line that was not understood.
    pub(crate) fn usage(what: Message, hint: Message) -> Self {
        Self { code: USAGE, ..Self::new(what, hint) }
    }

    /// A flag with a wrong value, which is a matter of usage.
    pub(crate) fn flag(flag: &'static str, value: String, need: Need) -> Self {
        Self::setting(Source::Flag(flag), flag, value, need)
    }

    fn setting(at: Source, key: &'static str, value: String, need: Need) -> Self {
        let code = match at {
            Source::Flag(_) => USAGE,
            Source::Variable(_) | Source::File { .. } | Source::Default => FAILED,
        };
        let what = Message::BadSetting { at, key, value, need };
        Self { code, ..Self::new(what, Message::CorrectSetting { need }) }
    }

    pub(crate) fn cannot_print(error: io::Error) -> Self {
        Self::new(Message::CannotPrint { error }, None)
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        match error {
            InputError::Syntax(error) => Self::new(Message::NotJson { error }, Message::CorrectJson),
            InputError::Invalid(problems) => {
                let mut problems = problems.into_iter();
                match problems.next() {
                    Some(problem) => {
                        let hint = Message::CorrectProblem { problem: problem.clone() };
                        Self { more: problems.collect(), ..Self::new(Message::Invalid { problem }, hint) }
                    }
                    None => Self::new(Message::Internal { words: "no problem named".to_owned() }, None),
                }
            }
        }
    }
}

impl From<ConfigError> for Failure {
    fn from(ConfigError { file, line, key, kind }: ConfigError) -> Self {
        match kind {
            // The documented sentence has no place in it.
            ConfigErrorKind::Phases(fault) => {
                Self::new(Message::BadPhases { fault }, Message::CorrectConfigAt { file, line })
            }
            kind => {
                let quote = match (line, &kind) {
                    (Some(line), ConfigErrorKind::Syntax { text, .. }) => Some(format!("{line} | {text}")),
                    _ => None,
                };
                Self {
                    quote,
                    ..Self::new(Message::BadConfig { file, line, key, kind }, Message::CorrectConfig)
                }
            }
        }
    }
}

impl From<BadSetting> for Failure {
    fn from(BadSetting { key, at, value, lets_anybody_in }: BadSetting) -> Self {
        let need = if lets_anybody_in { Need::Login } else { Need::of(key) };
        Self::setting(at, key.name, value, need)
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

impl From<DecideError> for Failure {
    fn from(error: DecideError) -> Self {
        match error {
            DecideError::NothingAsked => Self::new(Message::NoPending, Message::SubmitFirst),
            DecideError::NoSession { name } => {
                Self::new(Message::NoSession { session: name }, Message::SeeList)
            }
            DecideError::Ended { ending, replacement } => {
                let what = match ending {
                    Ending::Decided(_) => Message::AlreadyDecided,
                    Ending::Returned(returned) => Message::Returned { message: returned.message },
                    Ending::Cancelled => Message::Cancelled,
                    Ending::Expired(deadline) => Message::DeadlinePassed { deadline },
                    // Those in their place can be answered instead.
                    Ending::Replaced(_) => {
                        return Self::new(Message::Replaced { by: replacement }, Message::AnswerThose);
                    }
                };
                Self::new(what, Message::SeeResult)
            }
            DecideError::PendingCorrupt { message } => {
                Self::new(Message::PendingCorrupt { words: message }, Message::SubmitAgainDamaged)
            }
            DecideError::RecordCorrupt { file, message } => {
                Self::new(Message::RecordCorrupt { file, words: message }, Message::RestoreOrSubmit)
            }
            DecideError::Store(error) => error.into(),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NoAideFolder { .. } => Self::new(Message::NoAideFolder, None),
            StoreError::MissingSession => {
                Self::new(Message::PendingWithoutSession, Message::SubmitAgainWithoutSession)
            }
            StoreError::TooManyOpen { count } => {
                Self::new(Message::TooManyOpen { count }, Message::AnswerOrCancel)
            }
            StoreError::AttachmentsChanged => Self::new(Message::FilesChanged, None),
            StoreError::NoSessionLeft => Self::new(Message::NoSessionLeft, Message::CheckClock),
            StoreError::File(error) => error.into(),
        }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Symlink { path } => Self::new(Message::IsSymlink { path }, Message::MakeItOurs),
            FileError::NotOurs { path } => Self::new(Message::NotOurs { path }, Message::MakePrivate),
            FileError::NotAFolder { path } => Self::new(Message::NotAFolder { path }, Message::MakeItOurs),
            FileError::NotAFile { path } => Self::new(Message::NotAFile { path }, Message::MakeItOurs),
            FileError::TooLarge { path, limit } => {
                Self::new(Message::FileTooLarge { path, limit }, Message::SendLess)
            }
            FileError::Corrupt { file, message } => {
                Self::new(Message::FileCorrupt { file, words: message }, Message::RestoreOrSubmit)
            }
            FileError::Busy { path } => Self::new(Message::FolderBusy { path }, Message::EndOther),
            FileError::Io { path, source } => {
                Self::new(Message::FileFailed { path, error: source }, Message::CheckSpace)
            }
        }
    }
}

impl From<InitError> for Failure {
    fn from(error: InitError) -> Self {
        match error {
            InitError::Store(error) => error.into(),
            InitError::Config(error) => error.into(),
        }
    }
}

impl From<BindError> for Failure {
    fn from(error: BindError) -> Self {
        match error {
            BindError::Busy { first, last } => {
                Self::new(Message::PortsBusy { first, last }, Message::FreePort)
            }
            // The setting was checked; whoever gave it was told.
            BindError::BadHost { .. } => Self::new(Message::Internal { words: error.to_string() }, None),
            BindError::Os { address, source } => {
                Self::new(Message::CannotListen { address, error: source }, Message::OtherAddress)
            }
        }
    }
}
