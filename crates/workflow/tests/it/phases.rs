//! What agents are asked in each phase, and where their answers lead (contract/workflows §6.2, §6.3).

use crate::studio::{AgentRequest, Studio, says, smooth};
use llm::LlmError;
use protocol::workflow::{ToolName, ToolPolicy, WorkflowState};
use serde_json::{Value, json};
use std::time::Duration;

const CHANGED: &str = "任务有变化，如何继续？";

/// The answer of a router: its route, its confidence, and the control action, if any.
type Route = (&'static str, f64, Option<&'static str>);

fn route((route, confidence, control): Route) -> String {
    let payload = json!({ "reason": "so", "controlAction": control });
    let said = says("ROUTE_DECISION", json!({ "route": route, "payload": payload }));
    let mut said: Value = serde_json::from_str(&said).unwrap();
    said["confidence"] = json!(confidence);
    said.to_string()
}

fn one() -> Value {
    json!([{ "id": "task-1", "description": "a" }])
}

/// A task that runs until it is cancelled.
fn lasting(asked: &AgentRequest) -> Result<String, LlmError> {
    asked.cancellation.wait(Duration::from_secs(30));
    Ok(says("COMPLETE", json!({ "output": "done" })))
}

/// A workflow whose task is worked on, in which then something happens that the router is asked about.
fn routed(relation: &'static str, said: Route, trigger: &str) -> (Studio, String) {
    let studio = Studio::new(move |asked: &AgentRequest| match (&*asked.role, asked.before) {
        ("understand", 1) => Ok(says(
            "INTENT_ANALYSIS",
            json!({ "normalizedIntent": { "goal": "it" }, "taskRelation": { "type": relation } }),
        )),
        ("route", _) => Ok(route(said)),
        // The plan is not made anew while a test looks at where the router has led.
        ("plan", 1..) | ("task-1", _) => lasting(asked),
        _ => Ok(smooth(asked, &one()).unwrap()),
    })
    .start();
    let (workflow, _) = studio.begin("x");
    studio
        .until("the task", |studio| studio.prompts().iter().any(|(role, _)| role == "task-1").then_some(()));
    studio.step(&workflow, trigger, json!({})).unwrap();
    (studio, workflow)
}

/// Where a workflow goes from a phase it enters for the n-th time.
#[track_caller]
fn goes(studio: &Studio, from: &str, times: usize) -> String {
    let begin = format!("{from} → ");
    studio.until(from, |studio| {
        studio.brief().iter().filter_map(|event| event.strip_prefix(&begin)).nth(times - 1).map(str::to_owned)
    })
}

#[test]
fn s6_3_a_router_leads_where_the_rules_say() {
    for (relation, said, to) in [
        ("same_task_no_change", ("continue_execution", 90.0, None), "execution"),
        ("same_task_minor_change", ("minor_replan", 71.0, None), "plan_loop"),
        ("same_task_no_change", ("full_replan", 90.0, None), "plan_loop"),
        // A router without confidence asks the user.
        ("same_task_minor_change", ("minor_replan", 70.0, None), "plan_loop"),
        ("same_task_minor_change", ("minor_replan", 60.0, None), "plan_loop"),
        ("same_task_minor_change", ("minor_replan", 59.0, None), "wait_user_decision"),
        ("same_task_no_change", ("continue_execution", 0.59, None), "wait_user_decision"),
        ("same_task_no_change", ("full_replan", 10.0, None), "wait_user_decision"),
        // What changes everything is confirmed, however sure the router is.
        ("same_task_major_change", ("full_replan", 100.0, None), "wait_user_decision"),
        ("different_task", ("new_task", 100.0, None), "wait_user_decision"),
        ("different_task", ("continue_execution", 100.0, None), "wait_user_decision"),
        ("same_task_no_change", ("new_task", 100.0, None), "wait_user_decision"),
        ("same_task_no_change", ("wait_user_decision", 100.0, None), "wait_user_decision"),
        // What was an order is obeyed.
        ("control_instruction", ("control_action", 90.0, Some("pause")), "paused"),
        ("control_instruction", ("control_action", 90.0, Some("cancel")), "failed"),
        ("control_instruction", ("control_action", 90.0, Some("resume")), "execution"),
        ("control_instruction", ("control_action", 90.0, Some("status_query")), "execution"),
    ] {
        let (studio, workflow) = routed(relation, said, "user_input_received");
        assert_eq!(goes(&studio, "routing_decision", 2), to, "{relation} {said:?}");
        if said.0 == "minor_replan" && to == "plan_loop" {
            // What may be more than a minor change is planned as such.
            let route = if said.1 > 70.0 { "minor_replan" } else { "full_replan" };
            assert_eq!(studio.runtime.state(&workflow).unwrap().context["route"], route, "{said:?}");
        }
        if to == "wait_user_decision" {
            assert_eq!(studio.asked().1, CHANGED, "{relation} {said:?}");
        }
    }
}

