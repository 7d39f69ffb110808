//! Whatever is asked in whatever order, with the daemon killed in between: in memory and on the disk it ends the same, and what
//! must hold holds.

use crate::recorded;
use crate::support::{Scene, TestWorld, answer};
use crate::whole::WholeLists as _;
use journal::{Decision, EventFilter, Query, ViewExt, Workflow};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{FileFailurePersistence, RngAlgorithm, TestRng, TestRunner};
use protocol::workflow::{
    DecisionStatus, EventType, PhaseTransition, Refusal, TaskState, Trigger, WorkflowState,
};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write;
use std::thread;
use workflow::NewDecision;

/// How many sequences are tried; the long campaign multiplies it.
const SEQUENCES: u32 = 200;
const THREADS: u32 = 2;
/// How often everything is looked at.
const CHECKED: usize = 5;
const MAX_LENGTH: usize = 60;
/// How many sequences leave a log that is recorded.
const RECORDED: u8 = 100;

#[derive(Debug, Clone)]
enum Op {
    Message {
        session: Option<u8>,
    },
    Step {
        workflow: u8,
        trigger: Trigger,
        context: u8,
    },
    /// What can happen next, whatever the phase.
    Onwards {
        workflow: u8,
        choice: u8,
        context: u8,
    },
    Pause {
        workflow: u8,
        hard: bool,
    },
    Resume(u8),
    Cancel(u8),
    Input {
        workflow: u8,
        text: u8,
    },
    Ask {
        workflow: Option<u8>,
        kind: u8,
    },
    Respond {
        decision: u8,
        text: u8,
    },
    ResumeSession(u8),
    Deploy {
        agent: u8,
        workflow: u8,
    },
    Release(u8),
    Pass(i64),
    Restart,
    Kill,
}

const OPTIONS: [&[&str]; 4] = [&[], &["Y", "n"], &["a", "b", "c"], &["only"]];
const TEXTS: [&str; 5] = ["Y", "2", "1,3", "", "something else"];
const AGENTS: [&str; 3] = ["executor-coding", "executor-general", "nobody"];

/// What helps a workflow on its way is tried more often.
fn ops() -> impl Strategy<Value = Vec<Op>> {
    let onwards = [
        Trigger::IntentAnalyzed,
        Trigger::RoutingDecided,
        Trigger::PlanCreated,
        Trigger::TaskStarted,
        Trigger::TaskCompleted,
        Trigger::ReviewPassed,
    ];
    let step = |trigger| (0..3_u8, trigger, 0..8_u8);
    let op = prop_oneof![
        3 => proptest::option::of(0..2_u8).prop_map(|session| Op::Message { session }),
        24 => (0..2_u8, any::<u8>(), 0..8_u8)
            .prop_map(|(workflow, choice, context)| Op::Onwards { workflow, choice, context }),
        6 => step(select(onwards.to_vec()).boxed())
            .prop_map(|(workflow, trigger, context)| Op::Step { workflow, trigger, context }),
        6 => step(select(Trigger::ALL).boxed())
            .prop_map(|(workflow, trigger, context)| Op::Step { workflow, trigger, context }),
        4 => (0..3_u8, any::<bool>()).prop_map(|(workflow, hard)| Op::Pause { workflow, hard }),
        3 => (0..3_u8).prop_map(Op::Resume),
        1 => (0..3_u8).prop_map(Op::Cancel),
        2 => (0..3_u8, 0..5_u8).prop_map(|(workflow, text)| Op::Input { workflow, text }),
        4 => (proptest::option::of(0..2_u8), 0..4_u8).prop_map(|(workflow, kind)| Op::Ask { workflow, kind }),
        4 => (0..6_u8, 0..5_u8).prop_map(|(decision, text)| Op::Respond { decision, text }),
        2 => (0..3_u8).prop_map(Op::ResumeSession),
        1 => (0..3_u8, 0..3_u8).prop_map(|(agent, workflow)| Op::Deploy { agent, workflow }),
        1 => (0..3_u8).prop_map(Op::Release),
        2 => (1..2000_i64).prop_map(Op::Pass),
        1 => Just(Op::Restart),
        1 => Just(Op::Kill),
    ];
    vec(op, 1..MAX_LENGTH)
}

fn context(number: u8) -> Value {
    match number {
        0 => json!({ "tasks": [{ "id": "a" }, { "id": "b", "dependencies": ["a"] }, { "id": "c" }] }),
        1 => json!({ "taskId": "a", "agentId": "executor-coding", "result": 1 }),
        2 => json!({ "taskId": "b", "agentId": "executor-general" }),
        3 => json!({ "taskId": "c", "error": "x", "retriesExhausted": true }),
        4 => json!({ "route": "continue_execution", "decision": "continue", "lastError": "e" }),
        5 => json!({ "route": "new_task", "decision": "?", "missingResources": [{ "type": "t" }] }),
        6 => json!({ "tasks": [{ "id": "d", "status": "completed" }], "output": "o" }),
        _ => json!({}),
    }
}

