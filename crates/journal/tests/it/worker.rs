//! A process that keeps a journal and prints what it does and which events it receives, and what must be true of the files it
//! leaves: for tests that trace it, let its calls fail, or kill it.

use crate::support::{Commit, CommitError, JournalFolder, change, log, memory, session};
use journal::{Journal, JournalError, Query, Sqlite, ViewExt};
use std::collections::{BTreeMap, HashSet};
use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use tempfile::NamedTempFile;

const PLACE: &str = "AIDE_JOURNAL_TEST_WORKER_PLACE";
const STORY: &str = "AIDE_JOURNAL_TEST_WORKER_STORY";

/// So many threads write at the same time where several do.
const THREADS: usize = 4;

/// So many bytes fill some pages of the file.
const LARGE: usize = 20_000;

/// The folder and the files that may be in it, except those recreated when the journal is opened.
pub(crate) const FILES: [&str; 7] = [
    "",
    ".journal.db.new",
    ".journal.db.new-journal",
    ".journal.db.new.tmp",
    "journal.db",
    "journal.db-journal",
    "journal.db-wal",
];

/// What a worker does. Whatever it does first, it opens the journal, and it closes it in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// So many changes by one thread.
    One(usize),
    /// So many changes by each of some threads.
    Many(usize),
    /// A change of so many rows that fill several pages each.
    Large(usize),
    /// The journal is closed and opened again.
    Reopen,
}

impl Step {
    fn word(self) -> String {
        match self {
            Self::One(count) => format!("one {count}"),
            Self::Many(count) => format!("many {count}"),
            Self::Large(count) => format!("large {count}"),
            Self::Reopen => "reopen 0".to_owned(),
        }
    }

    fn parse(word: &str) -> Self {
        let (word, count) = word.split_once(' ').unwrap();
        let count = count.parse().unwrap();
        match word {
            "one" => Self::One(count),
            "many" => Self::Many(count),
            "large" => Self::Large(count),
            _ => Self::Reopen,
        }
    }
}

/// Not a test by itself: does what it is asked to and says what comes of it.
#[test]
#[ignore = "started by other tests, which watch it"]
fn keeps_a_journal() {
    let (Some(place), Ok(story)) = (env::var_os(PLACE), env::var(STORY)) else { return };
    let worker =
        Worker { place: place.as_ref(), next: AtomicUsize::new(0), is_unsynced: AtomicBool::new(false) };
    let Some(mut journal) = worker.open() else { return };
    for step in story.split(',').filter(|word| !word.is_empty()).map(Step::parse) {
        match step {
            Step::One(count) => (0..count).for_each(|_| worker.commit(&journal, 1, 0)),
            Step::Many(count) => thread::scope(|scope| {
                for _ in 0..THREADS {
                    scope.spawn(|| (0..count).for_each(|_| worker.commit(&journal, 1, 0)));
                }
            }),
            Step::Large(count) => worker.commit(&journal, count, LARGE),
            Step::Reopen => {
                drop(journal);
                let Some(opened) = worker.open() else { return };
                journal = opened;
            }
        }
        if worker.is_unsynced.swap(false, Ordering::Relaxed) {
            // From here on it refuses everything, of which nothing is written; opened again, it knows what it has.
            let refused = worker.name();
            let error = journal.commit(change([], &[&refused])).unwrap_err();
            assert!(matches!(error, CommitError::Journal(JournalError::Unsynced { .. })), "{error:?}");
            say(&format!("refused {refused}"));
            drop(journal);
            let Some(opened) = worker.open() else { return };
            journal = opened;
        }
    }
    drop(journal);
    say("ended");
}

struct Worker<'w> {
    place: &'w Path,
    next: AtomicUsize,
    /// Whether the outcome of a change is unknown.
    is_unsynced: AtomicBool,
}

