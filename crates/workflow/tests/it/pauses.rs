//! What comes in while a workflow is paused, or was left by a daemon that is gone.

use crate::studio::{AgentRequest, Studio, says, smooth};
use crate::support::{Scene, answer};
use crate::whole::WholeLists as _;
use protocol::workflow::WorkflowState;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use workflow::NewDecision;

fn ask(scene: &Scene, workflow: &str, more: NewDecision) -> String {
    let new = NewDecision {
        workflow_id: Some(workflow.to_owned()),
        message: "?".to_owned(),
        options: vec!["continue".to_owned(), "abort".to_owned()],
        multi_select: Some(false),
        ..more
    };
    answer(scene.runtime.create_decision(None, &new)).unwrap()["decisionId"].as_str().unwrap().to_owned()
}

/// A workflow that waits for a person, and the decision.
fn waiting(scene: &Scene, more: NewDecision) -> (String, String, String) {
    let (workflow, session) = scene.executing(json!([{ "id": "a" }, { "id": "b" }]));
    scene.step(&workflow, "major_change_detected", json!({})).unwrap();
    scene.step(&workflow, "routing_decided", json!({ "route": "full_replan" })).unwrap();
    scene.step(&workflow, "plan_created", json!({})).unwrap();
    scene.step(&workflow, "user_input_received", json!({})).unwrap();
    scene.step(&workflow, "intent_analyzed", json!({})).unwrap();
    scene.step(&workflow, "routing_decided", json!({ "route": "wait_user_decision" })).unwrap();
    let decision = ask(scene, &workflow, more);
    (workflow, session, decision)
}

#[test]
fn an_answer_or_the_clock_does_not_drive_what_was_left() {
    for is_answered in [true, false] {
        let mut scene = Scene::on_disk();
        let timed = NewDecision {
            default: Some("continue".to_owned()),
            timeout_ms: Some(1000),
            ..NewDecision::default()
        };
        let (workflow, session, decision) = waiting(&scene, timed);
        scene.restart();
        if is_answered {
            answer(scene.runtime.respond(None, &decision, "continue")).unwrap();
        } else {
            scene.world.pass(1000);
            scene.runtime.expire_decisions().unwrap();
        }
        assert_eq!(scene.phase(&workflow), "execution", "what was decided is so");
        let resumable = scene.runtime.resumable().unwrap();
        assert_eq!(resumable.len(), 1, "and still nobody goes on with it");
        assert_eq!(resumable[0].phase.unwrap().name(), "execution");
        let resumed = answer(scene.runtime.resume_session(None, &session, None)).unwrap();
        assert_eq!(resumed["resumePhase"], "execution");
        assert_eq!(scene.runtime.resumable().unwrap().len(), 0);
    }
    let mut scene = Scene::on_disk();
    let (workflow, _) = scene.executing(json!([{ "id": "a" }]));
    scene.restart();
    answer(scene.runtime.input(None, &workflow, "shorter")).unwrap();
    assert_eq!(scene.runtime.resumable().unwrap().len(), 1, "to say something is not to drive");
    scene.step(&workflow, "task_started", json!({ "taskId": "a" })).unwrap();
    assert_eq!(scene.runtime.resumable().unwrap().len(), 0, "whoever says what happens does");
}

#[test]
fn what_was_said_too_late_is_no_answer() {
    let scene = Scene::in_memory();
    let (workflow, _) = scene.executing(json!([{ "id": "a" }]));
    let timed = NewDecision { timeout_ms: Some(1000), ..NewDecision::default() };
    let due = ask(&scene, &workflow, timed);
    scene.world.pass(1000);
    let last = scene.last();
    let said = answer(scene.runtime.input(None, &workflow, "continue")).unwrap();
    assert!(said.get("askResolution").is_none(), "{said}");
    let told = scene.events(last);
    assert_eq!(
        told.iter().map(|(kind, _)| kind.as_str()).collect::<Vec<_>>(),
        ["user_decision_received", "workflow_update"]
    );
    assert_eq!(told[1].1["userInput"], "continue");
    assert_eq!(scene.runtime.decision(&due).unwrap().status, "expired");
}

