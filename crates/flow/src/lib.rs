//! Phases and steps: which may follow which, what runs in between, and the commit that records each.
//!
//! An action is a transaction. It is checked, the hooks have their say, and only then is anything written: the new state
//! beside the old one, in its place, and the commit by way of an index of its own. An action that fails or is killed leaves
//! state, index and history as they were, or is done as a whole ([`transaction`]).
//!
//! Git is the user's own command, with their hooks, signing and configuration ([`git`]). No other crate runs it.
//!
//! # Where things are
//!
//! Phases and steps: one action (`action.rs`), what would be committed (`survey.rs`) and which files look like secrets
//! (`secret.rs`), the commit as a transaction (`transaction.rs`), the hooks around it (`hooks/`), the files of a step
//! (`restore.rs`), the user's own git (`git.rs`).

mod action;
mod back;
mod change;
mod commit_lookup;
mod current;
mod diff_stat;
mod error;
mod git;
mod hooks;
mod nested;
mod notice;
mod restore;
mod secret;
mod survey;
mod transaction;
mod view;

pub use action::{ActionReport, act};
pub use back::{BackError, cancel_back, confirm_back, request_back, survey_back};
pub use change::Request;
pub use diff_stat::changes;
pub use error::{FlowError, GitError, HookError, InProgress};
pub use notice::Notice;
pub use restore::{RestoredStep, back_at, restore};
pub use survey::{Consent, CreatedCommit, Survey, survey};
pub use view::{present, repository_missing, task, tasks};
