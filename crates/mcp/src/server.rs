//! The server: what a client asks, and what it is answered.
// Roots are deprecated in the newest revision; clients of the earlier ones say where they work by no other means.
#![expect(deprecated, reason = "roots are all that legacy clients have")]

use crate::backend::{Backend, Elicit, Options, Place, Ran, Unable};
use crate::client::{Client, Holds, is_modern};
use crate::delivery::{Arrivals, Asked, Delivery, Parcel, Speaker, Stage};
use crate::elicit::{self, Dialogs, Resumed};
use crate::hold::{Held, Hold};
use crate::http::MAX_SILENT_HOLD;
use crate::project::{self, Opened};
use crate::resources::{self, Content, Readable};
use crate::skill;
use crate::tasks::{self, Followed, TaskId};
use crate::told::Told;
use crate::tools::{self, INSTRUCTIONS, Name};
use crate::transport;
use crate::work::{self, Arguments, Asking};
use model::SessionId;
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, CompleteRequestParams,
    CompleteResult, CompletionInfo, ContentBlock, CreateTaskResult, CustomRequest, CustomResult,
    DetailedTask, GetPromptRequestParams, GetPromptResponse, GetPromptResult, GetSkillRequestParams,
    GetSkillResult, GetTaskParams, GetTaskResult, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListSkillsResult, ListToolsResult,
    NotificationMetaObject, PaginatedRequestParams, PromptMessage, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Reference, ResourceContents, ResourceUpdatedNotificationParam,
    Role, ServerCapabilities, ServerConfig, ServerNotification, SubscribeRequestParams, SubscriptionFilter,
    Task, TaskPayload, TaskStatus, TaskStatusNotification, TaskStatusNotificationParams, Tool,
    UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, ServiceError, SubscriptionContext};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::env;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use store::Standing;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How many calls are held at a time; a later one gets an error that says to call again.
const MAX_HELD: usize = 1000;
/// The shortest time that a client may ask to wait.
const LEAST_WAIT: Duration = Duration::from_secs(30);
/// How long a client may take to say where it works.
const ROOTS: Duration = Duration::from_secs(3);
/// How often to look whether what a client follows has changed.
const FOLLOW: Duration = Duration::from_secs(1);
/// A first look that takes longer may have missed a change since the subscription began.
const LATE: Duration = Duration::from_millis(100);
/// How many resources a client may follow.
const MAX_FOLLOWED: usize = 100;

/// The server of one client.
#[derive(Clone)]
pub(crate) struct Server {
    shared: Arc<Shared>,
    own: Arc<Own>,
}

/// What the servers of all clients have in common.
pub(crate) struct Shared {
    backend: Arc<dyn Backend>,
    options: Options,
    opened: Arc<Opened>,
    holds: Holds,
    held: AtomicUsize,
    /// Whose calls were held to their end; the client has not been heard of since.
    held_out: Mutex<HashSet<Client>>,
    delivery: Arc<Delivery>,
    arrivals: Arrivals,
    dialogs: Dialogs,
    closing: watch::Receiver<bool>,
}

/// What belongs to one client.
#[derive(Default)]
struct Own {
    /// The links that it was to show.
    shown: elicit::Shown,
    /// Where the client works, once it was asked.
    roots: tokio::sync::Mutex<Option<Option<PathBuf>>>,
    /// What a client of an earlier revision follows.
    followed: Mutex<HashMap<String, JoinHandle<()>>>,
}

/// The contents of resources, as far as they were looked at.
type Seen = HashMap<String, Option<Content>>;

/// What a client calls a tool with.
struct Call {
    arguments: Arguments,
    /// All of it, to tell it from other calls.
    text: String,
    resumed: Option<Resumed>,
}

/// A task that a client has named.
struct FoundTask {
    /// When its questions were asked last.
    asked_at: String,
    /// Whether its client does not wait any more.
    is_cancelled: bool,
}

/// What a tool returns: a result, or why there is none.
type Answer = Result<CallToolResponse, Unable>;

impl Shared {
    pub(crate) fn new(
        backend: Arc<dyn Backend>,
        options: Options,
        (delivery, arrivals): (Arc<Delivery>, Arrivals),
        closing: watch::Receiver<bool>,
    ) -> Arc<Self> {
        Arc::new(Self {
            backend,
            opened: Arc::default(),
            holds: Holds::new(options.hold),
            options,
            held: AtomicUsize::new(0),
            held_out: Mutex::default(),
            delivery,
            arrivals,
            dialogs: Dialogs::default(),
            closing,
        })
    }
}

