//! Questions in a real folder, seen by their waiter and by the process that ends them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use decide::{DecideError, OpenSet, Outcome, State, SubmitError, WaitEnd};
use model::{Answer, AnswerSheet, Ending, Questions, Returned, SessionId, Via};
use std::future::pending;
use std::time::Duration;
use store::{Decisions, PendingSet, Project, StoreError};
use tempfile::TempDir;

const INPUT: &str = r#"{"task": "t", "source": "s", "items": [{"id": 1, "title": "Which?",
    "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]}]}"#;
const ANSWER: &str = r#"{"decisions": [{"id": 1, "chosen": "a"}]}"#;

struct Fixture {
    folder: TempDir,
    decisions: Decisions,
    pending: PendingSet,
    questions: Questions,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        store::init(folder.path()).unwrap();
        let decisions = Project::at(folder.path()).unwrap().decisions().unwrap();
        let questions = Questions::parse(INPUT.as_bytes()).unwrap();
        let pending = decisions.ask(&questions).unwrap().pending();
        Self { folder, decisions, pending, questions }
    }

    fn open(&self) -> OpenSet<'_> {
        OpenSet { desk: &self.decisions, pending: &self.pending, questions: &self.questions }
    }

    fn replace(&self) -> SessionId {
        let other = Questions::parse(INPUT.replace("\"t\"", "\"another\"").as_bytes()).unwrap();
        self.decisions.ask(&other).unwrap().pending().session
    }

    async fn wait(&self, timeout: Option<Duration>) -> WaitEnd {
        decide::wait(&self.decisions, &self.pending.session, timeout, pending()).await.unwrap()
    }
}

#[tokio::test]
async fn whoever_waits_hears_of_the_end() {
    let asked = Fixture::new();
    // They have no server.
    assert!(matches!(asked.wait(None).await, WaitEnd::Abandoned));
    assert!(matches!(asked.wait(Some(Duration::ZERO)).await, WaitEnd::TimedOut));
    let interrupted = decide::wait(&asked.decisions, &asked.pending.session, None, async { 130 });
    assert!(matches!(interrupted.await.unwrap(), WaitEnd::Interrupted(130)));
    let by = asked.replace();
    let WaitEnd::Ended(ending) = asked.wait(None).await else { panic!("open") };
    assert_eq!(ending, Ending::Replaced(Some(by)));

    let asked = Fixture::new();
    asked.open().submit_json(ANSWER).unwrap();
    assert!(matches!(asked.wait(None).await, WaitEnd::Ended(Ending::Decided(_))));
}

#[test]
fn questions_end_once_and_everybody_else_is_told_how() {
    let asked = Fixture::new();
    let reason = Returned { message: " too early ".to_owned(), items: vec![7, 1] };
    let blank = Returned { message: " ".to_owned(), items: Vec::new() };
    assert!(matches!(asked.open().send_back(&blank, Via::Page), Err(SubmitError::NoReason)));
    assert!(matches!(asked.open().submit_json("{"), Err(SubmitError::NotJson(_))));
    let nothing = AnswerSheet::default();
    assert!(matches!(asked.open().submit_sheet(&nothing, Via::Form), Err(SubmitError::Invalid(_))));

    let record = asked.open().send_back(&reason, Via::Page).unwrap();
    let said = Ending::Returned(Returned { message: "too early".to_owned(), items: vec![1] });
    assert_eq!(record.ending, said);
    let Err(SubmitError::Ended(ending)) = asked.open().submit_json(ANSWER) else { panic!("answered twice") };
    assert_eq!(ending, said);
    let Err(DecideError::Ended { ending, replacement: None }) =
        decide::cancel(&asked.decisions, &asked.pending.session, Via::Terminal)
    else {
        panic!("cancelled")
    };
    assert_eq!(ending, said);
    let found = decide::open_questions(&asked.decisions, &asked.pending.session);
    assert!(matches!(found, Err(DecideError::Ended { .. })), "{found:?}");
}

