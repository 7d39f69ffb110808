//! The desk of a project whose disk may not answer.

use decide::{Desk, Ended, EndedSets, Replacement, Watch};
use files::FileError;
use model::{AnswerSheet, Attachments, DecideOutput, DecisionRecord, Ending, Questions, SessionId, Via};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::{AttachError, Delivery, PendingSet, PublishOutcome, StoreError, Upload};
use watchdog::Worker;

/// How long something may take that is read.
const READ_LIMIT: Duration = Duration::from_secs(10);
/// How long something may take that is written: longer than the lock of the folder is waited for.
const WRITE_LIMIT: Duration = Duration::from_secs(15);

/// That the disk of the project in `root` does not answer.
pub(crate) fn silent(root: &Path) -> StoreError {
    let source = io::Error::new(io::ErrorKind::TimedOut, "the disk does not answer");
    FileError::Io { path: root.to_owned(), source }.into()
}

/// Asks another desk on a thread of its own, and gives it up when that takes too long. So a page that shows the sets of all
/// projects does not wait for one of them.
#[derive(Debug, Clone)]
pub(crate) struct PatientDesk {
    root: Arc<Path>,
    desk: Arc<dyn Desk>,
    worker: Arc<Worker>,
}

impl PatientDesk {
    /// Returns one that asks `desk`, of the project in `root`, on the thread of `worker`.
    pub(crate) fn new(root: &Path, desk: Arc<dyn Desk>, worker: Arc<Worker>) -> Self {
        Self { root: root.into(), desk, worker }
    }

    fn run<T: Send + 'static>(
        &self,
        limit: Duration,
        work: impl FnOnce(&dyn Desk) -> T + Send + 'static,
    ) -> Result<T, StoreError> {
        let desk = Arc::clone(&self.desk);
        self.worker.run(limit, move || work(&*desk)).ok_or_else(|| silent(&self.root))
    }
}

impl Desk for PatientDesk {
    fn open(&self) -> Result<Vec<PendingSet>, StoreError> {
        self.run(READ_LIMIT, |desk| desk.open())?
    }

    fn open_list(&self) -> Result<Arc<[PendingSet]>, StoreError> {
        self.run(READ_LIMIT, |desk| desk.open_list())?
    }

    fn get(&self, session: &SessionId) -> Result<Option<(PendingSet, Questions)>, StoreError> {
        let session = session.clone();
        self.run(READ_LIMIT, move |desk| desk.get(&session))?
    }

    fn draft(&self, pending: &PendingSet, questions: &Questions) -> AnswerSheet {
        let (pending, questions) = (pending.clone(), questions.clone());
        self.run(READ_LIMIT, move |desk| desk.draft(&pending, &questions)).unwrap_or_default()
    }

    fn draft_saved_at(&self, pending: &PendingSet, questions: &Questions) -> Option<String> {
        let (pending, questions) = (pending.clone(), questions.clone());
        self.run(READ_LIMIT, move |desk| desk.draft_saved_at(&pending, &questions)).ok().flatten()
    }

    fn save_draft(
        &self,
        pending: &PendingSet,
        questions: &Questions,
        sheet: &AnswerSheet,
        via: Via,
    ) -> Result<bool, StoreError> {
        let (pending, questions, sheet) = (pending.clone(), questions.clone(), sheet.clone());
        self.run(WRITE_LIMIT, move |desk| desk.save_draft(&pending, &questions, &sheet, via))?
    }

    fn attachments(&self, session: &SessionId) -> Result<Attachments, StoreError> {
        let session = session.clone();
        self.run(READ_LIMIT, move |desk| desk.attachments(&session))?
    }

    fn attach(
        &self,
        pending: &PendingSet,
        questions: &Questions,
        item: u64,
        name: &str,
    ) -> Result<Upload, AttachError> {
        let (pending, questions, name) = (pending.clone(), questions.clone(), name.to_owned());
        self.run(WRITE_LIMIT, move |desk| desk.attach(&pending, &questions, item, &name))?
    }

    fn detach(&self, pending: &PendingSet, item: u64, name: &str) -> Result<bool, StoreError> {
        let (pending, name) = (pending.clone(), name.to_owned());
        self.run(WRITE_LIMIT, move |desk| desk.detach(&pending, item, &name))?
    }

    fn publish(
        &self,
        pending: &PendingSet,
        questions: &Questions,
        ending: Ending,
        via: Via,
    ) -> Result<PublishOutcome, StoreError> {
        let (pending, questions) = (pending.clone(), questions.clone());
        self.run(WRITE_LIMIT, move |desk| desk.publish(&pending, &questions, ending, via))?
    }

