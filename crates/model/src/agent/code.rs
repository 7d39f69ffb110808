//! The codes under which agents are told what went wrong.

use super::macros::names;

names! {
    /// How bad something is.
    Severity {
        /// Worth knowing.
        Low = "LOW",
        /// Worth looking at.
        Medium = "MEDIUM",
        /// Something does not go on.
        High = "HIGH",
        /// Nothing goes on.
        Critical = "CRITICAL",
    }
}

names! {
    /// What went wrong: of dead letters, alerts and failed commands.
    Code {
        /// The file is not JSON.
        EnvelopeParseError = "ENVELOPE_PARSE_ERROR",
        /// A field is missing or wrong.
        SchemaInvalid = "SCHEMA_INVALID",
        /// Written in a version that nobody here knows.
        SchemaVersionUnsupported = "SCHEMA_VERSION_UNSUPPORTED",
        /// The router knows no message of this type.
        UnsupportedMessageType = "UNSUPPORTED_MESSAGE_TYPE",
        /// The DAG delivers this to nobody.
        RoutingNoTarget = "ROUTING_NO_TARGET",
        /// The agent has no folder.
        TargetAgentNotFound = "TARGET_AGENT_NOT_FOUND",
        /// The id was used for something else.
        MessageIdReusedWithDifferentPayload = "MESSAGE_ID_REUSED_WITH_DIFFERENT_PAYLOAD",
        /// Made for another DAG than the active one.
        CommandDagMismatch = "COMMAND_DAG_MISMATCH",
        /// The program itself has failed.
        UnhandledException = "UNHANDLED_EXCEPTION",
        /// A file of the payload is not there.
        MissingPayload = "MISSING_PAYLOAD",
        /// Envelope and command name different things.
        CommandEnvelopeMismatch = "COMMAND_ENVELOPE_MISMATCH",
        /// The command has no number.
        CommandSeqMissing = "COMMAND_SEQ_MISSING",
        /// The id of the command has no number.
        CommandSeqInvalidFormat = "COMMAND_SEQ_INVALID_FORMAT",
        /// The command and its id have different numbers.
        CommandSeqMismatch = "COMMAND_SEQ_MISMATCH",
        /// The command and its id name different tasks.
        CommandTaskMismatch = "COMMAND_TASK_MISMATCH",
        /// The plan has no DAG.
        DagMissing = "DAG_MISSING",
        /// The DAG is written in a version that nobody here knows.
        DagSchemaVersionUnsupported = "DAG_SCHEMA_VERSION_UNSUPPORTED",
        /// The DAG is wrong.
        DagInvalid = "DAG_INVALID",
        /// The DAG has no such task.
        DagTaskNotFound = "DAG_TASK_NOT_FOUND",
        /// The task has no agent.
        DagTaskNoAssignee = "DAG_TASK_NO_ASSIGNEE",
        /// The task has no such output.
        DagOutputNotFound = "DAG_OUTPUT_NOT_FOUND",
        /// The DAG is not the active one.
        ActiveDagRefMismatch = "ACTIVE_DAG_REF_MISMATCH",
        /// What names the active DAG is wrong.
        ActiveDagRefInvalid = "ACTIVE_DAG_REF_INVALID",
        /// Two nodes of the DAG are one task.
        DagDuplicateTask = "DAG_DUPLICATE_TASK",
        /// A task depends on one that is not there.
        DagUnknownDependency = "DAG_UNKNOWN_DEPENDENCY",
        /// Tasks depend on one another.
        DagCycle = "DAG_CYCLE",
        /// A task has two outputs of one name.
        DagDuplicateOutput = "DAG_DUPLICATE_OUTPUT",
        /// A task falls back on one that is not there.
        DagUnknownFallback = "DAG_UNKNOWN_FALLBACK",
        /// The acknowledgement is wrong.
        AckSchemaInvalid = "ACK_SCHEMA_INVALID",
        /// What was acknowledged is acknowledged otherwise.
        AckIdReusedWithDifferentContent = "ACK_ID_REUSED_WITH_DIFFERENT_CONTENT",
        /// The request to a person is wrong.
        HumanRequestSchemaInvalid = "HUMAN_REQUEST_SCHEMA_INVALID",
        /// The response of a person is wrong.
        HumanResponseSchemaInvalid = "HUMAN_RESPONSE_SCHEMA_INVALID",
        /// A file was provided for nobody.
        HumanResponseMissingDeliverTo = "HUMAN_RESPONSE_MISSING_DELIVER_TO",
        /// The id was used for another request.
        HumanRequestIdReusedWithDifferentContent = "HUMAN_REQUEST_ID_REUSED_WITH_DIFFERENT_CONTENT",
        /// The request has another response already.
        HumanResponseIdReusedWithDifferentContent = "HUMAN_RESPONSE_ID_REUSED_WITH_DIFFERENT_CONTENT",
        /// Nobody asks people.
        HumanGatewayAgentMissing = "HUMAN_GATEWAY_AGENT_MISSING",
        /// No person has answered in time.
        HumanTimeout = "HUMAN_TIMEOUT",
        /// A person has refused what was asked for.
        HumanRejected = "HUMAN_REJECTED",
        /// The decision is wrong.
        DecisionSchemaInvalid = "DECISION_SCHEMA_INVALID",
        /// The id was used for another decision.
        DecisionIdReusedWithDifferentContent = "DECISION_ID_REUSED_WITH_DIFFERENT_CONTENT",
        /// The release is wrong.
        ReleaseManifestSchemaInvalid = "RELEASE_MANIFEST_SCHEMA_INVALID",
        /// The id was used for another release.
        ReleaseIdReusedWithDifferentContent = "RELEASE_ID_REUSED_WITH_DIFFERENT_CONTENT",
        /// A message that an agent has claimed is wrong.
        EnvelopeInvalid = "ENVELOPE_INVALID",
        /// A path leads out of its folder, or to a file by which agents are controlled.
        UnsafePath = "UNSAFE_PATH",
        /// An input is there already, with another content.
        InputConflict = "INPUT_CONFLICT",
        /// Several inputs fit, and none of them more than the others.
        InputAmbiguous = "INPUT_AMBIGUOUS",
        /// A file of the payload is there already where it is put away, with another content.
        PayloadFinalizeConflict = "PAYLOAD_FINALIZE_CONFLICT",
        /// A file of the payload is not the one that was sent.
        PayloadShaMismatch = "PAYLOAD_SHA_MISMATCH",
        /// The agent knows no message of this type.
        UnknownMessageType = "UNKNOWN_MESSAGE_TYPE",
        /// The inputs did not come in time.
        WaitForInputsTimeout = "WAIT_FOR_INPUTS_TIMEOUT",
        /// The state of a task cannot be read.
        TaskStateCorruptFallback = "TASK_STATE_CORRUPT_FALLBACK",
        /// A command was not acknowledged in time.
        CommandAckTimeout = "COMMAND_ACK_TIMEOUT",
        /// An archived command and its envelope name different things.
        CommandArchiveInconsistent = "COMMAND_ARCHIVE_INCONSISTENT",
        /// The status of a plan cannot be told.
        PlanStatusAggregationFailed = "PLAN_STATUS_AGGREGATION_FAILED",
        /// Something took too long.
        Timeout = "TIMEOUT",
        /// An agent has not been seen for too long.
        HeartbeatTimeout = "HEARTBEAT_TIMEOUT",
        /// Another content came under the key of one that has ended.
        IdempotencyKeyReused = "IDEMPOTENCY_KEY_REUSED",
        /// The LLM has not answered.
        LlmFailed = "LLM_FAILED",
        /// The answer of the LLM has not the form that was asked for.
        LlmOutputInvalid = "LLM_OUTPUT_INVALID",
        /// The answer of the LLM has no score.
        ScoreMissing = "SCORE_MISSING",
        /// The score is not from 0 to 100.
        ScoreOutOfRange = "SCORE_OUT_OF_RANGE",
        /// The answer of the LLM lacks a file.
        OutputMissing = "OUTPUT_MISSING",
        /// Another task has written a file of the same name.
        OutputCollision = "OUTPUT_COLLISION",
        /// A task of a plan has failed.
        TaskFailed = "TASK_FAILED",
        /// A release and the decision about it contradict each other.
        ReleaseDecisionMismatch = "RELEASE_DECISION_MISMATCH",
    }
}

impl Code {
    /// Returns how bad it is.
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
