//! An agent in a folder of its own.

use agent::heartbeat::{Event, Heartbeat, Tick};
use agent::{
    AgentFolder, Clock, CommandAdmission, CommandEnd, CurrentCall, ExecutionError, Executor, Finish,
    InlineLimits, Rules, sha256,
};
use llm::{
    Cancellation, Format, Ledger, LlmError, Provider, RecordedAnswer, RecordedRequest, Reply, Request,
};
use protocol::agent::{Order, Timestamp};
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::{BTreeMap, HashSet};
use std::fmt::{self, Debug, Formatter};
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;
use tempfile::TempDir;

/// 2026-01-12T09:00:00Z
pub(crate) const START: i64 = 1_768_208_400;
pub(crate) const PLAN: &str = "plan_7f3e91ab";

/// A clock that is set by hand.
pub(crate) struct FakeClock {
    pub(crate) seconds: Cell<i64>,
    pub(crate) next: Cell<u128>,
}

impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix(self.seconds.get())
    }

    fn random(&self) -> u128 {
        self.next.set(self.next.get() + 1);
        self.next.get()
    }
}

type Answers = dyn Fn(&str) -> Result<Vec<u8>, LlmError> + Send + Sync;

/// Answers as the test says, and gives no recorded answer twice.
pub(crate) struct FakeProvider {
    answers: Box<Answers>,
    pub(crate) prompts: Mutex<Vec<String>>,
    recorded: Mutex<HashSet<String>>,
}

impl Debug for FakeProvider {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str("FakeProvider")
    }
}

impl Provider for FakeProvider {
    fn name(&self) -> &str {
        "fake"
    }

    fn format(&self) -> Format {
        Format::Plain
    }

    fn ask(&self, request: &Request, ledger: &dyn Ledger, cancel: &Cancellation) -> Result<Reply, LlmError> {
        let key = request.idempotency_key.clone().unwrap();
        assert!(!self.recorded.lock().unwrap().contains(&key), "{key} was answered already");
        let not_recorded = |source| LlmError::NotRecorded { source, raw: None };
        ledger
            .request(&RecordedRequest {
                attempt: 1,
                provider: "fake",
                format: Format::Plain,
                target: "fake",
                model: None,
                prompt: &request.prompt,
                wants_json: request.wants_json,
                idempotency_key: Some(&key),
            })
            .map_err(not_recorded)?;
        if cancel.is_cancelled() {
            return Err(LlmError::Cancelled);
        }
        self.prompts.lock().unwrap().push(request.prompt.clone());
        let raw = (self.answers)(&request.prompt)?;
        let took = Duration::from_millis(5);
        ledger
            .answer(&RecordedAnswer { attempt: 1, format: Format::Plain, raw: &raw, took })
            .map_err(|source| LlmError::NotRecorded { source, raw: Some(raw.clone()) })?;
        self.recorded.lock().unwrap().insert(key);
        let answer = llm::read(Format::Plain, &raw)?;
        Ok(Reply { answer, raw, took, attempts: 1 })
    }
}

/// A folder in memory, where the system has such: what a call that is forced to the disk waits for is not what is tested.
pub(crate) fn in_memory() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

pub(crate) struct Agent {
    pub(crate) _folder: TempDir,
    pub(crate) path: PathBuf,
    pub(crate) clock: FakeClock,
    pub(crate) provider: FakeProvider,
    pub(crate) cancellation: Cancellation,
    pub(crate) human_timeout: Option<Duration>,
    pub(crate) inline: InlineLimits,
    pub(crate) settle: Duration,
}

impl Agent {
    pub(crate) fn answering(answer: impl ToString) -> Self {
        let answer = answer.to_string();
        Self::with(move |_| Ok(answer.clone().into_bytes()))
    }

