//! Read and write errors are reported in the language of the client.

use crate::support::{Answer, Fixture, ITEMS};
use files::fault::{self, Fault};
use http::StatusCode;
use model::SessionId;
use rustix::io::Errno;
use serde_json::json;
use std::fs;
use texts::Lang;
use tokio::runtime::{Builder, Runtime};
use tokio::task::spawn_blocking;

/// A record that is not JSON.
const BROKEN: &str = "2024-03-05T00-00-00";

/// Both languages, each with what is said in it.
fn in_both<'t>(zh: &'t str, en: &'t str) -> [(Lang, &'t str, &'t str); 2] {
    [(Lang::Zh, zh, en), (Lang::En, en, zh)]
}

/// All that blocks, as reading and writing does, is done by one thread: faults belong to a thread.
fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().max_blocking_threads(1).build().unwrap()
}

#[derive(Debug, Clone, Copy)]
enum Door {
    Form,
    Api,
    Function,
    Draft,
    History,
}

impl Door {
    async fn knock(self, fixture: &Fixture, lang: Lang) -> Answer {
        let (session, code) = (&fixture.session, lang.code());
        match self {
            Self::Form => {
                let body = format!("session={session}&item-1=0&item-2=0&action=submit");
                let kind = "application/x-www-form-urlencoded";
                fixture.post(&format!("/submit?lang={code}"), kind, body).await
            }
            Self::Api => {
                let answers = json!({"decisions": [{"id": 1, "chosen": "a"}, {"id": 2, "chosen": "b"}]});
                fixture.post_json(&format!("/api/submit?lang={code}"), answers.to_string()).await
            }
            Self::Function => fixture.post_json("/fn/submit", function(session, code)).await,
            Self::Draft => fixture.post_json("/fn/draft", function(session, code)).await,
            Self::History => fixture.get(&format!("/history?lang={code}")).await,
        }
    }
}

fn function(session: &SessionId, code: &str) -> String {
    let answers = json!([{"id": 1, "options": [0]}, {"id": 2, "options": [1]}]);
    json!({"session": session.to_string(), "lang": code, "sheet": {"answers": answers}, "extend": false})
        .to_string()
}

/// Every call to the system is the one that fails, once for each door.
#[test]
fn a_full_disk_is_told_in_the_language_of_whoever_asks() {
    let words = in_both("磁盘空间不足 (os error 28)", "No space left on device (os error 28)");
    let sentences = in_both("读写失败: ", "cannot read or write ");
    for door in [Door::Form, Door::Api, Door::Function, Door::Draft, Door::History] {
        for ((lang, said, _), (_, sentence, other)) in words.into_iter().zip(sentences) {
            let mut told = 0;
            for turn in 0.. {
                let fixture = Fixture::new(ITEMS);
                let (answer, has_failed) = runtime().block_on(async {
                    spawn_blocking(move || fault::fail(turn, Fault::Fails(Errno::NOSPC))).await.unwrap();
                    let answer = door.knock(&fixture, lang).await;
                    (answer, spawn_blocking(fault::fail_no_more).await.unwrap())
                });
                let (status, text) = (answer.status, answer.text());
                if status == StatusCode::INTERNAL_SERVER_ERROR {
                    told += 1;
                    assert!(text.contains(said) && text.contains(sentence), "{door:?} {turn}: {text}");
                    assert!(!text.contains(other), "{door:?} {turn}: {text}");
                }
                if !has_failed {
                    assert_eq!(status, StatusCode::OK, "{door:?} {turn}: {text}");
                    break;
                }
            }
            assert!(told > 0, "{door:?} {lang:?}");
        }
    }
}

#[tokio::test]
async fn what_stands_in_the_place_of_a_file_is_told_in_the_language_of_whoever_asks() {
    for (lang, said, other) in in_both("不是普通文件: ", "not a regular file: ") {
        let fixture = Fixture::new(ITEMS);
        fs::create_dir(fixture.folder.path().join(".aide/decisions/draft.json")).unwrap();
        let answer = Door::Draft.knock(&fixture, lang).await;
        let text = answer.text();
        assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR, "{lang:?}: {text}");
        assert!(text.contains(said) && !text.contains(other), "{lang:?}: {text}");
    }
}

#[tokio::test]
async fn a_broken_record_is_told_in_the_language_of_whoever_asks() {
    let fixture = Fixture::new(ITEMS);
    let path = fixture.folder.path().join(format!(".aide/decisions/{BROKEN}.json"));
    fs::write(path, "{\"input\": oops").unwrap();
    let (zh, en) = (format!("无法解析 {BROKEN}.json: "), format!("cannot parse {BROKEN}.json: "));
    for (lang, said, other) in in_both(&zh, &en) {
        for (path, status) in [
            ("/history".to_owned(), StatusCode::OK),
            (format!("/history/{BROKEN}"), StatusCode::INTERNAL_SERVER_ERROR),
            (format!("/history/{BROKEN}.md"), StatusCode::INTERNAL_SERVER_ERROR),
        ] {
            let answer = fixture.get(&format!("{path}?lang={}", lang.code())).await;
            let text = answer.text();
            assert_eq!(answer.status, status, "{path} {lang:?}: {text}");
            assert!(text.contains(said) && !text.contains(other), "{path} {lang:?}: {text}");
        }
    }
}

#[tokio::test]
async fn a_broken_state_of_a_task_is_told_in_the_language_of_whoever_asks() {
    let fixture = Fixture::new(ITEMS);
    fs::write(fixture.folder.path().join(".aide/flow-status.json"), "{").unwrap();
    let (zh, en) = (
        "状态文件解析失败: .aide/flow-status.json: ",
        "Cannot read the state file: .aide/flow-status.json: ",
    );
    for (lang, said, other) in in_both(zh, en) {
        for path in ["/flow", "/flow/version"] {
            let answer = fixture.get(&format!("{path}?lang={}", lang.code())).await;
            let text = answer.text();
            assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR, "{path} {lang:?}: {text}");
            assert!(text.contains(said) && !text.contains(other), "{path} {lang:?}: {text}");
        }
    }
}

#[tokio::test]
async fn a_body_that_is_not_utf_8_is_told_in_the_language_of_whoever_asks() {
    let fixture = Fixture::new(ITEMS);
    for (lang, said, other) in in_both("不是有效的 UTF-8，从第 3 个字节起", "not valid UTF-8 from byte 3")
    {
        let path = format!("/api/submit?lang={}", lang.code());
        let answer = fixture.post_json(&path, &b"{\"\xff"[..]).await;
        let text = answer.text();
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{lang:?}: {text}");
        assert!(text.contains(said) && !text.contains(other), "{lang:?}: {text}");
    }
}
