//! How much a daemon has to do: in `/health`, and in `/metrics` for Prometheus.

use crate::support::Answer;
use crate::support::daemon::Daemon;
use axum::body::Body;
use http::{Method, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use server::{Access, Key};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use tower::ServiceExt;

fn open_access() -> Access {
    Access::open([127, 0, 0, 1].into(), 3721, "")
}

async fn metrics(daemon: &Daemon) -> Answer {
    daemon.page("/metrics").await
}

/// A sample: its name, and its labels.
type SampleName = (String, BTreeMap<String, String>);

/// Reads the text format 0.0.4 as its documentation has it, and refuses everything else.
fn parse(text: &str) -> BTreeMap<SampleName, f64> {
    assert!(text.ends_with('\n') && !text.contains('\r'));
    let is_name = |name: &str| {
        let is_first = |c: char| c.is_ascii_alphabetic() || c == '_' || c == ':';
        name.starts_with(is_first) && name.chars().all(|c| is_first(c) || c.is_ascii_digit())
    };
    let (mut samples, mut families, mut family) = (BTreeMap::new(), BTreeSet::new(), (String::new(), ""));
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').unwrap();
            assert!(is_name(name) && !help.is_empty(), "{line}");
            assert!(families.insert(name.to_owned()), "{name} is there twice");
            family = (name.to_owned(), "");
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').unwrap();
            assert_eq!(name, family.0, "the type follows its help");
            assert!(["counter", "gauge", "histogram", "summary", "untyped"].contains(&kind), "{line}");
            family.1 = kind;
        } else {
            assert!(!line.starts_with('#') && !line.is_empty(), "{line}");
            let (sample, value) = line.rsplit_once(' ').unwrap();
            let (name, labels) = match sample.split_once('{') {
                None => (sample, BTreeMap::new()),
                Some((name, labels)) => (name, parse_labels(labels.strip_suffix('}').unwrap())),
            };
            let parts = ["_bucket", "_sum", "_count"].map(|suffix| format!("{}{suffix}", family.0));
            let is_ours =
                if family.1 == "histogram" { parts.contains(&name.to_owned()) } else { name == family.0 };
            assert!(is_name(name) && is_ours, "{line} below {family:?}");
            let known = samples.insert((name.to_owned(), labels), value.parse::<f64>().unwrap());
            assert_eq!(known, None, "{line} is there twice");
        }
    }
    samples
}

fn parse_labels(mut text: &str) -> BTreeMap<String, String> {
    let mut labels = BTreeMap::new();
    while !text.is_empty() {
        let (name, rest) = text.split_once("=\"").unwrap();
        let (mut value, mut end, mut chars) = (String::new(), None, rest.char_indices());
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    end = Some(at);
                    break;
                }
                '\\' => match chars.next().unwrap().1 {
                    'n' => value.push('\n'),
                    c @ ('\\' | '"') => value.push(c),
                    c => panic!("\\{c}"),
                },
                c => value.push(c),
            }
        }
        let rest = &rest[end.unwrap() + 1..];
        text = rest.strip_prefix(',').unwrap_or(rest);
        assert_eq!(labels.insert(name.to_owned(), value), None);
    }
    labels
}

/// The value of a sample with these labels.
#[track_caller]
fn value(samples: &BTreeMap<SampleName, f64>, name: &str, labels: &[(&str, &str)]) -> f64 {
    let labels = labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    *samples.get(&(name.to_owned(), labels)).unwrap_or_else(|| panic!("no {name}: {samples:?}"))
}

#[tokio::test]
async fn metrics_are_off_unless_they_are_switched_on() {
    let daemon = Daemon::new();
    let (status, code, words, details) = daemon.refused(Method::GET, "/metrics", None).await;
    assert_eq!((status, &*code, &*words, details), (404, "NOT_FOUND", "Not Found", json!({})));
    let answer = metrics(&daemon.with_metrics(open_access())).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    answer.assert_guarded("/metrics");
    parse(&answer.text());
}

