//! The thread of the engine: it claims workflows, looks at their agendas, and starts jobs.

use super::agenda::{self, Agenda, PlannedJob};
use super::claimed::{ClaimedWorkflows, RunningJob};
use super::policy::Load;
use super::queue::Queue;
use super::supply::Supply;
use super::waker::Waker;
use super::work::trouble;
use super::{Job, Shared};
use crate::aggregate::carry_out;
use crate::draft::{Draft, EventScope};
use crate::failure::Failure;
use aide_core::Command;
use journal::{Lease, Millis, Workflow};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use watchdog::Wait;

/// The poll interval: how often what is due is looked for although nothing has happened.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// How often the agents are looked at although nothing has happened while workflows wait for them, in milliseconds. Everything
/// that frees an agent wakes the engine; this is for what would not.
const SUPPLY_INTERVAL: Millis = 30_000;

/// How soon a workflow that stands aside is looked at again although nothing has happened, in milliseconds.
const ASIDE_INTERVAL: Millis = 30_000;

/// How many workflows are claimed at a time.
const MAX_CLAIMS: u32 = 64;

/// The thread that decides the next work.
pub(super) struct EngineLoop {
    shared: Arc<Shared>,
    waker: Waker,
    is_stopped: Arc<AtomicBool>,
    owner: String,
    claimed: ClaimedWorkflows,
    /// The workflows that wait for agents.
    queue: Queue,
    threads: Vec<JoinHandle<()>>,
    /// What jobs say when they have ended, and where it arrives.
    ended: Sender<JobEnd>,
    ends: Receiver<JobEnd>,
    /// How many jobs have begun.
    begun: u64,
    trouble: Option<String>,
    /// The workflows to look at again after a round that failed.
    unseen: BTreeSet<String>,
    /// The agents that were asked for phases when the supply of agents was last looked at.
    asked: BTreeMap<String, String>,
    /// When the supply of agents is looked at although nothing has happened.
    supply_due: Millis,
    /// When the claims are extended that end soon.
    renewal_due: Millis,
}

/// Whether a time that was to come after `interval` is still to come. The clock may have been set back since.
fn is_before(now: Millis, due: Millis, interval: Millis) -> bool {
    now < due && due <= now.saturating_add(interval)
}

impl EngineLoop {
    pub(super) fn new(shared: Arc<Shared>, waker: Waker, is_stopped: Arc<AtomicBool>) -> Self {
        let (ended, ends) = channel();
        let owner = format!("engine-{:x}", shared.runtime.unguessable());
        let queue = Queue::counted_by(Arc::clone(&shared.runtime.agent_queue));
        Self {
            shared,
            waker,
            is_stopped,
            owner,
            claimed: ClaimedWorkflows::default(),
            queue,
            threads: Vec::new(),
            ended,
            ends,
            begun: 0,
            trouble: None,
            unseen: BTreeSet::new(),
            asked: BTreeMap::new(),
            supply_due: Millis::MIN,
            renewal_due: Millis::MIN,
        }
    }

    pub(super) fn run(&mut self) {
        loop {
            // What has happened may have freed an agent, whatever it was.
            let (mut noticed, mut may_serve) = self.waker.wait(POLL_INTERVAL);
            let _round = Wait::begin("a round of the engine");
            if self.is_stopped.load(Ordering::Acquire) {
                return self.stop();
            }
            // So may have what a round has missed that came to nothing.
            may_serve |= self.trouble.is_some();
            noticed.append(&mut self.unseen);
            while let Ok(JobEnd { workflow, job, number }) = self.ends.try_recv() {
                self.claimed.end(&workflow, &job, number);
                noticed.insert(workflow);
            }
            self.threads.retain(|thread| !thread.is_finished());
            let now = self.shared.runtime.now();
            noticed.extend(self.claimed.due(now).cloned());
            // An agent is also free once the job that asks it was cancelled long ago.
            may_serve |=
                !is_before(now, self.supply_due, SUPPLY_INTERVAL) || self.claimed.asked(now) != self.asked;
            let done = self.claim(&mut noticed).and_then(|()| self.look_at_all(&noticed, may_serve, now));
            if done.is_err() {
                self.unseen.append(&mut noticed);
            }
            let now = done.err().map(|error| error.to_string());
            if let Some(error) = now.as_ref().filter(|now| self.trouble.as_ref() != Some(now)) {
                tracing::error!(%error, "engine");
            }
            self.trouble = now;
        }
    }

    /// Claims what is due, and keeps what is claimed.
    fn claim(&mut self, noticed: &mut BTreeSet<String>) -> Result<(), Failure> {
        let now = self.shared.runtime.now();
        self.renew(now)?;
        let until = now.saturating_add(self.shared.limits.lease);
        loop {
            let claimed = self.shared.runtime.journal().claim(&self.owner, now, until, MAX_CLAIMS)?;
            let count = claimed.len();
            for lease in claimed {
                noticed.insert(lease.workflow.clone());
                self.claimed.add(lease, until);
            }
            if count < MAX_CLAIMS as usize {
                return Ok(());
            }
        }
    }

