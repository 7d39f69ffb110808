//! Noticing what other processes do to an open set of questions.

use super::Decisions;
use super::head::{PendingSet, Place};
use super::held::held_session;
use super::own::GRAIN;
use super::pending::PENDING;
use crate::StoreError;
use crate::clock::Moment;
use files::Identity;
use model::{Ending, SessionId};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// After this time all sets are looked at although nothing has changed: a damaged record may have been mended in its place.
const LONGEST_QUIET: Duration = Duration::from_secs(30);

/// Looks at one session from time to time. A look costs a few system calls while nothing happens.
#[derive(Debug)]
pub struct Watch {
    decisions: Decisions,
    session: SessionId,
    /// Where it was found last.
    place: Option<Place>,
    /// The `pending.json` that was last found to name this session.
    known: Option<Identity>,
    deadline: Option<Moment>,
}

impl Decisions {
    /// Begins to watch `session`.
    pub fn watch(&self, session: SessionId) -> Watch {
        Watch { decisions: self.clone(), session, place: None, known: None, deadline: None }
    }
}

/// Looks at the folder from time to time, to say whether a look at its sets is worthwhile. Its own look costs the same however
/// many are open.
#[derive(Debug)]
pub struct FolderWatch {
    decisions: Decisions,
    grain: Duration,
    quiet: Option<Quiet>,
}

/// What stays the same as long as no set ends.
#[derive(Debug)]
struct Quiet {
    state: FolderState,
    since: Instant,
    /// The first deadline of the sets that are open.
    deadline: Option<Moment>,
}

/// The folder of the records, that of the sets beside the slot, and the file of the slot.
type FolderState = (Identity, Option<Identity>, Option<Identity>);

impl Decisions {
    /// Begins to watch all sets.
    pub fn watch_folder(&self) -> FolderWatch {
        FolderWatch { decisions: self.clone(), grain: GRAIN, quiet: None }
    }
}

impl FolderWatch {
    /// Returns the sets that are open, and that a look at them would not end, if any set may have ended since the last look; `None`
    /// if none has.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read; the next look finds what has changed then.
    pub fn look(&mut self) -> Result<Option<HashSet<SessionId>>, StoreError> {
        let state = self.state()?;
        let is_long_quiet = self.quiet.as_ref().is_some_and(|quiet| quiet.since.elapsed() >= LONGEST_QUIET);
        if let Some(quiet) = &self.quiet
            && quiet.state == state
            && !is_long_quiet
            && quiet.deadline.as_ref().is_none_or(|deadline| Moment::now().since(deadline).is_none())
        {
            return Ok(None);
        }
        // Judged before the folder is read: a change meanwhile may leave the same state.
        let is_settled = self.is_settled(&state);
        let held = match self.decisions.own_folder()? {
            Some(folder) => folder.pick_names(held_session)?,
            None => Vec::new(),
        };
        let Ok(sets) = self.decisions.open_list() else {
            // A file that cannot be read says nothing about the others: each is looked at by itself.
            self.quiet = None;
            return Ok(Some(HashSet::new()));
        };
        // What is held becomes the answer soon.
        self.quiet = (held.is_empty() && is_settled).then(|| quiet_from(state, &sets));
        if is_long_quiet {
            return Ok(Some(HashSet::new()));
        }
        let open = sets.iter().filter(|set| set.passed_deadline().is_none());
        let mut open: HashSet<_> = open.map(|set| set.session.clone()).collect();
        for session in held {
            open.remove(&session);
        }
        Ok(Some(open))
    }

    fn state(&self) -> Result<FolderState, StoreError> {
        let open = self.decisions.own_folder()?.map(|open| open.own_identity()).transpose()?;
        Ok((self.decisions.dir.own_identity()?, open, self.decisions.dir.identity(PENDING)?))
    }

