//! `aide trust`: what a cloned repository says is followed only after a person has seen it.

use crate::support::http::get;
use crate::support::running::RunningServer;
use crate::support::{CommandOutput, Folder, minimal, until};
use serde_json::{Value, json};
use settings::trust::{Subject, Trust};
use std::fs;
use std::path::Path;
use std::process::Command;

const HOSTILE: &str = "[decide]\nport = 0\nbind = \"0.0.0.0\"\nurl = \"http://evil.test/\"\n";

fn cloned(config: &str) -> Folder {
    let folder = Folder::project();
    folder.write(".aide/config.toml", config);
    folder
}

fn aide(folder: &Folder, state: Option<&Path>, arguments: &[&str]) -> Command {
    let mut command = folder.command(arguments);
    command.envs(state.map(|state| ("XDG_STATE_HOME", state)));
    command
}

fn finished(folder: &Folder, state: Option<&Path>, arguments: &[&str]) -> CommandOutput {
    CommandOutput::new(aide(folder, state, arguments).output().unwrap())
}

fn submit(folder: &Folder, state: Option<&Path>) -> RunningServer {
    RunningServer::start(aide(folder, state, &["decide", "submit", &minimal().to_string(), "--timeout", "1"]))
}

fn config_path(folder: &Folder) -> String {
    folder.path().canonicalize().unwrap().join(".aide/config.toml").display().to_string()
}

#[test]
fn t9_a_cloned_configuration_neither_opens_the_page_nor_leads_elsewhere() {
    let folder = cloned(HOSTILE);
    let state = tempfile::tempdir().unwrap();
    for state in [None, Some(state.path())] {
        let running = submit(&folder, state);
        assert_eq!(running.url, format!("http://localhost:{}", running.port));
        assert_eq!(get(running.port, "/").status, 200);
        let server: Value =
            serde_json::from_slice(&fs::read(folder.decision("server.json")).unwrap()).unwrap();
        assert_eq!((&server["bind"], &server["configured_url"]), (&json!("127.0.0.1"), &json!("")));
        let told = running.finish();
        let warning = format!(
            "⚠ {} 中的 decide.bind, decide.url 没有生效，执行 aide trust 查看并信任\n",
            config_path(&folder)
        );
        assert!(told.stderr.starts_with(&warning), "{}", told.stderr);
    }
}

#[test]
fn what_was_seen_is_followed_until_it_changes_or_is_revoked() {
    let folder = cloned("[decide]\nport = 0\nurl = \"http://mine.example/\"\n");
    let state = tempfile::tempdir().unwrap();
    let state = Some(state.path());
    let file = config_path(&folder);
    let setting = "  decide.url = \"http://mine.example/\"\n";
    let shown = finished(&folder, state, &["trust", "--show"]);
    assert_eq!((shown.code, &*shown.stdout), (Some(1), setting));
    assert_eq!(shown.stderr, "⚠ 尚未信任，执行 aide trust 信任\n");
    assert_eq!(submit(&folder, state).url.split_at(17).0, "http://localhost:");

    let trusted = format!("{setting}✓ 已信任其当前内容: {file}\n");
    finished(&folder, state, &["trust"]).succeeded(&trusted);
    finished(&folder, state, &["trust", "--show"]).succeeded(&trusted);
    let running = submit(&folder, state);
    assert_eq!(running.url, "http://mine.example/");
    running.finish().failed_and_kept(1, "⚠ 服务超时，已自动关闭\n");

    // Any change has to be seen again; also one that a later pull brings.
    folder.write(".aide/config.toml", "[decide]\nport = 0\nurl = \"http://mine.example./\"\n");
    assert_eq!(finished(&folder, state, &["trust", "--show"]).code, Some(1));
    assert_eq!(submit(&folder, state).url.split_at(17).0, "http://localhost:");
    finished(&folder, state, &["trust"]);
    assert_eq!(submit(&folder, state).url, "http://mine.example./");
    finished(&folder, state, &["trust", "--revoke"]).succeeded("✓ 已不再信任此项目的任何内容\n");
    finished(&folder, state, &["trust", "--revoke"]).succeeded("✓ 此前没有信任过此项目的内容\n");
    assert_eq!(submit(&folder, state).url.split_at(17).0, "http://localhost:");
    // Nothing of this is in the project.
    let copy = cloned(&fs::read_to_string(folder.join(".aide/config.toml")).unwrap());
    finished(&folder, state, &["trust"]);
    assert_eq!(finished(&copy, state, &["trust", "--show"]).code, Some(1), "another project is another one");
}

