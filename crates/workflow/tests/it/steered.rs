//! Whatever users and clients do to a workflow while an engine drives it, in any order and at any moment: its events must be
//! possible by the tables of contract/workflows §5, and the invariants hold. [`crate::sequences`] does the same without an
//! engine, where all that happens can be foretold; here the engine is as fast as it is, and what it was allowed to do is read
//! from the log.

use crate::studio::{AgentRequest, Studio, says, smooth};
use crate::support::{answer, campaign};
use crate::whole::WholeLists as _;
use journal::Step;
use llm::LlmError;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use protocol::workflow::{
    DecisionStatus, EventType, PhaseTransition, Refusal, TaskStatus, Trigger, WorkflowState,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

/// How many sequences are tried; the long campaign multiplies it.
const SEQUENCES: u32 = 80;
const MAX_LENGTH: usize = 24;

/// What is done to the workflow.
#[derive(Debug, Clone)]
enum Op {
    /// Waits until this many more events have happened, or nothing happens by itself.
    Wait(u8),
    Step(Trigger, u8),
    Pause {
        hard: bool,
    },
    Resume,
    Input,
    /// The oldest decision is answered.
    Answer(u8),
    /// The next agents that are asked fail, in this way.
    Fail(u8),
    Cancel,
    /// The process is killed, and begins again.
    Restart,
    ResumeSession,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let triggers = [
        Trigger::IntentAnalyzed,
        Trigger::RoutingDecided,
        Trigger::PlanCreated,
        Trigger::TaskCompleted,
        Trigger::TaskFailed,
        Trigger::ReviewPassed,
        Trigger::ReviewRejected,
        Trigger::MajorChangeDetected,
        Trigger::UserDecisionReceived,
    ];
    let op = prop_oneof![
        16 => (1..12_u8).prop_map(Op::Wait),
        6 => (select(triggers.to_vec()), any::<u8>()).prop_map(|(trigger, context)| Op::Step(trigger, context)),
        4 => any::<bool>().prop_map(|hard| Op::Pause { hard }),
        4 => Just(Op::Resume),
        4 => Just(Op::Input),
        6 => any::<u8>().prop_map(Op::Answer),
        3 => (1..4_u8).prop_map(Op::Fail),
        1 => prop_oneof![1 => Just(Op::Cancel), 3 => Just(Op::Resume)],
        2 => Just(Op::Restart),
        3 => Just(Op::ResumeSession),
    ];
    vec(op, 1..MAX_LENGTH)
}

/// The rows of contract/workflows §5.3, as they stand there. A pause returns to where it was made, which is looked at on its own.
const ROWS: &[(&str, &str, &str)] = &[
    ("idle", "user_input_received", "semantic_understanding"),
    ("semantic_understanding", "intent_analyzed", "routing_decision"),
    ("routing_decision", "routing_decided", "plan_loop"),
    ("routing_decision", "routing_decided", "execution"),
    ("routing_decision", "routing_decided", "wait_user_decision"),
    ("plan_loop", "plan_created", "execution"),
    ("execution", "task_completed", "review"),
    ("execution", "major_change_detected", "replan_evaluation"),
    ("execution", "resource_missing", "wait_user_decision"),
    ("execution", "user_input_received", "semantic_understanding"),
    ("execution", "task_failed", "failed"),
    ("replan_evaluation", "routing_decided", "plan_loop"),
    ("replan_evaluation", "routing_decided", "execution"),
    ("review", "review_rejected", "execution"),
    ("review", "review_passed", "completed"),
    ("review", "task_failed", "failed"),
    ("wait_user_decision", "user_decision_received", "plan_loop"),
    ("wait_user_decision", "user_decision_received", "execution"),
    ("wait_user_decision", "user_decision_received", "routing_decision"),
    ("wait_user_decision", "user_decision_received", "failed"),
    ("paused", "user_input_received", "semantic_understanding"),
];

/// What only a person or a client can make happen.
const THEIRS: [Trigger; 4] =
    [Trigger::PauseRequested, Trigger::ResumeRequested, Trigger::CancelRequested, Trigger::UserInputReceived];

fn plan() -> Value {
    json!([
        { "id": "task-1", "description": "a", "requiredCapabilities": ["web_search"] },
        { "id": "task-2", "description": "b" },
        { "id": "task-3", "description": "c", "dependencies": ["task-1", "task-2"] },
    ])
}

fn script(asked: &AgentRequest, failing: &AtomicU8) -> Result<String, LlmError> {
    // Long enough for something to come in between.
    asked.cancellation.wait(Duration::from_micros(700));
    match failing.swap(0, Ordering::Relaxed) {
        1 if asked.role.starts_with("task") => {
            return Ok(says("FAIL", json!({ "reason": "no", "recoverable": true })));
        }
        2 if asked.role.starts_with("task") => return Ok(says("FAIL", json!({ "reason": "never" }))),
        3 => return Err(LlmError::Connect { target: "x".to_owned(), message: "refused".to_owned() }),
        _ => {}
    }
    if let Some(text) = smooth(asked, &plan()) {
        return Ok(text);
    }
    Ok(match (&*asked.role, asked.round()) {
        ("route", _) => says("ROUTE_DECISION", json!({ "route": "continue_execution" })),
        ("task-1", 0) => says("WEB_SEARCH", json!({ "query": "x" })),
        ("task-2", 0) => says("USER_ESCALATE", json!({ "message": "which?", "options": ["this", "that"] })),
        ("task-3", 0) => says("WRITE_FILE", json!({ "path": "report.md", "content": "x" })),
        (role, _) => says("COMPLETE", json!({ "output": format!("{role} is done") })),
    })
}

/// One sequence as it goes.
struct Run {
    studio: Studio,
    failing: Arc<AtomicU8>,
    workflow: String,
    session: String,
    /// The events during which something was done that may do this.
    theirs: Vec<(Trigger, RangeInclusive<i64>)>,
    /// The events during which a session was resumed.
    resumed: Vec<RangeInclusive<i64>>,
    /// The events without a driver, up to the one by which it was driven again.
    idle: Vec<RangeInclusive<i64>>,
    left_at: Option<i64>,
    /// What was said, with the numbers of the last steps before and after.
    said: Vec<(String, i64, i64)>,
}

impl Run {
    fn new() -> Self {
        let failing: Arc<AtomicU8> = Arc::default();
        let fails = Arc::clone(&failing);
        let studio = Studio::new(move |asked: &AgentRequest| script(asked, &fails)).start();
        let (workflow, session) = studio.begin("x");
        let begun = (Trigger::UserInputReceived, 0..=i64::try_from(studio.rows().len()).unwrap());
        Self {
            studio,
            failing,
            workflow,
            session,
            theirs: vec![begun],
            resumed: Vec::new(),
            idle: Vec::new(),
            left_at: None,
            said: Vec::new(),
        }
    }

    fn last(&self) -> i64 {
        self.studio.rows().last().map_or(0, |event| event.seq)
    }

    fn last_step(&self) -> i64 {
        self.studio.steps(&self.workflow).last().map_or(0, |step| step.no)
    }

    fn state(&self) -> WorkflowState {
        self.studio.state(&self.workflow)
    }

    /// The pending decisions, the oldest first.
    fn pending(&self) -> Vec<(String, String)> {
        let asked =
            self.studio.runtime.decisions(Some(&self.workflow), Some(DecisionStatus::Pending)).unwrap();
        let mut asked: Vec<_> = asked.into_iter().map(|asked| (asked.decision_id, asked.message)).collect();
        asked.sort();
        asked
    }

    /// Whether nothing more happens by itself.
    fn is_still(&self) -> bool {
        let state = self.state();
        let is_at_rest =
            state.is_terminal() || state == WorkflowState::WaitUserDecision || self.left_at.is_some();
        let tasks = self.studio.runtime.tasks(&self.workflow).unwrap();
        let steps = self.studio.steps(&self.workflow);
        // A question that was asked, and perhaps answered, is handled after the pause.
        let is_held = |task: &str| {
            let last = steps.iter().rfind(|step| step.task.as_deref() == Some(task));
            last.is_some_and(|step| step.answer.is_none() && step.outcome.is_some())
        };
        let mut at_work = tasks.iter().filter(|task| task.status == TaskStatus::InProgress);
        let is_busy = at_work.any(|task| !is_held(&task.id));
        is_at_rest || state == WorkflowState::Paused && !is_busy || !self.pending().is_empty()
    }

    fn wait(&self, count: u8) {
        let from = self.last();
        self.studio.until("something more", |studio| {
            studio.nudge();
            (self.last() >= from + i64::from(count) || self.is_still()).then_some(())
        });
    }

    fn phase_since(&self, seq: i64) -> bool {
        self.studio.rows().iter().any(|event| event.seq > seq && event.kind == EventType::PhaseTransition)
    }

    /// Does something, and checks the outcome.
    fn act(&mut self, op: &Op, number: usize) {
        let (before, was, step) = (self.last(), self.state(), self.last_step());
        let done = self.attempt(op, number);
        let (after, is) = (self.last(), self.state());
        let code = done.as_ref().err().map(|refusal| refusal.code.name());
        let is_paused = was == WorkflowState::Paused;
        let trigger = match op {
            Op::Wait(_) | Op::Fail(_) | Op::Answer(_) | Op::Restart => return,
            Op::Pause { .. } => Trigger::PauseRequested,
            // A workflow that was left continues from its checkpoint.
            Op::Resume if !is_paused && done.is_ok() => {
                assert!(self.left_at.is_some(), "{op:?} {was}");
                self.resumed.push(before + 1..=after);
                self.driven_again(before);
                return;
            }
            Op::Resume => Trigger::ResumeRequested,
            Op::Cancel => Trigger::CancelRequested,
            Op::Input => Trigger::UserInputReceived,
            Op::Step(trigger, _) => *trigger,
            Op::ResumeSession => {
                if done.is_ok() {
                    self.resumed.push(before + 1..=after);
                    self.driven_again(before);
                } else {
                    let is_possible = !was.is_terminal() && (is_paused || self.left_at.is_some());
                    assert!(!is_possible, "{op:?} {was}: {code:?}");
                }
                return;
            }
        };
        let is_done = done.is_ok();
        if is_done {
            self.theirs.push((trigger, before + 1..=after));
        }
        // Only the driver ends it meanwhile.
        if was.is_terminal() {
            assert_eq!(code, Some("WORKFLOW_TERMINAL"), "{op:?}");
        }
        let has_ended = code == Some("WORKFLOW_TERMINAL") && is.is_terminal();
        match op {
            Op::Pause { .. } => match done {
                Ok(_) => assert_eq!(is, WorkflowState::Paused),
                Err(_) => {
                    assert!(code == Some("WORKFLOW_ALREADY_PAUSED") && is_paused || has_ended, "{code:?}")
                }
            },
            Op::Resume => match done {
                Ok(_) => assert!(is_paused),
                Err(_) => {
                    let is_left = self.left_at.is_some() && !was.is_terminal();
                    let is_right = code == Some("WORKFLOW_NOT_PAUSED") && !is_paused && !is_left;
                    assert!(is_right || has_ended, "{code:?}");
                }
            },
            Op::Cancel => {
                assert!(done.is_ok() || has_ended, "{code:?}");
                assert!(is.is_terminal());
            }
            Op::Input => match done {
                Ok(told) if told.get("askResolution").is_none_or(Value::is_null) => {
                    self.said.push((format!("said-{number}."), step, self.last_step()));
                }
                Ok(_) => {}
                Err(_) => {
                    let is_known = matches!(code, Some("INVALID_RESPONSE" | "INVALID_REQUEST"));
                    assert!(is_known || has_ended, "{code:?}");
                }
            },
            // What the tables allow in the phase in which it was asked is not refused, whatever the engine does.
            Op::Step(trigger, _) if code.is_some() && !self.phase_since(before) => {
                let guarded = [Trigger::TaskCompleted, Trigger::TaskFailed, Trigger::UserDecisionReceived];
                let is_row = |row: &&(&str, &str, &str)| row.0 == was.name() && row.1 == trigger.name();
                let row = ROWS.iter().find(is_row).filter(|_| !guarded.contains(trigger));
                assert_eq!(row, None, "{op:?}: {code:?}");
            }
            _ => {}
        }
        if is_done && matches!(op, Op::Resume | Op::Step(..)) {
            self.driven_again(before);
        }
    }

    fn driven_again(&mut self, at: i64) {
        if let Some(from) = self.left_at.take() {
            self.idle.push(from + 1..=at);
        }
    }

    fn attempt(&mut self, op: &Op, number: usize) -> Result<Value, Refusal> {
        let runtime = &self.studio.runtime;
        match op {
            Op::Wait(count) => {
                self.wait(*count);
                Ok(Value::Null)
            }
            Op::Step(trigger, choice) => {
                let context = match trigger {
                    Trigger::IntentAnalyzed => json!({ "intent": format!("client {number}") }),
                    Trigger::RoutingDecided => {
                        json!({ "route": if choice % 3 == 0 { "continue_execution" } else { "full_replan" } })
                    }
                    Trigger::PlanCreated => json!({ "tasks": plan() }),
                    Trigger::TaskCompleted | Trigger::TaskFailed => {
                        json!({ "taskId": format!("task-{}", choice % 3 + 1), "result": { "output": "client" }, "error": "client" })
                    }
                    Trigger::UserDecisionReceived => json!({ "decision": "continue" }),
                    _ => json!({}),
                };
                self.studio.step(&self.workflow, trigger.name(), context)
            }
            Op::Pause { hard } => answer(runtime.pause(None, &self.workflow, *hard)),
            Op::Resume => answer(runtime.resume(None, &self.workflow)),
            Op::Cancel => answer(runtime.cancel(None, &self.workflow)),
            Op::Input => answer(runtime.input(None, &self.workflow, &format!("said-{number}."))),
            Op::Answer(choice) => {
                let Some((id, message)) = self.pending().into_iter().next() else { return Ok(Value::Null) };
                let response = match &*message {
                    message if message.starts_with("检测到") => ["Y", "n"][usize::from(choice % 4 / 3)],
                    "which?" => "this",
                    // Giving up would end everything that could be tried.
                    _ => ["continue", "continue", "continue", "replan"][usize::from(choice % 4)],
                };
                answer(runtime.respond(None, &id, response))
            }
            Op::Fail(how) => {
                self.failing.store(*how, Ordering::Relaxed);
                Ok(Value::Null)
            }
            Op::Restart => {
                self.studio.stop();
                let from = self.last();
                self.studio.start_for(i64::MAX);
                if !self.state().is_terminal() && self.state() != WorkflowState::Paused {
                    self.left_at.get_or_insert(from.max(self.last()));
                }
                Ok(Value::Null)
            }
            Op::ResumeSession => self.studio.resume(&self.session),
        }
    }

    /// Brings the workflow to its end, whatever happened.
    fn finish(&mut self) {
        self.failing.store(0, Ordering::Relaxed);
        for number in 1000..1300 {
            let state = self.state();
            if state.is_terminal() {
                return;
            }
            let is_left = !self.studio.runtime.resumable().unwrap().is_empty();
            if is_left && self.left_at.is_none() && state != WorkflowState::Paused {
                self.left_at = Some(self.last());
            }
            if is_left {
                self.act(&Op::ResumeSession, number);
            } else if !self.pending().is_empty() {
                self.act(&Op::Answer(0), number);
            } else if state == WorkflowState::WaitUserDecision {
                self.act(&Op::Step(Trigger::UserDecisionReceived, 0), number);
            }
            self.wait(3);
        }
        let steps = self.studio.steps(&self.workflow);
        let steps: Vec<_> = steps
            .iter()
            .map(|step| format!("{} {}.{} {:?}", step.name, step.no, step.attempt, step.answer.is_some()))
            .collect();
        panic!("it does not end: {steps:#?} {:#?}", self.studio.brief());
    }

    fn check(&self) {
        let rows = self.studio.rows();
        let is_theirs = |trigger: Trigger, seq: i64| {
            self.theirs.iter().any(|(theirs, range)| *theirs == trigger && range.contains(&seq))
        };
        let steps = self.studio.steps(&self.workflow);
        let (mut state, mut previous, mut entered) = (WorkflowState::Idle, None, 0);
        let mut intent = None;
        let mut working: HashMap<String, String> = HashMap::new();
        for event in &rows {
            let payload: Value = serde_json::from_str(&event.payload).unwrap();
            let text = |key: &str| payload[key].as_str().unwrap_or_default().to_owned();
            let begins = [EventType::TaskStarted, EventType::ToolCall, EventType::UserDecisionRequired];
            if begins.contains(&event.kind) {
                assert!(!state.is_terminal(), "{event:?} after the end");
            }
            match event.kind {
                EventType::PhaseTransition => {
                    let told: PhaseTransition = serde_json::from_str(&event.payload).unwrap();
                    assert_eq!(told.from, state, "each phase begins where the one before has ended");
                    assert!(!state.is_terminal(), "{event:?}");
                    match told.trigger {
                        None => {
                            assert!(self.resumed.iter().any(|range| range.contains(&event.seq)), "{event:?}")
                        }
                        Some(Trigger::PauseRequested) => {
                            assert!(state != WorkflowState::Paused && told.to == WorkflowState::Paused);
                        }
                        Some(Trigger::ResumeRequested) => {
                            assert!(state == WorkflowState::Paused && Some(told.to) == previous, "{event:?}");
                        }
                        Some(Trigger::CancelRequested | Trigger::ErrorOccurred) => {
                            assert_eq!(told.to, WorkflowState::Failed);
                        }
                        Some(trigger) => {
                            let row = (state.name(), trigger.name(), told.to.name());
                            assert!(ROWS.contains(&row), "{row:?}");
                        }
                    }
                    if let Some(trigger) = told.trigger {
                        let is_client = is_theirs(trigger, event.seq);
                        assert!(is_client || !THEIRS.contains(&trigger), "nobody has asked for {event:?}");
                        // What the engine brings is what it was asked in this very phase.
                        let asks = [Trigger::IntentAnalyzed, Trigger::PlanCreated, Trigger::ReviewPassed];
                        if asks.contains(&trigger) && !is_client {
                            let name = format!("{state}@{entered}/think");
                            assert!(
                                steps.iter().any(|step| step.name == name && step.answer.is_some()),
                                "{name}"
                            );
                        }
                        if trigger == Trigger::IntentAnalyzed {
                            intent = Some(is_client);
                        }
                    }
                    previous = (told.to == WorkflowState::Paused).then_some(state);
                    state = told.to;
                    // After a pause it is the same phase as before.
                    if !matches!(told.trigger, Some(Trigger::PauseRequested | Trigger::ResumeRequested)) {
                        entered = event.seq;
                    }
                }
                EventType::TaskStarted => {
                    assert_eq!(state, WorkflowState::Execution, "{event:?}");
                    let is_left = self.idle.iter().find(|range| range.contains(&event.seq));
                    assert_eq!(is_left, None, "nobody drives it: {event:?}");
                    let before = working.insert(text("agentId"), text("taskId"));
                    assert_eq!(before, None, "{event:?}");
                }
                EventType::TaskCompleted | EventType::TaskFailed => {
                    working.retain(|_, task| *task != text("taskId"));
                }
                EventType::ResourceUpdate if text("status") == "available" => {
                    working.remove(&text("resourceId"));
                }
                _ => {}
            }
        }
        assert_eq!(state, self.state());
        let context = self.studio.runtime.state(&self.workflow).unwrap().context;
        if let Some(is_client) = intent {
            assert_eq!(context["intent"].is_string(), is_client, "the last one who said it: {context:?}");
        }
        self.check_steps(&steps);
    }

    fn check_steps(&self, steps: &[Step]) {
        let mut asked: BTreeMap<String, i64> = BTreeMap::new();
        let mut answered: HashMap<i64, i64> = HashMap::new();
        let mut decisions: HashMap<&str, i64> = HashMap::new();
        for step in steps {
            // What was broken off may have ended all the same, but only after it was begun again.
            let ended = answered.get(&step.no).copied().unwrap_or(i64::MAX);
            assert!(ended >= step.started, "{} {} had its answer", step.name, step.no);
            if let Some(finished) = step.finished {
                answered.insert(step.no, finished);
            }
            if step.name.ends_with("/think") {
                let request: Value = serde_json::from_str(&step.request).unwrap();
                *asked.entry(request["prompt"].as_str().unwrap().to_owned()).or_default() += 1;
            }
            if let Some(decision) = step.outcome.as_deref().filter(|_| step.name.ends_with("/ask")) {
                *decisions.entry(decision).or_default() += 1;
            }
        }
        assert!(decisions.values().all(|times| *times == 1), "{decisions:?}");
        for (_, prompt) in self.studio.log.prompts.lock().unwrap().iter() {
            let left = asked.get_mut(prompt).expect("what is asked was written before");
            *left -= 1;
            assert!(*left >= 0, "more often than was written: {prompt}");
        }
        // Each word of a person is in one prompt, and that is the next one: a new one, or one that was broken off and is asked
        // again.
        let thinks: Vec<&Step> = steps.iter().filter(|step| step.name.ends_with("/think")).collect();
        for (word, before, after) in &self.said {
            let heard: Vec<&&Step> = thinks.iter().filter(|step| step.request.contains(word)).collect();
            let next = thinks.iter().find(|step| step.no > *after).map(|step| step.no);
            let Some(first) = heard.first() else {
                assert_eq!(next, None, "{word} was not heard");
                continue;
            };
            assert!(heard.iter().all(|step| step.no == first.no), "{word} {heard:?}");
            assert!(first.no > *before || first.attempt > 1, "{word} {first:?}");
            assert!(next.is_none_or(|next| first.no <= next), "{word} {first:?} {next:?}");
        }
    }
}

fn check(ops: &[Op]) {
    let mut run = Run::new();
    for (number, op) in (1..).zip(ops) {
        run.act(op, number);
    }
    run.finish();
    run.studio.stop();
    run.check();
}

#[test]
fn whatever_is_done_to_a_workflow_the_engine_keeps_to_the_tables() {
    campaign("steered", SEQUENCES, &ops(), |ops| check(&ops));
}
