//! What comes in while a workflow is paused, or was left by a daemon that is gone.

use crate::studio::{AgentRequest, Studio, says, smooth};
use crate::support::{Scene, answer, brief, code};
use protocol::workflow::{TaskState, WorkflowState};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use workflow::NewDecision;

fn ask(scene: &Scene, workflow: &str, task: Option<&str>, more: NewDecision) -> String {
    let new = NewDecision {
        workflow_id: Some(workflow.to_owned()),
        task_id: task.map(str::to_owned),
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
    let decision = ask(scene, &workflow, None, more);
    (workflow, session, decision)
}

fn pause(scene: &Scene, workflow: &str) {
    answer(scene.runtime.pause(None, workflow, false)).unwrap();
}

fn resume(scene: &Scene, workflow: &str) -> Value {
    answer(scene.runtime.resume(None, workflow)).unwrap()["state"].clone()
}

#[test]
fn an_answer_that_comes_in_a_pause_is_used_when_it_is_over() {
    for is_session_resumed in [false, true] {
        let scene = Scene::in_memory();
        let (workflow, session, decision) = waiting(&scene, NewDecision::default());
        pause(&scene, &workflow);
        answer(scene.runtime.respond(None, &decision, "continue")).unwrap();
        assert_eq!(scene.phase(&workflow), "paused");
        let last = scene.last();
        if is_session_resumed {
            let resumed = answer(scene.runtime.resume_session(None, &session, None)).unwrap();
            assert_eq!(resumed["resumePhase"], "execution");
            let told = scene.events(last);
            let phase = told.iter().find(|(kind, _)| kind == "phase_transition").unwrap();
            assert_eq!((&phase.1["checkpointId"], &phase.1["round"]), (&resumed["checkpointId"], &json!(2)));
        } else {
            assert_eq!(resume(&scene, &workflow), "execution");
        }
        let told = brief(&scene.events(last));
        let phases: Vec<_> = told.iter().filter(|told| told.contains('→')).map(String::as_str).collect();
        assert_eq!(phases, ["paused → wait_user_decision", "wait_user_decision → execution"]);
        let context = scene.runtime.state(&workflow).unwrap().context;
        assert_eq!(context["decision"], "continue");
        assert!(!context.contains_key("recordedWhilePaused"), "{context:?}");
    }
}

#[test]
fn a_default_stands_for_an_answer_in_a_pause_as_well() {
    let scene = Scene::in_memory();
    let timed =
        NewDecision { default: Some("abort".to_owned()), timeout_ms: Some(1000), ..NewDecision::default() };
    let (workflow, ..) = waiting(&scene, timed);
    pause(&scene, &workflow);
    scene.world.pass(1000);
    scene.runtime.expire_decisions().unwrap();
    assert_eq!(resume(&scene, &workflow), "failed");
}

#[test]
fn a_workflow_that_nobody_has_answered_in_time_fails() {
    for is_paused in [false, true] {
        let scene = Scene::in_memory();
        let timed = NewDecision { timeout_ms: Some(1000), ..NewDecision::default() };
        let (workflow, ..) = waiting(&scene, timed.clone());
        let (busy, _) = scene.executing(json!([{ "id": "a" }]));
        ask(&scene, &busy, None, timed);
        if is_paused {
            pause(&scene, &workflow);
        }
        scene.world.pass(1000);
        scene.runtime.expire_decisions().unwrap();
        if is_paused {
            assert_eq!(scene.phase(&workflow), "paused");
            assert_eq!(resume(&scene, &workflow), "failed");
        }
        let state = scene.runtime.state(&workflow).unwrap();
        assert_eq!((state.fsm_state.name(), state.error.as_deref()), ("failed", Some("TIMEOUT")));
        assert_eq!(scene.phase(&busy), "execution", "it does not wait for it");
    }
}

#[test]
fn a_task_that_nobody_has_answered_in_time_fails() {
    let scene = Scene::in_memory();
    let timed = || NewDecision { timeout_ms: Some(1000), ..NewDecision::default() };
    let (workflow, _) = scene.executing(json!([{ "id": "a" }, { "id": "b" }]));
    scene.step(&workflow, "task_started", json!({ "taskId": "a", "agentId": "executor-coding" })).unwrap();
    ask(&scene, &workflow, Some("a"), timed());
    ask(&scene, &workflow, Some("b"), timed());
    let (unlisted, _) = scene.executing(json!([]));
    scene.world.pass(1);
    ask(&scene, &unlisted, Some("x"), timed());
    let last = scene.last();
    scene.world.pass(1000);
    scene.runtime.expire_decisions().unwrap();
    let tasks = scene.runtime.tasks(&workflow).unwrap();
    assert_eq!(
        (tasks[0].fsm_state, tasks[0].error.as_deref()),
        (TaskState::ExecutionFailed, Some("TIMEOUT"))
    );
    assert_eq!(tasks[1].fsm_state, TaskState::Ready, "nobody was doing it");
    assert_eq!(scene.phase(&workflow), "execution");
    let failed: Vec<_> = scene
        .events(last)
        .into_iter()
        .filter(|(kind, _)| kind == "task_failed")
        .map(|(_, told)| told)
        .collect();
    let expected = [
        json!({ "taskId": "a", "agentId": "executor-coding", "error": "TIMEOUT" }),
        json!({ "taskId": "x", "error": "TIMEOUT" }),
    ];
    assert_eq!(failed, expected);
    assert!(scene.runtime.agents().unwrap().iter().all(|agent| agent.status == "available"));
}

/// `task_failed` with no way to try again would end it; it has not come in.
#[test]
fn only_what_has_come_in_is_judged_when_a_pause_is_over() {
    let scene = Scene::in_memory();
    let (workflow, _) = scene.executing(json!([{ "id": "a" }, { "id": "b" }]));
    scene.step(&workflow, "task_started", json!({ "taskId": "a" })).unwrap();
    scene.step(&workflow, "task_progress", json!({ "taskId": "a", "retriesExhausted": true })).unwrap();
    pause(&scene, &workflow);
    scene.step(&workflow, "task_completed", json!({ "taskId": "a" })).unwrap();
    assert_eq!(resume(&scene, &workflow), "execution", "nothing has failed");
    scene.step(&workflow, "task_started", json!({ "taskId": "b" })).unwrap();
    pause(&scene, &workflow);
    scene.step(&workflow, "task_failed", json!({ "taskId": "b", "error": "no disk" })).unwrap();
    assert_eq!(resume(&scene, &workflow), "failed");
    assert_eq!(scene.runtime.state(&workflow).unwrap().error.as_deref(), Some("no disk"));
}

#[test]
fn what_has_come_in_is_forgotten_on_every_way_out_of_a_pause() {
    let scene = Scene::in_memory();
    for is_session_resumed in [false, true] {
        let (workflow, session) = scene.executing(json!([{ "id": "a" }]));
        scene.step(&workflow, "task_started", json!({ "taskId": "a" })).unwrap();
        pause(&scene, &workflow);
        scene.step(&workflow, "task_completed", json!({ "taskId": "a" })).unwrap();
        assert!(scene.runtime.state(&workflow).unwrap().context.contains_key("recordedWhilePaused"));
        if is_session_resumed {
            let resumed = answer(scene.runtime.resume_session(None, &session, None)).unwrap();
            assert_eq!(resumed["resumePhase"], "review", "it is judged there as well");
        } else {
            answer(scene.runtime.input(None, &workflow, "something else")).unwrap();
            assert_eq!(scene.phase(&workflow), "semantic_understanding");
        }
        assert!(!scene.runtime.state(&workflow).unwrap().context.contains_key("recordedWhilePaused"));
        assert_eq!(code(answer(scene.runtime.resume(None, &workflow))), "WORKFLOW_NOT_PAUSED");
    }
}

#[test]
fn what_is_ours_to_know_is_not_taken_from_a_client() {
    let scene = Scene::in_memory();
    let (workflow, session) = scene.executing(json!([{ "id": "a" }]));
    let claimed = json!({
        "interrupted": true, "recordedWhilePaused": [{ "trigger": "task_failed" }], "recoveryDecision": "decision-of-nothing",
        "cancelled": true, "phaseFailure": "made up", "waitingForAgents": ["executor"],
    });
    let mut brought = claimed.clone();
    brought["more"] = json!(1);
    scene.step(&workflow, "task_progress", brought).unwrap();
    let context = scene.runtime.state(&workflow).unwrap().context;
    let taken: Vec<_> =
        claimed.as_object().unwrap().keys().filter(|key| context.contains_key(*key)).collect();
    assert_eq!((taken, &context["more"]), (Vec::<&String>::new(), &json!(1)));
    assert_eq!(code(answer(scene.runtime.resume_session(None, &session, None))), "SESSION_BUSY");
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
        let resumable = scene.runtime.resumable().unwrap().sessions;
        assert_eq!(resumable.len(), 1, "and still nobody goes on with it");
        assert_eq!(resumable[0].phase.unwrap().name(), "execution");
        let resumed = answer(scene.runtime.resume_session(None, &session, None)).unwrap();
        assert_eq!(resumed["resumePhase"], "execution");
        assert_eq!(scene.runtime.resumable().unwrap().sessions.len(), 0);
    }
    let mut scene = Scene::on_disk();
    let (workflow, _) = scene.executing(json!([{ "id": "a" }]));
    scene.restart();
    answer(scene.runtime.input(None, &workflow, "shorter")).unwrap();
    assert_eq!(scene.runtime.resumable().unwrap().sessions.len(), 1, "to say something is not to drive");
    scene.step(&workflow, "task_started", json!({ "taskId": "a" })).unwrap();
    assert_eq!(scene.runtime.resumable().unwrap().sessions.len(), 0, "whoever says what happens does");
}