    /// Extends the claims that end soon, many in one change: all that waits is claimed.
    fn renew(&mut self, now: Millis) -> Result<(), Failure> {
        let lease = self.shared.limits.lease;
        if is_before(now, self.renewal_due, lease / 4) {
            return Ok(());
        }
        let until = now.saturating_add(lease);
        for ending in self.claimed.ending_before(now.saturating_add(lease / 2)).chunks(MAX_CLAIMS as usize) {
            let lost = self.shared.runtime.journal().renew(ending, until)?;
            for lease in ending {
                if lost.contains(lease) {
                    self.leave(&lease.workflow);
                } else {
                    self.claimed.extend(&lease.workflow, until);
                }
            }
        }
        self.renewal_due = now.saturating_add(lease / 4);
        Ok(())
    }

    /// Looks at the workflows that have changed and, if an agent may be free, at those that it can serve.
    fn look_at_all(
        &mut self,
        noticed: &BTreeSet<String>,
        may_serve: bool,
        now: Millis,
    ) -> Result<(), Failure> {
        if noticed.is_empty() && (!may_serve || self.queue.is_empty()) {
            return Ok(());
        }
        let mut supply = self.supply(now)?;
        self.supply_due = now.saturating_add(SUPPLY_INTERVAL);
        let mut before = supply.clone();
        let mut has_looked = self.pass(noticed, &mut supply, now)?;
        // A task that was found to wait for a person has left its agent, perhaps after those were looked at that wait for one.
        while has_looked && !self.queue.is_empty() {
            supply = self.supply(now)?;
            if !supply.exceeds(&before) {
                break;
            }
            before = supply.clone();
            has_looked = self.pass(&BTreeSet::new(), &mut supply, now)?;
        }
        Ok(())
    }

    /// The agents that may begin something.
    fn supply(&mut self, now: Millis) -> Result<Supply, Failure> {
        self.asked = self.claimed.asked(now);
        let view = self.shared.runtime.journal.view()?;
        Supply::read(&self.shared, &Draft::new(&*view, &*self.shared.runtime.world), &self.asked)
    }

    /// Looks once at the workflows that have changed, and at those that wait for an agent of this supply, in the order in which
    /// they are served: a workflow that has not waited comes after those that have. Returns whether there were any.
    fn pass(
        &mut self,
        noticed: &BTreeSet<String>,
        supply: &mut Supply,
        now: Millis,
    ) -> Result<bool, Failure> {
        let mut tried = BTreeSet::new();
        let mut changed: Vec<_> =
            noticed.iter().filter_map(|workflow| self.queue.place(workflow, now)).collect();
        changed.sort_by(|a, b| b.cmp(a));
        loop {
            while changed.last().is_some_and(|(_, _, workflow)| tried.contains(workflow)) {
                changed.pop();
            }
            let served = self.queue.next(supply, &tried, now);
            let Some((_, _, workflow)) = served.into_iter().chain(changed.last().cloned()).min() else {
                break;
            };
            self.look_at(&workflow, supply)?;
            tried.insert(workflow);
        }
        for workflow in noticed {
            if tried.insert(workflow.clone()) {
                self.look_at(workflow, supply)?;
            }
        }
        Ok(!tried.is_empty())
    }

    /// Looks at one workflow; what is wrong with it must not hold up the others.
    fn look_at(&mut self, workflow: &str, supply: &mut Supply) -> Result<(), Failure> {
        let looked = match self.begin_what_is_next(workflow, supply) {
            Err(Failure::Refused(refusal)) => self.give_up(workflow, &refusal.to_string()),
            done => done,
        };
        match looked {
            Err(failure) if !failure.concerns_all() => {
                self.stand_aside(workflow, &failure);
                Ok(())
            }
            Ok(()) => {
                if self.claimed.set_trouble(workflow, None) {
                    tracing::info!(workflow, "a workflow that stood aside goes on");
                }
                Ok(())
            }
            failed => failed,
        }
    }

    /// Passes over a workflow of which something cannot be read or written, and reports that once. It is looked at again when
    /// something has happened to it, and now and then.
    fn stand_aside(&mut self, workflow: &str, failure: &Failure) {
        self.queue.leave(workflow);
        if failure.may_pass() {
            self.unseen.insert(workflow.to_owned());
        } else {
            let later = self.shared.runtime.now().saturating_add(ASIDE_INTERVAL);
            self.claimed.set_deadline(workflow, Some(later));
        }
        let error = failure.to_string();
        if !self.claimed.set_trouble(workflow, Some(&error)) {
            return;
        }
        tracing::error!(workflow, error, "a workflow stands aside; the others go on");
        let Some(lease) = self.claimed.lease(workflow) else { return };
        // Its rows may not be readable, so nothing but the event is written.
        let told = self.shared.runtime.make(lease, |draft| {
            let scope = EventScope { workflow: Some(workflow), ..EventScope::default() };
            draft.emit(scope, trouble(&error));
            Ok(())
        });
        if let Err(failure) = told {
            tracing::error!(workflow, error = %failure, "cannot report that a workflow stands aside");
        }
    }

