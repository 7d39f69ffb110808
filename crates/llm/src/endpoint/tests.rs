//! A server that misbehaves.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use super::Endpoint;
use super::features::RefusedFeatures;
use crate::testing::{TestLedger, environment, pauses, record_pause};
use crate::{Answer, Image, Limits, LlmError, Provider, Reply, Request, Usage, read};
use model::provider::{EndpointConfig, KeySource};
use process::Cancellation;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::json;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, SystemTime};

const KEY: &str = "sk-0123456789abcdef";
const LONG: Duration = Duration::from_secs(600);
const SHORT: Duration = Duration::from_millis(60);

const EVENTS: &str = "data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"4\"}}]}\n\n\
                      data: {\"choices\":[{\"delta\":{\"content\":\"2\"},\"finish_reason\":\"stop\"}]}\n\n\
                      data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}\n\n\
                      data: [DONE]\n\n";

/// What a server does with a connection, once it has read the request.
type Script = Box<dyn FnOnce(&mut TcpStream) + Send>;

/// A server that does one thing for each connection, and is gone after the last.
struct Server {
    address: String,
    requests: Receiver<String>,
}

impl Server {
    fn start(scripts: Vec<Script>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (sender, requests) = mpsc::channel();
        thread::spawn(move || {
            for script in scripts {
                let (mut stream, _) = listener.accept().unwrap();
                sender.send(read_request(&mut stream)).unwrap();
                script(&mut stream);
            }
        });
        Self { address, requests }
    }

    /// The requests that have come, each as it was sent.
    fn requests(&self) -> Vec<String> {
        self.requests.try_iter().collect()
    }
}

fn read_request(stream: &mut TcpStream) -> String {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&request).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let is_whole = |length: &str| body.len() >= length.parse().unwrap();
            if length.is_some_and(is_whole) || head.starts_with("GET ") {
                return text;
            }
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return text,
            Ok(length) => request.extend_from_slice(&buffer[..length]),
        }
    }
}

/// Sends these bytes and ends the connection.
fn says(bytes: impl Into<Vec<u8>>) -> Script {
    let bytes = bytes.into();
    Box::new(move |stream| {
        let _ = stream.write_all(&bytes);
    })
}

/// Sends these bytes and waits until the other side is gone.
fn says_and_stays(bytes: impl Into<Vec<u8>>) -> Script {
    let bytes = bytes.into();
    Box::new(move |stream| {
        let _ = stream.write_all(&bytes);
        let _ = stream.read(&mut [0]);
    })
}

/// Sends the first bytes, and then the others as long as the client reads.
fn repeats(first: &str, bytes: &'static [u8], pause: Duration) -> Script {
    let first = first.to_owned();
    Box::new(move |stream| {
        let _ = stream.write_all(first.as_bytes());
        while stream.write_all(bytes).is_ok() {
            thread::sleep(pause);
        }
    })
}

fn response(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n{headers}\r\n{body}", body.len())
}

fn stream(body: &str) -> String {
    response("200 OK", "content-type: text/event-stream\r\n", body)
}

/// In pieces of a few bytes, without the last one, which would be the end.
fn pieces(body: &str) -> String {
    let pieces: String = body.as_bytes().chunks(7).fold(String::new(), |text, piece| {
        format!("{text}{:x}\r\n{}\r\n", piece.len(), String::from_utf8_lossy(piece))
    });
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n{pieces}"
    )
}

fn endpoint(base_url: String, limits: Limits) -> Endpoint {
    Endpoint {
        name: "test".to_owned(),
        model: Some("m".to_owned()),
        timeout: LONG,
        config: EndpointConfig {
            first_byte_timeout: Some(LONG),
            idle_timeout: Some(LONG),
            ..EndpointConfig::new(base_url, KeySource::Variable("KEY".to_owned()))
        },
        environment: environment(&[("KEY", KEY)]),
        limits,
        pause: record_pause,
        refused: RefusedFeatures::default(),
    }
}

fn limits() -> Limits {
    Limits { connect: LONG, ..Limits::default() }
}

/// What comes of asking a server that does this, and what is written down meanwhile.
fn ask_with(
    limits: Limits,
    timeout: Duration,
    scripts: Vec<Script>,
) -> (Result<Reply, LlmError>, Vec<String>) {
    ask_as(|address| Endpoint { timeout, ..endpoint(format!("http://{address}/v1"), limits) }, scripts)
}

/// The same with an endpoint that is made for the server's address.
fn ask_as(
    endpoint: impl FnOnce(&str) -> Endpoint,
    scripts: Vec<Script>,
) -> (Result<Reply, LlmError>, Vec<String>) {
    let server = Server::start(scripts);
    let endpoint = endpoint(&server.address);
    let book = TestLedger::default();
    let result = endpoint.ask(&Request::new("What is it?"), &book, &Cancellation::default());
    assert_key_is_nowhere(&result, &book);
    let without_port = |entry: String| entry.replace(&server.address, "HOST");
    (result, book.entries().into_iter().map(without_port).collect())
}

fn ask(script: Script) -> Result<Reply, LlmError> {
    ask_with(limits(), LONG, vec![script]).0
}

/// The text, or the error in its own words.
fn outcome_of(result: Result<Reply, LlmError>) -> Result<String, String> {
    result.map(|reply| reply.answer.text).map_err(|error| without_port(&error.to_string()))
}

