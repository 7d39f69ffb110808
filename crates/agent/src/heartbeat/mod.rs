//! The heartbeat of an agent (contract/plans §6): takes and dispatches messages, and rechecks those that wait.
//!
//! A [`Heartbeat`] runs one tick after another for its driver, on one thread. Its memory is expendable: after a kill, the
//! folder says where to continue. It reports [`Event`]s as they happen.
//!
//! `aide agent run` drives a `Heartbeat`, which does one tick for each call and returns events as data. A tick takes new messages
//! (`heartbeat/plan.rs`): a rename into `.pending/` under the id, then `message::process`, which handles new messages and those
//! that a killed process has left in the same way. An id alone does not identify a message: the acknowledgement has the hash of
//! the content (`identity.rs`). Then the tick continues earlier messages; if there are more than one tick may handle, `rota.rs`
//! determines the order. An error in one message is reported and stops no other; a disk that refuses ends the tick, and the next
//! one begins with the messages that were already taken (`trouble.rs`).

mod event;
mod message;
mod plan;
mod rota;
mod status;
mod trouble;

pub use event::{CommandRef, Event, EventKind};

use crate::execution::{ExecutionError, Executor};
use crate::settling::SetAsideMessages;
use files::{FileError, FileType};
use protocol::agent::{Health, HeartbeatConfig, Id};
use rota::Rota;
use status::{ReportedStatus, Status};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;
use trouble::is_disk;

const INBOX: &str = "inbox";
const DEFAULT_INTERVAL: Duration = Duration::from_secs(10);

/// One agent's heartbeat.
pub struct Heartbeat<'e> {
    executor: Executor<'e>,
    /// The plans of the last tick, in their order.
    order: Vec<Id>,
    plans: BTreeMap<Id, Memory>,
    status: Status,
    /// The disk refuses to be written to; nothing new is taken then.
    is_refused: bool,
    /// Names of folders that are no plans, and were reported.
    odd: BTreeSet<String>,
    /// Whether it was reported that the status cannot be written.
    has_told_status: bool,
    /// Something went wrong in the present tick.
    has_failed: bool,
}

/// What is remembered of a plan, so that nothing is reported or done twice.
#[derive(Default)]
struct Memory {
    was_seen: bool,
    rota: Rota,
    /// What cannot be continued, and why.
    stuck: BTreeMap<String, String>,
    /// What is waited for, by the names of the messages: the task, and what was reported.
    waits: BTreeMap<String, (Id, String)>,
    /// When what is still being written in the inbox is looked at again.
    unsettled: Option<i64>,
    put_aside: SetAsideMessages,
}

/// How a tick has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tick {
    /// There is more to do at once: more messages than one tick may take.
    pub again: bool,
    /// When something happens by itself even if nothing comes, if that is known.
    pub next: Option<Duration>,
    /// It was cancelled.
    pub interrupted: bool,
}

/// A folder in which something may arrive.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Its path. It may be gone by now.
    pub path: PathBuf,
    /// Whether the folders in it count as well.
    pub deep: bool,
}

impl<'e> Heartbeat<'e> {
    /// A heartbeat that executes with `executor`, and has not beaten yet.
    pub fn new(executor: Executor<'e>) -> Self {
        Self {
            executor,
            order: Vec::new(),
            plans: BTreeMap::new(),
            status: Status::new(executor.clock.now()),
            is_refused: false,
            odd: BTreeSet::new(),
            has_told_status: false,
            has_failed: false,
        }
    }

    /// How often it is to look for messages.
    pub fn interval(&self) -> Duration {
        let config = self.executor.folder.config();
        config.map_or(DEFAULT_INTERVAL, |config| Duration::from_secs(config.poll_interval_seconds.get()))
    }

    /// The folders in which messages, and files for those that wait, arrive.
    pub fn places(&self) -> Vec<Place> {
        let root = self.executor.folder.path();
        let mut places = vec![Place { path: root.join(INBOX), deep: false }];
        for plan in &self.order {
            places.push(Place { path: root.join(INBOX).join(plan.as_str()), deep: false });
            let inputs = root.join("workspace").join(plan.as_str()).join("inputs");
            places.push(Place { path: inputs, deep: true });
        }
        places
    }

    /// Something may have arrived for those that wait: each of them is looked at soon, not only when it is its turn.
    pub fn look_at_all(&mut self) {
        self.plans.values_mut().for_each(|memory| memory.rota.change());
    }

    /// Does what can be done now, within the budgets (contract/plans §6.2). An error of one message or one plan is reported as an
    /// event, and does not stop the others.
    ///
    /// # Errors
    ///
    /// When the disk is full or cannot be written to, or the inbox cannot be looked at. Nothing is taken then, and nothing lost:
    /// the next tick may continue.
    pub fn tick(&mut self, observe: &mut dyn FnMut(Event)) -> Result<Tick, ExecutionError> {
        self.has_failed = false;
        let was_refused = self.is_refused;
        let done = self.beat(observe);
        match &done {
            Ok(_) => {
                self.is_refused = false;
                if was_refused {
                    self.look_at_all();
                }
            }
            Err(error) => {
                self.is_refused = true;
                self.status.note(&error.to_string());
                let said = self.said(Health::Critical, "STALLED");
                // It may be writable in this place, and nothing more can be done.
                let _ = self.write(said);
            }
        }
        done
    }

