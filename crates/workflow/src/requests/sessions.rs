//! Requests about sessions and what is said in them.

use crate::draft::{Draft, EventScope, iso};
use crate::failure::Failure;
use crate::lists::{ListKey, ListRange, TakePage};
use crate::removal::{remove_session, remove_workflow};
use crate::runtime::{RequestKey, Runtime};
use crate::sessions::{NewSession, begin, last_message, root_of};
use crate::{ids, lists, rows};
use journal::{Count, Message, Query, Session, View, ViewExt as _};
use protocol::workflow::api::{MessageView, SessionView, WorkflowAnswer};
use protocol::workflow::{SessionCompressed, SessionPaused, UserMessage};
use serde_json::{Map, Value, json};
use std::collections::{BTreeSet, HashMap};

/// The names of the lists in their cursors.
const SESSIONS: &str = "sessions";
const MESSAGES: &str = "messages";

/// What says nothing but that it was done.
#[derive(serde::Serialize)]
struct Success {
    success: bool,
}

impl Runtime {
    /// Begins a session.
    ///
    /// # Errors
    ///
    /// When it must not, or cannot be written.
    pub fn create_session(&self, request: Option<&RequestKey>, new: &NewSession) -> Result<String, Failure> {
        self.act(request, |draft| {
            let session = begin(draft, new)?;
            let path = new.project_path.clone().unwrap_or_default();
            Ok(view_of(&session, path, 0, Vec::new()))
        })
    }

    /// Pauses a session: nothing is begun in it until it is resumed.
    ///
    /// # Errors
    ///
    /// When it must not, or cannot be written.
    pub fn pause_session(&self, request: Option<&RequestKey>, id: &str) -> Result<String, Failure> {
        self.act(request, |draft| {
            let mut session = rows::session(draft, id)?;
            if !session.paused {
                session.paused = true;
                session.updated = draft.now();
                draft.put(session);
                draft.emit(
                    EventScope { session: Some(id), ..EventScope::default() },
                    SessionPaused { reason: None },
                );
            }
            Ok(Success { success: true })
        })
    }

    /// Records a message in a session, without a particular recipient.
    ///
    /// # Errors
    ///
    /// When there is no such session, or it cannot be written.
    pub fn add_message(
        &self,
        request: Option<&RequestKey>,
        session: &str,
        role: &str,
        content: &str,
    ) -> Result<String, Failure> {
        self.act(request, |draft| {
            let mut row = rows::session(draft, session)?;
            row.updated = draft.now();
            row.accessed = draft.now();
            draft.put(row);
            let id = ids::timed("msg", draft.now(), draft.world());
            let message = Message {
                session: session.to_owned(),
                no: last_message(draft, session)? + 1,
                id,
                role: role.to_owned(),
                content: content.to_owned(),
                at: draft.now(),
                workflow: None,
            };
            draft.put(message.clone());
            if role == "user" {
                let (message_id, content) = (message.id.clone(), message.content.clone());
                let told = UserMessage { message_id, content, attachments: None };
                draft.emit(EventScope { session: Some(session), ..EventScope::default() }, told);
            }
            Ok(message_view(message))
        })
    }

    /// Records that a session is being worked in: it is the current one.
    ///
    /// # Errors
    ///
    /// When there is no such session, or it cannot be written.
    pub fn enter_session(&self, request: Option<&RequestKey>, id: &str) -> Result<String, Failure> {
        self.act(request, |draft| {
            let mut session = rows::session(draft, id)?;
            session.accessed = draft.now();
            draft.put(session);
            Ok(json!({ "success": true, "sessionId": id }))
        })
    }

    /// Removes a session, with its messages, checkpoints and workflows. Its events stay as long as all do.
    ///
    /// # Errors
    ///
    /// When there is no such session, when one of its workflows has not ended, or when it cannot be written.
    pub fn delete_session(&self, request: Option<&RequestKey>, id: &str) -> Result<String, Failure> {
        self.act(request, |draft| {
            remove_session(draft, id)?;
            Ok(Success { success: true })
        })
    }

