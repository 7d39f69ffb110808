//! The tasks of a workflow.

use crate::agents;
use crate::draft::{Draft, EventScope, iso};
use crate::failure::Failure;
use crate::ids;
use crate::requirement::MAX_LEVEL;
use crate::steer;
use journal::{Millis, Task, Workflow};
use model::agent::Timestamp;
use model::workflow::api::{Assignment, TaskNode, TaskProgressEntry};
use model::workflow::requests::ORCHESTRATOR;
use model::workflow::{
    AgentStep, AgentStepCompleted, AgentTrigger, ErrorCode, PlanUpdated, Refusal, SystemError, TaskBlocked,
    TaskCompleted, TaskFailed, TaskProgress, TaskStarted, TaskState, TaskStatus, TaskTrigger, TaskUpdate,
    TransitionRefusal, Trigger, WorkflowProgress, WorkflowState,
};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

/// How many tasks a workflow may have.
const MAX_TASKS: usize = 1000;

/// The members of a context that are a step of an agent.
pub(crate) const STEP: [&str; 3] = ["thought", "action", "observation"];

/// In the context of a workflow: the agent that has planned its tasks.
pub(crate) const PLANNED_BY: &str = "plannedBy";

/// What a list of tasks says that is still to happen.
#[derive(Default)]
pub(crate) struct TaskListUpdate {
    /// Whether there are others than before.
    pub(crate) is_other_plan: bool,
    /// The tasks that have advanced, or must be begun again.
    changes: Vec<TaskChange>,
}

/// The new state of a task.
struct TaskChange {
    id: String,
    to: TaskState,
    said: TaskReport,
}

/// What is known of a task that has come further.
#[derive(Default)]
struct TaskReport {
    agent: Option<String>,
    result: Option<String>,
    error: Option<String>,
    /// Why it cannot be done.
    reason: Option<String>,
    retryable: Option<bool>,
}

/// What tasks have come to in one change.
#[derive(Default)]
pub(crate) struct ChangeSummary {
    /// How those that have changed stand now.
    pub(crate) updates: Vec<TaskUpdate>,
    /// What went wrong with the last one that has failed.
    pub(crate) error: Option<String>,
    has_ended: bool,
}

/// Takes the tasks that a client sends: a new plan replaces the previous tasks, otherwise they are added. Their states are not
/// taken but returned: the state machine of tasks decides about them, see [`bring`].
pub(crate) fn take(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    trigger: Trigger,
    brought: &Map<String, Value>,
) -> Result<TaskListUpdate, Failure> {
    let Some(tasks) = brought.get("tasks").filter(|tasks| !tasks.is_null()) else {
        return Ok(TaskListUpdate::default());
    };
    let invalid = |words: String| Failure::from(Refusal::invalid(words, "context.tasks"));
    let Value::Array(tasks) = tasks else { return Err(invalid("tasks must be an array".to_owned())) };
    let is_replaced = trigger == Trigger::PlanCreated;
    let mut known: HashMap<String, Task> =
        draft.tasks(&workflow.id)?.into_iter().map(|task| (task.id.clone(), task)).collect();
    let mut next = known.values().map(|task| task.no).max().unwrap_or_default() + 1;
    let mut rows = Vec::with_capacity(tasks.len());
    let mut named = HashSet::new();
    let mut taken = TaskListUpdate::default();
    let mut dropped = Vec::new();
    for (number, task) in tasks.iter().enumerate() {
        let brought = TaskInput::read(task).map_err(|words| invalid(format!("tasks[{number}]: {words}")))?;
        if !named.insert(brought.id.clone()) {
            return Err(invalid(format!("tasks[{number}]: duplicate id {}", brought.id)));
        }
        let mut before = known.remove(&brought.id);
        taken.is_other_plan |= before.is_none();
        if is_replaced
            && brought.named.is_some_and(ReportedState::is_beginning)
            && let Some(task) =
                before.take_if(|task| !matches!(task.state, TaskState::Created | TaskState::Ready))
        {
            // Planned anew: only the name is the same.
            before = Some(Task { version: task.version, no: task.no, ..blank(workflow, &task.id) });
            dropped.push(task);
        }
        rows.push(brought.onto(before, workflow, &mut next, &mut taken.changes));
    }
    if is_replaced {
        dropped.extend(known.into_values());
    } else {
        rows.extend(known.into_values());
    }
    if rows.len() > MAX_TASKS {
        return Err(invalid(format!("more than {MAX_TASKS} tasks")));
    }
    check(&rows).map_err(invalid)?;
    for task in dropped {
        if let Some(agent) = task.agent.as_ref().filter(|_| task.state.is_in_flight()) {
            agents::leave(draft, agent, workflow, &task.id)?;
        }
        if !named.contains(&task.id) {
            draft.remove(Task::key_of(&workflow.id, &task.id));
        }
    }
    for row in rows {
        draft.put(row);
    }
    unblock(draft, workflow)?;
    Ok(taken)
}

