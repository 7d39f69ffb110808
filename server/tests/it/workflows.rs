//! The pages of workflows, and what a person does there.

use crate::support::daemon::Daemon;
use crate::support::{Answer, in_this_order};
use axum::body::Body;
use files::Dir;
use http::{Method, Request, StatusCode};
use journal::{Journal, JournalExt, NewEvent, Sqlite, Step};
use protocol::workflow::{Consent, EventType, ToolName};
use serde_json::{Value, json};
use server::Access;
use std::sync::Arc;
use workflow::NewDecision;

/// What an agent may say to be taken for a part of the page.
const HOSTILE: &str =
    "</textarea></title><script>alert(1)</script><img src=x onerror=alert(1)>\" onfocus=\"alert(1)";

async fn page(daemon: &Daemon, path: &str) -> String {
    let answer = daemon.page(path).await;
    assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.text());
    answer.assert_guarded(path);
    answer.text()
}

async fn post(daemon: &Daemon, path: &str, fields: &[(&str, &str)]) -> Answer {
    let body: String = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    let request = Request::post(path)
        .header("host", "localhost:3721")
        .header("content-type", "application/x-www-form-urlencoded");
    daemon.send(request.body(Body::from(body)).unwrap()).await
}

/// Presses something, which leads back to the page.
async fn press(daemon: &Daemon, workflow: &str, fields: &[(&str, &str)]) {
    let path = format!("/workflows/{workflow}?group=TASK&lang=en");
    let answer = post(daemon, &path, fields).await;
    assert_eq!((answer.status, &*answer.header("location")), (StatusCode::SEE_OTHER, &*path), "{fields:?}");
}

async fn phase(daemon: &Daemon, workflow: &str) -> String {
    let state = daemon.get(&format!("/api/v1/workflows/{workflow}/state")).await;
    state["fsmState"].as_str().unwrap().to_owned()
}

async fn ask(daemon: &Daemon, workflow: &str, message: &str, options: Value) -> String {
    let asked = json!({ "workflowId": workflow, "message": message, "options": options });
    daemon.post("/api/v1/decision", asked).await["decisionId"].as_str().unwrap().to_owned()
}

async fn planned(daemon: &Daemon, tasks: Value) -> String {
    let (workflow, _) = daemon.begin().await;
    daemon.step(&workflow, "intent_analyzed", json!({})).await;
    daemon.step(&workflow, "routing_decided", json!({ "route": "full_replan" })).await;
    daemon.step(&workflow, "plan_created", json!({ "tasks": tasks })).await;
    workflow
}