    /// Removes a workflow that has ended, with its tasks, steps, decisions and checkpoints, and its session if nothing else
    /// belongs to that. Its events stay as long as all events do; its decisions stay in the history of its project.
    ///
    /// # Errors
    ///
    /// When there is no such workflow, when it has not ended or a decision of it is open, or when it cannot be written.
    pub fn delete_workflow(&self, request: Option<&RequestKey>, id: &str) -> Result<String, Failure> {
        // One whose time is up is not open.
        self.expire_decisions()?;
        self.act(request, |draft| {
            remove_workflow(draft, id)?;
            Ok(WorkflowAnswer {
                success: true,
                workflow_id: id.to_owned(),
                status: None,
                state: None,
                ask_resolution: None,
            })
        })
    }

    /// Forgets all but the last messages of a session; how each of them began stays in what is known of the session.
    ///
    /// # Errors
    ///
    /// When there is no such session, or it cannot be written.
    pub fn compress_session(&self, request: Option<&RequestKey>, id: &str) -> Result<String, Failure> {
        const KEPT: usize = 20;
        const BEGINNING: usize = 200;
        self.act(request, |draft| {
            let mut session = rows::session(draft, id)?;
            let mut messages = draft.find(&Query::messages_of(id))?;
            messages.reverse();
            let (original_size, old) = (messages.len(), messages.len().saturating_sub(KEPT));
            let mut context: Map<String, Value> = serde_json::from_str(&session.context).unwrap_or_default();
            let known = context.get("summary").and_then(Value::as_str).unwrap_or_default();
            let mut summary = known.to_owned();
            for message in &messages[..old] {
                let beginning: String = message.content.chars().take(BEGINNING).collect();
                summary.push_str(&format!("{}: {beginning}\n", message.role));
                draft.remove(Message::key_of(id, message.no));
            }
            let compressed_size = original_size - old;
            if old > 0 {
                context.insert("summary".to_owned(), Value::from(summary.clone()));
                session.context = Value::Object(context).to_string();
                session.updated = draft.now();
                draft.put(session);
                let (original_size, compressed_size) = (original_size as u64, compressed_size as u64);
                let told = SessionCompressed { original_size, compressed_size, summary };
                draft.emit(EventScope { session: Some(id), ..EventScope::default() }, told);
            }
            Ok(json!({ "success": true, "originalSize": original_size, "compressedSize": compressed_size }))
        })
    }

    /// Returns the context of a session: a JSON object.
    ///
    /// # Errors
    ///
    /// When there is no such session, or it cannot be read.
    pub fn session_context(&self, id: &str) -> Result<Value, Failure> {
        let view = self.journal.view()?;
        let session = rows::session(&Draft::new(&*view, &*self.world), id)?;
        Ok(serde_json::from_str(&session.context).unwrap_or_default())
    }

