//! The history: the list, the search, each decision as it was shown, its export.

use crate::support::{Answer, Fixture, ITEMS};
use axum::body::Body;
use http::{Request, StatusCode};
use serde_json::{Value, json};

/// Texts that would do harm where they were taken for HTML, an attribute or an address.
const HOSTILE: &str = "<script>alert(1)</script>\"' onload=alert(1) &lt; </textarea> \u{202e}";

fn questions(task: &str) -> Value {
    json!({
        "task": task, "source": "plan.md",
        "items": [{
            "id": 1, "title": "Which login?", "context": "It is **open** <img src=x>.", "recommend": "jwt",
            "allow_other": true, "location": {"file": "test.md", "start": 2, "end": 3},
            "options": [
                {"value": "jwt", "label": "Web Token", "score": 85, "pros": ["no state"], "cons": ["no way back"]},
                {"value": "session", "label": "Server Session"},
            ],
        }],
    })
}

fn answered(task: &str, note: &str) -> Value {
    json!({
        "input": questions(task),
        "output": {"decisions": [{"id": 1, "chosen": "session", "note": note}]},
        "completed_at": "2024-03-01T10:35:07+08:00",
        "_meta": {
            "session_id": "2024-03-01T10-32-02", "created_at": "2024-03-01T10:32:02+08:00", "open_seconds": 185,
            "via": "page",
            "items": [{"id": 1, "via": "form", "followed_recommendation": false,
                       "decided_at": "2024-03-01T10:34:59+08:00"}],
        },
    })
}

fn returned(message: &str) -> Value {
    let mut input = questions("Sent back");
    let mut items = [input["items"][0].clone(), input["items"][0].clone()];
    items[1]["id"] = 2.into();
    input["items"] = json!(items);
    let returned = json!({"message": message, "items": [2]});
    json!({"input": input, "returned": returned, "completed_at": "2024-03-02T08:00:00+08:00"})
}

fn write(fixture: &Fixture, session: &str, record: &Value) {
    write_text(fixture, session, &record.to_string());
}

fn write_text(fixture: &Fixture, session: &str, text: &str) {
    let path = fixture.folder.path().join(format!(".aide/decisions/{session}.json"));
    assert!(std::fs::write(&path, text).is_ok(), "{}", path.display());
}

/// The sessions that a list links to, in its order.
fn listed(html: &str) -> Vec<&str> {
    let links = html.split("href=\"/history/").skip(1);
    links.filter_map(|rest| rest.split(['?', '"']).next()).collect()
}

#[tokio::test]
async fn a_search_is_kept_for_the_next_one_which_finds_the_same() {
    let fixture = Fixture::new(ITEMS);
    let session = |number: u32| format!("2024-03-01T10-{:02}-{:02}", number / 60, number % 60);
    for number in 0..300 {
        write(&fixture, &session(number), &answered(&format!("Add login {number:03}"), "fine"));
    }
    let search = "/history?lang=en&q=LOGIN+007";
    assert_eq!(listed(&fixture.page(search).await), [session(7)]);
    let folder = fixture.folder.path().join("state/aide/search");
    let kept = || std::fs::read_dir(&folder).map_or(0, Iterator::count);
    // A file and its lock.
    assert_eq!(kept(), 2);
    assert_eq!(listed(&fixture.page(search).await), [session(7)]);
    assert_eq!(kept(), 2);
    // What is put in the place of a record, or beside it, counts at once.
    write(&fixture, &session(400), &answered("Add login 007", "fine"));
    std::fs::remove_file(fixture.folder.path().join(format!(".aide/decisions/{}.json", session(7)))).unwrap();
    assert_eq!(listed(&fixture.page(search).await), [session(400)]);
}

