//! An engine whose agents say what a test has written for them.

use crate::crashing::{CrashingJournal, mortal};
use crate::support::{TestWorld, answer};
use decide::Desk as _;
use journal::{EventFilter, Journal as _, Query, Sqlite, Step, ViewExt as _};
use llm::{
    Cancellation, Format, Ledger, LlmError, Provider, RecordedAnswer, RecordedRequest, Reply, Request,
};
use model::{AnswerSheet, Ending, Returned, Via};
use protocol::workflow::{Refusal, SingleStage, ToolName, ToolPolicy, Trigger, WorkflowState};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Debug, Formatter};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};
use store::PublishOutcome;
use watchdog::Rank;
use workflow::tools::{ToolConfig, ToolSettings};
use workflow::{
    Courier, Couriers, DaemonTools, Engine, EngineLimits, Failure, JournalDesk, NewMessage, NewSession,
    PoolAgent, Providers, Runtime, Tool, Tools, Transition, Waker,
};

/// What an agent answers to a prompt that it is asked for the n-th time, from 0. An error is one of the provider.
pub(crate) type Script = dyn Fn(&AgentRequest) -> Result<String, LlmError> + Send + Sync;

/// What an agent is asked.
pub(crate) struct AgentRequest {
    /// Who.
    pub(crate) agent: String,
    /// Its role: `understand`, `route`, `plan`, `task-1`, …, `review`.
    pub(crate) role: String,
    pub(crate) prompt: String,
    /// How often this role was asked before.
    pub(crate) before: usize,
    /// The images that it is shown.
    pub(crate) images: Vec<String>,
    pub(crate) cancellation: Cancellation,
}

impl AgentRequest {
    /// How many steps the agent sees that it has done for its task.
    pub(crate) fn round(&self) -> usize {
        self.prompt.matches("\"observation\":").count()
    }

    pub(crate) fn is_repair(&self) -> bool {
        self.prompt.contains("Your last answer could not be used")
    }
}

/// A good answer.
pub(crate) fn says(action: &str, params: Value) -> String {
    json!({
        "thought": format!("{action} it is"), "action": action, "params": params, "expectedOutcome": "so",
        "risk": { "level": "low" }, "confidence": 90,
    })
    .to_string()
}

/// The answers that lead straight to a plan of these tasks, and to its acceptance.
pub(crate) fn smooth(asked: &AgentRequest, tasks: &Value) -> Option<String> {
    Some(match &*asked.role {
        "understand" => says("INTENT_ANALYSIS", json!({ "normalizedIntent": { "goal": "it" } })),
        "plan" => says("TASK_PLAN", json!({ "tasks": tasks })),
        "review" => says("REVIEW_APPROVE", json!({ "approved": true, "riskLevel": "low" })),
        _ => return None,
    })
}

/// How often something was asked, and everything that was.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) prompts: Mutex<Vec<(String, String)>>,
    /// What was shown with each of them.
    pub(crate) images: Mutex<Vec<Vec<String>>>,
    pub(crate) calls: Mutex<Vec<String>>,
}

struct ScriptedProvider {
    agent: String,
    script: Arc<Script>,
    log: Arc<Log>,
}

impl Debug for ScriptedProvider {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.agent)
    }
}

impl Provider for ScriptedProvider {
    fn name(&self) -> &str {
        "scripted"
    }

    fn format(&self) -> Format {
        Format::Plain
    }