    /// Starts the next jobs of a workflow, with the agents of this supply; releases the workflow if there are none.
    fn begin_what_is_next(&mut self, workflow: &str, supply: &mut Supply) -> Result<(), Failure> {
        let Some(lease) = self.claimed.lease(workflow).cloned() else { return Ok(()) };
        let running = self.claimed.jobs(workflow);
        let shared = Arc::clone(&self.shared);
        let asked = self.claimed.asked(shared.runtime.now());
        let load = Load::new(asked, supply, self.queue.since(workflow));
        let made = shared
            .runtime
            .look(&lease, |draft| agenda::compute(&shared, draft, workflow, &running, &load))?;
        let Some(Agenda { planned, deadline, lacks, urgency, .. }) = made else {
            self.leave(workflow);
            return Ok(());
        };
        let now = shared.runtime.now();
        self.claimed.set_deadline(workflow, deadline);
        let is_waiting = !lacks.is_empty();
        if is_waiting {
            let was_served = planned.iter().any(|planned| !running.contains(&planned.job));
            self.queue.join(workflow, lacks, urgency, now, was_served);
        } else {
            self.queue.leave(workflow);
        }
        let is_wanted = |job: &Job| planned.iter().any(|planned| planned.job == *job);
        self.claimed.cancel_except(workflow, is_wanted, now);
        let is_idle = planned.is_empty() && running.is_empty();
        for job in planned {
            if let Some(agent) = job.agent.as_ref().filter(|_| !running.contains(&job.job)) {
                supply.take(agent, &job.kind);
            }
            if !self.begin(&lease, job) {
                self.claimed.set_deadline(workflow, Some(now));
                return Ok(());
            }
        }
        if is_idle && !is_waiting && self.claimed.remove(workflow).is_some() {
            // A write in the meantime has marked the workflow as due again.
            shared.runtime.journal().release(&lease)?;
        }
        Ok(())
    }

    /// Begins a job unless it runs already; false if there is no thread for it.
    fn begin(&mut self, lease: &Lease, PlannedJob { job, agent, kind }: PlannedJob) -> bool {
        let workflow = lease.workflow.clone();
        if self.claimed.runs(&workflow, &job) {
            return true;
        }
        let is_phase = matches!(job, Job::Phase { .. });
        let asked = agent.clone().filter(|_| is_phase).map(|agent| (agent, kind.clone()));
        self.begun += 1;
        let number = self.begun;
        let running = RunningJob::new(number, asked);
        let cancellation = running.cancellation.clone();
        self.claimed.begin(&workflow, job.clone(), running);
        let (lease, done, waker) = (lease.clone(), self.ended.clone(), self.waker.clone());
        let shared = Arc::clone(&self.shared);
        let what = JobEnd { workflow: workflow.clone(), job: job.clone(), number };
        let started = thread::Builder::new().name("job".to_owned()).spawn(move || {
            let ended = JobEndGuard { done, waker, what: Some(what) };
            if let Some(JobEnd { job, .. }) = &ended.what {
                shared.work(&lease, job, (agent.as_deref(), &kind), &cancellation);
            }
        });
        match started {
            Ok(thread) => self.threads.push(thread),
            Err(error) => {
                tracing::error!(%error, "cannot start a thread for a job");
                self.claimed.end(&workflow, &job, number);
                return false;
            }
        }
        true
    }

    /// Leaves a workflow to people because of what the engine cannot do with it.
    fn give_up(&mut self, workflow: &str, error: &str) -> Result<(), Failure> {
        let Some(lease) = self.claimed.lease(workflow) else { return Ok(()) };
        tracing::error!(workflow, error, "a workflow cannot continue");
        self.shared.runtime.make(lease, |draft| {
            match draft.row::<Workflow>(&Workflow::key_of(workflow))? {
                Some(mut row) => {
                    let error = error.to_owned();
                    carry_out(draft, &mut row, Command::Park { error }).map(drop)
                }
                None => Ok(()),
            }
        })?;
        Ok(())
    }

    /// Gives up a workflow that has another driver now.
    fn leave(&mut self, workflow: &str) {
        self.queue.leave(workflow);
        drop(self.claimed.remove(workflow));
    }

    /// Cancels everything, and waits for that. What was under way is left as it is.
    fn stop(&mut self) {
        let leases = self.claimed.take_all();
        for thread in self.threads.drain(..) {
            let _wait = Wait::begin("the end of a cancelled job");
            let _ = thread.join();
        }
        for lease in leases {
            // No longer needed; without the release, the lease would expire.
            let _ = self.shared.runtime.journal().release(&lease);
        }
    }
}

/// The end of one run of a job.
struct JobEnd {
    workflow: String,
    job: Job,
    /// That of the run.
    number: u64,
}

/// Says that a job has ended, however it has.
struct JobEndGuard {
    done: Sender<JobEnd>,
    waker: Waker,
    what: Option<JobEnd>,
}

impl Drop for JobEndGuard {
    fn drop(&mut self) {
        if let Some(what) = self.what.take() {
            let workflow = what.workflow.clone();
            // The engine may have ended.
            let _ = self.done.send(what);
            self.waker.wake([&*workflow]);
        }
    }
}
