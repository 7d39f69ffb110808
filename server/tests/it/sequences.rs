//! Whatever happens in whatever order, the disk matches a model of a few lines: an acknowledged answer stays as it was,
//! and no answer appears that was not given.
//!
//! A kill and a restart drop every handle and leave the files as they are; the remains of an interrupted write are
//! planted. Kills of real processes are in `crates/store/tests`.

use crate::support::check_sequences;
use app::{BlankForm, Form, Hall};
use decide::SubmitError;
use files::Registration;
use model::{
    Answer, AnswerSheet, Chosen, DecideOutput, Decision, DecisionRecord, Ending, Questions, Returned,
    SessionId, Via,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{AskOutcome, Decisions, Project, PublishOutcome, ServerClaimOutcome, ServerInfo, Watch};
use tempfile::TempDir;
use texts::Lang;
use tokio::sync::oneshot;
use tokio::sync::oneshot::error::TryRecvError;

/// How many sequences are tried.
const SEQUENCES: u32 = 600;
const MAX_OPS: usize = 40;

/// The two items of every set of questions.
const ITEMS: [u64; 2] = [1, 2];
/// Their two options.
const VALUES: [&str; 2] = ["a", "b"];

#[derive(Debug, Clone)]
enum Op {
    /// An agent asks one of a few sets of questions, in the place of whatever is pending.
    Ask(usize),
    /// A server of the pending questions starts, unless one is there.
    Serve,
    Draft(ShownQuestions, Sheet, Via),
    Answer(ShownQuestions, Sheet, Via),
    AnswerJson(Sheet),
    SendBack(ShownQuestions, &'static str, Vec<u64>),
    /// An agent cancels the pending questions.
    Cancel,
    /// The server looks what others have done, and ends if there is reason to.
    Look,
    /// The server's time is up.
    Expire,
    /// The server is killed, and leaves half a file of this name.
    Kill(Option<Half>),
    /// Every handle is opened anew, after the holder of the old one was killed.
    Restart,
}

/// Which questions an open page shows.
#[derive(Debug, Clone, Copy)]
enum ShownQuestions {
    Served,
    Earlier,
    Nonsense,
}

/// What is half written when a kill comes.
#[derive(Debug, Clone, Copy)]
enum Half {
    Pending,
    Draft,
    Record,
    Server,
}

/// What is given for each item; the third option does not exist, nor does the item 9.
#[derive(Debug, Clone)]
struct Sheet {
    given: [(Option<u32>, &'static str); 2],
    stray: bool,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let shown = || prop_oneof![8 => Just(ShownQuestions::Served), 1 => Just(ShownQuestions::Earlier), 1 => Just(ShownQuestions::Nonsense)];
    let via = || select(vec![Via::Page, Via::Form]);
    let half =
        select(vec![None, Some(Half::Pending), Some(Half::Draft), Some(Half::Record), Some(Half::Server)]);
    let op = prop_oneof![
        6 => (0..3_usize).prop_map(Op::Ask),
        6 => Just(Op::Serve),
        6 => (shown(), sheet(), via()).prop_map(|(shown, sheet, via)| Op::Draft(shown, sheet, via)),
        5 => (shown(), sheet(), via()).prop_map(|(shown, sheet, via)| Op::Answer(shown, sheet, via)),
        2 => sheet().prop_map(Op::AnswerJson),
        2 => (shown(), select(vec!["", " \n", " why? "]), vec(select(vec![1, 2, 9]), 0..3))
            .prop_map(|(shown, message, items)| Op::SendBack(shown, message, items)),
        1 => Just(Op::Cancel),
        3 => Just(Op::Look),
        1 => Just(Op::Expire),
        2 => half.prop_map(Op::Kill),
        1 => Just(Op::Restart),
    ];
    vec(op, 1..=MAX_OPS)
}

fn sheet() -> impl Strategy<Value = Sheet> {
    let option = || prop_oneof![5 => Just(Some(0)), 5 => Just(Some(1)), 1 => Just(None), 1 => Just(Some(2))];
    let given = || (option(), select(vec!["", " ", "note\n二"]));
    (given(), given(), prop::bool::weighted(0.05))
        .prop_map(|(first, second, stray)| Sheet { given: [first, second], stray })
}

impl Sheet {
    fn answers(&self) -> AnswerSheet {
        let given = ITEMS.iter().zip(self.given);
        let mut answers: Vec<_> = given
            .map(|(id, (option, note))| Answer {
                id: *id,
                options: option.into_iter().collect(),
                note: note.to_owned(),
                ..Answer::default()
            })
            .collect();
        if self.stray {
            answers.push(Answer { id: 9, options: vec![0], ..Answer::default() });
        }
        AnswerSheet { answers, ..AnswerSheet::default() }
    }

    fn json(&self) -> String {
        let given = ITEMS.iter().zip(self.given);
        let mut decisions: Vec<_> = given
            .filter_map(|(id, (option, note))| {
                let chosen = VALUES.get(option? as usize).unwrap_or(&"c");
                Some(json!({"id": id, "chosen": chosen, "note": note}))
            })
            .collect();
        if self.stray {
            decisions.push(json!({"id": 9, "chosen": "a"}));
        }
        json!({"decisions": decisions}).to_string()
    }

    /// The answers this amounts to, if it is complete and fits.
    fn output(&self) -> Option<DecideOutput> {
        let decision = |(id, (option, note)): (&u64, (Option<u32>, &str))| {
            let chosen = VALUES.get(option? as usize)?;
            let note = (!note.trim().is_empty()).then(|| note.to_owned());
            Some(Decision {
                id: *id,
                chosen: Chosen::One((*chosen).to_owned()),
                other: None,
                files: Vec::new(),
                note,
            })
        };
        let decisions = ITEMS.iter().zip(self.given).map(decision).collect::<Option<_>>()?;
        (!self.stray).then_some(DecideOutput::complete(decisions))
    }
}

/// What should be true.
#[derive(Default)]
struct Model {
    asked: Vec<ModelSession>,
    draft: Option<ModelDraft>,
    /// The session that is served.
    served: Option<usize>,
    /// Half files that were left and that nothing has cleared away yet.
    halves: BTreeSet<String>,
}

struct ModelSession {
    id: SessionId,
    questions: usize,
    /// How it ended, by which door, and the doors of its choices.
    ending: Option<(Ending, Via, Vec<Via>)>,
    /// What was filled in when they were sent back, and by which door.
    filled_in: Vec<(Answer, Via)>,
}

struct ModelDraft {
    questions: usize,
    sheet: AnswerSheet,
    /// By which door each choice first came.
    doors: HashMap<(u64, u32), Via>,
}

impl Model {
    fn close(&mut self, session: usize, ending: Ending, via: Via) {
        let questions = self.asked[session].questions;
        let draft = self.draft.take_if(|draft| draft.questions == questions);
        let (sheet, doors) = draft.map(|draft| (draft.sheet, draft.doors)).unwrap_or_default();
        if let Ending::Returned(returned) = &ending {
            let kept = sheet.answers.iter().filter(|answer| !returned.items.contains(&answer.id));
            let door = |answer: &Answer| {
                let chosen = answer.options.first().map(|option| (answer.id, *option));
                chosen.and_then(|chosen| doors.get(&chosen).copied()).unwrap_or(via)
            };
            self.asked[session].filled_in = kept.map(|answer| (answer.clone(), door(answer))).collect();
        }
        let items = match &ending {
            Ending::Decided(output) => {
                let door = |decision: &Decision| {
                    let option = VALUES.iter().position(|value| decision.chosen.has(value)).unwrap();
                    doors.get(&(decision.id, option as u32)).copied().unwrap_or(via)
                };
                output.decisions.iter().map(door).collect()
            }
            _ => Vec::new(),
        };
        self.asked[session].ending = Some((ending, via, items));
    }

    /// What was filled in for these questions, if they were sent back when they were last dealt with, and by which door.
    fn filled_in(&self, questions: usize) -> Option<Vec<(Answer, Via)>> {
        let mut same = self.asked.iter().rev().filter(|session| session.questions == questions);
        let last = same.find_map(|session| match &session.ending {
            Some((Ending::Decided(_), ..)) => Some(None),
            Some((Ending::Returned(_), ..)) => Some(Some(session.filled_in.clone())),
            _ => None,
        });
        last.flatten()
    }

    /// Fills them in, beside what the draft has.
    fn fill_in(&mut self, questions: usize, filled_in: Option<Vec<(Answer, Via)>>) {
        let Some(mut answers) = filled_in.filter(|answers| !answers.is_empty()) else { return };
        // That of other questions makes room.
        let draft = self.draft.take();
        let mut draft = draft.filter(|draft| draft.questions == questions).unwrap_or_else(|| ModelDraft {
            questions,
            sheet: AnswerSheet::default(),
            doors: HashMap::new(),
        });
        answers.retain(|(answer, _)| draft.sheet.answers.iter().all(|kept| kept.id != answer.id));
        for (answer, via) in &answers {
            draft.doors.extend(answer.options.first().map(|option| ((answer.id, *option), *via)));
        }
        draft.sheet.answers.extend(answers.into_iter().map(|(answer, _)| answer));
        draft.sheet.answers.sort_by_key(|answer| answer.id);
        self.draft = Some(draft);
    }

    /// Whether others have been asked in the place of the questions that are served.
    fn is_served_replaced(&self) -> bool {
        let ending = self.served.and_then(|served| self.asked[served].ending.as_ref());
        matches!(ending, Some((Ending::Replaced(_), ..)))
    }

    fn keep_draft(&mut self, session: usize, mut sheet: AnswerSheet, via: Via) {
        if self.asked[session].ending.is_some() {
            return;
        }
        let questions = self.asked[session].questions;
        sheet.answers.retain(|answer| ITEMS.contains(&answer.id) && !answer.is_empty());
        let earlier = self.draft.take().filter(|draft| draft.questions == questions);
        let earlier = earlier.map(|draft| draft.doors).unwrap_or_default();
        let chosen = sheet.answers.iter().filter_map(|answer| Some((answer.id, *answer.options.first()?)));
        let doors = chosen.map(|choice| (choice, earlier.get(&choice).copied().unwrap_or(via))).collect();
        self.draft = Some(ModelDraft { questions, sheet, doors });
        self.halves.remove("draft.json.tmp");
    }
}

/// A server, without its sockets.
struct ServerTask {
    hall: Hall,
    ended: oneshot::Receiver<Ending>,
    registration: Registration,
    watch: Watch,
}

/// What is true.
struct World {
    folder: TempDir,
    questions: Vec<Questions>,
    decisions: Decisions,
    serving: Option<ServerTask>,
    /// The bytes of every record when it was acknowledged.
    records: BTreeMap<PathBuf, Vec<u8>>,
    model: Model,
}

impl World {
    fn new() -> Self {
        let folder = memory_folder();
        store::init(folder.path()).unwrap();
        let decisions = Project::at(folder.path()).unwrap().decisions().unwrap();
        let questions = (0..3).map(|task| questions(&format!("task {task}"))).collect();
        Self {
            folder,
            questions,
            decisions,
            serving: None,
            records: BTreeMap::new(),
            model: Model::default(),
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(".aide/decisions").join(name)
    }

    fn apply(&mut self, op: &Op) {
        match op {
            Op::Ask(questions) => self.ask(*questions),
            Op::Serve => self.serve(),
            Op::Draft(shown, sheet, via) => self.draft(*shown, sheet, *via),
            Op::Answer(shown, sheet, via) => {
                let Some((form, shown)) = self.page(*shown) else { return };
                let result = form.and_then(|form| form.submit_sheet(&sheet.answers(), *via, None).map(drop));
                self.ended(&shown, sheet.output().map(Ending::Decided), *via, result);
            }
            Op::AnswerJson(sheet) => {
                let Some((form, shown)) = self.page(ShownQuestions::Served) else { return };
                let result = form.and_then(|form| form.submit_json(&sheet.json()));
                self.ended(&shown, sheet.output().map(Ending::Decided), Via::Api, result);
            }
            Op::SendBack(shown, message, items) => {
                let Some((form, shown)) = self.page(*shown) else { return };
                let returned = Returned { message: (*message).to_owned(), items: items.clone() };
                let result = form.and_then(|form| form.send_back(&returned, Via::Form).map(drop));
                let items = ITEMS.into_iter().filter(|id| items.contains(id)).collect();
                let said = Returned { message: message.trim().to_owned(), items };
                let ending = (!said.message.is_empty()).then_some(Ending::Returned(said));
                self.ended(&shown, ending, Via::Form, result);
            }
            Op::Cancel => self.cancel(),
            Op::Look => self.look(),
            Op::Expire => self.stop(),
            Op::Kill(half) => {
                self.stop();
                self.leave(*half);
            }
            Op::Restart => {
                self.stop();
                self.decisions = Project::at(self.folder.path()).unwrap().decisions().unwrap();
            }
        }
    }

    fn ask(&mut self, questions: usize) {
        let asked = self.decisions.ask(&self.questions[questions]).unwrap();
        let last = self.model.asked.last();
        let again = last.is_some_and(|last| last.questions == questions && last.ending.is_none());
        match &asked {
            AskOutcome::Again(pending) => {
                assert!(again, "taken for the same");
                assert_eq!(pending.session, last.unwrap().id);
            }
            AskOutcome::Anew(_) | AskOutcome::Replacing { .. } => {
                assert!(!again, "not taken for the same");
                let open = last.filter(|last| last.ending.is_none()).map(|last| last.id.clone());
                let replaced = match &asked {
                    AskOutcome::Replacing { replaced, .. } => Some(replaced.session.clone()),
                    _ => None,
                };
                assert_eq!(replaced, open);
                let pending = asked.pending();
                assert!(last.is_none_or(|last| last.id < pending.session), "{}", pending.session);
                if replaced.is_some() {
                    let last = self.model.asked.len() - 1;
                    let ending = Ending::Replaced(Some(pending.session.clone()));
                    // The draft stays: another set may have the same questions.
                    self.model.asked[last].ending = Some((ending, Via::Terminal, Vec::new()));
                    self.remember(last);
                }
                let id = pending.session;
                // The record of those that were replaced came after the look at the others.
                let filled_in = self.model.filled_in(questions);
                self.model.asked.push(ModelSession { id, questions, ending: None, filled_in: Vec::new() });
                self.model.halves.clear();
                self.model.fill_in(questions, filled_in);
            }
        }
    }

    fn serve(&mut self) {
        let Some((pending, questions)) = self.decisions.pending_questions().unwrap() else {
            assert!(self.model.asked.is_empty());
            return;
        };
        let info = ServerInfo {
            pid: 1,
            port: 3721,
            url: "http://localhost:3721".to_owned(),
            started_at: store::now(),
            session_id: Some(pending.session.clone()),
            ..ServerInfo::default()
        };
        match self.decisions.claim_server().unwrap() {
            ServerClaimOutcome::AlreadyRunning(other) => {
                let served = self.model.served.expect("nobody serves");
                assert_eq!(other.session_id.as_ref(), Some(&self.model.asked[served].id));
            }
            ServerClaimOutcome::Ours(claim) => {
                assert_eq!(self.model.served, None, "two servers");
                let registration = claim.register(&info).unwrap();
                let watch = self.decisions.watch(pending.session.clone());
                let project = Project::at(self.folder.path()).unwrap();
                let form = BlankForm::prepare(questions, Lang::Zh);
                let (hall, ended) = Hall::new(project, self.decisions.clone(), pending, form, None);
                self.serving = Some(ServerTask { hall, ended, registration, watch });
                self.model.served = Some(self.model.asked.len() - 1);
                self.model.halves.remove("server.json.tmp");
            }
        }
    }

    /// The questions that a page shows, as far as the server knows them, and the name that the page has for them.
    fn page(&self, shown: ShownQuestions) -> Option<(Result<Arc<Form>, SubmitError>, String)> {
        let serving = self.serving.as_ref()?;
        let shown = match shown {
            ShownQuestions::Served => serving.hall.own().unwrap().id().to_string(),
            ShownQuestions::Earlier => "2001-01-01T00-00-00".to_owned(),
            ShownQuestions::Nonsense => "../x".to_owned(),
        };
        Some((serving.hall.form_named(&shown).ok_or(SubmitError::Stale), shown))
    }

    fn draft(&mut self, shown: ShownQuestions, sheet: &Sheet, via: Via) {
        let Some((form, shown)) = self.page(shown) else { return };
        let served = self.model.asked[self.model.served.unwrap()].id.to_string();
        match form.and_then(|form| form.save_draft(&sheet.answers(), via)) {
            Ok(()) => {
                assert_eq!(shown, served, "a draft of other questions was taken");
                assert!(!self.model.is_served_replaced(), "a draft of replaced questions was taken");
                self.model.keep_draft(self.model.served.unwrap(), sheet.answers(), via);
            }
            Err(SubmitError::Stale) => {
                assert!(shown != served || self.model.is_served_replaced());
            }
            Err(other) => panic!("{other:?}"),
        }
    }

    /// `result` came of an attempt to end the questions that the page `shown` shows; `ending` is what it was about, if
    /// it was about anything.
    fn ended(&mut self, shown: &str, ending: Option<Ending>, via: Via, result: Result<(), SubmitError>) {
        let served = self.model.served.unwrap();
        let stale = shown != self.model.asked[served].id.to_string();
        if !stale && ending.is_some() {
            self.model.halves.remove(&format!("{}.json.tmp", self.model.asked[served].id));
        }
        let stands = self.model.asked[served].ending.as_ref().map(|(ending, ..)| ending);
        match (result, stands) {
            (Err(SubmitError::Stale), _) => assert!(stale),
            (Err(SubmitError::Ended(Ending::Replaced(_))), Some(Ending::Replaced(_))) => assert!(!stale),
            (Err(SubmitError::Invalid(_) | SubmitError::NoReason), _) => assert!(!stale && ending.is_none()),
            (Err(SubmitError::Ended(told)), Some(stands)) => {
                assert!(!stale && ending.is_some());
                assert_eq!(told, *stands);
            }
            (Ok(()), None) => {
                assert!(!stale && !self.model.is_served_replaced());
                let ending = ending.expect("something that is no answer was accepted");
                let serving = self.serving.as_mut().unwrap();
                assert_eq!(serving.ended.try_recv().as_ref(), Ok(&ending), "the command was not told");
                self.model.close(served, ending, via);
                self.remember(served);
            }
            (result, stands) => panic!("{result:?}, and {stands:?} stands"),
        }
    }

    fn cancel(&mut self) {
        let Some((pending, questions)) = self.decisions.pending_questions().unwrap() else { return };
        let last = self.model.asked.len() - 1;
        let ending = Ending::Cancelled;
        self.model.halves.remove(&format!("{}.json.tmp", pending.session));
        match self.decisions.publish(&pending, &questions, ending.clone(), Via::Terminal).unwrap() {
            PublishOutcome::Won(_) => {
                assert!(self.model.asked[last].ending.is_none(), "ended twice");
                self.model.close(last, ending, Via::Terminal);
                self.remember(last);
            }
            PublishOutcome::Lost(ending) => {
                let stands = self.model.asked[last].ending.as_ref().map(|(ending, ..)| ending);
                assert_eq!(Some(&ending), stands);
            }
        }
    }

    /// Keeps the bytes of a record that was just acknowledged.
    fn remember(&mut self, session: usize) {
        let path = self.file(&format!("{}.json", self.model.asked[session].id));
        let bytes = fs::read(&path).unwrap();
        assert_eq!(self.records.insert(path, bytes), None);
    }

    fn look(&mut self) {
        let Some(serving) = &mut self.serving else { return };
        let served = self.model.served.unwrap();
        let replaced = served + 1 < self.model.asked.len();
        match (serving.watch.look().unwrap(), &self.model.asked[served].ending) {
            (Some(Ending::Replaced(_)), Some((Ending::Replaced(_), ..))) => {
                assert!(replaced);
                self.stop();
            }
            (Some(seen), Some((ending, ..))) => {
                assert_eq!(seen, *ending);
                // A server whose questions have ended takes its file away.
                self.serving = None;
                self.model.served = None;
                assert!(!self.file("server.json").exists());
            }
            (None, None) => assert!(!replaced),
            (seen, stands) => panic!("saw {seen:?}, {stands:?} stands"),
        }
    }

    /// The server ends before its questions, or is killed: both leave its file and give back its lock.
    fn stop(&mut self) {
        if let Some(mut serving) = self.serving.take() {
            // No answer was reported that was not given.
            let told = serving.ended.try_recv();
            assert!(matches!(told, Err(TryRecvError::Empty | TryRecvError::Closed)), "{told:?}");
            serving.registration.leave_file();
        }
        self.model.served = None;
    }

    fn leave(&mut self, half: Option<Half>) {
        let name = match half {
            None => return,
            Some(Half::Pending) => "pending.json.tmp".to_owned(),
            Some(Half::Draft) => "draft.json.tmp".to_owned(),
            Some(Half::Server) => "server.json.tmp".to_owned(),
            Some(Half::Record) => match self.model.asked.last() {
                Some(last) => format!("{}.json.tmp", last.id),
                None => return,
            },
        };
        fs::write(self.file(&name), "{\n  \"task\": \"ha").unwrap();
        self.model.halves.insert(name);
    }

    /// The disk and the answers agree with the model.
    fn check(&self) {
        let model = &self.model;
        let pending = self.decisions.pending_questions().unwrap();
        let last = model.asked.last().map(|last| (&last.id, &self.questions[last.questions]));
        assert_eq!(pending.as_ref().map(|(pending, questions)| (&pending.session, questions)), last);

        let live = self.decisions.live_server().unwrap().and_then(|server| server.session_id);
        assert_eq!(live.as_ref(), model.served.map(|served| &model.asked[served].id));

        let slot = pending.as_ref().map(|(pending, _)| pending);
        for (index, questions) in self.questions.iter().enumerate() {
            let draft = model.draft.as_ref().filter(|draft| draft.questions == index);
            let expected = draft.map(|draft| draft.sheet.clone()).unwrap_or_default();
            let found = slot.map(|slot| self.decisions.draft(slot, questions)).unwrap_or_default();
            assert_eq!(found, expected);
        }

        for session in model.asked.iter().rev().take(3) {
            self.check_record(session);
        }
        let closed = model.asked.iter().rev().filter(|session| session.ending.is_some());
        assert_eq!(self.decisions.records().unwrap(), closed.map(|s| s.id.clone()).collect::<Vec<_>>());

        let halves: BTreeSet<_> = names(&self.file("")).filter(|name| name.ends_with(".tmp")).collect();
        assert_eq!(halves, model.halves);
    }

    fn check_record(&self, session: &ModelSession) {
        let record = self.decisions.record(&session.id).unwrap();
        let told = record.as_ref().map(|DecisionRecord { ending, meta, .. }| {
            let meta = meta.as_ref().unwrap();
            (ending.clone(), meta.via, meta.items.iter().map(|item| item.via).collect())
        });
        assert_eq!(told, session.ending, "{}", session.id);
        if let Some(record) = record {
            assert_eq!(&*record.input, self.questions[session.questions].document());
        }
    }

    /// After everything: no record has changed since it was acknowledged, none is there besides, and the next question
    /// finds a folder without left-overs.
    fn check_end(mut self) {
        for session in &self.model.asked {
            self.check_record(session);
        }
        for (path, bytes) in &self.records {
            assert_eq!(fs::read(path).unwrap(), *bytes, "{} has changed", path.display());
        }
        self.questions.push(questions("the next"));
        self.ask(3);
        self.check();
    }
}

fn questions(task: &str) -> Questions {
    let options = json!([{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]);
    let items = ITEMS
        .map(|id| json!({"id": id, "title": format!("item {id}"), "recommend": "a", "options": options}));
    Questions::parse(json!({"task": task, "source": "s", "items": items}).to_string().as_bytes()).unwrap()
}

fn names(folder: &Path) -> impl Iterator<Item = String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap())
}

/// In memory where that can be had: nothing here depends on a disk, and fsync on one takes most of the time.
fn memory_folder() -> TempDir {
    TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap()
}

#[test]
fn sequences_end_as_the_model_says() {
    check_sequences(ops, SEQUENCES, "tests/it/sequences.regressions", |ops| {
        let mut world = World::new();
        for op in &ops {
            world.apply(op);
            world.check();
        }
        world.check_end();
    });
}
