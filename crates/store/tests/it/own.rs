//! Sets of questions beside the slot.

use crate::helpers::{Fixture, LONG_AGO, output, questions};
use model::{Answer, AnswerSheet, Ask, Ending, Origin, Questions, SessionId, Via};
use serde_json::{Value, json};
use std::fs;
use store::{Asked, Pending, Place, Published, StoreError};

fn agent() -> Origin {
    let text = str::to_owned;
    Origin::Agent { plan: text("p"), task: text("t"), agent: text("a"), request: text("r") }
}

fn put(fixture: &Fixture, questions: &Questions) -> Pending {
    let key = questions.fingerprint().to_owned();
    match fixture.decisions.put(questions, &key).unwrap() {
        Asked::Anew(pending) => pending,
        asked => panic!("{asked:?}"),
    }
}

fn put_until(fixture: &Fixture, questions: &Questions, deadline: &str) -> Pending {
    let ask = Ask { questions, origin: Origin::Decide, deadline: Some(deadline.to_owned()) };
    fixture.decisions.put(ask, deadline).unwrap().pending()
}

fn decided(chosen: &str) -> Ending {
    Ending::Decided(output(chosen, ""))
}

fn sheet(note: &str) -> AnswerSheet {
    let answer = Answer { id: 1, options: vec![0], note: note.to_owned(), ..Answer::default() };
    AnswerSheet { answers: vec![answer], returned: None }
}

fn open(fixture: &Fixture) -> Vec<SessionId> {
    fixture.decisions.open_sets().unwrap().into_iter().map(|set| set.session).collect()
}

#[test]
fn sets_are_open_beside_each_other_and_end_one_by_one() {
    let fixture = Fixture::new();
    let (slot, first, second) = (questions("slot"), questions("first"), questions("second"));
    let in_slot = fixture.ask(&slot).unwrap();
    let (one, two) = (put(&fixture, &first), put(&fixture, &second));
    assert!(in_slot.session < one.session && one.session < two.session);
    assert_eq!(open(&fixture), [in_slot.session.clone(), one.session.clone(), two.session.clone()]);
    // What takes the place of the slot leaves them alone.
    let next = fixture.ask(&questions("next in the slot")).unwrap();
    assert!(two.session < next.session);
    assert_eq!(open(&fixture), [one.session.clone(), two.session.clone(), next.session.clone()]);

    let (found, asked) = fixture.decisions.set(&one.session).unwrap().unwrap();
    assert_eq!((&found, asked.document()), (&one, first.document()));
    assert_eq!(found.place, Place::Own);
    let mut watch = fixture.decisions.watch(one.session.clone());
    assert_eq!(watch.look().unwrap(), None);
    let published = fixture.decisions.publish(&one, &first, decided("jwt"), Via::Page).unwrap();
    let Published::Won(record) = published else { panic!("{published:?}") };
    assert_eq!(watch.look().unwrap().as_ref(), Some(&record.ending));
    assert_eq!(open(&fixture), [two.session.clone(), next.session.clone()]);
    assert!(fixture.decisions.set(&one.session).unwrap().is_none());
    let late = fixture.decisions.publish(&one, &first, Ending::Cancelled, Via::Terminal).unwrap();
    assert_eq!(late, Published::Lost(record.ending));
    assert!(fixture.decisions.records().unwrap().contains(&one.session));
    // Asked again they are another set, later than all.
    assert!(put(&fixture, &first).session > next.session);
}

#[test]
fn a_key_finds_the_same_set_again_as_long_as_it_is_open() {
    let fixture = Fixture::new();
    let asked = questions("keyed");
    let ask = || Ask { questions: &asked, origin: agent(), deadline: None };
    let Asked::Anew(pending) = fixture.decisions.put(ask(), "key").unwrap() else { panic!("found") };
    assert_eq!(fixture.decisions.put(ask(), "key").unwrap(), Asked::Again(pending.clone()));
    // Whatever it says now: who asks under a key has asked already.
    let again = fixture.decisions.put(&questions("changed"), "key").unwrap();
    assert_eq!(again, Asked::Again(pending.clone()));
    let Asked::Anew(other) = fixture.decisions.put(ask(), "another").unwrap() else { panic!("found") };
    assert!(other.session > pending.session);
    fixture.decisions.publish(&pending, &asked, Ending::Cancelled, Via::Terminal).unwrap();
    assert!(matches!(fixture.decisions.put(ask(), "key").unwrap(), Asked::Anew(_)));
}

