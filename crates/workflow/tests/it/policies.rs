//! Whether tools may be used: what is configured, and what a person says while the daemon runs.

use crate::support::{TestWorld, nobody};
use journal::{Journal, Sqlite};
use protocol::workflow::{ErrorCode, ToolName, ToolPolicy};
use serde_json::{Value, json};
use std::sync::Arc;
use tempfile::TempDir;
use workflow::tools::{Search, ToolConfig, ToolSettings};
use workflow::{Failure, RequestKey, Runtime};

fn settings(policies: &[(ToolName, ToolPolicy)]) -> ToolSettings {
    ToolSettings { policies: policies.iter().copied().collect(), ..ToolSettings::default() }
}

/// A daemon that is started in this place.
fn start(place: &TempDir, settings: ToolSettings) -> Runtime {
    let dir = files::Dir::open(place.path()).unwrap();
    let journal: Arc<dyn Journal> = Arc::new(Sqlite::open(&dir, nobody()).unwrap());
    Runtime::new(journal, Arc::new(TestWorld::default())).with_tools(settings)
}

fn policies(runtime: &Runtime) -> Vec<ToolPolicy> {
    runtime.tools().unwrap().into_iter().map(|tool| tool.policy).collect()
}

#[test]
fn what_is_said_holds_at_once_and_for_the_next_daemon() {
    use ToolPolicy::{Allow, Ask, Deny};
    let place = tempfile::tempdir().unwrap();
    let runtime = start(&place, ToolSettings::default());
    assert_eq!(policies(&runtime), [Ask, Ask, Allow, Allow, Ask]);
    let answer = runtime.set_tool_policy(None, "web_search", "allow").unwrap();
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer, json!({ "success": true, "name": "WEB_SEARCH", "policy": "allow" }));
    runtime.set_tool_policy(None, "WRITE_FILE", "deny").unwrap();
    runtime.set_tool_policy(None, "WRITE_FILE", "ask").unwrap();
    runtime.set_tool_policy(None, "SHELL_EXEC", "deny").unwrap();
    let said = [Allow, Ask, Allow, Ask, Deny];
    assert_eq!(policies(&runtime), said);
    drop(runtime);
    assert_eq!(policies(&start(&place, ToolSettings::default())), said);
}

#[test]
fn whoever_changes_the_configuration_says_the_last_word() {
    use ToolPolicy::{Allow, Ask, Deny};
    let place = tempfile::tempdir().unwrap();
    let of = |runtime: &Runtime| policies(runtime)[4];
    let ask = settings(&[(ToolName::ShellExec, Ask)]);
    let runtime = start(&place, ask.clone());
    runtime.set_tool_policy(None, "shell_exec", "allow").unwrap();
    assert_eq!(of(&runtime), Allow);
    drop(runtime);
    let runtime = start(&place, settings(&[(ToolName::ShellExec, Deny)]));
    assert_eq!(of(&runtime), Deny);
    // What is said now is said of this configuration.
    runtime.set_tool_policy(None, "shell_exec", "ask").unwrap();
    assert_eq!(of(&runtime), Ask);
    drop(runtime);
    assert_eq!(of(&start(&place, ask)), Ask);
}

#[test]
fn there_are_five_tools_and_three_policies() {
    let place = tempfile::tempdir().unwrap();
    let runtime = start(&place, ToolSettings::default());
    let refused = |tool, policy| match runtime.set_tool_policy(None, tool, policy) {
        Err(Failure::Refused(refusal)) => (refusal.code, refusal.error),
        other => panic!("{tool} {policy}: {other:?}"),
    };
    for tool in ["COMPLETE", "FAIL", "", "web search"] {
        assert_eq!(refused(tool, "allow"), (ErrorCode::NotFound, "Tool not found".to_owned()));
    }
    for policy in ["", "Allow", "always", "allow "] {
        let words = r#"Invalid policy. Must be "allow", "ask" or "deny""#.to_owned();
        assert_eq!(refused("web_search", policy), (ErrorCode::InvalidRequest, words));
    }
    // A search has to be configured.
    let available = |runtime: &Runtime| {
        runtime.tools().unwrap().iter().map(|tool| (tool.name, tool.available)).collect::<Vec<_>>()
    };
    assert_eq!(available(&runtime)[0], (ToolName::WebSearch, false));
    assert!(available(&runtime)[1..].iter().all(|(_, available)| *available));
    drop(runtime);
    let config = ToolConfig { search: Some(Search::Url("https://example.com?q={query}".to_owned())) };
    let runtime = start(&place, ToolSettings { config, ..ToolSettings::default() });
    assert_eq!(available(&runtime)[0], (ToolName::WebSearch, true));
    assert!(runtime.toolbox(None).is_there(ToolName::WebSearch));
}

#[test]
fn the_same_request_is_done_once() {
    let place = tempfile::tempdir().unwrap();
    let runtime = start(&place, ToolSettings::default());
    let key = RequestKey::new("PUT /x".to_owned(), "k".to_owned(), b"{}");
    let first = runtime.set_tool_policy(Some(&key), "fetch_url", "allow").unwrap();
    runtime.set_tool_policy(None, "fetch_url", "deny").unwrap();
    assert_eq!(runtime.set_tool_policy(Some(&key), "fetch_url", "allow").unwrap(), first);
    assert_eq!(policies(&runtime)[1], ToolPolicy::Deny);
}
