//! What the pages of plans have in common.

use agent::plan::{Folders, PlanError};
use protocol::agent::{HumanRequest, Id, PlanState, PlanStatus, State};

pub(super) const STYLE: &str = include_str!("../../../../style/plans.css");

/// What is to be seen of a plan at a glance.
pub(super) struct PlanOutline {
    pub(super) plan: Id,
    /// What people call it.
    pub(super) name: Option<String>,
    /// `None` before the monitor has written it.
    pub(super) status: Option<PlanStatus>,
    /// What it has written is damaged.
    pub(super) is_unreadable: bool,
    pub(super) requests: Vec<HumanRequest>,
    /// How many messages were given up.
    pub(super) lost: usize,
}

impl PlanOutline {
    pub(super) fn read(folders: &Folders, plan: Id) -> Result<Self, PlanError> {
        // Whatever is wrong with what a person has written, the rest can be seen.
        let manifest = folders.manifest(&plan).ok().flatten();
        let status = folders.status(&plan);
        Ok(Self {
            name: manifest.and_then(|manifest| manifest.plan_name),
            is_unreadable: status.is_err(),
            status: status.ok().flatten(),
            requests: folders.open_requests(&plan)?,
            lost: folders.dead_letters(&plan)?.len(),
            plan,
        })
    }

    pub(super) fn title(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.plan.to_string())
    }

    pub(super) fn state(&self) -> PlanState {
        self.status.as_ref().map_or(PlanState::Other, PlanStatus::state)
    }

    /// How many tasks have come so far.
    pub(super) fn count(&self, state: State) -> usize {
        let tasks = self.status.iter().flat_map(|status| &status.tasks);
        tasks.filter(|task| task.state == state).count()
    }

    /// How many tasks are done or left out, and how many there are.
    pub(super) fn progress(&self) -> (usize, usize) {
        let total = self.status.as_ref().map_or(0, |status| status.tasks.len());
        (self.count(State::Completed) + self.count(State::Skipped), total)
    }
}
