//! The system's records of a plan and its agents, page by page, for readers (contract/plans §14): takes no lock and writes
//! nothing.

use super::PlanError;
use super::collect::RELEASE_MANIFEST;
use super::documents::PLAN_MANIFEST;
use super::folders::{Folders, read};
use super::log::{DELIVERIES, every_line, last_lines};
use super::observe::{AGENT_STATUS, PLAN_STATUS};
use super::withdraw::WITHDRAWALS;
use files::Dir;
use protocol::agent::{
    Ack, AgentDecision, Alert, Delivery, DeliveryStatus, Format, Id, PlanManifest, ReleaseManifest,
    StatusHeartbeat,
};

/// What changes when there is something new to be seen of a plan: a file with its content, a folder with what is in it.
const SEEN: [&str; 9] = [
    PLAN_STATUS,
    PLAN_MANIFEST,
    RELEASE_MANIFEST,
    DELIVERIES,
    "human_requests",
    "human_responses",
    WITHDRAWALS,
    "acks",
    "decisions",
];
const ALERTS: &str = "alerts";
const DEADLETTER: &str = "deadletter";

/// Which part of a list is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// How many entries are left out before it.
    pub offset: usize,
    /// How many there are in it at most.
    pub limit: usize,
}

impl Window {
    /// Everything.
    pub const ALL: Self = Self { offset: 0, limit: usize::MAX };

    fn slice<T>(self, all: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        all.skip(self.offset).take(self.limit)
    }
}

/// A part of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing<T> {
    /// How many entries there are in all.
    pub total: usize,
    /// Those that were wanted.
    pub items: Vec<T>,
}

/// Which deliveries are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeliveryFilter {
    /// Those of this message.
    pub message_id: Option<String>,
    /// Those of this task.
    pub task_id: Option<String>,
    /// Not those that were left out: what has come before, and what is superseded.
    pub without_skipped: bool,
}

impl DeliveryFilter {
    fn fits(&self, line: &Delivery) -> bool {
        let is_skipped =
            matches!(line.status, DeliveryStatus::SkippedDuplicate | DeliveryStatus::SkippedSuperseded);
        !(is_skipped && self.without_skipped)
            && self.message_id.as_deref().is_none_or(|message| line.message_id.as_str() == message)
            && self.task_id.as_deref().is_none_or(|task| line.task_id.as_deref() == Some(task))
    }
}

