//! The tasks of the extension of that name: calls whose result a client asks for later.

use super::{Server, ToolAnswer, blocking};
use crate::backend::{Place, ToolFailure};
use crate::client::is_modern;
use crate::delivery::RequestKey;
use crate::project;
use crate::tasks::{self, TaskId, TaskSubscription};
use crate::tool_result::ToolResult;
use crate::work::{self, Arguments};
use model::SessionId;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResponse, CreateTaskResult, DetailedTask, ErrorCode, NotificationMetaObject, ServerNotification,
    Task, TaskPayload, TaskStatus, TaskStatusNotification, TaskStatusNotificationParams,
};
use rmcp::service::{RequestContext, RoleServer, ServiceError};
use serde_json::Value;
use std::sync::Arc;

/// A task that a client has named.
pub(super) struct FoundTask {
    /// When its questions were asked last.
    asked_at: String,
    /// Whether its client does not wait any more.
    is_cancelled: bool,
}

impl Server {
    /// Gives the client a task to ask about, by its `token`, which is on the disk already.
    pub(super) async fn task(
        &self,
        place: &Place,
        session: &SessionId,
        (token, told): (Option<String>, &ToolResult),
        context: &RequestContext<RoleServer>,
    ) -> ToolAnswer {
        let home = self.folder(&Arguments::new(), context).await.ok();
        let (of, about) = (place.clone(), session.clone());
        let (receipt, is_home) = blocking(move || {
            let home = home.and_then(|home| project::discover(&home).ok());
            let receipt = of.decisions.receipt(&about).map_err(|error| project::unable(&error))?;
            Ok((receipt, home.is_some_and(|home| home.root() == of.project.root())))
        })
        .await?;
        let (Some(receipt), Some(token)) = (receipt, token) else {
            return Err(ToolFailure { what: "The task was removed".to_owned(), hint: None });
        };
        let project = (!is_home).then(|| place.project.root().to_owned());
        let id = TaskId { session: session.clone(), token, project }.text();
        let task = Task::new(id, TaskStatus::Working, receipt.asked_at.clone(), receipt.asked_at);
        let link = told.url.as_deref().map(|url| format!(": {url}")).unwrap_or_default();
        let task = task
            .with_status_message(format!("{}{link}", told.summary))
            .with_poll_interval_ms(tasks::POLL_MILLIS);
        Ok(CallToolResponse::Task(CreateTaskResult::new(task)))
    }

    /// Finds a task. A client that does not know its whole name learns nothing of it.
    pub(super) async fn find_task(
        &self,
        id: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<(TaskId, Place, FoundTask), ErrorData> {
        let unknown = || ErrorData::invalid_params("there is no such task", None);
        let task = TaskId::read(id).ok_or_else(unknown)?;
        let home = match &task.project {
            Some(project) => project.clone(),
            None => self.folder(&Arguments::new(), context).await.map_err(|_| unknown())?,
        };
        let about = task.clone();
        let found = self.at(home, move |place| {
            let receipt = place.decisions.receipt(&about.session).map_err(|error| error.to_string());
            Ok((place.clone(), receipt))
        });
        let (place, receipt) = found.await.ok().flatten().ok_or_else(unknown)?;
        let receipt = receipt.map_err(|error| ErrorData::internal_error(error, None))?;
        let receipt = receipt.ok_or_else(unknown)?;
        let mut waiting = receipt.tasks.iter();
        let waiting = waiting.find(|waiting| tasks::is_token(&waiting.token, &task.token));
        let is_cancelled = waiting.ok_or_else(unknown)?.cancelled;
        Ok((task, place, FoundTask { asked_at: receipt.asked_at, is_cancelled }))
    }

    /// How a task stands. A result that has an answer is promised to the client of this request.
    pub(super) async fn task_state(
        &self,
        id: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<DetailedTask, ErrorData> {
        let (task, place, found) = self.find_task(id, context).await?;
        let (backend, of, session) = (Arc::clone(&self.shared.backend), place.clone(), task.session.clone());
        let told = blocking(move || work::served_state(&*backend, &of, &session, None)).await;
        let updated = store::now();
        let entry = Task::new(id, TaskStatus::Working, found.asked_at, updated)
            .with_poll_interval_ms(tasks::POLL_MILLIS);
        let (message, payload) = match told {
            _ if found.is_cancelled => (None, TaskPayload::Cancelled),
            Ok(told) if told.is_open() => {
                let link = told.url.as_deref().map(|url| format!(": {url}")).unwrap_or_default();
                (Some(format!("{}{link}", told.summary)), TaskPayload::Working)
            }
            Ok(told) => {
                let summary = told.summary.clone();
                let response = self.watched_result(told, Some(place), context).await;
                let CallToolResponse::Complete(result) = response else {
                    return Err(ErrorData::internal_error("the result is none", None));
                };
                let Ok(Value::Object(result)) = serde_json::to_value(result) else {
                    return Err(ErrorData::internal_error("the result is no object", None));
                };
                (Some(summary), TaskPayload::Completed { result })
            }
            // It may be better the next time.
            Err(unable) => (Some(unable.text()), TaskPayload::Working),
        };
        let entry = match message {
            Some(message) => entry.with_status_message(message),
            None => entry,
        };
        Ok(DetailedTask::new(entry, payload))
    }

    /// Tells a subscription which of its tasks have ended; those are not followed any more. Nothing is said of a task that its
    /// client does not know.
    pub(super) async fn push_tasks(
        &self,
        tasks: &mut Vec<String>,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ServiceError> {
        let mut open = Vec::new();
        for id in tasks.drain(..) {
            let task = match self.task_state(&id, context).await {
                Ok(task) => task,
                Err(error) if error.code == ErrorCode::INVALID_PARAMS => continue,
                // It may be found the next time.
                Err(_) => {
                    open.push(id);
                    continue;
                }
            };
            if task.status() == TaskStatus::Working {
                open.push(id);
                continue;
            }
            let mut meta = NotificationMetaObject::new();
            meta.set_subscription_id(context.id.clone());
            let params = TaskStatusNotificationParams::new(task).with_meta(meta);
            let told = ServerNotification::TaskStatusNotification(TaskStatusNotification::new(params));
            // Before it is: the client may read it and say something else at once. Over HTTP that comes by another connection, and
            // proves nothing.
            self.shared.delivery.wrote(&RequestKey::from_context(context));
            context.peer.send_notification(told).await?;
        }
        *tasks = open;
        Ok(())
    }
}

/// Whether the result of a request may be a task. On connections of earlier revisions the extension of that name is another one.
pub(super) fn takes_task(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    is_modern(context) && capabilities.is_some_and(|capabilities| capabilities.supports_tasks())
}

/// The tasks that a subscription is to follow.
pub(super) fn followed_tasks(context: &RequestContext<RoleServer>) -> TaskSubscription {
    let parts = context.extensions.get::<http::request::Parts>();
    let posted = parts.and_then(|parts| parts.extensions.get::<TaskSubscription>());
    posted.or_else(|| context.extensions.get::<TaskSubscription>()).cloned().unwrap_or_default()
}