/// The words without the port of the server, which is another one each time.
fn without_port(words: &str) -> String {
    let Some((before, after)) = words.split_once("127.0.0.1:") else { return words.to_owned() };
    format!("{before}HOST{}", without_port(after.trim_start_matches(|c: char| c.is_ascii_digit())))
}

fn assert_key_is_nowhere(result: &Result<Reply, LlmError>, book: &TestLedger) {
    let mut all = format!("{result:?} {:?}", book.entries());
    if let Err(error) = result {
        all += &error.to_string();
    }
    assert!(!all.contains(KEY), "{all}");
}

#[test]
fn a_stream_is_asked_for_recorded_and_read() {
    let server = Server::start(vec![says_and_stays(pieces(EVENTS))]);
    let endpoint = endpoint(format!("http://{}/v1/?version=2", server.address), limits());
    let book = TestLedger::default();
    let request = Request {
        wants_json: true,
        idempotency_key: Some("plan:task 1\n".to_owned()),
        ..Request::new("What is it?")
    };
    let reply = endpoint.ask(&request, &book, &Cancellation::default()).unwrap();
    let usage = Some(Usage { input_tokens: 3, output_tokens: 2 });
    let answer = Answer { text: "42".to_owned(), model: Some("m".to_owned()), usage, ..Answer::default() };
    assert_eq!((&reply.answer, reply.attempts), (&answer, 1));
    assert_eq!(reply.raw, EVENTS.as_bytes());
    assert_eq!(read(endpoint.format(), &reply.raw), Ok(answer));

    let requests = server.requests();
    let (head, body) = requests[0].split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /v1/chat/completions?version=2 HTTP/1.1\r\n"), "{head}");
    for header in [
        format!("authorization: Bearer {KEY}"),
        "content-type: application/json".to_owned(),
        "idempotency-key: plan%3Atask+1%0A".to_owned(),
        format!("user-agent: aide/{}", env!("CARGO_PKG_VERSION")),
    ] {
        assert!(head.lines().any(|line| line == header), "{header} in {head}");
    }
    assert_eq!(
        body,
        "{\"messages\":[{\"role\":\"user\",\"content\":\"What is it?\"}],\"stream\":true,\"model\":\"m\",\
         \"stream_options\":{\"include_usage\":true},\"response_format\":{\"type\":\"json_object\"}}"
    );
    let target = format!("http://{}/v1/chat/completions", server.address);
    assert_eq!(
        book.entries(),
        [
            format!(
                "request RecordedRequest {{ attempt: 1, provider: \"test\", format: OpenAi, target: {target:?}, \
                 model: Some(\"m\"), prompt: \"What is it?\", wants_json: true, idempotency_key: Some(\"plan:task 1\\n\") }}"
            ),
            format!("answer 1 openai: {EVENTS}"),
        ]
    );
    assert_key_is_nowhere(&Ok(reply), &book);
    assert!(!format!("{endpoint:?}").contains(KEY));
}

#[test]
fn settings_are_sent_and_json_is_asked_for_only_where_it_is_wanted() {
    let mut endpoint = endpoint("http://localhost/v1".to_owned(), limits());
    endpoint.model = None;
    endpoint.config = EndpointConfig { temperature: Some(0.5), max_tokens: Some(9), ..endpoint.config };
    let body = |endpoint: &Endpoint, wants_json| {
        endpoint.body(&Request { wants_json, ..Request::new("x") }).to_string()
    };
    let sent = "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],\"stream\":true,\
                \"stream_options\":{\"include_usage\":true},\"temperature\":0.5,\"max_tokens\":9}";
    assert_eq!(body(&endpoint, false), sent);
    endpoint.config.json_mode = false;
    assert_eq!(body(&endpoint, true), sent);
}

#[test]
fn images_are_shown_beside_the_words() {
    let endpoint = endpoint("http://localhost/v1".to_owned(), limits());
    let image = |bytes: &[u8]| Image::read(bytes.to_vec()).unwrap();
    let images = vec![image(b"\x89PNG\r\n\x1a\n1"), image(b"\xff\xd8\xff2")];
    let body = endpoint.body(&Request { images, ..Request::new("What is it?") });
    let shown = |url: &str| json!({ "type": "image_url", "image_url": { "url": url } });
    assert_eq!(
        body["messages"],
        json!([{ "role": "user", "content": [
            { "type": "text", "text": "What is it?" },
            shown("data:image/png;base64,iVBORw0KGgox"),
            shown("data:image/jpeg;base64,/9j/Mg=="),
        ] }])
    );
}

#[test]
fn an_image_is_known_by_its_first_bytes() {
    for (bytes, kind) in [
        (&b"\x89PNG\r\n\x1a\n"[..], Some("image/png")),
        (b"\xff\xd8\xff\xe0", Some("image/jpeg")),
        (b"GIF87a", Some("image/gif")),
        (b"GIF89a.", Some("image/gif")),
        (b"RIFF\x01\x02\x03\x04WEBPVP8 ", Some("image/webp")),
        (b"RIFF\x01\x02\x03\x04WAVE", None),
        (b"<svg xmlns=", None),
        (b"GIF88a", None),
        (b"", None),
    ] {
        assert_eq!(Image::read(bytes.to_vec()).map(|image| image.media_type), kind, "{bytes:?}");
    }
    let told = format!("{:?}", Image::read(b"GIF89a".to_vec()).unwrap());
    assert_eq!(told, "image/gif of 6 bytes");
}

