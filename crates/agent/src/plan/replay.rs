//! Retries messages that were given up, on request (contract/plans §10.4).

use super::PlanError;
use super::folders::{Folders, read};
use crate::clock::Clock;
use files::line_log;
use protocol::agent::{DeadLetter, Extra, Id, ReplayRequest};

/// What was asked to be delivered again.
pub(super) const REPLAY_REQUESTS: &str = "replay_requests.jsonl";
const FOREVER: line_log::Rotation = line_log::Rotation { max_bytes: u64::MAX, keep: 0 };

impl Folders {
    /// What was given up for a plan, in the order of its time.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn dead_letters(&self, plan: &Id) -> Result<Vec<DeadLetter>, PlanError> {
        let Some(dir) = self.runtime.folder_at(["deadletter", plan.as_str()])? else { return Ok(Vec::new()) };
        let mut letters = Vec::new();
        for name in dir.names()? {
            // One that cannot be read hides no other.
            letters.extend(read::<DeadLetter>(&dir, &name).ok().flatten());
        }
        letters.sort_by(|a, b| {
            a.created_at.cmp(&b.created_at).then_with(|| a.deadletter_id.cmp(&b.deadletter_id))
        });
        Ok(letters)
    }

    /// Asks for a message to be delivered again: the one that a dead letter is about, or one that is named by its id. `None`
    /// if no message of the plan was given up under this name.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn replay(
        &self,
        plan: &Id,
        named: &str,
        (reason, operator): (Option<String>, Option<String>),
        clock: &dyn Clock,
    ) -> Result<Option<ReplayRequest>, PlanError> {
        let letters = self.dead_letters(plan)?;
        let is_meant = |letter: &&DeadLetter| {
            letter.deadletter_id.as_str() == named || letter.original.message_id.as_deref() == Some(named)
        };
        let Some(letter) = letters.iter().rev().find(is_meant) else { return Ok(None) };
        let Some(message_id) = letter.original.message_id.as_deref().and_then(|id| id.parse().ok()) else {
            return Ok(None);
        };
        let request = ReplayRequest {
            deadletter_id: Some(letter.deadletter_id.clone()),
            message_id,
            reason,
            operator,
            time: clock.now(),
            extra: Extra::new(),
        };
        let folder = self.ensure(["plans", plan.as_str()])?;
        let line = serde_json::to_string(&request)?;
        line_log::append(&self.lock()?, &folder, REPLAY_REQUESTS, &line, FOREVER)?;
        Ok(Some(request))
    }
}
