//! What a person was told of open questions, in the folder of the person's state: a later server does not tell it again, and takes
//! it back once they have ended. It holds what was asked, and neither tickets nor tokens.

use files::{Dir, FileError, FileFormat, Lock, durable};
use model::SessionId;
use notice::NoticeContent;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Below the folder for state of this user's programs.
const FOLDERS: [&str; 2] = ["aide", "notices"];
/// How large a record may be, in bytes.
const LIMIT: u64 = 64 << 10;
const SUFFIX: &str = ".json";
/// The format of a record.
const FORMAT: FileFormat = FileFormat::FIRST;

/// The records of one user.
#[derive(Debug, Clone)]
pub(super) struct RecordStore {
    folder: Option<PathBuf>,
}

/// What was told of one set of questions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Record {
    /// The folder of the project; `None` for questions of workflows, and where its name is no UTF-8.
    pub(super) project: Option<PathBuf>,
    /// The name of the set.
    pub(super) session: String,
    /// The name of the notice.
    pub(super) id: String,
    /// Whether the person, or the asker, wanted no notice.
    pub(super) is_silent: bool,
    /// Whether the person has looked at the page.
    pub(super) is_looked_at: bool,
    /// How the questions have ended, once a server has seen it.
    pub(super) ended: Option<String>,
    /// What the person was told last.
    pub(super) content: NoticeContent,
    /// The steps that were begun.
    pub(super) steps: Vec<StepRecord>,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StepRecord {
    /// Its place in the configuration, from 0.
    pub(super) step: usize,
    /// Its channel.
    pub(super) how: String,
    /// What is needed to take it back; `None` while it is under way.
    pub(super) handle: Option<String>,
}

impl RecordStore {
    /// Those below `state`, the person's folder for the state of programs.
    pub(super) fn below(state: Option<PathBuf>) -> Self {
        Self { folder: state.map(|state| state.join(FOLDERS.iter().collect::<PathBuf>())) }
    }

    /// The name of the record of the set `session` in `project`.
    pub(super) fn name(project: Option<&Path>, session: &SessionId) -> String {
        let place = project.map_or_else(
            || "workflow".to_owned(),
            |project| workflow::project_id(&project.to_string_lossy()),
        );
        format!("{place}-{session}")
    }

    /// Returns the record `name`; `None` where there is none that can be read.
    pub(super) fn load(&self, name: &str) -> Option<Record> {
        let folder = Dir::open(self.folder.as_deref()?).ok()?;
        Record::from_json(&read(&folder, &format!("{name}{SUFFIX}")).ok()??)
    }

    /// The names of all records.
    pub(super) fn names(&self) -> Vec<String> {
        let folder = self.folder.as_deref().and_then(|folder| Dir::open(folder).ok());
        let names = folder.and_then(|folder| folder.names().ok()).unwrap_or_default();
        names.iter().filter_map(|name| name.strip_suffix(SUFFIX).map(str::to_owned)).collect()
    }

    /// Keeps a record. Without a folder for it, a later server tells the person again.
    pub(super) fn save(&self, name: &str, record: &Record) {
        let Some(folder) = &self.folder else { return };
        let save = || -> Result<(), FileError> {
            let folder = Dir::ensure(folder)?;
            let lock = Lock::take(&folder)?;
            let (file, text) = (format!("{name}{SUFFIX}"), format!("{}\n", record.to_json()));
            // What a later program has kept stays as it is.
            read(&folder, &file)?;
            durable::replace(&lock, &folder, &file, text.as_bytes())
        };
        if let Err(error) = save() {
            tracing::debug!(%error, "cannot save the notice sent to the user");
        }
    }

    /// Removes the record `name`. Whether it was there: of several that remove it, one does.
    pub(super) fn remove(&self, name: &str) -> bool {
        let folder = self.folder.as_deref().and_then(|folder| Dir::open(folder).ok());
        folder.is_some_and(|folder| folder.unlink(&format!("{name}{SUFFIX}")).unwrap_or_default())
    }
}