#[test]
fn another_decision_than_the_one_that_is_waited_for_moves_nothing() {
    let scene = Scene::in_memory();
    let (workflow, _) = scene.executing(json!([{ "id": "a" }]));
    let aside = ask(&scene, &workflow, None, NewDecision::default());
    let last = scene.last();
    scene.step(&workflow, "resource_missing", json!({})).unwrap();
    let state = scene.runtime.state(&workflow).unwrap();
    let awaited = state.pending_decision.unwrap();
    assert_ne!(awaited, aside);
    assert_eq!(state.context["awaitedDecision"], awaited);
    answer(scene.runtime.respond(None, &aside, "continue")).unwrap();
    assert_eq!(scene.phase(&workflow), "wait_user_decision");
    let later = ask(&scene, &workflow, None, NewDecision::default());
    answer(scene.runtime.respond(None, &later, "continue")).unwrap();
    assert_eq!(scene.phase(&workflow), "wait_user_decision");
    pause(&scene, &workflow);
    let told = scene.events(last);
    let update = told.iter().rev().find(|(kind, _)| kind == "workflow_update").unwrap();
    assert_eq!(update.1["pendingDecision"], awaited);
    assert_eq!(resume(&scene, &workflow), "wait_user_decision");
    answer(scene.runtime.respond(None, &awaited, "continue")).unwrap();
    assert_eq!(scene.phase(&workflow), "execution");
    let context = scene.runtime.state(&workflow).unwrap().context;
    assert!(!context.contains_key("awaitedDecision"));
}

#[test]
fn what_was_said_too_late_is_no_answer() {
    let scene = Scene::in_memory();
    let (workflow, _) = scene.executing(json!([{ "id": "a" }]));
    let timed = NewDecision { timeout_ms: Some(1000), ..NewDecision::default() };
    let due = ask(&scene, &workflow, None, timed);
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
