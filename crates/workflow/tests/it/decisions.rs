//! What a person is asked.

use crate::support::{Scene, TestWorld, answer, brief, code};
use protocol::workflow::{DecisionStatus, ErrorCode};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use workflow::{NewDecision, Runtime, World};

fn ask(message: &str, options: &[&str]) -> NewDecision {
    let options = options.iter().map(|option| (*option).to_owned()).collect();
    NewDecision { message: message.to_owned(), options, ..NewDecision::default() }
}

fn create(scene: &Scene, new: &NewDecision) -> String {
    let created = answer(scene.runtime.create_decision(None, new)).unwrap();
    assert_eq!(created["status"], "pending");
    created["decisionId"].as_str().unwrap().to_owned()
}

/// The two decisions of section 7.
#[test]
fn the_decisions_of_the_document_are_answered() {
    let scene = Scene::on_disk();
    let (workflow, session) = scene.executing(json!([{ "id": "task-1" }]));
    let of = |new| NewDecision { workflow_id: Some(workflow.clone()), task_id: Some("task-1".into()), ..new };
    let last = scene.last();
    let network = create(&scene, &of(ask("检测到网络访问，是否继续？", &["Y", "n"])));
    let told = scene.events(last);
    assert_eq!(told[0].0, "user_decision_required");
    let expected = json!({
        "decisionId": network, "workflowId": workflow, "message": "检测到网络访问，是否继续？", "options": ["Y", "n"],
    });
    assert_eq!(told[0].1, expected);
    assert_eq!(told[1].0, "waiting_for_user", "the same in the older vocabulary");
    let expected = json!({
        "reason": "confirmation_required",
        "options": [{ "id": "Y", "label": "Y" }, { "id": "n", "label": "n" }],
        "context": { "decisionId": network },
    });
    assert_eq!(told[1].1, expected);
    assert_eq!(scene.phase(&workflow), "execution", "a task waits, the phase stays");
    let said = answer(scene.runtime.respond(None, &network, "Y")).unwrap();
    let expected = json!({
        "success": true, "decisionId": network, "response": "Y", "selected": ["Y"], "workflowId": workflow,
    });
    assert_eq!(said, expected);
    let papers =
        create(&scene, &of(ask("找到 5 篇论文，选择哪些？", &["paper1.pdf", "paper2.pdf", "paper3.pdf"])));
    let said = answer(scene.runtime.respond(None, &papers, "1,3")).unwrap();
    assert_eq!((&said["response"], &said["selected"]), (&json!("1,3"), &json!(["paper1.pdf", "paper3.pdf"])));
    assert_eq!(brief(&scene.events(last)).last().unwrap(), "user_decision_received 1,3");
    let kept = scene.runtime.decision(&papers).unwrap();
    assert_eq!((kept.status.as_str(), kept.multi_select, kept.session_id), ("answered", true, Some(session)));
    assert_eq!(kept.responded_by.as_deref(), Some("api"));
    let late = scene.runtime.respond(None, &papers, "2");
    assert_eq!(code(answer(late)), "DECISION_ALREADY_RESOLVED");
}

#[test]
fn what_asks_nothing_or_for_nobody_is_refused() {
    let scene = Scene::in_memory();
    let refused = |new: NewDecision| code(answer(scene.runtime.create_decision(None, &new)));
    assert_eq!(refused(ask(" ", &[])), "MISSING_FIELD");
    assert_eq!(
        refused(NewDecision { workflow_id: Some("wf-0".into()), ..ask("?", &[]) }),
        "WORKFLOW_NOT_FOUND"
    );
    assert_eq!(refused(NewDecision { session_id: Some("s".into()), ..ask("?", &[]) }), "SESSION_NOT_FOUND");
    assert_eq!(refused(ask("?", &["a", " "])), "INVALID_REQUEST");
    assert_eq!(refused(NewDecision { timeout_ms: Some(0), ..ask("?", &[]) }), "INVALID_REQUEST");
    assert_eq!(
        refused(NewDecision { default: Some("c".into()), ..ask("?", &["a", "b"]) }),
        "INVALID_RESPONSE"
    );
    let many: Vec<_> = (0..65).map(|number| number.to_string()).collect();
    assert_eq!(refused(NewDecision { options: many, ..ask("?", &[]) }), "INVALID_REQUEST");
    assert_eq!(refused(ask(&"x".repeat(20_000), &[])), "INVALID_REQUEST");
    assert_eq!(scene.last(), 0, "nothing was told");
    assert_eq!(code(answer(scene.runtime.respond(None, "decision-0", "x"))), "DECISION_NOT_FOUND");
}

