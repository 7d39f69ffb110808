//! Which records go, and that they are gone.

use crate::helpers::{Fixture, output, publish, questions};
use files::FileError;
use model::{Ending, SessionId, Via};
use std::fs;
use std::time::Duration;
use store::{PendingSet, Retention, StoreError};

const HOUR: Duration = Duration::from_secs(3600);

/// Records of questions that ended so many hours ago, the latest first, and then a set that was asked last.
fn ended(fixture: &Fixture, hours: &[u64]) -> Vec<SessionId> {
    let mut sessions = Vec::new();
    for hours in hours.iter().rev() {
        let asked = questions(&format!("{hours} hours ago"));
        let session = fixture.ask(&asked).unwrap().session;
        publish(&fixture.decisions, &session, &asked, output("jwt", ""), Via::Page).unwrap();
        let file = fixture.file(&format!("{session}.json"));
        let mut record: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let completed = chrono::Local::now() - Duration::from_secs(hours * 3600);
        record["completed_at"] = completed.to_rfc3339().into();
        fs::write(file, record.to_string()).unwrap();
        sessions.insert(0, session);
    }
    fixture.ask(&questions("asked last")).unwrap();
    sessions
}

fn removable(fixture: &Fixture, keep: Option<usize>, older_than: Option<Duration>) -> Vec<SessionId> {
    fixture.decisions.removable(Retention { keep, older_than }).unwrap()
}

#[test]
fn a_record_goes_when_neither_number_nor_age_keeps_it() {
    let fixture = Fixture::new();
    let sessions = ended(&fixture, &[1, 5, 30, 50]);
    assert_eq!(removable(&fixture, Some(1), None), sessions[1..]);
    assert_eq!(removable(&fixture, Some(9), None), []);
    assert_eq!(removable(&fixture, None, Some(HOUR * 24)), sessions[2..]);
    assert_eq!(removable(&fixture, Some(3), Some(HOUR * 24)), sessions[3..]);
    assert_eq!(removable(&fixture, Some(0), Some(HOUR * 24)), sessions[2..]);
    assert_eq!(removable(&fixture, Some(0), None), sessions);
    assert_eq!(removable(&fixture, None, Some(HOUR * 100)), []);
}

#[test]
fn the_newest_set_and_the_newest_that_was_not_queued_stay() {
    let fixture = Fixture::new();
    let asked = questions("queued");
    let queue = |key| fixture.decisions.put(&asked, key).unwrap().pending();
    let answer = |pending: PendingSet| {
        let ending = Ending::Decided(output("jwt", ""));
        fixture.decisions.publish(&pending, &asked, ending, Via::Page).unwrap();
        pending.session
    };
    let [older, newer] = ["1", "2"].map(queue).map(answer);
    assert_eq!(
        removable(&fixture, Some(0), None),
        std::slice::from_ref(&older),
        "nothing was asked but in the queue"
    );
    let slot = answer(fixture.ask(&asked).unwrap());
    let newest = answer(queue("3"));
    assert_eq!(removable(&fixture, Some(0), None), [newer.clone(), older.clone()]);
    let all = [&older, &newer, &slot, &newest].map(Clone::clone);
    let mut before = Vec::new();
    let mut removed = fixture.decisions.remove_records(&all, &mut |done| before.push(done)).unwrap();
    // How far it is, one after the other, and that it is done.
    assert!(before.is_sorted() && before.len() > removed.len());
    assert_eq!(before.last(), Some(&all.len()));
    removed.sort_unstable();
    assert_eq!(removed, [older, newer]);
    // What is open is newer than all that has ended.
    queue("4");
    assert_eq!(removable(&fixture, Some(0), None), [newest]);
}

#[test]
fn what_is_removed_is_gone_with_its_left_overs() {
    let fixture = Fixture::new();
    let sessions = ended(&fixture, &[1, 2, 3]);
    let left_over = format!("{}.json.tmp", sessions[1]);
    fs::write(fixture.file(&left_over), "half").unwrap();
    let pending = fixture.text("pending.json");
    let twice = [&sessions[1..], &sessions[1..2]].concat();
    assert_eq!(
        fixture.decisions.remove_records(&twice, &mut |_| {}).unwrap(),
        sessions[1..],
        "each is counted once"
    );
    assert_eq!(fixture.decisions.records().unwrap(), sessions[..1]);
    assert!(!fixture.names().contains(&left_over));
    assert_eq!(fixture.text("pending.json"), pending);
}

#[test]
fn the_questions_asked_last_stay_ended_or_not() {
    let fixture = Fixture::new();
    let asked = questions("last");
    let session = fixture.ask(&asked).unwrap().session;
    assert_eq!(removable(&fixture, Some(0), None), []);
    publish(&fixture.decisions, &session, &asked, output("jwt", ""), Via::Page).unwrap();
    assert_eq!(removable(&fixture, Some(0), None), []);
    assert_eq!(fixture.decisions.remove_records(std::slice::from_ref(&session), &mut |_| {}).unwrap(), []);
    assert!(fixture.decisions.record(&session).unwrap().is_some());
}

#[test]
fn without_knowing_what_was_asked_last_nothing_is_removed() {
    let fixture = Fixture::new();
    let sessions = ended(&fixture, &[1]);
    fs::write(fixture.file("pending.json"), "{").unwrap();
    let all = Retention { keep: Some(0), older_than: None };
    assert!(matches!(fixture.decisions.removable(all), Err(StoreError::File(FileError::Corrupt { .. }))));
    assert!(matches!(
        fixture.decisions.remove_records(&sessions, &mut |_| {}),
        Err(StoreError::File(FileError::Corrupt { .. }))
    ));
    assert_eq!(fixture.decisions.records().unwrap(), sessions);
}

#[test]
fn an_unreadable_record_is_as_old_as_its_name() {
    let fixture = Fixture::new();
    fs::write(fixture.file("2025-01-15T10-30-00-2.json"), "{").unwrap();
    fs::write(fixture.file("2999-01-15T10-30-00.json"), "{").unwrap();
    // No record at all: a folder is nothing to remove.
    fs::create_dir(fixture.file("2025-01-14T10-30-00.json")).unwrap();
    let old: SessionId = "2025-01-15T10-30-00-2".parse().unwrap();
    assert_eq!(removable(&fixture, None, Some(HOUR)), [old]);
    let folder: SessionId = "2025-01-14T10-30-00".parse().unwrap();
    assert_eq!(fixture.decisions.remove_records(&[folder], &mut |_| {}).unwrap(), []);
}
