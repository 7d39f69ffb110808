//! Context of a workflow: its JSON object, and what a trigger brings to it. Their members are read and written by name in this
//! module only.

mod keys;
mod payload;
mod review;
#[cfg(test)]
mod tests;

pub use payload::{ProgressStep, RecordedTransition, TriggerPayload};
pub use review::Review;

use crate::table::{GivenRoute, Guards};
use keys::{
    AWAITED, BEFORE, BREAKS, CANCELLED, DECISION, DECISION_ID, DELIVERABLES, FEEDBACK, IMAGES, INTENT,
    INTERRUPTED, LAST_ERROR, PASSING, PASSING_STEP, PERSON_SAYS, PHASE_FAILURE, PLAN, PLANNED_BY, PROPOSAL,
    RECORDED, RECOVERY, REPLANNABLE, REQUIRED_FIXES, RESERVED, RETRIES_EXHAUSTED, REVIEW, REVIEW_TASKS,
    ROUTE, ROUTING, STAGE, STAGE_AGENT, STAGE_AWAITED_BY, TASKS, WAITING_FOR,
};
use protocol::workflow::{Answer, ErrorCode, Refusal, Route, SingleStage, TaskState, Trigger};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The JSON object of a workflow. Members that are not named here are the client's: they stay as they are, in their order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Context(Map<String, Value>);

impl Context {
    /// Returns the context that the row of a workflow holds.
    pub fn read(json: &str) -> Self {
        // The journal takes nothing else.
        Self(serde_json::from_str(json).unwrap_or_default())
    }

    /// Returns the context of a workflow that consists of one phase alone.
    pub fn single(stage: SingleStage) -> Self {
        let mut context = Self::default();
        context.set(STAGE, stage.name());
        context
    }

    /// Returns a context with these members.
    pub fn from_members(members: Map<String, Value>) -> Self {
        Self(members)
    }

    /// Returns the members, in their order.
    pub fn into_members(self) -> Map<String, Value> {
        self.0
    }

    /// Returns what the row of the workflow holds.
    pub fn into_json(self) -> String {
        Value::Object(self.0).to_string()
    }

    /// Returns how long [`Self::into_json`] is, in bytes.
    pub fn size(&self) -> usize {
        serde_json::to_string(&self.0).map_or(0, |json| json.len())
    }

    /// Returns the decisions that the context names, the recorded answers included.
    pub fn decisions(&self) -> Vec<String> {
        let recorded = self.0.get(RECORDED).cloned().unwrap_or_default();
        let recorded: Vec<RecordedTransition> = serde_json::from_value(recorded).unwrap_or_default();
        let answered = recorded.iter().filter_map(|recorded| recorded.payload.decision_id());
        answered.chain(self.decision_id()).map(str::to_owned).collect()
    }

    /// Returns what the conditions of the table look at; `states` are those of the workflow's tasks.
    pub fn guards(&self, states: &[TaskState]) -> Guards {
        let is_set = |key: &str| self.0.get(key) == Some(&Value::Bool(true));
        let route = match self.0.get(ROUTE) {
            None | Some(Value::Null) => GivenRoute::Absent,
            Some(route) => {
                route.as_str().and_then(Route::named).map_or(GivenRoute::Unknown, GivenRoute::Known)
            }
        };
        Guards {
            stage: self.stage(),
            route,
            decision: self.text(DECISION).and_then(Answer::named),
            have_tasks_ended: states.iter().all(|state| state.has_ended()),
            cannot_recover: is_set(RETRIES_EXHAUSTED) && !is_set(REPLANNABLE),
            has_last_error: self.last_error().is_some_and(|error| !model::is_blank(error)),
        }
    }

    /// Returns the members as clients see them: without those that only the engine needs, with the tasks of the workflow.
    pub fn shown(mut self, tasks: Option<Value>) -> Map<String, Value> {
        self.remove(WAITING_FOR);
        self.remove(PHASE_FAILURE);
        if let Some(tasks) = tasks {
            self.set(TASKS, tasks);
        }
        self.0
    }

