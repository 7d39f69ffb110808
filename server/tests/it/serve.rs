//! The loop that serves, with routers that have nothing to do with questions.

use crate::support::daemon::Daemon;
use crate::support::wire::{Client, with_clock_held, within};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Extension, Request};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http::StatusCode;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use server::{ConnectionInfo, InFlight, Limits, ServeError};
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;

/// A server of any router, until `end` is called.
struct ServerTask {
    port: u16,
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<(), ServeError>>,
}

impl ServerTask {
    fn start(router: Router, limits: Limits) -> Self {
        let bound = server::bind("127.0.0.1", 0, None).unwrap();
        let port = bound.port;
        let (stop, stopped) = oneshot::channel::<()>();
        let stopped = async {
            let _ = stopped.await;
        };
        Self { port, stop, task: tokio::spawn(server::serve(bound, router, limits, stopped)) }
    }

    fn connect(&self) -> Client {
        Client::from_std(std::net::TcpStream::connect(("127.0.0.1", self.port)).unwrap())
    }

    /// How long it takes to end, on a clock that stands still while a task runs.
    async fn end(self) -> Duration {
        tokio::time::pause();
        let begun = tokio::time::Instant::now();
        self.stop.send(()).unwrap();
        self.task.await.unwrap().unwrap();
        begun.elapsed()
    }
}

/// `/held` waits for the end of the server and takes 300 ms more, as on a busy machine, `/forever` waits for nothing at all,
/// both held; `/slow` answers in its own time.
fn router(arrived: &Arc<Notify>) -> Router {
    let [held, forever, slow] = [(); 3].map(|()| Arc::clone(arrived));
    Router::new()
        .route("/", get(|Extension(info): Extension<ConnectionInfo>| async move { info.peer.to_string() }))
        .route(
            "/held",
            get(|Extension(in_flight): Extension<InFlight>| async move {
                let Some(_hold) = in_flight.hold() else { return (StatusCode::SERVICE_UNAVAILABLE, "") };
                held.notify_one();
                in_flight.ending().await;
                tokio::time::sleep(Duration::from_millis(300)).await;
                (StatusCode::OK, "farewell")
            }),
        )
        .route(
            "/forever",
            get(|Extension(in_flight): Extension<InFlight>| async move {
                in_flight.answering();
                let _hold = in_flight.hold();
                forever.notify_one();
                pending::<()>().await;
            }),
        )
        .route(
            "/slow",
            get(|Extension(in_flight): Extension<InFlight>| async move {
                in_flight.answering();
                slow.notify_one();
                tokio::time::sleep(Duration::from_millis(300)).await;
                "done"
            }),
        )
}

/// Says again what it hears, in a protocol of its own, and until the server ends.
async fn echo(Extension(in_flight): Extension<InFlight>, mut request: Request) -> Response {
    let Some(hold) = in_flight.hold() else { return StatusCode::SERVICE_UNAVAILABLE.into_response() };
    let upgrade = hyper::upgrade::on(&mut request);
    tokio::spawn(hold.until_the_end(async move {
        let mut stream = TokioIo::new(upgrade.await.unwrap());
        let mut heard = [0; 1];
        while stream.read_exact(&mut heard).await.is_ok() {
            stream.write_all(&heard).await.unwrap();
        }
    }));
    let headers = [("connection", "upgrade"), ("upgrade", "echo")];
    (StatusCode::SWITCHING_PROTOCOLS, headers).into_response()
}

const UPGRADE: &str = "Connection: upgrade\r\nUpgrade: echo\r\n";

