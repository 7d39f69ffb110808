//! Several sets of questions on one server: the inbox, each of them, and what leads from one to the next.

use crate::support::{Answer, ITEMS, in_this_order, open};
use app::{Hall, ProjectRoom};
use axum::Router;
use axum::body::{Body, to_bytes};
use http::{Request, StatusCode};
use model::{Ask, Ending, Origin, Questions, SessionId, Via};
use protocol::workflow::{Consent, ToolName};
use serde_json::{Value, json};
use server::Access;
use std::sync::Arc;
use store::{Decisions, Project};
use tempfile::TempDir;
use tower::ServiceExt;

const LONG_AGO: &str = "2001-01-15T10:30:00+08:00";

/// A project of its own, with questions in the slot.
struct Room {
    folder: TempDir,
    decisions: Decisions,
    slot: SessionId,
}

struct SeveralRooms {
    rooms: Vec<Room>,
    hall: Arc<Hall>,
    router: Router,
}

fn questions(task: &str) -> Questions {
    Questions::parse(ITEMS.replace("测试任务", task).as_bytes()).unwrap()
}

fn agent() -> Origin {
    let text = str::to_owned;
    Origin::Agent { plan: text("plan"), task: text("task"), agent: text("<b>ann</b>"), request: text("r") }
}

fn workflow() -> Origin {
    let text = str::to_owned;
    let (task, agent) = (None, None);
    let (workflow, session) = (Some(text("wf-1")), Some(text("s")));
    Origin::Workflow { workflow, session, task, agent, decision: text("d") }
}

impl SeveralRooms {
    /// One set of a project, which the server ends with, and another project when `two`.
    fn new(two: bool) -> Self {
        let opened = open(ITEMS);
        let decisions = opened.hall.decisions().unwrap().clone();
        let mut rooms = vec![Room { folder: opened.folder, decisions, slot: opened.id }];
        let hall = opened.hall;
        if two {
            let other = open(&ITEMS.replace("测试任务", "另一个项目"));
            let (project, decisions) = (other.hall.project().unwrap(), other.hall.decisions().unwrap());
            let name = "other".to_owned();
            assert!(hall.add_project(ProjectRoom { name, project, decisions: decisions.clone() }));
            rooms.push(Room { folder: other.folder, decisions, slot: other.id });
        }
        let hall = Arc::new(hall);
        let router = server::router(Arc::clone(&hall), Access::open([127, 0, 0, 1].into(), 3721, ""));
        Self { rooms, hall, router }
    }

    fn put(&self, room: usize, task: &str, origin: Origin, deadline: Option<&str>) -> SessionId {
        let asked = questions(task);
        let ask = Ask { questions: &asked, origin, deadline: deadline.map(str::to_owned) };
        self.rooms[room].decisions.put(ask, task).unwrap().pending().session
    }

    async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap().to_vec();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    async fn get(&self, path: &str) -> Answer {
        self.send(Request::get(path).header("host", "localhost:3721").body(Body::empty()).unwrap()).await
    }

    async fn page(&self, path: &str) -> String {
        let answer = self.get(path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.text());
        answer.assert_guarded(path);
        answer.text()
    }

    async fn post(&self, path: &str, content_type: &str, body: String) -> Answer {
        let request = Request::post(path)
            .header("host", "localhost:3721")
            .header("origin", "http://localhost:3721")
            .header("content-type", content_type);
        self.send(request.body(Body::from(body)).unwrap()).await
    }

    async fn form(&self, fields: String) -> Answer {
        self.post("/submit?lang=en", "application/x-www-form-urlencoded", fields).await
    }

    async fn json(&self, path: &str, body: &Value) -> Answer {
        self.post(path, "application/json", body.to_string()).await
    }

    fn chosen(&self, room: usize, session: &SessionId) -> Value {
        let record = self.rooms[room].decisions.record(session).unwrap().unwrap();
        let output = record.output().unwrap_or_else(|| panic!("{:?}", record.ending));
        json!(output.decisions.iter().map(|decision| &decision.chosen).collect::<Vec<_>>())
    }
}