    fn ask(
        &self,
        request: &Request,
        ledger: &dyn Ledger,
        cancellation: &Cancellation,
    ) -> Result<Reply, LlmError> {
        let recorded = RecordedRequest {
            attempt: 1,
            provider: "scripted",
            format: Format::Plain,
            target: "script",
            model: None,
            prompt: &request.prompt,
            wants_json: request.wants_json,
            idempotency_key: request.idempotency_key.as_deref(),
        };
        ledger.request(&recorded).map_err(|source| LlmError::NotRecorded { source, raw: None })?;
        let role = role_of(&request.prompt);
        let images: Vec<String> = request.images.iter().map(|image| format!("{image:?}")).collect();
        let before = {
            let mut prompts = self.log.prompts.lock().unwrap();
            let before = prompts.iter().filter(|(known, _)| *known == role).count();
            prompts.push((role.clone(), request.prompt.clone()));
            self.log.images.lock().unwrap().push(images.clone());
            before
        };
        let (agent, prompt, cancelled) = (self.agent.clone(), request.prompt.clone(), cancellation.clone());
        let text =
            (self.script)(&AgentRequest { agent, role, prompt, before, images, cancellation: cancelled })?;
        if cancellation.is_cancelled() {
            return Err(LlmError::Cancelled);
        }
        let recorded =
            RecordedAnswer { attempt: 1, format: Format::Plain, raw: text.as_bytes(), took: Duration::ZERO };
        ledger.answer(&recorded).map_err(|source| LlmError::NotRecorded { source, raw: None })?;
        let answer = llm::read(Format::Plain, text.as_bytes())?;
        Ok(Reply { answer, raw: text.into_bytes(), took: Duration::ZERO, attempts: 1 })
    }
}

fn role_of(prompt: &str) -> String {
    for (begin, role) in [
        ("You understand", "understand"),
        ("You decide", "route"),
        ("You plan", "plan"),
        ("You review", "review"),
    ] {
        if prompt.starts_with(begin) {
            return role.to_owned();
        }
    }
    let task = prompt.split("Your task:\n<<<data\n").nth(1).unwrap().lines().next().unwrap();
    serde_json::from_str::<Value>(task).unwrap()["id"].as_str().unwrap().to_owned()
}

/// Whether each tool may be used; those that are absent are not there.
type Policies = Arc<Mutex<HashMap<ToolName, ToolPolicy>>>;

/// Tools that note that they were used.
struct RecordingTools {
    policies: Policies,
    log: Arc<Log>,
}

impl Tools for RecordingTools {
    fn list(&self, _: Option<&Path>) -> Vec<Tool> {
        // As those of a daemon, which look in the journal.
        watchdog::check(Rank::View, "the policies of tools");
        self.policies
            .lock()
            .unwrap()
            .iter()
            .map(|(name, policy)| Tool { name: *name, policy: *policy })
            .collect()
    }

    fn can_search(&self) -> bool {
        self.policies.lock().unwrap().contains_key(&ToolName::WebSearch)
    }

    fn run(
        &self,
        _: Option<&Path>,
        tool: ToolName,
        params: &Map<String, Value>,
        _: &Cancellation,
    ) -> Result<Value, String> {
        self.log.calls.lock().unwrap().push(format!("{tool} {}", Value::Object(params.clone())));
        match params.get("query").and_then(Value::as_str) {
            Some("fail") => Err("no network".to_owned()),
            Some("long") => Ok(json!("long ".repeat(1 << 20))),
            _ => Ok(json!(format!("{tool} done"))),
        }
    }
}

/// A place in which an engine drives.
pub(crate) struct Studio {
    pub(crate) runtime: Arc<Runtime>,
    /// That of the engine, which alone knows what is under way.
    pub(crate) of_engine: Arc<Runtime>,
    pub(crate) journal: Arc<CrashingJournal>,
    pub(crate) world: Arc<TestWorld>,
    pub(crate) log: Arc<Log>,
    inner: Arc<Sqlite>,
    news: Arc<(Mutex<u64>, Condvar)>,
    waker: Waker,
    pace: EngineLimits,
    pool: Vec<PoolAgent>,
    couriers: Couriers,
    policies: Policies,
    /// The tools of a daemon, instead of those that only note that they were used.
    real: Option<ToolSettings>,
    script: Arc<Script>,
    engine: Option<Engine>,
    /// Whether the engine is started while nothing that was left behind is marked.
    is_recovering: bool,
}

