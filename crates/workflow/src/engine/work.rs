//! Does a job, and handles its failure.

use super::track::StopReason;
use super::{Job, Shared, agenda, errand, execute, phases};
use crate::aggregate::{carry_out, drive};
use crate::draft::{Draft, EventScope};
use crate::failure::Failure;
use crate::stages;
use aide_core::{Command, Context, TriggerPayload};
use journal::{Lease, Workflow};
use llm::{Cancellation, LlmError};
use protocol::workflow::{SystemError, Trigger, WorkflowState};
use std::panic::{self, AssertUnwindSafe};

impl Shared {
    /// Does a job. Its errors are written to the journal.
    pub(super) fn work(
        &self,
        lease: &Lease,
        job: &Job,
        (agent, kind): (Option<&str>, &str),
        cancellation: &Cancellation,
    ) {
        let work = || match job {
            Job::Phase { entered, .. } => {
                phases::run(self, lease, job, (*entered, agent, kind), cancellation)
            }
            Job::Task { id, dispatch } if agent.is_some_and(|agent| self.couriers.contains_key(agent)) => {
                errand::run(self, lease, id, dispatch, cancellation)
            }
            Job::Task { id, dispatch } => execute::run(self, lease, id, dispatch, cancellation),
        };
        // If a failure were not reported, the agenda would begin the job again at once, forever.
        let done = panic::catch_unwind(AssertUnwindSafe(work));
        let (told, may_pass) = match done {
            Ok(Ok(()) | Err(StopReason::Unwanted | StopReason::Waiting)) => return,
            Ok(Err(StopReason::Unanswered(error))) => {
                // What could not be written may be the next time.
                let may_pass = error.is_transient() || matches!(error, LlmError::NotRecorded { .. });
                (format!("LLM_ERROR: {}", error.describe()), may_pass)
            }
            Ok(Err(StopReason::Failed(failure))) => (failure.to_string(), true),
            Err(_) => ("INTERNAL_ERROR: a job has panicked".to_owned(), true),
        };
        tracing::warn!(workflow = lease.workflow, ?job, error = told, "a job failed");
        let made =
            self.runtime.make(lease, |draft| self.failed(draft, &lease.workflow, job, &told, may_pass));
        if let Err(error) = made {
            tracing::error!(%error, workflow = lease.workflow, "cannot record that a job failed");
        }
    }

    /// Handles a failed job: it is retried later, and after several failures the workflow is left to people. A workflow for a
    /// single phase fails then, and at once if a retry cannot help: a caller waits for that phase.
    fn failed(
        &self,
        draft: &mut Draft<'_>,
        workflow: &str,
        job: &Job,
        error: &str,
        may_pass: bool,
    ) -> Result<(), Failure> {
        let Some(mut row) = draft.row::<Workflow>(&Workflow::key_of(workflow))? else { return Ok(()) };
        // What has failed in a pause is asked again after it.
        let is_held = matches!(job, Job::Phase { .. }) && row.state == WorkflowState::Paused;
        if is_held || !agenda::is_current(draft, &row, job)? {
            return Ok(());
        }
        row.failures += 1;
        let is_stage = stages::stage_of(&row).is_some();
        if is_stage && (!may_pass || row.failures >= self.limits.failures) {
            let payload = TriggerPayload::of_last_error(error);
            return drive(draft, &mut row, Trigger::ErrorOccurred, payload);
        }
        if row.failures >= self.limits.failures {
            return carry_out(draft, &mut row, Command::Park { error: error.to_owned() }).map(drop);
        }
        row.wake_at = Some(draft.now().saturating_add(self.limits.after(row.failures)));
        if matches!(job, Job::Phase { .. }) {
            let mut context = Context::read(&row.context);
            context.set_phase_failure(error);
            row.context = context.into_json();
        }
        draft.put(row.clone());
        draft.emit(EventScope::workflow(&row), trouble(error));
        Ok(())
    }
}

/// The event about something that may pass.
pub(super) fn trouble(error: &str) -> SystemError {
    SystemError { error: error.to_owned(), component: "engine".to_owned(), recoverable: true }
}
