//! Rows that cannot be read, because a later version has written them.

use crate::crashing::UNREADABLE;
use crate::studio::{AgentRequest, Studio, says, smooth};
use crate::support::{Scene, answer};
use journal::{Agent, Decision, JournalError, ViewExt as _, Workflow};
use llm::LlmError;
use protocol::workflow::{DecisionStatus, WorkflowState};
use serde_json::json;
use std::ops::ControlFlow;
use std::path::PathBuf;
use workflow::NewDecision;

/// Makes the row of an agent one that cannot be read.
fn damage(scene: &Scene, agent: &str) {
    let journal = rusqlite::Connection::open(scene.file()).unwrap();
    let sql = "UPDATE agent SET status = 'of a later version' WHERE id = ?1";
    assert_eq!(journal.execute(sql, [agent]).unwrap(), 1);
}

/// Makes a row one that cannot be read.
fn damage_row(scene: &Scene, sql: &str, id: &str) {
    let journal = rusqlite::Connection::open(scene.file()).unwrap();
    assert_eq!(journal.execute(sql, [id]).unwrap(), 1);
}

#[test]
fn s1_5_a_workflow_that_cannot_be_read_is_passed_over_at_the_start_and_the_end() {
    let scene = Scene::on_disk();
    let begun: Vec<_> = (0..3).map(|_| scene.executing(json!([{ "id": "a" }])).0).collect();
    damage_row(&scene, "UPDATE task SET state = 'of a later version' WHERE workflow = ?1", &begun[0]);
    damage_row(&scene, "UPDATE workflow SET cancelled = 7 WHERE id = ?1", &begun[1]);
    scene.runtime.checkpoint_all().unwrap();
    let mut reported = Vec::new();
    scene.runtime.begin_recovery().unwrap();
    let report = &mut |done, total| {
        reported.push((done, total));
        ControlFlow::Continue(())
    };
    assert!(scene.runtime.finish_recovery(report).unwrap());
    assert_eq!(reported, [(0, 2), (2, 2)], "the last report says that all is done");
    let view = scene.runtime.journal().view().unwrap();
    let other = view.row::<Workflow>(&Workflow::key_of(&begun[2])).unwrap().unwrap();
    assert!(other.context.contains("\"interrupted\":true"), "{}", other.context);
}

#[test]
fn s1_5_a_decision_that_cannot_be_read_holds_up_the_end_of_no_other() {
    let scene = Scene::on_disk();
    let ask = || {
        let (workflow, _) = scene.executing(json!([{ "id": "a" }]));
        let new = NewDecision {
            workflow_id: Some(workflow),
            message: "How?".to_owned(),
            timeout_ms: Some(1000),
            ..NewDecision::default()
        };
        let created = answer(scene.runtime.create_decision(None, &new)).unwrap();
        created["decisionId"].as_str().unwrap().to_owned()
    };
    let asked: Vec<_> = (0..3).map(|_| ask()).collect();
    damage_row(&scene, "UPDATE decision SET multiple = 7 WHERE id = ?1", &asked[0]);
    damage_row(&scene, "UPDATE decision SET questions = '{}' WHERE id = ?1", &asked[1]);
    scene.world.pass(1000);
    let troubles = scene.runtime.expire_decisions().unwrap();
    assert_eq!(troubles.len(), 2, "{troubles:?}");
    assert!(troubles.iter().any(|trouble| trouble == "decision.multiple is not readable"), "{troubles:?}");
    let kept = scene.runtime.journal().view().unwrap();
    let ended = kept.row::<Decision>(&Decision::key_of(&asked[2])).unwrap().unwrap();
    assert_eq!(ended.status, DecisionStatus::Expired);
}

