//! How an agent does a task step by step, and when it stops (contract/workflows §6.4).

use crate::studio::{AgentRequest, Studio, says, smooth};
use protocol::workflow::{ToolName, ToolPolicy, WorkflowState};
use serde_json::{Value, json};

const NETWORK: &str = "检测到网络访问，是否继续？";
const FAILED: &str = "任务 1 失败，如何继续？";

/// One task, with these answers of its agent; it is not retried automatically. All tools are allowed.
fn studio(script: impl Fn(&AgentRequest) -> String + Send + Sync + 'static) -> Studio {
    let plan = json!([{ "id": "task-1", "description": "a" }]);
    let studio =
        Studio::new(move |asked: &AgentRequest| Ok(smooth(asked, &plan).unwrap_or_else(|| script(asked))));
    let studio = studio.paced(|pace| pace.retries = 0);
    ToolName::ALL.iter().fold(studio, |studio, tool| studio.with_policy(*tool, ToolPolicy::Allow))
}

fn search(query: &str, number: usize) -> String {
    says("WEB_SEARCH", json!({ "query": query, "n": number }))
}

fn complete() -> String {
    says("COMPLETE", json!({ "output": "done" }))
}

/// The result of the task, once the workflow is completed.
#[track_caller]
fn result(studio: &Studio, workflow: &str) -> Value {
    studio.reaches(workflow, WorkflowState::Completed);
    studio.runtime.tasks(workflow).unwrap().remove(0).result.unwrap()
}

/// Why the task has failed.
#[track_caller]
fn error(studio: &Studio, workflow: &str) -> String {
    studio.decide(FAILED, "abort");
    studio.reaches(workflow, WorkflowState::Failed);
    studio.runtime.state(workflow).unwrap().error.unwrap()
}

fn rounds(studio: &Studio) -> usize {
    studio.log.prompts.lock().unwrap().iter().filter(|(role, _)| role == "task-1").count()
}

#[test]
fn s6_4_every_tool_is_used_with_its_parameters_and_what_it_returns_is_shown() {
    let calls = [
        ("WEB_SEARCH", json!({ "query": "q" })),
        ("FETCH_URL", json!({ "url": "https://example.com" })),
        ("READ_FILE", json!({ "path": "a" })),
        ("WRITE_FILE", json!({ "path": "a", "content": "b" })),
        ("SHELL_EXEC", json!({ "command": "true" })),
    ];
    let script = calls.clone();
    let studio = studio(move |asked| match script.get(asked.before) {
        Some((tool, params)) => says(tool, params.clone()),
        None => complete(),
    })
    .start();
    let (workflow, _) = studio.begin("x");
    studio.reaches(&workflow, WorkflowState::Completed);
    let used: Vec<String> = calls.iter().map(|(tool, params)| format!("{tool} {params}")).collect();
    assert_eq!(studio.calls(), used);
    let prompts = studio.log.prompts.lock().unwrap();
    let last = &prompts.iter().rfind(|(role, _)| role == "task-1").unwrap().1;
    for (tool, _) in &calls {
        assert!(last.contains(&format!("\"observation\":\"{tool} done\"")), "{last}");
    }
    drop(prompts);
    // Each step has one event of each type.
    let kinds: Vec<String> = studio.events().into_iter().map(|(kind, _)| kind).collect();
    let count = |kind: &str| kinds.iter().filter(|known| *known == kind).count();
    for kind in ["tool_call", "tool_result", "agent_step_completed", "task_progress"] {
        assert_eq!(count(kind), 5, "{kind}");
    }
    let steps =
        studio.events().into_iter().filter(|(kind, told)| kind == "agent_update" && told["step"].is_object());
    let told: Vec<Value> = steps.map(|(_, told)| told["step"]["action"].clone()).collect();
    assert_eq!(told, calls.map(|(tool, _)| json!(tool)));
}

