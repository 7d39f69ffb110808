//! The server: what a client asks, and what it is answered.
// Roots are deprecated in the newest revision; clients of the earlier ones say where they work by no other means.
#![expect(deprecated, reason = "roots are all that legacy clients have")]

mod handler;
mod places;
mod tasks;

use crate::backend::{Backend, CommandOutput, Options, Place, ToolFailure};
use crate::client::{Client, HoldTimes};
use crate::delivery::{Arrivals, Delivery, Parcel, RequestKey, Speaker, Stage};
use crate::elicit::{self, Dialogs, ResumedCall};
use crate::hold::{HeldCall, HoldOutcome, MAX_SILENT_HOLD};
use crate::project::{self, ProjectCache};
use crate::resources::{self, Content};
use crate::tool_result::ToolResult;
use crate::tools::Name;
use crate::work::{self, Arguments, SubmitOutcome};
use model::SessionId;
use rmcp::ErrorData;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use store::AskerState;
use tasks::takes_task;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How many calls are held at a time; a later one returns `pending` at once, and its client calls again.
const MAX_HELD: usize = 1000;
/// The shortest time that a client may ask to wait.
const MIN_WAIT: Duration = Duration::from_secs(30);

/// The server of one client.
#[derive(Clone)]
pub(crate) struct Server {
    shared: Arc<Shared>,
    own: Arc<ClientState>,
}

/// What the servers of all clients have in common.
pub(crate) struct Shared {
    backend: Arc<dyn Backend>,
    options: Options,
    opened: Arc<ProjectCache>,
    holds: HoldTimes,
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
struct ClientState {
    /// The links that it was to show.
    shown: elicit::ShownLinks,
    /// Where the client works, once it was asked.
    roots: tokio::sync::Mutex<Option<Option<PathBuf>>>,
    /// What a client of an earlier revision follows.
    followed: Mutex<HashMap<String, JoinHandle<()>>>,
}

/// The contents of resources, as far as they were looked at.
type SeenResources = HashMap<String, Option<Content>>;

/// What a client calls a tool with.
struct Call {
    arguments: Arguments,
    /// All of it, to tell it from other calls.
    text: String,
    resumed: Option<ResumedCall>,
}

/// What a tool returns: a result, or why there is none.
type ToolAnswer = Result<CallToolResponse, ToolFailure>;

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
            holds: HoldTimes::new(options.hold),
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

    async fn call(&self, tool: Name, call: Call, context: &RequestContext<RoleServer>) -> ToolAnswer {
        let Call { arguments, text, resumed } = call;
        let client = Client::from_context(context);
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
                let search = self.shared.options.search.clone();
                let list = move |place: &Place| work::list(place, &arguments, search.as_ref());
                let told = self.at(folder, list).await?;
                let nothing = || ToolResult::nothing("No questions have been asked in this project yet");
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
    ) -> ToolAnswer {
        let is_woken = self.shared.options.wakes;
        let waits = work::flag(&arguments, "wait")?;
        // A client that takes a task does not wait for it.
        let takes_task = takes_task(context) && waits != Some(false);
        let waits = waits.unwrap_or(!is_woken);
        let standing = if takes_task || waits { AskerState::Waits } else { AskerState::WentOn };
        let (backend, opened) = (Arc::clone(&self.shared.backend), Arc::clone(&self.shared.opened));
        let asker = client.clone();
        // This call says that its client has what it was answered before: the same questions are new ones then.
        self.shared.arrivals.noted().await;
        let (asking, made) = blocking(move || {
            let project = project::discover(&folder)?;
            // Wrong ones leave nothing behind.
            let wanted = work::AskRequest::read(&arguments, &asker)?;
            let (place, made) = opened.get_or_init(&*backend, &project)?;
            Ok((work::submit(place, &wanted, (&asker, standing), takes_task)?, made))
        })
        .await?;
        let submitted = match asking {
            SubmitOutcome::Open(submitted) => *submitted,
            SubmitOutcome::Answered(place, told) => {
                return Ok(self.watched_result(*told, Some(place), context).await);
            }
        };
        let (place, session) = (submitted.place, submitted.pending.session.clone());
        let (backend, of, asked) = (Arc::clone(&self.shared.backend), place.clone(), session.clone());
        let news = submitted.news;
        let told = blocking(move || work::served_state(&*backend, &of, &asked, news.as_ref())).await;
        if told.is_err() {
            note(&place, &session, &client, AskerState::WentOn).await;
        }
        let mut told = told?;
        told.message = made.or(told.message);
        if takes_task && told.is_open() {
            return self.task(&place, &session, (submitted.task, &told), context).await;
        }
        if !waits || !told.is_open() {
            let told = if is_woken && told.is_open() { told.waking() } else { told };
            return Ok(self.watched_result(told, Some(place), context).await);
        }
        let (mode, limit) = (self.shared.options.elicit, self.limit(&client, context));
        if let Some(url) = &told.url
            && self.shared.dialogs.is_sent_back(mode, &client, context)
        {
            note(&place, &session, &client, AskerState::WentOn).await;
            let root = place.project.root();
            return Ok(self.shared.dialogs.send_back(call, &session, root, url, &told.task)?.into());
        }
        let is_asked = self.shared.dialogs.is_asked(mode, &client, limit, context);
        self.hold(place, session, told, (client, limit, is_asked), context).await
    }