#[test]
fn good_answers_come_in_many_forms() {
    let whole = "{\"choices\":[{\"message\":{\"content\":\"42\"},\"finish_reason\":\"stop\"}]}";
    let without_end = EVENTS.replace("data: [DONE]\n\n", "");
    for script in [
        says(stream(EVENTS)),
        says(response("200 OK", "content-type: application/json\r\n", whole)),
        // Neither length nor pieces: the end of the connection is the end.
        says(format!("HTTP/1.0 200 OK\r\n\r\n{EVENTS}")),
        says(format!("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n{EVENTS}")),
        says(stream(&format!(": hello\r\n\r\n{}", EVENTS.replace('\n', "\r\n")))),
        says(stream(&EVENTS.replace("{\"index\":0,", "\ndata: {\"index\":0,\ndata:\ndata: "))),
        says(stream(&without_end)),
        says(stream(without_end.trim_end())),
        says(format!("HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n{}", stream(EVENTS))),
        // It is said that all is said, but the connection does not end, or not well.
        says_and_stays(format!("HTTP/1.1 200 OK\r\n\r\n{EVENTS}")),
        says(pieces(EVENTS)),
        says(pieces(&without_end)),
    ] {
        assert_eq!(outcome_of(ask(script)), Ok("42".to_owned()));
    }
    let idle = |address: &str| {
        let mut endpoint = endpoint(format!("http://{address}/v1"), limits());
        endpoint.config.idle_timeout = Some(SHORT);
        endpoint
    };
    let (result, _) = ask_as(idle, vec![says_and_stays(pieces(&without_end))]);
    assert_eq!(outcome_of(result), Ok("42".to_owned()));
}

#[test]
fn half_an_answer_is_none_and_is_not_recorded() {
    let half = &EVENTS[..100];
    for (script, message) in [
        (says(pieces(half)), "the connection ended early: unexpected EOF during chunk size line"),
        (
            says(format!("HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n{half}")),
            "the connection ended early: end of file before message length reached",
        ),
        (says(stream(half)), "the connection ended early: the end of the answer is missing"),
        (
            says("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n"),
            "the connection ended early: connection closed before message completed",
        ),
        (says(""), "the connection ended early: connection closed before message completed"),
    ] {
        let once = Limits { cut_attempts: 1, ..limits() };
        let (result, entries) = ask_with(once, LONG, vec![script]);
        let error = result.unwrap_err();
        assert!(error.is_transient() && matches!(error, LlmError::Cut { .. }), "{error:?}");
        assert_eq!(error.to_string(), message);
        assert_eq!(entries[1..], [format!("failure 1: {message}")]);
    }
    // The rest may come when it is asked again: once, for it was paid for.
    let (result, entries) = ask_with(limits(), LONG, vec![says(pieces(half)), says(stream(EVENTS))]);
    assert_eq!(result.unwrap().attempts, 2);
    assert_eq!(entries.iter().filter(|entry| entry.starts_with("answer")).count(), 1);
    let (result, _) = ask_with(limits(), LONG, vec![says(stream(half)), says(stream(half))]);
    assert!(matches!(result, Err(LlmError::Cut { .. })), "{result:?}");
    assert_eq!(pauses().len(), 2);
}

#[test]
fn what_is_not_http_is_told() {
    let flood: String = (0..2000).map(|number| format!("x-{number}: {}\r\n", "y".repeat(100))).collect();
    for script in [
        says("SSH-2.0-OpenSSH_9.9\r\n"),
        says(vec![0xff; 100]),
        says(format!("HTTP/1.1 200 OK\r\n{flood}\r\n{EVENTS}")),
        says(format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n{EVENTS}", "y".repeat(1 << 20))),
        says(format!("HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n{EVENTS}")),
    ] {
        let once = Limits { cut_attempts: 1, ..limits() };
        let error = ask_with(once, LONG, vec![script]).0.unwrap_err();
        assert!(matches!(&error, LlmError::Cut { .. }), "{error:?}");
    }
}

#[test]
fn too_much_is_not_read() {
    let giga = "HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n";
    let limits = Limits { max_body: 1 << 20, ..limits() };
    for script in [
        says_and_stays(giga),
        repeats("HTTP/1.1 200 OK\r\n\r\n", b"data: {\"choices\":[]}\n\n", Duration::ZERO),
        repeats("HTTP/1.1 200 OK\r\n\r\n{", &[b' '; 4096], Duration::ZERO),
    ] {
        let (result, entries) = ask_with(limits, LONG, vec![script]);
        assert_eq!(outcome_of(result), Err("the answer has more than 1048576 bytes".to_owned()));
        assert_eq!(entries.len(), 2);
    }
}

#[test]
fn nobody_waits_for_ever() {
    let silent = |first_byte, idle, script| {
        let made = |address: &str| {
            let mut endpoint =
                endpoint(format!("http://{address}/v1"), Limits { connect: SHORT, ..limits() });
            endpoint.config.first_byte_timeout = first_byte;
            endpoint.config.idle_timeout = idle;
            endpoint
        };
        outcome_of(ask_as(made, vec![script]).0).unwrap_err()
    };
    let one_of =
        |limits: Limits, timeout, script| outcome_of(ask_with(limits, timeout, vec![script]).0).unwrap_err();
    let expected = "no answer began within 0.12 seconds";
    assert_eq!(silent(Some(SHORT), None, says_and_stays("")), expected);
    let half = || says_and_stays(pieces(&EVENTS[..50]));
    assert_eq!(silent(None, Some(SHORT), half()), "the answer paused for 0.06 seconds");
    // Slow, but never for long.
    let drip = repeats("HTTP/1.1 200 OK\r\n\r\n", b":\n", Duration::from_millis(1));
    assert_eq!(one_of(limits(), SHORT, drip), "the answer did not end within 0.06 seconds");
    assert_eq!(one_of(limits(), SHORT, says_and_stays("")), "the answer did not end within 0.06 seconds");
    // An error may drip as well.
    let drip = repeats("HTTP/1.1 400 Bad\r\n\r\n", b"x", Duration::from_millis(1));
    assert_eq!(one_of(limits(), SHORT, drip), "the answer did not end within 0.06 seconds");
}

#[test]
fn whoever_is_busy_is_asked_again_when_it_says() {
    let date = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(100));
    for (header, shortest, longest) in [("7", 7, 7), (date.as_str(), 98, 100)] {
        let busy = response("429 Too Many Requests", &format!("retry-after: {header}\r\n"), "{}");
        let (result, entries) = ask_with(limits(), LONG, vec![says(busy), says(stream(EVENTS))]);
        assert_eq!(result.unwrap().attempts, 2);
        let pauses = pauses();
        let range = Duration::from_secs(shortest)..=Duration::from_secs(longest);
        assert!(pauses.len() == 1 && range.contains(&pauses[0]), "{pauses:?}");
        assert_eq!(entries[1], "failure 1: http://HOST/v1/chat/completions answered 429: {}");
        assert!(
            entries[2].starts_with("request RecordedRequest { attempt: 2")
                && entries[3].starts_with("answer 2 ")
        );
    }
    // Not within the time that there is.
    let busy = response("503 Busy", "retry-after: 601\r\n", "later");
    let (result, _) = ask_with(limits(), LONG, vec![says(busy)]);
    assert!(
        matches!(result, Err(LlmError::Http { status: 503, retry_after: Some(after), .. }) if after.as_secs() == 601)
    );
    assert_eq!(pauses(), []);
}