/// Applies the states in a list of tasks: each task gets to its state by the transitions of the state machine.
pub(crate) fn bring(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    trigger: Trigger,
    taken: TaskListUpdate,
) -> Result<ChangeSummary, Failure> {
    let mut outcome = ChangeSummary::default();
    if taken.changes.is_empty() {
        return Ok(outcome);
    }
    let mut changes: HashMap<String, TaskChange> =
        taken.changes.into_iter().map(|change| (change.id.clone(), change)).collect();
    let mut tasks = draft.tasks(&workflow.id)?;
    let mut done: HashSet<String> = HashSet::new();
    // A task may need the result of another one, whatever their order in the list.
    for at in in_order(&tasks) {
        let task = &mut tasks[at];
        if let Some(change) = changes.remove(&task.id) {
            if task.state == TaskState::Created && names(&task.needs).iter().all(|need| done.contains(need)) {
                task.state = task.state.next(TaskTrigger::DepsSatisfied).unwrap_or(task.state);
            }
            *task = advance(draft, workflow, task.clone(), change.to, trigger, &change.said, &mut outcome)?;
        }
        if task.state.simple() == TaskStatus::Completed {
            done.insert(task.id.clone());
        }
    }
    unblock(draft, workflow)?;
    Ok(outcome)
}

/// The places of the tasks, what another needs before that; without those that need themselves, be it by way of others.
fn in_order(tasks: &[Task]) -> Vec<usize> {
    let places: HashMap<&str, usize> = (0..).zip(tasks).map(|(at, task)| (&*task.id, at)).collect();
    let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); tasks.len()];
    let mut left: Vec<usize> = Vec::with_capacity(tasks.len());
    for (at, task) in tasks.iter().enumerate() {
        let needs: Vec<usize> =
            names(&task.needs).iter().filter_map(|id| places.get(&**id).copied()).collect();
        left.push(needs.len());
        needs.into_iter().for_each(|need| dependents[need].push(at));
    }
    let mut order: Vec<usize> = (0..tasks.len()).filter(|at| left[*at] == 0).collect();
    let mut next = 0;
    while let Some(at) = order.get(next).copied() {
        next += 1;
        for dependent in &dependents[at] {
            left[*dependent] -= 1;
            if left[*dependent] == 0 {
                order.push(*dependent);
            }
        }
    }
    order
}

fn not_found(id: &str) -> Refusal {
    Refusal::new(ErrorCode::NotFound, "Task not found").with("taskId", id)
}

/// A task as a client sends it.
struct TaskInput {
    id: String,
    description: Option<String>,
    kind: Option<String>,
    named: Option<ReportedState>,
    needs: Option<Vec<String>>,
    capabilities: Option<Vec<String>>,
    min_level: Option<i64>,
    agent: Option<String>,
    due: Option<Millis>,
    estimate: Option<i64>,
    result: Option<Value>,
    error: Option<String>,
    reason: Option<String>,
}

/// How far a task has come, as its reporter puts it.
#[derive(Clone, Copy)]
enum ReportedState {
    State(TaskState),
    Status(TaskStatus),
}

impl ReportedState {
    /// Whether it says that the task has not begun.
    fn is_beginning(self) -> bool {
        matches!(self, Self::State(TaskState::Created | TaskState::Ready))
            || matches!(self, Self::Status(TaskStatus::Pending | TaskStatus::Ready))
    }

    /// How far the task is to come that has come so far; `None` if it says nothing new. A word stands for several states.
    fn beyond(self, now: TaskState) -> Option<TaskState> {
        let (is_so, state) = match self {
            Self::State(state) => (state == now, state),
            Self::Status(TaskStatus::Pending) => {
                (matches!(now, TaskState::Created | TaskState::Ready), TaskState::Created)
            }
            Self::Status(TaskStatus::InProgress) => (now == TaskState::Running, TaskState::Running),
            Self::Status(status) => (
                now.simple() == status,
                match status {
                    TaskStatus::Completed => TaskState::ExecutionSucceeded,
                    TaskStatus::Failed => TaskState::ExecutionFailed,
                    TaskStatus::Blocked => TaskState::Blocked,
                    _ => TaskState::Ready,
                },
            ),
        };
        (!is_so).then_some(state)
    }
}

/// Checks a task that a client or an agent has sent.
///
/// # Errors
///
/// What is wrong with it.
pub(crate) fn check_brought(task: &Value) -> Result<(), String> {
    TaskInput::read(task).map(drop)
}

