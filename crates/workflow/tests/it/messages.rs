//! Messages, sessions and agents.

use crate::support::{Scene, answer, brief, code, key};
use crate::whole::WholeLists as _;
use journal::Retention;
use protocol::workflow::MailStatus;
use serde_json::json;
use workflow::{NewMessage, NewSession};

/// Section 2.1.
#[test]
fn a_message_begins_a_workflow() {
    for scene in [Scene::in_memory(), Scene::on_disk()] {
        let said = scene.send("finger-orchestrator", json!({ "content": "搜索 deepseek" })).unwrap();
        assert_eq!(
            (&said["success"], &said["status"], &said["queued"]),
            (&json!(true), &json!("queued"), &json!(true))
        );
        let workflow = said["workflowId"].as_str().unwrap();
        assert_eq!(scene.phase(workflow), "semantic_understanding");
        let told = scene.events(0);
        assert_eq!(brief(&told), ["session_created", "user_message", "idle → semantic_understanding"]);
        let expected =
            json!({ "from": "idle", "to": "semantic_understanding", "trigger": "user_input_received" });
        assert_eq!(told[2].1, expected);
        let session = said["sessionId"].as_str().unwrap();
        assert_eq!(scene.runtime.session(session).unwrap().active_workflows, [workflow]);
        assert_eq!(scene.runtime.messages(session, 9).unwrap()[0].content, "搜索 deepseek");
        let mail = scene.runtime.mail_by_id(said["messageId"].as_str().unwrap()).unwrap();
        assert_eq!((mail.status.as_str(), mail.workflow_id.as_deref()), ("processing", Some(workflow)));
    }
}

#[test]
fn a_task_is_found_wherever_it_stands() {
    let scene = Scene::in_memory();
    for (target, message) in [
        ("finger-orchestrator", json!("words alone")),
        ("orchestrator-loop", json!({ "task": "t" })),
        ("orchestrator", json!({ "text": "t" })),
        ("finger-orchestrator-gateway", json!({ "content": "t", "task": "u" })),
    ] {
        scene.send(target, message).unwrap();
    }
    for message in [json!({}), json!(""), json!({ "content": " " }), json!(null), json!({ "content": 7 })] {
        let refusal = scene.send("finger-orchestrator", message).unwrap_err();
        assert_eq!((refusal.code.name(), &*refusal.error), ("MISSING_FIELD", "Missing target or message"));
    }
    let refusal = scene.send("nobody", json!("x")).unwrap_err();
    assert_eq!(refusal.error, "Module nobody not registered as input or output");
    assert_eq!(refusal.code.status(), 404);
}

#[test]
fn a_session_is_gone_on_with() {
    let scene = Scene::in_memory();
    let new = NewSession { name: None, project_path: Some("/home/me/论文".to_owned()) };
    let session = answer(scene.runtime.create_session(None, &new)).unwrap();
    assert_eq!((&session["name"], &session["projectPath"]), (&json!("论文"), &json!("/home/me/论文")));
    let id = session["id"].as_str().unwrap();
    for message in [
        json!({ "content": "a", "sessionId": id }),
        json!({ "content": "b", "metadata": { "sessionId": id } }),
    ] {
        assert_eq!(scene.send("orchestrator", message).unwrap()["sessionId"], id);
    }
    let view = scene.runtime.session(id).unwrap();
    assert_eq!((view.message_count, view.active_workflows.len()), (2, 2), "each message its own workflow");
    assert_eq!(scene.runtime.sessions().unwrap()[0], view);
    let said = json!({ "content": "shorter", "workflowId": view.active_workflows[0] });
    let accepted = scene.send("orchestrator", said).unwrap();
    assert_eq!(accepted["workflowId"], view.active_workflows[0], "unless it names one");
    assert_eq!(
        code(scene.send("orchestrator", json!({ "content": "a", "sessionId": "s" }))),
        "SESSION_NOT_FOUND"
    );
    answer(scene.runtime.pause_session(None, id)).unwrap();
    assert_eq!(code(scene.send("orchestrator", json!({ "content": "a", "sessionId": id }))), "SESSION_BUSY");
    let relative = NewSession { name: None, project_path: Some("here".to_owned()) };
    assert_eq!(code(answer(scene.runtime.create_session(None, &relative))), "INVALID_REQUEST");
}

