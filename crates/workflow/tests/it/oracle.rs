//! The expected state of workflows and decisions, by the tables alone: their phase, and why something is refused. It knows no
//! rows, no events and no agents, so that what both journals would get wrong together is seen.

use aide_core::{Context, TransitionOutcome, TransitionRefusal, next};
use protocol::workflow::{DecisionStatus, TaskState, Trigger, WorkflowState};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What a request comes to: nothing to speak of, or why it is refused.
pub(crate) type Verdict = Result<(), &'static str>;

/// Members of a context that only the one trigger is about.
const PASSING: [&str; 5] = ["tasks", "taskId", "agentId", "result", "error"];

/// What the judgement of a pause begins with.
const ORDER: [Trigger; 4] =
    [Trigger::TaskFailed, Trigger::TaskCompleted, Trigger::UserDecisionReceived, Trigger::ErrorOccurred];

#[derive(Default)]
pub(crate) struct Oracle {
    pub(crate) now: i64,
    pub(crate) workflows: BTreeMap<String, Flow>,
    /// As they were asked.
    pub(crate) decisions: Vec<Question>,
    kept: u64,
}

pub(crate) struct Flow {
    session: String,
    pub(crate) state: WorkflowState,
    previous: Option<WorkflowState>,
    context: Map<String, Value>,
    tasks: Vec<(String, TaskState, Option<&'static str>)>,
    recorded: Vec<(Trigger, Map<String, Value>)>,
    /// The number of the decision that it waits for.
    awaited: Option<usize>,
    is_left: bool,
    /// When its last checkpoint was made, among all.
    kept: u64,
}

pub(crate) struct Question {
    workflow: Option<String>,
    options: &'static [&'static str],
    status: DecisionStatus,
    expires: Option<i64>,
}

impl Flow {
    fn phase(&self) -> WorkflowState {
        self.previous.unwrap_or(self.state)
    }

    fn is_driven(&self) -> bool {
        !self.state.is_terminal() && self.state != WorkflowState::Paused && !self.is_left
    }

    /// What the table says, with the tasks as they are.
    fn next(
        &self,
        trigger: Trigger,
        context: &Map<String, Value>,
    ) -> Result<TransitionOutcome, &'static str> {
        let states: Vec<TaskState> = self.tasks.iter().map(|(_, state, _)| *state).collect();
        let guards = Context::from_members(context.clone()).guards(&states);
        next(self.state, self.previous, trigger, &guards).map_err(|refused| match refused {
            TransitionRefusal::Ended => "WORKFLOW_TERMINAL",
            TransitionRefusal::AlreadyPaused => "WORKFLOW_ALREADY_PAUSED",
            TransitionRefusal::NotPaused => "WORKFLOW_NOT_PAUSED",
            TransitionRefusal::Invalid => "INVALID_TRANSITION",
        })
    }

    fn unblock(&mut self) {
        let is_done = |id: &str| {
            self.tasks.iter().any(|(task, state, _)| task == id && *state == TaskState::ExecutionSucceeded)
        };
        let free: Vec<bool> = self.tasks.iter().map(|(_, _, need)| need.is_none_or(is_done)).collect();
        for ((_, state, _), is_free) in self.tasks.iter_mut().zip(free) {
            if *state == TaskState::Created && is_free {
                *state = TaskState::Ready;
            }
        }
    }

    fn interrupt(&mut self) -> bool {
        let mut was_at_work = false;
        for (_, state, _) in &mut self.tasks {
            was_at_work |= state.is_in_flight();
            *state = state.interrupted();
        }
        was_at_work
    }

    /// The tasks that come with a trigger; whether one of them has ended by that.
    fn take(&mut self, trigger: Trigger, brought: &Value) -> Result<bool, &'static str> {
        let Some(list) = brought["tasks"].as_array() else { return Ok(false) };
        let named: Vec<&str> = list.iter().map(|task| task["id"].as_str().unwrap()).collect();
        if trigger == Trigger::PlanCreated {
            self.tasks.retain(|(task, ..)| named.contains(&&**task));
        }
        for id in &named {
            if !self.tasks.iter().any(|(task, ..)| task == id) {
                self.tasks.push(((*id).to_owned(), TaskState::Created, (*id == "b").then_some("a")));
            }
        }
        self.unblock();
        let done = list.iter().find(|task| task["status"] == "completed").map(|task| task["id"].clone());
        let is_paused = self.state == WorkflowState::Paused;
        let task = self.tasks.iter_mut().find(|(task, ..)| done.as_ref().is_some_and(|done| done == task));
        match task {
            Some((_, state, _)) if *state != TaskState::ExecutionSucceeded => {
                if is_paused {
                    return Err("INVALID_TRANSITION");
                }
                *state = TaskState::ExecutionSucceeded;
                self.unblock();
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// What has happened to one task; whether it has ended by that.
    fn happen(&mut self, trigger: Trigger, brought: &Value) -> Result<bool, &'static str> {
        use TaskState::{Created, Dispatched, ExecutionFailed, ExecutionSucceeded, Ready, Running};
        let to = match trigger {
            Trigger::TaskDispatched => Dispatched,
            Trigger::TaskStarted | Trigger::TaskProgress => Running,
            Trigger::TaskCompleted => ExecutionSucceeded,
            Trigger::TaskFailed => ExecutionFailed,
            _ => return Ok(false),
        };
        let has_ended = to.has_ended();
        let is_paused = self.state == WorkflowState::Paused;
        let is_begun_unseen = is_paused && trigger == Trigger::TaskStarted;
        let Some(id) = brought["taskId"].as_str() else {
            let is_refused = is_begun_unseen && brought.get("tasks").is_none();
            return if is_refused { Err("INVALID_TRANSITION") } else { Ok(has_ended) };
        };
        if self.tasks.is_empty() {
            return if is_begun_unseen { Err("INVALID_TRANSITION") } else { Ok(has_ended) };
        }
        let task = self.tasks.iter_mut().find(|(task, ..)| task == id).ok_or("NOT_FOUND")?;
        let is_possible = match (task.1, to) {
            _ if trigger == Trigger::TaskProgress => task.1 == Running,
            (Created | ExecutionSucceeded, _)
            | (Running, Dispatched)
            | (ExecutionFailed, ExecutionFailed) => false,
            (Ready | ExecutionFailed, _) => !is_paused,
            _ => true,
        };
        if !is_possible {
            return Err("INVALID_TRANSITION");
        }
        task.1 = to;
        self.unblock();
        Ok(has_ended)
    }
}

