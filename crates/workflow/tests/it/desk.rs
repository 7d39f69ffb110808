//! Decisions as sets of questions: shown, drafted, answered, sent back, and published in the history of their project.

use crate::support::Scene;
use decide::Desk;
use files::{Dir, Lock};
use model::{Answer, AnswerSheet, Ending, Origin, Questions, Returned, Via};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use store::{PendingSet, Project, PublishOutcome};
use tempfile::TempDir;
use workflow::{JournalDesk, NewDecision, NewMessage, NewSession, Runtime};

const LONG: Duration = Duration::from_secs(60);

/// A project with a folder for its decisions.
fn project() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    store::init(folder.path()).unwrap();
    folder
}

/// A workflow of a session in this folder; its name.
fn begin(runtime: &Runtime, root: &Path) -> String {
    let path = root.canonicalize().unwrap().to_str().unwrap().to_owned();
    let session = NewSession { name: None, project_path: Some(path) };
    let session: Value = serde_json::from_str(&runtime.create_session(None, &session).unwrap()).unwrap();
    let message = json!({ "content": "搜索 deepseek", "sessionId": session["id"] });
    let target = "finger-orchestrator".to_owned();
    let sent = runtime
        .send(None, &NewMessage { target, message, sender: None, is_awaited: false, callback_id: None });
    let sent: Value = serde_json::from_str(&sent.unwrap()).unwrap();
    sent["workflowId"].as_str().unwrap().to_owned()
}

fn ask(runtime: &Runtime, workflow: &str, message: &str, options: &[&str]) -> String {
    let new = NewDecision {
        workflow_id: Some(workflow.to_owned()),
        message: message.to_owned(),
        options: options.iter().map(|option| (*option).to_owned()).collect(),
        ..NewDecision::default()
    };
    let created: Value = serde_json::from_str(&runtime.create_decision(None, &new).unwrap()).unwrap();
    created["decisionId"].as_str().unwrap().to_owned()
}

/// What lies open, and the questions themselves.
fn only(desk: &JournalDesk) -> (PendingSet, Questions) {
    let [pending] = &desk.open().unwrap()[..] else { panic!("not one") };
    let (again, questions) = desk.get(&pending.session).unwrap().unwrap();
    assert_eq!(&again, pending);
    (again, questions)
}

fn sheet(options: Vec<u32>, note: &str) -> AnswerSheet {
    let note = note.to_owned();
    AnswerSheet { answers: vec![Answer { id: 1, options, note, ..Answer::default() }], returned: None }
}

struct DeskFixture {
    scene: Scene,
    desk: JournalDesk,
    runtime: Arc<Runtime>,
    folder: TempDir,
    workflow: String,
    decision: String,
}

fn asked(message: &str, options: &[&str]) -> DeskFixture {
    let scene = Scene::in_memory();
    let runtime = scene.shared();
    let folder = project();
    let workflow = begin(&runtime, folder.path());
    let decision = ask(&runtime, &workflow, message, options);
    DeskFixture { desk: JournalDesk::new(Arc::clone(&runtime)), scene, runtime, folder, workflow, decision }
}

#[test]
fn a_decision_is_a_set_of_one_question_that_tells_who_asks() {
    let asked = asked("检测到网络访问，是否继续？", &["Y", "n"]);
    let (pending, questions) = only(&asked.desk);
    assert_eq!(pending.task, "搜索 deepseek");
    let Origin::Workflow { workflow, decision, .. } = &pending.origin else { panic!("{:?}", pending.origin) };
    assert_eq!((workflow.as_deref(), decision), (Some(&*asked.workflow), &asked.decision));
    assert_eq!(pending.deadline, None);
    let [item] = &questions.input().items[..] else { panic!("not one") };
    assert_eq!(item.title, "检测到网络访问，是否继续？");
    let project = asked.desk.project(&pending).unwrap();
    assert_eq!(project.root(), asked.folder.path().canonicalize().unwrap());
}