impl TaskInput {
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
        let named = match (text("fsmState")?, text("status")?) {
            (Some(name), _) => {
                Some(ReportedState::State(TaskState::named(&name).ok_or(format!("{name} is no fsmState"))?))
            }
            (None, Some(name)) => {
                Some(ReportedState::Status(TaskStatus::named(&name).ok_or(format!("{name} is no status"))?))
            }
            (None, None) => None,
        };
        let due = match text("deadline")? {
            Some(time) => {
                Some(time.parse::<Timestamp>().map_err(|error| format!("deadline: {error}"))?.unix_millis())
            }
            None => None,
        };
        let estimate = match task.get("estimatedDuration") {
            None | Some(Value::Null) => None,
            Some(number) => {
                let number = number.as_i64().filter(|number| *number >= 0);
                Some(number.ok_or("estimatedDuration must be a number of milliseconds")?)
            }
        };
        let min_level = match task.get("minLevel") {
            None | Some(Value::Null) => None,
            Some(level) => {
                let level = level.as_i64().filter(|level| (1..=MAX_LEVEL as i64).contains(level));
                Some(level.ok_or(format!("minLevel must be a number from 1 to {MAX_LEVEL}"))?)
            }
        };
        Ok(Self {
            id: id.ok_or("id must be a string of 1 to 128 bytes")?,
            description: text("description")?,
            kind,
            named,
            needs: names("dependencies")?,
            capabilities: names("requiredCapabilities")?,
            min_level,
            agent: text("assignee")?,
            due,
            estimate,
            result: task.get("result").filter(|result| !result.is_null()).cloned(),
            error: text("error")?,
            reason: text("reason")?,
        })
    }

    /// The row that it becomes: what it does not say stays as it was, and how far it has come is for later.
    fn onto(
        self,
        known: Option<Task>,
        workflow: &Workflow,
        next: &mut i64,
        changes: &mut Vec<TaskChange>,
    ) -> Task {
        let json = |names: &[String]| Value::from(names).to_string();
        let mut row = known.unwrap_or_else(|| {
            let no = *next;
            *next += 1;
            Task { no, ..blank(workflow, &self.id) }
        });
        let Self {
            id,
            description,
            kind,
            named,
            needs,
            capabilities,
            min_level,
            agent,
            due,
            estimate,
            result,
            error,
            reason,
        } = self;
        row.description = description.unwrap_or(row.description);
        row.kind = kind.unwrap_or(row.kind);
        row.needs = needs.as_deref().map(json).unwrap_or(row.needs);
        row.capabilities = capabilities.as_deref().map(json).unwrap_or(row.capabilities);
        row.min_level = min_level.or(row.min_level);
        row.due = due.or(row.due);
        row.estimate = estimate.or(row.estimate);
        let result = result.map(|result| result.to_string());
        match named.and_then(|named| named.beyond(row.state)) {
            Some(to) => changes.push(TaskChange {
                id,
                to,
                said: TaskReport { agent, result, error, reason, retryable: None },
            }),
            // Another agent has the task now.
            None if row.state.is_in_flight() && agent.is_some() && agent != row.agent => {
                changes.push(TaskChange {
                    id,
                    to: row.state,
                    said: TaskReport { agent, ..TaskReport::default() },
                });
            }
            None => {
                row.agent = agent.or(row.agent);
                row.result = result.or(row.result);
                row.error = error.or(row.error);
            }
        }
        row
    }
}

/// A task of which only the id is known.
pub(crate) fn blank(workflow: &Workflow, id: &str) -> Task {
    Task {
        workflow: workflow.id.clone(),
        id: id.to_owned(),
        no: 0,
        description: String::new(),
        kind: "executor".to_owned(),
        state: TaskState::Created,
        needs: "[]".to_owned(),
        capabilities: "[]".to_owned(),
        min_level: None,
        agent: None,
        dispatch: None,
        attempt: 0,
        rejections: 0,
        due: None,
        estimate: None,
        started: None,
        finished: None,
        result: None,
        error: None,
        version: 0,
    }
}

/// That every task that is needed is there, and none needs itself, be it by way of others.
fn check(tasks: &[Task]) -> Result<(), String> {
    let known: HashSet<&str> = tasks.iter().map(|task| &*task.id).collect();
    for task in tasks {
        if let Some(missing) = names(&task.needs).iter().find(|needed| !known.contains(needed.as_str())) {
            return Err(format!("{} depends on {missing}, which does not exist", task.id));
        }
    }
    let order: HashSet<usize> = in_order(tasks).into_iter().collect();
    match tasks.iter().enumerate().find(|(at, _)| !order.contains(at)) {
        Some((_, task)) => Err(format!("{} depends on itself", task.id)),
        None => Ok(()),
    }
}

