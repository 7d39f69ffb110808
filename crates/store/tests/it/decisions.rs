//! Questions and records: what stands in the files, and who wins.

use crate::child::Process;
use crate::helpers::{Fixture, SESSION, output, parse, publish, questions, slot};
use files::FileError;
use model::{Answer, AnswerSheet, Ending, Returned, SessionId, Via};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fs;
use std::sync::Barrier;
use std::thread;
use store::{AskOutcome, Project, PublishOutcome, StoreError};

fn won(published: PublishOutcome) -> model::DecisionRecord {
    match published {
        PublishOutcome::Won(record) => record,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_folder_must_have_been_made_by_init() {
    let folder = tempfile::tempdir().unwrap();
    let project = Project::at(folder.path()).unwrap();
    let error = project.decisions().unwrap_err();
    assert!(matches!(&error, StoreError::NoAideFolder { path } if path.ends_with(".aide")), "{error:?}");
    assert!(!folder.path().join(".aide").exists());
}

#[test]
fn the_sub_folder_and_its_ignore_file_are_made_when_missing() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".aide")).unwrap();
    let project = Project::at(folder.path()).unwrap();
    let decisions = project.decisions().unwrap();
    assert_eq!(decisions.pending().unwrap(), None);
    assert_eq!(decisions.records().unwrap(), []);
    assert!(folder.path().join(".aide/.gitignore").is_file());

    fs::write(folder.path().join(".aide/.gitignore"), "mine\n").unwrap();
    project.decisions().unwrap();
    let ignored = fs::read_to_string(folder.path().join(".aide/.gitignore")).unwrap();
    assert!(ignored.starts_with("mine\n") && ignored.contains("\ndecisions/open.html\n"), "{ignored}");
}

#[test]
fn pending_is_the_document_with_its_meta_last() {
    let fixture = Fixture::new();
    let asked = parse(&json!({
        "zeta": {"kept": [1, null]},
        "task": "任务",
        "_meta": {"session_id": "forged"},
        "source": "s.md",
        "items": [{"id": 7, "title": "t", "x": 0.1, "options": [
            {"value": "a", "label": "A", "score": 85}, {"value": "b", "label": "B"}]}],
        "alpha": true,
    }));
    let pending = fixture.ask(&asked).unwrap();
    assert_eq!(fixture.decisions.pending().unwrap().as_ref(), Some(&pending));
    assert_eq!(&fixture.pending_document(), asked.document());

    let expected = format!(
        r#"{{
  "zeta": {{
    "kept": [
      1,
      null
    ]
  }},
  "task": "任务",
  "source": "s.md",
  "items": [
    {{
      "id": 7,
      "title": "t",
      "x": 0.1,
      "options": [
        {{
          "value": "a",
          "label": "A",
          "score": 85
        }},
        {{
          "value": "b",
          "label": "B"
        }}
      ]
    }}
  ],
  "alpha": true,
  "_meta": {{
    "created_at": "{}",
    "session_id": "{}"
  }}
}}
"#,
        pending.created_at, pending.session
    );
    assert_eq!(fixture.text("pending.json"), expected);
}

