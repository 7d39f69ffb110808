//! Evidence for gates: reviews, validations and tests.

use super::macros::{document, document_names};
use super::{AtLeast, Extra, Format, FormatName, Id, Problem, SchemaVersion, Score, Text, Timestamp};
use serde_json::Value;

document_names! {
    /// Decision of a reviewer.
    ReviewDecision {
        /// The DAG is approved.
        Approve = "APPROVE",
        /// The DAG must be revised.
        Revise = "REVISE",
        /// The DAG is rejected.
        Reject = "REJECT",
    }
}

document_names! {
    /// Decision of a validator.
    ValidationDecision {
        /// The subject has passed.
        Pass = "PASS",
        /// The subject is rejected.
        Reject = "REJECT",
    }
}

document! {
    /// Review of a DAG.
    DagReview {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// Id of the plan.
        plan_id: Id,
        /// Id of the review.
        review_id: Id,
        /// Id of the reviewing agent.
        reviewer_agent_id: Id,
        /// Time of the review.
        reviewed_at: Timestamp,
        /// File, hash and revision of the reviewed DAG; absent if unknown.
        dag: Option<Extra>,
        /// Score from 0 to 100.
        score: Score,
        /// Decision of the reviewer.
        decision: ReviewDecision,
        /// Version of the review criteria; absent if unknown.
        criteria_version: Option<Text>,
        /// Parts of the score, as a list; absent if there are none.
        score_breakdown: Option<Vec<ScorePart>>,
        /// Parts of the score, by name; absent if there are none.
        scores: Option<Extra>,
        /// Issues that must be resolved; absent if there are none.
        issues: Option<Vec<Extra>>,
        /// Recommendation; absent if there is none.
        recommendation: Option<String>,
    }
}

document! {
    /// A part of a score.
    ScorePart {
        /// Key of the part.
        key: Text,
        /// Display name of the part; absent if there is none.
        name: Option<String>,
        /// Points achieved.
        score: AtLeast<0>,
        /// Maximum number of points.
        max: AtLeast<1>,
        /// Explanation; absent if there is none.
        notes: Option<String>,
    }
}

document! {
    /// Validation of an artifact.
    ArtifactValidation {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// Id of the plan.
        plan_id: Id,
        /// Id of the validation.
        validation_id: Id,
        /// Id of the validating agent.
        validator_agent_id: Id,
        /// Time of the validation.
        validated_at: Timestamp,
        /// The validated artifact.
        subject: Extra,
        /// Score from 0 to 100.
        score: Score,
        /// Decision of the validator.
        decision: ValidationDecision,
        /// Validation criteria; absent if there are none.
        criteria: Option<Extra>,
        /// Evidence for the decision; absent if there is none.
        evidence: Option<Extra>,
        /// Issues found; absent if there are none.
        issues: Option<Vec<Extra>>,
        /// Suggested next action; absent if there is none.
        next_action: Option<Extra>,
    }
}

document! {
    /// Validation of a build.
    BuildValidation {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// Id of the plan.
        plan_id: Id,
        /// Id of the validation.
        validation_id: Id,
        /// Id of the validating agent.
        validator_agent_id: Id,
        /// Time of the validation.
        validated_at: Timestamp,
        /// What was built.
        subject: Extra,
        /// Decision of the validator.
        decision: ValidationDecision,
        /// Evidence for the decision; absent if there is none.
        evidence: Option<Extra>,
        /// Issues found; absent if there are none.
        issues: Option<Vec<Extra>>,
    }
}

document! {
    /// Validation of a deployment.
    DeployValidation {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// Id of the plan.
        plan_id: Id,
        /// Id of the validation.
        validation_id: Id,
        /// Id of the validating agent.
        validator_agent_id: Id,
        /// Time of the validation.
        validated_at: Timestamp,
        /// Environment of the deployment.
        environment: Extra,
        /// Decision of the validator.
        decision: ValidationDecision,
        /// Evidence for the decision; absent if there is none.
        evidence: Option<Extra>,
        /// Issues found; absent if there are none.
        issues: Option<Vec<Extra>>,
    }
}

