//! Servers, as other processes see them.

use crate::child::Process;
use crate::helpers::Fixture;
use files::{FileError, Registration};
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use store::{ServerClaimOutcome, ServerInfo, StoreError};

fn info(port: u16) -> ServerInfo {
    ServerInfo {
        pid: std::process::id(),
        port,
        url: format!("http://localhost:{port}"),
        started_at: "2025-01-15T10:30:00+08:00".to_owned(),
        session_id: "2025-01-15T10-30-00-2".parse().ok(),
        ..ServerInfo::default()
    }
}

fn ours(fixture: &Fixture, port: u16) -> Registration {
    match fixture.decisions.claim_server().unwrap() {
        ServerClaimOutcome::Ours(claim) => claim.register(&info(port)).unwrap(),
        ServerClaimOutcome::AlreadyRunning(other) => panic!("{other:?}"),
    }
}

#[test]
fn a_server_is_seen_as_long_as_it_is_there() {
    let fixture = Fixture::new();
    assert_eq!(fixture.decisions.live_server().unwrap(), None);
    let registration = ours(&fixture, 4000);
    assert_eq!(fixture.decisions.live_server().unwrap(), Some(info(4000)));
    let text = fixture.text("server.json");
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&value["port"], &value["session_id"]), (&4000.into(), &"2025-01-15T10-30-00-2".into()));
    drop(registration);
    assert_eq!(fixture.decisions.live_server().unwrap(), None);
    assert!(!fixture.file("server.json").exists());
}

#[test]
fn a_project_has_one_server_at_a_time() {
    let fixture = Fixture::new();
    let first = ours(&fixture, 4000);
    match fixture.decisions.claim_server().unwrap() {
        ServerClaimOutcome::AlreadyRunning(other) => assert_eq!(other, info(4000)),
        ServerClaimOutcome::Ours(_) => panic!("two servers"),
    }
    assert_eq!(fixture.decisions.live_server().unwrap(), Some(info(4000)));
    drop(first);
    let second = ours(&fixture, 4001);
    assert_eq!(fixture.decisions.live_server().unwrap(), Some(info(4001)));
    drop(second);
    assert!(!fixture.file("server.json").exists());
}

#[test]
fn a_server_whose_file_was_taken_away_leaves_the_next_ones_alone() {
    let fixture = Fixture::new();
    let old = ours(&fixture, 4000);
    fs::remove_file(fixture.file("server.json")).unwrap();
    let new = ours(&fixture, 4001);
    drop(old);
    assert_eq!(fixture.decisions.live_server().unwrap(), Some(info(4001)));
    drop(new);
    assert!(!fixture.file("server.json").exists());
}

#[test]
fn a_file_without_a_holder_is_no_server() {
    let fixture = Fixture::new();
    for text in [r#"{"pid": 1, "port": 3721, "url": "x", "started_at": "y"}"#, "", "{"] {
        fs::write(fixture.file("server.json"), text).unwrap();
        assert_eq!(fixture.decisions.live_server().unwrap(), None, "{text}");
    }
    let _registration = ours(&fixture, 4000);
    assert_eq!(fixture.decisions.live_server().unwrap(), Some(info(4000)));
    // In place, so that the held file itself is broken.
    fs::write(fixture.file("server.json"), "{").unwrap();
    let error = fixture.decisions.live_server().unwrap_err();
    assert!(
        matches!(&error, StoreError::File(FileError::Corrupt { file, .. }) if file == "server.json"),
        "{error:?}"
    );
}

#[test]
fn a_killed_server_is_gone_and_an_ended_one_cleans_up() {
    let fixture = Fixture::new();
    let mut process = Process::start("announce", fixture.root(), "", "");
    assert_eq!(process.line(), "ready");
    let seen = fixture.decisions.live_server().unwrap().unwrap();
    assert_ne!(seen.pid, std::process::id());
    process.kill();
    assert!(fixture.file("server.json").exists());
    assert_eq!(fixture.decisions.live_server().unwrap(), None);
    assert_eq!(fixture.decisions.last_server().map(|server| server.pid), Some(seen.pid));

    let mut process = Process::start("announce", fixture.root(), "", "");
    assert_eq!(process.line(), "ready");
    assert!(fixture.decisions.live_server().unwrap().is_some());
    process.go();
    process.finish();
    assert!(!fixture.file("server.json").exists());
}

#[test]
fn an_address_can_be_left_for_the_next() {
    let fixture = Fixture::new();
    ours(&fixture, 4000).leave_file();
    assert_eq!(fixture.decisions.live_server().unwrap(), None);
    assert_eq!(fixture.decisions.last_server(), Some(info(4000)));
    drop(ours(&fixture, 4001));
    assert_eq!(fixture.decisions.last_server(), None);
}

#[test]
fn what_a_server_says_can_change_and_it_is_there_at_every_moment() {
    const PORTS: std::ops::Range<u16> = 3722..3822;
    let fixture = Fixture::new();
    let mut known = ours(&fixture, 3721);
    // How often the reader has seen another port than before: the changes go on until it was often enough.
    let changes = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut last = 3721;
            while changes.load(Ordering::Relaxed) < 20 {
                let found = fixture.decisions.live_server().unwrap().expect("it was gone for a moment");
                if found.port != last {
                    last = found.port;
                    changes.fetch_add(1, Ordering::Relaxed);
                }
                assert!(matches!(
                    fixture.decisions.claim_server().unwrap(),
                    ServerClaimOutcome::AlreadyRunning(_)
                ));
            }
        });
        while !reader.is_finished() {
            for port in PORTS {
                fixture.decisions.update_server(&mut known, &info(port)).unwrap();
            }
        }
    });
    assert_eq!(fixture.decisions.live_server().unwrap(), Some(info(PORTS.end - 1)));
    drop(known);
    assert_eq!(fixture.decisions.live_server().unwrap(), None);
    assert_eq!(fixture.decisions.last_server(), None);
}

#[test]
fn a_server_of_several_projects_has_a_link_to_each_set() {
    let session = "2025-01-15T10-30-00-2".parse().unwrap();
    let own = info(3721);
    assert_eq!(own.link_to(&session), "http://localhost:3721");
    let several = ServerInfo { room: "0123456789".to_owned(), ..own };
    assert_eq!(several.link_to(&session), "http://localhost:3721/d/0123456789.2025-01-15T10-30-00-2");
}
