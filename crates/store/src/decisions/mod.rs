//! `.aide/decisions/`: what is asked, what was answered, what is being typed.

mod amend;
mod askers;
mod attachments;
mod clean;
mod deadline;
mod drafts;
mod head;
mod held;
mod own;
mod pending;
mod receipts;
mod record_file;
mod records;
mod remainder;
mod watch;

pub use amend::AmendOutcome;
pub use askers::{AnswerRoute, Asker, AskerState};
pub use attachments::{AttachError, Upload, attachment_path};
pub use clean::Retention;
pub use drafts::Draft;
pub use head::{PendingSet, Place};
pub use pending::{AskOutcome, pending_path};
pub use receipts::{AskOnceOutcome, Delivery, Receipt, ReceiptUpdate, WaitingTask, Waker};
pub use record_file::read_record;
pub use records::{PublishOutcome, record_of};
pub use watch::{FolderWatch, Watch};

use crate::layout::DECISIONS;
use crate::server_info::{self, ServerClaimOutcome, ServerInfo};
use crate::{StoreError, format, init};
use files::{Dir, Identity, Lock, Registration, durable};
use model::SessionId;
use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The folder, from the project's root.
const FOLDER: &str = ".aide/decisions";
const SERVER_LOG: &str = "server.log";
const OPENER: &str = "open.html";

/// A handle on `.aide/decisions/`. It follows the folder, not its path. Clones share it.
#[derive(Debug, Clone)]
pub struct Decisions {
    /// The project, whose files questions are about.
    root: Arc<Dir>,
    dir: Arc<Dir>,
    heads: Arc<Mutex<Heads>>,
    /// Once this process has answered a call.
    caller: Arc<OnceLock<askers::Caller>>,
}

/// What was read last, so that to look again costs little.
#[derive(Debug, Default)]
struct Heads {
    /// Of the `pending.json` that was there then; `None` where that is damaged.
    slot: Option<(Identity, Option<PendingSet>)>,
    /// Of files that are written once.
    own: HashMap<SessionId, Arc<PendingSet>>,
    /// The records of sets that have ended: that of a thousand questions takes ten milliseconds to read.
    closed: HashMap<SessionId, Identity>,
    /// How many names the folder of the records had when all were read last.
    records: Option<usize>,
    /// The sessions of all records, the latest first, and the folder that they were read from.
    sorted: Option<(Identity, Arc<[SessionId]>)>,
    /// The folders as they were seen last, and since when they were seen so.
    seen: Option<(Folders, Instant)>,
    /// All that is open.
    open: Option<OpenList>,
}

/// The folder of the records, and that of the sets beside the slot if there is one.
type Folders = (Identity, Option<Identity>);

/// The sets that are open, and what they were read from.
#[derive(Debug)]
struct OpenList {
    /// `None` where a change of them might not be seen.
    folders: Option<Folders>,
    /// The set in the slot, if it is open.
    slot: Option<PendingSet>,
    sets: Arc<[PendingSet]>,
}

impl OpenList {
    /// Whether these are the sets of their own in it, the oldest first.
    fn has_own(&self, sets: &[Arc<PendingSet>]) -> bool {
        let own = self.sets.iter().filter(|set| set.place == Place::Own);
        own.map(|set| &set.session).eq(sets.iter().map(|set| &set.session))
    }
}

impl Decisions {
    pub(crate) fn open(root: &Path) -> Result<Self, StoreError> {
        let decisions = Self::look_at(root)?;
        // It only keeps runtime files out of git: without the right to write, reading must still work.
        if let Ok(aide) = decisions.dir.parent() {
            let _ = init::ensure_ignore_file(&aide, &decisions.dir);
        }
        Ok(decisions)
    }

    /// The same for commands that only read: an existing `.aide/.gitignore` is not changed, for that would keep git from
    /// leaving the branch.
    pub(crate) fn look_at(root: &Path) -> Result<Self, StoreError> {
        let root = Dir::open(root)?;
        let aide = format::open(&root)?;
        let dir = aide.ensure_folder(DECISIONS)?.ours()?;
        let _ = init::create_ignore_file(&aide, &dir);
        Ok(Self { root: Arc::new(root), dir: Arc::new(dir), heads: Arc::default(), caller: Arc::default() })
    }

    /// Claims the right to make a server known to other processes, unless one is known that runs. Its port is to be taken
    /// with the claim in hand, so that of two that want to serve at the same time the one that does has it.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn claim_server(&self) -> Result<ServerClaimOutcome, StoreError> {
        server_info::claim(&self.dir)
    }

    /// The same, and waits for the end of another server for at most `limit`.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn claim_server_within(&self, limit: Duration) -> Result<ServerClaimOutcome, StoreError> {
        // The end of a server is a lock that the system gives back, and no event says so; waiting for the lock itself has no limit.
        const POLL_INTERVAL: Duration = Duration::from_millis(10);
        let deadline = Instant::now() + limit;
        loop {
            match self.claim_server()? {
                ServerClaimOutcome::AlreadyRunning(_) if Instant::now() < deadline => {
                    thread::sleep(POLL_INTERVAL)
                }
                claimed => return Ok(claimed),
            }
        }
    }

    /// Tells others `info` of the server that is registered here, from now on.
    ///
    /// # Errors
    ///
    /// When `server.json` cannot be written; its previous content stays.
    pub fn update_server(&self, known: &mut Registration, info: &ServerInfo) -> Result<(), StoreError> {
        Ok(known.update(&server_info::text(&self.dir, info)?)?)
    }

    fn heads(&self) -> MutexGuard<'_, Heads> {
        self.heads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A name for this folder, for a cache outside of it. It stays the same when the project is moved on its disk.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn folder_name(&self) -> Result<String, StoreError> {
        Ok(self.dir.own_identity()?.inode_name())
    }

    /// Where the file is that leads a browser to the page without the link being seen by other users.
    pub fn opener(&self) -> PathBuf {
        self.dir.path_of(OPENER)
    }

    /// Writes that file.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn write_opener(&self, html: &str) -> Result<(), StoreError> {
        let lock = Lock::take(&self.dir)?;
        Ok(durable::replace(&lock, &self.dir, OPENER, html.as_bytes())?)
    }

    /// Removes it, once it has served.
    pub fn remove_opener(&self) {
        // What it leads to works once and not for long; one that stays does no harm.
        let _ = self.dir.unlink(OPENER);
    }

    /// An empty log file for a server in the background, whose output has no other reader.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn new_server_log(&self) -> Result<File, StoreError> {
        Ok(self.dir.empty_log(SERVER_LOG)?)
    }

    /// The server that is running now, if one is.
    ///
    /// # Errors
    ///
    /// When it is running and its file cannot be read.
    pub fn live_server(&self) -> Result<Option<ServerInfo>, StoreError> {
        server_info::running(&self.dir)
    }

    /// What a server that ended before its questions has left behind: where a page that is still open looks for the
    /// next one. Says nothing about who listens there now.
    pub fn last_server(&self) -> Option<ServerInfo> {
        server_info::last(&self.dir)
    }
}