#[test]
fn some_errors_pass_by_themselves_and_others_do_not() {
    for status in [408, 409, 429, 500, 502, 503, 504, 529, 599] {
        let error = response(&format!("{status} X"), "", "{\"error\":{\"message\":\"not now\"}}");
        let (result, _) =
            ask_with(limits(), LONG, vec![says(error.clone()), says(error), says(stream(EVENTS))]);
        assert_eq!(result.unwrap().attempts, 3);
        let pauses = pauses();
        assert!(
            pauses.len() == 2
                && (0.5..=1.0).contains(&pauses[0].as_secs_f64())
                && (1.0..=2.0).contains(&pauses[1].as_secs_f64()),
            "{pauses:?}"
        );
    }
    for status in [400, 401, 402, 403, 404, 405, 413, 422, 451] {
        let error = response(&format!("{status} X"), "retry-after: 1\r\n", "{\"error\":\"no\"}");
        let (result, _) = ask_with(limits(), LONG, vec![says(error)]);
        let error = result.unwrap_err();
        assert!(!error.is_transient());
        assert_eq!(
            without_port(&error.to_string()),
            format!("http://HOST/v1/chat/completions answered {status}: no")
        );
    }
    pauses();
    let always = || says(response("500 X", "", "broken"));
    let (result, entries) = ask_with(limits(), LONG, (0..5).map(|_| always()).collect());
    assert_eq!(outcome_of(result), Err("http://HOST/v1/chat/completions answered 500: broken".to_owned()));
    assert_eq!((entries.len(), pauses().len()), (10, 4));
}

#[test]
fn errors_that_come_as_success_are_errors() {
    let busy = "{\"error\":{\"message\":\"overloaded\",\"code\":503}}";
    for script in [says(response("200 OK", "", busy)), says(stream(&format!("data: {busy}\n\n")))] {
        let (result, entries) = ask_with(limits(), LONG, vec![script, says(stream(EVENTS))]);
        assert_eq!(result.unwrap().attempts, 2);
        assert_eq!(entries[1], "failure 1: http://HOST/v1/chat/completions answered 503: overloaded");
    }
    let middle = format!(
        "{}data: {{\"error\":{{\"message\":\"filtered\"}}}}\n\n",
        &EVENTS[..EVENTS.find("\n\n").unwrap() + 2]
    );
    assert_eq!(
        outcome_of(ask(says(stream(&middle)))),
        Err("http://HOST/v1/chat/completions answered 200: filtered".to_owned())
    );
    for (reply, message) in [
        (
            response("200 OK", "content-type: text/html\r\n", "<html>\n<b>Log in</b>"),
            "http://HOST/v1/chat/completions answered 200: text/html <html> <b>Log in</b>",
        ),
        (response("200 OK", "", ""), "http://HOST/v1/chat/completions answered 200"),
        ("HTTP/1.1 204 No Content\r\n\r\n".to_owned(), "http://HOST/v1/chat/completions answered 204"),
    ] {
        assert_eq!(outcome_of(ask(says(reply))), Err(message.to_owned()));
    }
}

