//! The formats by their names.

use super::macros::names;

names! {
    /// A format.
    FormatName {
        /// `*.msg.json`.
        MessageEnvelope = "message_envelope",
        /// The command in a message.
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
        /// What a command has come to.
        Result = "result",
        /// `alert_*.json`.
        Alert = "alert",
        /// A message that was given up.
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
        /// What a reviewer says of a DAG.
        DagReviewResult = "dag_review_result",
        /// What a validator says of an artifact.
        ArtifactValidationResult = "artifact_validation_result",
        /// Whether it builds.
        BuildValidationResult = "build_validation_result",
        /// Whether it can be deployed.
        DeployValidationResult = "deploy_validation_result",
        /// Whether it starts.
        SmokeTestResult = "smoke_test_result",
        /// Whether it works.
        E2eTestResult = "e2e_test_result",
        /// Whether it is safe.
        SecurityScanResult = "security_scan_result",
        /// That a plan does not work out.
        ReplanRequest = "replan_request",
    }
}
