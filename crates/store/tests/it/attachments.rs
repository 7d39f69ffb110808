//! Files that are attached to questions: what counts, what is refused, what goes.

use crate::helpers::{Fixture, names, parse, questions};
use files::fault::{self, Fault};
use model::{
    Answer, AnswerSheet, Attachment, DecideOutput, Ending, MAX_ATTACHED, Questions, Returned, SessionId, Via,
};
use rustix::io::Errno;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use store::{AttachError, PendingSet, PublishOutcome, Retention, StoreError};

/// Questions with one item that asks for files, and has these members besides.
fn asking(members: &Value) -> Questions {
    let mut item = json!({"id": 3, "title": "t", "kind": "files"});
    item.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    parse(&json!({"task": "t", "source": "s", "items": [item]}))
}

fn ask(members: &Value) -> (Fixture, PendingSet, Questions) {
    let fixture = Fixture::in_memory();
    let asked = asking(members);
    let pending = fixture.ask(&asked).unwrap();
    (fixture, pending, asked)
}

fn attach(
    fixture: &Fixture,
    (pending, asked): (&PendingSet, &Questions),
    name: &str,
    content: &[u8],
) -> Result<Attachment, AttachError> {
    let mut upload = fixture.decisions.attach(pending, asked, 3, name)?;
    for bytes in content.chunks(1000) {
        upload.write(bytes)?;
    }
    upload.finish()
}

fn attached(fixture: &Fixture, session: &SessionId) -> Vec<String> {
    let all = fixture.decisions.attachments(session).unwrap();
    assert!(all.keys().all(|item| *item == 3));
    all.into_values().flatten().map(|file| file.name).collect()
}

/// The names beside the index, and in the folder of the item.
fn on_disk(fixture: &Fixture, session: &SessionId) -> Vec<String> {
    names(&fixture.file(&format!("files/{session}/3")))
}

fn decide(fixture: &Fixture, pending: &PendingSet, asked: &Questions) -> DecideOutput {
    let answer = Answer { id: 3, options: vec![0], ..Answer::default() };
    let sheet = AnswerSheet { answers: vec![answer], ..AnswerSheet::default() };
    sheet.decide(asked.input(), &fixture.decisions.attachments(&pending.session).unwrap()).unwrap()
}

#[test]
fn what_is_attached_lies_under_its_name_and_is_the_answer() {
    let (fixture, pending, asked) = ask(&json!({}));
    let of = (&pending, &asked);
    let abc = attach(&fixture, of, "../../a b.txt", b"abc").unwrap();
    let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(abc, Attachment { name: "a b.txt".to_owned(), sha256: hash.to_owned(), size: 3 });
    let large = vec![7_u8; 100_000];
    attach(&fixture, of, "large.bin", &large).unwrap();
    attach(&fixture, of, "empty", b"").unwrap();
    let session = &pending.session;
    assert_eq!(attached(&fixture, session), ["a b.txt", "large.bin", "empty"]);
    assert_eq!(on_disk(&fixture, session), ["a b.txt", "empty", "large.bin"]);
    assert_eq!(fs::read(fixture.file(&format!("files/{session}/3/large.bin"))).unwrap(), large);
    assert_eq!(names(&fixture.file(&format!("files/{session}"))), ["3", "index.json"]);
    let mode = |path: String| fs::metadata(fixture.file(&path)).unwrap().permissions().mode() & 0o777;
    for folder in ["files".to_owned(), format!("files/{session}"), format!("files/{session}/3")] {
        assert_eq!(mode(folder), 0o700);
    }
    assert_eq!(mode(format!("files/{session}/3/a b.txt")), 0o600);
    assert_eq!(mode(format!("files/{session}/index.json")), 0o600);

    let output = decide(&fixture, &pending, &asked);
    assert_eq!(output.decisions[0].files.len(), 3);
    let published =
        fixture.decisions.publish(&pending, &asked, Ending::Decided(output.clone()), Via::Page).unwrap();
    assert!(matches!(published, PublishOutcome::Won(_)));
    let record = fixture.decisions.record(session).unwrap().unwrap();
    assert_eq!(record.ending, Ending::Decided(output));
    assert_eq!(on_disk(&fixture, session), ["a b.txt", "empty", "large.bin"], "they stay");
}