#[tokio::test]
async fn all_workflows_are_listed_and_every_page_leads_there() {
    let daemon = Daemon::new();
    assert!(page(&daemon, "/workflows?lang=en").await.contains("No workflows yet"));
    assert!(page(&daemon, "/workflows?lang=zh").await.contains("还没有工作流"));
    let (workflow, _) = daemon.executing().await;
    ask(&daemon, &workflow, "Go on?", json!(["Y", "n"])).await;
    let html = page(&daemon, "/workflows?lang=en").await;
    let link = format!("href=\"/workflows/{workflow}?lang=en\"");
    in_this_order(
        &html,
        &[
            "<title>(1) Aide workflows</title>",
            &link,
            "搜索 deepseek",
            "waiting for you",
            "0 of 1 done",
            "1 question waits",
        ],
    );
    for other in ["/", "/history", &format!("/workflows/{workflow}")] {
        assert!(page(&daemon, other).await.contains("href=\"/workflows?lang=zh\""), "{other}");
    }
    assert_eq!(daemon.page("/workflows/wf-none").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_workflow_is_shown_with_what_waits_for_a_person_before_all_else() {
    let daemon = Daemon::new();
    let tasks = json!([{ "id": "task-1", "description": "Search" },
        { "id": "task-2", "description": "Write", "dependencies": ["task-1"] }]);
    let workflow = planned(&daemon, tasks).await;
    daemon
        .step(&workflow, "task_started", json!({ "taskId": "task-1", "agentId": "executor-research" }))
        .await;
    let step = json!({ "taskId": "task-1", "progress": 40, "agentId": "executor-research",
        "thought": "Look for papers", "action": "WEB_SEARCH", "observation": "5 found" });
    daemon.step(&workflow, "task_progress", step).await;
    ask(&daemon, &workflow, "Go on?", json!(["Y", "n"])).await;
    let html = page(&daemon, &format!("/workflows/{workflow}?lang=en")).await;
    in_this_order(
        &html,
        &[
            "<title>(1) ",
            "data-stage=\"past\" data-state=\"plan_loop\"",
            "data-stage=\"present\" data-state=\"execution\" aria-current=\"step\"",
            "data-stage=\"ahead\" data-state=\"review\"",
            "Waiting for you",
            "Go on?",
            "value=\"Y\"",
            "value=\"n\"",
            "value=\"pause\"",
            "value=\"cancel\"",
            "0 of 2 done",
            "<svg",
            "<path d=\"M228 26",
            "data-state=\"running\"",
            "Search",
            "needs task-1",
            "Look for papers",
            "WEB_SEARCH",
            "5 found",
            "planning → executing",
        ],
    );
    // While it asks, what is said would be the answer: there is no second place for it.
    assert!(!html.contains("id=\"input\""));
    assert!(html.contains("<p class=\"reload\">") && html.contains("/api/v1/events/stream?workflowId="));
    assert!(!html.contains(".wasm"), "nothing wakes up here");
}

#[tokio::test]
async fn what_is_pressed_on_the_page_happens() {
    let daemon = Daemon::new();
    let (workflow, _) = daemon.executing().await;
    press(&daemon, &workflow, &[("action", "pause")]).await;
    assert_eq!(phase(&daemon, &workflow).await, "paused");
    assert!(page(&daemon, &format!("/workflows/{workflow}?lang=en")).await.contains("value=\"resume\""));
    press(&daemon, &workflow, &[("action", "resume")]).await;
    assert_eq!(phase(&daemon, &workflow).await, "execution");
    press(&daemon, &workflow, &[("action", "input"), ("input", "only this year")]).await;
    assert!(page(&daemon, &format!("/workflows/{workflow}?lang=en")).await.contains("only this year"));
    let papers = ask(&daemon, &workflow, "Which?", json!(["a, b", "c", "d"])).await;
    press(
        &daemon,
        &workflow,
        &[("action", "answer"), ("decision", &papers), ("choice", "a, b"), ("choice", "d")],
    )
    .await;
    let answered = daemon.get(&format!("/api/v1/decision/{papers}")).await;
    assert_eq!(answered["selected"], json!(["a, b", "d"]), "a comma in an option separates nothing");
    let free = ask(&daemon, &workflow, "How long?", json!([])).await;
    press(
        &daemon,
        &workflow,
        &[("action", "answer"), ("decision", &free), ("choice", "ten pages,\r\nor so")],
    )
    .await;
    let answered = daemon.get(&format!("/api/v1/decision/{free}")).await;
    assert_eq!(
        (&answered["response"], &answered["respondedBy"]),
        (&json!("ten pages,\nor so"), &json!("page"))
    );
    press(&daemon, &workflow, &[("action", "cancel")]).await;
    assert_eq!(phase(&daemon, &workflow).await, "failed");
    let html = page(&daemon, &format!("/workflows/{workflow}?lang=en")).await;
    in_this_order(&html, &["data-state=\"cancelled\" aria-current=\"step\"", "Decided", "ten pages", "1,3"]);
    assert!(!html.contains("data-state=\"failed\""), "what was cancelled has not failed");
    assert!(!html.contains("value=\"pause\""), "nothing can be done to what has ended");
}

#[tokio::test]
async fn a_pause_leaves_what_runs_alone_or_stops_it_as_the_page_says() {
    let daemon = Daemon::new();
    let workflow = planned(&daemon, json!([{ "id": "task-1", "description": "Search" }])).await;
    let started = json!({ "taskId": "task-1", "agentId": "executor-research" });
    daemon.step(&workflow, "task_started", started).await;
    let path = format!("/workflows/{workflow}?lang=en");
    let running = page(&daemon, &path).await;
    in_this_order(
        &running,
        &["Nothing waits for you. The agents are at work.", "value=\"pause\"", "value=\"pause-hard\""],
    );
    let task =
        async || daemon.get(&format!("/api/v1/workflows/{workflow}/tasks")).await[0]["fsmState"].clone();
    press(&daemon, &workflow, &[("action", "pause")]).await;
    assert_eq!(task().await, "running");
    let paused = page(&daemon, &path).await;
    in_this_order(&paused, &["until you resume it.", "Running steps finish first.", "value=\"resume\""]);
    assert!(!paused.contains("value=\"pause"), "there is nothing to pause");
    press(&daemon, &workflow, &[("action", "resume")]).await;
    press(&daemon, &workflow, &[("action", "pause-hard")]).await;
    assert_eq!((phase(&daemon, &workflow).await.as_str(), task().await), ("paused", json!("ready")));
    let stopped = page(&daemon, &path).await;
    assert!(stopped.contains("until you resume it.") && !stopped.contains("Running steps finish"));
    let zh = page(&daemon, &format!("/workflows/{workflow}?lang=zh")).await;
    assert!(zh.contains("已暂停，在您继续之前不会开始新的步骤。"), "{zh}");
}

#[tokio::test]
async fn what_was_interrupted_says_so_and_goes_on_once() {
    let daemon = Daemon::new();
    let workflow = planned(&daemon, json!([{ "id": "task-1", "description": "Search" }])).await;
    let path = format!("/workflows/{workflow}?lang=en");
    let again = [("action", "resume-interrupted")];
    let busy = post(&daemon, &path, &again).await;
    assert_eq!(busy.status, StatusCode::CONFLICT);
    in_this_order(&busy.text(), &["That was not done: ", "it is already running."]);
    ask(&daemon, &workflow, "Go on?", json!(["Y", "n"])).await;
    daemon.runtime.recover().unwrap();
    // A question that waits as well does not hide it.
    let html = page(&daemon, &path).await;
    in_this_order(&html, &["Interrupted.", "Go on?", "value=\"resume-interrupted\""]);
    press(&daemon, &workflow, &again).await;
    let html = page(&daemon, &path).await;
    assert!(!html.contains("Interrupted") && html.contains("value=\"pause\""), "{html}");
    daemon.runtime.recover().unwrap();
    press(&daemon, &workflow, &[("action", "cancel")]).await;
    let html = page(&daemon, &path).await;
    assert!(
        !html.contains("Interrupted") && html.contains("Cancelled. No further steps will run."),
        "{html}"
    );
}

#[tokio::test]
async fn what_cannot_be_done_is_said_on_the_page_in_its_language() {
    let daemon = Daemon::new();
    let (workflow, _) = daemon.executing().await;
    let (other, _) = daemon.executing().await;
    let decision = ask(&daemon, &workflow, "Go on?", json!(["Y", "n"])).await;
    let answer = |to: &str, fields: Vec<(&'static str, String)>| {
        let (daemon, path) = (daemon.clone(), format!("/workflows/{to}?lang=en"));
        async move {
            let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let answer = post(&daemon, &path, &fields).await;
            answer.assert_guarded(&path);
            (answer.status.as_u16(), answer.text())
        }
    };
    let press = |action: &str| vec![("action", action.to_owned())];
    let give = |choice: &str| {
        vec![("action", "answer".to_owned()), ("decision", decision.clone()), ("choice", choice.to_owned())]
    };
    let refused = |(status, text): (u16, String), expected: u16, words: &str| {
        assert_eq!(status, expected, "{text}");
        in_this_order(&text, &["role=\"alert\"", "That was not done: ", words]);
    };
    refused(answer(&workflow, press("resume")).await, 409, "it is not paused.");
    refused(answer(&workflow, press("")).await, 400, "");
    refused(answer(&workflow, give("maybe")).await, 400, "this is not a valid answer.");
    refused(answer(&workflow, give(" ")).await, 400, "nothing was chosen or written.");
    refused(answer(&other, give("Y")).await, 404, "there is no such question.");
    assert_eq!(daemon.get(&format!("/api/v1/decision/{decision}")).await["status"], "pending");
    assert_eq!(answer(&workflow, give("Y")).await.0, 303);
    refused(answer(&workflow, give("n")).await, 409, "it was already answered.");
    assert_eq!(daemon.get(&format!("/api/v1/decision/{decision}")).await["response"], "Y");
    assert_eq!(answer("wf-none", press("pause")).await.0, 404);
    let zh = post(&daemon, &format!("/workflows/{workflow}?lang=zh"), &[("action", "resume")]).await;
    in_this_order(&zh.text(), &["未能执行: ", "并未暂停。"]);
}

#[tokio::test]
async fn text_of_agents_is_text_wherever_it_stands() {
    let daemon = Daemon::new();
    let said =
        json!({ "target": "finger-orchestrator", "message": { "content": HOSTILE }, "blocking": false });
    let workflow = daemon.post("/api/v1/message", said).await["workflowId"].as_str().unwrap().to_owned();
    daemon.step(&workflow, "intent_analyzed", json!({})).await;
    daemon.step(&workflow, "routing_decided", json!({ "route": "full_replan" })).await;
    let tasks = json!([{ "id": "task-1", "description": HOSTILE }]);
    daemon.step(&workflow, "plan_created", json!({ "tasks": tasks })).await;
    daemon
        .step(&workflow, "task_started", json!({ "taskId": "task-1", "agentId": "executor-research" }))
        .await;
    let step = json!({ "taskId": "task-1", "progress": 1, "agentId": "executor-research", "message": HOSTILE,
        "thought": HOSTILE, "action": HOSTILE, "observation": HOSTILE });
    daemon.step(&workflow, "task_progress", step).await;
    let context = format!("{HOSTILE}\n\n```text\nmake test\n```\n[x](javascript:alert(1))");
    let explained =
        json!({ "workflowId": workflow, "message": HOSTILE, "options": [HOSTILE, "n"], "context": context });
    daemon.post("/api/v1/decision", explained).await;
    ask(&daemon, &workflow, HOSTILE, json!([HOSTILE, "b", "c"])).await;
    let free = ask(&daemon, &workflow, HOSTILE, json!([])).await;
    press(&daemon, &workflow, &[("action", "answer"), ("decision", &free), ("choice", HOSTILE)]).await;
    daemon.step(&workflow, "task_failed", json!({ "taskId": "task-1", "error": HOSTILE })).await;
    for path in ["/workflows".to_owned(), format!("/workflows/{workflow}")] {
        let html = page(&daemon, &path).await;
        assert!(!html.contains("<script>alert") && !html.contains("<img src=x"), "{path}");
        // A quotation mark is one in a text; in an attribute it would end it.
        for (at, _) in html.match_indices("\" onfocus=") {
            assert!(html[..at].rfind('<') < html[..at].rfind('>'), "{path}: {}", &html[at - 200..at]);
        }
        assert!(html.contains("&lt;script&gt;alert(1)"), "{path}");
        assert!(!html.contains("href=\"javascript:"), "{path}");
    }
    // What the question is about is there to read before it is answered.
    assert!(page(&daemon, &format!("/workflows/{workflow}")).await.contains("make test"));
}

#[tokio::test]
async fn a_thousand_tasks_and_many_events_make_a_page_of_limited_size() {
    let daemon = Daemon::new();
    let task = |at: u32| {
        let needs = if at > 1 { json!([format!("task-{}", at / 2)]) } else { json!([]) };
        json!({ "id": format!("task-{at}"), "description": format!("Part {at}"), "dependencies": needs })
    };
    let workflow = planned(&daemon, (1..=1000).map(task).collect()).await;
    daemon
        .step(&workflow, "task_started", json!({ "taskId": "task-1", "agentId": "executor-research" }))
        .await;
    let progress = async |at: u64, said: String| {
        let progress = json!({ "taskId": "task-1", "progress": at % 100, "message": said });
        daemon.step(&workflow, "task_progress", progress).await;
    };
    for at in 0..60 {
        progress(at, format!("step {at}")).await;
    }
    let path = format!("/workflows/{workflow}?lang=en");
    let request = Request::get(&path).header("host", "localhost:3721").header("accept-encoding", "gzip");
    let sent = daemon.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!(sent.header("content-encoding"), "gzip", "{}", sent.body.len());
    assert!(sent.body.len() < 20_000, "{}", sent.body.len());
    // However much is said in them, what is behind the events is not in the page.
    for at in 60..120 {
        let word = |word: u64| format!("{:x} ", (at * 150 + word).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        progress(at, (0..150).map(word).collect()).await;
    }
    let html = page(&daemon, &path).await;
    assert!(html.len() < 80_000, "{}", html.len());
    assert_eq!((html.matches("<rect").count(), html.contains("1–50 of 1000 tasks")), (50, true));
    let last = page(&daemon, &format!("/workflows/{workflow}?tasks=20&lang=en")).await;
    in_this_order(&last, &["951–1000 of 1000 tasks", "Part 1000", "id=\"tasks-prev\""]);
    // The events go back to the first, none twice.
    let mut path = format!("/workflows/{workflow}?group=TASK&lang=en");
    let (mut rows, mut pages) = (0, 0);
    loop {
        let html = page(&daemon, &path).await;
        let (_, events) = html.split_once("id=\"events\"").unwrap();
        rows += events.matches("data-seq=").count();
        pages += 1;
        let Some((before, _)) = events.split_once("\" rel=\"next\"") else { break };
        let href = before.rsplit_once("href=\"").unwrap().1;
        path = href.replace("&amp;", "&").split('#').next().unwrap().to_owned();
    }
    assert_eq!((rows, pages), (121, 3), "one that started, and 120 that went on");
}

/// A hundred thousand events of one workflow; every thousandth is a tool that is called, all others are progress.
fn many_events(journal: &dyn Journal, workflow: &str) {
    for thousand in 0..100 {
        let event = |at: i64| {
            let is_call = at == 0;
            let payload = if is_call {
                json!({ "toolId": format!("call-{thousand}"), "toolName": "READ_FILE", "agentId": "executor-coding",
                    "input": { "path": format!("file-{thousand}.md") } })
            } else {
                json!({ "taskId": "task-1", "progress": at / 10, "message": format!("step {}", thousand * 1000 + at) })
            };
            NewEvent {
                id: format!("e-{thousand}-{at}"),
                at: 1_771_815_600_000,
                kind: if is_call { EventType::ToolCall } else { EventType::TaskProgress },
                session: None,
                workflow: Some(workflow.to_owned()),
                task: Some("task-1".to_owned()),
                agent: Some("executor-coding".to_owned()),
                payload: payload.to_string(),
            }
        };
        let events = (0..1000).map(event);
        journal
            .run(&mut |tx| {
                events.clone().for_each(|event| tx.publish(event));
                Ok(())
            })
            .unwrap();
    }
}

/// Ten thousand steps, each with a long question and what it has cost.
fn many_steps(journal: &dyn Journal, workflow: &str) {
    for thousand in 0..10 {
        let step = |no: i64| Step {
            workflow: workflow.to_owned(),
            no: thousand * 1000 + no,
            attempt: 1,
            task: None,
            name: "task-1/1".to_owned(),
            request_sha256: String::new(),
            request: "x".repeat(10_000),
            answer: Some("y".repeat(1000)),
            outcome: None,
            tokens: Some(json!({ "input": 2500, "output": 250, "cost": 0.01 }).to_string()),
            started: 1,
            finished: Some(2),
            version: 0,
        };
        journal.write(|tx| (0..1000).try_for_each(|no| tx.put(step(no).into()))).unwrap();
    }
}

#[tokio::test]
async fn a_hundred_thousand_events_and_ten_thousand_steps_make_a_page_like_any_other() {
    let mut kept: Option<Arc<Sqlite>> = None;
    let access = || Access::open([127, 0, 0, 1].into(), 3721, "");
    let daemon = Daemon::with_journal(access(), access(), |folder, listener| {
        let journal = Arc::new(Sqlite::open(&Dir::open(folder).unwrap(), listener).unwrap());
        kept = Some(Arc::clone(&journal));
        journal
    });
    let journal = kept.unwrap();
    let task = |at: u32| {
        let needs = if at > 1 { json!([format!("task-{}", at / 2)]) } else { json!([]) };
        json!({ "id": format!("task-{at}"), "description": format!("Part {at}"), "dependencies": needs })
    };
    let workflow = planned(&daemon, (1..=1000).map(task).collect()).await;
    many_events(&*journal, &workflow);
    many_steps(&*journal, &workflow);
    let look = async |query: &str| {
        let html = page(&daemon, &format!("/workflows/{workflow}?{query}lang=en")).await;
        assert!(html.len() < 120_000, "{query}: {}", html.len());
        html
    };
    let numbers = |html: &str| -> Vec<i64> {
        let rows = html.split("<li data-seq=\"").skip(1);
        rows.map(|row| row.split('"').next().unwrap().parse().unwrap()).collect()
    };
    let html = look("").await;
    in_this_order(
        &html,
        &["25\u{202f}000\u{202f}000 in, 2\u{202f}500\u{202f}000 out", "$100.0000", "step 99999"],
    );
    let last = numbers(&html);
    assert_eq!(
        last,
        (last[0] - 49..=last[0]).rev().collect::<Vec<_>>(),
        "fifty, the last first, none left out"
    );
    // Back in the middle, and by what is rare.
    let middle = look(&format!("before={}&", last[0] - 50_000)).await;
    assert_eq!(numbers(&middle), last.iter().map(|seq| seq - 50_001).collect::<Vec<_>>());
    let tools = look("group=TOOL&").await;
    in_this_order(&tools, &["file-99.md", "file-50.md", "id=\"events-next\""]);
    let calls = numbers(&tools);
    let older = look(&format!("group=TOOL&before={}&", calls[49])).await;
    in_this_order(&older, &["file-49.md", "file-0.md"]);
    assert_eq!(numbers(&older).len(), 50);
    assert!(!older.contains("id=\"events-next\""), "that was all");
    assert!(numbers(&look("group=HUMAN_IN_LOOP&").await).is_empty());
    in_this_order(&look("tasks=20&").await, &["951–1000 of 1000 tasks", "Part 1000"]);
}

#[tokio::test]
async fn only_events_of_the_wanted_group_are_shown() {
    let daemon = Daemon::new();
    let (workflow, _) = daemon.executing().await;
    let html = page(&daemon, &format!("/workflows/{workflow}?group=PHASE&lang=en")).await;
    let (_, events) = html.split_once("id=\"events\"").unwrap();
    in_this_order(events, &["id=\"group-PHASE\"", "aria-current=\"true\"", "planning → executing"]);
    assert!(!events.contains("The plan has"), "{events}");
    let all = page(&daemon, &format!("/workflows/{workflow}?lang=en")).await;
    assert!(all.contains("The plan has 1 task, 0 done."), "{all}");
}

#[tokio::test]
async fn a_form_that_comes_from_elsewhere_is_refused() {
    let daemon = Daemon::new();
    let (workflow, _) = daemon.executing().await;
    let path = format!("/workflows/{workflow}");
    let of = |origin: &str, media_type: &str| {
        let request = Request::builder().method(Method::POST).uri(&path).header("host", "localhost:3721");
        let request = request.header("origin", origin).header("content-type", media_type);
        daemon.send(request.body(Body::from("action=cancel")).unwrap())
    };
    let usual = "application/x-www-form-urlencoded";
    assert_eq!(of("http://elsewhere.example", usual).await.status, StatusCode::FORBIDDEN);
    assert_eq!(of("http://localhost:3721", "text/plain").await.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert_eq!(phase(&daemon, &workflow).await, "execution");
}

/// What the engine asks before it runs this command.
fn consent(workflow: &str, command: &str) -> NewDecision {
    let params = serde_json::Map::from_iter([("command".to_owned(), json!(command))]);
    NewDecision {
        workflow_id: Some(workflow.to_owned()),
        message: ToolName::ShellExec.question(&params),
        options: Consent::OPTIONS.map(str::to_owned).to_vec(),
        multi_select: Some(false),
        context: Some(ToolName::ShellExec.shown(&params)),
        ..NewDecision::default()
    }
}

#[tokio::test]
async fn what_a_person_agrees_to_is_asked_in_their_language_with_the_whole_call() {
    let daemon = Daemon::new();
    let (workflow, _) = daemon.executing().await;
    let command = format!("rm -rf build && make all {}", "x".repeat(400));
    let asked = daemon.runtime.create_decision(None, &consent(&workflow, &command)).unwrap();
    let asked: Value = serde_json::from_str(&asked).unwrap();
    let id = asked["decisionId"].as_str().unwrap();
    let shown = command.replace('&', "&amp;");
    let path = format!("/workflows/{workflow}");
    let en = page(&daemon, &format!("{path}?lang=en")).await;
    let buttons = [
        &*format!("id=\"choice-{id}-0\" type=\"submit\" name=\"choice\" value=\"Y\""),
        "Allow this call",
        &*format!("id=\"choice-{id}-2\" type=\"submit\" name=\"choice\" value=\"always\""),
        "Allow SHELL_EXEC for this workflow",
        &*format!("id=\"choice-{id}-1\" type=\"submit\" name=\"choice\" value=\"n\""),
        "Deny",
    ];
    in_this_order(&en, &["Waiting for you", "Allow running a command (rm -rf build", "SHELL_EXEC", &shown]);
    in_this_order(&en, &buttons);
    // The JSON of its events is as programs read it.
    let (shown_of_it, events) = en.split_once("id=\"events\"").unwrap();
    assert!(!shown_of_it.contains("检测到"), "{shown_of_it}");
    in_this_order(events, &["Question: Allow running a command (rm -rf"]);
    let asked_at = en[..en.rfind("Question: Allow running").unwrap()].rsplit_once("data-seq=\"").unwrap().1;
    let seq = asked_at.split_once('"').unwrap().0;
    let event = page(&daemon, &format!("{path}/events/{seq}?lang=en")).await;
    in_this_order(&event, &["<h1>Question: Allow running a command (rm -rf", "\"message\": \"检测到"]);
    let zh = page(&daemon, &format!("{path}?lang=zh")).await;
    let words = ["仅允许这次调用", "在此工作流中始终允许 SHELL_EXEC", "拒绝"];
    in_this_order(&zh, &["检测到命令执行（rm -rf build", &shown, words[0], words[1], words[2]]);
    press(&daemon, &workflow, &[("action", "answer"), ("decision", id), ("choice", "always")]).await;
    let answered = daemon.get(&format!("/api/v1/decision/{id}")).await;
    assert_eq!((&answered["response"], &answered["options"]), (&json!("always"), &json!(["Y", "n"])));
    assert_eq!(answered["consent"]["answers"][2], json!({ "answer": "always", "effect": "allow_tool" }));
    let en = page(&daemon, &format!("{path}?lang=en")).await;
    let (_, decided) = en.split_once("id=\"decided\"").unwrap();
    in_this_order(decided, &["Allow running a command (rm -rf", "Allow SHELL_EXEC for this workflow"]);
}

#[tokio::test]
async fn the_answers_of_the_contract_are_taken_by_rest_to_the_letter() {
    let daemon = Daemon::new();
    let (workflow, _) = daemon.executing().await;
    for (answer, effect) in
        [("Y", "Y"), ("y", "Y"), ("yes", "Y"), ("", "Y"), ("1", "Y"), ("n", "n"), ("2", "n")]
    {
        let asked = daemon.runtime.create_decision(None, &consent(&workflow, "make")).unwrap();
        let asked: Value = serde_json::from_str(&asked).unwrap();
        let path = format!("/api/v1/decision/{}", asked["decisionId"].as_str().unwrap());
        let answered = daemon.post(&format!("{path}/respond"), json!({ "response": answer })).await;
        assert_eq!(answered["selected"], json!([effect]), "{answer:?}");
    }
}

#[tokio::test]
async fn what_was_cancelled_is_cancelled_and_not_failed() {
    let daemon = Daemon::new();
    let (workflow, _) = daemon.executing().await;
    press(&daemon, &workflow, &[("action", "cancel")]).await;
    let list = page(&daemon, "/workflows?lang=en").await;
    in_this_order(&list, &["data-state=\"cancelled\"", "cancelled"]);
    assert!(!list.contains("data-state=\"failed\""), "{list}");
    let html = page(&daemon, &format!("/workflows/{workflow}?lang=en")).await;
    in_this_order(
        &html,
        &["data-say=\"Phase: cancelled\"", "id=\"now\" data-state=\"cancelled\"", "Cancelled."],
    );
    in_this_order(&html, &["id=\"events\"", "The workflow was cancelled."]);
    // Programs read what the contract says.
    assert_eq!(phase(&daemon, &workflow).await, "failed");
    assert_eq!(daemon.get(&format!("/api/v1/workflows/{workflow}")).await["cancelled"], true);
}

#[tokio::test]
async fn events_are_sentences_with_their_json_behind() {
    let daemon = Daemon::new();
    let workflow = planned(&daemon, json!([{ "id": "task-1", "description": "Search" }])).await;
    daemon
        .step(&workflow, "task_started", json!({ "taskId": "task-1", "agentId": "executor-research" }))
        .await;
    let others = planned(&daemon, json!([{ "id": "task-1", "description": "Search" }])).await;
    for (lang, sentence, open) in [
        ("en", "executor-research began task-1: Search", "Open the JSON"),
        ("zh", "executor-research 开始 task-1: Search", "打开 JSON"),
    ] {
        let html = page(&daemon, &format!("/workflows/{workflow}?group=TASK&lang={lang}")).await;
        let (_, events) = html.split_once("id=\"events\"").unwrap();
        in_this_order(events, &["data-type=\"task_started\"", sentence, "<details id=\"event-", open]);
        assert!(!events.contains("taskId"), "the JSON is where the link leads: {events}");
        // Without script the link is all that it takes.
        let path = format!("/workflows/{workflow}/events/");
        let (_, link) = events.split_once(&format!("href=\"{path}")).unwrap();
        let (seq, rest) = link.split_once('?').unwrap();
        assert!(rest.starts_with(&format!("lang={lang}\"")), "{rest}");
        let html = page(&daemon, &format!("{path}{seq}?lang={lang}")).await;
        let back = format!("href=\"/workflows/{workflow}?lang={lang}\"");
        in_this_order(
            &html,
            &[&back, &format!("<h1>{sentence}"), "class=\"json\"", "task_started", "\"taskId\": \"task-1\""],
        );
        // An event that is none, that is none any more, or that another workflow has.
        for path in [
            format!("{path}x?lang={lang}"),
            format!("{path}999999?lang={lang}"),
            format!("/workflows/{others}/events/{seq}?lang={lang}"),
        ] {
            let answer = daemon.page(&path).await;
            assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
            let word = if lang == "en" { "Back to the workflow" } else { "回到工作流" };
            assert!(answer.text().contains(word), "{path}: {}", answer.text());
        }
        let unknown = daemon.page(&format!("/workflows/wf-none/events/{seq}?lang={lang}")).await;
        assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn workflows_are_looked_for_and_removed() {
    let daemon = Daemon::new();
    let (first, _) = daemon.executing().await;
    let (second, _) = daemon.executing().await;
    press(&daemon, &second, &[("action", "cancel")]).await;
    ask(&daemon, &first, "Go on?", json!(["Y", "n"])).await;
    let links = |html: &str| -> Vec<String> {
        let found =
            [&first, &second].into_iter().filter(|id| html.contains(&format!("id=\"workflow-{id}\"")));
        found.cloned().collect()
    };
    for (query, found) in [
        ("", vec![first.clone(), second.clone()]),
        ("state=active&", vec![first.clone()]),
        ("state=waiting&", vec![first.clone()]),
        ("state=cancelled&", vec![second.clone()]),
        ("state=failed&", vec![]),
        ("search=DeepSeek&", vec![first.clone(), second.clone()]),
        ("search=nothing&", vec![]),
    ] {
        let html = page(&daemon, &format!("/workflows?{query}lang=en")).await;
        assert_eq!(links(&html), found, "{query}");
        let all = daemon.get(&format!("/api/v1/workflows?{query}")).await;
        assert_eq!(all.as_array().unwrap().len(), found.len(), "{query}");
    }
    let none = page(&daemon, "/workflows?search=nothing&state=failed&lang=en").await;
    in_this_order(
        &none,
        &[
            "<h1>Workflows</h1>",
            "value=\"nothing\"",
            "value=\"failed\" selected",
            "No workflow matches",
            "Show all",
        ],
    );
    let unknown = daemon.send(get_request("/api/v1/workflows?state=asleep")).await;
    assert_eq!(unknown.status, StatusCode::BAD_REQUEST);
    let remove = async |id: &str| {
        let request = Request::delete(format!("/api/v1/workflows/{id}")).header("host", "localhost:3721");
        let answer = daemon.send(request.body(Body::empty()).unwrap()).await;
        (answer.status.as_u16(), serde_json::from_str::<Value>(&answer.text()).unwrap()["code"].clone())
    };
    assert_eq!(remove(&first).await, (409, json!("WORKFLOW_ACTIVE")));
    assert_eq!(remove(&second).await, (200, Value::Null));
    assert_eq!(remove(&second).await, (404, json!("WORKFLOW_NOT_FOUND")));
    assert_eq!(daemon.get("/api/v1/workflows").await.as_array().unwrap().len(), 1);
}

fn get_request(path: &str) -> Request<Body> {
    Request::get(path).header("host", "localhost:3721").body(Body::empty()).unwrap()
}
