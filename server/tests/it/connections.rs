//! Real sockets: how the server ends, whom it waits for and whom not, and what it makes of bytes that are no proper
//! requests.

use crate::support::ITEMS;
use crate::support::wire::{Client, Server, within};
use http::StatusCode;
use serde_json::json;
use std::io::Write;
use std::sync::{Arc, Barrier};
use std::time::Duration;

const ANSWER: &str = r#"{"decisions":[{"id":1,"chosen":"a"},{"id":2,"chosen":"b"}]}"#;
/// More than the server takes to end, less than any deadline of a connection that it must not wait for.
const PROMPT: Duration = Duration::from_secs(2);

const HALF_A_HEAD: &str = "GET /api/items HTTP/1.1\r\nHost: localhost:PORT\r\nAccept: ";
const OTHER_HALF: &str = "*/*\r\n\r\n";
const HALF_A_BODY: &str = "POST /api/submit HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Type: application/json\r\n\
                           Content-Length: 60\r\n\r\n{\"decisions\":";

/// The body of a post of the page's form.
fn form(server: &Server, rest: &str) -> String {
    format!("session={}&item-1=0&item-2=1{rest}", server.session)
}

async fn post_form(client: &mut Client, body: &str) {
    client.ask("POST", "/submit", "Content-Type: application/x-www-form-urlencoded\r\n", body).await;
}

/// A page that does not fit into the buffers between server and client.
fn many_items() -> String {
    let options = json!([{"value": "a", "label": "A".repeat(500)}, {"value": "b", "label": "B"}]);
    let item = |id: u32| json!({"id": id, "title": "T".repeat(500), "options": options});
    json!({"task": "t", "source": "s", "items": (1..=1000).map(item).collect::<Vec<_>>()}).to_string()
}

#[tokio::test]
async fn it_ends_promptly_whoever_is_still_connected() {
    within(async {
        let mut server = Server::start(ITEMS);
        let mut silent = server.connect().await;
        let mut idle = server.connect().await;
        assert_eq!(idle.get("/").await.status, StatusCode::OK);
        let mut half_a_head = server.connect().await;
        half_a_head.send(HALF_A_HEAD).await;
        let mut half_a_body = server.connect().await;
        half_a_body.send(HALF_A_BODY).await;
        let mut half_a_second_head = server.connect().await;
        assert_eq!(half_a_second_head.get("/").await.status, StatusCode::OK);
        half_a_second_head.send(HALF_A_HEAD).await;
        let mut half_a_second_body = server.connect().await;
        assert_eq!(half_a_second_body.get("/").await.status, StatusCode::OK);
        half_a_second_body.send(HALF_A_BODY).await;

        let mut person = server.connect().await;
        person.submit(ANSWER).await;
        let answer = person.answer().await;
        assert_eq!(answer.status, StatusCode::OK);
        assert_eq!(answer.json()["success"], true);
        let took = server.ended_after().await;
        assert!(took < PROMPT, "waited for somebody: {took:?}");
        assert_eq!(server.record().unwrap()["output"]["decisions"][0]["chosen"], "a");
        assert_eq!(person.end().await, "");
        for (name, client) in [
            ("silent", &mut silent),
            ("idle", &mut idle),
            ("half a head", &mut half_a_head),
            ("half a body", &mut half_a_body),
            ("half a second head", &mut half_a_second_head),
            ("half a second body", &mut half_a_second_body),
        ] {
            assert_eq!(client.end().await, "", "{name}");
        }
    })
    .await;
}

#[tokio::test]
async fn whoever_only_sits_there_does_not_delay_the_end() {
    within(async {
        let mut server = Server::start(ITEMS);
        let _silent = server.connect().await;
        let mut half_a_head = server.connect().await;
        half_a_head.send(HALF_A_HEAD).await;
        let mut idle = server.connect().await;
        assert_eq!(idle.get("/").await.status, StatusCode::OK);
        idle.submit(ANSWER).await;
        assert_eq!(idle.answer().await.status, StatusCode::OK);
        let took = server.ended_after().await;
        // Young connections have a moment for their first request.
        assert!(took < Duration::from_millis(150), "waited for somebody: {took:?}");
    })
    .await;
}