    fn hold(
        &self,
        pending: &PendingSet,
        questions: &Questions,
        output: DecideOutput,
        via: Via,
        wait: Duration,
    ) -> Result<bool, StoreError> {
        let (pending, questions) = (pending.clone(), questions.clone());
        self.run(WRITE_LIMIT, move |desk| desk.hold(&pending, &questions, output, via, wait))?
    }

    fn take_back(&self, session: &SessionId) -> Result<bool, StoreError> {
        let session = session.clone();
        self.run(WRITE_LIMIT, move |desk| desk.take_back(&session))?
    }

    fn held_for(&self, session: &SessionId) -> Option<Duration> {
        let session = session.clone();
        self.run(READ_LIMIT, move |desk| desk.held_for(&session)).ok().flatten()
    }

    fn record(&self, session: &SessionId) -> Result<Option<DecisionRecord>, StoreError> {
        let session = session.clone();
        self.run(READ_LIMIT, move |desk| desk.record(&session))?
    }

    fn delivery(&self, session: &SessionId) -> Option<Delivery> {
        let session = session.clone();
        self.run(READ_LIMIT, move |desk| desk.delivery(&session)).ok().flatten()
    }

    fn watch(&self, session: &SessionId) -> Box<dyn Watch> {
        Box::new(PatientWatch { watch: Arc::new(Mutex::new(self.desk.watch(session))), desk: self.clone() })
    }

    fn ends(&self) -> Option<Box<dyn EndedSets>> {
        let ends = Arc::new(Mutex::new(self.desk.ends()?));
        Some(Box::new(PatientEnds { ends, desk: self.clone(), is_lost: false }))
    }

    fn replacement(&self, session: &SessionId, ending: &Ending) -> Option<Replacement> {
        let (session, ending) = (session.clone(), ending.clone());
        self.run(READ_LIMIT, move |desk| desk.replacement(&session, &ending)).ok().flatten()
    }
}

/// Looks at one set of such a desk.
#[derive(Debug)]
struct PatientWatch {
    /// Taken by the thread of the desk alone.
    watch: Arc<Mutex<Box<dyn Watch>>>,
    desk: PatientDesk,
}

impl Watch for PatientWatch {
    fn look(&mut self) -> Result<Option<Ending>, StoreError> {
        let watch = Arc::clone(&self.watch);
        // It may also write, and continues after it was given up: the next look finds what it has written.
        self.desk.run(READ_LIMIT, move |_| watch.lock().unwrap_or_else(PoisonError::into_inner).look())?
    }
}

/// Looks which sets of such a desk have ended.
#[derive(Debug)]
struct PatientEnds {
    /// Taken by the thread of the desk alone.
    ends: Arc<Mutex<Box<dyn EndedSets>>>,
    desk: PatientDesk,
    /// Whether a look was given up, which may have found something.
    is_lost: bool,
}

impl EndedSets for PatientEnds {
    fn look(&mut self) -> Result<Ended, StoreError> {
        let ends = Arc::clone(&self.ends);
        let look = move |_: &dyn Desk| ends.lock().unwrap_or_else(PoisonError::into_inner).look();
        let was_lost = std::mem::replace(&mut self.is_lost, true);
        let ended = self.desk.run(READ_LIMIT, look)??;
        self.is_lost = false;
        Ok(if was_lost { Ended::Any } else { ended })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]
mod tests {
    use super::{PatientDesk, PatientEnds};
    use decide::{Ended, EndedSets};
    use std::sync::{Arc, Mutex};
    use store::StoreError;
    use watchdog::Worker;

    /// Says that nothing has ended, but for its second look, which does not come to its end.
    #[derive(Debug)]
    struct Interrupted {
        looks: usize,
    }

    impl EndedSets for Interrupted {
        fn look(&mut self) -> Result<Ended, StoreError> {
            self.looks += 1;
            assert_ne!(self.looks, 2, "this look has no result");
            Ok(Ended::These(Vec::new()))
        }
    }

    #[test]
    fn after_a_look_that_was_given_up_any_set_may_have_ended() {
        let folder = tempfile::tempdir().unwrap();
        store::init(folder.path()).unwrap();
        let decisions = store::Project::at(folder.path()).unwrap().decisions().unwrap();
        let worker = Arc::new(Worker::start("p-test".to_owned()).unwrap());
        let desk = PatientDesk::new(folder.path(), Arc::new(decisions), worker);
        let ends = Arc::new(Mutex::new(Box::new(Interrupted { looks: 0 }) as Box<dyn EndedSets>));
        let mut ends = PatientEnds { ends, desk, is_lost: false };
        assert_eq!(ends.look().unwrap(), Ended::These(Vec::new()));
        assert!(ends.look().is_err());
        assert_eq!(ends.look().unwrap(), Ended::Any);
        assert_eq!(ends.look().unwrap(), Ended::These(Vec::new()));
    }
}
