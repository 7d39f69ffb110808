//! What the pages of plans have in common.

use super::super::markup::{IntoMarkup, Markup};
use super::super::time::today;
use agent::plan::{Folders, PlanError};
use leptos::prelude::*;
use model::agent::{HumanRequest, Id, PlanState, PlanStatus, State, Timestamp};
use store::{moment, now};

pub(super) const STYLE: &str = include_str!("../../../../style/plans.css");

/// A moment of the agents, who write the world's time, as the clock here shows it; the day is named unless it is today.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn LocalTime(time: &Timestamp) -> impl IntoView + use<> {
    let local = moment(time.as_str()).unwrap_or_else(|| time.as_str().to_owned());
    view! { <time datetime=local.clone()>{today(&local, &now())}</time> }
}

/// What is to be seen of a plan at a glance.
pub(super) struct Glance {
    pub(super) plan: Id,
    /// What people call it.
    pub(super) name: Option<String>,
    /// `None` before the monitor has written it.
    pub(super) status: Option<PlanStatus>,
    pub(super) requests: Vec<HumanRequest>,
    /// How many messages were given up.
    pub(super) lost: usize,
}

impl Glance {
    pub(super) fn of(folders: &Folders, plan: Id) -> Result<Self, PlanError> {
        // Whatever is wrong with what a person has written, the rest can be seen.
        let manifest = folders.manifest(&plan).ok().flatten();
        Ok(Self {
            name: manifest.and_then(|manifest| manifest.plan_name),
            status: folders.status(&plan).ok().flatten(),
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

/// The word for a state, drawn by it.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Mark(state: &'static str, word: impl Into<String>) -> Markup {
    let word = word.into();
    view! {
        <span class="mark" data-state=state>
            {word}
        </span>
    }
    .into_markup()
}
