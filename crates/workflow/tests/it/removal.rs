//! Removing, finding and distinguishing workflows.

use crate::support::Scene;
use crate::whole::WholeLists as _;
use protocol::workflow::{ErrorCode, WorkflowState};
use serde_json::json;
use workflow::{Failure, NewDecision, StateFilter, WorkflowFilter};

fn refused(answer: Result<String, Failure>) -> ErrorCode {
    match answer {
        Err(Failure::Refused(refusal)) => refusal.code,
        other => panic!("{other:?}"),
    }
}

fn begin(scene: &Scene, message: serde_json::Value) -> (String, String) {
    let said = scene.send("orchestrator", message).unwrap();
    let text = |name: &str| said[name].as_str().unwrap().to_owned();
    (text("workflowId"), text("sessionId"))
}

#[test]
fn a_workflow_is_removed_once_it_has_ended_and_waits_for_no_answer() {
    let scene = Scene::in_memory();
    let runtime = &scene.runtime;
    let (workflow, session) = begin(&scene, json!({ "content": "x", "projectPath": "/home/ann/shop" }));
    assert_eq!(refused(runtime.delete_workflow(None, &workflow)), ErrorCode::WorkflowActive);
    scene.runtime.pause(None, &workflow, false).unwrap();
    assert_eq!(refused(runtime.delete_workflow(None, &workflow)), ErrorCode::WorkflowActive);
    runtime.cancel(None, &workflow).unwrap();
    // A second one of the same session keeps that.
    let (second, _) = begin(&scene, json!({ "content": "y", "sessionId": session }));
    runtime.delete_workflow(None, &workflow).unwrap();
    assert_eq!(refused(runtime.delete_workflow(None, &workflow)), ErrorCode::WorkflowNotFound);
    assert!(runtime.session(&session).is_ok() && runtime.workflow(&second).is_ok());
    assert!(runtime.tasks(&workflow).is_err() && runtime.output(&workflow).is_err());
    runtime.cancel(None, &second).unwrap();
    // The messages of the first one keep the session, which a client may continue.
    runtime.delete_workflow(None, &second).unwrap();
    assert_eq!(runtime.workflows().unwrap(), []);
    let (alone, session) = begin(&scene, json!({ "content": "z" }));
    runtime.cancel(None, &alone).unwrap();
    runtime.delete_workflow(None, &alone).unwrap();
    assert!(runtime.session(&session).is_err(), "nothing else belongs to it");
}

#[test]
fn workflows_are_found_by_how_they_stand_their_project_and_their_words() {
    let mut scene = Scene::in_memory();
    let (shop, _) = begin(&scene, json!({ "content": "Write a REPORT", "projectPath": "/home/ann/shop" }));
    let (bank, _) = begin(&scene, json!({ "content": "Count money", "projectPath": "/home/ann/bank" }));
    let (lost, _) = begin(&scene, json!({ "content": "Find it" }));
    scene.runtime.cancel(None, &bank).unwrap();
    let new = NewDecision {
        workflow_id: Some(shop.clone()),
        message: "Go on?".to_owned(),
        ..NewDecision::default()
    };
    scene.runtime.create_decision(None, &new).unwrap();
    let found = |scene: &Scene, sought: WorkflowFilter| -> Vec<String> {
        let found = scene.runtime.workflows_sought(&sought).unwrap();
        let mut names: Vec<_> = found.into_iter().map(|workflow| workflow.id).collect();
        names.sort();
        names
    };
    let sorted = |names: &[&String]| {
        let mut names: Vec<_> = names.iter().map(|name| (*name).clone()).collect();
        names.sort();
        names
    };
    let state = |name: &str| WorkflowFilter { state: StateFilter::named(name), ..WorkflowFilter::default() };
    let project = |name: &str| WorkflowFilter { project: Some(name.to_owned()), ..WorkflowFilter::default() };
    let text = |text: &str| WorkflowFilter { text: Some(text.to_owned()), ..WorkflowFilter::default() };
    assert_eq!(found(&scene, state("active")), sorted(&[&shop, &lost]));
    assert_eq!(found(&scene, state("waiting")), std::slice::from_ref(&shop));
    assert_eq!(found(&scene, state("cancelled")), std::slice::from_ref(&bank));
    assert_eq!(found(&scene, state("failed")), [""; 0], "what was cancelled has not failed");
    for shop_is in ["shop", "/home/ann/shop", "/home/ann/shop/"] {
        assert_eq!(found(&scene, project(shop_is)), std::slice::from_ref(&shop), "{shop_is}");
    }
    assert_eq!(found(&scene, project("sho")), [""; 0]);
    assert_eq!(found(&scene, text("report")), std::slice::from_ref(&shop));
    assert_eq!(found(&scene, text(&bank)), std::slice::from_ref(&bank));
    scene.restart();
    assert_eq!(found(&scene, state("interrupted")), sorted(&[&shop, &lost]));
    let told = scene.runtime.workflow(&shop).unwrap();
    assert_eq!((told.interrupted, told.pending_decisions), (Some(true), Some(1)));
    assert_eq!(told.project_path.as_deref(), Some("/home/ann/shop"));
    let told = scene.runtime.workflow(&bank).unwrap();
    assert_eq!((told.cancelled, told.fsm_state, told.interrupted), (Some(true), WorkflowState::Failed, None));
    // It is resumed by the same command as a paused one.
    scene.runtime.resume(None, &lost).unwrap();
    assert_eq!(scene.runtime.workflow(&lost).unwrap().interrupted, None);
    assert_eq!(refused(scene.runtime.resume(None, &lost)), ErrorCode::WorkflowNotPaused);
}

#[test]
fn a_workflow_that_no_agent_takes_on_says_so() {
    let scene = Scene::in_memory();
    let said = scene.send("orchestrator", json!({ "content": "x" })).unwrap();
    assert_eq!(said["unattended"], true);
    let again = json!({ "content": "more", "workflowId": said["workflowId"] });
    assert_eq!(scene.send("orchestrator", again).unwrap().get("unattended"), None);
}
