//! Invariants under every failure and loss of power: an acknowledged answer is never lost or changed, and no answer
//! appears that was not given.
//!
//! `files::fault` stands between that crate and the system, `failures` lets every single call fail, `crashes` rebuilds
//! every folder that a loss of power may leave. Acknowledgements are kept in a [`Ledger`], which says what must be
//! found.

mod crashes;
mod failures;

use crate::layout::AIDE;
use crate::{
    AskOutcome, AttachError, Decisions, EditConfigError, InitError, PendingSet, Place, Project,
    PublishOutcome, ServerClaimOutcome, ServerInfo, SourceHashes, StoreError, init,
};
use files::{Dir, FileError, fault};
use model::{
    Answer, AnswerSheet, Ask, Chosen, DecideOutput, Decision, DecisionRecord, Ending, Origin, Questions,
    Remainder, Returned, SessionId, Via,
};
use serde_json::json;
use settings::{ConfigChange, ConfigError, ConfigErrorKind, ConfigValue, EditError, keys};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// One action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Init,
    /// The same, after `general.gitignore_aide` was set.
    InitIgnored,
    Ask(&'static str),
    Draft(&'static str),
    Answer(&'static str),
    /// The same, and the files are left for later.
    AnswerPart(&'static str),
    SendBack,
    Cancel,
    /// A file of this name and content is attached.
    Attach(&'static str, &'static str),
    /// The file of this name is taken away.
    Detach(&'static str),
    /// A server becomes visible, and ends.
    Announce,
    /// The asker looks for the answer, and continues with it.
    Read,
    /// Questions beside the slot.
    Put(&'static str),
    /// The same with a deadline that has passed.
    PutLate(&'static str),
    /// What is done with the oldest of them.
    DraftOwn(&'static str),
    AnswerOwn(&'static str),
    /// A look ends the sets past their deadline.
    Expire,
}

/// Questions beside the slot.
#[derive(Debug, Clone)]
struct OwnSet {
    session: SessionId,
    task: &'static str,
    /// What was typed.
    draft: Option<AnswerSheet>,
    /// What may have taken its place, with no word about it.
    drafting: Vec<AnswerSheet>,
    is_late: bool,
    /// It was left for later when the rest was answered.
    is_rest: bool,
}

impl OwnSet {
    fn questions(&self) -> Questions {
        let questions = questions(self.task);
        if self.is_rest { questions.only(&[2]) } else { questions }
    }
}

/// What was acknowledged, and what was begun since.
#[derive(Debug, Clone, Default)]
struct Ledger {
    initialised: bool,
    ignored: bool,
    asked: Vec<(SessionId, String)>,
    /// Tasks that may have become the pending one, with no word about it.
    asking: Vec<String>,
    records: BTreeMap<SessionId, DecisionRecord>,
    /// Ends reported to callers that were too late.
    reported: BTreeMap<SessionId, Ending>,
    /// Which questions have made room for which.
    replaced: BTreeMap<SessionId, SessionId>,
    /// Ends that may have come about, with no word about it.
    ending: Vec<(SessionId, Ending)>,
    /// What was typed for which task.
    draft: Option<(String, AnswerSheet)>,
    /// What may have taken its place, with no word about it.
    drafting: Vec<(String, AnswerSheet)>,
    own: Vec<OwnSet>,
    /// Tasks that may be open beside the slot, with no word about it.
    putting: Vec<&'static str>,
    /// What is attached to which questions, by name.
    attached: BTreeMap<SessionId, BTreeMap<String, String>>,
    /// What may have been attached or, without a content, taken away, with no word about it.
    attaching: Vec<(SessionId, String, Option<String>)>,
}

/// What an acknowledgement changes.
type LedgerChange = Box<dyn Fn(&mut Ledger)>;

/// The folder, and who works in it.
struct Worker {
    root: PathBuf,
    ledger: Ledger,
    /// What the ledger was, from which number of recorded events on.
    marks: Vec<(usize, Ledger)>,
}

impl Worker {
    fn new(root: &Path) -> Self {
        let ledger = Ledger::default();
        Self { root: root.to_owned(), marks: vec![(0, ledger.clone())], ledger }
    }

    fn mark(&mut self) {
        self.marks.push((fault::recorded(), self.ledger.clone()));
    }

    fn decisions(&self) -> Result<Decisions, StoreError> {
        Project::at(&self.root).unwrap().decisions()
    }

    /// Does one step as a process of its own; the ledger says what has come of it.
    fn act(&mut self, step: Step) -> Result<(), StoreError> {
        self.attempt(step);
        self.mark();
        let done = self.perform(step);
        if let Ok(done) = &done {
            done(&mut self.ledger);
            self.mark();
        }
        done.map(drop)
    }

    /// What may be found from now on, if nothing more is heard of the step.
    fn attempt(&mut self, step: Step) {
        let ledger = &mut self.ledger;
        let pending = ledger.asked.last().cloned();
        match (step, pending) {
            (Step::Put(task) | Step::PutLate(task), _) => ledger.putting.push(task),
            (Step::DraftOwn(note), _) => {
                if let Some(own) = ledger.first_own() {
                    own.drafting.push(sheet(note));
                }
            }
            (Step::AnswerOwn(_), _) => {
                let session = ledger.first_own().map(|own| own.session.clone());
                ledger.ending.extend(session.zip(ending(step)));
            }
            (Step::Expire, _) => {}
            (Step::Ask(task), _) => ledger.asking.push(task.to_owned()),
            (Step::Draft(note), Some((_, task))) => ledger.drafting.push((task, sheet(note))),
            (Step::Attach(name, content), Some((session, _))) => {
                ledger.attaching.push((session, name.to_owned(), Some(content.repeat(REPEATED))));
            }
            (Step::Detach(name), Some((session, _))) => {
                ledger.attaching.push((session, name.to_owned(), None));
            }
            (step, Some((session, _))) => {
                ledger.ending.extend(ending(step).map(|ending| (session, ending)));
            }
            _ => {}
        }
    }

    fn perform(&self, step: Step) -> Result<LedgerChange, StoreError> {
        if step == Step::InitIgnored {
            Dir::open(&self.root)?.ensure_folder(AIDE)?;
            let change = ConfigChange::Set(&keys::GENERAL_GITIGNORE_AIDE, &ConfigValue::Boolean(true));
            let edited = Project::at(&self.root).unwrap().edit_config(change);
            edited.map_err(|error| match error {
                EditConfigError::Store(error) => error,
                EditConfigError::Edit(EditError::File(error)) => error.into(),
                EditConfigError::Edit(EditError::Config(error)) => failed_to_read(error),
                EditConfigError::Edit(error) => panic!("{error:?}"),
            })?;
        }
        if matches!(step, Step::Init | Step::InitIgnored) {
            return match init(&self.root) {
                Ok(_) => Ok(Box::new(move |ledger| {
                    ledger.initialised = true;
                    ledger.ignored |= step == Step::InitIgnored;
                })),
                Err(InitError::Store(error)) => Err(error),
                Err(InitError::Config(error)) => Err(failed_to_read(error)),
            };
        }
        let decisions = self.decisions()?;
        if let Step::Ask(task) = step {
            let asked = decisions.ask(&questions(task))?;
            return Ok(Box::new(move |ledger| {
                let PendingSet { session, .. } = match &asked {
                    AskOutcome::Anew(pending)
                    | AskOutcome::Replacing { pending, .. }
                    | AskOutcome::Again(pending) => pending,
                };
                if let AskOutcome::Replacing { replaced, .. } = &asked {
                    ledger.replaced.insert(replaced.session.clone(), session.clone());
                }
                if ledger.asked.last().is_none_or(|(last, _)| last != session) {
                    ledger.asked.push((session.clone(), task.to_owned()));
                }
                ledger.asking.clear();
            }));
        }
        match step {
            Step::Put(task) | Step::PutLate(task) => return put(&decisions, step, task),
            Step::DraftOwn(_) | Step::AnswerOwn(_) => return self.perform_own(&decisions, step),
            Step::Expire => {
                decisions.expire_all()?;
                return Ok(Box::new(|ledger| {
                    let late: Vec<_> = ledger.own.iter().filter(|own| own.is_late).collect();
                    let late: Vec<_> = late.iter().map(|own| own.session.clone()).collect();
                    ledger.reported.extend(late.into_iter().map(|session| (session, expired())));
                }));
            }
            _ => {}
        }
        let Some((pending, questions)) = decisions.pending_questions()? else { return Ok(Box::new(|_| {})) };
        match step {
            Step::Init | Step::InitIgnored | Step::Ask(_) => unreachable!(),
            Step::Put(_) | Step::PutLate(_) | Step::DraftOwn(_) | Step::AnswerOwn(_) | Step::Expire => {
                unreachable!()
            }
            Step::Draft(note) => {
                decisions.save_draft(&pending, &questions, &sheet(note), Via::Page)?;
                let kept = (questions.input().task.clone(), sheet(note));
                Ok(Box::new(move |ledger| {
                    ledger.draft = Some(kept.clone());
                    ledger.drafting.clear();
                }))
            }
            Step::Attach(name, content) => {
                let content = content.repeat(REPEATED);
                let attach = || {
                    let mut upload = decisions.attach(&pending, &questions, 2, name)?;
                    let (one, two) = content.split_at(content.len() / 2);
                    upload.write(one.as_bytes())?;
                    upload.write(two.as_bytes())?;
                    upload.finish()
                };
                let found = match attach() {
                    Ok(attachment) => Some(attachment),
                    Err(AttachError::Ended(_)) => None,
                    Err(AttachError::Store(error)) => return Err(error),
                    Err(error) => panic!("{error:?}"),
                };
                Ok(Box::new(move |ledger| {
                    if let Some(found) = &found {
                        assert_eq!(found.sha256, hash(content.as_bytes()));
                        let files = ledger.attached.entry(pending.session.clone()).or_default();
                        files.insert(found.name.clone(), content.clone());
                    }
                    ledger.attaching.clear();
                }))
            }
            Step::Detach(name) => {
                let gone = decisions.detach(&pending, 2, name)?;
                Ok(Box::new(move |ledger| {
                    if gone && let Some(files) = ledger.attached.get_mut(&pending.session) {
                        files.remove(name);
                    }
                    ledger.attaching.clear();
                }))
            }
            Step::Announce => {
                let info = ServerInfo {
                    pid: 1,
                    port: 1,
                    url: "http://localhost:1".to_owned(),
                    started_at: crate::now(),
                    session_id: Some(pending.session),
                    ..ServerInfo::default()
                };
                match decisions.claim_server()? {
                    ServerClaimOutcome::Ours(claim) => drop(claim.register(&info)?),
                    ServerClaimOutcome::AlreadyRunning(other) => panic!("{other:?}"),
                }
                Ok(Box::new(|_| {}))
            }
            Step::Read => {
                let found = decisions.durable_record(&pending.session)?;
                Ok(Box::new(move |ledger| {
                    if let Some(record) = &found {
                        ledger.records.insert(pending.session.clone(), record.clone());
                    }
                }))
            }
            Step::Answer(_) | Step::AnswerPart(_) | Step::SendBack | Step::Cancel => {
                let ending = ending(step).unwrap();
                let published = decisions.publish(&pending, &questions, ending, Via::Page)?;
                Ok(Box::new(move |ledger| {
                    match &published {
                        PublishOutcome::Won(record) => {
                            if let Some(rest) = record.output().and_then(DecideOutput::remainder) {
                                ledger.own.push(OwnSet {
                                    session: rest.clone(),
                                    task: TASKS.into_iter().find(|task| *task == record.task()).unwrap(),
                                    draft: None,
                                    drafting: Vec::new(),
                                    is_late: false,
                                    is_rest: true,
                                });
                            }
                            ledger.records.insert(pending.session.clone(), record.clone());
                        }
                        PublishOutcome::Lost(ending) => {
                            ledger.reported.insert(pending.session.clone(), ending.clone());
                        }
                    }
                    ledger.ending.clear();
                }))
            }
        }
    }
}

/// Asks beside the slot.
fn put(decisions: &Decisions, step: Step, task: &'static str) -> Result<LedgerChange, StoreError> {
    let asked = questions(task);
    let is_late = matches!(step, Step::PutLate(_));
    let deadline = is_late.then(|| DEADLINE.to_owned());
    let pending = decisions.put(Ask { questions: &asked, origin: Origin::Decide, deadline }, task)?.pending();
    Ok(Box::new(move |ledger| {
        ledger.putting.retain(|begun| *begun != task);
        if ledger.own.iter().all(|own| own.session != pending.session) {
            let session = pending.session.clone();
            ledger.own.push(OwnSet {
                session,
                task,
                draft: None,
                drafting: Vec::new(),
                is_late,
                is_rest: false,
            });
        }
    }))
}

impl Worker {
    /// What is done with the oldest set beside the slot of which it is known that it is there.
    fn perform_own(&self, decisions: &Decisions, step: Step) -> Result<LedgerChange, StoreError> {
        let mut ledger = self.ledger.clone();
        let Some(own) = ledger.first_own() else { return Ok(Box::new(|_| {})) };
        let session = own.session.clone();
        let Some((pending, questions)) = decisions.set(&session)? else { return Ok(Box::new(|_| {})) };
        if let Step::DraftOwn(note) = step {
            decisions.save_draft(&pending, &questions, &sheet(note), Via::Page)?;
            return Ok(Box::new(move |ledger| {
                let own = ledger.own.iter_mut().find(|own| own.session == session).unwrap();
                (own.draft, own.drafting) = (Some(sheet(note)), Vec::new());
            }));
        }
        let published = decisions.publish(&pending, &questions, ending(step).unwrap(), Via::Page)?;
        Ok(Box::new(move |ledger| {
            match &published {
                PublishOutcome::Won(record) => drop(ledger.records.insert(session.clone(), record.clone())),
                PublishOutcome::Lost(ending) => drop(ledger.reported.insert(session.clone(), ending.clone())),
            }
            ledger.ending.retain(|(begun, _)| *begun != session);
        }))
    }
}

impl Ledger {
    /// The oldest set beside the slot whose end was not reported.
    fn first_own(&mut self) -> Option<&mut OwnSet> {
        let Self { own, records, reported, .. } = self;
        own.iter_mut().find(|own| !records.contains_key(&own.session) && !reported.contains_key(&own.session))
    }

    fn check_own(&self, decisions: &Decisions) {
        let open = decisions.open_sets().unwrap();
        let open: Vec<_> = open.into_iter().filter(|set| set.place == Place::Own).collect();
        assert!(decisions.damaged_sets().unwrap().is_empty());
        for own in &self.own {
            let is_open = open.iter().any(|set| set.session == own.session);
            let may_have_ended = self.ending.iter().any(|(begun, _)| *begun == own.session) || own.is_late;
            let has_ended =
                self.records.contains_key(&own.session) || self.reported.contains_key(&own.session);
            assert!(is_open != has_ended || may_have_ended, "{own:?}, open: {is_open}");
            let Some((pending, found)) = decisions.set(&own.session).unwrap() else {
                assert!(has_ended || may_have_ended, "gone: {own:?}");
                continue;
            };
            assert_eq!(found.document(), own.questions().document());
            let draft = decisions.draft(&pending, &found);
            let known = own.draft.iter().chain(&own.drafting).any(|sheet| *sheet == draft);
            let may_be_gone = own.draft.is_none() || has_ended || may_have_ended;
            assert!(known || draft == AnswerSheet::default() && may_be_gone, "{own:?}: {draft:?}");
        }
        for set in open {
            let is_known = self.own.iter().any(|own| own.session == set.session);
            let is_named = || {
                let records = decisions.records().unwrap();
                let mut records = records.iter().filter_map(|session| decisions.record(session).unwrap());
                records.any(|record| record.output().and_then(DecideOutput::remainder) == Some(&set.session))
            };
            assert!(is_known || is_named() || self.putting.contains(&&*set.task), "asked by nobody: {set:?}");
        }
    }

    /// Opens what is in `root` and compares it with what must be there; then works on in it.
    fn check(&self, root: &Path) {
        let project = Project::at(root).unwrap();
        let decisions = match project.decisions() {
            Ok(decisions) => decisions,
            Err(StoreError::NoAideFolder { .. }) if !self.initialised => return self.check_init(root),
            Err(error) => panic!("{error}"),
        };
        self.check_pending(&decisions);
        self.check_records(&decisions);
        self.check_drafts(&decisions);
        self.check_own(&decisions);
        self.check_files(&decisions, root);
        assert_eq!(decisions.live_server().unwrap(), None);
        self.check_init(root);
        self.check_recovery(root);
    }

    fn check_pending(&self, decisions: &Decisions) {
        let found = decisions.pending_questions().unwrap();
        let Some((pending, found)) = found else {
            assert!(self.asked.is_empty(), "the questions are gone");
            return;
        };
        let last = self.asked.last();
        let acknowledged = last.is_some_and(|(session, task)| {
            *session == pending.session && *questions(task).document() == *found.document()
        });
        let begun = last.is_none_or(|(session, _)| *session < pending.session)
            && self.asking.iter().any(|task| questions(task).document() == found.document());
        assert!(acknowledged || begun, "{} {}", pending.session, found.input().task);
    }

    fn check_records(&self, decisions: &Decisions) {
        for (session, record) in &self.records {
            assert_eq!(
                decisions.record(session).unwrap().as_ref(),
                Some(record),
                "an answer was lost or changed"
            );
        }
        for (session, ending) in &self.reported {
            let found = decisions.record(session).unwrap().map(|record| record.ending);
            assert_eq!(found.as_ref(), Some(ending), "another end than somebody was told");
        }
        for (session, by) in &self.replaced {
            let found = decisions.record(session).unwrap().map(|record| record.ending);
            assert_eq!(
                found,
                Some(Ending::Replaced(Some(by.clone()))),
                "what was replaced is not known any more"
            );
        }
        let pending = decisions.pending().unwrap();
        for session in decisions.records().unwrap() {
            let found = decisions.record(&session).unwrap().unwrap();
            if let Ending::Replaced(Some(by)) = &found.ending {
                // By what is pending, or was before it.
                let pending = pending.as_ref().unwrap();
                assert!(session < *by && *by <= pending.session, "replaced by nothing: {found:?}");
                continue;
            }
            if found.ending == expired() {
                let is_late = self.own.iter().any(|own| own.is_late && own.session == session);
                assert!(is_late || !self.putting.is_empty(), "expired before its time: {found:?}");
                continue;
            }
            if let Some(rest) = found.output().and_then(DecideOutput::remainder) {
                let is_there =
                    decisions.set(rest).unwrap().is_some() || decisions.record(rest).unwrap().is_some();
                assert!(is_there, "left for later and gone: {found:?}");
            }
            let published = unnamed(&found.ending);
            let begun = self.ending.iter().any(|(begun, ending)| *begun == session && *ending == published);
            let known = self.records.contains_key(&session) || self.reported.contains_key(&session);
            assert!(begun || known, "answered by nobody: {found:?}");
        }
    }

    fn check_drafts(&self, decisions: &Decisions) {
        for task in TASKS {
            let found = decisions.draft(&in_slot(), &questions(task));
            let kept = self.draft.iter().chain(&self.drafting);
            let known = kept.clone().any(|(of, sheet)| of == task && *sheet == found);
            let ended = |session: &SessionId| {
                self.records.contains_key(session)
                    || self.reported.contains_key(session)
                    || self.ending.iter().any(|(begun, _)| begun == session)
            };
            // It was never acknowledged, has made room for that of other questions, or has gone with the end of its own.
            let may_be_gone = self.draft.as_ref().is_none_or(|(of, _)| of != task)
                || self.drafting.iter().any(|(of, _)| of != task)
                || self.asked.iter().any(|(session, of)| of == task && ended(session));
            assert!(known || found == AnswerSheet::default() && may_be_gone, "{task}: {found:?}");
        }
    }

    /// Acknowledged files count, files that count are whole, and none is made up.
    fn check_files(&self, decisions: &Decisions, root: &Path) {
        for (session, _) in &self.asked {
            let found = decisions.attachments(session).unwrap();
            let found = found.get(&2).map(Vec::as_slice).unwrap_or_default();
            let begun = |name: &str, content: Option<&String>| {
                let same = |(of, begun, what): &(SessionId, String, Option<String>)| {
                    of == session && begun == name && what.as_ref() == content
                };
                self.attaching.iter().any(same)
            };
            let kept = self.attached.get(session).cloned().unwrap_or_default();
            for file in found {
                let content = content_of(root, session, &file.name);
                assert_eq!(
                    (hash(content.as_bytes()), content.len() as u64),
                    (file.sha256.clone(), file.size)
                );
                let known = kept.get(&file.name) == Some(&content) || begun(&file.name, Some(&content));
                assert!(known, "attached by nobody: {file:?}");
            }
            for name in kept.keys() {
                let may_be_gone = begun(name, None);
                let is_there = found.iter().any(|file| file.name == *name);
                assert!(is_there || may_be_gone, "{name} was attached and is gone");
            }
        }
    }

    /// The project's own file keeps every line, and the configuration is whole or not there.
    fn check_init(&self, root: &Path) {
        let text = fs::read_to_string(root.join(".gitignore")).unwrap();
        assert!(text == OWN_LINES || text == format!("{OWN_LINES}.aide/\n"), "{text:?}");
        if self.ignored {
            assert!(text.ends_with(".aide/\n"));
        }
        match fs::read_to_string(root.join(CONFIG)) {
            Ok(text) => assert!(text == settings::DEFAULT_CONFIG || text == ignoring(), "{text}"),
            Err(_) => assert!(!self.initialised),
        }
    }

    /// Work goes on: what a person does after a crash succeeds, and leaves nothing of the crash.
    fn check_recovery(&self, root: &Path) {
        init(root).unwrap();
        let mut worker = Worker::new(root);
        worker.act(Step::Ask("the next")).unwrap();
        let session = worker.ledger.asked[0].0.clone();
        assert!(self.asked.iter().all(|(earlier, _)| *earlier < session));
        worker.act(Step::Draft("next")).unwrap();
        worker.act(Step::Attach("x", "1")).unwrap();
        worker.act(Step::Announce).unwrap();
        worker.act(Step::Answer("b")).unwrap();
        worker.act(Step::Put("beside it")).unwrap();
        worker.act(Step::DraftOwn("beside it")).unwrap();
        worker.act(Step::AnswerOwn("b")).unwrap();
        let beside = worker.ledger.own[0].session.clone();
        assert!(self.own.iter().all(|earlier| earlier.session < beside));
        assert_eq!(names(&root.join(format!(".aide/decisions/files/{session}/2"))), ["x"]);
        let decisions = worker.decisions().unwrap();
        assert!(decisions.record(&session).unwrap().is_some());
        assert!(decisions.record(&beside).unwrap().is_some() && decisions.set(&beside).unwrap().is_none());
        self.check_records_stand(&decisions);
        for folder in ["", ".aide", ".aide/decisions", ".aide/decisions/open"] {
            let names: Vec<_> = names(&root.join(folder));
            assert!(
                !names.iter().any(|name| name.contains("tmp") || name.contains("rest")),
                "{folder}: {names:?}"
            );
        }
    }

    fn check_records_stand(&self, decisions: &Decisions) {
        for (session, record) in &self.records {
            assert_eq!(decisions.record(session).unwrap().as_ref(), Some(record));
        }
    }
}

/// Says what was done when something is found that must not be.
struct Story(String);

impl Drop for Story {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = writeln!(std::io::stderr(), "this happened: {}", self.0);
        }
    }
}

/// So often an attached file holds what it is said to: more than one sector of a disk, so that it can be torn.
const REPEATED: usize = 700;

/// What may be asked.
const TASKS: [&str; 3] = ["one", "two", "three"];

const CONFIG: &str = ".aide/config.toml";

/// Long over.
const DEADLINE: &str = "2001-01-15T10:30:00+08:00";

fn expired() -> Ending {
    Ending::Expired(DEADLINE.to_owned())
}

/// Any questions in the slot.
fn in_slot() -> PendingSet {
    PendingSet {
        session: "2999-01-01T00-00-00".parse().unwrap(),
        place: Place::Slot,
        created_at: String::new(),
        deadline: None,
        origin: Origin::Decide,
        task: String::new(),
        sources: SourceHashes::default(),
    }
}

/// That a configuration could not be read, as what the system said. Nothing else can be wrong with it.
fn failed_to_read(error: ConfigError) -> StoreError {
    let ConfigError { file, kind: ConfigErrorKind::Io(source), .. } = error else { panic!("{error:?}") };
    // An error cannot be cloned; its code says all of it.
    let source =
        source.raw_os_error().map_or_else(|| source.kind().into(), std::io::Error::from_raw_os_error);
    FileError::Io { path: file, source }.into()
}

fn ignoring() -> String {
    let text = settings::DEFAULT_CONFIG
        .replace("# gitignore_aide = false\n", "# gitignore_aide = false\ngitignore_aide = true\n");
    assert_ne!(text, settings::DEFAULT_CONFIG);
    text
}

/// What the project's `.gitignore` says before `aide init`.
const OWN_LINES: &str = "target\n*.log\n";

/// A project in use before `aide init`. In memory where possible: what a disk would keep is computed here, not tried.
fn folder() -> TempDir {
    let folder = tempfile::tempdir_in(memory()).unwrap();
    fs::write(folder.path().join(".gitignore"), OWN_LINES).unwrap();
    folder
}

fn memory() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    if memory.is_dir() { memory } else { std::env::temp_dir() }
}

fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap();
    names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// More than one sector of a disk, so that it can be torn.
fn questions(task: &str) -> Questions {
    let document = json!({
        "task": task,
        "source": "s",
        "items": [{
            "id": 1,
            "title": "title",
            "context": "context ".repeat(80),
            "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}],
        }, {"id": 2, "title": "files", "kind": "files", "required": false}],
    });
    Questions::parse(document.to_string().as_bytes()).unwrap()
}

fn sheet(note: &str) -> AnswerSheet {
    AnswerSheet {
        answers: vec![Answer { id: 1, options: vec![1], note: note.to_owned(), ..Answer::default() }],
        returned: Some(Returned { message: note.to_owned(), items: vec![1] }),
    }
}

/// The same as it was said, before what was left for later had a name.
fn unnamed(ending: &Ending) -> Ending {
    let mut ending = ending.clone();
    if let Ending::Decided(DecideOutput { open: Some(open), .. }) = &mut ending {
        open.session_id = None;
    }
    ending
}

fn ending(step: Step) -> Option<Ending> {
    match step {
        Step::AnswerPart(chosen) => {
            let Some(Ending::Decided(mut output)) = ending(Step::Answer(chosen)) else { unreachable!() };
            output.open = Some(Box::new(Remainder { session_id: None, items: vec![2] }));
            Some(Ending::Decided(output))
        }
        Step::Answer(chosen) | Step::AnswerOwn(chosen) => {
            let decision = Decision {
                id: 1,
                chosen: Chosen::One(chosen.to_owned()),
                other: None,
                files: Vec::new(),
                note: Some("note".to_owned()),
            };
            Some(Ending::Decided(DecideOutput::complete(vec![decision])))
        }
        Step::SendBack => Some(Ending::Returned(Returned { message: "why".to_owned(), items: vec![1] })),
        Step::Cancel => Some(Ending::Cancelled),
        Step::Init
        | Step::InitIgnored
        | Step::Ask(_)
        | Step::Draft(_)
        | Step::Attach(..)
        | Step::Detach(_)
        | Step::Announce
        | Step::Read
        | Step::Put(_)
        | Step::PutLate(_)
        | Step::DraftOwn(_)
        | Step::Expire => None,
    }
}

/// What an attached file holds, under whatever name it has: a kill may have come before it got its own.
fn content_of(root: &Path, session: &SessionId, name: &str) -> String {
    let folder = root.join(format!(".aide/decisions/files/{session}"));
    let index: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.join("index.json")).unwrap()).unwrap();
    let entry = index["files"].as_array().unwrap().iter().find(|entry| entry["name"] == name).unwrap();
    let part = entry["file"].as_str().map(|file| folder.join("2").join(file)).filter(|part| part.exists());
    fs::read_to_string(part.unwrap_or_else(|| folder.join("2").join(name))).unwrap()
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// How many times the usual is tried.
fn factor() -> usize {
    usize::try_from(effort::factor()).unwrap()
}
