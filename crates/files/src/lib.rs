//! Files that are whole or not there, whatever is killed while they are written. The only code that writes files.
//!
//! Three rules hold throughout. A file is replaced or published as a whole, durably, or not at all ([`durable`]). What has
//! a name in a folder is opened by way of that folder, no symlink is followed and nothing but regular files is read
//! ([`Dir`]). Whoever changes a folder of ours holds its [`Lock`]; somewhere else nobody can be asked to, and files are
//! only added there ([`ExternalDir`]).
//!
//! Errors are data: which file, which rule, what was found. The sentences are written elsewhere.
//!
//! With the feature `fault-injection` a test can count, record and fail every call to the system (`fault`).

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
pub use registration::{Claim, Claimed, Registration};
pub use rustix::fs::{FileType, Mode};
