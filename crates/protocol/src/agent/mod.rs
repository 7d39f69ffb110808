//! Formats of the files that agents exchange: every format is a type that defines what is valid.
//!
//! A document is read by [`Format::parse`] or [`Format::from_value`], which return the typed document or all its problems.
//! Unknown members are kept in `extra`, in order. The types of the members define what is valid: an [`Id`] can be part of a file
//! name, a [`PayloadPath`] stays below its folder.
//!
//! The types also implement serde's `Deserialize`, which reads a command as one that is run directly ([`Mode::Direct`]), reports
//! only the first problem, and does not notice duplicate members.

mod ack;
mod alert;
mod catalog;
mod code;
mod command;
mod dag;
mod decision;
mod delivery;
mod envelope;
mod evidence;
mod format_name;
mod heartbeat;
mod human;
mod id;
mod input_index;
mod macros;
mod non_empty;
mod plan;
mod problem;
mod profile;
mod question;
mod read;
mod rel_path;
mod result;
mod score;
mod sha256;
mod task_state;
mod text;
mod timestamp;
mod version;

pub use ack::{Ack, AckStatus};
pub use alert::{Alert, AlertSource};
pub use catalog::{CATALOG, CatalogEntry};
pub use code::{Code, Severity};
pub use command::{
    Command, DagRef, OnComplete, OnFailure, Produced, ProducedFile, ResolvedInput, ScoreRange,
};
pub use dag::{
    ConflictPolicy, FailurePolicy, Gates, Node, NodeInput, NodeOutput, OnDependencyFailed, PickPolicy,
    RouteMatch, RoutingRule, Selector, SelectorKind, TaskDag, Thresholds, Versioning, VersioningMode,
};
pub use decision::{
    AgentDecision, DecisionSubject, DecisionType, ReleaseDecision, ReleaseManifest, ReleasedFile,
    ReplanReason, ReplanRecommendation, ReplanRequest, ReplanTrigger, SubjectKind, Verdict,
};
pub use delivery::{
    DeadActions, DeadLetter, DeadOriginal, DeadReason, DeliveredFile, DeliveredPayload, Delivery,
    DeliveryError, DeliveryStatus, ReplayRequest, SuggestedNext,
};
pub use envelope::{Envelope, FileRef, MessageType, Order, Payload};
pub use evidence::{
    ArtifactValidation, BuildValidation, DagReview, DeployValidation, E2eTest, Judgement, ReviewDecision,
    ScorePart, SecurityScan, SmokeTest, ValidationDecision,
};
pub use format_name::FormatName;
pub use heartbeat::{Health, HeartbeatConfig, InputsConfig, PlansConfig, ScanMode, StatusHeartbeat};
pub use human::{
    DecisionAnswer, DecisionChoice, HumanDecision, HumanRequest, HumanResponse, Needed, NeededDecision,
    NeededFile, ProvidedFile, RequestBlocking, RequestedBy, Responder,
};
pub use id::{Id, IdError, Recipient};
pub use input_index::{IndexedFile, InputEntry, InputIndex};
pub use non_empty::NonEmpty;
pub use plan::{
    Acceptance, ActiveDagRef, Attempts, BlockedSummary, DagKind, Deliverable, GateStatus, JudgementTimeout,
    PlanAgent, PlanGates, PlanManifest, PlanState, PlanStatus, PlanSummary, Policies, TaskStatus, Timeouts,
};
pub use problem::{Problem, Rule, leading_code};
pub use profile::AgentProfile;
pub use question::{PlanChoice, PlanContext, PlanQuestion, PlanTitle};
pub use rel_path::{PathFault, PayloadPath, RelPath};
pub use result::{ResultDocument, UsedInput};
pub use score::{AtLeast, Score};
pub use sha256::{Sha256, Sha256Error};
pub use task_state::{Blocking, Progress, State, TaskState};
pub use text::{BlankText, Text};
pub use timestamp::{Timestamp, TimestampError};
pub use version::{DagVersion, SchemaVersion, Version};

use model::{SyntaxError, strict};
use serde_json::{Map, Value};

/// Unknown members, as read.
pub type Extra = Map<String, Value>;

/// Purpose of a command; nothing else depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Part of a plan, sent through the router: it has a sequence number that agrees with its id, and refers to its DAG.
    Routed,
    /// Run directly (contract/plans §5.2), without these.
    Direct,
}

/// Reason why a file is not a valid document.
#[derive(Debug, Clone, PartialEq)]
pub enum FormatError {
    /// The file is not JSON.
    Syntax(SyntaxError),
    /// The document breaks rules; never empty.
    Invalid(Vec<Problem>),
}

impl FormatError {
    /// Returns the error code that agents receive.
    pub fn code(&self) -> Code {
        match self {
            Self::Syntax(_) => Code::EnvelopeParseError,
            Self::Invalid(problems) => leading_code(problems).unwrap_or(Code::SchemaInvalid),
        }
    }
}

/// A document that agents exchange.
pub trait Format: Sized + serde::Serialize {
    /// Reads a document that may contain a command for this `mode`.
    ///
    /// # Errors
    ///
    /// All its problems.
    fn from_value_for(value: &Value, mode: Mode) -> Result<Self, Vec<Problem>>;

    /// Reads a document.
    ///
    /// # Errors
    ///
    /// All its problems.
    fn from_value(value: &Value) -> Result<Self, Vec<Problem>> {
        Self::from_value_for(value, Mode::Routed)
    }

    /// Reads the bytes of a file that may contain a command for this `mode`. A duplicate member is an error.
    ///
    /// # Errors
    ///
    /// When the file is not JSON, or the document is invalid.
    fn parse_for(bytes: &[u8], mode: Mode) -> Result<Self, FormatError> {
        let value = strict::read(bytes).map_err(FormatError::Syntax)?;
        Self::from_value_for(&value, mode).map_err(FormatError::Invalid)
    }

    /// Reads the bytes of a file. A duplicate member is an error.
    ///
    /// # Errors
    ///
    /// When the file is not JSON, or the document is invalid.
    fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        Self::parse_for(bytes, Mode::Routed)
    }
}

impl<T: read::Member + serde::Serialize> Format for T {
    fn from_value_for(value: &Value, mode: Mode) -> Result<Self, Vec<Problem>> {
        read::read(value, mode)
    }
}