/// The document in `file`; `None` where there is none that can be read.
///
/// # Errors
///
/// When a later program has written it.
fn read(folder: &Dir, file: &str) -> Result<Option<Value>, FileError> {
    let bytes = folder.read(file, LIMIT).ok().flatten();
    let document = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    document.map(|document| FORMAT.known(&folder.path_of(file), document)).transpose()
}

impl Record {
    fn from_json(value: &Value) -> Option<Self> {
        let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
        let is = |name: &str| value.get(name).and_then(Value::as_bool).unwrap_or_default();
        let steps = value.get("told").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let steps = steps.iter().filter_map(|step| {
            Some(StepRecord {
                step: usize::try_from(step.get("step")?.as_u64()?).ok()?,
                how: step.get("how")?.as_str()?.to_owned(),
                handle: step.get("handle").and_then(Value::as_str).map(str::to_owned),
            })
        });
        Some(Self {
            project: text("project").map(PathBuf::from),
            session: text("session_id")?,
            id: text("id")?,
            is_silent: is("silent"),
            is_looked_at: is("looked_at"),
            ended: text("ended"),
            content: value.get("said").map(content_of).unwrap_or_default(),
            steps: steps.collect(),
        })
    }

    fn to_json(&self) -> Value {
        let steps: Vec<_> = self
            .steps
            .iter()
            .map(|step| json!({ "step": step.step, "how": step.how, "handle": step.handle }))
            .collect();
        FORMAT.object([
            ("project", self.project.as_ref().and_then(|project| project.to_str()).into()),
            ("session_id", self.session.as_str().into()),
            ("id", self.id.as_str().into()),
            ("silent", self.is_silent.into()),
            ("looked_at", self.is_looked_at.into()),
            ("ended", self.ended.as_deref().into()),
            ("said", content_json(&self.content)),
            ("told", steps.into()),
        ])
    }
}

fn content_of(value: &Value) -> NoticeContent {
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    NoticeContent {
        title: text("title"),
        task: text("task"),
        text: text("text"),
        items: text("items"),
        project: text("project"),
        url: text("url"),
    }
}

fn content_json(content: &NoticeContent) -> Value {
    let NoticeContent { title, task, text, items, project, url } = content;
    json!({ "title": title, "task": task, "text": text, "items": items, "project": project, "url": url })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]
mod tests {
    use super::{NoticeContent, Record, RecordStore, StepRecord};

    #[test]
    fn a_record_is_kept_as_it_is_and_removed_once() {
        let state = tempfile::tempdir().unwrap();
        let kept = RecordStore::below(Some(state.path().to_owned()));
        assert_eq!((kept.load("a"), kept.names()), (None, Vec::new()));
        let steps = vec![
            StepRecord { step: 0, how: "desktop".to_owned(), handle: Some("7".to_owned()) },
            StepRecord { step: 2, how: "ntfy".to_owned(), handle: None },
        ];
        let record = Record {
            project: Some("/p q".into()),
            session: "2025-01-15T10-30-00".to_owned(),
            id: "aide-1".to_owned(),
            is_silent: true,
            is_looked_at: false,
            ended: Some("answered".to_owned()),
            content: NoticeContent {
                title: "1 question".to_owned(),
                task: "Ship it?".to_owned(),
                text: "Ship it?\nhttp://x".to_owned(),
                items: "1".to_owned(),
                project: "q".to_owned(),
                url: "http://x".to_owned(),
            },
            steps,
        };
        kept.save("a", &record);
        kept.save("b", &Record { project: None, ended: None, ..record.clone() });
        assert_eq!(kept.load("a"), Some(record));
        let mut names = kept.names();
        names.sort();
        assert_eq!(names, ["a", "b"]);
        assert!(kept.remove("a") && !kept.remove("a"));
        assert!(!RecordStore::below(None).remove("b"));
    }
}
