//! `human_intervention_request_*.json` and `human_intervention_response_*.json`: what a person is asked, and answers.

use super::macros::{names, object};
use super::{Extra, Id, PayloadPath, RelPath, SchemaVersion, Severity, Sha256, Text, Timestamp};
use serde_json::Value;

names! {
    /// What a person has decided.
    HumanDecision {
        /// It may go on.
        Approve = "APPROVE",
        /// It may not.
        Reject = "REJECT",
        /// Here are the files.
        Provide = "PROVIDE",
        /// Here is what was unclear.
        Clarify = "CLARIFY",
    }
}

object! {
    /// What an agent asks a person.
    HumanRequest {
        /// The version of this format.
        schema_version: SchemaVersion,
        /// Its own id.
        request_id: Id,
        /// The plan.
        plan_id: Id,
        /// When it was asked.
        created_at: Timestamp,
        /// Who asks.
        created_by: Option<RequestedBy>,
        /// How urgent it is.
        severity: Severity,
        /// What kind of request it is: `MISSING_FILE`, `CLARIFY` and others.
        kind as "type": Text,
        /// What it is about, in a line.
        title: Option<String>,
        /// What does not go on meanwhile.
        blocking: Option<RequestBlocking>,
        /// What is needed.
        needed: Needed,
        /// Until when.
        deadline: Option<Timestamp>,
        /// What to look at: each with `kind`, `file` and `sha256`.
        context_refs: Option<Vec<Extra>>,
    }
}

object! {
    /// Who asks a person.
    RequestedBy {
        /// The agent.
        agent_id: Option<Id>,
        /// The task.
        task_id: Option<Id>,
        /// The command.
        command_id: Option<Id>,
    }
}

object! {
    /// What does not go on until a person has answered.
    RequestBlocking {
        /// The state of the task.
        status: Option<String>,
        /// Why.
        reason: Option<String>,
    }
}

object! {
    /// What is needed of a person.
    Needed {
        /// Files.
        files: Option<Vec<NeededFile>>,
        /// A decision.
        decision: Option<NeededDecision>,
        /// Criteria, in words, each under its name.
        criteria: Option<Extra>,
    }
}

object! {
    /// A file that is needed.
    NeededFile {
        /// What it is called, or a pattern of that.
        name: RelPath,
        /// What it is.
        description: Option<String>,
        /// How secret it is.
        sensitivity: Option<String>,
        /// Who needs it; whoever asks, if nothing is said.
        deliver_to_agent_id: Option<Id>,
    }
}

object! {
    /// A decision that is needed.
    NeededDecision {
        /// What is asked.
        question: Text,
        /// What can be chosen.
        options: Option<Vec<DecisionChoice>>,
        /// The key of what is recommended.
        default: Option<String>,
    }
}

object! {
    /// What can be chosen.
    DecisionChoice {
        /// By which it is named.
        key: Text,
        /// What it is.
        label: Option<String>,
        /// What it means.
        impact: Option<String>,
    }
}

object! {
    /// What a person has answered.
    HumanResponse {
        /// The version of this format.
        schema_version: SchemaVersion,
        /// The request.
        request_id: Id,
        /// The plan.
        plan_id: Id,
        /// When it was answered.
        responded_at: Timestamp,
        /// Who has answered.
        responder: Option<Responder>,
        /// What was decided.
        decision: HumanDecision,
        /// The files, which lie beside the response.
        provided_files: Option<Vec<ProvidedFile>>,
        /// What was chosen.
        decision_answers: Option<Vec<DecisionAnswer>>,
        /// What was written about criteria, each under its name.
        criteria_updates: Option<Extra>,
    }
}

object! {
    /// Who has answered.
    Responder {
        /// Their name.
        name: Option<String>,
        /// Their role.
        role: Option<String>,
    }
}

object! {
    /// A file that a person has provided.
    ProvidedFile {
        /// What it is called; there is a code of its own for one that is missing.
        name: Option<PayloadPath>,
        /// The hash of its bytes.
        sha256: Option<Sha256>,
        /// Who it is for; there is a code of its own for one that is missing.
        deliver_to_agent_id: Option<Id>,
    }
}

object! {
    /// What was chosen.
    DecisionAnswer {
        /// What was asked.
        question: Option<String>,
        /// The key of what was chosen.
        selected: Option<Value>,
    }
}
