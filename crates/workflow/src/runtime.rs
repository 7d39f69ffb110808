//! The runtime: carries out the requests of clients and the work of the engine, each as one change of the journal.
//!
//! # From a request to its event
//!
//! 1. **A request arrives.** The gate checks it like every request, and refuses in the form of contract/workflows §3.0
//!    (`Caller::Program`). `Call` (`server/src/endpoints/v1/call.rs`) has path, query, body and `Idempotency-Key`; the endpoint
//!    calls the `Runtime`.
//! 2. **The change is computed.** `Runtime::act` opens a transaction (`JournalExt::write`) and a `Draft` over it: nothing else
//!    writes until it has ended. What concerns a workflow is a `Command`: `aggregate.rs` reads the rows of the workflow, of its
//!    tasks and decisions and of the agents that the command needs into a `State`, `aide_core::decide` determines the `Event`s
//!    that follow, without input and output, and `aggregate.rs` writes them into the draft, in their order. A phase change and
//!    the end of a task leave a checkpoint.
//! 3. **The change is committed.** Callers take turns (`crates/journal/src/sqlite/writer.rs`), each on its own thread and in a
//!    savepoint of its own. The one that leaves while no other waits, or after 64 others or 10 ms, commits for all since the last
//!    commit, so that changes which come at the same time share a flush. A refusal waits for that flush as well. The events get
//!    their numbers from a counter in the same transaction; the response to a request with a key is part of it.
//! 4. **The events are published.** After the commit, and before the request is answered, that caller hands the events to `Feed`
//!    (`server/src/feed/`), whose own thread puts each into the queues of its subscribers. A `Follower` reads the log up to the
//!    start of the queue and the queue from there, so each event is sent exactly once. A client that lets 256 events wait is
//!    closed (1013) with the number of its last event. History, WebSocket and stream have the same order: that of the numbers.
//!
//! `aide orchestrate --watch` (`cli/src/commands/workflow/orchestrate/`) listens first, then sends the message, then reads the
//! events (`watch.rs`). The lines of an event are computed from the event and those before it alone (`lines.rs`, also for
//! `repl.rs`); `prompt.rs` asks the person, and tracks whether the question is still open. The daemon, not the command, parses an
//! answer (`model::respond`).

use crate::active_work::ActiveWork;
use crate::checkpoints;
use crate::draft::{Draft, Written};
use crate::failure::{Failure, unwritable};
use crate::ids::sha256;
use crate::load::{self, AgentQueue};
use crate::outbox::Publishers;
use crate::recovery::RecoveringJournal;
use crate::tools::ToolSettings;
use crate::world::World;
use journal::{Idempotency, Journal, JournalExt as _, Lease, Millis, PruneReport, Retention, Tx};
use protocol::workflow::api::{DaemonLoad, SubscriberLoad};
use protocol::workflow::{ErrorCode, Refusal};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// The status of what was done.
const OK: u16 = 200;

/// What makes a request the same when it comes again.
#[derive(Debug, Clone)]
pub struct RequestKey {
    /// What is requested: method and path.
    pub scope: String,
    /// The name that the caller gave it.
    pub key: String,
    /// The hash of its body.
    pub request_sha256: String,
}

impl RequestKey {
    /// Returns the key of a request with this body.
    pub fn new(scope: String, key: String, body: &[u8]) -> Self {
        Self { scope, key, request_sha256: sha256(body) }
    }
}

/// Carries out requests and work on one journal.
pub struct Runtime {
    pub(crate) journal: Arc<dyn Journal>,
    /// The same.
    pub(crate) recovering: Arc<RecoveringJournal>,
    pub(crate) world: Arc<dyn World>,
    pub(crate) tools: ToolSettings,
    /// The agents that an engine answers for.
    pub(crate) answered: BTreeSet<String>,
    pub(crate) publishers: Publishers,
    pub(crate) active_work: ActiveWork,
    /// The workflows that wait for an agent.
    pub(crate) agent_queue: Arc<AgentQueue>,
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Runtime(…)")
    }
}

