//! The results of a plan: its archived deliverables, or else the outputs of its last tasks.

use super::PlanError;
use super::documents::Documents;
use super::folders::Folders;
use super::log::every_line;
use crate::dag::{Graph, is_deliverable};
use crate::folder::walk;
use crate::hash;
use files::{Dir, FileType};
use protocol::agent::{DeliveryStatus, Id, Sha256};
use std::path::PathBuf;

/// Where the files that plans are for lie, below the system's folder.
pub(super) const ARTIFACTS: &str = "artifacts";

/// A file that a plan has produced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// What people call it: the deliverable that it is, else its output, else its own name.
    pub name: String,
    /// The task that has made it.
    pub task_id: Id,
    /// Which output of the task it is, where the plan says so.
    pub output_name: Option<Id>,
    /// Where it lies in its message.
    pub file: String,
    /// Where it lies on the disk.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// The hash of its bytes.
    pub sha256: Sha256,
    /// Whether it is something that the plan is for.
    pub is_deliverable: bool,
}

impl Folders {
    /// Returns the results of a plan, in the order of its tasks: its deliverables or, as long as there are none, the newest
    /// outputs of the tasks on which no other depends.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn results(&self, plan: &Id) -> Result<Vec<Artifact>, PlanError> {
        let documents = self.documents(plan).ok();
        let archived = self.archived(plan, documents.as_ref())?;
        match documents {
            Some(documents) if archived.is_empty() => self.last_outputs(plan, &documents),
            _ => Ok(archived),
        }
    }

    fn archived(&self, plan: &Id, documents: Option<&Documents>) -> Result<Vec<Artifact>, PlanError> {
        let Some(root) = self.runtime.folder_at([ARTIFACTS, plan.as_str()])? else { return Ok(Vec::new()) };
        let place = |task: &Id| {
            documents.and_then(|it| it.active.dag.nodes.iter().position(|node| node.task_id == *task))
        };
        let mut tasks: Vec<Id> = root
            .entries()?
            .into_iter()
            .filter(|(_, kind)| *kind == FileType::Directory)
            .filter_map(|(name, _)| name.parse().ok())
            .collect();
        tasks.sort_by_key(|task| (place(task).unwrap_or(usize::MAX), task.clone()));
        let mut artifacts = Vec::new();
        for task in tasks {
            let Some(folder) = root.folder(task.as_str())? else { continue };
            for way in walk(&folder)? {
                let file = way.join("/");
                let output = documents.and_then(|documents| output_of(documents, &task, &file));
                let name = documents
                    .and_then(|documents| deliverable_of(documents, &task, output.as_ref(), &file))
                    .or_else(|| output.as_ref().map(ToString::to_string));
                let name = name.unwrap_or_else(|| file.clone());
                artifacts.extend(artifact(&folder, &way, (name, &task, output), true)?);
            }
        }
        Ok(artifacts)
    }

    fn last_outputs(&self, plan: &Id, documents: &Documents) -> Result<Vec<Artifact>, PlanError> {
        let graph = Graph::new(&documents.active.dag);
        let Some(folder) = self.plan(plan)? else { return Ok(Vec::new()) };
        let mut delivered = Vec::new();
        every_line(&folder, |line| {
            if line.status == DeliveryStatus::Delivered && line.output_name.is_some() {
                delivered.push(line);
            }
        })?;
        let mut artifacts = Vec::new();
        for node in documents.active.dag.nodes.iter() {
            if !graph.dependents(&node.task_id).is_empty() {
                continue;
            }
            for output in &node.outputs {
                let is_its = |line: &&protocol::agent::Delivery| {
                    line.task_id.as_deref() == Some(node.task_id.as_str())
                        && line.output_name.as_deref() == Some(output.name.as_str())
                };
                let Some(line) = delivered.iter().rev().find(is_its) else { continue };
                let Some(outbox) = self.outbox(&line.from_agent_id, plan)? else { continue };
                let files = line.payload.iter().flat_map(|payload| payload.files.iter().flatten());
                for file in files {
                    let way: Vec<String> = file.path.split('/').map(str::to_owned).collect();
                    let named = (output.name.to_string(), &node.task_id, Some(output.name.clone()));
                    artifacts.extend(artifact(&outbox, &way, named, false)?);
                }
            }
        }
        Ok(artifacts)
    }
}

/// A file, unless it has gone.
fn artifact(
    root: &Dir,
    way: &[String],
    (name, task_id, output_name): (String, &Id, Option<Id>),
    is_deliverable: bool,
) -> Result<Option<Artifact>, PlanError> {
    let Some((last, folders)) = way.split_last() else { return Ok(None) };
    let Some(folder) = root.folder_at(folders.iter().map(String::as_str))? else { return Ok(None) };
    let Some((sha256, bytes)) = hash::of_file(&folder, last)? else { return Ok(None) };
    Ok(Some(Artifact {
        name,
        task_id: task_id.clone(),
        output_name,
        file: way.join("/"),
        path: folder.path_of(last),
        bytes,
        sha256,
        is_deliverable,
    }))
}

/// The output that a file of a task is: the one whose command makes such a file, else the only one.
fn output_of(documents: &Documents, task: &Id, file: &str) -> Option<Id> {
    let node = documents.active.dag.node(task)?;
    let produces = documents.drafts.get(task).and_then(|draft| draft.produces.as_deref()).unwrap_or_default();
    let made = produces.iter().find(|produced| produced.files.iter().any(|it| it.path.as_str() == file));
    match (made, node.outputs.as_slice()) {
        (Some(made), _) => Some(made.output_name.clone()),
        (None, [only]) => Some(only.name.clone()),
        (None, _) => None,
    }
}

/// The name of the deliverable that a file is, if the manifest has one.
fn deliverable_of(documents: &Documents, task: &Id, output: Option<&Id>, file: &str) -> Option<String> {
    let manifest = documents.manifest.as_ref()?;
    let (dag, drafts) = (&documents.active.dag, &documents.drafts);
    if !is_deliverable(dag, manifest, drafts, task, output?) {
        return None;
    }
    let is_named = |name: &str| name == file || output.is_some_and(|output| name == output.as_str());
    let mut names = manifest.deliverables.iter().map(|deliverable| deliverable.name.to_string());
    names.find(|name| is_named(name))
}
