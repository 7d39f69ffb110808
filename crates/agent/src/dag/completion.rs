//! Whether a plan is done (contract/plans §11.6).

use super::gate::{Evidence, GateVerdict, Requirement, judge};
use super::lint::produced_paths;
use super::{Drafts, NodeProgress, StateReason};
use protocol::agent::{
    Deliverable, Id, Node, PlanManifest, RelPath, ReleaseDecision, State, TaskDag, Timestamp,
};
use std::collections::BTreeSet;

/// What tells whether a plan is done.
#[derive(Debug, Clone, Copy)]
pub struct Outcome<'a> {
    /// The DAG.
    pub dag: &'a TaskDag,
    /// What the plan is for.
    pub manifest: &'a PlanManifest,
    /// The commands.
    pub drafts: Option<&'a Drafts>,
    /// How far the tasks have come.
    pub progress: &'a [NodeProgress],
    /// The tasks and outputs that are archived.
    pub archived: &'a BTreeSet<(Id, Id)>,
    /// What was judged.
    pub evidence: &'a [Evidence],
    /// The agents whose judgement counts; `None` if all do.
    pub trusted: Option<&'a BTreeSet<Id>>,
    /// The agents that were alive.
    pub seen: &'a BTreeSet<Id>,
    /// What was decided about the release.
    pub release: Option<ReleaseDecision>,
    /// When the release decision was requested: its timeout counts from here.
    pub release_asked_at: Option<&'a Timestamp>,
    /// The present moment.
    pub now: &'a Timestamp,
}

/// Something for which a plan is not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenItem {
    /// It is not archived.
    NotArchived(String),
    /// It is not accepted.
    NotAccepted(String),
    /// The agent was never alive.
    NeverSeen(Id),
    /// The task has failed, and nothing takes care of that.
    Failed(Id),
    /// It is not decided about the release.
    ReleasePending,
    /// The release was rejected, or not decided in time.
    ReleaseRejected,
}

/// Returns the tasks and outputs that could be a deliverable: an output of this name, or one with a file of this name.
pub(super) fn makers<'a>(
    dag: &'a TaskDag,
    drafts: Option<&Drafts>,
    deliverable: &Deliverable,
) -> Vec<(&'a Node, &'a Id)> {
    let mut makers = Vec::new();
    let from = deliverable.from_task_id.as_ref();
    for node in dag.nodes.iter().filter(|node| from.is_none_or(|from| *from == node.task_id)) {
        for output in &node.outputs {
            let paths = drafts.and_then(|drafts| produced_paths(drafts, &node.task_id, &output.name));
            let is_file = |path: &&str| *path == deliverable.name.as_str();
            // Where the commands do not say which files there will be, the task that is named will know.
            let could_be = drafts.is_none()
                && from.is_some()
                && output.name != *deliverable.name.as_str()
                && deliverable.name.contains('.');
            if output.name == *deliverable.name.as_str()
                || paths.is_some_and(|paths| paths.iter().any(is_file))
                || could_be
            {
                makers.push((node, &output.name));
            }
        }
    }
    makers
}

/// Whether an output of a task is something that the plan is for.
pub(crate) fn is_deliverable(
    dag: &TaskDag,
    manifest: &PlanManifest,
    drafts: &Drafts,
    task: &Id,
    output: &Id,
) -> bool {
    let mut deliverables = manifest.deliverables.iter();
    deliverables.any(|deliverable| {
        makers(dag, Some(drafts), deliverable)
            .iter()
            .any(|(node, name)| node.task_id == *task && **name == *output)
    })
}