impl Runtime {
    /// Returns one that keeps everything in this journal.
    pub fn new(journal: Arc<dyn Journal>, world: Arc<dyn World>) -> Self {
        let recovering = Arc::new(RecoveringJournal::new(journal));
        Self {
            journal: Arc::clone(&recovering) as Arc<dyn Journal>,
            recovering,
            world,
            tools: ToolSettings::default(),
            answered: BTreeSet::new(),
            publishers: Publishers::default(),
            active_work: ActiveWork::default(),
            agent_queue: Arc::default(),
        }
    }

    /// The same, where this is configured of tools.
    #[must_use]
    pub fn with_tools(self, tools: ToolSettings) -> Self {
        Self { tools, ..self }
    }

    /// The same, with an engine that answers for these agents. Without one, no agent is answered for, and clients drive.
    #[must_use]
    pub fn with_answered(self, agents: impl IntoIterator<Item = String>) -> Self {
        Self { answered: agents.into_iter().collect(), ..self }
    }

    /// The present moment.
    pub fn now(&self) -> Millis {
        self.world.now()
    }

    /// Returns an unguessable number.
    pub fn unguessable(&self) -> u64 {
        self.world.random()
    }

    /// The journal.
    pub fn journal(&self) -> &Arc<dyn Journal> {
        &self.journal
    }

    /// Returns how much there is to do, without the disk and without waiting. `requests` are those of clients that wait, and
    /// `subscribers` those that listen to events.
    pub fn load(&self, requests: journal::Backlog, subscribers: SubscriberLoad) -> DaemonLoad {
        load::of_daemon(self.now(), &self.journal.load(), &self.agent_queue, (requests, subscribers))
    }

    /// Refuses a request whose key was used for another one.
    ///
    /// # Errors
    ///
    /// When it was, or that cannot be read.
    pub fn check_request(&self, request: &RequestKey) -> Result<(), Failure> {
        let view = self.journal.view()?;
        answered(&Draft::new(&*view, &*self.world), request).map(drop)
    }

    /// Makes a change: `compute` says which, on a draft of everything as it is, while nothing else changes it. Returns what it
    /// returns, as JSON; for a request that has come before, what was returned then.
    pub(crate) fn act<T: Serialize>(
        &self,
        request: Option<&RequestKey>,
        compute: impl Fn(&mut Draft<'_>) -> Result<T, Failure>,
    ) -> Result<String, Failure> {
        let answer = self.write_marked(|tx| {
            let mut draft = Draft::new(&*tx, &*self.world);
            if let Some(request) = request
                && let Some(answer) = answered(&draft, request)?
            {
                return Ok((Ok(answer), None));
            }
            let computed = compute(&mut draft).and_then(|result| {
                let body = serde_json::to_string(&result).map_err(|error| unwritable(&error))?;
                if let Some(request) = request {
                    draft.put(remembered(request, OK, &body, draft.now()));
                }
                Ok((body, finish(draft)?))
            });
            let (answer, written) = match (computed, request) {
                (Ok((body, written)), _) => (Ok(body), written),
                // A refusal is an answer as well: the request is not done later, when it comes again.
                (Err(Failure::Refused(refusal)), Some(request)) if refusal.code.status() < 500 => {
                    let body = serde_json::to_string(&refusal).map_err(|error| unwritable(&error))?;
                    let mut draft = Draft::new(&*tx, &*self.world);
                    draft.put(remembered(request, refusal.code.status(), &body, draft.now()));
                    (Err(refusal), finish(draft)?)
                }
                (Err(failure), _) => return Err(failure),
            };
            Ok((answer, Some(written)))
        })?;
        answer.map_err(Failure::Refused)
    }

    /// Makes a change under a lease on a workflow: `compute` says which. Returns what it returns; `None` if another driver has
    /// claimed the workflow since.
    pub(crate) fn make<T>(
        &self,
        lease: &Lease,
        compute: impl Fn(&mut Draft<'_>) -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        self.write_marked(|tx| {
            if !tx.holds(lease)? {
                return Ok((None, None));
            }
            let mut draft = Draft::new(&*tx, &*self.world);
            let result = compute(&mut draft)?;
            Ok((Some(result), Some(finish(draft)?)))
        })
    }

