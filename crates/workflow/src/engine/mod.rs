//! The engine: drives workflows that no client drives. It claims a workflow by its lease, asks the state machine for the next
//! step, has it done, and commits the result together with the transition.
//!
//! One thread decides what to do ([`agenda`]); slow work, a phase or a task, is a job on a thread of its own. No state is kept in
//! memory only: a job that is no longer wanted (after a transition, pause or cancellation) is cancelled, and its result is
//! refused by the journal or by the job's own check of the current state.

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
