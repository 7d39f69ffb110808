//! Kills, full disks: what was said to be there is there, and whole.

use crate::child::Process;
use crate::helpers::{
    Fixture, LONG_AGO, answered_with_files, draft, factor, large_questions, names, output, questions,
    with_files,
};
use model::{Ending, SessionId, Via};
use std::fs;

const KILLS: u64 = 200;

#[test]
fn kills_leave_whole_files_and_every_answer() {
    // In memory a child comes far in a short time; on a disk it spends its life writing.
    let (memory, disk) = (Fixture::in_memory(), Fixture::new());
    let mut died_writing = 0;
    let kills = KILLS * factor();
    let (mut answered, mut drafted) = (0, 0);
    for kill in 0..kills {
        let (fixture, lines) = if kill % 2 == 0 { (&memory, kill % 29) } else { (&disk, kill % 3) };
        let mut process = Process::start("write", fixture.root(), &kill.to_string(), "");
        assert_eq!(process.line(), "ready");
        let mut said = watch(fixture, &mut process, kill, lines);
        said.extend(process.kill());
        died_writing += u64::from(is_writing(fixture));
        drafted += check_draft(fixture, kill, &said);
        check_pending(fixture, kill, &said);
        answered += check_and_clear_records(fixture, &said);
    }
    // Else the test proves little.
    assert!(died_writing > kills / 20, "{died_writing} kills hit a write");
    assert!(answered > kills / 4 && drafted > kills / 20, "{answered} answers, {drafted} drafts");
}

/// Lets a child come further in each turn, every other time into the middle of a write. Meanwhile no reader ever sees
/// half a file. Returns the child's output.
fn watch(fixture: &Fixture, process: &mut Process, kill: u64, lines: u64) -> Vec<String> {
    let whole = || {
        let seen = fs::read(fixture.file("pending.json")).unwrap();
        assert!(seen.starts_with(b"{") && seen.ends_with(b"\n}\n"), "{} bytes", seen.len());
    };
    let mut said = Vec::new();
    for _ in 0..lines {
        said.push(process.line());
        whole();
    }
    while kill % 2 == 1 && !is_writing(fixture) {
        whole();
    }
    said
}

fn is_writing(fixture: &Fixture) -> bool {
    fixture.names().iter().any(|name| name.ends_with(".tmp"))
}