#[tokio::test]
async fn one_set_is_the_form_and_several_are_the_inbox() {
    let several = SeveralRooms::new(false);
    let form = several.page("/?lang=en").await;
    assert!(form.contains("id=\"decide\"") && !form.contains("id=\"inbox\""), "{form}");
    assert!(!form.contains("Inbox") && !form.contains("more set"), "one set knows of no others: {form}");
    // At an address of its own it is the same page.
    let own = several.page(&format!("/d/{}?lang=en", several.rooms[0].slot)).await;
    let without_nonce = |page: &str| {
        let parts = page.split("nonce=\"").map(|part| part.split_once('"').map_or(part, |(_, rest)| rest));
        parts.collect::<String>()
    };
    assert_eq!(without_nonce(&own), without_nonce(&form));

    let version = several.page_version().await;
    let second = several.put(0, "<i>second</i>", agent(), Some("2999-01-15T10:30:00+00:00"));
    let third = several.put(0, "third", workflow(), None);
    assert_ne!(several.page_version().await, version);
    let inbox = several.page("/?lang=en").await;
    for part in [
        "<title>(3) Aide inbox</title>",
        "3 sets of questions</h1>",
        ">测试任务</a>",
        "&lt;i&gt;second&lt;/i&gt;</a>",
        "agent &lt;b&gt;ann&lt;/b&gt; · plan plan · task task",
        "due 2999-01-15",
        "workflow wf-1",
        "2 questions",
        "/?lang=zh",
    ] {
        assert!(inbox.contains(part), "{part} is missing in {inbox}");
    }
    let places: Vec<_> = [several.rooms[0].slot.clone(), second.clone(), third.clone()]
        .map(|session| inbox.find(&format!("href=\"/d/{session}?lang=en\"")).unwrap())
        .to_vec();
    assert!(places.is_sorted(), "the oldest first");
    let form = several.page(&format!("/d/{second}?lang=en")).await;
    assert!(form.contains("due 2999-01-15") && form.contains("2 more sets are waiting"), "{form}");
    assert!(form.contains(&format!("href=\"/d/{second}?lang=zh\"")), "{form}");
    let inbox = several.page("/?lang=zh").await;
    assert!(inbox.contains("3 组待定项</h1>") && inbox.contains("工作流 wf-1"), "{inbox}");
}

#[tokio::test]
async fn the_inbox_is_searched_and_shows_one_project_where_that_is_wanted() {
    let several = SeveralRooms::new(true);
    several.put(0, "Pay the <b>bill</b>", agent(), None);
    let root = several.rooms[1].folder.path().canonicalize().unwrap().display().to_string();
    let all = several.page("/?lang=en").await;
    assert!(all.contains("role=\"search\"") && all.contains(&format!("<option value=\"{root}\"")), "{all}");
    let named = form_urlencoded::Serializer::new(String::new()).append_pair("project", &root).finish();
    for (query, found) in [
        ("", ["测试任务", "另一个项目", "Pay the"].as_slice()),
        ("search=BILL&", &["Pay the"]),
        ("search=%E9%A1%B9%E7%9B%AE&", &["另一个项目"]),
        (&format!("{named}&"), &["另一个项目"]),
        (&format!("{named}&search=bill&"), &[]),
    ] {
        let inbox = several.page(&format!("/?{query}lang=en")).await;
        let (_, list) = inbox.split_once("class=\"sets\"").unwrap();
        for task in ["测试任务", "另一个项目", "Pay the"] {
            assert_eq!(list.contains(task), found.contains(&task), "{query}: {list}");
        }
        // How much waits is said of all.
        assert!(inbox.contains("<title>(3) Aide inbox</title>"), "{query}");
        assert_eq!(inbox.contains("No questions match"), found.is_empty(), "{query}");
        assert_eq!(inbox.contains("id=\"show-all\""), !query.is_empty(), "{query}");
    }
    let hostile = several.page("/?search=%22%3E%3Cscript%3Ealert(1)&lang=en").await;
    assert!(!hostile.contains("<script>alert"), "{hostile}");
}

