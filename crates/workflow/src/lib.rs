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
//!
//! # Where things are
//!
//! Operations on sessions, workflows, tasks, agents of the pool and decisions: each is computed on a `Draft` in a transaction and
//! written with its events (`runtime.rs`, `draft.rs`; `rows.rs` finds rows and reads them), commands to workflows, decided by
//! `aide-core` (`aggregate.rs`), requests of clients (`requests/`), views of tasks (`tasks.rs`), the rows of questions to a
//! person (`decisions.rs`), and the same as sets of questions (`desk.rs`), answers and other input (`answers.rs`, `input.rs`),
//! checkpoints and the sessions that continue from them (`checkpoints.rs`) and removing them (`removal.rs`), workflows that a
//! daemon before has left behind (`recovery.rs`), messages to modules (`messages.rs`), the engine that drives workflows
//! (`engine/`), pending work outside of the journal (`outbox.rs`), lists that are read page by page (`lists.rs`); the tools of
//! agents (`tools/`: files and commands of a project, pages of the internet, a search). No SQL, no HTTP server, no clock of its
//! own.

mod active_work;
mod agent_row;
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
mod recovery;
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
