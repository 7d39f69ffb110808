//! A daemon as a program sees it (contract/terminal §8.5): one connection that comes again by itself, handlers for events, and
//! one for decisions.

use crate::connection::new_key;
use crate::own::{DecisionScope, Ownership};
use crate::{Client, ClientError, FollowUpdate, Follower, RetryPolicy, Subscription};
use protocol::workflow::api::{DecisionCreated, DecisionView, SessionResumption};
use protocol::workflow::requests::{DecisionRequest, MessageRequest, ORCHESTRATOR};
use protocol::workflow::{
    DecisionStatus, ErrorCode, EventType, Selection, SelectionFull, UserDecisionReceived,
    UserDecisionRequired,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::AbortHandle;

/// How long one request for the end of a decision waits, in seconds.
const LONG_POLL_SECONDS: u32 = 20;
/// How often a handler is asked for an answer that is accepted.
const MAX_QUERIES: usize = 5;

/// How a client stands to its daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionState {
    /// It is not connected, or has given up.
    Disconnected,
    /// It is being connected for the first time.
    Connecting,
    /// It receives events.
    Connected,
    /// The connection was lost, and is being tried again.
    Reconnecting,
}

/// Something that has happened, as the daemon tells it.
#[derive(Debug, Clone, PartialEq)]
pub struct Event(Map<String, Value>);

impl Event {
    /// Its type, such as `task_started`.
    pub fn kind(&self) -> &str {
        self.text("type").unwrap_or_default()
    }

    /// What it says.
    pub fn payload(&self) -> &Value {
        self.0.get("payload").unwrap_or(&Value::Null)
    }

    /// Its number, which is larger than that of every event before it.
    pub fn seq(&self) -> i64 {
        self.0.get("seq").and_then(Value::as_i64).unwrap_or_default()
    }

    /// When it happened.
    pub fn timestamp(&self) -> &str {
        self.text("timestamp").unwrap_or_default()
    }

    /// The workflow that it belongs to.
    pub fn workflow_id(&self) -> Option<&str> {
        self.text("workflowId")
    }

    /// The session that it belongs to.
    pub fn session_id(&self) -> Option<&str> {
        self.text("sessionId")
    }

    /// All of it.
    pub fn envelope(&self) -> &Map<String, Value> {
        &self.0
    }

    fn text(&self, member: &str) -> Option<&str> {
        self.0.get(member)?.as_str()
    }

    fn read<T: DeserializeOwned>(&self) -> Option<T> {
        T::deserialize(self.payload()).ok()
    }
}

/// How a workflow is begun.
#[derive(Debug, Clone, Default)]
pub struct OrchestrationOptions {
    /// In which session; in a new one, if none is named.
    pub session_id: Option<String>,
    /// The folder of the new session; that of this process, if none is named.
    pub project_path: Option<String>,
    /// Whether to wait until the workflow has ended.
    pub blocking: bool,
}

/// A workflow that has begun.
#[derive(Debug, Clone, PartialEq)]
pub struct StartedWorkflow {
    /// The workflow.
    pub workflow_id: String,
    /// The message that has begun it.
    pub message_id: String,
    /// Its session.
    pub session_id: Option<String>,
    /// What came of it, where that was waited for.
    pub result: Option<Value>,
}

type EventHandler = Arc<dyn Fn(&Event) + Send + Sync>;
type StateHandler = Arc<dyn Fn(ConnectionState) + Send + Sync>;
type Answer = Pin<Box<dyn Future<Output = Option<String>> + Send>>;
type DecisionHandler = Arc<dyn Fn(UserDecisionRequired) -> Answer + Send + Sync>;

/// What drives a daemon. Everything that a [`Client`] asks can be asked of it as well.
///
/// Handlers are called one after the other, in the order of the events; one that panics keeps the others from nothing. The
/// handler of decisions has a task of its own for each decision.
pub struct FingerClient {
    client: Client,
    shared: Arc<Shared>,
}