#[test]
fn what_an_endpoint_says_is_one_short_line() {
    let long = format!("\u{1b}[2J a\r\n\u{0}b {}", "x".repeat(2 << 20));
    let error = outcome_of(ask(says(response("400 X", "", &long)))).unwrap_err();
    assert!(
        error.starts_with("http://HOST/v1/chat/completions answered 400: [2J a b xxx")
            && error.ends_with('…'),
        "{error}"
    );
    assert!(error.len() < 400);
    assert_eq!(
        outcome_of(ask(says(response("404 Not Found", "", "")))),
        Err("http://HOST/v1/chat/completions answered 404: Not Found".to_owned())
    );
    // An endpoint may repeat the key, and others may read the message.
    let repeated = response("401 X", "", &format!("{{\"error\":{{\"message\":\"Incorrect key: {KEY}.\"}}}}"));
    assert_eq!(
        outcome_of(ask(says(repeated))),
        Err("http://HOST/v1/chat/completions answered 401: Incorrect key: [key].".to_owned())
    );
    let (result, entries) =
        ask_with(limits(), LONG, vec![says(stream(&EVENTS.replace("\"4\"", &format!("\"{KEY} 4\""))))]);
    assert_eq!(outcome_of(result), Ok("[key] 42".to_owned()));
    assert!(entries[1].contains("[key] 4"));
}

#[test]
fn a_redirect_is_told_and_not_followed() {
    let other = Server::start(vec![says(stream(EVENTS))]);
    for status in [301, 302, 303, 307, 308] {
        let location = format!("location: http://user:pw@{}/v1?token=x\r\n", other.address);
        let location = location.replace("user:pw@", "");
        let error =
            outcome_of(ask(says(response(&format!("{status} Elsewhere"), &location, "")))).unwrap_err();
        assert_eq!(
            error,
            format!("http://HOST/v1/chat/completions answered {status}: redirects to http://HOST/v1")
        );
    }
    assert_eq!(other.requests(), Vec::<String>::new());
}

#[test]
fn bad_answers_are_recorded_before_they_are_told() {
    for (body, message) in [
        ("data: {\"choices\":[]}\n\ndata: [DONE]\n\n", "there is no answer"),
        (
            "data: {broken\n\ndata: [DONE]\n\n",
            "the answer is not valid JSON: key must be a string at line 1 column 2",
        ),
    ] {
        let (result, entries) = ask_with(limits(), LONG, vec![says(stream(body))]);
        assert_eq!(outcome_of(result), Err(message.to_owned()));
        assert_eq!(entries[1..], [format!("answer 1 openai: {body}")]);
    }
    // One that says that there is none is no answer.
    let refusal = "{\"choices\":[{\"message\":{\"refusal\":\"No.\"}}]}";
    let (result, entries) = ask_with(limits(), LONG, vec![says(stream(refusal))]);
    assert_eq!(outcome_of(result), Err("no answer was given: No.".to_owned()));
    assert_eq!(entries[1..], ["failure 1: no answer was given: No."]);
    let mut bytes = stream("data: {\"x\":\"??\"}\n\ndata: [DONE]\n\n").into_bytes();
    let at = bytes.iter().position(|byte| *byte == b'?').unwrap();
    bytes[at] = 0xff;
    assert_eq!(outcome_of(ask(says(bytes))), Err("the answer is not valid UTF-8 (at byte 6)".to_owned()));
}

#[test]
fn what_an_endpoint_does_not_know_is_left_out_from_then_on() {
    for (name, error) in [
        ("stream_options", "{\"detail\":[{\"loc\":[\"body\",\"stream_options\"],\"msg\":\"Extra inputs\"}]}"),
        ("response_format", "{\"error\":\"'response_format.type' must be 'json_schema' or 'text'\"}"),
        (
            "temperature",
            "{\"error\":{\"message\":\"Unsupported value: 'temperature' does not support 0.5\"}}",
        ),
        ("max_tokens", "{\"error\":{\"message\":\"Unsupported parameter: 'max_tokens' is not known.\"}}"),
        ("reasoning_effort", "{\"error\":{\"message\":\"Unrecognized argument: reasoning_effort\"}}"),
        ("stream", "{\"error\":{\"message\":\"stream is not supported by this model\"}}"),
    ] {
        let refusal = response("400 X", "", error);
        let server = Server::start(vec![says(refusal), says(stream(EVENTS)), says(stream(EVENTS))]);
        let mut endpoint = endpoint(format!("http://{}", server.address), limits());
        (endpoint.config.temperature, endpoint.config.max_tokens) = (Some(0.5), Some(9));
        endpoint.config.reasoning_effort = Some("low".to_owned());
        let request = Request { wants_json: true, ..Request::new("x") };
        let ask =
            || endpoint.ask(&request, &TestLedger::default(), &Cancellation::default()).unwrap().attempts;
        // Asked again once; the next question is asked as the endpoint knows it.
        assert_eq!((ask(), ask()), (2, 1), "{name}");
        let has = |request: &String| request.contains(&format!("\"{name}\":"));
        let requests = server.requests();
        assert_eq!(requests.iter().map(has).collect::<Vec<_>>(), [true, false, false], "{name}");
        // Nothing else is missing, but what needs it.
        let rest = ["model", "temperature", "stream"].into_iter().filter(|other| *other != name);
        assert!(rest.into_iter().all(|other| requests[1].contains(&format!("\"{other}\":"))), "{name}");
        assert!(requests[1].starts_with("POST /chat/completions "));
        assert_eq!(pauses(), []);
    }
}