/// What can happen in this phase, if that is chosen, with this context.
fn onwards(phase: WorkflowState, choice: u8, context: u8) -> (Trigger, u8) {
    use WorkflowState as S;
    let triggers: &[Trigger] = match phase {
        S::Idle | S::Completed | S::Failed => &[Trigger::UserInputReceived],
        S::SemanticUnderstanding => &[Trigger::IntentAnalyzed],
        S::RoutingDecision | S::ReplanEvaluation => &[Trigger::RoutingDecided],
        // A plan, mostly.
        S::PlanLoop => return (Trigger::PlanCreated, if choice > 50 { 0 } else { context }),
        S::Execution => &[
            Trigger::TaskStarted,
            Trigger::TaskCompleted,
            Trigger::TaskFailed,
            Trigger::TaskDispatched,
            Trigger::TaskCompleted,
            Trigger::ResourceMissing,
            Trigger::MajorChangeDetected,
        ],
        S::Review => &[Trigger::ReviewRejected, Trigger::ReviewPassed, Trigger::ReviewRejected],
        S::WaitUserDecision => &[Trigger::PauseRequested, Trigger::UserDecisionReceived],
        S::Paused => {
            &[Trigger::TaskCompleted, Trigger::TaskFailed, Trigger::TaskStarted, Trigger::ResumeRequested]
        }
    };
    (triggers[usize::from(choice) % triggers.len()], context)
}

/// One of the two, with the names that it has given.
struct Side {
    scene: Scene,
    workflows: Vec<String>,
    sessions: Vec<String>,
    decisions: Vec<String>,
}

impl Side {
    fn new(scene: Scene) -> Self {
        Self { scene, workflows: Vec::new(), sessions: Vec::new(), decisions: Vec::new() }
    }

    fn act(&mut self, op: &Op) -> Result<Value, Refusal> {
        let pick = |names: &[String], number: u8| {
            names.get(usize::from(number)).cloned().unwrap_or_else(|| "nothing".to_owned())
        };
        // What comes later is later.
        TestWorld::pass(&self.scene.world, 1);
        let runtime = &self.scene.runtime;
        let workflow = |number: u8| pick(&self.workflows, number);
        match op {
            Op::Message { session } => {
                let message = match session {
                    Some(session) => json!({ "content": "x", "sessionId": pick(&self.sessions, *session) }),
                    None => json!({ "content": "x" }),
                };
                let said = self.scene.send("orchestrator", message)?;
                self.workflows.push(said["workflowId"].as_str().unwrap().to_owned());
                if session.is_none() {
                    self.sessions.push(said["sessionId"].as_str().unwrap().to_owned());
                }
                Ok(said)
            }
            Op::Step { workflow: number, trigger, context: brought } => {
                self.scene.step(&workflow(*number), trigger.name(), context(*brought))
            }
            Op::Onwards { workflow: number, choice, context: brought } => {
                let id = workflow(*number);
                let phase = runtime.workflow(&id).map_or(WorkflowState::Idle, |found| found.fsm_state);
                let (trigger, brought) = onwards(phase, *choice, *brought);
                self.scene.step(&id, trigger.name(), context(brought))
            }
            Op::Pause { workflow: number, hard } => answer(runtime.pause(None, &workflow(*number), *hard)),
            Op::Resume(number) => answer(runtime.resume(None, &workflow(*number))),
            Op::Cancel(number) => answer(runtime.cancel(None, &workflow(*number))),
            Op::Input { workflow: number, text } => {
                answer(runtime.input(None, &workflow(*number), TEXTS[usize::from(*text)]))
            }
            Op::Ask { workflow: number, kind } => {
                let options = OPTIONS[usize::from(*kind)];
                let new = NewDecision {
                    workflow_id: number.map(workflow),
                    message: "?".to_owned(),
                    options: options.iter().map(|option| (*option).to_owned()).collect(),
                    timeout_ms: (*kind == 2).then_some(1500),
                    ..NewDecision::default()
                };
                let asked = answer(runtime.create_decision(None, &new))?;
                self.decisions.push(asked["decisionId"].as_str().unwrap().to_owned());
                Ok(asked)
            }
            Op::Respond { decision, text } => {
                let decision = pick(&self.decisions, *decision);
                answer(runtime.respond(None, &decision, TEXTS[usize::from(*text)]))
            }
            Op::ResumeSession(number) => {
                let session = pick(&self.sessions, *number);
                answer(runtime.resume_session(None, &session, None))
            }
            Op::Deploy { agent, workflow: number } => {
                let session = pick(&self.sessions, 0);
                answer(runtime.deploy(None, AGENTS[usize::from(*agent)], &session, &workflow(*number)))
            }
            Op::Release(agent) => answer(runtime.release(None, AGENTS[usize::from(*agent)])),
            Op::Pass(millis) => {
                TestWorld::pass(&self.scene.world, *millis);
                runtime.expire_decisions().unwrap();
                Ok(Value::Null)
            }
            Op::Restart => {
                self.scene.restart();
                Ok(Value::Null)
            }
            Op::Kill => {
                self.scene.kill();
                Ok(Value::Null)
            }
        }
    }