#[tokio::test]
async fn very_many_sets_are_counted_and_searched_and_shown_fifty_at_a_time() {
    let several = SeveralRooms::new(true);
    // With that of each of two projects.
    for number in 0..118 {
        several.put(number % 2, &format!("Question {number:03}."), agent(), None);
    }
    let shown = |page: &str| page.split_once("class=\"sets\"").unwrap().1.matches("id=\"set-").count();
    let title = "<title>(120) Aide inbox</title>";
    for (query, count, heading, pages) in [
        ("", 50, "120 sets of questions</h1>", [false, true]),
        ("page=2&", 50, "120 sets of questions</h1>", [true, true]),
        ("page=3&", 20, "120 sets of questions</h1>", [true, false]),
        ("search=question&page=2&", 50, "118 sets of questions</h1>", [true, true]),
        ("search=QUESTION+11&", 8, "8 sets of questions</h1>", [false, false]),
        ("page=0&", 50, "120 sets of questions</h1>", [false, true]),
        // The last page, where there is no such page any more.
        ("page=9&", 20, "120 sets of questions</h1>", [true, false]),
        ("search=question&page=9&", 18, "118 sets of questions</h1>", [true, false]),
    ] {
        let page = several.page(&format!("/?{query}lang=en")).await;
        assert_eq!(shown(&page), count, "{query}: {page}");
        assert!(page.contains(heading) && page.contains(title), "{query}: {page}");
        assert_eq!(["rel=\"prev\"", "rel=\"next\""].map(|way| page.contains(way)), pages, "{query}");
    }
    let second = several.page("/?page=2&lang=en").await;
    assert!(second.contains("Question 060.") && !second.contains("Question 117."), "{second}");
    assert!(second.contains("/?page=3&amp;lang=en") && second.contains("/?lang=en"), "{second}");
    // The page asks for its own version.
    assert!(second.contains("/inbox/version?page=2&lang=en"), "{second}");
    let versions = ["", "?page=2", "?page=2&lang=en", "?search=nothing"];
    let [first, second, same, none] = versions.map(|query| format!("/inbox/version{query}"));
    let (first, second, same) = (
        several.get(&first).await.text(),
        several.get(&second).await.text(),
        several.get(&same).await.text(),
    );
    assert_eq!(second, same);
    assert!(first != second && several.get(&none).await.text() != first);
}

#[tokio::test]
async fn only_the_sets_that_the_inbox_shows_have_been_looked_at() {
    let several = SeveralRooms::new(false);
    let bill = several.put(0, "Pay the bill", agent(), None);
    let wall = several.put(0, "Paint the wall", agent(), None);
    let looked_at = || {
        let forms = several.hall.open_forms();
        let named =
            |session: &SessionId| forms.iter().find(|form| form.pending().session == *session).unwrap();
        [&bill, &wall].map(|session| several.hall.was_looked_at(named(session).id()))
    };
    let shown = |path: &str| {
        let request =
            Request::get(path).header("host", "localhost:3721").header("sec-fetch-dest", "document");
        several.send(request.body(Body::empty()).unwrap())
    };
    several.page("/?lang=en").await;
    assert_eq!(looked_at(), [false, false], "a program has fetched it");
    assert_eq!(shown("/?search=bill&lang=en").await.status, StatusCode::OK);
    assert_eq!(looked_at(), [true, false]);
    assert_eq!(shown("/?lang=en").await.status, StatusCode::OK);
    assert_eq!(looked_at(), [true, true]);
}

#[tokio::test]
async fn whether_a_tool_may_be_used_is_asked_in_the_language_of_the_page() {
    let several = SeveralRooms::new(false);
    let command = format!("rm -rf build; make all {}", "x".repeat(400));
    let params = serde_json::Map::from_iter([("command".to_owned(), json!(command))]);
    let options = Consent::OPTIONS.map(|option| json!({ "value": option, "label": option }));
    let (tool, mut item) = (ToolName::ShellExec, json!({ "id": 1, "options": options }));
    (item["title"], item["context"]) = (json!(tool.question(&params)), json!(tool.shown(&params)));
    let asked =
        Questions::from_value(json!({ "task": "Build it", "source": "wf-1", "items": [item] })).unwrap();
    let ask = Ask { questions: &asked, origin: workflow(), deadline: None };
    let set = several.rooms[0].decisions.put(ask, "consent").unwrap().pending().session;
    let inbox = several.page("/?lang=en").await;
    assert!(inbox.contains("Allow running a command (rm -rf build") && !inbox.contains("检测到"), "{inbox}");
    for (lang, words) in [
        (
            "en",
            ["Allow running a command (rm", &command, "Allow this call", "Deny", "Allow SHELL_EXEC for this"],
        ),
        ("zh", ["检测到命令执行（rm", &command, "仅允许这次调用", "拒绝", "始终允许 SHELL_EXEC"]),
    ] {
        let form = several.page(&format!("/d/{set}?lang={lang}")).await;
        in_this_order(&form, &words);
        assert_eq!(form.contains("检测到"), lang == "zh", "{form}");
    }
    // Its farewell and its record speak the same language, and the answer is that of the contract.
    let fields = format!("session={set}&item-1=0");
    let farewell = several.form(fields).await;
    let text = farewell.text();
    assert!(text.contains("Allow this call") && !text.contains("检测到"), "{text}");
    assert_eq!(several.chosen(0, &set), json!(["Y"]));
    let record = several.page(&format!("/history/{set}?lang=en")).await;
    assert!(record.contains("Allow this call") && !record.contains("检测到"), "{record}");
}