#[tokio::test]
async fn the_list_has_the_open_questions_first_and_then_the_latest() {
    let fixture = Fixture::new(ITEMS);
    write(&fixture, "2024-03-01T10-32-02", &answered("Add login", "fine"));
    write(&fixture, "2024-03-02T07-00-00", &returned("too early"));
    let cancelled = json!({"input": questions("Not needed"), "cancelled": true, "completed_at": "2024-03-01T09:00:00+08:00"});
    write(&fixture, "2024-03-01T08-00-00", &cancelled);
    let html = fixture.page("/history?lang=en").await;
    assert_eq!(listed(&html), ["2024-03-02T07-00-00", "2024-03-01T10-32-02", "2024-03-01T08-00-00"]);
    let mut rest = html.as_str();
    for part in [
        "href=\"/?lang=en\" class=\"chosen\">测试任务",
        "pending",
        "Sent back",
        "sent back",
        "2024-03-02 08:00",
        "2 questions",
        "Add login",
        "answered",
        "2024-03-01 10:35",
        "1 question",
        "plan.md",
        "Not needed",
        "cancelled",
    ] {
        rest = rest.split_once(part).unwrap_or_else(|| panic!("{part} is missing in {rest}")).1;
    }
    let html = fixture.page("/history").await;
    for part in ["lang=\"zh-CN\"", "决策历史", "待决策", "已退回", "已决策", "已取消", "2 项"]
    {
        assert!(html.contains(part), "{part} is missing in {html}");
    }
    assert!(!html.contains("<script"), "it needs none");
}

#[tokio::test]
async fn what_is_answered_now_is_history_at_once() {
    let fixture = Fixture::new(ITEMS);
    let html = fixture.page("/history").await;
    assert!(html.contains("待决策") && listed(&html).is_empty(), "{html}");
    let body = r#"{"decisions":[{"id":1,"chosen":"a","note":"because"},{"id":2,"chosen":"b"}]}"#;
    assert_eq!(fixture.post_json("/api/submit", body).await.status, StatusCode::OK);
    let html = fixture.page("/history").await;
    assert!(!html.contains("待决策"), "{html}");
    assert_eq!(listed(&html), [fixture.session.to_string()]);
    let html = fixture.page(&format!("/history/{}", fixture.session)).await;
    for part in ["测试任务", "已选: 选项A", "because", "未采纳推荐", "接口"] {
        assert!(html.contains(part), "{part} is missing in {html}");
    }
}

#[tokio::test]
async fn all_words_of_a_search_must_occur_whatever_their_case() {
    let fixture = Fixture::new(ITEMS);
    write(&fixture, "2024-03-01T10-32-02", &answered("Add LOGIN", "the Team knows it"));
    write(&fixture, "2024-03-02T07-00-00", &returned("Übersicht fehlt"));
    let mut own = answered("Own words", "");
    own["output"] = json!({"decisions": [{"id": 1, "chosen": null, "other": "Passkeys only"}]});
    write(&fixture, "2024-03-03T07-00-00", &own);
    let all = &["2024-03-03T07-00-00", "2024-03-02T07-00-00", "2024-03-01T10-32-02"][..];
    for (search, expected) in [
        ("login", all),
        ("add", &["2024-03-01T10-32-02"]),
        ("PLAN.md+team", &["2024-03-01T10-32-02"]),
        ("server", all),
        ("%C3%9CBERSICHT", &["2024-03-02T07-00-00"]),
        ("passkeys++own", &["2024-03-03T07-00-00"]),
        // What was offered and not chosen is found as well.
        ("token", all),
        ("token+team", &["2024-03-01T10-32-02"]),
        ("login+nowhere", &[]),
    ] {
        let html = fixture.page(&format!("/history?lang=en&q={search}")).await;
        assert_eq!(listed(&html), expected, "{search}");
        assert_eq!(html.contains("Nothing found"), expected.is_empty(), "{search}");
    }
    let html = fixture.page("/history?q=%E6%B5%8B%E8%AF%95").await;
    assert!(
        html.contains("待决策") && listed(&html).is_empty(),
        "the open questions are found as well: {html}"
    );
    assert!(html.contains("value=\"测试\""), "the search is still there: {html}");
    let html = fixture.page("/history?q=+%20").await;
    assert_eq!(listed(&html).len(), 3, "blank is no search");
}

