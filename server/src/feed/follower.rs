//! Somebody who follows the log: first what has happened since, then what happens.

use super::{Feed, Filter, Live, Told};
use journal::{Event, EventFilter, Log};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use workflow::{Failure, Runtime};

/// How many events are read from the log at a time.
const PAGE: u32 = 256;

/// Follows the log of events.
pub(crate) struct Follower {
    feed: Feed,
    runtime: Arc<Runtime>,
    filter: Arc<Mutex<Filter>>,
    /// The number of the last event that was told, or left out.
    at: i64,
    /// What was read and is not told yet.
    page: VecDeque<Arc<Told>>,
    /// There as soon as nothing is to be read first.
    live: Option<Live>,
    /// Up to this number events are not in the queue, and must be read.
    unread: i64,
    /// Whether it has to be said that something is missing.
    may_have_gap: bool,
}

/// What comes next.
pub(crate) enum News {
    Told(Arc<Told>),
    /// Events were forgotten; those that are kept begin with this number.
    Gap(i64),
    /// It was too slow: this is the number of the last event that it was told.
    Lagged(i64),
}

impl Follower {
    /// Follows what happens from now on.
    pub(crate) fn from_now(feed: Feed, runtime: Arc<Runtime>, filter: Filter) -> Self {
        let filter = Arc::new(Mutex::new(filter));
        let (live, at) = feed.listen(Arc::clone(&filter));
        let (page, live) = (VecDeque::new(), Some(live));
        Self { feed, runtime, filter, at, page, live, unread: 0, may_have_gap: false }
    }

    /// Follows what has happened after the event with this number.
    pub(crate) fn since(feed: Feed, runtime: Arc<Runtime>, filter: Filter, seq: i64) -> Self {
        let mut follower = Self::from_now(feed, runtime, filter);
        follower.rewind(seq);
        follower
    }

    /// Goes on after the event with this number.
    pub(crate) fn rewind(&mut self, seq: i64) {
        self.live = None;
        self.page.clear();
        (self.at, self.unread, self.may_have_gap) = (seq, 0, true);
    }

    /// Changes what is told. What waits already is told only if it still is to be.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Filter) -> T) -> T {
        change(&mut self.filter.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The number of the last event that was told.
    pub(crate) fn at(&self) -> i64 {
        self.at
    }

    /// Waits for what comes next. Nothing is lost if nobody waits to the end.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub(crate) async fn next(&mut self) -> Result<News, Failure> {
        loop {
            if let Some(told) = self.page.pop_front() {
                self.at = told.event.seq;
                // It was read for what was wanted then.
                if self.change(|filter| filter.has(&told.event)) {
                    return Ok(News::Told(told));
                }
                continue;
            }
            if self.live.is_none() || self.unread > self.at {
                if let Some(gap) = self.read().await? {
                    return Ok(News::Gap(gap));
                }
                continue;
            }
            let Some(live) = &mut self.live else { continue };
            let Some(told) = live.receiver.recv().await else { return Ok(News::Lagged(self.at)) };
            if told.event.seq <= self.at {
                continue;
            }
            self.at = told.event.seq;
            if self.change(|filter| filter.has(&told.event)) {
                return Ok(News::Told(told));
            }
        }
    }

    /// Reads on in the log; listens once there is nothing more. Returns where it begins if something was forgotten.
    async fn read(&mut self) -> Result<Option<i64>, Failure> {
        let (mut events, mut log) = self.read_after(self.at).await?;
        let mut gap = None;
        if self.may_have_gap {
            // Nobody was ever told of what comes after the last one: it was another log, and this one is told from its beginning.
            let is_another = self.at > log.last;
            if is_another {
                (events, log) = self.read_after(0).await?;
                self.at = 0;
            }
            if is_another || log.pruned > self.at {
                // Events of a workflow that is open are kept longer than those around them.
                let kept = log.pruned + 1;
                gap = Some(events.first().map_or(kept, |first| first.seq.min(kept)));
            }
            self.may_have_gap = false;
        }
        if events.is_empty() {
            // Nothing of it up to there.
            self.at = self.at.max(log.last);
            if self.live.is_none() {
                let (live, told) = self.feed.listen(Arc::clone(&self.filter));
                (self.live, self.unread) = (Some(live), told);
            }
        }
        self.page.extend(events.into_iter().filter_map(|event| Told::new(&Arc::new(event)).map(Arc::new)));
        Ok(gap)
    }

    /// What is to be told of what comes after an event, a page of it, and where the log is.
    async fn read_after(&self, at: i64) -> Result<(Vec<Event>, Log), Failure> {
        let filter = self.change(|filter| filter.clone());
        let asked = EventFilter {
            kinds: filter.kinds(),
            workflow: filter.workflow,
            session: filter.session,
            ..EventFilter::after(at, PAGE)
        };
        let runtime = Arc::clone(&self.runtime);
        let read = tokio::task::spawn_blocking(move || runtime.page(&asked)).await;
        read.map_err(|_| Failure::Contended)?
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]
mod tests {
    use super::{Feed, Filter, Follower, News};
    use journal::{Change, Journal, Memory, NewEvent};
    use model::workflow::EventType;
    use std::sync::Arc;
    use workflow::{Runtime, World};

    /// Where it is always the same time.
    struct Still;

    impl World for Still {
        fn now(&self) -> i64 {
            0
        }

        fn random(&self) -> u64 {
            0
        }

        fn local_second(&self, _: i64) -> String {
            String::new()
        }

        fn local_time(&self, _: i64) -> String {
            String::new()
        }
    }

    fn event((id, kind): (usize, EventType)) -> NewEvent {
        NewEvent {
            payload: "{}".to_owned(),
            id: id.to_string(),
            at: 0,
            kind,
            session: None,
            workflow: None,
            task: None,
            agent: None,
        }
    }

    #[tokio::test]
    async fn what_was_read_already_is_told_only_if_it_still_is_to_be() {
        let (feed, listener) = Feed::start(0).unwrap();
        let journal: Arc<dyn Journal> = Arc::new(Memory::new(listener));
        let kinds = [EventType::TaskStarted, EventType::SystemError, EventType::TaskStarted];
        let events = kinds.into_iter().enumerate().map(event).collect();
        journal.commit(Change { events, ..Change::default() }).unwrap();
        let runtime = Arc::new(Runtime::new(journal, Arc::new(Still)));
        let mut filter = Filter::default();
        let names = |kind: EventType| [kind.name().to_owned()];
        for kind in kinds {
            filter.selection.add(&names(kind), &[]).unwrap();
        }
        let mut follower = Follower::since(feed, runtime, filter, 0);
        let next = async |follower: &mut Follower| match follower.next().await.unwrap() {
            News::Told(told) => told.event.seq,
            News::Gap(_) | News::Lagged(_) => panic!("nothing is missing"),
        };
        assert_eq!(next(&mut follower).await, 1);
        // All of them lie ready now.
        follower.change(|filter| filter.selection.remove(&names(EventType::SystemError), &[]));
        assert_eq!(next(&mut follower).await, 3);
    }
}
