//! Why there is no answer, and what to do about it. The English words stand here, beside the types, and nowhere else:
//! the code that records an error writes [`LlmError::told`].

use crate::cause::Cause;
use crate::words::with_words;
use crate::{BadAnswer, FinishReason};
use std::io;
use std::process::ExitStatus;
use std::time::Duration;

/// Why a provider has not answered. What others have said is on one line, short, and without the key.
#[derive(Debug, thiserror::Error)]
pub enum LlmError {
    /// There is no such program.
    #[error("program not found: {program}")]
    NotFound {
        /// Its name, as it is configured.
        program: String,
    },
    /// The program could not be started, or not be waited for.
    #[error("cannot run {program}: {source}")]
    NotStarted {
        /// Its name, as it is configured.
        program: String,
        /// The system's reason.
        source: io::Error,
    },
    /// The program has failed.
    #[error("{}", with_words(&format!("{program} failed ({})", ending(*status)), said))]
    Failed {
        /// Its name, as it is configured.
        program: String,
        /// Its exit code, or the signal that has ended it.
        status: ExitStatus,
        /// What it has said of it.
        said: String,
        /// Variables that programs of this kind use and that are set, but that it does not get.
        unpassed: Vec<String>,
    },
    /// It took too long.
    #[error("{}", with_words(&late(*awaited, *after), said))]
    TimedOut {
        /// What did not come.
        awaited: AnswerStage,
        /// How long was waited for it.
        after: Duration,
        /// What a program said last, on its standard error and on its standard output.
        said: String,
    },
    /// The caller did not want to wait any longer.
    #[error("cancelled")]
    Cancelled,
    /// The answer is longer than it may be.
    #[error("the answer has more than {limit} bytes")]
    TooMuch {
        /// How long it may be, in bytes.
        limit: usize,
    },
    /// There is an answer, and it is of no use. It was recorded if the model may correct it
    /// ([`BadAnswer::is_correctable`]).
    #[error(transparent)]
    BadAnswer(#[from] BadAnswer),
    /// The endpoint has answered with an error, or with something else than an answer.
    #[error("{}", with_words(&format!("{target} answered {status}"), message))]
    Http {
        /// Its address, without the query.
        target: String,
        /// The status, or the one that the error says it should have had.
        status: u16,
        /// The error's own code, where it has one: `insufficient_quota`.
        code: Option<String>,
        /// What it says.
        message: String,
        /// When it may be asked again.
        retry_after: Option<Duration>,
    },
    /// The endpoint cannot be reached.
    #[error("cannot connect to {target}: {message}")]
    Connect {
        /// Its address.
        target: String,
        /// Why.
        message: String,
    },
    /// The endpoint is reached, but its certificate is not one that the system trusts.
    #[error("the certificate of {target} is not trusted: {message}")]
    Certificate {
        /// Its address.
        target: String,
        /// Why.
        message: String,
    },
    /// The proxy that a variable names cannot be used.
    #[error("cannot use the proxy for {target}: {message}")]
    Proxy {
        /// Its address.
        target: String,
        /// Why.
        message: String,
    },
    /// The connection has ended before the answer did.
    #[error("the connection ended early: {message}")]
    Cut {
        /// Why.
        message: String,
    },
    /// What is configured is no address. It is not told: it may hold a password.
    #[error("the provider's base_url is not a valid address")]
    BadUrl,
    /// The key was not found.
    #[error(transparent)]
    NoKey(#[from] KeyError),
    /// The request or the answer could not be recorded. Without its record, no request is sent.
    #[error("cannot record the {}: {source}", if raw.is_some() { "answer" } else { "request" })]
    NotRecorded {
        /// The reason.
        source: io::Error,
        /// What was answered, where there is an answer: it may be recorded later.
        raw: Option<Vec<u8>>,
    },
}

/// What the caller waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerStage {
    /// The beginning of an answer.
    Beginning,
    /// More of an answer that has begun.
    More,
    /// The end of the answer.
    End,
}

/// Why there is no key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The variable is not set, or empty.
    #[error("the environment variable {name} is not set")]
    NoVariable {
        /// Its name.
        name: String,
    },
    /// The program that should print it has failed.
    #[error("{program} printed no key: {reason}")]
    NoOutput {
        /// Its name.
        program: String,
        /// Why.
        reason: String,
    },
    /// It has characters that no key has. They are not told.
    #[error("the key is empty or contains invalid characters")]
    NotAKey,
}

