//! The daemon as a program has it, in the process of the test: how it begins, and how it ends.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use app::{Hall, SetId};
use client::{Client, DaemonRegistration};
use daemon::{
    Crew, DaemonError, DaemonOutcome, DaemonPort, LogTo, Notices, Program, Signals, Stuck, remove_pid_file,
    run,
};
use files::Dir;
use journal::JournalError;
use mcp::{Backend, CommandOutput, Http, Options, PageState, ToolFailure, UnannouncedQuestions};
use model::SessionId;
use server::BindError;
use settings::{ConfigFiles, DaemonSettings, LogLevel};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;
use store::{Decisions, Project, ServerInfo};
use tempfile::TempDir;
use tokio::sync::Notify;

/// How a signal is numbered here.
const SIGNAL: u8 = 7;
/// How long an answer may take, on a machine that is busy with other tests.
const ANSWER_LIMIT: Duration = Duration::from_secs(60);

/// What a daemon has called of its program.
#[derive(Debug, PartialEq, Eq)]
enum Call {
    Log,
    Ready(Box<DaemonRegistration>),
}

/// A program that does nothing but run a daemon.
struct Bare {
    calls: Sender<Call>,
    signal: Arc<Notify>,
    has_mcp: bool,
}

/// Sends a signal when it is dropped, so that a test that fails does not wait for its daemon.
struct SignalOnDrop(Arc<Notify>);

impl Drop for SignalOnDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

struct Notified(Arc<Notify>);

impl Signals for Notified {
    async fn next(&mut self) -> u8 {
        self.0.notified().await;
        SIGNAL
    }
}

struct NoNotices;

impl Notices for NoNotices {
    fn look(&mut self, _: &Hall, _: &dyn Fn(&SetId) -> Option<ServerInfo>) {}
}

struct NoBackend;

impl Backend for NoBackend {
    fn serve(
        &self,
        _: &Project,
        _: &Decisions,
        _: &SessionId,
        _: Option<&UnannouncedQuestions>,
    ) -> Result<PageState, ToolFailure> {
        Ok(PageState::Over)
    }

    fn init(&self, _: &Path) -> Result<(), ToolFailure> {
        Ok(())
    }

    fn remembered(&self) -> String {
        String::new()
    }

    fn remember(&self, _: &str) {}

    fn run(&self, _: &Path, _: &[String]) -> CommandOutput {
        CommandOutput::default()
    }
}

impl Program for Bare {
    type Signals = Notified;

    fn start_log(&self, _: LogLevel, file: Option<File>) -> io::Result<()> {
        assert!(file.is_none());
        // A test may look at none of them.
        let _ = self.calls.send(Call::Log);
        Ok(())
    }

    fn signals(&self) -> io::Result<Notified> {
        Ok(Notified(Arc::clone(&self.signal)))
    }

    fn kept_flags(&self, http_port: u16, ws_port: u16) -> BTreeMap<String, String> {
        [("http", http_port), ("ws", ws_port)].map(|(name, port)| (name.to_owned(), port.to_string())).into()
    }

    fn restarted(&self) -> Option<String> {
        None
    }

    fn hall(&self) -> Hall {
        Hall::without_home(None)
    }

    fn notices(&self) -> Box<dyn Notices> {
        Box::new(NoNotices)
    }

    fn mcp(&self) -> io::Result<Arc<Http>> {
        if !self.has_mcp {
            return Err(io::Error::other("no service of agents"));
        }
        Http::start(Arc::new(NoBackend), Options { names_project: true, ..Options::default() }).map(Arc::new)
    }

    fn ready(&self, daemon: &DaemonRegistration) {
        let _ = self.calls.send(Call::Ready(Box::new(daemon.clone())));
    }

    fn end_stuck(stuck: Stuck) {
        panic!("{stuck:?}");
    }
}

/// The folder of a daemon.
struct Place {
    folder: TempDir,
    dir: Arc<Dir>,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let dir = Arc::new(Dir::open(folder.path()).unwrap());
        Self { folder, dir }
    }

    fn run(&self, program: &Bare, settings: &DaemonSettings) -> Result<DaemonOutcome, DaemonError> {
        let files = ConfigFiles::new(None, None);
        let user = files.user_layers().unwrap();
        let crew = Crew::new(user.crew().unwrap(), &user.agent().unwrap(), |_| false);
        run(program, &self.dir, settings, &crew, LogTo::Terminal)
    }

    /// Whether a daemon runs here, or one has left its process id.
    fn is_used(&self) -> bool {
        DaemonRegistration::find(&self.dir).unwrap().is_some() || remove_pid_file(&self.dir)
    }
}

