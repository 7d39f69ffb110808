//! What is under way for workflows at this moment: providers that were asked, tools that run, agents with folders that work.
//!
//! It is kept in memory only, since it ends with the daemon. Views of a workflow's state have it; there are no events, since each
//! would cost a commit.

use crate::draft::iso;
use journal::Millis;
use llm::Activity;
use protocol::workflow::{ToolName, WaitingFor, WorkflowState};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Something that a workflow waits for.
#[derive(Debug)]
pub(crate) struct WorkItem {
    pub(crate) workflow: String,
    pub(crate) phase: WorkflowState,
    pub(crate) task: Option<String>,
    pub(crate) agent: String,
    pub(crate) kind: WorkKind,
}

/// What kind of work.
#[derive(Debug)]
pub(crate) enum WorkKind {
    /// A provider was asked.
    Model { provider: String, activity: Activity },
    /// A tool runs.
    Tool(ToolName),
    /// The agent has a folder of its own, and has taken the task.
    Errand,
}

/// All that is under way, by a number that is used once.
#[derive(Debug, Default)]
pub(crate) struct ActiveWork(Mutex<WorkTable>);

#[derive(Debug, Default)]
struct WorkTable {
    last: u64,
    works: BTreeMap<u64, (Millis, WorkItem)>,
}

/// Ends the work when it is dropped.
#[derive(Debug)]
pub(crate) struct WorkGuard<'u> {
    active_work: &'u ActiveWork,
    number: u64,
}

impl Drop for WorkGuard<'_> {
    fn drop(&mut self) {
        self.active_work.lock().works.remove(&self.number);
    }
}

impl ActiveWork {
    pub(crate) fn begin(&self, now: Millis, work: WorkItem) -> WorkGuard<'_> {
        let mut works = self.lock();
        works.last += 1;
        let number = works.last;
        works.works.insert(number, (now, work));
        WorkGuard { active_work: self, number }
    }

    /// The work that is under way for a workflow.
    pub(crate) fn of_workflow(&self, workflow: &str, now: Millis) -> Vec<WaitingFor> {
        let works = self.lock();
        let ours = works.works.values().filter(|(_, work)| work.workflow == workflow);
        ours.map(|(since, work)| describe(work, *since, now)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, WorkTable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn describe(work: &WorkItem, since: Millis, now: Millis) -> WaitingFor {
    let about = WaitingFor {
        agent_id: Some(work.agent.clone()),
        phase: Some(work.phase),
        task_id: work.task.clone(),
        since: Some(iso(since)),
        ..WaitingFor::default()
    };
    match &work.kind {
        WorkKind::Tool(name) => {
            WaitingFor { kind: "tool".to_owned(), name: Some(name.name().to_owned()), ..about }
        }
        WorkKind::Errand => WaitingFor { kind: "errand".to_owned(), ..about },
        WorkKind::Model { provider, activity } => {
            let about = WaitingFor { kind: "model".to_owned(), name: Some(provider.clone()), ..about };
            let Some(in_flight) = activity.current() else { return about };
            let (error, retry_at) =
                in_flight.retry.map(|(error, at)| (error, iso(now + millis_to(at)))).unzip();
            WaitingFor {
                model: in_flight.model,
                characters: Some(in_flight.received.characters).filter(|count| *count > 0),
                tokens: in_flight.received.output_tokens,
                attempt: Some(u64::from(in_flight.attempt)).filter(|attempt| *attempt > 1),
                error,
                retry_at,
                ..about
            }
        }
    }
}

/// How long it is until then.
fn millis_to(at: Instant) -> Millis {
    Millis::try_from(at.saturating_duration_since(Instant::now()).as_millis()).unwrap_or(Millis::MAX)
}
