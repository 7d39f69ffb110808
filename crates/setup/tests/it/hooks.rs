//! Hooks: what is written, and that it comes and goes without anything else.

use crate::scene::{PROGRAM, Scene, hooks_of};
use serde_json::{Value, json};
use setup::{Agent, Scope};
use std::fs;

const HOOKED: [Agent; 4] = [Agent::Claude, Agent::Codex, Agent::Cursor, Agent::Gemini];

fn json_of(scene: &Scene, path: &str) -> Value {
    serde_json::from_str(&scene.read(path)).unwrap()
}

#[test]
fn each_agent_gets_its_hooks() {
    let scene = Scene::new();
    scene.hook(Scope::User, &HOOKED).unwrap();
    let wake = json!({
        "type": "command", "command": PROGRAM, "args": ["hook", "wake"], "asyncRewake": true, "timeout": 86400,
    });
    let expected = json!({ "hooks": {
        "PostToolUse": [{ "matcher": "mcp__aide__decide_submit", "hooks": [wake] }],
        "Stop": [{ "hooks": [wake] }],
        "PreToolUse": [{ "matcher": "AskUserQuestion", "hooks": [{
            "type": "command", "command": PROGRAM, "args": ["hook", "ask-user-question"], "timeout": 86400,
            "statusMessage": "Waiting for your decision in aide",
        }] }],
    } });
    assert_eq!(json_of(&scene, "home/.claude/settings.json")["hooks"], expected["hooks"]);
    assert_eq!(json_of(&scene, "home/.claude.json")["mcpServers"]["aide"]["env"]["AIDE_MCP_WAKE"], "1");
    let codex = json!({ "hooks": { "Stop": [{ "hooks": [{
        "type": "command", "command": format!("{PROGRAM} hook wake --agent codex"), "timeout": 30,
    }] }] } });
    assert_eq!(json_of(&scene, "home/.codex/hooks.json"), codex);
    let cursor = json!({ "version": 1, "hooks": { "stop": [
        { "command": format!("{PROGRAM} hook wake --agent cursor"), "timeout": 30 },
    ] } });
    assert_eq!(json_of(&scene, "home/.cursor/hooks.json"), cursor);
    let gemini = json_of(&scene, "home/.gemini/settings.json");
    assert_eq!(gemini["hooks"]["BeforeTool"][0]["matcher"], "ask_user");
    // Neither is woken while it is idle: its calls wait.
    for path in ["home/.codex/config.toml", "home/.cursor/mcp.json", "home/.gemini/settings.json"] {
        assert!(!scene.read(path).contains("AIDE_MCP_WAKE"), "{path}");
    }
    // Where a hook meets an entry of that list, Claude Code loses answers.
    assert!(!scene.read("home/.claude/skills/aide/SKILL.md").contains("allowed-tools"));
    scene.hook(Scope::Project, &[Agent::Claude]).unwrap();
    assert!(scene.read("project/.claude/settings.json").contains("\"command\": \"aide\""));
}