impl Studio {
    pub(crate) fn new(
        script: impl Fn(&AgentRequest) -> Result<String, LlmError> + Send + Sync + 'static,
    ) -> Self {
        let news: Arc<(Mutex<u64>, Condvar)> = Arc::default();
        let waker = Waker::default();
        let (told, woken) = (Arc::clone(&news), waker.clone());
        let inner = Sqlite::in_memory(Box::new(move |events| {
            woken.wake(events.iter().filter_map(|event| event.workflow.as_deref()));
            *told.0.lock().unwrap() += 1;
            told.1.notify_all();
        }));
        let inner = Arc::new(inner.unwrap());
        let world = Arc::new(TestWorld::default());
        let journal = mortal(&inner, i64::MAX);
        let policies =
            HashMap::from([(ToolName::WebSearch, ToolPolicy::Ask), (ToolName::WriteFile, ToolPolicy::Allow)]);
        let runtime = Arc::new(Runtime::new(journal.clone(), world.clone()));
        Self {
            of_engine: Arc::clone(&runtime),
            runtime,
            journal,
            world,
            log: Arc::default(),
            inner,
            news,
            waker,
            pace: EngineLimits { backoff: 1, max_backoff: 1, ..EngineLimits::default() },
            pool: PoolAgent::usual(),
            couriers: Couriers::new(),
            policies: Arc::new(Mutex::new(policies)),
            real: None,
            script: Arc::new(script),
            engine: None,
            is_recovering: false,
        }
    }

    /// From the next start on, the recovery begins with the engine, and never comes to its end.
    pub(crate) fn is_killed_while_it_recovers(&mut self) {
        self.is_recovering = true;
    }

    pub(crate) fn paced(mut self, change: impl FnOnce(&mut EngineLimits)) -> Self {
        change(&mut self.pace);
        self
    }

    pub(crate) fn with_policy(self, tool: ToolName, policy: ToolPolicy) -> Self {
        self.set_policy(tool, policy);
        self
    }

    /// The tool is not there.
    pub(crate) fn without(self, tool: ToolName) -> Self {
        self.policies.lock().unwrap().remove(&tool);
        self
    }

    /// From now on it holds of the tool.
    pub(crate) fn set_policy(&self, tool: ToolName, policy: ToolPolicy) {
        self.policies.lock().unwrap().insert(tool, policy);
    }

    /// Uses real tools, all of which are allowed.
    pub(crate) fn with_real_tools(mut self, config: ToolConfig) -> Self {
        let policies = ToolName::ALL.iter().map(|tool| (*tool, ToolPolicy::Allow)).collect();
        self.real = Some(ToolSettings { config, policies });
        self
    }

    pub(crate) fn with_pool(mut self, pool: Vec<PoolAgent>) -> Self {
        self.pool = pool;
        self
    }

    /// The agent of this name works elsewhere, and has its tasks carried to it.
    pub(crate) fn with_courier(mut self, agent: &str, courier: Arc<dyn Courier>) -> Self {
        self.couriers.insert(agent.to_owned(), courier);
        self
    }

    /// Starts the engine, on a journal that accepts this many changes from now on.
    pub(crate) fn start_for(&mut self, changes: i64) {
        self.engine = None;
        let runtime = Runtime::new(mortal(&self.inner, i64::MAX), self.world.clone());
        let answered: Vec<_> = self.pool.iter().map(|agent| agent.id.clone()).collect();
        self.runtime = Arc::new(runtime.with_answered(answered.clone()));
        self.runtime.set_pool(&self.pool).unwrap();
        if !self.is_recovering {
            self.runtime.recover().unwrap();
        }
        self.journal = mortal(&self.inner, changes);
        let settings = self.real.clone().unwrap_or_default();
        let runtime = Runtime::new(self.journal.clone(), self.world.clone()).with_tools(settings);
        let runtime = Arc::new(runtime.with_answered(answered));
        self.of_engine = Arc::clone(&runtime);
        if self.is_recovering {
            runtime.begin_recovery().unwrap();
            runtime.release_claims().unwrap();
            self.runtime = Arc::clone(&runtime);
        }
        let mind = |agent: &PoolAgent| {
            let (agent, script, log) = (agent.id.clone(), Arc::clone(&self.script), Arc::clone(&self.log));
            (agent.clone(), Arc::new(ScriptedProvider { agent, script, log }) as Arc<dyn Provider>)
        };
        let is_here = |agent: &&PoolAgent| !self.couriers.contains_key(&agent.id);
        let providers: Providers = self.pool.iter().filter(is_here).map(mind).collect::<BTreeMap<_, _>>();
        let tools: Arc<dyn Tools> = match self.real {
            Some(_) => Arc::new(DaemonTools::new(Arc::clone(&runtime))),
            None => {
                Arc::new(RecordingTools { policies: Arc::clone(&self.policies), log: Arc::clone(&self.log) })
            }
        };
        self.engine = Some(
            Engine::start(runtime, (providers, self.couriers.clone()), tools, self.pace, self.waker.clone())
                .unwrap(),
        );
    }

