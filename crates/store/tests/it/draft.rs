//! What a person was typing.

use crate::helpers::{Fixture, SESSION, draft, output, parse, publish, questions, slot};
use model::{Answer, AnswerSheet, Returned, Via};
use serde_json::{Value, json};
use std::fs;

fn sheet(note: &str) -> AnswerSheet {
    AnswerSheet {
        answers: vec![Answer { id: 1, options: vec![1], other: "词".to_owned(), note: note.to_owned() }],
        returned: Some(Returned { message: "理由".to_owned(), items: vec![1] }),
    }
}

#[test]
fn a_draft_belongs_to_its_questions() {
    let fixture = Fixture::new();
    let (mine, other) = (questions("mine"), questions("other"));
    assert_eq!(draft(&fixture.decisions, &mine), AnswerSheet::default());
    fixture.decisions.save_draft(&slot(SESSION), &mine, &sheet("一"), Via::Page).unwrap();
    fixture.decisions.save_draft(&slot(SESSION), &mine, &sheet("二\n三"), Via::Page).unwrap();
    assert_eq!(draft(&fixture.decisions, &mine), sheet("二\n三"));
    assert_eq!(draft(&fixture.decisions, &other), AnswerSheet::default());

    let text = fixture.text("draft.json");
    assert!(text.ends_with("}\n"));
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        value.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["questions", "answers", "returned", "saved_at"]
    );
    assert_eq!(value["questions"], mine.fingerprint());
    assert_eq!(value["answers"][0]["options"], json!([1]));
}

#[test]
fn a_draft_is_found_by_the_same_questions_asked_again() {
    let fixture = Fixture::new();
    fixture.ask(&questions("again")).unwrap();
    fixture.decisions.save_draft(&slot(SESSION), &questions("again"), &sheet("kept"), Via::Page).unwrap();
    fixture.ask(&questions("again")).unwrap();
    assert_eq!(draft(&fixture.decisions, &questions("again")), sheet("kept"));
    // Also when they were read back from the disk.
    let document = fixture.pending_document();
    let reread = model::Questions::from_value(Value::Object(document)).unwrap();
    assert_eq!(draft(&fixture.decisions, &reread), sheet("kept"));
}

#[test]
fn an_unreadable_draft_is_none_and_gives_way() {
    let fixture = Fixture::new();
    let asked = questions("unreadable");
    for text in ["", "{", "[]", r#"{"questions": 7}"#] {
        fs::write(fixture.file("draft.json"), text).unwrap();
        assert_eq!(draft(&fixture.decisions, &asked), AnswerSheet::default(), "{text}");
    }
    fixture.decisions.save_draft(&slot(SESSION), &asked, &sheet("new"), Via::Page).unwrap();
    assert_eq!(draft(&fixture.decisions, &asked), sheet("new"));
}

#[test]
fn the_answer_takes_its_draft_away_and_no_other() {
    let fixture = Fixture::new();
    let (asked, other) = (questions("asked"), questions("other"));
    let session = fixture.ask(&asked).unwrap().session;
    fixture.decisions.save_draft(&slot(SESSION), &other, &sheet("other"), Via::Page).unwrap();
    publish(&fixture.decisions, &session, &asked, output("jwt", ""), Via::Form).unwrap();
    assert_eq!(draft(&fixture.decisions, &other), sheet("other"));

    let session = fixture.ask(&asked).unwrap().session;
    fixture.decisions.save_draft(&slot(SESSION), &asked, &sheet("mine"), Via::Page).unwrap();
    publish(&fixture.decisions, &session, &asked, output("jwt", ""), Via::Form).unwrap();
    assert!(!fixture.file("draft.json").exists());

    // Who types on does not bring it back.
    fixture.decisions.save_draft(&slot(&session), &asked, &sheet("late"), Via::Page).unwrap();
    assert!(!fixture.file("draft.json").exists());
}

