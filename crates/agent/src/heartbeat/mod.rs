//! The heartbeat of an agent (§6): messages are taken and dispatched, and what waits is looked at again.
//!
//! A [`Heartbeat`] does one tick after another for whoever drives it, on one thread. Nothing that it remembers matters: after
//! a kill, the folder says where to go on. What happens is told as [`Event`]s, as it happens.

mod event;
mod message;
mod rota;
mod status;

pub use event::{About, Event, What};

use crate::execution::{ExecutionError, Executor};
use crate::folder::{PlanFolder, alert};
use files::{FileError, FileType};
use message::{Latest, Look, Outcome};
use model::agent::{Code, Extra, Health, HeartbeatConfig, Id};
use rota::Rota;
use status::{Said, Status};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::time::Duration;

const INBOX: &str = "inbox";
const DEFAULT_INTERVAL: Duration = Duration::from_secs(10);
const DEFAULT_NEW: usize = 50;
const DEFAULT_RESUMED: usize = 10;

/// One agent's heartbeat.
pub struct Heartbeat<'e> {
    executor: Executor<'e>,
    /// The plans of the last tick, in their order.
    order: Vec<Id>,
    plans: BTreeMap<Id, Memory>,
    status: Status,
    /// The disk refuses to be written to; nothing new is taken then.
    is_refused: bool,
    /// Names of folders that are no plans, and were told.
    odd: BTreeSet<String>,
    /// That the status cannot be written was told.
    has_told_status: bool,
    /// Something went wrong in the present tick.
    has_failed: bool,
}

/// What is remembered of a plan, so as not to be told or done again.
#[derive(Default)]
struct Memory {
    was_seen: bool,
    rota: Rota,
    /// What cannot be gone on with, and why.
    stuck: BTreeMap<String, String>,
    /// What is waited for, by the names of the messages: the task, and what was told.
    waits: BTreeMap<String, (Id, String)>,
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
    /// Where it is. It may not be there any more.
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

    /// Does what can be done now, within the budgets (§6.2). What goes wrong with one message or one plan is told as an
    /// event, and stops no other.
    ///
    /// # Errors
    ///
    /// When the disk is full or cannot be written to, or the inbox cannot be looked at. Nothing is taken then, and nothing
    /// lost: the next tick may go on.
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

