//! `aide provider`, with programs and endpoints that answer instead of a model.

use crate::support::daemon::Place;
use crate::support::{CommandOutput, Folder, begin, until};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::thread::{self, JoinHandle};

/// Claude Code, as far as it is called: it notes what it is asked, and answers.
const CLAUDE: &str = r#"case $1 in
--version) echo '2.1.332 (Claude Code)' ;;
auth) echo '{"loggedIn": true, "authMethod": "api_key"}' ;;
*)
    { echo "$*"; pwd; cat; } >>"$HOME/asked"
    echo '{"type":"result","subtype":"success","is_error":false,"result":"{\"result\": \"ready\"}","total_cost_usd":0.25,"usage":{"input_tokens":120,"output_tokens":7},"modelUsage":{"claude-x":{}}}'
    ;;
esac
"#;
/// The same without a login, and without an answer.
const REFUSING: &str = r#"case $1 in
--version) echo '2.1.332 (Claude Code)' ;;
auth) echo '{"loggedIn": false, "authMethod": "none"}'; exit 1 ;;
*) cat >>"$HOME/asked"; echo '{"type":"result","subtype":"success","is_error":true,"result":"SAID"}'; exit 1 ;;
esac
"#;
const GEMINI: &str = r#"case $1 in
--version) echo 0.61.0 ;;
*)
    cat >/dev/null
    echo "trust=$GEMINI_CLI_TRUST_WORKSPACE" >>"$HOME/asked"
    [ "$GEMINI_CLI_TRUST_WORKSPACE" = true ] || { echo 'Gemini CLI is not running in a trusted directory.' >&2; exit 55; }
    echo '{"response":"{\"result\": \"ready\"}","stats":{"models":{"gemini-x":{"tokens":{"prompt":9,"candidates":2,"thoughts":3}}}}}'
    ;;
esac
"#;

/// A project, a person's own configuration, and programs of theirs.
struct Scene(Folder);

impl Scene {
    fn new(config: &str, programs: &[(&str, &str)]) -> Self {
        let scene = Self(Folder::project());
        scene.0.write("home/.config/aide/config.toml", config);
        fs::create_dir_all(scene.0.join("home/bin")).unwrap();
        for (name, script) in programs {
            program(&scene.0, name, script);
        }
        scene
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.0.command(arguments);
        let path = format!("{}:/usr/bin:/bin", self.0.join("home/bin").display());
        command.env("HOME", self.0.join("home")).env("PATH", path).env("AIDE_LANG", "en");
        command
    }

    fn aide(&self, arguments: &[&str]) -> CommandOutput {
        CommandOutput::new(self.command(arguments).output().unwrap())
    }

    fn asked(&self) -> String {
        fs::read_to_string(self.0.join("home/asked")).unwrap_or_default()
    }

    fn bin(&self, name: &str) -> String {
        self.0.join("home/bin").join(name).display().to_string()
    }
}

fn program(folder: &Folder, name: &str, script: &str) {
    let path = format!("home/bin/{name}");
    folder.write(&path, format!("#!/bin/sh\n{script}"));
    fs::set_permissions(folder.join(&path), fs::Permissions::from_mode(0o755)).unwrap();
}

fn preset(name: &str) -> String {
    format!("[[agent.providers]]\nname = \"{name}\"\nkind = \"command\"\npreset = \"{name}\"\n")
}