#[test]
fn programs_that_a_project_would_start_are_shown_as_they_stand_there() {
    let folder = cloned(
        "[plantuml]\njar_path = 'lib\\p.jar'\n[[flow.hooks]]\non = \"leave\"\nphase = \"impl\"\n\
         run = \"make \\u001b[2J\\n✓\"\n[[flow.hooks]]\non = \"step\"\nrun = [\"true\"]\n",
    );
    let state = tempfile::tempdir().unwrap();
    let state = Some(state.path());
    let shown = finished(&folder, state, &["trust", "--show"]);
    let programs = "  flow.hooks = { on = \"leave\", phase = \"impl\", run = \"make \\u001B[2J\\n✓\" }\n  \
                    flow.hooks = { on = \"step\", run = [\"true\"] }\n  \
                    plantuml.jar_path = \"lib\\\\p.jar\"\n";
    assert_eq!((shown.code, &*shown.stdout), (Some(1), programs));
    finished(&folder, state, &["trust"])
        .succeeded(&format!("{programs}✓ 已信任其当前内容: {}\n", config_path(&folder)));
    assert_eq!(finished(&folder, state, &["trust", "--show"]).code, Some(0));
    folder.write(".aide/config.toml", "[flow]\nphases = \"impl\"\n");
    finished(&folder, state, &["trust"]).failed(
        1,
        &format!(
            "✗ flow.phases 配置无效：必须为非空列表\n  建议: 修正 {} 第 2 行，再重试\n",
            config_path(&folder)
        ),
    );
}

#[test]
fn providers_of_a_project_are_shown_and_all_that_is_wrong_with_them_is_told() {
    let folder = cloned("[[agent.providers]]\nname = \"a\"\nkind = \"command\"\ncommand = \"./evil\"\n");
    let state = tempfile::tempdir().unwrap();
    let state = Some(state.path());
    let shown = finished(&folder, state, &["trust", "--show"]);
    let provider = "  agent.providers = { name = \"a\", kind = \"command\", command = \"./evil\" }\n";
    assert_eq!((shown.code, &*shown.stdout), (Some(1), provider));
    finished(&folder, state, &["trust"])
        .succeeded(&format!("{provider}✓ 已信任其当前内容: {}\n", config_path(&folder)));

    let wrong =
        "[[agent.providers]]\nname = \"a\"\nkind = \"openai\"\nbase_url = \"x\"\napi_key = \"sk-secret\"\n";
    folder.write(".aide/config.toml", wrong);
    let bad = |line: u32, what: &str| {
        format!("配置有误: {} 第 {line} 行: agent.providers.{what}", config_path(&folder))
    };
    for arguments in [&["trust"][..], &["trust", "--show"], &["config", "list"], &["config", "get", "agent"]]
    {
        finished(&folder, state, arguments).failed(
            1,
            &format!(
                "✗ {}\n  建议: 修正该文件后重试\n  {}\n  {}\n",
                bad(2, "model 必须给出"),
                bad(4, "base_url 必须为 http:// 或 https:// 链接，其中不能有用户名"),
                bad(5, "api_key 不能写在文件中"),
            ),
        );
    }
}

#[test]
fn what_init_writes_needs_no_trust() {
    let folder = Folder::project();
    finished(&folder, None, &["trust"]).succeeded("✓ 配置中没有需要信任的内容\n");
    finished(&folder, None, &["trust", "--show", "--lang", "en"])
        .succeeded("✓ Nothing in the configuration needs trust\n");
}