impl Server {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, own: Arc::default() }
    }

    async fn call(&self, tool: Name, call: Call, context: &RequestContext<RoleServer>) -> Answer {
        let Call { arguments, text, resumed } = call;
        let client = Client::of(context);
        if self.shared.holds.needs_memory(&client) {
            let backend = Arc::clone(&self.shared.backend);
            self.shared.holds.recall(&blocking(move || Ok(backend.remembered())).await?);
        }
        if self.has_held_out(&client) {
            self.remember(self.shared.holds.lasted(&client));
        }
        if let Some(resumed) = resumed {
            return self.resume(resumed, client, context).await;
        }
        let folder = self.folder(&arguments, context).await?;
        match tool {
            Name::Submit => self.submit(folder, arguments, (client, &text), context).await,
            Name::Wait => self.wait(folder, arguments, client, context).await,
            Name::Result => self.result(folder, arguments, context).await,
            Name::List => {
                let told = self.at(folder, move |place| work::list(place, &arguments)).await?;
                let nothing = || Told::nothing("Nothing was asked in this project yet");
                Ok(complete(told.unwrap_or_else(nothing)))
            }
            Name::Amend => {
                let backend = Arc::clone(&self.shared.backend);
                let told = self.at(folder, move |place| {
                    let told = work::amend(place, &arguments, &client)?;
                    let told = match &told.session {
                        Some(session) => work::served_state(&*backend, place, session, None)?,
                        None => told,
                    };
                    Ok((told, place.clone()))
                });
                self.found(told.await?, context).await
            }
            Name::Cancel => {
                let told =
                    self.at(folder, move |place| Ok((work::cancel(place, &arguments)?, place.clone())));
                self.found(told.await?, context).await
            }
            Name::FlowStatus => {
                let backend = Arc::clone(&self.shared.backend);
                let status = blocking(move || resources::flow(&*backend, project::discover(&folder)?.root()));
                Ok(CallToolResult::structured(status.await?).into())
            }
            Name::FlowRecord => self.command(folder, flow_command(&arguments)?).await,
        }
    }

    async fn submit(
        &self,
        folder: PathBuf,
        arguments: Arguments,
        (client, call): (Client, &str),
        context: &RequestContext<RoleServer>,
    ) -> Answer {
        let is_woken = self.shared.options.wakes;
        let waits = work::flag(&arguments, "wait")?;
        // A client that takes a task does not wait for it.
        let takes_task = takes_task(context) && waits != Some(false);
        let waits = waits.unwrap_or(!is_woken);
        let standing = if takes_task || waits { Standing::Waits } else { Standing::WentOn };
        let (backend, opened) = (Arc::clone(&self.shared.backend), Arc::clone(&self.shared.opened));
        let asker = client.clone();
        // This call says that its client has what it was answered before: the same questions are new ones then.
        self.shared.arrivals.noted().await;
        let (asking, made) = blocking(move || {
            let project = project::discover(&folder)?;
            // Wrong ones leave nothing behind.
            let wanted = work::Wanted::read(&arguments, &asker)?;
            let (place, made) = opened.get_or_init(&*backend, &project)?;
            Ok((work::submit(place, &wanted, (&asker, standing), takes_task)?, made))
        })
        .await?;
        let submitted = match asking {
            Asking::Open(submitted) => *submitted,
            Asking::Answered(place, told) => return Ok(self.told(*told, Some(place), context).await),
        };
        let (place, session) = (submitted.place, submitted.pending.session.clone());
        let (backend, of, asked) = (Arc::clone(&self.shared.backend), place.clone(), session.clone());
        let news = submitted.news;
        let told = blocking(move || work::served_state(&*backend, &of, &asked, news.as_ref())).await;
        if told.is_err() {
            note(&place, &session, &client, Standing::WentOn).await;
        }
        let mut told = told?;
        told.message = made.or(told.message);
        if takes_task && told.is_open() {
            return self.task(&place, &session, (submitted.task, &told), context).await;
        }
        if !waits || !told.is_open() {
            let told = if is_woken && told.is_open() { told.waking() } else { told };
            return Ok(self.told(told, Some(place), context).await);
        }
        let (mode, limit) = (self.shared.options.elicit, self.limit(&client, context));
        if let Some(url) = &told.url
            && self.shared.dialogs.is_sent_back(mode, &client, context)
        {
            note(&place, &session, &client, Standing::WentOn).await;
            let root = place.project.root();
            return Ok(self.shared.dialogs.send_back(call, &session, root, url, &told.task)?.into());
        }
        let is_asked = self.shared.dialogs.is_asked(mode, &client, limit, context);
        self.hold(place, session, told, (client, limit, is_asked), context).await
    }

    /// Goes on with a call whose client was to show the link first.
    async fn resume(&self, resumed: Resumed, client: Client, context: &RequestContext<RoleServer>) -> Answer {
        let Resumed { session, root, is_blind } = resumed;
        if is_blind {
            self.shared.dialogs.came_back(&client, Duration::ZERO);
        }
        let backend = Arc::clone(&self.shared.backend);
        let asked = session.clone();
        let told = self
            .at(root, move |place| Ok((work::served_state(&*backend, place, &asked, None)?, place.clone())));
        let Some((told, place)) = told.await? else { return Err(no_project(&session)) };
        if !told.is_open() {
            return Ok(self.told(told, Some(place), context).await);
        }
        let limit = self.limit(&client, context);
        self.hold(place, session, told, (client, limit, false), context).await
    }

    async fn wait(
        &self,
        folder: PathBuf,
        arguments: Arguments,
        client: Client,
        context: &RequestContext<RoleServer>,
    ) -> Answer {
        let session = work::session(&arguments)?;
        let wanted = work::number(&arguments, "timeout_seconds")?;
        let backend = Arc::clone(&self.shared.backend);
        let asked = session.clone();
        let told = self.at(folder, move |place| {
            Ok((work::served_state(&*backend, place, &asked, None)?, place.clone()))
        });
        let Some((told, place)) = told.await? else { return Err(no_project(&session)) };
        if !told.is_open() {
            elicit::complete(&self.own.shown, &session, &context.peer).await;
            return Ok(self.told(told, Some(place), context).await);
        }
        note(&place, &session, &client, Standing::Waits).await;
        if takes_task(context) {
            let (of, about) = (place.clone(), session.clone());
            let token = blocking(move || work::begin_task(&of, &about)).await?;
            return self.task(&place, &session, (Some(token), &told), context).await;
        }
        let mut limit = self.limit(&client, context);
        if let Some(wanted) = wanted {
            limit = limit.min(Duration::from_secs(wanted).max(LEAST_WAIT));
        }
        self.hold(place, session, told, (client, limit, false), context).await
    }

    async fn result(
        &self,
        folder: PathBuf,
        arguments: Arguments,
        context: &RequestContext<RoleServer>,
    ) -> Answer {
        let session = work::session(&arguments)?;
        let asked = session.clone();
        let told = self.at(folder, move |place| Ok((work::state(place, &asked)?, place.clone())));
        let Some((told, place)) = told.await? else { return Err(no_project(&session)) };
        if !told.is_open() {
            elicit::complete(&self.own.shown, &session, &context.peer).await;
        }
        Ok(self.told(told, Some(place), context).await)
    }

    /// Whether a call of `client` was held to its end since it was heard of last.
    fn has_held_out(&self, client: &Client) -> bool {
        let mut held_out = self.shared.held_out.lock().unwrap_or_else(PoisonError::into_inner);
        held_out.remove(client)
    }

    /// How long a call of `client` is held.
    fn limit(&self, client: &Client, context: &RequestContext<RoleServer>) -> Duration {
        let reports = context.meta.get_progress_token().is_some();
        let limit = self.shared.holds.of(client, reports);
        let is_silent = !reports && Asked::of(context).speaker != Speaker::Stdio;
        if is_silent { limit.min(MAX_SILENT_HOLD) } else { limit }
    }

    /// Holds a call about open questions.
    async fn hold(
        &self,
        place: Place,
        session: SessionId,
        told: Told,
        (client, limit, is_asked): (Client, Duration, bool),
        context: &RequestContext<RoleServer>,
    ) -> Answer {
        let begun = Instant::now();
        note(&place, &session, &client, Standing::Waits).await;
        let waiting = Waiting(Some((place.clone(), session.clone(), client.clone())));
        let count = Counted::one_more(&self.shared.held);
        let is_full = count.before >= MAX_HELD;
        let message = told.message.clone();
        let held = if is_full {
            Held::GivenUp
        } else {
            let hold = Hold {
                backend: &self.shared.backend,
                place: &place,
                session: &session,
                task: &told.task,
                url: told.url.clone(),
                limit,
                client: &client,
                dialogs: is_asked.then_some((&self.shared.dialogs, &self.own.shown)),
                context,
                closing: self.shared.closing.clone(),
            };
            hold.until_the_end().await
        };
        drop(count);
        match held {
            Held::GivenUp if context.ct.is_cancelled() => {
                self.remember(self.shared.holds.was_cut(&client, begun.elapsed()));
            }
            Held::TimeIsUp => {
                let mut held_out = self.shared.held_out.lock().unwrap_or_else(PoisonError::into_inner);
                // Clients may call themselves whatever they want.
                if held_out.len() >= MAX_HELD {
                    held_out.clear();
                }
                held_out.insert(client);
            }
            Held::Ended | Held::GivenUp => {}
        }
        let (of, about) = (place.clone(), session.clone());
        let mut told = blocking(move || work::state(&of, &about)).await?;
        waiting.end(told.is_open()).await;
        if !told.is_open() {
            elicit::complete(&self.own.shown, &session, &context.peer).await;
        }
        told.message = told.message.or(message);
        told.waited = Some(begun.elapsed());
        Ok(self.told(told, Some(place), context).await)
    }

    /// Has what was learned kept. No call waits for it.
    fn remember(&self, learned: Option<String>) {
        if let Some(learned) = learned {
            let backend = Arc::clone(&self.shared.backend);
            tokio::task::spawn_blocking(move || backend.remember(&learned));
        }
    }

    /// Gives the client a task to ask about, by its `token`, which is on the disk already.
    async fn task(
        &self,
        place: &Place,
        session: &SessionId,
        (token, told): (Option<String>, &Told),
        context: &RequestContext<RoleServer>,
    ) -> Answer {
        let home = self.folder(&Arguments::new(), context).await.ok();
        let (of, about) = (place.clone(), session.clone());
        let (receipt, is_home) = blocking(move || {
            let home = home.and_then(|home| project::discover(&home).ok());
            let receipt = of.decisions.receipt(&about).map_err(|error| project::unable(&error))?;
            Ok((receipt, home.is_some_and(|home| home.root() == of.project.root())))
        })
        .await?;
        let (Some(receipt), Some(token)) = (receipt, token) else {
            return Err(Unable { what: "The task was removed".to_owned(), hint: None });
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
    async fn find_task(
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
            let receipt = place.decisions.receipt(&about.session).ok().flatten();
            Ok(receipt.map(|receipt| (place.clone(), receipt)))
        });
        let (place, receipt) = found.await.ok().flatten().flatten().ok_or_else(unknown)?;
        let mut waiting = receipt.tasks.iter();
        let waiting = waiting.find(|waiting| tasks::is_token(&waiting.token, &task.token));
        let is_cancelled = waiting.ok_or_else(unknown)?.cancelled;
        Ok((task, place, FoundTask { asked_at: receipt.asked_at, is_cancelled }))
    }

    /// How a task stands. A result that has an answer is promised to the client of this request.
    async fn task_state(
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
                let response = self.told(told, Some(place), context).await;
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
    async fn push_tasks(
        &self,
        tasks: &mut Vec<String>,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ServiceError> {
        let mut open = Vec::new();
        for id in tasks.drain(..) {
            let Ok(task) = self.task_state(&id, context).await else { continue };
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
            self.shared.delivery.wrote(&Asked::of(context));
            context.peer.send_notification(told).await?;
        }
        *tasks = open;
        Ok(())
    }

    /// Returns what stands at an address; `None` where there is nothing.
    async fn content(
        &self,
        readable: Readable,
        context: &RequestContext<RoleServer>,
    ) -> Result<Option<Content>, ErrorData> {
        if readable == Readable::Skill {
            return Ok(Some(Content::Skill));
        }
        let folder = self.folder(&Arguments::new(), context).await.map_err(internal)?;
        let (backend, opened) = (Arc::clone(&self.shared.backend), Arc::clone(&self.shared.opened));
        let content = blocking(move || {
            let project = project::discover(&folder)?;
            let place = opened.get(&project)?;
            readable.content(&*backend, &project, place.as_ref())
        });
        content.await.map_err(internal)
    }

    /// Returns those of `uris` whose content is not what it was when they were looked at last. The first look finds none.
    async fn changed(
        &self,
        uris: &[String],
        seen: &mut Seen,
        context: &RequestContext<RoleServer>,
    ) -> Vec<String> {
        let mut changed = Vec::new();
        for uri in uris {
            let Some(readable) = Readable::at(uri) else { continue };
            // What cannot be read now is looked at again.
            let Ok(content) = self.content(readable, context).await else { continue };
            if seen.get(uri).is_some_and(|before| *before != content) {
                changed.push(uri.clone());
            }
            seen.insert(uri.clone(), content);
        }
        changed
    }

    /// Does something with the decisions of the project that `folder` is in; `None` where it has none.
    async fn at<T: Send + 'static>(
        &self,
        folder: PathBuf,
        work: impl FnOnce(&Place) -> Result<T, Unable> + Send + 'static,
    ) -> Result<Option<T>, Unable> {
        let opened = Arc::clone(&self.shared.opened);
        blocking(move || {
            let project = project::discover(&folder)?;
            opened.get(&project)?.map(|place| work(&place)).transpose()
        })
        .await
    }

    /// The folder that a call is about.
    async fn folder(
        &self,
        arguments: &Arguments,
        context: &RequestContext<RoleServer>,
    ) -> Result<PathBuf, Unable> {
        let current = || {
            let no_folder = |error: std::io::Error| Unable {
                what: format!("There is no current folder: {error}"),
                hint: Some("Pass the path of the project's folder as `project`".to_owned()),
            };
            env::current_dir().map_err(no_folder)
        };
        if let Some(named) = work::text(arguments, "project")?.filter(|named| !named.trim().is_empty()) {
            let named = PathBuf::from(named);
            if self.shared.options.names_project && !named.is_absolute() {
                return Err(Unable {
                    what: format!("`project` must be an absolute path, not {}", json!(named)),
                    hint: None,
                });
            }
            return Ok(if named.is_absolute() { named } else { current()?.join(named) });
        }
        if self.shared.options.names_project {
            return Err(Unable {
                what: "`project` is missing: this server belongs to no project".to_owned(),
                hint: Some("Pass the absolute path of the project's folder as `project`".to_owned()),
            });
        }
        if let Some(project) = self.shared.options.project.clone().or_else(project::of_environment) {
            return Ok(project);
        }
        match self.roots(context).await {
            Some(root) => Ok(root),
            None => current(),
        }
    }

    /// Whether there is such a resource. A server that belongs to no project has those alone that belong to none either: a client
    /// cannot say which project it means.
    fn has_resource(&self, uri: &str) -> bool {
        match Readable::at(uri) {
            Some(Readable::Skill) => true,
            Some(_) => !self.shared.options.names_project,
            None => false,
        }
    }

    /// The first folder that a client of an earlier revision says it works in.
    async fn roots(&self, context: &RequestContext<RoleServer>) -> Option<PathBuf> {
        let has_roots =
            context.client_capabilities().is_some_and(|capabilities| capabilities.roots.is_some());
        if is_modern(context) || !has_roots {
            return None;
        }
        let mut known = self.own.roots.lock().await;
        if known.is_none() {
            let asked = tokio::time::timeout(ROOTS, context.peer.list_roots()).await;
            let folder = match asked {
                Ok(Ok(found)) => found.roots.iter().find_map(|root| project::of_uri(&root.uri)),
                _ => None,
            };
            *known = Some(folder.filter(|folder| folder.is_dir()));
        }
        known.clone().flatten()
    }

    /// Runs a command of the program.
    async fn command(&self, folder: PathBuf, arguments: Vec<String>) -> Answer {
        let backend = Arc::clone(&self.shared.backend);
        let ran = blocking(move || {
            let project = project::discover(&folder)?;
            Ok(backend.run(project.root(), &arguments))
        });
        let Ran { code, output, notes } = ran.await?;
        let (output, notes) = (output.trim(), notes.trim());
        if code != 0 {
            let said: Vec<_> = [notes, output].into_iter().filter(|said| !said.is_empty()).collect();
            let what =
                if said.is_empty() { format!("The command ended with {code}") } else { said.join("\n") };
            return Err(Unable { what, hint: None });
        }
        let mut result = match serde_json::from_str::<Value>(output) {
            Ok(value @ Value::Object(_)) => CallToolResult::structured(value),
            _ => CallToolResult::success(vec![ContentBlock::text(output)]),
        };
        if !notes.is_empty() {
            result.content.push(ContentBlock::text(notes));
        }
        Ok(result.into())
    }

    async fn found(&self, told: Option<(Told, Place)>, context: &RequestContext<RoleServer>) -> Answer {
        match told {
            Some((told, place)) => Ok(self.told(told, Some(place), context).await),
            None => Err(Unable {
                what: "Nothing was asked in this project yet".to_owned(),
                hint: Some("Ask with decide_submit".to_owned()),
            }),
        }
    }

    /// A result, whose arrival is watched where it has what a person said. No hook brings it while it is on its way.
    async fn told(
        &self,
        told: Told,
        place: Option<Place>,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        if !told.is_open()
            && let (Some(place), Some(session)) = (place, &told.session)
        {
            let client = Client::of(context);
            // Of a call that was cancelled nothing is sent.
            let standing = match told.is_answer() {
                _ if context.ct.is_cancelled() => Standing::WentOn,
                true => Standing::Waits,
                false => Standing::HasAnswer,
            };
            note(&place, session, &client, standing).await;
            if standing == Standing::Waits {
                let decisions = place.decisions;
                let parcel = Parcel { decisions, session: session.clone(), stage: Stage::Arrived };
                self.shared.delivery.promise(Asked::of(context), parcel);
            }
        }
        complete(if self.shared.options.wakes { told.with_rest_by_itself() } else { told })
    }
}

