//! `aide doctor`: what is wrong, and that it never hangs.

use crate::support::{CommandOutput, Folder, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

struct Scene {
    folder: Folder,
}

impl Scene {
    fn new() -> Self {
        let folder = Folder::empty();
        for path in ["home", "project", "bin"] {
            fs::create_dir_all(folder.join(path)).unwrap();
        }
        let scene = Self { folder };
        assert_eq!(scene.aide(&["init"]).code, Some(0));
        scene
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.folder.command(["--lang", "en"].iter().chain(arguments));
        command.current_dir(self.folder.join("project")).env("HOME", self.folder.join("home"));
        let path = format!("{}:/usr/bin:/bin", self.folder.join("bin").display());
        command.env("PATH", path).env("AIDE_DECIDE_PORT", "0").env("AIDE_BROWSER", "true");
        command
    }

    fn aide(&self, arguments: &[&str]) -> CommandOutput {
        CommandOutput::new(self.command(arguments).output().unwrap())
    }

    /// A program that the entry of Zed starts, which takes everything that there is of an agent.
    fn script(&self, text: &str) {
        let path = self.folder.join("bin/server");
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self.entry(&json!({
            "command": path, "args": ["mcp"], "env": { "AIDE_MCP_HOLD": "590" }, "timeout": 600,
        }));
    }

    fn entry(&self, entry: &Value) {
        let file = self.folder.join("home/.config/zed/settings.json");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, json!({ "context_servers": { "aide": entry } }).to_string()).unwrap();
    }

    /// The findings about agents: the code of each, with its status.
    fn codes(&self, arguments: &[&str]) -> (Option<i32>, Vec<(String, String)>) {
        let finished = self.aide(&[&["doctor", "--json"], arguments].concat());
        let report: Value = serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{finished:?}"));
        let checks = report["checks"].as_array().unwrap().clone();
        let of_agents = checks.iter().filter(|check| check["check"] == "agent");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let codes = of_agents.map(|check| {
            assert!(check["status"] != "finding" || check["remedy"].is_string(), "{check}");
            (text(&check["code"]), text(&check["status"]))
        });
        (finished.code, codes.collect())
    }
}

fn finding(code: &str) -> (Option<i32>, Vec<(String, String)>) {
    (Some(1), vec![(code.to_owned(), "finding".to_owned())])
}

#[test]
fn what_setup_has_written_is_well_for_every_agent() {
    let scene = Scene::new();
    let names = ["claude", "codex", "cursor", "gemini", "vscode", "opencode", "zed", "windsurf"];
    assert_eq!(scene.aide(&[&["setup", "--user"], &names[..]].concat()).code, Some(0));
    let (code, codes) = scene.codes(&[]);
    assert_eq!((code, codes.len()), (Some(0), 8), "{codes:?}");
    assert!(codes.iter().all(|(code, status)| (&**code, &**status) == ("answers", "ok")), "{codes:?}");
    let told = scene.aide(&["doctor", "--agent", "codex"]);
    assert_eq!(told.code, Some(0), "{told:?}");
    let lines: Vec<_> = told.stdout.lines().collect();
    let file = scene.folder.join("home/.codex/config.toml");
    let expected = format!(
        "✓ Codex         {}: started with this agent's environment, both handshakes succeed, 8 tools",
        file.display()
    );
    assert!(lines.contains(&&*expected), "{}", told.stdout);
    assert_eq!(lines.last(), Some(&"✓ Everything is in order"));
}

#[test]
fn the_entries_of_a_person_whose_home_is_a_project_are_theirs() {
    let scene = Scene::new();
    assert_eq!(scene.aide(&["setup", "--user", "codex"]).code, Some(0));
    let at_home = |arguments: &[&str]| {
        let mut command = scene.command(arguments);
        CommandOutput::new(command.current_dir(scene.folder.join("home")).output().unwrap())
    };
    assert_eq!(at_home(&["init"]).code, Some(0));
    let told = at_home(&["doctor", "--agent", "codex"]);
    assert_eq!(told.code, Some(0), "{told:?}");
}

