//! Whole lists at once, read page by page as the program reads them. Tests of other crates use this file as well.

use protocol::workflow::api::{ResumableSession, SessionView, StateSnapshot, WorkflowSummary};
use std::ops::ControlFlow;
use workflow::{Failure, ListRange, Runtime, TakePage, WorkflowFilter};

/// Everything that a list gives.
fn whole<T>(
    read: impl FnOnce(&ListRange, &mut TakePage<'_, T>) -> Result<Option<String>, Failure>,
) -> Result<Vec<T>, Failure> {
    let mut all = Vec::new();
    let next = read(&ListRange::all(), &mut |page| {
        all.extend(page);
        ControlFlow::Continue(())
    })?;
    assert_eq!(next, None, "nothing comes behind a whole list");
    Ok(all)
}

/// A runtime that gives whole lists.
pub(crate) trait WholeLists {
    fn workflows(&self) -> Result<Vec<WorkflowSummary>, Failure> {
        self.workflows_sought(&WorkflowFilter::default())
    }

    fn workflows_sought(&self, sought: &WorkflowFilter) -> Result<Vec<WorkflowSummary>, Failure>;

    fn states(&self) -> Result<Vec<StateSnapshot>, Failure>;

    fn sessions(&self) -> Result<Vec<SessionView>, Failure>;

    fn resumable(&self) -> Result<Vec<ResumableSession>, Failure>;
}

impl WholeLists for Runtime {
    fn workflows_sought(&self, sought: &WorkflowFilter) -> Result<Vec<WorkflowSummary>, Failure> {
        whole(|range, take| self.read_workflows(sought, range, take))
    }

    fn states(&self) -> Result<Vec<StateSnapshot>, Failure> {
        whole(|range, take| self.read_states(range, take))
    }

    fn sessions(&self) -> Result<Vec<SessionView>, Failure> {
        whole(|range, take| self.read_sessions(range, take))
    }

    fn resumable(&self) -> Result<Vec<ResumableSession>, Failure> {
        whole(|range, take| self.read_resumable(range, take))
    }
}
