//! A tick for one plan (contract/plans §6.2): new messages, then those that were taken before.

use super::event::{Event, EventKind};
use super::message::{self, Inspection, LatestCommands, Outcome};
use super::trouble::is_disk;
use super::{Heartbeat, Tick};
use crate::execution::{ExecutionError, Executor};
use crate::folder::PlanFolder;
use protocol::agent::{HeartbeatConfig, Id};
use std::collections::BTreeSet;

const DEFAULT_NEW: usize = 50;
const DEFAULT_RESUMED: usize = 10;

/// The outcome of a resumed message.
#[derive(Clone, Copy)]
struct ResumedMessage {
    was_swept: bool,
    interrupted: bool,
}

impl Heartbeat<'_> {
    /// Does what can be done now for one plan.
    pub(super) fn beat_for(
        &mut self,
        plan: &Id,
        observe: &mut dyn FnMut(Event),
    ) -> Result<Tick, ExecutionError> {
        let folder = self.executor.folder.plan(plan)?;
        let memory = self.plans.entry(plan.clone()).or_default();
        let was_seen = memory.was_seen;
        if !was_seen {
            folder.sweep()?;
            memory.rota.change();
        }
        self.skip_odd(&folder, observe)?;
        let mut latest = LatestCommands::new();
        if !was_seen {
            self.remember_taken(&folder, &mut latest)?;
            self.plans.entry(plan.clone()).or_default().was_seen = true;
        }
        // After a refusal of the disk, messages that were taken before it come first: no more are taken until these continue.
        let taken = if self.is_refused {
            Tick { again: true, next: None, interrupted: false }
        } else {
            self.executor.take_answers(&folder)?;
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
        latest: &mut LatestCommands,
        observe: &mut dyn FnMut(Event),
    ) -> Result<Tick, ExecutionError> {
        let budget = self.budget(HeartbeatConfig::max_new_messages, DEFAULT_NEW);
        let memory = self.plans.entry(plan.id().clone()).or_default();
        memory.unsettled = None;
        memory.put_aside.take_back(plan)?;
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
                Ok(Inspection::Message(envelope)) => {
                    message::remember(plan, latest, &envelope)?;
                    if envelope.command().is_some() {
                        tasks.extend(envelope.task_id.clone());
                    }
                    looked.push((name, Ok(envelope.message_id)));
                }
                Ok(Inspection::Refused(refused, _)) if refused.is_half && self.is_left(plan, &name)? => {}
                Ok(Inspection::Refused(refused, envelope)) => looked.push((name, Err((refused, envelope)))),
                Ok(Inspection::Gone) => {}
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
                            self.happened(plan, EventKind::PutAside { name, code, detail }, observe);
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
                // Another process has it.
                Ok(None) => {}
                Err(error) => self.stuck_or(plan, &name, error.into(), observe)?,
            }
        }
        Ok(Tick { again, next: None, interrupted: false })
    }

    /// Whether an incomplete message stays in the inbox, because it was written to within the settling time.
    fn is_left(&mut self, plan: &PlanFolder<'_>, name: &str) -> Result<bool, ExecutionError> {
        let Some(left) = self.executor.unsettled(&plan.inbox, name)? else { return Ok(false) };
        let due = message::due(&self.executor.clock.now(), left.saturating_add(message::ROUNDED_UP));
        let memory = self.plans.entry(plan.id().clone()).or_default();
        memory.unsettled = Some(memory.unsettled.map_or(due, |before| before.min(due)));
        Ok(true)
    }

    /// B: messages that were taken, in the order of their names, if all of them have their turn.
    fn resume(
        &mut self,
        plan: &PlanFolder<'_>,
        latest: &LatestCommands,
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
        latest: &LatestCommands,
        observe: &mut dyn FnMut(Event),
    ) -> Result<Option<ResumedMessage>, ExecutionError> {
        let interval = self.interval();
        let memory = self.plans.entry(plan.id().clone()).or_default();
        let waits = &mut memory.waits;
        let mut put_aside = None;
        let mut observe_message = |what| {
            if let EventKind::Waits { about, names, asked, .. } = &what {
                let told = format!("{names:?} {asked:?}");
                let before = waits.insert(taken.to_owned(), (about.task_id.clone(), told.clone()));
                if before.is_some_and(|(_, before)| before == told) {
                    return;
                }
            }
            if let EventKind::PutAside { name, code, detail } = &what {
                put_aside = Some(format!("{name}: {code}: {detail}"));
            }
            observe(Event { plan_id: Some(plan.id().clone()), what });
        };
        let Executor { folder, clock, .. } = self.executor;
        let outcome = self.status.beat_during(folder, clock, interval, || {
            message::process(&self.executor, plan, taken, latest, &mut observe_message)
        });
        if let Some(error) = put_aside {
            self.has_failed = true;
            self.status.note(&error);
        }
        let now = self.executor.clock.now().unix_seconds();
        match outcome {
            Ok(Outcome::Settled { was_swept, has_filed }) => {
                memory.stuck.remove(taken);
                memory.waits.remove(taken);
                memory.rota.had(taken, None, now);
                if has_filed {
                    memory.rota.change();
                }
                Ok(Some(ResumedMessage { was_swept, interrupted: false }))
            }
            Ok(Outcome::Waits { due }) => {
                memory.stuck.remove(taken);
                memory.rota.had(taken, due, now);
                Ok(Some(ResumedMessage { was_swept: false, interrupted: false }))
            }
            Ok(Outcome::Interrupted) => Ok(Some(ResumedMessage { was_swept: false, interrupted: true })),
            Err(error) if is_disk(&error) => Err(error),
            Err(error) => {
                memory.rota.had(taken, None, now);
                self.stuck(&plan.id().clone(), Some(plan), taken, &error, observe);
                Ok(None)
            }
        }
    }

    /// The later commands among those that were taken before this process was.
    fn remember_taken(
        &mut self,
        plan: &PlanFolder<'_>,
        latest: &mut LatestCommands,
    ) -> Result<(), ExecutionError> {
        for name in plan.taken()? {
            // What is wrong with it is found when it is its turn.
            if let Ok(Inspection::Message(envelope)) = message::look(plan, &plan.pending, &name) {
                message::remember(plan, latest, &envelope)?;
            }
        }
        Ok(())
    }

    fn budget(&self, configured: impl Fn(&HeartbeatConfig) -> u64, default: usize) -> usize {
        let config = self.executor.folder.config();
        config.map_or(default, |config| usize::try_from(configured(config)).unwrap_or(usize::MAX))
    }
}
