//! Commands, decided on a state without a journal.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod begin;
mod needed;
mod pauses;
mod tasks;

use aide_core::agent::{Agent, Work};
use aide_core::decision::{Decision, DecisionReason, NewDecision, Resolution};
use aide_core::task::Task;
use aide_core::{
    Command, Context, Event, Guard, MailEnding, Moment, RULES, RuleTarget, SourcePhases, State,
    TriggerPayload, Workflow, checkpoint, decide,
};
use model::Via;
use proptest::prelude::*;
use proptest::sample::select;
use protocol::workflow::api::SessionCheckpoint;
use protocol::workflow::{
    AgentState, DecisionStatus, ErrorCode, Refusal, ResourceStatus, SingleStage, TaskState, TaskTrigger,
    Trigger, WorkflowState,
};
use serde_json::{Value, json};

pub(crate) const NOW: Moment = Moment { now: 1000, seed: 7 };

pub(crate) fn members(value: Value) -> serde_json::Map<String, Value> {
    serde_json::from_value(value).unwrap()
}

/// A workflow in this phase, with two tasks, the first of which the agent `x` does.
pub(crate) fn state(phase: WorkflowState) -> State {
    let running = Task {
        no: 1,
        state: TaskState::Running,
        agent: Some("x".to_owned()),
        dispatch: Some("d".to_owned()),
        attempt: 1,
        started: Some(400),
        ..Task::new("a")
    };
    let waiting = Task { no: 2, needs: vec!["a".to_owned()], ..Task::new("b") };
    let work = Work {
        session: "s".to_owned(),
        workflow: "w".to_owned(),
        task: Some("a".to_owned()),
        since: Some(400),
    };
    let agent = Agent {
        id: "x".to_owned(),
        kind: "executor".to_owned(),
        capabilities: Vec::new(),
        state: AgentState::Running,
        status: ResourceStatus::Busy,
        work: Some(work),
        deployments: 1,
        errors: 0,
        last_error: None,
        last_active: None,
    };
    let workflow = Workflow {
        id: "w".to_owned(),
        session: "s".to_owned(),
        state: phase,
        previous: (phase == WorkflowState::Paused).then_some(WorkflowState::Execution),
        task: "write".to_owned(),
        round: 1,
        error: None,
        output: None,
        cancelled: false,
        failures: 0,
        wake_at: None,
        updated: 0,
    };
    State {
        workflow,
        context: Context::default(),
        tasks: vec![running, waiting],
        decisions: Vec::new(),
        pool: vec![agent],
        last_round: 0,
    }
}

/// The state with a pending decision of this ID.
pub(crate) fn asked(mut state: State, id: &str, task: Option<&str>, options: &[&str]) -> State {
    let new = NewDecision {
        message: "How?".to_owned(),
        options: options.iter().map(|option| (*option).to_owned()).collect(),
        task_id: task.map(str::to_owned),
        ..NewDecision::default()
    };
    let asked = new.ask(id.to_owned(), Some(&state.workflow), Ok(Some("s".to_owned())), 500).unwrap();
    state.decisions.push(asked.decision);
    state
}

/// The resumption from a checkpoint of this state.
pub(crate) fn resume_from(then: &State, is_last: bool) -> Command {
    Command::ResumeFrom { checkpoint: Box::new(checkpoint(then)), is_last }
}

/// A checkpoint of this state, which was entered at once.
fn checkpoint(then: &State) -> SessionCheckpoint {
    let entered = |state| {
        let trigger = Some(Trigger::PlanCreated);
        let entered = json!({ "from": "idle", "to": state, "trigger": trigger });
        (500, serde_json::from_value(entered).unwrap())
    };
    let entered = [then.workflow.previous, Some(then.workflow.state)].into_iter().flatten().map(entered);
    let state = (&then.workflow, then.context.clone(), &*then.tasks);
    checkpoint::body("chk-1".to_owned(), state, entered, NOW.now)
}

pub(crate) fn drive(trigger: Trigger, context: Value) -> Command {
    Command::drive(trigger, TriggerPayload::from_members(members(context)))
}

