//! A decision that was asked.

use super::{Resolution, consent_effect, fallback_answer, is_due, item_of, read_answer, status_at};
use crate::Millis;
use crate::scope::Scope;
use model::DecideItem;
use model::respond::Response;
use protocol::workflow::{DecisionStatus, Effect, ErrorCode, Refusal};

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Its ID.
    pub id: String,
    /// The workflow that waits for it.
    pub workflow: Option<String>,
    /// The session that it belongs to.
    pub session: Option<String>,
    /// The task that waits for it.
    pub task: Option<String>,
    /// The agent that waits for it.
    pub agent: Option<String>,
    /// Its set of questions, as JSON.
    pub questions: String,
    /// The answer used if none is given.
    pub fallback: Option<String>,
    /// Its status.
    pub status: DecisionStatus,
    /// The answer as it was given.
    pub response: Option<String>,
    /// The options that were chosen.
    pub selected: Vec<String>,
    /// When it was asked.
    pub created: Millis,
    /// Until when it can be answered.
    pub expires: Option<Millis>,
}

impl Decision {
    /// Returns its question.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn item(&self) -> Result<DecideItem, Refusal> {
        let item = serde_json::from_str(&self.questions).ok().and_then(|document| item_of(&document));
        item.ok_or_else(|| {
            Refusal::new(ErrorCode::InternalError, "Decision is not readable").with("decisionId", &*self.id)
        })
    }

    /// Returns what it asks, in words.
    pub fn message(&self) -> Option<String> {
        self.item().ok().map(|item| item.title)
    }

    /// Whether its time is up, whether or not that was recorded.
    pub fn is_due(&self, now: Millis) -> bool {
        is_due(self.expires, now)
    }

    /// Returns its status at this time; an expiry need not have been recorded.
    pub fn status_at(&self, now: Millis) -> DecisionStatus {
        status_at(self.status, self.expires, now)
    }

    /// Returns the effect of the answer to a request for consent; `None` if there is no answer.
    pub fn effect(&self) -> Option<Effect> {
        consent_effect(&self.item().ok()?, self.status, &self.selected)
    }

    /// Returns the declared answer that applies when time is up, if there is one.
    ///
    /// # Errors
    ///
    /// When its question cannot be read.
    pub fn fallback_answer(&self) -> Result<Option<Response>, Refusal> {
        Ok(fallback_answer(&self.item()?, self.fallback.as_deref()))
    }

    /// Checks whether it can still be answered at this time.
    ///
    /// # Errors
    ///
    /// When it has ended.
    pub fn check_open(&self, now: Millis) -> Result<(), Refusal> {
        let (code, words) = match self.status_at(now) {
            DecisionStatus::Pending => return Ok(()),
            DecisionStatus::Expired => (ErrorCode::DecisionExpired, "Decision has expired"),
            _ => (ErrorCode::DecisionAlreadyResolved, "Decision already resolved"),
        };
        let refusal = Refusal::new(code, words).with("decisionId", &*self.id);
        let refusal = refusal.with("currentState", self.status_at(now).name());
        Err(match &self.response {
            Some(response) => refusal.with("response", &**response),
            None => refusal,
        })
    }

    /// Returns how a typed answer ends it.
    ///
    /// # Errors
    ///
    /// When the text is not an answer.
    pub fn answered(&self, text: &str) -> Result<Resolution, Refusal> {
        let response = read_answer(&self.item()?, text, self.fallback.as_deref())
            .map_err(|problem| problem.refusal("response").with("decisionId", &*self.id))?;
        Ok(Resolution::answered(response))
    }

    /// Returns what its events concern.
    pub fn scope(&self) -> Scope {
        Scope {
            session: self.session.clone(),
            workflow: self.workflow.clone(),
            task: self.task.clone(),
            agent: self.agent.clone(),
        }
    }
}
