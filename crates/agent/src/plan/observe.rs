//! The monitor (contract/plans §12): how far plans have come and how agents are, written down for others. It decides nothing.

use super::PlanError;
use super::collect::{RELEASE_MANIFEST, details};
use super::documents::Documents;
use super::facts::PlanFacts;
use super::folders::Folders;
use super::ledger::Ledger;
use super::turn::{AlertSubject, Turn};
use crate::dag::{Facts, NodeProgress, OpenItem, Outcome, assignee, open};
use crate::document::text;
use crate::monitor;
use files::{Dir, FileError, Lock, durable, json};
use protocol::agent::{
    Code, Extra, Format, Id, PlanStatus, ReleaseDecision, ReleaseManifest, State, StatusHeartbeat, Timestamp,
};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// How far a plan has come.
pub const PLAN_STATUS: &str = "plan_status.json";
const STATUS_HEARTBEAT: &str = "status_heartbeat.json";
/// How the agents are.
pub(super) const AGENT_STATUS: &str = "agent_status";
/// An agent that has work and was not seen for this long, in seconds, is reported.
const UNSEEN: i64 = 60;

/// When the agents were last seen, by their own reports.
pub(super) type LastSeen = BTreeMap<Id, Timestamp>;

/// How it stands with a plan.
#[derive(Debug, Clone)]
pub struct PlanOverview {
    /// How far its tasks have come.
    pub status: PlanStatus,
    /// The items that are open; none if the plan is done, `None` if it has no manifest.
    pub open: Option<Vec<OpenItem>>,
    /// The agents that it needs besides those that do its tasks: they take part in what it delivers.
    pub agents: Vec<Id>,
    /// Whether something that a task has made is still to be delivered.
    pub is_delivering: bool,
}

impl PlanOverview {
    /// Whether nothing more will happen by itself: the plan is done, or every task has ended and what it has made is delivered.
    pub fn is_over(&self) -> bool {
        match &self.open {
            Some(open) => {
                open.is_empty()
                    || (self.tasks_are_over()
                        && !open.iter().any(|open| matches!(open, OpenItem::ReleasePending)))
            }
            None => self.tasks_are_over(),
        }
    }

    /// Whether nothing but the decision about its release is left.
    pub fn waits_for_release(&self) -> bool {
        self.open.as_deref() == Some(&[OpenItem::ReleasePending])
    }

    /// Whether the plan has succeeded: nothing is open or, without deliverables, every task is completed or skipped.
    pub fn has_succeeded(&self) -> bool {
        match &self.open {
            Some(open) => open.is_empty(),
            None => {
                self.status.tasks.iter().all(|task| matches!(task.state, State::Completed | State::Skipped))
            }
        }
    }

    fn tasks_are_over(&self) -> bool {
        !self.is_delivering && self.status.tasks.iter().all(|task| task.state.is_terminal())
    }
}

/// Copies what agents say of themselves, where it has changed (contract/plans §12).
pub(super) fn agents(folders: &Folders, lock: &Lock, now: &Timestamp) -> Result<LastSeen, PlanError> {
    let mut seen = LastSeen::new();
    let mut copies = None;
    for agent in folders.agents()? {
        let Ok(Some(folder)) = folders.agents.folder(agent.as_str()) else { continue };
        let Ok(Some(bytes)) = folder.read(STATUS_HEARTBEAT, json::MAX_JSON) else { continue };
        let Ok(status) = StatusHeartbeat::parse(&bytes) else { continue };
        if status.agent_id != agent {
            continue;
        }
        seen.insert(agent.clone(), status.last_heartbeat.clone());
        let copies = match &copies {
            Some(copies) => copies,
            None => copies.insert(folders.ensure([AGENT_STATUS])?),
        };
        let name = format!("{agent}.json");
        let before = copies.read(&name, json::MAX_JSON)?;
        let before = before.and_then(|bytes| StatusHeartbeat::parse(&bytes).ok());
        if before.is_some_and(|before| StatusHeartbeat { collected_at: None, ..before } == status) {
            continue;
        }
        let copy = StatusHeartbeat { collected_at: Some(now.clone()), ..status };
        durable::replace(lock, copies, &name, &text(&copy)?)?;
    }
    Ok(seen)
}

