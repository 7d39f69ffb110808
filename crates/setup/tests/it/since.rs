//! Files that were changed after they were set up: what is aide's goes, and all else stays and is named.

use crate::scene::Scene;
use setup::{Agent, Change, LaterChange, Plan, Scope};

fn key(name: &str) -> LaterChange {
    LaterChange::Key(name.to_owned())
}

fn since<'p>(plan: &'p Plan, file: &str) -> (&'p [LaterChange], Change) {
    let found = plan.files.iter().find(|planned| planned.path.ends_with(file)).unwrap();
    (&found.since, found.change)
}

#[test]
fn another_server_stays() {
    let scene = Scene::new();
    scene.write("project/.mcp.json", "{\n  \"x\": 1\n}\n");
    scene.set_up(Scope::Project, &[Agent::Claude]).unwrap();
    let text = scene.read("project/.mcp.json");
    let other = text.replace("    \"aide\": {", "    \"other\": {\"command\": \"y\"},\n    \"aide\": {");
    scene.write("project/.mcp.json", other.replace("86400000", "5000"));
    let plan = scene.take_out(Scope::Project, &[Agent::Claude]).unwrap();
    let named = [key("mcpServers.other"), key("mcpServers.aide.timeout")];
    assert_eq!(since(&plan, ".mcp.json"), (&named[..], Change::Restored));
    let expected = "{\n  \"x\": 1,\n  \"mcpServers\": {\n    \"other\": {\"command\": \"y\"}\n  }\n}\n";
    assert_eq!(scene.read("project/.mcp.json"), expected);
}

#[test]
fn what_was_not_there_before_goes_with_it() {
    let scene = Scene::new();
    scene.write("project/.mcp.json", "{\n  \"x\": 1\n}\n");
    scene.set_up(Scope::Project, &[Agent::Claude]).unwrap();
    let text = scene.read("project/.mcp.json");
    scene.write("project/.mcp.json", text.replace("\"x\": 1", "\"x\": 2"));
    let plan = scene.take_out(Scope::Project, &[Agent::Claude]).unwrap();
    assert_eq!(since(&plan, ".mcp.json"), (&[key("x")][..], Change::Restored));
    assert_eq!(scene.read("project/.mcp.json"), "{\n  \"x\": 2\n}\n");
}

#[test]
fn an_entry_that_was_there_before_comes_back() {
    let entry = "{\n  \"mcpServers\": {\n    \"aide\": { \"command\": \"/old/aide\", \"args\": [\"mcp\"], \"timeout\": 1000 }\n  }\n}\n";
    let scene = Scene::new();
    scene.write("project/.mcp.json", entry);
    scene.set_up(Scope::Project, &[Agent::Claude]).unwrap();
    assert!(scene.read("project/.mcp.json").contains("\"timeout\": 86400000"));
    scene.take_out(Scope::Project, &[Agent::Claude]).unwrap();
    assert_eq!(scene.read("project/.mcp.json"), entry);

    scene.set_up(Scope::Project, &[Agent::Claude]).unwrap();
    let text = scene.read("project/.mcp.json");
    scene.write("project/.mcp.json", format!("{text}\n"));
    let plan = scene.take_out(Scope::Project, &[Agent::Claude]).unwrap();
    let lines = text.lines().count() + 1;
    assert_eq!(since(&plan, ".mcp.json").0, [LaterChange::Lines(lines, lines)]);
    let value: serde_json::Value = serde_json::from_str(&scene.read("project/.mcp.json")).unwrap();
    assert_eq!(
        value["mcpServers"]["aide"],
        serde_json::json!({"command": "/old/aide", "args": ["mcp"], "timeout": 1000})
    );
}

#[test]
fn set_up_again_after_a_change_keeps_that_change() {
    let scene = Scene::new();
    scene.write("home/.codex/config.toml", "model = \"a\"\n");
    scene.set_up(Scope::User, &[Agent::Codex]).unwrap();
    let text = scene.read("home/.codex/config.toml");
    let text =
        text.replace("model = \"a\"", "model = \"b\" # better").replace("tool_timeout_sec = 86400\n", "");
    scene.write("home/.codex/config.toml", &text);
    scene.set_up(Scope::User, &[Agent::Codex]).unwrap();
    assert!(scene.read("home/.codex/config.toml").contains("tool_timeout_sec = 86400\n"));
    let plan = scene.take_out(Scope::User, &[Agent::Codex]).unwrap();
    assert!(since(&plan, "config.toml").0.is_empty());
    assert_eq!(scene.read("home/.codex/config.toml"), "model = \"b\" # better\n");
}

#[test]
fn words_around_the_block_stay() {
    let scene = Scene::new();
    scene.write("project/AGENTS.md", "# Ours\n");
    scene.set_up(Scope::Project, &[Agent::Claude]).unwrap();
    let text = scene.read("project/AGENTS.md");
    scene.write("project/AGENTS.md", format!("{text}\nMore.\n"));
    let plan = scene.take_out(Scope::Project, &[Agent::Claude]).unwrap();
    assert!(matches!(since(&plan, "AGENTS.md"), ([LaterChange::Lines(..)], Change::Restored)));
    assert_eq!(scene.read("project/AGENTS.md"), "# Ours\n\nMore.\n");
}

#[test]
fn without_records_what_is_aides_is_found() {
    let scene = Scene::new();
    scene.write("project/.mcp.json", "{\n  \"mcpServers\": {\n    \"x\": {}\n  }\n}\n");
    scene.write("project/.codex/config.toml", "[mcp_servers.x]\ncommand = \"x\"\n");
    let before = (scene.read("project/.mcp.json"), scene.read("project/.codex/config.toml"));
    scene.set_up(Scope::Project, &Agent::ALL).unwrap();
    std::fs::remove_dir_all(scene.path("state")).unwrap();
    scene.take_out(Scope::Project, &Agent::ALL).unwrap();
    assert_eq!((scene.read("project/.mcp.json"), scene.read("project/.codex/config.toml")), before);
    assert!(!scene.path("project/.agents/skills/aide/SKILL.md").exists());
}

#[test]
fn another_aide_that_is_none_of_ours_stays() {
    let text = "{\"mcpServers\": {\"aide\": {\"url\": \"http://localhost/mcp\"}}}";
    let scene = Scene::new();
    scene.write("project/.mcp.json", text);
    scene.take_out(Scope::Project, &Agent::ALL).unwrap();
    assert_eq!(scene.read("project/.mcp.json"), text);
}

#[test]
fn a_file_that_is_gone_is_not_made_anew() {
    let scene = Scene::new();
    scene.set_up(Scope::Project, &[Agent::Claude]).unwrap();
    std::fs::remove_file(scene.path("project/.mcp.json")).unwrap();
    scene.take_out(Scope::Project, &[Agent::Claude]).unwrap();
    assert!(!scene.path("project/.mcp.json").exists());
}
