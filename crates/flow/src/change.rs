//! What is asked for, and the change of phase that it comes to.

use crate::error::FlowError;
use model::flow::{Action, FlowStatus, Phases};

/// What is to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The action.
    pub action: Action,
    /// The phase to enter: of `start`, `next-part` and `back-part`.
    pub phase: Option<String>,
    /// What for.
    pub summary: String,
}

/// From which phase to which.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) action: Action,
    /// `None` when a task begins.
    pub(crate) from: Option<String>,
    pub(crate) to: String,
}

impl Change {
    pub(crate) fn new(
        request: &Request,
        phases: Phases<'_>,
        present: Option<&FlowStatus>,
    ) -> Result<Self, FlowError> {
        let action = request.action;
        let wanted = || request.phase.clone().unwrap_or_default();
        if action == Action::Start {
            let to = wanted();
            phases.position(&to).map_err(FlowError::Phase)?;
            return Ok(Self { action, from: None, to });
        }
        let from = present.ok_or(FlowError::NoTask)?.current_phase.clone();
        // The configuration may have changed since.
        phases.position(&from).map_err(FlowError::Phase)?;
        let to = match action {
            Action::NextPart => {
                let to = wanted();
                phases.check_next(&from, &to).map_err(FlowError::Phase)?;
                to
            }
            Action::BackPart => {
                let to = wanted();
                phases.check_back(&from, &to).map_err(FlowError::Phase)?;
                to
            }
            _ => from.clone(),
        };
        Ok(Self { action, from: Some(from), to })
    }

    /// Whether the phase is another one afterwards.
    pub(crate) fn enters(&self) -> bool {
        self.from.as_ref() != Some(&self.to)
    }
}
