//! A follower of the log: first past events, then new ones.

use super::{Feed, FeedEvent, FeedListener, Filter};
use app::{ReadError, ReadPool};
use journal::{Event, EventFilter, Log};
use protocol::workflow::{ErrorCode, Refusal};
use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use texts::Lang;
use workflow::{Failure, Runtime};

/// How many events are read from the log at a time.
const PAGE: u32 = 256;

/// A log of events, and what it takes to follow it.
pub(crate) struct FollowedLog {
    pub(crate) feed: Feed,
    pub(crate) runtime: Arc<Runtime>,
    /// Where it is read.
    pub(crate) reads: ReadPool,
}

type Page = Result<(Vec<Event>, Log), Failure>;

/// A page of the log that is being read.
struct PageRead {
    /// It comes after the event with this number.
    after: i64,
    /// Whether the filter was changed since it was begun.
    is_outdated: bool,
    page: Pin<Box<dyn Future<Output = Page> + Send>>,
}

/// Follows the log of events.
pub(crate) struct Follower {
    log: FollowedLog,
    filter: Arc<Mutex<Filter>>,
    /// The number of the last event that was told, or left out.
    at: i64,
    /// What was read and is not told yet.
    page: VecDeque<Arc<FeedEvent>>,
    /// There while a page is read: a caller of [`Self::next`] that does not wait to the end must not leave behind one thread
    /// each time.
    reading: Option<PageRead>,
    /// There as soon as nothing is to be read first.
    live: Option<FeedListener>,
    /// Up to this number events are not in the queue, and must be read.
    unread: i64,
    /// Whether it has to be said that something is missing.
    may_have_gap: bool,
}

/// What comes next.
pub(crate) enum FeedMessage {
    Event(Arc<FeedEvent>),
    /// Events were forgotten; those that are kept begin with this number.
    Gap(i64),
    /// It was too slow: this is the number of the last event that it was sent.
    Lagged(i64),
}

impl Follower {
    /// Follows what happens from now on.
    pub(crate) fn from_now(log: FollowedLog, filter: Filter) -> Self {
        let filter = Arc::new(Mutex::new(filter));
        let (live, at) = log.feed.listen(Arc::clone(&filter));
        let (page, live) = (VecDeque::new(), Some(live));
        Self { log, filter, at, page, reading: None, live, unread: 0, may_have_gap: false }
    }

    /// Follows what has happened after the event with this number.
    pub(crate) fn since(log: FollowedLog, filter: Filter, seq: i64) -> Self {
        let mut follower = Self::from_now(log, filter);
        follower.rewind(seq);
        follower
    }

    /// Goes on after the event with this number.
    pub(crate) fn rewind(&mut self, seq: i64) {
        self.live = None;
        self.page.clear();
        (self.at, self.unread, self.may_have_gap) = (seq, 0, true);
    }

    /// Changes the filter, which also applies to the events that wait already.
    pub(crate) fn change<T>(&mut self, change: impl FnOnce(&mut Filter) -> T) -> T {
        if let Some(reading) = &mut self.reading {
            reading.is_outdated = true;
        }
        change(&mut self.filter.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn wants(&self, event: &Event) -> bool {
        self.filter.lock().unwrap_or_else(PoisonError::into_inner).has(event)
    }

    /// The number of the last event that was handled.
    pub(crate) fn at(&self) -> i64 {
        self.at
    }

    /// Waits until all events of one change have arrived: then [`Self::next`] returns all of them.
    pub(crate) fn wait_for_batch(&self) {
        if let Some(live) = &self.live {
            live.wait_for_batch();
        }
    }

    /// Waits for the next item. Cancelling the wait loses nothing.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub(crate) async fn next(&mut self) -> Result<FeedMessage, Failure> {
        loop {
            if let Some(feed_event) = self.page.pop_front() {
                self.at = feed_event.event.seq;
                // It was read for what was wanted then.
                if self.wants(&feed_event.event) {
                    return Ok(FeedMessage::Event(feed_event));
                }
                continue;
            }
            if self.live.is_none() || self.unread > self.at {
                if let Some(gap) = self.read().await? {
                    return Ok(FeedMessage::Gap(gap));
                }
                continue;
            }
            let Some(live) = &mut self.live else { continue };
            let Some(feed_event) = live.receiver.recv().await else {
                return Ok(FeedMessage::Lagged(self.at));
            };
            if feed_event.event.seq <= self.at {
                continue;
            }
            self.at = feed_event.event.seq;
            if self.wants(&feed_event.event) {
                return Ok(FeedMessage::Event(feed_event));
            }
        }
    }

    /// Reads on in the log; listens once there is nothing more. Returns where it begins if something was forgotten.
    async fn read(&mut self) -> Result<Option<i64>, Failure> {
        let (mut events, mut log) = self.read_after(self.at).await?;
        let mut gap = None;
        if self.may_have_gap {
            // Cursor past the end: the log was replaced, so the new one is read from its beginning.
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
                let (live, unread) = self.log.feed.listen(Arc::clone(&self.filter));
                (self.live, self.unread) = (Some(live), unread);
            }
        }
        self.page
            .extend(events.into_iter().filter_map(|event| FeedEvent::new(&Arc::new(event)).map(Arc::new)));
        Ok(gap)
    }

