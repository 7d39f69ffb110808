//! What is asked in one place, such as a project.

use decide::{Desk, EndedSets};
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
    /// Says which sets have ended, where the desk can say that of all at once. Held while that is read.
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

    /// The sets to look at now, of those that were read; `None` for all of them.
    pub(super) fn to_look_at(&self) -> Option<Vec<SessionId>> {
        // What cannot be read now is looked at the next time.
        let Ok(ended) = self.ends.as_ref()?.lock().look() else { return Some(Vec::new()) };
        // Only now: what has ended since is found by a look at the set, or at what has ended the next time.
        let unseen = std::mem::take(&mut *self.unseen());
        Some(ended?.into_iter().chain(unseen).collect())
    }
}
