//! How workflows begin, and the agents that are given to them.

use crate::{NOW, after, refusal, state};
use aide_core::agent::{Agent, Work};
use aide_core::{Command, Event, OpeningMessage, PhaseRequest, SendingAgent, State, decide};
use protocol::workflow::{ErrorCode, Refusal, ResourceStatus, SingleStage, TaskState, WorkflowState};
use serde_json::{Value, json};

/// A workflow that has not begun, and a pool of these agents, each in the form `id kind`; `executor-1` does a task.
fn idle(pool: &[&str]) -> State {
    let mut state = State { tasks: Vec::new(), ..state(WorkflowState::Idle) };
    let at_work = state.pool.remove(0);
    for agent in pool {
        let (id, kind) = agent.split_once(' ').unwrap();
        let agent = Agent { id: id.to_owned(), kind: kind.to_owned(), ..at_work.clone() };
        state.pool.push(if id == "executor-1" { agent } else { agent.freed().unwrap() });
    }
    state
}

fn opening(phase: Option<PhaseRequest>) -> OpeningMessage {
    let images = Ok(vec!["a.png".to_owned()]);
    OpeningMessage { id: "msg-1".to_owned(), is_session_paused: false, images, phase: phase.map(Box::new) }
}

fn begin(message: OpeningMessage) -> Command {
    Command::Begin(Box::new(message))
}

/// A request for this phase, where a provider answers for these agents.
fn request(stage: SingleStage, answered: &[&str]) -> PhaseRequest {
    let answered = answered.iter().map(|id| (*id).to_owned()).collect();
    PhaseRequest { stage, subject: None, agent: None, may_queue: true, sender: None, answered, before: None }
}

fn refused(state: &State, request: PhaseRequest) -> Refusal {
    decide(state.clone(), NOW, begin(opening(Some(request)))).unwrap_err()
}

#[test]
fn s3_1_a_message_begins_a_workflow_with_its_images() {
    let (begun, told) = after(&idle(&[]), begin(opening(None)));
    assert_eq!(begun.workflow.state, WorkflowState::SemanticUnderstanding);
    assert_eq!(begun.context.images().collect::<Vec<_>>(), ["a.png"]);
    assert_eq!(told, ["user_message", "phase_transition"]);
    let events = decide(idle(&[]), NOW, begin(opening(None))).unwrap();
    let said = events.iter().find_map(|event| match event {
        Event::Published(_, event) => Some(event.payload()),
        _ => None,
    });
    let said: Value = serde_json::from_str(&said.unwrap()).unwrap();
    assert_eq!(said, json!({ "messageId": "msg-1", "content": "write" }));
}

#[test]
fn s3_1_nothing_begins_in_a_paused_session_or_with_images_that_cannot_be_shown() {
    let images = Err(Refusal::invalid("too large", "images"));
    let message = OpeningMessage { images, ..opening(None) };
    assert_eq!(refusal(&idle(&[]), begin(message.clone())), ErrorCode::InvalidRequest);
    let paused = OpeningMessage { is_session_paused: true, ..message };
    let busy = decide(idle(&[]), NOW, begin(paused)).unwrap_err();
    assert_eq!((busy.code, &busy.details["sessionId"]), (ErrorCode::SessionBusy, &json!("s")));
}

#[test]
fn s3_8_a_single_phase_is_entered_at_once() {
    let pool = ["executor-1 executor", "executor-2 executor", "x orchestrator", "y reviewer"];
    let all = ["executor-2", "x", "y"];
    for (stage, subject, member) in [
        (SingleStage::Understand, None, None),
        (SingleStage::Route, Some(json!({ "a": 1 })), Some("intent")),
        (SingleStage::Plan, None, None),
        (SingleStage::Execute, None, None),
        (SingleStage::Review, Some(json!("p")), Some("proposal")),
    ] {
        let request = PhaseRequest { subject: subject.clone(), ..request(stage, &all) };
        let (begun, told) = after(&idle(&pool), begin(opening(Some(request))));
        assert_eq!((begun.workflow.state, begun.context.stage()), (stage.phase(), Some(stage)), "{stage}");
        assert_eq!(told.last().map(String::as_str), Some("phase_transition"), "{stage}");
        let tasks: Vec<_> = begun.tasks.iter().map(|task| (&*task.id, &*task.description)).collect();
        let is_task = stage == SingleStage::Execute;
        assert_eq!(tasks, if is_task { vec![("task-1", "write")] } else { vec![] }, "{stage}");
        let members = begun.context.into_members();
        assert_eq!(member.map(|member| members[member].clone()), subject, "{stage}");
    }
    let sender = SendingAgent { id: "executor-1".to_owned(), is_waiting: true, held_up: Vec::new() };
    let request = PhaseRequest {
        agent: Some("executor-2".to_owned()),
        sender: Some(sender),
        before: Some(json!({ "task": "t" })),
        ..request(SingleStage::Execute, &all)
    };
    let (begun, _) = after(&idle(&pool), begin(opening(Some(request))));
    assert_eq!((begun.tasks[0].state, begun.context.planned_by()), (TaskState::Ready, Some("executor-1")));
    let members: Vec<String> = begun.context.into_members().keys().cloned().collect();
    assert_eq!(members, ["stage", "stageAgent", "plannedBy", "stageAwaitedBy", "images", "before"]);
}

