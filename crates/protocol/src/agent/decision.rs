//! Decisions of coordinators: `decision_record_*.json`, `release_manifest_*.json` and requests for a new plan.

use super::macros::{document, document_names};
use super::{Extra, Id, SchemaVersion, Sha256, Text, Timestamp};

document_names! {
    /// Type of a decision.
    DecisionType {
        /// Review of a DAG.
        DagReview = "DAG_REVIEW",
        /// Review of a proposal.
        ProposalReview = "PROPOSAL_REVIEW",
        /// Validation of an artifact.
        ArtifactValidation = "ARTIFACT_VALIDATION",
        /// Permission for a release.
        ReleaseGate = "RELEASE_GATE",
        /// The release itself.
        Release = "RELEASE",
        /// Decision of a person.
        HumanDecision = "HUMAN_DECISION",
        /// Decision whether to change the plan.
        ReplanDecision = "REPLAN_DECISION",
    }
}

document_names! {
    /// Verdict of a decision.
    Verdict {
        /// The work may continue.
        Approve = "APPROVE",
        /// The work may not continue.
        Reject = "REJECT",
        /// The work may continue after a revision.
        Revise = "REVISE",
        /// The subject is correct.
        Pass = "PASS",
        /// The subject is incorrect.
        Fail = "FAIL",
        /// The subject was seen.
        Acknowledged = "ACKNOWLEDGED",
    }
}

document_names! {
    /// Type of a decision's subject.
    SubjectKind {
        /// A DAG.
        TaskDag = "task_dag",
        /// A proposal.
        Proposal = "proposal",
        /// An artifact.
        Artifact = "artifact",
        /// A release.
        Release = "release",
        /// A request to a person.
        HumanRequest = "human_request",
        /// A task.
        Task = "task",
    }
}

document_names! {
    /// Decision about a release.
    ReleaseDecision {
        /// The release is approved.
        Approve = "APPROVE",
        /// The release is rejected.
        Reject = "REJECT",
    }
}

document! {
    /// Decision of a coordinator.
    AgentDecision {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// Id of the decision.
        decision_id: Id,
        /// Id of the plan.
        plan_id: Id,
        /// Type of the decision.
        decision_type: DecisionType,
        /// Verdict of the decision.
        decision: Verdict,
        /// Id of the agent that decided.
        decided_by_agent_id: Id,
        /// Time of the decision.
        created_at: Timestamp,
        /// Subject of the decision.
        subject: DecisionSubject,
        /// Participants that are missing; absent if there are none.
        missing_participants: Option<Vec<Text>>,
        /// Files that the decision is based on; absent if there are none.
        evidence_files: Option<Vec<Text>>,
        /// Additional notes; absent if there are none.
        notes: Option<String>,
    }
}

document! {
    /// Subject of a decision.
    DecisionSubject {
        /// Type of the subject.
        kind: SubjectKind,
        /// Id of the subject's task; absent if there is none.
        task_id: Option<Id>,
        /// Name of the task's output; absent if there is none.
        output_name: Option<Id>,
        /// Hash of the subject: the decision applies to nothing else; absent if unknown.
        ref_sha256: Option<Sha256>,
        /// Revision of the subject; absent if unknown.
        ref_revision: Option<u64>,
    }
}

document! {
    /// A release and the decision about it.
    ReleaseManifest {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// Id of the release.
        release_id: Id,
        /// Id of the plan.
        plan_id: Id,
        /// Time of the decision.
        created_at: Timestamp,
        /// Id of the agent that decided.
        release_manager_agent_id: Id,
        /// Released files; absent if there are none.
        artifacts: Option<Vec<ReleasedFile>>,
        /// Files required as evidence for a release; absent if there are none.
        evidence_required: Option<Vec<Text>>,
        /// Required files that are present; absent if there are none.
        evidence_refs: Option<Vec<ReleasedFile>>,
        /// Decision about the release.
        decision: ReleaseDecision,
        /// Additional notes; absent if there are none.
        notes: Option<String>,
    }
}

document! {
    /// A file of a release, or evidence for it.
    ReleasedFile {
        /// Name of the file.
        name: Text,
        /// Hash of the file's bytes; absent if unknown.
        sha256: Option<Sha256>,
    }
}

document! {
    /// Request for a new plan, because the current one does not work.
    ReplanRequest {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// Id of the request.
        request_id: Id,
        /// Id of the plan.
        plan_id: Id,
        /// Creation time.
        created_at: Timestamp,
        /// Event that caused the request; absent if unknown.
        trigger: Option<ReplanTrigger>,
        /// Reason why the plan does not work.
        reason: ReplanReason,
        /// Recommendation; absent if there is none.
        recommendation: Option<ReplanRecommendation>,
        /// Id of the planner agent.
        deliver_to_agent_id: Id,
    }
}

document! {
    /// Event that caused a request for a new plan.
    ReplanTrigger {
        /// Type of the event: `DEPENDENCY_FAILED`; absent if unknown.
        kind as "type": Option<String>,
        /// Id of the failed task; absent if there is none.
        failed_task_id: Option<Id>,
        /// Id of the task that cannot start; absent if there is none.
        downstream_task_id: Option<Id>,
    }
}

document! {
    /// Reason why a plan does not work.
    ReplanReason {
        /// Code of the reason; absent if there is none.
        code: Option<String>,
        /// Description of the reason; absent if there is none.
        message: Option<String>,
    }
}

document! {
    /// Recommendation for a plan that does not work.
    ReplanRecommendation {
        /// Suggested actions, as text; absent if there are none.
        suggested_actions: Option<Vec<String>>,
        /// Additional details; absent if there are none.
        details: Option<Extra>,
    }
}
