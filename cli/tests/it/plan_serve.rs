//! `aide plan serve`: a server that stays, whatever is asked and answered meanwhile.

use crate::support::http::{get, post_json};
use crate::support::running::RunningServer;
use crate::support::{Folder, copy, minimal, minimal_answers, until};
use rustix::process::Signal;
use serde_json::Value;
use std::fs;
use std::path::Path;

const STARTED: &str = "→ Web 服务已启动\n";

fn serve(folder: &Folder, further: &[&str]) -> RunningServer {
    let arguments = [&["plan", "serve", "--port", "0"], further].concat();
    RunningServer::printing(folder.command(arguments), 2)
}

fn server(folder: &Folder) -> Value {
    serde_json::from_slice(&fs::read(folder.decision("server.json")).unwrap()).unwrap()
}

/// Ends it as a service manager does. It has said how it is ended, and nothing since.
#[track_caller]
fn stop(running: RunningServer) {
    running.signal(Signal::TERM);
    let finished = running.finish();
    let how_to_end = "→ 网页由此命令提供，按 Ctrl-C 结束\n";
    assert_eq!((finished.code, &*finished.stdout, &*finished.stderr), (Some(143), "", how_to_end));
}

/// The plan of the repository, activated and looked at once.
fn example(folder: &Folder) {
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("examples/plan"), folder.path());
    for arguments in [&["plan", "activate", "plan"][..], &["plan", "tick"]] {
        let finished = folder.aide(arguments);
        assert_eq!((finished.code, &*finished.stderr), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn it_shows_plans_until_it_is_ended_and_changes_none() {
    let folder = Folder::empty();
    example(&folder);
    let running = serve(&folder, &[]);
    let link = format!("http://localhost:{}/plans", running.port);
    assert_eq!(running.printed, format!("{STARTED}→ 请访问: {link}\n"));
    let before = folder.tree();
    assert!(get(running.port, "/plans").text().contains("A handbook in two chapters"));
    let page = get(running.port, "/plans/plan_handbook?lang=en");
    assert!(page.text().contains("task_chapter_1") && page.text().contains("0 of 4 tasks done"));
    let plans = get(running.port, "/api/plans").json();
    assert_eq!((&plans["total"], &plans["items"][0]["plan_id"]), (&1.into(), &"plan_handbook".into()));
    let deliveries = get(running.port, "/api/plans/plan_handbook/deliveries?task_id=task_chapter_1").json();
    assert_eq!(deliveries["items"][0]["to_agent_id"], "agent_writer_a");
    assert_eq!(folder.tree(), before, "whoever looks writes nothing");
    // What happens is seen.
    let version = get(running.port, "/version/plans").text().to_owned();
    assert_eq!(folder.aide(["plan", "tick"]).code, Some(0));
    assert_eq!(get(running.port, "/version/plans").text(), version, "a pass that changes nothing is none");
    fs::remove_file(folder.join(".aide/system_runtime/plans/plan_handbook/plan_status.json")).unwrap();
    assert_ne!(get(running.port, "/version/plans").text(), version);
    stop(running);
    assert!(!folder.decision("server.json").exists(), "with nothing open, nobody looks for it");
}

#[test]
fn a_plan_that_has_not_begun_says_so() {
    let folder = Folder::empty();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("examples/plan"), folder.path());
    assert_eq!(folder.aide(["plan", "activate", "plan"]).code, Some(0));
    let running = serve(&folder, &[]);
    for (lang, words) in
        [("en", "not started yet; aide plan run starts it"), ("zh", "尚未开始，执行 aide plan run 后开始")]
    {
        let page = get(running.port, &format!("/plans?lang={lang}"));
        assert!(page.text().contains(words) && !page.text().contains("0 of 0"), "{}", page.text());
    }
    stop(running);
}

#[test]
fn without_plans_and_agents_it_is_the_inbox() {
    let folder = Folder::project();
    let running = serve(&folder, &[]);
    assert!(get(running.port, "/plans?lang=en").text().contains("No plans yet"));
    assert!(get(running.port, "/?lang=en").text().contains("Nothing to answer"));
    running.signal(Signal::INT);
    assert_eq!(running.finish().code, Some(130));
}

#[test]
fn whoever_asks_is_answered_there_and_it_stays() {
    let folder = Folder::project();
    let running = serve(&folder, &[]);
    assert_eq!(server(&folder).get("session_id"), None);
    for round in 0..2 {
        let asking =
            RunningServer::start(folder.command(["decide", "submit", "--port", "0", &minimal().to_string()]));
        assert_eq!(asking.url, format!("http://localhost:{}", running.port), "{round}");
        assert!(get(running.port, "/").text().contains("测试任务"), "{round}");
        assert_eq!(asking.answer(&minimal_answers()).status, 200, "{round}");
        asking.finish().succeeded("✓ 决策已完成\n");
    }
    // Also in the background: no other server is started.
    let asked = folder.aide(["decide", "submit", "--detach", "--json", &minimal().to_string()]);
    let told: Value = serde_json::from_str(&asked.stdout).unwrap();
    assert_eq!(told["pid"], running.pid());
    let state = folder.aide(["decide", "result", "--json"]);
    assert!(state.stdout.contains("\"status\":\"pending\""), "{state:?}");
    stop(running);
    // What is still open looks for its server there.
    assert!(folder.decision("server.json").exists());
    let state = folder.aide(["decide", "result", "--json"]);
    assert!(state.stdout.contains("\"status\":\"expired\""), "{state:?}");
}

#[test]
fn beside_another_server_it_takes_its_place_once_that_has_ended() {
    let folder = Folder::project();
    let asking = folder.submit(&minimal());
    let running = serve(&folder, &["--lang", "en"]);
    assert_ne!(running.port, asking.port);
    assert_eq!(server(&folder)["port"], asking.port);
    // The same questions are on both pages.
    assert!(get(running.port, "/").text().contains("测试任务"));
    assert_eq!(post_json(running.port, "/api/submit", &minimal_answers().to_string()).status, 200);
    asking.finish().succeeded("✓ 决策已完成\n");
    until("the server is known", || {
        folder.decision("server.json").exists() && server(&folder)["port"] == running.port
    });
    let next = folder.submit(&minimal());
    assert_eq!(next.port, running.port);
    assert_eq!(next.answer(&minimal_answers()).status, 200);
    next.finish().succeeded("✓ 决策已完成\n");
    running.signal(Signal::TERM);
    let finished = running.finish();
    let told = finished.stderr.lines().next().unwrap();
    assert!(told.starts_with("→ another server is running: http://localhost:"), "{finished:?}");
}

#[test]
fn a_time_limit_for_answers_is_none_for_it() {
    let folder = Folder::project();
    folder.write(".aide/config.toml", "[decide]\ntimeout = 1\n");
    let running = serve(&folder, &[]);
    let asking = folder.submit_with(&minimal(), &["--timeout", "0"]);
    // The limit of another one passes meanwhile.
    let limited = folder.aide(["decide", "wait", "--timeout", "2"]);
    assert_eq!(limited.code, Some(75), "{limited:?}");
    assert_eq!(asking.answer(&minimal_answers()).status, 200);
    asking.finish().succeeded("✓ 决策已完成\n");
    assert_eq!(get(running.port, "/plans").status, 200);
    stop(running);
}

#[test]
fn folders_may_be_elsewhere() {
    let (elsewhere, folder) = (Folder::empty(), Folder::project());
    example(&elsewhere);
    let path = |name: &str| elsewhere.join(name).into_os_string().into_string().unwrap();
    let (agents, runtime) = (path(".aide/agents"), path(".aide/system_runtime"));
    let running = serve(&folder, &["--agents", &agents, "--runtime", &runtime]);
    assert_eq!(get(running.port, "/api/plans").json()["total"], 1);
    assert!(get(running.port, "/?lang=en").text().contains("href=\"/plans?lang=en\""));
    stop(running);
}

#[test]
fn where_a_login_is_needed_the_link_lets_in() {
    let folder = Folder::project();
    let running = serve(&folder, &["--auth", "always"]);
    assert!(running.url.contains("/t/"), "{}", running.printed);
    assert_eq!(get(running.port, "/plans").status, 401);
    assert_eq!(get(running.port, "/api/plans").status, 401);
    stop(running);
}
