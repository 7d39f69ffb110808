//! The workflows that the engine has claimed, what runs for them, and when they are looked at again.

use super::Job;
use journal::{Lease, Millis};
use llm::Cancellation;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// For how long a job that is cancelled keeps the place of its agent, in milliseconds: one that waits for a dead disk may
/// never end.
pub(super) const CANCEL_LIMIT: Millis = 10_000;

/// The workflows that are claimed.
#[derive(Default)]
pub(super) struct ClaimedWorkflows {
    of: BTreeMap<String, ClaimedWorkflow>,
    /// When to look at each again although nothing has happened.
    deadlines: BTreeSet<(Millis, String)>,
    /// Those for which something runs.
    busy: BTreeSet<String>,
}

/// A workflow that is claimed.
struct ClaimedWorkflow {
    lease: Lease,
    until: Millis,
    jobs: HashMap<Job, RunningJob>,
    deadline: Option<Millis>,
    /// Why it stands aside, if it does.
    trouble: Option<String>,
}

/// A job that runs.
pub(super) struct RunningJob {
    /// A number that no other has: the same job may run again while the end of an earlier run is still under way.
    pub(super) number: u64,
    pub(super) cancellation: Cancellation,
    /// When it was cancelled.
    cancelled: Option<Millis>,
    /// The agent that is asked for a phase, with its kind.
    asked: Option<(String, String)>,
}

impl RunningJob {
    /// A job that begins, with a number of its own; `asked` is the agent that is asked for a phase, with its kind.
    pub(super) fn new(number: u64, asked: Option<(String, String)>) -> Self {
        Self { number, cancellation: Cancellation::default(), cancelled: None, asked }
    }
}

impl ClaimedWorkflows {
    /// A workflow was claimed until then.
    pub(super) fn add(&mut self, lease: Lease, until: Millis) {
        let workflow = lease.workflow.clone();
        drop(self.remove(&workflow));
        self.of.insert(
            workflow,
            ClaimedWorkflow { lease, until, jobs: HashMap::new(), deadline: None, trouble: None },
        );
    }

    /// The claim of a workflow, if there is one.
    pub(super) fn lease(&self, workflow: &str) -> Option<&Lease> {
        self.of.get(workflow).map(|claimed| &claimed.lease)
    }

    /// The claims that end before then.
    pub(super) fn ending_before(&self, then: Millis) -> Vec<Lease> {
        self.of.values().filter(|claimed| claimed.until < then).map(|claimed| claimed.lease.clone()).collect()
    }

    /// A claim was extended until then.
    pub(super) fn extend(&mut self, workflow: &str, until: Millis) {
        if let Some(claimed) = self.of.get_mut(workflow) {
            claimed.until = until;
        }
    }

    /// A workflow is no longer claimed; cancels its jobs. Returns its claim.
    pub(super) fn remove(&mut self, workflow: &str) -> Option<Lease> {
        self.set_deadline(workflow, None);
        self.busy.remove(workflow);
        let claimed = self.of.remove(workflow)?;
        claimed.jobs.values().for_each(|running| running.cancellation.cancel());
        Some(claimed.lease)
    }

    /// Says when to look at a workflow again.
    pub(super) fn set_deadline(&mut self, workflow: &str, deadline: Option<Millis>) {
        let Some(claimed) = self.of.get_mut(workflow) else { return };
        if let Some(before) = std::mem::replace(&mut claimed.deadline, deadline) {
            self.deadlines.remove(&(before, workflow.to_owned()));
        }
        if let Some(deadline) = deadline {
            self.deadlines.insert((deadline, workflow.to_owned()));
        }
    }

    /// Notes why a workflow stands aside, or that it does not; says whether that is new.
    pub(super) fn set_trouble(&mut self, workflow: &str, trouble: Option<&str>) -> bool {
        let Some(claimed) = self.of.get_mut(workflow).filter(|claimed| claimed.trouble.as_deref() != trouble)
        else {
            return false;
        };
        claimed.trouble = trouble.map(str::to_owned);
        true
    }