#[tokio::test]
async fn metrics_are_guarded_like_everything_else() {
    let daemon = Daemon::new().with_metrics(open_access());
    let of = |host: &str| Request::get("/metrics").header("host", host).body(Body::empty()).unwrap();
    assert_eq!(daemon.send(of("elsewhere.test")).await.status, StatusCode::MISDIRECTED_REQUEST);
    let cross = Request::get("/metrics").header("host", "localhost:3721").header("origin", "https://a.test");
    let cross = daemon.send(cross.body(Body::empty()).unwrap()).await;
    let health = Request::get("/health").header("host", "localhost:3721").header("origin", "https://a.test");
    assert_eq!(cross.status, daemon.send(health.body(Body::empty()).unwrap()).await.status);
    assert_eq!(daemon.request(Method::POST, "/metrics", None, &[]).await.status.as_u16(), 405);
    let key = Key::generate().unwrap();
    let guarded = Daemon::new().with_metrics(Access::guarded([127, 0, 0, 1].into(), 3721, "", key.clone()));
    assert_eq!(metrics(&guarded).await.status, StatusCode::UNAUTHORIZED);
    let request = Request::get("/metrics").header("host", "localhost:3721");
    let request = request.header("authorization", format!("Bearer {}", key.to_hex()));
    assert_eq!(guarded.send(request.body(Body::empty()).unwrap()).await.status, StatusCode::OK);
}

/// The next part of a stream of events, after which it is read no further.
async fn listen(daemon: &Daemon) -> Body {
    let request = Request::get("/api/v1/events/stream").header("host", "localhost:3721");
    let request = request.body(Body::empty()).unwrap();
    daemon.router.clone().oneshot(request).await.unwrap().into_body()
}

