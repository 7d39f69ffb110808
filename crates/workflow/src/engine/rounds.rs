//! The thread of the engine: it claims workflows, looks at their agendas, and starts jobs.

use super::agenda::{self, Agenda, PlannedJob};
use super::policy::{AgentCapacity, Load};
use super::queue::Queue;
use super::waker::Waker;
use super::work::park;
use super::{Job, Shared};
use crate::agents;
use crate::failure::Failure;
use journal::{Lease, Millis, Workflow};
use llm::Cancellation;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use watchdog::Wait;

/// For how long a job that is cancelled keeps the place of its agent, in milliseconds: one that waits for a dead disk may
/// never end.
const CANCEL_LIMIT: Millis = 10_000;

/// How often it is looked for what is due although nothing has happened.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// How many workflows are claimed at a time.
const MAX_CLAIMS: u32 = 64;

/// A workflow that is claimed.
struct ClaimedWorkflow {
    lease: Lease,
    until: Millis,
    jobs: HashMap<Job, RunningJob>,
    /// When to look at it again although nothing has happened.
    deadline: Option<Millis>,
}

/// A job that runs.
struct RunningJob {
    cancellation: Cancellation,
    /// When it was cancelled.
    cancelled: Option<Millis>,
    /// The agent that is asked for a phase, with its kind.
    asked: Option<(String, String)>,
}

/// The thread that decides the next work.
pub(super) struct EngineLoop {
    shared: Arc<Shared>,
    waker: Waker,
    is_stopped: Arc<AtomicBool>,
    owner: String,
    held: BTreeMap<String, ClaimedWorkflow>,
    /// The workflows that wait for agents.
    queue: Queue,
    threads: Vec<JoinHandle<()>>,
    /// What jobs say when they have ended, and where it arrives.
    ended: Sender<(String, Job)>,
    ends: Receiver<(String, Job)>,
    trouble: Option<String>,
    /// What was noticed in a round that came to nothing: it is looked at again in the next.
    unseen: BTreeSet<String>,
}

impl EngineLoop {
    pub(super) fn new(shared: Arc<Shared>, waker: Waker, is_stopped: Arc<AtomicBool>) -> Self {
        let (ended, ends) = channel();
        let owner = format!("engine-{:x}", shared.runtime.unguessable());
        Self {
            shared,
            waker,
            is_stopped,
            owner,
            held: BTreeMap::new(),
            queue: Queue::default(),
            threads: Vec::new(),
            ended,
            ends,
            trouble: None,
            unseen: BTreeSet::new(),
        }
    }

