//! The loop that serves, with routers that have nothing to do with questions.

use crate::support::wire::{Client, within};
use axum::Router;
use axum::extract::Extension;
use axum::routing::get;
use http::StatusCode;
use server::{ConnectionInfo, InFlight, Limits, ServeError};
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;

/// A server of any router, until it is told to end.
struct Serving {
    port: u16,
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<(), ServeError>>,
}

impl Serving {
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

    /// How long it takes to end, on a clock that stands still while anybody works.
    async fn end(self) -> Duration {
        tokio::time::pause();
        let begun = tokio::time::Instant::now();
        self.stop.send(()).unwrap();
        self.task.await.unwrap().unwrap();
        begun.elapsed()
    }
}

/// `/held` waits for the end of the server, `/forever` for nothing at all, both held; `/slow` answers in its own time.
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

#[tokio::test]
async fn what_is_held_is_told_of_the_end_and_does_not_hold_it_up() {
    within(async {
        let arrived = Arc::new(Notify::new());
        let serving = Serving::start(router(&arrived), Limits::default());
        let mut plain = serving.connect();
        assert_eq!(plain.get("/").await.text(), "127.0.0.1");
        let mut held = serving.connect();
        held.ask("GET", "/held", "", "").await;
        arrived.notified().await;
        let mut forever = serving.connect();
        forever.ask("GET", "/forever", "", "").await;
        arrived.notified().await;
        let took = serving.end().await;
        assert!(took < Duration::from_millis(50), "waited for somebody: {took:?}");
        assert_eq!(held.answer().await.text(), "farewell");
        assert_eq!(forever.end().await, "");
    })
    .await;
}

#[tokio::test]
async fn an_answer_under_way_is_waited_for() {
    within(async {
        let arrived = Arc::new(Notify::new());
        let serving = Serving::start(router(&arrived), Limits::default());
        let mut slow = serving.connect();
        slow.ask("GET", "/slow", "", "").await;
        arrived.notified().await;
        let took = serving.end().await;
        assert!((250..400).contains(&took.as_millis()), "{took:?}");
        assert_eq!(slow.answer().await.text(), "done");
    })
    .await;
}

#[tokio::test]
async fn what_is_held_has_a_limit_of_its_own_and_does_not_make_room() {
    within(async {
        let arrived = Arc::new(Notify::new());
        let limits = Limits { connections: 3, held: 2, ..Limits::default() };
        let serving = Serving::start(router(&arrived), limits);
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
