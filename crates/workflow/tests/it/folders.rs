//! Agents with folders of their own: the errands they get, and the results (contract/workflows §5.5, §6.5).

use crate::studio::{AgentRequest, Studio, says, smooth};
use crate::support::answer;
use llm::LlmError;
use protocol::workflow::{TaskState, WorkflowState};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use workflow::{Courier, Errand, ErrandStatus, PoolAgent};

/// The time to acknowledge, in milliseconds.
const ACKNOWLEDGEMENT: i64 = 30_000;

/// An agent that is moved by hand.
#[derive(Default)]
struct TestCourier {
    /// What was sent, each once.
    sent: Mutex<Vec<Errand>>,
    /// How far each has come, by dispatch; what is not there waits.
    stages: Mutex<BTreeMap<String, ErrandStatus>>,
    withdrawn: Mutex<Vec<String>>,
    /// How often it was looked.
    looks: AtomicUsize,
    is_unreachable: bool,
    /// Where the next look waits twice for the test.
    gate: Mutex<Option<Arc<Barrier>>>,
}

impl TestCourier {
    fn sent(&self) -> Vec<Errand> {
        self.sent.lock().unwrap().clone()
    }

    fn withdrawn(&self) -> Vec<String> {
        self.withdrawn.lock().unwrap().clone()
    }

    fn comes_to(&self, errand: &Errand, stage: ErrandStatus) {
        self.stages.lock().unwrap().insert(errand.dispatch.clone(), stage);
    }
}

impl Courier for TestCourier {
    fn send(&self, errand: &Errand) -> Result<(), String> {
        if self.is_unreachable {
            return Err("no such folder: /gone".to_owned());
        }
        let mut sent = self.sent.lock().unwrap();
        if !sent.contains(errand) {
            sent.push(errand.clone());
        }
        Ok(())
    }

    fn look(&self, errand: &Errand) -> Result<ErrandStatus, String> {
        self.looks.fetch_add(1, Ordering::Relaxed);
        let gate = self.gate.lock().unwrap().take();
        if let Some(gate) = gate {
            gate.wait();
            gate.wait();
        }
        let stages = self.stages.lock().unwrap();
        Ok(stages.get(&errand.dispatch).cloned().unwrap_or(ErrandStatus::Waiting))
    }

    fn withdraw(&self, errand: &Errand) -> Result<bool, String> {
        self.withdrawn.lock().unwrap().push(errand.dispatch.clone());
        Ok(!self.stages.lock().unwrap().contains_key(&errand.dispatch))
    }
}

/// The usual agents, and this one, which is the best at contracts.
fn pool(more: &[(&str, u64)]) -> Vec<PoolAgent> {
    let mut pool = PoolAgent::usual();
    pool.extend(more.iter().map(|(id, level)| PoolAgent {
        id: (*id).to_owned(),
        name: (*id).to_owned(),
        kind: "executor".to_owned(),
        capabilities: vec![("contracts".to_owned(), *level)],
    }));
    pool
}

fn plan() -> Value {
    json!([
        { "id": "task-1", "description": "Read the law", "requiredCapabilities": ["web_search"] },
        { "id": "task-2", "description": "Write the contract", "dependencies": ["task-1"],
          "requiredCapabilities": ["contracts"], "deliverable": "a contract of one page" },
    ])
}

fn script(asked: &AgentRequest) -> Result<String, LlmError> {
    Ok(match smooth(asked, &plan()) {
        Some(text) => text,
        None => says("COMPLETE", json!({ "output": format!("{} by {}", asked.role, asked.agent) })),
    })
}

fn studio(agent: &Arc<TestCourier>, more: &[(&str, u64)]) -> Studio {
    Studio::new(script).with_pool(pool(more)).with_courier("legal", Arc::clone(agent) as Arc<dyn Courier>)
}

#[track_caller]
fn task(studio: &Studio, workflow: &str, id: &str) -> protocol::workflow::api::TaskNode {
    studio.runtime.tasks(workflow).unwrap().into_iter().find(|task| task.id == id).unwrap()
}

