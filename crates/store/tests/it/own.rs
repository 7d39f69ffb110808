//! Sets of questions beside the slot.

use crate::helpers::{Fixture, LONG_AGO, output, questions};
use model::{
    Answer, AnswerSheet, Ask, DecideOutput, Ending, Origin, Questions, Remainder, Returned, SessionId, Via,
};
use serde_json::{Value, json};
use std::fs;
use std::thread;
use std::time::Duration;
use store::{
    AmendOutcome, AskOnceOutcome, AskOutcome, Delivery, PendingSet, Place, PublishOutcome, Receipt,
    StoreError,
};

fn agent() -> Origin {
    let text = str::to_owned;
    Origin::Agent { plan: text("p"), task: text("t"), agent: text("a"), request: text("r") }
}

fn put(fixture: &Fixture, questions: &Questions) -> PendingSet {
    let key = questions.fingerprint().to_owned();
    match fixture.decisions.put(questions, &key).unwrap() {
        AskOutcome::Anew(pending) => pending,
        asked => panic!("{asked:?}"),
    }
}

fn put_until(fixture: &Fixture, questions: &Questions, deadline: &str) -> PendingSet {
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
    let PublishOutcome::Won(record) = published else { panic!("{published:?}") };
    assert_eq!(watch.look().unwrap().as_ref(), Some(&record.ending));
    assert_eq!(open(&fixture), [two.session.clone(), next.session.clone()]);
    assert!(fixture.decisions.set(&one.session).unwrap().is_none());
    let late = fixture.decisions.publish(&one, &first, Ending::Cancelled, Via::Terminal).unwrap();
    assert_eq!(late, PublishOutcome::Lost(record.ending));
    assert!(fixture.decisions.records().unwrap().contains(&one.session));
    // Asked again they are another set, later than all.
    assert!(put(&fixture, &first).session > next.session);
}

#[test]
fn a_key_finds_the_same_set_again_as_long_as_it_is_open() {
    let fixture = Fixture::new();
    let asked = questions("keyed");
    let ask = || Ask { questions: &asked, origin: agent(), deadline: None };
    let AskOutcome::Anew(pending) = fixture.decisions.put(ask(), "key").unwrap() else { panic!("found") };
    assert_eq!(fixture.decisions.put(ask(), "key").unwrap(), AskOutcome::Again(pending.clone()));
    // Whatever it says now: who asks under a key has asked already.
    let again = fixture.decisions.put(&questions("changed"), "key").unwrap();
    assert_eq!(again, AskOutcome::Again(pending.clone()));
    let AskOutcome::Anew(other) = fixture.decisions.put(ask(), "another").unwrap() else { panic!("found") };
    assert!(other.session > pending.session);
    fixture.decisions.publish(&pending, &asked, Ending::Cancelled, Via::Terminal).unwrap();
    assert!(matches!(fixture.decisions.put(ask(), "key").unwrap(), AskOutcome::Anew(_)));
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
    assert_eq!(late, PublishOutcome::Lost(Ending::Replaced(None)));
    let mut watch = fixture.decisions.watch(two.session);
    assert_eq!(watch.look().unwrap(), Some(Ending::Replaced(None)));
}

#[test]
fn a_deadline_that_has_passed_is_an_end_and_never_an_answer() {
    let fixture = Fixture::new();
    let asked = questions("late");
    let expired = Ending::Expired(LONG_AGO.to_owned());
    // An answer is too late, although no process has looked yet.
    let pending = put_until(&fixture, &asked, LONG_AGO);
    let late = fixture.decisions.publish(&pending, &asked, decided("jwt"), Via::Page).unwrap();
    assert_eq!(late, PublishOutcome::Lost(expired.clone()));
    let record = fixture.decisions.record(&pending.session).unwrap().unwrap();
    assert_eq!((&record.ending, record.completed_at.as_str()), (&expired, LONG_AGO));
    assert_eq!(record.output(), None);
    assert_eq!(record.meta.unwrap().via, Via::Clock);
    let file: Value = serde_json::from_str(&fixture.text(&format!("{}.json", pending.session))).unwrap();
    let names: Vec<_> = file.as_object().unwrap().keys().collect();
    assert_eq!(names, ["input", "expired_at", "completed_at", "_meta"]);
    assert_eq!(file["expired_at"], LONG_AGO);

    // A look ends it, in the slot as well.
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
        assert!(matches!(published, PublishOutcome::Won(_)), "{deadline}");
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
    assert!(matches!(fixture.decisions.put(&questions("first"), &key).unwrap(), AskOutcome::Again(_)));
    fixture.decisions.publish(&first, &questions("first"), Ending::Cancelled, Via::Terminal).unwrap();
    assert!(matches!(
        fixture.decisions.put(&questions("one more"), "one more").unwrap(),
        AskOutcome::Anew(_)
    ));
}

