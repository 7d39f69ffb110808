//! Carries tasks to agents with folders of their own, and their results back.

use crate::disks;
use crate::world::World;
use agent::plan::{Assignment, Folders, PlanError, RUNTIME, Stage};
use agent::{Clock, sha256};
use journal::Millis;
use protocol::agent::{Code, Id, ResultDocument, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use watchdog::{Mutex, Rank};

/// How long something may take on the way: longer than the locks of the folders are waited for.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);

/// The couriers of the agents in the pool that have a folder, by the agents' names.
pub type Couriers = BTreeMap<String, Arc<dyn Courier>>;

/// A task on its way to an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Errand {
    /// The name under which the task was given away first, and its idempotency key.
    pub dispatch: String,
    /// The workflow.
    pub workflow: String,
    /// The task.
    pub task: String,
    /// The agent.
    pub agent: String,
    /// The prompt for the agent.
    pub prompt: String,
    /// How long it may take, in milliseconds.
    pub timeout: Millis,
}

/// How far an errand has come.
#[derive(Debug, Clone, PartialEq)]
pub enum ErrandStatus {
    /// The agent has not acknowledged it.
    Waiting,
    /// The agent is at work.
    Acknowledged,
    /// The result of the task.
    Result(Value),
    /// The agent has failed.
    Failed {
        /// Why, in words for people and other agents.
        error: String,
        /// Whether trying again may help.
        is_transient: bool,
    },
}

/// Carries tasks to one agent, and their results back.
pub trait Courier: Send + Sync {
    /// Sets out with an errand. The same one is never executed twice, however often it is sent.
    ///
    /// # Errors
    ///
    /// Why the agent cannot be reached, in words.
    fn send(&self, errand: &Errand) -> Result<(), String>;

    /// Carries the pending messages, and returns the status of an errand.
    ///
    /// # Errors
    ///
    /// Why that cannot be seen just now, in words.
    fn look(&self, errand: &Errand) -> Result<ErrandStatus, String>;

    /// Takes an errand back, unless its agent has taken it; whether that was possible.
    ///
    /// # Errors
    ///
    /// Why that cannot be done, in words.
    fn withdraw(&self, errand: &Errand) -> Result<bool, String>;
}

/// Carries tasks through the router to an agent's folder: as an execution command into its inbox, and its artifact back.
pub struct FolderCourier(Arc<Route>);

/// The way to an agent's folder.
struct Route {
    agents: PathBuf,
    runtime: PathBuf,
    agent: Id,
    world: Arc<dyn World>,
    /// One router at a time in this process.
    router: Mutex<()>,
}

impl FolderCourier {
    /// Returns one to the agent in `folder`, which lies among others in a folder beside which the system keeps its own. `None`
    /// if the folder's name can be no agent's.
    pub fn new(folder: &Path, world: Arc<dyn World>) -> Option<Self> {
        let agent = folder.file_name()?.to_str()?.parse().ok()?;
        let agents = folder.parent()?.to_path_buf();
        let runtime = agents.parent()?.join(RUNTIME);
        let router = Mutex::new(Rank::Router, "the folder of a message router", ());
        Some(Self(Arc::new(Route { agents, runtime, agent, world, router })))
    }

    /// Does something with an errand on the way to the agent, and gives it up when the disk there does not answer.
    fn run<T: Send + 'static>(
        &self,
        errand: &Errand,
        work: impl FnOnce(&Route, &Errand) -> Result<T, PlanError> + Send + 'static,
    ) -> Result<T, String> {
        let (route, errand) = (Arc::clone(&self.0), errand.clone());
        let folder = route.agents.join(route.agent.as_str());
        let done = disks::run(&folder, LOCK_TIMEOUT, move || work(&route, &errand));
        let done = done.ok_or_else(|| "the disk of the agent's folder does not answer".to_owned())?;
        done.map_err(|error| error.to_string())
    }
}

impl Route {
    fn folders(&self) -> Result<Folders, PlanError> {
        Folders::open(&self.agents, &self.runtime)
    }

    fn assignment(&self, errand: &Errand) -> Assignment {
        let seconds = u64::try_from(errand.timeout / 1000).unwrap_or_default();
        let ids = json!({ "workflow_id": errand.workflow, "workflow_task_id": errand.task, "dispatch_id": errand.dispatch });
        Assignment {
            plan_id: id_of(&errand.dispatch),
            task_id: id_of(&errand.task),
            agent: self.agent.clone(),
            prompt: errand.prompt.clone(),
            timeout: seconds.max(1),
            extra: ids.as_object().cloned().unwrap_or_default(),
        }
    }

    fn stage(&self, errand: &Errand) -> Result<Stage, PlanError> {
        let (plan, task) = (id_of(&errand.dispatch), id_of(&errand.task));
        let stage = self.folders()?.stage(&plan, &task, &self.agent)?;
        if !matches!(stage, Stage::Sent | Stage::Returning) {
            return Ok(stage);
        }
        {
            let _one = self.router.lock();
            self.folders()?.carry(&plan, &WorldClock(&*self.world))?;
        }
        self.folders()?.stage(&plan, &task, &self.agent)
    }
}

impl Courier for FolderCourier {
    fn send(&self, errand: &Errand) -> Result<(), String> {
        self.run(errand, |route, errand| {
            route.folders()?.assign(&route.assignment(errand), &WorldClock(&*route.world))
        })
    }

    fn look(&self, errand: &Errand) -> Result<ErrandStatus, String> {
        let stage = self.run(errand, Route::stage)?;
        Ok(match stage {
            Stage::Sent | Stage::Delivered { .. } => ErrandStatus::Waiting,
            Stage::Taken | Stage::Returning => ErrandStatus::Acknowledged,
            Stage::Done(document) => ErrandStatus::Result(result_of(&document)),
            Stage::Failed { code, detail } => ErrandStatus::Failed {
                error: code.map_or(detail.clone(), |code| format!("{code}: {detail}")),
                is_transient: code.is_none_or(is_transient),
            },
        })
    }

    fn withdraw(&self, errand: &Errand) -> Result<bool, String> {
        self.run(errand, |route, errand| {
            let _one = route.router.lock();
            route.folders()?.withdraw(&id_of(&errand.dispatch), &route.agent)
        })
    }
}

/// What an artifact says, as the result of a task.
fn result_of(document: &ResultDocument) -> Value {
    let mut result = Map::new();
    result.insert("output".to_owned(), json!(document.result));
    if !document.message.is_empty() {
        result.insert("summary".to_owned(), json!(document.message));
    }
    Value::Object(result)
}

/// Whether the same command may succeed another time.
fn is_transient(code: Code) -> bool {
    !matches!(code, Code::HumanRejected | Code::TaskFailed | Code::IdempotencyKeyReused)
}

/// The name as an id; the hash of a name that is not a valid id.
fn id_of(name: &str) -> Id {
    name.parse().unwrap_or_else(|_| id_of(&sha256(name.as_bytes()).hex()))
}

/// The time and chance of the engine, for the folders.
struct WorldClock<'w>(&'w dyn World);

impl Clock for WorldClock<'_> {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix_millis(self.0.now())
    }

    fn random(&self) -> u128 {
        (u128::from(self.0.random()) << 64) | u128::from(self.0.random())
    }
}