/// An endpoint that gives these answers, one for each request, and returns the requests.
fn endpoint(answers: Vec<(u16, String)>) -> (String, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = thread::spawn(move || {
        let answer = |(status, body): (u16, String)| {
            let (mut stream, _) = listener.accept().unwrap();
            let mut heard = String::new();
            loop {
                let mut buffer = [0; 4096];
                let length = stream.read(&mut buffer).unwrap();
                heard += std::str::from_utf8(&buffer[..length]).unwrap();
                // The body of a question is an object.
                if heard.ends_with('}') || heard.starts_with("GET ") && heard.ends_with("\r\n\r\n") {
                    break;
                }
            }
            write!(stream, "HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
            heard
        };
        answers.into_iter().map(answer).collect()
    });
    (address, server)
}

fn completion(content: &str) -> String {
    json!({
        "model": "m", "choices": [{ "message": { "content": content }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 20, "completion_tokens": 3 },
    })
    .to_string()
}

#[test]
fn a_provider_of_workflows_is_not_said_to_be_useless() {
    let config = "[daemon]\nprovider = \"example\"\n\n[[agent.providers]]\nname = \"example\"\nkind = \"command\"\n\
                  command = \"sh\"\nargs = [\"provider.sh\"]\n";
    let scene = Scene::new(config, &[]);
    scene.0.write(".aide/config.toml", "");
    let example =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("examples/orchestrate/provider.sh");
    fs::copy(example, scene.0.join("provider.sh")).unwrap();
    let checked = scene.aide(&["provider", "check", "example"]);
    assert_eq!(checked.code, Some(1), "{checked:?}");
    let end = "⚠ the daemon's agents use it, and workflows ask in a different form\n  hint: while the daemon is running, aide workflow \
               understand \"say hello\" asks it the way a workflow does\n✗ example cannot be used by aide agent and aide plan\n";
    assert!(checked.stdout.ends_with(end), "{}", checked.stdout);
    // Without a name it is the one that agents use which name none.
    let default = scene.aide(&["provider", "check"]);
    assert!(default.stdout.ends_with(end), "{default:?}");
    assert!(default.stderr.starts_with("→ checking the default provider, example\n"), "{default:?}");
    let json: Value =
        serde_json::from_str(&scene.aide(&["provider", "check", "example", "--json"]).stdout).unwrap();
    let last = json["findings"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&last["check"], &last["status"], &json["usable"]),
        (&json!("workflow"), &json!("warn"), &json!(false))
    );
    // The command that is named there asks it so.
    let place = Place::new();
    place.folder.write(
        "home/.config/aide/config.toml",
        config.replace("provider.sh", scene.0.join("provider.sh").to_str().unwrap()),
    );
    place.start();
    let understood = place.finger(["understand", "say hello"]);
    assert_eq!(understood.code, Some(0), "{understood:?}");
    assert!(understood.stdout.contains("a report about deepseek"), "{understood:?}");
    // One that agents can use may answer workflows in another form all the same.
    scene.0.write(
        "home/.config/aide/config.toml",
        config.replace("sh\"\nargs = [\"provider.sh\"]", "echo\"\nargs = [\"ok\"]"),
    );
    let checked = scene.aide(&["provider", "check", "example"]);
    let end = "✓ the daemon's agents use it, and workflows ask in a different form\n  hint: while the daemon is running, aide workflow \
               understand \"say hello\" asks it the way a workflow does\n✓ example can be used\n";
    assert!(checked.code == Some(0) && checked.stdout.ends_with(end), "{checked:?}");
    // One that no agent of the daemon uses cannot be used, and that is all.
    scene.0.write("home/.config/aide/config.toml", config.replace("[daemon]\nprovider = \"example\"\n", ""));
    let checked = scene.aide(&["provider", "check", "example"]);
    assert!(
        checked.stdout.ends_with("✗ example cannot be used\n") && !checked.stdout.contains("workflow"),
        "{checked:?}"
    );
}

#[test]
fn providers_are_listed_with_where_they_are_and_whether_they_are_used() {
    let config = format!(
        "[agent]\nprovider = \"claude\"\n{}[[agent.providers]]\nname = \"local\"\nkind = \"openai\"\n\
         base_url = \"http://localhost:1/v1?key=secret\"\nmodel = \"m\"\n",
        preset("claude")
    );
    let scene = Scene::new(&config, &[("claude", CLAUDE)]);
    // Of the configuration that `aide init` writes, `agent.provider` is part.
    scene.0.write(".aide/config.toml", "");
    let claude = scene.bin("claude");
    let presets = format!(
        "→ Built-in presets\n  claude: program {claude}\n  codex: program codex, not found\n  gemini: program gemini, not \
         found\n  opencode: program opencode, not found\n  ollama: program ollama, not found\n"
    );
    let configured = format!(
        "→ Configured providers\n  claude (default): program {claude}\n  local: endpoint http://localhost:1/v1, model m\n"
    );
    scene.aide(&["provider", "list"]).succeeded(&format!("{configured}{presets}"));
    let listed = scene.aide(&["provider", "list", "--json"]);
    let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
    assert_eq!(
        listed[0],
        json!({
            "name": "claude", "kind": "command", "from": "user", "default": true, "trusted": true, "model": null,
            "preset": "claude", "command": "claude", "path": claude,
        })
    );
    assert_eq!(
        listed[1],
        json!({
            "name": "local", "kind": "openai", "from": "user", "default": false, "trusted": true, "model": "m",
            "base_url": "http://localhost:1/v1",
        })
    );
    assert_eq!((&listed[2]["from"], &listed[3]["path"]), (&json!("preset"), &json!(null)));
    // Those of a project stand beside them until it is trusted, and then in their place.
    scene.0.write(
        ".aide/config.toml",
        "[[agent.providers]]\nname = \"x\"\nkind = \"command\"\ncommand = \"./x\"\n",
    );
    let listed = scene.aide(&["provider", "list"]);
    let untrusted = "  x: program ./x, not found, not used: the project is not trusted\n";
    assert_eq!((listed.code, &*listed.stdout), (Some(0), &*format!("{configured}{untrusted}{presets}")));
    assert!(listed.stderr.contains("run aide trust"), "{}", listed.stderr);
    assert_eq!(scene.aide(&["trust"]).code, Some(0));
    let own = "→ Configured providers\n  x: program ./x, not found\n";
    // `agent.provider` names none of them.
    scene.aide(&["provider", "list"]).succeeded(&format!("{own}{presets}"));
    assert_eq!(scene.asked(), "");
}

#[test]
fn a_program_is_looked_at_and_asked_as_an_agent_asks_it() {
    let scene = Scene::new(&preset("claude"), &[("claude", CLAUDE)]);
    let checked = scene.aide(&["provider", "check", "claude"]);
    let first = format!(
        "✓ program: {}\n✓ version: 2.1.332 (Claude Code)\n✓ logged in (api_key)\n✓ answered after ",
        scene.bin("claude")
    );
    let rest =
        " s: ready\n✓ model claude-x, 120 tokens read and 7 written, cost $0.25\n✓ claude can be used\n";
    assert_eq!(checked.code, Some(0), "{}", checked.stdout);
    assert!(checked.stdout.starts_with(&first) && checked.stdout.ends_with(rest), "{}", checked.stdout);
    assert_eq!(checked.stderr, "→ asking one question, for at most 900 seconds; Ctrl-C ends it\n");
    let root = scene.0.path().canonicalize().unwrap();
    let asked = scene.asked();
    let (arguments, rest) = asked.split_once('\n').unwrap();
    assert_eq!(arguments, "-p --output-format json --no-session-persistence");
    assert!(rest.starts_with(&format!("{}\nReply with this JSON", root.display())), "{rest}");
    let checked = scene.aide(&["provider", "check", "claude", "--json", "--models"]);
    let told: Value = serde_json::from_str(&checked.stdout).unwrap();
    assert_eq!((checked.code, &told["usable"], &told["from"]), (Some(0), &json!(true), &json!("user")));
    let findings: Vec<_> = told["findings"].as_array().unwrap().iter().collect();
    let statuses: Vec<_> = findings
        .iter()
        .map(|one| (one["check"].as_str().unwrap(), one["status"].as_str().unwrap()))
        .collect();
    let expected = [
        ("program", "ok"),
        ("version", "ok"),
        ("login", "ok"),
        ("answer", "ok"),
        ("usage", "ok"),
        ("models", "warn"),
    ];
    assert_eq!(statuses, expected);
    let answer = &told["answer"];
    assert_eq!(
        (&answer["input_tokens"], &answer["output_tokens"], &answer["cost_usd"], &answer["model"]),
        (&json!(120), &json!(7), &json!(0.25), &json!("claude-x"))
    );
}

#[test]
fn what_is_wrong_with_a_program_is_told_with_its_remedy() {
    // There is none.
    let scene = Scene::new(&preset("claude"), &[]);
    let checked = scene.aide(&["provider", "check", "claude"]);
    let missing = "✗ program not found: claude\n  hint: install it, or change the provider's command\n✗ claude cannot be used\n";
    checked.failed_as_told(missing);
    // It fails, and is asked once whatever it says.
    for (said, hint) in [
        (
            "Not logged in · Please run /login",
            "log in with the program itself, or pass it its key with the provider's pass_env",
        ),
        ("API Error: 529 Overloaded", "try again later"),
        ("API Error: Connection dropped (ECONNRESET)", "try again later"),
    ] {
        let scene = Scene::new("", &[("claude", &REFUSING.replace("SAID", said))]);
        let checked = scene.aide(&["provider", "check", "claude"]);
        let expected = format!(
            "⚠ it is a preset without an entry in your configuration: no agent uses it\n  hint: add [[agent.providers]] to your \
             configuration: name = \"claude\", kind = \"command\", preset = \"claude\"\n✓ program: {}\n✓ version: 2.1.332 \
             (Claude Code)\n⚠ not logged in\n  hint: log in with the program itself, unless it gets a key in another way, such as \
             the provider's pass_env\n✗ claude failed (exit code 1): {said}\n  hint: {hint}\n✗ claude cannot be used\n",
            scene.bin("claude")
        );
        assert_eq!((checked.code, &*checked.stdout), (Some(1), &*expected));
        assert_eq!(scene.asked().matches("Reply with").count(), 1, "{said}");
    }
    let scene = Scene::new("", &[]);
    scene
        .aide(&["provider", "check", "nope"])
        .failed(1, "✗ no such provider: nope\n  hint: providers: claude, codex, gemini, opencode, ollama\n");
    scene.aide(&["provider", "check"]).failed(
        2,
        "✗ no NAME is given, and no provider is configured as the default\n  hint: providers: claude, codex, gemini, opencode, \
         ollama\n",
    );
}

#[test]
fn nothing_of_a_project_is_started_before_it_is_trusted() {
    let scene = Scene::new("", &[]);
    scene.0.write("evil.sh", "touch \"$HOME/asked\"; echo ready\n");
    scene.0.write(
        ".aide/config.toml",
        "[[agent.providers]]\nname = \"p\"\nkind = \"command\"\ncommand = \"sh\"\nargs = [\"./evil.sh\"]\n",
    );
    let checked = scene.aide(&["provider", "check", "p"]);
    let told = "✗ it comes from the configuration of this project, which you have not trusted\n  hint: run aide trust to see and \
                trust it\n✗ p cannot be used\n";
    assert_eq!((checked.code, &*checked.stdout), (Some(1), told));
    assert!(!scene.0.join("home/asked").exists());
    assert_eq!(scene.aide(&["trust"]).code, Some(0));
    let checked = scene.aide(&["provider", "check", "p"]);
    assert_eq!(checked.code, Some(0), "{}", checked.stdout);
    assert!(scene.0.join("home/asked").exists());
}

#[test]
fn gemini_works_in_a_project_that_is_trusted() {
    let scene = Scene::new(&preset("gemini"), &[("gemini", GEMINI)]);
    let checked = scene.aide(&["provider", "check", "gemini"]);
    assert_eq!(checked.code, Some(1));
    for line in [
        "⚠ the program does not trust this folder, and will not work in it\n  hint: run aide trust, or let",
        "✗ gemini failed (exit code 55): Gemini CLI is not running in a trusted directory.\n  hint: run aide trust in the project",
    ] {
        assert!(checked.stdout.contains(line), "{}", checked.stdout);
    }
    assert_eq!(scene.aide(&["trust"]).code, Some(0));
    let checked = scene.aide(&["provider", "check", "gemini"]);
    assert_eq!(checked.code, Some(0), "{}", checked.stdout);
    assert!(checked.stdout.contains("✓ the program trusts this folder\n✓ answered"), "{}", checked.stdout);
    assert_eq!(scene.asked(), "trust=\ntrust=true\n");
}

#[test]
fn agents_of_a_daemon_work_with_gemini_where_the_project_is_trusted() {
    let place = Place::new();
    program(&place.folder, "gemini", GEMINI);
    let gemini = place.folder.join("home/bin/gemini");
    let config =
        format!("[daemon]\nprovider = \"gemini\"\n{}command = \"{}\"\n", preset("gemini"), gemini.display());
    place.folder.write("home/.config/aide/config.toml", config);
    place.start();
    let asked = || fs::read_to_string(place.folder.join("home/asked")).unwrap_or_default();
    assert_eq!(place.finger(["orchestrate", "one"]).code, Some(0));
    until("a question", || asked().contains("trust=\n"));
    assert!(!asked().contains("trust=true"), "{}", asked());
    let mut trust = place.folder.command(["trust"]);
    trust.env("HOME", place.folder.join("home")).current_dir(place.folder.join("work"));
    let trusted = CommandOutput::new(trust.output().unwrap());
    assert_eq!(trusted.code, Some(0), "{}", trusted.stderr);
    assert_eq!(place.finger(["orchestrate", "two"]).code, Some(0));
    until("a question of a trusted project", || asked().contains("trust=true\n"));
}

#[test]
fn an_endpoint_is_looked_at_and_its_models_are_listed() {
    let listed = |names: &[&str]| {
        json!({ "data": names.iter().map(|name| json!({ "id": name })).collect::<Vec<_>>() }).to_string()
    };
    let check = |model: &str, answers: Vec<(u16, String)>| {
        let (address, server) = endpoint(answers);
        let config = format!(
            "[[agent.providers]]\nname = \"e\"\nkind = \"openai\"\nbase_url = \"http://{address}/v1\"\nmodel = \"{model}\"\n\
             api_key_env = \"MY_KEY\"\n"
        );
        let scene = Scene::new(&config, &[]);
        let mut command = scene.command(&["provider", "check", "e", "--models"]);
        let checked = CommandOutput::new(command.env("MY_KEY", "sk-0123456789abcdef").output().unwrap());
        (checked.code, checked.stdout.replace(&address, "HOST"), server.join().unwrap())
    };
    let (code, told, requests) = check("m", vec![(200, completion("ready")), (200, listed(&["m", "n"]))]);
    let begin = "✓ address: http://HOST/v1\n✓ key: the environment variable MY_KEY is set\n✓ answered after ";
    let end = " s: ready\n✓ model m, 20 tokens read and 3 written, cost unknown\n✓ 2 models:\n  m\n  n\n✓ e can be used\n";
    assert!(told.starts_with(begin) && told.ends_with(end), "{told}");
    assert_eq!(code, Some(0));
    assert!(
        requests[0].starts_with("POST /v1/chat/completions") && requests[1].starts_with("GET /v1/models")
    );
    assert!(requests.iter().all(|request| request.contains("authorization: Bearer sk-0123456789abcdef")));
    // A model that is not there, and one that ollama calls by a longer name.
    let error = "{\"error\":{\"message\":\"model x not found\"}}".to_owned();
    let (code, told, _) = check("x", vec![(404, error), (200, listed(&["m"]))]);
    assert_eq!(code, Some(1));
    for line in [
        "✗ http://HOST/v1/chat/completions answered 404: model x not found\n  hint: check the provider's base_url and model\n",
        "⚠ the model x is not among them\n  hint: set the provider's model to one of them\n  m\n✗ e cannot be used\n",
    ] {
        assert!(told.contains(line), "{told}");
    }
    let tags = json!({ "models": [{ "name": "qwen3:latest" }] }).to_string();
    let (code, told, requests) =
        check("qwen3", vec![(200, completion("ready")), (404, "{}".to_owned()), (200, tags)]);
    assert!(code == Some(0) && told.ends_with("✓ 1 model:\n  qwen3:latest\n✓ e can be used\n"), "{told}");
    assert!(requests[2].starts_with("GET /api/tags"), "{}", requests[2]);
}

#[test]
fn a_check_ends_with_what_it_has_started_when_it_is_interrupted() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let claude = CLAUDE.replace("    { echo", "    echo $$ >\"$HOME/pid\"; exec sleep 600\n    { echo");
        let scene = Scene::new(&preset("claude"), &[("claude", &claude)]);
        let child = begin(scene.command(&["provider", "check", "claude"]));
        let pid = || fs::read_to_string(scene.0.join("home/pid")).ok()?.trim().parse::<i32>().ok();
        until("a question", || pid().is_some());
        kill_process(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(), signal).unwrap();
        let ended = CommandOutput::new(child.wait_with_output().unwrap());
        let told = "→ asking one question, for at most 900 seconds; Ctrl-C ends it\n✗ interrupted\n";
        ended.failed(code, told);
        assert!(test_kill_process(Pid::from_raw(pid().unwrap()).unwrap()).is_err(), "the program goes on");
    }
}

#[test]
fn without_its_key_an_endpoint_is_not_asked() {
    let config = "[[agent.providers]]\nname = \"e\"\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:1/v1\"\nmodel = \"m\"\n\
                  api_key_env = \"MY_KEY\"\n";
    let scene = Scene::new(config, &[]);
    scene.aide(&["provider", "check", "e"]).failed_as_told(
        "✓ address: http://127.0.0.1:1/v1\n✗ the environment variable MY_KEY is not set\n  hint: set it to the key, or change the \
         provider's api_key_env\n✗ e cannot be used\n",
    );
}

impl CommandOutput {
    /// Failed with exactly this on standard output, which is the result.
    #[track_caller]
    fn failed_as_told(&self, stdout: &str) {
        assert_eq!((self.code, &*self.stdout, &*self.stderr), (Some(1), stdout, ""));
    }
}