#[tokio::test]
async fn an_empty_history_says_so() {
    let fixture = Fixture::new(ITEMS);
    let html = fixture.page("/history?lang=en").await;
    assert!(html.contains("测试任务") && html.contains("No decisions yet"), "{html}");
    assert!(!html.contains("role=\"search\""), "there is nothing to search: {html}");
    let html = fixture.page("/history?q=nowhere&lang=en").await;
    assert!(html.contains("Nothing found") && html.contains("Show all"), "{html}");
    let html = fixture.page("/history?page=2&lang=en").await;
    assert!(html.contains("Nothing found") && html.contains("rel=\"prev\""), "{html}");
}

#[tokio::test]
async fn a_page_has_fifty() {
    let fixture = Fixture::new(ITEMS);
    for number in 0..120 {
        let session = format!("2024-01-01T00-{:02}-{:02}", number / 60, number % 60);
        write(
            &fixture,
            &session,
            &answered(&format!("Task {number}"), if number < 60 { "early" } else { "" }),
        );
    }
    let seen = |html: &str| (listed(html).len(), listed(html)[0].to_owned());
    let first = fixture.page("/history").await;
    assert_eq!(seen(&first), (50, "2024-01-01T00-01-59".to_owned()));
    assert!(
        first.contains("href=\"/history?page=2&amp;lang=zh\" rel=\"next\"")
            && !first.contains("rel=\"prev\"")
    );
    let second = fixture.page("/history?page=2").await;
    assert_eq!(seen(&second), (50, "2024-01-01T00-01-09".to_owned()));
    assert!(!second.contains("待决策"), "the open questions stand on the first page alone");
    let last = fixture.page("/history?page=3").await;
    assert_eq!(seen(&last), (20, "2024-01-01T00-00-19".to_owned()));
    assert!(last.contains("rel=\"prev\"") && !last.contains("rel=\"next\""));
    let search = fixture.page("/history?q=early").await;
    assert_eq!(seen(&search), (50, "2024-01-01T00-00-59".to_owned()));
    assert!(search.contains("href=\"/history?q=early&amp;page=2&amp;lang=zh\" rel=\"next\""));
    let search = fixture.page("/history?q=early&page=2").await;
    assert_eq!(seen(&search), (10, "2024-01-01T00-00-09".to_owned()));
    assert!(!search.contains("rel=\"next\""));
    for odd in ["0", "-1", "x", "", "99999999999999999999999"] {
        assert_eq!(seen(&fixture.page(&format!("/history?page={odd}")).await).0, 50, "{odd}");
    }
    let beyond = fixture.page(&format!("/history?page={}", usize::MAX)).await;
    assert!(listed(&beyond).is_empty() && beyond.contains("没有找到"), "{beyond}");
}

#[tokio::test]
async fn one_broken_file_hides_no_other() {
    let fixture = Fixture::new(ITEMS);
    write(&fixture, "2024-03-01T10-32-02", &answered("Add login", "fine"));
    write_text(&fixture, "2024-03-05T00-00-00", "{\"input\": oops");
    let html = fixture.page("/history?lang=en").await;
    assert_eq!(listed(&html), ["2024-03-05T00-00-00", "2024-03-01T10-32-02"]);
    assert!(html.contains("unreadable") && html.contains("2024-03-05T00-00-00.json"), "{html}");
    let html = fixture.page("/history?lang=en&q=login").await;
    assert_eq!(listed(&html).len(), 2, "it may be what is looked for");
    let html = fixture.page("/history?lang=en&q=nowhere").await;
    assert_eq!(listed(&html), ["2024-03-05T00-00-00"]);
    assert!(html.contains("Nothing found"), "{html}");
    for path in ["/history/2024-03-05T00-00-00?lang=en", "/history/2024-03-05T00-00-00.md?lang=en"] {
        let answer = fixture.get(path).await;
        assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR, "{path}");
        assert!(answer.text().contains("2024-03-05T00-00-00.json"), "{}", answer.text());
        answer.assert_guarded(path);
    }
}