impl Oracle {
    pub(crate) fn begin(&mut self, id: &str, session: &str) {
        self.kept += 1;
        let flow = Flow {
            session: session.to_owned(),
            state: WorkflowState::SemanticUnderstanding,
            previous: None,
            context: Map::new(),
            tasks: Vec::new(),
            recorded: Vec::new(),
            awaited: None,
            is_left: false,
            kept: self.kept,
        };
        self.workflows.insert(id.to_owned(), flow);
    }

    /// Applies a trigger to a workflow, if possible; `is_driver` if that counts as driving it.
    pub(crate) fn step(&mut self, id: &str, trigger: Trigger, brought: &Value, is_driver: bool) -> Verdict {
        let flow = self.workflows.get_mut(id).ok_or("WORKFLOW_NOT_FOUND")?;
        let mut context = flow.context.clone();
        let told = brought.as_object().into_iter().flatten();
        context.extend(
            told.filter(|(key, _)| !PASSING.contains(&key.as_str())).map(|(k, v)| (k.clone(), v.clone())),
        );
        flow.next(trigger, &context)?;
        let before = flow.tasks.clone();
        let come = flow
            .take(trigger, brought)
            .and_then(|taken| Ok(taken | flow.happen(trigger, brought)?))
            .and_then(|has_ended| Ok((has_ended, flow.next(trigger, &context)?)));
        let (has_ended, entered) = come.inspect_err(|_| flow.tasks = before)?;
        flow.context = context;
        flow.is_left &= !is_driver;
        if has_ended {
            self.kept += 1;
            flow.kept = self.kept;
        }
        match entered {
            TransitionOutcome::Enter(to) => self.enter(id, to, trigger),
            TransitionOutcome::Stay if flow.state == WorkflowState::Paused => {
                if matches!(trigger, Trigger::TaskCompleted | Trigger::TaskFailed) {
                    flow.recorded.push((trigger, Map::new()));
                }
            }
            TransitionOutcome::Stay => {}
        }
        if trigger == Trigger::ResourceMissing {
            self.decisions.push(Question {
                workflow: Some(id.to_owned()),
                options: &["continue", "replan", "abort"],
                status: DecisionStatus::Pending,
                expires: None,
            });
            self.workflows.get_mut(id).unwrap().awaited = Some(self.decisions.len() - 1);
        }
        Ok(())
    }