    /// The workflows to look at now although nothing has happened.
    pub(super) fn due(&self, now: Millis) -> impl Iterator<Item = &String> {
        self.deadlines.iter().take_while(move |(deadline, _)| *deadline <= now).map(|(_, workflow)| workflow)
    }

    /// What runs for a workflow.
    pub(super) fn jobs(&self, workflow: &str) -> Vec<Job> {
        self.of.get(workflow).map(|claimed| claimed.jobs.keys().cloned().collect()).unwrap_or_default()
    }

    /// Whether a job runs.
    pub(super) fn runs(&self, workflow: &str, job: &Job) -> bool {
        self.of.get(workflow).is_some_and(|claimed| claimed.jobs.contains_key(job))
    }

    /// A job of a workflow begins.
    pub(super) fn begin(&mut self, workflow: &str, job: Job, running: RunningJob) {
        if let Some(claimed) = self.of.get_mut(workflow) {
            claimed.jobs.insert(job, running);
            self.busy.insert(workflow.to_owned());
        }
    }

    /// The run of a job of a workflow that has this number has ended.
    pub(super) fn end(&mut self, workflow: &str, job: &Job, number: u64) {
        if let Some(claimed) = self.of.get_mut(workflow) {
            if claimed.jobs.get(job).is_some_and(|running| running.number == number) {
                claimed.jobs.remove(job);
            }
            if claimed.jobs.is_empty() {
                self.busy.remove(workflow);
            }
        }
    }

    /// Cancels the jobs of a workflow but those that are `wanted`.
    pub(super) fn cancel_except(&mut self, workflow: &str, wanted: impl Fn(&Job) -> bool, now: Millis) {
        let claimed = self.of.get_mut(workflow).into_iter();
        for (job, running) in claimed.flat_map(|claimed| &mut claimed.jobs) {
            if !wanted(job) {
                running.cancellation.cancel();
                running.cancelled.get_or_insert(now);
            }
        }
    }

    /// The agents that are asked for phases, in all workflows, each with its kind.
    pub(super) fn asked(&self, now: Millis) -> BTreeMap<String, String> {
        let has_a_place = |running: &&RunningJob| running.cancelled.is_none_or(|at| now - at < CANCEL_LIMIT);
        let busy = self.busy.iter().filter_map(|workflow| self.of.get(workflow));
        let running = busy.flat_map(|claimed| claimed.jobs.values()).filter(has_a_place);
        running.filter_map(|running| running.asked.clone()).collect()
    }

    /// Cancels all jobs, and returns all claims; nothing is claimed then.
    pub(super) fn take_all(&mut self) -> Vec<Lease> {
        let names: Vec<String> = self.of.keys().cloned().collect();
        names.iter().filter_map(|workflow| self.remove(workflow)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{ClaimedWorkflows, RunningJob};
    use crate::engine::Job;
    use journal::Lease;

    /// A claim that is lost and won again begins the same job again, while what it has cancelled is still ending.
    #[test]
    fn the_end_of_a_cancelled_job_leaves_the_same_job_of_a_later_claim_running() {
        let job = Job::Phase { entered: 7, breaks: 0 };
        let mut claimed = ClaimedWorkflows::default();
        let asked = || Some(("x".to_owned(), "orchestrator".to_owned()));
        for number in [1, 2] {
            claimed.add(Lease { workflow: "w".to_owned(), fence: 1 }, 9);
            claimed.begin("w", job.clone(), RunningJob::new(number, asked()));
        }
        claimed.end("w", &job, 1);
        assert!(claimed.runs("w", &job));
        assert_eq!(claimed.asked(0).len(), 1, "its agent is at work");
        claimed.end("w", &job, 2);
        assert!(!claimed.runs("w", &job));
        assert!(claimed.asked(0).is_empty());
    }
}
