//! Whatever is killed, what was acknowledged is there.

use crate::support::{Place, change, factor, log, session, workflows};
use journal::{Change, Find, Journal, ViewExt};
use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// How often a writer is killed; the long campaign multiplies it.
const KILLS: u32 = 12;

const PLACE: &str = "AIDE_JOURNAL_TEST_PLACE";

/// Not a test by itself: writes and says what it was told is written, until it is killed.
#[test]
#[ignore = "started by another test, which kills it"]
fn writer() {
    let Some(place) = env::var_os(PLACE) else { return };
    let journal =
        journal::Sqlite::open(&files::Dir::open(Path::new(&place)).unwrap(), Box::new(|_| ())).unwrap();
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
                    let mut out = std::io::stdout().lock();
                    writeln!(out, "\nacknowledged {} {name}", committed.events[1].seq).unwrap();
                    out.flush().unwrap();
                }
            });
        }
    });
}

#[test]
fn what_was_acknowledged_is_there_after_a_kill() {
    let place = Place::new();
    let mut acknowledged: Vec<(i64, String)> = Vec::new();
    for round in 0..u64::from(KILLS * factor()) {
        let mut writer = Command::new(env::current_exe().unwrap())
            .args(["--exact", "durable::writer", "--ignored", "--nocapture"])
            .env(PLACE, place.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(writer.stdout.take().unwrap()).lines();
        let reader = thread::spawn(move || {
            let mut said = Vec::new();
            for line in lines.map_while(Result::ok) {
                let mut words = line.split(' ');
                if words.next() == Some("acknowledged") {
                    // The last line may be cut off.
                    if let (Some(seq), Some(name)) = (words.next(), words.next()) {
                        said.push((seq.parse().unwrap(), name.to_owned()));
                    }
                }
            }
            said
        });
        thread::sleep(Duration::from_micros(20_000 + round * 7_919 % 90_000));
        writer.kill().unwrap();
        writer.wait().unwrap();
        acknowledged.extend(reader.join().unwrap());

        let journal = place.open();
        let kept = log(&journal);
        assert!(kept.iter().zip(1..).all(|((seq, _), number)| *seq == number), "no gap, none twice");
        for (seq, name) in &acknowledged {
            assert_eq!(kept[usize::try_from(*seq - 1).unwrap()].1, format!("{name}b"));
        }
        let rows = journal.view().unwrap().find(&Find::sessions()).unwrap();
        assert_eq!(rows.len() * 2, kept.len(), "each row with its events");
    }
    assert!(!acknowledged.is_empty(), "killed too early, each time");
}

#[test]
fn what_the_disk_has_when_everything_stops_is_a_journal() {
    let place = Place::new();
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
    let place = Place::new();
    let journal = place.open();
    for number in 0..12 {
        let name = format!("s{number}");
        journal.commit(change([session(&name).into()], &[&name])).unwrap();
    }
    let whole = place.killed();
    let changes = std::fs::read(whole.path().join("journal.db-wal")).unwrap();
    let stride = if factor() > 1 { 13 } else { 1201 };
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
