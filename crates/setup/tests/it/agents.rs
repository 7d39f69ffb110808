//! What each agent gets.

use crate::scene::{PROGRAM, Scene, file_of};
use serde_json::{Value, json};
use setup::{Agent, Change, SKILL, Scope, take_out_own, those_set_up};
use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};

fn entry(agent: Agent, scope: Scope) -> Value {
    let scene = Scene::new();
    scene.set_up(scope, &[agent]).unwrap();
    let value: Value = serde_json::from_str(&scene.read(file_of(agent, scope))).unwrap();
    let path = match agent {
        Agent::VsCode => "/servers/aide",
        Agent::Opencode => "/mcp/aide",
        Agent::Zed => "/context_servers/aide",
        _ => "/mcpServers/aide",
    };
    value.pointer(path).unwrap().clone()
}

#[test]
fn the_entries() {
    let hold = json!({ "AIDE_MCP_HOLD": "86390" });
    for scope in [Scope::User, Scope::Project] {
        let command = if scope == Scope::User { PROGRAM } else { "aide" };
        let plain = json!({ "type": "stdio", "command": command, "args": ["mcp"] });
        assert_eq!(entry(Agent::Cursor, scope), plain);
        assert_eq!(
            entry(Agent::Claude, scope),
            json!({ "type": "stdio", "command": command, "args": ["mcp"], "env": hold, "timeout": 86_400_000, "alwaysLoad": true })
        );
        assert_eq!(
            entry(Agent::Gemini, scope),
            json!({
                "command": command, "args": ["mcp"],
                "env": { "AIDE_MCP_HOLD": "86390", "XAUTHORITY": "${XAUTHORITY:-$HOME/.Xauthority}" },
                "timeout": 86_400_000, "trust": false,
            })
        );
        assert_eq!(
            entry(Agent::Opencode, scope),
            json!({ "type": "local", "command": [command, "mcp"], "environment": hold, "enabled": true, "timeout": 86_400_000 })
        );
        assert_eq!(
            entry(Agent::Zed, scope),
            json!({ "command": command, "args": ["mcp"], "env": { "AIDE_MCP_HOLD": "590" }, "timeout": 600 })
        );
        assert_eq!(entry(Agent::Windsurf, scope), json!({ "command": command, "args": ["mcp"] }));
    }
    let mut vscode = json!({ "type": "stdio", "command": PROGRAM, "args": ["mcp"] });
    assert_eq!(entry(Agent::VsCode, Scope::User), vscode);
    vscode["command"] = "aide".into();
    vscode["cwd"] = "${workspaceFolder}".into();
    assert_eq!(entry(Agent::VsCode, Scope::Project), vscode);
}

#[test]
fn codex_passes_on_what_it_withholds() {
    let scene = Scene::new();
    scene.set_up(Scope::User, &[Agent::Codex]).unwrap();
    let text = scene.read("home/.codex/config.toml");
    assert!(text.starts_with("[mcp_servers.aide]\ncommand = \"/opt/aide/bin/aide\"\nargs = [\"mcp\"]\nenv = { AIDE_MCP_HOLD = \"86390\" }\nenv_vars = [\"DISPLAY\", "), "{text}");
    assert!(text.contains("\ntool_timeout_sec = 86400\n") && text.contains("\"SSH_CONNECTION\""), "{text}");
    assert!(text.ends_with("\n[mcp_servers.aide.tools.flow_record]\napproval_mode = \"auto\"\n"), "{text}");
}

#[test]
fn an_agent_may_ask_without_asking_whether_it_may() {
    let scene = Scene::new();
    let before =
        "{\n  \"permissions\": { \"allow\": [\"Bash(ls)\", \"mcp__aide__decide_list\"], \"deny\": [] }\n}\n";
    scene.write("home/.claude/settings.json", before);
    let nothing = scene.tree();
    scene.set_up(Scope::User, &[Agent::Claude, Agent::Gemini]).unwrap();
    let settings: Value = serde_json::from_str(&scene.read("home/.claude/settings.json")).unwrap();
    let allowed = settings["permissions"]["allow"].as_array().unwrap();
    assert_eq!(allowed.len(), 8, "{settings}");
    let policy = scene.read("home/.gemini/policies/aide.toml");
    for tool in ["submit", "wait", "result", "list", "amend", "cancel"].map(|tool| format!("decide_{tool}")) {
        assert!(allowed.contains(&json!(format!("mcp__aide__{tool}"))), "{tool}: {settings}");
        assert!(policy.contains(&format!("\"{tool}\"")), "{tool}: {policy}");
    }
    // It commits.
    assert!(!settings.to_string().contains("flow_record") && !policy.contains("flow_record"));
    // What the person has changed since stays.
    let changed = scene.read("home/.claude/settings.json").replace("Bash(ls)", "Bash(pwd)");
    scene.write("home/.claude/settings.json", changed);
    scene.take_out(Scope::User, &[Agent::Claude, Agent::Gemini]).unwrap();
    assert_eq!(scene.read("home/.claude/settings.json"), before.replace("Bash(ls)", "Bash(pwd)"));
    scene.write("home/.claude/settings.json", before);
    assert_eq!(scene.tree(), nothing);
    // That of a project would have no say in Gemini CLI.
    scene.set_up(Scope::Project, &[Agent::Claude, Agent::Gemini]).unwrap();
    assert!(scene.read("project/.claude/settings.json").contains("mcp__aide__decide_submit"));
    assert!(!scene.path("project/.gemini/policies").exists());
}