    /// Goes on with a call whose client was to show the link first.
    async fn resume(
        &self,
        resumed: ResumedCall,
        client: Client,
        context: &RequestContext<RoleServer>,
    ) -> ToolAnswer {
        let ResumedCall { session, root, is_blind } = resumed;
        if is_blind {
            self.shared.dialogs.came_back(&client, Duration::ZERO);
        }
        let backend = Arc::clone(&self.shared.backend);
        let asked = session.clone();
        let told = self
            .at(root, move |place| Ok((work::served_state(&*backend, place, &asked, None)?, place.clone())));
        let Some((told, place)) = told.await? else { return Err(no_project(&session)) };
        if !told.is_open() {
            return Ok(self.watched_result(told, Some(place), context).await);
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
    ) -> ToolAnswer {
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
            return Ok(self.watched_result(told, Some(place), context).await);
        }
        note(&place, &session, &client, AskerState::Waits).await;
        if takes_task(context) {
            let (of, about) = (place.clone(), session.clone());
            let token = blocking(move || work::begin_task(&of, &about)).await?;
            return self.task(&place, &session, (Some(token), &told), context).await;
        }
        let mut limit = self.limit(&client, context);
        if let Some(wanted) = wanted {
            limit = limit.min(Duration::from_secs(wanted).max(MIN_WAIT));
        }
        self.hold(place, session, told, (client, limit, false), context).await
    }

    async fn result(
        &self,
        folder: PathBuf,
        arguments: Arguments,
        context: &RequestContext<RoleServer>,
    ) -> ToolAnswer {
        let session = work::session(&arguments)?;
        let asked = session.clone();
        let told = self.at(folder, move |place| Ok((work::state(place, &asked)?, place.clone())));
        let Some((told, place)) = told.await? else { return Err(no_project(&session)) };
        if !told.is_open() {
            elicit::complete(&self.own.shown, &session, &context.peer).await;
        }
        Ok(self.watched_result(told, Some(place), context).await)
    }

    /// Whether a call of `client` was held to its end since it was heard of last.
    fn has_held_out(&self, client: &Client) -> bool {
        let mut held_out = self.shared.held_out.lock().unwrap_or_else(PoisonError::into_inner);
        held_out.remove(client)
    }

    /// How long a call of `client` is held.
    fn limit(&self, client: &Client, context: &RequestContext<RoleServer>) -> Duration {
        let reports = context.meta.get_progress_token().is_some();
        let limit = self.shared.holds.hold_for(client, reports);
        let is_silent = !reports && RequestKey::from_context(context).speaker != Speaker::Stdio;
        if is_silent { limit.min(MAX_SILENT_HOLD) } else { limit }
    }

