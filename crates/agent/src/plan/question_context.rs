//! What a person needs to see to decide about work that is not good enough: what its judges have found, and the work.

use super::PlanError;
use super::deliver::EVIDENCE;
use super::documents::Documents;
use super::log::every_line;
use super::turn::Turn;
use crate::cause::shortened;
use crate::dag::{Evidence, Graph};
use files::{Dir, FileError, json};
use protocol::agent::{DeliveryStatus, Extra, Id, PlanContext, RelPath};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// How many issues are listed.
const ISSUES: usize = 20;
/// How much of the work is shown, in characters.
const EXCERPT: usize = 1500;
/// How many of the judged files are named.
const WORKS: usize = 8;
/// How much of a file is read for that, in bytes.
const READ: u64 = 1 << 20;
/// The members of an issue that may say what it is, the first one first.
const WORDS: [&str; 5] = ["text", "message", "description", "title", "summary"];

/// What is shown beside a question about work that is not good enough.
#[derive(Debug, Default)]
pub(super) struct QuestionContext {
    /// In Markdown.
    pub(super) text: Option<String>,
    /// The files that were judged.
    pub(super) files: Vec<Extra>,
}

/// A file that was judged.
struct JudgedFile {
    path: String,
    sha256: String,
    excerpt: Option<String>,
}

impl Turn<'_> {
    /// What was found about the work of `task`, and that work.
    pub(super) fn judged(
        &self,
        task: &Id,
        evidence: &[Evidence],
        documents: &Documents,
    ) -> Result<QuestionContext, PlanError> {
        let Some(plan) = self.folders.plan(self.plan)? else { return Ok(QuestionContext::default()) };
        let mut issues = Vec::new();
        for one in evidence {
            issues.extend(issues_in(&plan, one)?);
        }
        let works = self.works(&plan, &subjects(task, evidence, documents))?;
        let context = PlanContext {
            left_out: issues.len().saturating_sub(ISSUES),
            issues: issues.into_iter().take(ISSUES).collect(),
            works: works.iter().map(|work| (work.path.clone(), work.excerpt.clone())).collect(),
        };
        let text = Some(context.to_string()).filter(|text| !text.is_empty());
        let files = works.into_iter().map(|work| {
            let members =
                [("kind", json!("judged")), ("file", work.path.into()), ("sha256", work.sha256.into())];
            members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
        });
        Ok(QuestionContext { text, files: files.collect() })
    }

    /// The files that these tasks have delivered last.
    fn works(&self, plan: &Dir, tasks: &BTreeSet<Id>) -> Result<Vec<JudgedFile>, PlanError> {
        let mut last = std::collections::BTreeMap::new();
        every_line(plan, |line| {
            let is_its =
                line.task_id.as_deref().is_some_and(|of| tasks.iter().any(|task| task.as_str() == of));
            if is_its && line.status == DeliveryStatus::Delivered && line.output_name.is_some() {
                last.insert((line.task_id.clone(), line.output_name.clone()), line);
            }
        })?;
        let mut works: Vec<JudgedFile> = Vec::new();
        for line in last.into_values() {
            let Some(outbox) = self.folders.outbox(&line.from_agent_id, self.plan)? else { continue };
            for file in line.payload.iter().flat_map(|payload| payload.files.iter().flatten()) {
                let mut way: Vec<&str> = file.path.split('/').collect();
                let Some(name) = way.pop() else { continue };
                let Some(folder) = outbox.folder_at(way)? else { continue };
                let excerpt = match folder.read(name, READ) {
                    Ok(Some(bytes)) => excerpt(&bytes),
                    Ok(None) => continue,
                    Err(FileError::TooLarge { .. }) => None,
                    Err(error) => return Err(error.into()),
                };
                let path = self.in_project(&folder.path_of(name));
                works.push(JudgedFile { path, sha256: file.sha256.to_string(), excerpt });
            }
        }
        works.truncate(WORKS);
        Ok(works)
    }

    /// A path as the user of the project names it.
    fn in_project(&self, path: &Path) -> String {
        let aide = self.folders.agents_path().parent().filter(|folder| folder.ends_with(".aide"));
        let project = aide.and_then(Path::parent);
        let path = project.and_then(|project| path.strip_prefix(project).ok()).unwrap_or(path);
        path.display().to_string()
    }
}

/// The tasks whose work was judged: what a judge that came before the gate was given, else the task of the gate.
fn subjects(task: &Id, evidence: &[Evidence], documents: &Documents) -> BTreeSet<Id> {
    let graph = Graph::new(&documents.active.dag);
    let mut subjects = BTreeSet::new();
    for one in evidence {
        let subject = one.subject.as_ref().and_then(|subject| graph.node(subject));
        match (subject, graph.node(&one.task_id)) {
            (Some(subject), _) => _ = subjects.insert(subject.task_id.clone()),
            (None, Some(judge)) if graph.is_after(task, &judge.task_id) => {
                subjects.extend(judge.depends_on.iter().filter_map(|given| given.parse().ok()));
            }
            _ => _ = subjects.insert(task.clone()),
        }
    }
    subjects
}

/// What a judgement says must become better, each on one line.
fn issues_in(plan: &Dir, evidence: &Evidence) -> Result<Vec<String>, PlanError> {
    let path: &RelPath = &evidence.path;
    let mut way = vec![EVIDENCE, evidence.message_id.as_str()];
    way.extend(path.components());
    let name = way.pop().unwrap_or_default();
    let Some(folder) = plan.folder_at(way)? else { return Ok(Vec::new()) };
    let bytes = match folder.read(name, json::MAX_JSON) {
        Ok(bytes) => bytes.unwrap_or_default(),
        Err(FileError::TooLarge { .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let document: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let issues = document.get("issues").and_then(Value::as_array).into_iter().flatten();
    let words = |issue: &Value| match issue {
        Value::String(text) => text.clone(),
        Value::Object(members) => {
            let known = WORDS.iter().find_map(|key| members.get(*key)?.as_str());
            known.map_or_else(|| issue.to_string(), str::to_owned)
        }
        other => other.to_string(),
    };
    Ok(issues.map(|issue| shortened(&words(issue))).filter(|text| !text.is_empty()).collect())
}

/// The beginning of a text; `None` of what is none.
fn excerpt(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))?.trim_end();
    if text.is_empty() {
        return None;
    }
    Some(match text.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    })
}
