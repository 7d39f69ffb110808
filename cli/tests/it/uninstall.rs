//! `aide uninstall`: what is removed, what stays, and what a person reads of both.

use crate::support::{CommandOutput, Folder, minimal};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A home with a copy of the program, and a project.
struct Scene {
    folder: Folder,
}

impl Scene {
    fn new() -> Self {
        let folder = Folder::empty();
        for path in ["home/bin", "project"] {
            fs::create_dir_all(folder.join(path)).unwrap();
        }
        let program = folder.join("home/bin/aide");
        if fs::hard_link(env!("CARGO_BIN_EXE_aide"), &program).is_err() {
            fs::copy(env!("CARGO_BIN_EXE_aide"), &program).unwrap();
        }
        symlink("aide", folder.join("home/bin/finger")).unwrap();
        Self { folder }
    }

    fn aide(&self, arguments: &[&str]) -> CommandOutput {
        self.run(&self.folder.join("home/bin/aide"), arguments)
    }

    fn run(&self, program: &Path, arguments: &[&str]) -> CommandOutput {
        let mut command = Command::new(program);
        command.args(["--lang", "en"]).args(arguments).current_dir(self.folder.join("project"));
        command.env_clear().env("HOME", self.home()).env("PATH", self.folder.join("home/bin"));
        command.stdin(Stdio::null());
        CommandOutput::new(command.output().unwrap())
    }

    fn home(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("home")
    }

    /// What is in the home, but for the program.
    fn tree(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut tree = self.folder.tree();
        let (home, programs) = (self.folder.join("home"), self.folder.join("home/bin"));
        tree.retain(|path, _| path.starts_with(&home) && !path.starts_with(&programs));
        tree
    }

    fn path(&self, path: &str) -> String {
        self.home().join(path).display().to_string()
    }

    /// Has everything there that aide writes: a project with an open question, a configuration, an agent that is set up, a daemon.
    fn fill(&self) {
        self.aide(&["init"]).succeeded_with("✓");
        assert_eq!(self.aide(&["config", "set", "--user", "decide.undo", "5"]).code, Some(0));
        fs::write(self.folder.join("home/.claude.json"), "{ \"theme\": \"dark\" }\n").unwrap();
        assert_eq!(self.aide(&["setup", "claude"]).code, Some(0));
        let asked = self.aide(&["decide", "submit", "--detach", "--port", "0", &minimal().to_string()]);
        assert_eq!(asked.code, Some(0), "{asked:?}");
        let started = self.aide(&["daemon", "start", "--http-port", "0", "--ws-port", "0"]);
        assert_eq!(started.code, Some(0), "{started:?}");
    }

    /// The only set of questions that is open.
    fn session(&self) -> String {
        self.json(&["decide", "list", "--json"])[0]["session_id"].as_str().unwrap().to_owned()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let finished = self.aide(arguments);
        assert_eq!((finished.code, &*finished.stderr), (Some(0), ""), "{}", finished.stdout);
        serde_json::from_str(&finished.stdout).unwrap()
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        // The program of the scene may be gone.
        let program = Path::new(env!("CARGO_BIN_EXE_aide"));
        self.run(program, &["decide", "cancel"]);
        self.run(program, &["daemon", "stop"]);
    }
}

/// The kind and the place of each item, and whether it goes.
fn items(report: &Value) -> Vec<(String, String, bool)> {
    let text = |item: &Value, name: &str| item[name].as_str().unwrap_or_default().to_owned();
    let items = report["items"].as_array().unwrap().iter();
    items.map(|item| (text(item, "kind"), text(item, "path"), item["removed"].as_bool().unwrap())).collect()
}