#[test]
fn without_a_folder_to_keep_it_in_nothing_is_trusted() {
    let folder = cloned(HOSTILE);
    for arguments in [&["trust"][..], &["trust", "--revoke"]] {
        let told = finished(&folder, None, arguments);
        assert_eq!(told.code, Some(1));
        assert_eq!(
            told.stderr,
            "✗ 没有可保存信任记录的目录\n  建议: 设置 HOME，或将 XDG_STATE_HOME 设为绝对路径\n"
        );
    }
    finished(&folder, None, &["trust", "--show", "--revoke"]).failed_with(2, "✗ ");
}

/// What a server leaves behind that was killed.
fn killed_server(folder: &Folder) -> Value {
    let waiting = folder.submit(&minimal());
    let server = serde_json::from_slice(&fs::read(folder.decision("server.json")).unwrap()).unwrap();
    waiting.kill();
    server
}

/// A repository can bring what looks like the traces of a server.
#[test]
fn t9_a_planted_server_file_neither_opens_the_page_nor_leads_elsewhere() {
    let folder = Folder::project();
    let state = tempfile::tempdir().unwrap();
    let mut planted = killed_server(&folder);
    planted["bind"] = json!("0.0.0.0");
    planted["configured_url"] = json!("http://evil.test/");
    planted["url"] = json!("http://evil.test/");
    planted["auth"] = json!("never");
    fs::write(folder.decision("server.json"), planted.to_string()).unwrap();
    let waited = finished(&folder, Some(state.path()), &["decide", "wait", "--timeout", "1"]);
    assert_eq!(waited.code, Some(75), "{waited:?}");
    let server: Value = serde_json::from_slice(&fs::read(folder.decision("server.json")).unwrap()).unwrap();
    assert_eq!(
        [&server["bind"], &server["configured_url"], &server["auth"]],
        [&json!("127.0.0.1"), &json!(""), &json!("auto")]
    );
    assert!(waited.stderr.contains("\n→ 请访问: http://localhost:"), "{waited:?}");
    finished(&folder, None, &["decide", "cancel"]).succeeded("✓ 待定项已取消\n");
}

/// The network is another one now, or another program has the ports: nothing that the user could configure would help.
#[test]
fn where_the_old_address_is_gone_the_present_configuration_is_used() {
    let folder = Folder::project();
    let state = tempfile::tempdir().unwrap();
    let mut planted = killed_server(&folder);
    planted["bind"] = json!("192.0.2.7");
    let root = folder.path().canonicalize().unwrap();
    let subject = Subject::Server { bind: "192.0.2.7", url: "", auth: "auto" };
    Trust::below(state.path()).allow(&root, subject).unwrap();
    folder.write(".aide/config.toml", "[decide]\nport = 0\nbind = \"127.0.0.1\"\n");
    for arguments in [&["decide", "wait", "--timeout", "1"][..], &["decide", "open"]] {
        fs::write(folder.decision("server.json"), planted.to_string()).unwrap();
        let told = finished(&folder, Some(state.path()), arguments);
        assert!(!told.stderr.contains("192.0.2.7"), "{told:?}");
        let server: Value =
            serde_json::from_slice(&fs::read(folder.decision("server.json")).unwrap()).unwrap();
        assert_eq!(server["bind"], "127.0.0.1", "{told:?}");
        let link = format!("→ 请访问: http://localhost:{}\n", server["port"]);
        assert!(told.stderr.contains(&link) || told.stdout.starts_with(&link), "{told:?}");
        let pid = i32::try_from(server["pid"].as_i64().unwrap()).unwrap();
        rustix::process::kill_process(
            rustix::process::Pid::from_raw(pid).unwrap(),
            rustix::process::Signal::KILL,
        )
        .unwrap();
        until("its end", || {
            finished(&folder, None, &["decide", "result", "--json"]).stdout.contains("unserved")
        });
    }
    // The error is about the current address.
    fs::write(folder.decision("server.json"), planted.to_string()).unwrap();
    let refused = aide(&folder, Some(state.path()), &["decide", "wait"])
        .env("AIDE_DECIDE_BIND", "192.0.2.8")
        .output()
        .unwrap();
    CommandOutput::new(refused).about_the_newest().failed_with(1, "✗ 无法启动服务: 无法监听 192.0.2.8:");
}