#[test]
fn the_record_is_what_was_asked_and_what_was_answered() {
    let fixture = Fixture::new();
    let asked = questions("record");
    let session = fixture.ask(&asked).unwrap().session;
    assert_eq!(fixture.decisions.record(&session).unwrap(), None);
    assert!(!fixture.decisions.records().unwrap().contains(&session));

    let before = fixture.text("pending.json");
    let record = won(publish(&fixture.decisions, &session, &asked, output("jwt", "快"), Via::Page).unwrap());
    assert_eq!(fixture.decisions.record(&session).unwrap().as_ref(), Some(&record));
    assert!(fixture.decisions.records().unwrap().contains(&session));
    assert_eq!(fixture.text("pending.json"), before, "pending stays as it is");

    let text = fixture.text(&format!("{session}.json"));
    assert!(text.starts_with("{\n  \"input\": {\n    \"task\": \"record\""), "{text}");
    assert!(text.ends_with("}\n"));
    let value: Value = serde_json::from_str(&text).unwrap();
    let keys: Vec<_> = value.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["input", "output", "completed_at", "_meta"]);
    assert_eq!(value["input"], Value::Object(asked.document().clone()));
    assert_eq!(value["output"], json!({"decisions": [{"id": 1, "chosen": "jwt", "note": "快"}]}));
    let meta = &value["_meta"];
    assert_eq!(meta["session_id"], session.to_string());
    assert_eq!((&meta["via"], &meta["items"][0]["via"]), (&json!("page"), &json!("page")));
    assert_eq!(meta["items"][0]["decided_at"], value["completed_at"]);
    assert_eq!(meta["items"][0].get("followed_recommendation"), None, "none was recommended");
    assert!(meta["open_seconds"].as_u64().is_some_and(|seconds| seconds < 60), "{meta}");
}

#[test]
fn a_record_of_an_earlier_implementation_is_read() {
    let fixture = Fixture::new();
    let text = r#"{"input":{"task":"t"},"output":{"decisions":[{"id":1,"chosen":"a"}]},"completed_at":"x"}"#;
    fs::write(fixture.file("2020-01-01T00-00-00.json"), text).unwrap();
    let record = fixture.decisions.record(&"2020-01-01T00-00-00".parse().unwrap()).unwrap().unwrap();
    assert_eq!(
        (record.meta.as_ref(), record.output().unwrap().decisions[0].chosen.values()),
        (None, &["a".to_owned()][..])
    );
}

#[test]
fn what_is_pending_and_open_is_asked_again_under_its_name() {
    let fixture = Fixture::new();
    let (mine, other) = (questions("mine"), questions("other"));
    let AskOutcome::Anew(first) = fixture.decisions.ask(&mine).unwrap() else {
        panic!("nothing was pending")
    };
    let before = fixture.text("pending.json");
    assert_eq!(fixture.decisions.ask(&mine).unwrap(), AskOutcome::Again(first.clone()));
    assert_eq!(fixture.text("pending.json"), before);
    let (head, reread) = fixture.decisions.pending_questions().unwrap().unwrap();
    assert_eq!((head, reread.document()), (first.clone(), mine.document()));

    let AskOutcome::Replacing { pending: second, replaced } = fixture.decisions.ask(&other).unwrap() else {
        panic!("others were pending")
    };
    assert_eq!(replaced, first);
    let AskOutcome::Replacing { pending: third, replaced } = fixture.decisions.ask(&mine).unwrap() else {
        panic!("these were replaced")
    };
    assert_eq!(replaced, second);
    assert!(first.session < second.session && second.session < third.session);

    // Once answered, asking is a new question.
    won(publish(&fixture.decisions, &third.session, &mine, output("jwt", ""), Via::Page).unwrap());
    assert!(matches!(fixture.decisions.ask(&mine).unwrap(), AskOutcome::Anew(_)));
}