    pub(crate) fn with(answers: impl Fn(&str) -> Result<Vec<u8>, LlmError> + Send + Sync + 'static) -> Self {
        let folder = in_memory();
        let path = folder.path().join("agent_a");
        fs::create_dir(&path).unwrap();
        Self {
            _folder: folder,
            path,
            clock: FakeClock { seconds: Cell::new(START), next: Cell::new(0) },
            provider: FakeProvider {
                answers: Box::new(answers),
                prompts: Mutex::default(),
                recorded: Mutex::default(),
            },
            cancellation: Cancellation::default(),
            human_timeout: None,
            inline: InlineLimits::default(),
            settle: Duration::ZERO,
        }
    }

    /// Does something as the runtime of this agent.
    pub(crate) fn run<T>(
        &self,
        act: impl FnOnce(&Executor<'_>) -> Result<T, ExecutionError>,
    ) -> Result<T, String> {
        let folder = AgentFolder::open(&self.path, "test").map_err(|error| error.to_string())?;
        let executor = Executor {
            folder: &folder,
            clock: &self.clock,
            provider: &self.provider,
            people: None,
            call: &CurrentCall::default(),
            rules: Rules { human_timeout: self.human_timeout, inline: self.inline, settle: self.settle },
            cancellation: &self.cancellation,
        };
        act(&executor).map_err(|error| error.to_string())
    }

    /// Executes a document until it ends or waits.
    pub(crate) fn try_exec(&self, document: &Value) -> Result<Finish, String> {
        let bytes = document.to_string().into_bytes();
        self.run(|executor| {
            let order = Order::parse(&bytes).map_err(|error| panic!("{error:?}")).unwrap();
            let work = match executor.accept(order, &bytes)? {
                CommandAdmission::Ended(ended) => return Ok(Finish::Ended(ended)),
                CommandAdmission::Work(work) => work,
            };
            agent::finish(executor, &work, None, |_| {})
        })
    }

    pub(crate) fn exec(&self, document: &Value) -> Finish {
        self.try_exec(document).unwrap()
    }

    /// The end that it must come to.
    #[track_caller]
    pub(crate) fn ended(&self, document: &Value) -> CommandEnd {
        match self.exec(document) {
            Finish::Ended(ended) => *ended,
            other => panic!("{other:?}"),
        }
    }

    /// The code with which it must fail.
    #[track_caller]
    pub(crate) fn fails(&self, document: &Value) -> String {
        let failure = self.ended(document).failure.unwrap();
        failure.code.unwrap().to_string()
    }

    /// One tick of a heartbeat that was just started, and its events.
    pub(crate) fn try_tick(&self) -> Result<(Tick, Vec<Event>), String> {
        let mut events = Vec::new();
        let tick = self.run(|executor| Heartbeat::new(*executor).tick(&mut |event| events.push(event)))?;
        Ok((tick, events))
    }

    /// The events of a tick after a restart.
    #[track_caller]
    pub(crate) fn tick(&self) -> Vec<Event> {
        self.try_tick().unwrap().1
    }

    /// Puts a message into the inbox.
    pub(crate) fn drop(&self, name: &str, message: &Value) {
        self.write(&format!("inbox/{PLAN}/{name}"), message.to_string());
    }

    pub(crate) fn pending(&self) -> Vec<String> {
        self.list(&format!("inbox/{PLAN}/.pending"))
    }

    pub(crate) fn ack(&self, message: &str) -> Value {
        self.json(&format!("outbox/{PLAN}/ack_{message}.json"))
    }

    pub(crate) fn asked(&self) -> usize {
        self.provider.prompts.lock().unwrap().len()
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn input(&self, name: &str, content: &str) {
        self.write(&format!("workspace/{PLAN}/inputs/{name}"), content);
    }

    pub(crate) fn json(&self, path: &str) -> Value {
        let bytes = fs::read(self.path.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        serde_json::from_slice(&bytes).unwrap()
    }

    /// The files in a folder, by their names.
    pub(crate) fn list(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path.join(folder)) else { return Vec::new() };
        let entries = entries.map(|entry| entry.unwrap());
        let mut names: Vec<String> = entries
            .filter(|entry| entry.file_type().unwrap().is_file())
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    pub(crate) fn outbox(&self) -> Vec<String> {
        self.list(&format!("outbox/{PLAN}"))
    }

    pub(crate) fn in_outbox(&self, beginning: &str) -> Vec<Value> {
        // Other extensions do not matter.
        let names = self.outbox().into_iter();
        let names = names.filter(|name| name.starts_with(beginning) && name.ends_with(".json"));
        names.map(|name| self.json(&format!("outbox/{PLAN}/{name}"))).collect()
    }

    pub(crate) fn state(&self) -> Value {
        self.json(&format!("outbox/{PLAN}/task_state_task_a.json"))
    }

    /// An artifact in the inbox, with its files beside it.
    pub(crate) fn arrives(&self, message: &str, task: &str, files: &[(&str, &str)]) {
        for (path, content) in files {
            self.write(&format!("inbox/{PLAN}/{path}"), content);
        }
        let listed =
            files.iter().map(|(path, content)| json!({ "path": path, "sha256": sha256(content.as_bytes()) }));
        let listed: Vec<Value> = listed.collect();
        self.write(
            &format!("inbox/{PLAN}/artifact_{message}.msg.json"),
            artifact(message, task, &listed).to_string(),
        );
    }

    pub(crate) fn file_arrived(&self) -> Result<(), String> {
        self.run(|executor| executor.file_arrived(&executor.folder.plan(&PLAN.parse().unwrap())?))
    }

    /// Every artifact that is published has its files, whole.
    pub(crate) fn published_is_whole(&self) {
        for envelope in self.in_outbox("artifact_") {
            for file in envelope["payload"]["files"].as_array().unwrap() {
                let path = self.path.join("outbox").join(PLAN).join(file["path"].as_str().unwrap());
                let found = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                assert_eq!(json!(sha256(&found)), file["sha256"]);
            }
        }
    }

    /// What stands in the outbox and the workspace, but for what never is the same.
    pub(crate) fn lines(&self, log: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.path.join("logs").join(log)).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

pub(crate) fn artifact(message: &str, task: &str, files: &[Value]) -> Value {
    json!({
        "schema_version": "1.0", "message_id": message, "plan_id": PLAN, "task_id": task, "output_name": "out",
        "producer_agent_id": "agent_b", "type": "artifact", "created_at": "2026-01-12T08:00:00Z",
        "payload": { "files": files },
    })
}

/// A command with further members.
pub(crate) fn command(further: Value) -> Value {
    let mut command = json!({
        "schema_version": "1.0", "command_id": "cmd_task_a_001", "plan_id": PLAN, "task_id": "task_a",
        "command_seq": 1, "prompt": "Do it.", "required_inputs": [], "wait_for_inputs": true,
        "score_required": false, "timeout": 60,
    });
    command.as_object_mut().unwrap().extend(further.as_object().unwrap().clone());
    command
}

/// The same in a message.
pub(crate) fn message(further: Value) -> Value {
    json!({
        "schema_version": "1.0", "message_id": "msg_command", "plan_id": PLAN, "task_id": "task_a",
        "command_id": "cmd_task_a_001", "producer_agent_id": "agent_gm", "type": "command",
        "created_at": "2026-01-12T08:00:00Z", "payload": { "command": command(further) },
        "correlation": { "trace_id": "trace_1" },
    })
}

/// Tells two trees apart.
pub(crate) fn by_name(values: Vec<Value>, key: &str) -> BTreeMap<String, Value> {
    values.into_iter().map(|value| (value[key].as_str().unwrap().to_owned(), value)).collect()
}

/// A command in a message of its own, with a task and a number.
pub(crate) fn numbered(message_id: &str, task: &str, seq: u64, further: Value) -> Value {
    let command_id = format!("cmd_{task}_{seq:03}");
    let mut inner = command(further);
    (inner["task_id"], inner["command_id"], inner["command_seq"]) =
        (json!(task), json!(command_id), json!(seq));
    let mut outer = message(json!({}));
    (outer["message_id"], outer["task_id"], outer["command_id"]) =
        (json!(message_id), json!(task), json!(command_id));
    outer["payload"] = json!({ "command": inner });
    outer
}
