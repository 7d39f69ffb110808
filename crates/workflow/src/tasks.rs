//! The tasks of a workflow.

use crate::agents;
use crate::draft::{About, Draft, iso};
use crate::failure::Failure;
use crate::ids;
use journal::{Millis, Task, Workflow};
use model::agent::Timestamp;
use model::workflow::api::TaskNode;
use model::workflow::{
    AgentTrigger, ErrorCode, PlanUpdated, Refusal, TaskCompleted, TaskFailed, TaskProgress, TaskStarted,
    TaskState, TaskStatus, TaskTrigger, Trigger, WorkflowProgress,
};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// How many tasks a workflow may have.
const MAX_TASKS: usize = 1000;

/// Takes the tasks that a client brings: with a new plan, in the place of those there were; else beside them. Returns whether
/// it brings any.
pub(crate) fn take(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    trigger: Trigger,
    brought: &Map<String, Value>,
) -> Result<bool, Failure> {
    let Some(tasks) = brought.get("tasks").filter(|tasks| !tasks.is_null()) else { return Ok(false) };
    let invalid = |words: String| Failure::from(Refusal::invalid(words, "context.tasks"));
    let Value::Array(tasks) = tasks else { return Err(invalid("tasks must be an array".to_owned())) };
    let mut known: HashMap<String, Task> =
        draft.tasks(&workflow.id)?.into_iter().map(|task| (task.id.clone(), task)).collect();
    let mut next = known.values().map(|task| task.no).max().unwrap_or_default() + 1;
    let mut rows = Vec::with_capacity(tasks.len());
    let mut named = HashSet::new();
    for (number, task) in tasks.iter().enumerate() {
        let brought = Brought::read(task).map_err(|words| invalid(format!("tasks[{number}]: {words}")))?;
        if !named.insert(brought.id.clone()) {
            return Err(invalid(format!("tasks[{number}]: {} is there twice", brought.id)));
        }
        let before = known.remove(&brought.id);
        rows.push(brought.onto(before, workflow, &mut next, draft.now()));
    }
    let is_replaced = trigger == Trigger::PlanCreated;
    if !is_replaced {
        rows.extend(known.values().cloned());
    }
    if rows.len() > MAX_TASKS {
        return Err(invalid(format!("more than {MAX_TASKS} tasks")));
    }
    check(&rows).map_err(invalid)?;
    if is_replaced {
        for id in known.keys() {
            draft.remove(Task::key_of(&workflow.id, id));
        }
    }
    for row in rows {
        draft.put(row);
    }
    unblock(draft, workflow)?;
    Ok(true)
}

/// A task as a client tells of it.
struct Brought {
    id: String,
    description: Option<String>,
    kind: Option<String>,
    state: Option<TaskState>,
    needs: Option<Vec<String>>,
    capabilities: Option<Vec<String>>,
    agent: Option<String>,
    due: Option<Millis>,
    result: Option<Value>,
    error: Option<String>,
}