#[test]
fn a_limit_that_is_known_by_another_name_is_sent_by_that_and_one_that_is_too_large_is_told() {
    let renamed = "{\"error\":{\"message\":\"Unsupported parameter: 'max_tokens' is not supported with this model. Use \
                   'max_completion_tokens' instead.\",\"code\":\"unsupported_parameter\"}}";
    let server = Server::start(vec![says(response("400 X", "", renamed)), says(stream(EVENTS))]);
    let mut endpoint = endpoint(format!("http://{}", server.address), limits());
    endpoint.config.max_tokens = Some(9);
    endpoint.ask(&Request::new("x"), &TestLedger::default(), &Cancellation::default()).unwrap();
    let requests = server.requests();
    assert!(requests[1].contains("\"max_completion_tokens\":9") && !requests[1].contains("\"max_tokens\""));
    let large = "{\"error\":{\"message\":\"max_tokens is too large: 9999999\"}}";
    let limited = |address: &str| {
        let mut endpoint = self::endpoint(format!("http://{address}/v1"), limits());
        endpoint.config.max_tokens = Some(9_999_999);
        endpoint
    };
    let (result, _) = ask_as(limited, vec![says(response("400 X", "", large))]);
    assert!(outcome_of(result).unwrap_err().ends_with("400: max_tokens is too large: 9999999"));
}

#[test]
fn headers_and_members_of_the_request_are_those_that_are_configured() {
    let server = Server::start(vec![says(stream(EVENTS))]);
    let mut endpoint = endpoint(format!("http://{}", server.address), limits());
    endpoint.config = EndpointConfig {
        api_key_header: Some("api-key".to_owned()),
        extra_headers: vec![("X-Title".to_owned(), "aide".to_owned())],
        extra_body: json!({ "provider": { "order": ["a"] }, "stream": true }).as_object().unwrap().clone(),
        max_completion_tokens: Some(99),
        reasoning_effort: Some("high".to_owned()),
        ..endpoint.config
    };
    let book = TestLedger::default();
    let result = endpoint.ask(&Request::new("x"), &book, &Cancellation::default());
    assert_key_is_nowhere(&result, &book);
    let request = server.requests().remove(0);
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert!(head.contains(&format!("api-key: {KEY}")) && !head.contains("authorization"), "{head}");
    assert!(head.contains("x-title: aide"), "{head}");
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(
        (&body["provider"], &body["max_completion_tokens"], &body["reasoning_effort"]),
        (&json!({ "order": ["a"] }), &json!(99), &json!("high"))
    );
    assert!(!format!("{endpoint:?}").contains("aide/"));
}

#[test]
fn an_answer_that_is_packed_though_nobody_asked_for_it_is_unpacked() {
    let packed = |bytes: &[u8]| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    };
    let sent = |headers: &str, body: &[u8]| {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n{headers}\r\n", body.len());
        says([head.as_bytes(), body].concat())
    };
    let whole = packed(EVENTS.as_bytes());
    assert_eq!(outcome_of(ask(sent("content-encoding: gzip\r\n", &whole))), Ok("42".to_owned()));
    assert_eq!(outcome_of(ask(sent("", &whole))), Ok("42".to_owned()));
    let once = Limits { cut_attempts: 1, max_body: 1 << 20, ..limits() };
    let (result, _) = ask_with(once, LONG, vec![sent("", &whole[..whole.len() - 20])]);
    assert_eq!(
        outcome_of(result),
        Err("the connection ended early: the end of the compressed answer is missing".to_owned())
    );
    // Little may become much.
    let (result, _) = ask_with(once, LONG, vec![sent("", &packed(&vec![b' '; 2 << 20]))]);
    assert_eq!(outcome_of(result), Err("the answer has more than 1048576 bytes".to_owned()));
}

#[test]
fn an_answer_of_its_greatest_length_is_no_answer_whatever_is_said_of_its_end() {
    let cut = "the answer was cut off at the length limit (max_tokens)";
    let (result, entries) =
        ask_with(limits(), LONG, vec![says(stream(&EVENTS.replace("\"stop\"", "\"length\"")))]);
    let error = result.unwrap_err();
    assert_eq!(
        error.describe(),
        format!("{cut} (raise the provider's max_tokens, or ask for a shorter answer)")
    );
    assert!(!error.is_transient() && entries.len() == 2);
    // It has two tokens, as many as it may have.
    let limited = |address: &str| {
        let mut endpoint = endpoint(format!("http://{address}/v1"), limits());
        endpoint.config.max_tokens = Some(2);
        endpoint
    };
    let (result, entries) = ask_as(limited, vec![says(stream(EVENTS))]);
    assert_eq!(outcome_of(result), Err(cut.to_owned()));
    assert_eq!(entries[1..], [format!("failure 1: {cut}")]);
    // Other ends are worth another try, and are not kept.
    let odd = stream(&EVENTS.replace("\"stop\"", "\"network_error\""));
    let (result, entries) = ask_with(limits(), LONG, vec![says(odd), says(stream(EVENTS))]);
    assert_eq!(result.unwrap().attempts, 2);
    assert_eq!(entries[1], "failure 1: the answer was not completed: finish_reason is \"network_error\"");
}

