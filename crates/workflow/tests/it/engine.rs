//! Workflows that the engine drives.

use crate::studio::{AgentRequest, Studio, says, smooth};
use crate::support::answer;
use crate::whole::WholeLists as _;
use llm::LlmError;
use protocol::workflow::{DecisionStatus, ToolName, ToolPolicy, WorkflowState};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use workflow::PoolAgent;

/// The document's example: three tasks, two decisions, a report.
fn documents_plan() -> Value {
    json!([
        { "id": "task-1", "description": "搜索 deepseek", "requiredCapabilities": ["web_search"] },
        { "id": "task-2", "description": "选择论文", "dependencies": ["task-1"] },
        { "id": "task-3", "description": "写报告", "dependencies": ["task-2"], "requiredCapabilities": ["file_ops"] },
    ])
}

fn documents_script(asked: &AgentRequest) -> Result<String, LlmError> {
    if let Some(text) = smooth(asked, &documents_plan()) {
        return Ok(text);
    }
    Ok(match (&*asked.role, asked.round()) {
        ("task-1", 0) => says("WEB_SEARCH", json!({ "query": "deepseek" })),
        ("task-2", 0) => says(
            "USER_ESCALATE",
            json!({ "message": "找到 5 篇论文，选择哪些？", "options": ["paper1.pdf", "paper2.pdf", "paper3.pdf"] }),
        ),
        ("task-3", 0) => says("WRITE_FILE", json!({ "path": "deepseek/report.md", "content": "# deepseek" })),
        (role, _) => says("COMPLETE", json!({ "output": format!("{role} is done") })),
    })
}

#[test]
fn the_documents_example_runs_to_its_end() {
    let studio = Studio::new(documents_script).start();
    let (workflow, _) = studio.begin("搜索 deepseek 最新发布");
    studio.decide("检测到网络访问，是否继续？", "Y");
    studio.decide("找到 5 篇论文，选择哪些？", "1,3");
    studio.reaches(&workflow, WorkflowState::Completed);
    let line = |event: &String| {
        event.contains('→')
            || event.starts_with("task_started")
            || event.starts_with("task_completed")
            || event.starts_with("plan_updated")
            || event.starts_with("user_decision")
    };
    let lines: Vec<String> = studio.brief().into_iter().filter(line).collect();
    assert_eq!(
        lines,
        [
            "idle → semantic_understanding",
            "semantic_understanding → routing_decision",
            "routing_decision → plan_loop",
            "plan_updated 3",
            "plan_loop → execution",
            "task_started task-1",
            "user_decision_required",
            "user_decision_received Y",
            "task_completed task-1",
            "task_started task-2",
            "user_decision_required",
            "user_decision_received 1,3",
            "task_completed task-2",
            "task_started task-3",
            "task_completed task-3",
            "execution → review",
            "review → completed",
        ]
    );
    let state = studio.runtime.state(&workflow).unwrap();
    let output = serde_json::to_value(state.output).unwrap();
    assert_eq!(output["path"], "./deepseek/report.md", "{output}");
    // Each was asked once, and the agent of the second task knows what was chosen.
    assert!(studio.prompts().iter().all(|(_, count)| *count == 1), "{:?}", studio.prompts());
    let prompts = studio.log.prompts.lock().unwrap();
    let told = &prompts.iter().rfind(|(role, _)| role == "task-2").unwrap().1;
    assert!(told.contains("paper1.pdf") && told.contains("1,3"), "{told}");
    let kinds: Vec<String> = studio.events().into_iter().map(|(kind, _)| kind).collect();
    for kind in
        ["tool_call", "tool_result", "assistant_complete", "decision_tree_node", "agent_step_completed"]
    {
        assert!(kinds.iter().any(|known| known == kind), "{kind}");
    }
}

#[test]
fn whatever_is_killed_at_whichever_change_is_gone_on_with_and_repeats_at_most_one_step() {
    let answer_all = |studio: &Studio| {
        let pending =
            studio.runtime.decisions(None, Some(protocol::workflow::DecisionStatus::Pending)).unwrap();
        if let Some(decision) = pending.first() {
            let answer = if decision.message.starts_with("检测到") { "Y" } else { "1,3" };
            // Its waiter may have ended meanwhile.
            let _ = studio.runtime.respond(None, &decision.decision_id, answer);
        }
    };
    let mut boundaries = 0;
    for changes in 0.. {
        let mut studio = Studio::new(documents_script);
        studio.start_for(changes);
        let (workflow, session) = studio.begin("搜索 deepseek 最新发布");
        // It goes as far as it can.
        let is_over = studio.until("its end", |studio| {
            let is_dead = studio.journal.made.load(Ordering::Acquire) >= changes;
            answer_all(studio);
            let is_over = studio.state(&workflow).is_terminal();
            (is_dead || is_over).then_some(is_over)
        });
        studio.stop();
        if is_over {
            boundaries = changes;
            break;
        }
        studio.start_for(i64::MAX);
        studio.resume(&session).unwrap();
        studio.until("its end", |studio| {
            answer_all(studio);
            studio.state(&workflow).is_terminal().then_some(())
        });
        assert_eq!(studio.state(&workflow), WorkflowState::Completed, "{changes}: {:#?}", studio.brief());
        let output = serde_json::to_value(studio.runtime.state(&workflow).unwrap().output).unwrap();
        assert_eq!(output["path"], "./deepseek/report.md", "{changes}: {output}");
        let mut again: Vec<(String, usize)> =
            studio.prompts().into_iter().filter(|(_, count)| *count > 1).collect();
        let mut calls: HashMap<String, usize> = HashMap::new();
        for call in studio.calls() {
            *calls.entry(call).or_default() += 1;
        }
        assert_eq!(calls.len(), 2, "{changes}: {calls:?}");
        again.extend(calls.into_iter().filter(|(_, count)| *count > 1));
        assert!(again.len() <= 1 && again.iter().all(|(_, count)| *count == 2), "{changes}: {again:?}");
        // No question is asked twice.
        let asked = studio.brief().iter().filter(|event| *event == "user_decision_required").count();
        assert_eq!(asked, 2, "{changes}");
    }
    assert!(boundaries > 25, "{boundaries}");
}