    pub(super) fn run(&mut self) {
        loop {
            let mut noticed = self.waker.wait(POLL_INTERVAL);
            let _round = Wait::begin("a round of the engine");
            if self.is_stopped.load(Ordering::Acquire) {
                return self.stop();
            }
            // An agent may have been freed in a round that came to nothing.
            let mut is_freed = !self.unseen.is_empty();
            noticed.append(&mut self.unseen);
            while let Ok((workflow, job)) = self.ends.try_recv() {
                if let Some(held) = self.held.get_mut(&workflow) {
                    held.jobs.remove(&job);
                }
                noticed.insert(workflow);
                is_freed = true;
            }
            self.threads.retain(|thread| !thread.is_finished());
            let now = self.shared.runtime.now();
            let is_due = |held: &ClaimedWorkflow| held.deadline.is_some_and(|deadline| deadline <= now);
            noticed.extend(self.held.iter().filter(|(_, held)| is_due(held)).map(|(id, _)| id.clone()));
            // Agents that are used elsewhere are asked after from time to time, for all that wait at once.
            is_freed |= noticed.iter().any(|workflow| self.queue.has(workflow));
            let done = self.claim(&mut noticed).and_then(|()| self.look_at_all(&noticed, is_freed, now));
            if done.is_err() {
                self.unseen = noticed;
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
        let until = now.saturating_add(self.shared.limits.lease);
        let journal = Arc::clone(self.shared.runtime.journal());
        let mut lost = Vec::new();
        for (workflow, held) in &mut self.held {
            if held.until.saturating_sub(now) < self.shared.limits.lease / 2 {
                if journal.renew(&held.lease, until)? {
                    held.until = until;
                } else {
                    lost.push(workflow.clone());
                }
            }
        }
        for workflow in lost {
            self.leave(&workflow);
        }
        loop {
            let claimed = journal.claim(&self.owner, now, until, MAX_CLAIMS)?;
            let count = claimed.len();
            for lease in claimed {
                noticed.insert(lease.workflow.clone());
                self.held.insert(
                    lease.workflow.clone(),
                    ClaimedWorkflow { lease, until, jobs: HashMap::new(), deadline: None },
                );
            }
            if count < MAX_CLAIMS as usize {
                return Ok(());
            }
        }
    }

    /// Looks at the workflows that have changed and, if an agent may be free, at those that wait for one.
    fn look_at_all(
        &mut self,
        noticed: &BTreeSet<String>,
        is_freed: bool,
        now: Millis,
    ) -> Result<(), Failure> {
        if noticed.is_empty() && !is_freed {
            return Ok(());
        }
        let mut before = self.idle()?;
        self.look_once(noticed, is_freed, before.clone(), now)?;
        // A task that was found to wait for a person has left its agent, perhaps after those were looked at that wait for one.
        while !self.queue.is_empty() {
            let after = self.idle()?;
            if after.is_subset(&before) {
                break;
            }
            self.look_once(&BTreeSet::new(), true, after.clone(), now)?;
            before = after;
        }
        Ok(())
    }

    /// The agents that nothing uses.
    fn idle(&self) -> Result<BTreeSet<String>, Failure> {
        agents::idle(&*self.shared.runtime.journal.view()?)
    }

    /// The same once, where the agents `idle` are free.
    fn look_once(
        &mut self,
        noticed: &BTreeSet<String>,
        is_freed: bool,
        idle: BTreeSet<String>,
        now: Millis,
    ) -> Result<(), Failure> {
        let mut room = AgentCapacity { idle, ..AgentCapacity::default() };
        let mut waiting = noticed.clone();
        if !is_freed {
            // None of these waits. Agents for which others wait are for them.
            room.reserved = self.queue.kinds();
            for workflow in noticed {
                self.look_at(workflow, &mut room)?;
            }
            waiting.retain(|workflow| self.queue.has(workflow));
            if waiting.is_empty() || room.reserved.is_empty() {
                return Ok(());
            }
            room.reserved.clear();
        }
        let mut all = waiting.clone();
        all.extend(self.queue.all().cloned());
        for workflow in self.queue.in_order(all, now) {
            // What those before have found out holds for those after them. An agent that is freed meanwhile leads to another look.
            if waiting.contains(&workflow) || !self.queue.waits_only_for(&workflow, &room.full) {
                self.look_at(&workflow, &mut room)?;
            }
        }
        Ok(())
    }

    /// The same for one; what is wrong with it must not hold up the others.
    fn look_at(&mut self, workflow: &str, room: &mut AgentCapacity) -> Result<(), Failure> {
        match self.begin_what_is_next(workflow, room) {
            Err(Failure::Refused(refusal)) => self.give_up(workflow, &refusal.to_string()),
            done => done,
        }
    }

    /// Starts the next jobs of a workflow, with the agents that have room; releases the workflow if there are none.
    fn begin_what_is_next(&mut self, workflow: &str, room: &mut AgentCapacity) -> Result<(), Failure> {
        let Some(held) = self.held.get(workflow) else { return Ok(()) };
        let running: Vec<Job> = held.jobs.keys().cloned().collect();
        let lease = held.lease.clone();
        let shared = Arc::clone(&self.shared);
        let mut load = self.load(room);
        load.waits_since = self.queue.since(workflow);
        let made = shared
            .runtime
            .look(&lease, |draft| agenda::compute(&shared, draft, workflow, &running, &load))?;
        let Some(Agenda { planned, deadline, lacks, full, urgency, .. }) = made else {
            self.leave(workflow);
            return Ok(());
        };
        room.full.extend(full);
        let Some(held) = self.held.get_mut(workflow) else { return Ok(()) };
        held.deadline = deadline;
        let is_waiting = !lacks.is_empty();
        if is_waiting {
            let was_served = planned.iter().any(|planned| !held.jobs.contains_key(&planned.job));
            self.queue.join(workflow, lacks, urgency, shared.runtime.now(), was_served);
        } else {
            self.queue.leave(workflow);
        }
        let now = shared.runtime.now();
        for (job, running) in &mut held.jobs {
            if !planned.iter().any(|planned| planned.job == *job) {
                running.cancellation.cancel();
                running.cancelled.get_or_insert(now);
            }
        }
        for PlannedJob { job, agent, kind } in planned {
            if held.jobs.contains_key(&job) {
                continue;
            }
            let cancellation = Cancellation::default();
            let is_phase = matches!(job, Job::Phase { .. });
            if let Some(agent) = &agent {
                room.idle.remove(agent);
            }
            let asked = agent.clone().filter(|_| is_phase).map(|agent| (agent, kind.clone()));
            held.jobs.insert(
                job.clone(),
                RunningJob { cancellation: cancellation.clone(), cancelled: None, asked },
            );
            let (lease, done, waker) = (held.lease.clone(), self.ended.clone(), self.waker.clone());
            let shared = Arc::clone(&self.shared);
            let (name, begun) = (workflow.to_owned(), job.clone());
            let started = thread::Builder::new().name("job".to_owned()).spawn(move || {
                let ended = JobEndGuard { done, waker, what: Some((name, job)) };
                if let Some((_, job)) = &ended.what {
                    shared.work(&lease, job, (agent.as_deref(), &kind), &cancellation);
                }
            });
            match started {
                Ok(thread) => self.threads.push(thread),
                Err(error) => {
                    tracing::error!(%error, "cannot start a thread for a job");
                    held.jobs.remove(&begun);
                    held.deadline = Some(self.shared.runtime.now());
                    return Ok(());
                }
            }
        }
        if held.jobs.is_empty() && !is_waiting {
            let held = self.held.remove(workflow);
            if let Some(held) = held {
                // A write in the meantime has marked the workflow as due again.
                shared.runtime.journal().release(&held.lease)?;
            }
        }
        Ok(())
    }

    /// The agents that are asked for phases, in all workflows.
    fn load<'a>(&self, room: &'a AgentCapacity) -> Load<'a> {
        let mut load = Load::new(room);
        let now = self.shared.runtime.now();
        let has_a_place = |running: &&RunningJob| running.cancelled.is_none_or(|at| now - at < CANCEL_LIMIT);
        for running in self.held.values().flat_map(|held| held.jobs.values()).filter(has_a_place) {
            if let Some((agent, kind)) = &running.asked {
                load.add(agent, kind);
            }
        }
        load
    }

