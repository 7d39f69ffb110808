//! Validation problems of documents.

use super::{Code, PathFault};
use model::Found;

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Path of the value, such as `payload.files[0].path`; empty for the document itself. A missing member has the path that it
    /// should have.
    pub path: String,
    /// The broken rule.
    pub rule: Rule,
    /// The value found.
    pub found: Found,
}

impl Problem {
    /// Returns the error code that agents receive.
    pub fn code(&self) -> Code {
        self.rule.code()
    }
}

/// Validation rules for documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// Any value other than `null` is expected.
    IsGiven,
    /// An object is expected.
    IsObject,
    /// A string is expected.
    IsString,
    /// Text that is not blank is expected.
    NotBlank,
    /// `true` or `false` is expected.
    IsBoolean,
    /// An integer not below the minimum is expected.
    IsInteger {
        /// The minimum.
        least: u64,
    },
    /// A number not below the minimum is expected.
    IsNumber {
        /// The minimum.
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
        /// The allowed names.
        names: &'static [&'static str],
    },
    /// An id that can be used in file names is expected: [`super::Id`].
    IsId,
    /// The id of a command must begin with `cmd_`.
    IsCommandId,
    /// A path that stays below its folder is expected.
    IsPath {
        /// The fault of the path.
        fault: PathFault,
    },
    /// `sha256:` and 64 lower-case hexadecimal digits are expected.
    IsSha256,
    /// A time in ISO 8601 is expected.
    IsTimestamp,
    /// `MAJOR.MINOR` is expected.
    IsVersion,
    /// The version is not supported.
    VersionSupported {
        /// The newest supported version.
        newest: &'static str,
        /// Whether the document is a DAG.
        dag: bool,
    },
    /// The type of a message must be a command or an artifact.
    IsMessageType,
    /// Envelope and command must name the same plan, task and command.
    SameAsEnvelope {
        /// The value in the envelope.
        envelope: String,
    },
    /// A routed command must have a sequence number.
    SeqGiven,
    /// The id of a routed command must be `cmd_<task>_<number>`.
    SeqInId,
    /// The sequence number of a command must match its id.
    SeqMatchesId {
        /// The number in the id.
        in_id: String,
    },
    /// The task of a command must match its id.
    TaskMatchesId {
        /// The task in the id.
        in_id: String,
    },
    /// A command must not name a recipient, because the DAG defines the delivery.
    NamesNoTarget,
    /// A lower bound must not exceed its upper bound.
    MinNotAboveMax,
    /// Only a scored command can produce outputs by score.
    NeedsScore,
    /// No two elements may share this value.
    IsUnique,
    /// Selection by hash requires allowed hashes.
    NeedsHashes,
}

impl Rule {
    /// Returns the error code that agents receive.
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

/// Returns the code for a document with these problems: that of the problem that a reader would meet first. An unsupported
/// version explains all other problems; rules across members matter only if each member is valid on its own.
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