impl LlmError {
    /// Returns what to do about it, in English.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NotFound { .. } => "install it, or change the provider's command",
            Self::Failed { said, .. } if said.contains(UNTRUSTED) => TRUST,
            Self::Failed { unpassed, .. } if !unpassed.is_empty() => {
                return Some(format!(
                    "{} set, but not passed to the program: name {} in the provider's pass_env if it needs {}",
                    if unpassed.len() == 1 {
                        format!("the environment variable {} is", unpassed[0])
                    } else {
                        format!("the environment variables {} are", unpassed.join(", "))
                    },
                    if unpassed.len() == 1 { "it" } else { "them" },
                    if unpassed.len() == 1 { "it" } else { "them" },
                ));
            }
            Self::Failed { .. } => return self.cause().hint_for_program().map(str::to_owned),
            Self::TimedOut { awaited: AnswerStage::End, .. } => "try again, or raise the provider's timeout",
            Self::TimedOut { awaited: AnswerStage::Beginning, .. } => {
                "try again later, or raise the provider's first_byte_timeout"
            }
            Self::TimedOut { awaited: AnswerStage::More, .. } => {
                "try again later, or raise the provider's idle_timeout"
            }
            Self::BadAnswer(error) => return error.hint().map(str::to_owned),
            Self::Http { status: 300..=399, .. } => {
                "redirects are not followed; change the provider's base_url"
            }
            Self::Http { status: 404, .. } => "check the provider's base_url and model",
            Self::Http { .. } => match self.cause() {
                Cause::Quota => QUOTA,
                Cause::Key => "check the provider's key",
                Cause::Busy | Cause::Fault => "try again later",
                Cause::Lasting => return None,
            },
            Self::Connect { .. } => "check the network and the provider's base_url",
            Self::Certificate { .. } => {
                "let SSL_CERT_FILE name a file with the certificate of the authority that signed it"
            }
            Self::Proxy { .. } => {
                "let HTTPS_PROXY and HTTP_PROXY begin with http:// or https://, or name the host in NO_PROXY"
            }
            Self::Cut { .. } => "try again later",
            Self::BadUrl => "use a link that begins with http:// or https://",
            Self::NoKey(error) => return Some(error.hint().to_owned()),
            Self::NotStarted { .. } | Self::Cancelled | Self::TooMuch { .. } | Self::NotRecorded { .. } => {
                return None;
            }
        };
        Some(hint.to_owned())
    }

    /// Returns what happened and what to do about it on one line, in English, as it is recorded.
    pub fn describe(&self) -> String {
        match self.hint() {
            Some(hint) => format!("{self} ({hint})"),
            None => self.to_string(),
        }
    }

    /// Returns what it comes from.
    pub fn cause(&self) -> Cause {
        match self {
            Self::Http { status, code, message, retry_after, .. } => {
                Cause::from_http(*status, code.as_deref(), message, retry_after.is_some())
            }
            Self::TimedOut { .. } | Self::Connect { .. } | Self::Cut { .. } => Cause::Fault,
            Self::Failed { said, .. } => Cause::from_message(said).unwrap_or(Cause::Lasting),
            Self::BadAnswer(error) => error.cause(),
            Self::NoKey(_) => Cause::Key,
            Self::NotFound { .. }
            | Self::NotStarted { .. }
            | Self::Cancelled
            | Self::TooMuch { .. }
            | Self::Certificate { .. }
            | Self::Proxy { .. }
            | Self::BadUrl
            | Self::NotRecorded { .. } => Cause::Lasting,
        }
    }

    /// Whether the same question may well be answered later.
    pub fn is_transient(&self) -> bool {
        matches!(self.cause(), Cause::Busy | Cause::Fault)
    }
}

impl BadAnswer {
    /// Returns what to do about it, in English.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Unfinished { reason: FinishReason::Length } => {
                Some("raise the provider's max_tokens, or ask for a shorter answer")
            }
            Self::Refused { .. } => self.cause().hint_for_program(),
            Self::Unfinished { .. } | Self::NotUtf8 { .. } | Self::NotJson { .. } | Self::NoResult { .. } => {
                None
            }
        }
    }

    /// Returns what it comes from.
    pub fn cause(&self) -> Cause {
        match self {
            Self::Unfinished { reason: FinishReason::Missing | FinishReason::Other(_) } => Cause::Fault,
            Self::Refused { message } => Cause::from_message(message).unwrap_or(Cause::Lasting),
            Self::Unfinished { .. } | Self::NotUtf8 { .. } | Self::NotJson { .. } | Self::NoResult { .. } => {
                Cause::Lasting
            }
        }
    }

    /// Whether the model may correct it, given the error.
    pub fn is_correctable(&self) -> bool {
        matches!(self, Self::NotUtf8 { .. } | Self::NotJson { .. } | Self::NoResult { .. })
    }
}

impl KeyError {
    /// Returns what to do about it, in English.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoVariable { .. } => "set it to the key, or change the provider's api_key_env",
            Self::NoOutput { .. } => "check the provider's api_key_command",
            Self::NotAKey => "check the provider's api_key_env or api_key_command",
        }
    }
}

/// What Gemini CLI says in a folder that it does not trust, and what is advised then.
const UNTRUSTED: &str = "not running in a trusted directory";
const TRUST: &str = "run aide trust in the project, or let the program itself trust the folder";

/// What is advised where a quota is used up.
const QUOTA: &str = "the quota or the balance is used up: wait until it is renewed, or use another provider";

impl Cause {
    /// What to do where a program has named it.
    fn hint_for_program(self) -> Option<&'static str> {
        match self {
            Self::Busy | Self::Fault => Some("try again later"),
            Self::Quota => Some(QUOTA),
            Self::Key => {
                Some("log in with the program itself, or pass it its key with the provider's pass_env")
            }
            Self::Lasting => None,
        }
    }
}

fn late(awaited: AnswerStage, after: Duration) -> String {
    let time = after.as_secs_f64();
    match awaited {
        AnswerStage::Beginning => format!("no answer began within {time} seconds"),
        AnswerStage::More => format!("the answer paused for {time} seconds"),
        AnswerStage::End => format!("the answer did not end within {time} seconds"),
    }
}

fn ending(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => status.to_string(),
    }
}
