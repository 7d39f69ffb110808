//! A journal whose making is killed at any call is made by the next one who opens it.

use crate::support::{JournalFolder, PanicNote, side_by_side, some};
use crate::worker::{self, FILES, Ledger, Step};
use std::fs;
use std::io::{self, Write};

/// Whatever changes files, and what forces the changes to the disk.
const CALLS: [&str; 11] = [
    "write",
    "pwrite64",
    "ftruncate",
    "fsync",
    "fdatasync",
    "linkat",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
];

/// What is killed: the journal is made, and something is written to it.
const STEPS: [Step; 1] = [Step::One(1)];

/// How many of the calls of a kind are the last before a kill: all of them, but for the writes of pages, which are several hundred.
/// The long campaign kills at each of those as well.
const MAX_KILLS: usize = 100;

/// The same where several are killed one after the other.
const MAX_CALLS: usize = 5;

/// The distance between the pairs of kills that are tried. It shares no factor with the number of calls, so that each of them is
/// in a pair. The long campaign tries every pair.
const STRIDE: usize = 11;

#[test]
fn a_journal_that_is_killed_while_it_is_made_is_made_by_the_next_one() {
    if !worker::can_trace() {
        return;
    }
    let all = kills(if effort::is_complete() { usize::MAX } else { MAX_KILLS });
    let some = kills(MAX_CALLS * usize::try_from(effort::factor()).unwrap().min(8));
    assert!(!some.len().is_multiple_of(STRIDE), "some are in no pair");
    // Each of them alone, and some after those that others were killed at.
    let mut stories: Vec<_> = all.iter().map(|kill| vec![kill]).collect();
    let pairs = some.iter().flat_map(|first| some.iter().map(move |second| vec![first, second]));
    stories.extend(pairs.step_by(effort::stride(STRIDE)));
    side_by_side(&stories, |kills| {
        let place = JournalFolder::in_memory();
        let _story = PanicNote(|| format!("{kills:?}"));
        let mut said = String::new();
        for kill in kills {
            let killed = worker::watch_files(&place, &STEPS, &FILES, kill);
            said.push_str(&killed.said);
            // The second one has less to do than the first, and may not come to the call that it would be killed at.
            assert!(!killed.is_well || kills.len() > 1, "it was not killed");
        }
        Ledger::parse(&said).check(&place);
        let left = fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut left: Vec<_> = left.collect();
        left.sort();
        assert_eq!(left, [".lock", "journal.db"], "half of it was left");
    });
    let mut stderr = io::stderr();
    writeln!(stderr, "{} kills, {} times one after another", all.len(), stories.len() - all.len()).unwrap();
    assert!(all.len() > 100, "{}", all.len());
}

/// Kills at each call, but at about `most` of a kind.
fn kills(most: usize) -> Vec<String> {
    let trace = format!("trace={}", CALLS.join(","));
    let counts = worker::watch_files(&JournalFolder::in_memory(), &STEPS, &FILES, &trace).counts();
    let of = |(call, count): (String, usize)| {
        let numbers = some(1, count + 1, most).into_iter();
        numbers.map(move |number| format!("inject={call}:signal=KILL:when={number}"))
    };
    counts.into_iter().flat_map(of).collect()
}