document! {
    /// Smoke test: whether the product starts.
    SmokeTest {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// Id of the plan.
        plan_id: Id,
        /// Id of the validation.
        validation_id: Id,
        /// Id of the testing agent.
        validator_agent_id: Id,
        /// Time of the test.
        validated_at: Timestamp,
        /// Target of the test; absent if unknown.
        target: Option<Extra>,
        /// Decision of the validator.
        decision: ValidationDecision,
        /// Evidence for the decision; absent if there is none.
        evidence: Option<Extra>,
        /// Issues found; absent if there are none.
        issues: Option<Vec<Extra>>,
    }
}

document! {
    /// End-to-end test: whether the product works.
    E2eTest {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// Id of the plan.
        plan_id: Id,
        /// Id of the validation.
        validation_id: Id,
        /// Id of the testing agent.
        validator_agent_id: Id,
        /// Time of the test.
        validated_at: Timestamp,
        /// Decision of the validator.
        decision: ValidationDecision,
        /// Score from 0 to 100; absent if there is none.
        score: Option<Score>,
        /// Test criteria; absent if there are none.
        criteria: Option<Extra>,
        /// Evidence for the decision; absent if there is none.
        evidence: Option<Extra>,
        /// Issues found; absent if there are none.
        issues: Option<Vec<Extra>>,
    }
}

document! {
    /// Security scan: whether the product is safe.
    SecurityScan {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// Id of the plan.
        plan_id: Id,
        /// Id of the validation.
        validation_id: Id,
        /// Id of the scanning agent.
        validator_agent_id: Id,
        /// Time of the scan.
        validated_at: Timestamp,
        /// Scope of the scan; absent if unknown.
        scope: Option<Extra>,
        /// Decision of the validator.
        decision: ValidationDecision,
        /// Evidence for the decision; absent if there is none.
        evidence: Option<Extra>,
        /// Issues found; absent if there are none.
        issues: Option<Vec<Extra>>,
    }
}

/// Judgement of a gate's evidence, in any of its formats.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// Id of the plan.
    pub plan_id: Id,
    /// Id of the agent that judged.
    pub agent_id: Id,
    /// Time of the judgement.
    pub judged_at: Timestamp,
    /// Whether the reviewer or validator accepts it; a gate may require a score as well.
    pub passed: bool,
    /// The decision as written in the document.
    pub decision: &'static str,
    /// The score; `None` if there is none.
    pub score: Option<Score>,
}

impl Judgement {
    /// Reads evidence of this format; `None` if the format is not one of evidence.
    ///
    /// # Errors
    ///
    /// All its problems.
    pub fn from_value(format: FormatName, value: &Value) -> Option<Result<Self, Vec<Problem>>> {
        macro_rules! validation {
            ($type:ident, $score:expr) => {
                $type::from_value(value).map(|read| {
                    let score: fn(&$type) -> Option<Score> = $score;
                    Self {
                        score: score(&read),
                        plan_id: read.plan_id,
                        agent_id: read.validator_agent_id,
                        judged_at: read.validated_at,
                        passed: read.decision == ValidationDecision::Pass,
                        decision: read.decision.name(),
                    }
                })
            };
        }
        Some(match format {
            FormatName::DagReviewResult => DagReview::from_value(value).map(|read| Self {
                plan_id: read.plan_id,
                agent_id: read.reviewer_agent_id,
                judged_at: read.reviewed_at,
                passed: read.decision == ReviewDecision::Approve,
                decision: read.decision.name(),
                score: Some(read.score),
            }),
            FormatName::ArtifactValidationResult => {
                validation!(ArtifactValidation, |read| Some(read.score.clone()))
            }
            FormatName::BuildValidationResult => validation!(BuildValidation, |_| None),
            FormatName::DeployValidationResult => validation!(DeployValidation, |_| None),
            FormatName::SmokeTestResult => validation!(SmokeTest, |_| None),
            FormatName::E2eTestResult => validation!(E2eTest, |read| read.score.clone()),
            FormatName::SecurityScanResult => validation!(SecurityScan, |_| None),
            _ => return None,
        })
    }
}