    pub(crate) fn start(mut self) -> Self {
        self.start_for(i64::MAX);
        self
    }

    /// Ends the engine as if it were killed: what it has begun is not continued.
    pub(crate) fn stop(&mut self) {
        self.engine = None;
    }

    /// Begins a workflow; returns it and its session.
    pub(crate) fn begin(&self, task: &str) -> (String, String) {
        let said = self.send("finger-orchestrator", json!({ "content": task })).unwrap();
        let text = |key: &str| said[key].as_str().unwrap().to_owned();
        (text("workflowId"), text("sessionId"))
    }

    /// Begins a workflow of a session that is about this folder.
    pub(crate) fn begin_in(&self, folder: &Path, task: &str) -> String {
        let project_path = Some(folder.to_str().unwrap().to_owned());
        let session = self.runtime.create_session(None, &NewSession { name: None, project_path }).unwrap();
        let session: Value = serde_json::from_str(&session).unwrap();
        let message = json!({ "content": task, "sessionId": session["id"] });
        let said = self.send("finger-orchestrator", message).unwrap();
        said["workflowId"].as_str().unwrap().to_owned()
    }

    /// Begins a phase alone; returns its workflow and its message.
    #[track_caller]
    pub(crate) fn begin_stage(&self, stage: SingleStage, message: Value) -> (String, String) {
        let said = self.send(stage.module(), message).unwrap();
        let text = |key: &str| said[key].as_str().unwrap().to_owned();
        (text("workflowId"), text("messageId"))
    }

    pub(crate) fn send(&self, target: &str, message: Value) -> Result<Value, Refusal> {
        let new = NewMessage {
            target: target.to_owned(),
            message,
            sender: None,
            is_awaited: false,
            callback_id: None,
        };
        answer(self.runtime.send(None, &new))
    }

    pub(crate) fn step(&self, workflow: &str, trigger: &str, context: Value) -> Result<Value, Refusal> {
        let context = serde_json::from_value(context).unwrap();
        let transition = Transition { trigger: Trigger::named(trigger).unwrap(), context };
        answer(self.runtime.transition(None, workflow, &transition))
    }

    /// Lets time pass for all waiters, and has the engine look.
    pub(crate) fn nudge(&self) {
        self.world.pass(500);
        self.waker.wake([]);
    }

    /// Waits until the engine has had a whole round, which it begins now.
    #[track_caller]
    pub(crate) fn has_a_round(&self) {
        // The first may have begun before; the next one begins when it has ended.
        for _ in 0..2 {
            let before = self.journal.claims.load(Ordering::Relaxed);
            self.waker.wake([]);
            let is_later = |studio: &Self| studio.journal.claims.load(Ordering::Relaxed) > before;
            self.until("a round", |studio| is_later(studio).then_some(()));
        }
    }

    /// Has the engine look at a workflow, and waits until it has done so. A round that had begun before may still claim the
    /// first of the stages and the next round the second, so only the third shows that a round with the workflow has ended.
    #[track_caller]
    pub(crate) fn is_looked_at(&self, workflow: &str) {
        self.waker.wake([workflow]);
        for _ in 0..3 {
            let (other, _) = self.begin_stage(SingleStage::Understand, json!("y"));
            self.reaches(&other, WorkflowState::Completed);
        }
    }

    /// Waits until this holds; looks whenever something has happened. The deadline is for what never comes, also on a busy machine.
    #[track_caller]
    pub(crate) fn until<T>(&self, what: &str, look: impl Fn(&Self) -> Option<T>) -> T {
        let deadline = Instant::now() + Duration::from_secs(120);
        loop {
            let seen = *self.news.0.lock().unwrap();
            if let Some(found) = look(self) {
                return found;
            }
            assert!(Instant::now() < deadline, "{what}: {:#?}", self.brief());
            let guard = self.news.0.lock().unwrap();
            let is_old = |news: &mut u64| *news == seen;
            drop(self.news.1.wait_timeout_while(guard, Duration::from_millis(10), is_old).unwrap());
        }
    }

