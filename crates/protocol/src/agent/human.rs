//! `human_intervention_request_*.json` and `human_intervention_response_*.json`: requests to a person, and their responses.

use super::macros::{document, document_names};
use super::{Extra, Id, PayloadPath, RelPath, SchemaVersion, Severity, Sha256, Text, Timestamp};
use serde_json::Value;

document_names! {
    /// Decision of a person.
    HumanDecision {
        /// The work may continue.
        Approve = "APPROVE",
        /// The work may not continue.
        Reject = "REJECT",
        /// The person provides files.
        Provide = "PROVIDE",
        /// The person clarifies a question.
        Clarify = "CLARIFY",
    }
}

document! {
    /// Request of an agent to a person.
    HumanRequest {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// Id of the request.
        request_id: Id,
        /// Id of the plan.
        plan_id: Id,
        /// Creation time.
        created_at: Timestamp,
        /// Requester; absent if unknown.
        created_by: Option<RequestedBy>,
        /// Urgency of the request.
        severity: Severity,
        /// Type of the request: `MISSING_FILE`, `CLARIFY` and others.
        kind as "type": Text,
        /// Title in one line; absent if there is none.
        title: Option<String>,
        /// Work that is blocked by the request; absent if there is none.
        blocking: Option<RequestBlocking>,
        /// What the person should provide.
        needed: Needed,
        /// Deadline for the response; absent if there is none.
        deadline: Option<Timestamp>,
        /// References to context, each with `kind`, `file` and `sha256`; absent if there are none.
        context_refs: Option<Vec<Extra>>,
    }
}

document! {
    /// Requester of a request to a person.
    RequestedBy {
        /// Id of the agent; absent if unknown.
        agent_id: Option<Id>,
        /// Id of the task; absent if there is none.
        task_id: Option<Id>,
        /// Id of the command; absent if there is none.
        command_id: Option<Id>,
    }
}

document! {
    /// Work that is blocked until a person responds.
    RequestBlocking {
        /// State of the blocked task; absent if unknown.
        status: Option<String>,
        /// Reason for the block; absent if unknown.
        reason: Option<String>,
    }
}

document! {
    /// What a person should provide.
    Needed {
        /// Required files; absent if there are none.
        files: Option<Vec<NeededFile>>,
        /// Required decision; absent if there is none.
        decision: Option<NeededDecision>,
        /// Required criteria as text, by name; absent if there are none.
        criteria: Option<Extra>,
    }
}

document! {
    /// A file that a person should provide.
    NeededFile {
        /// Name of the file, or a pattern.
        name: RelPath,
        /// Description of the file; absent if there is none.
        description: Option<String>,
        /// Confidentiality of the file; absent if not specified.
        sensitivity: Option<String>,
        /// Id of the agent that needs the file; defaults to the requesting agent.
        deliver_to_agent_id: Option<Id>,
    }
}

document! {
    /// A decision that a person should make.
    NeededDecision {
        /// The question.
        question: Text,
        /// Options to choose from; absent if there are none.
        options: Option<Vec<DecisionChoice>>,
        /// Key of the recommended option; absent if there is none.
        default: Option<String>,
    }
}

document! {
    /// An option of a decision.
    DecisionChoice {
        /// Key of the option.
        key: Text,
        /// Label of the option; absent if there is none.
        label: Option<String>,
        /// Consequences of the option; absent if not specified.
        impact: Option<String>,
    }
}

document! {
    /// Response of a person.
    HumanResponse {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// Id of the request.
        request_id: Id,
        /// Id of the plan.
        plan_id: Id,
        /// Time of the response.
        responded_at: Timestamp,
        /// Responder; absent if unknown.
        responder: Option<Responder>,
        /// Decision of the person.
        decision: HumanDecision,
        /// Provided files, stored next to the response; absent if there are none.
        provided_files: Option<Vec<ProvidedFile>>,
        /// Selected options; absent if there are none.
        decision_answers: Option<Vec<DecisionAnswer>>,
        /// Changes to criteria as text, by name; absent if there are none.
        criteria_updates: Option<Extra>,
    }
}

document! {
    /// Person who responded.
    Responder {
        /// Name of the person; absent if unknown.
        name: Option<String>,
        /// Role of the person; absent if unknown.
        role: Option<String>,
    }
}

document! {
    /// A file that a person has provided.
    ProvidedFile {
        /// Name of the file. A missing name has its own error code.
        name: Option<PayloadPath>,
        /// Hash of the file's bytes; absent if unknown.
        sha256: Option<Sha256>,
        /// Id of the agent that receives the file. A missing recipient has its own error code.
        deliver_to_agent_id: Option<Id>,
    }
}

document! {
    /// Answer to a question of a request.
    DecisionAnswer {
        /// The question; absent if not repeated.
        question: Option<String>,
        /// Key of the selected option; absent if there is none.
        selected: Option<Value>,
    }
}