#[test]
fn s6_4_complete_ends_it_with_its_output_and_summary_and_fail_with_its_reason() {
    let studio_of = |said: String| studio(move |_| said.clone()).start();
    let studio = studio_of(says("COMPLETE", json!({ "output": [1, 2], "summary": "short" })));
    let (workflow, _) = studio.begin("x");
    assert_eq!(result(&studio, &workflow), json!({ "output": [1, 2], "summary": "short" }));
    for (params, reason) in [
        (json!({ "reason": "no way", "error": "E1" }), "no way"),
        (json!({ "error": "E1" }), "E1"),
        (json!({}), "no reason given"),
    ] {
        let studio = studio_of(says("FAIL", params));
        let (workflow, _) = studio.begin("x");
        assert_eq!(error(&studio, &workflow), reason);
        assert_eq!(rounds(&studio), 1);
    }
}

/// contract/workflows §6.4: an agent has 10 steps for a task.
#[test]
fn s6_4_there_are_ten_rounds_and_whoever_has_used_them_up_has_succeeded_if_the_last_one_has() {
    // All are good but the last one, or all are bad but the last one.
    for is_last_good in [true, false] {
        let studio = studio(move |asked| {
            let is_last = asked.before == 9;
            search(if is_last == is_last_good { "good" } else { "fail" }, asked.before)
        })
        .start();
        let (workflow, _) = studio.begin("x");
        if is_last_good {
            let expected = json!({ "output": "WEB_SEARCH done", "stopReason": "max_rounds", "files": [] });
            assert_eq!(result(&studio, &workflow), expected);
        } else {
            assert_eq!(error(&studio, &workflow), "max_rounds");
        }
        assert_eq!((rounds(&studio), studio.calls().len()), (10, 10));
    }
}

#[test]
fn s6_4_five_equal_observations_are_no_progress_and_four_are() {
    for count in [4, 5] {
        let studio =
            studio(move |asked| if asked.before < count { search("same", 0) } else { complete() }).start();
        let (workflow, _) = studio.begin("x");
        if count == 4 {
            assert_eq!(result(&studio, &workflow), json!({ "output": "done" }));
        } else {
            assert_eq!(error(&studio, &workflow), "no_progress");
        }
        assert_eq!(studio.calls().len(), count);
    }
}

#[test]
fn s6_4_three_equal_refusals_are_stuck_and_four_in_all_are_too_many() {
    const SAME: [&str; 3] = ["WEB_SEARCH"; 3];
    const MIXED: [&str; 4] = ["WEB_SEARCH", "FETCH_URL", "WEB_SEARCH", "FETCH_URL"];
    for (tools, reason) in [
        (&SAME[..2], None),
        (&SAME[..], Some("stuck")),
        (&MIXED[..3], None),
        (&MIXED[..], Some("max_rejections")),
    ] {
        let studio = studio(move |asked| match tools.get(asked.round()) {
            Some(&"WEB_SEARCH") => search("x", 0),
            Some(tool) => says(tool, json!({ "url": "https://example.com" })),
            None => complete(),
        });
        let studio = studio
            .with_policy(ToolName::WebSearch, ToolPolicy::Ask)
            .with_policy(ToolName::FetchUrl, ToolPolicy::Ask)
            .start();
        let (workflow, _) = studio.begin("x");
        for _ in tools {
            studio.decide(NETWORK, "n");
        }
        match reason {
            None => assert_eq!(result(&studio, &workflow), json!({ "output": "done" })),
            Some(reason) => assert_eq!(error(&studio, &workflow), reason, "{tools:?}"),
        }
        assert_eq!(studio.calls(), [""; 0]);
    }
}

#[test]
fn s6_4_an_agent_that_cannot_be_understood_is_a_proposal_error_after_three_repairs() {
    let studio = studio(|_| "I would rather not.".to_owned()).start();
    let (workflow, _) = studio.begin("x");
    let expected = "proposal_error: the answer has no JSON object that can be read";
    assert_eq!(error(&studio, &workflow), expected);
    assert_eq!(rounds(&studio), 4);
}