#[test]
fn an_error_is_what_its_code_says_and_a_used_up_quota_does_not_pass() {
    let middle = &EVENTS[..EVENTS.find("\n\n").unwrap() + 2];
    for error in [
        "{\"error\":{\"message\":\"slow down\",\"code\":\"rate_limit_exceeded\"}}",
        "{\"error\":{\"message\":\"Overloaded\",\"type\":\"overloaded_error\"}}",
        "{\"error\":{\"message\":\"busy\",\"code\":\"503\"}}",
        "{\"error\":\"The server is overloaded\"}",
    ] {
        for script in
            [says(response("200 OK", "", error)), says(stream(&format!("{middle}data: {error}\n\n")))]
        {
            let (result, _) = ask_with(limits(), LONG, vec![script, says(stream(EVENTS))]);
            assert_eq!(result.unwrap().attempts, 2, "{error}");
        }
    }
    pauses();
    for (status, error, hint) in [
        (429, "{\"error\":{\"message\":\"see your plan\",\"code\":\"insufficient_quota\"}}", "used up"),
        (400, "{\"error\":{\"message\":\"Your credit balance is too low\"}}", "used up"),
        (402, "{\"error\":\"no\"}", "used up"),
        (401, "{\"error\":\"no\"}", "check the provider's key"),
        (404, "{\"error\":\"no\"}", "check the provider's base_url and model"),
    ] {
        let error = ask(says(response(&format!("{status} X"), "", error))).unwrap_err();
        assert!(error.describe().contains(hint), "{}", error.describe());
        assert_eq!(pauses(), []);
    }
    // A minute of it is waited for.
    let busy = || says(response("503 X", "", "busy"));
    let (result, _) = ask_with(limits(), LONG, (0..8).map(|_| busy()).collect());
    assert!(outcome_of(result).unwrap_err().ends_with("503: busy"));
    assert!(pauses().iter().sum::<Duration>() > Duration::from_secs(40));
}

#[test]
fn one_that_cannot_be_reached_is_tried_again() {
    let server = Server::start(Vec::new());
    // The port is free again, and not in use by another process at this moment.
    while TcpStream::connect(&server.address).is_ok() {}
    let endpoint = endpoint(format!("http://{}/v1?token=x", server.address), limits());
    let book = TestLedger::default();
    let error = endpoint.ask(&Request::new("x"), &book, &Cancellation::default()).unwrap_err();
    assert!(error.is_transient());
    let refused = format!(
        "cannot connect to http://{}/v1/chat/completions: Connection refused (os error 111)",
        server.address
    );
    assert_eq!(error.to_string(), refused);
    assert_eq!((book.entries().len(), pauses().len()), (10, 4));
}

#[test]
fn a_certificate_is_asked_for() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let plain = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut greeting = [0; 4096];
        let length = stream.read(&mut greeting).unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        String::from_utf8_lossy(&greeting[..length]).into_owned()
    });
    let limits = Limits { attempts: 1, ..limits() };
    let endpoint = endpoint(format!("https://{address}/v1"), limits);
    let error =
        endpoint.ask(&Request::new("What?"), &TestLedger::default(), &Cancellation::default()).unwrap_err();
    assert!(matches!(error, LlmError::Connect { .. }), "{error:?}");
    // Nothing of the question was said.
    let heard = plain.join().unwrap();
    assert!(heard.starts_with('\u{16}') && !heard.contains("What") && !heard.contains("chat"), "{heard:?}");
}

/// A certificate for this machine, and its key. They are worth nothing anywhere else.
const CERTIFICATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/certificate.pem");
const CERTIFICATE_KEY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/key.pem");

/// What the system trusts is said by a variable, which only a process of its own can have.
#[test]
fn a_certificate_is_trusted_if_the_system_trusts_it() {
    let server_config = || {
        let certificate = CertificateDer::from_pem_file(CERTIFICATE).unwrap();
        let key = PrivateKeyDer::from_pem_file(CERTIFICATE_KEY).unwrap();
        let provider = rustls::crypto::ring::default_provider();
        let config = rustls::ServerConfig::builder_with_provider(Arc::new(provider));
        let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
        config.with_single_cert(vec![certificate], key).unwrap()
    };
    for (host, trusted, expected) in [
        ("localhost", CERTIFICATE, "42"),
        ("127.0.0.1", CERTIFICATE, "42"),
        ("localhost", "/dev/null", "invalid peer certificate: UnknownIssuer"),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut connection = rustls::ServerConnection::new(Arc::new(server_config())).unwrap();
            let mut stream = rustls::Stream::new(&mut connection, &mut stream);
            let mut buffer = [0; 4096];
            while stream.read(&mut buffer).is_ok_and(|length| length > 0 && !buffer[..length].ends_with(b"}"))
            {
            }
            let _ = stream.write_all(self::stream(EVENTS).as_bytes());
        });
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "endpoint::tests::asks_over_tls", "--nocapture"])
            .env("SSL_CERT_FILE", trusted)
            .env("ASKED", format!("https://{host}:{port}/v1"))
            .output()
            .unwrap();
        server.join().unwrap();
        let told = String::from_utf8(child.stdout).unwrap();
        assert!(told.contains(&format!("told: {expected}")), "{host}: {told}");
    }
}

/// What the proxy is, is said by a variable as well.
#[test]
fn a_proxy_that_cannot_be_used_is_told_at_once() {
    for (proxy, expected) in [
        ("socks5://127.0.0.1:9", "proxy unsupported scheme socks5"),
        ("socks5h://127.0.0.1:9", "proxy unsupported scheme socks5h"),
    ] {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "endpoint::tests::asks_over_tls", "--nocapture"])
            .env("https_proxy", proxy)
            .env("ASKED", "https://example.invalid/v1")
            .output()
            .unwrap();
        let told = String::from_utf8(child.stdout).unwrap();
        assert!(told.contains(&format!("told: {expected}")), "{proxy}: {told}");
    }
}