/// Two items of which one may be left for later.
fn two_parts() -> Questions {
    let mut document = Value::Object(questions("parts").document().clone());
    let second = json!({"id": 2, "title": "second", "options": document["items"][0]["options"]});
    document["items"].as_array_mut().unwrap().push(second);
    document["partial"] = json!(true);
    crate::helpers::parse(&document)
}

/// The answer to the first, the second left for later.
fn part() -> Ending {
    let open = Some(Box::new(Remainder { session_id: None, items: vec![2] }));
    Ending::Decided(DecideOutput { open, ..output("jwt", "") })
}

fn remainder(fixture: &Fixture, session: &SessionId) -> SessionId {
    fixture.decisions.record(session).unwrap().unwrap().output().unwrap().remainder().unwrap().clone()
}

#[test]
fn what_is_left_for_later_is_open_with_what_was_filled_in() {
    let fixture = Fixture::new();
    let asked = two_parts();
    let pending = fixture.ask(&asked).unwrap();
    let mut draft = sheet("first");
    draft.answers.push(Answer { id: 2, note: "second".to_owned(), ..Answer::default() });
    fixture.decisions.save_draft(&pending, &asked, &draft, Via::Page).unwrap();
    fixture.decisions.publish(&pending, &asked, part(), Via::Page).unwrap();
    let rest = remainder(&fixture, &pending.session);
    assert_eq!(open(&fixture), std::slice::from_ref(&rest));
    let (head, found) = fixture.decisions.set(&rest).unwrap().unwrap();
    assert_eq!(found.document(), asked.only(&[2]).document());
    assert_eq!(fixture.decisions.draft(&head, &found).answers, draft.answers[1..]);
    let record = fixture.decisions.record(&pending.session).unwrap().unwrap();
    let metas = record.meta.unwrap().items;
    assert_eq!(metas.iter().map(|meta| meta.id).collect::<Vec<_>>(), [1]);
    // Asked for again, the rest is the same set.
    let again = fixture.decisions.put(&found, found.fingerprint()).unwrap();
    assert_eq!(again, AskOutcome::Again(head));
}

/// Killed after the record was written: the next look asks what it names. Killed before: the next look forgets it.
#[test]
fn a_kill_between_the_two_steps_is_made_good() {
    let fixture = Fixture::new();
    let asked = two_parts();
    let pending = fixture.ask(&asked).unwrap();
    fixture.decisions.publish(&pending, &asked, part(), Via::Page).unwrap();
    let rest = remainder(&fixture, &pending.session);
    let (named, aside) =
        (fixture.file(&format!("open/{rest}.json")), fixture.file(&format!("open/{rest}.rest.json")));
    for look in [
        |fixture: &Fixture, _: &SessionId| assert_eq!(open(fixture).len(), 1),
        |fixture: &Fixture, rest: &SessionId| assert!(fixture.decisions.set(rest).unwrap().is_some()),
        |fixture: &Fixture, _: &SessionId| drop(put(fixture, &questions("another"))),
    ] {
        fs::rename(&named, &aside).unwrap();
        look(&fixture, &rest);
        assert!(named.exists() && !aside.exists());
    }
    let fixture = Fixture::new();
    let pending = fixture.ask(&asked).unwrap();
    fixture.decisions.publish(&pending, &asked, part(), Via::Page).unwrap();
    let rest = remainder(&fixture, &pending.session);
    let (named, aside) =
        (fixture.file(&format!("open/{rest}.json")), fixture.file(&format!("open/{rest}.rest.json")));
    fs::rename(&named, &aside).unwrap();
    fs::remove_file(fixture.file(&format!("{}.json", pending.session))).unwrap();
    fs::remove_file(fixture.file(&format!("{}.ended", pending.session))).unwrap();
    assert_eq!(open(&fixture), std::slice::from_ref(&pending.session));
    assert!(!aside.exists() && !named.exists());
    // And the questions can be answered as if nothing had happened.
    fixture.decisions.publish(&pending, &asked, part(), Via::Page).unwrap();
    assert_eq!(open(&fixture), [remainder(&fixture, &pending.session)]);
}

