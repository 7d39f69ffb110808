//! Phases alone, each a workflow of its own.

use crate::studio::{AgentRequest, Studio, says};
use crate::support::answer;
use crate::whole::WholeLists as _;
use llm::{AnswerStage, LlmError};
use protocol::workflow::{ErrorCode, SingleStage, ToolName, ToolPolicy, WorkflowState};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use workflow::NewMessage;

/// Answers as each agent is to answer.
fn script(asked: &AgentRequest) -> Result<String, LlmError> {
    Ok(match (&*asked.role, asked.round()) {
        ("understand", _) => says(
            "INTENT_ANALYSIS",
            json!({
                "normalizedIntent": { "goal": "a report", "action": "create" },
                "taskRelation": { "type": "different_task", "confidence": 0.9 }, "path": "./not-a-file",
            }),
        ),
        ("route", _) => {
            says("ROUTE_DECISION", json!({ "route": "full_replan", "payload": { "reason": "new" } }))
        }
        ("plan", _) => says(
            "TASK_PLAN",
            json!({ "tasks": [
                { "id": "task-1", "description": "Search" },
                { "id": "task-2", "description": "Write", "dependencies": ["task-1"] },
            ] }),
        ),
        ("review", _) => says(
            "REVIEW_APPROVE",
            json!({ "approved": true, "score": 80, "feedback": "good", "riskLevel": "low" }),
        ),
        ("task-1", 0) => says("WRITE_FILE", json!({ "path": "a/report.md", "content": "#" })),
        (role, _) => says("COMPLETE", json!({ "output": format!("{role} is done") })),
    })
}

/// The result of a phase, once it has ended.
#[track_caller]
fn result(studio: &Studio, workflow: &str, message: &str) -> Value {
    studio.reaches(workflow, WorkflowState::Completed);
    let mail = studio.runtime.mail_by_id(message).unwrap();
    assert_eq!(mail.status, "completed", "{mail:?}");
    let output = studio.runtime.state(workflow).unwrap().output.unwrap();
    assert_eq!(mail.result.as_ref(), Some(&output));
    output
}

/// The phases that a workflow has been in.
fn phases(studio: &Studio) -> Vec<String> {
    studio.brief().into_iter().filter(|event| event.contains('→')).collect()
}

#[test]
fn understanding_alone_ends_with_the_intent() {
    let studio = Studio::new(script).start();
    let (workflow, message) = studio.begin_stage(SingleStage::Understand, json!({ "input": "写报告" }));
    let intent = result(&studio, &workflow, &message);
    assert_eq!(
        intent,
        json!({
            "normalizedIntent": { "goal": "a report", "action": "create" },
            "taskRelation": { "type": "different_task", "confidence": 0.9 }, "confidence": 90.0,
        })
    );
    assert_eq!(phases(&studio), ["idle → semantic_understanding", "semantic_understanding → completed"]);
    // No other agent was asked, and what was asked is kept as in any workflow.
    assert_eq!(studio.prompts(), [("understand".to_owned(), 1)]);
    let steps = studio.steps(&workflow);
    assert!(steps.len() == 1 && steps[0].answer.is_some(), "{steps:?}");
    assert!(studio.log.prompts.lock().unwrap()[0].1.contains("写报告"));
    assert!(!studio.brief().iter().any(|event| event.starts_with("phase_output_saved")));
}

#[test]
fn routing_alone_asks_the_router_and_nobody_else() {
    let studio = Studio::new(script).start();
    let intent = |relation: &str| {
        json!({ "intentAnalysis": {
            "normalizedIntent": { "goal": "a report" }, "taskRelation": { "type": relation },
        } })
    };
    for (relation, requires) in [("same_task_no_change", false), ("same_task_major_change", true)] {
        let (workflow, message) = studio.begin_stage(SingleStage::Route, intent(relation));
        let expected = json!({
            "route": "full_replan", "confidence": 90.0, "payload": { "reason": "new" },
            "requiresConfirmation": requires,
        });
        assert_eq!(result(&studio, &workflow, &message), expected, "{relation}");
        assert_eq!(studio.runtime.state(&workflow).unwrap().user_task, "a report");
    }
    let prompts = studio.log.prompts.lock().unwrap();
    assert!(prompts.iter().all(|(role, _)| role == "route"), "{prompts:?}");
    assert!(prompts[1].1.contains("same_task_major_change"), "{}", prompts[1].1);
    assert!(!prompts[0].1.contains("\"stage\""), "{}", prompts[0].1);
}