impl Brought {
    fn read(task: &Value) -> Result<Self, String> {
        let task = task.as_object().ok_or("must be an object")?;
        let text = |key: &str| match task.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(format!("{key} must be a string")),
        };
        let names = |key: &str| match task.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Array(names)) => {
                let names = names.iter().map(|name| name.as_str().map(str::to_owned));
                names
                    .collect::<Option<Vec<_>>>()
                    .map(Some)
                    .ok_or(format!("{key} must be an array of strings"))
            }
            Some(_) => Err(format!("{key} must be an array of strings")),
        };
        let id = text("id")?.filter(|id| !model::is_blank(id) && id.len() <= 128);
        let kind = text("type")?;
        if kind.as_deref().is_some_and(|kind| !matches!(kind, "executor" | "reviewer")) {
            return Err("type must be executor or reviewer".to_owned());
        }
        let state = match (text("fsmState")?, text("status")?) {
            (Some(name), _) => Some(TaskState::named(&name).ok_or(format!("{name} is no fsmState"))?),
            (None, Some(name)) => {
                let status = TaskStatus::named(&name).ok_or(format!("{name} is no status"))?;
                Some(match status {
                    TaskStatus::Pending => TaskState::Created,
                    TaskStatus::Ready => TaskState::Ready,
                    TaskStatus::InProgress => TaskState::Running,
                    TaskStatus::Completed => TaskState::ExecutionSucceeded,
                    TaskStatus::Failed => TaskState::ExecutionFailed,
                    TaskStatus::Blocked => TaskState::Blocked,
                })
            }
            (None, None) => None,
        };
        let due = match text("deadline")? {
            Some(time) => {
                Some(time.parse::<Timestamp>().map_err(|error| format!("deadline: {error}"))?.unix_millis())
            }
            None => None,
        };
        Ok(Self {
            id: id.ok_or("id must be a string of 1 to 128 bytes")?,
            description: text("description")?,
            kind,
            state,
            needs: names("dependencies")?,
            capabilities: names("requiredCapabilities")?,
            agent: text("assignee")?,
            due,
            result: task.get("result").filter(|result| !result.is_null()).cloned(),
            error: text("error")?,
        })
    }

    /// The row that it becomes: what it does not say stays as it was.
    fn onto(self, known: Option<Task>, workflow: &Workflow, next: &mut i64, now: Millis) -> Task {
        let json = |names: &[String]| Value::from(names).to_string();
        let mut row = known.unwrap_or_else(|| {
            let no = *next;
            *next += 1;
            Task {
                workflow: workflow.id.clone(),
                id: self.id.clone(),
                no,
                description: String::new(),
                kind: "executor".to_owned(),
                state: TaskState::Created,
                needs: "[]".to_owned(),
                capabilities: "[]".to_owned(),
                agent: None,
                dispatch: None,
                attempt: 0,
                rejections: 0,
                due: None,
                started: None,
                finished: None,
                result: None,
                error: None,
                version: 0,
            }
        });
        let Self { id: _, description, kind, state, needs, capabilities, agent, due, result, error } = self;
        row.description = description.unwrap_or(row.description);
        row.kind = kind.unwrap_or(row.kind);
        row.needs = needs.as_deref().map(json).unwrap_or(row.needs);
        row.capabilities = capabilities.as_deref().map(json).unwrap_or(row.capabilities);
        row.agent = agent.or(row.agent);
        row.due = due.or(row.due);
        row.result = result.map(|result| result.to_string()).or(row.result);
        row.error = error.or(row.error);
        if let Some(state) = state {
            row.state = state;
            if state == TaskState::Running && row.started.is_none() {
                row.started = Some(now);
            }
            if state.has_ended() && row.finished.is_none() {
                row.finished = Some(now);
            }
        }
        row
    }
}

/// That every task that is needed is there, and none needs itself, be it by way of others.
fn check(tasks: &[Task]) -> Result<(), String> {
    let mut needs: HashMap<&str, Vec<String>> = HashMap::new();
    for task in tasks {
        needs.insert(&task.id, names(&task.needs));
    }
    for (task, needed) in &needs {
        if let Some(missing) = needed.iter().find(|needed| !needs.contains_key(needed.as_str())) {
            return Err(format!("{task} needs {missing}, which is not there"));
        }
    }
    // Tasks all of whose needs are met are taken away, until none is left, or none can be.
    let mut left: HashSet<&str> = needs.keys().copied().collect();
    loop {
        let free: Vec<_> = left
            .iter()
            .filter(|task| !needs[**task].iter().any(|needed| left.contains(needed.as_str())))
            .copied()
            .collect();
        if free.is_empty() {
            break;
        }
        for task in free {
            left.remove(task);
        }
    }
    match tasks.iter().find(|task| left.contains(task.id.as_str())) {
        Some(task) => Err(format!("{} needs itself", task.id)),
        None => Ok(()),
    }
}

pub(crate) fn names(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
}

