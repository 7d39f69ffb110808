//! A decision that is to be asked.

use super::{Decision, DecisionReason, NewQuestion, Subject, option_labels};
use crate::Millis;
use crate::workflow::Workflow;
use model::DecideItem;
use protocol::workflow::{DecisionStatus, ErrorCode, Event, RecoveryQuestion, Refusal, UserDecisionRequired};

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

/// A decision that is asked now.
#[derive(Debug)]
pub struct AskedDecision {
    /// The decision.
    pub decision: Decision,
    item: DecideItem,
    message: String,
}

impl NewDecision {
    /// Returns the decision that asks how a workflow continues, without workflow and context.
    pub fn recovery(question: RecoveryQuestion<'_>) -> Self {
        Self {
            message: question.to_string(),
            options: question.options().iter().copied().map(str::to_owned).collect(),
            multi_select: Some(false),
            ..Self::default()
        }
    }

    /// Returns the question.
    pub fn question(&self) -> NewQuestion<'_> {
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

    /// Returns the decision with this ID, asked at this time for this workflow. `session` is the one that it belongs to, or why
    /// there is none.
    ///
    /// # Errors
    ///
    /// When it cannot be asked.
    pub fn ask(
        &self,
        id: String,
        workflow: Option<&Workflow>,
        session: Result<Option<String>, Refusal>,
        now: Millis,
    ) -> Result<AskedDecision, Refusal> {
        let question = self.question();
        question.check_message()?;
        if let Some(workflow) = workflow.filter(|workflow| workflow.state.is_terminal()) {
            let refusal = Refusal::new(ErrorCode::WorkflowTerminal, "Workflow has ended");
            return Err(refusal.at(workflow.state));
        }
        let options = question.read_options()?;
        let session = session?;
        let subject = Subject {
            task: workflow.map(|workflow| &*workflow.task),
            source: workflow.map_or(&*id, |workflow| &*workflow.id),
        };
        let question = question.ask(&options, subject, now)?;
        let decision = Decision {
            id,
            workflow: workflow.map(|workflow| workflow.id.clone()),
            session,
            task: self.task_id.clone(),
            agent: self.agent_id.clone(),
            questions: question.document.to_string(),
            fallback: self.default.clone(),
            status: DecisionStatus::Pending,
            response: None,
            selected: Vec::new(),
            created: now,
            expires: question.expires,
        };
        Ok(AskedDecision { decision, item: question.item, message: self.message.clone() })
    }
}

impl AskedDecision {
    /// Returns the events that report it.
    pub fn events(&self, why: DecisionReason) -> [Event; 2] {
        let options = option_labels(&self.item);
        let required = UserDecisionRequired {
            decision_id: self.decision.id.clone(),
            workflow_id: self.decision.workflow.clone(),
            message: self.message.clone(),
            options: (!options.is_empty()).then(|| options.clone()),
        };
        [required.into(), why.waiting(&self.decision.id, options).into()]
    }
}