#[test]
fn an_agent_that_cannot_be_read_stops_only_what_needs_it() {
    let scene = Scene::on_disk();
    let (workflow, session) = scene.executing(json!([
        { "id": "a", "requiredCapabilities": ["web_search"] }, { "id": "b" }, { "id": "c" },
    ]));
    damage(&scene, "executor-coding");
    let by = |task: &str, agent: &str| json!({ "taskId": task, "agentId": agent });
    scene.step(&workflow, "task_started", by("a", "executor-research")).unwrap();
    scene.step(&workflow, "task_completed", by("a", "executor-research")).unwrap();
    scene.step(&workflow, "task_started", json!({ "taskId": "b" })).unwrap();
    answer(scene.runtime.pause(None, &workflow, true)).unwrap();
    answer(scene.runtime.resume(None, &workflow)).unwrap();
    answer(scene.runtime.input(None, &workflow, "shorter")).unwrap();
    answer(scene.runtime.deploy(None, "executor-general", &session, &workflow)).unwrap();
    answer(scene.runtime.release(None, "executor-general")).unwrap();
    let (other, _) = scene.begin("y");
    answer(scene.runtime.cancel(None, &other)).unwrap();
    let plan = json!({ "tasks": [{ "id": "d", "requiredCapabilities": ["shell_exec"] }] });
    scene.step(&workflow, "task_progress", plan).unwrap();
    scene.runtime.recover().unwrap();
    answer(scene.runtime.resume_session(None, &session, None)).unwrap();

    // One that names it does need it, and so does the search for the best agent.
    let transition = |context| {
        let context = serde_json::from_value(context).unwrap();
        let trigger = protocol::workflow::Trigger::TaskStarted;
        scene.runtime.transition(None, &workflow, &workflow::Transition { trigger, context })
    };
    for context in [by("c", "executor-coding"), json!({ "taskId": "d" })] {
        let failure = transition(context).unwrap_err();
        assert!(matches!(failure, workflow::Failure::Journal(_)), "{failure}");
    }
    transition(by("c", "executor-general")).unwrap();
}

/// The first workflow asks the user, the others need none.
fn script(asked: &AgentRequest) -> Result<String, LlmError> {
    let task = if asked.before == 0 { "asks" } else { "does" };
    if let Some(text) = smooth(asked, &json!([{ "id": task, "description": "x" }])) {
        return Ok(text);
    }
    Ok(match (&*asked.role, asked.round()) {
        ("asks", 0) => says("USER_ESCALATE", json!({ "message": "How?", "options": ["so"] })),
        _ => says("COMPLETE", json!({ "output": "done" })),
    })
}

#[test]
fn s6_8_a_workflow_that_cannot_be_read_stands_aside_and_the_others_go_on() {
    let (path, detail) = (PathBuf::from("/journal.db"), "page 7".to_owned());
    for error in [
        JournalError::Unreadable(UNREADABLE),
        JournalError::Invalid(detail.clone()),
        JournalError::Damaged { path: path.clone(), detail: detail.clone() },
        JournalError::Io { path, detail },
    ] {
        let studio = Studio::new(script).start();
        let (broken, _) = studio.begin("x");
        studio.asked();
        *studio.journal.unreadable.lock().unwrap() = Some((Workflow::key_of(&broken), error.clone()));
        studio.decide("How?", "so");
        // Whatever the order in which they are looked at.
        let others: Vec<_> = (0..6).map(|_| studio.begin("y").0).collect();
        for other in &others {
            studio.reaches(other, WorkflowState::Completed);
        }
        let troubles = |studio: &Studio| {
            // A job that was still ending may have met the error as well: its report names the session.
            let rows = studio.rows().into_iter().filter(|event| event.session.is_none());
            let troubles = rows.filter(|event| event.kind == protocol::workflow::EventType::SystemError);
            troubles.map(|event| (event.workflow, event.payload)).collect::<Vec<_>>()
        };
        let told =
            studio.until("the report", |studio| Some(troubles(studio)).filter(|told| !told.is_empty()));
        let [(of, payload)] = &*told else { panic!("it is reported once: {told:?}") };
        assert_eq!(of.as_ref(), Some(&broken));
        assert!(payload.contains(&error.to_string()), "{payload}");
        assert_eq!(studio.state(&broken), WorkflowState::Execution);
        // It goes on as soon as it can be read.
        *studio.journal.unreadable.lock().unwrap() = None;
        studio.world.pass(30_000);
        studio.nudge();
        studio.reaches(&broken, WorkflowState::Completed);
        assert_eq!(troubles(&studio).len(), 1);
    }
}

#[test]
fn s6_8_an_agent_that_cannot_be_read_is_out_of_use_and_the_engine_goes_on() {
    let studio = Studio::new(script).start();
    let unreadable = (Agent::key_of("executor-coding"), JournalError::Unreadable(UNREADABLE));
    *studio.journal.unreadable.lock().unwrap() = Some(unreadable);
    let (workflow, _) = studio.begin("x");
    studio.decide("How?", "so");
    studio.reaches(&workflow, WorkflowState::Completed);
}
