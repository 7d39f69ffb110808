//! What agents write besides messages (contract/plans §10.1): acknowledgements, requests to a person and their responses,
//! decisions, releases and alerts. Each is archived once, and then leaves the outbox.

use super::PlanError;
use super::ledger::Ledger;
use super::scan::Scan;
use super::turn::{AlertSubject, PlanEvent, Turn};
use crate::hash;
use crate::human::{GATEWAY, request_name};
use crate::settling::is_being_written;
use files::{Dir, FileError, Identity, durable, json};
use protocol::agent::{
    Ack, AgentDecision, Alert, Code, DecisionType, Extra, Format, HumanRequest, Id, ReleaseDecision,
    ReleaseManifest, Sha256, Verdict,
};
use std::collections::BTreeMap;

/// The newest release.
pub const RELEASE_MANIFEST: &str = "release_manifest.json";

/// The documents that stay in their outboxes, each in the state in which it was archived.
pub(super) type ArchivedDocuments = BTreeMap<(Id, String), Identity>;

/// What a document is, by its name.
#[derive(Clone, Copy)]
enum Kind {
    Ack,
    Request,
    Response,
    Decision,
    Release,
    Alert,
}

/// A document in an outbox.
pub(super) struct OutboxDocument<'f> {
    pub(super) outbox: &'f Dir,
    pub(super) owner: &'f Id,
    pub(super) name: &'f str,
    pub(super) bytes: Vec<u8>,
}

