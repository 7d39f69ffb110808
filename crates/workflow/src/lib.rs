//! Operations on sessions and their messages, on workflows and their tasks, on agents, and on the user's decisions.
//!
//! All of them go through a [`Runtime`]. A change is computed on a draft, with everything that it depends on, and committed to
//! the journal as a whole, with its events; if another change came first, it is computed again. So whatever is killed, each
//! operation happened or did not.
//!
//! A request with a [`RequestKey`] is done once: its answer is part of the same change.
//!
//! No text for people but that of the contract, no HTTP server, no SQL, no clock of its own ([`World`]). What agents do outside
//! the journal is in [`tools`], and nowhere else.

mod active_work;
mod agents;
mod aggregate;
mod answers;
mod checkpoints;
mod decisions;
mod desk;
mod disks;
mod draft;
mod engine;
mod failure;
mod ids;
mod images;
mod input;
mod lists;
mod load;
mod messages;
mod outbox;
mod projects;
mod removal;
mod requests;
mod rows;
mod runtime;
mod sessions;
mod stages;
mod tasks;
pub mod tools;
mod views;
mod waiting;
mod watch;
mod wire;
mod world;

pub use agents::PoolAgent;
pub use aggregate::Transition;
pub use aide_core::checkpoint::NewCheckpoint;
pub use aide_core::decision::NewDecision;
pub use desk::JournalDesk;
pub use engine::{
    Concurrency, Courier, Couriers, DaemonTools, ENGINE, Engine, EngineLimits, Errand, ErrandStatus,
    FolderCourier, Proposal, Providers, Risk, Tool, Tools, Waker, read_plan,
};
pub use failure::Failure;
pub use lists::{ListRange, PAGE, TakePage};
pub use messages::NewMessage;
pub use projects::project_id;
pub use runtime::{RequestKey, Runtime};
pub use sessions::NewSession;
pub use views::{StateFilter, WorkflowFilter};
pub use watch::{
    AgentActivity, Cost, EventPageRequest, EventSummary, ListPage, ListedWorkflow, WorkflowDetails,
};
pub use wire::envelope;
pub use world::World;
