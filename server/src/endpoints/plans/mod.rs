//! What is served of plans and agents: pages for people, JSON for programs. All of it only reads.

pub(super) mod api;
pub(super) mod page;

use agent::plan::{Folders, PlanError};
use app::Hall;
use protocol::agent::Id;

/// The plan of that name and the folders that it lies in; `None` if nothing is known of such a plan.
fn known(hall: &Hall, name: &str) -> Result<Option<(Folders, Id)>, PlanError> {
    let (Ok(plan), Some(folders)) = (name.parse::<Id>(), hall.look_at_plans()?) else {
        return Ok(None);
    };
    Ok(folders.plans()?.contains(&plan).then_some((folders, plan)))
}