/// What a plan is looked at with.
pub(super) struct PlanObservation<'l> {
    pub(super) facts: &'l Facts<'l>,
    pub(super) progress: &'l [NodeProgress],
    pub(super) documents: &'l Documents,
    pub(super) ledger: &'l Ledger,
    pub(super) seen: &'l LastSeen,
    pub(super) is_delivering: bool,
}

impl Turn<'_> {
    /// Computes how it stands with the plan. `before` is how it stood.
    pub(super) fn standing(
        &self,
        looked: &PlanObservation<'_>,
        before: Option<&PlanStatus>,
    ) -> Result<PlanOverview, PlanError> {
        let PlanObservation { facts, progress, documents, ledger, seen, is_delivering } = *looked;
        let release = self.release_decision()?;
        let status = monitor::status(facts, progress, &documents.active.sha256, release, before);
        let seen: BTreeSet<Id> = seen.keys().cloned().collect();
        let since = status.tasks.iter().map(|task| &task.updated_at).max();
        let open = documents.manifest.as_ref().map(|manifest| {
            open(&Outcome {
                dag: &documents.active.dag,
                manifest,
                drafts: Some(&documents.drafts),
                progress,
                archived: &ledger.outputs,
                evidence: facts.evidence,
                trusted: None,
                seen: &seen,
                release,
                release_asked_at: since,
                now: &self.now,
            })
        });
        let nodes = documents.active.dag.nodes.iter();
        let receivers = nodes.flat_map(|node| &node.outputs).flat_map(|output| &output.deliver_to);
        let rules = documents.active.dag.routing_rules.iter().flatten().flat_map(|rule| &rule.deliver_to);
        let listed = documents.manifest.iter().flat_map(|manifest| &manifest.agents).map(|it| &it.agent_id);
        let agents: BTreeSet<&Id> = receivers.chain(rules).chain(listed).collect();
        let agents = agents.into_iter().cloned().collect();
        Ok(PlanOverview { status, open, agents, is_delivering })
    }

    /// What was decided about the release.
    pub(super) fn release_decision(&self) -> Result<Option<ReleaseDecision>, FileError> {
        let Some(plan) = self.folders.plan(self.plan)? else { return Ok(None) };
        let bytes = plan.read(RELEASE_MANIFEST, json::MAX_JSON)?;
        Ok(bytes.and_then(|bytes| ReleaseManifest::parse(&bytes).ok()).map(|release| release.decision))
    }

    /// Writes how the plan stands, if it stands otherwise than before.
    pub(super) fn write_status(&self, plan: &Dir, standing: &PlanOverview) -> Result<(), PlanError> {
        let before = plan.read(PLAN_STATUS, json::MAX_JSON)?;
        let before = before.and_then(|bytes| PlanStatus::parse(&bytes).ok());
        let is_same = before.is_some_and(|before| {
            PlanStatus { updated_at: standing.status.updated_at.clone(), ..before } == standing.status
        });
        if !is_same {
            durable::replace(self.lock, plan, PLAN_STATUS, &text(&standing.status)?)?;
        }
        Ok(())
    }

    /// Tells of agents that have work and were not seen for long.
    pub(super) fn report_unseen(
        &mut self,
        gathered: &PlanFacts,
        documents: &Documents,
        seen: &LastSeen,
    ) -> Result<(), PlanError> {
        // They are about to be seen.
        if self.runs_agents.is_some_and(|since| self.now.seconds_since(since) <= UNSEEN) {
            return Ok(());
        }
        for (task, work) in &gathered.work {
            let Some(node) = documents.active.dag.node(task).filter(|_| !work.state.is_terminal()) else {
                continue;
            };
            let agent = assignee(node, work.reexecutions);
            let Some(last) = seen.get(agent).filter(|last| self.now.seconds_since(last) > UNSEEN) else {
                continue;
            };
            let more: Extra =
                details([("last_heartbeat", json!(last)), ("command_id", json!(work.command_id))]);
            let about = AlertSubject { agent: Some(agent), task: Some(task), details: more };
            let words = format!("{agent} has work and was last seen at {last}");
            self.alert(Code::HeartbeatTimeout, &format!("{agent} {last}"), &words, about)?;
        }
        Ok(())
    }
}