/// What a cloned repository may bring along.
#[test]
fn no_other_program_that_a_file_of_the_project_names_is_started() {
    let names = ["claude", "codex", "cursor", "gemini", "vscode", "opencode", "zed", "windsurf"];
    let mut tried = 0;
    for name in names {
        let scene = Scene::new();
        symlink(env!("CARGO_BIN_EXE_aide"), scene.folder.join("bin/aide")).unwrap();
        assert_eq!(scene.aide(&["setup", name, "--project"]).code, Some(0));
        let fine = scene.codes(&["--agent", name]);
        let project = scene.folder.join("project");
        let files = [
            ".mcp.json",
            ".codex/config.toml",
            ".cursor/mcp.json",
            ".gemini/settings.json",
            ".vscode/mcp.json",
            "opencode.json",
            ".zed/settings.json",
            ".devin/mcp_config.json",
        ];
        let Some(file) = files.iter().map(|file| project.join(file)).find(|file| file.exists()) else {
            continue;
        };
        tried += 1;
        assert!(fine.1.contains(&("answers".to_owned(), "ok".to_owned())), "{name}: {fine:?}");
        let written = fs::read_to_string(&file).unwrap();
        let evil = scene.folder.join("evil");
        fs::write(&evil, "#!/bin/sh\n: > \"$0.started\"\nexec aide mcp\n").unwrap();
        fs::set_permissions(&evil, fs::Permissions::from_mode(0o755)).unwrap();
        // The names of entries come before what they start.
        let with = |word: &str, other: &str| {
            let (before, after) = written.rsplit_once(&format!("\"{word}\"")).unwrap();
            format!("{before}\"{other}\"{after}")
        };
        for hostile in [
            with("aide", "./aide"),
            with("mcp", "mcp\", \"--project\", \"/"),
            with("mcp", &evil.display().to_string()),
            written.replace("AIDE_MCP_HOLD", "LD_PRELOAD"),
            written.replace("AIDE_MCP_HOLD", "AIDE_BROWSER"),
        ] {
            // Not every file has everything.
            if hostile == written || !hostile.contains("mcp") {
                continue;
            }
            fs::write(&file, &hostile).unwrap();
            let (code, codes) = scene.codes(&["--agent", name]);
            let found = codes.iter().find(|(code, _)| code == "answers" || code == "other_program");
            assert_eq!(
                (code, found.map(|(code, _)| &**code)),
                (Some(1), Some("other_program")),
                "{name}: {hostile}: {codes:?}"
            );
        }
        assert!(!scene.folder.join("evil.started").exists());
    }
    assert!(tried >= 6, "{tried}");
}

#[test]
fn an_agent_that_hooks_are_to_wake_has_them() {
    let scene = Scene::new();
    let codes = |scene: &Scene| {
        let (code, codes) = scene.codes(&["--agent", "claude"]);
        (code, codes.into_iter().map(|(code, _)| code).collect::<Vec<_>>())
    };
    let all = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    symlink(env!("CARGO_BIN_EXE_aide"), scene.folder.join("bin/aide")).unwrap();
    for (scope, hooks) in
        [("--user", "home/.claude/settings.json"), ("--project", "project/.claude/settings.json")]
    {
        let hooks = scene.folder.join(hooks);
        assert_eq!(scene.aide(&["setup", "claude", scope, "--hook"]).code, Some(0));
        assert_eq!(codes(&scene), (Some(0), all(&["answers"])), "{scope}");
        fs::write(&hooks, "{").unwrap();
        assert_eq!(codes(&scene), (Some(1), all(&["unreadable_hooks", "answers"])), "{scope}");
        fs::remove_file(&hooks).unwrap();
        assert_eq!(codes(&scene), (Some(1), all(&["hooks_missing", "answers"])), "{scope}");
        let told = scene.aide(&["doctor", "--agent", "claude"]).stdout;
        let of_project = if scope == "--project" { " --project" } else { "" };
        assert!(told.contains(&format!("hint: run aide setup claude{of_project} --hook\n")), "{told}");
        assert!(told.contains(&*hooks.to_string_lossy()), "{told}");
        // The remedy is one.
        let remedy: Vec<_> = ["setup", "claude"]
            .into_iter()
            .chain((scope == "--project").then_some("--project"))
            .chain(["--hook"])
            .collect();
        assert_eq!(scene.aide(&remedy).code, Some(0));
        assert_eq!(codes(&scene), (Some(0), all(&["answers"])), "{scope}");
        let removal = ["setup", "claude", scope, "--remove"];
        assert_eq!(scene.aide(&removal).code, Some(0));
    }
    // Zed has no hooks at all.
    let env = json!({ "AIDE_MCP_HOLD": "590", "AIDE_MCP_WAKE": "1" });
    let aide = env!("CARGO_BIN_EXE_aide");
    scene.entry(&json!({ "command": aide, "args": ["mcp"], "env": env, "timeout": 600 }));
    let (code, codes) = scene.codes(&["--agent", "zed"]);
    assert_eq!((code, &*codes[0].0), (Some(1), "never_woken"), "{codes:?}");
}

#[test]
fn what_is_missing_or_broken_is_told_with_its_remedy() {
    let scene = Scene::new();
    assert_eq!(scene.codes(&[]), finding("no_agents"));
    assert_eq!(scene.codes(&["--agent", "zed"]), finding("not_set_up"));
    let remedy = scene.aide(&["doctor", "--agent", "zed"]).stdout;
    assert!(remedy.contains("\n  hint: run aide setup zed\n"), "{remedy}");
    scene.entry(&json!({ "command": "/no/such/aide", "args": ["mcp"], "env": { "AIDE_MCP_HOLD": "590" }, "timeout": 600 }));
    assert_eq!(scene.codes(&[]), finding("command_missing"));
    scene.entry(&json!({ "url": "http://x" }));
    assert_eq!(scene.codes(&[]), finding("no_program"));
    let aide = env!("CARGO_BIN_EXE_aide");
    scene.entry(
        &json!({ "command": aide, "args": ["mcp"], "env": { "AIDE_MCP_HOLD": "900" }, "timeout": 600 }),
    );
    let (code, codes) = scene.codes(&[]);
    let codes: Vec<_> = codes.iter().map(|(code, _)| code.as_str()).collect();
    assert_eq!((code, codes), (Some(1), vec!["limit_too_short", "old_entry", "answers"]));
    fs::write(scene.folder.join("home/.config/zed/settings.json"), "{").unwrap();
    assert_eq!(scene.codes(&[]), finding("unreadable"));
    scene.aide(&["doctor", "--agent", "emacs"]).failed(
        2,
        "✗ no such agent: emacs\n  hint: agents: claude codex cursor gemini vscode opencode zed windsurf\n",
    );
}

