//! The release of a plan (contract/plans §14): the releasing agent examines the evidence it has, and decides whether that is
//! enough.

use super::PlanError;
use super::documents::PLAN_MANIFEST;
use super::folders::{Folders, read};
use crate::clock::{Clock, id, stamped};
use crate::dag::format_of_name;
use crate::document::text;
use crate::folder::filled;
use crate::hash;
use files::{Dir, durable, json};
use protocol::agent::{
    AgentDecision, DecisionSubject, DecisionType, Extra, Format, Id, InputIndex, Judgement, PlanManifest,
    RelPath, ReleaseDecision, ReleaseManifest, ReleasedFile, SchemaVersion, SubjectKind, Text, Verdict,
};
use serde_json::Value;

/// What a release needs where its plan does not say (contract/plans §14).
const STANDARD: [&str; 5] = [
    "build_validation_result.json",
    "deploy_validation_result.json",
    "smoke_test_result.json",
    "e2e_test_result.json",
    "security_scan_result.json",
];
/// What cannot be evidence of itself.
const OWN: [&str; 2] = ["release_manifest.json", "decision_record.json"];

/// The result of a release.
#[derive(Debug)]
pub struct ReleaseReport {
    /// What was written.
    pub manifest: ReleaseManifest,
    /// The evidence that is not there.
    pub missing: Vec<String>,
    /// The evidence that is not good enough, and why.
    pub rejected: Vec<(String, String)>,
}

/// A file that judges something, with what it says: why it is not good enough, if it is not.
struct Evidence {
    bytes: Vec<u8>,
    verdict: Result<(), String>,
}

impl Folders {
    /// Decides about the release of a plan as `agent`, by what lies with it, and writes the release and the decision into its
    /// outbox. Each call writes a release of its own.
    ///
    /// # Errors
    ///
    /// When the plan has no manifest, and whatever the disk says.
    pub fn release(&self, plan: &Id, agent: &Id, clock: &dyn Clock) -> Result<ReleaseReport, PlanError> {
        let lock = self.lock()?;
        let Some(folder) = self.plan(plan)? else { return Err(PlanError::UnknownPlan(plan.clone())) };
        let Some(manifest) = read::<PlanManifest>(&folder, PLAN_MANIFEST)? else {
            return Err(PlanError::Missing { path: folder.path_of(PLAN_MANIFEST) });
        };
        let required = required(&manifest);
        let (mut refs, mut missing, mut rejected) = (Vec::new(), Vec::new(), Vec::new());
        for name in &required {
            match self.evidence_of(plan, agent, name)? {
                None => missing.push(name.clone()),
                Some(Evidence { bytes, verdict }) => {
                    refs.push(ReleasedFile {
                        name: text_of(name),
                        sha256: Some(hash::sha256(&bytes)),
                        extra: Extra::new(),
                    });
                    if let Err(why) = verdict {
                        rejected.push((name.clone(), why));
                    }
                }
            }
        }
        let is_approved = missing.is_empty() && rejected.is_empty();
        let now = clock.now();
        let mut notes: Vec<String> = missing.iter().map(|name| format!("missing: {name}")).collect();
        notes.extend(rejected.iter().map(|(name, why)| format!("rejected: {name}: {why}")));
        let manifest = ReleaseManifest {
            schema_version: SchemaVersion::CURRENT,
            release_id: stamped("rel", &now, clock.random()),
            plan_id: plan.clone(),
            created_at: now.clone(),
            release_manager_agent_id: agent.clone(),
            artifacts: Some(self.released_files(plan)?),
            evidence_required: Some(required.iter().map(|name| text_of(name)).collect()),
            evidence_refs: Some(refs),
            decision: if is_approved { ReleaseDecision::Approve } else { ReleaseDecision::Reject },
            notes: (!notes.is_empty()).then(|| notes.join("; ")),
            extra: Extra::new(),
        };
        let bytes = text(&manifest)?;
        let decision = AgentDecision {
            schema_version: SchemaVersion::CURRENT,
            decision_id: id(&format!("dec_{}", manifest.release_id)),
            plan_id: plan.clone(),
            decision_type: DecisionType::Release,
            decision: if is_approved { Verdict::Approve } else { Verdict::Reject },
            decided_by_agent_id: agent.clone(),
            created_at: now,
            subject: DecisionSubject {
                kind: SubjectKind::Release,
                task_id: None,
                output_name: None,
                ref_sha256: Some(hash::sha256(&bytes)),
                ref_revision: None,
                extra: Extra::new(),
            },
            missing_participants: None,
            evidence_files: Some(required.iter().map(|name| text_of(name)).collect()),
            notes: manifest.notes.clone(),
            extra: Extra::new(),
        };
        let outbox = self.agents.ensure_folders([agent.as_str(), "outbox", plan.as_str()])?;
        // The decision comes last: it names the release by its hash.
        durable::publish_once(
            &lock,
            &outbox,
            &format!("release_manifest_{}.json", manifest.release_id),
            &bytes,
        )?;
        let name = format!("decision_record_{}.json", decision.decision_id);
        durable::publish_once(&lock, &outbox, &name, &text(&decision)?)?;
        Ok(ReleaseReport { manifest, missing, rejected })
    }

