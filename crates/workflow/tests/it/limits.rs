//! How much is done at a time, and for how long (`finger.md` §6.1).

use crate::studio::{Asked, Studio, says, smooth};
use model::workflow::WorkflowState;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;
use workflow::{Concurrency, PoolAgent};

/// How many are asked at the same time.
#[derive(Default)]
struct Crowd {
    now: Mutex<(BTreeMap<String, usize>, usize)>,
    news: Condvar,
}

impl Crowd {
    /// Somebody is asked, until as many are as are expected, or that does not happen.
    fn join(&self, agent: &str, expected: usize) {
        let mut now = self.now.lock().unwrap();
        let count = now.0.entry(agent.to_owned()).or_default();
        *count += 1;
        assert_eq!(*count, 1, "{agent} does two things at a time");
        now.1 = now.1.max(now.0.values().sum());
        self.news.notify_all();
        let is_alone = |now: &mut (BTreeMap<String, usize>, usize)| now.1 < expected;
        let (mut now, _) = self.news.wait_timeout_while(now, Duration::from_secs(10), is_alone).unwrap();
        *now.0.get_mut(agent).unwrap() -= 1;
    }

    fn peak(&self) -> usize {
        self.now.lock().unwrap().1
    }
}

fn agents(kind: &str, count: usize) -> Vec<PoolAgent> {
    let agent = |number| PoolAgent {
        id: format!("{kind}-{number}"),
        name: format!("{kind} {number}"),
        kind: kind.to_owned(),
        capabilities: vec![("work".to_owned(), 5)],
    };
    (1..=count).map(agent).collect()
}

/// The usual agents, but as many of this kind.
fn pool(kind: &str, count: usize) -> Vec<PoolAgent> {
    let mut pool = PoolAgent::usual();
    pool.retain(|agent| agent.kind != kind);
    pool.extend(agents(kind, count));
    pool
}

fn tasks(count: usize) -> Value {
    (1..=count).map(|number| json!({ "id": format!("task-{number}"), "description": "a" })).collect()
}

#[test]
fn s6_1_three_executors_work_at_a_time_and_five_agents_in_all() {
    let usual = Concurrency::default();
    for (limits, expected) in [
        (usual, 3),
        (Concurrency { executor: 6, ..usual }, 5),
        (Concurrency { executor: 6, total: 2, ..usual }, 2),
    ] {
        let crowd = Arc::new(Crowd::default());
        let (joined, plan) = (Arc::clone(&crowd), tasks(7));
        let studio = Studio::new(move |asked: &Asked| {
            if let Some(text) = smooth(asked, &plan) {
                return Ok(text);
            }
            joined.join(&asked.agent, expected);
            Ok(says("COMPLETE", json!({ "output": "done" })))
        });
        let studio = studio.with_pool(pool("executor", 7)).paced(|pace| pace.concurrency = limits).start();
        let (workflow, _) = studio.begin("x");
        studio.reaches(&workflow, WorkflowState::Completed);
        assert_eq!(crowd.peak(), expected);
    }
}

#[test]
fn s6_1_one_orchestrator_thinks_at_a_time_whatever_there_are() {
    let usual = Concurrency::default();
    for (limits, agents, expected) in [
        (usual, 3, 1),
        (Concurrency { orchestrator: 2, ..usual }, 3, 2),
        (Concurrency { orchestrator: 3, ..usual }, 1, 1),
    ] {
        let crowd = Arc::new(Crowd::default());
        let joined = Arc::clone(&crowd);
        let studio = Studio::new(move |asked: &Asked| {
            if asked.role == "understand" {
                joined.join(&asked.agent, expected);
            }
            Ok(smooth(asked, &tasks(1)).unwrap_or_else(|| says("COMPLETE", json!({ "output": "done" }))))
        });
        let studio =
            studio.with_pool(pool("orchestrator", agents)).paced(|pace| pace.concurrency = limits).start();
        let begun: Vec<String> = (0..4).map(|_| studio.begin("x").0).collect();
        for workflow in &begun {
            studio.reaches(workflow, WorkflowState::Completed);
        }
        assert_eq!(crowd.peak(), expected);
    }
}

