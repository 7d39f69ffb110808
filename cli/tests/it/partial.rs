//! Answers to a part of the questions: `"partial": true`.

use crate::support::http::{exchange, head, post_head, post_json};
use crate::support::{BackgroundGuard, Folder, begin, full, until};
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;

/// Three questions of which a part may be answered, the last of them optional.
fn questions() -> Value {
    let mut questions = full();
    let items = questions["items"].as_array_mut().unwrap();
    items[0].as_object_mut().unwrap().remove("location");
    items.push(json!({"id": 3, "title": "日志", "required": false,
        "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]}));
    questions["partial"] = json!(true);
    questions
}

fn result(folder: &Folder, session: &str) -> Value {
    let result = folder.aide(["decide", "result", session]);
    assert_eq!(result.code, Some(0), "{result:?}");
    serde_json::from_str(&result.stdout).unwrap()
}

/// The page at the root; empty while no server is there.
fn page(port: u16) -> String {
    let request = head("GET", "/", port, "Connection: close\r\n");
    exchange(port, &request, Duration::from_secs(10)).map(|page| page.text().to_owned()).unwrap_or_default()
}

/// The rest is a set of its own: open at once, named by the result, waited for and answered like any other.
#[test]
fn the_rest_goes_on_as_a_set_of_its_own() {
    let folder = Folder::project();
    let _background = BackgroundGuard(&folder);
    let waiting = folder.submit(&questions());
    let (session, port) = (folder.session(), waiting.port);
    let part = json!({"decisions": [{"id": 2, "chosen": "argon2"}]}).to_string();
    assert_eq!(post_json(port, "/api/submit", &part).status, 200);
    let finished = waiting.finish();
    assert_eq!(finished.code, Some(0));
    assert!(finished.stdout.ends_with("✓ 决策已完成\n"), "{finished:?}");
    let answered = result(&folder, &session);
    let rest = answered["open"]["session_id"].as_str().unwrap().to_owned();
    assert_eq!(
        answered,
        json!({"decisions": [{"id": 2, "chosen": "argon2"}], "open": {"session_id": rest, "items": [1, 3]}})
    );
    assert_eq!(finished.stderr, format!("→ 其余 2 项留待稍后决策: aide decide wait {rest}\n"));
    let open = folder.file(&format!("open/{rest}.json"));
    let ids: Vec<_> = open["items"].as_array().unwrap().iter().map(|item| item["id"].clone()).collect();
    assert_eq!((ids, &open["_meta"]["rest_of"]), (vec![json!(1), json!(3)], &json!(session)));
    // To cancel it, one is led to it.
    let cancelled = folder.aide(["decide", "cancel", &session]);
    assert_eq!(cancelled.code, Some(1));
    assert!(cancelled.stderr.contains(&format!("其余 2 项留待稍后决策: {rest}\n")), "{}", cancelled.stderr);
    // The link that the person has leads to it: a server stays for it.
    until("the rest is served", || page(port).contains("认证方式选择"));
    assert!(!page(port).contains("密码加密算法"));
    let shown = folder.aide(["decide", "show", &session]).stdout;
    assert!(shown.contains(&format!("其余 2 项留待稍后决策: aide decide answer {rest}")), "{shown}");
    // An agent waits for it with the command that it was told.
    let wait = begin(folder.command(["decide", "wait", &rest]));
    let part = json!({"decisions": [{"id": 1, "chosen": "jwt"}]}).to_string();
    assert_eq!(post_json(port, &format!("/d/{rest}/api/submit"), &part).status, 200);
    let waited = wait.wait_with_output().unwrap();
    assert_eq!(
        serde_json::from_slice::<Value>(&waited.stdout).unwrap(),
        json!({"decisions": [{"id": 1, "chosen": "jwt"}, {"id": 3, "chosen": null}]}),
        "what may be left open is, once all else is answered"
    );
    let shown = folder.aide(["decide", "show", &session]).stdout;
    assert!(shown.contains(&format!("其余 2 项另行决策: aide decide show {rest}")), "{shown}");
    // Nothing is left any more.
    let cancelled = folder.aide(["decide", "cancel", &session]);
    assert!(cancelled.code == Some(1) && !cancelled.stderr.contains("留待稍后"), "{cancelled:?}");
}

#[test]
fn without_it_and_without_any_answer_all_are_needed() {
    let folder = Folder::project();
    let _background = BackgroundGuard(&folder);
    let waiting = folder.submit(&questions());
    let refused = post_json(waiting.port, "/api/submit", r#"{"decisions":[]}"#);
    assert_eq!(refused.status, 400, "{}", refused.text());
    waiting.kill();
    let mut whole = questions();
    whole["partial"] = json!(false);
    let waiting = folder.submit(&whole);
    let refused = post_json(waiting.port, "/api/submit", r#"{"decisions":[{"id":1,"chosen":"jwt"}]}"#);
    assert_eq!(refused.status, 400, "{}", refused.text());
    assert!(refused.text().contains("缺少待定项 2 的决策"), "{}", refused.text());
    waiting.kill();
    whole["partial"] = json!("yes");
    let refused = folder.aide(["decide", "submit", &whole.to_string()]);
    refused.failed_with(1, "✗ 数据验证失败: partial 必须为 true 或 false，实际为 \"yes\"\n");
}

/// At a terminal and from a pipe: an empty line leaves a question for later, and what was noted goes on with it.
#[test]
fn a_question_is_left_for_later_in_the_terminal() {
    let folder = Folder::project();
    let _background = BackgroundGuard(&folder);
    folder.submit(&questions()).kill();
    let session = folder.session();
    // For later; argon2 without a note; open; not submitted.
    let left = folder.answer("\n2\n\n\n\nn\n");
    assert!(left.stdout.contains("选择（回车: 稍后再答，没有备注）"), "{left:?}");
    assert!(left.stdout.contains("其余 2 项留待稍后决策。\n提交以上决策吗？[y/N]"), "{left:?}");
    assert_eq!(left.code, Some(1));
    let answered = folder.answer("\n\n\n\n\ny\n");
    assert_eq!(answered.code, Some(0), "{answered:?}");
    let rest = result(&folder, &session)["open"]["session_id"].as_str().unwrap().to_owned();
    assert!(answered.stderr.contains(&format!("aide decide answer {rest}")), "{answered:?}");
    let answered = folder.answer_with(&[&rest], "1\nbecause\n\n\ny\n");
    assert_eq!(answered.code, Some(0), "{answered:?}");
    assert_eq!(
        result(&folder, &rest),
        json!({"decisions": [{"id": 1, "chosen": "jwt", "note": "because"}, {"id": 3, "chosen": null}]})
    );
}

/// What was filled in, but is no answer yet, is there again; so are files that were attached.
#[test]
fn what_was_filled_in_goes_on_with_the_rest() {
    let folder = Folder::project();
    let _background = BackgroundGuard(&folder);
    let mut asked = questions();
    asked["items"].as_array_mut().unwrap().push(json!({"id": 4, "title": "log", "kind": "files", "min": 2}));
    let waiting = folder.submit(&asked);
    let session = folder.session();
    fs::write(folder.join("a.log"), "content").unwrap();
    let attached = folder.answer_with(&["--provide", "a.log:4"], "q\n");
    assert!(!attached.stdout.contains("✗"), "{attached:?}");
    let sheet = json!({"session": session, "lang": "zh", "sheet": {"answers": [
        {"id": 1, "options": [0]}, {"id": 2, "options": [], "note": "to be asked"}]}});
    let submitted = post_json(waiting.port, "/fn/submit", &sheet.to_string());
    assert_eq!(submitted.status, 200, "{}", submitted.text());
    assert!(submitted.text().contains("其余 3 项留待稍后决策"), "{}", submitted.text());
    let port = waiting.port;
    waiting.finish();
    let rest = result(&folder, &session)["open"]["session_id"].as_str().unwrap().to_owned();
    let draft = folder.file(&format!("open/{rest}.draft.json"));
    assert_eq!(
        draft["answers"],
        json!([{"id": 2, "note": "to be asked", "item": draft["answers"][0]["item"]}])
    );
    until("the rest is served", || page(port).contains("to be asked"));
}

/// A part is answered many times over, and each time by several at once: every answer counts once, and nothing is asked twice.
#[test]
fn of_many_at_once_one_answers_a_part() {
    let folder = Folder::project();
    let _background = BackgroundGuard(&folder);
    let waiting = folder.submit(&questions());
    let (session, port) = (folder.session(), waiting.port);
    let bodies =
        ["jwt", "session"].map(|value| json!({"decisions": [{"id": 1, "chosen": value}]}).to_string());
    let answers: Vec<_> = std::thread::scope(|scope| {
        let posting = (0..8).map(|index| {
            scope.spawn({
                let request = post_head(port, "/api/submit", bodies[index % 2].len()) + &bodies[index % 2];
                // One that is late finds no server any more.
                move || exchange(port, &request, Duration::from_secs(30)).ok().map(|response| response.status)
            })
        });
        let posting: Vec<_> = posting.collect();
        posting.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(answers.iter().filter(|status| **status == Some(200)).count(), 1, "{answers:?}");
    waiting.finish();
    let rest = result(&folder, &session)["open"]["session_id"].as_str().unwrap().to_owned();
    let sets: Vec<_> =
        fs::read_dir(folder.decision("open")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(sets, [format!("{rest}.json").as_str()]);
}

/// A page sends the choice of words also where none are written: what is typed later is not the page's.
#[test]
fn words_that_are_typed_later_keep_their_door() {
    let folder = Folder::project();
    let _background = BackgroundGuard(&folder);
    let mut asked = questions();
    asked["items"].as_array_mut().unwrap().push(json!({"id": 4, "title": "name", "kind": "text"}));
    let waiting = folder.submit(&asked);
    let session = folder.session();
    let sheet = json!({"session": session, "lang": "zh", "sheet": {"answers": [
        {"id": 1, "options": [0]}, {"id": 2, "options": [0]}, {"id": 4, "options": [0]}]}});
    assert_eq!(post_json(waiting.port, "/fn/submit", &sheet.to_string()).status, 200);
    waiting.finish();
    let rest = result(&folder, &session)["open"]["session_id"].as_str().unwrap().to_owned();
    assert!(!folder.decision(&format!("open/{rest}.draft.json")).exists());
    let answered = folder.answer_with(&[&rest], "x\n\nCedar\n\ny\n");
    assert_eq!(answered.code, Some(0), "{answered:?}");
    let record = folder.file(&format!("{rest}.json"));
    let of_words = record["_meta"]["items"].as_array().unwrap().iter().find(|item| item["id"] == 4).unwrap();
    assert_eq!(
        (&of_words["via"], &record["output"]["decisions"][1]["other"]),
        (&json!("terminal"), &json!("Cedar"))
    );
}