    /// The evidence of this name that lies with an agent, with what it says.
    fn evidence_of(&self, plan: &Id, agent: &Id, name: &str) -> Result<Option<Evidence>, PlanError> {
        let way = [agent.as_str(), "workspace", plan.as_str(), "inputs"];
        let Some(inputs) = self.agents.folder_at(way)? else { return Ok(None) };
        let Some(index) = inputs.read("input_index.json", json::MAX_JSON)? else { return Ok(None) };
        let Ok(index) = InputIndex::parse(&index) else { return Ok(None) };
        let entries = index.entries.iter().rev();
        let mut files = entries.flat_map(|entry| entry.files.iter());
        let Some(file) = files.find(|file| file.path.as_str() == name) else { return Ok(None) };
        let Some(root) = self.agents.folder(agent.as_str())? else { return Ok(None) };
        let Ok(stored_at) = file.stored_at.parse::<RelPath>() else { return Ok(None) };
        let mut way: Vec<&str> = stored_at.components().collect();
        let Some(last) = way.pop() else { return Ok(None) };
        let Some(bytes) = read_at(&root, way, last)? else { return Ok(None) };
        let verdict = verdict(plan, name, &bytes);
        Ok(Some(Evidence { bytes, verdict }))
    }

    /// What the plan is for, as it is archived.
    fn released_files(&self, plan: &Id) -> Result<Vec<ReleasedFile>, PlanError> {
        let Some(artifacts) = self.runtime.folder_at(["artifacts", plan.as_str()])? else {
            return Ok(Vec::new());
        };
        let mut released = Vec::new();
        for way in crate::folder::walk(&artifacts)? {
            let Some((name, folders)) = way.split_last() else { continue };
            let Some(folder) = artifacts.folder_at(folders.iter().map(String::as_str))? else { continue };
            let Some((sha256, _)) = hash::of_file(&folder, name)? else { continue };
            released.push(ReleasedFile {
                name: text_of(&way.join("/")),
                sha256: Some(sha256),
                extra: Extra::new(),
            });
        }
        Ok(released)
    }
}

/// The files that a release needs.
fn required(manifest: &PlanManifest) -> Vec<String> {
    let policies = manifest.policies.as_ref();
    let stated = policies.and_then(|policies| policies.release_gates_required.as_ref());
    let stated: Vec<String> = stated.into_iter().flatten().map(ToString::to_string).collect();
    let all = if stated.is_empty() { STANDARD.map(str::to_owned).to_vec() } else { stated };
    let mut required = Vec::new();
    for name in all {
        if !OWN.contains(&name.as_str()) && !required.contains(&name) {
            required.push(name);
        }
    }
    required
}

fn verdict(plan: &Id, name: &str, bytes: &[u8]) -> Result<(), String> {
    let value: Value = serde_json::from_slice(bytes).map_err(|_| "not JSON".to_owned())?;
    let format = format_of_name(name).ok_or_else(|| "not a format of evidence".to_owned())?;
    let judgement = Judgement::from_value(format, &value).and_then(Result::ok);
    let judgement = judgement.ok_or_else(|| format!("not a valid {}", format.name()))?;
    if judgement.plan_id != *plan {
        return Err(format!("of the plan {}", judgement.plan_id));
    }
    if judgement.passed { Ok(()) } else { Err(judgement.decision.to_owned()) }
}

fn read_at(root: &Dir, way: Vec<&str>, name: &str) -> Result<Option<Vec<u8>>, files::FileError> {
    match root.folder_at(way)? {
        Some(folder) => folder.read(name, json::MAX_JSON),
        None => Ok(None),
    }
}

fn text_of(text: &str) -> Text {
    text.parse().unwrap_or_else(|_| filled("?".parse()))
}
