//! The provider's answer that an executor waits for, for those who wait for the executor.

use llm::{Activity, Cancellation, InFlight, Ledger, LlmError, Provider, Reply, Request};
use protocol::agent::Id;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The call that is under way, if there is one. Clones share it, so another thread can look at it.
#[derive(Debug, Clone, Default)]
pub struct CurrentCall {
    activity: Activity,
    task: Arc<Mutex<Option<(Id, Id)>>>,
}

/// A provider that was asked for a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelCall {
    /// The plan that the command belongs to.
    pub plan_id: Id,
    /// The task of the command.
    pub task_id: Id,
    /// What the provider does.
    pub in_flight: InFlight,
}

impl CurrentCall {
    /// Returns the call that is under way; `None` while there is none.
    pub fn get(&self) -> Option<ModelCall> {
        let (plan_id, task_id) = self.task().clone()?;
        Some(ModelCall { plan_id, task_id, in_flight: self.activity.current()? })
    }

    /// Asks `provider` for a command of this task, and shows it here meanwhile.
    pub(crate) fn ask(
        &self,
        (plan_id, task_id): (&Id, &Id),
        provider: &dyn Provider,
        (request, ledger): (&Request, &dyn Ledger),
        cancellation: &Cancellation,
    ) -> Result<Reply, LlmError> {
        *self.task() = Some((plan_id.clone(), task_id.clone()));
        let asked = self.activity.ask(provider, request, ledger, cancellation);
        *self.task() = None;
        asked
    }

    fn task(&self) -> MutexGuard<'_, Option<(Id, Id)>> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
