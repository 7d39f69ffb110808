//! Storage of sets of questions: one interface for all implementations.

use crate::Replacement;
use model::{AnswerSheet, Attachments, DecideOutput, DecisionRecord, Ending, Questions, SessionId, Via};
use std::collections::HashSet;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;
use store::{
    AttachError, Decisions, Delivery, FolderWatch, PendingSet, Project, PublishOutcome, StoreError, Upload,
};

/// Keeps sets of questions until they have ended, and how they ended. A set has exactly one desk, which alone says whether
/// it is open. How something is asked is each desk's own.
pub trait Desk: Debug + Send + Sync {
    /// Returns the heads of all sets that are open, the oldest first.
    ///
    /// # Errors
    ///
    /// When they cannot be read, as with all that follows.
    fn open(&self) -> Result<Vec<PendingSet>, StoreError>;

    /// The same for a caller that asks again and again: as long as nothing has changed, it may be the same list.
    ///
    /// # Errors
    ///
    /// As [`Self::open`].
    fn open_list(&self) -> Result<Arc<[PendingSet]>, StoreError> {
        Ok(self.open()?.into())
    }

    /// Returns the set `session`; `None` when it is not here. It may have ended.
    ///
    /// # Errors
    ///
    /// When it is damaged.
    fn get(&self, session: &SessionId) -> Result<Option<(PendingSet, Questions)>, StoreError>;

    /// Returns what was given so far; empty when there is nothing to be had.
    fn draft(&self, pending: &PendingSet, questions: &Questions) -> AnswerSheet;

    /// Returns when what [`Self::draft`] returns was last changed, as local time with offset.
    fn draft_saved_at(&self, pending: &PendingSet, questions: &Questions) -> Option<String>;

    /// Keeps what `sheet` says. Returns false, and keeps nothing, if no user would ever be shown it.
    ///
    /// # Errors
    ///
    /// When it cannot be kept; the earlier draft is then still there.
    fn save_draft(
        &self,
        pending: &PendingSet,
        questions: &Questions,
        sheet: &AnswerSheet,
        via: Via,
    ) -> Result<bool, StoreError>;

    /// Returns the files that are attached to the set `session`.
    ///
    /// # Errors
    ///
    /// When that cannot be read.
    fn attachments(&self, session: &SessionId) -> Result<Attachments, StoreError>;

    /// Begins to attach a file called `name` elsewhere to the item `item`, in the place of one of the same name.
    ///
    /// # Errors
    ///
    /// When it cannot be attached.
    fn attach(
        &self,
        pending: &PendingSet,
        questions: &Questions,
        item: u64,
        name: &str,
    ) -> Result<Upload, AttachError>;

    /// Takes away the file `name` of the item `item`. False when no such file is attached, or when the set has ended.
    ///
    /// # Errors
    ///
    /// When it could not be taken away.
    fn detach(&self, pending: &PendingSet, item: u64, name: &str) -> Result<bool, StoreError>;

    /// Makes `ending` the end of a set that has none. It is durable when this returns.
    ///
    /// # Errors
    ///
    /// When it could not be written; [`StoreError::AttachmentsChanged`] when it names other files than are attached.
    fn publish(
        &self,
        pending: &PendingSet,
        questions: &Questions,
        ending: Ending,
        via: Via,
    ) -> Result<PublishOutcome, StoreError>;

    /// Keeps `output` as the end of a set for as long as the person can take it back; it is made the end after `wait`. False where
    /// this desk cannot, or the set has ended.
    ///
    /// # Errors
    ///
    /// As [`Self::publish`].
    fn hold(
        &self,
        _: &PendingSet,
        _: &Questions,
        _output: DecideOutput,
        _: Via,
        _wait: Duration,
    ) -> Result<bool, StoreError> {
        Ok(false)
    }

    /// Takes back what is held for the set `session`. False when that is nothing, or has become the end.
    ///
    /// # Errors
    ///
    /// When that could not be written.
    fn take_back(&self, _session: &SessionId) -> Result<bool, StoreError> {
        Ok(false)
    }

    /// For how long what is held for the set `session` can be taken back; `None` when that is nothing.
    fn held_for(&self, _session: &SessionId) -> Option<Duration> {
        None
    }

    /// Returns how the set `session` ended; `None` while it is open, or when nothing is known of it.
    ///
    /// # Errors
    ///
    /// When it is damaged.
    fn record(&self, session: &SessionId) -> Result<Option<DecisionRecord>, StoreError>;

    /// Returns what became of the answer to `session`; `None` where that is not noted, or cannot be read.
    fn delivery(&self, _session: &SessionId) -> Option<Delivery> {
        None
    }

    /// Begins to watch the set `session`.
    fn watch(&self, session: &SessionId) -> Box<dyn Watch>;

    /// Ends the sets whose deadline has passed, all at once, and returns when that is on the disk; nothing where each set must be
    /// watched by itself. One that cannot be ended now is ended later.
    fn expire(&self) {}

    /// Begins to look for sets that end, all at once; `None` where each set must be watched by itself.
    fn ends(&self) -> Option<Box<dyn EndedSets>> {
        None
    }