    fn enter(&mut self, id: &str, to: WorkflowState, trigger: Trigger) {
        self.kept += 1;
        let flow = self.workflows.get_mut(id).unwrap();
        flow.kept = self.kept;
        let recorded = std::mem::take(&mut flow.recorded);
        flow.previous = (to == WorkflowState::Paused).then_some(flow.state);
        flow.state = to;
        if flow.phase() != WorkflowState::WaitUserDecision {
            flow.awaited = None;
        }
        if trigger == Trigger::ReviewRejected {
            let done = flow.tasks.iter_mut().filter(|task| task.1 == TaskState::ExecutionSucceeded);
            done.for_each(|task| task.1 = TaskState::Ready);
        }
        if to.is_terminal() {
            flow.interrupt();
            let asked = self.decisions.iter_mut().filter(|asked| asked.workflow.as_deref() == Some(id));
            asked
                .filter(|asked| asked.status == DecisionStatus::Pending)
                .for_each(|asked| asked.status = DecisionStatus::Cancelled);
        }
        if trigger == Trigger::ResumeRequested {
            self.judge(id, &recorded);
        }
    }

    fn judge(&mut self, id: &str, recorded: &[(Trigger, Map<String, Value>)]) {
        for trigger in ORDER {
            let Some((_, known)) = recorded.iter().rev().find(|(come, _)| *come == trigger) else { continue };
            let flow = self.workflows.get_mut(id).unwrap();
            let mut context = flow.context.clone();
            context.extend(known.clone());
            if let Ok(TransitionOutcome::Enter(to)) = flow.next(trigger, &context) {
                flow.context = context;
                self.enter(id, to, trigger);
            }
        }
    }

    pub(crate) fn pause(&mut self, id: &str, is_hard: bool) -> Verdict {
        self.step(id, Trigger::PauseRequested, &json!({}), false)?;
        if is_hard {
            self.workflows.get_mut(id).unwrap().interrupt();
        }
        Ok(())
    }

    pub(crate) fn input(&mut self, id: &str, text: &str) -> Verdict {
        let flow = self.workflows.get(id).ok_or("WORKFLOW_NOT_FOUND")?;
        if flow.state.is_terminal() {
            return Err("WORKFLOW_TERMINAL");
        }
        if text.is_empty() {
            return Err("MISSING_FIELD");
        }
        let is_asked = |asked: &Question| {
            asked.workflow.as_deref() == Some(id) && asked.status_at(self.now) == DecisionStatus::Pending
        };
        let asked: Vec<usize> =
            (0..).zip(&self.decisions).filter(|(_, asked)| is_asked(asked)).map(|(at, _)| at).collect();
        match asked[..] {
            [] => {}
            [number] => return self.answer(number, text),
            // Which of them is meant is not said.
            _ => return Err("INVALID_REQUEST"),
        }
        if flow.state == WorkflowState::Paused {
            self.step(id, Trigger::UserInputReceived, &json!({}), false)?;
        }
        Ok(())
    }

