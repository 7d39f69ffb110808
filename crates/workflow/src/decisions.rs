//! What a person is asked, and how that ends: once.

mod ask;
mod ending;
mod kept;
mod views;

pub(crate) use ask::{check, create, recovery};
pub(crate) use ending::{cancel, resolve};
pub(crate) use kept::{head_of, kept_questions};
pub(crate) use views::{UserAnswer, view_of};

use crate::draft::{Draft, EventScope, iso};
use crate::failure::Failure;
use crate::rows;
use crate::runtime::{RequestKey, Runtime};
use crate::steer;
use ending::{Resolution, end_and_go_on, expire, open};
use journal::{Decision, Millis, Query, ViewExt as _};
use kept::kept_item;
use model::workflow::api::{DecisionAnswered, DecisionCreated, DecisionView};
use model::workflow::{Consent, DecisionStatus, Effect, ErrorCode, MissingResource, Refusal};
use model::{Ending, SessionId, Via};
use views::selected_of;

/// A decision to be made by the user.
#[derive(Debug, Clone, Default)]
pub struct NewDecision {
    /// The workflow that waits for it.
    pub workflow_id: Option<String>,
    /// Its session; by default, the session of its workflow.
    pub session_id: Option<String>,
    /// The task that waits for it.
    pub task_id: Option<String>,
    /// The agent that waits for it.
    pub agent_id: Option<String>,
    /// The question.
    pub message: String,
    /// What can be chosen; none for an answer in the person's own words, one to be confirmed.
    pub options: Vec<String>,
    /// Whether the answer can be in the person's own words although there are options.
    pub allow_other: bool,
    /// What stands for no answer.
    pub default: Option<String>,
    /// Whether several options can be chosen; by default, unless they are a yes and a no.
    pub multi_select: Option<bool>,
    /// For how long it can be answered, in milliseconds.
    pub timeout_ms: Option<i64>,
    /// An explanation, in Markdown.
    pub context: Option<String>,
}

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
            let decision = create(draft, new, workflow.as_ref(), DecisionReason::Confirmation)?;
            if let Some(workflow) = &mut workflow {
                steer::asked(draft, workflow, &decision);
            }
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
            let answered = resolve(draft, id, response, via, None)?;
            let decision = draft.row::<Decision>(&Decision::key_of(id))?;
            let selected = decision.as_ref().map(selected_of).unwrap_or_default();
            Ok(DecisionAnswered {
                success: true,
                decision_id: id.to_owned(),
                response: answered.answer,
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
            let decision = open(found.ok_or_else(|| not_found(&name))?, draft.now())?;
            let item = kept_item(&decision)?;
            let end = match ending {
                Ending::Decided(output) => Resolution::decided_on_page(&item, output),
                Ending::Returned(returned) => Resolution::returned(returned),
                _ => Resolution::cancelled(),
            };
            end_and_go_on(draft, decision, end, via, None).map(drop)
        })?;
        Ok(())
    }

    /// Ends the decisions whose time is up. Returns those that cannot be ended, with why: they hold up no other.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read or written.
    pub fn expire_decisions(&self) -> Result<Vec<String>, Failure> {
        let due = self.journal.view()?.find(&Query::decisions_due(self.world.now()))?;
        let mut troubles = Vec::new();
        for decision in due {
            let ended = self.act(None, |draft| {
                let decision = draft.row::<Decision>(&Decision::key_of(&decision.id))?;
                if let Some(decision) = decision.filter(|decision| decision.status == DecisionStatus::Pending)
                {
                    expire(draft, decision)?;
                }
                Ok(())
            });
            match ended {
                Err(Failure::Refused(refusal)) => troubles.push(format!("{}: {refusal}", decision.id)),
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
        let now = self.now();
        let kept = match status {
            // Reads report an overdue decision as expired without writing that.
            Some(DecisionStatus::Expired) => None,
            status => status,
        };
        let mut found = self.journal.view()?.find(&Query::decisions(workflow, kept))?;
        found.retain(|decision| status.is_none_or(|status| status_of(decision, now) == status));
        found.iter().map(|decision| view_of(decision, now)).collect()
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

fn not_found(id: &str) -> Refusal {
    Refusal::new(ErrorCode::DecisionNotFound, "Decision not found").with("decisionId", id)
}

/// Why a person is asked.
#[derive(Clone)]
pub(crate) enum DecisionReason {
    /// An agent or a client wants to know.
    Confirmation,
    /// It is not clear what was meant.
    Ambiguity,
    /// Something has failed.
    Recovery,
    /// No agent can do the work.
    Shortage {
        /// What no agent has.
        missing: Vec<MissingResource>,
        /// What would help.
        suggestion: Option<String>,
    },
}

/// The pending decisions of a workflow in the order in which they were asked, including those asked in this draft.
pub(crate) fn pending(draft: &Draft<'_>, workflow: &str) -> Result<Vec<Decision>, Failure> {
    let mut pending = draft.find(&Query::decisions(Some(workflow), Some(DecisionStatus::Pending)))?;
    pending.extend(draft.asked(workflow));
    pending.retain(|decision| decision.status == DecisionStatus::Pending);
    Ok(pending)
}

/// Whether its time is up, noted or not.
pub(crate) fn is_due(decision: &Decision, now: Millis) -> bool {
    decision.expires.is_some_and(|expires| expires <= now)
}

/// How it stands, be it noted or not.
fn status_of(decision: &Decision, now: Millis) -> DecisionStatus {
    match decision.status {
        DecisionStatus::Pending if is_due(decision, now) => DecisionStatus::Expired,
        status => status,
    }
}

/// The call of a tool that a decision is about, if it is about one.
pub(crate) fn consent_of(decision: &Decision) -> Option<Consent> {
    Consent::read(&kept_item(decision).ok()?)
}

/// What a decision asks.
pub(crate) fn message(decision: &Decision) -> Option<String> {
    kept_item(decision).ok().map(|item| item.title)
}

/// Whether a decision asks what `new` would.
pub(crate) fn asks_the_same(decision: &Decision, new: &NewDecision) -> bool {
    kept_item(decision).is_ok_and(|item| item.title == new.message && item.context == new.context)
}

/// What the answer to a decision about a tool does; `None` where there is no answer.
pub(crate) fn effect_of(decision: &Decision) -> Option<Effect> {
    if decision.status != DecisionStatus::Answered {
        return None;
    }
    let item = kept_item(decision).ok()?;
    let options: Vec<&str> = item.options.iter().map(|option| &*option.value).collect();
    Effect::from_choice(&options, selected_of(decision).first()?)
}

fn about(decision: &Decision) -> EventScope<'_> {
    EventScope {
        session: decision.session.as_deref(),
        workflow: decision.workflow.as_deref(),
        task: decision.task.as_deref(),
        agent: decision.agent.as_deref(),
    }
}