/// The state after a command, and the names of what is published.
pub(crate) fn after(state: &State, command: Command) -> (State, Vec<String>) {
    let events = decide(state.clone(), NOW, command).unwrap();
    let mut after = state.clone();
    events.iter().for_each(|event| after.apply(event));
    let name = |event: &Event| match event {
        Event::Published(_, event) => Some(event.kind().name().to_owned()),
        _ => None,
    };
    (after, events.iter().filter_map(name).collect())
}

/// Drives a workflow by this trigger; returns the names of what is published.
pub(crate) fn step(state: &mut State, trigger: Trigger, context: Value) -> Vec<String> {
    let (next, told) = after(state, drive(trigger, context));
    *state = next;
    told
}

/// What this trigger would publish: types and payloads.
pub(crate) fn published(state: &State, trigger: Trigger, context: Value) -> Vec<(String, Value)> {
    let events = decide(state.clone(), NOW, drive(trigger, context)).unwrap();
    let published = events.into_iter().filter_map(|event| match event {
        Event::Published(_, event) => Some(event),
        _ => None,
    });
    published
        .map(|event| (event.kind().name().to_owned(), serde_json::from_str(&event.payload()).unwrap()))
        .collect()
}

/// Why this trigger is refused.
pub(crate) fn refused(state: &State, trigger: Trigger, context: Value) -> Refusal {
    decide(state.clone(), NOW, drive(trigger, context)).unwrap_err()
}

pub(crate) fn refusal(state: &State, command: Command) -> ErrorCode {
    decide(state.clone(), NOW, command).unwrap_err().code
}

/// What makes a guard hold: members of the context that come with the trigger, and the stage.
fn fulfilled(guard: Option<Guard>) -> (Value, Option<SingleStage>) {
    match guard {
        None | Some(Guard::TasksEnded) => (json!({}), None),
        Some(Guard::Route(routes) | Guard::RouteOrNone(routes)) => {
            (json!({ "route": routes[0].name() }), None)
        }
        Some(Guard::Decision(answers)) => (json!({ "decision": answers[0].name() }), None),
        Some(Guard::Stage(stages)) => (json!({}), Some(stages[0])),
        Some(Guard::StageTasksEnded) => (json!({}), Some(SingleStage::Execute)),
        Some(Guard::CannotRecover) => (json!({ "retriesExhausted": true, "error": "e" }), None),
        Some(Guard::LastErrorGiven) => (json!({ "lastError": "e" }), None),
    }
}

#[test]
fn s5_3_every_row_of_the_table_is_a_command() {
    for rule in RULES {
        let from = match rule.from {
            SourcePhases::State(state) => state,
            SourcePhases::Active | SourcePhases::Open => WorkflowState::PlanLoop,
        };
        let (mut brought, stage) = fulfilled(rule.guard);
        let mut before = state(from);
        if let Some(stage) = stage {
            before.context = Context::single(stage);
        }
        let needs_end = matches!(rule.guard, Some(Guard::TasksEnded | Guard::StageTasksEnded));
        if needs_end {
            before.tasks.truncate(1);
        }
        if matches!(rule.trigger, Trigger::TaskStarted | Trigger::TaskProgress | Trigger::TaskCompleted) {
            brought["taskId"] = json!("a");
        }
        let (after, told) = after(&before, drive(rule.trigger, brought));
        let expected = match rule.to {
            RuleTarget::State(state) => state,
            RuleTarget::BeforePause => WorkflowState::Execution,
            RuleTarget::Same => from,
        };
        assert_eq!(after.workflow.state, expected, "{rule:?}");
        let is_told = told.iter().any(|kind| kind == "phase_transition");
        assert_eq!(is_told, rule.to != RuleTarget::Same, "{rule:?}");
        assert_eq!(after.workflow.updated, NOW.now, "{rule:?}");
        let wakes = (!expected.is_terminal()).then_some(NOW.now);
        assert_eq!(after.workflow.wake_at, wakes, "{rule:?}");
    }
}

