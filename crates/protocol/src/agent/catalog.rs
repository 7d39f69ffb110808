//! Catalog of all formats: the file, a valid example, the validation and the schema of each.

use super::{
    Ack, ActiveDagRef, AgentDecision, AgentProfile, Alert, ArtifactValidation, BuildValidation, Command,
    DagReview, DeadLetter, Delivery, DeployValidation, E2eTest, Envelope, Format, FormatError, FormatName,
    HeartbeatConfig, HumanRequest, HumanResponse, InputIndex, Mode, PlanManifest, PlanStatus, Problem,
    ReleaseManifest, ReplanRequest, ReplayRequest, ResultDocument, SecurityScan, SmokeTest, StatusHeartbeat,
    TaskDag, TaskState,
};
use model::strict;
use serde_json::Value;

/// A format, or a template of contract/plans §15.1, which is a format with its own example.
#[derive(Debug)]
pub struct CatalogEntry {
    /// Name of the entry.
    pub name: &'static str,
    /// Format of the entry.
    pub format: FormatName,
    /// Mode in which commands of this format are validated.
    pub mode: Mode,
    /// Path pattern of the files, relative to the folder that contains the agents or plans.
    pub file: &'static str,
    /// A valid example.
    pub example: &'static str,
    /// The JSON Schema (draft 2020-12). Every valid document matches it; some rules cannot be expressed in it. A test keeps it equal
    /// to [`CatalogEntry::generated_schema`]: the program contains the text alone, which is a tenth of what makes it.
    pub schema: &'static str,
}

impl CatalogEntry {
    /// Returns the entry with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        CATALOG.iter().find(|entry| entry.name == name)
    }

    /// Returns all problems of a document.
    pub fn problems(&self, value: &Value) -> Vec<Problem> {
        self.format.problems(value, self.mode)
    }

    /// Validates the bytes of a file.
    ///
    /// # Errors
    ///
    /// When the file is not JSON, or the document is invalid: all its problems.
    pub fn check(&self, bytes: &[u8]) -> Result<(), FormatError> {
        let value = strict::read(bytes).map_err(FormatError::Syntax)?;
        let problems = self.problems(&value);
        if problems.is_empty() { Ok(()) } else { Err(FormatError::Invalid(problems)) }
    }

    /// Returns the JSON Schema as it follows from the types.
    #[cfg(feature = "schema")]
    pub fn generated_schema(&self) -> Value {
        let mut schema = self.format.schema();
        if let Some(schema) = schema.as_object_mut() {
            if self.format == FormatName::Command && self.mode == Mode::Direct {
                direct(schema);
            }
            schema.insert("title".to_owned(), self.name.into());
        }
        schema
    }
}

macro_rules! catalog {
    ($($format:ident: $type:ident, $name:literal, $file:literal;)*) => {
        /// All formats, followed by the templates.
        pub static CATALOG: &[CatalogEntry] = &[
            $(
                CatalogEntry {
                    name: $name,
                    format: FormatName::$format,
                    mode: Mode::Routed,
                    file: $file,
                    example: include_str!(concat!("examples/", $name, ".json")),
                    schema: include_str!(concat!("schemas/", $name, ".json")),
                },
            )*
            CatalogEntry {
                name: "command.cmd",
                format: FormatName::Command,
                mode: Mode::Direct,
                file: "*.cmd.json",
                example: include_str!("examples/command.cmd.json"),
                schema: include_str!("schemas/command.cmd.json"),
            },
            CatalogEntry {
                name: "command_envelope.msg",
                format: FormatName::MessageEnvelope,
                mode: Mode::Routed,
                file: "agents/AGENT/inbox/PLAN/cmd_*.msg.json",
                example: include_str!("examples/command_envelope.msg.json"),
                schema: include_str!("schemas/command_envelope.msg.json"),
            },
            CatalogEntry {
                name: "dag_review_request.cmd",
                format: FormatName::Command,
                mode: Mode::Direct,
                file: "*.cmd.json",
                example: include_str!("examples/dag_review_request.cmd.json"),
                schema: include_str!("schemas/dag_review_request.cmd.json"),
            },
        ];

        impl FormatName {
            /// Returns all problems of a document of this format.
            pub fn problems(self, value: &Value, mode: Mode) -> Vec<Problem> {
                match self {
                    $(Self::$format => $type::from_value_for(value, mode).err().unwrap_or_default(),)*
                }
            }

            /// Reads a document of this format and returns it as it would be written.
            ///
            /// # Errors
            ///
            /// All its problems.
            pub fn rewritten(self, value: &Value, mode: Mode) -> Result<Value, Vec<Problem>> {
                match self {
                    $(Self::$format => $type::from_value_for(value, mode)
                        // What was read can be written.
                        .map(|document| serde_json::to_value(document).unwrap_or_default()),)*
                }
            }

            #[cfg(feature = "schema")]
            fn schema(self) -> Value {
                let generator = schemars::generate::SchemaSettings::draft2020_12().into_generator();
                match self {
                    $(Self::$format => generator.into_root_schema_for::<$type>(),)*
                }
                .to_value()
            }
        }
    };
}

