//! Whatever is killed, what was acknowledged is there.

use crate::support::{Change, Commit, JournalFolder, change, log, session, workflows};
use journal::{Event, Journal, Query, ViewExt};
use std::collections::HashSet;
use std::env;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// How often a writer is killed; the long campaign multiplies it.
const KILLS: u32 = 200;

/// How often in the same place, so that one goes on with what another has left.
const KILLS_OF_A_PLACE: u32 = 10;

const PLACE: &str = "AIDE_JOURNAL_TEST_PLACE";

/// Not a test by itself: writes and says what it was told is written, until it is killed.
#[test]
#[ignore = "started by another test, which kills it"]
fn writer() {
    let Some(place) = env::var_os(PLACE) else { return };
    // In one write, so that only the last line may be cut off.
    let say = |line: &str| {
        let mut out = std::io::stdout().lock();
        out.write_all(format!("\n{line}\n").as_bytes()).unwrap();
        out.flush().unwrap();
    };
    let listener = move |events: &[Arc<Event>]| {
        let told = events.iter().map(|event| format!("told {} {}", event.seq, event.id));
        say(&told.collect::<Vec<_>>().join("\n"));
    };
    let dir = files::Dir::open(Path::new(&place)).unwrap();
    let journal = journal::Sqlite::open(&dir, Box::new(listener)).unwrap();
    thread::scope(|scope| {
        for thread in 0..4 {
            let journal = &journal;
            scope.spawn(move || {
                for number in 0.. {
                    // A row and its events: together, or not at all.
                    let name = format!("{}-{thread}-{number}", std::process::id());
                    let (first, second) = (format!("{name}a"), format!("{name}b"));
                    let committed =
                        journal.commit(change([session(&name).into()], &[&first, &second])).unwrap();
                    say(&format!("acknowledged {} {name}b", committed.events[1].seq));
                }
            });
        }
    });
}

#[test]
fn what_was_acknowledged_or_told_is_there_after_a_kill() {
    let [mut acknowledged, mut told] = [0, 0];
    let mut round = 0;
    for _ in 0..KILLS * effort::factor() / KILLS_OF_A_PLACE {
        let place = JournalFolder::new();
        let mut said = WriterLog::default();
        for _ in 0..KILLS_OF_A_PLACE {
            round += 1;
            said.extend(killed_writer(&place, Duration::from_micros(10_000 + round * 7_919 % 90_000)));
            let journal = place.open();
            let kept = log(&journal);
            assert!(kept.iter().zip(1..).all(|((seq, _), number)| *seq == number), "no gap, none twice");
            let ids: HashSet<_> = kept.iter().map(|(_, id)| id).collect();
            assert_eq!(ids.len(), kept.len(), "each event once");
            for (what, seq, id) in &said {
                assert_eq!(kept.get(usize::try_from(*seq - 1).unwrap()), Some(&(*seq, id.clone())), "{what}");
            }
            let rows = journal.view().unwrap().find(&Query::sessions()).unwrap();
            assert_eq!(rows.len() * 2, kept.len(), "each row with its events");
        }
        let count = |what: &str| said.iter().filter(|(said, ..)| said == what).count();
        acknowledged += count("acknowledged");
        told += count("told");
    }
    let mut stderr = std::io::stderr();
    writeln!(stderr, "{round} kills: {acknowledged} changes acknowledged, {told} events told").unwrap();
    assert!(acknowledged > 0 && told > acknowledged, "killed too early, each time");
}

/// What was said of which event: `acknowledged` or `told`.
type WriterLog = Vec<(String, i64, String)>;

/// What a writer says until it is killed after some time.
fn killed_writer(place: &JournalFolder, after: Duration) -> WriterLog {
    let mut writer = Command::new(env::current_exe().unwrap())
        .args(["--exact", "durable::writer", "--ignored", "--nocapture"])
        .env(PLACE, place.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut out = writer.stdout.take().unwrap();
    let reader = thread::spawn(move || {
        let mut said = Vec::new();
        out.read_to_end(&mut said).unwrap();
        String::from_utf8(said).unwrap()
    });
    thread::sleep(after);
    writer.kill().unwrap();
    writer.wait().unwrap();
    let text = reader.join().unwrap();
    // The last line may be cut off.
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let words = whole.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    words
        .filter_map(|words| match *words {
            [what @ ("acknowledged" | "told"), seq, id] => {
                Some((what.to_owned(), seq.parse().unwrap(), id.to_owned()))
            }
            _ => None,
        })
        .collect()
}

#[test]
fn what_the_disk_has_when_everything_stops_is_a_journal() {
    let place = JournalFolder::new();
    let journal = place.open();
    for number in 0..40 {
        let name = format!("s{number}");
        journal.commit(change([session(&name).into()], &[&name])).unwrap();
        let after = place.killed();
        let reopened = after.open();
        assert_eq!(log(&reopened).len(), number + 1);
        reopened.commit(Change::default()).unwrap();
    }
    assert_eq!(workflows(&journal), []);
}

/// The changes that are not in the file yet, cut off at any byte or with one byte turned: the journal is as it was after one
/// of its commits, the later the more is left.
#[test]
fn changes_that_were_written_in_part_are_undone() {
    let place = JournalFolder::new();
    let journal = place.open();
    for number in 0..12 {
        let name = format!("s{number}");
        journal.commit(change([session(&name).into()], &[&name])).unwrap();
    }
    let whole = place.killed();
    let changes = std::fs::read(whole.path().join("journal.db-wal")).unwrap();
    let stride = if effort::factor() > 1 { 13 } else { 1201 };
    let mut counts = Vec::new();
    for length in (0..changes.len()).step_by(stride) {
        let cut = whole.killed();
        std::fs::write(cut.path().join("journal.db-wal"), &changes[..length]).unwrap();
        let kept = log(&cut.open());
        assert!(kept.iter().zip(0..).all(|((_, id), number)| *id == format!("s{number}")));
        counts.push(kept.len());

        let mut turned = changes.clone();
        turned[length] ^= 0x10;
        let cut = whole.killed();
        std::fs::write(cut.path().join("journal.db-wal"), &turned).unwrap();
        let kept = log(&cut.open());
        assert!(kept.iter().zip(0..).all(|((_, id), number)| *id == format!("s{number}")));
    }
    assert!(counts.is_sorted());
    assert!(counts.first() == Some(&0) && *counts.last().unwrap() >= 11, "{counts:?}");
}