#[test]
fn the_same_name_again_takes_the_place() {
    let (fixture, pending, asked) = ask(&json!({"max": 2}));
    let of = (&pending, &asked);
    attach(&fixture, of, "a.txt", b"one").unwrap();
    attach(&fixture, of, "b.txt", b"other").unwrap();
    let two = attach(&fixture, of, "A.txt", b"two two").unwrap();
    let session = &pending.session;
    // Where it was before.
    assert_eq!(attached(&fixture, session), ["A.txt", "b.txt"]);
    assert_eq!(on_disk(&fixture, session), ["A.txt", "b.txt"]);
    assert_eq!(fs::read(fixture.file(&format!("files/{session}/3/A.txt"))).unwrap(), b"two two");
    assert_eq!(fixture.decisions.attachments(session).unwrap()[&3][0], two);
    assert!(matches!(attach(&fixture, of, "c.txt", b""), Err(AttachError::TooMany { max: 2 })));
    // Who is faster is not overruled.
    let mut upload = fixture.decisions.attach(&pending, &asked, 3, "b.txt").unwrap();
    upload.write(b"x").unwrap();
    assert!(fixture.decisions.detach(&pending, 3, "b.txt").unwrap());
    attach(&fixture, of, "c.txt", b"").unwrap();
    assert!(matches!(upload.finish(), Err(AttachError::TooMany { max: 2 })));
    assert_eq!(attached(&fixture, session), ["A.txt", "c.txt"]);
    assert_eq!(on_disk(&fixture, session), ["A.txt", "c.txt"]);
}

#[test]
fn what_is_taken_away_is_gone() {
    let (fixture, pending, asked) = ask(&json!({}));
    let detach = |item, name| fixture.decisions.detach(&pending, item, name).unwrap();
    assert!(!detach(3, "a"));
    attach(&fixture, (&pending, &asked), "a", b"one").unwrap();
    attach(&fixture, (&pending, &asked), "b", b"two").unwrap();
    assert!(!detach(4, "a") && !detach(3, "c") && !detach(3, "../3/a"));
    assert!(detach(3, "a") && !detach(3, "a"));
    assert_eq!(attached(&fixture, &pending.session), ["b"]);
    assert_eq!(on_disk(&fixture, &pending.session), ["b"]);
}

#[test]
fn only_what_was_asked_for_is_taken() {
    let (fixture, pending, asked) = ask(&json!({"names": ["*.pdf", "logo.svg"], "max_bytes": 10}));
    let of = (&pending, &asked);
    for item in [1, 0, u64::MAX] {
        let refused = fixture.decisions.attach(&pending, &asked, item, "a.pdf");
        assert!(matches!(refused, Err(AttachError::NoSuchItem { item: same }) if same == item));
    }
    for name in ["a.txt", "logo.svg.exe", "a.pdf/x", ""] {
        match attach(&fixture, of, name, b"") {
            Err(AttachError::WrongName { names }) => assert_eq!(names, ["*.pdf", "logo.svg"]),
            other => panic!("{name}: {other:?}"),
        }
    }
    attach(&fixture, of, "LOGO.svg", b"0123456789").unwrap();
    assert!(matches!(
        attach(&fixture, of, "a.pdf", b"0123456789+"),
        Err(AttachError::TooLarge { limit: 10 })
    ));
    assert_eq!(on_disk(&fixture, &pending.session), ["LOGO.svg"]);
    // An item of another kind takes none.
    let other = questions("another");
    let pending = fixture.ask(&other).unwrap();
    assert!(matches!(
        fixture.decisions.attach(&pending, &other, 1, "a.pdf"),
        Err(AttachError::NoSuchItem { item: 1 })
    ));
}

