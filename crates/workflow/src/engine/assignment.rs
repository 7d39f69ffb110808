//! A task that was given to an agent: its prompt, and how it ends.

use super::agenda::{is_current, last_try, track_of};
use super::track::{StopReason, Track};
use super::{Job, Shared};
use crate::aggregate::{carry_out, drive};
use crate::draft::Draft;
use crate::rows;
use aide_core::{Command, Context, TriggerPayload};
use journal::{Lease, Query, Task, ViewExt as _, Workflow};
use llm::Cancellation;
use protocol::workflow::Trigger;
use serde_json::{Map, Value, json};

/// A task that was given to an agent.
pub(crate) struct Assignment {
    pub(crate) job: Job,
    pub(crate) workflow: Workflow,
    pub(crate) task: Task,
    pub(crate) agent: String,
    /// Which try it is, from 1.
    number: u64,
}

impl Assignment {
    /// The task that was dispatched under this name; `None` if it no longer is.
    pub(crate) fn find(
        shared: &Shared,
        lease: &Lease,
        id: &str,
        dispatch: &str,
    ) -> Result<Option<Self>, StopReason> {
        let job = Job::Task { id: id.to_owned(), dispatch: dispatch.to_owned() };
        let view = shared.runtime.journal.view()?;
        let draft = Draft::new(&*view, &*shared.runtime.world);
        let workflow = rows::workflow(&draft, &lease.workflow)?;
        if !is_current(&draft, &workflow, &job)? {
            return Ok(None);
        }
        let task = view.row::<Task>(&Task::key_of(&workflow.id, id))?.ok_or(StopReason::Unwanted)?;
        let number = last_try(&draft, &workflow.id, id)?;
        let agent = task.agent.clone().ok_or(StopReason::Unwanted)?;
        Ok(Some(Self { job, workflow, task, agent, number }))
    }

    /// The steps of this try after its beginning, and what was wrong with the try before.
    pub(crate) fn begin<'a>(
        &self,
        shared: &'a Shared,
        lease: &'a Lease,
        cancellation: &'a Cancellation,
    ) -> Result<(Track<'a>, Value), StopReason> {
        let (id, name) = (self.task.id.clone(), track_of(&self.task.id, self.number));
        let mut track = Track::open(shared, lease, cancellation, &self.job, name, Some(id))?;
        let begun = track.skip("begin").and_then(|step| step.answer);
        let error = begun.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        Ok((track, error))
    }

    /// What the planner says that it must deliver.
    pub(crate) fn deliverable(&self) -> Value {
        Context::read(&self.workflow.context).deliverable(&self.task.id).cloned().unwrap_or_default()
    }

    /// What a reviewer has said of this task, if it was rejected.
    pub(crate) fn feedback(&self) -> Value {
        if self.task.rejections == 0 {
            return Value::Null;
        }
        Context::read(&self.workflow.context).review_for_prompts()
    }

    /// What the tasks that this one needs have come to.
    pub(crate) fn needs(&self, shared: &Shared) -> Result<Value, StopReason> {
        let view = shared.runtime.journal.view()?;
        let needed = rows::names(&self.task.needs);
        let mut results = Map::new();
        for task in view.find(&Query::tasks_of(&self.workflow.id))? {
            if needed.contains(&task.id) {
                let result = task.result.as_deref().and_then(|text| serde_json::from_str(text).ok());
                results.insert(
                    task.id,
                    json!({ "description": task.description, "result": result.unwrap_or(Value::Null) }),
                );
            }
        }
        Ok(Value::Object(results))
    }

    /// It is done.
    pub(crate) fn complete(&self, track: &Track<'_>, result: Value) -> Result<(), StopReason> {
        let payload = self.report().with_result(result);
        self.end(track, Trigger::TaskCompleted, &payload, false)
    }

    /// It has failed; tried again by itself if that makes sense.
    pub(crate) fn fail(
        &self,
        track: &Track<'_>,
        shared: &Shared,
        error: &str,
        is_retryable: bool,
    ) -> Result<(), StopReason> {
        let is_retried = is_retryable && self.task.attempt <= shared.limits.retries;
        let payload = self.report().with_error(error).with_retryable(is_retried);
        self.end(track, Trigger::TaskFailed, &payload, is_retried)
    }

    /// What its agent reports is about this task.
    pub(crate) fn report(&self) -> TriggerPayload {
        TriggerPayload::of_task(&self.task.id).with_agent(&self.agent)
    }

    fn end(
        &self,
        track: &Track<'_>,
        trigger: Trigger,
        payload: &TriggerPayload,
        is_retried: bool,
    ) -> Result<(), StopReason> {
        track.make(|draft| {
            let mut workflow = rows::workflow(draft, &self.workflow.id)?;
            if !is_current(draft, &workflow, &self.job)? {
                return Ok(());
            }
            drive(draft, &mut workflow, trigger, payload.clone())?;
            if is_retried {
                carry_out(draft, &mut workflow, Command::Retry { task: self.task.id.clone() })?;
            }
            Ok(())
        })
    }
}
