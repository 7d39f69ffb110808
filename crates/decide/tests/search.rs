//! A search by way of a cache finds what a search without one finds, whatever has become of the records and of the cache, and
//! reads only the records that fit.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod records;

use decide::SearchCache;
use proptest::prelude::*;
use records::{name, record};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};
use store::{Decisions, Project};
use tempfile::TempDir;

/// A project, and the folder of its user's state.
struct Place {
    folder: TempDir,
    state: TempDir,
    decisions: Decisions,
}

impl Place {
    fn new(count: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        store::init(folder.path()).unwrap();
        let decisions = Project::at(folder.path()).unwrap().decisions().unwrap();
        let place = Self { folder, state: tempfile::tempdir().unwrap(), decisions };
        for number in 0..count {
            place.write(number, &record(&format!("task {number:05}"), "fine").to_string());
        }
        place
    }

    /// The files are younger than the times of most file systems are fine.
    fn cache(&self) -> SearchCache {
        SearchCache::below(self.state.path()).with_grain(Duration::ZERO)
    }

    fn path(&self, number: usize) -> PathBuf {
        self.folder.path().join(format!(".aide/decisions/{}.json", name(number)))
    }

    fn write(&self, number: usize, text: &str) {
        fs::write(self.path(number), text).unwrap();
    }

    /// Writes into the same file, at another time as the file system sees it.
    fn write_in_place(&self, number: usize, text: &str) {
        let session = name(number).parse().unwrap();
        let before = self.decisions.record_identity(&session).unwrap();
        while self.decisions.record_identity(&session).unwrap() == before {
            self.write(number, text);
        }
    }

    fn search(&self, search: &str, cache: Option<&SearchCache>) -> String {
        format!("{:?}", decide::history(&self.decisions, search, 1, cache).unwrap())
    }

    fn assert_same(&self, search: &str) {
        assert_eq!(self.search(search, Some(&self.cache())), self.search(search, None), "{search}");
    }

    fn shelves(&self) -> Vec<PathBuf> {
        shelves(self.state.path())
    }
}

fn shelves(state: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(state.join("aide/search")) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "texts")).collect()
}

/// How often this thread has read. Below 500 records a search has one thread.
fn reads() -> u64 {
    let counts = fs::read_to_string("/proc/thread-self/io").unwrap();
    counts.lines().find_map(|line| line.strip_prefix("syscr: ")).unwrap().parse().unwrap()
}

/// How often a search reads, the first time and later.
fn cost(count: usize, search: &str) -> [u64; 2] {
    let place = Place::new(count);
    [(); 2].map(|()| {
        let before = reads();
        assert!(place.search(search, Some(&place.cache())).contains("ended: []"));
        reads() - before
    })
}

#[test]
fn a_second_search_opens_only_the_records_that_fit() {
    // All in blocks that one thread reads.
    let ([first, fewer], [_, more]) = (cost(270, "nowhere"), cost(50, "nowhere"));
    assert!(first > 255, "{first}");
    assert!(fewer < 20, "{fewer}");
    // So few are not worth a file.
    assert!(more > 50, "{more}");
}

#[test]
fn a_damaged_text_is_not_believed() {
    let place = Place::new(300);
    place.assert_same("nowhere");
    let [shelf] = &place.shelves()[..] else { panic!() };
    let mut bytes = fs::read(shelf).unwrap();
    let text = b"task 00007";
    let at = bytes.windows(text.len()).position(|part| part == text).unwrap();
    bytes[at + 9] = b'8';
    fs::write(shelf, bytes).unwrap();
    for search in ["00007", "00008"] {
        place.assert_same(search);
    }
}

#[test]
fn what_has_just_changed_is_read_again_each_time() {
    let place = Place::new(300);
    let cache = SearchCache::below(place.state.path()).with_grain(Duration::from_secs(3600));
    assert_eq!(place.search("nowhere", Some(&cache)), place.search("nowhere", None));
    assert_eq!(place.shelves(), Vec::<PathBuf>::new());
}

#[test]
fn without_a_place_for_the_cache_every_record_is_read() {
    let place = Place::new(300);
    let state = place.state.path().join("file");
    fs::write(&state, "").unwrap();
    let cache = SearchCache::below(&state).with_grain(Duration::ZERO);
    for _ in 0..2 {
        assert_eq!(place.search("00007", Some(&cache)), place.search("00007", None));
    }
}

#[test]
fn the_texts_of_a_project_are_forgotten_when_asked_and_when_they_are_old() {
    let (one, other) = (Place::new(300), Place::new(300));
    let cache = one.cache();
    one.search("nowhere", Some(&cache));
    let [kept] = &one.shelves()[..] else { panic!() };
    other.search("nowhere", Some(&cache));
    assert_eq!(one.shelves().len(), 2);
    cache.forget(&other.decisions);
    assert_eq!(one.shelves(), std::slice::from_ref(kept));

    let age = Duration::from_secs(100 * 24 * 3600);
    File::options().write(true).open(kept).unwrap().set_modified(SystemTime::now() - age).unwrap();
    let unfinished = kept.with_extension("texts.tmp");
    fs::write(&unfinished, "").unwrap();
    other.search("nowhere", Some(&cache));
    assert_eq!(one.shelves().len(), 1);
    assert!(!kept.exists() && !unfinished.exists());
}