catalog! {
    MessageEnvelope: Envelope, "message_envelope", "agents/AGENT/inbox/PLAN/*.msg.json";
    Command: Command, "command", "agents/AGENT/inbox/PLAN/cmd_*.msg.json: payload.command";
    TaskDag: TaskDag, "task_dag", "system_runtime/plans/PLAN/task_dag.json";
    ActiveDagRef: ActiveDagRef, "active_dag_ref", "system_runtime/plans/PLAN/active_dag_ref.json";
    PlanManifest: PlanManifest, "plan_manifest", "system_runtime/plans/PLAN/plan_manifest.json";
    PlanStatus: PlanStatus, "plan_status", "system_runtime/plans/PLAN/plan_status.json";
    DeliveryLogEntry: Delivery, "delivery_log_entry", "system_runtime/plans/PLAN/deliveries.jsonl";
    Ack: Ack, "ack", "agents/AGENT/outbox/PLAN/ack_MESSAGE.json";
    TaskState: TaskState, "task_state", "agents/AGENT/outbox/PLAN/task_state_TASK.json";
    StatusHeartbeat: StatusHeartbeat, "status_heartbeat", "agents/AGENT/status_heartbeat.json";
    HeartbeatConfig: HeartbeatConfig, "heartbeat_config", "agents/AGENT/heartbeat_config.json";
    AgentProfile: AgentProfile, "agent_profile", "agents/AGENT/agent_profile.json";
    InputIndex: InputIndex, "input_index", "agents/AGENT/workspace/PLAN/inputs/input_index.json";
    Result: ResultDocument, "result", "agents/AGENT/outbox/PLAN/result_COMMAND.json";
    Alert: Alert, "alert", "system_runtime/alerts/PLAN/ALERT.json";
    DeadletterEntry: DeadLetter, "deadletter_entry", "system_runtime/deadletter/PLAN/DEADLETTER.json";
    ReplayRequest: ReplayRequest, "replay_request", "system_runtime/plans/PLAN/replay_requests.jsonl";
    DecisionRecord: AgentDecision, "decision_record", "agents/AGENT/outbox/PLAN/decision_record_DECISION.json";
    ReleaseManifest: ReleaseManifest, "release_manifest", "agents/AGENT/outbox/PLAN/release_manifest_RELEASE.json";
    HumanInterventionRequest: HumanRequest, "human_intervention_request",
        "agents/AGENT/outbox/PLAN/human_intervention_request_REQUEST.json";
    HumanInterventionResponse: HumanResponse, "human_intervention_response",
        "agents/agent_human_gateway/outbox/PLAN/human_intervention_response_REQUEST.json";
    DagReviewResult: DagReview, "dag_review_result", "dag_review_result.json";
    ArtifactValidationResult: ArtifactValidation, "artifact_validation_result", "artifact_validation_result.json";
    BuildValidationResult: BuildValidation, "build_validation_result", "build_validation_result.json";
    DeployValidationResult: DeployValidation, "deploy_validation_result", "deploy_validation_result.json";
    SmokeTestResult: SmokeTest, "smoke_test_result", "smoke_test_result.json";
    E2eTestResult: E2eTest, "e2e_test_result", "e2e_test_result.json";
    SecurityScanResult: SecurityScan, "security_scan_result", "security_scan_result.json";
    ReplanRequest: ReplanRequest, "replan_request", "agents/AGENT/outbox/PLAN/replan_request_REQUEST.json";
}

/// Relaxes the schema for a command that is run directly.
#[cfg(feature = "schema")]
fn direct(schema: &mut serde_json::Map<String, Value>) {
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|key| key != "command_seq" && key != "dag_ref");
    }
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    if let Some(id) = properties.get_mut("command_id") {
        id["pattern"] = "^cmd_".into();
    }
    for key in ["command_seq", "dag_ref"] {
        if let Some(property) = properties.get_mut(key) {
            let needed = property.take();
            let description = needed["description"].clone();
            *property =
                serde_json::json!({ "description": description, "anyOf": [needed, { "type": "null" }] });
        }
    }
}