/// A workflow whose router was asked after its task had begun, and is as sure of this route as can be, but for this change of its
/// answer.
fn rerouted(to: &'static str, change: impl Fn(&mut Value) + Send + Sync + 'static) -> Studio {
    let studio = Studio::new(move |asked: &AgentRequest| match (&*asked.role, asked.before) {
        ("route", _) => {
            let mut said: Value = serde_json::from_str(&route((to, 100.0, None))).unwrap();
            change(&mut said);
            Ok(said.to_string())
        }
        ("plan", 1..) | ("task-1", _) => lasting(asked),
        _ => Ok(smooth(asked, &one()).unwrap()),
    });
    let studio = studio.start();
    let (workflow, _) = studio.begin("x");
    studio.until("the task", |studio| (!prompts(studio, "task-1").is_empty()).then_some(()));
    studio.step(&workflow, "user_input_received", json!({})).unwrap();
    studio
}

#[test]
fn s6_3_a_router_may_want_a_person_to_agree_however_sure_it_is() {
    let leads = |change: fn(&mut Value)| goes(&rerouted("full_replan", change), "routing_decision", 2);
    assert_eq!(leads(|_| ()), "plan_loop");
    let by_payload = leads(|said| said["params"]["payload"]["requiresConfirmation"] = json!(true));
    assert_eq!(by_payload, "wait_user_decision");
    assert_eq!(leads(|said| said["requiresUserConfirmation"] = json!(true)), "wait_user_decision");
}

#[test]
fn s6_3_a_minor_change_is_planned_as_the_router_says_and_any_other_anew() {
    const TITLE: &str = "Changes to make to the previous plan";
    for (to, is_told) in [("minor_replan", true), ("full_replan", false)] {
        let studio = rerouted(to, |said| {
            let patch = json!({ "op": "add", "task": { "description": "a picture" } });
            said["params"]["payload"]["planPatches"] = json!([patch]);
        });
        let prompt = studio.until("another plan", |studio| prompts(studio, "plan").get(1).cloned());
        let told =
            prompt.split(TITLE).nth(1).unwrap_or_default().lines().nth(2).unwrap_or_default().to_owned();
        assert_eq!(told.contains("a picture"), is_told, "{to}: {prompt}");
        assert!(!prompts(&studio, "plan")[0].contains(TITLE));
    }
}

#[test]
fn s6_3_whoever_is_asked_by_the_router_leads_on() {
    for (answer, to) in
        [("continue", "execution"), ("replan", "plan_loop"), ("new_task", "plan_loop"), ("abort", "failed")]
    {
        let (studio, _) = routed("different_task", ("new_task", 90.0, None), "user_input_received");
        studio.decide(CHANGED, answer);
        assert_eq!(goes(&studio, "wait_user_decision", 1), to, "{answer}");
    }
}

