//! The watchdog.

use crate::wait::{self, Wait, WaitReport};
use std::io;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How many looks there are within the limit.
const CHECKS_PER_LIMIT: u32 = 20;
/// The longest time between two looks.
const MAX_INTERVAL: Duration = Duration::from_secs(3);

/// Hands a wait over to a thread, or to one of a pool, that ends it when it gets to it. It must not block.
pub type Probe = Box<dyn FnMut(Wait) + Send>;

/// Looks at all waits of the process until it is dropped. There is one in a process at a time.
#[derive(Debug)]
pub struct Watchdog {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    /// Starts it. `stalled` is called, once, when a wait lasts longer than `limit`: with every wait, those first that have
    /// lasted longest. From then on nothing is looked at.
    ///
    /// # Errors
    ///
    /// When there can be no more threads.
    pub fn start(
        limit: Duration,
        mut probes: Vec<Probe>,
        stalled: impl FnOnce(Vec<WaitReport>) + Send + 'static,
    ) -> io::Result<Self> {
        let interval = (limit / CHECKS_PER_LIMIT).min(MAX_INTERVAL);
        let (stop, stopped) = channel();
        wait::look();
        let run = move || {
            let mut probed = vec![0; probes.len()];
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(interval) {
                wait::look();
                for (probe, last) in probes.iter_mut().zip(&mut probed) {
                    if !wait::is_open(*last) {
                        let wait = Wait::begin("a sign of life");
                        *last = wait.id;
                        probe(wait);
                    }
                }
                let waits = wait::all(interval, limit);
                if waits.iter().any(|wait| wait.is_overdue) {
                    return stalled(waits);
                }
            }
        };
        let thread = thread::Builder::new().name("watchdog".to_owned()).spawn(run)?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // What has panicked has ended as well.
            let _ = thread.join();
        }
        wait::end();
    }
}

#[cfg(test)]
mod tests {
    use super::{Probe, Watchdog};
    use crate::lock::Mutex;
    use crate::rank::Rank;
    use crate::wait::{Wait, WaitReport};
    use std::sync::mpsc::{Receiver, channel};
    use std::sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError};
    use std::thread;
    use std::time::Duration;

    /// Long enough for a thread of a busy machine.
    const LIMIT: Duration = Duration::from_secs(2);

    /// Waits are those of the process, and so one test has a watchdog at a time.
    fn alone() -> MutexGuard<'static, ()> {
        static ONE: StdMutex<()> = StdMutex::new(());
        ONE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watched(probes: Vec<Probe>) -> (Watchdog, Receiver<Vec<WaitReport>>) {
        let (sender, stalled) = channel();
        let watchdog = Watchdog::start(LIMIT, probes, move |waits| sender.send(waits).unwrap());
        (watchdog.unwrap(), stalled)
    }

    #[test]
    fn a_wait_without_end_is_told_with_what_its_thread_holds() {
        let _alone = alone();
        let (watchdog, stalled) = watched(Vec::new());
        let (first, second) = (
            Arc::new(Mutex::new(Rank::Project, "the first", ())),
            Arc::new(Mutex::new(Rank::Leaf, "the second", ())),
        );
        let held = second.lock();
        let waiting = thread::Builder::new().name("waits".to_owned()).spawn({
            let (first, second) = (Arc::clone(&first), Arc::clone(&second));
            move || {
                let _first = first.lock();
                let _second = second.lock();
            }
        });
        let told = stalled.recv().unwrap();
        assert_eq!(told.len(), 1);
        assert_eq!((&*told[0].thread, &*told[0].what), ("waits", "the second"));
        assert_eq!(told[0].holds, ["the first"]);
        assert!(told[0].is_overdue && told[0].since > LIMIT);
        drop(held);
        waiting.unwrap().join().unwrap();
        drop(watchdog);
    }

    #[test]
    fn a_wait_with_a_limit_of_its_own_has_that_much_more_time() {
        let _alone = alone();
        let (_watchdog, stalled) = watched(Vec::new());
        let patient = Wait::bounded("a program", Duration::from_secs(3600));
        let _short = Wait::begin("the disk");
        let told = stalled.recv().unwrap();
        let overdue = |what| told.iter().find(|wait| wait.what == what).unwrap().is_overdue;
        assert!(overdue("the disk") && !overdue("a program"));
        drop(patient);
    }

    #[test]
    fn a_thread_that_takes_no_probe_away_is_found_and_one_that_does_is_not() {
        let _alone = alone();
        let (taken, kept) = (channel(), channel());
        let prompt = thread::spawn(move || taken.1.iter().map(drop::<Wait>).count());
        let probes: Vec<Probe> = vec![
            Box::new(move |wait| taken.0.send(wait).unwrap()),
            Box::new(move |wait| kept.0.send(wait).unwrap()),
        ];
        let (watchdog, stalled) = watched(probes);
        let told = stalled.recv().unwrap();
        assert_eq!(told.iter().filter(|wait| wait.is_overdue).count(), 1);
        drop(watchdog);
        // It had more than one.
        assert!(prompt.join().unwrap() > 1);
        assert_eq!(kept.1.try_iter().count(), 1);
    }

    #[test]
    fn nothing_is_recorded_without_a_watchdog() {
        let _alone = alone();
        assert_eq!(Wait::begin("the disk").id, 0);
    }
}
