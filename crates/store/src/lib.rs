//! The `.aide/` folder of a project: what lies where in it. Everything is read and written by way of the crate `files`.
//!
//! Whatever changes `.aide/` holds one lock, and a server lives as long as it holds another.
//!
//! Errors are data: which file, which rule, what was found. The sentences are written elsewhere.
//!
//! # Where things are
//!
//! The layout of the `.aide/` folder: finding the project, its configuration, decisions, drafts, tasks, source files; the format
//! of a project (`format.rs`); partial answers (`remainder.rs`) and those that can be taken back (`held.rs`), corrected sets
//! (`amend.rs`), which asker has which answer (`receipts.rs`, `askers.rs`).

mod clock;
mod decisions;
mod error;
mod excerpt;
mod flow;
mod format;
mod init;
mod layout;
mod project;
#[cfg(test)]
mod proof;
mod server_info;
mod source;

pub use clock::{
    after, is_since, local_second, local_time, moment, now, seconds_between, time_of_day, timestamp_of,
};
pub use decisions::pending_path;
pub use decisions::{
    AmendOutcome, AnswerRoute, AskOnceOutcome, AskOutcome, Asker, AskerState, AttachError, Decisions,
    Delivery, Draft, FolderWatch, PendingSet, Place, PublishOutcome, Receipt, ReceiptUpdate, Retention,
    Upload, WaitingTask, Waker, Watch, attachment_path, read_record, record_of,
};
pub use error::{EditConfigError, InitError, StoreError};
pub use excerpt::{Excerpt, MAX_EXCERPT, MAX_EXCERPT_LINE, MAX_EXCERPT_LINES};
pub use flow::{
    BackRequest, Checkout, EarlierTask, FlowFileError, FlowFiles, FormerState, Logs, SeenFiles, StagedState,
    TaskFile, flow_archive_path, flow_status_path, flow_task_path,
};
pub use init::{InitReport, init, init_below};
pub use project::Project;
pub use server_info::{Scope, Secret, ServerClaim, ServerClaimOutcome, ServerInfo};
pub use source::{SourceChange, SourceFile, SourceHashes};
