//! Files that are attached to an answer: over HTTP, with the plain form, and by those who mean no good.

use crate::support::wire::{Server, within};
use crate::support::{Answer, Fixture};
use axum::body::{Body, Bytes};
use futures_util::{StreamExt, stream};
use http::StatusCode;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::convert::Infallible;
use std::fs;
use std::path::PathBuf;

/// A choice; files of which there are rules; files of any kind, which need not be.
const ASKED: &str = r#"{"task":"t","source":"s","items":[
  {"id":1,"title":"way","options":[{"value":"a","label":"A"},{"value":"b","label":"B"}]},
  {"id":3,"title":"logos","kind":"files","names":["*.svg","a*"],"max":2,"max_bytes":1000},
  {"id":4,"title":"more","kind":"files","required":false}]}"#;

const MIB: usize = 1 << 20;
const MEDIA_TYPE: &str = "multipart/form-data; boundary=x";

/// A body of these parts: the name of the field, that of the file where it is one, and the content.
fn body(parts: &[(&str, Option<&str>, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, file, content) in parts {
        body.extend_from_slice(head(name, *file).as_bytes());
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--x--\r\n");
    body
}

fn head(name: &str, file: Option<&str>) -> String {
    let file =
        file.map(|file| format!("; filename=\"{file}\"\r\nContent-Type: image/svg+xml")).unwrap_or_default();
    format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n")
}

fn attachment(name: &str, content: &[u8]) -> Value {
    let sha256: String = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
    json!({"name": name, "sha256": sha256, "size": content.len()})
}

struct Target(Fixture);

impl Target {
    fn new() -> Self {
        Self(Fixture::new(ASKED))
    }

    async fn attach_body(&self, item: &str, body: impl Into<Body>) -> Answer {
        let answer = self.0.post(&format!("/d/{}/files/{item}", self.0.session), MEDIA_TYPE, body).await;
        answer.assert_guarded("files");
        answer
    }

    async fn attach(&self, item: u64, name: &str, content: &[u8]) -> Answer {
        self.attach_body(&item.to_string(), body(&[("file", Some(name), content)])).await
    }

    async fn remove(&self, item: u64, name: &str) -> Answer {
        let path = format!("/d/{}/files/{item}/remove", self.0.session);
        self.0.post_json(&path, json!({ "name": name }).to_string()).await
    }

    /// Posts the plain form, of these parts after those that every form has.
    async fn post(&self, parts: &[(&str, Option<&str>, &[u8])]) -> Answer {
        let session = self.0.session.to_string();
        let mut all = vec![("session", None, session.as_bytes()), ("item-1", None, b"1".as_slice())];
        all.extend_from_slice(parts);
        self.0.post(&format!("/d/{session}/submit?lang=en"), MEDIA_TYPE, body(&all)).await
    }

    fn folder(&self) -> PathBuf {
        self.0.folder.path().join(format!(".aide/decisions/files/{}", self.0.session))
    }

    /// The names of what is in the folder of an item.
    fn on_disk(&self, item: u64) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.folder().join(item.to_string())) else { return Vec::new() };
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The attached files, as the page shows them.
    async fn attached(&self, item: u64) -> Vec<String> {
        let page = self.0.page(&format!("/d/{}?lang=en", self.0.session)).await;
        let field = format!("name=\"remove\" value=\"{item}/");
        page.split(&field).skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
    }
}

fn refused(answer: &Answer, status: StatusCode, detail: &str) {
    assert_eq!(answer.status, status, "{}", answer.text());
    let body = answer.json();
    assert!(!body["error"].as_str().unwrap().is_empty());
    assert!(body["detail"].as_str().unwrap().contains(detail), "{body} {detail}");
}

#[tokio::test]
async fn files_are_attached_replaced_removed_and_are_the_answer() {
    let target = Target::new();
    let (first, second) = (attachment("a.svg", b"one"), attachment("ab", b""));
    let answer = target.attach(3, "a.svg", b"one").await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    assert_eq!(answer.json(), json!({"files": [first], "set_bytes_left": 64 * MIB - 3}));
    let answer = target.attach(3, "ab", b"").await;
    assert_eq!(answer.json()["files"], json!([first, second]));
    let other = attachment("a.svg", b"other");
    let answer = target.attach(3, "a.svg", b"other").await;
    assert_eq!(answer.json(), json!({"files": [other, second], "set_bytes_left": 64 * MIB - 5}));
    assert_eq!(fs::read(target.folder().join("3/a.svg")).unwrap(), b"other");

    let answer = target.remove(3, "ab").await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.json(), json!({"files": [other], "set_bytes_left": 64 * MIB - 5}));
    refused(&target.remove(3, "ab").await, StatusCode::NOT_FOUND, "没有这个文件");
    assert_eq!(target.on_disk(3), ["a.svg"]);

    // Several in one request, for scripts.
    let two = body(&[("x", Some("1.txt"), b"1"), ("note", None, b"2"), ("y", Some("2.txt"), b"2")]);
    let answer = target.attach_body("4", two).await;
    assert_eq!(answer.json()["files"].as_array().unwrap().len(), 2);

    // None takes the place of another of the same request, but of one of an earlier.
    let same =
        body(&[("x", Some("a/2.txt"), b"2"), ("x", Some("b/2.txt"), b"3"), ("x", Some("2.TXT"), b"4")]);
    let files = target.attach_body("4", same).await.json()["files"].clone();
    let named = |name: &str, content| attachment(name, content);
    assert_eq!(
        files,
        json!([
            named("1.txt", b"1"),
            named("2.txt", b"2"),
            named("2 (2).txt", b"3"),
            named("2 (3).TXT", b"4")
        ])
    );
    for name in ["2 (2).txt", "2 (3).TXT"] {
        target.remove(4, name).await;
    }

    let answer =
        target.0.post_json("/api/submit", r#"{"decisions":[{"id":1,"chosen":"a"},{"id":3},{"id":4}]}"#).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    let decisions = &target.0.record().unwrap()["output"]["decisions"];
    assert_eq!(decisions[1]["files"], json!([other]));
    assert_eq!(decisions[2]["files"], json!([attachment("1.txt", b"1"), attachment("2.txt", b"2")]));

    refused(&target.attach(3, "a.svg", b"late").await, StatusCode::CONFLICT, "已");
    refused(&target.remove(3, "a.svg").await, StatusCode::CONFLICT, "已");
    assert_eq!(fs::read(target.folder().join("3/a.svg")).unwrap(), b"other");
}

#[tokio::test]
async fn what_does_not_fit_is_refused_in_the_language_of_the_request() {
    let target = Target::new();
    for item in ["1", "2", "x", "-1", "18446744073709551616"] {
        let answer = target.attach_body(item, body(&[("file", Some("a"), b"x")])).await;
        refused(&answer, StatusCode::NOT_FOUND, "不接受附件");
    }
    for set in ["2020-01-01T00-00-00", "x", "..%2f.."] {
        let path = format!("/d/{set}/files/3");
        let answer = target.0.post(&path, MEDIA_TYPE, body(&[("file", Some("a"), b"x")])).await;
        refused(&answer, StatusCode::NOT_FOUND, "没有");
        let answer = target.0.post_json(&format!("{path}/remove"), r#"{"name":"a"}"#).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND);
    }
    refused(&target.attach(3, "b.exe", b"x").await, StatusCode::BAD_REQUEST, "*.svg、a*");
    refused(&target.attach(3, "a", &[0; 1001]).await, StatusCode::PAYLOAD_TOO_LARGE, "不能超过 1 kB");
    assert_eq!(target.attach(3, "a", &[0; 1000]).await.status, StatusCode::OK);
    assert_eq!(target.attach(3, "ab", b"").await.status, StatusCode::OK);
    let path = format!("/d/{}/files/3?lang=en", target.0.session);
    let answer = target.0.post(&path, MEDIA_TYPE, body(&[("file", Some("ac"), b"")])).await;
    refused(&answer, StatusCode::PAYLOAD_TOO_LARGE, "at most 2 files");
    // 64 MiB in all.
    assert_eq!(target.attach(4, "large", &vec![0; 40 * MIB]).await.status, StatusCode::OK);
    let answer = target.attach(4, "larger", &vec![0; 24 * MIB]).await;
    refused(&answer, StatusCode::PAYLOAD_TOO_LARGE, "64 MiB");
    // One that takes the place of another has its room.
    assert_eq!(target.attach(4, "large", &vec![0; 60 * MIB]).await.status, StatusCode::OK);
    assert_eq!((target.on_disk(3), target.on_disk(4)), (vec!["a".into(), "ab".into()], vec!["large".into()]));

    for json in ["", "{}", "[]", r#"{"name":1}"#, "nul"] {
        let path = format!("/d/{}/files/3/remove", target.0.session);
        assert_eq!(target.0.post_json(&path, json).await.status, StatusCode::BAD_REQUEST, "{json}");
    }
}

#[tokio::test]
async fn a_name_is_never_a_path() {
    let long = "n".repeat(4000);
    let names = [
        ("../../etc/passwd", "passwd"),
        ("C:\\x", "x"),
        ("..\\\\..\\\\x.txt", "x.txt"),
        (".", "file"),
        ("..", "file"),
        ("/", "file"),
        ("in\u{202e}fdp.exe", "infdp.exe"),
        ("a\u{feff}\u{200b}b", "ab"),
        ("CON", "CON_"),
        (&*long, &long[..200]),
        ("index.json", "index.json"),
        (".part-1-1.tmp", "part-1-1.tmp"),
    ];
    for (name, clean) in names {
        let target = Target::new();
        let before = target.0.files();
        let answer = target.attach(4, name, b"x").await;
        assert_eq!(answer.status, StatusCode::OK, "{name}: {}", answer.text());
        assert_eq!(answer.json()["files"], json!([attachment(clean, b"x")]), "{name}");
        assert_eq!(target.on_disk(4), [clean], "{name}");
        let folder = target.folder();
        let new = target.0.files().into_keys().filter(|path| !before.contains_key(path));
        assert!(new.into_iter().all(|path| path.starts_with(&folder)), "{name}");
        assert_eq!(target.attached(4).await, [clean], "{name}");
        assert_eq!(target.remove(4, clean).await.status, StatusCode::OK, "{name}");
    }
    // What no head of a part can hold.
    let target = Target::new();
    for name in ["a\0b", "a\nb"] {
        let answer = target.attach(4, name, b"x").await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{name:?}: {}", answer.text());
    }
    assert!(target.on_disk(4).is_empty());
}

#[tokio::test]
async fn what_is_no_form_is_refused() {
    let target = Target::new();
    let whole = body(&[("file", Some("a.svg"), b"content")]);
    let cut = |length: usize| whole[..whole.len() - length].to_vec();
    let bodies: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"--x--\r\n".to_vec(),
        b"--y\r\n\r\n--y--\r\n".to_vec(),
        b"nothing of the kind".to_vec(),
        cut(5),
        cut(12),
        cut(60),
        b"--x\r\nContent-Disposition: form-data; name=\"a\"; filename=\"a".to_vec(),
        // No file.
        body(&[("file", None, b"x")]),
        body(&[("file", Some(""), b"")]),
        [b"--x\r\nA: ".as_slice(), &vec![b'a'; 3 * MIB], b"\r\n\r\nx\r\n--x--\r\n"].concat(),
        b"--x\r\nno head at all\r\n\r\nx\r\n--x--\r\n".to_vec(),
    ];
    for bytes in bodies {
        let name = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]).into_owned();
        let answer = target.attach_body("3", bytes).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{name}: {}", answer.text());
        assert!(answer.json()["detail"].is_string(), "{name}");
    }
    let path = format!("/d/{}/files/3", target.0.session);
    for media_type in ["multipart/form-data", "multipart/form-data; boundary="] {
        let answer = target.0.post(&path, media_type, whole.clone()).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{media_type}");
    }
    assert!(target.on_disk(3).is_empty(), "{:?}", target.on_disk(3));
    // Text before and after the parts is ignored.
    let around = [b"before\r\n".as_slice(), &whole, b"behind"].concat();
    assert_eq!(target.attach_body("3", around).await.status, StatusCode::OK);
}

