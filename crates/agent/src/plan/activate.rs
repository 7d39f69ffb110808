//! A plan is installed, and its DAG becomes the active one (contract/plans §10.4).

use super::PlanError;
use super::documents::{ACTIVE_DAG_REF, DRAFT, DRAFTS, PLAN_MANIFEST, TASK_DAG, drafts_of};
use super::folders::{Folders, existing, read};
use crate::clock::Clock;
use crate::dag::{Document, Drafts, Finding, Surroundings, lint, slips};
use crate::document::text;
use crate::hash;
use files::{durable, json};
use model::Found;
use protocol::agent::{
    ActiveDagRef, Command, DagKind, Extra, Format, FormatError, Id, Mode, PlanManifest, Problem, Rule,
    SchemaVersion, Sha256, TaskDag,
};
use std::collections::BTreeSet;
use std::path::Path;

/// Where the history of a plan's DAGs lies.
const HISTORY: &str = "dag_history";
/// Where an author puts the commands.
const COMMANDS: &str = "commands";

/// A plan as its author wrote it.
#[derive(Debug)]
pub struct AuthoredPlan {
    /// Its DAG.
    pub dag: TaskDag,
    /// The bytes of its DAG: their hash is what commands name.
    bytes: Vec<u8>,
    /// What it is for.
    pub manifest: Option<(PlanManifest, Vec<u8>)>,
    /// The commands of its tasks.
    pub drafts: Drafts,
    files: Vec<(Id, Vec<u8>)>,
    /// The misspelt members of its files.
    slips: Vec<Finding>,
}

/// What an author's file has wrong.
#[derive(Debug)]
pub struct InvalidFile {
    /// The file, as it is named in the folder.
    pub file: String,
    /// What is wrong.
    pub error: FormatError,
}

/// The result of reading an author's folder.
#[derive(Debug)]
pub enum ReadOutcome {
    /// The plan.
    Plan(Box<AuthoredPlan>),
    /// There is no DAG in it.
    NoDag,
    /// These files are wrong, and have these misspelt members.
    Wrong(Vec<InvalidFile>, Vec<Finding>),
}

/// The result of an activation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activation {
    /// The plan.
    pub plan_id: Id,
    /// The hash of its DAG.
    pub sha256: Sha256,
    /// Its revision.
    pub revision: u64,
    /// Whether it was the active one already.
    pub was_active: bool,
    /// The tasks of both this plan and the previously active one whose commands differ.
    pub changed: Vec<Id>,
}

/// Reads a plan from the folder of its author: `task_dag.json`, `plan_manifest.json` and one command per task in `commands/`.
///
/// # Errors
///
/// When there is no such folder, and whatever the disk says.
pub fn authored(path: &Path) -> Result<ReadOutcome, PlanError> {
    let dir = existing(path)?;
    let (mut wrong, mut found) = (Vec::new(), Vec::new());
    let mut look = |document, bytes: &[u8]| {
        found.extend(serde_json::from_slice(bytes).map(|value| slips(document, &value)).unwrap_or_default());
    };
    let mut take = |file: &str, error: FormatError| wrong.push(InvalidFile { file: file.to_owned(), error });
    let Some(bytes) = dir.read(TASK_DAG, json::MAX_JSON)? else { return Ok(ReadOutcome::NoDag) };
    look(Document::Dag, &bytes);
    let dag = TaskDag::parse(&bytes).map_err(|error| take(TASK_DAG, error)).ok();
    let manifest = match dir.read(PLAN_MANIFEST, json::MAX_JSON)? {
        None => None,
        Some(bytes) => {
            look(Document::Manifest, &bytes);
            match PlanManifest::parse(&bytes) {
                Ok(manifest) => Some((manifest, bytes)),
                Err(error) => {
                    take(PLAN_MANIFEST, error);
                    None
                }
            }
        }
    };
    let mut drafts = Drafts::new();
    let mut files = Vec::new();
    if let Some(commands) = dir.folder(COMMANDS)? {
        let mut names = commands.names()?;
        names.sort_unstable();
        for name in names.iter().filter(|name| name.ends_with(".json")) {
            let Some(bytes) = commands.read(name, json::MAX_JSON)? else { continue };
            look(Document::Command, &bytes);
            match Command::parse_for(&bytes, Mode::Direct) {
                // Which of the two is issued would be ambiguous.
                Ok(command) if drafts.contains_key(&command.task_id) => {
                    let found = Found::Json(format!("\"{}\"", command.task_id));
                    let problem = Problem { path: "task_id".to_owned(), rule: Rule::IsUnique, found };
                    take(&format!("{COMMANDS}/{name}"), FormatError::Invalid(vec![problem]));
                }
                Ok(command) => {
                    files.push((command.task_id.clone(), bytes));
                    drafts.insert(command.task_id.clone(), command);
                }
                Err(error) => take(&format!("{COMMANDS}/{name}"), error),
            }
        }
    }
    match dag {
        Some(dag) if wrong.is_empty() => Ok(ReadOutcome::Plan(Box::new(AuthoredPlan {
            dag,
            bytes,
            manifest,
            drafts,
            files,
            slips: found,
        }))),
        _ => Ok(ReadOutcome::Wrong(wrong, found)),
    }
}