#[test]
fn other_hooks_stay_and_everything_comes_back() {
    let others = [
        "",
        "{}",
        "{\n  \"hooks\": {}\n}\n",
        "{\n\t\"hooks\": {\n\t\t\"Stop\": [],\n\t\t\"PostToolUse\": [\n\t\t\t{\"matcher\": \"Edit\", \"hooks\": [{\"type\": \"command\", \"command\": \"fmt\"}]}\n\t\t]\n\t}\n}",
        "{\"a\": 1, \"hooks\": {\"PreToolUse\": [{\"matcher\": \"AskUserQuestion\", \"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}], \"stop\": [{\"command\": \"mine\"}]}}",
        "{\r\n  \"version\": 1,\r\n  \"hooks\": { \"Stop\": [ { \"hooks\": [] } ], \"BeforeTool\": [ ] }\r\n}\r\n",
        "\u{feff}{ \"permissions\": { \"allow\": [\"Bash(ls)\"] } }",
    ];
    for scope in [Scope::User, Scope::Project] {
        for agent in HOOKED {
            for text in others {
                let scene = Scene::new();
                let file = hooks_of(agent, scope).unwrap();
                scene.write(file, text);
                let before = scene.tree();
                scene.hook(scope, &[agent]).unwrap_or_else(|error| panic!("{error:?}: {text}"));
                let once = scene.tree();
                let new = scene.read(file);
                assert!(new.contains("hook") && new.len() > text.len(), "{new}");
                let kept = text.trim_start_matches('\u{feff}');
                if !kept.is_empty() {
                    let was: Value = serde_json::from_str(kept).unwrap();
                    let now: Value = serde_json::from_str(new.trim_start_matches('\u{feff}')).unwrap();
                    assert!(is_within(&was, &now), "{text}\nhas become\n{new}");
                }
                scene.hook(scope, &[agent]).unwrap();
                assert_eq!(scene.tree(), once, "twice is not once");
                // Without the flag nothing is taken away.
                scene.set_up(scope, &[agent]).unwrap();
                assert_eq!(scene.tree(), once);
                scene.take_out(scope, &[agent]).unwrap();
                assert_eq!(scene.tree(), before, "{text}");
                // And where it was changed in between, everything else stays.
                scene.hook(scope, &[agent]).unwrap();
                scene.write(file, format!("{}\n", scene.read(file)));
                scene.set_up(scope, &[agent]).unwrap();
                scene.take_out(scope, &[agent]).unwrap();
                let back = fs::read_to_string(scene.path(file)).unwrap_or_default();
                assert!(
                    !back.contains("hook wake")
                        && !back.contains("\"wake\"")
                        && !back.contains("ask-user-question"),
                    "{back}"
                );
                if text.contains("mine") || text.contains("fmt") {
                    assert!(back.contains("mine") || back.contains("fmt"), "{back}");
                }
            }
        }
    }
}

/// Whether every member and element of `old` is in `new`, in the same order.
fn is_within(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            old.iter().all(|(name, value)| new.get(name).is_some_and(|new| is_within(value, new)))
        }
        (Value::Array(old), Value::Array(new)) => new.starts_with(old),
        (old, new) => old == new,
    }
}

#[test]
fn a_program_that_moved_is_called_where_it_is() {
    let scene = Scene::new();
    scene.write(
        "home/.claude/settings.json",
        json!({ "hooks": { "Stop": [
            { "hooks": [{ "type": "command", "command": "/old/aide", "args": ["hook", "wake"] }] },
            { "hooks": [{ "type": "command", "command": "mine" }] },
        ] } })
        .to_string(),
    );
    scene.hook(Scope::User, &[Agent::Claude]).unwrap();
    let stop = &json_of(&scene, "home/.claude/settings.json")["hooks"]["Stop"];
    assert_eq!(stop.as_array().unwrap().len(), 2, "{stop}");
    assert_eq!(
        (&stop[0]["hooks"][0]["command"], &stop[1]["hooks"][0]["command"]),
        (&json!(PROGRAM), &json!("mine"))
    );
    scene.take_out(Scope::User, &[Agent::Claude]).unwrap();
    assert!(scene.read("home/.claude/settings.json").contains("/old/aide"));
}

#[test]
fn what_is_not_a_list_is_refused_and_nothing_is_written() {
    for text in ["{\"hooks\": []}", "{\"hooks\": {\"Stop\": {}}}", "{", "[1]"] {
        let scene = Scene::new();
        scene.write("home/.claude/settings.json", text);
        let before = scene.tree();
        scene.hook(Scope::User, &[Agent::Claude]).unwrap_err();
        assert_eq!(scene.tree(), before, "{text}");
        // Without hooks only its permissions are ours.
        let is_suited = text.starts_with("{\"hooks\"");
        assert_eq!(scene.set_up(Scope::User, &[Agent::Claude]).is_ok(), is_suited, "{text}");
        if is_suited {
            scene.take_out(Scope::User, &[Agent::Claude]).unwrap();
        }
        assert_eq!(scene.tree(), before, "{text}");
    }
}
