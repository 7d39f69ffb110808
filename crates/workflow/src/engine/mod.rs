//! The engine: drives workflows that no client drives. It claims a workflow by its lease, asks the state machine for the next
//! step, has it done, and commits the result together with the transition.
//!
//! One thread decides what to do ([`agenda`]); slow work, a phase or a task, is a job on a thread of its own. No state is kept in
//! memory only: a job that is no longer wanted (after a transition, pause or cancellation) is cancelled, and its result is
//! refused by the journal or by the job's own check of the current state.

mod agenda;
mod assignment;
mod courier;
mod errand;
mod execute;
mod observation;
mod phases;
mod plan;
mod policy;
mod prompt;
mod proposal;
mod queue;
mod tools;
mod track;

pub use courier::{Courier, Couriers, Errand, ErrandStatus, FolderCourier};
pub use plan::read_plan;
pub use policy::Concurrency;
pub use proposal::{Proposal, Risk};
pub use tools::{DaemonTools, Tool, Tools};

use crate::agents;
use crate::draft::{Draft, EventScope};
use crate::failure::Failure;
use crate::runtime::Runtime;
use crate::steer::{self, Initiator};
use crate::{context_keys, stages};
use agenda::{Agenda, PlannedJob};
use journal::{Lease, Millis, Workflow};
use llm::{Cancellation, LlmError, Provider};
use model::workflow::{SystemError, Trigger, WorkflowState};
use policy::{AgentCapacity, Load};
use queue::Queue;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::{fmt, io};
use watchdog::Wait;

/// The version of the steps in the journal. An engine does not continue steps of another version.
pub const ENGINE: i64 = 1;

/// For how long a job that is cancelled keeps the place of its agent, in milliseconds: one that waits for a dead disk may
/// never end.
const CANCEL_LIMIT: Millis = 10_000;

/// How often it is looked for what is due although nothing has happened.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// How many workflows are claimed at a time.
const MAX_CLAIMS: u32 = 64;

/// The providers of the agents in the pool, by the agents' names.
pub type Providers = BTreeMap<String, Arc<dyn Provider>>;

/// What an engine may use, and how long it waits.
#[derive(Debug, Clone, Copy)]
pub struct EngineLimits {
    /// How many agents may be at work at a time.
    pub concurrency: Concurrency,
    /// How long an agent may work on a task, in milliseconds.
    pub task_timeout: Millis,
    /// How long a task that one agent alone may do waits for that, in milliseconds.
    pub queue_timeout: Millis,
    /// Within which time an agent that works elsewhere acknowledges a task, in milliseconds.
    pub acknowledgement: Millis,
    /// How many steps an agent may take for one task.
    pub rounds: u64,
    /// How often an agent is asked again whose answer cannot be read.
    pub repairs: usize,
    /// How often a task that may succeed later is tried again by itself.
    pub retries: i64,
    /// How often the result of a task is rejected before a person is asked.
    pub rejections: i64,
    /// How long the first retry waits, in milliseconds; each next one waits twice as long.
    pub backoff: Millis,
    /// The longest wait, in milliseconds.
    pub max_backoff: Millis,
    /// How often a phase may fail before the workflow is left to people.
    pub failures: i64,
    /// For how long a claim holds, in milliseconds.
    pub lease: Millis,
}

impl Default for EngineLimits {
    fn default() -> Self {
        Self {
            concurrency: Concurrency::default(),
            task_timeout: 30 * 60 * 1000,
            queue_timeout: 300_000,
            acknowledgement: 30_000,
            rounds: 10,
            repairs: 3,
            retries: 2,
            rejections: 3,
            backoff: 1000,
            max_backoff: 30_000,
            failures: 5,
            lease: 60_000,
        }
    }
}

impl EngineLimits {
    /// How long is waited after so many failures, in milliseconds.
    pub(crate) fn after(&self, failures: i64) -> Millis {
        let doubled =
            u32::try_from(failures - 1).ok().and_then(|times| self.backoff.checked_shl(times.min(30)));
        doubled.unwrap_or(self.max_backoff).min(self.max_backoff)
    }
}

/// Wakes an engine when something has happened. Clones wake the same.
#[derive(Clone, Default)]
pub struct Waker {
    state: Arc<(Mutex<WakerState>, Condvar)>,
}

#[derive(Default)]
struct WakerState {
    workflows: BTreeSet<String>,
    is_woken: bool,
    /// What the engine ends when it gets to it, as a sign of life.
    signs: Vec<Wait>,
}

impl Waker {
    /// Something has happened to these workflows.
    pub fn wake<'w>(&self, workflows: impl IntoIterator<Item = &'w str>) {
        let mut noticed = self.noticed();
        noticed.workflows.extend(workflows.into_iter().map(str::to_owned));
        noticed.is_woken = true;
        self.state.1.notify_one();
    }

    /// Asks the engine for a sign of life: it ends this wait when it begins its next round.
    pub fn ask_for_a_sign(&self, wait: Wait) {
        self.noticed().signs.push(wait);
    }

    /// Waits until something has happened; returns to what.
    fn wait(&self, at_most: Duration) -> BTreeSet<String> {
        let is_quiet = |noticed: &mut WakerState| !noticed.is_woken;
        let waited = self.state.1.wait_timeout_while(self.noticed(), at_most, is_quiet);
        let (mut noticed, _) = waited.unwrap_or_else(PoisonError::into_inner);
        noticed.is_woken = false;
        noticed.signs.clear();
        std::mem::take(&mut noticed.workflows)
    }

    fn noticed(&self) -> MutexGuard<'_, WakerState> {
        self.state.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Waker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Waker(…)")
    }
}