/// Returns all for which a plan is not done: nothing if it is.
pub fn open(outcome: &Outcome<'_>) -> Vec<OpenItem> {
    let mut open = Vec::new();
    let mut key_tasks = BTreeSet::new();
    for deliverable in outcome.manifest.deliverables.iter() {
        let name = || deliverable.name.to_string();
        let makers = makers(outcome.dag, outcome.drafts, deliverable);
        key_tasks.extend(makers.iter().map(|(node, _)| &node.task_id));
        let archived: Vec<_> = makers
            .iter()
            .filter(|(node, output)| outcome.archived.contains(&(node.task_id.clone(), (*output).clone())))
            .collect();
        if archived.is_empty() {
            open.push(OpenItem::NotArchived(name()));
        } else if !archived.iter().any(|(node, _)| is_accepted(outcome, deliverable, node)) {
            open.push(OpenItem::NotAccepted(name()));
        }
    }
    let required = outcome.manifest.agents.iter().filter(|agent| agent.required);
    let unseen = required.filter(|agent| !outcome.seen.contains(&agent.agent_id));
    open.extend(unseen.map(|agent| OpenItem::NeverSeen(agent.agent_id.clone())));
    for one in outcome.progress.iter().filter(|one| one.state == State::Failed) {
        if key_tasks.contains(&one.task_id) || !is_handled(outcome, &one.task_id) {
            open.push(OpenItem::Failed(one.task_id.clone()));
        }
    }
    open.extend(release(outcome));
    open
}

/// It is done by its task, with its gate, and what must be shown besides is there.
fn is_accepted(outcome: &Outcome<'_>, deliverable: &Deliverable, maker: &Node) -> bool {
    let progress = outcome.progress.iter().find(|one| one.task_id == maker.task_id);
    if progress.is_none_or(|one| one.state != State::Completed) {
        return false;
    }
    let Some(accept) = &deliverable.accept_if else { return true };
    let files: &[RelPath] = accept.evidence_required.as_deref().unwrap_or_default();
    let requirements: Vec<Requirement> = files.iter().map(Requirement::file).collect();
    let is_about = |one: &&Evidence| one.subject.as_ref().is_none_or(|subject| *subject == maker.task_id);
    let agent_of = |one: &Evidence| outcome.dag.node(&one.task_id).map(|node| &node.assigned_agent_id);
    let is_trusted = |one: &&Evidence| {
        // A task does not count as its own validator.
        let is_own = one.task_id == maker.task_id;
        !is_own
            && outcome
                .trusted
                .is_none_or(|trusted| agent_of(one).is_some_and(|agent| trusted.contains(agent)))
    };
    let needs_trust = accept.validated_by_trusted_validator == Some(true);
    let evidence: Vec<&Evidence> =
        outcome.evidence.iter().filter(is_about).filter(|one| !needs_trust || is_trusted(one)).collect();
    if requirements.is_empty() {
        return !needs_trust || evidence.iter().any(|one| one.passed);
    }
    matches!(judge(&requirements, &evidence), GateVerdict::Passed(_))
}

/// Whether those that depend on a failed task do without it.
fn is_handled(outcome: &Outcome<'_>, failed: &Id) -> bool {
    let mut dependents = outcome
        .progress
        .iter()
        .filter(|one| one.why == StateReason::DependencyFailed(failed.clone()))
        .peekable();
    let needs_it = |node: &&Node| node.depends_on.contains(failed);
    let are_all_over = outcome.dag.nodes.iter().filter(needs_it).all(|node| {
        let progress = outcome.progress.iter().find(|one| one.task_id == node.task_id);
        progress.is_some_and(|one| matches!(one.state, State::Skipped | State::Completed))
    });
    let is_completed_without = outcome.dag.nodes.iter().filter(needs_it).any(|node| {
        outcome.progress.iter().any(|one| one.task_id == node.task_id && one.state == State::Completed)
    });
    are_all_over && (dependents.peek().is_some() || is_completed_without)
}

fn release(outcome: &Outcome<'_>) -> Option<OpenItem> {
    let policies = outcome.manifest.policies.as_ref()?;
    policies.release_gates_required.as_ref()?;
    match outcome.release {
        Some(ReleaseDecision::Approve) => None,
        Some(ReleaseDecision::Reject) => Some(OpenItem::ReleaseRejected),
        None => {
            let gate = policies.timeouts.as_ref().and_then(|timeouts| timeouts.release_gate.as_ref());
            let seconds = gate.and_then(|gate| gate.timeout_seconds);
            let is_late = seconds.zip(outcome.release_asked_at).is_some_and(|(seconds, since)| {
                outcome.now.seconds_since(since) >= i64::try_from(seconds.get()).unwrap_or(i64::MAX)
            });
            // A missing decision never releases a plan.
            Some(if is_late { OpenItem::ReleaseRejected } else { OpenItem::ReleasePending })
        }
    }
}
