//! Every error of the libraries in words: what happened, and what to do about it.
//!
//! A file per crate whose errors it words, an `impl` per type. Both languages match exhaustively, so that a new variant without a
//! sentence does not compile; its sample goes into `tests/errors.rs`. Commands, the page and scripts get their messages from
//! here, in the caller's language.

mod agent;
mod daemon;
mod decide;
mod files;
mod flow;
mod llm;
mod model;
mod need;
mod notice;
mod plan;
mod settings;
mod setup;
mod store;

pub use decide::sent_back;
pub use need::{BadFlag, Need};
pub use settings::{RefusedEdit, RefusedValue};

use crate::Lang;
use std::fmt;
use std::io::{self, ErrorKind};

/// An error in words. Its texts quote files and other programs: they are not safe to print, and may have line breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// What happened.
    pub what: String,
    /// The line of a file that it is about.
    pub quote: Option<String>,
    /// What to do about it.
    pub hint: Option<String>,
    /// What belongs to it and takes lines of its own.
    pub lines: Vec<String>,
}

/// What people can be told of, in every language.
pub trait Explain: fmt::Debug + Send + Sync {
    /// In Chinese. Agents read it: a documented sentence is a contract, to the letter.
    fn zh(&self) -> Explanation;

    /// In English: the same.
    fn en(&self) -> Explanation;

    /// In `lang`.
    fn explain(&self, lang: Lang) -> Explanation {
        match lang {
            Lang::Zh => self.zh(),
            Lang::En => self.en(),
        }
    }
}

impl<E: Explain + 'static> From<E> for Box<dyn Explain> {
    fn from(error: E) -> Self {
        Box::new(error)
    }
}

impl Explanation {
    /// What happened, where nothing is to be done about it, or the sentence says what.
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), quote: None, hint: None, lines: Vec::new() }
    }

    /// The same with what to do.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// The same with further lines.
    #[must_use]
    fn with_lines(self, lines: Vec<String>) -> Self {
        Self { lines, ..self }
    }
}

/// The reason that the operating system gives; in Chinese where it is a common one.
pub fn reason(lang: Lang, error: &io::Error) -> String {
    let words = match (lang, error.kind()) {
        (Lang::Zh, ErrorKind::NotFound) => "不存在",
        (Lang::Zh, ErrorKind::PermissionDenied) => "权限不足",
        (Lang::Zh, ErrorKind::AddrNotAvailable) => "本机没有此地址",
        (Lang::Zh, ErrorKind::StorageFull) => "磁盘空间不足",
        (Lang::Zh, ErrorKind::QuotaExceeded) => "超出磁盘配额",
        (Lang::Zh, ErrorKind::ReadOnlyFilesystem) => "文件系统只读",
        (Lang::Zh, ErrorKind::IsADirectory) => "是目录",
        (Lang::Zh, ErrorKind::NotADirectory) => "不是目录",
        (Lang::Zh | Lang::En, _) => return error.to_string(),
    };
    match error.raw_os_error() {
        Some(code) => format!("{words} (os error {code})"),
        None => words.to_owned(),
    }
}