/// Whether the result of a request may be a task. On connections of earlier revisions the extension of that name is another one.
fn takes_task(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    is_modern(context) && capabilities.is_some_and(|capabilities| capabilities.supports_tasks())
}

/// The tasks that a subscription is to follow.
fn followed_tasks(context: &RequestContext<RoleServer>) -> Followed {
    let parts = context.extensions.get::<http::request::Parts>();
    let posted = parts.and_then(|parts| parts.extensions.get::<Followed>());
    posted.or_else(|| context.extensions.get::<Followed>()).cloned().unwrap_or_default()
}

fn internal(unable: Unable) -> ErrorData {
    ErrorData::internal_error(unable.text(), None)
}

fn complete(told: Told) -> CallToolResponse {
    CallToolResult::structured(told.into_json()).into()
}

fn no_project(session: &SessionId) -> Unable {
    Unable {
        what: format!("There is no session {session}: nothing was asked in this project yet"),
        hint: Some("Pass the project's folder as `project` if it is another one".to_owned()),
    }
}

/// The command that a `flow_record` stands for.
fn flow_command(arguments: &Arguments) -> Result<Vec<String>, Unable> {
    let bad = |what: String| Unable { what, hint: None };
    let action = work::text(arguments, "action")?.ok_or_else(|| bad("action is missing".to_owned()))?;
    let text = |name: &str| -> Result<String, Unable> {
        let text = work::text(arguments, name)?.filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| bad(format!("{name} is missing: {action} needs it")))
    };
    let mut words = vec!["flow".to_owned(), action.clone(), "--json".to_owned()];
    match &*action {
        "start" | "next-part" | "back-part" => {
            words.extend(["--".to_owned(), text("phase")?, text("summary")?]);
        }
        "next-step" | "back-step" | "issue" | "error" => words.extend(["--".to_owned(), text("summary")?]),
        "back-confirm" => words.push(format!("--key={}", text("key")?)),
        _ => return Err(bad(format!("There is no action {}", json!(action)))),
    }
    Ok(words)
}