#[test]
fn s5_3_what_the_table_does_not_have_is_refused() {
    let completed = state(WorkflowState::Completed);
    assert_eq!(refusal(&completed, Command::trigger(Trigger::CancelRequested)), ErrorCode::WorkflowTerminal);
    let paused = state(WorkflowState::Paused);
    assert_eq!(refusal(&paused, Command::Pause { is_hard: false }), ErrorCode::WorkflowAlreadyPaused);
    let review = state(WorkflowState::Review);
    assert_eq!(refusal(&review, drive(Trigger::ResumeRequested, json!({}))), ErrorCode::WorkflowNotPaused);
    // That it is not possible comes before what is wrong with the list.
    let list = json!({ "tasks": 5 });
    assert_eq!(refusal(&review, drive(Trigger::PlanCreated, list.clone())), ErrorCode::InvalidTransition);
    let planning = state(WorkflowState::PlanLoop);
    assert_eq!(refusal(&planning, drive(Trigger::PlanCreated, list)), ErrorCode::InvalidRequest);
    let large = json!({ "x": "y".repeat(1 << 20) });
    assert_eq!(refusal(&planning, drive(Trigger::PlanCreated, large)), ErrorCode::InvalidRequest);
}

#[test]
fn s5_3_a_plan_is_published_before_what_happens_to_its_tasks() {
    let list = json!({ "tasks": [
        { "id": "c", "dependencies": ["d"], "status": "completed" },
        { "id": "d", "status": "completed", "assignee": "x" },
    ] });
    let (after, told) = after(&state(WorkflowState::PlanLoop), drive(Trigger::PlanCreated, list));
    let ids: Vec<&str> = after.tasks.iter().map(|task| &*task.id).collect();
    assert_eq!((ids, after.workflow.round), (vec!["c", "d"], 2));
    // The agent of the dropped task is free before it takes one of the new plan.
    let expected = [
        "resource_update",
        "plan_updated",
        "agent_update",
        "task_completed",
        "task_completed",
        "workflow_progress",
        "phase_transition",
    ];
    assert_eq!(told, expected);
    assert_eq!((after.pool[0].state, after.pool[0].deployments), (AgentState::Idle, 2));
}

#[test]
fn s5_3_a_workflow_that_ends_leaves_nothing_open() {
    let before = asked(asked(state(WorkflowState::Execution), "1", None, &[]), "2", Some("a"), &[]);
    let events = decide(before.clone(), NOW, Command::trigger(Trigger::CancelRequested)).unwrap();
    let ended = |event: &&Event| matches!(event, Event::DecisionEnded { .. });
    assert_eq!(events.iter().filter(ended).count(), 2, "each decision once");
    let mail = Event::MailEnded(MailEnding::Failed(Some("cancelled".to_owned())));
    assert!(events.contains(&mail), "and with its error those who wait");
    let (after, told) = after(&before, Command::trigger(Trigger::CancelRequested));
    assert!(after.workflow.cancelled && after.pending().next().is_none() && after.pool[0].is_free());
    assert_eq!(
        (after.tasks[0].state, after.workflow.error.as_deref()),
        (TaskState::Ready, Some("cancelled"))
    );
    let expected = [
        "phase_transition",
        "resource_update",
        "user_decision_received",
        "user_decision_received",
        "workflow_update",
    ];
    assert_eq!(told, expected);
}

#[test]
fn s5_3_missing_resources_are_asked_for_and_the_workflow_waits() {
    let missing = json!({ "taskId": "b", "missingResources": [{ "type": "reviewer" }], "reason": "Nobody" });
    let (after, told) = after(&state(WorkflowState::Execution), drive(Trigger::ResourceMissing, missing));
    let decision = after.pending().next().unwrap();
    assert_eq!((after.context.awaited(), &*decision.message().unwrap()), (Some(&*decision.id), "Nobody"));
    let expected = ["phase_transition", "resource_shortage", "user_decision_required", "waiting_for_user"];
    assert_eq!(told, expected);
    let how = decision.answered("abort").unwrap();
    let end =
        Command::EndDecision { decision: decision.id.clone(), resolution: Box::new(how), via: Via::Api };
    let (ended, _) = self::after(&after, end);
    let error = ended.workflow.error.as_deref();
    assert_eq!((ended.workflow.state, error), (WorkflowState::Failed, Some("Nobody")), "why it was asked");
}

