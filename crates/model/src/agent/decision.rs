//! What coordinators decide: `decision_record_*.json`, `release_manifest_*.json`, and requests for another plan.

use super::macros::{names, object};
use super::{Extra, Id, SchemaVersion, Sha256, Text, Timestamp};

names! {
    /// What kind of decision it is.
    DecisionType {
        /// Of a DAG.
        DagReview = "DAG_REVIEW",
        /// Of a proposal.
        ProposalReview = "PROPOSAL_REVIEW",
        /// Of an artifact.
        ArtifactValidation = "ARTIFACT_VALIDATION",
        /// Whether a release may be.
        ReleaseGate = "RELEASE_GATE",
        /// That it is released.
        Release = "RELEASE",
        /// What a person has decided.
        HumanDecision = "HUMAN_DECISION",
        /// Whether the plan is changed.
        ReplanDecision = "REPLAN_DECISION",
    }
}

names! {
    /// What was decided.
    Verdict {
        /// It may go on.
        Approve = "APPROVE",
        /// It may not.
        Reject = "REJECT",
        /// It may, once it is better.
        Revise = "REVISE",
        /// It is right.
        Pass = "PASS",
        /// It is wrong.
        Fail = "FAIL",
        /// It was seen.
        Acknowledged = "ACKNOWLEDGED",
    }
}

names! {
    /// What was decided about.
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

names! {
    /// Whether something is released.
    ReleaseDecision {
        /// It is.
        Approve = "APPROVE",
        /// It is not.
        Reject = "REJECT",
    }
}

object! {
    /// What a coordinator has decided.
    AgentDecision {
        /// The version of this format.
        schema_version: SchemaVersion,
        /// Its own id.
        decision_id: Id,
        /// The plan.
        plan_id: Id,
        /// What kind of decision it is.
        decision_type: DecisionType,
        /// What was decided.
        decision: Verdict,
        /// Who has decided.
        decided_by_agent_id: Id,
        /// When.
        created_at: Timestamp,
        /// What about.
        subject: DecisionSubject,
        /// Who should have taken part.
        missing_participants: Option<Vec<Text>>,
        /// The files that it rests on.
        evidence_files: Option<Vec<Text>>,
        /// What else is to be said.
        notes: Option<String>,
    }
}

object! {
    /// What was decided about.
    DecisionSubject {
        /// What it is.
        kind: SubjectKind,
        /// Its task.
        task_id: Option<Id>,
        /// Which output of the task it is.
        output_name: Option<Id>,
        /// Its hash: about anything else, nothing was decided.
        ref_sha256: Option<Sha256>,
        /// Its revision.
        ref_revision: Option<u64>,
    }
}

object! {
    /// What is released, or not.
    ReleaseManifest {
        /// The version of this format.
        schema_version: SchemaVersion,
        /// Its own id.
        release_id: Id,
        /// The plan.
        plan_id: Id,
        /// When it was decided.
        created_at: Timestamp,
        /// Who has decided.
        release_manager_agent_id: Id,
        /// What is released.
        artifacts: Option<Vec<ReleasedFile>>,
        /// The files that a release needs.
        evidence_required: Option<Vec<Text>>,
        /// Those of them that are there.
        evidence_refs: Option<Vec<ReleasedFile>>,
        /// Whether it is released.
        decision: ReleaseDecision,
        /// What else is to be said.
        notes: Option<String>,
    }
}

object! {
    /// A file of a release, or one that it rests on.
    ReleasedFile {
        /// What it is called.
        name: Text,
        /// The hash of its bytes.
        sha256: Option<Sha256>,
    }
}

object! {
    /// That a plan does not work out.
    ReplanRequest {
        /// The version of this format.
        schema_version: SchemaVersion,
        /// Its own id.
        request_id: Id,
        /// The plan.
        plan_id: Id,
        /// When it was asked.
        created_at: Timestamp,
        /// What has happened.
        trigger: Option<ReplanTrigger>,
        /// Why it does not.
        reason: ReplanReason,
        /// What could be done.
        recommendation: Option<ReplanRecommendation>,
        /// Who plans.
        deliver_to_agent_id: Id,
    }
}

object! {
    /// What has happened to a plan.
    ReplanTrigger {
        /// What it is: `DEPENDENCY_FAILED`.
        kind as "type": Option<String>,
        /// The task that has failed.
        failed_task_id: Option<Id>,
        /// The task that cannot begin.
        downstream_task_id: Option<Id>,
    }
}

object! {
    /// Why a plan does not work out.
    ReplanReason {
        /// Its code.
        code: Option<String>,
        /// In words.
        message: Option<String>,
    }
}

object! {
    /// What could be done about a plan.
    ReplanRecommendation {
        /// In words.
        suggested_actions: Option<Vec<String>>,
        /// What else is known.
        details: Option<Extra>,
    }
}
