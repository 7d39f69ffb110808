//! The engine: drives workflows that no client drives. It claims a workflow by its lease, asks the state machine for the next
//! step, has it done, and commits the result together with the transition.
//!
//! One thread decides what to do ([`agenda`]); slow work, a phase or a task, is a job on a thread of its own. No state is kept in
//! memory only: a job that is no longer wanted (after a transition, pause or cancellation) is cancelled, and its result is
//! refused by the journal or by the job's own check of the current state.
//!
//! # A workflow runs
//!
//! If a provider answers for the agents of the pool, an `Engine` (`crates/workflow/src/engine/`) drives workflows; otherwise
//! clients do, with the same transitions.
//!
//! 1. **Claiming.** Every change of a workflow leaves it due (`wake_at`). One thread claims due workflows by a lease (`Journal::claim`)
//!    and computes the *agenda* of each (`agenda.rs`) on a draft: of a view first, and again in a transaction if there is
//!    something to change. Quick actions, such as giving a ready task to a free agent, are done there; long ones are named as a
//!    `Job`, a phase or a task, which runs on a thread of its own. A workflow without a running job is released with the time at
//!    which it is due again.
//! 2. **Asking.** A job walks along its *track* (`track.rs`): the steps of one phase, or of one attempt at a task. A step that
//!    has its answer is read again. A step that was begun and has none is repeated. After the last step, the next request is
//!    written before it is sent, together with the person's input since then, and the answer in the change to which it leads.
//! 3. **Reading.** `proposal.rs` extracts one JSON object from the text of a model; an unusable answer is requested again, three
//!    times. `phases/` determines where understanding, routing, planning and review lead, `plan.rs` validates a plan,
//!    `execute.rs` does a task step by step with the tools that it is offered.
//! 4. **Committing.** The result of a job and its transition are one change, under the claim. A phase is identified by the number
//!    of the event that entered it, a task by its dispatch: if a client has made a transition meanwhile, or a person has paused
//!    or cancelled, the result is dropped, and the agenda cancels the job.
//! 5. **Waiting for a person.** A decision is asked in the change that writes its step; the job ends, and starts again when the
//!    person has decided. It walks along its track to where it was.
//!
//! The current activity of models, tools and agents with folders (`active_work.rs`) is in memory only, and part of the state that
//! clients request: an event for each call would cost a commit. The page of a running workflow and `--watch` therefore poll every
//! two seconds while no event arrives.
//!
//! A single phase (`stages.rs`) is a workflow whose context names it: it enters that phase at once and ends with the result of
//! that phase.
//!
//! A phase whose model does not answer is tried again with growing pauses. After five attempts, and if the steps are those of
//! another version of the engine, the workflow is left as after a crash, until its session is resumed.
//!
//! An agent of the pool with a folder gets its task from a `Courier` instead of a provider: `engine/errand.rs` writes the task
//! into a step, `FolderCourier` gives it to the router as a plan of one task (`agent::plan::Assignment`, named by the dispatch),
//! and the artifact comes back as the result. `engine/policy.rs` enforces how many agents work at a time, in tasks and phases
//! alike; workflows for which no agent is free wait in `engine/queue.rs`, which determines the order.
//! `crates/core/src/requirement.rs` defines what a task requires of its agent, and how well an agent meets that; `agent.rs`
//! beside it chooses the agent.

mod agenda;
mod assignment;
mod claimed;
mod courier;
mod errand;
mod execute;
mod limits;
mod observation;
mod phases;
mod plan;
mod policy;
mod prompt;
mod proposal;
mod queue;
mod rounds;
mod supply;
mod tools;
mod track;
mod waker;
mod work;

pub use courier::{Courier, Couriers, Errand, ErrandStatus, FolderCourier};
pub use limits::EngineLimits;
pub use plan::read_plan;
pub use policy::Concurrency;
pub use proposal::{Proposal, Risk};
pub use tools::{DaemonTools, Tool, Tools};
pub use waker::Waker;

use crate::runtime::Runtime;
use llm::Provider;
use rounds::EngineLoop;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// The version of the steps in the journal. An engine does not continue steps of another version.
pub const ENGINE: i64 = 1;

/// The providers of the agents in the pool, by the agents' names.
pub type Providers = BTreeMap<String, Arc<dyn Provider>>;

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
        waker.attach();
        let thread = thread::Builder::new().name("engine".to_owned()).spawn(move || engine_loop.run());
        let thread = thread.inspect_err(|_| waker.detach())?;
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
        self.waker.detach();
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
}