/// Tasks all of whose needs are done can begin.
fn unblock(draft: &mut Draft<'_>, workflow: &Workflow) -> Result<(), Failure> {
    let tasks = draft.tasks(&workflow.id)?;
    let is_done =
        |id: &String| tasks.iter().any(|task| task.id == *id && task.state.simple() == TaskStatus::Completed);
    for task in &tasks {
        if task.state == TaskState::Created
            && names(&task.needs).iter().all(is_done)
            && let Some(state) = task.state.next(TaskTrigger::DepsSatisfied)
        {
            draft.put(Task { state, ..task.clone() });
        }
    }
    Ok(())
}

/// What happens to the task that a trigger is about.
pub(crate) fn happen(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    trigger: Trigger,
    brought: &Map<String, Value>,
) -> Result<(), Failure> {
    let Some(id) = brought.get("taskId").and_then(Value::as_str) else { return Ok(()) };
    let target = match trigger {
        Trigger::TaskDispatched => TaskState::Dispatched,
        Trigger::TaskStarted | Trigger::TaskProgress => TaskState::Running,
        Trigger::TaskCompleted => TaskState::ExecutionSucceeded,
        Trigger::TaskFailed => TaskState::ExecutionFailed,
        _ => return Ok(()),
    };
    let text = |key: &str| brought.get(key).and_then(Value::as_str).map(str::to_owned);
    let tasks = draft.tasks(&workflow.id)?;
    let Some(task) = tasks.iter().find(|task| task.id == id) else {
        if tasks.is_empty() {
            // Whoever drives it keeps its tasks to itself.
            tell(draft, workflow, trigger, id, None, brought);
            return Ok(());
        }
        return Err(Refusal::new(ErrorCode::NotFound, "Task not found").with("taskId", id).into());
    };
    let mut task = task.clone();
    let is_paused = workflow.state == model::workflow::WorkflowState::Paused;
    if is_paused && !task.state.is_in_flight() {
        return Err(impossible(&task, trigger).into());
    }
    if trigger == Trigger::TaskProgress && task.state != TaskState::Running {
        return Err(impossible(&task, trigger).into());
    }
    let before = task.state;
    let steps = path(&task, target).ok_or_else(|| impossible(&task, trigger))?;
    if steps.is_empty() && target.has_ended() {
        // It has its result.
        return Err(impossible(&task, trigger).into());
    }
    for step in &steps {
        if *step == TaskTrigger::OrchestratorDispatch {
            task.attempt += 1;
            task.dispatch = Some(ids::timed("dispatch", draft.now(), draft.world()));
            (task.started, task.finished, task.result, task.error) = (None, None, None, None);
        }
    }
    task.state = target;
    task.agent = text("agentId").or(task.agent);
    if target != TaskState::Dispatched && task.started.is_none() {
        task.started = Some(draft.now());
    }
    if target.has_ended() {
        task.finished = Some(draft.now());
        task.result = brought.get("result").filter(|result| !result.is_null()).map(Value::to_string);
        task.error = text("error");
    }
    if let Some(agent) = task.agent.clone() {
        agents::works(draft, &agent, workflow, &task.id, &agent_steps(&steps))?;
    }
    if trigger != Trigger::TaskStarted || before != TaskState::Running {
        tell(draft, workflow, trigger, id, Some(&task), brought);
    }
    draft.put(task);
    if target.has_ended() {
        unblock(draft, workflow)?;
        tell_progress(draft, workflow)?;
        draft.keep(&workflow.id);
    }
    Ok(())
}

fn impossible(task: &Task, trigger: Trigger) -> Refusal {
    let refusal =
        Refusal::new(ErrorCode::InvalidTransition, "Transition failed").with("trigger", trigger.name());
    refusal.with("taskId", &*task.id).with("taskState", task.state.name())
}