#[test]
fn who_asks_and_until_when_is_written_down_and_kept() {
    let fixture = Fixture::new();
    let asked = questions("told");
    let deadline = "2999-01-15T10:30:00+08:00";
    let ask = Ask { questions: &asked, origin: agent(), deadline: Some(deadline.to_owned()) };
    let pending = fixture.decisions.put(ask, "key").unwrap().pending();
    let text = fixture.text(&format!("open/{}.json", pending.session));
    assert!(text.ends_with("}\n") && text.contains("\n  \"task\": \"told\""), "{text}");
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["_meta"]["session_id"], json!(pending.session));
    assert_eq!(file["_meta"]["key"], "key");
    let origin = json!({"asker": "agent", "plan": "p", "task": "t", "agent": "a", "request": "r"});
    assert_eq!((&file["_meta"]["origin"], &file["_meta"]["deadline"]), (&origin, &json!(deadline)));
    assert_eq!(fixture.decisions.set(&pending.session).unwrap().unwrap().0, pending);

    fixture.decisions.publish(&pending, &asked, decided("jwt"), Via::Api).unwrap();
    let record: Value = serde_json::from_str(&fixture.text(&format!("{}.json", pending.session))).unwrap();
    assert_eq!((&record["_meta"]["origin"], &record["_meta"]["deadline"]), (&origin, &json!(deadline)));
    let meta = fixture.decisions.record(&pending.session).unwrap().unwrap().meta.unwrap();
    assert_eq!((meta.origin, meta.deadline.as_deref()), (agent(), Some(deadline)));
    // Of plain questions nothing is said.
    let plain = fixture.ask(&questions("plain")).unwrap();
    let file: Value = serde_json::from_str(&fixture.text("pending.json")).unwrap();
    let names: Vec<_> = file["_meta"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["created_at", "session_id"], "{plain:?}");
}

#[test]
fn drafts_of_several_sets_are_kept_apart_and_go_with_their_set() {
    let fixture = Fixture::new();
    // The same questions in three places.
    let asked = questions("same");
    let slot = fixture.ask(&asked).unwrap();
    let one = fixture.decisions.put(&asked, "one").unwrap().pending();
    let two = fixture.decisions.put(&asked, "two").unwrap().pending();
    for (pending, note) in [(&slot, "slot"), (&one, "one"), (&two, "two")] {
        assert!(fixture.decisions.save_draft(pending, &asked, &sheet(note), Via::Page).unwrap());
    }
    for (pending, note) in [(&slot, "slot"), (&one, "one"), (&two, "two")] {
        assert_eq!(fixture.decisions.draft(pending, &asked), sheet(note));
        assert!(fixture.decisions.draft_saved_at(pending, &asked).is_some());
    }
    fixture.decisions.publish(&one, &asked, Ending::Cancelled, Via::Terminal).unwrap();
    assert_eq!(fixture.decisions.draft(&one, &asked), AnswerSheet::default());
    assert_eq!(fixture.decisions.draft(&two, &asked), sheet("two"));
    // What comes late brings nothing back.
    assert!(fixture.decisions.save_draft(&one, &asked, &sheet("late"), Via::Page).unwrap());
    let open = fixture.file("open");
    let names = crate::helpers::names(&open);
    assert_eq!(names.len(), 2, "{names:?}");
    // Nor of a set that was taken away.
    fs::remove_file(open.join(format!("{}.json", two.session))).unwrap();
    assert!(!fixture.decisions.save_draft(&two, &asked, &sheet("late"), Via::Page).unwrap());
    let late = fixture.decisions.publish(&two, &asked, decided("jwt"), Via::Page).unwrap();
    assert_eq!(late, Published::Lost(Ending::Replaced(None)));
    let mut watch = fixture.decisions.watch(two.session);
    assert_eq!(watch.look().unwrap(), Some(Ending::Replaced(None)));
}