    /// Holds a call about open questions.
    async fn hold(
        &self,
        place: Place,
        session: SessionId,
        told: ToolResult,
        (client, limit, is_asked): (Client, Duration, bool),
        context: &RequestContext<RoleServer>,
    ) -> ToolAnswer {
        let begun = Instant::now();
        note(&place, &session, &client, AskerState::Waits).await;
        let waiting = WaitGuard(Some((place.clone(), session.clone(), client.clone())));
        let count = CountGuard::one_more(&self.shared.held);
        let is_full = count.before >= MAX_HELD;
        let message = told.message.clone();
        let held = if is_full {
            HoldOutcome::GivenUp
        } else {
            let hold = HeldCall {
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
            HoldOutcome::GivenUp if context.ct.is_cancelled() => {
                self.remember(self.shared.holds.was_cut(&client, begun.elapsed()));
            }
            HoldOutcome::TimeIsUp => {
                let mut held_out = self.shared.held_out.lock().unwrap_or_else(PoisonError::into_inner);
                // Clients may call themselves whatever they want.
                if held_out.len() >= MAX_HELD {
                    held_out.clear();
                }
                held_out.insert(client);
            }
            HoldOutcome::Ended | HoldOutcome::GivenUp => {}
        }
        let (of, about) = (place.clone(), session.clone());
        let mut told = blocking(move || work::state(&of, &about)).await?;
        waiting.end(told.is_open()).await;
        if !told.is_open() {
            elicit::complete(&self.own.shown, &session, &context.peer).await;
        }
        told.message = told.message.or(message);
        told.waited = Some(begun.elapsed());
        Ok(self.watched_result(told, Some(place), context).await)
    }

    /// Has what was learned kept. No call waits for it.
    fn remember(&self, learned: Option<String>) {
        if let Some(learned) = learned {
            let backend = Arc::clone(&self.shared.backend);
            tokio::task::spawn_blocking(move || backend.remember(&learned));
        }
    }

    /// Runs a command of the program.
    async fn command(&self, folder: PathBuf, arguments: Vec<String>) -> ToolAnswer {
        let backend = Arc::clone(&self.shared.backend);
        let ran = blocking(move || {
            let project = project::discover(&folder)?;
            Ok(backend.run(project.root(), &arguments))
        });
        let CommandOutput { code, output, notes } = ran.await?;
        let (output, notes) = (output.trim(), notes.trim());
        if code != 0 {
            let said: Vec<_> = [notes, output].into_iter().filter(|said| !said.is_empty()).collect();
            let what =
                if said.is_empty() { format!("The command ended with {code}") } else { said.join("\n") };
            return Err(ToolFailure { what, hint: None });
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

    async fn found(
        &self,
        told: Option<(ToolResult, Place)>,
        context: &RequestContext<RoleServer>,
    ) -> ToolAnswer {
        match told {
            Some((told, place)) => Ok(self.watched_result(told, Some(place), context).await),
            None => Err(ToolFailure {
                what: "No questions have been asked in this project yet".to_owned(),
                hint: Some("Ask with decide_submit".to_owned()),
            }),
        }
    }

    /// A result, whose arrival is watched where it has what a person said. No hook brings it while it is on its way.
    async fn watched_result(
        &self,
        told: ToolResult,
        place: Option<Place>,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        if !told.is_open()
            && let (Some(place), Some(session)) = (place, &told.session)
        {
            let client = Client::from_context(context);
            // Of a call that was cancelled nothing is sent.
            let standing = match told.is_answer() {
                _ if context.ct.is_cancelled() => AskerState::WentOn,
                true => AskerState::Waits,
                false => AskerState::HasAnswer,
            };
            note(&place, session, &client, standing).await;
            if standing == AskerState::Waits {
                let decisions = Arc::clone(&place.decisions);
                let parcel = Parcel { decisions, session: session.clone(), stage: Stage::Arrived };
                // It was cancelled meanwhile.
                if !self.shared.delivery.promise(RequestKey::from_context(context), parcel) {
                    note(&place, session, &client, AskerState::WentOn).await;
                }
            }
        }
        complete(if self.shared.options.wakes { told.with_rest_by_itself() } else { told })
    }
}

fn internal(unable: ToolFailure) -> ErrorData {
    ErrorData::internal_error(unable.text(), None)
}

fn complete(told: ToolResult) -> CallToolResponse {
    CallToolResult::structured(told.into_json()).into()
}

fn no_project(session: &SessionId) -> ToolFailure {
    ToolFailure {
        what: format!("There is no session {session}: no questions have been asked in this project yet"),
        hint: Some("Pass the project's folder as `project` if it is another one".to_owned()),
    }
}

/// The command that a `flow_record` stands for.
fn flow_command(arguments: &Arguments) -> Result<Vec<String>, ToolFailure> {
    let bad = |what: String| ToolFailure { what, hint: None };
    let action = work::text(arguments, "action")?.ok_or_else(|| bad("action is missing".to_owned()))?;
    let text = |name: &str| -> Result<String, ToolFailure> {
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
    work: impl FnOnce() -> Result<T, ToolFailure> + Send + 'static,
) -> Result<T, ToolFailure> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(ToolFailure { what: format!("internal error: {error}"), hint: None }))
}

/// Notes what was last sent to a client about the questions `session`.
async fn note(place: &Place, session: &SessionId, client: &Client, standing: AskerState) {
    let (place, session, client) = (place.clone(), session.clone(), client.name.clone());
    // It cannot fail but with the process.
    let _ = tokio::task::spawn_blocking(move || work::note(&place, &session, &client, standing)).await;
}

/// That a call of a client waits. Dropped before its end, the client has gone on.
struct WaitGuard(Option<(Place, SessionId, Client)>);

impl WaitGuard {
    /// The call has ended; with `is_open` its client goes on without the answer.
    async fn end(mut self, is_open: bool) {
        if let Some((place, session, client)) = self.0.take().filter(|_| is_open) {
            note(&place, &session, &client, AskerState::WentOn).await;
        }
    }
}

impl Drop for WaitGuard {
    fn drop(&mut self) {
        if let Some((place, session, client)) = self.0.take()
            // Without one the process ends.
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn_blocking(move || work::note(&place, &session, &client.name, AskerState::WentOn));
        }
    }
}

/// One of those that are counted, until it is dropped.
struct CountGuard<'c> {
    count: &'c AtomicUsize,
    before: usize,
}

impl<'c> CountGuard<'c> {
    fn one_more(count: &'c AtomicUsize) -> Self {
        Self { count, before: count.fetch_add(1, Ordering::Relaxed) }
    }
}

impl Drop for CountGuard<'_> {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::Relaxed);
    }
}

impl ToolResult {
    /// Whether nothing is decided yet.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.status, "pending" | "queued")
    }
}