#[test]
fn a_transition_of_a_client_wins_over_what_the_engine_is_doing() {
    let studio = Studio::new(|asked: &AgentRequest| {
        if asked.role == "understand" && asked.before == 0 {
            // It takes as long as it may.
            asked.cancellation.wait(Duration::from_secs(30));
            assert!(asked.cancellation.is_cancelled());
        }
        documents_script(asked)
    })
    .start();
    let (workflow, _) = studio.begin("x");
    studio.until("a question", |studio| (!studio.prompts().is_empty()).then_some(()));
    studio.step(&workflow, "intent_analyzed", json!({ "intent": "the client's" })).unwrap();
    studio.asked();
    let state = studio.runtime.state(&workflow).unwrap();
    assert_eq!(state.context["intent"], "the client's");
    let phases =
        studio.brief().iter().filter(|event| *event == "semantic_understanding → routing_decision").count();
    assert_eq!(phases, 1);
}

#[test]
fn a_hard_pause_breaks_off_what_runs_and_loses_nothing() {
    let is_slow = Arc::new(AtomicBool::new(true));
    let slow = Arc::clone(&is_slow);
    let studio = Studio::new(move |asked: &AgentRequest| {
        if asked.role == "task-3" && asked.round() == 1 && slow.swap(false, Ordering::Relaxed) {
            asked.cancellation.wait(Duration::from_secs(30));
            assert!(asked.cancellation.is_cancelled());
        }
        documents_script(asked)
    })
    .start();
    let (workflow, _) = studio.begin("x");
    studio.decide("检测到网络访问，是否继续？", "Y");
    studio.decide("找到 5 篇论文，选择哪些？", "1,3");
    studio.until("the last question", |_| (!is_slow.load(Ordering::Relaxed)).then_some(()));
    crate::support::answer(studio.runtime.pause(None, &workflow, true)).unwrap();
    assert_eq!(studio.state(&workflow), WorkflowState::Paused);
    crate::support::answer(studio.runtime.resume(None, &workflow)).unwrap();
    studio.reaches(&workflow, WorkflowState::Completed);
    // What was written is not written again, and only what was broken off is asked again.
    assert_eq!(studio.calls().iter().filter(|call| call.starts_with("WRITE_FILE")).count(), 1);
    let again: Vec<_> = studio.prompts().into_iter().filter(|(_, count)| *count > 1).collect();
    assert_eq!(again, [("task-3".to_owned(), 2)]);
}

#[test]
fn what_cannot_be_read_is_asked_again_three_times_and_no_more() {
    for bad in ["", "I would rather not.", r#"{"thought": 1}"#, "[]"] {
        let studio = Studio::new(move |asked: &AgentRequest| {
            if asked.role == "plan" && asked.before < 3 {
                return Ok(bad.to_owned());
            }
            documents_script(asked)
        })
        .start();
        studio.begin("x");
        studio.asked();
        let prompts = studio.log.prompts.lock().unwrap();
        assert_eq!(prompts.iter().filter(|(role, _)| role == "plan").count(), 4, "{bad}");
    }
    let cycle = json!([
        { "id": "a", "description": "a", "dependencies": ["b"] },
        { "id": "b", "description": "b", "dependencies": ["a"] },
    ]);
    let studio = Studio::new(move |asked: &AgentRequest| match smooth(asked, &cycle) {
        Some(text) => Ok(text),
        None => documents_script(asked),
    })
    .start();
    let (workflow, _) = studio.begin("x");
    studio.reaches(&workflow, WorkflowState::Failed);
    let prompts = studio.log.prompts.lock().unwrap();
    let plans: Vec<&String> =
        prompts.iter().filter(|(role, _)| role == "plan").map(|(_, prompt)| prompt).collect();
    assert_eq!(plans.len(), 4);
    assert!(plans[1].contains("a, b depend on each other"), "{}", plans[1]);
    let error = studio.runtime.state(&workflow).unwrap().error.unwrap();
    assert!(error.contains("depend on each other"), "{error}");
}

