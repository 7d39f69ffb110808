//! What is done when the daemon starts: workflows that were in progress are interrupted, as `recovery.rs` says.

use crate::aggregate::carry_out;
use crate::draft::{Draft, Written};
use crate::failure::{Failure, if_readable};
use crate::recovery::is_left_behind;
use crate::runtime::{Runtime, finish};
use aide_core::Command;
use journal::{Agent, JournalExt as _, Query, View, ViewExt as _, Workflow};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// How many workflows share a change, where there may be thousands.
const TOGETHER: usize = 64;

/// The workflows that are marked before a change is made.
pub(crate) struct Unmarked {
    /// Those that the change is about.
    own: Vec<String>,
    /// Others of sessions that it writes a checkpoint of: those of their interruption come before it.
    beside: Vec<String>,
}

impl Unmarked {
    pub(crate) fn is_empty(&self) -> bool {
        self.own.is_empty() && self.beside.is_empty()
    }

    pub(crate) fn without(mut self, known: &BTreeSet<String>) -> Self {
        self.own.retain(|workflow| !known.contains(workflow));
        self.beside.retain(|workflow| !known.contains(workflow));
        self
    }

    pub(crate) fn into_all(self) -> impl Iterator<Item = String> {
        self.own.into_iter().chain(self.beside)
    }
}

impl Runtime {
    /// Recovers after the daemon was down, as a whole.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn recover(&self) -> Result<(), Failure> {
        self.begin_recovery()?;
        self.release_claims()?;
        self.finish_recovery(&mut |_, _| ControlFlow::Continue(())).map(drop)
    }

    /// Begins to recover after the daemon was down: from now on, every workflow that was in progress is left until it is resumed.
    /// Called once, before any client is served; what it writes does not depend on how many workflows there are.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn begin_recovery(&self) -> Result<(), Failure> {
        self.recovering.begin()?;
        // Views show agents as they are in the rows.
        let agents: Vec<Agent> = self.recovering.inner.view()?.find_readable(&Query::agents())?;
        let at_work: BTreeSet<String> = agents.into_iter().filter_map(|agent| agent.workflow).collect();
        self.mark_each(&Vec::from_iter(at_work))
    }

    /// Releases what the previous driver has claimed: its claims would last for a while. Called once, before workflows are driven.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn release_claims(&self) -> Result<(), Failure> {
        Ok(self.journal.release_all()?)
    }

    /// Marks every workflow that was left behind, a few at a time, beside all other work. `report` is called with how many of
    /// them are done, of how many, and says whether to go on; returns whether all are done. Called again after an error, it goes
    /// on.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn finish_recovery(
        &self,
        report: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<bool, Failure> {
        let left = self.recovering.left_behind()?;
        for (number, some) in left.chunks(TOGETHER).enumerate() {
            if report(number * TOGETHER, left.len()).is_break() {
                return Ok(false);
            }
            self.mark_each(some)?;
        }
        self.recovering.end();
        if !left.is_empty() {
            let _ = report(left.len(), left.len());
        }
        Ok(true)
    }

    /// Marks these workflows, where they were left behind. One of which something is not readable is passed over: it stands aside
    /// in the engine as well.
    pub(crate) fn mark_each(&self, workflows: &[String]) -> Result<(), Failure> {
        for some in workflows.chunks(TOGETHER) {
            let Err(failure) = self.mark(some) else { continue };
            if failure.may_pass() {
                return Err(failure);
            }
            for workflow in some {
                match self.mark(std::slice::from_ref(workflow)) {
                    Err(failure) if failure.may_pass() => return Err(failure),
                    Err(failure) => tracing::error!(workflow, error = %failure, "a workflow is passed over"),
                    Ok(()) => {}
                }
            }
        }
        Ok(())
    }

    /// Marks these workflows in one change, where they were left behind.
    pub(crate) fn mark(&self, workflows: &[String]) -> Result<(), Failure> {
        let daemon = self.recovering.daemon();
        self.recovering.inner.write(|tx| {
            // The rows as they are.
            let mut tx = self.recovering.unchanged(tx);
            let mut draft = Draft::new(&tx, &*self.world);
            for id in workflows {
                let Some(mut workflow) = draft.row::<Workflow>(&Workflow::key_of(id))? else { continue };
                if is_left_behind(&workflow, daemon) {
                    carry_out(&mut draft, &mut workflow, Command::Interrupt)?;
                    // Also if that changes nothing of it: what is done from now on is done with this daemon.
                    draft.put(workflow);
                }
            }
            Ok(finish(draft)?.write(&mut tx)?)
        })
    }

    /// Marks a workflow, if it was left behind: before its checkpoints are read, of which that makes one.
    pub(crate) fn mark_one(&self, workflow: &str) -> Result<(), Failure> {
        if self.is_recovering() { self.mark(&[workflow.to_owned()]) } else { Ok(()) }
    }

    /// Marks those of the workflows of a session that were left behind, as [`Self::mark_one`] does.
    pub(crate) fn mark_session(&self, session: &str) -> Result<(), Failure> {
        let Some(daemon) = self.recovering.recovering() else { return Ok(()) };
        let rows = self.recovering.inner.view()?.find_readable(&Query::workflows_of(session))?;
        let left = rows.into_iter().filter(|row| is_left_behind(row, daemon)).map(|row| row.id);
        self.mark_each(&Vec::from_iter(left))
    }

    /// Returns the workflows that must be marked before this is written and are not, as this transaction shows them.
    pub(crate) fn unmarked(&self, view: &dyn View, written: &Written) -> Result<Unmarked, Failure> {
        let (mut own, mut beside) = (Vec::new(), Vec::new());
        let Some(daemon) = self.recovering.recovering() else { return Ok(Unmarked { own, beside }) };
        for id in written.workflows() {
            let row =
                if_readable(view.row::<Workflow>(&Workflow::key_of(&id)).map_err(Failure::from))?.flatten();
            own.extend(row.filter(|row| is_left_behind(row, daemon)).map(|row| row.id));
        }
        for session in written.checkpointed_sessions() {
            let rows = view.find_readable(&Query::workflows_of(&session))?;
            let left = rows.into_iter().filter(|row| is_left_behind(row, daemon)).map(|row| row.id);
            beside.extend(left.filter(|id| !own.contains(id)));
        }
        Ok(Unmarked { own, beside })
    }

    /// Marks workflows before a change. One beside it of which something is not readable does not hold it up.
    pub(crate) fn mark_before(&self, unmarked: &Unmarked) -> Result<(), Failure> {
        self.mark_each(&unmarked.beside)?;
        unmarked.own.chunks(TOGETHER).try_for_each(|some| self.mark(some))
    }

    /// Whether there may be workflows that were left behind and are not marked.
    pub(crate) fn is_recovering(&self) -> bool {
        self.recovering.recovering().is_some()
    }

    /// Those of these rows that were left behind and are not marked in the view that they are of, whether or not all have been
    /// marked since it began.
    pub(crate) fn unmarked_rows<'r>(&self, rows: &'r [Workflow]) -> impl Iterator<Item = &'r Workflow> {
        let daemon = self.recovering.daemon();
        rows.iter().filter(move |row| is_left_behind(row, daemon))
    }
}