#[test]
fn s6_3_a_plan_that_is_looked_at_again_is_kept_or_made_anew() {
    for (said, answer, to) in [
        (("continue_execution", 90.0, None), None, "execution"),
        (("full_replan", 90.0, None), None, "plan_loop"),
        (("minor_replan", 90.0, None), None, "plan_loop"),
        (("full_replan", 59.0, None), Some("continue"), "execution"),
        (("new_task", 90.0, None), Some("replan"), "plan_loop"),
        (("new_task", 90.0, None), Some("new_task"), "plan_loop"),
        (("wait_user_decision", 90.0, None), Some("abort"), "failed"),
    ] {
        let (studio, _) = routed("same_task_no_change", said, "major_change_detected");
        if let Some(answer) = answer {
            studio.decide(CHANGED, answer);
        }
        assert_eq!(goes(&studio, "replan_evaluation", 1), to, "{said:?} {answer:?}");
    }
}

#[test]
fn s6_3_whoever_understands_is_told_what_the_session_was_about() {
    let studio = Studio::new(|asked: &AgentRequest| {
        Ok(smooth(asked, &one()).unwrap_or_else(|| says("COMPLETE", json!({ "output": "done" }))))
    })
    .start();
    let (first, session) = studio.begin("the first");
    studio.reaches(&first, WorkflowState::Completed);
    assert!(!prompts(&studio, "understand")[0].contains("Earlier messages in this session"));
    for number in 2..=7 {
        // Workflows of the same time would have the order of their random names.
        studio.world.pass(1);
        let long = format!("{number}{}", "é".repeat(300));
        // Of two that began together, their names decide which one is the previous workflow.
        studio.world.pass(1);
        let said =
            studio.send("finger-orchestrator", json!({ "content": long, "sessionId": session })).unwrap();
        studio.reaches(said["workflowId"].as_str().unwrap(), WorkflowState::Completed);
    }
    let last = prompts(&studio, "understand").pop().unwrap();
    let part = |title: &str| -> Value {
        let data = last.split(&format!("\n{title}:\n<<<data\n")).nth(1).unwrap();
        serde_json::from_str(data.split("\ndata>>>").next().unwrap()).unwrap()
    };
    let said = part("Earlier messages in this session");
    let wanted: Vec<Value> = (2..=6)
        .map(|number| json!({ "role": "user", "content": format!("{number}{}", "é".repeat(199)) }))
        .collect();
    assert_eq!(said, json!(wanted));
    let before = part("Previous workflow of this session");
    assert_eq!((&before["phase"], &before["tasks"][0]["status"]), (&json!("completed"), &json!("completed")));
    assert!(before["task"].as_str().unwrap().starts_with('6'));
}

#[test]
fn s6_3_a_first_input_is_planned_without_asking_anybody() {
    let studio = Studio::new(|asked: &AgentRequest| match &*asked.role {
        "understand" => Ok(says(
            "INTENT_ANALYSIS",
            json!({ "normalizedIntent": { "goal": "it" }, "taskRelation": { "type": "different_task" } }),
        )),
        "task-1" => Ok(says("COMPLETE", json!({ "output": "done" }))),
        _ => Ok(smooth(asked, &one()).unwrap()),
    })
    .start();
    let (workflow, _) = studio.begin("x");
    studio.reaches(&workflow, WorkflowState::Completed);
    assert!(studio.prompts().iter().all(|(role, _)| role != "route"), "{:?}", studio.prompts());
    assert!(!studio.brief().contains(&"user_decision_required".to_owned()));
}

/// The prompts of one role, in their order.
fn prompts(studio: &Studio, role: &str) -> Vec<String> {
    let prompts = studio.log.prompts.lock().unwrap();
    prompts.iter().filter(|(known, _)| known == role).map(|(_, prompt)| prompt.clone()).collect()
}