#[tokio::test]
async fn ten_thousand_parts_are_refused_before_they_are_read() {
    let target = Target::new();
    let many: Vec<_> = (0..10_000).map(|_| ("item-1", None, b"0".as_slice())).collect();
    let answer = target.post(&many).await;
    refused(&answer, StatusCode::PAYLOAD_TOO_LARGE, "too many parts");
    let files: Vec<_> = (0..10_000).map(|_| ("files-4", Some("a"), b"".as_slice())).collect();
    refused(&target.post(&files).await, StatusCode::PAYLOAD_TOO_LARGE, "too many parts");
    refused(&target.attach_body("4", body(&many)).await, StatusCode::PAYLOAD_TOO_LARGE, "表单的部分过多");
    // Each is another file.
    refused(&target.attach_body("4", body(&files)).await, StatusCode::PAYLOAD_TOO_LARGE, "最多 10 个附件");
    let unknown = target.0.post("/d/2020-01-01T00-00-00/submit?lang=en", MEDIA_TYPE, body(&many)).await;
    refused(&unknown, StatusCode::PAYLOAD_TOO_LARGE, "too many parts");
    // Fields that are no files stay small.
    let answer = target.post(&[("note-1", None, &vec![b'n'; MIB + 1])]).await;
    refused(&answer, StatusCode::PAYLOAD_TOO_LARGE, "1 MiB");
}

