//! Every folder that a loss of power may leave to a journal, rebuilt and opened.
//!
//! A worker keeps a journal while strace writes down what it does to its files. From that the disk is rebuilt as it may have
//! been at any moment (`disk.rs`), and opened.

mod disk;
mod trace;

use crate::support::{JournalFolder, PanicNote, side_by_side};
use crate::worker::{self, Ledger, Step};
use disk::{Disk, Model};
use journal::Sqlite;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::sync::Mutex;
use trace::Trace;

/// How many of the changes to a file that are not settled are taken one by one; the long campaign multiplies it.
const MAX_DEPTH: usize = 3;

/// Where more than so many are not settled, not every moment is tried: what was written first is tried at a later one.
const DENSE: usize = 8;

/// How many different disks are tried at least.
const DISKS: usize = 700;

/// The steps that are tried. What is ours is how a journal is made, closed and opened again. Of how changes are written, which is
/// SQLite's own, the long campaign tries more.
fn planned() -> Vec<Vec<Step>> {
    use Step::{Large, Many, One, Reopen};
    let mut planned = vec![vec![One(3), Reopen, One(2), Reopen]];
    if effort::factor() > 1 {
        // The last: so many pages that they are moved into the file, and those of the next change begin anew.
        planned.extend([vec![Many(3)], vec![Large(170), One(1), Reopen]]);
    }
    planned
}

/// Steps in any order, the same for the same seed.
fn random(seed: u64) -> Vec<Step> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below).unwrap()
    };
    let steps = 2 + next(5);
    let step = |_| match next(8) {
        0..3 => Step::One(1 + next(4)),
        3 | 4 => Step::Many(1 + next(2)),
        5 => Step::Large(1 + next(200)),
        _ => Step::Reopen,
    };
    (0..steps).map(step).collect()
}

#[test]
fn a_loss_of_power_takes_nothing_that_was_acknowledged() {
    if !worker::can_trace() {
        return;
    }
    let random = (1..u64::from(effort::factor())).map(random);
    let mut tried = 0;
    for steps in planned().into_iter().chain(random) {
        let count = check(&steps, None).disks;
        let mut stderr = io::stderr();
        writeln!(stderr, "{count} disks after {steps:?}").unwrap();
        tried += count;
    }
    assert!(tried >= DISKS, "{tried}");
}

/// A flush that has failed may have lost what it was to keep, and the next one may succeed all the same.
#[test]
fn a_flush_that_fails_takes_nothing_that_was_acknowledged() {
    if !worker::can_trace() {
        return;
    }
    let steps = [Step::One(2), Step::Reopen, Step::One(1)];
    let [mut tried, mut unknown] = [0, 0];
    for number in 1.. {
        let checked = check(&steps, Some(&format!("inject=fsync,fdatasync:error=EIO:when={number}")));
        let mut stderr = io::stderr();
        writeln!(stderr, "{} disks where flush {number} failed", checked.disks).unwrap();
        tried += checked.disks;
        unknown += checked.unknown;
        if !checked.is_injected {
            break;
        }
    }
    assert!(tried > 200 && unknown > 1, "{tried} disks, {unknown} unknown");
}

type Hash = [u8; 32];

/// For each different disk, by its hash: where it comes from, and the first and the last moment at which it may be left.
type DiskStates<'d> = HashMap<Hash, (&'d Disk, usize, usize)>;

/// What was tried.
struct CheckSummary {
    /// So many different disks.
    disks: usize,
    /// The number of changes with an unknown outcome.
    unknown: usize,
    /// Whether a call has failed that was to fail.
    is_injected: bool,
}

/// Checks every disk that these steps may leave: from nothing, or where there is a journal and calls fail as `inject` says.
fn check(steps: &[Step], inject: Option<&str>) -> CheckSummary {
    let place = JournalFolder::in_memory();
    let before = inject.map(|_| {
        drop(place.open());
        (Sqlite::FILE, fs::read(place.path().join(Sqlite::FILE)).unwrap())
    });
    let calls = format!("trace={}", trace::CALLS);
    let mut arguments = vec!["-xx", "-s", "70000", "-e", &calls];
    arguments.extend(inject.iter().flat_map(|inject| ["-e", inject]));
    let watched = worker::watch(&place, steps, &arguments);
    let ledger = Ledger::parse(&watched.said);
    assert!(watched.is_well && (ledger.is_ended || ledger.is_unopened), "{}", watched.said);
    let trace = Trace::read(watched.trace.path(), place.path(), before);
    let model = Model::new(&trace);
    let mut disks: HashMap<Disk, (usize, usize)> = HashMap::new();
    for moment in moments(&trace, &model) {
        let most =
            if inject.is_some() || model.open(moment) > DENSE { MAX_DEPTH.div_ceil(2) } else { MAX_DEPTH };
        for disk in model.disks(moment, most * times(8)) {
            disks.entry(disk).or_insert((moment, moment)).1 = moment;
        }
    }
    let disks: Vec<_> = disks.into_iter().collect();
    let found = Mutex::new(DiskStates::new());
    side_by_side(&disks, |(disk, (first, last))| {
        let hash = hash(&model.files(disk));
        let mut found = found.lock().unwrap();
        let (_, earliest, latest) = found.entry(hash).or_insert((disk, *first, *last));
        (*earliest, *latest) = ((*earliest).min(*first), (*latest).max(*last));
    });
    let found: Vec<_> = found.into_inner().unwrap().into_values().collect();
    side_by_side(&found, |(disk, first, last)| {
        let _story = PanicNote(|| {
            format!("{steps:?}, {inject:?}, then the power is lost from {first} to {last}: {disk:?}")
        });
        let place = JournalFolder::in_memory();
        for (name, bytes) in model.files(disk) {
            fs::write(place.path().join(name), bytes).unwrap();
        }
        // Changes not begun by the first of the moments are absent, those acknowledged by the last one are present.
        trace.ledger(*last).begun_as(&trace.ledger(*first)).check(&place);
    });
    let is_injected = fs::read_to_string(watched.trace.path()).unwrap().contains("(INJECTED)");
    CheckSummary { disks: found.len(), unknown: ledger.unknown, is_injected }
}

/// The moments that are tried: all of them, but where very much is not settled yet only some, and the last one.
fn moments(trace: &Trace, model: &Model<'_>) -> Vec<usize> {
    let all = trace.moments();
    let open: Vec<_> = all.iter().map(|moment| model.open(*moment)).collect();
    let is_tried = |number: &usize| {
        let (open, after) = (open[*number], open.get(number + 1).copied().unwrap_or_default());
        open <= DENSE * times(8) || after < open || open.is_power_of_two()
    };
    (0..all.len()).filter(is_tried).map(|number| all[number]).collect()
}

/// How many times the usual is tried, up to a limit.
fn times(limit: u32) -> usize {
    usize::try_from(effort::factor().min(limit)).unwrap()
}

fn hash(files: &[(&str, Vec<u8>)]) -> Hash {
    let mut hash = Sha256::new();
    for (name, bytes) in files {
        hash.update(format!("{name} {} ", bytes.len()));
        hash.update(bytes);
    }
    hash.finalize().into()
}