#[test]
fn a_message_that_comes_again_is_taken_once() {
    let scene = Scene::on_disk();
    let new = |content: &str| NewMessage {
        target: "finger-orchestrator".to_owned(),
        message: json!({ "content": content }),
        sender: Some("cli".to_owned()),
        is_awaited: false,
        callback_id: Some("cli-1700000000000-ab12cd".to_owned()),
    };
    let first = answer(scene.runtime.send(None, &new("a"))).unwrap();
    let again = answer(scene.runtime.send(None, &new("a"))).unwrap();
    assert_eq!((&again["messageId"], &again["workflowId"]), (&first["messageId"], &first["workflowId"]));
    assert_eq!(code(answer(scene.runtime.send(None, &new("b")))), "IDEMPOTENCY_CONFLICT");
    assert_eq!(scene.runtime.workflows().unwrap().len(), 1);
    assert_eq!((&again["status"], &again["sessionId"]), (&json!("queued"), &first["sessionId"]));
    scene.step(first["workflowId"].as_str().unwrap(), "error_occurred", json!({ "lastError": "x" })).unwrap();
    let again = answer(scene.runtime.send(None, &new("a"))).unwrap();
    assert_eq!(
        (&again["status"], &again["queued"]),
        (&json!("failed"), &json!(false)),
        "what has become of it"
    );
    let found = scene.runtime.mail_by_callback("cli-1700000000000-ab12cd").unwrap();
    assert_eq!(found.id, first["messageId"].as_str().unwrap());

    let request = key("k", "body");
    let mut plain = new("c");
    plain.callback_id = None;
    let first = answer(scene.runtime.send(Some(&request), &plain)).unwrap();
    assert_eq!(answer(scene.runtime.send(Some(&request), &plain)).unwrap(), first);
    assert_eq!(scene.runtime.workflows().unwrap().len(), 2);
}

#[test]
fn whoever_waits_for_the_end_is_told() {
    let scene = Scene::in_memory();
    let said = scene.send("finger-orchestrator", json!({ "content": "x" })).unwrap();
    let (workflow, message) = (said["workflowId"].as_str().unwrap(), said["messageId"].as_str().unwrap());
    for trigger in ["intent_analyzed", "routing_decided", "plan_created", "task_completed"] {
        scene.step(workflow, trigger, json!({})).unwrap();
    }
    scene.step(workflow, "review_passed", json!({ "output": "done" })).unwrap();
    let mail = scene.runtime.mail_by_id(message).unwrap();
    assert_eq!((mail.status.as_str(), mail.result), ("completed", Some(json!("done"))));
    let said = scene.send("finger-orchestrator", json!({ "content": "y" })).unwrap();
    let workflow = said["workflowId"].as_str().unwrap();
    scene.step(workflow, "error_occurred", json!({ "lastError": "no key" })).unwrap();
    let mail = scene.runtime.mail_by_id(said["messageId"].as_str().unwrap()).unwrap();
    assert_eq!((mail.status.as_str(), mail.error.as_deref()), ("failed", Some("no key")));
}

#[test]
fn other_modules_take_messages() {
    let scene = Scene::in_memory();
    let said = scene.send("echo-input", json!({ "a": 1 })).unwrap();
    let mail = scene.runtime.mail_by_id(said["messageId"].as_str().unwrap()).unwrap();
    assert_eq!(mail.result, Some(json!({ "handler": "echo-input", "received": { "a": 1 } })));
    for _ in 0..100 {
        scene.send("executor-coding", json!({ "do": "it" })).unwrap();
    }
    assert_eq!(code(scene.send("executor-coding", json!({}))), "QUEUE_FULL");
    scene.send("executor-general", json!({})).unwrap();
    let waiting = scene.runtime.mail(Some("executor-coding"), None, 10).unwrap();
    assert_eq!(waiting.len(), 10);
    let count = || scene.runtime.mail(None, None, 999).unwrap().len();
    answer(scene.runtime.clear_mail(None, None, None)).unwrap();
    assert_eq!(count(), 101, "what has ended is forgotten");
    scene.begin("x");
    let pending = Some(MailStatus::Pending);
    answer(scene.runtime.clear_mail(None, Some("executor-coding"), pending)).unwrap();
    assert_eq!(count(), 2, "and what nobody will ever look at");
    scene.send("executor-coding", json!({})).unwrap();
    answer(scene.runtime.clear_mail(None, None, pending)).unwrap();
    assert_eq!(count(), 1, "somebody is at the last one");
    let at_work = answer(scene.runtime.clear_mail(None, None, Some(MailStatus::Processing)));
    assert_eq!(code(at_work), "INVALID_REQUEST");
    let modules = scene.runtime.modules().unwrap();
    assert_eq!(modules["modules"].as_array().unwrap().len(), 13);
}