impl Turn<'_> {
    /// Archives what agents have written besides messages, in the order of contract/plans §10.1.
    pub(super) fn collect(
        &mut self,
        scan: &Scan,
        archived: &mut ArchivedDocuments,
        ledger: &mut Ledger,
    ) -> Result<(), PlanError> {
        archived.retain(|key, _| scan.documents.contains(key));
        let kinds = [Kind::Request, Kind::Response, Kind::Decision, Kind::Release, Kind::Ack, Kind::Alert];
        for kind in kinds {
            for key in scan.documents.iter().filter(|(_, name)| kind.is_of(name)) {
                let (owner, name) = key;
                let Some(outbox) = scan.outboxes.get(owner) else { continue };
                let Some(identity) = outbox.identity(name)? else { continue };
                if archived.get(key) == Some(&identity) {
                    continue;
                }
                let bytes = match outbox.read(name, json::MAX_JSON) {
                    Ok(Some(bytes)) => bytes,
                    Ok(None) => continue,
                    Err(FileError::TooLarge { .. }) => {
                        self.refuse(outbox, (owner, name), kind.invalid(), "too large")?;
                        continue;
                    }
                    Err(error) => return Err(error.into()),
                };
                if is_being_written(outbox, name, &bytes, self.settle)? {
                    self.is_unsettled = true;
                    continue;
                }
                let found = OutboxDocument { outbox, owner, name, bytes };
                let stays = match kind {
                    Kind::Ack => self.ack(&found)?,
                    Kind::Request => self.request(&found)?,
                    Kind::Response => self.response(&found, ledger)?,
                    Kind::Decision => self.decision(&found)?,
                    Kind::Release => self.release(&found)?,
                    Kind::Alert => self.agents_alert(&found)?,
                };
                if stays == Disposition::Archived {
                    archived.insert(key.clone(), identity);
                }
            }
        }
        Ok(())
    }

    fn ack(&mut self, found: &OutboxDocument<'_>) -> Result<Disposition, PlanError> {
        let invalid = |turn: &mut Self, detail: &str| turn.refused(found, Code::AckSchemaInvalid, detail);
        let Ok(ack) = Ack::parse(&found.bytes) else { return invalid(self, "not an acknowledgement") };
        // An agent acknowledges only for itself.
        if ack.plan_id != *self.plan || ack.consumer_agent_id != *found.owner {
            return invalid(self, "of another plan or agent");
        }
        let acks = self.archive("acks")?;
        let first = format!("ack_{}.json", ack.message_id);
        let own = format!("ack_{}__{}.json", ack.message_id, ack.consumer_agent_id);
        let mut name = first.clone();
        let mut before = read_ack(&acks, &first)?;
        if before.as_ref().is_some_and(|before| before.consumer_agent_id != ack.consumer_agent_id) {
            before = read_ack(&acks, &own)?;
            name = own;
        }
        match before {
            Some(before) if before == ack => {}
            Some(before) if before.status.is_terminal() => {
                let detail = format!("{} is {} already", ack.message_id, before.status.name());
                return self.refused(found, Code::AckIdReusedWithDifferentContent, &detail);
            }
            _ => durable::replace(self.lock, &acks, &name, &found.bytes)?,
        }
        if !ack.status.is_terminal() {
            return Ok(Disposition::Archived);
        }
        self.settle(found.outbox, found.name)?;
        Ok(Disposition::Gone)
    }

    fn request(&mut self, found: &OutboxDocument<'_>) -> Result<Disposition, PlanError> {
        let Some(request) = HumanRequest::parse(&found.bytes).ok().filter(|it| it.plan_id == *self.plan)
        else {
            return self.refused(found, Code::HumanRequestSchemaInvalid, "not a request of this plan");
        };
        let name = request_name(&request.request_id);
        if !self.archive_once("human_requests", &name, &found.bytes)? {
            let code = Code::HumanRequestIdReusedWithDifferentContent;
            return self.refused(found, code, request.request_id.as_str());
        }
        if !self.pass_on(&request, &name, &found.bytes)? {
            let about = AlertSubject { agent: Some(found.owner), ..AlertSubject::default() };
            let words = format!("requests to the user wait: no folder {GATEWAY}");
            self.alert(Code::HumanGatewayAgentMissing, self.plan.as_str(), &words, about)?;
            return Ok(Disposition::Waiting);
        }
        self.settle(found.outbox, found.name)?;
        let task_id = request.created_by.and_then(|by| by.task_id);
        self.happened.push(PlanEvent::Asked { request_id: request.request_id, task_id });
        Ok(Disposition::Gone)
    }

    fn decision(&mut self, found: &OutboxDocument<'_>) -> Result<Disposition, PlanError> {
        let is_own = |it: &AgentDecision| it.plan_id == *self.plan && it.decided_by_agent_id == *found.owner;
        let Some(decision) = AgentDecision::parse(&found.bytes).ok().filter(is_own) else {
            let detail = "not a decision of this agent about this plan";
            return self.refused(found, Code::DecisionSchemaInvalid, detail);
        };
        let name = format!("decision_record_{}.json", decision.decision_id);
        if !self.archive_once("decisions", &name, &found.bytes)? {
            let code = Code::DecisionIdReusedWithDifferentContent;
            return self.refused(found, code, decision.decision_id.as_str());
        }
        self.compare_with_releases(&decision)?;
        self.settle(found.outbox, found.name)?;
        Ok(Disposition::Gone)
    }

    fn release(&mut self, found: &OutboxDocument<'_>) -> Result<Disposition, PlanError> {
        let is_own =
            |it: &ReleaseManifest| it.plan_id == *self.plan && it.release_manager_agent_id == *found.owner;
        let Some(release) = ReleaseManifest::parse(&found.bytes).ok().filter(is_own) else {
            let detail = "not a release of this plan by this agent";
            return self.refused(found, Code::ReleaseManifestSchemaInvalid, detail);
        };
        let name = format!("release_manifest_{}.json", release.release_id);
        if !self.archive_once("releases", &name, &found.bytes)? {
            let code = Code::ReleaseIdReusedWithDifferentContent;
            return self.refused(found, code, release.release_id.as_str());
        }
        let plan = self.folder()?;
        let newest = plan.read(RELEASE_MANIFEST, json::MAX_JSON)?;
        let newest = newest.and_then(|bytes| ReleaseManifest::parse(&bytes).ok());
        let order = |it: &ReleaseManifest| (it.created_at.clone(), it.release_id.clone());
        if newest.is_none_or(|newest| order(&newest) < order(&release)) {
            durable::replace(self.lock, &plan, RELEASE_MANIFEST, &found.bytes)?;
        }
        self.compare_with_decisions(&release, &hash::sha256(&found.bytes))?;
        self.settle(found.outbox, found.name)?;
        self.happened.push(PlanEvent::Released { is_approved: release.decision == ReleaseDecision::Approve });
        Ok(Disposition::Gone)
    }

    /// The manifest decides about a release (contract/plans §13): a decision that contradicts it is reported, whichever comes
    /// first.
    fn compare_with_releases(&mut self, decision: &AgentDecision) -> Result<(), PlanError> {
        let releases = self.archive("releases")?;
        for name in releases.names()? {
            let Some(bytes) = releases.read(&name, json::MAX_JSON)? else { continue };
            let Ok(release) = ReleaseManifest::parse(&bytes) else { continue };
            if is_about(decision, &hash::sha256(&bytes)) {
                self.compare(decision, &release)?;
            }
        }
        Ok(())
    }

    fn compare_with_decisions(
        &mut self,
        release: &ReleaseManifest,
        sha256: &Sha256,
    ) -> Result<(), PlanError> {
        let decisions = self.archive("decisions")?;
        for name in decisions.names()? {
            let Some(bytes) = decisions.read(&name, json::MAX_JSON)? else { continue };
            let Ok(decision) = AgentDecision::parse(&bytes) else { continue };
            if is_about(&decision, sha256) {
                self.compare(&decision, release)?;
            }
        }
        Ok(())
    }

    fn compare(&mut self, decision: &AgentDecision, release: &ReleaseManifest) -> Result<(), PlanError> {
        let approves = matches!(decision.decision, Verdict::Approve | Verdict::Pass);
        if approves == (release.decision == ReleaseDecision::Approve) {
            return Ok(());
        }
        let words = format!(
            "the decision {} says {}, the release {} says {}",
            decision.decision_id,
            decision.decision.name(),
            release.release_id,
            release.decision.name()
        );
        let about = AlertSubject { agent: Some(&decision.decided_by_agent_id), ..AlertSubject::default() };
        self.alert(Code::ReleaseDecisionMismatch, decision.decision_id.as_str(), &words, about)
    }

    fn agents_alert(&mut self, found: &OutboxDocument<'_>) -> Result<Disposition, PlanError> {
        let Some(alert) = Alert::parse(&found.bytes).ok().filter(|alert| alert.plan_id == *self.plan) else {
            return self.refused(found, Code::SchemaInvalid, "not an alert of this plan");
        };
        let alerts = self.folders.ensure(["alerts", self.plan.as_str()])?;
        let name = format!("{}.json", alert.alert_id);
        if durable::publish_once(self.lock, &alerts, &name, &found.bytes)?
            && let Some(code) = Code::named(&alert.kind)
        {
            self.happened.push(PlanEvent::Alerted { code, message: alert.message.to_string() });
        }
        self.settle(found.outbox, found.name)?;
        Ok(Disposition::Gone)
    }

    /// Whether the archive has just these bytes under the name now.
    pub(super) fn archive_once(&self, folder: &str, name: &str, bytes: &[u8]) -> Result<bool, PlanError> {
        let archive = self.archive(folder)?;
        if let Some(before) = archive.read(name, json::MAX_JSON)? {
            return Ok(before == bytes);
        }
        Ok(durable::publish_once(self.lock, &archive, name, bytes)?)
    }

    pub(super) fn refused(
        &mut self,
        found: &OutboxDocument<'_>,
        code: Code,
        detail: &str,
    ) -> Result<Disposition, PlanError> {
        self.refuse(found.outbox, (found.owner, found.name), code, detail)?;
        Ok(Disposition::Gone)
    }
}