/// What must have happened to a task that is now in this state: the shortest way there, by what whoever drives it may have left
/// out. `None` if there is none.
fn path(task: &Task, to: TaskState) -> Option<Vec<TaskTrigger>> {
    const LEFT_OUT: [TaskTrigger; 8] = [
        TaskTrigger::OrchestratorDispatch,
        TaskTrigger::DispatchAck,
        TaskTrigger::TaskExecutionStarted,
        TaskTrigger::TaskExecutionResultSuccess,
        TaskTrigger::TaskExecutionResultFailure,
        TaskTrigger::RecoverableRetry,
        TaskTrigger::RetryOrReassign,
        TaskTrigger::ReplanOrRetry,
    ];
    let mut ways = vec![(task.state, Vec::new())];
    let mut seen = HashSet::from([task.state]);
    let mut at = 0;
    while at < ways.len() {
        let (state, way) = ways[at].clone();
        if state == to {
            return Some(way);
        }
        // A result ends an attempt; what comes next is another one.
        let is_result =
            |state: TaskState| matches!(state, TaskState::ExecutionFailed | TaskState::ExecutionSucceeded);
        for trigger in LEFT_OUT.iter().filter(|_| !is_result(state) || way.is_empty()) {
            if let Some(next) = state.next(*trigger)
                && seen.insert(next)
            {
                let mut way = way.clone();
                way.push(*trigger);
                ways.push((next, way));
            }
        }
        at += 1;
    }
    None
}

fn agent_steps(steps: &[TaskTrigger]) -> Vec<AgentTrigger> {
    let step = |trigger: &TaskTrigger| match trigger {
        TaskTrigger::DispatchAck => Some(AgentTrigger::DispatchAck),
        TaskTrigger::TaskExecutionStarted => Some(AgentTrigger::TaskExecutionStarted),
        TaskTrigger::TaskExecutionResultSuccess => Some(AgentTrigger::TaskExecutionResultSuccess),
        TaskTrigger::TaskExecutionResultFailure => Some(AgentTrigger::TaskExecutionResultFailure),
        _ => None,
    };
    steps.iter().filter_map(step).collect()
}

/// Tells what has happened to a task; `task` is what is known of it.
fn tell(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    trigger: Trigger,
    id: &str,
    task: Option<&Task>,
    brought: &Map<String, Value>,
) {
    let text = |key: &str| brought.get(key).and_then(Value::as_str).map(str::to_owned);
    let agent_id = text("agentId").or_else(|| task?.agent.clone());
    let about = About { task: Some(id), agent: agent_id.as_deref(), ..About::workflow(workflow) };
    let task_id = id.to_owned();
    match trigger {
        Trigger::TaskStarted => {
            let description = task.map(|task| task.description.clone()).filter(|text| !text.is_empty());
            let description = description.or_else(|| text("description")).unwrap_or_default();
            draft.tell(about, TaskStarted { task_id, agent_id: agent_id.clone(), description });
        }
        Trigger::TaskProgress => {
            let progress = brought.get("progress").and_then(Value::as_u64).unwrap_or_default().min(100);
            let progress = u8::try_from(progress).unwrap_or(100);
            draft.tell(about, TaskProgress { task_id, progress, message: text("message") });
        }
        Trigger::TaskCompleted => {
            let duration = task.and_then(|task| u64::try_from(task.finished? - task.started?).ok());
            let result = brought.get("result").filter(|result| !result.is_null()).cloned();
            draft.tell(about, TaskCompleted { task_id, agent_id: agent_id.clone(), result, duration });
        }
        Trigger::TaskFailed => {
            let error = text("error").or_else(|| text("lastError")).unwrap_or_default();
            let retryable = brought.get("retryable").and_then(Value::as_bool);
            draft.tell(about, TaskFailed { task_id, agent_id: agent_id.clone(), error, retryable });
        }
        _ => {}
    }
}

fn count(tasks: &[Task], status: TaskStatus) -> u64 {
    tasks.iter().filter(|task| task.state.simple() == status).count() as u64
}

/// How much is done, of a hundred: 0 if there is nothing to do.
pub(crate) fn progress(tasks: &[Task]) -> u64 {
    match tasks.len() as u64 {
        0 => 0,
        all => (200 * count(tasks, TaskStatus::Completed) + all) / (2 * all),
    }
}