/// Does what waits for the disk elsewhere.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Unable> + Send + 'static,
) -> Result<T, Unable> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Unable { what: format!("internal error: {error}"), hint: None }))
}

/// Notes what was last sent to a client about the questions `session`.
async fn note(place: &Place, session: &SessionId, client: &Client, standing: Standing) {
    let (place, session, client) = (place.clone(), session.clone(), client.name.clone());
    // It cannot fail but with the process.
    let _ = tokio::task::spawn_blocking(move || work::note(&place, &session, &client, standing)).await;
}

/// That a call of a client waits. Dropped before its end, the client has gone on.
struct Waiting(Option<(Place, SessionId, Client)>);

impl Waiting {
    /// The call has ended; with `is_open` its client goes on without the answer.
    async fn end(mut self, is_open: bool) {
        if let Some((place, session, client)) = self.0.take().filter(|_| is_open) {
            note(&place, &session, &client, Standing::WentOn).await;
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some((place, session, client)) = self.0.take()
            // Without one the process ends.
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn_blocking(move || work::note(&place, &session, &client.name, Standing::WentOn));
        }
    }
}

/// One of those that are counted, until it is dropped.
struct Counted<'c> {
    count: &'c AtomicUsize,
    before: usize,
}

impl<'c> Counted<'c> {
    fn one_more(count: &'c AtomicUsize) -> Self {
        Self { count, before: count.fetch_add(1, Ordering::Relaxed) }
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::Relaxed);
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tasks()
            .enable_skills()
            .build();
        let aide = Implementation::new("aide", env!("CARGO_PKG_VERSION")).with_title("aide");
        ServerConfig::new(capabilities).with_server_info(aide).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = Name::named(&request.name) else {
            let names = Name::ALL.map(Name::name).join(", ");
            let words = format!("there is no tool {}; there are {names}", json!(request.name));
            return Err(ErrorData::invalid_params(words, None));
        };
        // Else nothing is sealed with it.
        let is_needed = request.request_state.is_some() || self.shared.options.elicit == Elicit::Url;
        let text = if is_needed { elicit::call(&request, &Client::of(&context)) } else { String::new() };
        let resumed = match request.request_state.as_deref() {
            Some(state) => Some(self.shared.dialogs.resume(&text, state)?),
            None => None,
        };
        let call = Call { arguments: request.arguments.unwrap_or_default(), text, resumed };
        let answer = Box::pin(self.call(tool, call, &context)).await;
        Ok(answer
            .unwrap_or_else(|unable| CallToolResult::error(vec![ContentBlock::text(unable.text())]).into()))
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(transport::unknown(&request.method, is_modern(&context)))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let all = resources::all().into_iter().filter(|resource| self.has_resource(&resource.uri));
        Ok(ListResourcesResult::with_all_items(all.collect()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = if self.shared.options.names_project { Vec::new() } else { resources::templates() };
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let missing = || {
            let words = format!("there is no resource {}", json!(uri));
            ErrorData::resource_not_found(words, Some(json!({ "uri": uri })))
        };
        let readable = Readable::at(&uri).filter(|_| self.has_resource(&uri)).ok_or_else(missing)?;
        let content = self.content(readable, &context).await?.ok_or_else(missing)?;
        let contents = match content {
            Content::Json(json) => {
                ResourceContents::text(json.to_string(), uri.clone()).with_mime_type(resources::JSON)
            }
            Content::Skill => {
                ResourceContents::text(skill::TEXT, uri.clone()).with_mime_type(skill::MARKDOWN)
            }
        };
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_skills(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        Ok(ListSkillsResult::with_all_items(vec![skill::skill()]))
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        if request.uri != skill::URI {
            return Err(ErrorData::invalid_params(format!("there is no skill {}", json!(request.uri)), None));
        }
        Ok(GetSkillResult::new(skill::skill()))
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let uri = request.uri;
        if !self.has_resource(&uri) {
            let words = format!("there is no resource {}", json!(uri));
            return Err(ErrorData::resource_not_found(words, None));
        }
        let uris = vec![uri.clone()];
        let mut seen = Seen::new();
        // Subscribers get what happens from now on.
        self.changed(&uris, &mut seen, &context).await;
        let mut followed = self.own.followed.lock().unwrap_or_else(PoisonError::into_inner);
        if followed.contains_key(&uri) {
            return Ok(());
        }
        if followed.len() >= MAX_FOLLOWED {
            let words = format!("at most {MAX_FOLLOWED} resources can be followed at a time");
            return Err(ErrorData::invalid_params(words, None));
        }
        let server = self.clone();
        let following = tokio::spawn(async move {
            while !context.peer.is_transport_closed() {
                tokio::time::sleep(FOLLOW).await;
                for uri in server.changed(&uris, &mut seen, &context).await {
                    let update = ResourceUpdatedNotificationParam::new(uri);
                    if context.peer.notify_resource_updated(update).await.is_err() {
                        return;
                    }
                }
            }
        });
        followed.insert(uri, following);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let following = self.own.followed.lock().unwrap_or_else(PoisonError::into_inner).remove(&request.uri);
        if let Some(following) = following {
            following.abort();
        }
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let uris = requested.resource_subscriptions.iter().flatten();
        let known: Vec<_> = uris.filter(|uri| self.has_resource(uri)).take(MAX_FOLLOWED).cloned().collect();
        let filter = SubscriptionFilter::builder();
        Some(if known.is_empty() { filter.build() } else { filter.resource_subscriptions(known).build() })
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let uris = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        let mut tasks = followed_tasks(context.request_context()).0;
        let mut closing = self.shared.closing.clone();
        let begun = Instant::now();
        let mut seen = Seen::new();
        loop {
            if self.push_tasks(&mut tasks, context.request_context()).await.is_err() {
                return Ok(());
            }
            let is_first = seen.is_empty();
            let mut changed = self.changed(&uris, &mut seen, context.request_context()).await;
            if is_first && begun.elapsed() > LATE {
                changed.clone_from(&uris);
            }
            for uri in changed {
                if context.sink().notify_resource_updated(uri).await.is_err() {
                    return Ok(());
                }
            }
            let pause = async {
                if uris.is_empty() && tasks.is_empty() {
                    std::future::pending::<()>().await;
                }
                tokio::time::sleep(FOLLOW).await;
            };
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                () = crate::hold::closed(&mut closing) => return Ok(()),
                () = pause => {}
            }
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let values = match &request.r#ref {
            Reference::Resource(resource)
                if resource.uri == resources::TEMPLATE && request.argument.name == resources::SESSION =>
            {
                let folder = self.folder(&Arguments::new(), &context).await.map_err(internal)?;
                let beginning = request.argument.value.clone();
                let found = self.at(folder, move |place| {
                    Ok(resources::sessions(place, &beginning, CompletionInfo::MAX_VALUES))
                });
                found.await.map_err(internal)?.unwrap_or_default()
            }
            _ => Vec::new(),
        };
        let completion = CompletionInfo::with_all_values(values);
        completion.map(CompleteResult::new).map_err(|words| ErrorData::internal_error(words, None))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = if self.shared.options.names_project { Vec::new() } else { resources::prompts() };
        Ok(ListPromptsResult::with_all_items(prompts))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let missing =
            || ErrorData::invalid_params(format!("there is no prompt {}", json!(request.name)), None);
        if self.shared.options.names_project {
            return Err(missing());
        }
        let folder = self.folder(&Arguments::new(), &context).await.map_err(internal)?;
        let opened = Arc::clone(&self.shared.opened);
        let (name, arguments) = (request.name.clone(), request.arguments.clone().unwrap_or_default());
        let text = blocking(move || {
            let place = opened.get(&project::discover(&folder)?)?;
            resources::prompt(&name, &arguments, place.as_ref()).transpose()
        });
        let text = text.await.map_err(|unable| ErrorData::invalid_params(unable.text(), None))?;
        let message = PromptMessage::new_text(Role::User, text.ok_or_else(missing)?);
        Ok(GetPromptResult::new(vec![message]).into())
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        *self.own.roots.lock().await = None;
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        Ok(GetTaskResult::new(self.task_state(&request.task_id, &context).await?))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // Nothing is asked of clients, so that nothing can be answered.
        self.find_task(&request.task_id, &context).await.map(drop)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let (task, place, _) = self.find_task(&request.task_id, &context).await?;
        note(&place, &task.session, &Client::of(&context), Standing::WentOn).await;
        // The waiting of this client ends, and the questions go on.
        let changed = blocking(move || {
            let changed = place.decisions.change_receipt(&task.session, |receipt| {
                let mut waiting = receipt.tasks.iter_mut();
                if let Some(waiting) = waiting.find(|waiting| tasks::is_token(&waiting.token, &task.token)) {
                    waiting.cancelled = true;
                }
            });
            changed.map_err(|error| project::unable(&error))
        });
        changed.await.map_err(|unable| ErrorData::internal_error(unable.text(), None))
    }
}

impl Told {
    /// Whether nothing is decided yet.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.status, "pending" | "queued")
    }
}