/// What all jobs use.
pub(crate) struct Shared {
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) providers: Providers,
    pub(crate) couriers: Couriers,
    pub(crate) tools: Arc<dyn Tools>,
    pub(crate) limits: EngineLimits,
}

/// Drives workflows until it is dropped.
#[derive(Debug)]
pub struct Engine {
    waker: Waker,
    is_stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Engine {
    /// Starts an engine. An agent with neither provider nor courier does nothing here. The event listener wakes `waker`.
    ///
    /// # Errors
    ///
    /// When no more threads can be started.
    pub fn start(
        runtime: Arc<Runtime>,
        (providers, couriers): (Providers, Couriers),
        tools: Arc<dyn Tools>,
        limits: EngineLimits,
        waker: Waker,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared { runtime, providers, couriers, tools, limits });
        let is_stopped = Arc::new(AtomicBool::new(false));
        let mut engine_loop = EngineLoop::new(shared, waker.clone(), Arc::clone(&is_stopped));
        let thread = thread::Builder::new().name("engine".to_owned()).spawn(move || engine_loop.run())?;
        Ok(Self { waker, is_stopped, thread: Some(thread) })
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::Release);
        self.waker.wake([]);
        if let Some(thread) = self.thread.take() {
            // What has panicked has ended as well.
            let _ = thread.join();
        }
    }
}

/// Something that takes long.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Job {
    /// The work of a phase that was entered by this event.
    Phase {
        /// The number of that event.
        entered: i64,
        /// How often it was broken off until then, in any phase.
        breaks: i64,
    },
    /// A task, under the name by which it was given away.
    Task {
        /// The task.
        id: String,
        /// That name.
        dispatch: String,
    },
}

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
struct EngineLoop {
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
    fn new(shared: Arc<Shared>, waker: Waker, is_stopped: Arc<AtomicBool>) -> Self {
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

    fn run(&mut self) {
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
                match journal.renew(&held.lease, until) {
                    Ok(true) => held.until = until,
                    Ok(false) => lost.push(workflow.clone()),
                    Err(error) => crate::failure::retry(error)?,
                }
            }
        }
        for workflow in lost {
            self.leave(&workflow);
        }
        loop {
            let claimed = match journal.claim(&self.owner, now, until, MAX_CLAIMS) {
                Ok(claimed) => claimed,
                Err(error) => return crate::failure::retry(error),
            };
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
            .make(&lease, |draft| agenda::compute(&shared, draft, workflow, &running, &load))?;
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
                if let Err(error) = shared.runtime.journal().release(&held.lease) {
                    crate::failure::retry(error)?;
                }
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

impl Shared {
    /// Whether this engine drives an agent.
    pub(crate) fn drives(&self, agent: &str) -> bool {
        self.providers.contains_key(agent) || self.couriers.contains_key(agent)
    }

    /// Whether an agent cannot use one of its capabilities here: agents that use the engine's tools cannot search the web if no
    /// search is configured. Agents with folders have tools of their own.
    pub(crate) fn lacks(&self, agent: &str, capability: &str) -> bool {
        capability == "web_search" && !self.couriers.contains_key(agent) && !self.tools.can_search()
    }

    /// Does a job. Its errors are written to the journal.
    fn work(
        &self,
        lease: &Lease,
        job: &Job,
        (agent, kind): (Option<&str>, &str),
        cancellation: &Cancellation,
    ) {
        use track::StopReason;
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
            let known = Map::from_iter([("lastError".to_owned(), json!(error))]);
            return steer::apply(draft, &mut row, Trigger::ErrorOccurred, &known, Initiator::Driver);
        }
        if row.failures >= self.limits.failures {
            return park(draft, &mut row, error);
        }
        row.wake_at = Some(draft.now().saturating_add(self.limits.after(row.failures)));
        if matches!(job, Job::Phase { .. }) {
            let mut context = steer::context_of(&row);
            context.insert(context_keys::PHASE_FAILURE.to_owned(), json!(error));
            row.context = Value::Object(context).to_string();
        }
        draft.put(row.clone());
        draft.emit(EventScope::workflow(&row), trouble(error, true));
        Ok(())
    }
}

/// Leaves a workflow to the user, who says when it continues.
pub(crate) fn park(draft: &mut Draft<'_>, workflow: &mut Workflow, error: &str) -> Result<(), Failure> {
    crate::checkpoints::leave(draft, workflow)?;
    workflow.failures = 0;
    workflow.wake_at = None;
    workflow.error = Some(error.to_owned());
    draft.put(workflow.clone());
    draft.emit(EventScope::workflow(workflow), trouble(error, true));
    Ok(())
}

fn trouble(error: &str, recoverable: bool) -> SystemError {
    SystemError { error: error.to_owned(), component: "engine".to_owned(), recoverable }
}
