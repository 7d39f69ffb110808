//! Which DAG is the active one (contract/plans §10.4).

use model::Found;
use protocol::agent::{ActiveDagRef, Code, DagKind, FormatError, Id, Problem, Sha256, TaskDag};

/// The active DAG of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct ActiveDag {
    /// The DAG.
    pub dag: TaskDag,
    /// The hash of its file.
    pub sha256: Sha256,
    /// Its revision.
    pub revision: Option<u64>,
    /// What it is for; `None` if nothing names it the active one, which is worth a warning.
    pub kind: Option<DagKind>,
}

/// Returns the active DAG: the one in `task_dag.json`, which has this hash, if `active_dag_ref.json` names it.
///
/// # Errors
///
/// `DAG_MISSING`, `DAG_SCHEMA_VERSION_UNSUPPORTED`, `DAG_TASK_NO_ASSIGNEE`, `DAG_INVALID`, `ACTIVE_DAG_REF_INVALID` or
/// `ACTIVE_DAG_REF_MISMATCH`: the plan pauses. A mismatch is expected for a moment while another DAG becomes active.
pub fn active_dag(
    plan_id: &Id,
    dag: Option<(Result<TaskDag, FormatError>, Sha256)>,
    reference: Option<Result<ActiveDagRef, FormatError>>,
) -> Result<ActiveDag, Code> {
    let (dag, sha256) = dag.ok_or(Code::DagMissing)?;
    let dag = dag.map_err(|error| match error.code() {
        Code::DagSchemaVersionUnsupported => Code::DagSchemaVersionUnsupported,
        _ if lacks_assignee(&error) => Code::DagTaskNoAssignee,
        _ => Code::DagInvalid,
    })?;
    if dag.plan_id != *plan_id || crate::dag::Graph::new(&dag).order().is_none() {
        return Err(Code::DagInvalid);
    }
    let Some(reference) = reference else { return Ok(ActiveDag { dag, sha256, revision: None, kind: None }) };
    let reference = reference.map_err(|_| Code::ActiveDagRefInvalid)?;
    if reference.plan_id != *plan_id {
        return Err(Code::ActiveDagRefInvalid);
    }
    if reference.task_dag_sha256 != sha256 {
        return Err(Code::ActiveDagRefMismatch);
    }
    Ok(ActiveDag { dag, sha256, revision: reference.task_dag_revision, kind: Some(reference.dag_kind) })
}

/// Whether nothing is wrong with a DAG but that tasks have no agent.
fn lacks_assignee(error: &FormatError) -> bool {
    let FormatError::Invalid(problems) = error else { return false };
    let is_absent =
        |problem: &Problem| problem.path.ends_with(".assigned_agent_id") && problem.found == Found::Missing;
    !problems.is_empty() && problems.iter().all(is_absent)
}