#[test]
fn a_router_that_wants_to_control_a_workflow_only_says_so() {
    let studio = Studio::new(|_: &AgentRequest| {
        let params = json!({ "route": "control_action", "payload": { "controlAction": "cancel" } });
        Ok(says("ROUTE_DECISION", params))
    });
    let studio = studio.start();
    let intent = json!({ "intentAnalysis": { "normalizedIntent": { "goal": "stop" } } });
    let (workflow, message) = studio.begin_stage(SingleStage::Route, intent);
    let routed = result(&studio, &workflow, &message);
    assert_eq!(
        (&routed["route"], &routed["requiresConfirmation"]),
        (&json!("control_action"), &json!(false))
    );
}

#[test]
fn what_is_said_in_a_session_is_understood_beside_its_workflow() {
    let studio = Studio::new(|asked: &AgentRequest| match &*asked.role {
        // The workflow waits here.
        "understand" if asked.prompt.contains("first") && asked.before == 0 => {
            Ok(says("CLARIFICATION_REQUIRED", json!({ "question": "Which?" })))
        }
        _ => script(asked),
    });
    let studio = studio.start();
    let (first, session) = studio.begin("the first task");
    studio.asked();
    let said = json!({ "input": "and a table", "sessionId": session });
    let (workflow, message) = studio.begin_stage(SingleStage::Understand, said);
    result(&studio, &workflow, &message);
    let prompts = studio.log.prompts.lock().unwrap();
    let told = &prompts.last().unwrap().1;
    assert!(told.contains("the first task") && told.contains(&first), "{told}");
    assert_eq!(studio.state(&first), WorkflowState::SemanticUnderstanding);
}

