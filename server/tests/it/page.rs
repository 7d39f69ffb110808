//! What the routes answer: the page as plain HTML, the form, the documented JSON, the assets.

use crate::support::{Fixture, ITEMS, open};
use app::TimeLimit;
use axum::body::Body;
use http::{Request, StatusCode};
use model::{Ending, Questions, Returned, Via, parse_output};
use serde_json::{Value, json};
use server::Access;
use std::io::Read;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::Project;
use tower::ServiceExt;

#[tokio::test]
async fn c3_3_items_are_the_pending_document_with_source_lines() {
    let fixture = Fixture::new(ITEMS);
    let answer = fixture.get("/api/items").await;
    assert_eq!(answer.status, StatusCode::OK);
    assert!(answer.header("content-type").starts_with("application/json"));
    let mut expected: serde_json::Value = serde_json::from_str(ITEMS).unwrap();
    expected["items"][1]["source_content"] = json!("第二行\n第三行 <script>");
    assert_eq!(answer.json(), expected);
}

/// Many questions about one line that is the whole file.
#[tokio::test]
async fn items_do_not_repeat_megabytes() {
    let items: Vec<Value> = (1..=30)
        .map(|id| {
            json!({"id": id, "title": "t", "location": {"file": "bundle.js", "start": 1, "end": 1},
                "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]})
        })
        .collect();
    let fixture = Fixture::new(&json!({"task": "t", "source": "s", "items": items}).to_string());
    std::fs::write(fixture.folder.path().join("bundle.js"), "x".repeat(4 << 20)).unwrap();
    let answer = fixture.get("/api/items").await;
    assert!(answer.body.len() < 30 * (9 << 10), "{}", answer.body.len());
    for item in answer.json()["items"].as_array().unwrap() {
        assert!(item["source_content"].as_str().unwrap().ends_with("x…"));
    }
}

#[tokio::test]
async fn c3_4_a_submission_is_recorded_and_told() {
    let fixture = Fixture::new(ITEMS);
    let body =
        r#"{"decisions":[{"id":2,"chosen":"b","note":"  "},{"id":1,"chosen":"a","note":"引号\" 换行\n🎉"}]}"#;
    let answer = fixture.post_json("/api/submit", body).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    assert_eq!(answer.json(), json!({"success": true, "message": "决策已保存"}));
    assert!(fixture.is_decided());
    let record = fixture.record().unwrap();
    assert_eq!(
        record["output"],
        json!({"decisions":[{"id":1,"chosen":"a","note":"引号\" 换行\n🎉"},{"id":2,"chosen":"b"}]}),
        "in the order of the items, without the blank note"
    );
    assert_eq!(record["_meta"]["via"], "api");
}

#[tokio::test]
async fn c3_5_a_submission_that_does_not_fit_is_named_and_nothing_ends() {
    for (body, detail) in [
        (r#"[]"#, "输出数据必须为对象"),
        (r#"{}"#, "decisions 必须为至少 1 个元素的数组"),
        (r#"{"decisions":[]}"#, "decisions 必须为至少 1 个元素的数组"),
        (r#"{"decisions":[1]}"#, "decisions[0] 必须为对象"),
        (r#"{"decisions":[{"id":"1","chosen":"a"}]}"#, "decisions[0].id 必须为整数"),
        (r#"{"decisions":[{"id":0,"chosen":"a"}]}"#, "decisions[0].id 必须为正整数"),
        (r#"{"decisions":[{"id":1}]}"#, "decisions[0].chosen 必须为字符串"),
        (r#"{"decisions":[{"id":1,"chosen":" "}]}"#, "decisions[0].chosen 不能为空"),
        (r#"{"decisions":[{"id":1,"chosen":"a","note":7}]}"#, "decisions[0].note 必须为字符串"),
        (
            r#"{"decisions":[{"id":1,"chosen":"a"},{"id":1,"chosen":"a"},{"id":2,"chosen":"a"}]}"#,
            "待定项 1 的决策重复",
        ),
        (r#"{"decisions":[{"id":9,"chosen":"a"}]}"#, "存在未知的待定项 9"),
        (r#"{"decisions":[{"id":1,"chosen":"x"},{"id":2,"chosen":"a"}]}"#, "待定项 1 的决策值无效: x"),
        (r#"{"decisions":[{"id":1,"chosen":"a"}]}"#, "缺少待定项 2 的决策"),
    ] {
        let fixture = Fixture::new(ITEMS);
        let answer = fixture.post_json("/api/submit", body).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{body}");
        assert_eq!(answer.json()["error"], "决策数据无效");
        let found = answer.json()["detail"].as_str().unwrap().to_owned();
        assert!(found.contains(detail), "{body}: {found}");
        assert!(fixture.record().is_none() && !fixture.is_decided(), "{body}");
    }
}

#[tokio::test]
async fn the_second_submission_is_told_the_result_that_stands() {
    let fixture = Fixture::new(ITEMS);
    let first = r#"{"decisions":[{"id":1,"chosen":"a"},{"id":2,"chosen":"b"}]}"#;
    assert_eq!(fixture.post_json("/api/submit", first).await.status, StatusCode::OK);

    let second = r#"{"decisions":[{"id":1,"chosen":"b"},{"id":2,"chosen":"a"}]}"#;
    let answer = fixture.post_json("/api/submit", second).await;
    assert_eq!(answer.status, StatusCode::CONFLICT);
    assert_eq!(answer.json()["result"]["decisions"][0], json!({"id": 1, "chosen": "a"}));

    let form = fixture.post_form(format!("session={}&item-1=1&item-2=0", fixture.session)).await;
    assert_eq!(form.status, StatusCode::CONFLICT);
    assert!(form.text().contains("此前已有决策") && form.text().contains("选项A"), "{}", form.text());

    let sheet = json!({"session": fixture.session.to_string(), "lang": "en",
        "lang": "zh", "sheet": {"answers": [{"id": 1, "options": [1]}, {"id": 2, "options": [0]}]}});
    let page = fixture.post_json("/fn/submit", sheet.to_string()).await;
    assert_eq!(page.status, StatusCode::CONFLICT);
    let html = page.json()["Ended"].as_str().unwrap().to_owned();
    assert!(html.contains("此前已有决策") && html.contains(">选项A<"), "{html}");
}

#[tokio::test]
async fn the_page_is_complete_without_script() {
    let fixture = Fixture::new(ITEMS);
    let page = fixture.get("/").await;
    assert_eq!(page.status, StatusCode::OK);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    let html = page.text();
    for part in [
        "<!DOCTYPE html>",
        "lang=\"zh-CN\"",
        "测试任务 · ",
        "测试任务</h1>",
        "test.md",
        "测试问题",
        "<strong>一个</strong>",
        "评分: 80",
        "<span class=\"option-pro\">快</span>",
        "<span class=\"option-con\">贵</span>",
        "来源: test.md (行 2-3)",
        "第二行",
        "第三行 &lt;script&gt;",
        "已完成 0/2 项",
        "提交决策",
        "采纳全部推荐",
    ] {
        assert!(html.contains(part), "{part} is missing in {html}");
    }
    // What is heard before an argument.
    assert!(String::from_utf8_lossy(&page.body).contains(":root{--pros:\"优点: \";--cons:\"缺点: \"}"));
    assert!(!html.contains(" disabled"), "the plain page can be submitted");
    assert!(!html.contains(" checked"), "a recommendation is not an answer");
}

#[tokio::test]
async fn a_plain_post_is_recorded_and_answered_by_a_page_that_needs_nothing_more() {
    let fixture = Fixture::new(ITEMS);
    let body = format!(
        "session={}&item-1=1&note-1=%E5%9B%A2%E9%98%9F%0D%0A%3Cb%3E&item-2=0&note-2=&action=submit",
        fixture.session
    );
    let answer = fixture.post_form(body).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    let html = answer.text();
    assert!(html.contains("决策已提交") && html.contains("您可以关闭此页面"), "{html}");
    assert!(html.contains("团队\n&lt;b&gt;"), "{html}");
    assert!(!html.contains("src=\"/") && !html.contains("href=\"/"), "{html}");
    let record = fixture.record().unwrap();
    assert_eq!(
        record["output"]["decisions"],
        json!([{"id":1,"chosen":"b","note":"团队\n<b>"},{"id":2,"chosen":"a"}])
    );
    assert_eq!(record["_meta"]["via"], "form");
}

#[tokio::test]
async fn an_incomplete_plain_post_comes_back_with_what_was_typed() {
    let fixture = Fixture::new(ITEMS);
    let note = "</textarea><script>alert(1)</script>";
    let body: String = form_urlencoded::Serializer::new(String::new())
        .append_pair("session", &fixture.session.to_string())
        .append_pair("item-1", "1")
        .append_pair("note-2", note)
        .finish();
    let answer = fixture.post_form(body).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    let html = answer.text();
    assert!(html.contains("缺少待定项 2 的决策"), "{html}");
    assert!(html.contains("href=\"#item-2\""), "{html}");
    assert!(html.contains("&lt;/textarea&gt;&lt;script&gt;alert(1)&lt;/script&gt;</textarea>"), "{html}");
    assert_eq!(html.matches(" checked").count(), 1, "{html}");
    assert!(fixture.record().is_none() && !fixture.is_decided());
    // And it is still there when the page is opened again.
    assert_eq!(fixture.get("/").await.text().matches(" checked").count(), 1);
}

#[tokio::test]
async fn the_plain_page_can_take_the_recommendations() {
    let fixture = Fixture::new(ITEMS);
    let answer = fixture.post_form(format!("session={}&item-2=0&action=recommend", fixture.session)).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.text().matches(" checked").count(), 2, "{}", answer.text());
    assert!(answer.text().contains("已完成 2/2 项"));
    assert!(fixture.record().is_none());
}

#[tokio::test]
async fn questions_can_be_sent_back() {
    let fixture = Fixture::new(ITEMS);
    assert!(fixture.get("/").await.text().contains("无法回答？退回给提问者"));
    let body = format!(
        "session={}&item-1=1&return-message=%E8%B4%B9%E7%94%A8%3F%0D%0A%3Cb%3E&return-item=2&return-item=9&action=return",
        fixture.session
    );
    let answer = fixture.post_form(body.clone()).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    assert!(
        answer.text().contains("已退回") && answer.text().contains("费用?\n&lt;b&gt;"),
        "{}",
        answer.text()
    );
    let record = fixture.record().unwrap();
    assert_eq!(record["returned"], json!({"message": "费用?\n<b>", "items": [2]}));
    assert_eq!((record.get("output"), &record["_meta"]["via"]), (None, &json!("form")));
    assert!(fixture.is_decided());

    // No answer is accepted after that, by any channel.
    let late = fixture.post_form(format!("session={}&item-1=1&item-2=0", fixture.session)).await;
    assert_eq!(late.status, StatusCode::CONFLICT);
    assert!(late.text().contains("没有产生任何决策"), "{}", late.text());
    let late = fixture
        .post_json("/api/submit", r#"{"decisions":[{"id":1,"chosen":"a"},{"id":2,"chosen":"a"}]}"#)
        .await;
    assert_eq!(late.status, StatusCode::CONFLICT);
    let refusal: Value = serde_json::from_slice(&late.body).unwrap();
    assert_eq!(refusal, json!({"error": "待定项已关闭", "detail": "这些待定项此前已被退回: 费用?\n<b>"}));
    assert_eq!(fixture.post_form(body).await.status, StatusCode::CONFLICT);
    assert_eq!(fixture.record(), Some(record));
}

#[tokio::test]
async fn nothing_is_sent_back_without_a_reason() {
    let fixture = Fixture::new(ITEMS);
    for blank in ["", "%E3%80%80%0D%0A"] {
        let body = format!(
            "session={}&item-1=1&return-message={blank}&return-item=2&action=return",
            fixture.session
        );
        let answer = fixture.post_form(body).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST);
        let html = answer.text();
        assert!(html.contains("请填写退回原因"), "{html}");
        // The choice of an option, and the item that is meant.
        assert_eq!(html.matches(" checked").count(), 2, "{html}");
        assert!(html.contains("<details id=\"return\" open"), "{html}");
    }
    assert!(fixture.record().is_none() && !fixture.is_decided());
}

#[tokio::test]
async fn the_plain_page_changes_its_language_with_everything_in_it() {
    let fixture = Fixture::new(ITEMS);
    let body = format!("session={}&item-2=0&note-1=kept&action=show", fixture.session);
    let answer = fixture.post("/submit?lang=en", "application/x-www-form-urlencoded", body).await;
    assert_eq!(answer.status, StatusCode::OK);
    let html = answer.text();
    assert!(html.contains("lang=\"en\"") && html.contains("1 of 2 answered"), "{html}");
    assert!(html.contains("kept</textarea>") && html.matches(" checked").count() == 1, "{html}");
    assert!(fixture.record().is_none() && !fixture.is_decided());
}

#[tokio::test]
async fn a_page_of_older_questions_is_told_so() {
    let fixture = Fixture::new(ITEMS);
    let answer = fixture.post_form("session=2020-01-01T00-00-00&item-1=0&item-2=0").await;
    assert_eq!(answer.status, StatusCode::CONFLICT);
    assert!(answer.text().contains("此页面已过期"));
    let sheet = json!({"session": "2020-01-01T00-00-00", "lang": "zh", "sheet": {"answers": []}});
    let answer = fixture.post_json("/fn/submit", sheet.to_string()).await;
    assert_eq!(answer.status, StatusCode::CONFLICT);
    assert!(answer.json()["Stale"].is_string());
    assert!(fixture.record().is_none());
}

#[tokio::test]
async fn a_draft_is_kept_and_shown_again() {
    let fixture = Fixture::new(ITEMS);
    let sheet = json!({"session": fixture.session.to_string(),
        "lang": "zh", "sheet": {"answers": [{"id": 2, "options": [1], "note": "半句"}]}});
    let answer = fixture.post_json("/fn/draft", sheet.to_string()).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    let html = fixture.get("/").await.text();
    assert!(html.contains("半句</textarea>") && html.matches(" checked").count() == 1, "{html}");
    assert!(html.contains("已完成 1/2 项"));
}

#[tokio::test]
async fn the_page_speaks_the_language_it_is_asked_for() {
    let fixture = Fixture::new(ITEMS);
    let html = fixture.get("/?lang=en").await.text();
    for part in ["lang=\"en\"", ">Submit<", "0 of 2 answered", "/?lang=zh", ">Recommended<"] {
        assert!(html.contains(part), "{part} is missing in {html}");
    }
}

#[tokio::test]
async fn c3_6_assets_have_their_types_and_forms() {
    let fixture = Fixture::new(ITEMS);
    for (path, content_type) in [("/", "text/html"), ("/favicon.svg", "image/svg+xml")] {
        let answer = fixture.get(path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        assert!(answer.header("content-type").starts_with(content_type), "{path}");
        assert!(!answer.body.is_empty(), "{path}");
    }
    let plain = fixture.get("/favicon.svg").await;
    let request = |name: &str, value: &str| {
        http::Request::get("/favicon.svg")
            .header("host", "localhost:3721")
            .header(name, value)
            .body(axum::body::Body::empty())
            .unwrap()
    };
    let gzip = fixture.send(request("accept-encoding", "gzip")).await;
    assert_eq!(gzip.header("content-encoding"), "gzip");
    assert!(gzip.body.len() < plain.body.len());
    let unchanged = fixture.send(request("if-none-match", &plain.header("etag"))).await;
    assert_eq!(unchanged.status, StatusCode::NOT_MODIFIED);
    assert!(unchanged.body.is_empty());
}

#[tokio::test]
async fn c3_7_an_unknown_path_is_not_found() {
    let answer = Fixture::new(ITEMS).get("/nonexistent").await;
    assert_eq!((answer.status, answer.text().as_str()), (StatusCode::NOT_FOUND, "Not Found"));
}

/// A person who follows a wrong link sees a page, in a language that they read, and a way on; a script reads JSON.
#[tokio::test]
async fn what_is_not_there_is_a_page_for_a_person() {
    let fixture = Fixture::new(ITEMS);
    let open = |path: &str, accept: &str| {
        let request = Request::get(path).header("host", "localhost:3721").header("accept", accept);
        fixture.send(request.body(Body::empty()).unwrap())
    };
    for (path, lang, title, way_on) in [
        ("/nonexistent", "zh-CN", "没有这个页面", "href=\"/?lang=zh\""),
        ("/nonexistent?lang=en", "en", "No such page", "href=\"/?lang=en\""),
        ("/d/nonexistent?lang=en", "en", "No such decision", "href=\"/history?lang=en\""),
        ("/d/2024-03-01T10-32-03?lang=en", "en", "", "/history/2024-03-01T10-32-03?lang=en"),
        ("/history/2024-03-01T10-32-03?lang=en", "en", "No such decision", "href=\"?lang=zh\""),
        ("/plans/nonexistent?lang=en", "en", "No such plan", "href=\"/plans?lang=en\""),
        ("/p/nonexistent/history?lang=en", "en", "No such project", "href=\"/?lang=en\""),
        ("/p/nonexistent/flow", "zh-CN", "没有这个项目", "href=\"/?lang=zh\""),
    ] {
        let answer = open(path, "text/html,*/*;q=0.8").await;
        answer.assert_guarded(path);
        if answer.status == StatusCode::SEE_OTHER {
            assert_eq!(answer.header("location"), way_on, "{path}");
            continue;
        }
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8", "{path}");
        let html = answer.text();
        for part in [&format!("<html lang=\"{lang}\""), &format!("<h1>{title}</h1>"), way_on] {
            assert!(html.contains(part), "{path}: {part} is missing in {html}");
        }
    }
    for path in ["/api/nonexistent", "/api/plans/nonexistent/status"] {
        let answer = open(path, "text/html").await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        assert!(answer.header("content-type").starts_with("application/json"), "{path}");
    }
    assert_eq!(open("/nonexistent", "image/*").await.text(), "Not Found");
}

/// Several answers, one's own words, and an item that may stay open.
const FREE_ITEMS: &str = r#"{"task": "t", "source": "s", "items": [
    {"id": 1, "title": "several", "multiple": true, "min": 2, "allow_other": true, "recommend": "b",
     "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}, {"value": "c", "label": "C"}]},
    {"id": 2, "title": "open", "required": false, "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]},
    {"id": 3, "title": "own", "allow_other": true, "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]}
]}"#;

#[tokio::test]
async fn items_can_take_several_answers_ones_own_words_or_none() {
    let fixture = Fixture::new(FREE_ITEMS);
    let html = fixture.get("/").await.text();
    // Two items need an answer; the third says by a choice of its own that it has none.
    assert!(html.contains("已完成 0/2 项") && html.contains("可多选（2–4 项）"), "{html}");
    assert_eq!(
        (html.matches("type=\"checkbox\" name=\"item-").count(), html.matches(" checked").count()),
        (4, 1)
    );

    let post = |fields: &str| fixture.post_form(format!("session={}&{fields}", fixture.session));
    for (fields, detail) in [
        ("item-1=0&item-3=0", "待定项 1 需要选择 2-4 项，实际为 1 项"),
        ("item-1=0&item-1=2&item-3=2&other-3=+", "请填写待定项 3 的其他答案"),
        ("item-1=0&item-1=2&item-3=0&item-3=1", "待定项 3 需要选择 1 项，实际为 2 项"),
    ] {
        let answer = post(fields).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{fields}");
        assert!(answer.text().contains(detail), "{fields}: {}", answer.text());
    }
    // Words without a choice are the choice; the page comes back with all of it.
    let kept =
        post("item-1=3&item-1=0&other-1=%E8%87%AA%E5%B7%B1&other-3=x&item-2=&action=show").await.text();
    assert_eq!(kept.matches(" checked").count(), 3, "{kept}");
    assert!(kept.contains("自己</textarea>") && kept.contains("已完成 2/2 项"), "{kept}");

    let answer = post("item-1=3&item-1=0&other-1=%E8%87%AA%E5%B7%B1&other-3=x&item-2=&note-2=later").await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    assert!(answer.text().contains("A · 自己") && answer.text().contains("—"), "{}", answer.text());
    let record = fixture.record().unwrap();
    assert_eq!(
        record["output"]["decisions"],
        json!([
            {"id": 1, "chosen": ["a"], "other": "自己"},
            {"id": 2, "chosen": null, "note": "later"},
            {"id": 3, "chosen": null, "other": "x"},
        ])
    );
    assert_eq!(record["_meta"]["items"][0]["followed_recommendation"], false);
}

#[tokio::test]
async fn small_pages_are_compressed_for_whoever_wants_it() {
    let fixture = Fixture::new(ITEMS);
    let get = |accept: &'static str| {
        let request = Request::get("/").header("host", "localhost:3721").header("accept-encoding", accept);
        fixture.send(request.body(Body::empty()).unwrap())
    };
    let (plain, compressed) = (get("identity").await, get("br, gzip").await);
    assert!(!plain.headers.contains_key("content-encoding"));
    assert_eq!(compressed.headers["content-encoding"], "gzip");
    for answer in [&plain, &compressed] {
        assert_eq!(
            (answer.status, &answer.headers["vary"]),
            (StatusCode::OK, &"accept-encoding".parse().unwrap())
        );
    }
    let mut page = String::new();
    flate2::read::GzDecoder::new(&*compressed.body).read_to_string(&mut page).unwrap();
    assert!(compressed.body.len() * 2 < page.len() && page.contains("测试任务"), "{page}");
}

#[tokio::test]
async fn what_was_chosen_can_be_reviewed_before_it_is_sent() {
    let fixture = Fixture::new(ITEMS);
    let post = |fields: &str| fixture.post_form(format!("session={}&{fields}", fixture.session));
    let open = post("item-1=1&note-2=a%0D%0Ab&action=review").await;
    assert_eq!(open.status, StatusCode::OK);
    let html = open.text();
    assert!(
        html.contains("检查您的选择") && html.contains("备注: a\nb") && !html.contains("value=\"submit\""),
        "{html}"
    );

    let complete =
        post("item-1=0&item-2=1&note-2=%3C%2Ftitle%3E&return-message=x&return-item=2&action=review").await;
    let html = complete.text();
    assert!(html.contains("选项A") && html.contains("推荐: ") && html.contains("&lt;/title&gt;"), "{html}");
    // Whatever is pressed there posts the same form again.
    for field in
        ["item-1\" value=\"0", "item-2\" value=\"1", "return-message\" value=\"x", "return-item\" value=\"2"]
    {
        assert!(html.contains(&format!("<input type=\"hidden\" name=\"{field}\"")), "{field}: {html}");
    }
    assert!(html.contains("value=\"submit\"") && html.contains("value=\"show\""), "{html}");
    assert!(fixture.record().is_none() && !fixture.is_decided());
    // What was reviewed survives.
    let draft = std::fs::read_to_string(fixture.folder.path().join(".aide/decisions/draft.json")).unwrap();
    assert!(draft.contains("</title>"), "{draft}");
}

#[tokio::test]
async fn title_and_icon_show_how_many_items_are_open() {
    let fixture = Fixture::new(ITEMS);
    let html = fixture.get("/").await.text();
    assert!(html.contains("<title>(2) 测试任务 · ") && html.contains("%3E2%3C/text"), "{html}");
}

/// The answer to a page that listens when the server shuts down, after `happens` has run.
#[expect(clippy::unwrap_used, reason = "a helper of tests")]
async fn told_after(happens: impl FnOnce(&store::Decisions, &store::PendingSet, &Questions)) -> Value {
    let opened = open(ITEMS);
    let id = opened.id.to_string();
    let hall = Arc::new(opened.hall);
    let router = server::router(Arc::clone(&hall), Access::open([127, 0, 0, 1].into(), 3721, ""));
    let request = Request::post("/fn/listen")
        .header("host", "localhost:3721")
        .header("content-type", "application/json")
        .body(Body::from(json!({"session": id, "lang": "en", "hold": true}).to_string()));
    let told = tokio::spawn(router.oneshot(request.unwrap()));
    tokio::task::yield_now().await;
    assert!(!told.is_finished(), "as long as there is no news, nobody is told any");
    let decisions = Project::at(opened.folder.path()).unwrap().decisions().unwrap();
    let pending = decisions.pending().unwrap().unwrap();
    happens(&decisions, &pending, hall.own().unwrap().questions());
    hall.close();
    let answer = told.await.unwrap().unwrap();
    // A browser would show anything else as an error of the page.
    assert_eq!(answer.status(), StatusCode::OK);
    serde_json::from_slice(&axum::body::to_bytes(answer.into_body(), usize::MAX).await.unwrap()).unwrap()
}

#[expect(clippy::unwrap_used, reason = "a helper of tests")]
fn publish(ending: Ending) -> impl FnOnce(&store::Decisions, &store::PendingSet, &Questions) {
    move |decisions, pending, questions| {
        decisions.publish(pending, questions, ending, Via::Terminal).unwrap();
    }
}

#[tokio::test]
async fn a_page_is_told_how_the_questions_ended_elsewhere() {
    let text = r#"{"decisions":[{"id":1,"chosen":"a","note":"<b>"},{"id":2,"chosen":"b"}]}"#;
    let output =
        parse_output(text, Questions::parse(ITEMS.as_bytes()).unwrap().input(), &model::Attachments::new())
            .unwrap();
    let told = told_after(publish(Ending::Decided(output))).await;
    let html = told["Err"]["Ended"].as_str().unwrap();
    for part in ["Already decided", "测试问题", "选项A", "Note: &lt;b&gt;"] {
        assert!(html.contains(part), "{part} is missing in {html}");
    }

    let returned = Returned { message: "too <vague>".to_owned(), items: vec![] };
    let told = told_after(publish(Ending::Returned(returned))).await;
    let html = told["Err"]["Ended"].as_str().unwrap();
    assert!(html.contains("too &lt;vague&gt;") && !html.contains("<dt>"), "{html}");

    let told = told_after(publish(Ending::Cancelled)).await;
    let html = told["Err"]["Ended"].as_str().unwrap();
    assert!(html.contains(texts::Lang::En.page().cancelled_hint) && !html.contains("<dt>"), "{html}");
}

#[tokio::test]
async fn a_page_is_told_that_its_questions_were_replaced() {
    let told = told_after(|decisions, _, _| {
        let others = ITEMS.replace("测试问题", "另一个问题");
        decisions.ask(&Questions::parse(others.as_bytes()).unwrap()).unwrap();
    });
    assert!(told.await["Err"]["Stale"].is_string());
}

#[tokio::test]
async fn a_page_is_told_nothing_when_the_time_is_up() {
    assert_eq!(told_after(|_, _, _| {}).await, json!({"Ok": null}));
}

#[tokio::test]
async fn five_pages_may_wait_and_the_sixth_connection_of_a_browser_is_free() {
    let hall = Arc::new(open(ITEMS).hall);
    let mut waiting: Vec<_> = (0..5)
        .map(|_| {
            let hall = Arc::clone(&hall);
            tokio::spawn(async move { hall.news(hall.own().unwrap()).await })
        })
        .collect();
    tokio::task::yield_now().await;
    hall.news(hall.own().unwrap()).await;
    assert!(waiting.iter().all(|page| !page.is_finished()));
    hall.close();
    for page in waiting.drain(..) {
        page.await.unwrap();
    }
}

#[tokio::test]
async fn a_restored_draft_says_so_unless_the_person_never_left() {
    let fixture = Fixture::new(ITEMS);
    let html = fixture.page("/").await;
    assert!(html.contains("id=\"restored\" role=\"status\" hidden"), "{html}");
    let sheet = json!({"session": fixture.session.to_string(), "lang": "zh",
        "sheet": {"answers": [{"id": 2, "options": [1]}]}});
    assert_eq!(fixture.post_json("/fn/draft", sheet.to_string()).await.status, StatusCode::OK);
    let html = fixture.page("/").await;
    assert!(html.contains("id=\"restored\" role=\"status\">已恢复您 "), "{html}");
    for (referer, is_told) in [
        ("http://localhost:3721/submit?lang=zh", false),
        ("http://localhost:3721/history/2025-01-15T10-30-00?lang=zh", false),
        ("http://localhost:3721/flow", false),
        ("http://localhost:3721/?lang=en", true),
        ("rubbish", true),
    ] {
        let request = Request::get("/").header("host", "localhost:3721").header("referer", referer);
        let html = fixture.send(request.body(Body::empty()).unwrap()).await.text();
        assert_eq!(html.contains("已恢复您 "), is_told, "{referer}");
    }
}

#[tokio::test]
async fn a_time_limit_is_told_and_put_off_by_the_person_alone() {
    let span = Duration::from_secs(600);
    let limit = Arc::new(TimeLimit::new(span));
    let is_put_off_since = |began: Instant| limit.left() + began.elapsed() >= span;
    let opened = open(ITEMS);
    let hall = Arc::new(opened.hall.limited_by(Some(Arc::clone(&limit))));
    let router = server::router(hall, Access::open([127, 0, 0, 1].into(), 3721, ""));
    let post = |path: &str, kind: &str, body: String| {
        let request = Request::post(path).header("host", "localhost:3721").header("content-type", kind);
        router.clone().oneshot(request.body(Body::from(body)).unwrap())
    };
    let draft = |extend: bool| {
        let body = json!({"session": opened.id, "lang": "zh", "sheet": {"answers": []}, "extend": extend});
        post("/fn/draft", "application/json", body.to_string())
    };
    let told = async |extend| {
        let body = axum::body::to_bytes(draft(extend).await.unwrap().into_body(), usize::MAX).await.unwrap();
        serde_json::from_slice::<u64>(&body).unwrap()
    };
    // Checking for a listener does not ask for more time.
    let began = Instant::now();
    assert!((500..600).contains(&told(false).await) && !is_put_off_since(began));
    told(true).await;
    assert!(is_put_off_since(began));

    let began = Instant::now();
    let body = format!("session={}&item-1=0&note-1=kept&action=extend", opened.id);
    let answer = post("/submit", "application/x-www-form-urlencoded", body).await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    assert!(is_put_off_since(began));
    let page = axum::body::to_bytes(answer.into_body(), usize::MAX).await.unwrap();
    let page = String::from_utf8(page.to_vec()).unwrap();
    assert!(page.contains("kept</textarea>") && page.contains("届时仍未提交，则不产生任何决策"), "{page}");
    assert!(!Fixture::new(ITEMS).get("/").await.text().contains("time-limit"));
}

#[tokio::test]
async fn the_page_tells_that_a_file_is_not_what_it_was() {
    let fixture = Fixture::new(ITEMS);
    let (changed, gone) = ("⚠ 提问之后此文件已更改", "⚠ 提问之后此文件已无法读取");
    let file = fixture.folder.path().join("test.md");
    let marks = |html: &str| (html.matches(changed).count(), html.matches(gone).count());
    let items = fixture.get("/api/items").await.json();
    assert_eq!(marks(&fixture.get("/").await.text()), (0, 0));

    std::fs::write(&file, "第一行\n第二行\n第三行 <script>\n第四行!\n").unwrap();
    let page = fixture.get("/").await.text();
    assert_eq!(marks(&page), (1, 0), "{page}");
    assert!(page.contains("第三行 &lt;script&gt;"), "what is there now is shown: {page}");
    // The plain form shows it as well, and the answer to a script is the documented one.
    let shown = fixture.post_form(format!("session={}&item-1=0&action=show", fixture.session)).await;
    assert_eq!(marks(&shown.text()), (1, 0), "{}", shown.text());
    let refused = fixture.post_form(format!("session={}&item-1=0", fixture.session)).await;
    assert_eq!((refused.status, marks(&refused.text())), (StatusCode::BAD_REQUEST, (1, 0)));
    assert!(fixture.get("/?lang=en").await.text().contains("⚠ This file has changed since"));
    assert_eq!(fixture.get("/api/items").await.json(), items);

    std::fs::remove_file(&file).unwrap();
    let page = fixture.get("/").await.text();
    assert_eq!(marks(&page), (0, 1), "{page}");
    assert!(fixture.get("/?lang=en").await.text().contains("⚠ This file could be read when"));
}

#[tokio::test]
async fn the_lines_around_can_be_opened_and_those_that_are_meant_stand_apart() {
    let items = |start: u64, end: u64| {
        let options = json!([{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]);
        let location = json!({"file": "main.rs", "start": start, "end": end});
        let item = json!({"id": 1, "title": "t", "location": location, "options": options});
        json!({"task": "t", "source": "s", "items": [item]}).to_string()
    };
    for (start, end, above, below) in [
        (30, 31, Some((10, 29)), Some((32, 51))),
        (1, 2, None, Some((3, 22))),
        (5, 5, Some((1, 4)), Some((6, 25))),
        (58, 60, Some((38, 57)), None),
        (59, 900, Some((39, 58)), None),
        (59, 59, Some((39, 58)), Some((60, 60))),
    ] {
        let fixture = Fixture::new(&items(start, end));
        // A comment that began above is still one.
        let code: String = (1..=60)
            .map(|line| match line {
                7 => "/* 7\n".to_owned(),
                31 => "*/ let x31 = '<';\n".to_owned(),
                line => format!("x{line}\n"),
            })
            .collect();
        std::fs::write(fixture.folder.path().join("main.rs"), code).unwrap();
        let html = fixture.get("/?lang=en").await.text();
        let numbers = |mark: &str| -> Vec<u64> {
            let numbers = html.split(mark).skip(1).map(|rest| rest.split(['"', '<']).next().unwrap());
            numbers.map(|number| number.parse().unwrap()).collect()
        };
        let range = |lines: Option<(u64, u64)>| lines.into_iter().flat_map(|(first, last)| first..=last);
        assert_eq!(numbers("class=\"line-number\">"), (start..=end.min(60)).collect::<Vec<_>>());
        assert_eq!(numbers("data-line=\""), range(above).chain(range(below)).collect::<Vec<_>>());
        for (word, lines) in [("Above", above), ("Below", below)] {
            let label =
                lines.map(|(first, last)| format!("<summary>{word} (lines {first}–{last})</summary>"));
            assert_eq!(html.matches(&format!("<summary>{word}")).count(), usize::from(lines.is_some()));
            assert!(label.is_none_or(|label| html.contains(&label)), "{html}");
        }
        if start == 30 {
            let meant = "<code><span class=\"com\">x30</span></code>";
            let next = "<code><span class=\"com\">*/</span> <span class=\"key\">let</span> x31 = \
                        <span class=\"str\">&#39;&lt;&#39;</span>;</code>";
            assert!(html.contains(meant) && html.contains(next), "{html}");
        }
    }
}

#[tokio::test]
async fn what_nobody_would_read_around_is_not_sent() {
    let fixture = Fixture::new(ITEMS);
    let long = "x".repeat(1 << 20);
    std::fs::write(fixture.folder.path().join("test.md"), format!("{long}\n2\n3\n4\n{long}\n6\n")).unwrap();
    let html = fixture.get("/?lang=en").await.text();
    assert!(html.len() < 100_000, "{} bytes", html.len());
    assert!(html.contains("Below (lines 4–4)") && !html.contains("<summary>Above"), "{html}");
}

/// What a page says is about the questions it shows. Positions of its options mean something else in others.
#[tokio::test]
async fn a_page_of_replaced_questions_does_nothing_to_the_new_ones() {
    let fixture = Fixture::new(ITEMS);
    let files = fixture.files();
    let actions = ["submit", "recommend", "show", "history", "review", "extend", "return"];
    for action in actions {
        let body = format!(
            "session=2001-01-01T00-00-00&item-1=0&item-2=0&note-1=mine%20%3Cb%3E&return-message=why&action={action}"
        );
        let answer = fixture.post_form(body).await;
        assert_eq!(answer.status, StatusCode::CONFLICT, "{action}");
        let page = answer.text();
        assert!(!page.contains("<form") && !page.contains(&*fixture.session.to_string()), "{action}: {page}");
        // The text written there exists nowhere else.
        assert!(page.contains("mine &lt;b&gt;") && page.contains("why"), "{action}: {page}");
    }
    assert_eq!(fixture.files(), files);
    assert!(!fixture.is_decided());
}

/// On the way to another page nothing is lost without a word.
#[tokio::test]
async fn who_leaves_for_the_history_takes_everything_along_or_stays() {
    let fixture = Fixture::new(ITEMS);
    let draft = fixture.folder.path().join(".aide/decisions/draft.json");
    let body = format!("session={}&note-1=mine&action=history", fixture.session);
    std::fs::create_dir(&draft).unwrap();
    let answer = fixture.post_form(body.clone()).await;
    assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(answer.text().contains("mine"), "{}", answer.text());
    std::fs::remove_dir(&draft).unwrap();
    assert_eq!(fixture.post_form(body).await.status, StatusCode::SEE_OTHER);
    assert!(std::fs::read_to_string(&draft).unwrap().contains("mine"));
}

/// Files of one line are not sent in full, once for each item that names them.
#[tokio::test]
async fn of_a_very_long_line_only_its_beginning_is_sent() {
    let fixture = Fixture::new(ITEMS);
    let long = format!("<{}", "x".repeat(1 << 20));
    std::fs::write(fixture.folder.path().join("test.md"), format!("1\n{long}\n3\n")).unwrap();
    let page = fixture.get("/").await.text();
    assert!(page.len() < 100 << 10, "{} bytes", page.len());
    assert!(page.contains("&lt;xxxx") && page.contains("x…</code>"));
}

/// One of each kind, and options that explain themselves.
const KINDS: &str = r##"{"task": "t", "source": "s", "items": [
    {"id": 1, "title": "name", "kind": "text"},
    {"id": 2, "title": "go", "kind": "confirm", "recommend": "go",
     "options": [{"value": "go", "label": "Go on", "description": "**All** of it.\n\n<script>alert(1)</script>\u0007 [x](javascript:alert(2))", "pros": ["fast"]}]},
    {"id": 3, "title": "more", "kind": "text", "required": false},
    {"id": 4, "title": "sure", "kind": "confirm", "required": false, "options": [{"value": "sure", "label": "Sure"}]}
]}"##;

#[tokio::test]
async fn a_question_is_answered_in_words_or_confirmed() {
    let fixture = Fixture::new(KINDS);
    let html = fixture.get("/").await.text();
    assert!(html.contains("已完成 0/2 项"), "{html}");
    assert_eq!(html.matches("name=\"other-").count(), 2, "a field for each text");
    assert_eq!(html.matches("type=\"checkbox\" name=\"item-").count(), 2, "a box for each confirmation");
    assert!(html.contains("<strong>All</strong> of it."), "{html}");
    assert!(!html.contains("<script>alert") && !html.contains("href=\"javascript:"), "{html}");

    let post = |fields: &str| fixture.post_form(format!("session={}&{fields}", fixture.session));
    for (fields, detail) in [
        ("item-1=0&other-1=+%0D%0A&item-2=0", "缺少待定项 1 的决策"),
        ("item-1=0&other-1=x&item-3=0&other-3=", "缺少待定项 2 的决策"),
        ("item-1=7&other-1=x&item-2=0", "待定项 1 没有选项，请在 other 中填写答案"),
        ("item-1=0&other-1=x&item-2=0&item-2=0", "待定项 2 的决策值重复: go"),
        ("item-1=0&other-1=x&item-2=1", "待定项 2 的决策值无效: #1"),
    ] {
        let answer = post(fields).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{fields}");
        assert!(answer.text().contains(detail), "{fields}: {}", answer.text());
    }
    let page = post("action=show&item-1=0&other-1=%3C%2Ftextarea%3Ea%0D%0Ab&item-3=0&other-3=").await.text();
    assert!(page.contains("&lt;/textarea&gt;a\nb"), "{page}");
    assert!(page.contains("已完成 1/2 项"), "{page}");
    let page = post("action=recommend&item-1=0&other-1=x").await.text();
    assert!(page.contains("已完成 2/2 项"), "what is confirmed can be recommended: {page}");
    let review = post("action=review&item-1=0&other-1=a%0D%0Ab&item-2=0&item-3=0&other-3=").await.text();
    assert!(review.contains("a\nb") && review.contains("Go on"), "{review}");

    let answer = post("item-1=0&other-1=a%0D%0Ab&item-2=0&item-3=0&other-3=").await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    assert_eq!(
        fixture.record().unwrap()["output"],
        json!({"decisions": [
            {"id": 1, "chosen": null, "other": "a\nb"}, {"id": 2, "chosen": "go"},
            {"id": 3, "chosen": null}, {"id": 4, "chosen": null},
        ]})
    );
    let record = fixture.get(&format!("/history/{}", fixture.session)).await.text();
    assert!(record.contains("a\nb") && record.contains("<strong>All</strong> of it."), "{record}");
    assert!(!record.contains("<script>alert"), "{record}");
    let export = fixture.get(&format!("/history/{}.md", fixture.session)).await.text();
    assert!(export.contains("回答:\n\n> a") && export.contains("\n> b"), "{export}");
    assert!(export.contains("  **All** of it."), "{export}");
}

#[tokio::test]
async fn a_field_for_words_without_any_is_no_draft() {
    let fixture = Fixture::new(KINDS);
    let fields = "action=history&item-1=0&other-1=&item-3=0&other-3=";
    fixture.post_form(format!("session={}&{fields}", fixture.session)).await;
    let html = fixture.get("/").await.text();
    assert!(html.contains("id=\"restored\" role=\"status\" hidden"), "{html}");
}

#[tokio::test]
async fn the_documented_json_answers_every_kind() {
    let fixture = Fixture::new(KINDS);
    let items = fixture.get("/api/items").await.json();
    assert_eq!((&items["items"][0]["kind"], &items["items"][1]["kind"]), (&json!("text"), &json!("confirm")));
    for (decisions, detail) in [
        (r#"{"id":1,"chosen":"x"},{"id":2,"chosen":"go"}"#, "待定项 1 没有选项，请在 other 中填写答案"),
        (r#"{"id":1,"chosen":null},{"id":2,"chosen":"go"}"#, "待定项 1 没有选项，请在 other 中填写答案"),
        (r#"{"id":1,"other":"x"},{"id":2,"chosen":null,"other":"no"}"#, "待定项 2 不接受其他答案"),
    ] {
        let answer = fixture.post_json("/api/submit", format!("{{\"decisions\":[{decisions}]}}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{decisions}");
        assert!(answer.text().contains(detail), "{decisions}: {}", answer.text());
    }
    let body = r#"{"decisions":[{"id":2,"chosen":"go"},{"id":1,"chosen":null,"other":"x"}]}"#;
    let answer = fixture.post_json("/api/submit", body).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    assert_eq!(
        fixture.record().unwrap()["output"]["decisions"][0],
        json!({"id":1,"chosen":null,"other":"x"})
    );
}

#[tokio::test]
async fn a_set_of_choices_loads_nothing_of_the_other_kinds() {
    // `text` leaves style sheets out.
    let html = async |items| String::from_utf8(Fixture::new(items).get("/").await.body.to_vec()).unwrap();
    let own = [".written textarea", ".described > label"];
    let of_choices = html(FREE_ITEMS).await;
    assert!(own.iter().all(|rule| !of_choices.contains(rule)), "{of_choices}");
    let of_kinds = html(KINDS).await;
    assert!(own.iter().all(|rule| of_kinds.contains(rule)), "{of_kinds}");
}