    /// Returns what prompts say of the workflow.
    pub fn for_prompts(mut self) -> Value {
        for key in [PLAN, BREAKS, STAGE, PLANNED_BY, IMAGES, WAITING_FOR, PHASE_FAILURE] {
            self.remove(key);
        }
        Value::Object(self.0)
    }

    /// Adds what a trigger brings, but for members that only this trigger is about, and those that only the daemon sets.
    pub fn merge(&mut self, trigger: Trigger, payload: &TriggerPayload) {
        let is_step = |key: &str| trigger == Trigger::TaskProgress && PASSING_STEP.contains(&key);
        let is_kept = |key: &str| !PASSING.contains(&key) && !is_step(key) && !RESERVED.contains(&key);
        let kept = payload.members().iter().filter(|(key, _)| is_kept(key));
        self.0.extend(kept.map(|(key, value)| (key.clone(), value.clone())));
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(Value::as_str)
    }

    fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.to_owned(), value.into());
    }

    /// Removes a member, if there is one; the others keep their order.
    fn remove(&mut self, key: &str) -> Option<Value> {
        self.0.shift_remove(key)
    }
}

/// Members that only the daemon sets.
impl Context {
    /// Whether the daemon was down while the workflow was in progress, and the workflow has not been resumed.
    pub fn is_interrupted(&self) -> bool {
        self.0.get(INTERRUPTED) == Some(&Value::Bool(true))
    }

    /// Whether a text that [`Self::into_json`] returned can be that of an interrupted workflow: most need not be read to know it.
    pub fn may_be_interrupted(json: &str) -> bool {
        json.contains(INTERRUPTED)
    }

    /// Notes that the daemon was down while the workflow was in progress.
    pub fn interrupt(&mut self) {
        self.set(INTERRUPTED, true);
    }

    /// Returns whether there was an interruption.
    pub fn end_interruption(&mut self) -> bool {
        self.remove(INTERRUPTED).is_some()
    }

    /// Returns the decision that the workflow waits for.
    pub fn awaited(&self) -> Option<&str> {
        self.text(AWAITED)
    }

    /// Sets the decision that the workflow waits for.
    pub fn await_decision(&mut self, id: &str) {
        self.set(AWAITED, id);
    }

    /// Notes that the workflow waits for no decision.
    pub fn await_none(&mut self) {
        self.remove(AWAITED);
    }

    /// Keeps the decision that the workflow waits for only if it is pending.
    pub fn await_only(&mut self, is_pending: impl FnOnce(&str) -> bool) {
        if !self.awaited().is_some_and(is_pending) {
            self.await_none();
        }
    }

    /// Makes a context that was kept with a checkpoint that of the workflow which goes back to it, and whose context is `now`.
    ///
    /// What has arrived since is not known. A decision is waited for only while it `is_pending`: an answer that was used since
    /// must not be used again. Hard pauses count on, because stored work is named after their number.
    pub fn rewind(&mut self, now: &Self, is_pending: impl Fn(&str) -> bool) {
        self.take_recorded();
        self.await_only(&is_pending);
        if !self.recovery().is_some_and(is_pending) {
            self.clear_recovery();
        }
        self.set_waiting_for(&BTreeSet::new());
        self.clear_phase_failure();
        match now.breaks() {
            0 => drop(self.remove(BREAKS)),
            breaks => self.set(BREAKS, breaks),
        }
    }

    /// Removes what has arrived during a pause, and returns it.
    pub fn take_recorded(&mut self) -> Vec<RecordedTransition> {
        let recorded = self.remove(RECORDED).unwrap_or_default();
        serde_json::from_value(recorded).unwrap_or_default()
    }