#[tokio::test]
async fn questions_that_are_not_valid_any_more_are_shown_as_they_stand() {
    let fixture = Fixture::new(ITEMS);
    let mut record = answered("Old", "fine");
    record["input"]["items"][0]["title"] = json!(7);
    record["input"]["items"][0]["note"] = HOSTILE.into();
    write(&fixture, "2020-01-01T00-00-00", &record);
    assert_eq!(listed(&fixture.page("/history?q=session").await), ["2020-01-01T00-00-00"]);
    let html = fixture.page("/history/2020-01-01T00-00-00").await;
    assert!(html.contains("items[0].title") && html.contains("&lt;script&gt;"), "{html}");
    assert!(!html.contains("<script"), "{html}");
    assert_eq!(fixture.get("/history/2020-01-01T00-00-00.md").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_decision_is_shown_as_it_was_and_as_it_ended() {
    let fixture = Fixture::new(ITEMS);
    write(&fixture, "2024-03-01T10-32-02", &answered("Add login", "the team\nknows it"));
    let html = fixture.page("/history/2024-03-01T10-32-02?lang=en").await;
    for part in [
        "<h1 id=\"task-name\">Add login</h1>",
        "plan.md",
        "answered",
        "2024-03-01 10:32",
        "2024-03-01 10:35",
        "3 min 5 s",
        "Which login?",
        ">Recommended<",
        "It is <strong>open</strong> &lt;img src=x&gt;.",
        "Source: test.md (lines 2–3)",
        "Web Token",
        "Score: 85",
        "no state",
        "no way back",
        "Chosen: Server Session",
        "the team\nknows it",
        "not as recommended",
        "on the page, as a form",
        "2024-03-01 10:34",
        "href=\"/history/2024-03-01T10-32-02.md?lang=en\"",
        "href=\"/history/2024-03-01T10-32-02?lang=zh\"",
        "href=\"/history?lang=en\"",
    ] {
        assert!(html.contains(part), "{part} is missing in {html}");
    }
    let options: Vec<_> = html.split("<li class=\"option").skip(1).collect();
    assert_eq!(options.len(), 2);
    assert!(
        !options[0].starts_with(" taken") && options[0].contains(">Recommended</span>"),
        "{}",
        options[0]
    );
    assert!(options[1].starts_with(" taken") && options[1].contains(">Chosen</span>"), "{}", options[1]);
    assert!(!html.contains("第二行"), "the lines of today are not those of then");
}

#[tokio::test]
async fn own_words_several_and_none_are_said_in_words() {
    let fixture = Fixture::new(ITEMS);
    let options = json!([{"value": "a", "label": "Red"}, {"value": "b", "label": "Green"}, {"value": "c", "label": "Blue"}]);
    let record = json!({
        "input": {"task": "Colours", "source": "s", "items": [
            {"id": 1, "title": "One", "allow_other": true, "multiple": true, "options": options},
            {"id": 2, "title": "Two", "required": false, "options": options},
        ]},
        "output": {"decisions": [{"id": 1, "chosen": ["a", "c"], "other": "Ultra\nviolet"}, {"id": 2, "chosen": null}]},
        "completed_at": "some day",
    });
    write(&fixture, "2020-01-01T00-00-00", &record);
    let html = fixture.page("/history/2020-01-01T00-00-00?lang=en").await;
    for part in ["Chosen: Red · Blue · Ultra\nviolet", "Left open", "optional", "<dd>some day</dd>"] {
        assert!(html.contains(part), "{part} is missing in {html}");
    }
    assert_eq!(html.matches("class=\"option taken\"").count(), 3);
}

#[tokio::test]
async fn what_was_sent_back_has_the_reason_and_what_it_is_about() {
    let fixture = Fixture::new(ITEMS);
    write(&fixture, "2024-03-02T07-00-00", &returned("too early\n<b>wait</b>"));
    let html = fixture.page("/history/2024-03-02T07-00-00?lang=en").await;
    let reason = "<blockquote class=\"reason\">too early\n&lt;b&gt;wait&lt;/b&gt;</blockquote>";
    assert!(html.contains(reason), "{html}");
    assert!(
        !html.contains("Left open") && !html.contains("option taken") && !html.contains(".md?"),
        "{html}"
    );
    let (first, second) = html.split_once("id=\"item-2\"").unwrap();
    assert!(
        !first.contains("The reason is about this question")
            && second.contains("The reason is about this question"),
        "{html}"
    );
    assert_eq!(fixture.get("/history/2024-03-02T07-00-00.md").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_export_is_a_file_of_markdown() {
    let fixture = Fixture::new(ITEMS);
    write(&fixture, "2024-03-01T10-32-02-2", &answered("Add *login*", "fine"));
    let path = "/history/2024-03-01T10-32-02-2.md";
    let answer = fixture.get(&format!("{path}?lang=en")).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.header("content-type"), "text/markdown; charset=utf-8");
    assert_eq!(
        answer.header("content-disposition"),
        "attachment; filename=\"aide-2024-03-01T10-32-02-2.md\""
    );
    answer.assert_guarded(path);
    let text = answer.text();
    assert!(
        text.starts_with("# Add \\*login\\*\n") && text.contains("- Server Session (**chosen**)\n"),
        "{text}"
    );
    assert!(fixture.get(path).await.text().contains("(**已选**)"), "in the language of the page");
}

#[tokio::test]
async fn no_text_of_a_record_becomes_anything_but_text() {
    let fixture = Fixture::new(ITEMS);
    let mut record = answered(HOSTILE, HOSTILE);
    record["completed_at"] = HOSTILE.into();
    record["_meta"]["created_at"] = HOSTILE.into();
    record["_meta"]["items"][0]["decided_at"] = HOSTILE.into();
    record["input"]["source"] = HOSTILE.into();
    let item = &mut record["input"]["items"][0];
    item["title"] = HOSTILE.into();
    item["context"] = HOSTILE.into();
    item["location"]["file"] = HOSTILE.into();
    item["recommend"] = HOSTILE.into();
    item["options"][0] = json!({"value": HOSTILE, "label": HOSTILE, "pros": [HOSTILE], "cons": [HOSTILE]});
    record["output"] =
        json!({"decisions": [{"id": 1, "chosen": HOSTILE, "other": HOSTILE, "note": HOSTILE}]});
    write(&fixture, "2024-03-01T10-32-02", &record);
    write(&fixture, "2024-03-02T07-00-00", &returned(HOSTILE));
    let search: String = form_urlencoded::byte_serialize(HOSTILE.as_bytes()).collect();
    let list = format!("/history?q={search}");
    for path in ["/history", &list, "/history/2024-03-01T10-32-02", "/history/2024-03-02T07-00-00"] {
        let html = fixture.page(path).await;
        assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{path} shows it: {html}");
        assert!(!html.contains("<script") && !html.contains("</textarea"), "{path}: {html}");
        // Whatever quotes are in a text, no attribute ends at one of them.
        let tags = html.split('<').skip(1).filter_map(|rest| rest.split('>').next());
        for tag in tags {
            let outside: String = tag.split('"').step_by(2).collect();
            assert!(!outside.contains("onload"), "{path}: {tag}");
        }
    }
    assert_eq!(listed(&fixture.page(&list).await).len(), 2);
}

#[tokio::test]
async fn what_is_no_session_is_not_found() {
    let fixture = Fixture::new(ITEMS);
    write(&fixture, "2024-03-01T10-32-02", &answered("Add login", "fine"));
    for name in [
        "2024-03-01T10-32-03",
        "2024-03-01T10-32-02-1",
        "2024-03-01T10-32-02.json",
        "2024-03-01T10-32-02.md.md",
        "2024-03-01T10-32-02%2emd",
        "%32024-03-01T10-32-02",
        "..%2f..%2fconfig.toml",
        "..%2fdecisions%2f2024-03-01T10-32-02",
        "pending",
        "pending.json",
        "config.toml",
        ".md",
        "",
        "%00",
        "%ff",
        "2024-03-01T10-32-02%00",
    ] {
        let answer = fixture.get(&format!("/history/{name}")).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{name}: {}", answer.text());
        answer.assert_guarded(name);
    }
    let answer = fixture.get("/history/2024-03-01T10-32-03?lang=en").await;
    assert!(answer.text().contains("No such decision") && answer.text().contains("/history?lang=en"));
}

#[tokio::test]
async fn open_questions_are_answered_where_they_are_asked() {
    let fixture = Fixture::new(ITEMS);
    let answer = fixture.get(&format!("/history/{}?lang=en", fixture.session)).await;
    assert_eq!((answer.status, answer.header("location")), (StatusCode::SEE_OTHER, "/?lang=en".to_owned()));
    let export = fixture.get(&format!("/history/{}.md", fixture.session)).await;
    assert_eq!(export.status, StatusCode::NOT_FOUND, "there is nothing to export yet");
}

#[tokio::test]
async fn head_says_what_get_would_and_nothing_is_written() {
    let fixture = Fixture::new(ITEMS);
    write(&fixture, "2024-03-01T10-32-02", &answered("Add login", "fine"));
    let before = fixture.files();
    let paths = [
        "/history",
        "/history?q=x",
        "/history/2024-03-01T10-32-02",
        "/history/2024-03-01T10-32-02.md",
        "/history/x",
    ];
    for path in paths {
        let get = fixture.get(path).await;
        let head = Request::head(path).header("host", "localhost:3721").body(Body::empty()).unwrap();
        let head: Answer = fixture.send(head).await;
        assert_eq!(head.status, get.status, "{path}");
        assert_eq!(head.header("content-type"), get.header("content-type"), "{path}");
        assert!(head.body.is_empty(), "{path}");
        assert_eq!(
            fixture.post(path, "application/x-www-form-urlencoded", "q=x").await.status,
            405,
            "{path}"
        );
    }
    assert_eq!(fixture.files(), before);
}

#[tokio::test]
async fn leaving_the_plain_form_for_the_history_keeps_what_was_given() {
    let fixture = Fixture::new(ITEMS);
    let form = fixture.page("/?lang=en").await;
    assert!(form.contains("href=\"/history?lang=en\"") && form.contains("value=\"history\""), "{form}");
    let body = format!("session={}&item-1=0&note-1=still+here&action=history", fixture.session);
    let answer = fixture.post("/submit?lang=en", "application/x-www-form-urlencoded", body).await;
    assert_eq!(
        (answer.status, answer.header("location")),
        (StatusCode::SEE_OTHER, "/history?lang=en".to_owned())
    );
    assert!(!fixture.is_decided() && fixture.record().is_none());
    let history = fixture.page("/history?lang=en").await;
    assert!(history.contains("href=\"/?lang=en\""), "the way back: {history}");
    let form = fixture.page("/").await;
    assert!(form.contains("still here") && form.contains(" checked"), "{form}");
}

#[tokio::test]
async fn replaced_questions_lead_to_those_in_their_place() {
    let fixture = Fixture::new(ITEMS);
    let open = fixture.session.to_string();
    let record = json!({
        "input": questions("Which database?"), "replaced_by": open, "completed_at": "2024-03-01T09:00:00+08:00",
    });
    write(&fixture, "2024-03-01T08-00-00", &record);
    for (lang, word) in [("en", "replaced"), ("zh", "已被取代")] {
        let list = fixture.page(&format!("/history?lang={lang}")).await;
        assert_eq!(listed(&list), ["2024-03-01T08-00-00"]);
        assert!(list.contains(&format!("<span class=\"mark\">{word}</span>")), "{list}");
        let page = fixture.page(&format!("/history/2024-03-01T08-00-00?lang={lang}")).await;
        let link = format!("<a href=\"/history/{open}?lang={lang}\">{open}</a>");
        for part in [word, &link, "Which database?", "Which login?", "Web Token"] {
            assert!(page.contains(part), "{part} is missing in {page}");
        }
        // It has no answers.
        assert!(!page.contains("id=\"export\""), "{page}");
    }
}
