//! Files that are whole or absent, even if a process is killed while writing them. The only code that writes files.
//!
//! Three rules hold throughout. A file is replaced or published as a whole, durably, or not at all ([`durable`]). An entry of a
//! folder is opened through that folder, no symlink is followed and only regular files are read ([`Dir`]). A process that changes
//! a folder of ours holds its [`Lock`]; elsewhere other programs cannot be asked to, and files are only added there
//! ([`ExternalDir`]).
//!
//! Errors are data: which file, which rule, what was found. The messages are written elsewhere.
//!
//! With the feature `fault-injection` a test can count, record and fail every system call (`fault`).

mod action_lock;
mod call;
mod dir;
pub mod durable;
mod error;
mod external_dir;
#[cfg(feature = "fault-injection")]
pub mod fault;
mod format;
pub mod json;
pub mod line_log;
mod lock;
pub mod part;
pub mod private_file;
mod registration;
mod sys;
pub mod together;
pub mod whole;

pub use action_lock::{ActionLock, ActionLockError, Holder};
pub use dir::{Dir, Identity, OWNER_ONLY, Times};
pub use error::{FileError, refuses_writing};
pub use external_dir::ExternalDir;
pub use format::FileFormat;
pub use lock::Lock;
pub use part::Part;
pub use registration::{Claim, ClaimOutcome, Registration};
pub use rustix::fs::{FileType, Mode};