fn item(id: u64, title: &str) -> Value {
    json!({"id": id, "title": title, "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]})
}

fn set(task: &str, items: &[Value]) -> model::Questions {
    parse(&json!({"task": task, "source": "s", "items": items}))
}

fn noted(id: u64, note: &str) -> Answer {
    Answer { id, options: vec![1], note: note.to_owned(), ..Answer::default() }
}

fn given(answers: Vec<Answer>) -> AnswerSheet {
    AnswerSheet { answers, ..AnswerSheet::default() }
}

/// Two tabs, or a tab and a terminal, each say what was changed there.
#[test]
fn one_door_does_not_undo_what_another_has_kept() {
    let fixture = Fixture::new();
    let asked = set("t", &[item(1, "one"), item(2, "two"), item(3, "three")]);
    let session = fixture.ask(&asked).unwrap().session;
    let save = |sheet: AnswerSheet, via| {
        assert!(fixture.decisions.save_draft(&slot(&session), &asked, &sheet, via).unwrap());
    };
    save(given(vec![noted(3, "third"), noted(1, "first")]), Via::Page);
    let reason = Some(Returned { message: "why".to_owned(), items: vec![2] });
    save(AnswerSheet { answers: vec![noted(2, "second")], returned: reason.clone() }, Via::Terminal);
    // What no item asks for is not kept; what was cleared goes.
    save(given(vec![noted(9, "stray"), Answer { id: 1, ..Answer::default() }]), Via::Page);
    let kept = AnswerSheet { answers: vec![noted(2, "second"), noted(3, "third")], returned: reason };
    assert_eq!(draft(&fixture.decisions, &asked), kept);
    save(AnswerSheet { returned: Some(Returned::default()), ..AnswerSheet::default() }, Via::Page);
    assert_eq!(draft(&fixture.decisions, &asked), given(kept.answers));
}

#[test]
fn what_was_given_for_an_item_outlasts_changes_of_others_and_of_the_order_of_keys() {
    let fixture = Fixture::new();
    let first = set("t", &[item(1, "one"), item(2, "two")]);
    let session = fixture.ask(&first).unwrap().session;
    let sheet = given(vec![noted(1, "first"), noted(2, "second")]);
    assert!(fixture.decisions.save_draft(&slot(&session), &first, &sheet, Via::Page).unwrap());

    let shuffled = r#"{"source":"s","items":[
        {"options":[{"label":"A","value":"a"},{"label":"B","value":"b"}],"title":"one","id":1},
        {"title":"two","id":2,"options":[{"value":"a","label":"A"},{"value":"b","label":"B"}]}],"task":"t"}"#;
    let shuffled = model::Questions::parse(shuffled.as_bytes()).unwrap();
    assert_eq!(fixture.ask(&shuffled).unwrap().session, session);
    assert_eq!(draft(&fixture.decisions, &shuffled), sheet);

    // The second one is asked in other words, and one is new: only the first still means what was answered.
    let second = set("t", &[item(3, "three"), item(2, "two?"), item(1, "one")]);
    let session = fixture.ask(&second).unwrap().session;
    assert_eq!(draft(&fixture.decisions, &second), given(vec![noted(1, "first")]));
    assert!(
        fixture
            .decisions
            .save_draft(&slot(&session), &second, &given(vec![noted(3, "third")]), Via::Page)
            .unwrap()
    );
    assert_eq!(draft(&fixture.decisions, &second), given(vec![noted(3, "third"), noted(1, "first")]));

    // The same words in another task are another question.
    let other = set("another task", &[item(1, "one")]);
    assert_eq!(draft(&fixture.decisions, &other), AnswerSheet::default());
}

#[test]
fn a_draft_of_replaced_questions_does_not_take_the_place_of_a_newer_one() {
    let fixture = Fixture::new();
    let (earlier, later) = (set("earlier", &[item(1, "one")]), set("later", &[item(1, "one")]));
    let replaced = fixture.ask(&earlier).unwrap().session;
    let session = fixture.ask(&later).unwrap().session;
    assert!(
        fixture
            .decisions
            .save_draft(&slot(&session), &later, &given(vec![noted(1, "new")]), Via::Page)
            .unwrap()
    );
    assert!(
        !fixture
            .decisions
            .save_draft(&slot(&replaced), &earlier, &given(vec![noted(1, "late")]), Via::Page)
            .unwrap()
    );
    assert_eq!(draft(&fixture.decisions, &later), given(vec![noted(1, "new")]));
}