    /// Reports to observers that the heartbeat has stopped.
    pub fn stop(&mut self) {
        let said = self.said(Health::Healthy, "STOPPED");
        if let Err(error) = self.write(said) {
            tracing::warn!(%error, "cannot write the status");
        }
    }

    fn beat(&mut self, observe: &mut dyn FnMut(Event)) -> Result<Tick, ExecutionError> {
        self.order = self.discover(observe)?;
        let order = self.order.clone();
        self.plans.retain(|plan, _| order.contains(plan));
        if self.is_refused {
            // Can anything be written?
            self.status.forget();
        }
        self.report_status("IDLE", observe)?;
        let (mut again, mut interrupted) = (false, false);
        for plan in &order {
            let folder = format!("{INBOX}/{plan}");
            match self.beat_for(plan, observe) {
                Ok(ended) => {
                    again |= ended.again;
                    interrupted |= ended.interrupted;
                }
                Err(error) if is_disk(&error) => return Err(error),
                Err(error) => {
                    self.stuck(plan, None, &folder, &error, observe);
                }
            }
            if interrupted {
                break;
            }
        }
        self.report_status("IDLE", observe)?;
        let now = self.executor.clock.now().unix_seconds();
        let next =
            self.plans.values().flat_map(|memory| [memory.rota.next(), memory.unsettled]).flatten().min();
        let next = next.map(|due| Duration::from_secs(u64::try_from(due.saturating_sub(now)).unwrap_or(0)));
        Ok(Tick { again: again && !interrupted, next, interrupted })
    }

    /// The plans that the agent works for: the listed ones in their order, or else those whose folders are there.
    fn discover(&mut self, observe: &mut dyn FnMut(Event)) -> Result<Vec<Id>, ExecutionError> {
        if let Some(list) = self.executor.folder.config().and_then(HeartbeatConfig::allowlist) {
            let mut seen = BTreeSet::new();
            return Ok(list.iter().filter(|plan| seen.insert((*plan).clone())).cloned().collect());
        }
        let inbox = self.executor.folder.root.ensure_folder(INBOX)?;
        let (mut plans, mut odd) = (Vec::new(), BTreeSet::new());
        for (name, kind) in inbox.entries()? {
            if name.starts_with('.') || kind == FileType::RegularFile {
                continue;
            }
            match name.parse::<Id>() {
                Ok(plan) if kind == FileType::Directory => plans.push(plan),
                _ => drop(odd.insert(name)),
            }
        }
        for name in odd.difference(&self.odd) {
            let detail = "not the folder of a plan".to_owned();
            let what = EventKind::Skipped { name: format!("{INBOX}/{name}"), detail };
            observe(Event { plan_id: None, what });
        }
        self.odd = odd;
        Ok(plans)
    }

    fn health(&self) -> Health {
        if self.has_failed || self.plans.values().any(|memory| !memory.stuck.is_empty()) {
            Health::Warning
        } else {
            Health::Healthy
        }
    }

    fn said(&self, health: Health, status: &'static str) -> ReportedStatus {
        let waiting = self.plans.values().flat_map(|memory| memory.waits.values());
        let tasks: BTreeSet<Id> = waiting.map(|(task, _)| task.clone()).collect();
        ReportedStatus { health, status, plans: self.order.clone(), tasks: tasks.into_iter().collect() }
    }

    fn report_status(
        &mut self,
        status: &'static str,
        observe: &mut dyn FnMut(Event),
    ) -> Result<(), ExecutionError> {
        let mut said = self.said(self.health(), status);
        if !said.tasks.is_empty() {
            said.status = "WAITING";
        }
        self.write_or_tell(said, observe)
    }

    fn write(&mut self, said: ReportedStatus) -> Result<(), FileError> {
        let interval = self.interval();
        self.status.write(self.executor.folder, self.executor.clock, said, interval)
    }

    /// Writes the status. Something else under its name does not stop the work; a disk error does.
    fn write_or_tell(
        &mut self,
        said: ReportedStatus,
        observe: &mut dyn FnMut(Event),
    ) -> Result<(), ExecutionError> {
        let Err(error) = self.write(said) else { return Ok(()) };
        let error = error.into();
        if is_disk(&error) {
            return Err(error);
        }
        const NAME: &str = "status_heartbeat.json";
        if !std::mem::replace(&mut self.has_told_status, true) {
            let what = EventKind::Skipped { name: NAME.to_owned(), detail: error.to_string() };
            observe(Event { plan_id: None, what });
        }
        Ok(())
    }
}