impl Worker<'_> {
    fn open(&self) -> Option<Sqlite> {
        let told = Box::new(|events: &[std::sync::Arc<journal::Event>]| {
            for event in events {
                say(&format!("told {} {}", event.seq, event.id));
            }
        });
        let opened = files::Dir::open(self.place).map_err(JournalError::from);
        match opened.and_then(|dir| Sqlite::open(&dir, told)) {
            Ok(journal) => Some(journal),
            Err(error) => {
                say(&format!("unopened {error}"));
                None
            }
        }
    }

    /// A unique name.
    fn name(&self) -> String {
        format!("{}-{}", std::process::id(), self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Rows and two events: together, or not at all.
    fn commit(&self, journal: &Sqlite, rows: usize, size: usize) {
        let name = self.name();
        let rows = (0..rows).map(|number| {
            let mut row = session(&if number == 0 { name.clone() } else { format!("{name}+{number}") });
            row.context = format!("{{\"x\":\"{}\"}}", "x".repeat(size));
            row.into()
        });
        let change = change(rows, &[&format!("{name}a"), &format!("{name}b")]);
        say(&format!("begun {name}"));
        match journal.commit(change) {
            Ok(committed) => say(&format!("acknowledged {} {name}", committed.events[1].seq)),
            Err(CommitError::Journal(JournalError::Unsynced { .. })) => {
                self.is_unsynced.store(true, Ordering::Relaxed);
                say(&format!("unknown {name}"));
            }
            Err(CommitError::Journal(JournalError::Io { .. } | JournalError::Full { .. })) => {
                say(&format!("refused {name}"));
            }
            // What SQLite says where the disk cannot read. What is damaged indeed is found when the file is looked through.
            Err(CommitError::Journal(JournalError::Damaged { .. })) => say(&format!("refused {name}")),
            Err(error) => panic!("{error:?}"),
        }
    }
}

/// In one write, so that it is said at one moment.
fn say(line: &str) {
    let mut out = io::stdout().lock();
    out.write_all(format!("\n{line}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

/// What a worker has said.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ledger {
    begun: HashSet<String>,
    acknowledged: Vec<(i64, String)>,
    refused: HashSet<String>,
    told: Vec<(i64, String)>,
    /// Whether it could not open the journal.
    pub(crate) is_unopened: bool,
    /// Whether it came to its end.
    pub(crate) is_ended: bool,
    /// The number of changes with an unknown outcome.
    pub(crate) unknown: usize,
}

impl Ledger {
    pub(crate) fn parse(said: &str) -> Self {
        let mut ledger = Self::default();
        said.lines().for_each(|line| ledger.hear(line));
        ledger
    }

    pub(crate) fn hear(&mut self, line: &str) {
        let words: Vec<_> = line.split(' ').collect();
        match *words {
            ["begun", name] => drop(self.begun.insert(name.to_owned())),
            ["acknowledged", seq, name] => self.acknowledged.push((seq.parse().unwrap(), name.to_owned())),
            ["refused", name] => drop(self.refused.insert(name.to_owned())),
            ["told", seq, id] => self.told.push((seq.parse().unwrap(), id.to_owned())),
            ["unknown", _] => self.unknown += 1,
            ["unopened", ..] => self.is_unopened = true,
            ["ended"] => self.is_ended = true,
            _ => {}
        }
    }

    /// How many changes were refused.
    pub(crate) fn refused(&self) -> usize {
        self.refused.len()
    }

    /// What was begun until the one moment, and all else until another.
    pub(crate) fn begun_as(mut self, earlier: &Self) -> Self {
        self.begun.clone_from(&earlier.begun);
        self
    }

    /// Checks that what was left is a journal with every change that was acknowledged or reported and none that was refused or
    /// never begun, everything whole and without a gap, and that the journal can still be used.
    pub(crate) fn check(&self, place: &JournalFolder) {
        let journal = place.open();
        let kept = log(&journal);
        assert!(
            kept.iter().zip(1..).all(|((seq, _), number)| *seq == number),
            "no gap, none twice: {kept:?}"
        );
        for (seq, name) in &self.acknowledged {
            let found = kept.get(usize::try_from(*seq - 1).unwrap());
            assert_eq!(found, Some(&(*seq, format!("{name}b"))), "was acknowledged");
        }
        for told in &self.told {
            assert_eq!(kept.get(usize::try_from(told.0 - 1).unwrap()), Some(told), "was told");
        }
        let mut names = HashSet::new();
        for pair in kept.chunks(2) {
            let name = pair[0].1.strip_suffix('a').unwrap_or_else(|| panic!("half of it: {pair:?}"));
            assert!(pair.len() == 2 && pair[1].1 == format!("{name}b"), "half of it: {pair:?}");
            assert!(self.begun.contains(name), "nobody has begun {name}");
            assert!(!self.refused.contains(name), "{name} was refused");
            names.insert(name);
        }
        let rows = journal.view().unwrap().find(&Query::sessions()).unwrap();
        let rows: HashSet<_> = rows.iter().map(|row| row.id.split('+').next().unwrap()).collect();
        assert_eq!(rows, names, "each row with its events");

        journal.commit(change([session("after").into()], &["after"])).unwrap();
        drop(journal);
        let after = log(&place.open());
        assert_eq!(after.len(), kept.len() + 1);
        assert!(after.starts_with(&kept), "{after:?}");
        assert_eq!(after.last().unwrap().1, "after", "it can be gone on with");
    }
}

/// Whether calls of a program can be watched here; where not, it is said.
pub(crate) fn can_trace() -> bool {
    let tried = Command::new("strace")
        .args(["-f", "--seccomp-bpf", "-o", "/dev/null", "true"])
        .stderr(Stdio::null())
        .status();
    let works = tried.is_ok_and(|status| status.success());
    if !works {
        let mut stderr = io::stderr();
        writeln!(stderr, "not tested: there is no strace, or the system lets it watch nothing").unwrap();
    }
    works
}

/// The option with which all other calls than those that are watched run as fast as without strace. Where a call is to be killed,
/// strace 6.1 does so with this option at the first one only.
fn only_these_calls(arguments: &[&str]) -> Option<&'static str> {
    let is_killed = arguments.iter().any(|argument| argument.contains("signal="));
    (!is_killed).then_some("--seccomp-bpf")
}

/// What became of a worker.
pub(crate) struct WorkerRun {
    /// What it has said.
    pub(crate) said: String,
    /// Its calls, as strace writes them down.
    pub(crate) trace: NamedTempFile,
    /// Whether it ended by itself, and well.
    pub(crate) is_well: bool,
}

/// Lets a worker do some steps in a place, watched by strace with these arguments.
pub(crate) fn watch(place: &JournalFolder, steps: &[Step], arguments: &[&str]) -> WorkerRun {
    let trace = NamedTempFile::new_in(memory()).unwrap();
    let words: Vec<_> = steps.iter().map(|step| step.word()).collect();
    let output = Command::new("strace")
        .args(["-f", "-y", "-o"])
        .arg(trace.path())
        .args(only_these_calls(arguments))
        .args(arguments)
        .arg(env::current_exe().unwrap())
        .args(["--exact", "worker::keeps_a_journal", "--ignored", "--nocapture", "--test-threads=1"])
        .env(PLACE, place.path())
        .env(STORY, words.join(","))
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    WorkerRun { said, trace, is_well: output.status.success() }
}

/// The same, with something done to its calls to some of [`FILES`]: `inject` is what strace calls an expression.
pub(crate) fn watch_files(place: &JournalFolder, steps: &[Step], names: &[&str], inject: &str) -> WorkerRun {
    let folder = place.path().canonicalize().unwrap();
    let paths = names.iter().map(|name| folder.join(name).to_str().unwrap().trim_end_matches('/').to_owned());
    let paths: Vec<_> = paths.collect();
    let calls =
        inject.strip_prefix("inject=").map(|inject| format!("trace={}", inject.split(':').next().unwrap()));
    let mut arguments = vec!["-e", inject];
    arguments.extend(calls.iter().flat_map(|calls| ["-e", calls]));
    arguments.extend(paths.iter().flat_map(|path| ["-P", path]));
    watch(place, steps, &arguments)
}

impl WorkerRun {
    /// How often each call was made, by the thread that made it most often: each of them is counted for itself.
    pub(crate) fn counts(&self) -> BTreeMap<String, usize> {
        let text = fs::read_to_string(self.trace.path()).unwrap();
        let mut of_threads: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for line in text.lines() {
            let (thread, call) = line.split_once(' ').unwrap();
            if let Some((call, _)) = call.trim_start().split_once('(')
                && call.chars().all(|letter| letter.is_ascii_alphanumeric())
            {
                *of_threads.entry((call, thread)).or_default() += 1;
            }
        }
        let mut counts = BTreeMap::new();
        for ((call, _), count) in of_threads {
            let most: &mut usize = counts.entry(call.to_owned()).or_default();
            *most = count.max(*most);
        }
        counts
    }
}