/// The server of this test has one thread, which must not be the one that waits.
#[tokio::test]
async fn who_waits_for_the_disk_keeps_nobody_else_waiting() {
    within(async {
        let server = Server::start(ITEMS);
        let lock = std::fs::File::open(server.path().join(".aide/decisions/.lock")).unwrap();
        lock.lock().unwrap();
        let mut typing = server.connect().await;
        post_form(&mut typing, &form(&server, "&action=show&note-1=kept")).await;
        let mut reading = server.connect().await;
        assert_eq!(reading.get("/").await.status, StatusCode::OK);
        assert!(!server.path().join(".aide/decisions/draft.json").exists());

        lock.unlock().unwrap();
        assert_eq!(typing.answer().await.status, StatusCode::OK);
        let draft = std::fs::read_to_string(server.path().join(".aide/decisions/draft.json")).unwrap();
        assert!(draft.contains("kept"), "{draft}");
    })
    .await;
}

#[tokio::test]
async fn it_does_not_wait_for_a_tab_that_does_not_read() {
    within(async {
        let mut server = Server::start(&many_items());
        let mut stuck = server.connect_narrow().await;
        // More answers than the buffers on the way hold.
        for _ in 0..20 {
            stuck.ask("GET", "/", "", "").await;
        }
        let decisions: Vec<_> = (1..=1000).map(|id| json!({"id": id, "chosen": "b"})).collect();
        let mut person = server.connect().await;
        person.submit(&json!({"decisions": decisions}).to_string()).await;
        assert_eq!(person.answer().await.status, StatusCode::OK);
        let took = server.ended_after().await;
        assert!(took < PROMPT, "waited for somebody: {took:?}");
    })
    .await;
}