    /// Whether every later change would be seen in this state.
    fn is_settled(&self, (records, open, slot): &FolderState) -> bool {
        let is_settled = |identity: &Identity| identity.is_settled(self.grain);
        is_settled(records) && [open, slot].into_iter().flatten().all(is_settled)
    }
}

/// What stays the same from now on until something happens. `sets` are open.
fn quiet_from(state: FolderState, sets: &[PendingSet]) -> Quiet {
    let deadlines = sets.iter().filter_map(|set| Moment::parse(set.deadline.as_deref()?));
    let deadline = deadlines.reduce(|first, next| if first.since(&next).is_some() { next } else { first });
    Quiet { state, since: Instant::now(), deadline }
}

impl Watch {
    /// How the session has ended, if it has. Questions that were replaced or removed could still be answered, but the
    /// answer would have no reader. If the deadline has passed, this look ends them.
    ///
    /// # Errors
    ///
    /// [`FileError::Corrupt`](files::FileError::Corrupt) when the record or the questions cannot be read, and whatever the
    /// disk says.
    pub fn look(&mut self) -> Result<Option<Ending>, StoreError> {
        if let Some(ending) = self.recorded()? {
            return Ok(Some(ending));
        }
        if !self.is_there()? {
            // They may have ended, and their file have gone, between the two looks. If the file or the folder was
            // removed without that, no answer is wanted either.
            return Ok(Some(self.recorded()?.unwrap_or(Ending::Replaced(None))));
        }
        if let Some(ending) = self.decisions.settle_held(&self.session)? {
            return Ok(Some(ending));
        }
        match &self.deadline {
            Some(deadline) if Moment::now().since(deadline).is_some() => self.decisions.expire(&self.session),
            _ => Ok(None),
        }
    }

    fn recorded(&self) -> Result<Option<Ending>, StoreError> {
        if !self.decisions.has_record(&self.session)? {
            return Ok(None);
        }
        Ok(self.decisions.durable_record(&self.session)?.map(|record| record.ending))
    }

    /// Whether the questions can still be found where they are kept.
    fn is_there(&mut self) -> Result<bool, StoreError> {
        if self.place == Some(Place::Own) {
            return self.decisions.has_own_file(&self.session);
        }
        let present = self.decisions.dir.identity(PENDING)?;
        if present.is_some() && present == self.known {
            return Ok(true);
        }
        let mut found = None;
        if self.place.is_none() {
            found = self.decisions.own_head(&self.session)?;
        }
        if found.is_none() {
            found = self.decisions.pending()?.filter(|pending| pending.session == self.session);
        }
        let Some(pending) = found else { return Ok(false) };
        self.place = Some(pending.place);
        self.deadline = pending.deadline.as_deref().and_then(Moment::parse);
        // A replacement between the two looks is found by the next one.
        self.known = present;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::held::held_name;
    use super::{Decisions, FolderWatch, PendingSet};
    use files::fault::{self, Fault};
    use model::{Ask, Ending, Origin, Questions, SessionId, Via};
    use rustix::io::Errno;
    use std::collections::HashSet;
    use std::fs;
    use std::os::unix::fs::MetadataExt as _;
    use std::path::Path;
    use std::time::Duration;

    fn questions(task: &str) -> Questions {
        let text = r#"{"task":"TASK","source":"s","items":[{"id":1,"title":"t","options":[{"value":"a","label":"A"},{"value":"b","label":"B"}]}]}"#;
        Questions::parse(text.replace("TASK", task).as_bytes()).unwrap()
    }

    fn sessions<'s>(sets: impl IntoIterator<Item = &'s PendingSet>) -> HashSet<SessionId> {
        sets.into_iter().map(|set| set.session.clone()).collect()
    }

    fn project() -> (tempfile::TempDir, Decisions) {
        let folder = tempfile::tempdir().unwrap();
        crate::init(folder.path()).unwrap();
        let decisions = Decisions::open(folder.path()).unwrap();
        (folder, decisions)
    }