#[test]
fn time_runs_out() {
    let scene = Scene::in_memory();
    let (workflow, _) = scene.executing(json!([{ "id": "a" }]));
    let of = |new| NewDecision { workflow_id: Some(workflow.clone()), timeout_ms: Some(1000), ..new };
    let without = create(&scene, &of(ask("?", &["a", "b"])));
    // Of two that expire together, their names decide which one ends first.
    scene.world.pass(1);
    let with = create(&scene, &NewDecision { default: Some("b".into()), ..of(ask("?", &["a", "b"])) });
    scene.world.pass(998);
    scene.runtime.expire_decisions().unwrap();
    assert_eq!(scene.runtime.decision(&without).unwrap().status, "pending");
    scene.world.pass(2);
    assert_eq!(code(answer(scene.runtime.respond(None, &without, "a"))), "DECISION_EXPIRED");
    let told = brief(&scene.events(0));
    assert_eq!(told[told.len() - 2..], ["user_decision_received timeout", "user_decision_received b"]);
    let kept = scene.runtime.decision(&with).unwrap();
    assert_eq!((kept.status.as_str(), kept.response.as_deref()), ("expired", Some("b")));
    assert_eq!(kept.responded_by.as_deref(), Some("clock"), "nobody has answered");
}

#[test]
fn of_64_answers_one_wins() {
    let scene = Scene::on_disk();
    for round in 0..4 {
        let decision = create(&scene, &ask("?", &["a", "b"]));
        let wins = AtomicUsize::new(0);
        thread::scope(|scope| {
            for number in 0..64 {
                let (scene, decision, wins) = (&scene, &decision, &wins);
                scope.spawn(move || {
                    let text = if number % 2 == 0 { "a" } else { "b" };
                    match answer(scene.runtime.respond(None, decision, text)) {
                        Ok(said) => {
                            wins.fetch_add(1, Ordering::Relaxed);
                            assert_eq!(
                                scene.runtime.decision(decision).unwrap().response.unwrap(),
                                said["response"]
                            );
                        }
                        Err(refusal) => assert_eq!(refusal.code.name(), "DECISION_ALREADY_RESOLVED"),
                    }
                });
            }
        });
        assert_eq!(wins.into_inner(), 1);
        let told = brief(&scene.events(0));
        assert_eq!(told.iter().filter(|told| told.starts_with("user_decision_received")).count(), round + 1);
    }
}

#[test]
fn whoever_looks_at_decisions_writes_nothing() {
    let scene = Scene::in_memory();
    let timed = || NewDecision { timeout_ms: Some(1000), ..ask("?", &["a", "b"]) };
    let without = create(&scene, &timed());
    let with = create(&scene, &NewDecision { default: Some("b".into()), ..timed() });
    scene.world.pass(1000);
    let last = scene.last();
    let seen = scene.runtime.decision(&with).unwrap();
    let by_status = |status| scene.runtime.decisions(None, Some(status)).unwrap().len();
    assert_eq!((by_status(DecisionStatus::Pending), by_status(DecisionStatus::Expired)), (0, 2));
    assert_eq!(scene.runtime.decisions(None, None).unwrap().len(), 2);
    assert_eq!(scene.last(), last);
    scene.world.pass(5);
    let seen_without = scene.runtime.decision(&without).unwrap();
    assert_eq!((seen_without.status.as_str(), seen_without.response), ("expired", None));
    scene.runtime.expire_decisions().unwrap();
    let mut noted = scene.runtime.decision(&with).unwrap();
    // When that was noted is not when the time was up.
    noted.responded_at.clone_from(&seen.responded_at);
    assert_eq!(noted, seen, "it was shown as it is noted now");
}

/// A world in which something happens while something else is being computed.
struct InterruptingWorld {
    quiet: Arc<TestWorld>,
    then: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl World for InterruptingWorld {
    fn now(&self) -> i64 {
        self.quiet.now()
    }

    fn random(&self) -> u64 {
        let then = self.then.lock().unwrap().take();
        if let Some(then) = then {
            then();
        }
        self.quiet.random()
    }

    fn local_second(&self, at: i64) -> String {
        self.quiet.local_second(at)
    }

    fn local_time(&self, at: i64) -> String {
        self.quiet.local_time(at)
    }
}

#[test]
fn what_comes_to_a_workflow_while_it_ends_does_not_outlive_it() {
    for is_asked in [true, false] {
        let scene = Scene::on_fast_disk();
        let (workflow, session) = scene.executing(json!([{ "id": "a" }]));
        let (other, id) = (scene.shared(), workflow.clone());
        let (comes, came) = channel();
        let then = move || {
            let refused = if is_asked {
                let new = NewDecision { workflow_id: Some(id), ..ask("?", &[]) };
                answer(other.create_decision(None, &new))
            } else {
                answer(other.deploy(None, "executor-coding", &session, &id))
            };
            comes.send(refused.unwrap_err().code).unwrap();
        };
        // It waits until the workflow has ended.
        let elsewhere = move || drop(thread::spawn(then));
        let world = InterruptingWorld {
            quiet: Arc::clone(&scene.world),
            then: Mutex::new(Some(Box::new(elsewhere))),
        };
        let ending = Runtime::new(Arc::clone(scene.runtime.journal()), Arc::new(world));
        answer(ending.cancel(None, &workflow)).unwrap();
        assert_eq!(came.recv().unwrap(), ErrorCode::WorkflowTerminal);
        let pending = scene.runtime.decisions(Some(&workflow), Some(DecisionStatus::Pending)).unwrap();
        assert_eq!(pending.len(), 0);
        assert_eq!(scene.runtime.decisions(Some(&workflow), None).unwrap().len(), 0);
        assert!(scene.runtime.agents().unwrap().iter().all(|agent| agent.status == "available"));
    }
}