    /// All that can be seen.
    fn all(&self) -> Value {
        let runtime = &self.scene.runtime;
        json!({
            "workflows": runtime.workflows().unwrap(),
            "states": runtime.states().unwrap(),
            "tasks": self.workflows.iter().map(|id| runtime.tasks(id).unwrap()).collect::<Vec<_>>(),
            "sessions": runtime.sessions().unwrap(),
            "resumable": runtime.resumable().unwrap(),
            "decisions": runtime.decisions(None, None).unwrap(),
            "agents": runtime.agents().unwrap(),
            "mail": runtime.mail(None, None, 999).unwrap(),
            "told": self.scene.events(0),
        })
    }

    /// What must hold, whatever happened.
    fn check(&self) {
        let view = self.scene.runtime.journal().view().unwrap();
        let events = view.events(&EventFilter::after(0, u32::MAX)).unwrap();
        assert!(events.iter().zip(1..).all(|(event, seq)| event.seq == seq), "a number for each");
        let mut phases: HashMap<String, WorkflowState> = HashMap::new();
        for event in events.iter().filter(|event| event.kind == EventType::PhaseTransition) {
            let told: PhaseTransition = serde_json::from_str(&event.payload).unwrap();
            let before =
                phases.insert(event.workflow.clone().unwrap(), told.to).unwrap_or(WorkflowState::Idle);
            assert_eq!(told.from, before, "each phase begins where the one before has ended");
            assert!(!told.from.is_terminal(), "and none after the end");
        }
        let decisions: Vec<Decision> = view.find(&Query::decisions(None, None)).unwrap();
        for row in view.find::<Workflow>(&Query::workflows()).unwrap() {
            assert_eq!(phases[&row.id], row.state, "what was told is what is so");
            assert_eq!(row.previous.is_some(), row.state == WorkflowState::Paused);
            let tasks = view.find(&Query::tasks_of(&row.id)).unwrap();
            if row.state.is_terminal() {
                let waits = |decision: &Decision| {
                    decision.workflow.as_ref() == Some(&row.id) && decision.status == DecisionStatus::Pending
                };
                assert!(!decisions.iter().any(waits), "nobody is asked for what has ended");
                assert!(view.find(&Query::agents_of(&row.id)).unwrap().is_empty());
                assert!(tasks.iter().all(|task| !task.state.is_in_flight()));
            }
            for task in &tasks {
                let needs: Vec<String> = serde_json::from_str(&task.needs).unwrap();
                let is_met = |need: &String| tasks.iter().any(|other| other.id == *need);
                assert!(needs.iter().all(is_met));
                assert!(task.state != TaskState::Running || task.started.is_some());
            }
            let checkpoints = view.find(&Query::checkpoints_of_workflow(&row.id)).unwrap();
            assert!(!checkpoints.is_empty() && checkpoints.len() <= 10);
            assert_eq!(checkpoints[0].state, Some(row.state), "the last one is of now");
        }
        let told = events.iter().filter(|event| event.kind == EventType::UserDecisionReceived).count();
        let ended = decisions.iter().filter(|decision| decision.status != DecisionStatus::Pending).count();
        assert_eq!(told, ended, "each decision ends once");
    }
}

fn check(ops: &[Op]) {
    let mut memory = Side::new(Scene::in_memory());
    let mut disk = Side::new(Scene::on_fast_disk());
    for (number, op) in (1..).zip(ops) {
        let expected = memory.act(op);
        assert_eq!(disk.act(op), expected, "{op:?}");
        if number % CHECKED == 0 {
            memory.check();
        }
    }
    memory.check();
    assert_eq!(disk.all(), memory.all());
    disk.check();
}

#[test]
fn any_sequence_ends_the_same_in_memory_and_on_the_disk() {
    let run = || {
        let failures = FileFailurePersistence::Direct("tests/it/sequences.regressions");
        let config = ProptestConfig {
            cases: SEQUENCES * effort::factor() / THREADS,
            failure_persistence: Some(Box::new(failures)),
            ..ProptestConfig::default()
        };
        TestRunner::new(config).run(&ops(), |ops| {
            check(&ops);
            Ok(())
        })
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

#[test]
fn what_comes_of_fixed_sequences_is_as_recorded() {
    for number in 0..RECORDED {
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[number; 32]);
        let mut runner = TestRunner::new_with_rng(ProptestConfig::default(), rng);
        let ops = ops().new_tree(&mut runner).unwrap().current();
        let mut side = Side::new(Scene::in_memory());
        let mut answers = String::new();
        for op in &ops {
            match side.act(op) {
                Ok(answer) => writeln!(answers, "{op:?}: {answer}").unwrap(),
                Err(refusal) => writeln!(answers, "{op:?}: {refusal:?}").unwrap(),
            }
        }
        let log = recorded::log(&**side.scene.runtime.journal(), &answers);
        recorded::check(&format!("sequences-{number:02}"), &log);
    }
}