#[test]
fn many_additions_leave_few_files_and_only_the_texts_of_records_that_are_there() {
    let place = Place::new(0);
    for round in 0..6 {
        for number in round * 300..(round + 1) * 300 {
            place.write(number, &record(&format!("task {number:05}"), "fine").to_string());
        }
        place.assert_same("nowhere");
        assert!(place.shelves().len() <= 5, "{:?}", place.shelves());
    }
    let size = |place: &Place| -> u64 {
        place.shelves().iter().map(|shelf| fs::metadata(shelf).unwrap().len()).sum()
    };
    let before = size(&place);
    // As a checkout does it: every file is another one. Twice the size at most, however often.
    for _ in 0..2 {
        for number in 0..1_800 {
            fs::remove_file(place.path(number)).unwrap();
            place.write(number, &record(&format!("task {number:05}"), "fine").to_string());
        }
        place.assert_same("nowhere");
        assert!(size(&place) <= before * 2, "{} {before}", size(&place));
    }
}

#[test]
fn several_processes_share_a_cache_while_records_change() {
    let place = Place::new(800);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for search in ["nowhere", "task 00", "new", "fine"] {
            let (cache, is_over) = (place.cache(), &is_over);
            let decisions = Project::at(place.folder.path()).unwrap().decisions().unwrap();
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    decide::history(&decisions, search, 1, Some(&cache)).unwrap();
                }
            });
        }
        for number in 0..800 {
            let part = place.path(number).with_extension("part");
            fs::write(&part, record(&format!("new {number:05}"), "fine").to_string()).unwrap();
            fs::rename(&part, place.path(number)).unwrap();
        }
        is_over.store(true, Ordering::Relaxed);
    });
    for search in ["nowhere", "task", "new", "fine", "new 00007"] {
        place.assert_same(search);
    }
}

/// What may happen between two searches.
#[derive(Debug, Clone)]
enum Change {
    Replace(usize, String),
    InPlace(usize, String),
    Break(usize),
    Remove(usize),
    Add(String),
    /// A byte of each file of the cache is another one, at this part of it.
    Damage(f64),
    /// Each file of the cache ends there.
    Shorten(f64),
    ForgetAll,
}

const COUNT: usize = 300;

/// Letters whose cases are of different lengths, signs that JSON escapes, and what ends a word.
const PIECES: [&str; 30] = [
    "k",
    "K",
    "\u{212a}",
    "i",
    "\u{130}",
    "i\u{307}",
    "I",
    "é",
    "É",
    "ß",
    "ẞ",
    "SS",
    "流",
    "程",
    "数据库",
    "Σ",
    "σ",
    "ς",
    "\u{1f1}",
    "\"",
    "\\",
    " ",
    "\u{3000}",
    "\t",
    "task",
    "0000",
    "fine",
    "FINE",
    "缓存",
    "😀",
];

fn words() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&PIECES[..]), 1..4).prop_map(|pieces| pieces.concat())
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (0..COUNT, words()).prop_map(|(number, task)| Change::Replace(number, task)),
        (0..COUNT, words()).prop_map(|(number, task)| Change::InPlace(number, task)),
        (0..COUNT).prop_map(Change::Break),
        (0..COUNT).prop_map(Change::Remove),
        words().prop_map(Change::Add),
        (0.0..1.0).prop_map(Change::Damage),
        (0.0..1.0).prop_map(Change::Shorten),
        Just(Change::ForgetAll),
    ]
}

impl Change {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a small file")]
    #[expect(clippy::cast_precision_loss, reason = "a part of a small file")]
    fn make(&self, place: &Place, at: usize) {
        match self {
            Self::Replace(number, task) => {
                let part = place.path(*number).with_extension("part");
                fs::write(&part, record(task, "x").to_string()).unwrap();
                fs::rename(&part, place.path(*number)).unwrap();
            }
            Self::InPlace(number, task) if place.path(*number).exists() => {
                place.write_in_place(*number, &record(task, "y").to_string());
            }
            Self::Break(number) if place.path(*number).exists() => {
                place.write_in_place(*number, "{\"input\":")
            }
            Self::InPlace(..) | Self::Break(_) => {}
            Self::Remove(number) => drop(fs::remove_file(place.path(*number))),
            Self::Add(task) => place.write(COUNT + at, &record("added", task).to_string()),
            Self::Damage(part) => {
                for shelf in place.shelves() {
                    let mut bytes = fs::read(&shelf).unwrap();
                    let at = (bytes.len() as f64 * part) as usize;
                    bytes[at] ^= 0x20;
                    fs::write(shelf, bytes).unwrap();
                }
            }
            Self::Shorten(part) => {
                for shelf in place.shelves() {
                    let file = File::options().write(true).open(shelf).unwrap();
                    file.set_len((file.metadata().unwrap().len() as f64 * part) as u64).unwrap();
                }
            }
            Self::ForgetAll => drop(fs::remove_dir_all(place.state.path().join("aide"))),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_answer_is_that_of_a_search_without_a_cache(
        tasks in prop::collection::vec(words(), COUNT),
        steps in prop::collection::vec((change(), words()), 1..10),
    ) {
        let place = Place::new(0);
        for (number, task) in tasks.iter().enumerate() {
            place.write(number, &record(task, "fine").to_string());
        }
        place.assert_same("nowhere");
        prop_assert_eq!(place.shelves().len(), 1);
        for (at, (change, search)) in steps.iter().enumerate() {
            change.make(&place, at);
            for search in [search.as_str(), "k", "流", "nowhere"] {
                place.assert_same(search);
            }
        }
    }
}
