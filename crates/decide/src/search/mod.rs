//! The search in earlier decisions: its words, and a cache with which a search need not open every record.
//!
//! The files are the truth. The cache holds the texts of records as they are searched, each with the identity of the file that it
//! was read from, and a text counts only as long as the file has that identity: a search asks the system for the identity of each
//! record, which takes a tenth of the time of reading it. A record that may fit is read itself. So the answer is the same with and
//! without a cache, whichever program has written a record, and whatever has become of the cache.

mod shelf;
mod words;

pub(crate) use words::{Words, folded, question_texts, record_texts};

use files::{Dir, FileError, Identity, Lock, durable};
use model::SessionId;
use shelf::{Fact, Key, Row, Shelf, Window, Windows};
use std::collections::HashSet;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use store::Decisions;

/// Below the folder for state of this user's programs.
const FOLDER: &str = "aide/search";
const SUFFIX: &str = ".texts";
const LOCK: &str = ".lock";
/// Within which a file system may give two changes the same time.
const GRAIN: Duration = Duration::from_secs(2);
/// So many records are read each time before their texts are kept. A project of fewer has no cache.
const MIN_LEARNED: usize = 256;
/// Longer texts are not kept, in bytes.
const MAX_TEXT: usize = 1 << 20;
/// How many bytes of texts a shelf has at most; as many are held in memory.
const MAX_SHELF: u64 = 1 << 25;
/// After this time without a change the texts of a project are forgotten: it may be gone, or is searched rarely.
const MAX_AGE: Duration = Duration::from_secs(90 * 24 * 3600);

/// Where the texts of records are kept for later searches, outside of the projects. It may be removed at any time.
#[derive(Debug, Clone)]
pub struct SearchCache {
    folder: PathBuf,
    grain: Duration,
}

impl SearchCache {
    /// Returns the cache below `state`, the user's folder for the state of programs (`XDG_STATE_HOME`).
    #[must_use]
    pub fn below(state: &Path) -> Self {
        Self { folder: state.join(FOLDER), grain: GRAIN }
    }

    /// The same for a file system whose times are that fine.
    #[must_use]
    pub fn with_grain(self, grain: Duration) -> Self {
        Self { grain, ..self }
    }

    /// Forgets the texts of a project. What cannot be removed stays.
    pub fn forget(&self, decisions: &Decisions) {
        let (Ok(dir), Ok(project)) = (Dir::open(&self.folder), decisions.folder_name()) else { return };
        for (name, _) in shelves_in(&dir, &project) {
            let _ = dir.unlink(&name);
        }
    }
}

/// The names of the shelves of a project, with their numbers.
fn shelves_in(dir: &Dir, project: &str) -> Vec<(String, u32)> {
    let pick = |name: &str| {
        let number = name.strip_prefix(project)?.strip_prefix('.')?.strip_suffix(SUFFIX)?;
        Some((name.to_owned(), number.parse().ok()?))
    };
    dir.pick_names(pick).unwrap_or_default()
}

/// The shelves of a project, and where the texts of its records stand on them.
#[derive(Default)]
struct Shelves {
    all: Vec<Shelf>,
    /// The rows by their keys: a shelf, a row of it.
    places: Vec<(Key, usize, usize)>,
}

impl Shelves {
    fn open(dir: &Dir, project: &str) -> Self {
        let names = shelves_in(dir, project);
        let all: Vec<_> = names.into_iter().filter_map(|(name, _)| Shelf::open(dir, name)).collect();
        let rows = |(at, shelf): (usize, &Shelf)| {
            let rows = shelf.rows.iter().enumerate();
            rows.map(|(row, found)| (found.key, at, row)).collect::<Vec<_>>()
        };
        let mut places: Vec<_> = all.iter().enumerate().flat_map(rows).collect();
        places.sort_unstable();
        Self { all, places }
    }

    /// Returns the row of this file, and the place of its shelf.
    fn find(&self, session: &SessionId, identity: &Identity) -> Option<(usize, &Row)> {
        let key = session.sort_key();
        let first = self.places.partition_point(|(before, ..)| *before < key);
        let same = self.places[first..].iter().take_while(|(found, ..)| *found == key);
        same.map(|(_, shelf, row)| (*shelf, &self.all[*shelf].rows[*row]))
            .find(|(_, row)| row.is_of(identity))
    }
}

/// One search by way of the cache.
pub(crate) struct CachedSearch<'c> {
    cache: &'c SearchCache,
    project: String,
    dir: Option<Dir>,
    shelves: Shelves,
    learned: Mutex<Learned>,
}

/// What was read in this search, and is not kept yet.
#[derive(Default)]
struct Learned {
    facts: Vec<Fact>,
    length: u64,
}

impl<'c> CachedSearch<'c> {
    /// Reads what there is; `None` where no cache can be kept.
    pub(crate) fn begin(cache: &'c SearchCache, decisions: &Decisions) -> Option<Self> {
        let project = decisions.folder_name().ok()?;
        // Of another user's folder nothing is believed, and nothing is written there.
        let dir = match Dir::open(&cache.folder) {
            Ok(dir) => Some(dir.ours().ok()?),
            Err(_) => None,
        };
        let shelves = dir.as_ref().map(|dir| Shelves::open(dir, &project)).unwrap_or_default();
        Some(Self { cache, project, dir, shelves, learned: Mutex::default() })
    }

