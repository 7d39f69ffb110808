//! Shows what is under way for workflows at this moment.

use crate::active_work::{WorkGuard, WorkItem};
use crate::runtime::Runtime;
use journal::Workflow;
use protocol::workflow::WaitingFor;

impl Runtime {
    /// Shows that something is under way until what is returned is dropped.
    pub(crate) fn begin_work(&self, work: WorkItem) -> WorkGuard<'_> {
        self.active_work.begin(self.now(), work)
    }

    /// Adds the work that is under way for a workflow to what else it waits for.
    pub(crate) fn with_work(
        &self,
        row: &Workflow,
        waiting_for: Option<Vec<WaitingFor>>,
    ) -> Option<Vec<WaitingFor>> {
        if row.state.is_terminal() {
            return waiting_for;
        }
        let ours = self.active_work.of_workflow(&row.id, self.now());
        let all: Vec<WaitingFor> = waiting_for.into_iter().flatten().chain(ours).collect();
        (!all.is_empty()).then_some(all)
    }
}