    /// Returns the session that was worked in last, if there is any.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    pub fn current_session(&self) -> Result<SessionView, Failure> {
        let sessions = self.journal.view()?.find(&Query::sessions())?;
        let current = sessions.into_iter().max_by_key(|session| (session.accessed, session.created));
        self.session(&current.ok_or_else(rows::session_missing)?.id)
    }

    /// Reads the sessions, or a part of them, what changed last first, page by page as of one moment. Returns the cursor of what
    /// comes behind it.
    ///
    /// # Errors
    ///
    /// When they cannot be read, and when the cursor is not one of this list.
    pub fn read_sessions(
        &self,
        range: &ListRange,
        take: &mut TakePage<'_, SessionView>,
    ) -> Result<Option<String>, Failure> {
        let view = lists::view(&*self.journal, range)?;
        let make = |sessions: &[Session]| {
            Ok(views_of(&*view, sessions)?.into_iter().map(|view| vec![view]).collect())
        };
        lists::read(&*view, &ListKey::new(SESSIONS, &[]), &Query::sessions(), range, make, take)
    }

    /// Returns a session.
    ///
    /// # Errors
    ///
    /// When there is none, or it cannot be read.
    pub fn session(&self, id: &str) -> Result<SessionView, Failure> {
        let view = self.journal.view()?;
        let draft = Draft::new(&*view, &*self.world);
        let session = rows::session(&draft, id)?;
        let workflows = view.find(&Query::workflows_of(id))?;
        let active = workflows.into_iter().filter(|workflow| !workflow.state.is_terminal());
        let active = active.map(|workflow| workflow.id).collect();
        Ok(view_of(&session, root_of(&draft, &session)?, rows::message_count(&*view, id)?, active))
    }

    /// Returns what was said last in a session, as it was said.
    ///
    /// # Errors
    ///
    /// When there is none, or it cannot be read.
    pub fn messages(&self, id: &str, limit: u32) -> Result<Vec<MessageView>, Failure> {
        Ok(self.part_of_messages(id, &ListRange { limit: Some(limit), cursor: None })?.0)
    }

    /// Returns the last messages of a session, or the last ones before a cursor, as they were said, and the cursor of what was
    /// said before those.
    ///
    /// # Errors
    ///
    /// When there is no such session, when the cursor is not one of this list, or it cannot be read.
    pub fn part_of_messages(
        &self,
        id: &str,
        range: &ListRange,
    ) -> Result<(Vec<MessageView>, Option<String>), Failure> {
        let view = self.journal.view()?;
        rows::session(&Draft::new(&*view, &*self.world), id)?;
        let list = ListKey::new(MESSAGES, &[("session", Some(id))]);
        let (mut messages, next) = lists::rows(&*view, &list, &Query::messages_of(id), range)?;
        messages.reverse();
        Ok((messages.into_iter().map(message_view).collect(), next))
    }
}

/// Sessions as clients see them.
fn views_of(view: &dyn View, sessions: &[Session]) -> Result<Vec<SessionView>, Failure> {
    if sessions.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<String> = sessions.iter().map(|session| session.id.clone()).collect();
    let mut counts: HashMap<String, u64> = HashMap::new();
    for (cells, count) in view.count(&Count::MESSAGES.of(&ids))? {
        if let [journal::Cell::Text(session)] = &cells[..] {
            counts.insert(session.clone(), u64::try_from(count).unwrap_or_default());
        }
    }
    let mut active: HashMap<String, Vec<String>> = HashMap::new();
    for workflow in view.find(&Query::workflows_in(&rows::open_states()).of_sessions(&ids))? {
        active.entry(workflow.session).or_default().push(workflow.id);
    }
    let projects: BTreeSet<String> = sessions.iter().filter_map(|session| session.project.clone()).collect();
    let projects = view.find(&Query::projects_named(&Vec::from_iter(projects)))?;
    let roots: HashMap<String, String> =
        projects.into_iter().map(|project| (project.id, project.root)).collect();
    let views = sessions.iter().map(|session| {
        let root = session.project.as_ref().and_then(|project| roots.get(project));
        let count = counts.get(&session.id).copied().unwrap_or_default();
        let active = active.remove(&session.id).unwrap_or_default();
        view_of(session, root.cloned().unwrap_or_default(), count, active)
    });
    Ok(views.collect())
}

fn view_of(
    session: &Session,
    project_path: String,
    message_count: u64,
    mut active_workflows: Vec<String>,
) -> SessionView {
    active_workflows.sort_unstable();
    SessionView {
        id: session.id.clone(),
        name: session.name.clone(),
        project_path,
        status: if session.paused { "paused" } else { "active" }.to_owned(),
        created_at: iso(session.created),
        updated_at: iso(session.updated),
        last_accessed_at: iso(session.accessed),
        message_count,
        active_workflows,
    }
}

fn message_view(message: Message) -> MessageView {
    let Message { id, role, content, at, workflow, .. } = message;
    MessageView { id, role, content, timestamp: iso(at), workflow_id: workflow }
}
