//! Withdraws questions that are overtaken: no task waits for their answers now.

use super::PlanError;
use super::facts::Commands;
use super::folders::{Folders, read};
use super::human::QUESTION;
use super::turn::{PlanEvent, Turn};
use crate::dag::{Facts, NodeProgress, is_still_asked};
use crate::human::response::requester;
use crate::human::response_name;
use files::Dir;
use protocol::agent::{HumanRequest, Id, SchemaVersion, State};
use serde_json::{Value, json};

/// Where it is written down which requests are withdrawn.
pub(super) const WITHDRAWALS: &str = "human_withdrawals";

/// The name of the file that says that a request is withdrawn.
pub(super) fn withdrawal_name(request_id: &Id) -> String {
    format!("{request_id}.json")
}

/// Whether a request of a plan is withdrawn.
pub(super) fn is_withdrawn(plan: &Dir, request_id: &Id) -> Result<bool, PlanError> {
    Ok(match plan.folder(WITHDRAWALS)? {
        Some(folder) => folder.kind(&withdrawal_name(request_id))?.is_some(),
        None => false,
    })
}

impl Folders {
    /// Whether a request of a plan is withdrawn.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub(crate) fn is_withdrawn(&self, plan: &Id, request_id: &Id) -> Result<bool, PlanError> {
        match self.plan(plan)? {
            Some(plan) => is_withdrawn(&plan, request_id),
            None => Ok(false),
        }
    }
}

impl Turn<'_> {
    /// Withdraws the questions that people no longer need to answer.
    pub(super) fn withdraw_overtaken(
        &mut self,
        plan: &Dir,
        facts: &Facts<'_>,
        progress: &[NodeProgress],
        commands: &Commands,
    ) -> Result<(), PlanError> {
        let Some(requests) = plan.folder("human_requests")? else { return Ok(()) };
        let is_ended = !progress.is_empty() && progress.iter().all(|one| one.state.is_terminal());
        for name in requests.names()? {
            let Ok(Some(request)) = read::<HumanRequest>(&requests, &name) else { continue };
            let is_answered = match plan.folder("human_responses")? {
                Some(responses) => responses.kind(&response_name(&request.request_id))?.is_some(),
                None => false,
            };
            if is_answered || is_withdrawn(plan, &request.request_id)? {
                continue;
            }
            let key = request.extra.get(QUESTION).and_then(Value::as_str);
            let reason = match key {
                Some(key) if is_still_asked(facts, progress, key) => None,
                Some(_) => Some("OVERTAKEN"),
                None => overtaken(&request, facts, commands),
            };
            // Its own reason says more than the reason of the plan.
            let Some(reason) = reason.or(is_ended.then_some("PLAN_ENDED")) else { continue };
            let withdrawal = json!({
                "schema_version": SchemaVersion::CURRENT, "plan_id": self.plan,
                "request_id": request.request_id, "withdrawn_at": self.now, "reason": reason,
            });
            let folder = self.archive(WITHDRAWALS)?;
            if self.publish(&folder, &withdrawal_name(&request.request_id), &withdrawal)? {
                self.happened.push(PlanEvent::Withdrawn {
                    request_id: request.request_id.clone(),
                    task_id: request.created_by.and_then(|by| by.task_id),
                });
            }
        }
        Ok(())
    }
}

/// Why a request that an agent has made is overtaken, if it is.
fn overtaken(request: &HumanRequest, facts: &Facts<'_>, commands: &Commands) -> Option<&'static str> {
    requester(request)?;
    let by = request.created_by.as_ref()?;
    let (task, command) = (by.task_id.as_ref()?, by.command_id.as_ref()?);
    let asked_by = commands
        .archived
        .values()
        .filter_map(|envelope| envelope.command())
        .find(|known| known.task_id == *task && known.command_id == *command)?;
    match facts.work.get(task) {
        // It was issued for a DAG that is not the active one.
        None => Some("OLDER_REVISION"),
        Some(work) if work.seq > asked_by.seq() => Some("NEWER_COMMAND"),
        Some(work) if matches!(work.state, State::Completed | State::Failed | State::Skipped) => {
            Some("TASK_ENDED")
        }
        Some(_) => None,
    }
}