#[test]
fn a_choice_keeps_the_door_and_the_time_it_first_came_with() {
    let fixture = Fixture::new();
    let asked = parse(&json!({"task": "t", "source": "s", "items": [
        {"id": 1, "title": "a", "recommend": "y", "options": [{"value": "x", "label": "X"}, {"value": "y", "label": "Y"}]},
        {"id": 2, "title": "b", "recommend": "y", "options": [{"value": "x", "label": "X"}, {"value": "y", "label": "Y"}]},
        {"id": 3, "title": "c", "options": [{"value": "x", "label": "X"}, {"value": "y", "label": "Y"}]},
    ]}));
    let pending = fixture.ask(&asked).unwrap();
    let sheet = |options: [Option<u32>; 3]| AnswerSheet {
        answers: (1..)
            .zip(options)
            .map(|(id, option)| Answer { id, options: Vec::from_iter(option), ..Answer::default() })
            .collect(),
        ..AnswerSheet::default()
    };
    let save =
        |options, via| fixture.decisions.save_draft(&slot(SESSION), &asked, &sheet(options), via).unwrap();
    save([Some(1), Some(1), None], Via::Form);
    // As if it had been an hour ago.
    let draft = fixture.text("draft.json");
    let mut draft: Value = serde_json::from_str(&draft).unwrap();
    draft["answers"][0]["at"] = "2025-01-15T10:30:00+08:00".into();
    fs::write(fixture.file("draft.json"), draft.to_string()).unwrap();
    save([Some(1), Some(0), None], Via::Page);

    let output =
        sheet([Some(1), Some(0), Some(0)]).decide(asked.input(), &model::Attachments::new()).unwrap();
    let ending = Ending::Decided(output);
    let record = won(fixture.decisions.publish(&pending, &asked, ending, Via::Api).unwrap());
    let meta = record.meta.unwrap();
    let doors: Vec<_> = meta.items.iter().map(|item| (item.via, item.followed_recommendation)).collect();
    assert_eq!(doors, [(Via::Form, Some(true)), (Via::Page, Some(false)), (Via::Api, None)]);
    assert_eq!(meta.items[0].decided_at, "2025-01-15T10:30:00+08:00");
    assert_eq!(meta.items[2].decided_at, record.completed_at);
    assert_eq!(meta.via, Via::Api);
}

#[test]
fn what_was_not_answered_has_no_output() {
    let fixture = Fixture::new();
    let endings = [
        (Ending::Cancelled, "cancelled", json!(true)),
        (
            Ending::Returned(Returned { message: "先问\n安全组".to_owned(), items: vec![1] }),
            "returned",
            json!({"message": "先问\n安全组", "items": [1]}),
        ),
        (
            Ending::Returned(Returned { message: "no".to_owned(), items: Vec::new() }),
            "returned",
            json!({"message": "no"}),
        ),
    ];
    for (number, (ending, key, written)) in endings.into_iter().enumerate() {
        let asked = questions(&number.to_string());
        let pending = fixture.ask(&asked).unwrap();
        let record = won(fixture.decisions.publish(&pending, &asked, ending, Via::Form).unwrap());
        assert_eq!(record.output(), None);
        assert_eq!(fixture.decisions.record(&pending.session).unwrap(), Some(record.clone()));
        let value: Value = serde_json::from_str(&fixture.text(&format!("{}.json", pending.session))).unwrap();
        let keys: Vec<_> = value.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["input", key, "completed_at", "_meta"]);
        assert_eq!(value[key], written);
        // An answer that comes too late gets the ending.
        let late = publish(&fixture.decisions, &pending.session, &asked, output("jwt", ""), Via::Page);
        assert_eq!(late.unwrap(), PublishOutcome::Lost(record.ending));
    }
}

/// A later version may have more to say, or another way.
#[test]
fn an_answer_is_read_whatever_is_said_about_it() {
    let fixture = Fixture::new();
    for meta in ["7", "{}", r#"{"session_id": "x", "via": "telepathy"}"#] {
        let text = format!(
            r#"{{"input": {{}}, "output": {{"decisions": []}}, "completed_at": "x", "_meta": {meta}}}"#
        );
        fs::write(fixture.file("2020-01-01T00-00-00.json"), text).unwrap();
        let record = fixture.decisions.record(&"2020-01-01T00-00-00".parse().unwrap()).unwrap().unwrap();
        assert_eq!((record.output().is_some(), record.meta), (true, None), "{meta}");
    }
}

