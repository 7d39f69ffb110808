//! `aide setup`: what a person sees, and what is on the disk afterwards.

use crate::support::{CommandOutput, Folder};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

/// A home, a project in a work tree, and what is kept of both.
struct Scene {
    folder: Folder,
}

impl Scene {
    fn new() -> Self {
        let folder = Folder::empty();
        for path in ["home", "project/.git", "project/src", "state", "outside"] {
            fs::create_dir_all(folder.join(path)).unwrap();
        }
        Self { folder }
    }

    fn setup(&self, arguments: &[&str]) -> CommandOutput {
        let mut command = self.folder.command(["--lang", "en", "setup"].iter().chain(arguments));
        command.current_dir(self.folder.join("project/src"));
        command.env("HOME", self.folder.join("home")).env("XDG_STATE_HOME", self.folder.join("state"));
        CommandOutput::new(command.output().unwrap())
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let finished = self.setup(&[arguments, &["--json"]].concat());
        assert_eq!((finished.code, &*finished.stderr), (Some(0), ""), "{}", finished.stdout);
        serde_json::from_str(&finished.stdout).unwrap()
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder.join(path)).unwrap()
    }

    /// All but the backups.
    fn tree(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut tree = self.folder.tree();
        tree.retain(|path, _| !path.starts_with(self.folder.join("state")));
        tree
    }

    fn path(&self, path: &str) -> String {
        self.folder.path().canonicalize().unwrap().join(path).display().to_string()
    }
}