const WAIT: Duration = Duration::from_secs(60);

/// Lets the time of what is held come.
fn make_due(fixture: &Fixture, session: &SessionId) {
    let path = fixture.file(&format!("open/{session}.held.json"));
    let mut held: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    held["due"] = json!(0);
    fs::write(path, held.to_string()).unwrap();
}

fn hold(fixture: &Fixture, pending: &PendingSet, asked: &Questions, chosen: &str) {
    assert!(fixture.decisions.hold(pending, asked, output(chosen, ""), Via::Page, WAIT).unwrap());
}

#[test]
fn a_submission_that_is_held_can_be_taken_back_and_counts_once_its_time_has_come() {
    let (fixture, asked) = (Fixture::new(), questions("held"));
    for pending in [fixture.ask(&asked).unwrap(), put(&fixture, &questions("beside"))] {
        let session = &pending.session;
        let asked = fixture.decisions.set(session).unwrap().unwrap().1;
        let mut watch = fixture.decisions.watch(session.clone());
        hold(&fixture, &pending, &asked, "jwt");
        assert_eq!((watch.look().unwrap(), fixture.decisions.record(session).unwrap()), (None, None));
        assert!(fixture.decisions.held_for(session).unwrap().is_some_and(|left| left <= WAIT));
        assert!(fixture.decisions.take_back(session).unwrap());
        assert!(!fixture.decisions.take_back(session).unwrap());
        assert_eq!(fixture.decisions.held_for(session).unwrap(), None);
        // Submitted again, it is the last word, and the process that took it may have been killed.
        hold(&fixture, &pending, &asked, "jwt");
        hold(&fixture, &pending, &asked, "session");
        make_due(&fixture, session);
        assert!(!fixture.decisions.take_back(session).unwrap());
        assert_eq!(watch.look().unwrap(), Some(decided("session")));
        assert_eq!(fixture.decisions.record(session).unwrap().unwrap().meta.unwrap().via, Via::Page);
        assert!(!fixture.file(&format!("open/{session}.held.json")).exists());
        assert!(!fixture.decisions.hold(&pending, &asked, output("jwt", ""), Via::Page, WAIT).unwrap());
    }
    // A command that does not wait finds it as well.
    let pending = fixture.ask(&questions("result")).unwrap();
    hold(&fixture, &pending, &questions("result"), "jwt");
    make_due(&fixture, &pending.session);
    assert_eq!(fixture.decisions.expire(&pending.session).unwrap(), Some(decided("jwt")));
}

/// What a person has submitted is the answer, whatever others do before it counts; only another answer is newer.
#[test]
fn what_is_held_comes_before_what_is_no_answer() {
    let (fixture, asked) = (Fixture::new(), questions("cancelled"));
    let pending = fixture.ask(&asked).unwrap();
    hold(&fixture, &pending, &asked, "jwt");
    let published = fixture.decisions.publish(&pending, &asked, Ending::Cancelled, Via::Terminal).unwrap();
    assert_eq!(published, PublishOutcome::Lost(decided("jwt")));
    let pending = fixture.ask(&asked).unwrap();
    hold(&fixture, &pending, &asked, "jwt");
    let next = fixture.decisions.ask(&questions("others")).unwrap();
    assert!(matches!(next, AskOutcome::Anew(_)), "{next:?}");
    assert_eq!(fixture.decisions.record(&pending.session).unwrap().unwrap().ending, decided("jwt"));
    let pending = fixture.ask(&asked).unwrap();
    hold(&fixture, &pending, &asked, "jwt");
    let published = fixture.decisions.publish(&pending, &asked, decided("session"), Via::Api).unwrap();
    let PublishOutcome::Won(record) = published else { panic!("{published:?}") };
    assert_eq!((record.ending, record.meta.unwrap().via), (decided("session"), Via::Api));
    assert!(!fixture.file(&format!("open/{}.held.json", pending.session)).exists());
}

