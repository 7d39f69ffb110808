//! What a client has begun and asked for itself: by default it answers decisions of nothing else.

use crate::{Client, ClientError};
use protocol::workflow::UserDecisionRequired;
use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// Which decisions a handler answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum DecisionScope {
    /// Those of the workflows that this client has begun or resumed, and those that it has asked for itself.
    #[default]
    Own,
    /// Those of every client of the daemon.
    All,
    /// Those of these workflows, beside its own.
    Of(Vec<String>),
}

/// Workflows and decisions of one client.
pub(crate) struct Ownership {
    known: Mutex<OwnedIds>,
    /// How many requests are on their way that begin something. Changes whenever something was added as well.
    beginning: watch::Sender<usize>,
}

#[derive(Default)]
struct OwnedIds {
    workflows: HashSet<String>,
    decisions: HashSet<String>,
    /// Messages that are answered at the end of their workflow: its name has to be asked for.
    awaited: HashSet<String>,
}

impl Default for Ownership {
    fn default() -> Self {
        Self { known: Mutex::default(), beginning: watch::Sender::new(0) }
    }
}

/// A request that begins something, until its answer was noted.
pub(crate) struct PendingStart<'o>(&'o Ownership);

impl Drop for PendingStart<'_> {
    fn drop(&mut self) {
        self.0.beginning.send_modify(|count| *count = count.saturating_sub(1));
    }
}

/// A message whose answer comes at the end of its workflow, until then.
pub(crate) struct AwaitedMessage<'o>(&'o Ownership, String);

impl Drop for AwaitedMessage<'_> {
    fn drop(&mut self) {
        self.0.known().awaited.remove(&self.1);
    }
}

impl Ownership {
    fn known(&self) -> MutexGuard<'_, OwnedIds> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request that begins something is on its way: nothing is foreign before its answer is there.
    pub(crate) fn begin(&self) -> PendingStart<'_> {
        self.beginning.send_modify(|count| *count += 1);
        PendingStart(self)
    }

    /// A message called `callback` is on its way, whose answer comes at the end of its workflow.
    pub(crate) fn wait_for(&self, callback: String) -> AwaitedMessage<'_> {
        self.known().awaited.insert(callback.clone());
        AwaitedMessage(self, callback)
    }

    pub(crate) fn add_workflow(&self, workflow: String) {
        self.known().workflows.insert(workflow);
    }

    pub(crate) fn add_decision(&self, decision: String) {
        self.known().decisions.insert(decision);
    }

    fn has(&self, asked: &UserDecisionRequired) -> bool {
        let known = self.known();
        let is_of = |workflow: &String| known.workflows.contains(workflow);
        known.decisions.contains(&asked.decision_id) || asked.workflow_id.as_ref().is_some_and(is_of)
    }

    /// Whether a handler of this scope answers `asked`. What is being begun is waited for.
    ///
    /// # Errors
    ///
    /// When the workflow of a message cannot be asked for.
    pub(crate) async fn covers(
        &self,
        scope: &DecisionScope,
        asked: &UserDecisionRequired,
        client: &Client,
    ) -> Result<bool, ClientError> {
        match scope {
            DecisionScope::All => return Ok(true),
            DecisionScope::Of(workflows)
                if asked.workflow_id.as_ref().is_some_and(|of| workflows.contains(of)) =>
            {
                return Ok(true);
            }
            DecisionScope::Own | DecisionScope::Of(_) => {}
        }
        let mut beginning = self.beginning.subscribe();
        loop {
            // What changes from here on is seen below.
            let is_beginning = *beginning.borrow_and_update() > 0;
            if self.has(asked) {
                return Ok(true);
            }
            let awaited: Vec<String> = self.known().awaited.iter().cloned().collect();
            for callback in awaited {
                match client.message(&callback).await {
                    Ok(message) => message.workflow_id.into_iter().for_each(|it| self.add_workflow(it)),
                    // It has not arrived yet, so nothing waits for its workflow.
                    Err(ClientError::Refused { status: 404, .. }) => {}
                    Err(error) => return Err(error),
                }
            }
            if self.has(asked) {
                return Ok(true);
            }
            if !is_beginning || beginning.changed().await.is_err() {
                return Ok(false);
            }
        }
    }
}