/// Whatever is pending is one of the documents this child wrote, to the last byte; and asking goes on.
fn check_pending(fixture: &Fixture, kill: u64, said: &[String]) {
    let pending = fixture.decisions.pending().unwrap().unwrap();
    if let Some(asked) = said.iter().rev().find_map(|line| line.strip_prefix("asked ")) {
        let (session, task) = asked.split_once(' ').unwrap();
        let session: SessionId = session.parse().unwrap();
        // What was asked last, or what was about to take its place.
        let same = pending.session == session && fixture.pending_document()["task"] == task;
        assert!(same || pending.session > session && fixture.pending_document()["task"] != task, "{asked}");
    }
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

/// Every answer that was acknowledged is there as it was given, and no other that was not begun. How many there were.
fn check_and_clear_records(fixture: &Fixture, said: &[String]) -> u64 {
    let words = |word: &'static str| said.iter().filter_map(move |line| line.strip_prefix(word));
    let mut answered = 0;
    for line in words("answered ") {
        let (session, note) = line.split_once(' ').unwrap();
        let record = fixture.decisions.record(&session.parse().unwrap()).unwrap().unwrap();
        assert_eq!(record.output(), Some(&output("jwt", note)));
        answered += 1;
    }
    for name in fixture.names() {
        let Some(id) = name.strip_suffix(".json").and_then(|id| id.parse::<SessionId>().ok()) else {
            continue;
        };
        let Some(record) = fixture.decisions.record(&id).unwrap() else {
            // A kill came before the questions that were to take the place of these.
            assert_eq!(fixture.decisions.pending().unwrap().unwrap().session, id);
            continue;
        };
        if let Ending::Replaced(Some(by)) = &record.ending {
            assert!(*by > id && *by <= fixture.decisions.pending().unwrap().unwrap().session);
            fs::remove_file(fixture.file(&name)).unwrap();
            continue;
        }
        assert!(record.input["task"].as_str().unwrap().starts_with("small"));
        let note = record.output().unwrap().decisions[0].note.as_deref().unwrap();
        let begun = format!("{id} {note}");
        assert!(words("answering ").any(|line| line == begun), "nobody answered {begun}");
        fs::remove_file(fixture.file(&name)).unwrap();
    }
    answered
}

/// What was typed last is there, unless the child was about to change that. Counts those that had to be there.
fn check_draft(fixture: &Fixture, kill: u64, said: &[String]) -> u64 {
    let Some(last) = said.iter().rev().find(|line| !line.starts_with("asked ")) else { return 0 };
    let Some(note) = last.strip_prefix("drafted ") else { return 0 };
    let questions = match note.starts_with("large") {
        true => large_questions(&format!("large {kill}")),
        false => questions(&format!("small {kill}")),
    };
    assert_eq!(draft(&fixture.decisions, &questions).answers[0].note, note);
    1
}

#[test]
fn kills_leave_every_set_beside_the_slot_open_or_ended_as_was_said() {
    const KILLS: u64 = 500;
    let (memory, disk) = (Fixture::in_memory(), Fixture::new());
    let (mut died_writing, mut acknowledged) = (0, 0);
    let kills = KILLS * factor();
    for kill in 0..kills {
        let (fixture, lines) = if kill % 2 == 0 { (&memory, kill % 37) } else { (&disk, kill % 7) };
        let mut process = Process::start("queue", fixture.root(), &kill.to_string(), "");
        assert_eq!(process.line(), "ready");
        let mut said: Vec<_> = (0..lines).map(|_| process.line()).collect();
        if kill % 2 == 1 {
            while !is_writing_own(fixture) {}
        }
        said.extend(process.kill());
        died_writing += u64::from(is_writing_own(fixture));
        acknowledged += check_and_clear_own(fixture, &said);
    }
    // Else the test proves little.
    assert!(died_writing > kills / 20, "{died_writing} kills hit a write");
    assert!(acknowledged > kills, "{acknowledged} words");
}

fn is_writing_own(fixture: &Fixture) -> bool {
    let open = fixture.file("open");
    is_writing(fixture) || open.exists() && names(&open).iter().any(|name| name.ends_with(".tmp"))
}

/// What was said to be open, typed or ended is, and nothing else. How much was said.
fn check_and_clear_own(fixture: &Fixture, said: &[String]) -> u64 {
    let decisions = &fixture.decisions;
    let words = |word: &'static str| said.iter().filter_map(move |line| line.strip_prefix(word));
    let has =
        |word: &'static str, session: &str| words(word).any(|line| line.split(' ').next() == Some(session));
    assert!(decisions.damaged_sets().unwrap().is_empty());
    let open = decisions.open_sets().unwrap();
    let mut count = 0;
    for line in words("put ") {
        count += 1;
        let (session, task) = line.split_once(' ').unwrap();
        let id = session.parse().unwrap();
        let record = decisions.record(&id).unwrap();
        let attached = decisions.attachments(&id).unwrap();
        if has("attached ", session) {
            // It is there as a whole, whatever came later.
            assert_eq!(fs::read_to_string(fixture.file(&format!("files/{id}/2/a.txt"))).unwrap(), *task);
            assert_eq!((attached[&2].len(), attached[&2][0].size), (1, task.len() as u64));
        }
        if has("answered ", session) {
            assert_eq!(record.unwrap().ending, answered_with_files(task, &attached));
            continue;
        }
        if has("expired ", session) {
            assert_eq!(record.unwrap().ending, Ending::Expired(LONG_AGO.to_owned()));
            continue;
        }
        match record.map(|record| record.ending) {
            None => assert!(open.iter().any(|set| set.session == id), "neither open nor ended: {line}"),
            Some(Ending::Expired(_)) => assert!(!has("drafted ", session)),
            Some(ending) => {
                assert!(has("answering ", session), "answered by nobody: {ending:?}");
                assert_eq!(ending, answered_with_files(task, &attached));
            }
        }
        if has("drafted ", session)
            && !has("answering ", session)
            && let Some((pending, asked)) = decisions.set(&id).unwrap()
        {
            assert_eq!(asked.document(), with_files(task).document());
            assert_eq!(decisions.draft(&pending, &asked).answers[0].note, task);
        }
    }
    for set in &open {
        assert!(words("putting ").any(|task| task == set.task), "asked by nobody: {set:?}");
        let (pending, asked) = decisions.set(&set.session).unwrap().unwrap();
        decisions.publish(&pending, &asked, Ending::Cancelled, Via::Terminal).unwrap();
    }
    // What goes on leaves nothing of the kill.
    let next = decisions.put(&questions("next"), "next").unwrap().pending();
    let left = [format!("{}.json", next.session)];
    assert_eq!(names(&fixture.file("open")), left);
    decisions.publish(&next, &questions("next"), Ending::Cancelled, Via::Terminal).unwrap();
    for session in decisions.records().unwrap().into_iter().filter(|session| *session != next.session) {
        fs::remove_file(fixture.file(&format!("{session}.json"))).unwrap();
        let _ = fs::remove_dir_all(fixture.file(&format!("files/{session}")));
    }
    count
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
    let record = format!("{}.json", replaced.session);
    fs::write(fixture.file(&format!("{record}.tmp")), "half a rec").unwrap();
    // Neither a foreign file nor one that cannot be removed is in the way.
    fs::write(fixture.file("notes.tmp"), "mine").unwrap();
    fs::create_dir(fixture.file("folder.json.tmp")).unwrap();
    fixture.ask(&questions("next")).unwrap();
    assert_eq!(fixture.names(), [".lock", &record, "folder.json.tmp", "notes.tmp", "pending.json"]);
}

#[test]
fn the_lock_may_be_deleted_by_others() {
    let fixture = Fixture::new();
    fixture.ask(&questions("one")).unwrap();
    fs::remove_file(fixture.file(".lock")).unwrap();
    fixture.ask(&questions("two")).unwrap();
    assert!(fixture.file(".lock").is_file());
}