#[tokio::test]
async fn the_plain_form_brings_files_with_every_button() {
    for action in ["show", "review", "recommend", "extend", "history", "inbox"] {
        let target = Target::new();
        let answer = target
            .post(&[
                ("files-3", Some("a.svg"), b"one"),
                ("files-4", Some(""), b""),
                ("note-3", None, "好\r\n".as_bytes()),
                ("action", None, action.as_bytes()),
            ])
            .await;
        if matches!(action, "history" | "inbox") {
            assert_eq!(answer.status, StatusCode::SEE_OTHER, "{action}");
        } else {
            assert_eq!(answer.status, StatusCode::OK, "{action}: {}", answer.text());
            assert!(answer.text().contains("a.svg"), "{action}");
        }
        assert_eq!(target.attached(3).await, ["a.svg"], "{action}");
        assert!(target.attached(4).await.is_empty(), "{action}");
        let page = target.0.page(&format!("/d/{}?lang=en", target.0.session)).await;
        assert!(page.contains("2/2") || page.contains("2 of 2"), "{action}");
        assert!(page.contains("好"), "{action}");
        // The page that shows all sends it by a form without files.
        let sent = format!("session={}&item-1=1&action=submit", target.0.session);
        let answer = target.0.post_form(sent).await;
        assert_eq!(answer.status, StatusCode::OK, "{action}: {}", answer.text());
        assert!(answer.text().contains("a.svg (3 B)"), "{action}");
        let decisions = &target.0.record().unwrap()["output"]["decisions"];
        assert_eq!(decisions[1]["files"], json!([attachment("a.svg", b"one")]), "{action}");
    }
}

