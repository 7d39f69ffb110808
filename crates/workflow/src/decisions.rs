//! What a person is asked, and how that ends: once.

mod ask;
mod ending;
mod kept;
mod views;

pub(crate) use ask::{check, create, recovery};
pub(crate) use ending::{cancel, end, fallback_of, open};
pub(crate) use kept::{head_of, kept_item, kept_questions};
pub(crate) use views::{selected_of, view_of};

use crate::draft::{Draft, EventScope};
use crate::failure::Failure;
use aide_core::decision::{self, NewQuestion, UserAnswer};
use journal::{Decision, Millis, Query};
use model::workflow::{Consent, DecisionStatus, Effect, ErrorCode, Refusal};
use views::note_of;

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

impl NewDecision {
    /// What the user is asked.
    fn question(&self) -> NewQuestion<'_> {
        NewQuestion {
            message: &self.message,
            options: &self.options,
            allow_other: self.allow_other,
            default: self.default.as_deref(),
            multi_select: self.multi_select,
            timeout_ms: self.timeout_ms,
            context: self.context.as_deref(),
        }
    }
}

pub(crate) fn not_found(id: &str) -> Refusal {
    Refusal::new(ErrorCode::DecisionNotFound, "Decision not found").with("decisionId", id)
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
    decision::is_due(decision.expires, now)
}

/// How it stands, be it noted or not.
pub(crate) fn status_of(decision: &Decision, now: Millis) -> DecisionStatus {
    decision::status_at(decision.status, decision.expires, now)
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
    kept_item(decision).is_ok_and(|item| new.question().is_asked_by(&item))
}

/// What the answer to a decision about a tool does; `None` where there is no answer.
pub(crate) fn effect_of(decision: &Decision) -> Option<Effect> {
    decision::consent_effect(&kept_item(decision).ok()?, decision.status, &selected_of(decision))
}

/// The user's answer to a question, for its waiter.
pub(crate) fn answer_to(decision: &Decision) -> UserAnswer {
    UserAnswer::new(selected_of(decision), decision.response.clone(), note_of(decision))
}

fn about(decision: &Decision) -> EventScope<'_> {
    EventScope {
        session: decision.session.as_deref(),
        workflow: decision.workflow.as_deref(),
        task: decision.task.as_deref(),
        agent: decision.agent.as_deref(),
    }
}