#[test]
fn what_is_listed_goes_and_what_a_person_has_written_stays() {
    let scene = Scene::new();
    let before = scene.tree();
    fs::create_dir_all(scene.folder.join("home/.config/aide")).unwrap();
    scene.fill();
    fs::write(scene.folder.join("home/.config/aide/search.sh"), "#!/bin/sh\n").unwrap();
    let all = scene.folder.tree();

    let listed = scene.aide(&["uninstall", "--dry-run"]);
    let project = scene.folder.path().canonicalize().unwrap().join("project/.aide");
    assert_eq!(listed.code, Some(0), "{listed:?}");
    for line in [
        "To be removed:\n".to_owned(),
        format!("  program: {}\n", scene.path("bin/aide")),
        format!("  link: {}\n", scene.path("bin/finger")),
        format!("  aide in the configuration of Claude Code: {}\n", scene.path(".claude.json")),
        "  daemon: http://localhost:".to_owned(),
        "Kept:\n".to_owned(),
        format!("  {} (your own configuration, ", scene.path(".config/aide")),
        format!("  {} (state: workflows, logs, what you have trusted, ", scene.path(".local/state/aide")),
        format!("  project: {} (1 open set of questions)\n", project.display()),
    ] {
        assert!(listed.stdout.contains(&line), "{line}: {}", listed.stdout);
    }
    // The page of a detached submit does not end with the daemon, nor with the program.
    let stays = "⚠ the page at http://localhost:";
    let session = scene.session();
    let hint = format!(
        "hint: to withdraw them first, run in {}: aide decide cancel {session}\n",
        project.parent().unwrap().display()
    );
    assert!(listed.stderr.starts_with(stays) && listed.stderr.ends_with(&hint), "{}", listed.stderr);
    let planned = scene.json(&["uninstall", "--dry-run", "--purge", "--json"]);
    assert_eq!(planned["status"], "planned");
    let kept: Vec<_> = items(&planned).into_iter().filter(|(_, _, goes)| !goes).collect();
    assert_eq!(kept, [("project".to_owned(), project.display().to_string().replace("/.aide", ""), false)]);
    // There is no terminal to ask on.
    scene.aide(&["uninstall"]).failed_with(1, "✗ cannot ask whether to uninstall: there is no terminal\n");
    let unchanged = |path: &PathBuf| !path.to_string_lossy().contains("/daemon/journal.db");
    let mut now = scene.folder.tree();
    now.retain(|path, _| unchanged(path));
    let mut then = all;
    then.retain(|path, _| unchanged(path));
    assert_eq!(now.keys().collect::<Vec<_>>(), then.keys().collect::<Vec<_>>());

    let removed = scene.aide(&["uninstall", "--purge", "--yes"]);
    // The list is printed without a question as well: after a purge, no file names the projects.
    let told =
        removed.stdout.strip_suffix("✓ aide is uninstalled\n").unwrap_or_else(|| panic!("{removed:?}"));
    assert!(removed.code == Some(0) && told.starts_with("To be removed:\n"), "{removed:?}");
    assert!(told.contains(&format!("  project: {}", project.display())), "{told}");
    let own = scene.path(".config/aide/search.sh");
    let kept = format!("⚠ not written by aide, and kept: {own}\n");
    assert!(removed.stderr.starts_with(stays) && removed.stderr.ends_with(&kept), "{}", removed.stderr);
    let left: Vec<_> = scene
        .folder
        .tree()
        .into_keys()
        .filter(|path| path.starts_with(scene.folder.join("home/bin")))
        .collect();
    assert_eq!(left, [scene.folder.join("home/bin")], "the program, or a link to it, is there");
    let mut after = scene.tree();
    assert_eq!(
        after.remove(&scene.folder.join("home/.claude.json")).flatten().as_deref(),
        Some(&b"{ \"theme\": \"dark\" }\n"[..])
    );
    after.retain(|_, content| content.is_some());
    assert_eq!(after.keys().collect::<Vec<_>>(), [&scene.folder.join("home/.config/aide/search.sh")]);
    assert!(before.keys().all(|path| scene.folder.tree().contains_key(path)));
    assert!(project.join("decisions/pending.json").exists());
}

#[test]
fn questions_whose_server_runs_beside_the_daemon_are_named_with_the_command_that_ends_it() {
    let scene = Scene::new();
    scene.aide(&["init"]).succeeded_with("✓");
    let first = scene.aide(&["daemon", "start", "--http-port", "0", "--ws-port", "0"]);
    assert_eq!(first.code, Some(0), "{first:?}");
    let input = minimal().to_string();
    assert_eq!(scene.aide(&["decide", "submit", "--queue", "--detach", &input]).code, Some(0));
    let shown_by_daemon = scene.session();
    let mut other = minimal();
    other["task"] = "Another task".into();
    let other = other.to_string();
    let beside = ["decide", "submit", "--no-daemon", "--queue", "--detach", "--port", "0", &other];
    assert_eq!(scene.aide(&beside).code, Some(0));
    let listed = scene.aide(&["uninstall", "--dry-run"]);
    let project = scene.folder.path().canonicalize().unwrap().join("project").display().to_string();
    let told = format!(
        "⚠ the questions in {project} stay open; a server started for them runs until they are answered, or \
         pkill -f 'decide serve' ends it\n  \
         hint: to withdraw them first, run in {project}: aide decide cancel {shown_by_daemon} && aide decide cancel "
    );
    let beside = listed.stderr.strip_prefix(&told).unwrap_or_else(|| panic!("{}", listed.stderr)).trim_end();
    for session in [&*shown_by_daemon, beside] {
        assert_eq!(scene.aide(&["decide", "cancel", session]).code, Some(0), "{session}");
    }
    assert_eq!(scene.aide(&["uninstall", "--dry-run"]).stderr, "");
}