impl Folders {
    /// Returns what was delivered for a plan, in the order in which it was.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn deliveries(
        &self,
        plan: &Id,
        filter: &DeliveryFilter,
        window: Window,
    ) -> Result<Listing<Delivery>, PlanError> {
        let mut listing = Listing { total: 0, items: Vec::new() };
        let end = window.offset.saturating_add(window.limit);
        let Some(folder) = self.plan(plan)? else { return Ok(listing) };
        every_line(&folder, |line| {
            if filter.fits(&line) {
                if (window.offset..end).contains(&listing.total) {
                    listing.items.push(line);
                }
                listing.total += 1;
            }
        })?;
        Ok(listing)
    }

    /// Returns the latest deliveries for a plan, `most` at most, in the order in which they were.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn latest_deliveries(&self, plan: &Id, most: usize) -> Result<Listing<Delivery>, PlanError> {
        let folder = self.plan(plan)?;
        let (items, total) = folder.map(|folder| last_lines(&folder, most)).transpose()?.unwrap_or_default();
        Ok(Listing { total, items })
    }

    /// Returns the acknowledgements of a plan's messages, in the order of their names.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn acks(&self, plan: &Id, window: Window) -> Result<Listing<Ack>, PlanError> {
        documents(self.plan(plan)?.as_ref(), "acks", window)
    }

    /// Returns what was decided for a plan, in the order of the decisions' names.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn decisions(&self, plan: &Id, window: Window) -> Result<Listing<AgentDecision>, PlanError> {
        documents(self.plan(plan)?.as_ref(), "decisions", window)
    }

    /// Returns the alerts of a plan, the oldest first.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn alerts(&self, plan: &Id) -> Result<Vec<Alert>, PlanError> {
        let alerts = self.runtime.folder(ALERTS)?;
        let mut alerts: Vec<Alert> = documents(alerts.as_ref(), plan.as_str(), Window::ALL)?.items;
        alerts.sort_by(|a, b| a.created_at.cmp(&b.created_at).then_with(|| a.alert_id.cmp(&b.alert_id)));
        Ok(alerts)
    }

    /// Returns the newest release of a plan; `None` if there is none.
    ///
    /// # Errors
    ///
    /// When it is not valid, and whatever the disk says.
    pub fn released(&self, plan: &Id) -> Result<Option<ReleaseManifest>, PlanError> {
        self.document(plan, RELEASE_MANIFEST)
    }

    /// Returns the manifest of a plan, if there is one.
    ///
    /// # Errors
    ///
    /// When it is not valid, and whatever the disk says.
    pub fn manifest(&self, plan: &Id) -> Result<Option<PlanManifest>, PlanError> {
        self.document(plan, PLAN_MANIFEST)
    }

    /// Returns how the agents were when the monitor looked last, in the order of their names.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn agent_statuses(&self, window: Window) -> Result<Listing<StatusHeartbeat>, PlanError> {
        documents(Some(&self.runtime), AGENT_STATUS, window)
    }

    /// Returns how an agent was when the monitor looked last; `None` if it never has.
    ///
    /// # Errors
    ///
    /// When that is not valid, and whatever the disk says.
    pub fn agent_status(&self, agent: &Id) -> Result<Option<StatusHeartbeat>, PlanError> {
        match self.runtime.folder(AGENT_STATUS)? {
            Some(folder) => read(&folder, &format!("{agent}.json")),
            None => Ok(None),
        }
    }

    /// Returns a version of everything that is shown of a plan: it differs after a change.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn version(&self, plan: &Id) -> Result<String, PlanError> {
        let mut version = String::new();
        if let Some(folder) = self.plan(plan)? {
            for name in SEEN {
                note(&mut version, &folder, name)?;
            }
        }
        for kept in [ALERTS, DEADLETTER] {
            if let Some(folder) = self.runtime.folder(kept)? {
                note(&mut version, &folder, plan.as_str())?;
            }
        }
        Ok(version)
    }

    /// The same of all plans and agents.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn version_of_all(&self) -> Result<String, PlanError> {
        let mut version = String::new();
        note(&mut version, &self.runtime, AGENT_STATUS)?;
        for plan in self.plans()? {
            version.push_str(plan.as_str());
            version.push_str(&self.version(&plan)?);
        }
        Ok(version)
    }

    fn document<T: Format>(&self, plan: &Id, name: &str) -> Result<Option<T>, PlanError> {
        match self.plan(plan)? {
            Some(folder) => read(&folder, name),
            None => Ok(None),
        }
    }
}

/// Adds the state of a file or folder.
fn note(version: &mut String, dir: &Dir, name: &str) -> Result<(), PlanError> {
    let identity = dir.identity(name)?;
    version.push(' ');
    version.push_str(&identity.map(|identity| identity.to_string()).unwrap_or_default());
    Ok(())
}

/// The documents in a folder, in the order of their names; none if there is no such folder. One that cannot be read hides no
/// other.
fn documents<T: Format>(dir: Option<&Dir>, name: &str, window: Window) -> Result<Listing<T>, PlanError> {
    let folder = dir.map(|dir| dir.folder(name)).transpose()?.flatten();
    let Some(folder) = folder else { return Ok(Listing { total: 0, items: Vec::new() }) };
    let mut names = folder.names()?;
    // What is being written has another end.
    names.retain(|name| name.ends_with(".json"));
    names.sort_unstable();
    let total = names.len();
    let items = window.slice(names.into_iter()).filter_map(|name| read::<T>(&folder, &name).ok().flatten());
    Ok(Listing { total, items: items.collect() })
}