#[test]
fn a_command_that_prints_something_else_ends_or_hangs_is_found_in_time() {
    // All at the same time: some are waited for until the time is up.
    thread::scope(|scope| {
        for (script, code) in [
            ("echo Welcome!; cat >/dev/null", "garbage"),
            ("echo '{\"a\":1}'; cat >/dev/null", "garbage"),
            ("echo broken >&2; exit 3", "ended"),
            ("head -c 100000 /dev/zero; sleep 600", "silent"),
            ("sleep 600", "silent"),
            (
                "read line; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1,\"message\":\"no\"}}'; cat",
                "refused",
            ),
        ] {
            scope.spawn(move || {
                let scene = Scene::new();
                scene.script(script);
                assert_eq!(scene.codes(&[]), finding(code), "{script}");
            });
        }
    });
    let scene = Scene::new();
    scene.script("echo broken >&2; exit 3");
    let told = scene.aide(&["doctor"]).stdout;
    assert!(told.contains("ended early: exit status: 3 broken"), "{told}");
}

#[test]
fn waiting_is_proven_in_a_project_that_the_person_never_sees() {
    let scene = Scene::new();
    assert_eq!(scene.aide(&["setup", "--user", "codex", "zed"]).code, Some(0));
    let temporary = scene.folder.join("tmp");
    fs::create_dir(&temporary).unwrap();
    let mut command = scene.command(&["doctor", "--hold", "12s", "--json"]);
    let began = Instant::now();
    let finished = CommandOutput::new(command.env("TMPDIR", &temporary).output().unwrap());
    let report: Value = serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{finished:?}"));
    let checks = report["checks"].as_array().unwrap();
    let held = checks.iter().filter(|check| check["code"] == "held").count();
    assert_eq!((finished.code, held), (Some(0), 2), "{report}");
    assert!(began.elapsed() >= Duration::from_secs(12));
    // Neither a question nor a folder is left, and no project is remembered.
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
    let listed = scene.aide(&["decide", "list", "--all", "--json"]);
    assert_eq!(listed.stdout, "[]\n");
    scene.aide(&["doctor", "--hold", "soon"]).failed(
        2,
        "✗ bad value for argument --hold: \"soon\" is not a number of seconds (s), minutes (m), hours (h), days (d) or weeks (w)\n  \
         hint: for example 12h, 30d or 2w\n",
    );
}

/// A process that is stopped, and goes on when this is dropped.
struct StoppedProcess(Pid);

impl StoppedProcess {
    fn stop(pid: i64) -> Self {
        let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
        kill_process(pid, Signal::STOP).unwrap();
        Self(pid)
    }
}

impl Drop for StoppedProcess {
    fn drop(&mut self) {
        let _ = kill_process(self.0, Signal::CONT);
    }
}

#[test]
fn the_server_of_a_trial_is_waited_for() {
    let scene = Scene::new();
    assert_eq!(scene.aide(&["setup", "--user", "zed"]).code, Some(0));
    let temporary = scene.folder.join("tmp");
    fs::create_dir(&temporary).unwrap();
    let mut command = scene.command(&["doctor", "--agent", "zed", "--hold", "1s"]);
    command.stdout(Stdio::null());
    let mut doctor = command.env("TMPDIR", &temporary).spawn().unwrap();
    let trial = || fs::read_dir(&temporary).unwrap().next().map(|entry| entry.unwrap().path());
    let decisions = || trial().map(|trial| trial.join("project/.aide/decisions"));
    let server = || {
        let server = fs::read(decisions()?.join("server.json")).ok()?;
        serde_json::from_slice::<Value>(&server).ok()?["pid"].as_i64()
    };
    until("a page is served", || server().is_some());
    let stopped = StoppedProcess::stop(server().unwrap());
    // Its questions are withdrawn: from here on there is nothing but it to wait for.
    let is_record = |name: &str| name.starts_with("20") && name.ends_with(".json");
    until("the trial is over", || {
        let names = decisions().and_then(|folder| fs::read_dir(folder).ok());
        let mut names =
            names.into_iter().flatten().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        trial().is_none() || names.any(|name| is_record(&name))
    });
    let end = Instant::now() + Duration::from_secs(1);
    while Instant::now() < end {
        assert!(trial().is_some() && doctor.try_wait().unwrap().is_none(), "it was not waited for");
        thread::sleep(Duration::from_millis(10));
    }
    drop(stopped);
    assert_eq!(doctor.wait().unwrap().code(), Some(0));
    assert!(trial().is_none());
}