#[test]
fn what_was_replaced_leads_on_to_what_is_in_its_place() {
    let asked = Fixture::new();
    let by = asked.replace();
    let Err(DecideError::Ended { ending, replacement: Some(replacement) }) =
        asked.open().end(Ending::Cancelled, Via::Terminal)
    else {
        panic!("cancelled")
    };
    assert_eq!(ending, Ending::Replaced(Some(by.clone())));
    assert_eq!((replacement.session, replacement.task.as_str()), (by.clone(), "another"));
    let entries = decide::list(&asked.decisions).unwrap();
    let states: Vec<_> = entries.iter().map(|entry| (entry.state, entry.replaced_by.as_ref())).collect();
    assert_eq!(states, [(State::Unserved, None), (State::Replaced, Some(&by))]);
}

#[test]
fn what_is_unknown_and_what_is_damaged_are_told_apart() {
    let asked = Fixture::new();
    let session = |name: &str| decide::session(&asked.decisions, Some(name));
    assert!(matches!(session("../x"), Err(DecideError::NoSession { name }) if name == "../x"));
    let other = session("2020-01-01T00-00-00").unwrap();
    let found = decide::outcome(&asked.decisions, &other);
    assert!(matches!(found, Err(DecideError::NoSession { .. })), "{found:?}");
    let found = decide::outcome(&asked.decisions, &asked.pending.session).unwrap();
    assert!(matches!(found, Outcome::Unserved { has_older: false, .. }), "{found:?}");
    let folder = asked.folder.path().join(".aide/decisions");
    std::fs::write(folder.join("2020-01-01T00-00-00.json"), "{").unwrap();
    let found = decide::record(&asked.decisions, &other);
    assert!(matches!(found, Err(DecideError::RecordCorrupt { .. })), "{found:?}");
    std::fs::write(folder.join("pending.json"), "{").unwrap();
    let found = decide::pending(&asked.decisions);
    assert!(matches!(found, Err(DecideError::PendingCorrupt { .. })), "{found:?}");
}

#[test]
fn files_are_answers_by_every_door_and_only_those_that_are_there() {
    let input = r#"{"task": "t", "source": "s", "items": [{"id": 3, "title": "Which?", "kind": "files"}]}"#;
    let questions = Questions::parse(input.as_bytes()).unwrap();
    let mut asked = Fixture::new();
    let attach = |asked: &Fixture, content: &[u8]| {
        let open = asked.open();
        let mut upload = open.desk.attach(open.pending, open.questions, 3, "a").unwrap();
        upload.write(content).unwrap();
        upload.finish().unwrap()
    };
    let answer = Answer { id: 3, options: vec![0], ..Answer::default() };
    let sheet = AnswerSheet { answers: vec![answer], ..AnswerSheet::default() };
    for by_sheet in [true, false] {
        asked.questions = questions.clone();
        asked.pending = asked.decisions.ask(&questions).unwrap().pending();
        let submit = |json: &str| {
            let open = asked.open();
            if by_sheet { open.submit_sheet(&sheet, Via::Page) } else { open.submit_json(json) }
        };
        let plain = r#"{"decisions": [{"id": 3, "chosen": null}]}"#;
        assert!(matches!(submit(plain), Err(SubmitError::Invalid(_))), "nothing is attached");
        let file = attach(&asked, b"one");
        let looked_at = asked.open().desk.attachments(&asked.pending.session).unwrap();
        let output = sheet.decide(questions.input(), &looked_at).unwrap();
        attach(&asked, b"two");
        let ended = asked.open().end(Ending::Decided(output), Via::Terminal);
        assert!(matches!(ended, Err(DecideError::Store(StoreError::AttachmentsChanged))));
        let file_now = attach(&asked, b"one");
        assert_eq!(file, file_now);
        let Ending::Decided(output) = submit(plain).unwrap().ending else { panic!("not decided") };
        assert_eq!(output.decisions[0].files, [file]);
    }
}