#[test]
fn all_files_together_have_a_limit() {
    let (fixture, pending, asked) = ask(&json!({}));
    let of = (&pending, &asked);
    let mebibyte = vec![0_u8; 1 << 20];
    let fill = |name: &str, mebibytes: usize| {
        let mut upload = fixture.decisions.attach(&pending, &asked, 3, name)?;
        for _ in 0..mebibytes {
            upload.write(&mebibyte)?;
        }
        upload.finish()
    };
    fill("a", 40).unwrap();
    let two = fixture.decisions.attach(&pending, &asked, 3, "late");
    assert!(matches!(fill("b", 25), Err(AttachError::SetFull { limit: MAX_ATTACHED })));
    fill("b", 24).unwrap();
    attach(&fixture, of, "empty", b"").unwrap();
    assert!(matches!(attach(&fixture, of, "c", b"x"), Err(AttachError::SetFull { .. })));
    // There was room when it began.
    let mut late = two.unwrap();
    late.write(b"x").unwrap();
    assert!(matches!(late.finish(), Err(AttachError::SetFull { .. })));
    // What is replaced makes room.
    fill("a", 40).unwrap();
    fill("a", 39).unwrap();
    attach(&fixture, of, "c", b"x").unwrap();
    assert_eq!(on_disk(&fixture, &pending.session), ["a", "b", "c", "empty"]);
}

#[test]
fn all_that_is_under_way_has_a_limit_together() {
    let (fixture, pending, asked) = ask(&json!({}));
    let mebibyte = vec![0_u8; 1 << 20];
    let begin = |name: &str| fixture.decisions.attach(&pending, &asked, 3, name).unwrap();
    let (mut one, mut two) = (begin("one"), begin("two"));
    for _ in 0..32 {
        one.write(&mebibyte).unwrap();
        two.write(&mebibyte).unwrap();
    }
    assert!(matches!(two.write(b"x"), Err(AttachError::SetFull { limit: MAX_ATTACHED })));
    // What was given up makes room for the other.
    one.write(&mebibyte).unwrap();
    one.finish().unwrap();
    // What is finished does not count twice.
    let mut three = begin("three");
    for _ in 0..31 {
        three.write(&mebibyte).unwrap();
    }
    three.finish().unwrap();
    assert_eq!(on_disk(&fixture, &pending.session), ["one", "three"]);
}

#[test]
fn nothing_is_left_of_what_was_given_up_or_killed() {
    let (fixture, pending, asked) = ask(&json!({}));
    let session = &pending.session;
    let mut given_up = fixture.decisions.attach(&pending, &asked, 3, "a").unwrap();
    given_up.write(b"half").unwrap();
    assert_eq!(attached(&fixture, session), Vec::<String>::new(), "half a file is none");
    drop(given_up);
    assert_eq!(on_disk(&fixture, session), Vec::<String>::new());
    let mut going_on = fixture.decisions.attach(&pending, &asked, 3, "b").unwrap();
    going_on.write(b"wh").unwrap();
    // As a kill leaves them: a part, and a file that the index does not name.
    for name in [".part-1-1.tmp", "nobody's"] {
        fs::write(fixture.file(&format!("files/{session}/3/{name}")), "half").unwrap();
    }
    attach(&fixture, (&pending, &asked), "c", b"x").unwrap();
    going_on.write(b"ole").unwrap();
    going_on.finish().unwrap();
    assert_eq!(on_disk(&fixture, session), ["b", "c"]);
    assert_eq!(fs::read(fixture.file(&format!("files/{session}/3/b"))).unwrap(), b"whole");
}

