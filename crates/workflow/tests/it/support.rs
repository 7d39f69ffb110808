//! What the tests share.

use crate::recorded;
use journal::{EventFilter, Journal, Listener, Millis, Sqlite, ViewExt};
use proptest::prelude::{ProptestConfig, Strategy};
use proptest::test_runner::{FileFailurePersistence, TestRunner};
use protocol::workflow::{Refusal, Trigger};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::thread;
use tempfile::TempDir;
use workflow::{Failure, NewMessage, PoolAgent, RequestKey, Runtime, Transition, World};

/// A world in which nothing happens by chance.
#[derive(Default)]
pub(crate) struct TestWorld {
    now: AtomicI64,
    random: AtomicU64,
}

impl TestWorld {
    pub(crate) fn pass(&self, millis: Millis) {
        self.now.fetch_add(millis, Ordering::Relaxed);
    }
}

impl World for TestWorld {
    fn now(&self) -> Millis {
        1_771_815_600_000 + self.now.load(Ordering::Relaxed)
    }

    fn random(&self) -> u64 {
        // Numbers that are spread, so that their last digits differ.
        self.random.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn local_second(&self, at: Millis) -> String {
        let text = protocol::agent::Timestamp::from_unix(at.div_euclid(1000)).as_str().replace(':', "-");
        text.trim_end_matches('Z').to_owned()
    }

    fn local_time(&self, at: Millis) -> String {
        let text = protocol::agent::Timestamp::from_unix(at.div_euclid(1000)).as_str().to_owned();
        text.replace('Z', "+00:00")
    }
}

/// Everything that a test needs.
pub(crate) struct Scene {
    pub(crate) runtime: Runtime,
    pub(crate) world: Arc<TestWorld>,
    place: Option<TempDir>,
}

impl Scene {
    pub(crate) fn in_memory() -> Self {
        Self::with(Arc::new(Sqlite::in_memory(nobody()).unwrap()), None)
    }

    pub(crate) fn on_disk() -> Self {
        Self::at(tempfile::tempdir().unwrap())
    }

    /// The same where nothing waits for a disk, if there is such a place: for many.
    pub(crate) fn on_fast_disk() -> Self {
        Self::at(fast_place())
    }

    fn at(place: TempDir) -> Self {
        Self::with(open(&place), Some(place))
    }

    pub(crate) fn with(journal: Arc<dyn Journal>, place: Option<TempDir>) -> Self {
        let world = Arc::new(TestWorld::default());
        let runtime = Runtime::new(journal, world.clone());
        runtime.set_pool(&PoolAgent::usual()).unwrap();
        Self { runtime, world, place }
    }

    /// How many bytes the log of changes has on the disk.
    pub(crate) fn log_size(&self) -> u64 {
        let log = self.place.as_ref().unwrap().path().join("journal.db-wal");
        std::fs::metadata(log).map_or(0, |log| log.len())
    }

    /// Another runtime on the same journal, for sharing it.
    pub(crate) fn shared(&self) -> Arc<Runtime> {
        Arc::new(Runtime::new(Arc::clone(self.runtime.journal()), self.world.clone()))
    }

    /// The daemon ends, without a word, and begins again.
    pub(crate) fn restart(&mut self) {
        if let Some(place) = &self.place {
            // Nothing else holds the file.
            self.runtime = Runtime::new(Arc::new(Sqlite::in_memory(nobody()).unwrap()), self.world.clone());
            self.runtime = Runtime::new(open(place), self.world.clone());
        }
        self.runtime.set_pool(&PoolAgent::usual()).unwrap();
        self.runtime.recover().unwrap();
    }

    /// The daemon is killed, and begins again with what that has left.
    pub(crate) fn kill(&mut self) {
        if let Some(place) = &self.place {
            let left = fast_place();
            for name in ["journal.db", "journal.db-wal"] {
                let from = place.path().join(name);
                if from.exists() {
                    std::fs::copy(from, left.path().join(name)).unwrap();
                }
            }
            // The old journal closes its own file properly; that file is no longer used.
            self.runtime = Runtime::new(open(&left), self.world.clone());
            self.place = Some(left);
        }
        self.runtime.set_pool(&PoolAgent::usual()).unwrap();
        self.runtime.recover().unwrap();
    }

    /// The file of the journal.
    pub(crate) fn file(&self) -> PathBuf {
        self.place.as_ref().unwrap().path().join("journal.db")
    }

    /// Sends a task to the orchestrator; returns the workflow and its session.
    pub(crate) fn begin(&self, task: &str) -> (String, String) {
        let said = self.send("finger-orchestrator", json!({ "content": task })).unwrap();
        let text = |key: &str| said[key].as_str().unwrap().to_owned();
        (text("workflowId"), text("sessionId"))
    }

