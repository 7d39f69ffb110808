//! Error codes that agents receive.

use super::macros::document_names;

document_names! {
    /// Severity of an event.
    Severity {
        /// For information.
        Low = "LOW",
        /// Should be looked at.
        Medium = "MEDIUM",
        /// Part of the work is blocked.
        High = "HIGH",
        /// All work is blocked.
        Critical = "CRITICAL",
    }
}

document_names! {
    /// Error code of a dead letter, an alert or a failed command.
    Code {
        /// The file is not JSON.
        EnvelopeParseError = "ENVELOPE_PARSE_ERROR",
        /// A member is missing or invalid.
        SchemaInvalid = "SCHEMA_INVALID",
        /// The schema version is not supported.
        SchemaVersionUnsupported = "SCHEMA_VERSION_UNSUPPORTED",
        /// The router does not support messages of this type.
        UnsupportedMessageType = "UNSUPPORTED_MESSAGE_TYPE",
        /// The DAG defines no recipient for the message.
        RoutingNoTarget = "ROUTING_NO_TARGET",
        /// The target agent has no folder.
        TargetAgentNotFound = "TARGET_AGENT_NOT_FOUND",
        /// The message id was used for another payload.
        MessageIdReusedWithDifferentPayload = "MESSAGE_ID_REUSED_WITH_DIFFERENT_PAYLOAD",
        /// The command was made for a DAG other than the active one.
        CommandDagMismatch = "COMMAND_DAG_MISMATCH",
        /// The program itself has failed.
        UnhandledException = "UNHANDLED_EXCEPTION",
        /// A file of the payload is missing.
        MissingPayload = "MISSING_PAYLOAD",
        /// Envelope and command contradict each other.
        CommandEnvelopeMismatch = "COMMAND_ENVELOPE_MISMATCH",
        /// The command has no sequence number.
        CommandSeqMissing = "COMMAND_SEQ_MISSING",
        /// The id of the command contains no sequence number.
        CommandSeqInvalidFormat = "COMMAND_SEQ_INVALID_FORMAT",
        /// The command and its id have different sequence numbers.
        CommandSeqMismatch = "COMMAND_SEQ_MISMATCH",
        /// The command and its id name different tasks.
        CommandTaskMismatch = "COMMAND_TASK_MISMATCH",
        /// The plan has no DAG.
        DagMissing = "DAG_MISSING",
        /// The schema version of the DAG is not supported.
        DagSchemaVersionUnsupported = "DAG_SCHEMA_VERSION_UNSUPPORTED",
        /// The DAG is invalid.
        DagInvalid = "DAG_INVALID",
        /// The DAG has no such task.
        DagTaskNotFound = "DAG_TASK_NOT_FOUND",
        /// The task has no agent.
        DagTaskNoAssignee = "DAG_TASK_NO_ASSIGNEE",
        /// The task has no such output.
        DagOutputNotFound = "DAG_OUTPUT_NOT_FOUND",
        /// The DAG is not the active one.
        ActiveDagRefMismatch = "ACTIVE_DAG_REF_MISMATCH",
        /// The reference to the active DAG is invalid.
        ActiveDagRefInvalid = "ACTIVE_DAG_REF_INVALID",
        /// Two nodes of the DAG have the same task id.
        DagDuplicateTask = "DAG_DUPLICATE_TASK",
        /// A task depends on an unknown task.
        DagUnknownDependency = "DAG_UNKNOWN_DEPENDENCY",
        /// The dependencies of the tasks form a cycle.
        DagCycle = "DAG_CYCLE",
        /// Two outputs of a task have the same name.
        DagDuplicateOutput = "DAG_DUPLICATE_OUTPUT",
        /// The fallback of a task is an unknown task.
        DagUnknownFallback = "DAG_UNKNOWN_FALLBACK",
        /// The acknowledgement is invalid.
        AckSchemaInvalid = "ACK_SCHEMA_INVALID",
        /// The message was already acknowledged with other content.
        AckIdReusedWithDifferentContent = "ACK_ID_REUSED_WITH_DIFFERENT_CONTENT",
        /// The request to a person is invalid.
        HumanRequestSchemaInvalid = "HUMAN_REQUEST_SCHEMA_INVALID",
        /// The response of a person is invalid.
        HumanResponseSchemaInvalid = "HUMAN_RESPONSE_SCHEMA_INVALID",
        /// A provided file has no recipient.
        HumanResponseMissingDeliverTo = "HUMAN_RESPONSE_MISSING_DELIVER_TO",
        /// The request id was used for another request.
        HumanRequestIdReusedWithDifferentContent = "HUMAN_REQUEST_ID_REUSED_WITH_DIFFERENT_CONTENT",
        /// The request already has another response.
        HumanResponseIdReusedWithDifferentContent = "HUMAN_RESPONSE_ID_REUSED_WITH_DIFFERENT_CONTENT",
        /// The user cannot be asked: there is no gateway agent.
        HumanGatewayAgentMissing = "HUMAN_GATEWAY_AGENT_MISSING",
        /// No person has answered in time.
        HumanTimeout = "HUMAN_TIMEOUT",
        /// A person has refused the request.
        HumanRejected = "HUMAN_REJECTED",
        /// The decision is invalid.
        DecisionSchemaInvalid = "DECISION_SCHEMA_INVALID",
        /// The decision id was used for another decision.
        DecisionIdReusedWithDifferentContent = "DECISION_ID_REUSED_WITH_DIFFERENT_CONTENT",
        /// The release manifest is invalid.
        ReleaseManifestSchemaInvalid = "RELEASE_MANIFEST_SCHEMA_INVALID",
        /// The release id was used for another release.
        ReleaseIdReusedWithDifferentContent = "RELEASE_ID_REUSED_WITH_DIFFERENT_CONTENT",
        /// A message that an agent has claimed is invalid.
        EnvelopeInvalid = "ENVELOPE_INVALID",
        /// A path leads out of its folder, or to a control file of the agents.
        UnsafePath = "UNSAFE_PATH",
        /// An input already exists with other content.
        InputConflict = "INPUT_CONFLICT",
        /// Several inputs match, none of them better than the others.
        InputAmbiguous = "INPUT_AMBIGUOUS",
        /// A file of the payload already exists in the archive with other content.
        PayloadFinalizeConflict = "PAYLOAD_FINALIZE_CONFLICT",
        /// The hash of a payload file does not match the message.
        PayloadShaMismatch = "PAYLOAD_SHA_MISMATCH",
        /// The agent does not support messages of this type.
        UnknownMessageType = "UNKNOWN_MESSAGE_TYPE",
        /// The inputs did not arrive in time.
        WaitForInputsTimeout = "WAIT_FOR_INPUTS_TIMEOUT",
        /// The state of a task is unreadable.
        TaskStateCorruptFallback = "TASK_STATE_CORRUPT_FALLBACK",
        /// A command was not acknowledged in time.
        CommandAckTimeout = "COMMAND_ACK_TIMEOUT",
        /// An archived command and its envelope contradict each other.
        CommandArchiveInconsistent = "COMMAND_ARCHIVE_INCONSISTENT",
        /// The status of a plan cannot be determined.
        PlanStatusAggregationFailed = "PLAN_STATUS_AGGREGATION_FAILED",
        /// An operation has timed out.
        Timeout = "TIMEOUT",
        /// An agent has sent no heartbeat for too long.
        HeartbeatTimeout = "HEARTBEAT_TIMEOUT",
        /// The idempotency key of an ended command was used with other content.
        IdempotencyKeyReused = "IDEMPOTENCY_KEY_REUSED",
        /// The LLM has not responded.
        LlmFailed = "LLM_FAILED",
        /// The response of the LLM does not have the required form.
        LlmOutputInvalid = "LLM_OUTPUT_INVALID",
        /// The response of the LLM contains no score.
        ScoreMissing = "SCORE_MISSING",
        /// The score is not between 0 and 100.
        ScoreOutOfRange = "SCORE_OUT_OF_RANGE",
        /// The response of the LLM lacks a file.
        OutputMissing = "OUTPUT_MISSING",
        /// Another task has written a file with the same name.
        OutputCollision = "OUTPUT_COLLISION",
        /// A task of a plan has failed.
        TaskFailed = "TASK_FAILED",
        /// A release and the decision about it contradict each other.
        ReleaseDecisionMismatch = "RELEASE_DECISION_MISMATCH",
    }
}

impl Code {
    /// Returns the severity of the code.
    pub fn severity(self) -> Severity {
        match self {
            Self::UnknownMessageType
            | Self::TaskStateCorruptFallback
            | Self::PayloadFinalizeConflict
            | Self::CommandArchiveInconsistent => Severity::Medium,
            _ => Severity::High,
        }
    }
}