struct Shared {
    client: Client,
    retry: RetryPolicy,
    state: watch::Sender<ConnectionState>,
    registry: Mutex<Registry>,
    own: Ownership,
}

#[derive(Default)]
struct Registry {
    next: u64,
    events: Vec<(u64, Selection, EventHandler)>,
    states: Vec<(u64, StateHandler)>,
    decide: Option<(DecisionScope, DecisionHandler)>,
    /// The decisions that the handler was called for, once each, and those that may be for others.
    asked: HashSet<String>,
    /// Those of them that it has not answered yet.
    answering: HashMap<String, AbortHandle>,
    /// What listens.
    listening: Option<AbortHandle>,
}

/// A handler that is called until it is taken back.
#[must_use = "the handler is taken back by it"]
pub struct HandlerGuard {
    id: u64,
    shared: Weak<Shared>,
}

impl HandlerGuard {
    /// Takes the handler back: it is not called any more.
    pub fn unsubscribe(self) {
        if let Some(shared) = self.shared.upgrade() {
            let mut registry = shared.registry();
            registry.events.retain(|(id, ..)| *id != self.id);
            registry.states.retain(|(id, _)| *id != self.id);
        }
    }
}

impl Deref for FingerClient {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl FingerClient {
    /// A client of the daemon that `client` asks. It is not connected yet.
    pub fn new(client: Client, retry: RetryPolicy) -> Self {
        let (state, _) = watch::channel(ConnectionState::Disconnected);
        let registry = Mutex::default();
        let shared =
            Arc::new(Shared { client: client.clone(), retry, state, registry, own: Ownership::default() });
        Self { client, shared }
    }

    /// How it stands to the daemon.
    pub fn connection_state(&self) -> ConnectionState {
        *self.shared.state.borrow()
    }

    /// Listens to the daemon from now on, and asks for the pending decisions. Does nothing if connected or connecting.
    ///
    /// # Errors
    ///
    /// When the daemon cannot be reached.
    pub async fn connect(&self) -> Result<(), ClientError> {
        let begun = self.shared.state.send_if_modified(|state| {
            let is_apart = *state == ConnectionState::Disconnected;
            if is_apart {
                *state = ConnectionState::Connecting;
            }
            is_apart
        });
        if !begun {
            return Ok(());
        }
        self.shared.notify_state(ConnectionState::Connecting);
        let nowhere_else: fn() -> Option<Client> = || None;
        let following = self.client.follow(Subscription::default(), self.shared.retry, nowhere_else).await;
        let following = match following {
            Ok(following) => following,
            Err(error) => {
                self.shared.enter(ConnectionState::Disconnected);
                return Err(error);
            }
        };
        let listening = tokio::spawn(listen(Arc::clone(&self.shared), following));
        self.shared.registry().listening = Some(listening.abort_handle());
        self.shared.enter(ConnectionState::Connected);
        self.shared.ask_pending().await
    }

    /// Listens no longer. Decisions that are being answered are left as they are.
    pub fn disconnect(&self) {
        let mut registry = self.shared.registry();
        let listening = registry.listening.take();
        let answering = std::mem::take(&mut registry.answering);
        for id in answering.keys() {
            // After a reconnection the handler is asked again.
            registry.asked.remove(id);
        }
        drop(registry);
        listening.into_iter().chain(answering.into_values()).for_each(|task| task.abort());
        if self.connection_state() != ConnectionState::Disconnected {
            self.shared.enter(ConnectionState::Disconnected);
        }
    }

    /// Calls `handler` with every event whose type one of the patterns names, in which `*` stands for any characters.
    ///
    /// # Errors
    ///
    /// When there are too many patterns, or one is too long.
    pub fn subscribe(
        &self,
        patterns: &[&str],
        handler: impl Fn(&Event) + Send + Sync + 'static,
    ) -> Result<HandlerGuard, SelectionFull> {
        let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        let mut selection = Selection::default();
        selection.add(&patterns, &[])?;
        Ok(self.shared.register(|registry, id| registry.events.push((id, selection, Arc::new(handler)))))
    }

