//! Refusals of requests to the daemon: `{error, code, details}` (contract/workflows §3.0).

use super::WorkflowState;
use super::macros::payload_names;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;

payload_names! {
    /// Code of a refusal.
    ErrorCode {
        /// The body is not valid JSON.
        InvalidJson = "INVALID_JSON",
        /// A member or parameter is invalid.
        InvalidRequest = "INVALID_REQUEST",
        /// A required member is missing.
        MissingField = "MISSING_FIELD",
        /// The trigger does not exist.
        InvalidTrigger = "INVALID_TRIGGER",
        /// The event group does not exist.
        InvalidGroup = "INVALID_GROUP",
        /// The limit is invalid.
        InvalidLimit = "INVALID_LIMIT",
        /// The answer does not fit the question.
        InvalidResponse = "INVALID_RESPONSE",
        /// The workflow does not exist.
        WorkflowNotFound = "WORKFLOW_NOT_FOUND",
        /// The session does not exist.
        SessionNotFound = "SESSION_NOT_FOUND",
        /// The checkpoint does not exist.
        CheckpointNotFound = "CHECKPOINT_NOT_FOUND",
        /// The agent does not exist.
        AgentNotFound = "AGENT_NOT_FOUND",
        /// The decision does not exist.
        DecisionNotFound = "DECISION_NOT_FOUND",
        /// The module does not exist.
        ModuleNotFound = "MODULE_NOT_FOUND",
        /// The message does not exist.
        MessageNotFound = "MESSAGE_NOT_FOUND",
        /// The workflow has no result.
        OutputNotFound = "OUTPUT_NOT_FOUND",
        /// The resource does not exist.
        NotFound = "NOT_FOUND",
        /// The workflow is already paused.
        WorkflowAlreadyPaused = "WORKFLOW_ALREADY_PAUSED",
        /// The workflow is not paused.
        WorkflowNotPaused = "WORKFLOW_NOT_PAUSED",
        /// The workflow has ended.
        WorkflowTerminal = "WORKFLOW_TERMINAL",
        /// The workflow has not ended, or has a pending decision.
        WorkflowActive = "WORKFLOW_ACTIVE",
        /// The trigger is not allowed in the current state.
        InvalidTransition = "INVALID_TRANSITION",
        /// The decision is already resolved.
        DecisionAlreadyResolved = "DECISION_ALREADY_RESOLVED",
        /// The deadline of the decision has passed.
        DecisionExpired = "DECISION_EXPIRED",
        /// The session has nothing to resume.
        SessionNotResumable = "SESSION_NOT_RESUMABLE",
        /// A workflow of the session is running.
        SessionBusy = "SESSION_BUSY",
        /// The agent is already in use.
        ResourceBusy = "RESOURCE_BUSY",
        /// A required agent has no configured provider.
        ProviderMissing = "PROVIDER_MISSING",
        /// Another server serves these questions.
        ServedElsewhere = "SERVED_ELSEWHERE",
        /// The maximum number of messages is already waiting.
        QueueFull = "QUEUE_FULL",
        /// The idempotency key was used for another request.
        IdempotencyConflict = "IDEMPOTENCY_CONFLICT",
        /// An agent has failed.
        AgentFailed = "AGENT_FAILED",
        /// A model has failed.
        LlmError = "LLM_ERROR",
        /// An internal error has occurred in the daemon.
        InternalError = "INTERNAL_ERROR",
        /// The operation has timed out.
        Timeout = "TIMEOUT",
        /// Authentication is required.
        Unauthorized = "UNAUTHORIZED",
        /// The request comes from another site.
        Forbidden = "FORBIDDEN",
        /// The resource does not support the method.
        MethodNotAllowed = "METHOD_NOT_ALLOWED",
        /// The body arrives too slowly.
        RequestTimeout = "REQUEST_TIMEOUT",
        /// The body is too large.
        PayloadTooLarge = "PAYLOAD_TOO_LARGE",
        /// The body does not have the required content type.
        UnsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE",
        /// The request addresses the server by a name that is not its own.
        Misdirected = "MISDIRECTED_REQUEST",
        /// Too many requests are waiting, or the answer was not available in time.
        Unavailable = "UNAVAILABLE",
    }
}

impl ErrorCode {
    /// Returns the corresponding HTTP status.
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

/// Refusal of a request. The error text is part of the contract and the same in every language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Refusal {
    /// Description of the error.
    pub error: String,
    /// Machine-readable code of the error.
    pub code: ErrorCode,
    /// Details of the error, such as the member concerned.
    #[serde(default)]
    pub details: Map<String, Value>,
}

impl Refusal {
    /// Returns a refusal with this text and no details.
    pub fn new(code: ErrorCode, error: impl Into<String>) -> Self {
        Self { error: error.into(), code, details: Map::new() }
    }

    /// Adds a detail.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.details.insert(key.to_owned(), value.into());
        self
    }

    /// Returns a refusal that names the missing member.
    pub fn missing(error: &str, field: &str) -> Self {
        Self::new(ErrorCode::MissingField, error).with("field", field)
    }

    /// Returns a refusal that names the invalid member.
    pub fn invalid(error: impl Into<String>, field: &str) -> Self {
        Self::new(ErrorCode::InvalidRequest, error).with("field", field)
    }

    /// Adds the current phase of the workflow.
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
