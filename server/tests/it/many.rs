//! Random sequences over many sets of questions in two projects, of every kind of asker, shown by one server that is killed
//! and started again: what is open, what was typed, how each ended is what a model says.

use crate::support::check_sequences;
use app::{BlankForm, Form, Hall, ProjectRoom, SetId};
use decide::SubmitError;
use model::{
    Answer, AnswerSheet, Ask, Attachment, Chosen, DecideOutput, Decision, Ending, Origin, Questions,
    Returned, SessionId, Via,
};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;
use std::fs;
use std::sync::Arc;
use store::{AskOutcome, AttachError, Decisions, PendingSet, Place, Project, PublishOutcome};
use tempfile::TempDir;
use texts::Lang;

/// How many sequences are tried.
const SEQUENCES: u32 = 500;
const MAX_OPS: usize = 16;
/// The names of the two projects in addresses.
const ROOMS: [&str; 2] = ["", "b"];
/// What files are called; the last one is not asked for.
const NAMES: [&str; 4] = ["a.txt", "b.txt", "c.txt", "x.pdf"];
/// The item that asks for files, and for how many.
const FILES: u64 = 2;
const MOST_FILES: usize = 2;
const LONG_AGO: &str = "2001-01-15T10:30:00+08:00";

#[derive(Debug, Clone)]
enum Op {
    /// Into the slot of a project.
    Ask(usize, usize),
    /// Beside it, by one of three askers.
    Put(usize, usize, Asker),
    /// The same with a deadline that has passed, and what comes too late.
    PutLate(usize, usize, LateAction),
    Draft(usize, &'static str),
    /// A file of this name and content.
    Attach(usize, &'static str, &'static str),
    Detach(usize, &'static str),
    Answer(usize, Option<u32>, Door),
    SendBack(usize, &'static str),
    /// An asker takes back what it asked.
    Cancel(usize),
    /// Another process removes the file of a set beside the slot.
    Remove(usize),
    /// The server is killed, perhaps between a record and the removal of the set's file, and started again.
    Kill(Option<usize>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asker {
    Queue,
    Agent,
    Workflow,
}

#[derive(Debug, Clone, Copy)]
enum Door {
    Page,
    Form,
    Api,
}

/// What is tried once it is too late.
#[derive(Debug, Clone, Copy)]
enum LateAction {
    Answer,
    Draft,
    Look,
    Cancel,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let room = || 0..2_usize;
    let task = || 0..3_usize;
    // The place of a set among all that were ever asked, from the last.
    let which = || 0..6_usize;
    let asker = select(vec![Asker::Queue, Asker::Agent, Asker::Workflow]);
    let door = select(vec![Door::Page, Door::Form, Door::Api]);
    let late = select(vec![LateAction::Answer, LateAction::Draft, LateAction::Look, LateAction::Cancel]);
    let op = prop_oneof![
        3 => (room(), task()).prop_map(|(room, task)| Op::Ask(room, task)),
        6 => (room(), task(), asker).prop_map(|(room, task, asker)| Op::Put(room, task, asker)),
        2 => (room(), task(), late).prop_map(|(room, task, late)| Op::PutLate(room, task, late)),
        4 => (which(), select(vec!["", "typed", "more"])).prop_map(|(set, note)| Op::Draft(set, note)),
        5 => (which(), select(NAMES.to_vec()), select(vec!["1", "22"]))
            .prop_map(|(set, name, content)| Op::Attach(set, name, content)),
        1 => (which(), select(NAMES.to_vec())).prop_map(|(set, name)| Op::Detach(set, name)),
        5 => (which(), select(vec![None, Some(0), Some(1), Some(2)]), door)
            .prop_map(|(set, option, door)| Op::Answer(set, option, door)),
        2 => (which(), select(vec!["", " why "])).prop_map(|(set, why)| Op::SendBack(set, why)),
        1 => which().prop_map(Op::Cancel),
        1 => which().prop_map(Op::Remove),
        2 => prop::option::of(which()).prop_map(Op::Kill),
    ];
    prop::collection::vec(op, 1..=MAX_OPS)
}

/// A set that was asked, as the model knows it.
#[derive(Debug, Clone)]
struct Set {
    room: usize,
    place: Place,
    session: SessionId,
    task: usize,
    key: String,
    origin: Origin,
    ending: Option<Ending>,
    /// What was typed for it, beside the slot.
    note: &'static str,
    /// What was typed for it when it was sent back.
    filled_in: &'static str,
    files: Vec<Attachment>,
    /// Its file was taken away, and nothing says how it ended.
    is_removed: bool,
}

impl Set {
    fn is_open(&self) -> bool {
        self.ending.is_none() && !self.is_removed
    }

    fn id(&self) -> SetId {
        let (room, session) = (ROOMS[self.room], &self.session);
        let name = if room.is_empty() { session.to_string() } else { format!("{room}.{session}") };
        name.parse().unwrap()
    }
}

struct World {
    folders: [TempDir; 2],
    decisions: [Decisions; 2],
    hall: Hall,
    sets: Vec<Set>,
    /// The text typed in the slot of each project, and for which questions: it is restored if they are asked again.
    slot_drafts: [Option<(usize, &'static str)>; 2],
}

fn questions(task: usize) -> Questions {
    let item = json!({"id": 1, "title": "which", "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]});
    let files = json!({"id": FILES, "title": "files", "kind": "files", "names": ["*.txt"], "max": MOST_FILES, "required": false});
    let document = json!({"task": format!("task {task}"), "source": "s", "items": [item, files]});
    Questions::parse(document.to_string().as_bytes()).unwrap()
}

fn origin(asker: Asker) -> Origin {
    let text = str::to_owned;
    match asker {
        Asker::Queue => Origin::Decide,
        Asker::Agent => {
            Origin::Agent { plan: text("p"), task: text("t"), agent: text("a"), request: text("r") }
        }
        Asker::Workflow => Origin::Workflow {
            workflow: Some(text("w")),
            session: Some(text("s")),
            task: None,
            agent: Some(text("a")),
            decision: text("d"),
        },
    }
}

fn hall(folders: &[TempDir; 2], decisions: &[Decisions; 2], (own, asked): (PendingSet, Questions)) -> Hall {
    let project = |room: usize| Project::at(folders[room].path()).unwrap();
    let form = BlankForm::prepare(asked, Lang::Zh);
    let (hall, _) = Hall::new(project(0), decisions[0].clone(), own, form, None);
    let (name, decisions) = (ROOMS[1].to_owned(), decisions[1].clone());
    assert!(hall.add_project(ProjectRoom { name, project: project(1), decisions }));
    hall
}

fn output(option: u32, files: &[Attachment]) -> Option<DecideOutput> {
    let value = ["a", "b"].get(option as usize)?;
    let decision = Decision { id: 1, chosen: Chosen::One((*value).to_owned()), ..Decision::default() };
    let files = Decision { id: FILES, files: files.to_vec(), ..Decision::default() };
    Some(DecideOutput::complete(vec![decision, files]))
}

fn sheet(option: Option<u32>, note: &str) -> AnswerSheet {
    let options = option.into_iter().collect();
    let answer = Answer { id: 1, options, note: note.to_owned(), ..Answer::default() };
    AnswerSheet { answers: vec![answer], returned: None }
}

impl World {
    fn new() -> Self {
        let folders = [(); 2].map(|()| TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap());
        let decisions = [0, 1].map(|room| {
            store::init(folders[room].path()).unwrap();
            Project::at(folders[room].path()).unwrap().decisions().unwrap()
        });
        let own = decisions[0].ask(&questions(0)).unwrap().pending();
        let sets = vec![Set {
            room: 0,
            place: Place::Slot,
            session: own.session.clone(),
            task: 0,
            key: String::new(),
            origin: Origin::Decide,
            ending: None,
            note: "",
            filled_in: "",
            files: Vec::new(),
            is_removed: false,
        }];
        let hall = hall(&folders, &decisions, (own, questions(0)));
        Self { folders, decisions, hall, sets, slot_drafts: [None; 2] }
    }

    /// The set so many before the last one.
    fn place_of(&self, set: usize) -> usize {
        self.sets.len() - 1 - set % self.sets.len()
    }

    fn apply(&mut self, op: &Op) {
        match *op {
            Op::Ask(room, task) => self.ask(room, task),
            Op::Put(room, task, asker) => self.put(room, task, origin(asker), None),
            Op::PutLate(room, task, late) => {
                let count = self.sets.len();
                self.put(room, task, Origin::Decide, Some(LONG_AGO));
                if self.sets.len() > count {
                    self.too_late(count, late);
                }
            }
            Op::Draft(set, note) => self.draft(self.place_of(set), note),
            Op::Attach(set, name, content) => self.attach(self.place_of(set), name, content),
            Op::Detach(set, name) => self.detach(self.place_of(set), name),
            Op::Answer(set, option, door) => self.answer(self.place_of(set), option, door),
            Op::SendBack(set, why) => self.send_back(self.place_of(set), why),
            Op::Cancel(set) => self.cancel(self.place_of(set)),
            Op::Remove(set) => self.remove(self.place_of(set)),
            Op::Kill(set) => self.kill(set.map(|set| self.place_of(set))),
        }
    }

    fn ask(&mut self, room: usize, task: usize) {
        let asked = self.decisions[room].ask(&questions(task)).unwrap();
        let slot = self.sets.iter().rposition(|set| set.room == room && set.place == Place::Slot);
        let open = slot.filter(|slot| self.sets[*slot].is_open());
        match (&asked, open) {
            (AskOutcome::Again(pending), Some(open)) => {
                assert_eq!((&pending.session, task), (&self.sets[open].session, self.sets[open].task));
                return;
            }
            (AskOutcome::Replacing { pending, replaced }, Some(open)) => {
                assert_eq!(replaced.session, self.sets[open].session);
                assert_ne!(task, self.sets[open].task);
                self.sets[open].ending = Some(Ending::Replaced(Some(pending.session.clone())));
            }
            (AskOutcome::Anew(_), None) => {}
            other => panic!("{other:?}"),
        }
        self.remember(room, task, asked.pending(), String::new());
    }

    fn put(&mut self, room: usize, task: usize, origin: Origin, deadline: Option<&str>) {
        let (asked, key) = (questions(task), format!("{task} {origin:?} {deadline:?}"));
        let ask = Ask { questions: &asked, origin, deadline: deadline.map(str::to_owned) };
        let put = self.decisions[room].put(ask, &key).unwrap();
        let known = self.sets.iter().find(|set| set.room == room && set.key == key && set.is_open());
        match (put, known) {
            (AskOutcome::Again(pending), Some(known)) => assert_eq!(pending.session, known.session),
            (AskOutcome::Anew(pending), None) => self.remember(room, task, pending, key),
            other => panic!("{other:?}"),
        }
    }

    fn remember(&mut self, room: usize, task: usize, pending: PendingSet, key: String) {
        let before = self.sets.iter().filter(|set| set.room == room).all(|set| set.session < pending.session);
        assert!(before, "a session that is not later than all before: {pending:?}");
        let filled_in = self.filled_in(room, task);
        let (PendingSet { place, session, origin, .. }, ending, files) = (pending, None, Vec::new());
        self.sets.push(Set {
            room,
            place,
            session,
            task,
            key,
            origin,
            ending,
            note: "",
            filled_in: "",
            files,
            is_removed: false,
        });
        if filled_in.is_empty() {
            return;
        }
        // What was typed in the slot since comes first.
        let is_typed = |draft: &mut (usize, &str)| draft.0 == task && !draft.1.is_empty();
        match place {
            Place::Own => self.sets.last_mut().unwrap().note = filled_in,
            Place::Slot if self.slot_drafts[room].as_mut().is_some_and(is_typed) => {}
            Place::Slot => self.slot_drafts[room] = Some((task, filled_in)),
        }
    }

    /// What a new set begins with: what was typed for the same questions, if they were sent back when they were last dealt with.
    fn filled_in(&self, room: usize, task: usize) -> &'static str {
        let mut same = self.sets.iter().rev().filter(|set| set.room == room && set.task == task);
        let dealt_with = |set: &&Set| matches!(set.ending, Some(Ending::Decided(_) | Ending::Returned(_)));
        same.find(dealt_with)
            .filter(|set| matches!(set.ending, Some(Ending::Returned(_))))
            .map_or("", |set| set.filled_in)
    }

    /// The page of a set, as far as the server knows it.
    fn form(&self, set: usize) -> Result<Arc<Form>, SubmitError> {
        self.hall.form(&self.sets[set].id()).ok_or(SubmitError::Stale)
    }

    fn draft(&mut self, set: usize, note: &'static str) {
        let result = self.form(set).and_then(|form| form.save_draft(&sheet(None, note), Via::Page));
        let known = &mut self.sets[set];
        match result {
            Ok(()) if known.is_open() && known.place == Place::Slot => {
                self.slot_drafts[known.room] = Some((known.task, note));
            }
            Ok(()) if known.is_open() => known.note = note,
            // Nothing is kept of what has ended.
            Ok(()) => assert!(known.ending.is_some()),
            Err(SubmitError::Stale) => assert!(!known.is_open()),
            Err(refusal) => panic!("{refusal:?}"),
        }
    }

    fn attach(&mut self, set: usize, name: &'static str, content: &str) {
        let attached = self.form(set).map_err(|_| None).and_then(|form| {
            let mut upload = form.attach(FILES, name).map_err(Some)?;
            upload.write(content.as_bytes()).map_err(Some)?;
            upload.finish().map_err(Some)
        });
        let known = &mut self.sets[set];
        let others = known.files.iter().filter(|file| file.name != name).count();
        match attached {
            Ok(file) => {
                assert!(known.is_open() && name.ends_with(".txt") && others < MOST_FILES, "{known:?}");
                assert_eq!((&*file.name, file.size), (name, content.len() as u64));
                match known.files.iter_mut().find(|other| other.name == name) {
                    Some(other) => *other = file,
                    None => known.files.push(file),
                }
            }
            Err(Some(AttachError::WrongName { .. })) => assert!(!name.ends_with(".txt")),
            Err(Some(AttachError::TooMany { max })) => assert!(max == MOST_FILES && others >= max),
            Err(None | Some(AttachError::Ended(_))) => assert!(!known.is_open(), "{known:?}"),
            Err(Some(error)) => panic!("{error:?}"),
        }
    }

    fn detach(&mut self, set: usize, name: &str) {
        let Ok(form) = self.form(set) else { return };
        let was_there = form.detach(FILES, name).unwrap();
        let known = &mut self.sets[set];
        let count = known.files.len();
        if known.is_open() {
            known.files.retain(|file| file.name != name);
        }
        assert_eq!(was_there, known.files.len() < count, "{known:?}");
    }

    fn answer(&mut self, set: usize, option: Option<u32>, door: Door) {
        let files = self.sets[set].files.clone();
        let ending = option.and_then(|option| output(option, &files)).map(Ending::Decided);
        let result = self.form(set).and_then(|form| match door {
            Door::Page | Door::Form => {
                let via = if matches!(door, Door::Page) { Via::Page } else { Via::Form };
                let mut sheet = sheet(option, "");
                form.settle(&mut sheet);
                form.submit_sheet(&sheet, via, None).map(drop)
            }
            Door::Api => {
                let chosen = option.map(|option| ["a", "b", "c"][option as usize]);
                form.submit_json(
                    &json!({"decisions": [{"id": 1, "chosen": chosen}, {"id": FILES}]}).to_string(),
                )
            }
        });
        self.ended(set, ending, result);
    }

    fn send_back(&mut self, set: usize, why: &str) {
        let returned = Returned { message: why.to_owned(), items: Vec::new() };
        let result = self.form(set).and_then(|form| form.send_back(&returned, Via::Page).map(drop));
        let said = Returned { message: why.trim().to_owned(), items: Vec::new() };
        self.ended(set, (!said.message.is_empty()).then_some(Ending::Returned(said)), result);
    }

    fn ended(&mut self, set: usize, ending: Option<Ending>, result: Result<(), SubmitError>) {
        let known = &mut self.sets[set];
        match result {
            Ok(()) => {
                assert!(known.is_open(), "ended twice: {known:?}");
                known.ending = Some(ending.expect("something that is no answer was accepted"));
                known.filled_in = match known.place {
                    Place::Own => known.note,
                    Place::Slot => self.slot_drafts[known.room]
                        .filter(|(task, _)| *task == known.task)
                        .map_or("", |(_, note)| note),
                };
                // What was typed for them goes with the end.
                if known.place == Place::Slot
                    && self.slot_drafts[known.room].is_some_and(|(task, _)| task == known.task)
                {
                    self.slot_drafts[known.room] = None;
                }
            }
            Err(SubmitError::Invalid(_) | SubmitError::NoReason) => assert_eq!(ending, None),
            Err(SubmitError::Stale) => assert!(!known.is_open(), "{known:?}"),
            Err(SubmitError::Ended(Ending::Replaced(_))) => {
                assert!(known.is_removed || matches!(known.ending, Some(Ending::Replaced(_))), "{known:?}");
            }
            Err(SubmitError::Ended(told)) => assert_eq!(Some(told), known.ending),
            Err(refusal) => panic!("{refusal:?}"),
        }
    }

    fn too_late(&mut self, set: usize, late: LateAction) {
        let expired = Ending::Expired(LONG_AGO.to_owned());
        let Set { room, session, .. } = self.sets[set].clone();
        let decisions = &self.decisions[room];
        match late {
            LateAction::Answer => {
                let answered = self.form(set).unwrap().submit_sheet(&sheet(Some(0), ""), Via::Page, None);
                let Err(SubmitError::Ended(told)) = answered else { panic!("{answered:?}") };
                assert_eq!(told, expired);
            }
            // It is kept until the next look, and is not shown then.
            LateAction::Draft => self.form(set).unwrap().save_draft(&sheet(None, "late"), Via::Page).unwrap(),
            LateAction::Look => assert_eq!(decisions.watch(session).look().unwrap(), Some(expired.clone())),
            LateAction::Cancel => {
                let (pending, asked) = decisions.set(&session).unwrap().unwrap();
                let told = decisions.publish(&pending, &asked, Ending::Cancelled, Via::Terminal).unwrap();
                assert_eq!(told, PublishOutcome::Lost(expired.clone()));
            }
        }
        self.sets[set].ending = Some(expired);
    }

    fn cancel(&mut self, set: usize) {
        let Set { room, session, .. } = self.sets[set].clone();
        let Some((pending, asked)) = self.decisions[room].set(&session).unwrap() else {
            assert!(!self.sets[set].is_open() || self.sets[set].place == Place::Slot);
            return;
        };
        let published = self.decisions[room].publish(&pending, &asked, Ending::Cancelled, Via::Terminal);
        let result = match published.unwrap() {
            PublishOutcome::Won(_) => Ok(()),
            PublishOutcome::Lost(ending) => Err(SubmitError::Ended(ending)),
        };
        self.ended(set, Some(Ending::Cancelled), result);
    }

    fn remove(&mut self, set: usize) {
        let known = &self.sets[set];
        // The name of the last one may be given again within the same second.
        let is_last =
            self.sets.iter().all(|other| other.room != known.room || other.session <= known.session);
        let known = &mut self.sets[set];
        if known.place == Place::Own && known.is_open() && !is_last {
            let name = format!(".aide/decisions/open/{}.json", known.session);
            fs::remove_file(self.folders[known.room].path().join(name)).unwrap();
            known.is_removed = true;
        }
    }

    /// A new server, which knows of the first set that is open, or of the slot. Before it was killed, one has ended whose
    /// file it could not remove any more.
    fn kill(&mut self, half: Option<usize>) {
        if let Some(set) = half {
            let Set { room, session, place, .. } = self.sets[set].clone();
            let file = self.folders[room].path().join(format!(".aide/decisions/open/{session}.json"));
            if place == Place::Own && self.sets[set].is_open() {
                let bytes = fs::read(&file).unwrap();
                self.cancel(set);
                fs::write(&file, bytes).unwrap();
            } else if self.sets[set].is_open() && !self.sets[set].files.is_empty() {
                // Or half a file that was being uploaded.
                let folder = format!(".aide/decisions/files/{session}/{FILES}");
                fs::write(self.folders[room].path().join(folder).join(".part-1-0.tmp"), "ha").unwrap();
            }
        }
        for room in 0..2 {
            self.decisions[room] = Project::at(self.folders[room].path()).unwrap().decisions().unwrap();
        }
        let own = match self.decisions[0].open_sets().unwrap().first() {
            Some(first) => self.decisions[0].set(&first.session).unwrap(),
            None => self.decisions[0].pending_questions().unwrap(),
        };
        self.hall = hall(&self.folders, &self.decisions, own.unwrap());
    }

    /// What is on the disk and what is shown is what the model says.
    fn check(&self) {
        self.hall.look();
        for decisions in &self.decisions {
            decisions.expire_all().unwrap();
        }
        let mut open: Vec<_> = self.sets.iter().filter(|set| set.is_open()).collect();
        open.sort_by(|a, b| (&a.session, a.room).cmp(&(&b.session, b.room)));
        let open_ids: Vec<_> = open.iter().map(|set| set.id()).collect();
        assert_eq!(self.hall.open(), open_ids);
        assert_eq!(self.hall.open_forms().len(), open.len());
        for set in open {
            let form = self.hall.form(&set.id()).unwrap();
            assert_eq!(form.questions().document(), questions(set.task).document());
            assert_eq!(form.pending().origin, set.origin);
            let note = form.draft().answers.first().map(|answer| answer.note.clone()).unwrap_or_default();
            let kept = match set.place {
                Place::Slot => self.slot_drafts[set.room].filter(|(task, _)| *task == set.task),
                Place::Own => Some((set.task, set.note)),
            };
            assert_eq!(note, kept.map_or("", |(_, note)| note), "{set:?}");
            let attached = form.attachments().unwrap();
            assert_eq!(attached.get(&FILES).cloned().unwrap_or_default(), set.files, "{set:?}");
            let others = self.hall.next_after(&set.id());
            assert_eq!(others.map_or(0, |(_, count)| count), open_ids.len() - 1);
        }
        for set in &self.sets {
            let record = self.decisions[set.room].record(&set.session).unwrap();
            assert_eq!(record.as_ref().map(|record| &record.ending), set.ending.as_ref(), "{set:?}");
        }
        for room in 0..2 {
            let ended = self.sets.iter().filter(|set| set.room == room && set.ending.is_some());
            let mut ended: Vec<_> = ended.map(|set| set.session.clone()).collect();
            ended.sort_by(|a, b| b.cmp(a));
            assert_eq!(self.decisions[room].records().unwrap(), ended);
        }
    }
}

#[test]
fn sequences_over_many_sets_end_as_the_model_says() {
    check_sequences(ops, SEQUENCES, "tests/it/many.regressions", |ops| {
        let mut world = World::new();
        for op in &ops {
            world.apply(op);
            world.check();
        }
    });
}