/// Waits until the agent has been sent `count` errands; returns the last one.
#[track_caller]
fn sent(studio: &Studio, agent: &TestCourier, count: usize) -> Errand {
    let look = |studio: &Studio| {
        // A retry waits a moment.
        studio.world.pass(1);
        Some(agent.sent()).filter(|sent| sent.len() == count)
    };
    studio.until("an errand", look).pop().unwrap()
}

#[track_caller]
fn is_in(studio: &Studio, workflow: &str, id: &str, state: TaskState) {
    let is_so = |studio: &Studio| {
        let tasks = studio.runtime.tasks(workflow).unwrap();
        tasks.iter().any(|task| task.id == id && task.fsm_state == state).then_some(())
    };
    studio.until(state.name(), is_so);
}

#[test]
fn s6_5_an_agent_with_a_folder_is_told_everything_and_its_artifact_is_the_result() {
    let agent = Arc::new(TestCourier::default());
    let studio = studio(&agent, &[("legal", 9)]).start();
    let (workflow, _) = studio.begin("A contract for Ann");
    let errand = sent(&studio, &agent, 1);
    assert_eq!((&*errand.workflow, &*errand.task, &*errand.agent), (&*workflow, "task-2", "legal"));
    assert!(errand.dispatch.starts_with("dispatch-"), "{errand:?}");
    for told in
        ["Write the contract", "a contract of one page", "A contract for Ann", "task-1 by executor-research"]
    {
        assert!(errand.prompt.contains(told), "{told}: {}", errand.prompt);
    }
    // It is the agent's before it has begun, and no other agent gets it.
    is_in(&studio, &workflow, "task-2", TaskState::Dispatching);
    let busy = |studio: &Studio| {
        let agents = studio.runtime.agents().unwrap();
        agents.into_iter().find(|agent| agent.id == "legal").unwrap()
    };
    assert_eq!(
        (busy(&studio).status.as_str(), busy(&studio).task_id.as_deref()),
        ("deployed", Some("task-2"))
    );
    agent.comes_to(&errand, ErrandStatus::Acknowledged);
    is_in(&studio, &workflow, "task-2", TaskState::Running);
    assert_eq!(busy(&studio).status, "busy");
    agent.comes_to(&errand, ErrandStatus::Result(json!({ "output": "The contract." })));
    studio.reaches(&workflow, WorkflowState::Completed);
    assert_eq!(task(&studio, &workflow, "task-2").result, Some(json!({ "output": "The contract." })));
    assert_eq!(busy(&studio).status, "available");
    assert_eq!((agent.sent().len(), agent.withdrawn()), (1, Vec::new()));
    let step = studio.steps(&workflow).into_iter().find(|step| step.name == "task-2#1/errand").unwrap();
    assert_eq!(step.answer.as_deref(), Some(r#"{"output":"The contract."}"#));
}

#[test]
fn while_an_agent_works_elsewhere_others_go_on() {
    let agent = Arc::new(TestCourier::default());
    let plan = json!([
        { "id": "task-1", "description": "Write the contract", "requiredCapabilities": ["contracts"] },
        { "id": "task-2", "description": "Read the law", "requiredCapabilities": ["web_search"] },
        { "id": "task-3", "description": "Tell", "dependencies": ["task-2"] },
    ]);
    let studio = Studio::new(move |asked| {
        Ok(smooth(asked, &plan).unwrap_or_else(|| says("COMPLETE", json!({ "output": "done" }))))
    });
    let studio = studio
        .with_pool(pool(&[("legal", 9)]))
        .with_courier("legal", Arc::clone(&agent) as Arc<dyn Courier>)
        .start();
    let (workflow, _) = studio.begin("A contract");
    is_in(&studio, &workflow, "task-3", TaskState::ExecutionSucceeded);
    let errand = sent(&studio, &agent, 1);
    assert_eq!(task(&studio, &workflow, "task-1").fsm_state, TaskState::Dispatching);
    agent.comes_to(&errand, ErrandStatus::Result(json!({ "output": "The contract." })));
    studio.reaches(&workflow, WorkflowState::Completed);
}

#[test]
fn s5_5_what_is_not_acknowledged_within_30_s_is_given_to_another_agent() {
    let agent = Arc::new(TestCourier::default());
    let studio = studio(&agent, &[("legal", 9), ("other", 1)]).start();
    let (workflow, _) = studio.begin("A contract");
    let errand = sent(&studio, &agent, 1);
    studio.world.pass(ACKNOWLEDGEMENT - 1000);
    let looks = agent.looks.load(Ordering::Relaxed);
    studio.until("two more looks", |_| (agent.looks.load(Ordering::Relaxed) > looks + 1).then_some(()));
    assert_eq!(task(&studio, &workflow, "task-2").fsm_state, TaskState::Dispatching);
    studio.world.pass(1000);
    // It may be tried again a moment later.
    studio.until("that it was given up", |studio| {
        studio.world.pass(1);
        (studio.state(&workflow) == WorkflowState::Completed).then_some(())
    });
    assert_eq!(task(&studio, &workflow, "task-2").result, Some(json!({ "output": "task-2 by other" })));
    assert_eq!(agent.withdrawn(), [errand.dispatch]);
    let legal = studio.runtime.agents().unwrap().into_iter().find(|agent| agent.id == "legal").unwrap();
    let reason = "DISPATCH_FAILED: legal has not acknowledged it within 30 s";
    assert_eq!((legal.error_count, legal.last_error_reason.as_deref()), (1, Some(reason)));
    assert_eq!(legal.status, "available");
}

#[test]
fn s6_1_a_shortage_for_good_asks_a_person_and_fails_when_nobody_can_help() {
    for (answer, ends) in [("continue", WorkflowState::Completed), ("abort", WorkflowState::Failed)] {
        let agent = Arc::new(TestCourier::default());
        let studio = studio(&agent, &[("legal", 9)]).start();
        let (workflow, _) = studio.begin("A contract");
        for count in 1..=3 {
            sent(&studio, &agent, count);
            studio.world.pass(ACKNOWLEDGEMENT + 1000);
        }
        studio.decide("资源不足：缺少 contracts", answer);
        if answer == "continue" {
            // The agent has been started meanwhile.
            let errand = sent(&studio, &agent, 4);
            agent.comes_to(&errand, ErrandStatus::Result(json!({ "output": "The contract." })));
        }
        studio.reaches(&workflow, ends);
        let dispatches: BTreeSet<_> = agent.sent().into_iter().map(|errand| errand.dispatch).collect();
        assert_eq!(dispatches.len(), agent.sent().len(), "each try is another one");
    }
}

#[test]
fn an_agent_whose_folder_is_gone_is_passed_over_at_once() {
    let agent = Arc::new(TestCourier { is_unreachable: true, ..TestCourier::default() });
    let studio = studio(&agent, &[("legal", 9), ("other", 1)]).start();
    let (workflow, _) = studio.begin("A contract");
    studio.until("its end", |studio| {
        studio.world.pass(1);
        (studio.state(&workflow) == WorkflowState::Completed).then_some(())
    });
    assert_eq!(task(&studio, &workflow, "task-2").result, Some(json!({ "output": "task-2 by other" })));
}

#[test]
fn s6_5_a_failure_of_an_agent_is_one_of_its_task_and_tried_again_where_that_may_help() {
    for is_transient in [true, false] {
        let agent = Arc::new(TestCourier::default());
        let studio = studio(&agent, &[("legal", 9), ("other", 1)]).start();
        let (workflow, _) = studio.begin("A contract");
        let errand = sent(&studio, &agent, 1);
        let error = "LLM_FAILED: no answer".to_owned();
        agent.comes_to(&errand, ErrandStatus::Failed { error, is_transient });
        if is_transient {
            studio.until("its end", |studio| {
                studio.world.pass(1);
                (studio.state(&workflow) == WorkflowState::Completed).then_some(())
            });
            assert_eq!(
                task(&studio, &workflow, "task-2").result,
                Some(json!({ "output": "task-2 by other" }))
            );
        } else {
            studio.decide("任务 2 失败，如何继续？", "abort");
            studio.reaches(&workflow, WorkflowState::Failed);
            assert_eq!(agent.sent().len(), 1);
        }
    }
}

#[test]
fn s6_5_whoever_goes_on_after_a_kill_waits_for_the_same_dispatch() {
    for is_acknowledged in [false, true] {
        let agent = Arc::new(TestCourier::default());
        let mut studio = studio(&agent, &[("legal", 9), ("other", 9)]).start();
        let (workflow, session) = studio.begin("A contract");
        let errand = sent(&studio, &agent, 1);
        if is_acknowledged {
            agent.comes_to(&errand, ErrandStatus::Acknowledged);
            is_in(&studio, &workflow, "task-2", TaskState::Running);
        }
        studio.stop();
        // It was not asked to stop because the task was not wanted: nothing is taken back.
        assert_eq!(agent.withdrawn(), Vec::<String>::new());
        studio.start_for(i64::MAX);
        agent.comes_to(&errand, ErrandStatus::Result(json!({ "output": "The contract." })));
        studio.resume(&session).unwrap();
        studio.reaches(&workflow, WorkflowState::Completed);
        assert_eq!(agent.sent().len(), 1);
        assert_eq!(task(&studio, &workflow, "task-2").result, Some(json!({ "output": "The contract." })));
    }
}

#[test]
fn what_is_taken_back_during_a_look_at_its_folder_is_withdrawn_once() {
    let agent = Arc::new(TestCourier::default());
    let gate = Arc::new(Barrier::new(2));
    *agent.gate.lock().unwrap() = Some(Arc::clone(&gate));
    let studio = studio(&agent, &[("legal", 9)]).start();
    let (workflow, _) = studio.begin("A contract");
    gate.wait();
    answer(studio.runtime.pause(None, &workflow, true)).unwrap();
    // Its job is cancelled, and looks at an agent that has nothing to do any more.
    studio.is_looked_at(&workflow);
    gate.wait();
    studio.until("that it is taken back", |_| (!agent.withdrawn().is_empty()).then_some(()));
    studio.is_looked_at(&workflow);
    assert_eq!(agent.withdrawn().len(), 1);
}

#[test]
fn a_cancel_and_a_hard_pause_take_back_what_no_agent_has_taken() {
    let agent = Arc::new(TestCourier::default());
    let studio = studio(&agent, &[("legal", 9)]).start();
    let (workflow, _) = studio.begin("A contract");
    let errand = sent(&studio, &agent, 1);
    answer(studio.runtime.pause(None, &workflow, true)).unwrap();
    studio.until("that it is taken back", |_| (agent.withdrawn().len() == 1).then_some(()));
    assert_eq!(task(&studio, &workflow, "task-2").fsm_state, TaskState::Ready);
    // Whatever comes during the pause is not looked at, and taken up after it.
    agent.comes_to(&errand, ErrandStatus::Acknowledged);
    answer(studio.runtime.resume(None, &workflow)).unwrap();
    is_in(&studio, &workflow, "task-2", TaskState::Running);
    assert_eq!(agent.sent().len(), 1);
    answer(studio.runtime.cancel(None, &workflow)).unwrap();
    studio.until("that it is ignored", |_| (agent.withdrawn().len() == 2).then_some(()));
    agent.comes_to(&errand, ErrandStatus::Result(json!({ "output": "too late" })));
    assert_eq!(task(&studio, &workflow, "task-2").result, None);
    assert_eq!(studio.state(&workflow), WorkflowState::Failed);
}