    #[track_caller]
    pub(crate) fn reaches(&self, workflow: &str, state: WorkflowState) {
        self.until(state.name(), |studio| (studio.state(workflow) == state).then_some(()));
    }

    pub(crate) fn state(&self, workflow: &str) -> WorkflowState {
        self.runtime.state(workflow).unwrap().fsm_state
    }

    /// Waits for the next pending decision, and returns its ID and its question.
    #[track_caller]
    pub(crate) fn asked(&self) -> (String, String) {
        self.until("a decision", |studio| {
            let pending =
                studio.runtime.decisions(None, Some(protocol::workflow::DecisionStatus::Pending)).unwrap();
            pending.into_iter().next().map(|decision| (decision.decision_id, decision.message))
        })
    }

    /// Answers the next decision, which must be this.
    #[track_caller]
    pub(crate) fn decide(&self, question: &str, response: &str) {
        let (id, asked) = self.asked();
        assert_eq!(asked, question);
        answer(self.runtime.respond(None, &id, response)).unwrap();
    }

    /// Ends the next decision as its page does: with the options in these places, or sent back without any, and with words.
    #[track_caller]
    pub(crate) fn decide_on_page(&self, question: &str, options: Option<Vec<u32>>, words: &str) {
        let (_, asked) = self.asked();
        assert_eq!(asked, question);
        let desk = JournalDesk::new(Arc::clone(&self.runtime));
        let pending = desk.open().unwrap().pop().unwrap();
        let (_, questions) = desk.get(&pending.session).unwrap().unwrap();
        let note = words.to_owned();
        let ending = match options {
            None => Ending::Returned(Returned { message: note, items: vec![1] }),
            Some(options) => {
                let answers = vec![model::Answer { id: 1, options, note, ..model::Answer::default() }];
                let sheet = AnswerSheet { answers, returned: None };
                Ending::Decided(sheet.decide(questions.input(), &model::Attachments::new()).unwrap())
            }
        };
        let published = desk.publish(&pending, &questions, ending, Via::Page).unwrap();
        assert!(matches!(published, PublishOutcome::Won(_)), "{published:?}");
    }

    /// The prompts of this role, in the order in which they were asked.
    pub(crate) fn prompts_of(&self, role: &str) -> Vec<String> {
        let prompts = self.log.prompts.lock().unwrap();
        prompts.iter().filter(|(known, _)| known == role).map(|(_, prompt)| prompt.clone()).collect()
    }

    pub(crate) fn events(&self) -> Vec<(String, Value)> {
        let told = |event: journal::Event| {
            (event.kind.name().to_owned(), serde_json::from_str(&event.payload).unwrap())
        };
        self.rows().into_iter().map(told).collect()
    }

    pub(crate) fn brief(&self) -> Vec<String> {
        crate::support::brief(&self.events())
    }

    /// The events as they are kept.
    pub(crate) fn rows(&self) -> Vec<journal::Event> {
        self.inner.view().unwrap().events(&EventFilter::after(0, u32::MAX)).unwrap()
    }

    pub(crate) fn steps(&self, workflow: &str) -> Vec<Step> {
        self.inner.view().unwrap().find(&Query::steps_of(workflow)).unwrap()
    }

    /// How often each prompt was asked.
    pub(crate) fn prompts(&self) -> Vec<(String, usize)> {
        let mut counts: Vec<((String, String), usize)> = Vec::new();
        for asked in self.log.prompts.lock().unwrap().iter() {
            match counts.iter_mut().find(|(known, _)| known == asked) {
                Some((_, count)) => *count += 1,
                None => counts.push((asked.clone(), 1)),
            }
        }
        counts.into_iter().map(|((role, _), count)| (role, count)).collect()
    }

    pub(crate) fn calls(&self) -> Vec<String> {
        self.log.calls.lock().unwrap().clone()
    }

    pub(crate) fn resume(&self, session: &str) -> Result<Value, Refusal> {
        match self.runtime.resume_session(None, session, None) {
            Ok(body) => Ok(serde_json::from_str(&body).unwrap()),
            Err(Failure::Refused(refusal)) => Err(refusal),
            Err(error) => panic!("{error}"),
        }
    }
}