pub(crate) fn names(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
}

/// Whether all that a task needs is done, among these.
pub(crate) fn has_all(task: &Task, tasks: &[Task]) -> bool {
    let done = tasks.iter().filter(|task| task.state.simple() == TaskStatus::Completed);
    let done: HashSet<&str> = done.map(|task| &*task.id).collect();
    names(&task.needs).iter().all(|id| done.contains(id.as_str()))
}

/// Tasks all of whose needs are done can begin.
fn unblock(draft: &mut Draft<'_>, workflow: &Workflow) -> Result<(), Failure> {
    let tasks = draft.tasks(&workflow.id)?;
    for task in &tasks {
        if task.state == TaskState::Created
            && has_all(task, &tasks)
            && let Some(state) = task.state.next(TaskTrigger::DepsSatisfied)
        {
            draft.put(Task { state, ..task.clone() });
        }
    }
    Ok(())
}

/// What happens to the task that a trigger is about. `outcome` is what a list has brought together with it.
pub(crate) fn happen(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    trigger: Trigger,
    brought: &Map<String, Value>,
    outcome: &mut ChangeSummary,
) -> Result<(), Failure> {
    let target = match trigger {
        Trigger::TaskDispatched => TaskState::Dispatched,
        Trigger::TaskStarted | Trigger::TaskProgress => TaskState::Running,
        Trigger::TaskCompleted => TaskState::ExecutionSucceeded,
        Trigger::TaskFailed => TaskState::ExecutionFailed,
        _ => return finish(draft, workflow, outcome),
    };
    let text = |key: &str| brought.get(key).and_then(Value::as_str).map(str::to_owned);
    let said = TaskReport {
        agent: text("agentId"),
        result: brought.get("result").filter(|result| !result.is_null()).map(Value::to_string),
        error: text("error"),
        reason: None,
        retryable: brought.get("retryable").and_then(Value::as_bool),
    };
    let is_paused = workflow.state == WorkflowState::Paused;
    let tasks = draft.tasks(&workflow.id)?;
    match brought.get("taskId").and_then(Value::as_str) {
        Some(id) if tasks.is_empty() => {
            // The driver keeps its tasks to itself: what began before the pause is unknown.
            if is_paused && trigger == Trigger::TaskStarted {
                return Err(steer::refusal(TransitionRefusal::Invalid, trigger, workflow)
                    .with("taskId", id)
                    .into());
            }
            outcome.has_ended |= target.has_ended();
            emit_unknown(draft, workflow, trigger, id, &said, brought)?;
        }
        Some(id) => {
            let task = tasks.into_iter().find(|task| task.id == id).ok_or_else(|| not_found(id))?;
            let is_told = outcome.updates.iter().any(|update| update.id == id) && task.state == target;
            if trigger == Trigger::TaskProgress {
                if task.state != TaskState::Running {
                    return Err(impossible(&task, trigger, workflow).into());
                }
                progressed(draft, workflow, id, said.agent.as_deref().or(task.agent.as_deref()), brought)?;
            } else if is_told {
                // The list that came with it has said the same.
            } else if target.has_ended() && task.state == target {
                // It has its result.
                return Err(impossible(&task, trigger, workflow).into());
            } else {
                advance(draft, workflow, task, target, trigger, &said, outcome)?;
                unblock(draft, workflow)?;
            }
        }
        // Which task has begun is not known, nor whether it had before the pause.
        None if is_paused && trigger == Trigger::TaskStarted && !brought.contains_key("tasks") => {
            return Err(steer::refusal(TransitionRefusal::Invalid, trigger, workflow).into());
        }
        None => outcome.has_ended |= target.has_ended(),
    }
    finish(draft, workflow, outcome)
}

/// What follows when tasks have ended.
fn finish(draft: &mut Draft<'_>, workflow: &Workflow, outcome: &ChangeSummary) -> Result<(), Failure> {
    if outcome.has_ended {
        if !draft.tasks(&workflow.id)?.is_empty() {
            emit_progress(draft, workflow)?;
        }
        draft.keep(&workflow.id);
    }
    Ok(())
}

