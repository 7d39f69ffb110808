//! What is asked in one place, such as a project.

use decide::{Desk, Ended, EndedSets};
use model::SessionId;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::{Decisions, Project};
use watchdog::Rank;

/// What is asked in one place.
#[derive(Debug)]
pub(super) struct Room {
    pub(super) name: String,
    pub(super) desk: Arc<dyn Desk>,
    /// The project, where all that is asked here is about one.
    pub(super) place: Option<ProjectRoom>,
    /// Says which sets have ended, where the desk can say that of all at once. Held while that is read; nothing is written then.
    ends: Option<watchdog::Mutex<Box<dyn EndedSets>>>,
    /// The sets to look at next time regardless: loaded since the last look, or unreadable then.
    unseen: Mutex<HashSet<SessionId>>,
}

/// A project, and what is decided in it.
#[derive(Debug, Clone)]
pub struct ProjectRoom {
    /// Its name on this server; empty for the project that the server was started in.
    pub name: String,
    /// The project.
    pub project: Project,
    /// Its decisions, ended and open.
    pub decisions: Decisions,
}

impl Room {
    pub(super) fn new(name: &str, desk: Arc<dyn Desk>, place: Option<ProjectRoom>) -> Self {
        let ends = desk.ends().map(|ends| watchdog::Mutex::new(Rank::Set, "the sets of a room", ends));
        Self { name: name.to_owned(), desk, place, ends, unseen: Mutex::default() }
    }

    pub(super) fn of_project(place: ProjectRoom) -> Self {
        let desk = Arc::new(place.decisions.clone());
        Self::new(&place.name.clone(), desk, Some(place))
    }

    fn unseen(&self) -> MutexGuard<'_, HashSet<SessionId>> {
        self.unseen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the set `session` in any case the next time.
    pub(super) fn look_later(&self, session: &SessionId) {
        if self.ends.is_some() {
            self.unseen().insert(session.clone());
        }
    }

    /// The sets to look at now, of those that were read.
    pub(super) fn to_look_at(&self) -> Ended {
        let Some(ends) = &self.ends else { return Ended::Any };
        // Before the lock: it waits for the disk, and others that have ended sets wait for the lock.
        self.desk.expire();
        // What cannot be read now is looked at the next time.
        let Ok(mut ended) = ends.lock().look() else { return Ended::These(Vec::new()) };
        // Only now: what has ended since is found by a look at the set, or at what has ended the next time.
        let unseen = std::mem::take(&mut *self.unseen());
        match &mut ended {
            Ended::These(sessions) => sessions.extend(unseen),
            Ended::AllBut(open) => open.retain(|session| !unseen.contains(session)),
            Ended::Any => {}
        }
        ended
    }
}

#[cfg(test)]
mod tests {
    use super::Room;
    use decide::{Desk, Ended, EndedSets, Replacement, Watch};
    use model::{AnswerSheet, Attachments, DecisionRecord, Ending, Questions, SessionId, Via};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use store::{AttachError, PendingSet, PublishOutcome, StoreError, Upload};
    use watchdog::Rank;

    /// A desk that ends sets, and says whether the thread that has it do so holds up others.
    #[derive(Debug, Default, Clone)]
    struct EndingDesk {
        /// How often it was to end what is overdue.
        expired: Arc<AtomicUsize>,
    }

    impl EndedSets for EndingDesk {
        fn look(&mut self) -> Result<Ended, StoreError> {
            assert!(watchdog::holds(Rank::Set));
            let ended = self.expired.load(Ordering::Relaxed);
            let session = |number: usize| format!("2025-01-15T10-30-0{number}").parse();
            Ok(Ended::These((1..=ended).filter_map(|number| session(number).ok()).collect()))
        }
    }

    impl Desk for EndingDesk {
        fn expire(&self) {
            assert!(!watchdog::holds(Rank::Set), "it waits for the disk");
            self.expired.fetch_add(1, Ordering::Relaxed);
        }

        fn ends(&self) -> Option<Box<dyn EndedSets>> {
            Some(Box::new(self.clone()))
        }

        fn open(&self) -> Result<Vec<PendingSet>, StoreError> {
            unreachable!()
        }

        fn get(&self, _: &SessionId) -> Result<Option<(PendingSet, Questions)>, StoreError> {
            unreachable!()
        }

        fn draft(&self, _: &PendingSet, _: &Questions) -> AnswerSheet {
            unreachable!()
        }

        fn draft_saved_at(&self, _: &PendingSet, _: &Questions) -> Option<String> {
            unreachable!()
        }

        fn save_draft(
            &self,
            _: &PendingSet,
            _: &Questions,
            _: &AnswerSheet,
            _: Via,
        ) -> Result<bool, StoreError> {
            unreachable!()
        }

        fn attachments(&self, _: &SessionId) -> Result<Attachments, StoreError> {
            unreachable!()
        }

        fn attach(&self, _: &PendingSet, _: &Questions, _: u64, _: &str) -> Result<Upload, AttachError> {
            unreachable!()
        }

        fn detach(&self, _: &PendingSet, _: u64, _: &str) -> Result<bool, StoreError> {
            unreachable!()
        }

        fn publish(
            &self,
            _: &PendingSet,
            _: &Questions,
            _: Ending,
            _: Via,
        ) -> Result<PublishOutcome, StoreError> {
            unreachable!()
        }

        fn record(&self, _: &SessionId) -> Result<Option<DecisionRecord>, StoreError> {
            unreachable!()
        }

        fn watch(&self, _: &SessionId) -> Box<dyn Watch> {
            unreachable!()
        }

        fn replacement(&self, _: &SessionId, _: &Ending) -> Option<Replacement> {
            unreachable!()
        }
    }

    /// What is overdue ends on the disk, which may take long, before the lock is taken that other ends wait for; this look already
    /// finds it.
    #[test]
    fn what_is_overdue_ends_without_holding_up_other_ends() {
        let room = Room::new("r", Arc::new(EndingDesk::default()), None);
        let Ended::These(seen) = room.to_look_at() else { panic!("which sets is known") };
        assert_eq!(seen.len(), 1);
    }
}
