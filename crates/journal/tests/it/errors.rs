//! Calls that fail: what was acknowledged is there, what was refused is not, and the journal can be opened.

use crate::support::{JournalFolder, PanicNote, side_by_side, some};
use crate::worker::{self, FILES, Ledger, Step};
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The calls that may fail, and how.
const CALLS: [(&str, &[&str]); 10] = [
    ("openat", &["EIO", "ENOSPC"]),
    ("pread64", &["EIO"]),
    ("pwrite64", &["EIO", "ENOSPC"]),
    ("ftruncate", &["EIO"]),
    ("linkat", &["EIO", "ENOSPC"]),
    ("rename", &["EIO"]),
    ("renameat", &["EIO", "ENOSPC"]),
    ("renameat2", &["EIO", "ENOSPC"]),
    ("unlink", &["EIO"]),
    ("unlinkat", &["EIO"]),
];

/// Those that force changes to the disk.
const FLUSHES: [(&str, &[&str]); 2] = [("fsync", &["EIO", "ENOSPC"]), ("fdatasync", &["EIO", "ENOSPC"])];

/// What a worker does, whether there is a journal before, and how many of the calls of a kind fail, each in a run of its own.
const STORIES: [(bool, &[Step], usize); 3] = [
    (false, &[Step::One(2), Step::Reopen, Step::One(2)], 4),
    (true, &[Step::One(3), Step::Many(2), Step::Reopen, Step::One(1)], 4),
    // So many pages that they are moved into the file.
    (true, &[Step::Large(170), Step::One(2)], 2),
];

#[test]
fn a_call_that_fails_takes_nothing_that_was_acknowledged_and_leaves_nothing_that_was_refused() {
    if !worker::can_trace() {
        return;
    }
    let names: Vec<_> = CALLS.iter().chain(&FLUSHES).map(|(call, _)| *call).collect();
    let trace = format!("trace={}", names.join(","));
    let [tried, unopened, refused, unknown] = [const { AtomicUsize::new(0) }; 4];
    for (is_begun, steps, most) in STORIES {
        let most = most * usize::try_from(effort::factor()).unwrap();
        let mut faults = Vec::new();
        let mut add = |names: &'static [&'static str], calls: &[(&str, &[&str])]| {
            let counts = worker::watch_files(&place(is_begun), steps, names, &trace).counts();
            for (call, errors) in calls {
                for number in some(1, counts.get(*call).map_or(1, |count| count + 1), most) {
                    let fault = |error| (names, format!("inject={call}:error={error}:when={number}"));
                    faults.extend(errors.iter().map(fault));
                }
            }
        };
        add(&FILES, &CALLS);
        add(&FILES, &FLUSHES);
        if is_begun {
            // Each thread counts for itself, and the first to flush is the one that opens, but that flushes the folder alone.
            add(&FILES[1..], &FLUSHES);
        }
        side_by_side(&faults, |(names, fault)| {
            let place = place(is_begun);
            let watched = worker::watch_files(&place, steps, names, fault);
            let _story = PanicNote(|| format!("{steps:?}, {fault}: {}", watched.said));
            let ledger = Ledger::parse(&watched.said);
            assert!(watched.is_well && (ledger.is_ended || ledger.is_unopened), "it has not ended well");
            ledger.check(&place);
            tried.fetch_add(1, Ordering::Relaxed);
            unopened.fetch_add(usize::from(ledger.is_unopened), Ordering::Relaxed);
            refused.fetch_add(ledger.refused(), Ordering::Relaxed);
            unknown.fetch_add(ledger.unknown, Ordering::Relaxed);
        });
    }
    let [tried, unopened, refused, unknown] =
        [tried, unopened, refused, unknown].map(AtomicUsize::into_inner);
    let mut stderr = io::stderr();
    writeln!(stderr, "{tried} calls failed: {unopened} not opened, {refused} refused, {unknown} unknown")
        .unwrap();
    assert!(tried > 100 && unopened > 10 && refused > 10 && unknown > 10);
}

fn place(is_begun: bool) -> JournalFolder {
    let place = JournalFolder::in_memory();
    if is_begun {
        drop(place.open());
    }
    place
}
