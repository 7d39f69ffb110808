//! What a trigger brings to a workflow.

use super::Review;
use super::keys::{
    ACTION, AGENT, DECISION, DECISION_ID, DECISION_NOTE, DELIVERABLES, DESCRIPTION, ERROR, INTENT,
    LAST_ERROR, MESSAGE, MISSING_RESOURCES, OBSERVATION, OUTPUT, PARAMS, PLANNED_BY, PROGRESS, REASON,
    RESULT, RETRYABLE, REVIEW, ROUND, ROUTE, ROUTING, SUCCESS, SUGGESTION, TASK, TASKS, THOUGHT,
};
use protocol::workflow::{MissingResource, Refusal, Route, Trigger};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The members that come with a trigger, from a client or from the engine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TriggerPayload(Map<String, Value>);

/// A trigger that came while a workflow was paused.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RecordedTransition {
    /// The trigger.
    pub trigger: Trigger,
    /// What came with it.
    #[serde(default, rename = "context")]
    pub payload: TriggerPayload,
}

impl RecordedTransition {
    /// Returns the error of the task.
    pub fn error(&self) -> Option<&str> {
        self.payload.error()
    }

    /// Returns the members that become part of the context.
    pub(super) fn kept(&self) -> impl Iterator<Item = (String, Value)> {
        let kept = self.payload.0.iter().filter(|(key, _)| *key != ERROR);
        kept.map(|(key, value)| (key.clone(), value.clone()))
    }
}

/// A step of an agent, as the progress of its task reports it.
pub struct ProgressStep {
    /// What the agent thought.
    pub thought: String,
    /// What it did.
    pub action: String,
    /// What it observed.
    pub observation: Option<String>,
    /// `None` if it is the round after the last one.
    pub round: Option<u64>,
    /// The parameters of the action.
    pub params: Option<Value>,
    /// Whether the action succeeded.
    pub success: bool,
}

/// What it says.
impl TriggerPayload {
    pub(super) fn members(&self) -> &Map<String, Value> {
        &self.0
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(Value::as_str)
    }

    fn given(&self, key: &str) -> Option<&Value> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    /// Returns the list of tasks, which may be anything if a client has sent it.
    pub fn tasks(&self) -> Option<&Value> {
        self.given(TASKS)
    }

    /// Whether there is a list of tasks, also one that is null.
    pub fn has_tasks(&self) -> bool {
        self.0.contains_key(TASKS)
    }

    /// Returns the ID of the task that the trigger is about.
    pub fn task(&self) -> Option<&str> {
        self.text(TASK)
    }

    /// Whether the trigger is about a task, also if its ID is not a string.
    pub fn is_about_task(&self) -> bool {
        self.0.contains_key(TASK)
    }

    /// Returns the ID of the agent that does the task.
    pub fn agent(&self) -> Option<&str> {
        self.text(AGENT)
    }

    /// Returns the result of the task.
    pub fn result(&self) -> Option<&Value> {
        self.given(RESULT)
    }

    /// Returns the error of the task.
    pub fn error(&self) -> Option<&str> {
        self.text(ERROR)
    }

    /// Returns whether the task can be tried again, if that is known.
    pub fn retryable(&self) -> Option<bool> {
        self.0.get(RETRYABLE).and_then(Value::as_bool)
    }

    /// Returns the progress in percent; 0 if it says none.
    pub fn progress(&self) -> u8 {
        let progress = self.0.get(PROGRESS).and_then(Value::as_u64).unwrap_or_default();
        u8::try_from(progress.min(100)).unwrap_or(100)
    }

    /// Returns the message that comes with the progress of a task.
    pub fn message(&self) -> Option<&str> {
        self.text(MESSAGE)
    }

    /// Returns the description of a task that is in no list.
    pub fn description(&self) -> Option<&str> {
        self.text(DESCRIPTION)
    }

    /// Returns the step of the agent, if there is a thought, an action or an observation.
    pub fn step(&self) -> Option<ProgressStep> {
        let text = |key: &str| self.text(key).map(str::to_owned);
        let (thought, action, observation) = (text(THOUGHT), text(ACTION), text(OBSERVATION));
        let is_step = thought.is_some() || action.is_some() || observation.is_some();
        is_step.then(|| ProgressStep {
            thought: thought.unwrap_or_default(),
            action: action.unwrap_or_default(),
            observation,
            round: self.0.get(ROUND).and_then(Value::as_u64),
            params: self.given(PARAMS).cloned(),
            success: self.0.get(SUCCESS).and_then(Value::as_bool).unwrap_or(true),
        })
    }

    /// Returns the task that the trigger is about if it brings a step that has no number.
    pub fn task_without_round(&self) -> Option<&str> {
        self.task().filter(|_| self.step().is_some_and(|step| step.round.is_none()))
    }