#[test]
fn opencode_2_has_its_servers_elsewhere() {
    let scene = Scene::new();
    scene.write("project/opencode.jsonc", "{\n  // mine\n  \"mcp\": { \"servers\": {} },\n}\n");
    scene.set_up(Scope::Project, &[Agent::Opencode]).unwrap();
    let text = scene.read("project/opencode.jsonc");
    assert!(text.starts_with("{\n  // mine\n  \"mcp\": { \"servers\": {"), "{text}");
    assert!(text.contains("\"request\": 86400000"), "{text}");
    assert!(!scene.path("project/opencode.json").exists());
}

#[test]
fn all_of_them_twice_is_once_and_taken_out_is_nothing() {
    for scope in [Scope::User, Scope::Project] {
        let scene = Scene::new();
        scene.write("project/README.md", "mine\n");
        let nothing = scene.tree();
        let (plan, _) = scene.set_up(scope, &Agent::ALL).unwrap();
        assert!(plan.files.iter().all(|file| file.change == Change::Created));
        let once = scene.tree();
        let (plan, _) = scene.set_up(scope, &Agent::ALL).unwrap();
        assert!(plan.is_empty());
        assert_eq!(plan.diff(), "");
        assert_eq!(scene.tree(), once);
        assert_eq!(those_set_up(&scene.places(), scope, &Agent::ALL), Agent::ALL);
        scene.take_out(scope, &Agent::ALL).unwrap();
        assert_eq!(scene.tree(), nothing);
        assert!(scene.take_out(scope, &Agent::ALL).unwrap().is_empty());
    }
}

#[test]
fn the_skill_and_the_instructions_of_a_project() {
    let scene = Scene::new();
    scene.write("project/AGENTS.md", "# Ours\n\nTabs.\n");
    scene.write("project/CLAUDE.md", "Read this.\n");
    scene.set_up(Scope::Project, &[Agent::Claude]).unwrap();
    for folder in [".agents", ".claude"] {
        assert_eq!(scene.read(&format!("project/{folder}/skills/aide/SKILL.md")), SKILL);
    }
    let text = scene.read("project/AGENTS.md");
    assert!(
        text.starts_with("# Ours\n\nTabs.\n\n<!-- aide:begin -->\n")
            && text.ends_with("\n<!-- aide:end -->\n")
    );
    let import = "Read this.\n\n<!-- aide:begin -->\n@AGENTS.md\n<!-- aide:end -->\n";
    assert_eq!(scene.read("project/CLAUDE.md"), import);
}

#[test]
fn what_is_imported_or_linked_already_is_not_imported_again() {
    let scene = Scene::new();
    scene.write("project/CLAUDE.md", "@AGENTS.md\n");
    scene.set_up(Scope::Project, &[Agent::Claude]).unwrap();
    assert_eq!(scene.read("project/CLAUDE.md"), "@AGENTS.md\n");

    let scene = Scene::new();
    scene.write("project/AGENTS.md", "# Ours\n");
    symlink("AGENTS.md", scene.path("project/CLAUDE.md")).unwrap();
    let before = scene.tree();
    scene.set_up(Scope::Project, &[Agent::Claude]).unwrap();
    assert!(scene.path("project/CLAUDE.md").is_symlink());
    assert_eq!(scene.read("project/AGENTS.md").matches("aide:begin").count(), 1);
    scene.take_out(Scope::Project, &[Agent::Claude]).unwrap();
    assert_eq!(scene.tree(), before);
}

#[test]
fn a_link_within_the_home_stays_one() {
    let scene = Scene::new();
    scene.write("home/dotfiles/codex.toml", "model = \"gpt-5\"\n");
    fs::create_dir(scene.path("home/.codex")).unwrap();
    symlink("../dotfiles/codex.toml", scene.path("home/.codex/config.toml")).unwrap();
    scene.set_up(Scope::User, &[Agent::Codex]).unwrap();
    assert!(scene.path("home/.codex/config.toml").is_symlink());
    assert!(scene.read("home/dotfiles/codex.toml").starts_with("model = \"gpt-5\"\n\n[mcp_servers.aide]\n"));
}