fn tell_progress(draft: &mut Draft<'_>, workflow: &Workflow) -> Result<(), Failure> {
    let tasks = draft.tasks(&workflow.id)?;
    let (completed, failed) = (count(&tasks, TaskStatus::Completed), count(&tasks, TaskStatus::Failed));
    let mut active: Vec<String> = tasks
        .iter()
        .filter(|task| task.state == TaskState::Running)
        .filter_map(|task| task.agent.clone())
        .collect();
    active.sort_unstable();
    active.dedup();
    let told = WorkflowProgress {
        overall_progress: u8::try_from(progress(&tasks)).unwrap_or(100),
        active_agents: active,
        pending_tasks: tasks.len() as u64 - completed - failed,
        completed_tasks: completed,
        failed_tasks: failed,
        queued_tasks: Some(count(&tasks, TaskStatus::Ready)),
    };
    draft.tell(About::workflow(workflow), told);
    Ok(())
}

pub(crate) fn tell_plan(draft: &mut Draft<'_>, workflow: &Workflow) -> Result<(), Failure> {
    let tasks = draft.tasks(&workflow.id)?;
    let told = PlanUpdated {
        plan_id: format!("plan-{}", workflow.id),
        version: u64::try_from(workflow.round).unwrap_or_default().max(1),
        task_count: tasks.len() as u64,
        completed_count: count(&tasks, TaskStatus::Completed),
    };
    draft.tell(About::workflow(workflow), told);
    Ok(())
}

/// What has a result is accepted.
pub(crate) fn accept(draft: &mut Draft<'_>, workflow: &Workflow) -> Result<(), Failure> {
    for task in draft.tasks(&workflow.id)? {
        let reviewing = task.state.next(TaskTrigger::ReviewRequested).unwrap_or(task.state);
        if let Some(state) = reviewing.next(TaskTrigger::ReviewPass) {
            draft.put(Task { state, ..task });
        }
    }
    Ok(())
}

/// The tasks that the review names are to be done again; all that have a result, if it names none.
pub(crate) fn reject(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    context: &Map<String, Value>,
) -> Result<(), Failure> {
    let named = context.get("review").and_then(|review| review.get("tasks")).and_then(Value::as_array);
    let is_meant =
        |task: &Task| named.is_none_or(|named| named.iter().any(|name| name.as_str() == Some(&task.id)));
    for task in draft.tasks(&workflow.id)? {
        let reviewing = task.state.next(TaskTrigger::ReviewRequested).unwrap_or(task.state);
        let rework = reviewing.next(TaskTrigger::ReviewReject).filter(|_| is_meant(&task));
        if let Some(state) = rework.and_then(|state| state.next(TaskTrigger::ReplanOrRetry)) {
            draft.put(Task { state, rejections: task.rejections + 1, ..task });
        }
    }
    Ok(())
}

/// What an agent has is taken from it.
pub(crate) fn interrupt(draft: &mut Draft<'_>, workflow: &Workflow) -> Result<(), Failure> {
    for task in draft.tasks(&workflow.id)? {
        if task.state.is_in_flight() {
            if let Some(agent) = &task.agent {
                agents::free_of(draft, agent, workflow)?;
            }
            draft.put(Task { state: task.state.interrupted(), started: None, ..task });
        }
    }
    Ok(())
}

/// Tasks as lists tell them.
pub(crate) fn nodes(tasks: &[Task]) -> Vec<TaskNode> {
    let mut dependents: HashMap<String, Vec<String>> = HashMap::new();
    for task in tasks {
        for needed in names(&task.needs) {
            dependents.entry(needed).or_default().push(task.id.clone());
        }
    }
    let mut node = |task: &Task| TaskNode {
        id: task.id.clone(),
        description: task.description.clone(),
        kind: task.kind.clone(),
        status: task.state.status(),
        fsm_state: task.state,
        dependencies: names(&task.needs),
        dependents: dependents.remove(&task.id).unwrap_or_default(),
        required_capabilities: names(&task.capabilities),
        assignee: task.agent.clone(),
        deadline: task.due.map(iso),
        started_at: task.started.map(iso),
        completed_at: task.finished.map(iso),
        result: task.result.as_deref().and_then(|result| serde_json::from_str(result).ok()),
        error: task.error.clone(),
    };
    tasks.iter().map(&mut node).collect()
}