#[test]
fn s5_4_what_comes_in_a_pause_is_judged_after_it() {
    let paused = state(WorkflowState::Paused);
    let failed = json!({ "taskId": "a", "error": "e" });
    let (recorded, told) = after(&paused, drive(Trigger::TaskFailed, failed));
    assert_eq!(told, ["agent_update", "task_failed", "workflow_progress"], "it is only recorded");
    let (over, _) = after(&recorded, drive(Trigger::ErrorOccurred, json!({ "lastError": "x" })));
    assert_eq!(over.workflow.state, WorkflowState::Failed, "unless it is an error");
    let exhausted =
        State { context: Context::from_members(members(json!({ "retriesExhausted": true }))), ..paused };
    let failed = json!({ "taskId": "a", "error": "e" });
    let (recorded, _) = after(&exhausted, drive(Trigger::TaskFailed, failed));
    let (resumed, told) = after(&recorded, drive(Trigger::ResumeRequested, json!({})));
    let error = resumed.workflow.error.as_deref();
    assert_eq!((resumed.workflow.state, error), (WorkflowState::Failed, Some("e")));
    assert_eq!(told.iter().filter(|kind| *kind == "phase_transition").count(), 2);
}

#[test]
fn s5_4_a_hard_pause_breaks_off_what_runs_and_a_resumption_goes_back() {
    let (paused, _) = after(&state(WorkflowState::Execution), Command::Pause { is_hard: true });
    assert_eq!((paused.tasks[0].state, paused.context.breaks()), (TaskState::Ready, 1));
    assert!(paused.pool[0].is_free());
    let (resumed, told) = after(&paused, resume_from(&state(WorkflowState::PlanLoop), true));
    assert_eq!((resumed.workflow.state, resumed.workflow.previous), (WorkflowState::PlanLoop, None));
    assert_eq!(told, ["phase_transition", "workflow_update"]);
    let (left, told) = after(&state(WorkflowState::Execution), Command::Interrupt);
    assert!(left.context.is_interrupted() && told == ["resource_update"]);
    let (driven, _) = after(&left, drive(Trigger::UserInputReceived, json!({})));
    assert!(!driven.context.is_interrupted(), "its driver is there again");
}

#[test]
fn s5_5_a_task_is_moved_with_its_agent() {
    let before = state(WorkflowState::Execution);
    let missing = refusal(&before, drive(Trigger::TaskStarted, json!({ "taskId": "z" })));
    assert_eq!(missing, ErrorCode::NotFound);
    let impossible = refusal(&before, drive(Trigger::TaskProgress, json!({ "taskId": "b" })));
    assert_eq!(impossible, ErrorCode::InvalidTransition);
    let (done, told) = after(&before, drive(Trigger::TaskCompleted, json!({ "taskId": "a", "result": 1 })));
    assert_eq!(told, ["agent_update", "task_completed", "workflow_progress"]);
    assert_eq!(done.tasks[1].state, TaskState::Ready, "what needs it can begin");
    let (task, agent) = ("b".to_owned(), "x".to_owned());
    let (sent, told) = after(&done, Command::Dispatch { task, agent });
    assert_eq!((sent.tasks[1].state, sent.tasks[1].attempt), (TaskState::Dispatching, 1));
    assert_eq!((told, sent.pool[0].task()), (vec!["resource_update".to_owned()], Some("b")));
    let (task, words) = ("b".to_owned(), "no answer".to_owned());
    let (back, told) = after(&sent, Command::TakeBackUnaccepted { task, why: TaskTrigger::Timeout, words });
    assert_eq!((back.tasks[1].state, back.pool[0].errors), (TaskState::Ready, 1));
    assert_eq!(told, ["resource_update", "system_error"]);
}

#[test]
fn s6_5_the_agent_of_a_task_that_waits_is_free_meanwhile() {
    let (task, agent) = ("a".to_owned(), "x".to_owned());
    let before = state(WorkflowState::Execution);
    let (aside, _) = after(&before, Command::LayAside { task: task.clone(), agent: agent.clone() });
    assert!(aside.pool[0].is_free() && aside.tasks[0].state == TaskState::Running);
    let (back, told) = after(&aside, Command::TakeUp { task, agent });
    assert_eq!((back.pool[0].task(), back.pool[0].state), (Some("a"), AgentState::Running));
    assert_eq!(told, ["agent_update"]);
}

