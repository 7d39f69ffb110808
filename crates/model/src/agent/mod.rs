//! What agents tell one another through files: every format as a type, with what is valid in it.
//!
//! A document is read by [`Format::parse`] or [`Format::from_value`], which give the typed document or all its problems.
//! What a type does not know is kept in `extra`, in its order. A type's fields say what is valid: an [`Id`] can be part of a
//! file's name, a [`PayloadPath`] leads nowhere else.
//!
//! They are read by serde as well, with a command as it may be run directly ([`Mode::Direct`]); then only the first problem is
//! told, and a member that is named twice is not noticed.

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
mod filled;
mod format_name;
mod heartbeat;
mod human;
mod id;
mod input_index;
mod macros;
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
pub use filled::Filled;
pub use format_name::FormatName;
pub use heartbeat::{Health, HeartbeatConfig, InputsConfig, PlansConfig, ScanMode, StatusHeartbeat};
pub use human::{
    DecisionAnswer, DecisionChoice, HumanDecision, HumanRequest, HumanResponse, Needed, NeededDecision,
    NeededFile, ProvidedFile, RequestBlocking, RequestedBy, Responder,
};
pub use id::{Id, IdError, Recipient};
pub use input_index::{IndexedFile, InputEntry, InputIndex};
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

use crate::{SyntaxError, strict};
use serde_json::{Map, Value};

/// Members that a type does not know, as they were read.
pub type Extra = Map<String, Value>;

/// What a command is for; nothing else depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// For a plan, through the router: it has a number, its id agrees with it, and it names its DAG.
    Routed,
    /// Run directly, contract/plans §5.2: without these.
    Direct,
}

/// Why a file is not the document that it should be.
#[derive(Debug, Clone, PartialEq)]
pub enum FormatError {
    /// It is not JSON.
    Syntax(SyntaxError),
    /// It breaks rules; never empty.
    Invalid(Vec<Problem>),
}

impl FormatError {
    /// Returns the code under which it is told to agents.
    pub fn code(&self) -> Code {
        match self {
            Self::Syntax(_) => Code::EnvelopeParseError,
            Self::Invalid(problems) => leading_code(problems).unwrap_or(Code::SchemaInvalid),
        }
    }
}

/// A document that agents exchange.
pub trait Format: Sized + serde::Serialize {
    /// Reads a document that may hold a command for this `mode`.
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

    /// Reads the bytes of a file that may hold a command for this `mode`. A member that is named twice is an error.
    ///
    /// # Errors
    ///
    /// When it is not JSON, or not such a document.
    fn parse_for(bytes: &[u8], mode: Mode) -> Result<Self, FormatError> {
        let value = strict::read(bytes).map_err(FormatError::Syntax)?;
        Self::from_value_for(&value, mode).map_err(FormatError::Invalid)
    }

    /// Reads the bytes of a file. A member that is named twice is an error.
    ///
    /// # Errors
    ///
    /// When it is not JSON, or not such a document.
    fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        Self::parse_for(bytes, Mode::Routed)
    }
}

impl<T: read::Member + serde::Serialize> Format for T {
    fn from_value_for(value: &Value, mode: Mode) -> Result<Self, Vec<Problem>> {
        read::read(value, mode)
    }
}