#[tokio::test]
async fn an_upgraded_connection_lives_as_long_as_the_server_and_makes_no_room() {
    within(async {
        let limits = Limits { connections: 2, held: 1, ..Limits::default() };
        let router = router(&Arc::default()).route("/echo", get(echo));
        let serving = ServerTask::start(router, limits);
        let mut upgraded = serving.connect();
        upgraded.ask("GET", "/echo", UPGRADE, "").await;
        assert_eq!(upgraded.answer().await.status, StatusCode::SWITCHING_PROTOCOLS);
        upgraded.send("a").await;
        assert_eq!(upgraded.exactly(1).await, "a");
        // The others have their own limits.
        let mut second = serving.connect();
        second.ask("GET", "/echo", UPGRADE, "").await;
        assert_eq!(second.answer().await.status, StatusCode::SERVICE_UNAVAILABLE);
        for _ in 0..5 {
            assert_eq!(serving.connect().get("/").await.status, StatusCode::OK);
        }
        // Far longer than a connection may be idle.
        tokio::time::pause();
        tokio::time::sleep(Duration::from_secs(40)).await;
        tokio::time::resume();
        upgraded.send("b").await;
        assert_eq!(upgraded.exactly(1).await, "b");
        let took = serving.end().await;
        assert!(took < Duration::from_millis(50), "waited for somebody: {took:?}");
        assert_eq!(upgraded.end().await, "");
    })
    .await;
}

/// S30: where nothing is upgraded, a request for it is a request like any other, and so is the next.
#[tokio::test]
async fn s30_who_asks_for_an_upgrade_in_vain_is_answered() {
    within(async {
        let server = crate::support::wire::Server::start(crate::support::ITEMS);
        let mut client = server.connect().await;
        for (path, headers) in [
            ("/api/items", UPGRADE),
            (
                "/",
                "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                   Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
            ),
            (
                "/api/items",
                "Connection: upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
            ),
            ("/api/items", ""),
        ] {
            client.ask("GET", path, headers, "").await;
            assert_eq!(client.answer().await.status, StatusCode::OK, "{path} {headers}");
        }
    })
    .await;
}

#[tokio::test]
async fn what_is_held_is_told_of_the_end_and_its_answer_waited_for() {
    within(async {
        let arrived = Arc::new(Notify::new());
        let serving = ServerTask::start(router(&arrived), Limits::default());
        let mut plain = serving.connect();
        assert_eq!(plain.get("/").await.text(), "127.0.0.1");
        let mut held = serving.connect();
        held.ask("GET", "/held", "", "").await;
        arrived.notified().await;
        let took = serving.end().await;
        assert_eq!(held.answer().await.text(), "farewell");
        assert!(took < Duration::from_millis(350), "waited for more than the answer: {took:?}");
    })
    .await;
}

#[tokio::test]
async fn what_is_held_and_never_answers_is_waited_for_two_seconds() {
    within(async {
        let arrived = Arc::new(Notify::new());
        let serving = ServerTask::start(router(&arrived), Limits::default());
        let mut forever = serving.connect();
        forever.ask("GET", "/forever", "", "").await;
        arrived.notified().await;
        let took = serving.end().await;
        assert!(took < Duration::from_millis(2050), "waited for what never answers: {took:?}");
        assert_eq!(forever.end().await, "");
    })
    .await;
}

/// contract/workflows §3.3: it has not ended, as when the time is up.
#[tokio::test]
async fn a_client_that_waits_for_a_decision_is_answered_when_the_server_ends() {
    within(async {
        let daemon = Daemon::new();
        let decision = daemon.post("/api/v1/decision", json!({ "message": "?" })).await;
        let path = format!("/api/v1/decision/{}?wait=60", decision["decisionId"].as_str().unwrap());
        let serving = ServerTask::start(daemon.router.clone(), Limits::default());
        let mut client = serving.connect();
        client.send(&format!("GET {path} HTTP/1.1\r\nHost: localhost:3721\r\n\r\n")).await;
        serving.stop.send(()).unwrap();
        let answer = client.answer().await;
        assert_eq!(answer.status, StatusCode::OK);
        let answer: Value = serde_json::from_str(&answer.text()).unwrap();
        assert_eq!(answer["status"], "pending");
        serving.task.await.unwrap().unwrap();
    })
    .await;
}