/// What becomes of a document in its outbox.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Disposition {
    /// It has left.
    Gone,
    /// It is archived, and may change.
    Archived,
    /// It is looked at again.
    Waiting,
}

impl Kind {
    fn is_of(self, name: &str) -> bool {
        let prefix = match self {
            Self::Ack => "ack_",
            Self::Request => "human_intervention_request_",
            Self::Response => "human_intervention_response_",
            Self::Decision => "decision_record_",
            Self::Release => "release_manifest_",
            Self::Alert => "alert_",
        };
        name.starts_with(prefix) && name.ends_with(".json")
    }

    fn invalid(self) -> Code {
        match self {
            Self::Ack => Code::AckSchemaInvalid,
            Self::Request => Code::HumanRequestSchemaInvalid,
            Self::Response => Code::HumanResponseSchemaInvalid,
            Self::Decision => Code::DecisionSchemaInvalid,
            Self::Release => Code::ReleaseManifestSchemaInvalid,
            Self::Alert => Code::SchemaInvalid,
        }
    }
}

/// Whether a decision is about the release whose file has this hash.
fn is_about(decision: &AgentDecision, sha256: &Sha256) -> bool {
    decision.decision_type == DecisionType::Release && decision.subject.ref_sha256.as_ref() == Some(sha256)
}

fn read_ack(acks: &Dir, name: &str) -> Result<Option<Ack>, FileError> {
    Ok(acks.read(name, json::MAX_JSON)?.and_then(|bytes| Ack::parse(&bytes).ok()))
}

/// All that was acknowledged of a message.
pub(super) fn acks_of(plan: &Dir, message: &Id, consumer: &Id) -> Result<Vec<Ack>, FileError> {
    let Some(acks) = plan.folder("acks")? else { return Ok(Vec::new()) };
    let names = [format!("ack_{message}.json"), format!("ack_{message}__{consumer}.json")];
    let mut found = Vec::new();
    for name in names {
        found.extend(read_ack(&acks, &name)?.filter(|ack| ack.consumer_agent_id == *consumer));
    }
    Ok(found)
}

/// Nothing more than what was given.
pub(super) fn details<const N: usize>(members: [(&str, serde_json::Value); N]) -> Extra {
    members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
