//! The result of a step of a task, and its events.

use super::agenda::is_current;
use super::assignment::Assignment;
use super::prompt::clipped;
use super::proposal::Proposal;
use crate::aggregate::drive;
use crate::draft::{Draft, EventScope};
use crate::failure::Failure;
use crate::rows;
use aide_core::ProgressStep;
use journal::Millis;
use protocol::workflow::{ToolCall, ToolError, ToolName, ToolResult, Trigger};
use serde_json::{Value, json};

/// How long a tool's result may be to be in the prompt unchanged, in bytes.
const MAX_TOLD: usize = 12 << 10;

/// The result of a step.
#[derive(Clone)]
pub(super) struct Observation {
    pub(super) text: String,
    pub(super) is_error: bool,
    /// Whether it was not even tried.
    pub(super) is_refusal: bool,
}

/// What the events of a step contain: the proposal that is carried out, and the tool if one is used.
pub(super) struct StepReport<'a> {
    pub(super) given: &'a Assignment,
    pub(super) proposal: &'a Proposal,
    pub(super) tool: Option<ToolName>,
    /// The id of this call of the tool.
    pub(super) tool_id: String,
    pub(super) began: Millis,
    pub(super) round: u64,
    /// How many rounds there may be.
    pub(super) rounds: u64,
}

impl Observation {
    pub(super) fn from_outcome(outcome: &Value) -> Self {
        let text_of = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match (outcome.get("error"), outcome.get("output")) {
            (Some(error), _) => Self {
                text: text_of(error),
                is_error: true,
                is_refusal: outcome["refused"] == Value::Bool(true),
            },
            (None, Some(output)) => Self { text: text_of(output), is_error: false, is_refusal: false },
            (None, None) => Self { text: outcome.to_string(), is_error: false, is_refusal: false },
        }
    }
}

impl StepReport<'_> {
    /// Emits the call of the tool.
    pub(super) fn emit_call(&self, draft: &mut Draft<'_>, tool: ToolName) {
        let (tool_id, tool_name, agent_id) = self.names(tool);
        let input = Value::Object(self.proposal.params.clone());
        draft.emit(self.scope(), ToolCall { tool_id, tool_name, agent_id, input });
    }

    /// Emits the result of the step, and enters the progress of its task.
    pub(super) fn emit(&self, draft: &mut Draft<'_>, outcome: &Value) -> Result<(), Failure> {
        let observation = Observation::from_outcome(outcome);
        if let Some(tool) = self.tool {
            self.emit_result(draft, tool, outcome, &observation);
        }
        self.note_progress(draft, &observation)
    }

    fn emit_result(&self, draft: &mut Draft<'_>, tool: ToolName, outcome: &Value, observation: &Observation) {
        let (tool_id, tool_name, agent_id) = self.names(tool);
        let duration = u64::try_from(draft.now() - self.began).unwrap_or_default();
        if observation.is_error {
            let error = clipped(&observation.text);
            draft.emit(self.scope(), ToolError { tool_id, tool_name, agent_id, error, duration });
        } else {
            // The step holds all of it; listeners only need to know what it was about.
            let whole = &outcome["output"];
            let output = match whole.to_string() {
                long if long.len() > MAX_TOLD => json!(clipped(&long)),
                _ => whole.clone(),
            };
            draft.emit(self.scope(), ToolResult { tool_id, tool_name, agent_id, output, duration });
        }
    }

    fn note_progress(&self, draft: &mut Draft<'_>, observation: &Observation) -> Result<(), Failure> {
        let Assignment { job, workflow, .. } = self.given;
        let mut workflow = rows::workflow(draft, &workflow.id)?;
        if !is_current(draft, &workflow, job)? {
            return Ok(());
        }
        let step = ProgressStep {
            thought: self.proposal.thought.clone(),
            action: self.proposal.action.clone(),
            observation: Some(clipped(&observation.text)),
            round: Some(self.round),
            params: Some(Value::Object(self.proposal.params.clone())),
            success: !observation.is_error,
        };
        let progress = self.round.min(self.rounds) * 100 / (self.rounds + 1);
        let payload = self.given.report().with_progress(progress).with_step(step);
        drive(draft, &mut workflow, Trigger::TaskProgress, payload)
    }

    /// Returns the id of this call of the tool, the tool's name, and the agent's id.
    fn names(&self, tool: ToolName) -> (String, String, String) {
        (self.tool_id.clone(), tool.name().to_owned(), self.given.agent.clone())
    }

    fn scope(&self) -> EventScope<'_> {
        EventScope {
            session: Some(&self.given.workflow.session),
            workflow: Some(&self.given.workflow.id),
            task: Some(&self.given.task.id),
            agent: Some(&self.given.agent),
        }
    }
}