    pub(crate) fn ask(
        &mut self,
        workflow: Option<&str>,
        options: &'static [&'static str],
        wait: Option<i64>,
    ) -> Verdict {
        let number = self.decisions.len();
        if let Some(id) = workflow {
            let flow = self.workflows.get_mut(id).ok_or("WORKFLOW_NOT_FOUND")?;
            if flow.state.is_terminal() {
                return Err("WORKFLOW_TERMINAL");
            }
            if flow.phase() == WorkflowState::WaitUserDecision {
                flow.awaited.get_or_insert(number);
            }
        }
        self.decisions.push(Question {
            workflow: workflow.map(str::to_owned),
            options,
            status: DecisionStatus::Pending,
            expires: wait.map(|wait| self.now + wait),
        });
        Ok(())
    }

    /// `number` is that of a decision; none for one that there is not.
    pub(crate) fn respond(&mut self, number: Option<usize>, text: &str) -> Verdict {
        self.expire();
        let number = number.ok_or("DECISION_NOT_FOUND")?;
        match self.decisions[number].status {
            DecisionStatus::Pending => self.answer(number, text),
            DecisionStatus::Expired => Err("DECISION_EXPIRED"),
            _ => Err("DECISION_ALREADY_RESOLVED"),
        }
    }

    fn answer(&mut self, number: usize, text: &str) -> Verdict {
        let asked = &mut self.decisions[number];
        let chosen = match (asked.options, text) {
            ([], text) if !text.is_empty() => text,
            (["Y", "n"], "Y" | "") => "Y",
            (["Y", "n"], "2") => "n",
            (["a", "b", "c"], "2") => "b",
            (["a", "b", "c"], "1,3") => "a",
            (["continue", ..], "2") => "replan",
            _ => return Err("INVALID_RESPONSE"),
        };
        asked.status = DecisionStatus::Answered;
        self.decided(number, Trigger::UserDecisionReceived, json!({ "decision": chosen }));
        Ok(())
    }

    /// Ends what has run out of time.
    pub(crate) fn expire(&mut self) {
        let is_due = |asked: &Question| asked.status != asked.status_at(self.now);
        let due: Vec<usize> = (0..self.decisions.len()).filter(|at| is_due(&self.decisions[*at])).collect();
        for number in due {
            // It may have been ended by what another has led to.
            if self.decisions[number].status == DecisionStatus::Pending {
                self.decisions[number].status = DecisionStatus::Expired;
                self.decided(number, Trigger::ErrorOccurred, json!({ "lastError": "TIMEOUT" }));
            }
        }
    }

    fn decided(&mut self, number: usize, trigger: Trigger, known: Value) {
        let Some(id) = self.decisions[number].workflow.clone() else { return };
        let flow = self.workflows.get_mut(&id).unwrap();
        if flow.phase() == WorkflowState::WaitUserDecision && flow.awaited.is_none_or(|it| it == number) {
            if flow.state == WorkflowState::Paused {
                flow.recorded.push((trigger, known.as_object().unwrap().clone()));
            } else {
                self.step(&id, trigger, &known, false).unwrap();
            }
        }
    }

    pub(crate) fn resume_session(&mut self, session: &str) -> Verdict {
        let of = |flow: &&Flow| flow.session == session;
        if !self.workflows.values().any(|flow| of(&flow)) {
            return Err("SESSION_NOT_FOUND");
        }
        let left = self.workflows.iter().filter(|(_, flow)| of(flow) && !flow.state.is_terminal());
        let left = left.filter(|(_, flow)| !flow.is_driven()).max_by_key(|(_, flow)| flow.kept);
        let Some((id, _)) = left else {
            let is_busy = self.workflows.values().any(|flow| of(&flow) && flow.is_driven());
            return Err(if is_busy { "SESSION_BUSY" } else { "SESSION_NOT_RESUMABLE" });
        };
        let id = id.clone();
        self.go_on(&id);
        Ok(())
    }

    /// Resumes a paused workflow, or one that was left.
    pub(crate) fn resume(&mut self, id: &str) -> Verdict {
        match self.workflows.get(id) {
            Some(flow)
                if flow.is_left && flow.state != WorkflowState::Paused && !flow.state.is_terminal() =>
            {
                self.go_on(id);
                Ok(())
            }
            _ => self.step(id, Trigger::ResumeRequested, &serde_json::json!({}), true),
        }
    }

    /// Continues a workflow that was left, from its last checkpoint.
    fn go_on(&mut self, id: &str) {
        self.kept += 1;
        let flow = self.workflows.get_mut(id).unwrap();
        flow.kept = self.kept;
        flow.interrupt();
        let has_failed = flow.tasks.iter().any(|task| task.1 == TaskState::ExecutionFailed);
        flow.state = if has_failed { WorkflowState::PlanLoop } else { flow.phase() };
        flow.previous = None;
        flow.is_left = false;
        if flow.state != WorkflowState::WaitUserDecision {
            flow.awaited = None;
        }
        let recorded = std::mem::take(&mut flow.recorded);
        self.judge(id, &recorded);
    }

    /// The workflows that can be resumed.
    pub(crate) fn left(&self) -> BTreeSet<String> {
        let left = self.workflows.iter().filter(|(_, flow)| !flow.state.is_terminal() && !flow.is_driven());
        left.map(|(id, _)| id.clone()).collect()
    }

    /// Before an agent is looked at.
    pub(crate) fn deploy(&self, session: Option<&str>, workflow: &str) -> Verdict {
        let session = session.ok_or("SESSION_NOT_FOUND")?;
        let flow = self.workflows.get(workflow).ok_or("WORKFLOW_NOT_FOUND")?;
        if flow.state.is_terminal() {
            return Err("WORKFLOW_TERMINAL");
        }
        if flow.session == session { Ok(()) } else { Err("INVALID_REQUEST") }
    }

    /// The daemon was away.
    pub(crate) fn restart(&mut self) {
        for flow in self.workflows.values_mut().filter(|flow| !flow.state.is_terminal()) {
            let is_paused = flow.state == WorkflowState::Paused;
            let is_new = flow.is_driven();
            if is_new || is_paused && flow.tasks.iter().any(|task| task.1.is_in_flight()) {
                flow.interrupt();
                self.kept += 1;
                flow.kept = self.kept;
            }
            flow.is_left |= is_new;
        }
    }
}

impl Question {
    pub(crate) fn status_at(&self, now: i64) -> DecisionStatus {
        let is_due = self.expires.is_some_and(|expires| expires <= now);
        if is_due && self.status == DecisionStatus::Pending { DecisionStatus::Expired } else { self.status }
    }
}
