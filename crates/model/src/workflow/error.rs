//! Why something that was asked of the daemon was not done: `{error, code, details}` (contract/workflows §3.0).

use super::WorkflowState;
use super::macros::names;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;

names! {
    /// Why something was not done, for programs.
    ErrorCode {
        /// The body is not JSON.
        InvalidJson = "INVALID_JSON",
        /// Something in it is not what it should be.
        InvalidRequest = "INVALID_REQUEST",
        /// Something is missing in it.
        MissingField = "MISSING_FIELD",
        /// There is no such trigger.
        InvalidTrigger = "INVALID_TRIGGER",
        /// There is no such group of events.
        InvalidGroup = "INVALID_GROUP",
        /// It is no number of events that can be asked for.
        InvalidLimit = "INVALID_LIMIT",
        /// It is no answer to the question.
        InvalidResponse = "INVALID_RESPONSE",
        /// There is no such workflow.
        WorkflowNotFound = "WORKFLOW_NOT_FOUND",
        /// There is no such session.
        SessionNotFound = "SESSION_NOT_FOUND",
        /// There is no such checkpoint.
        CheckpointNotFound = "CHECKPOINT_NOT_FOUND",
        /// There is no such agent.
        AgentNotFound = "AGENT_NOT_FOUND",
        /// There is no such decision.
        DecisionNotFound = "DECISION_NOT_FOUND",
        /// There is nobody to send this to.
        ModuleNotFound = "MODULE_NOT_FOUND",
        /// There is no such message.
        MessageNotFound = "MESSAGE_NOT_FOUND",
        /// The workflow has no result.
        OutputNotFound = "OUTPUT_NOT_FOUND",
        /// Nothing is there.
        NotFound = "NOT_FOUND",
        /// It is paused already.
        WorkflowAlreadyPaused = "WORKFLOW_ALREADY_PAUSED",
        /// It is not paused.
        WorkflowNotPaused = "WORKFLOW_NOT_PAUSED",
        /// It has ended.
        WorkflowTerminal = "WORKFLOW_TERMINAL",
        /// It has not ended, or waits for a person.
        WorkflowActive = "WORKFLOW_ACTIVE",
        /// That cannot happen now.
        InvalidTransition = "INVALID_TRANSITION",
        /// Somebody has decided already.
        DecisionAlreadyResolved = "DECISION_ALREADY_RESOLVED",
        /// It is too late to decide.
        DecisionExpired = "DECISION_EXPIRED",
        /// There is nothing to go on with.
        SessionNotResumable = "SESSION_NOT_RESUMABLE",
        /// A workflow of it is running.
        SessionBusy = "SESSION_BUSY",
        /// The agent is used by somebody else.
        ResourceBusy = "RESOURCE_BUSY",
        /// No provider is configured for an agent that is needed.
        ProviderMissing = "PROVIDER_MISSING",
        /// Another server shows these questions.
        ServedElsewhere = "SERVED_ELSEWHERE",
        /// As many messages wait as may.
        QueueFull = "QUEUE_FULL",
        /// The same key was used for another request.
        IdempotencyConflict = "IDEMPOTENCY_CONFLICT",
        /// An agent has failed.
        AgentFailed = "AGENT_FAILED",
        /// A model has failed.
        LlmError = "LLM_ERROR",
        /// Something went wrong in the daemon.
        InternalError = "INTERNAL_ERROR",
        /// It took too long.
        Timeout = "TIMEOUT",
        /// A login is needed.
        Unauthorized = "UNAUTHORIZED",
        /// It comes from another site.
        Forbidden = "FORBIDDEN",
        /// There is no such method here.
        MethodNotAllowed = "METHOD_NOT_ALLOWED",
        /// The body comes too slowly.
        RequestTimeout = "REQUEST_TIMEOUT",
        /// The body is too large.
        PayloadTooLarge = "PAYLOAD_TOO_LARGE",
        /// The body has another content type than it must have.
        UnsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE",
        /// The server is addressed by a name that is not its own.
        Misdirected = "MISDIRECTED_REQUEST",
        /// Too many wait already, or the answer was not found in time.
        Unavailable = "UNAVAILABLE",
    }
}

impl ErrorCode {
    /// Returns the HTTP status that says the same.
    pub fn status(self) -> u16 {
        match self {
            Self::InvalidJson
            | Self::InvalidRequest
            | Self::MissingField
            | Self::InvalidTrigger
            | Self::InvalidGroup
            | Self::InvalidLimit
            | Self::InvalidResponse => 400,
            Self::WorkflowNotFound
            | Self::SessionNotFound
            | Self::CheckpointNotFound
            | Self::AgentNotFound
            | Self::DecisionNotFound
            | Self::ModuleNotFound
            | Self::MessageNotFound
            | Self::OutputNotFound
            | Self::NotFound => 404,
            Self::WorkflowAlreadyPaused
            | Self::WorkflowNotPaused
            | Self::WorkflowTerminal
            | Self::WorkflowActive
            | Self::InvalidTransition
            | Self::DecisionAlreadyResolved
            | Self::DecisionExpired
            | Self::SessionNotResumable
            | Self::SessionBusy
            | Self::ResourceBusy
            | Self::ProviderMissing
            | Self::ServedElsewhere
            | Self::QueueFull
            | Self::IdempotencyConflict => 409,
            Self::AgentFailed | Self::LlmError | Self::InternalError => 500,
            Self::Timeout => 504,
            Self::Unauthorized => 401,
            Self::Forbidden => 403,
            Self::MethodNotAllowed => 405,
            Self::RequestTimeout => 408,
            Self::PayloadTooLarge => 413,
            Self::UnsupportedMediaType => 415,
            Self::Misdirected => 421,
            Self::Unavailable => 503,
        }
    }
}

/// Why something was not done. The words are part of the contract, and the same in every language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Refusal {
    /// In words.
    pub error: String,
    /// For programs.
    pub code: ErrorCode,
    /// What it is about.
    #[serde(default)]
    pub details: Map<String, Value>,
}

impl Refusal {
    /// Returns one with these words and no details.
    pub fn new(code: ErrorCode, error: impl Into<String>) -> Self {
        Self { error: error.into(), code, details: Map::new() }
    }

    /// Adds a detail.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.details.insert(key.to_owned(), value.into());
        self
    }

    /// Returns one that names the member that is missing.
    pub fn missing(error: &str, field: &str) -> Self {
        Self::new(ErrorCode::MissingField, error).with("field", field)
    }

    /// Returns one that names the member that is not what it should be.
    pub fn invalid(error: impl Into<String>, field: &str) -> Self {
        Self::new(ErrorCode::InvalidRequest, error).with("field", field)
    }

    /// Adds the phase that a workflow is in.
    #[must_use]
    pub fn at(self, state: WorkflowState) -> Self {
        self.with("currentState", state.name())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.error)
    }
}

impl std::error::Error for Refusal {}
