//! Looks at a plan from outside: no lock is taken, and nothing written.

use super::PlanError;
use super::folders::{Folders, read};
use super::observe::PLAN_STATUS;
use super::withdraw::is_withdrawn;
use crate::human::asking::ASKED;
use crate::human::{GATEWAY, response_name};
use protocol::agent::{HumanRequest, Id, PlanStatus};

impl Folders {
    /// Returns how far a plan has come, as the monitor has written it down; `None` before it has.
    ///
    /// # Errors
    ///
    /// When it is not valid, and whatever the disk says.
    pub fn status(&self, plan: &Id) -> Result<Option<PlanStatus>, PlanError> {
        match self.plan(plan)? {
            Some(folder) => read(&folder, PLAN_STATUS),
            None => Ok(None),
        }
    }

    /// Returns whether the program that asks people has asked what a request wants to know.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn is_asked(&self, request: &HumanRequest) -> Result<bool, PlanError> {
        let way = [GATEWAY, "workspace", request.plan_id.as_str(), ASKED];
        Ok(match self.agents.folder_at(way)? {
            Some(asked) => asked.kind(&format!("{}.json", request.request_id))?.is_some(),
            None => false,
        })
    }

    /// Returns what people were asked for a plan and need still answer, in the order of the requests' names.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn open_requests(&self, plan: &Id) -> Result<Vec<HumanRequest>, PlanError> {
        let Some(folder) = self.plan(plan)? else { return Ok(Vec::new()) };
        let Some(requests) = folder.folder("human_requests")? else { return Ok(Vec::new()) };
        let responses = folder.folder("human_responses")?;
        let mut names = requests.names()?;
        names.sort_unstable();
        let mut open = Vec::new();
        for name in names {
            // One that cannot be read hides no other.
            let Ok(Some(request)) = read::<HumanRequest>(&requests, &name) else { continue };
            let is_answered = match &responses {
                Some(responses) => responses.kind(&response_name(&request.request_id))?.is_some(),
                None => false,
            };
            if !is_answered && !is_withdrawn(&folder, &request.request_id)? {
                open.push(request);
            }
        }
        Ok(open)
    }
}