#[tokio::test]
async fn an_answer_under_way_is_waited_for() {
    within(async {
        let arrived = Arc::new(Notify::new());
        let serving = ServerTask::start(router(&arrived), Limits::default());
        let mut slow = serving.connect();
        slow.ask("GET", "/slow", "", "").await;
        arrived.notified().await;
        let took = serving.end().await;
        assert!((250..400).contains(&took.as_millis()), "{took:?}");
        assert_eq!(slow.answer().await.text(), "done");
    })
    .await;
}

/// The gate asks whose program it is that connects, before it reads the body.
#[tokio::test]
async fn a_request_that_arrives_just_after_the_end_is_answered_however_long_that_takes() {
    within(async {
        let thoughtful = async |Extension(in_flight): Extension<InFlight>, body: Bytes| {
            tokio::time::sleep(Duration::from_millis(700)).await;
            in_flight.answering();
            body
        };
        let serving = ServerTask::start(Router::new().route("/", post(thoughtful)), Limits::default());
        let mut late = serving.connect();
        let ServerTask { port, stop, task } = serving;
        tokio::time::pause();
        stop.send(()).unwrap();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
            tokio::task::yield_now().await;
        }
        late.ask("POST", "/", "", "an answer").await;
        assert_eq!(late.answer().await.text(), "an answer");
        task.await.unwrap().unwrap();
    })
    .await;
}

