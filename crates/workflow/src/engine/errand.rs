//! A task for an agent with a folder of its own (contract/workflows §6.5): handed over whole, acknowledged in time or given to
//! another agent, and waited for. It is stored in a step before it is sent, so that a driver that continues waits for the same
//! task.

use super::Shared;
use super::agenda::is_current;
use super::assignment::Assignment;
use super::courier::{Courier, Errand, ErrandStatus};
use super::prompt::Prompt;
use super::track::{StopReason, Track};
use crate::active_work::{WorkGuard, WorkKind};
use crate::aggregate::{carry_out, drive};
use crate::draft::Draft;
use crate::rows;
use aide_core::Command;
use journal::{Agent, Lease, Step, ViewExt as _};
use llm::Cancellation;
use protocol::workflow::{TaskState, TaskTrigger, Trigger};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The step that has what was handed over.
const STEP: &str = "errand";

/// How often it is looked whether an agent has done something.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// A task that an agent does elsewhere.
struct ErrandExecution<'a> {
    shared: &'a Shared,
    cancellation: &'a Cancellation,
    track: Track<'a>,
    given: Assignment,
    courier: Arc<dyn Courier>,
    step: Step,
    errand: Errand,
}

/// Has a task done that was given away under this name to an agent with a folder.
pub(crate) fn run(
    shared: &Shared,
    lease: &Lease,
    id: &str,
    dispatch: &str,
    cancellation: &Cancellation,
) -> Result<(), StopReason> {
    let Some(given) = Assignment::find(shared, lease, id, dispatch)? else { return Ok(()) };
    let courier = shared.couriers.get(&given.agent).cloned().ok_or(StopReason::Unwanted)?;
    let (mut track, error) = given.begin(shared, lease, cancellation)?;
    let (step, errand) = written(shared, &given, &error, &mut track)?;
    let away = ErrandExecution { shared, cancellation, track, given, courier, step, errand };
    let done = away.wait();
    if matches!(done, Err(StopReason::Unwanted)) && !away.is_wanted()? {
        // If the agent has taken it meanwhile, the result is no longer needed.
        away.withdraw();
    }
    done
}

/// What this try has handed over, or does now. What was handed to another agent is taken back.
fn written(
    shared: &Shared,
    given: &Assignment,
    error: &Value,
    track: &mut Track<'_>,
) -> Result<(Step, Errand), StopReason> {
    while let Some(step) = track.walk(STEP) {
        let Ok(errand) = serde_json::from_str::<Errand>(&step.request) else { continue };
        if errand.agent == given.agent {
            return Ok((step, errand));
        }
        if let Some(former) = shared.couriers.get(&errand.agent)
            && let Err(error) = former.withdraw(&errand)
        {
            tracing::warn!(error, agent = errand.agent, "cannot withdraw a task");
        }
    }
    let needs = given.needs(shared)?;
    let errand = |said: &[String]| Errand {
        dispatch: given.task.dispatch.clone().unwrap_or_default(),
        workflow: given.workflow.id.clone(),
        task: given.task.id.clone(),
        agent: given.agent.clone(),
        prompt: prompt(given, error, &needs, said),
        timeout: shared.limits.task_timeout,
    };
    let step = track.begin(STEP, |said| json!(errand(said)).to_string())?;
    let errand = serde_json::from_str(&step.request).map_err(|error| crate::failure::unwritable(&error))?;
    Ok((step, errand))
}

fn prompt(given: &Assignment, error: &Value, needs: &Value, said: &[String]) -> String {
    let task = &given.task;
    Prompt::plain(&task.description)
        .data("Deliverable", &given.deliverable())
        .data("Overall task", &json!(given.workflow.task))
        .data("Error of the previous attempt", error)
        .data("Review of the previous result", &given.feedback())
        .data("Results of the tasks that this one depends on", needs)
        .said(said)
        .finish()
}

