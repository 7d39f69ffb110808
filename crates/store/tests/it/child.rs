//! Other processes: this binary, run again with a role.
//!
//! A child speaks on its standard error, one line at a time, because the test harness speaks on standard output. It
//! ends when its standard input does, so that none outlives its parent.

use crate::helpers::{
    LONG_AGO, SESSION, answered_with_files, ask, large_questions, output, publish, questions, slot,
    with_files,
};
use files::FileError;
use model::{Ask, Origin, SessionId, Via};
use std::env;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::thread;
use store::{Decisions, Project, PublishOutcome, ServerClaimOutcome, ServerInfo, StoreError};

const ROLE: &str = "STORE_TEST_ROLE";
const ROOT: &str = "STORE_TEST_ROOT";
const NAME: &str = "STORE_TEST_NAME";

/// A running child.
pub(crate) struct Process {
    child: Child,
    lines: BufReader<ChildStderr>,
}

impl Process {
    /// Starts a child; `setup` are shell commands that run before it in the same process.
    pub(crate) fn start(role: &str, root: &Path, name: &str, setup: &str) -> Self {
        let mut child = Command::new("sh")
            .arg("-c")
            .arg(format!("{setup}\nexec \"$0\" --exact child::run --nocapture --test-threads 1"))
            .arg(env::current_exe().unwrap())
            .env(ROLE, role)
            .env(ROOT, root)
            .env(NAME, name)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap());
        Self { child, lines }
    }

    /// Waits for the next line.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        assert!(line.ends_with('\n'), "the child ended early, after {line:?}");
        line.trim_end().to_owned()
    }

    /// Lets a waiting child go on.
    pub(crate) fn go(&mut self) {
        self.child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
    }

    /// The lines up to its end, which must be a good one.
    pub(crate) fn finish(mut self) -> Vec<String> {
        let mut text = String::new();
        self.lines.read_to_string(&mut text).unwrap();
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}: {text}");
        text.lines().map(str::to_owned).collect()
    }

    /// SIGKILL, and its end; the whole lines it said before.
    pub(crate) fn kill(mut self) -> Vec<String> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let mut text = String::new();
        self.lines.read_to_string(&mut text).unwrap();
        text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')).map(str::to_owned).collect()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn say(line: &str) {
    let text = format!("{line}\n");
    io::stderr().lock().write_all(text.as_bytes()).unwrap();
}

fn wait_for_go() {
    let mut byte = [0];
    io::stdin().read_exact(&mut byte).unwrap();
}

