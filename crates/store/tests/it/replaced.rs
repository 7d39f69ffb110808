//! Open questions that make room for others: no asker is left without a word.

use crate::helpers::{Fixture, draft, output, publish, questions, slot};
use model::{Answer, AnswerSheet, Ending, Via};
use serde_json::{Value, json};
use std::fs;
use store::{AskOutcome, PendingSet, PublishOutcome};

/// Leaves what a process killed while replacing `pending` leaves.
fn leave_record(fixture: &Fixture, pending: &PendingSet) {
    let left = json!({
        "input": questions("open").document(),
        "replaced_by": "2999-01-01T00-00-00",
        "completed_at": "2025-01-15T10:30:00+08:00",
    });
    fs::write(fixture.file(&format!("{}.json", pending.session)), left.to_string()).unwrap();
}

fn sheet() -> AnswerSheet {
    let answers = vec![Answer { id: 1, options: vec![1], ..Answer::default() }];
    AnswerSheet { answers, ..AnswerSheet::default() }
}

#[test]
fn they_leave_a_record() {
    let fixture = Fixture::new();
    let (first, second) = (questions("which database"), questions("may I drop tables"));
    let replaced = fixture.ask(&first).unwrap();
    fixture.ask(&second).unwrap();
    let by = fixture.decisions.pending().unwrap().unwrap();
    assert_eq!((&*by.task, &*replaced.task), ("may I drop tables", "which database"));

    let file: Value = serde_json::from_str(&fixture.text(&format!("{}.json", replaced.session))).unwrap();
    let names: Vec<_> = file.as_object().unwrap().keys().collect();
    assert_eq!(names, ["input", "replaced_by", "completed_at", "_meta"]);
    assert_eq!(file["replaced_by"], json!(by.session));
    assert_eq!(file["input"]["task"], "which database");
    assert_eq!(file["_meta"]["session_id"], json!(replaced.session));

    assert_eq!(fixture.decisions.records().unwrap(), std::slice::from_ref(&replaced.session));
    let record = fixture.decisions.record(&replaced.session).unwrap().unwrap();
    assert_eq!((record.task(), record.output()), ("which database", None));
    let ending = Ending::Replaced(Some(by.session));
    assert_eq!(record.ending, ending);
    // Nothing can answer them, nor keep a draft of them.
    let late = publish(&fixture.decisions, &replaced.session, &first, output("jwt", ""), Via::Page);
    assert_eq!(late.unwrap(), PublishOutcome::Lost(ending));
    assert!(!fixture.decisions.save_draft(&slot(&replaced.session), &first, &sheet(), Via::Page).unwrap());
}

/// The record comes before the new questions.
#[test]
fn a_record_alone_replaces_nothing() {
    let fixture = Fixture::new();
    let asked = questions("open");
    let pending = fixture.ask(&asked).unwrap();
    leave_record(&fixture, &pending);
    let mut watch = fixture.decisions.watch(pending.session.clone());
    assert_eq!(watch.look().unwrap(), None);
    assert_eq!(fixture.decisions.record(&pending.session).unwrap(), None);
    assert!(fixture.decisions.records().unwrap().is_empty());
    assert_eq!(fixture.decisions.ask(&asked).unwrap(), AskOutcome::Again(pending.clone()));
    assert!(fixture.decisions.save_draft(&slot(&pending.session), &asked, &sheet(), Via::Page).unwrap());
    assert_eq!(draft(&fixture.decisions, &asked).answers, sheet().answers);

    let won = publish(&fixture.decisions, &pending.session, &asked, output("jwt", ""), Via::Page).unwrap();
    let PublishOutcome::Won(record) = won else { panic!("{won:?}") };
    assert_eq!(watch.look().unwrap(), Some(record.ending));
}

#[test]
fn what_a_kill_has_left_is_replaced_by_the_next_record() {
    let fixture = Fixture::new();
    let pending = fixture.ask(&questions("open")).unwrap();
    leave_record(&fixture, &pending);
    let next = fixture.ask(&questions("next")).unwrap();
    let record = fixture.decisions.record(&pending.session).unwrap().unwrap();
    assert_eq!(record.ending, Ending::Replaced(Some(next.session)));
}

/// An answer is not replaced by anything.
#[test]
fn answered_questions_are_not_replaced() {
    let fixture = Fixture::new();
    let asked = questions("answered");
    let pending = fixture.ask(&asked).unwrap();
    publish(&fixture.decisions, &pending.session, &asked, output("jwt", ""), Via::Page).unwrap();
    let before = fixture.text(&format!("{}.json", pending.session));
    assert!(matches!(fixture.decisions.ask(&questions("next")).unwrap(), AskOutcome::Anew(_)));
    assert_eq!(fixture.text(&format!("{}.json", pending.session)), before);
}