    /// Returns what one thread looks up texts with.
    pub(crate) fn reader(&self) -> Reader<'_> {
        Reader { search: self, windows: Windows::new() }
    }

    /// Keeps what was learned for later searches, if it is much. What cannot be written is learned again. `sessions` are all
    /// that have a record.
    pub(crate) fn keep(&self, sessions: &[SessionId], is_end: bool) {
        let mut learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = is_end && learned.facts.len() >= MIN_LEARNED || learned.length >= MAX_SHELF / 2;
        if is_due {
            let facts = mem::take(&mut *learned).facts;
            let _ = self.write(facts, sessions);
        }
    }

    /// Writes a new shelf with `facts`, and with those of smaller shelves, which it replaces: so there are never many. Facts of
    /// files that are no longer there are left out.
    fn write(&self, mut facts: Vec<Fact>, sessions: &[SessionId]) -> Result<(), FileError> {
        let dir = Dir::ensure(&self.cache.folder)?.ours()?;
        // Another process writes: perhaps the same.
        let Some(lock) = Lock::of_file(&dir, LOCK, Duration::ZERO)? else { return Ok(()) };
        let names = shelves_in(&dir, &self.project);
        let next = names.iter().map(|(_, number)| *number).max().map_or(1, |last| last.saturating_add(1));
        let shelves = Shelves::open(&dir, &self.project);
        let wanted: HashSet<Key> = sessions.iter().map(SessionId::sort_key).collect();
        let learned: HashSet<Key> = facts.iter().map(|fact| fact.key).collect();
        let is_live = |row: &&Row| wanted.contains(&row.key) && !learned.contains(&row.key);
        let mut live: Vec<(usize, Vec<Row>)> = Vec::new();
        for (at, shelf) in shelves.all.iter().enumerate() {
            live.push((at, shelf.rows.iter().filter(is_live).copied().collect()));
        }
        live.sort_unstable_by_key(|(_, rows)| Shelf::length(rows));
        let mut length: u64 = facts.iter().map(|fact| fact.text.len() as u64).sum();
        let mut replaced = Vec::new();
        for (at, rows) in live {
            let (shelf, added) = (&shelves.all[at], Shelf::length(&rows));
            let is_stale = rows.len() * 2 < shelf.rows.len();
            if length + added > MAX_SHELF || added > length * 2 && !is_stale {
                continue;
            }
            let mut window = Window::default();
            facts.extend(rows.iter().filter_map(|row| shelf.fact(&dir, row, &mut window)));
            length += added;
            replaced.push(&shelf.name);
        }
        // What cannot be read as a shelf is none, and is removed as well.
        let damaged = names.iter().map(|(name, _)| name);
        let damaged = damaged.filter(|name| shelves.all.iter().all(|shelf| shelf.name != **name));
        replaced.extend(damaged);
        let Some(bytes) = Shelf::bytes(&mut facts) else { return Ok(()) };
        durable::replace_cache(&lock, &dir, &format!("{}.{next}{SUFFIX}", self.project), &bytes)?;
        for name in replaced {
            dir.unlink(name)?;
        }
        self.sweep(&dir)
    }

    /// Removes the shelves of projects that have not changed for long, and parts of files that were never finished.
    fn sweep(&self, dir: &Dir) -> Result<(), FileError> {
        let own: Vec<_> = shelves_in(dir, &self.project).into_iter().map(|(name, _)| name).collect();
        for name in dir.names()? {
            let is_part = name.ends_with(".tmp");
            let is_anothers = name.ends_with(SUFFIX) && !own.contains(&name);
            if is_part || is_anothers && is_old(dir, &name) {
                dir.unlink(&name)?;
            }
        }
        Ok(())
    }
}

fn is_old(dir: &Dir, name: &str) -> bool {
    let Ok(Some(times)) = dir.times(name) else { return false };
    SystemTime::now().duration_since(times.modified).is_ok_and(|age| age > MAX_AGE)
}

/// Looks up texts, for one thread.
pub(crate) struct Reader<'s> {
    search: &'s CachedSearch<'s>,
    windows: Windows,
}

/// What the cache says of a record.
pub(crate) enum Verdict {
    /// Its text has not all words.
    Misses,
    /// It has them.
    Fits,
    /// Nothing is known of a file of this identity, and what it holds may be kept.
    Unknown(Identity),
    /// It has just changed, or cannot be looked at.
    Unsettled,
}

impl Reader<'_> {
    /// Looks up the record of `session`.
    pub(crate) fn look(&mut self, decisions: &Decisions, session: &SessionId, words: &Words) -> Verdict {
        let Ok(Some(identity)) = decisions.record_identity(session) else { return Verdict::Unsettled };
        if let (Some(dir), Some((at, row))) = (&self.search.dir, self.search.shelves.find(session, &identity))
        {
            let window = self.windows.entry(at).or_default();
            if let Some(text) = window.text(dir, &self.search.shelves.all[at], row) {
                return if words.are_in(text) { Verdict::Fits } else { Verdict::Misses };
            }
        }
        // Judged before it is read: another change would not be seen.
        let is_settled = identity.is_settled(self.search.cache.grain);
        if is_settled { Verdict::Unknown(identity) } else { Verdict::Unsettled }
    }

    /// Learns the text of the record of `session`, which was read after its file had this identity.
    pub(crate) fn learn(&self, session: &SessionId, identity: &Identity, text: String) {
        let mut learned = self.search.learned.lock().unwrap_or_else(PoisonError::into_inner);
        let length = text.len() as u64;
        if text.len() <= MAX_TEXT && learned.length + length <= MAX_SHELF {
            learned.length += length;
            learned.facts.push(Fact::new(session, identity, text));
        }
    }
}