fn end_with_parent() {
    thread::spawn(|| {
        let _ = io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
}

/// No test unless it is a child.
#[test]
fn run() {
    let Ok(role) = env::var(ROLE) else { return };
    let name = env::var(NAME).unwrap();
    let root = env::var(ROOT).unwrap();
    match role.as_str() {
        "write" => write_for_ever(&open(&root), &name),
        "queue" => queue_for_ever(&open(&root), &name),
        "begin" => begin_many(&open(&root), &name),
        "publish" => publish_named(&open(&root), &name),
        "announce" => announce(&open(&root)),
        "init-and-work" => init_and_work(&root),
        "overflow" => overflow(&open(&root)),
        _ => panic!("no such role: {role}"),
    }
}

fn open(root: &str) -> Decisions {
    Project::at(Path::new(root)).unwrap().decisions().unwrap()
}

/// Asks, replaces, keeps drafts and answers until it is killed. Says what it begins and what is done.
fn write_for_ever(decisions: &Decisions, name: &str) {
    end_with_parent();
    let (small, large) = (questions(&format!("small {name}")), large_questions(&format!("large {name}")));
    ask(decisions, &small).unwrap();
    say("ready");
    let ask = |questions| {
        let session = ask(decisions, questions).unwrap().session;
        say(&format!("asked {session} {}", questions.input().task));
        session
    };
    let draft = |session: &SessionId, questions, note: &str| {
        say(&format!("drafting {note}"));
        let answer = model::Answer { id: 1, note: note.to_owned(), ..model::Answer::default() };
        let sheet = model::AnswerSheet { answers: vec![answer], ..model::AnswerSheet::default() };
        decisions.save_draft(&slot(session), questions, &sheet, Via::Page).unwrap();
        say(&format!("drafted {note}"));
    };
    for round in 0.. {
        let session = ask(&large);
        draft(&session, &large, &format!("large.{round}"));
        let session = ask(&small);
        draft(&session, &small, &format!("small.{round}"));
        say(&format!("answering {session} note.{round}"));
        publish(decisions, &session, &small, output("jwt", &format!("note.{round}")), Via::Page).unwrap();
        say(&format!("answered {session} note.{round}"));
    }
}

/// Asks beside the slot, keeps drafts, answers, and lets deadlines pass until it is killed. Says what it begins and what is
/// done.
fn queue_for_ever(decisions: &Decisions, name: &str) {
    end_with_parent();
    say("ready");
    for round in 0.. {
        let task = format!("{name}.{round}");
        let asked = with_files(&task);
        let is_late = round % 3 == 2;
        let deadline = is_late.then(|| LONG_AGO.to_owned());
        say(&format!("putting {task}"));
        let ask = Ask { questions: &asked, origin: Origin::Decide, deadline };
        let pending = decisions.put(ask, &task).unwrap().pending();
        say(&format!("put {} {task}", pending.session));
        if is_late {
            decisions.expire_all().unwrap();
            say(&format!("expired {}", pending.session));
            continue;
        }
        let answer = model::Answer { id: 1, note: task.clone(), ..model::Answer::default() };
        let sheet = model::AnswerSheet { answers: vec![answer], ..model::AnswerSheet::default() };
        decisions.save_draft(&pending, &asked, &sheet, Via::Page).unwrap();
        say(&format!("drafted {}", pending.session));
        let mut upload = decisions.attach(&pending, &asked, 2, "a.txt").unwrap();
        upload.write(task.as_bytes()).unwrap();
        upload.finish().unwrap();
        say(&format!("attached {}", pending.session));
        if round % 3 == 1 {
            // This one stays open.
            continue;
        }
        say(&format!("answering {}", pending.session));
        let attached = decisions.attachments(&pending.session).unwrap();
        decisions.publish(&pending, &asked, answered_with_files(&task, &attached), Via::Page).unwrap();
        say(&format!("answered {} {task}", pending.session));
    }
}

fn begin_many(decisions: &Decisions, name: &str) {
    say("ready");
    wait_for_go();
    for round in 0..25 {
        let pending = ask(decisions, &questions(&format!("{name}.{round}"))).unwrap();
        say(&pending.session.to_string());
    }
}

fn publish_named(decisions: &Decisions, name: &str) {
    let session = decisions.pending().unwrap().unwrap().session;
    say("ready");
    wait_for_go();
    let published = publish(decisions, &session, &questions("race"), output("jwt", name), Via::Api).unwrap();
    let (word, ending) = match published {
        PublishOutcome::Won(record) => ("won", record.ending),
        PublishOutcome::Lost(ending) => ("lost", ending),
    };
    let model::Ending::Decided(output) = ending else { panic!("{ending:?}") };
    say(&format!("{word} {}", output.decisions[0].note.as_deref().unwrap()));
}

fn announce(decisions: &Decisions) {
    let info = ServerInfo {
        pid: std::process::id(),
        port: 3721,
        url: "http://localhost:3721".to_owned(),
        started_at: store::now(),
        session_id: "2025-01-15T10-30-00".parse().ok(),
        ..ServerInfo::default()
    };
    let ServerClaimOutcome::Ours(claim) = decisions.claim_server().unwrap() else { panic!("another server") };
    let _registration = claim.register(&info).unwrap();
    say("ready");
    wait_for_go();
}

fn init_and_work(root: &str) {
    store::init(Path::new(root)).unwrap();
    let decisions = open(root);
    let asked = questions("modes");
    let pending = ask(&decisions, &asked).unwrap();
    publish(&decisions, &pending.session, &asked, output("jwt", ""), Via::Form).unwrap();
    decisions
        .save_draft(&slot(SESSION), &questions("another"), &model::AnswerSheet::default(), Via::Page)
        .unwrap();
    announce(&decisions);
}

/// Run with a limit on file sizes.
fn overflow(decisions: &Decisions) {
    let error = ask(decisions, &large_questions("too large for the disk")).unwrap_err();
    let StoreError::File(FileError::Io { source, .. }) = error else { panic!("{error:?}") };
    say(&source.kind().to_string());
}