#[test]
fn s6_3_each_agent_is_given_what_it_needs_and_may_do_what_its_phase_has() {
    let plan = json!([
        { "id": "task-1", "description": "Look for it", "requiredCapabilities": ["web_search"] },
        { "id": "task-2", "description": "Write it down", "dependencies": ["task-1"], "deliverable": "one page" },
    ]);
    let studio = Studio::new(move |asked: &AgentRequest| match (&*asked.role, asked.before) {
        ("understand", _) => {
            Ok(says("INTENT_ANALYSIS", json!({ "normalizedIntent": { "goal": "the goal of it" } })))
        }
        ("route", _) => Ok(route(("continue_execution", 90.0, None))),
        ("task-1", 0) => lasting(asked),
        ("task-1", _) => Ok(says("COMPLETE", json!({ "output": "found it" }))),
        ("task-2", _) => Ok(says("COMPLETE", json!({ "output": "wrote it" }))),
        _ => Ok(smooth(asked, &plan).unwrap()),
    })
    .with_policy(ToolName::WebSearch, ToolPolicy::Allow)
    .start();
    let (workflow, _) = studio.begin("the words of the person");
    studio.until("the task", |studio| (!prompts(studio, "task-1").is_empty()).then_some(()));
    studio.step(&workflow, "user_input_received", json!({})).unwrap();
    studio.reaches(&workflow, WorkflowState::Completed);
    let has = |role: &str, number: usize, parts: &[&str]| {
        let prompt = &prompts(&studio, role)[number];
        for part in parts {
            assert!(prompt.contains(part), "{role}: {part}: {prompt}");
        }
        // All are bound by the same contract.
        for member in ["thought", "action", "params", "expectedOutcome", "risk", "confidence"] {
            assert!(prompt.contains(&format!("\"{member}\":")), "{role}: {member}: {prompt}");
        }
    };
    has("understand", 0, &["the words of the person", "- INTENT_ANALYSIS", "- CLARIFICATION_REQUIRED"]);
    has("understand", 1, &["the words of the person", "the goal of it"]);
    let first = "\"workflowStatus\":\"planning\",\"currentTask\":null";
    has(
        "understand",
        0,
        &[first, "\"availableResources\":{\"executor\":3,\"orchestrator\":1,\"reviewer\":1}"],
    );
    let then = "\"currentTask\":{\"goal\":\"the words of the person\",\"progress\":0,\"completed\":0,\"failed\":0,\"blocked\":0}";
    for role in ["understand", "route"] {
        has(role, usize::from(role == "understand"), &[then, "\"lastActivity\":\"2026-"]);
    }
    let routes = "continue_execution|minor_replan|full_replan|new_task|control_action|wait_user_decision";
    has("route", 0, &["the goal of it", "Look for it", "Write it down", "- ROUTE_DECISION", routes]);
    has("plan", 0, &["the words of the person", "the goal of it", "- TASK_PLAN", "- FAIL", "\"web_search\""]);
    has("task-1", 0, &["Look for it", "- WEB_SEARCH {query}", "- COMPLETE", "- FAIL", "9 steps remain"]);
    has("task-2", 0, &["Write it down", "one page", "found it"]);
    has("review", 0, &["found it", "wrote it", "- REVIEW_APPROVE", "- REVIEW_REJECT"]);
}

#[test]
fn s6_1_a_planner_is_told_who_is_able_to_do_what() {
    let studio = Studio::new(move |asked: &AgentRequest| match &*asked.role {
        "plan" => lasting(asked),
        _ => Ok(smooth(asked, &one()).unwrap()),
    })
    .start();
    studio.begin("x");
    studio.until("the planner", |studio| (!prompts(studio, "plan").is_empty()).then_some(()));
    let prompt = &prompts(&studio, "plan")[0];
    let told = prompt.split("Available capabilities:\n<<<data\n").nth(1).unwrap().lines().next().unwrap();
    let catalogue: Value = serde_json::from_str(told).unwrap();
    let resource = |id: &str, name: &str, level: u64| json!({ "id": id, "name": name, "level": level, "status": "available" });
    let of = |capability: &str| {
        catalogue.as_array().unwrap().iter().find(|entry| entry["capability"] == capability).cloned()
    };
    assert_eq!(
        of("web_search").unwrap(),
        json!({
            "capability": "web_search", "resourceCount": 2, "availableCount": 2, "resources": [
                resource("executor-general", "General Executor", 8),
                resource("executor-research", "Research Executor", 10),
            ],
        })
    );
    assert_eq!(of("code_generation").unwrap()["resourceCount"], 1);
    assert_eq!(of("planning"), None, "no task is given to whoever thinks or judges");
}