#[test]
fn a_record_with_two_endings_or_none_is_broken() {
    let fixture = Fixture::new();
    let session: SessionId = "2020-01-01T00-00-00".parse().unwrap();
    for ending in [
        "",
        r#""cancelled": false,"#,
        r#""cancelled": true, "output": {"decisions": []},"#,
        r#""returned": {"message": "x"}, "output": {"decisions": []},"#,
    ] {
        let text = format!(r#"{{"input": {{}}, {ending} "completed_at": "x"}}"#);
        fs::write(fixture.file("2020-01-01T00-00-00.json"), text).unwrap();
        let error = fixture.decisions.record(&session).unwrap_err();
        assert!(matches!(error, StoreError::File(FileError::Corrupt { .. })), "{ending}: {error:?}");
    }
}

#[test]
fn a_watch_sees_what_others_do() {
    let fixture = Fixture::new();
    let asked = questions("watched");
    let pending = fixture.ask(&asked).unwrap();
    let mut watch = fixture.decisions.watch(pending.session.clone());
    assert_eq!(watch.look().unwrap(), None);
    assert_eq!(fixture.ask(&asked).unwrap(), pending);
    assert_eq!(watch.look().unwrap(), None);

    fixture.ask(&questions("other")).unwrap();
    let by = fixture.decisions.pending().unwrap().unwrap().session;
    let replaced = Ending::Replaced(Some(by));
    assert_eq!(watch.look().unwrap(), Some(replaced.clone()));
    // No asker waits for an answer to these any more.
    let late = publish(&fixture.decisions, &pending.session, &asked, output("jwt", ""), Via::Page);
    assert_eq!(late.unwrap(), PublishOutcome::Lost(replaced.clone()));
    let record = fixture.decisions.record(&pending.session).unwrap().unwrap();
    assert_eq!(record.ending, replaced);

    let asked = questions("watched again");
    let pending = fixture.ask(&asked).unwrap();
    let mut watch = fixture.decisions.watch(pending.session.clone());
    let record =
        won(publish(&fixture.decisions, &pending.session, &asked, output("jwt", ""), Via::Terminal).unwrap());
    assert_eq!(watch.look().unwrap(), Some(record.ending.clone()));
    // What has ended before it was replaced has ended.
    fixture.ask(&questions("other")).unwrap();
    let late = publish(&fixture.decisions, &pending.session, &asked, output("jwt", ""), Via::Page);
    assert_eq!(late.unwrap(), PublishOutcome::Lost(record.ending));
    // Removed by any process.
    let mut watch = fixture.decisions.watch("2999-01-01T00-00-00".parse().unwrap());
    fs::remove_file(fixture.file("pending.json")).unwrap();
    assert_eq!(watch.look().unwrap(), Some(Ending::Replaced(None)));
    // A broken file is an error; the watch does not wait for it.
    let mut watch = fixture.decisions.watch("2999-01-01T00-00-00".parse().unwrap());
    fs::write(fixture.file("pending.json"), "{").unwrap();
    assert!(watch.look().is_err());
}

#[test]
fn the_second_answer_loses_and_changes_nothing() {
    let fixture = Fixture::new();
    let asked = questions("twice");
    let session = fixture.ask(&asked).unwrap().session;
    let first = won(publish(&fixture.decisions, &session, &asked, output("jwt", "1"), Via::Page).unwrap());
    let before = fixture.text(&format!("{session}.json"));
    let second = publish(&fixture.decisions, &session, &asked, output("session", "2"), Via::Api).unwrap();
    assert_eq!(second, PublishOutcome::Lost(first.ending));
    assert_eq!(fixture.text(&format!("{session}.json")), before);
    assert!(!fixture.names().iter().any(|name| name.ends_with(".tmp")), "{:?}", fixture.names());
}

#[test]
fn exactly_one_thread_wins() {
    let fixture = Fixture::new();
    let asked = questions("race");
    for _ in 0..10 {
        let session = fixture.ask(&asked).unwrap().session;
        let barrier = Barrier::new(8);
        let results: Vec<PublishOutcome> = thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|number| {
                    let (decisions, barrier, session, asked) =
                        (fixture.decisions.clone(), &barrier, &session, &asked);
                    scope.spawn(move || {
                        barrier.wait();
                        let output = output("jwt", &number.to_string());
                        publish(&decisions, session, asked, output, Via::Page).unwrap()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let winners = results.iter().filter(|result| matches!(result, PublishOutcome::Won(_))).count();
        assert_eq!(winners, 1, "{results:?}");
        let kept = fixture.decisions.record(&session).unwrap().unwrap();
        for result in results {
            match result {
                PublishOutcome::Won(record) => assert_eq!(record, kept),
                PublishOutcome::Lost(ending) => assert_eq!(ending, kept.ending),
            }
        }
    }
}

#[test]
fn exactly_one_process_wins() {
    let fixture = Fixture::new();
    fixture.ask(&questions("race")).unwrap();
    let mut processes: Vec<_> =
        (0..6).map(|number| Process::start("publish", fixture.root(), &number.to_string(), "")).collect();
    for process in &mut processes {
        assert_eq!(process.line(), "ready");
    }
    for process in &mut processes {
        process.go();
    }
    let lines: Vec<String> = processes.into_iter().flat_map(Process::finish).collect();
    let winner: Vec<_> = lines.iter().filter_map(|line| line.strip_prefix("won ")).collect();
    assert_eq!((lines.len(), winner.len()), (6, 1), "{lines:?}");
    let losers = lines.iter().filter_map(|line| line.strip_prefix("lost "));
    assert!(losers.clone().all(|note| note == winner[0]), "{lines:?}");
    assert_eq!(losers.count(), 5);
}

#[test]
fn ids_within_one_second_differ_and_grow() {
    let fixture = Fixture::new();
    // With a record from the far future the clock is always behind, so every id falls into that one second.
    fs::write(fixture.file("2999-01-01T00-00-00.json"), "{}").unwrap();
    let ids: Vec<SessionId> =
        (0..50).map(|number| fixture.ask(&questions(&number.to_string())).unwrap().session).collect();
    assert_eq!(ids[0].to_string(), "2999-01-01T00-00-00-2");
    assert_eq!(ids[49].to_string(), "2999-01-01T00-00-00-51");
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "{ids:?}");
}

#[test]
fn ids_follow_the_clock_and_are_never_used_again() {
    let fixture = Fixture::new();
    let mut used = HashSet::new();
    let mut last = None;
    for round in 0..50 {
        let before = store::now();
        let session = fixture.ask(&questions(&format!("clock {round}"))).unwrap().session;
        assert!(session.to_string()[..19] >= *before[..19].replace(':', "-"), "{session} after {before}");
        assert!(used.insert(session.clone()) && last < Some(session.clone()));
        last = Some(session);
    }
}

#[test]
fn concurrent_processes_never_share_an_id() {
    let fixture = Fixture::new();
    let mut processes: Vec<_> =
        (0..4).map(|number| Process::start("begin", fixture.root(), &number.to_string(), "")).collect();
    for process in &mut processes {
        assert_eq!(process.line(), "ready");
    }
    for process in &mut processes {
        process.go();
    }
    let ids: Vec<String> = processes.into_iter().flat_map(Process::finish).collect();
    assert_eq!(ids.len(), 100);
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 100, "{ids:?}");
    assert_eq!(fixture.pending_document()["items"][0]["id"], 1);
}

#[test]
fn a_broken_pending_file_is_told_and_replaced_by_the_next_questions() {
    let fixture = Fixture::new();
    let broken: [&[u8]; 6] = [b"", b"{", b"[1]", b"{} {}", b"{\"task\": \"\xff\"}", b"null"];
    for text in broken {
        fs::write(fixture.file("pending.json"), text).unwrap();
        let error = fixture.decisions.pending().unwrap_err();
        assert!(
            matches!(&error, StoreError::File(FileError::Corrupt { file, message }) if file == "pending.json" && !message.is_empty()),
            "{text:?}: {error:?}"
        );
        fixture.ask(&questions("repaired")).unwrap();
        assert_eq!(fixture.pending_document()["task"], "repaired");
    }
    for text in [
        r#"{"task":"t"}"#,
        r#"{"_meta":{}}"#,
        r#"{"_meta":[]}"#,
        r#"{"_meta":{"session_id":7}}"#,
        r#"{"_meta":{"session_id":"../../x"}}"#,
    ] {
        fs::write(fixture.file("pending.json"), text).unwrap();
        let error = fixture.decisions.pending().unwrap_err();
        assert!(matches!(error, StoreError::MissingSession), "{text}: {error:?}");
        fixture.ask(&questions("repaired")).unwrap();
    }
}

#[test]
fn ids_stay_above_the_records_when_pending_is_broken() {
    let fixture = Fixture::new();
    fs::write(fixture.file("2998-01-01T00-00-00-10.json"), "{}").unwrap();
    fs::write(fixture.file("2998-01-01T00-00-00-9.json"), "{}").unwrap();
    fs::write(fixture.file("2998-01-01T00-00-00-99.json.tmp"), "{}").unwrap();
    fs::write(fixture.file("pending.json"), "{").unwrap();
    let session = fixture.ask(&questions("above")).unwrap().session;
    assert_eq!(session.to_string(), "2998-01-01T00-00-00-11");
}

#[test]
fn the_end_of_time_is_an_error() {
    let fixture = Fixture::new();
    fs::write(fixture.file("9999-12-31T23-59-59-4294967295.json"), "{}").unwrap();
    let error = fixture.ask(&questions("late")).unwrap_err();
    assert!(matches!(error, StoreError::NoSessionLeft), "{error:?}");
    assert_eq!(fixture.decisions.pending().unwrap(), None);
}

#[test]
fn a_broken_record_is_told() {
    let fixture = Fixture::new();
    let asked = questions("broken record");
    let session = fixture.ask(&asked).unwrap().session;
    let name = format!("{session}.json");
    fs::write(fixture.file(&name), r#"{"input": {}, "output": {}}"#).unwrap();
    for error in [
        fixture.decisions.record(&session).unwrap_err(),
        publish(&fixture.decisions, &session, &asked, output("jwt", ""), Via::Page).unwrap_err(),
    ] {
        assert!(
            matches!(&error, StoreError::File(FileError::Corrupt { file, .. }) if *file == name),
            "{error:?}"
        );
    }
}

#[test]
fn a_file_above_the_limit_is_not_read() {
    let fixture = Fixture::new();
    let file = fs::File::create(fixture.file("pending.json")).unwrap();
    file.set_len((64 << 20) + 1).unwrap();
    let error = fixture.decisions.pending().unwrap_err();
    assert!(matches!(error, StoreError::File(FileError::TooLarge { limit: 67_108_864, .. })), "{error:?}");
    fixture.ask(&questions("small again")).unwrap();
    assert_eq!(fixture.pending_document()["task"], "small again");
}

#[test]
fn questions_too_large_to_be_answered_are_not_asked() {
    let fixture = Fixture::new();
    let before = fixture.ask(&questions("before")).unwrap();
    let mut document = questions("huge").document().clone();
    document.insert("ballast".to_owned(), "x".repeat(33 << 20).into());
    let error = fixture.ask(&parse(&Value::Object(document))).unwrap_err();
    assert!(matches!(error, StoreError::File(FileError::TooLarge { .. })), "{error:?}");
    assert_eq!(fixture.decisions.pending().unwrap(), Some(before));
}

#[test]
fn the_deepest_document_that_can_be_asked_can_be_answered() {
    let fixture = Fixture::new();
    let deep = format!("{}{}", "[".repeat(126), "]".repeat(126));
    let text = Value::Object(questions("deep").document().clone()).to_string();
    let text = format!("{},\"deep\":{deep}}}", text.strip_suffix('}').unwrap());
    let asked = model::Questions::parse(text.as_bytes()).unwrap();
    let session = fixture.ask(&asked).unwrap().session;
    assert_eq!(&fixture.pending_document(), asked.document());
    won(publish(&fixture.decisions, &session, &asked, output("jwt", ""), Via::Page).unwrap());
    assert_eq!(*fixture.decisions.record(&session).unwrap().unwrap().input, *asked.document());
}