    /// The wanted events after an event, a page of them, and where the log is.
    async fn read_after(&mut self, at: i64) -> Page {
        loop {
            if self.reading.is_none() {
                self.reading = Some(self.begin_to_read(at));
            }
            let Some(reading) = &mut self.reading else { continue };
            let page = reading.page.as_mut().await;
            let is_wanted = reading.after == at && !reading.is_outdated;
            self.reading = None;
            if is_wanted {
                return page;
            }
        }
    }

    fn begin_to_read(&self, after: i64) -> PageRead {
        let filter = self.filter.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let asked = EventFilter {
            kinds: filter.kinds(),
            workflow: filter.workflow,
            session: filter.session,
            ..EventFilter::after(after, PAGE)
        };
        let (runtime, reads) = (Arc::clone(&self.log.runtime), self.log.reads.clone());
        let page = Box::pin(async move {
            match reads.run("a page of events", move || runtime.page(&asked)).await {
                Ok(page) => page,
                Err(ReadError::Late) => {
                    let words = Lang::En.page().http_stuck_detail;
                    Err(Refusal::new(ErrorCode::Unavailable, words).into())
                }
                Err(ReadError::Lost) => Err(Failure::Lost),
            }
        });
        PageRead { after, is_outdated: false, page }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]
mod tests {
    use super::{Feed, FeedMessage, Filter, FollowedLog, Follower};
    use app::ReadPool;
    use journal::{Journal, NewEvent, Sqlite};
    use protocol::workflow::EventType;
    use std::future::poll_fn;
    use std::pin::pin;
    use std::sync::mpsc::channel;
    use std::sync::{Arc, Mutex};
    use std::task::Poll;
    use tokio::sync::mpsc::unbounded_channel;
    use workflow::{Runtime, World};

    /// Where it is always the same time.
    struct FixedWorld;

    impl World for FixedWorld {
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
        let journal: Arc<dyn Journal> = Arc::new(Sqlite::in_memory(listener).unwrap());
        let kinds = [EventType::TaskStarted, EventType::SystemError, EventType::TaskStarted];
        let events = kinds.into_iter().enumerate().map(event);
        journal
            .run(&mut |tx| {
                events.clone().for_each(|event| tx.publish(event));
                Ok(())
            })
            .unwrap();
        let runtime = Arc::new(Runtime::new(journal, Arc::new(FixedWorld)));
        let mut filter = Filter::default();
        let names = |kind: EventType| [kind.name().to_owned()];
        for kind in kinds {
            filter.selection.add(&names(kind), &[]).unwrap();
        }
        let mut follower =
            Follower::since(FollowedLog { feed, runtime, reads: ReadPool::default() }, filter, 0);
        let next = async |follower: &mut Follower| match follower.next().await.unwrap() {
            FeedMessage::Event(feed_event) => feed_event.event.seq,
            FeedMessage::Gap(_) | FeedMessage::Lagged(_) => panic!("nothing is missing"),
        };
        assert_eq!(next(&mut follower).await, 1);
        // All of them lie ready now.
        follower.change(|filter| filter.selection.remove(&names(EventType::SystemError), &[]));
        assert_eq!(next(&mut follower).await, 3);
    }

    #[tokio::test]
    async fn a_filter_that_is_changed_while_a_page_is_read_applies_to_that_page() {
        let (feed, listener) = Feed::start(0).unwrap();
        let journal: Arc<dyn Journal> = Arc::new(Sqlite::in_memory(listener).unwrap());
        let kinds = [EventType::TaskStarted, EventType::SystemError];
        let events = kinds.into_iter().enumerate().map(event);
        journal
            .run(&mut |tx| {
                events.clone().for_each(|event| tx.publish(event));
                Ok(())
            })
            .unwrap();
        let (runtime, reads) = (Arc::new(Runtime::new(journal, Arc::new(FixedWorld))), ReadPool::default());
        let mut filter = Filter::default();
        filter.selection.add(&[EventType::TaskStarted.name().to_owned()], &[]).unwrap();
        let mut follower = Follower::since(FollowedLog { feed, runtime, reads: reads.clone() }, filter, 0);
        // Nothing can be read as long as all turns are taken.
        let (free, taken) = channel::<()>();
        let taken = Arc::new(Mutex::new(taken));
        let (begun, mut begins) = unbounded_channel();
        let others: Vec<_> = (0..ReadPool::LIMIT)
            .map(|_| {
                let (reads, taken, begun) = (reads.clone(), Arc::clone(&taken), begun.clone());
                let hold = move || {
                    begun.send(()).unwrap();
                    taken.lock().unwrap().recv()
                };
                tokio::spawn(async move { reads.run("another", hold).await })
            })
            .collect();
        for _ in 0..ReadPool::LIMIT {
            begins.recv().await.unwrap();
        }
        {
            let mut next = pin!(follower.next());
            assert!(poll_fn(|context| Poll::Ready(next.as_mut().poll(context).is_pending())).await);
        }
        let added = [EventType::SystemError.name().to_owned()];
        follower.change(|filter| filter.selection.add(&added, &[])).unwrap();
        drop(free);
        for seq in [1, 2] {
            let FeedMessage::Event(feed_event) = follower.next().await.unwrap() else {
                panic!("nothing is missing")
            };
            assert_eq!(feed_event.event.seq, seq);
        }
        for other in others {
            other.await.unwrap().unwrap().unwrap_err();
        }
    }
}