#[test]
fn an_answer_on_the_page_is_the_answer_and_stands_in_the_history_of_the_project() {
    let asked = asked("找到 3 篇论文，选择哪些？", &["a.pdf", "b.pdf", "c.pdf"]);
    let (pending, questions) = only(&asked.desk);
    let given = sheet(vec![0, 2], "the short ones");
    assert!(asked.desk.save_draft(&pending, &questions, &given, Via::Form).unwrap());
    assert_eq!(asked.desk.draft(&pending, &questions), given);
    assert!(asked.desk.draft_saved_at(&pending, &questions).is_some());
    let output = given.decide(questions.input(), &model::Attachments::new()).unwrap();
    let published = asked.desk.publish(&pending, &questions, Ending::Decided(output.clone()), Via::Page);
    let PublishOutcome::Won(record) = published.unwrap() else { panic!("lost") };
    assert_eq!(record.ending, Ending::Decided(output.clone()));
    // The choice came in by the form, and was only sent by the page.
    assert_eq!(record.meta.as_ref().unwrap().items[0].via, Via::Form);
    let told = asked.runtime.decision(&asked.decision).unwrap();
    assert_eq!((told.status.as_str(), told.response.as_deref()), ("answered", Some("1,3")));
    assert_eq!(told.selected, ["a.pdf", "c.pdf"]);
    assert_eq!((told.note.as_deref(), told.responded_by.as_deref()), (Some("the short ones"), Some("page")));
    let (kind, payload) = asked.scene.events_of(&asked.runtime, 0).pop().unwrap();
    assert_eq!(kind, "user_decision_received");
    assert_eq!(payload["decision"], "1,3");
    assert_eq!(payload["context"], json!({ "note": "the short ones" }));
    // A second answer is refused, by the desk as by the runtime.
    let late = asked.desk.publish(&pending, &questions, Ending::Cancelled, Via::Terminal).unwrap();
    assert_eq!(late, PublishOutcome::Lost(Ending::Decided(output)));
    let refused = asked.runtime.respond(None, &asked.decision, "2").unwrap_err();
    assert!(refused.to_string().contains("already resolved"), "{refused}");
    assert!(asked.desk.open().unwrap().is_empty());
    // Published once, however often that is tried.
    let decisions = Project::at(asked.folder.path()).unwrap().decisions().unwrap();
    assert!(decisions.records().unwrap().is_empty());
    assert_eq!(asked.runtime.deliver(LONG).unwrap(), Vec::<String>::new());
    assert_eq!(asked.runtime.deliver(LONG).unwrap(), Vec::<String>::new());
    let only = [pending.session];
    assert_eq!(decisions.records().unwrap(), only);
    assert_eq!(decisions.record(&only[0]).unwrap().unwrap(), record);
    assert_eq!(decisions.adopt(&record).unwrap(), only[0]);
}

#[test]
fn questions_of_the_folder_that_have_the_name_keep_it() {
    let asked = asked("go on?", &["Y", "n"]);
    let (pending, questions) = only(&asked.desk);
    let decisions = Project::at(asked.folder.path()).unwrap().decisions().unwrap();
    let output = sheet(vec![0], "").decide(questions.input(), &model::Attachments::new()).unwrap();
    asked.desk.publish(&pending, &questions, Ending::Decided(output), Via::Page).unwrap();
    let record = asked.desk.record(&pending.session).unwrap().unwrap();
    let mut other = record.clone();
    other.meta.as_mut().unwrap().origin = Origin::Decide;
    assert_eq!(decisions.adopt(&other).unwrap(), pending.session);
    asked.runtime.deliver(LONG).unwrap();
    let second = format!("{}-2", pending.session).parse().unwrap();
    assert_eq!(decisions.records().unwrap(), [second, pending.session.clone()]);
    assert_eq!(decisions.record(&pending.session).unwrap().unwrap(), other);
    asked.runtime.deliver(LONG).unwrap();
    assert_eq!(decisions.records().unwrap().len(), 2);
}

#[test]
fn what_is_sent_back_is_no_answer_and_says_why() {
    let asked = asked("which?", &[]);
    let (pending, questions) = only(&asked.desk);
    let returned = Returned { message: "of what?".to_owned(), items: vec![1] };
    let ending = Ending::Returned(returned);
    let published = asked.desk.publish(&pending, &questions, ending.clone(), Via::Form).unwrap();
    assert!(matches!(published, PublishOutcome::Won(record) if record.ending == ending));
    let told = asked.runtime.decision(&asked.decision).unwrap();
    assert_eq!((told.status.as_str(), told.response), ("returned", None));
    assert_eq!(told.note.as_deref(), Some("of what?"));
    let (_, payload) = asked.scene.events_of(&asked.runtime, 0).pop().unwrap();
    assert_eq!(payload["decision"], "returned");
    assert_eq!(payload["context"], json!({ "note": "of what?" }));
}