/// The deadline passes while it can be taken back: it came in time. What is held after the deadline is nothing.
#[test]
fn what_is_held_before_the_deadline_is_in_time() {
    let (fixture, asked) = (Fixture::new(), questions("late"));
    let soon = "2999-01-15T10:30:00+08:00";
    let pending = put_until(&fixture, &asked, soon);
    hold(&fixture, &pending, &asked, "jwt");
    let passed = PendingSet { deadline: Some(LONG_AGO.to_owned()), ..pending.clone() };
    assert!(!fixture.decisions.hold(&passed, &asked, output("session", ""), Via::Page, WAIT).unwrap());
    let path = fixture.file(&format!("open/{}.held.json", pending.session));
    let mut held: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    held["submitted_at"] = json!("2001-01-15T10:29:55+08:00");
    fs::write(path, held.to_string()).unwrap();
    let expired = Ending::Expired(LONG_AGO.to_owned());
    let published = fixture.decisions.publish(&passed, &asked, expired, Via::Clock).unwrap();
    assert_eq!(published, PublishOutcome::Lost(decided("jwt")));
}

/// The door of a choice is that which it first came in by, also through a set that was sent back at another one.
#[test]
fn what_is_filled_in_again_keeps_its_door_and_time() {
    let (fixture, asked) = (Fixture::new(), two_parts());
    let pending = fixture.ask(&asked).unwrap();
    let draft = fixture.file("draft.json");
    fixture.decisions.save_draft(&pending, &asked, &sheet("why"), Via::Page).unwrap();
    let mut kept: Value = serde_json::from_slice(&fs::read(&draft).unwrap()).unwrap();
    kept["answers"][0]["at"] = json!("2001-01-15T10:30:00+08:00");
    fs::write(&draft, kept.to_string()).unwrap();
    let returned = Returned { message: "which?".to_owned(), items: vec![2] };
    fixture.decisions.publish(&pending, &asked, Ending::Returned(returned), Via::Form).unwrap();
    fixture.ask(&asked).unwrap();
    let again: Value = serde_json::from_slice(&fs::read(&draft).unwrap()).unwrap();
    assert_eq!(again["answers"], kept["answers"]);
}

fn amended(
    fixture: &Fixture,
    before: &PendingSet,
    earlier: &Questions,
    questions: &Questions,
) -> AmendOutcome {
    let key = questions.fingerprint().to_owned();
    fixture.decisions.amend(before, earlier, questions.into(), (&key, &|_| ()), Via::Api).unwrap()
}

fn two_items(second: &str) -> Questions {
    let item = |id: u64, title: &str| {
        json!({ "id": id, "title": title, "options": [
            { "value": "a", "label": "A" }, { "value": "b", "label": "B" },
        ] })
    };
    let items = [item(1, "first"), item(2, second)];
    Questions::from_value(json!({ "task": "t", "source": "s", "items": items })).unwrap()
}

#[test]
fn a_correction_keeps_what_was_filled_in_for_items_that_are_the_same() {
    let fixture = Fixture::new();
    let (earlier, corrected) = (two_items("second"), two_items("second, corrected"));
    let before = put(&fixture, &earlier);
    let filled = |id, option| Answer { id, options: vec![option], ..Answer::default() };
    let sheet = AnswerSheet { answers: vec![filled(1, 1), filled(2, 0)], returned: None };
    assert!(fixture.decisions.save_draft(&before, &earlier, &sheet, Via::Page).unwrap());
    let AmendOutcome::Open(after) = amended(&fixture, &before, &earlier, &corrected) else {
        panic!("too late")
    };
    assert_eq!(open(&fixture), std::slice::from_ref(&after.session));
    assert_eq!(fixture.decisions.draft(&after, &corrected).answers, [filled(1, 1)]);
    let record = fixture.decisions.record(&before.session).unwrap().unwrap();
    assert_eq!(record.ending, Ending::Replaced(Some(after.session.clone())));
    // Once more after a kill: nothing is asked twice.
    assert_eq!(amended(&fixture, &before, &earlier, &corrected), AmendOutcome::Open(after.clone()));
    // The same questions are no correction.
    assert_eq!(amended(&fixture, &after, &corrected, &corrected), AmendOutcome::Open(after));
}

#[test]
fn a_correction_that_comes_too_late_asks_nothing() {
    let fixture = Fixture::new();
    let (earlier, corrected) = (two_items("second"), two_items("second, corrected"));
    for in_slot in [false, true] {
        let before = if in_slot {
            fixture.decisions.ask(&earlier).unwrap().pending()
        } else {
            put(&fixture, &earlier)
        };
        fixture.decisions.publish(&before, &earlier, Ending::Cancelled, Via::Api).unwrap();
        assert_eq!(
            amended(&fixture, &before, &earlier, &corrected),
            AmendOutcome::TooLate(Ending::Cancelled)
        );
        assert!(open(&fixture).is_empty(), "{in_slot}");
    }
}