#[test]
fn a_deadline_that_has_passed_is_an_end_and_never_an_answer() {
    let fixture = Fixture::new();
    let asked = questions("late");
    let expired = Ending::Expired(LONG_AGO.to_owned());
    // Whoever answers is too late, although nobody has looked yet.
    let pending = put_until(&fixture, &asked, LONG_AGO);
    let late = fixture.decisions.publish(&pending, &asked, decided("jwt"), Via::Page).unwrap();
    assert_eq!(late, Published::Lost(expired.clone()));
    let record = fixture.decisions.record(&pending.session).unwrap().unwrap();
    assert_eq!((&record.ending, record.completed_at.as_str()), (&expired, LONG_AGO));
    assert_eq!(record.output(), None);
    assert_eq!(record.meta.unwrap().via, Via::Clock);
    let file: Value = serde_json::from_str(&fixture.text(&format!("{}.json", pending.session))).unwrap();
    let names: Vec<_> = file.as_object().unwrap().keys().collect();
    assert_eq!(names, ["input", "expired_at", "completed_at", "_meta"]);
    assert_eq!(file["expired_at"], LONG_AGO);

    // Whoever looks ends it, in the slot as well.
    let ask = Ask { questions: &asked, origin: Origin::Decide, deadline: Some(LONG_AGO.to_owned()) };
    let slot = fixture.decisions.ask(ask).unwrap().pending();
    let mut watch = fixture.decisions.watch(slot.session.clone());
    assert_eq!(watch.look().unwrap(), Some(expired.clone()));
    let pending = put_until(&fixture, &asked, LONG_AGO);
    fixture.decisions.expire_all().unwrap();
    assert_eq!(fixture.decisions.record(&pending.session).unwrap().unwrap().ending, expired);
    assert!(open(&fixture).is_empty());

    // One that is still to come, or is none, changes nothing.
    for deadline in ["2999-01-15T10:30:00+08:00", "tomorrow", ""] {
        let pending = put_until(&fixture, &asked, deadline);
        assert_eq!(fixture.decisions.expire(&pending.session).unwrap(), None, "{deadline}");
        assert_eq!(fixture.decisions.watch(pending.session.clone()).look().unwrap(), None, "{deadline}");
        let published = fixture.decisions.publish(&pending, &asked, decided("jwt"), Via::Page).unwrap();
        assert!(matches!(published, Published::Won(_)), "{deadline}");
    }
}

#[test]
fn what_a_kill_has_left_is_swept_and_what_is_damaged_hides_nothing() {
    let fixture = Fixture::new();
    let asked = questions("left");
    let pending = put(&fixture, &asked);
    let name = format!("open/{}.json", pending.session);
    let bytes = fs::read(fixture.file(&name)).unwrap();
    fixture.decisions.publish(&pending, &asked, decided("jwt"), Via::Page).unwrap();
    // Killed between the record and this.
    fs::write(fixture.file(&name), bytes).unwrap();
    fs::write(fixture.file(&format!("open/{}.draft.json", pending.session)), "{}").unwrap();
    fs::write(fixture.file("open/2020-01-01T00-00-00.draft.json"), "{}").unwrap();
    fs::write(fixture.file("open/2020-01-01T00-00-00.json.tmp"), "{\"ta").unwrap();
    fs::write(fixture.file("open/2020-01-01T00-00-01.json"), "{\"task\":").unwrap();
    fs::write(fixture.file("open/notes.txt"), "mine").unwrap();
    assert!(open(&fixture).is_empty());
    let damaged = fixture.decisions.damaged_sets().unwrap();
    assert_eq!(damaged.len(), 1);
    assert_eq!(damaged[0].0.to_string(), "2020-01-01T00-00-01");
    let next = put(&fixture, &questions("next"));
    let mut names = crate::helpers::names(&fixture.file("open"));
    names.sort();
    assert_eq!(names, ["2020-01-01T00-00-01.json", &format!("{}.json", next.session), "notes.txt"]);
}

#[test]
fn so_many_are_open_and_no_more() {
    let fixture = Fixture::new();
    let first = put(&fixture, &questions("first"));
    let text = fixture.text(&format!("open/{}.json", first.session));
    for number in 1..1000 {
        let session = format!("2020-01-01T00-00-00-{}", number + 1);
        let text = text.replace(&first.session.to_string(), &session).replace("\"key\": \"", "\"key\": \"x");
        fs::write(fixture.file(&format!("open/{session}.json")), text).unwrap();
    }
    let refused = fixture.decisions.put(&questions("one more"), "one more");
    assert!(matches!(refused, Err(StoreError::TooManyOpen { count: 1000 })), "{refused:?}");
    assert_eq!(open(&fixture).len(), 1000);
    // The first is found again, and where one has ended there is room.
    let key = questions("first").fingerprint().to_owned();
    assert!(matches!(fixture.decisions.put(&questions("first"), &key).unwrap(), Asked::Again(_)));
    fixture.decisions.publish(&first, &questions("first"), Ending::Cancelled, Via::Terminal).unwrap();
    assert!(matches!(fixture.decisions.put(&questions("one more"), "one more").unwrap(), Asked::Anew(_)));
}
