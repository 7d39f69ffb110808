//! What is wrong with a document of agents, as data.

use super::{Code, PathFault};
use crate::Found;

/// One broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where, written `payload.files[0].path`; empty for the document itself. A missing member is named by the path it
    /// should have.
    pub path: String,
    /// Which rule.
    pub rule: Rule,
    /// What stands there.
    pub found: Found,
}

impl Problem {
    /// Returns the code under which it is told to agents.
    pub fn code(&self) -> Code {
        self.rule.code()
    }
}

/// The rules for what agents tell one another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// Anything is expected, but not nothing.
    IsGiven,
    /// An object is expected.
    IsObject,
    /// A string is expected.
    IsString,
    /// Something must be written there.
    NotBlank,
    /// `true` or `false` is expected.
    IsBoolean,
    /// A whole number of at least this is expected.
    IsInteger {
        /// The least.
        least: u64,
    },
    /// A number of at least this is expected.
    IsNumber {
        /// The least.
        least: u64,
    },
    /// A number from 0 to 100 is expected.
    IsScore,
    /// An array is expected.
    IsArray,
    /// An array with at least one element is expected.
    IsFilledArray,
    /// One of these names is expected.
    IsOneOf {
        /// The names.
        names: &'static [&'static str],
    },
    /// A name that can be part of a file's name is expected: [`super::Id`].
    IsId,
    /// The id of a command begins with `cmd_`.
    IsCommandId,
    /// A path that stays where it belongs is expected.
    IsPath {
        /// What is wrong with it.
        fault: PathFault,
    },
    /// `sha256:` and 64 lower-case hexadecimal digits are expected.
    IsSha256,
    /// A time in ISO 8601 is expected.
    IsTimestamp,
    /// `MAJOR.MINOR` is expected.
    IsVersion,
    /// This version is not supported.
    VersionSupported {
        /// The newest that is.
        newest: &'static str,
        /// Whether it is that of a DAG.
        dag: bool,
    },
    /// A message is a command or an artifact.
    IsMessageType,
    /// Envelope and command name the same plan, task and command.
    SameAsEnvelope {
        /// What the envelope says.
        envelope: String,
    },
    /// A command that is routed has a number.
    SeqGiven,
    /// The id of a command that is routed is `cmd_<task>_<number>`.
    SeqInId,
    /// The number of a command is the one at the end of its id.
    SeqMatchesId {
        /// The one in the id.
        in_id: String,
    },
    /// The task of a command is the one in its id.
    TaskMatchesId {
        /// The one in the id.
        in_id: String,
    },
    /// No command names a target: delivery is the DAG's.
    NamesNoTarget,
    /// A bound from below is not above the one from above.
    MinNotAboveMax,
    /// Only a command that is scored can choose by score.
    NeedsScore,
    /// No two elements share this.
    IsUnique,
    /// Hashes can only be chosen from where some are allowed.
    NeedsHashes,
}

impl Rule {
    /// Returns the code under which it is told to agents.
    pub fn code(&self) -> Code {
        match self {
            Self::IsPath { .. } => Code::UnsafePath,
            Self::VersionSupported { dag: true, .. } => Code::DagSchemaVersionUnsupported,
            Self::VersionSupported { dag: false, .. } => Code::SchemaVersionUnsupported,
            Self::IsMessageType => Code::UnsupportedMessageType,
            Self::SameAsEnvelope { .. } => Code::CommandEnvelopeMismatch,
            Self::SeqGiven => Code::CommandSeqMissing,
            Self::SeqInId => Code::CommandSeqInvalidFormat,
            Self::SeqMatchesId { .. } => Code::CommandSeqMismatch,
            Self::TaskMatchesId { .. } => Code::CommandTaskMismatch,
            _ => Code::SchemaInvalid,
        }
    }
}

/// Returns the code for a document that has these problems: the one that a reader would meet first. A version that nobody
/// knows explains everything else; what the fields say together matters only where each is right by itself.
pub fn leading_code(problems: &[Problem]) -> Option<Code> {
    const ORDER: [Code; 10] = [
        Code::SchemaVersionUnsupported,
        Code::DagSchemaVersionUnsupported,
        Code::UnsupportedMessageType,
        Code::SchemaInvalid,
        Code::UnsafePath,
        Code::CommandEnvelopeMismatch,
        Code::CommandSeqMissing,
        Code::CommandSeqInvalidFormat,
        Code::CommandSeqMismatch,
        Code::CommandTaskMismatch,
    ];
    problems.iter().map(Problem::code).min_by_key(|code| ORDER.iter().position(|other| other == code))
}