#[test]
fn planning_alone_makes_a_plan_that_nobody_executes() {
    let studio = Studio::new(script).start();
    let (workflow, message) = studio.begin_stage(SingleStage::Plan, json!({ "task": "a report" }));
    let plan = result(&studio, &workflow, &message);
    let ids: Vec<&str> =
        plan["tasks"].as_array().unwrap().iter().map(|task| task["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["task-1", "task-2"]);
    assert_eq!(phases(&studio), ["idle → plan_loop", "plan_loop → completed"]);
    assert!(studio.brief().contains(&"plan_updated 2".to_owned()), "{:?}", studio.brief());
    let tasks = studio.runtime.tasks(&workflow).unwrap();
    assert_eq!((tasks.len(), tasks[0].started_at.as_ref()), (2, None));
    assert!(studio.runtime.resumable().unwrap().is_empty());
}

#[test]
fn a_task_alone_is_done_with_tools_and_decisions() {
    let studio = Studio::new(|asked: &AgentRequest| match asked.round() {
        0 => Ok(says("WEB_SEARCH", json!({ "query": "deepseek" }))),
        _ => script(asked),
    });
    let studio = studio.with_policy(ToolName::WebSearch, ToolPolicy::Ask).start();
    let said = json!({ "task": "Search", "agent": "executor-research" });
    let (workflow, message) = studio.begin_stage(SingleStage::Execute, said);
    assert_eq!(studio.runtime.mail_by_id(&message).unwrap().status, "processing");
    studio.decide("检测到网络访问，是否继续？", "Y");
    let done = result(&studio, &workflow, &message);
    assert_eq!(done, json!({ "output": "task-1 is done" }));
    assert_eq!(phases(&studio), ["idle → execution", "execution → completed"]);
    assert_eq!(studio.calls(), ["WEB_SEARCH {\"query\":\"deepseek\"}"]);
    let tasks = studio.runtime.tasks(&workflow).unwrap();
    assert_eq!(tasks[0].assignee.as_deref(), Some("executor-research"));
    // It is free again.
    assert!(studio.runtime.agents().unwrap().iter().all(|agent| agent.status == "available"));
}

#[test]
fn every_agent_of_the_pool_can_be_named_for_a_task_alone() {
    let studio = Studio::new(script).start();
    for agent in ["executor-general", "executor-research", "executor-coding"] {
        let said = json!({ "task": "Write", "agent": agent });
        let (workflow, message) = studio.begin_stage(SingleStage::Execute, said);
        let done = result(&studio, &workflow, &message);
        assert_eq!(done["path"], "./a/report.md", "{done}");
        assert_eq!(studio.runtime.tasks(&workflow).unwrap()[0].assignee.as_deref(), Some(agent));
    }
}

#[test]
fn s6_5_an_agent_that_is_named_is_waited_for_in_turn_and_not_for_ever() {
    let order: Arc<Mutex<Vec<String>>> = Arc::default();
    let (noted, may_end) = (Arc::clone(&order), Arc::new(AtomicBool::new(false)));
    let may = Arc::clone(&may_end);
    let studio = Studio::new(move |asked: &AgentRequest| {
        let name = ["alpha", "beta", "gamma", "delta"].into_iter().find(|name| asked.prompt.contains(name));
        noted.lock().unwrap().push(name.unwrap().to_owned());
        while !may.load(Ordering::Relaxed) && !asked.cancellation.is_cancelled() {
            asked.cancellation.wait(Duration::from_millis(5));
        }
        Ok(says("COMPLETE", json!({ "output": "done" })))
    });
    let studio = studio.start();
    let begin = |task: &str| {
        studio.begin_stage(SingleStage::Execute, json!({ "task": task, "agent": "executor-coding" }))
    };
    let (alpha, _) = begin("alpha");
    studio.until("alpha", |_| (order.lock().unwrap().len() == 1).then_some(()));
    // A caller that does not want to wait gets an error at once, and nothing is begun.
    let said = json!({ "task": "delta", "agent": "executor-coding", "queueOnBusy": false });
    let refused = studio.send(SingleStage::Execute.module(), said).unwrap_err();
    assert_eq!(
        (refused.code, &*refused.error),
        (ErrorCode::ResourceBusy, "target agent busy: executor-coding")
    );
    let (beta, message) = begin("beta");
    studio.reaches(&beta, WorkflowState::Execution);
    studio.world.pass(299_999);
    let (gamma, _) = begin("gamma");
    studio.reaches(&gamma, WorkflowState::Execution);
    assert_eq!(studio.state(&beta), WorkflowState::Execution);
    studio.world.pass(1);
    studio.reaches(&beta, WorkflowState::Failed);
    let mail = studio.runtime.mail_by_id(&message).unwrap();
    assert_eq!((&*mail.status, mail.error.as_deref()), ("failed", Some("dispatch queue timeout")));
    assert_eq!(studio.state(&gamma), WorkflowState::Execution);
    may_end.store(true, Ordering::Relaxed);
    studio.reaches(&alpha, WorkflowState::Completed);
    studio.reaches(&gamma, WorkflowState::Completed);
    assert_eq!(*order.lock().unwrap(), ["alpha", "gamma"]);
    let said = json!({ "task": "delta", "agent": "executor-coding", "queueOnBusy": false });
    let (delta, _) = studio.begin_stage(SingleStage::Execute, said);
    studio.reaches(&delta, WorkflowState::Completed);
}

#[test]
fn s6_5_no_agent_waits_for_itself_be_it_by_way_of_others() {
    let studio = Studio::new(move |asked: &AgentRequest| {
        asked.cancellation.wait(Duration::from_secs(30));
        Ok(says("COMPLETE", json!({ "output": "done" })))
    });
    let studio = studio.start();
    let sent = |sender: &str, agent: &str, is_awaited: bool| {
        let message = json!({ "task": "x", "agent": agent });
        let (target, sender) = (SingleStage::Execute.module().to_owned(), Some(sender.to_owned()));
        answer(
            studio.runtime.send(None, &NewMessage { target, message, sender, is_awaited, callback_id: None }),
        )
    };
    let at_work = |agent: &str| {
        studio.until(agent, |studio| {
            let agents = studio.runtime.agents().unwrap();
            agents.iter().any(|known| known.id == agent && known.task_id.is_some()).then_some(())
        });
    };
    let refused = |sender: &str, agent: &str| {
        let refusal = sent(sender, agent, true).unwrap_err();
        assert_eq!(refusal.code, ErrorCode::ResourceBusy);
        refusal.error
    };
    let [a, b, c] = ["executor-coding", "executor-general", "executor-research"];
    // An idle agent can do a task of its own, and a caller that is no agent may wait for any agent.
    let first = sent(a, a, true).unwrap();
    at_work(a);
    let told = &studio.runtime.tasks(first["workflowId"].as_str().unwrap()).unwrap()[0].assignment;
    assert_eq!(told.as_ref().unwrap().assigner_agent_id, a);
    assert_eq!(refused(a, a), format!("dispatch deadlock risk: {a} → {a}"));
    sent("cli", a, true).unwrap();
    // Nor is it held up by what it does not wait for.
    sent(a, a, false).unwrap();
    sent(a, b, true).unwrap();
    at_work(b);
    assert_eq!(refused(b, a), format!("dispatch deadlock risk: {a} → {b} → {a}"));
    sent(b, c, true).unwrap();
    at_work(c);
    assert_eq!(refused(c, a), format!("dispatch deadlock risk: {a} → {b} → {c} → {a}"));
    assert_eq!(refused(c, b), format!("dispatch deadlock risk: {b} → {c} → {b}"));
    // Nothing is begun of what is refused.
    assert_eq!(studio.runtime.workflows().unwrap().len(), 5);
}

#[test]
fn a_task_alone_that_fails_is_a_failure_and_asks_nobody() {
    let studio =
        Studio::new(|_: &AgentRequest| Ok(says("FAIL", json!({ "reason": "no way", "recoverable": false }))));
    let studio = studio.start();
    let (workflow, message) = studio.begin_stage(SingleStage::Execute, json!({ "task": "Search" }));
    studio.reaches(&workflow, WorkflowState::Failed);
    let mail = studio.runtime.mail_by_id(&message).unwrap();
    assert_eq!((&*mail.status, mail.error.as_deref()), ("failed", Some("no way")));
    assert!(!studio.brief().iter().any(|event| event == "user_decision_required"), "{:?}", studio.brief());
}

#[test]
fn a_review_alone_judges_by_the_rules_of_every_review() {
    let risky = says("REVIEW_APPROVE", json!({ "approved": true, "riskLevel": "high" }));
    let rejected = says("REVIEW_REJECT", json!({ "feedback": "no", "requiredFixes": ["tests"] }));
    let approved = says("REVIEW_APPROVE", json!({ "approved": true, "score": 80, "riskLevel": "low" }));
    let claimed = json!({ "tasks": [
        { "id": "a", "status": "completed", "result": { "output": "" } },
        { "id": "b", "status": "completed", "result": { "output": "x" } },
        { "id": "c", "status": "pending" },
    ] });
    for (says, proposal, expected) in [
        (
            approved.clone(),
            json!({ "task": "delete all" }),
            json!({ "approved": true, "score": 80, "riskLevel": "low" }),
        ),
        (risky, json!("delete all"), json!({ "approved": false, "riskLevel": "high" })),
        (rejected, json!(["x"]), json!({ "approved": false, "feedback": "no", "requiredFixes": ["tests"] })),
        (
            approved,
            claimed,
            json!({
                "approved": false, "score": 80, "riskLevel": "low", "tasks": ["a"],
                "feedback": "a result without evidence is not accepted",
            }),
        ),
        (
            "nonsense".to_owned(),
            json!("x"),
            json!({ "approved": false, "feedback": "the answer has no JSON object that can be read" }),
        ),
    ] {
        let said = says.clone();
        let studio = Studio::new(move |_: &AgentRequest| Ok(said.clone())).start();
        let message = json!({ "proposal": proposal });
        let (workflow, message) = studio.begin_stage(SingleStage::Review, message);
        assert_eq!(result(&studio, &workflow, &message), expected, "{says}");
        assert_eq!(phases(&studio), ["idle → review", "review → completed"]);
        let prompts = studio.log.prompts.lock().unwrap();
        assert!(prompts[0].1.contains(&proposal.to_string()), "{}", prompts[0].1);
    }
}

#[test]
fn an_answer_that_cannot_be_read_is_asked_for_again_and_then_a_failure() {
    let studio = Studio::new(|asked: &AgentRequest| match asked.is_repair() {
        true => script(asked),
        false => Ok("no JSON".to_owned()),
    });
    let studio = studio.start();
    let (workflow, message) = studio.begin_stage(SingleStage::Plan, json!({ "task": "x" }));
    assert!(result(&studio, &workflow, &message)["tasks"].is_array());
    assert_eq!(studio.prompts().len(), 2);

    let studio = Studio::new(|_: &AgentRequest| Ok("no JSON".to_owned())).start();
    for (stage, message) in [
        (SingleStage::Understand, json!("x")),
        (SingleStage::Route, json!({ "intentAnalysis": {} })),
        (SingleStage::Plan, json!("x")),
    ] {
        let (workflow, message) = studio.begin_stage(stage, message);
        studio.reaches(&workflow, WorkflowState::Failed);
        let error = studio.runtime.mail_by_id(&message).unwrap().error;
        let error = error.unwrap();
        assert!(
            error.starts_with("cannot use what ")
                && error.ends_with(": the answer has no JSON object that can be read"),
            "{stage}: {error}"
        );
    }
    assert_eq!(studio.log.prompts.lock().unwrap().len(), 3 * 4);
}

#[test]
fn a_model_that_does_not_answer_fails_the_phase_instead_of_leaving_it_to_people() {
    // Where trying again cannot help: at once.
    let absent = |_: &AgentRequest| Err(LlmError::NotFound { program: "think".to_owned() });
    // Where it can: as often as any phase is tried again.
    let late = |_: &AgentRequest| {
        let after = Duration::from_secs(1);
        Err(LlmError::TimedOut { awaited: AnswerStage::Beginning, after, said: String::new() })
    };
    for (studio, tries) in [(Studio::new(absent), 1), (Studio::new(late), 5)] {
        let studio = studio.start();
        let (workflow, message) = studio.begin_stage(SingleStage::Understand, json!("x"));
        studio.until("its end", |studio| {
            // The clock of the place stands still.
            studio.world.pass(1000);
            studio.state(&workflow).is_terminal().then_some(())
        });
        let error = studio.runtime.mail_by_id(&message).unwrap().error.unwrap();
        assert!(error.starts_with("LLM_ERROR: "), "{error}");
        assert_eq!(studio.log.prompts.lock().unwrap().len(), tries);
    }
}

#[test]
fn a_person_who_is_asked_what_was_meant_is_waited_for() {
    let studio = Studio::new(|asked: &AgentRequest| match asked.prompt.contains("Asked and answered") {
        false => {
            Ok(says("CLARIFICATION_REQUIRED", json!({ "question": "Which?", "suggestions": ["A", "B"] })))
        }
        true => script(asked),
    });
    let studio = studio.start();
    let (workflow, message) = studio.begin_stage(SingleStage::Understand, json!("x"));
    studio.decide("Which?", "2");
    assert_eq!(result(&studio, &workflow, &message)["normalizedIntent"]["goal"], "a report");
}

#[test]
fn a_phase_that_was_interrupted_goes_on_in_that_phase_at_whichever_change() {
    let messages = [
        (SingleStage::Understand, json!("x")),
        (SingleStage::Route, json!({ "intentAnalysis": {} })),
        (SingleStage::Plan, json!("x")),
        (SingleStage::Execute, json!("x")),
        (SingleStage::Review, json!({ "proposal": "x" })),
    ];
    for (stage, message) in messages {
        let mut boundaries = 0;
        for changes in 0.. {
            let mut studio = Studio::new(script);
            studio.start_for(changes);
            let said = studio.send(stage.module(), message.clone()).unwrap();
            let text = |key: &str| said[key].as_str().unwrap().to_owned();
            let (workflow, session, mail) = (text("workflowId"), text("sessionId"), text("messageId"));
            let is_over = studio.until("its end", |studio| {
                let is_dead = studio.journal.made.load(Ordering::Acquire) >= changes;
                let is_over = studio.state(&workflow).is_terminal();
                (is_dead || is_over).then_some(is_over)
            });
            studio.stop();
            if is_over {
                boundaries = changes;
                break;
            }
            studio.start_for(i64::MAX);
            let resumed = studio.resume(&session).unwrap();
            assert_eq!(resumed["resumePhase"], stage.phase().name(), "{stage} {changes}");
            result(&studio, &workflow, &mail);
            let again: Vec<_> = studio.prompts().into_iter().filter(|(_, count)| *count > 1).collect();
            assert!(
                again.len() <= 1 && again.iter().all(|(_, count)| *count == 2),
                "{stage} {changes}: {again:?}"
            );
        }
        assert!(boundaries >= 2, "{stage}: {boundaries}");
    }
}

#[test]
fn what_is_said_to_a_paused_phase_is_for_that_phase() {
    let studio = Studio::new(|asked: &AgentRequest| match asked.prompt.contains("use French") {
        false if asked.before == 0 => {
            while !asked.cancellation.is_cancelled() {
                std::thread::yield_now();
            }
            Err(LlmError::Cancelled)
        }
        _ => script(asked),
    });
    let studio = studio.start();
    let (workflow, message) = studio.begin_stage(SingleStage::Plan, json!("x"));
    studio.until("it is asked", |studio| (!studio.log.prompts.lock().unwrap().is_empty()).then_some(()));
    studio.runtime.pause(None, &workflow, true).unwrap();
    studio.runtime.input(None, &workflow, "use French").unwrap();
    assert_eq!(studio.state(&workflow), WorkflowState::Paused);
    studio.runtime.resume(None, &workflow).unwrap();
    assert!(result(&studio, &workflow, &message)["tasks"].is_array());
    let roles = studio.prompts();
    assert!(roles.iter().all(|(role, _)| role == "plan"), "{roles:?}");
}

#[test]
fn the_modules_of_phases_are_listed() {
    let studio = Studio::new(script).start();
    let modules = studio.runtime.modules().unwrap();
    for stage in SingleStage::ALL {
        let of = |list: &str| {
            modules[list].as_array().unwrap().iter().any(|module| module["id"] == stage.module())
        };
        assert!(of("modules") && of("inputs"), "{stage}: {modules}");
    }
}

/// contract/workflows §3.8: of several reasons, the first.
#[test]
fn s3_8_an_unknown_session_is_refused_before_a_missing_provider() {
    let scene = crate::support::Scene::in_memory();
    let refused = |message: Value| crate::support::code(scene.send("planner-agent", message));
    assert_eq!(refused(json!({ "sessionId": "session-0" })), "MISSING_FIELD");
    assert_eq!(refused(json!({ "task": "x", "sessionId": "session-0" })), "SESSION_NOT_FOUND");
    assert_eq!(refused(json!({ "task": "x" })), "PROVIDER_MISSING");
}
