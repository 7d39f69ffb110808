//! Whether anything can have changed since a plan was looked at: an idle pass reads no message and writes nothing.

use super::PlanError;
use super::turn::Turn;
use files::Identity;
use protocol::agent::{Id, Timestamp};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The clock of a file system may stand still for so long: what is written within it may not show.
const GRAIN: Duration = Duration::from_millis(40);
/// Everything is looked at so often nevertheless, in seconds: deadlines pass, and files may be changed in place.
const RESCAN: i64 = 5;

/// In which state folders are.
type Folders = BTreeMap<(Option<Id>, &'static str), Option<Identity>>;

/// What a plan looked like.
#[derive(Debug, Default)]
pub(super) struct ChangeDetector {
    folders: Option<(Folders, Instant)>,
    /// When everything was looked at last in this state, and whether that was late enough to have seen all of it.
    looked_at: Option<(Timestamp, bool)>,
}

impl ChangeDetector {
    /// Whether nothing has changed since everything was looked at. If not, everything is looked at now.
    pub(super) fn is_quiet(&mut self, turn: &Turn<'_>) -> Result<bool, PlanError> {
        let folders = folders(turn)?;
        let is_same = self.folders.as_ref().is_some_and(|(known, _)| *known == folders);
        if !is_same {
            self.folders = Some((folders, Instant::now()));
            self.looked_at = Some((turn.now.clone(), false));
            return Ok(false);
        }
        let is_settled = self.folders.as_ref().is_some_and(|(_, since)| since.elapsed() >= GRAIN);
        if let Some((at, true)) = &self.looked_at
            && (0..RESCAN).contains(&turn.now.seconds_since(at))
        {
            return Ok(true);
        }
        self.looked_at = Some((turn.now.clone(), is_settled));
        Ok(false)
    }
}

fn folders(turn: &Turn<'_>) -> Result<Folders, PlanError> {
    let mut folders = Folders::new();
    if let Some(plans) = turn.folders.runtime.folder("plans")? {
        folders.insert((None, "plan"), plans.identity(turn.plan.as_str())?);
    }
    if let Some(plan) = turn.folders.plan(turn.plan)? {
        for name in ["replay_requests.jsonl", "human_responses", super::retry::RETRIES] {
            folders.insert((None, name), plan.identity(name)?);
        }
    }
    for agent in turn.folders.agents()? {
        for side in ["outbox", "inbox"] {
            let Ok(Some(folder)) = turn.folders.agents.folder_at([agent.as_str(), side]) else { continue };
            let identity = folder.identity(turn.plan.as_str())?;
            folders.insert((Some(agent.clone()), side), identity);
        }
    }
    Ok(folders)
}