#[tokio::test]
async fn the_plain_form_submits_with_its_files() {
    let target = Target::new();
    let answer = target
        .post(&[
            ("files-3", Some("a.svg"), b"one"),
            ("files-3", Some("x/a.svg"), b"two"),
            ("files-4", Some("A.svg"), b""),
            ("files-4", Some("a.svg"), b""),
            ("files-4", Some("noext"), b""),
            ("files-4", Some("noext"), b""),
            ("files-9", Some("foreign"), b"x"),
            ("else", Some("foreign"), b"x"),
            ("action", None, b"submit"),
        ])
        .await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    assert!(target.0.is_decided());
    let decisions = &target.0.record().unwrap()["output"]["decisions"];
    assert_eq!(decisions[1]["files"], json!([attachment("a.svg", b"one"), attachment("a (2).svg", b"two")]));
    let names: Vec<_> = decisions[2]["files"].as_array().unwrap().iter().map(|file| &file["name"]).collect();
    assert_eq!(names, ["A.svg", "a (2).svg", "noext", "noext (2)"]);
}

#[tokio::test]
async fn long_names_of_one_form_stay_apart() {
    let target = Target::new();
    let name = |end: &str| format!("{}{end}.pdf", "x".repeat(300));
    let answer = target
        .post(&[
            ("files-3", Some("a.svg"), b""),
            ("files-4", Some(&name("one")), b"one"),
            ("files-4", Some(&name("two")), b"two"),
            ("action", None, b"submit"),
        ])
        .await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    let files = &target.0.record().unwrap()["output"]["decisions"][2]["files"];
    let names = [format!("{}.pdf", "x".repeat(196)), format!("{} (2).pdf", "x".repeat(192))];
    assert_eq!(*files, json!([attachment(&names[0], b"one"), attachment(&names[1], b"two")]));
    assert_eq!(fs::read(target.folder().join("4").join(&names[0])).unwrap(), b"one");
}