#[test]
fn s6_2_what_was_wrong_with_an_answer_is_told_with_its_first_500_characters() {
    let long = format!("{}{}", "é".repeat(500), "END");
    let bad = long.clone();
    let studio = Studio::new(move |asked: &AgentRequest| match (&*asked.role, asked.before) {
        ("understand", 0) => Ok(bad.clone()),
        ("plan", _) => lasting(asked),
        _ => Ok(smooth(asked, &one()).unwrap()),
    })
    .start();
    let (workflow, _) = studio.begin("x");
    studio.reaches(&workflow, WorkflowState::PlanLoop);
    let asked = prompts(&studio, "understand");
    assert_eq!(asked.len(), 2);
    let problem = "\"the answer has no JSON object that can be read\"";
    assert!(
        asked[1].contains("Your last answer could not be used.") && asked[1].contains(problem),
        "{}",
        asked[1]
    );
    assert!(asked[1].contains(&format!("\"{}\"", "é".repeat(500))), "{}", asked[1]);
    assert!(!asked[1].contains("END"), "{}", asked[1]);
}

#[test]
fn s6_3_an_answer_that_belongs_to_no_phase_or_lacks_what_it_must_have_is_asked_for_again() {
    for (role, bad, problem) in [
        ("understand", says("TASK_PLAN", json!({})), "there is no action TASK_PLAN"),
        ("understand", says("INTENT_ANALYSIS", json!({})), "`params.normalizedIntent` is not an object"),
        ("understand", says("CLARIFICATION_REQUIRED", json!({})), "`params.question` is not a string"),
        ("route", says("INTENT_ANALYSIS", json!({})), "there is no action INTENT_ANALYSIS"),
        ("route", says("ROUTE_DECISION", json!({ "route": "home" })), "`params.route` must be one of"),
        ("plan", says("COMPLETE", json!({})), "there is no action COMPLETE"),
        ("plan", says("TASK_PLAN", json!({ "tasks": [] })), "a plan has 1 to 15 tasks, not 0"),
        ("task-1", says("DANCE", json!({})), "there is no action DANCE"),
        ("task-1", says("WRITE_FILE", json!({ "path": "a" })), "WRITE_FILE needs the text"),
        ("task-1", says("USER_ESCALATE", json!({})), "`params.message` is not a string"),
        ("review", says("COMPLETE", json!({})), "there is no action COMPLETE"),
    ] {
        let (is_route, wrong) = (role == "route", bad.clone());
        let studio = Studio::new(move |asked: &AgentRequest| {
            if asked.role == role && !asked.is_repair() {
                return Ok(wrong.clone());
            }
            Ok(match &*asked.role {
                "route" => route(("continue_execution", 90.0, None)),
                "task-1" if is_route && asked.before == 0 => return lasting(asked),
                "task-1" => says("COMPLETE", json!({ "output": "done" })),
                _ => smooth(asked, &one()).unwrap(),
            })
        })
        .start();
        let (workflow, _) = studio.begin("x");
        if is_route {
            studio.until("the task", |studio| (!prompts(studio, "task-1").is_empty()).then_some(()));
            studio.step(&workflow, "major_change_detected", json!({})).unwrap();
        }
        studio.reaches(&workflow, WorkflowState::Completed);
        let asked = prompts(&studio, role);
        assert_eq!(asked.len(), 2, "{role} {bad}");
        assert!(asked[1].contains("Your last answer could not be used."), "{}", asked[1]);
        let problem = json!(problem).to_string();
        assert!(asked[1].contains(problem.trim_end_matches('"')), "{}", asked[1]);
    }
}

#[test]
fn s6_3_a_planner_that_gives_up_fails_the_workflow_with_its_reason() {
    let studio = Studio::new(|asked: &AgentRequest| match &*asked.role {
        "plan" => Ok(says("FAIL", json!({ "reason": "there is no way" }))),
        _ => Ok(smooth(asked, &one()).unwrap()),
    })
    .start();
    let (workflow, _) = studio.begin("x");
    studio.reaches(&workflow, WorkflowState::Failed);
    assert_eq!(studio.runtime.state(&workflow).unwrap().error.as_deref(), Some("there is no way"));
}