    /// A watch that is quiet. What comes after it has another time as the file system sees it.
    fn quiet(decisions: &Decisions) -> FolderWatch {
        let time =
            |path: &Path| fs::metadata(path).map_or((0, 0), |found| (found.ctime(), found.ctime_nsec()));
        let (folder, probe) = (decisions.dir.path(), decisions.root.path_of("probe"));
        let last = time(folder).max(time(&folder.join("open")));
        while time(&probe) <= last {
            fs::write(&probe, "").unwrap();
        }
        let mut watch = FolderWatch { grain: Duration::ZERO, ..decisions.watch_folder() };
        assert!(watch.look().unwrap().is_some(), "the first look");
        assert_eq!(watch.look().unwrap(), None);
        watch
    }

    #[test]
    fn a_look_at_the_folder_costs_the_same_for_few_and_for_many_sets() {
        let cost = |count: usize| {
            let (_folder, decisions) = project();
            for number in 0..count {
                decisions.put(&questions(&number.to_string()), &number.to_string()).unwrap();
            }
            let mut watch = quiet(&decisions);
            fault::fail(u64::MAX, Fault::Fails(Errno::IO));
            assert_eq!(watch.look().unwrap(), None);
            let calls = fault::calls().len();
            fault::fail_no_more();
            calls
        };
        assert_eq!(cost(3), cost(30));
    }

    #[test]
    fn whatever_may_end_a_set_is_seen_at_once() {
        let (folder, decisions) = project();
        let other = Decisions::open(folder.path()).unwrap();
        let one = other.put(&questions("one"), "1").unwrap().pending();
        let mut watch = quiet(&decisions);
        let two = other.put(&questions("two"), "2").unwrap().pending();
        assert_eq!(watch.look().unwrap(), Some(sessions([&one, &two])), "another set");
        let mut watch = quiet(&decisions);
        other.publish(&one, &questions("one"), Ending::Cancelled, Via::Terminal).unwrap();
        assert_eq!(watch.look().unwrap(), Some(sessions([&two])), "a record");
        let mut watch = quiet(&decisions);
        fs::remove_file(folder.path().join(format!(".aide/decisions/open/{}.json", two.session))).unwrap();
        assert_eq!(watch.look().unwrap(), Some(sessions([])), "a set that was removed");
        let mut watch = quiet(&decisions);
        let slot = other.ask(&questions("slot")).unwrap().pending();
        assert_eq!(watch.look().unwrap(), Some(sessions([&slot])), "the slot");
    }

    #[test]
    fn what_ends_by_itself_is_looked_at_each_time() {
        let (_folder, decisions) = project();
        let late = questions("late");
        let deadline = Some("2020-01-01T00:00:00+00:00".to_owned());
        decisions.put(Ask { questions: &late, origin: Origin::Decide, deadline }, "1").unwrap();
        let other = decisions.put(&questions("other"), "2").unwrap().pending();
        let mut watch = FolderWatch { grain: Duration::ZERO, ..decisions.watch_folder() };
        for _ in 0..2 {
            assert_eq!(watch.look().unwrap(), Some(sessions([&other])), "a deadline");
        }
        let (folder, decisions) = project();
        let held = decisions.put(&questions("held"), "1").unwrap().pending();
        fs::write(folder.path().join(format!(".aide/decisions/open/{}", held_name(&held.session))), "{}")
            .unwrap();
        let mut watch = FolderWatch { grain: Duration::ZERO, ..decisions.watch_folder() };
        for _ in 0..2 {
            assert_eq!(watch.look().unwrap(), Some(sessions([])), "a submission that is held");
        }
        let (_folder, decisions) = project();
        decisions.put(&questions("fresh"), "1").unwrap();
        let mut watch = FolderWatch { grain: Duration::from_secs(3600), ..decisions.watch_folder() };
        assert!(
            watch.look().unwrap().is_some() && watch.look().unwrap().is_some(),
            "a change that has just been made"
        );
    }
}