#[tokio::test]
async fn a_button_takes_a_file_away_and_keeps_the_rest() {
    let target = Target::new();
    target.attach(3, "a.svg", b"one").await;
    target.attach(3, "ab", b"two").await;
    let answer = target
        .post(&[("files-4", Some("more"), b"x"), ("note-1", None, b"kept"), ("remove", None, b"3/a.svg")])
        .await;
    assert_eq!(answer.status, StatusCode::OK);
    assert!(answer.text().contains("kept") && !answer.text().contains("3/a.svg"));
    assert_eq!(target.attached(3).await, ["ab"]);
    assert_eq!(target.attached(4).await, ["more"]);
    // What is not there any more, or never was, is not there.
    for value in ["3/a.svg", "3/../../x", "x", "/", "9/ab", "3"] {
        let answer = target.post(&[("remove", None, value.as_bytes())]).await;
        assert_eq!(answer.status, StatusCode::OK, "{value}");
    }
    assert!(!target.0.is_decided());
}

#[tokio::test]
async fn a_file_that_is_not_taken_keeps_the_form_from_being_sent() {
    let target = Target::new();
    let answer = target
        .post(&[
            ("files-3", Some("a.svg"), b"one"),
            ("files-3", Some("b.exe"), b"x"),
            ("note-1", None, b"kept"),
            ("action", None, b"submit"),
        ])
        .await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    let text = answer.text();
    assert!(text.contains("b.exe was not attached") && text.contains("kept"), "{text}");
    assert!(!target.0.is_decided());
    assert_eq!(target.attached(3).await, ["a.svg"]);
    // However large it is.
    let answer = target
        .post(&[
            ("files-3", Some("a1"), &vec![0; 5 * MIB]),
            ("files-4", Some("next"), b"x"),
            ("note-1", None, b"behind it"),
            ("action", None, b"submit"),
        ])
        .await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
    let text = answer.text();
    assert!(text.contains("a1 was not attached") && text.contains("behind it"), "{text}");
    assert_eq!(target.attached(4).await, ["next"]);
    assert!(!target.0.is_decided());
    // Sending the questions back needs no files.
    let answer = target
        .post(&[
            ("files-3", Some("b.exe"), b"x"),
            ("return-message", None, b"no logo"),
            ("action", None, b"return"),
        ])
        .await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    assert!(target.0.is_decided());
    // The error of a later submission says so.
    let answer = target.post(&[("files-3", Some("a.svg"), b"x"), ("action", None, b"submit")]).await;
    assert_eq!(answer.status, StatusCode::CONFLICT);
    assert!(answer.text().contains("no logo"));
}

#[tokio::test]
async fn the_form_of_other_questions_is_stale() {
    let target = Target::new();
    let session = target.0.session.to_string();
    for (path, named) in
        [("2020-01-01T00-00-00", &*session), (&*session, "2020-01-01T00-00-00"), (&*session, "")]
    {
        let parts = body(&[
            ("session", None, named.as_bytes()),
            ("note-1", None, b"written"),
            ("action", None, b"submit"),
        ]);
        let answer = target.0.post(&format!("/d/{path}/submit"), MEDIA_TYPE, parts).await;
        assert_eq!(answer.status, StatusCode::CONFLICT, "{path} {named}");
        assert!(answer.text().contains("written"));
    }
    assert!(!target.0.is_decided());
    let answer = target.0.get(&format!("/d/{session}/submit?lang=en")).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
    assert_eq!(answer.header("location"), format!("/d/{session}?lang=en"));
}