    /// Calls `handler` with every event.
    pub fn subscribe_all(&self, handler: impl Fn(&Event) + Send + Sync + 'static) -> HandlerGuard {
        let handler = Arc::new(handler);
        self.shared.register(|registry, id| registry.events.push((id, Selection::default(), handler)))
    }

    /// Calls `handler` whenever it stands otherwise to the daemon.
    pub fn on_state_change(&self, handler: impl Fn(ConnectionState) + Send + Sync + 'static) -> HandlerGuard {
        self.shared.register(|registry, id| registry.states.push((id, Arc::new(handler))))
    }

    /// Has `handler` decide for the workflows that this client has begun ([`FingerClient::orchestrate`]) or resumed
    /// ([`FingerClient::resume_session`]), and what it has asked itself ([`FingerClient::create_decision`]). For other decisions
    /// there is [`FingerClient::on_decision_of`].
    ///
    /// The handler is called once for each decision, also for those that were open before, and what it returns is the answer;
    /// with `None` the decision stays open for others. Where that is no answer to it, the handler is called again, five times in
    /// all; then it stays open as well. Where another client has decided meanwhile, it is broken off. Subscribers get every
    /// decision.
    pub fn on_decision<F>(&self, handler: impl Fn(UserDecisionRequired) -> F + Send + Sync + 'static)
    where
        F: Future<Output = Option<String>> + Send + 'static,
    {
        self.on_decision_of(DecisionScope::Own, handler);
    }

    /// The same for the decisions of this scope. There is one handler: a later one takes its place.
    pub fn on_decision_of<F>(
        &self,
        scope: DecisionScope,
        handler: impl Fn(UserDecisionRequired) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = Option<String>> + Send + 'static,
    {
        self.shared.registry().decide = Some((scope, Arc::new(move |asked| Box::pin(handler(asked)))));
        if self.connection_state() == ConnectionState::Connected {
            let shared = Arc::clone(&self.shared);
            tokio::spawn(async move { shared.ask_pending().await });
        }
    }

    /// Begins a workflow.
    ///
    /// # Errors
    ///
    /// When there is no such session, where it was waited for also when the workflow has failed, and when there is no answer.
    pub async fn orchestrate(
        &self,
        task: &str,
        how: &OrchestrationOptions,
    ) -> Result<StartedWorkflow, ClientError> {
        let mut message = json!({ "content": task });
        // A session that is there has its own folder.
        let here = || std::env::current_dir().ok().map(|folder| folder.to_string_lossy().into_owned());
        let is_new = how.session_id.is_none();
        let folder = how.project_path.clone().or_else(|| is_new.then(here).flatten());
        for (member, value) in [("sessionId", &how.session_id), ("projectPath", &folder)] {
            if let Some(value) = value {
                message[member] = json!(value);
            }
        }
        // The handler of its decisions has to know the workflow before a blocking request returns.
        let callback_id = how.blocking.then(new_key).transpose()?;
        let own = &self.shared.own;
        let _awaited = callback_id.clone().map(|callback| own.wait_for(callback));
        let beginning = (!how.blocking).then(|| own.begin());
        let message = MessageRequest {
            target: ORCHESTRATOR.to_owned(),
            message,
            blocking: how.blocking.then_some(true),
            sender: None,
            callback_id,
        };
        let accepted = self.client.send(&message).await?;
        let workflow_id =
            accepted.workflow_id.ok_or_else(|| self.client.unintelligible("no workflow".to_owned()))?;
        own.add_workflow(workflow_id.clone());
        drop(beginning);
        Ok(StartedWorkflow {
            workflow_id,
            message_id: accepted.message_id,
            session_id: accepted.session_id,
            result: accepted.result,
        })
    }

    /// Lets a session go on, from its last checkpoint where none is named; from then on its workflow is one of this client's.
    ///
    /// # Errors
    ///
    /// When there is nothing to go on with, and when there is no answer.
    pub async fn resume_session(
        &self,
        session: &str,
        checkpoint: Option<&str>,
    ) -> Result<SessionResumption, ClientError> {
        let beginning = self.shared.own.begin();
        let resumed = self.client.resume_session(session, checkpoint).await?;
        let Some(workflow) = resumed.workflow_id.clone() else { return Ok(resumed) };
        self.shared.own.add_workflow(workflow);
        drop(beginning);
        // Its questions may have been open for a while.
        if self.connection_state() == ConnectionState::Connected {
            self.shared.ask_pending().await?;
        }
        Ok(resumed)
    }

    /// Asks a person. The handler of decisions is asked as well.
    ///
    /// # Errors
    ///
    /// When it is no question, and when there is no answer.
    pub async fn create_decision(&self, asked: &DecisionRequest) -> Result<DecisionCreated, ClientError> {
        let _beginning = self.shared.own.begin();
        let created = self.client.create_decision(asked).await?;
        self.shared.own.add_decision(created.decision_id.clone());
        Ok(created)
    }

    /// Waits until a decision has ended, in whichever way.
    ///
    /// # Errors
    ///
    /// When there is none, when it is still open `within` that time, and when there is no answer.
    pub async fn wait_for_decision(&self, id: &str, within: Duration) -> Result<DecisionView, ClientError> {
        let ended = async {
            loop {
                let decision = self.client.decision(id, Some(LONG_POLL_SECONDS)).await?;
                if decision.status != DecisionStatus::Pending.name() {
                    return Ok(decision);
                }
            }
        };
        let ended = tokio::time::timeout(within, ended).await;
        ended.unwrap_or(Err(ClientError::TimedOut { after: within }))
    }
}

impl Drop for FingerClient {
    fn drop(&mut self) {
        self.disconnect();
    }
}

/// What has become of an answer.
#[derive(PartialEq, Eq)]
enum AnswerStatus {
    /// Nothing can be added to it.
    Settled,
    /// The daemon says that it is none.
    None,
}

impl Shared {
    /// No handler is called while this is held.
    fn registry(&self) -> MutexGuard<'_, Registry> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn register(self: &Arc<Self>, add: impl FnOnce(&mut Registry, u64)) -> HandlerGuard {
        let mut registry = self.registry();
        let id = registry.next;
        registry.next += 1;
        add(&mut registry, id);
        HandlerGuard { id, shared: Arc::downgrade(self) }
    }

    fn enter(&self, state: ConnectionState) {
        self.state.send_replace(state);
        self.notify_state(state);
    }

    fn notify_state(&self, state: ConnectionState) {
        let handlers: Vec<StateHandler> =
            self.registry().states.iter().map(|(_, handler)| Arc::clone(handler)).collect();
        for handler in handlers {
            // What one of them does wrong is not for the others to suffer.
            let _ = catch_unwind(AssertUnwindSafe(|| handler(state)));
        }
    }

    fn dispatch(self: &Arc<Self>, event: &Event) {
        let kind = EventType::named(event.kind());
        let is_wanted = |selection: &Selection| match kind {
            Some(kind) => selection.has(kind),
            // An event type of a later version goes to subscribers to all events.
            None => *selection == Selection::default(),
        };
        let handlers: Vec<EventHandler> = {
            let registry = self.registry();
            let wanted = registry.events.iter().filter(|(_, selection, _)| is_wanted(selection));
            wanted.map(|(.., handler)| Arc::clone(handler)).collect()
        };
        for handler in handlers {
            let _ = catch_unwind(AssertUnwindSafe(|| handler(event)));
        }
        match kind {
            Some(EventType::UserDecisionRequired) => {
                if let Some(asked) = event.read() {
                    self.ask(asked);
                }
            }
            Some(EventType::UserDecisionReceived) => {
                if let Some(UserDecisionReceived { decision_id, .. }) = event.read() {
                    let answering = self.registry().answering.remove(&decision_id);
                    answering.into_iter().for_each(|task| task.abort());
                }
            }
            _ => {}
        }
    }

    /// Whether the handler is to answer it. What cannot be asked now is asked again, as long as this is connected.
    async fn is_for_handler(&self, scope: &DecisionScope, asked: &UserDecisionRequired) -> bool {
        loop {
            match self.own.covers(scope, asked, &self.client).await {
                Ok(covers) => return covers,
                Err(error) if error.may_pass() => tokio::time::sleep(self.retry.interval).await,
                Err(_) => return false,
            }
        }
    }

    /// Asks the handler for the decisions that are open, but for those that it was asked for already.
    async fn ask_pending(self: &Arc<Self>) -> Result<(), ClientError> {
        if self.registry().decide.is_none() {
            return Ok(());
        }
        let pending = self.client.decisions(None, Some(DecisionStatus::Pending.name())).await?;
        for DecisionView { decision_id, workflow_id, message, options, .. } in pending.decisions {
            self.ask(UserDecisionRequired { decision_id, workflow_id, message, options });
        }
        Ok(())
    }

    fn ask(self: &Arc<Self>, asked: UserDecisionRequired) {
        let mut registry = self.registry();
        let Some((scope, decide)) = registry.decide.clone() else { return };
        if !registry.asked.insert(asked.decision_id.clone()) {
            return;
        }
        let (shared, id) = (Arc::clone(self), asked.decision_id.clone());
        let answering = tokio::spawn(async move {
            let id = asked.decision_id.clone();
            if !shared.is_for_handler(&scope, &asked).await {
                let mut registry = shared.registry();
                // It may be for the handler later, or for a later handler.
                registry.asked.remove(&id);
                registry.answering.remove(&id);
                return;
            }
            for _ in 0..MAX_QUERIES {
                let Some(answer) = decide(asked.clone()).await else { break };
                if shared.answer(&id, &answer).await != AnswerStatus::None {
                    break;
                }
            }
            shared.registry().answering.remove(&id);
        });
        // The task cannot have removed what it has not: it needs what is held here.
        registry.answering.insert(id, answering.abort_handle());
    }

    /// Gives an answer, if need be once the daemon is there again.
    async fn answer(&self, id: &str, answer: &str) -> AnswerStatus {
        let mut state = self.state.subscribe();
        loop {
            // What changes from here on is seen below.
            if *state.borrow_and_update() == ConnectionState::Disconnected {
                return AnswerStatus::Settled;
            }
            match self.client.respond(id, answer).await {
                Err(error) if error.may_pass() => {}
                Err(ClientError::Refused { refusal, .. }) if refusal.code == ErrorCode::InvalidResponse => {
                    return AnswerStatus::None;
                }
                // It is the answer, or another was faster: an event tells subscribers which one stands.
                _ => return AnswerStatus::Settled,
            }
            // It may be a while until it is noticed that the connection is lost, if it is.
            let _ = tokio::time::timeout(self.retry.interval, state.changed()).await;
            let is_settled = |state: &ConnectionState| {
                matches!(state, ConnectionState::Connected | ConnectionState::Disconnected)
            };
            if state.wait_for(is_settled).await.is_err() {
                return AnswerStatus::Settled;
            }
        }
    }
}

async fn listen(shared: Arc<Shared>, mut following: Follower<fn() -> Option<Client>>) {
    loop {
        match following.next().await {
            Ok(FollowUpdate::Event(event)) => shared.dispatch(&Event(event)),
            Ok(FollowUpdate::Lost | FollowUpdate::Silent) => shared.enter(ConnectionState::Reconnecting),
            Ok(heard @ (FollowUpdate::Back | FollowUpdate::Gap(_))) => {
                if heard == FollowUpdate::Back {
                    shared.enter(ConnectionState::Connected);
                }
                // What cannot be asked now is asked when the connection is there again.
                let _ = shared.ask_pending().await;
            }
            Err(_) => {
                shared.registry().listening = None;
                shared.enter(ConnectionState::Disconnected);
                return;
            }
        }
    }
}
