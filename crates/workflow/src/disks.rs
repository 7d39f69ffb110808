//! Work on the disks of projects, each of which may hang: a mount whose server is gone blocks a thread for ever.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::Duration;
use watchdog::{Mutex, Rank};

/// What is under way in this process.
static ACTIVE_WORK: Mutex<WorkTable> =
    Mutex::new(Rank::Leaf, "the work on disks", WorkTable { works: BTreeMap::new(), last: 0 });

struct WorkTable {
    works: BTreeMap<u64, DiskWork>,
    last: u64,
}

struct DiskWork {
    root: PathBuf,
    /// No caller waits for it any more.
    is_given_up: bool,
}

/// Something that was started on a thread of its own.
pub(crate) struct DiskTask<T> {
    /// `None` when no thread could be started for it.
    done: Option<(u64, Receiver<T>)>,
}

/// Does something in the project in `root`, on a thread of its own, and waits for it until `limit` has passed. Returns `None` if
/// it takes longer (it continues), if earlier work there is not done, and if it panics.
///
/// # Panics
///
/// Where assertions are compiled in, when the thread holds a view of the journal or something above it.
pub(crate) fn run<T: Send + 'static>(
    root: &Path,
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    start(root, work).wait(limit)
}

/// Starts something in the project in `root`. Nothing is started where earlier work was given up and has not ended: there is
/// one such thread for a dead disk, and not one more with every try.
pub(crate) fn start<T: Send + 'static>(
    root: &Path,
    work: impl FnOnce() -> T + Send + 'static,
) -> DiskTask<T> {
    let Some(begun) = WorkGuard::new(root) else { return DiskTask { done: None } };
    let id = begun.0;
    let (sender, receiver) = sync_channel(1);
    let run = move || {
        let result = work();
        drop(begun);
        // The caller may have given up.
        let _ = sender.send(result);
    };
    let thread = thread::Builder::new().name("disk".to_owned()).spawn(run);
    DiskTask { done: thread.ok().map(|_| (id, receiver)) }
}

impl<T> DiskTask<T> {
    /// Waits for it until `limit` has passed, and gives it up then.
    ///
    /// # Panics
    ///
    /// As [`run`].
    pub(crate) fn wait(self, limit: Duration) -> Option<T> {
        // Other threads need the view, however long this takes.
        watchdog::check(Rank::View, "the disk of a project");
        let (id, done) = self.done?;
        let result = done.recv_timeout(limit).ok();
        if result.is_none()
            && let Some(work) = ACTIVE_WORK.lock().works.get_mut(&id)
        {
            work.is_given_up = true;
        }
        result
    }
}

/// Work that is under way until this is dropped, also by a panic.
struct WorkGuard(u64);

impl WorkGuard {
    /// `None` where earlier work was given up.
    fn new(root: &Path) -> Option<Self> {
        let mut under_way = ACTIVE_WORK.lock();
        if under_way.works.values().any(|work| work.is_given_up && work.root == root) {
            return None;
        }
        under_way.last += 1;
        let id = under_way.last;
        under_way.works.insert(id, DiskWork { root: root.to_owned(), is_given_up: false });
        Some(Self(id))
    }
}

impl Drop for WorkGuard {
    fn drop(&mut self) {
        ACTIVE_WORK.lock().works.remove(&self.0);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

    use super::{run, start};
    use std::path::Path;
    use std::sync::mpsc::channel;
    use std::time::Duration;
    use watchdog::{Rank, RankGuard};

    const SOON: Duration = Duration::from_millis(50);
    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_disk_that_does_not_answer_is_given_up_and_used_again_when_it_does() {
        let (dead, other) = (Path::new("/dead"), Path::new("/other"));
        let (free, stuck) = channel::<()>();
        assert_eq!(run(dead, SOON, move || stuck.recv()), None);
        // Not even begun.
        assert_eq!(run(dead, LONG, || panic!("on a dead disk")), None::<()>);
        assert_eq!(run(other, LONG, || 1), Some(1));
        free.send(()).unwrap();
        while run(dead, LONG, || 2) != Some(2) {}
    }

    #[test]
    fn work_of_one_project_is_done_side_by_side_and_a_panic_ends_only_itself() {
        let root = Path::new("/several");
        let (free, waiting) = channel::<()>();
        let first = start(root, move || waiting.recv().unwrap());
        assert_eq!(run(root, LONG, || -> u8 { panic!("on purpose") }), None);
        assert_eq!(run(root, LONG, || 1), Some(1));
        free.send(()).unwrap();
        assert_eq!(first.wait(LONG), Some(()));
    }

    #[test]
    #[should_panic(expected = "takes \"the disk of a project\" (View) while it holds \"a view\"")]
    fn no_disk_is_waited_for_with_a_view_in_hand() {
        let _view = RankGuard::take(Rank::View, "a view");
        run(Path::new("/any"), LONG, || ());
    }
}