    /// Leaves a workflow to people because of what the engine cannot do with it.
    fn give_up(&mut self, workflow: &str, error: &str) -> Result<(), Failure> {
        let Some(held) = self.held.get(workflow) else { return Ok(()) };
        tracing::error!(workflow, error, "a workflow cannot continue");
        self.shared.runtime.make(&held.lease, |draft| {
            match draft.row::<Workflow>(&Workflow::key_of(workflow))? {
                Some(mut row) => park(draft, &mut row, error),
                None => Ok(()),
            }
        })?;
        Ok(())
    }

    /// Gives up a workflow that has another driver now.
    fn leave(&mut self, workflow: &str) {
        self.queue.leave(workflow);
        for running in self.held.remove(workflow).into_iter().flat_map(|held| held.jobs.into_values()) {
            running.cancellation.cancel();
        }
    }

    /// Cancels everything, and waits for that. What was under way is left as it is.
    fn stop(&mut self) {
        for held in self.held.values() {
            held.jobs.values().for_each(|running| running.cancellation.cancel());
        }
        for thread in self.threads.drain(..) {
            let _wait = Wait::begin("the end of a cancelled job");
            let _ = thread.join();
        }
        for held in std::mem::take(&mut self.held).into_values() {
            // No longer needed; without the release, the lease would expire.
            let _ = self.shared.runtime.journal().release(&held.lease);
        }
    }
}

/// Says that a job has ended, however it has.
struct JobEndGuard {
    done: Sender<(String, Job)>,
    waker: Waker,
    what: Option<(String, Job)>,
}

impl Drop for JobEndGuard {
    fn drop(&mut self) {
        if let Some(what) = self.what.take() {
            let workflow = what.0.clone();
            // The engine may have ended.
            let _ = self.done.send(what);
            self.waker.wake([&*workflow]);
        }
    }
}