impl SeveralRooms {
    async fn page_version(&self) -> String {
        let answer = self.get("/inbox/version").await;
        assert_eq!(answer.status, StatusCode::OK);
        answer.text()
    }
}

#[tokio::test]
async fn an_answer_leads_to_the_next_by_every_door() {
    let several = SeveralRooms::new(false);
    let slot = several.rooms[0].slot.clone();
    let second = several.put(0, "second", agent(), None);
    let third = several.put(0, "third", workflow(), None);
    let fourth = several.put(0, "fourth", Origin::Decide, None);

    // The plain form, at the address that all forms have.
    let answer = several.form(format!("session={third}&item-1=0&item-2=1")).await;
    assert_eq!(answer.status, StatusCode::OK);
    let page = answer.text();
    assert!(
        page.contains(&format!("href=\"/d/{slot}?lang=en\"")) && page.contains("Next: 测试任务"),
        "{page}"
    );
    assert!(page.contains("3 more sets are waiting") && !page.contains("close this page"), "{page}");
    assert_eq!(several.chosen(0, &third), json!(["a", "b"]));

    // The hydrated page.
    let sheet = json!({"session": slot, "lang": "en",
        "sheet": {"answers": [{"id": 1, "options": [1]}, {"id": 2, "options": [0]}]}});
    let answer = several.json("/fn/submit", &sheet).await;
    assert_eq!(answer.status, StatusCode::OK);
    let part = answer.json().as_str().unwrap().to_owned();
    assert!(part.contains(&format!("href=\"/d/{second}?lang=en\"")), "{part}");
    assert_eq!(several.chosen(0, &slot), json!(["b", "a"]));

    // Sent back, and by a script.
    let answer = several.form(format!("session={second}&return-message=why&action=return")).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert!(answer.text().contains(&format!("href=\"/d/{fourth}?lang=en\"")), "{}", answer.text());
    let answers = json!({"decisions": [{"id": 1, "chosen": "a"}, {"id": 2, "chosen": "a"}]});
    let answer = several.json(&format!("/d/{fourth}/api/submit"), &answers).await;
    assert_eq!((answer.status, &answer.json()["success"]), (StatusCode::OK, &json!(true)));
    assert_eq!(several.chosen(0, &fourth), json!(["a", "a"]));

    // The last one leads nowhere, and each can be seen again where it ended.
    let again = several.form(format!("session={third}&item-1=1&item-2=1")).await;
    assert_eq!(again.status, StatusCode::CONFLICT);
    assert!(again.text().contains("选项A") && !again.text().contains("next-set"), "{}", again.text());
    let gone = several.get(&format!("/d/{second}?lang=en")).await;
    assert_eq!(gone.status, StatusCode::SEE_OTHER);
    assert_eq!(gone.header("location"), format!("/history/{second}?lang=en"));
    for nothing in ["/d/x", "/d/2020-01-01T00-00-00.", "/d/other.2020-01-01T00-00-00"] {
        assert_eq!(several.get(nothing).await.status, StatusCode::NOT_FOUND, "{nothing}");
    }
    let never = several.get("/d/2020-01-01T00-00-00/api/items").await;
    assert_eq!(never.status, StatusCode::NOT_FOUND);
    assert!(never.json()["error"].is_string());
}

#[tokio::test]
async fn the_documented_paths_mean_the_slot_whatever_else_is_open() {
    let several = SeveralRooms::new(false);
    let other = several.put(0, "other", agent(), None);
    assert_eq!(several.get("/api/items").await.json()["task"], "测试任务");
    assert_eq!(several.get(&format!("/d/{other}/api/items")).await.json()["task"], "other");
    let answers = json!({"decisions": [{"id": 1, "chosen": "b"}, {"id": 2, "chosen": "b"}]});
    assert_eq!(several.json("/api/submit", &answers).await.status, StatusCode::OK);
    assert_eq!(several.chosen(0, &several.rooms[0].slot.clone()), json!(["b", "b"]));
    assert!(several.rooms[0].decisions.record(&other).unwrap().is_none());
    // The slot was answered: no other questions take its place.
    let again = several.json("/api/submit", &answers).await;
    assert_eq!(again.status, StatusCode::CONFLICT);
    assert!(several.rooms[0].decisions.record(&other).unwrap().is_none());
}