#[test]
fn what_a_later_version_has_kept_is_refused_and_left_as_it_is() {
    let scene = Scene::new();
    assert_eq!(scene.setup(&["claude"]).code, Some(0));
    let records: Vec<_> = fs::read_dir(scene.folder.join("state/aide/setup"))
        .unwrap()
        .map(|entry| entry.unwrap().path().join("record.json"))
        .filter(|path| path.exists())
        .collect();
    assert!(records.len() > 1, "{records:?}");
    for record in &records {
        fs::write(record, r#"{"format":2,"needs":"7.8.9"}"#).unwrap();
    }
    let before = scene.folder.tree();
    for arguments in [&["claude"][..], &["claude", "--remove"]] {
        let refused = scene.setup(arguments);
        assert_ne!(refused.code, Some(0), "{refused:?}");
        let words = "record.json was written by a later version of aide";
        let needed = "nothing was changed; aide 7.8.9 or later is needed";
        let told = format!("{}{}", refused.stdout, refused.stderr);
        assert!(told.contains(words) && told.contains(needed), "{refused:?}");
        assert_eq!(scene.folder.tree(), before, "{arguments:?}");
    }
}

#[test]
fn the_persons_own_gets_the_path_of_this_program() {
    let scene = Scene::new();
    let told = scene.setup(&["claude"]);
    assert_eq!(told.code, Some(0), "{told:?}");
    let home = scene.folder.join("home");
    let first = format!("✓ Claude Code: created {}\n", home.join(".claude.json").display());
    assert!(told.stdout.starts_with(&first), "{}", told.stdout);
    assert_eq!(told.stdout.lines().count(), 4);
    assert_eq!(told.stderr, "→ Restart the agents that are running\n");
    let config: Value = serde_json::from_str(&scene.read("home/.claude.json")).unwrap();
    let program = fs::canonicalize(env!("CARGO_BIN_EXE_aide")).unwrap();
    assert_eq!(config["mcpServers"]["aide"]["command"], json!(program));

    let before = scene.tree();
    scene.setup(&["claude"]).succeeded("✓ Everything is set up already; nothing was changed\n");
    assert_eq!(scene.tree(), before);
}

#[test]
fn a_project_gets_its_name_at_the_root_of_the_work_tree() {
    let scene = Scene::new();
    let before = scene.tree();
    let report = scene.json(&["claude", "codex", "--project"]);
    assert_eq!((&report["status"], &report["scope"]), (&json!("done"), &json!("project")));
    let config: Value = serde_json::from_str(&scene.read("project/.mcp.json")).unwrap();
    assert_eq!(config["mcpServers"]["aide"]["command"], "aide");
    let expected: Vec<_> = [
        ".mcp.json",
        ".codex/config.toml",
        ".claude/settings.json",
        ".agents/skills/aide/SKILL.md",
        ".claude/skills/aide/SKILL.md",
        "AGENTS.md",
        "CLAUDE.md",
    ]
    .map(|path| (json!(scene.path(&format!("project/{path}"))), json!("created")))
    .to_vec();
    let files = report["files"].as_array().unwrap();
    let found: Vec<_> = files.iter().map(|file| (file["path"].clone(), file["change"].clone())).collect();
    assert_eq!(found, expected);

    let report = scene.json(&["--project", "--remove"]);
    assert!(report["files"].as_array().unwrap().iter().any(|file| file["change"] == "removed"));
    assert_eq!(scene.tree(), before);
    scene.setup(&["--project", "--remove"]).succeeded("✓ There is nothing to remove\n");
}

#[test]
fn without_a_name_those_are_set_up_that_are_found() {
    let scene = Scene::new();
    let hint = "  hint: name the agents to set up, such as aide setup claude codex\n";
    scene.setup(&[]).failed(1, &format!("✗ no agent was detected\n{hint}"));
    fs::create_dir(scene.folder.join("home/.gemini")).unwrap();
    assert_eq!(scene.json(&[])["agents"], json!(["gemini"]));
    let names = "  hint: agents: claude codex cursor gemini vscode opencode zed windsurf\n";
    scene.setup(&["emacs"]).failed(2, &format!("✗ no such agent: emacs\n{names}"));
    scene
        .setup(&["claud"])
        .failed_with(2, "✗ no such agent: claud\n  hint: did you mean claude? Agents: claude ");
}

#[test]
fn a_diff_is_printed_and_nothing_is_written() {
    let scene = Scene::new();
    fs::write(scene.folder.join("project/AGENTS.md"), "# Ours\n").unwrap();
    let before = scene.folder.tree();
    let told = scene.setup(&["opencode", "--project", "--dry-run"]);
    assert_eq!((told.code, told.stderr.lines().count()), (Some(0), 1), "{}", told.stderr);
    assert!(told.stderr.contains("Dry run: nothing was written"), "{}", told.stderr);
    let agents = scene.path("project/AGENTS.md");
    let diff = format!("--- {agents}\n+++ {agents}\n@@ -1 +1,");
    assert!(told.stdout.contains(&diff), "{}", told.stdout);
    assert!(told.stdout.contains("\n # Ours\n+\n+<!-- aide:begin -->\n"), "{}", told.stdout);
    assert!(told.stdout.starts_with("--- /dev/null\n+++ "), "{}", told.stdout);
    assert_eq!(scene.json(&["opencode", "--project", "--dry-run"])["status"], "planned");
    // The skill lies in two places, and is shown once.
    let told = scene.setup(&["claude", "codex", "--project", "--dry-run"]).stdout;
    assert_eq!(told.matches("+name: aide\n").count(), 1, "{told}");
    let skills =
        [".claude", ".agents"].map(|folder| scene.path(&format!("project/{folder}/skills/aide/SKILL.md")));
    assert!(told.contains(&format!("the new file {} is the same as {}\n", skills[0], skills[1])), "{told}");
    let whole = scene.json(&["claude", "codex", "--project", "--dry-run"])["diff"].to_string();
    assert_eq!(whole.matches("+name: aide\\n").count(), 2, "{whole}");
    assert_eq!(scene.folder.tree(), before);
}

#[test]
fn what_cannot_be_changed_is_named_and_nothing_is_written() {
    let scene = Scene::new();
    fs::write(scene.folder.join("project/.mcp.json"), "{\"a\": }").unwrap();
    fs::write(scene.folder.join("outside/config.toml"), "").unwrap();
    fs::create_dir(scene.folder.join("project/.codex")).unwrap();
    symlink(scene.folder.join("outside/config.toml"), scene.folder.join("project/.codex/config.toml"))
        .unwrap();
    let before = scene.folder.tree();
    let told = scene.setup(&["claude", "codex", "cursor", "--project"]);
    assert_eq!((told.code, &*told.stdout), (Some(1), ""));
    let expected = format!(
        "✗ nothing was written, because these files cannot be changed\n  \
         hint: fix the following, then try again; --dry-run only shows the changes\n  \
         - {}: a symlink leads elsewhere: {}\n    → replace the link with a file, or add the entry there yourself\n  \
         - {}: cannot be parsed: expected value at line 1 column 7\n    → correct the file, or move it away\n",
        scene.path("project/.codex/config.toml"),
        scene.path("outside/config.toml"),
        scene.path("project/.mcp.json"),
    );
    assert_eq!(told.stderr, expected);
    let told = scene.setup(&["claude", "codex", "--project", "--json"]);
    let report: Value = serde_json::from_str(&told.stdout).unwrap();
    assert_eq!((told.code, &report["status"]), (Some(1), &json!("refused")));
    let paths = [scene.path("project/.codex/config.toml"), scene.path("project/.mcp.json")];
    assert_eq!(report["paths"], json!(paths));
    assert_eq!(scene.folder.tree(), before);
}

#[test]
fn what_was_changed_since_is_named() {
    let scene = Scene::new();
    scene.json(&["gemini"]);
    let file = scene.folder.join("home/.gemini/settings.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen('{', "{\n  \"theme\": \"dark\",", 1)).unwrap();
    let told = scene.setup(&["gemini", "--remove"]);
    assert_eq!(told.code, Some(0));
    assert!(told.stdout.contains(&format!("✓ Gemini CLI: removed aide's part from {}\n", file.display())));
    let warning = format!(
        "⚠ {} was changed after aide wrote it: theme; everything except aide's part is kept\n",
        file.display()
    );
    assert!(told.stderr.starts_with(&warning), "{}", told.stderr);
    assert!(told.stderr.contains("  hint: the earlier content is kept in "), "{}", told.stderr);
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\n  \"theme\": \"dark\"\n}\n");
}
