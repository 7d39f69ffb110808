//! What goes wrong: with one message, which stops no other, and with the disk, which stops all.

use super::Heartbeat;
use super::event::{Event, EventKind};
use crate::execution::ExecutionError;
use crate::folder::{PlanFolder, alert};
use files::FileError;
use protocol::agent::{Code, Extra, Id};
use std::io;

impl Heartbeat<'_> {
    /// Reports entries that are named like messages but are no files. They are never opened.
    pub(super) fn skip_odd(
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

    /// The same for a message, unless nothing else would go better.
    pub(super) fn stuck_or(
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

    /// Records that something cannot continue for now, and reports that once.
    pub(super) fn stuck(
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
        let what = EventKind::Skipped { name: name.to_owned(), detail };
        observe(Event { plan_id: Some(plan.clone()), what });
    }

    /// Something can continue again.
    pub(super) fn forget(&mut self, plan: &PlanFolder<'_>, name: &str) {
        if let Some(memory) = self.plans.get_mut(plan.id()) {
            memory.stuck.remove(name);
        }
    }

    /// Records what has happened, and reports it.
    pub(super) fn happened(
        &mut self,
        plan: &PlanFolder<'_>,
        what: EventKind,
        observe: &mut dyn FnMut(Event),
    ) {
        if let EventKind::PutAside { name, code, detail } = &what {
            self.has_failed = true;
            self.status.note(&format!("{name}: {code}: {detail}"));
        }
        observe(Event { plan_id: Some(plan.id().clone()), what });
    }
}

/// Whether the disk is full, or cannot be written to: nothing else will go better then.
pub(super) fn is_disk(error: &ExecutionError) -> bool {
    match error {
        ExecutionError::File(FileError::Io { source, .. }) | ExecutionError::NotRecorded(source) => {
            refuses(source)
        }
        _ => false,
    }
}

fn refuses(error: &io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<FileError>());
    match inner {
        Some(FileError::Io { source, .. }) => refuses(source),
        _ => files::refuses_writing(error),
    }
}