#[tokio::test]
async fn what_ended_before_the_server_knew_it_has_ended() {
    let several = SeveralRooms::new(true);
    let answers = json!({"decisions": [{"id": 1, "chosen": "a"}, {"id": 2, "chosen": "b"}]});
    for (room, prefix) in ["", "other."].into_iter().enumerate() {
        let other = several.put(room, "answered elsewhere", agent(), None);
        let decisions = &several.rooms[room].decisions;
        let (pending, asked) = decisions.set(&other).unwrap().unwrap();
        decisions.publish(&pending, &asked, Ending::Cancelled, Via::Terminal).unwrap();
        let path = format!("/d/{prefix}{other}");
        let answer = several.json(&format!("{path}/api/submit"), &answers).await;
        assert_eq!(answer.status, StatusCode::CONFLICT, "{}", answer.text());
        let answer = several.json(&format!("{path}/files/1/remove"), &json!({"name": "a"})).await;
        assert_eq!(answer.status, StatusCode::CONFLICT, "{}", answer.text());
        assert_eq!(several.rooms[room].decisions.record(&other).unwrap().unwrap().ending, Ending::Cancelled);
    }
}

#[tokio::test]
async fn the_page_of_questions_that_ended_just_now_says_so_also_to_who_does_not_follow() {
    let several = SeveralRooms::new(true);
    for (room, prefix) in ["", "other."].into_iter().enumerate() {
        let other = several.put(room, "cancelled elsewhere", agent(), None);
        let path = format!("/d/{prefix}{other}?lang=en");
        assert!(several.page(&path).await.contains("id=\"submit-btn\""));
        let decisions = &several.rooms[room].decisions;
        let (pending, asked) = decisions.set(&other).unwrap().unwrap();
        decisions.publish(&pending, &asked, Ending::Cancelled, Via::Terminal).unwrap();
        // At once: no form that takes no answer is shown until the server looks.
        let answer = several.get(&path).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER);
        let record = answer.header("location");
        let html = answer.text();
        assert!(html.contains("cancelled") && !html.contains("id=\"submit-btn\""), "{html}");
        assert!(several.page(&record).await.contains("cancelled"));
    }
}

#[tokio::test]
async fn what_was_typed_stays_with_its_set() {
    let several = SeveralRooms::new(false);
    let second = several.put(0, "second", agent(), None);
    let slot = several.rooms[0].slot.clone();
    let version = several.page_version().await;
    let kept = several.form(format!("session={second}&item-1=1&note-1=typed&action=inbox")).await;
    assert_eq!((kept.status, kept.header("location").as_str()), (StatusCode::SEE_OTHER, "/?lang=en"));
    assert_ne!(several.page_version().await, version);
    let inbox = several.page("/?lang=en").await;
    assert!(inbox.contains("1 of 2 questions answered"), "{inbox}");
    assert!(several.page(&format!("/d/{second}")).await.contains("typed</textarea>"));
    assert!(!several.page(&format!("/d/{slot}")).await.contains("typed</textarea>"));
    let draft = json!({"session": slot, "lang": "en", "sheet": {"answers": [{"id": 2, "note": "mine"}]}});
    assert_eq!(several.json("/fn/draft", &draft).await.status, StatusCode::OK);
    assert!(!several.page(&format!("/d/{second}")).await.contains("mine</textarea>"));
    // Every button of the form comes back to the form of the same set.
    for action in ["show", "recommend", "review"] {
        let page = several.form(format!("session={second}&action={action}")).await.text();
        assert!(page.contains(&format!("value=\"{second}\"")) && page.contains("Inbox"), "{action}: {page}");
    }
}