    /// Puts it back, with what has arrived now: of each kind the last.
    ///
    /// # Errors
    ///
    /// When it cannot be written as JSON.
    pub fn record(
        &mut self,
        mut recorded: Vec<RecordedTransition>,
        now: Option<RecordedTransition>,
    ) -> Result<(), Refusal> {
        if let Some(now) = now {
            recorded.retain(|known| known.trigger != now.trigger);
            recorded.push(now);
        }
        if !recorded.is_empty() {
            let recorded = serde_json::to_value(recorded);
            self.set(
                RECORDED,
                recorded.map_err(|error| Refusal::new(ErrorCode::InternalError, error.to_string()))?,
            );
        }
        Ok(())
    }

    /// Adds what was recorded of a transition.
    pub fn add_recorded(&mut self, recorded: &RecordedTransition) {
        self.0.extend(recorded.kept());
    }

    /// Returns how often running work was broken off by a hard pause.
    pub fn breaks(&self) -> i64 {
        self.0.get(BREAKS).and_then(Value::as_i64).unwrap_or_default()
    }

    /// Counts a hard pause that broke off running work.
    pub fn note_break(&mut self) {
        self.set(BREAKS, self.breaks() + 1);
    }

    /// Notes that the workflow was cancelled.
    pub fn note_cancellation(&mut self) {
        self.set(CANCELLED, true);
    }

    /// Returns the phase that is all that the workflow is for, if it is only for one.
    pub fn stage(&self) -> Option<SingleStage> {
        Self::stage_in(&self.0)
    }

    /// Returns the same for the members of a context.
    pub fn stage_in(members: &Map<String, Value>) -> Option<SingleStage> {
        members.get(STAGE).and_then(Value::as_str).and_then(SingleStage::named)
    }

    /// Returns the only agent that may do the task of a workflow of one phase.
    pub fn stage_agent(&self) -> Option<&str> {
        self.text(STAGE_AGENT)
    }

    /// Sets the only agent that may do the task of a workflow of one phase.
    pub fn set_stage_agent(&mut self, agent: &str) {
        self.set(STAGE_AGENT, agent);
    }

    /// Returns the agent that does nothing else until a workflow of one phase has ended.
    pub fn stage_awaited_by(&self) -> Option<&str> {
        self.text(STAGE_AWAITED_BY)
    }

    /// Sets the agent that does nothing else until a workflow of one phase has ended.
    pub fn set_stage_awaited_by(&mut self, agent: &str) {
        self.set(STAGE_AWAITED_BY, agent);
    }

    /// Returns the paths of the images of the task.
    pub fn images(&self) -> impl Iterator<Item = &str> {
        let images = self.0.get(IMAGES).and_then(Value::as_array);
        images.into_iter().flatten().filter_map(Value::as_str)
    }

    /// Sets the paths of the images of the task, if there are any.
    pub fn set_images(&mut self, images: Vec<String>) {
        if !images.is_empty() {
            self.set(IMAGES, images);
        }
    }

    /// Returns the kinds of agents that the workflow waits for.
    pub fn waiting_for(&self) -> BTreeSet<String> {
        let kinds = self.0.get(WAITING_FOR).and_then(Value::as_array).into_iter().flatten();
        kinds.filter_map(|kind| kind.as_str().map(str::to_owned)).collect()
    }

    /// Sets the kinds of agents that the workflow waits for.
    pub fn set_waiting_for(&mut self, kinds: &BTreeSet<String>) {
        if kinds.is_empty() {
            self.remove(WAITING_FOR);
        } else {
            self.set(WAITING_FOR, kinds.iter().map(String::as_str).collect::<Value>());
        }
    }

    /// Returns why the last attempt at the phase failed.
    pub fn phase_failure(&self) -> Option<&str> {
        self.text(PHASE_FAILURE)
    }

    /// Sets why the last attempt at the phase failed.
    pub fn set_phase_failure(&mut self, error: &str) {
        self.set(PHASE_FAILURE, error);
    }