#[test]
fn what_is_not_clear_is_asked_and_the_answer_is_known() {
    let studio = Studio::new(|asked: &AgentRequest| {
        if asked.role == "understand" && !asked.prompt.contains("Asked and answered") {
            return Ok(says(
                "CLARIFICATION_REQUIRED",
                json!({ "question": "Which one?", "suggestions": ["V3", "R1"] }),
            ));
        }
        documents_script(asked)
    })
    .start();
    studio.begin("deepseek");
    studio.decide("Which one?", "R1");
    studio.until("a plan", |studio| studio.prompts().iter().any(|(role, _)| role == "plan").then_some(()));
    let prompts = studio.log.prompts.lock().unwrap();
    let understood = &prompts.iter().rfind(|(role, _)| role == "understand").unwrap().1;
    assert!(understood.contains(r#"[{"question":"Which one?","answer":"R1"}]"#), "{understood}");
}

#[test]
fn a_question_that_cannot_be_asked_is_put_otherwise() {
    for suggestions in [json!(["", "a"]), json!(vec!["x".repeat(1 << 20); 2])] {
        let studio = Studio::new(move |asked: &AgentRequest| match (&*asked.role, asked.before) {
            ("understand", 0) => Ok(says(
                "CLARIFICATION_REQUIRED",
                json!({ "question": "Which one?", "suggestions": suggestions }),
            )),
            _ => documents_script(asked),
        })
        .start();
        let (workflow, _) = studio.begin("x");
        studio.reaches(&workflow, WorkflowState::Execution);
        let understood = studio.prompts_of("understand");
        assert_eq!(understood.len(), 2);
        assert!(understood[1].contains("Your last answer could not be used"));
    }
}

/// A workflow whose person has said something in a pause at once, about which the router wants this done.
fn controlled(action: &str, confidence: u8) -> (Studio, String) {
    let is_paused = Arc::new(AtomicBool::new(false));
    let paused = Arc::clone(&is_paused);
    let plan = json!([{ "id": "task-1", "description": "a" }]);
    let route = json!({ "route": "control_action", "payload": { "controlAction": action } });
    let route =
        says("ROUTE_DECISION", route).replace("\"confidence\":90", &format!("\"confidence\":{confidence}"));
    let studio = Studio::new(move |asked: &AgentRequest| {
        while asked.role == "task-1" && !paused.load(Ordering::Relaxed) {
            asked.cancellation.wait(Duration::from_millis(5));
        }
        if asked.role == "route" {
            return Ok(route.clone());
        }
        Ok(smooth(asked, &plan).unwrap_or_else(|| says("COMPLETE", json!({ "output": "done" }))))
    })
    .start();
    let (workflow, _) = studio.begin("x");
    studio.until("a task", |studio| (!studio.prompts_of("task-1").is_empty()).then_some(()));
    studio.runtime.pause(None, &workflow, true).unwrap();
    studio.runtime.input(None, &workflow, "hm").unwrap();
    is_paused.store(true, Ordering::Relaxed);
    (studio, workflow)
}

#[test]
fn nothing_is_ended_by_a_router_that_is_not_sure() {
    let (studio, workflow) = controlled("cancel", 5);
    studio.decide("任务有变化，如何继续？", "1");
    studio.reaches(&workflow, WorkflowState::Completed);
    // A confident route is followed.
    let (studio, workflow) = controlled("cancel", 90);
    studio.reaches(&workflow, WorkflowState::Failed);
    assert!(studio.runtime.state(&workflow).unwrap().context.contains_key("cancelled"));
}

#[test]
fn what_a_router_has_paused_goes_on_once_it_is_resumed() {
    let (studio, workflow) = controlled("pause", 90);
    studio.until("it is routed", |studio| (!studio.prompts_of("route").is_empty()).then_some(()));
    studio.reaches(&workflow, WorkflowState::Paused);
    studio.runtime.resume(None, &workflow).unwrap();
    studio.reaches(&workflow, WorkflowState::Completed);
    assert_eq!(studio.prompts_of("route").len(), 1);
}

#[test]
fn an_answer_that_comes_in_a_pause_is_kept_and_nobody_is_asked_again() {
    for asks in ["understand", "plan", "review"] {
        let may_answer = Arc::new(AtomicBool::new(false));
        let may = Arc::clone(&may_answer);
        let plan = json!([{ "id": "task-1", "description": "a" }]);
        let studio = Studio::new(move |asked: &AgentRequest| {
            while asked.role == asks && !may.load(Ordering::Relaxed) {
                asked.cancellation.wait(Duration::from_millis(5));
            }
            Ok(smooth(asked, &plan).unwrap_or_else(|| says("COMPLETE", json!({ "output": "done" }))))
        })
        .start();
        let (workflow, _) = studio.begin("x");
        studio.until("it is asked", |studio| (!studio.prompts_of(asks).is_empty()).then_some(()));
        studio.runtime.pause(None, &workflow, false).unwrap();
        may_answer.store(true, Ordering::Relaxed);
        studio.until("its answer", |studio| {
            let steps = studio.steps(&workflow);
            steps.last().is_some_and(|step| step.answer.is_some()).then_some(())
        });
        assert_eq!(studio.state(&workflow), WorkflowState::Paused, "{asks}");
        studio.runtime.resume(None, &workflow).unwrap();
        studio.reaches(&workflow, WorkflowState::Completed);
        assert_eq!(studio.prompts_of(asks).len(), 1, "{asks}");
    }
}

#[test]
fn a_task_is_tried_again_while_another_one_is_done() {
    let is_again = Arc::new(AtomicBool::new(false));
    let again = Arc::clone(&is_again);
    let plan = json!([{ "id": "task-1", "description": "a" }, { "id": "task-2", "description": "b" }]);
    let studio = Studio::new(move |asked: &AgentRequest| {
        if let Some(text) = smooth(asked, &plan) {
            return Ok(text);
        }
        match &*asked.role {
            "task-1" if asked.before == 0 => {
                return Ok(says("FAIL", json!({ "reason": "busy", "recoverable": true })));
            }
            "task-1" => again.store(true, Ordering::Relaxed),
            _ => {
                while !again.load(Ordering::Relaxed) && !asked.cancellation.is_cancelled() {
                    asked.cancellation.wait(Duration::from_millis(5));
                }
            }
        }
        Ok(says("COMPLETE", json!({ "output": "done" })))
    })
    // Long enough that it is looked at before its time has come.
    .paced(|pace| (pace.backoff, pace.max_backoff) = (3000, 3000))
    .start();
    let (workflow, _) = studio.begin("x");
    studio.until("its end", |studio| {
        studio.nudge();
        (studio.state(&workflow) == WorkflowState::Completed).then_some(())
    });
}

#[test]
fn a_rejected_task_is_done_again_with_what_was_said_and_then_a_person_decides() {
    let studio = Studio::new(|asked: &AgentRequest| match &*asked.role {
        "review" => Ok(says(
            "REVIEW_REJECT",
            json!({ "approved": false, "feedback": "too short", "requiredFixes": ["longer"], "tasks": ["task-3"] }),
        )),
        _ => documents_script(asked),
    })
    .start();
    let (workflow, _) = studio.begin("x");
    studio.decide("检测到网络访问，是否继续？", "Y");
    studio.decide("找到 5 篇论文，选择哪些？", "1,3");
    studio.decide("审查多次未通过，如何继续？", "accept");
    studio.reaches(&workflow, WorkflowState::Completed);
    let prompts = studio.log.prompts.lock().unwrap();
    let of = |role: &str| prompts.iter().filter(|(known, _)| known == role).collect::<Vec<_>>();
    assert_eq!(of("review").len(), 4);
    // Twice for each of four tries; the other tasks are not done again.
    assert_eq!((of("task-3").len(), of("task-1").len()), (8, 2));
    assert!(of("task-3").last().unwrap().1.contains("too short"));
}

#[test]
fn high_risk_an_unreadable_review_and_a_claim_without_evidence_are_rejections() {
    let reviews: [fn() -> String; 3] = [
        || says("REVIEW_APPROVE", json!({ "approved": true, "riskLevel": "HIGH" })),
        || "fine".to_owned(),
        || says("REVIEW_APPROVE", json!({ "approved": false })),
    ];
    for review in reviews {
        let studio = Studio::new(move |asked: &AgentRequest| match &*asked.role {
            "review" => Ok(review()),
            _ => documents_script(asked),
        })
        .paced(|pace| pace.rejections = 0)
        .start();
        let (workflow, _) = studio.begin("x");
        studio.decide("检测到网络访问，是否继续？", "Y");
        studio.decide("找到 5 篇论文，选择哪些？", "1,3");
        studio.decide("审查多次未通过，如何继续？", "abort");
        studio.reaches(&workflow, WorkflowState::Failed);
    }
    let plan = json!([{ "id": "task-1", "description": "Claim" }]);
    let studio = Studio::new(move |asked: &AgentRequest| match smooth(asked, &plan) {
        Some(text) => Ok(text),
        None => Ok(says("COMPLETE", json!({ "output": " " }))),
    })
    .paced(|pace| pace.rejections = 1)
    .start();
    let (workflow, _) = studio.begin("x");
    studio.decide("审查多次未通过，如何继续？", "abort");
    studio.reaches(&workflow, WorkflowState::Failed);
}

#[test]
fn a_task_that_may_succeed_later_is_tried_by_another_agent_and_then_a_person_decides() {
    let plan = json!([{ "id": "task-1", "description": "Search", "requiredCapabilities": ["web_search"] }]);
    let agents: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = Arc::clone(&agents);
    let studio = Studio::new(move |asked: &AgentRequest| {
        if let Some(text) = smooth(asked, &plan) {
            return Ok(text);
        }
        seen.lock().unwrap().push(asked.agent.clone());
        match asked.before {
            0..4 => Ok(says("FAIL", json!({ "reason": "rate_limit", "recoverable": true }))),
            _ => Ok(says("COMPLETE", json!({ "output": "found" }))),
        }
    })
    .start();
    let (workflow, _) = studio.begin("x");
    let ask = "任务 1 失败，如何继续？";
    for _ in 0..3 {
        // The clock moves on for tasks that wait for the next try.
        studio.until("the next try", |studio| {
            studio.world.pass(10);
            let failed = studio.brief().iter().filter(|event| *event == "task_failed task-1").count();
            (failed == 3).then_some(())
        });
    }
    assert_eq!(*agents.lock().unwrap(), ["executor-research", "executor-general", "executor-research"]);
    studio.decide(ask, "continue");
    studio.world.pass(10);
    studio.decide(ask, "continue");
    studio.world.pass(10);
    studio.reaches(&workflow, WorkflowState::Completed);

    // Giving up ends the workflow with its error.
    let plan = json!([{ "id": "task-1", "description": "Search" }]);
    let studio = Studio::new(move |asked: &AgentRequest| match smooth(asked, &plan) {
        Some(text) => Ok(text),
        None => Ok(says("FAIL", json!({ "reason": "nothing there" }))),
    })
    .start();
    let (workflow, _) = studio.begin("x");
    studio.decide(ask, "abort");
    studio.reaches(&workflow, WorkflowState::Failed);
    assert_eq!(studio.runtime.state(&workflow).unwrap().error.as_deref(), Some("nothing there"));
}

#[test]
fn what_nobody_is_able_to_do_is_no_plan_and_what_nobody_is_there_for_asks_a_person() {
    let mut pool = PoolAgent::usual();
    pool.retain(|agent| agent.id != "executor-research");
    let studio = Studio::new(|asked: &AgentRequest| {
        // The first plan needs a capability that no agent has; after the error the agent proposes one without it.
        let plan = match asked.is_repair() {
            true => json!([{ "id": "task-1", "description": "a" }]),
            false => {
                json!([{ "id": "task-1", "description": "a", "requiredCapabilities": ["data_analysis"] }])
            }
        };
        match smooth(asked, &plan) {
            Some(text) => Ok(text),
            None => Ok(says("COMPLETE", json!({ "output": "done" }))),
        }
    })
    .with_pool(pool)
    .start();
    let (workflow, _) = studio.begin("x");
    studio.reaches(&workflow, WorkflowState::Completed);
    let prompts = studio.log.prompts.lock().unwrap();
    let plan = &prompts.iter().rfind(|(role, _)| role == "plan").unwrap().1;
    assert!(plan.contains("no agent has the capability data_analysis"), "{plan}");
    drop(prompts);

    // A client's plan may require what no agent can do.
    let mut pool = PoolAgent::usual();
    pool.retain(|agent| agent.kind != "executor");
    let studio = Studio::new(|asked: &AgentRequest| {
        if asked.role == "plan" {
            asked.cancellation.wait(Duration::from_secs(30));
        }
        documents_script(asked)
    })
    .with_pool(pool)
    .start();
    let (workflow, _) = studio.begin("x");
    studio.reaches(&workflow, WorkflowState::PlanLoop);
    studio.step(&workflow, "plan_created", json!({ "tasks": documents_plan() })).unwrap();
    studio.reaches(&workflow, WorkflowState::WaitUserDecision);
    studio.decide("资源不足：缺少 web_search", "abort");
    studio.reaches(&workflow, WorkflowState::Failed);
}

#[test]
fn without_anybody_who_thinks_it_fails_and_says_so() {
    let studio = Studio::new(documents_script).with_pool(Vec::new()).start();
    let (workflow, _) = studio.begin("x");
    studio.reaches(&workflow, WorkflowState::Failed);
    let error = studio.runtime.state(&workflow).unwrap().error;
    assert_eq!(error.as_deref(), Some("资源不足：缺少 orchestrator"));
    // Watchers see that it was not the task that failed.
    let told = studio.events().into_iter().find(|(kind, _)| kind == "resource_shortage").unwrap().1;
    assert_eq!(told["missingResources"], json!([{ "type": "orchestrator" }]));
}

#[test]
fn without_a_search_nobody_is_able_to_search() {
    let plan = json!([{ "id": "task-1", "description": "a", "requiredCapabilities": ["web_search"] }]);
    let wanted = plan.clone();
    let studio = Studio::new(move |asked: &AgentRequest| {
        let plan =
            if asked.is_repair() { json!([{ "id": "task-1", "description": "a" }]) } else { plan.clone() };
        Ok(smooth(asked, &plan).unwrap_or_else(|| says("COMPLETE", json!({ "output": "done" }))))
    })
    .without(ToolName::WebSearch)
    .start();
    let (workflow, _) = studio.begin("x");
    studio.reaches(&workflow, WorkflowState::Completed);
    let plans = studio.prompts_of("plan");
    assert!(plans[1].contains("no agent has the capability web_search"), "{}", plans[1]);
    assert!(!plans[0].contains("web_search"), "it is not offered: {}", plans[0]);
    // A client may want it all the same.
    let studio = Studio::new(|asked: &AgentRequest| {
        if asked.role == "plan" {
            asked.cancellation.wait(Duration::from_secs(30));
        }
        documents_script(asked)
    })
    .without(ToolName::WebSearch)
    .start();
    let (workflow, _) = studio.begin("x");
    studio.reaches(&workflow, WorkflowState::PlanLoop);
    studio.step(&workflow, "plan_created", json!({ "tasks": wanted })).unwrap();
    studio.decide("资源不足：缺少 web_search", "abort");
    studio.reaches(&workflow, WorkflowState::Failed);
}

#[test]
fn a_tool_is_used_as_it_may_be() {
    let script = |asked: &AgentRequest| {
        let plan = json!([{ "id": "task-1", "description": "a" }, { "id": "task-2", "description": "b", "dependencies": ["task-1"] }]);
        if let Some(text) = smooth(asked, &plan) {
            return Ok(text);
        }
        Ok(match asked.round() {
            0 => says("WEB_SEARCH", json!({ "query": asked.role })),
            _ => says("COMPLETE", json!({ "output": "done" })),
        })
    };
    let ask = "检测到网络访问，是否继续？";
    let both = [r#"WEB_SEARCH {"query":"task-1"}"#, r#"WEB_SEARCH {"query":"task-2"}"#];
    // `Y`, which is also 1, is for the one call.
    let studio = Studio::new(script).start();
    let (workflow, _) = studio.begin("x");
    studio.decide(ask, "Y");
    studio.decide(ask, "1");
    studio.reaches(&workflow, WorkflowState::Completed);
    assert_eq!(studio.calls(), both);
    // `always` holds until the workflow ends, and no longer.
    let studio = Studio::new(script).start();
    let (workflow, _) = studio.begin("x");
    studio.decide(ask, "always");
    studio.reaches(&workflow, WorkflowState::Completed);
    assert_eq!(studio.calls(), both);
    studio.begin("y");
    assert_eq!(studio.asked().1, ask);
    // "n" refuses only this call, and the agent learns of it.
    let studio = Studio::new(script).start();
    let (workflow, _) = studio.begin("x");
    studio.decide(ask, "n");
    studio.decide(ask, "n");
    studio.reaches(&workflow, WorkflowState::Completed);
    assert_eq!(studio.calls(), [""; 0]);
    assert!(
        studio
            .log
            .prompts
            .lock()
            .unwrap()
            .iter()
            .any(|(_, prompt)| prompt.contains("WEB_SEARCH is not allowed"))
    );
    // What must not be used is not even offered.
    let studio = Studio::new(script).with_policy(ToolName::WebSearch, ToolPolicy::Deny).start();
    let (workflow, _) = studio.begin("x");
    studio.until("its end", |studio| {
        studio.world.pass(10);
        let pending = studio.runtime.decisions(Some(&workflow), None).unwrap();
        pending.into_iter().find(|decision| decision.message == "任务 1 失败，如何继续？")
    });
    assert!(studio.log.prompts.lock().unwrap().iter().all(|(_, prompt)| !prompt.contains("- WEB_SEARCH")));
    assert_eq!(studio.calls(), [""; 0]);
}

#[test]
fn whether_a_tool_may_be_used_is_looked_at_before_each_call() {
    let is_forbidden = Arc::new(AtomicBool::new(false));
    let forbidden = Arc::clone(&is_forbidden);
    let script = move |asked: &AgentRequest| {
        if let Some(text) = smooth(asked, &json!([{ "id": "task-1", "description": "a" }])) {
            return Ok(text);
        }
        while asked.round() == 1 && !forbidden.load(Ordering::Relaxed) {
            asked.cancellation.wait(Duration::from_millis(5));
        }
        Ok(match asked.round() {
            round @ 0..2 => says("WEB_SEARCH", json!({ "query": round.to_string() })),
            _ => says("COMPLETE", json!({ "output": "done" })),
        })
    };
    let studio = Studio::new(script.clone()).with_policy(ToolName::WebSearch, ToolPolicy::Allow).start();
    let (workflow, _) = studio.begin("x");
    studio.until("the second step", |studio| (studio.prompts_of("task-1").len() == 2).then_some(()));
    studio.set_policy(ToolName::WebSearch, ToolPolicy::Deny);
    is_forbidden.store(true, Ordering::Relaxed);
    studio.reaches(&workflow, WorkflowState::Completed);
    assert_eq!(studio.calls(), [r#"WEB_SEARCH {"query":"0"}"#]);
    let last = studio.prompts_of("task-1").pop().unwrap();
    assert!(last.contains("Tool WEB_SEARCH is not allowed") && !last.contains("- WEB_SEARCH"), "{last}");
    // What was allowed while it was already forbidden stays so.
    let studio = Studio::new(script).start();
    let (workflow, _) = studio.begin("x");
    studio.asked();
    studio.set_policy(ToolName::WebSearch, ToolPolicy::Deny);
    studio.decide("检测到网络访问，是否继续？", "Y");
    studio.until("it is told", |studio| {
        studio.prompts_of("task-1").last()?.contains("Tool WEB_SEARCH is not allowed").then_some(())
    });
    assert_eq!(studio.calls(), [""; 0]);
    drop(workflow);
}

#[test]
fn an_agent_that_gets_nowhere_is_stopped() {
    type AnswerFn = fn(&AgentRequest) -> String;
    let forever: [(&str, AnswerFn); 3] = [
        ("no_progress", |_| says("WRITE_FILE", json!({ "path": "a", "content": "b" }))),
        ("max_rounds", |asked| says("WEB_SEARCH", json!({ "query": "fail", "n": asked.before }))),
        ("stuck", |_| says("WEB_SEARCH", json!({ "query": "x" }))),
    ];
    for (reason, script) in forever {
        let plan = json!([{ "id": "task-1", "description": "a" }]);
        let mut studio = Studio::new(move |asked: &AgentRequest| match smooth(asked, &plan) {
            Some(text) => Ok(text),
            None => Ok(script(asked)),
        })
        .paced(|pace| (pace.retries, pace.rounds) = (0, if reason == "max_rounds" { 4 } else { 10 }));
        if reason != "stuck" {
            studio = studio.with_policy(ToolName::WebSearch, ToolPolicy::Allow);
        }
        let studio = studio.start();
        let (workflow, _) = studio.begin("x");
        if reason == "stuck" {
            for _ in 0..3 {
                studio.decide("检测到网络访问，是否继续？", "n");
            }
        }
        studio.decide("任务 1 失败，如何继续？", "abort");
        studio.reaches(&workflow, WorkflowState::Failed);
        assert_eq!(studio.runtime.state(&workflow).unwrap().error.as_deref(), Some(reason));
    }
}

#[test]
fn tasks_that_do_not_need_each_other_run_at_the_same_time_and_nobody_does_two() {
    let tasks: Vec<Value> =
        (1..=9).map(|n| json!({ "id": format!("task-{n}"), "description": "a" })).collect();
    let busy: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
    let most: Arc<Mutex<usize>> = Arc::default();
    let (now, peak) = (Arc::clone(&busy), Arc::clone(&most));
    let plan = json!(tasks);
    let studio = Studio::new(move |asked: &AgentRequest| {
        if let Some(text) = smooth(asked, &plan) {
            return Ok(text);
        }
        {
            let mut now = now.lock().unwrap();
            *now.entry(asked.agent.clone()).or_default() += 1;
            assert!(now.values().all(|count| *count <= 1), "{now:?}");
            let mut peak = peak.lock().unwrap();
            *peak = (*peak).max(now.values().sum());
        }
        asked.cancellation.wait(Duration::from_millis(20));
        *now.lock().unwrap().get_mut(&asked.agent).unwrap() -= 1;
        Ok(says("COMPLETE", json!({ "output": "done" })))
    })
    .start();
    // Two workflows share the pool.
    let (first, _) = studio.begin("x");
    let (second, _) = studio.begin("y");
    let look = |studio: &Studio| {
        studio.world.pass(500);
        let is_over = |id: &str| studio.state(id) == WorkflowState::Completed;
        (is_over(&first) && is_over(&second)).then_some(())
    };
    studio.until("both ends", look);
    assert_eq!(*most.lock().unwrap(), 3);
}

#[test]
fn what_a_person_says_meanwhile_is_used_once_by_the_next_prompt() {
    let is_told = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&is_told);
    let plan = json!([{ "id": "task-1", "description": "a" }, { "id": "task-2", "description": "b", "dependencies": ["task-1"] }]);
    let studio = Studio::new(move |asked: &AgentRequest| {
        if asked.role == "task-1" {
            while !told.load(Ordering::Relaxed) {
                asked.cancellation.wait(Duration::from_millis(5));
            }
        }
        match smooth(asked, &plan) {
            Some(text) => Ok(text),
            None => Ok(says("COMPLETE", json!({ "output": "done" }))),
        }
    })
    .start();
    let (workflow, _) = studio.begin("x");
    studio.until("the first task", |studio| {
        studio.prompts().iter().any(|(role, _)| role == "task-1").then_some(())
    });
    crate::support::answer(studio.runtime.input(None, &workflow, "In French, please.")).unwrap();
    is_told.store(true, Ordering::Relaxed);
    studio.reaches(&workflow, WorkflowState::Completed);
    let prompts = studio.log.prompts.lock().unwrap();
    let heard: Vec<&str> =
        prompts.iter().filter(|(_, prompt)| prompt.contains("In French")).map(|(role, _)| &**role).collect();
    assert_eq!(heard, ["task-2"]);
}

#[test]
fn a_model_that_does_not_answer_is_asked_later_and_then_the_workflow_is_left_to_people() {
    let is_down = Arc::new(AtomicBool::new(true));
    let down = Arc::clone(&is_down);
    let studio = Studio::new(move |asked: &AgentRequest| {
        if asked.role == "understand" && down.load(Ordering::Relaxed) {
            return Err(LlmError::Connect { target: "x".to_owned(), message: "refused".to_owned() });
        }
        documents_script(asked)
    })
    .start();
    let (workflow, session) = studio.begin("x");
    let waiting = studio.until("it waits for the next attempt", |studio| {
        let waiting = studio.runtime.state(&workflow).unwrap().waiting_for?;
        waiting.into_iter().find(|waiting| waiting.kind == "retry")
    });
    assert_eq!((waiting.attempt, waiting.phase), (Some(1), Some(WorkflowState::SemanticUnderstanding)));
    assert!(
        waiting.error.is_some_and(|error| error.starts_with("LLM_ERROR: ")) && waiting.retry_at.is_some()
    );
    assert!(!studio.runtime.state(&workflow).unwrap().context.contains_key("phaseFailure"));
    studio.until("it is left", |studio| {
        studio.world.pass(10);
        let errors = studio.brief().iter().filter(|event| *event == "system_error").count();
        (errors == 5).then_some(())
    });
    assert_eq!(studio.runtime.resumable().unwrap().len(), 1);
    assert_eq!(studio.state(&workflow), WorkflowState::SemanticUnderstanding);
    let error = || studio.runtime.state(&workflow).unwrap().error;
    assert!(error().is_some_and(|error| error.starts_with("LLM_ERROR")), "{:?}", error());
    is_down.store(false, Ordering::Relaxed);
    studio.resume(&session).unwrap();
    assert_eq!(error(), None, "it goes on");
    studio.decide("检测到网络访问，是否继续？", "Y");
    let again = studio.resume(&session).unwrap_err();
    assert_eq!(again.code.name(), "SESSION_BUSY");
}

#[test]
fn one_workflow_whose_jobs_end_in_a_panic_is_left_to_people_and_the_others_go_on() {
    let studio = Studio::new(|asked: &AgentRequest| {
        assert!(!asked.prompt.contains("the bad one"), "this one panics");
        documents_script(asked)
    })
    .start();
    let (bad, _) = studio.begin("the bad one");
    let (good, _) = studio.begin("the good one");
    studio.decide("检测到网络访问，是否继续？", "Y");
    studio.decide("找到 5 篇论文，选择哪些？", "1,3");
    studio.reaches(&good, WorkflowState::Completed);
    studio.until("it is left", |studio| {
        studio.world.pass(10);
        let left = studio.runtime.resumable().unwrap();
        (left.len() == 1 && left[0].workflow_id.as_ref() == Some(&bad)).then_some(())
    });
    assert_eq!(studio.prompts().iter().filter(|(role, _)| role == "understand").count(), 2);
}

#[test]
fn a_question_that_nobody_could_be_asked_is_told_to_the_agent_and_what_is_long_is_cut_where_it_is_told() {
    let plan = json!([{ "id": "task-1", "description": "a" }]);
    let studio = Studio::new(move |asked: &AgentRequest| {
        if let Some(text) = smooth(asked, &plan) {
            return Ok(text);
        }
        Ok(match asked.round() {
            0 => says("USER_ESCALATE", json!({ "message": "x".repeat(20 << 10), "options": ["a", "b"] })),
            1 => says("WEB_SEARCH", json!({ "query": "long" })),
            _ => says("COMPLETE", json!({ "output": "done" })),
        })
    })
    .with_policy(ToolName::WebSearch, ToolPolicy::Allow)
    .start();
    let (workflow, _) = studio.begin("x");
    studio.reaches(&workflow, WorkflowState::Completed);
    let prompts = studio.log.prompts.lock().unwrap();
    let last = &prompts.iter().rfind(|(role, _)| role == "task-1").unwrap().1;
    assert!(last.contains("message or options are too long") && last.contains("bytes in all"), "{last}");
    assert!(prompts.iter().all(|(_, prompt)| prompt.len() < 100 << 10));
    let longest = studio.events().iter().map(|(_, payload)| payload.to_string().len()).max().unwrap();
    assert!(longest < 100 << 10, "{longest}");
    let step = studio.steps(&workflow).into_iter().find(|step| step.name.ends_with("/tool")).unwrap();
    assert!(step.answer.unwrap().len() > 1 << 20, "all of it is kept");
}

#[test]
fn every_step_keeps_what_was_asked_and_what_came_back() {
    let studio = Studio::new(documents_script).start();
    let (workflow, _) = studio.begin("x");
    studio.decide("检测到网络访问，是否继续？", "Y");
    studio.decide("找到 5 篇论文，选择哪些？", "1,3");
    studio.reaches(&workflow, WorkflowState::Completed);
    let steps = studio.steps(&workflow);
    let names: Vec<&str> = steps.iter().map(|step| step.name.split('/').next_back().unwrap()).collect();
    assert_eq!(
        names,
        [
            "think",
            "think",
            "begin",
            "think",
            "permit:WEB_SEARCH",
            "tool",
            "think",
            "begin",
            "think",
            "ask",
            "answer",
            "think",
            "begin",
            "think",
            "tool",
            "think",
            "think"
        ]
    );
    let is_settled = |step: &&journal::Step| step.answer.is_some() || step.outcome.is_some();
    assert_eq!(steps.iter().filter(is_settled).count(), steps.len());
    assert!(steps.iter().all(|step| step.attempt == 1 && step.request_sha256.len() == 64));
    let numbers: Vec<i64> = steps.iter().map(|step| step.no).collect();
    assert_eq!(numbers, (1..=steps.len() as i64).collect::<Vec<_>>());
}

#[test]
fn whoever_tries_a_task_again_is_told_what_was_wrong() {
    let plan = json!([{ "id": "task-1", "description": "a" }]);
    let studio = Studio::new(move |asked: &AgentRequest| match (smooth(asked, &plan), asked.before) {
        (Some(text), _) => Ok(text),
        (None, 0) => Ok(says("FAIL", json!({ "reason": "the first reason", "recoverable": true }))),
        (None, 1) => Ok(says("FAIL", json!({ "reason": "the second reason" }))),
        (None, _) => Ok(says("COMPLETE", json!({ "output": "done" }))),
    })
    .start();
    let (workflow, _) = studio.begin("x");
    studio.until("a question", |studio| {
        studio.nudge();
        studio.brief().contains(&"user_decision_required".to_owned()).then_some(())
    });
    studio.decide("任务 1 失败，如何继续？", "continue");
    studio.until("the end", |studio| {
        studio.nudge();
        (studio.state(&workflow) == WorkflowState::Completed).then_some(())
    });
    let prompts = studio.log.prompts.lock().unwrap();
    let tries: Vec<&str> =
        prompts.iter().filter(|(role, _)| role == "task-1").map(|(_, asked)| &**asked).collect();
    let told = |reason| format!("Error of the previous attempt:\n<<<data\n\"{reason}\"\ndata>>>");
    assert!(!tries[0].contains("What was wrong"), "{}", tries[0]);
    assert!(tries[1].contains(&told("the first reason")), "{}", tries[1]);
    assert!(tries[2].contains(&told("the second reason")), "{}", tries[2]);
}

#[test]
fn an_answer_about_a_failed_task_is_not_used_again_by_an_earlier_checkpoint() {
    const QUESTION: &str = "任务 1 失败，如何继续？";
    let plan = json!([{ "id": "task-1", "description": "a" }]);
    let studio = Studio::new(move |asked: &AgentRequest| match smooth(asked, &plan) {
        Some(text) => Ok(text),
        None => Ok(says("FAIL", json!({ "reason": "no", "recoverable": false }))),
    })
    .start();
    let is_asked = |count: usize| {
        studio.until("a question", |studio| {
            studio.nudge();
            let asked = studio.brief().iter().filter(|event| *event == "user_decision_required").count();
            (asked == count).then_some(())
        });
    };
    let (workflow, session) = studio.begin("x");
    is_asked(1);
    answer(studio.runtime.pause(None, &workflow, false)).unwrap();
    let then = studio.runtime.latest_checkpoint(&session).unwrap().checkpoint.checkpoint_id;
    answer(studio.runtime.resume(None, &workflow)).unwrap();
    studio.decide(QUESTION, "replan");
    is_asked(2);
    assert_eq!(studio.prompts_of("plan").len(), 2);
    answer(studio.runtime.pause(None, &workflow, false)).unwrap();
    answer(studio.runtime.resume_session(None, &session, Some(&then))).unwrap();
    // The first answer was carried out already: what failed is planned anew, once. The second question is about what has been
    // undone.
    is_asked(3);
    assert_eq!(studio.prompts_of("plan").len(), 3);
    let open = studio.runtime.decisions(Some(&workflow), Some(DecisionStatus::Pending)).unwrap();
    assert_eq!(open.len(), 1);
    studio.decide(QUESTION, "abort");
    studio.reaches(&workflow, WorkflowState::Failed);
}

#[test]
fn what_is_rejected_together_is_done_again_one_after_the_other() {
    let plan = json!([
        { "id": "task-1", "description": "a" },
        { "id": "task-2", "description": "b", "dependencies": ["task-1"] },
    ]);
    let studio = Studio::new(move |asked: &AgentRequest| {
        if asked.role == "review" && asked.before == 0 {
            return Ok(says("REVIEW_REJECT", json!({ "approved": false, "feedback": "no" })));
        }
        match smooth(asked, &plan) {
            Some(text) => Ok(text),
            None => Ok(says(
                "COMPLETE",
                json!({ "output": format!("result {} of {}", asked.before, asked.role) }),
            )),
        }
    })
    .start();
    let (workflow, _) = studio.begin("x");
    studio.reaches(&workflow, WorkflowState::Completed);
    let events = studio.brief();
    let tasks: Vec<&str> =
        events.iter().filter(|event| event.contains(" task-")).map(|event| &**event).collect();
    let once =
        ["task_started task-1", "task_completed task-1", "task_started task-2", "task_completed task-2"];
    assert_eq!(tasks, [once, once].concat());
    // The prompt of the second task has the new result of the first.
    let prompts = studio.log.prompts.lock().unwrap();
    assert!(prompts.iter().rfind(|(role, _)| role == "task-2").unwrap().1.contains("result 1 of task-1"));
}

#[test]
fn a_task_that_runs_while_the_plan_is_looked_at_again_is_gone_on_with_afterwards() {
    let is_slow = Arc::new(AtomicBool::new(true));
    let slow = Arc::clone(&is_slow);
    let plan = json!([{ "id": "task-1", "description": "a" }]);
    let studio = Studio::new(move |asked: &AgentRequest| {
        if asked.role == "route" {
            // Long enough for a task that still runs to end before this does.
            asked.cancellation.wait(Duration::from_millis(50));
            return Ok(says("ROUTE_DECISION", json!({ "route": "continue_execution" })));
        }
        if asked.role == "task-1" && asked.round() == 0 {
            while slow.load(Ordering::Relaxed) && !asked.cancellation.is_cancelled() {
                asked.cancellation.wait(Duration::from_millis(5));
            }
        }
        Ok(match (smooth(asked, &plan), asked.round()) {
            (Some(text), _) => text,
            (None, 0) => says("WRITE_FILE", json!({ "path": "a", "content": "b" })),
            (None, _) => says("COMPLETE", json!({ "output": "done" })),
        })
    })
    .start();
    let (workflow, _) = studio.begin("x");
    studio
        .until("the task", |studio| studio.prompts().iter().any(|(role, _)| role == "task-1").then_some(()));
    studio.step(&workflow, "major_change_detected", json!({})).unwrap();
    is_slow.store(false, Ordering::Relaxed);
    studio.reaches(&workflow, WorkflowState::Completed);
    let events = studio.brief();
    assert!(events.iter().all(|event| event != "system_error"), "{events:#?}");
    assert_eq!(studio.calls().len(), 1);
}

#[test]
fn what_the_engine_could_not_look_at_is_looked_at_in_the_next_round() {
    let plan = json!([{ "id": "task-1", "description": "a" }]);
    let studio = Studio::new(move |asked: &AgentRequest| {
        Ok(smooth(asked, &plan).unwrap_or_else(|| says("COMPLETE", json!({ "output": "done" }))))
    })
    .start();
    studio.journal.busy.store(3, Ordering::Relaxed);
    let (workflow, _) = studio.begin("a");
    studio.reaches(&workflow, WorkflowState::Completed);
    assert_eq!(studio.journal.busy.load(Ordering::Relaxed), 0);
}