#[test]
fn s6_1_a_task_that_waits_for_a_person_holds_up_nobody() {
    let studio = Studio::new(|asked: &Asked| {
        if let Some(text) = smooth(asked, &tasks(3)) {
            return Ok(text);
        }
        Ok(match (&*asked.role, asked.round()) {
            ("task-1", 0) => says("USER_ESCALATE", json!({ "message": "Which?", "options": ["a", "b"] })),
            _ => says("COMPLETE", json!({ "output": "done" })),
        })
    });
    let limits = Concurrency { executor: 1, ..Concurrency::default() };
    let studio = studio.with_pool(pool("executor", 2)).paced(|pace| pace.concurrency = limits).start();
    let (workflow, _) = studio.begin("x");
    let done = |studio: &Studio| {
        let tasks = studio.runtime.tasks(&workflow).unwrap();
        let is_done = |id: &str| tasks.iter().any(|task| task.id == id && task.result.is_some());
        (is_done("task-2") && is_done("task-3")).then_some(())
    };
    studio.until("that the others are done", |studio| done(studio));
    studio.decide("Which?", "a");
    studio.reaches(&workflow, WorkflowState::Completed);
}

#[test]
fn s6_1_a_task_that_takes_too_long_is_given_to_another_agent_and_then_a_person_decides() {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let asked_of = Arc::clone(&seen);
    let studio = Studio::new(move |asked: &Asked| {
        if let Some(text) = smooth(asked, &tasks(1)) {
            return Ok(text);
        }
        asked_of.lock().unwrap().push(asked.agent.clone());
        asked.cancellation.wait(Duration::from_secs(60));
        assert!(asked.cancellation.is_cancelled());
        Ok(says("COMPLETE", json!({ "output": "too late" })))
    });
    let studio = studio.with_pool(pool("executor", 2)).start();
    let (workflow, _) = studio.begin("x");
    for count in 1..=3 {
        studio.until("a try", |studio| {
            studio.world.pass(1);
            (seen.lock().unwrap().len() == count).then_some(())
        });
        studio.world.pass(30 * 60 * 1000);
    }
    studio.decide("任务 1 失败，如何继续？", "abort");
    studio.reaches(&workflow, WorkflowState::Failed);
    let error = studio.runtime.tasks(&workflow).unwrap().remove(0).error;
    assert_eq!(error.as_deref(), Some("TIMEOUT: not done after 1800 s"));
    // After a failure another one is preferred.
    let seen = seen.lock().unwrap();
    assert!(seen[0] != seen[1] && seen[1] != seen[2], "{seen:?}");
}

#[test]
fn s6_1_neither_is_the_time_in_which_another_task_asks() {
    let studio = Studio::new(|asked: &Asked| {
        if let Some(text) = smooth(asked, &tasks(2)) {
            return Ok(text);
        }
        Ok(match asked.round() {
            0 => says("WEB_SEARCH", json!({ "query": "x" })),
            _ => says("COMPLETE", json!({ "output": "done" })),
        })
    })
    .start();
    let (workflow, _) = studio.begin("x");
    studio.until("both wait for the same", |studio| {
        let steps = studio.steps(&workflow);
        (steps.iter().filter(|step| step.outcome.is_some()).count() == 2).then_some(())
    });
    studio.world.pass(24 * 60 * 60 * 1000);
    studio.decide("检测到网络访问，是否继续？", "Y");
    studio.reaches(&workflow, WorkflowState::Completed);
    assert!(studio.events().iter().all(|(kind, _)| kind != "task_failed"), "{:#?}", studio.brief());
}

#[test]
fn s6_1_the_time_in_which_a_person_is_asked_is_not_that_of_the_task() {
    let studio = Studio::new(|asked: &Asked| {
        if let Some(text) = smooth(asked, &tasks(1)) {
            return Ok(text);
        }
        Ok(match asked.round() {
            0 => says("USER_ESCALATE", json!({ "message": "Which?", "options": ["a", "b"] })),
            _ => says("COMPLETE", json!({ "output": "done" })),
        })
    })
    .start();
    let (workflow, _) = studio.begin("x");
    studio.asked();
    studio.world.pass(24 * 60 * 60 * 1000);
    studio.decide("Which?", "a");
    studio.reaches(&workflow, WorkflowState::Completed);
    let events = studio.events();
    assert!(events.iter().all(|(kind, _)| kind != "task_failed"), "{:#?}", studio.brief());
}