    pub(crate) fn send(&self, target: &str, message: Value) -> Result<Value, Refusal> {
        let target = target.to_owned();
        answer(
            self.runtime.send(
                None,
                &NewMessage { target, message, sender: None, is_awaited: false, callback_id: None },
            ),
        )
    }

    pub(crate) fn step(&self, workflow: &str, trigger: &str, context: Value) -> Result<Value, Refusal> {
        let trigger = Trigger::named(trigger).unwrap();
        let context = serde_json::from_value(context).unwrap();
        answer(self.runtime.transition(None, workflow, &Transition { trigger, context }))
    }

    /// Takes a workflow to the phase in which its tasks are done.
    pub(crate) fn executing(&self, tasks: Value) -> (String, String) {
        let (workflow, session) = self.begin("搜索 deepseek");
        for (trigger, context) in [
            ("intent_analyzed", json!({})),
            ("routing_decided", json!({ "route": "full_replan" })),
            ("plan_created", json!({ "tasks": tasks })),
        ] {
            self.step(&workflow, trigger, context).unwrap();
        }
        (workflow, session)
    }

    pub(crate) fn phase(&self, workflow: &str) -> String {
        self.runtime.state(workflow).unwrap().fsm_state.name().to_owned()
    }

    /// The events after this number: their types and payloads.
    pub(crate) fn events(&self, after: i64) -> Vec<(String, Value)> {
        self.events_of(&self.runtime, after)
    }

    /// The same of a runtime that shares the journal.
    pub(crate) fn events_of(&self, runtime: &Runtime, after: i64) -> Vec<(String, Value)> {
        let events = runtime.journal().view().unwrap().events(&EventFilter::after(after, u32::MAX)).unwrap();
        let told = events
            .into_iter()
            .map(|event| (event.kind.name().to_owned(), serde_json::from_str(&event.payload).unwrap()));
        told.collect()
    }

    pub(crate) fn last(&self) -> i64 {
        self.runtime.journal().view().unwrap().log().unwrap().last
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        recorded::end_scene(&**self.runtime.journal());
    }
}

/// A folder in memory, where the system has such.
fn fast_place() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

pub(crate) fn nobody() -> Listener {
    Box::new(|_| ())
}

fn open(place: &TempDir) -> Arc<dyn Journal> {
    Arc::new(Sqlite::open(&files::Dir::open(place.path()).unwrap(), nobody()).unwrap())
}

/// The answer as JSON, or why there is none.
pub(crate) fn answer(result: Result<String, Failure>) -> Result<Value, Refusal> {
    match result {
        Ok(body) => Ok(serde_json::from_str(&body).unwrap()),
        Err(Failure::Refused(refusal)) => Err(refusal),
        Err(error) => panic!("{error}"),
    }
}

pub(crate) fn code(result: Result<Value, Refusal>) -> &'static str {
    result.unwrap_err().code.name()
}

pub(crate) fn key(name: &str, body: &str) -> RequestKey {
    RequestKey::new("POST /x".to_owned(), name.to_owned(), body.as_bytes())
}

/// The types of events, with what says most of each.
pub(crate) fn brief(told: &[(String, Value)]) -> Vec<String> {
    let brief = |(kind, payload): &(String, Value)| {
        let text = |key: &str| payload[key].as_str().unwrap_or_default().to_owned();
        match kind.as_str() {
            "phase_transition" => format!("{} → {}", text("from"), text("to")),
            "task_started" | "task_completed" | "task_failed" | "task_progress" => {
                format!("{kind} {}", text("taskId"))
            }
            "workflow_update" => format!("{kind} {}", text("status")),
            "agent_update" => format!("{} {}", text("agentId"), text("status")),
            "plan_updated" => format!("{kind} {}", payload["taskCount"]),
            "workflow_progress" => format!("{kind} {}", payload["overallProgress"]),
            "user_decision_received" => format!("{kind} {}", text("decision")),
            _ => kind.clone(),
        }
    };
    told.iter().map(brief).collect()
}

/// Tries so many cases of what is drawn, on four threads; the long campaign multiplies them (`AIDE_PROOF_FACTOR`). What fails is
/// kept in `tests/it/NAME.regressions`.
pub(crate) fn campaign<S: Strategy + Sync>(
    name: &str,
    cases: u32,
    drawn: &S,
    check: impl Fn(S::Value) + Sync,
) {
    const THREADS: u32 = 4;
    let file: &'static str = format!("tests/it/{name}.regressions").leak();
    let run = || {
        let config = ProptestConfig {
            cases: cases * effort::factor() / THREADS,
            failure_persistence: Some(Box::new(FileFailurePersistence::Direct(file))),
            max_shrink_iters: 300,
            ..ProptestConfig::default()
        };
        let run = TestRunner::new(config).run(drawn, |drawn| {
            check(drawn);
            Ok(())
        });
        run.map_err(|error| error.to_string())
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(run)).collect();
        for thread in threads {
            if let Err(error) = thread.join().unwrap() {
                panic!("{error}");
            }
        }
    });
}