#[test]
fn a_file_is_not_taken_for_one_of_an_earlier_process_of_the_same_number() {
    let (fixture, pending, asked) = ask(&json!({"max": 100}));
    let folder = fixture.file(&format!("files/{}", pending.session));
    // Which part is next: the number is that of this process, and so is that of a program that is alone in its container,
    // however often it is started.
    let begun = fixture.decisions.attach(&pending, &asked, 3, "a").unwrap();
    let part = names(&folder.join("3")).remove(0);
    drop(begun);
    let (stem, number) = part.strip_suffix(".tmp").unwrap().rsplit_once('-').unwrap();
    let number: u64 = number.parse().unwrap();
    // Files that have their own names, and of which the index still says what they were called before. Several, because
    // other tests begin files as well.
    let before: Vec<_> =
        (1..=30).map(|next| (format!("f{next}"), format!("{stem}-{}.tmp", number + next))).collect();
    let entry = |(name, file): &(String, String)| {
        fs::write(folder.join("3").join(name), name).unwrap();
        json!({"item": 3, "name": name, "sha256": "0", "size": name.len(), "file": file})
    };
    let entries: Vec<_> = before.iter().map(entry).collect();
    fs::write(folder.join("index.json"), json!({ "files": entries }).to_string()).unwrap();

    attach(&fixture, (&pending, &asked), "next", b"next").unwrap();
    let going_on = fixture.decisions.attach(&pending, &asked, 3, "half").unwrap();
    attach(&fixture, (&pending, &asked), "last", b"last").unwrap();
    drop(going_on);
    let mut expected: Vec<_> = before.into_iter().map(|(name, _)| name).collect();
    expected.extend(["next".to_owned(), "last".to_owned()]);
    assert_eq!(attached(&fixture, &pending.session), expected);
    for name in expected {
        assert_eq!(fs::read_to_string(folder.join("3").join(&name)).unwrap(), name);
    }
}

#[test]
fn a_full_disk_is_told_and_leaves_what_was_there() {
    let (fixture, pending, asked) = ask(&json!({}));
    attach(&fixture, (&pending, &asked), "a", b"before").unwrap();
    let mut upload = fixture.decisions.attach(&pending, &asked, 3, "a").unwrap();
    upload.write(b"first").unwrap();
    fault::fail(0, Fault::Fails(Errno::NOSPC));
    let error = upload.write(b"second").unwrap_err();
    assert!(fault::fail_no_more());
    assert!(error.is_disk_full(), "{error:?}");
    // It cannot go on as if nothing had been.
    assert!(upload.write(b"third").is_err());
    assert!(upload.finish().is_err());
    let session = &pending.session;
    assert_eq!(on_disk(&fixture, session), ["a"]);
    assert_eq!(fs::read(fixture.file(&format!("files/{session}/3/a"))).unwrap(), b"before");
    let other = attach(&fixture, (&pending, &asked), &"x".repeat(3), b"").map(|_| ());
    assert!(other.is_ok());
}

#[test]
fn nothing_is_attached_to_what_has_ended() {
    let (fixture, pending, asked) = ask(&json!({"required": false}));
    let of = (&pending, &asked);
    attach(&fixture, of, "a", b"one").unwrap();
    let mut late = fixture.decisions.attach(&pending, &asked, 3, "b").unwrap();
    late.write(b"two").unwrap();
    let returned = Ending::Returned(Returned { message: "why".to_owned(), items: Vec::new() });
    fixture.decisions.publish(&pending, &asked, returned.clone(), Via::Page).unwrap();
    assert!(matches!(late.finish(), Err(AttachError::Ended(ending)) if ending == returned));
    assert!(matches!(attach(&fixture, of, "c", b""), Err(AttachError::Ended(ending)) if ending == returned));
    assert!(!fixture.decisions.detach(&pending, 3, "a").unwrap());
    assert_eq!(on_disk(&fixture, &pending.session), ["a"]);

    // Others have taken their place.
    let pending = fixture.ask(&asked).unwrap();
    let mut late = fixture.decisions.attach(&pending, &asked, 3, "b").unwrap();
    late.write(b"two").unwrap();
    fixture.ask(&questions("another")).unwrap();
    assert!(matches!(late.finish(), Err(AttachError::Ended(Ending::Replaced(_)))));
    // Their time is up.
    let ask =
        model::Ask { deadline: Some("2001-01-01T00:00:00+00:00".to_owned()), ..model::Ask::from(&asked) };
    let late = fixture.decisions.put(ask, "key").unwrap().pending();
    let refused = fixture.decisions.attach(&late, &asked, 3, "b");
    assert!(matches!(refused, Err(AttachError::Ended(Ending::Expired(_)))));
}