impl ErrandExecution<'_> {
    fn wait(&self) -> Result<(), StopReason> {
        let mut is_acknowledged = self.given.task.state == TaskState::Running;
        if let Err(error) = self.courier.send(&self.errand) {
            return match is_acknowledged {
                true => self.given.fail(&self.track, self.shared, &error, true),
                false => self.undelivered(TaskTrigger::DispatchNack, &error),
            };
        }
        let mut trouble = None;
        let mut work = is_acknowledged.then(|| self.work());
        loop {
            if self.cancellation.is_cancelled() {
                return Err(StopReason::Unwanted);
            }
            let returned = match self.courier.look(&self.errand) {
                Ok(returned) => returned,
                Err(error) => {
                    // It may pass; if it does not, the time of the task does.
                    if trouble.as_ref() != Some(&error) {
                        tracing::warn!(error, agent = self.given.agent, "cannot read an agent's folder");
                    }
                    trouble = Some(error);
                    ErrandStatus::Waiting
                }
            };
            if returned != ErrandStatus::Waiting && !is_acknowledged {
                self.begin()?;
                is_acknowledged = true;
                work.get_or_insert_with(|| self.work());
            }
            match returned {
                ErrandStatus::Result(result) => {
                    self.track.answered(&self.step, &result)?;
                    return self.given.complete(&self.track, result);
                }
                ErrandStatus::Failed { error, is_transient } => {
                    self.track.answered(&self.step, &json!({ "error": error }))?;
                    return self.given.fail(&self.track, self.shared, &error, is_transient);
                }
                ErrandStatus::Waiting if !is_acknowledged && self.is_late()? && self.withdraw() => {
                    let seconds = self.shared.limits.acknowledgement / 1000;
                    let words = format!("{} has not acknowledged it within {seconds} s", self.given.agent);
                    return self.undelivered(TaskTrigger::Timeout, &words);
                }
                ErrandStatus::Waiting | ErrandStatus::Acknowledged => {
                    self.cancellation.wait(POLL_INTERVAL);
                }
            }
        }
    }

    fn work(&self) -> WorkGuard<'_> {
        self.shared.runtime.begin_work(self.track.work(&self.given.agent, WorkKind::Errand))
    }

    /// The agent has taken it.
    fn begin(&self) -> Result<(), StopReason> {
        let is_begun = self.track.make(|draft| {
            let mut workflow = rows::workflow(draft, &self.given.workflow.id)?;
            if !is_current(draft, &workflow, &self.given.job)? {
                return Ok(false);
            }
            let payload = self.given.report();
            drive(draft, &mut workflow, Trigger::TaskStarted, payload)?;
            Ok(true)
        })?;
        if is_begun { Ok(()) } else { Err(StopReason::Unwanted) }
    }

    /// The agent has not taken it.
    fn undelivered(&self, why: TaskTrigger, words: &str) -> Result<(), StopReason> {
        tracing::warn!(
            task = self.given.task.id,
            agent = self.given.agent,
            reason = words,
            "dispatch failed"
        );
        self.track.make(|draft| {
            let mut workflow = rows::workflow(draft, &self.given.workflow.id)?;
            match is_current(draft, &workflow, &self.given.job)? {
                true => {
                    let (task, words) = (self.given.task.id.clone(), words.to_owned());
                    let command = Command::TakeBackUnaccepted { task, why, words };
                    carry_out(draft, &mut workflow, command).map(drop)
                }
                false => Ok(()),
            }
        })
    }

    /// Whether the time to acknowledge it is over: it begins when the task was given to the agent. An agent from which the task
    /// was taken has no time: this job is about to be cancelled.
    fn is_late(&self) -> Result<bool, StopReason> {
        let view = self.shared.runtime.journal.view()?;
        let agent = view.row::<Agent>(&Agent::key_of(&self.given.agent))?;
        let over = |since: i64| self.shared.runtime.now() - since >= self.shared.limits.acknowledgement;
        Ok(agent.and_then(|agent| agent.deployed).is_some_and(over))
    }

    /// Whether its result is still wanted.
    fn is_wanted(&self) -> Result<bool, StopReason> {
        let view = self.shared.runtime.journal.view()?;
        let draft = Draft::new(&*view, &*self.shared.runtime.world);
        let workflow = rows::workflow(&draft, &self.given.workflow.id)?;
        Ok(is_current(&draft, &workflow, &self.given.job)?)
    }

    /// Takes it back; whether its agent does not have it.
    fn withdraw(&self) -> bool {
        self.courier.withdraw(&self.errand).unwrap_or_else(|error| {
            tracing::warn!(error, agent = self.given.agent, "cannot withdraw a task");
            false
        })
    }
}
