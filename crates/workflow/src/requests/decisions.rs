//! Requests about decisions: asking the user, taking the answer, and what is asked.

use crate::answers::{create, end, expire, resolve};
use crate::decisions::{decision_of, not_found, selected_of, status_of, view_of};
use crate::draft::iso;
use crate::failure::Failure;
use crate::lists::{ListKey, ListRange, TakePage};
use crate::runtime::{RequestKey, Runtime};
use crate::{lists, rows};
use aide_core::decision::{DecisionReason, NewDecision, Resolution};
use journal::{Decision, Query, Record, ViewExt as _};
use model::{Ending, SessionId, Via};
use protocol::workflow::DecisionStatus;
use protocol::workflow::api::{DecisionAnswered, DecisionCreated, DecisionView};

/// The name of the list in its cursors.
const DECISIONS: &str = "decisions";

impl Runtime {
    /// Asks the user.
    ///
    /// # Errors
    ///
    /// When there is no question, or nothing that waits for the answer.
    pub fn create_decision(
        &self,
        request: Option<&RequestKey>,
        new: &NewDecision,
    ) -> Result<String, Failure> {
        self.act(request, |draft| {
            let mut workflow = match &new.workflow_id {
                Some(id) => Some(rows::workflow(draft, id)?),
                None => None,
            };
            let why = DecisionReason::Confirmation;
            let decision = create(draft, new, workflow.as_mut(), why, true)?;
            Ok(DecisionCreated {
                decision_id: decision.id,
                status: decision.status.name().to_owned(),
                expires_at: decision.expires.map(iso),
            })
        })
    }

    /// Takes the answer to a decision: the first that is one.
    ///
    /// # Errors
    ///
    /// When it is no answer, or comes too late.
    pub fn respond(&self, request: Option<&RequestKey>, id: &str, response: &str) -> Result<String, Failure> {
        self.respond_via(request, id, response, Via::Api)
    }

    /// The same for an answer that came in this way.
    ///
    /// # Errors
    ///
    /// As [`Self::respond`].
    pub fn respond_via(
        &self,
        request: Option<&RequestKey>,
        id: &str,
        response: &str,
        via: Via,
    ) -> Result<String, Failure> {
        // What came too late ends it as well.
        self.expire_decisions()?;
        self.act(request, |draft| {
            let response = resolve(draft, id, response, via)?;
            let decision = draft.row::<Decision>(&Decision::key_of(id))?;
            let selected = decision.as_ref().map(selected_of).unwrap_or_default();
            Ok(DecisionAnswered {
                success: true,
                decision_id: id.to_owned(),
                response,
                selected,
                workflow_id: decision.and_then(|decision| decision.workflow),
            })
        })
    }

    /// Ends the decision whose set of questions is called `session` as a person did on the page, or in a terminal.
    ///
    /// # Errors
    ///
    /// When it is not there or has ended, and when it cannot be written.
    pub(crate) fn end_set(&self, session: &SessionId, ending: &Ending, via: Via) -> Result<(), Failure> {
        self.expire_decisions()?;
        let name = session.to_string();
        self.act(None, |draft| {
            let found = draft.find(&Query::asked_as(&name))?.pop();
            let row = found.ok_or_else(|| not_found(&name))?;
            let decision = decision_of(row.clone());
            decision.check_open(draft.now())?;
            let item = decision.item()?;
            let how = match ending {
                Ending::Decided(output) => Resolution::decided_on_page(&item, output),
                Ending::Returned(returned) => Resolution::returned(returned),
                _ => Resolution::cancelled(),
            };
            end(draft, row, how, via)
        })?;
        Ok(())
    }

    /// Ends the decisions whose time is up. Returns those that cannot be ended, with why: they hold up no other.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read or written.
    pub fn expire_decisions(&self) -> Result<Vec<String>, Failure> {
        let due = self.journal.view()?.list(Query::decisions_due(self.world.now()).raw())?;
        let mut troubles = Vec::new();
        for decision in due {
            let decision = match decision {
                Ok(Record::Decision(decision)) => decision,
                Ok(_) => continue,
                Err(unreadable) => {
                    troubles.push(unreadable.to_string());
                    continue;
                }
            };
            let ended = self.act(None, |draft| {
                let decision = draft.row::<Decision>(&Decision::key_of(&decision.id))?;
                if let Some(decision) = decision.filter(|decision| decision.status == DecisionStatus::Pending)
                {
                    expire(draft, decision)?;
                }
                Ok(())
            });
            match ended {
                Err(failure) if !failure.concerns_all() => {
                    troubles.push(format!("{}: {failure}", decision.id));
                }
                ended => drop(ended?),
            }
        }
        Ok(troubles)
    }

    /// Returns decisions, as they were asked: of this workflow, in this state, or all.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    pub fn decisions(
        &self,
        workflow: Option<&str>,
        status: Option<DecisionStatus>,
    ) -> Result<Vec<DecisionView>, Failure> {
        lists::collected(|take| self.read_decisions(workflow, status, &ListRange::all(), take))
    }

    /// Reads a part of them, page by page as of one moment. Returns the cursor of what comes behind it.
    ///
    /// # Errors
    ///
    /// When they cannot be read, and when the cursor is not one of this list.
    pub fn read_decisions(
        &self,
        workflow: Option<&str>,
        status: Option<DecisionStatus>,
        range: &ListRange,
        take: &mut TakePage<'_, DecisionView>,
    ) -> Result<Option<String>, Failure> {
        let now = self.now();
        let kept = match status {
            // Reads report an overdue decision as expired without writing that.
            Some(DecisionStatus::Expired) => None,
            status => status,
        };
        let view = lists::view(&*self.journal, range)?;
        let is_sought = |decision: &Decision| status.is_none_or(|status| status_of(decision, now) == status);
        let entry = |decision: &Decision| match is_sought(decision) {
            true => Ok(vec![view_of(decision, now)?]),
            false => Ok(Vec::new()),
        };
        let make = |rows: &[Decision]| rows.iter().map(entry).collect::<Result<_, Failure>>();
        let list =
            ListKey::new(DECISIONS, &[("workflow", workflow), ("status", status.map(DecisionStatus::name))]);
        lists::read(&*view, &list, &Query::decisions(workflow, kept), range, make, take)
    }

    /// Returns a decision.
    ///
    /// # Errors
    ///
    /// When there is none, or it cannot be read.
    pub fn decision(&self, id: &str) -> Result<DecisionView, Failure> {
        let found = self.journal.view()?.row::<Decision>(&Decision::key_of(id))?;
        view_of(&found.ok_or_else(|| not_found(id))?, self.now())
    }
}
