//! The documents of a plan: its DAG, its manifest, and the commands of its tasks.

use super::PlanError;
use super::folders::{Folders, read};
use crate::dag::Drafts;
use crate::hash;
use crate::routing::{ActiveDag, active_dag};
use files::{Dir, Identity, json};
use protocol::agent::{Code, Command, Format, Id, Mode, PlanManifest, Sha256, TaskDag};

/// The DAG of a plan.
pub const TASK_DAG: &str = "task_dag.json";
/// Which DAG is the active one.
pub const ACTIVE_DAG_REF: &str = "active_dag_ref.json";
/// What a plan is for.
pub const PLAN_MANIFEST: &str = "plan_manifest.json";
/// Where the commands of a plan lie as their author wrote them.
pub(super) const DRAFTS: &str = "drafts";
/// What the file of such a command ends with.
pub(super) const DRAFT: &str = ".cmd.json";

/// What a plan is.
#[derive(Debug)]
pub struct Documents {
    /// Its active DAG.
    pub active: ActiveDag,
    /// What it is for.
    pub manifest: Option<PlanManifest>,
    /// The commands of its tasks.
    pub drafts: Drafts,
}

/// In which state the files of a plan are: the same ones need not be read again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Stamp([Option<Identity>; 3]);

impl Stamp {
    pub(super) fn read(plan: &Dir) -> Result<Self, files::FileError> {
        Ok(Self([plan.identity(TASK_DAG)?, plan.identity(ACTIVE_DAG_REF)?, plan.identity(PLAN_MANIFEST)?]))
    }
}

/// What keeps a plan from going on.
#[derive(Debug)]
pub enum PauseReason {
    /// The DAG, or what names it, is wrong.
    Dag(Code),
    /// Another document is wrong.
    Other(PlanError),
}

impl<E: Into<PlanError>> From<E> for PauseReason {
    fn from(error: E) -> Self {
        Self::Other(error.into())
    }
}

/// Reads what a plan is.
pub(super) fn documents(plan_id: &Id, plan: Option<&Dir>) -> Result<Documents, PauseReason> {
    let Some(plan) = plan else { return Err(PauseReason::Dag(Code::DagMissing)) };
    let dag = plan.read(TASK_DAG, json::MAX_JSON)?;
    let dag = dag.map(|bytes| (TaskDag::parse(&bytes), hash::sha256(&bytes)));
    let reference = plan.read(ACTIVE_DAG_REF, json::MAX_JSON)?.map(|bytes| Format::parse(&bytes));
    let active = active_dag(plan_id, dag, reference).map_err(PauseReason::Dag)?;
    let manifest = read::<PlanManifest>(plan, PLAN_MANIFEST)?;
    let drafts = match plan.folder_at([DRAFTS, drafts_of(&active.sha256).as_str()])? {
        Some(folder) => drafts(&folder)?,
        None => Drafts::new(),
    };
    Ok(Documents { active, manifest, drafts })
}

/// The folder of the commands for a DAG: those of another one are never taken for them.
pub(super) fn drafts_of(dag: &Sha256) -> String {
    dag.hex()[..16].to_owned()
}

/// Reads the commands in a folder, by their tasks.
pub(super) fn drafts(folder: &Dir) -> Result<Drafts, PlanError> {
    let mut drafts = Drafts::new();
    for name in folder.names()? {
        if !name.ends_with(DRAFT) {
            continue;
        }
        let Some(bytes) = folder.read(&name, json::MAX_JSON)? else { continue };
        let command = Command::parse_for(&bytes, Mode::Direct)
            .map_err(|error| PlanError::Invalid { path: folder.path_of(&name), error })?;
        drafts.insert(command.task_id.clone(), command);
    }
    Ok(drafts)
}

impl Folders {
    /// Reads what a plan is.
    ///
    /// # Errors
    ///
    /// What keeps it from going on.
    pub fn documents(&self, plan: &Id) -> Result<Documents, PauseReason> {
        documents(plan, self.plan(plan)?.as_ref())
    }
}
