//! What an agent does only once a person has agreed, because it wants that itself (contract/workflows §6.2, §6.3).

use crate::studio::{AgentRequest, Studio, says, smooth};
use protocol::workflow::{SingleStage, ToolName, ToolPolicy, WorkflowState};
use serde_json::{Value, json};

const PLANNED: &str = "计划待确认，如何继续？";

/// The same, but for what a person has to agree to.
fn confirmed(said: &str, message: &str) -> String {
    let mut said: Value = serde_json::from_str(said).unwrap();
    said["requiresUserConfirmation"] = json!(true);
    said["userMessage"] = json!(message);
    said.to_string()
}

/// A workflow whose first plan needs approval.
fn planned() -> (Studio, String, String) {
    let studio = Studio::new(|asked: &AgentRequest| {
        let plan = |id: &str| json!([{ "id": id, "description": format!("do {id}") }]);
        Ok(match (&*asked.role, asked.before) {
            ("plan", 0) => confirmed(&smooth(asked, &plan("first")).unwrap(), "It costs money"),
            ("plan", _) => smooth(asked, &plan("second")).unwrap(),
            _ => smooth(asked, &json!([])).unwrap_or_else(|| says("COMPLETE", json!({ "output": "done" }))),
        })
    })
    .start();
    let (workflow, session) = studio.begin("x");
    (studio, workflow, session)
}

fn tasks(studio: &Studio, workflow: &str) -> Vec<String> {
    studio.runtime.tasks(workflow).unwrap().into_iter().map(|task| task.id).collect()
}

#[test]
fn s6_2_a_plan_is_executed_once_a_person_has_agreed() {
    let (mut studio, workflow, session) = planned();
    let (id, _) = studio.asked();
    assert_eq!((studio.state(&workflow), tasks(&studio, &workflow)), (WorkflowState::PlanLoop, Vec::new()));
    let context = studio.runtime.decision(&id).unwrap().context.unwrap().to_string();
    assert!(context.contains("It costs money") && context.contains("first: do first"), "{context}");
    // Neither the user nor the planner is asked twice.
    studio.stop();
    studio.start_for(i64::MAX);
    studio.resume(&session).unwrap();
    studio.decide(PLANNED, "continue");
    studio.reaches(&workflow, WorkflowState::Completed);
    assert_eq!((tasks(&studio, &workflow), studio.prompts_of("plan").len()), (vec!["first".to_owned()], 1));
}

#[test]
fn s6_2_a_plan_that_a_person_does_not_want_is_made_anew_or_is_the_end() {
    let (studio, workflow, _) = planned();
    studio.decide(PLANNED, "replan");
    studio.reaches(&workflow, WorkflowState::Completed);
    assert_eq!(tasks(&studio, &workflow), ["second"]);
    let (studio, workflow, _) = planned();
    // A user who agrees with a note wants it heeded.
    studio.decide_on_page(PLANNED, Some(vec![1]), "But without task nine");
    studio.reaches(&workflow, WorkflowState::Completed);
    assert_eq!(tasks(&studio, &workflow), ["second"]);
    let again = &studio.prompts_of("plan")[1];
    assert!(again.contains("But without task nine") && again.contains("do first"), "{again}");
    let (studio, workflow, _) = planned();
    studio.decide_on_page(PLANNED, None, "Think again");
    studio.reaches(&workflow, WorkflowState::Completed);
    assert!(studio.prompts_of("plan")[1].contains("Think again"));
    let (studio, workflow, _) = planned();
    studio.decide(PLANNED, "abort");
    studio.reaches(&workflow, WorkflowState::Failed);
    assert_eq!(tasks(&studio, &workflow), Vec::<String>::new());
}

#[test]
fn s6_2_of_a_plan_that_nobody_executes_nothing_is_asked() {
    let plan = json!([{ "id": "a", "description": "a" }]);
    let studio = Studio::new(move |asked: &AgentRequest| Ok(confirmed(&smooth(asked, &plan).unwrap(), "")));
    let studio = studio.start();
    let (workflow, _) = studio.begin_stage(SingleStage::Plan, json!("x"));
    studio.reaches(&workflow, WorkflowState::Completed);
}

#[test]
fn s6_2_a_tool_that_may_be_used_is_asked_for_where_its_agent_wants_that() {
    for (answer, calls) in [("always", 3), ("n", 1)] {
        let studio = Studio::new(move |asked: &AgentRequest| {
            let plan = json!([{ "id": "task-1", "description": "a" }]);
            if let Some(text) = smooth(asked, &plan) {
                return Ok(text);
            }
            let search = says("WEB_SEARCH", json!({ "query": format!("x{}", asked.round()) }));
            Ok(match asked.round() {
                0 => search,
                // The tool is allowed until the workflow ends.
                1 | 2 if answer == "always" => confirmed(&search, "again"),
                1 => confirmed(&search, "again"),
                _ => says("COMPLETE", json!({ "output": "done" })),
            })
        });
        let studio = studio.with_policy(ToolName::WebSearch, ToolPolicy::Allow).start();
        let (workflow, _) = studio.begin("x");
        studio.decide("检测到网络访问，是否继续？", answer);
        studio.reaches(&workflow, WorkflowState::Completed);
        assert_eq!(studio.calls().len(), calls, "{answer}: {:?}", studio.calls());
    }
}