#[test]
fn files_of_the_person_are_private() {
    let scene = Scene::new();
    scene.set_up(Scope::User, &[Agent::Claude]).unwrap();
    let mode = |path: &str| fs::metadata(scene.path(path)).unwrap().mode() & 0o777;
    assert_eq!((mode("home/.claude.json"), mode("home/.claude")), (0o600, 0o700));
}

#[test]
fn those_who_go_leave_what_others_share() {
    let scene = Scene::new();
    scene.set_up(Scope::Project, &[Agent::Claude, Agent::Codex]).unwrap();
    let request = crate::scene::request(Scope::Project, &[Agent::Claude]);
    let plan = take_out_own(&scene.places(), &request, &scene.records()).unwrap();
    plan.apply(&scene.records()).unwrap();
    assert!(!scene.path("project/.mcp.json").exists() && !scene.path("project/CLAUDE.md").exists());
    assert!(scene.path("project/.codex/config.toml").exists() && scene.path("project/AGENTS.md").exists());
    assert_eq!(those_set_up(&scene.places(), Scope::Project, &Agent::ALL), [Agent::Codex]);
}

#[test]
fn each_is_noticed() {
    let scene = Scene::new();
    let found = |scope| -> Vec<Agent> {
        Agent::ALL.into_iter().filter(|agent| agent.is_found(&scene.places(), scope)).collect()
    };
    assert!(found(Scope::Project).is_empty());
    scene.write("project/.cursor/rules/x.mdc", "");
    scene.write("home/.codex/config.toml", "");
    scene.write("bin/gemini", "");
    assert_eq!(found(Scope::User), [Agent::Codex, Agent::Gemini]);
    assert_eq!(found(Scope::Project), [Agent::Codex, Agent::Cursor, Agent::Gemini]);
}

#[test]
fn the_skill_that_every_agent_gets_is_no_sign_of_claude_code() {
    for (scope, folder) in [(Scope::User, "home"), (Scope::Project, "project")] {
        let scene = Scene::new();
        scene.set_up(scope, &[Agent::Zed]).unwrap();
        assert!(scene.path(&format!("{folder}/.claude/skills/aide/SKILL.md")).exists());
        assert!(!Agent::Claude.is_found(&scene.places(), scope));
        scene.write(&format!("{folder}/.claude/skills/review/SKILL.md"), "");
        assert!(Agent::Claude.is_found(&scene.places(), scope));
    }
}

#[test]
fn every_change_has_a_backup_outside_of_the_project() {
    let scene = Scene::new();
    scene.write("project/.mcp.json", "{\"a\": 1}");
    let (plan, applied) = scene.set_up(Scope::Project, &[Agent::Claude]).unwrap();
    let position = plan.files.iter().position(|file| file.path.ends_with(".mcp.json")).unwrap();
    let backup = applied[position].backup.as_ref().unwrap();
    assert!(backup.starts_with(scene.path("state")));
    assert_eq!(fs::read_to_string(backup).unwrap(), "{\"a\": 1}");
    assert_eq!(fs::metadata(backup).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn a_diff_is_shown_before() {
    let scene = Scene::new();
    scene.write("project/.mcp.json", "{\n  \"a\": 1\n}\n");
    let before = scene.tree();
    let diff = scene.planned(Scope::Project, &[Agent::Claude]).unwrap().diff();
    let file = scene.path("project/.mcp.json").display().to_string();
    assert!(diff.starts_with(&format!("--- {file}\n+++ {file}\n@@ -1,3 +1,")), "{diff}");
    assert!(diff.contains(" {\n-  \"a\": 1\n+  \"a\": 1,\n+  \"mcpServers\": {\n"), "{diff}");
    assert!(diff.contains("--- /dev/null\n"));
    assert_eq!(scene.tree(), before);
    assert!(fs::read_dir(scene.path("state")).unwrap().next().is_none());
}

#[test]
fn a_file_of_five_megabytes() {
    let scene = Scene::new();
    let projects: serde_json::Map<String, Value> = (0..20_000)
        .map(|number| {
            (
                format!("/home/me/projects/{number}"),
                json!({ "history": [{ "display": "x".repeat(200) }], "cost": 0.25 }),
            )
        })
        .collect();
    let text = serde_json::to_string_pretty(&json!({ "projects": projects, "mcpServers": {} })).unwrap();
    assert!(text.len() > 5_000_000);
    scene.write("home/.claude.json", &text);
    scene.set_up(Scope::User, &[Agent::Claude]).unwrap();
    let changed = scene.read("home/.claude.json");
    assert!(changed.starts_with(&text[..text.len() - 10]) && changed.len() < text.len() + 500);
    scene.take_out(Scope::User, &[Agent::Claude]).unwrap();
    assert_eq!(scene.read("home/.claude.json"), text);
}