/// A program, what its daemon calls of it, and the signal to it.
fn program() -> (Bare, Receiver<Call>, Arc<Notify>) {
    let (calls, called) = channel();
    let signal = Arc::new(Notify::new());
    (Bare { calls, signal: Arc::clone(&signal), has_mcp: true }, called, signal)
}

fn any_ports() -> DaemonSettings {
    DaemonSettings { http_port: 0, ws_port: 0, ..DaemonSettings::default() }
}

#[test]
fn it_serves_beside_no_other_until_a_signal_comes() {
    let place = Place::new();
    let (bare, called, signal) = program();
    let outcome = thread::scope(|scope| {
        // It has the sender: where the daemon fails, nothing is waited for.
        let daemon = scope.spawn(|| place.run(&{ bare }, &any_ports()));
        let signal = SignalOnDrop(signal);
        assert_eq!(called.recv().unwrap(), Call::Log);
        let Call::Ready(info) = called.recv().unwrap() else { panic!("a second log") };
        assert_eq!(DaemonRegistration::find(&place.dir).unwrap().as_ref(), Some(&*info));
        let flags = [("http", info.http_port), ("ws", info.ws_port)];
        let flags = flags.map(|(name, port)| (name.to_owned(), port.to_string())).into();
        assert_eq!((info.flags.as_ref(), &info.restarted), (Some(&flags), &None));
        let client = Client::new(info.address().unwrap(), Some(ANSWER_LIMIT)).unwrap();
        server::runtime().unwrap().block_on(client.health()).unwrap();
        let (second, called_second, _) = program();
        assert_eq!(place.run(&second, &any_ports()).unwrap(), DaemonOutcome::AlreadyRunning);
        // Its log is that of the first.
        assert!(called_second.try_recv().is_err());
        drop(signal);
        daemon.join().unwrap()
    });
    assert_eq!(outcome.unwrap(), DaemonOutcome::Ended(SIGNAL));
    assert!(!place.is_used());
}

#[test]
fn a_signal_before_it_is_ready_ends_it() {
    let place = Place::new();
    let (bare, called, signal) = program();
    signal.notify_one();
    assert_eq!(place.run(&bare, &any_ports()).unwrap(), DaemonOutcome::Ended(SIGNAL));
    assert_eq!(called.try_iter().collect::<Vec<_>>(), [Call::Log]);
    assert!(!place.is_used());
}

#[test]
fn it_takes_the_configured_ports_and_no_other() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let number = taken.local_addr().unwrap().port();
    for (settings, expected) in [
        (DaemonSettings { http_port: number, ..any_ports() }, DaemonPort::Http),
        (DaemonSettings { ws_port: number, ..any_ports() }, DaemonPort::WebSocket),
    ] {
        let place = Place::new();
        let (bare, ..) = program();
        let error = place.run(&bare, &settings).unwrap_err();
        let DaemonError::NotBound { port, error: BindError::Busy { first, .. } } = error else {
            panic!("{error:?}")
        };
        assert_eq!((port, first), (expected, number));
        assert!(!place.is_used());
    }
}

#[test]
fn what_prevents_it_is_an_error_and_the_folder_is_free_again() {
    let place = Place::new();
    let (bare, ..) = program();
    let error = place.run(&Bare { has_mcp: false, ..bare }, &any_ports()).unwrap_err();
    assert!(matches!(error, DaemonError::System(_)), "{error:?}");
    assert_eq!(error.to_string(), "no service of agents");
    assert!(!place.is_used());
    let place = Place::new();
    let journal = place.folder.path().join("journal.db");
    let damaged = vec![b'x'; 8192];
    fs::write(&journal, &damaged).unwrap();
    let (bare, ..) = program();
    let error = place.run(&bare, &any_ports()).unwrap_err();
    assert!(matches!(error, DaemonError::Journal(JournalError::Damaged { .. })), "{error:?}");
    assert_eq!(fs::read(&journal).unwrap(), damaged);
    assert!(!place.is_used());
}