/// Moves a task to the state `to`, through the transitions on the way; returns it. `trigger` is the one that the client has sent.
fn advance(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    before: Task,
    to: TaskState,
    trigger: Trigger,
    said: &TaskReport,
    outcome: &mut ChangeSummary,
) -> Result<Task, Failure> {
    let steps = path(before.state, to).ok_or_else(|| impossible(&before, trigger, workflow))?;
    let is_begun = steps.contains(&TaskTrigger::OrchestratorDispatch);
    if is_begun && workflow.state == WorkflowState::Paused {
        return Err(impossible(&before, trigger, workflow).into());
    }
    let mut task = before.clone();
    task.state = to;
    if is_begun {
        task.attempt += 1;
        task.dispatch = Some(ids::timed("dispatch", draft.now(), draft.world()));
        (task.started, task.finished, task.result, task.error) = (None, None, None, None);
    }
    task.agent = said.agent.clone().or(task.agent);
    if is_begun && task.agent.is_none() {
        task.agent = agents::fitting(draft, workflow, &task)?;
    }
    let is_under_way = steps.contains(&TaskTrigger::TaskExecutionStarted);
    if is_under_way && task.started.is_none() {
        task.started = Some(draft.now());
    }
    let is_result = |step: &TaskTrigger| {
        let results = [TaskTrigger::TaskExecutionResultSuccess, TaskTrigger::TaskExecutionResultFailure];
        results.contains(step)
    };
    let has_ended = steps.iter().any(is_result) || to == TaskState::Blocked && !steps.is_empty();
    if has_ended {
        task.finished = Some(draft.now());
        (task.result, task.error) = (said.result.clone(), said.error.clone());
    }
    hand_over(draft, workflow, &before, &task, &steps)?;
    emit_task(draft, workflow, &steps, &task, said);
    if to == TaskState::ExecutionFailed {
        outcome.error = said.error.clone().or(outcome.error.take());
    }
    outcome.has_ended |= has_ended;
    outcome.updates.push(TaskUpdate {
        id: task.id.clone(),
        status: task.state.simple(),
        assignee: task.agent.clone(),
    });
    draft.put(task.clone());
    Ok(task)
}

fn impossible(task: &Task, trigger: Trigger, workflow: &Workflow) -> Refusal {
    let refusal = steer::refusal(TransitionRefusal::Invalid, trigger, workflow);
    refusal.with("taskId", &*task.id).with("taskState", task.state.name())
}

