//! What can be wrong with a configuration, as data.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// How much of a wrong value is quoted, in characters.
const MAX_QUOTE: usize = 60;
/// How much of a line is quoted, in characters.
const MAX_LINE: usize = 100;

/// Why the configuration cannot be used, and where it says so.
#[derive(Debug, Clone, thiserror::Error)]
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
#[derive(Debug, Clone, thiserror::Error)]
pub enum ConfigErrorKind {
    /// The operating system refused.
    #[error(transparent)]
    Io(Arc<io::Error>),
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
    /// A merge has left both versions in the file, between its marks.
    #[error("merge conflict")]
    Conflict,
    /// The text is no TOML.
    #[error("{message}")]
    Syntax {
        /// The parser's own words.
        message: String,
        /// The column, from 1, in characters.
        column: usize,
        /// The line itself, or what is near the column in a long one.
        text: String,
    },
    /// The file says that it is for a later program.
    #[error("version {found}; this program knows {known}")]
    Newer {
        /// Its version.
        found: i64,
        /// The latest that is known here.
        known: i64,
    },
    /// A value of another type stands there.
    #[error("expected {expected}, found {found}")]
    WrongType {
        /// The TOML type that is expected: `boolean`, `integer`, `string`, `table`, `array of strings`,
        /// `table of strings`, `array of tables`, `string or array of strings`,
        /// `table of integers or array of strings` or `number from 0 to 2`.
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
    /// A table lacks a key that it needs.
    #[error("is missing")]
    Missing,
    /// A command names no program.
    #[error("names no program")]
    NoProgram,
    /// `flow.phases` is no list of phases.
    #[error(transparent)]
    Phases(PhasesFault),
    /// A phase is named that is none of `flow.phases`.
    #[error("no phase of flow.phases: {name:?}")]
    UnknownPhase {
        /// What stands there; shortened when it is long.
        name: String,
    },
    /// A text is blank that must not be.
    #[error("is blank")]
    Blank,
    /// A name stands there twice.
    #[error("twice: {name:?}")]
    Repeated {
        /// The name; shortened when it is long.
        name: String,
    },
    /// A key has no meaning for a provider of this kind.
    #[error("not for kind {kind:?}")]
    NotForKind {
        /// The kind.
        kind: &'static str,
    },
    /// Two keys say the same thing.
    #[error("not together with {other}")]
    NotTogether {
        /// The other key.
        other: &'static str,
    },
    /// A text is not the name of a variable. It is not quoted: it may be a secret that was put in the wrong place.
    #[error("not the name of a variable")]
    NotAVariable,
    /// A text is no link to an endpoint. It is not quoted either.
    #[error("not a link")]
    NotALink,
    /// A text is no id.
    #[error("not an id: {found:?}")]
    NotAnId {
        /// What stands there; shortened when it is long.
        found: String,
    },
    /// A path is relative, and nothing says to what.
    #[error("not an absolute path")]
    NotAbsolute,
    /// A text is no span of time.
    #[error("not a span of time: {found:?}")]
    NotASpan {
        /// What stands there; shortened when it is long.
        found: String,
    },
    /// An address has no place for what is looked for. It is not quoted: it may hold a key.
    #[error("no {{query}} in it")]
    NoQuery,
    /// The key to an endpoint stands in a file.
    #[error("a key in a file")]
    InlineKey,
    /// A variable that holds a secret stands in a file.
    #[error("a secret in a file: {name}")]
    InlineSecret {
        /// Its name; shortened when it is long.
        name: String,
    },
}

/// All that is wrong with a part of the configuration.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{first}")]
pub struct ConfigErrors {
    /// What is wrong first, in the order of the file.
    pub first: Box<ConfigError>,
    /// What else is wrong.
    pub more: Vec<ConfigError>,
}

/// What is wrong with `flow.phases`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PhasesFault {
    /// It is no list, or one of nothing.
    #[error("not a list of at least one name")]
    Empty,
    /// A name is blank, or no text.
    #[error("a name that is blank or no text")]
    Blank,
    /// A name stands there twice.
    #[error("twice: {0:?}")]
    Repeated(String),
}

/// The line of `text` that `at` is on, shortened around it when it is long, and the column of `at` in the line.
pub(crate) fn quoted_line(text: &str, at: usize) -> (usize, String) {
    let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
    let before = before.rsplit('\n').next().unwrap_or_default().trim_start_matches('\u{feff}');
    let after = after.split('\n').next().unwrap_or_default();
    let column = before.chars().count() + 1;
    let line: Vec<char> = before.chars().chain(after.chars()).collect();
    let line = line.strip_suffix(&['\r']).unwrap_or(&line);
    let start = if line.len() > MAX_LINE { column.saturating_sub(MAX_LINE / 2) } else { 0 };
    let mut quoted: String = line.iter().skip(start).take(MAX_LINE).collect();
    if start > 0 {
        quoted.insert(0, '…');
    }
    if line.len() > start + MAX_LINE {
        quoted.push('…');
    }
    (column, quoted)
}

/// The beginning of what is quoted.
pub(crate) fn shorten(text: &str) -> String {
    model::beginning(text, MAX_QUOTE)
}