#[test]
fn without_purge_configuration_and_state_stay() {
    let scene = Scene::new();
    scene.fill();
    let report = scene.json(&["uninstall", "--yes", "--json"]);
    assert_eq!(report["status"], "done");
    let goes = |kind: &str| items(&report).into_iter().find(|item| item.0 == kind).map(|item| item.2);
    assert_eq!(
        ["program", "link", "agents", "daemon", "configuration", "state", "project"].map(goes),
        [true, true, true, true, false, false, false].map(Some)
    );
    assert!(!scene.folder.join("home/bin/aide").exists());
    for kept in
        [".config/aide/config.toml", ".local/state/aide/daemon/journal.db", ".local/state/aide/projects.json"]
    {
        assert!(scene.home().join(kept).exists(), "{kept}");
    }
    assert!(!scene.home().join(".local/state/aide/daemon/daemon.pid").exists(), "the daemon runs");
}

#[test]
fn a_program_of_a_package_manager_is_left_to_it_and_projects_that_are_set_up_are_named() {
    let scene = Scene::new();
    scene.aide(&["init"]).succeeded_with("✓");
    assert_eq!(scene.aide(&["setup", "claude", "--project"]).code, Some(0));
    fs::write(scene.folder.join("home/.crates.toml"), "\"aide-decide 0.1.0\" = [\"aide\"]\n").unwrap();
    let listed = scene.aide(&["uninstall", "--dry-run"]);
    let managed = format!(
        "  program: {} (installed by a package manager; cargo uninstall aide-decide removes it)\n",
        scene.path("bin/aide")
    );
    assert!(listed.stdout.contains(&managed), "{}", listed.stdout);
    let project = scene.folder.path().canonicalize().unwrap().join("project").display().to_string();
    assert_eq!(
        listed.stderr,
        format!(
            "⚠ Claude Code stays set up in the project {project}\n  hint: run aide setup --project --remove in {project} first\n"
        )
    );
    let removed = scene.aide(&["uninstall", "--yes"]);
    let told = "✓ Everything else is removed; cargo uninstall aide-decide removes the program\n";
    assert!(removed.stdout.ends_with(told), "{removed:?}");
    assert!(scene.folder.join("home/bin/aide").exists());
}

#[test]
fn a_dry_run_writes_nothing_and_finds_the_link_beside_the_program_without_a_search_path() {
    let scene = Scene::new();
    let before = scene.tree();
    let mut command = Command::new(scene.folder.join("home/bin/aide"));
    command.args(["--lang", "en", "uninstall", "--dry-run"]).current_dir(scene.folder.join("project"));
    command.env_clear().env("HOME", scene.home()).env("PATH", "/nowhere").stdin(Stdio::null());
    let listed = CommandOutput::new(command.output().unwrap());
    assert_eq!(listed.code, Some(0), "{listed:?}");
    assert!(listed.stdout.contains(&format!("  link: {}\n", scene.path("bin/finger"))), "{listed:?}");
    assert!(scene.tree() == before, "something was written");
}

#[test]
fn projects_without_questions_and_what_was_written_by_hand_are_named() {
    let scene = Scene::new();
    scene.aide(&["init"]);
    let pages = scene.path(".local/share/man/man1");
    assert_eq!(scene.aide(&["man", &pages]).code, Some(0));
    let bash = scene.folder.join("home/.local/share/bash-completion/completions");
    fs::create_dir_all(&bash).unwrap();
    fs::write(bash.join("aide"), scene.aide(&["completions", "bash"]).stdout).unwrap();
    let elsewhere = scene.folder.join("home/bin");
    let mut command = Command::new(elsewhere.join("aide"));
    command.args(["--lang", "en", "uninstall", "--dry-run"]).current_dir(&elsewhere);
    command.env_clear().env("HOME", scene.home()).stdin(Stdio::null());
    let listed = CommandOutput::new(command.output().unwrap());
    let project = scene.folder.path().canonicalize().unwrap().join("project/.aide");
    for line in [
        format!("  project: {}\n", project.display()),
        format!("  completions or manual: {}\n", bash.join("aide").display()),
        format!("  completions or manual: {pages}/aide*.1\n"),
    ] {
        assert!(listed.stdout.contains(&line), "{line}: {listed:?}");
    }
}