/// The states of the tasks, by an engine.
fn task_states(studio: &Studio, workflow: &str) -> Vec<&'static str> {
    studio.runtime.tasks(workflow).unwrap().iter().map(|task| task.fsm_state.name()).collect()
}

#[test]
fn s5_4_a_soft_pause_lets_what_runs_end_and_begins_nothing() {
    let may_end = Arc::new(AtomicBool::new(false));
    let may = Arc::clone(&may_end);
    let plan = json!([
        { "id": "task-1", "description": "a" },
        { "id": "task-2", "description": "b", "dependencies": ["task-1"] },
    ]);
    let studio = Studio::new(move |asked: &AgentRequest| {
        while asked.role == "task-1" && !may.load(Ordering::Relaxed) && !asked.cancellation.is_cancelled() {
            asked.cancellation.wait(Duration::from_millis(5));
        }
        Ok(smooth(asked, &plan).unwrap_or_else(|| says("COMPLETE", json!({ "output": "done" }))))
    })
    .start();
    let (workflow, _) = studio.begin("x");
    let is_begun = |studio: &Studio| studio.brief().contains(&"task_started task-1".to_owned()).then_some(());
    studio.until("the first task", is_begun);
    answer(studio.runtime.pause(None, &workflow, false)).unwrap();
    may_end.store(true, Ordering::Relaxed);
    studio.until("its end", |studio| {
        (task_states(studio, &workflow) == ["execution_succeeded", "ready"]).then_some(())
    });
    assert_eq!(studio.state(&workflow), WorkflowState::Paused);
    // Another workflow ends meanwhile: there was time to begin the second task.
    let (other, _) = studio.begin("y");
    studio.reaches(&other, WorkflowState::Completed);
    assert_eq!(task_states(&studio, &workflow), ["execution_succeeded", "ready"]);
    assert_eq!(studio.state(&workflow), WorkflowState::Paused);
    answer(studio.runtime.resume(None, &workflow)).unwrap();
    studio.reaches(&workflow, WorkflowState::Completed);
}

#[test]
fn s5_4_an_agent_whose_question_is_answered_in_a_pause_goes_on_when_it_is_over() {
    let plan = json!([{ "id": "task-1", "description": "a" }]);
    let studio = Studio::new(move |asked: &AgentRequest| {
        if let Some(text) = smooth(asked, &plan) {
            return Ok(text);
        }
        // The other workflows ask nothing.
        Ok(match asked.round() {
            0 if !asked.prompt.contains("uninvolved") => {
                says("USER_ESCALATE", json!({ "message": "Which?", "options": ["a", "b"] }))
            }
            _ => says("COMPLETE", json!({ "output": "done" })),
        })
    })
    .start();
    let (workflow, _) = studio.begin("x");
    studio.asked();
    answer(studio.runtime.pause(None, &workflow, false)).unwrap();
    studio.decide("Which?", "a");
    let (other, _) = studio.begin("uninvolved");
    studio.reaches(&other, WorkflowState::Completed);
    let asked =
        |studio: &Studio| studio.steps(&workflow).iter().filter(|step| step.name.ends_with("/think")).count();
    // Understood, planned, and once for the task.
    assert_eq!((asked(&studio), task_states(&studio, &workflow)), (3, vec!["running"]));
    // Nor does the time of the pause count for the task.
    studio.world.pass(24 * 60 * 60 * 1000);
    let (third, _) = studio.begin("uninvolved");
    studio.reaches(&third, WorkflowState::Completed);
    answer(studio.runtime.resume(None, &workflow)).unwrap();
    studio.reaches(&workflow, WorkflowState::Completed);
    assert_eq!(asked(&studio), 5);
    assert!(studio.brief().iter().all(|event| !event.starts_with("task_failed")), "{:#?}", studio.brief());
}
