//! Sets that stay open cost a server nothing, and those that have ended are found.

use crate::support::daemon::Daemon;
use crate::waiters::counted;
use app::{Hall, SetId};
use decide::Desk as _;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use texts::Lang;
use workflow::JournalDesk;

const ROOM: &str = "workflow";

async fn ask(daemon: &Daemon, body: Value) -> String {
    daemon.post("/api/v1/decision", body).await["decisionId"].as_str().unwrap().to_owned()
}

/// How often the journal is looked at while nothing happens to so many sets that a server shows.
async fn looks_at_open_sets(count: usize) -> usize {
    let (daemon, looks) = counted();
    for _ in 0..count {
        ask(&daemon, json!({ "message": "?", "options": ["Y", "n"] })).await;
    }
    let hall = Hall::without_home(Some(Lang::En));
    hall.add_desk(ROOM, Arc::new(JournalDesk::new(Arc::clone(&daemon.runtime))));
    assert_eq!(hall.open_forms().len(), count);
    hall.look_in(ROOM);
    let before = looks.load(Ordering::Relaxed);
    for _ in 0..10 {
        hall.look_in(ROOM);
        assert_eq!(hall.open_count(), count);
    }
    looks.load(Ordering::Relaxed) - before
}

#[tokio::test]
async fn sets_that_stay_open_are_not_looked_at_each() {
    let (few, many) = (looks_at_open_sets(4).await, looks_at_open_sets(40).await);
    assert_eq!(few, many, "looks while 4 sets are open, and while 40 are");
}

#[tokio::test]
async fn a_set_that_has_ended_is_found_however_it_has() {
    let (daemon, _) = counted();
    let hall = Hall::without_home(Some(Lang::En));
    let desk = JournalDesk::new(Arc::clone(&daemon.runtime));
    hall.add_desk(ROOM, Arc::new(desk.clone()));
    let created = daemon.post("/api/v1/sessions", json!({})).await;
    let session = created["id"].as_str().unwrap().to_owned();
    // Before and after the first look, and while the server does not look.
    let mut forms = Vec::new();
    let mut asked = Vec::new();
    for body in [
        json!({ "message": "answered", "options": ["Y", "n"] }),
        json!({ "message": "overdue", "options": ["Y", "n"], "timeoutMs": 5000 }),
        json!({ "message": "removed", "options": ["Y", "n"], "sessionId": session }),
        json!({ "message": "ended before the look", "options": ["Y", "n"] }),
        json!({ "message": "open", "options": ["Y", "n"] }),
    ] {
        let list = desk.open_list().unwrap();
        asked.push(ask(&daemon, body).await);
        let longer = desk.open_list().unwrap();
        assert_eq!(longer.len(), list.len() + 1);
        assert!(Arc::ptr_eq(&longer, &desk.open_list().unwrap()), "nothing has changed");
        let new = longer.iter().find(|pending| !list.contains(pending)).unwrap();
        let set = SetId::new(ROOM, new.session.clone());
        forms.push(hall.form(&set).unwrap());
        if asked.len() != 4 {
            hall.look_in(ROOM);
        }
        assert_eq!(forms.iter().filter(|form| form.ending().is_some()).count(), asked.len() / 5);
        if asked.len() == 4 {
            let path = format!("/api/v1/decision/{}/respond", asked[3]);
            daemon.post(&path, json!({ "response": "n" })).await;
        }
    }
    assert!(forms[3].ending().is_some());
    let path = format!("/api/v1/decision/{}/respond", asked[0]);
    daemon.post(&path, json!({ "response": "Y" })).await;
    hall.look_in(ROOM);
    assert!(forms[0].ending().is_some() && forms[1].ending().is_none());
    daemon.clock.passed.fetch_add(5000, Ordering::Relaxed);
    hall.look_in(ROOM);
    assert!(forms[1].ending().is_some() && forms[2].ending().is_none());
    daemon.request(http::Method::DELETE, &format!("/api/v1/sessions/{session}"), None, &[]).await;
    hall.look_in(ROOM);
    assert!(forms[2].ending().is_some() && forms[4].ending().is_none());
    assert_eq!(desk.open_list().unwrap().len(), 1);
}