    /// Returns the output of the workflow.
    pub fn output(&self) -> Option<&Value> {
        self.given(OUTPUT)
    }

    /// Returns the ID of a decision.
    pub fn decision_id(&self) -> Option<&str> {
        self.text(DECISION_ID)
    }

    /// Returns the resources without which the workflow cannot continue.
    ///
    /// # Errors
    ///
    /// When the list cannot be read.
    pub fn missing_resources(&self) -> Result<Vec<MissingResource>, Refusal> {
        let missing = self.0.get(MISSING_RESOURCES).cloned().unwrap_or_else(|| Value::Array(Vec::new()));
        serde_json::from_value(missing)
            .map_err(|error| Refusal::invalid(error.to_string(), "context.missingResources"))
    }

    /// Returns why resources are missing.
    pub fn reason(&self) -> Option<&str> {
        self.text(REASON)
    }

    /// Returns what could be done about missing resources.
    pub fn suggestion(&self) -> Option<&str> {
        self.text(SUGGESTION)
    }
}

/// What the engine brings.
impl TriggerPayload {
    /// Returns what a client has sent.
    pub fn from_members(members: Map<String, Value>) -> Self {
        Self(members)
    }

    /// Returns a payload about this task.
    pub fn of_task(id: &str) -> Self {
        Self::default().with(TASK, id)
    }

    /// Returns a payload with an error that ends the workflow.
    pub fn of_last_error(error: &str) -> Self {
        Self::default().with(LAST_ERROR, error)
    }

    /// Returns a payload with this route.
    pub fn of_route(route: Route) -> Self {
        Self::default().with_route(route)
    }

    fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }

    /// Adds the agent that does the task.
    pub fn with_agent(self, id: &str) -> Self {
        self.with(AGENT, id)
    }

    /// Adds the result of the task.
    pub fn with_result(self, result: Value) -> Self {
        self.with(RESULT, result)
    }

    /// Adds the error of the task.
    pub fn with_error(self, error: &str) -> Self {
        self.with(ERROR, error)
    }

    /// Adds whether the task can be tried again.
    pub fn with_retryable(self, is_retryable: bool) -> Self {
        self.with(RETRYABLE, is_retryable)
    }

    /// Adds the progress, in percent.
    pub fn with_progress(self, progress: u64) -> Self {
        self.with(PROGRESS, progress)
    }

    /// Adds a step of the agent.
    pub fn with_step(self, step: ProgressStep) -> Self {
        self.with(ROUND, step.round)
            .with(THOUGHT, step.thought)
            .with(ACTION, step.action)
            .with(PARAMS, step.params)
            .with(OBSERVATION, step.observation)
            .with(SUCCESS, step.success)
    }

    /// Adds a list of tasks.
    pub fn with_tasks(self, tasks: Vec<Value>) -> Self {
        self.with(TASKS, tasks)
    }

    /// Adds the agent that has planned the tasks.
    pub fn with_planned_by(self, agent: &str) -> Self {
        self.with(PLANNED_BY, agent)
    }

    /// Adds what each task must deliver.
    pub fn with_deliverables(self, deliverables: Map<String, Value>) -> Self {
        self.with(DELIVERABLES, deliverables)
    }

    /// Adds the understood intent.
    pub fn with_intent(self, intent: Map<String, Value>) -> Self {
        self.with(INTENT, intent)
    }

    /// Adds what the router says about its route.
    pub fn with_routing(self, routing: Value) -> Self {
        self.with(ROUTING, routing)
    }

    /// Adds the route.
    pub fn with_route(self, route: Route) -> Self {
        self.with(ROUTE, route.name())
    }

    /// Adds a review.
    pub fn with_review(self, review: Review) -> Self {
        self.with(REVIEW, review.into_members())
    }

    /// Adds the output of the workflow.
    pub fn with_output(self, output: Value) -> Self {
        self.with(OUTPUT, output)
    }

    /// Adds what the user has answered.
    pub fn with_decision(self, answer: &str) -> Self {
        self.with(DECISION, answer)
    }

    /// Adds the ID of a decision.
    pub fn with_decision_id(self, id: &str) -> Self {
        self.with(DECISION_ID, id)
    }

    /// Adds what the user has said beside the answer.
    pub fn with_decision_note(self, note: &str) -> Self {
        self.with(DECISION_NOTE, note)
    }

    /// Adds the resources that are missing.
    pub fn with_missing_resources(self, missing: &[MissingResource]) -> Self {
        self.with(MISSING_RESOURCES, json!(missing))
    }

    /// Adds why resources are missing.
    pub fn with_reason(self, reason: &str) -> Self {
        self.with(REASON, reason)
    }

    /// Adds what could be done about missing resources.
    pub fn with_suggestion(self, suggestion: &str) -> Self {
        self.with(SUGGESTION, suggestion)
    }
}