#[tokio::test]
async fn after_the_deadline_nothing_is_accepted_by_any_door() {
    let several = SeveralRooms::new(false);
    for (number, door) in ["form", "function", "api", "draft"].into_iter().enumerate() {
        let task = format!("late {number}");
        let late = several.put(0, &task, agent(), Some(LONG_AGO));
        let answer = match door {
            "form" => several.form(format!("session={late}&item-1=0&item-2=0")).await,
            "api" => {
                let answers = json!({"decisions": [{"id": 1, "chosen": "a"}, {"id": 2, "chosen": "a"}]});
                several.json(&format!("/d/{late}/api/submit"), &answers).await
            }
            _ => {
                let answers = json!([{"id": 1, "options": [0]}, {"id": 2, "options": [0]}]);
                let sheet = json!({"session": late, "lang": "en", "sheet": {"answers": answers}});
                several.json("/fn/submit", &sheet).await
            }
        };
        assert_eq!(answer.status, StatusCode::CONFLICT, "{door}");
        assert!(
            answer.text().contains("deadline has passed") || answer.text().contains("截止时间已过"),
            "{}",
            answer.text()
        );
        let record = several.rooms[0].decisions.record(&late).unwrap().unwrap();
        assert_eq!(record.ending, Ending::Expired(LONG_AGO.to_owned()), "{door}");
    }
    // The server looks by itself, too, and the history says so.
    let late = several.put(0, "unseen", agent(), Some(LONG_AGO));
    let form = several.hall.form_named(&late.to_string()).unwrap();
    assert!(form.ending().is_none());
    several.hall.look();
    assert_eq!(form.ending(), Some(&Ending::Expired(LONG_AGO.to_owned())));
    let history = several.page("/history?lang=en").await;
    assert!(history.contains("expired") && history.contains("unseen"), "{history}");
    let record = several.page(&format!("/history/{late}?lang=en")).await;
    assert!(record.contains("expired") && record.contains("deadline"), "{record}");
}

#[tokio::test]
async fn one_server_answers_two_projects_with_three_askers_each() {
    let several = SeveralRooms::new(true);
    let name = |room: usize, session: &SessionId| {
        if room == 0 { session.to_string() } else { format!("other.{session}") }
    };
    let mut sets = Vec::new();
    for room in 0..2 {
        sets.push((room, several.rooms[room].slot.clone()));
        sets.push((room, several.put(room, "asked by an agent", agent(), None)));
        sets.push((room, several.put(room, "asked by a workflow", workflow(), None)));
    }
    let inbox = several.page("/?lang=en").await;
    assert!(inbox.contains("(6) Aide inbox") && inbox.contains("另一个项目"), "{inbox}");
    let other = several.rooms[1].folder.path().file_name().unwrap().to_string_lossy().into_owned();
    assert_eq!(inbox.matches(&format!("<code>{other}</code>")).count(), 3, "{inbox}");
    for (count, (room, session)) in sets.iter().enumerate() {
        let set = name(*room, session);
        let form = several.page(&format!("/d/{set}")).await;
        assert!(form.contains(&format!("value=\"{set}\"")), "{form}");
        let (first, second) = (count % 2, count / 2 % 2);
        let answer = several.form(format!("session={set}&item-1={first}&item-2={second}")).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
        let left = sets.len() - count - 1;
        assert_eq!(answer.text().contains("next-set"), left > 0);
        let values = ["a", "b"];
        assert_eq!(several.chosen(*room, session), json!([values[first], values[second]]));
        // The other project has got no answers.
        let other = several.rooms[1 - room].decisions.record(session).unwrap();
        assert!(other.is_none() || sets[..count].contains(&(1 - room, session.clone())));
    }
    assert!(several.hall.open().is_empty());
}

#[tokio::test]
async fn a_page_hears_of_the_end_of_its_set_and_of_no_other() {
    let several = SeveralRooms::new(false);
    let (second, third) = (several.put(0, "second", agent(), None), several.put(0, "third", agent(), None));
    let listen = |session: &SessionId, hold: bool| {
        let body = json!({"session": session, "lang": "en", "hold": hold}).to_string();
        let request = Request::post("/fn/listen")
            .header("host", "localhost:3721")
            .header("content-type", "application/json")
            .body(Body::from(body));
        tokio::spawn(several.router.clone().oneshot(request.unwrap()))
    };
    // The server knows both sets before one of them ends.
    for session in [&second, &third] {
        assert_eq!(listen(session, false).await.unwrap().unwrap().status(), StatusCode::OK);
    }
    let (first_page, other_page) = (listen(&second, true), listen(&third, true));
    // In a terminal.
    let (pending, asked) = several.rooms[0].decisions.set(&second).unwrap().unwrap();
    several.rooms[0].decisions.publish(&pending, &asked, Ending::Cancelled, Via::Terminal).unwrap();
    several.hall.look();
    let told = first_page.await.unwrap().unwrap();
    let told = to_bytes(told.into_body(), usize::MAX).await.unwrap();
    assert!(String::from_utf8_lossy(&told).contains("cancelled"), "{told:?}");
    assert!(!other_page.is_finished());
    other_page.abort();
    let project = Project::at(several.rooms[0].folder.path()).unwrap();
    assert_eq!(project.decisions().unwrap().records().unwrap(), [second]);
}
