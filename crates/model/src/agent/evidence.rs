//! What those who judge have found: reviews, validations and tests. Gates ask for them.

use super::macros::{names, object};
use super::{AtLeast, Extra, Format, FormatName, Id, Problem, SchemaVersion, Score, Text, Timestamp};
use serde_json::Value;

names! {
    /// What a reviewer says.
    ReviewDecision {
        /// It is good.
        Approve = "APPROVE",
        /// It must become better.
        Revise = "REVISE",
        /// It is no good.
        Reject = "REJECT",
    }
}

names! {
    /// What a validator says.
    ValidationDecision {
        /// It is right.
        Pass = "PASS",
        /// It is not.
        Reject = "REJECT",
    }
}

object! {
    /// What a reviewer says of a DAG.
    DagReview {
        /// The version of this format.
        schema_version: SchemaVersion,
        /// The plan.
        plan_id: Id,
        /// Its own id.
        review_id: Id,
        /// Who has reviewed.
        reviewer_agent_id: Id,
        /// When.
        reviewed_at: Timestamp,
        /// What was reviewed: its file, hash and revision.
        dag: Option<Extra>,
        /// How good it is.
        score: Score,
        /// What follows.
        decision: ReviewDecision,
        /// By which criteria.
        criteria_version: Option<Text>,
        /// The score in its parts.
        score_breakdown: Option<Vec<ScorePart>>,
        /// The score in its parts, each under its name.
        scores: Option<Extra>,
        /// What must become better.
        issues: Option<Vec<Extra>>,
        /// What is recommended.
        recommendation: Option<String>,
    }
}

object! {
    /// A part of a score.
    ScorePart {
        /// By which it is named.
        key: Text,
        /// What people call it.
        name: Option<String>,
        /// How much there is.
        score: AtLeast<0>,
        /// How much there could be.
        max: AtLeast<1>,
        /// Why.
        notes: Option<String>,
    }
}

object! {
    /// What a validator says of an artifact.
    ArtifactValidation {
        /// The version of this format.
        schema_version: SchemaVersion,
        /// The plan.
        plan_id: Id,
        /// Its own id.
        validation_id: Id,
        /// Who has validated.
        validator_agent_id: Id,
        /// When.
        validated_at: Timestamp,
        /// What was validated.
        subject: Extra,
        /// How good it is.
        score: Score,
        /// Whether it is right.
        decision: ValidationDecision,
        /// By which criteria.
        criteria: Option<Extra>,
        /// What it rests on.
        evidence: Option<Extra>,
        /// What is not right.
        issues: Option<Vec<Extra>>,
        /// What should be done.
        next_action: Option<Extra>,
    }
}

object! {
    /// Whether it builds.
    BuildValidation {
        /// The version of this format.
        schema_version: SchemaVersion,
        /// The plan.
        plan_id: Id,
        /// Its own id.
        validation_id: Id,
        /// Who has validated.
        validator_agent_id: Id,
        /// When.
        validated_at: Timestamp,
        /// What was built.
        subject: Extra,
        /// Whether it builds.
        decision: ValidationDecision,
        /// What it rests on.
        evidence: Option<Extra>,
        /// What is not right.
        issues: Option<Vec<Extra>>,
    }
}

object! {
    /// Whether it can be deployed.
    DeployValidation {
        /// The version of this format.
        schema_version: SchemaVersion,
        /// The plan.
        plan_id: Id,
        /// Its own id.
        validation_id: Id,
        /// Who has validated.
        validator_agent_id: Id,
        /// When.
        validated_at: Timestamp,
        /// Where it was deployed.
        environment: Extra,
        /// Whether it can be.
        decision: ValidationDecision,
        /// What it rests on.
        evidence: Option<Extra>,
        /// What is not right.
        issues: Option<Vec<Extra>>,
    }
}

object! {
    /// Whether it starts.
    SmokeTest {
        /// The version of this format.
        schema_version: SchemaVersion,
        /// The plan.
        plan_id: Id,
        /// Its own id.
        validation_id: Id,
        /// Who has tested.
        validator_agent_id: Id,
        /// When.
        validated_at: Timestamp,
        /// What was tested.
        target: Option<Extra>,
        /// Whether it starts.
        decision: ValidationDecision,
        /// What it rests on.
        evidence: Option<Extra>,
        /// What is not right.
        issues: Option<Vec<Extra>>,
    }
}

object! {
    /// Whether it works.
    E2eTest {
        /// The version of this format.
        schema_version: SchemaVersion,
        /// The plan.
        plan_id: Id,
        /// Its own id.
        validation_id: Id,
        /// Who has tested.
        validator_agent_id: Id,
        /// When.
        validated_at: Timestamp,
        /// Whether it works.
        decision: ValidationDecision,
        /// How well.
        score: Option<Score>,
        /// By which criteria.
        criteria: Option<Extra>,
        /// What it rests on.
        evidence: Option<Extra>,
        /// What is not right.
        issues: Option<Vec<Extra>>,
    }
}

object! {
    /// Whether it is safe.
    SecurityScan {
        /// The version of this format.
        schema_version: SchemaVersion,
        /// The plan.
        plan_id: Id,
        /// Its own id.
        validation_id: Id,
        /// Who has looked.
        validator_agent_id: Id,
        /// When.
        validated_at: Timestamp,
        /// What was looked at.
        scope: Option<Extra>,
        /// Whether it is safe.
        decision: ValidationDecision,
        /// What it rests on.
        evidence: Option<Extra>,
        /// What is not right.
        issues: Option<Vec<Extra>>,
    }
}

/// What evidence of any format comes to, for a gate.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The plan that it is for.
    pub plan_id: Id,
    /// Who has judged.
    pub agent_id: Id,
    /// When.
    pub judged_at: Timestamp,
    /// Whether it is good enough in the words of whoever has judged; a gate may want a score besides.
    pub passed: bool,
    /// The decision as it is written.
    pub decision: &'static str,
    /// The score, if there is one.
    pub score: Option<Score>,
}

impl Judgement {
    /// Reads evidence of this format; `None` if the format is none of evidence.
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