/// Part of the tests above, which start it with something to ask.
#[test]
#[expect(clippy::print_stdout, reason = "the other test reads it")]
fn asks_over_tls() {
    let Ok(url) = std::env::var("ASKED") else { return };
    let endpoint = endpoint(url, limits());
    let result = endpoint.ask(&Request::new("x"), &TestLedger::default(), &Cancellation::default());
    assert_eq!(pauses(), []);
    let told = match result {
        Ok(reply) => reply.answer.text,
        Err(LlmError::Certificate { message, .. }) => message,
        Err(LlmError::Proxy { message, .. }) => format!("proxy {message}"),
        Err(error) => format!("{error:?}"),
    };
    println!("told: {told}");
}

#[test]
fn a_cancellation_closes_the_connection() {
    for script in [
        says_and_stays(""),
        says_and_stays(pieces(&EVENTS[..50])),
        says_and_stays("HTTP/1.1 400 Bad\r\n\r\n"),
    ] {
        let (sender, closed) = mpsc::channel();
        let server = Server::start(vec![Box::new(move |stream| {
            script(stream);
            sender.send(()).unwrap();
        })]);
        let endpoint = endpoint(format!("http://{}", server.address), limits());
        let cancellation = Cancellation::default();
        thread::scope(|scope| {
            let asking = scope.spawn(|| {
                endpoint.ask(&Request::new("x"), &TestLedger::default(), &cancellation).unwrap_err()
            });
            server.requests.recv().unwrap();
            cancellation.cancel();
            assert!(matches!(asking.join().unwrap(), LlmError::Cancelled));
        });
        closed.recv().unwrap();
    }
}

#[test]
fn a_cancellation_ends_a_pause() {
    let server = Server::start(vec![says(response("429 X", "retry-after: 500\r\n", ""))]);
    let endpoint =
        Endpoint { pause: Cancellation::wait, ..endpoint(format!("http://{}", server.address), limits()) };
    let cancellation = Cancellation::default();
    thread::scope(|scope| {
        let asking = scope
            .spawn(|| endpoint.ask(&Request::new("x"), &TestLedger::default(), &cancellation).unwrap_err());
        server.requests.recv().unwrap();
        cancellation.cancel();
        assert!(matches!(asking.join().unwrap(), LlmError::Cancelled));
    });
}

#[test]
fn what_cannot_be_recorded_is_not_sent_and_what_was_answered_is_not_lost() {
    let server = Server::start(vec![says(stream(EVENTS))]);
    let endpoint = endpoint(format!("http://{}", server.address), limits());
    let ask =
        |book: TestLedger| endpoint.ask(&Request::new("x"), &book, &Cancellation::default()).unwrap_err();
    let error = ask(TestLedger { is_closed_to_requests: true, ..TestLedger::default() });
    assert!(matches!(error, LlmError::NotRecorded { raw: None, .. }), "{error:?}");
    assert_eq!(server.requests(), Vec::<String>::new());
    let error = ask(TestLedger { is_closed_to_answers: true, ..TestLedger::default() });
    assert!(
        matches!(&error, LlmError::NotRecorded { raw: Some(raw), .. } if raw == EVENTS.as_bytes()),
        "{error:?}"
    );
}

#[test]
fn without_address_or_key_nothing_is_asked() {
    let ask = |base_url: &str, key: &str| {
        let mut endpoint = endpoint(base_url.to_owned(), limits());
        endpoint.config.key = KeySource::Variable(key.to_owned());
        let book = TestLedger::default();
        let error = endpoint.ask(&Request::new("x"), &book, &Cancellation::default()).unwrap_err();
        assert_eq!(book.entries(), Vec::<String>::new());
        error.to_string()
    };
    for url in ["", "localhost:80", "ftp://localhost/", "http://", "http://user:pw@localhost/"] {
        assert_eq!(ask(url, "KEY"), "the provider's base_url is not a valid address", "{url}");
    }
    assert_eq!(ask("http://localhost/", "OTHER"), "the environment variable OTHER is not set");
}

#[test]
fn the_models_are_those_that_the_endpoint_lists() {
    let list = |body: &str| says(response("200 OK", "content-type: application/json\r\n", body));
    let missing = || says(response("404 Not Found", "", "{\"error\":\"no\"}"));
    let asked = |scripts| {
        let server = Server::start(scripts);
        let endpoint = endpoint(format!("http://{}/v1/", server.address), Limits::default());
        let models = endpoint.models(&Cancellation::default()).map_err(|error| error.to_string());
        let lines = server.requests();
        let lines = lines.iter().map(|request| request.lines().next().unwrap_or_default().to_owned());
        (models.map_err(|error| error.replace(&server.address, "HOST")), lines.collect::<Vec<_>>())
    };
    let (ours, theirs) = ("GET /v1/models HTTP/1.1".to_owned(), "GET /api/tags HTTP/1.1".to_owned());
    assert_eq!(
        asked(vec![list("{\"data\":[{\"id\":\"a\"},{\"id\":\"b\"}]}")]),
        (Ok(vec!["a".to_owned(), "b".to_owned()]), vec![ours.clone()])
    );
    assert_eq!(
        asked(vec![missing(), list("{\"models\":[{\"name\":\"qwen3:latest\"}]}")]),
        (Ok(vec!["qwen3:latest".to_owned()]), vec![ours.clone(), theirs.clone()])
    );
    assert_eq!(
        asked(vec![missing(), missing()]),
        (Err("http://HOST/v1/models answered 404: no".to_owned()), vec![ours.clone(), theirs])
    );
    let refused = format!("{{\"error\":\"bad key {KEY}\"}}");
    assert_eq!(
        asked(vec![says(response("401 Unauthorized", "", &refused))]),
        (Err("http://HOST/v1/models answered 401: bad key [key]".to_owned()), vec![ours])
    );
}
