//! Kills, full disks: what was said to be there is there, and whole.

use crate::child::Process;
use crate::helpers::{Fixture, large_questions, questions};
use model::SessionId;
use std::fs;
use std::time::{Duration, Instant};

const KILLS: u64 = 200;

#[test]
fn two_hundred_kills_leave_whole_files() {
    let fixture = Fixture::new();
    let mut died_writing = 0;
    for kill in 0..KILLS {
        let mut process = Process::start("write", fixture.root(), &kill.to_string(), "");
        assert_eq!(process.line(), "ready");
        watch(&fixture, kill);
        process.kill();
        died_writing += u64::from(is_writing(&fixture));
        check_pending(&fixture, kill);
        check_and_clear_records(&fixture);
    }
    assert!(died_writing > KILLS / 20, "{died_writing} kills hit a write: the test proves little");
}

/// Lets a child live for another time in each turn, or until it is in the middle of a write. Meanwhile nobody ever sees
/// half a file.
fn watch(fixture: &Fixture, kill: u64) {
    let end = Instant::now() + Duration::from_micros(kill * 7919 % 19_997);
    while Instant::now() < end && !(kill % 2 == 1 && is_writing(fixture)) {
        let seen = fs::read(fixture.file("pending.json")).unwrap();
        assert!(seen.starts_with(b"{") && seen.ends_with(b"\n}\n"), "{} bytes", seen.len());
    }
}

fn is_writing(fixture: &Fixture) -> bool {
    fixture.names().iter().any(|name| name.ends_with(".tmp"))
}

/// Whatever is pending is one of the documents this child wrote, to the last byte; and asking goes on.
fn check_pending(fixture: &Fixture, kill: u64) {
    let pending = fixture.decisions.pending().unwrap().unwrap();
    let (small, large) = (format!("small {kill}"), format!("large {kill}"));
    let document = fixture.pending_document();
    let written = match document["task"].as_str().unwrap() {
        task if task == small => questions(task),
        task if task == large => large_questions(task),
        task => panic!("{task}"),
    };
    assert_eq!(&document, written.document());

    let next = fixture.ask(&questions("next")).unwrap();
    assert!(next.session > pending.session);
    assert_eq!(fixture.decisions.pending().unwrap(), Some(next));
}

fn check_and_clear_records(fixture: &Fixture) {
    for name in fixture.names() {
        let Some(id) = name.strip_suffix(".json").and_then(|id| id.parse::<SessionId>().ok()) else {
            continue;
        };
        let record = fixture.decisions.record(&id).unwrap().unwrap();
        assert!(record.input["task"].as_str().unwrap().starts_with("small"));
        assert_eq!(record.output().unwrap().decisions.len(), 1);
        fs::remove_file(fixture.file(&name)).unwrap();
    }
}

#[test]
fn a_failed_write_leaves_the_old_file_and_no_other() {
    let fixture = Fixture::new();
    fixture.ask(&questions("old")).unwrap();
    let before = (fixture.names(), fixture.text("pending.json"));
    // 16 blocks of 512 bytes, or of 1024: less than the large document in both cases.
    let setup = "trap '' XFSZ; ulimit -f 16";
    let lines = Process::start("overflow", fixture.root(), "", setup).finish();
    assert_eq!(lines, ["file too large"]);
    assert_eq!((fixture.names(), fixture.text("pending.json")), before);
}

#[test]
fn a_left_over_temporary_file_is_cleared_away() {
    let fixture = Fixture::new();
    fs::write(fixture.file("pending.json.tmp"), "half a doc").unwrap();
    fixture.ask(&questions("whole")).unwrap();
    assert_eq!(fixture.names(), [".lock", "pending.json"]);
    assert_eq!(fixture.pending_document()["task"], "whole");
}

#[test]
fn half_a_record_of_replaced_questions_is_cleared_away() {
    let fixture = Fixture::new();
    let replaced = fixture.ask(&questions("replaced")).unwrap();
    fs::write(fixture.file(&format!("{}.json.tmp", replaced.session)), "half a rec").unwrap();
    // Neither the file of somebody else nor what cannot be removed is in the way.
    fs::write(fixture.file("notes.tmp"), "mine").unwrap();
    fs::create_dir(fixture.file("folder.json.tmp")).unwrap();
    fixture.ask(&questions("next")).unwrap();
    assert_eq!(fixture.names(), [".lock", "folder.json.tmp", "notes.tmp", "pending.json"]);
}

#[test]
fn the_lock_may_be_deleted_by_others() {
    let fixture = Fixture::new();
    fixture.ask(&questions("one")).unwrap();
    fs::remove_file(fixture.file(".lock")).unwrap();
    fixture.ask(&questions("two")).unwrap();
    assert!(fixture.file(".lock").is_file());
}
