//! Events as a stream (`text/event-stream`): its silence, its gaps, and its end.

use crate::support::daemon::{self, Daemon};
use axum::body::Body;
use http::Request;
use http_body_util::BodyExt;
use journal::{Journal, Retention};
use tokio::time::Instant;
use tower::ServiceExt;

/// Lets so many things happen together.
fn happen(journal: &dyn Journal, count: usize) {
    let last = journal.view().unwrap().log().unwrap().last;
    daemon::happen(journal, (last + 1..).take(count).map(|number| number.to_string()));
}

async fn stream(daemon: &Daemon, since: Option<i64>) -> Body {
    let mut request = Request::get("/api/v1/events/stream").header("host", "localhost:3721");
    if let Some(since) = since {
        request = request.header("last-event-id", since);
    }
    daemon.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap().into_body()
}

/// What comes next; `None` at the end.
async fn next(body: &mut Body) -> Option<String> {
    let frame = body.frame().await?.unwrap().into_data().unwrap();
    Some(String::from_utf8(frame.to_vec()).unwrap())
}

/// The number of the next event.
async fn seq(body: &mut Body) -> i64 {
    let text = next(body).await.unwrap();
    let id = text.strip_prefix("id: ").unwrap_or_else(|| panic!("{text}"));
    id.lines().next().unwrap().parse().unwrap()
}

/// By a clock that jumps to the next deadline when all wait.
#[tokio::test(start_paused = true)]
async fn a_stream_on_which_nothing_happens_says_every_15_seconds_that_it_is_there() {
    let daemon = Daemon::new();
    let mut body = stream(&daemon, None).await;
    let begun = Instant::now();
    for times in 1..=10 {
        assert_eq!(next(&mut body).await.unwrap(), ":\n\n");
        assert_eq!(begun.elapsed().as_secs(), 15 * times);
    }
    happen(&**daemon.runtime.journal(), 1);
    // It may be told just after one more.
    let mut told = next(&mut body).await.unwrap();
    while told == ":\n\n" {
        told = next(&mut body).await.unwrap();
    }
    assert!(told.starts_with("id: 1\nevent: system_error\ndata: {"), "{told}");
}

#[tokio::test]
async fn a_stream_that_begins_before_what_is_kept_tells_of_the_gap_first() {
    let daemon = Daemon::new();
    let journal = daemon.runtime.journal();
    happen(&**journal, 10);
    journal.prune(Retention { keep_events: 4, answered_before: 0, at_most: 100 }).unwrap();
    let gap = |oldest: i64| format!("event: replay_gap\ndata: {{\"oldestSeq\":{oldest}}}\n\n");
    let mut body = stream(&daemon, Some(2)).await;
    assert_eq!(next(&mut body).await.unwrap(), gap(7));
    assert_eq!(seq(&mut body).await, 7);
    let mut whole = stream(&daemon, Some(6)).await;
    assert_eq!(seq(&mut whole).await, 7, "nothing is missing");
    // A journal that was put back from a copy.
    let mut other = stream(&daemon, Some(99)).await;
    assert_eq!(next(&mut other).await.unwrap(), gap(7));
    assert_eq!(seq(&mut other).await, 7);
}

#[tokio::test]
async fn a_gap_is_told_with_the_first_event_that_is_kept() {
    let daemon = Daemon::new();
    // Its events are kept as long as it is open.
    let (workflow, _) = daemon.executing().await;
    happen(&**daemon.runtime.journal(), 10);
    daemon.runtime.journal().prune(Retention { keep_events: 4, answered_before: 0, at_most: 100 }).unwrap();
    let kept = daemon.get("/api/v1/events/history?since=0").await;
    let kept: Vec<i64> =
        kept["events"].as_array().unwrap().iter().map(|event| event["seq"].as_i64().unwrap()).collect();
    let of_workflow = daemon.get(&format!("/api/v1/events/history?since=0&workflowId={workflow}")).await;
    assert_eq!(of_workflow["events"][0]["seq"], kept[0]);
    let gap = format!("event: replay_gap\ndata: {{\"oldestSeq\":{}}}\n\n", kept[0]);
    // From the beginning, and from where another log was.
    for since in [0, 999] {
        let mut body = stream(&daemon, Some(since)).await;
        assert_eq!(next(&mut body).await.unwrap(), gap, "{since}");
        for &number in &kept {
            assert_eq!(seq(&mut body).await, number, "{since}");
        }
    }
}

#[tokio::test]
async fn a_stream_that_is_not_read_ends_and_another_goes_on_without_loss() {
    const MORE: i64 = 400;
    let daemon = Daemon::new();
    let mut slow = stream(&daemon, None).await;
    let mut quick = stream(&daemon, None).await;
    for first in (1..=MORE).step_by(50) {
        happen(&**daemon.runtime.journal(), 50);
        for number in first..first + 50 {
            assert_eq!(seq(&mut quick).await, number, "nobody waits for the slow one");
        }
    }
    for number in 1..=256 {
        assert_eq!(seq(&mut slow).await, number);
    }
    assert_eq!(next(&mut slow).await, None);
    let mut again = stream(&daemon, Some(256)).await;
    for number in 257..=MORE {
        assert_eq!(seq(&mut again).await, number);
    }
}