#[test]
fn s6_5_a_person_is_asked_after_a_failure() {
    let (task, context) = ("a".to_owned(), "why".to_owned());
    let (asked, _) = after(&state(WorkflowState::Execution), Command::AskAboutFailure { task, context });
    let decision = asked.pending().next().unwrap();
    assert_eq!(asked.context.recovery(), Some(&*decision.id));
    let (used, _) = after(&asked, Command::UseRecovery);
    assert_eq!(used.context.recovery(), None);
    let mut failed = used;
    failed.tasks[0].state = TaskState::ExecutionFailed;
    failed.tasks[1].state = TaskState::Blocked;
    let (one, _) = after(&failed, Command::Retry { task: "a".to_owned() });
    let states = |state: &State| state.tasks.iter().map(|task| task.state).collect::<Vec<_>>();
    assert_eq!(states(&one), [TaskState::Ready, TaskState::Blocked]);
    assert_eq!(states(&after(&failed, Command::RetryFailed).0), [TaskState::Ready, TaskState::Ready]);
}

#[test]
fn s6_6_input_is_an_answer_or_an_instruction() {
    let input = |text: &str| Command::Input { text: text.to_owned(), via: Via::Api };
    let before = state(WorkflowState::Execution);
    assert_eq!(refusal(&before, input(" ")), ErrorCode::MissingField);
    assert_eq!(refusal(&before, input(&"x".repeat(70_000))), ErrorCode::InvalidRequest);
    let ended = state(WorkflowState::Failed);
    assert_eq!(refusal(&ended, input("x")), ErrorCode::WorkflowTerminal);
    let events = decide(before.clone(), NOW, input(" be quick ")).unwrap();
    assert!(events.contains(&Event::Instructed("be quick".to_owned())));
    let one = asked(before, "1", Some("a"), &["Y", "n"]);
    let (answered, told) = after(&one, input("Y"));
    assert_eq!(answered.decision("1").unwrap().status, DecisionStatus::Answered);
    assert_eq!(told, ["user_decision_received"]);
    let two = asked(one, "2", None, &[]);
    let refused = decide(two.clone(), NOW, input("Y")).unwrap_err();
    assert_eq!(refused.details["pendingDecisions"], json!(["1", "2"]));
    let (understood, _) = after(&state(WorkflowState::Paused), input("differently"));
    assert_eq!(understood.workflow.state, WorkflowState::SemanticUnderstanding);
}

#[test]
fn s7_3_a_decision_that_ends_moves_what_waits_for_it() {
    let expired = || Box::new(Resolution::expired("now".to_owned(), None));
    let end = |decision: &Decision| Command::EndDecision {
        decision: decision.id.clone(),
        resolution: expired(),
        via: Via::Clock,
    };
    let for_task = asked(state(WorkflowState::Execution), "1", Some("a"), &[]);
    let (failed, _) = after(&for_task, end(&for_task.decisions[0]));
    assert_eq!(
        (failed.tasks[0].state, failed.tasks[0].error.as_deref()),
        (TaskState::ExecutionFailed, Some("TIMEOUT"))
    );
    let waiting = asked(state(WorkflowState::WaitUserDecision), "1", None, &[]);
    let (failed, _) = after(&waiting, end(&waiting.decisions[0]));
    assert_eq!(
        (failed.workflow.state, failed.workflow.error.as_deref()),
        (WorkflowState::Failed, Some("TIMEOUT"))
    );
    // Another one than it waits for moves nothing.
    let mut other = asked(waiting, "2", None, &[]);
    other.context.await_decision("2");
    let (same, _) = after(&other, end(&other.decisions[0]));
    assert_eq!(
        (same.workflow.state, same.workflow.wake_at),
        (WorkflowState::WaitUserDecision, Some(NOW.now))
    );
}