    /// Makes a change that `compute` returns, with a result. If it is about workflows that a daemon before has left behind, they
    /// are marked first, and it is computed again.
    fn write_marked<T>(
        &self,
        compute: impl Fn(&mut dyn Tx) -> Result<(T, Option<Written>), Failure>,
    ) -> Result<T, Failure> {
        let mut marked = BTreeSet::new();
        loop {
            let done = self.journal.write(|tx| {
                let (result, written) = compute(tx)?;
                let Some(written) = written else { return Ok(Ok(result)) };
                // Each once: what comes of it is not looked at again.
                let unmarked = self.unmarked(&*tx, &written)?.without(&marked);
                if unmarked.is_empty() {
                    written.write(tx)?;
                    return Ok(Ok(result));
                }
                Ok::<_, Failure>(Err(unmarked))
            })?;
            match done {
                Ok(result) => return Ok(result),
                Err(unmarked) => {
                    self.mark_before(&unmarked)?;
                    marked.extend(unmarked.into_all());
                }
            }
        }
    }

    /// The same for what changes nothing most of the time: it is computed on a view, beside all others, and again as a change
    /// if there is one to make.
    pub(crate) fn look<T>(
        &self,
        lease: &Lease,
        compute: impl Fn(&mut Draft<'_>) -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        let view = self.journal.view()?;
        let mut draft = Draft::new(&*view, &*self.world);
        let result = compute(&mut draft)?;
        if draft.is_empty() {
            return Ok(Some(result));
        }
        drop(view);
        self.make(lease, compute)
    }

    /// Forgets events, answers, and messages that have come to their end, where they are old enough; returns how many of each,
    /// messages with answers.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn forget(&self, prune: Retention) -> Result<PruneReport, Failure> {
        let mail = self.forget_mail(prune.answered_before, prune.at_most)?;
        let PruneReport { events, answers } = self.journal.prune(prune)?;
        Ok(PruneReport { events, answers: answers + mail })
    }
}

/// Returns what a draft has written, with the checkpoints that were requested in it.
pub(crate) fn finish(mut draft: Draft<'_>) -> Result<Written, Failure> {
    for workflow in draft.take_due_checkpoints() {
        checkpoints::make(&mut draft, &workflow)?;
    }
    Ok(draft.into_written())
}

/// What was answered when the request came before.
fn answered(draft: &Draft<'_>, request: &RequestKey) -> Result<Option<String>, Failure> {
    let key = Idempotency::key_of(&Idempotency::name_of(&request.scope, &request.key));
    let Some(before) = draft.look::<Idempotency>(&key)? else { return Ok(None) };
    if before.request_sha256 != request.request_sha256 {
        let words = "Idempotency-Key was used for another request";
        return Err(Refusal::new(ErrorCode::IdempotencyConflict, words).with("key", &*request.key).into());
    }
    match before.status {
        Some(status) if status != i64::from(OK) => {
            let refusal: Refusal = serde_json::from_str(before.body.as_deref().unwrap_or_default())
                .map_err(|error| unwritable(&error))?;
            Err(refusal.into())
        }
        _ => Ok(before.body),
    }
}

fn remembered(request: &RequestKey, status: u16, body: &str, now: Millis) -> Idempotency {
    Idempotency {
        name: Idempotency::name_of(&request.scope, &request.key),
        request_sha256: request.request_sha256.clone(),
        status: Some(status.into()),
        body: Some(body.to_owned()),
        created: now,
        version: 0,
    }
}
