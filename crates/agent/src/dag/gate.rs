//! What a gate asks for, and whether it is there (contract/plans §11.4).

use super::Drafts;
use super::select::pattern_fits;
use protocol::agent::{FormatName, Gates, Id, Node, RelPath, Score, Sha256, TaskDag, Timestamp};
use std::collections::BTreeMap;

/// The formats of evidence, with the score that a threshold of theirs is called after.
const EVIDENCE: [(FormatName, &str); 7] = [
    (FormatName::DagReviewResult, "dag_review_min_score"),
    (FormatName::ArtifactValidationResult, "artifact_validation_min_score"),
    (FormatName::BuildValidationResult, "build_validation_min_score"),
    (FormatName::DeployValidationResult, "deploy_validation_min_score"),
    (FormatName::SmokeTestResult, "smoke_test_min_score"),
    (FormatName::E2eTestResult, "e2e_test_min_score"),
    (FormatName::SecurityScanResult, "security_scan_min_score"),
];

/// Something that shows how good a task's work is.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// Its file.
    pub path: RelPath,
    /// The hash of the file.
    pub sha256: Sha256,
    /// What it is; `None` if it is in none of the formats of evidence.
    pub format: Option<FormatName>,
    /// Whether the judgement is positive: APPROVE or PASS.
    pub passed: bool,
    /// The decision as it is written.
    pub decision: String,
    /// The score, if there is one.
    pub score: Option<Score>,
    /// The message that it came with.
    pub message_id: Id,
    /// The task that has made it.
    pub task_id: Id,
    /// The command that has made it, if the message says so.
    pub command_id: Option<Id>,
    /// The task that was judged, if it says so.
    pub subject: Option<Id>,
    /// The hashes of what was judged, if it says so.
    pub judged: Vec<Sha256>,
    /// When it was delivered.
    pub delivered_at: Timestamp,
}

/// Something that a gate asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Requirement {
    /// A file, or what fits a pattern.
    File {
        /// The file.
        path: RelPath,
        /// What it is, as its name says.
        format: Option<FormatName>,
        /// The score that it must have.
        least: Option<Score>,
    },
    /// A score in any file of this format.
    Score {
        /// The format.
        format: FormatName,
        /// The score.
        least: Score,
    },
}

/// How it stands with a gate.
#[derive(Debug, Clone, PartialEq)]
pub enum GateVerdict<'e> {
    /// Everything that it asks for is there and good enough.
    Passed(Vec<&'e Evidence>),
    /// Something is not there.
    Missing(Vec<Requirement>),
    /// Everything is there, and this is not good enough.
    Short(Vec<&'e Evidence>),
}

impl Requirement {
    /// Returns that this file is asked for.
    pub fn file(path: &RelPath) -> Self {
        Self::File { path: path.clone(), format: format_of_name(path), least: None }
    }

    /// Returns its file, or the name of its format.
    pub fn name(&self) -> &str {
        match self {
            Self::File { path, .. } => path,
            Self::Score { format, .. } => format.name(),
        }
    }

    /// Returns the format that it asks for, if it is known.
    pub fn format(&self) -> Option<FormatName> {
        match self {
            Self::File { format, .. } => *format,
            Self::Score { format, .. } => Some(*format),
        }
    }

    fn is_met_by(&self, path: &str, format: Option<FormatName>) -> bool {
        match self {
            Self::File { path: wanted, .. } => {
                pattern_fits(wanted, path) || path.rsplit('/').next() == Some(wanted.as_str())
            }
            Self::Score { format: wanted, .. } => format == Some(*wanted),
        }
    }

    fn least(&self) -> Option<&Score> {
        match self {
            Self::File { least, .. } => least.as_ref(),
            Self::Score { least, .. } => Some(least),
        }
    }
}

/// Returns the format of evidence that a file's name tells.
pub(crate) fn format_of_name(path: &str) -> Option<FormatName> {
    let name = path.rsplit('/').next().unwrap_or_default();
    evidence_formats().find(|format| name.contains(format.name()))
}

/// Returns the formats of evidence.
pub(crate) fn evidence_formats() -> impl Iterator<Item = FormatName> {
    EVIDENCE.iter().map(|(format, _)| *format)
}

/// Returns the name of the threshold for a format.
pub(super) fn threshold_name(format: FormatName) -> &'static str {
    EVIDENCE.iter().find(|(of, _)| *of == format).map_or("", |(_, name)| name)
}

/// Returns what a gate asks for: its files, and then the scores that none of them has by its name. Nothing if it is said
/// not to be required.
pub fn requirements(gates: &Gates) -> Vec<Requirement> {
    if gates.required == Some(false) {
        return Vec::new();
    }
    let threshold = |format: FormatName| {
        let thresholds = gates.thresholds.as_ref()?;
        match format {
            FormatName::DagReviewResult => thresholds.dag_review_min_score.clone(),
            FormatName::ArtifactValidationResult => thresholds.artifact_validation_min_score.clone(),
            _ => thresholds.extra.get(threshold_name(format))?.as_number().and_then(Score::new),
        }
    };
    let mut requirements: Vec<Requirement> = Vec::new();
    for path in gates.evidence_required.iter().flatten() {
        let format = format_of_name(path);
        requirements.push(Requirement::File {
            path: path.clone(),
            format,
            least: format.and_then(threshold),
        });
    }
    for (format, _) in EVIDENCE {
        let is_listed = requirements.iter().any(|requirement| requirement.format() == Some(format));
        if let Some(least) = threshold(format).filter(|_| !is_listed) {
            requirements.push(Requirement::Score { format, least });
        }
    }
    requirements
}

/// Returns the tasks whose commands make what is asked for.
pub fn producers<'a>(
    dag: &'a TaskDag,
    drafts: &'a Drafts,
    requirement: &'a Requirement,
) -> impl Iterator<Item = &'a Node> {
    dag.nodes.iter().filter(move |node| {
        let produces = drafts.get(&node.task_id).and_then(|command| command.produces.as_deref());
        produces
            .unwrap_or_default()
            .iter()
            .flat_map(|produced| &produced.files)
            .any(|file| requirement.is_met_by(&file.path, file.format.or_else(|| format_of_name(&file.path))))
    })
}

/// Returns how it stands with a gate. Of several files of one name by one task the latest counts; of several that fit, all
/// must be good enough. A score does not make up for a decision against it, nor a decision for a score.
pub fn judge<'e>(requirements: &[Requirement], evidence: &[&'e Evidence]) -> GateVerdict<'e> {
    let mut latest: BTreeMap<(&Id, &RelPath), &'e Evidence> = BTreeMap::new();
    for one in evidence {
        let known = latest.entry((&one.task_id, &one.path)).or_insert(one);
        if (&one.delivered_at, &one.message_id) > (&known.delivered_at, &known.message_id) {
            *known = one;
        }
    }
    let (mut missing, mut short, mut passed) = (Vec::new(), Vec::new(), Vec::new());
    for requirement in requirements {
        let mut found = false;
        for one in latest.values().filter(|one| requirement.is_met_by(&one.path, one.format)) {
            found = true;
            let scores = requirement
                .least()
                .is_none_or(|least| one.score.as_ref().is_some_and(|score| least <= score));
            let list = if one.passed && scores { &mut passed } else { &mut short };
            if !list.contains(one) {
                list.push(*one);
            }
        }
        if !found {
            missing.push(requirement.clone());
        }
    }
    if !missing.is_empty() {
        GateVerdict::Missing(missing)
    } else if !short.is_empty() {
        GateVerdict::Short(short)
    } else {
        GateVerdict::Passed(passed)
    }
}