#[test]
fn s7_1_a_workflow_that_waits_for_no_decision_waits_for_the_next_one() {
    let ask = |is_awaited| Command::Ask {
        new: Box::new(NewDecision { message: "?".to_owned(), ..NewDecision::default() }),
        session: Ok("s".to_owned()),
        why: DecisionReason::Confirmation,
        is_awaited,
    };
    let before = state(WorkflowState::WaitUserDecision);
    let (first, told) = after(&before, ask(true));
    assert_eq!(first.context.awaited(), Some(&*first.decisions[0].id));
    assert_eq!(told, ["user_decision_required", "waiting_for_user"]);
    let (second, _) = after(&first, ask(true));
    assert_eq!(second.context.awaited(), first.context.awaited());
    assert_eq!(after(&before, ask(false)).0.context.awaited(), None);
    assert_eq!(refusal(&state(WorkflowState::Failed), ask(true)), ErrorCode::WorkflowTerminal);
}

/// A command that fits often.
fn command() -> impl Strategy<Value = Command> {
    let task = || select(vec!["a", "b", "c"]).prop_map(str::to_owned);
    let brought = select(vec![
        json!({}),
        json!({ "tasks": [{ "id": "a" }, { "id": "c", "dependencies": ["a"] }] }),
        json!({ "tasks": [{ "id": "b", "status": "completed" }], "route": "continue_execution" }),
        json!({ "taskId": "a", "agentId": "x", "result": 1, "decision": "continue" }),
        json!({ "taskId": "b", "error": "e", "lastError": "e", "retriesExhausted": true }),
    ]);
    let agent = || "x".to_owned();
    prop_oneof![
        8 => (select(Trigger::ALL.to_vec()), brought).prop_map(|(trigger, context)| drive(trigger, context)),
        1 => any::<bool>().prop_map(|is_hard| Command::Pause { is_hard }),
        1 => Just(Command::Input { text: "continue".to_owned(), via: Via::Api }),
        1 => (task(), any::<bool>()).prop_map(|(task, is_awaited)| Command::Ask {
            new: Box::new(NewDecision {
                message: "?".to_owned(),
                task_id: is_awaited.then_some(task),
                ..NewDecision::default()
            }),
            session: Ok("s".to_owned()),
            why: DecisionReason::Confirmation,
            is_awaited,
        }),
        1 => Just(Command::Interrupt),
        1 => Just(Command::Park { error: "e".to_owned() }),
        1 => (select(vec![WorkflowState::Execution, WorkflowState::Review]), any::<bool>())
            .prop_map(|(phase, is_last)| resume_from(&state(phase), is_last)),
        1 => task().prop_map(move |task| Command::Dispatch { task, agent: agent() }),
        1 => task().prop_map(move |task| Command::LayAside { task, agent: agent() }),
        1 => task().prop_map(|task| Command::Retry { task }),
        1 => Just(Command::RetryFailed),
    ]
}

proptest! {
    /// The state is the sum of its events, and what has ended leaves nothing open, whatever is asked.
    #[test]
    fn s5_3_whatever_is_asked_a_workflow_that_ends_leaves_nothing_open(
        commands in proptest::collection::vec(command(), 1..40),
    ) {
        let mut state = state(WorkflowState::Idle);
        for (seed, command) in (0..).zip(commands) {
            let command = match command {
                Command::Dispatch { .. } | Command::LayAside { .. } | Command::Retry { .. }
                | Command::RetryFailed if state.workflow.state.is_terminal() => continue,
                command => command,
            };
            let Ok(events) = decide(state.clone(), Moment { seed, ..NOW }, command) else { continue };
            let was_ended = state.workflow.state.is_terminal();
            events.iter().for_each(|event| state.apply(event));
            prop_assert!(state.tasks.is_sorted_by_key(|task| task.no));
            prop_assert!(!was_ended || state.workflow.state.is_terminal(), "an end is an end");
            prop_assert_eq!(state.workflow.previous.is_some(), state.workflow.state == WorkflowState::Paused);
            if state.workflow.state.is_terminal() {
                prop_assert!(state.pending().next().is_none());
                prop_assert!(state.pool.iter().all(Agent::is_free));
                prop_assert!(state.tasks.iter().all(|task| !task.state.is_in_flight()));
                prop_assert_eq!(state.workflow.wake_at, None);
            }
        }
    }
}
