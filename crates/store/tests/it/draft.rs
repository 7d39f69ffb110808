//! What a person was typing.

use crate::helpers::{Fixture, SESSION, output, publish, questions};
use model::{Answer, AnswerSheet, Via};
use serde_json::{Value, json};
use std::fs;

fn sheet(note: &str) -> AnswerSheet {
    AnswerSheet {
        answers: vec![Answer { id: 1, options: vec![1], other: "词".to_owned(), note: note.to_owned() }],
    }
}

#[test]
fn a_draft_belongs_to_its_questions() {
    let fixture = Fixture::new();
    let (mine, other) = (questions("mine"), questions("other"));
    assert_eq!(fixture.decisions.draft(&mine), AnswerSheet::default());
    fixture.decisions.save_draft(&SESSION.parse().unwrap(), &mine, &sheet("一"), Via::Page).unwrap();
    fixture.decisions.save_draft(&SESSION.parse().unwrap(), &mine, &sheet("二\n三"), Via::Page).unwrap();
    assert_eq!(fixture.decisions.draft(&mine), sheet("二\n三"));
    assert_eq!(fixture.decisions.draft(&other), AnswerSheet::default());

    let text = fixture.text("draft.json");
    assert!(text.ends_with("}\n"));
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value.as_object().unwrap().keys().collect::<Vec<_>>(), ["questions", "answers", "saved_at"]);
    assert_eq!(value["questions"], mine.fingerprint());
    assert_eq!(value["answers"][0]["options"], json!([1]));
}

#[test]
fn a_draft_is_found_by_the_same_questions_asked_again() {
    let fixture = Fixture::new();
    fixture.ask(&questions("again")).unwrap();
    fixture
        .decisions
        .save_draft(&SESSION.parse().unwrap(), &questions("again"), &sheet("kept"), Via::Page)
        .unwrap();
    fixture.ask(&questions("again")).unwrap();
    assert_eq!(fixture.decisions.draft(&questions("again")), sheet("kept"));
    // Also when they were read back from the disk.
    let document = fixture.pending_document();
    let reread = model::Questions::from_value(Value::Object(document)).unwrap();
    assert_eq!(fixture.decisions.draft(&reread), sheet("kept"));
}

#[test]
fn an_unreadable_draft_is_none_and_gives_way() {
    let fixture = Fixture::new();
    let asked = questions("unreadable");
    for text in ["", "{", "[]", r#"{"questions": 7}"#] {
        fs::write(fixture.file("draft.json"), text).unwrap();
        assert_eq!(fixture.decisions.draft(&asked), AnswerSheet::default(), "{text}");
    }
    fixture.decisions.save_draft(&SESSION.parse().unwrap(), &asked, &sheet("new"), Via::Page).unwrap();
    assert_eq!(fixture.decisions.draft(&asked), sheet("new"));
}

#[test]
fn the_answer_takes_its_draft_away_and_no_other() {
    let fixture = Fixture::new();
    let (asked, other) = (questions("asked"), questions("other"));
    let session = fixture.ask(&asked).unwrap().session;
    fixture.decisions.save_draft(&SESSION.parse().unwrap(), &other, &sheet("other"), Via::Page).unwrap();
    publish(&fixture.decisions, &session, &asked, output("jwt", ""), Via::Form).unwrap();
    assert_eq!(fixture.decisions.draft(&other), sheet("other"));

    let session = fixture.ask(&asked).unwrap().session;
    fixture.decisions.save_draft(&SESSION.parse().unwrap(), &asked, &sheet("mine"), Via::Page).unwrap();
    publish(&fixture.decisions, &session, &asked, output("jwt", ""), Via::Form).unwrap();
    assert!(!fixture.file("draft.json").exists());

    // Who types on does not bring it back.
    fixture.decisions.save_draft(&session, &asked, &sheet("late"), Via::Page).unwrap();
    assert!(!fixture.file("draft.json").exists());
}