impl AuthoredPlan {
    /// A plan that was written here: `bytes` are those of its DAG, `files` the commands of its tasks as they are written.
    pub(super) fn new(dag: TaskDag, bytes: Vec<u8>, drafts: Drafts, files: Vec<(Id, Vec<u8>)>) -> Self {
        Self { dag, bytes, manifest: None, drafts, files, slips: Vec::new() }
    }

    /// The hash of its DAG.
    pub fn sha256(&self) -> Sha256 {
        hash::sha256(&self.bytes)
    }

    /// Returns all that is wrong with it among these agents. `misplaced` are the names of agents that are files.
    pub fn lint(&self, agents: &BTreeSet<Id>, misplaced: &BTreeSet<Id>) -> Vec<Finding> {
        let manifest = self.manifest.as_ref().map(|(manifest, _)| manifest);
        let around = Surroundings {
            manifest,
            drafts: Some(&self.drafts),
            agents: Some(agents),
            misplaced: Some(misplaced),
        };
        self.slips.iter().cloned().chain(lint(&self.dag, around)).collect()
    }
}

impl Folders {
    /// Returns all that is wrong with a plan, among the agents that there are.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn lint(&self, plan: &AuthoredPlan) -> Result<Vec<Finding>, PlanError> {
        Ok(plan.lint(&self.agents()?, &BTreeSet::new()))
    }

    /// Installs a plan and makes its DAG the active one. Killed at any moment, either the one before or this one is active, or
    /// the plan pauses until it is activated again; its commands are never those of another DAG.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn activate(
        &self,
        plan: &AuthoredPlan,
        kind: DagKind,
        clock: &dyn Clock,
    ) -> Result<Activation, PlanError> {
        let lock = self.lock()?;
        let plan_id = plan.dag.plan_id.clone();
        let folder = self.ensure(["plans", plan_id.as_str()])?;
        let sha256 = plan.sha256();
        let before = read::<ActiveDagRef>(&folder, ACTIVE_DAG_REF).ok().flatten();
        let now = clock.now();
        let changed = self.changed(plan, before.as_ref())?;
        let drafts = folder.ensure_folders([DRAFTS, drafts_of(&sha256).as_str()])?;
        let wanted: Vec<String> = plan.files.iter().map(|(task, _)| format!("{task}{DRAFT}")).collect();
        for name in drafts.names()?.iter().filter(|name| name.ends_with(DRAFT) && !wanted.contains(name)) {
            durable::remove(&lock, &drafts, name)?;
        }
        for ((_, bytes), name) in plan.files.iter().zip(&wanted) {
            durable::replace(&lock, &drafts, name, bytes)?;
        }
        if let Some((_, bytes)) = &plan.manifest {
            durable::replace(&lock, &folder, PLAN_MANIFEST, bytes)?;
        } else if folder.kind(PLAN_MANIFEST)?.is_some() {
            // That of the plan before says nothing about this one.
            durable::remove(&lock, &folder, PLAN_MANIFEST)?;
        }
        let old = folder.read(TASK_DAG, json::MAX_JSON)?;
        let same = old.as_ref().is_some_and(|old| *old == plan.bytes);
        if let Some(old) = old.filter(|_| !same) {
            let history = folder.ensure_folder(HISTORY)?;
            let old_sha = hash::sha256(&old);
            let stamp: String = now.as_str().chars().filter(|c| !matches!(c, '-' | ':' | '.')).collect();
            let is_kept = history.names()?.iter().any(|name| name.contains(&old_sha.hex()[..16]));
            if !is_kept {
                let name = format!("task_dag.{stamp}.{}.json", &old_sha.hex()[..16]);
                durable::publish_once(&lock, &history, &name, &old)?;
            }
        }
        let was_active = same && before.as_ref().is_some_and(|before| before.task_dag_sha256 == sha256);
        let revision_before = before.as_ref().and_then(|before| before.task_dag_revision);
        let revision =
            if was_active { revision_before.unwrap_or(1) } else { revision_before.unwrap_or(0) + 1 };
        if !same {
            durable::replace(&lock, &folder, TASK_DAG, &plan.bytes)?;
        }
        let is_named = was_active && before.is_some_and(|before| before.dag_kind == kind);
        if !is_named {
            let reference = ActiveDagRef {
                schema_version: SchemaVersion::CURRENT,
                plan_id: plan_id.clone(),
                dag_kind: kind,
                task_dag_sha256: sha256,
                task_dag_revision: Some(revision),
                updated_at: now,
                notes: None,
                extra: Extra::new(),
            };
            durable::replace(&lock, &folder, ACTIVE_DAG_REF, &text(&reference)?)?;
        }
        Ok(Activation { plan_id, sha256, revision, was_active, changed })
    }

    /// The tasks whose commands differ from those of the active DAG.
    fn changed(&self, plan: &AuthoredPlan, active: Option<&ActiveDagRef>) -> Result<Vec<Id>, PlanError> {
        let Some(active) = active else { return Ok(Vec::new()) };
        let way = ["plans", plan.dag.plan_id.as_str(), DRAFTS, &drafts_of(&active.task_dag_sha256)];
        let Some(before) = self.runtime.folder_at(way)? else { return Ok(Vec::new()) };
        let mut changed = Vec::new();
        for (task, bytes) in &plan.files {
            let Some(old) = before.read(&format!("{task}{DRAFT}"), json::MAX_JSON)? else { continue };
            let content = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).ok();
            if content(&old) != content(bytes) {
                changed.push(task.clone());
            }
        }
        Ok(changed)
    }
}