#[test]
fn s3_8_a_phase_needs_an_agent_of_its_type_for_which_a_provider_answers() {
    let state = idle(&["executor-1 executor", "executor-2 executor", "x orchestrator", "y reviewer"]);
    for (stage, answered, kind) in [
        (SingleStage::Understand, "y", "orchestrator"),
        (SingleStage::Route, "y", "orchestrator"),
        (SingleStage::Plan, "executor-2", "orchestrator"),
        (SingleStage::Execute, "x", "executor"),
        (SingleStage::Review, "x", "reviewer"),
        (SingleStage::Review, "unknown", "reviewer"),
    ] {
        let refusal = refused(&state, request(stage, &[answered]));
        let words = format!("No provider answers for an agent of type {kind}");
        assert_eq!((refusal.code, refusal.error), (ErrorCode::ProviderMissing, words), "{stage}");
        assert_eq!(refusal.details["setting"], "daemon.provider");
    }
    let named = |agent: &str, may_queue: bool| {
        let request = request(SingleStage::Execute, &["executor-1", "x"]);
        let refusal = refused(&state, PhaseRequest { agent: Some(agent.to_owned()), may_queue, ..request });
        (refusal.code, refusal.error)
    };
    let missing = "No provider answers for agent executor-2".to_owned();
    assert_eq!(named("executor-2", true), (ErrorCode::ProviderMissing, missing));
    assert_eq!(named("unknown", true).0, ErrorCode::AgentNotFound);
    assert_eq!(named("x", true).0, ErrorCode::InvalidRequest);
    let busy = "target agent busy: executor-1".to_owned();
    assert_eq!(named("executor-1", false), (ErrorCode::ResourceBusy, busy));
}

#[test]
fn s6_5_no_agent_waits_for_itself_directly_or_through_others() {
    let pool = ["executor-1 executor", "executor-2 executor"];
    let mut state = idle(&pool);
    state.pool[1].work = state.pool[0].work.clone();
    let begin_for = |state: &State, sender: &str, target: &str, is_waiting: bool, held_up: &[&str]| {
        let held_up = held_up.iter().map(|id| (*id).to_owned()).collect();
        let request = PhaseRequest {
            agent: Some(target.to_owned()),
            sender: Some(SendingAgent { id: sender.to_owned(), is_waiting, held_up }),
            ..request(SingleStage::Execute, &["executor-1", "executor-2"])
        };
        decide(state.clone(), NOW, begin(opening(Some(request)))).err().map(|refusal| {
            assert_eq!(refusal.code, ErrorCode::ResourceBusy);
            refusal.error
        })
    };
    let (one, two) = ("executor-1", "executor-2");
    let risk = |chain: &str| Some(format!("dispatch deadlock risk: {chain}"));
    assert_eq!(begin_for(&state, one, one, true, &[]), risk("executor-1 → executor-1"));
    let held_up = ["y", "executor-2", "z"];
    let chain = "executor-2 → y → executor-1 → executor-2";
    assert_eq!(begin_for(&state, one, two, true, &held_up), risk(chain));
    assert_eq!(begin_for(&state, one, two, true, &["y"]), None, "it is held up by others");
    assert_eq!(begin_for(&state, one, two, false, &held_up), None, "the sender does not wait");
    let idle = idle(&pool);
    assert_eq!(begin_for(&idle, one, two, true, &held_up), None, "the target is idle");
    assert_eq!(begin_for(&idle, two, two, true, &[]), None, "the sender is idle");
}

#[test]
fn s3_5_an_agent_is_given_to_a_workflow_that_has_not_ended_and_taken_back() {
    let deploy =
        |session: &str, agent: &str| Command::Deploy { agent: agent.to_owned(), session: session.to_owned() };
    let before = idle(&["executor-1 executor", "executor-2 executor"]);
    let (given, told) = after(&before, deploy("s", "executor-2"));
    let work = Work { session: "s".to_owned(), workflow: "w".to_owned(), task: None, since: Some(NOW.now) };
    assert_eq!((given.pool[1].status, &given.pool[1].work), (ResourceStatus::Deployed, &Some(work)));
    assert_eq!((told, given.workflow.updated), (vec!["resource_update".to_owned()], NOW.now));
    assert_eq!(refusal(&before, deploy("t", "executor-2")), ErrorCode::InvalidRequest);
    assert_eq!(refusal(&before, deploy("s", "unknown")), ErrorCode::AgentNotFound);
    let busy = decide(before.clone(), NOW, deploy("s", "executor-1")).unwrap_err();
    assert_eq!((busy.code, &busy.details["status"]), (ErrorCode::ResourceBusy, &json!("busy")));
    assert_eq!(refusal(&state(WorkflowState::Completed), deploy("s", "x")), ErrorCode::WorkflowTerminal);

    let release = |agent: &str| Command::Release { agent: agent.to_owned() };
    let (released, told) = after(&given, release("executor-2"));
    assert!(released.pool[1].is_free() && told == ["resource_update"]);
    let mut elsewhere = before;
    elsewhere.pool[0].work.as_mut().unwrap().workflow = "v".to_owned();
    for agent in ["executor-1", "executor-2", "unknown"] {
        assert_eq!(decide(elsewhere.clone(), NOW, release(agent)), Ok(vec![]), "{agent}");
    }
}