#[tokio::test]
async fn the_numbers_are_those_of_what_is_there_and_the_same_everywhere() {
    let daemon = Daemon::on_disk(3721).with_metrics(open_access());
    let empty = daemon.get("/health").await["load"].clone();
    let none = json!({ "count": 0 });
    for name in ["decisions", "outbox", "requests"] {
        assert_eq!(empty[name], none, "{name}");
    }
    assert_eq!(empty["workflows"], json!({ "running": 0, "paused": 0, "states": {} }));
    assert_eq!(empty["agentQueue"], json!({ "total": { "count": 0 }, "types": {} }));

    let (running, _) = daemon.executing().await;
    let (paused, _) = daemon.executing().await;
    daemon.post("/api/v1/workflow/pause", json!({ "workflowId": paused })).await;
    let asked = json!({ "message": "Go on?", "options": ["Y", "n"], "workflowId": running });
    let asked = daemon.post("/api/v1/decision", asked).await;
    let decision = asked["decisionId"].as_str().unwrap().to_owned();
    let mut stream = listen(&daemon).await;
    let waiting = {
        let (daemon, path) = (daemon.clone(), format!("/api/v1/decision/{decision}?wait=300"));
        tokio::spawn(async move { daemon.get(&path).await })
    };
    while daemon.get("/health").await["load"]["requests"]["count"] != 1 {
        tokio::task::yield_now().await;
    }
    daemon.clock.passed.fetch_add(90_500, Ordering::Relaxed);

    let load = daemon.get("/health").await["load"].clone();
    let some = json!({ "count": 1, "oldestSeconds": 90.5 });
    assert_eq!((&load["decisions"], &load["requests"]), (&some, &some));
    let states = json!({ "execution": 1, "paused": 1 });
    assert_eq!(load["workflows"], json!({ "running": 1, "paused": 1, "states": states }));
    assert_eq!(load["subscribers"], json!({ "webSocket": 0, "sse": 1 }));
    assert_eq!(load["readers"], json!({ "limit": 2, "busy": 0, "waiting": 0 }));
    assert_eq!(load["writers"], 0);

    let samples = parse(&metrics(&daemon).await.text());
    let is = |name: &str, labels: &[(&str, &str)], of: &Value| {
        assert_eq!(value(&samples, name, labels), of.as_f64().unwrap(), "{name}");
    };
    let zero = json!(0);
    is("aide_workflows_running", &[], &load["workflows"]["running"]);
    is("aide_workflows_paused", &[], &load["workflows"]["paused"]);
    is("aide_workflows", &[("state", "execution")], &states["execution"]);
    for (name, of) in [
        ("aide_decisions_open", &load["decisions"]),
        ("aide_requests_waiting", &load["requests"]),
        ("aide_outbox", &load["outbox"]),
        ("aide_agent_queue", &load["agentQueue"]["total"]),
    ] {
        is(name, &[], &of["count"]);
        is(&format!("{name}_oldest_seconds"), &[], of.get("oldestSeconds").unwrap_or(&zero));
    }
    let commits = &load["commits"];
    assert!(commits["count"].as_u64().unwrap() >= 10, "{commits}");
    is("aide_commit_seconds_count", &[], &commits["count"]);
    is("aide_commit_seconds_sum", &[], &commits["totalSeconds"]);
    is("aide_commit_seconds_bucket", &[("le", "+Inf")], &commits["count"]);
    for bucket in commits["buckets"].as_array().unwrap() {
        let bound = bucket["atMostSeconds"].as_f64().unwrap().to_string();
        is("aide_commit_seconds_bucket", &[("le", &bound)], &bucket["count"]);
    }
    assert!(commits["medianSeconds"].as_f64() <= commits["percentile99Seconds"].as_f64(), "{commits}");
    is("aide_journal_readers", &[("state", "busy")], &load["readers"]["busy"]);
    is("aide_journal_readers_limit", &[], &load["readers"]["limit"]);
    is("aide_subscribers", &[("transport", "sse")], &load["subscribers"]["sse"]);
    is("aide_journal_bytes", &[("file", "database")], &load["journal"]["fileBytes"]);
    is("aide_journal_bytes", &[("file", "wal")], &load["journal"]["walBytes"]);
    assert!(load["journal"]["walBytes"].as_u64().unwrap() > 0);

    // All of it ends.
    let answered = format!("/api/v1/decision/{decision}/respond");
    daemon.post(&answered, json!({ "response": "Y" })).await;
    assert_eq!(waiting.await.unwrap()["status"], "answered");
    assert!(stream.frame().await.is_some());
    drop(stream);
    daemon.post("/api/v1/workflow/resume", json!({ "workflowId": paused })).await;
    let load = daemon.get("/health").await["load"].clone();
    assert_eq!((&load["decisions"], &load["requests"]), (&none, &none));
    assert_eq!((&load["workflows"]["paused"], &load["workflows"]["running"]), (&json!(0), &json!(2)));
    assert_eq!(load["subscribers"]["sse"], 0);
}

/// Neither needs the journal: a view of one in memory excludes everything else.
#[tokio::test]
async fn the_numbers_are_there_while_the_journal_is_in_use() {
    let daemon = Daemon::new().with_metrics(open_access());
    daemon.executing().await;
    let before = daemon.get("/health").await["load"]["workflows"].clone();
    let view = daemon.runtime.journal().view().unwrap();
    let load = daemon.get("/health").await["load"].clone();
    assert_eq!((&load["workflows"], &load["readers"]["busy"]), (&before, &json!(1)));
    let samples = parse(&metrics(&daemon).await.text());
    assert_eq!(value(&samples, "aide_journal_readers", &[("state", "busy")]), 1.0);
    drop(view);
}

#[test]
#[should_panic(expected = "is there twice")]
fn the_parser_refuses_a_sample_that_is_there_twice() {
    parse("# HELP a b\n# TYPE a gauge\na 1\na 2\n");
}