#[test]
fn agents_are_given_and_taken_back() {
    let scene = Scene::in_memory();
    let agents = scene.runtime.agents().unwrap();
    let ids: Vec<_> = agents.iter().map(|agent| agent.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "executor-coding",
            "executor-general",
            "executor-research",
            "orchestrator-default",
            "reviewer-default"
        ]
    );
    let able = scene.runtime.capabilities("executor-research").unwrap();
    assert_eq!(able.capabilities, ["web_search", "data_analysis", "report_generation"]);
    assert_eq!(able.details[0].level, 10);
    assert!(scene.runtime.capabilities("nobody").is_err());
    let (workflow, session) = scene.executing(json!([]));
    let last = scene.last();
    let given = answer(scene.runtime.deploy(None, "executor-coding", &session, &workflow)).unwrap();
    assert_eq!(given["resource"]["status"], "deployed");
    let again = scene.runtime.deploy(None, "executor-coding", &session, &workflow);
    let refusal = answer(again).unwrap_err();
    assert_eq!((refusal.code.name(), refusal.code.status()), ("RESOURCE_BUSY", 409));
    assert_eq!(scene.runtime.state(&workflow).unwrap().agents.len(), 1);
    answer(scene.runtime.release(None, "executor-coding")).unwrap();
    answer(scene.runtime.release(None, "executor-coding")).unwrap();
    assert_eq!(brief(&scene.events(last)), ["resource_update", "resource_update"]);
    assert_eq!(scene.runtime.agents().unwrap()[0].total_deployments, 1);
}

#[test]
fn mail_that_has_ended_is_forgotten_with_the_answers_to_requests() {
    for scene in [Scene::in_memory(), Scene::on_disk()] {
        const DAY: i64 = 24 * 60 * 60 * 1000;
        scene.send("executor-coding", json!({})).unwrap();
        let (workflow, _) = scene.begin("long");
        let request = key("k", "{}");
        for _ in 0..3 {
            scene.send("echo-input", json!({})).unwrap();
        }
        answer(scene.runtime.pause_session(Some(&request), &scene.runtime.sessions().unwrap()[0].id))
            .unwrap();
        scene.world.pass(8 * DAY);
        scene.send("echo-input", json!({ "new": true })).unwrap();
        scene.step(&workflow, "cancel_requested", json!({})).unwrap();
        let prune =
            Retention { keep_events: 1000, answered_before: scene.runtime.now() - 7 * DAY, at_most: 2 };
        assert_eq!(scene.runtime.forget(prune).unwrap().answers, 3, "two messages and an answer");
        assert_eq!(scene.runtime.forget(prune).unwrap().answers, 1);
        assert_eq!(scene.runtime.forget(prune).unwrap().answers, 0);
        let left = scene.runtime.mail(None, None, 99).unwrap();
        let mut left: Vec<_> = left.iter().map(|mail| (mail.target.as_str(), mail.status.as_str())).collect();
        left.sort_unstable();
        let expected =
            [("echo-input", "completed"), ("executor-coding", "pending"), ("finger-orchestrator", "failed")];
        assert_eq!(left, expected, "the new one, one that waits, and one that has only ended now");
    }
}

#[test]
fn a_session_is_removed_with_all_that_was_asked_in_it() {
    let scene = Scene::in_memory();
    let session = answer(scene.runtime.create_session(None, &NewSession::default())).unwrap();
    let id = session["id"].as_str().unwrap();
    let ask = |session: Option<&str>| {
        let new = workflow::NewDecision {
            session_id: session.map(str::to_owned),
            message: "?".to_owned(),
            ..workflow::NewDecision::default()
        };
        answer(scene.runtime.create_decision(None, &new)).unwrap()["decisionId"].as_str().unwrap().to_owned()
    };
    let (answered, _open, elsewhere) = (ask(Some(id)), ask(Some(id)), ask(None));
    answer(scene.runtime.respond(None, &answered, "x")).unwrap();
    let last = scene.last();
    answer(scene.runtime.delete_session(None, id)).unwrap();
    let left = scene.runtime.decisions(None, None).unwrap();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].decision_id, elsewhere);
    assert_eq!(brief(&scene.events(last)), ["user_decision_received cancelled"], "whoever waits is told");
}

#[test]
fn messages_are_counted_as_they_are() {
    let scene = Scene::in_memory();
    let session = answer(scene.runtime.create_session(None, &NewSession::default())).unwrap();
    let id = session["id"].as_str().unwrap();
    let counts = || {
        (scene.runtime.session(id).unwrap().message_count, scene.runtime.sessions().unwrap()[0].message_count)
    };
    assert_eq!(counts(), (0, 0));
    for number in 0..25 {
        answer(scene.runtime.add_message(None, id, "user", &number.to_string())).unwrap();
    }
    assert_eq!(counts(), (25, 25));
    answer(scene.runtime.compress_session(None, id)).unwrap();
    assert_eq!(counts(), (20, 20));
    answer(scene.runtime.pause_session(None, id)).unwrap();
    let last = scene.last();
    answer(scene.runtime.resume_session(None, id, None)).unwrap();
    assert_eq!(scene.events(last)[0].1, json!({ "messageCount": 20 }));
}