    /// Says that it has ended, for whoever watches.
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
        self.tell_status("IDLE", observe)?;
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
        self.tell_status("IDLE", observe)?;
        let now = self.executor.clock.now().unix_seconds();
        let next = self.plans.values().filter_map(|memory| memory.rota.next()).min();
        let next = next.map(|due| Duration::from_secs(u64::try_from(due.saturating_sub(now)).unwrap_or(0)));
        Ok(Tick { again: again && !interrupted, next, interrupted })
    }

    fn beat_for(&mut self, plan: &Id, observe: &mut dyn FnMut(Event)) -> Result<Tick, ExecutionError> {
        let folder = self.executor.folder.plan(plan)?;
        let memory = self.plans.entry(plan.clone()).or_default();
        let was_seen = memory.was_seen;
        if !was_seen {
            folder.sweep()?;
            memory.rota.change();
        }
        self.skip_odd(&folder, observe)?;
        let mut latest = Latest::new();
        if !was_seen {
            self.remember_taken(&folder, &mut latest)?;
            self.plans.entry(plan.clone()).or_default().was_seen = true;
        }
        // What was taken before the disk refused comes first: nothing more is taken before that goes on.
        let taken = if self.is_refused {
            Tick { again: true, next: None, interrupted: false }
        } else {
            self.take_new(&folder, &mut latest, observe)?
        };
        if taken.interrupted {
            return Ok(taken);
        }
        let resumed = self.resume(&folder, &latest, observe)?;
        Ok(Tick { again: taken.again || resumed.again, ..resumed })
    }

    /// A: new messages, in the order of their names.
    fn take_new(
        &mut self,
        plan: &PlanFolder<'_>,
        latest: &mut Latest,
        observe: &mut dyn FnMut(Event),
    ) -> Result<Tick, ExecutionError> {
        let budget = self.budget(HeartbeatConfig::max_new_messages, DEFAULT_NEW);
        let names = plan.arrived()?;
        // What could not be taken before does not keep others from being taken.
        let is_stuck = |name: &&String| {
            self.plans.get(plan.id()).is_some_and(|memory| memory.stuck.contains_key(name.as_str()))
        };
        let (stuck, fresh): (Vec<&String>, Vec<&String>) = names.iter().partition(is_stuck);
        let again = fresh.len() > budget;
        let batch: Vec<String> = fresh.into_iter().chain(stuck).take(budget).cloned().collect();
        let (mut tasks, mut looked) = (Vec::new(), Vec::new());
        for name in batch {
            match message::look(plan, &plan.inbox, &name) {
                Ok(Look::Message(envelope)) => {
                    message::remember(plan, latest, &envelope)?;
                    if envelope.command().is_some() {
                        tasks.extend(envelope.task_id.clone());
                    }
                    looked.push((name, Ok(envelope.message_id)));
                }
                Ok(Look::Refused(refused, envelope)) => looked.push((name, Err((refused, envelope)))),
                Ok(Look::Gone) => {}
                Err(error) => self.stuck_or(plan, &name, error.into(), observe)?,
            }
        }
        if !tasks.is_empty() {
            let mut said = self.said(self.health(), "RUNNING");
            said.tasks.extend(tasks);
            said.tasks.sort_unstable();
            said.tasks.dedup();
            self.write_or_tell(said, observe)?;
        }
        for (name, looked) in looked {
            if self.executor.cancellation.is_cancelled() {
                return Ok(Tick { again: false, next: None, interrupted: true });
            }
            let message_id = match looked {
                Ok(message_id) => message_id,
                Err((refused, envelope)) => {
                    let (code, detail) = (refused.code, refused.detail.clone());
                    match self.executor.refuse(plan, &plan.inbox, &name, envelope.as_deref(), &refused) {
                        Ok(()) => {
                            self.forget(plan, &name);
                            self.happened(plan, What::PutAside { name, code, detail }, observe);
                        }
                        Err(error) => self.stuck_or(plan, &name, error, observe)?,
                    }
                    continue;
                }
            };
            match plan.claim(&name, &message_id) {
                Ok(Some(taken)) => {
                    self.forget(plan, &name);
                    if self.go_on(plan, &taken, latest, observe)?.is_some_and(|it| it.interrupted) {
                        return Ok(Tick { again: false, next: None, interrupted: true });
                    }
                }
                // Somebody else has it.
                Ok(None) => {}
                Err(error) => self.stuck_or(plan, &name, error.into(), observe)?,
            }
        }
        Ok(Tick { again, next: None, interrupted: false })
    }

    /// B: messages that were taken, in the order of their names as far as all have their turn.
    fn resume(
        &mut self,
        plan: &PlanFolder<'_>,
        latest: &Latest,
        observe: &mut dyn FnMut(Event),
    ) -> Result<Tick, ExecutionError> {
        let budget = self.budget(HeartbeatConfig::max_resume_messages, DEFAULT_RESUMED);
        let names = plan.taken()?;
        let now = self.executor.clock.now().unix_seconds();
        let memory = self.plans.entry(plan.id().clone()).or_default();
        memory.waits.retain(|name, _| names.binary_search(name).is_ok());
        if !memory.stuck.is_empty() {
            // What is gone is no longer in the way.
            let new: BTreeSet<String> = plan.arrived()?.into_iter().chain(plan.odd()?).collect();
            memory.stuck.retain(|name, _| names.binary_search(name).is_ok() || new.contains(name));
        }
        let turns = memory.rota.turns(&names, budget, now);
        let mut left = budget;
        for name in turns {
            if left == 0 {
                break;
            }
            if self.executor.cancellation.is_cancelled() {
                return Ok(Tick { again: false, next: None, interrupted: true });
            }
            let ended = self.go_on(plan, &name, latest, observe)?;
            if ended.is_some_and(|ended| ended.interrupted) {
                return Ok(Tick { again: false, next: None, interrupted: true });
            }
            if ended.is_none_or(|ended| !ended.was_swept) {
                left -= 1;
            }
        }
        let again = self.plans.get(plan.id()).is_some_and(|memory| memory.rota.is_behind());
        Ok(Tick { again, next: None, interrupted: false })
    }

    /// Goes on with a message that was taken; `None` when that cannot be done now.
    fn go_on(
        &mut self,
        plan: &PlanFolder<'_>,
        taken: &str,
        latest: &Latest,
        observe: &mut dyn FnMut(Event),
    ) -> Result<Option<Gone>, ExecutionError> {
        let memory = self.plans.entry(plan.id().clone()).or_default();
        let has_failed = &mut self.has_failed;
        let status = &mut self.status;
        let waits = &mut memory.waits;
        let outcome = message::process(&self.executor, plan, taken, latest, &mut |what| {
            if let What::Waits { about, names, request_id, .. } = &what {
                let told = format!("{names:?} {request_id:?}");
                let before = waits.insert(taken.to_owned(), (about.task_id.clone(), told.clone()));
                if before.is_some_and(|(_, before)| before == told) {
                    return;
                }
            }
            if let What::PutAside { name, code, detail } = &what {
                *has_failed = true;
                status.note(&format!("{name}: {code}: {detail}"));
            }
            observe(Event { plan_id: Some(plan.id().clone()), what });
        });
        let now = self.executor.clock.now().unix_seconds();
        match outcome {
            Ok(Outcome::Settled { was_swept, has_filed }) => {
                memory.stuck.remove(taken);
                memory.waits.remove(taken);
                memory.rota.had(taken, None, now);
                if has_filed {
                    memory.rota.change();
                }
                Ok(Some(Gone { was_swept, interrupted: false }))
            }
            Ok(Outcome::Waits { due }) => {
                memory.stuck.remove(taken);
                memory.rota.had(taken, due, now);
                Ok(Some(Gone { was_swept: false, interrupted: false }))
            }
            Ok(Outcome::Interrupted) => Ok(Some(Gone { was_swept: false, interrupted: true })),
            Err(error) if is_disk(&error) => Err(error),
            Err(error) => {
                memory.rota.had(taken, None, now);
                self.stuck(&plan.id().clone(), Some(plan), taken, &error, observe);
                Ok(None)
            }
        }
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
            let what = What::Skipped { name: format!("{INBOX}/{name}"), detail };
            observe(Event { plan_id: None, what });
        }
        self.odd = odd;
        Ok(plans)
    }

    /// The later commands among those that were taken before this process was.
    fn remember_taken(&mut self, plan: &PlanFolder<'_>, latest: &mut Latest) -> Result<(), ExecutionError> {
        for name in plan.taken()? {
            // What is wrong with it is found when it is its turn.
            if let Ok(Look::Message(envelope)) = message::look(plan, &plan.pending, &name) {
                message::remember(plan, latest, &envelope)?;
            }
        }
        Ok(())
    }

    /// Tells of what is named like a message and is no file. Nobody opens it.
    fn skip_odd(
        &mut self,
        plan: &PlanFolder<'_>,
        observe: &mut dyn FnMut(Event),
    ) -> Result<(), ExecutionError> {
        let odd = plan.odd()?;
        for name in &odd {
            let error = ExecutionError::File(FileError::NotAFile { path: plan.inbox.path_of(name) });
            self.stuck_or(plan, name, error, observe)?;
        }
        Ok(())
    }

    fn stuck_or(
        &mut self,
        plan: &PlanFolder<'_>,
        name: &str,
        error: ExecutionError,
        observe: &mut dyn FnMut(Event),
    ) -> Result<(), ExecutionError> {
        if is_disk(&error) {
            return Err(error);
        }
        self.stuck(&plan.id().clone(), Some(plan), name, &error, observe);
        Ok(())
    }

    /// Notes that something cannot be gone on with for now, and tells it, once.
    fn stuck(
        &mut self,
        plan: &Id,
        folder: Option<&PlanFolder<'_>>,
        name: &str,
        error: &ExecutionError,
        observe: &mut dyn FnMut(Event),
    ) {
        let detail = error.to_string();
        self.has_failed = true;
        let memory = self.plans.entry(plan.clone()).or_default();
        if memory.stuck.get(name) == Some(&detail) {
            return;
        }
        memory.stuck.insert(name.to_owned(), detail.clone());
        self.status.note(&format!("{name}: {detail}"));
        if let Some(folder) = folder {
            let code = match error {
                ExecutionError::File(FileError::NotAFile { .. } | FileError::Symlink { .. }) => {
                    Code::UnsafePath
                }
                _ => Code::UnhandledException,
            };
            let words = format!("{name} is skipped for now: {detail}");
            let details: Extra = [("file", name), ("error", &detail)]
                .map(|(key, text)| (key.to_owned(), text.into()))
                .into_iter()
                .collect();
            let about = format!("{name} {detail}");
            let alert = alert(folder, self.executor.clock, code, &about, (None, None), &words, details);
            if let Err(error) = folder.alert(&alert) {
                tracing::warn!(%error, "cannot write an alert");
            }
        }
        let what = What::Skipped { name: name.to_owned(), detail };
        observe(Event { plan_id: Some(plan.clone()), what });
    }

    fn forget(&mut self, plan: &PlanFolder<'_>, name: &str) {
        if let Some(memory) = self.plans.get_mut(plan.id()) {
            memory.stuck.remove(name);
        }
    }

    fn happened(&mut self, plan: &PlanFolder<'_>, what: What, observe: &mut dyn FnMut(Event)) {
        if let What::PutAside { name, code, detail } = &what {
            self.has_failed = true;
            self.status.note(&format!("{name}: {code}: {detail}"));
        }
        observe(Event { plan_id: Some(plan.id().clone()), what });
    }

    fn budget(&self, configured: impl Fn(&HeartbeatConfig) -> u64, default: usize) -> usize {
        let config = self.executor.folder.config();
        config.map_or(default, |config| usize::try_from(configured(config)).unwrap_or(usize::MAX))
    }

    fn health(&self) -> Health {
        if self.has_failed || self.plans.values().any(|memory| !memory.stuck.is_empty()) {
            Health::Warning
        } else {
            Health::Healthy
        }
    }

    fn said(&self, health: Health, status: &'static str) -> Said {
        let waiting = self.plans.values().flat_map(|memory| memory.waits.values());
        let tasks: BTreeSet<Id> = waiting.map(|(task, _)| task.clone()).collect();
        Said { health, status, plans: self.order.clone(), tasks: tasks.into_iter().collect() }
    }

    fn tell_status(
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

    fn write(&mut self, said: Said) -> Result<(), FileError> {
        let interval = self.interval();
        self.status.write(self.executor.folder, self.executor.clock, said, interval)
    }

    /// Writes the status. Something else in its place keeps nobody from working; a disk that refuses does.
    fn write_or_tell(&mut self, said: Said, observe: &mut dyn FnMut(Event)) -> Result<(), ExecutionError> {
        let Err(error) = self.write(said) else { return Ok(()) };
        let error = error.into();
        if is_disk(&error) {
            return Err(error);
        }
        const NAME: &str = "status_heartbeat.json";
        if !std::mem::replace(&mut self.has_told_status, true) {
            let what = What::Skipped { name: NAME.to_owned(), detail: error.to_string() };
            observe(Event { plan_id: None, what });
        }
        Ok(())
    }
}

/// What became of a message that was gone on with.
#[derive(Clone, Copy)]
struct Gone {
    was_swept: bool,
    interrupted: bool,
}

/// Whether the disk is full, or cannot be written to: nothing else will go better then.
fn is_disk(error: &ExecutionError) -> bool {
    match error {
        ExecutionError::File(FileError::Io { source, .. }) | ExecutionError::NotRecorded(source) => {
            refuses(source)
        }
        _ => false,
    }
}

fn refuses(error: &io::Error) -> bool {
    let kinds = [ErrorKind::StorageFull, ErrorKind::QuotaExceeded, ErrorKind::ReadOnlyFilesystem];
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<FileError>());
    match inner {
        Some(FileError::Io { source, .. }) => refuses(source),
        _ => kinds.contains(&error.kind()),
    }
}