/// Returns the triggers that lead from one state to another: the shortest path, filling in steps that the driver may have
/// skipped. `None` if there is none.
fn path(from: TaskState, to: TaskState) -> Option<Vec<TaskTrigger>> {
    use TaskState::{
        DispatchFailed, Dispatched, Dispatching, Done, ExecutionSucceeded, Ready, Reviewing, ReworkRequired,
        Running,
    };
    // A result ends an attempt: beyond it there is only what is thought of it.
    let is_passed = |state: TaskState| match state {
        Ready | Dispatching | Dispatched | Running => true,
        ExecutionSucceeded => matches!(to, Reviewing | Done | ReworkRequired),
        Reviewing => matches!(to, Done | ReworkRequired),
        DispatchFailed => to == TaskState::Blocked,
        _ => false,
    };
    let mut ways = vec![(from, Vec::new())];
    let mut seen = HashSet::from([from]);
    let mut at = 0;
    while at < ways.len() {
        let (state, way) = ways[at].clone();
        if state == to {
            return Some(way);
        }
        for trigger in TaskTrigger::ALL {
            // Clients cannot assert this.
            if *trigger != TaskTrigger::DepsSatisfied
                && let Some(next) = state.next(*trigger).filter(|next| *next == to || is_passed(*next))
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

/// What its agent does meanwhile. One from whom it was taken is free.
fn hand_over(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    before: &Task,
    task: &Task,
    steps: &[TaskTrigger],
) -> Result<(), Failure> {
    let step = |trigger: &TaskTrigger| match trigger {
        TaskTrigger::DispatchAck => Some(AgentTrigger::DispatchAck),
        TaskTrigger::TaskExecutionStarted => Some(AgentTrigger::TaskExecutionStarted),
        TaskTrigger::TaskExecutionResultSuccess => Some(AgentTrigger::TaskExecutionResultSuccess),
        TaskTrigger::TaskExecutionResultFailure => Some(AgentTrigger::TaskExecutionResultFailure),
        _ => None,
    };
    let mut done = Vec::new();
    if before.state.is_in_flight() && before.agent != task.agent {
        if let Some(former) = &before.agent {
            agents::leave(draft, former, workflow, &task.id)?;
        }
        // The new agent takes over the task in its current state.
        if before.state != TaskState::Dispatching {
            done.push(AgentTrigger::DispatchAck);
        }
        if before.state == TaskState::Running {
            done.push(AgentTrigger::TaskExecutionStarted);
        }
    }
    done.extend(steps.iter().filter_map(step));
    match &task.agent {
        Some(agent) => agents::works(draft, agent, workflow, task, &done),
        None => Ok(()),
    }
}

/// Tells what has happened to a task.
fn emit_task(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    steps: &[TaskTrigger],
    task: &Task,
    said: &TaskReport,
) {
    let agent_id = task.agent.clone();
    let about =
        EventScope { task: Some(&task.id), agent: task.agent.as_deref(), ..EventScope::workflow(workflow) };
    let task_id = task.id.clone();
    match task.state {
        TaskState::Running if !steps.is_empty() => {
            draft.emit(about, TaskStarted { task_id, agent_id, description: task.description.clone() });
        }
        TaskState::Blocked if !steps.is_empty() => {
            let reason = said.reason.clone().or_else(|| said.error.clone());
            let reason = reason.unwrap_or_else(|| "No agent qualifies".to_owned());
            let told = TaskBlocked { task_id, reason, estimated_start_time: None, benefit_score: None };
            draft.emit(about, told);
        }
        _ if steps.contains(&TaskTrigger::TaskExecutionResultSuccess) => {
            let duration =
                task.finished.zip(task.started).and_then(|(end, start)| u64::try_from(end - start).ok());
            let result = task.result.as_deref().and_then(|result| serde_json::from_str(result).ok());
            draft.emit(about, TaskCompleted { task_id, agent_id, result, duration });
        }
        _ if steps.contains(&TaskTrigger::TaskExecutionResultFailure) => {
            let error = task.error.clone().unwrap_or_default();
            draft.emit(about, TaskFailed { task_id, agent_id, error, retryable: said.retryable });
        }
        _ => {}
    }
}

/// The same for a task of which nothing else is known.
fn emit_unknown(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    trigger: Trigger,
    id: &str,
    said: &TaskReport,
    brought: &Map<String, Value>,
) -> Result<(), Failure> {
    let description = brought.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    let task = Task {
        description,
        agent: said.agent.clone(),
        result: said.result.clone(),
        error: said.error.clone(),
        ..blank(workflow, id)
    };
    let (state, steps) = match trigger {
        Trigger::TaskProgress => return progressed(draft, workflow, id, said.agent.as_deref(), brought),
        Trigger::TaskStarted => (TaskState::Running, TaskTrigger::TaskExecutionStarted),
        Trigger::TaskCompleted => (TaskState::ExecutionSucceeded, TaskTrigger::TaskExecutionResultSuccess),
        Trigger::TaskFailed => (TaskState::ExecutionFailed, TaskTrigger::TaskExecutionResultFailure),
        _ => return Ok(()),
    };
    emit_task(draft, workflow, &[steps], &Task { state, ..task }, said);
    Ok(())
}

/// Emits the progress of a task, and the step of its agent if the client has sent a thought, action or observation.
fn progressed(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    id: &str,
    agent: Option<&str>,
    brought: &Map<String, Value>,
) -> Result<(), Failure> {
    let text = |key: &str| brought.get(key).and_then(Value::as_str).map(str::to_owned);
    let about = EventScope { task: Some(id), agent, ..EventScope::workflow(workflow) };
    let progress = brought.get("progress").and_then(Value::as_u64).unwrap_or_default().min(100);
    let progress = u8::try_from(progress).unwrap_or(100);
    if STEP.iter().any(|key| text(key).is_some()) {
        let (thought, action) = (text("thought").unwrap_or_default(), text("action").unwrap_or_default());
        let observation = text("observation");
        let success = brought.get("success").and_then(Value::as_bool).unwrap_or(true);
        let round = match brought.get("round").and_then(Value::as_u64) {
            Some(round) => round,
            None => 1 + draft.last_step(&workflow.id, id)?,
        };
        let step = AgentStep {
            thought: thought.clone(),
            action: action.clone(),
            observation: observation.clone(),
            round: Some(round),
            params: brought.get("params").filter(|params| !params.is_null()).cloned(),
            success: Some(success),
        };
        if let Some(agent) = agent {
            agents::steps(draft, agent, workflow, id, step)?;
        }
        let agent_id = agent.map(str::to_owned);
        draft.emit(about, AgentStepCompleted { agent_id, round, thought, action, observation, success });
    }
    draft.emit(about, TaskProgress { task_id: id.to_owned(), progress, message: text("message") });
    Ok(())
}

fn count(tasks: &[Task], status: TaskStatus) -> u64 {
    tasks.iter().filter(|task| task.state.simple() == status).count() as u64
}

/// The progress in percent: 0 if there are no tasks.
pub(crate) fn progress(tasks: &[Task]) -> u64 {
    match tasks.len() as u64 {
        0 => 0,
        all => (200 * count(tasks, TaskStatus::Completed) + all) / (2 * all),
    }
}

fn emit_progress(draft: &mut Draft<'_>, workflow: &Workflow) -> Result<(), Failure> {
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
    draft.emit(EventScope::workflow(workflow), told);
    Ok(())
}

pub(crate) fn emit_plan(draft: &mut Draft<'_>, workflow: &Workflow) -> Result<(), Failure> {
    let tasks = draft.tasks(&workflow.id)?;
    let told = PlanUpdated {
        plan_id: format!("plan-{}", workflow.id),
        version: u64::try_from(workflow.round).unwrap_or_default().max(1),
        task_count: tasks.len() as u64,
        completed_count: count(&tasks, TaskStatus::Completed),
    };
    draft.emit(EventScope::workflow(workflow), told);
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

/// Reopens the tasks that the review names; all that have a result, if it names none.
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

/// What has failed can be done again.
pub(crate) fn retry_failed(draft: &mut Draft<'_>, workflow: &Workflow) -> Result<(), Failure> {
    for task in draft.tasks(&workflow.id)? {
        if let Some(state) = task.state.next(TaskTrigger::RetryOrReassign) {
            draft.put(Task { state, ..task });
        } else if task.state == TaskState::Blocked {
            draft.put(Task { state: TaskState::Ready, ..task });
        }
    }
    Ok(())
}

/// A task that has failed can be done again, after a while.
pub(crate) fn retry(draft: &mut Draft<'_>, workflow: &Workflow, id: &str) -> Result<(), Failure> {
    if let Some(task) = draft.row::<Task>(&Task::key_of(&workflow.id, id))?
        && let Some(state) = task.state.next(TaskTrigger::RetryOrReassign)
    {
        draft.put(Task { state, ..task });
    }
    Ok(())
}

/// Assigns a task to an agent. A later trigger says that the agent has started it.
pub(crate) fn dispatch(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    task: &Task,
    agent: &str,
) -> Result<(), Failure> {
    let Some(state) = task.state.next(TaskTrigger::OrchestratorDispatch) else { return Ok(()) };
    let task = Task {
        state,
        attempt: task.attempt + 1,
        agent: Some(agent.to_owned()),
        dispatch: Some(ids::timed("dispatch", draft.now(), draft.world())),
        started: None,
        finished: None,
        result: None,
        error: None,
        ..task.clone()
    };
    agents::reserve(draft, agent, workflow, &task)?;
    draft.put(task);
    Ok(())
}

/// What the error of a task begins with that no agent has taken.
const UNDELIVERED_PREFIX: &str = "DISPATCH_FAILED: ";

/// The agent has not taken a task that was sent to it: `why` says how that was noticed, `words` are the message. The task can be
/// sent again.
pub(crate) fn undelivered(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    id: &str,
    why: TaskTrigger,
    words: &str,
) -> Result<(), Failure> {
    let Some(task) = draft.row::<Task>(&Task::key_of(&workflow.id, id))? else { return Ok(()) };
    let failed = task.state.next(why);
    let Some(state) = failed.and_then(|failed| failed.next(TaskTrigger::RecoverableRetry)) else {
        return Ok(());
    };
    let error = format!("{UNDELIVERED_PREFIX}{words}");
    if let Some(agent) = &task.agent {
        agents::silent(draft, agent, workflow, id, &error)?;
    }
    let about = EventScope { task: Some(id), agent: task.agent.as_deref(), ..EventScope::workflow(workflow) };
    let component = "dispatch".to_owned();
    draft.emit(about, SystemError { error: error.clone(), component, recoverable: true });
    let (finished, error) = (Some(draft.now()), Some(error));
    draft.put(Task { state, finished, error, ..task });
    draft.keep(&workflow.id);
    Ok(())
}

/// Whether no agent has taken a task, however often it was sent. It is then sent again only on request.
pub(crate) fn is_undeliverable(task: &Task, retries: i64) -> bool {
    task.attempt > retries && task.error.as_ref().is_some_and(|error| error.starts_with(UNDELIVERED_PREFIX))
}

/// What an agent has is taken from it. Returns whether any had something.
pub(crate) fn interrupt(draft: &mut Draft<'_>, workflow: &Workflow) -> Result<bool, Failure> {
    let mut was_at_work = false;
    for task in draft.tasks(&workflow.id)? {
        if task.state.is_in_flight() {
            was_at_work = true;
            if let Some(agent) = &task.agent {
                agents::leave(draft, agent, workflow, &task.id)?;
            }
            draft.put(Task { state: task.state.interrupted(), started: None, ..task });
        }
    }
    Ok(was_at_work)
}

/// The tasks of a workflow become again what they were at a checkpoint: what was done stays done, everything else can be begun.
/// None of them is under way.
pub(crate) fn restore(
    draft: &mut Draft<'_>,
    workflow: &Workflow,
    then: &[TaskProgressEntry],
) -> Result<(), Failure> {
    let mut known: HashMap<String, Task> =
        draft.tasks(&workflow.id)?.into_iter().map(|task| (task.id.clone(), task)).collect();
    let mut next = known.values().map(|task| task.no).max().unwrap_or_default() + 1;
    let json = |names: &Option<Vec<String>>| names.as_deref().map(|names| Value::from(names).to_string());
    let time = |text: &Option<String>| Some(text.as_deref()?.parse::<Timestamp>().ok()?.unix_millis());
    for entry in then {
        let mut row = known.remove(&entry.task_id).unwrap_or_else(|| {
            next += 1;
            Task { no: next - 1, ..blank(workflow, &entry.task_id) }
        });
        row.description.clone_from(&entry.description);
        row.kind = entry.kind.clone().unwrap_or(row.kind);
        row.needs = json(&entry.dependencies).unwrap_or(row.needs);
        row.capabilities = json(&entry.required_capabilities).unwrap_or(row.capabilities);
        row.min_level = entry.min_level.and_then(|level| i64::try_from(level).ok());
        row.agent.clone_from(&entry.assigned_agent);
        row.attempt = i64::try_from(entry.iteration_count).unwrap_or(i64::MAX);
        (row.started, row.finished, row.result, row.error) = (None, None, None, None);
        // What was done since is undone: the try does not continue.
        row.dispatch = None;
        let came = |key: &str| entry.result.as_ref()?.get(key).cloned();
        let state = match &*entry.status {
            "completed" => TaskState::ExecutionSucceeded,
            "failed" => TaskState::ExecutionFailed,
            _ => TaskState::Created,
        };
        if state != TaskState::Created {
            (row.started, row.finished) = (time(&entry.started_at), time(&entry.completed_at));
            row.result = came("output").map(|output| output.to_string());
            row.error = came("error").and_then(|error| error.as_str().map(str::to_owned));
        }
        draft.put(Task { state, ..row });
    }
    for id in known.keys() {
        draft.remove(Task::key_of(&workflow.id, id));
    }
    unblock(draft, workflow)
}

/// The output of the tasks: their files, the last of which is the main one, and the last text.
pub(crate) fn output_of(tasks: &[Task]) -> Value {
    let results: Vec<Value> =
        tasks.iter().filter_map(|task| serde_json::from_str(task.result.as_deref()?).ok()).collect();
    let mut files: Vec<String> = Vec::new();
    for result in &results {
        for file in result["files"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            files.retain(|known| known != file);
            files.push(file.to_owned());
        }
    }
    let output = results.last().map(|result| result["output"].clone()).unwrap_or_default();
    let mut object = Map::new();
    object.insert("output".to_owned(), output);
    if let Some(last) = files.last() {
        object.insert("path".to_owned(), json!(format!("./{last}")));
        object.insert(
            "files".to_owned(),
            json!(files.iter().map(|file| format!("./{file}")).collect::<Vec<_>>()),
        );
    }
    Value::Object(object)
}

/// Tasks as the API lists them.
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
        min_level: task.min_level.and_then(|level| u64::try_from(level).ok()),
        assignee: task.agent.clone(),
        estimated_duration: task.estimate.and_then(|estimate| u64::try_from(estimate).ok()),
        deadline: task.due.map(iso),
        started_at: task.started.map(iso),
        completed_at: task.finished.map(iso),
        result: task.result.as_deref().and_then(|result| serde_json::from_str(result).ok()),
        error: task.error.clone(),
        assignment: None,
    };
    tasks.iter().map(&mut node).collect()
}

/// The same, each with who has given it to whom (contract/workflows §6.5).
pub(crate) fn assigned(workflow: &Workflow, tasks: &[Task]) -> Vec<TaskNode> {
    let context = steer::context_of(workflow);
    let assigner = context.get(PLANNED_BY).and_then(Value::as_str).unwrap_or(ORCHESTRATOR);
    let assignment = |task: &Task| {
        let was_tried = task.attempt > 0 || task.rejections > 0;
        Some(Assignment {
            epic_id: workflow.id.clone(),
            task_id: task.id.clone(),
            assigner_agent_id: assigner.to_owned(),
            assignee_agent_id: task.agent.clone(),
            phase: task.state.assignment(was_tried, workflow.state.is_terminal())?,
            attempt: u64::try_from(task.attempt).unwrap_or_default(),
        })
    };
    let nodes = nodes(tasks).into_iter().zip(tasks);
    nodes.map(|(node, task)| TaskNode { assignment: assignment(task), ..node }).collect()
}