    /// Returns the set that was asked in the place of `session`, where `ending` says that one was.
    fn replacement(&self, session: &SessionId, ending: &Ending) -> Option<Replacement>;

    /// Returns the project that a set is about, where the desk knows it and not all of its sets are about the same.
    fn project(&self, _: &PendingSet) -> Option<Project> {
        None
    }

    /// Returns why an answer leads to nothing until a person resumes what asked; `None` where it does, or where that is not known.
    fn halt(&self, _: &PendingSet) -> Option<Halt> {
        None
    }
}

/// Why what asked does not continue by itself once it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halt {
    /// A person has paused it.
    Paused,
    /// Its agents gave up, or the daemon was away.
    Interrupted,
}

/// Looks at one set from time to time.
pub trait Watch: Debug + Send {
    /// Returns how it has ended, if it has. Where its deadline has passed, this look ends it.
    ///
    /// # Errors
    ///
    /// When that cannot be read.
    fn look(&mut self) -> Result<Option<Ending>, StoreError>;
}

/// Looks from time to time which sets have ended, at a cost that does not grow with those that are open.
pub trait EndedSets: Debug + Send {
    /// Returns the sets that have ended since the last look. The first look says nothing of what has ended before. It ends none:
    /// see [`Desk::expire`].
    ///
    /// # Errors
    ///
    /// When that cannot be read; the next look returns them then.
    fn look(&mut self) -> Result<Ended, StoreError>;
}

/// Which sets have ended, or are ended by a look at them.
#[derive(Debug, PartialEq, Eq)]
pub enum Ended {
    /// These, and no others.
    These(Vec<SessionId>),
    /// It may be any others than these.
    AllBut(HashSet<SessionId>),
    /// It may be any.
    Any,
}

/// The folder of a project: the slot, and files of their own.
impl Desk for Decisions {
    fn open(&self) -> Result<Vec<PendingSet>, StoreError> {
        self.open_sets()
    }

    fn open_list(&self) -> Result<Arc<[PendingSet]>, StoreError> {
        Decisions::open_list(self)
    }

    fn get(&self, session: &SessionId) -> Result<Option<(PendingSet, Questions)>, StoreError> {
        self.set(session)
    }

    fn draft(&self, pending: &PendingSet, questions: &Questions) -> AnswerSheet {
        self.draft(pending, questions)
    }

    fn draft_saved_at(&self, pending: &PendingSet, questions: &Questions) -> Option<String> {
        self.draft_saved_at(pending, questions)
    }

    fn save_draft(
        &self,
        pending: &PendingSet,
        questions: &Questions,
        sheet: &AnswerSheet,
        via: Via,
    ) -> Result<bool, StoreError> {
        self.save_draft(pending, questions, sheet, via)
    }

    fn attachments(&self, session: &SessionId) -> Result<Attachments, StoreError> {
        self.attachments(session)
    }

    fn attach(
        &self,
        pending: &PendingSet,
        questions: &Questions,
        item: u64,
        name: &str,
    ) -> Result<Upload, AttachError> {
        self.attach(pending, questions, item, name)
    }

    fn detach(&self, pending: &PendingSet, item: u64, name: &str) -> Result<bool, StoreError> {
        self.detach(pending, item, name)
    }

    fn publish(
        &self,
        pending: &PendingSet,
        questions: &Questions,
        ending: Ending,
        via: Via,
    ) -> Result<PublishOutcome, StoreError> {
        self.publish(pending, questions, ending, via)
    }

    fn hold(
        &self,
        pending: &PendingSet,
        questions: &Questions,
        output: DecideOutput,
        via: Via,
        wait: Duration,
    ) -> Result<bool, StoreError> {
        self.hold(pending, questions, output, via, wait)
    }

    fn take_back(&self, session: &SessionId) -> Result<bool, StoreError> {
        self.take_back(session)
    }

    fn held_for(&self, session: &SessionId) -> Option<Duration> {
        // What cannot be read is no submission.
        self.held_for(session).ok().flatten()
    }

    fn record(&self, session: &SessionId) -> Result<Option<DecisionRecord>, StoreError> {
        self.record(session)
    }

    fn delivery(&self, session: &SessionId) -> Option<Delivery> {
        self.delivery(session).ok().flatten()
    }

    fn watch(&self, session: &SessionId) -> Box<dyn Watch> {
        Box::new(Decisions::watch(self, session.clone()))
    }

    fn ends(&self) -> Option<Box<dyn EndedSets>> {
        Some(Box::new(self.watch_folder()))
    }

    fn replacement(&self, session: &SessionId, ending: &Ending) -> Option<Replacement> {
        match ending {
            Ending::Replaced(_) => {
                Replacement::from_ending(self, ending).or_else(|| crate::replacement(self, session))
            }
            _ => None,
        }
    }
}

impl EndedSets for FolderWatch {
    fn look(&mut self) -> Result<Ended, StoreError> {
        Ok(self.look()?.map_or_else(|| Ended::These(Vec::new()), Ended::AllBut))
    }
}

impl Watch for store::Watch {
    fn look(&mut self) -> Result<Option<Ending>, StoreError> {
        self.look()
    }
}