#[tokio::test]
async fn the_answer_is_there_even_for_those_who_read_it_later() {
    within(async {
        let mut server = Server::start(ITEMS);
        let mut person = server.connect().await;
        post_form(&mut person, &form(&server, "&note-1=%E5%A5%BD")).await;
        server.ended().await;
        let page = person.answer().await;
        assert_eq!(page.status, StatusCode::OK);
        page.assert_guarded("farewell");
        let text = page.text();
        assert!(text.starts_with("<!DOCTYPE html>") && text.trim_end().ends_with("</html>"), "{text}");
        assert!(text.contains("好") && !text.contains("<form"), "{text}");
        assert_eq!(person.end().await, "");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_farewell_arrives_complete() {
    within(async {
        let mut server = Server::start(&many_items());
        let mut body = format!("session={}", server.session);
        for id in 1..=1000 {
            body.push_str(&format!("&item-{id}=0&note-{id}={}", "n".repeat(500)));
        }
        let mut person = server.connect().await;
        post_form(&mut person, &body).await;
        let page = person.answer().await;
        assert_eq!(page.status, StatusCode::OK);
        assert!(page.body.len() > 1_000_000, "{}", page.body.len());
        assert!(page.text().trim_end().ends_with("</html>"));
        server.ended().await;
    })
    .await;
}

/// Keeps the two threads of a runtime from doing anything until it is let go.
struct BlockedRuntime(Arc<Barrier>);

impl BlockedRuntime {
    fn hold() -> Self {
        let barrier = Arc::new(Barrier::new(3));
        for _ in 0..2 {
            let barrier = Arc::clone(&barrier);
            tokio::spawn(async move {
                barrier.wait();
                barrier.wait();
            });
        }
        barrier.wait();
        Self(barrier)
    }

    fn let_go(self) {
        self.0.wait();
    }
}

/// Two people press the button at the same moment, on connections that are `fresh` or in use. With `hold`, the server sees both
/// requests at once.
async fn two_submit(fresh: bool, hold: bool) {
    let mut server = Server::start(ITEMS);
    let mut tabs = [server.connect().await, server.connect().await];
    if !fresh {
        for tab in &mut tabs {
            assert_eq!(tab.get("/").await.status, StatusCode::OK);
        }
    }
    let held = hold.then(BlockedRuntime::hold);
    for tab in &mut tabs {
        tab.submit(ANSWER).await;
    }
    if let Some(held) = held {
        held.let_go();
    }
    server.ended().await;
    let [one, other] = &mut tabs;
    let mut answers = [one.answer().await, other.answer().await];
    answers.sort_by_key(|answer| answer.status);
    assert_eq!(answers[0].status, StatusCode::OK);
    assert_eq!(answers[1].status, StatusCode::CONFLICT);
    assert_eq!(answers[1].json()["result"].to_string(), ANSWER);
    for tab in &mut tabs {
        assert_eq!(tab.end().await, "");
    }
}

#[tokio::test]
async fn of_two_submissions_one_wins_and_both_are_told() {
    within(async {
        two_submit(false, false).await;
        two_submit(true, false).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_submissions_at_once_one_wins_and_both_are_told() {
    within(async {
        for _ in 0..20 {
            two_submit(false, true).await;
        }
    })
    .await;
}

#[tokio::test]
async fn who_came_before_the_end_is_told_and_not_cut_off() {
    within(async {
        let (sender, late) = std::sync::mpsc::channel();
        let mut server = Server::start_with(ITEMS, move |port| {
            // The server has not had the time to accept this connection when its shutdown begins.
            let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
            let length = ANSWER.len();
            let head = format!(
                "POST /api/submit HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Type: application/json\r\n\
                 Content-Length: {length}\r\n\r\n"
            );
            stream.write_all((head + ANSWER).as_bytes()).unwrap();
            sender.send(stream).unwrap();
        });
        let mut person = server.connect().await;
        person.submit(ANSWER).await;
        assert_eq!(person.answer().await.status, StatusCode::OK);
        server.ended().await;
        let mut late = Client::from_std(late.recv().unwrap());
        assert_eq!(late.answer().await.status, StatusCode::CONFLICT);
        assert_eq!(late.end().await, "");
    })
    .await;
}

/// What a connection does that only wants to be in the way.
#[derive(Debug, Clone, Copy)]
enum SlowClient {
    Silent,
    Head,
    Body,
    /// Was answered, and stays.
    Idle,
}

impl SlowClient {
    async fn connect(self, server: &Server) -> Client {
        let mut client = server.connect().await;
        match self {
            Self::Silent => {}
            Self::Head => client.send(HALF_A_HEAD).await,
            Self::Body => client.send(HALF_A_BODY).await,
            Self::Idle => assert_eq!(client.get("/api/items").await.status, StatusCode::OK),
        }
        client
    }

    /// Goes on with what was begun.
    async fn finish(self, client: &mut Client) -> StatusCode {
        match self {
            Self::Silent | Self::Idle => client.ask("GET", "/api/items", "", "").await,
            Self::Head => client.send(OTHER_HALF).await,
            Self::Body => client.send(&"x".repeat(47)).await,
        }
        client.answer().await.status
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s62_slow_connections_keep_nobody_out() {
    within(async {
        for (slow, finished) in [
            (SlowClient::Silent, StatusCode::OK),
            (SlowClient::Head, StatusCode::OK),
            (SlowClient::Body, StatusCode::BAD_REQUEST),
            (SlowClient::Idle, StatusCode::OK),
        ] {
            let server = Server::start(ITEMS);
            let mut crowd = Vec::new();
            for _ in 0..720 {
                crowd.push(slow.connect(&server).await);
            }
            let mut person = server.connect().await;
            assert_eq!(person.get("/").await.status, StatusCode::OK, "{slow:?}");
            // It was not by their deadline that the others made room: the oldest had to leave, and only these.
            for (index, client) in crowd.iter_mut().enumerate() {
                if index < 60 {
                    assert_eq!(client.end().await, "", "{slow:?} {index}");
                } else if index >= 130 {
                    assert_eq!(slow.finish(client).await, finished, "{slow:?} {index}");
                }
            }
            assert_eq!(person.get("/").await.status, StatusCode::OK, "{slow:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn s62_heads_that_do_not_end_and_idle_connections_are_cut_off() {
    within(async {
        let server = Server::start(ITEMS);
        let mut silent = server.connect().await;
        let mut half_a_head = server.connect().await;
        half_a_head.send(HALF_A_HEAD).await;
        let mut idle = server.connect().await;
        assert_eq!(idle.get("/").await.status, StatusCode::OK);
        let mut half_a_second_head = server.connect().await;
        assert_eq!(half_a_second_head.get("/").await.status, StatusCode::OK);
        half_a_second_head.send(HALF_A_HEAD).await;
        tokio::time::pause();
        let begun = tokio::time::Instant::now();
        for client in [&mut silent, &mut half_a_head, &mut idle, &mut half_a_second_head] {
            assert_eq!(client.end().await, "");
        }
        let took = begun.elapsed();
        assert!((5..15).contains(&took.as_secs()), "{took:?}");
    })
    .await;
}

#[tokio::test]
async fn s62_a_body_that_does_not_end_is_answered_and_cut_off() {
    within(async {
        let server = Server::start(ITEMS);
        let mut client = server.connect().await;
        client
            .send(
                "POST /api/submit HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Type: application/json\r\n\
                 Expect: 100-continue\r\nContent-Length: 60\r\n\r\n",
            )
            .await;
        assert_eq!(client.answer().await.status, StatusCode::CONTINUE, "the server waits for the body");
        client.send("{\"decisions\":").await;
        tokio::time::pause();
        let begun = tokio::time::Instant::now();
        let answer = client.answer().await;
        let took = begun.elapsed();
        assert_eq!(answer.status, StatusCode::REQUEST_TIMEOUT);
        answer.assert_guarded("half a body");
        assert!((4..10).contains(&took.as_secs()), "{took:?}");
        assert_eq!(client.end().await, "");
        assert_eq!(server.record(), None);
    })
    .await;
}

/// 1 KiB for each second is asked for, and fifteen seconds are all there are.
#[tokio::test]
async fn s62_a_body_that_comes_in_drops_is_answered_and_cut_off() {
    within(async {
        for (drop, pause, seconds) in [(1, 1, 5), (3 * 1024, 2, 15)] {
            let server = Server::start(ITEMS);
            let mut client = server.connect().await;
            client
                .send(
                    "POST /api/submit HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Type: application/json\r\n\
                     Expect: 100-continue\r\nContent-Length: 1000000\r\n\r\n",
                )
                .await;
            assert_eq!(client.answer().await.status, StatusCode::CONTINUE, "the server waits for the body");
            tokio::time::pause();
            let begun = tokio::time::Instant::now();
            let answer = loop {
                client.send(&" ".repeat(drop)).await;
                let answer = tokio::time::timeout(Duration::from_secs(pause), client.answer()).await;
                if let Ok(answer) = answer {
                    break answer;
                }
            };
            let took = begun.elapsed();
            assert_eq!(answer.status, StatusCode::REQUEST_TIMEOUT);
            assert!((seconds - 1..=seconds + 1).contains(&took.as_secs()), "{took:?}");
            tokio::time::resume();
        }
    })
    .await;
}

#[tokio::test]
async fn s60_heads_have_limits() {
    within(async {
        let server = Server::start(ITEMS);
        // The other fields are Host and Connection.
        for (fields, length, expected) in [
            (62, 10, StatusCode::OK),
            (63, 10, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE),
            (200, 10, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE),
            (1, 15 * 1024, StatusCode::OK),
            (1, 16 * 1024, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE),
            (15, 1024, StatusCode::OK),
            (16, 1024, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE),
        ] {
            let more: String =
                (0..fields).map(|field| format!("X-{field}: {}\r\n", "x".repeat(length))).collect();
            let mut client = server.connect().await;
            client
                .send(&format!(
                    "GET /api/items HTTP/1.1\r\nHost: localhost:PORT\r\nConnection: close\r\n{more}\r\n"
                ))
                .await;
            assert_eq!(client.answer().await.status, expected, "{fields} fields of {length} bytes");
            assert_eq!(client.end().await, "");
        }
        let mut client = server.connect().await;
        let path = "x".repeat(16 * 1024);
        client.send(&format!("GET /{path} HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n")).await;
        assert_eq!(client.answer().await.status, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
        assert_eq!(client.end().await, "");
        assert_eq!(server.connect().await.get("/").await.status, StatusCode::OK);
    })
    .await;
}

/// A request that a proxy in front of the server could have taken for a body.
const HIDDEN: &str = "GET /api/items HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n";

#[tokio::test]
async fn s63_no_request_is_smuggled() {
    const JSON: &str = "Host: localhost:PORT\r\nContent-Type: application/json\r\n";
    let chunked = |fields: &str| format!("POST /api/submit HTTP/1.1\r\n{JSON}{fields}\r\n0\r\n\r\n{HIDDEN}");
    let sized = |fields: &str| format!("POST /api/submit HTTP/1.1\r\n{JSON}{fields}\r\n{HIDDEN}");
    let get = |fields: &str| format!("GET /favicon.svg HTTP/1.1\r\n{fields}\r\n{HIDDEN}");
    within(async {
        for (name, text) in [
            ("CL.TE", chunked("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n")),
            ("TE.CL", chunked("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n")),
            ("TE.TE", chunked("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n")),
            ("TE is not chunked", chunked("Transfer-Encoding: gzip\r\n")),
            ("TE ends otherwise", chunked("Transfer-Encoding: chunked, gzip\r\n")),
            ("TE with a tab", chunked("Transfer-Encoding: \u{b}chunked\r\n")),
            ("TE with a space before the colon", chunked("Transfer-Encoding : chunked\r\n")),
            ("TE in HTTP/1.0", chunked("Transfer-Encoding: chunked\r\n").replace("HTTP/1.1", "HTTP/1.0")),
            ("chunk size with a sign", sized("Transfer-Encoding: chunked\r\n\r\n+0\r\n")),
            ("chunk size too large", sized("Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n")),
            ("two CL", sized("Content-Length: 0\r\nContent-Length: 5\r\n")),
            ("a list of CL", sized("Content-Length: 0, 5\r\n")),
            ("negative CL", sized("Content-Length: -1\r\n")),
            ("signed CL", sized("Content-Length: +0\r\n")),
            ("hexadecimal CL", sized("Content-Length: 0x0\r\n")),
            ("empty CL", sized("Content-Length: \r\n")),
            ("CL with a space before the colon", sized("Content-Length : 5\r\n")),
            ("obs-fold", get("Host: localhost:PORT\r\nX: a\r\n b\r\n")),
            ("obs-fold at first", get(" Host: localhost:PORT\r\n")),
            ("obs-fold in the Host", get("Host:\r\n localhost:PORT\r\n")),
            ("a space before the colon", get("Host : localhost:PORT\r\n")),
            ("NUL", get("Host: localhost:PORT\r\nX: \0\r\n")),
            ("bare CR", get("Host: localhost:PORT\r\nX: a\rContent-Length: 5\r\n")),
            ("no colon", get("Host: localhost:PORT\r\nX\r\n")),
            ("no name", get("Host: localhost:PORT\r\n: x\r\n")),
        ] {
            let server = Server::start(ITEMS);
            let mut client = server.connect().await;
            client.send(&text).await;
            assert_eq!(client.answer().await.status, StatusCode::BAD_REQUEST, "{name}");
            assert_eq!(client.end().await, "", "{name} was answered twice");
            assert_eq!(server.record(), None, "{name}");
        }
    })
    .await;
}

/// Lines may end in a bare LF (RFC 9112, 2.2); a request is none the less one request.
#[tokio::test]
async fn s63_bare_line_feeds_end_lines() {
    within(async {
        let server = Server::start(ITEMS);
        let mut client = server.connect().await;
        client.send("GET /api/items HTTP/1.1\nHost: localhost:PORT\nConnection: close\n\n").await;
        assert_eq!(client.answer().await.status, StatusCode::OK);
        assert_eq!(client.end().await, "");
    })
    .await;
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_order() {
    within(async {
        let server = Server::start(ITEMS);
        let mut client = server.connect().await;
        let get = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n");
        let post = "POST /api/submit HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Type: application/json\r\n\
                    Content-Length: 2\r\n\r\n{}";
        let all =
            [get("/favicon.svg"), get("/api/items"), get("/nothing"), post.to_owned(), get("/")].concat();
        client.send(&all).await;
        for (status, content_type) in [
            (StatusCode::OK, "image/svg+xml"),
            (StatusCode::OK, "application/json"),
            (StatusCode::NOT_FOUND, "text/plain"),
            (StatusCode::BAD_REQUEST, "application/json"),
            (StatusCode::OK, "text/html"),
        ] {
            let answer = client.answer().await;
            assert_eq!(answer.status, status, "{content_type}");
            assert!(answer.header("content-type").starts_with(content_type), "{content_type}");
        }
    })
    .await;
}

#[tokio::test]
async fn nothing_pipelined_after_a_submission_undoes_it() {
    within(async {
        let mut server = Server::start(ITEMS);
        let mut client = server.connect().await;
        let length = ANSWER.len();
        let submit = format!(
            "POST /api/submit HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{ANSWER}"
        );
        client.send(&submit.repeat(2)).await;
        assert_eq!(client.answer().await.status, StatusCode::OK);
        server.ended().await;
        if let Some(second) = client.next_answer().await {
            assert_eq!(second.status, StatusCode::CONFLICT);
        }
        assert_eq!(client.end().await, "");
    })
    .await;
}

#[tokio::test]
async fn requests_are_read_as_they_are_written() {
    within(async {
        let server = Server::start(ITEMS);
        for (text, expected) in [
            ("GET http://localhost:PORT/api/items HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n", StatusCode::OK),
            ("GET http://localhost:PORT HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n", StatusCode::OK),
            (
                "GET http://evil.test/api/items HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n",
                StatusCode::BAD_REQUEST,
            ),
            (
                "GET http://localhost:PORT/ HTTP/1.1\r\nHost: evil.test\r\n\r\n",
                StatusCode::MISDIRECTED_REQUEST,
            ),
            ("GET http://localhost:PORT/ HTTP/1.1\r\n\r\n", StatusCode::BAD_REQUEST),
            ("GET /api/items HTTP/1.1\r\n\r\n", StatusCode::BAD_REQUEST),
            ("GET /api/items HTTP/1.0\r\n\r\n", StatusCode::BAD_REQUEST),
            ("GET /api/items HTTP/1.0\r\nHost: localhost:PORT\r\n\r\n", StatusCode::OK),
            ("GET /api/items HTTP/1.1\r\nHost: \u{ff}:PORT\r\n\r\n", StatusCode::BAD_REQUEST),
            ("\r\nGET /api/items HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n", StatusCode::OK),
            ("OPTIONS * HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n", StatusCode::NOT_FOUND),
            ("CONNECT localhost:PORT HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n", StatusCode::NOT_FOUND),
            ("GET / HTTP/1.1 x\r\nHost: localhost:PORT\r\n\r\n", StatusCode::BAD_REQUEST),
            ("GET  / HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n", StatusCode::BAD_REQUEST),
            ("GET\r\n\r\n", StatusCode::BAD_REQUEST),
            ("\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\0", StatusCode::BAD_REQUEST),
        ] {
            let mut client = server.connect().await;
            client.send(text).await;
            let answer = client.answer().await;
            assert_eq!(answer.status, expected, "{text:?}");
        }
        let mut client = server.connect().await;
        client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await;
        assert_eq!(client.end().await, "", "HTTP/2 is not spoken");
    })
    .await;
}

#[tokio::test]
async fn a_connection_of_http_1_0_ends_with_its_answer() {
    within(async {
        let server = Server::start(ITEMS);
        let mut client = server.connect().await;
        client.send(&"GET /api/items HTTP/1.0\r\nHost: localhost:PORT\r\n\r\n".repeat(2)).await;
        assert_eq!(client.answer().await.status, StatusCode::OK);
        assert_eq!(client.end().await, "");
    })
    .await;
}

#[tokio::test]
async fn s60_a_body_above_the_limit_is_refused_over_the_wire() {
    within(async {
        let server = Server::start(ITEMS);
        let mut client = server.connect().await;
        client.submit(&" ".repeat(1_048_577)).await;
        assert_eq!(client.answer().await.status, StatusCode::PAYLOAD_TOO_LARGE);
        // No length is said in advance.
        let mut client = server.connect().await;
        client
            .send(
                "POST /api/submit HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Type: application/json\r\n\
                 Transfer-Encoding: chunked\r\n\r\n",
            )
            .await;
        for _ in 0..17 {
            client.send(&format!("10000\r\n{}\r\n", " ".repeat(0x10000))).await;
        }
        assert_eq!(client.answer().await.status, StatusCode::PAYLOAD_TOO_LARGE);
    })
    .await;
}

/// The head of a submission with this header.
fn head(header: &str) -> String {
    format!(
        "POST /api/submit HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Type: application/json\r\n{header}\r\n\r\n"
    )
}

#[tokio::test]
async fn s60_whoever_sends_all_before_reading_is_told_that_it_is_too_much() {
    const MIB: usize = 1_048_576;
    within(async {
        let server = Server::start(ITEMS);
        let chunk = format!("{MIB:x}\r\n{}\r\n", " ".repeat(MIB));
        for (header, part, count, end) in [
            (format!("Content-Length: {}", 12 * MIB), " ".repeat(MIB), 12, ""),
            ("Transfer-Encoding: chunked".to_owned(), chunk, 12, "0\r\n\r\n"),
        ] {
            let mut client = server.connect().await;
            client.send(&head(&header)).await;
            for _ in 0..count {
                client.send(&part).await;
            }
            client.send(end).await;
            let answer = client.answer().await;
            assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE, "{header}");
            assert_eq!(answer.json()["error"], "请求体过大");
            // All of it has been read: the connection can be used again.
            assert_eq!(client.get("/api/items").await.status, StatusCode::OK, "{header}");
        }
        // A client that sends `Expect` gets the refusal at once, and need not send the body.
        let mut client = server.connect().await;
        client.send(&head(&format!("Content-Length: {}\r\nExpect: 100-continue", 2 * MIB))).await;
        assert_eq!(client.answer().await.status, StatusCode::PAYLOAD_TOO_LARGE);
        assert_eq!(client.end().await, "");
    })
    .await;
}

#[tokio::test]
async fn s60_a_body_without_an_end_is_cut_off() {
    const MIB: usize = 1_048_576;
    within(async {
        let server = Server::start(ITEMS);
        let chunk = format!("{MIB:x}\r\n{}\r\n", " ".repeat(MIB));
        for header in ["Transfer-Encoding: chunked".to_owned(), format!("Content-Length: {}", 1_u64 << 40)] {
            let mut client = server.connect().await;
            client.send(&head(&header)).await;
            let mut sent = 0;
            while client.is_sent(&chunk).await {
                sent += 1;
                assert!(sent < 64, "{header}: nobody cuts it off");
            }
            assert!(sent >= 16, "{header}: cut off after {sent} MiB");
        }
    })
    .await;
}

#[tokio::test]
async fn s62_a_body_that_is_too_large_is_not_waited_for_either() {
    within(async {
        let server = Server::start(ITEMS);
        let mut client = server.connect().await;
        client.send(&head("Content-Length: 2097152")).await;
        client.send(&" ".repeat(1_500_000)).await;
        assert_eq!(client.answer().await.status, StatusCode::PAYLOAD_TOO_LARGE);
        tokio::time::pause();
        let begun = tokio::time::Instant::now();
        assert_eq!(client.end().await, "");
        assert!(begun.elapsed() < Duration::from_secs(16), "{:?}", begun.elapsed());
    })
    .await;
}