#[test]
fn an_answer_with_other_files_than_are_there_is_none() {
    let (fixture, pending, asked) = ask(&json!({}));
    attach(&fixture, (&pending, &asked), "a", b"one").unwrap();
    let output = decide(&fixture, &pending, &asked);
    attach(&fixture, (&pending, &asked), "a", b"two").unwrap();
    let publish = |output| fixture.decisions.publish(&pending, &asked, Ending::Decided(output), Via::Page);
    assert!(matches!(publish(output.clone()), Err(StoreError::AttachmentsChanged)));
    fixture.decisions.detach(&pending, 3, "a").unwrap();
    assert!(matches!(publish(output), Err(StoreError::AttachmentsChanged)));
    attach(&fixture, (&pending, &asked), "a", b"two").unwrap();
    publish(decide(&fixture, &pending, &asked)).unwrap();
}

#[test]
fn a_draft_does_not_say_that_files_are_the_answer_that_are_not_there() {
    let (fixture, pending, asked) = ask(&json!({}));
    attach(&fixture, (&pending, &asked), "a", b"one").unwrap();
    let answer = Answer { id: 3, options: vec![0], note: "n".to_owned(), ..Answer::default() };
    let sheet = AnswerSheet { answers: vec![answer], ..AnswerSheet::default() };
    fixture.decisions.save_draft(&pending, &asked, &sheet, Via::Page).unwrap();
    let options = |pending: &PendingSet| fixture.decisions.draft(pending, &asked).answers[0].options.clone();
    assert_eq!(options(&pending), [0]);
    fixture.decisions.detach(&pending, 3, "a").unwrap();
    assert!(options(&pending).is_empty());
}

#[test]
fn files_go_with_their_record() {
    let (fixture, pending, asked) = ask(&json!({}));
    attach(&fixture, (&pending, &asked), "a", b"one").unwrap();
    let output = decide(&fixture, &pending, &asked);
    fixture.decisions.publish(&pending, &asked, Ending::Decided(output), Via::Page).unwrap();
    fs::write(fixture.file(&format!("files/{}/3/.part-1-1.tmp", pending.session)), "half").unwrap();
    let next = fixture.ask(&asking(&json!({"max": 5}))).unwrap();
    let next_asked = asking(&json!({"max": 5}));
    attach(&fixture, (&next, &next_asked), "b", b"two").unwrap();
    let removable = fixture.decisions.removable(Retention::default()).unwrap();
    assert_eq!(fixture.decisions.remove_records(&removable, &mut |_| {}).unwrap(), [pending.session]);
    assert_eq!(names(&fixture.file("files")), [next.session.to_string()]);
    assert_eq!(attached(&fixture, &next.session), ["b"]);
}

#[test]
fn an_index_that_leads_elsewhere_is_refused() {
    let (fixture, pending, asked) = ask(&json!({}));
    attach(&fixture, (&pending, &asked), "a", b"one").unwrap();
    let path = fixture.file(&format!("files/{}/index.json", pending.session));
    let text = fs::read_to_string(&path).unwrap();
    let entry = r#"{"item":3,"name":"a","sha256":"x","size":1,"file":"../a"}"#.to_owned();
    for wrong in [text.replace("\"a\"", "\"../a\""), "[".to_owned(), format!("{{\"files\":[{entry}]}}")] {
        fs::write(&path, &wrong).unwrap();
        assert!(fixture.decisions.attachments(&pending.session).is_err(), "{wrong}");
        assert!(attach(&fixture, (&pending, &asked), "b", b"").is_err());
    }
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", &path).unwrap();
    assert!(fixture.decisions.attachments(&pending.session).is_err());
}