#[test]
fn questions_in_the_slot_are_corrected_there() {
    let fixture = Fixture::new();
    let (earlier, corrected) = (two_items("second"), two_items("second, corrected"));
    let before = fixture.decisions.ask(&earlier).unwrap().pending();
    let AmendOutcome::Open(after) = amended(&fixture, &before, &earlier, &corrected) else {
        panic!("too late")
    };
    assert_eq!((after.place, open(&fixture)), (Place::Slot, vec![after.session.clone()]));
}

#[test]
fn an_answer_is_undelivered_until_a_receipt_says_so() {
    const DAY: u64 = 24 * 60 * 60;
    let fixture = Fixture::new();
    let asked = questions("question");
    let key = asked.fingerprint();
    let pending = put(&fixture, &asked);
    let given = |task: String| {
        fixture.decisions.give_receipt(&pending.session, key, |receipt| receipt.add_task(task)).unwrap()
    };
    let tokens =
        |receipt: store::Receipt| -> Vec<_> { receipt.tasks.into_iter().map(|task| task.token).collect() };
    assert_eq!(tokens(given("a".to_owned())), ["a"]);
    assert_eq!(tokens(given("b".to_owned())), ["a", "b"]);
    // One that waits is forgotten last.
    let cancel = |receipt: &mut store::Receipt| receipt.tasks[1].cancelled = true;
    fixture.decisions.change_receipt(&pending.session, cancel).unwrap();
    let fill = |receipt: &mut store::Receipt| (2..=1000).for_each(|task| receipt.add_task(task.to_string()));
    fixture.decisions.change_receipt(&pending.session, fill).unwrap();
    let kept = tokens(fixture.decisions.receipt(&pending.session).unwrap().unwrap());
    assert_eq!((kept.len(), &*kept[0], &*kept[1]), (1000, "a", "2"));
    let found = || fixture.decisions.undelivered(key, DAY).unwrap().map(|(session, _)| session);
    assert_eq!(found(), None);
    fixture.decisions.publish(&pending, &asked, decided("a"), Via::Page).unwrap();
    assert_eq!(found(), Some(pending.session.clone()));
    assert_eq!(fixture.decisions.undelivered("other", DAY).unwrap(), None);
    let now = store::now();
    let change = |receipt: &mut store::Receipt| receipt.delivered_at = Some(now.clone());
    fixture.decisions.change_receipt(&pending.session, change).unwrap();
    assert_eq!(found(), None);
    let receipt = fixture.decisions.receipt(&pending.session).unwrap().unwrap();
    assert_eq!((receipt.delivered_at, receipt.key.as_str()), (Some(now), key));
    // Without a receipt nothing was promised.
    fixture.decisions.change_receipt(&"2001-01-01T00-00-00".parse().unwrap(), |_| panic!("none")).unwrap();
}

