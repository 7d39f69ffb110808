//! Names of the formats.

use super::macros::document_names;

document_names! {
    /// Name of a format.
    FormatName {
        /// `*.msg.json`.
        MessageEnvelope = "message_envelope",
        /// A command in a message.
        Command = "command",
        /// `task_dag.json`.
        TaskDag = "task_dag",
        /// `active_dag_ref.json`.
        ActiveDagRef = "active_dag_ref",
        /// `plan_manifest.json`.
        PlanManifest = "plan_manifest",
        /// `plan_status.json`.
        PlanStatus = "plan_status",
        /// A line of `deliveries.jsonl`.
        DeliveryLogEntry = "delivery_log_entry",
        /// `ack_*.json`.
        Ack = "ack",
        /// `task_state_*.json`.
        TaskState = "task_state",
        /// `status_heartbeat.json`.
        StatusHeartbeat = "status_heartbeat",
        /// `heartbeat_config.json`.
        HeartbeatConfig = "heartbeat_config",
        /// `agent_profile.json`.
        AgentProfile = "agent_profile",
        /// `input_index.json`.
        InputIndex = "input_index",
        /// Result of a command.
        Result = "result",
        /// `alert_*.json`.
        Alert = "alert",
        /// A dead letter.
        DeadletterEntry = "deadletter_entry",
        /// A line of `replay_requests.jsonl`.
        ReplayRequest = "replay_request",
        /// `decision_record_*.json`.
        DecisionRecord = "decision_record",
        /// `release_manifest_*.json`.
        ReleaseManifest = "release_manifest",
        /// `human_intervention_request_*.json`.
        HumanInterventionRequest = "human_intervention_request",
        /// `human_intervention_response_*.json`.
        HumanInterventionResponse = "human_intervention_response",
        /// Review of a DAG.
        DagReviewResult = "dag_review_result",
        /// Validation of an artifact.
        ArtifactValidationResult = "artifact_validation_result",
        /// Validation of a build.
        BuildValidationResult = "build_validation_result",
        /// Validation of a deployment.
        DeployValidationResult = "deploy_validation_result",
        /// Smoke test.
        SmokeTestResult = "smoke_test_result",
        /// End-to-end test.
        E2eTestResult = "e2e_test_result",
        /// Security scan.
        SecurityScanResult = "security_scan_result",
        /// Request for a new plan.
        ReplanRequest = "replan_request",
    }
}
