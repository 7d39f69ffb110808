//! A server that belongs to no project, as a daemon's: an inbox, and nothing of a project's own.

use crate::support::daemon::Daemon;
use app::Hall;
use http::{Method, Request, StatusCode};
use server::{Access, Key};
use std::sync::Arc;
use texts::Lang;

fn daemon() -> Daemon {
    Daemon::new().with_hall(Arc::new(Hall::without_home(Some(Lang::En))))
}

#[tokio::test]
async fn there_is_an_inbox_and_no_way_to_what_is_not_there() {
    let daemon = daemon();
    let page = daemon.page("/").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text().contains("id=\"inbox\""), "{}", page.text());
    for way in ["/history", "/flow", "/plans"] {
        assert!(!page.text().contains(&format!("href=\"{way}")), "{way}");
    }
    for path in ["/history", "/flow", "/history/2025-01-15T10-30-00", "/plans/x", "/flow/version"] {
        assert_eq!(daemon.page(path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    assert_eq!(daemon.page("/api/items").await.status, StatusCode::NOT_FOUND);
    assert_eq!(daemon.page("/api/plans").await.json()["total"], 0);
    assert_eq!(daemon.page("/inbox/version").await.status, StatusCode::OK);
}

#[tokio::test]
async fn whose_owner_is_not_known_needs_a_login() {
    let key = Key::generate().unwrap();
    let access = |port| Access::owned_surely([127, 0, 0, 1].into(), port, "", key.clone());
    let daemon = Daemon::with_access(access(3721), access(3722));
    // A request without a connection has no owner.
    for path in ["/", "/health", "/api/v1/workflows", "/ws", "/api/v1/events/stream"] {
        assert_eq!(daemon.page(path).await.status, StatusCode::UNAUTHORIZED, "{path}");
    }
    let refused = daemon.refused(Method::GET, "/api/v1/workflows", None).await;
    assert_eq!((refused.0, &*refused.1), (401, "UNAUTHORIZED"));
    assert!(refused.2.contains("daemon.json"), "{}", refused.2);
    let bearer = format!("Bearer {}", key.to_hex());
    let answer = daemon.request(Method::GET, "/api/v1/workflows", None, &[("authorization", &bearer)]).await;
    assert_eq!(answer.status, StatusCode::OK);
    let wrong = Request::get("/health").header("host", "localhost:3721").header("authorization", "Bearer x");
    assert_eq!(daemon.send(wrong.body("".into()).unwrap()).await.status, StatusCode::UNAUTHORIZED);
}
