//! Coding agents that ask through aide: what is written into whose configuration, and how it is taken back.
//!
//! A plan comes first: every file is read, parsed and made, and one that must not be changed refuses them all. Then all are
//! changed, or none ([`files::together`]). What was there before is kept outside of every project ([`Records`]), so that it can
//! be put back byte for byte.
//!
//! # Where things are
//!
//! What `aide setup` writes into the configuration of coding agents: which files each agent has (`agent.rs`), entries in JSON and
//! TOML that leave the rest unchanged (`json.rs`, `toml.rs`), the hooks that agents call (`hook.rs`), our part of a Markdown file
//! (`block.rs`), a plan that is checked as a whole and applied as one (`plan.rs`), adding our part to a file and removing it
//! (`plan/part.rs`), backups and their restoration (`record.rs`), changes made since (`later_changes.rs`), the command of an
//! entry, for `aide doctor` (`installed.rs`); the manifests of the plugin (`plugin.rs`).

mod agent;
mod block;
mod error;
mod hook;
mod installed;
mod json;
mod later_changes;
mod permission;
mod plan;
pub mod plugin;
mod record;
mod texts;
mod toml;

pub use agent::{Agent, Places, Scope, UnknownAgent};
pub use error::{Refusal, RefusalReason, SetupError};
pub use hook::HOOK_SECONDS;
pub use installed::{Entry, Installation, LaunchCommand, WakeHooks};
pub use later_changes::LaterChange;
pub use plan::{
    AppliedChange, Change, Plan, PlannedFile, Request, set_up, take_out, take_out_own, those_set_up,
};
pub use record::Records;
pub use texts::SKILL;