#[tokio::test(start_paused = true)]
async fn a_body_that_stops_attaches_nothing() {
    let target = Target::new();
    for path in ["files/4", "submit"] {
        let begin = format!("{}half of it", head("files-4", Some("half")));
        let begun = stream::iter([Ok::<_, Infallible>(Bytes::from(begin))]);
        let stopped = Body::from_stream(begun.chain(stream::pending()));
        let path = format!("/d/{}/{path}", target.0.session);
        let answer = target.0.post(&path, MEDIA_TYPE, stopped).await;
        refused(&answer, StatusCode::REQUEST_TIMEOUT, "");
        assert!(target.on_disk(4).is_empty(), "{path}: {:?}", target.on_disk(4));
    }
}

#[tokio::test]
async fn who_says_that_it_is_far_too_large_is_refused_at_once() {
    within(async {
        let server = Server::start(ASKED);
        for path in ["files/4", "submit"] {
            let mut client = server.connect().await;
            client
                .send(&format!(
                    "POST /d/{}/{path} HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Length: 1073741824\r\n\
                     Content-Type: {MEDIA_TYPE}\r\n\r\n",
                    server.session
                ))
                .await;
            assert_eq!(client.answer().await.status, StatusCode::PAYLOAD_TOO_LARGE, "{path}");
        }
    })
    .await;
}

#[tokio::test]
async fn who_still_sends_does_not_delay_the_end() {
    within(async {
        let mut server = Server::start(ASKED);
        let mut slow = server.connect().await;
        let begin = format!("{}half", head("file", Some("half")));
        slow.send(&format!(
            "POST /d/{}/files/4 HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Length: 1000000\r\n\
             Content-Type: {MEDIA_TYPE}\r\n\r\n{begin}",
            server.session
        ))
        .await;
        let mut person = server.connect().await;
        let parts = String::from_utf8(body(&[("file", Some("a.svg"), b"one")])).unwrap();
        let header = format!("Content-Type: {MEDIA_TYPE}\r\n");
        person.ask("POST", &format!("/d/{}/files/3", server.session), &header, &parts).await;
        assert_eq!(person.answer().await.status, StatusCode::OK);
        person.submit(r#"{"decisions":[{"id":1,"chosen":"a"},{"id":3}]}"#).await;
        assert_eq!(person.answer().await.status, StatusCode::OK);
        let took = server.ended_after().await;
        assert!(took.as_secs() < 2, "waited for somebody: {took:?}");
        let record = server.record().unwrap();
        assert_eq!(record["output"]["decisions"][1]["files"], json!([attachment("a.svg", b"one")]));
        assert_eq!(record["output"]["decisions"][2].get("files"), None);
    })
    .await;
}

#[tokio::test]
async fn a_large_file_is_never_held_in_memory() {
    within(async {
        let server = Server::start(ASKED);
        let size = 64 * MIB;
        let (begin, end) = (head("file", Some("large")), "\r\n--x--\r\n");
        let length = begin.len() + size + end.len();
        let mut client = server.connect().await;
        let before = peak();
        client
            .send(&format!(
                "POST /d/{}/files/4 HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Length: {length}\r\n\
                 Content-Type: {MEDIA_TYPE}\r\n\r\n{begin}",
                server.session
            ))
            .await;
        let chunk = "\r\n--y\n01".repeat(MIB / 8);
        for _ in 0..64 {
            client.send_bytes(chunk.as_bytes()).await;
        }
        client.send(end).await;
        let answer = client.answer().await;
        let grown = peak() - before;
        assert!(grown < 16 * 1024, "{grown} KiB more");
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
        let file = attachment("large", chunk.repeat(64).as_bytes());
        assert_eq!(answer.json(), json!({ "files": [file], "set_bytes_left": 0 }));
    })
    .await;
}

/// The most memory that this process has ever used, in KiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