    /// Forgets why the last attempt at the phase failed.
    pub fn clear_phase_failure(&mut self) {
        self.remove(PHASE_FAILURE);
    }

    /// Whether the user was asked how the workflow continues after a task has failed.
    pub fn is_recovering(&self) -> bool {
        self.0.contains_key(RECOVERY)
    }

    /// Returns the decision that says how the workflow continues after a task has failed.
    pub fn recovery(&self) -> Option<&str> {
        self.text(RECOVERY)
    }

    /// Sets the decision that says how the workflow continues after a task has failed.
    pub fn set_recovery(&mut self, decision: &str) {
        self.set(RECOVERY, decision);
    }

    /// Forgets the decision about a failed task.
    pub fn clear_recovery(&mut self) {
        self.remove(RECOVERY);
    }
}

/// Members that clients set as well.
impl Context {
    /// Returns how urgent the workflow is, by the understood intent.
    pub fn urgency(&self) -> Option<&str> {
        self.0.get(INTENT)?.get("normalizedIntent")?.get("urgency")?.as_str()
    }

    /// Returns how the input relates to the present task, by the understood intent.
    pub fn relation(&self) -> Option<&str> {
        self.0.get(INTENT)?.get("taskRelation")?.get("type")?.as_str()
    }

    /// Sets the understood intent.
    pub fn set_intent(&mut self, intent: Value) {
        self.set(INTENT, intent);
    }

    /// Returns the name of the last route.
    pub fn route(&self) -> Option<&str> {
        self.text(ROUTE)
    }

    /// Returns the changes to the plan that the router wants.
    pub fn plan_patches(&self) -> Option<&Value> {
        self.0.get(ROUTING)?.get("planPatches")
    }

    /// Returns the last error.
    pub fn last_error(&self) -> Option<&str> {
        self.text(LAST_ERROR)
    }

    /// Returns the ID of the last decision.
    pub fn decision_id(&self) -> Option<&str> {
        self.text(DECISION_ID)
    }

    /// Returns the tasks that the last review names; `None` if it names none.
    pub fn rejected_tasks(&self) -> Option<&Vec<Value>> {
        self.0.get(REVIEW)?.get(REVIEW_TASKS)?.as_array()
    }

    /// Returns what the last review says.
    pub fn feedback(&self) -> Option<&str> {
        self.0.get(REVIEW)?.get(FEEDBACK)?.as_str()
    }

    /// Returns the last review as prompts show it.
    pub fn review_for_prompts(&self) -> Value {
        let review = self.0.get(REVIEW);
        let member = |key: &str| review.and_then(|review| review.get(key));
        json!({
            FEEDBACK: member(FEEDBACK), REQUIRED_FIXES: member(REQUIRED_FIXES),
            PERSON_SAYS: member(PERSON_SAYS),
        })
    }

    /// Returns the agent that has planned the tasks.
    pub fn planned_by(&self) -> Option<&str> {
        self.text(PLANNED_BY)
    }

    /// Sets the agent that has planned the tasks.
    pub fn set_planned_by(&mut self, agent: &str) {
        self.set(PLANNED_BY, agent);
    }

    /// Returns what a task must deliver, if the planner says so.
    pub fn deliverable(&self, task: &str) -> Option<&Value> {
        self.0.get(DELIVERABLES)?.get(task)
    }

    /// Returns what the reviewer is to judge, in a workflow of one phase.
    pub fn proposal(&self) -> Option<&Value> {
        self.0.get(PROPOSAL)
    }

    /// Sets what the reviewer is to judge, in a workflow of one phase.
    pub fn set_proposal(&mut self, proposal: Value) {
        self.set(PROPOSAL, proposal);
    }

    /// Sets the state of the workflow that the session was about before.
    pub fn set_before(&mut self, before: Value) {
        self.set(BEFORE, before);
    }
}
