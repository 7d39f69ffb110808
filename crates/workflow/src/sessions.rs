//! Sessions and what is said in them.

use crate::draft::{Draft, EventScope};
use crate::failure::Failure;
use crate::ids;
use crate::projects::project;
use journal::{Key, Message, Project, Query, Session, ViewExt as _, Workflow};
use protocol::workflow::{Refusal, SessionCreated, SessionKind};
use std::path::Path;

/// A session that is to begin.
#[derive(Debug, Clone, Default)]
pub struct NewSession {
    /// Its name; by default, the name of its folder.
    pub name: Option<String>,
    /// Its folder: an absolute path.
    pub project_path: Option<String>,
}

pub(crate) fn begin(draft: &mut Draft<'_>, new: &NewSession) -> Result<Session, Failure> {
    let path = new.project_path.as_deref();
    if path.is_some_and(|path| !Path::new(path).is_absolute()) {
        return Err(Refusal::invalid("projectPath must be an absolute path", "projectPath").into());
    }
    let project = path.map(|path| project(draft, path)).transpose()?;
    let usual = || {
        let name = path.and_then(|path| Path::new(path).file_name())?;
        Some(name.to_string_lossy().into_owned())
    };
    let name = new.name.clone().filter(|name| !model::is_blank(name)).or_else(usual);
    let now = draft.now();
    let session = Session {
        id: ids::timed("session", now, draft.world()),
        kind: SessionKind::User,
        name: name.unwrap_or_else(|| "unnamed".to_owned()),
        project,
        paused: false,
        created: now,
        updated: now,
        accessed: now,
        context: "{}".to_owned(),
        version: 0,
    };
    draft.put(session.clone());
    let told = SessionCreated {
        name: session.name.clone(),
        project_path: path.unwrap_or_default().to_owned(),
        message_count: None,
    };
    draft.emit(EventScope { session: Some(&session.id), ..EventScope::default() }, told);
    Ok(session)
}

/// Writes the message with which the user has begun a workflow.
pub(crate) fn put_opening(draft: &mut Draft<'_>, workflow: &Workflow, id: &str) -> Result<(), Failure> {
    let no = last_message(draft, &workflow.session)? + 1;
    draft.put(Message {
        session: workflow.session.clone(),
        no,
        id: id.to_owned(),
        role: "user".to_owned(),
        content: workflow.task.clone(),
        at: draft.now(),
        workflow: Some(workflow.id.clone()),
    });
    Ok(())
}

/// The number of the last message of a session; 0 if there is none.
pub(crate) fn last_message(draft: &Draft<'_>, session: &str) -> Result<i64, Failure> {
    let last = draft.view().first(Query::messages_of(session))?;
    Ok(last.map_or(0, |message| message.no))
}

/// The folder of a session; empty if it has none.
pub(crate) fn root_of(draft: &Draft<'_>, session: &Session) -> Result<String, Failure> {
    let key = session.project.as_deref().map(Project::key_of);
    let project = key.map(|key: Key| draft.look::<Project>(&key)).transpose()?.flatten();
    Ok(project.map_or_else(String::new, |project| project.root))
}

/// Begins a workflow in a session.
pub(crate) fn begin_workflow(draft: &mut Draft<'_>, session: &Session, task: &str) -> Workflow {
    let now = draft.now();
    Workflow::begin(ids::workflow(now, draft.world()), session.id.clone(), task.to_owned(), now)
}