#[tokio::test]
async fn the_answer_to_what_writes_is_waited_for_like_the_write() {
    within(async {
        let began = Arc::new(Notify::new());
        let begins = Arc::clone(&began);
        let written = async move |Extension(in_flight): Extension<InFlight>| {
            in_flight.answering();
            let write = move || {
                begins.notify_one();
                // By the clock of the machine: a disk that is slow.
                std::thread::sleep(Duration::from_secs(1));
            };
            in_flight.write("a test", write).await.unwrap();
            // By that of the test: longer than an answer to what only reads may take.
            tokio::time::sleep(Duration::from_secs(20)).await;
            "written"
        };
        let serving = ServerTask::start(Router::new().route("/", post(written)), Limits::default());
        let mut client = serving.connect();
        client.ask("POST", "/", "", "").await;
        began.notified().await;
        serving.stop.send(()).unwrap();
        tokio::time::sleep(Duration::from_millis(900)).await;
        tokio::time::pause();
        assert_eq!(client.answer().await.text(), "written");
        serving.task.await.unwrap().unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_client_that_reads_slowly_gets_all_of_its_answer_and_one_that_does_not_read_is_cut_off() {
    // So much more than the buffers on the way hold that some is left after all parts.
    const SIZE: usize = 48 << 20;
    const PART: usize = 4 << 20;
    within(async {
        for reads in [true, false] {
            let arrived = Arc::new(Notify::new());
            let arrives = Arc::clone(&arrived);
            let large = async move || {
                arrives.notify_one();
                "x".repeat(SIZE)
            };
            let serving = ServerTask::start(Router::new().route("/", get(large)), Limits::default());
            let mut client = serving.connect();
            client.ask("GET", "/", "", "").await;
            arrived.notified().await;
            tokio::time::pause();
            let begun = tokio::time::Instant::now();
            serving.stop.send(()).unwrap();
            let mut task = serving.task;
            if reads {
                for part in 0..4 {
                    assert_eq!(with_clock_held(client.exactly(PART)).await.len(), PART);
                    tokio::select! {
                        ended = &mut task => panic!("{ended:?} after {part}"),
                        () = tokio::time::sleep(Duration::from_millis(400)) => {}
                    }
                }
                let rest = with_clock_held(client.end()).await;
                assert!(rest.len() >= SIZE - 4 * PART && rest.trim_matches('x').is_empty(), "{}", rest.len());
                assert!(begun.elapsed() > Duration::from_secs(1));
                task.await.unwrap().unwrap();
            } else {
                task.await.unwrap().unwrap();
                assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
            }
            tokio::time::resume();
        }
    })
    .await;
}

#[tokio::test]
async fn a_request_that_arrives_just_after_the_end_on_a_new_connection_is_answered() {
    within(async {
        let limits = Limits { arrival_deadline: Duration::from_secs(30), ..Limits::default() };
        let serving = ServerTask::start(router(&Arc::default()), limits);
        let mut late = serving.connect();
        let port = serving.port;
        serving.stop.send(()).unwrap();
        // The server has noticed its end once it accepts nothing any more.
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
            tokio::task::yield_now().await;
        }
        assert_eq!(late.get("/").await.text(), "127.0.0.1");
        serving.task.await.unwrap().unwrap();
    })
    .await;
}

#[tokio::test]
async fn of_clients_that_race_those_that_connect_after_the_end_are_answered() {
    within(async {
        let serving = ServerTask::start(router(&Arc::default()), Limits::default());
        let mut first = [serving.connect(), serving.connect()];
        for client in &mut first {
            assert_eq!(client.get("/").await.text(), "127.0.0.1");
        }
        let ServerTask { port, stop, task } = serving;
        // On a clock that stands still while there is work.
        tokio::time::pause();
        stop.send(()).unwrap();
        // The end is noticed in the next turn; each client comes a moment after the one before.
        for _ in 0..3 {
            tokio::time::sleep(Duration::from_millis(2)).await;
            let stream = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
            assert_eq!(Client::from_std(stream).get("/").await.text(), "127.0.0.1");
        }
        task.await.unwrap().unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_connection_that_asks_for_nothing_does_not_hold_up_the_end() {
    within(async {
        let serving = ServerTask::start(router(&Arc::default()), Limits::default());
        let idle = serving.connect();
        let took = serving.end().await;
        assert!(took <= Duration::from_millis(150), "{took:?}");
        drop(idle);
    })
    .await;
}

#[tokio::test]
async fn what_is_held_has_a_limit_of_its_own_and_does_not_make_room() {
    within(async {
        let arrived = Arc::new(Notify::new());
        let limits = Limits { connections: 3, held: 2, ..Limits::default() };
        let serving = ServerTask::start(router(&arrived), limits);
        let mut held = [serving.connect(), serving.connect()];
        for client in &mut held {
            client.ask("GET", "/held", "", "").await;
            arrived.notified().await;
        }
        let mut idle = serving.connect();
        idle.ask("GET", "/held", "", "").await;
        assert_eq!(idle.answer().await.status, StatusCode::SERVICE_UNAVAILABLE);
        // The oldest one that waits for nothing has to leave.
        let mut last = serving.connect();
        assert_eq!(last.get("/").await.status, StatusCode::OK);
        assert_eq!(idle.end().await, "");
        serving.end().await;
        for client in &mut held {
            assert_eq!(client.answer().await.text(), "farewell");
        }
    })
    .await;
}

/// Idle threads take turns, so a steady load of a few calls would keep all threads of one burst, and their memory.
#[cfg(target_os = "linux")]
#[test]
fn the_threads_of_a_burst_end_although_calls_go_on() {
    const BURST: usize = 64;
    let threads = || std::fs::read_dir("/proc/self/task").unwrap().count();
    let runtime = server::runtime().unwrap();
    // Each call waits for all others: all have threads at the same time.
    let together = Arc::new(std::sync::Barrier::new(BURST));
    let burst: Vec<_> = (0..BURST)
        .map(|_| {
            let together = Arc::clone(&together);
            runtime.spawn_blocking(move || together.wait())
        })
        .collect();
    runtime.block_on(async {
        for call in burst {
            call.await.unwrap();
        }
        let mut steady = tokio::time::interval(Duration::from_millis(10));
        for _ in 0..1000 {
            steady.tick().await;
            tokio::task::spawn_blocking(|| ()).await.unwrap();
            if threads() < BURST / 2 {
                return;
            }
        }
        panic!("{} threads are left", threads());
    });
}