#[test]
fn questions_that_are_answered_while_their_asker_asks_again_are_asked_once() {
    const DAY: u64 = 24 * 60 * 60;
    for _ in 0..40 {
        let fixture = Fixture::new();
        let asked = questions("question");
        let decisions = &fixture.decisions;
        let note = |receipt: &mut Receipt| receipt.client = "agent".to_owned();
        let ask_once = || {
            let asking = (asked.fingerprint(), &note as store::ReceiptUpdate<'_>);
            decisions.ask_once((&asked).into(), asking, Place::Own, DAY).unwrap()
        };
        let AskOnceOutcome::Open(AskOutcome::Anew(first)) = ask_once() else { panic!("not asked") };
        let receipt = decisions.receipt(&first.session).unwrap().unwrap();
        assert_eq!((&*receipt.key, &*receipt.client), (asked.fingerprint(), "agent"));
        thread::scope(|scope| {
            scope.spawn(|| decisions.publish(&first, &asked, decided("a"), Via::Page).unwrap());
            loop {
                // The lock goes to who looks for it at the right moment.
                thread::sleep(Duration::from_millis(1));
                match ask_once() {
                    AskOnceOutcome::Open(again) => assert_eq!(again, AskOutcome::Again(first.clone())),
                    AskOnceOutcome::Undelivered(session, _) => break assert_eq!(session, first.session),
                }
            }
        });
        assert_eq!(decisions.records().unwrap(), [first.session]);
        assert!(open(&fixture).is_empty());
    }
}

/// A process was killed behind the receipt and before the questions; their session is that of others now.
#[test]
fn a_receipt_of_questions_that_were_never_asked_is_none() {
    let fixture = Fixture::new();
    let decisions = &fixture.decisions;
    let asked = questions("question");
    let note = |receipt: &mut Receipt| receipt.client = "agent".to_owned();
    let expected = decisions.put(&questions("earlier"), "earlier").unwrap().pending().session;
    let session = SessionId::next(&expected.to_string()[..19], Some(&expected)).unwrap();
    let change = |receipt: &mut Receipt| receipt.add_task("task of others".to_owned());
    decisions.give_receipt(&session, "others", change).unwrap();
    let pending = decisions.put_with_receipt((&asked).into(), "own", &note).unwrap().pending();
    let receipt = decisions.receipt(&pending.session).unwrap().unwrap();
    assert_eq!((&*receipt.key, receipt.tasks.len(), &*receipt.client), ("own", 0, "agent"));
}

#[test]
fn an_agent_is_woken_by_one_process_and_what_became_of_its_answer_is_known() {
    let fixture = Fixture::new();
    let decisions = &fixture.decisions;
    let questions = questions("woken");
    let pending = decisions.put(&questions, "k").unwrap().pending();
    let session = &pending.session;
    assert_eq!(decisions.delivery(session).unwrap(), None);
    decisions.give_receipt(session, "k", |receipt| receipt.client = "claude-code".to_owned()).unwrap();
    assert_eq!(decisions.delivery(session).unwrap(), Some(Delivery::Kept));
    // Names of agents' sessions are whatever they are.
    let (one, other) = ("../s 1", "s2");
    for agent in [one, other] {
        let wake = |receipt: &mut store::Receipt| drop(receipt.wakes.insert(agent.to_owned(), None));
        decisions.change_receipt(session, wake).unwrap();
    }
    assert_eq!(decisions.delivery(session).unwrap(), Some(Delivery::AskerGone));
    let waker = decisions.wake(session, one).unwrap().unwrap();
    assert!(decisions.wake(session, one).unwrap().is_none());
    assert!(decisions.wake(session, other).unwrap().is_some());
    assert_eq!(decisions.delivery(session).unwrap(), Some(Delivery::Kept));
    drop(waker);
    assert_eq!(decisions.delivery(session).unwrap(), Some(Delivery::AskerGone));
    assert!(decisions.wake(session, one).unwrap().is_some());
    decisions.delivered(session, one, |_| false).unwrap();
    assert_eq!(decisions.delivery(session).unwrap(), Some(Delivery::Delivered));
    let receipt = decisions.receipt(session).unwrap().unwrap();
    assert!(receipt.is_delivered_to(one) && !receipt.is_delivered_to(other));
    assert_eq!(decisions.receipts_since(60).unwrap(), [(session.clone(), receipt)]);
    // Fetched by a call: the only one that asked has it.
    let fetched = store::Receipt { delivered_at: Some(store::now()), ..store::Receipt::default() };
    assert!(fetched.is_delivered_to("any"));
    let names = || fs::read_dir(fixture.root().join(".aide/decisions/receipts")).unwrap().count();
    assert_eq!(names(), 1, "no lock is left");
}

/// A folder of receipts as it was before agents were woken, and locks whose receipt is gone.
#[test]
fn earlier_receipts_are_read_and_locks_without_one_are_removed() {
    let fixture = Fixture::new();
    let pending = fixture.decisions.put(&questions("old"), "k").unwrap().pending();
    let folder = fixture.root().join(".aide/decisions/receipts");
    fs::create_dir_all(&folder).unwrap();
    let old = format!("{{\"key\":\"k\",\"asked_at\":\"{}\"}}", store::now());
    fs::write(folder.join(format!("{}.json", pending.session)), old).unwrap();
    fs::write(folder.join("2001-01-01T00-00-00.00.waker"), "").unwrap();
    assert_eq!(fixture.decisions.delivery(&pending.session).unwrap(), Some(Delivery::Kept));
    fixture.decisions.give_receipt(&pending.session, "k", |_| {}).unwrap();
    let names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, [format!("{}.json", pending.session).as_str()]);
}