#[test]
fn whoever_watches_sees_every_end() {
    let asked = asked("which?", &[]);
    let (pending, _) = only(&asked.desk);
    let mut watch = asked.desk.watch(&pending.session);
    assert_eq!(watch.look().unwrap(), None);
    asked.runtime.respond(None, &asked.decision, "because").unwrap();
    let Some(Ending::Decided(output)) = watch.look().unwrap() else { panic!("open") };
    assert_eq!(output.decisions[0].other.as_deref(), Some("because"));
    // A deadline ends it as well, at the next look.
    let new = NewDecision { message: "soon".to_owned(), timeout_ms: Some(500), ..NewDecision::default() };
    asked.runtime.create_decision(None, &new).unwrap();
    let (pending, _) = only(&asked.desk);
    assert!(pending.deadline.is_some());
    let mut watch = asked.desk.watch(&pending.session);
    assert_eq!(watch.look().unwrap(), None);
    asked.scene.world.pass(500);
    assert_eq!(watch.look().unwrap(), Some(Ending::Expired(pending.deadline.clone().unwrap())));
    // So does the end of the workflow that waits for it.
    ask(&asked.runtime, &asked.workflow, "never mind", &[]);
    let (pending, _) = only(&asked.desk);
    let mut watch = asked.desk.watch(&pending.session);
    asked.runtime.cancel(None, &asked.workflow).unwrap();
    assert_eq!(watch.look().unwrap(), Some(Ending::Cancelled));
}

#[test]
fn a_history_that_cannot_be_written_is_tried_again_and_one_that_is_not_there_is_not() {
    let asked = asked("which?", &[]);
    let decisions = asked.folder.path().join(".aide/decisions");
    // Something else has the place of the folder.
    std::fs::remove_dir_all(&decisions).unwrap();
    std::fs::write(&decisions, "").unwrap();
    asked.runtime.respond(None, &asked.decision, "because").unwrap();
    assert_eq!(asked.runtime.deliver(LONG).unwrap().len(), 1);
    // Not at once.
    assert!(asked.runtime.deliver(LONG).unwrap().is_empty());
    std::fs::remove_file(&decisions).unwrap();
    asked.scene.world.pass(2000);
    assert!(asked.runtime.deliver(LONG).unwrap().is_empty());
    let published = Project::at(asked.folder.path()).unwrap().decisions().unwrap();
    assert_eq!(published.records().unwrap().len(), 1);
    ask(&asked.runtime, &asked.workflow, "again", &[]);
    let (pending, questions) = only(&asked.desk);
    asked.desk.publish(&pending, &questions, Ending::Cancelled, Via::Terminal).unwrap();
    std::fs::remove_dir_all(asked.folder.path().join(".aide")).unwrap();
    assert!(asked.runtime.deliver(LONG).unwrap().is_empty());
    asked.scene.world.pass(10_000_000);
    assert!(asked.runtime.deliver(LONG).unwrap().is_empty());
    assert!(!asked.folder.path().join(".aide").exists());
}

#[test]
fn a_project_that_does_not_answer_holds_up_the_history_of_no_other() {
    let asked = asked("which?", &[]);
    let other = project();
    let elsewhere = begin(&asked.runtime, other.path());
    let decision = ask(&asked.runtime, &elsewhere, "which?", &[]);
    let records = |folder: &TempDir| {
        let decisions = Project::at(folder.path()).unwrap().decisions().unwrap();
        decisions.records().unwrap().len()
    };
    assert_eq!((records(&asked.folder), records(&other)), (0, 0));
    // A writer in that folder waits, as for a disk.
    let held = Lock::take(&Dir::open(&asked.folder.path().join(".aide/decisions")).unwrap()).unwrap();
    asked.runtime.respond(None, &asked.decision, "because").unwrap();
    asked.runtime.respond(None, &decision, "because").unwrap();
    let troubles = asked.runtime.deliver(Duration::from_millis(500)).unwrap();
    let silent = format!("record-{}: the disk of the project does not answer", asked.decision);
    assert!(troubles.contains(&silent), "{troubles:?}");
    while records(&other) == 0 {
        thread::yield_now();
    }
    assert_eq!(records(&asked.folder), 0);
    drop(held);
    // A publication that was given up continues without another try, and is not repeated.
    while records(&asked.folder) == 0 {
        thread::yield_now();
    }
    let publish_all = || {
        asked.scene.world.pass(10_000_000);
        asked.runtime.deliver(LONG).unwrap()
    };
    // The record has its name before its thread has ended.
    while !publish_all().is_empty() {}
    assert_eq!(publish_all(), Vec::<String>::new());
    assert_eq!((records(&asked.folder), records(&other)), (1, 1));
}
